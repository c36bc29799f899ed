//! How capacity is bought and attached: in pools of whole steps, and up to so much on one machine.

use iotrial_model::toml_reader::TableReader;

use super::VolumeKind;
use super::read::Context;
use super::read_machine::read_volumes;

/// Capacity that is bought for all volumes of a level together, in steps, and divided among them.
#[derive(Debug, Clone, PartialEq)]
pub struct CapacityPool {
    /// The smallest pool, in GiB.
    pub min_gib: u64,
    /// In steps of so many GiB.
    pub step_gib: u64,
    /// Name in [`super::Catalog::sources`].
    pub source: String,
}

impl CapacityPool {
    /// What has to be bought beyond the volumes themselves, in GiB.
    pub(crate) fn rest_gib(&self, volumes_gib: u64) -> u64 {
        if volumes_gib == 0 {
            return 0;
        }
        volumes_gib.max(self.min_gib).next_multiple_of(self.step_gib) - volumes_gib
    }
}

/// The most that one machine may have of some kinds of volume.
#[derive(Debug, Clone, PartialEq)]
pub struct CapacityLimit {
    /// What it is of, for a sentence, such as `persistent disks`.
    pub name: String,
    /// Names of volumes that count; empty means all.
    pub volumes: Vec<String>,
    /// All of them together, in GiB.
    pub gib_max: u64,
    /// Name in [`super::Catalog::sources`].
    pub source: String,
}

pub(super) fn read_pool(table: &mut TableReader<'_>, context: &Context) -> CapacityPool {
    let [min_gib, step_gib] =
        ["min_gib", "step_gib"].map(|key| table.needed(key, |table, key| table.integer(key, 1..=1 << 24)));
    CapacityPool { min_gib, step_gib, source: context.source(table) }
}

pub(super) fn read_capacity_limit(
    table: &mut TableReader<'_>,
    context: &Context,
    known: &[VolumeKind],
) -> CapacityLimit {
    CapacityLimit {
        name: table.needed("name", TableReader::name),
        volumes: read_volumes(table, known),
        gib_max: table.needed("gib_max", |table, key| table.integer(key, 1..=1 << 40)),
        source: context.source(table),
    }
}
