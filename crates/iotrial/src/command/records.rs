//! `iotrial records`: what the store holds, or those of it that are looked for.

use std::process::ExitCode;

use iotrial_analysis::verdict::Outcome;
use iotrial_analysis::words::latency_in_words;
use iotrial_model::words::in_brief;
use iotrial_report::csv::render_rows;
use iotrial_report::table::Value;
use iotrial_session::store::{Entry, KeyLatency};
use iotrial_session::wall_clock;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::cli::{Column, RecordsArgs, Since};
use crate::failure::Failure;
use crate::next;
use crate::output::{self, harmless, say};
use crate::presentation::aligned;
use crate::store::open_store_to_read;
use iotrial_words::numbers::rate_in_words;

const ID: &str = "id";
/// Studies, sweeps and results of other tools have no profile, and the kind stands in its place.
const PROFILE: &str = "profile or kind";
/// What nobody judged has only an end.
const OUTCOME: &str = "outcome or end";
/// Of a search and a sweep the highest, which is marked; else what the load did.
const RATE: &str = "IOPS";
/// What an entry lacks.
const NOTHING: &str = "–";

/// Targets are shortened to this many characters; `--json` and `--csv` have them whole.
const MOST_OF_TARGETS: usize = 60;
/// With less room for targets, each entry is shortened.
const LEAST_OF_TARGETS: usize = 16;
/// Characters of a profile where there is little room.
const NARROW_PROFILE: usize = 16;
/// So much of the end of an id, of which forty bits are random, finds its record.
const SHORT_ID: usize = 8;

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
    let now = wall_clock::now();
    let ahead: Vec<&str> =
        entries.iter().filter(|entry| entry.is_ahead(now)).map(|entry| entry.id.as_str()).collect();
    if args.json {
        output::json(&entries)?;
    } else if args.csv {
        output::verbatim(&csv(&entries)?)?;
    } else if is_empty {
        let next = if args.trash { "" } else { "; `iotrial run` makes one" };
        say!("no records in {}{next}", store.folder().display());
    } else if entries.is_empty() {
        say!("no matching records; `iotrial records` without options lists every record");
    } else {
        output::text(&fitted(&entries, &TimeZone::system()))?;
        // A program that reads the list wants rows only.
        if let (Some(first), false) = (entries.first(), args.trash)
            && output::stdout_is_terminal()
        {
            let report = next::in_store(&format!("iotrial report {}", end_of(&first.id)));
            output::text(&format!("\n{}", output::next_line(&format!("{report}   # the first of them"))))?;
        }
    }
    if !ahead.is_empty() {
        let ids = in_brief(&ahead, 3, 3);
        say!("warning: started in the future by the clock of this host, so `last` prefers others: {ids}");
    }
    if left_out > 0 {
        say!("{left_out} more not shown because of --limit");
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
    entries.retain(|entry| contains(&entry.targets, &args.target));
    if let Some(wanted) = args.outcome {
        entries.retain(|entry| wanted.is_of(judged(entry), &entry.ended));
    }
    if let Some(since) = args.since {
        let earliest = earliest(since);
        // A result of another tool that does not say when it was measured is not known to be that young.
        let started = |entry: &Entry| entry.started_at.parse::<Timestamp>().ok();
        entries.retain(|entry| started(entry).is_some_and(|started| started >= earliest));
    }
    // They come with the newest first.
    match args.sort {
        None if args.reverse => sort(&mut entries, Column::Started, true),
        None => {}
        Some(column) => sort(&mut entries, column, args.reverse),
    }
    entries
}

/// Sorts by a column, among equals the newest first. What has no value there comes last, reversed or not: nobody looks for it.
fn sort(entries: &mut [Entry], column: Column, is_reversed: bool) {
    let by_number =
        |one: Option<f64>, other: Option<f64>| one.unwrap_or_default().total_cmp(&other.unwrap_or_default());
    let has_value = |entry: &Entry| match column {
        Column::Started => !entry.started_at.is_empty(),
        Column::Label => entry.label.is_some(),
        Column::Outcome => judged(entry).is_some(),
        Column::Iops => rate(entry).is_some(),
        Column::Latency => latency_us(entry).is_some(),
        Column::Profile | Column::Targets | Column::Ended => true,
    };
    entries.sort_by_key(|entry| !has_value(entry));
    let known = entries.partition_point(has_value);
    entries[..known].sort_by(|one, other| {
        let order = match column {
            Column::Started => other.started_at.cmp(&one.started_at),
            Column::Label => one.label.cmp(&other.label),
            Column::Profile => one.profile.cmp(&other.profile),
            Column::Targets => one.targets.cmp(&other.targets),
            Column::Ended => one.ended.cmp(&other.ended),
            // The outcomes are in the order of the best first.
            Column::Outcome => judged(one).cmp(&judged(other)),
            Column::Iops => by_number(rate(other), rate(one)),
            Column::Latency => by_number(latency_us(one), latency_us(other)),
        };
        if is_reversed { order.reverse() } else { order }
    });
}

