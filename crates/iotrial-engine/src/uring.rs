//! Linux io_uring: one ring for each thread of the generator.
#![expect(unsafe_code, reason = "the ring takes raw pointers to the buffers")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use io_uring::types::{Fd, Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, Parameters, opcode, squeue};
use iotrial_measure::clock::Clock;
use iotrial_measure::random::{Random, RandomStream};
use iotrial_measure::recorder::Outcome;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::MOST_OUTSTANDING_PER_THREAD;
use iotrial_model::record::QueueSetup;

use crate::buffer::SlotBuffers;
use crate::queue::{Completion, Handing, IoQueue, OpenArea, Request};

mod pieces;
mod ring;

use pieces::Pieces;
use ring::RingKind;
pub(crate) use ring::Tuning;

/// The write is on stable storage when it completes: `RWF_DSYNC` of `pwritev2(2)`.
const RWF_DSYNC: i32 = 0x0000_0002;

/// Beside the slot in the user data: the write that a flush follows, and that flush.
const WRITE_PART: u64 = 1 << 32;
const FLUSH_PART: u64 = 1 << 33;

/// A timeout of the ring itself, which completes like an I/O.
const ALARM: u64 = 1 << 34;

/// A wait that may last so long or longer is ended by an [`ALARM`]. Shorter ones are rare (an open load that
/// is about to be due) and want their own limit: an alarm may be from an earlier wait, and would end one
/// early again and again.
const ALARM_FROM_NS: u64 = 1_000_000;

/// A ring, and the buffers of its slots.
pub(crate) struct UringQueue<C> {
    ring: IoUring,
    kind: RingKind,
    buffers: SlotBuffers,
    pieces: Pieces,
    buffers_registered: bool,
    flush_workers: Option<u32>,
    in_flight: usize,
    /// The kernel gets at most so many requests in one call.
    most_at_once: usize,
    /// Whether all I/Os go through the page cache, which may have what they ask for.
    is_cached: bool,
    /// Whether all that was in flight was done when the last call came back, without a device then.
    is_answered_at_once: bool,
    /// When the next alarm completes, on the clock of the run.
    alarm_ns: Option<u64>,
    /// By slot, what came of the write that is being flushed.
    written: Vec<i32>,
    areas: Arc<[OpenArea]>,
    files_registered: bool,
    clock: C,
}

impl<C: Clock> UringQueue<C> {
    /// A ring for as many I/Os as there are `lengths`, each the largest I/O of its slot in bytes; `flushing`
    /// of them are writes that a flush follows. `kind` is that of the ring, as far as the kernel has it. Only
    /// the thread that made it may use it.
    pub(crate) fn new(
        clock: C,
        areas: &Arc<[OpenArea]>,
        lengths: &[u32],
        flushing: u32,
        kind: RingKind,
        random: &mut Random,
    ) -> io::Result<Self> {
        // As many as there are slots: the ring is then never full, and a push enters the kernel only where
        // the loop wants to. Flushes need no room of their own, because a full ring is handed over and goes
        // on. At least two: a write and its flush go out together.
        let entries = u32::try_from(lengths.len().next_power_of_two())
            .unwrap_or(u32::MAX)
            .clamp(2, MOST_OUTSTANDING_PER_THREAD);
        if kind == RingKind::Polled {
            areas.iter().try_for_each(|area| read_polled(&area.file))?;
        }
        let (ring, kind) = kind.build(entries)?;
        let descriptors: Vec<_> = areas.iter().map(|area| area.file.as_raw_fd()).collect();
        // Without registration (a limit of the host) each I/O looks its file up; only slower.
        let files_registered = ring.submitter().register_files(&descriptors).is_ok();
        // After the ring, which is what a host refuses most often: then no memory was touched in vain.
        let mut buffers = SlotBuffers::new(lengths, random);
        let pieces = Pieces::of(&mut buffers, u32::try_from(lengths.len()).unwrap_or(u32::MAX));
        let ranges: Vec<libc::iovec> = pieces
            .ranges()
            .iter()
            .map(|(start, length)| libc::iovec { iov_base: start.cast(), iov_len: *length })
            .collect();
        // SAFETY: the ranges lie in the memory of `buffers`, which stays where it is until it is dropped with
        // the queue, after the ring gave them back; `drop` keeps it where the kernel may still use it.
        // Without registration (more than RLIMIT_MEMLOCK) each I/O pins its pages; only slower.
        let buffers_registered = unsafe { ring.submitter().register_buffers(&ranges) }.is_ok();
        Ok(Self {
            kind,
            buffers,
            pieces,
            buffers_registered,
            flush_workers: if flushing > 0 { flush_workers(&ring, flushing) } else { None },
            ring,
            in_flight: 0,
            // A quarter of what may be outstanding: what went out before keeps the device busy while this is
            // prepared.
            most_at_once: (lengths.len() / 4).max(1),
            is_cached: areas.iter().all(|area| is_cached(&area.file)),
            is_answered_at_once: false,
            alarm_ns: None,
            written: vec![0; lengths.len()],
            areas: Arc::clone(areas),
            files_registered,
            clock,
        })
    }

