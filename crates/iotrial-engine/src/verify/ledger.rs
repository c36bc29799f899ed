//! What each page should hold: the number of the last write that was acknowledged.
//!
//! Where memory does not suffice for all pages, several share an entry. It has the last write of one of them, the page that is followed, and
//! knows of all of them whether a write is under way. Neighbours have different entries, so that a load that writes one page behind the other
//! does not wait for itself.

use std::sync::atomic::{AtomicU64, Ordering};

use iotrial_model::plan::Plan;
use iotrial_model::split_mix::mix;

/// Set while a write of a page of the entry is under way.
const BUSY: u64 = 1 << 63;

/// Nothing is said any more of the pages that are not followed: a write of one of them failed, or a fault of one was told.
const OTHERS_UNKNOWN: u64 = 1 << 62;

/// The last write of the page that is followed.
const GENERATION: u64 = OTHERS_UNKNOWN - 1;

/// That write failed, or a fault of the page was told: it may hold anything until the next write.
const UNKNOWN: u64 = GENERATION;

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
    pages: u64,
    /// Decides which page of an entry is followed.
    key: u64,
    /// The entry of a page is that of its number modulo theirs.
    entries: Vec<AtomicU64>,
}

/// What was known of a page when it was looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    value: u64,
    is_followed: bool,
}

impl Entry {
    /// The write that the page should hold; `None` while one is under way, or where nobody knows.
    pub(super) fn generation(self) -> Option<u64> {
        let generation = self.value & GENERATION;
        (self.is_followed && !self.is_busy() && generation != UNKNOWN).then_some(generation)
    }

    pub(super) fn is_busy(self) -> bool {
        self.value & BUSY != 0
    }

    /// Whether it is the page of its entry whose last write is known.
    pub(super) fn is_followed(self) -> bool {
        self.is_followed
    }

    /// Whether the page surely holds a whole write of the run, whichever.
    pub(super) fn holds_some_write(self) -> bool {
        !self.is_followed && self.value & (BUSY | OTHERS_UNKNOWN) == 0
    }
}

impl Ledger {
    /// All pages as the layout wrote them.
    pub(super) fn new(plan: &Plan) -> Self {
        let areas = plan.areas.iter().enumerate().map(|(index, area)| AreaLedger {
            first_byte: area.offset.get(),
            page: plan.page_of(index).get(),
            pages: plan.pages_of(index),
            key: mix(plan.seed.wrapping_add(index as u64)),
            entries: (0..plan.map_entries_of(index)).map(|_| AtomicU64::new(0)).collect(),
        });
        Self { areas: areas.collect() }
    }

    /// Bytes of a page of an area.
    pub(super) fn page_size(&self, area: u32) -> u64 {
        self.areas[area as usize].page
    }

    /// Pages of all areas.
    pub(super) fn pages(&self) -> u64 {
        self.areas.iter().map(|area| area.pages).sum()
    }

    /// Pages of all areas that are followed: one for each entry.
    pub(super) fn pages_followed(&self) -> u64 {
        self.areas.iter().map(|area| area.entries.len() as u64).sum()
    }

    /// Pages that are followed and of which it is not known what they hold.
    pub(super) fn unknown(&self) -> u64 {
        let entries = self.areas.iter().flat_map(|area| &area.entries);
        entries.filter(|entry| entry.load(Ordering::Relaxed) & GENERATION == UNKNOWN).count() as u64
    }

    /// What the pages of an I/O hold now, in their order.
    pub(super) fn look(&self, area: u32, offset: u64, length: u64) -> impl Iterator<Item = Entry> {
        let pages = self.areas[area as usize].pages_at(offset, length);
        // Acquire: a page that reads as written by somebody else is read from the device behind it.
        pages.map(|(entry, is_followed)| Entry { value: entry.load(Ordering::Acquire), is_followed })
    }

    /// Other pages that a write of up to `longest` bytes made together with the one at `offset`, as far as nobody wrote them since; those
    /// whose fault was already counted are passed over. Of those that are not followed, nobody knows who wrote them last.
    pub(super) fn pages_of_write(&self, area: u32, offset: u64, generation: u64, longest: u64) -> Vec<u64> {
        let area = &self.areas[area as usize];
        let number = (offset - area.first_byte) / area.page;
        let reach = longest.div_ceil(area.page).max(1);
        let holds = |number: &u64| {
            let (entry, is_followed) = area.page_numbered(*number);
            match entry.load(Ordering::Acquire) & GENERATION {
                _ if !is_followed => Some(true),
                UNKNOWN => Some(false),
                held => (held == generation).then_some(true),
            }
        };
        let before = (number.saturating_sub(reach - 1)..number).rev();
        let behind = number + 1..(number + reach).min(area.pages);
        let of_write = |pages: &mut dyn Iterator<Item = u64>| -> Vec<u64> {
            let near = pages.map_while(|number| Some((number, holds(&number)?)));
            near.filter(|(_, holds)| *holds).map(|(number, _)| number).collect()
        };
        let pages = [of_write(&mut { before }), of_write(&mut { behind })].concat();
        pages.into_iter().map(|number| area.first_byte + number * area.page).collect()
    }

