//! A device in the place of a file that the program is to write: on a loop device, which takes root. Skipped with a message where it cannot
//! be made. (`tests/it/outputs.rs` tries every option on a device that cannot be opened.)

use std::fs;

use crate::rig::{self, Loop, MIB, is_root, turn};
use crate::support::{Bench, Ran};

#[test]
fn a_device_is_no_place_for_an_output_and_keeps_what_it_holds_needs_root() {
    let _turn = turn();
    if !is_root("a_device_is_no_place_for_an_output_and_keeps_what_it_holds_needs_root") {
        return;
    }
    let bench = Bench::new();
    bench.run(&["run", "--engine", "sim", "--ramp=0s", "--duration=1s", "--quiet"]);
    let image = rig::sparse(&bench.path().join("image"), 16 * MIB);
    rig::run("mkfs.ext4", &["-q", "-F", rig::text(&image)]);
    let before = fs::read(&image).unwrap();
    let device = Loop::over(&image, &[]);
    let node = rig::text(&device.node);
    let report = ["report", "last", "--gate", "data.read.p99 < 100s", "--overwrite"];
    for option in ["--html", "--xlsx", "--markdown", "--csv", "--junit", "--github-summary"] {
        let ran = bench.run(&[&report[..], &[&format!("{option}={node}")]].concat()).expect_code(2);
        assert!(ran.stderr.contains(option) && ran.stderr.contains(node), "{}", ran.stderr);
    }
    let mut command = bench.command(&[&report[..], &["--github-summary"]].concat());
    Ran::from(command.env("GITHUB_STEP_SUMMARY", node).output().unwrap()).expect_code(2);
    drop(device);
    assert!(fs::read(&image).unwrap() == before, "something was written to the device");
}
