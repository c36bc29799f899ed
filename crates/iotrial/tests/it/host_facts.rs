//! Every run carries its host: what a record keeps of it, and what a comparison says of two.

use crate::support::Bench;
use serde_json::Value;

/// A second of reads on files of 8 MiB.
fn run(bench: &Bench, label: &str, more: &[&str]) -> Value {
    let data = bench.data().to_string_lossy().into_owned();
    let command = [
        "run",
        "oci-64k-read",
        "--closed",
        "--target",
        &data,
        "--size",
        "8MiB",
        "--duration",
        "1s",
        "--ramp",
        "0s",
        "--quiet",
        "--json",
        "--label",
        label,
    ];
    let path = bench.run(&[&command, more].concat()).json()["record"].as_str().unwrap().to_owned();
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The parts of a kind in the chain below the first target.
fn parts<'v>(record: &'v Value, kind: &str) -> Vec<&'v Value> {
    let parts = record["host_facts"]["chains"][0]["parts"].as_array().unwrap();
    parts.iter().filter(|part| part["kind"] == kind).collect()
}

#[test]
fn a_record_has_the_settings_of_its_host_by_the_walk_that_finds_its_devices() {
    let bench = Bench::new();
    let record = run(&bench, "one", &[]);
    assert_eq!(record["host_facts"]["chains"][0]["target"], record["targets"][0]["path"]);
    assert_eq!(record["host_facts"]["host"]["facts"]["memory_bytes"], record["host"]["memory_bytes"]);
    assert_eq!(parts(&record, "filesystem")[0]["facts"]["filesystem"], record["targets"][0]["filesystem"]);
    for disk in parts(&record, "disk") {
        let devices = record["targets"][0]["devices"].as_array().unwrap();
        let device = devices.iter().find(|device| device["name"] == disk["name"]).unwrap();
        for (fact, key) in
            [("scheduler", "scheduler"), ("nr_requests", "nr_requests"), ("size_bytes", "size_bytes")]
        {
            assert_eq!(disk["facts"][fact], device[key], "{fact}");
        }
    }
    // Where it was read has names in it, and is left out.
    assert!(!record["host_facts"].to_string().contains("/sys/"), "{}", record["host_facts"]);
    let page = std::fs::read_to_string(&bench.stored(".html")[0]).unwrap();
    assert!(
        page.contains("Settings of the host, as they were before the load"),
        "the page lists what was read"
    );
}

