//! Options of the commands that look after what was measured: `records`, `open`, `label`, `remove`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use iotrial_analysis::verdict::Outcome;
use iotrial_model::application::ApplicationMetric;
use iotrial_model::units::parse_duration;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::completion;
use super::rig::parse_label;
use crate::heading;
use crate::settings;

/// Where records are kept.
#[derive(Debug, Clone, Args, Default)]
#[command(next_help_heading = heading::NONE)]
pub struct StoreArgs {
    /// Folder where results are stored [env: IOTRIAL_STORE] [default: ~/.local/share/iotrial, on Windows %LOCALAPPDATA%\iotrial].
    #[arg(long = "store", value_name = "DIR")]
    named: Option<PathBuf>,
}

impl StoreArgs {
    /// Where the user wants it: by the option, by the environment or by a file of settings. `None` is the platform's data folder.
    pub fn place(&self) -> Option<PathBuf> {
        // Commands with the option have all of that in it; what has no command line asks here.
        self.named.clone().or_else(settings::store)
    }
}

/// Options of `records`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # the ten newest
  iotrial records --limit 10
  # from the last week, with `nvme` in the label
  iotrial records --label nvme --since 7d
  iotrial records --profile postgresql --sort label
  # what ran on this disk, highest rate first
  iotrial records --target /mnt/nvme --sort iops
  # what was too slow
  iotrial records --outcome not-qualified --sort latency --reverse
  # what is in the trash
  iotrial records --trash
  iotrial records --json | jq '.[].id'

Commands that take a RESULT accept its label, its id, the beginning of the id, or the last four or more characters of the \
id. `last` is the newest result, `last~1` the one before it, `last:LABEL` the newest with that label. \
`iotrial docs records` explains more.")]
pub struct RecordsArgs {
    /// Only results whose label contains this text; case is ignored.
    #[arg(long, value_name = "TEXT", add = completion::labels())]
    pub label: Option<String>,

    /// Only results whose profile or tool contains this text; case is ignored.
    #[arg(long, value_name = "TEXT", add = completion::profiles())]
    pub profile: Option<String>,

    /// Only results with this text in the path of a target, such as /mnt/nvme; case is ignored.
    #[arg(long, value_name = "TEXT", value_hint = ValueHint::AnyPath)]
    pub target: Option<String>,

    /// Only results with this verdict, or that ended in this way.
    #[arg(long, value_name = "WORD")]
    pub outcome: Option<OutcomeOrEnd>,

    /// Only results since this time: 2h or 7d ago, or a local date or time such as 2026-11-01 or 2026-11-01T18:30. A Z at
    /// the end means UTC.
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    pub since: Option<Since>,

    /// Sort by this column [default: started, newest first].
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<Column>,

    /// Reverse the order.
    #[arg(long)]
    pub reverse: bool,

    /// Show only the first N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,

    /// Show the trash instead of the store.
    #[arg(long)]
    pub trash: bool,

    /// Print one JSON document to standard output, and nothing else.
    #[arg(long)]
    pub json: bool,

    /// Print CSV to standard output, one row for each result, for a spreadsheet.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// What a list of the store can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Column {
    /// Start time, newest first.
    Started,
    /// Label; results without one come last.
    Label,
    /// Profile, or the tool that measured.
    Profile,
    /// Where it ran.
    Targets,
    /// How the run ended: complete, interrupted or failed.
    Ended,
    /// Verdict: qualified, inconclusive, not qualified; results without one come last.
    Outcome,
    /// IOPS, the highest first; results without them come last.
    Iops,
    /// Latency as listed, the lowest first; results without it come last.
    Latency,
}

/// What a list shows as the outcome of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutcomeOrEnd {
    /// Fast enough.
    Qualified,
    /// Not fast enough.
    NotQualified,
    /// The figures are in doubt: measure again.
    Inconclusive,
    /// Ended as planned, whatever the verdict.
    Complete,
    /// Interrupted.
    Interrupted,
    /// Failed.
    Failed,
}

impl OutcomeOrEnd {
    /// Whether it is the verdict on a result, or how that ended.
    pub fn is_of(self, verdict: Option<Outcome>, ended: &str) -> bool {
        match self {
            Self::Qualified => verdict == Some(Outcome::Qualified),
            Self::NotQualified => verdict == Some(Outcome::NotQualified),
            Self::Inconclusive => verdict == Some(Outcome::Inconclusive),
            Self::Complete => ended == "complete",
            Self::Interrupted => ended == "interrupted",
            Self::Failed => ended == "failed",
        }
    }
}

/// The earliest start that a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// That point in time.
    At(Timestamp),
    /// So long before the list is made.
    Ago(Duration),
}

