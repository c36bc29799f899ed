//! A comparison: configurations side by side, what each factor changes, the ranking, and what to take.
//!
//! It works on [`Sample`]s, which come from records, from the runs of a study, from imported results, or from printed tables. The method, with its
//! sources and limits, stands in `docs/compare.md`. The modules stand in reading order.

mod student;

mod circumstances;

mod host_difference;

mod capacity;

mod sample;

mod conditions;

mod given;

mod offsets;

mod contents;
mod generators;

mod repeats;

mod configuration;

mod delta;

mod cost;

mod factor;

mod scaling;

mod ranking;

mod reservation;

mod recommendation;

mod tail_problem;

mod gate;

mod load_matrix;

mod matrix;

mod sweeps;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use iotrial_model::figure::Figure;
use iotrial_model::finding::{
    Caveat, ComparedFact, ENOUGH_REPEATS, Finding, FindingId, Incomparable, KnownSpread, MetricRange,
    RunsOfConfiguration, Severity,
};
use iotrial_model::host_fact::HostReport;
use iotrial_model::load::Role;
use iotrial_model::metric::MetricKey;
use iotrial_model::recommendation::OpenChange;
use iotrial_model::record::AttributeValue;
use iotrial_model::toml_reader::nearest;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

pub use iotrial_model::metric::{Metric, MetricGroup, StreamRange};
pub use iotrial_model::recommendation::Scaling;

pub use capacity::CapacityFigure;
pub use circumstances::{Circumstances, HostFacts, TargetFacts};
pub use configuration::Configuration;
pub use cost::Price;
pub use delta::{BoundedDelta, Delta, Interval, MUCH_FACTOR, Pair, Reading};
pub use factor::{Factor, FactorPair, GroupChange};
pub use gate::{Gate, GateOutcome, GateResult, ParseGateError, hold_gates};
pub use host_difference::{HostDifference, HostValues};
pub use load_matrix::{Contender, LoadCell, LoadMatrix, LoadMetric, LoadRow};
pub use matrix::{ComparisonMatrix, UnderLoad};
pub use ranking::{Place, Ranking, Standing};
pub use recommendation::{Avoid, Recommendation};
pub use reservation::{Reservation, ReservationKind};
pub use sample::{Outcome, RunCaveat, Sample};
pub use sweeps::{
    ComparedCurve, ComparedFigure, ComparedLoad, ComparedSweep, FigureCell, LoadPointCell, SweepComparison,
    SweepSample,
};
pub use tail_problem::TailProblem;

use conditions::check_conditions;
use contents::findings_on_contents;
use factor::{factors, varying_attributes};
use generators::{findings_on_generators, without_unlike_writes};
use given::{Named, find_baseline, once};
use matrix::Loads;
use offsets::findings_on_offsets;
use recommendation::Evidence;
use sample::tell_loads_apart;

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

