//! What is said of comparisons, with an example of each sentence, on one page: `snapshots/iotrial_words__finding__compared__tests__page.snap`.

use std::fmt::Write as _;

use iotrial_model::finding::{
    ConditionKind, Contradiction, CurvePlace, Evidence, Finding, FindingId, Severity,
};

use super::*;
use crate::finding;

fn words(words: &str) -> String {
    words.to_owned()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| words(name)).collect()
}

fn difference(what: ConditionKind, first: &str, other: &str) -> Difference {
    Difference { what, first: words(first), other: words(other) }
}

fn short_run() -> Box<Finding> {
    let (id, evidence) = (FindingId::ShortRun, Evidence::ShortRun { measured_s: 30.0 });
    Box::new(Finding::new(id, Severity::Warning, evidence))
}

/// What is not compared, or should not be.
fn of_what_is_compared() -> Vec<(FindingId, ComparedFact)> {
    use ComparedFact as F;
    use FindingId as Id;
    let buffered = || difference(ConditionKind::Io, "direct", "buffered");
    let long = || difference(ConditionKind::Load, &"8 KiB ".repeat(20), "4 KiB");
    let forced = |labels: Option<(&str, &str)>, differences| {
        F::Forced(Incomparable {
            first: words("a.json"),
            other: words("b.json"),
            labels: labels.map(|(one, other)| (words(one), words(other))),
            differences,
        })
    };
    let content = |other: &str| UnlikeContent {
        first: words("flash"),
        first_source: words("a.json"),
        other: words(other),
        other_source: words("b.json"),
    };
    let loads = vec![(words("scan"), names(&["new"])), (words("log"), names(&["new", "newer"]))];
    let curve = |volume: Option<&str>| CurvePlace {
        pattern: "randread-8k".parse().unwrap(),
        volume: volume.map(words),
    };
    vec![
        (
            Id::NotCompared,
            F::NotComparable { first: words("A"), other: words("B"), differences: vec![buffered()] },
        ),
        (Id::NotCompared, F::NotCompared { reason: words("there is only one configuration") }),
        (Id::Forced, forced(None, vec![buffered(), long()])),
        (Id::Forced, forced(Some(("old", "new")), vec![difference(ConditionKind::Profile, "oltp", "scan")])),
        (Id::Forced, forced(Some(("old", "old")), vec![long()])),
        (Id::Forced, F::NothingMeasured { source: words("a.json") }),
        (Id::LeftOut, F::NothingStated { source: words("row 2") }),
        (Id::LeftOut, F::OneConfiguration { loads }),
        (Id::LeftOut, F::OneSweep { curves: vec![curve(None), curve(Some("log"))] }),
        (Id::GivenTwice, F::RecordTwice { id: words("01HF") }),
        (Id::GivenTwice, F::SweepTwice { id: words("01HF") }),
        (Id::OtherContent, F::ThresholdSets(content("disk"))),
        (Id::OtherContent, F::Profiles(content("flash"))),
    ]
}

/// How the loads were made.
fn of_the_loads() -> Vec<(FindingId, ComparedFact)> {
    use ComparedFact as F;
    use FindingId as Id;
    let one = |seed| F::OffsetsOfOne { repeating: words("a.json"), seed, drawing: words("b.json") };
    let same = |seed, other_count| F::SameOffsets { first: words("a.json"), other_count, seed };
    let left_out = |other_count| F::WritesLeftOut { first: words("a.json"), other_count };
    vec![
        (Id::OffsetsRepeat, one(OffsetSeed::Given(7))),
        (Id::OffsetsRepeat, one(OffsetSeed::RandSeed(words("42")))),
        (Id::OffsetsRepeat, one(OffsetSeed::RandRepeat)),
        (Id::OffsetsRepeat, same(OffsetSeed::Given(7), 0)),
        (Id::OffsetsRepeat, same(OffsetSeed::RandRepeat, 2)),
        (Id::FlushesApart, left_out(0)),
        (Id::FlushesApart, left_out(2)),
        (
            Id::OtherTool,
            F::OtherTool {
                first: words("a.json"),
                first_tool: words("fio"),
                other: words("b.txt"),
                other_tool: words("diskspd"),
            },
        ),
        (
            Id::GeneratorDiffers,
            F::GeneratorDiffers {
                first: words("a.json"),
                other: words("b.json"),
                differences: vec![
                    difference(ConditionKind::Engine, "uring", "libaio"),
                    difference(ConditionKind::Ring, "coop-taskrun", "defer-taskrun"),
                ],
            },
        ),
        (Id::OwnRates, F::OwnRates { configurations: vec![(words("A"), 12_345.0), (words("B"), 9_000.4)] }),
    ]
}

