//! Whether a device gives back what was written to it.
//!
//! A run that verifies writes sectors that carry a stamp, keeps in a ledger which
//! write each page holds, and compares every page that is read: before it is overwritten, when the load reads it,
//! and all of them after the load. A page that is written while it is read may hold either, or a part of each, and
//! is not compared. What does not agree is read again, three times, into another buffer: a page that is right then
//! was read wrongly, and one that is not is wrong on the media.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use iotrial_model::plan::{AreaKind, IO_DEADLINE, MAP_ENTRY_BYTES, Plan};
use iotrial_model::verification::{FaultKind, Noticed, OtherPlace, PageFault, Verification};

use crate::content::Content;
use crate::targets::fill::AlignedBuffer;
use crate::targets::os;

pub(crate) mod blocks;
mod capacity;
pub(crate) mod found;
pub(crate) mod judge;
mod kernel_log;
mod ledger;
mod queue;
mod scan;
pub(crate) mod stamp;
mod under_way;

pub(crate) use judge::poison;
pub(crate) use queue::VerifyingQueue;
pub use scan::ScanEnd;

use capacity::ReadBack;
use found::{Found, FoundFault};
use judge::{Expected, Flaw};
use kernel_log::KernelLog;
use ledger::{Entry, Ledger};
use stamp::SECTOR;
use under_way::{Begun, OfThread, UnderWay};

/// Who hangs for so many deadlines is no longer waited for: two minutes, unless another deadline is given.
// A choice: multipath drivers wait a minute or two for another path.
const DEADLINES_WAITED: u32 = 8;

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
    read_back: ReadBack,
}

impl Verifier {
    /// A verifier of areas that were just laid out, with the handles by which they were verified.
    pub(crate) fn new(plan: &Plan, handles: Vec<(File, Content)>) -> Self {
        let longest = |area: &usize| {
            let jobs = plan.jobs.iter().filter(|job| job.areas.contains(area));
            jobs.map(|job| job.block_size.largest().get()).max().unwrap_or_default()
        };
        let areas = (plan.areas.iter().enumerate().zip(handles)).map(|((index, area), (file, content))| {
            VerifiedArea {
                path: area.path.clone(),
                kind: area.kind,
                file,
                content,
                first_byte: area.offset.get(),
                length: area.length.get(),
                longest: longest(&index),
                read_back: ReadBack::default(),
            }
        });
        let under_way = UnderWay::default();
        Self {
            ledger: Ledger::new(plan),
            areas: areas.collect(),
            writes: AtomicU64::new(0),
            pages_checked: AtomicU64::new(0),
            pages_overlapped: AtomicU64::new(0),
            pages_scanned: AtomicU64::new(0),
            found: Mutex::default(),
            io_deadline: plan.io_deadline.unwrap_or(IO_DEADLINE),
            reads: under_way.thread(),
            under_way,
            is_given_up: AtomicBool::new(false),
            kernel_log: Mutex::new(KernelLog::from_now()),
        }
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
            match before.generation().filter(|_| is_same) {
                Some(generation) => {
                    let expected = self.expected(area, at, generation);
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
        let (mut good, mut last, mut os_error) = (0, first, None);
        for _ in 0..REREADS {
            let mut buffer = AlignedBuffer::new(page);
            match self.read(area, buffer.as_mut_slice(), offset, noticed) {
                Ok(()) => match judge::flaw(buffer.as_mut_slice(), expected) {
                    None => good += 1,
                    Some(flaw) => last = flaw,
                },
                Err(error) => os_error = error.raw_os_error(),
            }
        }
        // Somebody wrote the page meanwhile: what it holds now says nothing about what it held.
        if noticed == Noticed::Read && self.ledger.look(area, offset, page).next() != Some(before) {
            return;
        }
        let kind = match judge::kind_when_repeated(first.kind, last.kind, good > 0) {
            FaultKind::LostWrite if self.is_part_there(area, offset, expected, noticed) => {
                FaultKind::TornWrite
            }
            kind => kind,
        };
        let flaw = if good > 0 { first } else { last };
        if good == 0 {
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
        Verification {
            pages: self.ledger.pages(),
            map_bytes: self.ledger.pages() * MAP_ENTRY_BYTES,
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
