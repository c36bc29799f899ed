//! Every sentence with an example, on one page: `snapshots/iotrial_words__finding__tests__page.snap`. Wording is reviewed there, and no other
//! test compares it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use iotrial_model::finding::{
    CacheByDevices, CacheByLatency, Changing, Contradiction, DerivedRate, Doubts, FlatRate, ForeignLoad,
    Freezes, GeneratorUse, HeldPercentile, LateIssues, LatencyLimitMissed, NotAsWritten, PolledIo, Scaling,
    SeenIn, SharedHolder, Shortage, StallSeen, Stalled, Unsteady,
};
use iotrial_model::latency_limit::SearchLimit;
use iotrial_model::load::{Direction, Role};
use iotrial_model::plan::EngineKind;
use iotrial_model::units::ByteSize;
use iotrial_model::verification::{FaultKind, KeptCapacity};

use super::*;

const USED: GeneratorUse = GeneratorUse {
    busy_percent: 97.0,
    driven_cpu_count: 2,
    user_s: 40.0,
    system_s: 76.0,
    watched_s: 0.0,
    busiest_thread_percent: Some(99.0),
    run_queue_delay_percent: Some(12.0),
    kernel_io_delay_percent: Some(34.0),
    involuntary_switches_per_s: Some(1_200.0),
    host_busy_percent: Some(98.0),
    host_steal_percent: Some(11.0),
    stolen_percent: Some(9.0),
    others_percent: Some(50.0),
    wall_s: 60.0,
    shortage: None,
};

fn words(words: &str) -> String {
    words.to_owned()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| words(name)).collect()
}

fn holder(roles: &[Role], path: &str) -> SharedHolder {
    SharedHolder { roles: roles.to_vec(), path: words(path) }
}

fn short_of(shortage: Shortage) -> Evidence {
    Evidence::GeneratorBusy(GeneratorUse { shortage: Some(shortage), ..USED })
}

