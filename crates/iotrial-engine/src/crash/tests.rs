//! What any honest storage may leave is never accused, and each kind of fault is found as itself: on images of a cut that are made of the
//! writer's own log.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use iotrial_measure::clock::MonotonicClock;
use iotrial_measure::control::Control;
use iotrial_measure::recorder::Outcome;
use iotrial_model::crash::{ArmEnd, CrashCheck, CutKind};
use iotrial_model::load::Durability;
use iotrial_model::plan::IO_DEADLINE;
use iotrial_model::split_mix::SplitMix64;
use iotrial_model::verification::FaultKind;

use super::check::{CheckCrashError, TargetToCheck, check_crash};
use super::journal::tests::armed;
use super::journal::{Entry, Journal, Lines};
use super::schedule::Schedule;
use super::write::{JournalSink, Writer};
use std::collections::BTreeMap;

use iotrial_model::crash::{InFlight, Tear};

use super::*;
use crate::content::{Content, SECTOR};
use crate::queue::{Completion, Handing, IoQueue, Request};
use crate::targets::os;

const PAGES: u64 = 23;
const BYTES: usize = 2048;
const PAGE: u64 = BYTES as u64;
const FIRST_BYTE: u64 = 4096;
const RUN: [u8; 16] = [7; 16];

/// What happened, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Event {
    /// Offset and number of a write.
    Write(u64, u64),
    Flush,
    Line(String),
}

type Log = Rc<RefCell<Vec<Event>>>;

/// A device that keeps a log of its writes, and completes them in any order.
struct LoggedQueue {
    log: Log,
    random: SplitMix64,
    under_way: Vec<(u32, u32)>,
    /// The write from which on all fail, with what they answer; without, none comes back.
    fails_from: Option<(u64, Option<Outcome>)>,
    writes: u64,
}

impl IoQueue for LoggedQueue {
    fn submit(&mut self, requests: &[Request], _: Handing) -> std::io::Result<()> {
        for request in requests {
            self.log.borrow_mut().push(Event::Write(request.offset, request.generation));
            self.under_way.push((request.slot, request.length));
        }
        Ok(())
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, _: u64) -> std::io::Result<()> {
        let fails = self.fails_from.filter(|(from, _)| self.writes >= *from).map(|(_, outcome)| outcome);
        if fails == Some(None) {
            return Ok(());
        }
        let (slot, length) = self.under_way.swap_remove(self.random.below(self.under_way.len()));
        self.writes += 1;
        let outcome = fails.flatten().unwrap_or(Outcome::Bytes(length));
        completions.push(Completion { slot, completed_at_ns: 0, outcome });
        Ok(())
    }
}

struct LoggedJournal(Log);

impl JournalSink for LoggedJournal {
    fn keep(&mut self, line: &str) -> std::io::Result<()> {
        self.0.borrow_mut().push(Event::Line(line.to_owned()));
        Ok(())
    }
}

fn small(key: u64) -> Armed {
    Armed { key, page_bytes: PAGE, first_byte: FIRST_BYTE, ..armed(PAGES) }
}

/// No flush fails.
const NEVER: (u64, Option<i32>) = (0, None);

/// What a writer does until it has flushed that often, and how it ended. `flush_fails` is the flush that fails, with the number of the error;
/// without, it does not come back.
fn written(
    key: u64,
    flush_count: u64,
    fails_from: Option<(u64, Option<Outcome>)>,
    flush_fails: (u64, Option<i32>),
) -> (Vec<Event>, iotrial_model::crash::ArmedRun) {
    let log = Log::default();
    let control = Control::default();
    let mut queue = LoggedQueue {
        log: Rc::clone(&log),
        random: SplitMix64::new(key),
        under_way: Vec::new(),
        fails_from,
        writes: 0,
    };
    let flushes = RefCell::new(0);
    let flush = || {
        *flushes.borrow_mut() += 1;
        let (fails_at, how_it_fails) = flush_fails;
        if *flushes.borrow() == fails_at {
            return how_it_fails.map(|number| Err(std::io::Error::from_raw_os_error(number)));
        }
        log.borrow_mut().push(Event::Flush);
        Some(Ok(Duration::from_micros(100)))
    };
    let armed = small(key);
    let clock = MonotonicClock::before_start();
    clock.start();
    let writer = Writer {
        armed: &armed,
        durability: Durability::None,
        clock,
        slots: 5,
        waits_at_most: Duration::from_secs(120),
        flush: Some(&flush),
    };
    let mut progress = |written: super::Written| {
        if written.flushes == flush_count {
            control.stop();
        }
    };
    let run = writer.write(&mut queue, &mut LoggedJournal(Rc::clone(&log)), &control, &mut progress).unwrap();
    (log.take(), run)
}

