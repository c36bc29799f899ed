//! Findings: what the reader should know about the figures of a result, each with its evidence.
//!
//! The set of findings is closed: [`FindingId`] has every id that any command prints, and each finding that has facts behind
//! it has a variant of [`Evidence`] for them. What is written is made from these types. Nothing reads it back by key but the
//! edge of the file ([`RecordedFinding::typed`]), because a file may come from a version with other findings.
//!
//! The ids and the keys of the evidence are an interface: `docs/json.md`.

mod compared;
mod contradiction;
mod doubts;
mod place;
mod swept;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::latency_limit::SearchLimit;
use crate::load::{Direction, Role, words};
use crate::plan::EngineKind;
use crate::units::ByteSize;

pub use compared::{
    Caveat, ComparedFact, Difference, ENOUGH_REPEATS, Incomparable, MetricRange, OffsetSeed,
    PRINTED_SAME_PERCENT, RunsOfConfiguration, UnlikeContent,
};
pub use contradiction::Contradiction;
pub use doubts::Doubts;
pub use place::{CurvePlace, Place};
pub use swept::{LeftOut, NoCurve, NoPoint, OpenKnee, Split, SweptFact, UnresolvedKnee};

words! {
    /// The stable name of a finding.
    FindingId {
        /// The run failed, or another tool ended a job with an error.
        Failed = "failed",
        /// The record was changed after it was written.
        AlteredRecord = "altered-record",
        /// The run was stopped before its end.
        Interrupted = "interrupted",
        /// I/Os failed or came back short, in any phase; the figures are those of the ones that succeeded.
        IoErrors = "io-errors",
        /// I/Os moved fewer bytes than they should.
        ShortIo = "short-io",
        /// An I/O took so long that the device must have stood still.
        Stalled = "stalled",
        /// The generator itself did not run for a while.
        Paused = "paused",
        /// No rate holds the latency limit that was asked for.
        LatencyLimitMissed = "latency-limit-missed",
        /// I/Os of an open load were due and never issued.
        NotIssued = "not-issued",
        /// The generator issued I/Os of an open load late.
        LateIssues = "late-issues",
        /// A file system in memory was measured.
        InMemoryTarget = "in-memory-target",
        /// A share of an SMB file server was measured.
        SmbShare = "smb-share",
        /// The I/O went through the page cache.
        BufferedIo = "buffered-io",
        /// The source does not say whether the I/O went through the page cache.
        UnknownCache = "unknown-cache",
        /// The generator polled for completions.
        PolledIo = "polled-io",
        /// A cache answered a part of the I/Os.
        CacheServed = "cache-served",
        /// The devices did more than was issued.
        ForeignLoad = "foreign-load",
        /// The device was faster at first.
        ThrottledAfterBurst = "throttled-after-burst",
        /// The load was still changing.
        Unsteady = "unsteady",
        /// Rates and latencies contradict each other.
        LittlesLaw = "littles-law",
        /// The generator was short of CPU.
        GeneratorBusy = "generator-busy",
        /// The time of day was set, or the machine stood still.
        ClockJump = "clock-jump",
        /// Too little time was measured.
        ShortRun = "short-run",
        /// A limit on I/Os per second is set.
        FlatIopsLimit = "flat-iops-limit",
        /// A limit on bytes per second is set.
        FlatBandwidthLimit = "flat-bandwidth-limit",
        /// Devices further down did more than those above them.
        AmplifiedIo = "amplified-io",
        /// One of several disks worked much more than the others.
        UnevenDevices = "uneven-devices",
        /// I/Os were merged above the device.
        MergedIo = "merged-io",
        /// Several targets lie on one disk.
        SharedDisk = "shared-disk",
        /// Less was touched than a cache may hold.
        SmallWorkingSet = "small-working-set",
        /// Another engine than the usual one made the load.
        EngineFallback = "engine-fallback",
        /// The plan changed what was asked for.
        SizeReduced = "size-reduced",
        /// A tool reports latencies in coarse steps.
        CoarseLatency = "coarse-latency",
        /// Percentiles are those of another latency than the mean.
        CompletionLatency = "completion-latency",
        /// Flushes are timed apart from the writes before them.
        FlushesApart = "flushes-apart",
        /// Figures that a source states contradict each other.
        ContradictoryFigures = "contradictory-figures",
        /// I/Os per second follow from MiB/s and block size.
        DerivedRate = "derived-rate",
        /// A metric of an application could not be had.
        MetricMissing = "metric-missing",
        /// The role of the load is unknown.
        NoRole = "no-role",
        /// An import did not understand everything.
        ImportWarnings = "import-warnings",
        /// The sweep did not end as planned.
        Ended = "ended",
        /// The rate goes on changing under one load.
        Drift = "drift",
        /// The rate of a short probe does not last.
        Burst = "burst",
        /// Too many outstanding I/Os cost throughput.
        FallsAgain = "falls-again",
        /// The same outstanding I/Os do another rate where they are split into depth and jobs in another way.
        SplitMatters = "split-matters",
        /// One load did more than the ceiling.
        AboveCeiling = "above-ceiling",
        /// The points lie off the fitted curve.
        RoughFit = "rough-fit",
        /// The loads do not show where the knee is.
        KneeNotResolved = "knee-not-resolved",
        /// Something has nothing to compare, or is not a point of a curve.
        LeftOut = "left-out",
        /// What cannot be compared fairly was compared by force.
        Forced = "forced",
        /// Runs are not compared with one another.
        NotCompared = "not-compared",
        /// What runs say against their own figures.
        Caveat = "caveat",
        /// Several tools measured.
        OtherTool = "other-tool",
        /// Threshold sets or profiles of one name, or of several, have different content.
        OtherContent = "other-content",
        /// The generator worked in several ways.
        GeneratorDiffers = "generator-differs",
        /// Runs go to the offsets of other runs again.
        OffsetsRepeat = "offsets-repeat",
        /// Each was measured at the rate that a search found for it.
        OwnRates = "own-rates",
        /// A record was given twice.
        GivenTwice = "given-twice",
        /// An attribute never differs alone.
        NoPair = "no-pair",
        /// There is one run only.
        MeasuredOnce = "measured-once",
        /// Too little was measured to tell a difference from chance.
        TooFewIntervals = "too-few-intervals",
        /// There are two to four repeats.
        FewRepeats = "few-repeats",
        /// Figures are stated without any spread.
        PrintedFigures = "printed-figures",
        /// Several runs state the figures.
        StatedRepeats = "stated-repeats",
        /// Repeats lie far apart.
        RepeatsApart = "repeats-apart",
        /// No configuration of a provider meets the demand.
        NothingMeetsIt = "nothing-meets-it",
        /// There is no catalog to choose from.
        NoCatalog = "nothing",
    }
}

