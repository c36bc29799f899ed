//! Ctrl-C, SIGTERM, a window that is closed and the like: the first stops cleanly, a second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use iotrial_measure::control::Control;
use iotrial_measure::process::catch_stop_requests;

use crate::failure::Failure;
use crate::output::say;

/// A brake that signals pull, and whether there is something in flight that the first of them waits for.
pub struct StopSignals {
    /// The brake.
    pub control: Arc<Control>,
    is_at_rest: Arc<AtomicBool>,
}

impl StopSignals {
    /// May be asked for once in the life of the program.
    ///
    /// Nothing is in flight yet: until [`StopSignals::begin`] a stop says nothing about I/Os.
    pub fn catch() -> Result<Self, Failure> {
        Self::saying(Some("stopping after the outstanding I/Os; press Ctrl-C again to stop at once"))
    }

    /// From now on there may be I/Os that a stop waits for.
    pub fn begin(&self) {
        self.is_at_rest.store(false, Ordering::Relaxed);
    }

    fn saying(words: Option<&'static str>) -> Result<Self, Failure> {
        let control = Arc::new(Control::default());
        let is_at_rest = Arc::new(AtomicBool::new(true));
        let (pulled, rests) = (Arc::clone(&control), Arc::clone(&is_at_rest));
        // A flag of its own: the brake may be pulled by other things than signals.
        let is_second = AtomicBool::new(false);
        let pull = move || {
            // A device that hangs keeps its I/Os for ever, so the second one waits for nothing, however late it comes.
            if is_second.swap(true, Ordering::Relaxed) {
                return pulled.abort();
            }
            // Asked before the brake, behind which whoever rests goes on.
            let words = words.filter(|_| !rests.load(Ordering::Relaxed));
            pulled.stop();
            if let Some(words) = words {
                say!("{words}");
            }
        };
        catch_stop_requests(pull).context("cannot catch Ctrl-C").map_err(Failure::execution)?;
        Ok(Self { control, is_at_rest })
    }
}

/// A brake that signals pull. May be asked for once in the life of the program.
pub fn control_by_signals() -> Result<Arc<Control>, Failure> {
    let signals = StopSignals::catch()?;
    signals.begin();
    Ok(signals.control)
}

/// The same of work that has nothing in flight, and ends without a word.
pub fn control_without_a_word() -> Result<Arc<Control>, Failure> {
    Ok(StopSignals::saying(None)?.control)
}
