//! `iotrial sweep` as a user meets it, on simulated devices whose knee and ceiling are known.

use crate::support::{Bench, Ran};
use serde_json::Value;

/// A device and its truth.
struct Device {
    name: &'static str,
    sim: &'static str,
    pattern: &'static str,
    /// With `c` servers of `s` seconds each and a limit of `r` I/Os per second: the smaller of `c` and `r s`, at least 1. It
    /// is where the straight line `N / s` meets the ceiling.
    knee: f64,
    /// The smaller of `c / s` and `r`.
    ceiling_iops: f64,
    /// Whether a burst precedes the ceiling.
    bursts: bool,
}

const fn device(
    name: &'static str,
    sim: &'static str,
    pattern: &'static str,
    knee: f64,
    ceiling_iops: f64,
) -> Device {
    Device { name, sim, pattern, knee, ceiling_iops, bursts: false }
}

const fn bursting(device: Device) -> Device {
    Device { bursts: true, ..device }
}

const DEVICES: &[Device] = &[
    device("one at a time", "service_time_us = 1000, parallelism = 1", "randread-8k", 1.0, 1_000.0),
    device(
        "three",
        "service_time_us = 1000, parallelism = 3, service_spread = 0",
        "randread-8k",
        3.0,
        3_000.0,
    ),
    device("eight", "service_time_us = 500, parallelism = 8", "randwrite-8k", 8.0, 16_000.0),
    device("thirteen", "service_time_us = 800, parallelism = 13", "randread-4k", 13.0, 16_250.0),
    device("a queue of 32", "service_time_us = 1000, parallelism = 32", "randrw70-8k", 32.0, 32_000.0),
    device(
        "wide spread",
        "service_time_us = 2000, service_spread = 1.0, parallelism = 48",
        "randread-8k",
        48.0,
        24_000.0,
    ),
    device("a hundred", "service_time_us = 4000, parallelism = 100", "randread-8k", 100.0, 25_000.0),
    device("two hundred", "service_time_us = 8000, parallelism = 200", "randread-8k", 200.0, 25_000.0),
    device(
        "IOPS cap",
        "service_time_us = 2000, parallelism = 64, iops_cap = 2000",
        "randread-8k",
        4.0,
        2_000.0,
    ),
    device(
        "IOPS cap, slow",
        "service_time_us = 3000, parallelism = 64, iops_cap = 5000",
        "randread-8k",
        15.0,
        5_000.0,
    ),
    device(
        "IOPS cap below one",
        "service_time_us = 500, parallelism = 32, iops_cap = 1000",
        "randread-8k",
        1.0,
        1_000.0,
    ),
    device(
        "bandwidth cap",
        "service_time_us = 5000, parallelism = 64, bandwidth_cap_mib_per_s = 100",
        "read-64k",
        8.0,
        1_600.0,
    ),
    device(
        "bandwidth cap, large",
        "service_time_us = 20000, parallelism = 64, bandwidth_cap_mib_per_s = 400",
        "write-512k",
        16.0,
        800.0,
    ),
    bursting(device(
        "burst that ends in the long probe",
        "service_time_us = 4000, parallelism = 64, iops_cap = 3000, burst_s = 20",
        "randread-8k",
        12.0,
        3_000.0,
    )),
    bursting(device(
        "burst that ends before the long probe measures",
        "service_time_us = 4000, parallelism = 32, iops_cap = 2000, burst_s = 3.5",
        "randread-8k",
        8.0,
        2_000.0,
    )),
    bursting(device(
        "burst of bytes",
        "service_time_us = 8000, parallelism = 32, bandwidth_cap_mib_per_s = 50, burst_s = 15",
        "read-64k",
        6.4,
        800.0,
    )),
];

fn sweep(bench: &Bench, more: &[&str]) -> Ran {
    let base = ["sweep", "--engine", "sim", "--seed", "7", "--json", "--quiet"];
    bench.run(&[&base, more].concat())
}

fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {pointer} in {value:#}"))
}

#[test]
fn knee_and_ceiling_are_found_within_five_percent_in_a_quarter_of_the_time_of_the_grid() {
    const STEP_S: f64 = 10.0;
    const GRID_LOADS: f64 = 8.0;
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for device in DEVICES {
        let summary =
            sweep(&bench, &["--pattern", device.pattern, "--sim", device.sim]).expect_code(0).json();
        let curve = &summary["curves"][0];
        let knee = number(curve, "/saturation/knee/outstanding") / device.knee - 1.0;
        let ceiling = number(curve, "/saturation/ceiling_iops") / device.ceiling_iops - 1.0;
        let time_share = number(&summary, "/measured_s") / (GRID_LOADS * STEP_S);
        let bursts = curve["sustained"]["burst"].is_object();
        eprintln!(
            "{:<48} knee {:+.2} %, ceiling {:+.2} %, {:.1} % of the grid's time, {} probes",
            device.name,
            100.0 * knee,
            100.0 * ceiling,
            100.0 * time_share,
            curve["probes"].as_array().unwrap().len()
        );
        if knee.abs() > 0.05 || ceiling.abs() > 0.05 || time_share > 0.25 || bursts != device.bursts {
            wrong.push(format!("{}: {:#}", device.name, curve["saturation"]));
        }
    }
    assert!(DEVICES.len() >= 12 && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_caps_of_a_volume_are_named_whatever_the_seed() {
    let bench = Bench::new();
    let kinds = |sim: &str, seed: &str, more: &[&str]| -> Vec<String> {
        let arguments =
            [&["sweep", "--engine", "sim", "--sim", sim, "--seed", seed, "--json", "--quiet"], more].concat();
        let summary = bench.run(&arguments).expect_code(0).json();
        let limits = summary["curves"].as_array().unwrap().iter().map(|curve| &curve["limit"]["kind"]);
        limits.map(|kind| kind.as_str().unwrap().to_owned()).collect()
    };
    let volume = "service_time_us = 500, parallelism = 64, iops_cap = 3000, bandwidth_cap_mib_per_s = 125";
    for seed in ["1", "2", "3"] {
        let found = kinds(volume, seed, &[]);
        assert_eq!(found[..2], ["iops-cap", "iops-cap"], "seed {seed}: {found:?}");
        assert_eq!(found[2..], ["bandwidth-cap"; 4], "seed {seed}: {found:?}");
    }
    for cap in ["500", "2000", "5000", "20000"] {
        for seed in ["1", "2", "3", "4"] {
            let sim = format!("service_time_us = 200, parallelism = 64, iops_cap = {cap}");
            assert_eq!(kinds(&sim, seed, &["--pattern", "randread-8k"]), ["iops-cap"], "{cap}, seed {seed}");
        }
    }
    // Servers that are all at work are no cap.
    let busy = "service_time_us = 500, parallelism = 64, service_spread = 0.5";
    assert_eq!(kinds(busy, "1", &["--pattern", "randread-8k"]), ["device"]);
}

#[test]
fn the_grid_measures_what_was_asked_and_finds_the_same() {
    let bench = Bench::new();
    let arguments = [
        "--pattern",
        "randread-8k",
        "--grid",
        "128,1,2,4,8,16,32,64",
        "--step",
        "2s",
        "--sim",
        "service_time_us = 2000, parallelism = 24",
    ];
    let summary = sweep(&bench, &arguments).expect_code(0).json();
    let probes = summary["curves"][0]["probes"].as_array().unwrap();
    let loads: Vec<u64> = probes.iter().map(|probe| probe["outstanding"].as_u64().unwrap()).collect();
    assert_eq!(loads, [1, 2, 4, 8, 16, 32, 64, 128]);
    let knee = number(&summary, "/curves/0/saturation/knee/outstanding");
    assert!((knee / 24.0 - 1.0).abs() < 0.05, "{knee}");
    assert_eq!(summary["curves"][0]["saturation"]["fit"]["model"], "queueing");
}

#[test]
fn the_series_of_the_paper_has_its_tests_in_its_order() {
    let bench = Bench::new();
    let summary = sweep(&bench, &["--series", "sqlio", "--step", "1s"]).expect_code(0).json();
    let tests: Vec<String> = summary["curves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|curve| format!("{}@{}", curve["pattern"].as_str().unwrap(), curve["probes"][0]["outstanding"]))
        .collect();
    assert_eq!(
        tests.join(" "),
        "randwrite-8k@32 randread-8k@32 write-4k@1 write-8k@1 write-16k@1 write-32k@1 write-64k@1 \
         read-8k@8 read-64k@8 read-128k@8 read-256k@8 write-8k@8 write-64k@8 write-128k@8 write-256k@8"
    );
}

#[test]
fn the_channel_is_swept_in_sequence_on_small_files_and_its_ceiling_is_that_of_the_way() {
    let bench = Bench::new();
    let sim = "service_time_us = 500, parallelism = 32, bandwidth_cap_mib_per_s = 400";
    let summary = sweep(&bench, &["--channel", "--sim", sim]).expect_code(0).json();
    assert_eq!(summary["method"], "channel");
    let curves = summary["curves"].as_array().unwrap();
    let patterns: Vec<&str> = curves.iter().map(|curve| curve["pattern"].as_str().unwrap()).collect();
    assert_eq!(patterns, ["read-64k", "read-512k", "write-512k"]);
    for curve in curves {
        let ceiling = number(curve, "/saturation/ceiling_mib_per_s");
        assert!((ceiling / 400.0 - 1.0).abs() < 0.05, "{curve:#}");
    }
    for curve in curves {
        assert_eq!(curve["limit"]["kind"], "bandwidth-cap", "{:#}", curve["limit"]);
        assert!(
            curve["limit"]["sentence"].as_str().unwrap().starts_with("400.0 MiB/s"),
            "{:#}",
            curve["limit"]
        );
    }
}

#[test]
fn a_sweep_is_written_in_every_form_with_its_knee_ringed() {
    let bench = Bench::new();
    let files = ["--html", "s.html", "--xlsx", "s.xlsx", "--markdown", "s.md", "--csv", "s.csv"];
    sweep(&bench, &[&["--pattern", "randread-8k", "--step", "2s"][..], &files].concat()).expect_code(0);
    for (file, begin) in [("s.html", "<!doctype"), ("s.xlsx", "PK"), ("s.md", "# Sweep"), ("s.csv", "run,")] {
        bench.expect_file(file, begin);
    }
    let html = std::fs::read_to_string(bench.path().join("s.html")).unwrap();
    assert_eq!(
        html.matches("class=\"ring hue-0\" d=\"M").count(),
        2 + 1 + 2,
        "two charts and the legend, and the first view with its own"
    );
    assert!(html.contains("I/Os per second of randread-8k") && html.contains("Mean latency of randread-8k"));
    let refused = sweep(&bench, &["--xlsx", "absent/s.xlsx"]).expect_code(2).stderr;
    assert!(refused.contains("cannot write `absent/s.xlsx`"), "{refused}");
}

#[test]
fn a_sweep_is_kept_listed_and_shown_again() {
    let bench = Bench::new();
    let arguments = ["--pattern", "randread-8k", "--label", "one", "--step", "2s"];
    let first = sweep(&bench, &arguments).expect_code(0).json();
    let records = bench.run(&["records", "--json"]).json();
    assert_eq!((&records[0]["profile"], &records[0]["label"]), (&"sweep".into(), &"one".into()));
    let id = records[0]["id"].as_str().unwrap();
    let mut again = bench.run(&["report", id, "--json"]).expect_code(0).json();
    let report = again.as_object_mut().unwrap();
    let mut first = first;
    first.as_object_mut().unwrap().remove("report");
    report.remove("report");
    assert_eq!(again, first);
    let shown = bench.run(&["report", id, "--html", "out.html", "--details"]).expect_code(0);
    for part in ["Where it saturates", "What limits it", "randread-8k"] {
        assert!(shown.stdout.contains(part), "{part}\n{}", shown.stdout);
    }
    let html = std::fs::read_to_string(bench.path().join("out.html")).unwrap();
    assert!(html.contains("</svg>") && html.contains("Every probe"));
}

#[test]
fn real_files_are_swept_and_nothing_is_left() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path().join("other")).unwrap();
    let arguments = [
        "sweep",
        "--target",
        "data",
        "--target",
        "other",
        "--size",
        "64MiB",
        "--step",
        "200ms",
        "--idle",
        "0s",
        "--pattern",
        "randrw-8k,read-64k",
        "--repeats",
        "1",
        "--json",
    ];
    let ran = bench.run(&arguments).expect_code(0);
    assert!(
        ran.stderr.lines().any(|line| line.starts_with("randrw-8k") && line.contains("outstanding")),
        "{}",
        ran.stderr
    );
    let summary = ran.json();
    assert_eq!(summary["curves"].as_array().unwrap().len(), 4);
    if cfg!(target_os = "linux") {
        let record = std::fs::read_to_string(summary["record"].as_str().unwrap()).unwrap();
        let record: Value = serde_json::from_str(&record).unwrap();
        let activity = &record["host_activity"];
        assert!(activity["during"]["others_cpu_percent"].as_f64().unwrap() >= 0.0, "{activity}");
        // Without a terminal nobody looked before it began.
        assert_eq!(activity.get("before"), None);
    }
    for scaling in summary["scaling"].as_array().unwrap() {
        let counts: Vec<u64> = scaling["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["volume_count"].as_u64().unwrap())
            .collect();
        assert_eq!(counts, [1, 2], "{scaling:#}");
    }
    assert_eq!(bench.data_files(), Vec::<std::path::PathBuf>::new());
    assert_eq!(bench.stored(".iotrial-sweep.json").len(), 1);
    assert_eq!((bench.stored(".journal").len(), bench.stored(".iotrial.json").len()), (0, 0));
}

#[test]
fn a_device_that_fails_ends_the_sweep_and_keeps_what_is_known() {
    let bench = Bench::new();
    let ran = sweep(&bench, &["--pattern", "randread-8k", "--sim", "error_share = 1"]).expect_code(3);
    let summary = ran.json();
    assert_eq!(summary["ended"], "failed");
    assert!(
        summary["ended_reason"].as_str().unwrap().starts_with("randread-8k at 1 outstanding: every I/O"),
        "{summary:#}"
    );
    assert_eq!(bench.stored(".iotrial-sweep.json").len(), 1);
}

#[test]
fn what_cannot_be_swept_is_refused_with_what_to_write() {
    let bench = Bench::new();
    let check = |arguments: &[&str], parts: &[&str]| {
        let ran = bench.run(&[&["sweep"], arguments].concat());
        let ran = ran.expect_code(2);
        for part in parts {
            assert!(ran.stderr.contains(part), "{arguments:?}: {part}\n{}", ran.stderr);
        }
    };
    check(&["--pattern", "randreed-8k"], &["begins with `randreed`", "randread, randwrite"]);
    check(&["--pattern", "randread"], &["has no block size"]);
    check(&["--pattern", "read-64k,read-64k"], &["given twice", "hint: --repeats"]);
    for grid in ["1,0", "8x", "4x4x4", "4097", "64x65"] {
        check(&["--grid", grid], &["--grid", "from 1 to 4,096"]);
    }
    check(&["--step", "0s"], &["--step must be more than zero", "hint:"]);
    check(
        &["--channel", "--pattern", "randread-8k"],
        &["`randread-8k` is random", "hint: use sequential patterns, such as --pattern"],
    );
    check(&["--series", "sqlio", "--repeats", "2"], &["cannot be used with"]);
    check(
        &["--engine", "sim", "--target", "a", "--target", "b"],
        &["the engine `sim` has one device, and 2 targets were given", "hint:"],
    );
    check(
        &["--target", "data", "--pattern", "read-512b", "--sim", "parallelism = 1"],
        &["--sim describes", "hint: add --engine sim"],
    );
    assert!(bench.data_files().is_empty() && !bench.store().exists());
}

#[test]
fn dry_run_tells_every_decision_and_writes_nothing() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path().join("other")).unwrap();
    let arguments = ["sweep", "--target", "data", "--target", "other", "--size", "64MiB", "--dry-run"];
    let ran = bench.run(&arguments).expect_code(0);
    for part in ["randread-8k", "write-512k", "together  2 volumes", "at most", "nothing was written"] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    let json = bench.run(&[&arguments[..], &["--json"]].concat()).expect_code(0).json();
    assert_eq!((json["patterns"].as_array().unwrap().len(), &json["method"]), (6, &"search".into()));
    assert!(bench.data_files().is_empty() && !bench.store().exists());
}

