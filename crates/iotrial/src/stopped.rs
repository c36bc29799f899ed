//! What is shown of work that the user stopped: that nothing is decided, and how it is begun again.

use std::time::Duration;

use iotrial_analysis::words::seconds_in_words;
use iotrial_model::plan::{AreaKind, Plan};
use iotrial_model::record::{RunRecord, TargetRecord};
use iotrial_model::sweep::SweepRecord;

use crate::shell_line;

/// What became of the test files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// There were none, or nobody knows.
    Unknown,
    /// They are gone.
    Removed,
    /// They are still there, as was asked.
    Kept,
}

impl Files {
    /// Of a load that is over and has given its targets back.
    pub fn of(plan: &Plan, are_kept: bool) -> Self {
        let has_own = plan.areas.iter().any(|area| area.kind == AreaKind::ManagedFile);
        match (has_own, are_kept) {
            (false, _) => Self::Unknown,
            (true, false) => Self::Removed,
            (true, true) => Self::Kept,
        }
    }
}

/// How long the loads of a run had gone on, those of a search without their ramps; zero where none had begun.
pub fn time_of_run(record: &RunRecord) -> Duration {
    let searched = record.search.iter().flat_map(|search| &search.probes).map(|probe| probe.duration);
    searched.chain(record.intervals.iter().map(|interval| interval.duration)).sum()
}

/// The same of a sweep, whose last probe is not in its record.
pub fn time_of_sweep(record: &SweepRecord) -> Duration {
    record.probes.iter().flat_map(|probe| &probe.course).map(|second| second.duration).sum()
}

/// The two lines.
pub fn lines(after: Duration, files: Files, again: &str) -> String {
    let when = if after.is_zero() {
        "before a load was measured".to_owned()
    } else {
        format!("after {} of load", seconds_in_words(after.as_secs_f64()))
    };
    let files = match files {
        Files::Unknown => "",
        Files::Removed => ", files removed",
        Files::Kept => ", files kept",
    };
    format!("stopped {when}: nothing decided{files}\nagain: {again}\n")
}

/// A command on the targets of a record.
pub fn on_targets(command: &str, targets: &[TargetRecord]) -> String {
    let words = targets.iter().map(|target| format!(" {}", shell_line::option("--target", &target.named())));
    format!("iotrial {command}{}", words.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stops_a_load_is_told_in_two_lines() {
        for files in [Files::Unknown, Files::Removed, Files::Kept] {
            for seconds in [0, 12, 4_000] {
                let said = lines(Duration::from_secs(seconds), files, "iotrial run");
                assert_eq!(said.lines().count(), 2, "{said}");
                assert!(said.lines().all(|line| line.chars().count() < 80), "{said}");
            }
        }
    }
}
