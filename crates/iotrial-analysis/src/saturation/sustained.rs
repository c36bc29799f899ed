//! The rate that lasts: a long measurement beyond the knee, without what a burst, a standstill or a drift made of it.

use serde::Serialize;

use super::{BURST_RATIO, Confidence, LoadPoint, MeanPoint, by_load, is_usable};

/// The rate that lasts, from a long measurement beyond the knee.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sustained {
    /// I/Os per second.
    pub iops: f64,
    /// Standard error of that mean; `None` with a single second.
    pub iops_standard_error: Option<f64>,
    /// The burst before it, where there was one.
    pub burst: Option<Burst>,
    /// How the rate went on changing under one load, where it did: then none lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Whole seconds in which the device stood still, and those that a standstill cut; they are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub stalled_s: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A device that was faster at first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Burst {
    /// I/Os per second until then.
    pub iops: f64,
    /// Seconds from the start of the load; `None` where it was over before the long measurement.
    pub ended_after_s: Option<f64>,
}

/// A rate that goes on falling or rising under one load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drift {
    /// Of the fitted line in the first measured second.
    pub from_iops: f64,
    /// Of the fitted line in the last one.
    pub to_iops: f64,
    /// How long it was looked at.
    pub seconds: usize,
}

/// How many seconds after a burst have to be seen before it counts as one.
// A choice: a rate has to be seen for some seconds before it can be said to last.
const LEAST_PLATEAU: usize = 3;
/// How many times what follows a burst has to reach: less may be chance, and a kernel that shares tokens out
/// ten times a second moves a tenth of them from one second to the next.
const LEAST_BURST_RATIO: f64 = 1.25;
/// The fewest seconds that show a drift.
const LEAST_DRIFT_SECONDS: usize = 6;
/// A line that changes by less than this, as a share of the mean, is no drift that anybody has to know: two measurements of one load differ
/// by some percent.
const LEAST_DRIFT: f64 = 0.1;
/// How many standard errors the slope of a drift is away from none. Beyond Student's limit for 1 in 1,000 with four degrees of freedom
/// (8.6), since every curve of every sweep is asked.
const DRIFT_ERRORS: f64 = 9.0;
/// Below this share of the median second the device stood still. A limit is not as deep: what a burst leaves of its rate lasts for more seconds than
/// the burst, or the median is of the burst and the rest its end.
const STALLED_SHARE: f64 = 0.1;
/// Seconds beside a standstill below this share of the median were cut by it.
const CUT_SHARE: f64 = 0.9;

fn mean(part: &[f64]) -> f64 {
    part.iter().sum::<f64>() / part.len() as f64
}

/// The squared distances from the mean.
fn squares(part: &[f64]) -> f64 {
    let middle = mean(part);
    part.iter().map(|rate| (rate - middle).powi(2)).sum()
}

/// Slope a second, and the squared distances from the line of least squares.
fn line(part: &[f64]) -> (f64, f64) {
    let centre = (part.len() as f64 - 1.0) / 2.0;
    let middle = mean(part);
    let from_centre = |index: usize| index as f64 - centre;
    let along: f64 = (0..part.len()).map(|index| from_centre(index).powi(2)).sum();
    let together: f64 =
        part.iter().enumerate().map(|(index, rate)| from_centre(index) * (rate - middle)).sum();
    let slope = together / along.max(1e-9);
    (slope, (squares(part) - slope * together).max(0.0))
}

/// For each second of a course whether the device stood still in it, or a standstill cut it; none where it did not go on afterwards.
pub(crate) fn stalled_seconds(rates: &[f64]) -> Vec<bool> {
    let none = || vec![false; rates.len()];
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    let stands = |index: usize| rates[index] < STALLED_SHARE * median;
    // A device that never comes back has not stood still for a while: it has stopped.
    let goes_on = rates.last().is_some_and(|last| *last >= STALLED_SHARE * median);
    if median <= 0.0 || !goes_on {
        return none();
    }
    let is_cut = |index: usize| {
        let before = index.checked_sub(1).is_some_and(stands);
        let after = index + 1 < rates.len() && stands(index + 1);
        (before || after) && rates[index] < CUT_SHARE * median
    };
    (0..rates.len()).map(|index| stands(index) || is_cut(index)).collect()
}

impl Drift {
    /// Of measured seconds in which the rate followed a line that is not level.
    fn of(rates: &[f64]) -> Option<Self> {
        let count = rates.len();
        let (slope, left) = line(rates);
        let middle = mean(rates);
        let gain = slope * (count as f64 - 1.0);
        let along = (count as f64).powi(3) / 12.0;
        let error = (left / (count as f64 - 2.0) / along).sqrt();
        let is_drift = count >= LEAST_DRIFT_SECONDS
            && gain.abs() >= LEAST_DRIFT * middle
            && slope.abs() > DRIFT_ERRORS * error;
        is_drift.then(|| Self {
            from_iops: middle - gain / 2.0,
            to_iops: (middle + gain / 2.0).max(0.0),
            seconds: count,
        })
    }
}

