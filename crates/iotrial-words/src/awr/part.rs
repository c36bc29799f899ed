//! Words for how much of a database its reports have.

use iotrial_model::awr::{OnCells, Part};

use crate::numbers::number_in_words;

/// What to do, without a full stop.
pub(crate) const ADVICE: &str =
    "give the reports of all instances for the same snapshots, or the report of the cluster (awrgrpt.sql)";

/// What there is: `one of 2 instances`.
pub fn part(part: &Part) -> String {
    match part.lacking_intervals {
        0 => "a part of the database".to_owned(),
        all if all == part.intervals => instances(part),
        some => {
            format!("incomplete reports (only {} in {some} of {} intervals)", instances(part), part.intervals)
        }
    }
}

fn instances(part: &Part) -> String {
    let here = if part.instances == 1 { "one".to_owned() } else { part.instances.to_string() };
    match part.of_instances {
        Some(count) => format!("{here} of {count} instances"),
        None => "one instance of a cluster".to_owned(),
    }
}

/// The instances without a report.
fn others(part: &Part) -> &'static str {
    match part.of_instances.map(|count| (count as usize).saturating_sub(part.instances)) {
        Some(1) => "the other one",
        _ => "the others",
    }
}

/// What the storage servers count of the whole database, as a sentence without a full stop.
pub fn on_cells(one: &OnCells) -> String {
    let mib = one.mib_per_s.map_or_else(String::new, |mib| format!(" and {} MiB/s", number_in_words(mib)));
    format!(
        "the storage servers count {} requests per second{mib} for all of {}, {:.0} times as many as this report",
        number_in_words(one.requests_per_s),
        one.database,
        one.times
    )
}

/// Of intervals without all instances, as a sentence without a full stop.
pub(super) fn missing_instances(part: &Part) -> String {
    match (part.lacking_intervals, part.intervals) {
        (_, 1) => format!(
            "only {}: the I/O of {} is missing, so the figures of the database are too low; {ADVICE}",
            instances(part),
            others(part)
        ),
        (lacking, intervals) if part.of_instances.is_none() => format!(
            "{lacking} of {intervals} intervals have only one instance of a cluster, and the reports do not say how many there are"
        ),
        (lacking, intervals) => format!(
            "in {lacking} of {intervals} intervals the reports have only {}, so the figures of the database are too low",
            instances(part)
        ),
    }
}
