//! A record is what happened: facts, histograms, intervals, host, findings.
//!
//! [`RunRecord`] owns the file format `iotrial.record/1` (`docs/record.md`). It holds facts only;
//! `iotrial-analysis` turns them into figures, in one place. A newer minor version is read as far as it is understood:
//! unknown keys are passed over, and no record is ever rewritten but for its label and its metrics.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::application::ApplicationMetrics;
use crate::content::Checksum;
use crate::histogram::LatencyHistogram;
use crate::host_fact::HostReport;
use crate::load::Direction;
use crate::plan::{Job, PhaseKind, Plan};
use crate::priority::GrantedPriority;
use crate::search::Search;
use crate::units::{ByteSize, seconds};
use crate::verification::Verification;

mod activity;
mod anonymous;
mod check;

mod lasting_device;
mod steps;
mod streams;
mod failure;
mod host_facts;
mod pause;
mod target;
mod within;

pub use crate::ended::{Ended, EndedHow};
pub use crate::finding::{RecordedFinding, Severity};
pub use activity::{ActivityLook, BusyProcess, DiskActivity, HostActivity};
pub use check::CheckRecordError;
pub(crate) use check::{LONGEST, MOST_COUNTED, are_counts_in_range, are_devices_in_range};
pub use failure::Failure;
pub(crate) use host_facts::{is_in_range as are_host_facts_in_range, written as written_host_facts};
pub use pause::Pause;
pub use steps::StepCounts;
pub use target::{BlockDevice, TargetRecord};
pub use within::RecordLimit;

/// The value of `format` in a record.
pub const RECORD_FORMAT: &str = "iotrial.record/1";

/// Figures of two records can be compared only if both were measured by the same method. It is raised
/// when the engine begins to count or time anything in another way.
pub const METHOD_VERSION: u32 = 1;

/// What happened in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// [`RECORD_FORMAT`]; a file with another format is not a record of a run and is not read as one.
    pub format: String,
    /// A ULID, made when the run was set up: unique, and in the order of time. The store names the file by it.
    pub id: String,
    /// What the user calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What distinguishes the configuration: `volumes = 3`, `driver = "sr-iov"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Figures of an application that belong to this run, by name with the unit at the end: `batch_requests_per_s`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: ApplicationMetrics,
    /// Why metrics that were asked of commands are missing, each beginning with its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metric_failures: Vec<String>,
    /// The study that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<StudyPlace>,
    /// The program that measured, with its method.
    pub tool: Tool,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// Whether what says whose machine it was is left out ([`RunRecord::anonymize`]), or is to be when the run is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anonymous: bool,
    /// The machine that made the load.
    pub host: Host,
    /// What was read of the host and of what is below the targets before the load began, each setting by its name; `None` where the
    /// engine touches no target, and in older records.
    #[serde(default, with = "host_facts::written", skip_serializing_if = "Option::is_none")]
    pub host_facts: Option<HostReport>,
    /// What other programs did on the host before and during the run; `None` where the engine touches no target, where it cannot be read,
    /// and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_activity: Option<HostActivity>,
    /// What the load worked on.
    pub targets: Vec<TargetRecord>,
    /// The profile's text, word for word.
    pub profile: String,
    /// The text of the threshold set that judged, word for word; empty where there was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thresholds: String,
    /// Digests of what judged, and of what was to be judged; `None` in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<ContentDigests>,
    /// All that was decided before the load began: the same plan on the same targets makes the same load again.
    pub plan: Plan,
    /// How the files came to be; `None` where nothing had to be laid out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Totals of the measured phase, in the order of the plan's jobs.
    pub jobs: Vec<JobCounts>,
    /// Totals of each step that was begun, in the order of the plan's steps; empty where the load does not change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepCounts>,
    /// The run second by second, all phases.
    pub intervals: Vec<Interval>,
    /// What the operating system granted the engine; `None` where no load began, or in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_setup: Option<EngineSetup>,
    /// CPU time over the measured phase; `None` where the clock is simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuUse>,
    /// What the operating system counted at the devices below over the measured phase.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceCounters>,
    /// When iotrial itself stood still, in all phases; on a simulated clock, when the simulated host did. Empty where
    /// it did not, and in older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// The search for the highest rate that holds a latency limit, of which this run is the confirmation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// What the storage gave back of what was written; `None` where nobody compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// What the version that wrote it found. A result is shown with what is found in its facts instead.
    pub findings: Vec<RecordedFinding>,
    /// How it ended.
    pub ended: Ended,
    /// What its checksum says of it. Whoever writes the file adds the key, as the last one.
    #[serde(default, skip_serializing)]
    pub checksum: Checksum,
}

