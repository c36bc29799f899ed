//! What a search did not look at, or not in full, and why.

use crate::catalog::Term;
use crate::price::MissingPrice;
use crate::requirement::Slow;

/// What was not looked at. Kinds of volume are named by their titles.
#[derive(Debug, Clone, PartialEq)]
pub enum NotSearched {
    /// A kind of volume that is too slow, or may be.
    Slow(Slow),
    /// The price of a kind lacks a part.
    PartUnpriced {
        /// Title of the kind.
        volume: String,
        /// The catalog's name for what is missing.
        part: String,
    },
    /// A kind, or some of its levels, without a price.
    Unpriced {
        /// Title of the kind.
        volume: String,
        /// Names of the levels; empty where it is all of them.
        levels: Vec<String>,
    },
    /// The price of a kind cannot be converted.
    NoRate {
        /// Title of the kind.
        volume: String,
        /// Currency of its price.
        from: String,
        /// Currency of the sum.
        to: String,
    },
    /// A kind on which databases do not run, unless it is named.
    RotatingDisks {
        /// Title of the kind.
        volume: String,
        /// The name that includes it.
        option: String,
    },
    /// Levels whose IOPS the vendor does not commit to, unless they are named.
    NoCommitment {
        /// Title of the kind.
        volume: String,
        /// Names of the levels; one of them may be empty.
        levels: Vec<String>,
        /// The name that includes the first.
        option: String,
    },
    /// A kind of which no level was selected.
    NoLevel {
        /// Title of the kind.
        volume: String,
    },
    /// Machines of which the catalog lacks something.
    Machines {
        /// Their names; never empty.
        machines: Vec<String>,
        /// What it lacks.
        without: WithoutFigures,
    },
    /// Writes to replicas are compared with no limit, where the network rate of a machine is unknown.
    NetworkLimits,
    /// What no source has a price of, whichever machine it is.
    FromTheCost(MissingPrice),
}

/// What the catalog does not say of machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithoutFigures {
    /// What they cost: they are left out.
    Price,
    /// How they limit volumes: they are left out.
    Limits,
    /// What they cost when one is bound to them for so long: their price on demand is used.
    Committed(Term),
}
