//! When the I/Os of an open load are due.
//!
//! Due times depend on the rate and the seed alone, never on the device: an I/O that could not be issued
//! in time stays due, and its latency runs from then. That is what makes a stall count for all that it
//! delays («coordinated omission» is the name of the mistake to time it from its issue instead).

use iotrial_model::load::{Bursts, Spacing};

use crate::course::{LoadCourse, Stretch};
use crate::random::Random;

/// The due times of some copies of a job, one after the other.
#[derive(Debug, Clone)]
pub struct Pace {
    gaps: Gaps,
    /// Mean time between two I/Os, of the time that counts: with bursts, that is the time of the bursts
    /// alone.
    gap_ns: f64,
    /// The next due time with its fraction, on the time that counts, so that no rate drifts: 53 bits hold a
    /// thousandth of a nanosecond after an hour.
    due_ns: f64,
    /// The same on the clock.
    clock_ns: u64,
    bursts: Option<BurstsNs>,
    steps: Option<StepsNs>,
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

/// Steps: a time at half the load counts half.
///
/// Due times come from a rate that never changes, on a time that counts more slowly where the load is lower. So
/// Poisson arrivals stay what they are at any course of the rate (the time change of an inhomogeneous process),
/// and nothing is left over from one step to the next.
#[derive(Debug, Clone)]
struct StepsNs {
    /// On the time that bursts leave, which is the clock where there are none.
    stretches: Vec<Stretch>,
    /// What counted before each of them.
    counted_before_ns: Vec<f64>,
    /// In which of them the last due time was: due times only rise.
    at: usize,
}

impl StepsNs {
    fn new(course: &LoadCourse, bursts: Option<BurstsNs>) -> Self {
        let within_bursts = |ns: f64| bursts.filter(|_| ns.is_finite()).map_or(ns, |one| one.counted(ns));
        let stretches: Vec<Stretch> = course
            .stretches()
            .iter()
            .map(|one| Stretch {
                from_ns: within_bursts(one.from_ns),
                to_ns: within_bursts(one.to_ns),
                ..*one
            })
            .collect();
        let mut counted_ns = 0.0;
        let counted_before_ns = stretches.iter().map(|one| {
            let before_ns = counted_ns;
            counted_ns += (one.to_ns - one.from_ns) * f64::midpoint(one.first_share, one.last_share);
            before_ns
        });
        let counted_before_ns = counted_before_ns.collect();
        Self { stretches, counted_before_ns, at: 0 }
    }

    /// The time at which so much counted.
    fn time_of(&mut self, counted_ns: f64) -> f64 {
        while self.counted_before_ns.get(self.at + 1).is_some_and(|next_ns| counted_ns >= *next_ns) {
            self.at += 1;
        }
        let stretch = self.stretches[self.at];
        let counted_ns = counted_ns - self.counted_before_ns[self.at];
        // Nothing counts at the beginning of a stretch that rises from zero.
        if counted_ns <= 0.0 {
            return stretch.from_ns;
        }
        // x of  c = s x + k x² / 2  with the first share s and the slope k, written so that it holds for k = 0 as well, and
        // loses no digits for a small one.
        let share = stretch.first_share;
        let root = (share * share + 2.0 * stretch.slope() * counted_ns).max(0.0).sqrt();
        (stretch.from_ns + 2.0 * counted_ns / (share + root)).min(stretch.to_ns)
    }

