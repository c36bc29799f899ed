//! Findings: what the reader should know about the figures of a result, each with its evidence.
//!
//! In two steps: what a result shows is measured once (`Observed`); a finding is a predicate on that. Its words follow from its facts.
//! They are computed whenever a result is shown. The ids are an interface (`docs/json.md`).

use iotrial_model::finding::{Doubts, Evidence, Finding, Severity};
use iotrial_model::subject::Subject;

mod course;
mod devices;
mod freeze;
pub(crate) mod generator;
pub(crate) mod limit;
mod modes;
mod observed;
mod open_load;
mod pace;
mod pause;
mod scaling;
mod stall;
pub(crate) mod stated;
mod steps;
mod targets;
mod throttle;
mod uneven;
mod written;

pub(crate) use observed::Observed;
pub use targets::shared_disks;
pub(crate) use targets::within_array_cache;

/// A predicate on a result.
type Judge = fn(&Observed<'_, '_>) -> Option<Finding>;

/// All of them that find one thing at most; of a file with several, those that it lists. Their order decides nothing.
const JUDGES: [&[Judge]; 8] = [
    course::JUDGES,
    devices::JUDGES,
    generator::JUDGES,
    open_load::JUDGES,
    stated::JUDGES,
    targets::JUDGES,
    written::JUDGES,
    &[
        stall::stalled,
        pause::paused,
        throttle::throttled_after_burst,
        uneven::uneven_devices,
        // One finding for what devices counted or latencies show: the first is the surer one.
        |seen| devices::cache_below(seen).or_else(|| modes::cache_by_latency(seen)),
    ],
];

/// All that is odd about a result, the most serious first.
pub fn findings(subject: &Subject<'_>) -> Vec<Finding> {
    if subject.steps.is_empty() { Observed::of(subject).findings() } else { steps::findings(subject) }
}

impl Observed<'_, '_> {
    /// All that is odd about it, the most serious first, and within a severity by id.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let judges = JUDGES.into_iter().flatten();
        let mut all: Vec<Finding> = judges.filter_map(|judge| judge(self)).collect();
        all.extend(limit::flat_limits(self));
        all.extend(targets::shared_disks(self.subject.targets));
        all.extend(targets::size_reduced(self));
        all.sort_by_key(|finding| finding.id);
        // Of two ways to see the same thing the facts are believed before what was found at the time.
        for recorded in self.recorded() {
            if all.iter().all(|found| found.id != recorded.id) {
                all.push(recorded);
            }
        }
        // How fast a load is that also compares says nothing, and so does what may have slowed it down.
        if self.subject.verification.is_some() {
            all.retain(|found| written::counts(found.id));
        }
        // Stable: within a severity the order above stays.
        all.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        all
    }

    /// Whether a rate stood still while I/Os waited, as it does at a limit that is set.
    pub(crate) fn has_flat_limit(&self) -> bool {
        !self.flat.is_empty()
    }

    /// Findings by which something else than the device may have been the limit of an open load that lacks this share of the I/Os
    /// that it should have done.
    pub(crate) fn doubts(&self, missing_share: f64) -> Doubts {
        let late = open_load::late_issues(self);
        let late = late.filter(|late| late.severity > Severity::Note && explains(late, missing_share));
        let found = [generator::generator_busy(self), late, devices::foreign_load(self)];
        found.into_iter().flatten().map(|finding| finding.id).collect()
    }
}

/// Whether I/Os that were issued late can be why a load did less than it should have.
///
/// Only what was due while there was room counts as late. Where far more is missing than that, I/Os waited for room, and the device
/// was behind.
fn explains(late: &Finding, missing_share: f64) -> bool {
    // A half, because what is late takes the room of what comes after it.
    let Evidence::LateIssues(issues) = &late.evidence else { return true };
    issues.late_percent / 100.0 >= missing_share / 2.0
}

/// A predicate on a run, for tests.
#[cfg(test)]
fn found<T>(record: &iotrial_model::record::RunRecord, predicate: impl Fn(&Observed<'_, '_>) -> T) -> T {
    predicate(&Observed::of(&Subject::of_run(record)))
}

#[cfg(test)]
mod tests {
    use iotrial_model::finding::{FindingId, LateIssues};
    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::test_record::{healthy, measured};

    fn findings(record: &RunRecord) -> Vec<Finding> {
        super::findings(&Subject::of_run(record))
    }

    #[test]
    fn a_healthy_run_has_no_findings() {
        assert_eq!(findings(&healthy()), []);
    }

    #[test]
    fn what_an_older_version_found_in_a_run_does_not_count() {
        let mut record = measured(30, |_| 16_000);
        let short = findings(&record);
        record.findings = short.iter().map(iotrial_words::finding::to_record).collect();
        record.findings[0].message = "in other words".to_owned();
        assert_eq!(findings(&record), short);
        let mut long = healthy();
        long.findings = record.findings;
        assert_eq!(findings(&long), []);
    }

