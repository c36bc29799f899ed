//! `cargo xtask test`: everything that must hold before a change is merged.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context as _;

use crate::setup::{self, WINDOWS_TARGET};
use crate::step::{Outcome, Step, run_all, shown};
use crate::test_run::run_tests;
use crate::workspace::find_program;
use crate::{fuzz, smoke, structure, wine};

const USAGE: &str = "\
Usage: cargo xtask test [STEP]... [--fast]

Runs all steps, or those that are named, and fails if one failed. Says at the end what was not checked, and how long each step took.
Steps: set-up, fmt, clippy, doc, fuzz-targets, test, attacks, smoke, windows, wine, dependencies, shape

  --fast  what can be known in a minute once everything is built: formatting, documents, schemas and generated files, and lints and unit
          tests of the crates that were changed since the last commit, or by it where nothing was";

/// A step that the next one waits for.
const FOREGROUND: Step = Step { name: "", run: |_| Ok(Outcome::Passed), in_background: false };

/// In the order in which they are run: what fails fast is first. The step `smoke` waits for devices most of the time, while those after it
/// compile.
static STEPS: [Step; 12] = [
    Step { name: "set-up", run: setup::run, ..FOREGROUND },
    Step { name: "fmt", run: fmt, ..FOREGROUND },
    Step {
        name: "clippy",
        run: |root| {
            cargo(root, &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
        },
        ..FOREGROUND
    },
    Step {
        name: "doc",
        run: |root| {
            let mut command = cargo_command(root, &["doc", "--workspace", "--no-deps", "--locked"]);
            shown(command.env("RUSTDOCFLAGS", "-D warnings"))
        },
        ..FOREGROUND
    },
    Step { name: "fuzz-targets", run: fuzz::check, ..FOREGROUND },
    Step {
        name: "test",
        run: |root| {
            tests(
                root,
                &["--workspace", "--locked", "--no-fail-fast", "--lib", "--bins", "--tests", "--examples"],
            )
        },
        ..FOREGROUND
    },
    Step { name: "attacks", run: smoke::run_attacks, ..FOREGROUND },
    Step { name: "smoke", run: smoke::run, in_background: true },
    Step { name: "windows", run: lint_for_windows, ..FOREGROUND },
    Step { name: "wine", run: wine::run, ..FOREGROUND },
    Step { name: "dependencies", run: check_dependencies, ..FOREGROUND },
    Step {
        name: "shape",
        run: |root| structure::structure(&[], root).map(|_| Outcome::Passed),
        ..FOREGROUND
    },
];

/// For the minute before a commit.
static FAST_STEPS: [Step; 4] = [
    Step { name: "fast-fmt", run: fmt, ..FOREGROUND },
    Step {
        name: "documents",
        run: |root| tests(root, &["-p", "xtask", "-p", "iotrial", "--bins", "--locked"]),
        ..FOREGROUND
    },
    Step {
        name: "fast-clippy",
        run: |root| of_changed(root, &["clippy", "--all-targets"], &["--", "-D", "warnings"]),
        ..FOREGROUND
    },
    Step {
        name: "unit-tests",
        run: |root| of_changed(root, &["test", "--bins", "--quiet"], &[]),
        ..FOREGROUND
    },
];

/// Runs all steps, or the fast ones, and says how many passed.
pub(crate) fn run(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    let named = |name: &String| STEPS.iter().find(|step| step.name == name);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(run_all(&STEPS.iter().collect::<Vec<_>>(), root)),
        ["--fast"] => Ok(run_all(&FAST_STEPS.iter().collect::<Vec<_>>(), root)),
        ["--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => match arguments.iter().map(named).collect::<Option<Vec<_>>>() {
            Some(steps) => Ok(run_all(&steps, root)),
            None => {
                eprintln!("{USAGE}");
                Ok(ExitCode::from(2))
            }
        },
    }
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

fn fmt(root: &Path) -> anyhow::Result<Outcome> {
    cargo(root, &["fmt", "--all", "--check"])
}

/// Runs tests, and notes which of them said that they skip: a test that passes is otherwise silent.
fn tests(root: &Path, arguments: &[&str]) -> anyhow::Result<Outcome> {
    run_tests(&mut cargo_command(root, &[&["test"], arguments, &["--", "--show-output"]].concat()))
}

/// Runs cargo for the crates that were changed.
fn of_changed(root: &Path, before: &[&str], behind: &[&str]) -> anyhow::Result<Outcome> {
    let mut crates =
        changed_crates(&git(root, &["status", "--porcelain", "--no-renames", "--untracked-files=all"])?);
    if crates.is_empty() {
        // Of the last commit, also where there is none before it.
        crates = changed_crates(&git(root, &["show", "--format=", "--name-only", "--no-renames", "HEAD"])?);
    }
    crates.retain(|name| name == "xtask" || root.join("crates").join(name).join("Cargo.toml").is_file());
    if crates.is_empty() {
        return Ok(Outcome::Passed);
    }
    let mut named: Vec<&str> = crates.iter().flat_map(|name| ["-p", name]).collect();
    // Cargo refuses `--lib` where no crate has one.
    let has_library = |name: &String| root.join("crates").join(name).join("src/lib.rs").is_file();
    if before[0] == "test" && crates.iter().any(has_library) {
        named.push("--lib");
    }
    cargo(root, &[before, &["--locked"], &named[..], behind].concat())
}

fn git(root: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output =
        Command::new("git").args(arguments).current_dir(root).output().context("cannot start git")?;
    anyhow::ensure!(
        output.status.success(),
        "git {}: {}",
        arguments[0],
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The crates with code that the lines name: paths, behind a mark of their state or not.
fn changed_crates(lines: &str) -> BTreeSet<String> {
    let of_line = |line: &str| {
        let path = line.rsplit(' ').next()?;
        let mut parts = path.split('/');
        match parts.next()? {
            "crates" => parts.next().map(str::to_owned),
            "xtask" => Some("xtask".to_owned()),
            _ => None,
        }
    };
    lines.lines().filter_map(of_line).collect()
}

fn lint_for_windows(root: &Path) -> anyhow::Result<Outcome> {
    if !setup::has_windows_target() {
        return Ok(Outcome::Skipped(format!("the target {WINDOWS_TARGET} is not installed")));
    }
    let lints =
        ["--workspace", "--all-targets", "--target", WINDOWS_TARGET, "--locked", "--", "-D", "warnings"];
    cargo(root, &[["clippy"].as_slice(), &lints].concat())
}

/// Licences, sources and bans, and advisories against a database that is there already: a check that fetches is another one every day.
fn check_dependencies(root: &Path) -> anyhow::Result<Outcome> {
    if find_program("cargo-deny").is_none() {
        return Ok(Outcome::Skipped("cargo-deny is not installed".to_owned()));
    }
    let deny = |arguments: &[&str]| cargo(root, &[&["deny", "--offline"], arguments].concat());
    let outcome = deny(&["--workspace", "check", "licenses", "sources", "bans"])?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    match outcome {
        Outcome::Passed if home.is_some_and(|home| home.join("advisory-dbs").is_dir()) => {
            deny(&["check", "advisories"])
        }
        Outcome::Passed => {
            Ok(Outcome::PassedWithout(vec!["there is no advisory database on this host".to_owned()]))
        }
        outcome => Ok(outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_step_in_order() {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        assert!(USAGE.contains(&format!("Steps: {}\n", names.join(", "))), "{names:?}");
    }

    #[test]
    fn changed_crates_are_those_of_changed_new_and_deleted_files() {
        let status = " M crates/iotrial/src/main.rs\n?? crates/iotrial-engine/x.rs\nD  crates/iotrial-host/a.rs\nA  crates/iotrial-model/a.rs\n D xtask/src/a.rs\n M README.md\n";
        let crates: Vec<String> = changed_crates(status).into_iter().collect();
        assert_eq!(crates, ["iotrial", "iotrial-engine", "iotrial-host", "iotrial-model", "xtask"]);
        assert_eq!(
            changed_crates("docs/a.md\ncrates/iotrial/a.rs\n").into_iter().collect::<Vec<_>>(),
            ["iotrial"]
        );
    }
}
