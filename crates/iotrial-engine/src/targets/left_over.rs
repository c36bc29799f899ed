//! Files that iotrial made and did not remove: kept on purpose, or left by a crash.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iotrial_model::units::ByteSize;

use super::directory::{Directory, is_unfinished};
use super::held::NO_FLAGS;
use super::managed_file::{EXTENSION, Found, ManagedFile, RunId, State};
use super::os;

/// A managed file that was found.
#[derive(Debug, Clone)]
pub struct LeftOver {
    /// The directory that was searched, and its name.
    pub path: PathBuf,
    /// Its length, the header of 1 MiB included.
    pub size: ByteSize,
    /// Whether it was written to its end; it can be used again.
    pub whole: bool,
    /// Whether a running iotrial works on it.
    pub in_use: bool,
    /// The run that made it; `None` where it was killed before it could say so.
    run: Option<RunId>,
    /// Where it was found, whatever the path of it leads to by now.
    directory: Arc<Directory>,
}

/// Why left-over files cannot be found or removed.
#[derive(Debug, thiserror::Error)]
pub enum LeftOverError {
    /// The directory cannot be read.
    #[error("cannot read the directory `{}`", path.display())]
    Read {
        /// The directory that was to be searched.
        path: PathBuf,
        /// What reading it answered.
        #[source]
        source: io::Error,
    },
    /// The file cannot be removed.
    #[error("cannot remove `{}`", path.display())]
    Remove {
        /// The file, which is still there.
        path: PathBuf,
        /// What opening, locking or removing it answered.
        #[source]
        source: io::Error,
    },
    /// A running iotrial works on it.
    #[error("`{}` is in use by a running iotrial", path.display())]
    InUse {
        /// The file whose lock is taken.
        path: PathBuf,
    },
    /// It is not, or no longer, a file that iotrial made.
    #[error("`{}` is not a file that iotrial made", path.display())]
    NotOurs {
        /// What has that name, untouched.
        path: PathBuf,
    },
    /// Another run has made it anew, or uses it, since it was found.
    #[error("`{}` belongs to another run by now", path.display())]
    OfAnotherRun {
        /// The file, which is still there.
        path: PathBuf,
    },
}

impl LeftOverError {
    /// What the user can do, as a sentence without a full stop.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read { .. } | Self::Remove { .. } => Some("run as the user who made the files".to_owned()),
            Self::InUse { .. } => Some("wait until that run ends, or stop it".to_owned()),
            Self::NotOurs { .. } => Some("look at it, and remove it yourself if it can go".to_owned()),
            Self::OfAnotherRun { .. } => Some("look for such files once more".to_owned()),
        }
    }
}

