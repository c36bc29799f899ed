//! The load of a report that was made by hand.

use iotrial_model::awr::{AwrFigure, AwrKind, AwrReport, Database, Host, Instance, Interval, IoStat, Quoted};
use iotrial_model::imported::Stated;

use proptest::prelude::*;

use super::*;
use crate::awr::{AwrSample, AwrSeries};

pub(in crate::awr) fn report(figures: &[(AwrFigure, f64)], files: Vec<IoStat>) -> AwrReport {
    let quoted = |value: f64| Quoted::printed(Stated::exact(value), "a place (line 1)");
    AwrReport {
        // Of the kind whose figures are taken as they are printed.
        kind: AwrKind::Miner,
        database: Database { name: "ERP \"one\"".to_owned(), id: Some(7), ..Database::default() },
        instances: vec![Instance { number: Some(1), ..Instance::default() }],
        running_instances: None,
        host: Host::default(),
        interval: Interval { elapsed_s: quoted(3600.0), end_snapshot: Some(2), ..Interval::default() },
        load_profile: Vec::new(),
        io_profile: Vec::new(),
        activity: Vec::new(),
        waits: Vec::new(),
        wait_classes: Vec::new(),
        histograms: Vec::new(),
        io_by_function: Vec::new(),
        io_by_file_type: files,
        io_matrix: Vec::new(),
        tablespaces: Vec::new(),
        files: Vec::new(),
        segments: Vec::new(),
        memory: Vec::new(),
        efficiency: Vec::new(),
        time_model: Vec::new(),
        host_statistics: Vec::new(),
        parameters: Vec::new(),
        advisories: Vec::new(),
        exadata: None,
        peaks: Vec::new(),
        printed_figures: figures.iter().map(|(figure, value)| (*figure, quoted(*value))).collect(),
        contradictions: Vec::new(),
        corrections: Vec::new(),
        cut: None,
        warnings: Vec::new(),
    }
}

fn replay(figures: &[(AwrFigure, f64)], scale: f64) -> Replay {
    let series = AwrSeries::of(vec![AwrSample::of(&report(figures, Vec::new()), "a.html")]);
    series.databases[0].replay(Level::P95, scale, "a.html").unwrap()
}

fn sum(replay: &Replay, direction: Direction) -> (f64, f64) {
    let of = replay.streams.iter().filter(|one| one.direction == direction);
    of.fold((0.0, 0.0), |sum, one| (sum.0 + one.iops, sum.1 + one.mib_per_s))
}

const WHOLE: [(AwrFigure, f64); 16] = [
    (AwrFigure::Reads, 1_000.0),
    (AwrFigure::ReadMib, 60.0),
    (AwrFigure::MultiBlockReads, 100.0),
    (AwrFigure::TempReads, 20.0),
    (AwrFigure::TempReadMib, 5.0),
    (AwrFigure::Writes, 500.0),
    (AwrFigure::WriteMib, 20.0),
    (AwrFigure::MultiBlockWrites, 30.0),
    (AwrFigure::LogWrites, 200.0),
    (AwrFigure::LogWriteMib, 2.0),
    (AwrFigure::BackupWrites, 5.0),
    (AwrFigure::BackupWriteMib, 4.0),
    (AwrFigure::SingleBlockReadUs, 500.0),
    (AwrFigure::MultiBlockReadUs, 2_000.0),
    (AwrFigure::RedoWriteUs, 640.4),
    (AwrFigure::CommitUs, 900.0),
];

