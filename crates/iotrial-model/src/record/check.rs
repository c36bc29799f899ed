//! A record held against itself: records come from strangers.

use std::time::Duration;

use super::{
    CpuUse, DeviceCounters, HostActivity, Interval, JobCounts, Layout, OpCounts, Pause, RunRecord,
    StepCounts, host_facts,
};
use crate::application::{MOST_METRICS, is_metric_value, metric_name};
use crate::plan::Job;
use crate::search::Search;
use crate::step::{MOST_LOAD_PERCENT, MOST_STEPS, Step};

/// Why a record contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckRecordError {
    /// The counts of a record or of an interval are not those of the plan's jobs.
    #[error("its counts do not match the {jobs} jobs of its plan")]
    Jobs {
        /// Jobs of the plan.
        jobs: usize,
    },
    /// A job works on an area that the plan does not have.
    #[error("its job `{job}` works on an area that does not exist")]
    Area {
        /// Name of that job.
        job: String,
    },
    /// A number is beyond what any run can reach, so that sums with it would overflow.
    #[error("its {what} is out of range")]
    OutOfRange {
        /// The number in words that follow «its», such as `working set`.
        what: &'static str,
    },
}

/// No size and no count of a device reaches this; a thousand of them still add up within 64 bits.
pub(crate) const MOST_COUNTED: u64 = 1 << 53;
/// No sum of what was counted reaches this: two such sums still add up within 64 bits.
const MOST_SUMMED: u128 = 1 << 63;
/// No run lasts longer: a hundred years.
pub(crate) const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);

/// No run of a day that is stopped every second has more.
const MOST_PAUSES: usize = 100_000;

impl RunRecord {
    /// Holds a record against itself, so that every sum and every index of the analysis is safe. Records come
    /// from strangers.
    ///
    /// # Errors
    ///
    /// The first contradiction.
    pub fn check(&self) -> Result<(), CheckRecordError> {
        let jobs = self.plan.jobs.len();
        let fits = |counts: &[JobCounts]| counts.len() == jobs;
        if !fits(&self.jobs) || !self.intervals.iter().all(|interval| fits(&interval.jobs)) {
            return Err(CheckRecordError::Jobs { jobs });
        }
        for job in &self.plan.jobs {
            if job.areas.is_empty() || job.areas.iter().any(|area| *area >= self.plan.areas.len()) {
                return Err(CheckRecordError::Area { job: job.name.clone() });
            }
        }
        let in_range = |what, ok: bool| if ok { Ok(()) } else { Err(CheckRecordError::OutOfRange { what }) };
        let counted = |number: u64| number < MOST_COUNTED;
        in_range("number of jobs", jobs <= 10_000)?;
        let is_deep = |job: &Job| job.iodepth > 1 << 16 || job.numjobs > 1 << 12;
        in_range("outstanding I/O", !self.plan.jobs.iter().any(is_deep))?;
        // Together as well, because plans add them up in 32 bits: sixteen of the deepest jobs no longer fit.
        let depths = self.plan.jobs.iter().map(|job| u64::from(job.iodepth) * u64::from(job.numjobs));
        in_range("outstanding I/O", depths.sum::<u64>() <= u64::from(u32::MAX))?;
        in_range(
            "size of an area",
            self.plan.areas.iter().all(|area| counted(area.length.get()) && counted(area.offset.get())),
        )?;
        in_range("working set", self.plan.jobs.iter().all(|job| counted(job.working_set.get())))?;
        // With at most sixteen of them, all phases together are no longer than the longest run.
        in_range("length of a phase", self.plan.phases.iter().all(|phase| phase.duration <= LONGEST / 16))?;
        in_range("number of phases", self.plan.phases.len() <= 16)?;
        let steps = &self.plan.steps;
        in_range("number of steps", steps.len() <= MOST_STEPS && self.steps.len() <= steps.len())?;
        if !self.steps.iter().all(|step| fits(&step.jobs)) {
            return Err(CheckRecordError::Jobs { jobs });
        }
        in_range("step", steps.iter().all(Step::is_in_range))?;
        let of_steps = self.steps.iter().flat_map(|step| &step.jobs);
        let of_intervals = self.intervals.iter().flat_map(|interval| &interval.jobs);
        let all = self.jobs.iter().chain(of_steps).chain(of_intervals);
        in_range("count", are_counts_in_range(all))?;
        // Added to what was done, and to that of other jobs.
        let backlog = |interval: &Interval| {
            interval.backlog.len() <= jobs && interval.backlog.iter().all(|count| counted(*count))
        };
        in_range("backlog", self.intervals.iter().all(backlog))?;
        let total: Duration = self
            .intervals
            .iter()
            .try_fold(Duration::ZERO, |sum, one| sum.checked_add(one.duration))
            .unwrap_or(Duration::MAX);
        in_range("duration", total <= LONGEST && self.intervals.iter().all(|one| one.start <= LONGEST))?;
        in_range("CPU time", self.cpu.as_ref().is_none_or(CpuUse::is_in_range))?;
        in_range("device count", are_devices_in_range(&self.devices))?;
        let is_step_in_range = |step: &StepCounts| {
            step.cpu.as_ref().is_none_or(CpuUse::is_in_range) && are_devices_in_range(&step.devices)
        };
        in_range("count of a step", self.steps.iter().all(is_step_in_range))?;
        let is_past = |pause: &Pause| pause.start > LONGEST || pause.duration > LONGEST;
        in_range("pause", self.pauses.len() <= MOST_PAUSES && !self.pauses.iter().any(is_past))?;
        in_range("search", self.search.as_ref().is_none_or(Search::is_in_range))?;
        let is_metric = |(name, value): (&String, &f64)| {
            metric_name(name).is_ok_and(|plain| plain == *name) && is_metric_value(*value)
        };
        in_range("part of the host", self.host_facts.as_ref().is_none_or(host_facts::is_in_range))?;
        in_range("activity of the host", self.host_activity.as_ref().is_none_or(HostActivity::is_in_range))?;
        let are_few = self.metrics.len() <= MOST_METRICS && self.metric_failures.len() <= MOST_METRICS;
        in_range("metric of an application", are_few && self.metrics.iter().all(is_metric))?;
        in_range("layout", self.layout.as_ref().is_none_or(Layout::is_in_range))
    }
}

