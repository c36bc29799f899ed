//! Where no ring polls.

use crate::targets::ProbedTarget;

/// Why the targets cannot be polled.
#[derive(Debug, thiserror::Error)]
#[error("this operating system cannot poll for completions")]
pub struct PollingError;

/// Never succeeds.
///
/// # Errors
///
/// Always.
pub fn check_polling(_targets: &[ProbedTarget]) -> Result<(), PollingError> {
    Err(PollingError)
}
