//! `iotrial compare` with two AWR reports: one job before and after its storage was changed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Bench;
use serde_json::Value;

const HTML: &str = include_str!("../../../iotrial-import/tests/awr/instance-19c.html");

/// The report of the hour before the change: that of the import, with all that transactions are counted by.
fn before() -> String {
    let commits = "<tr><td>user commits</td><td>360,000</td><td>100.00</td><td>1</td></tr>";
    assert!(HTML.contains(commits));
    HTML.replace(
        commits,
        &format!("{commits}<tr><td>user rollbacks</td><td>0</td><td>0.00</td><td>0</td></tr>"),
    )
}

/// The report of the next hour.
fn later(text: &str) -> String {
    text.replace("03-Mar-25 11:00", "03-Mar-25 12:00").replace("03-Mar-25 10:00", "03-Mar-25 11:00")
}

fn changed(before: &str, after: &str) -> Value {
    let bench = Bench::new();
    for (name, text) in [("before.html", before), ("after.html", after)] {
        fs::write(bench.path().join(name), text).unwrap();
    }
    bench.run(&["compare", "before.html", "after.html", "--json"]).expect_code(0).json()
}

fn cautions(change: &Value) -> Vec<&str> {
    change["cautions"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

/// Reads of a block take another time, and DB time another one.
fn with_reads(text: &str, mean: &str, total_s: &str, db_time_minutes: &str) -> String {
    let row = "<td>500.00us</td><td>1</td><td>20.00</td>";
    assert!(text.contains(row) && text.contains("120.00 (mins)"));
    let line = text.lines().find(|line| line.contains(row)).unwrap();
    let total = line.split("<td>").nth(4).unwrap().split('<').next().unwrap();
    let new = line.replace("500.00us", mean).replace(&format!("<td>{total}<"), &format!("<td>{total_s}<"));
    text.replace(line, &new).replace("120.00 (mins)", &format!("{db_time_minutes} (mins)"))
}

#[test]
fn two_reports_of_one_job_say_whether_the_new_storage_helped() {
    let before = before();
    let after = later(&before);
    let same = changed(&before, &after);
    assert_eq!((&same["outcome"], cautions(&same)), (&"same".into(), vec![]), "{same:#}");
    let faster = changed(&before, &with_reads(&after, "100.00us", "288", "90.00"));
    assert_eq!((&faster["outcome"], cautions(&faster)), (&"faster".into(), vec![]), "{faster:#}");
    let judged = &faster["judged"][0];
    assert_eq!(
        (&judged["figure"], judged["before_us"].as_f64(), judged["after_us"].as_f64()),
        (&"single_block_read_us".into(), Some(500.0), Some(100.0))
    );
    // 120 and 90 minutes for 360,000 transactions.
    let db_time = &faster["db_time_ms_per_transaction"];
    assert_eq!((db_time["before"].as_f64(), db_time["after"].as_f64()), (Some(20.0), Some(15.0)));
    assert_eq!(
        (&faster["before"]["db_time_s"], &faster["after"]["db_time_s"]),
        (&7_200.0.into(), &5_400.0.into())
    );
    // The same the other way round.
    let slower = changed(&with_reads(&before, "100.00us", "288", "90.00"), &after);
    assert_eq!(slower["outcome"], "slower");
    // Nobody is served faster.
    let no_gain = changed(&before, &with_reads(&after, "100.00us", "288", "120.00"));
    assert_eq!(no_gain["outcome"], "faster-without-gain");
    // Without transactions nobody knows.
    let unknown = changed(HTML, &with_reads(&later(HTML), "100.00us", "288", "90.00"));
    assert_eq!(
        (&unknown["outcome"], &unknown["db_time_ms_per_transaction"]["after"]),
        (&"faster-gain-open".into(), &Value::Null)
    );
}

#[test]
fn what_keeps_two_reports_from_being_compared_is_named() {
    let before = before();
    let after = later(&before);
    let check = |after: &str, outcome: &str, expected: &[&str]| {
        let change = changed(&before, after);
        assert_eq!(
            (&change["outcome"], cautions(&change).as_slice()),
            (&outcome.into(), expected),
            "{change:#}"
        );
    };
    let earlier = changed(&after, &before);
    assert_eq!(cautions(&earlier), ["earlier"]);
    // Nothing was changed between a report and itself, nor between two instances in one hour.
    check(&before, "same-time", &[]);
    check(
        &before.replace("<tr><td>shop1</td><td>1</td>", "<tr><td>shop2</td><td>2</td>"),
        "same-time",
        &["other-instances"],
    );
    check(
        &after.replace("<tr><td>shop1</td><td>1</td>", "<tr><td>shop2</td><td>2</td>"),
        "same",
        &["other-instances"],
    );
    check(&after.replace(">SHOP<", ">ERP<"), "same", &["databases"]);
    check(&after.replace(">4711<", ">4712<"), "same", &["databases"]);
    // Statspack has no name, and the case of a name says nothing.
    check(&after.replace(">SHOP<", "><"), "same", &[]);
    check(&after.replace(">SHOP<", ">shop<"), "same", &[]);
    check(&after.replace("19.0.0.0.0", "23.0.0.0.0"), "same", &["releases"]);
    // Half of the requests explain shorter waits.
    let lighter = with_reads(&after, "100.00us", "288", "90.00")
        .replace("<td>3,600,000</td><td>1,000.00</td>", "<td>1,800,000</td><td>500.00</td>")
        .replace("<td>1,800,000</td><td>500.00</td>", "<td>900,000</td><td>250.00</td>");
    let lighter = changed(&before, &lighter);
    assert_eq!(lighter["outcome"], "load-explains", "{lighter:#}");
    assert!(cautions(&lighter).contains(&"load"), "{lighter:#}");
}

#[test]
fn two_reports_in_one_file_are_before_and_after() {
    let bench = Bench::new();
    fs::write(bench.path().join("both.html"), before() + &later(&before())).unwrap();
    let change = bench.run(&["compare", "both.html", "--json"]).expect_code(0).json();
    assert_eq!((&change["outcome"], cautions(&change)), (&"same".into(), vec![]), "{change:#}");
}

#[test]
fn more_or_other_than_two_reports_are_refused() {
    let bench = Bench::new();
    for name in ["a.html", "b.html", "c.html"] {
        fs::write(bench.path().join(name), HTML).unwrap();
    }
    for arguments in [
        &["compare", "a.html"][..],
        &["compare", "a.html", "b.html", "c.html"],
        &["compare", "a.html", "b.html", "--gate", "read.p99 < 2ms"],
    ] {
        bench.run(arguments).expect_code(2);
    }
    let shown = bench.run(&["compare", "a.html", "b.html"]).expect_code(0).stdout;
    // The command that comes next is to be copied, however long it is.
    let is_narrow = |line: &str| line.chars().count() <= 100 || line.starts_with("next: ");
    assert!(shown.lines().count() <= 24 && shown.lines().all(is_narrow), "{shown}");
}

fn shared(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from).join("data").join(name);
    if !path.exists() {
        eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", path.display());
        return None;
    }
    Some(path)
}

/// Reports of one system whose storage nobody changed, most of them under other loads.
#[test]
fn one_system_at_two_times_is_not_called_another_storage() {
    for (one, other, outcome) in [
        ("awr/1newstar__sample_awr_11204_1.html", "awr/1newstar__sample_awr_11204_2.html", "same-time"),
        (
            "awr/pcambell__awrrpt_11g_rac_awrrpt_1_24703_24704.html",
            "awr/pcambell__awrrpt_11g_rac_awrrpt_1_24722_24724.html",
            "load-explains",
        ),
        (
            "awr/pcambell__awrrpt_19c_rac_awrrpt_1_18175_18176.html",
            "awr/pcambell__awrrpt_19c_rac_awrrpt_1_18192_18193.html",
            "same",
        ),
        (
            "awr/pcambell__awrrpt_19c_rac_awr_xydb_1_20230217_8_9.html",
            "awr/pcambell__awrrpt_19c_rac_awr_xydb_1_20230217_15_16.html",
            "load-explains",
        ),
        (
            "awr/structureddata__assets_pq_range_1_awrrpt_1_910_911.html",
            "awr/structureddata__assets_pq_range_8_awrrpt_3_916_917.html",
            "unknown",
        ),
        ("cases/awr/05-memory-statistics-11.2.txt", "cases/awr/06-statspack-of-05.txt", "same-time"),
    ] {
        let (Some(one), Some(other)) = (shared(one), shared(other)) else { return };
        let arguments = ["compare", one.to_str().unwrap(), other.to_str().unwrap(), "--json"];
        let change = Bench::new().run(&arguments).expect_code(0).json();
        assert_eq!(change["outcome"], outcome, "{}: {change:#}", one.display());
        assert!(!change["classes"].as_array().unwrap().is_empty(), "{}", one.display());
    }
}
