//! Where the managed files of a plan are to lie, and what lies there already. Looks only; makes nothing.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iotrial_model::plan::{Area, AreaKind, FILE_HEADER_SIZE, Plan, TargetKind};
use iotrial_model::target::NoSpace;
use iotrial_model::units::ByteSize;

use super::directory::Directory;
use super::managed_file::{Found, ManagedFile};
use super::os;
use super::prepare_error::PrepareError;
use super::probe::ProbedTarget;

/// The directories of the managed files of a plan, held open from the last look on.
pub(super) struct Places(Vec<Place>);

/// A directory in which managed files lie, or are to lie.
pub(super) struct Place {
    path: PathBuf,
    /// `None` while it is still to be made.
    directory: Option<Arc<Directory>>,
    /// It, or the one above in which it is to be made.
    existing: Arc<Directory>,
}

impl Places {
    /// Opens the directories, and makes sure that files would still come to lie where the user meant them to: an
    /// unmounted volume leaves an empty directory of the same name on the system's disk.
    pub(super) fn hold(plan: &Plan, targets: &[ProbedTarget]) -> Result<Self, PrepareError> {
        let mut places: Vec<Place> = Vec::new();
        for area in plan.areas.iter().filter(|area| area.kind == AreaKind::ManagedFile) {
            let path = area.path.parent().unwrap_or(&area.path);
            if places.iter().any(|place| place.path == path) {
                continue;
            }
            let probed = targets.iter().find(|target| target.facts.path == path);
            let probed = probed.ok_or_else(|| PrepareError::NotProbed { path: path.to_owned() })?;
            places.push(Place::hold(path, probed)?);
        }
        Ok(Self(places))
    }

    /// The directory of a managed file of the plan.
    pub(super) fn of(&self, file: &Path) -> &Place {
        let found = self.0.iter().find(|place| Some(&*place.path) == file.parent());
        found.expect("the directories of all managed files are held")
    }

    /// The directory of a file of the plan, which is made where it is not there; then it comes back as new.
    pub(super) fn make(
        &mut self,
        file: &Path,
    ) -> Result<(Arc<Directory>, Option<NewDirectory>), PrepareError> {
        let place = self.0.iter_mut().find(|place| Some(&*place.path) == file.parent());
        let place = place.expect("the directories of all managed files are held");
        if let Some(directory) = &place.directory {
            return Ok((Arc::clone(directory), None));
        }
        let name = place.path.file_name().unwrap_or_default();
        let made = place.existing.make_directory(name).map_err(file_error("make", &place.path))?;
        let directory = Arc::new(made);
        let new = NewDirectory {
            above: Arc::clone(&place.existing),
            name: name.to_owned(),
            directory: Arc::clone(&directory),
        };
        (place.directory, place.existing) = (Some(Arc::clone(&directory)), Arc::clone(&directory));
        Ok((directory, Some(new)))
    }
}

/// A directory that this run made.
#[derive(Debug)]
pub(super) struct NewDirectory {
    pub(super) above: Arc<Directory>,
    pub(super) name: std::ffi::OsString,
    pub(super) directory: Arc<Directory>,
}

impl Place {
    fn hold(path: &Path, probed: &ProbedTarget) -> Result<Self, PrepareError> {
        let exchanged = || PrepareError::Exchanged { path: path.to_owned() };
        let TargetKind::Directory(space) = &probed.facts.kind else {
            return Err(PrepareError::NotProbed { path: path.to_owned() });
        };
        let open = |path: &Path| match Directory::open(path) {
            Ok(directory) => Ok(Some(Arc::new(directory))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            // A symbolic link somewhere in the path.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(exchanged()),
            Err(error) => Err(file_error("examine", path)(error)),
        };
        let directory = open(path)?;
        let existing = match &directory {
            Some(directory) => Arc::clone(directory),
            None => path.parent().map(open).transpose()?.flatten().ok_or_else(exchanged)?,
        };
        // Somebody may have made it meanwhile, in which case it is known by its file system alone.
        let is_made_since = directory.is_some() && !probed.is_there;
        let id = existing.id().map_err(file_error("examine", path))?;
        let now = os::free_space(&existing).map_err(file_error("examine", path))?;
        // Another directory took its place, or another volume was mounted there.
        if (!is_made_since && Some(id) != probed.directory) || now.filesystem_id != space.filesystem_id {
            return Err(exchanged());
        }
        Ok(Self { path: path.to_owned(), directory, existing })
    }

    /// The directory itself, or the one above where it is still to be made.
    fn existing(&self) -> &Directory {
        &self.existing
    }

    fn find(&self, name: &OsStr) -> io::Result<Found> {
        match &self.directory {
            Some(directory) => ManagedFile::find_in(directory, name, true),
            None => Ok(Found::Nothing),
        }
    }
}

/// A managed file of the plan, and what stands in its place.
pub(super) struct Site<'p> {
    pub(super) area: &'p Area,
    /// A file of ours, locked.
    pub(super) found: Option<ManagedFile>,
    /// Whether it can be used as it is.
    pub(super) reuse: bool,
}

