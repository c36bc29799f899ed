//! `--json-stream` of run, sweep and study: a load in JSON Lines while it is made.

use std::io::{BufRead as _, BufReader, Read as _};

use crate::support::{Bench, Ran};
use serde_json::Value;

/// A load on a simulated device, whose seconds pass at once.
const SIM: [&str; 10] =
    ["run", "--closed", "--engine", "sim", "--seed", "7", "--ramp", "1s", "--duration", "6s"];

/// As [`SIM`], on a device so slow that its seconds cost nothing.
const SLOW: [&str; 10] = [
    "run",
    "--closed",
    "--engine",
    "sim",
    "--sim",
    "service_time_us = 100000, parallelism = 1",
    "--seed",
    "7",
    "--ramp",
    "1s",
];

fn lines(stdout: &str) -> Vec<Value> {
    assert!(stdout.ends_with('\n'), "{stdout}");
    let one = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    stdout.lines().map(one).collect()
}

fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["kind"].as_str().unwrap()).collect()
}

fn of_kind<'l>(lines: &'l [Value], kind: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["kind"] == kind).collect()
}

#[test]
fn a_run_tells_every_second_and_ends_with_the_document_of_json() {
    let bench = Bench::new();
    let document = bench.run(&[&SIM[..], &["--json"]].concat());
    let streamed = bench.run(&[&SIM[..], &["--json-stream"]].concat()).expect_code(document.code);
    let lines = lines(&streamed.stdout);
    let mut expected = vec!["load"];
    expected.extend(["interval"; 7]);
    expected.extend(["load-end", "summary"]);
    assert_eq!(kinds(&lines), expected);
    let intervals = of_kind(&lines, "interval");
    let phases: Vec<&str> = intervals.iter().map(|one| one["phase"].as_str().unwrap()).collect();
    assert_eq!(phases, ["ramp", "measure", "measure", "measure", "measure", "measure", "measure"]);
    assert_eq!(intervals.last().unwrap()["left_s"], 0.0);
    // What is told second by second adds up to what is told at the end.
    let mut last = lines.last().unwrap().clone();
    let count = |one: &Value| one["roles"]["data"]["read"]["io_count"].as_u64().unwrap();
    let measured = intervals.iter().copied().filter(|one| one["phase"] == "measure");
    let sum: u64 = measured.map(count).sum();
    assert!(sum > 0 && sum == count(&last), "{sum} {last:#}");
    let end = of_kind(&lines, "load-end")[0];
    for key in ["total", "together", "roles", "jobs", "measured_s", "ended"] {
        assert_eq!(end[key], last[key], "{key}");
    }
    // The same load gives the same document; only where it is kept differs.
    let mut document = document.json();
    last.as_object_mut().unwrap().remove("kind").unwrap();
    for one in [&mut last, &mut document] {
        for key in ["record", "report"] {
            one.as_object_mut().unwrap().remove(key).unwrap();
        }
    }
    assert_eq!(last["jobs"], document["jobs"]);
    let keys = |one: &Value| one.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&last), keys(&document));
    assert!(streamed.stderr.contains("measure, "), "progress stays on standard error: {}", streamed.stderr);
}

#[test]
fn a_reader_that_goes_away_ends_the_stream_and_not_the_run() {
    let bench = Bench::new();
    let load = [&SLOW[..], &["--duration", "1000s"]].concat();
    let alone = bench.run(&[&load[..], &["--quiet"]].concat());
    let mut child =
        bench.command(&[&load[..], &["--json-stream", "--label", "left alone"]].concat()).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    assert!(first.starts_with("{\"kind\":\"load\",\"line\":1,"), "{first}");
    drop(reader);
    let ran = Ran::from(child.wait_with_output().unwrap()).expect_code(alone.code);
    assert!(!ran.stderr.contains("error"), "{}", ran.stderr);
    let kept = bench.run(&["report", "left alone", "--json"]).json();
    assert_eq!((&kept["ended"], &kept["measured_s"]), (&"complete".into(), &1000.0.into()));
}

