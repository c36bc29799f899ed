//! What is said of a comparison. The JSON shows none of these facts.

use super::{Contradiction, CurvePlace, Finding, FindingId};
use crate::load::words;

/// Percentage below which printed figures count as the same, because they come without any word on their spread.
// A choice. Printed figures have two or three digits, and runs of one device differ by 1 % even when it is quiet (`POINT_ERROR` in
// `saturation.rs`), so the difference of two of them means nothing below about twice that.
pub const PRINTED_SAME_PERCENT: f64 = 2.0;
/// As many repeats give intervals that tell something.
// With two repeats the limit of Student's distribution is 12.7 standard errors, with three 4.3, and with five 2.8: from there on
// it falls slowly.
pub const ENOUGH_REPEATS: usize = 5;

/// Facts behind a finding of a comparison. Configurations and sweeps are named by their keys, such as `A`, runs by where they come from.
#[derive(Debug, Clone, PartialEq)]
pub enum ComparedFact {
    /// Nothing is compared, because two samples were taken under different conditions.
    NotComparable {
        /// The first of the two, as a key where it has one.
        first: String,
        /// The other one.
        other: String,
        /// In what they differ.
        differences: Vec<Difference>,
    },
    /// Nothing is compared, for another reason.
    NotCompared {
        /// Why, in the words of the error.
        reason: String,
    },
    /// What cannot be compared fairly was compared by force.
    Forced(Incomparable),
    /// A run measured nothing, and was left out by force.
    NothingMeasured {
        /// Where it comes from.
        source: String,
    },
    /// A source states nothing that could be compared.
    NothingStated {
        /// Where it comes from.
        source: String,
    },
    /// A record was given twice.
    RecordTwice {
        /// Its id.
        id: String,
    },
    /// A sweep was given twice.
    SweepTwice {
        /// Its id.
        id: String,
    },
    /// Loads that were measured on only one configuration.
    OneConfiguration {
        /// Each load with the names of the configuration under it.
        loads: Vec<(String, Vec<String>)>,
    },
    /// Curves that only one sweep has.
    OneSweep {
        /// These curves.
        curves: Vec<CurvePlace>,
    },
    /// Attributes that never differ alone.
    NoPair {
        /// Their names.
        attributes: Vec<String>,
    },
    /// Configurations of which as much is known.
    Configurations(KnownSpread, Vec<String>),
    /// Configurations with a few repeats.
    FewRepeats {
        /// Each with the number of its runs.
        configurations: Vec<(String, usize)>,
    },
    /// Every sweep is a single measurement.
    SingleSweeps,
    /// Each configuration was measured at the rate that its search found.
    OwnRates {
        /// Each with its I/Os per second.
        configurations: Vec<(String, f64)>,
    },
    /// What runs say against their own figures.
    RunCaveat {
        /// What they say, of the first run that says it.
        caveat: Caveat,
        /// Which run of its configuration that is, from 1; `None` where that has only one.
        run: Option<usize>,
        /// Whether all of them say it with the same numbers.
        is_alike: bool,
        /// The runs that say it, by configuration.
        runs: Vec<RunsOfConfiguration>,
    },
    /// What sweeps say against their own figures.
    SweepCaveat {
        /// The sweeps that say it.
        sweeps: Vec<String>,
        /// What they say.
        finding: Box<Finding>,
    },
    /// Warnings that are listed only with the loads that they are of.
    MoreWarnings {
        /// How many.
        warning_count: usize,
    },
    /// The figures of a configuration contradict each other.
    Contradictions {
        /// Its key and label.
        configuration: String,
        /// The first contradiction.
        first: Contradiction,
        /// How many more there are.
        other_count: usize,
    },
    /// The stated repeats of a configuration lie apart.
    RepeatsApart {
        /// The configuration.
        configuration: String,
        /// How many runs it has.
        run_count: usize,
        /// How much the highest value of the widest range is above the lowest, in percent.
        apart_percent: f64,
        /// The figure in which they lie apart most.
        widest: MetricRange,
        /// Their rate, where that is another figure.
        rate: Option<MetricRange>,
    },
    /// Threshold sets by which results were judged have different content.
    ThresholdSets(UnlikeContent),
    /// Profiles have different content.
    Profiles(UnlikeContent),
    /// One run repeats the offsets of others, and another one draws new ones.
    OffsetsOfOne {
        /// The run that repeats them.
        repeating: String,
        /// What makes them the same.
        seed: OffsetSeed,
        /// The run that draws new ones.
        drawing: String,
    },
    /// Repeats of a configuration went to the offsets of an earlier one.
    SameOffsets {
        /// The first of them.
        first: String,
        /// How many more there are.
        other_count: usize,
        /// What makes them the same.
        seed: OffsetSeed,
    },
    /// Latencies of writes that lack their flushes are left out.
    WritesLeftOut {
        /// The first result whose latencies they are.
        first: String,
        /// How many more there are.
        other_count: usize,
    },
    /// Two runs were measured by different tools.
    OtherTool {
        /// The first run.
        first: String,
        /// Its tool.
        first_tool: String,
        /// The other run.
        other: String,
        /// The tool of that.
        other_tool: String,
    },
    /// The generator of two runs worked in different ways.
    GeneratorDiffers {
        /// The first run.
        first: String,
        /// The other run.
        other: String,
        /// In what it differs.
        differences: Vec<Difference>,
    },
}

