//! When a load at a rate need not go on: whatever its last seconds bring, it does not stay within its limits.

use std::time::Duration;

use iotrial_model::latency_limit::LimitStatistic;
use iotrial_model::plan::{Arrival, Job, PhaseKind, Plan};
use iotrial_model::record::{Interval, OpCounts};
use iotrial_model::stream::Stream;

use super::assess::{stream_share, streams};
use super::limits::{Limits, StreamLimit};
use crate::generator_part::{counts_in, without_generator_us};

/// No load ends before it was measured for so long.
// In one second the I/Os that are with the device at its ends are a tenth of what is counted, and whether somebody else used the
// device could not be told.
const LEAST_MEASURED: Duration = Duration::from_secs(2);
/// So many more I/Os may arrive than were asked for.
// Poisson arrivals of a few thousand vary by one or two percent. With more than that the load would have been decided early by chance.
const MOST_ARRIVALS: f64 = 1.1;

/// Sees the intervals of a load at a rate, and tells when its answer is certain.
///
/// Half of the probes of a search do not stay within the limits, and most of these are lost after a second or two: their time is better
/// spent on other rates. Nothing is lost by it. A percentile is beyond its limit for certain when more I/Os were slower than all I/Os of
/// the whole load allow, and a mean when their sum is.
#[derive(Debug, Clone)]
pub struct EarlyEnd {
    jobs: Vec<Job>,
    watched: Vec<Watched>,
    measured_from: Option<Duration>,
    measured: Duration,
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
    /// The most I/Os that the whole measured phase can bring.
    most_ios: f64,
    so_far: OpCounts,
}

impl EarlyEnd {
    /// Of a load that has not begun. A longer one `lingers` for one interval when it is lost: that says whether the device goes on doing
    /// less than was asked, or only stood still for a moment.
    pub(super) fn of(plan: &Plan, limits: &Limits, lingers: bool) -> Self {
        let phases = plan.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
        let measured_s = phases.map(|phase| phase.duration.as_secs_f64()).sum::<f64>();
        let watched = streams(plan).filter_map(|(role, stream)| {
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
            let most_ios = MOST_ARRIVALS * measured_s * rates?.iter().sum::<f64>();
            Some(limits.of(role, stream).into_iter().map(move |limit| Watched {
                stream,
                limit,
                jobs: jobs.clone(),
                most_ios,
                so_far: OpCounts::default(),
            }))
        });
        Self {
            jobs: plan.jobs.clone(),
            watched: watched.flatten().collect(),
            measured_from: None,
            measured: Duration::ZERO,
            lingers,
            is_lost: false,
        }
    }

    /// Takes the next interval. When the load is lost: the start of what was measured of it, from the start of the load.
    pub fn see(&mut self, interval: &Interval) -> Option<Duration> {
        if interval.phase != PhaseKind::Measure {
            return None;
        }
        let from = *self.measured_from.get_or_insert(interval.start);
        self.measured += interval.duration;
        for one in &mut self.watched {
            for job in &one.jobs {
                let counts = counts_in(&self.jobs[*job], &interval.jobs[*job], one.stream);
                counts.into_iter().for_each(|counts| one.so_far.merge(counts));
            }
        }
        let was_lost = std::mem::replace(
            &mut self.is_lost,
            self.measured >= LEAST_MEASURED && self.watched.iter().any(Watched::is_lost),
        );
        (self.is_lost && (was_lost || !self.lingers)).then_some(from)
    }
}

impl Watched {
    fn is_lost(&self) -> bool {
        let Self { limit, so_far, most_ios, .. } = self;
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
}

#[cfg(test)]
mod tests;
