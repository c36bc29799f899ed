//! A limit of a known kind: the rate stands still while I/Os wait.

use iotrial_model::finding::{Evidence, Finding, FindingId, FlatRate, Severity};
use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::load::Direction;
use iotrial_model::plan::{Job, PhaseKind};
use iotrial_model::record::{Interval, JobCounts, OpCounts};
use iotrial_model::subject::{Course, Subject};

use super::modes::{MUCH_STILLER, SlowPart, TwoModes};
use super::observed::Observed;
use super::pace::{
    Pace, RATE_TOLERANCE_PERCENT, comes_in_bursts, in_flight, intervals_of, is_flat, is_pressed, median,
    shortest_latency_s,
};
use super::throttle::Throttle;
use crate::device_chain::ChainStep;
use crate::device_part::DevicePart;

/// So many whole intervals at least: of fewer, chance makes some stand as still as a limiter does ([`EXACT_SPREAD`]).
pub(crate) const LEAST_INTERVALS: usize = 10;
/// The sum of all seconds never leaves the straight line by more than the I/Os of so many seconds, however single seconds differ:
/// 2 % of ten seconds, 0.3 % of a minute. A device without a limit wanders away from any line.
const MOST_DRIFT_S: f64 = 0.2;
/// I/Os take so many times as long as on the idle device.
const LEAST_WAIT_RATIO: f64 = 4.0;
/// So many I/Os are in flight at least: of fewer, none may have to wait, and what looks like waiting is the spread of
/// the service.
// Eight outstanding ones, less the moments in which a slot is with the generator: what is counted in flight never reaches what is outstanding.
const LEAST_IN_FLIGHT: f64 = 7.5;
/// Below this many I/Os in work the device idles: one that did nothing but serve them one by one would be twice as
/// fast.
pub(crate) const IDLE_IN_WORK: f64 = 0.5;
/// Up to this many in work a round rate counts as evidence.
pub(crate) const ROUND_IN_WORK: f64 = 2.0;
/// A limiter that hands out tokens keeps its rate this closely; by chance one value of fifteen comes as close to a round
/// one.
const ROUND_TOLERANCE: f64 = 0.001;
/// Up to this many in work a rate counts that stands stiller than any queue of servers.
pub(crate) const EXACT_IN_WORK: f64 = 8.0;
/// Where n I/Os an interval are served at random times, their counts spread over about 0.3 √n or more
/// (renewal process with a coefficient of variation of 0.1, ten intervals). A third of that is no chance.
pub(crate) const EXACT_SPREAD: f64 = 0.1;

/// Less than this is no movement but the edge of an interval.
const LEAST_RANGE_PERCENT: f64 = 0.1;

/// What of the rate stood still.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Flat {
    /// The median of the intervals.
    pub(crate) level: f64,
    /// The largest distance of the sum from the straight line between its ends, in seconds of the mean rate.
    drift_s: f64,
    /// Largest minus smallest interval, in percent of the level.
    pub(crate) range_percent: f64,
}

impl Flat {
    fn of(paces: &[Pace], rate: fn(&Pace) -> f64) -> Option<Self> {
        Self::of_rates(&paces.iter().map(|pace| (rate(pace), pace.duration_s)).collect::<Vec<_>>())
    }

    /// Of rates, each with how long it was so, in seconds.
    pub(crate) fn of_rates(rates: &[(f64, f64)]) -> Option<Self> {
        let duration_s: f64 = rates.iter().map(|(_, duration_s)| duration_s).sum();
        let mean = rates.iter().map(|(rate, duration_s)| rate * duration_s).sum::<f64>() / duration_s;
        let all = || rates.iter().map(|(rate, _)| *rate);
        // The first second may have a slice of tokens more; the level is that of the others.
        let level = median(all());
        if !is_flat(all(), level, RATE_TOLERANCE_PERCENT) {
            return None;
        }
        let mut ahead_s: f64 = 0.0;
        let mut drift_s: f64 = 0.0;
        for (rate, duration_s) in rates {
            ahead_s += (rate / mean - 1.0) * duration_s;
            drift_s = drift_s.max(ahead_s.abs());
        }
        let most = all().fold(f64::MIN, f64::max);
        let least = all().fold(f64::MAX, f64::min);
        let range_percent = 100.0 * (most - least) / level;
        (drift_s <= MOST_DRIFT_S).then_some(Self { level, drift_s, range_percent })
    }
}

