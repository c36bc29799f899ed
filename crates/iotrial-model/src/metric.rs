//! What a metric measures, by the name that it has in printed tables, gates and JSON: `read.lat_p99_us`.

mod compared;
mod stream_range;

use std::borrow::Cow;
use std::fmt;

pub use compared::{Metric, MetricGroup, nearest_metric};
pub use stream_range::StreamRange;

use crate::figure::{CpuFigure, Figure, SweepFigure};
use crate::load::Role;
use crate::stream::{Stream, StreamOf};

/// Where the figures of an application stand, such as `other.batch_requests_per_s`.
pub const APPLICATION: &str = "other";
/// Where CPU time stands, such as `cpu.usr_percent`.
pub const CPU: &str = "cpu";
/// The place of figures of sweeps.
const SWEEP: &str = "sweep";
/// The name of [`MetricKey::Capacity`] in its place, which is all I/Os.
const CAPACITY: &str = "capacity_iops";

/// A place and a name in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MetricKey {
    /// A figure of a stream of all jobs together: `read.lat_p99_us`.
    Figure(Stream, Figure),
    /// A figure of a stream of the jobs of one role: `log.commit.lat_p99_us`.
    // Apart from those of all jobs: who adds up or ranks figures would count each I/O twice.
    OfRole(Role, Stream, Figure),
    /// The highest rate within the limits on latency: `total.capacity_iops`.
    Capacity,
    /// CPU time of the load: `cpu.usr_percent`.
    Cpu(CpuFigure),
    /// A figure of a curve of a sweep: `sweep.ceiling_iops`.
    Sweep(SweepFigure),
    /// Whatever else a source has a number for: a figure of an application (`other.batch_requests_per_s`), or an amount that
    /// follows from figures (`read.total_gib`).
    Named {
        /// A stream, [`APPLICATION`], or a word of the source.
        place: String,
        /// With the unit at its end.
        name: String,
    },
}

impl MetricKey {
    /// A figure of a stream, of all jobs or of those of a role.
    pub const fn of_stream(of: StreamOf, figure: Figure) -> Self {
        match of.role {
            Some(role) => Self::OfRole(role, of.stream, figure),
            None => Self::Figure(of.stream, figure),
        }
    }

    /// What was read or written in all, in GiB, as printed tables call it too.
    pub fn moved_gib(stream: Stream) -> Self {
        Self::Named { place: stream.metric_word().to_owned(), name: "total_gib".to_owned() }
    }

    /// The metric with this key; `None` of what has no place or no name.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::read(key, Figure::from_key, |name| find_cpu(|one| one.as_str() == name))
    }

    /// The metric that somebody calls so: figures also by short names, as in `write.p99`.
    pub fn from_words(words: &str) -> Option<Self> {
        if matches!(words, "capacity" | "total.capacity") {
            return Some(Self::Capacity);
        }
        if let Some(figure) = SweepFigure::from_word(words) {
            return Some(Self::Sweep(figure));
        }
        let cpu = |name: &str| {
            find_cpu(|one| [one.as_str(), one.as_str().trim_end_matches("_us"), one.title()].contains(&name))
        };
        Self::read(words, Figure::from_word, cpu)
    }

    fn read(
        text: &str,
        figure: impl Fn(&str) -> Option<Figure>,
        cpu: impl Fn(&str) -> Option<CpuFigure>,
    ) -> Option<Self> {
        let (place, name) =
            text.split_once('.').filter(|(place, name)| !place.is_empty() && !name.is_empty())?;
        let of_stream = || Some(Self::Figure(Stream::from_metric_word(place)?, figure(name)?));
        let of_role = || {
            let role = Role::ALL.iter().find(|role| role.as_str() == place)?;
            let (stream, name) = name.split_once('.')?;
            Some(Self::OfRole(*role, Stream::from_metric_word(stream)?, figure(name)?))
        };
        let of_cpu = || cpu(name).filter(|_| place == CPU).map(Self::Cpu);
        let capacity = (place == Stream::Mixed.metric_word() && name == CAPACITY).then_some(Self::Capacity);
        let of_sweep = || SweepFigure::from_word(name).filter(|_| place == SWEEP).map(Self::Sweep);
        let named = || Self::Named { place: place.to_owned(), name: name.to_owned() };
        // A name is what is left: streams also have amounts that are no figures, such as `read.total_gib`.
        Some(
            of_stream().or_else(of_role).or(capacity).or_else(of_cpu).or_else(of_sweep).unwrap_or_else(named),
        )
    }

    /// The figure of a stream that it is, of all jobs or of those of a role.
    pub const fn figure(&self) -> Option<(StreamOf, Figure)> {
        match *self {
            Self::Figure(stream, figure) => Some((StreamOf::all(stream), figure)),
            Self::OfRole(role, stream, figure) => Some((StreamOf { role: Some(role), stream }, figure)),
            Self::Capacity | Self::Cpu(_) | Self::Sweep(_) | Self::Named { .. } => None,
        }
    }

    /// The first part of the key: `read`, `write`, `commit`, `total`, `cpu` or `other`; of a role with its stream, `log.commit`.
    pub fn place(&self) -> Cow<'_, str> {
        match self {
            Self::Figure(stream, _) => Cow::Borrowed(stream.metric_word()),
            Self::OfRole(role, stream, _) => {
                Cow::Owned(StreamOf { role: Some(*role), stream: *stream }.metric_word())
            }
            Self::Capacity => Cow::Borrowed(Stream::Mixed.metric_word()),
            Self::Cpu(_) => Cow::Borrowed(CPU),
            Self::Sweep(_) => Cow::Borrowed(SWEEP),
            Self::Named { place, .. } => Cow::Borrowed(place),
        }
    }

    /// The last part: `lat_p99_us`.
    pub fn name(&self) -> &str {
        match self {
            Self::Figure(_, figure) | Self::OfRole(_, _, figure) => figure.key(),
            Self::Capacity => CAPACITY,
            Self::Cpu(figure) => figure.as_str(),
            Self::Sweep(figure) => figure.as_str(),
            Self::Named { name, .. } => name,
        }
    }

    /// The name for people, without stream and unit: `IOPS`, `p99.9`.
    pub fn short_name(&self) -> &str {
        match self {
            Self::Figure(_, figure) | Self::OfRole(_, _, figure) => figure.title(),
            Self::Capacity => "capacity within the limits",
            Self::Cpu(figure) => figure.title(),
            Self::Sweep(figure) => figure.title(),
            Self::Named { name, .. } => name,
        }
    }

    /// How people write it, short: `write.p99.9`, `log.commit.p99`.
    pub fn words(&self) -> String {
        match self.figure() {
            Some((of, figure)) => format!("{}.{}", of.metric_word(), figure.word()),
            None => self.to_string(),
        }
    }
}

