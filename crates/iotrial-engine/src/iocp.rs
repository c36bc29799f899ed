//! Windows: overlapped reads and writes on one completion port for each thread of the generator.
//!
//! A handle belongs to one port for as long as it is open, so every thread has handles of its own. What Windows does at once (from a cache, or because
//! the device answered within the call) is taken where it is done, without a trip through the port.
#![expect(unsafe_code, reason = "the kernel works on raw pointers to buffers and to their OVERLAPPED")]

mod flush;

use std::cell::UnsafeCell;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle, RawHandle};
use std::ptr::null_mut;
use std::sync::Arc;

use iotrial_measure::clock::Clock;
use iotrial_measure::random::{Random, RandomStream};
use iotrial_measure::recorder::Outcome;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::Plan;
use iotrial_model::record::QueueSetup;
use windows_sys::Wdk::Storage::FileSystem::{FileIoStatusBlockRangeInformation, NtSetInformationFile};
use windows_sys::Win32::Foundation::{
    ERROR_HANDLE_EOF, ERROR_IO_PENDING, HANDLE, INVALID_HANDLE_VALUE, RtlNtStatusToDosError, WAIT_TIMEOUT,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_OVERLAPPED, FILE_FLAG_WRITE_THROUGH, ReadFile, SetFileCompletionNotificationModes, WriteFile,
};
use windows_sys::Win32::System::IO::{
    CancelIoEx, CreateIoCompletionPort, GetQueuedCompletionStatusEx, IO_STATUS_BLOCK, OVERLAPPED,
    OVERLAPPED_ENTRY,
};
use windows_sys::Win32::System::WindowsProgramming::{
    FILE_SKIP_COMPLETION_PORT_ON_SUCCESS, FILE_SKIP_SET_EVENT_ON_HANDLE,
};

use crate::buffer::SlotBuffers;
use crate::lock_memory_privilege;
use crate::queue::{Completion, Handing, IoQueue, OpenArea, Request};
use crate::targets::{HeldAreas, OpenAreaError};
use flush::{FLUSHED, Flushers};

/// Completions taken in one call.
const MOST_AT_ONCE: usize = 256;

/// The longest wait in one call. The port counts in milliseconds, and its largest number means for ever.
const LONGEST_WAIT_MS: u64 = 60_000;

/// Handles for one thread: a handle can be bound to one port only.
#[derive(Debug, Clone)]
pub(crate) struct Handles {
    /// For reads, and for writes that no durability or a flush is asked of.
    plain: Arc<[OpenArea]>,
    /// For writes that are durable when they are done (`FILE_FLAG_WRITE_THROUGH`); none where no job has such.
    write_through: Option<Arc<[OpenArea]>>,
}

impl Handles {
    /// Handles for each thread of a load.
    pub(crate) fn for_threads(plan: &Plan, areas: &HeldAreas) -> Result<Vec<Self>, OpenAreaError> {
        let is_durable = plan.jobs.iter().any(|job| job.durability == Durability::Dsync);
        let open = || {
            let write_through =
                is_durable.then(|| areas.open(FILE_FLAG_OVERLAPPED | FILE_FLAG_WRITE_THROUGH)).transpose()?;
            Ok(Self { plain: areas.open(FILE_FLAG_OVERLAPPED)?, write_through })
        };
        (0..plan.threads.max(1)).map(|_| open()).collect()
    }

    fn all(&self) -> impl Iterator<Item = &OpenArea> {
        self.plain.iter().chain(self.write_through.iter().flat_map(|areas| areas.iter()))
    }

    /// The handle for a request, and its place among all of them.
    fn of(&self, request: &Request) -> (usize, &OpenArea) {
        let area = request.area as usize;
        match (&self.write_through, request.direction, request.durability) {
            (Some(areas), Direction::Write, Durability::Dsync) => (self.plain.len() + area, &areas[area]),
            _ => (area, &self.plain[area]),
        }
    }
}

