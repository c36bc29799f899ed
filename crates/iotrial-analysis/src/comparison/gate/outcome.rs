//! What becomes of a gate: passed, failed, or undecided and why.

use std::collections::BTreeSet;

use iotrial_model::bound::Amount;
use iotrial_model::figure::{Figure, SweepFigure};
use iotrial_model::finding::ENOUGH_REPEATS;
use iotrial_model::gate::{GateFigure, GateUnit, Undecided};
use iotrial_model::load::Role;
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::metric::{APPLICATION, Metric, MetricKey, nearest_metric};
use iotrial_model::stream::{Stream, StreamOf};
use iotrial_model::words::in_brief;
use serde::{Serialize, Serializer};

use super::{Gate, Limit};
use crate::comparison::conditions::check_conditions;
use crate::comparison::configuration::{Configuration, groups};
use crate::comparison::delta::{BoundedDelta, Delta, Interval, Pair, Reading};
use crate::comparison::error::CompareError;
use crate::comparison::sample::{Outcome, Sample};

/// What became of a gate, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GateResult {
    /// It holds.
    Kept,
    /// What was measured does not tell whether it holds.
    Undecided,
    /// It does not hold.
    Missed,
}

impl GateResult {
    /// The word for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "passed",
            Self::Undecided => "undecided",
            Self::Missed => "failed",
        }
    }

    /// The word in JSON and JUnit.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Undecided => "undecided",
            Self::Missed => "missed",
        }
    }
}

/// The outcome of a gate for one configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateOutcome {
    /// The gate as text, without the spaces that the user typed.
    pub gate: String,
    /// Key of the configuration.
    pub configuration: String,
    /// What it is called.
    pub label: String,
    /// Which metric is meant.
    pub metric: Metric,
    /// What became of it.
    pub outcome: GateResult,
    /// Why it is undecided; `None` of the others.
    pub reason: Option<String>,
    /// The same as a fact.
    #[serde(skip)]
    pub undecided: Option<Undecided>,
    /// The change against the baseline; `None` for a gate on a value, and where one of the two has no such metric.
    pub percent: Option<f64>,
    /// Where the change lies with confidence.
    pub interval: Option<Interval>,
    /// The figure, in the unit of its metric; `None` for a gate on a change, and where it is not known.
    pub value: Option<f64>,
    /// Where the figure lies with confidence.
    #[serde(serialize_with = "as_ends")]
    pub value_interval: Option<(f64, f64)>,
    /// Whether the device was simulated: the gate is held against what was simulated, and says nothing about storage.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
}

fn as_ends<S: Serializer>(interval: &Option<(f64, f64)>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Ends {
        low: f64,
        // No number where there is no upper end: JSON has none for infinity.
        high: Option<f64>,
    }
    interval
        .map(|(low, high)| Ends { low, high: Some(high).filter(|high| high.is_finite()) })
        .serialize(serializer)
}

impl GateOutcome {
    /// What was measured.
    pub fn figure(&self) -> GateFigure {
        let ends = |one: Interval| (one.low_percent, one.high_percent);
        match (self.percent, self.value) {
            (Some(percent), _) => GateFigure::Change(percent, self.interval.map(ends)),
            (None, Some(value)) => match self.value_interval {
                Some((low, high)) if high.is_infinite() => GateFigure::AtLeast(low),
                interval => GateFigure::Value(value, interval),
            },
            (None, None) => match (self.interval.map(ends), self.value_interval) {
                (Some((low, high)), _) => GateFigure::ChangeBetween(low, high),
                (None, Some((low, high))) if high.is_infinite() => GateFigure::AtLeast(low),
                (None, Some((low, high))) if low <= 0.0 => GateFigure::AtMost(high),
                (None, Some((low, high))) => GateFigure::ValueBetween(low, high),
                (None, None) => GateFigure::NotMeasured,
            },
        }
    }

