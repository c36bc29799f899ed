//! A record held against itself: records come from strangers.

use std::time::Duration;

use super::{CpuUse, DeviceCounters, JobCounts, RunRecord};
use crate::search::Search;

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
    #[error("its job `{job}` works on an area that is not there")]
    Area {
        /// The job.
        job: String,
    },
    /// A number is beyond what any run can reach, so that sums with it would overflow.
    #[error("its {what} is beyond any run")]
    OutOfRange {
        /// Which number.
        what: &'static str,
    },
}

/// No size and no count of a device reaches this; a thousand of them still add up within 64 bits.
pub(crate) const MOST_COUNTED: u64 = 1 << 53;
/// No run lasts longer: a hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);

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
        in_range(
            "outstanding I/O",
            self.plan.jobs.iter().all(|job| job.iodepth <= 1 << 16 && job.numjobs <= 1 << 12),
        )?;
        in_range(
            "size of an area",
            self.plan.areas.iter().all(|area| counted(area.length.get()) && counted(area.offset.get())),
        )?;
        in_range("working set", self.plan.jobs.iter().all(|job| counted(job.working_set.get())))?;
        in_range("length of a phase", self.plan.phases.iter().all(|phase| phase.duration <= LONGEST / 16))?;
        in_range("number of phases", self.plan.phases.len() <= 16)?;
        let all = self.jobs.iter().chain(self.intervals.iter().flat_map(|interval| &interval.jobs));
        let mut sums = [0u128; 9];
        let in_sums = |sums: &mut [u128; 9], numbers: [u64; 9]| {
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += u128::from(number));
        };
        for counts in all.clone() {
            in_sums(&mut sums, [0, 0, 0, 0, 0, 0, 0, 0, counts.not_issued_age.io_count()]);
        }
        for counts in all.flat_map(|job| job.read.iter().chain(&job.write).chain(&job.commit)) {
            let numbers = [
                counts.bytes,
                counts.error_count,
                counts.io_count(),
                counts.late_count,
                counts.unfinished_count,
                counts.submission_latency_sum_ns,
                counts.submission_latency_count.unwrap_or(0),
                counts.unfinished_age.io_count(),
                0,
            ];
            in_sums(&mut sums, numbers);
        }
        in_range("count", sums.iter().all(|sum| *sum < 1 << 63))?;
        let total: Duration = self
            .intervals
            .iter()
            .try_fold(Duration::ZERO, |sum, one| sum.checked_add(one.duration))
            .unwrap_or(Duration::MAX);
        in_range("duration", total <= LONGEST && self.intervals.iter().all(|one| one.start <= LONGEST))?;
        let of_cpu = |cpu: &CpuUse| {
            let watched = (0.0..=LONGEST.as_secs_f64()).contains(&cpu.watched_s);
            watched && [cpu.wall, cpu.user, cpu.system].into_iter().all(|time| time <= LONGEST)
        };
        in_range("CPU time", self.cpu.as_ref().is_none_or(of_cpu))?;
        let of_device = |device: &DeviceCounters| {
            [device.read_count, device.read_bytes, device.write_count, device.write_bytes]
                .into_iter()
                .all(counted)
        };
        in_range("device count", self.devices.len() <= 10_000 && self.devices.iter().all(of_device))?;
        in_range("search", self.search.as_ref().is_none_or(Search::is_in_range))?;
        in_range(
            "layout",
            self.layout.is_none_or(|layout| counted(layout.written.get()) && counted(layout.reused.get())),
        )
    }
}
