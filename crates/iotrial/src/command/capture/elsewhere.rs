//! Where there is no tracefs.

use std::time::Duration;

use anyhow::anyhow;
use iotrial_analysis::capture::CaptureAnswer;

use crate::cli::CaptureArgs;
use crate::failure::Failure;

/// Refuses it.
pub(super) fn live(_: &CaptureArgs, _: Duration) -> Result<(CaptureAnswer, bool), Failure> {
    let error = anyhow!("this system has no tracefs");
    Err(Failure::input(error).hint("trace on the Linux host of the database, or give a trace".to_owned()))
}
