//! Why a gate is undecided.

use crate::figure::Figure;
use crate::metric::MetricKey;

/// What leaves open whether a gate holds. Configurations are named as people know them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecided {
    /// The figures of a configuration contradict each other.
    Contradictory(String),
    /// Something failed in a configuration, which is in no figure.
    Spoilt(Spoilt, String),
    /// A configuration is inconclusive.
    Inconclusive(String),
    /// The interval includes the limit.
    IncludesLimit,
    /// The interval of so few repeats includes the limit.
    FewIncludeLimit {
        /// How many repeats there are.
        run_count: usize,
    },
    /// Only a bound is known.
    OnlyBound,
    /// There are too few repeats for the longest I/O.
    FewForLongest {
        /// How many repeats there are of the configuration with fewer.
        run_count: usize,
    },
    /// The interval is too wide.
    TooWide {
        /// How many repeats there are of the configuration with fewer.
        run_count: usize,
    },
    /// Too little time was measured.
    TooBrief,
    /// Single runs have no interval.
    SingleRuns,
    /// Each was measured at the rate that its own search found.
    OtherRates,
    /// No difference is shown, and the limit is below the tolerance for stated figures.
    BelowTolerance,
    /// The sweep did not end as planned.
    SweepEnded {
        /// Whether it was interrupted, and did not fail.
        is_interrupted: bool,
    },
    /// A change of a curve is of too few loads for an interval.
    FewLoads,
    /// The curve does not show the figure.
    NotInCurve,
    /// No search found the highest rate.
    NoSearch,
    /// No run has this metric.
    NoRunHas(MetricKey),
    /// The figure is one that is not compared between runs.
    NotCompared,
    /// The figure is of too few I/Os.
    FewIos {
        /// How many there are.
        io_count: u64,
        /// The figure.
        figure: Figure,
    },
    /// The result does not have the figure.
    Missing,
}

/// What is in no figure, so that figures alone would look as if nothing had failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoilt {
    /// A run was interrupted.
    Interrupted,
    /// A run failed.
    Failed,
    /// So many I/Os failed.
    Errors(u64),
}
