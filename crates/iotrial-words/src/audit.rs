//! What is said of an audit: of each check, each finding, and what could not be checked.

mod cause;
mod claim;
mod derived_rate;
mod figures;
mod place;
mod right;

use iotrial_model::audit::{
    AuditFinding, Check, ConfiguredOutstanding, Conflict, Observation, Parts, Reason, Unchecked,
};
use iotrial_model::finding::{Evidence, FindingId};
use iotrial_model::range::Range;

use crate::stated::{write_change, write_number, write_range};
use claim::metric_in_words;

pub use derived_rate::{derived_rates, formula};

/// The sentences of a finding, none with a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingWords {
    /// Where: the row, the job, the stream.
    pub place: String,
    /// What does not agree, and by how much.
    pub message: String,
    /// The most likely cause.
    pub cause: String,
    /// What would agree with the other figures; `None` where nothing can be named that would.
    pub right: Option<String>,
}

/// What is said of a finding.
pub fn says(finding: &AuditFinding) -> FindingWords {
    FindingWords {
        place: place::in_words(&finding.place),
        message: message(finding),
        cause: cause::in_words(finding),
        right: finding.right.as_ref().map(|right| right::in_words(right, &finding.conflict)),
    }
}

fn message(finding: &AuditFinding) -> String {
    match &finding.conflict {
        Conflict::Figures { compared, stated, expected } => {
            figures::message(finding, compared, *stated, *expected)
        }
        Conflict::AlteredRecord => crate::finding::says(FindingId::AlteredRecord, &Evidence::Nothing {}),
        Conflict::Run { finding, .. } => crate::finding::message(finding),
        claim => claim::message(claim, finding.right.as_ref()),
    }
}

/// What a check compares with what.
pub const fn compares(check: Check) -> &'static str {
    match check {
        Check::Checksum => "the record, compared with the checksum that it was written with",
        Check::IopsBandwidth => "IOPS times block size, compared with MiB/s",
        Check::Totals => "totals, compared with rate times runtime, and sums with their parts",
        Check::TransferSize => "bytes over I/Os, compared with the block size",
        Check::Mix => "reads and writes, compared with the mix of the load",
        Check::AskedRate => "IOPS, compared with the requested rate",
        Check::CpuTime => "CPU time, compared with the available time",
        Check::LittlesLaw => "rate times latency, compared with the outstanding I/Os of the load",
        Check::LatencyParts => "latency, compared with its parts, submission and completion",
        Check::ClippedHistogram => "percentiles, compared with the end of fio's histogram",
        Check::PercentileOrder => "percentiles, compared with each other and the extremes",
        Check::MeanInRange => "mean, compared with the extremes",
        Check::HistogramShares => "shares of a histogram, compared with 100 %",
        Check::MeanByPercentiles => "mean, compared with what percentiles or shares allow",
        Check::Deviation => "standard deviation, compared with what mean and extremes allow",
        Check::CopiedLatency => "latency of reads, compared with that of writes",
        Check::LinkBandwidth => "MiB/s, compared with the link",
        Check::LinkLatency => "latency, compared with the time a block takes over the link",
        Check::DeviceLatency => "latency, compared with the least that any device needs",
        Check::CacheServed => "reads, compared with the devices' counters and the size of memory",
        Check::ClockJump => "the clock of the run, compared with the time of day",
        Check::ClaimedChange => "changes that the text claims, compared with the rows",
        Check::ClaimedRanking => "rankings that the text claims, compared with the rows",
        Check::ClaimedRecommendation => "the recommendation of the text, compared with the rows",
        Check::ClaimedGain => "a gain without its metric, compared with all metrics of its kind",
        Check::ClaimedCategory => "words for latencies, compared with the printed categories",
        Check::ClaimedWorst => "the row that the text calls the worst, compared with the others",
        Check::ClaimedLimit => "limits that the text claims, compared with the rows",
        Check::ClaimedPrice => "prices, compared with the sum of their parts",
    }
}

