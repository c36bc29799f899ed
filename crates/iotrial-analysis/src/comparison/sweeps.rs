//! Sweeps held against sweeps: the ceiling, the knee and the rate that lasts of each curve that several have, and what they did at
//! the loads that they both measured.

mod load_points;

use std::collections::BTreeMap;

use iotrial_model::bound::{Amount, BoundRelation, Bounded};
use iotrial_model::figure::SweepFigure;
use iotrial_model::finding::{ComparedFact, CurvePlace, Finding, FindingId, Severity};
use iotrial_model::gate::Undecided;
use iotrial_model::host_fact::HostReport;
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::metric::{Metric, MetricKey};
use iotrial_model::recommendation::CeilingChanges;
use iotrial_model::record::{AttributeValue, EndedHow};
use iotrial_model::subject::Subject;
use iotrial_model::sweep::SweepRecord;
use iotrial_model::words::enumerate;
use serde::Serialize;

pub use load_points::{ComparedLoad, LoadPointCell};

use load_points::loads;

use super::CompareRequest;
use super::circumstances::Circumstances;
use super::conditions::{Conditions, Taken, check_conditions};
use super::configuration::letters;
use super::delta::{BoundedDelta, Delta, Reading};
use super::error::CompareError;
use super::gate::{CurveFigure, GateOutcome};
use super::given::{Named, find_baseline, once, warnings_with_names};
use super::host_difference::{HostDifference, telling};

use crate::saturation::{Confidence, KneeBound, Saturation};
use crate::sweep::{Curve, SweepSummary};

/// Sweeps held against each other. Its keys are an interface: `docs/json.md`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepComparison {
    /// What is compared, in the order in which it was given.
    pub sweeps: Vec<ComparedSweep>,
    /// Key of the sweep that changes are from.
    pub baseline: String,
    /// Each kind of I/O on each volume that two sweeps or more have.
    pub curves: Vec<ComparedCurve>,
    /// The answer in one sentence.
    pub sentence: String,
    /// What it is made of.
    #[serde(skip)]
    pub ceilings: Vec<CeilingChanges>,
    /// In what the hosts differ; empty where nothing does, or where nobody looked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_differences: Vec<HostDifference>,
    /// Whether every ceiling that changed became higher, or lower; `None` where some did this and some that, or none is shown to have
    /// changed.
    pub is_better: Option<bool>,
    /// Gates held against each sweep but the baseline.
    pub gates: Vec<GateOutcome>,
    /// What the reader should know about it, the most serious first.
    #[serde(serialize_with = "iotrial_words::finding::in_json")]
    pub findings: Vec<Finding>,
}

/// One of the sweeps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedSweep {
    /// A short name: `A`, `B`, …
    pub key: String,
    /// What it is called, or its id.
    pub label: String,
    /// What distinguishes it.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Where its record is.
    pub source: String,
    /// Its id.
    pub id: String,
    /// Where, when and by what it was measured.
    pub circumstances: Circumstances,
    /// All measured phases together.
    pub measured_s: f64,
    /// How many loads were measured.
    pub probe_count: usize,
    /// `complete`, `interrupted` or `failed`.
    pub ended: EndedHow,
}

impl ComparedSweep {
    /// Key and label: `B (after)`.
    pub fn title(&self) -> String {
        format!("{} ({})", self.key, self.label)
    }

    fn named(&self) -> Named<'_> {
        Named { label: &self.label, key: &self.key, ids: std::slice::from_ref(&self.id) }
    }
}

/// One kind of I/O on one volume, of the sweeps that have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedCurve {
    /// The kind of I/O.
    pub pattern: LoadPattern,
    /// The volume as the baseline calls it; `None` where there is only one.
    pub volume: Option<String>,
    /// Ceiling, knee and what else the curves show.
    pub figures: Vec<ComparedFigure>,
    /// Every load that any of them measured, the lowest first.
    pub loads: Vec<ComparedLoad>,
    /// The fitted curves, to be drawn.
    #[serde(skip)]
    pub saturations: Vec<(String, Saturation)>,
}

