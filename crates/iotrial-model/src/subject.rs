//! The one view of a result, whoever produced it: a run, a probe of a sweep, an imported result, a row of a printed table.
//!
//! Everything after the record takes a [`Subject`] and never asks where it came from. What only some sources can tell
//! (a plan, intervals, device counters) is an `Option` or an empty slice on it. A new kind of result is one more
//! constructor here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::finding::RecordedFinding;
use crate::histogram::LatencyHistogram;
use crate::imported::{
    ImportedJob, ImportedRecord, Source, Stated, StatedBlockSize, StatedBound, StatedCpu, StatedDevice,
    StatedInterval, StatedLatency, StatedLoad, StatedOps, StatedStream, Warning,
};
use crate::load::{Direction, Role};
use crate::plan::{Arrival, EngineKind, Job, Plan};
use crate::record::{
    AttributeValue, CpuUse, DeviceCounters, Ended, EngineSetup, Host, Interval, OpCounts, RunRecord,
    TargetRecord,
};
use crate::search::Search;
use crate::sweep::{ProbeRecord, SweepRecord};
use crate::units::ByteSize;

/// A result, as everything after the record sees it. It borrows from the record and costs little to make.
#[derive(Debug, Clone)]
pub struct Subject<'r> {
    /// Id of the record, or of the printed row.
    pub id: &'r str,
    /// What the user calls it.
    pub label: Option<&'r str>,
    /// What distinguishes the configuration.
    pub attributes: Cow<'r, BTreeMap<String, AttributeValue>>,
    /// Where it comes from, where another tool measured; `None` of what iotrial measured itself.
    pub source: Option<&'r Source>,
    /// RFC 3339, UTC: when it began, or whichever time the source states.
    pub measured_at: Option<&'r str>,
    /// Length of the measured phase; `None` where it is not stated.
    pub measured: Option<Duration>,
    /// How it ended; `None` where the source does not say.
    pub ended: Option<&'r Ended>,
    /// What ran at once, in the order of the plan or of the source; empty where the source does not say.
    pub jobs: Vec<SubjectJob<'r>>,
    /// All jobs together, where the source states it itself.
    pub stated_total: Option<&'r StatedOps>,
    /// What was decided.
    pub plan: Option<&'r Plan>,
    /// The engine that made the load.
    pub engine: Option<EngineKind>,
    /// Why it is another engine than asked for or than usual.
    pub engine_reason: Option<&'r str>,
    /// Threads that drove the load: the generator cannot use more CPUs than these.
    pub driving_threads: Option<u32>,
    /// Whether all I/O went past the page cache.
    pub direct: Option<bool>,
    /// I/Os that a closed load keeps outstanding; `None` where it is not known, and where a job is not closed.
    pub outstanding: Option<u32>,
    /// Bytes that the jobs worked on.
    pub touched: Option<ByteSize>,
    /// The machine.
    pub host: Option<&'r Host>,
    /// What the load worked on; empty where it is not known.
    pub targets: &'r [TargetRecord],
    /// The run second by second, all phases; empty where only totals are known.
    pub intervals: &'r [Interval],
    /// The course as a log of another tool has it.
    pub stated_intervals: &'r [StatedInterval],
    /// What the operating system granted the engine.
    pub engine_setup: Option<&'r EngineSetup>,
    /// CPU time over the measured phase.
    pub cpu: Option<&'r CpuUse>,
    /// CPU time as a source states it.
    pub stated_cpu: Option<&'r StatedCpu>,
    /// What the operating system counted at the devices below over the measured phase.
    pub devices: &'r [DeviceCounters],
    /// The same as a source states it.
    pub stated_devices: &'r [StatedDevice],
    /// The search for the highest rate that holds a latency limit, of which this is the confirmation.
    pub search: Option<&'r Search>,
    /// Figures of an application and amounts, by stream and name with unit.
    pub other: Option<&'r BTreeMap<String, Stated>>,
    /// Figures of which only a bound was printed.
    pub bounds: &'r [StatedBound],
    /// What an import did not understand.
    pub warnings: &'r [Warning],
    /// What the version that wrote the result found. Only of a probe, whose kept facts do not show all of it again.
    pub recorded_findings: &'r [RecordedFinding],
}

/// One job: its load as it was configured, and what it did.
#[derive(Debug, Clone)]
pub struct SubjectJob<'r> {
    /// As the plan or the source calls it.
    pub name: Cow<'r, str>,
    /// What it stands for; `None` where nobody said so.
    pub role: Option<Role>,
    /// As configured, as far as it is known.
    pub load: Cow<'r, StatedLoad>,
    /// What it did, by stream.
    pub ops: Ops<'r>,
    /// The error with which a tool ended it.
    pub error: Option<&'r str>,
}

