//! `iotrial records`: what the store holds, or those of it that are looked for.

use std::cmp::Reverse;
use std::process::ExitCode;

use iotrial_analysis::verdict::Outcome;
use iotrial_analysis::words::{latency_in_words, with_thousands};
use iotrial_report::csv::render_rows;
use iotrial_report::table::Value;
use iotrial_session::store::{Entry, KeyLatency};
use jiff::{SignedDuration, Timestamp};

use crate::cli::{Column, RecordsArgs, Since};
use crate::failure::Failure;
use crate::output::{self, harmless, say};
use crate::presentation::aligned;
use crate::store::open_store_to_read;

const HEADERS: [&str; 8] =
    ["id", "started, UTC", "profile", "outcome", "highest IOPS", "latency", "label", "targets"];

/// Lists the records, the newest first unless it is said otherwise.
pub fn records(args: &RecordsArgs) -> Result<ExitCode, Failure> {
    let store = open_store_to_read(&args.store)?;
    let store = if args.trash { store.trash() } else { store };
    let all = store.entries()?;
    let is_empty = all.is_empty();
    let mut entries = wanted(all, args);
    let found = entries.len();
    // After sorting, so that the limit keeps the first of the order that was asked for.
    entries.truncate(args.limit.map_or(found, |limit| limit as usize));
    let left_out = found - entries.len();
    if args.json {
        output::json(&entries)?;
    } else if args.csv {
        output::verbatim(&csv(&entries)?)?;
    } else if is_empty {
        let next = if args.trash { "" } else { "; `iotrial run` makes one" };
        say!("no records in {}{next}", store.folder().display());
    } else if entries.is_empty() {
        say!("no matching records; `iotrial records` lists all of them");
    } else {
        let wide = table(&entries);
        // A file or another program takes lines of any length; on a terminal a line that is wrapped is hard to read.
        let columns = usize::from(console::Term::stdout().size().1);
        let is_wrapped = wide.lines().any(|line| console::measure_text_width(line) > columns);
        let is_narrow = output::stdout_is_terminal() && is_wrapped;
        output::text(&if is_narrow { narrow(entries) } else { wide })?;
    }
    if left_out > 0 {
        say!("and {left_out} more, which --limit leaves out");
    }
    Ok(ExitCode::SUCCESS)
}

/// Those that are looked for, in the order that is asked for.
fn wanted(mut entries: Vec<Entry>, args: &RecordsArgs) -> Vec<Entry> {
    let contains = |text: &str, part: &Option<String>| {
        part.as_ref().is_none_or(|part| text.to_lowercase().contains(&part.to_lowercase()))
    };
    entries.retain(|entry| contains(entry.label.as_deref().unwrap_or_default(), &args.label));
    entries.retain(|entry| contains(&entry.profile, &args.profile));
    if let Some(since) = args.since {
        let earliest = earliest(since);
        // A result of another tool that does not say when it was measured is not known to be that young.
        let started = |entry: &Entry| entry.started_at.parse::<Timestamp>().ok();
        entries.retain(|entry| started(entry).is_some_and(|started| started >= earliest));
    }
    // They come with the newest first, and the sort keeps that order among equals.
    match args.sort {
        None => {}
        Some(Column::Started) => entries.sort_by_key(|entry| Reverse(entry.started_at.clone())),
        Some(Column::Label) => entries.sort_by_key(|entry| (entry.label.is_none(), entry.label.clone())),
        Some(Column::Profile) => entries.sort_by_key(|entry| entry.profile.clone()),
        Some(Column::Targets) => entries.sort_by_key(|entry| entry.targets.clone()),
        Some(Column::Ended) => entries.sort_by_key(|entry| entry.ended.clone()),
    }
    if args.reverse {
        entries.reverse();
    }
    entries
}

fn earliest(since: Since) -> Timestamp {
    match since {
        Since::At(at) => at,
        Since::Ago(ago) => {
            let ago = SignedDuration::try_from(ago).unwrap_or(SignedDuration::MAX);
            // Further back than the calendar goes is the same as no limit.
            Timestamp::now().checked_sub(ago).unwrap_or(Timestamp::MIN)
        }
    }
}

