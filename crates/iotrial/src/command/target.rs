//! placeholder
use crate::cli::TargetArgs;
use crate::failure::Failure;
use std::process::ExitCode;
pub fn target(_args: &TargetArgs) -> Result<ExitCode, Failure> {
    Err(Failure::execution(anyhow::anyhow!("not yet")))
}
