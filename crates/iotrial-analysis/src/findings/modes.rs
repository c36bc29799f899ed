//! Latencies in two separate modes: a cache answers a part of the I/Os, and something slower the rest.

use std::time::Duration;

use iotrial_model::finding::{CacheByLatency, Evidence, Finding, FindingId, GAP_RATIO, SeenIn, Severity};
use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::Job;
use iotrial_model::record::Interval;
use iotrial_model::subject::Subject;

use super::generator;
use super::observed::Observed;
use super::pace::{comes_in_bursts, total_latency_s};
use crate::figures::percentile_us;

/// Both modes hold so much of the I/Os, or it is only a tail.
const LEAST_MODE_PERCENT: f64 = 5.0;
/// The gap between them holds no more than this of the I/Os.
const MOST_GAP_PERCENT: f64 = 0.5;
/// The slow mode's median is so many times the fast one's: memory against flash is 5 to 100 times.
const LEAST_MODE_RATIO: f64 = 4.0;
/// A part of the I/Os that has no more than this share of the range of all of them is what a limit holds.
pub(super) const MUCH_STILLER: f64 = 0.5;
/// A limiter that works in slices leaves the straight line by this many: one, and what a busy host is late by ...
const MOST_SLICES: f64 = 1.25;
/// What waits for a CPU behind others waits for a slice of the scheduler: 0.7 ms times its factor for several CPUs (`base_slice_ns` in
/// kernel/sched/fair.c), so 1.4 ms on two; some less, because a slice may be under way. Seen around 3 ms.
const LEAST_CPU_WAIT_US: f64 = 1_000.0;
/// I/Os that wait for the next slice take this long at least: the shortest slices of Linux last 20 ms (`DFL_THROTL_SLICE_SSD`), and on average a bunch
/// waits for more than a half of one. No medium below a cache takes so long, as long as it is not overloaded.
const LEAST_SLICE_WAIT_US: f64 = 10_000.0;
/// Counts of intervals with a variance below this share of what chance makes of a cache are not of one: with nine degrees of freedom that is so in less
/// than one of a hundred (χ² of 2.09 and less).
const STILL_SHARE: f64 = 0.2;
/// ... and they are no longer than this: a tenth of a second for cgroups of Linux (`DFL_THROTL_SLICE_HD`).
const LONGEST_SLICE_S: f64 = 0.1;
/// Fewer I/Os have no shape: a mode of 5 % would be fifty of them, and a gap of 0.5 % five.
const LEAST_IO_COUNT: u64 = 1_000;

/// Two modes and the gap between them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Modes {
    fast_count: u64,
    fast_percent: f64,
    fast_median_us: f64,
    slow_median_us: f64,
    gap_from_us: f64,
}

impl Modes {
    /// The emptiest gap of a histogram; `None` where there is none.
    fn of(latency: &LatencyHistogram) -> Option<Self> {
        let io_count = latency.io_count();
        if io_count < LEAST_IO_COUNT {
            return None;
        }
        let buckets: Vec<(f64, u64)> =
            latency.buckets().map(|(edge, count)| (edge.as_secs_f64() * 1e6, count)).collect();
        let percent = |count: u64| 100.0 * count as f64 / io_count as f64;
        // For every gap that begins behind a bucket: what lies below it, and what in it.
        let (mut below, mut in_gap, mut end) = (0, 0, 0);
        let mut best: Option<(u64, f64, u64)> = None;
        for (index, (edge_us, count)) in buckets.iter().enumerate() {
            below += count;
            in_gap = if end > index { in_gap - count } else { 0 };
            end = end.max(index + 1);
            while end < buckets.len() && buckets[end].0 <= edge_us * GAP_RATIO {
                in_gap += buckets[end].1;
                end += 1;
            }
            let above = io_count - below - in_gap;
            let is_gap = percent(in_gap) <= MOST_GAP_PERCENT
                && percent(below) >= LEAST_MODE_PERCENT
                && percent(above) >= LEAST_MODE_PERCENT;
            if is_gap && best.is_none_or(|(least, ..)| in_gap < least) {
                best = Some((in_gap, *edge_us, below));
            }
        }
        let (_, gap_from_us, below) = best?;
        let fast_percent = percent(below);
        let modes = Self {
            fast_count: below,
            fast_percent,
            fast_median_us: percentile_us(latency, fast_percent / 2.0)?,
            slow_median_us: percentile_us(latency, 50.0 + fast_percent / 2.0)?,
            gap_from_us,
        };
        (modes.slow_median_us >= LEAST_MODE_RATIO * modes.fast_median_us).then_some(modes)
    }

