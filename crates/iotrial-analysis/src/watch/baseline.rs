//! Counters compared with those of a normal time: what changed, and whether the same load takes longer.

use std::collections::BTreeMap;

use iotrial_model::counters::{Counter, CounterSeries, DiskCounters};
use iotrial_model::load::Direction;
use iotrial_model::observation::{Observation, ObservationFacts, ObservedDisks};
use serde::Serialize;

use super::spread::median;
use super::{DirectionAnswer, LEAST_IOPS, TimeSpan, iops_of, latency_us_of, span};

/// What changed since the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BaselineAnswer {
    /// The machine, where the source names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Intervals of the baseline.
    pub interval_count: usize,
    /// When it was; absent where nothing says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<TimeSpan>,
    /// By disk and direction, of the disks that are in both.
    pub changes: Vec<BaselineChange>,
    /// Disks that are looked at and that the baseline does not have.
    pub new_disks: Vec<String>,
}

/// What changed of one disk in one direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BaselineChange {
    /// As its source calls it.
    pub disk: String,
    /// Reads or writes; absent where a source has only both together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// I/Os per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<ThenAndNow>,
    /// Mean latency of all I/Os in µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<ThenAndNow>,
    /// What intervals with the same load took, in µs; absent where there are too few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_load_us: Option<ThenAndNow>,
    /// How many intervals of now have the load of one then.
    pub same_load_intervals: usize,
}

/// A figure of the baseline and of now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ThenAndNow {
    /// In the baseline.
    pub baseline: f64,
    /// Now.
    pub now: f64,
}

impl ThenAndNow {
    /// By how much it changed; `None` from zero.
    pub fn change_percent(&self) -> Option<f64> {
        (self.baseline > 0.0).then(|| 100.0 * (self.now / self.baseline - 1.0))
    }
}

/// From so many times the latency on, it is observed: a choice, as for all observations over time.
const SLOWER: f64 = 1.5;
/// So few intervals of one load may be chance.
const LEAST_INTERVALS: usize = 5;

impl BaselineAnswer {
    /// Of the disks that are looked at.
    pub(super) fn of(baseline: &CounterSeries, series: &CounterSeries, chosen: &[usize]) -> Self {
        let (mut changes, mut new_disks) = (Vec::new(), Vec::new());
        for at in chosen {
            let disk = &series.disks[*at];
            let Some(then) = baseline.disk(&disk.name).map(|at| &baseline.disks[at]) else {
                new_disks.push(disk.name.clone());
                continue;
            };
            let is_apart =
                |disk: &DiskCounters| disk.has(Counter::ReadLatency) || disk.has(Counter::WriteLatency);
            let directions: &[Option<Direction>] = if is_apart(disk) && is_apart(then) {
                &[Some(Direction::Read), Some(Direction::Write)]
            } else {
                &[None]
            };
            let all =
                directions.iter().map(|which| BaselineChange::of((baseline, then), (series, disk), *which));
            changes.extend(all.filter(|change| change.latency_us.is_some()));
        }
        Self {
            host: baseline.host.clone(),
            interval_count: baseline.interval_count,
            span: span(baseline),
            changes,
            new_disks,
        }
    }

    /// Disks that became slower under the same load, each in the direction that did so most.
    pub(super) fn observations(&self) -> Vec<Observation> {
        let mut all: Vec<(f64, Observation)> = Vec::new();
        for change in &self.changes {
            let Some(latency_us) = change.same_load_us else { continue };
            let times = latency_us.now / latency_us.baseline;
            if times < SLOWER {
                continue;
            }
            let one = Observation {
                of: ObservedDisks::Disk(change.disk.clone()),
                facts: ObservationFacts::SlowerThanBaseline {
                    direction: change.direction,
                    baseline_us: latency_us.baseline,
                    now_us: latency_us.now,
                    interval_count: change.same_load_intervals,
                },
            };
            match all.last_mut().filter(|(_, last)| last.of == one.of) {
                Some(last) if last.0 >= times => {}
                Some(last) => *last = (times, one),
                None => all.push((times, one)),
            }
        }
        all.into_iter().map(|(_, one)| one).collect()
    }
}

impl BaselineChange {
    fn of(
        then: (&CounterSeries, &DiskCounters),
        now: (&CounterSeries, &DiskCounters),
        direction: Option<Direction>,
    ) -> Self {
        let [of_then, of_now] =
            [then, now].map(|(series, disk)| DirectionAnswer::of(series, disk, direction));
        let both = |baseline: Option<f64>, now: Option<f64>| {
            baseline.zip(now).map(|(baseline, now)| ThenAndNow { baseline, now })
        };
        let same = same_load(then, now, direction);
        Self {
            disk: now.1.name.clone(),
            direction,
            iops: both(of_then.iops.map(|one| one.mean), of_now.iops.map(|one| one.mean)),
            latency_us: both(of_then.latency_us.map(|one| one.mean), of_now.latency_us.map(|one| one.mean)),
            same_load_us: same.map(|(latency_us, _)| latency_us),
            same_load_intervals: same.map_or(0, |(_, count)| count),
        }
    }
}

/// Intervals with one load: I/Os per second of both directions in steps of 25 %, the mean size in steps of 50 %, the share of reads in
/// quarters. Absent figures are a load of their own.
type LoadOfInterval = (i32, Option<i32>, Option<i32>);

