//! A study file, with everything that it names: profiles and threshold sets are read once, when it is opened.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::builtin::falsely_named_profile;
use iotrial_model::given_target::{DealError, GivenTarget, in_words};
use iotrial_model::load::Role;
use iotrial_model::profile::Profile;
use iotrial_model::study::{Configuration, EmbeddedProfile, Study};
use iotrial_model::toml_reader::Mistakes;

use super::released::Released;
use crate::bounded_file::{Pipes, ReadFileError, read_text};
use crate::fault::Fault;
use crate::judged_profile::{JudgedProfile, LoadProfileError, is_file_name};
use crate::request::{Aim, HostLook, LoadRequest, RigRequest};
use iotrial_model::foreign_text::harmless;

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
    /// Targets of a configuration do not go together with the roles of the profiles.
    #[error("the targets of configuration `{label}` of `{path}`")]
    Roles {
        /// As it may be shown.
        path: String,
        /// The label of the configuration, as it may be shown.
        label: String,
        /// What is wrong with them.
        #[source]
        source: StudyRolesError,
    },
}

/// Why the targets of a configuration cannot be dealt out to the roles of the profiles of a study.
#[derive(Debug, thiserror::Error)]
pub enum StudyRolesError {
    /// Nothing of any profile would lie on a target.
    #[error("no profile of the study has a job of the role `{role}`; they have {}", in_words(has))]
    NoSuchRole {
        /// The role that was given a target.
        role: Role,
        /// Those that the profiles have, all together.
        has: Vec<Role>,
    },
    /// A role of one of the profiles has no target.
    #[error(transparent)]
    Deal(#[from] DealError),
}

impl StudyRolesError {
    pub(super) fn hint(&self) -> String {
        match self {
            Self::NoSuchRole { .. } => "`iotrial profiles NAME` shows the jobs and their roles".to_owned(),
            Self::Deal(_) => {
                "`others = [\"PATH\"]` in `targets` is for every role without a target of its own".to_owned()
            }
        }
    }
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
    /// The profile is called otherwise than the study calls it, and that is no name of a file.
    #[error("the profile that it brings along as `{name}` is called `{found}`")]
    OtherName {
        /// As the study names it, and as tables and records show it.
        name: String,
        /// As the profile names itself.
        found: String,
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
            Self::Roles { source, .. } => Some(source.hint()),
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
        let file = Self { study, folder, loads };
        for configuration in &file.study.configurations {
            file.check_roles(configuration).map_err(|source| StudyFileError::Roles {
                path: shown.clone(),
                label: harmless(&configuration.label),
                source,
            })?;
        }
        Ok(file)
    }

    /// Whether every role that is given a target is one of some profile, and every profile has a target for each of its roles.
    pub(super) fn check_roles(&self, configuration: &Configuration) -> Result<(), StudyRolesError> {
        let targets = &configuration.targets;
        let has: Vec<Role> = Role::ALL
            .iter()
            .copied()
            .filter(|role| self.loads.iter().any(|load| load.profile.roles().contains(role)))
            .collect();
        if let Some(role) = targets.iter().flat_map(|target| &target.roles).find(|role| !has.contains(role)) {
            return Err(StudyRolesError::NoSuchRole { role: *role, has });
        }
        for JudgedProfile { profile, .. } in self.loads.iter().filter(|_| !targets.is_empty()) {
            let mine = GivenTarget::of_profile(targets, profile);
            if mine.is_empty() {
                let (profile, roles) = (profile.name.clone(), profile.roles());
                return Err(DealError::NoTarget { profile, roles }.into());
            }
            GivenTarget::deal(&mine, profile)?;
        }
        Ok(())
    }

