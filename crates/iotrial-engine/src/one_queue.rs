//! The loop on a queue of the caller's, in the caller's thread: how a benchmark sees what the loop does and
//! when.

use std::io;
use std::sync::mpsc;

use iotrial_measure::clock::Clock;
use iotrial_measure::control::Control;
use iotrial_measure::window::Window;
use iotrial_model::plan::Plan;
use iotrial_model::record::JobCounts;

use crate::drive::{Driver, Wiring};
use crate::lane::{JobCopy, Lane};
use crate::queue::IoQueue;

/// What the loop counted over all phases.
#[derive(Debug)]
pub struct OneQueueOutcome {
    /// In the order of the plan.
    pub jobs: Vec<JobCounts>,
    /// I/Os of open loads that were due by the end and never issued, all jobs together.
    pub backlog_count: u64,
}

/// Drives every job of the plan on one queue until its last phase is over.
///
/// The plan's engine and threads mean nothing here. The clock has to have started, and has to be the one that
/// the queue waits and stamps by.
///
/// # Errors
///
/// When the queue broke.
pub fn drive_one_queue<Q: IoQueue, C: Clock>(plan: &Plan, queue: Q, clock: C) -> io::Result<OneQueueOutcome> {
    let windows = Window::all(plan);
    let control = Control::default();
    // Nobody takes the handovers before the end, so there is room for all of them.
    let (handover_sender, handovers) = mpsc::sync_channel(windows.len());
    let (_no_spares, spares) = mpsc::channel();
    let wiring =
        Wiring { worker: 0, plan, windows: &windows, control: &control, handovers: handover_sender, spares };
    Driver::new(queue, clock, Lane::of_copies(plan, JobCopy::all(plan)), wiring).run()?;
    let mut outcome = OneQueueOutcome { jobs: vec![JobCounts::default(); plan.jobs.len()], backlog_count: 0 };
    for mut handover in handovers {
        for (total, recorder) in outcome.jobs.iter_mut().zip(&mut handover.recorders) {
            total.merge(&recorder.take(None));
        }
        // What waited at the end of the last window is what was never issued; earlier ones were issued later.
        outcome.backlog_count = handover.backlog.iter().sum();
    }
    Ok(outcome)
}
