//! Data on standard output. Everything else goes to standard error.

use std::io::{ErrorKind, Write};

use anyhow::Context;
pub use iotrial_session::harmless;
use serde::Serialize;

use crate::failure::Failure;

/// Writes text as it is.
pub fn text(text: &str) -> Result<(), Failure> {
    bytes(text.as_bytes())
}

/// Writes bytes as they are. A reader that has seen enough (`| head`) is no error; a full disk is.
pub fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    // Flushed here: at the end of the program nobody could report that the disk is full.
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output").map_err(Failure::execution),
    }
}

/// Writes one JSON document.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut document = serde_json::to_string_pretty(value).expect("what is shown is plain data");
    // A line of its own, so that several documents in a file stay apart.
    document.push('\n');
    text(&document)
}
