//! `iotrial awr --profile`: the I/O of reports as a load, and back: what a simulated device is asked for is what the reports say.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Bench;
use serde_json::Value;

/// Hand-written in the layout of 19c: 1,000 reads and 500 writes per second, told apart by kinds of files.
const REPORT: &str = include_str!("../../../iotrial-import/tests/awr/filetypes-19c.html");

/// A device that is fast enough for any of the reports.
const FAST: &str = "service_time_us = 50, parallelism = 4096";

fn bench() -> Bench {
    let bench = Bench::new();
    fs::write(bench.path().join("one.html"), REPORT).unwrap();
    bench
}

/// Runs the profile for so long on the simulated clock.
fn measured(bench: &Bench, profile: &str, seconds: u64, device: &str) -> Value {
    let duration = format!("{seconds}s");
    let ran = bench.run(&[
        "run",
        profile,
        "--engine",
        "sim",
        "--sim",
        device,
        "--seed",
        "1",
        "--ramp",
        "0s",
        "--duration",
        &duration,
        "--quiet",
        "--json",
    ]);
    assert!(matches!(ran.code, 0 | 1 | 4), "{}\n{}", ran.stdout, ran.stderr);
    ran.json()
}

/// Each job does what its stream asks for, and all together the bytes.
#[track_caller]
fn check_rates(name: &str, seconds: u64, streams: &Value, run: &Value, share_of: impl Fn(f64) -> f64) {
    let streams = streams.as_array().unwrap();
    let jobs = run["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), streams.len(), "{name}");
    let mut mib = 0.0;
    for (stream, job) in streams.iter().zip(jobs) {
        assert_eq!(stream["name"], job["name"]);
        let (asked, done) =
            (stream["iops"].as_f64().unwrap(), job["arrivals"]["done_iops"].as_f64().unwrap());
        let count = asked * seconds as f64;
        // One I/O more or less is where the phase begins and ends.
        let room = asked * share_of(count) + 1.5 / seconds as f64;
        assert!((done - asked).abs() <= room, "{name} {}: {done} instead of {asked}", stream["name"]);
        mib += stream["mib_per_s"].as_f64().unwrap();
    }
    let done = run["together"]["bandwidth_mib_per_s"].as_f64().unwrap();
    let largest = 1.5 * 2.0 / seconds as f64;
    assert!((done - mib).abs() <= 0.01 * mib + largest, "{name}: {done} MiB/s instead of {mib}");
}

#[test]
fn a_profile_of_a_report_measures_the_reported_rates() {
    let bench = bench();
    let said = bench.run(&["awr", "one.html", "--profile", "load.toml", "--json"]).expect_code(0).json();
    let streams = &said["replay"]["streams"];
    let sum = |key: &str, direction: &str| -> f64 {
        let of = streams.as_array().unwrap().iter().filter(|one| one["direction"] == direction);
        of.map(|one| one[key].as_f64().unwrap()).sum()
    };
    for (direction, iops, mib) in
        [("read", "reads_per_s", "read_mib_per_s"), ("write", "writes_per_s", "write_mib_per_s")]
    {
        let reported = |key: &str| said["figures"][key]["value"].as_f64().unwrap();
        assert!((sum("iops", direction) / reported(iops) - 1.0).abs() < 1e-3, "{direction}");
        assert!((sum("mib_per_s", direction) / reported(mib) - 1.0).abs() < 1e-3, "{direction}");
    }
    let names: Vec<&str> =
        streams.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "single-block-reads",
            "multi-block-reads",
            "temp-reads",
            "db-writer",
            "direct-writes",
            "temp-writes",
            "archive-and-backup",
            "redo"
        ]
    );
    // Poisson arrivals: five standard deviations where there are too few for 1 %.
    let run = measured(&bench, "load.toml", 120, FAST);
    check_rates("load", 120, streams, &run, |count| (5.0 / count.sqrt()).max(0.01));
    let sentence = run["verdict"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("would be rated acceptable by `load-reported`"), "{sentence}");
}

#[test]
fn the_verdict_is_by_the_reported_latencies() {
    let bench = bench();
    bench.run(&["awr", "one.html", "--profile", "load.toml"]).expect_code(0);
    // A simulated device is never a yes; what the figures would be is said.
    let sentence = |device: &str| {
        let run = measured(&bench, "load.toml", 60, device);
        run["verdict"]["sentence"].as_str().unwrap().to_owned()
    };
    let check = |device: &str, figure: &str, category: &str| {
        let sentence = sentence(device);
        assert!(sentence.contains(figure) && sentence.contains(category), "{device}: {sentence}");
    };
    // Reads waited for 500 µs and log writes for 1 ms; the set `flash` takes 2 ms of both.
    check(
        "service_time_us = 450, parallelism = 4096",
        "data read mean",
        "would be rated acceptable by `load-reported`",
    );
    check(
        "service_time_us = 600, write_service_time_us = 300, parallelism = 4096",
        "data read mean",
        "would be rated poor",
    );
    check(
        "service_time_us = 300, flush_us = 900, parallelism = 4096",
        "log commit mean",
        "would be rated poor",
    );
}