    /// A write, and the flush that follows it. The kernel begins the second when the first is done, and drops it
    /// where that failed.
    fn flushed(&self, entry: squeue::Entry, request: &Request) -> [squeue::Entry; 2] {
        macro_rules! build {
            ($target:expr) => {
                opcode::Fsync::new($target).flags(FsyncFlags::DATASYNC).build()
            };
        }
        let flush = if self.files_registered {
            build!(Fixed(request.area))
        } else {
            build!(Fd(self.areas[request.area as usize].file.as_raw_fd()))
        };
        let slot = u64::from(request.slot);
        let write = entry.flags(squeue::Flags::IO_LINK).user_data(slot | WRITE_PART);
        [write, flush.user_data(slot | FLUSH_PART)]
    }

    #[inline]
    fn entry(&mut self, request: &Request) -> squeue::Entry {
        let buffer = match request.direction {
            Direction::Read => {
                let buffer = self.buffers.slot_mut(request.slot);
                let content = &self.areas[request.area as usize].content;
                content.poison(&mut buffer[..request.length as usize], request.offset);
                buffer
            }
            Direction::Write => {
                let buffer = self.buffers.slot_mut(request.slot);
                let written = &mut buffer[..request.length as usize];
                self.areas[request.area as usize].content.stamp(written, request.offset, request.generation);
                buffer
            }
        };
        assert!(request.length as usize <= buffer.len(), "a request fits the buffer of its slot");
        let pointer = buffer.as_mut_ptr();
        let Request { direction, offset, length, .. } = *request;
        let flags = if request.durability == Durability::Dsync { RWF_DSYNC } else { 0 };
        macro_rules! build {
            ($target:expr) => {
                match (direction, self.buffers_registered) {
                    (Direction::Read, false) => {
                        opcode::Read::new($target, pointer, length).offset(offset).build()
                    }
                    (Direction::Read, true) => {
                        let piece = self.pieces.of_slot(request.slot);
                        opcode::ReadFixed::new($target, pointer, length, piece).offset(offset).build()
                    }
                    (Direction::Write, false) => {
                        opcode::Write::new($target, pointer, length).offset(offset).rw_flags(flags).build()
                    }
                    (Direction::Write, true) => {
                        let piece = self.pieces.of_slot(request.slot);
                        opcode::WriteFixed::new($target, pointer, length, piece)
                            .offset(offset)
                            .rw_flags(flags)
                            .build()
                    }
                }
            };
        }
        let entry = if self.files_registered {
            build!(Fixed(request.area))
        } else {
            build!(Fd(self.areas[request.area as usize].file.as_raw_fd()))
        };
        entry.user_data(request.slot.into())
    }

    /// A polled ring: asks the devices again and again, until something is done or the time is over.
    fn poll(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        let before = completions.len();
        loop {
            if self.in_flight > 0 {
                self.enter(Wait::Not)?;
                self.take_completions(completions);
            }
            if completions.len() > before || self.clock.now_ns() >= wait_until_ns {
                return Ok(());
            }
            // A polled ring has no interrupt that would end a sleep.
            std::hint::spin_loop();
        }
    }

