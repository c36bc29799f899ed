//! Where the next I/O of a copy goes.

use iotrial_model::load::Pattern;

use crate::random::Random;

/// The offsets of one copy of a job, without a map of what was touched.
#[derive(Debug, Clone)]
pub struct Offsets {
    first_byte: u64,
    block_size: u64,
    block_count: u64,
    /// The next block of a sequential pattern.
    next_block: u64,
    pattern: Pattern,
}

impl Offsets {
    /// Offsets of copy `copy` out of `copies` that work on the `length` bytes from `first_byte`.
    ///
    /// Random copies share all of it; each sequential copy has a part of its own, as each writer of a
    /// log has, so that no two of them ever write the same block at once. `length` must hold at least
    /// one block for each copy that has its own part.
    pub fn new(
        pattern: Pattern,
        first_byte: u64,
        length: u64,
        block_size: u64,
        copy: u64,
        copies: u64,
    ) -> Self {
        let blocks = length / block_size;
        let (first_block, block_count) = match pattern {
            Pattern::Random => (0, blocks),
            Pattern::Sequential => {
                let part = blocks / copies;
                (part * copy, part)
            }
        };
        assert!(block_count > 0, "a plan gives every copy at least one block");
        let first_byte = first_byte + first_block * block_size;
        Self { first_byte, block_size, block_count, next_block: 0, pattern }
    }

    /// The next offset in bytes.
    #[inline]
    pub fn next(&mut self, random: &mut Random) -> u64 {
        let block = match self.pattern {
            Pattern::Random => random.below(self.block_count),
            Pattern::Sequential => {
                let block = self.next_block;
                self.next_block = if block + 1 == self.block_count { 0 } else { block + 1 };
                block
            }
        };
        self.first_byte + block * self.block_size
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sequential_copies_cover_their_own_parts_and_start_anew() {
        let mut random = Random::new(0, 0);
        let parts: Vec<Vec<u64>> = (0..2)
            .map(|copy| {
                let mut offsets = Offsets::new(Pattern::Sequential, 1000, 60, 10, copy, 2);
                (0..4).map(|_| offsets.next(&mut random)).collect()
            })
            .collect();
        assert_eq!(parts, [[1000, 1010, 1020, 1000], [1030, 1040, 1050, 1030]]);
    }

    #[test]
    fn random_offsets_are_aligned_inside_and_reach_every_block() {
        let mut random = Random::new(0, 0);
        let mut offsets = Offsets::new(Pattern::Random, 4096, 100 * 8192, 8192, 1, 6);
        let seen: BTreeSet<u64> = (0..2_000).map(|_| offsets.next(&mut random)).collect();
        assert_eq!(seen.len(), 100);
        assert_eq!((seen.first(), seen.last()), (Some(&4096), Some(&(4096 + 99 * 8192))));
        assert!(seen.iter().all(|offset| (offset - 4096) % 8192 == 0));
    }
}
