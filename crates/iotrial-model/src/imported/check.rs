//! An imported record held against itself: records come from strangers, and so do the files that they are made of.

use super::{ImportedRecord, Stated, StatedCpu, StatedLatency, StatedOps};
use crate::record::MOST_COUNTED;

/// Why an imported record contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckImportedError {
    /// A number is beyond what any run can reach, or negative.
    #[error("its {what} is out of range")]
    OutOfRange {
        /// The number in words that follow «its»: `number of jobs`, `read latency`, or the key of a figure.
        what: String,
    },
    /// An interval belongs to a job that is not there.
    #[error("its interval {interval} belongs to a job that does not exist")]
    Job {
        /// Place of the interval in the record, counting from 1.
        interval: usize,
    },
}

/// No figure reaches this: not in µs, not per second, not in MiB.
const MOST_STATED: f64 = 1e15;
// As many as a run of our own may have.
const MOST_JOBS: usize = 10_000;
// A choice: at one a second they are a log of eleven days.
const MOST_INTERVALS: usize = 1_000_000;

impl ImportedRecord {
    /// Holds a record against itself, so that every sum and every index of the analysis is safe.
    ///
    /// # Errors
    ///
    /// The first contradiction.
    pub fn check(&self) -> Result<(), CheckImportedError> {
        let in_range = |what: &str, ok: bool| {
            if ok { Ok(()) } else { Err(CheckImportedError::OutOfRange { what: what.to_owned() }) }
        };
        in_range("number of jobs", self.jobs.len() <= MOST_JOBS)?;
        in_range("number of intervals", self.intervals.len() <= MOST_INTERVALS)?;
        for job in &self.jobs {
            let load = &job.load;
            // Far beyond any load; who multiplies two of them still has to look whether the product fits
            // (`StatedLoad::total_outstanding`).
            let depths = [load.iodepth, load.numjobs, load.outstanding, load.flush_every];
            in_range("outstanding I/O", depths.into_iter().flatten().all(|number| number <= 1 << 32))?;
            let share = |percent: f64| (0.0..=100.0).contains(&percent);
            in_range("share of reads", load.rwmix_read_percent.is_none_or(share))?;
            in_range(
                "block size",
                load.block_sizes
                    .iter()
                    .all(|one| one.size.get() < MOST_COUNTED && one.percent.is_none_or(share)),
            )?;
            in_range("size", load.size.is_none_or(|size| size.get() < MOST_COUNTED))?;
            let times = [load.runtime_s, load.ramp_s, load.rate_iops];
            in_range("configured time or rate", times.into_iter().flatten().all(is_usable))?;
            check_ops(&job.ops, &in_range)?;
            in_range("CPU time", job.cpu.is_none_or(is_usable_cpu))?;
        }
        self.total.iter().try_for_each(|total| check_ops(total, &in_range))?;
        for (index, interval) in self.intervals.iter().enumerate() {
            if interval.job.is_some_and(|job| job >= self.jobs.len()) {
                return Err(CheckImportedError::Job { interval: index + 1 });
            }
            in_range("time", is_usable(interval.start_s) && is_usable(interval.duration_s))?;
            check_ops(&interval.ops, &in_range)?;
        }
        in_range("CPU time", self.cpu.is_none_or(is_usable_cpu))?;
        let counted = |number: Option<u64>| number.is_none_or(|number| number < MOST_COUNTED);
        for device in &self.devices {
            let counts = [device.read_count, device.write_count, device.read_bytes, device.write_bytes];
            in_range("device count", counts.into_iter().all(counted))?;
            in_range("device use", device.busy_percent.is_none_or(is_stated))?;
        }
        self.other.iter().try_for_each(|(name, number)| in_range(name, is_stated(*number)))?;
        self.bounds.iter().try_for_each(|bound| in_range(&bound.metric, is_stated(bound.number)))
    }
}

fn is_usable(number: f64) -> bool {
    (0.0..=MOST_STATED).contains(&number)
}

fn is_stated(number: Stated) -> bool {
    is_usable(number.value) && is_usable(number.resolution)
}

fn is_usable_cpu(cpu: StatedCpu) -> bool {
    [cpu.usr_percent, cpu.sys_percent, cpu.per_io_us].into_iter().flatten().all(is_stated)
}

fn check_ops(
    ops: &StatedOps,
    in_range: &impl Fn(&str, bool) -> Result<(), CheckImportedError>,
) -> Result<(), CheckImportedError> {
    for (name, stream) in ops.streams() {
        let counts = [stream.io_count, stream.bytes, stream.error_count];
        in_range(&format!("{name} count"), counts.into_iter().flatten().all(|number| number < MOST_COUNTED))?;
        let sampled = stream.sampled_iops.iter().flat_map(|one| [one.min, one.max, one.mean]);
        let figures = [stream.runtime_s, stream.iops, stream.bandwidth_mib_per_s].into_iter().flatten();
        in_range(&format!("{name} rate"), figures.chain(sampled).all(is_stated))?;
        let latencies = [&stream.total_latency, &stream.completion_latency, &stream.submission_latency];
        in_range(&format!("{name} latency"), latencies.into_iter().all(is_usable_latency))?;
    }
    Ok(())
}

fn is_usable_latency(latency: &StatedLatency) -> bool {
    let figures = [latency.mean_us, latency.stddev_us, latency.min_us, latency.max_us];
    figures.into_iter().flatten().all(is_stated)
        && latency.percentiles_us.len() <= 1_000
        && latency.percentiles_us.iter().all(|one| (0.0..=100.0).contains(&one.percent) && is_stated(one.at))
        && latency.bands.len() <= 1_000
        && latency.bands.iter().all(|band| {
            is_usable(band.from_us) && band.below_us.is_none_or(is_usable) && is_stated(band.percent)
        })
        && latency.histogram.as_ref().is_none_or(|histogram| histogram.io_count() < MOST_COUNTED)
}