impl FindingId {
    /// The finding with this name; `None` of one that this version does not make.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.as_str() == word)
    }
}

/// From here on a load is trusted to have been measured for long enough.
// A minute: caches of drives and burst credits of small volumes hide the real speed for less.
pub const SHORTEST_TRUSTED: Duration = Duration::from_secs(60);
/// The most that rounds of a steady load may differ, in percent of their average.
pub const MOST_RANGE_PERCENT: f64 = 20.0;
/// The most that a line fitted through them may rise or fall from the first to the last round, in percent of the average.
pub const MOST_SLOPE_PERCENT: f64 = 10.0;
/// The most of what came to be due in an open job over the rounds that may only have made its queue longer, in percent.
// One percent of a minute is more than half a second of arrivals waiting: by then the queue is not an accident of the moment.
pub const MOST_BACKLOG_GROWTH_PERCENT: f64 = 1.0;
/// A thread that is ready and waits for a CPU makes every I/O that completes meanwhile look slower; at this share of the time, in percent,
/// the 90th percentile is that of the scheduler.
pub const MOST_DELAY_PERCENT: f64 = 10.0;
/// The gap between two latencies of a cache reaches from some latency to so many times that.
pub const GAP_RATIO: f64 = 2.0;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the figures stand.
    Note,
    /// The figures may not mean what they seem to.
    Warning,
    /// The figures must not be relied upon.
    Serious,
}

impl Severity {
    /// The word for people and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Serious => "serious",
        }
    }
}

