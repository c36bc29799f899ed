//! The one view of a result, whoever produced it: a run, a probe of a sweep, an imported result, a row of a printed table.
//!
//! Everything after the record takes a [`Subject`] and never asks where it came from. What only some sources can tell
//! (a plan, intervals, device counters) is an `Option` or an empty slice on it. A new kind of result is one more
//! constructor here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::bound::Bounded;
use crate::content::Checksum;
use crate::figure::Figure;
use crate::finding::RecordedFinding;
use crate::histogram::LatencyHistogram;
use crate::host_fact::HostReport;
use crate::imported::{
    ImportedJob, ImportedRecord, Source, SourceKind, Stated, StatedBlockSize, StatedBound, StatedCpu,
    StatedLoad, StatedOps, StatedStream, Warning,
};
use crate::load::{Direction, Role};
use crate::metric::MetricKey;
use crate::plan::{EngineKind, Job, PhaseKind, Plan};
use crate::range::Range;
use crate::record::{
    AttributeValue, CpuUse, Ended, EndedHow, EngineSetup, Host, HostActivity, Interval, Layout, OpCounts,
    Pause, TargetRecord, Tool,
};
use crate::search::Search;
use crate::step::Step;
use crate::stream::Stream;
use crate::sweep::{ProbeRecord, SweepRecord};
use crate::units::ByteSize;
use crate::verification::Verification;

mod course;

mod machine;

mod rates;

mod run;

pub use course::Course;
pub use machine::{CpuTime, Device, DeviceFlow, Machine};
pub use rates::SubjectRate;

