//! Which page is written when: an order that can be computed both ways, so that no map of the pages is needed.
//!
//! Epoch 0 is the filling. In each epoch after it every page is written once, in the order of a keyed permutation. A write has
//! a sequence number, epoch × pages + its place in the epoch, and for each page and each sequence number the last write of the page before
//! it follows from two inverse permutations.

use iotrial_model::split_mix::{GOLDEN, mix};

/// The order of the writes of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    pub(crate) key: u64,
    /// At least one.
    pub(crate) pages: u64,
    /// At least one.
    pub(crate) flush_every: u64,
}

impl Schedule {
    /// The first sequence number after the filling.
    pub(crate) const fn first(self) -> u64 {
        self.pages
    }

    const fn permutation(self, epoch: u64) -> Permutation {
        Permutation::new(mix(self.key ^ mix(epoch.wrapping_mul(GOLDEN))), self.pages)
    }

    /// The page that a write is of.
    pub(crate) fn page_of(self, sequence: u64) -> u64 {
        self.permutation(sequence / self.pages).page_at(sequence % self.pages)
    }

    /// The last write of the page among those below `end`; 0 is the filling.
    pub(crate) fn last_below(self, page: u64, end: u64) -> u64 {
        let (epoch, begun) = (end / self.pages, end % self.pages);
        for (epoch, limit) in [(epoch, begun), (epoch.saturating_sub(1), self.pages)] {
            let place = self.permutation(epoch).place_of(page);
            if epoch > 0 && place < limit {
                return epoch * self.pages + place;
            }
        }
        0
    }

    /// Where the batch that begins with this write ends: 1 to `flush_every` writes, none of a page that the batch has already.
    pub(crate) fn batch_end(self, begin: u64) -> u64 {
        let drawn = mix(self.key ^ begin.wrapping_mul(GOLDEN));
        // The remainder favours small numbers by less than 2^-40: nobody counts on the sizes.
        let length = 1 + drawn % self.flush_every;
        begin + length.min(self.pages - begin % self.pages)
    }
}

/// A permutation of the numbers below a count, with its inverse, in constant memory.
///
/// A Feistel network permutes the next power of four; numbers beyond the count are permuted again until they are below it («cycle
/// walking»: Black and Rogaway, «Ciphers with Arbitrary Finite Domains», 2002). On average that takes less than four rounds.
#[derive(Debug, Clone, Copy)]
struct Permutation {
    key: u64,
    count: u64,
    half_bits: u32,
}

/// Four rounds make a random-looking permutation of round functions that look random (Luby and Rackoff, 1988).
const ROUNDS: u64 = 4;

impl Permutation {
    const fn new(key: u64, count: u64) -> Self {
        let bits = u64::BITS - (count - 1).leading_zeros();
        let half_bits = if bits < 2 { 1 } else { bits.div_ceil(2) };
        Self { key, count, half_bits }
    }

    const fn round(self, number: u64, half: u64) -> u64 {
        mix(self.key.wrapping_add(number.wrapping_mul(GOLDEN)) ^ half) & ((1 << self.half_bits) - 1)
    }

    const fn page_at(self, place: u64) -> u64 {
        let mut number = place;
        loop {
            let (mut left, mut right) = (number >> self.half_bits, number & ((1 << self.half_bits) - 1));
            let mut round = 0;
            while round < ROUNDS {
                (left, right) = (right, left ^ self.round(round, right));
                round += 1;
            }
            number = left << self.half_bits | right;
            if number < self.count {
                return number;
            }
        }
    }

    const fn place_of(self, page: u64) -> u64 {
        let mut number = page;
        loop {
            let (mut left, mut right) = (number >> self.half_bits, number & ((1 << self.half_bits) - 1));
            let mut round = ROUNDS;
            while round > 0 {
                round -= 1;
                (left, right) = (right ^ self.round(round, left), left);
            }
            number = left << self.half_bits | right;
            if number < self.count {
                return number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_permutation_meets_every_number_once_and_its_inverse_leads_back() {
        for count in [1, 2, 3, 4, 5, 4_096, 4_097, 5_003] {
            for key in [0, 1, 0xdead_beef] {
                let permutation = Permutation::new(key, count);
                let mut pages: Vec<u64> = (0..count).map(|place| permutation.page_at(place)).collect();
                for (place, page) in (0..).zip(&pages) {
                    assert_eq!(permutation.place_of(*page), place, "{count} {key}");
                }
                pages.sort_unstable();
                assert!(pages.into_iter().eq(0..count), "{count} {key}");
            }
        }
        // 1 PiB in pages of 8 KiB.
        let large = Permutation::new(7, 1 << 37);
        for sample in 0..100_000 {
            let place = mix(sample) >> 27;
            let page = large.page_at(place);
            assert!(page < 1 << 37 && large.place_of(page) == place, "{place}");
        }
    }

    #[test]
    fn each_epoch_has_an_order_of_its_own_that_looks_random() {
        let schedule = Schedule { key: 3, pages: 4_096, flush_every: 16 };
        let order = |epoch: u64| (0..4_096).map(move |place| schedule.page_of(epoch * 4_096 + place));
        for (one, other) in [(1, 2), (2, 3), (7, 8)] {
            // Of two random orders, one place is the same on average.
            assert!(order(one).zip(order(other)).filter(|(a, b)| a == b).count() < 12);
        }
        // No page is more often next to its neighbour than by chance (2 of 4,096).
        let pages: Vec<u64> = order(1).collect();
        assert!(pages.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count() < 16);
    }

    #[test]
    fn the_last_write_of_a_page_is_that_of_a_map_that_remembers_all() {
        for pages in [1, 2, 3, 100, 257] {
            let schedule = Schedule { key: 11, pages, flush_every: 16 };
            let mut map: HashMap<u64, u64> = (0..pages).map(|page| (page, 0)).collect();
            for sequence in schedule.first()..schedule.first() + 4 * pages + 2 {
                for page in 0..pages {
                    assert_eq!(schedule.last_below(page, sequence), map[&page], "{pages} {page} {sequence}");
                }
                map.insert(schedule.page_of(sequence), sequence);
            }
        }
    }

    #[test]
    fn a_batch_has_no_page_twice_and_no_more_writes_than_are_asked_for() {
        for (pages, flush_every) in [(1, 1), (5, 16), (1_000, 16), (1_000, 1), (64, 64)] {
            let schedule = Schedule { key: 5, pages, flush_every };
            let (mut begin, mut lengths) = (schedule.first(), Vec::new());
            while begin < 20 * pages {
                let end = schedule.batch_end(begin);
                assert!(end > begin && end - begin <= flush_every);
                assert_eq!(begin / pages, (end - 1) / pages, "within one epoch");
                lengths.push(end - begin);
                begin = end;
            }
            let largest = flush_every.min(pages);
            assert!(lengths.contains(&1) && (lengths.len() < 100 || lengths.contains(&largest)));
        }
    }
}
