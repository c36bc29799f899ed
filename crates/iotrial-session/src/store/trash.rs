//! The trash of a store: a folder in it that is a store itself, so that what lies there can be listed, found and put back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::kind::{file_name, stem};
use super::{Store, StoreError};
use crate::fault::Fault;

/// Below the folder of the store: a rename on one file system is all that removing takes, and nothing can be lost half-way.
const TRASH: &str = "trash";

/// Why a result was not moved to the trash, or out of it.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The place is taken: whatever is there stays.
    #[error("`{}` exists already; nothing was moved", path.display())]
    Taken {
        /// The file that is in the way.
        path: PathBuf,
    },
    /// The trash is a link, and would be somebody else's folder.
    #[error("`{}` is a link; nothing was moved", path.display())]
    Link {
        /// The trash of the store.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot move `{}` to `{}`", from.display(), to.display())]
    Io {
        /// The file, where it was.
        from: PathBuf,
        /// Where it would be.
        to: PathBuf,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },
    /// The store or its trash cannot be listed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Fault for MoveError {
    fn is_of_input(&self) -> bool {
        matches!(self, Self::Taken { .. } | Self::Link { .. })
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Taken { .. } => Some("move that file away first: iotrial destroys no result".to_owned()),
            Self::Link { .. } => Some("remove the link, and the store makes a folder of its own".to_owned()),
            Self::Io { .. } | Self::Store(_) => None,
        }
    }
}

impl Store {
    /// What was removed. The folder is made when the first result is.
    pub fn trash(&self) -> Self {
        Self { folder: self.folder.join(TRASH), observer: std::sync::Arc::clone(&self.observer) }
    }

    /// Moves a result of this store to its trash, with the page that lies beside it. Returns the record's new place.
    ///
    /// # Errors
    ///
    /// When it cannot be moved; it is then where it was.
    pub fn remove(&self, record: &Path) -> Result<PathBuf, MoveError> {
        move_between(&self.folder, &self.folder.join(TRASH), record)
    }

    /// Moves a result out of the trash. Returns the record's new place.
    ///
    /// # Errors
    ///
    /// When it cannot be moved; it is then still in the trash.
    pub fn restore(&self, record: &Path) -> Result<PathBuf, MoveError> {
        move_between(&self.folder.join(TRASH), &self.folder, record)
    }
}

fn move_between(from: &Path, to: &Path, record: &Path) -> Result<PathBuf, MoveError> {
    let failure = |path: &Path, source| MoveError::Io { from: path.to_owned(), to: to.to_owned(), source };
    // A link would lead out of the store, which may have come with somebody else's folder.
    if let Some(link) = [from, to].into_iter().find(|folder| folder.is_symlink()) {
        return Err(MoveError::Link { path: link.to_owned() });
    }
    fs::create_dir_all(to).map_err(|source| failure(record, source))?;
    let new_place = to.join(file_name(record));
    let page = from.join(format!("{}.html", stem(record)));
    let mut files = vec![record.to_owned()];
    files.extend(page.is_file().then_some(page));
    // All of them are looked at before one is moved, so that a refusal leaves everything as it was.
    for file in &files {
        let place = to.join(file_name(file));
        if place.symlink_metadata().is_ok() {
            return Err(MoveError::Taken { path: place });
        }
    }
    // The record first: a page that is left behind by a crash is no result, and can be written again.
    for file in &files {
        fs::rename(file, to.join(file_name(file))).map_err(|source| failure(file, source))?;
    }
    Ok(new_place)
}
