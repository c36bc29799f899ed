//! The clock of a run: nanoseconds since the load started.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Tells the time of a run.
///
/// Zero is the start of the load, the same moment for all threads of a run. A real clock may be asked
/// before that moment and answers zero then.
pub trait Clock {
    /// How late a thread may wake up that sleeps until a time of this clock: a loop that must be on time
    /// sleeps so much less, and watches the clock for the rest.
    const WAKES_LATE_BY_NS: u64;

    /// Nanoseconds since the load started. Never goes back.
    fn now_ns(&self) -> u64;
}

/// The operating system's monotonic clock. Its clones share one zero.
#[derive(Debug, Clone)]
pub struct MonotonicClock {
    epoch: Instant,
    /// From the epoch to the start of the load; `u64::MAX` until then, so that the clock shows zero.
    start_ns: Arc<AtomicU64>,
}

impl MonotonicClock {
    /// A clock that shows zero until the load starts.
    pub fn before_start() -> Self {
        Self { epoch: Instant::now(), start_ns: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    /// The load starts now.
    pub fn start(&self) {
        self.start_ns.store(self.since_epoch_ns(), Ordering::Relaxed);
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "64 bits of nanoseconds are 584 years")]
    fn since_epoch_ns(&self) -> u64 {
        self.epoch.elapsed().as_nanos() as u64
    }
}

impl Clock for MonotonicClock {
    /// Timer, interrupt and scheduler of an idle virtual CPU.
    const WAKES_LATE_BY_NS: u64 = 50_000;

    #[inline]
    fn now_ns(&self) -> u64 {
        self.since_epoch_ns().saturating_sub(self.start_ns.load(Ordering::Relaxed))
    }
}

/// The clock of a simulated device: it stands still until the device moves it.
#[derive(Debug, Clone, Default)]
pub struct SimClock {
    now_ns: Rc<Cell<u64>>,
}

impl SimClock {
    /// Moves on to `ns`; a time that has passed changes nothing.
    pub fn advance_to(&self, ns: u64) {
        self.now_ns.set(self.now_ns.get().max(ns));
    }
}

impl Clock for SimClock {
    const WAKES_LATE_BY_NS: u64 = 0;

    #[inline]
    fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }
}
