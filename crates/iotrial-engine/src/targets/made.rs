//! The files and directories that this run made, and their end.

use std::io;

use super::managed_file::ManagedFile;
use super::site::NewDirectory;

/// What this run made. It is removed on drop, unless it is to be kept.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) files: Vec<ManagedFile>,
    pub(super) directories: Vec<NewDirectory>,
    pub(super) keep: bool,
}

impl Made {
    pub(super) fn remove(&mut self) -> io::Result<()> {
        let mut result = Ok(());
        for file in self.files.drain(..) {
            // All of them, whatever fails: the first failure is told.
            result = result.and(file.remove().map(drop));
        }
        // Behind the files, which lie in them. One that is not empty holds something that is not ours, and
        // stays.
        for NewDirectory { above, name, directory } in self.directories.drain(..) {
            result = result.and(above.remove_directory(&name, &directory).map(drop));
        }
        result
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if !self.keep {
            // There is an error on its way already, and it is the one that matters.
            let _ = self.remove();
        }
    }
}
