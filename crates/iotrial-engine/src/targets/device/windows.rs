//! Raw devices on Windows are refused: what guards them there (boot disk, page file, cluster, pool, locked
//! volumes) is not written yet.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::super::prepare_error::PrepareError;
use super::super::probe::{ProbeError, ProbedTarget};
use super::DeviceReport;

/// There is none.
#[derive(Debug)]
pub(crate) enum Claim {}

/// There is none.
#[derive(Debug)]
pub(crate) enum Claimed {}

impl Claimed {
    pub(crate) fn path(&self) -> &Path {
        match *self {}
    }

    pub(crate) fn open(&self, _writes: bool, _direct: bool) -> io::Result<File> {
        match *self {}
    }

    pub(crate) fn token_now(&self) -> io::Result<Option<String>> {
        match *self {}
    }
}

pub(crate) fn probe(
    path: PathBuf,
    _destroy: Option<&str>,
    _protected: &[PathBuf],
) -> Result<ProbedTarget, ProbeError> {
    Err(ProbeError::DevicesUnsupported { path })
}

pub(super) fn inspect(path: &Path, _protected: &[PathBuf]) -> Result<DeviceReport, ProbeError> {
    Err(ProbeError::DevicesUnsupported { path: path.to_owned() })
}

pub(crate) fn claim(
    claim: &Claim,
    _writes: bool,
    _stop: &(dyn Fn() -> bool + Sync),
) -> Result<Claimed, PrepareError> {
    match *claim {}
}