/// How the load ended, and what went wrong in it.
fn of_the_course() -> Vec<(FindingId, Evidence)> {
    use Evidence as E;
    use FindingId as Id;
    let ended =
        |reason: Option<&str>| E::Ended { measured_s: 40.0, planned_s: 300.0, reason: reason.map(words) };
    let frozen = Freezes { freeze_count: 12, frozen_s: 3.6, frozen_percent: 6.0 };
    let once = Freezes { freeze_count: 1, frozen_s: 2.34, frozen_percent: 3.9 };
    let stalled = |ended_after_s, seen| {
        E::Stalled(Stalled {
            job: words("data"),
            direction: Direction::Read,
            longest_s: 2.34,
            ended_after_s,
            unfinished_count: 3,
            seen,
            freezes: (seen == StallSeen::Frozen).then_some(if ended_after_s.is_some() {
                frozen
            } else {
                once
            }),
        })
    };
    let standstill = StallSeen::NoneCompleted { from_s: 12.25 };
    let paused = |count| E::Paused { count, total_s: 2.5, longest_s: 1.5, longest_after_s: 31.0 };
    let jump = |jump_s| E::ClockJump { jump_s, monotonic_s: 300.0, time_of_day_s: 300.0 + jump_s };
    let moving =
        Unsteady { range_percent: Some(67.0), slope_percent: Some(-80.0), ..Unsteady::of(Changing::Iops) };
    let waited = Unsteady { waited_s: Some(120.0), round_s: Some(10.0), ..moving.clone() };
    let backlog = Unsteady { backlog_growth_percent: Some(3.2), ..Unsteady::of(Changing::Backlog) };
    let sampled = E::SampledRate {
        iops: 111_000.0,
        sampled_iops_mean: 132_163.42,
        sampled_iops_min: 33_226.0,
        sampled_iops_max: 502_899.0,
        stream: words("write"),
    };
    let burst = |measured_from_s| E::ThrottledAfterBurst {
        after_s: 42.3,
        burst: 16_000.0,
        plateau: 3_000.0,
        unit: "IOPS",
        measured_from_s,
    };
    let errors = IoErrors {
        error_count: 3,
        attempt_count: 5_400_003,
        job: words("log"),
        direction: Direction::Write,
        first_error: words("Input/output error (os error 5)"),
    };
    let short = E::ShortIo {
        job: words("data"),
        direction: Direction::Read,
        moved_bytes: 512,
        asked_bytes: 8_192,
        error_count: 2,
    };
    let scaled = Scaling {
        load_percent: 50.0,
        iops: 31_200.0,
        highest_load_percent: 400.0,
        highest_iops: 31_500.0,
        role: None,
        devices: Vec::new(),
        is_generator_busy: false,
    };
    let scaling = |role, devices: &[&str], highest_iops| {
        E::Scaling(Scaling { role, devices: names(devices), highest_iops, ..scaled.clone() })
    };
    let not_as_written = E::NotAsWritten(NotAsWritten {
        faults: BTreeMap::from([(FaultKind::LostWrite, 2), (FaultKind::BitFlip, 1)]),
        page_count: 1_048_576,
        path: words("/mnt/data/iotrial-data-0.dat"),
        offset_bytes: 1_056_768,
        capacity: None,
    });
    let missing_capacity = E::NotAsWritten(NotAsWritten {
        faults: BTreeMap::from([(FaultKind::MissingCapacity, 7_340_032)]),
        page_count: 16_777_216,
        path: words("/dev/sdb"),
        offset_bytes: 0,
        capacity: Some(KeptCapacity {
            path: "/dev/sdb".into(),
            written_bytes: 64 << 30,
            kept_bytes: 8 << 30,
        }),
    });
    vec![
        (Id::AlteredRecord, E::Nothing {}),
        (Id::Interrupted, ended(Some("SIGINT"))),
        (Id::Failed, ended(None)),
        (Id::Failed, E::FailedJobs { failed_count: 2, job: words("data"), error: words("error 28") }),
        (Id::IoErrors, E::IoErrors(errors)),
        (Id::IoErrors, E::StatedErrors { error_count: 7 }),
        (Id::ShortIo, short),
        (Id::NotAsWritten, not_as_written),
        (Id::NotAsWritten, missing_capacity),
        (Id::Compared, E::Nothing {}),
        (Id::Stalled, stalled(Some(61.0), StallSeen::Back)),
        (Id::Stalled, stalled(None, StallSeen::Back)),
        (Id::Stalled, stalled(None, StallSeen::NotBack)),
        (Id::Stalled, stalled(Some(31.0), StallSeen::Frozen)),
        (Id::Stalled, stalled(None, StallSeen::Frozen)),
        (Id::Stalled, stalled(Some(16.75), standstill)),
        (Id::Stalled, stalled(None, standstill)),
        (Id::Paused, paused(1)),
        (Id::Paused, paused(2)),
        (Id::StopsScaling, scaling(Some(Role::Data), &["sdb", "sdc"], 31_500.0)),
        (Id::StopsScaling, scaling(Some(Role::Data), &[], 24_000.0)),
        (Id::StopsScaling, E::Scaling(Scaling { is_generator_busy: true, ..scaled.clone() })),
        (Id::StillScaling, scaling(None, &[], 52_000.0)),
        (Id::ThrottledAfterBurst, burst(10.0)),
        (Id::ThrottledAfterBurst, burst(60.0)),
        (Id::Unsteady, E::Unsteady(moving)),
        (Id::Unsteady, E::Unsteady(waited)),
        (Id::Unsteady, E::Unsteady(backlog)),
        (Id::Unsteady, sampled),
        (Id::ClockJump, jump(3.0)),
        (Id::ClockJump, jump(-360.0)),
        (Id::ShortRun, E::ShortRun { measured_s: 12.0 }),
        (Id::ShortRun, E::ShortRun { measured_s: 0.0 }),
    ]
}

