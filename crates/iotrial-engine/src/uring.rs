//! Linux io_uring: one ring for each thread of the generator.
#![expect(unsafe_code, reason = "the ring takes raw pointers to the buffers")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use io_uring::types::{Fd, Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, Parameters, opcode, squeue};
use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::MOST_OUTSTANDING_PER_THREAD;

use crate::buffer::SlotBuffers;
use crate::clock::Clock;
use crate::queue::{Completion, IoQueue, Outcome, Request};
use crate::random::Random;

/// The write is on stable storage when it completes: `RWF_DSYNC` of `pwritev2(2)`.
const RWF_DSYNC: i32 = 0x0000_0002;

/// Beside the slot in the user data: the write that a flush follows, and that flush.
const WRITE_PART: u64 = 1 << 32;
const FLUSH_PART: u64 = 1 << 33;

/// A ring, and the buffers of its slots.
pub(crate) struct UringQueue<C> {
    ring: IoUring,
    buffers: SlotBuffers,
    in_flight: usize,
    /// By slot, what came of the write that is being flushed.
    written: Vec<i32>,
    areas: Arc<[File]>,
    files_registered: bool,
    clock: C,
}

impl<C: Clock> UringQueue<C> {
    /// A ring for as many I/Os as there are `lengths`, each the largest I/O of its slot in bytes.
    pub(crate) fn new(
        clock: C,
        areas: &Arc<[File]>,
        lengths: &[u32],
        random: &mut Random,
    ) -> io::Result<Self> {
        // At least two: a write and its flush go out together.
        let entries = u32::try_from(lengths.len().next_power_of_two())
            .unwrap_or(u32::MAX)
            .clamp(2, MOST_OUTSTANDING_PER_THREAD);
        let ring = build_ring(entries)?;
        let descriptors: Vec<_> = areas.iter().map(AsRawFd::as_raw_fd).collect();
        // Without registration (a limit of the host) each I/O looks its file up; only slower.
        let files_registered = ring.submitter().register_files(&descriptors).is_ok();
        let buffers = SlotBuffers::new(lengths, random);
        let written = vec![0; lengths.len()];
        Ok(Self { ring, buffers, in_flight: 0, written, areas: Arc::clone(areas), files_registered, clock })
    }

    /// The I/O, and the flush that follows it where it has one. The kernel begins the second when the first is done, and
    /// drops it where that failed.
    fn entries(&mut self, request: &Request) -> (squeue::Entry, Option<squeue::Entry>) {
        let entry = self.entry(request);
        if request.durability != Durability::Fdatasync {
            return (entry, None);
        }
        macro_rules! build {
            ($target:expr) => {
                opcode::Fsync::new($target).flags(FsyncFlags::DATASYNC).build()
            };
        }
        let flush = if self.files_registered {
            build!(Fixed(request.area))
        } else {
            build!(Fd(self.areas[request.area as usize].as_raw_fd()))
        };
        let slot = u64::from(request.slot);
        let write = entry.flags(squeue::Flags::IO_LINK).user_data(slot | WRITE_PART);
        (write, Some(flush.user_data(slot | FLUSH_PART)))
    }

    fn entry(&mut self, request: &Request) -> squeue::Entry {
        let buffer = match request.direction {
            Direction::Read => self.buffers.slot_mut(request.slot),
            Direction::Write => self.buffers.stamped(request.slot, request.length),
        };
        assert!(request.length as usize <= buffer.len(), "a request fits the buffer of its slot");
        let pointer = buffer.as_mut_ptr();
        let flags = if request.durability == Durability::Dsync { RWF_DSYNC } else { 0 };
        macro_rules! build {
            ($target:expr) => {
                match request.direction {
                    Direction::Read => {
                        opcode::Read::new($target, pointer, request.length).offset(request.offset).build()
                    }
                    Direction::Write => opcode::Write::new($target, pointer, request.length)
                        .offset(request.offset)
                        .rw_flags(flags)
                        .build(),
                }
            };
        }
        let entry = if self.files_registered {
            build!(Fixed(request.area))
        } else {
            build!(Fd(self.areas[request.area as usize].as_raw_fd()))
        };
        entry.user_data(request.slot.into())
    }

