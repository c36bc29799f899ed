//! What stands against writing to a device of Linux.

use std::fmt;
use std::path::PathBuf;

/// What stands against writing to a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A file system on it is mounted.
    Mounted { mount_point: PathBuf },
    /// A file system on it is mounted where this process does not see it, such as in a container. The mount
    /// point is as the process with that id sees it, one of many that may.
    MountedElsewhere { mount_point: PathBuf, pid: u32 },
    /// The system swaps to it.
    Swap,
    /// A mapping, array or cache of that kernel name is made of it.
    Stacked { by: String },
    /// A loop device of that kernel name shows it, or the same file.
    LoopBacking { by: String },
    /// It is part of a btrfs file system that is mounted.
    BtrfsMember { uuid: String },
    /// A process has it open.
    Open { process: String, pid: u32 },
    /// Somebody holds it for himself alone: a mount in another namespace, an array, a database.
    Held,
    /// The running system lies on it, at least the part below `place`.
    SystemDisk { place: PathBuf },
    /// Something that must stay lies on it: the record store, the current directory.
    Protected { place: PathBuf },
    /// It can only be read.
    ReadOnly,
    /// `source`, which would tell whether it is in use, cannot be read.
    Unseen { source: PathBuf },
    /// The open files of so many processes cannot be read, as those of other users cannot.
    UnseenProcesses { count: usize },
    /// Processes are there that this one is not shown: it runs in a container, or `/proc` hides them.
    HiddenProcesses { by: &'static str },
    /// A process has so many descriptors on their way to another one, in a socket, where nobody sees what they are.
    UnderWay { process: String, pid: u32, count: u64 },
    /// It has no medium: its size is zero.
    NoMedium,
}

impl Reason {
    /// A stable name, for files.
    pub(super) const fn id(&self) -> &'static str {
        match self {
            Self::Mounted { .. } => "mounted",
            Self::MountedElsewhere { .. } => "mounted-elsewhere",
            Self::Swap => "swap",
            Self::Stacked { .. } => "stacked",
            Self::LoopBacking { .. } => "loop-backing",
            Self::BtrfsMember { .. } => "btrfs-member",
            Self::Open { .. } => "open",
            Self::Held => "held",
            Self::SystemDisk { .. } => "system-disk",
            Self::Protected { .. } => "protected",
            Self::ReadOnly => "read-only",
            Self::Unseen { .. }
            | Self::UnseenProcesses { .. }
            | Self::HiddenProcesses { .. }
            | Self::UnderWay { .. } => "unseen",
            Self::NoMedium => "no-medium",
        }
    }

    /// The sentence about the device of that kernel name.
    pub(super) fn write(&self, device: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mounted { mount_point } => {
                write!(f, "{device} is mounted on `{}`", mount_point.display())
            }
            Self::MountedElsewhere { mount_point, pid } => {
                let place = mount_point.display();
                write!(f, "{device} is mounted on `{place}` in the mount namespace of process {pid}")
            }
            Self::Swap => write!(f, "{device} is used for swap"),
            Self::Stacked { by } => write!(f, "{by} is made of {device}"),
            Self::LoopBacking { by } => write!(f, "{by} shows the same data as {device}"),
            Self::BtrfsMember { uuid } => write!(f, "{device} belongs to the mounted btrfs {uuid}"),
            Self::Open { process, pid } => write!(f, "process {pid} (`{process}`) has {device} open"),
            Self::Held => {
                write!(f, "{device} is held exclusively, by a mount, an array or another program")
            }
            Self::SystemDisk { place } => {
                write!(f, "{device} carries `{}` of the running system", place.display())
            }
            Self::Protected { place } => write!(f, "{device} carries `{}`", place.display()),
            Self::ReadOnly => write!(f, "{device} is read only"),
            Self::Unseen { source } => {
                write!(
                    f,
                    "whether {device} is in use cannot be seen, because `{}` cannot be read",
                    source.display()
                )
            }
            Self::UnseenProcesses { count } => {
                let whose = if *count == 1 { "a process" } else { "processes" };
                write!(f, "{whose} whose open files cannot be read ({count}) may have {device} open")
            }
            Self::HiddenProcesses { by } => {
                write!(f, "processes that cannot be seen from here may have {device} open: {by}")
            }
            Self::UnderWay { process, pid, count } => write!(
                f,
                "process {pid} (`{process}`) has {count} file descriptors in transit through a socket, and one of them may be for {device}; this passes within moments, so try again"
            ),
            Self::NoMedium => write!(f, "{device} has no medium"),
        }
    }

    /// What the user can do about it in particular.
    pub(super) const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::UnseenProcesses { .. } => Some("run as root, who sees what every process has open"),
            Self::HiddenProcesses { .. } => Some(
                "run as root on the host, or in a container that sees its processes (`--pid=host`, `hostPID: true`)",
            ),
            Self::UnderWay { .. } => {
                Some("try again; if it is always the same process, end it for the time of the run")
            }
            _ => None,
        }
    }
}
