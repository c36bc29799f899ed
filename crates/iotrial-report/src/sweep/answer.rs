//! The result of a sweep, before any table: how much the storage does, and where its knee is.

use iotrial_analysis::saturation::{KneeBound, Saturation};
use iotrial_analysis::sweep::{Curve, Probe, SweepSummary};
use iotrial_analysis::words::{capital, latency_in_words, lower, seconds_in_words, with_thousands};
use iotrial_model::record::EndedHow;

use super::{curve_name, found};
use crate::document::{Answer, Block, Section};
use crate::quantity::{LatencyUnit, NumberFormat, Quantity};
use iotrial_words::numbers::{outstanding_in_words, rate_in_words};
use iotrial_words::rate_limit::kind_in_words;

/// More curves than this are left to the table.
const MOST_CURVES: usize = 8;

/// The part that opens the document; absent where nothing was measured.
pub(super) fn section(summary: &SweepSummary, is_simulated: bool) -> Option<Section> {
    let best = best(summary)?;
    let (headline, sentence, points) = match found(summary).next() {
        Some(_) => of_curves(summary, &best),
        None => of_series(summary, &best),
    };
    // In the line that people pass on: a page of a simulation must not pass for a measurement.
    let (is_good, headline) = match (is_simulated, summary.ended) {
        (true, _) => (None, format!("Simulated, not measured: {}", lower(&headline))),
        (false, EndedHow::Complete) => (Some(true), headline),
        (false, _) => (None, headline),
    };
    Some(Section {
        id: "answer",
        heading: "",
        note: None,
        blocks: vec![Block::Answer(Answer { is_good, headline, sentence, points, lists: Vec::new() })],
    })
}

/// The highest rates of any load.
struct Best<'s> {
    iops: (f64, &'s Curve, &'s Probe),
    mib_per_s: (f64, &'s Curve, &'s Probe),
}

fn best(summary: &SweepSummary) -> Option<Best<'_>> {
    let probes =
        || summary.curves.iter().flat_map(|curve| curve.probes.iter().map(move |probe| (curve, probe)));
    let most = |of: fn(&Probe) -> Option<f64>| {
        let rates = probes().filter_map(|(curve, probe)| Some((of(probe)?, curve, probe)));
        rates.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    Some(Best {
        iops: most(|probe| probe.figures.iops)?,
        mib_per_s: most(|probe| probe.figures.bandwidth_mib_per_s)?,
    })
}

fn of_curves(summary: &SweepSummary, best: &Best<'_>) -> (String, String, Vec<String>) {
    let all: Vec<(&Curve, &Saturation)> = found(summary).collect();
    let most = |of: fn(&Saturation) -> f64| {
        let largest = all.iter().max_by(|a, b| of(a.1).total_cmp(&of(b.1)));
        *largest.expect("asked for the first one before")
    };
    let (fast, top) = most(|found| found.ceiling_iops);
    let (wide, widest) = most(|found| found.ceiling_mib_per_s);
    let more = if top.is_reached { "up to" } else { "at least" };
    let headline = format!("{more} {} IOPS ({})", rate_in_words(top.ceiling_iops), curve_name(summary, fast));
    let headline = if (fast.pattern, fast.volume) == (wide.pattern, wide.volume) {
        format!("{headline}, or {}", mib_per_s(top.ceiling_mib_per_s))
    } else {
        format!("{headline} and {} ({})", mib_per_s(widest.ceiling_mib_per_s), curve_name(summary, wide))
    };
    let points: Vec<String> =
        all.iter().take(MOST_CURVES).map(|(curve, found)| point(summary, curve, found)).collect();
    let lasts = fast.sustained.is_some();
    (capital(&headline), fastest_load(summary, best, top.ceiling_iops, lasts), points)
}

