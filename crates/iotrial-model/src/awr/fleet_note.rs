//! What to know of databases that share their storage: the facts. `iotrial_words::awr` says them.

use super::AwrFigure;

/// Something to know of what databases ask together.
#[derive(Debug, Clone, PartialEq)]
pub enum FleetNote {
    /// There is nothing to add up.
    FewerThanTwo,
    /// At no time do all databases have reports.
    NeverTogether {
        /// The most that have reports of the same time.
        most: usize,
        /// How many databases there are.
        databases: usize,
    },
    /// Part of the time is not covered by all.
    PartlyTogether {
        /// Time with reports of any.
        any_s: f64,
        /// Time with reports of all.
        all_s: f64,
    },
    /// Without one database the others have much more time in common.
    MoreWithout {
        /// Which one.
        database: String,
        /// What the others then have.
        covered_s: f64,
    },
    /// Databases were busier while others had no report; the one with the largest difference first.
    BusierElsewhere(Vec<BusierElsewhere>),
    /// The databases with a report alone asked for more than all do in the time that is added up.
    HigherInPart {
        /// Requests or bytes.
        figure: AwrFigure,
        /// What they asked for, per second.
        per_s: f64,
        /// When that began: local time.
        begin: String,
        /// The databases without a report then.
        lacking: Vec<String>,
    },
    /// Intervals have no times, or times that contradict their length.
    NoPlace {
        /// How many.
        intervals: usize,
    },
    /// Snapshots a little apart count as one moment.
    OneMoment {
        /// The most that they are apart.
        apart_s: i64,
    },
    /// Each database has the clock of its host.
    OwnClocks,
    /// What is added up is averages.
    Averages {
        /// The longest interval.
        longest_s: f64,
        /// Whether anything is added up.
        has_sums: bool,
    },
}

/// A database that was busier while others had no report.
#[derive(Debug, Clone, PartialEq)]
pub struct BusierElsewhere {
    /// Which one.
    pub database: String,
    /// Its requests then.
    pub requests_per_s: f64,
    /// When that began: local time.
    pub begin: String,
}

/// A database that is not added up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAdded {
    /// Which one.
    pub database: String,
    /// Why.
    pub why: WhyNotAdded,
}

/// Why a database is not added up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyNotAdded {
    /// Another one has its I/O.
    PartOf {
        /// Which one.
        database: String,
    },
    /// Its reports do not state the time that they cover.
    NoTimes,
}
