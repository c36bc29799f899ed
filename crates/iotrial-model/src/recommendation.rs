//! What a comparison recommends, what speaks against it and what it costs, as facts. Configurations are named as people know them.

mod answer;
mod ceilings;
mod over_loads;
mod reservation;
mod tail_cause;
mod times;

pub use answer::{
    Answer, AvoidFact, Effect, FactorFact, GroupRanges, LEAST_WEIGHT_PERCENT, ReasonFact,
    RecommendationFacts, Scaling, SureBound,
};
pub use ceilings::CeilingChanges;
pub use over_loads::{
    ChangeOverLoads, LoadNames, OverLoadsAnswer, OverLoadsCost, OverLoadsFacts, OverLoadsReason,
};
pub use reservation::{Freeze, Reservation, ReservationKind, RoleLoss};
pub use tail_cause::TailCause;
pub use times::TimesFact;

use crate::metric::Metric;

/// Why it is open what a change between two configurations means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenChange {
    /// There are too few repeats for the longest I/O.
    FewForLongest {
        /// How many repeats there are of the configuration with fewer.
        run_count: usize,
    },
    /// The interval is too wide.
    TooWide {
        /// How many repeats there are of the configuration with fewer; `None` of single runs.
        run_count: Option<usize>,
    },
}

/// A tail that is worse than the mean of the same I/Os suggests.
#[derive(Debug, Clone, PartialEq)]
pub struct TailFact {
    /// Key of the configuration that is compared with.
    pub baseline: String,
    /// The tail.
    pub metric: Metric,
    /// What it is there, in µs.
    pub from_us: f64,
    /// What it is of the configuration that has the problem, in µs.
    pub to_us: f64,
    /// Change of the tail, in percent.
    pub tail_percent: f64,
    /// Change of the mean, in percent.
    pub mean_percent: f64,
}

/// What is an exception to the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ExceptionFact {
    /// A configuration that is not the best freezes.
    Freezes(String, Freeze),
    /// A configuration has a tail that its mean does not show.
    Tail(String, TailFact),
}

/// What the best configuration costs a month, compared with another one.
#[derive(Debug, Clone, PartialEq)]
pub struct CostFact {
    /// The best one.
    pub best: String,
    /// The other one.
    pub other: String,
    /// Currency of both.
    pub currency: String,
    /// What the best one costs.
    pub best_per_month: f64,
    /// What the other one costs.
    pub other_per_month: f64,
    /// How many times the I/Os of the other one the best one does; `None` where that is not known.
    pub rate_ratio: Option<f64>,
}

/// What the best configuration needs of a CPU, compared with another one.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuFact {
    /// The best one.
    pub best: String,
    /// The other one.
    pub other: String,
    /// User and system time of the best one, in percent.
    pub best_percent: (f64, f64),
    /// User and system time of the other one, in percent.
    pub other_percent: (f64, f64),
    /// How many times the I/Os of the other one the best one does; `None` where that is not known.
    pub rate_ratio: Option<f64>,
}

impl CpuFact {
    /// How many times the CPU time of the other one the best one needs; not finite where that has none.
    pub fn cpu_ratio(&self) -> f64 {
        (self.best_percent.0 + self.best_percent.1) / (self.other_percent.0 + self.other_percent.1)
    }
}
