//! All that is read of a host for some targets.

use std::io;
use std::path::{Path, PathBuf};

use iotrial_model::host_fact::HostReport;

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod os;
#[cfg(windows)]
#[path = "windows.rs"]
mod os;

/// Why a host cannot be read at all. What cannot be read of it is no error, but an unknown fact.
#[derive(Debug, thiserror::Error)]
pub enum ReadHostError {
    /// The target is not there, or may not be looked at.
    #[error("cannot examine `{}`", path.display())]
    Target {
        /// As it was given.
        path: PathBuf,
        /// What the operating system answered.
        #[source]
        source: io::Error,
    },
    /// The folder has no copy of a host.
    #[error("`{}` is not a copy of a host: it has no proc/self/mountinfo", folder.display())]
    NotACopy {
        /// As it was given.
        folder: PathBuf,
    },
    /// Only Linux reads copies.
    #[error("`{}`: copies of Linux hosts are read on Linux only", folder.display())]
    CopiesUnsupported {
        /// As it was given.
        folder: PathBuf,
    },
}

/// Reads this host, or the copy of another one, and the chain below each target. Changes nothing.
///
/// # Errors
///
/// When a target is not there, or the folder is not a copy of a host.
pub fn read_host(targets: &[PathBuf], captured: Option<&Path>) -> Result<HostReport, ReadHostError> {
    os::read_host(targets, captured)
}
