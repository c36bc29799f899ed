//! The summary of a sweep: a curve for each pattern and volume, how volumes scale together, and what limits them.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::content::Checksum;
use iotrial_model::finding::{Evidence, Finding, FindingId, GeneratorUse};
use iotrial_model::plan::PhaseKind;
use iotrial_model::record::{EndedHow, OpCounts, TargetRecord};
use iotrial_model::setting::SettingReserve;
use iotrial_model::subject::{Facts, Subject};
use iotrial_model::sweep::{LoadPattern, ProbePurpose, ProbeRecord, SweepMethod, SweepRecord};
use serde::Serialize;

use crate::figures::{Counted, Figures, percentile_us};
use crate::findings::stated::altered;
use crate::findings::{findings as found, shared_disks, within_array_cache};
use crate::possible_cause::{Flat, PossibleCause, possible_causes_of_flats};
use crate::saturation::{LoadPoint, Saturation, Sustained, is_saturated};
use crate::settings::Setting;
use crate::threshold::ThresholdSet;
use crate::verdict::{LoadAnswer, Outcome};

mod results;

mod cap;

mod findings;

mod limit;

mod scaling;

mod settings;

pub use iotrial_model::rate_limit::{LimitCause, LimitKind};
pub use limit::Limit;
pub use scaling::{Scaling, ScalingRow};

/// Every figure of a sweep; what `sweep --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepSummary {
    /// How the loads were chosen.
    pub method: SweepMethod,
    /// `complete`, `interrupted` or `failed`.
    pub ended: EndedHow,
    /// Why, unless it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_reason: Option<String>,
    /// All measured phases together.
    pub measured_s: f64,
    /// Where the volumes are, behind the roles that they are called by, in the order in which curves and scaling name them.
    pub volumes: Vec<String>,
    /// In the order in which they were measured.
    pub curves: Vec<Curve>,
    /// Several volumes together, by pattern; empty for one volume.
    pub scaling: Vec<Scaling>,
    /// Settings of databases that follow from its curves, as proposals; empty where nothing follows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// What the reader should know, the most serious first.
    #[serde(serialize_with = "iotrial_words::finding::in_json")]
    pub findings: Vec<Finding>,
    /// Settings of the host that may hold rates at their ceilings; empty where no ceiling was reached, or nobody read the host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possible_causes: Vec<PossibleCause>,
}

/// One pattern on one volume at several loads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The kind of I/O.
    pub pattern: LoadPattern,
    /// Index into [`SweepSummary::volumes`].
    pub volume: usize,
    /// In the order in which they were measured.
    pub probes: Vec<Probe>,
    /// The rate that lasts beyond the knee; `None` where it was not measured.
    pub sustained: Option<Sustained>,
    /// Knee and ceiling; `None` where nothing was measured, and for a series, whose loads do not rise.
    pub saturation: Option<Saturation>,
    /// What holds the rate at its ceiling.
    pub limit: Option<Limit>,
}

/// One load and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Probe {
    /// What it was for.
    pub purpose: ProbePurpose,
    /// Outstanding I/Os on all its volumes together.
    pub outstanding: u32,
    /// How they are split, where a source states it: so many in each copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iodepth: Option<u64>,
    /// How they are split, where a source states it: so many copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numjobs: Option<u64>,
    /// Length of the measured phase.
    pub measured_s: f64,
    /// Relative standard error of the rate by chance: half of the middle 68 % of the latencies, in percent of their mean, by the
    /// square root of the number of I/Os.
    pub iops_standard_error_percent: f64,
    /// Whether its latencies are within the limits of [`JUDGED_BY`], as a run of it would be judged.
    pub outcome: Outcome,
    /// Why they are not, or why that cannot be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Reads and writes together.
    #[serde(flatten)]
    pub figures: Figures,
}

/// The threshold set by which probes are judged.
// A sweep has no profile that could name one, and what is worth being swept is flash today.
pub const JUDGED_BY: &str = "flash";

/// A probe with what is odd about it.
struct SeenProbe<'r> {
    probe: &'r ProbeRecord,
    figures: Probe,
    findings: Vec<Finding>,
}

impl<'r> SeenProbe<'r> {
    fn all(record: &'r SweepRecord) -> Vec<Self> {
        let seen = |probe: &'r ProbeRecord| {
            let subject = Subject::of_probe(record, probe);
            Self { probe, figures: Probe::of(&subject, probe.purpose), findings: found(&subject) }
        };
        record.probes.iter().map(seen).collect()
    }

    /// Where the generator was short of CPU: how much of it it had, and what is said of that.
    fn busy(&self) -> Option<(&GeneratorUse, &Finding)> {
        self.findings.iter().find_map(|finding| match &finding.evidence {
            Evidence::GeneratorBusy(used) => Some((used, finding)),
            _ => None,
        })
    }
}

