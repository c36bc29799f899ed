//! Where the next I/O of a copy goes.

use iotrial_measure::random::Random;
use iotrial_model::load::{Distribution, Pattern};

use crate::zipf::{Scatter, Zipf};

/// The offsets of one copy of a job, without a map of what was touched.
#[derive(Debug, Clone)]
pub(crate) struct Offsets {
    first_byte: u64,
    unit: u64,
    /// Units that the copy works on.
    unit_count: u64,
    course: Course,
}

#[derive(Debug, Clone)]
enum Course {
    /// The next unit.
    Sequential {
        next: u64,
    },
    Uniform,
    /// Ranks, and where each of them lies; the same for all copies of a job.
    Zipf {
        ranks: Zipf,
        scatter: Scatter,
    },
    /// So many units at the start get so many of a hundred I/Os.
    Hotspot {
        hot_units: u64,
        hot_io_percent: u64,
    },
}

/// The stretch that all copies of a job on one area share.
#[derive(Debug, Clone, Copy)]
pub struct Stretch {
    /// From the start of the file or device.
    pub first_byte: u64,
    /// Bytes that are touched.
    pub length: u64,
    /// Offsets are whole multiples of it from the first byte.
    pub unit: u64,
}

impl Stretch {
    /// The part of copy `copy` out of `copies`, as each writer of a log has its own, so that no two of them
    /// ever write the same block at once.
    pub fn part(self, copy: u64, copies: u64) -> Self {
        // Whole units, rounded down: what is left at the end, fewer units than there are copies, is touched
        // by none.
        let length = self.length / self.unit / copies * self.unit;
        Self { first_byte: self.first_byte + length * copy, length, ..self }
    }
}

impl Offsets {
    /// Offsets of copy `copy` out of `copies` that work on the stretch.
    ///
    /// Random copies share all of it; each sequential copy has a part of its own. The stretch, or the part,
    /// must hold at least the largest I/O.
    pub(crate) fn new(
        pattern: Pattern,
        distribution: Distribution,
        stretch: Stretch,
        copy: u64,
        copies: u64,
    ) -> Self {
        let stretch = match pattern {
            Pattern::Random => stretch,
            Pattern::Sequential => stretch.part(copy, copies),
        };
        let unit_count = stretch.length / stretch.unit;
        assert!(unit_count > 0, "a plan gives every copy at least one block");
        let course = match (pattern, distribution) {
            (Pattern::Sequential, _) => Course::Sequential { next: 0 },
            (Pattern::Random, Distribution::Uniform) => Course::Uniform,
            (Pattern::Random, Distribution::Zipf { theta }) => {
                Course::Zipf { ranks: Zipf::new(unit_count, theta), scatter: Scatter::new(unit_count) }
            }
            (Pattern::Random, Distribution::Hotspot { hot_io_percent, hot_space_percent }) => {
                let hot_units = unit_count / 100 * u64::from(hot_space_percent)
                    + unit_count % 100 * u64::from(hot_space_percent) / 100;
                // Neither part may be empty.
                let hot_units = hot_units.min(unit_count.saturating_sub(1)).max(1);
                Course::Hotspot { hot_units, hot_io_percent: hot_io_percent.into() }
            }
        };
        Self { first_byte: stretch.first_byte, unit: stretch.unit, unit_count, course }
    }

