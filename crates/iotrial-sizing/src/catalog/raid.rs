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

pub(super) fn read_raid(table: &mut TableReader<'_>) -> RaidGroup {
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
    let copies = table.count("copies", 2..=8);
    let is_wrong = level.is_some_and(|(level, ..)| (level == "copies") != table.has("copies"));
    table.refuse_if(is_wrong, "copies", "give `copies` with the level \"copies\", and only with it");
    let (level, write_cost, write_transfers) = level.unwrap_or_default();
    let copies = copies.map(f64::from);
    RaidGroup {
        level: level.to_owned(),
        write_cost: copies.unwrap_or(write_cost),
        write_transfers: copies.unwrap_or(write_transfers),
        spindles: table.needed("spindles", |table, key| table.count(key, 1..=10_000)),
        iops_per_spindle: table.needed("iops_per_spindle", TableReader::number),
        bandwidth_per_spindle: table.needed("mb_per_s_per_spindle", TableReader::number) * MB,
    }
}
