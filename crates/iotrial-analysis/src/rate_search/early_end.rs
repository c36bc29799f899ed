//! When a load at a rate ends: early where, whatever its last seconds bring, it does not stay within its limits; late where the generator
//! left too few I/Os alone to tell.

use std::time::Duration;

use iotrial_model::latency_limit::LimitStatistic;
use iotrial_model::plan::{Arrival, Job, PhaseKind, Plan};
use iotrial_model::record::{Interval, OpCounts};
use iotrial_model::stream::Stream;

use super::assess::{stream_share, streams, value_of};
use super::limits::{Limits, StreamLimit};
use crate::generator_part::{
    AgainstLimit, IntervalsLeftAlone, StreamLatency, counts_in, without_generator_us,
};

/// No load ends before it was measured for so long.
// In one second the I/Os that are with the device at its ends are a tenth of what is counted, and whether somebody else used the
// device could not be told.
const LEAST_MEASURED: Duration = Duration::from_secs(2);
/// So many more I/Os may arrive than were asked for.
// Poisson arrivals of a few thousand vary by one or two percent. With more than that the load would have been decided early by chance.
const MOST_ARRIVALS: f64 = 1.1;

/// Sees the intervals of a load at a rate, and tells when it has said what it can.
///
/// Half of the probes of a search do not stay within the limits, and most of these are lost after a second or two: their time is better
/// spent on other rates. Nothing is lost by it. A percentile is beyond its limit for certain when more I/Os were slower than all I/Os of
/// the whole load allow, and a mean when their sum is. On a busy host it is the other way round: where most I/Os were held back by the
/// generator, the rest is not enough for a percentile, and the same time again brings it.
#[derive(Debug, Clone)]
pub struct EarlyEnd {
    jobs: Vec<Job>,
    watched: Vec<Watched>,
    measured_from: Option<Duration>,
    measured: Duration,
    /// How long it is measured where it can be decided then.
    wanted: Duration,
    /// How long it is measured at most.
    longest: Duration,
    /// Whether one more interval is wanted once it is lost.
    lingers: bool,
    is_lost: bool,
}

/// A statistic of the load, and what its jobs did so far.
#[derive(Debug, Clone)]
struct Watched {
    stream: Stream,
    limit: StreamLimit,
    /// The jobs whose I/Os it is of.
    jobs: Vec<usize>,
    /// The most I/Os that a second can bring; `None` where that is known only when the load is through.
    most_iops: Option<f64>,
    so_far: OpCounts,
    left_alone: IntervalsLeftAlone,
}

impl EarlyEnd {
    /// Of a load that has not begun and is measured for the `longest` time at most. A longer one `lingers` for one interval when it is
    /// lost: that says whether the device goes on doing less than was asked, or only stood still for a moment.
    pub(super) fn of(plan: &Plan, longest: Duration, limits: &Limits, lingers: bool) -> Self {
        let watched = streams(plan).flat_map(|(role, stream)| {
            let has = |job: &Job| job.role == role && stream_share(job, stream) > 0.0;
            let jobs: Vec<usize> = (0..plan.jobs.len()).filter(|job| has(&plan.jobs[*job])).collect();
            // How many I/Os a job has that follows another is known only when both are through.
            let rates: Option<Vec<f64>> = jobs
                .iter()
                .map(|job| match plan.jobs[*job].arrival {
                    Arrival::Open { iops, .. } => Some(iops * stream_share(&plan.jobs[*job], stream)),
                    Arrival::Closed | Arrival::Following { .. } => None,
                })
                .collect();
            let most_iops = rates.map(|rates| MOST_ARRIVALS * rates.iter().sum::<f64>());
            limits.of(role, stream).into_iter().map(move |limit| Watched {
                stream,
                limit,
                jobs: jobs.clone(),
                most_iops,
                so_far: OpCounts::default(),
                left_alone: IntervalsLeftAlone::default(),
            })
        });
        Self {
            jobs: plan.jobs.clone(),
            watched: watched.collect(),
            measured_from: None,
            measured: Duration::ZERO,
            wanted: plan.measured(),
            longest,
            lingers,
            is_lost: false,
        }
    }

    /// How long the load may be measured: the plan that is carried out has so much time, and that of the record its own.
    pub const fn longest(&self) -> Duration {
        self.longest
    }

    /// Takes the next interval. When the load is at its end: the start of what was measured of it, from the start of the load.
    pub fn see(&mut self, interval: &Interval) -> Option<Duration> {
        if interval.phase != PhaseKind::Measure {
            return None;
        }
        let from = *self.measured_from.get_or_insert(interval.start);
        self.measured += interval.duration;
        for one in &mut self.watched {
            let counts = one
                .jobs
                .iter()
                .filter_map(|job| counts_in(&self.jobs[*job], &interval.jobs[*job], one.stream));
            let counts: Vec<&OpCounts> = counts.collect();
            counts.iter().for_each(|counts| one.so_far.merge(counts));
            one.left_alone.see(counts);
        }
        // Past its time it need only be lost by what it did.
        let of = self.measured.max(self.wanted);
        let is_lost = self.measured >= LEAST_MEASURED && self.watched.iter().any(|one| one.is_lost(of));
        let was_lost = std::mem::replace(&mut self.is_lost, is_lost);
        // At its whole time it ends by itself.
        let may_end = self.wanted <= self.measured && self.measured < self.longest;
        let ends = is_lost && (was_lost || !self.lingers) || may_end && !self.goes_on();
        ends.then_some(from)
    }

    /// Whether anything is open that more time would decide, and nothing speaks against the load by now.
    fn goes_on(&self) -> bool {
        let times = self.longest.as_secs_f64() / self.measured.as_secs_f64();
        let mut wants_time = false;
        for one in &self.watched {
            let Some(latency) = one.latency() else { continue };
            let (statistic, holds) = (one.limit.statistic, |us| one.limit.holds(us));
            match latency.against(statistic, holds) {
                AgainstLimit::FailsSurely | AgainstLimit::FailsUntouched(..) => return false,
                AgainstLimit::Open => wants_time |= latency.wants_time(statistic, times),
                AgainstLimit::Holds | AgainstLimit::HoldsUntouched(..) => {}
            }
        }
        wants_time
    }
}

impl Watched {
    /// Whether it misses its limit whatever else comes in a load that is measured for so long.
    fn is_lost(&self, measured: Duration) -> bool {
        let Self { limit, so_far, most_iops: Some(most_iops), .. } = self else { return false };
        let most_ios = most_iops * measured.as_secs_f64();
        let count = so_far.io_count();
        // Fewer are not judged, and the load would be one that held.
        if count == 0 || !limit.is_judged(count, so_far) {
            return false;
        }
        // Without what the generator made of it: a load is not lost because this host was busy.
        match limit.statistic {
            LimitStatistic::Mean => without_generator_us(so_far, LimitStatistic::Mean)
                .is_some_and(|mean| mean * count as f64 > limit.limit_us * most_ios),
            LimitStatistic::Percentile(percent) => {
                limit.beyond_count(so_far) as f64 > (1.0 - percent / 100.0) * most_ios
            }
        }
    }

    /// What was counted so far; `None` where it is not judged.
    fn latency(&self) -> Option<StreamLatency<'_>> {
        let Self { limit, so_far, left_alone, .. } = self;
        let shown_us = value_of(&so_far.total_latency, limit.statistic)?;
        limit.is_judged(so_far.io_count(), so_far).then(|| StreamLatency {
            counts: so_far,
            shown_us,
            waiting_count: 0,
            is_open: true,
            intervals_share: left_alone.share(),
        })
    }
}

#[cfg(test)]
mod tests;
