//! Every built-in profile as a user runs it: on a simulated device whose physics are known, and those with a durable log on
//! real files.

use crate::support::Bench;
use iotrial_model::builtin::{BuiltinProfile, builtin_profiles};
use iotrial_model::load::{Direction, Durability, Role};
use iotrial_model::profile::Profile;
use serde_json::Value;

fn number(summary: &Value, pointer: &str) -> f64 {
    summary.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {pointer} in {summary:#}"))
}

fn parsed(builtin: &BuiltinProfile) -> Profile {
    Profile::parse(builtin.text).unwrap()
}

fn has_bursts(profile: &Profile) -> bool {
    profile.jobs.iter().any(|job| job.bursts.is_some())
}

fn has_durable_log(profile: &Profile) -> bool {
    profile.jobs.iter().any(|job| job.role == Role::Log && job.durability != Durability::None)
}

/// A run on a device that takes 500 µs for an I/O and does 16 at once: 32,000 IOPS.
fn on_sim(bench: &Bench, profile: &Profile, more: &[&str]) -> Value {
    // Bursts are measured in whole periods, which are a minute long.
    let duration = if has_bursts(profile) { "60s" } else { "4s" };
    let base = [
        "run",
        "--closed",
        &profile.name,
        "--engine",
        "sim",
        "--sim",
        "service_time_us = 500, parallelism = 16",
    ];
    let rest = ["--seed", "7", "--ramp", "1s", "--duration", duration, "--json", "--quiet"];
    bench.run(&[&base[..], &rest, more].concat()).json()
}

#[test]
fn every_profile_runs_and_each_of_its_jobs_does_what_it_says() {
    let bench = Bench::new();
    for builtin in builtin_profiles() {
        let profile = parsed(builtin);
        let summary = on_sim(&bench, &profile, &[]);
        assert_eq!(summary["ended"], "complete", "{}", profile.name);
        for (position, job) in profile.jobs.iter().enumerate() {
            for direction in [Direction::Read, Direction::Write] {
                let is_asked = match direction {
                    Direction::Read => job.rwmix_read_percent > 0,
                    Direction::Write => job.rwmix_read_percent < 100,
                };
                let pointer = format!("/jobs/{position}/{direction}/io_count");
                let io_count = summary.pointer(&pointer).and_then(Value::as_f64).unwrap_or_default();
                assert_eq!(io_count > 0.0, is_asked, "{}: {} {direction}", profile.name, job.name);
            }
        }
    }
}

#[test]
fn a_durable_log_has_a_commit_latency_and_nothing_else_has_one() {
    let bench = Bench::new();
    for builtin in builtin_profiles() {
        let profile = parsed(builtin);
        let summary = on_sim(&bench, &profile, &[]);
        let commits = summary.pointer("/roles/log/commit/lat_p99_us").and_then(Value::as_f64);
        assert_eq!(commits.is_some(), has_durable_log(&profile), "{}", profile.name);
        // The device takes 500 µs for the write alone.
        assert!(commits.is_none_or(|p99_us| p99_us >= 490.0), "{}: {commits:?}", profile.name);
        for role in ["data", "tempdb", "scan", "backup"] {
            let commits = summary.pointer(&format!("/roles/{role}/commit/io_count"));
            assert!(commits.is_none_or(Value::is_null), "{}: {role}", profile.name);
        }
    }
}

#[test]
fn a_durable_log_has_a_commit_latency_on_real_files() {
    let bench = Bench::new();
    for builtin in builtin_profiles() {
        let profile = parsed(builtin);
        // Waves take a minute of real time.
        if !has_durable_log(&profile) || has_bursts(&profile) {
            continue;
        }
        let base = ["run", "--closed", builtin.name, "--target", "data", "--size", "192MiB", "--ramp", "0s"];
        let ran = bench.run(&[&base[..], &["--duration", "1s", "--json", "--quiet"]].concat());
        if ran.code == 3 {
            eprintln!("skipped: {}", ran.stderr);
            return;
        }
        let summary = ran.json();
        assert_eq!(summary["ended"], "complete", "{}", builtin.name);
        assert!(number(&summary, "/roles/log/commit/lat_mean_us") > 0.0, "{}", builtin.name);
    }
}

#[test]
fn quick_and_full_are_the_same_load() {
    let bench = Bench::new();
    for builtin in builtin_profiles() {
        let jobs = |more: &[&str]| {
            let base = ["run", builtin.name, "--engine", "sim", "--seed", "7", "--dry-run", "--json"];
            let mut plan = bench.run(&[&base[..], more].concat()).expect_code(0).json();
            let jobs = plan["jobs"].as_array_mut().unwrap();
            // Where the load is put differs with the sizes of the files.
            for job in jobs.iter_mut() {
                job.as_object_mut()
                    .unwrap()
                    .retain(|key, _| !["areas", "working_set_bytes"].contains(&key.as_str()));
            }
            plan["jobs"].take()
        };
        assert_eq!(jobs(&[]), jobs(&["--full"]), "{}", builtin.name);
    }
}

#[test]
fn the_tpce_profiles_have_the_published_ratios_and_transfer_sizes() {
    let bench = Bench::new();
    // Similar shares by one document, 9.7 to 1 by the traces of another.
    for (name, ratios) in [("tpce-profile", 0.95..1.05), ("tpce-read-heavy", 9.2..10.8)] {
        let profile = builtin_profiles().iter().find(|builtin| builtin.name == name).unwrap();
        let summary = on_sim(&bench, &parsed(profile), &[]);
        let of = |stream: &str, key: &str| number(&summary, &format!("/total/{stream}/{key}"));
        let ratio = of("read", "iops") / of("write", "iops");
        assert!(ratios.contains(&ratio), "{name}: {ratio}");
        let bytes = of("read", "bandwidth_mib_per_s") + of("write", "bandwidth_mib_per_s");
        let kb = bytes * 1_048_576.0 / 1_000.0 / (of("read", "iops") + of("write", "iops"));
        assert!((9.5..10.7).contains(&kb), "{name}: {kb}");
    }
}

#[test]
fn a_backup_writes_each_block_that_it_has_read() {
    let bench = Bench::new();
    let profile = builtin_profiles().iter().find(|builtin| builtin.name == "backup-restore").unwrap();
    let summary = on_sim(&bench, &parsed(profile), &[]);
    let of = |role: &str, stream: &str| number(&summary, &format!("/roles/{role}/{stream}/io_count"));
    let (read, written) = (of("scan", "read"), of("backup", "write"));
    assert!((read / written - 1.0).abs() < 0.01, "{read} {written}");
    // The reader belongs to the data, the writer to the target.
    let targets = ["--target", "scan=d", "--target", "backup=b", "--size", "64MiB"];
    let plan =
        bench.run(&[&["run", "backup-restore", "--engine", "sim", "--dry-run"][..], &targets].concat());
    assert_eq!(plan.code, 0, "{}", plan.stderr);
}

#[test]
fn acceptable_by_the_published_table_is_told_with_what_the_table_means_by_it() {
    let bench = Bench::new();
    let sim = "service_time_us = 2500, parallelism = 256";
    let base = ["run", "--closed", "sqlserver-oci-published", "--engine", "sim", "--sim", sim, "--seed", "7"];
    let summary =
        bench.run(&[&base[..], &["--ramp", "1s", "--duration", "5s", "--json", "--quiet"]].concat()).json();
    let verdict = &summary["verdict"];
    assert_eq!(
        (&verdict["thresholds"], &verdict["category"]),
        (&"oci-sqlserver".into(), &"acceptable".into())
    );
    assert_eq!(verdict["meaning"]["suitable_for"], "light OLTP or test environments");
    let reasons: Vec<&str> =
        verdict["reasons"].as_array().unwrap().iter().map(|reason| reason.as_str().unwrap()).collect();
    assert!(
        reasons.iter().any(|reason| reason.ends_with("suitable for light OLTP or test environments")),
        "{reasons:?}"
    );
}

#[test]
fn decision_support_may_take_up_to_30_ms_by_the_white_paper_bulk_loads_among_it() {
    let bench = Bench::new();
    let category = |service_time_us: u32| {
        let sim = format!("service_time_us = {service_time_us}, parallelism = 64");
        let base = [
            "run",
            "--closed",
            "sqlserver-dss",
            "--thresholds",
            "sqlserver-whitepaper",
            "--engine",
            "sim",
            "--sim",
            &sim,
        ];
        let rest = ["--seed", "7", "--ramp", "1s", "--duration", "20s", "--json", "--quiet"];
        bench.run(&[&base[..], &rest].concat()).json()["verdict"]["category"].clone()
    };
    assert_eq!((category(25_000), category(31_000)), ("acceptable".into(), "poor".into()));
}
