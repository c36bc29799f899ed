//! A target before planning: what it is, and how much room it has.

use std::path::PathBuf;

use crate::units::ByteSize;

/// At least this much of a file system stays free, and at least a tenth of it.
pub const LEAST_FREE: ByteSize = ByteSize::GIB;

/// What is known of a target before planning.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetFacts {
    /// Where it is, with symbolic links resolved.
    pub path: PathBuf,
    /// What it is.
    pub kind: TargetKind,
    /// Smallest unit of direct I/O.
    pub sector_size: ByteSize,
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
    /// All of the file system.
    pub capacity: ByteSize,
    /// What an ordinary user may still write, with what our own files in the directory give back.
    pub available: ByteSize,
}

impl FreeSpace {
    /// What iotrial may fill: all but a tenth of the file system and [`LEAST_FREE`].
    ///
    /// Zero where less is free already.
    pub fn usable(&self) -> ByteSize {
        let reserve = ByteSize::bytes((self.capacity.get() / 10).max(LEAST_FREE.get()));
        ByteSize::bytes(self.available.get().saturating_sub(reserve.get()))
    }
}

/// Files do not fit on a file system without going below what has to stay free ([`FreeSpace::usable`]).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{needed} of files are needed on `{}`, and only {usable} may be used so that {LEAST_FREE} and 10 % stay free",
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
