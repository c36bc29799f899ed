//! What each page should hold: the number of the last write that was acknowledged.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use iotrial_model::plan::Plan;

/// Set while a write of the page is under way.
const BUSY: u64 = 1 << 63;

/// The last write of the page failed, or a fault of it was told: it may hold anything until the next write.
const UNKNOWN: u64 = BUSY - 1;

/// The pages of all areas of a plan.
#[derive(Debug)]
pub(super) struct Ledger {
    areas: Vec<AreaLedger>,
}

#[derive(Debug)]
struct AreaLedger {
    first_byte: u64,
    /// Bytes of a page: every I/O begins and ends at a multiple of it.
    page: u64,
    /// By page.
    entries: Vec<AtomicU64>,
}

/// What a page held when it was looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u64);

impl Entry {
    /// The write that the page should hold; `None` while one is under way, or where nobody knows.
    pub(super) fn generation(self) -> Option<u64> {
        (self.0 < UNKNOWN).then_some(self.0)
    }

    pub(super) fn is_busy(self) -> bool {
        self.0 & BUSY != 0
    }
}

impl Ledger {
    /// All pages as the layout wrote them.
    pub(super) fn new(plan: &Plan) -> Self {
        let areas = plan.areas.iter().enumerate().map(|(index, area)| {
            Self::area(area.offset.get(), plan.page_of(index).get(), plan.pages_of(index))
        });
        Self { areas: areas.collect() }
    }

