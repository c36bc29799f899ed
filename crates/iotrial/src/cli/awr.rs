//! Options of `awr`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use iotrial_analysis::awr::{Level, Method, SizeRequest};

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
  # a demand at the 95th percentile with machine and memory, and what to buy for it
  iotrial awr ./reports --demand erp.toml
  iotrial size --demand erp.toml
  # sized as OMAT does, and by the highest minute
  iotrial awr ./reports --method omat
  iotrial awr awrminer.out --method peak

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

    #[command(flatten)]
    pub sizing: RightSizeArgs,

    #[command(flatten)]
    pub files: ReportFiles,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// How the machine and the storage that a database needs follow from what it used.
#[derive(Debug, Args)]
pub struct RightSizeArgs {
    /// The level to size for, and to write as the demand [default: p95].
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<DemandLevel>,

    /// How to size: by CPU time and measured rates, as Microsoft's OMAT does, or by the highest of everything.
    #[arg(long, value_name = "METHOD", default_value = "iotrial")]
    pub method: SizeMethod,

    /// The share of the CPUs that may be busy, in percent [default: 75; 100 for omat and peak].
    #[arg(long, value_name = "PERCENT", value_parser = parse_utilisation)]
    pub cpu_utilisation: Option<f64>,

    /// What CPU is multiplied by [default: 1 where the level was measured; 2 for one report, and for omat].
    #[arg(long, value_name = "N", value_parser = parse_factor)]
    pub factor_cpu: Option<f64>,

    /// What SGA and PGA are multiplied by [default: 1.25; 2 for omat].
    #[arg(long, value_name = "N", value_parser = parse_factor)]
    pub factor_memory: Option<f64>,

    /// What rates of I/O are multiplied by [default: as for CPU].
    #[arg(long, value_name = "N", value_parser = parse_factor)]
    pub factor_io: Option<f64>,
}

impl RightSizeArgs {
    /// The same in the words of the analysis.
    pub fn request(&self) -> SizeRequest {
        SizeRequest {
            method: match self.method {
                SizeMethod::Iotrial => Method::Iotrial,
                SizeMethod::Omat => Method::Omat,
                SizeMethod::Peak => Method::Peak,
            },
            level: self.level.map(|level| match level {
                DemandLevel::Average => Level::Average,
                DemandLevel::P95 => Level::P95,
                DemandLevel::P99 => Level::P99,
                DemandLevel::Peak => Level::Peak,
            }),
            cpu_utilisation: self.cpu_utilisation.map(|percent| percent / 100.0),
            factor_cpu: self.factor_cpu,
            factor_memory: self.factor_memory,
            factor_io: self.factor_io,
        }
    }
}

fn parse_utilisation(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse().ok().filter(|number| (1.0..=100.0).contains(number));
    number.ok_or_else(|| "the share of CPUs that may be busy is a percentage from 1 to 100".to_owned())
}

fn parse_factor(text: &str) -> Result<f64, String> {
    // Beyond that somebody typed a size.
    let number = text.parse().ok().filter(|number| (0.1..=100.0).contains(number));
    number.ok_or_else(|| "a factor is a number from 0.1 to 100".to_owned())
}

/// How to size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SizeMethod {
    /// By CPU time at a utilisation that leaves room, and rates as they were measured.
    Iotrial,
    /// As Microsoft's OMAT: by active sessions, everything twice.
    Omat,
    /// The highest of everything that was seen.
    Peak,
}

/// What is sized for, where there are several intervals.
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
