//! All pages once more, after the load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use iotrial_model::verification::{FaultKind, Noticed};

use super::Verifier;
use super::blocks::{Extent, read_pages};
use super::ledger::Entry;

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

impl Verifier {
    /// Reads every page and compares it, until `stop` ends it. `progress` gets the bytes that were read, and those of all areas.
    ///
    /// No I/O of a load may be under way.
    // In threads of its own: one that is in a call to a device that hangs cannot be ended, and whoever waits for it would never
    // write the record.
    pub fn scan(
        self: &Arc<Self>,
        progress: &(dyn Fn(u64, u64) + Sync),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> ScanEnd {
        let total = self.areas.iter().map(|area| area.length).sum();
        let (done, stopping) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        stopping.store(stop(), Ordering::Relaxed);
        let (sender, receiver) = mpsc::channel();
        let reader = {
            let (verifier, done, stopping) = (Arc::clone(self), Arc::clone(&done), Arc::clone(&stopping));
            move || {
                let note = |bytes, _| done.store(bytes, Ordering::Relaxed);
                let is_complete = verifier.read_all(&note, &|| stopping.load(Ordering::Relaxed));
                // Nobody waits for one that was stuck.
                let _ = sender.send(is_complete);
            }
        };
        let thread = std::thread::Builder::new().name("iotrial-compare".to_owned()).spawn(reader);
        let Ok(thread) = thread else {
            // Where no thread can be had, nobody sees what hangs.
            return if self.read_all(progress, stop) { ScanEnd::Complete } else { ScanEnd::Stopped };
        };
        let mut looked = Instant::now();
        loop {
            let end = receiver.recv_timeout(TICK);
            progress(done.load(Ordering::Relaxed), total);
            match end {
                Ok(true) => return ScanEnd::Complete,
                Ok(false) => return ScanEnd::Stopped,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    std::panic::resume_unwind(thread.join().expect_err("it went without a word"))
                }
            }
            self.tick(std::mem::replace(&mut looked, Instant::now()).elapsed());
            if self.is_stuck() {
                self.give_up();
                return ScanEnd::Stuck;
            }
            stopping.fetch_or(stop(), Ordering::Relaxed);
        }
    }

    /// Reads every page and compares it, here; false where `stop` ended it.
    fn read_all(&self, progress: &(dyn Fn(u64, u64) + Sync), stop: &(dyn Fn() -> bool + Sync)) -> bool {
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
}
