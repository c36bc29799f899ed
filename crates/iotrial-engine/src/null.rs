//! The device that completes at once: what is left is the cost of the generator.

use std::io;
use std::thread;
use std::time::Duration;

use iotrial_measure::clock::Clock;
use iotrial_measure::recorder::Outcome;

use crate::queue::{Completion, Handing, IoQueue, Request};

/// Completes every request when it is reaped; without one it waits, as a device would.
pub(crate) struct NullQueue<C> {
    clock: C,
    done: Vec<(u32, u32)>,
}

impl<C: Clock> NullQueue<C> {
    pub(crate) fn new(clock: C, slot_count: usize) -> Self {
        Self { clock, done: Vec::with_capacity(slot_count) }
    }
}

impl<C: Clock> IoQueue for NullQueue<C> {
    fn submit(&mut self, requests: &[Request], _handing: Handing) -> io::Result<()> {
        self.done.extend(requests.iter().map(|request| (request.slot, request.length)));
        Ok(())
    }

    fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> io::Result<()> {
        // One stamp for all, as the ring gives it: what is measured with this engine is what the others cost
        // without their device.
        let completed_at_ns = self.clock.now_ns();
        if self.done.is_empty() && wait_until_ns > completed_at_ns {
            // Sleeping and not spinning: an open load that waits for its next arrival would otherwise show a
            // whole CPU as the generator's own.
            thread::sleep(Duration::from_nanos(wait_until_ns - completed_at_ns));
            return Ok(());
        }
        completions.extend(self.done.drain(..).map(|(slot, length)| Completion {
            slot,
            completed_at_ns,
            outcome: Outcome::Bytes(length),
        }));
        Ok(())
    }
}
