//! Ctrl-C and SIGTERM: the first stops cleanly, a second within a second ends at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use iotrial_engine::control::Control;

/// A second signal within this time does not wait for I/Os in flight.
const IMPATIENT_MS: u64 = 1_000;

/// A brake that signals pull. May be asked for once in the life of the program.
pub fn control_by_signals() -> Result<Arc<Control>, ctrlc::Error> {
    let control = Arc::new(Control::default());
    let pulled = Arc::clone(&control);
    let start: OnceLock<Instant> = OnceLock::new();
    let last_ms = AtomicU64::new(u64::MAX);
    ctrlc::set_handler(move || {
        let now_ms = u64::try_from(start.get_or_init(Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX);
        let before_ms = last_ms.swap(now_ms, Ordering::Relaxed);
        if before_ms != u64::MAX && now_ms - before_ms < IMPATIENT_MS {
            pulled.abort();
        } else {
            pulled.stop();
        }
    })?;
    Ok(control)
}
