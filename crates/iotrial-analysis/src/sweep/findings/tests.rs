use iotrial_model::finding::NoPoint;
use iotrial_model::rate_limit::LimitCause;

use super::*;
use crate::saturation::{Burst, Fit, Sustained};
use crate::sweep::Limit;
use crate::sweep::hand_made::{curve, point, saturation};

const fn sustained(burst: Option<Burst>, drift: Option<Drift>) -> Option<Sustained> {
    Some(Sustained { iops: 8_000.0, iops_standard_error: None, burst, drift, stalled_s: 0 })
}

const BURST: Burst = Burst { iops: 20_000.0, ended_after_s: Some(12.0) };
const DRIFT: Drift = Drift { from_iops: 9_000.0, to_iops: 7_000.0, seconds: 60 };

fn of(curve: Curve) -> Vec<Finding> {
    of_curves(&[curve], &["/data".to_owned()], true)
}

fn ids(findings: &[Finding]) -> Vec<(FindingId, Severity)> {
    findings.iter().map(|found| (found.id, found.severity)).collect()
}

#[test]
fn a_sweep_that_ended_otherwise_says_how() {
    let severity = |how| ended(&Ended { how, reason: None }).map(|found| (found.id, found.severity));
    assert_eq!(severity(EndedHow::Complete), None);
    assert_eq!(severity(EndedHow::Interrupted), Some((FindingId::Ended, Severity::Warning)));
    assert_eq!(severity(EndedHow::Failed), Some((FindingId::Ended, Severity::Serious)));
}

#[test]
fn a_rate_that_changes_under_one_load_is_a_drift_or_a_burst() {
    assert_eq!(of(curve(saturation())), []);
    let drifting = of(Curve { sustained: sustained(None, Some(DRIFT)), ..curve(saturation()) });
    assert_eq!(ids(&drifting), [(FindingId::Drift, Severity::Warning)]);
    assert_eq!(drifting[0].evidence, Evidence::Drift { from_iops: 9_000.0, to_iops: 7_000.0, seconds: 60 });
    let after_burst = of(Curve { sustained: sustained(Some(BURST), None), ..curve(saturation()) });
    assert_eq!(ids(&after_burst), [(FindingId::Burst, Severity::Warning)]);
    let evidence = Evidence::Burst { burst_iops: 20_000.0, iops: 8_000.0, ended_after_s: Some(12.0) };
    assert_eq!(after_burst[0].evidence, evidence);
    assert_eq!(of(Curve { sustained: sustained(None, None), ..curve(saturation()) }), []);
}

#[test]
fn a_rate_falls_again_by_more_than_a_tenth_unless_a_burst_or_a_drift_is_why() {
    let falling = |falls_by_percent| curve(Saturation { falls_by_percent, ..saturation() });
    assert_eq!(of(falling(10.0)), []);
    let found = of(falling(10.05));
    assert_eq!(ids(&found), [(FindingId::FallsAgain, Severity::Warning)]);
    let has_splits = |found: &Finding| match found.evidence {
        Evidence::FallsAgain { falls_by_percent, has_splits } => (falls_by_percent, has_splits),
        _ => panic!("{found:?}"),
    };
    assert_eq!(has_splits(&found[0]), (10.05, false));
    let split = |splits: [(u32, u64, u64); 2]| {
        let probes = splits.map(|(load, depth, jobs)| point(load, 10_000.0, Some((depth, jobs))));
        has_splits(&of(Curve { probes: probes.to_vec(), ..falling(30.0) })[0]).1
    };
    assert!(split([(16, 16, 1), (16, 4, 4)]));
    assert!(!split([(16, 16, 1), (16, 16, 1)]) && !split([(16, 16, 1), (32, 16, 2)]));
    let with = |sustained| ids(&of(Curve { sustained, ..falling(30.0) }));
    assert_eq!(with(sustained(Some(BURST), None)), [(FindingId::Burst, Severity::Warning)]);
    assert_eq!(with(sustained(None, Some(DRIFT))), [(FindingId::Drift, Severity::Warning)]);
    assert_eq!(with(sustained(None, None)), [(FindingId::FallsAgain, Severity::Warning)]);
}

