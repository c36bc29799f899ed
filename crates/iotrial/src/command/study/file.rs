//! A study file, with everything that it names: profiles and threshold sets are read once, when it is opened.

use std::path::{Path, PathBuf};

use anyhow::Context;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::plan::{EngineKind, PlanError};
use iotrial_model::profile::Profile;
use iotrial_model::study::{Configuration, EmbeddedProfile, Study};

use super::released::Released;
use crate::cli::{EngineChoice, LoadArgs, RigArgs, StoreArgs};
use crate::command::report::load_thresholds;
use crate::failure::Failure;
use crate::output::harmless;
use crate::setup::{Setup, load_profile_from};

/// A study that needs no other file any more.
pub struct StudyFile {
    /// It brings all its profiles along.
    pub study: Study,
    folder: PathBuf,
    loads: Vec<(Profile, ThresholdSet)>,
}

impl StudyFile {
    /// Reads the study, its profiles and what judges them.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let shown = harmless(&path.to_string_lossy());
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the study `{shown}`"))
            .map_err(|error| Failure::input(error).hint("docs/study.md has an example".to_owned()))?;
        let mut study = Study::parse(&text)
            .with_context(|| format!("`{shown}` is not a valid study"))
            .map_err(|error| Failure::input(error).hint("docs/study.md describes every key".to_owned()))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let loads = study
            .profiles
            .iter()
            .map(|name| load(&study, &folder, name).map_err(|failure| failure.context(format!("`{shown}`"))))
            .collect::<Result<Vec<_>, _>>()?;
        for (position, (profile, _)) in loads.iter().enumerate() {
            if loads[..position].iter().any(|(earlier, _)| earlier.name == profile.name) {
                let error =
                    anyhow::anyhow!("two profiles of `{shown}` are named `{}`", harmless(&profile.name));
                return Err(
                    Failure::input(error).hint("a name stands for one load in tables and records".to_owned())
                );
            }
        }
        study.embedded = study
            .profiles
            .iter()
            .zip(&loads)
            .map(|(name, (profile, thresholds))| EmbeddedProfile {
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
    pub fn load(&self, profile: &str) -> &(Profile, ThresholdSet) {
        let position = self.study.profiles.iter().position(|name| name == profile);
        &self.loads[position.expect("cells are of profiles of the study")]
    }

    /// What `iotrial run` would be asked for a load of the study.
    pub fn load_args(
        &self,
        configuration: &Configuration,
        profile: &str,
        repeat: u32,
        ways: &Ways<'_>,
    ) -> LoadArgs {
        let load = &self.study.load;
        let targets: Vec<PathBuf> =
            configuration.targets.iter().map(|target| self.folder.join(target)).collect();
        LoadArgs {
            profile: profile.to_owned(),
            size: load.size,
            duration: load.duration,
            ramp: load.ramp,
            full: load.full,
            thresholds: None,
            rig: RigArgs {
                destroy: ways.released.map_or_else(Vec::new, |released| released.tokens_for(&targets)),
                targets,
                engine: load.engine.map(engine_choice),
                buffered: load.buffered,
                polled: false,
                // The same for every configuration of a round, another one in each round.
                seed: Some(self.study.seed + u64::from(repeat)),
                label: Some(configuration.label.clone()),
                attributes: configuration.attributes.clone().into_iter().collect(),
                keep_files: load.keep_files,
                quiet: ways.quiet,
                sim: configuration.sim.clone(),
                store: StoreArgs { store: ways.store.map(Path::to_owned) },
            },
        }
    }

    /// What a load of the study comes to, on its targets as they are now.
    pub fn setup(&self, args: &LoadArgs) -> Result<Setup, Failure> {
        let (profile, thresholds) = self.load(&args.profile).clone();
        Setup::with(args, profile, thresholds).map_err(|failure| {
            let label = harmless(args.rig.label.as_deref().unwrap_or_default());
            let failure = failure.context(format!("configuration `{label}`, profile `{}`", args.profile));
            if let Some(PlanError::DeviceNotReleased { .. }) = failure.cause() {
                let hint = "`iotrial target DEVICE` shows what is on it, and the token: --destroy gives one for each raw device of the study, in the order in which it names them";
                return failure.hint(hint.to_owned());
            }
            failure
        })
    }
}

/// How a load is made, apart from what the study says.
#[derive(Clone, Copy)]
pub struct Ways<'a> {
    /// No progress.
    pub quiet: bool,
    /// Where the records go, unless it is the usual place.
    pub store: Option<&'a Path>,
    /// The raw devices that may be written; `None` where no load follows.
    pub released: Option<&'a Released>,
}

/// A profile and what judges it: brought along, built in, or in files whose paths count from the study's folder.
fn load(study: &Study, folder: &Path, name: &str) -> Result<(Profile, ThresholdSet), Failure> {
    if let Some(embedded) = study.embedded(name) {
        let profile = Profile::parse(&embedded.text)
            .with_context(|| format!("the profile `{}` that it brings along is not valid", harmless(name)))
            .map_err(Failure::input)?;
        let thresholds = ThresholdSet::parse(&embedded.thresholds)
            .with_context(|| {
                format!("the threshold set that it brings along for `{}` is not valid", harmless(name))
            })
            .map_err(Failure::input)?;
        return Ok((profile, thresholds));
    }
    let profile = load_profile_from(folder, name)?;
    let thresholds = match &study.load.thresholds {
        Some(name) => load_thresholds(name, Some(folder))?,
        None => {
            let of_profile = folder.join(name);
            load_thresholds(&profile.thresholds, of_profile.parent())?
        }
    };
    Ok((profile, thresholds))
}

fn engine_choice(engine: EngineKind) -> EngineChoice {
    match engine {
        EngineKind::Uring => EngineChoice::Uring,
        EngineKind::Threads => EngineChoice::Threads,
        EngineKind::Sim => EngineChoice::Sim,
        EngineKind::Null => EngineChoice::Null,
    }
}
