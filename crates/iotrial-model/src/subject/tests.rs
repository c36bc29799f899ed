//! The same result looks the same, whoever tells it.

use std::time::Duration;

use super::*;
use crate::content::Checksum;
use crate::figure::CpuFigure;
use crate::imported::{
    CpuBasis, SourceKind, StatedCpu, StatedDevice, StatedHost, StatedPercentile, TablePlace,
};
use crate::load::{GroupCommit, LogTail};
use crate::plan::{Arrival, EngineKind, FreeSpace, PlanRequest, TargetFacts, TargetKind};
use crate::profile::Profile;
use crate::record::{DeviceCounters, JobCounts, METHOD_VERSION, RECORD_FORMAT, RunRecord};
use crate::sweep::{LoadPattern, ProbePurpose, SWEEP_FORMAT, SweepMethod, SweepSettings};
use crate::table::PublishedTable;
use crate::units::ByteSize;

const PROFILE: &str = r#"
format = "iotrial.profile/1"
name = "mine"
title = "Mine"
schedule = { duration = "10s" }
quick = { size = "1GiB", duration = "10s" }
[[job]]
name = "pages"
role = "data"
pattern = "random"
rwmix_read_percent = 70
block_size = "8KiB"
iodepth = 8
numjobs = 2
size = "8GiB"
[[job]]
name = "journal"
role = "log"
pattern = "sequential"
rwmix_read_percent = 0
block_size = "4KiB"
iodepth = 1
size = "1GiB"
durability = "dsync"
"#;

/// `io_count` I/Os of one size that took 500 µs each.
fn counts(io_count: u64, block_bytes: u64) -> OpCounts {
    let mut counts = OpCounts { bytes: io_count * block_bytes, ..OpCounts::default() };
    counts.total_latency.record_n(Duration::from_micros(500), io_count);
    counts
}

/// Ten seconds of `reads`, `writes` and commits a second.
fn run(reads: u64, writes: u64, commits: u64) -> RunRecord {
    let profile = Profile::parse(PROFILE).unwrap();
    let request = PlanRequest { full: true, cpu_count: 4, ..PlanRequest::of_engine(EngineKind::Uring) };
    let space = FreeSpace {
        filesystem_id: 1,
        capacity: ByteSize::gib(100),
        available: ByteSize::gib(90),
        kept: vec![],
    };
    let target = TargetFacts {
        path: "/data".into(),
        roles: Vec::new(),
        kind: TargetKind::Directory(space),
        sector_size: ByteSize::bytes(512),
    };
    let plan = Plan::decide(&profile, &request, &[target]).unwrap();
    let interval = |second: u64| Interval {
        phase: PhaseKind::Measure,
        start: Duration::from_secs(second),
        duration: Duration::from_secs(1),
        jobs: vec![
            JobCounts {
                read: Some(counts(reads, 8_192)),
                write: Some(counts(writes, 8_192)),
                ..JobCounts::default()
            },
            JobCounts { write: Some(counts(commits, 4_096)), ..JobCounts::default() },
        ],
        backlog: Vec::new(),
    };
    let intervals: Vec<Interval> = (0..10).map(interval).collect();
    RunRecord {
        format: RECORD_FORMAT.to_owned(),
        id: "01JD0000000000000000000000".to_owned(),
        label: Some("three volumes".to_owned()),
        attributes: BTreeMap::from([("volumes".to_owned(), AttributeValue::Integer(3))]),
        study: None,
        tool: tool(),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        anonymous: false,
        host: Host::default(),
        host_facts: None,
        host_activity: None,
        targets: vec![TargetRecord { path: "/data".to_owned(), ..TargetRecord::default() }],
        profile: PROFILE.to_owned(),
        thresholds: String::new(),
        jobs: RunRecord::totals_of_intervals(&plan, &intervals),
        plan,
        layout: None,
        devices: Vec::new(),
        steps: Vec::new(),
        intervals,
        engine_setup: None,
        cpu: None,
        search: None,
        verification: None,
        metrics: BTreeMap::new(),
        metric_failures: Vec::new(),
        pauses: Vec::new(),
        findings: Vec::new(),
        ended: Ended { how: EndedHow::Complete, reason: None },
        content_sha256: None,
        checksum: Checksum::Absent,
    }
}

fn tool() -> Tool {
    Tool { name: "iotrial".to_owned(), version: "0.1.0".to_owned(), method_version: METHOD_VERSION }
}

