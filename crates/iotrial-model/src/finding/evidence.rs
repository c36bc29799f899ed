//! The names of findings, and the facts behind them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::load::{Direction, Role, words};
use crate::plan::EngineKind;
use crate::units::ByteSize;

use super::facts::{
    CacheByDevices, CacheByLatency, DerivedRate, FlatRate, ForeignLoad, GeneratorUse, IoErrors, LateIssues,
    LatencyLimitMissed, NotAsWritten, PolledIo, Scaling, SharedHolder, Stalled, Unsteady,
};
use super::{ComparedFact, Contradiction, SweptFact};

words! {
    /// The stable name of a finding. Findings of one severity are shown in this order.
    FindingId {
        /// The checksum of a record (of a run, a sweep or an import) does not match: it was changed after it was written, and the
        /// verdict is inconclusive. Serious.
        AlteredRecord = "altered-record",
        /// The run did not end as planned, or another tool ended a job with an error. Serious.
        Failed = "failed",
        /// The run was stopped before its end. Warning.
        Interrupted = "interrupted",
        /// I/Os failed or came back short, in any phase; the figures are those of the ones that succeeded. Warning; serious above 0.1 %.
        IoErrors = "io-errors",
        /// I/Os came back short: the file or device ends before the load does. Serious.
        ShortIo = "short-io",
        /// The storage did not give back what was written (only of a run that verifies): `faults` by kind, `page_count` compared, the
        /// first place. Serious.
        NotAsWritten = "not-as-written",
        /// An I/O took a second or more, or had not returned when the load ended; nothing returned for 0.2 s or more, for 1 % of the time
        /// together; for an imported log, nothing completed for that long;
        /// for short probes of a sweep, how many are left out of their curve. Warning; serious if the I/O had not returned or took 15 s.
        Stalled = "stalled",
        /// iotrial itself did not run: it was stopped, frozen or throttled, or its machine stood still. Warning; note below 1 s and 1 %
        /// of the measured time.
        Paused = "paused",
        /// A finished search found no rate within the limits. Warning.
        LatencyLimitMissed = "latency-limit-missed",
        /// Of a load that keeps I/Os outstanding: from this step on more of them raise the rate by less than 5 %, up to a step with at least
        /// 1.5 times as many. With `role`, whose I/Os wait, and its `devices`, or `is_generator_busy`. Note.
        StopsScaling = "stops-scaling",
        /// The same load still does more at its highest step. Note.
        StillScaling = "still-scaling",
        /// An open job did not keep its rate: I/Os were due and never issued (the worst job). Warning.
        NotIssued = "not-issued",
        /// The generator issued I/Os of an open job late, or noticed their completion late (the worst job). `held`, unless the generator
        /// caused less than a tenth of p99: `percent`, `latency_us`, `without_us` (lower bound without this delay) for p99 and p99.9.
        /// Warning; note if it changes no figure by much.
        LateIssues = "late-issues",
        /// A file system in memory was measured. Serious.
        InMemoryTarget = "in-memory-target",
        /// The page cache was between load and device. Warning.
        BufferedIo = "buffered-io",
        /// Of an import: it is not stated whether I/O bypassed the page cache. Note; warning where half of the I/Os took less than
        /// 5 µs, as none of a device does.
        UnknownCache = "unknown-cache",
        /// Threads polled for completions, as no database does. Note.
        PolledIo = "polled-io",
        /// Devices counted less than 90 % of what came from above, or latencies have two separate modes: a cache answered a part of the
        /// I/Os. Warning; note from 50 % on.
        CacheServed = "cache-served",
        /// The devices, or other partitions of their disk, moved over 10 % more than was issued. Warning.
        ForeignLoad = "foreign-load",
        /// The device was faster at first, then held at a lower rate. Warning; note if the burst ended before the measured phase.
        ThrottledAfterBurst = "throttled-after-burst",
        /// The load does not meet the SNIA criteria, by more than chance explains, or not within the time limit of `--until-steady`. Warning.
        Unsteady = "unsteady",
        /// IOPS × mean latency differs by more than 3 % from the outstanding I/Os. Warning.
        LittlesLaw = "littles-law",
        /// The generator limited the run: it used up its CPUs, waited for them, or lost them to the hypervisor (`stolen_percent`: at
        /// most, of the time of the driving CPUs); or kernel threads that complete I/Os of an open load waited for a CPU
        /// (`kernel_io_delay_percent`: of the measured time, summed over the threads). Warning.
        GeneratorBusy = "generator-busy",
        /// Time of day and monotonic clock diverged. Warning.
        ClockJump = "clock-jump",
        /// Less than 60 s were measured. Warning; serious if nothing was.
        ShortRun = "short-run",
        /// The IOPS were constant while I/Os waited and the device was partly idle: a limit is set, for one `direction` if that is
        /// named. If roles have their own devices, one finding per limit, with `roles`, and `devices` if their counters agree with what was
        /// issued. Note.
        FlatIopsLimit = "flat-iops-limit",
        /// The same for bytes per second. Note.
        FlatBandwidthLimit = "flat-bandwidth-limit",
        /// Several targets are on one disk or device: `devices`, `targets`, `roles`. Note.
        SharedDisk = "shared-disk",
        /// Devices further down moved over 10 % more than those that they carry. Note.
        AmplifiedIo = "amplified-io",
        /// Of an import: one of several disks was much busier than the others. Warning.
        UnevenDevices = "uneven-devices",
        /// More than 10 % of the I/Os were merged above the device. Note.
        MergedIo = "merged-io",
        /// The load touched less than the host's memory. Note.
        SmallWorkingSet = "small-working-set",
        /// The load, or a volume of a sweep, touched less than twice the cache of the array that was given (`--array-cache`): `touched_bytes`,
        /// `array_cache_bytes`. Warning.
        ArrayCache = "array-cache",
        /// A share of an SMB server was measured: `paths`. Note.
        SmbShare = "smb-share",
        /// Every page was read before it was overwritten, and compared: rates and latencies are of this load and not of the storage
        /// alone. Note.
        Compared = "compared-load",
        /// Another engine than the usual one made the load. Note.
        EngineFallback = "engine-fallback",
        /// Of an import: the mean latency is in steps of more than a tenth of it. Warning.
        CoarseLatency = "coarse-latency",
        /// Of an import: percentiles are of the completion latency, the mean is of the total latency. Note.
        CompletionLatency = "completion-latency",
        /// Flushes are timed separately from the writes before them: these write latencies are not judged, and in a comparison left out.
        /// Warning.
        FlushesApart = "flushes-apart",
        /// Stated figures cannot all be true: IOPS and MiB/s, or rates and mean latencies. The verdict is inconclusive. Warning.
        ContradictoryFigures = "contradictory-figures",
        /// Of an import: IOPS are derived from MiB/s and block size. Note.
        DerivedRate = "derived-rate",
        /// A command for a metric of the application failed. Warning.
        MetricMissing = "metric-missing",
        /// Of an import: no role was given; judged as data. Note.
        NoRole = "no-role",
        /// The import did not understand something. Note.
        ImportWarnings = "import-warnings",
        /// The plan differs from the request. Note.
        SizeReduced = "size-reduced",
        /// The sweep did not end as planned. Warning; serious for a failure.
        Ended = "ended",
        /// Under one load the rate of the long probe changed steadily by 10 % or more, so no ceiling lasts: `from_iops`, `to_iops`,
        /// `seconds`. Warning.
        Drift = "drift",
        /// The rate of short probes does not last: `burst_iops`, `iops` (lasting), `ended_after_s` (null if only short probes show it).
        /// Warning.
        Burst = "burst",
        /// More outstanding I/Os than needed cost over 10 % of the highest rate: `falls_by_percent`. Warning.
        FallsAgain = "falls-again",
        /// Of a grid: the same outstanding I/Os, split otherwise into depth and jobs, do over 10 % less. Note.
        SplitMatters = "split-matters",
        /// Of `sweep --channel`: a path to a disk carries less than 80 % of what another path to it does, each by itself. Warning.
        SlowPath = "slow-path",
        /// A load did over 5 % more than the ceiling: `exceeded_by_percent`. Note.
        AboveCeiling = "above-ceiling",
        /// Points are over 15 % off the fitted curve, over all loads or from 0.4 to 2.5 times the knee: `rms_percent`, the larger of
        /// both. Warning.
        RoughFit = "rough-fit",
        /// The loads do not show where the knee is; equal curves together. Warning.
        KneeNotResolved = "knee-not-resolved",
        /// A stated result has nothing to compare, such as only “about” a number, or an imported result is not a point of a curve (the
        /// first 20 by name). Note.
        LeftOut = "left-out",
        /// You forced an unfair comparison. Warning.
        Forced = "forced",
        /// A report of several runs does not compare them: why. Note or warning.
        NotCompared = "not-compared",
        /// Doubts about the figures of the named runs, or a figure printed as “about” a number. Warning; note for printed figures.
        Caveat = "caveat",
        /// Several tools measured the runs. Warning.
        OtherTool = "other-tool",
        /// The named threshold sets or profiles differ in content, even under one name. Warning; note for profiles.
        OtherContent = "other-content",
        /// Some runs have another engine or ring, or no registered files or buffers. Note.
        GeneratorDiffers = "generator-differs",
        /// Random offsets are the same in some runs (fio without `randrepeat=0`, iotrial with one `--seed`) and not in others, or in all
        /// repeats of a configuration. Warning; note for repeats.
        OffsetsRepeat = "offsets-repeat",
        /// Each was measured at the highest rate found for it: rates are compared; figures of streams are shown but not judged. Note.
        OwnRates = "own-rates",
        /// A record was given twice, and counts once. Note.
        GivenTwice = "given-twice",
        /// An attribute never differs alone. Note.
        NoPair = "no-pair",
        /// One run: how much figures change from run to run is not known. Note.
        MeasuredOnce = "measured-once",
        /// Measured too briefly to tell a difference from chance. Note.
        TooFewIntervals = "too-few-intervals",
        /// Two to four repeats: wide intervals. Note.
        FewRepeats = "few-repeats",
        /// Stated figures: their spread is not known. Note.
        PrintedFigures = "printed-figures",
        /// Several runs state the figures; the one in the middle counts. Note.
        StatedRepeats = "stated-repeats",
        /// How much repeats differ, by the figure that differs most. Warning from 25 % on, otherwise note.
        RepeatsApart = "repeats-apart",
        /// `iotrial size`: no configuration of a provider meets the demand. Warning.
        NothingMeetsIt = "nothing-meets-it",
        /// `iotrial size`: there is no catalog to choose from. Warning.
        NoCatalog = "nothing",
    }
}