fn parse_since(text: &str) -> Result<Since, String> {
    since_in(text, &TimeZone::system())
}

/// The same with the zone of a date or time that does not say its own.
fn since_in(text: &str, zone: &TimeZone) -> Result<Since, String> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Since::At(at));
    }
    // Without a zone it is local, as in the list. An hour that a clock skips or shows twice is the one that jiff takes.
    let (date, zone) = match text.strip_suffix(['Z', 'z']) {
        Some(date) => (date, &TimeZone::UTC),
        None => (text, zone),
    };
    if let Ok(Ok(zoned)) = date.parse::<DateTime>().map(|time| time.to_zoned(zone.clone())) {
        return Ok(Since::At(zoned.timestamp()));
    }
    // Days are whole days here; the durations of loads know only hours.
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    match days {
        Some(days) => Ok(Since::Ago(Duration::from_secs(u64::from(days) * 24 * 3_600))),
        None => parse_duration(text).map(Since::Ago).map_err(|_| {
            "give a time ago such as 30m, 2h or 7d, or a local date or time such as 2026-11-01 or 2026-11-01T18:30 (with a Z \
             at the end it is UTC)"
                .to_owned()
        }),
    }
}

/// Options of `open`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # the newest result
  iotrial open
  # the newest with the label `before`
  iotrial open before
  # print the path, without a browser
  iotrial open 01JD… --print

The page is made from the record each time, and written next to it.")]
pub struct OpenArgs {
    /// A label, an id, the beginning or end of an id, or `last`.
    #[arg(value_name = "RESULT", default_value = "last", add = completion::results())]
    pub result: String,

    /// Print the path of the page instead of opening a browser.
    #[arg(long)]
    pub print: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// A label is only left out where a metric is given.
const USAGE_OF_LABEL: &str = "\
iotrial label [OPTIONS] <RESULT> <LABEL>
       iotrial label [OPTIONS] --metric <NAME=VALUE> <RESULT> [LABEL]";

/// Options of `label`.
#[derive(Debug, Args)]
#[command(override_usage = USAGE_OF_LABEL, after_help = "\
Examples:
  iotrial label last 'three volumes'
  # all results with the label `before`
  iotrial label before baseline
  # remove the label
  iotrial label 01JD… ''
  iotrial label last --metric batch_requests_per_s=13100

Only the label and the metrics of the record change, nothing else.")]
pub struct LabelArgs {
    /// An id, the beginning or end of an id, `last`, or a label for all results that have it.
    #[arg(value_name = "RESULT", add = completion::results())]
    pub result: String,

    /// The new label; '' for none.
    #[arg(value_parser = parse_label, add = completion::labels(), required_unless_present = "metrics")]
    pub label: Option<String>,

    /// Store an application metric with the result, such as batch_requests_per_s=1234 (repeatable). It replaces one with the same
    /// name.
    #[arg(long = "metric", value_name = "NAME=VALUE")]
    pub metrics: Vec<ApplicationMetric>,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `remove`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  iotrial remove last
  iotrial remove 01JD… 01JE…
  iotrial records --trash
  iotrial remove --restore 01JD…

The record and its page are moved to the `trash` folder inside the store; `iotrial config` shows where the store is. Nothing \
is deleted: to free the space, delete the `trash` folder.")]
pub struct RemoveArgs {
    /// Ids, beginnings or ends of ids, `last`, or labels for all results that have them.
    #[arg(required = true, value_name = "RESULT", add = completion::results())]
    pub results: Vec<String>,

    /// Restore from the trash.
    #[arg(long)]
    pub restore: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn since_takes_a_time_ago_a_local_date_and_one_in_utc() {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let check = |text: &str, expected: Option<Since>| {
            assert_eq!(since_in(text, &berlin).ok(), expected, "{text}");
        };
        let at = |text: &str| text.parse().ok().map(Since::At);
        check("2h", Some(Since::Ago(Duration::from_secs(7_200))));
        check("7d", Some(Since::Ago(Duration::from_secs(604_800))));
        check("2026-11-01", at("2026-10-31T23:00:00Z"));
        check("2026-07-01T18:30", at("2026-07-01T16:30:00Z"));
        check("2026-11-01Z", at("2026-11-01T00:00:00Z"));
        check("2026-11-01T18:30Z", at("2026-11-01T18:30:00Z"));
        check("2026-11-01T18:30:00+02:00", at("2026-11-01T16:30:00Z"));
        for wrong in ["7", "yesterday", "-1d", "2026-13-01", "Z", ""] {
            check(wrong, None);
        }
    }
}
