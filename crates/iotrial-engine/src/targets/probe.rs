//! Looks at a target: what it is and what a plan must know of it. Makes nothing and writes nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iotrial_model::plan::{TargetFacts, TargetKind};
use iotrial_model::record::{BlockDevice, TargetRecord};
use iotrial_model::units::ByteSize;

use super::device::{self, Claim};
use super::directory::Directory;
use super::managed_file::{EXTENSION, Foreign, Found, ManagedFile};
use super::obstacle::{self, Obstacle, sentences};
use super::os;
use crate::under_way::{OPENING, within};

/// What was found at a path.
#[derive(Debug)]
pub struct ProbedTarget {
    /// For the plan; for any role.
    pub facts: TargetFacts,
    /// For the record; without roles.
    pub record: TargetRecord,
    /// What must still hold when the device is opened for writing.
    pub(crate) claim: Option<Claim>,
    /// The directory, or the one above where it is still to be made; `None` of a file or device.
    pub(crate) directory: Option<os::FileId>,
    /// Whether the directory itself is there.
    pub(crate) is_there: bool,
}

/// Why something cannot be a target.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// There is no such device node.
    #[error("there is no device `{}`; nothing was created", path.display())]
    NoSuchDevice {
        /// As the user gave it, nothing resolved.
        path: PathBuf,
    },
    /// Neither the directory nor the one in which it would be made is there.
    #[error("neither `{}` nor the directory above it exists", path.display())]
    NoParent {
        /// As the user gave it, nothing resolved.
        path: PathBuf,
        /// What the system said of the directory above.
        #[source]
        source: io::Error,
    },
    /// The name is that of a managed file, and there is none.
    #[error("there is no file `{}`", path.display())]
    NoSuchFile {
        /// As the user gave it, nothing resolved.
        path: PathBuf,
    },
    /// A symbolic link leads nowhere.
    #[error("`{}` is a symbolic link that leads nowhere", path.display())]
    DanglingLink {
        /// As the user gave it, nothing resolved.
        path: PathBuf,
    },
    /// It shows devices or the kernel, not files.
    #[error("`{}` belongs to the kernel; files cannot be tested there", path.display())]
    KernelsPlace {
        /// With links resolved.
        path: PathBuf,
    },
    /// A regular file stands where a device should be.
    #[error("`{}` is a regular file among the devices", path.display())]
    FileAmongDevices {
        /// With links resolved.
        path: PathBuf,
    },
    /// Its name cannot stand in a record.
    #[error("the path `{}` is not valid UTF-8", path.display())]
    NotText {
        /// With links resolved.
        path: PathBuf,
    },
    /// It is no directory, no file and no block device.
    #[error("`{}` is {what}", path.display())]
    NotATarget {
        /// With links resolved.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Somebody else made the file.
    #[error("`{}` was not made by iotrial: {foreign}", path.display())]
    NotOurs {
        /// With links resolved.
        path: PathBuf,
        /// How that shows.
        foreign: Foreign,
    },
    /// iotrial made the file, but did not finish it, or it was cut or punched since.
    #[error("`{}` was made by iotrial, but is incomplete", path.display())]
    NotWhole {
        /// With links resolved.
        path: PathBuf,
    },
    /// Files cannot be made there.
    #[error("cannot make files in `{}`", path.display())]
    NotWritable {
        /// The directory, or the one above where it does not exist.
        path: PathBuf,
        /// What asking for the right to write answered.
        #[source]
        source: io::Error,
    },
    /// The system does not let us look.
    #[error("cannot examine `{}`", path.display())]
    Examine {
        /// What was looked at.
        path: PathBuf,
        /// What the operating system answered; [`ProbeError::hint`] goes by its kind.
        #[source]
        source: io::Error,
    },
    /// It is no block device.
    #[error("`{}` is {what}, not a block device", path.display())]
    NotADevice {
        /// With links resolved.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The device is in use; no token changes that.
    #[error("`{}` can never be written: {}", path.display(), sentences(obstacles))]
    Obstructed {
        /// With links resolved.
        path: PathBuf,
        /// Everything that stands against it, at least one.
        obstacles: Vec<Obstacle>,
    },
    /// The token is not the one of this device, host and content.
    #[error("the token does not match `{}` as it is now: the device, its content or the host has changed", path.display())]
    WrongToken {
        /// With links resolved.
        path: PathBuf,
    },
}

impl ProbeError {
    /// Whether another path or token would mend it, and not another user or a change of the host.
    pub fn is_of_input(&self) -> bool {
        match self {
            Self::NoSuchDevice { .. }
            | Self::NoParent { .. }
            | Self::NoSuchFile { .. }
            | Self::DanglingLink { .. }
            | Self::KernelsPlace { .. }
            | Self::FileAmongDevices { .. }
            | Self::NotATarget { .. }
            | Self::NotText { .. }
            | Self::NotOurs { .. }
            | Self::NotWhole { .. }
            | Self::NotADevice { .. }
            | Self::WrongToken { .. } => true,
            Self::Examine { path, source } => {
                let wrong = [io::ErrorKind::NotADirectory, io::ErrorKind::NotFound];
                path.as_os_str().is_empty() || wrong.contains(&source.kind())
            }
            Self::NotWritable { .. } | Self::Obstructed { .. } => false,
        }
    }

    /// What the user can do, as a sentence without a full stop.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoSuchDevice { .. } => os::HOW_TO_LIST_DEVICES.to_owned(),
            Self::NoParent { path, .. } => {
                let parent = path.parent().unwrap_or(path);
                format!("check the spelling, mount the volume, or make `{}` first", parent.display())
            }
            Self::NoSuchFile { .. } => {
                "give the directory instead, and iotrial makes its files in it".to_owned()
            }
            Self::DanglingLink { .. } => "check where the link points to".to_owned(),
            Self::KernelsPlace { .. } | Self::FileAmongDevices { .. } | Self::NotATarget { .. } => {
                "give a directory on the volume, or a block device".to_owned()
            }
            Self::NotText { .. } => {
                "rename it, or give a directory next to it: records are JSON, which cannot hold that name"
                    .to_owned()
            }
            Self::NotOurs { .. } | Self::NotWhole { .. } => {
                "give the directory instead, and iotrial makes its own files in it".to_owned()
            }
            Self::NotWritable { path, source } => match source.kind() {
                io::ErrorKind::ReadOnlyFilesystem => {
                    "the file system is mounted read only; mount it for writing".to_owned()
                }
                io::ErrorKind::Unsupported => {
                    "give a directory whose files are stored as they are written".to_owned()
                }
                _ => format!("run as a user who may write to `{}`", path.display()),
            },
            Self::Examine { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                format!(
                    "run as {}; if you already do, the container or a device cgroup denies access: run it on the host, or allow the device",
                    os::ADMINISTRATOR
                )
            }
            Self::Examine { source, .. } if source.kind() == io::ErrorKind::NotADirectory => {
                "check the spelling: a file is where a directory should be".to_owned()
            }
            Self::Examine { source, .. } if source.kind() == io::ErrorKind::TimedOut => {
                "the storage hangs: the kernel keeps this process until the device answers or is removed, and its log (dmesg) may say why".to_owned()
            }
            Self::Examine { path, .. } if path.as_os_str().is_empty() => {
                "give a directory, or a block device".to_owned()
            }
            Self::Examine { .. } => return None,
            Self::NotADevice { .. } => "tokens are for block devices; files need none".to_owned(),
            Self::Obstructed { obstacles, .. } => obstacle::hint(obstacles),
            Self::WrongToken { path } => {
                format!("`iotrial target {}` shows what is there now, and its token", path.display())
            }
        };
        Some(hint)
    }
}

