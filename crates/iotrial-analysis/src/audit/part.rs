//! What checks look at: figures that belong together, all of a result or one job of it, with the load that made them.

use std::borrow::Cow;

use iotrial_model::audit::ResultPart;
use iotrial_model::bound::{Amount, BoundRelation};
use iotrial_model::figure::Figure;
use iotrial_model::imported::{
    Stated, StatedBound, StatedLatency, StatedLoad, StatedPercentile, StatedStream,
};
use iotrial_model::load::{Direction, Durability, Pattern};
use iotrial_model::metric::MetricKey;
use iotrial_model::plan::Arrival;
use iotrial_model::range::{Range, edge_count, edge_share};
use iotrial_model::stream::Stream as StreamKind;
use iotrial_model::subject::{Facts, Ops, Subject, SubjectJob};

use crate::figures::Figures;

/// Figures that belong together, with the load that made them.
#[derive(Debug, Clone)]
pub(super) struct Part<'r> {
    /// Which part it is.
    pub place: ResultPart,
    /// The jobs that made it; empty where the load is not stated.
    pub loads: Vec<&'r StatedLoad>,
    /// Streams with figures.
    pub streams: Vec<Stream<'r>>,
    /// The figures of all of it of which only a bound was printed; those of a job nobody prints.
    pub bounds: &'r [StatedBound],
    /// By how much Little's law may be exceeded: [`Subject::outstanding_slack`].
    pub slack: f64,
    /// Whether any of its latencies run from the time at which an I/O was due: those of every planned job with an arrival rate.
    counts_from_due: bool,
}

/// Reads, writes, or both as one.
#[derive(Debug, Clone)]
pub(super) struct Stream<'r> {
    /// Reads, writes, or both as one.
    pub kind: StreamKind,
    /// What is stated of it; of what was counted, its figures with all their digits.
    pub stated: Cow<'r, StatedStream>,
    /// GiB that were moved.
    pub total_gib: Option<Stated>,
    /// kB in one I/O.
    pub transfer_size_kb: Option<Stated>,
}

impl<'r> Part<'r> {
    /// All of a result, and then each job that has figures of its own.
    ///
    /// Counts of jobs add up exactly, so a result that was counted has a part of all of them. What a source states of its
    /// jobs is held against the total that it states itself, and not added up before.
    pub(super) fn all(subject: &'r Subject<'r>) -> Vec<Self> {
        let loads = subject.jobs.iter().map(|job| &*job.load).collect();
        let is_counted = subject.jobs.iter().any(|job| job.ops.both().any(|facts| facts.counts().is_some()));
        let of_jobs: Vec<Ops<'r>> = subject.jobs.iter().map(|job| job.ops).collect();
        let whole = match subject.stated_total {
            Some(total) => streams_of(&[Ops::of_stated(total)], Some(subject)),
            None if is_counted && has_groups(subject, None) => without_writes(&of_jobs),
            None if is_counted => streams_of(&of_jobs, None),
            None => Vec::new(),
        };
        let place =
            ResultPart { source: subject.source.map(|source| source.place.clone()), ..ResultPart::default() };
        let mut parts = vec![Self {
            place: place.clone(),
            loads,
            streams: whole,
            bounds: subject.bounds,
            slack: subject.outstanding_slack(),
            counts_from_due: subject.jobs.iter().any(counts_from_due),
        }];
        // The only job that was counted is all of it.
        let jobs = if is_counted && of_jobs.len() == 1 { &[][..] } else { &subject.jobs[..] };
        parts.extend(jobs.iter().enumerate().map(|(index, job)| Self {
            place: ResultPart { job: Some(job.name.to_string()), ..place.clone() },
            loads: vec![&*job.load],
            streams: match has_groups(subject, Some(index)) {
                true => without_writes(&[job.ops]),
                false => streams_of(&[job.ops], None),
            },
            bounds: &[],
            slack: subject.outstanding_slack(),
            counts_from_due: counts_from_due(job),
        }));
        // What neither did anything nor states a figure has nothing to be checked.
        parts.retain(|part| !part.streams.is_empty());
        parts
    }

