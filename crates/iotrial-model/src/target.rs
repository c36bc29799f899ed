//! A target before planning: what it is, and how much room it has.

use std::path::PathBuf;

use crate::load::Role;
use crate::units::ByteSize;

/// At least this much of a file system stays free, and at least a tenth of it ([`FreeSpace::usable`]).
pub const LEAST_FREE: ByteSize = ByteSize::GIB;

/// What is always allowed: this share of the free room of a file system, as a divisor.
// A choice: on a large volume that is nearly full by its percentage, a hundredth of the room that is left
// fills nothing, and refusing it would keep people from measuring the volumes they have.
const HARMLESS_SHARE: u64 = 100;

/// What is known of a target before planning.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetFacts {
    /// Where it is, with symbolic links resolved.
    pub path: PathBuf,
    /// Whose files lie there; empty where any role's may.
    pub roles: Vec<Role>,
    /// What it is.
    pub kind: TargetKind,
    /// Smallest unit of direct I/O.
    pub sector_size: ByteSize,
}

impl TargetFacts {
    /// Whether files of this role may lie there.
    pub fn takes(&self, role: Role) -> bool {
        self.roles.is_empty() || self.roles.contains(&role)
    }
}

/// The three kinds of target.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetKind {
    /// iotrial makes its own files in it.
    Directory(FreeSpace),
    /// A file that iotrial made earlier, used as it is.
    File {
        /// Bytes after the header.
        data_size: ByteSize,
    },
    /// None: the engine touches no target.
    Imagined,
    /// A raw block device.
    Device {
        /// All of it.
        size: ByteSize,
        /// Whether the user gave the token that allows to destroy its content.
        destroy: bool,
    },
}

/// The room on the file system of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeSpace {
    /// Tells whether two directories share their space.
    pub filesystem_id: u64,
    /// All of the file system that ordinary users have, full or free.
    pub capacity: ByteSize,
    /// What an ordinary user may still write.
    pub available: ByteSize,
    /// The files that iotrial made earlier in the directory, by name, with what removing each gives back.
    pub kept: Vec<(String, ByteSize)>,
}

impl FreeSpace {
    /// What iotrial may fill: all but a tenth of the file system and [`LEAST_FREE`].
    ///
    /// Where less than a tenth is free, 1 % of what is free, as long as [`LEAST_FREE`] stays.
    pub fn usable(&self) -> ByteSize {
        self.usable_with(ByteSize::default())
    }

    /// The same where files are removed first, which gives that much back.
    pub fn usable_with(&self, given_back: ByteSize) -> ByteSize {
        let available = (self.available + given_back).get();
        let beyond_least = available.saturating_sub(LEAST_FREE.get());
        let beyond_tenth = available.saturating_sub(self.capacity.get() / 10);
        ByteSize::bytes(beyond_least.min(beyond_tenth.max(available / HARMLESS_SHARE)))
    }
}

/// Files do not fit on a file system without going below what has to stay free ([`FreeSpace::usable`]).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{needed} of files are needed on `{}`, but only {usable} may be used, because 10 % of the file system, and at least {LEAST_FREE}, must stay free",
    path.display()
)]
pub struct NoSpace {
    /// A directory on that file system.
    pub path: PathBuf,
    /// What the files take, all that go there together.
    pub needed: ByteSize,
    /// What the rule allows.
    pub usable: ByteSize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn usable(capacity_gib: u64, available_gib: u64) -> ByteSize {
        let gib = |count: u64| ByteSize::bytes(count * ByteSize::GIB.get());
        let (capacity, available) = (gib(capacity_gib), gib(available_gib));
        FreeSpace { filesystem_id: 1, capacity, available, kept: Vec::new() }.usable()
    }

    #[test]
    fn a_tenth_and_a_gibibyte_stay_free() {
        assert_eq!(usable(100, 50), ByteSize::bytes(40 << 30));
        assert_eq!(usable(5, 3), ByteSize::bytes(2 << 30));
    }

    #[test]
    fn a_volume_that_is_nearly_full_gives_a_hundredth_of_its_room_and_never_its_last_gibibyte() {
        assert_eq!(usable(10_000, 500), ByteSize::bytes(5 << 30));
        assert_eq!(usable(100, 1), ByteSize::default());
        assert_eq!(usable(100, 0), ByteSize::default());
    }
}