/// Who made the load, and whether it did what was asked for.
fn of_the_generator() -> Vec<(FindingId, Evidence)> {
    use Evidence as E;
    use FindingId as Id;
    let missed = |doubts: &[FindingId], is_only_rate| {
        E::LatencyLimitMissed(LatencyLimitMissed {
            short_loads_iops: None,
            limit: SearchLimit::Thresholds(words("flash")),
            lowest_iops: 1_200.0,
            doubts: doubts.iter().copied().collect::<Doubts>(),
            latency_us: Some(9_000.0),
            share_of_saturation: 0.05,
            why_not: Some(words("data reads have a p99 of 9.00 ms, above the acceptable 8 ms")),
            is_only_rate,
        })
    };
    let held = vec![
        HeldPercentile { percent: 99.0, latency_us: 4_200.0, without_us: 900.0 },
        HeldPercentile { percent: 99.9, latency_us: 6_000.0, without_us: 6_000.0 },
    ];
    let late = |held: Vec<HeldPercentile>, is_in_figures| {
        E::LateIssues(LateIssues {
            job: words("data"),
            late_count: 12_345,
            late_percent: 2.6,
            held,
            are_commits: false,
            is_in_figures,
        })
    };
    let law = |deviation_percent| E::LittlesLaw { in_flight: 28.1, outstanding: 32, deviation_percent };
    let shortages = [
        Shortage::OwnCpu,
        Shortage::OneThread,
        Shortage::RunQueue,
        Shortage::KernelThreads,
        Shortage::Preempted,
        Shortage::Stolen,
        Shortage::Steal,
    ];
    let mut all = vec![
        (Id::LatencyLimitMissed, missed(&[], false)),
        (Id::LatencyLimitMissed, missed(&[Id::GeneratorBusy], true)),
        (
            Id::NotIssued,
            E::NotIssued {
                job: words("log"),
                not_issued_count: 4_000,
                not_issued_percent: 31.4,
                are_commits: true,
            },
        ),
        (Id::LateIssues, late(held.clone(), true)),
        (Id::LateIssues, late(held, false)),
        (Id::LateIssues, late(Vec::new(), false)),
        (Id::LittlesLaw, law(-12.2)),
        (Id::LittlesLaw, law(4.0)),
        (Id::PolledIo, E::PolledIo(PolledIo { polled: true })),
        (
            Id::EngineFallback,
            E::EngineFallback { engine: EngineKind::Threads, reason: words("io_uring is disabled") },
        ),
        (
            Id::SizeReduced,
            E::SizeReduced {
                laid_out_bytes: ByteSize::bytes(1 << 30),
                note: words("all files together are 1 GiB instead of 2 GiB"),
            },
        ),
    ];
    all.extend(shortages.map(|one| (Id::GeneratorBusy, short_of(one))));
    all
}

