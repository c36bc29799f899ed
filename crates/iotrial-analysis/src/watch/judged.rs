//! Whether latencies are good enough for what a disk is for.

use iotrial_model::counters::{Counter, CounterSeries, DiskCounters};
use iotrial_model::figure::Figure;
use iotrial_model::load::{Direction, Role};
use iotrial_model::observation::CounterNote;
use iotrial_model::stream::Stream;
use serde::Serialize;

use super::{LEAST_IOPS, Spread, iops_of, latency_us_of};
use crate::threshold::{Bands, Category, ThresholdSet};

/// What a role gets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoleVerdict {
    /// What its disks are for.
    pub role: Role,
    /// Whether nobody said so: what has no role is judged as data files.
    pub is_assumed: bool,
    /// Whether all is within the limits of the first set that judges the role; absent where nothing is judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_within: Option<bool>,
    /// Each direction of each disk that has a latency.
    pub judged: Vec<Judged>,
    /// Disks of the role without a latency that can be judged.
    pub not_judged: Vec<String>,
}

/// The latency of one direction of one disk.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The disk.
    pub disk: String,
    /// Reads or writes; absent where the source has only both together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// I/Os per second on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops_mean: Option<f64>,
    /// Of all I/Os, in µs.
    pub lat_mean_us: f64,
    /// What 95 % of the intervals do not exceed, in µs.
    pub lat_p95_us: f64,
    /// The longest mean of an interval, in µs.
    pub lat_max_us: f64,
    /// From here on it is no longer acceptable, by the deciding set.
    pub limit_us: f64,
    /// Percent of the intervals with I/O whose mean is beyond the limit.
    pub beyond_percent: f64,
    /// Whether the mean and 95 % of the intervals are below the limit.
    pub is_within: bool,
    /// The mean, by each set that judges it, the deciding one first.
    pub categories: Vec<ByCategory>,
}

/// What a set calls a latency.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByCategory {
    /// The name of the set.
    pub thresholds: String,
    /// What it calls the mean.
    pub category: Category,
    /// What it calls the 95th percentile of intervals.
    pub category_p95: Category,
}

/// A latency is judged where there are as many I/Os, or as many intervals with at least [`LEAST_IOPS`]: a few I/Os of an idle disk that
/// had to wake up say nothing of what it can do.
// A choice: the mean of 1,000 I/Os that vary as their mean is known to 3 %.
const LEAST_IOS: f64 = 1_000.0;
const LEAST_INTERVALS: usize = 20;
/// Of an interval whose length nobody says.
// Longer than most: what are too few I/Os then are too few for certain.
const UNKNOWN_LENGTH_S: f64 = 60.0;

/// Why the latency of a direction is not judged; `None` where it is, and where it has none.
fn too_few(series: &CounterSeries, disk: &DiskCounters, direction: Option<Direction>) -> Option<CounterNote> {
    let (mut busy_count, mut ios, mut is_counted) = (0, 0.0, true);
    for interval in 0..series.interval_count {
        if latency_us_of(disk, interval, direction).is_none() {
            continue;
        }
        // Without a rate nobody knows how many they were.
        let Some(iops) = iops_of(disk, interval, direction) else {
            is_counted = false;
            continue;
        };
        busy_count += usize::from(iops >= LEAST_IOPS);
        let length_s =
            series.durations_s.get(interval).copied().or(series.interval_s).unwrap_or(UNKNOWN_LENGTH_S);
        ios += iops * length_s;
    }
    let is_too_few = is_counted && busy_count < LEAST_INTERVALS && ios < LEAST_IOS && ios > 0.0;
    is_too_few.then(|| CounterNote::FewIos {
        disk: disk.name.clone(),
        direction,
        busy_count,
        interval_count: series.interval_count,
    })
}

/// What is not judged because there is too little of it.
pub(super) fn few_ios(series: &CounterSeries, chosen: &[usize]) -> Vec<CounterNote> {
    let directions = [Some(Direction::Read), Some(Direction::Write), None];
    let of_disk = |disk: &DiskCounters| -> Vec<CounterNote> {
        let has_apart = disk.has(Counter::ReadLatency) || disk.has(Counter::WriteLatency);
        let asked = directions.into_iter().filter(|direction| direction.is_some() == has_apart);
        asked.filter_map(|direction| too_few(series, disk, direction)).collect()
    };
    chosen.iter().flat_map(|at| of_disk(&series.disks[*at])).collect()
}

