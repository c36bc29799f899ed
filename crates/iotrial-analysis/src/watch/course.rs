//! How rates and latencies went, for charts: at most some hundred places, whatever the number of intervals.

use iotrial_model::counters::{CounterSeries, Times};
use iotrial_model::load::Direction;

use super::{LEAST_IOPS, iops_of, latency_us_of};

/// As many places as a chart has room for.
const MOST_PLACES: usize = 400;
/// As many disks as a chart can tell apart.
const MOST_DISKS: usize = 5;

/// Lines over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Whether times are seconds since 1970; else they are seconds from the start, or the number of the interval.
    pub is_calendar: bool,
    /// Whether nothing is known of times, and they are numbers of intervals.
    pub is_numbered: bool,
    /// I/Os per second of all disks, by direction, or both where they are not apart.
    pub iops: Vec<CourseLine>,
    /// Mean latency in µs of the disks that do most, both directions together.
    pub latency_us: Vec<CourseLine>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct CourseLine {
    /// A direction or a disk.
    pub name: String,
    /// Place and mean; `None` where nothing is known, or there was no I/O.
    pub points: Vec<(f64, Option<f64>)>,
}

impl Course {
    /// `None` of a single interval, which has no course.
    pub(super) fn of(series: &CounterSeries, chosen: &[usize]) -> Option<Self> {
        let count = series.interval_count;
        if count < 2 {
            return None;
        }
        let per_place = count.div_ceil(MOST_PLACES);
        let places = count.div_ceil(per_place);
        let times = series.times.seconds();
        let at = |place: usize| {
            let last = (place * per_place).min(count - 1);
            times.get(last).copied().unwrap_or(last as f64)
        };
        let start = if matches!(series.times, Times::OfCalendar(_)) { 0.0 } else { at(0) };
        let line = |name: &str, value: &dyn Fn(usize) -> Option<(f64, f64)>| {
            let point = |place: usize| {
                let intervals = place * per_place..((place + 1) * per_place).min(count);
                let (mut sum, mut weights) = (0.0, 0.0);
                for (value, weight) in intervals.filter_map(value) {
                    sum += value * weight;
                    weights += weight;
                }
                (at(place) - start, (weights > 0.0).then(|| sum / weights))
            };
            CourseLine { name: name.to_owned(), points: (0..places).map(point).collect() }
        };
        let total = |direction: Option<Direction>| {
            move |interval: usize| {
                let all = chosen.iter().filter_map(|disk| iops_of(&series.disks[*disk], interval, direction));
                Some((all.reduce(|sum, one| sum + one)?, series.weight(interval)))
            }
        };
        let is_apart = chosen.iter().any(|at| (0..count).any(|one| iops_of(&series.disks[*at], one, Some(Direction::Read)).is_some()));
        let iops = if is_apart {
            vec![line("reads", &total(Some(Direction::Read))), line("writes", &total(Some(Direction::Write)))]
        } else {
            vec![line("reads and writes", &total(None))]
        };
        let done = |disk: usize| (0..count).filter_map(|one| series.disks[disk].iops(one)).sum::<f64>();
        let mut busiest: Vec<(usize, f64)> = chosen.iter().map(|disk| (*disk, done(*disk))).collect();
        busiest.sort_by(|one, other| other.1.total_cmp(&one.1));
        let latency = |(disk, _): &(usize, f64)| {
            let disk = &series.disks[*disk];
            line(&disk.name, &|interval| {
                let iops = disk.iops(interval).filter(|iops| *iops >= LEAST_IOPS)?;
                Some((latency_us_of(disk, interval, None)?, iops * series.weight(interval)))
            })
        };
        let has_points = |line: &CourseLine| line.points.iter().any(|(_, value)| value.is_some());
        let latency_us = busiest.iter().take(MOST_DISKS).map(latency).filter(has_points).collect();
        Some(Self {
            is_calendar: matches!(series.times, Times::OfCalendar(_)),
            is_numbered: times.is_empty(),
            iops: iops.into_iter().filter(has_points).collect(),
            latency_us,
        })
    }
}
