//! When the I/Os of an open load are due.
//!
//! Due times depend on the rate and the seed alone, never on the device: an I/O that could not be issued
//! in time stays due, and its latency runs from then. That is what makes a stall count for all that it
//! delays («coordinated omission» is the name of the mistake to time it from its issue instead).

use iotrial_model::load::{Bursts, Spacing};

use crate::random::Random;

/// The due times of some copies of a job, one after the other.
#[derive(Debug, Clone)]
pub struct Pace {
    gaps: Gaps,
    /// Mean time between two I/Os, of the time that counts: with bursts, that is the time of the bursts
    /// alone.
    gap_ns: f64,
    /// The next due time with its fraction, so that no rate drifts: 53 bits hold a thousandth of a
    /// nanosecond after an hour.
    due_ns: f64,
    bursts: Option<BurstsNs>,
}

/// The copies of a job whose due times are asked for: `turns` are their numbers, from 0 and rising, out of
/// `of` that share the job's rate.
#[derive(Debug, Clone, Copy)]
pub struct PaceShare<'t> {
    /// At least one.
    pub turns: &'t [u64],
    /// All copies of the job.
    pub of: u64,
}

impl PaceShare<'static> {
    /// The whole rate.
    pub const ALL: Self = Self { turns: &[0], of: 1 };
}

/// The times between two I/Os.
#[derive(Debug, Clone)]
enum Gaps {
    /// Those of a Poisson process.
    Exponential(Random),
    /// From each turn to the next, over and over.
    Turns { gaps_ns: Vec<f64>, next: usize },
}

/// Bursts of `spread`, one every `period`: the time of all bursts, laid end to end, is the time that counts.
#[derive(Debug, Clone, Copy)]
struct BurstsNs {
    period: f64,
    spread: f64,
}

impl BurstsNs {
    fn new(bursts: Bursts) -> Self {
        Self { period: bursts.period.as_nanos() as f64, spread: bursts.spread.as_nanos() as f64 }
    }

    /// The time on the clock of a time that counts.
    fn on_clock(self, counted_ns: f64) -> f64 {
        let burst = (counted_ns / self.spread).floor();
        burst * self.period + (counted_ns - burst * self.spread)
    }

    /// How much time counted by then.
    fn counted(self, clock_ns: f64) -> f64 {
        let burst = (clock_ns / self.period).floor();
        burst * self.spread + (clock_ns - burst * self.period).min(self.spread)
    }
}

impl Pace {
    /// The due times of those copies of a job that `share` names; `iops` is that of all copies, and more than
    /// zero.
    ///
    /// Evenly spaced copies take turns, so that together they are evenly spaced too; Poisson arrivals
    /// of several copies together are Poisson arrivals again. With bursts, `iops` is the mean over whole
    /// periods, and the rate within a burst is as much higher as the burst is shorter than the period.
    pub fn new(
        spacing: Spacing,
        bursts: Option<Bursts>,
        iops: f64,
        share: PaceShare<'_>,
        random: Random,
    ) -> Self {
        let bursts = bursts.map(BurstsNs::new);
        // Due times are made on a time that runs only within bursts, and put on the clock when they are asked
        // for. So the same gaps serve both kinds of load, and Poisson arrivals stay so across the pause
        // between two bursts.
        let counted_share = bursts.map_or(1.0, |bursts| bursts.spread / bursts.period);
        let turn_ns = 1e9 / iops * counted_share;
        let PaceShare { turns, of } = share;
        let gaps = match spacing {
            Spacing::Poisson => Gaps::Exponential(random),
            Spacing::Uniform => {
                // The turns that one thread drives need not be neighbours, so that their gaps differ: turns 0
                // and 1 of 4 are due 1 and then 3 turns apart. The last gap leads to the first turn of the
                // next round.
                let following = turns.iter().skip(1).copied().chain([turns[0] + of]);
                let gaps_ns = turns.iter().zip(following).map(|(turn, next)| turn_ns * (next - turn) as f64);
                Gaps::Turns { gaps_ns: gaps_ns.collect(), next: 0 }
            }
        };
        let gap_ns = turn_ns * of as f64 / turns.len() as f64;
        let mut pace = Self { gaps, gap_ns, due_ns: 0.0, bursts };
        pace.due_ns = match spacing {
            Spacing::Uniform => turn_ns * turns[0] as f64,
            // A Poisson process has no arrival at its start; with one there, all jobs would begin with an I/O
            // at the same moment.
            Spacing::Poisson => pace.next_gap_ns(),
        };
        pace
    }

