//! Records whose truth is known: the same device twice, or one that is slower by so much.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::bound::BoundRelation;
use iotrial_model::circumstances::ToolInBrief;
use iotrial_model::figure::Figure;
use iotrial_model::finding::{Caveat, ConditionKind, Difference, Evidence, RunsOfConfiguration};
use iotrial_model::gate::{Spoilt, Undecided};
use iotrial_model::host_fact::{self, Fact, FactId, FactValue, HostReport, Part, PartKind, TargetChain};
use iotrial_model::load::Role;
use iotrial_model::metric::MetricKey;
use iotrial_model::priority::{GrantedPriority, Priority};
use iotrial_model::recommendation::{
    Answer, Effect, ExceptionFact, OverLoadsAnswer, ReasonFact, Reservation, TailCause,
};
use iotrial_model::record::{AttributeValue, EndedHow, EngineSetup, OpCounts, QueueSetup, RunRecord};
use iotrial_model::stream::{Stream, StreamOf};
use iotrial_model::subject::Subject;

use super::*;
use crate::test_record::measured;

/// Noise from one second to the next.
#[derive(Clone, Copy)]
struct Noise {
    /// How much a second resembles the one before it, from 0 to 1.
    memory: f64,
    /// Standard deviation of the logarithm of latency.
    size: f64,
}

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let top = (self.0 >> 11) as f64;
        (top + 0.5) / (1u64 << 53) as f64
    }

    /// Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A run of `seconds` on a device that is `factor` times as slow as the reference, with noise.
fn run(seed: u64, seconds: u64, factor: f64, noise: Noise) -> RunRecord {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5555);
    (0..50).for_each(|_| _ = random.uniform());
    let mut record = measured(seconds, |_| 1_000);
    let scale = (1.0 - noise.memory * noise.memory).sqrt();
    let mut level = random.normal();
    for interval in &mut record.intervals {
        let slowness = factor * (noise.size * level).exp();
        for job in &mut interval.jobs {
            for counts in job.read.iter_mut().chain(&mut job.write) {
                *counts = second_of(slowness, &mut random);
            }
        }
        level = noise.memory * level + scale * random.normal();
    }
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    record.id = format!("01JD{seed:022}");
    record.plan.seed = seed;
    record.label = None;
    record
}

/// A second in which most I/Os take 300 µs times `slowness`, and a few take much longer.
fn second_of(slowness: f64, random: &mut Random) -> OpCounts {
    let mut counts = OpCounts::default();
    let all = 8_000.0 / slowness;
    for (share, latency_us, scatter) in
        [(0.90, 300.0, 0.02), (0.085, 800.0, 0.05), (0.013, 2_000.0, 0.1), (0.002, 6_000.0, 0.2)]
    {
        // Spread over a few buckets, as latencies are.
        for step in 0..5 {
            let us = latency_us
                * slowness
                * (1.0 + scatter * (f64::from(step) - 2.0) / 2.0)
                * (0.02 * random.normal()).exp();
            let count = (all * share / 5.0 * (1.0 + 0.05 * random.normal())).max(0.0).round();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            counts.total_latency.record_n(Duration::from_nanos((us * 1_000.0) as u64), count as u64);
        }
    }
    counts.bytes = counts.io_count() * 8_192;
    counts
}

/// The same with one of three hundred reads waiting.
fn with_slow_reads(mut record: RunRecord) -> RunRecord {
    for interval in &mut record.intervals {
        if let Some(counts) = &mut interval.jobs[0].read {
            let waiting = counts.io_count() / 300;
            counts.total_latency.record_n(Duration::from_millis(40), waiting);
            counts.bytes = counts.io_count() * 8_192;
        }
    }
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    record
}

fn sample(record: &RunRecord) -> Sample {
    Sample::of(&Subject::of_run(record), record.id.clone())
}

fn compare(samples: Vec<Sample>) -> Comparison {
    Comparison::new(samples, &CompareRequest::default()).unwrap()
}

/// How many deltas of the only pair are called a difference.
fn claimed(comparison: &Comparison) -> usize {
    comparison.against_baseline[0]
        .ranked()
        .filter(|delta| delta.reading.is_better() || delta.reading.is_worse())
        .count()
}

/// What two runs of the same device show.
struct FalseAlarms {
    /// Pairs with any change that is called a difference.
    pairs: usize,
    /// Changes that are called a difference.
    changes: usize,
    /// All changes that were judged, called a difference or not.
    all: usize,
}

fn false_alarms(pairs: u64, seconds: u64, noise: Noise) -> FalseAlarms {
    let mut alarms = FalseAlarms { pairs: 0, changes: 0, all: 0 };
    for pair in 0..pairs {
        let of = |side: u64| sample(&run(1_000 * seconds + 2 * pair + side, seconds, 1.0, noise));
        let comparison = compare(vec![of(0), of(1)]);
        let claimed = claimed(&comparison);
        alarms.pairs += usize::from(claimed > 0);
        alarms.changes += claimed;
        alarms.all += comparison.against_baseline[0].ranked().count();
    }
    alarms
}

#[test]
#[ignore = "the numbers of docs/compare.md: takes minutes"]
fn false_alarms_by_length_and_memory() {
    let mut table = String::new();
    let mut most = 0;
    for seconds in [30, 60, 300] {
        for memory in [0.0, 0.5, 0.8, 0.9] {
            let FalseAlarms { pairs, changes, all } = false_alarms(400, seconds, Noise { memory, size: 0.1 });
            table +=
                &format!("{seconds} s, memory {memory}: {pairs} of 400 pairs, {changes} of {all} changes\n");
            most = most.max(pairs);
        }
    }
    // Seen with --nocapture, for the document.
    println!("{table}");
    // Twenty are expected; chance alone makes 29 of them once in forty times.
    assert!(most <= 28, "{table}");
}

#[test]
fn the_same_device_twice_shows_a_difference_in_at_most_one_of_twenty_changes() {
    let (mut pairs, mut changes, mut all) = (0, 0, 0);
    for (seconds, memory) in [(30, 0.0), (60, 0.5), (60, 0.8), (300, 0.9)] {
        let alarms = false_alarms(20, seconds, Noise { memory, size: 0.1 });
        (pairs, changes, all) = (pairs + alarms.pairs, changes + alarms.changes, all + alarms.all);
    }
    assert!(20 * changes <= all, "{changes} of {all} changes");
    // Of eighty pairs four are expected to show any; eight or more would come about by chance in one of twenty tries.
    assert!(pairs < 8, "{pairs} of 80 pairs show any difference");
}

const CALM: Noise = Noise { memory: 0.5, size: 0.1 };

fn labelled(record: &RunRecord, label: &str) -> Sample {
    sample(record).named(label, BTreeMap::new())
}

#[test]
fn a_device_that_is_a_tenth_slower_is_shown_to_be_and_by_how_much() {
    let comparison = compare(vec![sample(&run(1, 300, 1.0, CALM)), sample(&run(2, 300, 1.1, CALM))]);
    let pair = &comparison.against_baseline[0];
    for (figure, truth) in
        [(Figure::Iops, 100.0 / 1.1 - 100.0), (Figure::LatencyMean, 10.0), (Figure::LatencyP99, 10.0)]
    {
        let delta = pair.delta(&Metric::of_figure(Stream::Read, figure)).unwrap();
        let interval = delta.interval.unwrap();
        assert_eq!(delta.reading, Reading::Worse, "{delta:?}");
        assert!((interval.low_percent..=interval.high_percent).contains(&truth), "{truth} in {delta:?}");
        assert!(interval.high_percent - interval.low_percent < 12.5, "{delta:?}");
    }
    assert_eq!(comparison.recommendation.best.as_deref(), Some("A"));
}

/// The facts of the findings with this id.
fn facts_of(findings: &[Finding], id: FindingId) -> impl Iterator<Item = &ComparedFact> {
    findings.iter().filter(move |one| one.id == id).filter_map(|one| match &one.evidence {
        Evidence::Compared(fact) => Some(fact),
        _ => None,
    })
}

