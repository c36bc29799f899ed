//! The brake of a run, which has one stop that drains and one that does not wait, and the decision to end a
//! load that has shown enough.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use iotrial_model::record::Interval;

// In this order, so that the larger one wins: a stop that comes late must not take an abort back.
const RUNNING: u8 = 0;
const STOPPING: u8 = 1;
const ABORTED: u8 = 2;

/// Shared by a run and whoever may stop it.
#[derive(Debug, Default)]
pub struct Control {
    state: AtomicU8,
}

impl Control {
    /// Ends the load now and waits for the I/Os in flight.
    pub fn stop(&self) {
        // The number says everything; nothing else is read because of it, so that no order with other memory
        // is needed.
        self.state.fetch_max(STOPPING, Ordering::Relaxed);
    }

    /// Ends everything now; I/Os in flight are left to the operating system.
    pub fn abort(&self) {
        self.state.fetch_max(ABORTED, Ordering::Relaxed);
    }

    /// Whether the load is to end.
    #[inline]
    pub fn is_stopping(&self) -> bool {
        self.state.load(Ordering::Relaxed) != RUNNING
    }

    /// Whether nobody is to be waited for.
    pub fn is_aborted(&self) -> bool {
        self.state.load(Ordering::Relaxed) == ABORTED
    }
}

/// Looks at a load while it lasts. A function of intervals is one.
pub trait Watcher {
    /// An interval is over.
    fn interval(&mut self, interval: &Interval) -> Decision;

    /// Whether it may end the load behind any interval, and not only behind one that ends a round. CPU time and device counters are
    /// then read behind each of them.
    fn may_end_anywhere(&self) -> bool {
        false
    }

    /// The load has been over for so long, and not all of its I/Os are back. Comes again and again until they
    /// are.
    fn draining(&mut self, _since: Duration) {}
}

impl<F: FnMut(&Interval) -> Decision> Watcher for F {
    fn interval(&mut self, interval: &Interval) -> Decision {
        self(interval)
    }
}

/// What whoever looks at the intervals of a load decides after each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The load goes on as planned.
    GoOn,
    /// The load has shown enough and is complete. The figures are those of the time from here, counted from
    /// the start of the load, to the end of the interval; what was measured before becomes precondition.
    Complete {
        /// The start of an interval that begins a round, or of any where the watcher may end the load anywhere.
        measured_from: Duration,
    },
}
