//! `cargo xtask test`: everything that must hold before a change is merged.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::setup::{self, WINDOWS_C_COMPILER, WINDOWS_TARGET};
use crate::step::{Outcome, Step, run_all, shown};
use crate::wine;
use crate::workspace::find_program;

/// In the order in which they are run: what fails fast stands early.
const STEPS: [Step; 10] = [
    Step { name: "set-up", run: setup::run },
    Step { name: "fmt", run: |root| cargo(root, &["fmt", "--all", "--check"]) },
    Step {
        name: "clippy",
        run: |root| {
            cargo(root, &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
        },
    },
    Step {
        name: "test",
        run: |root| {
            cargo(
                root,
                &[
                    "test",
                    "--workspace",
                    "--locked",
                    "--no-fail-fast",
                    "--lib",
                    "--bins",
                    "--tests",
                    "--examples",
                ],
            )
        },
    },
    Step { name: "doc tests", run: |root| cargo(root, &["test", "--workspace", "--locked", "--doc"]) },
    Step {
        name: "doc",
        run: |root| {
            let mut command = cargo_command(root, &["doc", "--workspace", "--no-deps", "--locked"]);
            shown(command.env("RUSTDOCFLAGS", "-D warnings"))
        },
    },
    Step { name: "windows", run: check_windows },
    Step { name: "wine", run: wine::run },
    Step {
        name: "dependencies",
        run: |root| deny(root, &["--workspace", "check", "licenses", "sources", "bans"]),
    },
    Step { name: "advisories", run: check_advisories },
];

/// Runs all steps and says how many passed.
pub(crate) fn run(root: &Path) -> anyhow::Result<ExitCode> {
    Ok(run_all(&STEPS, root))
}

fn cargo_command(root: &Path, arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root);
    command
}

fn cargo(root: &Path, arguments: &[&str]) -> anyhow::Result<Outcome> {
    shown(&mut cargo_command(root, arguments))
}

fn check_windows(root: &Path) -> anyhow::Result<Outcome> {
    if !setup::has_windows_target() {
        return Ok(Outcome::Skipped(format!("the target {WINDOWS_TARGET} is not installed")));
    }
    if find_program(WINDOWS_C_COMPILER).is_none() {
        return Ok(Outcome::Skipped(format!("{WINDOWS_C_COMPILER} is not installed, and SQLite needs it")));
    }
    let lints =
        ["--workspace", "--all-targets", "--target", WINDOWS_TARGET, "--locked", "--", "-D", "warnings"];
    cargo(root, &[["clippy"].as_slice(), &lints].concat())
}

fn deny(root: &Path, arguments: &[&str]) -> anyhow::Result<Outcome> {
    if find_program("cargo-deny").is_none() {
        return Ok(Outcome::Skipped("cargo-deny is not installed".to_owned()));
    }
    cargo(root, &[["deny", "--offline"].as_slice(), arguments].concat())
}

/// Only against a database that is there already: a check that fetches is another one every day.
fn check_advisories(root: &Path) -> anyhow::Result<Outcome> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    if !home.is_some_and(|home| home.join("advisory-dbs").is_dir()) {
        return Ok(Outcome::Skipped("there is no advisory database on this host".to_owned()));
    }
    deny(root, &["check", "advisories"])
}
