//! Where Unix keeps the data of programs.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// `$XDG_DATA_HOME` or `~/.local/share`.
pub(super) fn data_folder() -> Option<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    // A relative path is to be ignored (XDG base directory specification), and would be another store in every folder.
    data.filter(|path| path.is_absolute())
        .or_else(|| std::env::home_dir().map(|home| home.join(".local/share")))
}

/// Makes a folder, and those above it, for this user alone.
pub(super) fn make_private_folder(place: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o700).recursive(true).create(place)
}

/// A file that is made with it is this user's alone.
pub(super) fn private_file() -> OpenOptions {
    let mut options = File::options();
    options.mode(0o600);
    options
}

/// Whether only its owner, and root, may write to a file.
pub(super) fn is_closed_to_others(file: &Metadata) -> bool {
    file.mode() & 0o022 == 0
}

/// When a file was last changed in any way, in nanoseconds since 1970; `None` before. No program can set this time.
pub(super) fn changed_ns(file: &Metadata) -> Option<u64> {
    let nanoseconds = i128::from(file.ctime()) * 1_000_000_000 + i128::from(file.ctime_nsec());
    u64::try_from(nanoseconds).ok()
}

/// With links resolved.
pub(super) fn resolved(place: &Path) -> io::Result<PathBuf> {
    place.canonicalize()
}
