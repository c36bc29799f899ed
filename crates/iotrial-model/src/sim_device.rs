//! A simulated device: what it can do, for the engine `sim`.

use serde::{Deserialize, Serialize};

/// A simulated device: rate limits, then a queue before `parallelism` servers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimDevice {
    /// Mean time that one I/O is served, apart from waiting.
    pub service_time_us: f64,
    /// Half the width of the uniform spread around the mean, as a share of it (0 to 1).
    pub service_spread: f64,
    /// Time that a durable write is served longer than another one.
    #[serde(skip_serializing_if = "is_zero")]
    pub flush_us: f64,
    /// Mean time that one write is served, where it is another one than of a read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_service_time_us: Option<f64>,
    /// What each further I/O at the device adds to the time of all, as a share of it: more of them then cost throughput.
    #[serde(skip_serializing_if = "is_zero")]
    pub crowding_share: f64,
    /// By how much of its first value the service time grows in each second that the device is in use.
    #[serde(skip_serializing_if = "is_zero")]
    pub drift_percent_per_s: f64,
    /// How many I/Os are served at once.
    pub parallelism: u32,
    /// Token bucket over all I/Os, per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops_cap: Option<f64>,
    /// Token bucket over the reads alone, per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_iops_cap: Option<f64>,
    /// Token bucket over the writes alone, per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_iops_cap: Option<f64>,
    /// Token bucket over all bytes, MiB per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_cap_mib_per_s: Option<f64>,
    /// How many seconds of their rate all buckets can hold: the burst before the cap shows.
    pub burst_s: f64,
    /// How many of these seconds are left at the start, at most `burst_s`; `None` is all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit_s: Option<f64>,
    /// A cache that takes writes at the speed of the servers while it has room, in MiB.
    #[serde(skip_serializing_if = "is_zero")]
    pub write_cache_mib: f64,
    /// At which the write cache is emptied, MiB per second; more than zero where there is one.
    #[serde(skip_serializing_if = "is_zero")]
    pub write_drain_mib_per_s: f64,
    /// What of the write cache is full at the start, in MiB.
    #[serde(skip_serializing_if = "is_zero")]
    pub write_cache_used_mib: f64,
    /// The device answers nothing in these windows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stalls: Vec<SimStall>,
    /// The thread that makes the load does not run in these windows: what is due in them is issued late, and what is done is seen late.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_pauses: Vec<SimStall>,
    /// Whether what a load leaves is there for the next one: credits, what is in the write cache, the time that has passed. Otherwise
    /// each load finds the device as new.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lasting: bool,
    /// For how long it was in use before, in seconds: stalls, pauses and drift count from its first use.
    #[serde(skip_serializing_if = "is_zero")]
    pub age_s: f64,
    /// Share of I/Os that fail, 0 to 1.
    pub error_share: f64,
    /// Share of I/Os that come back with half of their bytes, 0 to 1, as behind the end of a file.
    #[serde(skip_serializing_if = "is_zero")]
    pub short_share: f64,
    /// Share of I/Os that a cache above servers and caps answers, 0 to 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_hit_share: f64,
    /// Time in which the cache answers; more than zero where it answers anything.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_hit_us: f64,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// A value that no device has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` must be {wanted}")]
pub struct SimDeviceError {
    /// The key of the value.
    pub key: &'static str,
    /// What it must be.
    pub wanted: &'static str,
}

