//! Reasons why a device can never be written, whatever the user says.

use std::path::PathBuf;

/// One reason. `device` is the kernel name of the device that is concerned: the target itself, its disk,
/// another partition of that disk, or what a loop device stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// A file system on it is mounted.
    Mounted {
        /// Kernel name.
        device: String,
        /// Where.
        mount_point: PathBuf,
    },
    /// A file system on it is mounted where this process does not see it, such as in a container.
    MountedElsewhere {
        /// Kernel name.
        device: String,
        /// Where, as that process sees it.
        mount_point: PathBuf,
        /// A process that sees it.
        pid: u32,
    },
    /// The system swaps to it.
    Swap {
        /// Kernel name.
        device: String,
    },
    /// A mapping, array or cache is made of it.
    Stacked {
        /// Kernel name.
        device: String,
        /// Kernel name of what is made of it.
        by: String,
    },
    /// A loop device shows it, or the same file.
    LoopBacking {
        /// Kernel name.
        device: String,
        /// Kernel name of the loop device.
        by: String,
    },
    /// It is part of a btrfs file system that is mounted.
    BtrfsMember {
        /// Kernel name.
        device: String,
        /// Of the file system.
        uuid: String,
    },
    /// A process has it open.
    Open {
        /// Kernel name.
        device: String,
        /// Name of the process.
        process: String,
        /// Its id.
        pid: u32,
    },
    /// Somebody holds it for himself alone: a mount in another namespace, an array, a database.
    Held {
        /// Kernel name.
        device: String,
    },
    /// The running system lies on it.
    SystemDisk {
        /// Kernel name.
        device: String,
        /// The part of the system.
        place: PathBuf,
    },
    /// Something that must stay lies on it: the record store, the current directory.
    Protected {
        /// Kernel name.
        device: String,
        /// What lies on it.
        place: PathBuf,
    },
    /// It can only be read.
    ReadOnly {
        /// Kernel name.
        device: String,
    },
    /// What would tell whether it is in use cannot be read.
    Unseen {
        /// Kernel name.
        device: String,
        /// What cannot be read.
        source: PathBuf,
    },
    /// It has no medium: its size is zero.
    NoMedium {
        /// Kernel name.
        device: String,
    },
}

impl Obstacle {
    /// A stable name, for files.
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Mounted { .. } => "mounted",
            Self::MountedElsewhere { .. } => "mounted-elsewhere",
            Self::Swap { .. } => "swap",
            Self::Stacked { .. } => "stacked",
            Self::LoopBacking { .. } => "loop-backing",
            Self::BtrfsMember { .. } => "btrfs-member",
            Self::Open { .. } => "open",
            Self::Held { .. } => "held",
            Self::SystemDisk { .. } => "system-disk",
            Self::Protected { .. } => "protected",
            Self::ReadOnly { .. } => "read-only",
            Self::Unseen { .. } => "unseen",
            Self::NoMedium { .. } => "no-medium",
        }
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mounted { device, mount_point } => {
                write!(f, "{device} is mounted on `{}`", mount_point.display())
            }
            Self::MountedElsewhere { device, mount_point, pid } => {
                let place = mount_point.display();
                write!(f, "{device} is mounted on `{place}` in the mount namespace of process {pid}")
            }
            Self::Swap { device } => write!(f, "{device} is used for swap"),
            Self::Stacked { device, by } => write!(f, "{by} is made of {device}"),
            Self::LoopBacking { device, by } => write!(f, "{by} shows the same data as {device}"),
            Self::BtrfsMember { device, uuid } => write!(f, "{device} belongs to the mounted btrfs {uuid}"),
            Self::Open { device, process, pid } => {
                write!(f, "process {pid} (`{process}`) has {device} open")
            }
            Self::Held { device } => {
                write!(f, "{device} is held exclusively, by a mount, an array or another program")
            }
            Self::SystemDisk { device, place } => {
                write!(f, "{device} carries `{}` of the running system", place.display())
            }
            Self::Protected { device, place } => write!(f, "{device} carries `{}`", place.display()),
            Self::ReadOnly { device } => write!(f, "{device} is read only"),
            Self::Unseen { device, source } => {
                write!(
                    f,
                    "whether {device} is in use cannot be seen, because `{}` cannot be read",
                    source.display()
                )
            }
            Self::NoMedium { device } => write!(f, "{device} has no medium"),
        }
    }
}

/// All of them in one line.
pub(crate) fn sentences(obstacles: &[Obstacle]) -> String {
    let sentences: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
    sentences.join("; ")
}
