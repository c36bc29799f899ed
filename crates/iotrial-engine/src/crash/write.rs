//! The writer: batches of writes, a flush behind each, and a promise to the journal behind the flush.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use iotrial_measure::clock::{Clock, MonotonicClock};
use iotrial_measure::control::Control;
use iotrial_measure::random::{Random, RandomStream};
use iotrial_measure::recorder::Outcome;
use iotrial_model::crash::{ArmEnd, Armed, ArmedRun};
use iotrial_model::histogram::{LatencyHistogram, LatencyRecorder};
use iotrial_model::load::{Direction, Durability};

use super::journal::{Entry, Lines, p50_ns};
use super::schedule_of;
use crate::queue::{Completion, Handing, IoQueue, OpenArea, Request};
use crate::targets::{HeldAreas, NO_FLAGS, OpenAreaError};
use crate::threads::ThreadsQueue;
use crate::under_way::DEADLINES_WAITED;

/// Writes that are under way at once.
// Enough that a device reorders them, and few enough that threads serve them.
const SLOTS: u32 = 8;

/// While a device keeps its I/Os, the brake is looked at so often.
const LOOK: Duration = Duration::from_nanos(LOOK_NS);
const LOOK_NS: u64 = 100_000_000;

/// Where the journal is kept.
pub trait JournalSink {
    /// Brings a line to stable storage, and comes back when it is there.
    ///
    /// # Errors
    ///
    /// When it is not.
    fn keep(&mut self, line: &str) -> io::Result<()>;
}

/// How far the writer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Writes that were flushed, beside the filling.
    pub flushed_writes: u64,
    /// Flushes that came back.
    pub flushes: u64,
}