/// Why there is no comparison.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// There are fewer than two configurations.
    #[error("there is only one configuration{}", .label.as_ref().map(|label| format!(", `{label}`, with {runs} runs")).unwrap_or_default())]
    OnlyOne {
        /// Its label, where it has several runs.
        label: Option<String>,
        /// Runs of that configuration; 0 where nothing was given.
        runs: usize,
    },
    /// There are fewer than two sweeps.
    #[error("there is only one sweep")]
    OnlyOneSweep,
    /// No two sweeps measured the same kind of I/O.
    #[error("no two of the sweeps have a pattern in common")]
    NoCommonCurve,
    /// One label stands for two configurations.
    #[error("`{label}` stands for two configurations: the attributes of {first} and of {other} differ")]
    LabelClash {
        /// The label that both have.
        label: String,
        /// Where the first of them comes from.
        first: String,
        /// Where the other one comes from.
        other: String,
    },
    /// A printed configuration has two values for one metric.
    #[error("`{label}` is printed twice: there are two values for {metric}")]
    PrintedTwice {
        /// Label of the configuration.
        label: String,
        /// Title of the metric that is stated twice under one load.
        metric: String,
    },
    /// A configuration has printed and measured figures.
    #[error("`{label}` is both measured here and stated by another source")]
    PrintedAndMeasured {
        /// Label that the measured runs and the stated results share.
        label: String,
    },
    /// A run ended before anything was measured.
    #[error("{source_name} measured nothing")]
    NothingMeasured {
        /// Where the run comes from.
        source_name: String,
    },
    /// They cannot be compared fairly.
    #[error("{}", iotrial_words::compared::incomparable(.0))]
    Incomparable(Box<Incomparable>),
    /// The runs are of several loads, and each of these would be a comparison by itself.
    #[error("the runs have several loads; `iotrial compare` compares the configurations under each of them")]
    SeveralLoads,
    /// There is no comparison under one of several loads.
    #[error("under {load}, {error}")]
    UnderLoad {
        /// What the load is called.
        load: String,
        /// Where its runs come from.
        sources: Vec<String>,
        /// Why.
        error: Box<Self>,
    },
    /// There is nothing that two of them have.
    #[error("no two configurations have a metric in common")]
    NoCommonMetric,
    /// No configuration is called so.
    #[error("no configuration is called `{name}`; there are {}", .known.join(", "))]
    UnknownBaseline {
        /// What the user gave as the baseline.
        name: String,
        /// Those that there are.
        known: Vec<String>,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// The attribute does not tell any two configurations apart.
    #[error("the configurations do not differ in `{attribute}`{}", if .known.is_empty() { String::new() } else { format!("; they differ in {}", .known.join(", ")) })]
    UnknownAttribute {
        /// What the user gave as the factor.
        attribute: String,
        /// Those in which they differ.
        known: Vec<String>,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// The attribute never differs alone.
    #[error("no two configurations differ in `{attribute}` alone")]
    NoPair {
        /// The factor that the user gave.
        attribute: String,
        /// All attributes in which they differ.
        differing: Vec<String>,
    },
    /// A gate is about a change, and there is nothing that it could be a change from.
    #[error("the gate `{gate}` is about a change, and there is no baseline")]
    NoBaseline {
        /// The gate as text.
        gate: String,
    },
    /// A gate names a metric that no configuration has.
    #[error("no configuration has the metric `{name}`; there are {near}{}", names_roles(.roles))]
    UnknownMetric {
        /// The metric as the gate spells it.
        name: String,
        /// Those that there are and that are like it, in words.
        near: String,
        /// The roles that there are, where the name begins with none of them and with no stream either.
        roles: Vec<Role>,
        /// What was probably meant.
        nearest: Option<String>,
    },
}

fn names_roles(roles: &[Role]) -> String {
    let words: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
    if words.is_empty() { String::new() } else { format!("; the roles are {}", words.join(", ")) }
}

impl CompareError {
    /// Whether it is about the same thing that the user asked for.
    fn is_about_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::UnknownBaseline { .. }, Self::UnknownBaseline { .. }) => true,
            (
                Self::UnknownAttribute { .. } | Self::NoPair { .. },
                Self::UnknownAttribute { .. } | Self::NoPair { .. },
            ) => true,
            (Self::UnknownMetric { name, .. }, Self::UnknownMetric { name: other, .. }) => name == other,
            _ => false,
        }
    }

    /// What the reader can do.
    pub fn hint(&self) -> Option<String> {
        let did_you_mean =
            |nearest: &Option<String>| nearest.as_ref().map(|near| format!("did you mean `{near}`?"));
        match self {
            Self::OnlyOne { label: Some(_), .. } => Some(
                "runs with the same label and the same attributes are repeats of one configuration; `iotrial report` checks it against gates on values"
                    .to_owned(),
            ),
            Self::OnlyOne { label: None, .. } => {
                Some("give two or more records, a folder of records, or a --table".to_owned())
            }
            Self::LabelClash { .. } => {
                Some("a label stands for one configuration, so all its runs need the same attributes".to_owned())
            }
            Self::PrintedTwice { .. } => Some(
                "printed figures cannot be merged: give the rows different labels, attributes or loads"
                    .to_owned(),
            ),
            Self::PrintedAndMeasured { .. } => {
                Some("give the imported or printed results another label".to_owned())
            }
            Self::Incomparable { .. } => {
                Some("--force compares them anyway, with a warning".to_owned())
            }
            Self::NoCommonMetric => Some(
                "at least two of them need the same figure of the same stream, such as read.iops".to_owned(),
            ),
            Self::UnderLoad { error, .. } => error.hint(),
            Self::SeveralLoads => None,
            Self::OnlyOneSweep => {
                Some("give two or more sweeps; `iotrial report` shows a single one in full".to_owned())
            }
            Self::NoCommonCurve => {
                Some("measure the same patterns, such as `iotrial sweep --pattern randread-8k`".to_owned())
            }
            Self::NothingMeasured { .. } => Some("leave it out, or compare the others with --force".to_owned()),
            Self::UnknownBaseline { nearest, .. }
            | Self::UnknownAttribute { nearest, .. }
            | Self::UnknownMetric { nearest, .. } => did_you_mean(nearest),
            Self::NoBaseline { .. } => Some(
                "give a value such as `write.p99 < 2ms`, or `iotrial compare BASELINE NEW --gate …`".to_owned(),
            ),
            Self::NoPair { differing, .. } => Some(format!(
                "they always differ in several of {} at once: measure two that differ in only one",
                differing.join(", ")
            )),
        }
    }
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
        let subjects = subjects_of(&samples);
        let mut configurations = Configuration::all(samples)?;
        if let [only] = configurations.as_slice() {
            let label = (only.run_count() > 1).then(|| only.label.clone());
            return Err(CompareError::OnlyOne { label, runs: only.run_count() });
        }
        if configurations.is_empty() {
            return Err(CompareError::OnlyOne { label: None, runs: 0 });
        }
        let metrics = metrics_of(&configurations);
        let is_common =
            |metric: &&Metric| configurations.iter().filter(|one| one.amount(metric).is_some()).count() > 1;
        if !metrics.iter().any(|metric| is_common(&metric)) {
            return Err(CompareError::NoCommonMetric);
        }
        let host_differences = host_differences(&configurations);
        add_host_attributes(&mut configurations, &host_differences, request.by.as_deref());
        let baseline = match &request.baseline {
            Some(name) => find_baseline(configurations.iter().map(Configuration::named), name)?,
            None => 0,
        };
        let factors = chosen_factors(&configurations, baseline, request, &mut findings)?;
        let others = || configurations.iter().enumerate().filter(|(index, _)| *index != baseline);
        let against_baseline: Vec<Pair> =
            others().map(|(_, other)| Pair::new(&configurations[baseline], other)).collect();
        let has_own_rates = has_own_rates(&configurations);
        findings.extend(has_own_rates.then(|| finding_on_own_rates(&configurations)));
        // Each at another rate: what a stream does there follows from the rate, and only the rates can be compared.
        let is_ranked = if has_own_rates { is_ranked_at_own_rates } else { Metric::is_ranked };
        let rankings = Ranking::all(&configurations, &metrics, is_ranked);
        let in_roles: &[Metric] = if has_own_rates { &[] } else { &metrics };
        let rankings_by_role = Ranking::all(&configurations, in_roles, Metric::is_ranked_in_role);
        let scaling = scaling::scaling(&configurations, &factors);
        let evidence = Evidence {
            scaling: &scaling,
            configurations: &configurations,
            rankings: &rankings,
            factors: &factors,
            against_baseline: &against_baseline,
            baseline,
        };
        let recommendation = Recommendation::decide(&evidence);
        let gates = hold_against_baseline(&request.gates, &configurations, baseline, &against_baseline)?;
        findings.extend(findings_on_contradictions(&configurations));
        findings.extend(findings_on_spread(&configurations));
        findings.extend(findings_on_ranges(&configurations));
        // Stable: within a severity they stay in the order of the steps above.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let mut comparison = Self {
            subjects,
            baseline: configurations[baseline].key.clone(),
            is_baseline_chosen: request.baseline.is_some(),
            not_compared: None,
            configurations,
            host_differences,
            metrics,
            factors,
            against_baseline,
            rankings,
            rankings_by_role,
            scaling,
            recommendation,
            over_loads: None,
            gates,
            findings,
        };
        comparison.over_loads = LoadMatrix::of_stated(&comparison).map(Box::new);
        Ok(comparison)
    }

    /// Runs beside one another, held against each other where that is fair. Where it is not, each is a configuration of
    /// its own, nothing is said of differences, and [`Self::not_compared`] says why. Those that measured nothing are left
    /// out.
    pub fn or_beside(mut samples: Vec<Sample>) -> Self {
        samples.retain(|sample| !sample.is_empty());
        tell_loads_apart(&mut samples);
        let why = match Self::new(samples.clone(), &CompareRequest::default()) {
            Ok(comparison) => return comparison,
            Err(CompareError::Incomparable { .. }) if Loads::of(&samples).is_some() => {
                CompareError::SeveralLoads
            }
            Err(why) => why,
        };
        let mut findings = Vec::new();
        let samples = without_doubles(samples, &mut findings);
        let subjects = subjects_of(&samples);
        // Only a printed configuration can have two values for one metric, and then there is nothing to show of any.
        let configurations = Configuration::each(samples).unwrap_or_default();
        findings.insert(0, not_compared(&why, &configurations));
        Self {
            subjects,
            baseline: configurations.first().map(|first| first.key.clone()).unwrap_or_default(),
            is_baseline_chosen: false,
            not_compared: Some(why),
            metrics: metrics_of(&configurations),
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
            findings,
        }
    }

    /// Whether its configurations are the same thing in different numbers, and nothing else.
    fn is_scaling(&self) -> bool {
        recommendation::is_scaling(&self.configurations, &self.scaling)
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
    finding(FindingId::OwnRates, Severity::Note, ComparedFact::OwnRates { configurations })
}

