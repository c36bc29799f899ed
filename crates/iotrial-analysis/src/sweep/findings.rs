//! What the reader should know about a sweep: how it ended, what is odd about its probes, and about its curves.

use std::collections::BTreeMap;

use iotrial_model::finding::{
    CurvePlace, Evidence, Finding, FindingId, LeftOut, NoCurve, OpenKnee, Place, Severity, Split, SweptFact,
    UnresolvedKnee,
};
use iotrial_model::record::{BlockDevice, Ended, EndedHow, TargetRecord};
use iotrial_model::sweep::{ProbePurpose, ProbeRecord};

use super::{Curve, LimitKind, SeenProbe, stood_still};
use crate::saturation::{Confidence, Drift, KneeBound, Saturation};

/// Findings that a sweep tells in another way, or that its short probes always have.
const TOLD_ELSEWHERE: [FindingId; 6] = [
    FindingId::ArrayCache,
    FindingId::ShortRun,
    FindingId::FlatIopsLimit,
    FindingId::FlatBandwidthLimit,
    FindingId::ThrottledAfterBurst,
    FindingId::SharedDisk,
];

/// A rate that falls by less than this from its highest may do so by chance: short probes differ by some percent.
const MOST_FALL_PERCENT: f64 = 10.0;

/// A load may lie so far above the ceiling by chance, as ceilings of two block sizes that are the same may lie apart.
const MOST_ABOVE_PERCENT: f64 = super::limit::SAME_PERCENT;

/// A curve that lies further from its points does not describe them: the models that are fitted come within a few percent of
/// what chance leaves (`docs/sweep.md`).
const ROUGH_FIT_PERCENT: f64 = 15.0;

/// A path to a disk that carries less than this share of another one is slow.
// A choice: paths of one disk differ by some percent, and one that has lost a lane or fell back to a lower speed carries half.
const LEAST_PATH_SHARE: f64 = 0.8;

/// So many results that are no points of curves are named; of thousands in a wrong folder the first ones say enough.
const MOST_LEFT_OUT: usize = 20;

/// The sweep did not end as planned.
pub(super) fn ended(ended: &Ended) -> Option<Finding> {
    let severity = match ended.how {
        EndedHow::Complete => return None,
        EndedHow::Interrupted => Severity::Warning,
        EndedHow::Failed => Severity::Serious,
    };
    let fact = SweptFact::Ended { how: ended.how, reason: ended.reason.clone() };
    Some(Finding::new(FindingId::Ended, severity, Evidence::Swept(fact)))
}

