//! `iotrial run --until-steady` on devices whose truth is known.

use crate::support::Bench;
use serde_json::Value;

/// Rounds of two seconds, at most 25 of them.
const WAITING: &[&str] = &[
    "run",
    "oracle-slob-random",
    "--engine",
    "sim",
    "--seed",
    "7",
    "--ramp",
    "1s",
    "--duration",
    "10s",
    "--until-steady",
];

fn run(bench: &Bench, more: &[&str]) -> Value {
    bench.run(&[WAITING, more, &["--json", "--quiet"]].concat()).json()
}

fn record(summary: &Value) -> Value {
    serde_json::from_str(&std::fs::read_to_string(summary["record"].as_str().unwrap()).unwrap()).unwrap()
}

/// How many intervals each phase has.
fn phases(record: &Value) -> Vec<(String, usize)> {
    let mut phases: Vec<(String, usize)> = Vec::new();
    for interval in record["intervals"].as_array().unwrap() {
        let phase = interval["phase"].as_str().unwrap().to_owned();
        match phases.last_mut() {
            Some((last, count)) if *last == phase => *count += 1,
            _ => phases.push((phase, 1)),
        }
    }
    phases
}

fn counted(phases: &[(&str, usize)]) -> Vec<(String, usize)> {
    phases.iter().map(|(phase, count)| ((*phase).to_owned(), *count)).collect()
}

fn finding_ids(summary: &Value) -> Vec<&str> {
    summary["findings"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

#[test]
fn a_constant_device_is_steady_after_five_rounds() {
    let bench = Bench::new();
    let summary = run(&bench, &[]);
    assert_eq!((&summary["ended"], &summary["measured_s"]), (&"complete".into(), &10.0.into()));
    assert_eq!(summary["steady_state"]["held"], true);
    let record = record(&summary);
    assert_eq!(record["ended"]["reason"], "steady after 10 s");
    assert_eq!(phases(&record), counted(&[("ramp", 1), ("measure", 10)]));
}

#[test]
fn a_burst_is_waited_out_and_the_percentiles_are_those_after_it() {
    let bench = Bench::new();
    // Credits for 240,000 I/Os at 160,000 a second and a cap of 20,000: the burst ends within the second second, which is
    // the first of the measured ones, so that the first round is left out.
    let capped = "iops_cap = 20000, burst_s = 12, service_spread = 0";
    let summary = run(&bench, &["--sim", capped]);
    let record = record(&summary);
    assert_eq!(record["ended"]["reason"], "steady after 12 s");
    assert_eq!(phases(&record), counted(&[("ramp", 1), ("precondition", 2), ("measure", 10)]));
    // 98 outstanding I/Os at 20,000 a second are 4.9 ms each, and 0.6 ms while the burst lasts.
    let read = &summary["total"]["read"];
    let near = |key: &str, expected: f64| {
        let found = read[key].as_f64().unwrap();
        assert!((found / expected - 1.0).abs() < 0.01, "{key} is {found}");
    };
    near("iops", 20_000.0);
    for key in ["lat_mean_us", "lat_p50_us", "lat_p99_us"] {
        near(key, 4_900.0);
    }
    assert!(!finding_ids(&summary).contains(&"unsteady"));
    let burst =
        summary["findings"].as_array().unwrap().iter().find(|one| one["id"] == "throttled-after-burst");
    // It lies in what is no longer measured.
    assert_eq!(burst.unwrap()["severity"], "note");
}

#[test]
fn a_device_that_never_settles_ends_at_the_limit_and_record_verdict_and_finding_say_so() {
    let bench = Bench::new();
    // A second in every third: no five rounds of two seconds are alike.
    let stalls: Vec<String> = (0..20).map(|n| format!("{{start_s = {}, duration_s = 1}}", 3 * n)).collect();
    let sim = format!("stalls = [{}]", stalls.join(", "));
    let arguments = [WAITING, &["20s", "--sim", &sim, "--json", "--quiet"]].concat();
    let ran = bench.run(&arguments);
    let summary = ran.json();
    assert_eq!((&summary["ended"], &summary["measured_s"]), (&"complete".into(), &10.0.into()));
    let record = record(&summary);
    assert_eq!(record["ended"]["reason"], "not steady after 20 s");
    assert_eq!(phases(&record), counted(&[("ramp", 1), ("precondition", 10), ("measure", 10)]));
    assert_eq!(summary["steady_state"]["held"], false);
    let finding = summary["findings"].as_array().unwrap().iter().find(|one| one["id"] == "unsteady").unwrap();
    let message = finding["message"].as_str().unwrap();
    assert!(
        message.starts_with("the load did not become steady within 20 s: over its last five rounds of 2 s"),
        "{message}"
    );
    let reasons = summary["verdict"]["reasons"].to_string();
    assert!(reasons.contains("did not become steady within 20 s"), "{reasons}");
}

#[test]
fn the_same_seed_gives_the_same_window() {
    let bench = Bench::new();
    let intervals =
        || record(&run(&bench, &["--sim", "iops_cap = 20000, burst_s = 30"]))["intervals"].clone();
    assert_eq!(intervals(), intervals());
}

#[test]
fn dry_run_shows_rounds_window_and_limit_and_a_limit_too_short_is_refused() {
    let bench = Bench::new();
    let shown = bench.run(&[WAITING, &["--dry-run"]].concat()).expect_code(0).stdout;
    for part in ["at most 51 s", "five rounds of 2 s", "figures are those of that 10 s"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let refused = bench.run(&[WAITING, &["5s"]].concat()).expect_code(2).stderr;
    assert!(refused.contains("five rounds, 10 s together, and the limit is 5 s"), "{refused}");
    assert!(refused.contains("hint: give a longer limit"), "{refused}");
}
