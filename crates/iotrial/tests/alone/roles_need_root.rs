//! Roles on devices of their own, each with a limit of a real kernel: on loop devices, which take root. Skipped with a message
//! where they cannot be made.

use crate::rig;

use crate::rig::{Loop, is_root, turn};
use crate::support::{Bench, Ran};
use crate::throttled::{Cap, Throttled, ensure, is_measured, within_three_tries};
use serde_json::{Value, json};

/// Enough in flight on each role that I/Os wait for a limit, and of one size each, so that the value tells which limit it is.
const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "three-roles"
title = "Data, tempdb and log, each on its own"
closed = true
schedule = { ramp = "1s", duration = "60s" }
quick = { size = "48MiB", ramp = "1s", duration = "15s" }
[[job]]
name = "pages"
role = "data"
pattern = "random"
rwmix_read_percent = 100
block_size = "8KiB"
iodepth = 16
size = "1GiB"
[[job]]
name = "spills"
role = "tempdb"
pattern = "random"
rwmix_read_percent = 100
block_size = "64KiB"
iodepth = 16
size = "1GiB"
[[job]]
name = "redo"
role = "log"
pattern = "sequential"
rwmix_read_percent = 0
block_size = "8KiB"
iodepth = 16
size = "1GiB"
"#;

const DATA_IOPS: u32 = 1_500;
const TEMPDB_MIB_PER_S: u32 = 20;
const LOG_IOPS: u32 = 500;

/// The one flat limit whose I/Os are those of this role.
fn limit_of<'s>(summary: &'s Value, role: &str) -> Result<&'s Value, String> {
    let all = summary["findings"].as_array().unwrap();
    let is_limit = |one: &&Value| one["id"].as_str().is_some_and(|id| id.starts_with("flat-"));
    let mine: Vec<&Value> =
        all.iter().filter(is_limit).filter(|one| one["evidence"]["roles"] == json!([role])).collect();
    match mine.as_slice() {
        [one] => Ok(one),
        _ => Err(format!("not one limit of {role}: {all:#?}")),
    }
}

#[test]
fn each_role_lies_on_its_own_device_whose_limit_is_named_needs_root() {
    let test = "each_role_lies_on_its_own_device_whose_limit_is_named_needs_root";
    let _turn = turn();
    if !is_root(test) || !is_measured(test) {
        return;
    }
    let bench = Bench::new();
    std::fs::write(bench.path().join("roles.toml"), PROFILE).unwrap();
    let [data, tempdb, log] = ["a", "b", "c"].map(|name| {
        let path = bench.path().join(name);
        let output = format!("of={}", rig::text(&path));
        rig::run("dd", &["if=/dev/urandom", &output, "bs=1M", "count=18", "conv=fsync"]);
        Loop::over(&path, &["--direct-io=on"])
    });
    let caps = [
        (&data, Cap::Reads(DATA_IOPS)),
        (&tempdb, Cap::ReadBytes(TEMPDB_MIB_PER_S << 20)),
        (&log, Cap::Writes(LOG_IOPS)),
    ];
    let Some(group) = Throttled::with(&caps) else {
        eprintln!("{test}: skipped, because there is no blkio controller of cgroup v1");
        return;
    };
    let targets = [("log", &log), ("data", &data), ("tempdb", &tempdb)]
        .map(|(role, device)| format!("{role}={}", rig::text(&device.node)));
    within_three_tries(|| {
        let mut arguments = vec!["run", "./roles.toml", "--json"];
        targets.iter().for_each(|target| arguments.extend(["--target", target]));
        // In the order of the targets; a load leaves another content, so that each try needs tokens of its own.
        let tokens = [&log, &data, &tempdb].map(|device| {
            let shown = bench.run(&["target", rig::text(&device.node), "--json"]).expect_code(0).json();
            shown["token"].as_str().unwrap().to_owned()
        });
        tokens.iter().for_each(|token| arguments.extend(["--destroy", token]));

        let planned = bench.run(&[&arguments[..], &["--dry-run"]].concat()).expect_code(0).json();
        for (job, device) in planned["jobs"].as_array().unwrap().iter().zip([&data, &tempdb, &log]) {
            let area = job["areas"][0].as_u64().unwrap();
            let path = planned.pointer(&format!("/areas/{area}/path")).unwrap();
            assert_eq!(path, rig::text(&device.node), "{job:#}");
        }

        let ran = Ran::from(group.run(&bench.command(&arguments)).output().unwrap());
        let summary = ran.json();
        // What is certain, whatever the host did meanwhile.
        for (role, device) in [("data", &data), ("tempdb", &tempdb), ("log", &log)] {
            let line = format!("{role}: {} on {}", rig::text(&device.node), device.name());
            assert!(ran.stderr.contains(&line), "{}", ran.stderr);
            let steps = summary["device"]["steps"].as_array().unwrap();
            let step = steps.iter().find(|step| step["roles"] == json!([role])).unwrap();
            assert_eq!(step["below"], json!([device.name()]), "{step:#}");
        }
        let record: Value =
            serde_json::from_slice(&std::fs::read(summary["record"].as_str().unwrap()).unwrap()).unwrap();
        let of_record: Vec<String> = record["targets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|target| {
                format!("{}={}", target["roles"][0].as_str().unwrap(), target["path"].as_str().unwrap())
            })
            .collect();
        assert_eq!(of_record, targets);
        let findings = &summary["findings"];
        let shared = findings.as_array().unwrap().iter().find(|one| one["id"] == "shared-disk");
        if let Some(shared) = shared {
            // The files of all three lie on one file system.
            assert_eq!(shared["evidence"]["roles"], json!(["data", "tempdb", "log"]), "{shared:#}");
        }

        let expected = [
            ("data", &data, "limit_iops", DATA_IOPS),
            ("tempdb", &tempdb, "limit_mib_per_s", TEMPDB_MIB_PER_S),
            ("log", &log, "limit_iops", LOG_IOPS),
        ];
        for (role, device, key, value) in expected {
            let found = limit_of(&summary, role)?;
            let limit = found["evidence"][key].as_f64();
            eprintln!("{}", found["message"]);
            ensure(
                limit.is_some_and(|limit| (limit / f64::from(value) - 1.0).abs() < 0.02),
                "another limit",
                found,
            )?;
            ensure(found["evidence"]["devices"] == json!([device.name()]), "another device", found)?;
            let begin = format!("{role} on {}: ", device.name());
            ensure(found["message"].as_str().unwrap().starts_with(&begin), "another message", found)?;
        }
        let judged = summary["verdict"]["judged"].as_array().unwrap();
        let of_log = judged.iter().find(|one| one["role"] == "log").unwrap();
        ensure(of_log["devices"] == json!([log.name()]), "the device of the log", of_log)
    });
}
