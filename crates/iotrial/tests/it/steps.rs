//! Loads that change in steps, as a user meets them.

use crate::support::Bench;
use serde_json::Value;

const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "orders"
title = "Orders"
schedule = { ramp = "2s", duration = "60s" }
quick = { size = "1GiB", ramp = "2s", duration = "10s" }
[[job]]
name = "pages"
role = "data"
pattern = "random"
rwmix_read_percent = 100
block_size = "8KiB"
iodepth = 64
size = "1GiB"
rate = "16000 iops"
"#;

const CAPPED: &str = "service_time_us = 200, iops_cap = 13000, burst_s = 0.01";

fn bench() -> Bench {
    let bench = Bench::new();
    std::fs::write(bench.path().join("orders.toml"), PROFILE).unwrap();
    bench
}

fn staircase<'a>(steps: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let base = [
        "run",
        "orders.toml",
        "--engine",
        "sim",
        "--sim",
        CAPPED,
        "--seed",
        "1",
        "--quiet",
        "--steps",
        steps,
    ];
    [&base[..], more].concat()
}

fn steps_of(summary: &Value) -> Vec<(f64, Option<bool>, f64, f64)> {
    let step = |step: &Value| {
        let number = |key: &str| step[key].as_f64().unwrap();
        (number("load_percent"), step["holds"].as_bool(), number("asked_iops"), number("done_iops"))
    };
    summary["steps"].as_array().unwrap().iter().map(step).collect()
}

#[test]
fn a_staircase_shows_which_step_a_capped_device_is_the_first_not_to_keep() {
    let bench = bench();
    let summary = bench.run(&staircase("25%,50%,75%,100%", &["--json"])).json();
    let steps = steps_of(&summary);
    assert_eq!(steps.iter().map(|step| step.1).collect::<Vec<_>>(), [true, true, true, false].map(Some));
    for (percent, _, asked, done) in &steps[..3] {
        assert_eq!(*asked, 160.0 * percent);
        assert!((done / asked - 1.0).abs() < 0.015, "{done} of {asked}");
    }
    assert!((steps[3].3 / 13_000.0 - 1.0).abs() < 0.01, "{steps:?}");
    let sentence = summary["verdict"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("all steps up to step 3 (75 %: "), "{sentence}");
    assert_eq!(summary["verdict"]["step"], 4);
    // What was left undone belongs to the last step.
    let found: Vec<&str> =
        summary["findings"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert!(found.contains(&"not-issued") && !found.contains(&"throttled-after-burst"), "{found:?}");
}

#[test]
fn a_device_that_carries_every_step_has_no_finding_but_that_the_steps_are_short() {
    let bench = bench();
    let summary = bench.run(&staircase("25%,75%,50%", &["--json", "--duration", "3m"])).json();
    assert!(steps_of(&summary).iter().all(|step| step.1 == Some(true)));
    assert_eq!(summary["findings"], serde_json::json!([]));
    // The figures are those of the peak.
    let iops = summary["total"]["read"]["iops"].as_f64().unwrap();
    assert!((iops / 12_000.0 - 1.0).abs() < 0.015, "{iops}");
}

#[test]
fn every_form_of_the_report_has_the_steps() {
    let bench = bench();
    let ran = bench.run(&staircase(
        "50%,100%",
        &["--html", "r.html", "--csv", "r.csv", "--markdown", "r.md", "--xlsx", "r.xlsx", "--details"],
    ));
    let text = &ran.stdout;
    assert!(text.contains("holds step 1 (50 %") || text.contains("holds up to step 1 (50 %"), "{text}");
    let table: Vec<&str> = text.lines().filter(|line| line.starts_with("2  ")).collect();
    assert!(table.iter().any(|line| line.contains("100 %") && line.ends_with("no")), "{text}");
    let next = text.lines().last().unwrap();
    assert!(next.starts_with("next: iotrial run ") && next.contains("--steps 50%,100%"), "{text}");
    let read = |name: &str| std::fs::read_to_string(bench.path().join(name)).unwrap();
    let html = read("r.html");
    assert!(
        html.contains("class=\"step\"")
            && html.contains("; steps: 1: 50\u{a0}% from 2\u{a0}s, 2: 100\u{a0}% from 12\u{a0}s")
    );
    assert!(read("r.csv").contains("Steps of the load") && read("r.md").contains("## Steps"));
}

#[test]
fn the_time_of_all_steps_is_known_before_they_begin() {
    let bench = bench();
    let plan = bench.run(&staircase("25%,50%,100%", &["--dry-run"]));
    assert!(
        plan.stdout.contains("time      32 s after the test files are created: ramp 2 s, measure 30 s"),
        "{}",
        plan.stdout
    );
    assert!(plan.stdout.contains("step 3 (100 %) from 22 s on for 10 s"), "{}", plan.stdout);
    let full = bench.run(&["run", "tpce-profile", "--engine", "sim", "--full", "--dry-run"]);
    assert!(full.stdout.contains("time      50 min after the test files are created"), "{}", full.stdout);
    assert!(
        full.stdout.contains("step 1 “build-up” (0 to 100 %) from 0 s on for 10 min, not judged"),
        "{}",
        full.stdout
    );
}

#[test]
fn a_closed_profile_takes_steps_of_its_outstanding_ios() {
    let bench = bench();
    let base = ["run", "oracle-slob-random", "--engine", "sim", "--seed", "1", "--quiet", "--json"];
    let summary = bench.run(&[&base[..], &["--steps", "25%,100%", "--duration", "20s"]].concat()).json();
    let steps = summary["steps"].as_array().unwrap();
    assert!(steps[0].get("asked_iops").is_none());
    // Little's law: as many are in flight as the step has.
    for (step, outstanding) in steps.iter().zip([25.0, 98.0]) {
        let reads = &step["total"]["read"];
        let in_flight = reads["iops"].as_f64().unwrap() * reads["lat_mean_us"].as_f64().unwrap() / 1e6;
        assert!((in_flight / outstanding - 1.0).abs() < 0.02, "{in_flight} of {outstanding}");
    }
}

/// `sweep oracle-slob-random`, which keeps 98 reads outstanding, on a simulated device.
fn raised(sim: &str, more: &[&str]) -> Value {
    let base = ["sweep", "oracle-slob-random", "--engine", "sim", "--seed", "1", "--quiet", "--json"];
    // Simulated, so that nothing is said of storage.
    let ran = Bench::new().run(&[&base[..], &["--sim", sim], more].concat());
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    ran.json()
}

fn finding<'s>(summary: &'s Value, id: &str) -> Option<&'s Value> {
    summary["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|found| found["id"] == id)
        .map(|found| &found["evidence"])
}

