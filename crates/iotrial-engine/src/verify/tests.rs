//! Every kind of fault, put into a real file below a queue, is found as itself; an honest file is never accused.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use iotrial_measure::clock::{Clock as _, MonotonicClock};
use iotrial_measure::random::{Random, RandomStream};
use iotrial_measure::recorder::Outcome;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::verification::{FaultKind, KeptCapacity, Verification};

use super::*;
use crate::queue::{Completion, Handing, IoQueue, OpenArea, Request};
use crate::targets::{NO_FLAGS, Prepared};
use crate::test_plan::{laid_out_verified, laid_out_verified_in_part, laid_out_verified_with_large_blocks};
use crate::threads::ThreadsQueue;

const PAGE: u64 = LENGTH as u64;
const LENGTH: u32 = 8192;
const BYTES: usize = LENGTH as usize;
/// Pages that the load works on; those behind them are only written to by mistake.
const LOADED: u64 = 768;
const PAGES: u64 = 896;
const SLOTS: u32 = 8;
const EACH: u64 = 20;

/// A queue that does something else than it says with some of its I/Os, by the number of a page.
struct FaultyQueue<Q> {
    inner: Q,
    area: Arc<[OpenArea]>,
    kind: Option<FaultKind>,
    /// Pages that are done, each of which has one fault.
    spoilt: HashSet<u64>,
    /// By slot, what is done when its I/O is through: bytes that are put there, or another outcome.
    after: BTreeMap<u32, After>,
    strangers: u64,
}

enum After {
    Put(u64, Vec<u8>),
    Say(Outcome),
}

impl<Q> FaultyQueue<Q> {
    fn at(&self, offset: u64) -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        os::read_exact_at(&self.area[0].file, &mut bytes, offset).unwrap();
        bytes
    }

    fn put(&self, bytes: &[u8], offset: u64) {
        os::write_all_at(&self.area[0].file, bytes, offset).unwrap();
    }

    /// A page as a write would make it.
    fn written(&self, offset: u64, generation: u64) -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        self.area[0].content.fill(&mut bytes, offset, generation);
        bytes
    }

    /// Spoils an I/O; it may become another one.
    fn spoil(&mut self, request: Request) -> Request {
        let Request { slot, offset, direction, generation, length, .. } = request;
        let start = FIRST_BYTE;
        let page = (offset - start) / PAGE;
        // Every third page, so that most of them are honest, and in the order in which they come.
        let is_read = direction == Direction::Read;
        let Some(kind) = self.kind else { return request };
        let wants_read = matches!(
            kind,
            FaultKind::StaleRead
                | FaultKind::ReadWithoutTransfer
                | FaultKind::TransferError
                | FaultKind::ReadError
        );
        if is_read != wants_read
            || self.spoilt.len() as u64 == EACH
            || !page.is_multiple_of(3)
            || !self.spoilt.insert(page)
        {
            return request;
        }
        let before = self.at(offset);
        let written = self.written(offset, generation);
        let never = Request { direction: Direction::Read, durability: Durability::None, ..request };
        match kind {
            FaultKind::LostWrite => return never,
            FaultKind::TornWrite => {
                self.put(&written[..4096], offset);
                return never;
            }
            FaultKind::MisdirectedWrite => {
                self.strangers += 1;
                self.put(&written, start + (LOADED + 3 * self.strangers) * PAGE);
                return never;
            }
            FaultKind::BitFlip => {
                let mut flipped = written;
                flipped[1234] ^= 4;
                self.after.insert(slot, After::Put(offset, flipped));
            }
            FaultKind::DamagedPage => {
                self.after.insert(slot, After::Put(offset, vec![0; BYTES]));
            }
            FaultKind::ForeignData => {
                let mut foreign = vec![0; BYTES];
                Content::stamped(99, 0, start).fill(&mut foreign, offset, generation);
                self.after.insert(slot, After::Put(offset, foreign));
            }
            FaultKind::WriteError => {
                self.after.insert(slot, After::Say(Outcome::Error(5)));
                return never;
            }
            FaultKind::ShortIo => {
                self.after.insert(slot, After::Say(Outcome::Bytes(length / 2)));
            }
            FaultKind::NoSpace => {
                self.after.insert(slot, After::Say(Outcome::Error(os::NO_SPACE[0])));
                return never;
            }
            FaultKind::DeviceGone => {
                self.after.insert(slot, After::Say(Outcome::Error(os::GONE[0])));
                return never;
            }
            FaultKind::ReadError => {
                self.after.insert(slot, After::Say(Outcome::Error(5)));
            }
            FaultKind::FutureWrite | FaultKind::MissingCapacity | FaultKind::Hang => {
                unreachable!("it is no single write")
            }
            // What is read is put there for the time of the read.
            FaultKind::StaleRead => {
                self.put(&self.written(offset, u64::MAX >> 3), offset);
                self.after.insert(slot, After::Put(offset, before));
            }
            FaultKind::TransferError => {
                self.put(&vec![0xee; BYTES], offset);
                self.after.insert(slot, After::Put(offset, before));
            }
            FaultKind::ReadWithoutTransfer => {
                let mut untouched = before.clone();
                self.area[0].content.poison(&mut untouched, offset);
                self.put(&untouched, offset);
                self.after.insert(slot, After::Put(offset, before));
            }
        }
        request
    }
}

