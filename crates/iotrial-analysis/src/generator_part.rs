//! What the generator made of the latencies of an open load, and what the I/Os say that it left alone.
//!
//! A thread that waits for a CPU issues I/Os late and sees them done late. The engine knows of each I/O by how much at most
//! (`held_latency` and `unheld_latency` of a record), those that queue behind late ones in the device among them. So a latency that is
//! shown has two companions: the least that it would have been without the generator, and that of the I/Os that it did not touch.

use std::collections::BTreeMap;

use iotrial_model::figure::{Figure, LEAST_BEYOND};
use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::latency_limit::LimitStatistic;
use iotrial_model::load::Role;
use iotrial_model::plan::{Arrival, Job};
use iotrial_model::record::{JobCounts, OpCounts};
use iotrial_model::search::Untouched;
use iotrial_model::stream::Stream;
use iotrial_model::subject::Subject;

use crate::figures::percentile_us;

/// So many untouched I/Os carry a mean, as for a mean that is judged.
const LEAST_FOR_MEAN: u64 = 100;
/// An interval of which the generator left less than this share alone says nothing about the device.
const LEAST_OF_INTERVAL: f64 = 0.05;
/// The untouched I/Os must come from at least this share of the intervals: those of a few lucky moments are not the device's course.
const LEAST_INTERVALS: f64 = 0.5;

/// Untouched I/Os fail a limit only this far beyond it.
// What the generator held back all at once keeps the queue of the device longer for a while than the engine charges to it: with a tenth of
// the time away, p99 of the untouched I/Os came out up to a quarter too high (simulated device, truth known).
const CLEARLY_BEYOND: f64 = 1.25;

/// What a latency statistic says about its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum AgainstLimit {
    /// It stays within it as it is shown. Whatever the generator did can only have made it longer.
    Holds,
    /// It does as far as the generator left the I/Os alone: their latency in µs, their share, and what all I/Os show.
    HoldsUntouched(f64, Untouched),
    /// It does not, with or without what the generator made of it.
    FailsSurely,
    /// The I/Os that the generator left alone do not stay within it.
    FailsUntouched(f64, Untouched),
    /// It does not as it is shown, and what the generator made of it is not known, or leaves too few I/Os to tell.
    Open,
}

impl AgainstLimit {
    /// Whether the limit is kept.
    pub(crate) const fn holds(self) -> bool {
        matches!(self, Self::Holds | Self::HoldsUntouched(..))
    }

    /// Whether what was found is so however late the generator was.
    pub(crate) const fn is_sure(self) -> bool {
        !matches!(self, Self::Open)
    }
}

/// The I/Os of a stream that a limit is on.
pub(crate) struct StreamLatency<'c> {
    /// What was counted.
    pub(crate) counts: &'c OpCounts,
    /// The statistic as it is shown, in µs.
    pub(crate) shown_us: f64,
    /// I/Os beyond the limit that are not in the histogram: the device still had them at the end.
    pub(crate) waiting_count: u64,
    /// Whether the I/Os came at times of their own, so that it is known what the generator made of them.
    pub(crate) is_open: bool,
    /// The share of the intervals in which the generator left enough of them alone ([`intervals_left_alone`]).
    pub(crate) intervals_share: f64,
}

