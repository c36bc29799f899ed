//! The figures of a stream: the one list that thresholds, comparison, tables, audit, reports, CSV and gates share.

use serde::{Deserialize, Serialize};

/// A figure of one stream of I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Figure {
    /// I/Os that succeeded, per second.
    #[serde(rename = "iops")]
    Iops,
    /// Their bytes per second, in MiB.
    #[serde(rename = "bandwidth_mib_per_s")]
    Bandwidth,
    /// Mean of the total latency.
    #[serde(rename = "lat_mean_us")]
    LatencyMean,
    /// Median of the total latency.
    #[serde(rename = "lat_p50_us")]
    LatencyP50,
    /// 90th percentile.
    #[serde(rename = "lat_p90_us")]
    LatencyP90,
    /// 99th percentile.
    #[serde(rename = "lat_p99_us")]
    LatencyP99,
    /// 99.9th percentile.
    #[serde(rename = "lat_p999_us")]
    LatencyP999,
    /// 99.99th percentile.
    #[serde(rename = "lat_p9999_us")]
    LatencyP9999,
    /// Longest total latency.
    #[serde(rename = "lat_max_us")]
    LatencyMax,
}

/// The unit of a figure, which is also the last part of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureUnit {
    /// I/Os per second.
    Iops,
    /// MiB (of 1,048,576 bytes) per second.
    MibPerS,
    /// Microseconds.
    Us,
}

/// Which way a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// I/Os that must lie beyond a percentile before it is told: fewer make it the latency of a few single I/Os.
const LEAST_BEYOND: f64 = 10.0;
/// I/Os that a mean latency needs.
const LEAST_FOR_MEAN: u64 = 100;

impl Figure {
    /// All of them, in the order in which tables show them.
    pub const ALL: [Self; 9] = [
        Self::Iops,
        Self::Bandwidth,
        Self::LatencyMean,
        Self::LatencyP50,
        Self::LatencyP90,
        Self::LatencyP99,
        Self::LatencyP999,
        Self::LatencyP9999,
        Self::LatencyMax,
    ];

    /// The key in JSON, CSV, tables and gates.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Iops => "iops",
            Self::Bandwidth => "bandwidth_mib_per_s",
            Self::LatencyMean => "lat_mean_us",
            Self::LatencyP50 => "lat_p50_us",
            Self::LatencyP90 => "lat_p90_us",
            Self::LatencyP99 => "lat_p99_us",
            Self::LatencyP999 => "lat_p999_us",
            Self::LatencyP9999 => "lat_p9999_us",
            Self::LatencyMax => "lat_max_us",
        }
    }

    /// The head of its column.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::Bandwidth => "MiB/s",
            Self::LatencyMean => "mean",
            Self::LatencyP50 => "p50",
            Self::LatencyP90 => "p90",
            Self::LatencyP99 => "p99",
            Self::LatencyP999 => "p99.9",
            Self::LatencyP9999 => "p99.99",
            Self::LatencyMax => "max",
        }
    }

    /// Its unit.
    pub const fn unit(self) -> FigureUnit {
        match self {
            Self::Iops => FigureUnit::Iops,
            Self::Bandwidth => FigureUnit::MibPerS,
            _ => FigureUnit::Us,
        }
    }

    /// Which way it is better.
    pub const fn better(self) -> Better {
        match self {
            Self::Iops | Self::Bandwidth => Better::Higher,
            _ => Better::Lower,
        }
    }

    /// The percentile that it is, from 0 to 100; `None` of the others.
    pub const fn percent(self) -> Option<f64> {
        match self {
            Self::LatencyP50 => Some(50.0),
            Self::LatencyP90 => Some(90.0),
            Self::LatencyP99 => Some(99.0),
            Self::LatencyP999 => Some(99.9),
            Self::LatencyP9999 => Some(99.99),
            _ => None,
        }
    }

    /// The I/Os below which it says nothing: a percentile needs ten beyond it, a mean a hundred in all.
    pub fn least_io_count(self) -> u64 {
        match self.percent() {
            // Rounded, because 100 - 99.99 is not a hundredth in binary fractions.
            Some(percent) => (LEAST_BEYOND / (1.0 - percent / 100.0)).round() as u64,
            None if self == Self::LatencyMean => LEAST_FOR_MEAN,
            None => 0,
        }
    }

    /// The figure with this key.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|figure| figure.key() == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_one_figure_in_files_as_in_code() {
        for figure in Figure::ALL {
            assert_eq!(Figure::from_key(figure.key()), Some(figure));
            assert_eq!(serde_json::to_value(figure).unwrap(), figure.key());
        }
        assert_eq!(Figure::from_key("lat_p95_us"), None);
    }

    #[test]
    fn ten_ios_have_to_lie_beyond_a_percentile() {
        let least = |figure: Figure| figure.least_io_count();
        assert_eq!(least(Figure::LatencyMean), 100);
        assert_eq!((least(Figure::LatencyP50), least(Figure::LatencyP99)), (20, 1_000));
        assert_eq!((least(Figure::LatencyP999), least(Figure::LatencyP9999)), (10_000, 100_000));
        assert_eq!((least(Figure::Iops), least(Figure::LatencyMax)), (0, 0));
    }
}