#[test]
fn splits_of_one_load_matter_where_they_differ_by_more_than_a_tenth() {
    let of_points = |points: &[(u32, f64, u64, u64)]| {
        let probes =
            points.iter().map(|(load, iops, depth, jobs)| point(*load, *iops, Some((*depth, *jobs))));
        let found = split_matters(&Curve { probes: probes.collect(), ..curve(saturation()) })?;
        assert_eq!((found.id, found.severity), (FindingId::SplitMatters, Severity::Note));
        let Evidence::Swept(SweptFact::SplitMatters { outstanding, most, least }) = found.evidence else {
            panic!("{found:?}")
        };
        Some((outstanding, most.iops, least.iops))
    };
    assert_eq!(of_points(&[(16, 10_000.0, 16, 1), (16, 9_000.0, 4, 4)]), None);
    assert_eq!(of_points(&[(16, 10_000.0, 16, 1), (16, 8_990.0, 4, 4)]), Some((16, 10_000.0, 8_990.0)));
    // Repeats of one split differ by chance, and other loads are other loads.
    assert_eq!(of_points(&[(16, 10_000.0, 16, 1), (16, 5_000.0, 16, 1)]), None);
    assert_eq!(of_points(&[(16, 10_000.0, 16, 1), (8, 5_000.0, 4, 2)]), None);
    assert_eq!(of_points(&[(16, 10_000.0, 16, 1), (16, 0.0, 4, 4)]), None);
    // The load of which they differ most; among its splits the extremes.
    let several = [
        (8, 8_000.0, 8, 1),
        (8, 6_500.0, 4, 2),
        (16, 7_000.0, 8, 2),
        (16, 9_000.0, 16, 1),
        (16, 5_000.0, 4, 4),
        (32, 9_000.0, 32, 1),
        (32, 8_000.0, 16, 2),
    ];
    assert_eq!(of_points(&several), Some((16, 9_000.0, 5_000.0)));
    assert_eq!(split_matters(&curve(saturation())), None);
}

#[test]
fn a_load_above_the_ceiling_is_told_from_five_percent_on_where_there_is_one() {
    let above = |exceeded_by_percent, is_reached| {
        ids(&of(curve(Saturation { exceeded_by_percent, is_reached, ..saturation() })))
    };
    assert_eq!((above(5.0, true), above(30.0, false)), (Vec::new(), Vec::new()));
    assert_eq!(above(5.03, true), [(FindingId::AboveCeiling, Severity::Note)]);
}

/// How far off a curve is, and whether that is so around its knee; with what was measured at each load.
fn rough(rms_percent: f64, points: &[(u32, f64)]) -> Option<(f64, bool)> {
    let fit = saturation().fit.map(|fit| Fit { rms_percent, ..fit });
    let probes = points.iter().map(|(load, iops)| point(*load, *iops, None)).collect();
    let curve = Curve { probes, ..curve(Saturation { fit, ..saturation() }) };
    let found = rough_fit(&curve, false)?;
    assert_eq!((found.id, found.severity), (FindingId::RoughFit, Severity::Warning));
    let Evidence::RoughFit { rms_percent, is_around_knee, is_own_sweep: false } = found.evidence else {
        panic!("{found:?}")
    };
    Some((rms_percent.round(), is_around_knee))
}

#[test]
fn a_curve_is_rough_beyond_fifteen_percent_in_all_or_around_its_knee() {
    let on_it = [(4, 4_000.0), (10, 10_000.0), (25, 10_000.0)];
    assert_eq!((rough(15.0, &on_it), rough(15.1, &on_it)), (None, Some((15.0, false))));
    // A fifth above what was measured at both loads around the knee; what is far from it tells nothing.
    let around = |low: u32, high: u32| {
        let curve = |load: u32| 1_000.0 * f64::from(load.min(10));
        rough(3.0, &[(1, 1.0), (low, curve(low) / 1.2), (high, curve(high) / 1.2), (100, 1.0)])
    };
    assert_eq!(around(4, 25), Some((20.0, true)));
    assert_eq!((around(3, 25), around(4, 26)), (None, None));
    // One point alone does not tell; nor does a load that did nothing.
    assert_eq!(rough(3.0, &[(10, 5_000.0)]), None);
    assert_eq!(rough(3.0, &[(10, 5_000.0), (20, 0.0)]), None);
    assert_eq!(rough(3.0, &[(8, 8_000.0), (20, 10_000.0)]), None);
    // 0.16 and 0.12: 14 % together, or 16 and 16.
    assert_eq!(rough(3.0, &[(8, 8_000.0 / 1.16), (20, 10_000.0 / 1.12)]), None);
    assert_eq!(rough(3.0, &[(8, 8_000.0 / 1.16), (20, 10_000.0 / 0.84)]), Some((16.0, true)));
}

#[test]
fn repeats_of_a_load_are_one_point_in_their_middle_whatever_their_order() {
    let with =
        |first: [f64; 3]| rough(3.0, &[(8, first[0]), (20, 10_000.0 / 1.2), (8, first[1]), (8, first[2])]);
    let (low, middle, high) = (1_000.0, 8_000.0 / 1.2, 20_000.0);
    for order in [[low, middle, high], [high, low, middle], [middle, high, low]] {
        assert_eq!(with(order), Some((20.0, true)));
    }
}

