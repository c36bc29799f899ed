//! A recording of counters, as `watch` writes it: a line of JSON for the machine, then one for each interval. Format
//! `iotrial.watch/1` (`docs/watch.md`).
//!
//! Lines, because a recording ends when somebody has seen enough, or the machine does: all whole lines of it still count.

use serde::{Deserialize, Serialize};

use crate::load::Role;

/// The value of `format` in the first line.
pub const RECORDING_FORMAT: &str = "iotrial.watch/1";

/// What counted in a recording, as [`super::CounterSeries::tool`] has it. Its times are UTC.
pub const RECORDING_TOOL: &str = "iotrial watch";

/// The first line: what is watched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordingHead {
    /// [`RECORDING_FORMAT`].
    pub format: String,
    /// The version of iotrial that wrote it.
    pub version: String,
    /// The machine.
    pub host: String,
    /// Seconds between two readings, as they were asked for.
    pub interval_s: f64,
    /// The directories and devices below which the disks are; none where all disks of the machine are watched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Devices that carry a target together: the members of a stripe set or array.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stripes: Vec<Vec<String>>,
}

/// Every other line: one interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedInterval {
    /// Seconds since the beginning of 1970, UTC, at the end of the interval.
    pub at_s: f64,
    /// How long it was, in seconds.
    pub duration_s: f64,
    /// In the order in which they are watched; one that is not there any more is absent.
    pub disks: Vec<RecordedDisk>,
}

/// What a disk did in the interval. A rate is absent where it cannot be known, such as when its counter went back; a latency also
/// where there was no I/O.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RecordedDisk {
    /// The name of the kernel.
    pub name: String,
    /// What it is for, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Reads per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_iops: Option<f64>,
    /// Writes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_iops: Option<f64>,
    /// Bytes read per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes_per_s: Option<f64>,
    /// Bytes written per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes_per_s: Option<f64>,
    /// Mean time of a read in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_latency_s: Option<f64>,
    /// Mean time of a write in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_latency_s: Option<f64>,
    /// Mean number of I/Os in flight or waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<f64>,
    /// Share of the time with any I/O in flight, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_share: Option<f64>,
}

impl RecordedDisk {
    /// What was counted, by counter.
    pub const fn counted(&self) -> [(super::Counter, Option<f64>); 8] {
        use super::Counter;
        [
            (Counter::ReadIops, self.read_iops),
            (Counter::WriteIops, self.write_iops),
            (Counter::ReadBytes, self.read_bytes_per_s),
            (Counter::WriteBytes, self.write_bytes_per_s),
            (Counter::ReadLatency, self.read_latency_s),
            (Counter::WriteLatency, self.write_latency_s),
            (Counter::Queue, self.queue),
            (Counter::Busy, self.busy_share),
        ]
    }
}