/// What the figures tell beside what was checked, as a sentence with its full stop.
pub fn observes(observation: &Observation) -> String {
    let (implied, parts, configured) = match observation {
        Observation::BoundedOutstanding(range) => {
            return format!(
                "With a latency that was printed as a bound, Little's law gives {} outstanding I/Os.",
                write_range(*range)
            );
        }
        Observation::Outstanding { implied, parts, configured } => (implied, parts, configured),
    };
    let parts = match parts {
        Parts::Rows => "rows",
        Parts::PartsOfResult => "parts of the result",
    };
    let where_ = if implied.len() > 1 { format!(" in {} {parts}", implied.len()) } else { String::new() };
    let configured = match configured {
        ConfiguredOutstanding::Same { count, inferred_count, fits } => {
            let worked_out = match inferred_count {
                0 => String::new(),
                inferred => format!(", of which {} are stated and {inferred} worked out", count - inferred),
            };
            let count = *count as f64;
            let off = |value: f64| write_change(100.0 * (value / count - 1.0));
            let widest = widest(implied);
            let (least, most) = (off(widest.low), off(widest.high));
            let offs = if least == most { least } else { format!("{least} to {most}") };
            let fits = if *fits { ", which fits" } else { "" };
            format!("; the load has {}{worked_out} ({offs}{fits})", write_number(count))
        }
        ConfiguredOutstanding::Each(counts) => {
            let counts: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
            format!("; their loads have {}", several(&counts))
        }
        ConfiguredOutstanding::Unknown => "; the result does not say how many the load has".to_owned(),
        ConfiguredOutstanding::UnknownOfSome => String::new(),
    };
    format!("Little's law gives {} outstanding I/Os{where_}{configured}.", several(implied))
}

/// Two numbers as they are, more as a range: «16 to 64» would say that two lie somewhere in between.
fn several(values: &[f64]) -> String {
    match values {
        [first, second] if write_number(*first) != write_number(*second) => {
            format!("{} and {}", write_number(*first), write_number(*second))
        }
        _ => write_range(widest(values)),
    }
}

/// From the least of them to the most.
fn widest(values: &[f64]) -> Range {
    let ends = |range: Range, value: &f64| Range { low: range.low.min(*value), high: range.high.max(*value) };
    values.iter().fold(Range { low: f64::INFINITY, high: f64::NEG_INFINITY }, ends)
}

/// What could not be checked, and why; without a full stop.
pub fn not_checked(unchecked: &Unchecked) -> String {
    let why = match &unchecked.reason {
        Reason::NoBlockSize => "the block size is not stated, so IOPS could not be compared with MiB/s".to_owned(),
        Reason::ForeignThreadRows => {
            "the rows of the threads belong to none of the targets that were asked for".to_owned()
        }
        Reason::NoIntervals => {
            "there are no intervals, so only rates could be checked against the runtime".to_owned()
        }
        Reason::VerifyingReads => {
            "reads that verify come after the writes, so reads and writes are not outstanding at the same time".to_owned()
        }
        Reason::CountsFromDue => {
            "latency counts from the time an I/O was due, which includes the time it waited to be issued, so Little's law could not be checked".to_owned()
        }
        Reason::MeansOfRuns => {
            "rate and latency are means over several runs, each for itself, so Little's law could not be checked".to_owned()
        }
        Reason::UnknownPauses => {
            "fewer I/Os were outstanding than the load allows; the source does not state rates, pauses and flushes, any of which explains it".to_owned()
        }
        Reason::NoMeanLatency => "a mean latency is missing, so Little's law could not be checked".to_owned(),
        Reason::NoRate => {
            "a rate is missing, or count and bytes do not agree, so Little's law could not be checked".to_owned()
        }
        Reason::SharesNot100 => {
            "the shares of the histogram do not add up to 100 %, so they could not be compared with the mean".to_owned()
        }
        Reason::UncountedEngine(engine) => format!(
            "I/Os of the engine `{engine}` do not pass the counters of local disks, so these cannot show a cache"
        ),
        Reason::LateCounters { missing_percent, late_s } => format!(
            "the devices counted {missing_percent:.1} % fewer reads than the job did, which is no more than its last {late_s} s or its outstanding I/Os: tools read their counters only now and then"
        ),
        Reason::NotInBothRows { metric, baseline, row } => {
            format!("rows {baseline} and {row} do not both have {}", metric_in_words(metric))
        }
        Reason::OnlyBound => "a figure is printed only as a bound, so the change is not known exactly".to_owned(),
        Reason::NoBetter(metric) => {
            format!("it is not known whether more or less of {} is better", metric_in_words(metric))
        }
        Reason::NotInEveryRow(metric) => format!("not every row has {}", metric_in_words(metric)),
        Reason::NoRecommendation(error) => format!("the recommendation cannot be computed: {error}"),
        Reason::NoCommonFigure => "they have no figure in common that could show a gain".to_owned(),
        Reason::NotInRow { row, metric } => format!("row {row} has no {}", metric_in_words(metric)),
        Reason::NoCategory => "no printed category contains the figure".to_owned(),
    };
    unchecked.place.as_ref().map_or_else(|| why.clone(), |place| format!("{}: {why}", place::in_words(place)))
}

#[cfg(test)]
mod tests;
