//! The order in which a study measures its configurations, so that drift and what came before favour none of
//! them.
//!
//! The rounds are the rows of a Williams design: a Latin square, in which each configuration is once in each
//! place, whose rows are chosen so that each configuration also follows each other one equally often. With an
//! even number of configurations every row comes with its mirror image, which cancels a drift that is linear
//! in time after every second round. With an odd number the square and its mirror image take turns, and the
//! drift cancels after each of them.
//!
//! Source: E. J. Williams, «Experimental designs balanced for the estimation of residual effects of
//! treatments», Australian Journal of Scientific Research A 2 (1949), 149–168.

use super::{Configuration, Study};
use crate::split_mix::SplitMix64;

impl Study {
    /// The configurations that are measured here, round by round: one round for each repeat, each in the
    /// order in which they are measured.
    pub fn rounds(&self) -> Vec<Vec<&Configuration>> {
        let here: Vec<&Configuration> =
            self.configurations.iter().filter(|configuration| !configuration.elsewhere).collect();
        let rounds = balanced_rounds(here.len(), self.repeats as usize, self.seed);
        rounds.into_iter().map(|round| round.into_iter().map(|index| here[index]).collect()).collect()
    }

    /// The profiles of a round, in order: each round begins with the next one.
    pub fn profiles_of_round(&self, repeat: u32) -> Vec<&str> {
        let count = self.profiles.len();
        let first = (repeat as usize - 1) % count;
        (0..count).map(|step| self.profiles[(first + step) % count].as_str()).collect()
    }

    /// Whether each configuration that is measured here is equally often in each place.
    pub fn is_balanced(&self) -> bool {
        let here = self.configurations.iter().filter(|configuration| !configuration.elsewhere).count();
        // Balanced over whole designs only. A study without anything to measure here is trivially so.
        here == 0 || (self.repeats as usize).is_multiple_of(here)
    }
}

/// `count` rounds of the numbers below `size`, each round with each number once.
///
/// Each number is in each place equally often, or once more or less where `count` is no multiple of `size`.
fn balanced_rounds(size: usize, count: usize, seed: u64) -> Vec<Vec<usize>> {
    if size == 0 {
        return Vec::new();
    }
    // The same with every version of iotrial: a study that is resumed keeps its order.
    let mut random = SplitMix64::new(seed);
    // Which configuration takes which number of the design.
    // Without this the first configuration of the file would always open the first round.
    let names = shuffled(size, &mut random);
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    while rounds.len() < count {
        let rows = if size.is_multiple_of(2) {
            mirrored_rows(size, &mut random)
            // An even design holds the mirror image of each of its rows; an odd one does not, and needs a
            // second square.
        } else {
            turning_rows(size, &mut random)
        };
        rounds.extend(rows.into_iter().map(|row| row.into_iter().map(|number| names[number]).collect()));
    }
    // A design that is cut short is still as even as a part of it can be, because rows are complete in
    // themselves.
    rounds.truncate(count);
    rounds
}

/// The row of a Williams design that begins with `first`: 0, 1, n-1, 2, n-2, …, each moved on by `first`.
fn williams_row(size: usize, first: usize) -> Vec<usize> {
    // Neighbours in a row then differ by +1, −2, +3, −4, …: each difference once, which is what makes each
    // number follow each other one equally often.
    let zigzag = |place: usize| if place % 2 == 1 { place.div_ceil(2) } else { (size - place / 2) % size };
    (0..size).map(|place| (zigzag(place) + first) % size).collect()
}

/// All rows of the design of an even size, each followed by its mirror image, which is a row of the same
/// design.
fn mirrored_rows(size: usize, random: &mut SplitMix64) -> Vec<Vec<usize>> {
    let half = size / 2;
    let mut rows = Vec::new();
    // The rows of the first half: those of the second are their mirror images.
    for first in shuffled(half, random) {
        let row = williams_row(size, first);
        let mirrored = row.iter().rev().copied().collect();
        rows.extend([row, mirrored]);
    }
    rows
}

/// The design of an odd size, which is a square and its mirror image.
fn turning_rows(size: usize, random: &mut SplitMix64) -> Vec<Vec<usize>> {
    let square: Vec<Vec<usize>> =
        shuffled(size, random).into_iter().map(|first| williams_row(size, first)).collect();
    let mirrored =
        shuffled(size, random).into_iter().map(|first| williams_row(size, first).into_iter().rev().collect());
    let mirrored: Vec<Vec<usize>> = mirrored.collect();
    [square, mirrored].concat()
}

/// The numbers below `size` in an order that comes from `random` (Fisher and Yates).
fn shuffled(size: usize, random: &mut SplitMix64) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..size).collect();
    for last in (1..size).rev() {
        numbers.swap(last, random.below(last + 1));
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each number stands in each place.
    fn places(rounds: &[Vec<usize>], size: usize) -> Vec<Vec<usize>> {
        let count = |number, place| rounds.iter().filter(|round| round[place] == number).count();
        (0..size).map(|number| (0..size).map(|place| count(number, place)).collect()).collect()
    }

    #[test]
    fn each_configuration_is_in_each_place_equally_often_or_once_more_or_less() {
        for size in 1..=9 {
            for count in 1..=3 * size {
                for seed in 0..5 {
                    let rounds = balanced_rounds(size, count, seed);
                    assert_eq!(rounds.len(), count);
                    for often in places(&rounds, size).concat() {
                        let least = count / size;
                        // Mirror images of an odd square repeat what is in the middle.
                        let fits = often == least || often == least + 1;
                        assert!(fits, "{size} configurations, {count} rounds, seed {seed}: {rounds:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn each_configuration_follows_each_other_one_equally_often_in_a_whole_design() {
        for size in 2..=9 {
            let count = if size % 2 == 0 { size } else { 2 * size };
            let rounds = balanced_rounds(size, count, 3);
            let follows = |one, other| {
                rounds.iter().flat_map(|round| round.windows(2)).filter(|pair| *pair == [one, other]).count()
            };
            for one in 0..size {
                for other in (0..size).filter(|other| *other != one) {
                    assert_eq!(follows(one, other), count / size, "{one} {other} {rounds:?}");
                }
            }
        }
    }

    #[test]
    fn a_linear_drift_cancels_after_every_second_round_of_an_even_number_and_after_each_square_of_an_odd_one()
    {
        for size in 2..=9 {
            let period = if size % 2 == 0 { 2 } else { size };
            for count in (period..=4 * size).step_by(period) {
                let rounds = balanced_rounds(size, count, 11);
                let place_sum = |number| -> usize {
                    rounds.iter().map(|round| round.iter().position(|one| *one == number).unwrap()).sum()
                };
                let sums: Vec<usize> = (0..size).map(place_sum).collect();
                assert!(sums.iter().all(|sum| *sum == sums[0]), "{size} x {count}: {sums:?}");
            }
        }
    }

    #[test]
    fn the_order_comes_from_the_seed_alone() {
        assert_eq!(balanced_rounds(4, 8, 5), balanced_rounds(4, 8, 5));
        let orders: std::collections::BTreeSet<_> = (0..20).map(|seed| balanced_rounds(4, 4, seed)).collect();
        assert!(orders.len() > 5, "{}", orders.len());
        // More repeats never change the order of those that are done.
        assert_eq!(balanced_rounds(5, 12, 5)[..7], balanced_rounds(5, 7, 5));
    }
}
