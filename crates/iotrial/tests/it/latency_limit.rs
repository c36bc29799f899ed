//! `iotrial run --latency-limit` on devices whose truth is known.

use crate::support::Bench;
use serde_json::Value;

/// One job of random reads; `arrival` is nothing, or a rate.
fn profile(iodepth: u32, arrival: &str) -> String {
    format!(
        "format = \"iotrial.profile/1\"\nname = \"reads\"\ntitle = \"Reads\"\nschedule = {{ ramp = \"2s\", duration = \"30s\" }}\n\
         quick = {{ size = \"1GiB\", ramp = \"2s\", duration = \"30s\" }}\n[[job]]\nname = \"pages\"\nrole = \"data\"\n\
         pattern = \"random\"\nrwmix_read_percent = 100\nblock_size = \"8KiB\"\niodepth = {iodepth}\nsize = \"1GiB\"\n{arrival}"
    )
}

/// A run of the profile `text` on a simulated device.
fn run(bench: &Bench, text: &str, sim: &str, more: &[&str]) -> (i32, Value) {
    std::fs::write(bench.path().join("mine.toml"), text).unwrap();
    let base = ["run", "./mine.toml", "--engine", "sim", "--seed", "7", "--sim", sim, "--json", "--quiet"];
    let ran = bench.run(&[&base, more].concat());
    (ran.code, ran.json())
}

fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {pointer} in {value:#}"))
}

