//! All pages once more, after the load.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use iotrial_model::verification::{FaultKind, Noticed};

use super::Verifier;
use super::ledger::Entry;
use crate::targets::fill::AlignedBuffer;
use crate::targets::os;

/// One read: as large as those of the layout.
const BLOCK: u64 = 1 << 20;

/// Readers of all areas together.
const READERS: usize = 4;

impl Verifier {
    /// Reads every page and compares it; false where `stop` ended it. `progress` gets the bytes that were read, and those of all areas.
    ///
    /// No I/O of a load may be under way.
    pub fn scan(&self, progress: &(dyn Fn(u64, u64) + Sync), stop: &(dyn Fn() -> bool + Sync)) -> bool {
        let total = self.areas.iter().map(|area| area.length).sum();
        // A block ends where a page does, whatever the size of a page is.
        let block_of = |area: u32| BLOCK.next_multiple_of(self.ledger.page_size(area));
        let mut blocks = Vec::new();
        for (area, number) in self.areas.iter().zip(0u32..) {
            let step = usize::try_from(block_of(number)).expect("a block fits in memory");
            blocks.extend((0..area.length).step_by(step).map(|start| (number, start)));
        }
        let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
        let reader = || {
            let mut buffer =
                AlignedBuffer::new((0..).take(self.areas.len()).map(block_of).max().unwrap_or(BLOCK));
            while let Some((area, start)) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop() {
                    return;
                }
                let verified = &self.areas[*area as usize];
                let length = block_of(*area).min(verified.length - start);
                let bytes =
                    &mut buffer.as_mut_slice()[..usize::try_from(length).expect("a block fits in memory")];
                self.scan_block(*area, verified.first_byte + start, bytes);
                progress(done.fetch_add(length, Ordering::Relaxed) + length, total);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..READERS {
                if std::thread::Builder::new().spawn_scoped(scope, reader).is_err() {
                    break;
                }
            }
            reader();
        });
        done.into_inner() == total
    }

    fn scan_block(&self, area: u32, offset: u64, bytes: &mut [u8]) {
        let VerifiedBlock { file, content } = self.block(area);
        content.poison(bytes, offset);
        let page = self.ledger.page_size(area);
        let step = usize::try_from(page).expect("a page fits in memory");
        let is_read = os::read_exact_at(file, bytes, offset).is_ok();
        for (bytes, at) in bytes.chunks_mut(step).zip((offset..).step_by(step)) {
            // Where the whole block cannot be read, the pages of it that can are.
            if !is_read {
                content.poison(bytes, at);
                if let Err(error) = os::read_exact_at(file, bytes, at) {
                    let os_error = error.raw_os_error();
                    let kind = self.kind_of(area, os_error.unwrap_or_default(), FaultKind::ReadError);
                    self.note_failed(kind, area, at, page, Noticed::EndScan, os_error);
                    continue;
                }
            }
            let before: Vec<Entry> = self.ledger.look(area, at, page).collect();
            let checked = self.check(area, at, bytes, &before, Noticed::EndScan);
            self.pages_scanned.fetch_add(checked, Ordering::Relaxed);
        }
    }

    fn block(&self, area: u32) -> VerifiedBlock<'_> {
        let area = &self.areas[area as usize];
        VerifiedBlock { file: &area.file, content: &area.content }
    }
}

/// What a reader needs of an area.
struct VerifiedBlock<'v> {
    file: &'v std::fs::File,
    content: &'v crate::content::Content,
}