/// A result, as everything after the record sees it. It borrows from the record and costs little to make.
#[derive(Debug, Clone)]
pub struct Subject<'r> {
    /// Id of the record: a ULID, which stays when the record is copied or renamed. Of a printed row what its table calls it.
    pub id: &'r str,
    /// What the user calls it; `None` where nobody gave it a name.
    pub label: Option<&'r str>,
    /// What distinguishes the configuration from others that are compared with it, such as `volumes = 3`.
    pub attributes: Cow<'r, BTreeMap<String, AttributeValue>>,
    /// Where it comes from, where another tool measured; `None` of what iotrial measured itself.
    pub source: Option<&'r Source>,
    /// What measured it, where that was iotrial. Its method version says which results may be compared.
    pub tool: Option<&'r Tool>,
    /// RFC 3339, UTC: when it began, or whichever time the source states.
    pub measured_at: Option<&'r str>,
    /// Length of the measured phase; `None` where it is not stated. Zero where a run ended before it.
    pub measured: Option<Duration>,
    /// How it ended; `None` where the source does not say.
    pub ended: Option<&'r Ended>,
    /// What ran at once, in the order of the plan or of the source; empty where the source does not say.
    pub jobs: Vec<SubjectJob<'r>>,
    /// All jobs together, where the source states it itself: it may count what the jobs do not, and its digits are its own.
    pub stated_total: Option<&'r StatedOps>,
    /// What was asked, word for word; empty where nobody wrote it down.
    pub profile_text: &'r str,
    /// What the profile is called where it is shown; `None` without a plan. Its own name, unless it is that of a built-in profile which
    /// has other content.
    pub profile_name: Option<Cow<'r, str>>,
    /// What its checksum says of the record.
    pub checksum: Checksum,
    /// What was decided before a run of iotrial; `None` of a probe of a sweep, and of what others measured.
    pub plan: Option<&'r Plan>,
    /// The engine that made the load, where it is one of iotrial's; other tools name theirs with each job.
    pub engine: Option<EngineKind>,
    /// Why it is another engine than asked for or than usual.
    pub engine_reason: Option<&'r str>,
    /// Threads that drove the load: the generator cannot use more CPUs than these.
    pub driving_threads: Option<u32>,
    /// Whether all I/O went past the page cache; `None` where that is not said of each job.
    pub direct: Option<bool>,
    /// Bytes that the jobs worked on, areas that several jobs share counted once for each of them.
    pub touched: Option<ByteSize>,
    /// The machine that made the load; `None` where nothing is known of it.
    pub host: Option<Machine<'r>>,
    /// What was read of the host and of what is below the targets before the load; `None` where nobody looked.
    pub host_facts: Option<&'r HostReport>,
    /// What other programs did on the host before and during the load; `None` where nobody looked.
    pub host_activity: Option<&'r HostActivity>,
    /// What the load worked on; empty where it is not known. Paths that another tool states are in the loads of its jobs.
    pub targets: &'r [TargetRecord],
    /// What was written to the targets before the load; `None` where nothing had to be.
    pub layout: Option<&'r Layout>,
    /// The result interval by interval; empty where only totals are known. Of a load with steps it is that of the step whose figures
    /// these are.
    pub intervals: Course<'r>,
    /// All of it interval by interval, for charts; the same where the load does not change.
    pub whole_course: Course<'r>,
    /// The steps of a load that changes, each a result of its own, as far as they were begun; empty where it does not change. The
    /// figures of the subject itself are those of its peak.
    pub steps: Vec<SubjectStep<'r>>,
    /// The step whose figures these are, as an index into `steps`; `None` where the load does not change.
    pub peak: Option<usize>,
    /// Of a step: how long all steps together were planned to be measured.
    pub part_of: Option<Duration>,
    /// Whether the load changed evenly all the time, so that a change of what came of it means nothing.
    pub load_changes: bool,
    /// What the operating system granted the engine.
    pub engine_setup: Option<&'r EngineSetup>,
    /// CPU time over the measured phase; `None` where the clock is simulated, and where nobody tells it.
    pub cpu: Option<CpuTime<'r>>,
    /// What the operating system counted at the devices below; empty where it is not known.
    pub devices: Vec<Device<'r>>,
    /// When the generator itself stood still, in all phases; empty where it did not, and where nobody tells.
    pub pauses: &'r [Pause],
    /// The search for the highest rate that holds a latency limit, of which this is the confirmation.
    pub search: Option<&'r Search>,
    /// What the storage gave back of what was written; `None` where nobody compared.
    pub verification: Option<&'r Verification>,
    /// Figures of an application and amounts, by stream and name with unit.
    pub other: Cow<'r, BTreeMap<String, Stated>>,
    /// Why metrics of an application that were asked of commands are missing.
    pub metric_failures: &'r [String],
    /// Figures of which only a bound was printed, such as «< 1 ms». What follows from it for sure is judged and compared.
    pub bounds: &'r [StatedBound],
    /// What an import did not understand, or found odd, each with its place in the source.
    pub warnings: &'r [Warning],
    /// What the version that wrote the result found. Only of a probe, whose kept facts do not show all of it again.
    pub recorded_findings: &'r [RecordedFinding],
}

/// One step of a load that changes.
#[derive(Debug, Clone)]
pub struct SubjectStep<'r> {
    /// Counted from 1.
    pub number: usize,
    /// Its load, as it was planned.
    pub planned: &'r Step,
    /// From the start of the load, in seconds.
    pub start_s: f64,
    /// Whether it lasted as long as it was planned.
    pub is_whole: bool,
    /// What happened in it, as a result of its own: its jobs have the load of the step.
    pub subject: Subject<'r>,
}

impl SubjectStep<'_> {
    /// What it is called: `step 2 “peak” (100 %)`.
    pub fn label(&self) -> String {
        self.planned.label(self.number)
    }
}

/// One job: its load as it was configured, and what it did.
#[derive(Debug, Clone)]
pub struct SubjectJob<'r> {
    /// As the plan or the source calls it; jobs of a source may share a name.
    pub name: Cow<'r, str>,
    /// What it stands for; `None` where nobody said so.
    pub role: Option<Role>,
    /// As configured, in the words in which loads of any source are stated. Of a planned job it has what rates and latencies
    /// are held against; everything else of it is in `planned`.
    pub load: Cow<'r, StatedLoad>,
    /// What was decided for it; `None` without a plan.
    pub planned: Option<&'r Job>,
    /// What it did in the measured phase, by stream.
    pub ops: Ops<'r>,
    /// How long what was due and never issued had waited when the load ended; `None` where that is not known, as of a load that
    /// issues its I/Os when others complete.
    pub not_issued_age: Option<&'r LatencyHistogram>,
    /// CPU time of this job alone, where a source states it so.
    pub cpu: Option<&'r StatedCpu>,
    /// The error with which a tool ended it, in its words. Its figures are then those of a part of the load.
    pub error: Option<&'r str>,
}

