//! Rules that a configuration breaks.

use iotrial_model::words::counted;
use iotrial_sizing::measure::grouped;
use iotrial_sizing::rule::{Breach, BrokenRule};

/// What a rule says, and who says so.
pub fn broken_rule(rule: &BrokenRule) -> String {
    format!("{}; source: {}", breach(&rule.breach), rule.source)
}

/// What a rule says, in one sentence without a full stop.
pub fn breach(breach: &Breach) -> String {
    match breach {
        Breach::OfCatalog { message, .. } => message.clone(),
        Breach::MirrorNeedsVolumes { mirror, volumes } => {
            format!("a {mirror} mirror needs {} volumes, but there is {volumes}", mirror.copies())
        }
        Breach::LimitsUnknown { why: Some(why), .. } => why.clone(),
        Breach::LimitsUnknown { machine, volume, why: None } => {
            format!("the catalog has no limits of {machine} for {volume}")
        }
        Breach::TooManyVolumes { machine, most, count, in_all } => {
            let which = if *in_all { "in total" } else { "of this kind" };
            format!("{machine} takes at most {most} volumes {which}, not {count}")
        }
        Breach::TooMuchCapacity { name, most_gib, gib } => format!(
            "a machine takes at most {} GiB of {name} in total, not {}",
            grouped(*most_gib),
            grouped(*gib)
        ),
        Breach::NetworkUnknown { machine, replicas } => format!(
            "the network rate of {machine} is not in the catalog, so the writes to {} are not checked against a limit",
            counted(u64::from(*replicas), "other machine")
        ),
        Breach::NoHostCache { machine } => {
            format!("the host cache limits of {machine} are not in the catalog, so none are applied")
        }
        Breach::DatabaseOnArm(database) => format!("there is no {} for ARM processors", database.title()),
        Breach::DatabaseTooLarge { database, most_vcpus, machine, vcpus } => {
            format!("{} may run on at most {most_vcpus} vCPUs, and {machine} has {vcpus}", database.title())
        }
    }
}
