//! A metric: what is compared, and which way is better.

use serde::{Serialize, Serializer};

use super::{APPLICATION, MetricKey};
use crate::figure::{Better, CpuFigure, Figure, FigureUnit, SweepFigure};
use crate::load::Role;
use crate::stream::{Stream, StreamOf};
use crate::toml_reader::nearest;

/// What a metric tells about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MetricGroup {
    /// How much is done: IOPS and bandwidth.
    Throughput,
    /// What most I/Os take: mean, median, 90th percentile.
    TypicalLatency,
    /// What the slowest I/Os take: from the 99th percentile on.
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Metric {
    /// The load under which it was taken, where a configuration has figures under several.
    pub load: Option<String>,
    /// What it measures.
    pub key: MetricKey,
}

impl From<MetricKey> for Metric {
    /// The metric that is the same for all loads.
    fn from(key: MetricKey) -> Self {
        Self { load: None, key }
    }
}

impl Metric {
    /// A figure of a stream, the same for all loads.
    pub fn of_figure(stream: Stream, figure: Figure) -> Self {
        MetricKey::Figure(stream, figure).into()
    }

    /// CPU time of the load.
    pub fn of_cpu(figure: CpuFigure) -> Self {
        MetricKey::Cpu(figure).into()
    }

    /// What it tells about.
    pub fn group(&self) -> MetricGroup {
        match &self.key {
            MetricKey::Figure(_, figure) | MetricKey::OfRole(_, _, figure) => match figure {
                Figure::Iops | Figure::Bandwidth => MetricGroup::Throughput,
                Figure::LatencyMean | Figure::LatencyP50 | Figure::LatencyP90 | Figure::LatencyP95 => {
                    MetricGroup::TypicalLatency
                }
                Figure::LatencyP99 | Figure::LatencyP999 | Figure::LatencyP9999 | Figure::LatencyMax => {
                    MetricGroup::TailLatency
                }
            },
            MetricKey::Capacity => MetricGroup::Throughput,
            // Where the knee lies follows from what the storage does at once, and from how fast it does it.
            MetricKey::Sweep(SweepFigure::Knee) => MetricGroup::Amount,
            MetricKey::Sweep(_) => MetricGroup::Throughput,
            MetricKey::Cpu(_) => MetricGroup::Cpu,
            MetricKey::Named { .. } if self.better().is_some() => MetricGroup::Application,
            MetricKey::Named { .. } => MetricGroup::Amount,
        }
    }

    /// Which way is better; `None` for an amount that is neither.
    pub fn better(&self) -> Option<Better> {
        match &self.key {
            MetricKey::Figure(_, figure) | MetricKey::OfRole(_, _, figure) => Some(figure.better()),
            MetricKey::Capacity => Some(Better::Higher),
            MetricKey::Sweep(SweepFigure::Knee) => None,
            MetricKey::Sweep(_) => Some(Better::Higher),
            MetricKey::Cpu(_) => Some(Better::Lower),
            MetricKey::Named { place, name } if place == APPLICATION => NamedUnit::of(name).better(),
            MetricKey::Named { .. } => None,
        }
    }

    /// Whether its values are microseconds.
    pub fn is_in_us(&self) -> bool {
        match &self.key {
            MetricKey::Figure(_, figure) | MetricKey::OfRole(_, _, figure) => figure.unit() == FigureUnit::Us,
            MetricKey::Capacity | MetricKey::Sweep(_) => false,
            MetricKey::Cpu(figure) => *figure == CpuFigure::PerIo,
            MetricKey::Named { name, .. } => NamedUnit::of(name) == NamedUnit::Microseconds,
        }
    }

    /// Its place in tables: capacity, streams, applications, CPU time, whatever else there is, and then the streams of each role; in
    /// each the figures in their order.
    pub fn position(&self) -> (usize, usize) {
        let of_figure = |figure: Figure| Figure::ALL.iter().position(|one| *one == figure);
        let of_stream = |stream: Stream| Stream::ALL.iter().position(|one| *one == stream);
        let streams = Stream::ALL.len();
        let of_role = |role: Role| Role::ALL.iter().position(|one| *one == role).unwrap_or_default();
        let (place, name) = match &self.key {
            MetricKey::Capacity => return (0, 0),
            MetricKey::Sweep(figure) => (Some(0), SweepFigure::ALL.iter().position(|one| one == figure)),
            MetricKey::Figure(stream, figure) => (of_stream(*stream), of_figure(*figure)),
            MetricKey::OfRole(role, stream, figure) => (
                of_stream(*stream).map(|stream| streams * (of_role(*role) + 1) + 3 + stream),
                of_figure(*figure),
            ),
            MetricKey::Cpu(figure) => {
                (Some(streams + 1), CpuFigure::ALL.iter().position(|one| one == figure))
            }
            MetricKey::Named { place, name } if place == APPLICATION => {
                (Some(streams), Figure::from_key(name).and_then(of_figure))
            }
            MetricKey::Named { place, .. } => (Stream::from_metric_word(place).and_then(of_stream), None),
        };
        (place.unwrap_or(streams + 2) + 1, name.unwrap_or(Figure::ALL.len()))
    }

    /// Whether configurations are ranked by it over all. The figures of a role are rankings of their own: a load of five roles has
    /// four times as many, and would decide by the number of its roles.
    pub fn is_ranked(&self) -> bool {
        match &self.key {
            MetricKey::Figure(_, figure) => figure.ranks(),
            MetricKey::OfRole(..) => false,
            _ => self.better().is_some() && self.group() != MetricGroup::Cpu,
        }
    }