#[test]
fn another_ring_is_told_and_no_reason_to_refuse() {
    let with = |seed, ring: Option<&str>| {
        let mut record = run(seed, 60, 1.0, CALM);
        let queues = QueueSetup { ring: ring.map(str::to_owned), ..QueueSetup::default() };
        record.engine_setup = Some(EngineSetup { clock: "tsc".to_owned(), queues, priority: None });
        sample(&record)
    };
    let told = |rings: [Option<&str>; 2]| {
        let comparison = compare(vec![with(1, rings[0]), with(2, rings[1])]);
        facts_of(&comparison.findings, FindingId::GeneratorDiffers).find_map(|fact| match fact {
            ComparedFact::GeneratorDiffers { differences, .. } => Some(differences.clone()),
            _ => None,
        })
    };
    let (first, other) = ("coop-taskrun".to_owned(), "defer-taskrun".to_owned());
    let ring = Difference { what: ConditionKind::Ring, first, other };
    assert_eq!(told([Some("coop-taskrun"), Some("defer-taskrun")]), Some(vec![ring]));
    assert_eq!(told([Some("coop-taskrun"); 2]), None);
    // Not known of one of them.
    assert_eq!(told([Some("coop-taskrun"), None]), None);
}

#[test]
fn another_priority_is_told_and_no_reason_to_refuse() {
    let with = |seed, priority: Priority, nice: Option<i32>| {
        let mut record = run(seed, 60, 1.0, CALM);
        record.plan.priority = priority;
        let priority = nice.map(|nice| GrantedPriority { nice, autogroup_nice: None });
        let queues = QueueSetup::default();
        record.engine_setup = Some(EngineSetup { clock: "tsc".to_owned(), queues, priority });
        sample(&record)
    };
    let told = |one: Sample, other: Sample| {
        let comparison = compare(vec![one, other]);
        let mut found = facts_of(&comparison.findings, FindingId::GeneratorDiffers);
        found.find_map(|fact| match fact {
            ComparedFact::GeneratorDiffers { differences, .. } => {
                Some(differences.iter().map(|one| one.what).collect::<Vec<_>>())
            }
            _ => None,
        })
    };
    let (normal, high) = (Priority::Normal, Priority::High);
    assert_eq!(told(with(1, normal, None), with(2, normal, None)), None);
    assert_eq!(told(with(1, high, Some(-20)), with(2, high, Some(-20))), None);
    assert_eq!(told(with(1, normal, None), with(2, high, Some(-20))), Some(vec![ConditionKind::Priority]));
    let granted = Some(vec![ConditionKind::GrantedPriority]);
    assert_eq!(told(with(1, high, Some(-20)), with(2, high, Some(-10))), granted);
}

#[test]
fn where_no_difference_is_shown_nothing_is_recommended() {
    let comparison = compare(vec![sample(&run(5, 60, 1.0, CALM)), sample(&run(6, 60, 1.0, CALM))]);
    assert_eq!(claimed(&comparison), 0);
    assert_eq!(comparison.recommendation.best, None);
    assert_eq!(comparison.recommendation.facts.answer, Some(Answer::NoWinner));
    assert!(comparison.rankings.iter().all(|ranking| ranking.places.iter().all(|place| place.place == 1)));
}

/// Runs of one configuration that differ by some percent from one run to the next.
fn repeats(label: &str, first_seed: u64, factor: f64, count: u64) -> Vec<Sample> {
    let mut random = Random(first_seed.wrapping_mul(77) ^ 0x1234_5678);
    (0..20).for_each(|_| _ = random.uniform());
    let one = |number: u64| {
        let of_run = factor * (0.05 * random.normal()).exp();
        labelled(&run(first_seed + number, 30, of_run, CALM), label)
    };
    (0..count).map(one).collect()
}

#[test]
fn repeats_show_what_changes_from_run_to_run_and_a_single_run_cannot() {
    let alarms = |count: u64| {
        let pair = |pair: u64| {
            let mut samples = repeats("x", 10_000 + 100 * pair, 1.0, count);
            samples.extend(repeats("y", 20_000 + 100 * pair, 1.0, count));
            claimed(&compare(samples)) > 0
        };
        (0..20).filter(|number| pair(*number)).count()
    };
    assert!(alarms(3) <= 1 && alarms(6) <= 1, "{} and {} of 20", alarms(3), alarms(6));
    let mut samples = repeats("x", 1, 1.0, 6);
    samples.extend(repeats("y", 11, 1.3, 6));
    let comparison = compare(samples);
    assert_eq!(comparison.configurations[0].run_count(), 6);
    let mean = Metric::of_figure(Stream::Write, Figure::LatencyMean);
    let delta = comparison.against_baseline[0].delta(&mean).unwrap();
    assert_eq!(delta.reading, Reading::Worse, "{delta:?}");
}

#[test]
fn figures_of_repeats_are_those_of_all_their_ios_together() {
    let records = [run(1, 30, 1.0, CALM), run(2, 60, 1.2, CALM)];
    let mut samples: Vec<Sample> = records.iter().map(|record| labelled(record, "x")).collect();
    samples.push(labelled(&run(3, 30, 1.0, CALM), "y"));
    let comparison = compare(samples);
    let read = |record: &RunRecord| record.jobs[0].read.clone().unwrap();
    let mut both = read(&records[0]);
    both.merge(&read(&records[1]));
    let figure =
        |figure| comparison.configurations[0].figure(&Metric::of_figure(Stream::Read, figure)).unwrap();
    let p99_us = crate::figures::percentile_us(&both.total_latency, 99.0).unwrap();
    let iops = both.io_count() as f64 / 90.0;
    assert_eq!((figure(Figure::LatencyP99), figure(Figure::Iops)), (p99_us, iops));
}

#[test]
fn too_short_a_run_shows_nothing_and_says_so() {
    let comparison = compare(vec![sample(&run(1, 8, 1.0, CALM)), sample(&run(2, 8, 3.0, CALM))]);
    let pair = &comparison.against_baseline[0];
    assert!(pair.ranked().all(|delta| delta.reading == Reading::TooFew && delta.interval.is_none()));
    assert!(comparison.findings.iter().any(|finding| finding.id == FindingId::TooFewIntervals));
}