#[test]
fn every_request_of_the_report_is_in_one_stream() {
    let replay = replay(&WHOLE, 1.0);
    let names: Vec<&str> = replay.streams.iter().map(|one| one.name).collect();
    assert_eq!(
        names,
        [
            "single-block-reads",
            "multi-block-reads",
            "temp-reads",
            "db-writer",
            "direct-writes",
            "archive-and-backup",
            "redo"
        ]
    );
    for (direction, expected) in [(Direction::Read, (1_000.0, 60.0)), (Direction::Write, (500.0, 20.0))] {
        let (iops, mib) = sum(&replay, direction);
        assert!((iops - expected.0).abs() < 1e-9 && (mib - expected.1).abs() < 1e-9, "{replay:?}");
    }
    // Of 60 MiB, 5 are of temporary files: 4.84 beyond a block for each of 20 requests, and 47.34 in the rest.
    let multi = 100.0 * 47.34375 / (47.34375 + 4.84375);
    assert!((replay.streams[1].iops - multi).abs() < 1e-9, "{replay:?}");
    assert!((replay.streams[0].iops + multi - 980.0).abs() < 1e-9);
    assert_eq!(replay.streams[0].sizes, [(8_192, 1)]);
    // Redo of 200 writes has next to nothing beyond a block each, and the archiver nearly all of it.
    assert!(replay.streams[4].iops < 30.0 && replay.streams[4].iops > 15.0, "{replay:?}");
}

#[test]
fn limits_are_the_means_of_waits_for_single_ios() {
    let limits: Vec<_> =
        replay(&WHOLE, 2.0).limits.iter().map(|one| (one.role, one.stream, one.mean_us)).collect();
    let expected = [
        (Role::Data, Stream::Read, 500.0),
        (Role::Scan, Stream::Read, 2_000.0),
        // The write of the log, and not what a session waits for besides.
        (Role::Log, Stream::Commit, 640.4),
    ];
    assert_eq!(limits, expected);
}

#[test]
fn what_the_reports_do_not_tell_apart_follows_from_the_bytes_and_is_said() {
    let few = [
        (AwrFigure::Reads, 400.0),
        (AwrFigure::ReadMib, 20.0),
        (AwrFigure::Writes, 100.0),
        (AwrFigure::WriteMib, 2.0),
        (AwrFigure::RedoMib, 0.5),
    ];
    let replay = replay(&few, 1.0);
    let names: Vec<&str> = replay.streams.iter().map(|one| one.name).collect();
    assert_eq!(names, ["single-block-reads", "multi-block-reads", "writes"]);
    let (iops, mib) = sum(&replay, Direction::Read);
    assert!((iops - 400.0).abs() < 1e-9 && (mib - 20.0).abs() < 1e-9);
    assert_eq!(
        (replay.streams[0].sizes.as_slice(), replay.streams[1].sizes.as_slice()),
        (&[(8_192, 1)][..], &[(1 << 20, 1)][..])
    );
    assert!(replay.limits.is_empty());
    assert_eq!(
        replay.notes,
        [
            ReplayNote::BlockAssumed { kib: 8.0 },
            ReplayNote::ReadsNotSeparate,
            ReplayNote::RedoNotSeparate,
            ReplayNote::NoWait { role: Role::Data, stream: Stream::Read },
            ReplayNote::NoWait { role: Role::Scan, stream: Stream::Read },
        ]
    );
}

#[test]
fn bytes_that_are_rounded_to_nothing_are_blocks() {
    let few = [
        (AwrFigure::Reads, 4.0),
        (AwrFigure::ReadMib, 0.0),
        (AwrFigure::Writes, 1.0),
        (AwrFigure::WriteMib, 0.1),
    ];
    let replay = replay(&few, 1.0);
    assert_eq!((replay.streams[0].iops, replay.streams[0].mib_per_s), (4.0, 4.0 / 128.0));
    assert!(replay.notes.contains(&ReplayNote::BytesRounded(Direction::Read)), "{replay:?}");
}