impl ComparedCurve {
    /// Pattern and volume in words.
    pub fn name(&self) -> String {
        iotrial_words::place::curve(&self.place())
    }

    fn place(&self) -> CurvePlace {
        CurvePlace { pattern: self.pattern, volume: self.volume.clone() }
    }
}

/// A figure of a curve, of each sweep that has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedFigure {
    /// Of what.
    #[serde(serialize_with = "as_word")]
    pub figure: SweepFigure,
    /// In the order of the sweeps.
    pub cells: Vec<FigureCell>,
}

fn as_word<S: serde::Serializer>(figure: &SweepFigure, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(figure.as_str())
}

/// A figure of a curve of one sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureCell {
    /// Key of the sweep.
    pub sweep: String,
    /// The figure, or the bound that is known of it.
    pub value: Amount,
    /// Where it lies with 95 % confidence; `None` where the loads are too few to tell.
    pub interval: Option<Confidence>,
    /// The change from the baseline; `None` of the baseline itself.
    pub delta: Option<Delta>,
    /// The same where one of the two is only a bound.
    pub bounded: Option<BoundedDelta>,
}

/// A sweep as it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepSample {
    /// Where its record is.
    pub source: String,
    /// What happened.
    pub record: SweepRecord,
}

impl SweepComparison {
    /// Compares.
    ///
    /// # Errors
    ///
    /// When there are fewer than two, nothing that two of them have, or it would not be fair.
    pub fn new(samples: Vec<SweepSample>, request: &CompareRequest) -> Result<Self, CompareError> {
        let mut findings = Vec::new();
        let id = |one: &SweepSample| Some(one.record.id.clone());
        let samples = once(samples, id, |id| ComparedFact::SweepTwice { id }, &mut findings);
        if samples.len() < 2 {
            return Err(CompareError::OnlyOneSweep);
        }
        let conditions: Vec<Conditions> =
            samples.iter().map(|one| Conditions::of_sweep(&one.record)).collect();
        let taken = samples.iter().zip(&conditions).map(|(one, conditions)| Taken {
            source: &one.source,
            label: one.record.label.as_ref(),
            conditions,
        });
        check_conditions(taken, request.force, &mut findings)?;
        let summaries: Vec<SweepSummary> = samples.iter().map(|one| SweepSummary::new(&one.record)).collect();
        let sweeps: Vec<ComparedSweep> = samples
            .iter()
            .zip(&summaries)
            .enumerate()
            .map(|(at, (one, summary))| ComparedSweep::of(letters(at), one, summary))
            .collect();
        let baseline = match &request.baseline {
            Some(name) => find_baseline(sweeps.iter().map(ComparedSweep::named), name)?,
            None => 0,
        };
        let all: Vec<SweepSide<'_>> = sweeps
            .iter()
            .zip(&samples)
            .zip(&summaries)
            .map(|((sweep, sample), summary)| SweepSide { sweep, record: &sample.record, summary })
            .collect();
        let (curves, alone) = curves(&all, baseline);
        if curves.is_empty() {
            return Err(CompareError::NoCommonCurve);
        }
        if !alone.is_empty() {
            let fact = ComparedFact::OneSweep { curves: alone };
            findings.push(Finding::of_comparison(FindingId::LeftOut, Severity::Note, fact));
        }
        findings.extend(findings_of(&all));
        findings.extend(other_generator(&samples));
        findings.push(Finding::of_comparison(
            FindingId::MeasuredOnce,
            Severity::Note,
            ComparedFact::SingleSweeps,
        ));
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let gates = hold(request, &all, &curves, baseline)?;
        let others = sweeps.iter().enumerate().filter(|(at, _)| *at != baseline).map(|(_, sweep)| sweep);
        let ceilings: Vec<CeilingChanges> =
            others.map(|sweep| ceiling_changes(sweep, &sweeps[baseline], &curves)).collect();
        let hosts: Vec<Option<HostReport>> =
            samples.iter().map(|one| one.record.host_facts.as_ref().map(telling)).collect();
        let hosts: Vec<(&str, Vec<&HostReport>)> =
            sweeps.iter().zip(&hosts).map(|(one, host)| (one.key.as_str(), host.iter().collect())).collect();
        Ok(Self {
            baseline: sweeps[baseline].key.clone(),
            host_differences: HostDifference::between(&hosts),
            sweeps,
            curves,
            sentence: iotrial_words::recommendation::ceilings(&ceilings),
            is_better: is_better(&ceilings),
            ceilings,
            gates,
            findings,
        })
    }