impl<Q: IoQueue> IoQueue for FaultyQueue<Q> {
    fn submit(&mut self, requests: &[Request], handing: Handing) -> io::Result<()> {
        let requests: Vec<Request> = requests.iter().map(|request| self.spoil(*request)).collect();
        self.inner.submit(&requests, handing)
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        let before = completions.len();
        self.inner.reap(completions, wait_until_ns)?;
        for completion in &mut completions[before..] {
            match self.after.remove(&completion.slot) {
                Some(After::Put(offset, bytes)) => self.put(&bytes, offset),
                Some(After::Say(outcome)) => completion.outcome = outcome,
                None => {}
            }
        }
        Ok(())
    }

    fn buffer(&self, slot: u32) -> &[u8] {
        self.inner.buffer(slot)
    }
}

/// A queue of a device with `pages` pages, which says that it has more.
struct SmallDevice<Q> {
    inner: Q,
    area: Arc<[OpenArea]>,
    pages: u64,
    wraps: bool,
    /// By slot, where a write goes that is under way.
    writes: BTreeMap<u32, u64>,
}

impl<Q> SmallDevice<Q> {
    /// Has the file hold what such a device would, of a page that was just written.
    fn settle(&self, page: u64) {
        let at = |page| FIRST_BYTE + page * PAGE;
        let file = &self.area[0].file;
        if self.wraps {
            let mut bytes = vec![0; BYTES];
            os::read_exact_at(file, &mut bytes, at(page)).unwrap();
            let others = (page % self.pages..PAGES).step_by(usize::try_from(self.pages).unwrap());
            others.for_each(|other| os::write_all_at(file, &bytes, at(other)).unwrap());
        } else if page >= self.pages {
            os::write_all_at(file, &vec![0; BYTES], at(page)).unwrap();
        }
    }
}

impl<Q: IoQueue> IoQueue for SmallDevice<Q> {
    fn submit(&mut self, requests: &[Request], handing: Handing) -> io::Result<()> {
        for request in requests.iter().filter(|request| request.direction == Direction::Write) {
            self.writes.insert(request.slot, (request.offset - FIRST_BYTE) / PAGE);
        }
        self.inner.submit(requests, handing)
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        let before = completions.len();
        self.inner.reap(completions, wait_until_ns)?;
        for completion in &completions[before..] {
            if let Some(page) = self.writes.remove(&completion.slot) {
                self.settle(page);
            }
        }
        Ok(())
    }

    fn buffer(&self, slot: u32) -> &[u8] {
        self.inner.buffer(slot)
    }
}

#[test]
fn a_device_that_keeps_less_than_it_takes_is_named_with_what_it_keeps() {
    for (pages, wraps) in [(224, true), (600, true), (224, false), (600, false)] {
        let place = tempfile::tempdir().unwrap();
        let (prepared, verifier) = laid_out_verified(place.path());
        let clock = MonotonicClock::before_start();
        clock.start();
        let area: Arc<[OpenArea]> = prepared.areas.open(NO_FLAGS).unwrap();
        let inner = threads_queue(&area, &clock);
        let small = SmallDevice { inner, area, pages, wraps, writes: BTreeMap::new() };
        (0..PAGES).for_each(|page| small.settle(page));
        let mut queue = VerifyingQueue::new(small, clock.clone(), Arc::clone(&verifier));
        load(&mut queue, &clock, 1, 2_000);
        assert_eq!(verifier.scan(&|_, _| (), &|| false), ScanEnd::Complete);
        // Of a scan that did not come to its end, nothing is said.
        assert_eq!(verifier.verification(false, &[]).capacities, []);
        for _ in 0..2 {
            let verification = verifier.verification(true, &[]);
            let kinds: Vec<FaultKind> = verification.counts.keys().copied().collect();
            assert_eq!(kinds, [FaultKind::MissingCapacity], "{pages} {wraps}");
            let [KeptCapacity { written_bytes, kept_bytes, .. }] = &verification.capacities[..] else {
                panic!("{pages} {wraps}: {:?}", verification.capacities)
            };
            // Addresses begin again where the device is full; an end is counted from the start of the file.
            let kept = pages * PAGE + if wraps { 0 } else { FIRST_BYTE };
            assert_eq!((*written_bytes, *kept_bytes), (FIRST_BYTE + PAGES * PAGE, kept));
        }
    }
}

