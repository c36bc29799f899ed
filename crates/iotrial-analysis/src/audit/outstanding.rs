//! Little's law: the I/Os outstanding on average are their rate times their mean latency (Little, A Proof for the Queuing
//! Formula L = λW, 1961). No load keeps more of them outstanding than it was configured for.

use iotrial_model::audit::{
    AuditFinding, Check, Compared, Reason, Right, RightFigure, RightQuantity, Weight,
};
use iotrial_model::bound::{Amount, BoundRelation};
use iotrial_model::imported::Stated;
use iotrial_model::range::Range;
use iotrial_model::stream::Stream as StreamKind;

use super::agreement::sound_rate;
use super::link::LEAST_DEVICE_US;
use super::part::{Part, Stream, bytes};
use super::tally::Tally;

/// A closed load that keeps fewer of its I/Os outstanding than this share of them has something that holds it back.
const FEW_SHARE: f64 = 0.5;

/// From one unit of latency to the next.
const FACTOR: f64 = 1_000.0;

/// What Little's law gives for one part; for sentences about several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Implied {
    /// From the digits in print.
    pub range: Range,
    /// From the numbers as they stand.
    pub value: f64,
    /// Whether a latency is known only as a bound, so that the number is one too.
    pub is_bounded: bool,
    /// What is configured, and how much of that somebody worked out.
    pub configured: Option<(u64, u64)>,
}

/// Holds rate and latency against what was configured.
pub(super) fn check_outstanding(part: &Part<'_>, tally: &mut Tally) -> Option<Implied> {
    if part.loads.iter().any(|load| load.verifies()) && part.streams.len() > 1 {
        tally.unchecked_at(&part.place, Reason::VerifyingReads);
        return None;
    }
    // Latencies of such a load run from the time at which an I/O was due, so they contain what it waited for a free slot: their
    // product with the rate is the length of a queue that nothing bounds.
    if part.counts_from_due() {
        tally.unchecked_at(&part.place, Reason::CountsFromDue);
        return None;
    }
    if part.loads.iter().any(|load| load.is_mean_of_runs()) {
        tally.unchecked_at(&part.place, Reason::MeansOfRuns);
        return None;
    }
    let Some(implied) = implied(part) else {
        let has_mean = part.streams.iter().all(|stream| part.mean_latency(stream).is_some());
        let has_count = part
            .streams
            .iter()
            .any(|stream| stream.stated.iops.is_some() || stream.stated.io_count.is_some());
        if part.outstanding().is_some() && has_count {
            let reason = if has_mean { Reason::NoRate } else { Reason::NoMeanLatency };
            tally.unchecked_at(&part.place, reason);
        }
        return None;
    };
    let Some((configured, _)) = implied.configured else {
        return Some(implied);
    };
    let configured = bytes(configured);
    let edges = part.outstanding_slack();
    let change_percent = 100.0 * (implied.value / configured - 1.0);
    let finding = |compared| AuditFinding::of_figures(&part.place, compared, implied.range, configured);
    if implied.range.low > configured * (1.0 + edges) {
        let weight = if part.may_be_of_others() { Weight::Doubt } else { Weight::Contradiction };
        let right = right_latency(part, configured).map(|us| {
            let (quantity, bound) = (RightQuantity::MeanLatencyAtTheseRates, Some(BoundRelation::AtMost));
            RightFigure { quantity, bound, value: us.into() }.into()
        });
        let finding = finding(Compared::Outstanding).weighing(weight).off_by(change_percent);
        tally.found(AuditFinding { right, ..finding });
    } else if let Some(means) = mistaken_unit(part, &implied, configured, edges) {
        let finding = finding(Compared::ThousandthOutstanding).with_right(Right::MeanLatencies(means));
        tally.found(finding.off_by(100.0 * (1.0 / FACTOR - 1.0)));
    } else if implied.range.high < configured * FEW_SHARE && !part.is_held_back() && !part.has_flushes() {
        if part.loads.iter().any(|load| load.has_options_left_out()) {
            tally.unchecked_at(&part.place, Reason::UnknownPauses);
        } else {
            tally.found(finding(Compared::FewOutstanding { change_percent }).weighing(Weight::Doubt));
        }
    } else {
        tally.held(Check::LittlesLaw);
    }
    Some(implied)
}