/// One row for each, with all digits and empty cells for what is not known.
fn csv(entries: &[Entry]) -> Result<String, Failure> {
    let heads = [
        "id",
        "started_at",
        "kind",
        "profile",
        "label",
        "targets",
        "ended",
        "outcome",
        "iops",
        "capacity_iops",
        "is_lower_bound",
        "latency",
        "latency_us",
        "path",
    ];
    let words = |words: Option<&str>| Value::text(words.map(str::to_owned));
    let row = |entry: &Entry| {
        let latency = entry.key_latency.as_ref();
        let is_bound = entry.capacity_iops.map(|_| if entry.is_lower_bound { "true" } else { "false" });
        vec![
            words(Some(&entry.id)),
            words(Some(&entry.started_at)),
            words(Some(entry.kind.as_str())),
            words(Some(&entry.profile)),
            words(entry.label.as_deref()),
            words(Some(&entry.targets)),
            words(Some(&entry.ended)),
            words(entry.outcome.map(Outcome::key)),
            Value::number(entry.iops),
            Value::number(entry.capacity_iops),
            words(is_bound),
            words(latency.map(|latency| latency.metric.as_str())),
            Value::number(latency.map(|latency| latency.us)),
            words(Some(&entry.path.to_string_lossy())),
        ]
    };
    let rows: Vec<Vec<Value>> = entries.iter().map(row).collect();
    render_rows(&heads, &rows).map_err(Failure::execution)
}

fn table(entries: &[Entry]) -> String {
    let mut rows = vec![HEADERS.map(str::to_owned).to_vec()];
    rows.extend(entries.iter().map(|entry| {
        let started = entry.started_at.get(..16).unwrap_or(&entry.started_at).replace('T', " ");
        let label = entry.label.as_deref().map_or_else(|| "–".to_owned(), harmless);
        let profile = harmless(&entry.profile);
        let (outcome, capacity, latency) = (outcome(entry), capacity(entry), latency(entry));
        vec![entry.id.clone(), started, profile, outcome, capacity, latency, label, harmless(&entry.targets)]
    }));
    aligned(&rows, &[], &[26, 16, 18, 13, 12, 20, 18])
}

/// Two lines for each: what it came to, and below it what it was of.
fn narrow(entries: Vec<Entry>) -> String {
    let started = |entry: &Entry| entry.started_at.get(..16).unwrap_or(&entry.started_at).replace('T', " ");
    let mut rows = vec![["id", "started, UTC", "outcome", "highest IOPS"].map(str::to_owned).to_vec()];
    rows.extend(
        entries.iter().map(|entry| vec![entry.id.clone(), started(entry), outcome(entry), capacity(entry)]),
    );
    let table = aligned(&rows, &[], &[26, 16, 13, 12]);
    let mut lines = table.lines();
    let mut text: String = lines.next().map(|head| format!("{head}\n")).unwrap_or_default();
    for (line, entry) in lines.zip(&entries) {
        let of = [
            Some(harmless(&entry.profile)),
            entry.label.as_deref().map(|label| format!("“{}”", harmless(label))),
            entry.key_latency.is_some().then(|| latency(entry)),
            Some(harmless(&entry.targets)).filter(|targets| !targets.is_empty()),
        ];
        let of: Vec<String> = of.into_iter().flatten().collect();
        text += &format!("{line}\n  {}\n", of.join(", "));
    }
    text
}

/// What its verdict is; how it ended where it has none, or did not end as planned.
fn outcome(entry: &Entry) -> String {
    match entry.outcome {
        Some(outcome) if entry.ended == "complete" => outcome.as_str().to_owned(),
        _ => entry.ended.clone(),
    }
}

/// I/Os per second within the limits.
fn capacity(entry: &Entry) -> String {
    let bound = if entry.is_lower_bound { "≥ " } else { "" };
    entry.capacity_iops.map_or_else(|| "–".to_owned(), |iops| format!("{bound}{}", with_thousands(iops)))
}

/// The latency that somebody waits for, with its name.
fn latency(entry: &Entry) -> String {
    let words = |latency: &KeyLatency| format!("{} {}", latency.metric, latency_in_words(latency.us));
    entry.key_latency.as_ref().map_or_else(|| "–".to_owned(), words)
}