fn earliest(since: Since) -> Timestamp {
    match since {
        Since::At(at) => at,
        Since::Ago(ago) => {
            let ago = SignedDuration::try_from(ago).unwrap_or(SignedDuration::MAX);
            // Further back than the calendar goes is the same as no limit.
            wall_clock::now().checked_sub(ago).unwrap_or(Timestamp::MIN)
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
        "ceiling_iops",
        "simulated",
    ];
    let words = |words: Option<&str>| Value::text(words.map(str::to_owned));
    let word = |is_so: bool| if is_so { "true" } else { "false" };
    let row = |entry: &Entry| {
        let latency = entry.key_latency.as_ref();
        let is_bound = highest(entry).map(|_| word(entry.is_lower_bound));
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
            Value::number(entry.ceiling_iops),
            words(Some(word(entry.is_simulated))),
        ]
    };
    let rows: Vec<Vec<Value>> = entries.iter().map(row).collect();
    render_rows(&heads, &rows).map_err(Failure::execution)
}

/// As wide as a table needs, and on a terminal no wider than that: a line that is wrapped is hard to read.
fn fitted(entries: &[Entry], zone: &TimeZone) -> String {
    // A file or another program takes lines of any length, and may look for a target in them.
    if !output::stdout_is_terminal() {
        return table(entries, usize::MAX, zone);
    }
    let wide = table(entries, MOST_OF_TARGETS, zone);
    let columns = usize::from(console::Term::stdout().size().1);
    let beyond = |text: &str| {
        text.lines().map(console::measure_text_width).max().unwrap_or_default().saturating_sub(columns)
    };
    let narrower = |over: usize| {
        let most = MOST_OF_TARGETS.saturating_sub(over);
        let text = (most >= LEAST_OF_TARGETS).then(|| table(entries, most, zone));
        text.filter(|text| beyond(text) == 0).unwrap_or_else(|| narrow(entries, columns, zone))
    };
    match beyond(&wide) {
        0 => wide,
        over => narrower(over),
    }
}

fn table(entries: &[Entry], most_of_targets: usize, zone: &TimeZone) -> String {
    let heads = [ID, &started_in(zone), PROFILE, OUTCOME, RATE, "latency", "label", "targets"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows.extend(entries.iter().map(|entry| {
        let label = entry.label.as_deref().map_or_else(|| NOTHING.to_owned(), harmless);
        let (started, targets) = (started(&entry.started_at, zone), targets(&entry.targets, most_of_targets));
        let profile = harmless(&entry.profile);
        let (outcome, rate, latency) = (outcome(entry), rate_with_marks(entry), latency(entry));
        vec![entry.id.clone(), started, profile, outcome, rate, latency, label, targets]
    }));
    aligned(&rows, &[], &[26, 16, 18, 14, 12, 20, 18])
}

/// One line for each, with the end of its id, which finds it as well; what has no room is cut.
fn narrow(entries: &[Entry], columns: usize, zone: &TimeZone) -> String {
    let mut rows = vec![
        [ID, &started_in(zone), "profile", OUTCOME, RATE, "label or target"].map(str::to_owned).to_vec(),
    ];
    rows.extend(entries.iter().map(|entry| {
        let started = started(&entry.started_at, zone);
        let started = started.get("2026-".len()..).unwrap_or(&started).to_owned();
        let profile = console::truncate_str(&harmless(&entry.profile), NARROW_PROFILE, "…").into_owned();
        let outcome = outcome(entry).replace(", simulated", " (sim)");
        let label = entry.label.as_deref().map(harmless);
        let what = label.unwrap_or_else(|| targets(&entry.targets, LEAST_OF_TARGETS));
        vec![end_of(&entry.id).to_owned(), started, profile, outcome, rate_with_marks(entry), what]
    }));
    let table = aligned(&rows, &[], &[]);
    table.lines().map(|line| format!("{}\n", console::truncate_str(line, columns, "…"))).collect()
}

/// The end of an id, which is what tells two of one day apart.
fn end_of(id: &str) -> &str {
    id.char_indices().rev().nth(SHORT_ID - 1).map_or(id, |(at, _)| &id[at..])
}

/// The header of the start times, which names their zone: `started, Europe/Berlin`.
fn started_in(zone: &TimeZone) -> String {
    let zone = match zone.iana_name() {
        Some("UTC" | "Etc/UTC") => "UTC",
        Some(name) => name,
        // The system does not say its zone, and times are in UTC.
        None if zone.is_unknown() => "UTC",
        // A zone that is only a rule, such as `CET-1CEST`, or a copy of a file of zone data.
        None => "local time",
    };
    format!("started, {zone}")
}

/// To the minute, in the time zone; results of other tools may not say.
fn started(at: &str, zone: &TimeZone) -> String {
    match at.parse::<Timestamp>() {
        Ok(at) => at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) if at.is_empty() => NOTHING.to_owned(),
        Err(_) => harmless(at.get(..16).unwrap_or(at)).replace('T', " "),
    }
}