/// What a job did, by stream, only where there was something.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ops<'r> {
    /// Reads; `None` where there were none, or where they are told together with the writes only.
    pub read: Option<Facts<'r>>,
    /// Writes, with the commits that are writes of their own.
    pub write: Option<Facts<'r>>,
    /// Log writes that are durable when they complete, and the commits of a group commit.
    pub commit: Option<Facts<'r>>,
    /// Reads and writes as one, where the source does not tell them apart.
    pub all: Option<Facts<'r>>,
    /// Flushes that were timed apart from the writes before them.
    pub sync: Option<Facts<'r>>,
    /// Discards of blocks, which are neither reads nor writes, and are shown as they are stated.
    pub trim: Option<Facts<'r>>,
    /// Whether I/Os were issued when they were due, not when others completed. The sample of counted submission latencies, the
    /// first batch of each millisecond, then has too many that had to wait, and stands for nothing.
    pub issued_when_due: bool,
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
            tool: None,
            measured_at: None,
            measured: None,
            ended: None,
            jobs: Vec::new(),
            stated_total: None,
            profile_text: "",
            profile_name: None,
            checksum: Checksum::Absent,
            plan: None,
            engine: None,
            engine_reason: None,
            driving_threads: None,
            direct: None,
            touched: None,
            host: None,
            host_facts: None,
            host_activity: None,
            targets: &[],
            layout: None,
            intervals: Course::default(),
            whole_course: Course::default(),
            steps: Vec::new(),
            peak: None,
            part_of: None,
            load_changes: false,
            engine_setup: None,
            cpu: None,
            devices: Vec::new(),
            pauses: &[],
            search: None,
            verification: None,
            other: Cow::Owned(BTreeMap::new()),
            metric_failures: &[],
            bounds: &[],
            warnings: &[],
            recorded_findings: &[],
        }
    }

    /// The same with the CPU time that was read while its I/Os were counted.
    fn with_cpu(mut self, used: Option<&'r CpuUse>, host: &Host) -> Self {
        let io_count = self.all_facts().into_iter().filter_map(Facts::io_count).sum();
        self.cpu = used.map(|used| CpuTime::Counted { used, all_cpu_count: host.all_cpu_count(), io_count });
        self
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
            ..StatedLoad::default()
        };
        let jobs = probe.volumes.iter().zip(&probe.counts).map(|(volume, counts)| {
            let facts = |counts: &'r OpCounts| Facts::Counted(counts, probe.measured);
            SubjectJob {
                name: Cow::Owned(format!("volume-{volume}")),
                role: None,
                load: Cow::Owned(load.clone()),
                planned: None,
                ops: Ops {
                    read: counts.read.as_ref().map(facts),
                    write: counts.write.as_ref().map(facts),
                    ..Ops::default()
                },
                not_issued_age: None,
                cpu: None,
                error: None,
            }
        });
        let subject = Self {
            measured: Some(probe.measured),
            jobs: jobs.collect(),
            driving_threads: probe.driving_threads,
            touched: probe
                .volumes
                .iter()
                .map(|volume| sweep.settings.sizes.get(*volume).copied())
                .try_fold(ByteSize::default(), |sum, size| Some(sum + size?)),
            devices: probe.devices.iter().map(Device::of_run).collect(),
            recorded_findings: &probe.findings,
            // A sweep that was interrupted has whole probes before that.
            ended: None,
            ..Self::of_sweep(sweep)
        };
        subject.with_cpu(probe.cpu.as_ref(), &sweep.host)
    }

    /// What all probes of a sweep have in common; its figures are those of the probes.
    pub fn of_sweep(sweep: &'r SweepRecord) -> Self {
        Self {
            label: sweep.label.as_deref(),
            tool: Some(&sweep.tool),
            measured_at: Some(&sweep.started_at),
            ended: Some(&sweep.ended),
            engine: Some(sweep.settings.engine),
            engine_reason: sweep.settings.engine_reason.as_deref(),
            direct: Some(sweep.settings.direct),
            host: Some(Machine::of_run(&sweep.host)),
            host_facts: sweep.host_facts.as_ref(),
            host_activity: sweep.host_activity.as_ref(),
            targets: &sweep.targets,
            ..Self::empty(&sweep.id, &sweep.attributes)
        }
    }

    /// The view of what another tool measured, or of a row of a printed table.
    pub fn of_imported(record: &'r ImportedRecord) -> Self {
        let mut subject = Self {
            label: record.label.as_deref(),
            source: Some(&record.source),
            measured_at: record.measured_at.as_deref(),
            jobs: record.jobs.iter().map(SubjectJob::of_imported).collect(),
            stated_total: record.total.as_ref(),
            direct: direct_of(&record.jobs),
            host: Machine::of_stated(&record.host),
            intervals: Course::Stated(&record.intervals),
            whole_course: Course::Stated(&record.intervals),
            cpu: record.cpu.as_ref().map(CpuTime::Stated),
            devices: record.devices.iter().map(Device::of_stated).collect(),
            other: Cow::Borrowed(&record.other),
            bounds: &record.bounds,
            warnings: &record.warnings,
            checksum: record.checksum,
            ..Self::empty(&record.id, &record.attributes)
        };
        subject.measured = subject.measured_s().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        subject
    }

    /// Every stream that a source states, with its name: of all jobs together, then job by job.
    pub fn stated_streams(&self) -> impl Iterator<Item = (&'static str, &'r StatedStream)> {
        let of_jobs = self.jobs.iter().flat_map(|job| job.ops.streams());
        let of_jobs = of_jobs.filter_map(|(name, facts)| Some((name, facts.stated()?)));
        self.stated_total.into_iter().flat_map(StatedOps::streams).chain(of_jobs)
    }

    /// What is known of a figure of all jobs together of which only a bound was printed. Of one with two bounds it is the upper one.
    pub fn bound_of(&self, stream: Stream, figure: Figure) -> Option<Bounded> {
        self.bounds_of(stream, figure).next()
    }

    /// All bounds of such a figure: a percentile of a coarse histogram has those of its bucket, the upper one first.
    pub fn bounds_of(&self, stream: Stream, figure: Figure) -> impl Iterator<Item = Bounded> + use<'r> {
        let key = MetricKey::Figure(stream, figure);
        let is_it = move |bound: &&StatedBound| MetricKey::from_key(&bound.metric).as_ref() == Some(&key);
        self.bounds.iter().filter(is_it).map(StatedBound::bounded)
    }

    /// Whether a bound of any figure of a stream was printed.
    pub fn has_bound(&self, stream: Stream) -> bool {
        Figure::ALL.into_iter().any(|figure| self.bound_of(stream, figure).is_some())
    }

    /// Whether something took the I/Os, real or simulated. Other tools are taken to have had a device.
    pub fn has_device(&self) -> bool {
        self.engine.is_none_or(EngineKind::has_device)
    }

    /// What was counted in the intervals of the measured phase; none where a source states the course.
    pub fn measured_intervals(&self) -> impl Iterator<Item = &'r Interval> + use<'r> {
        self.intervals.counted().iter().filter(|interval| interval.phase == PhaseKind::Measure)
    }

    /// Length of the measured phase in seconds, with all digits of a source: a [`Duration`] ends at nanoseconds.
    pub fn measured_s(&self) -> Option<f64> {
        let stated = self.stated_streams().filter_map(|(_, stream)| stream.runtime_s);
        let stated_s = stated.map(|stated| stated.value).reduce(f64::max);
        stated_s.or_else(|| self.measured.map(|measured| measured.as_secs_f64()))
    }

    /// What was done in all, in as few parts as it is known in: the total that a source states, or each job.
    pub fn parts(&self) -> Vec<Ops<'r>> {
        match self.stated_total {
            Some(total) => vec![Ops::of_stated(total)],
            None => self.jobs.iter().map(|job| job.ops).collect(),
        }
    }

    /// Whether iotrial counted all of it, also where it ended before there was anything to count.
    pub fn is_counted(&self) -> bool {
        let has_counts = || self.jobs.iter().any(SubjectJob::is_counted);
        self.stated_streams().next().is_none() && (self.plan.is_some() || has_counts())
    }

    /// The streams of the jobs that `select` picks by their number, in the order of tables: those that are planned, whether they
    /// came to be or not, or else those that are there.
    ///
    /// Where every write is a commit, the two streams are the same one, and it is called commit.
    pub fn streams_of(&self, select: impl Fn(usize) -> bool) -> Vec<Stream> {
        if let Some(plan) = self.plan {
            return Stream::planned(plan, select);
        }
        let jobs = || self.jobs.iter().enumerate().filter(|(index, _)| select(*index));
        let is_there = |stream: &&Stream| jobs().any(|(_, job)| job.ops.has(**stream));
        Stream::ALL.iter().filter(is_there).copied().collect()
    }

    /// Every read and write once, whether a source tells them apart or not. Commits are among the writes.
    pub fn all_facts(&self) -> Vec<Facts<'r>> {
        self.parts().into_iter().flat_map(Ops::both).collect()
    }

    /// I/Os that may be outstanding at once; `None` where a job does not say. Records come from strangers, and their jobs
    /// together may say more than any number holds.
    pub fn total_outstanding(&self) -> Option<u64> {
        self.jobs.iter().try_fold(0_u64, |sum, job| sum.checked_add(job.load.total_outstanding()?))
    }

    /// The same where they are all offered: what is issued when it is due is not limited by what may be in flight, and neither
    /// is what a rate or pauses hold back.
    pub fn offered_outstanding(&self) -> Option<u64> {
        let is_held_back = || self.jobs.iter().any(|job| job.load.is_held_back());
        self.total_outstanding().filter(|offered| *offered > 0 && !is_held_back())
    }

    /// By how much, as a share of itself, rate times mean latency may exceed the I/Os outstanding, beside what digits and the edges of a
    /// run explain: vdbench takes both over intervals of its own and states no runtime (up to 2.5 % in 166 averages).
    pub fn outstanding_slack(&self) -> f64 {
        let is_vdbench = self.source.is_some_and(|source| source.kind == SourceKind::Vdbench);
        if is_vdbench { 0.03 } else { 0.0 }
    }

    /// Whether somebody printed it: there is no run to look at, and no repeat of it.
    pub fn is_printed(&self) -> bool {
        self.source.is_some_and(|source| matches!(source.kind, SourceKind::Table | SourceKind::Csv))
    }

    /// What to call it where there is room for one name: its label, else its profile, else its only job, else its file.
    pub fn title(&self) -> &str {
        let only_job = || match self.jobs.as_slice() {
            [only] if self.source.is_some() && !only.name.is_empty() => Some(&*only.name),
            _ => None,
        };
        let profile = || self.profile_name.as_deref();
        let file = || self.source.map(|source| source.file.as_str());
        self.label.or_else(profile).or_else(only_job).or_else(file).unwrap_or(self.id)
    }

    /// Who measured, such as `fio`; of a printed table its source.
    pub fn tool_name(&self) -> Option<&'r str> {
        let source = self.source.map(|source| source.tool.as_str());
        source.or_else(|| self.tool.map(|tool| tool.name.as_str()))
    }

    /// File and place of what another tool measured, for messages: `` `r.json`, jobs[2] ``.
    pub fn whence(&self) -> Option<String> {
        self.source.map(Source::whence)
    }

    /// What ran, for lists: the profile, the word for a sweep, or the format of a source.
    pub fn profile(&self) -> &str {
        match (&self.profile_name, self.source) {
            (Some(profile), _) => profile,
            (None, Some(source)) => source.kind.as_str(),
            (None, None) => "sweep",
        }
    }

    /// What the load worked on, behind the roles where they have targets of their own, each once where the same follows itself, with commas.
    pub fn targets_in_words(&self) -> String {
        let own = self.targets.iter().map(TargetRecord::named);
        let stated = self.jobs.iter().flat_map(|job| &job.load.targets).cloned();
        let mut all: Vec<String> = own.chain(stated).collect();
        // Two targets of one run may not be the same; jobs of another tool mostly name the same file again.
        all.dedup();
        all.join(", ")
    }

    /// How it ended: of another tool, whether it ended a job with an error.
    pub fn ended_how(&self) -> EndedHow {
        let has_failed = || self.jobs.iter().any(|job| job.error.is_some());
        match self.ended {
            Some(ended) => ended.how,
            None if has_failed() => EndedHow::Failed,
            None => EndedHow::Complete,
        }
    }
}