mod repeated;

/// Where the data of a managed file begins.
const FIRST_BYTE: u64 = 1 << 20;

/// Random reads and writes of pages through a queue that verifies.
fn load<Q: IoQueue>(
    queue: &mut VerifyingQueue<Q, MonotonicClock>,
    clock: &MonotonicClock,
    seed: u32,
    io_count: u64,
) {
    let mut random = Random::new(7, RandomStream::Copy(seed));
    let mut generation = u64::from(seed) << 40;
    let mut next = |slot| {
        let is_write = random.below(2) == 0;
        generation += u64::from(is_write);
        let (direction, generation) =
            if is_write { (Direction::Write, generation) } else { (Direction::Read, 0) };
        let offset = FIRST_BYTE + random.below(LOADED) * PAGE;
        Request { slot, area: 0, offset, length: LENGTH, direction, durability: Durability::None, generation }
    };
    let first: Vec<Request> = (0..SLOTS).map(&mut next).collect();
    queue.submit(&first, Handing::WithReap).unwrap();
    let (mut begun, mut done) = (u64::from(SLOTS), 0);
    let mut completions = Vec::new();
    while done < io_count {
        queue.reap(&mut completions, clock.now_ns() + 50_000_000).unwrap();
        for completion in std::mem::take(&mut completions) {
            done += 1;
            if begun < io_count {
                begun += 1;
                queue.submit(&[next(completion.slot)], Handing::AtOnce).unwrap();
            }
        }
    }
}

fn threads_queue(areas: &Arc<[OpenArea]>, clock: &MonotonicClock) -> ThreadsQueue<MonotonicClock> {
    let lengths = [LENGTH; SLOTS as usize];
    ThreadsQueue::new(clock.clone(), areas, &lengths, &mut Random::new(1, RandomStream::Buffers(0))).unwrap()
}

fn verified_with(kind: Option<FaultKind>) -> (Verification, u64) {
    let place = tempfile::tempdir().unwrap();
    let (prepared, verifier) = laid_out_verified(place.path());
    let (verification, spoilt) = loaded_with(kind, &prepared, &verifier);
    (verification, spoilt.len() as u64)
}

/// What is found of a load with such faults, and the pages that had one.
fn loaded_with(
    kind: Option<FaultKind>,
    prepared: &Prepared,
    verifier: &Arc<Verifier>,
) -> (Verification, HashSet<u64>) {
    let clock = MonotonicClock::before_start();
    clock.start();
    let area: Arc<[OpenArea]> = prepared.areas.open(NO_FLAGS).unwrap();
    let faulty = FaultyQueue {
        inner: threads_queue(&area, &clock),
        area,
        kind,
        spoilt: HashSet::new(),
        after: BTreeMap::new(),
        strangers: 0,
    };
    let mut queue = VerifyingQueue::new(faulty, clock.clone(), Arc::clone(verifier));
    load(&mut queue, &clock, 1, 4_000);
    let spoilt = queue.inner().spoilt.clone();
    assert_eq!(verifier.scan(&|_, _| (), &|| false), ScanEnd::Complete);
    (verifier.verification(true, &[]), spoilt)
}

/// Those of one write or read.
// The map knows each write; what was written behind a journal is tried in `crash`. How much a device keeps is tried below.
fn single_faults() -> impl Iterator<Item = FaultKind> {
    let is_single = |kind: &FaultKind| {
        !matches!(kind, FaultKind::FutureWrite | FaultKind::MissingCapacity | FaultKind::Hang)
    };
    FaultKind::ALL.iter().copied().filter(is_single)
}