    /// Whether it is the rate of reads and writes together, which follows where both of them are there as well: it is shown,
    /// and ranks nothing a second time.
    pub fn is_sum_of(&self, is_there: impl Fn(&Self) -> bool) -> bool {
        let MetricKey::Figure(Stream::Mixed, figure @ (Figure::Iops | Figure::Bandwidth)) = self.key else {
            return false;
        };
        let part = |stream| Self { key: MetricKey::Figure(stream, figure), ..self.clone() };
        // Commits without other writes are the writes.
        is_there(&part(Stream::Read)) && [Stream::Write, Stream::Commit].map(part).iter().any(is_there)
    }

    /// Whether configurations are ranked by it within a role.
    pub fn is_ranked_in_role(&self) -> bool {
        matches!(&self.key, MetricKey::OfRole(_, _, figure) if figure.ranks())
    }

    /// Whether it is of one role.
    pub const fn is_of_role(&self) -> bool {
        matches!(self.key, MetricKey::OfRole(..))
    }

    /// The name for people: `read p99`, `log commit p99`, `business_transactions_per_s`, `random 8 KiB: read IOPS`.
    pub fn title(&self) -> String {
        let name = match &self.key {
            MetricKey::Cpu(_) => format!("CPU {}", self.key.short_name()),
            MetricKey::Named { place, name } if place == APPLICATION => name.clone(),
            MetricKey::Capacity | MetricKey::Sweep(_) => self.key.short_name().to_owned(),
            MetricKey::OfRole(role, stream, _) => {
                format!("{} {}", StreamOf { role: Some(*role), stream: *stream }, self.key.short_name())
            }
            MetricKey::Figure(..) | MetricKey::Named { .. } => {
                format!("{} {}", self.key.place(), self.key.short_name())
            }
        };
        match &self.load {
            Some(load) => format!("{load}: {name}"),
            None => name,
        }
    }
}

/// What the name of a figure says of its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamedUnit {
    /// Something done in a time.
    PerTime,
    Microseconds,
    /// Another time, or a share of the time of a CPU.
    Time,
    Unknown,
}

impl NamedUnit {
    /// Of the figures of an application nothing is known but the name, and its end is the unit (`docs/table-format.md`). All
    /// that is guessed from names is guessed here.
    fn of(name: &str) -> Self {
        const PER_TIME: [&str; 7] = ["_per_s", "_per_min", "_per_h", "_tps", "_qps", "_tpm", "_tpmc"];
        const TIMES: [&str; 6] = ["_ns", "_ms", "_s", "_min", "_h", "_percent_cpu"];
        let ends_in = |units: &[&str]| units.iter().any(|unit| name.ends_with(unit));
        match name {
            "iops" | "tps" | "qps" | "tpm" | "tpmc" => Self::PerTime,
            _ if name.ends_with("_us") => Self::Microseconds,
            _ if name.starts_with("lat_") => Self::Time,
            // Before times, because `_per_s` also ends in `_s`.
            _ if ends_in(&PER_TIME) => Self::PerTime,
            _ if ends_in(&TIMES) => Self::Time,
            _ => Self::Unknown,
        }
    }

    /// More should be done in a time, and what takes time should take less.
    const fn better(self) -> Option<Better> {
        match self {
            Self::PerTime => Some(Better::Higher),
            Self::Microseconds | Self::Time => Some(Better::Lower),
            Self::Unknown => None,
        }
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&match &self.load {
            Some(load) => format!("{load}: {}", self.key),
            None => self.key.to_string(),
        })
    }
}

/// What a misspelt metric probably meant.
pub fn nearest_metric(name: &str, metrics: &[Metric]) -> Option<String> {
    let calls: Vec<String> = metrics.iter().map(|metric| metric.key.words()).collect();
    nearest(name, calls.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_throughput_and_less_latency_are_better_and_an_amount_is_neither() {
        let check = |place: &str, name: &str, better, group| {
            let key = format!("{place}.{name}");
            let metric = Metric::from(MetricKey::from_key(&key).unwrap());
            assert_eq!((metric.better(), metric.group()), (better, group), "{key}");
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
        check("other", "iops", Some(Better::Higher), MetricGroup::Application);
        check("read", "queue_time_ms", None, MetricGroup::Amount);
    }

    #[test]
    fn a_misspelt_metric_is_answered_with_the_nearest_one_as_people_write_it() {
        let p999 = Metric::of_figure(Stream::Write, Figure::LatencyP999);
        assert_eq!(nearest_metric("write.p9", &[p999]).as_deref(), Some("write.p99.9"));
    }

    #[test]
    fn metrics_stand_by_stream_then_application_then_cpu() {
        let keys = [
            "total.capacity_iops",
            "read.iops",
            "read.lat_max_us",
            "read.total_gib",
            "commit.iops",
            "total.iops",
            "other.iops",
            "other.users",
            "cpu.usr_percent",
            "cpu.per_io_us",
            "data.read.iops",
            "data.write.iops",
            "log.commit.iops",
        ];
        let position = |key: &&str| Metric::from(MetricKey::from_key(key).unwrap()).position();
        assert!(keys.iter().map(position).is_sorted_by(|a, b| a < b));
    }
}
