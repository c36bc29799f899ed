//! What iotrial finds odd about devices whose truth is known: each finding provoked, and none on a healthy device.

use crate::support::Bench;
use serde_json::Value;

/// A run on the simulated device, with the ramp and time that the findings on rates need.
fn findings(profile: &str, seed: &str, sim: &str) -> Vec<Value> {
    findings_over(profile, seed, sim, "15s")
}

fn findings_over(profile: &str, seed: &str, sim: &str, duration: &str) -> Vec<Value> {
    let mut arguments = vec!["run", "--closed"];
    arguments.extend((!profile.is_empty()).then_some(profile));
    arguments.extend(["--engine", "sim", "--seed", seed, "--ramp", "1s", "--duration", duration]);
    arguments.extend(["--sim", sim, "--json", "--quiet"]);
    Bench::new().run(&arguments).json()["findings"].as_array().unwrap().clone()
}

/// The same of a load of one's own: the tables of its jobs.
fn findings_of(jobs: &str, seed: &str, sim: &str) -> Vec<Value> {
    let bench = Bench::new();
    let head = "format = \"iotrial.profile/1\"\nname = \"mine\"\ntitle = \"Mine\"\nschedule = { duration = \"15s\" }\n\
                quick = { size = \"1GiB\", duration = \"15s\" }\n";
    std::fs::write(bench.path().join("mine.toml"), format!("{head}{jobs}")).unwrap();
    let base = [
        "run",
        "--closed",
        "./mine.toml",
        "--engine",
        "sim",
        "--seed",
        seed,
        "--ramp",
        "1s",
        "--duration",
        "15s",
    ];
    let ran = bench.run(&[&base[..], &["--sim", sim, "--json", "--quiet"]].concat());
    ran.json()["findings"].as_array().unwrap().clone()
}

/// A job of random I/Os.
fn data(name: &str, read_percent: u8, iodepth: u32, more: &str) -> String {
    format!(
        "[[job]]\nname = \"{name}\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = {read_percent}\n\
         iodepth = {iodepth}\nsize = \"1GiB\"\n{more}\n"
    )
}

/// A job of log writes.
fn log(iodepth: u32, more: &str) -> String {
    format!(
        "[[job]]\nname = \"log\"\nrole = \"log\"\npattern = \"sequential\"\nrwmix_read_percent = 0\nblock_size = \"4KiB\"\n\
         iodepth = {iodepth}\nsize = \"1GiB\"\n{more}\n"
    )
}

const PAGES: &str = "block_size = \"8KiB\"";

/// A log of commits that arrive at a rate.
fn group_commit(iops: u32) -> String {
    let more = format!(
        "durability = \"dsync\"\nrate = \"{iops} iops\"\n\
         group_commit = {{ commit_size = \"700B\", largest_write = \"8KiB\" }}"
    );
    log(1, &more)
}

/// The one with that id, which has to be there.
#[track_caller]
fn provoked(id: &str, sim: &str) -> Value {
    let all = findings("sqlserver-oci-published", "7", sim);
    let found = all.iter().find(|finding| finding["id"] == id).cloned();
    found.unwrap_or_else(|| panic!("no {id} with `{sim}` in {all:#?}"))
}

fn number(finding: &Value, evidence: &str) -> f64 {
    finding["evidence"][evidence].as_f64().unwrap_or_else(|| panic!("no {evidence} in {finding:#}"))
}

#[test]
fn a_healthy_device_has_no_findings_whatever_the_seed_and_the_load() {
    for (profile, seed) in
        [("", "1"), ("", "2"), ("sqlserver-log", "3"), ("postgresql-oltp", "4"), ("oracle-slob-random", "5")]
    {
        for sim in [
            "",
            "service_time_us = 90, parallelism = 8",
            "service_spread = 0.9",
            "service_time_us = 6000, service_spread = 0.9, parallelism = 2",
        ] {
            let mut all = findings(profile, seed, sim);
            // 15 s are short, and said to be so.
            all.retain(|finding| finding["id"] != "short-run");
            assert_eq!(all, Vec::<Value>::new(), "{profile} {seed} `{sim}`");
        }
    }
}

