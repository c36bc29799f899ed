//! What the reader should know about a sweep: how it ended, what is odd about its probes, and about its curves.

use std::collections::BTreeMap;

use iotrial_model::finding::{Evidence, Finding, FindingId, Severity};
use iotrial_model::record::{Ended, EndedHow};
use iotrial_model::sweep::ProbePurpose;

use super::{Curve, LeftOut, LimitKind, SeenProbe, stood_still};
use crate::saturation::{Burst, Drift, KneeBound, Saturation, Sustained};
use crate::words::with_thousands;

/// Findings that a sweep tells in another way, or that its short probes always have.
const TOLD_ELSEWHERE: [FindingId; 6] = [
    FindingId::ShortRun,
    FindingId::FlatIopsLimit,
    FindingId::FlatBandwidthLimit,
    FindingId::ThrottledAfterBurst,
    FindingId::Unsteady,
    FindingId::SharedDisk,
];

/// A rate that falls by less than this from its highest may do so by chance: short probes differ by some percent.
const MOST_FALL_PERCENT: f64 = 10.0;

/// A load may lie so far above the ceiling by chance, as ceilings of two block sizes that are the same may lie apart.
const MOST_ABOVE_PERCENT: f64 = super::limit::SAME_PERCENT;

/// A curve that lies further from its points does not describe them: the models that are fitted come within a few percent of
/// what chance leaves (`docs/sweep.md`).
const ROUGH_FIT_PERCENT: f64 = 15.0;

/// So many results that are no points of curves are named; of thousands in a wrong folder the first ones say enough.
const MOST_LEFT_OUT: usize = 20;

/// The sweep did not end as planned.
pub(super) fn ended(ended: &Ended) -> Option<Finding> {
    let (severity, how) = match ended.how {
        EndedHow::Complete => return None,
        EndedHow::Interrupted => (Severity::Warning, "the sweep was interrupted"),
        EndedHow::Failed => (Severity::Serious, "the sweep failed"),
    };
    let message = match &ended.reason {
        Some(reason) => format!("{how}: {reason}; the results cover what was measured until then"),
        None => how.to_owned(),
    };
    Some(Finding::without_evidence(FindingId::Ended, severity, message))
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
    let said = |(seen, finding, count): (&SeenProbe<'_>, &Finding, usize)| {
        let others = match count - 1 {
            0 => String::new(),
            1 => " (the same in another probe)".to_owned(),
            others => format!(" (the same in {others} other probes)"),
        };
        let (pattern, outstanding) = (seen.probe.pattern, seen.probe.outstanding);
        let at = with_thousands(f64::from(outstanding));
        let message = format!("{pattern} with {at} outstanding: {}{others}", finding.message);
        Finding { message, ..finding.clone() }
    };
    first.into_values().map(said).collect()
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
    let count = stalled.len();
    let which = if count == 1 { "one short probe".to_owned() } else { format!("{count} short probes") };
    let message = format!(
        "{} at {}: the device, or the path to it, stood still in {which}, which {} left out of the curve",
        first.pattern,
        first.outstanding,
        if count == 1 { "is" } else { "are" }
    );
    Some(Finding::without_evidence(FindingId::Stalled, Severity::Warning, message))
}

/// What is odd about curves: first what holds of several of them, told once, and then each by itself. `advice` says how a rough
/// one can be mended.
pub(super) fn of_curves(curves: &[Curve], volumes: &[String], advice: &str) -> Vec<Finding> {
    let name = |curve: &Curve| match volumes.len() {
        0 | 1 => curve.pattern.to_string(),
        _ => format!("{} on {}", curve.pattern, volumes.get(curve.volume).map_or("?", String::as_str)),
    };
    let mut unresolved: Vec<(String, Vec<String>)> = Vec::new();
    for curve in curves {
        let Some(why) = curve.saturation.as_ref().and_then(|found| unresolved_knee(curve, found)) else {
            continue;
        };
        match unresolved.iter_mut().find(|(known, _)| *known == why) {
            Some((_, curves)) => curves.push(name(curve)),
            None => unresolved.push((why, vec![name(curve)])),
        }
    }
    let unresolved = unresolved.into_iter().map(|(why, curves)| {
        let message = format!("{}: {why}", curves.join(", "));
        Finding::without_evidence(FindingId::KneeNotResolved, Severity::Warning, message)
    });
    let each = curves.iter().flat_map(|curve| {
        let found = [
            drift(curve),
            burst(curve),
            falls_again(curve),
            split_matters(curve),
            above_ceiling(curve),
            rough_fit(curve, advice),
        ];
        let named = |finding: Finding| {
            let message = format!("{}: {}", name(curve), finding.message);
            Finding { message, ..finding }
        };
        found.into_iter().flatten().map(named).collect::<Vec<_>>()
    });
    unresolved.chain(each).collect()
}

