//! A profile and the threshold set that judges it, by name or from files.

use std::io;
use std::path::Path;

use iotrial_analysis::threshold::{ThresholdSet, UnknownThresholdSet};
use iotrial_model::builtin::{UnknownProfile, builtin_profile};
use iotrial_model::profile::Profile;
use iotrial_model::toml_reader::Mistakes;

use crate::fault::Fault;

/// What runs, and what judges it.
#[derive(Debug, Clone)]
pub struct JudgedProfile {
    /// The load.
    pub profile: Profile,
    /// What judges.
    pub thresholds: ThresholdSet,
}

/// Why a profile or a threshold set could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LoadProfileError {
    /// The file of a profile cannot be read.
    #[error("cannot read the profile `{name}`")]
    ReadProfile {
        /// As it was named.
        name: String,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// None of that name is built in.
    #[error(transparent)]
    UnknownProfile(#[from] UnknownProfile),
    /// It has mistakes.
    #[error("`{name}` is not a valid profile")]
    InvalidProfile {
        /// As it was named.
        name: String,
        /// All of them.
        #[source]
        source: Mistakes,
    },
    /// The file of a threshold set cannot be read.
    #[error("cannot read the threshold set `{name}`")]
    ReadThresholds {
        /// As it was named.
        name: String,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// None of that name is built in.
    #[error(transparent)]
    UnknownThresholds(#[from] UnknownThresholdSet),
    /// It has mistakes.
    #[error("`{name}` is not a valid threshold set")]
    InvalidThresholds {
        /// As it was named.
        name: String,
        /// All of them.
        #[source]
        source: Mistakes,
    },
}

impl Fault for LoadProfileError {
    fn is_of_input(&self) -> bool {
        true
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::ReadProfile { .. } => Some("`iotrial profiles` lists the built-in ones".to_owned()),
            Self::UnknownProfile(UnknownProfile { nearest, others, .. }) => Some(match nearest {
                Some(near) => {
                    let more = match others.as_slice() {
                        [] => String::new(),
                        others => format!(" There are also {}.", others.join(", ")),
                    };
                    format!("did you mean `{near}`?{more} A file is given with its path, such as ./mine.toml")
                }
                None => "a file is given with its path, such as ./mine.toml".to_owned(),
            }),
            Self::InvalidProfile { .. } => Some("`iotrial docs profiles` describes every key".to_owned()),
            Self::UnknownThresholds(UnknownThresholdSet { nearest, .. }) => Some(match nearest {
                Some(near) => format!("did you mean `{near}`?"),
                None => "a file is given with its path, such as ./mine.toml".to_owned(),
            }),
            Self::ReadThresholds { .. } | Self::InvalidThresholds { .. } => None,
        }
    }
}

impl JudgedProfile {
    /// A profile that is built in or in a file, whose path counts from `folder`. `thresholds` names what judges it, from `folder`
    /// too; without it the profile does, and the path of a set counts from the profile.
    ///
    /// # Errors
    ///
    /// When one of them is not there, or is not valid.
    pub fn load(folder: &Path, profile: &str, thresholds: Option<&str>) -> Result<Self, LoadProfileError> {
        let of_profile = folder.join(profile);
        let profile = load_profile(folder, profile)?;
        let thresholds = match thresholds {
            Some(name) => load_thresholds(folder, name)?,
            None => load_thresholds(of_profile.parent().unwrap_or(Path::new("")), &profile.thresholds)?,
        };
        Ok(Self { profile, thresholds })
    }
}

/// A built-in profile, or the one in a file, whose path counts from `folder`.
///
/// # Errors
///
/// When there is none, or it is not valid.
pub fn load_profile(folder: &Path, name: &str) -> Result<Profile, LoadProfileError> {
    let text = if is_file_name(name) {
        std::fs::read_to_string(folder.join(name))
            .map_err(|source| LoadProfileError::ReadProfile { name: name.to_owned(), source })?
    } else {
        builtin_profile(name)?.text.to_owned()
    };
    Profile::parse(&text).map_err(|source| LoadProfileError::InvalidProfile { name: name.to_owned(), source })
}

/// A built-in threshold set, or the one in a file, whose path counts from `folder`.
///
/// # Errors
///
/// When there is none, or it is not valid.
pub fn load_thresholds(folder: &Path, name: &str) -> Result<ThresholdSet, LoadProfileError> {
    if !is_file_name(name) {
        return Ok(ThresholdSet::builtin(name)?);
    }
    let text = std::fs::read_to_string(folder.join(name))
        .map_err(|source| LoadProfileError::ReadThresholds { name: name.to_owned(), source })?;
    ThresholdSet::parse(&text)
        .map_err(|source| LoadProfileError::InvalidThresholds { name: name.to_owned(), source })
}

/// Whether what stands for a profile or a threshold set is a path rather than a name.
pub fn is_file_name(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".toml")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_set_that_a_profile_names_is_looked_for_beside_the_profile() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let set = ThresholdSet::builtin("flash").unwrap().text;
        std::fs::write(inner.join("mine.toml"), &set).unwrap();
        let text = builtin_profile("oci-64k").unwrap().text;
        let text = text.replacen("title =", "thresholds = \"./mine.toml\"\ntitle =", 1);
        std::fs::write(inner.join("profile.toml"), text).unwrap();
        let load = |thresholds| JudgedProfile::load(folder.path(), "inner/profile.toml", thresholds);
        assert_eq!(load(None).unwrap().thresholds.text, set);
        let error = load(Some("./mine.toml")).unwrap_err();
        assert!(matches!(error, LoadProfileError::ReadThresholds { .. }), "{error}");
    }
}
