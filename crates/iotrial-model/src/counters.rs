//! What an operating system counted at its disks, interval by interval: the measure of a database that runs
//! already.

use crate::load::{Role, words};

mod joined;

mod recording;

mod presence;

mod snapshots;

pub use joined::JoinError;
pub use presence::{Absence, DiskChanges, Presences};
pub use recording::{RECORDING_FORMAT, RECORDING_TOOL, RecordedDisk, RecordedInterval, RecordingHead};
pub use snapshots::{Snapshot, SnapshotCounts, SnapshotError, Snapshots, When};

words! {
    /// What is counted at a disk: the mean of an interval.
    Counter {
        /// Reads per second.
        ReadIops = "read_iops",
        /// Writes per second.
        WriteIops = "write_iops",
        /// Bytes read per second.
        ReadBytes = "read_bytes_per_s",
        /// Bytes written per second.
        WriteBytes = "write_bytes_per_s",
        /// Seconds that a read took; nothing where there was none.
        ReadLatency = "read_latency_s",
        /// Seconds that a write took; nothing where there was none.
        WriteLatency = "write_latency_s",
        /// Reads and writes together, of a source that does not tell them apart.
        Iops = "iops",
        /// Their bytes.
        Bytes = "bytes_per_s",
        /// Their seconds.
        Latency = "latency_s",
        /// I/Os in flight or waiting.
        Queue = "queue",
        /// Share of the time, from 0 to 1, in which any I/O was in flight.
        Busy = "busy_share",
    }
}

/// The most values of one counter (disks times intervals) that are read.
// A choice: a day of seconds of 46 disks, or a week of 15 s of 99. Beyond it a file is several machines or made to be large.
pub const MOST_RATES: usize = 4_000_000;

/// What was counted, as far as its source has counted it.
#[derive(Debug, Clone, PartialEq)]
pub enum Counters {
    /// Rates of intervals.
    Series(CounterSeries),
    /// Totals at several moments, of which rates are made ([`Snapshots::series`]).
    Snapshots(Snapshots),
}

impl Counters {
    /// The rates of intervals.
    ///
    /// # Errors
    ///
    /// When snapshots make none.
    pub fn series(self) -> Result<CounterSeries, SnapshotError> {
        match self {
            Self::Series(series) => Ok(series),
            Self::Snapshots(snapshots) => snapshots.series(),
        }
    }
}

/// When the intervals of a series ended, one time for each.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Times {
    /// The source does not say.
    #[default]
    Unknown,
    /// Seconds since midnight; they go on over the next one.
    OfDay(Vec<f64>),
    /// Seconds since the beginning of 1970, on the clock of whoever wrote them.
    OfCalendar(Vec<f64>),
}

impl Times {
    /// The times, where there are any.
    pub fn seconds(&self) -> &[f64] {
        match self {
            Self::Unknown => &[],
            Self::OfDay(times) | Self::OfCalendar(times) => times,
        }
    }

    /// Without the first one.
    pub fn remove_first(&mut self) {
        match self {
            Self::OfDay(times) | Self::OfCalendar(times) if !times.is_empty() => drop(times.remove(0)),
            _ => {}
        }
    }
}

/// What was counted at disks over time.
#[derive(Debug, Clone, PartialEq)]
pub struct CounterSeries {
    /// What counted: `iostat`, `sar`, `PerfMon`.
    pub tool: &'static str,
    /// The machine, where the source names it.
    pub host: Option<String>,
    /// How long an interval usually is; `None` where the source does not say.
    pub interval_s: Option<f64>,
    /// How long each one is, where they differ; else empty.
    pub durations_s: Vec<f64>,
    /// When each ended.
    pub times: Times,
    /// Intervals of the source.
    pub interval_count: usize,
    /// In the order of the source.
    pub disks: Vec<DiskCounters>,
    /// Whether somebody asked for these disks, rather than for all of the machine, some of which nobody knows of.
    pub is_asked_for: bool,
    /// Names of disks that carry something together, as the members of a stripe set do, where the source says so.
    pub stripes: Vec<Vec<String>>,
    /// What was left out of the source, each in one sentence without a full stop.
    pub notes: Vec<String>,
}