/// How far the figures can be trusted.
fn of_figures() -> Vec<(FindingId, ComparedFact)> {
    use ComparedFact as F;
    use FindingId as Id;
    use KnownSpread as Known;
    let runs = |configuration: &str, runs: &[usize], run_count| RunsOfConfiguration {
        configuration: words(configuration),
        runs: runs.to_vec(),
        run_count,
    };
    let caveat = |caveat, run, is_alike, runs| (Id::Caveat, F::RunCaveat { caveat, run, is_alike, runs });
    let about = Caveat::PrintedAbout { metric: words("read.iops"), value: 350.5 };
    let contradictions = |other_count| F::Contradictions {
        configuration: words("A (old)"),
        first: Contradiction::Outstanding { in_flight: (121.8, 122.0), outstanding: 64.0 },
        other_count,
    };
    let range =
        |metric: &str, is_in_us, low, high| MetricRange { metric: words(metric), is_in_us, low, high };
    let apart = |apart_percent, widest, rate| F::RepeatsApart {
        configuration: words("A"),
        run_count: 3,
        apart_percent,
        widest,
        rate,
    };
    let many = names(&["A", "B", "C", "D", "E", "F", "G"]);
    vec![
        (Id::NoPair, F::NoPair { attributes: names(&["disks"]) }),
        (Id::NoPair, F::NoPair { attributes: names(&["disk", "disks", "kind"]) }),
        (Id::PrintedFigures, F::Configurations(Known::Printed, many)),
        (Id::StatedRepeats, F::Configurations(Known::StatedRepeats, names(&["A", "B"]))),
        (Id::MeasuredOnce, F::Configurations(Known::SingleRun, names(&["A", "B"]))),
        (Id::TooFewIntervals, F::Configurations(Known::TooFewIntervals, names(&["A"]))),
        (Id::FewRepeats, F::FewRepeats { configurations: vec![(words("A"), 2), (words("B"), 3)] }),
        (Id::MeasuredOnce, F::SingleSweeps),
        caveat(Caveat::Interrupted, None, true, vec![runs("A", &[1], 1), runs("B", &[2], 3)]),
        caveat(Caveat::Failed, Some(2), true, vec![runs("A", &[2, 3], 3)]),
        caveat(about, None, true, vec![runs("A", &[1], 1)]),
        caveat(Caveat::Finding(short_run()), Some(1), false, vec![runs("A", &[1, 2, 3, 4, 5], 6)]),
        (Id::Caveat, F::SweepCaveat { sweeps: names(&["A", "B"]), finding: short_run() }),
        (Id::Caveat, F::MoreWarnings { warning_count: 1 }),
        (Id::Caveat, F::MoreWarnings { warning_count: 5 }),
        (Id::Caveat, contradictions(0)),
        (Id::Caveat, contradictions(2)),
        (
            Id::RepeatsApart,
            apart(
                198.7,
                range("read mean", true, 460.0, 1_380.0),
                Some(range("read IOPS", false, 46_146.0, 137_860.0)),
            ),
        ),
        (Id::RepeatsApart, apart(4.2, range("read MiB/s", false, 96.0, 100.04), None)),
    ]
}

#[test]
fn every_finding_of_a_comparison_has_its_words_on_one_page() {
    let mut page = String::new();
    for (id, fact) in [of_what_is_compared(), of_the_loads(), of_figures()].concat() {
        writeln!(page, "{id}: {}", finding::says(id, &Evidence::Compared(fact))).unwrap();
    }
    insta::assert_snapshot!("page", page);
}

#[test]
fn a_caveat_of_a_configuration_names_its_run_where_there_are_several() {
    let page: Vec<String> = [None, Some(2)].map(|run| caveat(run, &Caveat::Finding(short_run()))).into();
    insta::assert_snapshot!("caveat", page.join("\n"));
}
