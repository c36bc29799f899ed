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
fn the_cache_that_was_given_is_among_the_settings_on_the_page() {
    let sim = ["--engine", "sim", "--seed", "1", "--quiet", "--html", "page.html"];
    for load in [&["run", "--closed", "--duration", "1s"][..], &["sweep", "--grid", "1", "--step", "1s"]] {
        let has_cache = |more: &[&str]| {
            let bench = Bench::new();
            assert_ne!(bench.run(&[load, &sim, more].concat()).code, 2);
            let page = std::fs::read_to_string(bench.path().join("page.html")).unwrap();
            let settings = page.split("<section id=\"settings\"").nth(1).unwrap();
            settings.split("</section>").next().unwrap().contains("cache of the array")
        };
        assert!(has_cache(&["--array-cache", "1GiB"]) && !has_cache(&[]), "{load:?}");
    }
}

#[test]
fn the_path_to_an_array_is_measured_within_its_cache() {
    assert_eq!(Bench::new().run(&["sweep", "--channel", "--array-cache", "4GiB", "--dry-run"]).code, 2);
}
