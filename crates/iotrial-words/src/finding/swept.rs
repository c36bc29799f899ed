//! What is said of a sweep, of its curves, and of results that are no points of curves.

use iotrial_model::finding::{LeftOut, NoCurve, NoPoint, OpenKnee, Split, SweptFact, UnresolvedKnee};
use iotrial_model::record::EndedHow;

use crate::numbers::{rate_in_words, seconds_in_words, with_thousands};

/// The sentence of a finding of a sweep.
pub fn says(fact: &SweptFact) -> String {
    match fact {
        SweptFact::Ended { how, reason } => {
            let how = match how {
                EndedHow::Complete => "the sweep is complete",
                EndedHow::Interrupted => "the sweep was interrupted",
                EndedHow::Failed => "the sweep failed",
            };
            match reason {
                Some(reason) => format!("{how}: {reason}; the results cover what was measured until then"),
                None => how.to_owned(),
            }
        }
        SweptFact::StalledProbes { pattern, outstanding, probe_count } => {
            let which = match probe_count {
                1 => "one short probe, which is".to_owned(),
                count => format!("{count} short probes, which are"),
            };
            format!(
                "{pattern} at {outstanding}: the device, or the path to it, stood still in {which} left out of the curve"
            )
        }
        SweptFact::KneeNotResolved(why) => knee_not_resolved(why),
        SweptFact::SplitMatters { outstanding, most, least } => split_matters(*outstanding, most, least),
        SweptFact::SlowPath { path, mib_per_s, other, other_mib_per_s } => format!(
            "the path `{path}` carries {:.0} % less than `{other}`, another path to the same disk: {} MiB/s instead of {}. Its adapter port, cable, switch port or array port is slower, or the array does not prefer this path",
            100.0 * (1.0 - mib_per_s / other_mib_per_s),
            rate_in_words(*mib_per_s),
            rate_in_words(*other_mib_per_s)
        ),
        SweptFact::LeftOut(one) => left_out(one),
        SweptFact::MoreLeftOut { result_count } => format!("{result_count} more are left out"),
    }
}

/// The rate goes on changing under one load, which is also why a curve has no limit. Rates are in I/Os per second.
pub fn drift(from_iops: f64, to_iops: f64, seconds: u64) -> String {
    let (how, rate) = if to_iops < from_iops { ("fell", "lowest") } else { ("rose", "highest") };
    format!(
        "under one load the rate {how} steadily from {} to {} IOPS within {}: there is no lasting ceiling, and the {rate} rate was not reached; a longer --step shows where it ends",
        rate_in_words(from_iops),
        rate_in_words(to_iops),
        seconds_in_words(seconds as f64)
    )
}

/// The rate of short probes, or of the beginning of a long one, does not last. Rates are in I/Os per second.
pub(crate) fn burst(burst_iops: f64, iops: f64, ended_after_s: Option<f64>) -> String {
    let (first, then) = match ended_after_s {
        Some(s) => ("at first", format!("after {} of load", seconds_in_words(s))),
        None => ("in short probes", "in the long one".to_owned()),
    };
    format!(
        "{} IOPS {first}, and {} {then}; the ceiling is the lasting rate",
        rate_in_words(burst_iops),
        rate_in_words(iops)
    )
}

fn knee_not_resolved(why: &UnresolvedKnee) -> String {
    let at = |where_: &str, outstanding: f64, end: &str| {
        format!("the knee is at or {where_} {} outstanding I/Os, {end}", with_thousands(outstanding))
    };
    let knee = why.knee.map(|knee| match knee {
        OpenKnee::Unknown => "the knee is not resolved".to_owned(),
        OpenKnee::AtOrBelow { outstanding, is_lowest: true } => {
            at("below", outstanding, "the lowest load that was measured, and is not resolved")
        }
        OpenKnee::AtOrBelow { outstanding, is_lowest: false } => {
            at("below", outstanding, "and is not resolved")
        }
        OpenKnee::AtOrAbove { outstanding, is_highest: true } => {
            at("above", outstanding, "the highest load that was measured, and is not resolved")
        }
        OpenKnee::AtOrAbove { outstanding, is_highest: false } => {
            at("above", outstanding, "and is not resolved")
        }
    });
    let no_curve = why.no_curve.map(|why| match why {
        NoCurve::OneLoad => "with a single load there is no curve",
        NoCurve::TwoLoads => "with two loads no curve is fitted, and the ceiling is the highest rate measured",
        NoCurve::SameRate => {
            "all loads reach about the same rate, so no curve is fitted, and the ceiling is the highest rate measured"
        }
    });
    knee.into_iter().chain(no_curve.map(str::to_owned)).collect::<Vec<_>>().join("; ")
}

fn split_matters(outstanding: u32, most: &Split, least: &Split) -> String {
    format!(
        "the split into depth and jobs matters: with {outstanding} outstanding I/Os, a depth of {} in {} jobs does {} IOPS, and a depth of {} in {} jobs {:.0} % less; the curve uses the mean",
        most.iodepth,
        most.numjobs,
        rate_in_words(most.iops),
        least.iodepth,
        least.numjobs,
        least.less_percent(most)
    )
}

/// Which result is not a point of a curve, and why.
pub fn left_out(one: &LeftOut) -> String {
    let why = match one.why {
        NoPoint::NoLoad => "its load is not stated",
        NoPoint::SeveralKinds => "its load has several kinds of I/O",
        NoPoint::NoShareOfReads => "its share of reads is not stated",
        NoPoint::NoOrder => "it is not stated whether its load is random or sequential",
        NoPoint::NoBlockSize => "it does not have a single block size",
        NoPoint::HeldBack => "a rate or pauses held its load back",
        NoPoint::NoOutstanding => "its outstanding I/Os are not stated",
        NoPoint::NoRate => "its rate is not stated",
        NoPoint::OnlyLoad => "there is no other load of its kind",
    };
    format!("{} is not a point of a curve: {why}", one.whence)
}

#[cfg(test)]
mod tests;
