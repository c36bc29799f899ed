//! Why the targets cannot be laid out, and what to do about it.

use std::io;
use std::path::PathBuf;

use iotrial_model::target::NoSpace;
use iotrial_model::units::ByteSize;
use iotrial_model::verification::PageFault;

use super::managed_file::Foreign;
use super::obstacle::{self, Obstacle, sentences};

/// Why the targets cannot be laid out.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The plan works on a device or directory that was not among the probed targets.
    #[error("the plan works on `{}`, which was not probed", path.display())]
    NotProbed {
        /// The device or directory, as the plan has it.
        path: PathBuf,
    },
    /// The plan destroys a device for which no token was given.
    #[error("the plan writes to `{}`, and no token was given for it", path.display())]
    NoToken {
        /// The device whose content would be lost.
        path: PathBuf,
    },
    /// The directory was exchanged, or its volume unmounted, since it was probed.
    #[error("`{}` is no longer the directory that was examined", path.display())]
    Exchanged {
        /// The directory, as it was named when it was probed.
        path: PathBuf,
    },
    /// Two areas of the plan are the same file.
    #[error("the plan makes `{}` twice", path.display())]
    MadeTwice {
        /// The file that both areas name.
        path: PathBuf,
    },
    /// Something of that name is there, and iotrial did not make it.
    #[error("`{}` was not made by iotrial: {foreign}", path.display())]
    NotOurs {
        /// What has that name; it was not changed.
        path: PathBuf,
        /// How that shows.
        foreign: Foreign,
    },
    /// The given file is not what it was when it was probed.
    #[error("`{}` is incomplete", path.display())]
    NotWhole {
        /// The file that the user gave.
        path: PathBuf,
    },
    /// Another run works on it.
    #[error("`{}` is in use by another run of iotrial", path.display())]
    InUse {
        /// The file whose lock another run has, or that another run removed before its lock was ours.
        path: PathBuf,
    },
    /// The files do not fit any more.
    #[error(transparent)]
    NoSpace(NoSpace),
    /// A file or directory cannot be made, opened or replaced.
    #[error("cannot {what} `{}`", path.display())]
    File {
        /// `make`, `open`, `remove` or `lock`.
        what: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the operating system answered; [`PrepareError::hint`] goes by its kind.
        #[source]
        source: io::Error,
    },
    /// Writing the data failed.
    #[error("cannot write `{}` completely", path.display())]
    Write {
        /// The file or device, parts of which hold new data by now.
        path: PathBuf,
        /// What the write or the flush answered; [`PrepareError::hint`] goes by its kind.
        #[source]
        source: io::Error,
    },
    /// The file system has no direct I/O.
    #[error("direct I/O is refused on `{}`", path.display())]
    DirectRefused {
        /// The file or device.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Direct I/O needs larger units than the plan counts on.
    #[error("direct I/O on `{}` needs multiples of {needed}, but the plan assumes {planned}", path.display())]
    Misaligned {
        /// The file or device.
        path: PathBuf,
        /// What the system wants.
        needed: ByteSize,
        /// What the plan has.
        planned: ByteSize,
    },
    /// The device came into use since it was probed.
    #[error("`{}` can not be written: {}", path.display(), sentences(obstacles))]
    Obstructed {
        /// The device that was to be claimed.
        path: PathBuf,
        /// Everything that stands against it, at least one.
        obstacles: Vec<Obstacle>,
    },
    /// The device is not the one for which the token was given.
    #[error("`{}` changed since its token was made: {what}", path.display())]
    Changed {
        /// The device that was to be claimed.
        path: PathBuf,
        /// What differs, as the end of the message.
        what: String,
    },
    /// The storage does not answer; what was made stays, because to remove it may hang as well.
    #[error(
        "the storage hangs: an I/O on `{}` at byte {} did not come back within {} s",
        .0.path.display(), .0.offset_bytes, .0.under_way.unwrap_or_default().as_secs_f64()
    )]
    Hung(Box<PageFault>),
    /// The user stopped it; what was made is removed.
    #[error("stopped while the test files were created")]
    Interrupted,
}

impl PrepareError {
    /// What the user can do, as a sentence without a full stop.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotProbed { .. } | Self::Interrupted => return None,
            Self::Hung(_) => {
                "once the storage answers again, `iotrial clean` removes what is left".to_owned()
            }
            Self::Exchanged { .. } => "check whether the volume is still mounted there".to_owned(),
            Self::MadeTwice { .. } => "give each directory once".to_owned(),
            Self::NotOurs { .. } => {
                "nothing was changed; move that away, or give another directory".to_owned()
            }
            Self::NotWhole { .. } => "give the directory instead, and iotrial makes its own files".to_owned(),
            Self::InUse { .. } => "wait until that run ends, or give another directory".to_owned(),
            Self::NoSpace { .. } => "give a smaller `--size`, or free space".to_owned(),
            Self::File { source, .. } | Self::Write { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "give a smaller `--size`, or free space; what was made is removed".to_owned()
                }
                io::ErrorKind::PermissionDenied => "run as a user who may write there".to_owned(),
                io::ErrorKind::ReadOnlyFilesystem => "mount the file system for writing".to_owned(),
                _ => return None,
            },
            Self::DirectRefused { .. } => {
                "`--buffered` measures through the page cache instead; the figures are then the cache's too"
                    .to_owned()
            }
            Self::Misaligned { needed, .. } => format!("use block sizes that are multiples of {needed}"),
            Self::Obstructed { obstacles, .. } => obstacle::hint(obstacles),
            Self::Changed { path, .. } | Self::NoToken { path } => {
                format!("`iotrial target {}` shows what is there now, and its token", path.display())
            }
        };
        Some(hint)
    }
}
