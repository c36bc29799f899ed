//! A limit of a known kind: the rate stands still while I/Os wait.

use iotrial_model::finding::{Evidence, Finding, FindingId, FlatRate, Severity};
use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::load::Direction;
use iotrial_model::plan::{Job, PhaseKind};
use iotrial_model::subject::Subject;

use super::modes::{SlowPart, TwoModes};
use super::observed::Observed;
use super::pace::{
    Pace, RATE_TOLERANCE_PERCENT, in_flight, intervals_of, is_flat, is_pressed, median, shortest_latency_s,
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
        nearest > 0.0 && (value / nearest - 1.0).abs() <= ROUND_TOLERANCE
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
    // 9.99 belongs to the next decade.
    [scale, 10.0 * scale].into_iter().any(|scale| {
        let nearest = (value / scale).round().max(1.0) * scale;
        (value / nearest - 1.0).abs() <= VERY_ROUND_TOLERANCE
    })
}

/// How far I/Os in work may be off a whole number, as a share of it, and count as servers that are never idle: servers that take exactly as long for
/// each I/O have it to the clock. Of limits with up to eight in work one in fifty comes as close by chance.
const WHOLE_TOLERANCE: f64 = 0.002;

/// Whether so many I/Os in work are a whole number of them.
pub(crate) fn is_whole_number(in_work: f64) -> bool {
    let nearest = in_work.round();
    nearest >= 1.0 && (in_work / nearest - 1.0).abs() <= WHOLE_TOLERANCE
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
            DevicePart::all(subject).iter().filter_map(|part| Self::of_part(subject, part)).collect();
        if !of_parts.is_empty() {
            return of_parts;
        }
        Self::of(subject, paces, throttle, has_modes).into_iter().collect()
    }

    fn of_part(subject: &Subject<'_>, part: &DevicePart) -> Option<Self> {
        let facts = part.facts(subject);
        let view = part.view(&facts, subject);
        let paces = Pace::of(&view);
        let throttle = Throttle::of(&view, &paces);
        let mut limit = Self::of(&view, &paces, throttle, TwoModes::of(&view).is_some())?;
        limit.jobs.clone_from(&part.jobs);
        limit.evidence.roles.clone_from(&part.roles);
        // Where devices counted something else than what was issued, nothing tells that the limit is theirs.
        if ChainStep::of_part(subject, part).is_some_and(|step| step.agrees()) {
            limit.evidence.devices.clone_from(&part.devices);
        }
        Some(limit)
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
    /// A rotating disk has few I/Os in work by nature, and its shortest latency may be its cache's: for it, and for a load whose
    /// latencies have two modes, idling alone is no evidence. Where the slower mode is what stands still, a cache lies before the limit, and
    /// the rate of all is not its value ([`SlowPart`]).
    pub(super) fn of(
        subject: &Subject<'_>,
        all: &[Pace],
        throttle: Option<Throttle>,
        has_modes: bool,
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
        if wait_ratio < LEAST_WAIT_RATIO || in_flight < LEAST_IN_FLIGHT {
            return None;
        }
        let (kind, flat) = kind_of_limit(&subject.plan?.jobs, iops, bandwidth)?;
        let is_round = match kind {
            Kind::Iops => is_round(flat.level),
            Kind::Bandwidth => is_round_bandwidth(flat.level),
        };
        let is_exact = flat.range_percent / 100.0 * mean_iops <= EXACT_SPREAD * mean_iops.sqrt();
        let all_wait =
            || tenth_percentile_s(subject).is_some_and(|p10_s| p10_s >= LEAST_WAIT_RATIO * shortest_s);
        // What has to merge or walk histograms is asked last, here and below: most results are no limit without it.
        let is_idle = in_work < IDLE_IN_WORK && !is_rotational(subject) && !has_modes && all_wait();
        // Servers whose services all take the same time, none of which is ever idle.
        let are_exact_servers = is_exact && is_whole_number(in_work);
        let is_limit = is_idle && !may_be_one_server(&paces)
            || throttle.is_some()
            || in_work < ROUND_IN_WORK && is_round && !are_exact_servers
            || in_work < EXACT_IN_WORK && is_exact && !are_exact_servers;
        let weight = |job: &Job| match kind {
            Kind::Iops => 1.0,
            Kind::Bandwidth => job.block_size.mean_bytes(),
        };
        let has_cache_before = || {
            has_modes
                && SlowPart::of(subject, &intervals_of(subject, &paces), weight)
                    .is_some_and(|slow| slow.is_limited_alone(flat.drift_s))
        };
        (is_limit && !has_cache_before()).then(|| Self {
            jobs: (0..subject.jobs.len()).collect(),
            kind,
            flat,
            evidence: FlatRate {
                roles: Vec::new(),
                devices: Vec::new(),
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
mod tests {
    use std::time::Duration;

    use iotrial_model::record::{JobCounts, RunRecord};

    use super::*;
    use crate::findings::{found, modes};
    use serde_json::json;

    use crate::test_record::{apart, counts, healthy, measured};

    fn flat_limit(record: &RunRecord) -> Option<Finding> {
        let mut all = found(record, super::flat_limits);
        assert!(all.len() <= 1, "{all:?}");
        all.pop()
    }

    fn cache_served(record: &RunRecord) -> Option<Finding> {
        found(record, modes::cache_by_latency)
    }

    /// A run whose first I/O found the device idle and took `shortest_us`.
    fn with_shortest(mut record: RunRecord, shortest_us: u64) -> RunRecord {
        let first = counts(1, Duration::from_micros(shortest_us));
        record.intervals[0].jobs[0].read.as_mut().unwrap().total_latency.merge(&first.total_latency);
        record
    }

    fn id(record: &RunRecord) -> Option<FindingId> {
        flat_limit(record).map(|found| found.id)
    }

    #[test]
    fn a_flat_rate_of_an_idle_device_is_a_limit_and_its_value_is_named() {
        // 1,600 data I/Os and 200 commits a second.
        let found = flat_limit(&with_shortest(measured(60, |_| 1_600), 200)).unwrap();
        assert_eq!(found.id, FindingId::FlatIopsLimit);
        let Evidence::FlatLimit(rate) = &found.evidence else { panic!("{found:?}") };
        assert_eq!((rate.limit_iops, rate.measured_s), (Some(1_800.0), 60.0));
        assert!((rate.in_work - 0.36).abs() < 0.01, "{rate:?}");
        // The tokens of a slice fall into the next second, and back.
        let sliced = measured(60, |second| match second % 10 {
            3 => 1_480,
            4 => 1_720,
            _ => 1_600,
        });
        assert_eq!(id(&with_shortest(sliced, 200)), Some(FindingId::FlatIopsLimit));
    }

    #[test]
    fn a_device_at_capacity_is_flat_as_well_and_has_no_limit() {
        // Nine outstanding, 18,000 IOPS: at 200 µs each there are 3.6 in work; chance moves the rate.
        let chance = |second: u64| 16_500 + (second * 7_919) % 64;
        assert_eq!(id(&with_shortest(measured(60, chance), 100)), None);
        assert_eq!(id(&healthy()), None);
    }

    #[test]
    fn a_rate_that_wanders_or_is_short_or_does_not_wait_is_no_limit() {
        let limited = |seconds, iops: fn(u64) -> u64| id(&with_shortest(measured(seconds, iops), 200));
        assert_eq!(limited(60, |second| 1_500 + 4 * second), None);
        assert_eq!(limited(9, |_| 1_600), None);
        assert_eq!(id(&measured(60, |_| 1_600)), None);
    }

    /// 32 outstanding reads: in each second 320 take 98 ms, and so many more 300 µs. Beside them, where that is asked, a log whose
    /// slow writes are too few for a mode.
    fn two_modes(fast: impl Fn(u64) -> u64, with_log: bool) -> RunRecord {
        let both = |slow: u64, fast: u64| {
            let mut both = counts(slow, Duration::from_millis(98));
            both.merge(&counts(fast, Duration::from_micros(300)));
            Some(both)
        };
        let mut record = measured(24, |_| 2_000);
        record.plan.jobs.truncate(1 + usize::from(with_log));
        record.plan.jobs[0].iodepth = 32;
        for (second, interval) in (0..).zip(&mut record.intervals) {
            let pages = JobCounts { read: both(320, fast(second)), ..JobCounts::default() };
            let log = JobCounts { write: both(8, 192), ..JobCounts::default() };
            interval.jobs = [pages, log].into_iter().take(record.plan.jobs.len()).collect();
        }
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        with_shortest(record, 50)
    }

    #[test]
    fn the_slices_of_a_limiter_are_told_from_a_cache_before_it() {
        // Ten slices of 200 a second. The ends of the seconds cut one of them: the fast ones fall on either side, and the slow ones,
        // which pass first, always on the same.
        let cut = |second: u64| [0, 0, 200, 0, 160, 0, 0][(second % 7) as usize];
        for with_log in [false, true] {
            let sliced = two_modes(|second| 1_680 + cut(second + 1) - cut(second), with_log);
            assert_eq!(id(&sliced), Some(FindingId::FlatIopsLimit), "{with_log}");
            assert_eq!(cache_served(&sliced), None);
        }
        // As many, and 2,000 in the middle, but their sum wanders.
        let wandering = |second| match second {
            0..5 => 1_740,
            5..19 => 1_680,
            _ => 1_620,
        };
        let cached = two_modes(wandering, false);
        assert_eq!(id(&cached), None);
        assert!(cache_served(&cached).is_some());
    }

    /// Data at a rate that wanders, and a log with 16 outstanding writes that is held at 400 a second.
    fn limited_log() -> RunRecord {
        let mut record = measured(60, |second| 12_000 + 97 * (second * 37 % 41));
        record.plan.jobs[1].iodepth = 16;
        for interval in &mut record.intervals {
            interval.jobs[1].write = Some(counts(400, Duration::from_millis(40)));
        }
        let first = counts(1, Duration::from_micros(100));
        record.intervals[0].jobs[1].write.as_mut().unwrap().merge(&first);
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        record
    }

    #[test]
    fn a_limit_of_the_device_of_one_role_is_found_beside_the_others_and_named_with_it() {
        let mut record = limited_log();
        assert_eq!(id(&record), None, "on one device the rates of both are added");
        apart(&mut record);
        let found = flat_limit(&record).unwrap();
        assert_eq!(found.id, FindingId::FlatIopsLimit);
        let facts = found.evidence.facts();
        assert_eq!((&facts["roles"], &facts["devices"]), (&json!(["log"]), &json!(["sdc"])));
        assert_eq!(facts["limit_iops"], json!(400.0));
        // A device that counted something else is not accused.
        record.devices[1].write_bytes /= 2;
        let found = flat_limit(&record).unwrap();
        assert_eq!(found.evidence.facts()["limit_iops"], json!(400.0));
        assert!(!found.evidence.facts().contains_key("devices"));
    }

    #[test]
    fn a_limit_of_all_devices_together_is_found_where_no_role_stands_still_alone() {
        // Each takes what the other leaves: a limit on the instance.
        let share = |second: u64| 200 * (second * 37 % 11);
        let mut record = with_shortest(measured(60, |second| 3_000 + share(second)), 200);
        record.plan.jobs[1].iodepth = 8;
        for (second, interval) in (0..).zip(&mut record.intervals) {
            let rate = 9_000 - (3_000 + share(second));
            interval.jobs[1].write = Some(counts(rate, Duration::from_nanos(8_000_000_000 / rate)));
        }
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        apart(&mut record);
        let found = flat_limit(&record).unwrap();
        assert_eq!(found.evidence.facts()["limit_iops"], json!(9_000.0));
        assert!(!found.evidence.facts().contains_key("roles"));
    }

    #[test]
    fn idling_is_no_evidence_on_a_disk_that_turns() {
        let mut record = with_shortest(measured(60, |second| 1_660 + second % 7), 200);
        assert_eq!(id(&record), Some(FindingId::FlatIopsLimit));
        record.targets[0].devices.push(iotrial_model::record::BlockDevice {
            rotational: Some(true),
            ..iotrial_model::record::BlockDevice::default()
        });
        assert_eq!(id(&record), None);
    }

    #[test]
    fn with_one_block_size_the_round_value_tells_which_limit_it_is() {
        // 8 KiB each: 12,800 IOPS are 100 MiB/s.
        let flat = |level| Some(Flat { level, drift_s: 0.0, range_percent: 0.1 });
        let record = healthy();
        let kind = |iops: f64| {
            kind_of_limit(&record.plan.jobs, flat(iops), flat(iops / 128.0)).map(|(kind, _)| kind)
        };
        assert_eq!(kind(12_800.0), Some(Kind::Bandwidth));
        assert_eq!(kind(2_000.0), Some(Kind::Iops));
        assert_eq!(kind(12_345.0), Some(Kind::Iops));
        // With several sizes the one tells that stands still.
        let moving = Some(Flat { level: 90.0, drift_s: 0.1, range_percent: 3.0 });
        assert_eq!(kind_of_limit(&record.plan.jobs, flat(12_345.0), moving).unwrap().0, Kind::Iops);
        assert_eq!(kind_of_limit(&record.plan.jobs, moving, flat(90.0)).unwrap().0, Kind::Bandwidth);
    }

    #[test]
    fn exact_servers_that_are_never_idle_are_no_limit_however_round_their_rate() {
        // 1,800 I/Os a second of which one takes 1/1,800 s: one server.
        let exact = |shortest_us: u64| id(&with_shortest(measured(60, |_| 1_600), shortest_us));
        assert_eq!(exact(555), None);
        assert_eq!(exact(700), Some(FindingId::FlatIopsLimit));
        for (in_work, is_whole) in
            [(1.0, true), (0.999, true), (0.97, false), (0.4, false), (4.43, false), (7.99, true)]
        {
            assert_eq!(is_whole_number(in_work), is_whole, "{in_work}");
        }
        for (rate, is_round) in
            [(3_000.0, true), (2_996.0, true), (9_990.0, true), (2_500.0, false), (0.0, false)]
        {
            assert_eq!(is_very_round(rate), is_round, "{rate}");
        }
    }

    #[test]
    fn one_disk_that_seeks_is_no_limit() {
        // 165 a second of very different length, of which the shortest took 0.6 ms: 21 of the second are chance.
        let seeks = |second: u64| 145 + (second * 7_919) % 21;
        let mut record = with_shortest(measured(60, seeks), 600);
        record.plan.jobs.truncate(1);
        record.plan.jobs[0].iodepth = 8;
        for interval in &mut record.intervals {
            interval.jobs.truncate(1);
        }
        record.jobs.truncate(1);
        assert_eq!(id(&record), None);
    }

    #[test]
    fn round_is_what_people_set() {
        for value in [2_000.0, 3_000.0, 16_000.0, 7_500.0, 125.0, 475.0, 1_000.0, 64_000.0] {
            assert!(is_round(value), "{value}");
            assert!(is_round(value * 0.9995), "{value}");
        }
        for value in [12_345.0, 17_660.0, 131.07, 0.0] {
            assert!(!is_round(value), "{value}");
        }
    }
}
