//! A limit on a latency: what a search for a rate is asked to hold.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::units::{ParseQuantityError, format_duration, parse_duration};

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
    #[error("the latency in `{0}` is below 100ns, the shortest that is measured")]
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
        // The two sides are easily swapped, and the message about a number would not say so.
        if latency.trim() == "mean" || latency.trim().starts_with('p') {
            return Err(ParseLatencyLimitError::Form(text.to_owned()));
        }
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

/// What every stream of a load has to stay within for a rate to hold. In text `2ms@p99`, or the name of a threshold set.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchLimit {
    /// One statistic of every role and stream.
    Latency(LatencyLimit),
    /// Whatever the threshold set of that name calls acceptable, role by role and statistic by statistic. The set itself stands
    /// in the record.
    Thresholds(String),
}

impl SearchLimit {
    /// The words that follow "within": `2ms@p99`, ``the limits of `flash` ``.
    pub fn in_words(&self) -> String {
        match self {
            Self::Latency(limit) => limit.to_string(),
            Self::Thresholds(name) => format!("the limits of `{name}`"),
        }
    }
}

impl fmt::Display for SearchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latency(limit) => limit.fmt(f),
            Self::Thresholds(name) => f.write_str(name),
        }
    }
}

impl Serialize for SearchLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SearchLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // A latency always has an `@`; a set is known by a name that has none.
        if text.contains('@') {
            return text.parse().map(Self::Latency).map_err(de::Error::custom);
        }
        Ok(Self::Thresholds(text))
    }
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
        check("p99@2ms", "`p99@2ms` is not LATENCY@STATISTIC");
        check("mean@2ms", "`mean@2ms` is not LATENCY@STATISTIC");
        check("2@p99", "`2` has no unit");
        check("0ms@p99", "must be more than zero");
        check("1ns@p99", "is below 100ns");
        for text in ["2ms@p0", "2ms@p100", "2ms@99", "2ms@", "2ms@max", "2ms@pNaN", "2ms@p-1"] {
            check(text, "is neither `mean` nor a percentile between 0 and 100");
        }
    }

    #[test]
    fn a_limit_of_a_search_is_a_latency_or_a_set() {
        let read = |text: &str| serde_json::from_str::<SearchLimit>(text);
        assert_eq!(read("\"2ms@p99\"").unwrap(), SearchLimit::Latency("2ms@p99".parse().unwrap()));
        assert_eq!(read("\"flash\"").unwrap(), SearchLimit::Thresholds("flash".to_owned()));
        assert!(read("\"2ms@\"").is_err());
    }
}