    /// The unit of that, where it is no change.
    pub fn unit(&self) -> GateUnit {
        GateUnit::of(&self.metric.key)
    }
}

/// A figure of a curve of a sweep, as a gate needs it.
pub(in crate::comparison) struct CurveFigure<'c> {
    /// Key and label of the sweep.
    pub(in crate::comparison) key: &'c str,
    pub(in crate::comparison) label: &'c str,
    /// With the pattern as its load.
    pub(in crate::comparison) metric: Metric,
    pub(in crate::comparison) value: Option<f64>,
    /// Where it lies; the upper end is infinite of a lower bound.
    pub(in crate::comparison) ends: Option<(f64, f64)>,
    pub(in crate::comparison) delta: Option<&'c Delta>,
    pub(in crate::comparison) bounded: Option<&'c BoundedDelta>,
    pub(in crate::comparison) doubt: Option<Undecided>,
    /// Of the sweep, or of the one that it is compared with.
    pub(in crate::comparison) is_simulated: bool,
}

/// The outcome of a gate without names, and why it is undecided.
type Held = (GateResult, Option<Undecided>);

/// What is known of the figure, or of the change, that a gate is about.
enum Known {
    /// It lies between these ends; and why the gate is undecided where it holds at one of them only.
    Between(f64, f64, Undecided),
    /// Nothing that decides a gate.
    Not(Undecided),
}

impl Known {
    const fn exactly(value: f64) -> Self {
        Self::Between(value, value, Undecided::IncludesLimit)
    }

    /// Of a bound: every change that it leaves.
    fn of_bound(one: &BoundedDelta) -> Self {
        let (least, most) = (one.least_percent, one.most_percent);
        Self::Between(least.unwrap_or(f64::NEG_INFINITY), most.unwrap_or(f64::INFINITY), Undecided::OnlyBound)
    }

    /// Of a change between two configurations, of which the one with fewer runs has `run_count`.
    fn of_change(delta: &Delta, run_count: usize) -> Self {
        match delta.interval {
            Some(one) => Self::Between(one.low_percent, one.high_percent, Undecided::IncludesLimit),
            None if matches!(delta.metric.key, MetricKey::Sweep(_)) => Self::Not(Undecided::FewLoads),
            None if delta.reading.is_unknown() => Self::Not(unknown(delta, run_count)),
            // Stated figures without any spread; a change below which they are the same is none.
            None if delta.reading == Reading::NoDifference => {
                Self::Between(0.0, delta.percent, Undecided::BelowTolerance)
            }
            None => Self::exactly(delta.percent),
        }
    }
}

impl Gate {
    /// Whether it is about a change, which needs a baseline.
    pub const fn is_of_change(&self) -> bool {
        matches!(self.limit, Limit::Change { .. })
    }

