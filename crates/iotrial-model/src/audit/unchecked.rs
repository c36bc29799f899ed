//! What could not be checked, and why.

use super::place::AuditPlace;

/// Something that could not be checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Unchecked {
    /// Where; `None` where the reason says it.
    pub place: Option<AuditPlace>,
    /// Why.
    pub reason: Reason,
}

impl From<Reason> for Unchecked {
    fn from(reason: Reason) -> Self {
        Self { place: None, reason }
    }
}

/// Why something could not be checked.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// IOPS and MiB/s without a block size.
    NoBlockSize,
    /// Rows of threads that belong to none of the targets.
    ForeignThreadRows,
    /// A course without intervals.
    NoIntervals,
    /// Reads that verify come after the writes.
    VerifyingReads,
    /// Latencies count from the time at which an I/O was due.
    CountsFromDue,
    /// Rate and latency are means over several runs, each for itself.
    MeansOfRuns,
    /// Few I/Os were outstanding, and the source does not say whether a rate or pauses held them back.
    UnknownPauses,
    /// Little's law without a mean latency.
    NoMeanLatency,
    /// Little's law without a rate that can be trusted.
    NoRate,
    /// Shares of a histogram that are not 100 % together say nothing of the mean.
    SharesNot100,
    /// The I/Os of an engine pass no counters of local disks.
    UncountedEngine(String),
    /// The devices counted fewer reads, and no fewer than a tool may miss that reads their counters now and then.
    LateCounters {
        /// In percent of all reads.
        missing_percent: f64,
        /// How long before the end a tool may have read the counters.
        late_s: f64,
    },
    /// One of two rows lacks a figure.
    NotInBothRows {
        /// Such as `read.lat_mean_us`.
        metric: String,
        /// Id of the row that is compared with.
        baseline: String,
        /// Id of the row that is compared.
        row: String,
    },
    /// A bound leaves room for the claimed change.
    OnlyBound,
    /// Whether more or less of this metric is better.
    NoBetter(String),
    /// A row lacks this metric, by which all are ranked.
    NotInEveryRow(String),
    /// The comparison refused the rows, for this reason.
    NoRecommendation(String),
    /// Two rows without a common figure that could show a gain.
    NoCommonFigure,
    /// A row without the figure that it is put in a category for.
    NotInRow {
        /// Id of the row.
        row: String,
        /// Such as `read.lat_mean_us`.
        metric: String,
    },
    /// No printed category contains the figure.
    NoCategory,
}