    fn area(first_byte: u64, page: u64, count: u64) -> AreaLedger {
        AreaLedger { first_byte, page, entries: (0..count).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Bytes of a page of an area.
    pub(super) fn page_size(&self, area: u32) -> u64 {
        self.areas[area as usize].page
    }

    /// Pages of all areas.
    pub(super) fn pages(&self) -> u64 {
        self.areas.iter().map(|area| area.entries.len() as u64).sum()
    }

    /// Pages of which it is not known what they hold.
    pub(super) fn unknown(&self) -> u64 {
        let entries = self.areas.iter().flat_map(|area| &area.entries);
        entries.filter(|entry| entry.load(Ordering::Relaxed) == UNKNOWN).count() as u64
    }

    /// What the pages of an I/O hold now, in their order.
    pub(super) fn look(&self, area: u32, offset: u64, length: u64) -> impl Iterator<Item = Entry> {
        // Acquire: a page that reads as written by somebody else is read from the device behind it.
        self.entries(area, offset, length).iter().map(|entry| Entry(entry.load(Ordering::Acquire)))
    }

    /// Other pages that a write of up to `longest` bytes made together with the one at `offset`, as far as nobody wrote them since; those
    /// whose fault was already counted are passed over.
    pub(super) fn pages_of_write(&self, area: u32, offset: u64, generation: u64, longest: u64) -> Vec<u64> {
        let AreaLedger { first_byte, page, entries } = &self.areas[area as usize];
        let number = usize::try_from((offset - first_byte) / page).expect("a map fits in memory");
        let reach = usize::try_from(longest.div_ceil(*page)).expect("a write fits in memory");
        let holds = |number: &usize| match entries[*number].load(Ordering::Acquire) & !BUSY {
            UNKNOWN => Some(false),
            held => (held == generation).then_some(true),
        };
        let before = (number.saturating_sub(reach - 1)..number).rev();
        let behind = number + 1..(number + reach).min(entries.len());
        let of_write = |pages: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            let near = pages.map_while(|number| Some((number, holds(&number)?)));
            near.filter(|(_, holds)| *holds).map(|(number, _)| number).collect()
        };
        let pages = [of_write(&mut { before }), of_write(&mut { behind })].concat();
        pages.into_iter().map(|number| first_byte + number as u64 * page).collect()
    }

    /// Takes the pages of a write, so that no other one is under way on any of them; `None` where one is.
    pub(super) fn claim(&self, area: u32, offset: u64, length: u64) -> Option<Vec<Entry>> {
        let entries = self.entries(area, offset, length);
        let mut before = Vec::with_capacity(entries.len());
        for entry in entries {
            let taken = entry.fetch_or(BUSY, Ordering::AcqRel);
            if taken & BUSY != 0 {
                for (entry, Entry(before)) in entries.iter().zip(&before) {
                    entry.store(*before, Ordering::Release);
                }
                return None;
            }
            before.push(Entry(taken));
        }
        Some(before)
    }

    /// Gives the pages of a write back: what they hold now, or `None` where it failed.
    pub(super) fn settle(&self, area: u32, offset: u64, length: u64, generation: Option<u64>) {
        for entry in self.entries(area, offset, length) {
            entry.store(generation.unwrap_or(UNKNOWN), Ordering::Release);
        }
    }

    /// Forgets what a page holds, if it is still what it was: its fault is told once.
    pub(super) fn forget(&self, area: u32, offset: u64, before: Entry) {
        let page = &self.entries(area, offset, 1)[0];
        let _ = page.compare_exchange(before.0, UNKNOWN, Ordering::AcqRel, Ordering::Relaxed);
    }

    fn entries(&self, area: u32, offset: u64, length: u64) -> &[AtomicU64] {
        let AreaLedger { first_byte, page, entries } = &self.areas[area as usize];
        let start = (offset - first_byte) / page;
        let end = (offset + length - first_byte).div_ceil(*page);
        let range: Range<usize> = usize::try_from(start).expect("a map fits in memory")
            ..usize::try_from(end).expect("as the start");
        &entries[range]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: u64 = 8192;
    const START: u64 = 1 << 20;

    fn ledger() -> Ledger {
        Ledger { areas: vec![Ledger::area(START, PAGE, 8)] }
    }

    fn generations(ledger: &Ledger, page: u64, count: u64) -> Vec<Option<u64>> {
        ledger.look(0, START + page * PAGE, count * PAGE).map(Entry::generation).collect()
    }

    #[test]
    fn a_write_holds_all_its_pages_or_none_and_leaves_its_number() {
        let ledger = ledger();
        assert!(ledger.claim(0, START + PAGE, 2 * PAGE).is_some());
        assert_eq!(generations(&ledger, 0, 4), [Some(0), None, None, Some(0)]);
        // The first of its pages is free, and is given back.
        assert_eq!(ledger.claim(0, START, 2 * PAGE), None);
        assert_eq!(generations(&ledger, 0, 1), [Some(0)]);
        ledger.settle(0, START + PAGE, 2 * PAGE, Some(5));
        assert_eq!(generations(&ledger, 0, 4), [Some(0), Some(5), Some(5), Some(0)]);
        let before = ledger.claim(0, START, 2 * PAGE).unwrap();
        assert_eq!(before.into_iter().map(Entry::generation).collect::<Vec<_>>(), [Some(0), Some(5)]);
        ledger.settle(0, START, 2 * PAGE, None);
        assert_eq!((generations(&ledger, 0, 3), ledger.unknown()), (vec![None, None, Some(5)], 2));
    }

    #[test]
    fn the_pages_of_a_write_are_those_that_nobody_wrote_since() {
        let ledger = ledger();
        let pages = |page: u64, longest: u64| -> Vec<u64> {
            let found = ledger.pages_of_write(0, START + page * PAGE, 5, longest * PAGE);
            found.into_iter().map(|offset| (offset - START) / PAGE).collect()
        };
        ledger.settle(0, START + PAGE, 5 * PAGE, Some(5));
        assert_eq!(pages(3, 5), [2, 1, 4, 5]);
        // A write of two pages has made no more than one beside it.
        assert_eq!(pages(3, 2), [2, 4]);
        assert!(pages(3, 1).is_empty());
        ledger.settle(0, START + 4 * PAGE, PAGE, None);
        assert_eq!(pages(3, 5), [2, 1, 5]);
        ledger.settle(0, START + 2 * PAGE, PAGE, Some(6));
        assert_eq!(pages(3, 5), [5]);
        // What is about to be overwritten still holds it.
        ledger.claim(0, START + 5 * PAGE, PAGE).unwrap();
        assert_eq!(pages(3, 5), [5]);
    }

    #[test]
    fn a_page_is_forgotten_only_as_long_as_nobody_wrote_it_again() {
        let ledger = ledger();
        let before = ledger.look(0, START, PAGE).next().unwrap();
        ledger.settle(0, START, PAGE, Some(9));
        ledger.forget(0, START, before);
        assert_eq!(ledger.unknown(), 0);
        let before = ledger.look(0, START, PAGE).next().unwrap();
        ledger.forget(0, START, before);
        assert_eq!(ledger.unknown(), 1);
    }
}