/// What carried the load.
fn of_the_devices() -> Vec<(FindingId, Evidence)> {
    use Evidence as E;
    use FindingId as Id;
    let foreign = |roles: &[Role], partitions: &[&str], is_bare| {
        E::ForeignLoad(ForeignLoad {
            devices: names(&["sda"]),
            share_percent: 25.0,
            issued_read_bytes: 3 << 30,
            issued_write_bytes: 0,
            device_read_bytes: 4 << 30,
            device_write_bytes: 0,
            roles: roles.to_vec(),
            partitions: names(partitions),
            is_bare,
        })
    };
    let cache = |above: &[&str], roles: &[Role]| {
        E::CacheByDevices(CacheByDevices {
            seen_in: SeenIn::DeviceCounters,
            direction: Direction::Read,
            devices: names(&["sda"]),
            issued_bytes: 4 << 30,
            device_bytes: 1 << 30,
            cache_percent: 75.0,
            above: names(above),
            roles: roles.to_vec(),
        })
    };
    let modes = |area_count| {
        E::CacheByLatency(CacheByLatency {
            seen_in: SeenIn::Latency,
            direction: Direction::Read,
            job: words("data"),
            cache_percent: 30.0,
            fast_median_us: 100.0,
            slow_median_us: 2_000.0,
            gap_from_us: 150.0,
            area_count,
        })
    };
    let flat = |limit_iops: Option<f64>, roles: &[Role], devices: &[&str]| {
        E::FlatLimit(FlatRate {
            direction: limit_iops.filter(|iops| *iops < 1_000.0).map(|_| Direction::Write),
            roles: roles.to_vec(),
            devices: names(devices),
            limit_iops,
            limit_mib_per_s: if limit_iops.is_some() { None } else { Some(125.0) },
            iops: 3_000.0,
            mib_per_s: 125.0,
            range_percent: 0.1,
            drift_s: 0.002,
            in_flight: 32.0,
            in_work: 0.4,
            lat_mean_us: 10_000.0,
            lat_min_us: 200.0,
            is_round: true,
            measured_s: 60.0,
        })
    };
    let shared = |holders: Vec<SharedHolder>, are_disks| E::SharedDisk {
        devices: names(&["vda"]),
        targets: Vec::new(),
        roles: Vec::new(),
        holders,
        are_disks,
    };
    let two = vec![holder(&[Role::Data], "/data"), holder(&[Role::Log], "/log")];
    let many = (0..8).map(|number| holder(&[], &format!("/data/{number}"))).collect();
    vec![
        (Id::InMemoryTarget, E::InMemoryTarget { paths: names(&["/dev/shm"]) }),
        (Id::SmbShare, E::SmbShare { paths: names(&["/mnt/a", "/mnt/b", "/mnt/c"]) }),
        (Id::BufferedIo, E::BufferedIo { direct: false }),
        (Id::BufferedIo, E::Nothing {}),
        (Id::UnknownCache, E::Nothing {}),
        (Id::UnknownCache, E::MemoryAnswered { lat_p50_us: 0.844, stream: "read".to_owned() }),
        (Id::CacheServed, cache(&[], &[Role::Data])),
        (Id::CacheServed, cache(&["md0"], &[])),
        (Id::CacheServed, modes(1)),
        (Id::CacheServed, modes(2)),
        (Id::ForeignLoad, foreign(&[], &[], true)),
        (Id::ForeignLoad, foreign(&[Role::Log], &[], false)),
        (Id::ForeignLoad, foreign(&[], &["sda1"], false)),
        (
            Id::AmplifiedIo,
            E::AmplifiedIo {
                devices: names(&["sdb", "sdc"]),
                above: names(&["md0"]),
                read_bytes_ratio: None,
                write_bytes_ratio: Some(2.0),
                excess_percent: Some(50.0),
            },
        ),
        (
            Id::UnevenDevices,
            E::UnevenDevices {
                device: words("sdc"),
                busy_percent: 97.0,
                other_count: 3,
                least_percent: 40.0,
                most_percent: 44.0,
            },
        ),
        (
            Id::MergedIo,
            E::MergedIo {
                direction: Direction::Write,
                merged_percent: 50.0,
                issued_count: 20_000,
                device_count: 10_000,
                devices: names(&["sda"]),
            },
        ),
        (Id::FlatIopsLimit, flat(Some(3_000.0), &[], &[])),
        (Id::FlatIopsLimit, flat(Some(400.0), &[], &[])),
        (Id::FlatBandwidthLimit, flat(None, &[Role::Log], &[])),
        (Id::FlatBandwidthLimit, flat(None, &[Role::Log], &["sdb"])),
        (Id::SharedDisk, shared(two, true)),
        (Id::SharedDisk, shared(many, false)),
        (
            Id::ArrayCache,
            E::ArrayCache { touched_bytes: ByteSize::gib(1), array_cache_bytes: ByteSize::gib(64) },
        ),
        (
            Id::SmallWorkingSet,
            E::SmallWorkingSet {
                touched_bytes: ByteSize::bytes(1 << 30),
                memory_bytes: ByteSize::bytes(16 << 30),
            },
        ),
    ]
}

