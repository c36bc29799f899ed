//! The pace of a load: what the device did in each interval, for the findings that look at rates over time.

use iotrial_model::load::Direction;
use iotrial_model::plan::{Arrival, Job, PhaseKind, Plan};
use iotrial_model::record::{Interval, OpCounts};
use iotrial_model::subject::Subject;

/// Where a limiter holds the rate, single seconds differ from their median by this: kernels hand tokens out ten times a second,
/// and a tenth that falls beside one second falls into the next, with what rounding and a late reading of the clock add.
pub(super) const RATE_TOLERANCE_PERCENT: f64 = 12.0;

/// One interval, all jobs together but those that come in bursts, whose rate changes by plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pace {
    pub(super) phase: PhaseKind,
    /// From the start of the load.
    pub(super) start_s: f64,
    pub(super) duration_s: f64,
    pub(super) iops: f64,
    pub(super) mib_per_s: f64,
    /// Sum of the latencies of the I/Os that completed in it.
    total_latency_s: f64,
    shortest_latency_s: Option<f64>,
}

impl Pace {
    /// Every whole interval of all phases; none where no device was behind the load. What a stop or the end of a phase cut
    /// short is left out, because its edges weigh too much.
    pub(super) fn of(subject: &Subject<'_>) -> Vec<Self> {
        let Some(plan) = subject.plan.filter(|plan| plan.engine.has_device()) else {
            return Vec::new();
        };
        let whole = subject.intervals.counted().iter().filter(|interval| is_whole(interval, plan));
        whole.map(|interval| Self::of_interval(interval, plan)).collect()
    }

    fn of_interval(interval: &Interval, plan: &Plan) -> Self {
        let jobs = || interval.jobs.iter().zip(&plan.jobs).filter(|(_, job)| !comes_in_bursts(job));
        let counts =
            || jobs().flat_map(|(counts, _)| Direction::ALL.into_iter().filter_map(|one| counts.get(one)));
        let duration_s = interval.duration.as_secs_f64();
        let shortest = counts().filter_map(|one| one.total_latency.min()).min();
        Self {
            phase: interval.phase,
            start_s: interval.start.as_secs_f64(),
            duration_s,
            iops: counts().map(OpCounts::io_count).sum::<u64>() as f64 / duration_s,
            mib_per_s: counts().map(|one| one.bytes).sum::<u64>() as f64 / duration_s / 1_048_576.0,
            total_latency_s: counts().map(total_latency_s).sum(),
            shortest_latency_s: shortest.map(|latency| latency.as_secs_f64()),
        }
    }
}

fn is_whole(interval: &Interval, plan: &Plan) -> bool {
    interval.duration.as_secs_f64() >= 0.9 * plan.interval.as_secs_f64()
}

/// The intervals of paces that follow one another.
pub(super) fn intervals_of<'r>(subject: &Subject<'r>, paces: &[Pace]) -> Vec<&'r Interval> {
    let (Some(plan), Some(first), Some(last)) = (subject.plan, paces.first(), paces.last()) else {
        return Vec::new();
    };
    let is_in = |start_s: f64| start_s >= first.start_s && start_s <= last.start_s;
    let all = subject.intervals.counted().iter();
    all.filter(|one| is_whole(one, plan) && is_in(one.start.as_secs_f64())).collect()
}

/// I/Os in flight on average, by Little's law.
pub(super) fn in_flight(paces: &[Pace]) -> f64 {
    let duration_s: f64 = paces.iter().map(|pace| pace.duration_s).sum();
    paces.iter().map(|pace| pace.total_latency_s).sum::<f64>() / duration_s
}

/// The shortest latency of all: what one I/O takes on a device that is idle, as the first ones of a load find it.
pub(super) fn shortest_latency_s(paces: &[Pace]) -> Option<f64> {
    paces.iter().filter_map(|pace| pace.shortest_latency_s).min_by(f64::total_cmp)
}

