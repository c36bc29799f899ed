//! `iotrial sweep` on devices that are faster at first: with a precondition, and until they are steady.

use crate::support::{Bench, Ran};
use serde_json::{Value, json};

/// Credits for 240,000 I/Os at 160,000 a second, and a cap of 20,000: the burst ends within the second second.
const BURST: &str = "iops_cap = 20000, burst_s = 12, service_spread = 0";

fn sweep(bench: &Bench, more: &[&str]) -> Ran {
    let base = ["sweep", "--engine", "sim", "--seed", "7", "--step", "10s", "--json", "--quiet"];
    bench.run(&[&base[..], more].concat())
}

fn grid(pattern: &str, sim: &str, more: &[&str]) -> Value {
    let bench = Bench::new();
    let arguments = [&["--pattern", pattern, "--grid", "16,64", "--sim", sim][..], more].concat();
    let mut summary = sweep(&bench, &arguments).expect_code(0).json();
    let record = std::fs::read_to_string(summary["record"].as_str().unwrap()).unwrap();
    summary["whole_record"] = serde_json::from_str(&record).unwrap();
    summary
}

fn iops(probe: &Value) -> f64 {
    probe["iops"].as_f64().unwrap()
}

fn probes(curve: &Value) -> &[Value] {
    curve["probes"].as_array().unwrap()
}

fn unsteady(summary: &Value) -> Vec<&Value> {
    summary["findings"].as_array().unwrap().iter().filter(|found| found["id"] == "unsteady").collect()
}

#[test]
fn a_burst_is_waited_out_at_every_load_that_writes_and_reads_are_measured_for_a_step() {
    let summary = grid("randwrite-8k,randread-8k", BURST, &["--until-steady"]);
    let curves = summary["curves"].as_array().unwrap();
    for probe in probes(&curves[0]) {
        assert!((iops(probe) / 20_000.0 - 1.0).abs() < 0.01, "{probe:#}");
        assert_eq!(probe["measured_s"], 10.0);
    }
    assert!(probes(&curves[1]).iter().all(|probe| iops(probe) > 25_000.0), "{:#}", curves[1]);
    assert!(unsteady(&summary).is_empty());
    let record = &summary["whole_record"];
    assert_eq!(record["settings"]["until_steady_s"], 50.0);
    let waited = |probe: &Value| {
        let course = probe["course"].as_array().unwrap();
        course.iter().filter(|second| second["phase"] == "precondition").count()
    };
    let waited: Vec<usize> = record["probes"].as_array().unwrap().iter().map(waited).collect();
    let [writes @ .., _, _] = waited.as_slice() else { panic!("{waited:?}") };
    assert!(writes.iter().all(|seconds| *seconds > 0) && waited[2..] == [0, 0], "{waited:?}");
    // Without it the burst is in the figures.
    let once = grid("randwrite-8k", BURST, &[]);
    assert!(probes(&once["curves"][0]).iter().all(|probe| iops(probe) > 25_000.0), "{once:#}");
}

#[test]
fn a_rate_that_lasts_is_that_of_the_steady_rounds_and_the_burst_before_them_is_told() {
    let bench = Bench::new();
    let arguments = ["--pattern", "randwrite-8k", "--sim", BURST, "--until-steady"];
    let summary = sweep(&bench, &arguments).expect_code(0).json();
    let curve = &summary["curves"][0];
    let near = |value: &Value| (value.as_f64().unwrap() / 20_000.0 - 1.0).abs() < 0.01;
    assert!(near(&curve["sustained"]["iops"]) && near(&curve["saturation"]["ceiling_iops"]), "{curve:#}");
    assert!(curve["sustained"]["burst"].is_object(), "{curve:#}");
}

