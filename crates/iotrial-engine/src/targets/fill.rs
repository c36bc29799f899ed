//! Writes targets whole, at the speed of the device, with data that neither compresses nor deduplicates.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use iotrial_model::verification::{FaultKind, Noticed, PageFault};

use super::os;
use crate::content::Content;
use crate::under_way::{Begun, UnderWay};

/// One write. Large enough that its cost does not show, small enough to stop quickly.
const BLOCK_SIZE: u64 = 1 << 20;

/// Buffers for direct I/O begin at a multiple of it; no device asks for more.
const ALIGNMENT: usize = 4096;

/// Writes in flight for each file, and for all of them.
// Threads and not the engine of the load: a layout has to work where no ring is allowed, and with 1 MiB at a
// time four writers keep a device busy. The second number bounds the memory, 1 MiB for each.
const WRITERS_PER_RANGE: usize = 4;
const WRITERS: usize = 32;

/// How often whoever waits looks for writes that hang.
const TICK: Duration = Duration::from_millis(50);

/// A stretch of a file or device that is to be written.
#[derive(Debug)]
pub(crate) struct Range {
    /// Names the file in errors; nothing is opened by it.
    pub(crate) path: PathBuf,
    pub(crate) file: File,
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
    /// A write or the flush at the end did not come back, and nobody waits for it any more. Whatever touches the storage then may hang as well.
    Hung(Box<PageFault>),
}

/// Writes all ranges, flushes the files, and tells the progress in bytes of all of them.
///
/// Memory does not grow with the size. After an error the ranges hold anything. An I/O is waited for as long as `patience`; `None` is for ever.
pub(crate) fn fill(
    ranges: Vec<Range>,
    patience: Option<Duration>,
    progress: &dyn Fn(u64, u64),
    stop: &dyn Fn() -> bool,
) -> Result<(), FillError> {
    let total = ranges.iter().map(|range| range.length).sum();
    let filling = Arc::new(Filling::new(ranges));
    let mut done = 0;
    progress(0, total);
    let mut note = |length| {
        done += length;
        progress(done, total);
    };
    let count = filling.ranges.len();
    let writers = (count * WRITERS_PER_RANGE).min(WRITERS).min(filling.block_count);
    filling.watch(writers, Filling::write, patience, &mut note, stop)?;
    // What was written is in caches of the system, without direct I/O, or of the device. A load that began
    // now would share the device with its own layout. Each file's cache may belong to another device, so they
    // are flushed side by side.
    filling.watch(count, Filling::flush, patience, &mut |_| (), &|| false)
}

/// What a thread does for a filling. It tells the bytes of each block that is written, and ends where that answers false.
type Work = fn(&Filling, &mut dyn FnMut(u64) -> bool);

/// Ranges that are filled, for all threads.
struct Filling {
    ranges: Vec<Range>,
    /// Rounds until the longest range is done, one block of each range in turn, so that all devices work at once.
    block_count: usize,
    next_block: AtomicUsize,
    next_flush: AtomicUsize,
    under_way: UnderWay,
    failed: AtomicBool,
    first_error: Mutex<Option<FillError>>,
}

impl Filling {
    fn new(ranges: Vec<Range>) -> Self {
        let longest = ranges.iter().map(|range| range.length.div_ceil(BLOCK_SIZE)).max().unwrap_or(0);
        let rounds = usize::try_from(longest).expect("a file has fewer blocks than memory has addresses");
        Self {
            block_count: rounds * ranges.len(),
            ranges,
            next_block: AtomicUsize::new(0),
            next_flush: AtomicUsize::new(0),
            under_way: UnderWay::default(),
            failed: AtomicBool::new(false),
            first_error: Mutex::new(None),
        }
    }

    /// Has threads work until they are through; `note` gets the bytes of each block, and `stop` is asked behind each.
    // In threads of their own: one that is in a call to a device that hangs cannot be ended, and whoever waits for it could not say so.
    fn watch(
        self: &Arc<Self>,
        thread_count: usize,
        work: Work,
        patience: Option<Duration>,
        note: &mut dyn FnMut(u64),
        stop: &dyn Fn() -> bool,
    ) -> Result<(), FillError> {
        if stop() {
            return Err(FillError::Stopped);
        }
        let (sender, blocks) = mpsc::channel();
        let mut threads = Vec::new();
        for _ in 0..thread_count {
            let (filling, sender) = (Arc::clone(self), sender.clone());
            let work = move || work(&filling, &mut |length| sender.send(length).is_ok());
            match thread::Builder::new().name("iotrial-fill".to_owned()).spawn(work) {
                Ok(thread) => threads.push(thread),
                Err(_) => break,
            }
        }
        drop(sender);
        // Where the system gives no thread (ulimit -u, a control group), the layout is slow and not impossible, and nobody sees what hangs.
        if threads.is_empty() {
            work(self, &mut |length| {
                note(length);
                !stop() || self.fail(FillError::Stopped)
            });
        }
        let mut looked = Instant::now();
        loop {
            match blocks.recv_timeout(TICK) {
                Ok(length) if !self.failed.load(Ordering::Relaxed) => note(length),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                // All threads are through, or gone.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if stop() {
                self.fail(FillError::Stopped);
            }
            self.under_way.tick(std::mem::replace(&mut looked, Instant::now()).elapsed());
            let hangs = patience.and_then(|patience| self.under_way.older_than(patience).into_iter().next());
            if let Some(begun) = hangs {
                return Err(self.hung(&begun));
            }
        }
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        self.first_error.lock().expect("no holder panics").take().map_or(Ok(()), Err)
    }