    #[test]
    fn no_number_of_a_strangers_run_overflows_what_is_found_in_it() {
        let mut record = measured(2, |_| 16_000);
        crate::test_record::chain(&mut record, &[("sda1", 1, "", 1.0), ("sda", 2, "sda1", 1.0)]);
        let extremes = crate::test_record::extremes(&record);
        assert!(extremes.len() > 100, "{}", extremes.len());
        for one in extremes.iter().filter(|one| one.check().is_ok()) {
            findings(one);
        }
    }

    #[test]
    fn a_strangers_run_whose_jobs_are_deeper_together_than_can_be_added_up_is_refused() {
        let deep = |job_count: usize| {
            let mut record = measured(2, |_| 16_000);
            (record.plan.jobs[0].iodepth, record.plan.jobs[0].numjobs) = (1 << 16, 1 << 12);
            record.plan.jobs = vec![record.plan.jobs[0].clone(); job_count];
            record.jobs = vec![record.jobs[0].clone(); job_count];
            for interval in &mut record.intervals {
                interval.jobs = vec![interval.jobs[0].clone(); job_count];
            }
            record
        };
        assert_eq!(deep(15).check(), Ok(()));
        findings(&deep(15));
        assert!(deep(16).check().is_err());
    }

    #[test]
    fn the_most_serious_come_first() {
        let mut record = measured(30, |second| 1_000 + 100 * second);
        record.targets[0].in_memory = true;
        record.plan.notes.push("all files together are 1 GiB instead of 2 GiB".to_owned());
        let ids: Vec<&str> = findings(&record).iter().map(|finding| finding.id.as_str()).collect();
        assert_eq!(ids, ["in-memory-target", "unsteady", "short-run", "size-reduced"]);
        record.plan.polled = true;
        let ids: Vec<&str> = findings(&record).iter().map(|finding| finding.id.as_str()).collect();
        assert_eq!(ids, ["in-memory-target", "unsteady", "short-run", "polled-io", "size-reduced"]);
    }

    #[test]
    fn limits_and_caches_that_only_latencies_show_are_among_the_findings() {
        let counts = crate::test_record::counts;
        let us = std::time::Duration::from_micros;
        let of_reads = |change: &dyn Fn(usize, &mut iotrial_model::record::OpCounts)| {
            let mut record = measured(60, |_| 1_600);
            for (second, interval) in record.intervals.iter_mut().enumerate() {
                change(second, interval.jobs[0].read.as_mut().unwrap());
            }
            record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
            record.devices.clear();
            findings(&record).iter().map(|finding| finding.id).collect::<Vec<_>>()
        };
        // One I/O that found the device idle.
        let flat = of_reads(&|second, reads| {
            if second == 0 {
                reads.total_latency.merge(&counts(1, us(200)).total_latency);
            }
        });
        assert_eq!(flat, [FindingId::FlatIopsLimit]);
        let two_modes = of_reads(&|second, reads| {
            let fast = 500 + 97 * (second as u64 % 5);
            *reads = counts(fast, us(400));
            reads.merge(&counts(800 - fast / 2, us(9_000)));
        });
        assert!(two_modes.contains(&FindingId::CacheServed), "{two_modes:?}");
    }

    #[test]
    fn what_was_found_at_the_time_is_told_only_where_the_facts_do_not_show_it() {
        let mut record = healthy();
        let failed = |record: &mut RunRecord| record.jobs[0].read.as_mut().unwrap().error_count = 3;
        failed(&mut record);
        record.plan.polled = true;
        let recorded: Vec<iotrial_model::finding::RecordedFinding> =
            findings(&record).iter().map(iotrial_words::finding::to_record).collect();
        let ids = |record: &RunRecord| {
            let subject = Subject { recorded_findings: &recorded, ..Subject::of_run(record) };
            super::findings(&subject).iter().map(|finding| finding.id).collect::<Vec<_>>()
        };
        let both = [FindingId::IoErrors, FindingId::PolledIo];
        assert_eq!((ids(&record), ids(&healthy())), (both.to_vec(), both.to_vec()));
    }

    #[test]
    fn ios_that_were_late_explain_up_to_twice_as_many_that_are_missing() {
        let late = |late_percent: f64, missing_share: f64| {
            let evidence = Evidence::LateIssues(LateIssues {
                job: String::new(),
                late_count: 1,
                late_percent,
                held: Vec::new(),
                are_commits: false,
                is_in_figures: false,
            });
            explains(&Finding::new(FindingId::LateIssues, Severity::Warning, evidence), missing_share)
        };
        assert!(late(12.5, 0.25) && !late(12.5, 0.252) && late(12.5, 0.0));
    }
}