#[test]
fn a_burst_or_a_drift_explains_points_that_are_off_the_curve() {
    let fit = saturation().fit.map(|fit| Fit { rms_percent: 40.0, ..fit });
    let rough = curve(Saturation { fit, ..saturation() });
    let with = |sustained| rough_fit(&Curve { sustained, ..rough.clone() }, true).is_some();
    assert!(with(None) && with(sustained(None, None)));
    assert!(!with(sustained(Some(BURST), None)) && !with(sustained(None, Some(DRIFT))));
}

#[test]
fn a_knee_that_is_only_bounded_and_a_curve_that_is_none_are_told_with_their_reasons() {
    let of = |bound: Option<KneeBound>, outstanding: f64, loads: &[u32], has_fit: bool| {
        let mut found = Saturation { knee_bound: bound, ..saturation() };
        found.knee.outstanding = outstanding;
        found.fit = found.fit.filter(|_| has_fit);
        let probes = loads.iter().map(|load| point(*load, 1_000.0, None)).collect();
        unresolved_knee(&Curve { probes, ..curve(found.clone()) }, &found).map(|why| (why.knee, why.no_curve))
    };
    let loads = [16, 4, 4, 8];
    assert_eq!(of(None, 8.0, &loads, true), None);
    assert_eq!(of(Some(KneeBound::Unknown), 8.0, &loads, true), Some((Some(OpenKnee::Unknown), None)));
    let below = |outstanding, is_lowest| Some((Some(OpenKnee::AtOrBelow { outstanding, is_lowest }), None));
    let above = |outstanding, is_highest| Some((Some(OpenKnee::AtOrAbove { outstanding, is_highest }), None));
    assert_eq!(of(Some(KneeBound::AtOrBelow), 4.0, &loads, true), below(4.0, true));
    assert_eq!(of(Some(KneeBound::AtOrBelow), 4.4, &loads, true), below(4.0, false));
    assert_eq!(of(Some(KneeBound::AtOrAbove), 16.0, &loads, true), above(16.0, true));
    assert_eq!(of(Some(KneeBound::AtOrAbove), 15.6, &loads, true), above(16.0, false));
    // How many loads there were, each counted once.
    assert_eq!(of(None, 8.0, &[4, 4], false), Some((None, Some(NoCurve::OneLoad))));
    assert_eq!(of(None, 8.0, &[8, 4, 8], false), Some((None, Some(NoCurve::TwoLoads))));
    assert_eq!(of(None, 8.0, &loads, false), Some((None, Some(NoCurve::SameRate))));
}

