//! A metric: what is compared, and which way is better.

use iotrial_model::toml_reader::nearest;
use serde::{Serialize, Serializer};

use super::resample::{Figure, Spread};
use crate::stream::Stream;

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// What a metric tells about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MetricGroup {
    /// How much is done.
    Throughput,
    /// What most I/Os take.
    TypicalLatency,
    /// What the slowest I/Os take.
    TailLatency,
    /// Of the application, not of the storage.
    Application,
    /// What the load costs; it ranks nothing.
    Cpu,
    /// An amount that follows from the others; neither way is better.
    Amount,
}

impl MetricGroup {
    /// Those by which configurations are ranked.
    pub const RANKED: [Self; 4] =
        [Self::Throughput, Self::TypicalLatency, Self::TailLatency, Self::Application];

    /// The words for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::TypicalLatency => "mean latency",
            Self::TailLatency => "tail latency",
            Self::Application => "application",
            Self::Cpu => "CPU",
            Self::Amount => "amount",
        }
    }
}

/// One figure of a configuration, such as the p99 of its writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Metric {
    /// The load under which it was taken, where a configuration has figures under several.
    pub load: Option<String>,
    /// `read`, `write`, `commit`, `total`, `cpu` or `other`.
    pub stream: String,
    /// Its name in the stream, such as `lat_p99_us`.
    pub name: String,
}

impl Metric {
    /// A metric that is the same for all loads.
    pub fn new(stream: impl Into<String>, name: impl Into<String>) -> Self {
        Self { load: None, stream: stream.into(), name: name.into() }
    }

    pub(super) fn of_figure(stream: Stream, figure: Figure) -> Self {
        Self::new(stream.as_str(), figure.key())
    }

    /// What it tells about.
    pub fn group(&self) -> MetricGroup {
        match (self.stream.as_str(), self.name.as_str()) {
            ("cpu", _) => MetricGroup::Cpu,
            ("other", _) if self.better().is_some() => MetricGroup::Application,
            (_, "iops" | "bandwidth_mib_per_s") => MetricGroup::Throughput,
            (_, "lat_mean_us" | "lat_p50_us" | "lat_p90_us") => MetricGroup::TypicalLatency,
            (_, name) if name.starts_with("lat_") => MetricGroup::TailLatency,
            _ => MetricGroup::Amount,
        }
    }

    /// Its row in a spread, where it is a figure of a stream.
    pub(super) fn row_in(&self, spread: &Spread) -> Option<usize> {
        let is_meant = |(stream, figure): &(Stream, Figure)| {
            self.load.is_none() && self.stream == stream.as_str() && self.name == figure.key()
        };
        spread.figures.iter().position(is_meant)
    }

    /// Which way is better; `None` for an amount that is neither.
    ///
    /// Of a metric of an application the unit tells it: what is done per time should be more, a time less.
    pub fn better(&self) -> Option<Better> {
        const TIMES: [&str; 6] = ["_us", "_ms", "_s", "_min", "_h", "_percent_cpu"];
        let per_time = ["_per_s", "_per_min", "_per_h"];
        match (self.stream.as_str(), self.name.as_str()) {
            ("cpu", _) => Some(Better::Lower),
            (_, "iops" | "bandwidth_mib_per_s") => Some(Better::Higher),
            (_, name) if name.starts_with("lat_") => Some(Better::Lower),
            ("other", name) if per_time.iter().any(|end| name.ends_with(end)) => Some(Better::Higher),
            ("other", name) if TIMES.iter().any(|end| name.ends_with(end)) => Some(Better::Lower),
            _ => None,
        }
    }

    /// Its place in tables.
    pub(super) fn position(&self) -> (usize, usize) {
        const STREAMS: [&str; 6] = ["read", "write", "commit", "total", "other", "cpu"];
        const NAMES: [&str; 12] = [
            "iops",
            "bandwidth_mib_per_s",
            "lat_mean_us",
            "lat_p50_us",
            "lat_p90_us",
            "lat_p99_us",
            "lat_p999_us",
            "lat_p9999_us",
            "lat_max_us",
            "usr_percent",
            "sys_percent",
            "per_io_us",
        ];
        let position =
            |names: &[&str], name: &str| names.iter().position(|one| *one == name).unwrap_or(names.len());
        (position(&STREAMS, &self.stream), position(&NAMES, &self.name))
    }