impl SweepSummary {
    /// Computes every figure once.
    pub fn new(record: &SweepRecord) -> Self {
        let mut curves = curves(record);
        let seen = SeenProbe::all(record);
        limit::name_limits(&seen, &record.targets, &mut curves);
        let scaling = scaling::scaling(record, &seen, &curves);
        let volumes = if record.targets.is_empty() {
            vec![record.settings.engine.as_str().to_owned()]
        } else {
            record.targets.iter().map(TargetRecord::named).collect()
        };
        let mut findings: Vec<Finding> = findings::ended(&record.ended).into_iter().collect();
        findings.extend((record.checksum == Checksum::Differs).then(altered));
        findings.extend(shared_disks(&record.targets));
        let smallest = record.settings.sizes.iter().min().copied();
        let with_cache = smallest.zip(record.settings.array_cache).filter(|_| !record.probes.is_empty());
        findings.extend(with_cache.and_then(|(smallest, cache)| within_array_cache(smallest, cache)));
        findings.extend(findings::of_probes(&seen, &curves));
        if !findings.iter().any(|found| found.id == FindingId::Stalled) {
            findings.extend(findings::stalled_probes(&seen));
        }
        findings.extend(findings::of_curves(&curves, &volumes, true));
        if record.settings.method == SweepMethod::Channel {
            findings.extend(findings::slow_paths(&record.targets, &curves, &volumes));
        }
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let possible_causes = record
            .host_facts
            .as_ref()
            .map(|report| possible_causes_of_flats(report, &flats(&curves)))
            .unwrap_or_default();
        Self {
            method: record.settings.method,
            ended: record.ended.how,
            ended_reason: record.ended.reason.clone(),
            // The sum of no number is -0, which is shown as one.
            measured_s: 0.0 + record.probes.iter().map(|probe| probe.measured.as_secs_f64()).sum::<f64>(),
            settings: settings::settings_of_curves(&curves, volumes.len())
                .into_iter()
                .map(|one| one.with_reserve(reserve_of(record)))
                .collect(),
            volumes,
            curves,
            scaling,
            findings,
            possible_causes,
        }
    }
}

/// The curves that flatten by what nobody set: a cap, the generator's CPU and a ceiling that was not reached need no other cause.
fn flats(curves: &[Curve]) -> Vec<Flat> {
    let is_open = |limit: &Limit| {
        !matches!(
            limit.kind,
            LimitKind::Generator
                | LimitKind::IopsCap
                | LimitKind::BandwidthCap
                | LimitKind::RateCap
                | LimitKind::NotReached
        )
    };
    let flat = |curve: &Curve| {
        let saturation = curve.saturation.as_ref().filter(|found| found.is_reached)?;
        curve.limit.as_ref().filter(|limit| is_open(limit))?;
        let most = curve.probes.iter().map(|probe| probe.outstanding).max()?;
        Some(Flat { volume: curve.volume, knee: saturation.knee.outstanding, most })
    };
    curves.iter().filter_map(flat).collect()
}

impl Probe {
    /// The probe that a result is: one of a sweep, or a result that was measured by itself.
    ///
    /// By how much a rate is off by chance is known where every I/O was counted. Of what a source states it is taken for none:
    /// most sources have no distribution, and points with and without would not weigh alike on one curve.
    pub fn of(subject: &Subject<'_>, purpose: ProbePurpose) -> Self {
        let facts = subject.all_facts();
        let counted = Counted::of(&facts);
        let figures = match &counted {
            Some(counted) => Figures::new(&counted.counts, counted.measured),
            None => Figures::together(&facts),
        };
        let chance_percent = counted.and_then(|counted| standard_error_percent(&counted.counts));
        let outstanding = subject.total_outstanding().and_then(|all| u32::try_from(all).ok());
        let split = match &subject.jobs[..] {
            [only] => only.load.iodepth.zip(only.load.numjobs),
            _ => None,
        };
        let thresholds = ThresholdSet::builtin(JUDGED_BY).expect("a test holds that it is built in");
        let answer = LoadAnswer::of_probe(subject, purpose, &thresholds);
        let why_not = answer.why_not.as_ref();
        Self {
            outcome: answer.outcome,
            why_not: why_not.map(|why_not| iotrial_words::verdict::why_not(why_not, &thresholds.name)),
            purpose,
            iodepth: split.map(|(iodepth, _)| iodepth),
            numjobs: split.map(|(_, numjobs)| numjobs),
            outstanding: outstanding.unwrap_or(u32::MAX),
            measured_s: subject.measured_s().unwrap_or(0.0),
            iops_standard_error_percent: chance_percent.unwrap_or_default(),
            figures,
        }
    }

