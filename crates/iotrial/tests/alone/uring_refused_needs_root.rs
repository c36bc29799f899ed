//! Where the kernel refuses io_uring. A test file of its own: the switch is one for the whole host, and
//! test files run one after the other.

use std::fs;

use crate::support::Bench;
use serde_json::Value;

const SWITCH: &str = "/proc/sys/kernel/io_uring_disabled";

/// io_uring is refused as long as this lives.
struct Refused {
    before: String,
}

impl Refused {
    fn now() -> Option<Self> {
        let before = fs::read_to_string(SWITCH).ok()?;
        fs::write(SWITCH, "2").ok()?;
        Some(Self { before })
    }
}

impl Drop for Refused {
    fn drop(&mut self) {
        fs::write(SWITCH, &self.before).unwrap();
    }
}

#[test]
fn threads_take_over_where_io_uring_is_refused_and_the_record_says_so() {
    let Some(_refused) = Refused::now() else {
        eprintln!("skipped: {SWITCH} cannot be changed here, which needs root and Linux 6.6");
        return;
    };
    let bench = Bench::new();
    let run = [
        "run",
        "--closed",
        "--target",
        "data",
        "--size",
        "32MiB",
        "--ramp",
        "0s",
        "--duration",
        "1s",
        "--json",
        "--quiet",
    ];
    let summary = bench.run(&run).json();
    assert_eq!(summary["ended"], "complete");
    let ids: Vec<&str> =
        summary["findings"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"engine-fallback"), "{ids:?}");
    let text = fs::read_to_string(summary["record"].as_str().unwrap()).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["plan"]["engine"], "threads");
    assert!(record["plan"]["engine_reason"].as_str().unwrap().contains("io_uring"));

    let asked = bench.run(&[&run[..], &["--engine", "uring"]].concat()).expect_code(3);
    assert!(
        asked.stderr.contains("the `uring` engine cannot run here") && asked.stderr.contains("hint:"),
        "{}",
        asked.stderr
    );
}
