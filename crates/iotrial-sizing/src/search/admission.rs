//! Which kinds of volume and levels a search takes: those on which databases run, unless others are asked for.

use iotrial_model::demand::LatencyClass;
use iotrial_model::load::Role;

use super::NotSearched;
use crate::catalog::VolumeKind;
use crate::measure::{Load, LoadStream, is_sequential};

/// From so many bytes on an I/O is what a scan or a backup does, also where no role says so: rotating disks move as much between
/// two moves of the arm.
const LARGE_BLOCK: f64 = 1_048_576.0;

/// What is asked for.
pub(super) struct Admission<'s> {
    /// Names of kinds or levels; empty takes all on which databases run.
    wanted: &'s [String],
    /// Whether rotating disks and levels without a commitment to their IOPS do: what is asked is sequential, or a latency is asked
    /// that only they have.
    takes_any: bool,
}

impl<'s> Admission<'s> {
    /// For the I/O of a pool with these roles, of which this latency is asked.
    pub(super) fn new(
        latency: Option<LatencyClass>,
        load: &Load,
        roles: &[Role],
        wanted: &'s [String],
    ) -> Self {
        let is_large = |stream: &LoadStream| stream.is_sequential || stream.block_size_bytes >= LARGE_BLOCK;
        // A pool that only has to hold something is for what its roles say.
        let is_bulk = match load.streams.as_slice() {
            [] => roles.iter().all(|role| is_sequential(Some(*role))),
            streams => streams.iter().all(is_large),
        };
        let takes_any = latency == Some(LatencyClass::Hdd) || is_bulk;
        Self { wanted, takes_any }
    }

    /// Whether a kind, or one of its levels, is asked for.
    pub(super) fn is_wanted(&self, kind: &VolumeKind) -> bool {
        self.wanted.is_empty()
            || self.is_named(&kind.name)
            || kind.levels.iter().any(|level| self.is_named(&level.name))
    }

    fn is_named(&self, name: &str) -> bool {
        self.wanted.iter().any(|one| one == name)
    }

    /// Places of the levels that are taken, and what is to be known of the others; or why none is.
    pub(super) fn levels(&self, kind: &VolumeKind) -> Result<(Vec<usize>, Option<NotSearched>), NotSearched> {
        let kind_is_named = self.is_named(&kind.name);
        let volume = || kind.title.clone();
        if kind.latency == Some(LatencyClass::Hdd) && !kind_is_named && !self.takes_any {
            return Err(NotSearched::RotatingDisks { volume: volume(), option: kind.name.clone() });
        }
        let is_asked = |place: &usize| {
            let level = &kind.levels[*place];
            self.wanted.is_empty() || kind_is_named || self.is_named(&level.name)
        };
        let asked: Vec<usize> = (0..kind.levels.len()).filter(is_asked).collect();
        let (taken, left): (Vec<usize>, Vec<usize>) = asked.into_iter().partition(|place| {
            let level = &kind.levels[*place];
            // The name of a kind that has nothing else means this level.
            let is_named = self.is_named(&level.name) || (kind_is_named && kind.levels.len() == 1);
            level.iops_commitment || self.takes_any || is_named
        });
        let levels: Vec<String> = left.iter().map(|place| kind.levels[*place].name.clone()).collect();
        let uncommitted = levels.first().cloned().map(|first| {
            let option = if first.is_empty() { kind.name.clone() } else { first };
            NotSearched::NoCommitment { volume: volume(), levels, option }
        });
        if taken.is_empty() {
            Err(uncommitted.unwrap_or_else(|| NotSearched::NoLevel { volume: volume() }))
        } else {
            Ok((taken, uncommitted))
        }
    }
}
