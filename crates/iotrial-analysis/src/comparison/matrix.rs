//! The matrix: a comparison for each load, one answer over all of them, and what has to be said of all. One load is one row.

use std::collections::HashMap;

use iotrial_model::finding::{ComparedFact, Finding, FindingId, Place, Severity};
use iotrial_model::host_fact::HostReport;
use serde::{Serialize, Serializer};

use super::conditions::Conditions;
use super::configuration::letters;
use super::error::CompareError;
use super::gate::{Gate, GateOutcome};
use super::given::warnings_with_names;
use super::host_difference::HostDifference;
use super::load_matrix::LoadMatrix;
use super::sample::Sample;
use super::{CompareRequest, Comparison};

/// Configurations under each load. Its keys are an interface: `docs/json.md`. With one row it has the form of that comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(remote = "Self")]
pub struct ComparisonMatrix {
    /// One answer over all loads; `None` of one load.
    pub over_loads: Option<LoadMatrix>,
    /// The comparison under each load under which two configurations or more were measured; at least one.
    #[serde(rename = "comparisons")]
    pub rows: Vec<UnderLoad>,
    /// In what the hosts differ under all loads together; empty where nothing does, or where nobody looked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_differences: Vec<HostDifference>,
    /// Gates held under each load that has their metric.
    pub gates: Vec<GateOutcome>,
    /// What the reader should know about all of it, the most serious first.
    #[serde(serialize_with = "iotrial_words::finding::in_json")]
    pub findings: Vec<Finding>,
}

impl Serialize for ComparisonMatrix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (&self.over_loads, self.rows.as_slice()) {
            (None, [only]) => only.comparison.serialize(serializer),
            _ => Self::serialize(self, serializer),
        }
    }
}

/// The configurations under one load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnderLoad {
    /// What the load is called.
    pub load: String,
    /// All about it.
    #[serde(flatten)]
    pub comparison: Comparison,
}

impl ComparisonMatrix {
    /// Compares, under each load by itself where the same configurations were measured under several.
    ///
    /// # Errors
    ///
    /// When there is nothing to compare, or it would not be fair.
    pub fn new(samples: Vec<Sample>, request: &CompareRequest) -> Result<Self, CompareError> {
        if let Some(loads) = Loads::of(&samples) {
            return Self::of_loads(samples, &loads, request);
        }
        let comparison = Comparison::new(samples, request)?;
        Ok(Self {
            over_loads: None,
            gates: comparison.gates.clone(),
            host_differences: comparison.host_differences.clone(),
            findings: comparison.findings.clone(),
            rows: vec![UnderLoad { load: comparison.subjects.join(", "), comparison }],
        })
    }