/// Something that the reader should know about the figures. `iotrial_words::finding` says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Its stable name.
    pub id: FindingId,
    /// How much it weighs.
    pub severity: Severity,
    /// The part of the result that it is about; `None` where it is about all of it.
    pub place: Option<Place>,
    /// The facts behind it.
    pub evidence: Evidence,
    /// What a record says of it that keeps fewer facts than its sentence has; `None` where the facts say everything.
    pub recorded: Option<String>,
}

impl Finding {
    /// A finding of all of a result.
    pub const fn new(id: FindingId, severity: Severity, evidence: Evidence) -> Self {
        Self { id, severity, place: None, evidence, recorded: None }
    }

    /// A finding of which nothing but a sentence is known.
    pub const fn without_evidence(id: FindingId, severity: Severity, sentence: String) -> Self {
        Self { id, severity, place: None, evidence: Evidence::Nothing {}, recorded: Some(sentence) }
    }

    /// The same as a finding of a part of the result.
    #[must_use]
    pub fn placed(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }
}

/// Of facts that only the words show.
fn no_facts<T, S: Serializer>(_: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_map(Some(0))?.end()
}

/// A percentile that the generator made longer than the device.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HeldPercentile {
    /// Such as 99.
    pub percent: f64,
    /// As it is counted, in µs.
    pub latency_us: f64,
    /// What it would be at least, had the generator held no I/O back.
    pub without_us: f64,
}

