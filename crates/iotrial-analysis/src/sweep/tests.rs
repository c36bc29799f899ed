use std::collections::BTreeMap;

use iotrial_model::content::Checksum;
use iotrial_model::finding::{
    Changing, CurvePlace, FindingId, NoCurve, Place, Severity, SharedHolder, Shortage, SweptFact, Unsteady,
};
use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::host_fact::{Fact, FactId, FactValue, HostReport, Part, PartKind, Reading, TargetChain};
use iotrial_model::load::Role;
use iotrial_model::plan::EngineKind;
use iotrial_model::rate_limit::{RateUnit, SharedOn, TogetherCause};
use iotrial_model::record::{
    BlockDevice, CpuUse, DeviceCounters, Ended, Host, JobCounts, TargetRecord, Tool,
};
use iotrial_model::sweep::{ProbeSecond, SWEEP_FORMAT, SweepSettings};
use iotrial_model::units::ByteSize;
use iotrial_words::setting::setting_value;

use super::*;

/// A probe of ten seconds at that rate, on volumes that share it evenly. Its seconds lie 2 % above it and below it in turn, as chance
/// has it on a device at capacity.
pub(crate) fn probe(
    pattern: &str,
    volumes: &[usize],
    outstanding: u32,
    purpose: ProbePurpose,
    iops: u64,
) -> ProbeRecord {
    let pattern: LoadPattern = pattern.parse().unwrap();
    let each = iops / volumes.len() as u64;
    let mut total_latency = LatencyHistogram::default();
    let lat_s = f64::from(outstanding) * volumes.len() as f64 / iops as f64;
    total_latency.record_n(Duration::from_secs_f64(lat_s), 10 * each);
    let counts =
        OpCounts { bytes: 10 * each * pattern.block_size.get(), total_latency, ..OpCounts::default() };
    let off = iops.div_ceil(50);
    let course = [iops + off, iops - off].map(|io_count| ProbeSecond {
        phase: PhaseKind::Measure,
        duration: Duration::from_secs(1),
        io_count,
    });
    ProbeRecord {
        pattern,
        outstanding,
        volumes: volumes.to_vec(),
        purpose,
        measured: Duration::from_secs(10),
        counts: vec![JobCounts { read: Some(counts), ..JobCounts::default() }; volumes.len()],
        course: course.repeat(5),
        driving_threads: Some(1),
        cpu: None,
        devices: Vec::new(),
        findings: Vec::new(),
    }
}

pub(crate) fn record(volume_count: usize, probes: Vec<ProbeRecord>) -> SweepRecord {
    let target = |index: usize| TargetRecord {
        path: format!("/mnt/{index}"),
        devices: vec![BlockDevice { name: format!("sd{index}"), ..BlockDevice::default() }],
        ..TargetRecord::default()
    };
    SweepRecord {
        format: SWEEP_FORMAT.to_owned(),
        id: "01".to_owned(),
        label: None,
        attributes: BTreeMap::new(),
        tool: Tool { name: "iotrial".to_owned(), version: "0".to_owned(), method_version: 1 },
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        host: Host { cpu_count: 4, ..Host::default() },
        host_facts: None,
        host_activity: None,
        targets: (0..volume_count).map(target).collect(),
        settings: SweepSettings {
            method: SweepMethod::Search,
            engine: EngineKind::Uring,
            engine_reason: None,
            sim: None,
            direct: true,
            priority: iotrial_model::priority::Priority::Normal,
            granted_priority: None,
            seed: 1,
            step: Duration::from_secs(10),
            idle: Duration::ZERO,
            repeats: 1,
            precondition: None,
            until_steady: None,
            sizes: vec![ByteSize::GIB; volume_count],
            array_cache: None,
            notes: Vec::new(),
        },
        layout: None,
        probes,
        ended: Ended { how: EndedHow::Complete, reason: None },
        checksum: Checksum::Absent,
    }
}

/// A volume that serves `servers` I/Os at once in a millisecond each.
pub(crate) fn alone(pattern: &str, volume: usize, servers: u32) -> Vec<ProbeRecord> {
    let rate = |n: u32| u64::from(n.min(servers)) * 1_000;
    let mut probes: Vec<ProbeRecord> =
        [1, 4, 16, 64, 256].map(|n| probe(pattern, &[volume], n, ProbePurpose::Search, rate(n))).into();
    probes.push(probe(pattern, &[volume], 4 * servers, ProbePurpose::Sustained, rate(4 * servers)));
    probes
}