#[test]
fn a_sweep_has_them_too_and_a_simulated_device_has_no_host() {
    let bench = Bench::new();
    let data = bench.data().to_string_lossy().into_owned();
    let sweep = [
        "sweep",
        "--grid",
        "1",
        "--step",
        "1s",
        "--pattern",
        "randread-8k",
        "--size",
        "8MiB",
        "--quiet",
        "--json",
    ];
    let record = |more: &[&str]| -> Value {
        let path = bench.run(&[&sweep, more].concat()).json()["record"].as_str().unwrap().to_owned();
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    assert!(!parts(&record(&["--target", &data]), "filesystem").is_empty());
    assert_eq!(record(&["--engine", "sim"])["host_facts"], Value::Null);
}

#[test]
fn a_comparison_says_in_what_the_hosts_of_two_records_differ_in_every_form() {
    let bench = Bench::new();
    let (one, other) = (run(&bench, "one", &[]), run(&bench, "other", &[]));
    let same = bench.run(&["compare", "one", "other", "--json"]).json();
    assert_eq!(same["host_differences"], Value::Null, "{same:#}");
    // Of the same host after somebody changed two settings of it.
    let mut changed = other;
    let chain = &mut changed["host_facts"]["chains"][0]["parts"];
    chain[0]["facts"]["access_times"] = "strictatime".into();
    changed["host_facts"]["host"]["facts"]["swappiness"] = 97.into();
    let path = |name: &str| bench.path().join(name);
    std::fs::write(path("a.iotrial.json"), one.to_string()).unwrap();
    std::fs::write(path("b.iotrial.json"), changed.to_string()).unwrap();
    let files = ["a.iotrial.json", "b.iotrial.json"];
    let json = bench.run(&[&["compare", "--details"], &files[..], &["--json"]].concat()).json();
    let facts: Vec<&str> = json["host_differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["fact"].as_str().unwrap())
        .collect();
    assert_eq!(facts, ["swappiness", "access_times"]);
    assert_eq!(json["host_differences"][0]["values"][1]["values"][0], 97);
    let out = ["--html", "c.html", "--markdown", "c.md", "--csv", "c.csv", "--xlsx", "c.xlsx"];
    let shown = bench.run(&[&["compare", "--details"], &files[..], &out[..]].concat());
    let forms = ["c.html", "c.md"].map(|name| std::fs::read_to_string(path(name)).unwrap());
    for text in [&shown.stdout, &forms[0], &forms[1]] {
        for part in ["What differs in the host", "vm.swappiness", "strictatime"] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }
    // A page of two records has it as well.
    let report = bench.run(&[&["report", "--details"], &files[..]].concat()).stdout;
    assert!(report.contains("What differs in the host") && report.contains("97"), "{report}");
}

#[test]
fn an_older_record_without_a_host_is_read_and_compared_as_before() {
    let bench = Bench::new();
    let mut record = run(&bench, "one", &[]);
    record.as_object_mut().unwrap().remove("host_facts");
    record["label"] = "old".into();
    record["id"] = "01JD0000000000000000000000".into();
    std::fs::write(bench.path().join("old.iotrial.json"), record.to_string()).unwrap();
    let compared = bench.run(&["compare", "one", "old.iotrial.json", "--json"]).expect_code(0).json();
    assert_eq!(compared["host_differences"], Value::Null);
    bench.run(&["report", "old.iotrial.json", "--json"]);
}

#[test]
fn rules_of_an_organisation_warn_before_a_load_and_wrong_ones_are_refused_before_anything_is_written() {
    let bench = Bench::new();
    // Every file system breaks it.
    let rules = "format = \"iotrial.host-rules/1\"\n[[rule]]\nid = \"ours\"\ntitle = \"not the file system of our standard\"\n\
         of = [\"filesystem\"]\nfact = \"filesystem\"\nwant.any = { one_of = [\"ourfs\"] }\nseverity = \"critical\"\n\
         why = \"The standard says so.\"\nchange = \"mkfs.ourfs\"\nsource = \"our storage standard, page 12\"\n";
    std::fs::create_dir(bench.path().join("ours")).unwrap();
    std::fs::write(bench.path().join("ours/rules.toml"), rules).unwrap();
    std::fs::write(bench.path().join("wrong.toml"), "format = \"iotrial.host-rules/1\"\n[[rule]]\nid = 7\n")
        .unwrap();
    let study = "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"S\"\nprofiles = [\"oci-64k-read\"]\nrepeats = 1\n\
         [load]\nsize = \"8MiB\"\nduration = \"1s\"\nramp = \"0s\"\n\
         [[configuration]]\nlabel = \"a\"\ntargets = [\"data\"]\n[[configuration]]\nlabel = \"b\"\ntargets = [\"data\"]\n";
    std::fs::write(bench.path().join("s.toml"), study).unwrap();
    let run = [
        "run",
        "oci-64k-read",
        "--closed",
        "--target",
        "data",
        "--size",
        "8MiB",
        "--duration",
        "1s",
        "--ramp",
        "0s",
    ];
    let sweep = [
        "sweep",
        "--grid",
        "1",
        "--step",
        "1s",
        "--pattern",
        "randread-8k",
        "--size",
        "8MiB",
        "--target",
        "data",
    ];
    for command in [&run[..], &sweep, &["study", "s.toml"]] {
        let told = bench.run(&[command, &["--quiet", "--rules", "ours"]].concat());
        let warning = "warning: not the file system of our standard (";
        assert_eq!(told.stderr.matches(warning).count(), 1, "{command:?}: {}", told.stderr);
        assert!(told.stderr.contains(" --rules ours` says what to change"), "{}", told.stderr);
    }
    // The command that is named says it, too.
    let check = bench.run(&["check", "--target", "data", "--rules", "ours"]).expect_code(1).stdout;
    assert!(check.contains("not the file system of our standard"), "{check}");
    let empty = Bench::new();
    std::fs::copy(bench.path().join("wrong.toml"), empty.path().join("wrong.toml")).unwrap();
    std::fs::copy(bench.path().join("s.toml"), empty.path().join("s.toml")).unwrap();
    for command in [&run[..], &sweep, &["study", "s.toml"]] {
        let refused = empty.run(&[command, &["--rules", "wrong.toml"]].concat()).expect_code(2).stderr;
        assert!(refused.contains("`wrong.toml` have mistakes"), "{refused}");
        assert!(empty.data_files().is_empty(), "{command:?} wrote something");
    }
}