/// How the ceiling was determined, and why a load may have done more: two different maxima need an explanation.
fn fastest_load(summary: &SweepSummary, best: &Best<'_>, ceiling_iops: f64, lasts: bool) -> String {
    let (iops, curve, fastest) = best.iops;
    let by = format!(
        "with {} and a mean latency of {}",
        outstanding_in_words(fastest.outstanding.into()),
        latency(fastest)
    );
    if rate_in_words(iops) == rate_in_words(ceiling_iops) {
        return format!("That was {by}.");
    }
    let of_ceiling = if lasts {
        "That is the sustained rate"
    } else {
        "That is the ceiling of the curve through all loads"
    };
    let time = match fastest.measured_s {
        // Not every source says how long it measured.
        seconds if seconds > 0.0 => format!(" for {}", seconds_in_words(seconds)),
        _ => String::new(),
    };
    let (most, name) = (rate_in_words(iops), curve_name(summary, curve));
    format!("{of_ceiling}. The fastest probe did {most} IOPS ({name}){time}, {by}.")
}

/// Knee, ceiling and limit of one curve.
fn point(summary: &SweepSummary, curve: &Curve, found: &Saturation) -> String {
    let at = |found: &Saturation| {
        let once = std::iter::once(found.knee.outstanding);
        let load = NumberFormat::fit(Quantity::Load, LatencyUnit::Milliseconds, once)
            .write_with_unit(found.knee.outstanding);
        let latency = latency_in_words(found.knee.lat_mean_us);
        // The knee comes from short loads and the ceiling from a long one: a knee above its ceiling counts as at the ceiling.
        if found.knee.iops >= found.ceiling_iops {
            return format!("{load} outstanding I/Os ({latency}), where the ceiling is reached");
        }
        format!("{load} outstanding I/Os: {} IOPS at {latency}", rate_in_words(found.knee.iops))
    };
    let knee = match found.knee_bound {
        None => format!("the knee is at {}", at(found)),
        Some(KneeBound::AtOrBelow) => format!("the knee is at or below {}", at(found)),
        Some(KneeBound::AtOrAbove) => format!("the knee is at or above {}", at(found)),
        Some(KneeBound::Unknown) => "the knee is not known".to_owned(),
    };
    let ceiling = if found.is_reached { "at most" } else { "at least" };
    let limit = curve
        .limit
        .as_ref()
        .map(|limit| format!("; limit: {}", kind_in_words(limit.kind)))
        .unwrap_or_default();
    format!(
        "{}: {knee}; {ceiling} {} IOPS ({}){limit}",
        curve_name(summary, curve),
        rate_in_words(found.ceiling_iops),
        mib_per_s(found.ceiling_mib_per_s)
    )
}

/// A series has no curve to saturate: its highest rates are the answer.
fn of_series(summary: &SweepSummary, best: &Best<'_>) -> (String, String, Vec<String>) {
    let count: usize = summary.curves.iter().map(|curve| curve.probes.len()).sum();
    let (iops, of_iops, fastest) = best.iops;
    let (bandwidth, of_bandwidth, widest) = best.mib_per_s;
    let headline = format!(
        "up to {} IOPS ({}) and {} ({})",
        rate_in_words(iops),
        curve_name(summary, of_iops),
        mib_per_s(bandwidth),
        curve_name(summary, of_bandwidth)
    );
    let probes =
        || summary.curves.iter().flat_map(|curve| curve.probes.iter().map(move |probe| (curve, probe)));
    let slowest = probes().filter_map(|(curve, probe)| Some((probe.figures.lat_mean_us?, curve, probe)));
    let slowest = slowest.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(us, curve, probe)| {
        format!(
            " The longest mean latency is {}, of {} with {} outstanding I/Os.",
            latency_in_words(us),
            curve_name(summary, curve),
            with_thousands(probe.outstanding.into())
        )
    });
    let sentence = format!(
        "Of {count} tests, the one with the most I/Os had a mean latency of {} with {} outstanding I/Os; the one with the most bytes had {} with {}.{}",
        latency(fastest),
        with_thousands(fastest.outstanding.into()),
        latency(widest),
        with_thousands(widest.outstanding.into()),
        slowest.unwrap_or_default()
    );
    (capital(&headline), sentence, Vec::new())
}

fn latency(probe: &Probe) -> String {
    probe.figures.lat_mean_us.map_or_else(|| "–".to_owned(), latency_in_words)
}

fn mib_per_s(rate: f64) -> String {
    let once = std::iter::once(rate);
    NumberFormat::fit(Quantity::BandwidthMibPerS, LatencyUnit::Milliseconds, once).write_with_unit(rate)
}
