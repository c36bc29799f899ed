//! A study whose commands attach and detach real volumes, which takes root. Skipped with a message where loop devices
//! cannot be made.

use std::io::{BufRead as _, BufReader};

use crate::rig;
use crate::rig::{Loop, MIB, is_root, text, turn};
use crate::support::Bench;
use serde_json::Value;

#[test]
fn volumes_are_mounted_in_turn_at_one_place() {
    let _turn = turn();
    if !is_root("volumes_are_mounted_in_turn_at_one_place") {
        return;
    }
    let bench = Bench::new();
    let volume = |name: &str| {
        let volume = Loop::over(&rig::sparse(&bench.path().join(name), 1600 * MIB), &[]);
        rig::make_ext4(&volume.node, None);
        volume
    };
    let (first, second) = (volume("first"), volume("second"));
    let configuration = |label: &str, volume: &Loop| {
        format!(
            "[[configuration]]\nlabel = \"{label}\"\ntargets = [\"data\"]\nbefore = \"mount {} data\"\nafter = \"umount data\"\n",
            text(&volume.node)
        )
    };
    let head = "format = \"iotrial.study/1\"\nname = \"mounted\"\ntitle = \"Mounted in turn\"\nprofiles = [\"sqlserver-log\"]\n\
                repeats = 2\n[load]\nsize = \"16MiB\"\nramp = \"0s\"\nduration = \"200ms\"\n";
    let study = [head, &configuration("one", &first), &configuration("two", &second)].concat();
    std::fs::write(bench.path().join("study.toml"), study).unwrap();
    let status = bench.run(&["study", "study.toml", "--yes", "--json"]).expect_code(0).json();
    assert_eq!(status["complete"], true);
    for cell in status["cells"].as_array().unwrap() {
        let record: Value =
            serde_json::from_str(&std::fs::read_to_string(cell["record"].as_str().unwrap()).unwrap())
                .unwrap();
        let volume = if cell["label"] == "one" { &first } else { &second };
        assert_eq!(record["targets"][0]["devices"][0]["name"], volume.name(), "{cell}");
    }
    assert!(
        bench.data_files().is_empty(),
        "nothing is mounted, and nothing was written below the mount point"
    );
}

#[test]
fn a_volume_goes_back_without_what_a_killed_load_left_on_it() {
    let _turn = turn();
    if !is_root("a_volume_goes_back_without_what_a_killed_load_left_on_it") {
        return;
    }
    // Killed alone, or with its host, after which nothing is mounted. By threads, whose files are closed when the program is gone: what a
    // ring had open keeps a volume busy for a moment longer.
    for is_mounted in [true, false] {
        let bench = Bench::new();
        let volume = Loop::over(&rig::sparse(&bench.path().join("volume"), 1600 * MIB), &[]);
        rig::make_ext4(&volume.node, None);
        std::fs::create_dir_all(bench.data()).unwrap();
        let study = format!(
            "format = \"iotrial.study/1\"\nname = \"killed\"\ntitle = \"Killed\"\nprofiles = [\"sqlserver-log\"]\nrepeats = 1\n\
             [load]\nengine = \"threads\"\nsize = \"16MiB\"\nramp = \"0s\"\nduration = \"2s\"\n[[configuration]]\nlabel = \"a\"\ntargets = [\"data/d\"]\n\
             before = \"mount {} data && mkdir -p data/d\"\nafter = \"umount data\"\n",
            text(&volume.node)
        );
        std::fs::write(bench.path().join("study.toml"), study).unwrap();
        let files = || std::fs::read_dir(bench.data().join("d")).map_or(0, Iterator::count);
        let mut child = bench.command(&["study", "study.toml", "--yes"]).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("measure, 0:0")), "the study never measured");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(files() > 0, "the load left its files");
        if !is_mounted {
            // The kernel may still be closing what the killed program had open.
            rig::run("umount", &["--lazy", text(&bench.data())]);
        }
        let resumed = bench.run(&["study", "study.toml", "--yes", "--resume", "--json"]).expect_code(0);
        assert_eq!(resumed.json()["complete"], true, "{}", resumed.stderr);
        assert_eq!(files(), 0, "nothing is mounted");
        rig::run("mount", &[text(&volume.node), text(&bench.data())]);
        let left = files();
        rig::run("umount", &[text(&bench.data())]);
        assert_eq!((left, is_mounted), (0, is_mounted), "{}", resumed.stderr);
    }
}