#[test]
fn a_sweep_of_a_profile_finds_the_step_at_which_a_device_of_32_servers_is_busy() {
    let summary = raised("service_time_us = 200, parallelism = 32", &[]);
    let loads: Vec<f64> = summary["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["load_percent"].as_f64().unwrap())
        .collect();
    assert_eq!(loads, [12.5, 25.0, 50.0, 100.0, 200.0, 400.0]);
    // 25 of 32 servers work at a quarter of its load, and all of them at a half.
    let found = finding(&summary, "stops-scaling").unwrap();
    assert_eq!((&found["load_percent"], &found["role"]), (&50.0.into(), &"data".into()));
    assert!((found["iops"].as_f64().unwrap() / 160_000.0 - 1.0).abs() < 0.01, "{found}");
    assert!(finding(&summary, "still-scaling").is_none());
    assert!(summary["steps"].as_array().unwrap().iter().all(|step| step.get("crossed").is_none()));
}

#[test]
fn a_sweep_of_a_profile_names_the_role_that_is_late_first_and_the_step() {
    // 13 reads take 1.6 ms on eight servers of 1 ms, and 25 of them 3.1 ms.
    let summary = raised("service_time_us = 1000, parallelism = 8", &["--steps", "12.5%,25%,50%,100%"]);
    let crossed: Vec<&Value> =
        summary["steps"].as_array().unwrap().iter().map(|step| &step["crossed"]).collect();
    assert!(crossed[0].is_null() && crossed[2].is_null() && crossed[3].is_null(), "{crossed:?}");
    assert_eq!((&crossed[1][0]["role"], &crossed[1][0]["stream"]), (&"data".into(), &"read".into()));
    assert_eq!(finding(&summary, "stops-scaling").unwrap()["load_percent"], 12.5);
}

#[test]
fn a_sweep_of_a_profile_says_that_a_rate_still_rises_at_its_highest_step() {
    let summary =
        raised("service_time_us = 200, parallelism = 1024", &["--steps", "100%,200%", "--step", "3s"]);
    let found = finding(&summary, "still-scaling").unwrap();
    assert!((found["highest_iops"].as_f64().unwrap() / 980_000.0 - 1.0).abs() < 0.01, "{found}");
    assert!(finding(&summary, "stops-scaling").is_none());
}

#[test]
fn what_a_sweep_of_a_profile_refuses() {
    let bench = Bench::new();
    let profile = ["sweep", "oracle-slob-random", "--engine", "sim", "--dry-run"];
    let refused = |more: &[&str]| assert_eq!(bench.run(&[&profile[..], more].concat()).code, 2, "{more:?}");
    refused(&["--pattern", "read-64k"]);
    refused(&["--grid", "1,2"]);
    refused(&["--steps", "25%,50%"]);
    refused(&["--steps", "100%,2000%"]);
    assert_eq!(bench.run(&["sweep", "--steps", "50%,100%", "--dry-run"]).code, 2);
    assert_eq!(bench.run(&profile).code, 0);
}

#[test]
fn what_decides_the_load_itself_does_not_go_with_steps() {
    let bench = bench();
    for other in [&["--latency-limit", "2ms@p99"][..], &["--until-steady"]] {
        let refused = bench.run(&staircase("50%,100%", other));
        assert_eq!(refused.code, 2, "{other:?}");
        assert!(refused.stderr.contains("--steps says how much load there is"), "{}", refused.stderr);
    }
    // Steps of a profile are left out, and that is said.
    let search = ["run", "tpce-profile", "--engine", "sim", "--latency-limit", "2ms@p99", "--dry-run"];
    let plan = bench.run(&search);
    assert!(plan.stdout.contains("note      the 2 steps of `tpce-profile` are left out"), "{}", plan.stdout);
    let steady = bench.run(&["run", "tpce-profile", "--engine", "sim", "--until-steady", "--dry-run"]);
    assert_eq!(steady.code, 2);
    assert!(steady.stderr.contains("changes on purpose"), "{}", steady.stderr);
}

#[test]
fn runs_with_the_same_steps_of_the_same_need_are_of_one_load_however_the_closed_load_shared_it() {
    let bench = bench();
    let run = |label: &str, seed: &str, need: &str| {
        let steps = ["--steps", "50%,100%", "--ramp", "1s", "--duration", "4s"];
        let base =
            ["run", "sqlserver-oltp", "--engine", "sim", "--label", label, "--seed", seed, "--need", need];
        assert_ne!(bench.run(&[&base[..], &steps].concat()).code, 2);
    };
    run("a", "1", "20000iops");
    run("b", "2", "20000iops");
    run("more", "1", "25000iops");
    let both = bench.run(&["compare", "a", "b", "--json"]);
    assert_eq!((both.code, both.stderr.contains("cannot be compared")), (0, false), "{}", both.stderr);
    let other = bench.run(&["compare", "a", "more"]);
    assert!(other.stderr.contains("steps of 25,000 IOPS"), "{}", other.stderr);
}

#[test]
fn steps_of_a_need_say_up_to_which_share_of_it_the_device_carries() {
    let bench = Bench::new();
    // Without a rate: the need gives it.
    std::fs::write(bench.path().join("mix.toml"), PROFILE.replace("rate = \"16000 iops\"\n", "")).unwrap();
    let of_need = |need: &str, steps: &str| {
        let base =
            ["run", "mix.toml", "--engine", "sim", "--sim", CAPPED, "--seed", "1", "--quiet", "--json"];
        bench.run(&[&base[..], &["--need", need, "--steps", steps]].concat())
    };
    let summary = of_need("10000iops", "50%,100%,150%").json();
    let holds: Vec<_> = steps_of(&summary).iter().map(|step| (step.0, step.1)).collect();
    assert_eq!(holds, [(50.0, Some(true)), (100.0, Some(true)), (150.0, Some(false))]);
    assert!((steps_of(&summary)[1].2 / 10_000.0 - 1.0).abs() < 1e-6, "{summary:#}");
    let sentence = summary["verdict"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("sustains 100 % of the 10,000 IOPS that are needed, not 150 %"), "{sentence}");
    // Simulated, so that nothing is said of storage; but the need itself is not what fails.
    assert_eq!(summary["verdict"]["outcome"], "inconclusive");
    let summary = of_need("20000iops", "50%,100%").json();
    let sentence = summary["verdict"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("sustains 50 % of the 20,000 IOPS that are needed, not 100 %"), "{sentence}");
    let refused = of_need("20000iops", "25%,50%");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("no step of --steps reaches the needed rate"), "{}", refused.stderr);
}