/// Why runs are not held against each other, and what the reader can do. That there is only one configuration is not a fault of
/// any of them.
fn not_compared(why: &CompareError, configurations: &[Configuration]) -> Finding {
    let severity = match why {
        CompareError::OnlyOne { .. } => Severity::Note,
        _ => Severity::Warning,
    };
    let key_of = |source: &String| {
        let one = configurations.iter().find(|one| one.sources.contains(source));
        one.map_or_else(|| source.clone(), |one| one.key.clone())
    };
    let fact = match why {
        CompareError::Incomparable(both) => ComparedFact::NotComparable {
            first: key_of(&both.first),
            other: key_of(&both.other),
            differences: both.differences.clone(),
        },
        _ => ComparedFact::NotCompared { reason: why.to_string() },
    };
    finding(FindingId::NotCompared, severity, fact)
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
            findings.push(finding(FindingId::LeftOut, Severity::Note, fact));
            continue;
        }
        if !force {
            return Err(CompareError::NothingMeasured { source_name: source });
        }
        let fact = ComparedFact::NothingMeasured { source };
        findings.push(finding(FindingId::Forced, Severity::Warning, fact));
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
        findings.push(finding(FindingId::NoPair, Severity::Note, fact));
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

fn finding(id: FindingId, severity: Severity, fact: ComparedFact) -> Finding {
    Finding::new(id, severity, iotrial_model::finding::Evidence::Compared(fact))
}

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
        finding(FindingId::Caveat, severity, ComparedFact::RunCaveat { caveat, run, is_alike, runs })
    };
    all.into_iter().map(of_runs).collect()
}

