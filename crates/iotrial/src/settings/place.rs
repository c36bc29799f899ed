//! Paths in a file of settings: where they begin, and which are refused.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use iotrial_model::given_target::GivenTarget;
use iotrial_session::judged_profile::is_file_name;

use super::{Part, Setting, Source};

/// What a file may name.
pub(super) enum Rules {
    /// The file of the current folder, which may have come with somebody else's files: nothing outside that folder.
    Inside(PathBuf),
    /// The user's own file in this folder, which holds wherever the user is.
    Anywhere(PathBuf),
}

impl Rules {
    pub(super) fn of(source: &Source) -> Self {
        match source {
            Source::User(path) | Source::Named(path) => {
                Self::Anywhere(path.parent().unwrap_or(Path::new("")).to_owned())
            }
            _ => Self::Inside(PathBuf::from(".")),
        }
    }

    /// The word as a command line has it, or why it is refused.
    pub(super) fn resolve(&self, setting: &Setting, word: &str) -> Result<OsString, String> {
        match setting.part {
            Part::None => Ok(word.into()),
            Part::NameOrRead if !is_file_name(word) => Ok(word.into()),
            Part::Read | Part::NameOrRead => self.read(word).map(PathBuf::into_os_string),
            Part::Written => self.written(word).map(PathBuf::into_os_string),
            Part::Target => {
                let target = GivenTarget::parse(word, |_| false).map_err(|error| error.to_string())?;
                let text = target.path.to_str().ok_or("it is not text")?;
                let roles: Vec<&str> = target.roles.iter().map(|role| role.as_str()).collect();
                let mut resolved = OsString::from(roles.join(","));
                if !roles.is_empty() {
                    resolved.push("=");
                }
                resolved.push(self.written(text)?);
                Ok(resolved)
            }
        }
    }

    /// A path that is read.
    fn read(&self, text: &str) -> Result<PathBuf, String> {
        match self {
            Self::Inside(folder) => inside(folder, text),
            Self::Anywhere(folder) => Ok(folder.join(with_home(text)?)),
        }
    }

    /// A path that is written to.
    fn written(&self, text: &str) -> Result<PathBuf, String> {
        match self {
            Self::Inside(folder) => inside(folder, text),
            Self::Anywhere(_) => {
                let path = with_home(text)?;
                // Files would be made in whatever folder the user happens to be in.
                if path.is_absolute() {
                    Ok(path)
                } else {
                    Err(format!(
                        "`{text}` must be a full path, or begin with ~/: this file applies in every folder"
                    ))
                }
            }
        }
    }
}

fn with_home(text: &str) -> Result<PathBuf, String> {
    match text.strip_prefix("~/") {
        None => Ok(PathBuf::from(text)),
        Some(below) => std::env::home_dir()
            .map(|home| home.join(below))
            .ok_or_else(|| "there is no home folder".to_owned()),
    }
}

/// As a reader recognises it: below the home folder with `~/`.
pub(super) fn shortened(path: &Path) -> String {
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    match home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

/// A path below `folder`, wherever its links lead.
fn inside(folder: &Path, text: &str) -> Result<PathBuf, String> {
    let outside = || {
        format!(
            "`{text}` is outside of this folder. A file in a folder may be somebody else's, so it names only what is in it; \
             other places are for your own file, a variable or the command line"
        )
    };
    let path = Path::new(text);
    let is_below = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_below || text.starts_with('~') {
        return Err(outside());
    }
    // What is not there yet is made below the nearest folder that is.
    let whole = folder.join(path);
    let there = whole.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(folder);
    let (there, folder) = (there.canonicalize(), folder.canonicalize());
    match (there, folder) {
        (Ok(there), Ok(folder)) if there.starts_with(&folder) => Ok(path.to_owned()),
        _ => Err(outside()),
    }
}
