//! Options of the commands that look after what was measured: `records`, `open`, `label`, `remove`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use iotrial_model::application::ApplicationMetric;
use iotrial_model::units::parse_duration;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::completion;

/// The variable that names another store than that of the platform.
const STORE_VARIABLE: &str = "IOTRIAL_STORE";

/// Where records are kept.
#[derive(Debug, Clone, Args, Default)]
pub struct StoreArgs {
    /// Where records are kept [env: IOTRIAL_STORE] [default: the platform's data folder].
    // Not by clap's `env`: a usage line would then show --store as required wherever the variable is set.
    #[arg(long = "store", value_name = "DIR")]
    named: Option<PathBuf>,
}

impl StoreArgs {
    /// Where the user wants it: by the option, or by the environment. `None` is the platform's data folder.
    pub fn place(&self) -> Option<PathBuf> {
        let of_environment = || std::env::var_os(STORE_VARIABLE).filter(|place| !place.is_empty());
        self.named.clone().or_else(|| of_environment().map(PathBuf::from))
    }
}

/// Options of `records`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # the ten newest
  iotrial records --limit 10
  # of the last week, with `nvme` in the label
  iotrial records --label nvme --since 7d
  iotrial records --profile postgresql --sort label
  # what `iotrial remove` took away
  iotrial records --trash
  iotrial records --json | jq '.[].id'

Wherever a result is taken, its label, its id, and the beginning or the last four or more \
characters of its id stand for it. `last` is the newest one, `last~1` the one before it, \
`last:LABEL` the newest with a label. `iotrial docs records` has all of it.")]
pub struct RecordsArgs {
    /// Only those whose label contains this, in small or capital letters.
    #[arg(long, value_name = "TEXT", add = completion::labels())]
    pub label: Option<String>,

    /// Only those whose profile, or tool, contains this.
    #[arg(long, value_name = "TEXT", add = completion::profiles())]
    pub profile: Option<String>,

    /// Only those that began since then: a time ago such as 2h or 7d, or a date in UTC such as 2026-11-01 or
    /// 2026-11-01T18:30.
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    pub since: Option<Since>,

    /// What they are sorted by [default: started, the newest first].
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<Column>,

    /// The other way round.
    #[arg(long)]
    pub reverse: bool,

    /// At most the first N of them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,

    /// What is in the trash, instead of what is in the store.
    #[arg(long)]
    pub trash: bool,

    /// One JSON document on standard output, nothing else there.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// What a list of the store can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Column {
    /// When it began; the newest first.
    Started,
    /// Label, those without one last.
    Label,
    /// Profile, or the tool that measured.
    Profile,
    /// Where it ran.
    Targets,
    /// How it ended.
    Ended,
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
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Since::At(at));
    }
    // Without a zone it is UTC, as in the list: a local time would hide or show a few hours more than was meant.
    if let Ok(Ok(zoned)) = text.parse::<DateTime>().map(|time| time.to_zoned(TimeZone::UTC)) {
        return Ok(Since::At(zoned.timestamp()));
    }
    // Days are whole days here; the durations of loads know only hours.
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    match days {
        Some(days) => Ok(Since::Ago(Duration::from_secs(u64::from(days) * 24 * 3_600))),
        None => parse_duration(text).map(Since::Ago).map_err(|_| {
            "a time ago such as 30m, 2h or 7d, or a date such as 2026-11-01 or 2026-11-01T18:30".to_owned()
        }),
    }
}

/// Options of `open`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # the newest result
  iotrial open
  # the newest with that label
  iotrial open before
  # where its page is, without a browser
  iotrial open 01JD… --print

A page that is not there yet is written beside the record first.")]
pub struct OpenArgs {
    /// An id, a part of one, a label, or `last`.
    #[arg(value_name = "RESULT", default_value = "last", add = completion::results())]
    pub result: String,

    /// Only print the path of the page.
    #[arg(long)]
    pub print: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `label`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  iotrial label last 'three volumes'
  # all results with the label `before`
  iotrial label before baseline
  # takes the label away
  iotrial label 01JD… ''
  iotrial label last --metric batch_requests_per_s=13100

Only the label and the metrics in the record change, and nothing else of it.")]
pub struct LabelArgs {
    /// An id, a part of one, `last`, or a label, which stands for all results that have it.
    #[arg(value_name = "RESULT", add = completion::results())]
    pub result: String,

    /// The name of the configuration from now on; '' for none.
    #[arg(add = completion::labels(), required_unless_present = "metrics")]
    pub label: Option<String>,

    /// A figure of an application that belongs to the result, such as batch_requests_per_s=1234; may be repeated. One of the
    /// same name is replaced.
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

A record and its page are moved into the folder `trash` of the store. Nothing is destroyed:
whoever wants the room back deletes that folder.")]
pub struct RemoveArgs {
    /// Ids, parts of them, `last`, or labels, which stand for all results that have them.
    #[arg(required = true, value_name = "RESULT", add = completion::results())]
    pub results: Vec<String>,

    /// Move them out of the trash, back into the store.
    #[arg(long)]
    pub restore: bool,

    #[command(flatten)]
    pub store: StoreArgs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_takes_a_time_ago_and_a_date_in_utc() {
        let check =
            |text: &str, expected: Option<Since>| assert_eq!(parse_since(text).ok(), expected, "{text}");
        let at = |text: &str| text.parse().ok().map(Since::At);
        check("2h", Some(Since::Ago(Duration::from_secs(7_200))));
        check("7d", Some(Since::Ago(Duration::from_secs(604_800))));
        check("2026-11-01", at("2026-11-01T00:00:00Z"));
        check("2026-11-01T18:30", at("2026-11-01T18:30:00Z"));
        check("2026-11-01T18:30:00+01:00", at("2026-11-01T17:30:00Z"));
        for wrong in ["7", "yesterday", "-1d", "2026-13-01", ""] {
            check(wrong, None);
        }
    }
}