    /// One sweep by its key.
    pub fn sweep(&self, key: &str) -> Option<&ComparedSweep> {
        self.sweeps.iter().find(|one| one.key == key)
    }

    /// Whether any of the devices was simulated.
    pub fn is_simulated(&self) -> bool {
        self.sweeps.iter().any(|one| one.circumstances.is_simulated)
    }
}

/// The first sweep whose generator worked in another way than that of the first one.
fn other_generator(samples: &[SweepSample]) -> Option<Finding> {
    let (first, others) = samples.split_first()?;
    let of_first = Conditions::of_generator_of_sweep(&first.record);
    others.iter().find_map(|other| {
        let differences = of_first.differences(&Conditions::of_generator_of_sweep(&other.record));
        let (first, other) = (first.source.clone(), other.source.clone());
        let fact = ComparedFact::GeneratorDiffers { first, other, differences: differences.clone() };
        (!differences.is_empty())
            .then(|| Finding::of_comparison(FindingId::GeneratorDiffers, Severity::Note, fact))
    })
}

impl ComparedSweep {
    fn of(key: String, sample: &SweepSample, summary: &SweepSummary) -> Self {
        let record = &sample.record;
        Self {
            key,
            label: record.label.clone().unwrap_or_else(|| record.id.clone()),
            attributes: record.attributes.clone(),
            source: sample.source.clone(),
            id: record.id.clone(),
            circumstances: Circumstances::of(&Subject::of_sweep(record)),
            measured_s: summary.measured_s,
            probe_count: record.probes.len(),
            ended: record.ended.how,
        }
    }
}

/// A sweep with everything that is computed of it.
struct SweepSide<'s> {
    sweep: &'s ComparedSweep,
    record: &'s SweepRecord,
    summary: &'s SweepSummary,
}

/// The curves that two sweeps or more have, and the names of the others.
fn curves(sides: &[SweepSide<'_>], baseline: usize) -> (Vec<ComparedCurve>, Vec<CurvePlace>) {
    let mut keys: Vec<(LoadPattern, usize)> = Vec::new();
    for curve in sides.iter().flat_map(|side| &side.summary.curves) {
        let key = (curve.pattern, curve.volume);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let records: Vec<(&str, &SweepRecord)> =
        sides.iter().map(|side| (side.sweep.key.as_str(), side.record)).collect();
    let mut alone = Vec::new();
    let mut compared = Vec::new();
    let has_volumes = sides.iter().any(|side| side.summary.volumes.len() > 1);
    for (pattern, volume) in keys {
        let has = |side: &&SweepSide<'_>| {
            side.summary.curves.iter().any(|curve| (curve.pattern, curve.volume) == (pattern, volume))
        };
        let names = [baseline].into_iter().chain(0..sides.len());
        let name = names.filter_map(|at| sides[at].summary.volumes.get(volume)).next().cloned();
        let curve = ComparedCurve {
            pattern,
            volume: name.filter(|_| has_volumes),
            figures: figures(sides, baseline, pattern, volume),
            loads: loads(&records, baseline, pattern, volume),
            saturations: sides
                .iter()
                .filter_map(|side| {
                    let curve = curve_of(side, pattern, volume)?;
                    Some((side.sweep.key.clone(), curve.saturation.clone()?))
                })
                .collect(),
        };
        match sides.iter().filter(has).count() {
            0 | 1 => alone.push(curve.place()),
            _ => compared.push(curve),
        }
    }
    (compared, alone)
}

fn curve_of<'s>(side: &SweepSide<'s>, pattern: LoadPattern, volume: usize) -> Option<&'s Curve> {
    side.summary.curves.iter().find(|curve| (curve.pattern, curve.volume) == (pattern, volume))
}

