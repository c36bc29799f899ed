//! The search for the highest rate that holds a latency limit: what was tried, and what was found.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::finding::Doubts;
use crate::latency_limit::LatencyLimit;
use crate::load::Role;
use crate::stream::Stream;
use crate::units::seconds;

/// What a search tried, and what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// What was asked.
    pub limit: LatencyLimit,
    /// Every load, in order.
    pub probes: Vec<Probe>,
    /// The answer; `None` where not even the lowest rate held, and where the search did not come to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<SearchResult>,
}

impl Search {
    /// Whether every number is one that a search can reach: records come from strangers, and a chart has to
    /// end somewhere.
    // A record is opened without knowing who wrote it, and its numbers become axes of charts.
    pub(crate) fn is_in_range(&self) -> bool {
        let positive = |number: f64| number > 0.0 && number < MOST;
        let reached = |number: f64| (0.0..MOST).contains(&number);
        let worst = |worst: &WorstLatency| reached(worst.latency_us);
        let of_probe = |probe: &Probe| {
            probe.share.is_none_or(reached)
                && probe.asked_iops.is_none_or(positive)
                && reached(probe.iops)
                && probe.duration <= LONGEST
                && probe.worst.as_ref().is_none_or(worst)
        };
        let of_result = |result: &SearchResult| {
            positive(result.held_iops)
                && result.not_held_iops.is_none_or(positive)
                && worst(&result.worst)
                && result.job_rates.len() <= MOST_PROBES
                && result.job_rates.iter().all(|rate| reached(rate.iops))
        };
        self.limit.latency <= LONGEST
            && self.probes.len() <= MOST_PROBES
            && self.probes.iter().all(of_probe)
            && self.result.as_ref().is_none_or(of_result)
    }
}

/// No rate and no latency in microseconds reaches this.
// Above any rate, and a latency of 10^15 µs is thirty years.
const MOST: f64 = 1e15;
/// No load of a search lasts longer.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);
/// No search has as many loads, and no plan as many jobs.
const MOST_PROBES: usize = 10_000;

/// One load of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// What it was for.
    pub kind: ProbeKind,
    /// The rate that was asked, as a share of the rate at saturation; `None` for that one itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The rate that was asked, all jobs together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_iops: Option<f64>,
    /// The rate that came about.
    pub iops: f64,
    /// The time that was measured.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
    /// The stream with the highest value of the limit's statistic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstLatency>,
    /// Whether the limit held; `None` where that was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<bool>,
    /// Why it did not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Findings by which something else than the device may have been the limit: the generator or a foreign load.
    #[serde(default, skip_serializing_if = "Doubts::is_empty")]
    pub doubts: Doubts,
}

/// What a load of a search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProbeKind {
    /// A closed load, for the rate of each job at saturation.
    Saturation,
    /// As long as the statistic needs.
    Probe,
    /// A longer run at the highest rate that held.
    Confirmation,
}

impl ProbeKind {
    /// The word for people and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Saturation => "saturation",
            Self::Probe => "probe",
            Self::Confirmation => "confirmation",
        }
    }
}

/// The highest value of a limit's statistic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstLatency {
    /// The role of the stream.
    pub role: Role,
    /// Of which stream.
    pub stream: Stream,
    /// The value, in µs.
    pub latency_us: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    /// The highest rate that held, and was confirmed.
    pub held_iops: f64,
    /// The lowest rate above it that did not; `None` where even 5 % more than the rate at saturation held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_held_iops: Option<f64>,
    /// Doubts that every load at that rate had: the device itself may hold more.
    #[serde(default, skip_serializing_if = "Doubts::is_empty")]
    pub not_held_doubts: Doubts,
    /// The worst stream at the rate that held.
    pub worst: WorstLatency,
    /// The rate of each job that was given one.
    pub job_rates: Vec<JobRate>,
}

/// The rate of one job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRate {
    /// Name of the job.
    pub name: String,
    /// I/Os per second of all its copies.
    pub iops: f64,
}
