//! What other programs did on the host before and during a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::LONGEST;
use crate::units::seconds;

/// More processes or disks than this are in no record: a look keeps those that use most.
const MOST_KEPT: usize = 1_000;

/// What else went on on the host of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostActivity {
    /// The last look before anything was written; `None` where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ActivityLook>,
    /// How long the run waited for a quiet host, behind the first look; zero where it did not wait.
    #[serde(default, rename = "waited_s", with = "seconds", skip_serializing_if = "Duration::is_zero")]
    pub waited: Duration,
    /// From before the first load until after the last one, without the disks, which the load used as well; `None` where nothing could be
    /// read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub during: Option<ActivityLook>,
}

/// What others did between two readings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ActivityLook {
    /// Time between the readings.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
    /// CPU time of everything but iotrial, of all CPUs; `None` where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_cpu_percent: Option<f64>,
    /// CPU time that the hypervisor took, of all CPUs; `None` where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_percent: Option<f64>,
    /// The processes that used most CPU, the busiest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<BusyProcess>,
    /// What the disks below the targets did; empty while a load uses them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<DiskActivity>,
}

/// A process that used CPU time. Its command line is nowhere: it may hold secrets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BusyProcess {
    /// The name of its executable as the kernel has it, at most 15 bytes.
    pub name: String,
    /// Its number.
    pub pid: u32,
    /// CPU time with that of the children that it has waited for; 100 is one CPU.
    pub cpu_percent: f64,
}

/// What a disk did while iotrial did not use it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DiskActivity {
    /// Kernel name, such as `nvme0n1`.
    pub name: String,
    /// Reads per second.
    pub read_iops: f64,
    /// Writes per second.
    pub write_iops: f64,
    /// Bytes read per second.
    pub read_bytes_per_s: f64,
    /// Bytes written per second.
    pub write_bytes_per_s: f64,
    /// Share of the time with any I/O in flight; `None` where it is not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_percent: Option<f64>,
}

impl HostActivity {
    /// Whether its numbers can be those of a host.
    pub(crate) fn is_in_range(&self) -> bool {
        self.waited <= LONGEST && self.before.iter().chain(&self.during).all(ActivityLook::is_in_range)
    }

    /// Leaves out what the processes are called.
    pub fn anonymize(&mut self) {
        for look in self.before.iter_mut().chain(&mut self.during) {
            for (process, number) in look.processes.iter_mut().zip(1..) {
                process.name = format!("process-{number}");
            }
        }
    }
}

impl ActivityLook {
    fn is_in_range(&self) -> bool {
        let is_rate = |rate: f64| (0.0..1e15).contains(&rate);
        let cpu = self.processes.iter().map(|process| process.cpu_percent);
        let disks = self.disks.iter().flat_map(|disk| {
            let rates = [disk.read_iops, disk.write_iops, disk.read_bytes_per_s, disk.write_bytes_per_s];
            rates.into_iter().chain(disk.busy_percent)
        });
        let numbers = self.others_cpu_percent.into_iter().chain(self.steal_percent).chain(cpu).chain(disks);
        self.duration <= LONGEST
            && self.processes.len() <= MOST_KEPT
            && self.disks.len() <= MOST_KEPT
            && numbers.into_iter().all(is_rate)
    }
}