/// The facts behind a finding. Keys and units are those of the fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Evidence {
    /// The message has everything.
    Nothing {},
    /// Of a run that did not end as planned.
    Ended {
        /// Time that was measured.
        measured_s: f64,
        /// Time that was to be measured.
        planned_s: f64,
        /// Why it ended, in the words of what ended it.
        #[serde(skip)]
        reason: Option<String>,
    },
    /// Of figures that contradict each other.
    ContradictoryFigures {
        /// How many pairs of figures do.
        contradiction_count: usize,
        /// Whether a latency is among them, by which the result is judged.
        is_of_latency: bool,
        /// The first of them.
        #[serde(skip)]
        first: Contradiction,
    },
    /// Of jobs that another tool ended.
    FailedJobs {
        /// Jobs that ended with an error.
        failed_count: usize,
        /// Name of the first of them.
        #[serde(skip)]
        job: String,
        /// Its error, in the words of the tool.
        #[serde(skip)]
        error: String,
    },
    /// Of I/Os that failed or came back short, of all phases.
    IoErrors(IoErrors),
    /// Of I/Os that failed, as a source states them.
    StatedErrors {
        /// Failed I/Os of all streams together. A source does not say out of how many.
        error_count: u64,
    },
    /// Of I/Os that came back short.
    ShortIo {
        /// Name of the first job whose first failure was a short I/O.
        job: String,
        /// Direction of that failure.
        direction: Direction,
        /// Bytes that the first one moved.
        moved_bytes: u32,
        /// Bytes that it should have moved.
        asked_bytes: u32,
        /// All I/Os of that job and direction that failed, short ones among them.
        error_count: u64,
    },
    /// Of an I/O that stood still.
    Stalled {
        /// Name of the job whose I/O took longest.
        job: String,
        /// Direction of that I/O.
        direction: Direction,
        /// How long it took; of one that was not back, how long it had been under way when the load ended.
        longest_s: f64,
        /// When it came back, from the start of the load; `None` when it did not, and where only totals are known.
        ended_after_s: Option<f64>,
        /// I/Os of all jobs that were not back when the load ended.
        unfinished_count: u64,
        /// What was seen of it.
        #[serde(skip)]
        seen: StallSeen,
    },
    /// Of a generator that did not run.
    Paused {
        /// How often in the measured phase.
        count: usize,
        /// All of it together, as far as it lies in the measured phase.
        total_s: f64,
        /// The longest time.
        longest_s: f64,
        /// When that one began, from the start of the load.
        longest_after_s: f64,
    },
    /// Of a search that found no rate.
    LatencyLimitMissed {
        /// What a rate had to stay within.
        limit: SearchLimit,
        /// The lowest rate that was tried.
        lowest_iops: f64,
        /// What may have been the limit at that rate instead of the device.
        doubts: Doubts,
        /// The worst latency at that rate, of the statistic that the limit names; `None` where nothing was measured.
        latency_us: Option<f64>,
        /// That rate as a share of the rate at saturation.
        #[serde(skip)]
        share_of_saturation: f64,
        /// Why that rate does not hold, as the search recorded it.
        #[serde(skip)]
        why_not: Option<String>,
        /// Whether it is the rate that was asked for, and no other was to be tried.
        #[serde(skip)]
        is_only_rate: bool,
    },
    /// Of arrivals that were never issued.
    NotIssued {
        /// Name of the open job that left the largest share unissued.
        job: String,
        /// I/Os, or commits of a group commit, that were due at the end of the load and had not been issued.
        not_issued_count: u64,
        /// The same in percent of all that were due at that job.
        not_issued_percent: f64,
        /// Whether commits arrive at that job, and not I/Os.
        #[serde(skip)]
        are_commits: bool,
    },
    /// Of arrivals that were issued late.
    LateIssues {
        /// Name of the open job with the largest share of late I/Os.
        job: String,
        /// I/Os that were issued more than 100 µs after they were due, although one of the job's slots was free.
        late_count: u64,
        /// The same in percent of all that were done by that job.
        late_percent: f64,
        /// What the generator made of percentiles of that job; empty where it made nothing of them.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        held: Vec<HeldPercentile>,
        /// Whether commits arrive at that job, and not I/Os.
        #[serde(skip)]
        are_commits: bool,
        /// Whether it made so much of a percentile that this is not the device's; the counts are then those of all I/Os that it held back.
        #[serde(skip)]
        is_in_figures: bool,
    },
    /// Of targets in memory.
    InMemoryTarget {
        /// Paths of the targets, with symbolic links resolved.
        paths: Vec<String>,
    },
    /// Of targets on shares of SMB file servers.
    SmbShare {
        /// Paths of the targets, with links resolved.
        paths: Vec<String>,
    },
    /// Of I/O through the page cache.
    BufferedIo {
        /// Whether it went past it.
        direct: bool,
    },
    /// Of a generator that polled.
    PolledIo(PolledIo),
    /// Of a cache that is seen in what devices counted.
    CacheByDevices {
        /// Where it shows.
        seen_in: SeenIn,
        /// The direction of which devices saw least.
        direction: Direction,
        /// Kernel names of those devices: the lower end of the step in question.
        devices: Vec<String>,
        /// Bytes that came from above.
        issued_bytes: u64,
        /// Bytes that they counted.
        device_bytes: u64,
        /// The share of the bytes from above that they did not count, in percent.
        cache_percent: f64,
        /// Kernel names of the devices that passed the I/Os on; empty where iotrial itself issued them.
        #[serde(skip)]
        above: Vec<String>,
        /// The roles whose I/Os these are, where others lie on other devices.
        #[serde(skip)]
        roles: Vec<Role>,
    },
    /// Of a cache that is seen in latencies.
    CacheByLatency(CacheByLatency),
    /// Of devices that did more than was issued.
    ForeignLoad {
        /// Kernel names of the devices that the load is on, or of the disk of which another partition was used.
        devices: Vec<String>,
        /// The excess in percent of what they moved.
        share_percent: f64,
        /// Bytes that were to be read.
        issued_read_bytes: u64,
        /// Bytes that were to be written.
        issued_write_bytes: u64,
        /// Bytes that they read.
        device_read_bytes: u64,
        /// Bytes that they wrote.
        device_write_bytes: u64,
        /// The roles whose I/Os these are, where others lie on other devices.
        #[serde(skip)]
        roles: Vec<Role>,
        /// The partitions that the load is on, where others of the disk were used; empty otherwise.
        #[serde(skip)]
        partitions: Vec<String>,
        /// Whether no file system lies above the devices, which could multiply.
        #[serde(skip)]
        is_bare: bool,
    },
    /// Of a device that was faster at first.
    ThrottledAfterBurst {
        /// From the start of the load.
        after_s: f64,
        /// The rate until then.
        burst: f64,
        /// The rate from then on.
        plateau: f64,
        /// `IOPS` or `MiB/s`.
        unit: &'static str,
        /// When the measured phase began, from the start of the load.
        measured_from_s: f64,
    },
    /// Of a load that was still changing, or whose queue grew.
    Unsteady(Unsteady),
    /// Of rates and latencies that contradict each other.
    LittlesLaw {
        /// I/Os in flight by Little's law.
        in_flight: f64,
        /// I/Os that were kept outstanding.
        outstanding: u64,
        /// The first in percent of the second, less 100.
        deviation_percent: f64,
    },
    /// Of a generator short of CPU.
    GeneratorBusy(GeneratorUse),
    /// Of clocks that went apart.
    ClockJump {
        /// How far; negative when the time of day went back.
        jump_s: f64,
        /// Measured time by the monotonic clock.
        monotonic_s: f64,
        /// Measured time by the time of day.
        time_of_day_s: f64,
    },
    /// Of too short a time.
    ShortRun {
        /// Time that was measured.
        measured_s: f64,
    },
    /// Of a limit that is set on a rate.
    FlatLimit(FlatRate),
    /// Of devices further down that did more.
    AmplifiedIo {
        /// Kernel names of those further down, of the step that multiplies most.
        devices: Vec<String>,
        /// Those that they carry.
        above: Vec<String>,
        /// Bytes read for each byte from above.
        read_bytes_ratio: Option<f64>,
        /// Bytes written for each byte from above.
        write_bytes_ratio: Option<f64>,
        /// The excess in percent of what they moved.
        excess_percent: Option<f64>,
    },
    /// Of merged I/Os.
    MergedIo {
        /// Of which most were merged.
        direction: Direction,
        /// The share of them.
        merged_percent: f64,
        /// I/Os that were issued.
        issued_count: u64,
        /// I/Os that the device did.
        device_count: u64,
        /// Kernel names of the devices.
        #[serde(skip)]
        devices: Vec<String>,
    },
    /// Of one disk of several that worked much more than the others.
    UnevenDevices {
        /// Its kernel name.
        #[serde(skip)]
        device: String,
        /// The share of the time for which it was busy, in percent.
        #[serde(skip)]
        busy_percent: f64,
        /// How many others there are.
        #[serde(skip)]
        other_count: usize,
        /// The same of the other that was busy least.
        #[serde(skip)]
        least_percent: f64,
        /// The same of the other that was busy most.
        #[serde(skip)]
        most_percent: f64,
    },
    /// Of targets that lie on the same devices.
    SharedDisk {
        /// Kernel names of the devices, the nearest that the targets share.
        devices: Vec<String>,
        /// The targets, each as the command line takes it.
        targets: Vec<String>,
        /// The roles that lie there, where targets were given to roles.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        roles: Vec<Role>,
        /// The same targets with the roles of each.
        #[serde(skip)]
        holders: Vec<SharedHolder>,
        /// Whether the devices are disks.
        #[serde(skip)]
        are_disks: bool,
    },
    /// Of less that was touched than the host has memory.
    SmallWorkingSet {
        /// What the load worked on.
        touched_bytes: ByteSize,
        /// Memory of the host.
        memory_bytes: ByteSize,
    },
    /// Of another engine.
    EngineFallback {
        /// The engine that made the load instead of the usual one, or of the one that was asked for.
        engine: EngineKind,
        /// Why, in the words of the plan.
        reason: String,
    },
    /// Of a plan that changed what was asked for.
    SizeReduced {
        /// What is laid out.
        laid_out_bytes: ByteSize,
        /// What was changed, in the words of the plan.
        #[serde(skip)]
        note: String,
    },
    /// Of latencies in coarse steps.
    CoarseLatency {
        /// One step of the last digit that the tool prints. The true mean may be off by as much.
        resolution_us: f64,
        /// The mean of which it is the largest part.
        lat_mean_us: f64,
        /// The tool.
        #[serde(skip)]
        tool: String,
        /// Whose mean it is.
        #[serde(skip)]
        stream: String,
    },
    /// Of percentiles that lack the submission.
    CompletionLatency {
        /// What the submission took on average.
        slat_mean_us: f64,
    },
    /// Of flushes that are timed apart.
    FlushesApart {
        /// What they took on average, where it is stated.
        flush_mean_us: Option<f64>,
        /// The tool.
        #[serde(skip)]
        tool: String,
        /// Name of the first job of which that is so.
        #[serde(skip)]
        job: String,
    },
    /// Of rates that a source does not state.
    DerivedRates {
        /// What follows from its other figures.
        #[serde(skip)]
        rates: Vec<DerivedRate>,
    },
    /// Of metrics of an application that could not be had.
    MetricMissing {
        /// The first of them, and why.
        #[serde(skip)]
        first: String,
        /// How many more are missing.
        #[serde(skip)]
        other_count: usize,
    },
    /// Of an import.
    ImportWarnings {
        /// How many warnings it has.
        warning_count: usize,
        /// The first of them.
        #[serde(skip)]
        first: String,
    },
    /// Of a rate that goes on changing under one load.
    Drift {
        /// In the first second of the long probe, by the line through all.
        from_iops: f64,
        /// In the last one.
        to_iops: f64,
        /// How many seconds it was looked at.
        seconds: u64,
    },
    /// Of a rate that does not last.
    Burst {
        /// The rate before it fell in the long probe, or that of the best load among the short ones.
        burst_iops: f64,
        /// The mean rate of the long probe once the burst was over: what lasts.
        iops: f64,
        /// When it ended, from the start of the long probe; `None` where only the short probes show it.
        ended_after_s: Option<f64>,
    },
    /// Of throughput that too many outstanding I/Os cost.
    FallsAgain {
        /// In percent of the highest rate.
        falls_by_percent: f64,
        /// Whether the same outstanding I/Os come as several splits into depth and jobs.
        #[serde(skip)]
        has_splits: bool,
    },
    /// Of a load that did more than the ceiling.
    AboveCeiling {
        /// In percent of the ceiling.
        exceeded_by_percent: f64,
    },
    /// Of points that lie off their curve.
    RoughFit {
        /// Root of the mean squared relative distance.
        rms_percent: f64,
        /// Whether it is that of the points around the knee alone.
        #[serde(skip)]
        is_around_knee: bool,
        /// Whether iotrial measured the points, so that longer ones can be had.
        #[serde(skip)]
        is_own_sweep: bool,
    },
    /// Of a sweep.
    Swept(#[serde(serialize_with = "no_facts")] SweptFact),
    /// Of a comparison.
    Compared(#[serde(serialize_with = "no_facts")] ComparedFact),
}

impl Evidence {
    /// The facts by name, as they are written and shown.
    pub fn facts(&self) -> BTreeMap<String, serde_json::Value> {
        // Numbers, words and lists of them: there is nothing that could not be written.
        let value = serde_json::to_value(self).expect("evidence is plain data");
        match value {
            serde_json::Value::Object(facts) => facts.into_iter().collect(),
            other => unreachable!("evidence is an object, and not {other}"),
        }
    }
}

words! {
    /// Where a cache shows.
    SeenIn {
        /// Devices counted less than came from above.
        DeviceCounters = "device counters",
        /// Latencies have two modes.
        Latency = "latency",
    }
}

/// I/Os that failed or came back short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoErrors {
    /// Failed and short I/Os of all jobs and phases.
    pub error_count: u64,
    /// All I/Os, failed ones too.
    pub attempt_count: u64,
    /// The job of which most failed.
    pub job: String,
    /// The direction of that job in which most failed.
    pub direction: Direction,
    /// The first failure there.
    pub first_error: String,
}