fn volumes(pattern: &str, count: usize, servers: u32, together_iops: u64) -> Vec<ProbeRecord> {
    let mut probes: Vec<ProbeRecord> =
        (0..count).flat_map(|volume| alone(pattern, volume, servers)).collect();
    let all: Vec<usize> = (0..count).collect();
    probes.push(probe(pattern, &all, 4 * servers, ProbePurpose::Together, together_iops));
    probes
}

#[test]
fn no_number_of_a_strangers_sweep_overflows_its_summary() {
    let mut sweep = record(2, volumes("randread-8k", 2, 10, 20_000));
    for probe in &mut sweep.probes {
        let wall = probe.measured;
        probe.cpu = Some(CpuUse { wall, user: wall / 10, system: wall / 5, ..CpuUse::default() });
        probe.course.truncate(2);
        let device = |name: &str| DeviceCounters { name: name.to_owned(), ..DeviceCounters::default() };
        probe.devices = vec![device("sd0"), device("sd1")];
        // What a sum overflows with.
        probe.devices.iter_mut().for_each(|device| (device.read_count, device.read_merge_count) = (1, 1));
    }
    let extremes = crate::test_record::extremes(&sweep);
    assert!(extremes.len() > 500, "{}", extremes.len());
    for one in extremes.iter().filter(|one| one.check().is_ok()) {
        SweepSummary::new(one);
    }
    let mut huge = sweep.clone();
    huge.probes[0].cpu.as_mut().unwrap().user = Duration::MAX;
    assert!(huge.check().is_err());
    sweep.probes[0].devices[0].read_count = u64::MAX;
    assert!(sweep.check().is_err());
}

fn error_count(finding: &Finding) -> u64 {
    let Evidence::IoErrors(errors) = &finding.evidence else { panic!("{finding:?}") };
    errors.error_count
}

#[test]
fn a_device_that_failed_while_it_warmed_up_is_not_shown_clean() {
    let clean = record(1, alone("randread-8k", 0, 10));
    let errors_of = |sweep: &SweepRecord| {
        let text = serde_json::to_string(sweep).unwrap();
        let read: SweepRecord = serde_json::from_str(&text).unwrap();
        let found = SweepSummary::new(&read).findings;
        found.into_iter().filter(|finding| finding.id == FindingId::IoErrors).collect::<Vec<_>>()
    };
    assert_eq!(errors_of(&clean), []);
    // As the version that measured it finds it in the run of the probe, which has the ramp.
    let mut run = crate::test_record::measured(60, |_| 16_000);
    run.intervals[0].phase = PhaseKind::Ramp;
    run.intervals[0].jobs[0].read.as_mut().unwrap().error_count = 3;
    let found_then = found(&Subject::of_run(&run));
    assert!(found_then.iter().any(|finding| finding.id == FindingId::IoErrors), "{found_then:?}");
    let mut failed = clean.clone();
    failed.probes.last_mut().unwrap().findings =
        found_then.iter().map(iotrial_words::finding::to_record).collect();
    let shown = errors_of(&failed);
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!(error_count(&shown[0]), 3);
    // Where I/Os failed in the measured phase as well, the facts are believed.
    failed.probes.last_mut().unwrap().counts[0].read.as_mut().unwrap().error_count = 7;
    let shown = errors_of(&failed);
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!(error_count(&shown[0]), 7);
}

/// Why volumes do together what they do.
fn together(limit: &Limit) -> &TogetherCause {
    let LimitCause::Together { cause, .. } = &limit.cause else { panic!("{limit:?}") };
    cause
}

#[test]
fn volumes_that_share_nothing_do_together_what_they_do_alone() {
    let summary = SweepSummary::new(&record(3, volumes("randread-8k", 3, 10, 30_000)));
    assert_eq!(summary.curves.len(), 3);
    let found = &summary.scaling[0];
    assert_eq!(found.rows.iter().map(|row| row.volume_count).collect::<Vec<_>>(), [1, 3]);
    assert!((found.rows[1].efficiency_percent - 100.0).abs() < 0.1, "{found:?}");
    assert_eq!(found.limit.kind, LimitKind::NoneShared);
    let TogetherCause::NoneShared(Some((LimitKind::Device, each))) = together(&found.limit) else {
        panic!("{found:?}")
    };
    assert!(
        matches!(**each, LimitCause::Knee { outstanding, .. } if outstanding.round() == 10.0),
        "{each:?}"
    );
}

