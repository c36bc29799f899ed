//! What the kernel counts below a target, and a real limit: on loop devices, which take root. Skipped with a message
//! where they cannot be made.

use crate::rig;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::rig::{Loop, MIB, Mount, Process, is_root, turn};
use crate::support::{Bench, Ran};
use crate::throttled::{READS, Throttled, ensure, filled, is_measured, memory_folder, within_three_tries};
use serde_json::Value;

/// The command that reads `target` for some seconds.
fn reading(bench: &Bench, target: &Path, duration: &str) -> Command {
    fs::write(bench.path().join("reads.toml"), READS).unwrap();
    let target = rig::text(target);
    bench.command(&[
        "run",
        "--closed",
        "./reads.toml",
        "--target",
        target,
        "--duration",
        duration,
        "--json",
        "--quiet",
    ])
}

fn summary(command: &mut Command) -> Value {
    Ran::from(command.output().unwrap()).json()
}

#[track_caller]
fn finding(summary: &Value, id: &str) -> Value {
    let all = summary["findings"].as_array().unwrap();
    all.iter().find(|one| one["id"] == id).unwrap_or_else(|| panic!("no {id} in {all:#?}")).clone()
}

fn has(summary: &Value, id: &str) -> bool {
    summary["findings"].as_array().unwrap().iter().any(|one| one["id"] == id)
}

#[test]
fn a_limit_of_a_real_kernel_needs_root() {
    let test = "a_limit_of_a_real_kernel_needs_root";
    let _turn = turn();
    if !is_root(test) || !is_measured(test) {
        return;
    }
    let bench = Bench::new();
    let memory = memory_folder();
    let device = Loop::over(&filled(memory.path(), "disk", 128), &[]);
    let Some(group) = Throttled::new(&[&device], 2_000) else {
        eprintln!("{test}: skipped, because there is no blkio controller of cgroup v1");
        return;
    };
    within_three_tries(|| {
        let limited = summary(&mut group.run(&reading(&bench, &device.node, "15s")));
        let findings = &limited["findings"];
        ensure(has(&limited, "flat-iops-limit"), "the limit is not found", findings)?;
        let found = finding(&limited, "flat-iops-limit");
        let limit = found["evidence"]["limit_iops"].as_f64().unwrap();
        ensure((limit / 2_000.0 - 1.0).abs() < 0.02, "another limit is found", &found)?;
        ensure(!has(&limited, "cache-served"), "a cache is found", findings)
    });
    within_three_tries(|| {
        let free = summary(&mut reading(&bench, &device.node, "12s"));
        // A limit that is not there must never be found, however busy the host is.
        assert!(!has(&free, "flat-iops-limit"), "{:#}", free["findings"]);
        ensure(!has(&free, "throttled-after-burst"), "a burst is found", &free["findings"])
    });
    drop(group);

    let device = Loop::over(&filled(bench.path(), "disk", 64), &["--direct-io=on"]);
    let free = summary(&mut reading(&bench, &device.node, "2s"));
    // The loop device is the first step, and what holds its file the second.
    let steps = free["device"]["steps"].as_array().unwrap();
    assert_eq!(steps[0]["below"], serde_json::json!([device.name()]));
    let ratio = steps[0]["read"]["bytes_ratio"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
    if let Some(second) = steps.get(1) {
        assert_eq!(second["above"], serde_json::json!([device.name()]));
        assert!(second["read"]["below_bytes"].as_u64().unwrap() > 0, "{second:#}");
    }
    assert!(free["cpu"]["involuntary_switches_per_s"].is_number(), "{:#}", free["cpu"]);
    assert!(free["cpu"]["busiest_thread_percent"].as_f64().unwrap() > 0.0, "{:#}", free["cpu"]);
}

#[test]
fn both_members_of_a_btrfs_raid_are_metered_needs_root() {
    let test = "both_members_of_a_btrfs_raid_are_metered_needs_root";
    let _turn = turn();
    if !is_root(test) || !is_measured(test) {
        return;
    }
    if Command::new("mkfs.btrfs").arg("--version").output().is_err() {
        eprintln!("{test}: skipped, because there is no mkfs.btrfs");
        return;
    }
    let bench = Bench::new();
    let members = ["a", "b"]
        .map(|name| Loop::over(&rig::sparse(&bench.path().join(name), 2_048 * MIB), &["--direct-io=on"]));
    let nodes = [rig::text(&members[0].node), rig::text(&members[1].node)];
    rig::run("mkfs.btrfs", &["--quiet", "--data", "raid0", "--metadata", "raid0", nodes[0], nodes[1]]);
    let folder = bench.path().join("volume");
    // With checksums btrfs takes direct I/O through the page cache.
    let _mount = Mount::new(&["-t", "btrfs", "-o", "nodatasum", nodes[0]], &folder);
    let summary = summary(&mut reading(&bench, &folder, "2s"));
    let step = &summary["device"]["steps"][0];
    let mut below: Vec<&str> =
        step["below"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    below.sort_unstable();
    let mut names = [members[0].name(), members[1].name()];
    names.sort_unstable();
    assert_eq!(below, names);
    let ratio = step["read"]["bytes_ratio"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.1, "{step:#}");
    for counters in summary["device"]["devices"].as_array().unwrap() {
        if names.contains(&counters["name"].as_str().unwrap()) {
            assert!(counters["read_bytes"].as_u64().unwrap() > 0, "{counters:#}");
        }
    }
}

#[test]
fn what_happens_on_another_partition_is_foreign_needs_root() {
    let test = "what_happens_on_another_partition_is_foreign_needs_root";
    let _turn = turn();
    if !is_root(test) {
        return;
    }
    let bench = Bench::new();
    let device = Loop::over(&filled(bench.path(), "disk", 192), &["--direct-io=on"]);
    let ours = device.add_partition(1, MIB, 96 * MIB);
    let theirs = device.add_partition(2, 100 * MIB, 80 * MIB);
    let quiet = summary(&mut reading(&bench, &ours, "2s"));
    assert!(!has(&quiet, "foreign-load"), "{:#}", quiet["findings"]);

    let script = format!(
        "(while :; do dd if={} of=/dev/null bs=1M iflag=direct status=none; done) & trap 'kill $!' EXIT",
        rig::text(&theirs)
    );
    let _other = Process::start(&[], &script);
    let shared = summary(&mut reading(&bench, &ours, "3s"));
    let found = finding(&shared, "foreign-load");
    assert!(found["evidence"]["share_percent"].as_f64().unwrap() > 10.0, "{found:#}");
    assert!(found["message"].as_str().unwrap().contains("partitions other than"), "{found:#}");
}
