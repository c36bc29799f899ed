//! What iotrial writes: bytes as a function of seed, area, place and generation.
//!
//! The layout writes generation 0 of every page. Each write of a load makes a later generation of its pages,
//! but no load has the time to generate them: 8 KiB take a microsecond, as long as the whole path through the
//! kernel. So a write [stamps](Content::stamp) its buffer: the first word of every sector is that of its
//! generation, and the rest is what the buffer held before, which is generated too.

use iotrial_model::split_mix::{GOLDEN, mix};

mod stamp;

pub(crate) use stamp::{SECTOR, Stamp, poison};

/// A page is generated on its own, so that blocks can be written anywhere and in any order.
const PAGE_SIZE: usize = 4096;

/// The smallest unit that a device could deduplicate.
const SECTOR_SIZE: usize = 512;

/// The content of one area, for all generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Content {
    /// The seed, mixed.
    key: u64,
    /// Where the first page begins, from the start of the file or device.
    first_byte: u64,
    /// Run and area, where each sector carries a stamp by which a read can be compared.
    stamped: Option<(u64, u16)>,
}

impl Content {
    /// No two areas should have the same seed, or they hold the same data.
    pub(crate) const fn new(seed: u64, first_byte: u64) -> Self {
        Self { key: mix(seed), first_byte, stamped: None }
    }

    /// Sectors with stamps: of this `run`, in this area of its plan.
    pub(crate) const fn stamped(run: u64, area: u16, first_byte: u64) -> Self {
        Self { key: run, first_byte, stamped: Some((run, area)) }
    }

    /// The stamp of the sector that begins at `offset`; `None` where sectors carry none.
    #[inline]
    pub(crate) fn stamp_of(&self, offset: u64, generation: u64) -> Option<Stamp> {
        let sector = offset / SECTOR_SIZE as u64;
        self.stamped.map(|(run, area)| Stamp { run, generation, sector, area })
    }

    /// Puts a word into each sector of a buffer that a read at `offset` has to overwrite; nothing where nobody compares.
    #[inline]
    pub(crate) fn poison(&self, bytes: &mut [u8], offset: u64) {
        if self.stamped.is_some() {
            for (sector, number) in bytes.chunks_exact_mut(SECTOR_SIZE).zip(offset / SECTOR_SIZE as u64..) {
                sector[..8].copy_from_slice(&poison(number).to_le_bytes());
            }
        }
    }

    /// Whole sectors with their stamps.
    fn stamp_all(&self, bytes: &mut [u8], offset: u64, generation: u64) {
        for (sector, at) in bytes.chunks_exact_mut(SECTOR_SIZE).zip((offset..).step_by(SECTOR_SIZE)) {
            if let Some(stamp) = self.stamp_of(at, generation) {
                stamp.write(sector);
            }
        }
    }

