//! Whether a load had stopped changing while it was measured.
//!
//! The criteria are those of the SNIA Solid State Storage Performance Test Specification (PTS 2.0, «steady
//! state»): over five rounds the values range over at most 20 % of their average, and the line of least
//! squares through them rises or falls by at most 10 % of it. SNIA takes rounds of a minute and repeats them
//! until the criteria are met; here the rounds are the fifths of the measured phase, and the answer says
//! whether they met the criteria.

use iotrial_model::load::Direction;
use iotrial_model::record::{Interval, OpCounts, RunRecord};
use serde::Serialize;

/// The rounds that are compared.
pub const ROUND_COUNT: usize = 5;
/// The most that the rounds may differ, in percent of their average.
pub const MOST_RANGE_PERCENT: f64 = 20.0;
/// The most that the fitted line may rise or fall from the first to the last round, in percent of the average.
pub const MOST_SLOPE_PERCENT: f64 = 10.0;

/// How far the IOPS of the measured phase were from steady.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SteadyState {
    /// Whether both criteria are met.
    pub held: bool,
    /// Largest minus smallest round, in percent of their average.
    pub range_percent: f64,
    /// What the fitted line gains from the first round to the last, in percent of the average; negative when
    /// the rate falls.
    pub slope_percent: f64,
    /// IOPS of each round, all jobs together.
    pub rounds: [f64; ROUND_COUNT],
}

impl SteadyState {
    /// Judges the measured phase. `None` when it has fewer intervals than there are rounds, or no I/O.
    pub fn of(record: &RunRecord) -> Option<Self> {
        let intervals: Vec<(f64, f64)> = record
            .measured_intervals()
            .map(|interval| (interval.duration.as_secs_f64(), io_count(interval)))
            .collect();
        (intervals.len() >= ROUND_COUNT).then(|| Self::of_rounds(rounds(&intervals))).flatten()
    }

