//! Writes targets whole, at the speed of the device, with data that neither compresses nor deduplicates.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::os;
use crate::content::Content;

/// One write. Large enough that its cost does not show, small enough to stop quickly.
const BLOCK_SIZE: u64 = 1 << 20;

/// Buffers for direct I/O begin at a multiple of it; no device asks for more.
const ALIGNMENT: usize = 4096;

/// Writes in flight for each file, and for all of them.
// Threads and not the engine of the load: a layout has to work where no ring is allowed, and with 1 MiB at a
// time four writers keep a device busy. The second number bounds the memory, 1 MiB for each.
const WRITERS_PER_RANGE: usize = 4;
const WRITERS: usize = 32;

/// A stretch of a file or device that is to be written.
#[derive(Debug)]
pub(crate) struct Range<'f> {
    /// Names the file in errors; nothing is opened by it.
    pub(crate) path: &'f Path,
    pub(crate) file: &'f File,
    /// A multiple of the sector size.
    pub(crate) start: u64,
    /// A multiple of the sector size.
    pub(crate) length: u64,
    pub(crate) content: Content,
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
    // The flag only makes the others stop sooner, so that nothing has to be in order with it: the error
    // itself is behind the lock, and is read when all threads are joined. The first one counts; what follows
    // is mostly the same device once more.
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
            // Before each block, so that Ctrl-C waits for 1 MiB and not for the file.
            if stop() {
                return fail(FillError::Stopped);
            }
            let block = &mut buffer.as_mut_slice()[..length];
            let offset = range.start + offset;
            range.content.fill(block, offset, 0);
            if let Err(source) = os::write_all_at(range.file, block, offset) {
                return fail(FillError::Write { path: range.path.to_owned(), source });
            }
            let length = length as u64;
            progress(done.fetch_add(length, Ordering::Relaxed) + length, total);
        }
    };
    let writers = (ranges.len() * WRITERS_PER_RANGE).min(WRITERS).min(blocks.count);
    std::thread::scope(|scope| {
        // This thread is one of them: where the system gives no other (ulimit -u, a control group), the layout is slow and not impossible.
        for _ in 1..writers {
            if std::thread::Builder::new().spawn_scoped(scope, writer).is_err() {
                break;
            }
        }
        writer();
    });

    // What was written is in caches of the system, without direct I/O, or of the device. A load that began
    // now would share the device with its own layout. Each file's cache may belong to another device, so they
    // are flushed side by side.
    std::thread::scope(|scope| {
        for range in ranges.iter().filter(|_| !failed.load(Ordering::Relaxed)) {
            let fail = &fail;
            let flush = move || {
                if let Err(source) = range.file.sync_data() {
                    fail(FillError::Write { path: range.path.to_owned(), source });
                }
            };
            if std::thread::Builder::new().spawn_scoped(scope, flush).is_err() {
                flush();
            }
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
            // A ticket: only that no two writers have the same number matters, not who sees it when.
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                return None;
            }
            let range = &self.ranges[index % self.ranges.len()];
            let offset = (index / self.ranges.len()) as u64 * BLOCK_SIZE;
            let length = range.length.saturating_sub(offset).min(BLOCK_SIZE);
            // A range that is shorter than others has no block in later rounds.
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
        // A little more than is asked, and the aligned part of it: an allocation with an alignment of its own
        // takes `unsafe`. The vector never grows, so that its memory stays where it is.
        let memory = vec![0; length + ALIGNMENT];
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        Self { memory, start, length }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ranges_are_written_whole_and_progress_ends_at_the_total() {
        let files = [tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap()];
        let ranges = [
            Range {
                path: Path::new("a"),
                file: &files[0],
                start: 4096,
                length: (3 << 20) + 8192,
                content: Content::new(1, 4096),
            },
            Range {
                path: Path::new("b"),
                file: &files[1],
                start: 0,
                length: 8192,
                content: Content::new(2, 0),
            },
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
            let (mut read, mut expected) = (vec![0; length], vec![0; length]);
            os::read_exact_at(range.file, &mut read, range.start).unwrap();
            range.content.fill(&mut expected, range.start, 0);
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn a_stop_is_obeyed_before_the_next_block() {
        let file = tempfile::tempfile().unwrap();
        let range = Range {
            path: Path::new("a"),
            file: &file,
            start: 0,
            length: 1 << 30,
            content: Content::new(1, 0),
        };
        let written = AtomicU64::new(0);
        let progress = |done, _| {
            written.fetch_max(done, Ordering::Relaxed);
        };
        let stop = || written.load(Ordering::Relaxed) >= BLOCK_SIZE;
        assert!(matches!(fill(&[range], &progress, &stop), Err(FillError::Stopped)));
        assert!(written.into_inner() < 20 * BLOCK_SIZE);
    }

    #[cfg(target_os = "linux")]
    mod on_linux {
        use super::*;

        #[test]
        fn a_full_device_is_an_error_with_its_path() {
            let file = File::options().write(true).open("/dev/full").unwrap();
            let range = Range {
                path: Path::new("/dev/full"),
                file: &file,
                start: 0,
                length: 1 << 22,
                content: Content::new(1, 0),
            };
            let Err(FillError::Write { path, source }) = fill(&[range], &|_, _| (), &|| false) else {
                panic!("a full device took data")
            };
            assert_eq!((path, source.kind()), ("/dev/full".into(), io::ErrorKind::StorageFull));
        }
    }
}
