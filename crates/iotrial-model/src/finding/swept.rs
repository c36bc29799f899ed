//! What is said of a sweep and of its curves. The JSON shows none of these facts.

use crate::ended::EndedHow;
use crate::load_pattern::LoadPattern;

/// Facts behind a finding of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub enum SweptFact {
    /// The sweep did not end as planned.
    Ended {
        /// How it ended.
        how: EndedHow,
        /// Why, in the words of what ended it; `None` where nothing was recorded.
        reason: Option<String>,
    },
    /// The device stood still in short probes, which are left out of their curves.
    StalledProbes {
        /// Kind of I/O of the first of them.
        pattern: LoadPattern,
        /// Outstanding I/Os of the first of them, on each volume.
        outstanding: u32,
        /// How many there are.
        probe_count: usize,
    },
    /// A curve has no knee, or there is no curve.
    KneeNotResolved(UnresolvedKnee),
    /// Of one load, two splits into depth and jobs that do different rates.
    SplitMatters {
        /// Outstanding I/Os of both.
        outstanding: u32,
        /// The split that does most.
        most: Split,
        /// The split that does least.
        least: Split,
    },
    /// A path to a disk carries less than another one, each loaded by itself. Rates are ceilings in MiB/s.
    SlowPath {
        /// Kernel name of its device.
        path: String,
        /// What it carries.
        mib_per_s: f64,
        /// Kernel name of the device of the path that carries most.
        other: String,
        /// What that one carries.
        other_mib_per_s: f64,
    },
    /// A result is not a point of a curve.
    LeftOut(LeftOut),
    /// Results that are not points of a curve either, and are only counted.
    MoreLeftOut {
        /// How many.
        result_count: usize,
    },
}

/// Why there is no knee, or no curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnresolvedKnee {
    /// What is known of the knee; `None` where it is resolved.
    pub knee: Option<OpenKnee>,
    /// Why no curve is fitted; `None` where one is.
    pub no_curve: Option<NoCurve>,
}

/// What is known of a knee that is not resolved. Loads are outstanding I/Os, rounded to whole ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OpenKnee {
    /// Nothing.
    Unknown,
    /// It is at this load or below.
    AtOrBelow {
        /// The load.
        outstanding: f64,
        /// Whether no lower load was measured.
        is_lowest: bool,
    },
    /// It is at this load or above.
    AtOrAbove {
        /// The load.
        outstanding: f64,
        /// Whether no higher load was measured.
        is_highest: bool,
    },
}

/// Why no curve is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCurve {
    /// There is a single load.
    OneLoad,
    /// There are two loads.
    TwoLoads,
    /// All loads reach about the same rate.
    SameRate,
}

/// A load that a source made as so many jobs of such a depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// The rate that it does, in I/Os per second.
    pub iops: f64,
    /// Outstanding I/Os of each job.
    pub iodepth: u64,
    /// Jobs.
    pub numjobs: u64,
}

impl Split {
    /// How much less it does than another one, in percent of that.
    pub fn less_percent(&self, than: &Self) -> f64 {
        100.0 * (1.0 - self.iops / than.iops)
    }
}

/// A result that is not a point of a curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// File and place.
    pub whence: String,
    /// What a point needs and is not there.
    pub why: NoPoint,
}

/// What a point of a curve needs and a result does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPoint {
    /// Its load is not stated.
    NoLoad,
    /// Its load has several kinds of I/O.
    SeveralKinds,
    /// Its share of reads is not stated.
    NoShareOfReads,
    /// It is not stated whether its load is random or sequential.
    NoOrder,
    /// It does not have a single block size.
    NoBlockSize,
    /// A rate or pauses held its load back.
    HeldBack,
    /// Its outstanding I/Os are not stated.
    NoOutstanding,
    /// Its rate is not stated.
    NoRate,
    /// There is no other load of its kind.
    OnlyLoad,
}