/// A study of raw devices, each a configuration of its own.
fn of_raw_devices(bench: &Bench, repeats: u32, devices: &[(&Loop, &str)]) {
    let head = format!(
        "format = \"iotrial.study/1\"\nname = \"raw\"\ntitle = \"Raw devices\"\nprofiles = [\"sqlserver-log\"]\nrepeats = {repeats}\n\
         [load]\nsize = \"16MiB\"\nramp = \"0s\"\nduration = \"200ms\"\n"
    );
    let configuration = |(device, more): &(&Loop, &str)| {
        let node = text(&device.node);
        format!("[[configuration]]\nlabel = \"{node}\"\ntargets = [\"{node}\"]\n{more}\n")
    };
    let configurations: String = devices.iter().map(configuration).collect();
    std::fs::write(bench.path().join("raw.toml"), head + &configurations).unwrap();
}

fn token(bench: &Bench, device: &Loop) -> String {
    let shown = bench.run(&["target", text(&device.node), "--json"]).expect_code(0).json();
    shown["token"].as_str().unwrap().to_owned()
}

#[test]
fn raw_devices_are_written_as_long_as_nobody_else_writes_to_them() {
    let _turn = turn();
    if !is_root("raw_devices_are_written_as_long_as_nobody_else_writes_to_them") {
        return;
    }
    let bench = Bench::new();
    let volume = |name: &str| Loop::over(&rig::sparse(&bench.path().join(name), 32 * MIB), &[]);
    let (first, second) = (volume("first"), volume("second"));
    of_raw_devices(&bench, 2, &[(&first, ""), (&second, "")]);

    let refused = bench.run(&["study", "raw.toml"]).expect_code(2).stderr;
    assert!(
        refused.contains("hint: `iotrial target DEVICE` shows") && refused.contains("--destroy"),
        "{refused}"
    );
    let tokens = [token(&bench, &first), token(&bench, &second)];
    let refused = bench.run(&["study", "raw.toml", "--destroy", &tokens[0]]).expect_code(2).stderr;
    assert!(refused.contains("there are 1 tokens, and the study has 2 raw devices"), "{refused}");
    assert!(
        refused.contains(&format!("in this order: {}, {}", text(&first.node), text(&second.node))),
        "{refused}"
    );
    let turned = ["study", "raw.toml", "--destroy", &tokens[1], "--destroy", &tokens[0]];
    let refused = bench.run(&turned).expect_code(2).stderr;
    assert!(refused.contains("the token does not match"), "{refused}");

    // Each load leaves another content, and the release goes along.
    let released = ["study", "raw.toml", "--destroy", &tokens[0], "--destroy", &tokens[1], "--json"];
    let status = bench.run(&released).expect_code(0).json();
    assert_eq!((&status["complete"], &status["done_count"]), (&true.into(), &4.into()), "{status:#}");

    // The tokens were for a content that is gone.
    let again = [&released[..], &["--restart"]].concat();
    let refused = bench.run(&again).expect_code(2).stderr;
    assert!(refused.contains("the token does not match"), "{refused}");
}

#[test]
fn what_somebody_else_writes_to_a_raw_device_ends_its_release_and_no_other() {
    let _turn = turn();
    if !is_root("what_somebody_else_writes_to_a_raw_device_ends_its_release_and_no_other") {
        return;
    }
    let bench = Bench::new();
    let volume = |name: &str| Loop::over(&rig::sparse(&bench.path().join(name), 32 * MIB), &[]);
    let (first, second) = (volume("first"), volume("second"));
    // Somebody's file system appears on the second device whenever the first one was measured.
    let intrusion = format!(
        "after = \"printf precious | dd of={} bs=1 seek=4096 conv=notrunc,fsync status=none\"",
        text(&second.node)
    );
    of_raw_devices(&bench, 2, &[(&first, &intrusion), (&second, "")]);
    let tokens = [token(&bench, &first), token(&bench, &second)];
    let mut arguments = vec!["study", "raw.toml", "--yes", "--json"];
    arguments.extend(["--destroy", &tokens[0], "--destroy", &tokens[1]]);
    let ran = bench.run(&arguments).expect_code(3);
    let status = ran.json();
    let reasons_of = |device: &Loop| -> Vec<String> {
        let cells = status["cells"].as_array().unwrap().iter();
        let mine = cells.filter(|cell| cell["label"] == text(&device.node) && cell["state"] == "failed");
        mine.map(|cell| cell["reason"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(reasons_of(&first), Vec::<String>::new(), "{}", ran.stderr);
    // In one of two rounds at least the second one comes after the first.
    let reasons = reasons_of(&second);
    assert!(
        !reasons.is_empty() && reasons.iter().all(|one| one.contains("the token does not match")),
        "{reasons:?}"
    );
    let content = std::fs::read(bench.path().join("second")).unwrap();
    assert_eq!(&content[4096..4104], b"precious");
}