    /// The offset in bytes of the next I/O, which is so many `units` long: at most as many as there are.
    ///
    /// A skewed draw so close to the end that the I/O would pass it is moved forward to where it fits.
    #[inline]
    pub(crate) fn next(&mut self, units: u64, random: &mut Random) -> u64 {
        let last_start = self.unit_count - units;
        let start = match &mut self.course {
            // From the start again where the I/O would pass the end. A shorter one would be another load.
            Course::Sequential { next } => {
                let start = if *next > last_start { 0 } else { *next };
                *next = start + units;
                start
            }
            // Among the starts at which it fits: every one is as likely, and nothing is moved.
            Course::Uniform => random.below(last_start + 1),
            Course::Zipf { ranks, scatter } => scatter.place(ranks.next(random)).min(last_start),
            Course::Hotspot { hot_units, hot_io_percent } => {
                let cold_units = self.unit_count - *hot_units;
                // Which part comes first, then the place: so the share of the hot part is exact whatever the
                // sizes of both are.
                let start = if random.below(100) < *hot_io_percent || cold_units == 0 {
                    random.below(*hot_units)
                } else {
                    *hot_units + random.below(cold_units)
                };
                start.min(last_start)
            }
        };
        self.first_byte + start * self.unit
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use iotrial_measure::random::RandomStream;

    const BLOCK: u64 = 8192;

    fn stretch(units: u64) -> Stretch {
        Stretch { first_byte: 4096, length: units * BLOCK, unit: BLOCK }
    }

    /// How often each unit is drawn as the start of an I/O of one unit.
    fn drawn(distribution: Distribution, units: u64, draws: u32) -> BTreeMap<u64, u32> {
        let mut random = Random::new(0, RandomStream::Copy(0));
        let mut offsets = Offsets::new(Pattern::Random, distribution, stretch(units), 1, 6);
        let mut seen = BTreeMap::new();
        for _ in 0..draws {
            let offset = offsets.next(1, &mut random);
            assert_eq!((offset - 4096) % BLOCK, 0);
            *seen.entry((offset - 4096) / BLOCK).or_default() += 1;
        }
        assert!(seen.keys().all(|unit| *unit < units));
        seen
    }

    #[test]
    fn sequential_copies_cover_their_own_parts_and_start_anew() {
        let mut random = Random::new(0, RandomStream::Copy(0));
        let parts: Vec<Vec<u64>> = (0..2)
            .map(|copy| {
                let stretch = Stretch { first_byte: 1000, length: 60, unit: 10 };
                let mut offsets = Offsets::new(Pattern::Sequential, Distribution::Uniform, stretch, copy, 2);
                (0..4).map(|_| offsets.next(1, &mut random)).collect()
            })
            .collect();
        assert_eq!(parts, [[1000, 1010, 1020, 1000], [1030, 1040, 1050, 1030]]);
    }

    #[test]
    fn sequential_ios_of_several_sizes_follow_one_another_without_gap_and_stay_inside() {
        let mut random = Random::new(0, RandomStream::Copy(0));
        let stretch = Stretch { first_byte: 0, length: 10, unit: 1 };
        let mut offsets = Offsets::new(Pattern::Sequential, Distribution::Uniform, stretch, 0, 1);
        let starts: Vec<u64> =
            [4, 1, 4, 4, 6, 1].iter().map(|units| offsets.next(*units, &mut random)).collect();
        // The fourth would end at 13, so it starts anew; so does the sixth, the fifth having ended at the
        // end.
        assert_eq!(starts, [0, 4, 5, 0, 4, 0]);
    }

    #[test]
    fn every_distribution_reaches_every_block() {
        for distribution in [
            Distribution::Uniform,
            Distribution::Zipf { theta: 0.99 },
            Distribution::Hotspot { hot_io_percent: 90, hot_space_percent: 10 },
        ] {
            assert_eq!(drawn(distribution, 100, 40_000).len(), 100, "{distribution}");
            assert_eq!(drawn(distribution, 1, 10).len(), 1, "{distribution}");
        }
    }

    #[test]
    fn a_hot_spot_gets_its_share_of_the_ios_evenly_on_its_share_of_the_space() {
        let hotspot = Distribution::Hotspot { hot_io_percent: 80, hot_space_percent: 20 };
        let seen = drawn(hotspot, 1_000, 1_000_000);
        let hot: u32 = seen.range(..200).map(|(_, count)| count).sum();
        assert!((795_000..805_000).contains(&hot), "{hot}");
        // 4,000 draws for each hot block and 250 for each cold one, within six standard deviations.
        assert!(seen.range(..200).all(|(_, count)| (3_620..4_380).contains(count)), "{seen:?}");
        assert!(seen.range(200..).all(|(_, count)| (155..345).contains(count)), "{seen:?}");
    }

    #[test]
    fn the_hottest_blocks_of_a_zipf_distribution_lie_apart() {
        let seen = drawn(Distribution::Zipf { theta: 1.0 }, 10_000, 200_000);
        let mut by_count: Vec<(u32, u64)> = seen.into_iter().map(|(unit, count)| (count, unit)).collect();
        by_count.sort_unstable();
        let hottest: Vec<u64> = by_count.iter().rev().take(5).map(|(_, unit)| *unit).collect();
        for (position, unit) in hottest.iter().enumerate() {
            assert!(hottest[..position].iter().all(|other| other.abs_diff(*unit) > 500), "{hottest:?}");
        }
    }

    #[test]
    fn no_io_of_any_size_passes_the_end() {
        let mut random = Random::new(3, RandomStream::Copy(0));
        for distribution in [
            Distribution::Uniform,
            Distribution::Zipf { theta: 0.5 },
            Distribution::Hotspot { hot_io_percent: 10, hot_space_percent: 90 },
        ] {
            let mut offsets = Offsets::new(Pattern::Random, distribution, stretch(20), 0, 1);
            for draw in 0..2_000 {
                let units = 1 + draw % 20;
                let offset = offsets.next(units, &mut random);
                assert!(offset + units * BLOCK <= 4096 + 20 * BLOCK, "{distribution}: {units} from {offset}");
            }
        }
    }
}
