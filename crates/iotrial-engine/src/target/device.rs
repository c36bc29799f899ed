//! Raw block devices.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::prepare::PrepareError;
use super::probe::{ProbeError, ProbedTarget};

/// What must still hold when the device is opened for writing.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
}

/// A device that is held.
#[derive(Debug)]
pub(crate) struct Claimed {
    path: PathBuf,
}

impl Claimed {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn open(&self, _writes: bool, _direct: bool) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// What is known of a device.
#[derive(Debug)]
pub struct DeviceReport {}

/// Looks.
///
/// # Errors
///
/// Always, for now.
pub fn inspect_device(path: &Path, _protected: &[PathBuf]) -> Result<DeviceReport, ProbeError> {
    Err(ProbeError::DevicesUnsupported { path: path.to_owned() })
}

pub(crate) fn probe(path: PathBuf, _: Option<&str>, _: &[PathBuf]) -> Result<ProbedTarget, ProbeError> {
    Err(ProbeError::DevicesUnsupported { path })
}

pub(crate) fn claim(claim: &Claim, _writes: bool) -> Result<Claimed, PrepareError> {
    Err(PrepareError::NotProbed { path: claim.path.clone() })
}
