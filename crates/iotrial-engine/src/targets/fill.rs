//! Writes targets whole, at the speed of the device, with data that neither compresses nor deduplicates.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::os;

/// One write. Large enough that its cost does not show, small enough to stop quickly.
const BLOCK_SIZE: u64 = 1 << 20;

const PAGE_SIZE: usize = 4096;

/// Buffers for direct I/O begin at a multiple of it; no device asks for more.
const ALIGNMENT: usize = 4096;

/// Writes in flight for each file, and for all of them.
const WRITERS_PER_RANGE: usize = 4;
const WRITERS: usize = 32;

/// A stretch of a file or device that is to be written.
#[derive(Debug)]
pub(crate) struct Range<'f> {
    /// For messages.
    pub(crate) path: &'f Path,
    pub(crate) file: &'f File,
    /// A multiple of the sector size.
    pub(crate) start: u64,
    /// A multiple of the sector size.
    pub(crate) length: u64,
    /// No two ranges should have the same one, or they hold the same data.
    pub(crate) seed: u64,
}

/// Why the ranges are not written.
#[derive(Debug)]
pub(crate) enum FillError {
    /// A write or the flush at the end failed.
    Write { path: PathBuf, source: io::Error },
    /// `stop` said so.
    Stopped,
}

/// Writes all ranges, flushes the files, and tells the progress in bytes of all of them.
///
/// Memory does not grow with the size. After an error the ranges hold anything.
pub(crate) fn fill(
    ranges: &[Range<'_>],
    progress: &(dyn Fn(u64, u64) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), FillError> {
    let blocks = Blocks::new(ranges);
    let total: u64 = ranges.iter().map(|range| range.length).sum();
    let done = AtomicU64::new(0);
    let failed = AtomicBool::new(false);
    let first_error: Mutex<Option<FillError>> = Mutex::new(None);
    let fail = |error: FillError| {
        failed.store(true, Ordering::Relaxed);
        first_error.lock().expect("no holder panics").get_or_insert(error);
    };

    progress(0, total);
    let writer = || {
        let mut buffer = AlignedBuffer::new(BLOCK_SIZE);
        while let Some((range, offset, length)) = blocks.take() {
            if failed.load(Ordering::Relaxed) {
                return;
            }
            if stop() {
                return fail(FillError::Stopped);
            }
            let block = &mut buffer.as_mut_slice()[..length];
            write_data(block, range.seed, offset);
            if let Err(source) = os::write_all_at(range.file, block, range.start + offset) {
                return fail(FillError::Write { path: range.path.to_owned(), source });
            }
            let length = length as u64;
            progress(done.fetch_add(length, Ordering::Relaxed) + length, total);
        }
    };
    let writers = (ranges.len() * WRITERS_PER_RANGE).min(WRITERS).min(blocks.count);
    std::thread::scope(|scope| (0..writers).for_each(|_| drop(scope.spawn(writer))));

    // Each file's cache may belong to another device, so they are flushed side by side.
    std::thread::scope(|scope| {
        for range in ranges.iter().filter(|_| !failed.load(Ordering::Relaxed)) {
            let fail = &fail;
            scope.spawn(move || {
                if let Err(source) = range.file.sync_data() {
                    fail(FillError::Write { path: range.path.to_owned(), source });
                }
            });
        }
    });
    first_error.into_inner().expect("no holder panics").map_or(Ok(()), Err)
}

/// Hands out the blocks: one of each range in turn, so that all devices work at once.
struct Blocks<'r> {
    ranges: &'r [Range<'r>],
    /// Rounds until the longest range is done.
    count: usize,
    next: AtomicUsize,
}

impl<'r> Blocks<'r> {
    fn new(ranges: &'r [Range<'r>]) -> Self {
        let longest = ranges.iter().map(|range| range.length.div_ceil(BLOCK_SIZE)).max().unwrap_or(0);
        let rounds = usize::try_from(longest).expect("a file has fewer blocks than memory has addresses");
        Self { ranges, count: rounds * ranges.len(), next: AtomicUsize::new(0) }
    }

    /// The range, the offset in it, and the length of the next block.
    fn take(&self) -> Option<(&'r Range<'r>, u64, usize)> {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                return None;
            }
            let range = &self.ranges[index % self.ranges.len()];
            let offset = (index / self.ranges.len()) as u64 * BLOCK_SIZE;
            let length = range.length.saturating_sub(offset).min(BLOCK_SIZE);
            if length > 0 {
                return Some((range, offset, usize::try_from(length).expect("a block fits in memory")));
            }
        }
    }
}

