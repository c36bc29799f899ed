//! A sample of what a device holds.
//!
//! A device smaller than 256 MiB is read whole; of a larger one the first and the last 16 MiB, where headers
//! lie, and 4,096 pages at places that depend on the device, so that nobody can hide data from them.

use std::io;

use iotrial_model::split_mix::mix;
use sha2::{Digest as _, Sha256};

use super::fill::AlignedBuffer;

const ZEROS: [u8; 4096] = [0; 4096];
const PAGE_SIZE: u64 = ZEROS.len() as u64;
/// One read of what is read in a row. Large enough for the bandwidth of a disk that turns, and eight of them
/// fit any memory.
const CHUNK_SIZE: u64 = 1 << 20;
/// Up to here all of it is read, in a few seconds at most.
const READ_WHOLE: u64 = 256 << 20;
/// Headers of partition tables, file systems and volume managers mostly lie within the first MiB, their
/// copies within the last one; the rest is for what is written right behind them.
const EDGE: u64 = 16 << 20;
/// Of a device of which 1 % is in use all of them miss with a probability of 0.99^4096, about 10^-18. On a
/// disk that turns they take about a minute.
const RANDOM_PAGES: u64 = 4096;

/// Reads in flight. The result depends on it, because each reader has a digest of its own.
const READERS: usize = 8;

/// What a sample of the content showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentSample {
    /// Bytes that were read.
    pub sampled_bytes: u64,
    /// Bytes in pages of 4 KiB that are not all zero.
    pub used_bytes: u64,
    /// The first such page.
    pub first_used_offset: Option<u64>,
    /// Of all that was read.
    pub(crate) digest: [u8; 32],
}

impl ContentSample {
    /// Whether anything but zeros was seen.
    pub const fn contains_data(&self) -> bool {
        self.used_bytes > 0
    }
}

/// Samples a device of `size` bytes. `read` reads at a multiple of the page size into a buffer that direct
/// I/O accepts, and is called from several threads; `seed` chooses the pages.
///
/// # Errors
///
/// The first one of `read`.
pub(crate) fn sample(
    size: u64,
    seed: u64,
    read: &(dyn Fn(u64, &mut [u8]) -> io::Result<()> + Sync),
) -> io::Result<ContentSample> {
    let chunks = chunks(size, seed);
    let part = chunks.len().div_ceil(READERS).max(1);
    let samples: Vec<io::Result<ContentSample>> = std::thread::scope(|scope| {
        let begin = |part| {
            let reader = move || sample_chunks(part, read);
            // This thread reads what no other can be had for.
            std::thread::Builder::new().spawn_scoped(scope, reader).map_err(|_| reader())
        };
        let readers: Vec<_> = chunks.chunks(part).map(begin).collect();
        let done = |reader: Result<std::thread::ScopedJoinHandle<'_, _>, _>| match reader {
            Ok(reader) => reader.join().expect("a reader does not panic"),
            Err(read_here) => read_here,
        };
        readers.into_iter().map(done).collect()
    });
    let mut digest = Sha256::new();
    let mut whole =
        ContentSample { sampled_bytes: 0, used_bytes: 0, first_used_offset: None, digest: [0; 32] };
    // In the order of their parts, whichever was done first.
    for sample in samples {
        let sample = sample?;
        digest.update(sample.digest);
        whole.sampled_bytes += sample.sampled_bytes;
        whole.used_bytes += sample.used_bytes;
        whole.first_used_offset = whole.first_used_offset.or(sample.first_used_offset);
    }
    whole.digest = digest.finalize().into();
    Ok(whole)
}