fn source() -> Source {
    Source {
        kind: SourceKind::FioJson,
        tool: "fio".to_owned(),
        version: None,
        file: "r.json".to_owned(),
        place: "jobs[0]".to_owned(),
        sha256: String::new(),
        read_by: "test".to_owned(),
    }
}

/// What another tool would state of the same I/Os.
fn stated(counts: &OpCounts, seconds: f64) -> StatedStream {
    let io_count = counts.io_count();
    let mut stream = StatedStream {
        runtime_s: Some(Stated::exact(seconds)),
        io_count: Some(io_count),
        bytes: Some(counts.bytes),
        error_count: Some(counts.error_count),
        ..StatedStream::default()
    };
    stream.total_latency.mean_us = counts.total_latency.mean_us().map(Stated::exact);
    stream.total_latency.histogram = Some(counts.total_latency.clone());
    stream
}

/// The import of the same figures as a run has.
fn import_of(record: &RunRecord) -> ImportedRecord {
    let seconds = record.measured_duration().as_secs_f64();
    let mut imported = ImportedRecord::of_source(source());
    imported.label.clone_from(&record.label);
    imported.attributes.clone_from(&record.attributes);
    imported.measured_at = Some(record.started_at.clone());
    let job = |(job, counts): (&Job, &JobCounts)| ImportedJob {
        name: job.name.clone(),
        role: Some(job.role),
        load: StatedLoad {
            targets: vec!["/data".to_owned()],
            direct: Some(true),
            ..run::load_of(&record.plan, record.plan.jobs.iter().position(|one| one == job).unwrap(), 1.0)
                .with_block_size(Some(job.block_size.unit()))
        },
        ops: StatedOps {
            read: counts.read.as_ref().map(|read| stated(read, seconds)),
            write: counts.write.as_ref().map(|write| stated(write, seconds)),
            ..StatedOps::default()
        },
        ..ImportedJob::default()
    };
    imported.jobs = record.plan.jobs.iter().zip(&record.jobs).map(job).collect();
    imported
}

/// What a view shows of a stream.
type Shown = (Option<u64>, Option<u64>, Option<f64>, Option<f64>, Option<f64>, bool);

fn shown(facts: Option<Facts<'_>>) -> Option<Shown> {
    facts.map(|facts| {
        let p99 = facts.histogram().and_then(|histogram| histogram.percentile(99.0));
        (
            facts.io_count(),
            facts.bytes(),
            facts.iops(),
            facts.bandwidth_mib_per_s(),
            facts.latency_mean_us(),
            p99.is_some(),
        )
    })
}

#[test]
fn a_run_and_the_import_of_its_figures_are_the_same_where_both_tell() {
    let record = run(7_000, 3_000, 500);
    let imported = import_of(&record);
    let (own, other) = (Subject::of_run(&record), Subject::of_imported(&imported));
    assert_eq!((own.label, &own.attributes), (other.label, &other.attributes));
    assert_eq!((own.measured_at, own.measured), (other.measured_at, other.measured));
    assert_eq!((own.measured_s(), own.direct), (other.measured_s(), other.direct));
    assert_eq!(own.targets_in_words(), other.targets_in_words());
    assert_eq!(own.ended_how(), other.ended_how());
    assert_eq!(own.offered_outstanding(), Some(17));
    assert_eq!(own.offered_outstanding(), other.offered_outstanding());
    for (mine, theirs) in own.jobs.iter().zip(&other.jobs) {
        assert_eq!((&mine.name, mine.role), (&theirs.name, theirs.role));
        assert_eq!(mine.load.total_outstanding(), theirs.load.total_outstanding());
        assert_eq!(mine.load.block_size(), theirs.load.block_size());
        for direction in Direction::ALL {
            assert_eq!(shown(mine.ops.get(direction)), shown(theirs.ops.get(direction)));
        }
    }
    let rates = |subject: &Subject<'_>| {
        let rates = subject.rates().into_iter();
        rates
            .map(|rate| (rate.role, rate.direction, rate.iops, rate.block_size_bytes, rate.latency_mean_us))
            .collect::<Vec<_>>()
    };
    assert_eq!(rates(&own), rates(&other));
    assert_eq!(rates(&own)[0], (Some(Role::Data), Direction::Read, 7_000.0, 8_192.0, Some(500.0)));
    // What only one of them can tell.
    assert_eq!((own.tool_name(), other.tool_name()), (Some("iotrial"), Some("fio")));
    assert_eq!((own.profile(), other.profile()), ("mine", "fio JSON"));
    assert_eq!((own.whence(), other.whence().as_deref()), (None, Some("`r.json`, jobs[0]")));
    assert!(own.plan.is_some() && own.intervals.counted().len() == 10);
    assert!(other.plan.is_none() && other.intervals.is_empty() && !other.is_printed());
}

