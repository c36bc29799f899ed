//! Two figures of a stated result that cannot both be true.

use crate::load::Direction;

/// In what two figures contradict each other. A stream is called as in records.
#[derive(Debug, Clone, PartialEq)]
pub enum Contradiction {
    /// IOPS times block size, and MiB/s.
    Rates {
        /// Stated I/Os per second.
        iops: f64,
        /// Whose rate it is; `None` of both directions together.
        direction: Option<Direction>,
        /// The smallest and the largest I/O in bytes.
        sizes_bytes: (f64, f64),
        /// Stated MiB/s.
        mib_per_s: f64,
        /// Whether they match if the unit is MB/s.
        is_in_mb_per_s: bool,
    },
    /// Rates times mean latencies, and the I/Os that the load has.
    Outstanding {
        /// The least and the most I/Os in flight that the digits allow.
        in_flight: (f64, f64),
        /// I/Os that the load has outstanding at most.
        outstanding: f64,
    },
    /// A mean latency and the means of its parts.
    LatencyParts {
        /// Whose latency it is.
        stream: &'static str,
        /// Creation to completion, in µs.
        total_us: f64,
        /// Submission and completion together, in µs.
        parts_us: f64,
        /// Whether Little's law bears out the whole latencies, so that only the parts are wrong.
        is_total_borne_out: bool,
    },
    /// A percentile that is only the end of a histogram.
    ClippedPercentile {
        /// Whose latency it is.
        stream: &'static str,
        /// Such as 99.
        percent: f64,
        /// The end of the histogram, in µs.
        end_us: f64,
    },
    /// A percentile and the longest I/O, which is shorter.
    PercentileBeyondLongest {
        /// Whose latency it is.
        stream: &'static str,
        /// Such as 99.
        percent: f64,
        /// The percentile, in µs.
        at_us: f64,
        /// The longest I/O, in µs.
        longest_us: f64,
    },
    /// A mean, and the longest I/O, which is shorter, or the shortest, which is longer.
    MeanBeyondExtreme {
        /// Whose latency it is.
        stream: &'static str,
        /// The mean, in µs.
        mean_us: f64,
        /// The longest or the shortest I/O, in µs.
        extreme_us: f64,
    },
}

impl Contradiction {
    /// Whether it is a bound instead of a figure: what was measured is worse than is stated, which changes nothing for one that loses.
    pub const fn is_bound(&self) -> bool {
        matches!(self, Self::ClippedPercentile { .. })
    }

    /// Whether it leaves open which latency a result is to be judged by.
    pub const fn is_of_latency(&self) -> bool {
        match self {
            // A percentile at the end of a histogram is beyond every limit, however much longer it was.
            Self::Rates { .. } | Self::ClippedPercentile { .. } => false,
            Self::LatencyParts { is_total_borne_out, .. } => !*is_total_borne_out,
            Self::Outstanding { .. }
            | Self::PercentileBeyondLongest { .. }
            | Self::MeanBeyondExtreme { .. } => true,
        }
    }
}