#[test]
fn equal_bytes_per_second_in_all_block_sizes_are_a_shared_path() {
    // 312.5 MiB/s in all: 5,000 of 64 KiB, 625 of 512 KiB.
    let mut probes = volumes("read-64k", 4, 4, 5_000);
    probes.extend(volumes("read-512k", 4, 1, 625));
    let summary = SweepSummary::new(&record(4, probes));
    for found in &summary.scaling {
        assert_eq!(found.limit.kind, LimitKind::SharedPath, "{found:?}");
        let TogetherCause::SameWithOtherSize(rate) = together(&found.limit) else { panic!("{found:?}") };
        assert!((rate.small.1 - 312.5).abs() < 3.0 && (rate.large.1 - 312.5).abs() < 3.0, "{rate:?}");
    }
}

#[test]
fn equal_ios_per_second_in_all_block_sizes_are_a_limit_on_ios() {
    let mut probes = volumes("randread-8k", 2, 10, 12_000);
    probes.extend(volumes("randread-64k", 2, 10, 12_000));
    let summary = SweepSummary::new(&record(2, probes));
    assert!(
        summary.scaling.iter().all(|found| found.limit.kind == LimitKind::IopsLimit),
        "{:?}",
        summary.scaling
    );
}

#[test]
fn a_rate_that_no_block_size_changes_is_a_limit_and_nobody_knows_whether_it_was_set() {
    let mut probes = alone("randread-8k", 0, 10);
    probes.extend(alone("randread-64k", 0, 10));
    let limit =
        |probes: &[ProbeRecord]| SweepSummary::new(&record(1, probes.to_vec())).curves[0].limit.clone();
    let found = limit(&probes).unwrap();
    assert_eq!(found.kind, LimitKind::IopsLimit);
    let LimitCause::SameWithOtherSize(rate) = found.cause else { panic!("{found:?}") };
    assert_eq!((rate.unit, rate.small.0, rate.large.0), (RateUnit::Iops, 8_192, 65_536));
    assert_eq!((rate.small.1.round(), rate.large.1.round()), (10_000.0, 10_000.0));
    // A disk that does many more in sequence has no limit on I/Os: it seeks.
    probes.extend(alone("read-64k", 0, 40));
    assert_eq!(limit(&probes).unwrap().kind, LimitKind::Device);
}

#[test]
fn as_many_random_ios_as_sequential_ones_of_another_size_are_no_limit() {
    let mut probes = alone("write-8k", 0, 10);
    probes.extend(alone("randwrite-64k", 0, 10));
    let summary = SweepSummary::new(&record(1, probes));
    let kinds: Vec<LimitKind> =
        summary.curves.iter().flat_map(|curve| &curve.limit).map(|one| one.kind).collect();
    assert_eq!(kinds, [LimitKind::Device; 2]);
}

#[test]
fn a_device_below_all_volumes_is_named_and_without_any_evidence_the_cause_is_unknown() {
    let mut shared = record(2, volumes("randread-8k", 2, 10, 10_000));
    let limit = |record: &SweepRecord| SweepSummary::new(record).scaling[0].limit.clone();
    assert_eq!(limit(&shared).kind, LimitKind::Unknown);
    for target in &mut shared.targets {
        target.devices.push(BlockDevice { name: "nvme0n1".to_owned(), ..BlockDevice::default() });
    }
    let found = limit(&shared);
    assert_eq!(found.kind, LimitKind::SharedDevice);
    let LimitCause::Together { volume_count: 2, iops, sum_of_alone_iops, .. } = found.cause else {
        panic!("{found:?}")
    };
    assert_eq!((iops.round(), sum_of_alone_iops.round()), (10_000.0, 20_000.0));
    let TogetherCause::SameDevice { on, same_rate: None, has_waited: false } = together(&found) else {
        panic!("{found:?}")
    };
    assert_eq!(*on, SharedOn { names: vec!["nvme0n1".to_owned()], are_disks: true });
    // That explains equal rates as well.
    shared.probes.extend(volumes("randread-64k", 2, 10, 10_000));
    let found = limit(&shared);
    assert_eq!(found.kind, LimitKind::SharedDevice);
    let TogetherCause::SameDevice { same_rate: Some(rate), .. } = together(&found) else {
        panic!("{found:?}")
    };
    assert_eq!((rate.unit, rate.small.0, rate.large.0), (RateUnit::Iops, 8_192, 65_536));
}

