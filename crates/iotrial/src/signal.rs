//! Ctrl-C and SIGTERM: the first stops cleanly, a second ends at once.

use iotrial_measure::control::Control;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A brake that signals pull. May be asked for once in the life of the program.
pub fn control_by_signals() -> Result<Arc<Control>, ctrlc::Error> {
    let control = Arc::new(Control::default());
    let pulled = Arc::clone(&control);
    let is_second = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        // A device that hangs keeps its I/Os for ever, so the second one waits for nothing, however late it comes.
        if is_second.swap(true, Ordering::Relaxed) {
            return pulled.abort();
        }
        pulled.stop();
        eprintln!("stopping when the I/Os in flight are done; a second signal leaves them");
    })?;
    Ok(control)
}
