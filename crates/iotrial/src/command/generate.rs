//! What the program makes of itself: completion scripts and man pages.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output;

/// Prints the completion script of a shell.
pub fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "iotrial", &mut script);
    output::text(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes `iotrial.1`, `iotrial-run.1` and so on into a directory.
pub fn man_pages(directory: &Path) -> Result<ExitCode, Failure> {
    if !directory.is_dir() {
        let error = anyhow::anyhow!("`{}` is no directory", directory.display());
        return Err(Failure::input(error).hint("make it first: mkdir -p DIRECTORY".to_owned()));
    }
    clap_mangen::generate_to(Cli::command(), directory)
        .with_context(|| format!("cannot write man pages into `{}`", directory.display()))
        .map_err(Failure::execution)?;
    eprintln!("the man pages are in {}", directory.display());
    Ok(ExitCode::SUCCESS)
}
