//! A record that was made on Windows, on whatever system this is: shown, checked, and compared with one that was made on Linux.

use crate::support::Bench;
use serde_json::Value;

fn golden(name: &str) -> String {
    format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_record_made_on_windows_is_shown_and_checked_as_any_other() {
    let bench = Bench::new();
    let windows = golden("windows/reads.iotrial.json");
    let shown = bench.run(&["report", &windows, "--json"]).expect_code(4).json();
    assert_eq!(shown["ended"], "complete");
    let read = |key: &str| shown["total"]["read"][key].as_f64().unwrap();
    // Eight were outstanding, by Little's law.
    let outstanding = read("iops") * read("lat_mean_us") / 1e6;
    assert!((outstanding / 8.0 - 1.0).abs() < 0.03, "{outstanding}");
    bench.run(&["audit", &windows]).expect_code(0);
    let page = bench.path().join("page.html");
    bench.run(&["report", &windows, "--html", &page.to_string_lossy()]).expect_code(4);
    assert!(std::fs::read_to_string(page).unwrap().contains("iocp"));
}

#[test]
fn one_made_on_windows_and_one_made_on_linux_are_compared_and_the_other_engine_is_told() {
    let bench = Bench::new();
    let records = ["undisturbed/reads.iotrial.json", "windows/reads.iotrial.json"].map(golden);
    let asked = ["compare", &records[0], &records[1]];
    let compared: Value = bench.run(&[&asked[..], &["--json"]].concat()).expect_code(0).json();
    assert_eq!(compared["configurations"].as_array().unwrap().len(), 2);
    let said = bench.run(&[&asked[..], &["--details"]].concat()).stdout;
    assert!(said.contains("iocp") && said.contains("uring"), "{said}");
}