    /// The stream of this kind.
    pub(super) fn stream(&self, kind: StreamKind) -> Option<&Stream<'r>> {
        self.streams.iter().find(|stream| stream.kind == kind)
    }

    /// The mean latency of a stream in µs, also where only a bound of it was printed.
    pub(super) fn mean_latency(&self, stream: &Stream<'_>) -> Option<Amount> {
        let exact = stream.latency().mean_us.map(|mean| Amount::Exact(mean.value));
        let name = MetricKey::Figure(stream.kind, Figure::LatencyMean).to_string();
        let bound = || self.bounds.iter().find(|bound| bound.metric == name).map(StatedBound::bounded);
        exact.or_else(|| bound().filter(|one| one.relation != BoundRelation::About).map(Amount::Bounded))
    }

    /// Sizes of the I/Os of a stream in bytes; `None` where they are not stated for every job of it.
    pub(super) fn block_range(&self, stream: StreamKind) -> Option<Range> {
        let direction = match stream {
            StreamKind::Read => Some(Direction::Read),
            StreamKind::Write | StreamKind::Commit => Some(Direction::Write),
            StreamKind::Mixed => None,
        };
        Range::of_block_sizes(self.loads.iter().copied(), direction)
    }

    /// The I/Os that may be outstanding at once, and how many of them somebody worked out; `None` where a job does not say.
    pub(super) fn outstanding(&self) -> Option<(u64, u64)> {
        let mut all = 0_u64;
        let mut inferred = 0_u64;
        for load in &self.loads {
            let one = load.total_outstanding()?;
            all = all.checked_add(one)?;
            inferred += if load.inferred { one } else { 0 };
        }
        (all > 0).then_some((all, inferred))
    }

    /// Whether the load is known, and none of it has I/Os of a direction.
    pub(super) fn never_does(&self, direction: Direction) -> bool {
        !self.loads.is_empty() && self.loads.iter().all(|load| !load.does(Some(direction)))
    }

    /// Whether a rate or pauses held any of it back.
    pub(super) fn is_held_back(&self) -> bool {
        self.loads.iter().any(|load| load.is_held_back())
    }

    /// Whether the latencies run from the time at which an I/O was due, and not from its issue.
    pub(super) const fn counts_from_due(&self) -> bool {
        self.counts_from_due
    }

    /// Whether flushes, which are timed apart from the writes before them, take a part of the time.
    pub(super) fn has_flushes(&self) -> bool {
        self.loads
            .iter()
            .any(|load| load.flush_every.is_some() || matches!(load.durability, Some(Durability::Fdatasync)))
    }

    /// Whether fio put several jobs into one entry, which carries the options of the first of them only.
    pub(super) fn may_be_of_others(&self) -> bool {
        self.loads.iter().any(|load| load.may_have_others())
    }

    /// I/Os that may be counted at one end of the measurement and not at the other.
    pub(super) fn edge_count(&self) -> f64 {
        edge_count(self.loads.iter().copied())
    }

    /// I/Os whose bytes may be counted and that are not: fio counts an I/O when it is issued and its bytes when it is done, and
    /// clears both at the end of a ramp, so that those under way then bring bytes only.
    pub(super) fn carried_over(&self) -> f64 {
        let has_ramp = self.loads.iter().any(|load| load.ramp_s.is_some_and(|ramp_s| ramp_s > 0.0));
        if has_ramp { self.edge_count() } else { 0.0 }
    }

    /// The share by which rate times latency may exceed what is configured: I/Os that were under way when the measurement began or
    /// ended count with all of their latency.
    pub(super) fn outstanding_slack(&self) -> f64 {
        edge_share(self.streams.iter().map(|stream| &*stream.stated)).max(self.slack)
    }

    /// Whether all of it goes past the page cache, and whether any is known to go through it.
    pub(super) fn is_direct(&self) -> bool {
        !self.loads.is_empty() && self.loads.iter().all(|load| load.direct == Some(true))
    }

    /// Whether all of it is random.
    pub(super) fn is_random(&self) -> bool {
        !self.loads.is_empty() && self.loads.iter().all(|load| load.pattern == Some(Pattern::Random))
    }

    /// The share of reads, where one load says it.
    pub(super) fn read_share(&self) -> Option<f64> {
        let [load] = &self.loads[..] else { return None };
        load.rwmix_read_percent.map(|percent| percent / 100.0)
    }
}

impl Stream<'_> {
    /// The latency that stands for the whole time that an I/O is outstanding, as well as it is stated.
    pub(super) fn latency(&self) -> &StatedLatency {
        self.stated.latency()
    }
}

