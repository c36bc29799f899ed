//! A cap: a rate that stands still while the device idles.
//!
//! One probe alone cannot tell a limiter from a device that is worked to capacity: both are flat, and both let I/Os wait. A
//! sweep has measured more, above all what an I/O takes while nothing else is outstanding. By Little's law that time and
//! the rate make the I/Os that are in work at once. A device at capacity has all in work that it can serve; behind a limiter
//! it idles. And it has measured how much the times differ in which I/Os are served alone, which tells how much the rate of servers that are
//! never idle has to differ from second to second; a limiter is much stiller. The bounds are those of the finding `flat-iops-limit`.

use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::plan::PhaseKind;
use iotrial_model::rate_limit::{LimitCause, RateUnit};
use iotrial_model::sweep::{ProbePurpose, ProbeRecord};

use super::{SeenProbe, facts_of, stood_still, total_outstanding};
use crate::figures::{Counted, Figures};
use crate::findings::limit::{
    EXACT_IN_WORK, Flat, IDLE_IN_WORK, LEAST_INTERVALS, ROUND_IN_WORK, is_round, is_round_bandwidth,
    is_very_round, is_whole_number,
};
use crate::saturation::stalled_seconds;

/// I/Os take so many times as long as one alone: more of them are outstanding than are in work.
const LEAST_WAIT_RATIO: f64 = 2.5;
/// Fewer whole seconds than this say nothing of standing still.
const LEAST_SECONDS: usize = 3;
/// At less than this share of the ceiling one I/O after the other does not meet a limit.
const FREE_SHARE: f64 = 0.9;

/// The variance of the counts of ten seconds below this share of what chance makes it: with nine degrees of freedom that is so in less than one of a
/// hundred rates of servers (χ² of 2.09 and less).
const STILL_SHARE: f64 = 0.2;
/// Where chance moves the count of a second by less than this, all counts are still, and that says nothing.
const LEAST_CHANCE: f64 = 1.0;

/// Latencies of a deep queue that spread less than this, as a share of what servers make of it, are those of a limit. In the middle between both, for
/// less than one I/O in work and eight outstanding.
const STILL_QUEUE_SHARE: f64 = 0.6;
/// I/Os alone whose latencies differ by less say nothing of how a queue of them would.
const LEAST_SPREAD: f64 = 0.02;

/// What one I/O takes while nothing else is outstanding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alone {
    /// The mean, or the shortest where already that load meets the ceiling.
    pub(super) idle_us: f64,
    /// Standard deviation of the latencies, as a share of their mean.
    pub(super) spread: f64,
    /// Whether that load meets the ceiling already, one I/O after the other.
    pub(super) is_at_ceiling: bool,
}

/// How much the counts of seconds differ, against what chance makes of a device that is never idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stillness {
    /// Much less: something else than the device sets the rate.
    Still,
    /// As chance has it, or more.
    AsChance,
    /// Service times differ so little that chance would not show.
    Unknown,
}

impl Stillness {
    /// Of the I/Os per second of whole seconds, where those alone differ by `spread`.
    ///
    /// Servers that are never idle complete I/Os as renewal processes do: in t seconds at a rate of λ the variance of the count is s² λ t, with s the
    /// relative standard deviation of a service (Cox, Renewal Theory, 1962), and the sum of several such processes keeps that.
    fn of(rates: &[(f64, f64)], level: f64, spread: f64) -> Self {
        let chance = spread * level.sqrt();
        if chance < LEAST_CHANCE {
            return Self::Unknown;
        }
        let count = rates.len() as f64;
        let mean = rates.iter().map(|(rate, _)| rate).sum::<f64>() / count;
        let squares: f64 = rates.iter().map(|(rate, _)| (rate - mean).powi(2)).sum();
        if squares / (count - 1.0) <= STILL_SHARE * chance * chance { Self::Still } else { Self::AsChance }
    }
}

/// Whether the latencies of a deep queue differ much less than those of a queue before servers.
///
/// In a closed load an I/O waits for as many completions as are outstanding. Of servers that are never idle the time of n of them spreads by s √n / λ
/// around n / λ (as above, for times instead of counts), so that latencies spread by s / √n. Behind a limit the time of n is n / λ, and only one service
/// is added to it. That is seen in all I/Os of a probe, also where they are too few for its seconds to tell.
fn is_still_queue(probe: &ProbeRecord, outstanding: f64, spread: f64) -> bool {
    let deep = Counted::of(&facts_of(probe)).and_then(|all| relative_deviation(&all.counts.total_latency));
    let of_servers = spread / outstanding.sqrt();
    spread >= LEAST_SPREAD && deep.is_some_and(|deep| deep <= STILL_QUEUE_SHARE * of_servers)
}

/// A rate that is set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cap {
    pub(super) unit: RateUnit,
    /// The evidence, with the rate.
    pub(super) cause: LimitCause,
}

/// What is known beside the probe.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    pub(super) alone: Alone,
    /// Whether the device turns: few I/Os are in work by nature then.
    pub(super) is_rotational: bool,
    /// After how many whole seconds of the load a burst ended, where there was one.
    pub(super) burst_ended_after_s: Option<f64>,
    /// The rate that stays the same with another block size.
    pub(super) same_rate: Option<RateUnit>,
}

