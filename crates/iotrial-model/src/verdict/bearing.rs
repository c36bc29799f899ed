//! What bears on a verdict beside the figures: objections, doubts, caveats, gaps, and what to change.

use std::time::Duration;

use serde::Serialize;

use crate::bound::BoundRelation;
use crate::figure::Figure;
use crate::finding::Finding;
use crate::load::Role;
use crate::stream::Stream;

use super::Judged;

/// What speaks against the storage, whatever its latencies.
#[derive(Debug, Clone, PartialEq)]
pub enum Objection {
    /// A finding says so.
    Found(Finding),
    /// A finding of a step whose latencies are not judged.
    InStep {
        /// What the step is called.
        label: String,
        /// What failed in it.
        finding: Finding,
    },
}

impl Objection {
    /// The finding behind it.
    pub const fn finding(&self) -> &Finding {
        match self {
            Self::Found(finding) | Self::InStep { finding, .. } => finding,
        }
    }
}

/// A reason why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// What it is.
    pub kind: DoubtKind,
    /// The finding that raises it; `None` of what no finding says.
    pub finding: Option<Finding>,
    /// What to change.
    pub advice: Advice,
}

/// The reasons why figures may not be the device's, or are too few.
#[derive(Debug, Clone, PartialEq)]
pub enum DoubtKind {
    /// The null engine uses no device.
    NullEngine,
    /// The device was simulated.
    Simulated,
    /// No rate was within the limit, and something other than the device may be why.
    OtherLimit,
    /// The run was stopped before the measured phase.
    NothingMeasured,
    /// The run was stopped.
    Interrupted,
    /// The record was changed after it was written.
    AlteredRecord,
    /// A target is in memory.
    InMemory,
    /// The I/O went through the page cache.
    PageCache,
    /// The measured phase was too short for an answer.
    TooShort {
        /// Its length; zero where nothing was measured.
        measured_s: f64,
    },
    /// A load that was to run until it was steady did not become so.
    NotSteadyInTime,
    /// A burst ended while it was measured.
    BurstEnded,
    /// Latencies have two modes, as of a cache.
    TwoLatencies,
    /// Devices counted less than was issued.
    CacheAboveDevices,
    /// The cache of the array may hold what was touched.
    ArrayCache,
    /// Devices did more than was issued.
    ForeignLoad,
    /// The generator had too little CPU.
    ShortOfCpu,
    /// The generator issued I/Os late, and nothing shows that it was short of CPU.
    IssuedLate,
    /// The time of day was set.
    ClockJump,
    /// Latencies and rates contradict each other.
    Contradiction,
    /// Hardly any I/O.
    Starved(Starved),
    /// Too few I/Os for a figure that is needed.
    TooFewIos(Gap),
    /// A bound leaves open on which side of its limit a figure is.
    Undecided(Gap),
    /// Good enough as a whole, and too slow at its end.
    SlowAtTheEnd {
        /// The length of the part at the end.
        measured_s: f64,
        /// What is too slow in it, at most two figures.
        slow: Vec<Judged>,
    },
}

/// Too little to judge anything by.
#[derive(Debug, Clone, PartialEq)]
pub enum Starved {
    /// A stream with hardly any I/O.
    Stream {
        /// What its I/Os stand for.
        roles: Vec<Role>,
        /// Which stream.
        stream: Stream,
        /// How many completed.
        io_count: u64,
        /// How many its figures need without which there is no answer.
        least_io_count: u64,
    },
    /// Less than a second was measured.
    Time {
        /// How long it was.
        measured_s: f64,
    },
}

/// A condition to keep in mind beside an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Caveat {
    /// Figures contradict each other, though no latency.
    Contradiction,
    /// The device stood still for a second or more.
    Stall,
    /// The generator was stopped for some of the time.
    Paused,
    /// A tool reports latencies in coarse steps.
    CoarseLatency,
    /// Less than a minute was measured.
    ShortRun {
        /// How long it was.
        measured_s: f64,
    },
    /// The load was not steady.
    Unsteady {
        /// How long a load that was to become steady was given; `None` of any other.
        within: Option<Duration>,
    },
}