#[test]
fn a_load_that_never_settles_is_named_and_in_doubt() {
    // A second in every third: no five rounds of two seconds are alike.
    let stalls: Vec<String> = (0..20).map(|n| format!("{{start_s = {}, duration_s = 1}}", 3 * n)).collect();
    let sim = format!("stalls = [{}]", stalls.join(", "));
    let summary = grid("randwrite-8k,randread-8k", &sim, &["--until-steady", "20s"]);
    let found = unsteady(&summary);
    let [found] = found.as_slice() else { panic!("{:#}", summary["findings"]) };
    assert_eq!((&found["severity"], &found["evidence"]["waited_s"]), (&json!("warning"), &json!(20.0)));
    assert!(found["message"].as_str().unwrap().starts_with("randwrite-8k with 16 outstanding"), "{found}");
    let outcomes = |curve: &Value| -> Vec<Value> {
        probes(curve).iter().map(|probe| probe["outcome"].clone()).collect()
    };
    assert_eq!(outcomes(&summary["curves"][0]), ["inconclusive", "inconclusive"]);
}

#[test]
fn a_volume_is_preconditioned_before_the_first_load_that_writes() {
    // 4,000 a second for as long as there are credits, which no load gets back from the one before it.
    let sim = "service_time_us = 4000, parallelism = 16, iops_cap = 2000, burst_s = 10, lasting = true, service_spread = 0";
    let highest = |more: &[&str]| {
        let summary = grid("randwrite-8k", sim, more);
        let most = probes(&summary["curves"][0]).iter().map(iops).fold(0.0, f64::max);
        (most, summary)
    };
    assert!(highest(&[]).0 > 2_500.0);
    let (most, summary) = highest(&["--precondition", "30s"]);
    assert!((most / 2_000.0 - 1.0).abs() < 0.01, "{most}");
    assert_eq!(summary["whole_record"]["settings"]["precondition_s"], 30.0);
    // What does not count is no probe.
    assert_eq!(summary["whole_record"]["probes"].as_array().unwrap().len(), 2);
}

#[test]
fn the_longest_time_is_told_before_it_starts() {
    let bench = Bench::new();
    let arguments = [
        "--pattern",
        "randread-8k,randwrite-8k",
        "--grid",
        "1,8",
        "--idle",
        "0s",
        "--precondition",
        "1m",
        "--until-steady",
        "--dry-run",
    ];
    let plan = sweep(&bench, &arguments).expect_code(0).json();
    assert_eq!(plan["precondition_s"], json!([0.0, 60.0]));
    assert_eq!(plan["until_steady_s"], json!([null, 50.0]));
    assert_eq!(plan["most_s"], 22.0 + 60.0 + 102.0);
}

#[test]
fn what_has_nothing_to_wait_for_is_refused_with_what_to_write() {
    let bench = Bench::new();
    let check = |arguments: &[&str], parts: &[&str]| {
        let refused = sweep(&bench, arguments).expect_code(2).stderr;
        parts.iter().for_each(|part| assert!(refused.contains(part), "{arguments:?}: {refused}"));
    };
    for option in [&["--until-steady"][..], &["--precondition", "1m"]] {
        check(
            &[option, &["--pattern", "randread-8k"][..]].concat(),
            &[option[0], "hint: leave it out, or add"],
        );
        check(&[&["oracle-oltp"][..], option].concat(), &["cannot be used with", option[0]]);
    }
    check(
        &["--until-steady", "9s"],
        &["five rounds, 10 s together", "hint: give a longer limit, or a shorter --step"],
    );
    check(&["--precondition", "0s"], &["--precondition must be more than zero"]);
}

#[test]
fn sweeps_are_compared_only_where_both_waited() {
    let bench = Bench::new();
    for (label, more) in [("fresh", &[][..]), ("steady", &["--until-steady"][..])] {
        let pattern = ["--pattern", "randwrite-8k", "--grid", "16,64", "--label", label];
        sweep(&bench, &[&pattern[..], more].concat()).expect_code(0);
    }
    bench.run(&["compare", "fresh", "steady", "--json"]).expect_code(2);
}