/// Whether the load kept the device under pressure: half or more of the I/Os that its jobs keep outstanding were in flight.
/// These jobs are the closed ones, and open ones that have a backlog. To any other open job `iodepth` is only a bound: its rate
/// is what was asked for, not what the device can do, so that it neither presses nor hides that others do.
pub(super) fn is_pressed(subject: &Subject<'_>, paces: &[Pace]) -> bool {
    let Some(plan) = subject.plan else { return false };
    let looked_at = intervals_of(subject, paces);
    let has_backlog = |job: usize| {
        let is_behind = |one: &&&Interval| one.backlog.get(job).is_some_and(|count| *count > 0);
        looked_at.iter().filter(is_behind).count() * 2 > looked_at.len()
    };
    let pressing: Vec<usize> = (0..plan.jobs.len())
        .filter(|job| match plan.jobs[*job].arrival {
            Arrival::Closed => true,
            _ => !comes_in_bursts(&plan.jobs[*job]) && has_backlog(*job),
        })
        .collect();
    // Those of the load and not of the plan: a step may have fewer.
    let of_job = |job: &usize| subject.jobs.get(*job).and_then(|job| job.load.total_outstanding());
    let outstanding: u64 = pressing.iter().filter_map(of_job).sum();
    let counts = looked_at.iter().flat_map(|interval| {
        let jobs = pressing.iter().filter_map(|job| interval.jobs.get(*job));
        jobs.flat_map(|job| Direction::ALL.map(|direction| job.get(direction)))
    });
    let duration_s: f64 = looked_at.iter().map(|interval| interval.duration.as_secs_f64()).sum();
    let in_flight = counts.flatten().map(total_latency_s).sum::<f64>() / duration_s;
    outstanding > 0 && in_flight >= 0.5 * outstanding as f64
}

/// Whether its rate changes by plan.
pub(super) fn comes_in_bursts(job: &Job) -> bool {
    matches!(job.arrival, Arrival::Open { bursts: Some(_), .. })
}

/// The latencies of all I/Os together.
pub(super) fn total_latency_s(counts: &OpCounts) -> f64 {
    counts.total_latency.mean_us().unwrap_or_default() / 1e6 * counts.io_count() as f64
}

/// The middle of the values, by size.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Whether all but one value of twenty lie within `percent` of `level`.
pub(super) fn is_flat(values: impl Iterator<Item = f64>, level: f64, percent: f64) -> bool {
    let (mut count, mut outside) = (0, 0);
    for value in values {
        count += 1;
        outside += usize::from((value / level - 1.0).abs() > percent / 100.0);
    }
    level > 0.0 && outside * 20 <= count
}

#[cfg(test)]
mod tests {
    use iotrial_model::load::Spacing;

    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::findings::{found, throttle};
    use crate::test_record::measured;

    fn paces(record: &RunRecord) -> Vec<Pace> {
        Pace::of(&Subject::of_run(record))
    }

    fn is_pressed(record: &RunRecord, paces: &[Pace]) -> bool {
        super::is_pressed(&Subject::of_run(record), paces)
    }

    /// Three of four seconds at a fifth of the rate, with a quiet open job of many slots beside.
    fn throttled_beside_a_quiet_job(backlog: u64) -> RunRecord {
        let mut record = measured(60, |second| if second < 15 { 16_000 } else { 3_200 });
        record.plan.jobs[1].arrival = Arrival::Open { iops: 400.0, spacing: Spacing::Poisson, bursts: None };
        record.plan.jobs[1].iodepth = 128;
        for interval in &mut record.intervals {
            interval.backlog = vec![0, backlog];
        }
        record
    }

    #[test]
    fn the_pace_is_that_of_whole_intervals_by_the_second() {
        use std::time::Duration;
        let mut record = measured(3, |_| 1_600);
        record.intervals[1].duration = Duration::from_millis(901);
        record.intervals[2].duration = Duration::from_millis(899);
        let all = paces(&record);
        let of = |pace: &Pace| (pace.start_s, (pace.iops * 0.1).round(), (pace.mib_per_s * 100.0).round());
        // 1,800 I/Os of 8 KiB in each.
        assert_eq!(all.iter().map(of).collect::<Vec<_>>(), [(0.0, 180.0, 1_406.0), (1.0, 200.0, 1_561.0)]);
        assert_eq!((in_flight(&all) * 1.901).round(), 18.0);
        assert_eq!(shortest_latency_s(&all), Some(0.005));
        record.plan.engine = iotrial_model::plan::EngineKind::Null;
        assert_eq!(paces(&record), []);
    }