/// Memory at an address that direct I/O accepts.
pub(crate) struct AlignedBuffer {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl AlignedBuffer {
    pub(crate) fn new(length: u64) -> Self {
        let length = usize::try_from(length).expect("a buffer fits in memory");
        let memory = vec![0; length + ALIGNMENT];
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        Self { memory, start, length }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

/// Fills `block`, which lies at `offset`, so that no two pages of one seed are equal.
///
/// Each page is a stream of its own, so a block can be written anywhere and in any order. The first word
/// is a one-to-one function of the page number: two pages of a file can never be equal. The words after
/// it come from a multiply and shift generator seeded by it; no compressor finds anything in them.
pub(crate) fn write_data(block: &mut [u8], seed: u64, offset: u64) {
    let first_page = offset / PAGE_SIZE as u64;
    for (page, number) in block.chunks_mut(PAGE_SIZE).zip(first_page..) {
        let mut state = mix(number.wrapping_add(mix(seed)));
        let mut next = || {
            // A Weyl sequence, then one round of the finaliser of MurmurHash3.
            let bits = (state ^ (state >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            (bits ^ (bits >> 29)).to_le_bytes()
        };
        let mut words = page.chunks_exact_mut(8);
        words.by_ref().for_each(|word| word.copy_from_slice(&next()));
        let rest = words.into_remainder();
        rest.copy_from_slice(&next()[..rest.len()]);
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): one-to-one on 64 bits.
pub(crate) const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn data(length: usize, seed: u64, offset: u64) -> Vec<u8> {
        let mut data = vec![0; length];
        write_data(&mut data, seed, offset);
        data
    }

    #[test]
    fn data_does_not_depend_on_the_blocks_in_which_it_is_written() {
        let whole = data(1 << 16, 5, 0);
        for offset in [0, 4096, 12288] {
            assert_eq!(data(8192, 5, offset as u64), whole[offset..offset + 8192]);
        }
    }

    #[test]
    fn no_page_repeats_in_a_file_or_in_another_one() {
        let mut seen = HashSet::new();
        for seed in [0, 1, 2, u64::MAX] {
            for page in data(4 << 20, seed, 0).chunks(PAGE_SIZE) {
                assert!(seen.insert(page.to_vec()), "a page of seed {seed} repeats");
            }
        }
    }

    #[test]
    fn bytes_and_words_of_the_data_are_as_random_ones() {
        let data = data(1 << 20, 42, 0);
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

    #[test]
    fn all_ranges_are_written_whole_and_progress_ends_at_the_total() {
        let files = [tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap()];
        let ranges = [
            Range { path: Path::new("a"), file: &files[0], start: 4096, length: (3 << 20) + 8192, seed: 1 },
            Range { path: Path::new("b"), file: &files[1], start: 0, length: 8192, seed: 2 },
        ];
        let furthest = AtomicU64::new(0);
        let progress = |done, total| {
            assert_eq!(total, (3 << 20) + 2 * 8192);
            furthest.fetch_max(done, Ordering::Relaxed);
        };
        fill(&ranges, &progress, &|| false).unwrap();
        assert_eq!(furthest.into_inner(), (3 << 20) + 2 * 8192);
        for range in &ranges {
            let length = usize::try_from(range.length).unwrap();
            let mut read = vec![0; length];
            os::read_exact_at(range.file, &mut read, range.start).unwrap();
            assert_eq!(read, data(length, range.seed, 0));
        }
    }

    #[test]
    fn a_stop_is_obeyed_before_the_next_block() {
        let file = tempfile::tempfile().unwrap();
        let range = Range { path: Path::new("a"), file: &file, start: 0, length: 1 << 30, seed: 1 };
        let written = AtomicU64::new(0);
        let progress = |done, _| {
            written.fetch_max(done, Ordering::Relaxed);
        };
        let stop = || written.load(Ordering::Relaxed) >= BLOCK_SIZE;
        assert!(matches!(fill(&[range], &progress, &stop), Err(FillError::Stopped)));
        assert!(written.into_inner() < 20 * BLOCK_SIZE);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_device_is_an_error_with_its_path() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let range = Range { path: Path::new("/dev/full"), file: &file, start: 0, length: 1 << 22, seed: 1 };
        let Err(FillError::Write { path, source }) = fill(&[range], &|_, _| (), &|| false) else {
            panic!("a full device took data")
        };
        assert_eq!((path, source.kind()), ("/dev/full".into(), io::ErrorKind::StorageFull));
    }
}