    /// When the next I/O is due, in ns since the start of the load.
    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times are not negative")]
    pub fn due_ns(&self) -> u64 {
        self.bursts.map_or(self.due_ns, |bursts| bursts.on_clock(self.due_ns)) as u64
    }

    /// Goes on to the one after it.
    #[inline]
    pub fn advance(&mut self) {
        self.due_ns += self.next_gap_ns();
    }

    /// About how many I/Os are due before `now_ns` and not taken yet.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate; a negative one is zero"
    )]
    pub fn backlog_estimate(&self, now_ns: u64) -> u64 {
        // From the rate and not from the gaps, of which there may be millions: this is asked at the end of
        // every window, in the loop.
        let counted_ns = self.bursts.map_or(now_ns as f64, |bursts| bursts.counted(now_ns as f64));
        ((counted_ns - self.due_ns) / self.gap_ns).ceil() as u64
    }

    /// The due times before `end_ns` of those that are not taken yet.
    pub(crate) fn due_before(&self, end_ns: u64) -> impl Iterator<Item = u64> {
        // A copy draws the same gaps as the pace will, and takes nothing from it: the load may go on after
        // this.
        let mut pace = self.clone();
        std::iter::from_fn(move || {
            let due_ns = pace.due_ns();
            pace.advance();
            (due_ns < end_ns).then_some(due_ns)
        })
    }

    #[inline]
    fn next_gap_ns(&mut self) -> f64 {
        match &mut self.gaps {
            Gaps::Turns { gaps_ns, next } => {
                let gap_ns = gaps_ns[*next];
                *next = if *next + 1 == gaps_ns.len() { 0 } else { *next + 1 };
                gap_ns
            }
            // The inverse of the exponential distribution; 1 - unit is never zero.
            Gaps::Exponential(random) => -(1.0 - random.unit()).ln() * self.gap_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::random::RandomStream;

    fn pace(spacing: Spacing, iops: f64) -> Pace {
        Pace::new(spacing, None, iops, PaceShare::ALL, Random::new(1, RandomStream::Copy(0)))
    }

    #[test]
    fn every_rate_is_kept_within_half_a_percent_and_uniform_ones_exactly() {
        for iops in [1_000.0, 10_000.0, 100_000.0, 300_000.0, 600_000.0] {
            let seconds = 1_000_000.0_f64 / iops;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 1,000 s")]
            let end_ns = (seconds * 1e9) as u64;
            // A million Poisson arrivals have a standard deviation of 0.1 %.
            let poisson = pace(Spacing::Poisson, iops).due_before(end_ns).count();
            assert!((995_000..=1_005_000).contains(&poisson), "{poisson} at {iops}");
            let uniform = pace(Spacing::Uniform, iops).due_before(end_ns).count();
            assert!((999_999..=1_000_001).contains(&uniform), "{uniform} at {iops}");
        }
    }

    /// The Kolmogorov–Smirnov distance of 100,000 gaps from the exponential distribution, times the root of
    /// their number.
    fn kolmogorov_smirnov(iops: f64, seed: u64) -> f64 {
        let count: u32 = 100_000;
        let mut pace =
            Pace::new(Spacing::Poisson, None, iops, PaceShare::ALL, Random::new(seed, RandomStream::Copy(0)));
        let mut before_ns = pace.due_ns;
        let mut gaps: Vec<f64> = (0..count)
            .map(|_| {
                pace.advance();
                let gap = pace.due_ns - before_ns;
                before_ns = pace.due_ns;
                gap / pace.gap_ns
            })
            .collect();
        gaps.sort_by(f64::total_cmp);
        let distance = (0u32..).zip(gaps).map(|(rank, gap)| {
            let expected = 1.0 - (-gap).exp();
            let step = |rank: u32| f64::from(rank) / f64::from(count);
            (expected - step(rank)).abs().max((step(rank + 1) - expected).abs())
        });
        distance.fold(0.0, f64::max) * f64::from(count).sqrt()
    }

    #[test]
    fn poisson_gaps_pass_a_kolmogorov_smirnov_test_against_the_exponential_distribution() {
        for iops in [1_000.0, 10_000.0, 100_000.0, 300_000.0, 600_000.0] {
            let mut distances: Vec<f64> = (0..40).map(|seed| kolmogorov_smirnov(iops, seed)).collect();
            distances.sort_by(f64::total_cmp);
            // Under the exponential distribution half of all samples stay below 0.828, and 999 of 1,000 below
            // 1.95.
            let median = f64::midpoint(distances[19], distances[20]);
            assert!((0.70..0.96).contains(&median) && distances[39] < 1.95, "{iops}: {distances:?}");
        }
    }

    #[test]
    fn evenly_spaced_copies_take_turns_however_they_are_dealt_to_threads() {
        for threads in
            [&[&[0, 1, 2, 3][..]][..], &[&[0], &[1], &[2], &[3]], &[&[0, 3], &[1, 2]], &[&[0, 1, 3], &[2]]]
        {
            let mut due: Vec<u64> = threads
                .iter()
                .flat_map(|turns| {
                    let share = PaceShare { turns, of: 4 };
                    let mut pace = Pace::new(
                        Spacing::Uniform,
                        None,
                        1_000.0,
                        share,
                        Random::new(1, RandomStream::Copy(0)),
                    );
                    (0..3 * turns.len()).map(move |_| {
                        let due_ns = pace.due_ns();
                        pace.advance();
                        due_ns
                    })
                })
                .collect();
            due.sort_unstable();
            assert_eq!(due, (0..12).map(|turn| turn * 1_000_000).collect::<Vec<u64>>(), "{threads:?}");
        }
    }

    #[test]
    fn bursts_hold_the_whole_rate_in_their_part_of_each_period() {
        let bursts = Bursts { period: Duration::from_secs(10), spread: Duration::from_secs(2) };
        for spacing in [Spacing::Uniform, Spacing::Poisson] {
            let mut pace = Pace::new(
                spacing,
                Some(bursts),
                1_000.0,
                PaceShare::ALL,
                Random::new(1, RandomStream::Copy(0)),
            );
            let mut by_second = vec![0u32; 40];
            while pace.due_ns() < 40_000_000_000 {
                by_second[usize::try_from(pace.due_ns() / 1_000_000_000).unwrap()] += 1;
                pace.advance();
            }
            for (second, count) in by_second.iter().enumerate() {
                // 10,000 I/Os in the two seconds of a burst, none in the eight that follow.
                let range = if second % 10 < 2 { 4_700..5_300 } else { 0..1 };
                assert!(range.contains(count), "{count} in second {second} of {by_second:?}");
            }
        }
    }

    #[test]
    fn the_backlog_of_bursts_stands_still_between_them() {
        let bursts = Bursts { period: Duration::from_secs(10), spread: Duration::from_secs(2) };
        let pace = Pace::new(
            Spacing::Uniform,
            Some(bursts),
            1_000.0,
            PaceShare::ALL,
            Random::new(1, RandomStream::Copy(0)),
        );
        let at = |seconds: u64| pace.backlog_estimate(seconds * 1_000_000_000);
        assert_eq!([at(0), at(1), at(2), at(9), at(10), at(11)], [0, 5_000, 10_000, 10_000, 10_000, 15_000]);
    }
}
