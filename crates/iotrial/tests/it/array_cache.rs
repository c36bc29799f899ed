//! The cache of an array, whose size the user gives, as a user meets it.

use crate::support::Bench;
use serde_json::Value;

/// The facts of the finding, where there is one.
fn found(more: &[&str]) -> Option<Value> {
    let base = ["--engine", "sim", "--seed", "1", "--quiet", "--json", "--array-cache", "4GiB"];
    let ran = Bench::new().run(&[more, &base[..]].concat());
    let json: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let findings = json["findings"].as_array().unwrap();
    findings.iter().find(|found| found["id"] == "array-cache").map(|found| found["evidence"].clone())
}

#[test]
fn files_are_made_twice_as_large_as_the_cache_and_smaller_ones_are_in_doubt() {
    let loads = [
        &["run", "oracle-slob-random", "--closed", "--duration", "2s"][..],
        &["sweep", "--grid", "1", "--step", "1s"],
    ];
    for load in loads {
        assert_eq!(found(load), None, "{load:?}");
        let small = found(&[load, &["--size", "2GiB"]].concat()).unwrap();
        assert_eq!(small["array_cache_bytes"], 4_u64 << 30);
        assert!(small["touched_bytes"].as_u64().unwrap() <= 2 << 30, "{small}");
    }
}

#[test]
fn the_path_to_an_array_is_measured_within_its_cache() {
    assert_eq!(Bench::new().run(&["sweep", "--channel", "--array-cache", "4GiB", "--dry-run"]).code, 2);
}