/// What is known of how far figures could have come out otherwise, where that is little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownSpread {
    /// The source says nothing of it.
    Printed,
    /// The lowest and the highest of repeats that cannot be merged.
    StatedRepeats,
    /// How much the intervals of a single run differ.
    SingleRun,
    /// Nothing: too few intervals were measured.
    TooFewIntervals,
}

impl KnownSpread {
    /// The finding that says so.
    pub const fn finding(self) -> FindingId {
        match self {
            Self::Printed => FindingId::PrintedFigures,
            Self::StatedRepeats => FindingId::StatedRepeats,
            Self::SingleRun => FindingId::MeasuredOnce,
            Self::TooFewIntervals => FindingId::TooFewIntervals,
        }
    }
}

impl ComparedFact {
    /// Whether the other one says the same.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::RunCaveat { caveat, run, is_alike, runs },
                Self::RunCaveat { caveat: other, run: other_run, is_alike: other_is_alike, runs: other_runs },
            ) => caveat.is_like(other) && (run, is_alike, runs) == (other_run, other_is_alike, other_runs),
            _ => self == other,
        }
    }
}

words! {
    /// Something under which samples are taken. Some have to agree before samples are compared, others are only told.
    ConditionKind {
        /// The profile of a planned load.
        Profile = "profile",
        /// The load itself.
        Load = "load",
        /// Whether the rates are those of the profile, needed ones, or found by a search.
        Aim = "what sets the rates",
        /// The roles of its jobs.
        Roles = "roles",
        /// Whether figures were measured, or where they were printed.
        Origin = "figures",
        /// The version of the method of iotrial.
        Method = "method",
        /// Whether the device is real.
        Device = "device",
        /// Whether I/Os go past the page cache.
        Io = "I/O",
        /// How much data is touched.
        WorkingSet = "working set",
        /// How much data is on a volume, of sweeps.
        VolumeData = "data on a volume",
        /// The kind of sweep.
        Sweep = "what was measured",
        /// The tool that measured.
        Tool = "tool",
        /// Whether the latencies of writes include the flush that makes them durable.
        Flushes = "flushes in latencies of writes",
        /// The I/O engine.
        Engine = "engine",
        /// How the threads rank among other programs.
        Priority = "priority",
        /// What the operating system granted of that.
        GrantedPriority = "granted priority",
        /// Flags of the ring.
        Ring = "ring",
        /// Whether the host registered files.
        RegisteredFiles = "registered files",
        /// Whether the host registered buffers.
        RegisteredBuffers = "registered buffers",
        /// Whether completions go past the port.
        PortSkipped = "completion port skipped",
        /// Whether completions are kept in locked memory.
        CompletionsLocked = "completions kept locked",
    }
}

/// Something in which two samples do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// In which condition they differ.
    pub what: ConditionKind,
    /// Of the first sample.
    pub first: String,
    /// Of the other one.
    pub other: String,
}

/// Two samples that cannot be compared fairly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incomparable {
    /// Where the first one comes from: a path, or a row of a table.
    pub first: String,
    /// Where the other one comes from.
    pub other: String,
    /// The labels of both; `None` where one has none.
    pub labels: Option<(String, String)>,
    /// In what they differ.
    pub differences: Vec<Difference>,
}

/// What speaks against the figures of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Caveat {
    /// It was interrupted.
    Interrupted,
    /// It failed.
    Failed,
    /// A figure was printed as about so much, so that it is not compared.
    PrintedAbout {
        /// The metric by its key.
        metric: String,
        /// As it was printed.
        value: f64,
    },
    /// A finding of the run.
    Finding(Box<Finding>),
}

impl Caveat {
    /// Whether the other one says the same, with the same numbers.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Finding(one), Self::Finding(other)) => one.is_like(other),
            _ => self == other,
        }
    }
}

/// Runs of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunsOfConfiguration {
    /// The configuration.
    pub configuration: String,
    /// Which of its runs, from 1.
    pub runs: Vec<usize>,
    /// How many runs it has.
    pub run_count: usize,
}

/// The lowest and the highest value of a metric among repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricRange {
    /// The metric, as tables call it.
    pub metric: String,
    /// Whether its values are µs.
    pub is_in_us: bool,
    /// The lowest value.
    pub low: f64,
    /// The highest value.
    pub high: f64,
}

/// Two documents that differ in their content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlikeContent {
    /// Name of the first one.
    pub first: String,
    /// The result that names it.
    pub first_source: String,
    /// Name of the other one.
    pub other: String,
    /// The result that names that one.
    pub other_source: String,
}

/// What makes a run go to the offsets of other runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OffsetSeed {
    /// The seed of a run of iotrial.
    Given(u64),
    /// fio's `randseed`.
    RandSeed(String),
    /// fio's `randrepeat`, which is on unless it is set to 0.
    RandRepeat,
}
