//! Disks that are taken away while they are watched: loop devices, which take root. Skipped with a message where they cannot be made.

use std::io::{BufRead as _, BufReader};

use crate::rig::{self, Loop, MIB, is_root, text, turn};
use crate::support::{Bench, Ran};
use serde_json::Value;

#[test]
fn a_disk_that_is_exchanged_under_its_name_leaves_the_answer_open() {
    let _turn = turn();
    if !is_root("a_disk_that_is_exchanged_under_its_name_leaves_the_answer_open") {
        return;
    }
    let bench = Bench::new();
    let [first, second] = ["first", "second"].map(|name| rig::sparse(&bench.path().join(name), 32 * MIB));
    let device = Loop::over(&first, &[]);
    if std::fs::metadata(format!("/sys/block/{}/diskseq", device.name())).is_err() {
        println!("skipped: this kernel does not number its disks");
        return;
    }
    let node = text(&device.node).to_owned();
    let mut child = bench.interruptible(&["watch", &node, "--interval", "100ms", "--json"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut interval = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(interval()["format"], "iotrial.watch/1");
    assert!(interval()["disks"][0]["read_iops"].is_number());
    // Under the same number, with all that the kernel counted of it before.
    rig::run("losetup", &["--detach", &node]);
    rig::run("losetup", &[&node, text(&second)]);
    while interval()["disks"][0]["read_iops"].is_number() {}
    rig::run("kill", &["-INT", &child.id().to_string()]);
    let summary = lines.map(Result::unwrap).last().unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let observation = &summary["summary"]["observations"][0];
    assert_eq!(
        (observation["kind"].as_str(), observation["of"]["disk"].as_str()),
        (Some("disk-replaced"), Some(device.name()))
    );
    assert!(summary["summary"]["is_good"].is_null(), "{summary:#}");
    Ran::from(child.wait_with_output().unwrap()).expect_code(4);
}