/// The rate goes on changing under one load, so that no ceiling lasts.
fn drift(curve: &Curve) -> Option<Finding> {
    let drift = curve.sustained?.drift?;
    Some(Finding {
        id: FindingId::Drift,
        severity: Severity::Warning,
        message: drift_words(drift),
        evidence: Evidence::Drift {
            from_iops: drift.from_iops,
            to_iops: drift.to_iops,
            seconds: drift.seconds as u64,
        },
    })
}

/// The words for a drift, which are also why there is no limit.
pub(super) fn drift_words(drift: Drift) -> String {
    let Drift { from_iops, to_iops, seconds } = drift;
    let (how, rate) = if to_iops < from_iops { ("fell", "lowest") } else { ("rose", "highest") };
    format!(
        "under one load the rate {how} steadily from {} to {} IOPS within {seconds} s: there is no lasting ceiling, and the {rate} rate was not reached; a longer --step shows where it ends",
        with_thousands(from_iops),
        with_thousands(to_iops)
    )
}

/// The rate of a short probe does not last.
fn burst(curve: &Curve) -> Option<Finding> {
    let rate = curve.sustained?;
    let burst = rate.burst?;
    Some(Finding {
        id: FindingId::Burst,
        severity: Severity::Warning,
        message: burst_words(rate, burst),
        evidence: Evidence::Burst {
            burst_iops: burst.iops,
            iops: rate.iops,
            ended_after_s: burst.ended_after_s,
        },
    })
}

fn burst_words(rate: Sustained, burst: Burst) -> String {
    let (first, then) = match burst.ended_after_s {
        Some(s) => ("at first", format!("after {s:.0} s of load")),
        None => ("in short probes", "in the long one".to_owned()),
    };
    format!(
        "{} IOPS {first}, and {} {then}; the ceiling is the lasting rate",
        with_thousands(burst.iops),
        with_thousands(rate.iops)
    )
}

/// Too many outstanding I/Os cost throughput. After a burst, or on a device that becomes slower, the rate falls as well, for another reason.
fn falls_again(curve: &Curve) -> Option<Finding> {
    let falls_by_percent = curve.saturation.as_ref()?.falls_by_percent;
    let is_burst = curve.sustained.is_some_and(|rate| rate.burst.is_some() || rate.drift.is_some());
    (falls_by_percent > MOST_FALL_PERCENT && !is_burst).then(|| Finding {
        id: FindingId::FallsAgain,
        severity: Severity::Warning,
        message: if has_splits(curve) {
            // Of a grid the highest load is the deepest queue of the most jobs, so that nobody can say which of the two costs.
            format!("more depth and jobs than needed cost {falls_by_percent:.0} % of the highest rate")
        } else {
            format!("more outstanding I/Os than needed cost {falls_by_percent:.0} % of the highest rate")
        },
        evidence: Evidence::FallsAgain { falls_by_percent },
    })
}

/// Whether the same outstanding I/Os come as several splits into depth and jobs.
fn has_splits(curve: &Curve) -> bool {
    let splits = || curve.probes.iter().filter_map(|probe| Some((probe.outstanding, probe.numjobs?)));
    splits().any(|(load, jobs)| splits().any(|(other, more)| other == load && more != jobs))
}

/// A load that a source made as so many jobs of such a depth.
#[derive(Clone, Copy)]
struct Split {
    iops: f64,
    iodepth: u64,
    numjobs: u64,
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
    let (load, least, most, _) = extremes.max_by(|a, b| a.3.total_cmp(&b.3))?;
    let less_percent = 100.0 * (1.0 - least.iops / most.iops);
    (less_percent > MOST_FALL_PERCENT).then(|| {
        let message = format!(
            "the split into depth and jobs matters: with {load} outstanding I/Os, a depth of {} in {} jobs does {} IOPS, and a depth of {} in {} jobs {less_percent:.0} % less; the curve uses the mean",
            most.iodepth,
            most.numjobs,
            with_thousands(most.iops),
            least.iodepth,
            least.numjobs,
        );
        Finding::without_evidence(FindingId::SplitMatters, Severity::Note, message)
    })
}

