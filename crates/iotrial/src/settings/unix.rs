//! Where Unix keeps settings, and whose a file is.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// `$XDG_CONFIG_HOME` or `~/.config`.
pub(super) fn config_folder() -> Option<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    // A relative path is to be ignored (XDG base directory specification).
    config.filter(|path| path.is_absolute()).or_else(|| std::env::home_dir().map(|home| home.join(".config")))
}

/// Why the file of a folder is not obeyed; `None` where it is the user's own, or that of root.
pub(super) fn distrusted(path: &Path) -> Option<String> {
    // The link and what it leads to: a stranger's link could give a file of the user another meaning.
    let link = path.symlink_metadata().ok()?;
    let file = path.metadata().ok().unwrap_or_else(|| link.clone());
    let user = rustix::process::geteuid().as_raw();
    // Who became root by `sudo` still has the files of before, as with git.
    let before = std::env::var("SUDO_UID").ok().filter(|_| user == 0).and_then(|id| id.parse().ok());
    reason(&link, user, before).or_else(|| reason(&file, user, before))
}

/// Whether two names are those of one variable.
pub(super) fn is_same_variable(one: &str, other: &str) -> bool {
    one == other
}

fn reason(of: &Metadata, user: u32, before: Option<u32>) -> Option<String> {
    let owner = of.uid();
    if owner != user && owner != 0 && Some(owner) != before {
        return Some(format!("it belongs to another user (uid {owner})"));
    }
    // The mode of a link says nothing.
    let is_open = !of.is_symlink() && of.mode() & 0o002 != 0;
    is_open.then(|| "every user may write to it".to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_of_another_user_or_open_to_all_is_not_obeyed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("iotrial.toml");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(distrusted(&path), None);
        let metadata = path.metadata().unwrap();
        let owner = metadata.uid();
        if owner != 0 {
            assert!(reason(&metadata, owner + 1, None).unwrap().contains("another user"));
        }
        assert_eq!(reason(&metadata, 0, Some(owner)), None);
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        assert!(distrusted(&path).unwrap().contains("every user"));
    }
}
