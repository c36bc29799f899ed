//! What figures tell beside what was checked.

use crate::range::Range;

/// What Little's law gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Observation {
    /// Outstanding I/Os, of a latency of which only a bound was printed.
    BoundedOutstanding(Range),
    /// Outstanding I/Os.
    Outstanding {
        /// Those of each part, at least one.
        implied: Vec<f64>,
        /// What the parts are.
        parts: Parts,
        /// What the loads have.
        configured: ConfiguredOutstanding,
    },
}

/// What a result consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// All of it and its jobs.
    PartsOfResult,
    /// Rows of a printed table.
    Rows,
}

/// I/Os that loads are to keep outstanding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfiguredOutstanding {
    /// As many in each part.
    Same {
        /// How many.
        count: u64,
        /// How many of them somebody worked out.
        inferred_count: u64,
        /// Whether no part contradicts them.
        fits: bool,
    },
    /// So many in each part.
    Each(Vec<u64>),
    /// Some parts do not say.
    UnknownOfSome,
    /// No part says.
    Unknown,
}
