//! Where the managed files of a plan are to lie, and what lies there already. Looks only; makes nothing.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use iotrial_model::plan::{Area, AreaKind, FILE_HEADER_SIZE, Plan, TargetKind};
use iotrial_model::target::NoSpace;
use iotrial_model::units::ByteSize;

use super::managed_file::{Found, ManagedFile};
use super::os;
use super::prepare_error::PrepareError;
use super::probe::ProbedTarget;

/// A managed file of the plan, and what stands in its place.
pub(super) struct Site<'p> {
    pub(super) area: &'p Area,
    /// A file of ours, locked.
    pub(super) found: Option<ManagedFile>,
    /// Whether it can be used as it is.
    pub(super) reuse: bool,
}

/// Looks at the places of all managed files, and locks those that exist. Makes nothing.
pub(super) fn survey(plan: &Plan) -> Result<Vec<Site<'_>>, PrepareError> {
    let mut sites: Vec<Site<'_>> = Vec::new();
    for area in plan.areas.iter().filter(|area| area.kind == AreaKind::ManagedFile) {
        let path = &area.path;
        // Or the second one would find the first one's lock, and say that another run has it.
        if sites.iter().any(|site| site.area.path == *path) {
            return Err(PrepareError::MadeTwice { path: path.clone() });
        }
        let site = match ManagedFile::find(path, true).map_err(file_error("open", path))? {
            Found::Nothing => Site { area, found: None, reuse: false },
            Found::Foreign(foreign) => return Err(PrepareError::NotOurs { path: path.clone(), foreign }),
            Found::Managed(managed) => {
                // Locked before it is examined, and kept so: what is whole now has to be whole when the load
                // begins.
                lock(&managed)?;
                let whole = managed.is_whole().map_err(file_error("examine", path))?;
                let reuse = whole && holds(&managed, area);
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

/// Whether the files would still come to lie where the user meant them to: an unmounted volume leaves an
/// empty directory of the same name on the system's disk.
pub(super) fn check_directories(plan: &Plan, targets: &[ProbedTarget]) -> Result<(), PrepareError> {
    for area in plan.areas.iter().filter(|area| area.kind == AreaKind::ManagedFile) {
        let directory = area.path.parent().unwrap_or(&area.path);
        let probed = targets.iter().find(|target| target.facts.path == directory);
        let Some(TargetKind::Directory(space)) = probed.map(|target| &target.facts.kind) else {
            return Err(PrepareError::NotProbed { path: directory.to_owned() });
        };
        let existing = existing_directory(&area.path);
        let resolved = os::canonicalize(existing).map_err(file_error("examine", existing))?;
        let now = os::free_space(existing).map_err(file_error("examine", existing))?;
        let is_link = directory.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir());
        // Three ways to lead somewhere else: a link in the path, the directory itself become one, another
        // volume mounted there.
        if resolved != existing || is_link || now.filesystem_id != space.filesystem_id {
            return Err(PrepareError::Exchanged { path: directory.to_owned() });
        }
    }
    Ok(())
}

/// The rule of free space, with the numbers of this moment.
pub(super) fn check_space(sites: &[Site<'_>]) -> Result<(), PrepareError> {
    let mut filesystems = BTreeMap::new();
    for site in sites.iter().filter(|site| !site.reuse) {
        let directory = existing_directory(&site.area.path);
        let space = os::free_space(directory).map_err(file_error("examine", directory))?;
        let entry = filesystems.entry(space.filesystem_id);
        // By file system: two directories may share one, and then share its space.
        let (needed, space, _) = entry.or_insert((ByteSize::default(), space, directory));
        *needed = *needed + site.area.offset + site.area.length;
        if let Some(stale) = &site.found {
            space.available = space.available + ByteSize::bytes(os::allocated(&stale.metadata));
        }
    }
    for (needed, space, directory) in filesystems.into_values() {
        let usable = space.usable();
        if needed > usable {
            return Err(PrepareError::NoSpace(NoSpace { path: directory.to_owned(), needed, usable }));
        }
    }
    Ok(())
}

/// The directory of a file, or the one above it where that is still to be made.
fn existing_directory(file: &Path) -> &Path {
    let directory = file.parent().unwrap_or(file);
    if directory.exists() { directory } else { directory.parent().unwrap_or(directory) }
}

pub(super) fn file_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PrepareError {
    move |source| PrepareError::File { what, path: path.to_owned(), source }
}