    /// Takes the pages of a write, so that no other one is under way on any of them; `None` where one is.
    pub(super) fn claim(&self, area: u32, offset: u64, length: u64) -> Option<Vec<Entry>> {
        let area = &self.areas[area as usize];
        let mut before: Vec<Entry> = Vec::new();
        for (entry, is_followed) in area.pages_at(offset, length) {
            let value = entry.fetch_or(BUSY, Ordering::AcqRel);
            if value & BUSY != 0 {
                let taken = area.pages_at(offset, length).take(before.len());
                taken.for_each(|(entry, _)| free(entry));
                return None;
            }
            before.push(Entry { value, is_followed });
        }
        Some(before)
    }

    /// Gives the pages of a write back: what they hold now, or `None` where it failed.
    pub(super) fn settle(&self, area: u32, offset: u64, length: u64, generation: Option<u64>) {
        for (entry, is_followed) in self.areas[area as usize].pages_at(offset, length) {
            let settled = |value: u64| match (is_followed, generation) {
                (true, _) => value & OTHERS_UNKNOWN | generation.unwrap_or(UNKNOWN),
                (false, Some(_)) => value & !BUSY,
                (false, None) => value & !BUSY | OTHERS_UNKNOWN,
            };
            // Never refused.
            let _ = entry.fetch_update(Ordering::Release, Ordering::Relaxed, |value| Some(settled(value)));
        }
    }

    /// Gives the pages of a claim back that nobody wrote.
    pub(super) fn release(&self, area: u32, offset: u64, length: u64) {
        self.areas[area as usize].pages_at(offset, length).for_each(|(entry, _)| free(entry));
    }

    /// Forgets what a page holds, if it is still what it was: its fault is told once.
    pub(super) fn forget(&self, area: u32, offset: u64, before: Entry) {
        for (entry, is_followed) in self.areas[area as usize].pages_at(offset, 1) {
            if is_followed {
                let unknown = before.value & OTHERS_UNKNOWN | UNKNOWN;
                let _ = entry.compare_exchange(before.value, unknown, Ordering::AcqRel, Ordering::Relaxed);
            } else {
                entry.fetch_or(OTHERS_UNKNOWN, Ordering::AcqRel);
            }
        }
    }
}

fn free(entry: &AtomicU64) {
    entry.fetch_and(!BUSY, Ordering::Release);
}

impl AreaLedger {
    /// The entries of the pages of an I/O, each with whether the page is the one that it follows.
    fn pages_at(&self, offset: u64, length: u64) -> impl Iterator<Item = (&AtomicU64, bool)> {
        let start = (offset - self.first_byte) / self.page;
        let end = (offset + length - self.first_byte).div_ceil(self.page);
        (start..end).map(|number| self.page_numbered(number))
    }

    fn page_numbered(&self, number: u64) -> (&AtomicU64, bool) {
        let count = self.entries.len() as u64;
        if count == self.pages {
            return (&self.entries[index(number)], true);
        }
        let (round, place) = (number / count, number % count);
        // The pages of the entry are this one and each that is so many further.
        let shared = (self.pages - place).div_ceil(count);
        (&self.entries[index(place)], mix(self.key ^ place) % shared == round)
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("a map fits in memory")
}

#[cfg(test)]
mod tests {
    use iotrial_model::verification::Verification;

    use super::*;

    const PAGE: u64 = 8192;
    const START: u64 = 1 << 20;

    fn of_pages(pages: u64, entries: u64, key: u64) -> Ledger {
        let entries = (0..entries).map(|_| AtomicU64::new(0)).collect();
        Ledger { areas: vec![AreaLedger { first_byte: START, page: PAGE, pages, key, entries }] }
    }

    fn ledger() -> Ledger {
        of_pages(8, 8, 1)
    }

    /// The numbers of the pages that are followed.
    fn followed(ledger: &Ledger) -> Vec<u64> {
        let pages = ledger.look(0, START, ledger.pages() * PAGE).zip(0..);
        pages.filter(|(entry, _)| entry.is_followed()).map(|(_, number)| number).collect()
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
        // To both ends of the area, and no further.
        ledger.settle(0, START, 8 * PAGE, Some(5));
        assert_eq!((pages(0, 9), pages(7, 9)), ((1..8).collect(), (0..7).rev().collect()));
    }

