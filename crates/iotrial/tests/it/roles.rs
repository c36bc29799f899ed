//! Roles on targets of their own, as a user meets them.

use crate::support::{Bench, Ran};
use serde_json::{Value, json};

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
rwmix_read_percent = 70
block_size = "8KiB"
numjobs = 2
iodepth = 4
size = "3GiB"
[[job]]
name = "spills"
role = "tempdb"
pattern = "random"
rwmix_read_percent = 50
block_size = "8KiB"
iodepth = 2
size = "2GiB"
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
    for folder in ["a", "b", "c", "x=y"] {
        std::fs::create_dir(bench.path().join(folder)).unwrap();
    }
    bench
}

fn run(bench: &Bench, more: &[&str]) -> Ran {
    bench.run(&[&["run", "./small.toml"], more].concat())
}

/// Role and path of every file that the plan would make, without the folder of the test.
fn planned(bench: &Bench, targets: &[&str]) -> Vec<String> {
    let mut arguments = vec!["--dry-run", "--json"];
    targets.iter().for_each(|target| arguments.extend(["--target", target]));
    let plan = run(bench, &arguments).expect_code(0).json();
    let folder = std::fs::canonicalize(bench.path()).unwrap();
    let mut files = Vec::new();
    for job in plan["jobs"].as_array().unwrap() {
        for area in job["areas"].as_array().unwrap() {
            let path =
                plan["areas"][usize::try_from(area.as_u64().unwrap()).unwrap()]["path"].as_str().unwrap();
            let path = std::path::Path::new(path).strip_prefix(&folder).unwrap();
            files.push(format!("{} {}", job["role"].as_str().unwrap(), path.display()));
        }
    }
    files
}

#[test]
fn files_lie_where_their_role_was_told_to_lie() {
    let bench = bench();
    assert_eq!(
        planned(&bench, &["log=b", "a"]),
        ["data a/pages.iotrial", "tempdb a/spills.iotrial", "log b/redo.iotrial"]
    );
    assert_eq!(
        planned(&bench, &["data=a", "data=c", "log,tempdb=b"]),
        ["data a/pages.iotrial", "data c/pages.iotrial", "tempdb b/spills.iotrial", "log b/redo.iotrial"]
    );
    // One log on two volumes of a disk group.
    assert_eq!(planned(&bench, &["log=b", "log=c", "a"])[2..], ["log b/redo.iotrial", "log c/redo.iotrial"]);
    // One place for several roles is one place, however it is said.
    assert_eq!(
        planned(&bench, &["data=a", "log=./a/", "tempdb=b"]),
        ["data a/pages.iotrial", "tempdb b/spills.iotrial", "log a/redo.iotrial"]
    );
    assert_eq!(planned(&bench, &["a", "log=a"]), planned(&bench, &["a"]));
    // A path that has an equals sign: it is there, or begins with ./
    assert_eq!(planned(&bench, &["x=y"])[0], "data x=y/pages.iotrial");
    assert_eq!(planned(&bench, &["log=x=y", "./n=w"])[2], "log x=y/redo.iotrial");
    assert_eq!(planned(&bench, &["./n=w"])[0], "data n=w/pages.iotrial");
}

#[test]
fn roles_and_targets_that_do_not_go_together_are_refused_with_what_to_do() {
    let bench = bench();
    let check = |targets: &[&str], messages: &[&str]| {
        let mut arguments = vec!["--dry-run"];
        targets.iter().for_each(|target| arguments.extend(["--target", target]));
        let refused = run(&bench, &arguments).expect_code(2).stderr;
        for message in messages {
            assert!(refused.contains(message), "{targets:?}: {refused}");
        }
    };
    check(
        &["logs=a"],
        &["`logs` is not a role (did you mean `log`?)", "a path that contains `=` must begin with ./"],
    );
    check(
        &["backup=a", "b"],
        &["the profile `small` has no job of the role `backup`; it has data, tempdb and log"],
    );
    check(
        &["data=a"],
        &["no target is given for tempdb and log of the profile `small`", "hint: add --target tempdb=PATH"],
    );
    check(
        &["data,tempdb,log=a", "b"],
        &["nothing would be placed on `b`", "hint: leave it out, or give it a role"],
    );
    check(
        &["tempdb=a", "tempdb=b", "c"],
        &["no file would be placed on", "tempdb has fewer files than targets", "hint: leave it out"],
    );
    check(&["log=a", "log=a", "c"], &["is given twice as a target"]);
    assert_eq!(bench.run(&["clean", "a", "b", "c"]).expect_code(0).stderr, "no leftover test files found\n");
    let nowhere = bench.run(&["clean", "a", "nowhere"]).expect_code(2).stderr;
    assert!(nowhere.contains("`nowhere`") && !nowhere.contains("`a`"), "{nowhere}");
}