impl Stream {
    /// What a job did in this stream.
    pub const fn of<'r>(self, ops: &Ops<'r>) -> Option<Facts<'r>> {
        match self {
            Self::Read => ops.read,
            Self::Write => ops.write,
            Self::Commit => ops.commit,
            Self::Mixed => ops.all,
        }
    }

    /// What was counted in this stream, of all jobs or of those of one role, merged; empty where nothing was.
    pub fn counts_of(self, subject: &Subject<'_>, role: Option<Role>) -> OpCounts {
        let mut merged = OpCounts::default();
        let jobs = subject.jobs.iter().filter(|job| role.is_none() || job.role == role);
        for counts in jobs.filter_map(|job| self.of(&job.ops)?.counts()) {
            merged.merge(counts);
        }
        merged
    }
}

impl<'r> SubjectJob<'r> {
    /// What iotrial counted in one direction; `None` where a source states it instead.
    pub fn counts(&self, direction: Direction) -> Option<&'r OpCounts> {
        self.ops.get(direction)?.counts()
    }

    /// Whether iotrial counted what it did. Of what was planned it did, also where there was nothing yet.
    pub fn is_counted(&self) -> bool {
        self.planned.is_some() || self.ops.streams().any(|(_, facts)| facts.counts().is_some())
    }

    /// What a session waits for, and so what arrives at an open job: the commits of a group commit, which stand for their
    /// writes, and of any other load every I/O.
    pub fn arrivals(&self) -> impl Iterator<Item = Facts<'r>> + use<'r> {
        let has_groups = self.planned.is_some_and(|planned| planned.group_commit.is_some());
        let commits = self.ops.commit.filter(|_| has_groups);
        commits.into_iter().chain(self.ops.both().filter(move |_| commits.is_none()))
    }

    fn of_imported(job: &'r ImportedJob) -> Self {
        Self {
            name: Cow::Borrowed(job.name.as_str()),
            role: job.role,
            load: Cow::Borrowed(&job.load),
            planned: None,
            ops: Ops::of_stated(&job.ops),
            not_issued_age: None,
            cpu: job.cpu.as_ref(),
            error: job.error.as_deref(),
        }
    }
}

