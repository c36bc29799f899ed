//! A factor: an attribute in which configurations differ, and what it changes when nothing else does.

use std::collections::{BTreeMap, BTreeSet};

use iotrial_model::metric::{MetricGroup, StreamRange};
use iotrial_model::record::AttributeValue;
use serde::Serialize;

use super::configuration::Configuration;
use super::cost::is_cost;
use super::delta::{BoundedDelta, Pair, Reading, stream_ranges};

/// What one attribute changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Factor {
    /// Name of the attribute.
    pub attribute: String,
    /// One for each pair of configurations that differ in nothing else.
    pub pairs: Vec<FactorPair>,
}

/// Two configurations that differ in one attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactorPair {
    /// The value of the configuration that is compared with; empty where it has none.
    pub from: String,
    /// The value of the other one.
    pub to: String,
    /// What else both have, for people.
    pub same: String,
    /// What changes between the two, metric by metric.
    #[serde(flatten)]
    pub pair: Pair,
}

/// What a factor does to a group of metrics, over all its pairs with the same values.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupChange {
    /// The group of metrics.
    pub group: MetricGroup,
    /// The changes that are shown, of each stream by itself.
    pub ranges: Vec<StreamRange>,
    /// How many changes are for the better.
    pub better_count: usize,
    /// How many are for the worse.
    pub worse_count: usize,
    /// Of how many too little was measured to tell, or only a bound is known.
    pub unknown_count: usize,
    /// How many changes there are in all.
    pub count: usize,
}

impl Factor {
    /// The values that are compared, each from and to, in the order of the pairs.
    pub fn steps(&self) -> Vec<(&str, &str)> {
        // In the order of the pairs, not sorted: the baseline's value comes first.
        let mut steps = Vec::new();
        for pair in &self.pairs {
            let step = (pair.from.as_str(), pair.to.as_str());
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        steps
    }

    /// What the step from one value to another does to each group of metrics.
    pub fn changes(&self, step: (&str, &str)) -> Vec<GroupChange> {
        // `None` for a group without any metric, so that no empty row is shown.
        let pairs = || self.pairs.iter().filter(|pair| (pair.from.as_str(), pair.to.as_str()) == step);
        let change = |group: &MetricGroup| {
            let deltas = || pairs().flat_map(|pair| pair.pair.of_group(*group));
            // A bound can be sure of a change, too.
            let is_of_group =
                |delta: &&BoundedDelta| delta.metric.group() == *group && delta.metric.is_ranked();
            let bounded = || pairs().flat_map(|pair| pair.pair.bounded.iter().filter(is_of_group));
            let readings = || deltas().map(|delta| delta.reading).chain(bounded().map(|delta| delta.reading));
            readings().next()?;
            let count = |is_it: fn(Reading) -> bool| readings().filter(|reading| is_it(*reading)).count();
            Some(GroupChange {
                group: *group,
                ranges: stream_ranges(deltas()),
                better_count: count(Reading::is_better),
                worse_count: count(Reading::is_worse),
                unknown_count: count(Reading::is_unknown),
                count: readings().count(),
            })
        };
        MetricGroup::RANKED.iter().filter_map(change).collect()
    }
}

fn value_of(configuration: &Configuration, attribute: &str) -> String {
    configuration.attributes.get(attribute).map(AttributeValue::to_string).unwrap_or_default()
}

/// The attributes that have more than one value.
pub(super) fn varying_attributes(configurations: &[Configuration]) -> Vec<String> {
    // A set, so that factors come in the same order whatever order the configurations were given in.
    let names: BTreeSet<&String> = configurations.iter().flat_map(|one| one.attributes.keys()).collect();
    let varies = |name: &&&String| {
        // Compared with the first one only: if anything differs at all, something differs from the first.
        configurations.iter().any(|one| value_of(one, name) != value_of(&configurations[0], name))
    };
    // What it costs follows from everything else, and is not a cause of anything.
    names.iter().filter(|name| !is_cost(name)).filter(varies).map(|name| (*name).clone()).collect()
}

/// The factors, each with its pairs; those without a pair are left out.
///
/// Configurations that agree in everything but the attribute are a group. In each group the one with the
/// value of the comparison's baseline is compared with all others; where none has it, the first one.
pub(super) fn factors(configurations: &[Configuration], baseline: usize) -> Vec<Factor> {
    let factor = |attribute: String| {
        let pairs = pairs_of(configurations, baseline, &attribute);
        (!pairs.is_empty()).then_some(Factor { attribute, pairs })
    };
    varying_attributes(configurations).into_iter().filter_map(factor).collect()
}

fn pairs_of(configurations: &[Configuration], baseline: usize, attribute: &str) -> Vec<FactorPair> {
    let rest = |one: &Configuration| -> BTreeMap<String, String> {
        // All other attributes must agree. That is what isolates the factor; averaging over everything else
        // would mix in whatever happens to go along with it.
        let others = one.attributes.iter().filter(|(name, _)| *name != attribute && !is_cost(name));
        others.map(|(name, value)| (name.clone(), value.to_string())).collect()
    };
    // A list keeps the order in which the configurations came, a map finds the group: with a thousand
    // configurations a search through the list would be quadratic.
    let mut groups: Vec<(BTreeMap<String, String>, Vec<&Configuration>)> = Vec::new();
    let mut position_of: BTreeMap<BTreeMap<String, String>, usize> = BTreeMap::new();
    for configuration in configurations {
        let rest = rest(configuration);
        let position = *position_of.entry(rest.clone()).or_insert_with(|| {
            groups.push((rest, Vec::new()));
            groups.len() - 1
        });
        groups[position].1.push(configuration);
    }
    let reference_value = value_of(&configurations[baseline], attribute);
    let varying = varying_attributes(configurations);
    let mut pairs = Vec::new();
    for (rest, members) in groups {
        let has_reference_value = |one: &&&Configuration| value_of(one, attribute) == reference_value;
        // Where no member has the baseline's value, the first takes its place. Comparing each with each would
        // show the same effect several times.
        let Some(reference) = members.iter().find(has_reference_value).or(members.first()) else { continue };
        let from = value_of(reference, attribute);
        let same: Vec<String> = rest
            .iter()
            // Attributes that are the same everywhere say nothing about the pair.
            .filter(|(name, _)| varying.contains(name))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        for other in members.iter().filter(|other| value_of(other, attribute) != from) {
            pairs.push(FactorPair {
                from: from.clone(),
                to: value_of(other, attribute),
                same: same.join(" "),
                pair: Pair::new(reference, other),
            });
        }
    }
    pairs
}
