//! Systems without the limits and signals of Unix.

use std::io::Write as _;

/// None: there are no signals that somebody could have asked to ignore.
#[derive(Debug)]
pub struct IgnoredSignals(());

impl IgnoredSignals {
    /// None.
    pub fn now() -> Self {
        Self(())
    }

    /// Does nothing.
    pub fn ignore_again(&self) {}
}

/// Does nothing: no file is limited.
pub fn survive_file_size_limit() {}

/// Nothing: this system has no such limit.
pub fn stop_at_cpu_time_limit() {}

/// Says a line, and ends the process.
pub(super) fn end_without_memory(message: &str, exit_code: i32) -> ! {
    // Standard error has no buffer, so that nothing is allocated.
    let _ = std::io::stderr().write_all(message.as_bytes());
    std::process::exit(exit_code)
}