/// What storage holds, as numbers of writes by sector.
#[derive(Clone)]
struct Image {
    content: Content,
    bytes: Vec<u8>,
}

impl Image {
    fn filled() -> Self {
        let content = Content::stamped(u64::from_le_bytes([7; 8]), AREA, FIRST_BYTE);
        let mut bytes = vec![0; usize::try_from(FIRST_BYTE + PAGES * PAGE).unwrap()];
        content.fill(&mut bytes[4096..], FIRST_BYTE, 0);
        Self { content, bytes }
    }

    fn page(&self, offset: u64, generation: u64) -> Vec<u8> {
        let mut page = vec![0; BYTES];
        self.content.stamp(&mut page, offset, generation);
        page
    }

    fn at(&mut self, offset: u64) -> &mut [u8] {
        let offset = usize::try_from(offset).unwrap();
        &mut self.bytes[offset..offset + BYTES]
    }

    fn write(&mut self, offset: u64, generation: u64) {
        let page = self.page(offset, generation);
        self.at(offset).copy_from_slice(&page);
    }
}

/// A cut behind some of the events: what honest storage may hold then, and the journal.
fn cut(events: &[Event], at: usize, random: &mut SplitMix64) -> (Image, Vec<u8>) {
    let mut image = Image::filled();
    let mut unflushed = Vec::new();
    let mut journal = Vec::new();
    for event in &events[..at] {
        match event {
            Event::Write(offset, generation) => unflushed.push((*offset, *generation)),
            Event::Flush => {
                unflushed.drain(..).for_each(|(offset, generation)| image.write(offset, generation))
            }
            Event::Line(line) => journal.extend(line.as_bytes()),
        }
    }
    // In any order, each of them whole, not at all, or any of its sectors, one of which may be cut, too.
    while !unflushed.is_empty() {
        let (offset, generation) = unflushed.swap_remove(random.below(unflushed.len()));
        let new = image.page(offset, generation);
        let page = image.at(offset);
        match random.below(4) {
            0 => {}
            1 => page.copy_from_slice(&new),
            how => {
                for sector in (0..BYTES).step_by(SECTOR).filter(|_| random.below(2) == 0) {
                    page[sector..sector + SECTOR].copy_from_slice(&new[sector..sector + SECTOR]);
                }
                if how == 3 {
                    let sector = random.below(BYTES / SECTOR) * SECTOR;
                    let length = random.below(SECTOR);
                    page[sector..sector + length].copy_from_slice(&new[sector..sector + length]);
                }
            }
        }
    }
    if let Some(Event::Line(line)) = events.get(at) {
        journal.extend(&line.as_bytes()[..random.below(line.len() + 1)]);
    }
    (image, journal)
}

fn checked(target: &TargetToCheck, image: &Image, journal: &[u8]) -> CrashCheck {
    os::write_all_at(&target.file, &image.bytes, 0).unwrap();
    let journal = Journal::read(journal).unwrap();
    check_crash(target, &journal, RUN, CutKind::Power, IO_DEADLINE, &|_, _| (), &|| false).unwrap()
}

/// An empty file, of which nothing says whose it is.
fn unknown() -> TargetToCheck {
    TargetToCheck { file: tempfile::tempfile().unwrap(), is_known: false }
}

/// Behind the first entry, before which nothing is promised.
fn any_moment(events: &[Event], random: &mut SplitMix64) -> usize {
    1 + random.below(events.len())
}

