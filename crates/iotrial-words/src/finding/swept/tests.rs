//! What is said of sweeps, with an example of each sentence, on one page: `snapshots/iotrial_words__finding__swept__tests__page.snap`.

use std::fmt::Write as _;

use iotrial_model::finding::{Evidence, FindingId};

use super::*;
use crate::finding;

/// What is said of curves.
fn of_curves() -> Vec<(FindingId, Evidence)> {
    use Evidence as E;
    use FindingId as Id;
    let drift = |to_iops| E::Drift { from_iops: 9_000.0, to_iops, seconds: 60 };
    let burst = |ended_after_s| E::Burst { burst_iops: 16_000.0, iops: 3_000.0, ended_after_s };
    let falls = |has_splits| E::FallsAgain { falls_by_percent: 50.0, has_splits };
    let rough =
        |is_around_knee, is_own_sweep| E::RoughFit { rms_percent: 18.2, is_around_knee, is_own_sweep };
    let split = |iops, iodepth, numjobs| Split { iops, iodepth, numjobs };
    let splits =
        SweptFact::SplitMatters { outstanding: 64, most: split(8_000.0, 8, 8), least: split(6_000.0, 64, 1) };
    let slow_path = SweptFact::SlowPath {
        path: "sdc".to_owned(),
        mib_per_s: 388.1,
        other: "sdb".to_owned(),
        other_mib_per_s: 774.6,
    };
    vec![
        (Id::Drift, drift(4_000.0)),
        (Id::Drift, drift(12_000.0)),
        (Id::Burst, burst(Some(21.0))),
        (Id::Burst, burst(None)),
        (Id::FallsAgain, falls(false)),
        (Id::FallsAgain, falls(true)),
        (Id::AboveCeiling, E::AboveCeiling { exceeded_by_percent: 7.4 }),
        (Id::RoughFit, rough(false, true)),
        (Id::RoughFit, rough(true, false)),
        (Id::SplitMatters, E::Swept(splits)),
        (Id::SlowPath, E::Swept(slow_path)),
    ]
}

/// Why a curve has no knee.
fn of_knees() -> Vec<(FindingId, Evidence)> {
    let knees = [
        (Some(OpenKnee::Unknown), Some(NoCurve::OneLoad)),
        (Some(OpenKnee::AtOrBelow { outstanding: 1_024.0, is_lowest: true }), Some(NoCurve::SameRate)),
        (Some(OpenKnee::AtOrBelow { outstanding: 8.0, is_lowest: false }), None),
        (Some(OpenKnee::AtOrAbove { outstanding: 256.0, is_highest: true }), Some(NoCurve::TwoLoads)),
        (Some(OpenKnee::AtOrAbove { outstanding: 64.0, is_highest: false }), None),
        (None, Some(NoCurve::SameRate)),
    ];
    let finding = |(knee, no_curve)| {
        let why = UnresolvedKnee { knee, no_curve };
        (FindingId::KneeNotResolved, Evidence::Swept(SweptFact::KneeNotResolved(why)))
    };
    knees.map(finding).into()
}

/// How a sweep ended, and what is missing in it.
fn of_the_course() -> Vec<(FindingId, Evidence)> {
    use FindingId as Id;
    let ended = |how, reason: Option<&str>| SweptFact::Ended { how, reason: reason.map(str::to_owned) };
    let stalled = |probe_count| SweptFact::StalledProbes {
        pattern: "randread-8k".parse().unwrap(),
        outstanding: 64,
        probe_count,
    };
    let reasons = [
        NoPoint::NoLoad,
        NoPoint::SeveralKinds,
        NoPoint::NoShareOfReads,
        NoPoint::NoOrder,
        NoPoint::NoBlockSize,
        NoPoint::HeldBack,
        NoPoint::NoOutstanding,
        NoPoint::NoRate,
        NoPoint::OnlyLoad,
    ];
    let left_out = |why| SweptFact::LeftOut(LeftOut { whence: "r.json, job a".to_owned(), why });
    let mut all = vec![
        (Id::Ended, ended(EndedHow::Interrupted, Some("SIGINT"))),
        (Id::Ended, ended(EndedHow::Failed, None)),
        (Id::Stalled, stalled(1)),
        (Id::Stalled, stalled(3)),
    ];
    all.extend(reasons.map(|why| (Id::LeftOut, left_out(why))));
    all.push((Id::LeftOut, SweptFact::MoreLeftOut { result_count: 12 }));
    all.into_iter().map(|(id, fact)| (id, Evidence::Swept(fact))).collect()
}

#[test]
fn every_finding_of_a_sweep_has_its_words_on_one_page() {
    let mut page = String::new();
    for (id, evidence) in [of_the_course(), of_knees(), of_curves()].concat() {
        writeln!(page, "{id}: {}", finding::says(id, &evidence)).unwrap();
    }
    insta::assert_snapshot!("page", page);
}
