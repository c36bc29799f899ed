//! What counters of a system in use show besides figures: what was observed of disks, what is to be known of the counters, and what held
//! the load back. These are the facts; `iotrial_words::observation` says them.

use serde::Serialize;

use crate::load::{Direction, words};

words! {
    /// The kinds of observations, the gravest first. The first two leave the answer open: what a disk did that nobody saw may have been too
    /// slow, and what another one did says nothing about it.
    ObservationKind {
        /// A disk went away, for a time or for good. Live, and in a recording: other tools also leave out idle disks.
        DiskGone = "disk-gone",
        /// Another disk took the name, by the kernel's sequence number of disks (Linux 5.15), or the counters went back. Live, and in a
        /// recording.
        DiskReplaced = "disk-replaced",
        /// With two to four times as many I/Os in flight, the disk did no more I/Os and no more bytes (within 10 %), and each I/O took
        /// at least 1.5 times as long. The 2, 5, 10, 20 or 50 % of the intervals with most in flight are compared with those that had a
        /// quarter to half as many; at least five of each, and at least 4 in flight. Larger I/Os at the same rate are not saturation.
        /// At least five other intervals must show that the rate followed the number in flight: with 1 / 1.25 as many or fewer, the disk
        /// did 1 / 1.25 as many I/Os and bytes or fewer, and took no longer.
        Saturated = "saturated",
        /// The rate of I/Os or bytes stays flat within 10 % for five intervals or more, right after at least two with 1.25 times as
        /// much, with as many in flight and 1.5 times the latency: burst credits or a cache were used up.
        Throttled = "throttled",
        /// In the intervals beyond the limit the disk did no more than in the others, with 1.5 times as many in flight: a cache of the
        /// array overflows, or the disks are shared.
        SlowWithoutLoad = "slow-without-load",
        /// The same load takes 1.5 times as long. Over time: the latency rises from part to part of the recording (ten parts of at least
        /// five intervals, Kendall's tau 0.8 or more, last fifth compared with the first), without more I/Os, more bytes, larger I/Os
        /// (each within 10 %) or another share of reads (10 points); the slope is that of Theil and Sen. Or as `saturated`, but no
        /// interval shows that the rate ever followed the number in flight.
        SlowerAtSameLoad = "slower-at-same-load",
        /// The same load takes 1.5 times as long as in the recording of `--baseline`: intervals of both with as many I/Os per second
        /// (within 25 %), of the same size (within 50 %) and share of reads (within a quarter) are compared, at least five of each.
        SlowerThanBaseline = "slower-than-baseline",
        /// One of several disks that share a load does 1.25 times the mean, or takes 1.5 times as long as the others for as many I/Os.
        Imbalance = "imbalance",
    }
}

impl ObservationKind {
    /// Whether it leaves open how good the storage was.
    pub const fn is_missing_disk(self) -> bool {
        matches!(self, Self::DiskGone | Self::DiskReplaced)
    }

    /// Whether the same load takes longer.
    pub const fn is_slower(self) -> bool {
        matches!(self, Self::SlowWithoutLoad | Self::SlowerAtSameLoad | Self::SlowerThanBaseline)
    }

    /// Whether it is a limit of the storage, so that more was wanted than was done.
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::Saturated | Self::Throttled)
    }
}

/// Something that was observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Of what.
    pub of: ObservedDisks,
    /// What it is.
    pub facts: ObservationFacts,
}

impl Observation {
    /// What kind it is.
    pub const fn kind(&self) -> ObservationKind {
        self.facts.kind()
    }
}

/// What an observation is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObservedDisks {
    /// One disk.
    Disk(String),
    /// Disks that carry something together.
    Stripe(Vec<String>),
}