/// Looks at the target at `path`, with links resolved.
///
/// `destroy` is the token of a raw device whose content may be destroyed; for files and directories it
/// means nothing. `protected` are paths whose devices are never written, such as the record store. A
/// directory that is not there yet is a target, too, if the one above it exists: [`prepare`] makes it.
///
/// [`prepare`]: super::prepare
///
/// # Errors
///
/// When it cannot be a target, or does not answer within two minutes; [`ProbeError::hint`] says what to do.
pub fn probe(path: &Path, destroy: Option<&str>, protected: &[PathBuf]) -> Result<ProbedTarget, ProbeError> {
    let asked = (path.to_owned(), destroy.map(str::to_owned), protected.to_owned());
    let hung = |source| ProbeError::Examine { path: path.to_owned(), source };
    within(OPENING, move || probe_here(&asked.0, asked.1.as_deref(), &asked.2)).map_err(hung)?
}

/// The same, by the thread that asks.
fn probe_here(path: &Path, destroy: Option<&str>, protected: &[PathBuf]) -> Result<ProbedTarget, ProbeError> {
    // Not every system shows devices as files, whose kind could be asked.
    if os::names_a_device(path) {
        return device::probe(path.to_owned(), destroy, protected);
    }
    let resolved = match resolve(path)? {
        Resolved::Existing(resolved) => resolved,
        Resolved::ToBeMade { path, parent } => {
            check_is_text(&path)?;
            return probe_directory(path, &parent);
        }
    };
    check_is_text(&resolved)?;
    // Without following: a link that appears there after all links were resolved was put there by somebody.
    let metadata = examine(&resolved, fs::symlink_metadata(&resolved))?;
    if metadata.is_dir() {
        probe_directory(resolved.clone(), &resolved)
    } else if metadata.is_file() {
        probe_file(resolved)
    } else if os::is_block_device(&metadata) {
        device::probe(resolved, destroy, protected)
    } else {
        Err(ProbeError::NotATarget { path: resolved, what: os::kind_of(&metadata) })
    }
}

