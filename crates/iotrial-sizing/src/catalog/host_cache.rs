//! The ways in which the host of a machine caches a volume.

use serde::Serialize;

/// What the host's cache does for a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostCache {
    /// The disk answers every I/O itself.
    #[default]
    None,
    /// Reads may be answered by the host; writes go to the disk.
    ReadOnly,
    /// Serves reads and takes writes.
    ReadWrite,
}

impl HostCache {
    pub(crate) const WORDS: [(&'static str, Self); 3] =
        [("none", Self::None), ("read-only", Self::ReadOnly), ("read-write", Self::ReadWrite)];

    /// The word in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ReadOnly => "read-only",
            Self::ReadWrite => "read-write",
        }
    }
}
