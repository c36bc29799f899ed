//! `iotrial awr`: one report, many, and the demand that follows. The reports are small ones in Oracle's layouts, written by hand.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;

use support::Bench;

const HTML: &str = include_str!("../../iotrial-import/tests/awr/instance-19c.html");
const TEXT: &str = include_str!("../../iotrial-import/tests/awr/instance-11204.txt");

fn put(bench: &Bench, name: &str, text: &str) {
    fs::write(bench.path().join(name), text).unwrap();
}

/// The same report of another instance.
fn of_second_instance() -> String {
    HTML.replace("shop1", "shop2").replace("<td>shop2</td><td>1</td>", "<td>shop2</td><td>2</td>")
}

#[test]
fn one_report_says_what_the_database_asks_and_what_to_look_at() {
    let bench = Bench::new();
    put(&bench, "one.html", HTML);
    let shown = bench.run(&["awr", "one.html"]).expect_code(0).stdout;
    for words in [
        "AWR: SHOP",
        "1,000 reads and 500 writes per second",
        "30.0 % of DB time: log file sync",
        "one of 2 instances",
        "`log file sync` (foreground) takes 6.00 ms on average: critical",
        "hidden parameters are set: `_hidden_one`",
        "next: iotrial awr one.html --demand demand.toml",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    let json = bench.run(&["awr", "one.html", "--json"]).expect_code(0).json();
    let figures = &json["figures"];
    assert_eq!(figures["single_block_reads_per_s"]["value"], 900.0);
    assert_eq!(figures["single_block_reads_per_s"]["standing"], "derived");
    assert_eq!(figures["mean_read_kib"]["value"], 16.0);
    assert_eq!(figures["redo_mib_per_s"]["value"], 1.0);
    assert_eq!(json["awr"]["host"]["sockets"]["standing"], "absent");
    assert_eq!(json["latencies"][0]["category"], "critical");
    bench.run(&["awr", "one.html", "--html", "one.page.html", "--xlsx", "one.xlsx"]).expect_code(0);
    let page = fs::read_to_string(bench.path().join("one.page.html")).unwrap();
    assert!(page.contains("What the database asks"), "{page}");
}

#[test]
fn instances_of_a_cluster_add_up_and_the_same_report_counts_once() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("reports")).unwrap();
    put(&bench, "reports/a.html", HTML);
    put(&bench, "reports/a-again.html", HTML);
    put(&bench, "reports/b.html", &of_second_instance());
    put(&bench, "reports/c.txt", TEXT);
    put(&bench, "reports/readme.txt", "nothing of interest");
    let ran = bench.run(&["awr", "reports", "--json"]).expect_code(0);
    assert!(ran.stderr.contains("note: 1 files in the folder are no AWR reports"), "{}", ran.stderr);
    let json = ran.json();
    let names: Vec<&str> =
        json["databases"].as_array().unwrap().iter().map(|one| one["database"].as_str().unwrap()).collect();
    assert_eq!(names, ["SHOP", "TINY"]);
    let shop = &json["databases"][0];
    assert_eq!(shop["intervals"][0]["figures"]["reads_per_s"], 2000.0);
    assert_eq!(shop["intervals"][0]["figures"]["mean_read_kib"], 16.0);
    assert!(shop["notes"].as_array().unwrap().is_empty(), "{shop}");
    assert_eq!(json["left_out"].as_array().unwrap().len(), 1);
    let shown = bench.run(&["awr", "reports"]).expect_code(0).stdout;
    assert!(shown.contains("covers the same snapshots"), "{shown}");
}

#[test]
fn a_demand_goes_to_size() {
    let bench = Bench::new();
    put(&bench, "one.html", HTML);
    bench.run(&["awr", "one.html", "--demand", "demand.toml"]).expect_code(0);
    let sized = bench.run(&["size", "--demand", "demand.toml", "--provider", "oci", "--json"]).expect_code(0);
    let streams = &sized.json()["demand"]["streams"];
    // Twice the average, because a single report does not say how high its peak is.
    assert_eq!(streams[0]["iops"], 2000.0);
    assert_eq!(streams[0]["block_size_bytes"], 16384.0);
    // Two databases have no demand in common.
    put(&bench, "two.txt", TEXT);
    let refused = bench.run(&["awr", "one.html", "two.txt", "--demand", "other.toml"]).expect_code(2).stderr;
    assert!(refused.contains("reports of 2 databases"), "{refused}");
}

#[test]
fn one_bad_file_among_many_does_not_stop_the_rest() {
    let bench = Bench::new();
    put(&bench, "one.html", HTML);
    put(&bench, "compared.html", &HTML.replace("AWR Report for DB", "AWR Compare Period Report for DB"));
    let ran = bench.run(&["awr", "one.html", "compared.html"]).expect_code(1);
    assert!(ran.stderr.contains("cannot read `compared.html`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("a compare-period report"), "{}", ran.stderr);
    assert!(ran.stdout.contains("AWR: SHOP"), "{}", ran.stdout);
    let refused = bench.run(&["awr", "compared.html"]).expect_code(2).stderr;
    assert!(refused.contains("hint: give the reports of the two periods"), "{refused}");
}