    #[test]
    fn which_page_of_an_entry_is_followed_is_drawn_for_each_run() {
        let (mut all, mut by_round) = (std::collections::BTreeSet::new(), [0; 8]);
        for key in 0..20 {
            let followed = followed(&of_pages(1_000, 125, key));
            followed.iter().for_each(|page| by_round[usize::try_from(page / 125).unwrap()] += 1);
            all.insert(followed);
        }
        // 312 each are expected of 2,500, with a standard deviation of 17.
        assert!(all.len() == 20 && by_round.iter().all(|count| (200..450).contains(count)), "{by_round:?}");
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

    #[test]
    fn of_each_entry_one_page_is_followed_and_no_two_neighbours_share_one() {
        for (pages, entries) in [(8, 8), (8, 3), (1_000, 125), (1_001, 125), (1_000, 1)] {
            let ledger = of_pages(pages, entries, 7);
            let followed = followed(&ledger);
            assert_eq!((followed.len() as u64, ledger.pages_followed()), (entries, entries));
            let places: std::collections::BTreeSet<u64> =
                followed.iter().map(|number| number % entries).collect();
            assert_eq!(places.len() as u64, entries);
            // As many pages behind one another as there are entries can be written at once.
            assert!(ledger.claim(0, START + PAGE, entries.min(pages - 1) * PAGE).is_some());
        }
        assert_eq!(followed(&ledger()), (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn a_write_beside_the_page_that_is_followed_leaves_what_is_known_of_it() {
        // Two pages for each of four entries.
        let ledger = of_pages(8, 4, 3);
        let (known, other) = (followed(&ledger)[0], (followed(&ledger)[0] + 4) % 8);
        let at = |number: u64| START + number * PAGE;
        let entry = |number| ledger.look(0, at(number), PAGE).next().unwrap();
        assert!(!entry(other).is_followed() && entry(other).holds_some_write());
        assert_eq!((entry(known).generation(), entry(other).generation()), (Some(0), None));
        ledger.claim(0, at(known), PAGE).unwrap();
        // Somebody writes beside it.
        assert!(!entry(other).holds_some_write() && ledger.claim(0, at(other), PAGE).is_none());
        ledger.settle(0, at(known), PAGE, Some(5));
        ledger.claim(0, at(other), PAGE).unwrap();
        assert!(entry(known).is_busy());
        ledger.settle(0, at(other), PAGE, Some(6));
        assert_eq!((entry(known).generation(), entry(other).holds_some_write()), (Some(5), true));
        ledger.claim(0, at(other), PAGE).unwrap();
        ledger.release(0, at(other), PAGE);
        assert_eq!((entry(known).generation(), entry(other).holds_some_write()), (Some(5), true));
        // A write of it that failed is none of the page that is followed.
        ledger.claim(0, at(other), PAGE).unwrap();
        ledger.settle(0, at(other), PAGE, None);
        assert_eq!((entry(known).generation(), entry(other).holds_some_write()), (Some(5), false));
        ledger.claim(0, at(known), PAGE).unwrap();
        ledger.settle(0, at(known), PAGE, Some(7));
        assert_eq!((entry(known).generation(), entry(other).holds_some_write()), (Some(7), false));
        assert_eq!(ledger.unknown(), 0);
        ledger.forget(0, at(known), entry(known));
        assert_eq!((entry(known).generation(), ledger.unknown()), (None, 1));
    }

    #[test]
    fn a_fault_of_a_page_that_is_not_followed_is_told_once() {
        let ledger = of_pages(8, 4, 3);
        let other = (followed(&ledger)[0] + 4) % 8;
        let entry = || ledger.look(0, START + other * PAGE, PAGE).next().unwrap();
        ledger.forget(0, START + other * PAGE, entry());
        assert!(!entry().holds_some_write());
        assert_eq!(ledger.unknown(), 0);
    }

    #[test]
    fn lost_pages_are_missed_as_often_as_the_formula_says() {
        const RUNS: u64 = 4_000;
        for (pages, entries) in [(4_096, 512), (4_096, 2_048), (4_095, 256)] {
            for lost in [1, 3, 8] {
                let missed = (0..RUNS).filter(|run| {
                    let ledger = of_pages(pages, entries, mix(*run));
                    let page = |one: u64| mix(run * 1_000 + one + 1) % pages;
                    let mut pages = (0..lost).map(|one| ledger.areas[0].page_numbered(page(one)).1);
                    !pages.any(|is_followed| is_followed)
                });
                let share = missed.count() as f64 / RUNS as f64;
                let verification =
                    Verification { pages, pages_followed: Some(entries), ..Verification::default() };
                let expected = verification.chance_to_miss(lost);
                // Four standard deviations.
                let error = 4.0 * (expected * (1.0 - expected) / RUNS as f64).sqrt();
                assert!((share - expected).abs() < error, "{pages} {entries} {lost}: {share}, {expected}");
            }
        }
        assert_eq!(Verification { pages: 10, ..Verification::default() }.chance_to_miss(1), 0.0);
    }
}
