//! What was packed is unpacked and run, with nothing else around it: a library or a file that only this host has would be missed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::platform::Platform;
use crate::carried_out::{carried_out, how_it_ended};
use crate::setup::is_root;
use crate::workspace::find_program;

/// Without the clock of a device, so that it takes no longer than it says; the verdict of so short a run is inconclusive.
const SHORT_RUN: [&str; 7] = ["run", "--engine", "sim", "--closed", "--duration", "1s", "--quiet"];
/// Where the emulator of another processor lies in the folder, as nothing else of this host can be seen there.
const EMULATOR: &str = "emulator";

/// How a program of a platform is started here.
pub(crate) enum Way {
    Directly,
    /// By the emulator of another processor, a static program of this host.
    Emulated(PathBuf),
    /// Why not.
    NotHere(String),
}

impl Way {
    pub(crate) fn of(platform: Platform) -> Self {
        if platform.is_of_this_host() {
            return Self::Directly;
        }
        let emulator = format!("qemu-{}-static", platform.arch());
        match find_program(&emulator) {
            Some(path) => Self::Emulated(path),
            None => Self::NotHere(format!(
                "not run: {emulator} is not installed (apt-get install qemu-user-static)"
            )),
        }
    }

    /// Puts the emulator into a folder that becomes the root, and answers what stands before the program then.
    pub(crate) fn prepare(&self, root: &Path) -> anyhow::Result<Option<String>> {
        let Self::Emulated(emulator) = self else { return Ok(None) };
        fs::copy(emulator, root.join(EMULATOR))
            .with_context(|| format!("cannot copy {}", emulator.display()))?;
        Ok(Some(format!("/{EMULATOR}")))
    }
}

/// Runs the program in an unpacked folder: as root with that folder as the whole file system. Answers what was done.
///
/// `program` is the path below the folder.
pub(crate) fn try_in(folder: &Path, program: &str, platform: Platform) -> anyhow::Result<String> {
    try_where(folder, program, platform, is_root() && find_program("chroot").is_some())
}

/// The same for a program that may need what is around the folder.
pub(crate) fn try_in_place(folder: &Path, program: &str, platform: Platform) -> anyhow::Result<String> {
    try_where(folder, program, platform, false)
}

fn try_where(folder: &Path, program: &str, platform: Platform, is_alone: bool) -> anyhow::Result<String> {
    let way = Way::of(platform);
    if let Way::NotHere(reason) = way {
        return Ok(reason);
    }
    let store = tempfile::tempdir()?;
    let begin: Vec<String> = if is_alone {
        let emulator = way.prepare(folder)?;
        let chroot = ["chroot".to_owned(), folder.display().to_string()];
        chroot.into_iter().chain(emulator).chain([format!("/{program}")]).collect()
    } else {
        let emulator = match &way {
            Way::Emulated(emulator) => Some(emulator.display().to_string()),
            _ => None,
        };
        emulator.into_iter().chain([folder.join(program).display().to_string()]).collect()
    };
    let store = if is_alone { Path::new("/store") } else { store.path() };
    let run = |arguments: &[&str]| -> anyhow::Result<Vec<u8>> {
        let mut command = Command::new(&begin[0]);
        command.args(&begin[1..]).args(arguments).current_dir(folder);
        outcome(with_environment(&mut command, &[("IOTRIAL_STORE", &store.display().to_string())]), arguments)
    };
    check_all(&run)?;
    let place =
        if is_alone { "alone in a chroot" } else { "in place (a chroot needs root and a static program)" };
    let processor = if matches!(way, Way::Directly) { "" } else { ", emulated" };
    Ok(format!("unpacked and run {place}{processor}: its version, a run of one second, the record of it"))
}

/// Asks a program for its version, has it make a run, and looks whether the record of that is there.
pub(crate) fn check_all(run: &dyn Fn(&[&str]) -> anyhow::Result<Vec<u8>>) -> anyhow::Result<()> {
    let told = run(&["--version"])?;
    let told = String::from_utf8_lossy(&told).trim().to_owned();
    ensure!(told == format!("iotrial {}", env!("CARGO_PKG_VERSION")), "it calls itself `{told}`");
    check_summary(&run(&[SHORT_RUN.as_slice(), &["--json"]].concat())?)?;
    let records: serde_json::Value = serde_json::from_slice(&run(&["records", "--json"])?)?;
    ensure!(
        records.as_array().is_some_and(|all| all.len() == 1),
        "the store has no record of the run: {records}"
    );
    Ok(())
}

/// What a run prints with `--json` says that it was complete.
pub(crate) fn check_summary(printed: &[u8]) -> anyhow::Result<()> {
    let summary: serde_json::Value = serde_json::from_slice(printed).context("its summary is not JSON")?;
    ensure!(summary["ended"] == "complete", "a run ended `{}`", summary["ended"]);
    Ok(())
}

/// The environment of a program that was just installed: nothing of whoever builds it, but where tools are found.
pub(crate) fn with_environment<'a>(command: &'a mut Command, own: &[(&str, &str)]) -> &'a mut Command {
    command.env_clear().envs(own.iter().copied());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default())
}

/// What a command prints, if it was carried out.
pub(crate) fn outcome(command: &mut Command, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let is_carried_out = carried_out(output.status);
    ensure!(
        is_carried_out,
        "iotrial {}: {}",
        arguments.join(" "),
        how_it_ended(output.status, &output.stderr)
    );
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(version: &str, summary: &str, records: &str) -> anyhow::Result<()> {
        check_all(&|arguments: &[&str]| {
            Ok(match arguments[0] {
                "--version" => version.as_bytes().to_vec(),
                "run" => summary.as_bytes().to_vec(),
                _ => records.as_bytes().to_vec(),
            })
        })
    }

    #[test]
    fn a_program_passes_only_with_its_version_a_complete_run_and_the_record_of_it() {
        let own = format!("iotrial {}\n", env!("CARGO_PKG_VERSION"));
        let whole = r#"{"ended": "complete"}"#;
        check(&own, whole, "[{}]").unwrap();
        assert!(check("iotrial 0.0.9", whole, "[{}]").unwrap_err().to_string().contains("`iotrial 0.0.9`"));
        assert!(check(&own, r#"{"ended": "failed"}"#, "[{}]").unwrap_err().to_string().contains("failed"));
        assert!(check(&own, whole, "[]").unwrap_err().to_string().contains("no record"));
    }
}