    fn write(&self, wrote: &mut dyn FnMut(u64) -> bool) {
        let thread = self.under_way.thread();
        let mut buffer = AlignedBuffer::new(BLOCK_SIZE);
        while let Some((index, offset, length)) = self.take() {
            // Before each block, so that Ctrl-C waits for 1 MiB and not for the file.
            if self.failed.load(Ordering::Relaxed) {
                return;
            }
            let Range { path, file, content, .. } = &self.ranges[index];
            let block = &mut buffer.as_mut_slice()[..length];
            content.fill(block, offset, 0);
            thread.begin(0, self.begun(index, offset, length as u64));
            let written = os::write_all_at(file, block, offset);
            thread.end(0);
            if let Err(source) = written {
                self.fail(FillError::Write { path: path.clone(), source });
                return;
            }
            if !wrote(length as u64) {
                return;
            }
        }
    }

    fn flush(&self, _: &mut dyn FnMut(u64) -> bool) {
        let thread = self.under_way.thread();
        loop {
            let index = self.next_flush.fetch_add(1, Ordering::Relaxed);
            let Some(Range { path, file, start, length, .. }) = self.ranges.get(index) else { return };
            thread.begin(0, self.begun(index, *start, *length));
            let flushed = file.sync_data();
            thread.end(0);
            if let Err(source) = flushed {
                self.fail(FillError::Write { path: path.clone(), source });
            }
        }
    }

    /// The number of the range, the offset from the start of its file, and the length of the next block.
    fn take(&self) -> Option<(usize, u64, usize)> {
        loop {
            // A ticket: only that no two writers have the same number matters, not who sees it when.
            let ticket = self.next_block.fetch_add(1, Ordering::Relaxed);
            if ticket >= self.block_count {
                return None;
            }
            let index = ticket % self.ranges.len();
            let range = &self.ranges[index];
            let offset = (ticket / self.ranges.len()) as u64 * BLOCK_SIZE;
            let length = range.length.saturating_sub(offset).min(BLOCK_SIZE);
            // A range that is shorter than others has no block in later rounds.
            if length > 0 {
                let length = usize::try_from(length).expect("a block fits in memory");
                return Some((index, range.start + offset, length));
            }
        }
    }

    fn begun(&self, index: usize, offset: u64, length: u64) -> Begun {
        let number = u32::try_from(index).expect("a plan has few areas");
        self.under_way.begun(number, offset, length, Noticed::Write)
    }

    fn hung(&self, begun: &Begun) -> FillError {
        let Begun { area, offset, length, noticed, .. } = *begun;
        let path = self.ranges[area as usize].path.clone();
        FillError::Hung(Box::new(PageFault {
            under_way: Some(self.under_way.age(begun)),
            ..PageFault::new(FaultKind::Hang, path, offset, length, noticed)
        }))
    }

    /// Ends the filling with an error; answers false.
    // The flag only makes the others stop sooner, so that nothing has to be in order with it: the error itself is behind the lock, and is
    // read when all threads are joined. The first one counts; what follows is mostly the same device once more.
    fn fail(&self, error: FillError) -> bool {
        self.failed.store(true, Ordering::Relaxed);
        self.first_error.lock().expect("no holder panics").get_or_insert(error);
        false
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
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn all_ranges_are_written_whole_and_progress_ends_at_the_total() {
        let files = [tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap()];
        let range = |index: usize, start, length, content| {
            let file = files[index].try_clone().unwrap();
            Range { path: "a".into(), file, start, length, content }
        };
        let ranges = || {
            vec![
                range(0, 4096, (3 << 20) + 8192, Content::new(1, 4096)),
                range(1, 0, 8192, Content::new(2, 0)),
            ]
        };
        let furthest = AtomicU64::new(0);
        let progress = |done, total| {
            assert_eq!(total, (3 << 20) + 2 * 8192);
            furthest.fetch_max(done, Ordering::Relaxed);
        };
        fill(ranges(), Some(Duration::from_secs(600)), &progress, &|| false).unwrap();
        assert_eq!(furthest.into_inner(), (3 << 20) + 2 * 8192);
        for range in ranges() {
            let length = usize::try_from(range.length).unwrap();
            let (mut read, mut expected) = (vec![0; length], vec![0; length]);
            os::read_exact_at(&range.file, &mut read, range.start).unwrap();
            range.content.fill(&mut expected, range.start, 0);
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn a_stop_is_obeyed_before_the_next_block() {
        let range = Range {
            path: "a".into(),
            file: tempfile::tempfile().unwrap(),
            start: 0,
            length: 1 << 30,
            content: Content::new(1, 0),
        };
        let written = AtomicU64::new(0);
        let progress = |done, _| {
            written.fetch_max(done, Ordering::Relaxed);
        };
        let stop = || written.load(Ordering::Relaxed) >= BLOCK_SIZE;
        assert!(matches!(fill(vec![range], None, &progress, &stop), Err(FillError::Stopped)));
        assert!(written.into_inner() < 20 * BLOCK_SIZE);
    }

    #[cfg(target_os = "linux")]
    mod on_linux {
        use super::*;

        #[test]
        fn a_full_device_is_an_error_with_its_path() {
            let file = File::options().write(true).open("/dev/full").unwrap();
            let range = Range {
                path: "/dev/full".into(),
                file,
                start: 0,
                length: 1 << 22,
                content: Content::new(1, 0),
            };
            let Err(FillError::Write { path, source }) = fill(vec![range], None, &|_, _| (), &|| false)
            else {
                panic!("a full device took data")
            };
            assert_eq!((path, source.kind()), ("/dev/full".into(), io::ErrorKind::StorageFull));
        }
    }
}