/// What a job did, by stream, only where there was something.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ops<'r> {
    /// Reads.
    pub read: Option<Facts<'r>>,
    /// Writes, commits among them.
    pub write: Option<Facts<'r>>,
    /// Log writes that are durable when they complete, and the commits of a group commit.
    pub commit: Option<Facts<'r>>,
    /// Reads and writes as one, where the source does not tell them apart.
    pub all: Option<Facts<'r>>,
    /// Flushes that were timed apart from the writes before them.
    pub sync: Option<Facts<'r>>,
}

/// The I/Os of one stream: counted by iotrial, with a histogram, or stated by a source.
#[derive(Debug, Clone, Copy)]
pub enum Facts<'r> {
    /// What was counted over a measured phase of this length.
    Counted(&'r OpCounts, Duration),
    /// What a source states.
    Stated(&'r StatedStream),
}

impl<'r> Subject<'r> {
    fn empty(id: &'r str, attributes: &'r BTreeMap<String, AttributeValue>) -> Self {
        Self {
            id,
            label: None,
            attributes: Cow::Borrowed(attributes),
            source: None,
            measured_at: None,
            measured: None,
            ended: None,
            jobs: Vec::new(),
            stated_total: None,
            plan: None,
            engine: None,
            engine_reason: None,
            driving_threads: None,
            direct: None,
            outstanding: None,
            touched: None,
            host: None,
            targets: &[],
            intervals: &[],
            stated_intervals: &[],
            engine_setup: None,
            cpu: None,
            stated_cpu: None,
            devices: &[],
            stated_devices: &[],
            search: None,
            other: None,
            bounds: &[],
            warnings: &[],
            recorded_findings: &[],
        }
    }

    /// The view of a run.
    pub fn of_run(record: &'r RunRecord) -> Self {
        let measured = record.measured_duration();
        let jobs = record.plan.jobs.iter().zip(&record.jobs).enumerate().map(|(index, (job, counts))| {
            let facts = |counts: &'r OpCounts| Facts::Counted(counts, measured);
            SubjectJob {
                name: Cow::Borrowed(job.name.as_str()),
                role: Some(job.role),
                load: Cow::Owned(load_of(job)),
                ops: Ops {
                    read: counts.read.as_ref().map(facts),
                    write: counts.write.as_ref().map(facts),
                    commit: record.commits(index, counts).map(facts),
                    all: None,
                    sync: None,
                },
                error: None,
            }
        });
        Self {
            label: record.label.as_deref(),
            measured_at: Some(&record.started_at),
            measured: Some(measured),
            ended: Some(&record.ended),
            jobs: jobs.collect(),
            plan: Some(&record.plan),
            engine: Some(record.plan.engine),
            engine_reason: record.plan.engine_reason.as_deref(),
            driving_threads: Some(driving_threads(&record.plan)),
            direct: Some(record.plan.direct),
            outstanding: record
                .plan
                .jobs
                .iter()
                .all(|job| job.arrival == Arrival::Closed)
                .then(|| record.plan.total_iodepth()),
            touched: Some(record.plan.jobs.iter().map(|job| job.working_set * job.areas.len() as u64).sum()),
            host: Some(&record.host),
            targets: &record.targets,
            intervals: &record.intervals,
            engine_setup: record.engine_setup.as_ref(),
            cpu: record.cpu.as_ref(),
            devices: &record.devices,
            search: record.search.as_ref(),
            ..Self::empty(&record.id, &record.attributes)
        }
    }

    /// The view of one probe of a sweep: a job for each volume.
    pub fn of_probe(sweep: &'r SweepRecord, probe: &'r ProbeRecord) -> Self {
        let load = StatedLoad {
            pattern: Some(probe.pattern.order),
            rwmix_read_percent: Some(probe.pattern.rwmix_read_percent.into()),
            block_sizes: vec![StatedBlockSize {
                direction: None,
                size: probe.pattern.block_size,
                percent: None,
            }],
            outstanding: Some(probe.outstanding.into()),
            direct: Some(sweep.settings.direct),
            ..StatedLoad::default()
        };
        let jobs = probe.volumes.iter().zip(&probe.counts).map(|(volume, counts)| {
            let facts = |counts: &'r OpCounts| Facts::Counted(counts, probe.measured);
            SubjectJob {
                name: Cow::Owned(format!("volume-{volume}")),
                role: None,
                load: Cow::Owned(load.clone()),
                ops: Ops {
                    read: counts.read.as_ref().map(facts),
                    write: counts.write.as_ref().map(facts),
                    ..Ops::default()
                },
                error: None,
            }
        });
        Self {
            label: sweep.label.as_deref(),
            measured_at: Some(&sweep.started_at),
            measured: Some(probe.measured),
            jobs: jobs.collect(),
            engine: Some(sweep.settings.engine),
            engine_reason: sweep.settings.engine_reason.as_deref(),
            driving_threads: probe.driving_threads,
            direct: Some(sweep.settings.direct),
            outstanding: u32::try_from(probe.volumes.len())
                .ok()
                .and_then(|volumes| probe.outstanding.checked_mul(volumes)),
            touched: probe
                .volumes
                .iter()
                .map(|volume| sweep.settings.sizes.get(*volume).copied())
                .try_fold(ByteSize::default(), |sum, size| Some(sum + size?)),
            host: Some(&sweep.host),
            targets: &sweep.targets,
            cpu: probe.cpu.as_ref(),
            devices: &probe.devices,
            recorded_findings: &probe.findings,
            ..Self::empty(&sweep.id, &sweep.attributes)
        }
    }

    /// The view of what another tool measured, or of a row of a printed table.
    pub fn of_imported(record: &'r ImportedRecord) -> Self {
        let all = record.total.iter().chain(record.jobs.iter().map(|job| &job.ops));
        let times = all.flat_map(|ops| ops.streams().filter_map(|(_, stream)| stream.runtime_s));
        let measured_s = times.map(|stated| stated.value).reduce(f64::max);
        Self {
            label: record.label.as_deref(),
            source: Some(&record.source),
            measured_at: record.measured_at.as_deref(),
            measured: measured_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            jobs: record.jobs.iter().map(SubjectJob::of_imported).collect(),
            stated_total: record.total.as_ref(),
            direct: direct_of(&record.jobs),
            stated_intervals: &record.intervals,
            stated_cpu: record.cpu.as_ref(),
            stated_devices: &record.devices,
            other: Some(&record.other),
            bounds: &record.bounds,
            warnings: &record.warnings,
            ..Self::empty(&record.id, &record.attributes)
        }
    }

    /// Every stream that a source states, with its name: of all jobs together, then job by job.
    pub fn stated_streams(&self) -> impl Iterator<Item = (&'static str, &'r StatedStream)> {
        let of_jobs = self.jobs.iter().flat_map(|job| job.ops.streams());
        let of_jobs = of_jobs.filter_map(|(name, facts)| Some((name, facts.stated()?)));
        self.stated_total.into_iter().flat_map(StatedOps::streams).chain(of_jobs)
    }

    /// The intervals of the measured phase.
    pub fn measured_intervals(&self) -> impl Iterator<Item = &'r Interval> + use<'r> {
        self.intervals.iter().filter(|interval| interval.phase == crate::plan::PhaseKind::Measure)
    }
}

impl<'r> SubjectJob<'r> {
    /// What iotrial counted in one direction; `None` where a source states it instead.
    pub fn counts(&self, direction: Direction) -> Option<&'r OpCounts> {
        self.ops.get(direction)?.counts()
    }

    fn of_imported(job: &'r ImportedJob) -> Self {
        Self {
            name: Cow::Borrowed(job.name.as_str()),
            role: job.role,
            load: Cow::Borrowed(&job.load),
            ops: Ops::of_stated(&job.ops),
            error: job.error.as_deref(),
        }
    }
}