/// A port, and the buffers of its slots.
pub(crate) struct IocpQueue<C> {
    port: Arc<OwnedHandle>,
    handles: Handles,
    buffers: SlotBuffers,
    /// By slot. The kernel writes into one as long as its I/O is under way.
    overlapped: Box<[UnsafeCell<OVERLAPPED>]>,
    /// By slot, what is under way there.
    requests: Vec<Option<Request>>,
    /// Threads that flush after a write; none where no write wants that.
    flushers: Option<Flushers>,
    /// By slot, the bytes of the write that is being flushed.
    written: Vec<u32>,
    /// What was done within the call that handed it over.
    done: Vec<Completion>,
    in_flight: usize,
    /// By handle, in the order of [`Handles::all`]: whether I/Os that are done at once skip the port.
    skips_port: Vec<bool>,
    overlapped_range: bool,
    clock: C,
}

impl<C: Clock> IocpQueue<C> {
    /// A port for as many I/Os as there are `lengths`, each the largest I/O of its slot in bytes; `flushing` of them are writes that a
    /// flush follows.
    pub(crate) fn new(
        clock: C,
        handles: &Handles,
        lengths: &[u32],
        flushing: u32,
        random: &mut Random,
    ) -> io::Result<Self> {
        lock_memory_privilege::switch_on();
        let port = Arc::new(new_port()?);
        let overlapped: Box<[_]> = lengths.iter().map(|_| UnsafeCell::new(OVERLAPPED::default())).collect();
        let (mut skips_port, mut overlapped_range) = (Vec::new(), true);
        for area in handles.all() {
            let handle = area.file.as_raw_handle();
            // SAFETY: both handles are open: the area's as long as `handles`, the port's as long as `port`.
            if unsafe { CreateIoCompletionPort(handle, port.as_raw_handle(), 0, 0) }.is_null() {
                return Err(io::Error::last_os_error());
            }
            #[expect(clippy::cast_possible_truncation, reason = "1 and 2")]
            let modes = (FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE) as u8;
            // Of each handle by itself, since a mode cannot be taken back: who hands an I/O over has to know who takes its completion.
            // SAFETY: the handle is open.
            skips_port.push(unsafe { SetFileCompletionNotificationModes(handle, modes) } != 0);
            overlapped_range &= keep_locked(handle, &overlapped);
        }
        let flushers =
            (flushing > 0).then(|| Flushers::start(&port, &handles.plain, flushing)).transpose()?;
        Ok(Self {
            port,
            handles: handles.clone(),
            buffers: SlotBuffers::new(lengths, random),
            overlapped,
            requests: vec![None; lengths.len()],
            flushers,
            written: vec![0; lengths.len()],
            done: Vec::with_capacity(lengths.len()),
            in_flight: 0,
            skips_port,
            overlapped_range,
            clock,
        })
    }

    fn begin(&mut self, request: &Request) -> io::Result<()> {
        let slot = request.slot as usize;
        let (place_of_handle, area) = self.handles.of(request);
        let buffer = &mut self.buffers.slot_mut(request.slot)[..request.length as usize];
        match request.direction {
            Direction::Read => area.content.poison(buffer, request.offset),
            Direction::Write => area.content.stamp(buffer, request.offset, request.generation),
        }
        let overlapped = self.overlapped[slot].get();
        // SAFETY: the slot is free, so that nobody else works on its OVERLAPPED.
        let place = unsafe { &mut *overlapped };
        *place = OVERLAPPED::default();
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of the offset")]
        {
            place.Anonymous.Anonymous.Offset = request.offset as u32;
            place.Anonymous.Anonymous.OffsetHigh = (request.offset >> 32) as u32;
        }
        self.requests[slot] = Some(*request);
        self.in_flight += 1;
        let handle = area.file.as_raw_handle();
        let (pointer, length, mut moved) = (buffer.as_mut_ptr(), request.length, 0);
        // SAFETY: buffer and OVERLAPPED belong to the queue and stay where they are until the completion is taken: nothing touches them
        // before, and `drop` gives them away where one is still due.
        let is_done = unsafe {
            match request.direction {
                Direction::Read => ReadFile(handle, pointer, length, &raw mut moved, overlapped),
                Direction::Write => WriteFile(handle, pointer, length, &raw mut moved, overlapped),
            }
        };
        if is_done != 0 {
            // Otherwise the port has it as well.
            if self.skips_port[place_of_handle] {
                self.finish(request.slot, Outcome::Bytes(moved))?;
            }
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(code) if code.cast_unsigned() == ERROR_IO_PENDING => Ok(()),
            // What fails at once never reaches the port.
            code => self.finish(request.slot, Self::failed(code.unwrap_or_default())),
        }
    }