impl StreamLatency<'_> {
    /// Compares the statistic with a limit, as `holds` tells of a latency in µs.
    pub(crate) fn against(&self, statistic: LimitStatistic, holds: impl Fn(f64) -> bool) -> AgainstLimit {
        if holds(self.shown_us) {
            return AgainstLimit::Holds;
        }
        // Records of versions that did not keep what was made of each I/O know only that some were late.
        let is_known = self.counts.held_latency.io_count() > 0 || self.counts.late_count == 0;
        if !(self.is_open && is_known) {
            return AgainstLimit::Open;
        }
        if self.counts.held_latency.io_count() == 0
            || without_generator_us(self.counts, statistic).is_none_or(|least_us| !holds(least_us))
        {
            return AgainstLimit::FailsSurely;
        }
        let left_alone = self.untouched_us(statistic).filter(|_| self.intervals_share >= LEAST_INTERVALS);
        let Some(latency_us) = left_alone else { return AgainstLimit::Open };
        let untouched = Untouched { percent: self.untouched_percent(), shown_us: self.shown_us };
        if holds(latency_us) {
            AgainstLimit::HoldsUntouched(latency_us, untouched)
        } else if holds(latency_us / CLEARLY_BEYOND) {
            AgainstLimit::Open
        } else {
            AgainstLimit::FailsUntouched(latency_us, untouched)
        }
    }

    fn untouched_count(&self) -> u64 {
        self.counts.io_count().saturating_sub(self.counts.held_latency.io_count())
    }

    fn untouched_percent(&self) -> f64 {
        100.0 * self.untouched_count() as f64 / self.counts.io_count().max(1) as f64
    }

    /// The statistic of the I/Os that the generator left alone; `None` where they are too few for it.
    fn untouched_us(&self, statistic: LimitStatistic) -> Option<f64> {
        let OpCounts { total_latency, held_latency, .. } = self.counts;
        let count = self.untouched_count();
        match statistic {
            _ if !self.has_enough(statistic, 1.0) => None,
            LimitStatistic::Mean => Some((sum_us(total_latency) - sum_us(held_latency)) / count as f64),
            LimitStatistic::Percentile(percent) => {
                let all = (count + self.waiting_count) as f64;
                let parts = [(total_latency, 1), (held_latency, -1)];
                // What still waits is slower than all of them.
                Some(percentile_of(&parts, percent / 100.0 * all).unwrap_or(self.shown_us))
            }
        }
    }

    /// Whether the I/Os that the generator left alone carry the statistic when there are so many `times` as many.
    fn has_enough(&self, statistic: LimitStatistic, times: f64) -> bool {
        match statistic {
            LimitStatistic::Mean => times * self.untouched_count() as f64 >= LEAST_FOR_MEAN as f64,
            LimitStatistic::Percentile(percent) => {
                let all = times * (self.untouched_count() + self.waiting_count) as f64;
                all * (1.0 - percent / 100.0) >= LEAST_BEYOND * (1.0 - 1e-9)
            }
        }
    }

    /// Of what is open: whether the generator left too few I/Os alone so far, and would leave enough of them in so many `times` the time.
    pub(crate) fn wants_time(&self, statistic: LimitStatistic, times: f64) -> bool {
        self.intervals_share >= LEAST_INTERVALS
            && !self.has_enough(statistic, 1.0)
            && self.has_enough(statistic, times)
    }
}

/// What a statistic would have been at least without the generator, in µs: an I/O that it delayed counts with the latency that it would
/// have had at least.
pub(crate) fn without_generator_us(counts: &OpCounts, statistic: LimitStatistic) -> Option<f64> {
    let OpCounts { total_latency, held_latency, unheld_latency, .. } = counts;
    match statistic {
        LimitStatistic::Mean => {
            let sum_us = sum_us(total_latency) - sum_us(held_latency) + sum_us(unheld_latency);
            (counts.io_count() > 0).then(|| sum_us / counts.io_count() as f64)
        }
        LimitStatistic::Percentile(percent) if held_latency.io_count() == 0 => {
            percentile_us(total_latency, percent)
        }
        LimitStatistic::Percentile(percent) => {
            let parts = [(total_latency, 1), (held_latency, -1), (unheld_latency, 1)];
            percentile_of(&parts, percent / 100.0 * counts.io_count() as f64)
        }
    }
}

fn sum_us(latency: &LatencyHistogram) -> f64 {
    latency.mean_us().map_or(0.0, |mean| mean * latency.io_count() as f64)
}