    #[expect(clippy::cast_precision_loss, reason = "there are five rounds")]
    fn of_rounds(rounds: [f64; ROUND_COUNT]) -> Option<Self> {
        let average = rounds.iter().sum::<f64>() / ROUND_COUNT as f64;
        if average <= 0.0 {
            return None;
        }
        let largest = rounds.iter().copied().fold(f64::MIN, f64::max);
        let smallest = rounds.iter().copied().fold(f64::MAX, f64::min);
        let range_percent = 100.0 * (largest - smallest) / average;
        let slope_percent = 100.0 * least_squares_slope(&rounds) * (ROUND_COUNT - 1) as f64 / average;
        let held = range_percent <= MOST_RANGE_PERCENT && slope_percent.abs() <= MOST_SLOPE_PERCENT;
        Some(Self { held, range_percent, slope_percent, rounds })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts to 15 digits")]
fn io_count(interval: &Interval) -> f64 {
    let of = |direction: Direction| {
        interval.jobs.iter().filter_map(move |job| job.get(direction)).map(OpCounts::io_count).sum::<u64>()
    };
    Direction::ALL.into_iter().map(of).sum::<u64>() as f64
}

/// IOPS of the fifths of the time that `intervals` (seconds, I/Os) cover one after the other. An interval
/// on the border of two rounds gives to each by the time that lies in it.
#[expect(clippy::cast_precision_loss, reason = "there are five rounds")]
fn rounds(intervals: &[(f64, f64)]) -> [f64; ROUND_COUNT] {
    let round_s = intervals.iter().map(|(duration_s, _)| duration_s).sum::<f64>() / ROUND_COUNT as f64;
    let mut io_counts = [0.0; ROUND_COUNT];
    let mut start_s = 0.0;
    for (duration_s, io_count) in intervals {
        let end_s = start_s + duration_s;
        for (round, sum) in io_counts.iter_mut().enumerate() {
            let (round_start_s, round_end_s) = (round as f64 * round_s, (round + 1) as f64 * round_s);
            let shared_s = end_s.min(round_end_s) - start_s.max(round_start_s);
            if shared_s > 0.0 {
                *sum += io_count * shared_s / duration_s;
            }
        }
        start_s = end_s;
    }
    io_counts.map(|io_count| if round_s > 0.0 { io_count / round_s } else { 0.0 })
}

/// The slope of the line of least squares through (0, values[0]), (1, values[1]), …, per step.
#[expect(clippy::cast_precision_loss, reason = "there are five rounds")]
fn least_squares_slope(values: &[f64]) -> f64 {
    let middle = (values.len() - 1) as f64 / 2.0;
    let offsets = || (0..values.len()).map(|index| index as f64 - middle);
    let covariance: f64 = offsets().zip(values).map(|(offset, value)| offset * value).sum();
    covariance / offsets().map(|offset| offset * offset).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_record::measured;

    fn of_rounds(rounds: [f64; ROUND_COUNT]) -> SteadyState {
        SteadyState::of_rounds(rounds).unwrap()
    }

    #[test]
    fn a_constant_rate_is_steady() {
        let steady = of_rounds([1000.0; 5]);
        assert_eq!((steady.held, steady.range_percent, steady.slope_percent), (true, 0.0, 0.0));
    }

    #[test]
    fn the_criteria_hold_on_their_edges_and_not_beyond() {
        let check = |rounds, held, range_percent: f64, slope_percent: f64| {
            let steady = of_rounds(rounds);
            assert_eq!(steady.held, held, "{rounds:?}");
            assert!((steady.range_percent - range_percent).abs() < 1e-9, "{rounds:?}: {steady:?}");
            assert!((steady.slope_percent - slope_percent).abs() < 1e-9, "{rounds:?}: {steady:?}");
        };
        // Up and down around the same level: no slope, and the range decides.
        check([90.0, 110.0, 100.0, 110.0, 90.0], true, 20.0, 0.0);
        check([89.0, 111.0, 100.0, 111.0, 89.0], false, 22.0, 0.0);
        // A straight line: range and slope are the same, and the slope decides.
        check([95.0, 97.5, 100.0, 102.5, 105.0], true, 10.0, 10.0);
        check([94.0, 97.0, 100.0, 103.0, 106.0], false, 12.0, 12.0);
        check([106.0, 103.0, 100.0, 97.0, 94.0], false, 12.0, -12.0);
    }

    #[test]
    fn burst_credits_that_run_out_are_not_a_steady_state() {
        let record = measured(300, |second| if second < 100 { 16_000 } else { 3_000 });
        let steady = SteadyState::of(&record).unwrap();
        assert!(!steady.held && steady.slope_percent < -100.0, "{steady:?}");
    }

    #[test]
    fn a_ripple_shorter_than_a_round_does_not_matter() {
        let steady = SteadyState::of(&measured(300, |second| 10_000 + 4_000 * (second % 2))).unwrap();
        assert!(steady.held, "{steady:?}");
    }

    #[test]
    fn fewer_intervals_than_rounds_say_nothing() {
        assert_eq!(SteadyState::of(&measured(4, |_| 1000)), None);
        assert!(SteadyState::of(&measured(5, |_| 1000)).is_some());
        assert_eq!(SteadyState::of(&measured(5, |_| 0)), None);
    }

    /// The same by hand: I/Os are laid on a grid of milliseconds, the line is fitted by its normal equations.
    fn slow_and_obvious(intervals_ms: &[(usize, u32)]) -> SteadyState {
        let mut grid = Vec::new();
        for (duration_ms, io_count) in intervals_ms {
            grid.extend(std::iter::repeat_n(f64::from(*io_count) / *duration_ms as f64, *duration_ms));
        }
        let length = grid.len() / 5;
        let mut rounds = [0.0; 5];
        for (round, iops) in rounds.iter_mut().enumerate() {
            let part = &grid[round * length..(round + 1) * length];
            *iops = part.iter().sum::<f64>() / (length as f64 / 1000.0);
        }
        let average = (rounds[0] + rounds[1] + rounds[2] + rounds[3] + rounds[4]) / 5.0;
        let mut sorted = rounds;
        sorted.sort_by(f64::total_cmp);
        let (n, sum_x, sum_xx) = (5.0, 10.0, 30.0);
        let sum_y: f64 = rounds.iter().sum();
        let sum_xy = rounds[1] + 2.0 * rounds[2] + 3.0 * rounds[3] + 4.0 * rounds[4];
        let slope = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
        let intercept = (sum_y - slope * sum_x) / n;
        let line = |x: f64| intercept + slope * x;
        let range_percent = (sorted[4] - sorted[0]) / average * 100.0;
        let slope_percent = (line(4.0) - line(0.0)) / average * 100.0;
        SteadyState {
            held: range_percent <= 20.0 && slope_percent.abs() <= 10.0,
            range_percent,
            slope_percent,
            rounds,
        }
    }

    proptest! {
        #[test]
        fn the_answer_is_that_of_the_slow_and_obvious_way(
            intervals in prop::collection::vec((1usize..40, 1u32..10_000), 5..30)
        ) {
            // Durations in fives of milliseconds, so that the borders of rounds fall on the grid.
            let intervals_ms: Vec<_> = intervals.iter().map(|(ms, io_count)| (ms * 5, *io_count)).collect();
            let in_seconds: Vec<_> =
                intervals_ms.iter().map(|(ms, io_count)| (*ms as f64 / 1000.0, f64::from(*io_count))).collect();
            let fast = of_rounds(rounds(&in_seconds));
            let slow = slow_and_obvious(&intervals_ms);
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()));
            prop_assert!(close(fast.range_percent, slow.range_percent), "{fast:?} {slow:?}");
            prop_assert!(close(fast.slope_percent, slow.slope_percent), "{fast:?} {slow:?}");
            prop_assert!(fast.rounds.iter().zip(slow.rounds).all(|(a, b)| close(*a, b)), "{fast:?} {slow:?}");
            prop_assert_eq!(fast.held, slow.held);
        }
    }
}
