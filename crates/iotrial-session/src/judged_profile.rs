//! A profile and the threshold set that judges it, by name or from files.

use std::path::Path;

use iotrial_analysis::threshold::{ThresholdSet, UnknownThresholdSet};
use iotrial_model::builtin::{UnknownProfile, builtin_profile, falsely_named_profile};
use iotrial_model::profile::Profile;
use iotrial_model::toml_reader::Mistakes;

use crate::bounded_file::{Pipes, ReadFileError, read_text};
use crate::fault::Fault;

/// What runs, and what judges it.
#[derive(Debug, Clone)]
pub struct JudgedProfile {
    /// The load, with its text, which the record keeps word for word.
    pub profile: Profile,
    /// The set that the user, the study or else the profile names, with its text as well.
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
        /// Why nothing of the file was read.
        #[source]
        source: ReadFileError,
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
    /// The file of a profile has the name of a built-in one, and other content.
    #[error("`{file}` calls itself `{name}` and is not the built-in profile of that name")]
    FalselyNamedProfile {
        /// As it was named.
        file: String,
        /// The built-in profile.
        name: &'static str,
    },
    /// The same of a threshold set.
    #[error("`{file}` calls itself `{name}` and is not the built-in threshold set of that name")]
    FalselyNamedThresholds {
        /// As it was named.
        file: String,
        /// The built-in set.
        name: &'static str,
    },
    /// The file of a threshold set cannot be read.
    #[error("cannot read the threshold set `{name}`")]
    ReadThresholds {
        /// As it was named.
        name: String,
        /// Why nothing of the file was read.
        #[source]
        source: ReadFileError,
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
                    format!("did you mean `{near}`?{more} `iotrial profiles` lists all of them; to use a file, give its path, such as ./mine.toml")
                }
                None => "`iotrial profiles` lists the built-in ones; to use a file, give its path, such as ./mine.toml".to_owned(),
            }),
            Self::InvalidProfile { .. } => Some("`iotrial docs profiles` describes every key".to_owned()),
            Self::UnknownThresholds(UnknownThresholdSet { nearest, .. }) => Some(match nearest {
                Some(near) => format!("did you mean `{near}`?"),
                None => "to use a file, give its path, such as ./mine.toml".to_owned(),
            }),
            Self::FalselyNamedProfile { name, .. } => Some(another_name(name, "profiles")),
            Self::FalselyNamedThresholds { name, .. } => Some(another_name(name, "thresholds")),
            Self::ReadThresholds { .. } | Self::InvalidThresholds { .. } => None,
        }
    }
}

fn another_name(name: &str, command: &str) -> String {
    format!(
        "give it a name of its own, such as `name = \"my-{name}\"`; `iotrial {command} {name}` prints the built-in one of this version"
    )
}

impl JudgedProfile {
    /// A profile that the user names: it is built in, or in a file, whose path counts from `folder`. `thresholds` names what judges
    /// it, from `folder` too; without it the profile does, and the path of a set counts from the profile.
    ///
    /// # Errors
    ///
    /// When one of them is not there, is larger than 4 MiB, or is not valid.
    pub fn load(folder: &Path, profile: &str, thresholds: Option<&str>) -> Result<Self, LoadProfileError> {
        Self::read(folder, profile, thresholds, Pipes::Read)
    }

    /// The same of what a study names, which may be a stranger's: it gets no pipe to wait for.
    pub(crate) fn of_study(
        folder: &Path,
        profile: &str,
        thresholds: Option<&str>,
    ) -> Result<Self, LoadProfileError> {
        Self::read(folder, profile, thresholds, Pipes::Refused)
    }

    fn read(
        folder: &Path,
        profile: &str,
        thresholds: Option<&str>,
        pipes: Pipes,
    ) -> Result<Self, LoadProfileError> {
        let of_profile = folder.join(profile);
        let profile = read_profile(folder, profile, pipes)?;
        let thresholds = match thresholds {
            Some(name) => read_thresholds(folder, name, pipes)?,
            None => {
                // A profile and its set are handed on together, so the way from the one to the other must not depend on where
                // iotrial was started. It is a file that names it, whoever named the profile.
                let beside = of_profile.parent().unwrap_or(Path::new(""));
                read_thresholds(beside, &profile.thresholds, Pipes::Refused)?
            }
        };
        Ok(Self { profile, thresholds })
    }
}

