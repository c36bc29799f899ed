//! A gate: a value that a metric must keep to, or how far it may move from the baseline.

mod outcome;

use std::fmt;
use std::str::FromStr;

use iotrial_model::figure::{Figure, SweepFigure};
use iotrial_model::gate::GateUnit;
use iotrial_model::load::Role;
use iotrial_model::load_pattern::LoadPattern;
use iotrial_model::metric::MetricKey;
use iotrial_model::stream::Stream;

pub(super) use outcome::CurveFigure;
pub use outcome::{GateOutcome, GateResult, hold_gates};

/// What a metric must keep to, such as `log.commit.p99 < 2ms`, or how far it may move, such as `write.p99 <= +10%`.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// The metric as the user names it, such as `write.p99`.
    pub(super) name: String,
    /// What that means.
    metric: MetricKey,
    /// Of a figure of sweeps, the pattern that is meant alone.
    pattern: Option<LoadPattern>,
    relation: Relation,
    limit: Limit,
}

#[derive(Debug, Clone, PartialEq)]
enum Limit {
    /// From the baseline, in percent.
    Change { percent: f64 },
    /// In the unit of the metric.
    Value {
        value: f64,
        /// As the user writes it, with its unit.
        text: String,
    },
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
    #[error("`{0}` needs one of <=, <, >=, >")]
    NoRelation(String),
    /// The part before the relation is not a metric.
    #[error("{}", names_no_metric(.0))]
    NoMetric(String),
    /// The part after the relation is neither a change nor a value of the metric.
    #[error("`{limit}` is not a limit for `{metric}`: give a change such as +10%{}", or_a_value(.such_as))]
    NoLimit {
        /// The metric as the user names it.
        metric: String,
        /// What follows the relation.
        limit: String,
        /// A value with the unit of the metric; empty where it has none.
        such_as: &'static str,
    },
}

fn or_a_value(such_as: &str) -> String {
    if such_as.is_empty() { String::new() } else { format!(", or a value such as {such_as}") }
}

fn names_no_metric(text: &str) -> String {
    let streams: Vec<&str> = Stream::ALL.iter().map(|stream| stream.metric_word()).collect();
    let roles: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    format!(
        "`{text}` does not name a metric. Metrics are a stream ({}) and a figure ({}), such as write.p99; the same for a role ({}), such as log.commit.p99; `capacity`; a metric of an application, such as other.tps; for sweeps ceiling, ceiling_bandwidth, knee and sustained, also of one pattern, such as randread-8k.ceiling",
        streams.join(", "),
        Figure::ALL.map(Figure::word).join(", "),
        roles.join(", ")
    )
}

impl Limit {
    fn parse(metric: &MetricKey, text: &str) -> Option<Self> {
        // Reports print the typographic minus and thousands, and people copy from reports. `parse` accepts «inf» and «NaN»; a gate with
        // them would pass or fail whatever is measured.
        let number = |text: &str| {
            let plain = without_thousands(&text.trim().replace('−', "-"))?;
            plain.parse::<f64>().ok().filter(|number| number.is_finite())
        };
        if let Some(percent) = text.strip_suffix('%') {
            return number(percent).map(|percent| Self::Change { percent });
        }
        let is_of_number = |one: char| one.is_ascii_digit() || matches!(one, '.' | ',' | '-' | '+' | '−');
        let unit_at = text.find(|one: char| !is_of_number(one)).unwrap_or(text.len());
        let (amount, unit) = text.split_at(unit_at);
        let value = number(amount)? * GateUnit::of(metric).factor(unit.trim())?;
        value.is_finite().then(|| Self::Value { value, text: format!("{amount}{}", unit.trim()) })
    }
}