#[test]
fn rates_are_scaled_and_latencies_are_not() {
    let bench = bench();
    let streams = |scale: &str, file: &str| {
        let said = bench
            .run(&["awr", "one.html", "--profile", file, "--scale", scale, "--json"])
            .expect_code(0)
            .json();
        (said["replay"]["streams"][0]["iops"].as_f64().unwrap(), said["replay"]["limits"].clone())
    };
    let (whole, limits) = streams("100%", "a.toml");
    let (half, same) = streams("50%", "b.toml");
    let (double, _) = streams("2x", "c.toml");
    assert!((half * 2.0 - whole).abs() < 1e-9 && (double - 2.0 * whole).abs() < 1e-9);
    assert_eq!(limits, same);
    let refused =
        bench.run(&["awr", "one.html", "--profile", "d.toml", "--scale", "2"]).expect_code(2).stderr;
    assert!(refused.contains("50% or 2x"), "{refused}");
    bench.run(&["awr", "one.html", "--scale", "2x"]).expect_code(2);
}

#[test]
fn no_file_that_exists_is_replaced_unless_that_is_said() {
    let bench = bench();
    let command = ["awr", "one.html", "--profile", "load.toml", "--details"];
    let shown = bench.run(&command).expect_code(0).stdout;
    for words in [
        "profile load.toml",
        "limits  load.thresholds.toml",
        "next: iotrial run load.toml --target DIR",
        "The load of the profile",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    let refused = bench.run(&command).expect_code(2).stderr;
    assert!(refused.contains("`load.toml` exists already"), "{refused}");
    // Neither where only one of the two is there.
    fs::remove_file(bench.path().join("load.toml")).unwrap();
    let refused = bench.run(&command).expect_code(2).stderr;
    assert!(refused.contains("`load.thresholds.toml` exists already"), "{refused}");
    assert!(!bench.path().join("load.toml").exists());
    bench.run(&["awr", "one.html", "--profile", "load.toml", "--overwrite", "--details"]).expect_code(0);
    let twice = bench
        .run(&["awr", "one.html", "--profile", "x.toml", "--demand", "x.toml", "--details"])
        .expect_code(2)
        .stderr;
    assert!(twice.contains("would both write to `x.toml`"), "{twice}");
}

#[test]
fn a_profile_is_of_one_database() {
    let bench = bench();
    fs::write(bench.path().join("two.html"), REPORT.replace("4712", "4713").replace("LOAD", "OTHER"))
        .unwrap();
    let refused = bench.run(&["awr", "one.html", "two.html", "--profile", "x.toml"]).expect_code(2).stderr;
    assert!(refused.contains("reports of 2 databases, but a profile needs a single one"), "{refused}");
    assert!(!bench.path().join("x.toml").exists());
}

#[test]
fn the_level_picks_the_rates_of_a_series() {
    let bench = bench();
    // An hour later, with twice the reads.
    let busy = REPORT
        .replace("03-Mar-25 11:00:00", "03-Mar-25 12:00:00")
        .replace("03-Mar-25 10:00:00", "03-Mar-25 11:00:00")
        .replace("<td>42</td>", "<td>43</td>")
        .replace("<td>41</td>", "<td>42</td>")
        .replace("<td>3,600,000</td><td>1,000.00</td>", "<td>7,200,000</td><td>2,000.00</td>")
        .replace("<td>1,500.0</td><td>1,000.0</td>", "<td>2,500.0</td><td>2,000.0</td>");
    fs::write(bench.path().join("two.html"), busy).unwrap();
    let reads = |level: &str| -> f64 {
        let file = format!("{level}.toml");
        let said = bench
            .run(&["awr", "one.html", "two.html", "--profile", &file, "--level", level, "--json"])
            .expect_code(0)
            .json();
        let streams = said["replay"]["streams"].as_array().unwrap().clone();
        let of = streams.iter().filter(|one| one["direction"] == "read");
        of.map(|one| one["iops"].as_f64().unwrap()).sum()
    };
    assert!((reads("average") - 1_500.0).abs() < 1.0);
    assert!((reads("peak") - 2_000.0).abs() < 1.0);
    let text = fs::read_to_string(bench.path().join("peak.toml")).unwrap();
    assert!(text.contains("the highest interval of 2 intervals"), "{text}");
}

/// The folder of the real reports; `None` where there is none.
fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from).join("data/awr");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", folder.display());
    None
}

/// An instance of RAC, a cluster, text, Statspack, a pluggable database, SLOB and AWR-Miner.
const REAL: [&str; 12] = [
    "1newstar__sample_awr_11204_2.txt",
    "Azure__levelup-oracle-on-iaas_lab1_awr_AWR_DBS.html",
    "Azure__levelup-oracle-on-iaas_lab1_awr_AWR_DBW.html",
    "Azure__levelup-oracle-on-iaas_lab1_awr_AWR_DBZ.html",
    "TheYanVictor__statspack_example.txt",
    "eyko139__awr_PRDG_1_237812_237837.htm",
    "pcambell__awrrpt_11g_awrrpt_1_36006_36007.html",
    "pcambell__awrrpt_12c_rac_awrrpt_1_56288_56289(1).html",
    "pcambell__awrrpt_19c_rac_awr_xydb_1_20230217_15_16.html",
    "sfurlong__testing_AWRMiner_awr-hist-1836093013-FLAVIA-799-804.out",
    "therealkevinc__awr.html",
    "therealkevinc__awr_rac.html",
];