/// A generator that polled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolledIo {
    /// Whether it did.
    pub polled: bool,
}

/// Latencies in two separate modes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheByLatency {
    /// Where it shows.
    pub seen_in: SeenIn,
    /// The direction with two modes.
    pub direction: Direction,
    /// Name of the job they belong to; the modes are those of one job, as jobs may differ by plan.
    pub job: String,
    /// The share of the fast mode.
    pub cache_percent: f64,
    /// The median latency of the fast mode alone.
    pub fast_median_us: f64,
    /// That of the slow mode.
    pub slow_median_us: f64,
    /// Above this latency there is next to nothing, up to twice of it.
    pub gap_from_us: f64,
    /// Areas of targets that the job works on; with several of them they may be on devices of different speed.
    #[serde(skip)]
    pub area_count: usize,
}

/// How it was seen that something stood still.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StallSeen {
    /// One I/O took as long, and came back.
    Back,
    /// One I/O had not come back when the load ended.
    NotBack,
    /// No I/O of the job completed, as the course shows that a tool logged, which tells no single I/O.
    NoneCompleted {
        /// When that began, in seconds from the start of the load.
        from_s: f64,
    },
}

/// One of several targets on the same devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedHolder {
    /// The roles that it was given to; empty where it carries them all.
    pub roles: Vec<Role>,
    /// Its path.
    pub path: String,
}