#[test]
fn a_healthy_device_has_no_findings_under_any_kind_of_load() {
    let with_pages = |more: &str| format!("{PAGES}\n{more}");
    let loads = [
        ("rate", data("pages", 70, 64, &with_pages("rate = \"6000 iops\""))),
        ("copies", data("pages", 70, 1, &with_pages("numjobs = 32\nrate = \"6000 iops\""))),
        (
            "sizes",
            data(
                "pages",
                70,
                16,
                "block_sizes = [{ size = \"8KiB\", weight = 3 }, { size = \"256KiB\", weight = 1 }]",
            ),
        ),
        ("flush_every", log(1, "durability = \"fdatasync\"\nflush_every = 10")),
        (
            "bursts",
            data("pages", 100, 4, PAGES)
                + &data(
                    "checkpoint",
                    0,
                    64,
                    &with_pages("rate = \"300 iops\"\nbursts = { period = \"5s\", spread = \"1s\" }"),
                ),
        ),
        ("group commit", data("pages", 70, 4, PAGES) + &group_commit(2_000)),
        (
            "follower",
            data("pages", 70, 4, PAGES)
                + &log(
                    8,
                    "durability = \"dsync\"\nfollow = { job = \"pages\", per = \"write\", ratio = 0.25 }",
                ),
        ),
    ];
    for (name, jobs) in loads {
        for (seed, sim) in [
            ("1", "flush_us = 900"),
            // No round rates: what people set is taken for a limit.
            ("2", "flush_us = 900, service_time_us = 230, service_spread = 0.9"),
            ("3", "flush_us = 900, service_time_us = 470, parallelism = 8"),
        ] {
            let mut all = findings_of(&jobs, seed, sim);
            // 15 s are short, and said to be so.
            all.retain(|finding| finding["id"] != "short-run");
            assert_eq!(all, Vec::<Value>::new(), "{name} {seed} `{sim}`");
        }
    }
}

/// The finding with that id of a load of one's own, which has to be there.
#[track_caller]
fn provoked_by(jobs: &str, id: &str, sim: &str) -> Value {
    let all = findings_of(jobs, "7", sim);
    let found = all.iter().find(|finding| finding["id"] == id).cloned();
    found.unwrap_or_else(|| panic!("no {id} in {all:#?}"))
}

#[test]
fn a_rate_that_is_not_kept_is_told_of_its_job_and_is_not_steady() {
    // Ten commits fit into a write of 1 ms, and 15 arrive; the pages do 20,000 a second beside them.
    let jobs = data("pages", 100, 4, PAGES) + &group_commit(15_000);
    let sim = "flush_us = 800, service_time_us = 200, service_spread = 0";
    let found = provoked_by(&jobs, "not-issued", sim);
    assert_eq!(found["evidence"]["job"], "log");
    assert!((25.0..40.0).contains(&number(&found, "not_issued_percent")), "{found:#}");
    provoked_by(&jobs, "unsteady", sim);
    // A few hundred of them are too few to move what all jobs do together.
    let found = provoked_by(&(data("pages", 100, 32, PAGES) + &group_commit(11_500)), "not-issued", sim);
    assert_eq!(found["evidence"]["job"], "log");
}

#[test]
fn a_quiet_job_hides_neither_a_burst_nor_a_limit() {
    let jobs =
        data("pages", 70, 32, PAGES) + &data("quiet", 100, 512, &format!("{PAGES}\nrate = \"100 iops\""));
    let found = provoked_by(&jobs, "throttled-after-burst", "iops_cap = 2000, burst_s = 120");
    assert!((number(&found, "after_s") - 1.52).abs() < 0.05, "{found:#}");
    let found = provoked_by(&jobs, "flat-iops-limit", "iops_cap = 2000");
    assert!((number(&found, "limit_iops") - 2_000.0).abs() < 2.0, "{found:#}");
}

#[test]
fn a_cap_on_iops_is_told_with_its_value() {
    let found = provoked("flat-iops-limit", "iops_cap = 2000, burst_s = 4");
    assert!(found["message"].as_str().unwrap().starts_with("2,000 IOPS in every second"), "{found:#}");
    assert!((number(&found, "limit_iops") - 2_000.0).abs() < 2.0);
    // With several I/Os in work as well.
    assert!((number(&provoked("flat-iops-limit", "iops_cap = 20000"), "limit_iops") - 20_000.0).abs() < 20.0);
}

#[test]
fn a_cap_on_bandwidth_is_told_from_one_on_iops() {
    let found = provoked("flat-bandwidth-limit", "bandwidth_cap_mib_per_s = 100");
    assert!((number(&found, "limit_mib_per_s") - 100.0).abs() < 0.2);
    // One block size, so that both stand still.
    let all = findings("oracle-slob-random", "7", "bandwidth_cap_mib_per_s = 100");
    assert!(all.iter().any(|finding| finding["id"] == "flat-bandwidth-limit"), "{all:#?}");
    let all = findings("oracle-slob-random", "7", "iops_cap = 2000");
    assert!(all.iter().any(|finding| finding["id"] == "flat-iops-limit"), "{all:#?}");
}

#[test]
fn a_burst_is_told_with_the_second_in_which_it_ended() {
    // The device does 160,000 a second by itself; credits for 240,000 I/Os and 2,000 a second last 1.52 s.
    let found = provoked("throttled-after-burst", "iops_cap = 2000, burst_s = 120");
    assert!((number(&found, "after_s") - 1.52).abs() < 0.05, "{found:#}");
    assert_eq!((number(&found, "plateau").round(), &found["severity"]), (2_000.0, &"warning".into()));
    // In the ramp it does not touch the figures.
    let found = provoked("throttled-after-burst", "iops_cap = 2000, burst_s = 4");
    assert_eq!(found["severity"], "note");
}

