//! What the program says of itself.

#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "a test, which says what it skips")]

mod support;

use support::Bench;

#[test]
fn completions_come_for_every_shell() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = bench.run(&["completions", shell]).expect_code(0).stdout;
        assert!(script.contains("iotrial") && script.contains("dry-run"), "{shell}");
    }
}

#[test]
fn man_pages_are_written_for_every_command() {
    let bench = Bench::new();
    bench.run(&["man", "data"]).expect_code(0);
    for page in ["iotrial.1", "iotrial-run.1", "iotrial-target.1"] {
        let text = std::fs::read_to_string(bench.data().join(page)).unwrap();
        assert!(text.contains(".TH iotrial"), "{page}");
    }
}

#[test]
fn profiles_are_listed_and_printed() {
    let bench = Bench::new();
    let list = bench.run(&["profiles"]).expect_code(0).stdout;
    let json = bench.run(&["profiles", "--json"]).expect_code(0).json();
    assert_eq!(list.lines().count(), json.as_array().unwrap().len());
    for profile in json.as_array().unwrap() {
        let name = profile["name"].as_str().unwrap();
        assert!(bench.run(&["profiles", name]).expect_code(0).stdout.contains(&format!("name = \"{name}\"")));
    }
}

#[test]
fn alone_without_a_terminal_it_prints_its_help_and_fails() {
    let ran = Bench::new().run(&[]).expect_code(2);
    assert!(ran.stderr.contains("Usage: iotrial"), "{}", ran.stderr);
}