fn find_cpu(is_meant: impl Fn(CpuFigure) -> bool) -> Option<CpuFigure> {
    CpuFigure::ALL.iter().copied().find(|one| is_meant(*one))
}

impl fmt::Display for MetricKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.place(), self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_and_written_the_same_and_what_is_known_has_a_type() {
        let check = |key: &str, is_named: bool| {
            let read = MetricKey::from_key(key).unwrap();
            assert_eq!(read.to_string(), key);
            assert_eq!(matches!(read, MetricKey::Named { .. }), is_named, "{key}");
        };
        check("read.lat_p99_us", false);
        check("commit.iops", false);
        check("total.bandwidth_mib_per_s", false);
        check("cpu.per_io_us", false);
        check("log.commit.lat_p99_us", false);
        check("tempdb.write.lat_p95_us", false);
        check("total.capacity_iops", false);
        check("log.commit.p99", true);
        check("log.iops", true);
        check("read.total_gib", true);
        check("read.p99", true);
        check("all.iops", true);
        check("other.iops", true);
        check("other.batch_requests_per_s", true);
        for text in ["iops", ".iops", "read.", ""] {
            assert_eq!(MetricKey::from_key(text), None, "{text}");
        }
    }

    #[test]
    fn a_metric_is_called_by_its_key_or_short() {
        let p999 = MetricKey::Figure(Stream::Write, Figure::LatencyP999);
        for words in ["write.lat_p999_us", "write.p999", "write.p99.9"] {
            assert_eq!(MetricKey::from_words(words).as_ref(), Some(&p999));
        }
        for words in ["write.p99", "read.p999", "p999"] {
            assert_ne!(MetricKey::from_words(words).as_ref(), Some(&p999));
        }
        let bandwidth = MetricKey::Figure(Stream::Mixed, Figure::Bandwidth);
        assert_eq!(MetricKey::from_words("total.bandwidth"), Some(bandwidth));
        for words in ["log.commit.p99.9", "log.commit.p999", "log.commit.lat_p999_us"] {
            let of_role = MetricKey::OfRole(Role::Log, Stream::Commit, Figure::LatencyP999);
            assert_eq!(MetricKey::from_words(words), Some(of_role.clone()));
            assert_eq!(of_role.words(), "log.commit.p99.9");
        }
        for words in ["capacity", "total.capacity", "total.capacity_iops"] {
            assert_eq!(MetricKey::from_words(words), Some(MetricKey::Capacity));
        }
        let per_io = MetricKey::Cpu(CpuFigure::PerIo);
        assert_eq!(MetricKey::from_words("cpu.per_io"), Some(per_io.clone()));
        assert_eq!((p999.words(), per_io.words()), ("write.p99.9".to_owned(), "cpu.per_io_us".to_owned()));
    }
}
