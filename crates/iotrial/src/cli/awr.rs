//! Options of `awr`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum, ValueHint};
use iotrial_analysis::awr::SizeRequest;
use iotrial_model::awr::{Level, Method};

use crate::heading;
use crate::output_file::OutputFile;
use crate::report_files::ReportFiles;

/// Options of `awr`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # how much I/O does this database do?
  iotrial awr awrrpt_1_812_813.html
  # average, percentiles and peak over a day of reports
  iotrial awr ./reports
  # as a page, or for a program
  iotrial awr ./reports --html day.html
  iotrial awr ./reports --json
  # write a demand file (95th percentile), and find what to buy for it
  iotrial awr ./reports --demand erp.toml
  iotrial size --demand erp.toml
  # sized like Microsoft's OMAT, or by the highest values seen
  iotrial awr ./reports --method omat
  iotrial awr awrminer.out --method peak
  # several databases on shared storage: all together, or only two of them
  iotrial awr ./reports --demand all.toml --html fleet.html
  iotrial awr ./reports --database ERP --database CRM --clock ERP=-1:00
  # replay the same I/O: does a volume reach the reported latencies?
  iotrial awr ./reports --profile erp.toml --level peak
  iotrial run erp.toml --target /mnt/a
  # SLOB runs: IOPS and latency by number of sessions and hosts
  iotrial awr ./slob --slob --html slob.html

Reads HTML and text reports of Oracle 10.2 to 23ai (instance, RAC instance, cluster, pluggable database), Statspack text and AWR-Miner output; files may be compressed with gzip or Zstandard. Reports of RAC instances for the same snapshots are summed, and \
nothing is counted twice. `iotrial docs awr` explains what is read, corrected and left out.

Exit codes: 0 all files read; 1 some files could not be read, or are incomplete; 2 wrong usage, or nothing could be read; 3 failed.")]
pub struct AwrArgs {
    /// Reports, folders of reports, or - for standard input.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub reports: Vec<PathBuf>,

    /// Include only this database, named as in the output (repeatable).
    #[arg(long, value_name = "NAME")]
    pub database: Vec<String>,

    /// Shift the times of a database whose host is in another time zone: `ERP=-1:00` makes them one hour earlier (repeatable).
    #[arg(long, value_name = "NAME=±H:MM", value_parser = ClockShift::parse, allow_hyphen_values = true)]
    pub clock: Vec<ClockShift>,

    /// Write a demand file, which `size --demand` and `run --need` read. For several databases, their needs are summed at each point
    /// in time.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub demand: Option<OutputFile>,

    /// Write the I/O of one database as a profile for `run`, with the reported rates by role. The reported latencies
    /// become its threshold set, in a second file next to it (for erp.toml, erp.thresholds.toml).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profile: Option<OutputFile>,

    /// Multiply the profile's rates by this factor, such as 50% or 2x.
    #[arg(long, value_name = "FACTOR", default_value = "100%", requires = "profile")]
    pub scale: RateScale,

    #[command(flatten)]
    pub sizing: RightSizeArgs,

    /// Show the reports as SLOB runs: one row each, with SLOB's own figures; concurrent runs are summed.
    #[arg(long, conflicts_with_all = ["demand", "profile"], help_heading = heading::NONE)]
    pub slob: bool,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// How the machine and the storage that a database needs follow from what it used.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::SIZING)]
pub struct RightSizeArgs {
    /// Level to size for, and to write with --demand and --profile [default: p95].
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<DemandLevel>,

    /// Sizing method.
    #[arg(long, value_name = "METHOD", default_value = "iotrial")]
    pub method: SizeMethod,

    /// How busy the CPUs may be, in percent [default: 75; 100 for omat and peak].
    #[arg(long, value_name = "PERCENT", value_parser = parse_utilisation)]
    pub cpu_utilisation: Option<f64>,

    /// Multiply the CPU demand by this [default: 1; always 2 with --method omat; also 2 if the reports cover fewer than 20
    /// intervals and --level is not average].
    #[arg(long, value_name = "N", value_parser = parse_factor)]
    pub factor_cpu: Option<f64>,

    /// Multiply SGA and PGA by this [default: 1.25; 2 for omat].
    #[arg(long, value_name = "N", value_parser = parse_factor)]
    pub factor_memory: Option<f64>,

    /// Multiply I/O rates by this [default: the factor for CPU].
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
    /// By CPU time, with headroom, and by the measured I/O rates.
    Iotrial,
    /// Like Microsoft's tool for migrating Oracle (OMAT): by active sessions, all results doubled.
    Omat,
    /// By the highest values seen.
    Peak,
}

/// By how much the times of a database are moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockShift {
    /// The database.
    pub database: String,
    /// Seconds that are added to its times.
    pub seconds: i64,
}

impl ClockShift {
    /// No time zone is further from another one.
    const MOST_HOURS: i64 = 26;

    fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a name with hours, such as `ERP=-1:00` or `ERP=+5:30`");
        // From the right: a name may have the sign in it.
        let (database, hours) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (is_back, digits) = match hours.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, hours.strip_prefix('+').unwrap_or(hours)),
        };
        let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
        let number = |text: &str| text.parse::<u16>().map(i64::from).map_err(|_| wrong());
        let (hours, minutes) = (number(hours)?, number(minutes)?);
        if database.is_empty() || hours > Self::MOST_HOURS || minutes > 59 {
            return Err(wrong());
        }
        let seconds = hours * 3_600 + minutes * 60;
        Ok(Self { database: database.to_owned(), seconds: if is_back { -seconds } else { seconds } })
    }
}

/// What is sized for, where there are several intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DemandLevel {
    /// The mean over time.
    Average,
    /// The rate that is not exceeded 95 % of the time.
    P95,
    /// The rate that is not exceeded 99 % of the time.
    P99,
    /// The rate of the busiest interval.
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
        let factor = factor.ok_or_else(|| "give a factor such as 50% or 2x".to_owned())?;
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
    fn a_clock_is_moved_by_hours_and_minutes_with_a_sign() {
        let seconds = |text: &str| ClockShift::parse(text).map(|one| (one.database, one.seconds));
        assert_eq!(seconds("ERP=-1:30"), Ok(("ERP".to_owned(), -5_400)));
        assert_eq!(seconds("a=b=+5"), Ok(("a=b".to_owned(), 18_000)));
        for wrong in ["ERP", "ERP=", "=1", "ERP=1:60", "ERP=40", "ERP=--1", "ERP=1h"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

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