    /// The bytes of a generation from `offset` on, where a page begins; from the start of the file or device.
    ///
    /// The first word of a page is a one-to-one function of its number, so that no two pages of a generation
    /// are equal. The words after it come from a multiply and shift generator seeded by it; no compressor
    /// finds anything in them.
    pub(crate) fn fill(&self, bytes: &mut [u8], offset: u64, generation: u64) {
        if self.stamped.is_some() {
            return self.stamp_all(bytes, offset, generation);
        }
        let key = self.key_of(generation);
        let first_page = (offset - self.first_byte) / PAGE_SIZE as u64;
        for (page, number) in bytes.chunks_mut(PAGE_SIZE).zip(first_page..) {
            let mut state = mix(number.wrapping_add(key));
            let mut next = || {
                // A Weyl sequence, then one round of the finaliser of MurmurHash3.
                let bits = (state ^ (state >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
                state = state.wrapping_add(GOLDEN);
                (bits ^ (bits >> 29)).to_le_bytes()
            };
            let mut words = page.chunks_exact_mut(8);
            words.by_ref().for_each(|word| word.copy_from_slice(&next()));
            let rest = words.into_remainder();
            rest.copy_from_slice(&next()[..rest.len()]);
        }
        if generation > 0 {
            self.stamp(bytes, offset, generation);
        }
    }

    /// Makes bytes that are to be written at `offset` unlike every other write: a word in each sector, so
    /// that a device that deduplicates finds no two equal ones, however small its unit.
    ///
    /// Generations count from 1; those of no two writes of a load are equal.
    #[inline]
    pub(crate) fn stamp(&self, bytes: &mut [u8], offset: u64, generation: u64) {
        if self.stamped.is_some() {
            return self.stamp_all(bytes, offset, generation);
        }
        let sector = offset.wrapping_sub(self.first_byte) / SECTOR_SIZE as u64;
        // One addition for each sector: a sector's word is a one-to-one function of its number, and of the
        // generation.
        let mut word = self.key_of(generation).wrapping_add(sector.wrapping_mul(GOLDEN));
        for sector in bytes.chunks_mut(SECTOR_SIZE) {
            sector[..8].copy_from_slice(&word.to_le_bytes());
            word = word.wrapping_add(GOLDEN);
        }
    }

    /// Files that earlier versions laid out hold generation 0, so its key stays as it is.
    const fn key_of(&self, generation: u64) -> u64 {
        if generation == 0 { self.key } else { mix(self.key.wrapping_sub(generation)) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn data(length: usize, seed: u64, offset: u64, generation: u64) -> Vec<u8> {
        let mut data = vec![0; length];
        Content::new(seed, 0).fill(&mut data, offset, generation);
        data
    }

    #[test]
    fn data_does_not_depend_on_the_blocks_in_which_it_is_written() {
        for generation in [0, 1, 77] {
            let whole = data(1 << 16, 5, 0, generation);
            for offset in [0, 4096, 12288] {
                assert_eq!(data(8192, 5, offset as u64, generation), whole[offset..offset + 8192]);
            }
        }
    }

    #[test]
    fn files_of_earlier_versions_hold_generation_0() {
        // Seed 5, page 0: the first words, as they were when the format of managed files was made.
        let words: Vec<u64> =
            data(16, 5, 0, 0).chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        assert_eq!(words, [0xb681_d0eb_5354_162c, 0xf044_b997_8a9f_bcad]);
        let mut behind_header = vec![0; 4096];
        Content::new(5, 1 << 20).fill(&mut behind_header, 1 << 20, 0);
        assert_eq!(behind_header, data(4096, 5, 0, 0));
    }

    #[test]
    fn no_page_repeats_in_a_file_or_in_another_one_or_in_a_later_generation() {
        let mut seen = HashSet::new();
        for seed in [0, 1, 2, u64::MAX] {
            for generation in [0, 1, 1 << 40] {
                for page in data(1 << 20, seed, 0, generation).chunks(PAGE_SIZE) {
                    assert!(seen.insert(page.to_vec()), "a page of seed {seed} repeats");
                }
            }
        }
    }

    #[test]
    fn no_two_sectors_that_are_written_are_equal_whatever_buffer_they_come_from() {
        let content = Content::new(3, 1 << 20);
        // The same buffer again and again, as a job with one outstanding I/O has it.
        let mut buffer = data(8192, 9, 0, 0);
        let mut sectors = HashSet::new();
        for write in 1..=1_000 {
            content.stamp(&mut buffer, (1 << 20) + write % 7 * 8192, write);
            for sector in buffer.chunks(SECTOR_SIZE) {
                assert!(sectors.insert(sector.to_vec()), "write {write}");
            }
        }
    }

    #[test]
    fn a_stamped_buffer_tells_what_the_generation_would_be() {
        let content = Content::new(3, 4096);
        let (mut whole, mut stamped) = (vec![0; 8192], vec![0; 8192]);
        content.fill(&mut whole, 12288, 7);
        content.stamp(&mut stamped, 12288, 7);
        for (whole, stamped) in whole.chunks(SECTOR_SIZE).zip(stamped.chunks(SECTOR_SIZE)) {
            assert_eq!(whole[..8], stamped[..8]);
        }
    }

    #[test]
    fn bytes_and_words_of_the_data_are_as_random_ones() {
        for generation in [0, 1] {
            let data = data(1 << 20, 42, 0, generation);
            let mut counts = [0u32; 256];
            data.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
            // 4,096 each are expected, with a standard deviation of 64.
            assert!(counts.iter().all(|count| (3700..4500).contains(count)), "{counts:?}");
            let words: HashSet<&[u8]> = data.chunks(8).collect();
            assert_eq!(words.len(), (1 << 20) / 8);
            // What a match finder sees: no four bytes at a multiple of four come more often than by chance.
            let fours: HashSet<&[u8]> = data.chunks(4).collect();
            assert!(fours.len() > (1 << 18) - 100, "{}", fours.len());
        }
    }
}
