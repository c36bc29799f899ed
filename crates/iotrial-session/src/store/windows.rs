//! Where Windows keeps the data of programs.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// `%LOCALAPPDATA%`: of this user and this machine, so that records are not carried around with a roaming profile.
pub(super) fn data_folder() -> Option<PathBuf> {
    let data = std::env::var_os("LOCALAPPDATA").map(PathBuf::from);
    // A relative path would be another store in every folder.
    data.filter(|path| path.is_absolute())
}

/// Makes a folder, and those above it. Who may read it follows from the one above, which in the default place is this user's.
pub(super) fn make_private_folder(place: &Path) -> io::Result<()> {
    fs::create_dir_all(place)
}

/// A file that is made with it is readable to whom its folder is.
pub(super) fn private_file() -> OpenOptions {
    File::options()
}
