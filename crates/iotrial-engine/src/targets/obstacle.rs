//! Reasons why a device can never be written, whatever the user says.

use std::path::PathBuf;

/// One reason, and the device that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Kernel name, such as `sda1`, of the target itself, its disk, another partition of that disk, or what a
    /// loop device stands on: writing to any of them would write to the others.
    pub(crate) device: String,
    pub(crate) reason: Reason,
}

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

impl Obstacle {
    /// A stable name, for files.
    pub const fn id(&self) -> &'static str {
        match self.reason {
            Reason::Mounted { .. } => "mounted",
            Reason::MountedElsewhere { .. } => "mounted-elsewhere",
            Reason::Swap => "swap",
            Reason::Stacked { .. } => "stacked",
            Reason::LoopBacking { .. } => "loop-backing",
            Reason::BtrfsMember { .. } => "btrfs-member",
            Reason::Open { .. } => "open",
            Reason::Held => "held",
            Reason::SystemDisk { .. } => "system-disk",
            Reason::Protected { .. } => "protected",
            Reason::ReadOnly => "read-only",
            Reason::Unseen { .. }
            | Reason::UnseenProcesses { .. }
            | Reason::HiddenProcesses { .. }
            | Reason::UnderWay { .. } => "unseen",
            Reason::NoMedium => "no-medium",
        }
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { device, reason } = self;
        match reason {
            Reason::Mounted { mount_point } => {
                write!(f, "{device} is mounted on `{}`", mount_point.display())
            }
            Reason::MountedElsewhere { mount_point, pid } => {
                let place = mount_point.display();
                write!(f, "{device} is mounted on `{place}` in the mount namespace of process {pid}")
            }
            Reason::Swap => write!(f, "{device} is used for swap"),
            Reason::Stacked { by } => write!(f, "{by} is made of {device}"),
            Reason::LoopBacking { by } => write!(f, "{by} shows the same data as {device}"),
            Reason::BtrfsMember { uuid } => write!(f, "{device} belongs to the mounted btrfs {uuid}"),
            Reason::Open { process, pid } => write!(f, "process {pid} (`{process}`) has {device} open"),
            Reason::Held => {
                write!(f, "{device} is held exclusively, by a mount, an array or another program")
            }
            Reason::SystemDisk { place } => {
                write!(f, "{device} carries `{}` of the running system", place.display())
            }
            Reason::Protected { place } => write!(f, "{device} carries `{}`", place.display()),
            Reason::ReadOnly => write!(f, "{device} is read only"),
            Reason::Unseen { source } => {
                write!(
                    f,
                    "whether {device} is in use cannot be seen, because `{}` cannot be read",
                    source.display()
                )
            }
            Reason::UnseenProcesses { count } => {
                let whose = if *count == 1 { "a process" } else { "processes" };
                write!(f, "{whose} whose open files cannot be read ({count}) may have {device} open")
            }
            Reason::HiddenProcesses { by } => {
                write!(f, "processes that cannot be seen from here may have {device} open: {by}")
            }
            Reason::UnderWay { process, pid, count } => write!(
                f,
                "process {pid} (`{process}`) has {count} file descriptors under way in a socket, and one of them may be of {device}"
            ),
            Reason::NoMedium => write!(f, "{device} has no medium"),
        }
    }
}

/// What the user can do, as a sentence without a full stop.
pub(crate) fn hint(obstacles: &[Obstacle]) -> String {
    let unseen = |obstacle: &Obstacle| match obstacle.reason {
        Reason::UnseenProcesses { .. } => Some("run as root, who sees what every process has open"),
        Reason::HiddenProcesses { .. } => Some(
            "run as root on the host, or in a container that sees its processes (`--pid=host`, `hostPID: true`)",
        ),
        _ => None,
    };
    // Only where nothing else is known: whoever sees more would be refused all the same.
    let all: Option<Vec<_>> = obstacles.iter().map(unseen).collect();
    let hint = all.and_then(|hints| hints.last().copied());
    hint.unwrap_or("free the device first, or give a directory on it as the target").to_owned()
}

/// All of them in one line.
pub(crate) fn sentences(obstacles: &[Obstacle]) -> String {
    let sentences: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
    sentences.join("; ")
}
