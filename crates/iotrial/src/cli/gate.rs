//! Options about gates.

use clap::{Args, ValueHint};
use iotrial_analysis::comparison::Gate;

use crate::heading;
use crate::output_file::OutputFile;

/// Gates, and where else they are written.
#[derive(Debug, Clone, Args, Default)]
#[command(next_help_heading = heading::PASS)]
pub struct GateArgs {
    /// Condition that must hold, such as 'log.commit.p99 < 2ms' (repeatable). Gates decide the exit code; `iotrial docs compare`
    /// lists the metrics.
    #[arg(long = "gate", value_name = "EXPR")]
    pub gates: Vec<Gate>,

    /// Count an undecided gate as failed: exit code 1 instead of 4. A gate is undecided if the figures do not show whether it
    /// holds, for example because there are too few I/Os.
    #[arg(long, requires = "gates")]
    pub strict: bool,

    /// Write the gates as JUnit XML, one test case per gate; an undecided gate is a skipped test, with --strict a failed one.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "gates")]
    pub junit: Option<OutputFile>,

    /// Append the gates as Markdown to the GitHub Actions job summary, or to FILE.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, num_args = 0..=1, require_equals = true, requires = "gates")]
    pub github_summary: Option<Option<OutputFile>>,
}
