use iotrial_model::finding::{ConditionKind, Evidence};
use iotrial_model::priority::Priority;
use iotrial_model::sweep::{ProbePurpose, SweepMethod};

use super::*;
use crate::comparison::GateResult;
use crate::sweep::tests::{alone, probe, record};

/// A sweep of a volume that serves `servers` I/Os at once in a millisecond each.
fn sweep(id: &str, label: &str, servers: u32) -> SweepSample {
    let record = SweepRecord {
        id: id.to_owned(),
        label: Some(label.to_owned()),
        ..record(1, alone("randread-8k", 0, servers))
    };
    SweepSample { source: format!("{id}.json"), record }
}

fn with_baseline(name: &str) -> CompareRequest {
    CompareRequest { baseline: Some(name.to_owned()), ..CompareRequest::default() }
}

fn compare(samples: Vec<SweepSample>, request: &CompareRequest) -> SweepComparison {
    SweepComparison::new(samples, request).unwrap()
}

/// The figure of the only curve, of the sweep with this key.
fn cell(comparison: &SweepComparison, figure: SweepFigure, key: &str) -> FigureCell {
    let found = comparison.curves[0].figures.iter().find(|one| one.figure == figure).unwrap();
    found.cells.iter().find(|cell| cell.sweep == key).unwrap().clone()
}

fn is_about(value: f64, expected: f64) -> bool {
    (value / expected - 1.0).abs() < 0.02
}

#[test]
fn twice_the_servers_are_twice_the_ceiling_and_half_of_it_the_other_way_round() {
    let samples = || vec![sweep("1", "small", 4), sweep("2", "large", 8)];
    let up = compare(samples(), &CompareRequest::default());
    let (small, large) = (cell(&up, SweepFigure::Ceiling, "A"), cell(&up, SweepFigure::Ceiling, "B"));
    let value = |cell: &FigureCell| cell.value.exact().unwrap();
    assert!(is_about(value(&small), 4_000.0) && is_about(value(&large), 8_000.0));
    assert_eq!((up.baseline.as_str(), up.is_better, &small.delta), ("A", Some(true), &None));
    let rise = large.delta.unwrap();
    assert!(is_about(rise.percent, 100.0) && rise.reading.is_better(), "{rise:?}");
    let interval = rise.interval.unwrap();
    assert!(interval.low_percent < rise.percent && rise.percent < interval.high_percent);
    // Half of an interval is at least what two measurements of one load differ by.
    assert!(interval.high_percent - interval.low_percent > 200.0 * 2.0 * BETWEEN_SWEEPS * 0.99);
    let down = compare(samples(), &with_baseline("large"));
    let fall = cell(&down, SweepFigure::Ceiling, "A").delta.unwrap();
    assert_eq!((down.baseline.as_str(), down.is_better), ("B", Some(false)));
    assert!(is_about(fall.percent, -50.0) && fall.reading.is_worse(), "{fall:?}");
    let [changes] = down.ceilings.as_slice() else { panic!("{:?}", down.ceilings) };
    assert_eq!((changes.changed.len(), changes.same.len(), changes.unknown.len()), (1, 0, 0));
    assert_eq!((changes.sweep.as_str(), changes.baseline.as_str()), ("A (small)", "B (large)"));
    let same = compare(vec![sweep("1", "a", 4), sweep("2", "b", 4)], &CompareRequest::default());
    assert_eq!(cell(&same, SweepFigure::Ceiling, "B").delta.unwrap().reading, Reading::NoDifference);
    assert_eq!((same.is_better, same.ceilings[0].same.len()), (None, 1));
}