    /// Whether a part of the I/Os lies on each side of the gap.
    fn divides(&self, latency: &LatencyHistogram) -> bool {
        let percent = 100.0 * self.fast_count_of(latency) as f64 / latency.io_count() as f64;
        (LEAST_MODE_PERCENT..=100.0 - LEAST_MODE_PERCENT).contains(&percent)
    }

    /// I/Os below the gap.
    fn fast_count_of(&self, latency: &LatencyHistogram) -> u64 {
        let below = |(edge, _): &(Duration, u64)| edge.as_secs_f64() * 1e6 <= self.gap_from_us;
        latency.buckets().take_while(below).map(|(_, count)| count).sum()
    }
}

/// The job and direction with two modes at the same time, of which the fast one has most I/Os.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TwoModes {
    job: usize,
    direction: Direction,
    modes: Modes,
}

impl TwoModes {
    /// Of any stream.
    pub(super) fn of(subject: &Subject<'_>) -> Option<Self> {
        Self::find(subject, |_, _| true)
    }

    /// Of a stream whose I/Os should all take the same time.
    pub(super) fn unplanned(subject: &Subject<'_>) -> Option<Self> {
        Self::find(subject, |job, direction| !differ_by_plan(job, direction))
    }

    fn find(subject: &Subject<'_>, select: impl Fn(&Job, Direction) -> bool) -> Option<Self> {
        let jobs = subject.plan?.jobs.iter().zip(&subject.jobs).enumerate();
        let streams =
            jobs.flat_map(|(index, (job, _))| Direction::ALL.map(|direction| (index, job, direction)));
        let found = streams.filter(|(_, job, direction)| select(job, *direction));
        let found = found.filter_map(|(job, _, direction)| {
            Some(Self { job, direction, modes: modes_of(subject, job, direction)? })
        });
        found.max_by_key(|one| one.modes.fast_count)
    }
}

/// What a cache leaves to the device: the I/Os behind the gap of each stream that has two modes by itself, and the whole of every
/// other stream. Jobs that come in bursts are left out, as they are of the rates over time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SlowPart {
    /// Whether it stands stiller than all I/Os together, from one interval to the next.
    is_stiller: bool,
    /// How long a slice would last if a limiter made the modes, in seconds.
    slice_s: f64,
}