/// What one I/O takes on a volume while nothing else is outstanding, from the lowest load.
pub(super) fn alone_of(
    probes: &[SeenProbe<'_>],
    pattern: LoadPattern,
    volume: usize,
    ceiling_iops: f64,
) -> Option<Alone> {
    let alone = || {
        probes
            .iter()
            .map(|seen| seen.probe)
            .filter(move |one| one.pattern == pattern && one.volumes == [volume])
            .filter(|one| one.purpose != ProbePurpose::Together && !stood_still(one))
    };
    let lowest = alone().map(|one| one.outstanding).min()?;
    let lowest = || alone().filter(|one| one.outstanding == lowest);
    let measured_s: f64 = lowest().map(|probe| probe.measured.as_secs_f64()).sum();
    let counts = Counted::of(&lowest().flat_map(facts_of).collect::<Vec<_>>())?.counts;
    let iops = counts.io_count() as f64 / measured_s;
    let mean_us = counts.total_latency.mean_us()?;
    // A lowest load that is at the ceiling already has waited for it, all but its luckiest I/O.
    let is_at_ceiling = iops >= FREE_SHARE * ceiling_iops;
    let shortest_us = counts.total_latency.min()?.as_secs_f64() * 1e6;
    Some(Alone {
        idle_us: if is_at_ceiling { shortest_us } else { mean_us },
        spread: relative_deviation(&counts.total_latency)?,
        is_at_ceiling,
    })
}

/// Standard deviation as a share of the mean.
fn relative_deviation(latency: &LatencyHistogram) -> Option<f64> {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    // Of the edges of the buckets, which are 0.1 % wide: no matter for a spread.
    for (edge, of_bucket) in latency.buckets() {
        let (value, of_bucket) = (edge.as_secs_f64(), of_bucket as f64);
        count += of_bucket;
        sum += of_bucket * value;
        squares += of_bucket * value * value;
    }
    let mean = sum / count;
    (count > 1.0 && mean > 0.0).then(|| (squares / count / (mean * mean) - 1.0).max(0.0).sqrt())
}

impl Cap {
    /// The cap that a long probe shows; `None` where it may be the device.
    pub(super) fn of(probe: &ProbeRecord, beside: Beside) -> Option<Self> {
        let rates: Vec<f64> = probe
            .course
            .iter()
            .map(|second| second.io_count as f64 / second.duration.as_secs_f64().max(1e-9))
            .collect();
        // A limit is not gone because the device stood still for a while.
        let stalled = stalled_seconds(&rates);
        let whole =
            probe.course.iter().enumerate().filter(|(_, second)| second.duration.as_secs_f64() >= 0.9);
        // The second in which a burst ended belongs to neither.
        let lasts = |index: usize| beside.burst_ended_after_s.is_none_or(|after_s| index as f64 > after_s);
        let seconds: Vec<(f64, f64)> = whole
            .filter(|(index, second)| second.phase == PhaseKind::Measure && lasts(*index))
            .filter(|(index, _)| !stalled[*index])
            .map(|(_, second)| {
                let duration_s = second.duration.as_secs_f64();
                (second.io_count as f64 / duration_s, duration_s)
            })
            .collect();
        if seconds.len() < LEAST_SECONDS {
            return None;
        }
        let flat = Flat::of_rates(&seconds)?;
        let outstanding = f64::from(total_outstanding(probe));
        let wait_ratio = 1e6 * outstanding / flat.level / beside.alone.idle_us;
        let in_work = flat.level * beside.alone.idle_us / 1e6;
        if wait_ratio < LEAST_WAIT_RATIO {
            return None;
        }
        let figures = Figures::together(&facts_of(probe));
        let mib_per_io = figures.bandwidth_mib_per_s.zip(figures.iops).map(|(mib, iops)| mib / iops)?;
        let bandwidth = flat.level * mib_per_io;
        let rounds = (is_round(flat.level), is_round_bandwidth(bandwidth));
        let unit = beside.same_rate.unwrap_or(match rounds {
            (true, false) => RateUnit::Iops,
            (false, true) => RateUnit::MibPerS,
            // From 64 KiB on bandwidth is what volumes run out of.
            _ if probe.pattern.block_size.get() >= 65_536 => RateUnit::MibPerS,
            _ => RateUnit::Iops,
        });
        let is_long = seconds.len() >= LEAST_INTERVALS;
        let is_set = match unit {
            RateUnit::Iops => rounds.0,
            RateUnit::MibPerS => rounds.1,
        };
        let stillness = match Stillness::of(&seconds, flat.level, beside.alone.spread) {
            _ if is_still_queue(probe, outstanding, beside.alone.spread) => Stillness::Still,
            other => other,
        };
        // One I/O after the other makes the rate that is the ceiling, and it differs as much as the I/Os do: a device that serves one at a time, of
        // which the shortest one was lucky. A disk that seeks is such a device.
        let is_one_server = beside.alone.is_at_ceiling && stillness == Stillness::AsChance;
        // Service times that do not differ at all, and a whole number of them in work: so many servers, none of which is ever idle.
        let are_exact_servers = stillness == Stillness::Unknown && is_whole_number(in_work);
        let is_still = stillness == Stillness::Still;
        // The less the device idles, the more a cap needs to speak for it beside a flat rate.
        let is_cap = in_work < IDLE_IN_WORK && !beside.is_rotational && !is_one_server
            || beside.burst_ended_after_s.is_some()
            || is_long && in_work < ROUND_IN_WORK && is_set && !is_one_server && !are_exact_servers
            // One of a hundred rates is as round by chance.
            || is_long && in_work < EXACT_IN_WORK && unit == RateUnit::Iops && is_very_round(flat.level) && !is_whole_number(in_work)
            || is_long && is_still && (in_work < EXACT_IN_WORK || is_set);
        let rate = match unit {
            RateUnit::Iops => flat.level,
            RateUnit::MibPerS => bandwidth,
        };
        let seconds = seconds.iter().map(|(_, duration_s)| duration_s).sum();
        let cause = LimitCause::StoodStill { rate, unit, seconds, outstanding, wait_ratio, in_work };
        is_cap.then_some(Self { unit, cause })
    }
}
