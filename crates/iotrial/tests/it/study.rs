//! `iotrial study` as a user meets it, on simulated devices.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::{Bench, Ran};
use serde_json::{Value, json};

/// Two simulated devices, of which one is four times as fast.
pub(crate) const STUDY: &str = r#"
format = "iotrial.study/1"
name = "sims"
title = "A slow device and a fast one"
profiles = ["sqlserver-log"]
repeats = 2

[load]
engine = "sim"
ramp = "0s"
duration = "2s"

[[configuration]]
label = "slow"
attributes = { speed = 1 }
sim = { service_time_us = 800.0 }

[[configuration]]
label = "fast"
attributes = { speed = 4 }
sim = { service_time_us = 200.0 }
"#;

fn write(bench: &Bench, text: &str) {
    std::fs::write(bench.path().join("study.toml"), text).unwrap();
}

#[track_caller]
pub(crate) fn with(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn run(bench: &Bench, more: &[&str]) -> Ran {
    bench.run(&[&["study", "study.toml"], more].concat())
}

fn record(cell: &Value) -> Value {
    read(Path::new(cell["record"].as_str().unwrap_or_else(|| panic!("no record: {cell}"))))
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn cells(status: &Value) -> Vec<Value> {
    status["cells"].as_array().unwrap().clone()
}

/// What each measurement came to: label, repeat, state.
fn states(status: &Value) -> Vec<(String, u64, String)> {
    let text = |cell: &Value, key: &str| cell[key].as_str().unwrap().to_owned();
    let state = |cell: &Value| (text(cell, "label"), cell["repeat"].as_u64().unwrap(), text(cell, "state"));
    cells(status).iter().map(state).collect()
}

fn done_records(status: &Value) -> BTreeSet<String> {
    cells(status).iter().filter_map(|cell| cell["record"].as_str().map(str::to_owned)).collect()
}

#[track_caller]
fn refused(bench: &Bench, more: &[&str], code: i32, parts: &[&str]) {
    let ran = run(bench, more).expect_code(code);
    for part in parts {
        assert!(ran.stderr.contains(part), "`{part}` is missing in:\n{}", ran.stderr);
    }
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_load_that_saturates_on_purpose_has_no_latency_verdict_in_a_study_either() {
    let bench = Bench::new();
    let saturating = with(STUDY, "sqlserver-log", "oci-64k-randread");
    // 128 outstanding I/Os of 64 KiB take 80 ms each at 100 MiB/s.
    write(&bench, &with(&saturating, "service_time_us = 800.0", "bandwidth_cap_mib_per_s = 100.0"));
    let status = run(&bench, &["--yes", "--json"]).expect_code(0).json();
    let all = cells(&status);
    assert_eq!(all.len(), 4);
    for cell in all {
        let record = cell["record"].as_str().unwrap();
        let verdict = bench.run(&["report", record, "--json"]).json()["verdict"].clone();
        assert_eq!((&verdict["outcome"], &verdict["category"]), (&json!("inconclusive"), &Value::Null));
        assert_eq!(verdict["queue"]["outstanding"], 128);
        assert_eq!(verdict["judged"], json!([]));
    }
}

#[test]
fn each_measurement_is_a_record_with_label_attributes_and_place_in_balanced_order() {
    let bench = Bench::new();
    write(&bench, STUDY);
    let status = run(&bench, &["--json"]).expect_code(0).json();
    assert_eq!((status["complete"].as_bool(), status["done_count"].as_u64()), (Some(true), Some(4)));
    let mut records: Vec<Value> = cells(&status).iter().map(record).collect();
    // Ids are in the order of time.
    records.sort_by_key(|record| record["id"].as_str().unwrap().to_owned());
    let order: Vec<(u64, u64)> = records
        .iter()
        .map(|record| {
            (record["study"]["repeat"].as_u64().unwrap(), record["study"]["position"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(order, [(1, 1), (1, 2), (2, 1), (2, 2)]);
    let labels: Vec<&str> = records.iter().map(|record| record["label"].as_str().unwrap()).collect();
    assert_eq!(
        (labels[0], labels[1]),
        (labels[3], labels[2]),
        "the second round mirrors the first: {labels:?}"
    );
    for record in &records {
        let speed = if record["label"] == "fast" { 4 } else { 1 };
        assert_eq!(record["attributes"], json!({ "speed": speed }));
        assert_eq!(
            (&record["study"]["name"], &record["study"]["profile"]),
            (&json!("sims"), &json!("sqlserver-log"))
        );
        assert_eq!(record["ended"]["how"], "complete");
        assert_eq!(record["plan"]["seed"], json!(1 + record["study"]["repeat"].as_u64().unwrap()));
    }
}

#[test]
fn a_study_ends_with_the_comparison_of_its_configurations() {
    let bench = Bench::new();
    write(&bench, &with(STUDY, "[\"sqlserver-log\"]", "[\"sqlserver-log\", \"oracle-slob-random\"]"));
    let ran = run(&bench, &["--html", "out.html"]).expect_code(0);
    assert!(ran.stdout.contains("out.html"), "{}", ran.stdout);
    // One page: the answer over both profiles, and each as a chapter.
    let html = std::fs::read_to_string(bench.path().join("out.html")).unwrap();
    for part in
        ["slow", "fast", "under both loads", ">1</span> sqlserver-log", ">2</span> oracle-slob-random"]
    {
        assert!(html.contains(part), "{part}");
    }
    let files = ["--status", "--xlsx", "out.xlsx", "--csv", "out.csv"];
    run(&bench, &files).expect_code(0);
    bench.expect_file("out.xlsx", "PK");
    bench.expect_file("out.csv", "run,");
    // The same comparison, against another baseline.
    let compare = |more: &[&str]| bench.run(&[&["compare", "study.toml", "--json"], more].concat());
    let compared = compare(&["--profile", "sqlserver-log", "--baseline", "fast"]).expect_code(0).json();
    assert_eq!((&compared["baseline"], &compared["subjects"]), (&json!("B"), &json!(["sqlserver-log"])));
    assert_eq!(compared["configurations"][0]["sources"].as_array().unwrap().len(), 2);
    let unknown = compare(&["--profile", "sqlserver-dss"]).expect_code(2).stderr;
    assert!(unknown.contains("--profile takes one of `sqlserver-log`, `oracle-slob-random`"), "{unknown}");
    // Without one, under each and over all of them.
    let over_loads = &compare(&[]).expect_code(0).json()["over_loads"];
    assert_eq!((&over_loads["best"], &over_loads["best_count"]), (&json!("B"), &json!(2)), "{over_loads}");
    let status = run(&bench, &["--status", "--json"]).expect_code(0).json();
    let compared: Vec<(&str, &str, usize)> = status["comparisons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let label = one["configurations"][0]["label"].as_str().unwrap();
            (one["profile"].as_str().unwrap(), label, one["configurations"].as_array().unwrap().len())
        })
        .collect();
    assert_eq!(compared, [("sqlserver-log", "slow", 2), ("oracle-slob-random", "slow", 2)]);
    // One configuration alone is compared with nothing.
    write(
        &bench,
        &with(
            &with(STUDY, "\"sims\"", "\"alone\""),
            "label = \"fast\"",
            "label = \"fast\"\nelsewhere = true",
        ),
    );
    let ran = run(&bench, &["--html", "alone.html", "--json"]).expect_code(0);
    assert!(
        ran.json().get("comparisons").is_none() && ran.stderr.contains("nothing to compare yet"),
        "{}",
        ran.stderr
    );
    refused(&bench, &["--resume", "--html", "absent/a.html"], 2, &["cannot write `absent/a.html`"]);
}

#[test]
fn dry_run_tells_order_time_and_bytes_and_writes_nothing() {
    let bench = Bench::new();
    let real = with(STUDY, "engine = \"sim\"", "size = \"32MiB\"");
    let real =
        with(&real, "sim = { service_time_us = 800.0 }", "targets = [\"data\"]\nbefore = \"touch before\"");
    let real = with(&real, "sim = { service_time_us = 200.0 }", "targets = [\"data\"]");
    write(&bench, &with(&real, "repeats = 2", "repeats = 3\nidle = \"10s\""));
    let ran = run(&bench, &["--dry-run"]).expect_code(0);
    for part in [
        " for 6 measurements",
        "repeats = 4 would be fully balanced",
        "before slow: touch before",
        "fast, slow",
        "slow, fast",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    let outlook = run(&bench, &["--dry-run", "--json"]).expect_code(0).json();
    assert_eq!((outlook["duration_s"].as_f64(), outlook["is_balanced"].as_bool()), (Some(72.0), Some(false)));
    assert_eq!(outlook["rounds"].as_array().unwrap().len(), 3);
    let looked_at: Vec<&Value> =
        outlook["loads"].as_array().unwrap().iter().map(|load| &load["looked_at"]).collect();
    assert_eq!(looked_at, [&json!(false), &json!(true)]);
    let written = outlook["would_write_bytes"].as_u64().unwrap();
    assert!((150 << 20..=192 << 20).contains(&written), "{written}");
    assert!(
        bench.data_files().is_empty() && !bench.store().exists() && !bench.path().join("before").exists()
    );
}

#[test]
fn a_volume_that_a_command_attaches_is_foreseen_to_take_as_much_as_one_that_is_there() {
    let bench = Bench::new();
    let study = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [\"sqlserver-oltp\"]\nrepeats = 1\n\
                 [load]\nsize = \"64MiB\"\n[[configuration]]\nlabel = \"there\"\ntargets = [\"data\"]\n\
                 [[configuration]]\nlabel = \"attached\"\ntargets = [\"data\"]\nbefore = \"true\"\n";
    write(&bench, study);
    let outlook = run(&bench, &["--dry-run", "--json"]).expect_code(0).json();
    let written = |at: usize| outlook["loads"][at]["would_write_bytes"].as_u64().unwrap();
    assert!(written(0) > 32 << 20);
    assert_eq!(written(0), written(1), "{outlook:#}");
}

#[test]
fn a_study_on_real_files_leaves_nothing_behind() {
    let bench = Bench::new();
    let real = with(STUDY, "engine = \"sim\"", "engine = \"threads\"\nsize = \"16MiB\"");
    let real = with(&real, "duration = \"2s\"", "duration = \"100ms\"");
    let real = with(&real, "repeats = 2", "repeats = 2\nidle = \"1ms\"");
    let real = with(&real, "sim = { service_time_us = 800.0 }", "targets = [\"data\"]");
    let real = with(&real, "sim = { service_time_us = 200.0 }", "targets = [\"data/other\"]");
    std::fs::create_dir(bench.data().join("other")).unwrap();
    write(&bench, &real);
    let status = run(&bench, &["--json", "--quiet"]).expect_code(0).json();
    assert_eq!(status["complete"], true);
    let label = |cell: &Value| record(cell)["targets"][0]["path"].as_str().unwrap().ends_with("other");
    assert_eq!(cells(&status).iter().map(label).collect::<Vec<_>>(), [false, false, true, true]);
    assert_eq!(bench.data_files(), [bench.data().join("other")]);
    assert!(std::fs::read_dir(bench.data().join("other")).unwrap().next().is_none());
}

#[test]
fn mistakes_of_a_study_are_told_before_anything_is_done() {
    let bench = Bench::new();
    let check = |from: &str, to: &str, code: i32, parts: &[&str]| {
        write(&bench, &with(STUDY, from, to));
        refused(&bench, &["--json"], code, parts);
        assert!(bench.stored(".json").is_empty() && bench.stored(".study").is_empty());
    };
    refused(&bench, &[], 2, &["cannot read the study `study.toml`", "No such file", "hint:"]);
    check(
        "\"fast\"",
        "\"slow\"",
        2,
        &[
            "`study.toml` is not a valid study",
            "line 19, column 9: another configuration already has the label `slow`",
            "hint: `iotrial docs study`",
        ],
    );
    check(
        "sqlserver-log",
        "sqlserver-lok",
        2,
        &["there is no built-in profile `sqlserver-lok`", "did you mean `sqlserver-log`?"],
    );
    check("\"sqlserver-log\"", "\"./mine.toml\"", 2, &["cannot read the profile `./mine.toml`"]);
    check(
        "engine = \"sim\"",
        "engine = \"sim\"\npolled = true",
        2,
        &["configuration `slow`, profile `sqlserver-log`", "the `sim` engine cannot poll for completions"],
    );
    check(
        "\"sim\"",
        "\"threads\"",
        2,
        &["`targets` is missing; `elsewhere = true` marks", "`sim` is for `engine = \"sim\"`"],
    );
}

#[test]
fn a_study_is_listed_with_its_records() {
    let bench = Bench::new();
    write(&bench, STUDY);
    run(&bench, &["--quiet"]).expect_code(0);
    let listed = bench.run(&["records", "--json"]).expect_code(0).json();
    let kinds = |kind: &str| listed.as_array().unwrap().iter().filter(|one| one["kind"] == kind).count();
    assert_eq!((kinds("run"), kinds("study")), (4, 1), "{listed:#}");
    let study = listed.as_array().unwrap().iter().find(|one| one["kind"] == "study").unwrap();
    assert_eq!((&study["label"], &study["ended"]), (&json!("sims"), &json!("complete")));
}

#[test]
fn targets_that_cannot_be_used_or_compared_are_refused_before_anything_is_measured() {
    let bench = Bench::new();
    let real = with(STUDY, "engine = \"sim\"", "engine = \"threads\"");
    let real = with(&real, "sim = { service_time_us = 800.0 }", "targets = [\"data\"]");
    write(&bench, &with(&real, "sim = { service_time_us = 200.0 }", "targets = [\"absent/below\"]"));
    refused(&bench, &[], 2, &["configuration `fast`, profile `sqlserver-log`", "absent", "hint:"]);
    assert!(bench.data_files().is_empty() && bench.stored(".study").is_empty());
}

#[test]
fn a_study_that_began_is_gone_on_with_only_when_that_is_asked() {
    let bench = Bench::new();
    write(&bench, STUDY);
    let first = run(&bench, &["--json"]).expect_code(0).json();
    refused(
        &bench,
        &[],
        2,
        &["the study `sims` was begun at", "4 of 4 measurements are done", "hint: --resume"],
    );
    let resumed = run(&bench, &["--resume", "--json"]).expect_code(0).json();
    assert_eq!(done_records(&resumed), done_records(&first));
    let again = run(&bench, &["--restart", "--json"]).expect_code(0).json();
    assert!(done_records(&again).is_disjoint(&done_records(&first)));
    assert_eq!((bench.stored(".iotrial.json").len(), bench.stored(".old-study").len()), (8, 1));
}

#[test]
fn a_record_that_is_gone_is_measured_again() {
    let bench = Bench::new();
    write(&bench, STUDY);
    let first = run(&bench, &["--json"]).expect_code(0).json();
    let gone = cells(&first)[2]["record"].as_str().unwrap().to_owned();
    std::fs::remove_file(&gone).unwrap();
    assert_eq!(run(&bench, &["--status", "--json"]).expect_code(0).json()["missing_count"], 1);
    let resumed = run(&bench, &["--resume", "--json"]).expect_code(0).json();
    let kept: BTreeSet<String> =
        done_records(&first).intersection(&done_records(&resumed)).cloned().collect();
    assert_eq!((kept.len(), done_records(&resumed).len(), kept.contains(&gone)), (3, 4, false));
}

#[test]
fn a_study_file_that_changed_is_refused_with_what_changed_and_accepted_changes_keep_what_they_do_not_touch() {
    let bench = Bench::new();
    write(&bench, STUDY);
    let first = run(&bench, &["--json"]).expect_code(0).json();
    let journal = || std::fs::read(bench.store().join("sims.iotrial.study")).unwrap();
    let before = journal();
    // Layout and comments are no change.
    write(&bench, &with(STUDY, "repeats = 2", "# enough\nrepeats   =  2"));
    run(&bench, &["--resume"]).expect_code(0);
    let changed = with(STUDY, "service_time_us = 200.0", "service_time_us = 100.0");
    let changed = with(&changed, "repeats = 2", "repeats = 3");
    write(&bench, &changed);
    let parts = [
        "is not the one that was begun at",
        "repeats: 2 changed to 3",
        "configuration `fast`, sim: ",
        "--accept-changes",
    ];
    refused(&bench, &["--resume"], 2, &parts);
    refused(&bench, &["--accept-changes"], 2, &["--resume"]);
    assert_eq!(journal(), before, "a refusal changes nothing");
    let accepted = run(&bench, &["--resume", "--accept-changes", "--json"]).expect_code(0).json();
    assert_eq!((accepted["complete"].as_bool(), accepted["done_count"].as_u64()), (Some(true), Some(6)));
    let of = |status: &Value, label: &str| -> BTreeSet<String> {
        let cells = cells(status).into_iter().filter(|cell| cell["label"] == label);
        cells.map(|cell| cell["record"].as_str().unwrap().to_owned()).collect()
    };
    assert!(of(&accepted, "slow").is_superset(&of(&first, "slow")));
    assert!(of(&accepted, "fast").is_disjoint(&of(&first, "fast")));
    assert_eq!(bench.stored(".iotrial.json").len(), 4 + 4);
    // The profile is a part of the study, too.
    let profile = bench.run(&["profiles", "sqlserver-log"]).stdout.replace("\"sqlserver-log\"", "\"mine\"");
    std::fs::write(bench.path().join("mine.toml"), &profile).unwrap();
    let own = with(&with(STUDY, "\"sims\"", "\"own\""), "\"sqlserver-log\"", "\"./mine.toml\"");
    write(&bench, &own);
    run(&bench, &["--json"]).expect_code(0);
    std::fs::write(bench.path().join("mine.toml"), profile.replace("iodepth = 1", "iodepth = 2")).unwrap();
    refused(&bench, &["--resume"], 2, &["the profile `./mine.toml` has changed"]);
}

#[test]
fn a_journal_with_a_torn_end_is_gone_on_with_and_a_spoilt_one_is_put_aside_on_demand() {
    let bench = Bench::new();
    write(&bench, STUDY);
    let first = run(&bench, &["--json"]).expect_code(0).json();
    let path = bench.store().join("sims.iotrial.study");
    let mut bytes = std::fs::read(&path).unwrap();
    // The last measurement is cut off in its last line; its record tells that it is done.
    bytes.truncate(bytes.len() - 5);
    std::fs::write(&path, &bytes).unwrap();
    let resumed = run(&bench, &["--resume", "--json"]).expect_code(0).json();
    assert_eq!(done_records(&resumed), done_records(&first));
    std::fs::write(&path, "no journal\n").unwrap();
    refused(
        &bench,
        &["--resume"],
        3,
        &["sims.iotrial.study` cannot be read", "line 1", "hint: --restart puts it aside"],
    );
    let again = run(&bench, &["--restart", "--json"]).expect_code(0).json();
    assert_eq!((again["complete"].as_bool(), bench.stored(".old-study").len()), (Some(true), 1));
}

#[test]
fn a_load_that_fails_costs_its_own_measurements_and_is_tried_again() {
    let bench = Bench::new();
    let broken = with(STUDY, "service_time_us = 800.0", "error_share = 1.0");
    write(&bench, &broken);
    let status = run(&bench, &["--json"]).expect_code(3).json();
    let failed = |label: &str| {
        cells(&status).iter().filter(|cell| cell["label"] == label && cell["state"] == "failed").count()
    };
    assert_eq!((failed("slow"), failed("fast"), status["done_count"].as_u64()), (2, 0, Some(2)));
    assert!(cells(&status)[0]["reason"].as_str().unwrap().len() > 10);
    let records = bench.stored(".iotrial.json").len();
    run(&bench, &["--resume"]).expect_code(3);
    assert_eq!(bench.stored(".iotrial.json").len(), records + 2);
}

#[test]
fn a_configuration_elsewhere_is_exported_measured_there_and_added_by_its_label() {
    let (here, there) = (Bench::new(), Bench::new());
    let profile = here.run(&["profiles", "sqlserver-log"]).stdout.replace("\"sqlserver-log\"", "\"mine\"");
    std::fs::write(here.path().join("mine.toml"), &profile).unwrap();
    let study = with(STUDY, "label = \"fast\"", "label = \"fast\"\nelsewhere = true");
    let study = with(&study, "\"sqlserver-log\"", "\"./mine.toml\"");
    write(&here, &study);
    let part = here.run(&["study", "export", "study.toml", "--label", "fast"]).expect_code(0).stdout;
    // The other machine needs this one file and nothing else.
    write(&there, &part);
    let measured = run(&there, &["--json"]).expect_code(0).json();
    assert_eq!(measured["study"], "sims-fast");
    assert!(run(&there, &["--status"]).stderr.contains("this is a part of the study `sims`"));
    let records: Vec<String> = done_records(&measured).into_iter().collect();
    let add = |records: &[&str], code: i32| {
        here.run(&[&["study", "add", "study.toml", "--json"], records].concat()).expect_code(code)
    };
    // What is measured elsewhere may come before what is measured here.
    // However it was packed on its way.
    let packed = here.path().join("sent.json");
    std::fs::copy(&records[0], &packed).unwrap();
    assert!(std::process::Command::new("gzip").arg(&packed).status().unwrap().success());
    let added = add(&["sent.json.gz"], 0).json();
    assert_eq!((added["done_count"].as_u64(), added["missing_count"].as_u64()), (Some(1), Some(3)));
    let local = run(&here, &["--json"]).expect_code(0);
    assert!(local.stderr.contains("[2 of 2]"), "{}", local.stderr);
    assert_eq!(local.json()["complete"], false);
    let status = add(&[&records[0], &records[1]], 0);
    assert!(status.stderr.contains("is a part of the study already"), "{}", status.stderr);
    let status = status.json();
    assert_eq!(status["complete"], true);
    for cell in cells(&status).iter().filter(|cell| cell["label"] == "fast") {
        let record = record(cell);
        assert_eq!((&record["study"]["name"], &record["study"]["repeat"]), (&json!("sims"), &cell["repeat"]));
        assert!(
            cell["record"]
                .as_str()
                .unwrap()
                .starts_with(here.store().canonicalize().unwrap().to_str().unwrap())
        );
    }
}

#[test]
fn records_that_do_not_fit_are_refused_and_none_is_taken() {
    let bench = Bench::new();
    write(&bench, &with(STUDY, "label = \"fast\"", "label = \"fast\"\nelsewhere = true"));
    let run_record = |more: &[&str]| {
        let base =
            ["run", "--closed", "sqlserver-log", "--engine", "sim", "--ramp", "0s", "--quiet", "--json"];
        bench.run(&[&base[..], more].concat()).json()["record"].as_str().unwrap().to_owned()
    };
    let good = run_record(&["--duration", "2s", "--label", "fast", "--attribute", "speed=4"]);
    let check = |more: &[&str], part: &str| {
        let record = run_record(more);
        let ran = bench.run(&["study", "add", "study.toml", &good, &record]).expect_code(2);
        for part in ["cannot be added to the study `sims`", part, "none of the records was taken"] {
            assert!(ran.stderr.contains(part), "{part} is missing in:\n{}", ran.stderr);
        }
        assert!(bench.stored(".iotrial.study").is_empty());
    };
    check(&["--duration", "2s"], "it has no label");
    check(&["--duration", "2s", "--label", "faster"], "has no configuration `faster`");
    check(&["--duration", "2s", "--label", "slow"], "configuration `slow` is measured here");
    check(&["--duration", "3s", "--label", "fast"], "its phases are measure 3 s, not measure 2 s");
    check(
        &["--duration", "2s", "--label", "fast", "--buffered"],
        "it went through the page cache, not direct I/O",
    );
    check(
        &["--duration", "2s", "--label", "fast", "--attribute", "speed=3"],
        "its attribute `speed` is 3, not 4",
    );
    check(&["--duration", "2s", "--label", "fast", "--sim", "error_share = 1"], "did not end as planned");
    check(&["--duration", "2s", "--label", "fast", "--until-steady", "20s"], "steady");
    let other = bench.run(&[
        "run",
        "--closed",
        "sqlserver-dss",
        "--engine",
        "sim",
        "--duration",
        "2s",
        "--ramp",
        "0s",
        "--label",
        "fast",
        "--json",
    ]);
    let other = other.json()["record"].as_str().unwrap().to_owned();
    let ran = bench.run(&["study", "add", "study.toml", &other]).expect_code(2);
    assert!(
        ran.stderr.contains("its profile `sqlserver-dss` is not, word for word, one of the study"),
        "{}",
        ran.stderr
    );
    // Records of `iotrial run` take the next repeat that is missing, until there is none.
    let more = ["--duration", "2s", "--label", "fast"];
    let (second, third) = (run_record(&more), run_record(&more));
    let folder = bench.store();
    let folder = folder.to_str().unwrap();
    let ran = bench.run(&["study", "add", "study.toml", folder]).expect_code(2);
    assert!(ran.stderr.contains("none of the records was taken"), "{}", ran.stderr);
    let status = bench.run(&["study", "add", "study.toml", &good, &second, "--json"]).expect_code(0).json();
    let taken: Vec<(String, u64, String)> =
        states(&status).into_iter().filter(|(label, ..)| label == "fast").collect();
    assert_eq!(
        taken.iter().map(|(_, repeat, state)| (*repeat, state.as_str())).collect::<Vec<_>>(),
        [(1, "done"), (2, "done")]
    );
    let ran = bench.run(&["study", "add", "study.toml", &third]).expect_code(2);
    assert!(ran.stderr.contains("all 2 repeats of `fast` are measured already"), "{}", ran.stderr);
    let absent = bench.run(&["study", "export", "study.toml", "--label", "fats"]).expect_code(2);
    assert!(
        absent.stderr.contains("has no configuration `fats`")
            && absent.stderr.contains("it has `slow`, `fast`")
    );
    let local = bench.run(&["study", "export", "study.toml", "--label", "slow"]).expect_code(2);
    assert!(local.stderr.contains("`slow` is measured here"), "{}", local.stderr);
}

#[test]
fn a_study_takes_the_wait_of_a_run_and_simulated_devices_wait_for_nobody() {
    let bench = Bench::new();
    write(&bench, STUDY);
    refused(&bench, &["--wait-for-quiet", "5"], 2, &["`off`"]);
    refused(&bench, &["--wait-for-quiet", "10m", "--status"], 2, &["--status"]);
    let status = run(&bench, &["--wait-for-quiet", "10m", "--json"]).expect_code(0).json();
    for record in cells(&status).iter().map(record) {
        assert_eq!(record.get("host_activity"), None, "{record:#}");
    }
}