/// CPU time of the ten seconds of a probe that one thread drives: its work, and what all CPUs of the host did, and lost.
fn cpu(work_s: f64, host_busy_s: f64, host_steal_s: f64) -> Option<CpuUse> {
    Some(CpuUse {
        wall: Duration::from_secs(10),
        user: Duration::from_secs_f64(work_s),
        host_busy_s: Some(host_busy_s),
        host_steal_s: Some(host_steal_s),
        ..CpuUse::default()
    })
}

/// Two volumes that do together half of what they do alone, with that CPU use meanwhile.
fn together_with(cpu: Option<CpuUse>) -> SweepRecord {
    let mut record = record(2, volumes("randread-8k", 2, 10, 10_000));
    record.probes.last_mut().unwrap().cpu = cpu;
    record
}

fn busy_finding(summary: &SweepSummary) -> Option<&Finding> {
    summary.findings.iter().find(|finding| finding.id == FindingId::GeneratorBusy)
}

/// What the generator had in the probe of both volumes.
fn generator_use(summary: &SweepSummary) -> GeneratorUse {
    let busy = busy_finding(summary).unwrap();
    let pattern = "randread-8k".parse().unwrap();
    assert_eq!(busy.place, Some(Place::Probe { pattern, outstanding: 40, other_count: 0 }));
    let Evidence::GeneratorBusy(used) = busy.evidence else { panic!("{busy:?}") };
    used
}

#[test]
fn a_generator_short_of_cpu_is_the_limit_before_all_others() {
    let summary = SweepSummary::new(&together_with(cpu(9.9, 12.0, 0.0)));
    assert_eq!(summary.scaling[0].limit.kind, LimitKind::Generator);
    let used = generator_use(&summary);
    assert_eq!((used.busy_percent.round(), used.shortage), (99.0, Some(Shortage::OwnCpu)));
    // One that waits for a CPU now and then is told, and holds no rate.
    let mut waits = cpu(2.0, 12.0, 0.0);
    waits.as_mut().unwrap().run_queue_delay_s = Some(3.0);
    let summary = SweepSummary::new(&together_with(waits));
    let found = &summary.scaling[0].limit;
    assert_eq!(found.kind, LimitKind::Unknown);
    assert_eq!(together(found), &TogetherCause::HasWaited);
    assert!(busy_finding(&summary).is_some());
}

#[test]
fn a_disk_below_all_volumes_is_the_limit_also_where_the_generator_waited() {
    let mut waits = cpu(2.0, 12.0, 0.0);
    waits.as_mut().unwrap().run_queue_delay_s = Some(3.0);
    let mut sweep = together_with(waits);
    let roles = [Role::Data, Role::Log];
    for (target, role) in sweep.targets.iter_mut().zip(roles) {
        target.devices.push(BlockDevice { name: "vda".to_owned(), ..BlockDevice::default() });
        target.roles.push(role);
    }
    let summary = SweepSummary::new(&sweep);
    let found = &summary.scaling[0].limit;
    assert_eq!(found.kind, LimitKind::SharedDevice);
    let TogetherCause::SameDevice { on, has_waited: true, .. } = together(found) else { panic!("{found:?}") };
    assert_eq!(on.names, ["vda"]);
    // Of the sweep, and once: not of each of its probes.
    let shared: Vec<&Finding> =
        summary.findings.iter().filter(|finding| finding.id == FindingId::SharedDisk).collect();
    let [shared] = shared[..] else { panic!("{shared:?}") };
    let Evidence::SharedDisk { devices, holders, are_disks, .. } = &shared.evidence else {
        panic!("{shared:?}")
    };
    let holder = |role, path: &str| SharedHolder { roles: vec![role], path: path.to_owned() };
    assert_eq!((devices.as_slice(), *are_disks), (&["vda".to_owned()][..], true));
    assert_eq!(*holders, [holder(Role::Data, "/mnt/0"), holder(Role::Log, "/mnt/1")]);
    assert_eq!(summary.volumes, ["data=/mnt/0", "log=/mnt/1"]);
}

