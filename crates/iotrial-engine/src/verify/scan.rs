//! All pages once more, after the load.

use std::sync::atomic::Ordering;

use iotrial_model::verification::{FaultKind, Noticed};

use super::blocks::{Extent, read_pages};
use super::ledger::Entry;
use super::{VerifiedArea, Verifier};

impl Verifier {
    /// Reads every page and compares it; false where `stop` ended it. `progress` gets the bytes that were read, and those of all areas.
    ///
    /// No I/O of a load may be under way.
    pub fn scan(&self, progress: &(dyn Fn(u64, u64) + Sync), stop: &(dyn Fn() -> bool + Sync)) -> bool {
        let extents: Vec<Extent<'_>> = (self.areas.iter().zip(0..))
            .map(|(VerifiedArea { file, content, first_byte, length, .. }, number)| {
                let page = self.ledger.page_size(number);
                Extent { file, content, first_byte: *first_byte, length: *length, page }
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