    fn of_record(sweep: &SweepRecord, probe: &ProbeRecord) -> Self {
        Self::of(&Subject::of_probe(sweep, probe), probe.purpose)
    }

    /// As a point of a curve.
    pub fn point(&self) -> LoadPoint {
        LoadPoint {
            outstanding: self.outstanding,
            iops: self.figures.iops.unwrap_or(0.0),
            mib_per_s: self.figures.bandwidth_mib_per_s.unwrap_or(0.0),
            lat_mean_us: self.figures.lat_mean_us,
            chance: self.iops_standard_error_percent / 100.0,
        }
    }
}

/// Relative standard error of a rate by chance, in percent: half of the middle 68 % of the latencies, in percent of their mean, by
/// the square root of the number of I/Os.
fn standard_error_percent(counts: &OpCounts) -> Option<f64> {
    // The percentiles of a normal distribution one standard deviation below and above its mean. A standard deviation would be
    // that of the few slowest I/Os, which latencies always have.
    let at = |percent: f64| percentile_us(&counts.total_latency, percent);
    let spread = (at(84.13)? - at(15.87)?) / 2.0 / counts.total_latency.mean_us()?;
    Some(100.0 * spread / (counts.io_count().max(1) as f64).sqrt())
}

/// Outstanding I/Os on each volume for the probe of several: those with which a volume alone did most in a probe of a whole
/// step, and of all volumes the most. `None` without such a probe.
///
/// The deepest load of a grid would not do: where too many outstanding I/Os cost throughput, it would show that loss as one of
/// working together.
pub fn load_for_together(record: &SweepRecord, pattern: LoadPattern) -> Option<u32> {
    let is_alone = |probe: &&ProbeRecord| {
        probe.pattern == pattern && probe.volumes.len() == 1 && probe.purpose != ProbePurpose::Search
    };
    let mut best: BTreeMap<usize, (f64, u32)> = BTreeMap::new();
    for probe in record.probes.iter().filter(is_alone) {
        let iops = Figures::together(&facts_of(probe)).iops.unwrap_or(0.0);
        let most = best.entry(probe.volumes[0]).or_insert((iops, probe.outstanding));
        if iops > most.0 {
            *most = (iops, probe.outstanding);
        }
    }
    best.into_values().map(|(_, outstanding)| outstanding).max()
}

/// Why the curves may not be those of a device.
fn reserve_of(record: &SweepRecord) -> Option<SettingReserve> {
    match record.ended.how {
        _ if record.settings.engine.is_simulated() => Some(SettingReserve::Simulated),
        _ if !record.settings.engine.has_device() => Some(SettingReserve::NoDevice),
        EndedHow::Complete => None,
        EndedHow::Interrupted | EndedHow::Failed => Some(SettingReserve::SweepNotFinished),
    }
}

fn total_outstanding(probe: &ProbeRecord) -> u32 {
    probe.outstanding.saturating_mul(u32::try_from(probe.volumes.len()).unwrap_or(u32::MAX))
}

/// All reads and writes of a probe, where the sweep that it belongs to does not matter.
fn facts_of(probe: &ProbeRecord) -> Vec<Facts<'_>> {
    let counts = probe.counts.iter().flat_map(|one| one.read.iter().chain(&one.write));
    counts.map(|counts| Facts::Counted(counts, probe.measured)).collect()
}

/// A short probe in which I/Os took this share of the measured time, and so many times the mean of the others, shows a device that stood still.
const STALLED_SHARE: f64 = 1.0 / 3.0;
const STALLED_TIMES_THE_MEAN: f64 = 10.0;
/// But not an I/O that took less than this: a limiter that hands tokens out ten times a second makes I/Os wait for a tenth of one, and a short
/// probe may last half of one.
const LEAST_STALL: Duration = Duration::from_millis(200);

/// Whether a short probe shows a standstill of the device rather than what it does under the load: nothing came back, or something took out of
/// all proportion.
///
/// Such a probe is no point of a curve. A search leaves it out and measures the load again.
pub fn stood_still(probe: &ProbeRecord) -> bool {
    if probe.purpose != ProbePurpose::Search {
        return false;
    }
    let counts = || probe.counts.iter().flat_map(|one| one.read.iter().chain(&one.write));
    let io_count: u64 = counts().map(OpCounts::io_count).sum();
    let unfinished: u64 = counts().map(|one| one.unfinished_count).sum();
    if io_count == 0 {
        // Nothing came back. Where nothing was under way either, there was no load.
        return unfinished > 0 && counts().all(|one| one.error_count == 0);
    }
    let sum_us: f64 =
        counts().filter_map(|one| Some(one.io_count() as f64 * one.total_latency.mean_us()?)).sum();
    let longest = counts().filter_map(|one| one.total_latency.max()).max().unwrap_or_default();
    let oldest = counts().map(|one| one.unfinished_oldest_ns).max().unwrap_or_default();
    let longest = longest.max(Duration::from_nanos(oldest));
    // Of the others: the few that stood still may be most of the sum where I/Os are few.
    let outstanding = f64::from(total_outstanding(probe));
    let others_us = (sum_us - outstanding * longest.as_secs_f64() * 1e6).max(0.0) / io_count as f64;
    longest >= LEAST_STALL
        && longest.as_secs_f64() >= STALLED_SHARE * probe.measured.as_secs_f64()
        && longest.as_secs_f64() * 1e6 >= STALLED_TIMES_THE_MEAN * others_us
}

