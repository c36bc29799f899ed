//! A comparison: configurations side by side, what each factor changes, the ranking, and what to take.
//!
//! It works on [`Sample`]s, which come from records, from the runs of a study, from imported results, or from printed tables. The method, with its
//! sources and limits, stands in `docs/compare.md`. The modules stand in reading order.

mod error;

mod circumstances;

mod host_difference;

mod capacity;

mod shape;

mod sample;

mod conditions;

mod given;

mod offsets;

mod sample_findings;

mod repeats;

mod configuration;

mod configuration_findings;

mod delta;

mod cost;

mod factor;

mod scaling;

mod ranking;

mod reservation;

mod recommendation;

mod tail_problem;

mod tail_cause;

mod gate;

mod load_matrix;

mod matrix;

mod beside;

mod times;

mod sweeps;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use iotrial_model::finding::{ComparedFact, ENOUGH_REPEATS, Finding, FindingId, Severity};
use iotrial_model::host_fact::HostReport;
use iotrial_model::recommendation::OpenChange;
use iotrial_model::record::AttributeValue;
use iotrial_model::toml_reader::nearest;
use serde::Serialize;

pub use iotrial_model::metric::{Metric, MetricGroup, StreamRange};
pub use iotrial_model::recommendation::{Reservation, ReservationKind, Scaling};

pub use crate::student::MUCH_FACTOR;
pub use capacity::CapacityFigure;
pub use circumstances::{Circumstances, HostFacts, TargetFacts};
pub use configuration::Configuration;
pub use cost::Price;
pub use delta::{BoundedDelta, Delta, Interval, Pair, Reading};
pub use error::CompareError;
pub use factor::{Factor, FactorPair, GroupChange};
pub use gate::{Gate, GateOutcome, GateResult, ParseGateError, hold_gates};
pub use host_difference::{HostDifference, HostValues};
pub use load_matrix::{Contender, LoadCell, LoadMatrix, LoadMetric, LoadRow};
pub use matrix::{ComparisonMatrix, UnderLoad};
pub use ranking::{Place, Ranking, Standing};
pub use recommendation::{Avoid, Recommendation};
pub use sample::{Outcome, RunCaveat, Sample};
pub use shape::{LoadShape, ShapedLoad};
pub use sweeps::{
    ComparedCurve, ComparedFigure, ComparedLoad, ComparedSweep, FigureCell, LoadPointCell, SweepComparison,
    SweepSample,
};
pub use tail_cause::TailCauses;
pub use tail_problem::TailProblem;

use conditions::check_conditions;
use configuration_findings::{findings_on_contradictions, findings_on_ranges, findings_on_spread};
use factor::{factors, varying_attributes};
use given::{Named, find_baseline, once};
use load_matrix::LoadAnswer;
use recommendation::Evidence;
use sample::tell_loads_apart;
use sample_findings::{
    findings_on_contents, findings_on_generators, findings_on_offsets, without_unlike_writes,
};

use crate::host_attributes::{HOST_ATTRIBUTES, host_attribute};

/// Configurations held against each other. Its keys are an interface: `docs/json.md`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Under what the figures were taken: the profile, or the title of a table; several only where they were forced
    /// together.
    pub subjects: Vec<String>,
    /// What is compared, in the order in which it was given.
    pub configurations: Vec<Configuration>,
    /// Every metric of any configuration, in the order of tables.
    pub metrics: Vec<Metric>,
    /// What its loads do. Those that are not of one kind of I/O, or are not known, are missing.
    #[serde(skip)]
    pub shapes: Vec<ShapedLoad>,
    /// Key of the configuration that others are compared with.
    pub baseline: String,
    /// Whether the user chose it.
    #[serde(skip)]
    pub is_baseline_chosen: bool,
    /// Why nothing is held against anything, and runs only stand beside one another; `None` in a comparison.
    #[serde(skip)]
    pub not_compared: Option<CompareError>,
    /// What each attribute changes.
    pub factors: Vec<Factor>,
    /// What each configuration changes against the baseline.
    pub against_baseline: Vec<Pair>,
    /// The order of configurations by each metric.
    pub rankings: Vec<Ranking>,
    /// The same within each role, where the runs have several; they do not count in the order over all.
    pub rankings_by_role: Vec<Ranking>,
    /// What a larger number of the same thing does, such as of hosts or volumes.
    pub scaling: Vec<Scaling>,
    /// What to take.
    pub recommendation: Recommendation,
    /// A row for each load, where the metrics are of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_loads: Option<Box<LoadMatrix>>,
    /// In what the hosts differ, beside what the attributes say; empty where nothing does, or where nobody looked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_differences: Vec<HostDifference>,
    /// Gates held against each configuration.
    pub gates: Vec<GateOutcome>,
    /// What the reader should know about it, the most serious first.
    #[serde(serialize_with = "iotrial_words::finding::in_json")]
    pub findings: Vec<Finding>,
}