/// The block devices below what exists, level by level, the nearest first, and whether it is in main memory. Looks only; of what cannot be
/// seen there are none.
pub fn devices_below(path: &Path) -> (Vec<BlockDevice>, bool) {
    let below = os::Below::find(path);
    (below.devices, below.is_in_memory)
}

/// Plans and records are JSON, which has no way to write other names. Refused before anything is made, so that no
/// run ends in its own record.
fn check_is_text(path: &Path) -> Result<(), ProbeError> {
    match path.to_str() {
        Some(_) => Ok(()),
        None => Err(ProbeError::NotText { path: path.to_owned() }),
    }
}

/// Where a path leads.
pub(crate) enum Resolved {
    /// To something that exists.
    Existing(PathBuf),
    /// To nothing, in a directory that exists.
    ToBeMade { path: PathBuf, parent: PathBuf },
}

pub(crate) fn resolve(path: &Path) -> Result<Resolved, ProbeError> {
    // Resolved once, here, and used so from now on: plan, record and every later check name the same place,
    // whatever a link in the path is turned to meanwhile.
    match os::canonicalize(path) {
        Ok(resolved) => return Ok(Resolved::Existing(resolved)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(ProbeError::Examine { path: path.to_owned(), source }),
    }
    let absolute = examine(path, std::path::absolute(path))?;
    // Before anything could be made of it: a device that is misspelt must stay an error, and not become a
    // file in memory.
    if absolute.starts_with("/dev") {
        return Err(ProbeError::NoSuchDevice { path: path.to_owned() });
    }
    if fs::symlink_metadata(path).is_ok() {
        return Err(ProbeError::DanglingLink { path: path.to_owned() });
    }
    let no_parent = |source| ProbeError::NoParent { path: path.to_owned(), source };
    let (Some(parent), Some(name)) = (absolute.parent(), absolute.file_name()) else {
        return Err(no_parent(io::ErrorKind::NotFound.into()));
    };
    let parent = os::canonicalize(parent).map_err(no_parent)?;
    if !parent.is_dir() {
        return Err(no_parent(io::ErrorKind::NotADirectory.into()));
    }
    // The name of a managed file means that one, and never a directory to be made.
    if Path::new(name).extension().is_some_and(|extension| extension == EXTENSION) {
        return Err(ProbeError::NoSuchFile { path: path.to_owned() });
    }
    Ok(Resolved::ToBeMade { path: parent.join(name), parent })
}

/// `existing` is the directory itself, or the one above it where it is still to be made.
fn probe_directory(path: PathBuf, existing: &Path) -> Result<ProbedTarget, ProbeError> {
    let below = os::Below::find(existing);
    if os::is_kernels(&path) || below.is_kernels {
        return Err(ProbeError::KernelsPlace { path });
    }
    os::may_make_files(existing)
        .map_err(|source| ProbeError::NotWritable { path: existing.to_owned(), source })?;
    let held = Arc::new(examine(existing, Directory::open(existing))?);
    let mut space = examine(existing, os::free_space(&held))?;
    let mut sector_size = None;
    let is_there = path == existing;
    // Files of earlier runs are used again or removed first, if the plan has files of their names. One of them
    // can also be asked for the unit of direct I/O, which a directory does not tell.
    for managed in if is_there { managed_files(&held)? } else { Vec::new() } {
        let name = managed.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        space.kept.push((name, ByteSize::bytes(os::allocated(&managed.metadata))));
        sector_size = os::direct_alignment(&managed.path).or(sector_size);
    }
    let sector_size = ByteSize::bytes(sector_size.unwrap_or(below.sector_size));
    let directory = Some(examine(existing, held.id())?);
    let probed = probed(path, TargetKind::Directory(space), sector_size, below, "directory");
    Ok(ProbedTarget { directory, is_there, ..probed })
}

/// The files in a directory that the plan may use or replace, because iotrial made them.
fn managed_files(directory: &Arc<Directory>) -> Result<Vec<ManagedFile>, ProbeError> {
    let names = examine(directory.path(), directory.names())?;
    let named =
        names.iter().filter(|name| Path::new(name).extension().is_some_and(|ending| ending == EXTENSION));
    // Whatever cannot be read gives no space back, and is met again when the files are made.
    let found = named.filter_map(|name| match ManagedFile::find_in(directory, name, false) {
        Ok(Found::Managed(managed)) => Some(*managed),
        _ => None,
    });
    Ok(found.collect())
}

fn probe_file(path: PathBuf) -> Result<ProbedTarget, ProbeError> {
    let below = os::Below::find(&path);
    if os::is_kernels(&path) || below.is_kernels {
        return Err(ProbeError::FileAmongDevices { path });
    }
    let managed = match examine(&path, ManagedFile::find(&path, false))? {
        Found::Managed(managed) => managed,
        Found::Foreign(foreign) => return Err(ProbeError::NotOurs { path, foreign }),
        Found::Nothing => return Err(ProbeError::NoSuchFile { path }),
    };
    if !examine(&path, managed.is_whole())? {
        return Err(ProbeError::NotWhole { path });
    }
    let sector_size = ByteSize::bytes(os::direct_alignment(&path).unwrap_or(below.sector_size));
    Ok(probed(path, TargetKind::File { data_size: managed.header.data_size }, sector_size, below, "file"))
}

fn probed(
    path: PathBuf,
    kind: TargetKind,
    sector_size: ByteSize,
    below: os::Below,
    word: &str,
) -> ProbedTarget {
    let record = TargetRecord {
        path: path.display().to_string(),
        roles: Vec::new(),
        kind: word.to_owned(),
        filesystem: below.filesystem,
        mount: below.mount,
        in_memory: below.is_in_memory,
        sector_size,
        devices: below.devices,
    };
    ProbedTarget {
        facts: TargetFacts { path, roles: Vec::new(), kind, sector_size },
        record,
        claim: None,
        directory: None,
        is_there: true,
    }
}

pub(crate) fn examine<T>(path: &Path, result: io::Result<T>) -> Result<T, ProbeError> {
    result.map_err(|source| ProbeError::Examine { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probing_a_directory_that_is_not_there_makes_nothing_and_tells_of_the_one_above() {
        let above = tempfile::tempdir().unwrap();
        let path = above.path().join("new");
        let probed = probe(&path, None, &[]).unwrap();
        assert!(!path.exists());
        assert_eq!(probed.facts.path, os::canonicalize(above.path()).unwrap().join("new"));
        let TargetKind::Directory(space) = probed.facts.kind else { panic!("not a directory") };
        assert!(space.capacity >= space.available);
        assert!(probed.facts.sector_size.get().is_power_of_two());
    }

    #[test]
    fn what_cannot_be_a_target_is_refused_with_its_own_error_and_a_hint() {
        let place = tempfile::tempdir().unwrap();
        let foreign = place.path().join("foreign.iotrial");
        fs::write(&foreign, "somebody's data").unwrap();
        let check = |path: &Path, kind: &str| {
            let error = probe(path, None, &[]).unwrap_err();
            let debug = format!("{error:?}");
            assert!(debug.starts_with(kind), "{}: {debug}", path.display());
            assert!(error.hint().is_some(), "{error}");
        };
        check(&place.path().join("no/where"), "NoParent");
        check(&place.path().join("none.iotrial"), "NoSuchFile");
        check(&foreign, "NotOurs");
        check(&foreign.join("below"), os::expected::BELOW_A_FILE);
    }
}