#[test]
fn ten_thousand_honest_images_are_not_accused() {
    let file = unknown();
    let mut random = SplitMix64::new(1);
    let (mut in_flight, mut flushed, mut moments) = (InFlight::default(), 0, 0);
    for key in 0..50 {
        let (events, _) = written(key, 40, None, NEVER);
        for _ in 0..200 {
            let (image, journal) = cut(&events, any_moment(&events, &mut random), &mut random);
            let check = checked(&file, &image, &journal);
            assert_eq!(check.counts, BTreeMap::new(), "{check:?}");
            assert!(check.scan_complete && check.pages_checked == PAGES);
            let InFlight { writes, kept, missing, torn, kept_out_of_order, torn_sectors } = check.in_flight;
            assert_eq!(kept + missing + torn, writes);
            assert_eq!(check.tears.len() as u64, torn);
            in_flight.kept += kept;
            in_flight.missing += missing;
            in_flight.torn += torn;
            in_flight.kept_out_of_order += kept_out_of_order;
            in_flight.torn_sectors += torn_sectors;
            flushed = flushed.max(check.flushed_writes);
            moments += 1;
        }
    }
    assert_eq!(moments, 10_000);
    // Of each kind there were many, several epochs deep.
    let InFlight { kept, missing, torn, kept_out_of_order, torn_sectors, .. } = in_flight;
    assert!(kept.min(missing).min(torn).min(kept_out_of_order).min(torn_sectors) > 1_000, "{in_flight:?}");
    assert!(flushed > 5 * PAGES, "{flushed}");
}

#[test]
fn what_became_of_each_write_under_way_is_counted_in_their_order() {
    let file = unknown();
    let mut random = SplitMix64::new(6);
    let mut tried = 0;
    for key in 0..20 {
        let (events, _) = written(key, 40, None, NEVER);
        // Behind the last entry that lets writes begin, none of which is on the media yet.
        let last = events.iter().rposition(|event| matches!(event, Event::Flush)).unwrap();
        let (mut image, text) = cut(&events, last + 2, &mut random);
        let journal = Journal::read(text.as_slice()).unwrap();
        let writes = journal.issued - journal.durable;
        if writes < 5 {
            continue;
        }
        tried += 1;
        let schedule = Schedule { key, pages: PAGES, flush_every: 16 };
        let offset = |nth: u64| FIRST_BYTE + schedule.page_of(journal.durable + nth) * PAGE;
        // Kept, missing, kept, torn, kept, and the others missing.
        for nth in [0, 2, 4] {
            image.write(offset(nth), journal.durable + nth);
        }
        let new = image.page(offset(3), journal.durable + 3);
        image.at(offset(3))[2 * SECTOR..].copy_from_slice(&new[2 * SECTOR..]);
        os::write_all_at(&file.file, &image.bytes, 0).unwrap();
        let check =
            check_crash(&file, &journal, RUN, CutKind::Power, IO_DEADLINE, &|_, _| (), &|| false).unwrap();
        let expected =
            InFlight { writes, kept: 3, missing: writes - 4, torn: 1, kept_out_of_order: 2, torn_sectors: 0 };
        assert_eq!((check.in_flight, check.counts), (expected, BTreeMap::new()));
        let tear = Tear {
            offset_bytes: offset(3),
            new_sectors: (BYTES / SECTOR) as u64 - 2,
            torn_at_byte: offset(3) + 2 * SECTOR as u64,
        };
        assert_eq!(check.tears, [tear]);
    }
    assert!(tried > 5, "{tried}");
}

