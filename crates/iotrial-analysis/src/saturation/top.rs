//! The highest rate of a curve that falls again, and what may lie between the loads that enclose it.

use super::{LoadPoint, MeanPoint, by_load, is_usable};

/// A rate has fallen when it is so many standard errors below the best one; fewer are chance.
// A curve has ten loads or so, each of which may be the best one by chance, and three errors would make one flat curve of a hundred fall.
const FALL_ERRORS: f64 = 4.0;
/// Nothing between the measured loads may be above the best of them by a larger share than this.
// Three times the 1 % by which two measurements of one load differ on a quiet device.
const ENCLOSED_WITHIN: f64 = 0.03;
/// The share of a gap, on a scale of equal factors, at which the next load lies, from the best one (golden section: Kiefer, 1953).
const GOLDEN_SHARE: f64 = 0.381_966_011_250_105;

/// The best of the measured loads, where a higher one does clearly less, with its neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Top {
    /// The load with the highest rate.
    pub(crate) best: MeanPoint,
    /// The next lower load that was measured; `None` where the best is the lowest.
    below: Option<MeanPoint>,
    /// The next higher one.
    above: MeanPoint,
}

impl Top {
    /// `None` where no load beyond the best one does clearly less.
    pub(crate) fn of(points: &[LoadPoint]) -> Option<Self> {
        let means = by_load(points);
        let at = (0..means.len()).max_by(|a, b| means[*a].iops.total_cmp(&means[*b].iops))?;
        let best = means[at];
        let variance = |of: &MeanPoint| {
            let same = points.iter().filter(|one| one.outstanding == of.outstanding && is_usable(one));
            same.map(|one| 1.0 / one.weight()).sum::<f64>() / (of.count as f64).powi(2)
        };
        let has_fallen = |one: &MeanPoint| {
            (best.iops / one.iops).ln() > FALL_ERRORS * (variance(&best) + variance(one)).sqrt()
        };
        let beyond = &means[at + 1..];
        let below = at.checked_sub(1).map(|below| means[below]);
        let above = *beyond.first()?;
        beyond.iter().any(has_fallen).then_some(Self { best, below, above })
    }

    /// The load to measure next, between the best one and a neighbour; `None` where the top is enclosed.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two measured loads")]
    pub(crate) fn next(&self) -> Option<u32> {
        let (most, end) = self.gaps().into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let best = f64::from(self.best.outstanding);
        let between = (best * (f64::from(end) / best).powf(GOLDEN_SHARE)).round() as u32;
        let (low, high) = (self.best.outstanding.min(end), self.best.outstanding.max(end));
        (most > (1.0 + ENCLOSED_WITHIN) * self.best.iops).then(|| between.clamp(low + 1, high - 1))
    }

    /// What any load does at most: the best one, or one that was not measured.
    pub(crate) fn at_most_iops(&self) -> f64 {
        self.gaps().into_iter().flatten().map(|(most, _)| most).fold(self.best.iops, f64::max)
    }

    /// Of the loads between the best one and each neighbour the rate that they reach at most, with that neighbour.
    ///
    /// More outstanding I/Os do not make an I/O faster, so the highest load of a gap does at most as much as its lower end with the same latency:
    /// `X(N) = N / R(N) ≤ N / R(a)` for `N > a` (Little).
    fn gaps(&self) -> [Option<(f64, u32)>; 2] {
        let gap = |lower: MeanPoint, higher: u32, end: u32| {
            let most = lower.iops * f64::from(higher - 1) / f64::from(lower.outstanding);
            (higher - lower.outstanding > 1).then_some((most, end))
        };
        [
            self.below.and_then(|below| gap(below, self.best.outstanding, below.outstanding)),
            gap(self.best, self.above.outstanding, self.above.outstanding),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(loads: &[u32], iops: impl Fn(f64) -> f64) -> Vec<LoadPoint> {
        let point = |outstanding: &u32| {
            let iops = iops(f64::from(*outstanding));
            LoadPoint {
                outstanding: *outstanding,
                iops,
                mib_per_s: iops / 128.0,
                lat_mean_us: None,
                chance: 0.0,
            }
        };
        loads.iter().map(point).collect()
    }

    /// So many servers, each of which is slowed down by all I/Os that are outstanding.
    fn crowded(servers: f64, share: f64) -> impl Fn(f64) -> f64 {
        move |n| 1_000.0 * n.min(servers) / (1.0 + share * (n - 1.0))
    }

    #[test]
    fn a_rate_that_rises_or_stays_has_no_top_and_one_that_falls_clearly_has() {
        let loads = [1, 4, 16, 64];
        for level in [4.0, 11.0, 64.0, 200.0] {
            assert_eq!(Top::of(&points(&loads, |n| n.min(level))), None);
        }
        // By chance one of two equal rates is 5 % above the other, and by 6 % it is not.
        let last = |share: f64| points(&loads, move |n| if n > 16.0 { 16.0 * share } else { n });
        assert_eq!(Top::of(&last(0.95)), None);
        assert_eq!(Top::of(&last(0.94)).map(|top| top.best.outstanding), Some(16));
        // Few I/Os leave more to chance.
        let few: Vec<LoadPoint> =
            last(0.8).into_iter().map(|one| LoadPoint { chance: 0.04, ..one }).collect();
        assert_eq!((Top::of(&few), Top::of(&[])), (None, None));
    }

    #[test]
    fn what_lies_between_measured_loads_is_never_more_than_is_said() {
        for (servers, share) in
            [(10.0, 0.02), (20.0, 0.01), (5.0, 0.01), (3.0, 0.1), (60.0, 0.004), (14.0, 0.03)]
        {
            let rate = crowded(servers, share);
            for loads in [&[1, 4, 16, 64, 256][..], &[1, 2, 4, 8, 16, 32, 128, 512], &[1, 9, 16, 64, 300]] {
                let top = Top::of(&points(loads, &rate)).unwrap();
                let truth = (1..=256).map(|n| rate(f64::from(n))).fold(0.0, f64::max);
                assert!(top.at_most_iops() >= truth, "{servers}, {share}, {loads:?}: {top:?}");
                let next = top.next();
                assert!(next.is_none_or(|next| !loads.contains(&next)), "{loads:?}: {next:?}");
            }
        }
        // Between whole loads that are next to each other lies nothing.
        let rate = crowded(10.0, 0.02);
        let top = Top::of(&points(&[1, 9, 10, 11, 64], &rate)).unwrap();
        assert_eq!((top.next(), top.at_most_iops()), (None, rate(10.0)));
    }
}