impl<'r> Ops<'r> {
    /// What a source states.
    pub fn of_stated(ops: &'r StatedOps) -> Self {
        let facts = |stream: &'r Option<StatedStream>| stream.as_ref().map(Facts::Stated);
        Self {
            read: facts(&ops.read),
            write: facts(&ops.write),
            commit: None,
            all: facts(&ops.all),
            sync: facts(&ops.sync),
        }
    }

    /// Every stream that is there, with its name.
    pub fn streams(&self) -> impl Iterator<Item = (&'static str, Facts<'r>)> + use<'r> {
        let all = [
            ("read", self.read),
            ("write", self.write),
            ("commit", self.commit),
            ("all", self.all),
            ("sync", self.sync),
        ];
        all.into_iter().filter_map(|(name, facts)| Some((name, facts?)))
    }

    /// The flushes that follow the writes, where their source times them apart. fio 3 counts none and times them.
    pub fn flushes(&self) -> Option<Facts<'r>> {
        let were_there = |sync: &Facts<'_>| {
            let was_timed = sync.latency_mean_us().is_some_and(|mean_us| mean_us > 0.0);
            was_timed || sync.io_count().is_some_and(|count| count > 0)
        };
        self.sync.filter(|_| self.write.is_some()).filter(were_there)
    }

    /// One direction.
    pub fn get(&self, direction: Direction) -> Option<Facts<'r>> {
        match direction {
            Direction::Read => self.read,
            Direction::Write => self.write,
        }
    }
}