/// What the user asks of a comparison.
#[derive(Debug, Clone, Default)]
pub struct CompareRequest {
    /// Label, id or key of the configuration that others are compared with; the first one where it is absent.
    pub baseline: Option<String>,
    /// Only this attribute is a factor.
    pub by: Option<String>,
    /// How far metrics may move.
    pub gates: Vec<Gate>,
    /// Compare what cannot be compared fairly.
    pub force: bool,
}

impl Comparison {
    /// Compares.
    ///
    /// # Errors
    ///
    /// When there is nothing to compare, or it would not be fair.
    pub fn new(mut samples: Vec<Sample>, request: &CompareRequest) -> Result<Self, CompareError> {
        let mut findings = Vec::new();
        // The order matters: loads that differ on purpose become part of the metrics before conditions have to agree; a record
        // that was given twice goes before anything counts runs; and only what may be compared is grouped into configurations.
        tell_loads_apart(&mut samples);
        let samples = without_doubles(samples, &mut findings);
        let mut samples = without_empty(samples, request.force, &mut findings)?;
        check_conditions(samples.iter().map(Sample::taken), request.force, &mut findings)?;
        findings.extend(findings_on_contents(&samples));
        findings.extend(findings_on_generators(&samples));
        findings.extend(findings_on_offsets(&samples));
        without_unlike_writes(&mut samples, &mut findings);
        let shapes = shapes_of(&samples);
        let mut all = Self::beside(subjects_of(&samples), Configuration::all(samples)?);
        all.shapes = shapes;
        match all.configurations.as_slice() {
            [] => return Err(CompareError::OnlyOne { label: None, runs: 0 }),
            [only] => {
                let label = (only.run_count() > 1).then(|| only.label.clone());
                return Err(CompareError::OnlyOne { label, runs: only.run_count() });
            }
            _ => {}
        }
        let has = |one: &&Configuration, metric: &Metric| one.amount(metric).is_some();
        let is_common =
            |metric: &Metric| all.configurations.iter().filter(|one| has(one, metric)).count() > 1;
        if !all.metrics.iter().any(is_common) {
            return Err(CompareError::NoCommonMetric);
        }
        add_host_attributes(&mut all.configurations, &all.host_differences, request.by.as_deref());
        let configurations = all.configurations.as_slice();
        let baseline = match &request.baseline {
            Some(name) => find_baseline(configurations.iter().map(Configuration::named), name)?,
            None => 0,
        };
        all.baseline.clone_from(&configurations[baseline].key);
        all.is_baseline_chosen = request.baseline.is_some();
        all.factors = chosen_factors(configurations, baseline, request, &mut findings)?;
        let others = configurations.iter().enumerate().filter(|(index, _)| *index != baseline);
        all.against_baseline = others.map(|(_, other)| Pair::new(&configurations[baseline], other)).collect();
        let has_own_rates = has_own_rates(configurations);
        findings.extend(has_own_rates.then(|| finding_on_own_rates(configurations)));
        // Each at another rate: what a stream does there follows from the rate, and only the rates can be compared.
        let is_ranked = if has_own_rates { is_ranked_at_own_rates } else { Metric::is_ranked };
        all.rankings = Ranking::all(configurations, &all.metrics, is_ranked);
        let in_roles: &[Metric] = if has_own_rates { &[] } else { &all.metrics };
        all.rankings_by_role = Ranking::all(configurations, in_roles, Metric::is_ranked_in_role);
        all.scaling = scaling::scaling(configurations, &all.factors);
        all.recommendation = Recommendation::decide(&Evidence {
            scaling: &all.scaling,
            configurations,
            rankings: &all.rankings,
            factors: &all.factors,
            against_baseline: &all.against_baseline,
            host_differences: &all.host_differences,
            baseline,
        });
        all.gates = hold_against_baseline(&request.gates, configurations, baseline, &all.against_baseline)?;
        findings.extend(findings_on_contradictions(configurations));
        findings.extend(findings_on_spread(configurations));
        findings.extend(findings_on_ranges(configurations));
        // Stable: within a severity they stay in the order of the steps above.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        all.findings = findings;
        all.over_loads = LoadMatrix::of_stated(all.answer(""), &all.metrics, &all.baseline).map(Box::new);
        Ok(all)
    }

