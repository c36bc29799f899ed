//! All pages once more, after the load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use iotrial_model::verification::{FaultKind, Noticed};

use super::blocks::{Extent, read_pages};
use super::ledger::Entry;
use super::{VerifiedArea, Verifier};

/// How often whoever waits looks at the progress, and for reads that hang.
const TICK: Duration = Duration::from_millis(50);

/// How reading every page ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanEnd {
    /// All of them were read.
    Complete,
    /// It was stopped.
    Stopped,
    /// A read hangs, and nobody waits for it any more.
    Stuck,
}

/// Has a thread of its own read all pages, while this one looks for reads that hang. `progress` gets the bytes that were read, and all of
/// them; `stop` ends it. `read_all` answers false where it was stopped; `looked` gets the time since its last call, and answers true where nobody
/// should wait any more.
// In a thread of its own: one that is in a call to a device that hangs cannot be ended, and whoever waits for it would never
// write the record.
pub(crate) fn watched(
    read_all: impl Fn(&(dyn Fn(u64, u64) + Sync), &(dyn Fn() -> bool + Sync)) -> bool + Clone + Send + 'static,
    looked: &dyn Fn(Duration) -> bool,
    progress: &(dyn Fn(u64, u64) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> ScanEnd {
    let (read, stopping) = (Arc::<ReadSoFar>::default(), Arc::<AtomicBool>::default());
    stopping.store(stop(), Ordering::Relaxed);
    let (sender, receiver) = mpsc::channel();
    let reader = {
        let (read_all, read, stopping) = (read_all.clone(), Arc::clone(&read), Arc::clone(&stopping));
        move || {
            let note = |done, total| read.note(done, total);
            let is_complete = read_all(&note, &|| stopping.load(Ordering::Relaxed));
            // Nobody waits for one that was stuck.
            let _ = sender.send(is_complete);
        }
    };
    let thread = std::thread::Builder::new().name("iotrial-compare".to_owned()).spawn(reader);
    let Ok(thread) = thread else {
        // Where no thread can be had, nobody sees what hangs.
        return if read_all(progress, stop) { ScanEnd::Complete } else { ScanEnd::Stopped };
    };
    let mut last_look = Instant::now();
    loop {
        let end = receiver.recv_timeout(TICK);
        let total = read.total.load(Ordering::Relaxed);
        if total > 0 {
            progress(read.done.load(Ordering::Relaxed), total);
        }
        match end {
            Ok(true) => return ScanEnd::Complete,
            Ok(false) => return ScanEnd::Stopped,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                std::panic::resume_unwind(thread.join().expect_err("it went without a word"))
            }
        }
        if looked(std::mem::replace(&mut last_look, Instant::now()).elapsed()) {
            return ScanEnd::Stuck;
        }
        stopping.fetch_or(stop(), Ordering::Relaxed);
    }
}

/// Bytes that were read, and all of them; these are zero until a first block was read.
#[derive(Default)]
struct ReadSoFar {
    done: AtomicU64,
    total: AtomicU64,
}

impl ReadSoFar {
    fn note(&self, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }
}

impl Verifier {
    /// Flushes what the load wrote, and reads every page and compares it, until `stop` ends it. `progress` gets the bytes that were read, and those of all areas.
    ///
    /// No I/O of a load may be under way.
    pub fn scan(
        self: &Arc<Self>,
        progress: &(dyn Fn(u64, u64) + Sync),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> ScanEnd {
        let verifier = Arc::clone(self);
        let looked = |elapsed| {
            self.tick(elapsed);
            let is_stuck = self.is_stuck();
            if is_stuck {
                self.give_up();
            }
            is_stuck
        };
        watched(move |progress, stop| verifier.read_all(progress, stop), &looked, progress, stop)
    }

    /// The same, here; false where `stop` ended it.
    fn read_all(&self, progress: &(dyn Fn(u64, u64) + Sync), stop: &(dyn Fn() -> bool + Sync)) -> bool {
        self.flush_written();
        let extents: Vec<_> = (self.areas.iter().zip(0..))
            .map(|(area, number)| Extent {
                read: move |bytes: &mut [u8], offset| self.read(number, bytes, offset, Noticed::EndScan),
                first_byte: area.first_byte,
                length: area.length,
                page: self.ledger.page_size(number),
            })
            .collect();
        read_pages(&extents, progress, stop, |area, offset, page| {
            let area_number = u32::try_from(area).expect("a plan has fewer areas");
            let page_size = extents[area].page;
            match page {
                Ok(bytes) => {
                    let before: Vec<Entry> = self.ledger.look(area_number, offset, page_size).collect();
                    let checked = self.check(area_number, offset, bytes, &before, Noticed::EndScan);
                    self.pages_scanned.fetch_add(checked, Ordering::Relaxed);
                }
                Err(error) => {
                    let os_error = error.raw_os_error();
                    let kind = self.kind_of(area_number, os_error.unwrap_or_default(), FaultKind::ReadError);
                    self.note_failed(kind, area_number, offset, page_size, Noticed::EndScan, os_error);
                }
            }
        })
    }

    /// Brings what the load wrote to the devices: what cannot be written is known only when the caches are emptied.
    fn flush_written(&self) {
        for (area, number) in self.areas.iter().zip(0..).filter(|(area, _)| area.is_written) {
            let VerifiedArea { file, first_byte, length, .. } = area;
            // What is in the memory of the host may take minutes on a slow disk that is in order.
            let slot = self.is_direct.then(|| {
                let begun = self.under_way.begun(number, *first_byte, *length, Noticed::EndScan);
                self.reads.begin_anywhere(begun)
            });
            let flushed = file.sync_data();
            self.came_back(slot.and_then(|slot| self.reads.end(slot)));
            if let Err(error) = flushed {
                let os_error = error.raw_os_error();
                let kind = self.kind_of(number, os_error.unwrap_or_default(), FaultKind::WriteError);
                self.note_failed(kind, number, *first_byte, *length, Noticed::EndScan, os_error);
            }
        }
    }
}
