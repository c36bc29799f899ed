//! Bad input and faults: one clear error with a hint, the right exit code, nothing written.

#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "a test, which says what it skips")]

mod support;

use std::io::{BufRead, BufReader};
use std::process::Child;

use serde_json::Value;
use support::{Bench, Ran};

#[track_caller]
fn refused(bench: &Bench, arguments: &[&str], code: i32, parts: &[&str]) {
    let before = bench.data_files();
    let ran = bench.run(arguments).expect_code(code);
    for part in parts {
        assert!(ran.stderr.contains(part), "`{part}` is missing in:\n{}", ran.stderr);
    }
    assert_eq!((ran.stdout.as_str(), bench.data_files()), ("", before));
    assert!(bench.stored(".json").is_empty() && bench.stored(".journal").is_empty());
}

#[test]
fn wrong_words_on_the_command_line_are_refused_with_the_right_ones() {
    let bench = Bench::new();
    let check = |arguments: &[&str], parts: &[&str]| refused(&bench, arguments, 2, parts);
    check(
        &["run", "sqlserver-oltb"],
        &["no profile `sqlserver-oltb`", "hint: did you mean `sqlserver-oltp`?"],
    );
    check(&["run", "./absent.toml"], &["cannot read the profile `./absent.toml`", "No such file", "hint:"]);
    check(&["run", "--size", "2"], &["no unit", "GiB"]);
    check(&["run", "--size", "2XiB"], &["unknown unit `XiB`"]);
    check(&["run", "--size", "0k"], &["more than zero", "hint:"]);
    check(&["run", "--size=-1GiB"], &["zero or more"]);
    check(&["run", "--duration", "20"], &["no unit", "ms, s, m"]);
    check(&["run", "--duration", "0s"], &["longer than zero"]);
    check(&["run", "--engine", "libaio"], &["possible values: uring, threads"]);
    check(&["run", "--attribute", "volumes"], &["KEY=VALUE"]);
    check(&["run", "--thresholds", "flahs"], &["flahs", "hint: did you mean `flash`?"]);
    check(&["run", "--size", "4k"], &["4 KiB", "hint: give a larger --size"]);
    check(&["run", "--destroy", "0123"], &["more --destroy tokens than raw devices"]);
    check(&["report", "01ABC"], &["neither a file nor a record", "hint: `iotrial records`"]);
}

#[test]
fn mistakes_in_a_profile_are_all_named_with_their_places() {
    let bench = Bench::new();
    let text = bench.run(&["profiles", "sqlserver-log"]).expect_code(0).stdout;
    let text = text.replace("block_size", "blok_size").replace("iodepth = ", "iodepth = -");
    std::fs::write(bench.path().join("mine.toml"), &text).unwrap();
    let line = text.lines().position(|line| line.starts_with("blok_size")).unwrap() + 1;
    let place = format!("line {line}, column 1: unknown key `blok_size` (did you mean `block_size`?)");
    refused(
        &bench,
        &["run", "./mine.toml"],
        2,
        &[&place, "`iodepth` must be from 1 to 4096", "hint: docs/profiles.md"],
    );
}

#[test]
fn targets_that_cannot_be_used_are_refused_with_the_reason() {
    let bench = Bench::new();
    let run = |target: &str, parts: &[&str]| {
        refused(&bench, &["run", "--target", target, "--size", "32MiB"], 3, parts)
    };
    run("absent/below", &["absent", "hint:"]);
    run("/dev/sdzz", &["/dev/sdzz", "hint:"]);
    run("/proc", &["/proc", "hint:"]);
    std::fs::write(bench.path().join("notes.txt"), "mine").unwrap();
    run("notes.txt", &["notes.txt", "hint:"]);
    assert_eq!(std::fs::read_to_string(bench.path().join("notes.txt")).unwrap(), "mine");
    refused(&bench, &["run", "--target", "data", "--size", "9000TiB"], 3, &["may be used", "hint:"]);
    let foreign = bench.data().join("sql-log.iotrial");
    std::fs::write(&foreign, "a database's log").unwrap();
    run("data", &["sql-log.iotrial", "hint:"]);
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "a database's log");
}

/// A run that goes on for a minute, seen to be in its measured phase.
fn running(bench: &Bench, more: &[&str]) -> Child {
    let arguments =
        ["run", "--target", "data", "--size", "32MiB", "--ramp", "0s", "--duration", "60s", "--json"];
    let mut child = bench.command(&[&arguments[..], more].concat()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("measure: ETA")), "the run never measured");
    // Whoever writes into a closed pipe is told so; the program must not mind.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

fn signal(child: &Child, name: &str) {
    let status = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[cfg(unix)]
#[test]
fn a_killed_run_leaves_a_readable_record_up_to_the_last_interval() {
    let bench = Bench::new();
    let mut child = running(&bench, &[]);
    assert_eq!(bench.stored(".journal").len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let records = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!(records[0]["ended"], "interrupted");
    assert_eq!(bench.stored(".journal").len(), 0);
    let shown = bench.run(&["report", records[0]["id"].as_str().unwrap(), "--json"]).expect_code(3).json();
    assert!(shown["measured_s"].as_f64().unwrap() >= 4.0, "{}", shown["measured_s"]);
    assert!(shown["total"]["read"]["io_count"].as_u64().unwrap() > 0);
    // Its files are still there; the next command finds and removes them.
    assert!(!bench.data_files().is_empty());
    bench.run(&["clean", "data", "--yes"]).expect_code(0);
    assert!(bench.data_files().is_empty());
}

#[cfg(unix)]
#[test]
fn a_signal_stops_cleanly_and_two_end_at_once_both_with_a_record() {
    for names in [&["-INT"][..], &["-TERM"], &["-INT", "-INT"]] {
        let bench = Bench::new();
        let child = running(&bench, &[]);
        names.iter().for_each(|name| signal(&child, name));
        let ran = Ran::from(child.wait_with_output().unwrap()).expect_code(3);
        let summary: Value = ran.json();
        assert_eq!(summary["ended"], "interrupted", "{names:?}");
        assert_eq!(summary["verdict"]["qualified"], false);
        assert!(bench.data_files().is_empty(), "{names:?}");
        assert_eq!((bench.stored(".iotrial.json").len(), bench.stored(".journal").len()), (1, 0));
    }
}

#[test]
fn a_damaged_index_is_made_anew_and_a_damaged_record_is_named() {
    let bench = Bench::new();
    bench.run(&["run", "--engine", "sim", "--duration", "1s", "--quiet", "--json"]);
    assert_eq!(bench.run(&["records", "--json"]).json().as_array().unwrap().len(), 1);
    std::fs::write(bench.store().join("index.sqlite"), "no database").unwrap();
    assert_eq!(bench.run(&["records", "--json"]).json().as_array().unwrap().len(), 1);
    std::fs::remove_file(bench.store().join("index.sqlite")).unwrap();
    std::fs::write(bench.store().join("01X.iotrial.json"), "{}").unwrap();
    let ran = bench.run(&["records", "--json"]).expect_code(0);
    assert_eq!(ran.json().as_array().unwrap().len(), 1);
    assert!(ran.stderr.contains("01X.iotrial.json"), "{}", ran.stderr);
}