/// One disk, or one file of a database, with what was counted at it over time.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskCounters {
    /// The name by which the source calls it.
    pub name: String,
    /// What it is for, where the source says so.
    pub role: Option<Role>,
    /// What became of it, where the source says which disks are there.
    pub changes: DiskChanges,
    /// For each counter one value for each interval; shorter, or empty, where nothing was counted any more, or ever. A negative value
    /// stands for none: no rate is negative, and NaN would make a series differ from itself.
    // By counter and not by interval: a week of 64 disks is 2.6 million intervals, of which most sources count only half of what there is.
    columns: [Vec<f64>; Counter::ALL.len()],
}

/// Stands for a value that there is not.
const NONE: f64 = -1.0;

impl DiskCounters {
    /// A disk of which nothing is known yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), role: None, changes: DiskChanges::default(), columns: Default::default() }
    }

    /// What was counted in an interval; `None` where nothing was.
    pub fn at(&self, counter: Counter, interval: usize) -> Option<f64> {
        self.columns[counter as usize].get(interval).copied().filter(|value| *value >= 0.0)
    }

    /// Whether it was ever counted.
    pub fn has(&self, counter: Counter) -> bool {
        self.columns[counter as usize].iter().any(|value| *value >= 0.0)
    }

    /// Notes what was counted in an interval. A number that is negative or infinite is no rate, and nothing is noted.
    pub fn set(&mut self, counter: Counter, interval: usize, value: f64) {
        if !value.is_finite() || value < 0.0 {
            return;
        }
        let column = &mut self.columns[counter as usize];
        if column.len() <= interval {
            column.resize(interval, NONE);
            column.push(value);
        } else {
            column[interval] = value;
        }
    }

    /// The four rates by which a demand is made; `None` where one of them was not counted.
    pub fn rates(&self, interval: usize) -> Option<DiskRates> {
        let at = |counter| self.at(counter, interval);
        Some(DiskRates {
            read_iops: at(Counter::ReadIops)?,
            write_iops: at(Counter::WriteIops)?,
            read_bytes_per_s: at(Counter::ReadBytes)?,
            write_bytes_per_s: at(Counter::WriteBytes)?,
        })
    }

    /// Reads and writes together: their rate, whether or not the source has them apart.
    pub fn iops(&self, interval: usize) -> Option<f64> {
        self.sum(interval, [Counter::ReadIops, Counter::WriteIops], Counter::Iops)
    }

    /// The same of their bytes.
    pub fn bytes_per_s(&self, interval: usize) -> Option<f64> {
        self.sum(interval, [Counter::ReadBytes, Counter::WriteBytes], Counter::Bytes)
    }

    fn sum(&self, interval: usize, apart: [Counter; 2], together: Counter) -> Option<f64> {
        let [reads, writes] = apart.map(|counter| self.at(counter, interval));
        reads.zip(writes).map(|(reads, writes)| reads + writes).or_else(|| self.at(together, interval))
    }

    /// Seconds that an I/O of either direction took on average; `None` where there was none, or it was not counted.
    pub fn latency_s(&self, interval: usize) -> Option<f64> {
        let of = |iops, latency| {
            let iops = self.at(iops, interval)?;
            // A direction without I/O has no latency, and needs none. One that was not counted is not one without I/O.
            if iops > 0.0 { Some((iops, self.at(latency, interval)?)) } else { Some((0.0, 0.0)) }
        };
        let apart = || {
            let (reads, read_s) = of(Counter::ReadIops, Counter::ReadLatency)?;
            let (writes, write_s) = of(Counter::WriteIops, Counter::WriteLatency)?;
            let all = reads + writes;
            (all > 0.0).then(|| (reads * read_s + writes * write_s) / all)
        };
        apart().or_else(|| self.at(Counter::Latency, interval))
    }

    /// I/Os in flight or waiting: as counted, else by Little's law from rate and latency.
    pub fn outstanding(&self, interval: usize) -> Option<f64> {
        self.at(Counter::Queue, interval).or_else(|| Some(self.iops(interval)? * self.latency_s(interval)?))
    }

    /// Whether anything of it was ever more than zero.
    pub fn does_anything(&self) -> bool {
        self.columns.iter().flatten().any(|value| *value > 0.0)
    }

    /// Without the intervals behind the first ones.
    fn truncate(&mut self, count: usize) {
        for column in &mut self.columns {
            column.truncate(count);
        }
    }

    /// Without the first intervals.
    pub fn remove_first(&mut self, count: usize) {
        for column in &mut self.columns {
            column.drain(..count.min(column.len()));
        }
    }
}

