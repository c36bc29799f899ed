//! What an operating system counted at its disks, interval by interval: the measure of a database that runs
//! already.

/// Rates of disks over time.
#[derive(Debug, Clone, PartialEq)]
pub struct CounterSeries {
    /// What counted: `iostat`, `sar`, `PerfMon`.
    pub tool: &'static str,
    /// The machine, where the source names it.
    pub host: Option<String>,
    /// How long an interval is; `None` where the source does not say.
    pub interval_s: Option<f64>,
    /// In the order of the source.
    pub disks: Vec<DiskCounters>,
    /// What was left out of the source, each in one sentence without a full stop.
    pub notes: Vec<String>,
}

/// One disk with its rates over time.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskCounters {
    /// The name by which the source calls it.
    pub name: String,
    /// One for each interval, as many for every disk; `None` where nothing was counted.
    pub rates: Vec<Option<DiskRates>>,
}

/// Rates of one interval.
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
    /// Intervals of the source.
    pub fn interval_count(&self) -> usize {
        self.disks.first().map_or(0, |disk| disk.rates.len())
    }

    /// Indices of the disks that count where nobody names any, so that each I/O counts once. Linux and
    /// Windows disks are recognised by their names.
    ///
    /// A partition repeats what its disk has already, as do layers such as LVM, and sums. Loop devices and
    /// drives for discs and floppies never count.
    pub fn whole_disks(&self) -> Vec<usize> {
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

    #[track_caller]
    fn check(names: &[&str], expected: &[&str]) {
        let disk = |name: &&str| DiskCounters { name: (*name).to_owned(), rates: Vec::new() };
        let disks: Vec<DiskCounters> = names.iter().map(disk).collect();
        let series = CounterSeries { tool: "iostat", host: None, interval_s: None, disks, notes: Vec::new() };
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
