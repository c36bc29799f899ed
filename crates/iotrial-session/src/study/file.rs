//! A study file, with everything that it names: profiles and threshold sets are read once, when it is opened.

use std::path::{Path, PathBuf};

use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::profile::Profile;
use iotrial_model::study::{Configuration, EmbeddedProfile, Study};
use iotrial_model::toml_reader::Mistakes;

use super::released::Released;
use crate::bounded_file::{Pipes, ReadFileError, read_text};
use crate::fault::Fault;
use crate::harmless;
use crate::judged_profile::{JudgedProfile, LoadProfileError};
use crate::request::{Aim, LoadRequest, RigRequest};

/// A study that needs no other file any more.
pub struct StudyFile {
    /// It brings all its profiles along.
    pub study: Study,
    folder: PathBuf,
    /// In the order of the study's profiles.
    loads: Vec<JudgedProfile>,
}

/// Why a study cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StudyFileError {
    /// The file cannot be read.
    #[error("cannot read the study `{path}`")]
    Read {
        /// As it may be shown.
        path: String,
        /// Why nothing of the file was read.
        #[source]
        source: ReadFileError,
    },
    /// It has mistakes.
    #[error("`{path}` is not a valid study")]
    Invalid {
        /// As it may be shown.
        path: String,
        /// All of them.
        #[source]
        source: Mistakes,
    },
    /// A profile or a threshold set that it names cannot be had.
    #[error("`{path}`")]
    Load {
        /// As it may be shown.
        path: String,
        /// Which of the two, and what is wrong with it.
        #[source]
        source: LoadProfileError,
    },
    /// A profile or a threshold set that it brings along has mistakes.
    #[error("`{path}`")]
    Embedded {
        /// As it may be shown.
        path: String,
        /// Which, and why.
        #[source]
        source: EmbeddedError,
    },
    /// Two of its profiles are called the same.
    #[error("two profiles of `{path}` are named `{name}`")]
    SameName {
        /// As it may be shown.
        path: String,
        /// The name that the profiles themselves state, which their files need not have.
        name: String,
    },
}

/// What is wrong with what a study brings along.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// The profile has mistakes.
    #[error("the profile `{name}` that it brings along is not valid")]
    Profile {
        /// As the study names it.
        name: String,
        /// All of them.
        #[source]
        source: Mistakes,
    },
    /// The threshold set has mistakes.
    #[error("the threshold set that it brings along for `{name}` is not valid")]
    Thresholds {
        /// The profile that it judges.
        name: String,
        /// All of them.
        #[source]
        source: Mistakes,
    },
}

impl Fault for StudyFileError {
    fn is_of_input(&self) -> bool {
        true
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Read { .. } => Some("`iotrial docs study` has an example".to_owned()),
            Self::Invalid { .. } => Some("`iotrial docs study` describes every key".to_owned()),
            Self::Load { source, .. } => source.hint(),
            Self::Embedded { .. } => None,
            Self::SameName { .. } => Some("a name stands for one load in tables and records".to_owned()),
        }
    }
}

impl StudyFile {
    /// Reads the study, its profiles and what judges them.
    ///
    /// # Errors
    ///
    /// When any of that is not there or not valid.
    pub fn read(path: &Path) -> Result<Self, StudyFileError> {
        let shown = harmless(&path.to_string_lossy());
        // The study itself is what the user names, and may be a pipe; what it names may not.
        let text = read_text(path, Pipes::Read)
            .map_err(|source| StudyFileError::Read { path: shown.clone(), source })?;
        let mut study =
            Study::parse(&text).map_err(|source| StudyFileError::Invalid { path: shown.clone(), source })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut loads: Vec<JudgedProfile> = Vec::new();
        // All of them now and none later: a study takes hours or days, and a file that somebody edits meanwhile must not change what
        // its next round measures.
        for name in &study.profiles {
            let load = match study.embedded(name) {
                Some(embedded) => load_embedded(embedded)
                    .map_err(|source| StudyFileError::Embedded { path: shown.clone(), source })?,
                None => JudgedProfile::of_study(&folder, name, study.load.thresholds.as_deref())
                    .map_err(|source| StudyFileError::Load { path: shown.clone(), source })?,
            };
            loads.push(load);
        }
        for (position, JudgedProfile { profile, .. }) in loads.iter().enumerate() {
            if loads[..position].iter().any(|earlier| earlier.profile.name == profile.name) {
                return Err(StudyFileError::SameName { path: shown, name: harmless(&profile.name) });
            }
        }
        // What was read is a part of the study from here on. The journal keeps it, so that a profile whose file has changed is
        // noticed as a change of the study, and `study export` hands it on in one file.
        study.embedded = study
            .profiles
            .iter()
            .zip(&loads)
            .map(|(name, JudgedProfile { profile, thresholds })| EmbeddedProfile {
                name: name.clone(),
                text: profile.text.clone(),
                thresholds: thresholds.text.clone(),
            })
            .collect();
        Ok(Self { study, folder, loads })
    }

