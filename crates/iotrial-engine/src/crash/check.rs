//! Reads every page after a cut and says what became of it. Writes nothing.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use iotrial_model::crash::{Armed, CrashCheck, CutKind, InFlight, TEARS_KEPT, Tear};
use iotrial_model::verification::{FaultKind, Noticed, OtherPlace, PageFault};

use super::journal::{Journal, p50_ns};
use super::judge::{Allowed, Held, held};
use super::schedule::Schedule;
use super::{AREA, schedule_of};
use crate::content::{Content, SECTOR};
use crate::targets::fill::AlignedBuffer;
use crate::targets::managed_file::{Header, RunId};
use crate::targets::{NO_FLAGS, os};
use crate::under_way::{Begun, DEADLINES_WAITED, OPENING, OfThread, UnderWay, within};
use crate::verify::blocks::{Extent, read_pages};
use crate::verify::found::{Found, FoundFault};
use crate::verify::judge::{Flaw, kind_when_repeated};
use crate::verify::scan::watched;
use crate::verify::{REREADS, error_kind};

/// Why a target cannot be compared with its journal.
#[derive(Debug, thiserror::Error)]
pub enum CheckCrashError {
    /// There is nothing of that name.
    #[error("`{}` is missing", path.display())]
    Missing {
        /// As the journal has it.
        path: PathBuf,
    },
    /// It is neither a regular file nor a block device, or not the one of both that was written.
    #[error("`{}` is {what}", path.display())]
    AnotherKind {
        /// As the journal has it.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Another run made the file.
    #[error("`{}` was made by another run than this journal", path.display())]
    AnotherRun {
        /// As the journal has it.
        path: PathBuf,
    },
    /// No page has a sector of the run.
    #[error("no page of `{}` holds anything that the run of this journal wrote", path.display())]
    NothingOfRun {
        /// As the journal has it.
        path: PathBuf,
    },
    /// It ends before its last page.
    #[error("`{}` has {length} bytes, and {needed} were written", path.display())]
    TooShort {
        /// As the journal has it.
        path: PathBuf,
        /// Bytes that it has.
        length: u64,
        /// Bytes to the end of its last page.
        needed: u64,
    },
    /// It is still written.
    #[error("`{}` is in use by another iotrial", path.display())]
    InUse {
        /// As the journal has it.
        path: PathBuf,
    },
    /// The run id of the journal is not one.
    #[error("the journal names the run `{run}`, which is no id")]
    NoRun {
        /// As the journal has it.
        run: String,
    },
    /// It cannot be opened or examined.
    #[error("cannot open `{}`", path.display())]
    Open {
        /// As the journal has it.
        path: PathBuf,
        /// What the operating system answered.
        #[source]
        source: io::Error,
    },
}

/// The target of a journal, open for reading only.
#[derive(Debug)]
pub struct TargetToCheck {
    /// Past the page cache.
    pub file: File,
    /// Whether it surely is the one that was written, whatever its pages hold.
    pub is_known: bool,
}

/// Opens the target of a journal for reading, past the page cache, if it still can be the one that was written. `run` is the id of the journal's
/// run as a managed file has it.
///
/// # Errors
///
/// When it is missing, in use, or cannot be the one, or does not answer within two minutes.
pub fn open_to_check(armed: &Armed, run: RunId) -> Result<TargetToCheck, CheckCrashError> {
    let asked = armed.clone();
    let hung = |source| CheckCrashError::Open { path: armed.path.clone(), source };
    within(OPENING, move || open_here(&asked, run)).map_err(hung)?
}

/// The same, by the thread that asks.
fn open_here(armed: &Armed, run: RunId) -> Result<TargetToCheck, CheckCrashError> {
    let path = || armed.path.clone();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => CheckCrashError::Missing { path: path() },
        _ => CheckCrashError::Open { path: path(), source },
    };
    // Not the kind of what a link leads to: the journal has the path with links resolved.
    let metadata = std::fs::symlink_metadata(&armed.path).map_err(failed)?;
    let is_device = os::is_block_device(&metadata);
    if is_device != armed.is_device || !(is_device || metadata.is_file()) {
        return Err(CheckCrashError::AnotherKind { path: path(), what: os::kind_of(&metadata) });
    }
    let buffered = os::open_existing(&armed.path, os::Access::Read, false).map_err(failed)?;
    // Whoever still writes has the lock. It is given back when the handle is closed.
    if !os::lock(&buffered).map_err(failed)? {
        return Err(CheckCrashError::InUse { path: path() });
    }
    os::unlock(&buffered).map_err(failed)?;
    let mut is_known = false;
    if !is_device {
        // A header that is gone may be what the cut took. One of another run is no loss.
        match Header::read(&buffered) {
            Ok(Some(header)) if header.run != run => {
                return Err(CheckCrashError::AnotherRun { path: path() });
            }
            Ok(Some(_)) => is_known = true,
            Ok(None) | Err(_) => {}
        }
        let (length, needed) = (buffered.metadata().map_err(failed)?.len(), end_of(armed));
        if length < needed {
            return Err(CheckCrashError::TooShort { path: path(), length, needed });
        }
    }
    let direct = os::reopen_verified(&armed.path, &buffered, os::Access::Read, true, NO_FLAGS);
    Ok(TargetToCheck { file: direct.map_err(failed)?, is_known })
}