#[test]
fn cpu_host_and_devices_are_each_one_thing_whoever_tells_it() {
    let mut record = run(7_000, 3_000, 500);
    record.host = Host { name: "db1".to_owned(), cpu_count: 2, host_cpu_count: Some(4), ..Host::default() };
    let second = Duration::from_secs(1);
    record.cpu =
        Some(CpuUse { wall: 10 * second, user: 4 * second, system: 2 * second, ..CpuUse::default() });
    record.devices = vec![DeviceCounters {
        name: "sda".to_owned(),
        read_count: 70_000,
        read_merge_count: 0,
        read_bytes: 70_000 * 8_192,
        write_count: 0,
        write_merge_count: 0,
        write_bytes: 0,
        flush_count: 0,
    }];
    let mut imported = import_of(&record);
    assert!(Subject::of_imported(&imported).host.is_none(), "of an empty host nothing is known");
    imported.host = StatedHost { name: Some("db1".to_owned()), cpu_count: Some(4) };
    imported.cpu = Some(StatedCpu {
        usr_percent: Some(Stated::exact(10.0)),
        sys_percent: Some(Stated::exact(5.0)),
        per_io_us: None,
        of: CpuBasis::Host,
    });
    imported.devices =
        vec![StatedDevice { name: "sda".to_owned(), read_count: Some(70_000), ..StatedDevice::default() }];
    let (own, other) = (Subject::of_run(&record), Subject::of_imported(&imported));
    let machine =
        |subject: &Subject<'_>| subject.host.map(|host| (host.name == Some("db1"), host.all_cpu_count()));
    assert_eq!(machine(&own), Some((true, Some(4))));
    assert_eq!(machine(&own), machine(&other));
    let cpu = |subject: &Subject<'_>, figure| subject.cpu.and_then(|cpu| cpu.get(figure));
    for figure in [CpuFigure::User, CpuFigure::System] {
        assert_eq!(cpu(&own, figure), cpu(&other, figure), "{figure}");
    }
    // 105,000 I/Os took 6 s.
    let per_io_us = cpu(&own, CpuFigure::PerIo).unwrap();
    assert!((per_io_us - 6e6 / 105_000.0).abs() < 1e-9, "{per_io_us}");
    assert_eq!(cpu(&other, CpuFigure::PerIo), None);
    let reads = |subject: &Subject<'_>| (subject.devices[0].name == "sda", subject.devices[0].read.io_count);
    assert_eq!(reads(&own), reads(&other));
    let [own, other] = [&own, &other].map(|subject| subject.devices[0].read);
    assert_eq!((own.merge_count, other.merge_count, other.bytes), (Some(0), None, None));
}

#[test]
fn durable_log_writes_are_commits_and_commits_of_a_group_commit_stand_beside_its_writes() {
    let mut record = run(7_000, 3_000, 500);
    let commits = |record: &RunRecord| {
        let subject = Subject::of_run(record);
        let of = |facts: Option<Facts<'_>>| facts.and_then(Facts::io_count);
        let [pages, journal] = [&subject.jobs[0].ops, &subject.jobs[1].ops];
        assert_eq!(of(pages.commit), None);
        (of(journal.write), of(journal.commit))
    };
    assert_eq!(commits(&record), (Some(5_000), Some(5_000)));
    record.plan.jobs[1].group_commit = Some(GroupCommit {
        commit_size: ByteSize::bytes(700),
        largest_write: ByteSize::kib(60),
        tail: LogTail::Pad,
    });
    record.jobs[1].commit = Some(counts(40_000, 700));
    assert_eq!(commits(&record), (Some(5_000), Some(40_000)));
}

#[test]
fn a_load_that_is_issued_when_it_is_due_offers_nothing_at_once() {
    let mut record = run(7_000, 3_000, 500);
    record.plan.jobs[0].arrival =
        Arrival::Open { iops: 10_000.0, spacing: crate::load::Spacing::Poisson, bursts: None };
    let subject = Subject::of_run(&record);
    assert!(subject.jobs[0].ops.issued_when_due && !subject.jobs[1].ops.issued_when_due);
    assert_eq!(subject.jobs[0].load.rate_iops, Some(10_000.0));
    assert_eq!(subject.offered_outstanding(), None);
}

