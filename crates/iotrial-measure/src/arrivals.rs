//! Where due times come from: a rate, or what was done before.

use std::collections::VecDeque;

use crate::pace::Pace;

/// Due times, one after the other.
#[derive(Debug)]
pub enum Arrivals {
    /// From a rate.
    Paced(Pace),
    /// One by one, from whoever knows of them: the completions of another job.
    Fed(VecDeque<u64>),
}

impl Arrivals {
    /// When the next I/O is due; `None` where that is not known yet.
    #[inline]
    pub fn next_due_ns(&self) -> Option<u64> {
        match self {
            Self::Paced(pace) => Some(pace.due_ns()),
            Self::Fed(due) => due.front().copied(),
        }
    }

    /// Goes on to the one after it.
    #[inline]
    pub fn advance(&mut self) {
        match self {
            Self::Paced(pace) => pace.advance(),
            Self::Fed(due) => drop(due.pop_front()),
        }
    }

    /// About how many I/Os are due at `now_ns` and not taken.
    pub fn backlog_estimate(&self, now_ns: u64) -> u64 {
        match self {
            Self::Paced(pace) => pace.backlog_estimate(now_ns),
            Self::Fed(due) => due.len() as u64,
        }
    }

    /// Gives up what is due before `now_ns` and not taken.
    pub fn give_up(&mut self, now_ns: u64) {
        match self {
            Self::Paced(pace) => pace.skip_to(now_ns),
            // As below: none of them lies ahead.
            Self::Fed(due) => due.clear(),
        }
    }

    /// Tells the due time of each of them, exactly, which takes as long as there are many.
    pub fn tell_backlog(&self, now_ns: u64, tell: impl FnMut(u64)) {
        match self {
            Self::Paced(pace) => pace.due_before(now_ns).for_each(tell),
            // All of them: each is the moment at which another I/O was done, so that none lies ahead.
            Self::Fed(due) => due.iter().copied().for_each(tell),
        }
    }
}