impl SlowPart {
    /// `None` where no stream has two modes. `weight` is what an I/O of a job takes of a limit.
    pub(super) fn of(
        subject: &Subject<'_>,
        intervals: &[&Interval],
        weight: impl Fn(&Job) -> f64,
    ) -> Option<Self> {
        let jobs = &subject.plan?.jobs;
        let looked_at = || (0..jobs.len()).filter(|job| !comes_in_bursts(&jobs[*job]));
        let streams: Vec<(usize, Direction, Option<Modes>)> = looked_at()
            .flat_map(|job| Direction::ALL.map(|direction| (job, direction)))
            .map(|(job, direction)| {
                let by_itself = !differ_by_plan(&jobs[job], direction);
                (job, direction, if by_itself { modes_of(subject, job, direction) } else { None })
            })
            .collect();
        if streams.iter().all(|(.., modes)| modes.is_none()) {
            return None;
        }
        // All streams share what is limited, each of them a part that chance decides.
        let (mut waiting_count, mut latency_s) = (0, 0.0);
        let rates: Vec<[f64; 2]> = intervals
            .iter()
            .map(|interval| {
                let mut rates = [0.0; 2];
                for (job, direction, modes) in &streams {
                    let Some(counts) = interval.jobs.get(*job).and_then(|counts| counts.get(*direction))
                    else {
                        continue;
                    };
                    let all = counts.total_latency.io_count();
                    let slow = all - modes.map_or(0, |modes| modes.fast_count_of(&counts.total_latency));
                    if modes.is_some() {
                        waiting_count += slow;
                        latency_s += total_latency_s(counts);
                    }
                    let per_s = weight(&jobs[*job]) / interval.duration.as_secs_f64();
                    rates[0] += all as f64 * per_s;
                    rates[1] += slow as f64 * per_s;
                }
                rates
            })
            .collect();
        let range = |part: usize| {
            let of_part = || rates.iter().map(move |both| both[part]);
            let mean = of_part().sum::<f64>() / rates.len() as f64;
            (of_part().fold(0.0, f64::max) - of_part().fold(f64::MAX, f64::min)) / mean
        };
        let is_stiller = range(1) < MUCH_STILLER * range(0);
        Some(Self { is_stiller, slice_s: latency_s / waiting_count as f64 })
    }

    /// Whether this part is what a limit holds, and a cache answers the rest: it stands stiller than all together, of which chance
    /// decides how many are answered.
    ///
    /// A limiter makes two modes as well where it hands its tokens out in slices: most I/Os of a slice pass at once, and those that
    /// find it empty, all that are in flight, wait for the next. So a slice lasts as long as those in flight, divided by how many of
    /// them wait in a second; and all I/Os together never leave a straight line by more than about one of them, while the sum of
    /// what a cache answers wanders.
    ///
    /// Where a value that people set is all that speaks for a limit, no part has to be the stiller one: chance brings every fifteenth rate near such a
    /// value, and the shortest latency is that of the cache, so that the device behind it seems to idle. Only slices leave a limit then.
    pub(super) fn is_limited_alone(self, drift_of_all_s: f64, is_exact: bool) -> bool {
        (self.is_stiller || !is_exact) && drift_of_all_s > MOST_SLICES * self.slice_s.min(LONGEST_SLICE_S)
    }
}

/// The two modes of a stream, where they are there at the same time: a device that changed from
/// fast to slow has two modes as well, but one after the other. So both must be there in half of the intervals.
fn modes_of(subject: &Subject<'_>, job: usize, direction: Direction) -> Option<Modes> {
    let modes = Modes::of(&subject.jobs.get(job)?.counts(direction)?.total_latency)?;
    let (mut count, mut divided) = (0, 0);
    for interval in subject.measured_intervals() {
        let latency = &interval.jobs.get(job)?.get(direction)?.total_latency;
        if latency.io_count() > 0 {
            count += 1;
            divided += usize::from(modes.divides(latency));
        }
    }
    (divided * 2 >= count && count > 0).then_some(modes)
}

/// Whether the I/Os of a stream take different times by plan: some of its writes are flushed and others not, or they differ
/// in size.
fn differ_by_plan(job: &Job, direction: Direction) -> bool {
    let some_are_flushed = job.durability != Durability::None && job.flush_every > 1;
    let differ_in_size = job.block_size.shares().len() > 1 || job.group_commit.is_some();
    differ_in_size || (direction == Direction::Write && some_are_flushed)
}

