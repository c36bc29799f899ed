//! The search for the highest rate that holds a latency limit: the limit as it is asked, and what was found.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::load::Role;
use crate::stream::Stream;
use crate::units::{ParseQuantityError, format_duration, parse_duration, seconds};

/// A latency that a statistic must not exceed. In text `2ms@p99`, `500us@p99.9` or `5ms@mean`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyLimit {
    /// More than zero.
    pub latency: Duration,
    /// What must not exceed it.
    pub statistic: LimitStatistic,
}

/// What a [`LatencyLimit`] limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LimitStatistic {
    /// The mean of all latencies.
    Mean,
    /// A percentile, more than 0 and less than 100.
    Percentile(f64),
}

impl fmt::Display for LimitStatistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::Percentile(percent) => write!(f, "p{percent}"),
        }
    }
}

impl fmt::Display for LatencyLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", format_duration(self.latency), self.statistic)
    }
}

/// Latencies are kept from here on.
// Histograms begin at 100 ns, so a shorter limit could never be found to hold.
const SHORTEST_LIMIT: Duration = Duration::from_nanos(100);

/// Why a text is not a [`LatencyLimit`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseLatencyLimitError {
    /// There is no `@`.
    #[error("`{0}` is not LATENCY@STATISTIC, such as 2ms@p99, 500us@p99.9 or 5ms@mean")]
    Form(String),
    /// The part before the `@` is not a time.
    #[error(transparent)]
    Latency(#[from] ParseQuantityError),
    /// No I/O takes no time.
    #[error("the latency in `{0}` must be more than zero")]
    Zero(String),
    /// The clock shows no less.
    #[error("the latency in `{0}` is below 100ns, and nothing is measured that short")]
    TooShort(String),
    /// The part behind the `@` is neither `mean` nor a percentile.
    #[error("`{0}` is neither `mean` nor a percentile between 0 and 100, such as p99 or p99.9")]
    Statistic(String),
}

impl FromStr for LatencyLimit {
    type Err = ParseLatencyLimitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (latency, statistic) =
            text.split_once('@').ok_or_else(|| ParseLatencyLimitError::Form(text.to_owned()))?;
        let latency = parse_duration(latency.trim())?;
        if latency.is_zero() {
            return Err(ParseLatencyLimitError::Zero(text.to_owned()));
        }
        if latency < SHORTEST_LIMIT {
            return Err(ParseLatencyLimitError::TooShort(text.to_owned()));
        }
        let statistic = statistic.trim();
        let percent = |text: &str| text.strip_prefix('p')?.parse::<f64>().ok();
        let statistic = match percent(statistic) {
            _ if statistic == "mean" => LimitStatistic::Mean,
            // 0 and 100 are the extremes: the maximum of a run depends on its length, so no limit on it can
            // be searched for. What is not a number fails both comparisons.
            Some(percent) if percent > 0.0 && percent < 100.0 => LimitStatistic::Percentile(percent),
            _ => return Err(ParseLatencyLimitError::Statistic(statistic.to_owned())),
        };
        Ok(Self { latency, statistic })
    }
}

impl Serialize for LatencyLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LatencyLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

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
    /// Ids of the findings by which something else than the device may have been the limit: the generator or
    /// a foreign load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_held_doubts: Vec<String>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_read_and_written_in_the_same_form() {
        for text in ["2ms@p99", "500us@p99.9", "5ms@mean", "1s@p50"] {
            assert_eq!(text.parse::<LatencyLimit>().unwrap().to_string(), text);
        }
        assert_eq!("1.5ms@p99.99".parse::<LatencyLimit>().unwrap().to_string(), "1500us@p99.99");
    }

    #[test]
    fn what_is_no_limit_is_refused_with_what_is_wrong() {
        let check = |text: &str, message: &str| {
            let error = text.parse::<LatencyLimit>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        };
        check("2ms", "is not LATENCY@STATISTIC");
        check("2@p99", "`2` has no unit");
        check("0ms@p99", "must be more than zero");
        check("1ns@p99", "is below 100ns");
        for text in ["2ms@p0", "2ms@p100", "2ms@99", "2ms@", "2ms@max", "2ms@pNaN", "2ms@p-1"] {
            check(text, "is neither `mean` nor a percentile between 0 and 100");
        }
    }
}
