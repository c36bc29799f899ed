//! `iotrial run` as a user meets it.

use crate::support::Bench;
use serde_json::Value;

/// A run on a simulated device: its physics are known and it takes no time.
const SIM: &[&str] = &[
    "run",
    "--closed",
    "--engine",
    "sim",
    "--seed",
    "7",
    "--ramp",
    "1s",
    "--duration",
    "6s",
    "--json",
    "--quiet",
];

fn with<'a>(base: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [base, more].concat()
}

fn number(summary: &Value, pointer: &str) -> f64 {
    summary.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {pointer} in {summary:#}"))
}

#[test]
fn the_json_summary_has_the_documented_keys() {
    let bench = Bench::new();
    let summary = bench.run(SIM).json();
    for key in ["record", "ended", "verdict", "total", "roles", "jobs", "findings"] {
        assert!(summary.get(key).is_some(), "{key}");
    }
    for key in ["outcome", "category", "sentence", "reasons"] {
        assert!(summary["verdict"].get(key).is_some(), "{key}");
    }
    for key in [
        "io_count",
        "iops",
        "bandwidth_mib_per_s",
        "lat_mean_us",
        "lat_p50_us",
        "lat_p90_us",
        "lat_p95_us",
        "lat_p99_us",
        "lat_p999_us",
        "lat_p9999_us",
        "lat_max_us",
    ] {
        assert!(summary["total"]["read"][key].is_number(), "{key}");
        assert!(summary["roles"]["log"]["write"][key].is_number(), "{key}");
    }
    assert_eq!(summary["jobs"].as_array().unwrap().len(), 4);
    assert_eq!(summary["ended"], "complete");
    assert!(std::path::Path::new(summary["record"].as_str().unwrap()).is_file());
}

#[test]
fn the_mix_keeps_its_shares_and_littles_law() {
    let bench = Bench::new();
    let summary = bench.run(&with(&["run", "sqlserver-oci-published"], &SIM[1..])).json();
    let share = |role: &str| {
        let count = |direction: &str| number(&summary, &format!("/roles/{role}/{direction}/io_count"));
        100.0 * count("read") / (count("read") + count("write"))
    };
    assert!((share("data") - 70.0).abs() < 1.0, "{}", share("data"));
    assert!((share("tempdb") - 50.0).abs() < 1.0, "{}", share("tempdb"));
    let log = |key: &str| number(&summary, &format!("/roles/log/write/{key}"));
    assert!((log("bandwidth_mib_per_s") / log("iops") * 1024.0 - 64.0).abs() < 1e-6);
    let outstanding: f64 = ["read", "write"]
        .map(|one| {
            number(&summary, &format!("/total/{one}/iops"))
                * number(&summary, &format!("/total/{one}/lat_mean_us"))
        })
        .iter()
        .sum();
    assert!((outstanding / 1e6 / 176.0 - 1.0).abs() < 0.03, "{outstanding}");
}

#[test]
fn the_same_plan_and_seed_give_the_same_record_apart_from_id_checksum_and_times_of_day() {
    let bench = Bench::new();
    let record = || {
        let path = bench.run(SIM).json()["record"].as_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let whole: Value = serde_json::from_str(&text).unwrap();
        let replaced = |text: String, key: &str| text.replace(whole[key].as_str().unwrap(), key);
        // The checksum is that of a whole that has the other two.
        ["id", "started_at", "checksum"].into_iter().fold(text, replaced)
    };
    assert_eq!(record(), record());
}

#[test]
fn a_run_on_real_files_measures_and_leaves_nothing_behind() {
    for engine in ["uring", "threads"] {
        let bench = Bench::new();
        let arguments = [
            "run",
            "--closed",
            "--engine",
            engine,
            "--target",
            "data",
            "--size",
            "64MiB",
            "--ramp",
            "0s",
            "--duration",
            "1s",
            "--json",
            "--quiet",
        ];
        let ran = bench.run(&arguments);
        if engine == "uring" && ran.code == 3 {
            eprintln!("skipped: this host refuses io_uring: {}", ran.stderr);
            continue;
        }
        let summary = ran.json();
        assert_eq!(summary["ended"], "complete");
        for role in ["data", "tempdb", "log"] {
            assert!(number(&summary, &format!("/roles/{role}/write/io_count")) > 0.0, "{role}");
            assert_eq!(number(&summary, &format!("/roles/{role}/write/error_count")), 0.0, "{role}");
        }
        assert!(number(&summary, "/cpu/per_io_us") > 0.0);
        if cfg!(target_os = "linux") {
            let of_record = std::fs::read_to_string(summary["record"].as_str().unwrap()).unwrap();
            let record: Value = serde_json::from_str(&of_record).unwrap();
            assert_eq!(record["host_activity"], summary["host_activity"]);
            assert!(number(&summary, "/host_activity/during/duration_s") >= 1.0);
            assert!(number(&summary, "/host_activity/during/others_cpu_percent") >= 0.0);
            // Without a terminal nobody looked before it began.
            assert_eq!(summary["host_activity"].get("before"), None);
            assert_eq!(ran.stderr, "");
        }
        assert_eq!(bench.data_files(), Vec::<std::path::PathBuf>::new());
        assert_eq!((bench.stored(".iotrial.json").len(), bench.stored(".html").len()), (1, 1));
        assert_eq!(bench.stored(".journal").len(), 0);
    }
}

#[test]
fn a_simulated_device_waits_for_no_quiet_host_and_a_wait_needs_a_unit() {
    let bench = Bench::new();
    for wait in ["off", "0", "10m"] {
        let ran = bench.run(&with(SIM, &["--wait-for-quiet", wait]));
        let has_looked = ran.json().get("host_activity").is_some();
        assert_eq!((has_looked, ran.stderr.as_str()), (false, ""), "{wait}");
    }
    for command in ["run", "sweep"] {
        bench.run(&[command, "--engine", "sim", "--wait-for-quiet", "5"]).expect_code(2);
    }
}

#[test]
fn a_directory_that_the_run_made_is_gone_afterwards() {
    let bench = Bench::new();
    let arguments = [
        "run",
        "--closed",
        "--target",
        "new",
        "--size",
        "64MiB",
        "--ramp",
        "0s",
        "--duration",
        "1s",
        "--quiet",
        "--json",
    ];
    assert_eq!(bench.run(&arguments).json()["ended"], "complete");
    assert!(!bench.path().join("new").exists());
}

#[test]
fn a_kept_file_is_used_again_and_one_without_its_content_is_filled_again() {
    let bench = Bench::new();
    let arguments = [
        "run",
        "--closed",
        "sqlserver-log",
        "--target",
        "data",
        "--size",
        "16MiB",
        "--ramp",
        "0s",
        "--duration",
        "1s",
        "--json",
        "--quiet",
        "--keep-files",
    ];
    let layout = || {
        let path = bench.run(&arguments).json()["record"].as_str().unwrap().to_owned();
        let record: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        (
            record["layout"]["written_bytes"].as_u64().unwrap(),
            record["layout"]["reused_bytes"].as_u64().unwrap(),
        )
    };
    let (written, reused) = layout();
    assert!(written > 0 && reused == 0);
    assert_eq!(layout(), (0, written));
    let file = bench.data_files().pop().unwrap();
    for mode in ["--punch-hole", "--keep-size"] {
        let fallocate = std::process::Command::new("fallocate")
            .args([mode, "--offset", "2MiB", "--length", "4MiB"])
            .arg(&file)
            .status();
        if !fallocate.is_ok_and(|status| status.success()) {
            eprintln!("skipped: `fallocate` cannot punch holes here");
            return;
        }
    }
    // The extent is allocated and unwritten now: its reads would never reach the disk.
    assert_eq!(layout(), (written, 0));
}

#[test]
fn dry_run_says_everything_and_writes_nothing() {
    let bench = Bench::new();
    let ran = bench.run(&["run", "--target", "data", "--size", "64MiB", "--dry-run"]).expect_code(0);
    for part in ["sql-data", "checkpoint", "tempdb", "sql-log", "ramp 2 s", "measure 30 s", "312"] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    assert!(bench.data_files().is_empty() && !bench.store().exists());
    let plan = bench
        .run(&["run", "--target", "data", "--size", "64MiB", "--dry-run", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(plan["jobs"].as_array().unwrap().len(), 4);
}

#[test]
fn label_and_attributes_are_in_the_record() {
    let bench = Bench::new();
    let more = ["--label", "three", "--attribute", "volumes=3", "--attribute", "driver=sr-iov"];
    let summary = bench.run(&with(SIM, &more)).json();
    let text = std::fs::read_to_string(summary["record"].as_str().unwrap()).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["label"], "three");
    assert_eq!(record["attributes"], serde_json::json!({ "volumes": 3, "driver": "sr-iov" }));
}

#[test]
fn errors_of_the_device_are_counted_shown_and_recorded_and_the_run_goes_on() {
    let bench = Bench::new();
    let ran = bench.run(&with(SIM, &["--sim", "error_share = 0.01"]));
    let summary = ran.json();
    assert_eq!((summary["ended"].as_str(), ran.code), (Some("complete"), 1));
    assert!(number(&summary, "/total/read/error_count") > 0.0);
    let ids: Vec<&str> =
        summary["findings"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"io-errors"), "{ids:?}");
    assert_eq!(summary["verdict"]["outcome"], "not-qualified");
}

#[test]
fn a_job_whose_every_io_fails_ends_the_run_with_a_record() {
    let bench = Bench::new();
    let failing = with(SIM, &["--sim", "error_share = 1"]);
    let ran = bench.run(&failing).expect_code(3);
    assert_eq!(ran.json()["ended"], "failed");
    // Where it saturates is no question then.
    let shown: Vec<&str> = failing.iter().copied().filter(|word| *word != "--json").collect();
    let ran = bench.run(&shown).expect_code(3);
    assert!(ran.stdout.contains("next: iotrial check"), "{}\n{}", ran.stdout, ran.stderr);
}

#[test]
fn the_report_is_one_file_without_network_and_names_the_verdict() {
    let bench = Bench::new();
    let summary =
        bench.run(&with(SIM, &["--html", "out.html", "--label", "<script>alert(1)</script>"])).json();
    let html = std::fs::read_to_string(bench.path().join("out.html")).unwrap();
    assert!(html.len() < 1 << 20, "{} bytes", html.len());
    assert!(html.contains("Content-Security-Policy") && !html.contains("<script>alert"));
    for load in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!html.contains(load), "{load}");
    }
    assert!(summary["verdict"]["sentence"].as_str().unwrap().len() > 10);
}