    /// What it brings along under the name of a built-in profile or threshold set, with other content: of another version, or somebody's own.
    /// What lies in files of its own may not be called so.
    pub fn falsely_named(&self) -> BTreeSet<(&'static str, &'static str)> {
        let of_load = |JudgedProfile { profile, thresholds }: &JudgedProfile| {
            let profile = falsely_named_profile(&profile.name, &profile.text).map(|name| ("profile", name));
            profile.into_iter().chain(thresholds.falsely_named_as().map(|name| ("threshold set", name)))
        };
        self.loads.iter().flat_map(of_load).collect()
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

    /// The request for a load of the study, which is this profile: what `iotrial run` would be asked for it.
    pub(super) fn request(
        &self,
        configuration: &Configuration,
        profile: &Profile,
        repeat: u32,
        ways: &Ways<'_>,
    ) -> LoadRequest {
        let load = &self.study.load;
        let mut targets = GivenTarget::of_profile(&configuration.targets, profile);
        for target in &mut targets {
            target.path = self.folder.join(&target.path);
        }
        LoadRequest {
            full: load.full,
            size: load.size,
            array_cache: load.array_cache,
            duration: load.duration,
            ramp: load.ramp,
            staircase: load.steps.clone(),
            aim: match (load.until_steady, load.latency_limit, &load.need) {
                (Some(limit), ..) => Aim::Steady { limit: Some(limit) },
                (None, None, None) if !load.capacity => Aim::Figures,
                (None, limit, need) => Aim::Capacity { limit, need: need.clone() },
            },
            metrics: BTreeMap::new(),
            metric_commands: configuration
                .metric_commands
                .iter()
                .map(|(name, command)| (name.clone(), command.clone()))
                .collect(),
            command_folder: self.folder.clone(),
            rig: RigRequest {
                destroy: ways.released.map_or_else(Vec::new, |released| released.tokens_for(&targets)),
                targets,
                engine: load.engine,
                buffered: load.buffered,
                polled: load.polled,
                priority: load.priority,
                // The same for every configuration of a round, another one in each round: a round holds configurations against
                // each other, and what is drawn by chance must not differ between them.
                seed: Some(self.study.seed + u64::from(repeat)),
                label: Some(configuration.label.clone()),
                attributes: configuration.attributes.clone(),
                keep_files: load.keep_files,
                anonymous: ways.anonymous,
                host: ways.host.cloned().unwrap_or_default(),
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
    /// Whether the records say nothing of whose machine it was.
    pub(super) anonymous: bool,
    /// How the hosts are looked at; `None` as they are without a word.
    pub(super) host: Option<&'a HostLook>,
}

fn load_embedded(embedded: &EmbeddedProfile) -> Result<JudgedProfile, EmbeddedError> {
    let name = || harmless(&embedded.name);
    let profile =
        Profile::parse(&embedded.text).map_err(|source| EmbeddedError::Profile { name: name(), source })?;
    let thresholds = ThresholdSet::parse(&embedded.thresholds)
        .map_err(|source| EmbeddedError::Thresholds { name: name(), source })?;
    if !is_file_name(&embedded.name) && profile.name != embedded.name {
        return Err(EmbeddedError::OtherName { name: name(), found: harmless(&profile.name) });
    }
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
                    polled = true\npriority = \"high\"\nuntil_steady = \"1h\"\nkeep_files = true\n\
                    [[configuration]]\nlabel = \"a\"\ntargets = [\"data\"]\nattributes = { volumes = 3 }\nmetric_commands = { tps = \"./tps.sh\" }\n";
        std::fs::write(&path, text).unwrap();
        let file = StudyFile::read(&path).unwrap();
        let profile = &file.load("oci-64k-randrw").profile;
        let request = file.request(&file.study.configurations[0], profile, 2, &Ways::default());
        let seconds = |seconds| Some(std::time::Duration::from_secs(seconds));
        let attributes = file.study.configurations[0].attributes.clone();
        assert_eq!(
            request,
            LoadRequest {
                full: true,
                size: Some(ByteSize::gib(2)),
                array_cache: None,
                duration: seconds(7),
                ramp: seconds(1),
                staircase: Vec::new(),
                aim: Aim::Steady { limit: seconds(3_600) },
                metrics: BTreeMap::new(),
                metric_commands: vec![("tps".to_owned(), "./tps.sh".to_owned())],
                command_folder: folder.path().to_owned(),
                rig: RigRequest {
                    targets: vec![GivenTarget::for_all(folder.path().join("data"))],
                    engine: Some(EngineKind::Uring),
                    polled: true,
                    priority: iotrial_model::priority::Priority::High,
                    seed: Some(11),
                    label: Some("a".to_owned()),
                    attributes,
                    keep_files: true,
                    ..RigRequest::default()
                },
            }
        );
    }
    /// What is wrong with the targets of a study of two profiles.
    fn refused(targets: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.toml");
        let text = format!(
            "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [\"sqlserver-oltp\", \"sqlserver-log\"]\n\
             [[configuration]]\nlabel = \"a\"\ntargets = {targets}\n"
        );
        std::fs::write(&path, text).unwrap();
        let error = StudyFile::read(&path).err()?;
        let mut words = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(error) = source {
            words = format!("{words}: {error}");
            source = error.source();
        }
        Some(words)
    }

    #[test]
    fn a_role_that_no_profile_of_a_study_has_or_that_has_no_target_is_refused() {
        let check = |targets: &str, message: &str| {
            let refused = refused(targets).unwrap_or_default();
            assert!(refused.contains(message), "{targets}: {refused}");
        };
        check(
            "{ backup = [\"b\"], others = [\"a\"] }",
            "no profile of the study has a job of the role `backup`; they have data, tempdb and log",
        );
        check("{ log = [\"b\"] }", "no target is given for data and tempdb of the profile `sqlserver-oltp`");
        check("{ data = [\"b\"], tempdb = [\"b\"] }", "no target is given for log of the profile");
        check("{ dta = [\"b\"] }", "unknown key `dta` (did you mean `data`?)");
        check("[\"log=b\"]", "roles are keys: `targets = { log = [\"b\"], … }`");
        check("{ log = \"b\" }", "`log` must be a list of strings, not string");
        check("{}", "`targets` needs at least one path");
    }

    #[test]
    fn a_profile_of_a_study_is_measured_on_the_targets_of_its_roles() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.toml");
        let text = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [\"sqlserver-oltp\", \"sqlserver-log\"]\n\
                    [[configuration]]\nlabel = \"a\"\ntargets = { log = [\"l\"], others = [\"d\"] }\n";
        std::fs::write(&path, text).unwrap();
        let file = StudyFile::read(&path).unwrap();
        let targets_of = |profile: &str| {
            let profile = &file.load(profile).profile;
            let request = file.request(&file.study.configurations[0], profile, 1, &Ways::default());
            request.rig.targets.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let at = |name: &str| folder.path().join(name).display().to_string();
        assert_eq!(targets_of("sqlserver-oltp"), [format!("log={}", at("l")), at("d")]);
        assert_eq!(targets_of("sqlserver-log"), [format!("log={}", at("l"))]);
    }
}
