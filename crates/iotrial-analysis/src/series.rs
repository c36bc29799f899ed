//! The curves of a result: each stream of a role, or of a job, over time, and its latency by percentile.

use std::collections::BTreeSet;

use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::imported::StatedInterval;
use iotrial_model::load::Role;
use iotrial_model::plan::{PhaseKind, Plan};
use iotrial_model::record::Interval;
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Facts, Ops, Subject};

use crate::figures::{Figures, percentile_us};

/// One stream of a role or of a job, interval by interval, all phases.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Whose I/Os are counted: the role, or the job as its source calls it, or `all`.
    pub name: String,
    /// What they were for; `None` where nobody said so.
    pub role: Option<Role>,
    /// The stream of that role or job.
    pub stream: Stream,
    /// In the order of time, one for each interval of the result; empty where only totals are known.
    pub points: Vec<SeriesPoint>,
    /// Latency by percentile over the measured phase; empty where nothing was measured, and where a source has no bins as
    /// fine as those of a histogram.
    pub latency_curve: Vec<CurvePoint>,
}

/// One interval of a [`Series`].
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesPoint {
    /// The middle of the interval, from the start of the load.
    pub middle_s: f64,
    /// What happened in it: rates of zero and no latency where the stream stood still.
    pub figures: Figures,
}

/// One point of a latency curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// From 0 to below 100.
    pub percent: f64,
    /// The latency that this share of the I/Os did not exceed, in µs.
    pub latency_us: f64,
}

/// Points of a latency curve from one nine to the next.
// A factor of 1.12 in the share beyond, from one point to the next; smooth at the width of a chart.
const POINTS_PER_NINE: u32 = 20;

impl Series {
    /// Every stream that has a course or a curve: of every role where a plan gave each job one, in the order of tables; else of all
    /// jobs together and of each job, as the source tells them.
    pub fn of(subject: &Subject<'_>) -> Vec<Self> {
        match subject.plan {
            Some(plan) => {
                plan.roles().into_iter().flat_map(|role| Self::of_role(subject, plan, role)).collect()
            }
            None => Self::of_jobs(subject),
        }
    }

    fn of_role(subject: &Subject<'_>, plan: &Plan, role: Role) -> Vec<Self> {
        let select = |job: usize| plan.jobs[job].role == role;
        let point = |stream: Stream, interval: &Interval| SeriesPoint {
            // A rate over an interval belongs to its middle; at its end a step would be drawn too late by
            // half an interval.
            middle_s: (interval.start + interval.duration / 2).as_secs_f64(),
            figures: Figures::new(&stream.counts(plan, &interval.jobs, select), interval.duration),
        };
        let series = |stream: Stream| Self {
            name: role.to_string(),
            role: Some(role),
            stream,
            points: subject.whole_course.counted().iter().map(|interval| point(stream, interval)).collect(),
            latency_curve: latency_curve(&stream.counts_of(subject, Some(role)).total_latency),
        };
        Stream::planned(plan, select).into_iter().map(series).collect()
    }

    /// Figures of jobs that a source states apart are not added up: their intervals need not be the same ones.
    fn of_jobs(subject: &Subject<'_>) -> Vec<Self> {
        let intervals = subject.intervals.stated();
        let together = subject.stated_total.map(|total| (None, Ops::of_stated(total)));
        let apart = subject.jobs.iter().enumerate().map(|(index, job)| (Some(index), job.ops));
        let known: Vec<(Option<usize>, Ops<'_>)> = together.into_iter().chain(apart).collect();
        let logged = intervals.iter().map(|one| one.job);
        let all: BTreeSet<Option<usize>> = known.iter().map(|(job, _)| *job).chain(logged).collect();
        let series = |job: Option<usize>, stream: Stream| {
            let mine = intervals.iter().filter(|one| one.job == job);
            let point = |one: &StatedInterval| {
                let figures = Figures::together(&[Facts::Stated(one.ops.get(stream)?)]);
                Some(SeriesPoint { middle_s: one.start_s + one.duration_s / 2.0, figures })
            };
            let ops = known.iter().find(|(known, _)| *known == job).map(|(_, ops)| ops);
            let histogram = ops.and_then(|ops| stream.of(ops)?.histogram());
            let (points, latency_curve) = (
                mine.filter_map(point).collect::<Vec<_>>(),
                histogram.map(latency_curve).unwrap_or_default(),
            );
            let job = job.and_then(|job| subject.jobs.get(job));
            (!points.is_empty() || !latency_curve.is_empty()).then(|| Self {
                name: job.map_or_else(|| "all".to_owned(), |job| job.name.to_string()),
                role: job.and_then(|job| job.role),
                stream,
                points,
                latency_curve,
            })
        };
        let streams = all.into_iter().flat_map(|job| Stream::ALL.iter().map(move |stream| (job, *stream)));
        streams.filter_map(|(job, stream)| series(job, stream)).collect()
    }
}

/// The latency at evenly spaced numbers of nines: 0 is the shortest, 1 is p90, 2 is p99, 3 is p99.9.
///
/// The curve ends where the percentile would mean less than one I/O: with 1,000 I/Os at p99.9.
pub fn latency_curve(latency: &LatencyHistogram) -> Vec<CurvePoint> {
    // log₁₀ of the count: 1,000 I/Os have three nines and not one more.
    let last_nines = (latency.io_count().max(1) as f64).log10();
    (0..)
        .map(|step| f64::from(step) / f64::from(POINTS_PER_NINE))
        // The 1e-9 keeps the last point where the logarithm is off in the last bit.
        .take_while(|nines| *nines <= last_nines + 1e-9)
        .filter_map(|nines| {
            // Percentiles are asked of the merged histogram. The curves of jobs cannot be averaged.
            let percent = 100.0 * (1.0 - 10f64.powf(-nines));
            percentile_us(latency, percent).map(|latency_us| CurvePoint { percent, latency_us })
        })
        .collect()
}

/// Stretches of the run that are not measured, from and to in seconds, neighbours of one phase joined.
pub fn unmeasured_stretches(intervals: &[Interval]) -> Vec<(PhaseKind, f64, f64)> {
    let mut stretches: Vec<(PhaseKind, f64, f64)> = Vec::new();
    for interval in intervals.iter().filter(|interval| interval.phase != PhaseKind::Measure) {
        let (from_s, to_s) =
            (interval.start.as_secs_f64(), (interval.start + interval.duration).as_secs_f64());
        match stretches.last_mut() {
            // Neighbours of one phase are one stretch, however many intervals it has.
            Some((phase, _, end_s)) if *phase == interval.phase => *end_s = to_s,
            _ => stretches.push((interval.phase, from_s, to_s)),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_latency_curve_ends_where_a_percentile_would_mean_less_than_one_io() {
        let mut latency = LatencyHistogram::default();
        latency.record_n(Duration::from_micros(100), 999);
        latency.record_n(Duration::from_micros(900), 1);
        let curve = latency_curve(&latency);
        assert_eq!(curve.len(), 61);
        assert!(curve.windows(2).all(|pair| pair[0].latency_us <= pair[1].latency_us));
        assert!((curve[60].percent - 99.9).abs() < 1e-9, "{}", curve[60].percent);
    }

    #[test]
    fn nothing_measured_is_no_curve() {
        assert_eq!(latency_curve(&LatencyHistogram::default()), []);
    }
}