#[test]
fn a_rate_that_the_hypervisor_holds_by_taking_the_cpu_is_the_generators() {
    // The thread worked for 6 s, three quarters of all that was done, so up to 3.4 of the 4.5 s that were stolen were its own.
    let mut record = together_with(cpu(6.0, 8.0, 4.5));
    let kind = |record: &SweepRecord| SweepSummary::new(record).scaling[0].limit.kind;
    assert_eq!(kind(&record), LimitKind::Generator);
    // On a host of many CPUs the same is a small share of all of them, and holds the rate just as well.
    record.host.cpu_count = 64;
    assert_eq!(kind(&record), LimitKind::Generator);
    let summary = SweepSummary::new(&record);
    let used = generator_use(&summary);
    assert_eq!((used.stolen_percent.map(f64::round), used.shortage), (Some(34.0), Some(Shortage::Stolen)));
}

#[test]
fn the_generator_is_not_accused_on_a_quiet_host_nor_of_what_others_lost() {
    for quiet in [cpu(6.0, 8.0, 0.1), cpu(6.0, 38.0, 3.9), cpu(0.5, 0.6, 0.0), None] {
        let summary = SweepSummary::new(&together_with(quiet));
        assert_eq!(busy_finding(&summary), None, "{quiet:?}");
        let limit = &summary.scaling[0].limit;
        assert_eq!(limit.kind, LimitKind::Unknown, "{quiet:?}");
        assert_eq!(together(limit), &TogetherCause::Unknown);
    }
}

#[test]
fn a_probe_of_an_older_version_has_its_driving_cpus_from_what_was_found_then() {
    let mut record = together_with(cpu(9.9, 12.0, 0.0));
    let of_probe = |record: &SweepRecord| {
        crate::findings::findings(&Subject::of_probe(record, record.probes.last().unwrap()))
    };
    let found = of_probe(&record);
    let probe = record.probes.last_mut().unwrap();
    probe.findings = found.iter().map(iotrial_words::finding::to_record).collect();
    probe.driving_threads = None;
    assert_eq!(of_probe(&record), found);
    assert!(found.iter().any(|finding| finding.id == FindingId::GeneratorBusy), "{found:?}");
    // Nothing else of what was found then is repeated.
    record.probes.last_mut().unwrap().cpu = None;
    assert!(busy_finding(&SweepSummary::new(&record)).is_none());
}

#[test]
fn a_rate_that_fell_while_the_generator_waited_for_a_cpu_is_no_cap() {
    let mut probes = alone("randread-8k", 0, 10);
    // A burst has to show in every repeat.
    probes.splice(0..0, probes[..5].to_vec());
    let last = probes.last_mut().unwrap();
    *last = probe("randread-8k", &[0], 40, ProbePurpose::Sustained, 4_000);
    let limit =
        |probes: &[ProbeRecord]| SweepSummary::new(&record(1, probes.to_vec())).curves[0].limit.clone();
    assert_eq!(limit(&probes).unwrap().kind, LimitKind::IopsCap);
    let mut waited = cpu(1.2, 30.0, 0.0);
    waited.as_mut().unwrap().run_queue_delay_s = Some(3.2);
    probes.last_mut().unwrap().cpu = waited;
    let found = limit(&probes).unwrap();
    assert_eq!(found.kind, LimitKind::Unknown);
    let LimitCause::BurstEnded { burst_iops, iops, has_waited: true } = found.cause else {
        panic!("{found:?}")
    };
    assert_eq!((burst_iops.round(), iops.round()), (10_000.0, 4_000.0));
}

