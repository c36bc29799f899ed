//! What may be why a tail is worse.

use iotrial_model::host_fact::{FactId, FactValue};
use iotrial_model::recommendation::TailCause;

/// More differences than this are counted.
const MOST_NAMED: usize = 6;

/// In what the configuration with the worse tail differs from the other one. Both are named by their titles.
pub fn tail_causes(configuration: &str, baseline: &str, causes: &[TailCause]) -> String {
    let mut named: Vec<String> = causes.iter().take(MOST_NAMED).map(tail_cause).collect();
    if causes.len() > MOST_NAMED {
        named.push(format!("and {} more differences of the hosts", causes.len() - MOST_NAMED));
    }
    format!("{configuration} differs from {baseline} in: {}.", named.join("; "))
}

fn tail_cause(cause: &TailCause) -> String {
    match cause {
        TailCause::Attribute { name, from, to } => {
            format!("“{name}” ({} instead of {})", or_none(to), or_none(from))
        }
        TailCause::Setting { target, part, fact, from, to } => {
            let below = target.as_ref().map_or_else(String::new, |target| format!(" below {target}"));
            let (from, to) = (written(*fact, from), written(*fact, to));
            format!("{} of the {}{below} ({to} instead of {from})", fact.title(), part.title())
        }
        TailCause::Steal { from_percent, to_percent } => {
            format!("CPU time taken by the hypervisor ({to_percent:.1} % instead of {from_percent:.1} %)")
        }
    }
}

fn or_none(value: &str) -> &str {
    if value.is_empty() { "none" } else { value }
}

fn written(fact: FactId, values: &[FactValue]) -> String {
    values.iter().map(|value| fact.written(value)).collect::<Vec<_>>().join(", ")
}
