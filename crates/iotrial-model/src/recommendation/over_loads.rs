//! Which configuration is the best over several loads, by how much, and what they cost.

use super::{Answer, GroupRanges};

/// What the sentences on several loads are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct OverLoadsFacts {
    /// The answer, before what speaks against it.
    pub answer: OverLoadsAnswer,
    /// By how much, as ranges over the loads.
    pub reasons: Vec<OverLoadsReason>,
    /// What the configurations cost, where two or more say it in one currency.
    pub cost: Option<OverLoadsCost>,
}

/// Names of loads.
pub type LoadNames = Vec<String>;

/// Which configuration is the best under most loads.
#[derive(Debug, Clone, PartialEq)]
pub enum OverLoadsAnswer {
    /// What is true under each load alone is the answer.
    Same(Answer),
    /// No load was measured on two configurations.
    NoCommonLoad,
    /// One is the best under every load.
    BestUnderAll {
        /// The best one.
        best: String,
        /// Every load.
        loads: LoadNames,
    },
    /// One is the best under more than half of the loads.
    BestUnderMost {
        /// The best one.
        best: String,
        /// Under how many loads.
        best_count: usize,
        /// How many loads there are.
        load_count: usize,
        /// Others, each with the loads under which it is the best.
        others: Vec<(String, LoadNames)>,
        /// Loads under which none is shown to be the best.
        undecided: LoadNames,
    },
    /// None is shown to be the best under any of these loads.
    NoneShown(LoadNames),
    /// None is the best under more than half of the loads.
    NoneUnderMost {
        /// How many loads there are.
        load_count: usize,
        /// Configurations, each with the loads under which it is the best.
        winners: Vec<(String, LoadNames)>,
        /// Loads under which none is shown to be the best.
        undecided: LoadNames,
    },
}

/// By how much the best configuration and the baseline differ.
#[derive(Debug, Clone, PartialEq)]
pub struct OverLoadsReason {
    /// Which of them changes, and under which loads.
    pub of: ChangeOverLoads,
    /// The changes that are shown.
    pub ranges: GroupRanges,
    /// Whether some changes are not shown, and so are not in the ranges.
    pub is_partly: bool,
}

/// Of which configuration a change over loads is, and under which loads.
#[derive(Debug, Clone, PartialEq)]
pub enum ChangeOverLoads {
    /// Of another configuration, compared with the best one, which is the baseline.
    OfOther {
        /// The other one.
        other: String,
        /// Key of the best one.
        best: String,
    },
    /// Of the best one, which is the best under every load, compared with this baseline.
    OfBest(String),
    /// Of the best one under the loads where it is the best.
    WhereBest {
        /// The baseline.
        baseline: String,
        /// Key of the best one.
        best: String,
    },
    /// Of the best one under the other loads.
    WhereNotBest {
        /// The baseline.
        baseline: String,
        /// These loads.
        loads: LoadNames,
    },
}

/// What configurations cost, and which of them costs least for what it does.
#[derive(Debug, Clone, PartialEq)]
pub struct OverLoadsCost {
    /// Currency of all.
    pub currency: String,
    /// What each of them costs a month.
    pub per_month: Vec<(String, f64)>,
    /// Under how many loads each has the lowest price for its throughput; those with none are left out.
    pub cheapest: Vec<(String, usize)>,
    /// Under how many loads two or more prices for throughput are known.
    pub load_count: usize,
}
