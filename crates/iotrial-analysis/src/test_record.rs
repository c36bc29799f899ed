//! Records for tests: a healthy run that keeps every law, to be spoiled in one respect.

use std::time::Duration;

use iotrial_model::content::Checksum;
use iotrial_model::imported::{ImportedRecord, Source, SourceKind};
use iotrial_model::load::Role;
use iotrial_model::plan::{EngineKind, FreeSpace, PhaseKind, Plan, PlanRequest, TargetFacts, TargetKind};
use iotrial_model::profile::Profile;
use iotrial_model::record::{
    BlockDevice, CpuUse, DeviceCounters, Ended, EndedHow, Host, Interval, JobCounts, METHOD_VERSION,
    OpCounts, RECORD_FORMAT, RunRecord, TargetRecord, Tool,
};
use iotrial_model::units::ByteSize;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Eight outstanding 8 KiB data I/Os, half of them reads, and one durable 8 KiB log write.
const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "mine"
title = "Mine"
schedule = { duration = "300s" }
quick = { size = "1GiB", duration = "30s" }
[[job]]
name = "pages"
role = "data"
pattern = "random"
rwmix_read_percent = 50
block_size = "8KiB"
iodepth = 8
size = "60GiB"
[[job]]
name = "journal"
role = "log"
pattern = "sequential"
rwmix_read_percent = 0
block_size = "8KiB"
iodepth = 1
size = "4GiB"
durability = "dsync"
"#;

const BLOCK_BYTES: u64 = 8192;

/// 300 s without a finding: 16,000 data I/Os a second at 500 µs, 2,000 commits a second at 500 µs.
pub(crate) fn healthy() -> RunRecord {
    measured(300, |_| 16_000)
}

/// The same over `seconds`, with `iops` data I/Os and an eighth of that in commits in each second. Latencies follow
/// from the rates, so that the outstanding I/Os are always in flight.
pub(crate) fn measured(seconds: u64, iops: impl Fn(u64) -> u64) -> RunRecord {
    let intervals: Vec<Interval> = (0..seconds).map(|second| interval(second, iops(second))).collect();
    record(intervals)
}

fn interval(second: u64, iops: u64) -> Interval {
    let latency =
        |outstanding: u64, rate: u64| Duration::from_nanos(outstanding * 1_000_000_000 / rate.max(1));
    let pages = || Some(counts(iops / 2, latency(8, iops)));
    Interval {
        phase: PhaseKind::Measure,
        start: Duration::from_secs(second),
        duration: Duration::from_secs(1),
        jobs: vec![
            JobCounts { read: pages(), write: pages(), ..JobCounts::default() },
            JobCounts { write: Some(counts(iops / 8, latency(1, iops / 8))), ..JobCounts::default() },
        ],
        backlog: Vec::new(),
    }
}

/// What another tool measured, without a job.
pub(crate) fn imported() -> ImportedRecord {
    ImportedRecord::of_source(Source {
        kind: SourceKind::FioJson,
        tool: "fio".to_owned(),
        version: None,
        file: "x.json".to_owned(),
        place: "jobs".to_owned(),
        sha256: String::new(),
        read_by: "test".to_owned(),
    })
}

/// `io_count` I/Os of one block that took `latency` each.
pub(crate) fn counts(io_count: u64, latency: Duration) -> OpCounts {
    let mut counts = OpCounts { bytes: io_count * BLOCK_BYTES, ..OpCounts::default() };
    counts.total_latency.record_n(latency, io_count);
    counts
}

/// Puts the log on a target and a device of its own: the data stays on `sdb`, the log comes to lie on `sdc`, and each counted what was
/// issued to it.
pub(crate) fn apart(record: &mut RunRecord) {
    record.plan.areas[1].path = "/log/journal.iotrial".into();
    let target = |path: &str, role, device: &str| TargetRecord {
        path: path.to_owned(),
        roles: vec![role],
        devices: vec![BlockDevice { name: device.to_owned(), level: Some(1), ..BlockDevice::default() }],
        ..record.targets[0].clone()
    };
    let targets = vec![target("/data", Role::Data, "sdb"), target("/log", Role::Log, "sdc")];
    record.targets = targets;
    let bytes = |counts: &Option<OpCounts>| counts.as_ref().map_or(0, |counts| counts.bytes);
    let counters = |name: &str, job: &JobCounts| DeviceCounters {
        name: name.to_owned(),
        read_bytes: bytes(&job.read),
        write_bytes: bytes(&job.write),
        ..DeviceCounters::default()
    };
    record.devices = vec![counters("sdb", &record.jobs[0]), counters("sdc", &record.jobs[1])];
}