#[test]
fn an_io_that_waited_while_the_generator_waited_for_a_cpu_is_no_stall_of_the_device() {
    let mut probes = alone("randread-8k", 0, 10);
    // An I/O of a short probe takes four of its ten seconds.
    let mut stalled = probe("randread-8k", &[0], 4, ProbePurpose::Search, 2_000);
    let counts = stalled.counts[0].read.as_mut().unwrap();
    counts.total_latency.record_n(Duration::from_secs(4), 1);
    probes.push(stalled);
    let is_said = |probes: &[ProbeRecord]| {
        let summary = SweepSummary::new(&record(1, probes.to_vec()));
        summary.findings.iter().any(|finding| finding.id == FindingId::Stalled)
    };
    assert!(is_said(&probes));
    let mut waited = cpu(1.2, 30.0, 0.0);
    waited.as_mut().unwrap().run_queue_delay_s = Some(3.2);
    probes.last_mut().unwrap().cpu = waited;
    assert!(!is_said(&probes));
}

#[test]
fn what_is_odd_about_curves_is_among_the_findings_of_a_sweep() {
    let of = |summary: &SweepSummary, id| summary.findings.iter().find(|found| found.id == id).cloned();
    // Too many outstanding I/Os cost half of the rate.
    let at = |n, iops| probe("randread-8k", &[0], n, ProbePurpose::Grid, iops);
    let falling = record(1, vec![at(1, 1_000), at(4, 4_000), at(16, 8_000), at(64, 6_000), at(256, 4_000)]);
    let falls = of(&SweepSummary::new(&falling), FindingId::FallsAgain).unwrap();
    assert_eq!(falls.evidence, Evidence::FallsAgain { falls_by_percent: 50.0, has_splits: false });
    let curve = CurvePlace { pattern: "randread-8k".parse().unwrap(), volume: None };
    assert_eq!(falls.place, Some(Place::Curves(vec![curve])));
    let mut stopped = record(1, vec![at(8, 4_000)]);
    stopped.ended = Ended { how: EndedHow::Failed, reason: Some("the device is gone".to_owned()) };
    let summary = SweepSummary::new(&stopped);
    assert_eq!(summary.findings[0].id, FindingId::Ended);
    let knee = of(&summary, FindingId::KneeNotResolved).unwrap();
    let Evidence::Swept(SweptFact::KneeNotResolved(why)) = knee.evidence else { panic!("{knee:?}") };
    assert_eq!(why.no_curve, Some(NoCurve::OneLoad));
}

#[test]
fn the_rate_that_lasts_of_a_probe_that_waited_is_that_of_its_steady_rounds() {
    let mut long = probe("randwrite-8k", &[0], 64, ProbePurpose::Sustained, 5_000);
    let second = |phase, io_count| ProbeSecond { phase, duration: Duration::from_secs(1), io_count };
    let seconds = |phase, io_count| std::iter::repeat_n(second(phase, io_count), 5);
    // A burst, and rounds in which the rate still falls.
    long.course = seconds(PhaseKind::Precondition, 10_000)
        .chain(seconds(PhaseKind::Precondition, 6_000))
        .chain(seconds(PhaseKind::Measure, 5_000))
        .collect();
    let rate = sustained(&long).unwrap();
    assert_eq!((rate.iops, rate.burst.map(|burst| burst.iops)), (5_000.0, Some(10_000.0)));
}

#[test]
fn that_a_probe_waited_in_vain_for_a_steady_state_is_told_and_that_it_would_have_been_unsteady_is_not() {
    let found = |waited_s: Option<f64>| {
        let unsteady = Unsteady { range_percent: Some(30.0), waited_s, ..Unsteady::of(Changing::Iops) };
        let finding = Finding::new(FindingId::Unsteady, Severity::Warning, Evidence::Unsteady(unsteady));
        let mut sweep = record(1, alone("randwrite-8k", 0, 10));
        sweep.probes.last_mut().unwrap().findings = vec![iotrial_words::finding::to_record(&finding)];
        let findings = SweepSummary::new(&sweep).findings;
        findings.into_iter().filter(|finding| finding.id == FindingId::Unsteady).count()
    };
    assert_eq!((found(Some(50.0)), found(None)), (1, 0));
}

#[test]
fn a_sweep_that_was_stopped_early_says_what_it_knows() {
    let summary = SweepSummary::new(&record(1, Vec::new()));
    assert_eq!((summary.curves.len(), summary.scaling.len(), summary.measured_s), (0, 0, 0.0));
    let summary = SweepSummary::new(&record(1, alone("read-64k", 0, 10)[..2].to_vec()));
    let curve = &summary.curves[0];
    assert!(!curve.saturation.as_ref().unwrap().is_reached);
    assert_eq!(curve.limit.as_ref().unwrap().kind, LimitKind::NotReached);
}

