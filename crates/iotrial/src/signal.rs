//! Ctrl-C, SIGTERM, a window that is closed and the like: the first stops cleanly, a second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use iotrial_measure::control::Control;
use iotrial_measure::process::catch_stop_requests;

use crate::failure::Failure;
use crate::output::say;

/// A brake that signals pull. May be asked for once in the life of the program.
pub fn control_by_signals() -> Result<Arc<Control>, Failure> {
    control_saying(Some("stopping after the outstanding I/Os; press Ctrl-C again to stop at once"))
}

/// The same of work that has nothing in flight, and ends without a word.
pub fn control_without_a_word() -> Result<Arc<Control>, Failure> {
    control_saying(None)
}

fn control_saying(words: Option<&'static str>) -> Result<Arc<Control>, Failure> {
    let control = Arc::new(Control::default());
    let pulled = Arc::clone(&control);
    // A flag of its own: the brake may be pulled by other things than signals.
    let is_second = AtomicBool::new(false);
    let pull = move || {
        // A device that hangs keeps its I/Os for ever, so the second one waits for nothing, however late it comes.
        if is_second.swap(true, Ordering::Relaxed) {
            return pulled.abort();
        }
        pulled.stop();
        if let Some(words) = words {
            say!("{words}");
        }
    };
    catch_stop_requests(pull).context("cannot catch Ctrl-C").map_err(Failure::execution)?;
    Ok(control)
}