#[test]
fn a_load_that_each_measured_twice_has_an_interval_and_one_that_was_measured_once_is_not_judged() {
    let twice = |id: &str, servers: u32, rates: [u64; 2]| {
        let mut one = sweep(id, id, servers);
        one.record.probes.retain(|probe| probe.outstanding != 16);
        let again = rates.map(|iops| probe("randread-8k", &[0], 16, ProbePurpose::Search, iops));
        one.record.probes.extend(again);
        one
    };
    let check = |other: [u64; 2], expected: &[Reading]| {
        let samples = vec![twice("a", 4, [3_960, 4_040]), twice("b", 8, other)];
        let compared = compare(samples, &CompareRequest::default());
        let load = compared.curves[0].loads.iter().find(|load| load.outstanding == 16).unwrap();
        let [from, to] = load.cells.as_slice() else { panic!("{load:?}") };
        assert!(from.iops_change.is_none() && to.probe_count == 2);
        let change = to.iops_change.as_ref().unwrap();
        // Both probes ran for ten seconds, so that their rate together is the mean.
        let mean = (other[0] + other[1]) as f64 / 2.0;
        assert!((change.from - 4_000.0).abs() < 1e-6 && (change.to - mean).abs() < 1e-6, "{change:?}");
        assert!(expected.contains(&change.reading), "{change:?}");
        let latency = to.latency_change.as_ref().unwrap();
        assert_eq!(latency.reading.is_better(), change.reading.is_better());
        change.interval.unwrap()
    };
    let wide = check([7_920, 8_080], &[Reading::Better, Reading::MuchBetter]);
    check([4_010, 3_990], &[Reading::NoDifference]);
    check([1_990, 2_010], &[Reading::Worse, Reading::MuchWorse]);
    check([2_000, 8_000], &[Reading::TooFew]);
    // Of ±1 % twice on each side, with two degrees of freedom: the error of each mean is 1 %, and Student's limit is 4.30.
    let reach = ((1.0 + wide.high_percent / 100.0) / (1.0 + wide.low_percent / 100.0)).ln() / 2.0;
    assert!(is_about(reach, 4.303 * 0.01 * std::f64::consts::SQRT_2), "{reach}");
    let once = compare(vec![sweep("1", "a", 4), sweep("2", "b", 8)], &CompareRequest::default());
    let changes = once.curves[0].loads.iter().filter_map(|load| load.cells[1].iops_change.as_ref());
    assert_eq!(changes.map(|change| change.reading).collect::<Vec<_>>(), [Reading::NoInterval; 5]);
}

/// Two tests of 8 KiB writes and one of reads, each made once: no curve, and no ceiling.
fn series(id: &str, rates: [u64; 3]) -> SweepSample {
    let test = |pattern: &str, outstanding, iops| {
        let mut probe = probe(pattern, &[0], outstanding, ProbePurpose::Grid, iops);
        let course = probe.course.clone();
        probe.course = course.into_iter().cycle().take(10).collect();
        probe
    };
    let probes =
        vec![test("write-8k", 1, rates[0]), test("write-8k", 8, rates[1]), test("randread-8k", 32, rates[2])];
    let mut record = SweepRecord { id: id.to_owned(), label: Some(id.to_owned()), ..record(1, probes) };
    record.settings.method = SweepMethod::Sqlio;
    SweepSample { source: format!("{id}.json"), record }
}

#[test]
fn a_series_is_compared_by_the_seconds_of_its_tests() {
    let of = |rates: [u64; 3]| {
        let samples = vec![series("then", [1_000, 5_000, 20_000]), series("now", rates)];
        let compared = compare(samples, &CompareRequest::default());
        let [changes] = compared.ceilings.as_slice() else { panic!("{:?}", compared.ceilings) };
        assert!(changes.is_of_loads);
        (changes.changed.len(), changes.same.len(), changes.unknown.len(), compared.is_better)
    };
    assert_eq!(of([2_000, 10_000, 40_000]), (2, 0, 0, Some(true)));
    assert_eq!(of([500, 2_500, 10_000]), (2, 0, 0, Some(false)));
    assert_eq!(of([1_000, 5_000, 20_000]), (0, 2, 0, None));
    // The same device on another day, within 1 %.
    assert_eq!(of([1_005, 4_980, 20_100]), (0, 2, 0, None));
    assert_eq!(of([1_000, 5_000, 10_000]), (1, 1, 0, Some(false)));
    // Of two tests of one pattern only one became faster.
    assert_eq!(of([1_000, 10_000, 20_000]), (1, 1, 0, Some(true)));
}

