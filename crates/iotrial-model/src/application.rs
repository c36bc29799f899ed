//! Metrics of an application that ran beside a load, or was measured around it: transactions, batch requests, the time of a query.
//!
//! Nothing is known of them but a name and a number. Which way is better follows from the unit at the end of the name, as for the
//! figures of an application in a printed table (`docs/table-format.md`).

use std::collections::BTreeMap;
use std::str::FromStr;

/// Figures of an application by name.
pub type ApplicationMetrics = BTreeMap<String, f64>;

/// Longer names make tables unreadable.
const MOST_NAME_BYTES: usize = 64;
/// More than anybody looks at; a record from a stranger must not bring a million.
pub(crate) const MOST_METRICS: usize = 1_000;

/// Why something is no metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplicationMetricError {
    /// There is no `=`.
    #[error("a metric is NAME=VALUE, such as batch_requests_per_s=1234, and not `{0}`")]
    NoValue(String),
    /// The name cannot stand in a table, a gate and an environment.
    #[error(
        "`{0}` is not a name of a metric: up to 64 letters, digits and `_`, beginning with a letter, the unit at the end as in transactions_per_s"
    )]
    Name(String),
    /// The number is none, or not finite, or below zero.
    #[error("`{0}` is not a number of zero or more")]
    Number(String),
}

/// One of them, as somebody writes it: `batch_requests_per_s=1234`.
#[derive(Debug, Clone, PartialEq)]
pub struct ApplicationMetric {
    /// With the unit at its end.
    pub name: String,
    /// Finite, and zero or more.
    pub value: f64,
}

impl FromStr for ApplicationMetric {
    type Err = ApplicationMetricError;

    fn from_str(text: &str) -> Result<Self, ApplicationMetricError> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| ApplicationMetricError::NoValue(text.to_owned()))?;
        Ok(Self { name: metric_name(name)?, value: metric_value(value)? })
    }
}

/// A name that every output and every shell takes.
///
/// # Errors
///
/// When it is not one.
pub fn metric_name(text: &str) -> Result<String, ApplicationMetricError> {
    let name = text.trim();
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if is_plain && begins && name.len() <= MOST_NAME_BYTES {
        return Ok(name.to_owned());
    }
    Err(ApplicationMetricError::Name(name.to_owned()))
}

/// A number as a program prints it.
///
/// # Errors
///
/// When it is none, not finite, or below zero: percent of change and logarithms have no use for it.
pub fn metric_value(text: &str) -> Result<f64, ApplicationMetricError> {
    let text = text.trim();
    // `parse` accepts «inf» and «NaN», with which every comparison would be wrong without a word.
    let number = text.parse::<f64>().ok().filter(|number| is_metric_value(*number));
    number.ok_or_else(|| ApplicationMetricError::Number(text.to_owned()))
}

pub(crate) fn is_metric_value(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_a_plain_name_and_a_finite_number() {
        let read = |text: &str| text.parse::<ApplicationMetric>();
        let metric = read(" batch_requests_per_s = 1.2e3 ").unwrap();
        assert_eq!((metric.name.as_str(), metric.value), ("batch_requests_per_s", 1_200.0));
        for text in ["tps", "a.b=1", "=1", "9a=1", "a b=1", "a=nan", "a=inf", "a=-1", "a=", "a=1,5"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(metric_name(&"a".repeat(65)).is_err());
    }
}
