//! Records of real runs in which nothing is to be accused, judged by what is found today.
//!
//! A test cannot ask for a quiet host, so that runs were made by hand that nothing disturbed: `golden/undisturbed/ORIGIN.md` says how.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::Bench;

/// What is true of them: they are short, small, and some change from second to second. Nothing of it blames the device, the host or somebody else.
const TRUE_OF_THEM: [&str; 3] = ["short-run", "small-working-set", "unsteady"];

/// The names of the findings of a record.
fn findings(record: &Path) -> BTreeSet<String> {
    let bench = Bench::new();
    let shown = bench.run(&["report", record.to_str().unwrap(), "--json"]).json();
    assert_eq!(shown["ended"], "complete", "{}", record.display());
    let all = shown["findings"].as_array().unwrap();
    all.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn records() -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/undisturbed");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.to_string_lossy().ends_with(".iotrial.json")).collect()
}

#[test]
fn nobody_is_accused_by_a_run_that_nothing_disturbed() {
    let undisturbed: Vec<_> =
        records().into_iter().filter(|path| !path.to_string_lossy().contains("busy-host")).collect();
    assert_eq!(undisturbed.len(), 6);
    for record in undisturbed {
        let accused: Vec<String> =
            findings(&record).into_iter().filter(|id| !TRUE_OF_THEM.contains(&id.as_str())).collect();
        assert!(accused.is_empty(), "{}: {accused:?}", record.display());
    }
}

#[test]
fn ios_that_waited_for_a_cpu_of_a_full_host_came_from_no_cache() {
    let busy: Vec<_> =
        records().into_iter().filter(|path| path.to_string_lossy().contains("busy-host")).collect();
    assert_eq!(busy.len(), 2);
    for record in busy {
        let found = findings(&record);
        assert!(!found.contains("cache-served"), "{}: {found:?}", record.display());
    }
}
