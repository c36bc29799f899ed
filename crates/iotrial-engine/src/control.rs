//! The brake of a run: one stop that drains, one that does not wait.

use std::sync::atomic::{AtomicU8, Ordering};

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
