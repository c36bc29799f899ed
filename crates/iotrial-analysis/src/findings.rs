//! Findings: what the reader should know about the figures of a record, each with its evidence.
//!
//! Every finding is a predicate on the facts of a record. The ids are an interface (`docs/json.md`).

use std::collections::BTreeMap;

use iotrial_model::record::{Finding, RunRecord, Severity};
use serde_json::Value;

mod course;
mod devices;
mod generator;
pub(crate) mod limit;
mod modes;
mod open_load;
mod pace;
mod stall;
mod targets;
mod throttle;

/// All that is odd about a record, the most serious first.
///
/// Findings that the record brings along from the time of the run are not repeated here.
pub fn findings(record: &RunRecord) -> Vec<Finding> {
    let mut all: Vec<Finding> = [
        course::interrupted(record),
        course::io_errors(record),
        course::short_io(record),
        stall::stalled(record),
        open_load::latency_limit_missed(record),
        open_load::not_issued(record),
        open_load::late_issues(record),
        targets::in_memory_target(record),
        targets::buffered_io(record),
        generator::polled_io(record),
        devices::cache_served(record).or_else(|| modes::cache_served(record)),
        devices::foreign_load(record),
        throttle::throttled_after_burst(record),
        course::unsteady(record),
        generator::littles_law(record),
        generator::generator_busy(record),
        course::clock_jump(record),
        course::short_run(record),
        limit::flat_limit(record),
        devices::amplified_io(record),
        devices::merged_io(record),
        targets::small_working_set(record),
        generator::engine_fallback(record),
    ]
    .into_iter()
    .flatten()
    .chain(targets::size_reduced(record))
    .collect();
    // Stable: within a severity the order above stays.
    all.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    all
}

pub(crate) use course::short_measurement;
pub(crate) use devices::foreign_load;
pub(crate) use generator::generator_busy;
pub(crate) use open_load::late_issues;

/// A finding with its evidence.
pub(crate) fn finding<const N: usize>(
    id: &str,
    severity: Severity,
    message: String,
    evidence: [(&str, Value); N],
) -> Finding {
    let evidence: BTreeMap<String, Value> =
        evidence.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Finding { id: id.to_owned(), severity, message, evidence }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_record::{healthy, measured};

    #[test]
    fn a_healthy_run_has_no_findings() {
        assert_eq!(findings(&healthy()), []);
    }

    #[test]
    fn the_most_serious_come_first() {
        let mut record = measured(30, |second| 1_000 + 100 * second);
        record.targets[0].in_memory = true;
        record.plan.notes.push("all files together are 1 GiB instead of 2 GiB".to_owned());
        let ids: Vec<String> = findings(&record).into_iter().map(|finding| finding.id).collect();
        assert_eq!(ids, ["in-memory-target", "unsteady", "short-run", "size-reduced"]);
    }
}
