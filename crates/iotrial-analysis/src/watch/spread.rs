//! How a counter spreads over the intervals.

use iotrial_model::counters::{CounterSeries, DiskCounters};
use iotrial_model::load::Direction;
use serde::Serialize;

use super::{LEAST_IOPS, iops_of, latency_us_of};

/// Mean and percentiles of intervals, of those in which it was counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Over time; of a latency over I/Os.
    pub mean: f64,
    /// Half of the intervals have no more.
    pub p50: f64,
    /// 95 % of the intervals have no more.
    pub p95: f64,
    /// 99 % of the intervals have no more.
    pub p99: f64,
    /// The most.
    pub max: f64,
    /// How many intervals that are.
    pub interval_count: usize,
}

impl Spread {
    /// Of a counter, interval by interval; `None` where it never was counted.
    pub(super) fn of(series: &CounterSeries, value: impl Fn(usize) -> Option<f64>) -> Option<Self> {
        let mut values = Vec::new();
        let (mut sum, mut weights) = (0.0, 0.0);
        for interval in 0..series.interval_count {
            if let Some(value) = value(interval) {
                let weight = series.weight(interval);
                sum += weight * value;
                weights += weight;
                values.push(value);
            }
        }
        Self::ranked(values, if weights > 0.0 { sum / weights } else { return None })
    }

    /// Of a latency in µs. Its mean is over I/Os: a mean over intervals would count a quiet night like a busy day. Percentiles are those of
    /// intervals with at least [`LEAST_IOPS`]. Without such, there is no latency worth a word.
    pub(super) fn of_latency(series: &CounterSeries, disk: &DiskCounters, which: Option<Direction>) -> Option<Self> {
        let mut values = Vec::new();
        let (mut sum, mut weights) = (0.0, 0.0);
        for interval in 0..series.interval_count {
            let Some(latency_us) = latency_us_of(disk, interval, which) else { continue };
            // A source with latencies and no rates: each interval counts alike.
            let iops = iops_of(disk, interval, which);
            let weight = series.weight(interval) * iops.unwrap_or(1.0);
            sum += weight * latency_us;
            weights += weight;
            if iops.is_none_or(|iops| iops >= LEAST_IOPS) {
                values.push(latency_us);
            }
        }
        Self::ranked(values, if weights > 0.0 { sum / weights } else { return None })
    }

    fn ranked(mut values: Vec<f64>, mean: f64) -> Option<Self> {
        let max = values.iter().copied().max_by(f64::total_cmp)?;
        // From the highest down: each selection leaves everything that is lower on its left, and sorting all of a week of many disks
        // would take most of the time of an answer.
        let p99 = nearest_rank(&mut values, 99.0);
        let p95 = nearest_rank(&mut values, 95.0);
        let p50 = nearest_rank(&mut values, 50.0);
        Some(Self { mean, p50, p95, p99, max, interval_count: values.len() })
    }
}

/// The least value that `percent` of the values do not exceed; there is at least one. What is lower stands before its place afterwards.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of intervals")]
fn nearest_rank(values: &mut [f64], percent: f64) -> f64 {
    // The 1e-9 keeps 95 % of 20 at rank 19 where the product is off in the last bit.
    let rank = (percent / 100.0 * values.len() as f64 - 1e-9).ceil() as usize;
    let at = rank.clamp(1, values.len()) - 1;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

/// The middle one of some values, the lower one of two; `None` of none.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| nearest_rank(&mut values, 50.0))
}