/// What intervals with the same load took: medians of each load that both have, weighted by how many intervals of now have it.
fn same_load(
    then: (&CounterSeries, &DiskCounters),
    now: (&CounterSeries, &DiskCounters),
    direction: Option<Direction>,
) -> Option<(ThenAndNow, usize)> {
    let (then, now) = (by_load(then, direction), by_load(now, direction));
    let (mut sums, mut count) = (ThenAndNow { baseline: 0.0, now: 0.0 }, 0);
    for (load, latencies) in now {
        let Some(earlier) = then.get(&load) else { continue };
        if latencies.len() < LEAST_INTERVALS || earlier.len() < LEAST_INTERVALS {
            continue;
        }
        let weight = latencies.len() as f64;
        sums.baseline += weight * median(earlier.clone())?;
        sums.now += weight * median(latencies.clone())?;
        count += latencies.len();
    }
    let mean = ThenAndNow { baseline: sums.baseline / count as f64, now: sums.now / count as f64 };
    (count > 0 && mean.baseline > 0.0).then_some((mean, count))
}

/// The latencies of intervals by their load.
fn by_load(
    (series, disk): (&CounterSeries, &DiskCounters),
    direction: Option<Direction>,
) -> BTreeMap<LoadOfInterval, Vec<f64>> {
    #[expect(clippy::cast_possible_truncation, reason = "logarithms of rates and sizes are small")]
    let step = |value: f64, base: f64| (value.ln() / base.ln()).round() as i32;
    let mut all: BTreeMap<LoadOfInterval, Vec<f64>> = BTreeMap::new();
    for interval in 0..series.interval_count {
        let Some(iops) = disk.iops(interval).filter(|iops| *iops >= LEAST_IOPS) else { continue };
        let is_busy = iops_of(disk, interval, direction).is_some_and(|iops| iops >= LEAST_IOPS);
        let Some(latency_us) = latency_us_of(disk, interval, direction).filter(|_| is_busy) else { continue };
        let size = disk.bytes_per_s(interval).filter(|bytes| *bytes > 0.0).map(|bytes| bytes / iops);
        #[expect(clippy::cast_possible_truncation, reason = "from 0 to 4")]
        let reads = disk.at(Counter::ReadIops, interval).map(|reads| (4.0 * reads / iops).round() as i32);
        let load = (step(iops, 1.25), size.map(|size| step(size, 1.5)), reads);
        all.entry(load).or_default().push(latency_us);
    }
    all
}

#[cfg(test)]
mod tests {
    use iotrial_model::observation::ObservationKind;

    use super::super::tests::{disk, kinds, request, series};
    use super::super::{WatchAnswer, WatchRequest};
    use super::*;

    /// Forty intervals of a night with 200 IOPS, and so many of a day with more, each with its latency in ms.
    fn week(night_ms: f64, day: usize, day_iops: f64, day_ms: f64) -> CounterSeries {
        let mut moments = vec![(200.0, night_ms); 40];
        moments.extend(vec![(day_iops, day_ms); day]);
        series(vec![disk("sda", &moments)], moments.len())
    }

    fn compared(then: CounterSeries, now: &CounterSeries) -> WatchAnswer {
        WatchAnswer::of(now, &WatchRequest { baseline: Some(then), ..request() }).unwrap()
    }

    #[test]
    fn the_same_load_that_takes_longer_than_in_the_baseline_is_observed_and_more_load_is_not() {
        let normal = || week(2.0, 40, 2_000.0, 4.0);
        let answer = compared(normal(), &week(3.0, 40, 2_000.0, 7.0));
        assert_eq!(kinds(&answer), [ObservationKind::SlowerThanBaseline]);
        let change = &answer.baseline.as_ref().unwrap().changes[0];
        let same = change.same_load_us.unwrap();
        assert_eq!(
            (same.baseline.round(), same.now.round(), change.same_load_intervals),
            (3_000.0, 5_000.0, 80)
        );
        assert_eq!((change.direction, answer.is_good), (Some(Direction::Read), Some(true)));
        // Twice the load in the day, which is slow for that reason; nights as before.
        let answer = compared(normal(), &week(2.1, 40, 4_000.0, 15.0));
        let change = &answer.baseline.as_ref().unwrap().changes[0];
        assert_eq!((kinds(&answer), change.same_load_intervals), (vec![], 40));
        assert!(change.latency_us.unwrap().change_percent().unwrap() > 200.0);
        // A busier week at the same latencies has a higher mean, and the same week has none.
        let means_only = compared(normal(), &week(2.0, 400, 2_000.0, 4.0));
        assert_eq!(kinds(&means_only), []);
        assert_eq!(kinds(&compared(normal(), &normal())), []);
        // Four intervals of a load are chance.
        assert_eq!(kinds(&compared(normal(), &week(2.0, 4, 2_000.0, 90.0))), []);
        assert_eq!(kinds(&WatchAnswer::of(&week(3.0, 40, 2_000.0, 7.0), &request()).unwrap()), []);
    }

    #[test]
    fn a_disk_without_a_baseline_is_named_and_writes_that_were_never_made_are_not_compared() {
        let mut now = week(2.0, 40, 2_000.0, 4.0);
        now.disks.push(disk("sdb", &[(100.0, 1.0); 80]));
        let answer = compared(week(2.0, 40, 2_000.0, 4.0), &now);
        let baseline = answer.baseline.unwrap();
        assert_eq!((baseline.changes.len(), baseline.new_disks), (1, vec!["sdb".to_owned()]));
    }

    #[test]
    fn larger_ios_are_another_load() {
        let mut now = week(2.0, 40, 2_000.0, 8.0);
        for at in 40..80 {
            now.disks[0].set(Counter::ReadBytes, at, 2_000.0 * 65_536.0);
        }
        assert_eq!(kinds(&compared(week(2.0, 40, 2_000.0, 4.0), &now)), []);
    }
}