#[test]
fn each_kind_of_fault_is_found_as_itself_twenty_of_twenty_times() {
    for kind in single_faults() {
        let (verification, injected) = verified_with(Some(kind));
        assert_eq!(injected, EACH, "{kind:?}");
        // A write that went astray is told at both of its ends.
        let told = if kind == FaultKind::MisdirectedWrite { 2 * EACH } else { EACH };
        assert_eq!(verification.counts, BTreeMap::from([(kind, told)]), "{kind:?}");
        let both_ends = verification.faults.iter().filter(|fault| fault.other_place.is_some()).count() as u64;
        assert_eq!(verification.capacities, []);
        assert_eq!(both_ends, if kind == FaultKind::MisdirectedWrite { told } else { 0 }, "{kind:?}");
        if kind == FaultKind::TornWrite {
            for fault in &verification.faults {
                assert_eq!(fault.first_bad_byte, Some(fault.offset_bytes + 4096), "{fault:?}");
            }
        }
    }
}

#[test]
fn an_honest_file_is_not_accused_and_every_page_is_looked_at() {
    let (verification, _) = verified_with(None);
    assert_eq!((verification.fault_count(), verification.pages_unknown), (0, 0));
    assert_eq!((verification.pages, verification.pages_scanned), (PAGES, PAGES));
    // Each read, but those beside a write, and each write, which is read first.
    assert_eq!(verification.pages_checked + verification.pages_overlapped, 4_000);
    assert!(verification.writes > 1_800 && verification.pages_checked > 3_900, "{verification:?}");
}

#[test]
fn where_not_all_pages_are_followed_faults_are_found_as_themselves_and_nobody_is_accused_without_one() {
    use FaultKind::*;
    for kind in single_faults() {
        let place = tempfile::tempdir().unwrap();
        let (prepared, verifier) = laid_out_verified_in_part(place.path());
        let (verification, spoilt) = loaded_with(Some(kind), &prepared, &verifier);
        assert_eq!(spoilt.len() as u64, EACH);
        let entry = |page: &u64| verifier.ledger.look(0, FIRST_BYTE + page * PAGE, PAGE).next().unwrap();
        let followed = spoilt.iter().filter(|page| entry(page).is_followed()).count() as u64;
        // Behind a fault of a page that is not followed, the others of its entry are passed over.
        let entries: HashSet<u64> = spoilt.iter().map(|page| page % (PAGES / 8)).collect();
        let found = verification.counts.get(&kind).copied().unwrap_or_default();
        let is_found = match kind {
            // It may hold any of its writes.
            LostWrite => found == followed,
            // Of a read while another page of the entry is written, nothing is said.
            StaleRead => found <= followed,
            ReadWithoutTransfer => (1..=EACH).contains(&found),
            // The same, and what is right when it is read again may have been written meanwhile.
            TransferError => (1..=EACH).contains(&found),
            TornWrite | BitFlip | DamagedPage | ForeignData => (entries.len() as u64..=EACH).contains(&found),
            // Each where it lies, and those that are followed where they are missing.
            MisdirectedWrite => found == EACH + followed,
            _ => found == EACH,
        };
        assert!(is_found, "{kind}: {found}, {followed} of {EACH} followed: {:?}", verification.counts);
        let others: Vec<_> = verification.counts.keys().filter(|found| **found != kind).collect();
        assert!(others.is_empty(), "{kind}: {others:?}");
    }
    let place = tempfile::tempdir().unwrap();
    let (prepared, verifier) = laid_out_verified_in_part(place.path());
    let (verification, _) = loaded_with(None, &prepared, &verifier);
    assert_eq!((verification.fault_count(), verification.pages_scanned), (0, PAGES));
    assert_eq!((verification.pages_followed, verification.map_bytes), (Some(PAGES / 8), PAGES));
}

#[test]
fn threads_that_write_the_same_pages_do_not_accuse_each_other() {
    for laid_out in [laid_out_verified, laid_out_verified_in_part] {
        threads_do_not_accuse_each_other(laid_out);
    }
}