impl<'r> Facts<'r> {
    /// The counts, where iotrial counted.
    pub const fn counts(self) -> Option<&'r OpCounts> {
        match self {
            Self::Counted(counts, _) => Some(counts),
            Self::Stated(_) => None,
        }
    }

    /// What a source states, where it does.
    pub const fn stated(self) -> Option<&'r StatedStream> {
        match self {
            Self::Counted(..) => None,
            Self::Stated(stream) => Some(stream),
        }
    }

    /// I/Os that succeeded; `None` where the source does not state them.
    pub fn io_count(self) -> Option<u64> {
        match self {
            Self::Counted(counts, _) => Some(counts.io_count()),
            Self::Stated(stream) => stream.io_count,
        }
    }

    /// Bytes of the I/Os that succeeded.
    pub fn bytes(self) -> Option<u64> {
        match self {
            Self::Counted(counts, _) => Some(counts.bytes),
            Self::Stated(stream) => stream.bytes,
        }
    }

    /// I/Os that failed or came back short.
    pub fn error_count(self) -> Option<u64> {
        match self {
            Self::Counted(counts, _) => Some(counts.error_count),
            Self::Stated(stream) => stream.error_count,
        }
    }

    /// I/Os per second, as stated, or else from the count and the time.
    pub fn iops(self) -> Option<f64> {
        match self {
            Self::Counted(..) => self.per_second(self.io_count()),
            Self::Stated(stream) => {
                stream.iops.map(|stated| stated.value).or_else(|| self.per_second(stream.io_count))
            }
        }
    }

    /// MiB per second, as stated, or else from the bytes and the time.
    pub fn bandwidth_mib_per_s(self) -> Option<f64> {
        let of_bytes = |bytes| self.per_second(bytes).map(|rate| rate / 1_048_576.0);
        match self {
            Self::Counted(counts, _) => of_bytes(Some(counts.bytes)),
            Self::Stated(stream) => {
                stream.bandwidth_mib_per_s.map(|stated| stated.value).or_else(|| of_bytes(stream.bytes))
            }
        }
    }

    /// Mean of the total latency in µs; of the completion latency where a tool was told not to time the total.
    pub fn latency_mean_us(self) -> Option<f64> {
        match self {
            Self::Counted(counts, _) => counts.total_latency.mean_us(),
            Self::Stated(_) => self.stated_latency()?.mean_us.map(|stated| stated.value),
        }
    }

    /// The distribution, where it is known in fine buckets.
    pub fn histogram(self) -> Option<&'r LatencyHistogram> {
        match self {
            Self::Counted(counts, _) => Some(&counts.total_latency),
            Self::Stated(stream) => {
                let latency = &stream.total_latency;
                latency.histogram.as_ref().or(stream.completion_latency.histogram.as_ref())
            }
        }
    }

    /// The latency as a source states it: the total one, or else the one to completion.
    pub fn stated_latency(self) -> Option<&'r StatedLatency> {
        let Self::Stated(stream) = self else { return None };
        let StatedStream { total_latency, completion_latency, .. } = stream;
        let has_total = total_latency.mean_us.is_some() || completion_latency.mean_us.is_none();
        Some(if has_total { total_latency } else { completion_latency })
    }

    fn per_second(self, amount: Option<u64>) -> Option<f64> {
        let seconds = match self {
            Self::Counted(_, measured) => measured.as_secs_f64(),
            Self::Stated(stream) => stream.runtime_s?.value,
        };
        (seconds > 0.0).then_some(amount? as f64 / seconds)
    }
}

/// The engine `threads` has a thread for each outstanding I/O; the others drive everything with a few.
fn driving_threads(plan: &Plan) -> u32 {
    match plan.engine {
        EngineKind::Threads => plan.total_iodepth(),
        _ => plan.threads,
    }
}

/// Whether all jobs of a source went past the page cache; `None` where it does not say so of each, and none went through it.
fn direct_of(jobs: &[ImportedJob]) -> Option<bool> {
    let said = || jobs.iter().map(|job| job.load.direct);
    if said().any(|direct| direct == Some(false)) {
        return Some(false);
    }
    said().all(|direct| direct == Some(true)).then_some(true)
}

/// A job of a plan in the words in which loads of any source are stated.
fn load_of(job: &Job) -> StatedLoad {
    let sizes = [job.block_size.unit(), job.block_size.largest()];
    StatedLoad {
        pattern: Some(job.pattern),
        rwmix_read_percent: Some(job.rwmix_read_percent.into()),
        block_sizes: sizes
            .into_iter()
            .map(|size| StatedBlockSize { direction: None, size, percent: None })
            .collect(),
        iodepth: Some(job.iodepth.into()),
        numjobs: Some(job.numjobs.into()),
        rate_iops: match job.arrival {
            Arrival::Open { iops, .. } => Some(iops),
            Arrival::Following { .. } => Some(0.0),
            Arrival::Closed => None,
        },
        ..StatedLoad::default()
    }
}