impl Sustained {
    /// From the rates of whole seconds, of which the first `ramp` ones are not measured.
    ///
    /// Seconds in which the device stood still are left out. The course is cut in two where the squared distances from the means of both parts
    /// are least. Where the first part is 25 % above the second, and the second lasts three seconds and stays below, the second alone is the
    /// rate that lasts, without the second in which it changed. Otherwise it is the mean of the measured seconds. Where a line that is not
    /// level describes the seconds better than two levels, the rate drifts.
    pub(crate) fn of_course(rates: &[f64], ramp: usize) -> Option<Self> {
        let stalled = stalled_seconds(rates);
        let stalled_s = stalled.iter().filter(|is_stalled| **is_stalled).count();
        let ramp = ramp - stalled.iter().take(ramp).filter(|is_stalled| **is_stalled).count().min(ramp);
        let kept: Vec<f64> = rates
            .iter()
            .zip(&stalled)
            .filter(|(_, is_stalled)| !**is_stalled)
            .map(|(rate, _)| *rate)
            .collect();
        let rates = kept.as_slice();
        let of = |part: &[f64], burst: Option<Burst>, drift: Option<Drift>| {
            let count = part.len() as f64;
            let error = (part.len() > 1).then(|| (squares(part) / (count - 1.0) / count).sqrt());
            Self { iops: mean(part), iops_standard_error: error, burst, drift, stalled_s }
        };
        let measured = rates.get(ramp.min(rates.len())..).filter(|part| !part.is_empty());
        let drift = measured.and_then(Drift::of);
        // Every cut is tried. That is quadratic in the seconds of a probe, of which there are a few dozen.
        let squares_at = |at: usize| squares(&rates[..at]) + squares(&rates[at..]);
        let cut = (1..(rates.len() + 1).saturating_sub(LEAST_PLATEAU))
            .min_by(|a, b| squares_at(*a).total_cmp(&squares_at(*b)));
        if let Some(cut) = cut {
            let (before, after) = rates.split_at(cut);
            // The change may have fallen into the first second of what follows.
            let settled = if after.len() > LEAST_PLATEAU { &after[1..] } else { after };
            // What was used up is gone: a rate that comes back was held back by something else.
            let stays = || {
                let between = f64::midpoint(mean(before), mean(settled));
                settled.iter().all(|rate| *rate < between)
            };
            let is_level = drift.is_none() || squares_at(cut) < line(rates).1;
            // With a rate of zero afterwards the device has stopped and nothing lasts.
            if mean(before) >= LEAST_BURST_RATIO * mean(after) && mean(after) > 0.0 && is_level && stays() {
                // The first second has the burst alone, while the last one before the cut may be partly what
                // follows; so the larger of the two.
                let burst = Burst { iops: before[0].max(mean(before)), ended_after_s: Some(cut as f64) };
                return Some(of(settled, Some(burst), None));
            }
        }
        let measured = measured?;
        (mean(measured) > 0.0).then(|| of(measured, None, drift))
    }

    /// The same with the burst that short measurements before it showed, given in the order in which they were made.
    ///
    /// Either every repeat of a load is above the rate that lasts: each found the credits whole. Or the first ones are, and after the last of
    /// them at least two are not at as high a load: what a device has in store is shared by all that ask it.
    pub(crate) fn with_burst_of(self, short: &[LoadPoint]) -> Self {
        if self.burst.is_some() || self.drift.is_some() {
            return self;
        }
        let slowest_repeat = |load: &MeanPoint| {
            if load.count < 2 {
                return 0.0;
            }
            // The slowest repeat, so that every repeat has to show the burst.
            let repeats = short.iter().filter(|one| one.outstanding == load.outstanding);
            repeats.map(|one| one.iops).fold(f64::INFINITY, f64::min)
        };
        let fastest = by_load(short).iter().map(slowest_repeat).fold(0.0, f64::max);
        let fastest = fastest.max(self.fastest_before_the_end(short));
        if fastest < LEAST_BURST_RATIO * self.iops {
            return self;
        }
        Self { burst: Some(Burst { iops: fastest, ended_after_s: None }), ..self }
    }

    /// The highest rate before what was in store was used up; zero where nothing shows that.
    fn fastest_before_the_end(self, short: &[LoadPoint]) -> f64 {
        // Beyond chance in few I/Os: nothing but a store makes a device faster than it is, but a short probe of a slow one counts few.
        let is_fast = |one: &LoadPoint| one.iops >= (LEAST_BURST_RATIO + 5.0 * one.chance) * self.iops;
        let Some(last) = short.iter().rposition(is_fast) else { return 0.0 };
        let least = short[..=last].iter().filter(|one| is_fast(one)).map(|one| one.outstanding).min();
        let is_used_up = |one: &&LoadPoint| {
            is_usable(one) && Some(one.outstanding) >= least && one.iops <= BURST_RATIO * self.iops
        };
        if short[last + 1..].iter().filter(is_used_up).count() < 2 {
            return 0.0;
        }
        short[..=last].iter().map(|one| one.iops).fold(0.0, f64::max)
    }

    pub(super) fn confidence(self) -> Option<Confidence> {
        // 1.96 rounded; the standard error itself is not known to two digits from a few dozen seconds.
        let half = 2.0 * self.iops_standard_error?;
        Some(Confidence { low: self.iops - half, high: self.iops + half })
    }
}
