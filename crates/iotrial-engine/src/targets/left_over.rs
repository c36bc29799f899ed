//! Files that iotrial made and did not remove: kept on purpose, or left by a crash.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use iotrial_model::units::ByteSize;

use super::managed_file::{EXTENSION, Found, ManagedFile, State};

/// A managed file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOver {
    /// The directory that was searched, and its name.
    pub path: PathBuf,
    /// Its length, the header of 1 MiB included.
    pub size: ByteSize,
    /// Whether it was written to its end; it can be used again.
    pub whole: bool,
    /// Whether a running iotrial works on it.
    pub in_use: bool,
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
}

impl LeftOverError {
    /// What the user can do, as a sentence without a full stop.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read { .. } | Self::Remove { .. } => Some("run as the user who made the files".to_owned()),
            Self::InUse { .. } => Some("wait until that run ends, or stop it".to_owned()),
            Self::NotOurs { .. } => Some("look at it, and remove it yourself if it can go".to_owned()),
        }
    }
}

/// The managed files in a directory, sorted by path; directories below it are not entered.
///
/// # Errors
///
/// When the directory cannot be read. Files that cannot be read are passed over: they are not ours.
pub fn find_left_overs(directory: &Path) -> Result<Vec<LeftOver>, LeftOverError> {
    let entries = fs::read_dir(directory)
        .map_err(|source| LeftOverError::Read { path: directory.to_owned(), source })?;
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        // By the name first: what is not called like a managed file is never opened.
        if path.extension().is_none_or(|extension| extension != EXTENSION) {
            continue;
        }
        if let Ok(Found::Managed(managed)) = ManagedFile::find(&path, false) {
            let size = ByteSize::bytes(managed.metadata.len());
            let whole = managed.header.state == State::Whole;
            // What cannot be asked counts as in use: the wrong answer costs a file that stays, not one that
            // is gone.
            let in_use = managed.is_locked().unwrap_or(true);
            found.push(LeftOver { path, size, whole, in_use });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Removes a managed file.
///
/// # Errors
///
/// When it is in use, when it is not ours (any more), or when the system refuses.
pub fn remove_left_over(path: &Path) -> Result<(), LeftOverError> {
    let remove = |source| LeftOverError::Remove { path: path.to_owned(), source };
    let Found::Managed(managed) = ManagedFile::find(path, false).map_err(remove)? else {
        return Err(LeftOverError::NotOurs { path: path.to_owned() });
    };
    // Held until the file is gone, so that no run can begin to use it in between.
    if !managed.lock().map_err(remove)? {
        return Err(LeftOverError::InUse { path: path.to_owned() });
    }
    managed.remove().map_err(remove)
}

#[cfg(test)]
mod tests {
    use super::super::managed_file::Header;
    use super::*;

    fn header() -> Header {
        Header { plan_id: [0; 16], data_size: ByteSize::MIB, fill_seed: 0, state: State::Filling }
    }

    #[test]
    fn left_overs_are_found_and_removed_and_foreign_files_are_neither() {
        let place = tempfile::tempdir().unwrap();
        let ours = place.path().join("data.iotrial");
        let foreign = place.path().join("foreign.iotrial");
        fs::write(&foreign, vec![7; 8192]).unwrap();
        drop(ManagedFile::make(&ours, header()).unwrap());
        fs::create_dir(place.path().join("directory.iotrial")).unwrap();

        let found = find_left_overs(place.path()).unwrap();
        let size = ByteSize::kib(4);
        assert_eq!(found, [LeftOver { path: ours.clone(), size, whole: false, in_use: false }]);
        assert!(matches!(remove_left_over(&foreign), Err(LeftOverError::NotOurs { .. })));
        remove_left_over(&ours).unwrap();
        assert!(!ours.exists() && foreign.exists());
    }

    #[test]
    fn a_file_of_a_running_iotrial_is_not_removed() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("data.iotrial");
        let made = ManagedFile::make(&path, header()).unwrap();
        assert!(find_left_overs(place.path()).unwrap()[0].in_use);
        assert!(matches!(remove_left_over(&path), Err(LeftOverError::InUse { .. })));
        drop(made);
        remove_left_over(&path).unwrap();
    }
}