/// Looks at the places of all managed files, and locks those that exist. Makes nothing.
pub(super) fn survey<'p>(plan: &'p Plan, places: &Places) -> Result<Vec<Site<'p>>, PrepareError> {
    let mut sites: Vec<Site<'_>> = Vec::new();
    for area in plan.areas.iter().filter(|area| area.kind == AreaKind::ManagedFile) {
        let path = &area.path;
        // Or the second one would find the first one's lock, and say that another run has it.
        if sites.iter().any(|site| site.area.path == *path) {
            return Err(PrepareError::MadeTwice { path: path.clone() });
        }
        let found = places.of(path).find(path.file_name().unwrap_or_default());
        let site = match found.map_err(file_error("open", path))? {
            Found::Nothing => Site { area, found: None, reuse: false },
            Found::Foreign(foreign) => return Err(PrepareError::NotOurs { path: path.clone(), foreign }),
            Found::Managed(managed) => {
                // Locked before it is examined, and kept so: what is whole now has to be whole when the load
                // begins.
                lock(&managed)?;
                let whole = managed.is_whole().map_err(file_error("examine", path))?;
                // What a run that verifies wrote is known by its own stamps alone.
                let reuse = whole && !plan.verified && holds(&managed, area);
                Site { area, found: Some(*managed), reuse }
            }
        };
        sites.push(site);
    }
    Ok(sites)
}

/// Whether the area lies within the data of the file.
pub(super) fn holds(managed: &ManagedFile, area: &Area) -> bool {
    let end = area.offset.get().checked_add(area.length.get());
    let data_end = FILE_HEADER_SIZE.get().saturating_add(managed.header.data_size.get());
    area.offset >= FILE_HEADER_SIZE && end.is_some_and(|end| end <= data_end)
}

pub(super) fn lock(managed: &ManagedFile) -> Result<(), PrepareError> {
    let path = &managed.path;
    if !managed.lock().map_err(file_error("lock", path))? {
        return Err(PrepareError::InUse { path: path.clone() });
    }
    // Whoever had the lock before may have removed the file before giving it back.
    if !managed.is_at_its_path().map_err(file_error("examine", path))? {
        return Err(PrepareError::InUse { path: path.clone() });
    }
    Ok(())
}

/// The rule of free space, with the numbers of this moment. `made` are the files that are there already and have
/// their room.
pub(super) fn check_space(
    sites: &[Site<'_>],
    places: &Places,
    made: &[ManagedFile],
) -> Result<(), PrepareError> {
    let mut filesystems = BTreeMap::new();
    for site in sites.iter().filter(|site| !site.reuse) {
        let place = places.of(&site.area.path);
        let failed = || file_error("examine", &place.path);
        let space = os::free_space(place.existing()).map_err(failed())?;
        let entry = filesystems.entry(space.filesystem_id);
        // By file system: two directories may share one, and then share its space.
        let (needed, space, _) = entry.or_insert((ByteSize::default(), space, place.existing().path()));
        *needed = *needed + site.area.offset + site.area.length;
        let stale = site.found.as_ref().map(|stale| &stale.metadata);
        let made = made.iter().find(|file| file.path == site.area.path);
        let made = made.map(|made| made.file.metadata()).transpose().map_err(failed())?;
        for taken in stale.into_iter().chain(&made) {
            space.available = space.available + ByteSize::bytes(os::allocated(taken));
        }
    }
    for (needed, space, directory) in filesystems.into_values() {
        let usable = space.usable();
        // Behind the making, what the file system needs to keep account of the files is gone as well, and
        // somebody's log may have grown.
        let tolerance = if made.is_empty() { 0 } else { needed.get() / 100 };
        if needed.get() > usable.get() + tolerance {
            return Err(PrepareError::NoSpace(NoSpace { path: directory.to_owned(), needed, usable }));
        }
    }
    Ok(())
}

pub(super) fn file_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PrepareError {
    move |source| PrepareError::File { what, path: path.to_owned(), source }
}