#[test]
fn a_study_compares_the_peaks_of_its_runs() {
    let bench = bench();
    let study = r#"
format = "iotrial.study/1"
name = "stairs"
title = "Stairs"
profiles = ["orders.toml"]
repeats = 2
[load]
engine = "sim"
steps = "50%,100%"
[[configuration]]
label = "a"
sim = { service_time_us = 200.0 }
[[configuration]]
label = "b"
sim = { service_time_us = 400.0 }
"#;
    std::fs::write(bench.path().join("study.toml"), study).unwrap();
    let ran = bench.run(&["study", "study.toml", "--quiet", "--json"]);
    assert!(ran.code == 0 || ran.code == 4, "{} {}", ran.code, ran.stderr);
    assert!(
        ran.stdout.contains("16000") || ran.stdout.contains("1599") || ran.stdout.contains("1600"),
        "{}",
        ran.stdout
    );
    let of_need = study.replace("engine", "need = \"8000iops\"\nengine").replace("50%,100%", "50%,100%,150%");
    std::fs::write(bench.path().join("study.toml"), of_need.replace("orders.toml", "mix.toml")).unwrap();
    // Without a rate: the need gives it.
    std::fs::write(bench.path().join("mix.toml"), PROFILE.replace("rate = \"16000 iops\"\n", "")).unwrap();
    let ran = bench.run(&["study", "study.toml", "--quiet", "--restart"]);
    assert!(ran.code == 0 || ran.code == 4, "{} {}", ran.code, ran.stderr);
    let short = of_need.replace("50%,100%,150%", "50%,75%");
    std::fs::write(bench.path().join("study.toml"), short).unwrap();
    let ran = bench.run(&["study", "study.toml"]);
    assert!(ran.code == 2 && ran.stderr.contains("reaches the rate of `need`"), "{}", ran.stderr);
    let refused = study.replace("engine", "capacity = true\nengine");
    std::fs::write(bench.path().join("study.toml"), refused).unwrap();
    let ran = bench.run(&["study", "study.toml"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("`capacity` and `steps` exclude each other"),
        "{}",
        ran.stderr
    );
}
