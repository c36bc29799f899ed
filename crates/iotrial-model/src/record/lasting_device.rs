//! What a load leaves of a simulated device that lasts. Here, because only the record knows what the load did.

use super::{Interval, OpCounts};
use crate::sim_device::SimDevice;

impl SimDevice {
    /// The device as the next load meets it after one with these intervals: as new, unless it is [`lasting`](Self::lasting).
    #[must_use]
    pub fn after(&self, intervals: &[Interval]) -> Self {
        let mut left = self.clone();
        if !self.lasting {
            return left;
        }
        const MIB: f64 = 1_048_576.0;
        let mut credit_s = self.credit_s.unwrap_or(self.burst_s).min(self.burst_s);
        // Interval by interval: what a pause gives back must not exceed what the bucket holds.
        for interval in intervals {
            let seconds = interval.duration.as_secs_f64();
            let jobs = || interval.jobs.iter();
            let (reads, writes) =
                (jobs().filter_map(|job| job.read.as_ref()), jobs().filter_map(|job| job.write.as_ref()));
            let count = |(ios, bytes): (f64, f64), counts: &OpCounts| {
                (ios + counts.io_count() as f64, bytes + counts.bytes as f64 / MIB)
            };
            let (reads, read_mib) = reads.fold((0.0, 0.0), count);
            let (writes, write_mib) = writes.fold((0.0, 0.0), count);
            let taken = [
                (self.iops_cap, reads + writes),
                (self.read_iops_cap, reads),
                (self.write_iops_cap, writes),
                (self.bandwidth_cap_mib_per_s, read_mib + write_mib),
            ];
            // One number for all buckets: the one that has least left decides.
            let most_s = taken.iter().filter_map(|(cap, done)| cap.map(|cap| done / cap)).fold(0.0, f64::max);
            credit_s = (credit_s + seconds - most_s).clamp(0.0, self.burst_s);
            let used_mib = left.write_cache_used_mib + write_mib - seconds * self.write_drain_mib_per_s;
            left.write_cache_used_mib = used_mib.clamp(0.0, self.write_cache_mib);
            left.age_s += seconds;
        }
        left.credit_s = Some(credit_s);
        left
    }
}