#[test]
fn volumes_work_together_with_the_load_at_which_each_alone_did_most() {
    let pattern: LoadPattern = "randread-8k".parse().unwrap();
    let at =
        |volume, outstanding, iops| probe("randread-8k", &[volume], outstanding, ProbePurpose::Grid, iops);
    // Too many outstanding I/Os cost the first volume throughput.
    let falling = || vec![at(0, 8, 4_000), at(0, 32, 9_000), at(0, 128, 5_000)];
    assert_eq!(load_for_together(&record(1, falling()), pattern), Some(32));
    let mut both = falling();
    both.extend([at(1, 8, 4_000), at(1, 32, 9_000), at(1, 128, 9_500)]);
    assert_eq!(load_for_together(&record(2, both), pattern), Some(128));
    // Short probes do not count.
    assert_eq!(
        load_for_together(
            &record(1, vec![probe("randread-8k", &[0], 4, ProbePurpose::Search, 100)]),
            pattern
        ),
        None
    );
}

/// A volume behind a limit of 3,000 IOPS whose I/Os take half a millisecond.
fn capped(pattern: &str) -> Vec<ProbeRecord> {
    let rate = |n: u32| (u64::from(n) * 2_000).min(3_000);
    let mut probes: Vec<ProbeRecord> =
        [1, 4, 16].map(|n| probe(pattern, &[0], n, ProbePurpose::Search, rate(n))).into();
    probes.push(probe(pattern, &[0], 8, ProbePurpose::Sustained, 3_000));
    probes
}

#[test]
fn a_rate_that_stands_still_while_the_device_idles_is_a_cap_and_holds_the_other_patterns_too() {
    let limits = |probes: &[ProbeRecord]| -> Vec<Limit> {
        let summary = SweepSummary::new(&record(1, probes.to_vec()));
        summary.curves.iter().map(|curve| curve.limit.clone().unwrap()).collect()
    };
    let mut probes = capped("randread-8k");
    // By chance alone a device that does one or two at a time may look like this.
    assert_eq!(limits(&probes)[0].kind, LimitKind::Device);
    probes[3].course.iter_mut().for_each(|second| second.io_count = 3_000);
    let found = limits(&probes).remove(0);
    assert_eq!(found.kind, LimitKind::IopsCap);
    let LimitCause::StoodStill { rate, seconds, outstanding, wait_ratio, in_work, .. } = found.cause else {
        panic!("{found:?}")
    };
    assert_eq!((rate, seconds.round(), outstanding), (3_000.0, 10.0, 8.0));
    assert!((wait_ratio - 5.3).abs() < 0.1 && (in_work - 1.5).abs() < 0.1, "{wait_ratio} {in_work}");
    probes.extend(capped("randwrite-8k"));
    let found = limits(&probes).remove(1);
    let pattern = "randread-8k".parse().unwrap();
    assert_eq!(found.kind, LimitKind::IopsCap);
    assert_eq!(found.cause, LimitCause::SameCap { rate: 3_000.0, unit: RateUnit::Iops, pattern });
}

/// What is proposed of these curves: name and value.
fn proposed(volume_count: usize, probes: Vec<ProbeRecord>) -> Vec<(&'static str, String)> {
    let summary = SweepSummary::new(&record(volume_count, probes));
    summary.settings.iter().map(|one| (one.name, setting_value(&one.evidence, one.value))).collect()
}