#[test]
fn a_run_keeps_whose_target_is_whose_in_its_record_its_pages_and_the_next_command() {
    let bench = bench();
    let arguments = ["--target", "data,tempdb=a", "--target", "log=b", "--duration", "1s", "--keep-files"];
    let ran = run(&bench, &arguments);
    let folder = std::fs::canonicalize(bench.path()).unwrap();
    let [a, b] = ["a", "b"].map(|name| folder.join(name).display().to_string());
    assert!(ran.stderr.contains(&format!("data and tempdb: {a}")), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("log: {b}")), "{}", ran.stderr);
    let next = ran.stdout.lines().last().unwrap().to_owned();
    // As it was typed.
    assert!(next.contains("run ./small.toml --target data,tempdb=a --target log=b"), "{next}");

    let listed = bench.run(&["records"]).expect_code(0).stdout;
    assert!(listed.contains(&format!("data,tempdb={a}, log={b}")), "{listed}");
    let [path] = <[_; 1]>::try_from(bench.stored(".iotrial.json")).unwrap();
    let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(record["targets"][0]["roles"], json!(["data", "tempdb"]));
    assert_eq!(record["targets"][1]["roles"], json!(["log"]));
    let text = bench.run(&["report", "last", "--details"]).stdout;
    assert!(text.contains("data,tempdb=/") && text.contains("log=/"), "{text}");
    bench.run(&["report", "last", "--html", "r.html", "--details"]);
    let page = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
    assert!(page.contains("data and tempdb"), "the table of targets has the roles");

    // One disk below both is said, where the host shows its devices at all.
    let devices = |index: usize| -> Vec<&str> {
        let devices = record["targets"][index]["devices"].as_array().map(Vec::as_slice).unwrap_or_default();
        devices.iter().filter_map(|device| device["name"].as_str()).collect()
    };
    if devices(0).iter().any(|device| devices(1).contains(device)) {
        let shared = "data and tempdb (`";
        assert!(ran.stderr.contains(shared), "{}", ran.stderr);
        assert!(text.contains("[shared-disk]"), "{text}");
    }

    // What was kept is found where it lies.
    let cleaned = bench.run(&["clean", "a", "b", "--yes"]).expect_code(0);
    assert!(cleaned.stderr.contains("3 files removed"), "{}", cleaned.stderr);
}

