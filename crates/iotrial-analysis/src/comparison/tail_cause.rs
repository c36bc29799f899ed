//! What may be why a tail is worse: in what the configurations differ, as far as attributes and records say it.
//!
//! Only differences are offered. What both have does not tell one from the other, and whether a difference is the cause only another
//! measurement shows.

use iotrial_model::host_fact::FactId;
use iotrial_model::recommendation::TailCause;
use iotrial_model::record::AttributeValue;
use iotrial_words::recommendation as words;
use serde::Serialize;

use super::configuration::{Configuration, title_of};
use super::cost::is_cost;
use super::host_difference::HostDifference;
use super::tail_problem::TailProblem;

/// What decides first which CPU completes an I/O, and how many may be under way: with these a few I/Os wait, and the mean hardly changes.
const FIRST: [FactId; 9] = [
    FactId::QueueInterrupts,
    FactId::HardwareQueues,
    FactId::QueueDepth,
    FactId::NrRequests,
    FactId::Scheduler,
    FactId::CompletionAffinity,
    FactId::Transport,
    FactId::Driver,
    FactId::DriverVersion,
];

/// Less is a tick of a clock now and then, in percent of all CPUs.
// A choice; ten times as much leaves a generator short of CPU (`docs/measurement.md`).
const LEAST_STEAL_PERCENT: f64 = 1.0;

/// The differences of a configuration with a worse tail from the one that it was compared with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TailCauses {
    /// Key of the configuration that is compared with.
    pub baseline: String,
    /// Key of the configuration with the worse tail.
    pub configuration: String,
    /// In what they differ, what most often matters first; never empty.
    pub causes: Vec<TailCause>,
    /// The same in a sentence.
    pub text: String,
}

/// Those of each pair of which a tail is told, once.
pub(super) fn tail_causes(
    configurations: &[Configuration],
    problems: &[TailProblem],
    differences: &[HostDifference],
) -> Vec<TailCauses> {
    let find = |key: &str| configurations.iter().find(|one| one.key == key);
    let mut all: Vec<TailCauses> = Vec::new();
    for TailProblem { baseline, configuration, .. } in problems {
        let is_known = all.iter().any(|one| (&one.baseline, &one.configuration) == (baseline, configuration));
        let (Some(from), Some(to)) = (find(baseline), find(configuration)) else { continue };
        let causes = causes_of(from, to, differences);
        if is_known || causes.is_empty() {
            continue;
        }
        let title = |key: &str| title_of(configurations, key);
        all.push(TailCauses {
            baseline: baseline.clone(),
            configuration: configuration.clone(),
            text: words::tail_causes(&title(configuration), &title(baseline), &causes),
            causes,
        });
    }
    all
}

fn causes_of(from: &Configuration, to: &Configuration, differences: &[HostDifference]) -> Vec<TailCause> {
    let value = |one: &Configuration, name: &str| {
        one.attributes.get(name).map(AttributeValue::to_string).unwrap_or_default()
    };
    let mut names: Vec<&String> = from.attributes.keys().chain(to.attributes.keys()).collect();
    names.sort();
    names.dedup();
    // What it costs follows from everything else, and slows nothing down.
    names.retain(|name| !is_cost(name) && value(from, name) != value(to, name));
    let attributes = names.iter().map(|name| TailCause::Attribute {
        name: (*name).clone(),
        from: value(from, name),
        to: value(to, name),
    });
    // An attribute that says the same was written down by somebody, or taken from the host.
    let is_said = |fact: FactId| {
        let word = if fact == FactId::Transport { "attachment" } else { fact.as_str() };
        names.iter().any(|name| *name == word)
    };
    let mut settings: Vec<(usize, TailCause)> = Vec::new();
    for one in differences {
        let values = |key: &str| {
            let of_key = one.values.iter().find(|values| values.configuration == key);
            of_key.map(|values| values.values.clone()).filter(|values| !values.is_empty())
        };
        let (Some(fact), Some(before), Some(after)) = (one.fact, values(&from.key), values(&to.key)) else {
            continue;
        };
        if before == after || is_said(fact) {
            continue;
        }
        let place = FIRST.iter().position(|first| *first == fact).unwrap_or(FIRST.len());
        let target = one.target.clone();
        settings.push((place, TailCause::Setting { target, part: one.part, fact, from: before, to: after }));
    }
    settings.sort_by_key(|(place, _)| *place);
    let steal = from.steal_percent.zip(to.steal_percent);
    let steal = steal.filter(|(from, to)| to - from >= LEAST_STEAL_PERCENT);
    let steal = steal.map(|(from_percent, to_percent)| TailCause::Steal { from_percent, to_percent });
    attributes.chain(steal).chain(settings.into_iter().map(|(_, cause)| cause)).collect()
}
