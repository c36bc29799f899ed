//! Whether a device gives back what was written to it.
//!
//! A run that verifies writes sectors that carry a stamp, keeps in a ledger which
//! write each page holds, and compares every page that is read: before it is overwritten, when the load reads it,
//! and all of them after the load. A page that is written while it is read may hold either, or a part of each, and
//! is not compared. What does not agree is read again, three times, into another buffer: a page that is right then
//! was read wrongly, and one that is not is wrong on the media.
//!
//! Of a page that the ledger does not follow it is only known that it holds one write of the run, whole and in its place, while nobody
//! writes it. Nobody is accused of more.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use iotrial_model::plan::{AreaKind, IO_DEADLINE, MAP_ENTRY_BYTES, Plan};
use iotrial_model::verification::{FaultKind, Noticed, OtherPlace, PageFault, Verification};

use crate::content::{Content, SECTOR};
use crate::targets::fill::AlignedBuffer;
use crate::targets::{HeldAreas, os};
use crate::under_way::{Begun, DEADLINES_WAITED, OfThread, UnderWay};

pub(crate) mod blocks;
mod capacity;
pub(crate) mod found;
pub(crate) mod judge;
mod kernel_log;
mod ledger;
mod queue;
pub(crate) mod scan;

pub(crate) use queue::VerifyingQueue;
pub use scan::ScanEnd;

use capacity::ReadBack;
use found::{Found, FoundFault};
use judge::{Expected, Flaw};
use kernel_log::KernelLog;
use ledger::{Entry, Ledger};

/// How often a page that is not as it was written is read again.
pub(crate) const REREADS: u8 = 3;

/// What a run knows of its pages, for all its threads.
#[derive(Debug)]
pub struct Verifier {
    ledger: Ledger,
    areas: Vec<VerifiedArea>,
    writes: AtomicU64,
    pages_checked: AtomicU64,
    pages_overlapped: AtomicU64,
    pages_scanned: AtomicU64,
    found: Mutex<Found>,
    io_deadline: Duration,
    /// Whether I/O goes past the page cache.
    is_direct: bool,
    under_way: UnderWay,
    /// Reads that are no part of the load.
    reads: Arc<OfThread>,
    is_given_up: AtomicBool,
    kernel_log: Mutex<KernelLog>,
}

/// An area, and a handle to read it again.
#[derive(Debug)]
struct VerifiedArea {
    path: PathBuf,
    kind: AreaKind,
    file: File,
    content: Content,
    first_byte: u64,
    length: u64,
    /// Bytes of the largest I/O on it.
    longest: u64,
    /// Whether the load writes there.
    is_written: bool,
    read_back: ReadBack,
}

impl Verifier {
    /// A verifier of areas that were just laid out with stamps.
    ///
    /// # Errors
    ///
    /// When the system gives no further handle.
    pub fn new(plan: &Plan, areas: &HeldAreas) -> io::Result<Self> {
        let handles = plan.areas.iter().enumerate().zip(areas.handles());
        let areas = handles.map(|((index, area), (file, content))| {
            Ok(VerifiedArea {
                path: area.path.clone(),
                kind: area.kind,
                file: file.try_clone()?,
                content,
                first_byte: area.offset.get(),
                length: area.length.get(),
                longest: plan.largest_io_of(index).get(),
                is_written: plan.jobs.iter().any(|job| job.writes() && job.areas.contains(&index)),
                read_back: ReadBack::default(),
            })
        });
        let under_way = UnderWay::default();
        Ok(Self {
            ledger: Ledger::new(plan),
            areas: areas.collect::<io::Result<_>>()?,
            writes: AtomicU64::new(0),
            pages_checked: AtomicU64::new(0),
            pages_overlapped: AtomicU64::new(0),
            pages_scanned: AtomicU64::new(0),
            found: Mutex::default(),
            io_deadline: plan.io_deadline.unwrap_or(IO_DEADLINE),
            is_direct: plan.direct,
            reads: under_way.thread(),
            under_way,
            is_given_up: AtomicBool::new(false),
            kernel_log: Mutex::new(KernelLog::from_now()),
        })
    }

    /// So much time went by since the last call. Whoever waits for I/Os calls it many times in a second: time in which nobody did is none
    /// of the storage.
    pub fn tick(&self, elapsed: Duration) {
        self.under_way.tick(elapsed);
    }

    /// Whether an I/O has been under way for so long that nobody should wait for it any more.
    pub fn is_stuck(&self) -> bool {
        !self.under_way.older_than(self.waits_at_most()).is_empty()
    }

    /// How long an I/O is waited for.
    pub fn waits_at_most(&self) -> Duration {
        self.io_deadline * DEADLINES_WAITED
    }

    /// Notes the I/Os that hang: nobody waits any more.
    pub fn give_up(&self) {
        for begun in self.under_way.older_than(self.io_deadline) {
            self.note_hang(&begun);
            self.is_given_up.store(true, Ordering::Relaxed);
        }
    }