/// What the runs say of themselves, and what the intervals rest on.
fn findings_on_spread(configurations: &[Configuration]) -> Vec<Finding> {
    let of_all = |known: KnownSpread, is_meant: fn(&Configuration) -> bool| {
        let keys: Vec<String> =
            configurations.iter().filter(|one| is_meant(one)).map(|one| one.key.clone()).collect();
        let fact = (!keys.is_empty()).then_some(ComparedFact::Configurations(known, keys));
        fact.map(|fact| finding(known.finding(), Severity::Note, fact))
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
            finding(FindingId::FewRepeats, Severity::Note, fact)
        }),
    ];
    findings_of_runs(configurations).into_iter().chain(notes.into_iter().flatten()).collect()
}

/// What contradicts itself is compared all the same, and nobody should miss it.
fn findings_on_contradictions(configurations: &[Configuration]) -> Vec<Finding> {
    let of = |one: &Configuration| {
        let (first, others) = one.contradictions.split_first()?;
        let fact = ComparedFact::Contradictions {
            configuration: one.title(),
            first: first.clone(),
            other_count: others.len(),
        };
        Some(finding(FindingId::Caveat, Severity::Warning, fact))
    };
    configurations.iter().filter_map(of).collect()
}

/// Repeats that lie so many percent apart are no small matter.
const FAR_APART_PERCENT: f64 = 25.0;

/// How far the stated repeats of a configuration lie apart, by the figure in which they do most.
fn findings_on_ranges(configurations: &[Configuration]) -> Vec<Finding> {
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
        Some(finding(FindingId::RepeatsApart, severity, fact))
    };
    configurations.iter().filter_map(of).collect()
}

/// Figures, or their ranges, by metric.
fn as_map<T: Serialize, S: Serializer>(figures: &[(Metric, T)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(figures.len()))?;
    for (metric, value) in figures {
        map.serialize_entry(metric, value)?;
    }
    map.end()
}