/// I/Os per second that follow from a bandwidth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DerivedRate {
    /// I/Os per second.
    pub iops: f64,
    /// Of these I/Os.
    pub direction: Direction,
    /// The block size by which the bandwidth was divided, in bytes.
    pub block_size_bytes: f64,
}

words! {
    /// What of a load was still changing.
    Changing {
        /// I/Os per second.
        Iops = "IOPS",
        /// Bytes per second.
        Bandwidth = "bandwidth",
        /// Mean latency of jobs with a rate.
        MeanLatency = "mean latency",
        /// I/Os that were due and not issued.
        Backlog = "backlog",
    }
}

/// A load that was still changing: the rounds of a value, or the growth of a queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unsteady {
    /// What was still changing. Of [`Changing::Backlog`] only `backlog_growth_percent` is set, of the others the rounds.
    pub value: Changing,
    /// Largest minus smallest round in percent of their average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_percent: Option<f64>,
    /// What the fitted line gains from the first round to the last, in percent of the average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slope_percent: Option<f64>,
    /// The rounds, of IOPS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_iops: Option<[f64; 5]>,
    /// The rounds, of anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<[f64; 5]>,
    /// Of what came to be due, the part that only made the queue longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backlog_growth_percent: Option<f64>,
    /// Of a load that was to run until it was steady: the longest that it was to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited_s: Option<f64>,
    /// Of the same load: the length of its rounds.
    #[serde(skip)]
    pub round_s: Option<f64>,
}