/// Puts a chain below the target: name, level, what carries it, and its bytes for each one that was issued. Names that
/// end in a digit behind `sd` are partitions.
pub(crate) fn chain(record: &mut RunRecord, links: &[(&str, u32, &str, f64)]) {
    let [read_bytes, write_bytes] = [record.devices[0].read_bytes, record.devices[0].write_bytes];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a test")]
    let share = |bytes: u64, of: f64| (bytes as f64 * of) as u64;
    record.targets[0].devices = Vec::new();
    record.devices = Vec::new();
    for (name, level, carried_by, of) in links {
        record.targets[0].devices.push(BlockDevice {
            name: (*name).to_owned(),
            level: Some(*level),
            carried_by: carried_by.split_whitespace().map(str::to_owned).collect(),
            is_partition: name.starts_with("sd") && name.ends_with(|c: char| c.is_ascii_digit()),
            ..BlockDevice::default()
        });
        record.devices.push(DeviceCounters {
            name: (*name).to_owned(),
            read_count: share(read_bytes, *of) / BLOCK_BYTES,
            read_bytes: share(read_bytes, *of),
            write_count: share(write_bytes, *of) / BLOCK_BYTES,
            write_bytes: share(write_bytes, *of),
            ..DeviceCounters::default()
        });
    }
}

/// A record as often as it has numbers, each time with one of them as large as it can be written, as far as it can be read then. Counts
/// that are left out where they are zero are set to one first.
pub(crate) fn extremes<T: Serialize + DeserializeOwned>(record: &T) -> Vec<T> {
    let mut whole = serde_json::to_value(record).unwrap();
    write_what_is_left_out(&mut whole);
    let mut places = Vec::new();
    numbers(&whole, String::new(), &mut places);
    let largest = [serde_json::json!(u64::MAX), serde_json::json!(u32::MAX), serde_json::json!(1.8e19)];
    let spoiled = places.iter().flat_map(|place| largest.iter().map(move |number| (place, number)));
    let read = |(place, number): (&String, &Value)| {
        let mut one = whole.clone();
        *one.pointer_mut(place).unwrap() = number.clone();
        serde_json::from_value(one).ok()
    };
    spoiled.filter_map(read).collect()
}

fn numbers(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Number(_) => places.push(place),
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(index, one)| numbers(one, format!("{place}/{index}"), places));
        }
        Value::Object(all) => {
            all.iter().for_each(|(key, one)| numbers(one, format!("{place}/{key}"), places))
        }
        _ => {}
    }
}

fn write_what_is_left_out(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(write_what_is_left_out),
        Value::Object(all) => {
            if all.contains_key("submission_latency_sum_ns") {
                for key in
                    ["unfinished_count", "unfinished_oldest_ns", "late_count", "submission_latency_count"]
                {
                    all.entry(key).or_insert_with(|| 1.into());
                }
            }
            all.values_mut().for_each(write_what_is_left_out);
        }
        _ => {}
    }
}

fn record(intervals: Vec<Interval>) -> RunRecord {
    let profile = Profile::parse(PROFILE).unwrap();
    let request = PlanRequest {
        full: true,
        measure: Some(Duration::from_secs(intervals.len().max(1) as u64)),
        cpu_count: 4,
        ..PlanRequest::of_engine(EngineKind::Uring)
    };
    let space = FreeSpace {
        filesystem_id: 1,
        capacity: ByteSize::gib(1000),
        available: ByteSize::gib(900),
        kept: vec![],
    };
    let target = TargetFacts {
        path: "/data".into(),
        roles: Vec::new(),
        kind: TargetKind::Directory(space),
        sector_size: ByteSize::bytes(512),
    };
    let plan = Plan::decide(&profile, &request, &[target]).unwrap();
    let jobs = RunRecord::totals_of_intervals(&plan, &intervals);
    let bytes =
        |of: fn(&JobCounts) -> Option<&OpCounts>| jobs.iter().filter_map(of).map(|one| one.bytes).sum();
    let wall = Duration::from_secs(intervals.len() as u64);
    RunRecord {
        format: RECORD_FORMAT.to_owned(),
        id: "01JD0000000000000000000000".to_owned(),
        label: None,
        attributes: [].into(),
        study: None,
        tool: Tool {
            name: "iotrial".to_owned(),
            version: "0.1.0".to_owned(),
            method_version: METHOD_VERSION,
        },
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        anonymous: false,
        host: Host { cpu_count: 4, memory: Some(ByteSize::gib(8)), ..Host::default() },
        host_facts: None,
        host_activity: None,
        targets: vec![TargetRecord {
            path: "/data".to_owned(),
            kind: "directory".to_owned(),
            sector_size: ByteSize::bytes(512),
            ..TargetRecord::default()
        }],
        profile: PROFILE.to_owned(),
        thresholds: String::new(),
        plan,
        layout: None,
        devices: vec![DeviceCounters {
            name: "nvme0n1".to_owned(),
            read_bytes: bytes(|job| job.read.as_ref()),
            write_bytes: bytes(|job| job.write.as_ref()),
            ..DeviceCounters::default()
        }],
        jobs,
        steps: Vec::new(),
        intervals,
        engine_setup: None,
        cpu: Some(CpuUse { wall, user: wall / 10, system: wall / 5, ..CpuUse::default() }),
        search: None,
        verification: None,
        metrics: std::collections::BTreeMap::new(),
        pauses: vec![],
        metric_failures: Vec::new(),
        findings: Vec::new(),
        ended: Ended { how: EndedHow::Complete, reason: None },
        content_sha256: None,
        checksum: Checksum::Absent,
    }
}
