//! Which answer is the cheapest, and what is said of that.

use super::money;
use crate::explanation::Explanation;
use crate::floor::VcpuFloor;
use crate::search::Found;

/// The provider with the lowest cost, of those whose cost is complete; one with machines as large as the rule of thumb asks for before
/// one without, because a smaller machine is not the same offer.
pub(super) fn cheapest_of(found: &[Found]) -> Option<usize> {
    let complete = |one: &Found| one.answers.first().is_some_and(|answer| answer.cost.is_complete());
    let cost = |index: &usize| found[*index].answers[0].cost.per_month;
    // A sum with a missing part is a lower bound; calling it the cheapest would favour whoever publishes
    // least.
    let candidates = (0..found.len()).filter(|index| complete(&found[*index]));
    let is_small = |index: &usize| found[*index].is_below_floor;
    candidates.min_by(|a, b| is_small(a).cmp(&is_small(b)).then(cost(a).total_cmp(&cost(b))))
}

/// Whether the answer is the cheapest of all, or has fewer volumes than the cheapest and costs a little more.
pub(super) fn of_cheapest(found: &[Found], own: &Found, answer: &Explanation, currency: &str) -> String {
    let in_part = found.iter().flat_map(|one| &one.answers).any(|answer| !answer.cost.is_complete());
    let those = if in_part { " among the answers with a complete cost" } else { "" };
    let of = if found.len() == 1 { "the catalog".to_owned() } else { format!("{} catalogs", found.len()) };
    match &own.without_tolerance {
        // Less than half a unit prints as the same sum.
        Some(one) if answer.cost.per_month - one.per_month >= 0.5 && one.volumes > answer.volumes => format!(
            "It is the cheapest in {of}{those} unless you take {} volumes instead of {}, for {} (--tolerance 0)",
            one.volumes,
            answer.volumes,
            money(one.per_month, currency)
        ),
        _ => format!("It is the cheapest in {of}{those}"),
    }
}

/// Below how many processors no machine was looked at, and where that left nothing.
pub(super) fn floor_in_words(floor: &VcpuFloor, found: &[Found]) -> String {
    let VcpuFloor { vcpus, why } = floor;
    let small: Vec<&str> =
        found.iter().filter(|one| one.is_below_floor).map(|one| one.title.as_str()).collect();
    let with_answer = found.iter().filter(|one| !one.answers.is_empty()).count();
    if small.is_empty() {
        format!(
            "only machines with at least {vcpus} vCPUs are compared ({why}); --vcpus N sets another minimum"
        )
    } else if small.len() == with_answer {
        format!(
            "no machine with at least {vcpus} vCPUs ({why}) is available for this demand: smaller ones are shown"
        )
    } else {
        format!(
            "only machines with at least {vcpus} vCPUs are compared ({why}), except for {}, which has none: smaller ones are shown there",
            small.join(" and ")
        )
    }
}