/// The number without the commas between thousands. `None` where one stands elsewhere: `2,5` is two and a half to half of the world, and
/// 25 to nobody.
fn without_thousands(text: &str) -> Option<String> {
    let (whole, rest) = text.find('.').map_or((text, ""), |point| text.split_at(point));
    let groups: Vec<&str> = whole.trim_start_matches(['+', '-']).split(',').collect();
    let is_right =
        |(at, group): (usize, &&str)| if at == 0 { (1..=3).contains(&group.len()) } else { group.len() == 3 };
    let is_plain = groups.len() == 1 || groups.iter().enumerate().all(is_right);
    (is_plain && !rest.contains(',')).then(|| text.replace(',', ""))
}

impl FromStr for Gate {
    type Err = ParseGateError;

    fn from_str(text: &str) -> Result<Self, ParseGateError> {
        let split = |(sign, relation): &(&str, Relation)| {
            text.split_once(sign).map(|(metric, limit)| (metric.trim(), *relation, limit.trim()))
        };
        let (metric, relation, limit) = Relation::ALL
            .iter()
            .find_map(split)
            .ok_or_else(|| ParseGateError::NoRelation(text.to_owned()))?;
        // «=>» and «<<=» split at a sign that is part of something else. Without this check the rest would
        // become part of the metric's name.
        if metric.ends_with(['=', '!', '<', '>']) {
            return Err(ParseGateError::NoRelation(text.to_owned()));
        }
        let name = metric.to_owned();
        let of_pattern = name.rsplit_once('.').and_then(|(pattern, figure)| {
            Some((pattern.parse::<LoadPattern>().ok()?, SweepFigure::from_word(figure)?))
        });
        let pattern = of_pattern.map(|(pattern, _)| pattern);
        let metric = match of_pattern {
            Some((_, figure)) => MetricKey::Sweep(figure),
            None => MetricKey::from_words(&name).ok_or_else(|| ParseGateError::NoMetric(name.clone()))?,
        };
        match Limit::parse(&metric, limit) {
            Some(limit) => Ok(Self { name, metric, pattern, relation, limit }),
            // The place is no stream, role or «other»: that is the mistake, and not the limit.
            None if GateUnit::of(&metric) == GateUnit::Any => Err(ParseGateError::NoMetric(name)),
            None => Err(ParseGateError::NoLimit {
                such_as: GateUnit::of(&metric).such_as(),
                metric: name,
                limit: limit.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = Relation::ALL
            .iter()
            .find(|(_, relation)| *relation == self.relation)
            .map_or("", |(sign, _)| sign);
        match &self.limit {
            Limit::Change { percent } => write!(f, "{} {sign} {percent:+}%", self.name),
            Limit::Value { text, .. } => write!(f, "{} {sign} {text}", self.name),
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
            ("log.commit.p99<2 ms", "log.commit.p99 < 2ms"),
            ("data.read.iops >= 20,000iops", "data.read.iops >= 20,000iops"),
            ("tempdb.write.bandwidth > 0.5GiB/s", "tempdb.write.bandwidth > 0.5GiB/s"),
            ("capacity >= 20000IOPS", "capacity >= 20000IOPS"),
            ("read.max < 1s", "read.max < 1s"),
            ("other.batch_requests_per_s >= 1000", "other.batch_requests_per_s >= 1000"),
        ] {
            let gate: Gate = text.parse().unwrap();
            assert_eq!(gate.to_string(), written);
            assert_eq!(written.parse::<Gate>().unwrap(), gate);
        }
    }

    #[test]
    fn each_relation_has_its_side_and_says_of_the_limit_itself_whether_it_is_meant() {
        for (sign, holds) in [
            ("<=", [true, true, false]),
            ("<", [true, false, false]),
            (">=", [false, true, true]),
            (">", [false, false, true]),
        ] {
            let (_, relation) = Relation::ALL.into_iter().find(|(one, _)| *one == sign).unwrap();
            assert_eq!([1.0, 2.0, 3.0].map(|value| relation.holds(value, 2.0)), holds, "{sign}");
        }
    }

    #[test]
    fn a_value_is_in_the_unit_of_its_metric_whatever_the_unit_it_is_written_in() {
        let mib = 1_048_576.0;
        for (text, expected) in [
            ("read.mean < 500us", 500.0),
            ("read.mean < 500µs", 500.0),
            ("read.mean < 2ms", 2_000.0),
            ("read.mean < 2s", 2_000_000.0),
            ("cpu.cpu_us_per_io < 3us", 3.0),
            ("read.iops > 1,000IOPS", 1_000.0),
            ("capacity > 7iops", 7.0),
            ("sustained > 7iops", 7.0),
            ("ceiling > 7iops", 7.0),
            ("write.bandwidth > 512KiB/s", 0.5),
            ("write.bandwidth > 5MiB/s", 5.0),
            ("ceiling_bandwidth > 2GiB/s", 2_048.0),
            ("write.bandwidth > 5kB/s", 5e3 / mib),
            ("write.bandwidth > 5MB/s", 5e6 / mib),
            ("write.bandwidth > 5GB/s", 5e9 / mib),
            ("other.tps > 1,234,567.5", 1_234_567.5),
            ("knee > 12", 12.0),
        ] {
            let gate: Gate = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            let Limit::Value { value, .. } = gate.limit else { panic!("{text}") };
            assert!((value / expected - 1.0).abs() < 1e-12, "{text}: {value}");
        }
        let such_as = |text: &str| match text.parse::<Gate>() {
            Err(ParseGateError::NoLimit { such_as, .. }) => such_as,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(such_as("other.tps > 5ms"), iotrial_model::gate::GateUnit::InTheName.such_as());
        assert_eq!(such_as("cpu.usr_percent > 5"), "");
    }

    #[test]
    fn commas_stand_between_thousands_or_nowhere() {
        let number = |text| without_thousands(text);
        for text in ["1,000", "12,000", "123,456,789.25", "-1,000", "1000", "0.5"] {
            assert_eq!(number(text), Some(text.replace(',', "")), "{text}");
        }
        for text in ["1,00", "1000,000", "1,0000", ",000", "1,000.5,0", "2,5"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn a_limit_beyond_all_numbers_is_none() {
        let text = format!("write.p99 < {}s", "9".repeat(308));
        assert!(text.parse::<Gate>().is_err());
    }

    #[test]
    fn what_is_no_gate_is_refused_with_what_is_wrong() {
        for (text, part) in [
            ("write.p99 10%", "needs one of <=, <, >=, >"),
            ("write.p99 =< 10%", "needs one of <=, <, >=, >"),
            (
                "p99 <= 10%",
                "`p99` does not name a metric. Metrics are a stream (read, write, commit, total) and a figure (iops, bandwidth, mean, p50, p90, p95, p99, p99.9, p99.99, max), such as write.p99; the same for a role (data, tempdb, log, scan, backup), such as log.commit.p99; `capacity`; a metric of an application, such as other.tps",
            ),
            (
                "write.p99 <= 10",
                "`10` is not a limit for `write.p99`: give a change such as +10%, or a value such as 2ms",
            ),
            ("write.p99 <= ten%", "`ten%` is not a limit"),
            ("write.p99 <= nan%", "is not a limit"),
            // Two and a half to half of the world.
            ("write.p99 < 2,5ms", "`2,5ms` is not a limit"),
            ("write.p99 <= +2,5%", "`+2,5%` is not a limit"),
            ("read.iops > 20,00iops", "is not a limit"),
            ("application.tps > 5", "`application.tps` does not name a metric"),
            ("write.p99 <= 20000iops", "or a value such as 2ms"),
            ("write.iops >= 2ms", "or a value such as 20000iops"),
            ("write.bandwidth >= 20", "or a value such as 500MiB/s"),
            (
                "cpu.usr_percent <= 20",
                "`20` is not a limit for `cpu.usr_percent`: give a change such as +10%",
            ),
        ] {
            let error = text.parse::<Gate>().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