/// Latencies a thousand times too small: with the factor nearly all I/Os of the load are outstanding, and without it a device
/// would answer faster than any does. The two together are no chance. The latencies that were meant, in µs.
fn mistaken_unit(part: &Part<'_>, implied: &Implied, configured: f64, edges: f64) -> Option<Vec<f64>> {
    const NEARLY_ALL: f64 = 0.9;
    let meant = implied.range.scaled(FACTOR);
    let is_full = meant.overlaps(Range { low: configured * NEARLY_ALL, high: configured * (1.0 + edges) });
    let means = directions(part).into_iter().map(|stream| stream.latency().mean_us);
    let means: Option<Vec<Stated>> = means.collect();
    let is_instant = |mean: &Stated| Range::exact(LEAST_DEVICE_US).is_above(Range::of(*mean));
    let means = means.filter(|means| {
        is_full
            && part.is_direct()
            && !part.is_held_back()
            && !means.is_empty()
            && means.iter().all(is_instant)
    })?;
    Some(means.iter().map(|mean| mean.value * FACTOR).collect())
}

/// Whether Little's law bears out a mean latency of one stream, in µs, with the others as they are told: the load then keeps no
/// more of its I/Os outstanding than it has, and not only a few of them. `None` where that cannot be told.
pub(super) fn fits(part: &Part<'_>, stream: &Stream<'_>, latency_us: Range) -> Option<bool> {
    let (configured, _) = part.outstanding().filter(|_| !part.is_held_back() && !part.has_flushes())?;
    let mut range = Range::exact(0.0);
    for one in directions(part) {
        let (rate, _) = sound_rate(part, one)?;
        let is_it = one.kind == stream.kind;
        let latency = if is_it { latency_us } else { Range::of(one.latency().mean_us?) };
        range = range + rate * latency.scaled(1e-6);
    }
    let edges = part.outstanding_slack();
    let all = bytes(configured);
    Some(range.overlaps(Range { low: all * FEW_SHARE, high: all * (1.0 + edges) }))
}

/// The same of the rate of one stream, in I/Os per second, with its latency as it is told.
pub(super) fn rate_fits(part: &Part<'_>, stream: &Stream<'_>, rate: Range) -> Option<bool> {
    let (configured, _) = part.outstanding().filter(|_| !part.is_held_back() && !part.has_flushes())?;
    let mut range = Range::exact(0.0);
    for one in directions(part) {
        let rate = if one.kind == stream.kind { rate } else { Range::of(one.stated.iops?) };
        range = range + rate * Range::of(one.latency().mean_us?).scaled(1e-6);
    }
    let edges = part.outstanding_slack();
    let all = bytes(configured);
    Some(range.overlaps(Range { low: all * FEW_SHARE, high: all * (1.0 + edges) }))
}

/// Both directions, or their sum where only that is there.
fn directions<'p, 'r>(part: &'p Part<'r>) -> Vec<&'p Stream<'r>> {
    let apart: Vec<_> = part.streams.iter().filter(|stream| stream.kind != StreamKind::Mixed).collect();
    if apart.is_empty() { part.streams.iter().collect() } else { apart }
}

/// What Little's law gives.
fn implied(part: &Part<'_>) -> Option<Implied> {
    let mut range = Range::exact(0.0);
    let (mut value, mut is_bounded) = (0.0, false);
    for stream in directions(part) {
        let ((rate, iops), latency) = (sound_rate(part, stream)?, part.mean_latency(stream)?);
        let latency_us = match (latency, stream.latency().mean_us) {
            (Amount::Exact(_), Some(stated)) => Range::of(stated),
            (bound, _) => {
                let (low, high) = bound.range();
                is_bounded = true;
                Range { low, high }
            }
        };
        range = range + rate * latency_us.scaled(1e-6);
        value += iops * latency.shown().1 * 1e-6;
    }
    (value > 0.0).then(|| Implied { range, value, is_bounded, configured: part.outstanding() })
}

fn right_latency(part: &Part<'_>, configured: f64) -> Option<f64> {
    let iops: f64 = part.streams.iter().filter_map(|stream| Some(sound_rate(part, stream)?.1)).sum();
    (iops > 0.0).then(|| configured / iops * 1e6)
}