    fn of_loads(samples: Vec<Sample>, loads: &Loads, request: &CompareRequest) -> Result<Self, CompareError> {
        // A configuration has the same key under every load, and comes in the same order.
        let mut known: Vec<String> = Vec::new();
        let mut of_load: Vec<Vec<(usize, Sample)>> = loads.names.iter().map(|_| Vec::new()).collect();
        for (mut sample, load) in samples.into_iter().zip(&loads.of) {
            let name = identity(&sample).unwrap_or_else(|| sample.id.clone());
            let place = known.iter().position(|one| *one == name).unwrap_or_else(|| {
                known.push(name);
                known.len() - 1
            });
            sample.key = Some(letters(place));
            of_load[*load].push((place, sample));
        }
        let keys: Vec<String> = (0..known.len()).map(letters).collect();
        let mut rows: Vec<UnderLoad> = Vec::new();
        let mut alone: Vec<(String, Vec<String>)> = Vec::new();
        let mut asked = LoadRequests::new(request);
        for (load, mut of_load) in loads.names.iter().zip(of_load) {
            of_load.sort_by_key(|(place, _)| *place);
            let mut labels: Vec<String> = of_load
                .iter()
                .map(|(_, one)| one.label.clone().unwrap_or_else(|| one.source.clone()))
                .collect();
            let samples: Vec<Sample> = of_load.into_iter().map(|(_, sample)| sample).collect();
            let sources: Vec<String> = samples.iter().map(|sample| sample.source.clone()).collect();
            match asked.compare(samples) {
                Ok(comparison) => rows.push(UnderLoad { load: load.clone(), comparison }),
                Err(CompareError::OnlyOne { .. }) => {
                    labels.dedup();
                    alone.push((load.clone(), labels));
                }
                Err(error) => {
                    let (load, error) = (load.clone(), Box::new(error));
                    return Err(CompareError::UnderLoad { load, sources, error });
                }
            }
        }
        asked.check(rows.len())?;
        let mut findings = findings_of(&rows);
        if !alone.is_empty() {
            let fact = ComparedFact::OneConfiguration { loads: alone };
            findings.push(Finding::of_comparison(FindingId::LeftOut, Severity::Note, fact));
        }
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let hosts_of = |key: &'_ String| -> Vec<&HostReport> {
            let all = rows.iter().filter_map(|row| row.comparison.configuration(key));
            all.flat_map(|one| &one.hosts).collect()
        };
        let hosts: Vec<(&str, Vec<&HostReport>)> =
            keys.iter().map(|key| (key.as_str(), hosts_of(key))).collect();
        let answers: Vec<_> = rows.iter().map(|row| row.comparison.answer(&row.load)).collect();
        Ok(Self {
            over_loads: Some(LoadMatrix::of_comparisons(&answers, &keys, &baseline_of(&rows, &keys))),
            host_differences: HostDifference::between(&hosts),
            gates: rows.iter().flat_map(UnderLoad::gates).collect(),
            findings,
            rows,
        })
    }
}

impl UnderLoad {
    /// What became of the gates, each with its load.
    fn gates(&self) -> impl Iterator<Item = GateOutcome> {
        self.comparison.gates.iter().cloned().map(|mut outcome| {
            outcome.metric.load.get_or_insert_with(|| self.load.clone());
            outcome
        })
    }
}

/// The loads of some samples, and which of them each sample is of.
pub(super) struct Loads {
    names: Vec<String>,
    /// By sample.
    of: Vec<usize>,
}

impl Loads {
    /// `None` where there is one load, or no configuration was measured under two of them: then loads are not what is compared over,
    /// and have to agree.
    pub(super) fn of(samples: &[Sample]) -> Option<Self> {
        // What was measured first: what a source does not state agrees with anything, and must not stand for the others.
        let mut order: Vec<usize> = (0..samples.len()).collect();
        order.sort_by_key(|index| samples[*index].counted.is_none());
        let mut firsts: Vec<usize> = Vec::new();
        let mut of = vec![0; samples.len()];
        for index in order {
            let is_same =
                |first: &usize| !samples[*first].conditions.is_other_load(&samples[index].conditions);
            of[index] = firsts.iter().position(is_same).unwrap_or_else(|| {
                firsts.push(index);
                firsts.len() - 1
            });
        }
        let is_measured = |index: &usize| samples[*index].counted.is_some();
        let measured: Vec<(usize, Option<String>)> = (0..samples.len())
            .filter(is_measured)
            .map(|index| (of[index], identity(&samples[index])))
            .collect();
        // The first load of each name, and the first name under each load.
        let mut load_of: HashMap<&String, usize> = HashMap::new();
        let is_over_loads = measured.iter().any(|(load, name)| {
            name.as_ref().is_some_and(|name| load_of.entry(name).or_insert(*load) != load)
        });
        // Two configurations at least under one of them, or there is nothing to compare at all.
        let mut name_of: HashMap<usize, &Option<String>> = HashMap::new();
        let has_two = measured.iter().any(|(load, name)| match name_of.insert(*load, name) {
            Some(other) => name.is_none() || other != name,
            None => false,
        });
        if !is_over_loads || !has_two {
            return None;
        }
        // In the order in which they were given.
        let mut places: Vec<usize> = Vec::new();
        for load in &of {
            if !places.contains(load) {
                places.push(*load);
            }
        }
        let conditions: Vec<&Conditions> =
            places.iter().map(|load| &samples[firsts[*load]].conditions).collect();
        let subjects = places.iter().map(|load| samples[firsts[*load]].subject.as_str()).collect::<Vec<_>>();
        let place = |load: &usize| places.iter().position(|one| one == load).expect("it was added just now");
        Some(Self {
            names: Conditions::names_of_loads(&conditions, &subjects),
            of: of.iter().map(place).collect(),
        })
    }
}

