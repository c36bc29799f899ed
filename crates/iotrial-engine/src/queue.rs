//! The boundary between the loop and a device: submit a batch, reap a batch.

use std::fs::File;
use std::io;

use iotrial_measure::recorder::Outcome;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::record::QueueSetup;

use crate::content::Content;

/// An area as a queue works on it.
#[derive(Debug)]
pub(crate) struct OpenArea {
    pub(crate) file: File,
    /// What writes put there.
    pub(crate) content: Content,
}

/// One I/O to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The place among the outstanding I/Os of the queue; free until its completion is reaped.
    pub slot: u32,
    /// Index into the plan's areas: which file or device.
    pub area: u32,
    /// From the start of the file or device, in bytes.
    pub offset: u64,
    /// Bytes to read or write.
    pub length: u32,
    /// Which of the two.
    pub direction: Direction,
    /// When a write counts as done; with a flush, both are one operation.
    pub durability: Durability,
    /// Which generation of its place a write makes, from 1 on; no two writes of a load make the same one. 0
    /// for a read.
    pub generation: u64,
}

/// One I/O that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The slot of its request.
    pub slot: u32,
    /// When the queue saw it done, on the clock of the run.
    pub completed_at_ns: u64,
    /// What came of it.
    pub outcome: Outcome,
}

/// When the operating system gets the requests of a submit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handing {
    /// Before the submit comes back.
    AtOnce,
    /// With the reap that follows at once, where one system call can do both; nothing is put off any longer.
    WithReap,
}

/// Does I/O for one thread.
///
/// Every slot has a buffer that the queue owns, large enough for the largest block of its lane and filled
/// with incompressible data; each write carries the stamp of its place and generation in every sector, so
/// that no two writes have the same content. What a device failed is an [`Outcome`]; an `io::Error` from
/// these two functions means that the queue itself is broken.
pub trait IoQueue {
    /// Hands all requests over. Their slots must be free.
    ///
    /// # Errors
    ///
    /// When the queue cannot take requests any more.
    fn submit(&mut self, requests: &[Request], handing: Handing) -> io::Result<()>;

    /// Appends what is done to `completions`. Where nothing is, waits for the first one, but at most
    /// until the clock shows `wait_until_ns`; it may come back earlier with nothing.
    ///
    /// # Errors
    ///
    /// When the queue cannot tell any more what is done.
    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()>;

    /// What the buffer of a slot holds: after a read, the bytes that were read. The slot's completion must
    /// have been reaped and its next request not be submitted: until then the buffer belongs to the device.
    /// Empty where the queue moves no bytes.
    fn buffer(&self, _slot: u32) -> &[u8] {
        &[]
    }

    /// What the operating system granted it, for the record. Nothing where it asks for nothing.
    fn setup(&self) -> QueueSetup {
        QueueSetup::default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use iotrial_measure::clock::{Clock as _, MonotonicClock};
    use iotrial_measure::random::{Random, RandomStream};

    use super::*;
    use crate::targets::NO_FLAGS;
    use crate::threads::ThreadsQueue;

    pub(crate) const BLOCK: u32 = 8192;
    /// Where the data of a managed file begins.
    const DATA: u64 = 1 << 20;

    /// Does one I/O in slot 1, and gives what is in its buffer then.
    fn done(queue: &mut impl IoQueue, clock: &MonotonicClock, offset: u64, generation: u64) -> Vec<u8> {
        let direction = if generation == 0 { Direction::Read } else { Direction::Write };
        let durability = Durability::None;
        let request = Request { slot: 1, area: 0, offset, length: BLOCK, direction, durability, generation };
        queue.submit(&[request], Handing::WithReap).unwrap();
        let mut completions = Vec::new();
        while completions.is_empty() {
            queue.reap(&mut completions, clock.now_ns() + 1_000_000_000).unwrap();
        }
        assert_eq!((completions[0].slot, completions[0].outcome), (1, Outcome::Bytes(BLOCK)));
        queue.buffer(1).to_vec()
    }

    /// What every queue that reaches a device does.
    pub(crate) fn sees_what_was_written(queue: &mut impl IoQueue, clock: &MonotonicClock, content: Content) {
        let block = BLOCK as usize;
        for offset in [DATA, DATA + 5 * u64::from(BLOCK)] {
            let mut expected = vec![0; block];
            content.fill(&mut expected, offset, 0);
            assert_eq!(done(queue, clock, offset, 0)[..block], expected, "as it was laid out");
            let written = done(queue, clock, offset, 77);
            content.stamp(&mut expected, offset, 77);
            assert_eq!(written[..block], expected, "the buffer held what was read, and is stamped");
            assert!(done(queue, clock, offset + u64::from(BLOCK), 0) != written, "another block");
            assert_eq!(done(queue, clock, offset, 0), written);
        }
    }

    #[test]
    fn the_loop_can_look_at_what_was_read_and_it_is_what_the_layout_or_the_last_write_put_there() {
        let place = tempfile::tempdir().unwrap();
        let (_, prepared) = crate::test_plan::laid_out(place.path());
        let clock = MonotonicClock::before_start();
        clock.start();
        let areas: Arc<[OpenArea]> = prepared.areas.open(NO_FLAGS).unwrap();
        let (content, mut random) = (areas[0].content, Random::new(1, RandomStream::Buffers(0)));
        let mut queue = ThreadsQueue::new(clock.clone(), &areas, &[BLOCK; 2], &mut random).unwrap();
        sees_what_was_written(&mut queue, &clock, content);
    }
}
