//! The boundary between the loop and a device: submit a batch, reap a batch.

use std::io;

use iotrial_measure::recorder::Outcome;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::record::QueueSetup;

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
/// Every slot has a buffer that the queue owns, large enough for the largest block of its lane and
/// filled with incompressible data; each write carries a stamp in every page, so that no two writes
/// have the same content. What a device failed is an [`Outcome`]; an `io::Error` from these two
/// functions means that the queue itself is broken.
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

    /// What the operating system granted it, for the record. Nothing where it asks for nothing.
    fn setup(&self) -> QueueSetup {
        QueueSetup::default()
    }
}