#[test]
fn a_need_of_one_role_leaves_the_targets_of_the_others_alone() {
    let bench = bench();
    let arguments = ["--need", "data=100iops", "--dry-run", "--json", "--target", "log=b", "--target", "a"];
    let plan = run(&bench, &arguments).expect_code(0).json();
    let paths: Vec<&Value> = plan["targets"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(paths.len(), 1, "{paths:?}");
    assert_eq!(plan["targets"][0]["roles"], json!(["data", "tempdb"]));
}

#[test]
fn a_dry_run_shows_role_file_and_device() {
    let bench = bench();
    let shown = run(&bench, &["--dry-run", "--target", "log=b", "--target", "a"]).expect_code(0).stdout;
    let line = shown.lines().find(|line| line.contains("redo.iotrial")).unwrap();
    assert!(line.starts_with("log "), "{shown}");
    assert!(shown.contains("role ") && shown.contains("file or device"), "{shown}");
}

#[test]
fn a_log_on_two_volumes_is_written_on_both_and_reads_back_as_written() {
    let bench = bench();
    let targets = ["--target", "log=b", "--target", "log=c", "--target", "a"];
    let verified = bench.run(&[&["verify", "./small.toml", "--quiet", "--json"][..], &targets].concat());
    let verified = verified.expect_code(0).json();
    assert_eq!(verified["verdict"]["outcome"], "qualified", "{verified}");
    let record = std::fs::read_to_string(verified["record"].as_str().unwrap()).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let redo = &record["plan"]["jobs"][2];
    assert_eq!((&redo["areas"], &redo["stripe_unit_bytes"]), (&json!([2, 3]), &json!(1 << 20)));
    let shown = run(&bench, &[&["--dry-run"][..], &targets].concat()).expect_code(0).stdout;
    assert!(shown.contains("redo: striped over 2 files"), "{shown}");
}

#[test]
fn a_sweep_calls_its_volumes_by_the_roles_that_they_are_given() {
    let bench = bench();
    let arguments = ["sweep", "--dry-run", "--pattern", "randread-8k", "--size", "8MiB"];
    let targets = ["--target", "data=a", "--target", "log=b"];
    let shown = bench.run(&[&arguments[..], &targets].concat()).expect_code(0).stdout;
    let folder = std::fs::canonicalize(bench.path()).unwrap();
    let data = format!("volume    data={}", folder.join("a").join("volume.iotrial").display());
    assert!(shown.contains(&data), "{shown}");
    assert!(shown.contains("volume    log="), "{shown}");
}

#[test]
fn a_part_of_a_study_is_exported_with_the_roles_of_the_command_line() {
    let bench = bench();
    let study = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [\"./small.toml\"]\n\
                 [[configuration]]\nlabel = \"here\"\ntargets = { log = [\"b\"], others = [\"a\"] }\n\
                 [[configuration]]\nlabel = \"there\"\nelsewhere = true\n";
    std::fs::write(bench.path().join("study.toml"), study).unwrap();
    let export = ["study", "export", "study.toml", "--label", "there"];
    let with = |targets: &[&str]| bench.run(&[&export[..], targets].concat());
    let part = with(&["--target", "log=/mnt/l", "--target", "data,tempdb=/mnt/d"]).expect_code(0).stdout;
    for line in
        ["[configuration.targets]", "data = [\"/mnt/d\"]", "log = [\"/mnt/l\"]", "tempdb = [\"/mnt/d\"]"]
    {
        assert!(part.contains(line), "{part}");
    }
    let refused = with(&["--target", "log=/mnt/l"]).expect_code(2).stderr;
    assert!(refused.contains("no target is given for data and tempdb"), "{refused}");
    let outlook = bench.run(&["study", "study.toml", "--dry-run"]);
    assert_eq!(outlook.code, 0, "{}", outlook.stderr);
}

#[test]
fn a_needed_log_that_follows_the_data_runs_alone_at_its_rate() {
    let bench = Bench::new();
    let base = ["run", "sqlserver-oltp", "--need", "log=200iops", "--dry-run", "--json"];
    let plan = bench.run(&base).json();
    let jobs: Vec<&str> =
        plan["jobs"].as_array().unwrap().iter().map(|job| job["name"].as_str().unwrap()).collect();
    assert_eq!(jobs, ["sql-log"]);
    assert_eq!(plan["jobs"][0]["arrival"]["kind"], "open", "{plan:#}");
    let missing = bench.run(&["run", "sqlserver-oltp", "--need", "backup=200iops", "--dry-run"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("has no job of the role `backup`"), "{}", missing.stderr);
}

#[test]
fn a_study_on_a_volume_that_is_not_attached_yet_foresees_only_the_needed_roles() {
    let bench = Bench::new();
    let study = |before: &str| {
        let text = format!(
            "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [\"sqlserver-oltp\"]\nrepeats = 1\n\
             [load]\nneed = \"log=200iops\"\nsize = \"32MiB\"\n[[configuration]]\nlabel = \"a\"\ntargets = [\"a\"]\n{before}\
             [[configuration]]\nlabel = \"b\"\ntargets = [\"b\"]\n"
        );
        std::fs::write(bench.path().join("study.toml"), text).unwrap();
        let ran = bench.run(&["study", "study.toml", "--dry-run", "--json"]).expect_code(0).json();
        ran["loads"][0]["would_write_bytes"].as_u64().unwrap()
    };
    let (seen, unseen) = (study(""), study("before = \"true\"\n"));
    assert_eq!(seen, unseen);
    // With its targets, so that who reads it knows where that will be.
    let told = bench.run(&["study", "study.toml", "--dry-run"]).stdout;
    assert!(told.contains("/b"), "{told}");
}