impl FindingId {
    /// The finding with this name; `None` of one that this version does not make.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.as_str() == word)
    }
}

/// Times that differ by less than this share are one: two runs of 30 s differ by what their clocks are off.
const SAME_TIME_SHARE: f64 = 0.005;

fn is_same_time(one_s: f64, other_s: f64) -> bool {
    (one_s - other_s).abs() <= SAME_TIME_SHARE * one_s.max(other_s)
}

/// Of facts that only the words show.
pub(super) fn no_facts<T, S: Serializer>(_: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_map(Some(0))?.end()
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
    /// Of a rate that holds only while all copies ran, as a source states its samples.
    SampledRate {
        /// I/Os per second over the whole time.
        iops: f64,
        /// I/Os per second of its samples on average.
        sampled_iops_mean: f64,
        /// Of the slowest sample.
        sampled_iops_min: f64,
        /// Of the fastest one.
        sampled_iops_max: f64,
        /// The stream.
        #[serde(skip)]
        stream: String,
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
    /// Of pages that are not as they were written.
    NotAsWritten(NotAsWritten),
    /// Of an I/O that stood still.
    Stalled(Stalled),
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
    LatencyLimitMissed(LatencyLimitMissed),
    /// Of a rate that follows the outstanding I/Os, or no longer does.
    Scaling(Scaling),
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
    LateIssues(LateIssues),
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
    CacheByDevices(CacheByDevices),
    /// Of a cache that is seen in latencies.
    CacheByLatency(CacheByLatency),
    /// Of devices that did more than was issued.
    ForeignLoad(ForeignLoad),
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
    /// Of less that was touched than rules out the cache of the array.
    ArrayCache {
        /// What the load worked on; of a sweep, the smallest volume.
        touched_bytes: ByteSize,
        /// The cache, as it was given.
        array_cache_bytes: ByteSize,
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
    /// Of I/Os that no device answered, where nobody says whether they went past the page cache.
    MemoryAnswered {
        /// Half of the I/Os took no longer, in µs.
        lat_p50_us: f64,
        /// Whose median it is.
        #[serde(skip)]
        stream: String,
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
    /// Whether they are the same but for what clocks are off.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::ShortRun { measured_s: one }, Self::ShortRun { measured_s: other }) => {
                is_same_time(*one, *other)
            }
            (
                Self::Ended { measured_s: one, planned_s, reason },
                Self::Ended { measured_s: other, planned_s: other_planned_s, reason: other_reason },
            ) => is_same_time(*one, *other) && (planned_s, reason) == (other_planned_s, other_reason),
            (Self::Compared(one), Self::Compared(other)) => one.is_like(other),
            _ => self == other,
        }
    }

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