    /// How much counted by a time.
    fn counted(&self, ns: f64) -> f64 {
        let begun = self.stretches.iter().zip(&self.counted_before_ns).rev();
        let last = begun.into_iter().find(|(stretch, _)| ns >= stretch.from_ns);
        last.map_or(0.0, |(stretch, before_ns)| {
            let passed_ns = ns - stretch.from_ns;
            before_ns + passed_ns * (stretch.first_share + stretch.slope() * passed_ns / 2.0)
        })
    }
}

impl Pace {
    /// The due times of those copies of a job that `share` names; `iops` is that of all copies, and more than
    /// zero.
    ///
    /// Evenly spaced copies take turns, so that together they are evenly spaced too; Poisson arrivals
    /// of several copies together are Poisson arrivals again. With bursts, `iops` is the mean over whole
    /// periods, and the rate within a burst is as much higher as the burst is shorter than the period. With a
    /// course, `iops` is that of the full load.
    pub fn new(
        spacing: Spacing,
        bursts: Option<Bursts>,
        course: Option<&LoadCourse>,
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
        let steps = course.map(|course| StepsNs::new(course, bursts));
        let mut pace = Self { gaps, gap_ns, due_ns: 0.0, clock_ns: 0, bursts, steps };
        pace.due_ns = match spacing {
            Spacing::Uniform => turn_ns * turns[0] as f64,
            // A Poisson process has no arrival at its start; with one there, all jobs would begin with an I/O
            // at the same moment.
            Spacing::Poisson => pace.next_gap_ns(),
        };
        pace.put_on_clock();
        pace
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times are not negative")]
    fn put_on_clock(&mut self) {
        let in_bursts_ns = match &mut self.steps {
            Some(steps) => steps.time_of(self.due_ns),
            None => self.due_ns,
        };
        self.clock_ns = self.bursts.map_or(in_bursts_ns, |bursts| bursts.on_clock(in_bursts_ns)) as u64;
    }

    /// How much of the time counted by then.
    fn counted_ns(&self, now_ns: u64) -> f64 {
        let in_bursts_ns = self.bursts.map_or(now_ns as f64, |bursts| bursts.counted(now_ns as f64));
        self.steps.as_ref().map_or(in_bursts_ns, |steps| steps.counted(in_bursts_ns))
    }

    /// When the next I/O is due, in ns since the start of the load.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.clock_ns
    }

    /// Goes on to the one after it.
    #[inline]
    pub fn advance(&mut self) {
        self.due_ns += self.next_gap_ns();
        self.put_on_clock();
    }

    /// Goes on to the first one that is due at `now_ns` or later.
    pub fn skip_to(&mut self, now_ns: u64) {
        let now_counted_ns = self.counted_ns(now_ns);
        match &self.gaps {
            // How long ago the last arrival was, the next one does not know.
            Gaps::Exponential(_) if self.clock_ns < now_ns => {
                self.due_ns = now_counted_ns + self.next_gap_ns();
            }
            Gaps::Exponential(_) => {}
            Gaps::Turns { gaps_ns, .. } => {
                // Whole rounds at once: a load that cannot be kept has millions of turns behind it.
                let round_ns: f64 = gaps_ns.iter().sum();
                self.due_ns += ((now_counted_ns - self.due_ns) / round_ns).floor().max(0.0) * round_ns;
            }
        }
        self.put_on_clock();
        while self.clock_ns < now_ns {
            self.advance();
        }
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
        ((self.counted_ns(now_ns) - self.due_ns) / self.gap_ns).ceil() as u64
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
        Pace::new(spacing, None, None, iops, PaceShare::ALL, Random::new(1, RandomStream::Copy(0)))
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
        let mut pace = Pace::new(
            Spacing::Poisson,
            None,
            None,
            iops,
            PaceShare::ALL,
            Random::new(seed, RandomStream::Copy(0)),
        );
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
                None,
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
            None,
            1_000.0,
            PaceShare::ALL,
            Random::new(1, RandomStream::Copy(0)),
        );
        let at = |seconds: u64| pace.backlog_estimate(seconds * 1_000_000_000);
        assert_eq!([at(0), at(1), at(2), at(9), at(10), at(11)], [0, 5_000, 10_000, 10_000, 10_000, 15_000]);
    }