#[test]
fn profiles_of_real_reports_measure_the_reported_rates() {
    let Some(folder) = shared() else { return };
    for (at, name) in REAL.into_iter().enumerate() {
        let bench = Bench::new();
        let path = folder.join(name);
        let profile = format!("p{at}.toml");
        let args = ["awr", path.to_str().unwrap(), "--profile", &profile, "--level", "average", "--json"];
        let said = bench.run(&args).expect_code(0).json();
        let streams = &said["replay"]["streams"];
        // Evenly spaced, so that few I/Os say as much as many: what is checked is the rate, and not the chance in it.
        let file = bench.path().join(&profile);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("spacing = \"poisson\"", "spacing = \"uniform\"")).unwrap();
        let total: f64 = streams.as_array().unwrap().iter().map(|one| one["iops"].as_f64().unwrap()).sum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 30 to 6,000")]
        let seconds = (100_000.0 / total).clamp(30.0, 6_000.0).ceil() as u64;
        let run = measured(&bench, &profile, seconds, FAST);
        check_rates(name, seconds, streams, &run, |_| 0.01);
        // And the streams are the report.
        let reported = |key: &str| {
            let one = &said["figures"][key]["value"];
            let series = || {
                let all = said["databases"][0]["statistics"].as_array().unwrap();
                all.iter().find(|one| one["figure"] == key).unwrap()["average"].as_f64().unwrap()
            };
            one.as_f64().unwrap_or_else(series)
        };
        let all = reported("reads_per_s") + reported("writes_per_s");
        assert!(
            (total / all - 1.0).abs() < 0.01 || (total - all).abs() < 0.1,
            "{name}: {total} instead of {all}"
        );
        let mib = reported("read_mib_per_s") + reported("write_mib_per_s");
        let done = run["together"]["bandwidth_mib_per_s"].as_f64().unwrap();
        // AWR-Miner rounds to a tenth.
        assert!((done - mib).abs() < 0.01 * mib + 0.05, "{name}: {done} MiB/s instead of {mib}");
    }
}

#[test]
fn damaged_reports_are_named_and_the_good_one_is_still_shown() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("reports")).unwrap();
    let put = |name: &str, text: &str| fs::write(bench.path().join("reports").join(name), text).unwrap();
    put("good.html", REPORT);
    put("cut-early.html", &REPORT[..REPORT.find("Report Summary").unwrap()]);
    put("cut-late.html", &REPORT[..REPORT.find("<h3>init.ora").unwrap()].replace("4712", "1"));
    put("compared.html", &REPORT.replace("AWR Report for DB", "AWR Compare Period Report for DB"));
    let mut translated = REPORT.to_owned();
    for (english, other) in [
        ("Load Profile", "Lastprofil"),
        ("IO Profile", "EA-Profil"),
        ("Statistic", "Statistik"),
        ("DB Id", "Nr"),
        ("Snap Id", "Nr"),
    ] {
        translated = translated.replace(english, other);
    }
    put("german.html", &translated);
    put("restarted.html", &REPORT.replace("01-Mar-25 06:00", "03-Mar-25 10:30").replace("4712", "2"));
    put(
        "reset.html",
        &REPORT
            .replace("<td>3,600,000</td><td>1,000.00</td>", "<td>-3,600,000</td><td>-1,000.00</td>")
            .replace("4712", "3"),
    );
    let ran = bench.run(&["awr", "reports", "--details"]).expect_code(1);
    for (name, why) in [
        ("cut-early.html", "before its first figures"),
        ("compared.html", "a compare-period report"),
        ("german.html", "no section has a name that iotrial knows"),
    ] {
        let line = ran.stderr.lines().find(|line| line.contains(name)).unwrap_or_default();
        assert!(!line.is_empty() && ran.stderr.contains(why), "{name}: {why}\n{}", ran.stderr);
    }
    for why in
        ["the report is cut off", "the instance was started at", "counters were reset within the interval"]
    {
        assert!(ran.stdout.contains(why), "{why}\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains("AWR: 4 databases"), "{}", ran.stdout);
    // A load of what is left of a report that was reset: its reads are those of the I/O Profile.
    let args = ["awr", "reports/reset.html", "--profile", "reset.toml", "--json"];
    let said = bench.run(&args).expect_code(0).json();
    assert!(said["replay"]["streams"][0]["iops"].as_f64().unwrap() > 0.0);
    // Runs of SLOB take the same files.
    let ran = bench.run(&["awr", "reports", "--slob", "--details"]).expect_code(1);
    assert!(ran.stdout.contains("SLOB:"), "{}", ran.stdout);
}