impl Unsteady {
    /// That it was changing, without any number yet.
    pub const fn of(value: Changing) -> Self {
        Self {
            value,
            range_percent: None,
            slope_percent: None,
            round_iops: None,
            rounds: None,
            backlog_growth_percent: None,
            waited_s: None,
            round_s: None,
        }
    }
}

/// Why the generator was the limit, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortage {
    /// It used up its CPUs.
    OwnCpu,
    /// One of its threads used up its CPU.
    OneThread,
    /// Its threads waited for a CPU.
    RunQueue,
    /// Its threads lost their CPU to others.
    Preempted,
    /// What was left to it by the hypervisor was used up.
    Stolen,
    /// The hypervisor took a part of all CPUs.
    Steal,
}

/// How much of the CPU that it needed the generator had, of the measured phase. Shares are of the time of the CPUs that drive the
/// load unless they say otherwise; `None` where something could not be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GeneratorUse {
    /// Work, without watching the clock.
    pub busy_percent: f64,
    /// CPUs that drive the load.
    pub driven_cpu_count: u32,
    /// CPU time in user space.
    pub user_s: f64,
    /// CPU time in the kernel.
    pub system_s: f64,
    /// The part of both in which threads only watched the clock.
    pub watched_s: f64,
    /// Work of the thread that did most, of one CPU.
    pub busiest_thread_percent: Option<f64>,
    /// Time that threads were ready to run and had no CPU.
    pub run_queue_delay_percent: Option<f64>,
    /// How often a thread lost its CPU.
    pub involuntary_switches_per_s: Option<f64>,
    /// Anything but idle and waiting, of all CPUs of the host.
    pub host_busy_percent: Option<f64>,
    /// Taken by the hypervisor, of all CPUs of the host.
    pub host_steal_percent: Option<f64>,
    /// Taken by the hypervisor from the work of the generator, at most.
    pub stolen_percent: Option<f64>,
    /// Measured time.
    #[serde(skip)]
    pub wall_s: f64,
    /// What it was short of; `None` where it had what it needed.
    #[serde(skip)]
    pub shortage: Option<Shortage>,
}

/// A rate that stood still while I/Os waited.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlatRate {
    /// Whose I/Os have it, where they lie on other devices than the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Kernel names of these devices, where their counters agree with what was issued.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// The limit, where it is one on I/Os.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_iops: Option<f64>,
    /// The limit, where it is one on bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_mib_per_s: Option<f64>,
    /// I/Os per second.
    pub iops: f64,
    /// MiB per second.
    pub mib_per_s: f64,
    /// Largest minus smallest interval in percent of the limit.
    pub range_percent: f64,
    /// How far the sum ever was from the straight line, in seconds of the mean rate.
    pub drift_s: f64,
    /// I/Os in flight.
    pub in_flight: f64,
    /// The part of them that the device had in work.
    pub in_work: f64,
    /// Mean total latency while the rate stood still: I/Os in flight by the rate.
    pub lat_mean_us: f64,
    /// The shortest latency.
    pub lat_min_us: f64,
    /// Whether people set such values.
    pub is_round: bool,
    /// How long it was looked at, in seconds.
    #[serde(skip)]
    pub measured_s: f64,
}