#[test]
fn what_holds_of_several_curves_is_told_once_with_their_places() {
    let bounded = |volume: usize, outstanding: f64| {
        let mut found = Saturation { knee_bound: Some(KneeBound::AtOrAbove), ..saturation() };
        found.knee.outstanding = outstanding;
        Curve { volume, ..curve(found) }
    };
    let volumes = ["/a".to_owned(), "/b".to_owned()];
    let all = of_curves(&[bounded(0, 60.0), bounded(1, 60.0), bounded(1, 40.0)], &volumes, true);
    let places = |found: &Finding| match &found.place {
        Some(Place::Curves(places)) => {
            places.iter().map(|one| one.volume.clone().unwrap()).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let unresolved = (FindingId::KneeNotResolved, Severity::Warning);
    assert_eq!(ids(&all), [unresolved, unresolved]);
    assert_eq!(all.iter().map(places).collect::<Vec<_>>(), [vec!["/a", "/b"], vec!["/b"]]);
    // Of the only volume its name says nothing.
    let alone = of(bounded(0, 60.0));
    let Some(Place::Curves(places)) = &alone[0].place else { panic!("{alone:?}") };
    assert_eq!(places[0].volume, None);
}

#[test]
fn twenty_results_without_a_point_are_named_and_the_others_are_counted() {
    let one = LeftOut { whence: "a.json".to_owned(), why: NoPoint::NoLoad };
    let found = |count: usize| of_left_out(&vec![one.clone(); count]);
    assert_eq!((found(0).len(), found(1).len(), found(20).len()), (0, 1, 20));
    let many = found(23);
    assert!(many.iter().all(|found| (found.id, found.severity) == (FindingId::LeftOut, Severity::Note)));
    assert_eq!(many.len(), 21);
    assert_eq!(many[20].evidence, Evidence::Swept(SweptFact::MoreLeftOut { result_count: 3 }));
}

#[test]
fn of_probes_what_is_told_is_said_once_with_how_many_have_it() {
    let probe = |purpose, volumes: &[usize], outstanding| ProbeRecord {
        pattern: "randread-8k".parse().unwrap(),
        outstanding,
        volumes: volumes.to_vec(),
        purpose,
        measured: std::time::Duration::from_secs(10),
        counts: Vec::new(),
        course: Vec::new(),
        driving_threads: None,
        cpu: None,
        devices: Vec::new(),
        findings: Vec::new(),
    };
    let long = [4, 8].map(|outstanding| probe(ProbePurpose::Sustained, &[0, 1], outstanding));
    let short = probe(ProbePurpose::Search, &[0], 2);
    let one = |id, severity| Finding::without_evidence(id, severity, String::new());
    let seen = |probe, findings: Vec<Finding>| SeenProbe { probe, figures: point(1, 1.0, None), findings };
    let told = |limits: [Option<LimitKind>; 2], findings: Vec<Finding>| {
        let limit = |kind| Limit::new(kind, LimitCause::OneLoad { outstanding: 1.0 });
        let curves =
            [0, 1].map(|volume| Curve { volume, limit: limits[volume].map(limit), ..curve(saturation()) });
        let probes =
            [seen(&short, findings.clone()), seen(&long[0], findings.clone()), seen(&long[1], findings)];
        let place = |found: &Finding| match found.place {
            Some(Place::Probe { outstanding, other_count, .. }) => (found.id, outstanding, other_count),
            _ => panic!("{found:?}"),
        };
        of_probes(&probes, &curves).iter().map(place).collect::<Vec<_>>()
    };
    let none = [None, None];
    let warning = |id| vec![one(id, Severity::Warning)];
    // A short one tells only what is serious.
    assert_eq!(told(none, warning(FindingId::ForeignLoad)), [(FindingId::ForeignLoad, 4, 1)]);
    let serious = vec![one(FindingId::IoErrors, Severity::Serious)];
    assert_eq!(told(none, serious), [(FindingId::IoErrors, 2, 2)]);
    assert_eq!(told(none, warning(FindingId::ShortRun)), []);
    // Merges are not said of what a limit on bytes holds on every volume.
    let merged = || told(none, warning(FindingId::MergedIo));
    assert_eq!(merged(), [(FindingId::MergedIo, 4, 1)]);
    let (bytes, ios) = (Some(LimitKind::BandwidthCap), Some(LimitKind::IopsCap));
    assert_eq!(told([bytes, bytes], warning(FindingId::MergedIo)), []);
    assert_eq!(told([bytes, bytes], warning(FindingId::ForeignLoad)).len(), 1);
    for limits in [[bytes, ios], [ios, bytes], [bytes, None]] {
        assert_eq!(told(limits, warning(FindingId::MergedIo)).len(), 1);
    }
}

#[test]
fn a_path_that_carries_clearly_less_than_another_path_to_its_disk_is_named() {
    let path = |name: &str, serial: &str| TargetRecord {
        devices: vec![BlockDevice {
            name: name.to_owned(),
            serial: Some(serial.to_owned()),
            ..BlockDevice::default()
        }],
        ..TargetRecord::default()
    };
    let volumes = ["/dev/sdb", "/dev/sdc", "/dev/sdd"].map(str::to_owned);
    // Of each path what it carries, and half of the width of the interval of that.
    let slow = |serials: [&str; 3], rates: [(f64, f64); 3]| {
        let targets = [("sdb", serials[0]), ("sdc", serials[1]), ("sdd", serials[2])];
        let targets = targets.map(|(name, serial)| path(name, serial));
        let carries = |(volume, (ceiling_iops, half)): (usize, (f64, f64))| {
            let ceiling_confidence = Some(Confidence { low: ceiling_iops - half, high: ceiling_iops + half });
            Curve { volume, ..curve(Saturation { ceiling_iops, ceiling_confidence, ..saturation() }) }
        };
        let curves: Vec<Curve> = rates.into_iter().enumerate().map(carries).collect();
        slow_paths(&targets, &curves, &volumes)
    };
    let one_disk = ["naa.6000"; 3];
    let found = slow(one_disk, [(6_000.0, 10.0), (3_000.0, 10.0), (5_900.0, 10.0)]);
    assert_eq!(ids(&found), [(FindingId::SlowPath, Severity::Warning)]);
    let Evidence::Swept(SweptFact::SlowPath { path, other, .. }) = &found[0].evidence else {
        panic!("{found:?}")
    };
    assert_eq!((path.as_str(), other.as_str()), ("sdc", "sdb"));
    // Some percent, an interval that leaves it open, other disks, and devices that share a serial number.
    assert_eq!(slow(one_disk, [(6_000.0, 10.0), (4_900.0, 10.0), (6_000.0, 10.0)]), []);
    assert_eq!(slow(one_disk, [(6_000.0, 900.0), (4_500.0, 900.0), (6_000.0, 900.0)]), []);
    let halved = [(6_000.0, 10.0), (3_000.0, 10.0), (6_000.0, 10.0)];
    assert_eq!(slow(["naa.1", "naa.2", "naa.1"], halved), []);
    assert_eq!(slow(["S6CK"; 3], halved), []);
}
