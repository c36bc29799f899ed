//! Where Windows keeps settings, and whose a file is.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::Source;

/// `%APPDATA%`: of this user, on each of the user's machines.
pub(super) fn config_folder() -> Option<PathBuf> {
    let data = std::env::var_os("APPDATA").map(PathBuf::from);
    // A relative path would be another file in every folder.
    data.filter(|path| path.is_absolute())
}

/// Why the file of a folder is not obeyed; `None` where it is below the user's own folder, in which no other user makes files. Who
/// owns a file elsewhere would have to be asked of its security descriptor.
pub(super) fn distrusted(source: &Source, path: &Path) -> Option<String> {
    if !matches!(source, Source::Folder(_)) {
        return None;
    }
    let home = std::env::var_os("USERPROFILE").and_then(|home| PathBuf::from(home).canonicalize().ok());
    let is_below = home.is_some_and(|home| path.canonicalize().is_ok_and(|path| path.starts_with(home)));
    (!is_below).then(|| "it is outside of the folder of your user profile".to_owned())
}

/// What the path says is all that is known.
pub(super) const fn distrusted_file(_: &Source, _: &File) -> Option<String> {
    None
}

/// Whether two names are those of one variable: Windows does not tell small letters from capital ones there.
pub(super) const fn is_same_variable(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}
