//! Directories on Windows: by their paths. A file that is open without the right to delete being shared keeps
//! itself and every directory above it where they are.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT};

use super::super::os::{self, FileId};

/// A directory that was there when it was opened.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Looks whether there is a directory at `path`, and no link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::symlink_metadata(path)?;
        if !metadata.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Its name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn id(&self) -> io::Result<FileId> {
        os::file_id_at(&self.path)
    }

    /// All names in it, in any order.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        std::fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// A handle on what has the name, without any right to the content; `None` where nothing has it.
    pub(crate) fn find(&self, name: &OsStr) -> io::Result<Option<File>> {
        let flags = FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS;
        match File::options().access_mode(0).custom_flags(flags).open(self.path.join(name)) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes a regular file and hands it to `finish`. Fails if anything has the name.
    pub(crate) fn make_file(
        &self,
        name: &OsStr,
        finish: &dyn Fn(&File) -> io::Result<()>,
    ) -> io::Result<File> {
        let path = self.path.join(name);
        let file = os::make_new(&path)?;
        if let Err(error) = finish(&file) {
            drop(file);
            // It was made a moment ago where nothing was, so it is ours.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(file)
    }

    /// Removes the name if it is that of `file`; `false` if it is another one's by now, which stays.
    pub(crate) fn remove(&self, name: &OsStr, file: File) -> io::Result<bool> {
        if self.id_of(name)? != Some(os::file_id(&file)?) {
            return Ok(false);
        }
        // Its handle would keep the file there, so it goes first, and the lock with it. Another run may take the
        // file in between; then it is open there, and the removal is refused.
        drop(file);
        std::fs::remove_file(self.path.join(name))?;
        Ok(true)
    }

    /// Makes one directory.
    pub(crate) fn make_directory(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.path.join(name);
        std::fs::create_dir(&path)?;
        Ok(Self { path })
    }

    /// Removes the directory `made` if nothing is in it; `false` if it stays.
    pub(crate) fn remove_directory(&self, name: &OsStr, _: &Self) -> io::Result<bool> {
        match std::fs::remove_dir(self.path.join(name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whose name it is, without following a link; `None` where nothing has it.
    pub(crate) fn id_of(&self, name: &OsStr) -> io::Result<Option<FileId>> {
        self.find(name)?.map(|found| os::file_id(&found)).transpose()
    }
}