/// Whether a value is one that people set: two digits and zeros (3,000; 16,000), or a multiple of 25 with three digits
/// (125, 475).
pub(crate) fn is_round(value: f64) -> bool {
    if value <= 0.0 {
        return false;
    }
    let scale = 10f64.powf(value.log10().floor() - 1.0);
    let is_multiple_of = |step: f64| {
        let nearest = (value / step).round() * step;
        (value / nearest - 1.0).abs() <= ROUND_TOLERANCE
    };
    is_multiple_of(scale) || is_multiple_of(2.5 * scale)
}

/// How far one of a round rate of a single digit may be off: what the clocks of a limiter and ours differ by, and the I/Os that are under way at
/// both ends.
const VERY_ROUND_TOLERANCE: f64 = 0.0015;

/// Whether a rate is one digit and zeros (900; 4,000), as many limits are: by chance one rate of a hundred comes as close to one.
pub(crate) fn is_very_round(value: f64) -> bool {
    if value <= 0.0 {
        return false;
    }
    let scale = 10f64.powf(value.log10().floor());
    // 9.99 comes to ten of them, which is one of the next decade.
    let nearest = (value / scale).round() * scale;
    (value / nearest - 1.0).abs() <= VERY_ROUND_TOLERANCE
}

/// How far I/Os in work may be off a whole number, as a share of it, and count as servers that are never idle: servers that take exactly as long for
/// each I/O have it to the clock. Of limits with up to eight in work one in fifty comes as close by chance.
const WHOLE_TOLERANCE: f64 = 0.002;

/// Whether so many I/Os in work are a whole number of them.
pub(crate) fn is_whole_number(in_work: f64) -> bool {
    // Of less than a half none is near: divided by zero.
    (in_work / in_work.round() - 1.0).abs() <= WHOLE_TOLERANCE
}

/// A limit that is set on a rate, with what shows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FlatLimit {
    kind: Kind,
    flat: Flat,
    evidence: FlatRate,
    /// The jobs whose rate it is, by their places in the plan.
    pub(super) jobs: Vec<usize>,
}

impl FlatLimit {
    /// The limits of the parts of a load that have devices of their own, or else the one of all jobs together: what is set on the
    /// device of one role does not show where the rates of others are added to it.
    pub(super) fn all(
        subject: &Subject<'_>,
        paces: &[Pace],
        throttle: Option<Throttle>,
        has_modes: bool,
    ) -> Vec<Self> {
        let of_parts: Vec<Self> =
            DevicePart::all(subject).iter().flat_map(|part| Self::of_part(subject, part)).collect();
        if !of_parts.is_empty() {
            return of_parts;
        }
        Self::of_device(subject, paces, throttle, has_modes)
    }

    fn of_part(subject: &Subject<'_>, part: &DevicePart) -> Vec<Self> {
        let facts = part.facts(subject);
        let view = part.view(&facts, subject);
        let paces = Pace::of(&view);
        let throttle = Throttle::of(&view, &paces);
        let mut limits = Self::of_device(&view, &paces, throttle, TwoModes::of(&view).is_some());
        for limit in &mut limits {
            limit.jobs.clone_from(&part.jobs);
            limit.evidence.roles.clone_from(&part.roles);
            // Where devices counted something else than what was issued, nothing tells that the limit is theirs.
            if ChainStep::of_part(subject, part).is_some_and(|step| step.agrees()) {
                limit.evidence.devices.clone_from(&part.devices);
            }
        }
        limits
    }

    /// The limits of one direction, or else the one of both together: the other direction is a part of the mix that chance decides, so that all I/Os
    /// wander although the one stands still.
    fn of_device(
        subject: &Subject<'_>,
        paces: &[Pace],
        throttle: Option<Throttle>,
        has_modes: bool,
    ) -> Vec<Self> {
        let of_direction = |direction| Self::of_direction(subject, paces, throttle, direction);
        let of_directions: Vec<Self> = Direction::ALL.into_iter().filter_map(of_direction).collect();
        if of_directions.is_empty() {
            return Self::of(subject, paces, throttle, has_modes, None).into_iter().collect();
        }
        of_directions
    }