/// What a run was made and judged by, each as the digest of its content ([`crate::content`]).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentDigests {
    /// Of the profile.
    pub profile: String,
    /// Of the threshold set.
    pub thresholds: String,
    /// Of all rules by which the host was judged before the load, built-in ones among them; `None` where the engine touches no
    /// target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AttributeValue {
    /// A whole number, so that `3` does not become `3.0`.
    Integer(i64),
    /// Any other finite number.
    Number(f64),
    /// What does not read as a number, kept as it was written.
    Text(String),
}

impl AttributeValue {
    /// Reads what stands behind `key=`: a number where it looks like one.
    pub fn from_text(text: &str) -> Self {
        // Whole numbers first, so that `3` is written as 3 again; and not `nan` or `inf`, which are words to a user.
        if let Ok(integer) = text.parse() {
            return Self::Integer(integer);
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Self::Number(number),
            _ => Self::Text(text.to_owned()),
        }
    }
}

impl std::fmt::Display for AttributeValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(integer) => integer.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.pad(text),
        }
    }
}

/// The program that measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// `iotrial`; another program that writes this format puts its own name here.
    pub name: String,
    /// Version of the program. Records of different versions may be compared as long as `method_version` is the same.
    pub version: String,
    /// [`METHOD_VERSION`] of the program that measured: figures of different methods are not compared.
    pub method_version: u32,
}

/// The place of a run in its study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyPlace {
    /// Name of the study.
    pub name: String,
    /// The profile, as the study names it.
    pub profile: String,
    /// The how-many-th run of this configuration and profile, from 1; the configurations of one round share it.
    pub repeat: u32,
    /// The place of the configuration in its round, from 1.
    pub position: u32,
}

/// The machine that measured. Everything that could not be read is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Network name of the machine, as it calls itself.
    pub name: String,
    /// Operating system and its version, for people.
    pub os: String,
    /// Kernel release as `uname` gives it; on Windows version, build and update, such as `10.0.20348.2700`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Model of the CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<String>,
    /// Logical CPUs that this process may use.
    pub cpu_count: u32,
    /// Logical CPUs of the host, of which a container or an affinity may leave fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_cpu_count: Option<u32>,
    /// Memory of the host as the kernel counts it, which is a little less than is built in; a container may use less.
    #[serde(default, rename = "memory_bytes", skip_serializing_if = "Option::is_none")]
    pub memory: Option<ByteSize>,
    /// Hypervisor or cloud, where it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtualization: Option<String>,
    /// The clock that times the I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
}

impl Host {
    /// What CPU time of the whole host is a share of.
    pub fn all_cpu_count(&self) -> u32 {
        self.host_cpu_count.unwrap_or(self.cpu_count).max(1)
    }
}

/// How the files came to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Data written now, without the headers of files.
    #[serde(rename = "written_bytes")]
    pub written: ByteSize,
    /// Data kept from an earlier run, whole.
    #[serde(rename = "reused_bytes")]
    pub reused: ByteSize,
    /// Time that the writing took.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
}

/// What one job did: by direction, only where there was something.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JobCounts {
    /// Reads; `None` where the job completed, failed and left none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<OpCounts>,
    /// Writes, with those that carry group commits; `None` where the job completed, failed and left none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<OpCounts>,
    /// Commits of a group commit, each from the time at which it was due until the write that holds it was durable. Their
    /// bytes are those of the log that they add.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<OpCounts>,
    /// Of an open job: how long the I/Os, or commits, that were due and never issued had waited when the load ended.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub not_issued_age: LatencyHistogram,
}

