//! A step of a task: a name, what it does, and how it came out.

use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Instant;

use anyhow::Context as _;

use crate::workspace::build_folder;

/// How a step came out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// What was not checked although the rest passed, with the reasons.
    PassedWithout(Vec<String>),
    /// What it said has been shown already.
    Failed,
    /// Why it could not be run here.
    Skipped(String),
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Self::Passed | Self::PassedWithout(_) => "passed",
            Self::Failed => "FAILED",
            Self::Skipped(_) => "skipped",
        }
    }
}

/// One thing to be checked.
pub(crate) struct Step {
    /// Shown before and after.
    pub(crate) name: &'static str,
    /// Does it, in the folder of the workspace.
    pub(crate) run: fn(&Path) -> anyhow::Result<Outcome>,
    /// Whether the steps after it need not wait for it: for one that waits more than it computes, and needs nothing of them.
    pub(crate) in_background: bool,
}

/// A step that has ended.
struct Ended {
    name: &'static str,
    outcome: Outcome,
    seconds: f64,
}

impl Step {
    fn carry_out(&self, root: &Path) -> Ended {
        println!("\n== {}", self.name);
        let start = Instant::now();
        let outcome = (self.run)(root).unwrap_or_else(|error| {
            println!("error: {error:#}");
            Outcome::Failed
        });
        let seconds = start.elapsed().as_secs_f64();
        println!("-- {}: {} in {seconds:.1} s", self.name, outcome.word());
        Ended { name: self.name, outcome, seconds }
    }
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
            Outcome::Passed | Outcome::PassedWithout(_) => self.passed += 1,
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

/// Runs all steps, whatever becomes of each. Says at the end what was skipped and how long each step took, now and the last time.
pub(crate) fn run_all(steps: &[&Step], root: &Path) -> ExitCode {
    run_and_keep(steps, root, &build_folder(root).join("xtask-seconds.tsv"))
}

fn run_and_keep(steps: &[&Step], root: &Path, kept: &Path) -> ExitCode {
    let last_time = fs::read_to_string(kept).unwrap_or_default();
    let start = Instant::now();
    let ended: Vec<Ended> = thread::scope(|scope| {
        let (mut ended, mut background) = (Vec::new(), Vec::new());
        for step in steps {
            if step.in_background {
                background.push(scope.spawn(|| step.carry_out(root)));
            } else {
                ended.push(step.carry_out(root));
            }
        }
        // A panic of theirs is one of this thread, as it is of the others.
        ended.extend(
            background.into_iter().map(|running| running.join().unwrap_or_else(|panic| resume_unwind(panic))),
        );
        ended
    });
    let (mut tally, mut skipped) = (Tally::default(), Vec::new());
    println!("\n{:<14}{:<9}{:>9}{:>11}", "step", "", "seconds", "last time");
    for Ended { name, outcome, seconds } in &ended {
        tally.add(outcome);
        match outcome {
            Outcome::PassedWithout(reasons) => skipped.extend(reasons.iter().map(|reason| (name, reason))),
            Outcome::Skipped(reason) => skipped.push((name, reason)),
            Outcome::Passed | Outcome::Failed => {}
        }
        let before = seconds_of(&last_time, name).map_or("-".to_owned(), |before| format!("{before:.1}"));
        println!("{name:<14}{:<9}{seconds:>9.1}{before:>11}", outcome.word());
    }
    println!("{:<23}{:>9.1}", "all", start.elapsed().as_secs_f64());
    // Only for the next time; a folder that cannot be written fails no check.
    let _ = fs::write(kept, with_rows(&last_time, &ended));
    if !skipped.is_empty() {
        println!("\nnot checked:");
        skipped.iter().for_each(|(name, reason)| println!("  {name}: {reason}"));
    }
    let failed: Vec<&str> =
        ended.iter().filter(|one| one.outcome == Outcome::Failed).map(|one| one.name).collect();
    if !failed.is_empty() {
        println!("\nfailed: {}", failed.join(", "));
    }
    println!("{tally}");
    tally.exit_code()
}

/// The seconds of a step in a kept table.
fn seconds_of(table: &str, step: &str) -> Option<f64> {
    let mut rows = table.lines().filter_map(|line| line.split_once('\t'));
    rows.find(|(name, _)| *name == step).and_then(|(_, seconds)| seconds.parse().ok())
}

/// A kept table with new seconds; steps that were not run keep theirs.
fn with_rows(table: &str, ended: &[Ended]) -> String {
    let is_new = |line: &&str| ended.iter().any(|one| line.split('\t').next() == Some(one.name));
    let old = table.lines().filter(|line| !is_new(line)).map(|line| format!("{line}\n"));
    let new = ended.iter().map(|one| format!("{}\t{:.1}\n", one.name, one.seconds));
    old.chain(new).collect()
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
        let breaks = Step { name: "breaks", run: |_| anyhow::bail!("no such folder"), in_background: false };
        let breaks_in_background = Step { in_background: true, ..breaks };
        let works = Step { name: "works", run: |_| Ok(Outcome::Passed), in_background: false };
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("seconds.tsv");
        let run = |steps: &[&Step]| run_and_keep(steps, Path::new("."), &kept);
        assert_eq!(run(&[&breaks, &works]), ExitCode::FAILURE);
        assert_eq!(run(&[&breaks_in_background, &works]), ExitCode::FAILURE);
        assert_eq!(run(&[&works]), ExitCode::SUCCESS);
    }

    #[test]
    fn the_seconds_of_a_step_replace_those_of_the_last_time_and_no_others() {
        let kept = with_rows(
            "fmt\t3.0\nclippy\t90.5\n",
            &[Ended { name: "fmt", outcome: Outcome::Passed, seconds: 2.04 }],
        );
        assert_eq!(kept, "clippy\t90.5\nfmt\t2.0\n");
        assert_eq!((seconds_of(&kept, "clippy"), seconds_of(&kept, "test")), (Some(90.5), None));
    }
}