/// The rate that lasts, of a long probe.
pub(crate) fn sustained(probe: &ProbeRecord) -> Option<Sustained> {
    // What the end of a phase or a stop cut short is left out: a few I/Os in a short time make any rate.
    let whole = |duration: Duration| duration.as_secs_f64() >= 0.9;
    let seconds = || probe.course.iter().filter(|second| whole(second.duration));
    let rates: Vec<f64> =
        seconds().map(|second| second.io_count as f64 / second.duration.as_secs_f64()).collect();
    let ramp = seconds().filter(|second| second.phase != PhaseKind::Measure).count();
    let whole_course = Sustained::of_course(&rates, ramp);
    // What a probe did while it waited for its steady rounds is no rate that lasts. That it was faster then is told all the same.
    let has_waited = probe.course.iter().any(|second| second.phase == PhaseKind::Precondition);
    let of_rounds = || {
        let burst = whole_course.and_then(|rate| rate.burst);
        Some(Sustained { burst, ..Sustained::of_course(&rates[ramp..], 0)? })
    };
    let lasting = if has_waited { of_rounds() } else { whole_course };
    lasting.or_else(|| {
        // Shorter than a second: the mean is all there is.
        let iops = Figures::together(&facts_of(probe)).iops.unwrap_or(0.0);
        (iops > 0.0).then_some(Sustained {
            iops,
            iops_standard_error: None,
            burst: None,
            drift: None,
            stalled_s: 0,
        })
    })
}

fn curves(record: &SweepRecord) -> Vec<Curve> {
    let is_series = record.settings.method == SweepMethod::Sqlio;
    // A series may have a pattern twice, and its tests are no curve.
    let key_of = |probe: &ProbeRecord| {
        (probe.pattern, probe.volumes[0], if is_series { probe.outstanding } else { 0 })
    };
    let alone = || record.probes.iter().filter(|probe| probe.purpose != ProbePurpose::Together);
    let mut order: Vec<(LoadPattern, usize, u32)> = Vec::new();
    for probe in alone() {
        if !order.contains(&key_of(probe)) {
            order.push(key_of(probe));
        }
    }
    let curve = |key: (LoadPattern, usize, u32)| {
        let (pattern, volume, _) = key;
        let mine = || alone().filter(|probe| key_of(probe) == key);
        let probes: Vec<Probe> = mine().map(|probe| Probe::of_record(record, probe)).collect();
        let short = |(probe, one): &(&ProbeRecord, &Probe)| {
            one.purpose != ProbePurpose::Sustained && !stood_still(probe)
        };
        let mut points: Vec<LoadPoint> =
            mine().zip(&probes).filter(short).map(|(_, one)| one.point()).collect();
        let long = mine().rfind(|probe| probe.purpose == ProbePurpose::Sustained);
        let sustained = long.and_then(sustained).map(|rate| rate.with_burst_of(&points));
        if let (Some(long), Some(rate)) = (long, sustained) {
            let measured = Probe::of_record(record, long).point();
            let share = rate.iops / measured.iops;
            points.push(LoadPoint {
                iops: rate.iops,
                mib_per_s: measured.mib_per_s * share,
                // Of a burst and what follows the mean latency says nothing, nor with a standstill in it.
                lat_mean_us: measured.lat_mean_us.filter(|_| rate.burst.is_none() && rate.stalled_s == 0),
                ..measured
            });
        }
        // Where a long measurement showed no ceiling, it is a point like others.
        let drifts = sustained.is_some_and(|rate| rate.drift.is_some());
        let ceiling = sustained.filter(|rate| !drifts && (rate.burst.is_some() || is_saturated(&points)));
        let saturation = if is_series { None } else { Saturation::of(&points, ceiling) };
        let saturation = if drifts { saturation.map(Saturation::without_end) } else { saturation };
        Curve { pattern, volume, probes, sustained, saturation, limit: None }
    };
    order.into_iter().map(curve).collect()
}

#[cfg(test)]
mod hand_made;

#[cfg(test)]
#[path = "sweep/tests.rs"]
pub(crate) mod tests;