#[test]
fn an_own_profile_runs_from_its_file() {
    let bench = Bench::new();
    let text = bench.run(&["profiles", "sqlserver-log"]).expect_code(0).stdout;
    std::fs::write(bench.path().join("mine.toml"), text.replace("\"sqlserver-log\"", "\"mine\"")).unwrap();
    let mut arguments = SIM.to_vec();
    arguments.insert(1, "./mine.toml");
    assert_eq!(bench.run(&arguments).json()["ended"], "complete");
}

#[test]
fn without_a_terminal_progress_is_lines_and_quiet_is_silent() {
    let bench = Bench::new();
    let loud: Vec<&str> = SIM.iter().copied().filter(|argument| *argument != "--quiet").collect();
    let ran = bench.run(&loud);
    let last = ran.stderr.lines().rfind(|line| line.starts_with("measure, ")).unwrap();
    assert!(last.contains(", 0:00 left: data ") && last.contains(" IOPS, mean "), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stdout.contains('\u{1b}'));
    assert_eq!(bench.run(SIM).stderr, "");
}

#[cfg(unix)]
#[test]
fn a_browser_without_network_shows_the_report_and_objects_to_nothing() {
    let bench = Bench::new();
    bench.run(&with(SIM, &["--html", "out.html"]));
    let page = format!("file://{}", bench.path().join("out.html").display());
    let profile = format!("--user-data-dir={}", bench.path().join("browser").display());
    let quiet =
        ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];
    let browser = std::process::Command::new("timeout")
        .args(["60", "chromium"])
        .args(quiet)
        .args([&profile, "--enable-logging=stderr", "--dump-dom", &page])
        .output();
    let Some(shown) = browser.ok().filter(|output| output.status.success()) else {
        eprintln!("skipped: there is no `chromium` that runs here");
        return;
    };
    let (dom, log) = (String::from_utf8_lossy(&shown.stdout), String::from_utf8_lossy(&shown.stderr));
    assert!(dom.contains("sqlserver-oltp") && dom.contains("</svg>"), "{dom}");
    assert!(!log.contains("Content Security Policy") && !log.contains("CONSOLE"), "{log}");
}

