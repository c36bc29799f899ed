//! What several facts behind a finding are together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Doubts;
use crate::latency_limit::SearchLimit;
use crate::load::{Direction, Role, words};
use crate::verification::{FaultKind, KeptCapacity};

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

/// Pages that are not as they were written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotAsWritten {
    /// Pages and I/Os with a fault, by its kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// Pages that were compared.
    pub page_count: u64,
    /// The file or device of the first one.
    pub path: String,
    /// Where it begins, from the start of the file or device.
    pub offset_bytes: u64,
    /// The first file or device that keeps less than it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<KeptCapacity>,
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

/// An I/O, or a device, that stood still.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stalled {
    /// Name of the job whose I/O took longest.
    pub job: String,
    /// Direction of that I/O.
    pub direction: Direction,
    /// How long it took; of one that was not back, how long it had been under way when the load ended.
    pub longest_s: f64,
    /// When it came back, from the start of the load; `None` when it did not, and where only totals are known.
    pub ended_after_s: Option<f64>,
    /// I/Os of all jobs that were not back when the load ended.
    pub unfinished_count: u64,
    /// What was seen of it.
    #[serde(skip)]
    pub seen: StallSeen,
    /// The shorter ones too; `None` where none was seen.
    #[serde(flatten)]
    pub freezes: Option<Freezes>,
}

/// A search that found no rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LatencyLimitMissed {
    /// What a rate had to stay within.
    pub limit: SearchLimit,
    /// The lowest rate that was tried.
    pub lowest_iops: f64,
    /// The highest rate at which a short load stayed within it, though no longer run did; `None` where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_loads_iops: Option<f64>,
    /// What may have been the limit at that rate instead of the device.
    pub doubts: Doubts,
    /// The worst latency at that rate, of the statistic that the limit names; `None` where nothing was measured.
    pub latency_us: Option<f64>,
    /// That rate as a share of the rate at saturation.
    #[serde(skip)]
    pub share_of_saturation: f64,
    /// Why that rate does not hold, as the search recorded it.
    #[serde(skip)]
    pub why_not: Option<String>,
    /// Whether it is the rate that was asked for, and no other was to be tried.
    #[serde(skip)]
    pub is_only_rate: bool,
}

/// How the rate of a load follows its outstanding I/Os, step by step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scaling {
    /// The lowest step that does 95 % of the highest rate; where the rate still rises at the highest step, the one to compare that with: the
    /// highest with at most two thirds of its load. In percent of the full load.
    pub load_percent: f64,
    /// I/Os per second at that step, all jobs together.
    pub iops: f64,
    /// The highest step, in percent of the full load.
    pub highest_load_percent: f64,
    /// I/Os per second at that one.
    pub highest_iops: f64,
    /// Whose I/Os wait above that load; `None` where the rate still rises, or where it cannot be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Kernel names of the devices of that role, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// Whether the generator itself was the limit from that load on.
    pub is_generator_busy: bool,
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

/// Arrivals that were issued late.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LateIssues {
    /// Name of the open job with the largest share of late I/Os.
    pub job: String,
    /// I/Os that were issued more than 100 µs after they were due, although one of the job's slots was free.
    pub late_count: u64,
    /// The same in percent of all that were done by that job.
    pub late_percent: f64,
    /// What the generator made of percentiles of that job; empty where it made nothing of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<HeldPercentile>,
    /// Whether commits arrive at that job, and not I/Os.
    #[serde(skip)]
    pub are_commits: bool,
    /// Whether it made so much of a percentile that this is not the device's; the counts are then those of all I/Os that it held back.
    #[serde(skip)]
    pub is_in_figures: bool,
}

/// A cache that is seen in what devices counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CacheByDevices {
    /// Where it shows.
    pub seen_in: SeenIn,
    /// The direction of which devices saw least.
    pub direction: Direction,
    /// Kernel names of those devices: the lower end of the step in question.
    pub devices: Vec<String>,
    /// Bytes that came from above.
    pub issued_bytes: u64,
    /// Bytes that they counted.
    pub device_bytes: u64,
    /// The share of the bytes from above that they did not count, in percent.
    pub cache_percent: f64,
    /// Kernel names of the devices that passed the I/Os on; empty where iotrial itself issued them.
    #[serde(skip)]
    pub above: Vec<String>,
    /// The roles whose I/Os these are, where others lie on other devices.
    #[serde(skip)]
    pub roles: Vec<Role>,
}

/// Devices that did more than was issued.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForeignLoad {
    /// Kernel names of the devices that the load is on, or of the disk of which another partition was used.
    pub devices: Vec<String>,
    /// The excess in percent of what they moved.
    pub share_percent: f64,
    /// Bytes that were to be read.
    pub issued_read_bytes: u64,
    /// Bytes that were to be written.
    pub issued_write_bytes: u64,
    /// Bytes that they read.
    pub device_read_bytes: u64,
    /// Bytes that they wrote.
    pub device_write_bytes: u64,
    /// The roles whose I/Os these are, where others lie on other devices.
    #[serde(skip)]
    pub roles: Vec<Role>,
    /// The partitions that the load is on, where others of the disk were used; empty otherwise.
    #[serde(skip)]
    pub partitions: Vec<String>,
    /// Whether no file system lies above the devices, which could multiply.
    #[serde(skip)]
    pub is_bare: bool,
}

/// How it was seen that something stood still.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StallSeen {
    /// One I/O took as long, and came back.
    Back,
    /// One I/O had not come back when the load ended.
    NotBack,
    /// All I/Os outstanding took as long, or all that fell due meanwhile were late, each time for less than a second.
    Frozen,
    /// No I/O of the job completed, as the course shows that a tool logged, which tells no single I/O.
    NoneCompleted {
        /// When that began, in seconds from the start of the load.
        from_s: f64,
    },
}

/// Times from 0.2 s on in which nothing came back from a device though I/Os were outstanding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Freezes {
    /// How many of them were seen in the measured phase, at least.
    pub freeze_count: usize,
    /// How long they were together.
    pub frozen_s: f64,
    /// The share of the measured phase.
    pub frozen_percent: f64,
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// The kernel's threads that complete its I/Os waited for a CPU.
    KernelThreads,
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
    /// Time that the kernel's threads which complete I/Os were ready to run and had no CPU, of the measured time, summed over the threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_io_delay_percent: Option<f64>,
    /// How often a thread lost its CPU.
    pub involuntary_switches_per_s: Option<f64>,
    /// Anything but idle and waiting, of all CPUs of the host.
    pub host_busy_percent: Option<f64>,
    /// Taken by the hypervisor, of all CPUs of the host.
    pub host_steal_percent: Option<f64>,
    /// Taken by the hypervisor from the work of the generator, at most.
    pub stolen_percent: Option<f64>,
    /// What others used, of all CPUs of the host.
    #[serde(skip)]
    pub others_percent: Option<f64>,
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
    /// Whose rate it is, where the other direction has another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
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
