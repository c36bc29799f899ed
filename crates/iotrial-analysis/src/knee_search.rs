//! Which load to measure next to find the knee with few measurements.
//!
//! Four steps, each decided from the points so far: the load is multiplied by four until that brings no
//! more; the fitted knee is measured, and again where the fit moves; where a higher load does less, the top
//! is enclosed; then every load is measured again, until it has its repeats.

use crate::saturation::{LoadPoint, Top, by_load, is_saturated, knee_to_try};

/// Factor by which the load grows from one step to the next.
// Four reaches 1,024 in six probes. Two would cost twice as many and show the knee no better, since it is
// measured separately once the curve is fitted.
const STEP_FACTOR: u32 = 4;
/// A knee has been measured when a load lies as close to it as this, in percent.
// A choice: a probe nearer than that would mostly repeat the one that is there.
const CLOSE_PERCENT: f64 = 10.0;
/// Most loads that are measured at a fitted knee, in addition to those of the steps.
// A bound for noisy devices, on which the fit keeps moving.
const MOST_REFINEMENTS: usize = 3;
/// Most loads that are measured to enclose the top of a rate that falls again, in addition to both.
// From neighbours that are a quarter and four times as much, golden sections leave 3 % on each side after eight.
const MOST_FOR_TOP: usize = 8;
/// The long measurement is made at this multiple of the knee, so that the ceiling is reached for certain, and
/// a limiter lets I/Os wait several times their service time.
// A cap is found where I/Os take at least 2.5 times as long as one alone (docs/sweep.md). At four times the
// knee latency is about four times that.
const BEYOND_KNEE: f64 = 4.0;
/// The fewest outstanding I/Os of the long measurement: with fewer, none may have to wait.
// The same eight that the finding of a flat limit asks to be in flight.
const LEAST_BEYOND: u32 = 8;
/// A load that brings less than this share of the best rate does not show the ceiling.
// Three times the 1 % by which two measurements of one load differ on a quiet device.
const NEAR_BEST: f64 = 0.97;

/// The bounds of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchBounds {
    /// The most outstanding I/Os to try.
    pub most_outstanding: u32,
    /// How often each load is measured.
    pub repeats: u32,
}

impl SearchBounds {
    /// The outstanding I/Os to measure next; `None` when the search is done.
    pub fn next(&self, points: &[LoadPoint]) -> Option<u32> {
        // Points without a rate say nothing. With none at all the search starts; with only such it ends,
        // because more load would not help.
        if by_load(points).is_empty() {
            return points.is_empty().then_some(1);
        }
        // First upwards: a knee fitted before the ceiling was seen is that of a straight line.
        if let Some(higher) = self.higher(points) {
            return Some(higher);
        }
        if let Some(knee) = self.unmeasured_knee(points) {
            return Some(knee);
        }
        if let Some(nearer) = self.unmeasured_top(points) {
            return Some(nearer);
        }
        // The order of the first measurements, so that time changes all loads alike.
        let mut loads: Vec<u32> = Vec::new();
        for one in points {
            if !loads.contains(&one.outstanding) {
                loads.push(one.outstanding);
            }
        }
        let count = |load: u32| points.iter().filter(|one| one.outstanding == load).count();
        // The load with the fewest measurements next, so that all reach their repeats at about the same time
        // and a drift of the device does not look like a difference between loads.
        let least = loads.into_iter().min_by_key(|load| count(*load))?;
        (count(least) < self.repeats as usize).then_some(least)
    }

    /// The next higher load, where the highest one still brought more than those below it.
    pub fn higher(&self, points: &[LoadPoint]) -> Option<u32> {
        let top = by_load(points).last()?.outstanding;
        (!is_saturated(points) && top < self.most_outstanding)
            .then(|| top.saturating_mul(STEP_FACTOR).min(self.most_outstanding))
    }

    /// The knee by the points so far, where it has not been measured yet.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the loads measured")]
    fn unmeasured_knee(&self, points: &[LoadPoint]) -> Option<u32> {
        if self.refinements(points) >= MOST_REFINEMENTS {
            return None;
        }
        let means = by_load(points);
        let knee = knee_to_try(points)?;
        let rounded = knee.round() as u32;
        let is_close =
            // `rounded` as well: at a knee of 1.4 the load 1 is 29 % away and still the nearest that there
            // is.
            |load: u32| load == rounded || (f64::from(load) / knee - 1.0).abs() <= CLOSE_PERCENT / 100.0;
        (!means.iter().any(|one| is_close(one.outstanding))).then_some(rounded)
    }

    /// A load nearer to the top of a rate that falls again, where it is not enclosed yet.
    fn unmeasured_top(&self, points: &[LoadPoint]) -> Option<u32> {
        (self.refinements(points) < MOST_REFINEMENTS + MOST_FOR_TOP).then(|| Top::of(points)?.next())?
    }

    /// How many loads were measured that are not steps.
    fn refinements(&self, points: &[LoadPoint]) -> usize {
        let steps = std::iter::successors(Some(1_u32), |load| load.checked_mul(STEP_FACTOR));
        let is_step = |load: u32| load == self.most_outstanding || steps.clone().any(|step| step == load);
        by_load(points).iter().filter(|one| !is_step(one.outstanding)).count()
    }

