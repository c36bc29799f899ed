//! The facts behind findings.

use std::collections::BTreeMap;

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::latency_limit::SearchLimit;
use crate::load::{Direction, Role};
use crate::plan::EngineKind;
use crate::units::ByteSize;

use super::facts::{
    CacheByLatency, DerivedRate, FlatRate, Freezes, GeneratorUse, IoErrors, PolledIo, SeenIn, SharedHolder,
    StallSeen, Unsteady,
};
use super::{ComparedFact, Contradiction, Doubts, SweptFact};

/// Times that differ by less than this share are one: two runs of 30 s differ by what their clocks are off.
const SAME_TIME_SHARE: f64 = 0.005;

fn is_same_time(one_s: f64, other_s: f64) -> bool {
    (one_s - other_s).abs() <= SAME_TIME_SHARE * one_s.max(other_s)
}

/// Of facts that only the words show.
pub(super) fn no_facts<T, S: Serializer>(_: &T, serializer: S) -> Result<S::Ok, S::Error> {
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
        /// The shorter ones too; `None` where none was seen.
        #[serde(flatten)]
        freezes: Option<Freezes>,
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