#[test]
fn a_cache_is_told_by_the_two_latencies_that_it_makes() {
    let found = provoked("cache-served", "cache_hit_share = 0.3, cache_hit_us = 10");
    assert_eq!(found["evidence"]["seen_in"], "latency");
    assert!((number(&found, "cache_percent") - 30.0).abs() < 1.0, "{found:#}");
}

#[test]
fn a_cache_before_a_limit_is_no_limit_at_the_rate_of_both_together() {
    let sim =
        "service_time_us = 200, parallelism = 32, iops_cap = 20000, cache_hit_share = 0.4, cache_hit_us = 50";
    // The last interval of the second time is cut short.
    for (seed, duration) in [("1", "15s"), ("2", "15s"), ("3", "15s"), ("1", "15100ms"), ("2", "15100ms")] {
        let all = findings_over("", seed, sim, duration);
        let ids: Vec<&str> = all.iter().filter_map(|finding| finding["id"].as_str()).collect();
        assert!(ids.contains(&"cache-served"), "{all:#?}");
        assert!(!ids.iter().any(|id| id.starts_with("flat-")), "{all:#?}");
    }
}

#[test]
fn short_transfers_and_errors_are_told_apart() {
    let found = provoked("short-io", "short_share = 0.001");
    assert_eq!(number(&found, "moved_bytes") * 2.0, number(&found, "asked_bytes"));
    let all = findings("", "7", "error_share = 0.001");
    assert!(all.iter().any(|finding| finding["id"] == "io-errors"), "{all:#?}");
    assert!(all.iter().all(|finding| finding["id"] != "short-io"), "{all:#?}");
}

