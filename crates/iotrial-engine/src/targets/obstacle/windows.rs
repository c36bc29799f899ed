//! What stands against writing to a disk of Windows.

use std::fmt;

/// What stands against writing to a disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It has no medium: its size is zero, or not told.
    NoMedium,
    /// Nobody has tried it on real hardware.
    NeverTried,
}

impl Reason {
    /// A stable name, for files.
    pub(super) const fn id(&self) -> &'static str {
        match self {
            Self::NoMedium => "no-medium",
            Self::NeverTried => "never-tried",
        }
    }

    /// The sentence about the disk of that name.
    pub(super) fn write(&self, device: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMedium => write!(f, "{device} has no medium"),
            Self::NeverTried => write!(
                f,
                "iotrial does not write to raw disks of Windows such as {device}, because that was never tested on real hardware"
            ),
        }
    }

    /// What the user can do about it in particular.
    pub(super) const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoMedium => None,
            Self::NeverTried => {
                Some("give a directory on the disk; a load that only reads may have the disk itself")
            }
        }
    }
}
