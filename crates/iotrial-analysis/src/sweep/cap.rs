//! A cap: a rate that stands still while the device idles.
//!
//! One probe alone cannot tell a limiter from a device that is worked to capacity: both are flat, and both let I/Os wait. A
//! sweep has measured more, above all what an I/O takes while nothing else is outstanding. By Little's law that time and
//! the rate make the I/Os that are in work at once. A device at capacity has all in work that it can serve; behind a limiter
//! it idles. The bounds are those of the finding `flat-iops-limit`.

use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::plan::PhaseKind;
use iotrial_model::sweep::{ProbePurpose, ProbeRecord};

use super::limit::Steady;
use super::{SeenProbe, facts_of, total_outstanding};
use crate::figures::{Counted, Figures};
use crate::findings::limit::{
    EXACT_IN_WORK, EXACT_SPREAD, Flat, IDLE_IN_WORK, LEAST_INTERVALS, ROUND_IN_WORK, is_round,
    is_round_bandwidth,
};
use crate::words::{seconds_in_words, with_thousands};

/// I/Os take so many times as long as one alone: more of them are outstanding than are in work.
const LEAST_WAIT_RATIO: f64 = 2.5;
/// Fewer whole seconds than this say nothing of standing still.
const LEAST_SECONDS: usize = 3;
/// At less than this share of the ceiling one I/O after the other does not meet a limit.
const FREE_SHARE: f64 = 0.9;

/// A rate that is set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cap {
    pub(super) of: Steady,
    /// In the unit of `of`.
    pub(super) rate: f64,
    /// One sentence with the evidence.
    pub(super) sentence: String,
}

/// What is known beside the probe.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    /// What one I/O takes while nothing else is outstanding.
    pub(super) idle_us: f64,
    /// Whether the device turns: few I/Os are in work by nature then.
    pub(super) is_rotational: bool,
    /// After how many whole seconds of the load a burst ended, where there was one.
    pub(super) burst_ended_after_s: Option<f64>,
    /// The rate that stays the same with another block size.
    pub(super) steady: Option<Steady>,
}

/// What one I/O takes on a volume while nothing else is outstanding: the mean of the lowest load, or its shortest latency
/// where already that load meets the ceiling.
pub(super) fn idle_latency_us(
    probes: &[SeenProbe<'_>],
    pattern: LoadPattern,
    volume: usize,
    ceiling_iops: f64,
) -> Option<f64> {
    let alone = || {
        probes
            .iter()
            .map(|seen| seen.probe)
            .filter(move |one| one.pattern == pattern && one.volumes == [volume])
            .filter(|one| one.purpose != ProbePurpose::Together)
    };
    let lowest = alone().map(|one| one.outstanding).min()?;
    let lowest = || alone().filter(|one| one.outstanding == lowest);
    let measured_s: f64 = lowest().map(|probe| probe.measured.as_secs_f64()).sum();
    let counts = Counted::of(&lowest().flat_map(facts_of).collect::<Vec<_>>())?.counts;
    let iops = counts.io_count() as f64 / measured_s;
    // A lowest load that is at the ceiling already has waited for it, all but its luckiest I/O.
    if iops < FREE_SHARE * ceiling_iops {
        return counts.total_latency.mean_us();
    }
    counts.total_latency.min().map(|shortest| shortest.as_secs_f64() * 1e6)
}

impl Cap {
    /// The cap that a long probe shows; `None` where it may be the device.
    pub(super) fn of(probe: &ProbeRecord, beside: Beside) -> Option<Self> {
        let whole =
            probe.course.iter().enumerate().filter(|(_, second)| second.duration.as_secs_f64() >= 0.9);
        // The second in which a burst ended belongs to neither.
        let lasts = |index: usize| beside.burst_ended_after_s.is_none_or(|after_s| index as f64 > after_s);
        let seconds: Vec<(f64, f64)> = whole
            .filter(|(index, second)| second.phase == PhaseKind::Measure && lasts(*index))
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
        let wait_ratio = 1e6 * outstanding / flat.level / beside.idle_us;
        let in_work = flat.level * beside.idle_us / 1e6;
        if wait_ratio < LEAST_WAIT_RATIO {
            return None;
        }
        let figures = Figures::together(&facts_of(probe));
        let mib_per_io = figures.bandwidth_mib_per_s.zip(figures.iops).map(|(mib, iops)| mib / iops)?;
        let bandwidth = flat.level * mib_per_io;
        let rounds = (is_round(flat.level), is_round_bandwidth(bandwidth));
        let of = beside.steady.unwrap_or(match rounds {
            (true, false) => Steady::Iops,
            (false, true) => Steady::Bandwidth,
            // From 64 KiB on bandwidth is what volumes run out of.
            _ if probe.pattern.block_size.get() >= 65_536 => Steady::Bandwidth,
            _ => Steady::Iops,
        });
        let is_long = seconds.len() >= LEAST_INTERVALS;
        let is_set = match of {
            Steady::Iops => rounds.0,
            Steady::Bandwidth => rounds.1,
        };
        let is_exact = flat.range_percent / 100.0 * flat.level <= EXACT_SPREAD * flat.level.sqrt();
        // The less the device idles, the more a cap needs to speak for it beside a flat rate.
        let is_cap = in_work < IDLE_IN_WORK && !beside.is_rotational
            || beside.burst_ended_after_s.is_some()
            || is_long && in_work < ROUND_IN_WORK && is_set
            || is_long && in_work < EXACT_IN_WORK && is_exact;
        let (rate, value) = match of {
            Steady::Iops => (flat.level, format!("{} IOPS", with_thousands(flat.level))),
            Steady::Bandwidth => (bandwidth, format!("{bandwidth:.1} MiB/s")),
        };
        let lasted = seconds_in_words(seconds.iter().map(|(_, duration_s)| duration_s).sum());
        is_cap.then(|| Self {
            of,
            rate,
            sentence: format!(
                "{value} in every second of {lasted}, with {outstanding} outstanding I/Os that took {} times as long as one alone, while the device had {} of them in work: a limit of that rate is set on the device, the volume or the instance",
                few(wait_ratio),
                few(in_work)
            ),
        })
    }
}

/// A small number for people: `1.5`, `24`, `less than 0.1`.
fn few(number: f64) -> String {
    match number {
        ..0.05 => "less than 0.1".to_owned(),
        ..9.95 => format!("{number:.1}"),
        _ => with_thousands(number),
    }
}