    /// Whether there are I/Os that hang and that nobody waits for. Whatever touches the storage then may hang as well.
    pub fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// Takes note of an I/O that is back.
    fn came_back(&self, begun: Option<Begun>) {
        if let Some(begun) = begun.filter(|begun| self.under_way.age(begun) >= self.io_deadline) {
            self.note_hang(&begun);
        }
    }

    #[cold]
    fn note_hang(&self, begun: &Begun) {
        let Begun { area, offset, length, noticed, .. } = *begun;
        let path = self.areas[area as usize].path.clone();
        self.note(FoundFault {
            fault: PageFault {
                under_way: Some(self.under_way.age(begun)),
                ..PageFault::new(FaultKind::Hang, path, offset, length, noticed)
            },
            expected: None,
            stranger: None,
        });
    }

    /// Reads into a buffer that cannot pass for what is there.
    fn read(&self, area: u32, bytes: &mut [u8], offset: u64, noticed: Noticed) -> io::Result<()> {
        let VerifiedArea { file, content, .. } = &self.areas[area as usize];
        content.poison(bytes, offset);
        let begun = self.under_way.begun(area, offset, bytes.len() as u64, noticed);
        let slot = self.reads.begin_anywhere(begun);
        let result = os::read_exact_at(file, bytes, offset);
        self.came_back(self.reads.end(slot));
        result
    }

    /// Compares what an I/O read with what its pages held before it; answers with how many pages it compared.
    ///
    /// Nothing is said of a page that was written meanwhile.
    fn check(&self, area: u32, offset: u64, bytes: &[u8], before: &[Entry], noticed: Noticed) -> u64 {
        let page = self.ledger.page_size(area);
        let length = bytes.len() as u64;
        let page_length = usize::try_from(page).expect("a page fits in memory");
        let own = noticed == Noticed::BeforeOverwrite;
        let mut now = self.ledger.look(area, offset, length);
        let (mut checked, mut overlapped, mut flaws) = (0, 0, Vec::new());
        for ((bytes, before), at) in
            bytes.chunks(page_length).zip(before).zip((offset..).step_by(page_length))
        {
            let is_same = own || now.next() == Some(*before);
            let followed = before.generation().filter(|_| is_same);
            let followed = followed.map(|generation| self.expected(area, at, generation));
            let other = before.holds_some_write().then(|| self.expected(area, at, 0).with_write_of(bytes));
            match followed.or(other) {
                Some(expected) => {
                    checked += 1;
                    if let Some(flaw) = judge::flaw(bytes, expected) {
                        flaws.push((at, expected, flaw, *before));
                    } else if noticed == Noticed::EndScan {
                        self.areas[area as usize].read_back.note(at, bytes.len() as u64);
                    }
                }
                None => overlapped += u64::from(!own && (before.is_busy() || !is_same)),
            }
        }
        self.pages_overlapped.fetch_add(overlapped, Ordering::Relaxed);
        for (at, expected, flaw, before) in flaws {
            self.look_again(area, at, expected, flaw, before, noticed);
        }
        checked
    }

    fn expected(&self, area: u32, offset: u64, generation: u64) -> Expected {
        let content = &self.areas[area as usize].content;
        Expected { stamp: content.stamp_of(offset, generation).expect("the areas of a verifier are stamped") }
    }

    /// Reads a page again that is not as it was written, and notes the fault.
    #[cold]
    fn look_again(
        &self,
        area: u32,
        offset: u64,
        expected: Expected,
        first: Flaw,
        before: Entry,
        noticed: Noticed,
    ) {
        let VerifiedArea { path, first_byte, length, .. } = &self.areas[area as usize];
        // The last page of an area may be cut.
        let page = self.ledger.page_size(area).min(first_byte + length - offset);
        // Nothing shows whether a page that is not followed was written meanwhile, so nobody may do it now.
        let is_claimed = noticed == Noticed::Read && !before.is_followed();
        if is_claimed && self.ledger.claim(area, offset, page).is_none() {
            return;
        }
        let (mut good, mut last, mut os_error) = (0, first, None);
        for _ in 0..REREADS {
            let mut buffer = AlignedBuffer::new(page);
            match self.read(area, buffer.as_mut_slice(), offset, noticed) {
                Ok(()) => {
                    let bytes = buffer.as_mut_slice();
                    let expected =
                        if before.is_followed() { expected } else { expected.with_write_of(bytes) };
                    match judge::flaw(bytes, expected) {
                        None => good += 1,
                        Some(flaw) => last = flaw,
                    }
                }
                Err(error) => os_error = error.raw_os_error(),
            }
        }
        // Somebody wrote the page meanwhile: what it holds now says nothing about what it held.
        let is_another = if is_claimed {
            self.ledger.release(area, offset, page);
            good > 0 && first.kind != FaultKind::ReadWithoutTransfer
        } else {
            noticed == Noticed::Read && self.ledger.look(area, offset, page).next() != Some(before)
        };
        if is_another {
            return;
        }
        let kind = match judge::kind_when_repeated(first.kind, last.kind, good > 0) {
            FaultKind::LostWrite if self.is_part_there(area, offset, expected, noticed) => {
                FaultKind::TornWrite
            }
            kind => kind,
        };
        let flaw = if good > 0 { first } else { last };
        // What is about to be overwritten is right then.
        if good == 0 && noticed != Noticed::BeforeOverwrite {
            self.ledger.forget(area, offset, before);
        }
        self.note(FoundFault {
            fault: PageFault {
                good_rereads: Some(good),
                os_error,
                ..flaw.fault(kind, path.clone(), offset, page, noticed)
            },
            expected: Some(expected.stamp),
            stranger: flaw.stranger.filter(|_| kind == FaultKind::MisdirectedWrite),
        });
    }