#[test]
fn each_kind_of_fault_is_found_as_itself_twenty_of_twenty_times() {
    let file = unknown();
    let mut random = SplitMix64::new(2);
    let kinds = [
        FaultKind::LostWrite,
        FaultKind::TornWrite,
        FaultKind::MisdirectedWrite,
        FaultKind::BitFlip,
        FaultKind::DamagedPage,
        FaultKind::ForeignData,
        FaultKind::FutureWrite,
    ];
    for kind in kinds {
        for key in 0..20 {
            let (events, _) = written(key, 40, None, NEVER);
            // Late enough that every page was written since it was filled.
            let at = events.len() - 1 - random.below(events.len() / 4);
            let (mut image, text) = cut(&events, at, &mut random);
            let journal = Journal::read(text.as_slice()).unwrap();
            let schedule = Schedule { key, pages: PAGES, flush_every: 16 };
            let page = random.next_u64() % PAGES;
            let offset = FIRST_BYTE + page * PAGE;
            let flushed = schedule.last_below(page, journal.durable);
            let earlier = schedule.last_below(page, flushed);
            assert!(flushed >= PAGES && earlier < flushed);
            let mut ends = 1;
            match kind {
                FaultKind::LostWrite => image.write(offset, earlier),
                FaultKind::TornWrite => {
                    image.write(offset, flushed);
                    let old = image.page(offset, earlier);
                    let sector = random.below(BYTES / SECTOR) * SECTOR;
                    image.at(offset)[sector..sector + SECTOR].copy_from_slice(&old[sector..sector + SECTOR]);
                }
                FaultKind::MisdirectedWrite => {
                    let went = FIRST_BYTE + (page + 1) % PAGES * PAGE;
                    let strayed = image.page(offset, flushed);
                    image.at(went).copy_from_slice(&strayed);
                    image.write(offset, earlier);
                    ends = 2;
                }
                FaultKind::BitFlip => {
                    let (byte, bit) = (random.below(BYTES), random.below(8));
                    image.write(offset, flushed);
                    image.at(offset)[byte] ^= 1 << bit;
                }
                FaultKind::DamagedPage => image.at(offset)[SECTOR..].fill(0),
                FaultKind::ForeignData => {
                    Content::stamped(99, AREA, FIRST_BYTE).fill(image.at(offset), offset, flushed);
                }
                _ => {
                    let mut later = journal.issued;
                    while schedule.page_of(later) != page {
                        later += 1;
                    }
                    image.write(offset, later);
                }
            }
            let check = checked(&file, &image, &text);
            assert_eq!(check.counts, BTreeMap::from([(kind, ends)]), "{check:?}");
            let fault = check.faults.iter().find(|fault| fault.offset_bytes == offset).unwrap();
            assert_eq!((fault.kind, fault.good_rereads), (kind, Some(0)), "{fault:?}");
            assert_eq!(fault.other_place.is_some(), kind == FaultKind::MisdirectedWrite, "{fault:?}");
        }
    }
}

#[test]
fn a_device_that_lies_about_flushes_is_found_out() {
    let file = unknown();
    let mut random = SplitMix64::new(3);
    for key in 0..20 {
        let (events, _) = written(key, 40, None, NEVER);
        let (_, journal) = cut(&events, events.len() - 1, &mut random);
        // Half of what it has was never written to the media.
        let writes: Vec<&Event> = events.iter().filter(|event| matches!(event, Event::Write(..))).collect();
        let mut image = Image::filled();
        for event in &writes[..writes.len() / 2] {
            let Event::Write(offset, generation) = event else { unreachable!("they are writes") };
            image.write(*offset, *generation);
        }
        let check = checked(&file, &image, &journal);
        let lost = check.counts[&FaultKind::LostWrite];
        assert!(check.counts.len() == 1 && lost > PAGES / 2, "{check:?}");
    }
}

#[test]
fn nothing_is_begun_before_the_journal_knows_that_it_may_be() {
    for key in 0..20 {
        let (events, run) = written(key, 40, None, NEVER);
        assert_eq!((run.ended, run.flushes, run.os_error), (ArmEnd::Stopped, 40, None));
        let (mut lines, mut durable, mut issued) = (Lines::default(), 0, 0);
        let (mut unflushed, mut flushed) = (Vec::new(), Vec::new());
        for event in &events {
            match event {
                Event::Write(offset, generation) => {
                    let schedule = Schedule { key, pages: PAGES, flush_every: 16 };
                    assert!((durable..issued).contains(generation), "{generation}");
                    assert_eq!(*offset, FIRST_BYTE + schedule.page_of(*generation) * PAGE);
                    unflushed.push(*generation);
                }
                Event::Flush => flushed.append(&mut unflushed),
                Event::Line(line) => match lines.entry(line.trim_end()).unwrap() {
                    Entry::Flushed { durable: below, issued: end, .. } => {
                        (durable, issued) = (below, end);
                        // All of them, once each, and nothing that is not flushed.
                        let mut all = flushed.clone();
                        all.sort_unstable();
                        assert!(all.into_iter().eq(PAGES..below) && unflushed.is_empty());
                    }
                    Entry::Begin(_) => {}
                    Entry::End { durable: below, how } => {
                        assert_eq!((below, how), (durable, ArmEnd::Stopped))
                    }
                },
            }
        }
        assert_eq!(durable - PAGES, run.flushed_writes);
    }
}