/// The latency at a rank, in µs, of histograms that are added and taken away; `None` where they hold fewer.
fn percentile_of(parts: &[(&LatencyHistogram, i128)], rank: f64) -> Option<f64> {
    let mut buckets: BTreeMap<u64, i128> = BTreeMap::new();
    for (latency, sign) in parts {
        for (edge_ns, count) in latency.buckets_ns() {
            *buckets.entry(edge_ns).or_default() += sign * i128::from(count);
        }
    }
    let mut up_to = 0;
    let at_rank = buckets.into_iter().find(|(_, count)| {
        up_to += count;
        up_to as f64 >= rank * (1.0 - 1e-12) && up_to > 0
    });
    at_rank.map(|(edge_ns, _)| edge_ns as f64 / 1e3)
}

/// What a job did in a stream.
pub(crate) fn counts_in<'c>(job: &Job, counts: &'c JobCounts, stream: Stream) -> Option<&'c OpCounts> {
    match stream {
        Stream::Read => counts.read.as_ref(),
        Stream::Write => counts.write.as_ref(),
        Stream::Commit => counts.commits(job),
        Stream::Mixed => None,
    }
}

/// Whether every I/O of a role comes at a time of its own.
pub(crate) fn is_open(subject: &Subject<'_>, role: Role) -> bool {
    let jobs = subject.plan.map(|plan| plan.jobs.as_slice()).unwrap_or_default();
    let mut mine = jobs.iter().filter(|job| job.role == role).peekable();
    mine.peek().is_some() && mine.all(|job| job.arrival != Arrival::Closed)
}

/// The share of the measured intervals in which the generator left enough I/Os of a stream alone; 1 where there are no intervals, as of
/// a part of a load.
pub(crate) fn intervals_left_alone(subject: &Subject<'_>, role: Role, stream: Stream) -> f64 {
    let jobs = subject.plan.map(|plan| plan.jobs.as_slice()).unwrap_or_default();
    let mut intervals = IntervalsLeftAlone::default();
    for interval in subject.measured_intervals() {
        let mine = jobs.iter().zip(&interval.jobs).filter(|(job, _)| job.role == role);
        intervals.see(mine.filter_map(|(job, counts)| counts_in(job, counts, stream)));
    }
    intervals.share()
}

/// In how many intervals the generator left enough I/Os of a stream alone.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct IntervalsLeftAlone {
    count: u32,
    left_alone: u32,
}

impl IntervalsLeftAlone {
    /// Takes what the jobs of the stream did in the next one.
    pub(crate) fn see<'c>(&mut self, jobs: impl IntoIterator<Item = &'c OpCounts>) {
        let (mut all, mut held) = (0, 0);
        for counts in jobs {
            all += counts.io_count();
            held += counts.held_latency.io_count();
        }
        let is_left_alone = all > 0 && (all - held.min(all)) as f64 >= LEAST_OF_INTERVAL * all as f64;
        self.count += 1;
        self.left_alone += u32::from(is_left_alone);
    }

    /// Their share of all; 1 where there are none.
    pub(crate) fn share(self) -> f64 {
        if self.count == 0 { 1.0 } else { f64::from(self.left_alone) / f64::from(self.count) }
    }
}