/// What a configuration is known by under several loads; `None` for what has no name.
fn identity(sample: &Sample) -> Option<String> {
    // By the label alone: an attribute may say which load it was.
    let of_attributes = || Some(serde_json::json!(sample.attributes).to_string());
    sample.label.clone().or_else(|| of_attributes().filter(|_| !sample.attributes.is_empty()))
}

/// The baseline that most of them have: where a load lacks the one that was asked for, it has another one.
fn baseline_of(rows: &[UnderLoad], keys: &[String]) -> String {
    let count = |key: &String| rows.iter().filter(|row| row.comparison.baseline == *key).count();
    // `max_by_key` takes the last of several, and the first one is meant.
    keys.iter().rev().max_by_key(|key| count(key)).cloned().unwrap_or_default()
}

/// What the user asks, of which a load may lack something that another one has.
struct LoadRequests<'r> {
    request: &'r CompareRequest,
    /// Why a part of it could not be had under a load; of each part with the number of loads.
    missing: Vec<(CompareError, usize)>,
}

impl<'r> LoadRequests<'r> {
    fn new(request: &'r CompareRequest) -> Self {
        Self { request, missing: Vec::new() }
    }

    fn compare(&mut self, samples: Vec<Sample>) -> Result<Comparison, CompareError> {
        let mut request = self.request.clone();
        loop {
            let error = match Comparison::new(samples.clone(), &request) {
                Ok(comparison) => return Ok(comparison),
                Err(error) => error,
            };
            match &error {
                CompareError::UnknownBaseline { .. } => request.baseline = None,
                CompareError::UnknownAttribute { .. } | CompareError::NoPair { .. } => request.by = None,
                CompareError::UnknownMetric { name, .. } => {
                    request.gates.retain(|gate: &Gate| gate.name != *name);
                }
                _ => return Err(error),
            }
            let is_same = |(known, _): &(CompareError, usize)| known.is_about_the_same(&error);
            match self.missing.iter().position(is_same) {
                Some(at) => self.missing[at].1 += 1,
                None => self.missing.push((error, 1)),
            }
        }
    }

    /// What no load has is a mistake.
    fn check(self, load_count: usize) -> Result<(), CompareError> {
        match self.missing.into_iter().find(|(_, count)| *count >= load_count) {
            Some((error, _)) => Err(error),
            None => Ok(()),
        }
    }
}

/// So many findings of one kind are told of all loads; the others are in their chapters.
const MOST_OF_A_KIND: usize = 2;

/// The warnings of the comparisons: each once where several loads have the same.
fn findings_of(rows: &[UnderLoad]) -> Vec<Finding> {
    let of_loads = rows.iter().map(|row| (row.load.as_str(), row.comparison.findings.as_slice()));
    let mut all: Vec<Finding> = Vec::new();
    let mut left_out = 0;
    for (one, loads) in warnings_with_names(of_loads) {
        if all.iter().filter(|known| known.id == one.id).count() >= MOST_OF_A_KIND {
            left_out += 1;
            continue;
        }
        let named = || Place::Loads(loads.iter().map(|load| (*load).to_owned()).collect());
        let place = if loads.len() == rows.len() { Place::EveryLoad } else { named() };
        all.push(one.clone().placed(place));
    }
    if left_out > 0 {
        let fact = ComparedFact::MoreWarnings { warning_count: left_out };
        all.push(Finding::of_comparison(FindingId::Caveat, Severity::Warning, fact));
    }
    all
}
