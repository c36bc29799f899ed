//! Counters of Windows are not read live yet; PerfMon's files are.

use std::io;

use super::DiskStatsSource;

pub(super) fn open() -> io::Result<Box<dyn DiskStatsSource + Send>> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "disks are watched live on Linux only; on Windows let PerfMon count, and read its CSV",
    ))
}