    /// The metrics that are meant: one, or the same one under several loads. What was planned and is not known, because too little was
    /// measured for it, is meant as well.
    ///
    /// # Errors
    ///
    /// No configuration has anything of the kind.
    fn meant(&self, configurations: &[&Configuration]) -> Result<Vec<Metric>, CompareError> {
        let mut metrics: Vec<&Metric> = Vec::new();
        let of_figures = configurations.iter().flat_map(|one| one.figures.iter().map(|(metric, _)| metric));
        let of_bounds = configurations.iter().flat_map(|one| one.bounds.iter().map(|(metric, _)| metric));
        for metric in of_figures.chain(of_bounds) {
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
        let of_key = |key: &MetricKey| -> Vec<Metric> {
            metrics.iter().filter(|metric| metric.key == *key).map(|metric| (*metric).clone()).collect()
        };
        // Where a load has one role, everything is of that role.
        let without_role = match &self.metric {
            MetricKey::OfRole(role, stream, figure) => configurations
                .iter()
                .all(|one| one.only_role == Some(*role))
                .then_some(MetricKey::Figure(*stream, *figure)),
            _ => None,
        };
        let key = without_role.as_ref().unwrap_or(&self.metric);
        let meant = of_key(key);
        if !meant.is_empty() {
            return Ok(meant);
        }
        let is_planned = match key {
            MetricKey::Capacity => configurations.iter().any(|one| one.has_searched),
            // Counted wherever the clock is real.
            MetricKey::Cpu(_) => configurations.iter().any(|one| !one.is_printed),
            // A command that should have printed it may have failed, and the run is worth showing all the same.
            MetricKey::Named { place, .. } if place == APPLICATION => {
                configurations.iter().any(|one| !one.is_printed)
            }
            key => key.figure().is_some_and(|(of, _)| configurations.iter().any(|one| one.has_stream(of))),
        };
        if is_planned {
            return Ok(vec![key.clone().into()]);
        }
        let metrics: Vec<Metric> = metrics.into_iter().cloned().collect();
        Err(unknown_metric(&self.name, &self.metric, &metrics))
    }

    /// Held against the change from the baseline.
    pub(in crate::comparison) fn hold_change(
        &self,
        baseline: &Configuration,
        other: &Configuration,
        pair: &Pair,
    ) -> Result<Vec<GateOutcome>, CompareError> {
        let Limit::Change { percent: limit } = self.limit else { return Ok(Vec::new()) };
        let held = |metric: Metric| {
            let (delta, bounded) = (pair.delta(&metric), pair.bounded_delta(&metric));
            let known = match (delta, open_change(&metric, baseline, other)) {
                // Of a bound the change is one-sided: it may be any more, or any less.
                (Some(_), Some((low, high))) => Known::Between(low, high, Undecided::OnlyBound),
                (Some(delta), None) => Known::of_change(delta, baseline.run_count().min(other.run_count())),
                (None, _) => bounded
                    .map_or_else(|| Known::Not(not_known(&metric, &[baseline, other])), Known::of_bound),
            };
            let held = self.decide(limit, doubt(baseline).or_else(|| doubt(other)), known);
            let bounded = bounded.and_then(|one| {
                Some(Interval { low_percent: one.least_percent?, high_percent: one.most_percent? })
            });
            GateOutcome {
                percent: delta.map(|delta| delta.percent),
                interval: delta.and_then(|delta| delta.interval).or(bounded),
                value: None,
                value_interval: None,
                ..self.outcome(other, metric, held)
            }
        };
        Ok(self.meant(&[baseline, other])?.into_iter().map(held).collect())
    }

    /// Held against the figures of one configuration.
    /// `all` are those beside it: what none of them has is a mistake in the gate.
    pub(in crate::comparison) fn hold_value(
        &self,
        one: &Configuration,
        all: &[&Configuration],
    ) -> Result<Vec<GateOutcome>, CompareError> {
        let Limit::Value { value: limit, .. } = self.limit else { return Ok(Vec::new()) };
        let held = |metric: Metric| {
            let value = one.figure(&metric);
            let ends = one.where_it_lies(&metric);
            let known = match value {
                None => match one.amount(&metric).map(Amount::reachable) {
                    Some((low, high)) => Known::Between(low, high, Undecided::OnlyBound),
                    None => Known::Not(not_known(&metric, &[one])),
                },
                Some(_) if is_too_few(&metric, one) => Known::Not(not_known(&metric, &[one])),
                // A single run that is too short for an interval, or a stated figure: it is what there is.
                Some(value) => ends.map_or(Known::exactly(value), |(low, high)| {
                    let run_count = one.run_count();
                    let is_few = (2..ENOUGH_REPEATS).contains(&run_count);
                    let few = Undecided::FewIncludeLimit { run_count };
                    Known::Between(low, high, if is_few { few } else { Undecided::IncludesLimit })
                }),
            };
            let held = self.decide(limit, doubt(one), known);
            // Of a bound its ends are what is known.
            let value_interval =
                ends.or_else(|| one.amount(&metric).map(Amount::range).filter(|_| value.is_none()));
            GateOutcome { value, value_interval, ..self.outcome(one, metric, held) }
        };
        Ok(self.meant(all)?.into_iter().map(held).collect())
    }

    /// The pattern of a sweep that is meant alone, and the figure; `None` of a gate on anything else.
    pub(in crate::comparison) const fn of_sweep(&self) -> Option<(Option<LoadPattern>, SweepFigure)> {
        match self.metric {
            MetricKey::Sweep(figure) => Some((self.pattern, figure)),
            _ => None,
        }
    }

    /// Held against a figure of a curve of a sweep. `delta` and `bounded` are its change from the baseline, `ends` where it lies itself;
    /// `doubt` says why it may not be that of the device.
    pub(in crate::comparison) fn hold_curve(&self, of: CurveFigure<'_>) -> GateOutcome {
        let CurveFigure { key, label, metric, value, ends, delta, bounded, doubt, is_simulated } = of;
        let missing = || Known::Not(Undecided::NotInCurve);
        let (limit, known) = match &self.limit {
            Limit::Change { percent } => {
                let of_bound = || bounded.map_or_else(missing, Known::of_bound);
                (*percent, delta.map_or_else(of_bound, |delta| Known::of_change(delta, 1)))
            }
            Limit::Value { value: limit, .. } => {
                let between = |value: f64| match ends {
                    Some((low, high)) if high.is_infinite() => {
                        Known::Between(low, high, Undecided::OnlyBound)
                    }
                    Some((low, high)) => Known::Between(low, high, Undecided::IncludesLimit),
                    None => Known::exactly(value),
                };
                (*limit, value.map_or_else(missing, between))
            }
        };
        let held = self.decide(limit, doubt, known);
        let is_change = self.is_of_change();
        GateOutcome {
            percent: delta.filter(|_| is_change).map(|delta| delta.percent),
            interval: delta.filter(|_| is_change).and_then(|delta| delta.interval),
            value: value.filter(|_| !is_change),
            value_interval: ends.filter(|_| !is_change),
            ..self.outcome_of((key, label), is_simulated, metric, held)
        }
    }

    /// Decided where both ends say the same, and so all between them: a relation has one limit.
    fn decide(&self, limit: f64, doubt: Option<Undecided>, known: Known) -> Held {
        let holds = |value: f64| self.relation.holds(value, limit);
        match (doubt, known) {
            (Some(why), _) | (None, Known::Not(why)) => (GateResult::Undecided, Some(why)),
            (None, Known::Between(low, high, why)) if holds(low) != holds(high) => {
                (GateResult::Undecided, Some(why))
            }
            (None, Known::Between(low, ..)) => {
                (if holds(low) { GateResult::Kept } else { GateResult::Missed }, None)
            }
        }
    }

    fn outcome(&self, one: &Configuration, metric: Metric, held: Held) -> GateOutcome {
        self.outcome_of((&one.key, &one.label), one.circumstances.is_simulated, metric, held)
    }

    fn outcome_of(
        &self,
        (key, label): (&str, &str),
        simulated: bool,
        metric: Metric,
        (outcome, undecided): Held,
    ) -> GateOutcome {
        GateOutcome {
            gate: self.to_string(),
            configuration: key.to_owned(),
            label: label.to_owned(),
            metric,
            outcome,
            reason: undecided.as_ref().map(iotrial_words::gate::undecided),
            undecided,
            percent: None,
            interval: None,
            value: None,
            value_interval: None,
            simulated,
        }
    }

    /// Whether a load with these streams has what it is about: better known before a run than after it. `searches` says whether it
    /// searches for a rate, `application` which metrics of an application it brings.
    ///
    /// # Errors
    ///
    /// The load has nothing of the kind.
    pub fn check_streams(
        &self,
        streams: &[StreamOf],
        searches: bool,
        application: &[&str],
    ) -> Result<(), CompareError> {
        let is_there = match &self.metric {
            MetricKey::Capacity => searches,
            MetricKey::Cpu(_) => true,
            MetricKey::Sweep(_) => false,
            MetricKey::Named { place, name } => place == APPLICATION && application.contains(&name.as_str()),
            key => key
                .figure()
                .is_some_and(|(of, figure)| streams.contains(&of) && Figure::COMPARED.contains(&figure)),
        };
        if is_there {
            return Ok(());
        }
        let all =
            |of: &StreamOf| Figure::COMPARED.map(|figure| Metric::from(MetricKey::of_stream(*of, figure)));
        let mut metrics: Vec<Metric> = streams.iter().flat_map(all).collect();
        metrics.extend(searches.then(|| MetricKey::Capacity.into()));
        let named =
            |name: &&str| MetricKey::Named { place: APPLICATION.to_owned(), name: (*name).to_owned() };
        metrics.extend(application.iter().map(named).map(Metric::from));
        Err(unknown_metric(&self.name, &self.metric, &metrics))
    }
}

/// The nearest names, not all: a load of three roles has sixty.
fn unknown_metric(name: &str, key: &MetricKey, metrics: &[Metric]) -> CompareError {
    let place = key.place();
    let figure = key.figure().map(|(_, figure)| figure);
    let is_near = |metric: &&Metric| {
        let same_figure = figure.is_some() && metric.key.figure().map(|(_, figure)| figure) == figure;
        same_figure || metric.key.place() == place || place.starts_with(&format!("{}.", metric.key.place()))
    };
    let words = |metrics: &mut dyn Iterator<Item = &Metric>| -> Vec<String> {
        let mut words: Vec<String> = metrics.map(|metric| metric.key.words()).collect();
        words.dedup();
        words
    };
    let mut near = words(&mut metrics.iter().filter(is_near));
    if near.is_empty() {
        near = words(&mut metrics.iter());
    }
    let of_role = |metric: &Metric| metric.key.figure().and_then(|(of, _)| of.role);
    let roles: BTreeSet<Role> = metrics.iter().filter_map(of_role).collect();
    let first = name.split('.').next().unwrap_or_default();
    let is_known = Stream::from_metric_word(first).is_some()
        || [APPLICATION, "cpu"].contains(&first)
        || !name.contains('.')
        || roles.iter().any(|role| role.as_str() == first);
    CompareError::UnknownMetric {
        name: name.to_owned(),
        roles: if is_known { Vec::new() } else { roles.into_iter().collect() },
        near: in_brief(&near, 12, 10),
        nearest: nearest_metric(name, metrics),
    }
}

/// Between which ends a capacity may have changed, in percent, where of one side only a bound is known; `None` of anything else.
fn open_change(metric: &Metric, baseline: &Configuration, other: &Configuration) -> Option<(f64, f64)> {
    let (a, b) = (baseline.capacity.as_ref()?, other.capacity.as_ref()?);
    let is_open = metric.key == MetricKey::Capacity && (a.high_iops.is_none() || b.high_iops.is_none());
    let percent = |from: f64, to: f64| 100.0 * (to / from - 1.0);
    let low = a.high_iops.map_or(-100.0, |a_high| percent(a_high, b.low_iops));
    let high = b.high_iops.map_or(f64::INFINITY, |b_high| percent(a.low_iops, b_high));
    is_open.then_some((low, high))
}

/// Why nothing of a configuration decides a gate.
fn doubt(one: &Configuration) -> Option<Undecided> {
    if one.is_contradictory() {
        return Some(Undecided::Contradictory(one.title()));
    }
    if let Some(spoilt) = one.spoilt {
        return Some(Undecided::Spoilt(spoilt, one.title()));
    }
    // Every simulation is inconclusive about storage, and that is said elsewhere.
    let is_inconclusive =
        !one.circumstances.is_simulated && one.outcomes.iter().any(Outcome::is_inconclusive);
    is_inconclusive.then(|| Undecided::Inconclusive(one.title()))
}

/// Why a change without an interval decides nothing.
fn unknown(delta: &Delta, run_count: usize) -> Undecided {
    match delta.reading {
        Reading::TooFewRepeats if delta.is_of_longest() => Undecided::FewForLongest { run_count },
        Reading::TooFewRepeats => Undecided::TooWide { run_count },
        Reading::TooFew => Undecided::TooBrief,
        Reading::NoInterval => Undecided::SingleRuns,
        Reading::OtherRate => Undecided::OtherRates,
        Reading::Undecided
        | Reading::Amount
        | Reading::MuchBetter
        | Reading::Better
        | Reading::NoDifference
        | Reading::Worse
        | Reading::MuchWorse => Undecided::OnlyBound,
    }
}

/// Why a figure is not known, or known of too few I/Os.
fn not_known(metric: &Metric, of: &[&Configuration]) -> Undecided {
    match &metric.key {
        MetricKey::Capacity => return Undecided::NoSearch,
        MetricKey::Named { .. } => return Undecided::NoRunHas(metric.key.clone()),
        _ => {}
    }
    let Some((stream, figure)) = metric.key.figure() else { return Undecided::Missing };
    if !Figure::COMPARED.contains(&figure) {
        return Undecided::NotCompared;
    }
    let least = of.iter().filter_map(|one| one.io_count(stream)).min();
    match least.filter(|count| *count < figure.least_io_count()) {
        Some(io_count) => Undecided::FewIos { io_count, figure },
        None => Undecided::Missing,
    }
}

/// Whether a figure that is compared is of too few I/Os to decide anything by itself.
fn is_too_few(metric: &Metric, one: &Configuration) -> bool {
    let Some((of, figure)) = metric.key.figure() else { return false };
    one.io_count(of).is_some_and(|count| count < figure.least_io_count())
}

/// Gates on values held against results that are compared with nothing; those of one configuration count together.
///
/// # Errors
///
/// When a gate is about a change, or about something that no result has, and when runs with one label are not of one load.
pub fn hold_gates(samples: Vec<Sample>, gates: &[Gate]) -> Result<Vec<GateOutcome>, CompareError> {
    if let Some(gate) = gates.iter().find(|gate| gate.is_of_change()) {
        return Err(CompareError::NoBaseline { gate: gate.to_string() });
    }
    for group in groups(samples.clone()) {
        check_conditions(group.iter().map(Sample::taken), false, &mut Vec::new())?;
    }
    let configurations = Configuration::all(samples)?;
    let mut outcomes = Vec::new();
    for gate in gates {
        for one in &configurations {
            outcomes.extend(gate.hold_value(one, &configurations.iter().collect::<Vec<_>>())?);
        }
    }
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a gate on a curve, and why it is undecided.
    fn held(gate: &str, of: CurveFigure<'_>) -> (GateResult, Option<Undecided>) {
        let outcome = gate.parse::<Gate>().unwrap().hold_curve(of);
        (outcome.outcome, outcome.undecided)
    }

    fn figure<'c>(value: Option<f64>, ends: Option<(f64, f64)>) -> CurveFigure<'c> {
        CurveFigure {
            key: "a",
            label: "a",
            metric: MetricKey::Sweep(SweepFigure::Ceiling).into(),
            value,
            ends,
            delta: None,
            bounded: None,
            doubt: None,
            is_simulated: false,
        }
    }

    const KEPT: (GateResult, Option<Undecided>) = (GateResult::Kept, None);
    const MISSED: (GateResult, Option<Undecided>) = (GateResult::Missed, None);

    fn undecided(why: Undecided) -> (GateResult, Option<Undecided>) {
        (GateResult::Undecided, Some(why))
    }

    #[test]
    fn a_value_of_a_curve_is_decided_where_all_that_it_may_be_says_the_same() {
        let of = |value, ends| held("ceiling >= 1000iops", figure(value, ends));
        assert_eq!((of(Some(1_000.0), None), of(Some(999.0), None)), (KEPT, MISSED));
        assert_eq!(of(Some(1_200.0), Some((1_001.0, 1_400.0))), KEPT);
        assert_eq!(of(Some(800.0), Some((600.0, 999.0))), MISSED);
        assert_eq!(of(Some(1_200.0), Some((900.0, 1_400.0))), undecided(Undecided::IncludesLimit));
        assert_eq!(of(Some(900.0), Some((900.0, f64::INFINITY))), undecided(Undecided::OnlyBound));
        assert_eq!(of(None, None), undecided(Undecided::NotInCurve));
        let doubted = CurveFigure { doubt: Some(Undecided::FewLoads), ..figure(Some(2_000.0), None) };
        assert_eq!(held("ceiling >= 1000iops", doubted), undecided(Undecided::FewLoads));
    }

    #[test]
    fn a_change_of_a_curve_is_decided_by_its_interval_or_by_its_bounds() {
        let metric = || Metric::from(MetricKey::Sweep(SweepFigure::Ceiling));
        let delta = |ends: Option<(f64, f64)>| Delta {
            metric: metric(),
            from: 1_000.0,
            to: 950.0,
            percent: -5.0,
            interval: ends.map(|(low_percent, high_percent)| Interval { low_percent, high_percent }),
            reading: Reading::Worse,
        };
        let by_interval = |ends| {
            let delta = delta(ends);
            held("ceiling >= -10%", CurveFigure { delta: Some(&delta), ..figure(Some(950.0), None) })
        };
        assert_eq!((by_interval(Some((-9.0, -1.0))), by_interval(Some((-20.0, -11.0)))), (KEPT, MISSED));
        assert_eq!(by_interval(Some((-11.0, -9.0))), undecided(Undecided::IncludesLimit));
        assert_eq!(by_interval(None), undecided(Undecided::FewLoads));
        let by_bound = |least_percent, most_percent| {
            let bounded = BoundedDelta {
                metric: metric(),
                from: Amount::Exact(1_000.0),
                to: Amount::Exact(950.0),
                least_percent,
                most_percent,
                reading: Reading::Undecided,
            };
            held("ceiling >= -10%", CurveFigure { bounded: Some(&bounded), ..figure(None, None) })
        };
        assert_eq!((by_bound(Some(-5.0), None), by_bound(None, Some(-11.0))), (KEPT, MISSED));
        assert_eq!(by_bound(None, Some(-9.0)), undecided(Undecided::OnlyBound));
        assert_eq!(by_bound(Some(-11.0), None), undecided(Undecided::OnlyBound));
        assert_eq!(held("ceiling >= -10%", figure(Some(950.0), None)), undecided(Undecided::NotInCurve));
    }

    #[test]
    fn an_outcome_of_a_curve_has_the_figures_that_its_gate_is_about() {
        let interval = Interval { low_percent: -9.0, high_percent: -1.0 };
        let delta = Delta {
            metric: MetricKey::Sweep(SweepFigure::Ceiling).into(),
            from: 1_000.0,
            to: 950.0,
            percent: -5.0,
            interval: Some(interval),
            reading: Reading::Worse,
        };
        let of = |gate: &str| {
            let of = CurveFigure { delta: Some(&delta), ..figure(Some(950.0), Some((900.0, 990.0))) };
            let outcome = gate.parse::<Gate>().unwrap().hold_curve(of);
            (outcome.percent, outcome.interval, outcome.value, outcome.value_interval)
        };
        assert_eq!(of("ceiling >= -10%"), (Some(-5.0), Some(interval), None, None));
        assert_eq!(of("ceiling >= 100iops"), (None, None, Some(950.0), Some((900.0, 990.0))));
    }

    #[test]
    fn a_change_without_an_interval_says_why_it_has_none() {
        let of = |figure: Figure, reading: Reading| {
            let delta = Delta {
                metric: MetricKey::Figure(Stream::Read, figure).into(),
                from: 1.0,
                to: 2.0,
                percent: 100.0,
                interval: None,
                reading,
            };
            unknown(&delta, 3)
        };
        let (p99, longest) = (Figure::LatencyP99, Figure::LatencyMax);
        assert_eq!(of(p99, Reading::TooFewRepeats), Undecided::TooWide { run_count: 3 });
        assert_eq!(of(longest, Reading::TooFewRepeats), Undecided::FewForLongest { run_count: 3 });
        assert_eq!(of(longest, Reading::TooFew), Undecided::TooBrief);
        assert_eq!(of(p99, Reading::NoInterval), Undecided::SingleRuns);
        assert_eq!(of(p99, Reading::OtherRate), Undecided::OtherRates);
        assert_eq!(of(p99, Reading::Amount), Undecided::OnlyBound);
    }

    #[test]
    fn a_load_has_what_its_streams_have_and_what_it_was_asked_for() {
        let streams =
            [StreamOf::all(Stream::Read), StreamOf { role: Some(Role::Log), stream: Stream::Commit }];
        let has = |gate: &str, searches: bool, application: &[&str]| {
            gate.parse::<Gate>().unwrap().check_streams(&streams, searches, application).is_ok()
        };
        assert!(has("read.p99 < 2ms", false, &[]) && has("log.commit.mean < 2ms", false, &[]));
        assert!(!has("write.p99 < 2ms", false, &[]) && !has("data.read.mean < 2ms", false, &[]));
        assert!(!has("read.p90 < 2ms", false, &[]), "it is compared with nothing");
        assert!(has("capacity > 5iops", true, &[]) && !has("capacity > 5iops", false, &[]));
        assert!(has("cpu.usr_percent < +5%", false, &[]) && !has("ceiling > 5iops", true, &[]));
        assert!(has("other.tps > 5", false, &["tps"]) && !has("other.tps > 5", false, &["x"]));
        let missing = |gate: &str| match gate.parse::<Gate>().unwrap().check_streams(&streams, true, &["tps"])
        {
            Err(CompareError::UnknownMetric { name, roles, nearest, .. }) => (name, roles, nearest),
            other => panic!("{gate}: {other:?}"),
        };
        let (name, roles, nearest) = missing("other.tp > 5");
        assert_eq!((name.as_str(), roles.len(), nearest.as_deref()), ("other.tp", 0, Some("other.tps")));
        // A place that is none is told with the roles that there are.
        assert_eq!(missing("tempdb.commit.mean < 2ms").1, [Role::Log]);
        assert_eq!(missing("log.commit.p90 < 2ms").1, []);
        let near = |gate: &str, application: &[&str]| match gate.parse::<Gate>().unwrap().check_streams(
            &streams,
            false,
            application,
        ) {
            Err(CompareError::UnknownMetric { near, .. }) => {
                ["read.p99", "read.mean", "log.commit.p99", "log.commit.mean", "other.tps"]
                    .map(|name| near.contains(name))
            }
            other => panic!("{gate}: {other:?}"),
        };
        // The same figure of other streams, and other figures of the same stream.
        assert_eq!(near("write.p99 < 2ms", &["tps"]), [true, false, true, false, false]);
        assert_eq!(near("log.commit.p90 < 2ms", &["tps"]), [false, false, true, true, false]);
        assert_eq!(near("other.x > 2", &["tps"]), [false, false, false, false, true]);
        // The first ten of all.
        assert_eq!(near("capacity > 2iops", &[]), [true, true, false, true, false]);
    }
}