#[test]
fn a_rare_stream_is_measured_for_longer_or_not_judged() {
    let mut figures = WHOLE.to_vec();
    figures.iter_mut().filter(|one| one.0 == AwrFigure::LogWrites).for_each(|one| one.1 = 0.5);
    figures.iter_mut().filter(|one| one.0 == AwrFigure::LogWriteMib).for_each(|one| one.1 = 0.005);
    assert_eq!(replay(&figures, 1.0).quick_s, 300.0);
    figures.iter_mut().filter(|one| one.0 == AwrFigure::LogWrites).for_each(|one| one.1 = 0.1);
    let rare = replay(&figures, 1.0);
    assert!(rare.limits.iter().all(|limit| limit.role != Role::Log));
    let figure = AwrFigure::RedoWriteUs;
    assert!(rare.notes.contains(&ReplayNote::Rare { figure, iops: 0.1 }), "{rare:?}");
}

#[test]
fn a_latency_that_hardly_any_read_waited_for_is_no_limit() {
    let mut figures = WHOLE.to_vec();
    figures.extend([(AwrFigure::SingleBlockReadWaits, 880.0), (AwrFigure::MultiBlockReadWaits, 0.4)]);
    let scans = replay(&figures, 1.0);
    let roles: Vec<Role> = scans.limits.iter().map(|limit| limit.role).collect();
    assert_eq!(roles, [Role::Data, Role::Log]);
    let few = |figure, waits_per_s, reads_per_s| ReplayNote::FewWaits { figure, waits_per_s, reads_per_s };
    assert!(scans.notes.contains(&few(AwrFigure::MultiBlockReadUs, 0.4, 100.0)), "{scans:?}");

    figures.iter_mut().filter(|one| one.0 == AwrFigure::SingleBlockReadWaits).for_each(|one| one.1 = 0.1);
    let direct = replay(&figures, 1.0);
    assert_eq!(direct.limits.len(), 1, "{direct:?}");
    assert!(direct.notes.contains(&few(AwrFigure::SingleBlockReadUs, 0.1, 900.0)), "{direct:?}");
}

#[test]
fn reads_of_several_blocks_below_the_counter_are_not_called_single() {
    let mut figures = WHOLE.to_vec();
    figures.iter_mut().filter(|one| one.0 == AwrFigure::MultiBlockReads).for_each(|one| one.1 = 0.0);
    let replay = replay(&figures, 1.0);
    assert_eq!(replay.streams[0].name, "small-reads");
    assert!((replay.streams[0].mib_per_s - 55.0).abs() < 1e-9, "{replay:?}");
}

#[test]
fn a_cache_below_the_database_is_named() {
    let mut figures = WHOLE.to_vec();
    figures.iter_mut().filter(|one| one.0 == AwrFigure::SingleBlockReadUs).for_each(|one| one.1 = 8.0);
    let note = ReplayNote::FromMemory { figure: AwrFigure::SingleBlockReadUs, mean_us: 8.0 };
    assert!(replay(&figures, 1.0).notes.contains(&note));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Reports contradict themselves, and percentiles of each figure do not add up.
    #[test]
    fn whatever_the_figures_are_the_load_has_all_of_them(
        values in prop::collection::vec(prop_oneof![Just(0.0), 0.001..10.0f64, 1.0..1e6f64], WHOLE.len()),
        scale in 0.01..100.0f64,
    ) {
        let figures: Vec<(AwrFigure, f64)> =
            WHOLE.iter().zip(&values).map(|((figure, _), value)| (*figure, *value)).collect();
        let series = AwrSeries::of(vec![AwrSample::of(&report(&figures, Vec::new()), "a.html")]);
        let Some(replay) = series.databases[0].replay(Level::Peak, scale, "a.html") else { return Ok(()) };
        for (direction, all) in [(Direction::Read, values[0]), (Direction::Write, values[5])] {
            let (iops, _) = sum(&replay, direction);
            // Of each stream that is too small to be one, at most its rate is missing.
            let room = 1e-6 * all + 3.0 * NEGLIGIBLE_PER_S;
            prop_assert!((iops / scale - all).abs() <= room, "{iops} of {all} {direction:?}: {replay:?}");
        }
    }
}