#[test]
fn sweeps_under_other_conditions_are_refused_and_compared_by_force_only() {
    let differing = |change: &dyn Fn(&mut SweepRecord), force: bool| {
        let mut other = sweep("2", "b", 4);
        change(&mut other.record);
        let request = CompareRequest { force, ..CompareRequest::default() };
        match SweepComparison::new(vec![sweep("1", "a", 4), other], &request) {
            Err(CompareError::Incomparable(both)) => both.differences.iter().map(|one| one.what).collect(),
            Ok(compared) => {
                let is_forced = compared.findings.iter().any(|one| one.id == FindingId::Forced);
                assert_eq!(is_forced, force);
                Vec::new()
            }
            Err(error) => panic!("{error}"),
        }
    };
    let check = |change: &dyn Fn(&mut SweepRecord), expected: ConditionKind| {
        assert_eq!(differing(change, false), [expected]);
        assert!(differing(change, true).is_empty());
    };
    check(&|one| one.settings.direct = false, ConditionKind::Io);
    check(&|one| one.settings.method = SweepMethod::Sqlio, ConditionKind::Sweep);
    check(&|one| one.tool.method_version = 2, ConditionKind::Method);
    check(&|one| one.settings.engine = iotrial_model::plan::EngineKind::Null, ConditionKind::Device);
    let with_size = |percent: u64| {
        move |one: &mut SweepRecord| {
            let bytes = one.settings.sizes[0].get() / 100 * percent;
            one.settings.sizes = vec![iotrial_model::units::ByteSize::bytes(bytes)];
        }
    };
    check(&with_size(106), ConditionKind::VolumeData);
    check(&with_size(94), ConditionKind::VolumeData);
    assert!(differing(&with_size(104), false).is_empty());
    // A grid measures its loads as a search does.
    assert!(differing(&|one| one.settings.method = SweepMethod::Grid, false).is_empty());
}

#[test]
fn another_priority_of_a_sweep_is_told_and_no_reason_to_refuse() {
    let told = |priority| {
        let mut other = sweep("2", "b", 4);
        other.record.settings.priority = priority;
        let request = CompareRequest::default();
        let compared = SweepComparison::new(vec![sweep("1", "a", 4), other], &request).unwrap();
        compared.findings.iter().any(|one| one.id == FindingId::GeneratorDiffers)
    };
    assert_eq!([Priority::Normal, Priority::High].map(told), [false, true]);
}

#[test]
fn a_sweep_is_named_by_its_label_before_its_key_and_counts_once() {
    let samples = || vec![sweep("x", "B", 4), sweep("y", "other", 8), sweep("x", "again", 16)];
    // The key of the second one is the label of the first.
    for (name, expected) in [("B", "A"), ("A", "A"), ("other", "B"), ("y", "B")] {
        let compared = compare(samples(), &with_baseline(name));
        assert_eq!((compared.baseline.as_str(), compared.sweeps.len()), (expected, 2), "{name}");
        let twice = compared.findings.iter().find(|one| one.id == FindingId::GivenTwice).unwrap();
        let fact = ComparedFact::SweepTwice { id: "x".to_owned() };
        assert_eq!(twice.evidence, Evidence::Compared(fact));
    }
    match SweepComparison::new(samples(), &with_baseline("othe")) {
        Err(CompareError::UnknownBaseline { nearest, .. }) => assert_eq!(nearest.as_deref(), Some("other")),
        other => panic!("{other:?}"),
    }
    let alone = SweepComparison::new(vec![sweep("x", "a", 4), sweep("x", "a", 4)], &with_baseline("a"));
    assert_eq!(alone.unwrap_err(), CompareError::OnlyOneSweep);
}

#[test]
fn a_gate_on_a_curve_is_held_against_every_sweep_but_the_baseline() {
    let outcomes = |gate: &str, baseline: &str| {
        let gates = vec![gate.parse().unwrap()];
        let request = CompareRequest { gates, ..with_baseline(baseline) };
        let samples = vec![sweep("1", "small", 4), sweep("2", "large", 8), sweep("3", "larger", 16)];
        let gates = compare(samples, &request).gates;
        gates.into_iter().map(|one| (one.configuration, one.outcome)).collect::<Vec<_>>()
    };
    let all = |gate: &str, baseline: &str, expected: [(&str, GateResult); 2]| {
        assert_eq!(outcomes(gate, baseline), expected.map(|(key, outcome)| (key.to_owned(), outcome)));
    };
    let (kept, missed) = (GateResult::Kept, GateResult::Missed);
    all("ceiling >= +50%", "small", [("B", kept), ("C", kept)]);
    all("ceiling >= +200%", "small", [("B", missed), ("C", kept)]);
    all("randread-8k.ceiling >= -20%", "large", [("A", missed), ("C", kept)]);
    all("ceiling < 12000iops", "small", [("B", kept), ("C", missed)]);
}