/// What another tool states, or does not.
fn of_a_source() -> Vec<(FindingId, Evidence)> {
    use Contradiction as C;
    use Evidence as E;
    use FindingId as Id;
    let coarse = |resolution_us| E::CoarseLatency {
        resolution_us,
        lat_mean_us: 2_000.0,
        tool: words("SQLIO"),
        stream: words("the load"),
    };
    let rates = vec![
        DerivedRate { iops: 12_800.0, direction: Direction::Read, block_size_bytes: 8_192.0 },
        DerivedRate { iops: 640.0, direction: Direction::Write, block_size_bytes: 65_536.0 },
    ];
    let stream = "read";
    let contradictory =
        |first| E::ContradictoryFigures { contradiction_count: 2, is_of_latency: true, first };
    let unlike = |direction, is_in_mb_per_s| C::Rates {
        iops: 850_000.0,
        direction,
        sizes_bytes: (8_192.0, 8_192.0),
        mib_per_s: 6_800.0,
        is_in_mb_per_s,
    };
    let beyond = |extreme_us| C::MeanBeyondExtreme { stream, mean_us: 2_000.0, extreme_us };
    vec![
        (Id::CoarseLatency, coarse(1_000.0)),
        (Id::CoarseLatency, coarse(50.0)),
        (Id::CompletionLatency, E::CompletionLatency { slat_mean_us: 3.2 }),
        (
            Id::FlushesApart,
            E::FlushesApart { flush_mean_us: Some(1_200.0), tool: words("fio"), job: words("log") },
        ),
        (Id::ContradictoryFigures, contradictory(unlike(None, true))),
        (Id::ContradictoryFigures, contradictory(unlike(Some(Direction::Read), false))),
        (
            Id::ContradictoryFigures,
            contradictory(C::Outstanding { in_flight: (121.8, 122.0), outstanding: 64.0 }),
        ),
        (
            Id::ContradictoryFigures,
            contradictory(C::LatencyParts {
                stream,
                total_us: 159.0,
                parts_us: 129.0,
                is_total_borne_out: true,
            }),
        ),
        (
            Id::ContradictoryFigures,
            contradictory(C::ClippedPercentile { stream, percent: 99.9, end_us: 17_179_869.184 }),
        ),
        (
            Id::ContradictoryFigures,
            contradictory(C::PercentileBeyondLongest {
                stream,
                percent: 99.9,
                at_us: 2_000.0,
                longest_us: 1_500.0,
            }),
        ),
        (Id::ContradictoryFigures, contradictory(beyond(1_500.0))),
        (Id::ContradictoryFigures, contradictory(beyond(2_500.0))),
        (Id::DerivedRate, E::DerivedRates { rates }),
        (Id::MetricMissing, E::MetricMissing { first: words("`tpm`: it printed no number"), other_count: 1 }),
        (Id::NoRole, E::Nothing {}),
        (Id::ImportWarnings, E::ImportWarnings { warning_count: 1, first: words("line 3: no number") }),
    ]
}

#[test]
fn every_finding_of_a_result_has_its_words_on_one_page() {
    let mut page = String::new();
    let all = [of_the_course(), of_the_generator(), of_the_devices(), of_a_source()].concat();
    for (id, evidence) in &all {
        writeln!(page, "{id}: {}", says(*id, evidence)).unwrap();
    }
    insta::assert_snapshot!("page", page);
}

#[test]
fn no_sentence_ends_with_a_full_stop_or_has_a_word_that_was_not_filled_in() {
    for (id, evidence) in [of_the_course(), of_the_generator(), of_the_devices(), of_a_source()].concat() {
        let said = says(id, &evidence);
        assert!(!said.ends_with('.') && !said.contains('{') && !said.contains("  "), "{said}");
    }
}

#[test]
fn every_finding_has_an_example() {
    let pages = [
        include_str!("snapshots/iotrial_words__finding__tests__page.snap"),
        include_str!("swept/snapshots/iotrial_words__finding__swept__tests__page.snap"),
        include_str!("compared/snapshots/iotrial_words__finding__compared__tests__page.snap"),
    ];
    // Those of a sizing are among its answers.
    let of_sizing = [FindingId::NothingMeetsIt, FindingId::NoCatalog];
    let has = |id: &FindingId| pages.iter().any(|page| page.contains(&format!("\n{id}: ")));
    let missing: Vec<_> = FindingId::ALL.iter().filter(|id| !of_sizing.contains(id) && !has(id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