/// The four rates of one interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DiskRates {
    /// Reads per second.
    pub read_iops: f64,
    /// Writes per second.
    pub write_iops: f64,
    /// Bytes read per second.
    pub read_bytes_per_s: f64,
    /// Bytes written per second.
    pub write_bytes_per_s: f64,
}

impl std::ops::Add for DiskRates {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            read_iops: self.read_iops + other.read_iops,
            write_iops: self.write_iops + other.write_iops,
            read_bytes_per_s: self.read_bytes_per_s + other.read_bytes_per_s,
            write_bytes_per_s: self.write_bytes_per_s + other.write_bytes_per_s,
        }
    }
}

impl CounterSeries {
    /// A series without disks and intervals.
    pub fn new(tool: &'static str) -> Self {
        Self {
            tool,
            host: None,
            interval_s: None,
            durations_s: Vec::new(),
            times: Times::Unknown,
            interval_count: 0,
            disks: Vec::new(),
            is_asked_for: false,
            stripes: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// How much an interval counts in a mean: its length, or 1 where all are alike.
    pub fn weight(&self, interval: usize) -> f64 {
        self.durations_s.get(interval).copied().unwrap_or(1.0)
    }

    /// The disk of that name, as people type it.
    pub fn disk(&self, name: &str) -> Option<usize> {
        // Windows shows a drive's letter in upper case, and people type it in either.
        let is_called = |disk: &DiskCounters| {
            disk.name.eq_ignore_ascii_case(name)
                // PerfMon calls the disk of drive D: `1 D:`, with its number and all its drives.
                || disk.name.split_whitespace().skip(1).any(|drive| drive.eq_ignore_ascii_case(name))
        };
        self.disks.iter().position(is_called)
    }

    /// Without the first interval.
    pub fn remove_first(&mut self) {
        self.interval_count = self.interval_count.saturating_sub(1);
        self.times.remove_first();
        if !self.durations_s.is_empty() {
            self.durations_s.remove(0);
        }
        self.disks.iter_mut().for_each(|disk| disk.remove_first(1));
    }

    /// Without the last interval.
    pub fn remove_last(&mut self) {
        self.interval_count = self.interval_count.saturating_sub(1);
        self.durations_s.truncate(self.interval_count);
        if let Times::OfDay(times) | Times::OfCalendar(times) = &mut self.times {
            times.truncate(self.interval_count);
        }
        self.disks.iter_mut().for_each(|disk| disk.truncate(self.interval_count));
    }

    /// Indices of the disks whose role is known.
    pub fn disks_with_roles(&self) -> Vec<usize> {
        (0..self.disks.len()).filter(|at| self.disks[*at].role.is_some()).collect()
    }

    /// Indices of the disks that count where nobody names any, so that each I/O counts once. Linux and
    /// Windows disks are recognised by their names.
    ///
    /// A partition repeats what its disk has already, as do layers such as LVM, and sums. Loop devices and
    /// drives for discs and floppies never count. Files of a database, of which the source says what each is for, all do.
    pub fn whole_disks(&self) -> Vec<usize> {
        if !self.disks.is_empty() && self.disks.iter().all(|disk| disk.role.is_some()) {
            return (0..self.disks.len()).collect();
        }
        let name_of = |index: usize| self.disks[index].name.as_str();
        let real: Vec<usize> = (0..self.disks.len())
            // Sums come first, since a sum is no disk and must never count beside its parts.
            .filter(|index| !is_pseudo(name_of(*index)) && !is_sum(name_of(*index)))
            .collect();
        let is_partition = |index: &usize| {
            real.iter().any(|other| other != index && is_partition_of(name_of(*index), name_of(*other)))
        };
        let whole: Vec<usize> = real.iter().copied().filter(|index| !is_partition(index)).collect();
        let hardware: Vec<usize> =
            // Among whole disks the hardware counts alone: LVM, md and multipath report the same I/O once
            // more above it.
            whole.iter().copied().filter(|index| is_hardware(name_of(*index))).collect();
        match (hardware.is_empty(), whole.is_empty()) {
            (false, _) => hardware,
            (true, false) => whole,
            // Only a sum was counted, as by `sar -b`. One of them: each holds everything.
            (true, true) => (0..self.disks.len()).filter(|index| is_sum(name_of(*index))).take(1).collect(),
        }
    }
}

/// Memory, files, and drives without a database on them.
fn is_pseudo(name: &str) -> bool {
    // With a number behind: `sr0` is a drive, `srv` could be a volume group.
    ["loop", "ram", "zram", "fd", "sr", "scd"].iter().any(|kind| {
        name.strip_prefix(kind)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// What others are added up to: the total of PerfMon, groups of iostat.
fn is_sum(name: &str) -> bool {
    // iostat indents the groups that `-g` makes, and `-T` prints nothing else.
    name.ends_with("_Total") || name.starts_with(' ') || name == "ALL" || name == ALL_DISKS
}

/// The name of the sum where a source has no disks by name.
pub const ALL_DISKS: &str = "all disks";

/// Whether it is a disk as the kernel names one: `sda`, `vdb`, `nvme0n1`; or one of Windows: `0 C:`.
// By the names of the kernel's drivers, because the text of iostat says nothing else about a device.
fn is_hardware(name: &str) -> bool {
    let letters = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_lowercase());
    let by_letter = ["sd", "vd", "xvd", "hd", "dasd", "emcpower"];
    let by_number = ["nvme", "mmcblk", "rbd", "nbd", "pmem"];
    by_letter.iter().any(|kind| name.strip_prefix(kind).is_some_and(letters))
        || by_number.iter().any(|kind| {
            name.strip_prefix(kind).is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        })
        // PerfMon calls a disk by its number and its drives, `0 C:`.
        || name.starts_with(|first: char| first.is_ascii_digit())
}

/// `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`.
fn is_partition_of(name: &str, disk: &str) -> bool {
    let Some(rest) = name.strip_prefix(disk) else { return false };
    let ends_in_digit = disk.ends_with(|last: char| last.is_ascii_digit());
    // Where a disk's name ends in a digit the kernel puts a `p` before the number of the partition; without
    // it, `nvme0n11` would be a partition of `nvme0n1`.
    let number = if ends_in_digit { rest.strip_prefix('p') } else { Some(rest) };
    is_hardware(disk)
        && number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latency_of_one_direction_is_not_that_of_both() {
        let mut disk = DiskCounters::new("sda");
        disk.set(Counter::ReadIops, 0, 30.0);
        disk.set(Counter::ReadLatency, 0, 0.001);
        assert_eq!(disk.latency_s(0), None);
        disk.set(Counter::WriteIops, 0, 0.0);
        assert_eq!(disk.latency_s(0), Some(0.001));
        disk.set(Counter::WriteIops, 0, 10.0);
        assert_eq!(disk.latency_s(0), None);
        disk.set(Counter::WriteLatency, 0, 0.005);
        assert_eq!(disk.latency_s(0), Some(0.002));
        let mut together = DiskCounters::new("sdb");
        together.set(Counter::ReadIops, 0, 30.0);
        together.set(Counter::ReadLatency, 0, 0.001);
        together.set(Counter::Latency, 0, 0.003);
        assert_eq!(together.latency_s(0), Some(0.003));
    }

    #[track_caller]
    fn check(names: &[&str], expected: &[&str]) {
        let disks: Vec<DiskCounters> = names.iter().map(|name| DiskCounters::new(*name)).collect();
        let series = CounterSeries { disks, ..CounterSeries::new("iostat") };
        let counted: Vec<&str> = series.whole_disks().into_iter().map(|index| names[index]).collect();
        assert_eq!(counted, expected);
    }

    #[test]
    fn every_io_counts_once_whatever_layers_a_source_lists() {
        check(&["sda", "sda1", "sda2", "sdb", "dm-0", "md127", "loop0", "sr0"], &["sda", "sdb"]);
        check(&["nvme0n1", "nvme0n1p1", "nvme1n1", "vg-data"], &["nvme0n1", "nvme1n1"]);
        // Some clouds show a disk by the name of a partition.
        check(&["xvda1", "xvdf"], &["xvdf"]);
        check(&["vg-data", "vg-log"], &["vg-data", "vg-log"]);
        check(&["_Total", "0 C:", "1 D: E:"], &["0 C:", "1 D: E:"]);
        check(&["C:", "D:", "HarddiskVolume1", "_Total"], &["C:", "D:", "HarddiskVolume1"]);
        check(&["_Total"], &["_Total"]);
        check(&[ALL_DISKS], &[ALL_DISKS]);
        check(&[" disks", "sda", " other"], &["sda"]);
    }
}