fn sweep(counts: Vec<JobCounts>) -> SweepRecord {
    let pattern = LoadPattern {
        order: crate::load::Pattern::Random,
        rwmix_read_percent: 100,
        block_size: ByteSize::kib(8),
    };
    SweepRecord {
        format: SWEEP_FORMAT.to_owned(),
        id: "01JD0000000000000000000001".to_owned(),
        label: Some("two".to_owned()),
        attributes: BTreeMap::new(),
        tool: tool(),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        host: Host::default(),
        host_facts: None,
        host_activity: None,
        targets: ["/a", "/b"]
            .map(|path| TargetRecord { path: path.to_owned(), ..TargetRecord::default() })
            .into(),
        settings: SweepSettings {
            method: SweepMethod::Grid,
            engine: EngineKind::Uring,
            engine_reason: None,
            sim: None,
            direct: true,
            priority: crate::priority::Priority::Normal,
            granted_priority: None,
            seed: 1,
            step: Duration::from_secs(10),
            idle: Duration::ZERO,
            repeats: 1,
            precondition: None,
            until_steady: None,
            sizes: vec![ByteSize::gib(1); 2],
            array_cache: None,
            notes: Vec::new(),
        },
        layout: None,
        probes: vec![ProbeRecord {
            driving_threads: None,
            pattern,
            outstanding: 16,
            volumes: (0..counts.len()).collect(),
            purpose: ProbePurpose::Together,
            measured: Duration::from_secs(10),
            counts,
            course: Vec::new(),
            cpu: None,
            devices: Vec::new(),
            findings: Vec::new(),
        }],
        ended: Ended { how: EndedHow::Interrupted, reason: None },
        checksum: Checksum::Absent,
    }
}

#[test]
fn a_probe_is_a_job_for_each_volume_with_all_its_outstanding_ios() {
    let read = |io_count| JobCounts { read: Some(counts(io_count, 8_192)), ..JobCounts::default() };
    let sweep = sweep(vec![read(10_000), read(20_000)]);
    let subject = Subject::of_probe(&sweep, &sweep.probes[0]);
    let names: Vec<&str> = subject.jobs.iter().map(|job| &*job.name).collect();
    assert_eq!(names, ["volume-0", "volume-1"]);
    assert_eq!((subject.measured_s(), subject.offered_outstanding()), (Some(10.0), Some(32)));
    let iops: Vec<f64> = subject.rates().iter().map(|rate| rate.iops).collect();
    assert_eq!(iops, [1_000.0, 2_000.0]);
    assert_eq!((subject.profile(), subject.targets_in_words().as_str()), ("sweep", "/a, /b"));
    // The probe was whole before the sweep was interrupted.
    assert_eq!(subject.ended_how(), EndedHow::Complete);
    let whole = Subject::of_sweep(&sweep);
    assert_eq!((whole.ended_how(), whole.jobs.len()), (EndedHow::Interrupted, 0));
}

#[test]
fn a_printed_row_has_the_figures_of_all_jobs_and_what_it_contradicts() {
    let text = "format = \"iotrial.table/1\"\ntitle = \"T\"\nsource = \"a paper\"\nruntime_s = 60\n\
                [[row]]\nid = \"A\"\nlabel = \"one\"\nattributes = { volumes = 1 }\n\
                load = { read_percent = 40, block_size_bytes = 65536, outstanding = 64 }\n\
                total = { iops = 61715, bandwidth_mib_per_s = 4044, lat_mean_us = 1030 }\n\
                other = { batch_requests_per_s = 13100 }\nbounds = { write_lat_mean_us_below = 1000 }\n";
    let records = PublishedTable::parse(text).unwrap().records(&TablePlace::default());
    let subject = Subject::of_imported(&records[0]);
    assert_eq!((subject.id, subject.label, subject.tool_name()), ("A", Some("one"), Some("a paper")));
    assert!(subject.is_printed() && subject.bounds.len() == 1);
    assert_eq!((subject.measured_s(), subject.parts().len()), (Some(60.0), 1));
    assert_eq!(subject.other["other.batch_requests_per_s"].value, 13_100.0);
    // Both directions at once, by their share.
    let rates = subject.rates();
    let iops: Vec<(Direction, f64)> = rates.iter().map(|rate| (rate.direction, rate.iops)).collect();
    assert_eq!(iops, [(Direction::Read, 61_715.0 * 0.4), (Direction::Write, 61_715.0 * 0.6)]);
    let contradiction = rates[0].contradiction.unwrap();
    assert!(contradiction.is_in_mb_per_s(), "{contradiction:?}");
}