/// A finding as it is written in a record: what the version that wrote it found. Results are shown with findings that are
/// computed from their facts, so that a page never has those of two versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedFinding {
    /// Its stable name. A text, because a record may come from a version with other findings.
    pub id: String,
    /// How much it weighs.
    pub severity: Severity,
    /// One sentence with the numbers.
    pub message: String,
    /// The facts behind it, by name with unit.
    pub evidence: BTreeMap<String, serde_json::Value>,
}

impl RecordedFinding {
    /// The finding, where it is one that the kept facts of a probe may need (`iotrial-analysis` says which and why); `None` of
    /// any other one, and where its evidence is not what it should be.
    pub fn typed(&self) -> Option<Finding> {
        let facts = || serde_json::Value::Object(self.evidence.clone().into_iter().collect());
        let id = FindingId::from_word(&self.id)?;
        let evidence = match id {
            FindingId::IoErrors => Evidence::IoErrors(serde_json::from_value(facts()).ok()?),
            FindingId::CacheServed => Evidence::CacheByLatency(serde_json::from_value(facts()).ok()?),
            FindingId::PolledIo => Evidence::PolledIo(serde_json::from_value(facts()).ok()?),
            FindingId::GeneratorBusy => Evidence::GeneratorBusy(serde_json::from_value(facts()).ok()?),
            _ => return None,
        };
        let recorded = Some(self.message.clone());
        Some(Finding { recorded, ..Finding::new(id, self.severity, evidence) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_one_finding_and_reads_as_it_is_written() {
        for id in FindingId::ALL {
            assert_eq!(FindingId::from_word(id.as_str()), Some(*id));
            assert_eq!(serde_json::to_value(id).unwrap(), id.as_str());
        }
        assert_eq!(FindingId::from_word("latency-spike"), None);
    }

    #[test]
    fn every_finding_is_in_the_documented_interface() {
        let documented = include_str!("../../../docs/json.md");
        for id in FindingId::ALL {
            assert!(documented.contains(&format!("`{id}`")), "docs/json.md does not name `{id}`");
        }
    }

    #[test]
    fn evidence_is_one_flat_object_in_the_order_of_its_names() {
        let evidence =
            Evidence::GeneratorBusy(GeneratorUse { busy_percent: 97.5, ..GeneratorUse::default() });
        let text = serde_json::to_string(&evidence.facts()).unwrap();
        let start = r#"{"busiest_thread_percent":null,"busy_percent":97.5,"driven_cpu_count":0,"host_busy_percent":null,"#;
        assert!(text.starts_with(start), "{text}");
        for evidence in [Evidence::Nothing {}, Evidence::Compared(ComparedFact::SingleSweeps)] {
            assert_eq!(serde_json::to_string(&evidence).unwrap(), "{}");
            assert!(evidence.facts().is_empty());
        }
    }

    #[test]
    fn a_finding_of_another_version_is_passed_over() {
        let evidence = Evidence::CacheByLatency(CacheByLatency {
            seen_in: SeenIn::Latency,
            direction: Direction::Read,
            job: "pages".to_owned(),
            cache_percent: 30.0,
            fast_median_us: 100.0,
            slow_median_us: 2_000.0,
            gap_from_us: 150.0,
            area_count: 0,
        });
        let mut written = RecordedFinding {
            id: FindingId::CacheServed.as_str().to_owned(),
            severity: Severity::Warning,
            message: "two latencies".to_owned(),
            evidence: evidence.facts(),
        };
        let read = written.typed().unwrap();
        assert_eq!((read.evidence, read.recorded), (evidence, Some(written.message.clone())));
        written.evidence.remove("seen_in");
        assert_eq!(written.typed(), None);
        written.id = "latency-spike".to_owned();
        assert_eq!(written.typed(), None);
    }
}