    /// What the error of an I/O means: nothing is left to read behind the end of a file, which is a short read as elsewhere.
    fn failed(code: i32) -> Outcome {
        if code.cast_unsigned() == ERROR_HANDLE_EOF { Outcome::Bytes(0) } else { Outcome::Error(code) }
    }

    /// An I/O is done; a flush follows where its request wants one.
    fn finish(&mut self, slot: u32, outcome: Outcome) -> io::Result<()> {
        let request = self.requests[slot as usize].take();
        if let (Some(request), Some(flushers), Outcome::Bytes(bytes)) = (request, &self.flushers, outcome)
            && request.durability == Durability::Fdatasync
            && request.direction == Direction::Write
        {
            self.written[slot as usize] = bytes;
            return flushers.flush(request.area, self.overlapped[slot as usize].get());
        }
        self.in_flight -= 1;
        let completed_at_ns = self.clock.now_ns();
        self.done.push(Completion { slot, completed_at_ns, outcome });
        Ok(())
    }

    /// Takes what the port has; waits for the first one at most so long.
    fn take(&mut self, mut wait_ms: u32) -> io::Result<()> {
        let mut entries = [OVERLAPPED_ENTRY::default(); MOST_AT_ONCE];
        loop {
            let mut count = 0;
            let most = u32::try_from(MOST_AT_ONCE).expect("256");
            let port = self.port.as_raw_handle();
            // SAFETY: the entries outlive the call, and their number is said.
            let is_there = unsafe {
                GetQueuedCompletionStatusEx(port, entries.as_mut_ptr(), most, &raw mut count, wait_ms, 0)
            };
            if is_there == 0 {
                let error = io::Error::last_os_error();
                let is_timeout = error.raw_os_error().map(i32::cast_unsigned) == Some(WAIT_TIMEOUT);
                return if is_timeout { Ok(()) } else { Err(error) };
            }
            for entry in &entries[..count as usize] {
                self.take_one(entry)?;
            }
            if (count as usize) < MOST_AT_ONCE {
                return Ok(());
            }
            // There may be more, and there is something already.
            wait_ms = 0;
        }
    }

    fn take_one(&mut self, entry: &OVERLAPPED_ENTRY) -> io::Result<()> {
        let first = self.overlapped.as_ptr().cast::<OVERLAPPED>();
        // SAFETY: every packet of this port is of an I/O or a flush of this queue, with the OVERLAPPED of its slot.
        let slot = unsafe { entry.lpOverlapped.cast_const().offset_from(first) };
        let slot = u32::try_from(slot).map_err(|_| io::Error::other("a packet of nobody"))?;
        if entry.lpCompletionKey == FLUSHED {
            let outcome = match entry.dwNumberOfBytesTransferred {
                0 => Outcome::Bytes(self.written[slot as usize]),
                code => Outcome::Error(code.cast_signed()),
            };
            return self.finish(slot, outcome);
        }
        // The low half is the status of the kernel; zero and the successes above it are positive.
        #[expect(clippy::cast_possible_truncation, reason = "an NTSTATUS has 32 bits")]
        let status = (entry.Internal as u32).cast_signed();
        let outcome = if status >= 0 {
            Outcome::Bytes(entry.dwNumberOfBytesTransferred)
        } else {
            // SAFETY: it only looks the number up.
            Self::failed(unsafe { RtlNtStatusToDosError(status) }.cast_signed())
        };
        self.finish(slot, outcome)
    }
}

impl<C: Clock> IoQueue for IocpQueue<C> {
    fn submit(&mut self, requests: &[Request], _handing: Handing) -> io::Result<()> {
        requests.iter().try_for_each(|request| self.begin(request))
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        // What is done within the call never comes through the port, and a look at it for nothing is a system call for nothing.
        if self.in_flight > 0 {
            self.take(0)?;
        }
        if self.done.is_empty() {
            // Whole milliseconds only, so that it comes back in time: what is left is spent looking.
            let wait_ms = wait_until_ns.saturating_sub(self.clock.now_ns()) / 1_000_000;
            let wait_ms = u32::try_from(wait_ms.min(LONGEST_WAIT_MS)).expect("a minute");
            if wait_ms > 0 {
                self.take(wait_ms)?;
            }
        }
        completions.append(&mut self.done);
        Ok(())
    }