#[test]
fn what_cannot_be_polled_is_refused_with_a_hint_before_anything_is_written() {
    let bench = Bench::new();
    // Nothing of it is durable: a wait for stable storage cannot be polled either, and is refused first.
    let base =
        ["run", "sqlserver-oci-published", "--closed", "--polled", "--target", "data", "--size", "32MiB"];
    let run = with(&base, &["--duration", "1s", "--quiet", "--json"]);
    let check = |more: &[&str], code: i32, message: &str| {
        let ran = bench.run(&with(&run, more)).expect_code(code);
        assert!(ran.stderr.contains(message) && ran.stderr.contains("hint:"), "{}", ran.stderr);
        assert!(bench.data_files().is_empty() && bench.stored(".json").is_empty(), "{message}");
    };
    check(&["--engine", "threads"], 2, "the `threads` engine cannot poll for completions");
    check(&["--engine", "null"], 2, "the `null` engine cannot poll for completions");
    let any_polls =
        |switch: &std::path::Path| std::fs::read_to_string(switch).is_ok_and(|text| text.trim() == "1");
    let disks = std::fs::read_dir("/sys/block").into_iter().flatten().flatten();
    if disks.map(|disk| disk.path().join("queue/io_poll")).any(|switch| any_polls(&switch)) {
        eprintln!("skipped: a device of this host can be polled");
        return;
    }
    check(&["--engine", "uring", "--buffered"], 2, "I/O through the page cache cannot be polled");
    check(&["--engine", "uring"], 3, "polled for completions");
}