#[test]
fn a_grid_beyond_the_knee_tells_only_a_bound_of_it() {
    let bench = Bench::new();
    let sim = "service_time_us = 500, parallelism = 8";
    for (grid, lowest) in [("64,128", 64.0), ("32,64,128,256", 32.0)] {
        let arguments = ["--pattern", "randread-8k", "--sim", sim, "--grid", grid, "--step", "5s"];
        let summary = sweep(&bench, &arguments).expect_code(0).json();
        let curve = &summary["curves"][0];
        assert_eq!(curve["saturation"]["knee_bound"], "at-or-below", "{curve:#}");
        assert_eq!(number(curve, "/saturation/knee/outstanding"), lowest);
        assert!((number(curve, "/saturation/ceiling_iops") / 16_000.0 - 1.0).abs() < 0.05, "{curve:#}");
        assert_eq!(curve["limit"]["kind"], "unknown", "{curve:#}");
    }
    let arguments = ["--pattern", "randread-8k", "--sim", sim, "--grid", "1,2,4,8,16,32", "--step", "5s"];
    let resolved = sweep(&bench, &arguments).expect_code(0).json();
    assert!(resolved["curves"][0]["saturation"]["knee_bound"].is_null(), "{resolved:#}");
}

#[test]
fn the_page_of_a_sweep_begins_with_its_answer_and_has_latency_over_throughput() {
    let bench = Bench::new();
    let sim = "service_time_us = 500, parallelism = 8";
    sweep(&bench, &["--pattern", "randread-8k", "--grid", "1,4,16", "--sim", sim, "--html", "s.html"])
        .expect_code(0);
    let text = std::fs::read_to_string(bench.path().join("s.html")).unwrap();
    let answer = text.find("<strong>Simulated, not measured: ").expect("the answer");
    assert!(answer < text.find("<table").expect("a table"), "the answer comes first");
    let curve = text.split("<section id=\"throughput-latency\"").nth(1).expect("the curve");
    let labels = curve.split("</section>").next().unwrap().matches("point-name").count();
    assert_eq!(labels, 3, "each load has its outstanding I/Os beside it");
    assert!(text.contains("<section id=\"measured\""));
}

#[test]
fn the_series_of_the_paper_has_a_sentence_and_a_chart() {
    let bench = Bench::new();
    sweep(&bench, &["--series", "sqlio", "--step", "1s", "--html", "s.html"]).expect_code(0);
    let text = std::fs::read_to_string(bench.path().join("s.html")).unwrap();
    assert!(text.contains("Of 15 tests, the one with the most I&#x2f;Os"));
    let charts =
        text.split("<section id=\"series\"").nth(1).expect("the charts").split("</section>").next().unwrap();
    assert_eq!(charts.matches("<figure>").count(), 3);
}
