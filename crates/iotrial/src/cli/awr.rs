//! Options of `awr`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::report_files::ReportFiles;

/// Options of `awr`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # what one database asks of its storage
  iotrial awr awrrpt_1_812_813.html
  # average, percentiles and peak over a day of reports
  iotrial awr ./reports
  # the same for the others: as a page, or for a program
  iotrial awr ./reports --html day.html
  iotrial awr ./reports --json
  # a demand at the 95th percentile, and what to buy for it
  iotrial awr ./reports --demand erp.toml
  iotrial size --demand erp.toml

Reads HTML and text reports of 10.2 to 23ai (an instance, a RAC instance, a cluster, a pluggable database), Statspack text and \
the output of AWR-Miner, packed by gzip or Zstandard or not. Reports of RAC instances for the same snapshots are added up, and \
nothing is counted twice. `iotrial docs awr` says what is read, corrected and left out.

Exit codes: 0 all read; 1 some files could not be read; 2 wrong usage, or nothing could be read; 3 could not be carried out.")]
pub struct AwrArgs {
    /// Reports, folders of them, or - for standard input.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub reports: Vec<PathBuf>,

    /// Write what one database asks for as a demand, which `size --demand` and `run --need` take.
    #[arg(long, value_name = "FILE")]
    pub demand: Option<PathBuf>,

    /// Over several intervals, what the demand asks for.
    #[arg(long, value_name = "LEVEL", default_value = "p95", requires = "demand")]
    pub level: DemandLevel,

    #[command(flatten)]
    pub files: ReportFiles,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// What a demand asks for, where there are several intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DemandLevel {
    /// The mean over time.
    Average,
    /// What is not exceeded in 95 % of the time.
    P95,
    /// What is not exceeded in 99 % of the time.
    P99,
    /// The highest interval.
    Peak,
}