fn sample_chunks(
    chunks: &[(u64, u64)],
    read: &(dyn Fn(u64, &mut [u8]) -> io::Result<()> + Sync),
) -> io::Result<ContentSample> {
    let mut buffer = AlignedBuffer::new(CHUNK_SIZE);
    let mut digest = Sha256::new();
    let (mut sampled_bytes, mut used_bytes, mut first_used_offset) = (0, 0, None);
    for (offset, length) in chunks {
        let bytes = &mut buffer.as_mut_slice()[..usize::try_from(*length).expect("a chunk fits in memory")];
        read(*offset, bytes)?;
        // With its place: data that moved is another content.
        digest.update(offset.to_le_bytes());
        digest.update(&*bytes);
        sampled_bytes += length;
        for (page, page_offset) in bytes.chunks(ZEROS.len()).zip((*offset..).step_by(ZEROS.len())) {
            if *page != ZEROS[..page.len()] {
                used_bytes += page.len() as u64;
                first_used_offset.get_or_insert(page_offset);
            }
        }
    }
    Ok(ContentSample { sampled_bytes, used_bytes, first_used_offset, digest: digest.finalize().into() })
}

/// Offsets and lengths of what is read, in order.
fn chunks(size: u64, seed: u64) -> Vec<(u64, u64)> {
    let row = |start: u64, end: u64| {
        let count = (end - start).div_ceil(CHUNK_SIZE);
        let offsets = (0..count).map(move |chunk| start + chunk * CHUNK_SIZE);
        offsets.map(move |offset| (offset, CHUNK_SIZE.min(end - offset)))
    };
    if size <= READ_WHOLE {
        return row(0, size).collect();
    }
    // Sorted, so that a disk that turns reads them in one sweep.
    let last = (size - EDGE) / PAGE_SIZE * PAGE_SIZE;
    let pages_between = (last - EDGE) / PAGE_SIZE;
    let mut pages: Vec<u64> = (0..RANDOM_PAGES)
        .map(|draw| EDGE + mix(seed.wrapping_add(mix(draw))) % pages_between * PAGE_SIZE)
        .collect();
    pages.sort_unstable();
    // Two draws may fall on one page, which counts once.
    pages.dedup();
    let between = pages.into_iter().map(|offset| (offset, PAGE_SIZE));
    row(0, EDGE).chain(between).chain(row(last, size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_of(content: &[u8]) -> ContentSample {
        sample(content.len() as u64, 1, &|offset, buffer| {
            let start = usize::try_from(offset).unwrap();
            buffer.copy_from_slice(&content[start..start + buffer.len()]);
            Ok(())
        })
        .unwrap()
    }

    #[test]
    fn one_bit_anywhere_on_a_small_device_is_seen() {
        let mut content = vec![0; (3 << 20) + 512];
        let empty = sample_of(&content);
        assert!(!empty.contains_data());
        assert_eq!(empty.sampled_bytes, content.len() as u64);
        for place in [0, 4095, 1_500_000, (3 << 20) + 511] {
            content[place] = 1;
            let sample = sample_of(&content);
            assert!(sample.contains_data() && sample.digest != empty.digest, "{place}");
            assert_eq!(sample.first_used_offset, Some(place as u64 / 4096 * 4096));
            content[place] = 0;
        }
        assert_eq!(sample_of(&content), empty);
    }

    #[test]
    fn chunks_are_aligned_in_order_and_within_the_device() {
        for size in [0, 512, 4096, READ_WHOLE, READ_WHOLE + 512, (1 << 40) + 1536] {
            let chunks = chunks(size, 7);
            let mut reached = 0;
            for (offset, length) in &chunks {
                assert!(*offset >= reached && offset.is_multiple_of(4096), "{offset} of {size}");
                reached = offset + length;
            }
            assert!(reached == size, "the end of {size} is not read");
        }
        assert_ne!(chunks(1 << 40, 1), chunks(1 << 40, 2));
        assert!(chunks(1 << 40, 1).len() > 4000);
    }

    #[test]
    fn a_read_that_fails_is_an_error_and_not_an_empty_device() {
        assert!(sample(1 << 20, 0, &|_, _| Err(io::Error::other("broken"))).is_err());
    }
}