/// The verdicts of the disks by their roles.
pub(super) fn verdicts(series: &CounterSeries, chosen: &[usize], sets: &[ThresholdSet]) -> Vec<RoleVerdict> {
    let mut verdicts = Vec::new();
    // Those that somebody said to be data apart from those that nobody said anything of.
    let roles = Role::ALL.iter().map(|role| (*role, Some(*role))).chain([(Role::Data, None)]);
    for (role, told) in roles {
        let disks: Vec<&DiskCounters> =
            chosen.iter().map(|at| &series.disks[*at]).filter(|disk| disk.role == told).collect();
        if disks.is_empty() {
            continue;
        }
        let (mut judged, mut not_judged) = (Vec::new(), Vec::new());
        for disk in disks {
            let of_disk = of_disk(series, disk, role, sets);
            if of_disk.is_empty() {
                not_judged.push(disk.name.clone());
            }
            judged.extend(of_disk);
        }
        let is_within = (!judged.is_empty()).then(|| judged.iter().all(|one| one.is_within));
        verdicts.push(RoleVerdict { role, is_assumed: told.is_none(), is_within, judged, not_judged });
    }
    verdicts
}

fn of_disk(series: &CounterSeries, disk: &DiskCounters, role: Role, sets: &[ThresholdSet]) -> Vec<Judged> {
    let of = |direction| judge(series, disk, role, direction, sets);
    let apart: Vec<Judged> = Direction::ALL.iter().filter_map(|direction| of(Some(*direction))).collect();
    // Both together only where there is nothing better.
    if apart.is_empty() { of(None).into_iter().collect() } else { apart }
}

fn judge(
    series: &CounterSeries,
    disk: &DiskCounters,
    role: Role,
    direction: Option<Direction>,
    sets: &[ThresholdSet],
) -> Option<Judged> {
    let latency = Spread::of_latency(series, disk, direction)?;
    if too_few(series, disk, direction).is_some() {
        return None;
    }
    let bands: Vec<(&ThresholdSet, &Bands)> =
        sets.iter().filter_map(|set| Some((set, bands_of(set, role, direction)?))).collect();
    let limit_us = bands.first()?.1.limit_us();
    let (mut counted, mut beyond) = (0_usize, 0_usize);
    for interval in 0..series.interval_count {
        let is_busy = iops_of(disk, interval, direction).is_none_or(|iops| iops >= LEAST_IOPS);
        if let Some(latency_us) = latency_us_of(disk, interval, direction).filter(|_| is_busy) {
            counted += 1;
            beyond += usize::from(latency_us >= limit_us);
        }
    }
    let category = |(set, bands): &(&ThresholdSet, &Bands)| ByCategory {
        thresholds: set.name.clone(),
        category: bands.category(latency.mean),
        category_p95: bands.category(latency.p95),
    };
    Some(Judged {
        disk: disk.name.clone(),
        direction,
        iops_mean: Spread::of(series, |interval| iops_of(disk, interval, direction))
            .map(|spread| spread.mean),
        lat_mean_us: latency.mean,
        lat_p95_us: latency.p95,
        lat_max_us: latency.max,
        limit_us,
        beyond_percent: 100.0 * beyond as f64 / counted.max(1) as f64,
        // The articles mean sustained values. One in twenty intervals may be a checkpoint or a backup.
        is_within: latency.mean < limit_us && latency.p95 < limit_us,
        categories: bands.iter().map(category).collect(),
    })
}

/// From where on the mean latency of a direction is no longer acceptable, in µs, by the first set that judges the role; what has no role is
/// judged as data files.
pub fn limit_us(sets: &[ThresholdSet], role: Option<Role>, direction: Direction) -> Option<f64> {
    let role = role.unwrap_or(Role::Data);
    sets.iter().find_map(|set| bands_of(set, role, Some(direction))).map(Bands::limit_us)
}

/// The bands of means. Both directions together are judged only where a set makes no difference between them.
fn bands_of(set: &ThresholdSet, role: Role, direction: Option<Direction>) -> Option<&Bands> {
    let of = |stream| set.bands(role, stream, Figure::LatencyMean);
    match direction {
        Some(Direction::Read) => of(Stream::Read),
        Some(Direction::Write) => of(Stream::Write),
        None => {
            let (read, write) = (of(Stream::Read)?, of(Stream::Write)?);
            read.judges_like(write).then_some(read)
        }
    }
}