#[test]
fn after_a_write_or_a_flush_that_fails_nothing_is_written_or_promised_any_more() {
    let ended = |events: &[Event]| {
        let text: String = events
            .iter()
            .filter_map(|event| match event {
                Event::Line(line) => Some(line.as_str()),
                _ => None,
            })
            .collect();
        Journal::read(text.as_bytes()).unwrap()
    };
    let (honest, _) = written(4, 40, None, NEVER);
    for (fails, number) in [(Outcome::Error(5), Some(5)), (Outcome::Bytes(512), None)] {
        let (events, run) = written(4, 40, Some((30, Some(fails))), NEVER);
        assert_eq!((run.ended, run.os_error), (ArmEnd::WriteFailed, number));
        let journal = ended(&events);
        assert_eq!((journal.ended, journal.durable - PAGES), (Some(ArmEnd::WriteFailed), run.flushed_writes));
        assert!(run.flushed_writes <= 30 && journal.issued > journal.durable);
        let writes = events.iter().filter(|event| matches!(event, Event::Write(..))).count();
        assert!(writes <= 30 + 5, "{writes}");
        // Whatever is there of the last batch is allowed.
        let file = unknown();
        for seed in 0..50 {
            let mut random = SplitMix64::new(seed);
            let (image, text) = cut(&events, events.len(), &mut random);
            assert_eq!(checked(&file, &image, &text).counts, BTreeMap::new());
        }
    }
    let (events, run) = written(4, 40, None, (7, Some(5)));
    assert_eq!((run.ended, run.os_error, run.flushes), (ArmEnd::FlushFailed, Some(5), 6));
    assert_eq!(ended(&events).ended, Some(ArmEnd::FlushFailed));
    // The flush was asked for once: the last batch, and then the end.
    assert!(matches!(events[events.len() - 2..], [Event::Write(..), Event::Line(_)]), "{events:?}");
    let io = |events: &[Event]| {
        events.iter().filter(|event| !matches!(event, Event::Line(_))).cloned().collect::<Vec<_>>()
    };
    assert_eq!(io(&events), io(&honest[..events.len() - 1]));
}

#[test]
fn storage_that_does_not_come_back_ends_the_writer_with_a_journal_that_says_so() {
    let file = unknown();
    for (fails_from, flush_fails) in [(Some((30, None)), NEVER), (None, (7, None))] {
        let (events, run) = written(4, 40, fails_from, flush_fails);
        assert_eq!((run.ended, run.os_error), (ArmEnd::Hung, None));
        assert!(matches!(events.last(), Some(Event::Line(_))));
        for seed in 0..50 {
            let mut random = SplitMix64::new(seed);
            let (image, text) = cut(&events, events.len(), &mut random);
            let journal = Journal::read(text.as_slice()).unwrap();
            assert_eq!((journal.ended, journal.durable - PAGES), (Some(ArmEnd::Hung), run.flushed_writes));
            assert!(journal.issued > journal.durable);
            // Whatever is there of the last batch is allowed.
            assert_eq!(checked(&file, &image, &text).counts, BTreeMap::new());
        }
    }
}

#[test]
fn a_target_that_is_another_one_is_no_loss_and_a_stop_is_told() {
    let mut target = unknown();
    let file = target.file.try_clone().unwrap();
    let mut random = SplitMix64::new(5);
    let (events, _) = written(1, 40, None, NEVER);
    let (image, text) = cut(&events, events.len() - 1, &mut random);
    let journal = Journal::read(text.as_slice()).unwrap();
    os::write_all_at(&file, &image.bytes, 0).unwrap();
    let check = |target: &TargetToCheck, run, stop| {
        check_crash(target, &journal, run, CutKind::Power, IO_DEADLINE, &|_, _| (), &|| stop)
    };
    assert!(matches!(check(&target, [8; 16], false), Err(CheckCrashError::NothingOfRun { .. })));
    let stopped = check(&target, RUN, true).unwrap();
    assert!(!stopped.scan_complete && stopped.pages_checked == 0);
    os::write_all_at(&file, &vec![0; image.bytes.len()], 0).unwrap();
    assert!(matches!(check(&target, RUN, false), Err(CheckCrashError::NothingOfRun { .. })));
    // Whoever knows that it is the one knows that all of it is lost.
    target.is_known = true;
    let lost = check(&target, RUN, false).unwrap();
    assert_eq!(lost.counts, BTreeMap::from([(FaultKind::DamagedPage, PAGES)]));
    // Behind its end, reads fail: as many pages as are missing.
    os::write_all_at(&file, &image.bytes, 0).unwrap();
    file.set_len(FIRST_BYTE + (PAGES - 3) * PAGE).unwrap();
    assert_eq!(check(&target, RUN, false).unwrap().counts[&FaultKind::ReadError], 3);
}