/// The statistic of a figure that sets judge.
pub(crate) fn statistic_of(figure: Figure) -> Option<LimitStatistic> {
    match figure {
        Figure::LatencyMean => Some(LimitStatistic::Mean),
        _ => figure.percent().map(LimitStatistic::Percentile),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::test_record::counts;

    const P99: LimitStatistic = LimitStatistic::Percentile(99.0);

    /// `alone` I/Os that the generator left alone, and `held` that it held back: with what they show and what is left without it, in µs.
    fn stream(alone: (u64, u64), held: (u64, u64, u64)) -> OpCounts {
        let of = |count, us| counts(count, Duration::from_micros(us));
        let mut all = of(alone.0, alone.1);
        all.held_latency = of(held.0, held.1).total_latency;
        all.unheld_latency = of(held.0, held.2).total_latency;
        all.total_latency.merge(&all.held_latency);
        all.late_count = held.0;
        all
    }

    fn against(counts: &OpCounts, statistic: LimitStatistic, limit_us: f64) -> AgainstLimit {
        against_with(counts, statistic, limit_us, |_| ())
    }

    fn against_with(
        counts: &OpCounts,
        statistic: LimitStatistic,
        limit_us: f64,
        change: impl Fn(&mut StreamLatency<'_>),
    ) -> AgainstLimit {
        let shown_us = match statistic {
            LimitStatistic::Mean => counts.total_latency.mean_us().unwrap(),
            LimitStatistic::Percentile(percent) => percentile_us(&counts.total_latency, percent).unwrap(),
        };
        let mut stream =
            StreamLatency { counts, shown_us, waiting_count: 0, is_open: true, intervals_share: 1.0 };
        change(&mut stream);
        stream.against(statistic, |us| us <= limit_us)
    }

    #[test]
    fn what_is_shown_decides_where_it_is_within_the_limit_or_where_nothing_was_held_back() {
        let late = stream((9_000, 500), (1_000, 20_000, 600));
        assert_eq!(against(&late, P99, 25_000.0), AgainstLimit::Holds);
        let on_time = stream((10_000, 500), (0, 1, 1));
        assert_eq!(against(&on_time, P99, 400.0), AgainstLimit::FailsSurely);
    }

    #[test]
    fn beyond_the_limit_also_without_the_generator_is_a_sure_no() {
        let slow = stream((9_000, 500), (1_000, 20_000, 6_000));
        assert_eq!(against(&slow, P99, 5_000.0), AgainstLimit::FailsSurely);
        // The mean without it is 1,050 µs, as shown 2,450.
        assert_eq!(against(&slow, LimitStatistic::Mean, 1_000.0), AgainstLimit::FailsSurely);
        assert_eq!(without_generator_us(&slow, LimitStatistic::Mean).map(f64::round), Some(1_050.0));
    }

    #[test]
    fn otherwise_the_ios_that_were_left_alone_decide() {
        let fast = stream((4_000, 500), (6_000, 20_000, 100));
        let AgainstLimit::HoldsUntouched(latency_us, untouched) = against(&fast, P99, 1_000.0) else {
            panic!()
        };
        assert!((latency_us - 500.0).abs() < 1.0 && (untouched.percent - 40.0).abs() < 1e-9);
        assert!((untouched.shown_us - 20_000.0).abs() < 30.0);
        assert!(matches!(against(&fast, LimitStatistic::Mean, 600.0), AgainstLimit::HoldsUntouched(..)));
        // A p99 of the rest that lies beyond, of which all I/Os together hide the most.
        let mut slow = stream((9_000, 500), (91_000, 900, 100));
        slow.total_latency.record_n(Duration::from_millis(3), 300);
        assert!(matches!(against(&slow, P99, 800.0), AgainstLimit::FailsUntouched(..)));
        // Not as far beyond as the queue may be that late I/Os leave behind.
        assert_eq!(against(&slow, P99, 2_500.0), AgainstLimit::Holds);
        let near = stream((90_000, 900), (10_000, 20_000, 100));
        assert_eq!(against(&near, P99, 800.0), AgainstLimit::FailsSurely);
    }

    #[test]
    fn too_few_of_them_or_of_the_intervals_leave_it_open_and_so_does_what_is_not_known() {
        let fast = stream((4_000, 500), (6_000, 20_000, 100));
        let few = stream((900, 500), (9_100, 20_000, 100));
        assert_eq!(against(&few, P99, 1_000.0), AgainstLimit::Open);
        let changed = |change: fn(&mut StreamLatency<'_>)| against_with(&fast, P99, 1_000.0, change);
        assert_eq!(changed(|stream| stream.intervals_share = 0.49), AgainstLimit::Open);
        assert!(changed(|stream| stream.intervals_share = 0.5).holds());
        assert_eq!(changed(|stream| stream.is_open = false), AgainstLimit::Open);
        // 40 of 4,000 that the device still had are 1 % of them.
        assert!(changed(|stream| stream.waiting_count = 30).holds());
        assert!(!changed(|stream| stream.waiting_count = 60).holds());
        let mut of_earlier_version = fast.clone();
        of_earlier_version.held_latency = LatencyHistogram::default();
        assert_eq!(against(&of_earlier_version, P99, 1_000.0), AgainstLimit::Open);
    }
}