/// What the load worked on. Of many targets the first is shown, and of a long path its end, which tells it apart from others.
fn targets(all: &str, most: usize) -> String {
    let all = harmless(all);
    if all.is_empty() {
        return NOTHING.to_owned();
    }
    if all.chars().count() <= most {
        return all;
    }
    let (first, more) = match all.split_once(", ") {
        Some((first, others)) => (first, format!(" and {} more", others.matches(", ").count() + 1)),
        None => (all.as_str(), String::new()),
    };
    let (length, room) = (first.chars().count(), most.saturating_sub(more.chars().count()));
    if length <= room {
        return format!("{first}{more}");
    }
    let end: String = first.chars().skip(length + 1 - room.max(1)).collect();
    format!("…{end}{more}")
}

/// What its verdict is; how it ended where it has none, or did not end as planned. A simulation must not pass for a measurement.
fn outcome(entry: &Entry) -> String {
    let word = judged(entry).map_or_else(|| entry.ended.clone(), |outcome| outcome.as_str().to_owned());
    if entry.is_simulated { format!("{word}, simulated") } else { word }
}

/// The verdict that the list shows; `None` where it shows how the load ended.
fn judged(entry: &Entry) -> Option<Outcome> {
    entry.outcome.filter(|_| entry.ended == "complete")
}

/// I/Os per second in their column.
fn rate(entry: &Entry) -> Option<f64> {
    highest(entry).or(entry.iops)
}

/// The highest rate that was searched for: within the limits, or of a sweep at the ceiling.
fn highest(entry: &Entry) -> Option<f64> {
    entry.capacity_iops.or(entry.ceiling_iops)
}

/// Microseconds in the column of latencies.
fn latency_us(entry: &Entry) -> Option<f64> {
    entry.key_latency.as_ref().map(|latency| latency.us)
}

/// The rate; the highest with marks that say so, and that it may be more.
fn rate_with_marks(entry: &Entry) -> String {
    let mark = match highest(entry) {
        Some(_) if entry.is_lower_bound => "max ≥ ",
        Some(_) => "max ",
        None => "",
    };
    rate(entry).map_or_else(|| NOTHING.to_owned(), |iops| format!("{mark}{}", rate_in_words(iops)))
}

/// The latency that somebody waits for, with its name.
fn latency(entry: &Entry) -> String {
    let words = |latency: &KeyLatency| format!("{} {}", latency.metric, latency_in_words(latency.us));
    entry.key_latency.as_ref().map_or_else(|| NOTHING.to_owned(), words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_a_dash_and_long_targets_keep_their_end() {
        let check = |all: &str, expected: &str| {
            assert_eq!(targets(all, 20), expected);
            assert!(expected.chars().count() <= 20);
        };
        check("", "–");
        check("/mnt/a, /mnt/b", "/mnt/a, /mnt/b");
        check("/mnt/a, /mnt/b, /mnt/c", "/mnt/a and 2 more");
        check("/home/user/disk_1/test.dat", "…ser/disk_1/test.dat");
        check("/home/user/disk_1/test.dat, /home/user/disk_2/test.dat", "…test.dat and 1 more");
        assert_eq!(started("", &TimeZone::UTC), "–");
        assert_eq!(
            (end_of("01KAYZ9VXJ4S8W2T5QHDB3M7GC"), end_of("short")),
            ("5QHDB3M7GC".split_at(2).1, "short")
        );
    }

    #[test]
    fn a_start_is_shown_in_the_zone_that_the_header_names() {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let check = |zone: &TimeZone, at: &str, expected: &str| assert_eq!(started(at, zone), expected);
        check(&TimeZone::UTC, "2026-11-25T18:35:34Z", "2026-11-25 18:35");
        check(&berlin, "2026-11-25T18:35:34Z", "2026-11-25 19:35");
        // In summer, and over midnight.
        check(&berlin, "2026-07-31T22:30:00Z", "2026-08-01 00:30");
        assert_eq!(started_in(&TimeZone::UTC), "started, UTC");
        assert_eq!(started_in(&TimeZone::unknown()), "started, UTC");
        assert_eq!(started_in(&berlin), "started, local time");
    }
}