#[test]
fn percentiles_are_those_of_the_latency_that_has_them() {
    let mut stream = stated(&counts(100, 8_192), 1.0);
    let histogram = stream.total_latency.histogram.take();
    assert!(Facts::Stated(&stream).histogram().is_none());
    stream.completion_latency.histogram = histogram;
    assert!(Facts::Stated(&stream).histogram().is_some());
    // The mean is of the total latency all the same.
    stream.completion_latency.mean_us = Some(Stated::exact(480.0));
    assert_eq!(Facts::Stated(&stream).latency_mean_us(), Some(500.0));
    stream.total_latency.mean_us = None;
    assert_eq!(Facts::Stated(&stream).latency_mean_us(), Some(480.0));
    // A total that has percentiles is not mixed with a distribution of another latency.
    stream.total_latency.percentiles_us = vec![StatedPercentile { percent: 99.0, at: Stated::exact(1.0) }];
    assert!(Facts::Stated(&stream).histogram().is_none());
}

#[test]
fn nothing_at_all_is_no_rate_and_no_panic() {
    let mut record = run(7_000, 3_000, 500);
    record.intervals.clear();
    let subject = Subject::of_run(&record);
    assert_eq!((subject.measured, subject.measured_s()), (Some(Duration::ZERO), Some(0.0)));
    assert_eq!((subject.jobs[0].ops.read.and_then(Facts::iops), subject.rates().len()), (None, 0));
    record.plan.jobs.clear();
    record.jobs.clear();
    let subject = Subject::of_run(&record);
    assert!(subject.all_facts().is_empty() && subject.parts().is_empty());
    assert_eq!(subject.offered_outstanding(), None);

    let nothing = ImportedRecord::of_source(source());
    let subject = Subject::of_imported(&nothing);
    assert_eq!((subject.measured, subject.measured_s(), subject.direct), (None, None, None));
    assert!(subject.rates().is_empty() && subject.targets_in_words().is_empty());
    let mut zero = import_of(&run(7_000, 3_000, 500));
    for job in &mut zero.jobs {
        for stream in [&mut job.ops.read, &mut job.ops.write].into_iter().flatten() {
            stream.runtime_s = Some(Stated::exact(0.0));
        }
    }
    let subject = Subject::of_imported(&zero);
    assert_eq!((subject.measured, subject.rates().len()), (Some(Duration::ZERO), 0));
    zero.jobs[0].ops.read.as_mut().unwrap().runtime_s = Some(Stated::exact(f64::MAX));
    assert_eq!(Subject::of_imported(&zero).measured, None);
    // More outstanding than any number holds.
    for job in &mut zero.jobs {
        (job.load.iodepth, job.load.numjobs) = (Some(1 << 32), Some((1 << 32) - 1));
    }
    assert_eq!(Subject::of_imported(&zero).offered_outstanding(), None);
    zero.jobs[1].error = Some("no space left".to_owned());
    assert_eq!(Subject::of_imported(&zero).ended_how(), EndedHow::Failed);
}

#[test]
fn iops_that_are_not_stated_follow_from_mib_per_s_and_the_one_size_of_all_ios() {
    let rates = |load: &str, figures: &str| -> Vec<(Direction, f64, bool)> {
        let text = format!(
            "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\nload = {{ {load} }}\n{figures}\n"
        );
        let records = PublishedTable::parse(&text).unwrap().records(&TablePlace::default());
        let subject = Subject::of_imported(&records[0]);
        subject.rates().iter().map(|rate| (rate.direction, rate.iops, rate.is_derived)).collect()
    };
    let load = "read_percent = 40, block_size_bytes = 65536";
    let read = [(Direction::Read, 16_000.0, true)];
    assert_eq!(rates(load, "read = { bandwidth_mib_per_s = 1000 }"), read);
    let both = [(Direction::Read, 6_400.0, true), (Direction::Write, 9_600.0, true)];
    assert_eq!(rates(load, "total = { bandwidth_mib_per_s = 1000 }"), both);
    assert!(!rates(load, "read = { iops = 5, bandwidth_mib_per_s = 1000 }")[0].2);
    assert_eq!(rates("read_percent = 40", "read = { bandwidth_mib_per_s = 1000 }"), []);
}
