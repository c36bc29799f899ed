//! The brake of a run, which has one stop that drains and one that does not wait, and the decision to end a load that
//! has shown enough.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

const RUNNING: u8 = 0;
const STOPPING: u8 = 1;
const ABORTED: u8 = 2;

/// Shared by a run and whoever may stop it.
#[derive(Debug, Default)]
pub struct Control {
    state: AtomicU8,
    /// The brake of all that this run is a part of.
    whole: Option<Arc<Control>>,
}

impl Control {
    /// The brake of a part of something: it stops with the whole, and the whole does not stop with it.
    pub fn of_part(whole: &Arc<Self>) -> Self {
        Self { state: AtomicU8::default(), whole: Some(Arc::clone(whole)) }
    }

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
            || self.whole.as_ref().is_some_and(|whole| whole.is_stopping())
    }

    /// Whether nobody is to be waited for.
    pub fn is_aborted(&self) -> bool {
        self.state.load(Ordering::Relaxed) == ABORTED
            || self.whole.as_ref().is_some_and(|whole| whole.is_aborted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_stops_with_the_whole_and_the_whole_goes_on_without_it() {
        let whole = Arc::new(Control::default());
        let (first, second) = (Control::of_part(&whole), Control::of_part(&whole));
        first.abort();
        assert!(first.is_stopping() && first.is_aborted());
        assert!(!whole.is_stopping() && !second.is_stopping());
        whole.stop();
        assert!(second.is_stopping() && !second.is_aborted());
        whole.abort();
        assert!(second.is_aborted());
    }
}

/// What whoever looks at the intervals of a load decides after each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The load goes on as planned.
    GoOn,
    /// The load has shown enough and is complete. The figures are those of the time from here, counted from the start of
    /// the load, to the end of the interval; what was measured before becomes precondition.
    Complete {
        /// The start of an interval that begins a round.
        measured_from: Duration,
    },
}