    fn take_completions(&mut self, completions: &mut Vec<Completion>) {
        let Self { ring, written, in_flight, clock, .. } = self;
        let done = ring.completion();
        if done.is_empty() {
            return;
        }
        // One stamp for the batch: all of them were done when it was taken.
        let completed_at_ns = clock.now_ns();
        for entry in done {
            let (data, mut result) = (entry.user_data(), entry.result());
            let slot = u32::try_from(data & u64::from(u32::MAX)).expect("the low half is the slot");
            if data & WRITE_PART != 0 {
                written[slot as usize] = result;
                continue;
            }
            if data & FLUSH_PART != 0 {
                let write = written[slot as usize];
                // The flush is dropped after a failed write, and after a short one, which the loop tells as such.
                result = if result >= 0 || result == -CANCELLED { write } else { result };
            }
            *in_flight -= 1;
            let outcome = match u32::try_from(result) {
                Ok(bytes) => Outcome::Bytes(bytes),
                Err(_) => Outcome::Error(-result),
            };
            completions.push(Completion { slot, completed_at_ns, outcome });
        }
    }
}

impl<C: Clock> IoQueue for UringQueue<C> {
    fn submit(&mut self, requests: &[Request]) -> io::Result<()> {
        for request in requests {
            let (entry, flush) = self.entries(request);
            let both = flush.map(|flush| [entry.clone(), flush]);
            // A write and its flush go out together: the end of a submission would part them.
            let entries = both.as_ref().map_or(std::slice::from_ref(&entry), |both| both.as_slice());
            // SAFETY: the buffer of this slot belongs to the queue and is not touched before its
            // completion is reaped; `drop` gives the buffers away where a completion is still due.
            while unsafe { self.ring.submission().push_multiple(entries) }.is_err() {
                retry_interrupted(|| self.ring.submit())?;
            }
            self.in_flight += 1;
        }
        while !self.ring.submission().is_empty() {
            retry_interrupted(|| self.ring.submit())?;
        }
        Ok(())
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        let before = completions.len();
        self.take_completions(completions);
        if completions.len() > before {
            return Ok(());
        }
        let wait_ns = wait_until_ns.saturating_sub(self.clock.now_ns());
        if wait_ns == 0 {
            return Ok(());
        }
        let timeout = Timespec::from(std::time::Duration::from_nanos(wait_ns));
        match self.ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&timeout)) {
            Ok(_) => {}
            Err(error) if is_timeout_or_interrupt(&error) => {}
            Err(error) => return Err(error),
        }
        self.take_completions(completions);
        Ok(())
    }
}

/// Closing a ring does not wait for its I/Os: where some are in flight, the kernel keeps writing to
/// their buffers, so these are never given back.
impl<C> Drop for UringQueue<C> {
    fn drop(&mut self) {
        if self.files_registered {
            // The kernel takes a closed ring apart later, and until then registered files keep their file system
            // busy: who unmounts right after a run would be refused. A failure changes nothing for the better.
            let _ = self.ring.submitter().unregister_files();
        }
        if self.in_flight > 0 {
            std::mem::forget(std::mem::replace(
                &mut self.buffers,
                SlotBuffers::new(&[], &mut Random::new(0, 0)),
            ));
        }
    }
}

/// The cheapest kind of ring that this kernel makes: completions without interrupting the thread
/// (5.19), one issuer (6.0), or the plain one.
fn build_ring(entries: u32) -> io::Result<IoUring> {
    IoUring::builder()
        .setup_coop_taskrun()
        .setup_single_issuer()
        .build(entries)
        .or_else(|_| IoUring::builder().setup_coop_taskrun().build(entries))
        .or_else(|_| IoUring::new(entries))
}

fn retry_interrupted(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if matches!(error.raw_os_error(), Some(INTERRUPTED | BUSY | AGAIN)) => {}
            other => return other,
        }
    }
}

fn is_timeout_or_interrupt(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(INTERRUPTED | TIMED_OUT | BUSY | AGAIN))
}

const INTERRUPTED: i32 = 4;
const AGAIN: i32 = 11;
const BUSY: i32 = 16;
const TIMED_OUT: i32 = 62;
const CANCELLED: i32 = 125;

/// Why io_uring cannot be used here; `None` where it can.
pub(crate) fn refusal() -> Option<String> {
    let ring = match IoUring::new(4) {
        Ok(ring) => ring,
        Err(error) => return Some(format!("the kernel refuses io_uring: {error}")),
    };
    let parameters: &Parameters = ring.params();
    (!parameters.is_feature_ext_arg()).then(|| "io_uring of this kernel is older than Linux 5.11".to_owned())
}
