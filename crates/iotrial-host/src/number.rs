//! The number by which the kernel knows a block device.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

/// Major and minor number of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number {
    /// Says the driver; 0 for what has no device.
    pub major: u32,
    /// Says which of the driver's.
    pub minor: u32,
}

impl Number {
    /// From `st_dev` or `st_rdev`.
    pub fn from_dev(dev: u64) -> Self {
        Self { major: rustix::fs::major(dev), minor: rustix::fs::minor(dev) }
    }

    /// Reads what sysfs and the mount table have, such as `254:0`; a line end may follow.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.trim_end().split_once(':')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    /// Of the block device at `path`, with links followed.
    pub fn of_device(path: &Path) -> Option<Self> {
        Self::of_metadata(&fs::metadata(path).ok()?)
    }

    /// Of the block device of which the metadata tells.
    pub fn of_metadata(metadata: &fs::Metadata) -> Option<Self> {
        metadata.file_type().is_block_device().then(|| Self::from_dev(metadata.rdev()))
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}