    /// Configurations beside one another, before anything is said of differences. The first one is the baseline.
    fn beside(subjects: Vec<String>, configurations: Vec<Configuration>) -> Self {
        Self {
            subjects,
            baseline: configurations.first().map(|first| first.key.clone()).unwrap_or_default(),
            is_baseline_chosen: false,
            not_compared: None,
            metrics: metrics_of(&configurations),
            shapes: Vec::new(),
            host_differences: host_differences(&configurations),
            configurations,
            factors: Vec::new(),
            against_baseline: Vec::new(),
            rankings: Vec::new(),
            rankings_by_role: Vec::new(),
            scaling: Vec::new(),
            recommendation: Recommendation::default(),
            over_loads: None,
            gates: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// What it came to under a load of this name.
    fn answer<'c>(&'c self, load: &'c str) -> LoadAnswer<'c> {
        let Self { configurations, against_baseline, recommendation, scaling, .. } = self;
        let counted = scaling.first().filter(|_| recommendation::is_scaling(configurations, scaling));
        LoadAnswer {
            load,
            configurations,
            against_baseline,
            recommendation,
            counted: counted.map(|scaling| scaling.attribute.as_str()),
        }
    }

    /// The configuration of a run, and which of its runs that is, from 0; `None` for one that measured nothing.
    pub fn place_of_run(&self, id: &str) -> Option<(usize, usize)> {
        let in_configuration = |one: &Configuration| one.run_ids.iter().position(|run| run == id);
        let mut places = self.configurations.iter().enumerate();
        places.find_map(|(index, one)| in_configuration(one).map(|run| (index, run)))
    }

    /// One configuration by its key.
    pub fn configuration(&self, key: &str) -> Option<&Configuration> {
        self.configurations.iter().find(|one| one.key == key)
    }

    /// Why it is open what a change means; `None` of one whose reading says it all.
    pub fn open_change(&self, pair: &Pair, delta: &Delta) -> Option<OpenChange> {
        let runs = |key: &str| self.configuration(key).map_or(0, Configuration::run_count);
        let run_count = runs(&pair.baseline).min(runs(&pair.configuration));
        match delta.reading {
            Reading::TooFewRepeats if delta.is_of_longest() && run_count < ENOUGH_REPEATS => {
                Some(OpenChange::FewForLongest { run_count })
            }
            Reading::TooFewRepeats => Some(OpenChange::TooWide { run_count: Some(run_count) }),
            Reading::TooFew if delta.interval.is_some() => Some(OpenChange::TooWide { run_count: None }),
            _ => None,
        }
    }
}

/// In what the hosts of configurations differ.
fn host_differences(configurations: &[Configuration]) -> Vec<HostDifference> {
    let hosts: Vec<(&str, Vec<&HostReport>)> =
        configurations.iter().map(|one| (one.key.as_str(), one.hosts.iter().collect())).collect();
    HostDifference::between(&hosts)
}

/// Lets what hosts show of themselves tell configurations apart, where nothing that the user wrote down does, or where it is asked for.
///
/// Not beside attributes of the user: `driver = "sr-iov"` and what the host says of the same driver would always differ together, so
/// that no pair would be left that differs in one thing only. And not where settings differ as well: a scheduler that was changed along
/// with the driver must not be told as what the driver does.
fn add_host_attributes(
    configurations: &mut [Configuration],
    differences: &[HostDifference],
    by: Option<&str>,
) {
    let is_told_apart =
        !varying_attributes(configurations).is_empty() || !differences.iter().all(HostDifference::follows);
    // What differs among the repeats is no attribute of the configuration, and neither is what it does not tell.
    let value_of = |one: &Configuration, name: &str| -> Option<AttributeValue> {
        let mut values = one.hosts.iter().map(|host| host_attribute(host, name));
        let first = values.next()??;
        values.all(|other| other.as_ref() == Some(&first)).then_some(first)
    };
    let mut groupings: Vec<Vec<usize>> = Vec::new();
    let asked_first = HOST_ATTRIBUTES.iter().filter(|name| by == Some(**name));
    for name in asked_first.chain(HOST_ATTRIBUTES) {
        // The user's own word wins.
        let is_given = configurations.iter().any(|one| one.attributes.contains_key(*name));
        let values: Option<Vec<AttributeValue>> =
            configurations.iter().map(|one| value_of(one, name)).collect();
        let Some(values) = values.filter(|_| !is_given && (!is_told_apart || by == Some(*name))) else {
            continue;
        };
        // Another machine has another driver with other queues: what always changes along with the one before is no factor of its own.
        let grouping: Vec<usize> =
            values.iter().map(|value| values.iter().take_while(|other| *other != value).count()).collect();
        if grouping.iter().all(|first| *first == 0) || groupings.contains(&grouping) {
            continue;
        }
        groupings.push(grouping);
        for (one, value) in configurations.iter_mut().zip(values) {
            one.attributes.insert((*name).to_owned(), value);
        }
    }
}

/// Whether configurations were measured at rates that a search found for each of them.
fn has_own_rates(configurations: &[Configuration]) -> bool {
    let Some((first, others)) = configurations.split_first() else { return false };
    others.iter().any(|other| first.is_at_another_rate(other))
}

fn is_ranked_at_own_rates(metric: &Metric) -> bool {
    metric.is_ranked() && metric.key.figure().is_none()
}

fn finding_on_own_rates(configurations: &[Configuration]) -> Finding {
    let configurations = configurations.iter().map(|one| (one.key.clone(), one.rate())).collect();
    Finding::of_comparison(FindingId::OwnRates, Severity::Note, ComparedFact::OwnRates { configurations })
}

/// Under what the samples were taken, each once.
fn subjects_of(samples: &[Sample]) -> Vec<String> {
    let mut subjects: Vec<String> = Vec::new();
    for sample in samples {
        if !subjects.contains(&sample.subject) {
            subjects.push(sample.subject.clone());
        }
    }
    subjects
}

/// The shape of each load, once; none of a load that has several.
fn shapes_of(samples: &[Sample]) -> Vec<ShapedLoad> {
    let mut shapes: Vec<ShapedLoad> = Vec::new();
    let mut other: Vec<Option<String>> = Vec::new();
    for one in samples.iter().filter_map(Sample::shaped_load) {
        match shapes.iter().find(|known| known.load == one.load) {
            Some(known) if known.shape != one.shape => other.push(one.load),
            Some(_) => {}
            None => shapes.push(one),
        }
    }
    shapes.retain(|one| !other.contains(&one.load));
    shapes
}

/// A record that was given twice counts once.
fn without_doubles(samples: Vec<Sample>, findings: &mut Vec<Finding>) -> Vec<Sample> {
    let id = |sample: &Sample| (!sample.is_printed).then(|| sample.id.clone());
    once(samples, id, |id| ComparedFact::RecordTwice { id }, findings)
}

/// A run that measured nothing has nothing to compare.
fn without_empty(
    samples: Vec<Sample>,
    force: bool,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Sample>, CompareError> {
    let (empty, rest): (Vec<Sample>, Vec<Sample>) = samples.into_iter().partition(Sample::is_empty);
    for sample in empty {
        let source = sample.source;
        if sample.counted.is_none() {
            // A row may have nothing but bounds.
            let fact = ComparedFact::NothingStated { source };
            findings.push(Finding::of_comparison(FindingId::LeftOut, Severity::Note, fact));
            continue;
        }
        if !force {
            return Err(CompareError::NothingMeasured { source_name: source });
        }
        let fact = ComparedFact::NothingMeasured { source };
        findings.push(Finding::of_comparison(FindingId::Forced, Severity::Warning, fact));
    }
    Ok(rest)
}

fn metrics_of(configurations: &[Configuration]) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = Vec::new();
    let of = |one: &'_ Configuration| -> Vec<Metric> {
        let bounds = one.bounds.iter().map(|(metric, _)| metric);
        one.figures.iter().map(|(metric, _)| metric).chain(bounds).cloned().collect()
    };
    for metric in configurations.iter().flat_map(of) {
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    // Loads stay in the order in which they came, but for those that differ in their numbers only.
    let mut kinds: Vec<String> = Vec::new();
    let mut place_of = |load: &str| {
        let (kind, numbers) = words_and_numbers(load);
        let known = kinds.iter().position(|one| *one == kind);
        let place = known.unwrap_or_else(|| {
            kinds.push(kind);
            kinds.len() - 1
        });
        (place, numbers)
    };
    let places: BTreeMap<String, (usize, Vec<u64>)> = metrics
        .iter()
        .filter_map(|one| one.load.clone())
        .map(|load| (load.clone(), place_of(&load)))
        .collect();
    metrics.sort_by_key(|one| (one.position(), one.load.as_ref().map(|load| &places[load])));
    metrics
}

/// A text with `#` for each whole number, and these numbers.
fn words_and_numbers(text: &str) -> (String, Vec<u64>) {
    let (mut words, mut numbers) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(start) = rest.find(|one: char| one.is_ascii_digit()) {
        let digits = rest[start..].find(|one: char| !one.is_ascii_digit()).unwrap_or(rest.len() - start);
        words.push_str(&rest[..start]);
        words.push('#');
        numbers.push(rest[start..start + digits].parse().unwrap_or(u64::MAX));
        rest = &rest[start + digits..];
    }
    (words + rest, numbers)
}

impl Configuration {
    fn named(&self) -> Named<'_> {
        Named { label: &self.label, key: &self.key, ids: &self.run_ids }
    }
}

fn chosen_factors(
    configurations: &[Configuration],
    baseline: usize,
    request: &CompareRequest,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Factor>, CompareError> {
    let differing = varying_attributes(configurations);
    let mut factors = factors(configurations, baseline);
    if let Some(attribute) = &request.by {
        if !differing.contains(attribute) {
            return Err(CompareError::UnknownAttribute {
                attribute: attribute.clone(),
                nearest: nearest(attribute, differing.iter().map(String::as_str)).map(str::to_owned),
                known: differing,
            });
        }
        factors.retain(|factor| factor.attribute == *attribute);
        if factors.is_empty() {
            return Err(CompareError::NoPair { attribute: attribute.clone(), differing });
        }
        return Ok(factors);
    }
    let lonely: Vec<String> = differing
        .iter()
        .filter(|attribute| !factors.iter().any(|factor| factor.attribute == **attribute))
        .cloned()
        .collect();
    if !lonely.is_empty() {
        let fact = ComparedFact::NoPair { attributes: lonely };
        findings.push(Finding::of_comparison(FindingId::NoPair, Severity::Note, fact));
    }
    Ok(factors)
}

/// Gates on changes and on values, both of every configuration but the baseline: that one is what there was before, and whoever makes
/// it better must not be stopped by how it was.
fn hold_against_baseline(
    gates: &[Gate],
    configurations: &[Configuration],
    baseline: usize,
    against_baseline: &[Pair],
) -> Result<Vec<GateOutcome>, CompareError> {
    let mut outcomes = Vec::new();
    let others =
        || configurations.iter().enumerate().filter(|(index, _)| *index != baseline).map(|(_, one)| one);
    for gate in gates {
        for (other, pair) in others().zip(against_baseline) {
            outcomes.extend(gate.hold_change(&configurations[baseline], other, pair)?);
            outcomes.extend(gate.hold_value(other, &others().collect::<Vec<_>>())?);
        }
    }
    Ok(outcomes)
}
