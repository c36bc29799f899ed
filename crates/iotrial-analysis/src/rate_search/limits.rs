//! What a rate has to stay within: one latency for every stream, or a threshold set.

use iotrial_model::figure::Figure;
use iotrial_model::latency_limit::{LatencyLimit, LimitStatistic, SearchLimit};
use iotrial_model::load::Role;
use iotrial_model::plan::Plan;
use iotrial_model::stream::Stream;

use super::SearchError;
use super::assess::streams;
use crate::generator_part::statistic_of;
use crate::threshold::ThresholdSet;

/// What every stream of a load has to stay within for a rate to hold.
#[derive(Debug, Clone)]
pub enum Limits {
    /// One statistic, in every role and stream.
    Latency(LatencyLimit),
    /// Whatever the set calls acceptable.
    Thresholds(ThresholdSet),
}

/// A limit on one statistic of one stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamLimit {
    pub(super) statistic: LimitStatistic,
    /// What it must not exceed, in µs.
    pub(super) limit_us: f64,
    /// With fewer I/Os it says nothing.
    pub(super) least_io_count: u64,
    /// Whether a latency that is just the limit holds it.
    pub(super) holds_at_limit: bool,
}

impl StreamLimit {
    pub(super) fn holds(&self, latency_us: f64) -> bool {
        latency_us < self.limit_us || self.holds_at_limit && latency_us <= self.limit_us
    }
}

impl Limits {
    /// As records name it.
    pub fn named(&self) -> SearchLimit {
        match self {
            Self::Latency(limit) => SearchLimit::Latency(*limit),
            Self::Thresholds(set) => SearchLimit::Thresholds(set.name.clone()),
        }
    }

    /// The latency, where there is only one.
    pub(super) fn one_latency(&self) -> Option<LatencyLimit> {
        match self {
            Self::Latency(limit) => Some(*limit),
            Self::Thresholds(_) => None,
        }
    }

    /// The limits on a stream; none where the set does not judge it.
    pub(super) fn of(&self, role: Role, stream: Stream) -> Vec<StreamLimit> {
        match self {
            Self::Latency(limit) => vec![StreamLimit {
                statistic: limit.statistic,
                limit_us: limit.latency.as_nanos() as f64 / 1e3,
                // Probes are made long enough for it.
                least_io_count: 1,
                // "2ms@p99" is kept by 2 ms.
                holds_at_limit: true,
            }],
            Self::Thresholds(set) => Figure::JUDGED
                .into_iter()
                .filter_map(|figure| {
                    let bands = set.bands(role, stream, figure)?;
                    Some(StreamLimit {
                        statistic: statistic_of(figure)?,
                        limit_us: bands.limit_us(),
                        least_io_count: figure.least_io_count(),
                        // Bands are half open: what is acceptable lies below its edge.
                        holds_at_limit: false,
                    })
                })
                .collect(),
        }
    }

    /// Whether anything of the plan has a limit.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), SearchError> {
        let Self::Thresholds(set) = self else { return Ok(()) };
        let is_limited = streams(plan).any(|(role, stream)| !self.of(role, stream).is_empty());
        if is_limited { Ok(()) } else { Err(SearchError::NoLimits { set: set.name.clone() }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_record::healthy;

    #[test]
    fn one_latency_is_kept_by_itself_and_a_band_ends_below_its_edge() {
        let latency = Limits::Latency("2ms@p99".parse().unwrap());
        let set = Limits::Thresholds(ThresholdSet::builtin("flash").unwrap());
        let [one] = latency.of(Role::Log, Stream::Commit)[..] else { panic!() };
        assert_eq!((one.statistic, one.limit_us), (LimitStatistic::Percentile(99.0), 2_000.0));
        assert_eq!([1_999.0, 2_000.0, 2_001.0].map(|us| one.holds(us)), [true, true, false]);
        let of_set = set.of(Role::Log, Stream::Commit);
        let statistics: Vec<_> = of_set.iter().map(|one| (one.statistic, one.least_io_count)).collect();
        let percentile = LimitStatistic::Percentile;
        assert_eq!(
            statistics,
            [(LimitStatistic::Mean, 100), (percentile(99.0), 1_000), (percentile(99.9), 10_000)]
        );
        assert_eq!([1_999.0, 2_000.0].map(|us| of_set[0].holds(us)), [true, false]);
    }

    #[test]
    fn a_set_has_to_judge_something_of_the_plan() {
        let mut plan = healthy().plan;
        let check = |plan: &Plan, set: &str| {
            Limits::Thresholds(ThresholdSet::builtin(set).unwrap()).check(plan).is_ok()
        };
        assert!(check(&plan, "oci-sqlserver"));
        plan.jobs[0].role = Role::Scan;
        assert!(check(&plan, "oci-sqlserver"), "it judges the log");
        plan.jobs[1].role = Role::Backup;
        assert!(!check(&plan, "oci-sqlserver") && check(&plan, "flash"));
        assert!(Limits::Latency("2ms@p99".parse().unwrap()).check(&plan).is_ok());
    }
}
