//! Little's law: the I/Os outstanding on average are their rate times their mean latency (Little, A Proof for the Queuing
//! Formula L = λW, 1961). No load keeps more of them outstanding than it was configured for.

use iotrial_model::bound::Amount;
use iotrial_model::imported::Stated;
use iotrial_model::range::{Range, write_change, write_number};

use super::agreement::sound_rate;
use super::link::LEAST_DEVICE_US;
use super::part::{Part, Stream, bytes};
use super::tally::{AuditFinding, Check, Tally, Weight};

/// A closed load that keeps fewer of its I/Os outstanding than this share of them has something that holds it back.
const FEW_SHARE: f64 = 0.5;

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
        tally.unchecked(format!(
            "{}: reads that verify come after the writes, so reads and writes are not outstanding at the same time",
            part.place
        ));
        return None;
    }
    // Latencies of such a load run from the time at which an I/O was due, so they contain what it waited for a free slot: their
    // product with the rate is the length of a queue that nothing bounds.
    if part.counts_from_due() {
        tally.unchecked(format!(
            "{}: latency counts from the time an I/O was due, which includes the time it waited to be issued, so Little's law could not be checked",
            part.place
        ));
        return None;
    }
    let Some(implied) = implied(part) else {
        let has_mean = part.streams.iter().all(|stream| part.mean_latency(stream).is_some());
        let has_count = part
            .streams
            .iter()
            .any(|stream| stream.stated.iops.is_some() || stream.stated.io_count.is_some());
        if part.outstanding().is_some() && has_count {
            let why = if has_mean {
                "a rate is missing, or count and bytes do not agree,"
            } else {
                "a mean latency is missing,"
            };
            tally.unchecked(format!("{}: {why} so Little's law could not be checked", part.place));
        }
        return None;
    };
    let Some((configured, _)) = implied.configured else {
        return Some(implied);
    };
    let configured = bytes(configured);
    let edges = part.outstanding_slack();
    if implied.range.low > configured * (1.0 + edges) {
        let off = 100.0 * (implied.value / configured - 1.0);
        let latency = right_latency(part, configured);
        tally.found(AuditFinding {
            check: Check::LittlesLaw,
            weight: if part.may_be_of_others() { Weight::Doubt } else { Weight::Contradiction },
            place: part.place.clone(),
            message: format!(
                "rate times mean latency gives {} outstanding I/Os, but the load has at most {}: {}",
                implied.range,
                write_number(configured),
                write_change(off)
            ),
            cause: "latency and rate come from different runs or have different units, or more copies ran than reported"
                .to_owned(),
            right: latency.map(|latency| {
                format!("a mean latency of at most {} µs at these rates", write_number(latency))
            }),
            off_by_percent: Some(off),
        });
    } else if let Some(finding) = mistaken_unit(part, &implied, configured, edges) {
        tally.found(finding);
    } else if implied.range.high < configured * FEW_SHARE && !part.is_held_back() && !part.has_flushes() {
        tally.found(AuditFinding {
            check: Check::LittlesLaw,
            weight: Weight::Doubt,
            place: part.place.clone(),
            message: format!(
                "rate times mean latency gives {} outstanding I/Os, but the load should keep {}: {}",
                implied.range,
                write_number(configured),
                write_change(100.0 * (implied.value / configured - 1.0))
            ),
            cause: "the generator or its host was the limit, the page cache answered during submission, a rate held the load back, or the latency is only a part of the total".to_owned(),
            right: None,
            off_by_percent: None,
        });
    } else {
        tally.held(Check::LittlesLaw);
    }
    Some(implied)
}

/// Latencies a thousand times too small: with the factor nearly all I/Os of the load are outstanding, and without it a device
/// would answer faster than any does. The two together are no chance.
fn mistaken_unit(part: &Part<'_>, implied: &Implied, configured: f64, edges: f64) -> Option<AuditFinding> {
    const NEARLY_ALL: f64 = 0.9;
    const FACTOR: f64 = 1_000.0;
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
    let right: Vec<String> = means.iter().map(|mean| write_number(mean.value * FACTOR)).collect();
    Some(AuditFinding {
        check: Check::LittlesLaw,
        weight: Weight::Contradiction,
        place: part.place.clone(),
        message: format!(
            "rate times mean latency gives {} outstanding I/Os, but the load should keep {}, a thousand times as many",
            implied.range,
            write_number(configured)
        ),
        cause: "the latencies are a thousand times too small: a number in one unit is reported in the next larger one".to_owned(),
        right: Some(format!("mean latencies of {} µs", right.join(" and "))),
        off_by_percent: Some(100.0 * (1.0 / FACTOR - 1.0)),
    })
}

/// Whether Little's law bears out a mean latency of one stream, in µs, with the others as they are told: the load then keeps no
/// more of its I/Os outstanding than it has, and not only a few of them. `None` where that cannot be told.
pub(super) fn fits(part: &Part<'_>, stream: &Stream<'_>, latency_us: Range) -> Option<bool> {
    let (configured, _) = part.outstanding().filter(|_| !part.is_held_back() && !part.has_flushes())?;
    let mut range = Range::exact(0.0);
    for one in directions(part) {
        let (rate, _) = sound_rate(part, one)?;
        let is_it = one.name == stream.name;
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
        let rate = if one.name == stream.name { rate } else { Range::of(one.stated.iops?) };
        range = range + rate * Range::of(one.latency().mean_us?).scaled(1e-6);
    }
    let edges = part.outstanding_slack();
    let all = bytes(configured);
    Some(range.overlaps(Range { low: all * FEW_SHARE, high: all * (1.0 + edges) }))
}

/// Both directions, or their sum where only that is there.
fn directions<'p, 'r>(part: &'p Part<'r>) -> Vec<&'p Stream<'r>> {
    let apart: Vec<_> = part.streams.iter().filter(|stream| stream.name != "total").collect();
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
