//! The writer: batches of writes, a flush behind each, and a promise to the journal behind the flush.

use std::io;
use std::sync::Arc;

use iotrial_measure::clock::{Clock, MonotonicClock};
use iotrial_measure::control::Control;
use iotrial_measure::random::{Random, RandomStream};
use iotrial_measure::recorder::Outcome;
use iotrial_model::crash::{ArmEnd, Armed, ArmedRun};
use iotrial_model::histogram::{LatencyHistogram, LatencyRecorder};
use iotrial_model::load::{Direction, Durability};

use super::journal::{Entry, Lines, p50_ns};
use super::schedule_of;
use crate::queue::{Completion, Handing, IoQueue, Request};
use crate::targets::{HeldAreas, NO_FLAGS, OpenAreaError};
use crate::threads::ThreadsQueue;

/// Writes that are under way at once.
// Enough that a device reorders them, and few enough that threads serve them.
const SLOTS: u32 = 8;

/// While a device keeps its I/Os, the brake is looked at so often.
const PATIENCE_NS: u64 = 100_000_000;

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
/// The area was filled with generation 0 and flushed. With [`Durability::Dsync`] each write is durable by itself, and there is no flush.
///
/// # Errors
///
/// When the journal, the target or the threads cannot be had. The journal then covers whatever may be under way.
pub fn write_until_stopped(
    areas: &HeldAreas,
    armed: &Armed,
    durability: Durability,
    sink: &mut dyn JournalSink,
    control: &Control,
    progress: &mut dyn FnMut(Written),
) -> Result<ArmedRun, WriteError> {
    let clock = MonotonicClock::before_start();
    clock.start();
    let open = areas.open(NO_FLAGS)?;
    let page = u32::try_from(armed.page_bytes).expect("a page is at most 1 MiB");
    // Every byte that is written comes from the stamp of its sector.
    let mut random = Random::new(0, RandomStream::Buffers(0));
    let lengths = [page; SLOTS as usize];
    let mut queue =
        ThreadsQueue::new(clock.clone(), &open, &lengths, &mut random).map_err(WriteError::Queue)?;
    let flushed = Arc::clone(&open);
    let flush = move || flushed[0].file.sync_data();
    let is_flushed = durability != Durability::Dsync;
    let durability = if is_flushed { Durability::None } else { durability };
    let writer = Writer { armed, durability, clock, slots: SLOTS, flush: is_flushed.then_some(&flush) };
    writer.write(&mut queue, sink, control, progress)
}

/// A writer on any queue.
pub(super) struct Writer<'w, C> {
    pub(super) armed: &'w Armed,
    pub(super) durability: Durability,
    pub(super) clock: C,
    pub(super) slots: u32,
    /// `None` where each write is durable by itself.
    pub(super) flush: Option<&'w dyn Fn() -> io::Result<()>>,
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
            if let Err(os_error) = self.batch(queue, durable..issued, control)? {
                break (ArmEnd::WriteFailed, os_error);
            }
            // All writes came back before the flush is asked for: only those it promises.
            let mut flush_ns = 0;
            if let Some(flush) = self.flush {
                let begin_ns = self.clock.now_ns();
                // Never tried again: Linux takes the pages for clean then, and the second flush succeeds without them.
                if let Err(error) = flush() {
                    break (ArmEnd::FlushFailed, error.raw_os_error());
                }
                flush_ns = self.clock.now_ns() - begin_ns;
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

    /// Writes a batch and waits for all of it; the inner error is that of the first write that failed, with the number that the system
    /// gave, where it gave one.
    fn batch<Q: IoQueue>(
        &self,
        queue: &mut Q,
        batch: std::ops::Range<u64>,
        control: &Control,
    ) -> Result<Result<(), Option<i32>>, WriteError> {
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
        let (mut under_way, mut result) = (first.len(), Ok(()));
        let mut completions: Vec<Completion> = Vec::new();
        while under_way > 0 {
            if control.is_aborted() {
                return Err(WriteError::Aborted);
            }
            let until_ns = self.clock.now_ns() + PATIENCE_NS;
            queue.reap(&mut completions, until_ns).map_err(WriteError::Queue)?;
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
        Ok(result)
    }
}