/// Something that the set judges, or should, and that could not be judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// What the I/Os stand for.
    pub roles: Vec<Role>,
    /// Which stream; `None` of everything that the role does.
    pub stream: Option<Stream>,
    /// Which figure; `None` of all figures of the stream.
    pub statistic: Option<Figure>,
    /// Why it is not judged.
    pub why: WhyNotJudged,
}

impl Gap {
    /// Why nothing is judged, where that is the queue of the load.
    pub fn queue(gaps: &[Self]) -> Option<QueueLatency> {
        gaps.iter().find_map(|gap| match gap.why {
            WhyNotJudged::Queue(queue) => Some(queue),
            _ => None,
        })
    }
}

/// Why something could not be judged.
#[derive(Debug, Clone, PartialEq)]
pub enum WhyNotJudged {
    /// The set has no limits for it.
    NoLimits,
    /// The figures are of several roles together that have different limits.
    DifferentLimits,
    /// The source does not state it.
    NotStated,
    /// Too few I/Os.
    TooFewIos {
        /// How many there are.
        io_count: u64,
        /// How many it needs.
        least_io_count: u64,
    },
    /// A bound is known that lies on both sides of the limit.
    Undecided {
        /// On which side of the number the figure is.
        relation: BoundRelation,
        /// The number, rounded for people.
        shown_ms: f64,
        /// The limit.
        limit_us: f64,
    },
    /// So many I/Os were kept outstanding that latencies show how long the queue was.
    Queue(QueueLatency),
}

/// The latency of a load that keeps its I/Os outstanding, which follows from their number and the rate (Little, 1961).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QueueLatency {
    /// I/Os that closed jobs kept outstanding, all of them together.
    pub outstanding: u64,
    /// I/Os per second of both directions; `None` where only a part of them is known, and the latency does not follow from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// Outstanding I/Os ÷ rate; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lat_mean_us: Option<f64>,
}

/// What to change so that the next measurement has an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// The change.
    pub change: Change,
    /// How long the next run should be measured; `None` where its length is not what is wrong.
    pub duration: Option<Duration>,
}

impl Advice {
    /// One that says nothing about the length of the next run.
    pub const fn to(change: Change) -> Self {
        Self { change, duration: None }
    }

    /// The same run, longer.
    pub const fn longer(duration: Duration) -> Self {
        Self { change: Change::Longer, duration: Some(duration) }
    }

    /// Whether the same run will not do, however long it is. The next command that is suggested leaves out `--engine` already.
    pub const fn is_to_change_something(&self) -> bool {
        !matches!(self.change, Change::Longer | Change::LeaveOutEngine | Change::MoreTimeForSearch)
    }
}

/// Everything that is ever advised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Measure for as long as the advice says.
    Longer,
    /// Let it finish.
    RunAgain,
    /// Ask for the record as it was written.
    AskForRecord,
    /// Choose a target on a disk.
    ChooseDisk,
    /// Measure with direct I/O, by another tool.
    DirectIoOfTool,
    /// Leave out `--buffered`.
    LeaveOutBuffered,
    /// Leave out `--engine`.
    LeaveOutEngine,
    /// Measure until the load is steady.
    UntilSteady,
    /// Give it more time to become steady.
    MoreTimeUntilSteady,
    /// Make the files larger than a cache.
    LargerFiles,
    /// Stop other work on the devices.
    StopOthersOnDevices,
    /// Stop other work on the host and its devices.
    StopOthersOnHostAndDevices,
    /// Stop other programs on the host, or give it more CPUs.
    StopOthersOnHost,
    /// Wait until the clock is set.
    WaitForClock,
    /// Look at what the audit says.
    LookAtAudit,
    /// Ask the source for the exact figure.
    AskSource,
    /// Find out why the storage failed.
    FindFailure,
    /// Give the search more time.
    MoreTimeForSearch,
    /// A quieter host, or more time.
    QuieterOrLonger,
}
