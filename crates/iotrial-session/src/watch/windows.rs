//! Disks of Windows are not watched live yet.

use std::io;
use std::path::PathBuf;

use super::{WatchError, Watched};

pub(super) fn find(_: &[PathBuf]) -> Result<Watched, WatchError> {
    Err(WatchError::Counters(io::Error::new(
        io::ErrorKind::Unsupported,
        "disks are watched live on Linux only; on Windows let PerfMon count, and read its CSV",
    )))
}
