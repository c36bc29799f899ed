//! `iotrial awr --slob`: runs of SLOB, from small text reports that were written by hand.

use std::fs;

use crate::support::Bench;

const TEXT: &str = include_str!("../../../iotrial-import/tests/awr/instance-11204.txt");

/// The report of a run: host, hour, and read requests of the database per second; it writes nothing.
fn report(host: u32, hour: u32, reads: u32) -> String {
    let row = |name: &str, rate: u32| {
        let (total, rate) = (u64::from(rate) * 3_600, format!("{rate}.0"));
        format!("{name:<33}{total:>18} {rate:>14} {:>13}\n", "1.0")
    };
    let with = |text: &str, before: &str, row: String| {
        text.replace(&format!("\n{before}"), &format!("\n{row}{before}"))
    };
    let text = with(TEXT, "physical read total IO requests", row("physical read IO requests", reads));
    with(&text, "physical write total IO requests", row("physical write IO requests", 0))
        .replace("db2 ", &format!("db{host} "))
        .replace("TINY                 815", &format!("TINY                 {host:>3}"))
        .replace("03-Mar-25 11:00:00", &format!("03-Mar-25 {:02}:00:00", hour + 1))
        .replace("03-Mar-25 10:00:00", &format!("03-Mar-25 {hour:02}:00:00"))
}

/// One host with 1, 7 and 49 sessions; three with 49 at the same time.
fn series() -> Bench {
    let bench = Bench::new();
    let put = |folder: &str, sessions: u32, text: String| {
        let folder = bench.path().join("slob").join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("awr.txt.{sessions:02}")), text).unwrap();
    };
    for (hour, sessions, reads) in [(1, 1, 30_000), (2, 7, 200_000), (3, 49, 850_000)] {
        put("one", sessions, report(1, hour, reads));
    }
    for (host, reads) in [(1, 830_000), (2, 835_000), (3, 835_000)] {
        put(&format!("three/{host}"), 49, report(host, 10, reads));
    }
    bench
}

fn folders() -> [&'static str; 4] {
    ["slob/one", "slob/three/1", "slob/three/2", "slob/three/3"]
}

#[test]
fn runs_are_ordered_by_hosts_and_sessions_and_scaled_in_percent() {
    let bench = series();
    let mut args = vec!["awr"];
    args.extend(folders());
    args.extend(["--slob", "--details"]);
    let shown = bench.run(&args).expect_code(0).stdout;
    for words in [
        "3 hosts do 98 % of 3 times the rate of 1 host",
        "850,000",
        "2,500,000",
        "49",
        "DFSR_LAT",
        "LFPW_LAT",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    args.push("--json");
    let json = bench.run(&args).expect_code(0).json();
    let runs: Vec<(u64, f64, f64)> = json["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| {
            (
                run["hosts"].as_u64().unwrap(),
                run["sessions_per_host"].as_f64().unwrap(),
                run["iops"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(runs, [(1, 1.0, 30_000.0), (1, 7.0, 200_000.0), (1, 49.0, 850_000.0), (3, 49.0, 2_500_000.0)]);
    let percent = json["by_hosts"][1]["of_fewest_hosts_percent"].as_f64().unwrap();
    assert!((percent - 98.04).abs() < 0.01, "{percent}");
    let one = &json["runs"][0]["reports"][0];
    assert_eq!(one["sessions_from"], "file name");
    assert_eq!(one["elapsed_s"]["value"], 3600.0);
    assert!((one["sequential_read_us"]["value"].as_f64().unwrap() - 338.9).abs() < 0.1);
    // Blank in the report: absent, and not zero as in SLOB's own script.
    assert!(one["redo_write_us"]["value"].is_null());
}

#[test]
fn the_table_is_a_page_with_charts_and_a_csv_for_a_spreadsheet() {
    let bench = series();
    let mut args = vec!["awr"];
    args.extend(folders());
    args.extend([
        "--slob",
        "--html",
        "slob.html",
        "--csv",
        "slob.csv",
        "--xlsx",
        "slob.xlsx",
        "--markdown",
        "slob.md",
    ]);
    bench.run(&args).expect_code(0);
    let page = fs::read_to_string(bench.path().join("slob.html")).unwrap();
    assert!(page.contains("IOPS of all hosts") && page.contains("<svg"), "{page}");
    let csv = fs::read_to_string(bench.path().join("slob.csv")).unwrap();
    assert!(csv.contains("PREADS") && csv.contains("LFPW_LAT"), "{csv}");
}

#[test]
fn sessions_that_no_name_tells_are_those_that_were_active_and_that_is_said() {
    let bench = Bench::new();
    fs::write(bench.path().join("one.txt"), report(1, 1, 1_000)).unwrap();
    let shown = bench.run(&["awr", "one.txt", "--slob"]).expect_code(0).stdout;
    assert!(shown.contains("do not state the number of sessions"), "{shown}");
    let json = bench.run(&["awr", "one.txt", "--slob", "--json"]).expect_code(0).json();
    assert_eq!(json["runs"][0]["reports"][0]["sessions_from"], "active sessions");
    assert_eq!(json["runs"][0]["reports"][0]["sessions"], 0.5);
    bench.run(&["awr", "one.txt", "--slob", "--profile", "x.toml"]).expect_code(2);
}
