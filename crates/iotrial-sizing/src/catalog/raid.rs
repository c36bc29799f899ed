//! Disks behind a volume of an array or of a cluster, and what a write costs them.

use iotrial_model::toml_reader::TableReader;

use super::read::MB;

/// Disks behind a volume of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct RaidGroup {
    /// `raid0`, `raid10`, `raid5`, `raid6` or `copies`.
    pub level: String,
    /// Disk I/Os that a random write costs.
    pub write_cost: f64,
    /// How often the disks transfer each byte that is written, in large writes.
    pub write_transfers: f64,
    /// How many disks there are.
    pub spindles: u32,
    /// What one disk does.
    pub iops_per_spindle: f64,
    /// What one disk transfers, in bytes per second.
    pub bandwidth_per_spindle: f64,
}

pub(super) fn read_raid(table: &mut TableReader<'_>) -> Option<RaidGroup> {
    // Disk I/Os for one small random write: RAID 5 reads data and parity and writes both (4), RAID 6 has a
    // second parity (6), a mirror writes twice (2). Large writes fill whole stripes, so that only a mirror transfers
    // every byte twice. Nodes that keep copies of each other (vSAN, Ceph) are mirrors of so many.
    const LEVELS: [(&str, (&str, f64, f64)); 5] = [
        ("raid0", ("raid0", 1.0, 1.0)),
        ("raid10", ("raid10", 2.0, 2.0)),
        ("raid5", ("raid5", 4.0, 1.0)),
        ("raid6", ("raid6", 6.0, 1.0)),
        ("copies", ("copies", 0.0, 0.0)),
    ];
    let level = table.required("level", |table, key| table.word(key, &LEVELS));
    let copies = table.integer("copies", 2..=8);
    let spindles = table.required("spindles", |table, key| table.integer(key, 1..=10_000));
    let iops = table.required("iops_per_spindle", TableReader::number);
    let bandwidth = table.required("mb_per_s_per_spindle", TableReader::number);
    let (level, write_cost, write_transfers) = match (level?, copies) {
        (("copies", ..), Some(copies)) => ("copies", copies as f64, copies as f64),
        ((level, cost, transfers), None) if cost > 0.0 => (level, cost, transfers),
        _ => {
            return table
                .refuse("copies", "give `copies` with the level \"copies\", and only with it".to_owned());
        }
    };
    Some(RaidGroup {
        level: level.to_owned(),
        write_cost,
        write_transfers,
        spindles: u32::try_from(spindles?).ok()?,
        iops_per_spindle: iops?,
        bandwidth_per_spindle: bandwidth? * MB,
    })
}
