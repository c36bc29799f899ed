//! Waits that are waits for I/O, with the category that their mean has by a threshold set, and how they spread.

use iotrial_model::awr::{AwrReport, Quoted, WaitHistogram, WaitSide};
use iotrial_model::figure::Figure;
use iotrial_model::load::Role;
use iotrial_model::stream::Stream;
use serde::Serialize;

use crate::threshold::ThresholdSet;
use crate::verdict::Category;

/// Events that wait for I/O, and what of the database they serve. The beginning of a name stands for all that begin so.
// Scans by direct path wait for several reads in flight at once, so that the mean wait is no latency of the device: they are listed
// without a category.
const EVENTS: [(&str, Option<(Role, Stream)>); 19] = [
    ("db file sequential read", Some((Role::Data, Stream::Read))),
    ("db file parallel read", Some((Role::Data, Stream::Read))),
    ("db file scattered read", Some((Role::Scan, Stream::Read))),
    ("direct path read temp", None),
    ("direct path read", None),
    ("direct path write temp", None),
    ("direct path write", None),
    ("direct path sync", None),
    ("cell single block physical read", Some((Role::Data, Stream::Read))),
    ("cell list of blocks physical read", Some((Role::Data, Stream::Read))),
    ("cell multiblock physical read", Some((Role::Scan, Stream::Read))),
    ("cell smart table scan", None),
    ("cell smart index scan", None),
    ("log file sync", Some((Role::Log, Stream::Commit))),
    ("log file parallel write", Some((Role::Log, Stream::Write))),
    ("db file parallel write", None),
    ("control file parallel write", None),
    ("control file sequential read", None),
    ("Log archive I/O", None),
];

/// A wait for I/O.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitLatency {
    /// The event.
    pub event: String,
    /// Who waited.
    pub side: WaitSide,
    /// How often per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_second: Option<f64>,
    /// How long on average.
    pub mean_us: Quoted,
    /// Share of the time of its side.
    pub percent: Quoted,
    /// What the mean is worth; absent where the mean is no latency, or nothing judges it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<&'static str>,
    /// The same for reports.
    #[serde(skip)]
    pub judged: Option<Category>,
    /// Half of the waits are shorter than this edge of a bucket; absent where they are beyond the last edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_below_us: Option<f64>,
    /// The same of 95 of 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_below_us: Option<f64>,
    /// The same of 99 of 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_below_us: Option<f64>,
}

pub(super) fn latencies_of(report: &AwrReport, thresholds: &ThresholdSet) -> Vec<WaitLatency> {
    let elapsed = report.interval.elapsed_s.value().filter(|elapsed| *elapsed > 0.0);
    let mut found = Vec::new();
    for wait in &report.waits {
        let known = EVENTS.iter().find(|(event, _)| {
            wait.event.starts_with(event)
                || (wait.event.len() >= 26 && event.starts_with(wait.event.as_str()))
        });
        let Some((_, judged_as)) = known else { continue };
        // Where the number of waits is not there, somebody may have waited.
        let count = wait.waits.value();
        if count.is_some_and(|count| count <= 0.0) {
            continue;
        }
        let mean = wait.mean_us.sound();
        let judged = judged_as.zip(mean).and_then(|((role, stream), mean)| {
            Some(thresholds.bands(role, stream, Figure::LatencyMean)?.category(mean))
        });
        // A histogram is of both sides: it belongs to the side that waits for this, or to neither.
        let is_only_side = report
            .waits
            .iter()
            .filter(|other| other.event == wait.event)
            .filter_map(|other| other.waits.value())
            .all(|other| count.is_some_and(|count| other <= count));
        let spread = spread_of(report, &wait.event).filter(|_| is_only_side);
        let below = |percent| spread.and_then(|spread| edge_below(spread, percent));
        found.push(WaitLatency {
            event: wait.event.clone(),
            side: wait.side,
            per_second: count.zip(elapsed).map(|(count, elapsed)| count / elapsed),
            mean_us: wait.mean_us.clone(),
            percent: wait.percent.clone(),
            category: judged.map(|category| category.as_str()),
            judged,
            half_below_us: below(50.0),
            p95_below_us: below(95.0),
            p99_below_us: below(99.0),
        });
    }
    // Those of users first, then by the time that they cost.
    let weight = |one: &WaitLatency| one.percent.value().unwrap_or(0.0);
    found.sort_by(|a, b| a.side.cmp(&b.side).then(weight(b).total_cmp(&weight(a))));
    found
}

/// The histogram of an event. In text both tables cut names off, and the one of histograms earlier.
fn spread_of<'r>(report: &'r AwrReport, event: &str) -> Option<&'r WaitHistogram> {
    if let Some(exact) = report.histograms.iter().find(|one| one.event == event) {
        return Some(exact);
    }
    let is_cut = |one: &&WaitHistogram| one.event.len() >= 24 && event.starts_with(one.event.as_str());
    let mut cut = report.histograms.iter().filter(is_cut);
    let first = cut.next()?;
    // Of two events that were cut off alike neither can be told; further tables of one event have its name as well.
    let others = report.waits.iter().filter(|one| one.event.starts_with(first.event.as_str()));
    let names: std::collections::BTreeSet<&str> = others.map(|one| one.event.as_str()).collect();
    (names.len() == 1).then_some(first)
}

/// The edge of the bucket below which so many percent of the waits are.
fn edge_below(histogram: &WaitHistogram, percent: f64) -> Option<f64> {
    let all: f64 = histogram.buckets.iter().map(|bucket| bucket.percent).sum();
    // Shares are rounded to a tenth each; a table that is far from whole lacks something.
    if !(98.0..=102.0).contains(&all) {
        return None;
    }
    let mut sum = 0.0;
    for bucket in &histogram.buckets {
        sum += bucket.percent;
        if sum >= percent / 100.0 * all - 1e-9 {
            return bucket.below_us;
        }
    }
    None
}
