//! Tests as the checks run them: what failed is shown, and what was skipped is noted.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::step::Outcome;

/// Runs a program of tests, and notes which of them said that they skip; its arguments end with `--show-output`.
pub(crate) fn run_tests(command: &mut Command) -> anyhow::Result<Outcome> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {command:?}"))?;
    let mut shown = ShownTests::default();
    for line in BufReader::new(child.stdout.take().context("its output is piped")?).split(b'\n') {
        if let Some(line) = shown.of_line(&String::from_utf8_lossy(&line?)) {
            println!("{line}");
        }
    }
    if !child.wait()?.success() {
        shown.skipped.iter().for_each(|one| println!("skipped: {one}"));
        return Ok(Outcome::Failed);
    }
    let skipped: Vec<String> = shown.skipped.into_iter().collect();
    Ok(if skipped.is_empty() { Outcome::Passed } else { Outcome::PassedWithout(skipped) })
}

/// What of the output of tests is shown, and what was skipped.
#[derive(Debug, Default)]
struct ShownTests {
    is_of_success: bool,
    skipped: BTreeSet<String>,
}

impl ShownTests {
    /// The line, unless it is what a test that passed has printed.
    fn of_line<'l>(&mut self, line: &'l str) -> Option<&'l str> {
        match line {
            "successes:" => self.is_of_success = true,
            "failures:" => self.is_of_success = false,
            line if line.starts_with("test result: ") => self.is_of_success = false,
            line if self.is_of_success && is_skip(line) => {
                self.skipped.insert(line.trim_start_matches("skipped: ").to_owned());
            }
            _ => {}
        }
        (!self.is_of_success).then_some(line)
    }
}

/// The forms in which tests say that they skip.
fn is_skip(line: &str) -> bool {
    line.starts_with("skipped: ") || line.starts_with("skipped for ") || line.contains(": skipped, ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_is_silent_and_what_was_skipped_is_noted_and_failures_are_shown() {
        let output = "test a ... ok\n\nsuccesses:\n\n---- a stdout ----\nskipped: no such disk\nb_needs_root: skipped, because it needs root\nnoise\n\nsuccesses:\n    a\n\nfailures:\n\n---- c stdout ----\nskipped: it was not\n\ntest result: FAILED";
        let mut tests = ShownTests::default();
        let shown: Vec<&str> = output.lines().filter_map(|line| tests.of_line(line)).collect();
        assert_eq!(
            shown,
            [
                "test a ... ok",
                "",
                "failures:",
                "",
                "---- c stdout ----",
                "skipped: it was not",
                "",
                "test result: FAILED"
            ]
        );
        let skipped: Vec<&str> = tests.skipped.iter().map(String::as_str).collect();
        assert_eq!(skipped, ["b_needs_root: skipped, because it needs root", "no such disk"]);
    }
}
