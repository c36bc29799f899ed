//! The commands of a study: what attaches a configuration before it is measured, and detaches it after.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use iotrial_measure::control::Control;
use iotrial_model::study::{Configuration, Study};

use crate::shell_command::{Ended, shell, wait};

/// Runs commands in the folder of the study.
pub(super) struct Shell {
    control: Arc<Control>,
    quiet: bool,
}

/// What a command is told by its environment.
pub(super) struct Surroundings<'a> {
    pub(super) folder: &'a Path,
    pub(super) study: &'a Study,
    pub(super) configuration: &'a Configuration,
    pub(super) repeat: u32,
}

/// The paths of its targets, each once, one a line.
fn places(configuration: &Configuration) -> String {
    let mut paths: Vec<_> = Vec::new();
    for target in &configuration.targets {
        let path = target.path.to_string_lossy();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths.join("\n")
}

impl Shell {
    /// Quiet commands are heard only on standard error.
    pub(super) fn new(control: Arc<Control>, quiet: bool) -> Self {
        Self { control, quiet }
    }

    /// Runs a command and waits for it; the reason, where it did not succeed. Its output goes to standard error.
    ///
    /// One stop of the user waits for the command, a second one ends it with all that it started.
    pub(super) fn run(&self, command: &str, around: &Surroundings<'_>) -> Result<(), String> {
        let mut shell = shell(command);
        // The folder of a bare name is empty, which no program can be started in.
        if !around.folder.as_os_str().is_empty() {
            shell.current_dir(around.folder);
        }
        let Surroundings { study, configuration, repeat, .. } = around;
        shell
            // By its environment and never put into its text, where a label with a quote in it would become a command.
            .env("IOTRIAL_STUDY", study.whole_name())
            .env("IOTRIAL_LABEL", &configuration.label)
            .env("IOTRIAL_REPEAT", repeat.to_string())
            .env("IOTRIAL_TARGETS", places(configuration));
        for (key, value) in &configuration.attributes {
            shell.env(variable(key), value.to_string());
        }
        // A command that asks a question would wait for ever behind the progress of the study.
        shell.stdin(Stdio::null());
        shell.stdout(if self.quiet { Stdio::null() } else { Stdio::from(std::io::stderr()) });
        // A command after a configuration runs although the user was in haste before: only what comes while it runs is meant for it.
        let was_aborted = self.control.is_aborted();
        let mut child = shell.spawn().map_err(|error| format!("cannot start `{command}`: {error}"))?;
        let ended = wait(&mut child, || self.control.is_aborted() && !was_aborted);
        match ended.map_err(|error| format!("cannot wait for `{command}`: {error}"))? {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`{command}` ended with {status}")),
            Err(Ended::Stopped) => Err(format!("`{command}` was ended")),
            Err(Ended::Asking) => Err(Ended::asking(command)),
        }
    }
}

/// `IOTRIAL_ATTRIBUTE_DRIVER` of `driver`: a name that every shell takes.
fn variable(key: &str) -> String {
    let name = key.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    format!("IOTRIAL_ATTRIBUTE_{}", name.collect::<String>())
}