impl Step {
    /// Whether it can be that of a plan.
    fn is_in_range(&self) -> bool {
        let is_share = |percent: f64| (0.0..=MOST_LOAD_PERCENT).contains(&percent);
        self.duration <= LONGEST / 16 && is_share(self.load_percent) && self.from_percent.is_none_or(is_share)
    }
}

impl CpuUse {
    /// Whether its times can be those of a run, so that they can be added.
    pub(crate) fn is_in_range(&self) -> bool {
        let watched = (0.0..=LONGEST.as_secs_f64()).contains(&self.watched_s);
        watched && [self.wall, self.user, self.system].into_iter().all(|time| time <= LONGEST)
    }
}

impl Layout {
    /// Whether it can be that of a run.
    pub(crate) fn is_in_range(&self) -> bool {
        [self.written, self.reused].into_iter().all(|size| size.get() < MOST_COUNTED)
            && self.duration <= LONGEST
    }
}

/// Whether all counters of all devices can be added within 64 bits, whatever is added to what.
pub(crate) fn are_devices_in_range(devices: &[DeviceCounters]) -> bool {
    let numbers = devices.iter().flat_map(|device| {
        // By name, so that a field that is added is not forgotten here.
        let DeviceCounters {
            name: _,
            read_count,
            read_merge_count,
            read_bytes,
            write_count,
            write_merge_count,
            write_bytes,
            flush_count,
        } = device;
        [read_count, read_merge_count, read_bytes, write_count, write_merge_count, write_bytes, flush_count]
    });
    let mut sum = 0u128;
    devices.len() <= 10_000
        && numbers.into_iter().all(|number| {
            sum += u128::from(*number);
            *number < MOST_COUNTED && sum < MOST_SUMMED
        })
}

/// Whether all counts of jobs can be added field by field, and two such sums once more, within 64 bits: what is merged is never more
/// than all that was counted.
pub(crate) fn are_counts_in_range<'c>(jobs: impl Iterator<Item = &'c JobCounts>) -> bool {
    let mut not_issued = 0u128;
    let mut sums = [0u128; 10];
    for job in jobs {
        let JobCounts { read, write, commit, not_issued_age } = job;
        not_issued += u128::from(not_issued_age.io_count());
        for counts in read.iter().chain(write).chain(commit) {
            // As above.
            let OpCounts {
                bytes,
                error_count,
                first_error: _,
                unfinished_count,
                unfinished_oldest_ns,
                unfinished_age,
                late_count,
                held_latency,
                unheld_latency,
                submission_latency_count,
                submission_latency_sum_ns,
                total_latency,
            } = counts;
            let numbers = [
                *bytes,
                *error_count,
                *unfinished_count,
                *unfinished_oldest_ns,
                unfinished_age.io_count(),
                *late_count,
                held_latency.io_count(),
                unheld_latency.io_count(),
                // Where it is not written, it is the number of I/Os.
                submission_latency_count.unwrap_or_default().max(total_latency.io_count()),
                *submission_latency_sum_ns,
            ];
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += u128::from(number));
        }
    }
    sums.into_iter().chain([not_issued]).all(|sum| sum < MOST_SUMMED)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_backlog_that_has_no_sum_is_refused() {
        let mut record: RunRecord =
            serde_json::from_str(include_str!("../../../../fuzz/seeds/record/rate.json")).unwrap();
        record.check().unwrap();
        let last = record.intervals.last_mut().unwrap();
        // The number by which a fuzzer ended the analysis: waiting and done are added.
        last.backlog = vec![u64::MAX];
        assert_eq!(record.check().unwrap_err().to_string(), "its backlog is out of range");
    }
}
