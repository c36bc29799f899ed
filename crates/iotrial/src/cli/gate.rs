//! Options about gates.

use std::path::PathBuf;

use clap::Args;
use iotrial_analysis::comparison::Gate;

use super::heading;

/// Gates, and where else they are written.
#[derive(Debug, Clone, Args, Default)]
#[command(next_help_heading = heading::PASS)]
pub struct GateArgs {
    /// Pass or fail by this limit: 'log.commit.p99 < 2ms', or with `compare` 'write.p99 <= +10%' against the baseline
    /// (repeatable). Gates decide the exit code.
    #[arg(long = "gate", value_name = "EXPR")]
    pub gates: Vec<Gate>,

    /// Count an undecided gate as failed: exit code 1 instead of 4.
    #[arg(long, requires = "gates")]
    pub strict: bool,

    /// Write the gates as JUnit XML: one test case per gate, skipped if undecided.
    #[arg(long, value_name = "FILE", requires = "gates")]
    pub junit: Option<PathBuf>,

    /// Append the gates as Markdown to the GitHub Actions job summary, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, requires = "gates")]
    pub github_summary: Option<Option<PathBuf>>,
}