    /// Where its paths count from, and its commands run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The profile of that name, and what judges it.
    pub(super) fn load(&self, profile: &str) -> &JudgedProfile {
        let position = self.study.profiles.iter().position(|name| name == profile);
        &self.loads[position.expect("cells are of profiles of the study")]
    }

    /// The request for a load of the study: what `iotrial run` would be asked for it.
    pub(super) fn request(&self, configuration: &Configuration, repeat: u32, ways: &Ways<'_>) -> LoadRequest {
        let load = &self.study.load;
        let targets: Vec<PathBuf> =
            configuration.targets.iter().map(|target| self.folder.join(target)).collect();
        LoadRequest {
            full: load.full,
            size: load.size,
            duration: load.duration,
            ramp: load.ramp,
            staircase: load.steps.clone(),
            aim: match (load.until_steady, load.latency_limit, &load.need) {
                (Some(limit), ..) => Aim::Steady { limit: Some(limit) },
                (None, None, None) if !load.capacity => Aim::Figures,
                (None, limit, need) => Aim::Capacity { limit, need: need.clone() },
            },
            rig: RigRequest {
                destroy: ways.released.map_or_else(Vec::new, |released| released.tokens_for(&targets)),
                targets,
                engine: load.engine,
                buffered: load.buffered,
                polled: load.polled,
                // The same for every configuration of a round, another one in each round: a round holds configurations against
                // each other, and what is drawn by chance must not differ between them.
                seed: Some(self.study.seed + u64::from(repeat)),
                label: Some(configuration.label.clone()),
                attributes: configuration.attributes.clone(),
                keep_files: load.keep_files,
                sim: configuration.sim.clone(),
                store: ways.store.map(Path::to_owned),
            },
        }
    }
}

/// How a load is made, apart from what the study says.
#[derive(Clone, Copy, Default)]
pub(super) struct Ways<'a> {
    /// Where the records go, unless it is the usual place.
    pub(super) store: Option<&'a Path>,
    /// The raw devices that may be written; `None` where no load follows.
    pub(super) released: Option<&'a Released>,
}

fn load_embedded(embedded: &EmbeddedProfile) -> Result<JudgedProfile, EmbeddedError> {
    let name = || harmless(&embedded.name);
    let profile =
        Profile::parse(&embedded.text).map_err(|source| EmbeddedError::Profile { name: name(), source })?;
    let thresholds = ThresholdSet::parse(&embedded.thresholds)
        .map_err(|source| EmbeddedError::Thresholds { name: name(), source })?;
    Ok(JudgedProfile { profile, thresholds })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use iotrial_model::plan::EngineKind;
    use iotrial_model::units::ByteSize;

    use super::*;

    #[test]
    fn a_study_asks_for_all_that_a_run_can_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.toml");
        let text = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [\"oci-64k-randrw\"]\nseed = 9\n\
                    [load]\nfull = true\nsize = \"2GiB\"\nduration = \"7s\"\nramp = \"1s\"\nengine = \"uring\"\n\
                    polled = true\nuntil_steady = \"1h\"\nkeep_files = true\n\
                    [[configuration]]\nlabel = \"a\"\ntargets = [\"data\"]\nattributes = { volumes = 3 }\n";
        std::fs::write(&path, text).unwrap();
        let file = StudyFile::read(&path).unwrap();
        let request = file.request(&file.study.configurations[0], 2, &Ways::default());
        let seconds = |seconds| Some(std::time::Duration::from_secs(seconds));
        let attributes = file.study.configurations[0].attributes.clone();
        assert_eq!(
            request,
            LoadRequest {
                full: true,
                size: Some(ByteSize::gib(2)),
                duration: seconds(7),
                ramp: seconds(1),
                staircase: Vec::new(),
                aim: Aim::Steady { limit: seconds(3_600) },
                rig: RigRequest {
                    targets: vec![folder.path().join("data")],
                    engine: Some(EngineKind::Uring),
                    polled: true,
                    seed: Some(11),
                    label: Some("a".to_owned()),
                    attributes,
                    keep_files: true,
                    ..RigRequest::default()
                },
            }
        );
    }
}
