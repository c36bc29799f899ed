//! Words for what to know of a demand that follows from reports, without a full stop; and whose rates it has.

use iotrial_model::awr::{DemandNote, Level, Method, RatesOf, ReportedRates};

use super::series_note::ios_of;
use super::{fleet_note, part, plain_reads, series_note, size_note, why_not_added};
use crate::numbers::seconds_in_words;

/// Of a demand.
pub fn demand_note(note: &DemandNote) -> String {
    match note {
        DemandNote::Series(note) => series_note(note),
        DemandNote::Size(note) => size_note(note),
        DemandNote::Method { method, factors } => {
            let factors: Vec<String> =
                factors.iter().map(|(option, value)| format!("{option} {value}")).collect();
            format!("method {method}: {}", factors.join(", "))
        }
        DemandNote::ReadsApart => "single-block and multi-block reads are separate streams".to_owned(),
        DemandNote::ReadsTogether => "all reads are one stream with their mean size: the source does not separate small reads from scans".to_owned(),
        DemandNote::RedoApart => "redo log writes are a separate stream".to_owned(),
        DemandNote::WithoutBytes { direction, iops } => format!(
            "{iops:.1} {} per second are not in the demand, because the report prints their bytes as zero",
            ios_of(*direction)
        ),
        DemandNote::Databases(names) => format!("databases: {}", names.join(", ")),
        DemandNote::NotIncluded(one) => {
            format!("{} is not included: {}", one.database, why_not_added(&one.why))
        }
        DemandNote::OfPart { database, part: one } => {
            format!("{database}: {}: the sums are too low", part(one))
        }
        DemandNote::PlainReads { database, reads } => {
            format!("{database}, on average: {}", plain_reads(reads))
        }
        DemandNote::PeakTogether { percent } => format!(
            "the peak of all requests together is {percent:.0} % of the sum of the peaks of the databases"
        ),
        DemandNote::Factor(factor) => {
            format!("all rates are multiplied by {factor}, as requested (`--factor-io`)")
        }
        DemandNote::OneInterval => "all databases share only one interval: only its average is known, and no factor was added for its peak (OMAT assumes `--factor-io 2`)".to_owned(),
        DemandNote::OwnMachines => {
            "vCPUs and memory belong to each database's own machine: `--database NAME` shows them".to_owned()
        }
        DemandNote::Fleet(note) => fleet_note(note),
        DemandNote::MeanSizes => "sizes are bytes divided by requests: small single-block reads and large scan reads are one stream".to_owned(),
    }
}

/// Which rates of which reports.
pub fn rates_of(of: &RatesOf) -> String {
    let reports = &of.reports;
    match of.rates {
        ReportedRates::Sized { level, interval_count, method } => {
            let level = match (interval_count, method) {
                (1, _) => "the average",
                (_, Method::Peak) => "the highest of each rate",
                _ => level_words(level),
            };
            let intervals = if interval_count == 1 { "interval" } else { "intervals" };
            format!("{reports}: {level} of {interval_count} {intervals}, method {method}")
        }
        ReportedRates::Together { level, database_count, covered_s } => format!(
            "{reports}: {} of {database_count} databases together, over {} that all of them cover",
            level_words(level),
            seconds_in_words(covered_s)
        ),
        ReportedRates::Replayed { interval_count: 1, covered_s, .. } => {
            format!("{reports}: the average of {}", seconds_in_words(covered_s))
        }
        ReportedRates::Replayed { level, interval_count, .. } => {
            format!("{reports}: {} of {interval_count} intervals", level_words(level))
        }
    }
}

pub(super) const fn level_words(level: Level) -> &'static str {
    match level {
        Level::Average => "the average",
        Level::P95 => "the 95th percentile",
        Level::P99 => "the 99th percentile",
        Level::Peak => "the highest interval",
    }
}
