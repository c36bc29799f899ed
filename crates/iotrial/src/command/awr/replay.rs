//! `iotrial awr --profile`: the load of a database as a profile, with the threshold set that judges it beside it.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use iotrial_analysis::awr::{AwrSeries, Replay};
use iotrial_model::profile::Profile;
use iotrial_report::replay_files::{profile_toml, thresholds_toml};

use super::only_database;
use crate::cli::AwrArgs;
use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::shell_line::quoted;

/// The load, and the files that it goes to.
pub struct ReplayFiles {
    /// What is in them.
    pub replay: Replay,
    /// The profile.
    pub profile: PathBuf,
    /// Its threshold set; `None` where the reports have no latency.
    pub thresholds: Option<PathBuf>,
}

/// Where the threshold set goes: beside the profile, whose name it has.
pub fn thresholds_of(profile: &Path) -> PathBuf {
    profile.with_extension("thresholds.toml")
}

/// The load that is asked for; `named` is what the user calls the reports.
pub fn replay(args: &AwrArgs, series: &AwrSeries, named: &str) -> Result<Option<ReplayFiles>, Failure> {
    let Some(profile) = args.profile.as_deref().map(Path::to_owned) else { return Ok(None) };
    let database = only_database(series, "a profile")?;
    let replay = database.replay(args.sizing.request().level(), args.scale.0, named).ok_or_else(|| {
        Failure::input(anyhow!("the reports of {} have no I/O rates with sizes", database.database))
    })?;
    let thresholds = (!replay.limits.is_empty()).then(|| thresholds_of(&profile));
    // Absurd numbers of a damaged report are found here, and not by the run.
    Profile::parse(&profile_toml(&replay, "./checked.toml")).map_err(|mistakes| {
        let about = format!("the reports of {} contain no load that can be run", database.database);
        Failure::input(anyhow::Error::from(mistakes).context(about))
    })?;
    Ok(Some(ReplayFiles { replay, profile, thresholds }))
}

impl ReplayFiles {
    /// Writes both. The threshold set first: a profile without it would not run.
    pub fn write(&self, outputs: &Outputs) -> Result<(), Failure> {
        let mut name = "flash".to_owned();
        if let (Some(path), Some(text)) = (&self.thresholds, thresholds_toml(&self.replay)) {
            outputs.write(path, text.as_bytes())?;
            // With a folder, so that it is told from the name of a built-in set; it counts from the profile.
            let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
            name = format!("./{file}");
        }
        outputs.write(&self.profile, profile_toml(&self.replay, &name).as_bytes())
    }

    /// What was written, for the lines below the document.
    pub fn others(&self) -> Vec<(&'static str, &Path)> {
        let mut others = vec![("profile", self.profile.as_path())];
        others.extend(self.thresholds.as_deref().map(|path| ("limits", path)));
        others
    }

    /// The command that runs it.
    pub fn next(&self) -> String {
        let path = self.profile.display().to_string();
        // A name alone would be looked up among the built-in profiles.
        let is_path = path.contains(['/', '\\']) || path.ends_with(".toml");
        let path = quoted(&format!("{}{path}", if is_path { "" } else { "./" }));
        format!("iotrial run {path} --target DIR")
    }
}