impl JobCounts {
    /// What it did in one direction; commits of a group commit are in neither.
    pub fn get(&self, direction: Direction) -> Option<&OpCounts> {
        match direction {
            Direction::Read => self.read.as_ref(),
            Direction::Write => self.write.as_ref(),
        }
    }

    /// The commits among what `job` did: its group commits, or its durable log writes.
    pub fn commits(&self, job: &Job) -> Option<&OpCounts> {
        if job.is_commit() { self.write.as_ref() } else { self.commit.as_ref() }
    }

    /// Adds another count of the same job, or of another one of the same role.
    pub fn merge(&mut self, other: &Self) {
        let ops = [
            (&mut self.read, &other.read),
            (&mut self.write, &other.write),
            (&mut self.commit, &other.commit),
        ];
        for (mine, theirs) in ops {
            if let Some(theirs) = theirs {
                mine.get_or_insert_default().merge(theirs);
            }
        }
        self.not_issued_age.merge(&other.not_issued_age);
    }
}

const fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_nothing(time_s: &f64) -> bool {
    *time_s == 0.0
}

fn is_empty(latency: &LatencyHistogram) -> bool {
    latency.io_count() == 0
}

/// I/Os of one direction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OpCounts {
    /// Bytes of the I/Os that succeeded.
    pub bytes: u64,
    /// I/Os that failed or came back short; they are not in the histogram.
    #[serde(default)]
    pub error_count: u64,
    /// The first failure; `None` where nothing failed, and in records that kept no words of it.
    #[serde(flatten, with = "failure::written")]
    pub first_error: Option<Failure>,
    /// I/Os that were still with the device when the load ended; they are in no histogram.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished_count: u64,
    /// How long the oldest of them had been under way by then; their latency is longer still.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished_oldest_ns: u64,
    /// How long each of them had been under way; empty in older records.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub unfinished_age: LatencyHistogram,
    /// Of an open load: I/Os that the generator issued more than 100 µs late although it had a free slot.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late_count: u64,
    /// Of an open load: the latencies of those I/Os that the generator held back by more than 100 µs, before it issued them or before it saw them
    /// done; they are in `total_latency` as well. Empty in older records.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub held_latency: LatencyHistogram,
    /// What the latencies of the same I/Os would have been at least, without what the generator made of them.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub unheld_latency: LatencyHistogram,
    /// I/Os whose submission was timed; `None` in records in which all of them were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission_latency_count: Option<u64>,
    /// Creation to submission of those I/Os, in ns, summed.
    pub submission_latency_sum_ns: u64,
    /// Creation to completion, of the I/Os that succeeded.
    pub total_latency: LatencyHistogram,
}

impl OpCounts {
    /// I/Os that succeeded.
    pub fn io_count(&self) -> u64 {
        self.total_latency.io_count()
    }

    /// Creation to submission, in ns, on average over the I/Os whose submission was timed; `None` where none was.
    pub fn submission_latency_mean_ns(&self) -> Option<f64> {
        let count = self.timed_submission_count();
        (count > 0).then(|| self.submission_latency_sum_ns as f64 / count as f64)
    }

    fn timed_submission_count(&self) -> u64 {
        self.submission_latency_count.unwrap_or(self.io_count())
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Self) {
        // Before the histograms change, which tell the count where it is not written.
        self.submission_latency_count = Some(self.timed_submission_count() + other.timed_submission_count());
        self.bytes += other.bytes;
        self.error_count += other.error_count;
        self.first_error = self.first_error.take().or_else(|| other.first_error.clone());
        self.unfinished_count += other.unfinished_count;
        self.unfinished_oldest_ns = self.unfinished_oldest_ns.max(other.unfinished_oldest_ns);
        self.unfinished_age.merge(&other.unfinished_age);
        self.late_count += other.late_count;
        self.held_latency.merge(&other.held_latency);
        self.unheld_latency.merge(&other.unheld_latency);
        self.submission_latency_sum_ns += other.submission_latency_sum_ns;
        self.total_latency.merge(&other.total_latency);
    }
}