    fn of_direction(
        subject: &Subject<'_>,
        paces: &[Pace],
        throttle: Option<Throttle>,
        direction: Direction,
    ) -> Option<Self> {
        let from_s = throttle.map_or(0.0, |throttle| throttle.after_s);
        let is_looked_at = |pace: &&Pace| pace.phase == PhaseKind::Measure && pace.start_s >= from_s;
        let looked_at: Vec<Pace> = paces.iter().filter(is_looked_at).copied().collect();
        let jobs = &subject.plan?.jobs;
        let rate = |interval: &&Interval| {
            let counts = interval.jobs.iter().zip(jobs).filter(|(_, job)| !comes_in_bursts(job));
            let counts = counts.filter_map(|(counts, _)| counts.get(direction));
            let duration_s = interval.duration.as_secs_f64();
            (counts.map(OpCounts::io_count).sum::<u64>() as f64 / duration_s, duration_s)
        };
        let intervals = intervals_of(subject, &looked_at);
        let rates: Vec<(f64, f64)> = intervals.iter().map(rate).collect();
        // What has to copy intervals is asked last: most mixes have no direction that stands stiller than all of it.
        let flat = Flat::of_rates(&rates).filter(|_| rates.len() >= LEAST_INTERVALS)?;
        let all: Vec<f64> = looked_at.iter().map(|pace| pace.iops).collect();
        let range_of_all =
            all.iter().copied().fold(0.0, f64::max) - all.iter().copied().fold(f64::MAX, f64::min);
        // Where one direction follows the other, both stand still with their sum, and by which of them the limit is reached nobody can tell.
        let sum_stands_still = range_of_all <= EXACT_SPREAD * median(all.iter().copied()).sqrt();
        if sum_stands_still || flat.range_percent / 100.0 * flat.level >= MUCH_STILLER * range_of_all {
            return None;
        }
        let intervals: Vec<Interval> =
            subject.intervals.counted().iter().map(|one| only(one, direction)).collect();
        let mut view = Subject { intervals: Course::Counted(&intervals), ..subject.clone() };
        for job in &mut view.jobs {
            match direction {
                Direction::Read => job.ops.write = None,
                Direction::Write => job.ops.read = None,
            }
        }
        let paces = Pace::of(&view);
        let throttle = Throttle::of(&view, &paces);
        Self::of(&view, &paces, throttle, TwoModes::of(&view).is_some(), Some(direction))
    }