    fn stepped(spacing: Spacing, bursts: Option<Bursts>, steps: &[(u64, f64, f64)], iops: f64) -> Pace {
        let course = crate::course::course(steps);
        Pace::new(spacing, bursts, Some(&course), iops, PaceShare::ALL, Random::new(1, RandomStream::Copy(0)))
    }

    /// Arrivals in each of so many seconds.
    fn by_second(mut pace: Pace, seconds: usize) -> Vec<f64> {
        let mut counts = vec![0.0; seconds];
        while let Some(count) = counts.get_mut(usize::try_from(pace.due_ns() / 1_000_000_000).unwrap()) {
            *count += 1.0;
            pace.advance();
        }
        counts
    }

    #[test]
    fn each_step_has_its_share_of_the_rate_from_its_first_second_to_its_last() {
        // Up, down, and up again, with a rise in between.
        let steps = [(10, 0.25, 0.25), (10, 1.0, 1.0), (10, 0.5, 0.5), (10, 0.0, 1.0)];
        let exact = by_second(stepped(Spacing::Uniform, None, &steps, 10_000.0), 40);
        let poisson = by_second(stepped(Spacing::Poisson, None, &steps, 1_000_000.0), 40);
        for second in 0..40 {
            let share = match second {
                0..10 => 0.25,
                10..20 => 1.0,
                20..30 => 0.5,
                _ => (f64::from(second) - 29.5) / 10.0,
            };
            let index = usize::try_from(second).unwrap();
            assert!((exact[index] - 10_000.0 * share).abs() <= 1.0, "{second}: {exact:?}");
            // Five standard deviations.
            let expected = 1_000_000.0 * share;
            assert!((poisson[index] - expected).abs() <= 5.0 * expected.sqrt(), "{second}: {poisson:?}");
        }
    }

    #[test]
    fn bursts_have_the_share_of_the_step_that_they_fall_in() {
        let bursts = Bursts { period: Duration::from_secs(10), spread: Duration::from_secs(2) };
        let pace = stepped(Spacing::Uniform, Some(bursts), &[(20, 0.5, 0.5), (20, 1.0, 1.0)], 1_000.0);
        let counts = by_second(pace, 40);
        for (second, count) in counts.iter().enumerate() {
            let expected = if second % 10 < 2 { [2_500.0, 5_000.0][second / 20] } else { 0.0 };
            assert!((count - expected).abs() <= 1.0, "{second}: {counts:?}");
        }
    }

    #[test]
    fn what_is_given_up_at_a_border_leaves_nothing_behind_and_keeps_the_rate() {
        for spacing in [Spacing::Uniform, Spacing::Poisson] {
            let mut pace = stepped(spacing, None, &[(10, 1.0, 1.0), (10, 0.1, 0.1)], 100_000.0);
            // Nothing was taken for ten seconds.
            let border_ns = 10_000_000_000;
            assert!((990_000..1_010_000).contains(&pace.backlog_estimate(border_ns)));
            pace.skip_to(border_ns);
            assert!((border_ns..border_ns + 3_000_000).contains(&pace.due_ns()), "{}", pace.due_ns());
            let counts = by_second(pace, 20);
            assert!(counts[10..].iter().all(|count| (count - 10_000.0).abs() < 500.0), "{counts:?}");
            assert!(counts[..10].iter().all(|count| *count == 0.0));
        }
    }

    #[test]
    fn evenly_spaced_copies_stay_in_turn_when_some_are_given_up() {
        let of_turn = |turn| {
            let course = crate::course::course(&[(1, 1.0, 1.0), (1, 0.5, 0.5)]);
            let share = PaceShare { turns: &[turn], of: 2 };
            let random = Random::new(1, RandomStream::Copy(0));
            let mut pace = Pace::new(Spacing::Uniform, None, Some(&course), 1_000.0, share, random);
            pace.skip_to(1_000_000_000);
            pace.due_ns()
        };
        assert_eq!([of_turn(0), of_turn(1)], [1_000_000_000, 1_002_000_000]);
    }
}
