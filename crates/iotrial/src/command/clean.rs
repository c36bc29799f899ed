//! `iotrial clean`: files that earlier runs left behind.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::anyhow;
use dialoguer::Confirm;
use iotrial_engine::targets::{LeftOver, LeftOverError, find_left_overs, remove_left_over};
use iotrial_model::units::ByteSize;
use serde::Serialize;

use crate::cli::{CleanArgs, USUAL_DIRECTORY};
use crate::failure::Failure;
use crate::output::{self, harmless, say, stderr_is_terminal};

#[derive(Serialize)]
struct Line<'f> {
    path: &'f Path,
    size_bytes: ByteSize,
    whole: bool,
    in_use: bool,
    removed: bool,
}

/// Shows what is left over in the directories, and removes it after consent.
pub fn clean(args: &CleanArgs) -> Result<ExitCode, Failure> {
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for directory in &args.directories {
        // Asked without following: what a broken link leads to is an error, and not nothing.
        if directory.symlink_metadata().is_ok() {
            found.extend(find_left_overs(directory).map_err(failure)?);
            continue;
        }
        // A run that made the usual one took it away again.
        if directory != Path::new(USUAL_DIRECTORY) {
            missing.push(format!("`{}`", directory.display()));
        }
    }
    // Before any question: the list is what the answer rests on.
    if !args.json {
        for file in &found {
            let path = harmless(&file.path.to_string_lossy());
            output::text(&format!("{:>12}  {path}{}\n", file.size.to_string(), remark(file)))?;
        }
    }
    if found.is_empty() && missing.len() < args.directories.len() {
        // Not on standard output, where `--json` and scripts expect files.
        say!("no leftover test files found");
    }
    // A run that goes on would lose the files under its feet.
    let idle = || found.iter().filter(|file| !file.in_use);
    let total: ByteSize = idle().map(|file| file.size).sum();
    let removes = idle().count() > 0 && may_remove(args, idle().count(), total)?;
    if removes {
        for file in idle() {
            remove_left_over(file).map_err(failure)?;
        }
        say!("{} removed, {total} freed", files(idle().count()));
    }
    // After the removal, because it says of each file whether it is gone.
    if args.json {
        let line = |file: &LeftOver| {
            serde_json::to_value(Line {
                path: &file.path,
                size_bytes: file.size,
                whole: file.whole,
                in_use: file.in_use,
                removed: removes && !file.in_use,
            })
        };
        let lines = found.iter().map(line).collect::<Result<Vec<_>, _>>().expect("lines are plain data");
        output::json(&lines)?;
    }
    // After the others are cleaned: whoever mistyped one must know that it was not.
    if !missing.is_empty() {
        return Err(Failure::input(anyhow!("there is no directory {}", missing.join(", "))));
    }
    Ok(ExitCode::SUCCESS)
}

fn files(count: usize) -> String {
    format!("{count} file{}", if count == 1 { "" } else { "s" })
}

fn remark(file: &LeftOver) -> &'static str {
    match (file.in_use, file.whole) {
        (true, _) => "  (a run uses it)",
        (false, true) => "",
        (false, false) => "  (incomplete)",
    }
}

/// `--yes`, or the answer on a terminal; without either only a list is shown.
fn may_remove(args: &CleanArgs, count: usize, total: ByteSize) -> Result<bool, Failure> {
    if args.yes {
        return Ok(true);
    }
    // Whoever cannot answer must not be asked, and silence is no consent.
    if args.json || !std::io::stdin().is_terminal() || !stderr_is_terminal() {
        say!("--yes removes them");
        return Ok(false);
    }
    let prompt = format!("Remove {} of {total}", files(count));
    Confirm::new().with_prompt(prompt).default(false).interact().map_err(Failure::execution)
}

fn failure(error: LeftOverError) -> Failure {
    let hint = error.hint();
    Failure::execution(error).hint(hint)
}
