//! `iotrial verify`, as a user meets it.

use crate::support::Bench;

const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "small"
title = "Data and a log"
closed = true
schedule = { duration = "60s" }
quick = { size = "16MiB", duration = "1s" }
[[job]]
name = "pages"
role = "data"
pattern = "random"
rwmix_read_percent = 50
block_size = "8KiB"
numjobs = 3
iodepth = 8
size = "3GiB"
[[job]]
name = "redo"
role = "log"
pattern = "sequential"
rwmix_read_percent = 0
block_size = "4KiB"
iodepth = 1
size = "1GiB"
durability = "dsync"
"#;

fn bench() -> Bench {
    let bench = Bench::new();
    std::fs::write(bench.path().join("small.toml"), PROFILE).unwrap();
    std::fs::create_dir(bench.path().join("a")).unwrap();
    bench
}

#[test]
fn an_honest_disk_gives_everything_back_and_every_view_of_the_record_says_so() {
    let bench = bench();
    let verified =
        bench.run(&["verify", "./small.toml", "--target", "a", "--quiet", "--json"]).expect_code(0).json();
    let verification = &verified["verification"];
    assert_eq!(verified["verdict"]["outcome"], "qualified", "{verified}");
    assert_eq!(verification["counts"], serde_json::json!({}));
    assert_eq!(
        (verification["pages"].as_u64(), verification["scan_complete"].as_bool()),
        (verification["pages_scanned"].as_u64(), Some(true))
    );
    for key in ["pages", "writes", "pages_checked"] {
        assert!(verification[key].as_u64().unwrap() > 100, "{key}: {verification}");
    }
    // How fast it was is not judged, and its causes are not looked for.
    assert_eq!(verified["verdict"]["judged"], serde_json::json!([]));
    let found: Vec<&str> =
        verified["findings"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert!(found.contains(&"compared-load") && !found.contains(&"foreign-load"), "{found:?}");
    let shown = bench.run(&["report", "last", "--json"]).expect_code(0).json();
    assert_eq!((&shown["verdict"], &shown["verification"]), (&verified["verdict"], verification));
    let listed = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!(listed[0]["outcome"], "qualified");
    let left: Vec<_> = std::fs::read_dir(bench.path().join("a")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_map_that_is_too_small_for_all_pages_follows_some_and_says_how_likely_a_fault_is_missed() {
    let bench = bench();
    let verify = ["verify", "./small.toml", "--target", "a", "--map-memory", "4KiB"];
    let planned =
        |words: &[&str]| bench.run(&[words, &["--dry-run", "--json"]].concat()).expect_code(0).json();
    let note_count = |plan: &serde_json::Value| plan["notes"].as_array().map_or(0, Vec::len);
    let (sampled, exact) = (planned(&verify), planned(&verify[..4]));
    assert!(sampled["pages_per_entry"].as_u64().unwrap() > 2 && exact.get("pages_per_entry").is_none());
    assert_eq!(note_count(&sampled), note_count(&exact) + 1, "{sampled}");
    let verified = bench.run(&[&verify[..], &["--quiet", "--json"]].concat()).expect_code(0).json();
    let verification = &verified["verification"];
    let of = |key: &str| verification[key].as_u64().unwrap();
    assert_eq!(verification["counts"], serde_json::json!({}));
    assert_eq!(of("pages_scanned"), of("pages"));
    assert_eq!(of("map_bytes"), 8 * of("pages_followed"));
    // Rounded up in each of two files.
    assert!(of("map_bytes") <= 4_096 + 16, "{verification}");
    // What is said next is a command that there is, without what only a comparison takes.
    let shown = bench.run(&[&verify[..], &["--io-deadline", "20s"]].concat()).expect_code(0);
    let said = shown.stdout + &shown.stderr;
    assert!(said.contains("iotrial run ./small.toml"), "{said}");
    assert!(!said.contains("--map-memory 4KiB") && !said.contains("--io-deadline 20s"), "{said}");
    bench.run(&["verify", "--target", "a", "--map-memory", "0B"]).expect_code(2);
    let no_time = ["verify", "crash", "check", "j", "--cut", "power", "--io-deadline", "0s"];
    bench.run(&no_time).expect_code(2);
}

#[test]
fn what_memory_may_have_answered_is_no_answer() {
    let bench = bench();
    let verify =
        ["verify", "./small.toml", "--target", "a", "--buffered", "--engine", "threads", "--quiet", "--json"];
    let verified = bench.run(&verify).expect_code(4).json();
    assert_eq!(
        (&verified["verdict"]["outcome"], &verified["verification"]["counts"]),
        (&"inconclusive".into(), &serde_json::json!({}))
    );
}

#[test]
fn what_cannot_be_verified_is_refused_before_anything_is_written() {
    let bench = bench();
    for engine in ["sim", "null"] {
        let refused =
            bench.run(&["verify", "./small.toml", "--target", "a", "--engine", engine]).expect_code(2);
        assert!(refused.stderr.contains("nothing that could be read back"), "{}", refused.stderr);
    }
    let no_time = ["verify", "./small.toml", "--target", "a", "--io-deadline", "0s"];
    bench.run(&no_time).expect_code(2);
    // A file of an earlier run: nobody knows what is in it.
    bench.run(&["run", "./small.toml", "--target", "a", "--keep-files", "--quiet"]);
    let file = bench.path().join("a").join("pages.iotrial");
    let before = std::fs::read(&file).unwrap();
    let refused = bench
        .run(&["verify", "./small.toml", "--target", "a/pages.iotrial", "--size", "8MiB"])
        .expect_code(2);
    assert!(refused.stderr.contains("cannot be verified"), "{}", refused.stderr);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    // In its folder it is made again.
    bench.run(&["verify", "./small.toml", "--target", "a", "--quiet"]).expect_code(0);
    let planned =
        bench.run(&["verify", "./small.toml", "--target", "a", "--dry-run", "--json"]).expect_code(0).json();
    assert_eq!(planned["verified"], true, "{planned}");
}