    /// The rate stood still although I/Os were waiting and the device had little to do: a limit is set on it.
    ///
    /// From outside a limiter and a device that is worked to capacity look alike: both are flat, and both let I/Os wait. What
    /// tells them apart is how many I/Os are in work at once, `rate × shortest latency` (Little's law on the service alone). A
    /// device at capacity has all that it can serve at once in work; behind a limiter it idles. So the finding needs a flat
    /// rate, latencies of several times the shortest one, and one of these: less than half an I/O in work while nearly all wait; a
    /// burst before; few in work and a rate that people set; few in work and a rate too still for chance.
    ///
    /// A device that serves one or two I/Os at a time at a round rate cannot be told from a limiter, and is called one; unless all take exactly as
    /// long, so that a whole number of them is in work. Nor is idling evidence at some hundred I/Os a second, if they vary as those of one server do.
    ///
    /// Of one direction of a mix it is enough that it stands too still for chance: none of its I/Os may have found the device idle.
    ///
    /// A rotating disk has few I/Os in work by nature, and its shortest latency may be its cache's: for it, and for a load whose
    /// latencies have two modes, idling alone is no evidence. Where the slower mode is what stands still, a cache lies before the limit, and
    /// the rate of all is not its value ([`SlowPart`]).
    pub(super) fn of(
        subject: &Subject<'_>,
        all: &[Pace],
        throttle: Option<Throttle>,
        has_modes: bool,
        direction: Option<Direction>,
    ) -> Option<Self> {
        let from_s = throttle.map_or(0.0, |throttle| throttle.after_s);
        let paces: Vec<Pace> = all
            .iter()
            .filter(|pace| pace.phase == PhaseKind::Measure && pace.start_s >= from_s)
            .copied()
            .collect();
        if paces.len() < LEAST_INTERVALS || !is_pressed(subject, &paces) {
            return None;
        }
        let iops = Flat::of(&paces, |pace| pace.iops);
        let bandwidth = Flat::of(&paces, |pace| pace.mib_per_s);
        let shortest_s = shortest_latency_s(all)?;
        let mean_iops = median(paces.iter().map(|pace| pace.iops));
        let in_work = mean_iops * shortest_s;
        let in_flight = in_flight(&paces);
        let mean_latency_s = in_flight / mean_iops;
        let wait_ratio = mean_latency_s / shortest_s;
        let (kind, flat) = kind_of_limit(&subject.plan?.jobs, iops, bandwidth)?;
        let is_round = match kind {
            Kind::Iops => is_round(flat.level),
            Kind::Bandwidth => is_round_bandwidth(flat.level),
        };
        let is_exact = flat.range_percent / 100.0 * mean_iops <= EXACT_SPREAD * mean_iops.sqrt();
        // No servers make one direction of a mix stand so still while chance moves the mix.
        let is_exact_in_mix = is_exact && direction.is_some();
        if in_flight < LEAST_IN_FLIGHT || wait_ratio < LEAST_WAIT_RATIO && !is_exact_in_mix {
            return None;
        }
        let all_wait =
            || tenth_percentile_s(subject).is_some_and(|p10_s| p10_s >= LEAST_WAIT_RATIO * shortest_s);
        // What has to merge or walk histograms is asked last, here and below: most results are no limit without it.
        let is_idle = in_work < IDLE_IN_WORK && !is_rotational(subject) && !has_modes && all_wait();
        // Servers whose services all take the same time, none of which is ever idle.
        let are_exact_servers = is_exact && is_whole_number(in_work);
        let is_limit = is_idle && !may_be_one_server(&paces)
            || throttle.is_some()
            || is_exact_in_mix
            || in_work < ROUND_IN_WORK && is_round && !are_exact_servers
            || in_work < EXACT_IN_WORK && is_exact && !are_exact_servers;
        let weight = |job: &Job| match kind {
            Kind::Iops => 1.0,
            Kind::Bandwidth => job.block_size.mean_bytes(),
        };
        let has_cache_before = || {
            has_modes
                && SlowPart::of(subject, &intervals_of(subject, &paces), weight)
                    .is_some_and(|slow| slow.is_limited_alone(flat.drift_s, is_exact))
        };
        (is_limit && !has_cache_before()).then(|| Self {
            jobs: (0..subject.jobs.len()).collect(),
            kind,
            flat,
            evidence: FlatRate {
                roles: Vec::new(),
                devices: Vec::new(),
                direction,
                limit_iops: (kind == Kind::Iops).then_some(flat.level),
                limit_mib_per_s: (kind == Kind::Bandwidth).then_some(flat.level),
                iops: mean_iops,
                mib_per_s: median(paces.iter().map(|pace| pace.mib_per_s)),
                range_percent: flat.range_percent,
                drift_s: flat.drift_s,
                in_flight,
                in_work,
                lat_mean_us: 1e6 * mean_latency_s,
                lat_min_us: 1e6 * shortest_s,
                is_round,
                measured_s: paces.iter().map(|pace| pace.duration_s).sum(),
            },
        })
    }
}

impl FlatLimit {
    pub(super) fn is_on_bytes(&self) -> bool {
        self.kind == Kind::Bandwidth
    }
}

/// What an interval has of one direction.
fn only(interval: &Interval, direction: Direction) -> Interval {
    let of_direction = |counts: &JobCounts| match direction {
        Direction::Read => JobCounts { read: counts.read.clone(), ..JobCounts::default() },
        Direction::Write => JobCounts { write: counts.write.clone(), ..JobCounts::default() },
    };
    Interval {
        jobs: interval.jobs.iter().map(of_direction).collect(),
        backlog: interval.backlog.clone(),
        ..*interval
    }
}

