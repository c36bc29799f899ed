//! A gate: how far a metric may move from the baseline.

use std::fmt;
use std::str::FromStr;

use iotrial_model::figure::Figure;
use iotrial_model::metric::MetricKey;
use iotrial_model::stream::Stream;
use serde::Serialize;

use super::delta::{Interval, Pair};
use super::metric::Metric;

/// How far a metric may move, such as `write.p99 <= +10%`.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// The metric as the user names it, such as `write.p99`.
    name: String,
    /// What that means.
    metric: MetricKey,
    relation: Relation,
    limit_percent: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    AtMost,
    Below,
    AtLeast,
    Above,
}

impl Relation {
    // The longer ones first, because they begin with the shorter ones.
    const ALL: [(&'static str, Self); 4] =
        [("<=", Self::AtMost), (">=", Self::AtLeast), ("<", Self::Below), (">", Self::Above)];

    fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::AtMost => value <= limit,
            Self::Below => value < limit,
            Self::AtLeast => value >= limit,
            Self::Above => value > limit,
        }
    }
}

/// Why a text is not a gate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseGateError {
    /// It contains no relation.
    #[error("`{0}` has none of <=, <, >=, >")]
    NoRelation(String),
    /// The part before the relation is not a metric.
    #[error("{}", names_no_metric(.0))]
    NoMetric(String),
    /// The part after the relation is not a change.
    #[error("`{0}` is no change: it is a number with a percent sign, such as +10% or -5%")]
    NoChange(String),
}

fn names_no_metric(text: &str) -> String {
    let streams: Vec<&str> = Stream::ALL.iter().map(|stream| stream.metric_word()).collect();
    format!(
        "`{text}` names no metric: it is a stream ({}) and a figure ({}), such as write.p99",
        streams.join(", "),
        Figure::ALL.map(Figure::word).join(", ")
    )
}

impl FromStr for Gate {
    type Err = ParseGateError;

    fn from_str(text: &str) -> Result<Self, ParseGateError> {
        let split = |(sign, relation): &(&str, Relation)| {
            text.split_once(sign).map(|(metric, change)| (metric.trim(), *relation, change.trim()))
        };
        let (metric, relation, change) = Relation::ALL
            .iter()
            .find_map(split)
            .ok_or_else(|| ParseGateError::NoRelation(text.to_owned()))?;
        // «=>» and «<<=» split at a sign that is part of something else. Without this check the rest would
        // become part of the metric's name.
        if metric.ends_with(['=', '!', '<', '>']) {
            return Err(ParseGateError::NoRelation(text.to_owned()));
        }
        let name = metric.to_owned();
        let metric = MetricKey::from_words(&name).ok_or_else(|| ParseGateError::NoMetric(name.clone()))?;
        // Reports print the typographic minus, and people copy from reports.
        let number = change.strip_suffix('%').map(|number| number.trim().replace('−', "-"));
        // `parse` accepts «inf» and «NaN»; a gate with them would pass or fail whatever is measured.
        match number.and_then(|number| number.parse().ok()).filter(|number: &f64| number.is_finite()) {
            Some(limit_percent) => Ok(Self { name, metric, relation, limit_percent }),
            None => Err(ParseGateError::NoChange(change.to_owned())),
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = Relation::ALL
            .iter()
            .find(|(_, relation)| *relation == self.relation)
            .map_or("", |(sign, _)| sign);
        write!(f, "{} {sign} {:+}%", self.name, self.limit_percent)
    }
}

/// The outcome of a gate for one configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateOutcome {
    /// The gate as text, without the spaces that the user typed.
    pub gate: String,
    /// Key of the configuration.
    pub configuration: String,
    /// Which metric is meant.
    pub metric: Metric,
    /// Whether it is kept. A configuration without the metric does not keep it.
    pub kept: bool,
    /// The change against the baseline; `None` where one of the two has no such metric.
    pub percent: Option<f64>,
    /// Where the change lies with confidence.
    pub interval: Option<Interval>,
    /// Whether the interval reaches to both sides of the limit: a repetition may decide otherwise.
    pub is_close: bool,
}

impl Gate {
    /// As the user named it.
    pub(crate) fn metric_name(&self) -> &str {
        &self.name
    }

    /// The metrics that are meant: one, or the same one under several loads.
    pub(super) fn meant<'m>(&self, metrics: &'m [Metric]) -> Vec<&'m Metric> {
        metrics.iter().filter(|metric| metric.key == self.metric).collect()
    }

    /// Applies the gate to a pair. The measured change decides.
    pub(super) fn hold(&self, pair: &Pair, metric: &Metric) -> GateOutcome {
        let delta = pair.delta(metric);
        let holds = |percent: f64| self.relation.holds(percent, self.limit_percent);
        let interval = delta.and_then(|delta| delta.interval);
        // A bound keeps a gate where every change that it leaves does.
        let bounded = pair.bounded_delta(metric);
        let ends = bounded.map(|one| {
            let ends = (one.least_percent.unwrap_or(f64::NEG_INFINITY), one.most_percent);
            (holds(ends.0), holds(ends.1.unwrap_or(f64::INFINITY)))
        });
        GateOutcome {
            gate: self.to_string(),
            configuration: pair.configuration.clone(),
            metric: metric.clone(),
            // A configuration that lacks the metric fails. A gate that passes because nothing was measured
            // protects nobody.
            kept: delta.is_some_and(|delta| holds(delta.percent)) || ends == Some((true, true)),
            percent: delta.map(|delta| delta.percent),
            interval,
            // The measured change decides and the interval only warns: a gate in a pipeline needs one answer.
            // Where too little was measured for an interval, a repetition may decide anything.
            is_close: match interval {
                Some(one) => holds(one.low_percent) != holds(one.high_percent),
                None => {
                    delta.is_some_and(|delta| delta.reading.is_unknown())
                        || ends.is_some_and(|(least, most)| least != most)
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_reads_and_writes_the_same() {
        for (text, written) in [
            ("write.p99 <= +10%", "write.p99 <= +10%"),
            ("read.iops>=-5 %", "read.iops >= -5%"),
            ("read.lat_mean_us < 2.5%", "read.lat_mean_us < +2.5%"),
            ("other.x > −1%", "other.x > -1%"),
        ] {
            assert_eq!(text.parse::<Gate>().unwrap().to_string(), written);
        }
    }

    #[test]
    fn what_is_no_gate_is_refused_with_what_is_wrong() {
        for (text, part) in [
            ("write.p99 10%", "none of <=, <, >=, >"),
            ("write.p99 =< 10%", "none of <=, <, >=, >"),
            (
                "p99 <= 10%",
                "`p99` names no metric: it is a stream (read, write, commit, total) and a figure (iops, bandwidth, mean, p50, p90, p99, p99.9, p99.99, max), such as write.p99",
            ),
            ("write.p99 <= 10", "`10` is no change"),
            ("write.p99 <= ten%", "`ten%` is no change"),
            ("write.p99 <= nan%", "is no change"),
        ] {
            let error = text.parse::<Gate>().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
