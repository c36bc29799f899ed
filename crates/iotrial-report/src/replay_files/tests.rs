//! Both files of loads that were made by hand.

use iotrial_analysis::awr::ReplayLimit;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_model::awr::{
    AwrFigure, Derivation, FigureOrigin, FigurePlace, Level, RatesOf, ReplayNote, ReportedRates, SeriesNote,
};
use iotrial_model::figure::Figure;
use iotrial_model::load::Pattern;
use iotrial_model::profile::Profile;
use iotrial_model::stream::Stream;
use iotrial_model::units::Rate;
use proptest::prelude::*;

use super::*;

fn origin(figure: AwrFigure) -> FigureOrigin {
    FigureOrigin {
        figure,
        derivation: Derivation::Same,
        place: FigurePlace::Printed("a place\n[[job]]".into()),
    }
}

fn stream(
    name: &'static str,
    role: Role,
    direction: Direction,
    iops: f64,
    sizes: Vec<(u64, u32)>,
) -> ReplayStream {
    let weight: f64 = sizes.iter().map(|(_, weight)| f64::from(*weight)).sum();
    let bytes: f64 = sizes.iter().map(|(size, weight)| *size as f64 * f64::from(*weight)).sum();
    let pattern = if role == Role::Data { Pattern::Random } else { Pattern::Sequential };
    let mib_per_s = iops * bytes / weight / 1_048_576.0;
    ReplayStream { name, role, direction, iops, mib_per_s, sizes, pattern, origin: origin(AwrFigure::Reads) }
}

fn replay(streams: Vec<ReplayStream>, limits: Vec<ReplayLimit>) -> Replay {
    let rates = ReportedRates::Replayed { level: Level::Average, interval_count: 1, covered_s: 3_600.0 };
    Replay {
        database: "ERP \"one\"".to_owned(),
        source: RatesOf { reports: "a\nb.html".to_owned(), rates },
        scale: 2.0,
        streams,
        limits,
        notes: vec![ReplayNote::NoRedo],
        doubts: vec![SeriesNote::ClockMoved { seconds: 3_600 }],
        quick_s: 60.0,
    }
}

fn all_streams() -> Vec<ReplayStream> {
    vec![
        stream("single-block-reads", Role::Data, Direction::Read, 900.0, vec![(8_192, 1)]),
        stream(
            "multi-block-reads",
            Role::Scan,
            Direction::Read,
            50_000.0,
            vec![(65_536, 5_000), (131_072, 5_000)],
        ),
        stream("redo", Role::Log, Direction::Write, 200.0, vec![(8_192, 9_000), (16_384, 1_000)]),
    ]
}

#[test]
fn the_profile_and_its_threshold_set_are_valid_and_say_the_same() {
    let limit = |role, stream, mean_us, figure| ReplayLimit { role, stream, mean_us, origin: origin(figure) };
    let limits = vec![
        limit(Role::Data, Stream::Read, 500.0, AwrFigure::SingleBlockReadUs),
        limit(Role::Log, Stream::Commit, 640.4, AwrFigure::RedoWriteUs),
    ];
    let replay = replay(all_streams(), limits);
    let text = profile_toml(&replay, "./erp.thresholds.toml");
    let profile = Profile::parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
    let named = (profile.name.as_str(), profile.thresholds.as_str());
    assert_eq!(named, ("erp-one-replay", "./erp.thresholds.toml"));
    assert!(profile.has_own_rate());
    assert_eq!(profile.jobs.len(), replay.streams.len());
    for (job, stream) in profile.jobs.iter().zip(&replay.streams) {
        let Some(Rate::Iops(iops)) = job.rate else { panic!("{job:?}") };
        assert!((iops / stream.iops - 1.0).abs() < 1e-6);
        assert!((job.block_size.mean_bytes() * iops / 1_048_576.0 / stream.mib_per_s - 1.0).abs() < 1e-3);
    }
    let set = ThresholdSet::parse(&thresholds_toml(&replay).unwrap()).unwrap();
    let limit = |role, stream| set.bands(role, stream, Figure::LatencyMean).map(|bands| bands.limit_us());
    // What is as fast as reported passes.
    assert_eq!(limit(Role::Data, Stream::Read), Some(501.0));
    assert_eq!(limit(Role::Log, Stream::Commit), Some(641.0));
    assert_eq!((limit(Role::Scan, Stream::Read), limit(Role::Data, Stream::Write)), (None, None));
}

#[test]
fn without_limits_the_set_is_a_built_in_one_and_the_profile_has_the_notes() {
    let replay = replay(all_streams(), Vec::new());
    assert_eq!(thresholds_toml(&replay), None);
    let text = profile_toml(&replay, "./x.toml");
    assert_eq!(Profile::parse(&text).unwrap().thresholds, "flash");
    // Whoever runs it may never see the document.
    assert_eq!(text.lines().filter(|line| line.starts_with("# - ")).count(), 2, "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_rates_and_names_are_both_files_are_valid(
        rates in prop::collection::vec(prop_oneof![0.01..10.0f64, 1.0..1e7f64], 3),
        mean_us in 0.1..1e9f64,
        quick_s in 60.0..600.0f64,
        database in ".{0,60}",
    ) {
        let mut streams = all_streams();
        for (one, iops) in streams.iter_mut().zip(&rates) {
            one.mib_per_s *= iops / one.iops;
            one.iops = *iops;
        }
        let limit = ReplayLimit {
            role: Role::Data,
            stream: Stream::Read,
            mean_us,
            origin: origin(AwrFigure::SingleBlockReadUs),
        };
        let replay = Replay { database, quick_s: quick_s.ceil(), ..replay(streams, vec![limit]) };
        let text = profile_toml(&replay, "./x.toml");
        if let Err(mistakes) = Profile::parse(&text) {
            prop_assert!(false, "{mistakes}\n{text}");
        }
        let text = thresholds_toml(&replay).unwrap();
        prop_assert!(ThresholdSet::parse(&text).is_ok(), "{text}");
    }
}