/// Why writing could not go on; what the storage failed is no error but an [`ArmEnd`].
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The journal takes no more entries.
    #[error("the journal cannot be written")]
    Journal(#[source] io::Error),
    /// The target cannot be opened.
    #[error(transparent)]
    Area(#[from] OpenAreaError),
    /// The threads that write cannot be started, or are gone.
    #[error("the I/O queue broke")]
    Queue(#[source] io::Error),
    /// The user wants an end at once, with I/Os that have not come back.
    #[error("stopped at once, with writes that have not come back")]
    Aborted,
}

/// Writes the pages of the one area until `control` stops it or the storage fails, with a promise in the journal behind each flush.
///
/// The area was filled with generation 0 and flushed. With [`Durability::Dsync`] each write is durable by itself, and there is no flush. Where
/// nothing comes back for eight times `io_deadline`, the storage hangs, and nobody waits for it.
///
/// # Errors
///
/// When the journal, the target or the threads cannot be had. The journal then covers whatever may be under way.
pub fn write_until_stopped(
    areas: &HeldAreas,
    armed: &Armed,
    durability: Durability,
    io_deadline: Duration,
    sink: &mut dyn JournalSink,
    control: &Control,
    progress: &mut dyn FnMut(Written),
) -> Result<ArmedRun, WriteError> {
    let waits_at_most = io_deadline * DEADLINES_WAITED;
    let clock = MonotonicClock::before_start();
    clock.start();
    let open = areas.open(NO_FLAGS)?;
    let page = u32::try_from(armed.page_bytes).expect("a page is at most 1 MiB");
    // Every byte that is written comes from the stamp of its sector.
    let mut random = Random::new(0, RandomStream::Buffers(0));
    let lengths = [page; SLOTS as usize];
    let mut queue =
        ThreadsQueue::new(clock.clone(), &open, &lengths, &mut random).map_err(WriteError::Queue)?;
    let is_flushed = durability != Durability::Dsync;
    let durability = if is_flushed { Durability::None } else { durability };
    let flusher = is_flushed.then(|| Flusher::start(&open)).transpose().map_err(WriteError::Queue)?;
    let flush = flusher.as_ref().map(|flusher| move || flusher.flush(waits_at_most, control));
    let flush = flush.as_ref().map(|flush| flush as &dyn Fn() -> Option<io::Result<Duration>>);
    let writer = Writer { armed, durability, clock, slots: SLOTS, waits_at_most, flush };
    writer.write(&mut queue, sink, control, progress)
}

/// A thread that flushes: one that is in a call to a device that hangs cannot be ended, and whoever made it could not write the journal.
struct Flusher {
    requests: Sender<()>,
    /// How long each flush took.
    flushes: Receiver<io::Result<Duration>>,
}

impl Flusher {
    fn start(areas: &Arc<[OpenArea]>) -> io::Result<Self> {
        let (requests, requested) = mpsc::channel();
        let (flushed, flushes) = mpsc::channel();
        let areas = Arc::clone(areas);
        thread::Builder::new().name("iotrial-flush".to_owned()).spawn(move || {
            for () in requested {
                // Here, without the time in which the other thread wakes up.
                let begin = Instant::now();
                let result = areas[0].file.sync_data().map(|()| begin.elapsed());
                // Nobody waits for one that hung.
                if flushed.send(result).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { requests, flushes })
    }

    /// Flushes once; `None` where that does not come back, or the user does not wait for it.
    fn flush(&self, waits_at_most: Duration, control: &Control) -> Option<io::Result<Duration>> {
        if self.requests.send(()).is_err() {
            return Some(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let mut waited = Duration::ZERO;
        while waited < waits_at_most && !control.is_aborted() {
            match self.flushes.recv_timeout(LOOK) {
                Ok(result) => return Some(result),
                // By looks and not by the clock: time in which this program stood still is none of the storage.
                Err(RecvTimeoutError::Timeout) => waited += LOOK,
                Err(RecvTimeoutError::Disconnected) => return Some(Err(io::ErrorKind::BrokenPipe.into())),
            }
        }
        None
    }
}

/// A writer on any queue.
pub(super) struct Writer<'w, C> {
    pub(super) armed: &'w Armed,
    pub(super) durability: Durability,
    pub(super) clock: C,
    pub(super) slots: u32,
    /// Storage from which nothing comes back for so long hangs.
    pub(super) waits_at_most: Duration,
    /// Answers with how long it took, or `None` where it does not come back. There is none where each write is durable by itself.
    pub(super) flush: Option<&'w dyn Fn() -> Option<io::Result<Duration>>>,
}

/// What came of a batch of writes.
enum BatchEnd {
    Written,
    /// With the number of the system's error for the first write that failed, where it gave one.
    Failed(Option<i32>),
    Hung,
}

impl<C: Clock> Writer<'_, C> {
    pub(super) fn write<Q: IoQueue>(
        &self,
        queue: &mut Q,
        sink: &mut dyn JournalSink,
        control: &Control,
        progress: &mut dyn FnMut(Written),
    ) -> Result<ArmedRun, WriteError> {
        let schedule = schedule_of(self.armed);
        let mut lines = Lines::default();
        let mut keep = |entry: &Entry| sink.keep(&lines.line(entry)).map_err(WriteError::Journal);
        keep(&Entry::Begin(Box::new(self.armed.clone())))?;
        let (mut durable, mut issued) = (schedule.first(), schedule.batch_end(schedule.first()));
        keep(&Entry::Flushed { durable, issued, flush_ns: 0 })?;
        let (mut flushes, mut times) = (0, LatencyRecorder::default());
        let (how, os_error) = loop {
            if control.is_stopping() {
                break (ArmEnd::Stopped, None);
            }
            match self.batch(queue, durable..issued, control)? {
                BatchEnd::Written => {}
                BatchEnd::Failed(os_error) => break (ArmEnd::WriteFailed, os_error),
                BatchEnd::Hung => break (ArmEnd::Hung, None),
            }
            // All writes came back before the flush is asked for: only those it promises.
            let mut flush_ns = 0;
            if let Some(flush) = self.flush {
                match flush() {
                    Some(Ok(took)) => flush_ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX),
                    // Never tried again: Linux takes the pages for clean then, and the second flush succeeds without them.
                    Some(Err(error)) => break (ArmEnd::FlushFailed, error.raw_os_error()),
                    None if control.is_aborted() => return Err(WriteError::Aborted),
                    None => break (ArmEnd::Hung, None),
                }
                times.record_ns(flush_ns);
            }
            flushes += 1;
            (durable, issued) = (issued, schedule.batch_end(issued));
            keep(&Entry::Flushed { durable, issued, flush_ns })?;
            progress(Written { flushed_writes: durable - schedule.first(), flushes });
        };
        keep(&Entry::End { durable, how })?;
        Ok(ArmedRun {
            armed: self.armed.clone(),
            ended: how,
            os_error,
            flushed_writes: durable - schedule.first(),
            flushes,
            flush_p50_ns: p50_ns(&LatencyHistogram::from(&times)),
        })
    }

    /// Writes a batch and waits for all of it, unless the storage hangs.
    fn batch<Q: IoQueue>(
        &self,
        queue: &mut Q,
        batch: std::ops::Range<u64>,
        control: &Control,
    ) -> Result<BatchEnd, WriteError> {
        let schedule = schedule_of(self.armed);
        let length = u32::try_from(self.armed.page_bytes).expect("a page is at most 1 MiB");
        let request = |slot, sequence| Request {
            slot,
            area: 0,
            offset: self.armed.first_byte + schedule.page_of(sequence) * self.armed.page_bytes,
            length,
            direction: Direction::Write,
            durability: self.durability,
            generation: sequence,
        };
        let mut left = batch;
        let first: Vec<Request> =
            (0..self.slots).zip(left.by_ref()).map(|(slot, one)| request(slot, one)).collect();
        queue.submit(&first, Handing::WithReap).map_err(WriteError::Queue)?;
        let (mut under_way, mut result, mut waited) = (first.len(), Ok(()), Duration::ZERO);
        let mut completions: Vec<Completion> = Vec::new();
        while under_way > 0 {
            if control.is_aborted() {
                return Err(WriteError::Aborted);
            }
            if waited >= self.waits_at_most {
                return Ok(BatchEnd::Hung);
            }
            let until_ns = self.clock.now_ns() + LOOK_NS;
            queue.reap(&mut completions, until_ns).map_err(WriteError::Queue)?;
            waited = if completions.is_empty() { waited + LOOK } else { Duration::ZERO };
            for completion in completions.drain(..) {
                under_way -= 1;
                match completion.outcome {
                    Outcome::Bytes(bytes) if bytes == length => {}
                    Outcome::Bytes(_) => result = result.and(Err(None)),
                    Outcome::Error(number) => result = result.and(Err(Some(number))),
                }
                // After a write that failed nothing more is written: what is there stays as it is.
                if result.is_ok()
                    && let Some(next) = left.next()
                {
                    queue
                        .submit(&[request(completion.slot, next)], Handing::AtOnce)
                        .map_err(WriteError::Queue)?;
                    under_way += 1;
                }
            }
        }
        Ok(result.map_or_else(BatchEnd::Failed, |()| BatchEnd::Written))
    }
}
