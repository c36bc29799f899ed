//! Volumes together on a real kernel path: loop devices that are limited to 2,000 IOPS each, which take root. Skipped with a
//! message where they cannot be made.

use crate::rig;

use crate::rig::{Loop, MIB, Mount, is_root, turn};
use crate::support::{Bench, Ran};
use crate::throttled::{Cap, Throttled, ensure, filled, is_measured, memory_folder, within_three_tries};
use serde_json::Value;

const LIMIT: u32 = 2_000;

#[test]
fn three_limited_volumes_scale_and_their_limit_is_named_needs_root() {
    let test = "three_limited_volumes_scale_and_their_limit_is_named_needs_root";
    let _turn = turn();
    if !is_root(test) || !is_measured(test) {
        return;
    }
    let bench = Bench::new();
    let memory = memory_folder();
    let devices = ["a", "b", "c"].map(|name| {
        let path = memory.path().join(name);
        let output = format!("of={}", rig::text(&path));
        rig::run("dd", &["if=/dev/urandom", &output, "bs=1M", "count=64", "conv=fsync"]);
        Loop::over(&path, &[])
    });
    let Some(group) = Throttled::new(&[&devices[0], &devices[1], &devices[2]], LIMIT) else {
        eprintln!("{test}: skipped, because there is no blkio controller of cgroup v1");
        return;
    };
    let mut arguments = vec!["sweep", "--pattern", "randread-4k,randread-8k", "--step", "4s", "--idle", "0s"];
    arguments.extend(["--repeats", "1", "--json", "--quiet"]);
    for device in &devices {
        arguments.extend(["--target", rig::text(&device.node)]);
    }
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap();
    within_three_tries(|| {
        let ran = Ran::from(group.run(&bench.command(&arguments)).output().unwrap());
        let summary = ran.expect_code(0).json();
        for curve in summary["curves"].as_array().unwrap() {
            let ceiling = number(&curve["saturation"], "ceiling_iops");
            ensure((ceiling / f64::from(LIMIT) - 1.0).abs() < 0.05, "a volume alone", curve)?;
            ensure(curve["limit"]["kind"] == "iops-cap", "the limit of a volume", curve)?;
        }
        let scalings = summary["scaling"].as_array().unwrap();
        assert_eq!(scalings.len(), 2);
        for scaling in scalings {
            let rows = scaling["rows"].as_array().unwrap();
            let counts: Vec<f64> = rows.iter().map(|row| number(row, "volume_count")).collect();
            assert_eq!(counts, [1.0, 2.0, 3.0]);
            for row in rows {
                let expected = number(row, "volume_count") * f64::from(LIMIT);
                eprintln!("{} of {expected} IOPS", number(row, "iops"));
                ensure((number(row, "iops") / expected - 1.0).abs() < 0.05, "volumes together", row)?;
            }
            ensure(scaling["limit"]["kind"] == "none-shared", "the shared limit", scaling)?;
            let sentence = scaling["limit"]["sentence"].as_str().unwrap();
            ensure(sentence.contains("each volume's own (IOPS cap)"), "the sentence", scaling)?;
        }
        Ok(())
    });
}

#[test]
fn a_limit_below_two_volumes_is_shared_and_named_needs_root() {
    let test = "a_limit_below_two_volumes_is_shared_and_named_needs_root";
    let _turn = turn();
    if !is_root(test) || !is_measured(test) {
        return;
    }
    let bench = Bench::new();
    let memory = memory_folder();
    let disk = Loop::over(&filled(memory.path(), "disk", 32), &[]);
    // Past the page cache of the disk, or the limit would never see the second read of a block.
    let volume = |start: u64| {
        let (start, length) = ((start * MIB).to_string(), (16 * MIB).to_string());
        Loop::over(&disk.node, &["--direct-io=on", "--offset", &start, "--sizelimit", &length])
    };
    let volumes = [volume(0), volume(16)];
    let check = |cap: Cap, patterns: &str, kind: &str, most_iops: &[f64]| {
        let Some(group) = Throttled::with(&[(&disk, cap)]) else {
            eprintln!("{test}: skipped, because there is no blkio controller of cgroup v1");
            return;
        };
        let mut arguments =
            vec!["sweep", "--pattern", patterns, "--step", "4s", "--idle", "0s", "--repeats", "1", "--json"];
        for volume in &volumes {
            arguments.extend(["--target", rig::text(&volume.node)]);
        }
        let number = |value: &Value, key: &str| value[key].as_f64().unwrap();
        within_three_tries(|| {
            let ran = Ran::from(group.run(&bench.command(&arguments)).output().unwrap());
            let summary = ran.expect_code(0).json();
            for curve in summary["curves"].as_array().unwrap() {
                ensure(curve["limit"]["kind"] == kind, "the limit of a volume alone", &curve["limit"])?;
            }
            let scalings = summary["scaling"].as_array().unwrap();
            assert_eq!(scalings.len(), most_iops.len(), "{:#}", summary["scaling"]);
            for (scaling, most_iops) in scalings.iter().zip(most_iops) {
                for row in scaling["rows"].as_array().unwrap() {
                    eprintln!("{} volumes: {} of {most_iops} IOPS", row["volume_count"], row["iops"]);
                    ensure((number(row, "iops") / most_iops - 1.0).abs() < 0.05, "the rate", row)?;
                }
                let limit = &scaling["limit"];
                // Whose it is shows, because both stand on one disk; and by how still the rate stands, that it is a cap.
                let is_shared = limit["kind"] == kind || limit["kind"] == "shared-device";
                ensure(is_shared, "the shared limit", limit)?;
                let sentence = limit["sentence"].as_str().unwrap();
                let on_disk = format!("both are on the same disk, {}", disk.name());
                let is_said = sentence.starts_with("2 volumes together do") && sentence.contains(&on_disk);
                ensure(is_said, "the sentence", limit)?;
            }
            for finding in summary["findings"].as_array().unwrap() {
                let is_false = finding["id"] == "cache-served" || finding["id"] == "merged-io";
                ensure(!is_false, "said", finding)?;
            }
            Ok(())
        });
    };
    check(Cap::Reads(3_000), "randread-8k,randread-64k", "iops-cap", &[3_000.0, 3_000.0]);
    check(Cap::ReadBytes(80 << 20), "randread-8k,randread-64k", "bandwidth-cap", &[10_240.0, 1_280.0]);
}

