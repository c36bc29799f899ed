//! What the program makes of itself: completion scripts and man pages.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output;

/// Set by the scripts of shells that ask what can stand in a place; of our own, so that no other program's setting is meant.
const SHELL_VARIABLE: &str = "IOTRIAL_COMPLETE";

/// Where a shell asks what can stand in a place: answers, and ends the program.
pub fn answer_shell() {
    CompleteEnv::with_factory(Cli::command).var(SHELL_VARIABLE).complete();
}

/// Prints the completion script of a shell.
pub fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let name = shell.to_string();
    let shells = Shells::builtins();
    let completer = shells.completer(&name).expect("both lists have the same shells, as a test holds");
    let mut script = Vec::new();
    completer
        .write_registration(SHELL_VARIABLE, "iotrial", "iotrial", "iotrial", &mut script)
        .map_err(Failure::execution)?;
    output::text(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes `iotrial.1`, `iotrial-run.1` and so on into a directory.
pub fn man_pages(directory: &Path) -> Result<ExitCode, Failure> {
    // Not made here: a mistyped directory would be filled with twenty files.
    if !directory.is_dir() {
        let error = anyhow::anyhow!("`{}` is no directory", directory.display());
        return Err(Failure::input(error).hint("make it first: mkdir -p DIRECTORY".to_owned()));
    }
    clap_mangen::generate_to(Cli::command(), directory)
        .with_context(|| format!("cannot write man pages into `{}`", directory.display()))
        .map_err(Failure::execution)?;
    // On standard error: the pages are the output, and they are in files.
    eprintln!("the man pages are in {}", directory.display());
    Ok(ExitCode::SUCCESS)
}