    /// Hands over what was pushed, and where nothing is done waits for the first completion in the same call.
    ///
    /// A time limit in the call costs a timer set and cancelled for each wait, and both may leave a virtual
    /// machine. So long waits share an alarm, which is set once and stays.
    fn enter_and_wait(&mut self, wait_until_ns: u64) -> io::Result<()> {
        if self.alarm_ns.is_some_and(|alarm_ns| alarm_ns <= wait_until_ns) {
            return self.enter(Wait::ForCompletion);
        }
        let wait_ns = wait_until_ns.saturating_sub(self.clock.now_ns());
        let limit = Timespec::from(Duration::from_nanos(wait_ns));
        if wait_ns < ALARM_FROM_NS {
            return self.enter(Wait::AtMost(limit));
        }
        let alarm = opcode::Timeout::new(&raw const limit).build().user_data(ALARM);
        self.push(&[alarm])?;
        self.alarm_ns = Some(wait_until_ns);
        // The kernel reads the limit while it takes the alarm, in this call.
        self.enter(Wait::ForCompletion)
    }

    /// Puts entries into the ring, side by side.
    #[inline]
    fn push(&mut self, entries: &[squeue::Entry]) -> io::Result<()> {
        // SAFETY: what an entry points to stays where it is until the kernel is done with it. The buffer of a
        // slot belongs to the queue and is not touched before its completion is reaped; `drop` gives the
        // buffers away where a completion is still due. The limit of an alarm is read when the ring is
        // entered, which its caller does.
        while unsafe { self.ring.submission().push_multiple(entries) }.is_err() {
            self.enter(Wait::Not)?;
        }
        Ok(())
    }

