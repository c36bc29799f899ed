//! Where Unix keeps settings, and whose a file is.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::Source;

/// `$XDG_CONFIG_HOME` or `~/.config`.
pub(super) fn config_folder() -> Option<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    // A relative path is to be ignored (XDG base directory specification).
    config.filter(|path| path.is_absolute()).or_else(|| std::env::home_dir().map(|home| home.join(".config")))
}

/// Why a file is not obeyed; `None` where nobody but this user and root can have written what it says.
pub(super) fn distrusted(source: &Source, path: &Path) -> Option<String> {
    // The link and what it leads to: a stranger's link could give a file of the user another meaning.
    let trust = Trust::of(source);
    let asked = [path.symlink_metadata(), path.metadata()].into_iter();
    // What is not there is an error where it is opened; what has come by then is asked there.
    let is_there = |asked: &io::Result<Metadata>| {
        !asked.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    asked.filter(is_there).find_map(|asked| trust.reason_of(asked))
}

/// The same of a file that is open.
pub(super) fn distrusted_file(source: &Source, file: &File) -> Option<String> {
    Trust::of(source).reason_of(file.metadata())
}

/// Whether two names are those of one variable.
pub(super) fn is_same_variable(one: &str, other: &str) -> bool {
    one == other
}

/// Whose files are obeyed.
struct Trust {
    /// Beside root; `None` where the user named the file, and so answers for its owner.
    owners: Option<Vec<u32>>,
}

impl Trust {
    fn of(source: &Source) -> Self {
        let user = rustix::process::geteuid().as_raw();
        // Who became root by `sudo` still has the files of before, as with git.
        let before = std::env::var("SUDO_UID").ok().filter(|_| user == 0).and_then(|id| id.parse().ok());
        let owners = [Some(user), before].into_iter().flatten().collect();
        Self { owners: (!matches!(source, Source::Named(_))).then_some(owners) }
    }

    /// What cannot be asked is not trusted.
    fn reason_of(&self, asked: io::Result<Metadata>) -> Option<String> {
        match asked {
            Ok(metadata) => self.reason(&metadata),
            Err(error) => Some(format!("nothing says whose it is: {error}")),
        }
    }

    fn reason(&self, of: &Metadata) -> Option<String> {
        let owner = of.uid();
        let is_other = |owners: &Vec<u32>| owner != 0 && !owners.contains(&owner);
        if self.owners.as_ref().is_some_and(is_other) {
            return Some(format!("it belongs to another user (uid {owner})"));
        }
        // The mode of a link says nothing.
        let open_to = match of.mode() {
            _ if of.is_symlink() => return None,
            mode if mode & 0o002 != 0 => "every user",
            mode if mode & 0o020 != 0 => "its group",
            _ => return None,
        };
        Some(format!("{open_to} may write to it (`chmod go-w` changes that)"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_that_others_may_write_to_is_not_obeyed_whoever_named_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("iotrial.toml");
        fs::write(&path, "").unwrap();
        for source in [Source::Folder, Source::User, Source::Named].map(|source| source(path.clone())) {
            for (mode, reason) in
                [(0o644, None), (0o600, None), (0o664, Some("its group")), (0o666, Some("every user"))]
            {
                fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
                let opened = File::open(&path).unwrap();
                for told in [distrusted(&source, &path), distrusted_file(&source, &opened)] {
                    assert_eq!(told.is_some(), reason.is_some(), "{source:?} {mode:o}");
                    assert!(told.unwrap_or_default().starts_with(reason.unwrap_or_default()), "{mode:o}");
                }
            }
        }
    }

    #[test]
    fn a_file_of_another_user_is_not_obeyed_unless_it_is_named() {
        let file = tempfile::tempfile().unwrap();
        file.set_permissions(Permissions::from_mode(0o600)).unwrap();
        let metadata = file.metadata().unwrap();
        let reason = |owners| Trust { owners }.reason(&metadata);
        assert_eq!(reason(Some(vec![metadata.uid() + 1, metadata.uid()])), None);
        assert_eq!(reason(None), None);
        assert!(Trust { owners: None }.reason_of(Err(io::ErrorKind::PermissionDenied.into())).is_some());
        // Those of root are obeyed.
        assert_eq!(reason(Some(vec![metadata.uid() + 1])).is_none(), metadata.uid() == 0);
    }
}