/// What happened in about one second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Its phase; an interval never crosses the border of one.
    pub phase: PhaseKind,
    /// From the start of the load.
    #[serde(rename = "start_s", with = "seconds")]
    pub start: Duration,
    /// Its length by the clock of the run: shorter than planned where a phase ended or the run was stopped.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
    /// In the order of the plan's jobs.
    pub jobs: Vec<JobCounts>,
    /// I/Os of open loads that were due and not issued at its end, in the order of the plan's jobs; absent
    /// without an open load. Exact at the end of the run, where they are never issued, and wherever it may have ended (the ends
    /// of the rounds of a load that runs until it is steady); elsewhere from the rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backlog: Vec<u64>,
}

impl Interval {
    /// Forgets what was under way at its end: the load went on, and only what its last interval leaves counts. What was due at the
    /// end of a step is given up there, and stays. `step_borders` are those of the plan.
    pub fn forget_unfinished(&mut self, step_borders: &[Duration]) {
        let ends_step = step_borders.contains(&(self.start + self.duration));
        for job in &mut self.jobs {
            if !ends_step {
                job.not_issued_age = LatencyHistogram::default();
            }
            for op in [&mut job.read, &mut job.write, &mut job.commit].into_iter().flatten() {
                (op.unfinished_count, op.unfinished_oldest_ns) = (0, 0);
                op.unfinished_age = LatencyHistogram::default();
            }
        }
    }
}

/// What the operating system granted the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSetup {
    /// The clock that stamps the I/Os: `tsc`, `monotonic` or `simulated`.
    pub clock: String,
    /// Of the queues of all threads together.
    pub queues: QueueSetup,
    /// The priority of the threads; `None` where none was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<GrantedPriority>,
}

/// What the operating system granted the queues.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSetup {
    /// How the ring tells that an I/O is done: `coop-taskrun`, `defer-taskrun`, `interrupt` or `polled`; `None` without a ring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ring: Option<String>,
    /// Whether the ring knows the files, so that no I/O looks its file up; `None` without a ring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registered_files: Option<bool>,
    /// Whether the ring knows the buffers, so that no I/O pins its pages; `None` without a ring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registered_buffers: Option<bool>,
    /// Flushes that go on at once: the ring hands each to a worker of the kernel. `None` without a ring, without writes that
    /// a flush follows, and where the kernel does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_workers: Option<u32>,
    /// Whether I/Os that Windows does at once skip the completion port; `None` without a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skips_port: Option<bool>,
    /// Whether Windows keeps the memory by which it tells of I/Os locked (`SetFileIoOverlappedRange`), which takes a privilege; `None`
    /// without a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlapped_range: Option<bool>,
    /// Memory of the I/O buffers of all threads.
    #[serde(default, rename = "buffer_bytes")]
    pub buffers: ByteSize,
    /// The part of it that lies on huge pages.
    #[serde(default, rename = "huge_page_bytes")]
    pub huge_pages: ByteSize,
}

impl QueueSetup {
    /// Adds the queue of another thread. What not all of them were granted, was not granted.
    pub fn merge(&mut self, other: &Self) {
        let both = |mine: Option<bool>, theirs: Option<bool>| {
            mine.zip(theirs).map(|(a, b)| a && b).or(mine).or(theirs)
        };
        self.registered_files = both(self.registered_files, other.registered_files);
        self.registered_buffers = both(self.registered_buffers, other.registered_buffers);
        self.skips_port = both(self.skips_port, other.skips_port);
        self.overlapped_range = both(self.overlapped_range, other.overlapped_range);
        self.flush_workers = self
            .flush_workers
            .zip(other.flush_workers)
            .map(|(a, b)| a + b)
            .or(self.flush_workers)
            .or(other.flush_workers);
        self.ring = self.ring.take().or_else(|| other.ring.clone());
        self.buffers = self.buffers + other.buffers;
        self.huge_pages = self.huge_pages + other.huge_pages;
    }
}

