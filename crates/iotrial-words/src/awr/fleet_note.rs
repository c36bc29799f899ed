//! Words for what to know of databases that share their storage; all without a full stop.

use iotrial_model::awr::{AwrFigure, BusierElsewhere, FleetNote, WhyNotAdded};
use iotrial_model::units::{group_thousands, seconds_in_words};
use iotrial_model::words::in_brief;

/// Names that one sentence has.
const MOST_NAMES: usize = 3;

/// Of what they ask together.
pub fn fleet_note(note: &FleetNote) -> String {
    match note {
        FleetNote::FewerThanTwo => {
            "fewer than two databases have reports with times, so nothing is added up".to_owned()
        }
        FleetNote::NeverTogether { most: 0 | 1, .. } => {
            "to add the databases up, give reports that cover the same period".to_owned()
        }
        FleetNote::NeverTogether { most, databases } => format!(
            "at most {most} of the {databases} databases have reports that cover the same time: give reports that cover the same period"
        ),
        FleetNote::PartlyTogether { any_s, all_s } => format!(
            "the reports cover {}, but only {} of it for all databases; only that part is added up",
            seconds_in_words(*any_s),
            seconds_in_words(*all_s)
        ),
        FleetNote::MoreWithout { database, covered_s } => format!(
            "without {database}, the reports of the other databases cover {} in common",
            seconds_in_words(*covered_s)
        ),
        FleetNote::BusierElsewhere(databases) => busier_elsewhere(databases),
        FleetNote::HigherInPart { figure, per_s, begin, lacking } => format!(
            "the true peak is at least {} {}: the databases with a report reached this at {}, when {} had none",
            rounded(*per_s),
            if *figure == AwrFigure::Requests { "IOPS" } else { "MiB/s" },
            minute(begin),
            in_brief(lacking, MOST_NAMES, MOST_NAMES - 1)
        ),
        FleetNote::NoPlace { intervals } => format!(
            "{} no times, or times that contradict the length, and cannot be added up",
            if *intervals == 1 { "one interval has".to_owned() } else { format!("{intervals} intervals have") }
        ),
        FleetNote::OneMoment { apart_s } => format!(
            "snapshots of different databases that are up to {} apart count as the same moment",
            seconds_in_words(((apart_s + 30) / 60 * 60) as f64)
        ),
        FleetNote::OwnClocks => "times are those of each database's own host: the reports state neither the time zone nor whether the clocks agree".to_owned(),
        FleetNote::Averages { longest_s, has_sums: true } => format!(
            "the sums use averages over up to {}: shorter peaks, and whether they coincide, are not known",
            seconds_in_words(*longest_s)
        ),
        FleetNote::Averages { longest_s, has_sums: false } => format!(
            "the reports have averages over up to {}: shorter peaks are not known",
            seconds_in_words(*longest_s)
        ),
    }
}

fn busier_elsewhere(databases: &[BusierElsewhere]) -> String {
    let more = match databases.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = databases.iter().take(MOST_NAMES).map(|one| {
        format!("{} ({} IOPS from {})", one.database, rounded(one.requests_per_s), minute(&one.begin))
    });
    format!(
        "while other databases had no report, some were busier than in the time that is added up: {}{more}; the true peak may be higher",
        named.collect::<Vec<_>>().join(", ")
    )
}

/// Why a database is not added up.
pub fn why_not_added(why: &WhyNotAdded) -> String {
    match why {
        WhyNotAdded::PartOf { database } => {
            format!("it is part of {database}, whose reports include its I/O")
        }
        WhyNotAdded::NoTimes => "its reports do not state the time that they cover".to_owned(),
    }
}

fn rounded(number: f64) -> String {
    group_thousands(&format!("{number:.0}"))
}

/// Local time without seconds.
fn minute(time: &str) -> String {
    time.get(..16).unwrap_or_default().replace('T', " ")
}