#[test]
fn what_a_limiter_of_the_kernel_makes_of_latencies_and_neighbours_is_neither_cache_nor_merging_needs_root() {
    let test = "what_a_limiter_of_the_kernel_makes_of_latencies_and_neighbours_is_neither_cache_nor_merging_needs_root";
    let _turn = turn();
    if !is_root(test) || !is_measured(test) {
        return;
    }
    let bench = Bench::new();
    let memory = memory_folder();
    let [bytes, reads] = ["bytes", "reads"].map(|name| Loop::over(&filled(memory.path(), name, 32), &[]));
    let caps = [(&bytes, Cap::ReadBytes(60 << 20)), (&reads, Cap::Reads(1_500))];
    let Some(group) = Throttled::with(&caps) else {
        eprintln!("{test}: skipped, because there is no blkio controller of cgroup v1");
        return;
    };
    // The kernel hands tokens out ten times a second: most I/Os pass at once and the others wait for a tenth, and sequential ones that waited
    // together are merged.
    let sweep = |device: &Loop, patterns: &str, kind: &str| {
        let arguments =
            ["sweep", "--target", rig::text(&device.node), "--pattern", patterns, "--idle", "0s", "--json"];
        let ran = Ran::from(group.run(&bench.command(&arguments)).output().unwrap());
        let summary = ran.expect_code(0).json();
        for curve in summary["curves"].as_array().unwrap() {
            ensure(curve["limit"]["kind"] == kind, "the limit", &curve["limit"])?;
        }
        let accused = |finding: &&Value| finding["id"] == "cache-served" || finding["id"] == "merged-io";
        summary["findings"]
            .as_array()
            .unwrap()
            .iter()
            .find(accused)
            .map_or(Ok(()), |found| ensure(false, "said", found))
    };
    within_three_tries(|| {
        sweep(&bytes, "randread-64k,read-512k", "bandwidth-cap")?;
        sweep(&reads, "randread-8k", "iops-cap")
    });
}

#[test]
fn a_btrfs_over_limited_volumes_has_neither_cache_nor_merging_needs_root() {
    let test = "a_btrfs_over_limited_volumes_has_neither_cache_nor_merging_needs_root";
    let _turn = turn();
    if !is_root(test) || !is_measured(test) {
        return;
    }
    let bench = Bench::new();
    let memory = memory_folder();
    // Sparse: of the room that the rule of free space asks for, 64 MiB are written.
    let members =
        ["a", "b", "c"].map(|name| Loop::over(&rig::sparse(&memory.path().join(name), 1_024 * MIB), &[]));
    let nodes = members.each_ref().map(|member| rig::text(&member.node));
    rig::run("mkfs.btrfs", &[&["--quiet", "--data", "raid0", "--metadata", "raid0"], &nodes[..]].concat());
    let folder = bench.path().join("volume");
    // With checksums btrfs takes direct I/O through the page cache.
    let _mount = Mount::new(&["-t", "btrfs", "-o", "nodatasum", nodes[0]], &folder);
    let caps: Vec<(&Loop, Cap)> =
        members.iter().flat_map(|member| [(member, Cap::Reads(1_000)), (member, Cap::Writes(700))]).collect();
    let Some(group) = Throttled::with(&caps) else {
        eprintln!("{test}: skipped, because there is no blkio controller of cgroup v1");
        return;
    };
    let patterns = "randread-8k,randwrite-8k,read-512k";
    let target = rig::text(&folder);
    let arguments =
        ["sweep", "--target", target, "--pattern", patterns, "--size", "64MiB", "--idle", "0s", "--json"];
    within_three_tries(|| {
        let ran = Ran::from(group.run(&bench.command(&arguments)).output().unwrap());
        let summary = ran.expect_code(0).json();
        for finding in summary["findings"].as_array().unwrap() {
            let is_false = finding["id"] == "cache-served" || finding["id"] == "merged-io";
            ensure(!is_false, "said", finding)?;
        }
        // Each of three serves a third; what a stripe has too much, another has too little.
        for (curve, most_iops) in summary["curves"].as_array().unwrap().iter().zip([3_000.0, 2_100.0, 400.0])
        {
            let ceiling = curve["saturation"]["ceiling_iops"].as_f64().unwrap();
            ensure(ceiling < 1.05 * most_iops, "more than the limits let pass", curve)?;
        }
        Ok(())
    });
}
