//! Options about gates.

use std::path::PathBuf;

use clap::Args;
use iotrial_analysis::comparison::Gate;

/// Gates, and where else they are told.
#[derive(Debug, Clone, Args, Default)]
pub struct GateArgs {
    /// A limit that a metric must keep to, such as 'log.commit.p99 < 2ms', or 'write.p99 <= +10%' against a baseline
    /// (`compare` only); may be repeated. The gates then decide the exit code.
    #[arg(long = "gate", value_name = "EXPR")]
    pub gates: Vec<Gate>,

    /// Take an undecided gate for a missed one: exit code 1 instead of 4.
    #[arg(long, requires = "gates")]
    pub strict: bool,

    /// Write the gates as JUnit XML: a test case for each, skipped where it is undecided.
    #[arg(long, value_name = "FILE", requires = "gates")]
    pub junit: Option<PathBuf>,

    /// Append the gates as Markdown to the summary of a GitHub Actions job, or to FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, requires = "gates")]
    pub github_summary: Option<Option<PathBuf>>,
}