/// A built-in profile, or the one in a file that the user names, whose path counts from `folder`.
///
/// # Errors
///
/// When there is none, or it is larger than 4 MiB or not valid.
pub fn load_profile(folder: &Path, name: &str) -> Result<Profile, LoadProfileError> {
    read_profile(folder, name, Pipes::Read)
}

/// A built-in threshold set, or the one in a file that the user names, whose path counts from `folder`.
///
/// # Errors
///
/// When there is none, or it is larger than 4 MiB or not valid.
pub fn load_thresholds(folder: &Path, name: &str) -> Result<ThresholdSet, LoadProfileError> {
    read_thresholds(folder, name, Pipes::Read)
}

fn read_profile(folder: &Path, name: &str, pipes: Pipes) -> Result<Profile, LoadProfileError> {
    let text = if is_file_name(name) {
        read_text(&folder.join(name), pipes)
            .map_err(|source| LoadProfileError::ReadProfile { name: name.to_owned(), source })?
    } else {
        builtin_profile(name)?.text.to_owned()
    };
    let profile = Profile::parse(&text)
        .map_err(|source| LoadProfileError::InvalidProfile { name: name.to_owned(), source })?;
    // Everything that is shown of a load and of its verdict knows both by their names alone.
    match falsely_named_profile(&profile.name, &profile.text) {
        Some(builtin) => Err(LoadProfileError::FalselyNamedProfile { file: name.to_owned(), name: builtin }),
        None => Ok(profile),
    }
}

fn read_thresholds(folder: &Path, name: &str, pipes: Pipes) -> Result<ThresholdSet, LoadProfileError> {
    if !is_file_name(name) {
        return Ok(ThresholdSet::builtin(name)?);
    }
    let text = read_text(&folder.join(name), pipes)
        .map_err(|source| LoadProfileError::ReadThresholds { name: name.to_owned(), source })?;
    let set = ThresholdSet::parse(&text)
        .map_err(|source| LoadProfileError::InvalidThresholds { name: name.to_owned(), source })?;
    match set.falsely_named_as() {
        Some(builtin) => {
            Err(LoadProfileError::FalselyNamedThresholds { file: name.to_owned(), name: builtin })
        }
        None => Ok(set),
    }
}

