//! Where Windows keeps the data of programs.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use iotrial_host::windows_path;

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

/// Whether only its owner may write to a file. The rights of a folder are those of its files here, so that whoever may write to one may
/// write to the records as well.
pub(super) fn is_closed_to_others(_file: &Metadata) -> bool {
    true
}

/// When a file came to be on this volume, in nanoseconds since 1601. A copy of it has a time of its own.
pub(super) fn changed_ns(file: &Metadata) -> Option<u64> {
    file.creation_time().checked_mul(100)
}

/// With links resolved, as other programs take it.
pub(super) fn resolved(place: &Path) -> io::Result<PathBuf> {
    windows_path::resolved(place)
}
