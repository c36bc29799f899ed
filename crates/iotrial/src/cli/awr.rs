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
  # several databases that share storage: what they ask together, and of two of them
  iotrial awr ./reports --demand all.toml --html fleet.html
  iotrial awr ./reports --database ERP --database CRM --clock ERP=-1:00

Reads HTML and text reports of 10.2 to 23ai (an instance, a RAC instance, a cluster, a pluggable database), Statspack text and \
the output of AWR-Miner, packed by gzip or Zstandard or not. Reports of RAC instances for the same snapshots are added up, and \
nothing is counted twice. `iotrial docs awr` says what is read, corrected and left out.

Exit codes: 0 all read; 1 some files could not be read; 2 wrong usage, or nothing could be read; 3 could not be carried out.")]
pub struct AwrArgs {
    /// Reports, folders of them, or - for standard input.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub reports: Vec<PathBuf>,

    /// Count only this database, by its name in the list; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub database: Vec<String>,

    /// Move the times of a database whose host has its clock in another time zone: `ERP=-1:00` is an hour back.
    #[arg(long, value_name = "NAME=HOURS", value_parser = ClockShift::parse, allow_hyphen_values = true)]
    pub clock: Vec<ClockShift>,

    /// Write what is asked for as a demand, which `size --demand` and `run --need` take. Of several databases it is what they ask at the same
    /// time.
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
        let wrong = || format!("`{text}` is no name with hours, such as `ERP=-1:00` or `ERP=+5:30`");
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
}