#[test]
fn a_stall_makes_a_run_unsteady_and_is_no_limit() {
    let all = findings("", "7", "stalls = [{start_s = 6, duration_s = 2}]");
    let ids: Vec<&str> = all.iter().map(|finding| finding["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"unsteady"), "{ids:?}");
    for id in ["throttled-after-burst", "flat-iops-limit", "flat-bandwidth-limit", "cache-served"] {
        assert!(!ids.contains(&id), "{ids:?}");
    }
}

/// 12,500 a second with 16 outstanding.
const TEN: &str = "service_time_us = 800, service_spread = 0.4, parallelism = 10";

/// Times of the simulated device or its host, all of the same length.
fn times(name: &str, starts_s: &[f64], duration_s: f64) -> String {
    let one = |start_s: &f64| format!("{{start_s = {start_s}, duration_s = {duration_s}}}");
    format!("{TEN}, {name} = [{}]", starts_s.iter().map(one).collect::<Vec<_>>().join(", "))
}

#[test]
fn freezes_of_tenths_of_a_second_are_counted_in_a_closed_and_in_an_open_load() {
    let starts_s = [3.4, 7.1, 11.6];
    let rate = |more: &str| data("pages", 70, 256, &format!("{PAGES}\n{more}"));
    let open = rate("rate = \"6000 iops\"\nspacing = \"poisson\"");
    for jobs in [data("pages", 70, 16, PAGES), open] {
        let found = provoked_by(&jobs, "stalled", &times("stalls", &starts_s, 0.3));
        assert_eq!(
            (number(&found, "freeze_count"), &found["severity"]),
            (3.0, &"warning".into()),
            "{found:#}"
        );
        assert!((number(&found, "frozen_s") - 0.9).abs() < 0.02, "{found:#}");
        // The host was away for as long: what is seen of it is no matter of the device.
        let ids: Vec<String> = findings_of(&jobs, "7", &times("host_pauses", &starts_s, 0.3))
            .iter()
            .map(|finding| finding["id"].as_str().unwrap().to_owned())
            .collect();
        assert!(ids.iter().any(|id| id == "paused") && !ids.iter().any(|id| id == "stalled"), "{ids:?}");
    }
    // For tens of milliseconds nobody could tell whose they are.
    let all: Vec<f64> = (0..15).map(|second| f64::from(second) + 1.3).collect();
    let jobs = data("pages", 70, 16, PAGES);
    for name in ["stalls", "host_pauses"] {
        let all = findings_of(&jobs, "7", &times(name, &all, 0.04));
        assert!(all.iter().all(|finding| finding["id"] == "short-run"), "{all:#?}");
    }
}

#[test]
fn a_cap_on_one_direction_of_a_mix_is_told_as_such() {
    let jobs = data("pages", 70, 16, PAGES);
    for (cap, direction, iops) in
        [("write", "write", 400.0), ("write", "write", 700.0), ("read", "read", 1_800.0)]
    {
        let found = provoked_by(&jobs, "flat-iops-limit", &format!("{TEN}, {cap}_iops_cap = {iops}"));
        assert_eq!(found["evidence"]["direction"], direction, "{found:#}");
        assert!((number(&found, "limit_iops") - iops).abs() <= 1.0, "{found:#}");
    }
    let found = provoked_by(&jobs, "flat-iops-limit", &format!("{TEN}, iops_cap = 3100"));
    assert!(found["evidence"]["direction"].is_null(), "{found:#}");
}

#[test]
fn a_device_that_drifts_is_unsteady_and_used_up_no_credits() {
    let jobs = data("pages", 100, 16, PAGES);
    for percent in [3, 4, 5] {
        let all = findings_of(&jobs, "7", &format!("{TEN}, drift_percent_per_s = {percent}"));
        let ids: Vec<&str> = all.iter().map(|finding| finding["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["unsteady", "short-run"], "{percent}");
    }
}

#[test]
fn random_arrivals_near_the_capacity_of_a_device_are_steady_and_a_drift_of_it_is_not() {
    let job = data("pages", 100, 256, &format!("{PAGES}\nrate = \"2111 iops\"\nspacing = \"poisson\""));
    let unsteady = |seed: &str, more: &str| {
        let sim = format!("service_time_us = 450, service_spread = 0.5, parallelism = 1{more}");
        let all = findings_of(&job, seed, &sim);
        all.iter().any(|finding| finding["id"] == "unsteady")
    };
    for seed in ["1", "2", "3", "4", "5", "6"] {
        assert!(!unsteady(seed, ""), "{seed}");
    }
    assert!(unsteady("1", ", drift_percent_per_s = 1"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_generator_is_watched_thread_by_thread_and_against_the_time_of_day() {
    // The null engine is nothing but generator. How much of a CPU it gets is the machine's affair.
    let bench = Bench::new();
    let arguments = [
        "run",
        "--closed",
        "sqlserver-log",
        "--engine",
        "null",
        "--ramp",
        "0s",
        "--duration",
        "2s",
        "--json",
        "--quiet",
    ];
    let summary = bench.run(&arguments).json();
    let cpu = &summary["cpu"];
    assert!(cpu["busiest_thread_percent"].as_f64().unwrap() > 0.0, "{cpu:#}");
    assert!(cpu["involuntary_switches_per_s"].as_f64().unwrap() >= 0.0, "{cpu:#}");
    let counts_waiting = std::path::Path::new("/proc/self/schedstat").exists();
    assert_eq!(cpu["run_queue_delay_ms_per_s"].is_number(), counts_waiting, "{cpu:#}");
    let record = std::fs::read_to_string(summary["record"].as_str().unwrap()).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let [wall_s, time_of_day_s] = ["wall_s", "time_of_day_s"].map(|key| record["cpu"][key].as_f64().unwrap());
    assert!((wall_s - time_of_day_s).abs() < 0.1, "{wall_s} {time_of_day_s}");
    assert!(summary["findings"].as_array().unwrap().iter().all(|one| one["id"] != "clock-jump"));
}

#[test]
fn what_a_host_that_pauses_makes_of_p99_is_told_with_its_size_and_a_queue_of_the_device_is_not() {
    // At 0.8 of what eight servers of 2 ms do. The host is away for 150 ms every two seconds: 7 % of all I/Os fall due meanwhile.
    let pauses: Vec<String> = (0..8)
        .map(|number| format!("{{start_s = {}, duration_s = 0.15}}", 1.3 + 2.0 * f64::from(number)))
        .collect();
    let pauses = format!(", host_pauses = [{}]", pauses.join(", "));
    let job = data("pages", 100, 256, &format!("{PAGES}\nrate = \"3200 iops\"\nspacing = \"poisson\""));
    let all = |more: &str| {
        let sim = format!("service_time_us = 2000, service_spread = 0, parallelism = 8{more}");
        findings_of(&job, "1", &sim)
    };
    let late = |more: &str| all(more).into_iter().find(|finding| finding["id"] == "late-issues");
    // The device alone, and with stalls of its own that are as long.
    assert_eq!(late(""), None);
    assert_eq!(late(&pauses.replace("host_pauses", "stalls")), None);
    let found = late(&pauses).unwrap();
    let p99 = &found["evidence"]["held"][0];
    let [latency_us, without_us] = ["latency_us", "without_us"].map(|key| p99[key].as_f64().unwrap());
    assert_eq!(p99["percent"], 99.0);
    assert!((130_000.0..400_000.0).contains(&latency_us), "{found:#}");
    // The device alone has a p99 of 4.3 ms. Behind each pause it has 480 I/Os at once, which wait for each other because they were late.
    assert!((3_000.0..8_000.0).contains(&without_us), "{found:#}");
}