impl SimDevice {
    /// Checks that every value is in its range, so that time goes on and sums end.
    ///
    /// # Errors
    ///
    /// The first value that is out of range.
    pub fn check(&self) -> Result<(), SimDeviceError> {
        // Never zero: such a cap would let no I/O through, and a run would not end.
        let rate = |rate: &Option<f64>| rate.is_none_or(|rate| (1e-3..=1e12).contains(&rate));
        let share = |share: f64| (0.0..=1.0).contains(&share);
        // 10^7 s are four months, more than the longest phase.
        let time = |seconds: f64| (0.0..=1e7).contains(&seconds);
        let stall = |stall: &SimStall| time(stall.start_s) && time(stall.duration_s);
        let checks = [
            // Never zero, or a closed load on the simulated clock would do infinitely many I/Os at one
            // moment.
            ("service_time_us", "from 0.01 to 100000000", (0.01..=1e8).contains(&self.service_time_us)),
            ("service_spread", "from 0 to 1", share(self.service_spread)),
            ("flush_us", "from 0 to 100000000", (0.0..=1e8).contains(&self.flush_us)),
            ("parallelism", "from 1 to 65536", (1..=65_536).contains(&self.parallelism)),
            (
                "write_service_time_us",
                "from 0.01 to 100000000",
                self.write_service_time_us.is_none_or(|us| (0.01..=1e8).contains(&us)),
            ),
            ("crowding_share", "from 0 to 1", share(self.crowding_share)),
            // So that the service time stays above zero, and within sums, after the longest phase.
            ("drift_percent_per_s", "from 0 to 10000", (0.0..=1e4).contains(&self.drift_percent_per_s)),
            ("iops_cap", "from 0.001 to 1e12", rate(&self.iops_cap)),
            ("read_iops_cap", "from 0.001 to 1e12", rate(&self.read_iops_cap)),
            ("write_iops_cap", "from 0.001 to 1e12", rate(&self.write_iops_cap)),
            ("bandwidth_cap_mib_per_s", "from 0.001 to 1e12", rate(&self.bandwidth_cap_mib_per_s)),
            ("burst_s", "from 0 to 10000000", time(self.burst_s)),
            ("credit_s", "from 0 to 10000000", self.credit_s.is_none_or(time)),
            ("write_cache_mib", "from 0 to 1e12", (0.0..=1e12).contains(&self.write_cache_mib)),
            (
                "write_drain_mib_per_s",
                "from 0.001 to 1e12 where there is a write cache",
                self.write_cache_mib == 0.0 || (1e-3..=1e12).contains(&self.write_drain_mib_per_s),
            ),
            (
                "write_cache_used_mib",
                "from 0 to write_cache_mib",
                (0.0..=self.write_cache_mib).contains(&self.write_cache_used_mib),
            ),
            ("stalls", "at times from 0 to 10000000 s", self.stalls.iter().all(stall)),
            ("host_pauses", "at times from 0 to 10000000 s", self.host_pauses.iter().all(stall)),
            ("age_s", "from 0 to 10000000", time(self.age_s)),
            ("error_share", "from 0 to 1", share(self.error_share)),
            ("short_share", "from 0 to 1", share(self.short_share)),
            ("cache_hit_share", "from 0 to 1", share(self.cache_hit_share)),
            // As the service time: a cache that answers everything at once would stop the clock.
            (
                "cache_hit_us",
                "from 0.01 to 100000000 where a cache answers",
                self.cache_hit_share == 0.0 || (0.01..=1e8).contains(&self.cache_hit_us),
            ),
        ];
        match checks.into_iter().find(|(_, _, holds)| !holds) {
            Some((key, wanted, _)) => Err(SimDeviceError { key, wanted }),
            None => Ok(()),
        }
    }
}

/// A time in which a [`SimDevice`] is frozen, or the host that uses it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SimStall {
    /// Seconds after the first use of the device, which is the start of the load unless it is older.
    pub start_s: f64,
    /// Seconds until it goes on.
    pub duration_s: f64,
}

impl Default for SimDevice {
    /// 200 µs ± 20 %, 32 at once, no caps: 160,000 IOPS.
    fn default() -> Self {
        Self {
            service_time_us: 200.0,
            service_spread: 0.2,
            flush_us: 0.0,
            write_service_time_us: None,
            crowding_share: 0.0,
            drift_percent_per_s: 0.0,
            parallelism: 32,
            iops_cap: None,
            read_iops_cap: None,
            write_iops_cap: None,
            bandwidth_cap_mib_per_s: None,
            burst_s: 0.0,
            credit_s: None,
            write_cache_mib: 0.0,
            write_drain_mib_per_s: 0.0,
            write_cache_used_mib: 0.0,
            stalls: Vec::new(),
            host_pauses: Vec::new(),
            lasting: false,
            age_s: 0.0,
            error_share: 0.0,
            short_share: 0.0,
            cache_hit_share: 0.0,
            cache_hit_us: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_would_stop_the_clock_or_has_shares_beyond_all_is_refused() {
        let refused = |device: SimDevice| device.check().unwrap_err().key;
        let plain = SimDevice::default;
        assert_eq!(plain().check(), Ok(()));
        assert_eq!(refused(SimDevice { service_time_us: 0.0, ..plain() }), "service_time_us");
        assert_eq!(refused(SimDevice { short_share: 7.0, ..plain() }), "short_share");
        assert_eq!(refused(SimDevice { cache_hit_share: f64::NAN, ..plain() }), "cache_hit_share");
        let cached = |cache_hit_us| SimDevice { cache_hit_share: 1.0, cache_hit_us, ..plain() };
        assert_eq!(cached(10.0).check(), Ok(()));
        for cache_hit_us in [0.0, -5.0, f64::NAN] {
            assert_eq!(refused(cached(cache_hit_us)), "cache_hit_us");
        }
    }
}