    /// The load for the long measurement of the rate that lasts.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is bounded")]
    pub fn sustained(&self, points: &[LoadPoint]) -> Option<u32> {
        // The rate falls again: what lies beyond its top is slower.
        if let Some(top) = Top::of(points) {
            return Some(top.best.outstanding);
        }
        let means = by_load(points);
        let best = means.iter().map(|one| one.iops).fold(0.0, f64::max);
        // The lowest load that is as good as the best: more outstanding I/O beyond it only waits.
        let near_best = means.iter().find(|one| one.iops >= NEAR_BEST * best)?.outstanding;
        if means.last().is_some_and(|top| top.iops < NEAR_BEST * best) {
            // It may fall, and what lies beyond would be slower.
            return Some(near_best);
        }
        let knee = knee_to_try(points)?;
        let beyond = (BEYOND_KNEE * knee).ceil() as u32;
        Some(beyond.max(near_best).max(LEAST_BEYOND).min(self.most_outstanding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: SearchBounds = SearchBounds { most_outstanding: 1_024, repeats: 2 };

    fn search(bounds: SearchBounds, iops: impl Fn(f64) -> f64) -> Vec<LoadPoint> {
        let mut points: Vec<LoadPoint> = Vec::new();
        while let Some(outstanding) = bounds.next(&points) {
            let iops = iops(f64::from(outstanding));
            let mib_per_s = iops / 128.0;
            points.push(LoadPoint { outstanding, iops, mib_per_s, lat_mean_us: None, chance: 0.0 });
            assert!(points.len() < 50, "the search does not end: {points:?}");
        }
        points
    }

    #[test]
    fn few_loads_are_measured_and_the_knee_is_among_them() {
        for servers in [1_u32, 3, 8, 13, 32, 100, 200, 255] {
            let points = search(BOUNDS, |n| n.min(f64::from(servers)) * 2_000.0);
            let loads = by_load(&points);
            assert!(loads.len() <= 8, "{servers}: {loads:?}");
            assert!(
                loads.iter().any(|one| (f64::from(one.outstanding) / f64::from(servers) - 1.0).abs() <= 0.1)
            );
            assert!(loads.iter().all(|one| one.count == 2), "{servers}: {loads:?}");
            let sustained = BOUNDS.sustained(&points).unwrap();
            assert!(sustained >= 8 && sustained >= 2 * servers, "{servers}: {sustained}");
        }
    }

    #[test]
    fn the_search_stays_within_its_bounds_and_ends_there() {
        let bounds = SearchBounds { most_outstanding: 20, repeats: 1 };
        let points = search(bounds, |n| n * 100.0);
        assert_eq!(points.iter().map(|one| one.outstanding).collect::<Vec<_>>(), [1, 4, 16, 20]);
        assert_eq!(bounds.sustained(&points), Some(20));
    }

    #[test]
    fn a_rate_that_falls_again_is_measured_where_it_is_highest() {
        let points = search(BOUNDS, |n| n / (1.0 + 0.05 * (n - 1.0) + 0.001 * n * (n - 1.0)));
        assert_eq!(BOUNDS.sustained(&points).map(|load| load < 100), Some(true), "{points:?}");
    }

    #[test]
    fn the_top_of_a_rate_that_falls_again_is_enclosed_with_few_more_loads() {
        let shapes = [
            (10, 0.02),
            (8, 0.02),
            (20, 0.01),
            (40, 0.005),
            (100, 0.002),
            (3, 0.1),
            (12, 0.05),
            (1, 0.05),
            (25, 0.002),
            (5, 0.01),
            (300, 0.001),
        ];
        for (servers, share) in shapes {
            let rate = |n: f64| 1_000.0 * n.min(f64::from(servers)) / (1.0 + share * (n - 1.0));
            let points = search(BOUNDS, rate);
            let truth = (1..=1_024).map(|n| rate(f64::from(n))).fold(0.0, f64::max);
            let best = points.iter().map(|one| one.iops).fold(0.0, f64::max);
            let most = Top::of(&points).unwrap().at_most_iops();
            assert!(
                best >= 0.97 * truth && (truth..1.03 * best).contains(&most.next_up()),
                "{servers}, {share}: {best} of {truth}, {most}"
            );
            assert!(by_load(&points).len() <= 6 + MOST_REFINEMENTS + MOST_FOR_TOP, "{points:?}");
            let longest = rate(f64::from(BOUNDS.sustained(&points).unwrap()));
            assert!(longest >= 0.97 * truth, "{servers}, {share}: {longest}");
        }
    }

    #[test]
    fn a_rate_that_does_not_fall_is_measured_with_no_more_loads() {
        // Two measurements of one load differ by up to 2 %.
        let noise = |n: f64, seed: f64| 1.0 + 0.01 * (n * 12.9898 + seed * 78.233).sin();
        let rates: [fn(f64, f64) -> f64; 4] = [
            |n, level| n.min(level),
            |n, level| n / (1.0 + (n - 1.0) / level),
            |n, level| n / (1.0 + (n / level).powi(3)).cbrt(),
            |n, level| (n / (1.0 + 0.01 * n)).min(level / 2.0),
        ];
        for rate in rates {
            for level in [1.0, 2.4, 7.0, 16.0, 33.0, 120.0, 500.0] {
                for seed in 0..20 {
                    let points = search(BOUNDS, |n| rate(n, level) * noise(n, f64::from(seed)));
                    let steps = (1..=points.len()).map(|count| BOUNDS.unmeasured_top(&points[..count]));
                    assert_eq!(steps.flatten().next(), None, "{level}, {seed}: {points:?}");
                }
            }
        }
    }

    #[test]
    fn a_device_that_answers_nothing_ends_the_search() {
        assert_eq!(search(BOUNDS, |_| 0.0).len(), 1);
    }
}
