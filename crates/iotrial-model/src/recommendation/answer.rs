//! The answer of a comparison with its reasons, what each factor does, and what to avoid.

use serde::Serialize;

use super::{CostFact, CpuFact, ExceptionFact, TailFact};
use crate::bound::Amount;
use crate::metric::{Metric, MetricGroup, StreamRange};
use crate::stream::Stream;
use crate::verdict::Category;

/// A measured difference below this may be sure, and is of no weight: places are shared across it.
// A choice. Long runs show differences of a tenth of a percent with certainty, and such a difference once
// decided a recommendation. One percent is no reason to buy anything.
pub const LEAST_WEIGHT_PERCENT: f64 = 1.0;

/// By how much each group of metrics changes.
pub type GroupRanges = Vec<(MetricGroup, Vec<StreamRange>)>;

/// What the sentences of a recommendation are made of, each in the order of the sentences.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecommendationFacts {
    /// The answer, before what speaks against it; `None` where nothing was compared.
    pub answer: Option<Answer>,
    /// By how much, and where not.
    pub reasons: Vec<ReasonFact>,
    /// What each factor does.
    pub factors: Vec<FactorFact>,
    /// Freezes and tails.
    pub exceptions: Vec<ExceptionFact>,
    /// What the best one costs.
    pub cost: Option<CostFact>,
    /// What it needs of a CPU.
    pub cpu: Option<CpuFact>,
}

/// Which configuration is the best, and in how many metrics.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The configurations have more or less of the same, as this attribute counts it, and none is recommended.
    OnlyMore(String),
    /// No metric is known for all.
    NoCommonMetric,
    /// The only metric decides.
    BestInOne {
        /// The best one.
        best: String,
        /// The metric.
        metric: Metric,
    },
    /// One is first in the most metrics, and freezes.
    FirstButFreezes {
        /// The best one.
        best: String,
        /// In how many metrics it is first.
        first_count: usize,
        /// How many metrics rank all configurations.
        metric_count: usize,
    },
    /// One is first in the most metrics, and loses in all latencies of a role, so that none is recommended.
    FirstButLosesRole {
        /// The one that is first.
        first: String,
        /// In how many metrics it is first.
        first_count: usize,
        /// How many metrics rank all configurations.
        metric_count: usize,
    },
    /// One is alone the first in all metrics.
    BestInAll {
        /// The best one.
        best: String,
        /// How many metrics rank all configurations.
        metric_count: usize,
    },
    /// One is first in all metrics, and shares some of these places.
    BestWithTies {
        /// The best one.
        best: String,
        /// How many metrics rank all configurations.
        metric_count: usize,
    },
    /// One is the best over all metrics.
    BestOverall {
        /// The best one.
        best: String,
        /// In how many metrics it is first.
        first_count: usize,
        /// How many metrics rank all configurations.
        metric_count: usize,
    },
    /// Too little was measured.
    TooLittle,
    /// No difference of weight is shown.
    NoWinner,
    /// These share the first place.
    Shared(Vec<String>),
}

/// By how much the best one is better, and where it is not.
#[derive(Debug, Clone, PartialEq)]
pub enum ReasonFact {
    /// Changes from the second best to the best.
    AgainstSecond {
        /// The second best.
        second: String,
        /// The changes.
        ranges: GroupRanges,
    },
    /// What bounds are sure of, from the second best to the best.
    SureBounds(Vec<SureBound>),
    /// Another one is better in some metrics.
    OtherBetter {
        /// The other one.
        other: String,
        /// Whether they are metrics of roles.
        is_by_role: bool,
        /// The metrics, with the change in percent.
        changes: Vec<(Metric, f64)>,
    },
}

/// A change that is sure although one of its ends is only a bound.
#[derive(Debug, Clone, PartialEq)]
pub struct SureBound {
    /// Of which metric.
    pub metric: Metric,
    /// Whether the change is more than `percent`, and not the same at least.
    pub is_beyond: bool,
    /// The change, in percent.
    pub percent: f64,
    /// From what.
    pub from: Amount,
    /// To what.
    pub to: Amount,
}

/// What a step of a factor from one value to another does.
#[derive(Debug, Clone, PartialEq)]
pub struct FactorFact {
    /// Name of the attribute.
    pub attribute: String,
    /// Its value before; empty where there is none.
    pub from: String,
    /// Its value after.
    pub to: String,
    /// For the better or the worse.
    pub effect: Effect,
    /// Whether the counts are changes of several pairs, and not metrics of one.
    pub has_several_pairs: bool,
    /// By how much, of the groups of which something is known.
    pub ranges: GroupRanges,
}

/// Whether changes are for the better or for the worse.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Too little was measured in all of them.
    Unknown,
    /// None of those that are known.
    NoneKnown {
        /// How many are known.
        known_count: usize,
        /// How many there are.
        count: usize,
    },
    /// None.
    None,
    /// All for the better.
    AllBetter,
    /// All for the worse.
    AllWorse,
    /// Some for the better or for the worse.
    Some {
        /// How many are for the better.
        better_count: usize,
        /// How many are for the worse.
        worse_count: usize,
        /// How many there are.
        count: usize,
    },
    /// Most for the better, but for these, each with what else both configurations have.
    BetterExcept(Vec<(Metric, String)>),
    /// Most for the worse, but for these.
    WorseExcept(Vec<(Metric, String)>),
}

/// Why a configuration is advised against.
#[derive(Debug, Clone, PartialEq)]
pub enum AvoidFact {
    /// Its I/Os of one stream are worse in all metrics, and much worse in most.
    Stream {
        /// Which I/Os.
        stream: Stream,
        /// Key of the best one.
        best: String,
        /// In how many metrics.
        metric_count: usize,
        /// By how much.
        ranges: GroupRanges,
    },
    /// It has a tail that its mean does not show.
    Tail(TailFact),
    /// It is critical or worse, and the best one, whose key this is, is not.
    Judged(Category, String),
    /// It is worse in all metrics, and far worse in most.
    All {
        /// Key of the best one.
        best: String,
        /// The metric, where there is one only.
        only: Option<Metric>,
        /// In how many metrics.
        metric_count: usize,
        /// Whether there are metrics that one of the two does not have.
        has_others: bool,
        /// By how much.
        ranges: GroupRanges,
    },
}

/// What a larger number of the same does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scaling {
    /// What there is more of: the name of the attribute.
    pub attribute: String,
    /// Key of the configuration with fewer.
    pub from: String,
    /// Key of the configuration with more.
    pub to: String,
    /// The smaller number.
    pub from_count: f64,
    /// The larger number.
    pub to_count: f64,
    /// The rate that was compared.
    pub metric: Metric,
    /// What the smaller number does.
    pub from_value: f64,
    /// What the larger number does.
    pub to_value: f64,
    /// What each one of the larger number does, in percent of what each one of the smaller does.
    pub efficiency_percent: f64,
}