/// Up to this rate the sum of all seconds of a device that serves one I/O after the other stays as near a line as that of a limiter, for as long as
/// a run lasts: with services that spread like those of a disk that seeks (relative standard deviation 0.5), 0.87 × 0.5 × √(60 s / rate) are
/// [`MOST_DRIFT_S`] at 280 a second (the mean of the largest distance of a Brownian bridge).
const ONE_SERVER_IOPS: f64 = 300.0;
/// Counts of a second that vary less than this times their root are too still for such a device.
const ONE_SERVER_SPREAD: f64 = 0.25;

/// Whether one server could have made these rates, of which the shortest I/O was a lucky one.
fn may_be_one_server(paces: &[Pace]) -> bool {
    let rates = || paces.iter().map(|pace| pace.iops);
    let count = paces.len() as f64;
    let mean = rates().sum::<f64>() / count;
    let deviation = (rates().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    mean < ONE_SERVER_IOPS && deviation >= ONE_SERVER_SPREAD * mean.sqrt()
}

/// Limits of a known kind are set on the device, the volume or the instance, or on the devices of some roles.
pub(super) fn flat_limits(seen: &Observed<'_, '_>) -> Vec<Finding> {
    let of = |limit: &FlatLimit| {
        let id = match limit.kind {
            Kind::Iops => FindingId::FlatIopsLimit,
            Kind::Bandwidth => FindingId::FlatBandwidthLimit,
        };
        Finding::new(id, Severity::Note, Evidence::FlatLimit(limit.evidence.clone()))
    };
    seen.flat.iter().map(of).collect()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Iops,
    Bandwidth,
}

/// Which of the two is the limit.
///
/// With several block sizes the one is flat that is limited, and the other moves with the mix: the one with half the range
/// or less. With one block size both stand still; then a round value tells, and after that the size: from 64 KiB on
/// bandwidth is what volumes run out of.
fn kind_of_limit(jobs: &[Job], iops: Option<Flat>, bandwidth: Option<Flat>) -> Option<(Kind, Flat)> {
    let (iops, bandwidth) = match (iops, bandwidth) {
        (None, None) => return None,
        (Some(flat), None) => return Some((Kind::Iops, flat)),
        (None, Some(flat)) => return Some((Kind::Bandwidth, flat)),
        (Some(iops), Some(bandwidth)) => (iops, bandwidth),
    };
    let moves = |one: Flat, other: Flat| {
        one.range_percent > LEAST_RANGE_PERCENT && one.range_percent > 2.0 * other.range_percent
    };
    if moves(bandwidth, iops) {
        return Some((Kind::Iops, iops));
    }
    if moves(iops, bandwidth) {
        return Some((Kind::Bandwidth, bandwidth));
    }
    let large = jobs.iter().all(|job| job.block_size.unit().get() >= 65_536);
    Some(match (is_round(iops.level), is_round_bandwidth(bandwidth.level)) {
        (true, false) => (Kind::Iops, iops),
        (false, true) => (Kind::Bandwidth, bandwidth),
        _ if large => (Kind::Bandwidth, bandwidth),
        _ => (Kind::Iops, iops),
    })
}

/// No volume has a lower limit than this, so that a round number below it is chance.
const LEAST_SOLD_MIB_PER_S: f64 = 10.0;

/// Volumes are sold by MiB/s and by MB/s.
pub(crate) fn is_round_bandwidth(mib_per_s: f64) -> bool {
    mib_per_s >= LEAST_SOLD_MIB_PER_S && (is_round(mib_per_s) || is_round(mib_per_s * 1.048_576))
}

/// Nine of ten I/Os of the measured phase took longer.
fn tenth_percentile_s(subject: &Subject<'_>) -> Option<f64> {
    let mut latency = LatencyHistogram::default();
    for job in &subject.jobs {
        for counts in Direction::ALL.into_iter().filter_map(|direction| job.counts(direction)) {
            latency.merge(&counts.total_latency);
        }
    }
    latency.percentile(10.0).map(|latency| latency.as_secs_f64())
}

/// Whether a device right below a target turns, as far as it is known.
fn is_rotational(subject: &Subject<'_>) -> bool {
    let mut devices = subject.targets.iter().flat_map(|target| &target.devices);
    devices.any(|device| device.level.is_none_or(|level| level == 1) && device.rotational == Some(true))
}

#[cfg(test)]
mod tests;
