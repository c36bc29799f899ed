//! What the reader should know about configurations that are compared: what their runs say against themselves, what their intervals rest on,
//! and figures that contradict each other.

use iotrial_model::figure::Figure;
use iotrial_model::finding::{
    Caveat, ComparedFact, ENOUGH_REPEATS, Finding, FindingId, KnownSpread, MetricRange, RunsOfConfiguration,
    Severity,
};
use iotrial_model::metric::{Metric, MetricKey};

use super::configuration::Configuration;
use super::sample::RunCaveat;

/// Whether two runs say the same of themselves, if not with the same numbers.
fn is_alike(one: &Caveat, other: &Caveat) -> bool {
    match (one, other) {
        (Caveat::Finding(one), Caveat::Finding(other)) => one.id == other.id,
        _ => one == other,
    }
}

/// What the runs say of themselves: what many say is said once, with the names of those that say it.
fn findings_of_runs(configurations: &[Configuration]) -> Vec<Finding> {
    struct Said<'c> {
        severity: Severity,
        first: &'c RunCaveat,
        /// Whether all say it with the same numbers.
        is_alike: bool,
        runs: Vec<RunsOfConfiguration>,
    }
    let mut all: Vec<Said<'_>> = Vec::new();
    for one in configurations {
        let severity = if one.is_printed { Severity::Note } else { Severity::Warning };
        for said in &one.caveats {
            let is_same =
                |known: &Said<'_>| known.severity == severity && is_alike(&known.first.caveat, &said.caveat);
            let at = all.iter().position(is_same).unwrap_or_else(|| {
                all.push(Said { severity, first: said, is_alike: true, runs: Vec::new() });
                all.len() - 1
            });
            let known = &mut all[at];
            known.is_alike &= known.first.caveat.is_like(&said.caveat);
            let run = said.run.unwrap_or(1);
            match known.runs.last_mut().filter(|last| last.configuration == one.key) {
                Some(last) => last.runs.push(run),
                None => known.runs.push(RunsOfConfiguration {
                    configuration: one.key.clone(),
                    runs: vec![run],
                    run_count: one.run_count(),
                }),
            }
        }
    }
    let of_runs = |Said { severity, first, is_alike, runs }: Said<'_>| {
        let (caveat, run) = (first.caveat.clone(), first.run);
        Finding::of_comparison(
            FindingId::Caveat,
            severity,
            ComparedFact::RunCaveat { caveat, run, is_alike, runs },
        )
    };
    all.into_iter().map(of_runs).collect()
}

/// What the runs say of themselves, and what the intervals rest on.
pub(super) fn findings_on_spread(configurations: &[Configuration]) -> Vec<Finding> {
    let of_all = |known: KnownSpread, is_meant: fn(&Configuration) -> bool| {
        let keys: Vec<String> =
            configurations.iter().filter(|one| is_meant(one)).map(|one| one.key.clone()).collect();
        let fact = (!keys.is_empty()).then_some(ComparedFact::Configurations(known, keys));
        fact.map(|fact| Finding::of_comparison(known.finding(), Severity::Note, fact))
    };
    let has_few = |one: &&Configuration| (2..ENOUGH_REPEATS).contains(&one.run_count()) && !one.is_printed;
    let few = configurations.iter().filter(has_few).map(|one| (one.key.clone(), one.run_count()));
    let few: Vec<(String, usize)> = few.collect();
    let notes = [
        of_all(KnownSpread::Printed, |one| one.is_printed && one.ranges.is_empty()),
        of_all(KnownSpread::StatedRepeats, |one| !one.ranges.is_empty()),
        of_all(KnownSpread::SingleRun, |one| !one.is_printed && one.run_count() == 1 && one.spread.is_some()),
        of_all(KnownSpread::TooFewIntervals, |one| !one.is_printed && one.spread.is_none()),
        (!few.is_empty()).then(|| {
            let fact = ComparedFact::FewRepeats { configurations: few };
            Finding::of_comparison(FindingId::FewRepeats, Severity::Note, fact)
        }),
    ];
    findings_of_runs(configurations).into_iter().chain(notes.into_iter().flatten()).collect()
}

/// What contradicts itself is compared all the same, and nobody should miss it.
pub(super) fn findings_on_contradictions(configurations: &[Configuration]) -> Vec<Finding> {
    let of = |one: &Configuration| {
        let (first, others) = one.contradictions.split_first()?;
        let fact = ComparedFact::Contradictions {
            configuration: one.title(),
            first: first.clone(),
            other_count: others.len(),
        };
        Some(Finding::of_comparison(FindingId::Caveat, Severity::Warning, fact))
    };
    configurations.iter().filter_map(of).collect()
}

/// Repeats that lie so many percent apart are no small matter.
const FAR_APART_PERCENT: f64 = 25.0;

/// How far the stated repeats of a configuration lie apart, by the figure in which they do most.
pub(super) fn findings_on_ranges(configurations: &[Configuration]) -> Vec<Finding> {
    let is_rate = |metric: &Metric| matches!(metric.key, MetricKey::Figure(_, Figure::Iops));
    let apart = |(low, high): (f64, f64)| if low > 0.0 { 100.0 * (high / low - 1.0) } else { 0.0 };
    let of = |one: &Configuration| {
        let widest = one.ranges.iter().max_by(|a, b| apart(a.1).total_cmp(&apart(b.1)))?;
        let apart_percent = apart(widest.1);
        let range = |(metric, (low, high)): &(Metric, (f64, f64))| MetricRange {
            metric: metric.title(),
            is_in_us: metric.is_in_us(),
            low: *low,
            high: *high,
        };
        let rate = one.ranges.iter().find(|other| **other != *widest && is_rate(&other.0));
        let severity = if apart_percent >= FAR_APART_PERCENT { Severity::Warning } else { Severity::Note };
        let fact = ComparedFact::RepeatsApart {
            configuration: one.key.clone(),
            run_count: one.run_count(),
            apart_percent,
            widest: range(widest),
            rate: rate.map(range),
        };
        Some(Finding::of_comparison(FindingId::RepeatsApart, severity, fact))
    };
    configurations.iter().filter_map(of).collect()
}
