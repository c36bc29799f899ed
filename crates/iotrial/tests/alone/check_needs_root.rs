//! The chain that `iotrial check` finds, compared with what `lsblk`, `findmnt` and sysfs say: on loop devices, which take root.
//! Skipped with a message where they cannot be made.

use crate::rig;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::rig::{Loop, MIB, Mount, is_root, turn};
use crate::support::Bench;
use serde_json::{Value, json};

/// The parts of the chain below a target.
fn parts(bench: &Bench, target: &Path) -> Vec<Value> {
    let answer = bench.run(&["check", "--target", rig::text(target), "--json"]).json();
    answer["host"]["chains"][0]["parts"].as_array().unwrap().clone()
}

fn names(parts: &[Value], kind: &str) -> Vec<String> {
    let of_kind = parts.iter().filter(|part| part["kind"] == kind);
    of_kind.map(|part| part["name"].as_str().unwrap().to_owned()).collect()
}

fn value(part: &Value, fact: &str) -> Value {
    let facts = part["facts"].as_array().unwrap();
    facts.iter().find(|one| one["fact"] == fact).map_or(Value::Null, |one| one["value"].clone())
}

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// The file system against `findmnt`, the disks against `lsblk --inverse`, and each fact of a queue against its file.
fn compare(bench: &Bench, target: &Path) {
    let parts = parts(bench, target);
    let text = rig::text(target);
    if let Some(found) = said("findmnt", &["--noheadings", "--output", "TARGET,FSTYPE", "--target", text]) {
        let (place, kind) = found.rsplit_once(' ').unwrap();
        assert_eq!(parts[0]["name"], place.trim(), "{text}");
        assert_eq!(value(&parts[0], "filesystem"), kind, "{text}");
    }
    for disk in parts.iter().filter(|part| part["kind"] == "disk") {
        let name = disk["name"].as_str().unwrap();
        let arguments =
            ["--nodeps", "--noheadings", "--bytes", "--output", "SIZE,ROTA,SCHED,RQ-SIZE,LOG-SEC,PHY-SEC"];
        if let Some(found) = said("lsblk", &[&arguments[..], &[&format!("/dev/{name}")]].concat()) {
            let fields: Vec<&str> = found.split_whitespace().collect();
            let rotates = if value(disk, "rotational") == true { "1" } else { "0" };
            let ours = [
                value(disk, "size_bytes").to_string(),
                rotates.to_owned(),
                value(disk, "scheduler").as_str().unwrap_or_default().to_owned(),
                value(disk, "nr_requests").to_string(),
                value(disk, "logical_block_bytes").to_string(),
                value(disk, "physical_block_bytes").to_string(),
            ];
            assert_eq!(fields, ours, "{name}");
        }
        for fact in disk["facts"].as_array().unwrap() {
            let from = fact["from"].as_str().unwrap();
            if from.contains("/queue/") && fact.get("value").is_some() {
                let text = fs::read_to_string(from).unwrap();
                let ours = match &fact["value"] {
                    Value::Bool(flag) => u8::from(*flag).to_string(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                assert!(
                    text.trim() == ours || text.contains(&format!("[{ours}]")),
                    "{from}: {text} and {ours}"
                );
            }
        }
    }
}

#[test]
fn the_chain_of_the_system_disk_is_that_of_lsblk_and_findmnt() {
    let bench = Bench::new();
    compare(&bench, Path::new("/"));
    compare(&bench, bench.path());
}

#[test]
fn file_systems_on_loop_devices_btrfs_overlay_and_memory_have_the_right_chain_needs_root() {
    let test = "file_systems_on_loop_devices_btrfs_overlay_and_memory_have_the_right_chain_needs_root";
    let _turn = turn();
    if !is_root(test) {
        return;
    }
    let bench = Bench::new();

    let device = Loop::over(&rig::sparse(&bench.path().join("disk"), 64 * MIB), &[]);
    rig::run("mkfs.ext4", &["-q", rig::text(&device.node)]);
    let folder = bench.path().join("volume");
    let mount = Mount::new(&["-o", "noatime", rig::text(&device.node)], &folder);
    compare(&bench, &folder);
    let found = parts(&bench, &folder);
    assert_eq!(names(&found, "loop"), [device.name()]);
    assert_eq!(
        (value(&found[0], "access_times"), value(&found[0], "barriers")),
        ("noatime".into(), "on".into())
    );
    assert!(found[1]["about"].as_str().unwrap().ends_with("/disk"), "{:#}", found[1]);
    // What holds the file of the loop device is that of the folder itself.
    assert_eq!(names(&found, "disk"), names(&parts(&bench, bench.path()), "disk"));
    // The device itself as a target.
    assert_eq!(names(&parts(&bench, &device.node), "loop"), [device.name()]);

    let [lower, upper, work, merged] = ["lower", "upper", "work", "merged"].map(|name| folder.join(name));
    [&lower, &upper, &work, &merged].into_iter().for_each(|place| fs::create_dir(place).unwrap());
    let options =
        format!("lowerdir={},upperdir={},workdir={}", rig::text(&lower), rig::text(&upper), rig::text(&work));
    let overlay = Mount::new(&["-t", "overlay", "-o", &options, "overlay"], &merged);
    let found = parts(&bench, &merged);
    assert_eq!(
        (value(&found[0], "filesystem"), names(&found, "loop")),
        ("overlay".into(), vec![device.name().to_owned()])
    );
    drop(overlay);
    drop(mount);

    let memory = bench.path().join("memory");
    let _memory = Mount::new(&["-t", "tmpfs", "tmpfs"], &memory);
    compare(&bench, &memory);
    let answer = bench.run(&["check", "--target", rig::text(&memory), "--json"]).expect_code(1).json();
    assert!(
        answer["findings"].as_array().unwrap().iter().any(|one| one["rule"] == "in-memory"),
        "{answer:#}"
    );
}

#[test]
fn btrfs_over_two_loop_devices_has_both_needs_root() {
    let test = "btrfs_over_two_loop_devices_has_both_needs_root";
    let _turn = turn();
    if !is_root(test) {
        return;
    }
    if said("mkfs.btrfs", &["--version"]).is_none() {
        eprintln!("{test}: skipped, because there is no mkfs.btrfs");
        return;
    }
    let bench = Bench::new();
    let members = ["a", "b"].map(|name| Loop::over(&rig::sparse(&bench.path().join(name), 512 * MIB), &[]));
    let nodes = [rig::text(&members[0].node), rig::text(&members[1].node)];
    rig::run("mkfs.btrfs", &["--quiet", "--data", "raid0", "--metadata", "raid0", nodes[0], nodes[1]]);
    let folder = bench.path().join("volume");
    let _mount = Mount::new(&["-t", "btrfs", nodes[0]], &folder);
    compare(&bench, &folder);
    let found = parts(&bench, &folder);
    let mut both = [members[0].name(), members[1].name()].map(String::from);
    both.sort_unstable();
    let mut loops = names(&found, "loop");
    loops.sort_unstable();
    assert_eq!(loops, both);
    assert_eq!(value(&found[0], "copy_on_write"), true);
    let spread = ["raid_level", "stripes", "stripe_unit_bytes"].map(|fact| value(&found[0], fact));
    assert_eq!(spread, [json!("raid0"), json!(2), json!(65_536)]);
    let database = folder.join("database");
    fs::create_dir(&database).unwrap();
    if said("chattr", &["+C", rig::text(&database)]).is_some() {
        assert_eq!(value(&parts(&bench, &database)[0], "copy_on_write"), false);
    }
}

#[test]
fn run_sweep_and_study_warn_of_a_file_system_in_memory_before_they_measure_needs_root() {
    let _turn = turn();
    if !is_root("run_sweep_and_study_warn_of_a_file_system_in_memory_before_they_measure_needs_root") {
        return;
    }
    let bench = Bench::new();
    let folder = bench.path().join("memory");
    // More than a GiB has to stay free; what is not written takes no memory.
    let _mount = Mount::new(&["-t", "tmpfs", "-o", "size=2g", "none"], &folder);
    let target = rig::text(&folder);
    let warning = format!("warning: the file system is in memory ({target})");
    // Also with --quiet: whoever wants no progress wants to know this.
    let load = ["--target", target, "--size", "8MiB", "--quiet"];
    let run =
        ["run", "oci-64k-read", "--closed", "--duration", "200ms", "--ramp", "0s", "--engine", "threads"];
    let sweep = ["sweep", "--grid", "1", "--step", "1s", "--pattern", "randread-8k", "--engine", "threads"];
    for command in [&run[..], &sweep[..]] {
        let told = bench.run(&[command, &load[..]].concat()).stderr;
        assert_eq!(told.matches(&warning).count(), 1, "{told}");
        assert!(told.contains("iotrial check --target"), "{told}");
    }
    // Two configurations with two repeats each, and one of them on memory: said once, before the first of them is measured.
    fs::create_dir_all(bench.data()).unwrap();
    let configuration = |label: &str, target: &str| {
        format!("[[configuration]]\nlabel = \"{label}\"\ntargets = [\"{target}\"]\n")
    };
    let head = "format = \"iotrial.study/1\"\nname = \"warned\"\ntitle = \"Warned\"\nprofiles = [\"oci-64k-read\"]\n\
                repeats = 2\n[load]\nsize = \"8MiB\"\nramp = \"0s\"\nduration = \"200ms\"\nengine = \"threads\"\n";
    let study =
        [head, &configuration("disk", rig::text(&bench.data())), &configuration("memory", target)].concat();
    fs::write(bench.path().join("study.toml"), study).unwrap();
    let told = bench.run(&["study", "study.toml"]).expect_code(0).stderr;
    assert_eq!(told.matches(&warning).count(), 1, "{told}");
    let (before, _) = told.split_once("[1 of 4]").unwrap_or_else(|| panic!("{told}"));
    assert!(before.contains(&warning), "{told}");
}