#[test]
fn a_reader_that_is_slow_delays_no_load_and_sees_the_gap() {
    let bench = Bench::new();
    let mut child = bench
        .command(&[&SLOW[..], &["--duration", "4000s", "--json-stream", "--quiet"]].concat())
        .spawn()
        .unwrap();
    // Nobody reads until the record is there: more lines than anybody keeps for a reader.
    let begin = std::time::Instant::now();
    let is_kept = || bench.run(&["records", "--json"]).json()[0]["ended"] == "complete";
    while !is_kept() {
        assert!(begin.elapsed().as_secs() < 300, "the run waits for its reader");
    }
    let mut all = String::new();
    child.stdout.take().unwrap().read_to_string(&mut all).unwrap();
    child.wait().unwrap();
    let lines = lines(&all);
    assert_eq!(lines.last().unwrap()["kind"], "summary");
    // Every line is either there or counted as left out: a load, its second of ramp, its intervals (2 s each in so long a load), its end,
    // and the line about what was left out.
    let left_out = of_kind(&lines, "left-out")[0];
    let numbers: Vec<u64> = lines.iter().filter_map(|line| line["line"].as_u64()).collect();
    assert!(numbers.is_sorted() && numbers.len() < 2_000, "{}", numbers.len());
    let all = numbers.len() as u64 + left_out["line_count"].as_u64().unwrap();
    assert_eq!((all, left_out["line"].as_u64()), (1 + 1 + 2_000 + 1 + 1, Some(all)));
}

#[test]
fn a_sweep_tells_its_probes_and_a_study_its_runs() {
    let bench = Bench::new();
    let sweep = ["sweep", "--engine", "sim", "--pattern", "randread-8k", "--grid", "1,4", "--step", "2s"];
    let all = lines(&bench.run(&[&sweep[..], &["--json-stream"]].concat()).expect_code(0).stdout);
    let last = all.last().unwrap();
    assert_eq!(last["kind"], "summary");
    let probes = last["curves"][0]["probes"].as_array().unwrap();
    let (loads, ends) = (of_kind(&all, "load"), of_kind(&all, "load-end"));
    assert_eq!((loads.len(), ends.len()), (probes.len(), probes.len()));
    for ((load, end), probe) in loads.iter().zip(&ends).zip(probes) {
        assert_eq!((&load["iodepth"], &load["load"]), (&probe["outstanding"], &end["load"]));
        assert_eq!(end["total"]["read"]["iops"], probe["iops"]);
        assert_eq!(load["jobs"][0]["pattern"], "random");
    }
    std::fs::write(
        bench.path().join("two.toml"),
        r#"
format = "iotrial.study/1"
name = "speed"
title = "Slow or fast"
profiles = ["sqlserver-log"]
repeats = 2
[load]
engine = "sim"
ramp = "0s"
duration = "2s"
[[configuration]]
label = "slow"
sim = { service_time_us = 8000.0 }
[[configuration]]
label = "fast"
sim = { service_time_us = 2000.0 }
"#,
    )
    .unwrap();
    let all = lines(&bench.run(&["study", "two.toml", "--json-stream"]).expect_code(0).stdout);
    let mut labels: Vec<&str> =
        of_kind(&all, "load-end").iter().map(|end| end["label"].as_str().unwrap()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["fast", "fast", "slow", "slow"]);
    let last = all.last().unwrap();
    assert_eq!((&last["kind"], &last["complete"]), (&"summary".into(), &true.into()));
}

#[test]
fn two_things_for_standard_output_are_refused() {
    let bench = Bench::new();
    for more in [&["--json"][..], &["--dry-run"], &["--html", "-"]] {
        let refused = bench.run(&[&SIM[..], &["--json-stream"], more].concat()).expect_code(2);
        assert!(refused.stderr.contains("--json-stream"), "{}", refused.stderr);
    }
    assert!(!bench.store().exists());
}