    #[test]
    fn the_intervals_of_some_paces_are_those_from_the_first_to_the_last_that_are_whole() {
        let mut record = measured(9, |_| 1_600);
        record.intervals[4].duration /= 2;
        let all = paces(&record);
        assert_eq!(all.len(), 8);
        let subject = Subject::of_run(&record);
        let starts = |paces: &[Pace]| -> Vec<u64> {
            intervals_of(&subject, paces).iter().map(|interval| interval.start.as_secs()).collect()
        };
        assert_eq!(starts(&all[2..6]), [2, 3, 5, 6]);
        assert_eq!(starts(&[]), Vec::<u64>::new());
    }

    #[test]
    fn half_of_what_is_outstanding_presses() {
        // Nine in flight.
        let pressed = |iodepth: u32| {
            let mut record = measured(10, |_| 1_600);
            record.plan.jobs[0].iodepth = iodepth;
            is_pressed(&record, &paces(&record))
        };
        assert!(pressed(16) && !pressed(18));
    }

    #[test]
    fn one_value_of_twenty_may_lie_off_a_flat_level() {
        let flat = |off: usize, count: usize, by: f64| {
            is_flat((0..count).map(|one| if one < off { 100.0 + by } else { 100.0 }), 100.0, 12.0)
        };
        assert!(flat(1, 20, 50.0) && !flat(1, 19, 50.0) && !flat(2, 39, 50.0) && flat(2, 40, 50.0));
        assert!(flat(10, 10, 11.9) && !flat(10, 10, 12.1) && flat(10, 10, -11.9) && !flat(10, 10, -12.1));
        assert!(!is_flat([0.0; 3].into_iter(), 0.0, 12.0));
        assert_eq!((median([3.0, 1.0, 2.0].into_iter()), median(std::iter::empty())), (2.0, 0.0));
    }

    #[test]
    fn a_quiet_open_job_neither_presses_nor_hides_that_others_do() {
        let mut record = throttled_beside_a_quiet_job(0);
        assert!(is_pressed(&record, &paces(&record)));
        assert!(found(&record, throttle::throttled_after_burst).is_some());
        // Alone it does not press, whatever its rate; with a backlog its slots count as well, and one in 128 is too few.
        record.plan.jobs[0].arrival = record.plan.jobs[1].arrival;
        assert!(!is_pressed(&record, &paces(&record)));
        let record = throttled_beside_a_quiet_job(7);
        assert!(!is_pressed(&record, &paces(&record)));
        assert!(!is_pressed(&record, &[]));
    }

    #[test]
    fn an_open_job_with_a_backlog_presses() {
        let mut record = measured(60, |_| 16_000);
        for job in &mut record.plan.jobs {
            job.arrival = Arrival::Open { iops: 20_000.0, spacing: Spacing::Poisson, bursts: None };
        }
        let with = |record: &mut RunRecord, backlog: fn(u64) -> u64| {
            for (second, interval) in (0..).zip(&mut record.intervals) {
                interval.backlog = vec![backlog(second), 0];
            }
        };
        with(&mut record, |second| 4_000 * second);
        assert!(is_pressed(&record, &paces(&record)));
        // Poisson arrivals that meet a full device now and then.
        with(&mut record, |second| second % 3 / 2);
        assert!(!is_pressed(&record, &paces(&record)));
        // In more than half of the intervals.
        with(&mut record, |second| u64::from(second < 30));
        assert!(!is_pressed(&record, &paces(&record)));
        with(&mut record, |second| u64::from(second < 31));
        assert!(is_pressed(&record, &paces(&record)));
    }
}