/// One load did more than the ceiling of the curve through all of them.
fn above_ceiling(curve: &Curve) -> Option<Finding> {
    let found = curve.saturation.as_ref()?;
    let exceeded_by_percent = found.exceeded_by_percent;
    // Without a ceiling, as of a device that becomes slower, nothing is above it.
    (found.is_reached && exceeded_by_percent > MOST_ABOVE_PERCENT).then(|| Finding {
        id: FindingId::AboveCeiling,
        severity: Severity::Note,
        message: format!(
            "the best load did {exceeded_by_percent:.0} % more than the ceiling, which comes from the curve through all loads: the other loads do not confirm it"
        ),
        evidence: Evidence::AboveCeiling { exceeded_by_percent },
    })
}

/// The fitted curve does not describe its points. A burst is no load on any curve, and is told as what it is.
fn rough_fit(curve: &Curve, advice: &str) -> Option<Finding> {
    let found = curve.saturation.as_ref()?;
    let all_percent = found.fit.as_ref()?.rms_percent;
    // Most points of a grid lie on the flat part, where every curve fits; the knee is told by those around it.
    let near_percent = off_near_the_knee(curve, found).unwrap_or_default();
    let (rms_percent, where_) =
        if near_percent > all_percent { (near_percent, " around the knee") } else { (all_percent, "") };
    let is_explained = curve.sustained.is_some_and(|rate| rate.burst.is_some() || rate.drift.is_some());
    (rms_percent > ROUGH_FIT_PERCENT && !is_explained).then(|| Finding {
        id: FindingId::RoughFit,
        severity: Severity::Warning,
        message: format!(
            "the points are {rms_percent:.0} % off the curve{where_}, so the knee is only approximate: either the device had other load, or no model fits this load{advice}"
        ),
        evidence: Evidence::RoughFit { rms_percent },
    })
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

/// Why there is no knee, or no curve; `None` where there are both.
fn unresolved_knee(curve: &Curve, found: &Saturation) -> Option<String> {
    let mut loads: Vec<u32> = curve.probes.iter().map(|one| one.outstanding).collect();
    loads.sort_unstable();
    loads.dedup();
    let at = with_thousands(found.knee.outstanding);
    let knee = match found.knee_bound {
        None => None,
        Some(KneeBound::Unknown) => Some("the knee is not resolved".to_owned()),
        Some(KneeBound::AtOrBelow) if f64::from(*loads.first()?) >= found.knee.outstanding => Some(format!(
            "the knee is at or below {at} outstanding I/Os, the lowest load that was measured, and is not resolved"
        )),
        Some(KneeBound::AtOrBelow) => {
            Some(format!("the knee is at or below {at} outstanding I/Os, and is not resolved"))
        }
        Some(KneeBound::AtOrAbove) if f64::from(*loads.last()?) <= found.knee.outstanding => Some(format!(
            "the knee is at or above {at} outstanding I/Os, the highest load that was measured, and is not resolved"
        )),
        Some(KneeBound::AtOrAbove) => {
            Some(format!("the knee is at or above {at} outstanding I/Os, and is not resolved"))
        }
    };
    let no_curve = found.fit.is_none().then(|| match loads.as_slice() {
        [_] => "with a single load there is no curve".to_owned(),
        [_, _] => {
            "with two loads no curve is fitted, and the ceiling is the highest rate measured".to_owned()
        }
        _ => {
            "all loads reach about the same rate, so no curve is fitted, and the ceiling is the highest rate measured"
                .to_owned()
        }
    });
    let words: Vec<String> = knee.into_iter().chain(no_curve).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// Results that are no points of a curve, the first of them by name.
pub(super) fn of_left_out(left_out: &[LeftOut]) -> Vec<Finding> {
    let finding = |message| Finding::without_evidence(FindingId::LeftOut, Severity::Note, message);
    let named = left_out.iter().take(MOST_LEFT_OUT);
    let mut all: Vec<Finding> = named.map(|one| finding(one.to_string())).collect();
    let more = left_out.len() - all.len();
    all.extend((more > 0).then(|| finding(format!("{more} more are left out"))));
    all
}