/// CPU time over the measured phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuUse {
    /// Length of the phase, by the monotonic clock.
    #[serde(rename = "wall_s", with = "seconds")]
    pub wall: Duration,
    /// The same by the time of day, which is set and stepped where the monotonic clock is not; negative when it was set
    /// back by more than that. `None` in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_of_day_s: Option<f64>,
    /// Of this process, in user space.
    #[serde(rename = "user_s", with = "seconds")]
    pub user: Duration,
    /// Of this process, in the kernel.
    #[serde(rename = "system_s", with = "seconds")]
    pub system: Duration,
    /// The part of it in which threads that were not to be late for an I/O only watched the clock, summed over the threads;
    /// zero in older records.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub watched_s: f64,
    /// Of the one thread of this process that used most, user and kernel; `None` where threads could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_thread_s: Option<f64>,
    /// Of the one that used most beside watching the clock, without that; `None` where threads could not be read, and in
    /// older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_work_s: Option<f64>,
    /// Time that threads of this process were ready to run and had no CPU, summed over the threads; `None` where the
    /// kernel does not count it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_queue_delay_s: Option<f64>,
    /// Time that the kernel's threads by which I/Os are completed were ready to run and had no CPU, beyond what is usual each time, summed
    /// over the threads; `None` where the system does not show them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_io_delay_s: Option<f64>,
    /// How often a thread of this process lost its CPU without having asked to wait; `None` where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub involuntary_switch_count: Option<u64>,
    /// Of the whole host, all CPUs together, anything but idle and waiting; `None` where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_busy_s: Option<f64>,
    /// Taken by the hypervisor, all CPUs together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_steal_s: Option<f64>,
}

impl CpuUse {
    /// What the load cost, in user space and kernel: all but the watching of the clock.
    pub fn work_s(&self) -> f64 {
        ((self.user + self.system).as_secs_f64() - self.watched_s).max(0.0)
    }

    /// The same of the thread that did most of it; `None` where threads could not be read.
    pub fn busiest_s(&self) -> Option<f64> {
        self.busiest_work_s.or(self.busiest_thread_s)
    }
}

/// What the operating system counted at one device over the measured phase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCounters {
    /// Kernel name, such as `nvme0n1`; the devices of the targets have the same.
    pub name: String,
    /// Reads that the device completed, after merging.
    pub read_count: u64,
    /// Reads that were merged into others.
    pub read_merge_count: u64,
    /// Bytes read by anybody, not only by this program.
    pub read_bytes: u64,
    /// Writes that the device completed, after merging; flushes are not among them.
    pub write_count: u64,
    /// Writes that were merged into others.
    pub write_merge_count: u64,
    /// Bytes written by anybody, not only by this program.
    pub write_bytes: u64,
    /// Flushes completed; 0 where the kernel does not count them.
    pub flush_count: u64,
}

impl RunRecord {
    /// Keeps what was read of the host, in the form that a record has it: without the places where it was read.
    #[must_use]
    pub fn with_host_facts(self, report: Option<HostReport>) -> Self {
        Self { host_facts: report.map(host_facts::kept), ..self }
    }

    /// The totals of the measured phase, merged from the intervals.
    pub fn totals_of_intervals(plan: &Plan, intervals: &[Interval]) -> Vec<JobCounts> {
        let mut totals = vec![JobCounts::default(); plan.jobs.len()];
        for interval in intervals.iter().filter(|interval| interval.phase == PhaseKind::Measure) {
            for (total, counts) in totals.iter_mut().zip(&interval.jobs) {
                total.merge(counts);
            }
        }
        totals
    }

    /// The time that was measured: all intervals of that phase.
    pub fn measured_duration(&self) -> Duration {
        self.measured_intervals().map(|interval| interval.duration).sum()
    }

    /// The intervals of the measured phase.
    pub fn measured_intervals(&self) -> impl Iterator<Item = &Interval> {
        self.intervals.iter().filter(|interval| interval.phase == PhaseKind::Measure)
    }
}