fn threads_do_not_accuse_each_other(laid_out: fn(&Path) -> (Prepared, Arc<Verifier>)) {
    let place = tempfile::tempdir().unwrap();
    let (prepared, verifier) = laid_out(place.path());
    let clock = MonotonicClock::before_start();
    clock.start();
    let area: Arc<[OpenArea]> = prepared.areas.open(NO_FLAGS).unwrap();
    std::thread::scope(|scope| {
        for seed in 1..=3 {
            let (area, clock, verifier) = (&area, clock.clone(), &verifier);
            scope.spawn(move || {
                let inner = threads_queue(area, &clock);
                let mut queue = VerifyingQueue::new(inner, clock.clone(), Arc::clone(verifier));
                load(&mut queue, &clock, seed, 3_000);
            });
        }
    });
    assert_eq!(verifier.scan(&|_, _| (), &|| false), ScanEnd::Complete);
    let verification = verifier.verification(true, &[]);
    assert_eq!((verification.fault_count(), verification.pages_scanned), (0, PAGES));
    assert!(verification.writes > 4_000, "{verification:?}");
}

/// Does one I/O of some pages, from the first of them.
fn done<Q: IoQueue>(
    queue: &mut VerifyingQueue<Q, MonotonicClock>,
    clock: &MonotonicClock,
    pages: std::ops::Range<u64>,
    generation: u64,
) {
    let direction = if generation == 0 { Direction::Read } else { Direction::Write };
    let length = LENGTH * u32::try_from(pages.end - pages.start).unwrap();
    let (offset, durability) = (FIRST_BYTE + pages.start * PAGE, Durability::None);
    queue
        .submit(
            &[Request { slot: 0, area: 0, offset, length, direction, durability, generation }],
            Handing::WithReap,
        )
        .unwrap();
    let mut completions = Vec::new();
    while completions.is_empty() {
        queue.reap(&mut completions, clock.now_ns() + 1_000_000_000).unwrap();
    }
}

#[test]
fn a_write_that_ends_between_two_of_its_pages_is_torn_and_one_that_is_missing_whole_is_lost() {
    // A write of pages 8 to 11: which of its bytes from the start never came, what is written behind it, and what each page is called.
    let torn = |count| BTreeMap::from([(FaultKind::TornWrite, count)]);
    let lost = |count| BTreeMap::from([(FaultKind::LostWrite, count)]);
    let cases = [
        (2 * BYTES..4 * BYTES, None, torn(2)),
        (0..BYTES, None, torn(1)),
        (BYTES + 512..4 * BYTES, None, torn(3)),
        (0..4 * BYTES, None, lost(4)),
        // Nothing is left that shows what became of the first pages.
        (2 * BYTES..4 * BYTES, Some(8..10), lost(2)),
        (2 * BYTES..4 * BYTES, Some(8..9), torn(2)),
    ];
    for (missing, behind, counts) in cases {
        // Page by page as the load reads, all at once, before they are overwritten, and after the load.
        for look in 0..4 {
            let place = tempfile::tempdir().unwrap();
            let (prepared, verifier) = laid_out_verified_with_large_blocks(place.path());
            let clock = MonotonicClock::before_start();
            clock.start();
            let area: Arc<[OpenArea]> = prepared.areas.open(NO_FLAGS).unwrap();
            let lengths = [4 * LENGTH];
            let mut random = Random::new(1, RandomStream::Buffers(0));
            let inner = ThreadsQueue::new(clock.clone(), &area, &lengths, &mut random).unwrap();
            let mut queue = VerifyingQueue::new(inner, clock.clone(), Arc::clone(&verifier));
            let start = FIRST_BYTE + 8 * PAGE;
            let mut before = vec![0; 4 * BYTES];
            os::read_exact_at(&area[0].file, &mut before, start).unwrap();
            done(&mut queue, &clock, 8..12, 7);
            let from = start + missing.start as u64;
            os::write_all_at(&area[0].file, &before[missing.clone()], from).unwrap();
            if let Some(pages) = behind.clone() {
                done(&mut queue, &clock, pages, 9);
            }
            match look {
                0 => (8..12).rev().for_each(|page| done(&mut queue, &clock, page..page + 1, 0)),
                1 => done(&mut queue, &clock, 8..12, 0),
                2 => done(&mut queue, &clock, 8..12, 11),
                _ => {}
            }
            assert_eq!(verifier.scan(&|_, _| (), &|| false), ScanEnd::Complete);
            assert_eq!(verifier.verification(true, &[]).counts, counts, "{missing:?} {behind:?} {look}");
        }
    }
}