    /// Whether configurations are ranked by it.
    pub fn is_ranked(&self) -> bool {
        self.better().is_some() && self.group() != MetricGroup::Cpu
    }

    /// Stream and name, such as `read.lat_p99_us`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.stream, self.name)
    }

    /// The name for people, without stream and unit: `IOPS`, `p99.9`.
    pub fn short_name(&self) -> &str {
        match self.name.as_str() {
            "iops" => "IOPS",
            "bandwidth_mib_per_s" => "MiB/s",
            "lat_mean_us" => "mean",
            "lat_p50_us" => "p50",
            "lat_p90_us" => "p90",
            "lat_p99_us" => "p99",
            "lat_p999_us" => "p99.9",
            "lat_p9999_us" => "p99.99",
            "lat_max_us" => "max",
            "usr_percent" => "user",
            "sys_percent" => "system",
            "per_io_us" => "for one I/O",
            other => other,
        }
    }

    /// The name for people: `read p99`, `business_transactions_per_s`, `random 8 KiB: read IOPS`.
    pub fn title(&self) -> String {
        let name = match self.stream.as_str() {
            "other" => self.name.clone(),
            "cpu" => format!("CPU {}", self.short_name()),
            stream => format!("{stream} {}", self.short_name()),
        };
        match &self.load {
            Some(load) => format!("{load}: {name}"),
            None => name,
        }
    }

    /// Whether somebody who writes `name` means this metric: by key or short, as in `write.p99`.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let Some((stream, figure)) = name.split_once('.') else { return false };
        let short =
            self.name.trim_start_matches("lat_").trim_end_matches("_us").trim_end_matches("_mib_per_s");
        self.stream == stream && [self.name.as_str(), short, self.short_name()].contains(&figure)
    }

    /// How it is written on the command line, short.
    pub(super) fn call(&self) -> String {
        let name = match self.name.as_str() {
            "iops" => "iops",
            "bandwidth_mib_per_s" => "bandwidth",
            name if name.starts_with("lat_") => self.short_name(),
            name => name,
        };
        format!("{}.{name}", self.stream)
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&match &self.load {
            Some(load) => format!("{load}: {}", self.key()),
            None => self.key(),
        })
    }
}

/// What a misspelt metric probably meant.
pub(super) fn nearest_metric(name: &str, metrics: &[Metric]) -> Option<String> {
    let calls: Vec<String> = metrics.iter().map(Metric::call).collect();
    nearest(name, calls.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_throughput_and_less_latency_are_better_and_an_amount_is_neither() {
        let check = |stream: &str, name: &str, better, group| {
            let metric = Metric::new(stream, name);
            assert_eq!((metric.better(), metric.group()), (better, group), "{stream}.{name}");
        };
        check("read", "iops", Some(Better::Higher), MetricGroup::Throughput);
        check("total", "bandwidth_mib_per_s", Some(Better::Higher), MetricGroup::Throughput);
        check("commit", "lat_mean_us", Some(Better::Lower), MetricGroup::TypicalLatency);
        check("write", "lat_p999_us", Some(Better::Lower), MetricGroup::TailLatency);
        check("write", "lat_max_us", Some(Better::Lower), MetricGroup::TailLatency);
        check("cpu", "sys_percent", Some(Better::Lower), MetricGroup::Cpu);
        check("read", "total_gib", None, MetricGroup::Amount);
        check("total", "transfer_size_kb", None, MetricGroup::Amount);
        check("other", "batch_requests_per_s", Some(Better::Higher), MetricGroup::Application);
        check("other", "restore_time_min", Some(Better::Lower), MetricGroup::Application);
        check("other", "users", None, MetricGroup::Amount);
    }

    #[test]
    fn a_metric_is_called_by_its_key_or_short() {
        let p999 = Metric::new("write", "lat_p999_us");
        assert!(["write.lat_p999_us", "write.p999", "write.p99.9"].iter().all(|name| p999.is_called(name)));
        assert!(!["write.p99", "read.p999", "p999"].iter().any(|name| p999.is_called(name)));
        assert!(Metric::new("read", "bandwidth_mib_per_s").is_called("read.bandwidth"));
        assert_eq!(nearest_metric("write.p9", std::slice::from_ref(&p999)).as_deref(), Some("write.p99.9"));
    }
}