#[test]
fn settings_follow_only_from_the_measurements_that_their_rules_name() {
    // A device that answers 16 I/Os at once, and reads 128 KiB in sequence four times as fast as a page at random.
    let random = || alone("randread-8k", 0, 16);
    let scan = |block: &str, iops: u64| -> Vec<ProbeRecord> {
        let rate = |n: u32| if n == 1 { iops } else { 2 * iops };
        [1, 4, 16, 64].map(|n| probe(block, &[0], n, ProbePurpose::Search, rate(n))).into()
    };
    assert_eq!(proposed(1, scan("read-64k", 4_000)), []);
    let of_random = proposed(1, random());
    assert_eq!(of_random.iter().map(|one| one.0).collect::<Vec<_>>(), ["effective_io_concurrency"]);
    let concurrency: u32 = of_random[0].1.parse().unwrap();
    assert!((12..=20).contains(&concurrency), "{concurrency}");
    // 1 ms for a page at random, 125 µs for sixteen in sequence: 128 times as much, and the default of 4 stays.
    let both = [random(), scan("read-128k", 8_000)].concat();
    assert_eq!(proposed(1, both.clone())[0], ("random_page_cost", "4.0".to_owned()));
    // 1 ms for sixteen in sequence: 16 times as much, a tenth of it.
    let slow = [random(), scan("read-128k", 1_000)].concat();
    assert_eq!(proposed(1, slow)[0], ("random_page_cost", "1.6".to_owned()));
    // Without one I/O at a time nobody knows what a page costs.
    let without: Vec<ProbeRecord> = both.into_iter().filter(|probe| probe.outstanding > 1).collect();
    assert!(proposed(1, without).iter().all(|one| one.0 != "random_page_cost"));
    // 64 KiB reach what 512 KiB do: eight pages of 8 KiB.
    let sizes = [scan("read-64k", 8_000), scan("read-512k", 1_000)].concat();
    assert_eq!(proposed(1, sizes), [("db_file_multiblock_read_count", "8".to_owned())]);
    let capacity = |servers: u32| proposed(1, alone("randwrite-16k", 0, servers));
    let expected = |capacity: &str, most: &str| {
        [("innodb_io_capacity", capacity.to_owned()), ("innodb_io_capacity_max", most.to_owned())]
    };
    assert_eq!(capacity(10), expected("5000", "10000"));
    // 20,000 is the highest that MySQL recommends.
    assert_eq!(capacity(100), expected("20000", "40000"));
    assert_eq!(proposed(2, [random(), alone("randread-8k", 1, 16)].concat()), []);
}

#[test]
fn what_a_simulated_device_proposes_says_so() {
    let mut sweep = record(1, alone("randread-8k", 0, 16));
    assert_eq!(SweepSummary::new(&sweep).settings[0].reserve, None);
    sweep.settings.engine = EngineKind::Sim;
    assert_eq!(SweepSummary::new(&sweep).settings[0].reserve, Some(SettingReserve::Simulated));
}

#[test]
fn rates_that_are_many_powers_of_ten_apart_have_a_ceiling() {
    // As a fuzzer found it: one load did a single I/O in twelve days, and what was drawn around it had no number.
    let text = include_str!("../../../../fuzz/seeds/sweep/rates-far-apart.json");
    let record: SweepRecord = serde_json::from_str(text).unwrap();
    record.check().unwrap();
    let summary = SweepSummary::new(&record);
    let found = summary.curves[0].saturation.as_ref().unwrap();
    assert!(found.ceiling_iops > 100.0, "{found:?}");
}

/// A volume on one SAN disk with a queue of that depth.
fn queue_of(depth: i64) -> HostReport {
    let facts =
        [(FactId::QueueDepth, FactValue::Number(depth)), (FactId::Scheduler, FactValue::text("none"))];
    let fact = |(id, value)| Fact { id, reading: Reading::Known(value), from: String::new() };
    let disk = Part { facts: facts.map(fact).into(), ..Part::new(PartKind::Disk, "sdb") };
    HostReport {
        name: String::new(),
        host: Part::new(PartKind::Host, ""),
        chains: vec![TargetChain { target: "/mnt/0".into(), parts: vec![disk], ends: None }],
    }
}

#[test]
fn a_queue_that_is_full_at_the_knee_is_a_possible_cause_and_a_deeper_one_is_not() {
    let causes = |depth| {
        let probes = alone("randread-8k", 0, 32);
        let sweep = SweepRecord { host_facts: Some(queue_of(depth)), ..record(1, probes) };
        let summary = SweepSummary::new(&sweep);
        assert!(summary.curves[0].saturation.as_ref().unwrap().is_reached);
        summary
            .possible_causes
            .into_iter()
            .map(|one| format!("{}: {}", one.rule, one.found))
            .collect::<Vec<_>>()
    };
    assert_eq!(causes(32), ["queue-in-use: 32"]);
    // It has room for all that was tried, or is far below what the device took at once.
    assert!(causes(256).is_empty() && causes(8).is_empty());
}