impl<'r> Ops<'r> {
    /// What a source states.
    pub fn of_stated(ops: &'r StatedOps) -> Self {
        let facts = |stream: &'r Option<StatedStream>| stream.as_ref().map(Facts::Stated);
        let ops = Self {
            read: facts(&ops.read),
            write: facts(&ops.write),
            commit: None,
            all: facts(&ops.all),
            sync: facts(&ops.sync),
            trim: facts(&ops.trim),
            issued_when_due: false,
        };
        // What was written before is durable when a flush completes, which is what a commit waits for.
        Self { commit: ops.flushes_apart(), ..ops }
    }

    /// Every stream that is there, with its name. Commits may be among the writes.
    pub fn streams(&self) -> impl Iterator<Item = (&'static str, Facts<'r>)> + use<'r> {
        let all = [
            ("read", self.read),
            ("write", self.write),
            // Those of another tool are its flushes.
            ("commit", self.commit.filter(|_| self.sync.is_none())),
            ("all", self.all),
            ("sync", self.sync),
            ("trim", self.trim),
        ];
        all.into_iter().filter_map(|(name, facts)| Some((name, facts?)))
    }

    /// Whether a stream is one of its own. Writes that are all commits are none: the same counts stand for both.
    pub fn has(&self, stream: Stream) -> bool {
        let counts = |facts: Option<Facts<'r>>| facts.and_then(Facts::counts);
        let are_commits = || match (counts(self.write), counts(self.commit)) {
            (Some(writes), Some(commits)) => std::ptr::eq(writes, commits),
            _ => false,
        };
        stream.of(self).is_some() && !(stream == Stream::Write && are_commits())
    }

    /// Reads and writes: as one where a source states them so, else each.
    pub fn both(self) -> impl Iterator<Item = Facts<'r>> {
        let apart = [self.read, self.write].map(|facts| facts.filter(|_| self.all.is_none()));
        self.all.into_iter().chain(apart.into_iter().flatten())
    }

    /// The flushes that follow the writes, where a source times them apart: latencies of writes lack them. fio 3 counts none and
    /// times them.
    pub fn flushes_apart(&self) -> Option<Facts<'r>> {
        let were_there = |sync: &Facts<'_>| {
            let was_timed = sync.latency_mean_us().is_some_and(|mean_us| mean_us > 0.0);
            was_timed || sync.io_count().is_some_and(|count| count > 0)
        };
        // A source may time the flushes only.
        let may_follow = self.write.is_some() || (self.read.is_none() && self.all.is_none());
        self.sync.filter(|_| may_follow).filter(were_there)
    }

    /// All reads, or all writes; `None` also where a source tells the two together only.
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

    /// Bytes of the I/Os that succeeded; `None` where the source does not state them.
    pub fn bytes(self) -> Option<u64> {
        match self {
            Self::Counted(counts, _) => Some(counts.bytes),
            Self::Stated(stream) => stream.bytes,
        }
    }

    /// I/Os that failed or came back short, and are in no other figure; `None` where the source does not state them.
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
            Self::Stated(stream) => stream.latency().mean_us.map(|stated| stated.value),
        }
    }

    /// The longest total latency in µs, or completion latency where only that is told.
    pub fn latency_max_us(self) -> Option<f64> {
        match self {
            // By way of nanoseconds, so that whole microseconds stay whole.
            Self::Counted(counts, _) => counts.total_latency.max().map(|max| max.as_nanos() as f64 / 1_000.0),
            Self::Stated(stream) => stream.latency().max_us.map(|stated| stated.value),
        }
    }

    /// The distribution, where it is known in fine buckets.
    pub fn histogram(self) -> Option<&'r LatencyHistogram> {
        match self {
            Self::Counted(counts, _) => Some(&counts.total_latency),
            Self::Stated(stream) => stream.distribution().histogram.as_ref(),
        }
    }

    /// Bytes of an I/O on average. What was counted says it; of what is stated, the size that all were configured to have
    /// says more than two rounded figures.
    fn mean_size(self, iops: f64, configured: Option<Range>) -> Option<f64> {
        match self {
            Self::Counted(counts, _) => Some(counts.bytes as f64 / counts.io_count() as f64),
            Self::Stated(stream) => {
                let one_size = configured.filter(|sizes| sizes.low == sizes.high).map(|sizes| sizes.low);
                let by_rates = || stream.bandwidth_mib_per_s.map(|rate| rate.value * 1_048_576.0 / iops);
                one_size.or_else(by_rates)
            }
        }
    }

    fn per_second(self, amount: Option<u64>) -> Option<f64> {
        let seconds = match self {
            Self::Counted(_, measured) => measured.as_secs_f64(),
            Self::Stated(stream) => stream.runtime_s?.value,
        };
        (seconds > 0.0).then_some(amount? as f64 / seconds)
    }
}

/// Whether all jobs of a source went past the page cache; `None` where it does not say so of each, and none went through it.
fn direct_of(jobs: &[ImportedJob]) -> Option<bool> {
    let said = || jobs.iter().map(|job| job.load.direct);
    if said().any(|direct| direct == Some(false)) {
        return Some(false);
    }
    (!jobs.is_empty() && said().all(|direct| direct == Some(true))).then_some(true)
}

#[cfg(test)]
mod tests;
