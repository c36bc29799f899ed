//! The machine that measures: what it is, and what it counted while the load ran.

use std::time::Duration;

use iotrial_model::record::{CpuUse, DeviceCounters, Host};

#[cfg(target_os = "linux")]
#[path = "host/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "host/windows.rs"]
mod os;

/// The facts that do not vary from run to run. What cannot be read is absent.
pub fn host_facts() -> Host {
    os::host_facts()
}

/// Tells this installation of an operating system apart from others.
pub(crate) fn host_id() -> String {
    os::host_id()
}

/// CPU time used so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CpuSnapshot {
    user: Duration,
    system: Duration,
    /// All CPUs together, since the host started.
    host: Option<HostTimes>,
}

/// CPU time of the whole host.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct HostTimes {
    busy: Duration,
    steal: Duration,
}

impl CpuSnapshot {
    /// The counts of this moment; zero where they cannot be read.
    pub fn now() -> Self {
        os::cpu_snapshot()
    }

    /// What was used between `earlier` and this moment, which are `wall` apart.
    pub fn since(&self, earlier: &Self, wall: Duration) -> CpuUse {
        let host = self.host.zip(earlier.host);
        // The kernel's counts of steal and of waiting have been seen to step back; that is no use of CPU.
        let host = |part: fn(HostTimes) -> Duration| {
            host.map(|(now, then)| part(now).saturating_sub(part(then)).as_secs_f64())
        };
        CpuUse {
            wall,
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            host_busy_s: host(|times| times.busy),
            host_steal_s: host(|times| times.steal),
        }
    }
}

/// What the operating system counted at block devices so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeviceSnapshot {
    devices: Vec<DeviceCounters>,
}

impl DeviceSnapshot {
    /// The counts of the devices with these kernel names, in that order. A device that is not there is absent.
    pub fn of(names: impl IntoIterator<Item: AsRef<str>>) -> Self {
        os::device_snapshot(names)
    }

    /// What was counted between `earlier` and this moment, for the devices that are in both.
    pub fn since(&self, earlier: &Self) -> Vec<DeviceCounters> {
        let pairs = self.devices.iter().filter_map(|now| {
            let then = earlier.devices.iter().find(|then| then.name == now.name)?;
            Some((now, then))
        });
        pairs
            .map(|(now, then)| DeviceCounters {
                name: now.name.clone(),
                read_count: now.read_count.saturating_sub(then.read_count),
                read_merge_count: now.read_merge_count.saturating_sub(then.read_merge_count),
                read_bytes: now.read_bytes.saturating_sub(then.read_bytes),
                write_count: now.write_count.saturating_sub(then.write_count),
                write_merge_count: now.write_merge_count.saturating_sub(then.write_merge_count),
                write_bytes: now.write_bytes.saturating_sub(then.write_bytes),
                flush_count: now.flush_count.saturating_sub(then.flush_count),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_use_is_the_difference_and_never_negative() {
        let at = |seconds: u64, steal: u64| CpuSnapshot {
            user: Duration::from_secs(seconds),
            system: Duration::from_secs(2 * seconds),
            host: Some(HostTimes {
                busy: Duration::from_secs(5 * seconds),
                steal: Duration::from_secs(steal),
            }),
        };
        let used = at(30, 6).since(&at(10, 7), Duration::from_secs(25));
        let expected = CpuUse {
            wall: Duration::from_secs(25),
            user: Duration::from_secs(20),
            system: Duration::from_secs(40),
            host_busy_s: Some(100.0),
            host_steal_s: Some(0.0),
        };
        assert_eq!(used, expected);
    }

    #[test]
    fn a_device_that_came_or_went_between_two_snapshots_is_left_out() {
        let device = |name: &str, read_count| DeviceCounters {
            name: name.into(),
            read_count,
            ..DeviceCounters::default()
        };
        let earlier = DeviceSnapshot { devices: vec![device("a", 5), device("gone", 1)] };
        let later = DeviceSnapshot { devices: vec![device("new", 9), device("a", 8)] };
        assert_eq!(later.since(&earlier), [device("a", 3)]);
    }

    #[test]
    fn this_host_has_facts_that_are_the_same_twice() {
        let facts = host_facts();
        assert_eq!(facts, host_facts());
        assert!(facts.cpu_count > 0 && !facts.name.is_empty() && !facts.os.is_empty(), "{facts:?}");
        assert!(!host_id().is_empty());
    }
}
