//! A step of a task: a name, what it does, and how it came out.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::Context as _;

/// How a step came out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// What it said has been shown already.
    Failed,
    /// Why it could not be run here.
    Skipped(String),
}

/// One thing to be checked.
pub(crate) struct Step {
    /// Shown before and after.
    pub(crate) name: &'static str,
    /// Does it, in the folder of the workspace.
    pub(crate) run: fn(&Path) -> anyhow::Result<Outcome>,
}

/// How many steps came out in which way.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    passed: u32,
    failed: u32,
    skipped: u32,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Skipped(_) => self.skipped += 1,
        }
    }

    fn exit_code(&self) -> ExitCode {
        if self.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "xtask: {} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// Runs all steps, whatever becomes of each, and counts how they came out.
pub(crate) fn run_all(steps: &[Step], root: &Path) -> ExitCode {
    let mut tally = Tally::default();
    let mut failed = Vec::new();
    for step in steps {
        println!("\n== {}", step.name);
        let start = Instant::now();
        let outcome = (step.run)(root).unwrap_or_else(|error| {
            println!("error: {error:#}");
            Outcome::Failed
        });
        let seconds = start.elapsed().as_secs_f64();
        match &outcome {
            Outcome::Passed => println!("-- {}: passed in {seconds:.1} s", step.name),
            Outcome::Failed => println!("-- {}: FAILED after {seconds:.1} s", step.name),
            Outcome::Skipped(reason) => println!("-- {}: skipped, {reason}", step.name),
        }
        if outcome == Outcome::Failed {
            failed.push(step.name);
        }
        tally.add(&outcome);
    }
    println!();
    if !failed.is_empty() {
        println!("failed: {}", failed.join(", "));
    }
    println!("{tally}");
    tally.exit_code()
}

/// Runs a program to its end, with its output shown.
///
/// # Errors
///
/// When it could not be started.
pub(crate) fn shown(command: &mut Command) -> anyhow::Result<Outcome> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    Ok(if status.success() { Outcome::Passed } else { Outcome::Failed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_makes_the_whole_fail_and_every_step_is_counted() {
        let mut tally = Tally::default();
        tally.add(&Outcome::Passed);
        tally.add(&Outcome::Skipped("no such tool".to_owned()));
        assert_eq!(tally.exit_code(), ExitCode::SUCCESS);
        tally.add(&Outcome::Failed);
        assert_eq!(tally.exit_code(), ExitCode::FAILURE);
        assert_eq!(tally.to_string(), "xtask: 1 passed, 1 failed, 1 skipped");
    }

    #[test]
    fn a_step_that_cannot_run_has_failed_and_the_next_one_runs_all_the_same() {
        let steps = [
            Step { name: "breaks", run: |_| anyhow::bail!("no such folder") },
            Step { name: "works", run: |_| Ok(Outcome::Passed) },
        ];
        assert_eq!(run_all(&steps, Path::new(".")), ExitCode::FAILURE);
        assert_eq!(run_all(&steps[1..], Path::new(".")), ExitCode::SUCCESS);
    }
}
