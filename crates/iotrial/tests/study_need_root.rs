//! A study whose commands attach and detach real volumes, which takes root. Skipped with a message where loop devices
//! cannot be made.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "a test, which says what it skips")]

#[path = "../../iotrial-engine/tests/rig/mod.rs"]
mod rig;
mod support;

use rig::{Loop, MIB, is_root, text, turn};
use serde_json::Value;
use support::Bench;

#[test]
fn volumes_are_mounted_in_turn_at_one_place_and_a_raw_device_is_never_written_to() {
    let _turn = turn();
    if !is_root("volumes_are_mounted_in_turn_at_one_place_and_a_raw_device_is_never_written_to") {
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
    let raw = head.replace("\"mounted\"", "\"raw\"").replace("size = \"16MiB\"\n", "");
    let raw = format!("{raw}[[configuration]]\nlabel = \"raw\"\ntargets = [\"{}\"]\n", text(&first.node));
    std::fs::write(bench.path().join("study.toml"), raw).unwrap();
    let ran = bench.run(&["study", "study.toml"]).expect_code(2);
    assert!(ran.stderr.contains("hint: a study writes to no raw device"), "{}", ran.stderr);
}
