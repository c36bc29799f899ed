//! The examples for CI, as a CI system runs them: on the simulated device, so that nothing depends on this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Bench, Ran};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ci");

fn example(name: &str) -> String {
    let path = Path::new(EXAMPLES).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A line for the shell as a step of a job runs it, in the folder of the project, with the results in the bench.
fn step(bench: &Bench, line: &str, environment: &[(&str, &str)]) -> Ran {
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", line]).current_dir(Path::new(EXAMPLES).join("../.."));
    for outside in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "UNDECIDED", "IOTRIAL_STORE"] {
        shell.env_remove(outside);
    }
    shell.env("IOTRIAL", env!("CARGO_BIN_EXE_iotrial")).env("RESULTS", results(bench));
    shell.envs(environment.iter().copied()).stdin(Stdio::null());
    Ran::from(shell.output().unwrap())
}

fn results(bench: &Bench) -> PathBuf {
    bench.path().join("results")
}

fn result(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(results(bench).join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A simulated device that does 2,000 I/Os per second.
fn gate(bench: &Bench, more: &str, environment: &[(&str, &str)]) -> Ran {
    let sim = "--engine sim --seed 1 --closed --ramp 1s --sim service_time_us=500,parallelism=1";
    step(bench, &format!("sh examples/ci/gate.sh {sim} {more}"), environment)
}

#[test]
fn a_gate_that_passes_is_exit_code_0_and_one_that_fails_is_1_and_both_are_in_summary_and_junit() {
    let bench = Bench::new();
    let page = bench.path().join("page.md");
    let page_of_job = [("GITHUB_STEP_SUMMARY", page.to_str().unwrap()), ("GITHUB_ACTIONS", "true")];
    gate(&bench, "--duration 8s --gate 'data.read.mean < 1s'", &page_of_job).expect_code(0);
    let kept = result(&bench, "summary.md");
    assert!(kept.contains("| data.read.mean &lt; 1s |") && kept.contains("✓ passed"), "{kept}");
    assert!(result(&bench, "gates.xml").contains("tests=\"1\" failures=\"0\""));
    assert!(result(&bench, "report.html").starts_with("<!doctype html>"));

    let missed = gate(&bench, "--duration 8s --gate 'data.read.mean < 1us'", &page_of_job).expect_code(1);
    assert!(!missed.stdout.contains("::warning::"), "{}", missed.stdout);
    let summary = result(&bench, "summary.md");
    assert!(summary.contains("✗ failed"), "{summary}");
    assert!(result(&bench, "gates.xml").contains("<failure message=\"data.read.mean &lt; 1us failed"));
    // Every step of a job writes into the same page.
    assert_eq!(std::fs::read_to_string(&page).unwrap(), kept + &summary);
    assert!(
        summary.contains("**inconclusive**") && summary.contains("the device was simulated"),
        "{summary}"
    );
}

/// A 99.9th percentile takes more I/Os than a second of such a device has.
const UNDECIDED: &str = "--duration 1s --gate 'data.read.p99.9 < 100s'";

#[test]
fn a_gate_that_cannot_be_decided_is_exit_code_4_and_a_warning_and_passes_where_the_job_says_so() {
    let bench = Bench::new();
    let elsewhere = gate(&bench, UNDECIDED, &[]).expect_code(4);
    assert!(
        elsewhere.stderr.ends_with(
            "warning: storage: no gate failed, but not all could be decided; measure longer, or again\n"
        ),
        "{}",
        elsewhere.stderr
    );
    assert!(result(&bench, "summary.md").contains("? undecided"));
    // The inconclusive verdict would end with the same code.
    assert!(elsewhere.stdout.ends_with("? gates: 1 undecided\n"), "{}", elsewhere.stdout);
    assert!(result(&bench, "gates.xml").contains("skipped=\"1\""));
    let on_github =
        gate(&bench, UNDECIDED, &[("GITHUB_ACTIONS", "true"), ("UNDECIDED", "pass")]).expect_code(0);
    assert!(on_github.stdout.contains("\n::warning::storage: "), "{}", on_github.stdout);
}

#[test]
fn a_job_that_measures_nothing_fails_and_shows_no_summary_of_an_earlier_one() {
    let bench = Bench::new();
    let page = bench.path().join("page.md");
    let page_of_job = [("GITHUB_STEP_SUMMARY", page.to_str().unwrap())];
    gate(&bench, "--duration 8s --gate 'data.read.mean < 1s'", &[]).expect_code(0);
    gate(&bench, "--duration 8s --gate 'nothing.read.mean < 1s'", &page_of_job).expect_code(2);
    assert!(!page.exists() && !results(&bench).join("gates.xml").exists());
}

/// The line of a job that calls the script, as it is in the file.
fn call(file: &str, before: &str) -> String {
    let text = example(file);
    let lines: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(before))
        .filter(|line| line.contains("gate.sh"))
        .collect();
    assert_eq!(lines.len(), 1, "{file}: {lines:?}");
    lines[0].to_owned()
}

#[test]
fn the_jobs_in_the_examples_run_as_they_stand() {
    for (file, before) in [("github.yml", "run: "), ("gitlab.yml", "- ")] {
        let bench = Bench::new();
        let folder = bench.data();
        let line = call(file, before).replace("/mnt/data", "\"$TARGET\"");
        assert!(line.contains("--target \"$TARGET\""), "{line}");
        // What is asked for is a device that does it; the load and the gates are those of the file.
        let line = format!(
            "{line} --engine sim --seed 1 --duration 20s --ramp 1s --sim service_time_us=500,parallelism=4"
        );
        let ran = step(&bench, &line, &[("TARGET", folder.to_str().unwrap())]).expect_code(0);
        // The verdict on a simulated device is inconclusive, and the gates decide.
        let last =
            "✓ gates: 2 passed; the exit code is that of the gates, not of the verdict (inconclusive)\n";
        assert!(ran.stdout.ends_with(last), "{}", ran.stdout);
    }
}