#[test]
fn a_priority_is_recorded_as_it_was_granted_or_refused_with_a_hint_before_anything_is_written() {
    let bench = Bench::new();
    let base =
        ["run", "sqlserver-log", "--closed", "--engine", "null", "--duration", "1s", "--quiet", "--json"];
    let ran = bench.run(&with(&base, &["--priority", "high", "--label", "high"]));
    if ran.code == 3 {
        // Whoever may not, and another operating system.
        assert!(ran.stderr.contains("hint:") && bench.stored(".json").is_empty(), "{}", ran.stderr);
        return;
    }
    bench.run(&with(&base, &["--priority", "normal", "--label", "normal"]));
    let [high, normal]: [serde_json::Value; 2] = ["high", "normal"].map(|label| {
        let is_named = |record: &serde_json::Value| record["label"] == label;
        bench
            .stored(".json")
            .into_iter()
            .map(|path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
            .find(is_named)
            .unwrap()
    });
    assert_eq!(
        (&high["plan"]["priority"], &high["engine_setup"]["priority"]["nice"]),
        (&"high".into(), &(-10).into())
    );
    assert!(normal["plan"]["priority"].is_null() && normal["engine_setup"]["priority"].is_null());
}

#[test]
fn metrics_of_an_application_are_kept_shown_and_compared_and_a_failed_command_costs_no_run() {
    let bench = Bench::new();
    let run = |label: &str, metric: &str, command: &str| {
        let arguments = [
            "run",
            "--closed",
            "--engine",
            "sim",
            "--sim",
            "service_time_us = 200, parallelism = 32",
            "--seed",
            "1",
            "--duration",
            "20s",
            "--label",
            label,
            "--metric",
            metric,
            "--metric-command",
            command,
            "--details",
        ];
        bench.run(&arguments)
    };
    let first = run("before", "batch_requests_per_s=13100", "restore_s=echo 40");
    assert!(first.stdout.contains("batch_requests_per_s"), "{}", first.stdout);
    let second = run("after", "batch_requests_per_s=17500", "restore_s=exit 3");
    assert!(second.stderr.contains("no metric restore_s"), "{}", second.stderr);
    let json = bench.run(&["report", "after", "--json"]).json();
    assert_eq!(json["metrics"], serde_json::json!({ "batch_requests_per_s": 17_500.0 }));
    let ids: Vec<&str> =
        json["findings"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    assert!(ids.contains(&"metric-missing"), "{ids:?}");
    bench.run(&["label", "after", "--metric", "restore_s=20"]).expect_code(0);
    let compared = bench.run(&["compare", "before", "after", "--json"]).json();
    let deltas = compared["against_baseline"][0]["deltas"].as_array().unwrap();
    let reading = |metric: &str| {
        deltas.iter().find(|one| one["metric"] == metric).map(|one| one["reading"].as_str().unwrap())
    };
    assert_eq!(reading("other.batch_requests_per_s"), Some("better"));
    assert_eq!(reading("other.restore_s"), Some("much-better"));
    for wrong in ["tps=nan", "tps", "a b=1", "tps=-1"] {
        bench.run(&["run", "--metric", wrong, "--details"]).expect_code(2);
    }
    bench.run(&["run", "--metric", "tps=1", "--metric", "tps=2", "--details"]).expect_code(2);
}

#[test]
fn settings_are_proposed_for_the_database_of_the_profile_alone_and_with_a_reserve_of_a_simulated_device() {
    let bench = Bench::new();
    let settings = |profile: &str| {
        let device = "service_time_us = 200, parallelism = 32";
        let arguments = [
            "run",
            profile,
            "--closed",
            "--engine",
            "sim",
            "--sim",
            device,
            "--seed",
            "1",
            "--duration",
            "10s",
            "--json",
        ];
        let json = bench.run(&arguments).json();
        let settings = json["settings"].as_array().cloned().unwrap_or_default();
        // What follows from the host alone is as sure as on a real device.
        let of_host = |one: &Value| one["evidence"].get("cpu_count").is_some();
        let is_right = |one: &Value| (one["reserve"] == "the device was simulated") != of_host(one);
        assert!(settings.iter().all(is_right), "{settings:#?}");
        settings.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(settings("mysql-oltp"), ["innodb_io_capacity", "innodb_io_capacity_max"]);
    assert_eq!(settings("sqlserver-oltp"), ["number of tempdb data files"]);
    assert_eq!(settings("postgresql-oltp"), [""; 0]);
    assert_eq!(settings("kafka"), [""; 0]);
    let shown = bench.run(&["report", "last"]).stdout;
    assert!(!shown.contains("Suggested settings"), "{shown}");
}

#[test]
fn an_anonymous_record_and_its_page_say_nothing_of_whose_machine_it_was() {
    let bench = Bench::new();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let data = bench.data().to_string_lossy().into_owned();
    let run = [
        "run",
        "oci-64k-read",
        "--closed",
        "--target",
        &data,
        "--size",
        "8MiB",
        "--duration",
        "1s",
        "--quiet",
    ];
    let sweep = [
        "sweep",
        "--target",
        &data,
        "--size",
        "8MiB",
        "--grid",
        "1",
        "--step",
        "1s",
        "--pattern",
        "randread-8k",
        "--quiet",
    ];
    for command in [&run[..], &sweep] {
        bench.run(&[command, &["--anonymous"]].concat());
    }
    let mut looked_at = 0;
    for ending in [".iotrial.json", ".iotrial-sweep.json", ".html"] {
        for path in bench.stored(ending) {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.contains("anonymous") && text.contains("target-1"), "{path:?}");
            assert!(!text.contains(&data) && !text.contains("\"serial\""), "{path:?}");
            assert!(host.trim().len() < 3 || !text.contains(host.trim()), "{path:?}");
            looked_at += 1;
        }
    }
    assert_eq!(looked_at, 4);
}

#[test]
fn a_gate_on_the_capacity_of_a_run_that_looks_for_none_says_what_to_leave_out() {
    let bench = Bench::new();
    let refused = bench.run(&["run", "--engine", "sim", "--closed", "--gate", "capacity >= 100IOPS"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("this run does not search for it"), "{}", refused.stderr);
    assert!(refused.stderr.contains("leave --closed"), "{}", refused.stderr);
}
