//! Options of `awr`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgGroup, Args, ValueEnum};

use crate::report_files::ReportFiles;

/// Options of `awr`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("written").args(["demand", "profile"]).multiple(true))]
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
  # the same I/O as a load, and whether a volume carries it at the reported latencies
  iotrial awr ./reports --profile erp.toml --level peak
  iotrial run erp.toml --target /mnt/a
  # a series of SLOB runs: IOPS and latency over sessions, and how they scale over hosts
  iotrial awr ./slob --slob --html slob.html

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

    /// Write the I/O of one database as a profile, which `run` takes: its streams by role at the reported rates. The reported latencies
    /// become the threshold set that judges it, in a file beside it (`erp.thresholds.toml`).
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,

    /// The rates of the profile as a share or a multiple of the reported ones, such as 50% or 2x.
    #[arg(long, value_name = "SHARE", default_value = "100%", requires = "profile")]
    pub scale: RateScale,

    /// Over several intervals, what the demand or the profile asks for.
    #[arg(long, value_name = "LEVEL", default_value = "p95", requires = "written")]
    pub level: DemandLevel,

    /// Show runs of SLOB: a row for each report with SLOB's own figures, runs at the same time together, by sessions and hosts.
    #[arg(long, conflicts_with_all = ["demand", "profile"])]
    pub slob: bool,

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

/// By how much rates change: more than nothing, a thousand times at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateScale(pub f64);

impl FromStr for RateScale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const MOST: f64 = 1_000.0;
        let text = text.trim();
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let factor = match (text.strip_suffix('%'), text.strip_suffix(['x', 'X'])) {
            (Some(percent), _) => number(percent).map(|percent| percent / 100.0),
            (_, Some(times)) => number(times),
            // 2 may be two percent or twice as much.
            (None, None) => None,
        };
        let factor = factor.ok_or_else(|| "give a share or a multiple, such as 50% or 2x".to_owned())?;
        if factor > 0.0 && factor <= MOST {
            Ok(Self(factor))
        } else {
            Err("give more than 0 % and at most 1000x".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_a_share_or_a_multiple() {
        let check = |text: &str, expected: Option<f64>| {
            assert_eq!(text.parse::<RateScale>().ok().map(|scale| scale.0), expected, "{text}");
        };
        check("50%", Some(0.5));
        check("2x", Some(2.0));
        check("0.25 X", Some(0.25));
        check("150 %", Some(1.5));
        for wrong in ["2", "0%", "-1x", "nan%", "1001x", "x", "%", ""] {
            check(wrong, None);
        }
    }
}
