//! Options of `watch`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use iotrial_model::load::Role;
use iotrial_model::units::parse_duration;

use super::check::DatabaseArg;
use super::{completion, listen, size};
use crate::heading;
use crate::output_file::OutputFile;
use crate::report_files::ReportFiles;

/// Options of `watch`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # was the storage good enough last week? From a PerfMon log
  iotrial watch DB01.csv
  # say what each drive is for, and write a page for the customer
  iotrial watch DB01.csv --role data=D: --role log=L: --html db01.html
  # iostat, sar or sadf, also from standard input
  ssh db01 iostat -x -y 15 240 | iotrial watch -
  # one log file a day
  iotrial watch DB01_*.csv
  # two snapshots of sys.dm_io_virtual_file_stats or pg_stat_io
  iotrial watch before.csv after.csv
  # is it slower than last week, under the same load?
  iotrial watch week47.csv --baseline week46.csv
  # what should I buy to replace it?
  iotrial watch DB01.csv --demand db01.toml
  iotrial size --demand db01.toml
  # live: all disks, or only those below some directories
  iotrial watch
  iotrial watch /data /log --role data=/data --role log=/log
  # record ten minutes, then make a report from the recording
  iotrial watch /data --duration 10m --record data.jsonl
  iotrial watch data.jsonl --html data.html
  # for Prometheus, or as JSON for a program
  iotrial watch --listen 127.0.0.1:9464
  iotrial watch --json | jq -c '.disks[]?.read_latency_s'

iotrial reads a regular file as counters, and watches a directory or a block device live, with every underlying device. It generates no \
load and writes nothing to what it watches. `iotrial docs watch` has the queries for the snapshots, the thresholds, and the meaning of \
each observation.

Exit codes: 0 within the limits; 1 latencies are above the limits; 2 wrong usage or input; 3 failed; 4 undecided: idle disks, too few I/Os, no latencies, \
a single interval, or a disk that went away or was replaced.")]
pub struct WatchArgs {
    /// Counter files to read (PerfMon CSV, iostat, sar, sadf, snapshots, a recording, archives of them; - for standard input), or directories
    /// and devices to watch live [default: watch all disks of this host].
    #[arg(value_name = "FILE|DEVICE|DIRECTORY")]
    pub what: Vec<PathBuf>,

    /// Judge by the thresholds for this database: `sqlserver-whitepaper` for SQL Server, `flash` for the others [default: sqlserver].
    #[arg(long = "for", value_name = "DATABASE", ignore_case = true)]
    pub database: Option<DatabaseArg>,

    /// Threshold set to judge by: a name (see `iotrial thresholds`) or a TOML file (repeatable). The first one decides; the others are
    /// shown next to it.
    #[arg(long, value_name = "NAME|FILE", add = completion::thresholds(), conflicts_with = "database", help_heading = heading::PASS)]
    pub thresholds: Vec<String>,

    /// What a disk is for: data, tempdb, log, scan or backup (repeatable). DISK is a disk, a drive such as L:, or a watched directory.
    #[arg(long = "role", value_name = "ROLE=DISK", value_parser = parse_role, help_heading = heading::NONE)]
    pub roles: Vec<(Role, String)>,

    /// Look only at this disk (repeatable) [default: all whole disks].
    #[arg(long = "disk", value_name = "NAME")]
    pub disks: Vec<String>,

    /// Disks that should share one load evenly (repeatable). For a watched directory iotrial finds them itself.
    #[arg(long = "stripe", value_name = "DISK,DISK…", value_parser = parse_names)]
    pub stripes: Vec<Names>,

    /// Compare with the counters of a normal time in this file, such as those of last week: what the same load takes now.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub baseline: Option<PathBuf>,

    /// Write a demand file, which `size --demand` and `run --need` read: the load that was not exceeded in 95 % of the intervals (see
    /// --percentile).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub demand: Option<OutputFile>,

    /// Share of the intervals that --demand covers [default: 95].
    #[arg(long, value_name = "PERCENT", requires = "demand", value_parser = size::parse_percentile)]
    pub percentile: Option<f64>,

    /// Live: how often to read the counters.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_interval, help_heading = heading::LIVE)]
    pub interval: Duration,

    /// Live: stop after this time [default: run until Ctrl-C].
    #[arg(short, long, value_name = "TIME", value_parser = parse_duration, visible_aliases = ["time", "runtime"], help_heading = heading::LIVE)]
    pub duration: Option<Duration>,

    /// Live: write every interval to this file, which `iotrial watch FILE` reads.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = heading::LIVE)]
    pub record: Option<OutputFile>,

    /// Live: serve the counters to Prometheus. If only a port is given, it listens on 127.0.0.1, which only this host can reach.
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = listen::parse_address, help_heading = heading::LIVE)]
    pub listen: Option<SocketAddr>,

    #[command(flatten)]
    pub files: ReportFiles,

    /// Print JSON to standard output, and nothing else: one document for files; live, one line per interval, and a summary
    /// at the end.
    #[arg(long)]
    pub json: bool,
}

/// Names with commas between them.
// A type of its own, because clap takes a bare list for an option that may be repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Names(pub Vec<String>);

fn parse_role(text: &str) -> Result<(Role, String), String> {
    let words = || Role::ALL.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ");
    let (role, disk) =
        text.split_once('=').ok_or_else(|| "a role is ROLE=DISK, such as log=L: or log=/log".to_owned())?;
    let found = Role::ALL.iter().find(|one| one.as_str() == role.trim());
    let role = found.ok_or_else(|| format!("`{}` is not a role; there are {}", role.trim(), words()))?;
    if disk.trim().is_empty() {
        Err("the disk is missing".to_owned())
    } else {
        Ok((*role, disk.trim().to_owned()))
    }
}

fn parse_names(text: &str) -> Result<Names, String> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    let is_stripe = names.len() > 1 && names.iter().all(|name| !name.is_empty());
    if is_stripe {
        Ok(Names(names))
    } else {
        Err("a stripe is two disks or more, such as sdb,sdc,sdd".to_owned())
    }
}

/// Below this the kernel's counters, in ms, say little of a latency; above it nobody would call it live.
const INTERVALS: std::ops::RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(3_600);

fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = parse_duration(text).map_err(|error| error.to_string())?;
    if INTERVALS.contains(&interval) {
        Ok(interval)
    } else {
        Err("an interval is from 100ms to 1h".to_owned())
    }
}