/// A part of the I/Os came from a cache: their latencies have two modes with a gap between.
///
/// A limiter that lets I/Os pass in slices makes two modes too, so that this is not said of a flat limit. Nor is it of a
/// load that waited for its generator, or was served on a host without a free CPU, where the second latency may be the scheduler's, or that
/// had no device at all.
pub(super) fn cache_by_latency(seen: &Observed<'_, '_>) -> Option<Finding> {
    let TwoModes { job, direction, modes } = seen.unplanned_modes?;
    let waited_for_generator =
        seen.generator.as_ref().is_some_and(|used| generator::is_short_of_cpu(used, seen.subject))
            || seen.issued_late.as_ref().is_some_and(super::open_load::Share::shows)
            || seen.held.as_ref().is_some_and(super::open_load::Held::shows);
    let may_wait_for_cpu = modes.slow_median_us >= LEAST_CPU_WAIT_US
        && seen.generator.as_ref().is_some_and(generator::is_on_a_full_host);
    let is_limited = seen.flat.iter().any(|limit| limit.jobs.contains(&job));
    if !seen.subject.has_device()
        || waited_for_generator
        || may_wait_for_cpu
        || is_limited
        || is_sliced(seen.subject, job, direction, &modes)
    {
        return None;
    }
    let job = &seen.subject.plan?.jobs[job];
    let evidence = CacheByLatency {
        seen_in: SeenIn::Latency,
        direction,
        job: job.name.clone(),
        cache_percent: modes.fast_percent,
        fast_median_us: modes.fast_median_us,
        slow_median_us: modes.slow_median_us,
        gap_from_us: modes.gap_from_us,
        area_count: job.areas.len(),
    };
    Some(Finding::new(FindingId::CacheServed, Severity::Warning, Evidence::CacheByLatency(evidence)))
}

/// Whether the rate is too even for a cache that answers so large a share, and the others wait for as long as slices of a limiter last.
///
/// Where h of all I/Os are answered by chance, and the rest at a steady rate, the count n of an interval has a variance of n h / (1 − h): the number of
/// successes before so many failures (negative binomial). In the slices of a limiter most I/Os are fast as well, and their number is the same in
/// every interval. It is asked also where too few are in flight, or for too short a time, to name the limit.
///
/// Volumes below one limit share its rate by chance, second by second, and only their sum is even. So the same is asked of all copies of the load
/// together; copies in front of caches of their own have the sum of their variances, which is that of the sum.
fn is_sliced(subject: &Subject<'_>, job: usize, direction: Direction, modes: &Modes) -> bool {
    let Some(jobs) = subject.plan.map(|plan| &plan.jobs) else { return false };
    let copies: Vec<usize> = (0..jobs.len()).filter(|other| is_copy(&jobs[*other], &jobs[job])).collect();
    modes.slow_median_us >= LEAST_SLICE_WAIT_US
        && (is_even(subject, &[job], direction, modes) || is_even(subject, &copies, direction, modes))
}

/// Whether a job does to its files what another one does to others.
fn is_copy(job: &Job, of: &Job) -> bool {
    let same = Job { name: of.name.clone(), areas: of.areas.clone(), ..job.clone() };
    same == *of
}

/// Whether the rate of some jobs together is more even than chance makes it in front of a cache.
fn is_even(subject: &Subject<'_>, jobs: &[usize], direction: Direction, modes: &Modes) -> bool {
    let counts: Vec<f64> = subject
        .measured_intervals()
        .filter_map(|interval| {
            let io_count = |job: &usize| Some(interval.jobs.get(*job)?.get(direction)?.io_count());
            let io_count: u64 = jobs.iter().map(io_count).sum::<Option<u64>>()?;
            Some(io_count as f64 / interval.duration.as_secs_f64())
        })
        .collect();
    let count = counts.len() as f64;
    let mean = counts.iter().sum::<f64>() / count;
    let variance = counts.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let hit_share = modes.fast_percent / 100.0;
    // As of a limit that is named: their sum never leaves the line by more than about a slice.
    let drift_s = counts.iter().scan(0.0, |ahead_s, rate| {
        *ahead_s += rate / mean - 1.0;
        Some(f64::abs(*ahead_s))
    });
    counts.len() > 2
        && drift_s.fold(0.0, f64::max) <= MOST_SLICES * LONGEST_SLICE_S
        && variance <= STILL_SHARE * mean * hit_share / (1.0 - hit_share)
}

#[cfg(test)]
mod tests;