/// Whether what stands for a profile or a threshold set is a path rather than a name.
pub fn is_file_name(name: &str) -> bool {
    // By its form and not by what lies in the folder: a file `oci-64k-read` there must not change what a command measures.
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
        let text = builtin_profile("oci-64k-randrw").unwrap().text;
        let text = text.replacen("oci-64k-randrw", "mine", 1);
        let text = text.replacen("title =", "thresholds = \"./mine.toml\"\ntitle =", 1);
        std::fs::write(inner.join("profile.toml"), text).unwrap();
        let load = |thresholds| JudgedProfile::load(folder.path(), "inner/profile.toml", thresholds);
        assert_eq!(load(None).unwrap().thresholds.text, set);
        let error = load(Some("./mine.toml")).unwrap_err();
        assert!(matches!(error, LoadProfileError::ReadThresholds { .. }), "{error}");
    }

    /// Every built-in document of a kind, as a file of somebody: as it is, with other comments and white space, and with each line changed
    /// that says something.
    fn check_names_belong_to_their_content(
        builtin: &[(&str, &str)],
        load: impl Fn(&Path) -> Result<(), LoadProfileError>,
        is_refusal: impl Fn(&LoadProfileError) -> bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.toml");
        let load = |text: &str| {
            std::fs::write(&path, text).unwrap();
            load(&path)
        };
        for (name, text) in builtin {
            let line = format!("name = \"{name}\"");
            assert!(text.contains(&line), "{name}");
            load(text).unwrap();
            load(&format!("# copied\n\n{}", text.replace(&line, &format!("name='{name}' # theirs"))))
                .unwrap();
            load(&text.replace('\n', "\r\n")).unwrap();
            let (mut refused, mut changed) = (0, text.to_string());
            for digit in text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at) {
                let other = if changed.as_bytes()[digit] == b'2' { "3" } else { "2" };
                changed.replace_range(digit..=digit, other);
                // In a comment it changes nothing, in the name it makes another one, and elsewhere it may be a mistake.
                match load(&changed) {
                    Err(error) if is_refusal(&error) => refused += 1,
                    Ok(()) => {
                        let before = &text[..digit];
                        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
                        assert!(line.contains('#') || line.starts_with("name = "), "{name}: {line}");
                    }
                    Err(_) => {}
                }
                changed = text.to_string();
                // Of those with hundreds of numbers the first ones will do.
                if refused >= 20 {
                    break;
                }
            }
            assert!(refused >= 4, "{name}: {refused}");
            // Under a name of its own it is anybody's; case, punctuation and letters that look alike make no other name.
            let louder = text.replace("title = \"", "title = \"Certified: ");
            assert!(is_refusal(&load(&louder).unwrap_err()), "{name}");
            load(&louder.replace(&line, &format!("name = \"our-{name}\""))).unwrap();
            // The last has Cyrillic vowels, and every name has one.
            let cyrillic = name.replace('a', "\u{430}").replace('e', "\u{435}").replace('o', "\u{43E}");
            for like in [name.to_uppercase(), format!("{name} "), name.replace('-', "_"), cyrillic] {
                let text = louder.replace(&line, &format!("name = \"{like}\""));
                assert!(is_refusal(&load(&text).unwrap_err()), "{like}");
            }
        }
    }

    #[test]
    fn a_file_that_has_the_name_of_a_built_in_set_or_profile_and_other_content_is_refused() {
        let sets: Vec<(&str, String)> = iotrial_analysis::threshold::builtin_names()
            .map(|name| (name, ThresholdSet::builtin(name).unwrap().text))
            .collect();
        let sets: Vec<(&str, &str)> = sets.iter().map(|(name, text)| (*name, text.as_str())).collect();
        check_names_belong_to_their_content(
            &sets,
            |path| load_thresholds(Path::new(""), path.to_str().unwrap()).map(drop),
            |error| {
                matches!(error, LoadProfileError::FalselyNamedThresholds { .. }) && error.hint().is_some()
            },
        );
        let profiles: Vec<(&str, &str)> =
            iotrial_model::builtin::builtin_profiles().iter().map(|one| (one.name, one.text)).collect();
        check_names_belong_to_their_content(
            &profiles,
            |path| load_profile(Path::new(""), path.to_str().unwrap()).map(drop),
            |error| matches!(error, LoadProfileError::FalselyNamedProfile { .. }) && error.hint().is_some(),
        );
    }

    #[cfg(target_os = "linux")]
    mod on_linux {
        use super::*;

        #[test]
        fn a_device_a_huge_file_and_a_pipe_are_refused_wherever_they_are_named() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            std::fs::File::create(at("huge.toml")).unwrap().set_len(5 << 30).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(at("pipe.toml")).status().unwrap().success());
            let why = |error: LoadProfileError| std::error::Error::source(&error).unwrap().to_string();
            let profile = |name: &str| why(JudgedProfile::of_study(folder.path(), name, None).unwrap_err());
            let set = |name: &str| {
                why(JudgedProfile::of_study(folder.path(), "oci-64k-randrw", Some(name)).unwrap_err())
            };
            for (name, reason) in [
                ("/dev/zero", "it is a device, not a file"),
                ("./huge.toml", "it is larger than 4 MiB"),
                ("./pipe.toml", "it is a pipe or a socket, not a file"),
            ] {
                assert_eq!((profile(name).as_str(), set(name).as_str()), (reason, reason));
            }
            assert_eq!(
                why(load_thresholds(Path::new(""), "/dev/zero").unwrap_err()),
                "it is a device, not a file"
            );
            assert_eq!(
                why(load_profile(folder.path(), "./huge.toml").unwrap_err()),
                "it is larger than 4 MiB"
            );
            // A profile that the user names may come from a pipe. The set that it names may not.
            let text = builtin_profile("oci-64k-randrw").unwrap().text;
            let text = text.replacen("oci-64k-randrw", "mine", 1);
            let text = text.replacen("title =", "thresholds = \"./pipe.toml\"\ntitle =", 1);
            std::fs::write(at("profile.toml"), text).unwrap();
            let named_by_profile = JudgedProfile::load(folder.path(), "./profile.toml", None).unwrap_err();
            assert_eq!(why(named_by_profile), "it is a pipe or a socket, not a file");
        }
    }
}
