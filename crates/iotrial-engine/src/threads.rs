//! Positioned reads and writes, one thread for each outstanding I/O: works on every system.
//!
//! A durable write is one call where the system has it (`pwritev2` with `RWF_DSYNC` on Linux, as the ring
//! does it), and elsewhere the write and the flush of the file's data, timed as one operation.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use iotrial_measure::clock::Clock;
use iotrial_measure::random::Random;
use iotrial_measure::recorder::Outcome;
use iotrial_model::load::{Direction, Durability};

use crate::buffer::SlotBuffers;
use crate::queue::{Completion, Handing, IoQueue, OpenArea, Request};

#[cfg(target_os = "linux")]
#[path = "threads/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "threads/windows.rs"]
mod os;

/// The threads do nothing but one system call at a time.
const STACK_BYTES: usize = 128 * 1024;

/// A queue whose slots are threads.
pub(crate) struct ThreadsQueue<C> {
    clock: C,
    /// To the thread of each slot; dropping them ends the threads.
    requests: Vec<Sender<(Request, Box<SlotBuffers>)>>,
    completions: Receiver<(Completion, Box<SlotBuffers>)>,
    /// By slot. A buffer goes to the slot's thread with a request and comes back with its completion, so that
    /// whoever has it has it alone; `None` while it is away.
    buffers: Vec<Option<Box<SlotBuffers>>>,
}

impl<C: Clock + Clone + Send + 'static> ThreadsQueue<C> {
    /// Starts a thread for each slot; `lengths` are the largest I/Os of the slots in bytes.
    pub(crate) fn new(
        clock: C,
        areas: &Arc<[OpenArea]>,
        lengths: &[u32],
        random: &mut Random,
    ) -> io::Result<Self> {
        let (completed, completions) = mpsc::channel();
        let requests = lengths
            .iter()
            .map(|_| {
                let (sender, receiver) = mpsc::channel();
                let (areas, completed, clock) = (Arc::clone(areas), completed.clone(), clock.clone());
                thread::Builder::new()
                    .name("iotrial-io".to_owned())
                    .stack_size(STACK_BYTES)
                    .spawn(move || serve(&receiver, &completed, &areas, &clock))?;
                Ok(sender)
            })
            .collect::<io::Result<_>>()?;
        let buffers = lengths.iter().map(|length| Some(Box::new(SlotBuffers::new(&[*length], random))));
        Ok(Self { clock, requests, completions, buffers: buffers.collect() })
    }
}

impl<C> ThreadsQueue<C> {
    /// Takes what is done, without waiting.
    fn take_completions(&mut self, completions: &mut Vec<Completion>) {
        for (completion, buffers) in self.completions.try_iter() {
            self.buffers[completion.slot as usize] = Some(buffers);
            completions.push(completion);
        }
    }
}

fn serve(
    requests: &Receiver<(Request, Box<SlotBuffers>)>,
    completed: &Sender<(Completion, Box<SlotBuffers>)>,
    areas: &[OpenArea],
    clock: &impl Clock,
) {
    for (request, mut buffers) in requests {
        let OpenArea { file, content } = &areas[request.area as usize];
        let length = request.length as usize;
        let result = match request.direction {
            Direction::Read => {
                let buffer = &mut buffers.slot_mut(0)[..length];
                content.poison(buffer, request.offset);
                os::read_at(file, buffer, request.offset)
            }
            Direction::Write => {
                let buffer = &mut buffers.slot_mut(0)[..length];
                content.stamp(buffer, request.offset, request.generation);
                match request.durability {
                    Durability::None => os::write_at(file, buffer, request.offset),
                    Durability::Dsync => os::write_durably_at(file, buffer, request.offset),
                    Durability::Fdatasync => write_and_flush_at(file, buffer, request.offset),
                }
            }
        };
        let outcome = match result {
            Ok(bytes) => Outcome::Bytes(u32::try_from(bytes).unwrap_or(u32::MAX)),
            Err(error) => Outcome::Error(error.raw_os_error().unwrap_or_default()),
        };
        // Stamped here and not where it is reaped: between the two lies the wake-up of another thread, which
        // is not the device's.
        let completion = Completion { slot: request.slot, completed_at_ns: clock.now_ns(), outcome };
        // Whoever would take it is gone: the load is over, or was aborted.
        if completed.send((completion, buffers)).is_err() {
            return;
        }
    }
}

fn write_and_flush_at(file: &File, buffer: &[u8], offset: u64) -> io::Result<usize> {
    let bytes = os::write_at(file, buffer, offset)?;
    // Data and length, but not the times: databases ask no more of a log (`fdatasync`), and it spares the
    // journal a write where nothing but the times changed.
    file.sync_data().map(|()| bytes)
}

impl<C: Clock> IoQueue for ThreadsQueue<C> {
    fn submit(&mut self, requests: &[Request], _handing: Handing) -> io::Result<()> {
        for request in requests {
            let slot = request.slot as usize;
            let buffers = self.buffers[slot].take().expect("a slot is free until its completion is reaped");
            self.requests[slot].send((*request, buffers)).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(())
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        let before = completions.len();
        self.take_completions(completions);
        let wait_ns = wait_until_ns.saturating_sub(self.clock.now_ns());
        if completions.len() > before || wait_ns == 0 {
            return Ok(());
        }
        match self.completions.recv_timeout(Duration::from_nanos(wait_ns)) {
            // Others may have come in while this one woke the thread: they are taken in the same turn.
            Ok((first, buffers)) => {
                self.buffers[first.slot as usize] = Some(buffers);
                completions.push(first);
                self.take_completions(completions);
                Ok(())
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn buffer(&self, slot: u32) -> &[u8] {
        self.buffers[slot as usize].as_ref().map_or(&[], |buffers| buffers.slot(0))
    }
}