#[test]
fn runs_without_a_name_are_configurations_of_their_own_and_a_record_given_twice_counts_once() {
    let (one, other) = (run(1, 30, 1.0, CALM), run(2, 30, 1.0, CALM));
    let comparison = compare(vec![sample(&one), sample(&other), sample(&one)]);
    assert_eq!(comparison.configurations.len(), 2);
    assert!(comparison.findings.iter().any(|finding| finding.id == FindingId::GivenTwice));
    let error = Comparison::new(vec![sample(&one), sample(&one)], &CompareRequest::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is only one configuration");
    let repeats = vec![labelled(&one, "x"), labelled(&other, "x")];
    let error = Comparison::new(repeats, &CompareRequest::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is only one configuration, `x`, with 2 runs");
}

#[test]
fn what_differs_in_more_than_the_configuration_is_refused_and_compared_by_force_only() {
    #[track_caller]
    fn check(spoil: impl Fn(&mut RunRecord), what: ConditionKind, [first, other_one]: [&str; 2]) {
        let (one, mut other) = (run(1, 30, 1.0, CALM), run(2, 30, 1.0, CALM));
        spoil(&mut other);
        let samples = || vec![sample(&one), sample(&other)];
        let error = Comparison::new(samples(), &CompareRequest::default()).unwrap_err();
        assert!(error.hint().unwrap().contains("--force"));
        let CompareError::Incomparable(both) = error else { panic!("{error}") };
        let difference = Difference { what, first: first.to_owned(), other: other_one.to_owned() };
        assert_eq!(both.differences, [difference]);
        let forced = CompareRequest { force: true, ..CompareRequest::default() };
        let comparison = Comparison::new(samples(), &forced).unwrap();
        assert_eq!(comparison.findings[0].id, FindingId::Forced);
        let told = facts_of(&comparison.findings, FindingId::Forced).next();
        assert_eq!(told, Some(&ComparedFact::Forced(*both)));
    }
    let load = "random 50 % read 8 KiB 1 x 8; sequential write 8 KiB 1 x 1 durability dsync";
    check(|record| record.plan.profile = "other".into(), ConditionKind::Profile, ["mine", "other"]);
    check(
        |record| record.tool.method_version = 9,
        ConditionKind::Method,
        ["version 1 of iotrial", "version 9 of iotrial"],
    );
    check(|record| record.plan.direct = false, ConditionKind::Io, ["direct", "buffered"]);
    let compared = "compared with what was written";
    check(|record| record.plan.verified = true, ConditionKind::Io, ["direct", compared]);
    check(
        |record| {
            let working_set = record.plan.jobs[0].working_set.get() / 2;
            record.plan.jobs[0].working_set = iotrial_model::units::ByteSize::bytes(working_set);
        },
        ConditionKind::WorkingSet,
        ["64.00 GiB", "34.00 GiB"],
    );
    check(
        |record| record.plan.jobs[0].iodepth = 16,
        ConditionKind::Load,
        [load, "random 50 % read 8 KiB 1 x 16; sequential write 8 KiB 1 x 1 durability dsync"],
    );
    // In the words of reports, not as it is written in the record.
    check(
        |record| {
            let spacing = iotrial_model::load::Spacing::Poisson;
            let arrival = iotrial_model::plan::Arrival::Open { iops: 16_000.0, spacing, bursts: None };
            record.plan.jobs[0].arrival = arrival;
            record.plan.jobs[1].flush_every = 4;
        },
        ConditionKind::Load,
        [
            load,
            "random 50 % read 8 KiB 1 x 8 open, 16,000 IOPS, poisson; \
             sequential write 8 KiB 1 x 1 durability dsync, durable every 4 writes",
        ],
    );
}

#[test]
fn what_is_not_known_of_one_does_not_stand_for_the_others() {
    let (one, mut other) = (run(1, 30, 1.0, CALM), run(2, 30, 1.0, CALM));
    other.plan.jobs[0].iodepth = 16;
    let mut unknown = sample(&run(3, 30, 1.0, CALM));
    unknown.conditions = conditions::Conditions::default();
    let refused = |samples: [Sample; 3]| {
        let error = Comparison::new(samples.into(), &CompareRequest::default()).unwrap_err();
        matches!(error, CompareError::Incomparable { .. })
    };
    assert!(refused([unknown.clone(), sample(&one), sample(&other)]));
    assert!(refused([sample(&one), unknown.clone(), sample(&other)]));
    assert!(refused([sample(&one), sample(&other), unknown.clone()]));
    assert_eq!(compare(vec![sample(&one), unknown]).configurations.len(), 2);
}

#[test]
fn a_run_that_measured_nothing_is_refused_or_left_out() {
    let (one, other, mut empty) = (run(1, 30, 1.0, CALM), run(2, 30, 1.0, CALM), run(3, 30, 1.0, CALM));
    empty.intervals.clear();
    empty.jobs = RunRecord::totals_of_intervals(&empty.plan, &[]);
    let samples = || vec![sample(&one), sample(&other), sample(&empty)];
    let error = Comparison::new(samples(), &CompareRequest::default()).unwrap_err();
    assert_eq!(error.to_string(), format!("{} measured nothing", empty.id));
    let forced = CompareRequest { force: true, ..CompareRequest::default() };
    assert_eq!(Comparison::new(samples(), &forced).unwrap().configurations.len(), 2);
}

#[test]
fn what_many_runs_say_against_their_figures_is_said_once_with_their_names() {
    let short = |seed: u64, label: &str, seconds: u64| labelled(&run(seed, seconds, 1.0, CALM), label);
    // That runs of 30 s are short is said once, in the words of the first of them; the answer is by which runs, and whether all say the same.
    let told = |samples: Vec<Sample>| -> (Option<usize>, bool, Vec<RunsOfConfiguration>) {
        let findings = compare(samples).findings;
        let short = facts_of(&findings, FindingId::Caveat).filter_map(|fact| match fact {
            ComparedFact::RunCaveat { caveat: Caveat::Finding(finding), run, is_alike, runs }
                if finding.id == FindingId::ShortRun =>
            {
                assert_eq!(finding.evidence, Evidence::ShortRun { measured_s: 30.0 });
                Some((*run, *is_alike, runs.clone()))
            }
            _ => None,
        });
        let all: Vec<_> = short.collect();
        let [only] = all.as_slice() else { panic!("{all:?}") };
        only.clone()
    };
    let runs = |configuration: &str, runs: &[usize], run_count| RunsOfConfiguration {
        configuration: configuration.to_owned(),
        runs: runs.to_vec(),
        run_count,
    };
    let alike = (1..=4).map(|seed| short(seed, if seed < 3 { "one" } else { "two" }, 30));
    let of_all = vec![runs("A", &[1, 2], 2), runs("B", &[1, 2], 2)];
    assert_eq!(told(alike.collect()), (Some(1), true, of_all));
    let long = |seed: u64| short(seed, "two", 60);
    let unlike = vec![short(1, "one", 30), long(2), short(3, "two", 31), long(4), long(5)];
    assert_eq!(told(unlike), (None, false, vec![runs("A", &[1], 1), runs("B", &[2], 4)]));
    let many = (1..=6).map(|seed| short(seed, "one", if seed < 6 { 30 } else { 60 })).collect::<Vec<_>>();
    let many = [many, vec![short(7, "two", 60)]].concat();
    assert_eq!(told(many), (Some(1), true, vec![runs("A", &[1, 2, 3, 4, 5], 6)]));
}

#[test]
fn runs_that_cannot_be_compared_stand_beside_one_another_and_the_reason_is_known() {
    let (mut first, other) = (run(1, 30, 1.0, CALM), run(2, 30, 1.0, CALM));
    let beside = Comparison::or_beside(vec![sample(&first), sample(&other)]);
    assert_eq!((beside.not_compared.as_ref(), beside.against_baseline.len()), (None, 1));
    first.plan.direct = !first.plan.direct;
    let beside = Comparison::or_beside(vec![sample(&first), sample(&other)]);
    assert!(matches!(beside.not_compared, Some(CompareError::Incomparable { .. })));
    assert_eq!(
        (beside.configurations.len(), beside.against_baseline.len(), beside.rankings.len()),
        (2, 0, 0)
    );
    assert_eq!(beside.recommendation, Recommendation::default());
    // Repeats of one configuration are runs of their own then.
    let repeats = Comparison::or_beside(repeats("one", 1, 1.0, 3));
    assert!(matches!(repeats.not_compared, Some(CompareError::OnlyOne { runs: 3, .. })));
    assert_eq!(repeats.configurations.len(), 3);
}

#[test]
fn a_difference_that_is_sure_and_tiny_has_no_weight_and_decides_nothing() {
    let quiet = Noise { memory: 0.0, size: 0.0 };
    let tiny = compare(vec![sample(&run(1, 300, 1.0, quiet)), sample(&run(2, 300, 1.004, quiet))]);
    let mean = tiny.against_baseline[0].delta(&Metric::of_figure(Stream::Read, Figure::LatencyMean)).unwrap();
    assert_eq!(mean.reading, Reading::Worse, "{mean:?}");
    assert_eq!(tiny.recommendation.best, None);
    // One bucket of a histogram is no difference, whoever falls into it how often.
    let is_percentile =
        |metric: &Metric| matches!(metric.key, MetricKey::Figure(_, figure) if figure.percent().is_some());
    for delta in tiny.against_baseline[0].deltas.iter().filter(|delta| is_percentile(&delta.metric)) {
        let interval = delta.interval.unwrap();
        assert!(interval.high_percent - interval.low_percent > 0.2, "{delta:?}");
    }
}

#[test]
fn loads_that_differ_in_a_number_only_stand_in_its_order() {
    let ordered = |loads: &[&str]| {
        let mut one = Configuration::each(vec![sample(&measured(1, |_| 1_000))]).unwrap().remove(0);
        let metric = |load: &&str| Metric {
            load: Some((*load).to_owned()),
            ..Metric::of_figure(Stream::Read, Figure::Iops)
        };
        one.figures = loads.iter().map(|load| (metric(load), 1.0)).collect();
        metrics_of(&[one]).into_iter().map(|metric| metric.load.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(
        ordered(&["8 KiB 1 x 16", "8 KiB 1 x 1", "8 KiB 1 x 2"]),
        ["8 KiB 1 x 1", "8 KiB 1 x 2", "8 KiB 1 x 16"]
    );
    assert_eq!(ordered(&["64 KiB 4", "1 MiB 4", "8 KiB 4"]), ["8 KiB 4", "64 KiB 4", "1 MiB 4"]);
}

/// Two configurations of `count` repeats, which are far apart from run to run.
fn two_noisy(count: u64) -> Comparison {
    // The second, fourth and so on of each are half as fast.
    let factor = |seed: u64| if seed.is_multiple_of(2) { 2.0 } else { 1.0 };
    let of = |label: &str, first: u64| -> Vec<Sample> {
        (first..first + count).map(|seed| labelled(&run(seed, 30, factor(seed), CALM), label)).collect()
    };
    compare(of("x", 1).into_iter().chain(of("y", 11)).collect())
}

#[test]
fn an_interval_that_leaves_open_which_is_better_is_no_answer_and_one_that_is_much_wider_is_left_out() {
    let comparison = two_noisy(2);
    let pair = &comparison.against_baseline[0];
    for delta in pair.ranked() {
        assert_eq!((delta.reading, delta.interval), (Reading::TooFewRepeats, None), "{delta:?}");
        assert_eq!(comparison.open_change(pair, delta), Some(OpenChange::TooWide { run_count: Some(2) }));
    }
    let mean = Metric::of_figure(Stream::Read, Figure::LatencyMean);
    assert_eq!(comparison.configurations[0].interval(&mean), None);
    let max = pair.delta(&Metric::of_figure(Stream::Read, Figure::LatencyMax)).unwrap();
    assert_eq!(comparison.open_change(pair, max), Some(OpenChange::FewForLongest { run_count: 2 }));
    // The same noise over enough repeats has an interval that people can read, and that is still no sign of equality.
    let enough = two_noisy(8);
    let pair = &enough.against_baseline[0];
    let delta = pair.delta(&mean).unwrap();
    let interval = delta.interval.unwrap();
    assert!(interval.low_percent < -20.0 && interval.high_percent > 25.0, "{delta:?}");
    assert_eq!(delta.reading, Reading::TooFewRepeats);
    assert_eq!(enough.open_change(pair, delta), Some(OpenChange::TooWide { run_count: Some(8) }));
}

#[test]
fn no_difference_is_shown_only_by_an_interval_that_stays_within_a_quarter_either_way() {
    let check = |low_percent: f64, high_percent: f64, expected: bool| {
        let interval = Interval { low_percent, high_percent };
        assert_eq!(interval.includes_zero() && !interval.is_open(), expected, "{interval:?}");
    };
    check(-5.0, 6.0, true);
    check(-19.9, 24.9, true);
    check(-20.1, 5.0, false);
    check(-5.0, 25.1, false);
    check(-48.6, 83.1, false);
    check(1.0, 2.0, false);
}

#[test]
fn cpu_time_without_an_interval_is_neither_better_nor_worse() {
    let with_cpu = |seed, user_ms| {
        let mut record = run(seed, 60, 1.0, CALM);
        record.cpu = Some(iotrial_model::record::CpuUse {
            user: Duration::from_millis(user_ms),
            wall: Duration::from_secs(60),
            ..iotrial_model::record::CpuUse::default()
        });
        sample(&record)
    };
    let comparison = compare(vec![with_cpu(1, 1_000), with_cpu(2, 1_500)]);
    let cpu: Vec<&Delta> = comparison.against_baseline[0]
        .deltas
        .iter()
        .filter(|delta| delta.metric.group() == MetricGroup::Cpu && delta.percent != 0.0)
        .collect();
    assert!(!cpu.is_empty());
    for delta in cpu {
        assert_eq!((delta.reading, delta.interval), (Reading::NoInterval, None), "{delta:?}");
    }
}

#[test]
fn a_gate_on_what_two_repeats_cannot_tell_is_undecided() {
    let samples = |label: &str, seeds: [u64; 2]| {
        seeds
            .map(|seed| labelled(&run(seed, 30, if seed.is_multiple_of(2) { 2.0 } else { 1.0 }, CALM), label))
    };
    let gates = vec!["read.iops >= -1%".parse().unwrap()];
    let request = CompareRequest { gates, ..CompareRequest::default() };
    let samples = [samples("x", [1, 2]), samples("y", [11, 12])].concat();
    let comparison = Comparison::new(samples, &request).unwrap();
    let [outcome] = comparison.gates.as_slice() else { panic!("{:?}", comparison.gates) };
    assert_eq!((outcome.outcome, outcome.interval), (GateResult::Undecided, None));
    assert_eq!(outcome.undecided, Some(Undecided::TooWide { run_count: 2 }));
}

#[test]
fn a_recommendation_from_simulated_devices_says_so_in_its_own_sentence() {
    let simulated = |seed: u64, factor: f64| {
        let mut record = run(seed, 300, factor, CALM);
        record.plan.engine = iotrial_model::plan::EngineKind::Sim;
        sample(&record)
    };
    let comparison = compare(vec![simulated(1, 1.0), simulated(2, 1.5)]);
    let recommendation = &comparison.recommendation;
    assert_eq!(recommendation.best.as_deref(), Some("A"));
    assert_eq!(recommendation.reservations[0], Reservation::AllSimulated);
    let said = iotrial_words::recommendation::reservation(&recommendation.reservations[0]);
    assert!(recommendation.sentence.contains(&said), "{recommendation:?}");
    let measured = compare(vec![sample(&run(1, 300, 1.0, CALM)), sample(&run(2, 300, 1.5, CALM))]);
    assert_eq!(measured.recommendation.reservations, []);
}

#[test]
fn what_is_faster_and_freezes_is_not_the_best_in_all() {
    let mut frozen = run(1, 300, 1.0, CALM);
    // One read in the middle of five minutes: no percentile shows it.
    let job = &mut frozen.intervals[150].jobs[0];
    job.read.as_mut().unwrap().total_latency.record_n(Duration::from_millis(400), 1);
    frozen.jobs = RunRecord::totals_of_intervals(&frozen.plan, &frozen.intervals);
    let comparison = compare(vec![sample(&frozen), sample(&run(2, 300, 1.5, CALM))]);
    let recommendation = &comparison.recommendation;
    assert_eq!(recommendation.best.as_deref(), Some("A"));
    let answer = &recommendation.facts.answer;
    assert!(matches!(answer, Some(Answer::FirstButFreezes { .. })), "{answer:?}");
    let Reservation::Froze(freeze) = &recommendation.reservations[0] else { panic!("{answer:?}") };
    assert_eq!((freeze.stream, freeze.calmest.starts_with('B')), (Stream::Read, true));
    assert!((400_000.0..410_000.0).contains(&freeze.slowest_us), "{freeze:?}");
}

/// A host whose disk has these interrupts and this scheduler.
fn host_of(interrupts: i64, scheduler: &str) -> HostReport {
    let known = |id, value| Fact { id, reading: host_fact::Reading::Known(value), from: String::new() };
    let facts = vec![
        known(FactId::Scheduler, FactValue::text(scheduler)),
        known(FactId::QueueInterrupts, FactValue::Number(interrupts)),
    ];
    let parts = vec![Part { facts, ..Part::new(PartKind::Disk, "sdb") }];
    HostReport {
        name: "db01".to_owned(),
        host: Part::new(PartKind::Host, "db01"),
        chains: vec![TargetChain { target: "/data".to_owned(), parts, ends: None }],
    }
}

#[test]
fn a_worse_tail_comes_with_what_differs_in_attributes_host_and_steal_and_with_nothing_else() {
    let measured = |seed: u64, host: HostReport, steal_s: f64, has_tail: bool| {
        let record = run(seed, 300, 1.0, CALM);
        let mut record = if has_tail { with_slow_reads(record) } else { record };
        record.host_facts = Some(host);
        if let Some(cpu) = &mut record.cpu {
            cpu.host_steal_s = Some(steal_s);
        }
        record
    };
    let causes = |worse: &RunRecord, driver: &str| {
        let attributes =
            |driver: &str| BTreeMap::from([("driver".to_owned(), AttributeValue::from_text(driver))]);
        let calm = measured(1, host_of(8, "none"), 0.0, false);
        let samples = vec![
            sample(&calm).named("calm", attributes("paravirtualized")),
            sample(worse).named("worse", attributes(driver)),
        ];
        let recommendation = compare(samples).recommendation;
        assert!(!recommendation.tail_problems.is_empty());
        recommendation.tail_causes
    };
    // 300 s of 4 CPUs.
    let all = causes(&measured(2, host_of(1, "bfq"), 60.0, true), "sr-iov");
    let [one] = &all[..] else { panic!("{all:?}") };
    assert_eq!((one.baseline.as_str(), one.configuration.as_str()), ("A", "B"));
    let setting = |fact, from: FactValue, to: FactValue| TailCause::Setting {
        target: None,
        part: PartKind::Disk,
        fact,
        from: vec![from],
        to: vec![to],
    };
    let driver = TailCause::Attribute {
        name: "driver".to_owned(),
        from: "paravirtualized".to_owned(),
        to: "sr-iov".to_owned(),
    };
    let expected = [
        driver.clone(),
        TailCause::Steal { from_percent: 0.0, to_percent: 5.0 },
        setting(FactId::QueueInterrupts, FactValue::Number(8), FactValue::Number(1)),
        setting(FactId::Scheduler, FactValue::text("none"), FactValue::text("bfq")),
    ];
    assert_eq!(one.causes, expected);
    // What both have is no cause of a difference, and of nothing known there is nothing to say.
    let same = measured(2, host_of(8, "none"), 6.0, true);
    assert_eq!(causes(&same, "sr-iov")[0].causes, [driver]);
    assert_eq!(causes(&same, "paravirtualized"), []);
}

#[test]
fn a_second_best_is_no_configuration_to_avoid() {
    let of = |factor: f64, seed| sample(&run(seed, 300, factor, CALM));
    let comparison = compare(vec![of(1.0, 1), of(1.3, 2), of(1.6, 3)]);
    let avoided: Vec<&str> =
        comparison.recommendation.avoid.iter().map(|one| one.configuration.as_str()).collect();
    assert_eq!(comparison.recommendation.best.as_deref(), Some("A"));
    assert_eq!(avoided, ["C"], "{:?}", comparison.recommendation.avoid);
    // One that is half as good is to be avoided, also where there are only two.
    let comparison = compare(vec![of(1.0, 1), of(2.5, 2)]);
    assert_eq!(comparison.recommendation.avoid.len(), 1);
}

#[test]
fn a_price_stands_beside_the_recommendation_and_is_no_factor() {
    let priced = |seed, factor: f64, volumes: i64, usd: i64| {
        let attributes = [("kind", volumes), ("usd_per_month", usd)];
        let attributes = attributes.map(|(name, value)| (name.to_owned(), AttributeValue::Integer(value)));
        sample(&run(seed, 300, factor, CALM)).named(format!("{volumes}"), BTreeMap::from(attributes))
    };
    let comparison = compare(vec![priced(1, 1.5, 1, 400), priced(2, 1.0, 3, 1_200)]);
    let cost = comparison.recommendation.facts.cost.as_ref().unwrap();
    assert_eq!((cost.currency.as_str(), cost.best_per_month, cost.other_per_month), ("USD", 1_200.0, 400.0));
    let factors: Vec<&str> = comparison.factors.iter().map(|factor| factor.attribute.as_str()).collect();
    assert_eq!(factors, ["kind"]);
}

#[test]
fn a_comparison_knows_where_when_and_by_what_it_was_measured_and_what_the_verdict_was() {
    let mut record = run(1, 60, 1.0, CALM);
    record.thresholds = crate::threshold::ThresholdSet::builtin("flash").unwrap().text;
    let other = run(2, 60, 1.0, CALM);
    let comparison = compare(vec![Sample::of_run(&record, "one"), Sample::of_run(&other, "two")]);
    let [first, second] = comparison.configurations.as_slice() else { panic!("two") };
    let circumstances = &first.circumstances;
    assert_eq!(circumstances.hosts[0].name, record.host.name);
    assert_eq!(circumstances.targets.len(), record.targets.len());
    let load = &circumstances.loads[0];
    assert_eq!((load.profile.as_deref(), load.outstanding.is_some()), (Some("mine"), true));
    let tool = record.tool.clone();
    let tool = ToolInBrief::Tool { name: tool.name, version: Some(tool.version) };
    assert_eq!(circumstances.tools, [tool]);
    assert_eq!(circumstances.measured_at, [record.started_at.clone()]);
    assert_eq!((first.outcomes[0].thresholds.as_str(), first.outcomes.len()), ("flash", 1));
    // A record without a set was never judged.
    assert_eq!(second.outcomes.len(), usize::from(!other.thresholds.is_empty()));
}

/// The rows of a table, compared with the first.
fn of_rows(rows: &str) -> Comparison {
    rows_compared(rows, &CompareRequest::default())
}

fn rows_compared(rows: &str, request: &CompareRequest) -> Comparison {
    let text = format!("format = \"iotrial.table/1\"\ntitle = \"T\"\n{rows}");
    let table = iotrial_model::table::PublishedTable::parse(&text).unwrap();
    Comparison::new(Sample::of_table(&table, "the table"), request).unwrap()
}

#[test]
fn a_bound_is_better_or_worse_where_that_is_sure_and_never_a_number() {
    let check = |from: &str, to: &str, reading: Reading, sure: Option<(BoundRelation, f64)>| {
        let rows = format!(
            "[[row]]\nid = \"A\"\nread = {{ iops = 9, lat_mean_us = {from} }}\n[[row]]\nid = \"B\"\nread = {{ iops = 9, lat_mean_us = {to} }}\n"
        );
        let comparison = of_rows(&rows);
        let mean = Metric::of_figure(Stream::Read, Figure::LatencyMean);
        let pair = &comparison.against_baseline[0];
        assert_eq!(pair.delta(&mean), None);
        let delta = pair.bounded_delta(&mean).unwrap();
        let change = delta.sure_change().map(|one| (one.relation, one.value));
        assert_eq!((delta.reading, change), (reading, sure), "{from} {to}");
        let ranked = comparison.rankings.iter().find(|one| one.metric == mean);
        assert_eq!(ranked.is_some(), !reading.is_unknown(), "{from} {to}");
        if let Some(ranked) = ranked {
            let first = if reading.is_better() { "B" } else { "A" };
            assert_eq!((ranked.places[0].configuration.as_str(), ranked.places[1].place), (first, 2));
        }
    };
    check("4000", "\"< 1000\"", Reading::MuchBetter, Some((BoundRelation::Below, -75.0)));
    check(
        "1200",
        "\"<= 1000\"",
        Reading::Better,
        Some((BoundRelation::AtMost, 100.0 * (1_000.0 / 1_200.0 - 1.0))),
    );
    check("\"< 1000\"", "4000", Reading::MuchWorse, Some((BoundRelation::Above, 300.0)));
    check("\"< 1000\"", "\"> 2000\"", Reading::MuchWorse, Some((BoundRelation::Above, 100.0)));
    // One digit may be rounded, and what is below it may be as much.
    check("1000", "\"< 1000\"", Reading::Undecided, None);
    check("500", "\"< 1000\"", Reading::Undecided, None);
    check("\"< 1000\"", "\"< 1000\"", Reading::Undecided, None);
    check("\"~ 1000\"", "9000", Reading::Undecided, None);
}

#[test]
fn a_factor_counts_what_bounds_make_sure_and_has_no_empty_clause() {
    let rows = "[[row]]\nid = \"A\"\nattributes = { volumes = \"one\" }\nread = { iops = 12400 }\n\
                [[row]]\nid = \"B\"\nattributes = { volumes = \"three\" }\nread = { iops = \">= 80000\" }\n";
    let comparison = of_rows(rows);
    let facts = &comparison.recommendation.facts;
    let [factor] = facts.factors.as_slice() else { panic!("{facts:?}") };
    assert_eq!(
        (factor.attribute.as_str(), factor.from.as_str(), factor.to.as_str()),
        ("volumes", "one", "three")
    );
    assert_eq!((&factor.effect, factor.ranges.len()), (&Effect::AllBetter, 0));
    let pair = &comparison.against_baseline[0];
    assert_eq!(pair.bounded[0].sure_change().unwrap().relation, BoundRelation::AtLeast);
    // Of bounds alone there are no ranges.
    let [ReasonFact::SureBounds(bounds)] = facts.reasons.as_slice() else { panic!("{facts:?}") };
    assert_eq!((bounds.len(), bounds[0].is_beyond), (1, false));
}

#[test]
fn what_was_measured_too_briefly_is_not_called_the_same() {
    let comparison =
        compare(vec![labelled(&run(1, 4, 1.0, CALM), "one"), labelled(&run(2, 4, 2.0, CALM), "two")]);
    assert_eq!(comparison.recommendation.facts.answer, Some(Answer::TooLittle));
}

#[test]
fn a_gate_on_a_bound_is_kept_where_every_change_that_it_leaves_keeps_it() {
    let rows = "[[row]]\nid = \"A\"\nread = { iops = 9, lat_mean_us = 4000 }\n[[row]]\nid = \"B\"\nread = { iops = 9, lat_mean_us = \"< 1000\" }\n";
    let hold = |gate: &str| {
        let request = CompareRequest { gates: vec![gate.parse().unwrap()], ..CompareRequest::default() };
        rows_compared(rows, &request).gates[0].outcome
    };
    assert_eq!(hold("read.mean <= -50%"), GateResult::Kept);
    assert_eq!(hold("read.mean <= -80%"), GateResult::Undecided);
    assert_eq!(hold("read.mean >= 0%"), GateResult::Missed);
    assert_eq!(hold("read.mean < 2ms"), GateResult::Kept);
    assert_eq!(hold("read.mean < 500us"), GateResult::Undecided);
}

/// Runs of the same device, with these transactions a second beside them.
fn with_metric(label: &str, seed: u64, values: &[f64]) -> Vec<Sample> {
    let run = |(number, value): (u64, &f64)| {
        let mut record = run(seed + number, 60, 1.0, Noise { memory: 0.5, size: 0.02 });
        record.label = Some(label.to_owned());
        record.metrics.insert("transactions_per_s".to_owned(), *value);
        Sample::of(&Subject::of_run(&record), format!("{label} {number}"))
    };
    (0..).zip(values).map(run).collect()
}

#[test]
fn a_metric_of_an_application_is_compared_as_told_and_with_its_spread_where_it_was_repeated() {
    let compared = |a: &[f64], b: &[f64]| {
        let samples = [with_metric("a", 100, a), with_metric("b", 200, b)].concat();
        let comparison = Comparison::new(samples, &CompareRequest::default()).unwrap();
        let metric = MetricKey::from_key("other.transactions_per_s").unwrap().into();
        let delta = comparison.against_baseline[0].delta(&metric).unwrap().clone();
        (delta.reading, delta.interval.is_some(), delta.percent.round())
    };
    assert_eq!(compared(&[1_688.0], &[1_980.0]), (Reading::Better, false, 17.0));
    assert_eq!(compared(&[1_000.0], &[1_010.0]), (Reading::NoDifference, false, 1.0));
    let clear =
        compared(&[1_000.0, 1_010.0, 990.0, 1_005.0, 995.0], &[2_000.0, 2_020.0, 1_990.0, 2_010.0, 1_995.0]);
    assert_eq!((clear.0, clear.1), (Reading::MuchBetter, true));
    // Printed without digits: that two repeats agree says nothing of chance.
    assert_eq!(compared(&[5_000.0, 5_000.0], &[5_001.0, 5_001.0]), (Reading::NoDifference, false, 0.0));
    let noisy =
        compared(&[800.0, 1_200.0, 900.0, 1_100.0, 1_000.0], &[900.0, 1_250.0, 850.0, 1_150.0, 1_000.0]);
    // From −19 to +30 %: it may be either.
    assert_eq!((noisy.0, noisy.1), (Reading::TooFewRepeats, true));
    let alike =
        compared(&[1_000.0, 1_010.0, 990.0, 1_005.0, 995.0], &[1_001.0, 1_012.0, 989.0, 1_004.0, 996.0]);
    assert_eq!((alike.0, alike.1), (Reading::NoDifference, true));
}

/// A run whose log is `log_factor` times as slow as its data files would be on a device of that factor.
fn with_log(seed: u64, factor: f64, log_factor: f64) -> RunRecord {
    let mut record = run(seed, 60, factor, CALM);
    let log = run(seed + 500, 60, factor * log_factor, CALM);
    for (interval, of_log) in record.intervals.iter_mut().zip(log.intervals) {
        interval.jobs[1] = of_log.jobs[1].clone();
    }
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    record
}

fn log_commit(figure: Figure) -> Metric {
    MetricKey::OfRole(Role::Log, Stream::Commit, figure).into()
}

/// The same with one of three hundred commits waiting.
fn with_slow_commits(mut record: RunRecord) -> RunRecord {
    for interval in &mut record.intervals {
        if let Some(counts) = &mut interval.jobs[1].write {
            let waiting = counts.io_count() / 300;
            counts.total_latency.record_n(Duration::from_millis(40), waiting);
            counts.bytes = counts.io_count() * 8_192;
        }
    }
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    record
}

#[test]
fn what_loses_in_all_latencies_of_a_role_is_first_and_not_recommended() {
    let compared = |fast_data: &RunRecord, factor: f64| {
        let other = labelled(&with_log(2, 3.0, factor), "fast log");
        compare(vec![labelled(fast_data, "fast data"), other]).recommendation
    };
    // In either order: every commit takes more than twice as long.
    let stopped = compared(&with_log(1, 1.0, 2.5), 0.35);
    let Some(Answer::FirstButLosesRole { first, .. }) = &stopped.facts.answer else { panic!("{stopped:?}") };
    assert_eq!((stopped.best.as_deref(), first.as_str()), (None, "A (fast data)"));
    assert!(stopped.reservations.iter().any(Reservation::stops), "{:?}", stopped.reservations);
    assert!(stopped.avoid.is_empty() && !stopped.reasons.is_empty(), "{stopped:?}");
    // A tail alone is said with the recommendation.
    let but = compared(&with_slow_commits(with_log(1, 1.0, 1.0)), 1.0 / 3.0);
    assert_eq!(but.best.as_deref(), Some("A"), "{but:?}");
    let [Reservation::LosesInRole(loss)] = &but.reservations[..] else { panic!("{:?}", but.reservations) };
    assert!(!loss.is_in_all_latencies && loss.figure == Figure::LatencyP999, "{loss:?}");
    // Slower by a third: neither.
    let fine = compared(&with_log(1, 1.0, 1.3), 1.0 / 3.0);
    assert_eq!((fine.best.as_deref(), fine.reservations), (Some("A"), Vec::new()));
}

#[test]
fn the_recommendation_names_the_role_in_which_it_loses_and_roles_decide_no_place_over_all() {
    let comparison = compare(vec![
        labelled(&with_log(1, 1.0, 2.5), "fast data"),
        labelled(&with_log(2, 3.0, 0.35), "fast log"),
    ]);
    let reservations = &comparison.recommendation.reservations;
    assert_eq!(reservations.len(), 1, "{reservations:?}");
    assert_eq!(reservations[0].kind(), ReservationKind::LosesInRole);
    let Reservation::LosesInRole(loss) = &reservations[0] else { panic!("{reservations:?}") };
    assert_eq!(loss.of, StreamOf { role: Some(Role::Log), stream: Stream::Commit });
    assert!(loss.figure.is_latency() && loss.factor >= 2.0 && loss.other == "B (fast log)", "{loss:?}");
    // Data and log have two and one stream of five figures; over all there are three.
    assert_eq!((comparison.rankings.len(), comparison.rankings_by_role.len()), (15, 15));
    let delta = comparison.against_baseline[0].delta(&log_commit(Figure::LatencyP99)).unwrap();
    assert_eq!(delta.reading, Reading::MuchBetter);
    assert!(delta.interval.is_some());
}

#[test]
fn a_role_with_a_faster_mean_and_a_slower_tail_has_a_tail_problem_of_its_own() {
    // The log is as fast as before, so that only the data files are faster on average.
    let mut hidden = with_log(2, 0.5, 2.0);
    for interval in &mut hidden.intervals {
        if let Some(counts) = &mut interval.jobs[0].write {
            // Every 300th write waits, which half the latency of all others hides in the mean.
            let waiting = counts.io_count() / 300;
            counts.total_latency.record_n(Duration::from_millis(40), waiting);
            counts.bytes = counts.io_count() * 8_192;
        }
    }
    hidden.jobs = RunRecord::totals_of_intervals(&hidden.plan, &hidden.intervals);
    let comparison =
        compare(vec![labelled(&with_log(1, 1.0, 1.0), "calm"), labelled(&hidden, "faster on average")]);
    let problems = &comparison.recommendation.tail_problems;
    let keys: Vec<_> = problems.iter().map(|problem| problem.tail.metric.key.to_string()).collect();
    assert!(keys.iter().any(|key| key == "data.write.lat_p999_us"), "{keys:?}");
    // What a stream of one role alone has is told once.
    assert!(
        !keys.iter().any(|key| key.starts_with("log.commit") || key.starts_with("data.read")),
        "{keys:?}"
    );
    let is_told = |fact: &ExceptionFact| matches!(fact, ExceptionFact::Tail(_, tail) if tail.metric.key.to_string() == "data.write.lat_p999_us");
    assert!(comparison.recommendation.facts.exceptions.iter().any(is_told));
}

#[test]
fn a_load_of_one_role_has_no_metrics_of_roles() {
    let only_log = |seed: u64| {
        let mut record = with_log(seed, 1.0, 1.0);
        record.plan.jobs.remove(0);
        record.intervals.iter_mut().for_each(|interval| _ = interval.jobs.remove(0));
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        sample(&record)
    };
    let comparison = compare(vec![only_log(1), only_log(2)]);
    assert!(!comparison.metrics.iter().any(Metric::is_of_role));
    assert!(comparison.rankings_by_role.is_empty());
}

#[test]
fn the_same_device_twice_shows_a_difference_in_any_role_in_at_most_one_of_twenty_pairs() {
    let differs = |pair: &u64| {
        let of = |side: u64| sample(&with_log(4_000 + 2 * pair + side, 1.0, 1.0));
        let comparison = compare(vec![of(0), of(1)]);
        comparison.against_baseline[0]
            .ranked_in_roles()
            .any(|delta| delta.reading.is_better() || delta.reading.is_worse())
    };
    // Of twenty pairs one is expected; four or more would come about by chance in one of sixty tries.
    let pairs = (0..20).filter(differs).count();
    assert!(pairs < 4, "{pairs} of 20");
}

#[test]
fn the_longest_io_is_compared_by_five_repeats_of_each_and_never_by_its_draws() {
    let longest = |count: u64, factor: f64| {
        let mut samples = repeats("x", 31, 1.0, count);
        samples.extend(repeats("y", 61, factor, count));
        let comparison = compare(samples);
        let metric = Metric::of_figure(Stream::Read, Figure::LatencyMax);
        comparison.against_baseline[0].delta(&metric).unwrap().clone()
    };
    let single = longest(1, 2.0);
    assert_eq!((single.reading, single.interval), (Reading::NoInterval, None));
    assert_eq!(longest(4, 2.0).reading, Reading::TooFewRepeats);
    let (slower, same) = (longest(5, 2.0), longest(5, 1.0));
    assert!(slower.reading.is_worse() && slower.interval.unwrap().low_percent > 0.0, "{slower:?}");
    // The ranges of the repeats overlap, and more repeats would only make them wider.
    assert_eq!(same.reading, Reading::NoDifference, "{same:?}");
    assert!(same.interval.is_some());
}

#[test]
fn repeats_of_equal_devices_never_miss_a_gate_and_one_twice_as_slow_always_does() {
    let (mut kept, mut missed) = ([0; 2], [0; 2]);
    for seed in 0..20 {
        let of = |label: &str, first: u64, factor: f64| repeats(label, first + 100 * seed, factor, 5);
        let gates =
            ["write.p99 <= +10%", "log.commit.p99 <= +10%"].map(|gate| gate.parse().unwrap()).to_vec();
        let request = CompareRequest { gates, ..CompareRequest::default() };
        let samples =
            [of("before", 30_000, 1.0), of("equal", 40_000, 1.0), of("slower", 50_000, 2.0)].concat();
        // Of each gate the equal device, and then the slower one.
        let outcomes = Comparison::new(samples, &request).unwrap().gates;
        for (at, of_gate) in outcomes.chunks_exact(2).enumerate() {
            assert_ne!(of_gate[0].outcome, GateResult::Missed, "{of_gate:?}");
            kept[at] += usize::from(of_gate[0].outcome == GateResult::Kept);
            missed[at] += usize::from(of_gate[1].outcome == GateResult::Missed);
        }
    }
    assert_eq!(missed, [20, 20]);
    // Runs differ by 5 %, so that five of them tell 10 % in some pairs only: the others are undecided. `docs/compare.md` has the numbers.
    assert_eq!(kept, [6, 6]);
}

#[test]
fn a_value_is_decided_by_a_single_run_and_undecided_where_its_interval_includes_the_limit() {
    let record = with_log(3, 1.0, 1.0);
    let gate = |text: &str| {
        let outcomes = hold_gates(vec![sample(&record)], &[text.parse().unwrap()]).unwrap();
        (outcomes[0].outcome, outcomes[0].clone())
    };
    let p99_us = gate("log.commit.p99 < 1s").1.value.unwrap();
    assert_eq!(gate(&format!("log.commit.p99 < {}us", 1.5 * p99_us)).0, GateResult::Kept);
    assert_eq!(gate(&format!("log.commit.p99 < {}us", p99_us / 1.5)).0, GateResult::Missed);
    let (close, outcome) = gate(&format!("log.commit.p99 < {}us", 1.001 * p99_us));
    assert_eq!(close, GateResult::Undecided);
    assert_eq!(outcome.undecided, Some(Undecided::IncludesLimit));
    let (low, high) = outcome.value_interval.unwrap();
    assert!(low < p99_us && p99_us < high, "{low} {high}");
    // The longest I/O of a run is what it is.
    assert_eq!(gate("data.read.max < 1s").0, GateResult::Kept);
    assert_eq!(gate("data.read.max < 1us").0, GateResult::Missed);
}

#[test]
fn a_figure_of_too_few_ios_decides_nothing_and_says_how_many_it_needs() {
    let mut record = run(5, 30, 1.0, CALM);
    for job in record.intervals.iter_mut().flat_map(|interval| &mut interval.jobs) {
        for counts in job.read.iter_mut().chain(&mut job.write) {
            *counts = OpCounts::default();
            counts.total_latency.record_n(Duration::from_micros(500), 3);
        }
    }
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    for (gate, figure, least_io_count) in [
        ("log.commit.p99 < 2ms", Figure::LatencyP99, 1_000),
        ("log.commit.mean < 2ms", Figure::LatencyMean, 100),
    ] {
        let outcome = hold_gates(vec![sample(&record)], &[gate.parse().unwrap()]).unwrap().remove(0);
        let few = Undecided::FewIos { io_count: 90, figure };
        assert_eq!((outcome.outcome, outcome.undecided), (GateResult::Undecided, Some(few)));
        assert_eq!(figure.least_io_count(), least_io_count);
    }
}

#[test]
fn a_gate_of_what_nothing_has_is_answered_with_names_that_are_like_it() {
    let samples = || vec![sample(&with_log(1, 1.0, 1.0)), sample(&with_log(2, 1.0, 1.0))];
    for (gate, near, hint) in [
        ("log.write.p99 < 2ms", "log.commit.p99", "log.commit.p99"),
        ("tempdb.read.iops > 5iops", "read.iops", "read.iops"),
        ("write.p98 <= +10%", "write.p99", "write.p99"),
    ] {
        let request = CompareRequest { gates: vec![gate.parse().unwrap()], ..CompareRequest::default() };
        let error = Comparison::new(samples(), &request).unwrap_err();
        assert!(error.to_string().contains(near), "{error}");
        assert!(error.hint().is_some_and(|words| words.contains(hint)), "{error}: {:?}", error.hint());
    }
    let change = hold_gates(samples(), &["write.p99 <= +10%".parse().unwrap()]).unwrap_err();
    assert!(matches!(change, CompareError::NoBaseline { .. }));
}

#[test]
fn a_load_of_one_role_takes_gates_of_that_role() {
    let mut record = with_log(1, 1.0, 1.0);
    record.plan.jobs.remove(0);
    record.intervals.iter_mut().for_each(|interval| _ = interval.jobs.remove(0));
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    let outcome =
        hold_gates(vec![sample(&record)], &["log.commit.p99 < 1s".parse().unwrap()]).unwrap().remove(0);
    assert_eq!(outcome.outcome, GateResult::Kept);
    assert!(hold_gates(vec![sample(&record)], &["data.read.p99 < 1s".parse().unwrap()]).is_err());
}

#[test]
fn the_longest_io_of_repeats_on_both_sides_of_a_limit_is_undecided() {
    let samples = repeats("x", 71, 1.0, 5);
    let longest_us: Vec<f64> = samples
        .iter()
        .map(|one| one.worst_io_us.iter().find(|(stream, _)| *stream == Stream::Read).unwrap().1)
        .collect();
    let between = longest_us.iter().sum::<f64>() / 5.0;
    let gate = |limit: f64| format!("read.max < {limit}us").parse::<Gate>().unwrap();
    let outcome = |limit: f64| hold_gates(samples.clone(), &[gate(limit)]).unwrap().remove(0).outcome;
    assert_eq!(outcome(between), GateResult::Undecided);
    assert_eq!(outcome(10.0 * between), GateResult::Kept);
    assert_eq!(outcome(between / 10.0), GateResult::Missed);
}

#[test]
fn what_failed_is_in_no_figure_and_leaves_its_gates_undecided() {
    let gate = |change: &dyn Fn(&mut RunRecord)| {
        let mut record = with_log(1, 1.0, 1.0);
        record.label = Some("x".to_owned());
        change(&mut record);
        let outcome =
            hold_gates(vec![sample(&record)], &["read.p99 < 1s".parse().unwrap()]).unwrap().remove(0);
        (outcome.outcome, outcome.undecided)
    };
    assert_eq!(gate(&|_| ()), (GateResult::Kept, None));
    let failed = gate(&|record| record.jobs[0].read.as_mut().unwrap().error_count = 3);
    assert_eq!(
        failed,
        (GateResult::Undecided, Some(Undecided::Spoilt(Spoilt::Errors(3), "A (x)".to_owned())))
    );
    let stopped = gate(&|record| record.ended.how = EndedHow::Interrupted);
    assert_eq!(
        stopped,
        (GateResult::Undecided, Some(Undecided::Spoilt(Spoilt::Interrupted, "A (x)".to_owned())))
    );
}

/// A run of a configuration under a profile, on a device that is `factor` times as slow as the reference.
fn run_under(profile: &str, label: &str, seed: u64, factor: f64) -> Sample {
    let mut record = run(seed, 60, factor, Noise { memory: 0.0, size: 0.02 });
    record.plan.profile = profile.to_owned();
    record.label = Some(label.to_owned());
    sample(&record)
}

fn several(samples: Vec<Sample>, request: &CompareRequest) -> ComparisonMatrix {
    let matrix = ComparisonMatrix::new(samples, request).unwrap();
    assert!(matrix.over_loads.is_some(), "they are of several loads");
    matrix
}

#[test]
fn each_load_has_its_own_winner_and_the_answer_over_all_names_where_it_does_not_hold() {
    let mut samples = Vec::new();
    for (number, profile) in ["oltp", "scan", "log"].into_iter().enumerate() {
        let number = 10 * number as u64;
        // The second volume is faster, but under the last load.
        let factor = if profile == "log" { 1.5 } else { 0.7 };
        samples.push(run_under(profile, "new", 900 + number, factor));
        samples.push(run_under(profile, "old", 901 + number, 1.0));
    }
    let gates = vec!["read.iops >= -5%".parse().unwrap()];
    let request = CompareRequest { baseline: Some("old".to_owned()), gates, ..CompareRequest::default() };
    let several = several(samples, &request);
    let matrix = several.over_loads.as_ref().unwrap();
    let best: Vec<(&str, &[String])> =
        matrix.loads.iter().map(|row| (row.load.as_str(), row.best.as_slice())).collect();
    let (new, old) = (["A".to_owned()], ["B".to_owned()]);
    assert_eq!(best, [("oltp", &new[..]), ("scan", &new[..]), ("log", &old[..])]);
    assert_eq!((matrix.best.as_deref(), matrix.best_count, matrix.baseline.as_str()), (Some("A"), 2, "B"));
    let expected = OverLoadsAnswer::BestUnderMost {
        best: "A (new)".to_owned(),
        best_count: 2,
        load_count: 3,
        others: vec![("B (old)".to_owned(), vec!["log".to_owned()])],
        undecided: Vec::new(),
    };
    assert_eq!(matrix.facts.answer, expected);
    // The rate of reads and writes together, with the interval of that load alone.
    let rate = &matrix.loads[0].metrics[0];
    assert_eq!(rate.metric.key.to_string(), "total.iops");
    assert!(rate.cells[0].delta.as_ref().unwrap().interval.is_some() && rate.cells[1].delta.is_none());
    // The same keys under every load, and the gate under each.
    assert!(several.rows.iter().all(|one| one.comparison.configuration("A").unwrap().label == "new"));
    let gates: Vec<(String, GateResult)> =
        several.gates.iter().map(|one| (one.metric.load.clone().unwrap(), one.outcome)).collect();
    let expected = [("oltp", GateResult::Kept), ("scan", GateResult::Kept), ("log", GateResult::Missed)];
    assert_eq!(gates, expected.map(|(load, outcome)| (load.to_owned(), outcome)));
}

#[test]
fn a_load_of_one_configuration_is_named_and_two_loads_of_one_configuration_each_are_refused() {
    let samples = vec![
        run_under("oltp", "new", 940, 0.7),
        run_under("oltp", "old", 941, 1.0),
        run_under("scan", "new", 942, 1.0),
    ];
    let several = several(samples, &CompareRequest::default());
    assert_eq!(several.over_loads.as_ref().unwrap().loads.len(), 1);
    let loads = vec![("scan".to_owned(), vec!["new".to_owned()])];
    let told = facts_of(&several.findings, FindingId::LeftOut).next();
    assert_eq!(told, Some(&ComparedFact::OneConfiguration { loads }));
    let apart = vec![run_under("oltp", "new", 943, 1.0), run_under("scan", "old", 944, 1.0)];
    let refused = ComparisonMatrix::new(apart, &CompareRequest::default()).unwrap_err();
    assert!(matches!(refused, CompareError::Incomparable { .. }), "{refused}");
}

#[test]
fn a_gate_on_what_no_load_has_is_a_mistake() {
    let samples = |profile: &str, seed: u64| {
        vec![run_under(profile, "new", seed, 1.0), run_under(profile, "old", seed + 1, 1.0)]
    };
    let samples = [samples("oltp", 950), samples("scan", 952)].concat();
    let gates = vec!["capacity >= -50%".parse().unwrap()];
    let refused =
        ComparisonMatrix::new(samples, &CompareRequest { gates, ..CompareRequest::default() }).unwrap_err();
    assert!(matches!(refused, CompareError::UnknownMetric { .. }), "{refused}");
}

#[test]
fn reads_and_writes_together_are_their_sum_and_rank_nothing_a_second_time() {
    let noise = Noise { memory: 0.0, size: 0.02 };
    let comparison = compare(vec![sample(&run(960, 60, 1.0, noise)), sample(&run(961, 60, 0.7, noise))]);
    let one = &comparison.configurations[0];
    let figure = |stream, figure| one.figure(&Metric::of_figure(stream, figure)).unwrap();
    for kind in [Figure::Iops, Figure::Bandwidth] {
        let sum = figure(Stream::Read, kind) + figure(Stream::Write, kind);
        assert!((figure(Stream::Mixed, kind) / sum - 1.0).abs() < 1e-9, "{kind}");
    }
    let total = Metric::of_figure(Stream::Mixed, Figure::Iops);
    assert!(comparison.against_baseline[0].delta(&total).unwrap().interval.is_some());
    assert!(comparison.rankings.iter().all(|ranking| ranking.metric != total));
    assert!(comparison.against_baseline[0].ranked().all(|delta| delta.metric != total));
    // 8 KiB for each of the I/Os of a minute.
    let moved = one.moved_gib(Stream::Read).unwrap();
    let expected = figure(Stream::Read, Figure::Bandwidth) * 60.0 / 1_024.0;
    assert!((moved / expected - 1.0).abs() < 1e-6, "{moved} {expected}");
}

fn priced(record: &RunRecord, label: &str, usd_per_month: i64) -> Sample {
    let price = BTreeMap::from([("usd_per_month".to_owned(), AttributeValue::Integer(usd_per_month))]);
    sample(record).named(label, price)
}

#[test]
fn how_many_times_one_does_what_another_does_is_told_with_its_price_from_either_side() {
    // The second one takes a third of the time for an I/O.
    let (slow, fast) = (run(970, 60, 3.0, CALM), run(971, 60, 1.0, CALM));
    for samples in [
        vec![priced(&slow, "slow", 400), priced(&fast, "fast", 520)],
        vec![priced(&fast, "fast", 520), priced(&slow, "slow", 400)],
    ] {
        let times = compare(samples).times().unwrap();
        assert!(times.better.contains("fast") && times.other.contains("slow"), "{times:?}");
        assert_eq!(times.metric, MetricKey::Figure(Stream::Mixed, Figure::Iops));
        assert!((2.7..3.3).contains(&times.least) && times.least.total_cmp(&times.most).is_eq(), "{times:?}");
        assert!((times.price_ratio.unwrap() - 1.3).abs() < 1e-9);
    }
    // A price of one side only is no comparison of prices.
    let times = compare(vec![priced(&slow, "slow", 400), labelled(&fast, "fast")]).times().unwrap();
    assert_eq!(times.price_ratio, None);
}

#[test]
fn nothing_is_told_as_a_factor_that_chance_or_a_printer_may_have_made() {
    let same = compare(vec![sample(&run(972, 60, 1.0, CALM)), sample(&run(973, 60, 1.0, CALM))]);
    assert_eq!(same.times(), None);
    let printed =
        of_rows("[[row]]\nid = \"A\"\nread = { iops = 9 }\n[[row]]\nid = \"B\"\nread = { iops = 90 }\n");
    assert!(printed.decisive().is_some());
    assert_eq!(printed.times(), None);
}

#[test]
fn over_loads_the_factor_is_a_range_and_counts_where_it_is_shown() {
    let matrix = |factors: [f64; 3]| {
        let mut samples = Vec::new();
        for (number, (profile, factor)) in ["oltp", "scan", "log"].into_iter().zip(factors).enumerate() {
            let seed = 980 + 2 * number as u64;
            samples.push(run_under(profile, "old", seed, 1.0));
            samples.push(run_under(profile, "new", seed + 1, factor));
        }
        several(samples, &CompareRequest::default()).over_loads.unwrap().times()
    };
    let times = matrix([0.5, 0.25, 1.5]).unwrap();
    assert_eq!((times.shown_count, times.load_count), (2, 3));
    assert!((1.8..2.2).contains(&times.least) && (3.6..4.4).contains(&times.most), "{times:?}");
    // Where none is the best under most loads, no line says that one is.
    assert_eq!(matrix([1.0, 1.0, 1.0]), None);
}