/// The findings of the long probes, and the serious ones of all, each once with the first probe that had it.
///
/// That I/Os were merged is not said of what a limit on bytes holds, as of a run.
pub(super) fn of_probes(probes: &[SeenProbe<'_>], curves: &[Curve]) -> Vec<Finding> {
    let is_held_by_bytes = |seen: &SeenProbe<'_>| {
        seen.probe.volumes.iter().all(|volume| {
            let of_probe = |curve: &&Curve| (curve.pattern, curve.volume) == (seen.probe.pattern, *volume);
            let limit = curves.iter().find(of_probe).and_then(|curve| curve.limit.as_ref());
            limit.is_some_and(|limit| limit.kind == LimitKind::BandwidthCap)
        })
    };
    // By name, which is the order in which they are listed.
    let mut first: BTreeMap<&str, (&SeenProbe<'_>, &Finding, usize)> = BTreeMap::new();
    for seen in probes {
        let counts = |finding: &&Finding| {
            !TOLD_ELSEWHERE.contains(&finding.id)
                && (seen.probe.purpose != ProbePurpose::Search || finding.severity == Severity::Serious)
                && !(finding.id == FindingId::MergedIo && is_held_by_bytes(seen))
        };
        for finding in seen.findings.iter().filter(counts) {
            first.entry(finding.id.as_str()).or_insert((seen, finding, 0)).2 += 1;
        }
    }
    let of_probe = |(seen, finding, count): (&SeenProbe<'_>, &Finding, usize)| {
        let ProbeRecord { pattern, outstanding, .. } = *seen.probe;
        finding.clone().placed(Place::Probe { pattern, outstanding, other_count: count - 1 })
    };
    first.into_values().map(of_probe).collect()
}

/// Short probes in which the device stood still, which are points of no curve. A long one with a standstill tells of it by itself.
///
/// Where the generator was short of CPU, or did not run, an I/O may have waited for that, and the device is not accused.
pub(super) fn stalled_probes(probes: &[SeenProbe<'_>]) -> Option<Finding> {
    let of_the_host = [FindingId::GeneratorBusy, FindingId::Paused, FindingId::LateIssues];
    let is_of_the_host =
        |seen: &SeenProbe<'_>| seen.findings.iter().any(|finding| of_the_host.contains(&finding.id));
    let stalled = probes.iter().filter(|seen| stood_still(seen.probe) && !is_of_the_host(seen));
    let stalled: Vec<&SeenProbe<'_>> = stalled.collect();
    let first = stalled.first()?.probe;
    let fact = SweptFact::StalledProbes {
        pattern: first.pattern,
        outstanding: first.outstanding,
        probe_count: stalled.len(),
    };
    Some(Finding::new(FindingId::Stalled, Severity::Warning, Evidence::Swept(fact)))
}

/// What is odd about curves: first what holds of several of them, told once, and then each by itself. `is_own_sweep` says whether
/// iotrial measured them.
pub(super) fn of_curves(curves: &[Curve], volumes: &[String], is_own_sweep: bool) -> Vec<Finding> {
    let place = |curve: &Curve| CurvePlace {
        pattern: curve.pattern,
        volume: volumes.get(curve.volume).filter(|_| volumes.len() > 1).cloned(),
    };
    let mut unresolved: Vec<(UnresolvedKnee, Vec<CurvePlace>)> = Vec::new();
    for curve in curves {
        let Some(why) = curve.saturation.as_ref().and_then(|found| unresolved_knee(curve, found)) else {
            continue;
        };
        match unresolved.iter_mut().find(|(known, _)| *known == why) {
            Some((_, places)) => places.push(place(curve)),
            None => unresolved.push((why, vec![place(curve)])),
        }
    }
    let unresolved = unresolved.into_iter().map(|(why, places)| {
        let evidence = Evidence::Swept(SweptFact::KneeNotResolved(why));
        Finding::new(FindingId::KneeNotResolved, Severity::Warning, evidence).placed(Place::Curves(places))
    });
    let each = curves.iter().flat_map(|curve| {
        let found = [
            drift(curve),
            burst(curve),
            falls_again(curve),
            split_matters(curve),
            above_ceiling(curve),
            rough_fit(curve, is_own_sweep),
        ];
        let here = |finding: Finding| finding.placed(Place::Curves(vec![place(curve)]));
        found.into_iter().flatten().map(here).collect::<Vec<_>>()
    });
    unresolved.chain(each).collect()
}

/// The rate goes on changing under one load, so that no ceiling lasts.
fn drift(curve: &Curve) -> Option<Finding> {
    let Drift { from_iops, to_iops, seconds } = curve.sustained?.drift?;
    let evidence = Evidence::Drift { from_iops, to_iops, seconds: seconds as u64 };
    Some(Finding::new(FindingId::Drift, Severity::Warning, evidence))
}

/// The rate of a short probe does not last.
fn burst(curve: &Curve) -> Option<Finding> {
    let rate = curve.sustained?;
    let burst = rate.burst?;
    let evidence =
        Evidence::Burst { burst_iops: burst.iops, iops: rate.iops, ended_after_s: burst.ended_after_s };
    Some(Finding::new(FindingId::Burst, Severity::Warning, evidence))
}

/// Too many outstanding I/Os cost throughput. After a burst, or on a device that becomes slower, the rate falls as well, for another reason.
fn falls_again(curve: &Curve) -> Option<Finding> {
    let falls_by_percent = curve.saturation.as_ref()?.falls_by_percent;
    let is_burst = curve.sustained.is_some_and(|rate| rate.burst.is_some() || rate.drift.is_some());
    (falls_by_percent > MOST_FALL_PERCENT && !is_burst).then(|| {
        let evidence = Evidence::FallsAgain { falls_by_percent, has_splits: has_splits(curve) };
        Finding::new(FindingId::FallsAgain, Severity::Warning, evidence)
    })
}

/// Whether the same outstanding I/Os come as several splits into depth and jobs.
fn has_splits(curve: &Curve) -> bool {
    let splits = || curve.probes.iter().filter_map(|probe| Some((probe.outstanding, probe.numjobs?)));
    splits().any(|(load, jobs)| splits().any(|(other, more)| other == load && more != jobs))
}

/// Of one load, the splits into depth and jobs that differ most. A curve over the load alone takes the mean of them.
fn split_matters(curve: &Curve) -> Option<Finding> {
    let mut by_load: BTreeMap<u32, Vec<Split>> = BTreeMap::new();
    for probe in &curve.probes {
        if let (Some(iops), Some(iodepth), Some(numjobs)) = (probe.figures.iops, probe.iodepth, probe.numjobs)
        {
            by_load.entry(probe.outstanding).or_default().push(Split { iops, iodepth, numjobs });
        }
    }
    let extremes = by_load.into_iter().filter_map(|(load, mut all)| {
        all.sort_by(|a, b| a.iops.total_cmp(&b.iops));
        let (least, most) = (*all.first()?, *all.last()?);
        // Repeats of one split differ by chance.
        let differ = (least.iodepth, least.numjobs) != (most.iodepth, most.numjobs);
        (differ && least.iops > 0.0).then_some((load, least, most, most.iops / least.iops))
    });
    let (outstanding, least, most, _) = extremes.max_by(|a, b| a.3.total_cmp(&b.3))?;
    (least.less_percent(&most) > MOST_FALL_PERCENT).then(|| {
        let fact = SweptFact::SplitMatters { outstanding, most, least };
        Finding::new(FindingId::SplitMatters, Severity::Note, Evidence::Swept(fact))
    })
}

/// One load did more than the ceiling of the curve through all of them.
fn above_ceiling(curve: &Curve) -> Option<Finding> {
    let found = curve.saturation.as_ref()?;
    let exceeded_by_percent = found.exceeded_by_percent;
    // Without a ceiling, as of a device that becomes slower, nothing is above it.
    let is_above = found.is_reached && exceeded_by_percent > MOST_ABOVE_PERCENT;
    let evidence = Evidence::AboveCeiling { exceeded_by_percent };
    is_above.then(|| Finding::new(FindingId::AboveCeiling, Severity::Note, evidence))
}

/// The fitted curve does not describe its points. A burst is no load on any curve, and is told as what it is.
fn rough_fit(curve: &Curve, is_own_sweep: bool) -> Option<Finding> {
    let found = curve.saturation.as_ref()?;
    let all_percent = found.fit.as_ref()?.rms_percent;
    // Most points of a grid lie on the flat part, where every curve fits; the knee is told by those around it.
    let near_percent = off_near_the_knee(curve, found).unwrap_or_default();
    let is_around_knee = near_percent > all_percent;
    let rms_percent = if is_around_knee { near_percent } else { all_percent };
    let is_explained = curve.sustained.is_some_and(|rate| rate.burst.is_some() || rate.drift.is_some());
    let evidence = Evidence::RoughFit { rms_percent, is_around_knee, is_own_sweep };
    let is_rough = rms_percent > ROUGH_FIT_PERCENT && !is_explained;
    is_rough.then(|| Finding::new(FindingId::RoughFit, Severity::Warning, evidence))
}

/// Loads up to this many times the knee, and down to this part of it, tell where it is.
const NEAR_THE_KNEE: f64 = 2.5;

/// Root of the mean squared relative distance of the loads around the knee from the curve, in percent; `None` with fewer than two. A
/// load that was measured several times is one point, in the middle of them: its repeats differ by chance, or by what the load does not
/// say.
fn off_near_the_knee(curve: &Curve, found: &Saturation) -> Option<f64> {
    let model = &found.fit.as_ref()?.model;
    let knee = found.knee.outstanding;
    let is_near = |load: f64| load <= knee * NEAR_THE_KNEE && load >= knee / NEAR_THE_KNEE;
    let mut loads: Vec<u32> = curve.probes.iter().map(|probe| probe.outstanding).collect();
    loads.sort_unstable();
    loads.dedup();
    let off = |load: &u32| {
        let of_load = curve.probes.iter().filter(|probe| probe.outstanding == *load);
        let mut rates: Vec<f64> = of_load.filter_map(|probe| probe.figures.iops).collect();
        rates.sort_by(f64::total_cmp);
        let measured = rates.get(rates.len().checked_sub(1)? / 2)?;
        (*measured > 0.0).then(|| (model.iops(f64::from(*load)) / measured - 1.0).powi(2))
    };
    let squares: Vec<f64> = loads.iter().filter(|load| is_near(f64::from(**load))).filter_map(off).collect();
    (squares.len() > 1).then(|| 100.0 * (squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
}

/// Paths to a disk that carry less than another path to it, for curves of the way to the storage: on others the path that is measured
/// first would find the cache of an array empty.
pub(super) fn slow_paths(targets: &[TargetRecord], curves: &[Curve], volumes: &[String]) -> Vec<Finding> {
    let path = |volume: usize| targets.get(volume).and_then(path_to_disk);
    let slow = |volume: usize| {
        let mine = path(volume)?;
        let is_other = |other: &BlockDevice| other.name != mine.name && other.serial == mine.serial;
        let (mut places, mut slowest) = (Vec::new(), None);
        for curve in curves.iter().filter(|curve| curve.volume == volume) {
            let others = curves.iter().filter(|other| other.pattern == curve.pattern);
            let others = others.filter_map(|other| {
                Some((path(other.volume).filter(|path| is_other(path))?, ceiling(other)?))
            });
            let fastest = others.max_by(|a, b| a.1.0.ceiling_iops.total_cmp(&b.1.0.ceiling_iops));
            let Some((other, (fast, fast_within))) = fastest else { continue };
            let Some((found, within)) = ceiling(curve) else { continue };
            let share = found.ceiling_iops / fast.ceiling_iops;
            if share >= LEAST_PATH_SHARE || within.high >= fast_within.low {
                continue;
            }
            places.push(CurvePlace { pattern: curve.pattern, volume: volumes.get(volume).cloned() });
            if slowest.as_ref().is_none_or(|(least, _)| share < *least) {
                let fact = SweptFact::SlowPath {
                    path: mine.name.clone(),
                    mib_per_s: found.ceiling_mib_per_s,
                    other: other.name.clone(),
                    other_mib_per_s: fast.ceiling_mib_per_s,
                };
                slowest = Some((share, fact));
            }
        }
        let (_, fact) = slowest?;
        let finding = Finding::new(FindingId::SlowPath, Severity::Warning, Evidence::Swept(fact));
        Some(finding.placed(Place::Curves(places)))
    };
    (0..targets.len()).filter_map(slow).collect()
}

/// The device of a target that is one path to a disk, if it is known by a world-wide name, which all paths to a disk have in common.
// A serial number would not do: namespaces of an NVMe controller share one.
fn path_to_disk(target: &TargetRecord) -> Option<&BlockDevice> {
    let [device] = target.devices.as_slice() else { return None };
    let is_world_wide = |name: &String| ["naa.", "eui.", "t10."].iter().any(|kind| name.starts_with(kind));
    device.serial.as_ref().is_some_and(is_world_wide).then_some(device)
}

/// A ceiling that was reached, and how far it could lie elsewhere.
fn ceiling(curve: &Curve) -> Option<(&Saturation, Confidence)> {
    let found = curve.saturation.as_ref().filter(|found| found.is_reached)?;
    let itself = Confidence { low: found.ceiling_iops, high: found.ceiling_iops };
    Some((found, found.ceiling_confidence.unwrap_or(itself)))
}

/// Why there is no knee, or no curve; `None` where there are both.
fn unresolved_knee(curve: &Curve, found: &Saturation) -> Option<UnresolvedKnee> {
    let mut loads: Vec<u32> = curve.probes.iter().map(|one| one.outstanding).collect();
    loads.sort_unstable();
    loads.dedup();
    // Whole I/Os, so that curves of which the same is said are one finding.
    let outstanding = found.knee.outstanding.round();
    let knee = match found.knee_bound {
        None => None,
        Some(KneeBound::Unknown) => Some(OpenKnee::Unknown),
        Some(KneeBound::AtOrBelow) => {
            let is_lowest = f64::from(*loads.first()?) >= found.knee.outstanding;
            Some(OpenKnee::AtOrBelow { outstanding, is_lowest })
        }
        Some(KneeBound::AtOrAbove) => {
            let is_highest = f64::from(*loads.last()?) <= found.knee.outstanding;
            Some(OpenKnee::AtOrAbove { outstanding, is_highest })
        }
    };
    let no_curve = found.fit.is_none().then_some(match loads.as_slice() {
        [_] => NoCurve::OneLoad,
        [_, _] => NoCurve::TwoLoads,
        _ => NoCurve::SameRate,
    });
    (knee.is_some() || no_curve.is_some()).then_some(UnresolvedKnee { knee, no_curve })
}

/// Results that are no points of a curve, the first of them by name.
pub(super) fn of_left_out(left_out: &[LeftOut]) -> Vec<Finding> {
    let named = left_out.iter().take(MOST_LEFT_OUT).cloned().map(SweptFact::LeftOut);
    let result_count = left_out.len().saturating_sub(MOST_LEFT_OUT);
    let more = (result_count > 0).then_some(SweptFact::MoreLeftOut { result_count });
    let of_fact = |fact| Finding::new(FindingId::LeftOut, Severity::Note, Evidence::Swept(fact));
    named.chain(more).map(of_fact).collect()
}

#[cfg(test)]
mod tests;