fn counts_from_due(job: &SubjectJob<'_>) -> bool {
    job.planned.is_some_and(|planned| planned.arrival != Arrival::Closed)
}

pub(super) fn bytes(count: u64) -> f64 {
    count as f64
}

/// Whether the commits of a job, or of any, share writes: sizes of writes say nothing of those of a group commit.
fn has_groups(subject: &Subject<'_>, job: Option<usize>) -> bool {
    let jobs = subject.jobs.iter().enumerate().filter(|(index, _)| job.is_none_or(|job| job == *index));
    jobs.filter_map(|(_, job)| job.planned).any(|planned| planned.group_commit.is_some())
}

fn without_writes<'r>(ops: &[Ops<'r>]) -> Vec<Stream<'r>> {
    let ops: Vec<Ops<'r>> = ops.iter().map(|ops| Ops { write: None, ..*ops }).collect();
    streams_of(&ops, None)
}

/// Streams in which anything was done, those of several jobs together; of `amounts`, what a source tells of the total besides.
///
/// Where both directions are there, the sum of both repeats them, and is looked at all the same: the source states it.
fn streams_of<'r>(ops: &[Ops<'r>], amounts: Option<&Subject<'_>>) -> Vec<Stream<'r>> {
    type OfOps<'r> = fn(&Ops<'r>) -> Option<Facts<'r>>;
    let streams: [(StreamKind, OfOps<'r>); 3] = [
        (StreamKind::Read, |ops| ops.read),
        (StreamKind::Write, |ops| ops.write),
        (StreamKind::Mixed, |ops| ops.all),
    ];
    let other =
        |kind: StreamKind, name: &str| amounts?.other.get(&format!("{}.{name}", kind.metric_word())).copied();
    let stream = |(kind, of): (StreamKind, OfOps<'r>)| {
        let facts: Vec<Facts<'r>> = ops.iter().filter_map(of).collect();
        let stated = stated_of(&facts);
        let total_gib = other(kind, "total_gib");
        let transfer_size_kb = other(kind, "transfer_size_kb");
        let is_there = stated.is_some() || total_gib.is_some() || transfer_size_kb.is_some();
        is_there.then(|| Stream { kind, stated: stated.unwrap_or_default(), total_gib, transfer_size_kb })
    };
    streams.into_iter().filter_map(stream).collect()
}

/// As a source would state it; `None` where nothing was done.
fn stated_of<'r>(facts: &[Facts<'r>]) -> Option<Cow<'r, StatedStream>> {
    // As it is, because its digits tell how exact it is. What was counted has all of its digits.
    if let [Facts::Stated(stream)] = facts {
        return (!stream.is_idle()).then_some(Cow::Borrowed(stream));
    }
    let figures = Figures::together(facts);
    let measured_s = facts.iter().find_map(|one| match one {
        Facts::Counted(_, measured) => Some(measured.as_secs_f64()),
        Facts::Stated(_) => None,
    })?;
    let bytes = facts.iter().filter_map(|one| one.bytes()).sum();
    figures.io_count.filter(|count| *count > 0).map(|_| {
        Cow::Owned(StatedStream {
            runtime_s: Some(Stated::exact(measured_s)),
            io_count: figures.io_count,
            bytes: Some(bytes),
            error_count: figures.error_count,
            iops: figures.iops.map(Stated::exact),
            bandwidth_mib_per_s: figures.bandwidth_mib_per_s.map(Stated::exact),
            total_latency: latency_of(&figures),
            ..StatedStream::default()
        })
    })
}

fn latency_of(figures: &Figures) -> StatedLatency {
    let percentiles = [
        (50.0, figures.lat_p50_us),
        (90.0, figures.lat_p90_us),
        (95.0, figures.lat_p95_us),
        (99.0, figures.lat_p99_us),
        (99.9, figures.lat_p999_us),
        (99.99, figures.lat_p9999_us),
    ];
    StatedLatency {
        mean_us: figures.lat_mean_us.map(Stated::exact),
        max_us: figures.lat_max_us.map(Stated::exact),
        percentiles_us: percentiles
            .into_iter()
            .filter_map(|(percent, at)| Some(StatedPercentile { percent, at: Stated::exact(at?) }))
            .collect(),
        ..StatedLatency::default()
    }
}
