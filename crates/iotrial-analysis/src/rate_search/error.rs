//! Why a search for a rate cannot be made.

use iotrial_model::latency_limit::LimitStatistic;

/// Why a search cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// Every job has a rate of its own, so that there is none to be found.
    #[error(
        "every job has a rate, `{job}` for example, so there is nothing to search for: leave out either the rates or the search"
    )]
    HasRate {
        /// Name of the job that has a rate.
        job: String,
    },
    /// The need names roles whose rate the profile does not leave open.
    #[error("the profile has no I/O of {roles} whose rate `--need` could set")]
    NoSuchRole {
        /// Those roles, for the sentence.
        roles: String,
    },
    /// The threshold set has no limit for anything that the load does.
    #[error("`{set}` has no limits for the I/O of this load, so it cannot judge any rate")]
    NoLimits {
        /// The set's name.
        set: String,
    },
    /// The closed load gave no rate.
    #[error("job `{job}` completed no I/O in the closed load that gives its rate")]
    Idle {
        /// Name of the job without a rate.
        job: String,
    },
    /// The statistic needs more I/Os than there can be.
    #[error("{stream}s are too rare for {statistic}: ten of them beyond it take {hours:.0} h")]
    TooRare {
        /// Role and stream, such as `log commit`.
        stream: String,
        /// The statistic that the limit is set on.
        statistic: LimitStatistic,
        /// How many hours they take at the lowest rate that would be tried.
        hours: f64,
    },
}