/// The highest rate of a grid of 1 % whose long run holds the p99, from `low` up.
fn highest_of_grid(bench: &Bench, iodepth: u32, sim: &str, limit_us: f64, from: f64, to: f64) -> f64 {
    let holds = |rate: f64| {
        let text = profile(iodepth, &format!("rate = \"{rate:.0} iops\"\n"));
        let (_, summary) = run(bench, &text, sim, &["--duration", "120s"]);
        number(&summary, "/total/read/lat_p99_us") <= limit_us
    };
    let steps = ((to / from).ln() / 1.01f64.ln()).ceil();
    let rate = |step: f64| from * 1.01f64.powf(step);
    // Latency grows with the rate, so that the grid may be bisected.
    let (mut low, mut high) = (0.0, steps);
    assert!(holds(rate(low)) && !holds(rate(high)), "the grid does not hold the truth");
    while high - low > 1.0 {
        let middle = f64::midpoint(low, high).floor();
        if holds(rate(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    rate(low)
}

/// Searches, and holds the answer against a grid of long runs.
#[track_caller]
fn check_against_grid(
    bench: &Bench,
    iodepth: u32,
    sim: &str,
    limit: &str,
    limit_us: f64,
    ceiling: f64,
) -> Value {
    let (_, summary) = run(bench, &profile(iodepth, ""), sim, &["--latency-limit", limit]);
    let search = &summary["search"];
    let found = number(search, "/result/held_iops");
    let truth = highest_of_grid(bench, iodepth, sim, limit_us, 0.3 * ceiling, 1.05 * ceiling);
    assert!((found / truth - 1.0).abs() <= 0.05, "found {found}, and the grid says {truth}: {search:#}");
    let above = number(search, "/result/not_held_iops");
    assert!(above > found && above / found <= 1.0501, "{search:#}");
    assert!(number(search, "/result/worst/latency_us") <= limit_us);
    summary
}

#[test]
fn the_rate_found_is_that_of_a_fine_grid_of_long_runs() {
    let bench = Bench::new();
    // One server, 100 µs each: 10,000 a second, and a queue that grows long before that.
    check_against_grid(&bench, 64, "service_time_us = 100, parallelism = 1", "500us@p99", 500.0, 10_000.0);
    // Eight servers, 500 µs each: 16,000 a second.
    check_against_grid(
        &bench,
        64,
        "service_time_us = 500, parallelism = 8, service_spread = 0.8",
        "1ms@p99",
        1_000.0,
        16_000.0,
    );
}

/// A simulated device that carries 9,700 reads a second with a p99 of 4 ms, on a host that is away for `away_s` every `every_s`.
fn on_pausing_host(away_s: f64, every_s: f64) -> String {
    let pauses: Vec<String> = std::iter::successors(Some(0.4 * every_s), |start_s| Some(start_s + every_s))
        .take_while(|start_s| *start_s < 45.0)
        .map(|start_s| format!("{{start_s = {start_s:.3}, duration_s = {away_s}}}"))
        .collect();
    let pauses = pauses.join(", ");
    format!("service_time_us = 800, service_spread = 0.4, parallelism = 8, host_pauses = [{pauses}]")
}

#[test]
fn a_host_that_is_away_for_a_part_of_the_time_leaves_the_answer_as_it_is() {
    let bench = Bench::new();
    for (away_s, every_s) in [(0.004, 0.1), (0.04, 1.0), (0.1, 10.0)] {
        let sim = on_pausing_host(away_s, every_s);
        let search = |more: &[&str]| {
            let limit = ["--latency-limit", "4ms@p99"];
            run(&bench, &profile(64, ""), &sim, &[&limit, more].concat()).1["search"].clone()
        };
        for (need, carries) in [("8000iops", true), ("10500iops", false)] {
            let found = search(&["--need", need]);
            assert_eq!(found["carries_need"], carries, "{away_s} s of {every_s} s: {found:#}");
        }
        let highest = search(&[]);
        let held = number(&highest, "/result/held_iops");
        assert!((8_400.0..=9_750.0).contains(&held), "{away_s} s of {every_s} s: {highest:#}");
    }
    // Here p99 of all I/Os was beyond the limit, and the figure is that of the others.
    let sim = on_pausing_host(0.04, 1.0);
    let need = ["--latency-limit", "4ms@p99", "--need", "8000iops"];
    let (_, summary) = run(&bench, &profile(64, ""), &sim, &need);
    let worst = &summary["search"]["probes"][1]["worst"];
    assert!(
        number(worst, "/latency_us") < 4_000.0 && number(worst, "/untouched/shown_us") > 20_000.0,
        "{worst}"
    );
    assert!((50.0..=95.0).contains(&number(worst, "/untouched/percent")), "{worst}");
}

#[test]
fn copies_with_one_io_each_hold_the_rate_of_one_copy_with_all_of_them() {
    let bench = Bench::new();
    let sim = "service_time_us = 200, parallelism = 64";
    let held = |numjobs: u32, iodepth: u32| {
        let text = profile(iodepth, &format!("numjobs = {numjobs}\n"));
        let (_, summary) = run(&bench, &text, sim, &["--duration", "10s", "--latency-limit", "300us@p99"]);
        number(&summary, "/search/result/held_iops")
    };
    // Thirty-two at once, 200 µs each.
    let one = held(1, 32);
    assert!((140_000.0..=168_000.0).contains(&one), "{one}");
    assert!((held(32, 1) / one - 1.0).abs() < 0.03);
}

#[test]
fn commits_that_share_a_log_write_are_counted_one_by_one_and_the_answer_says_what_the_device_did() {
    let bench = Bench::new();
    // Each read has a commit; at saturation each commit is a write of its own, and below it several of them wait for the same one.
    let text = profile(8, "")
        + "[[job]]\nname = \"log\"\nrole = \"log\"\npattern = \"sequential\"\nrwmix_read_percent = 0\nblock_size = \"512B\"\n\
           iodepth = 2\nsize = \"1GiB\"\ndurability = \"dsync\"\nfollow = { job = \"pages\", per = \"read\", ratio = 1.0 }\n\
           group_commit = { commit_size = \"700B\", largest_write = \"60KiB\", tail = \"pad\" }\n";
    let sim = "service_time_us = 2000, parallelism = 64";
    let (_, summary) = run(&bench, &text, sim, &["--latency-limit", "20ms@p99"]);
    let result = &summary["search"]["result"];
    let (held, device) = (number(result, "/held_iops"), number(result, "/device_iops"));
    assert!(device < 0.9 * held, "{result:#}");
    // The device did what the record counts: one read for two that count, and the log writes.
    let done = number(&summary, "/total/read/iops") + number(&summary, "/total/write/iops");
    assert!((done / device - 1.0).abs() < 0.02, "{done} {result:#}");
    let commits = number(&summary, "/total/read/iops") + number(&summary, "/total/commit/iops");
    assert!((commits / held - 1.0).abs() < 0.02, "{commits} {result:#}");
    // No load fell behind what was asked because of writes that were shared.
    for probe in summary["search"]["probes"].as_array().unwrap().iter().filter(|one| one["held"] == true) {
        assert!((number(probe, "/iops") / number(probe, "/asked_iops") - 1.0).abs() < 0.03, "{probe:#}");
    }
    let verdict = &summary["verdict"];
    let said = format!("{} {}", verdict["headline"], verdict["sentence"]);
    assert!(
        said.contains("I/Os and commits a second")
            && said.contains("IOPS on the device, because commits share"),
        "{said}"
    );
}

#[test]
fn a_cap_on_iops_is_found_whatever_the_burst_before_it() {
    let bench = Bench::new();
    let summary =
        check_against_grid(&bench, 64, "iops_cap = 5000, burst_s = 0.1", "2ms@p99", 2_000.0, 5_000.0);
    // The record is that of the confirming run: open, as long as was asked, its figures those of the answer.
    let text = std::fs::read_to_string(summary["record"].as_str().unwrap()).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    let held = number(&summary, "/search/result/held_iops");
    assert_eq!(record["plan"]["jobs"][0]["arrival"]["kind"], "open");
    assert!((number(&record, "/plan/jobs/0/arrival/iops") - held).abs() < 1e-6);
    assert!((number(&record, "/search/result/job_rates/0/iops") - held).abs() < 1e-6);
    assert!(number(&summary, "/measured_s") >= 10.0);
    let worst = number(&summary, "/search/result/worst/latency_us");
    assert!((number(&summary, "/total/read/lat_p99_us") - worst).abs() < 1e-6);
    assert_eq!(record["search"]["probes"][0]["kind"], "saturation");
    // What a stranger's record cannot mean is refused.
    let mut spoilt = record.clone();
    *spoilt.pointer_mut("/search/result/held_iops").unwrap() = (-1.0).into();
    std::fs::write(bench.path().join("spoilt.iotrial.json"), spoilt.to_string()).unwrap();
    let refused = bench.run(&["report", "spoilt.iotrial.json"]).expect_code(2).stderr;
    assert!(refused.contains("its search is out of range"), "{refused}");
}

#[test]
fn a_burst_that_ends_after_the_probes_is_caught_by_the_confirmation() {
    let bench = Bench::new();
    // Every load meets the device with full credits: 10 s of its rate, spent within a probe of 3 s only at more than four
    // times the cap, and within the 30 s of a confirmation at a third more than it.
    let sim = "iops_cap = 5000, burst_s = 10, service_time_us = 100, parallelism = 2";
    let (_, summary) = run(&bench, &profile(32, ""), sim, &["--latency-limit", "2ms@p99"]);
    let search = &summary["search"];
    let held = number(search, "/result/held_iops");
    assert!((5_000.0..6_800.0).contains(&held), "{search:#}");
    let kinds = |kind: &str| {
        search["probes"].as_array().unwrap().iter().filter(|probe| probe["kind"] == kind).count()
    };
    assert!(kinds("confirmation") > 1, "{search:#}");
}

#[test]
fn all_roles_and_directions_hold_and_the_mix_keeps_its_shares() {
    let bench = Bench::new();
    let mix = ["run", "sqlserver-oci-published", "--engine", "sim", "--json"];
    let arguments = [&mix[..], &["--seed", "7", "--latency-limit", "1ms@p99"]].concat();
    let ran = bench.run(&arguments);
    let summary = ran.json();
    for (role, streams) in summary["roles"].as_object().unwrap() {
        for (stream, figures) in streams.as_object().unwrap() {
            assert!(number(figures, "/lat_p99_us") <= 1_000.0, "{role} {stream}");
        }
    }
    // The closed load makes as many of each job as it has I/Os outstanding.
    let result = &summary["search"]["result"];
    let shares: Vec<f64> = result["job_rates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|job| number(job, "/iops") / number(result, "/held_iops"))
        .collect();
    let plan = bench.run(&[&mix[..], &["--closed", "--dry-run"]].concat()).json();
    let jobs = plan["jobs"].as_array().unwrap();
    let depth = |job: &Value| number(job, "/iodepth") * number(job, "/numjobs");
    let all: f64 = jobs.iter().map(depth).sum();
    for (share, job) in shares.iter().zip(jobs) {
        assert!((share / (depth(job) / all) - 1.0).abs() < 0.02, "{}: {share}", job["name"]);
    }
    // Each load is a line.
    let lines =
        ran.stderr.lines().filter(|line| line.contains("probe: ") && line.contains("1ms@p99")).count();
    assert!(lines >= 3, "{}", ran.stderr);
}

#[test]
fn a_limit_below_what_the_idle_device_takes_is_missed_with_the_latency_as_evidence() {
    let bench = Bench::new();
    let sim = "service_time_us = 500, parallelism = 8";
    let (code, summary) = run(&bench, &profile(16, ""), sim, &["--latency-limit", "100us@p99"]);
    assert_eq!((code, &summary["ended"]), (4, &"complete".into()));
    assert!(summary["search"].get("result").is_none());
    let finding =
        summary["findings"].as_array().unwrap().iter().find(|one| one["id"] == "latency-limit-missed");
    let finding = finding.unwrap();
    let message = finding["message"].as_str().unwrap();
    assert!(message.starts_with("no rate that was tried stayed within 100us@p99: even at "), "{message}");
    let latency_us = number(finding, "/evidence/latency_us");
    assert!((500.0..700.0).contains(&latency_us), "{latency_us}");
    assert!(
        summary["verdict"]["sentence"]
            .as_str()
            .unwrap()
            .starts_with("Inconclusive: the device was simulated")
    );
}

#[test]
fn a_load_with_too_few_ios_to_judge_is_not_within_its_limits() {
    let bench = Bench::new();
    // Every I/O takes 9 ms, and 2 ms are acceptable: at no rate can a load be within the limits.
    let ran = bench.run(&[
        "run",
        "--engine",
        "sim",
        "--seed",
        "7",
        "--sim",
        "service_time_us = 9000, parallelism = 4",
        "--size",
        "64MiB",
        "--duration",
        "3s",
        "--json",
        "--quiet",
    ]);
    let summary = ran.json();
    let record = std::fs::read_to_string(summary["record"].as_str().unwrap()).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let probes = record["search"]["probes"].as_array().unwrap();
    assert!(probes.len() > 2 && probes.iter().all(|probe| probe["held"] != true), "{probes:#?}");
    let last = probes.last().unwrap();
    assert!(last["held"].is_null() && last["why_not"] == "too few I/Os to judge", "{last:#}");
    assert_eq!((ran.code, summary["verdict"]["outcome"].as_str()), (4, Some("inconclusive")));
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let bench = Bench::new();
    let search = || {
        run(&bench, &profile(16, ""), "parallelism = 4", &["--latency-limit", "500us@p99.9"]).1["search"]
            .clone()
    };
    assert_eq!(search(), search());
}

#[test]
fn what_cannot_be_searched_is_refused_with_a_hint() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("open.toml"), profile(8, "rate = \"100 iops\"\n")).unwrap();
    let check = |arguments: &[&str], parts: &[&str]| {
        let ran = bench.run(&[&["run", "--engine", "sim"], arguments].concat()).expect_code(2);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    };
    check(
        &["./open.toml", "--latency-limit", "2ms@p99"],
        &[
            "every job has a rate, `pages` for example, so there is nothing to search for",
            "hint: remove `rate` from `pages`",
        ],
    );
    check(
        &["--latency-limit", "2ms@p99", "--until-steady"],
        &["--latency-limit and --until-steady exclude each other", "hint: "],
    );
    check(&["--latency-limit", "2ms"], &["is not LATENCY@STATISTIC, such as 2ms@p99"]);
    check(&["--latency-limit", "2ms@p100"], &["is neither `mean` nor a percentile between 0 and 100"]);
    check(&["--latency-limit", "2@p99"], &["has no unit"]);
    check(&["--need", "20000"], &["`20000` has no unit", "hint: --need 20000iops"]);
    check(&["--need", "20000ipos"], &["`20000ipos` is not a rate such as 20000iops", "hint: "]);
    check(&["--latency-limit", "p99@2ms"], &["`p99@2ms` is not LATENCY@STATISTIC"]);
    check(&["--need", "nosuch"], &["`nosuch` is neither a file", "give a rate as in --need 20000iops"]);
}

#[test]
fn dry_run_names_the_search() {
    let bench = Bench::new();
    let ran =
        bench.run(&["run", "--engine", "sim", "--dry-run", "--latency-limit", "2ms@p99"]).expect_code(0);
    assert!(ran.stdout.contains("the highest rate within 2ms@p99"), "{}", ran.stdout);
}

#[test]
fn dry_run_shows_the_load_whose_record_the_search_keeps() {
    let bench = Bench::new();
    let base = ["run", "sqlserver-oltp", "--engine", "sim", "--seed", "7", "--duration", "5s", "--json"];
    for more in [&[][..], &["--need", "300iops"]] {
        let arguments = [&base[..], more].concat();
        let planned = bench.run(&[&arguments[..], &["--dry-run"]].concat()).expect_code(0).json();
        let summary = bench.run(&arguments).json();
        let record = std::fs::read_to_string(summary["record"].as_str().unwrap()).unwrap();
        let record: Value = serde_json::from_str(&record).unwrap();
        let depths = |plan: &Value| -> Vec<Value> {
            plan["jobs"].as_array().unwrap().iter().map(|job| job["iodepth"].clone()).collect()
        };
        let did = &record["plan"];
        assert_eq!(depths(&planned), depths(did), "{more:?}");
        assert_eq!(planned["phases"][0], did["phases"][0], "{more:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_during_the_search_keeps_what_is_known() {
    use std::io::{BufRead as _, BufReader, Read as _};
    let bench = Bench::new();
    let arguments =
        ["run", "sqlserver-log", "--engine", "null", "--ramp", "0s", "--duration", "1s", "--json"];
    let mut child =
        bench.interruptible(&[&arguments[..], &["--latency-limit", "2ms@p99"]].concat()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("saturation: ") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it ended without a line for its first load");
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    stderr.read_to_string(&mut String::new()).unwrap();
    let ran = crate::support::Ran::from(child.wait_with_output().unwrap()).expect_code(130);
    let summary = ran.json();
    assert_eq!(summary["ended"], "interrupted");
    assert_eq!(summary["search"]["probes"][0]["kind"], "saturation");
    assert!(summary["search"].get("result").is_none());
}
