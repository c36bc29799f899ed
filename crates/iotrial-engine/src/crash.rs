//! Whether what was flushed survives a cut.
//!
//! A writer writes every page again and again, in an order that can be computed (`schedule`), and lets a journal elsewhere know how far
//! everything is flushed (`journal`) before it goes on. So at most one batch of writes is ever beyond the journal. After the cut, each page is
//! compared with the last write that must be there and the one that may (`judge`).

mod check;
pub mod journal;
mod judge;
mod schedule;
mod write;

pub use check::{CheckCrashError, TargetToCheck, check_crash, open_to_check};
pub use write::{JournalSink, WriteError, Written, write_until_stopped};

use iotrial_model::crash::Armed;

use schedule::Schedule;

/// The areas of a plan that arms have the one.
const AREA: u16 = 0;

fn schedule_of(armed: &Armed) -> Schedule {
    Schedule { key: armed.key, pages: armed.pages, flush_every: armed.flush_every }
}

#[cfg(test)]
mod tests;