    /// Whether another page of the write that is missing at `offset` is there: then the write was torn between two pages.
    fn is_part_there(&self, area: u32, offset: u64, expected: Expected, noticed: Noticed) -> bool {
        let VerifiedArea { first_byte, length, longest, .. } = &self.areas[area as usize];
        let generation = expected.stamp.generation;
        self.ledger.pages_of_write(area, offset, generation, *longest).into_iter().any(|other| {
            let mut buffer = AlignedBuffer::new(self.ledger.page_size(area).min(first_byte + length - other));
            self.read(area, buffer.as_mut_slice(), other, noticed).is_ok()
                && judge::flaw(buffer.as_mut_slice(), self.expected(area, other, generation)).is_none()
        })
    }

    /// Notes an I/O that failed, or moved fewer bytes than asked.
    #[cold]
    fn note_failed(
        &self,
        kind: FaultKind,
        area: u32,
        offset: u64,
        length: u64,
        noticed: Noticed,
        os_error: Option<i32>,
    ) {
        let path = self.areas[area as usize].path.clone();
        self.note(FoundFault {
            fault: PageFault { os_error, ..PageFault::new(kind, path, offset, length, noticed) },
            expected: None,
            stranger: None,
        });
    }

    fn note(&self, found: FoundFault) {
        self.found.lock().expect("no holder panics").note(found);
    }

    /// What an error of the operating system means on an area.
    fn kind_of(&self, area: u32, os_error: i32, otherwise: FaultKind) -> FaultKind {
        let is_device =
            matches!(self.areas[area as usize].kind, AreaKind::DeviceDestroy | AreaKind::DeviceRead);
        error_kind(os_error, is_device, otherwise)
    }

    /// What was found out. The ends of misdirected writes are joined: what lies at one place names the place where it is missing.
    ///
    /// `devices` are the names that the kernel has for the block devices below.
    pub fn verification(&self, scan_complete: bool, devices: &[String]) -> Verification {
        let mut found = self.found.lock().expect("no holder panics");
        // Which pages are right is known when all were read.
        let capacities =
            if scan_complete { capacity::kept_capacities(&self.areas, &mut found) } else { Vec::new() };
        let (counts, mut faults) = found.joined(|stamp| {
            let area = self.areas.get(usize::from(stamp.area))?;
            Some(OtherPlace { path: area.path.clone(), offset_bytes: stamp.sector * SECTOR as u64 })
        });
        // The file system may hang with its device.
        for fault in faults.iter_mut().filter(|_| !self.is_given_up()) {
            let area = self.areas.iter().find(|area| area.path == fault.path);
            let byte = fault.first_bad_byte.unwrap_or(fault.offset_bytes);
            fault.device_byte = area.and_then(|area| os::device_byte(&area.file, byte));
        }
        let mut kernel_log = self.kernel_log.lock().expect("no holder panics");
        let kernel_log = if counts.is_empty() { Vec::new() } else { kernel_log.lines_on(devices) };
        let (pages, followed) = (self.ledger.pages(), self.ledger.pages_followed());
        Verification {
            pages,
            pages_followed: Some(followed).filter(|followed| *followed < pages),
            map_bytes: followed * MAP_ENTRY_BYTES,
            writes: self.writes.load(Ordering::Relaxed),
            pages_checked: self.pages_checked.load(Ordering::Relaxed),
            pages_overlapped: self.pages_overlapped.load(Ordering::Relaxed),
            pages_scanned: self.pages_scanned.load(Ordering::Relaxed),
            scan_complete,
            pages_unknown: self.ledger.unknown(),
            counts,
            faults,
            capacities,
            kernel_log,
        }
    }
}

/// What an error of the operating system means on a file, or on a block device.
pub(crate) fn error_kind(os_error: i32, is_device: bool, otherwise: FaultKind) -> FaultKind {
    let is_full = os::NO_SPACE.contains(&os_error);
    // A block device has no room to run out of: Linux says so of one whose size became zero.
    if os::GONE.contains(&os_error) || (is_full && is_device) {
        FaultKind::DeviceGone
    } else if is_full {
        FaultKind::NoSpace
    } else {
        otherwise
    }
}

#[cfg(test)]
mod tests;