#[test]
fn a_buffer_shows_where_a_read_put_nothing() {
    let place = tempfile::tempdir().unwrap();
    let (prepared, _) = laid_out_verified(place.path());
    let clock = MonotonicClock::before_start();
    clock.start();
    let area: Arc<[OpenArea]> = prepared.areas.open(NO_FLAGS).unwrap();
    let mut queue = threads_queue(&area, &clock);
    // Behind the end of the file, where a read succeeds and brings nothing.
    let offset = FIRST_BYTE + PAGES * PAGE;
    let request = Request {
        slot: 0,
        area: 0,
        offset,
        length: LENGTH,
        direction: Direction::Read,
        durability: Durability::None,
        generation: 0,
    };
    queue.submit(&[request], Handing::WithReap).unwrap();
    let mut completions = Vec::new();
    while completions.is_empty() {
        queue.reap(&mut completions, clock.now_ns() + 1_000_000_000).unwrap();
    }
    assert_eq!(completions[0].outcome, Outcome::Bytes(0));
    let expected = Expected { stamp: area[0].content.stamp_of(offset, 0).unwrap() };
    let flaw = judge::flaw(&queue.buffer(0)[..BYTES], expected).unwrap();
    assert_eq!((flaw.kind, flaw.bad_sectors), (FaultKind::ReadWithoutTransfer, 16));
}

/// A queue that keeps what is done to itself while it is told to.
struct Holding<Q> {
    inner: Q,
    holds: Arc<AtomicBool>,
    done: Vec<Completion>,
}

impl<Q: IoQueue> IoQueue for Holding<Q> {
    fn submit(&mut self, requests: &[Request], handing: Handing) -> io::Result<()> {
        self.inner.submit(requests, handing)
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        self.inner.reap(&mut self.done, wait_until_ns)?;
        if !self.holds.load(Ordering::Relaxed) {
            completions.append(&mut self.done);
        }
        Ok(())
    }

    fn buffer(&self, slot: u32) -> &[u8] {
        self.inner.buffer(slot)
    }
}

#[test]
fn an_io_that_comes_back_after_its_deadline_hung_and_one_that_does_not_is_given_up() {
    // So long after the beginning, and whether it comes back then; with what is called a hang.
    let cases = [(14, true, 0), (15, true, 1), (119, true, 1), (119, false, 0), (120, false, 1)];
    for (seconds, comes_back, hangs) in cases {
        for generation in [0, 7] {
            let place = tempfile::tempdir().unwrap();
            let (prepared, verifier) = laid_out_verified(place.path());
            let clock = MonotonicClock::before_start();
            clock.start();
            let area: Arc<[OpenArea]> = prepared.areas.open(NO_FLAGS).unwrap();
            let holds = Arc::new(AtomicBool::new(true));
            let inner = threads_queue(&area, &clock);
            let holding = Holding { inner, holds: Arc::clone(&holds), done: Vec::new() };
            let mut queue = VerifyingQueue::new(holding, clock.clone(), Arc::clone(&verifier));
            let direction = if generation == 0 { Direction::Read } else { Direction::Write };
            let (offset, durability) = (FIRST_BYTE + 3 * PAGE, Durability::None);
            let request =
                Request { slot: 0, area: 0, offset, length: LENGTH, direction, durability, generation };
            queue.submit(&[request], Handing::WithReap).unwrap();
            (0..seconds).for_each(|_| verifier.tick(Duration::from_secs(1)));
            assert_eq!(verifier.is_stuck(), seconds == 120);
            if comes_back {
                holds.store(false, Ordering::Relaxed);
                let mut completions = Vec::new();
                while completions.is_empty() {
                    queue.reap(&mut completions, clock.now_ns() + 1_000_000_000).unwrap();
                }
            } else if verifier.is_stuck() {
                verifier.give_up();
            }
            assert_eq!(verifier.is_given_up(), seconds == 120);
            let found = verifier.verification(false, &[]);
            let expected =
                if hangs > 0 { BTreeMap::from([(FaultKind::Hang, hangs)]) } else { BTreeMap::new() };
            assert_eq!(found.counts, expected, "{seconds} {comes_back}");
            for fault in found.faults {
                assert_eq!(
                    (fault.offset_bytes, fault.under_way),
                    (offset, Some(Duration::from_secs(seconds)))
                );
            }
        }
    }
}

#[test]
fn a_scan_that_is_stopped_says_so() {
    let place = tempfile::tempdir().unwrap();
    let (_prepared, verifier) = laid_out_verified(place.path());
    assert_eq!(verifier.scan(&|_, _| (), &|| true), ScanEnd::Stopped);
}