/// The managed files in a directory, sorted by path; directories below it are not entered.
///
/// # Errors
///
/// When the directory cannot be read. Files that cannot be read are passed over: they are not ours.
pub fn find_left_overs(directory: &Path) -> Result<Vec<LeftOver>, LeftOverError> {
    let failed = |source| LeftOverError::Read { path: directory.to_owned(), source };
    let (held, names) =
        open(directory).and_then(|held| held.names().map(|names| (held, names))).map_err(failed)?;
    let mut found = Vec::new();
    // By the name first: what is not called like a managed file is never opened.
    let named =
        names.iter().filter(|name| Path::new(name).extension().is_some_and(|ending| ending == EXTENSION));
    for name in named {
        let path = directory.join(name);
        if let Ok(Found::Managed(managed)) = ManagedFile::find_in(&held, name, false) {
            let size = ByteSize::bytes(managed.metadata.len());
            let whole = managed.header.state == State::Whole;
            // What cannot be asked counts as in use: the wrong answer costs a file that stays, not one that
            // is gone.
            let in_use = managed.is_locked().unwrap_or(true);
            let run = Some(managed.header.run);
            found.push(LeftOver { path, size, whole, in_use, run, directory: Arc::clone(&held) });
        } else if let Some(file) = unfinished(&held, name) {
            let size = file.metadata().map(|metadata| metadata.len()).unwrap_or_default();
            // Whoever is about to mark it holds its lock.
            let in_use = !os::lock(&file).unwrap_or(false);
            let size = ByteSize::bytes(size);
            let (whole, run) = (false, None);
            found.push(LeftOver { path, size, whole, in_use, run, directory: Arc::clone(&held) });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Removes a managed file, from the directory in which it was found.
///
/// # Errors
///
/// When it is in use, when it is not ours (any more) or that of another run than the one it was found with, or when the system refuses.
pub fn remove_left_over(file: &LeftOver) -> Result<(), LeftOverError> {
    let LeftOver { path, directory: held, run, .. } = file;
    let failed = |source| LeftOverError::Remove { path: path.clone(), source };
    let not_ours = || LeftOverError::NotOurs { path: path.clone() };
    let in_use = || LeftOverError::InUse { path: path.clone() };
    let of_another_run = || LeftOverError::OfAnotherRun { path: path.clone() };
    let name = path.file_name().ok_or_else(not_ours)?;
    let is_removed = match ManagedFile::find_in(held, name, false).map_err(failed)? {
        // Held until the file is gone, so that no run can begin to use it in between.
        Found::Managed(managed) => {
            if !managed.lock().map_err(failed)? {
                return Err(in_use());
            }
            // Whoever held the lock until now may have made it anew, or given it another header.
            if managed.run_now().map_err(failed)? != *run {
                return Err(of_another_run());
            }
            managed.remove()
        }
        Found::Foreign(_) | Found::Nothing => {
            let file = unfinished(held, name).ok_or_else(not_ours)?;
            if !os::lock(&file).map_err(failed)? {
                return Err(in_use());
            }
            if run.is_some() {
                return Err(of_another_run());
            }
            held.remove(name, file)
        }
    };
    // Another file took its name in that moment, and stays.
    if is_removed.map_err(failed)? { Ok(()) } else { Err(not_ours()) }
}

/// Removes what some runs left in a directory, and nothing that another run made, even where they used it. Answers how many files
/// that were.
///
/// # Errors
///
/// When the directory cannot be read, or a file cannot be removed; the other files are removed all the same. One that a running
/// iotrial works on, or that another run made anew meanwhile, stays without an error.
pub fn remove_left_by(runs: &[RunId], directory: &Path) -> Result<usize, LeftOverError> {
    let (mut count, mut result) = (0, Ok(()));
    for file in find_left_overs(directory)? {
        if file.in_use || !file.run.is_some_and(|run| runs.contains(&run)) {
            continue;
        }
        match remove_left_over(&file) {
            Ok(()) => count += 1,
            Err(LeftOverError::OfAnotherRun { .. }) => {}
            // The first failure is told.
            Err(error) => result = result.and(Err(error)),
        }
    }
    result.map(|()| count)
}

/// The directory that the user gave, wherever links lead to.
fn open(directory: &Path) -> io::Result<Arc<Directory>> {
    let here = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    Directory::open(&os::canonicalize(here)?).map(Arc::new)
}

/// A file that was made and never marked.
fn unfinished(directory: &Directory, name: &OsStr) -> Option<File> {
    let found = directory.find(name).ok()??;
    if !is_unfinished(name, &found) {
        return None;
    }
    let file =
        os::reopen_verified(&directory.path().join(name), &found, os::Access::Read, false, NO_FLAGS).ok()?;
    is_unfinished(name, &file).then_some(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::managed_file::Header;
    use super::*;

    fn make(path: &Path) -> ManagedFile {
        make_by([0; 16], path)
    }

    fn make_by(run: RunId, path: &Path) -> ManagedFile {
        let header = Header { run, data_size: ByteSize::MIB, fill_seed: 0, state: State::Filling };
        ManagedFile::make(&open(path.parent().unwrap()).unwrap(), path.file_name().unwrap(), header).unwrap()
    }

    fn facts(found: &[LeftOver]) -> Vec<(PathBuf, ByteSize, bool, bool)> {
        found.iter().map(|one| (one.path.clone(), one.size, one.whole, one.in_use)).collect()
    }

    #[test]
    fn left_overs_are_found_and_removed_and_foreign_files_are_neither() {
        let place = tempfile::tempdir().unwrap();
        let ours = place.path().join("data.iotrial");
        let foreign = place.path().join("foreign.iotrial");
        fs::write(&foreign, vec![7; 8192]).unwrap();
        drop(make(&ours));
        fs::create_dir(place.path().join("directory.iotrial")).unwrap();

        let found = find_left_overs(place.path()).unwrap();
        let size = ByteSize::kib(4);
        assert_eq!(facts(&found), [(ours.clone(), size, false, false)]);
        let not_ours = LeftOver { path: foreign.clone(), ..found[0].clone() };
        assert!(matches!(remove_left_over(&not_ours), Err(LeftOverError::NotOurs { .. })));
        remove_left_over(&found[0]).unwrap();
        assert!(!ours.exists() && foreign.exists());
    }

    #[test]
    fn a_file_of_a_running_iotrial_is_not_removed() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("data.iotrial");
        let made = make(&path);
        let found = find_left_overs(place.path()).unwrap().remove(0);
        assert!(found.in_use);
        assert!(matches!(remove_left_over(&found), Err(LeftOverError::InUse { .. })));
        drop(made);
        remove_left_over(&found).unwrap();
    }

    #[test]
    fn what_some_runs_left_is_removed_and_what_others_made_or_use_is_not() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let [first, second, other, used] = ["1.iotrial", "2.iotrial", "3.iotrial", "4.iotrial"].map(path);
        drop((make_by([1; 16], &first), make_by([2; 16], &second), make_by([3; 16], &other)));
        let in_use = make_by([1; 16], &used);
        assert_eq!(remove_left_by(&[], place.path()).unwrap(), 0);
        assert_eq!(remove_left_by(&[[1; 16], [2; 16]], place.path()).unwrap(), 2);
        let left = [&first, &second, &other, &used].map(|path| path.exists());
        assert_eq!(left, [false, false, true, true]);
        drop(in_use);
    }

    #[test]
    fn a_file_that_another_run_made_anew_since_it_was_found_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("data.iotrial");
        drop(make_by([1; 16], &path));
        let found = find_left_overs(place.path()).unwrap().remove(0);
        fs::remove_file(&path).unwrap();
        drop(make_by([2; 16], &path));
        assert!(matches!(remove_left_over(&found), Err(LeftOverError::OfAnotherRun { .. })));
        // In the same file, too.
        let found = find_left_overs(place.path()).unwrap().remove(0);
        let header = Header { run: [3; 16], data_size: ByteSize::MIB, fill_seed: 0, state: State::Filling };
        header.write(&fs::OpenOptions::new().write(true).open(&path).unwrap()).unwrap();
        assert!(matches!(remove_left_over(&found), Err(LeftOverError::OfAnotherRun { .. })));
        // And one that was not marked when it was found.
        let unmarked = LeftOver { run: None, ..found };
        assert!(matches!(remove_left_over(&unmarked), Err(LeftOverError::OfAnotherRun { .. })));
        remove_left_over(&find_left_overs(place.path()).unwrap()[0]).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_was_never_marked_is_found_by_its_name_and_no_other_is() {
        let place = tempfile::tempdir().unwrap();
        let unmarked = place.path().join(".iotrial-0123456789abcdef.iotrial");
        fs::write(&unmarked, []).unwrap();
        let others = [
            ".iotrial-0123456789abcdef",
            ".iotrial-0123.iotrial",
            "empty.iotrial",
            ".iotrial-x123456789abcdef.iotrial",
        ];
        others.iter().for_each(|name| fs::write(place.path().join(name), []).unwrap());
        // Longer than a mark: it holds something.
        let longer = place.path().join(".iotrial-1123456789abcdef.iotrial");
        fs::write(&longer, vec![0; 4096]).unwrap();

        let found = find_left_overs(place.path()).unwrap();
        let size = ByteSize::default();
        assert_eq!(facts(&found), [(unmarked.clone(), size, false, false)]);
        remove_left_over(&found[0]).unwrap();
        let longer = LeftOver { path: longer, ..found[0].clone() };
        assert!(matches!(remove_left_over(&longer), Err(LeftOverError::NotOurs { .. })));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), others.len() + 1);
    }

    #[cfg(unix)]
    mod on_unix {
        use super::*;

        #[test]
        fn left_overs_are_found_through_a_link_that_the_user_gives() {
            let place = tempfile::tempdir().unwrap();
            let (real, link) = (place.path().join("real"), place.path().join("link"));
            fs::create_dir(&real).unwrap();
            std::os::unix::fs::symlink(&real, &link).unwrap();
            drop(make(&real.join("data.iotrial")));
            let found = find_left_overs(&link).unwrap();
            remove_left_over(&found[0]).unwrap();
            assert_eq!(fs::read_dir(&real).unwrap().count(), 0);
        }

        #[test]
        fn a_directory_that_becomes_a_link_since_the_look_loses_its_own_files_and_the_other_one_none() {
            let place = tempfile::tempdir().unwrap();
            let [here, there, victim] = ["here", "there", "victim"].map(|name| place.path().join(name));
            for directory in [&here, &victim] {
                fs::create_dir(directory).unwrap();
                drop(make(&directory.join("data.iotrial")));
            }
            let found = find_left_overs(&here).unwrap();
            fs::rename(&here, &there).unwrap();
            std::os::unix::fs::symlink(&victim, &here).unwrap();
            remove_left_over(&found[0]).unwrap();
            assert!(victim.join("data.iotrial").exists());
            assert_eq!(fs::read_dir(&there).unwrap().count(), 0);
        }
    }
}