/// A figure of one curve, before it is held against another one.
struct CurveValue {
    value: Amount,
    interval: Option<Confidence>,
}

impl CurveValue {
    fn at_least(value: f64) -> Self {
        Self { value: bound(BoundRelation::AtLeast, value), interval: None }
    }

    fn of(curve: &Curve, figure: SweepFigure) -> Option<Self> {
        if figure == SweepFigure::Sustained {
            let sustained = curve.sustained?;
            // A standard error with many degrees of freedom: 1.96 of them are 95 %.
            let interval = sustained.iops_standard_error.map(|error| Confidence {
                low: sustained.iops - 1.96 * error,
                high: sustained.iops + 1.96 * error,
            });
            return Some(Self { value: Amount::Exact(sustained.iops), interval });
        }
        let found = curve.saturation.as_ref()?;
        // Bandwidth follows from the rate: all I/Os of a pattern have one size.
        let of_bandwidth = |one: Confidence| {
            let factor = found.ceiling_mib_per_s / found.ceiling_iops;
            Confidence { low: one.low * factor, high: one.high * factor }
        };
        Some(match figure {
            SweepFigure::Ceiling if found.is_reached => {
                Self { value: Amount::Exact(found.ceiling_iops), interval: found.ceiling_confidence }
            }
            SweepFigure::Ceiling => Self::at_least(found.ceiling_iops),
            SweepFigure::CeilingBandwidth if found.is_reached => Self {
                value: Amount::Exact(found.ceiling_mib_per_s),
                interval: found.ceiling_confidence.map(of_bandwidth),
            },
            SweepFigure::CeilingBandwidth => Self::at_least(found.ceiling_mib_per_s),
            SweepFigure::Knee | SweepFigure::Sustained => match found.knee_bound {
                None => {
                    Self { value: Amount::Exact(found.knee.outstanding), interval: found.knee_confidence }
                }
                Some(KneeBound::AtOrBelow) => {
                    Self { value: bound(BoundRelation::AtMost, found.knee.outstanding), interval: None }
                }
                Some(KneeBound::AtOrAbove) => Self::at_least(found.knee.outstanding),
                Some(KneeBound::Unknown) => return None,
            },
        })
    }

    /// Where it lies for sure or with confidence; the upper end is infinite of a lower bound.
    fn ends(&self) -> Option<(f64, f64)> {
        match (self.value, self.interval) {
            (Amount::Bounded(_), _) => Some(self.value.range()),
            (Amount::Exact(_), Some(one)) => Some((one.low, one.high)),
            (Amount::Exact(_), None) => None,
        }
    }
}

const fn bound(relation: BoundRelation, value: f64) -> Amount {
    Amount::Bounded(Bounded { relation, value })
}

