//! The program on Windows, as a user runs it there: `cargo xtask test` runs this under Wine.

#![cfg(windows)]
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::io::{BufRead as _, BufReader};

use serde_json::Value;
use support::Bench;

/// Runs a profile for some seconds on a small folder, and gives what is said of it as JSON.
fn run(bench: &Bench, profile: &str, more: &[&str]) -> Value {
    let arguments =
        ["run", profile, "--target", "data", "--size", "48MiB", "--ramp", "1s", "--duration", "3s", "--json"];
    let ran = bench.run(&[&arguments[..], more].concat());
    assert!(ran.code == 0 || ran.code == 4, "{}\n{}", ran.code, ran.stderr);
    ran.json()
}

#[test]
fn a_run_ends_with_an_outcome_a_page_and_a_record_that_reads() {
    let bench = Bench::new();
    let ran = run(&bench, "sqlserver-oltp", &["--closed"]);
    assert_eq!(ran["ended"], "complete");
    assert!(ran["verdict"]["outcome"].is_string(), "{}", ran["verdict"]);
    assert!(std::path::Path::new(ran["report"].as_str().unwrap()).is_file());
    assert!(bench.data_files().is_empty(), "its files are removed");
    let records = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!(records.as_array().unwrap().len(), 1);
    let shown = bench.run(&["report", records[0]["id"].as_str().unwrap(), "--json"]).json();
    assert_eq!(shown["total"]["read"]["io_count"], ran["total"]["read"]["io_count"]);
}

#[test]
fn completion_ports_keep_as_many_under_way_as_asked_by_littles_law() {
    let bench = Bench::new();
    for (profile, direction) in [("oci-64k-randread", "read"), ("oci-64k-randwrite", "write")] {
        let ran = run(&bench, profile, &["--closed", "--engine", "iocp"]);
        let stream = &ran["total"][direction];
        let iops = stream["iops"].as_f64().unwrap();
        let mean_s = stream["lat_mean_us"].as_f64().unwrap() / 1e6;
        let outstanding = iops * mean_s;
        assert!((outstanding / 128.0 - 1.0).abs() < 0.03, "{outstanding} of 128: {stream}");
        assert_eq!(stream["error_count"].as_u64().unwrap_or(0), 0, "{stream}");
    }
}

#[test]
fn a_mix_of_sizes_and_directions_is_the_profiles_on_either_engine() {
    let bench = Bench::new();
    for engine in ["iocp", "threads"] {
        let ran = run(&bench, "oci-64k-randrw", &["--closed", "--engine", engine]);
        let count = |direction: &str| ran["total"][direction]["io_count"].as_f64().unwrap();
        let share = count("read") / (count("read") + count("write"));
        assert!((share - 0.4).abs() < 0.01, "{engine}: {share}");
    }
}

#[test]
fn a_killed_run_leaves_a_readable_record_and_files_that_clean_removes() {
    let bench = Bench::new();
    let arguments = [
        "run",
        "oci-64k-randread",
        "--closed",
        "--target",
        "data",
        "--size",
        "48MiB",
        "--ramp",
        "0s",
        "--duration",
        "60s",
        "--json",
    ];
    let mut child = bench.command(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("measure: ETA")), "the run never measured");
    child.kill().unwrap();
    child.wait().unwrap();
    let records = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!(records[0]["ended"], "interrupted");
    assert!(!bench.data_files().is_empty());
    bench.run(&["clean", "data", "--yes"]).expect_code(0);
    assert!(bench.data_files().is_empty());
}

#[test]
fn what_windows_does_not_have_is_refused_with_its_reason() {
    let bench = Bench::new();
    let check = |arguments: &[&str], words: &str| {
        let ran = bench.run(arguments);
        assert!(ran.code == 2 || ran.code == 3, "{}: {}", ran.code, ran.stderr);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
        assert!(bench.data_files().is_empty());
    };
    check(&["run", "oci-64k-randread", "--target", "data", "--engine", "uring"], "uring");
    check(&["run", "oci-64k-randread", "--target", "data", "--polled"], "poll");
    check(&["run", "oci-64k-randwrite", "--target", r"\\.\PhysicalDrive0"], "PhysicalDrive0");
}