    fn buffer(&self, slot: u32) -> &[u8] {
        self.buffers.slot(slot)
    }

    fn setup(&self) -> QueueSetup {
        let (buffers, huge_pages) = self.buffers.size_and_huge_pages();
        QueueSetup {
            skips_port: Some(self.skips_port.iter().all(|skips| *skips)),
            overlapped_range: Some(self.overlapped_range),
            flush_workers: self.flushers.as_ref().map(Flushers::count),
            buffers,
            huge_pages,
            ..QueueSetup::default()
        }
    }
}

/// The kernel keeps writing to buffers whose I/Os are under way: these are called back, and where one does not come, its memory is never
/// given back.
impl<C> Drop for IocpQueue<C> {
    fn drop(&mut self) {
        if self.in_flight == 0 {
            if let Some(flushers) = self.flushers.take() {
                flushers.end();
            }
            return;
        }
        for area in self.handles.all() {
            // SAFETY: the handle is open; null means all I/Os of this handle, which is this thread's alone.
            unsafe { CancelIoEx(area.file.as_raw_handle(), std::ptr::null()) };
        }
        // Called back is not yet back, and nobody waits for a device that hangs.
        let none = SlotBuffers::new(&[], &mut Random::new(0, RandomStream::Buffers(0)));
        std::mem::forget(std::mem::replace(&mut self.buffers, none));
        std::mem::forget(std::mem::take(&mut self.overlapped));
    }
}

/// Keeps the pages of the OVERLAPPEDs locked once, instead of for each I/O; `false` without the privilege to lock pages in memory, which
/// database servers are often given.
// This is what `SetFileIoOverlappedRange` asks the kernel. Wine ends a program that calls it under that name.
fn keep_locked(handle: RawHandle, overlapped: &[UnsafeCell<OVERLAPPED>]) -> bool {
    let range = StatusBlockRange {
        start: overlapped.as_ptr().cast(),
        length: u32::try_from(size_of_val(overlapped)).unwrap_or(u32::MAX),
    };
    let length = u32::try_from(size_of::<StatusBlockRange>()).expect("16 bytes");
    let mut status = IO_STATUS_BLOCK::default();
    let class = FileIoStatusBlockRangeInformation;
    // SAFETY: the handle is open, structure and status outlive the call, and the range stays where it is until the queue is dropped,
    // and longer where an I/O is still under way.
    let told =
        unsafe { NtSetInformationFile(handle, &raw mut status, (&raw const range).cast(), length, class) };
    told >= 0
}

/// `FILE_IOSTATUSBLOCK_RANGE_INFORMATION` of the driver kit.
#[repr(C)]
struct StatusBlockRange {
    start: *const u8,
    length: u32,
}

fn new_port() -> io::Result<OwnedHandle> {
    // One thread takes from it.
    // SAFETY: without a handle it makes a new port, which is this value's alone.
    let port: HANDLE = unsafe { CreateIoCompletionPort(INVALID_HANDLE_VALUE, null_mut(), 0, 1) };
    if port.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was made above and belongs to nobody else.
    Ok(unsafe { OwnedHandle::from_raw_handle(port) })
}

/// Nothing keeps it from being used where it is built.
pub(crate) const fn refusal() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use iotrial_measure::clock::MonotonicClock;

    use super::*;
    use crate::queue::tests::{BLOCK, sees_what_was_written};

    #[test]
    fn the_loop_can_look_at_what_was_read_and_written() {
        let place = tempfile::tempdir().unwrap();
        let (plan, prepared) = crate::test_plan::laid_out(place.path());
        let clock = MonotonicClock::before_start();
        clock.start();
        let handles = Handles::for_threads(&plan, &prepared.areas).unwrap();
        let content = handles[0].plain[0].content;
        let mut random = Random::new(1, RandomStream::Buffers(0));
        let mut queue = IocpQueue::new(clock.clone(), &handles[0], &[BLOCK; 2], 1, &mut random).unwrap();
        sees_what_was_written(&mut queue, &clock, content);
    }
}