    /// Hands over what was pushed, and waits where that is asked and nothing is done.
    fn enter(&mut self, wait: Wait) -> io::Result<()> {
        loop {
            let submitter = self.ring.submitter();
            let entered = match wait {
                Wait::Not => submitter.submit_and_wait(0),
                Wait::ForCompletion => submitter.submit_and_wait(1),
                Wait::AtMost(limit) => submitter.submit_with_args(1, &SubmitArgs::new().timespec(&limit)),
            };
            match entered {
                Ok(_) => {}
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
            // The kernel may take only some, and then it has not waited either. Again, because what is left
            // in the ring would wait for the next turn of the loop, which may sleep until a completion comes
            // that was never asked for.
            if self.ring.submission().is_empty() {
                self.is_answered_at_once = self.is_cached && self.ring.completion().len() >= self.in_flight;
                return Ok(());
            }
        }
    }

    fn take_completions(&mut self, completions: &mut Vec<Completion>) {
        let Self { ring, written, in_flight, alarm_ns, clock, .. } = self;
        let done = ring.completion();
        if done.is_empty() {
            return;
        }
        // One stamp for the batch: all of them were done when it was taken.
        let completed_at_ns = clock.now_ns();
        for entry in done {
            let (data, mut result) = (entry.user_data(), entry.result());
            if data == ALARM {
                *alarm_ns = None;
                continue;
            }
            let slot = u32::try_from(data & u64::from(u32::MAX)).expect("the low half is the slot");
            if data & WRITE_PART != 0 {
                written[slot as usize] = result;
                continue;
            }
            if data & FLUSH_PART != 0 {
                let write = written[slot as usize];
                // The flush is dropped after a failed write, and after a short one, which the loop tells as
                // such.
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
    fn submit(&mut self, requests: &[Request], handing: Handing) -> io::Result<()> {
        // The kernel passes requests on to the device when it has prepared all of a call. A device that has
        // the first one meanwhile, and others from before, is not idle: of 32 direct reads on a virtual disk,
        // eight at a time had 6 % fewer IOPS than one by one. So a batch begins with one, and goes on with
        // twice as many each time. The page cache has no time to be idle in: where it has what was asked for, more calls
        // are nothing but their cost, 0.02 µs for each of 32 reads in seven calls.
        let (mut at_once, mut until) = (1, if self.is_answered_at_once { usize::MAX } else { 1 });
        for (position, request) in requests.iter().enumerate() {
            if position == until {
                self.enter(Wait::Not)?;
                at_once = (2 * at_once).min(self.most_at_once);
                until += at_once;
            }
            let entry = self.entry(request);
            if request.durability == Durability::Fdatasync {
                // A write and its flush go out together: the end of a submission would part them.
                let flushed = self.flushed(entry, request);
                self.push(&flushed)?;
            } else {
                self.push(&[entry])?;
            }
            self.in_flight += 1;
        }
        match handing {
            Handing::AtOnce => self.enter(Wait::Not),
            Handing::WithReap => Ok(()),
        }
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        if self.kind == RingKind::Polled {
            return self.poll(completions, wait_until_ns);
        }
        let before = completions.len();
        let has_pushed = !self.ring.submission().is_empty();
        // What is there now was done before the next I/Os are handed over, which takes its time.
        self.take_completions(completions);
        if completions.len() > before {
            return if has_pushed { self.enter(Wait::Not) } else { Ok(()) };
        }
        if wait_until_ns > self.clock.now_ns() {
            self.enter_and_wait(wait_until_ns)?;
        // The kernel keeps completions to itself where it may not interrupt the thread; a flag tells.
        } else if has_pushed || self.ring.submission().taskrun() {
            self.enter(Wait::Not)?;
        }
        self.take_completions(completions);
        Ok(())
    }

    fn buffer(&self, slot: u32) -> &[u8] {
        self.buffers.slot(slot)
    }

    fn setup(&self) -> QueueSetup {
        let (buffers, huge_pages) = self.buffers.size_and_huge_pages();
        QueueSetup {
            ring: Some(self.kind.as_str().to_owned()),
            registered_files: Some(self.files_registered),
            registered_buffers: Some(self.buffers_registered),
            flush_workers: self.flush_workers,
            buffers,
            huge_pages,
            ..QueueSetup::default()
        }
    }
}

/// Closing a ring does not wait for its I/Os: where some are in flight, the kernel keeps writing to
/// their buffers, so these are never given back.
impl<C> Drop for UringQueue<C> {
    fn drop(&mut self) {
        // The kernel takes a closed ring apart later. Until then registered files keep their file system
        // busy, so that who unmounts right after a run would be refused, and registered buffers count against
        // RLIMIT_MEMLOCK, so that the next run might get none. A failure changes nothing for the better.
        if self.files_registered {
            let _ = self.ring.submitter().unregister_files();
        }
        if self.in_flight > 0 {
            std::mem::forget(std::mem::replace(
                &mut self.buffers,
                SlotBuffers::new(&[], &mut Random::new(0, RandomStream::Buffers(0))),
            ));
        } else if self.buffers_registered {
            let _ = self.ring.submitter().unregister_buffers();
        }
    }
}

/// How long a call stays in the kernel for something to be done.
#[derive(Clone, Copy)]
enum Wait {
    Not,
    ForCompletion,
    AtMost(Timespec),
}

/// Lets as many flushes go on at once as there may be, and gives how many the kernel lets; `None` where it
/// does not tell, which it does from Linux 5.15 on.
///
/// A ring hands every flush to a worker of the kernel, which has as many as the ring has entries but at most
/// four for each CPU (`io_wq_create`): more commits than that would wait for a worker instead of for the
/// device.
fn flush_workers(ring: &IoUring, flushing: u32) -> Option<u32> {
    // Zeros ask for the numbers of bounded and unbounded workers and change nothing.
    let mut most = [0; 2];
    ring.submitter().register_iowq_max_workers(&mut most).ok()?;
    let [bounded, _] = most;
    let is_enough = bounded >= flushing;
    if is_enough || ring.submitter().register_iowq_max_workers(&mut [flushing, 0]).is_err() {
        return Some(bounded);
    }
    Some(flushing)
}

/// Whether I/Os on a file go through the page cache.
fn is_cached(file: &File) -> bool {
    rustix::fs::fcntl_getfl(file).is_ok_and(|flags| !flags.contains(rustix::fs::OFlags::DIRECT))
}

/// Whether the same call may succeed later: a timeout, a signal, a lack of memory, completions that are to be
/// taken first and that the kernel keeps meanwhile.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(INTERRUPTED | TIMED_OUT | BUSY | AGAIN))
}

const INTERRUPTED: i32 = 4;
const AGAIN: i32 = 11;
const BUSY: i32 = 16;
const TIMED_OUT: i32 = 62;
const CANCELLED: i32 = 125;

/// Reads the first page of a file that was opened for direct I/O through a polled ring, to see whether that
/// is possible.
pub(crate) fn read_polled(file: &File) -> io::Result<()> {
    const LENGTH: u32 = 4096;
    let mut ring: IoUring = IoUring::builder().setup_iopoll().build(1)?;
    let mut buffers = SlotBuffers::new(&[LENGTH], &mut Random::new(0, RandomStream::Buffers(0)));
    let pointer = buffers.slot_mut(0).as_mut_ptr();
    let entry = opcode::Read::new(Fd(file.as_raw_fd()), pointer, LENGTH).offset(0).build();
    // SAFETY: the buffer lives until the completion is there: nothing below returns before, unless the ring
    // is broken, and then the buffer is given away.
    unsafe { ring.submission().push(&entry) }.expect("an empty ring has room");
    let result = loop {
        match ring.submitter().submit_and_wait(0) {
            Ok(_) => {}
            Err(error) if is_passing(&error) => {}
            Err(error) => {
                std::mem::forget(buffers);
                return Err(error);
            }
        }
        if let Some(completion) = ring.completion().next() {
            break completion.result();
        }
    };
    match result {
        0.. => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}

/// Why io_uring cannot be used here; `None` where it can.
pub(crate) fn refusal() -> Option<String> {
    let refused = |error| format!("the kernel refuses io_uring: {error}");
    let mut ring = match IoUring::new(4) {
        Ok(ring) => ring,
        Err(error) => return Some(refused(error)),
    };
    let parameters: &Parameters = ring.params();
    if !parameters.is_feature_ext_arg() {
        return Some("io_uring of this kernel is older than Linux 5.11".to_owned());
    }
    // A container may let rings be made and deny their use, which would fail the run when its first I/O is submitted.
    // SAFETY: a request that does nothing refers to no memory.
    unsafe { ring.submission().push(&opcode::Nop::new().build()) }.expect("an empty ring has room");
    let entered = ring.submitter().submit_and_wait(1);
    entered.err().filter(|error| !is_passing(error)).map(refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Content;
    use crate::queue::tests::{BLOCK, sees_what_was_written};
    use crate::targets::NO_FLAGS;
    use iotrial_measure::clock::MonotonicClock;

    const A_WHILE_NS: u64 = 2 * ALARM_FROM_NS;

    #[test]
    fn the_loop_can_look_at_what_was_read_and_written() {
        if let Some(refusal) = refusal() {
            return eprintln!("skipped: {refusal}");
        }
        let place = tempfile::tempdir().unwrap();
        let (plan, prepared) = crate::test_plan::laid_out(place.path());
        let clock = MonotonicClock::before_start();
        clock.start();
        let areas: Arc<[OpenArea]> = prepared.areas.open(NO_FLAGS).unwrap();
        let ring = prepared.areas.tuning.ring_for(&plan, &areas, &|| false);
        let mut random = Random::new(1, RandomStream::Buffers(0));
        let mut queue = UringQueue::new(clock.clone(), &areas, &[BLOCK; 2], 0, ring, &mut random).unwrap();
        sees_what_was_written(&mut queue, &clock, areas[0].content);
    }

    #[test]
    fn a_wait_for_nothing_ends_at_its_limit_short_or_long() {
        if let Some(refusal) = refusal() {
            return eprintln!("skipped: {refusal}");
        }
        let clock = MonotonicClock::before_start();
        clock.start();
        let areas: Arc<[OpenArea]> = Arc::new([]);
        let mut queue = UringQueue::new(
            clock,
            &areas,
            &[4096],
            0,
            RingKind::Cooperative,
            &mut Random::new(1, RandomStream::Copy(0)),
        )
        .unwrap();
        let mut completions = Vec::new();
        // The first long one sets an alarm, the next is longer and meets it, the last is shorter than any.
        for wait_ns in [A_WHILE_NS, 5 * A_WHILE_NS, ALARM_FROM_NS / 10] {
            let until_ns = queue.clock.now_ns() + wait_ns;
            let mut reaps = 0;
            while queue.clock.now_ns() < until_ns {
                queue.reap(&mut completions, until_ns).unwrap();
                reaps += 1;
            }
            assert!(completions.is_empty() && queue.in_flight == 0, "an alarm is not an I/O");
            // An alarm of an earlier wait may end one early, and a timer may be some ns before the clock.
            assert!(reaps <= 10, "{reaps} reaps for one wait: it is spun away");
        }
    }

    #[test]
    fn reads_that_the_page_cache_answers_go_out_in_one_call_and_direct_ones_in_several() {
        use std::io::Write as _;
        use std::os::unix::fs::OpenOptionsExt as _;

        if let Some(refusal) = refusal() {
            return eprintln!("skipped: {refusal}");
        }
        const READS: u32 = 8;
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![7; 4096 * READS as usize]).unwrap();
        file.as_file().sync_all().unwrap();
        // How many reads of a batch wait in the ring for the call that also reaps.
        let waiting = |flags: rustix::fs::OFlags| {
            let flags = i32::try_from(flags.bits()).unwrap();
            let file = File::options().read(true).custom_flags(flags).open(file.path()).ok()?;
            let areas: Arc<[OpenArea]> = Arc::new([OpenArea { file, content: Content::new(0, 0) }]);
            let clock = MonotonicClock::before_start();
            clock.start();
            let (kind, mut random) = (RingKind::Cooperative, Random::new(1, RandomStream::Copy(0)));
            let mut queue =
                UringQueue::new(clock, &areas, &[4096; READS as usize], 0, kind, &mut random).unwrap();
            let read = |slot| Request {
                slot,
                area: 0,
                offset: u64::from(slot) * 4096,
                length: 4096,
                direction: Direction::Read,
                durability: Durability::None,
                generation: 0,
            };
            let reads: Vec<Request> = (0..READS).map(read).collect();
            let mut waiting = 0;
            // Not only twice: a kernel short of memory may have dropped the pages.
            for _ in 0..20 {
                queue.submit(&reads, Handing::WithReap).unwrap();
                waiting = queue.ring.submission().len();
                let mut completions = Vec::new();
                while completions.len() < READS as usize {
                    queue.reap(&mut completions, u64::MAX).unwrap();
                }
                assert!(completions.iter().all(|one| one.outcome == Outcome::Bytes(4096)));
                if waiting == READS as usize {
                    break;
                }
            }
            Some(waiting)
        };
        assert_eq!(waiting(rustix::fs::OFlags::empty()), Some(READS as usize));
        // A file system without direct I/O refuses it.
        assert!(waiting(rustix::fs::OFlags::DIRECT).is_none_or(|waiting| waiting < READS as usize));
    }

    #[test]
    fn one_alarm_serves_all_waits_that_end_after_it() {
        if let Some(refusal) = refusal() {
            return eprintln!("skipped: {refusal}");
        }
        let clock = MonotonicClock::before_start();
        clock.start();
        let file = tempfile::tempfile().unwrap();
        file.set_len(4096).unwrap();
        let areas: Arc<[OpenArea]> = Arc::new([OpenArea { file, content: Content::new(0, 0) }]);
        let mut queue = UringQueue::new(
            clock,
            &areas,
            &[4096],
            0,
            RingKind::Cooperative,
            &mut Random::new(1, RandomStream::Copy(0)),
        )
        .unwrap();
        let read = Request {
            slot: 0,
            area: 0,
            offset: 0,
            length: 4096,
            direction: Direction::Read,
            durability: Durability::None,
            generation: 0,
        };
        let hour_ns = 3_600_000_000_000;
        let mut completions = Vec::new();
        let mut alarms = Vec::new();
        for wait_ns in [hour_ns, 2 * hour_ns, hour_ns / 2] {
            queue.submit(&[read], Handing::WithReap).unwrap();
            while completions.is_empty() {
                queue.reap(&mut completions, wait_ns).unwrap();
            }
            completions.clear();
            alarms.push(queue.alarm_ns);
        }
        assert_eq!(alarms, [Some(hour_ns), Some(hour_ns), Some(hour_ns / 2)]);
    }
}