/// What was seen, by kind.
#[derive(Debug, Clone, PartialEq)]
pub enum ObservationFacts {
    /// The disk was not there. Seconds since 1970, of the last time, because it may not be over.
    DiskGone {
        /// When it went away.
        from_s: f64,
        /// When it came back; `None` if it did not.
        until_s: Option<f64>,
        /// How often in all.
        count: usize,
    },
    /// Another disk took its name, or its counters began anew.
    DiskReplaced {
        /// Shortly before this: seconds since 1970, of the last time.
        at_s: f64,
        /// How often in all.
        count: usize,
    },
    /// More in flight did no more.
    Saturated {
        /// With the most in flight.
        pressed: TypicalLoad,
        /// With a quarter to half as many.
        usual: TypicalLoad,
    },
    /// The same load takes longer.
    SlowerAtSameLoad {
        /// When it took longer: the last fifth of the time, or with the most in flight.
        slow: TypicalLoad,
        /// At other times: the first fifth, or with a quarter to half as many in flight.
        usual: TypicalLoad,
        /// How the latency rises, where it does so over time; `None` where only intervals with more in flight are slower.
        trend: Option<Trend>,
    },
    /// The same load takes longer than in another recording.
    SlowerThanBaseline {
        /// Reads or writes; `None` where the source has only both together.
        direction: Option<Direction>,
        /// The mean of what intervals took then, µs.
        baseline_us: f64,
        /// The same now.
        now_us: f64,
        /// How many intervals of now have the load of one then.
        interval_count: usize,
    },
    /// A flat rate after a burst.
    Throttled {
        /// Before.
        burst: TypicalLoad,
        /// After.
        plateau: TypicalLoad,
        /// Which rate is flat.
        flat: FlatIn,
        /// How long the first plateau lasted; `None` where nothing says how long an interval is.
        lasted_s: Option<f64>,
        /// The same in intervals.
        interval_count: usize,
        /// How many plateaus there are.
        count: usize,
    },
    /// Slow, though it did no more than at other times.
    SlowWithoutLoad {
        /// The median of the slow intervals, µs.
        slow_us: f64,
        /// How many of them there are.
        interval_count: usize,
        /// The median of the others, µs.
        usual_us: f64,
    },
    /// A member does more than its share.
    BusyMember {
        /// Which one.
        member: String,
        /// Its mean.
        iops: f64,
        /// The sum over all members.
        all_iops: f64,
        /// How many members there are.
        member_count: usize,
    },
    /// A member takes longer than the others under about the same load.
    SlowMember {
        /// Which one.
        member: String,
        /// Its mean, µs.
        latency_us: f64,
        /// The median of the others, µs.
        others_us: f64,
    },
}

impl ObservationFacts {
    /// What kind of observation that is.
    pub const fn kind(&self) -> ObservationKind {
        match self {
            Self::DiskGone { .. } => ObservationKind::DiskGone,
            Self::DiskReplaced { .. } => ObservationKind::DiskReplaced,
            Self::Saturated { .. } => ObservationKind::Saturated,
            Self::Throttled { .. } => ObservationKind::Throttled,
            Self::SlowWithoutLoad { .. } => ObservationKind::SlowWithoutLoad,
            Self::SlowerAtSameLoad { .. } => ObservationKind::SlowerAtSameLoad,
            Self::SlowerThanBaseline { .. } => ObservationKind::SlowerThanBaseline,
            Self::BusyMember { .. } | Self::SlowMember { .. } => ObservationKind::Imbalance,
        }
    }
}

/// What a disk did in several intervals: medians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TypicalLoad {
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Mean latency of an interval in µs.
    pub latency_us: f64,
    /// I/Os in flight or waiting.
    pub outstanding: f64,
}

/// How a latency changes over the time of a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// µs more in each second: the median of the slopes between parts of the recording (Sen, 1968). `None` where the times are not known.
    pub slope_us_per_s: Option<f64>,
    /// From the first interval to the last, in seconds; `None` as above.
    pub span_s: Option<f64>,
}

/// In what a rate is flat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlatIn {
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    Bytes,
}

/// What is to be known of counters.
#[derive(Debug, Clone, PartialEq)]
pub enum CounterNote {
    /// In the words of whoever read them.
    OfSource(String),
    /// Times without counters.
    Gaps {
        /// How many.
        count: usize,
        /// How long, in all.
        total_s: f64,
    },
    /// An interval ends before the one before it.
    ClockSetBack,
    /// Intervals of a minute or more.
    LongIntervals {
        /// How long one is.
        interval_s: f64,
    },
    /// A disk did too few I/Os of a direction to judge their latency.
    FewIos {
        /// As its source calls it.
        disk: String,
        /// Reads or writes; `None` where the source has only both together.
        direction: Option<Direction>,
        /// In how many intervals it did at least one I/O per second.
        busy_count: usize,
        /// How many intervals there are.
        interval_count: usize,
    },
}

/// Why counters show less than what was asked of the storage.
#[derive(Debug, Clone, PartialEq)]
pub enum HeldBack {
    /// The storage was at a limit.
    AtLimit(Observation),
    /// Latencies were beyond the limits.
    Slow {
        /// On these disks.
        disks: Vec<String>,
        /// The threshold set that says so.
        set: Option<String>,
    },
    /// A disk was not there.
    DiskMissing(Observation),
}