const fn end_of(armed: &Armed) -> u64 {
    armed.first_byte + armed.pages * armed.page_bytes
}

/// The half of a run's id that its stamps have.
fn stamped_run(run: RunId) -> u64 {
    u64::from_le_bytes(run[8..].try_into().expect("half of sixteen bytes"))
}

/// Compares every page of an open target with its journal. `progress` gets the bytes that were read, and all of them; `stop` ends it early,
/// and the answer says so, as where a read does not come back within eight times `io_deadline`.
///
/// # Errors
///
/// When nothing on a target that is not known is of the run: then it may be another one, and nobody is accused. When the system gives no
/// further handle.
pub fn check_crash(
    target: &TargetToCheck,
    journal: &Journal,
    run: RunId,
    cut: CutKind,
    io_deadline: Duration,
    progress: &(dyn Fn(u64, u64) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<CrashCheck, CheckCrashError> {
    let open_error = |source| CheckCrashError::Open { path: journal.armed.path.clone(), source };
    let file = target.file.try_clone().map_err(open_error)?;
    let checker = Arc::new(Checker::new(file, journal, run));
    let reader = Arc::clone(&checker);
    let looked = |elapsed| {
        checker.under_way.tick(elapsed);
        let stuck = checker.under_way.older_than(io_deadline * DEADLINES_WAITED);
        stuck.iter().for_each(|begun| checker.note_hang(begun));
        !stuck.is_empty()
    };
    watched(move |progress, stop| reader.scan(progress, stop), &looked, progress, stop);
    checker.answer(journal, cut, target.is_known)
}

struct Checker {
    armed: Armed,
    file: File,
    under_way: UnderWay,
    reads: Arc<OfThread>,
    content: Content,
    schedule: Schedule,
    durable: u64,
    issued: u64,
    /// By page, the write that may have been under way.
    in_flight: BTreeMap<u64, u64>,
    pages_checked: AtomicU64,
    is_ours: AtomicBool,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    found: Found,
    /// By the writes that may have been under way, what became of each; those of pages with a fault are absent.
    became: BTreeMap<u64, Became>,
    tears: Vec<Tear>,
    torn_sectors: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Became {
    Kept,
    Missing,
    Torn,
}

impl Checker {
    fn new(file: File, journal: &Journal, run: RunId) -> Self {
        let Journal { armed, durable, issued, .. } = journal;
        let schedule = schedule_of(armed);
        let in_flight = (*durable..*issued).map(|sequence| (schedule.page_of(sequence), sequence));
        let under_way = UnderWay::default();
        Self {
            armed: armed.clone(),
            file,
            reads: under_way.thread(),
            under_way,
            content: Content::stamped(stamped_run(run), AREA, armed.first_byte),
            schedule,
            durable: *durable,
            issued: *issued,
            in_flight: in_flight.collect(),
            pages_checked: AtomicU64::new(0),
            is_ours: AtomicBool::new(false),
            seen: Mutex::default(),
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().expect("no holder panics")
    }

    /// Reads every page; false where `stop` ended it.
    fn scan(&self, progress: &(dyn Fn(u64, u64) + Sync), stop: &(dyn Fn() -> bool + Sync)) -> bool {
        read_pages(&[self.extent()], progress, stop, |_, offset, page| {
            let number = (offset - self.armed.first_byte) / self.armed.page_bytes;
            match page {
                Ok(bytes) => self.page(number, bytes),
                Err(error) => self.unreadable(number, &error),
            }
            self.pages_checked.fetch_add(1, Ordering::Relaxed);
        })
    }

    fn extent(&self) -> Extent<impl Fn(&mut [u8], u64) -> io::Result<()> + Sync + '_> {
        let Armed { first_byte, pages, page_bytes, .. } = self.armed;
        Extent {
            read: |bytes: &mut [u8], offset| self.read(bytes, offset),
            first_byte,
            length: pages * page_bytes,
            page: page_bytes,
        }
    }

    /// Reads into a buffer that cannot pass for what is there.
    fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.content.poison(bytes, offset);
        let begun = self.under_way.begun(AREA.into(), offset, bytes.len() as u64, Noticed::EndScan);
        let slot = self.reads.begin_anywhere(begun);
        let result = os::read_exact_at(&self.file, bytes, offset);
        self.reads.end(slot);
        result
    }

    #[cold]
    fn note_hang(&self, begun: &Begun) {
        let Begun { offset, length, noticed, .. } = *begun;
        let path = self.armed.path.clone();
        let fault = PageFault {
            under_way: Some(self.under_way.age(begun)),
            ..PageFault::new(FaultKind::Hang, path, offset, length, noticed)
        };
        self.seen().found.note(FoundFault { fault, expected: None, stranger: None });
    }

    fn offset_of(&self, page: u64) -> u64 {
        self.armed.first_byte + page * self.armed.page_bytes
    }

    fn allowed(&self, page: u64) -> Allowed {
        let generation = self.schedule.last_below(page, self.durable);
        let flushed =
            self.content.stamp_of(self.offset_of(page), generation).expect("the content is stamped");
        Allowed { flushed, in_flight: self.in_flight.get(&page).copied(), issued: self.issued }
    }

    fn page(&self, page: u64, bytes: &[u8]) {
        let allowed = self.allowed(page);
        match held(bytes, allowed) {
            Held::Fault(flaw) => self.again(page, allowed, flaw),
            held => self.good(page, allowed, held),
        }
    }

    fn good(&self, page: u64, allowed: Allowed, held: Held) {
        self.is_ours.store(true, Ordering::Relaxed);
        let Some(sequence) = allowed.in_flight else { return };
        let became = match held {
            Held::InFlight => Became::Kept,
            Held::Torn { .. } => Became::Torn,
            Held::Flushed | Held::Fault(_) => Became::Missing,
        };
        let mut seen = self.seen();
        seen.became.insert(sequence, became);
        if let Held::Torn { new_sectors, torn_at_sector, torn_sectors } = held {
            seen.torn_sectors += torn_sectors;
            let offset_bytes = self.offset_of(page);
            let torn_at_byte = offset_bytes + torn_at_sector * SECTOR as u64;
            seen.tears.push(Tear { offset_bytes, new_sectors, torn_at_byte });
        }
    }

    /// Reads a page again that holds what it may not, and notes the fault.
    #[cold]
    fn again(&self, page: u64, allowed: Allowed, first: Flaw) {
        let (mut good, mut right, mut last, mut os_error) = (0, None, first, None);
        for _ in 0..REREADS {
            let mut buffer = AlignedBuffer::new(self.armed.page_bytes);
            match self.read(buffer.as_mut_slice(), self.offset_of(page)) {
                Ok(()) => match held(buffer.as_mut_slice(), allowed) {
                    Held::Fault(flaw) => last = flaw,
                    held => (good, right) = (good + 1, Some(held)),
                },
                Err(error) => os_error = error.raw_os_error(),
            }
        }
        if let Some(held) = right {
            self.good(page, allowed, held);
        }
        let kind = kind_when_repeated(first.kind, last.kind, good > 0);
        let flaw = if good > 0 { first } else { last };
        let is_of_run =
            !matches!(kind, FaultKind::ForeignData | FaultKind::DamagedPage | FaultKind::ReadWithoutTransfer);
        self.is_ours.fetch_or(is_of_run, Ordering::Relaxed);
        let (path, offset_bytes) = (self.armed.path.clone(), self.offset_of(page));
        self.seen().found.note(FoundFault {
            fault: PageFault {
                good_rereads: Some(good),
                os_error,
                ..flaw.fault(kind, path, offset_bytes, self.armed.page_bytes, Noticed::EndScan)
            },
            expected: Some(allowed.flushed),
            stranger: flaw.stranger.filter(|_| kind == FaultKind::MisdirectedWrite),
        });
    }

    #[cold]
    fn unreadable(&self, page: u64, error: &io::Error) {
        let os_error = error.raw_os_error();
        let kind = error_kind(os_error.unwrap_or_default(), self.armed.is_device, FaultKind::ReadError);
        let (path, offset) = (self.armed.path.clone(), self.offset_of(page));
        self.is_ours.store(true, Ordering::Relaxed);
        self.seen().found.note(FoundFault {
            fault: PageFault {
                os_error,
                ..PageFault::new(kind, path, offset, self.armed.page_bytes, Noticed::EndScan)
            },
            expected: None,
            stranger: None,
        });
    }

    fn answer(&self, journal: &Journal, cut: CutKind, is_known: bool) -> Result<CrashCheck, CheckCrashError> {
        let pages_checked = self.pages_checked.load(Ordering::Relaxed);
        let scan_complete = pages_checked == self.armed.pages;
        if scan_complete && !is_known && !self.is_ours.load(Ordering::Relaxed) {
            return Err(CheckCrashError::NothingOfRun { path: self.armed.path.clone() });
        }
        let mut seen = std::mem::take(&mut *self.seen());
        let home =
            |sector: u64| OtherPlace { path: self.armed.path.clone(), offset_bytes: sector * SECTOR as u64 };
        let (counts, faults) = seen.found.joined(|stamp| Some(home(stamp.sector)));
        seen.tears.sort_by_key(|tear| tear.offset_bytes);
        seen.tears.truncate(TEARS_KEPT);
        let count = |wanted| seen.became.values().filter(|became| **became == wanted).count() as u64;
        // In the order of the writes: whatever is kept behind the first that is not.
        let behind_first_gap = seen.became.values().skip_while(|became| **became == Became::Kept);
        let in_flight = InFlight {
            writes: journal.issued - journal.durable,
            kept: count(Became::Kept),
            missing: count(Became::Missing),
            torn: count(Became::Torn),
            kept_out_of_order: behind_first_gap.filter(|became| **became == Became::Kept).count() as u64,
            torn_sectors: seen.torn_sectors,
        };
        Ok(CrashCheck {
            armed: journal.armed.clone(),
            cut,
            flushed_writes: journal.durable - self.schedule.first(),
            flushes: journal.flushes,
            flush_p50_ns: p50_ns(&journal.flush_times),
            ended: journal.ended,
            same_boot: None,
            pages_checked,
            scan_complete,
            in_flight,
            tears: seen.tears,
            counts,
            faults,
        })
    }
}

#[cfg(test)]
mod tests;