fn figures(
    sides: &[SweepSide<'_>],
    baseline: usize,
    pattern: LoadPattern,
    volume: usize,
) -> Vec<ComparedFigure> {
    let of_figure = |figure: &SweepFigure| {
        let metric = Metric { load: Some(pattern.to_string()), key: MetricKey::Sweep(*figure) };
        let known = |side: &SweepSide<'_>| CurveValue::of(curve_of(side, pattern, volume)?, *figure);
        let from = known(&sides[baseline]);
        let cells: Vec<FigureCell> = sides
            .iter()
            .enumerate()
            .filter_map(|(at, side)| {
                let to = known(side)?;
                let change = from.as_ref().filter(|_| at != baseline);
                let (delta, bounded) = match change {
                    None => (None, None),
                    Some(from) => match (from.value, to.value) {
                        (Amount::Exact(_), Amount::Exact(_)) => (Some(delta_of(&metric, from, &to)), None),
                        _ => (None, Some(BoundedDelta::new(metric.clone(), within(from), within(&to)))),
                    },
                };
                let (value, interval) = (to.value, to.interval);
                Some(FigureCell { sweep: side.sweep.key.clone(), value, interval, delta, bounded })
            })
            .collect();
        (!cells.is_empty()).then_some(ComparedFigure { figure: *figure, cells })
    };
    SweepFigure::ALL.iter().filter_map(of_figure).collect()
}

/// Of a figure that is held against a bound, the amount that is surely right: of a ceiling with an interval nothing is sure beyond
/// its upper end, and that end is what a lower bound has to exceed.
fn within(known: &CurveValue) -> Amount {
    match (known.value, known.interval) {
        (Amount::Exact(_), Some(interval)) => bound(BoundRelation::AtMost, interval.high),
        (value, _) => value,
    }
}

/// Half of a 95 % interval by which two sweeps of one quiet device differ beyond what their fits know, in logarithms.
// Two measurements of one load differ by 1 % (`POINT_ERROR` of the fit), each of them, whichever curve goes through them; 1.96 standard
// errors are 95 %. Without it the fits of two sweeps of one device, each through dozens of points, would never agree.
const BETWEEN_SWEEPS: f64 = 1.96 * 0.01 * std::f64::consts::SQRT_2;

/// The change of a figure with its interval, joined as of two independent ones: squares of what each reaches in logarithms add.
fn delta_of(metric: &Metric, from: &CurveValue, to: &CurveValue) -> Delta {
    let value = |one: &CurveValue| one.value.exact().unwrap_or_default();
    // Half the width in logarithms; the two sides of an interval of a fit are not the same to the last digit.
    let reach = |one: &CurveValue| {
        let interval = one.interval.filter(|interval| interval.low > 0.0)?;
        Some((interval.high / interval.low).ln() / 2.0)
    };
    let (a, b) = (value(from), value(to));
    let reach = reach(from).zip(reach(to)).map(|(one, other)| one.hypot(other).hypot(BETWEEN_SWEEPS));
    Delta::of_curve(metric.clone(), a, b, reach)
}

/// Warnings of the sweeps, each with the key of those that say it.
fn findings_of(sides: &[SweepSide<'_>]) -> Vec<Finding> {
    let all = sides.iter().map(|side| (side.sweep.key.as_str(), side.summary.findings.as_slice()));
    let of_sweeps = |(one, sweeps): (&Finding, Vec<&str>)| {
        let sweeps = sweeps.into_iter().map(str::to_owned).collect();
        let fact = ComparedFact::SweepCaveat { sweeps, finding: Box::new(one.clone()) };
        Finding::of_comparison(FindingId::Caveat, one.severity, fact)
    };
    warnings_with_names(all).into_iter().map(of_sweeps).collect()
}

fn hold(
    request: &CompareRequest,
    sides: &[SweepSide<'_>],
    curves: &[ComparedCurve],
    baseline: usize,
) -> Result<Vec<GateOutcome>, CompareError> {
    let mut outcomes = Vec::new();
    for gate in &request.gates {
        let before = outcomes.len();
        if let Some((pattern, figure)) = gate.of_sweep() {
            let is_meant = |curve: &&ComparedCurve| pattern.is_none_or(|pattern| pattern == curve.pattern);
            for curve in curves.iter().filter(is_meant) {
                for (_, side) in sides.iter().enumerate().filter(|(at, _)| *at != baseline) {
                    let of_figure = curve.figures.iter().find(|one| one.figure == figure);
                    let sweep = side.sweep;
                    let cell =
                        of_figure.and_then(|one| one.cells.iter().find(|cell| cell.sweep == sweep.key));
                    let known = cell.map(|cell| CurveValue { value: cell.value, interval: cell.interval });
                    let doubt = match sweep.ended {
                        EndedHow::Complete => None,
                        EndedHow::Interrupted => Some(Undecided::SweepEnded { is_interrupted: true }),
                        EndedHow::Failed => Some(Undecided::SweepEnded { is_interrupted: false }),
                    };
                    outcomes.push(gate.hold_curve(CurveFigure {
                        key: &sweep.key,
                        label: &sweep.label,
                        metric: Metric { load: Some(curve.name()), key: MetricKey::Sweep(figure) },
                        value: known.as_ref().map(|known| known.value.shown().1),
                        ends: known.as_ref().and_then(CurveValue::ends),
                        delta: cell.and_then(|cell| cell.delta.as_ref()),
                        bounded: cell.and_then(|cell| cell.bounded.as_ref()),
                        doubt,
                        is_simulated: sweep.circumstances.is_simulated,
                    }));
                }
            }
        }
        if outcomes.len() == before {
            let patterns = curves.iter().map(|curve| format!("{}.ceiling", curve.pattern));
            let words = SweepFigure::ALL.iter().map(|figure| figure.word().to_owned());
            return Err(CompareError::UnknownMetric {
                roles: Vec::new(),
                name: gate.name.clone(),
                near: enumerate(&words.chain(patterns).collect::<Vec<_>>()),
                nearest: None,
            });
        }
    }
    Ok(outcomes)
}

/// What became of the ceilings of a sweep.
fn ceiling_changes(
    sweep: &ComparedSweep,
    baseline: &ComparedSweep,
    curves: &[ComparedCurve],
) -> CeilingChanges {
    let (mut changed, mut same, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    // The tests of a series are no curve, so that it has no ceiling, and its rates are compared.
    let has_ceilings =
        curves.iter().flat_map(|curve| &curve.figures).any(|one| one.figure == SweepFigure::Ceiling);
    for curve in curves {
        let ceiling = curve.figures.iter().find(|one| one.figure == SweepFigure::Ceiling);
        let cell = ceiling.and_then(|one| one.cells.iter().find(|cell| cell.sweep == sweep.key));
        let (reading, percent) = match cell.map(|cell| (&cell.delta, &cell.bounded)) {
            Some((Some(delta), _)) => (delta.reading, Some(Amount::Exact(delta.percent))),
            Some((None, Some(bounded))) => (bounded.reading, bounded.sure_change().map(Amount::Bounded)),
            Some((None, None)) => (Reading::NoInterval, None),
            None if has_ceilings => continue,
            None => match rate_change(curve, &sweep.key) {
                Some(delta) => (delta.reading, Some(Amount::Exact(delta.percent))),
                None => continue,
            },
        };
        match percent.filter(|_| reading.is_better() || reading.is_worse()) {
            Some(percent) => changed.push((curve.place(), percent)),
            None if reading == Reading::NoDifference => same.push(curve.place()),
            None => unknown.push(curve.place()),
        }
    }
    CeilingChanges {
        sweep: sweep.title(),
        baseline: baseline.title(),
        is_of_loads: !has_ceilings,
        changed,
        same,
        unknown,
    }
}

/// The change of the rates of a pattern at its loads: the least of those that are shown, of the worse ones if there are any; where none is
/// shown, one that is open before one without a difference.
fn rate_change<'c>(curve: &'c ComparedCurve, sweep: &str) -> Option<&'c Delta> {
    let cells = curve.loads.iter().flat_map(|load| &load.cells).filter(|cell| cell.sweep == sweep);
    let rank = |one: &&Delta| match one.reading {
        reading if reading.is_worse() => 0,
        reading if reading.is_better() => 1,
        Reading::NoDifference => 3,
        _ => 2,
    };
    cells.filter_map(|cell| cell.iops_change.as_ref()).min_by(|one, other| {
        rank(one).cmp(&rank(other)).then(one.percent.abs().total_cmp(&other.percent.abs()))
    })
}

/// Whether every ceiling that changed became higher, or lower.
fn is_better(all: &[CeilingChanges]) -> Option<bool> {
    let mut higher = all.iter().flat_map(|one| &one.changed).map(|(_, percent)| percent.shown().1 > 0.0);
    let first = higher.next()?;
    higher.all(|other| other == first).then_some(first)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
