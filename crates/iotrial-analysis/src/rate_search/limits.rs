//! What a rate has to stay within: one latency for every stream, or a threshold set.

use std::time::Duration;

use iotrial_model::figure::{Figure, LEAST_BEYOND};
use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::latency_limit::{LatencyLimit, LimitStatistic, SearchLimit};
use iotrial_model::load::Role;
use iotrial_model::plan::Plan;
use iotrial_model::record::OpCounts;
use iotrial_model::stream::Stream;

use super::SearchError;
use super::assess::streams;
use crate::generator_part::statistic_of;
use crate::threshold::ThresholdSet;

/// A bucket is this much wider than what it holds, so that an I/O counts as slow only when it surely is.
const BUCKET: f64 = 1.002;
/// Fewer I/Os than this share of enough fail no percentile either.
// Of a third, ten beyond the limit are three times what it allows. With fewer, one stall of a rare stream would decide.
const LEAST_SHARE_OF_FEW: f64 = 1.0 / 3.0;

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

    /// I/Os beyond the limit without what the generator made of them.
    pub(super) fn beyond_count(&self, counts: &OpCounts) -> u64 {
        let is_beyond = |latency: Duration| latency.as_nanos() as f64 > 1e3 * BUCKET * self.limit_us;
        let beyond = |latency: &LatencyHistogram| {
            latency.buckets().filter(|(latency, _)| is_beyond(*latency)).map(|one| one.1).sum::<u64>()
        };
        let OpCounts { total_latency, held_latency, unheld_latency, .. } = counts;
        (beyond(total_latency) + beyond(unheld_latency)).saturating_sub(beyond(held_latency))
    }

    /// Whether enough I/Os are there to be judged: to say that a percentile is beyond its limit fewer will do than to say that it is not.
    ///
    /// Short loads know of commits by it, which are few and often what binds.
    pub(super) fn is_judged(&self, io_count: u64, counts: &OpCounts) -> bool {
        let is_missed_by_few = || {
            matches!(self.statistic, LimitStatistic::Percentile(_))
                && io_count as f64 >= LEAST_SHARE_OF_FEW * self.least_io_count as f64
                && self.beyond_count(counts) as f64 >= LEAST_BEYOND
        };
        io_count >= self.least_io_count || is_missed_by_few()
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
