//! A stream is what a table has one row for: reads, writes, or those writes that are commits.

use std::fmt;
use std::time::Duration;

use iotrial_model::imported::StatedStream;
use iotrial_model::load::Direction;
use iotrial_model::plan::Plan;
use iotrial_model::record::{JobCounts, OpCounts, RunRecord};
use iotrial_model::subject::{Facts, Ops, Subject, SubjectJob};
use serde::Serialize;

use crate::figures::Figures;

/// The I/Os that are looked at together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// All reads.
    Read,
    /// All writes, commits among them.
    Write,
    /// Log writes that are durable when they complete, and the commits of a group commit.
    Commit,
    /// Reads and writes of a result whose source does not tell them apart.
    Mixed,
}

impl Stream {
    /// Those that a run has, in the order in which tables show them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Commit];

    /// The word for people and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Commit => "commit",
            Self::Mixed => "mixed I/O",
        }
    }

    /// What those of `jobs` that `select` picks did in this stream. `jobs` are in the order of the plan:
    /// the totals of the record, or those of one interval.
    pub fn counts(self, record: &RunRecord, jobs: &[JobCounts], select: impl Fn(usize) -> bool) -> OpCounts {
        let mut merged = OpCounts::default();
        for (_, one) in self.parts(record, jobs).into_iter().filter(|(job, _)| select(*job)) {
            merged.merge(one);
        }
        merged
    }

    /// The same job by job, not merged: the index of the job, and its counts.
    pub fn parts<'c>(self, record: &RunRecord, jobs: &'c [JobCounts]) -> Vec<(usize, &'c OpCounts)> {
        let part = |(job, counts): (usize, &'c JobCounts)| {
            let one = match self {
                Self::Read => counts.read.as_ref(),
                Self::Write => counts.write.as_ref(),
                Self::Commit => record.commits(job, counts),
                Self::Mixed => None,
            };
            one.map(|one| (job, one))
        };
        jobs.iter().enumerate().filter_map(part).collect()
    }

    /// The streams that the jobs which `select` picks are planned to have, in the order of tables.
    ///
    /// Where every write is a commit, the two streams are the same one, and it is called commit. A group commit has both:
    /// its writes, and the commits in them.
    pub fn planned(plan: &Plan, select: impl Fn(usize) -> bool) -> Vec<Self> {
        let jobs = || plan.jobs.iter().enumerate().filter(|(index, _)| select(*index));
        let streams = [
            (Self::Read, jobs().any(|(_, job)| job.reads())),
            (Self::Write, jobs().any(|(_, job)| job.writes() && !job.is_commit())),
            (Self::Commit, jobs().any(|(_, job)| job.is_commit() || job.group_commit.is_some())),
        ];
        streams.into_iter().filter(|(_, exists)| *exists).map(|(stream, _)| stream).collect()
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The streams of a job, of a role, or of everything.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Streams {
    /// Absent where the load does not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Figures>,
    /// Absent where the load does not write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Figures>,
    /// Log writes that are durable when they complete; absent where the load has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<Figures>,
    /// Reads and writes together, of a result whose source states it itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<Figures>,
}

impl Streams {
    /// One stream.
    pub const fn get(&self, stream: Stream) -> Option<&Figures> {
        match stream {
            Stream::Read => self.read.as_ref(),
            Stream::Write => self.write.as_ref(),
            Stream::Commit => self.commit.as_ref(),
            Stream::Mixed => self.all.as_ref(),
        }
    }
}

impl Streams {
    /// All jobs of a result together: as its source states it, or else added up.
    pub(crate) fn total(subject: &Subject<'_>) -> Self {
        match (stated_total(subject), subject.jobs.as_slice()) {
            (Some(total), _) => Self::of_ops(&total),
            (None, [only]) => Self::of_job(only),
            (None, _) if subject.source.is_some() => {
                Self::together(&subject.jobs.iter().map(|job| job.ops).collect::<Vec<_>>())
            }
            (None, _) => StreamCounts::of(subject, |_| true).figures(),
        }
    }

    /// One job.
    pub(crate) fn of_job(job: &SubjectJob<'_>) -> Self {
        let mut counts = StreamCounts::default();
        counts.add(job);
        let counted = counts.figures();
        if counted == Self::default() { Self::of_ops(&job.ops) } else { counted }
    }

    /// What is stated of each stream.
    pub(crate) fn of_ops(ops: &Ops<'_>) -> Self {
        let figures = |facts: Option<Facts<'_>>| Some(Figures::of_stated(facts?.stated()?));
        Self { read: figures(ops.read), write: figures(ops.write), commit: None, all: figures(ops.all) }
    }

    /// What is stated of jobs that ran at once.
    pub(crate) fn together(all: &[Ops<'_>]) -> Self {
        let figures = |direction: Direction| {
            let streams: Vec<&StatedStream> =
                all.iter().filter_map(|ops| ops.get(direction)?.stated()).collect();
            (!streams.is_empty()).then(|| Figures::together(&streams))
        };
        // A job that tells only of both at once cannot be added to those that tell them apart.
        let is_plain = all.iter().all(|ops| ops.all.is_none() || (ops.read.is_some() && ops.write.is_some()));
        if is_plain {
            Self { read: figures(Direction::Read), write: figures(Direction::Write), commit: None, all: None }
        } else {
            let both: Vec<&StatedStream> = all.iter().flat_map(both).collect();
            Self { all: Some(Figures::together(&both)), ..Self::default() }
        }
    }
}

/// Reads and writes of a result as one, as its source states it, or else added up; `None` where there is neither.
pub(crate) fn both_figures(subject: &Subject<'_>) -> Option<Figures> {
    let streams: Vec<&StatedStream> = match stated_total(subject) {
        Some(total) => both(&total),
        None => subject.jobs.iter().flat_map(|job| both(&job.ops)).collect(),
    };
    if streams.is_empty() {
        return StreamCounts::of(subject, |_| true).all_figures();
    }
    Some(Figures::together(&streams))
}

/// The streams that together have all I/Os of a job once.
fn both<'r>(ops: &Ops<'r>) -> Vec<&'r StatedStream> {
    match ops.all {
        Some(both) => both.stated().into_iter().collect(),
        None => [ops.read, ops.write].into_iter().flatten().filter_map(Facts::stated).collect(),
    }
}

/// All jobs together, where the source states it.
pub(crate) fn stated_total<'r>(subject: &Subject<'r>) -> Option<Ops<'r>> {
    match (subject.stated_total, subject.jobs.as_slice()) {
        (Some(total), _) => Some(Ops::of_stated(total)),
        (None, [only]) if subject.source.is_some() => Some(only.ops),
        (None, _) => None,
    }
}

/// The counts of a job, a role or everything, before they become figures.
#[derive(Debug, Clone, Default)]
pub struct StreamCounts {
    /// Reads and writes.
    pub counts: JobCounts,
    /// Those of the writes that are commits, and the commits of group commits.
    pub commit: Option<OpCounts>,
    /// The time in which they were counted.
    measured: Duration,
    /// Whether any of them comes from a job that does not issue its I/Os when others complete. The sample of
    /// submission latencies, the first batch of each millisecond, then holds too many that had to wait.
    has_open: bool,
}

impl StreamCounts {
    /// The counts of the jobs that `select` picks, merged; empty of what a source states.
    pub fn of(subject: &Subject<'_>, mut select: impl FnMut(usize) -> bool) -> Self {
        let mut merged = Self::default();
        subject.jobs.iter().enumerate().filter(|(job, _)| select(*job)).for_each(|(_, job)| merged.add(job));
        merged
    }

    fn add(&mut self, job: &SubjectJob<'_>) {
        let ops = [
            (&mut self.counts.read, job.ops.read),
            (&mut self.counts.write, job.ops.write),
            (&mut self.commit, job.ops.commit),
        ];
        for (mine, theirs) in ops {
            if let Some(Facts::Counted(counts, measured)) = theirs {
                mine.get_or_insert_default().merge(counts);
                self.measured = measured;
            }
        }
        self.has_open |= job.load.rate_iops.is_some();
    }

    /// Reads and writes as one stream; `None` where neither came to be.
    pub fn all_figures(&self) -> Option<Figures> {
        let mut streams = Direction::ALL.iter().filter_map(|direction| self.counts.get(*direction));
        let mut all = streams.next()?.clone();
        streams.for_each(|one| all.merge(one));
        Some(self.figures_of(&all))
    }

    fn figures_of(&self, counts: &OpCounts) -> Figures {
        let figures = Figures::new(counts, self.measured);
        Figures { slat_mean_us: figures.slat_mean_us.filter(|_| !self.has_open), ..figures }
    }

    /// The same as figures.
    pub fn figures(&self) -> Streams {
        let figures = |counts: Option<&OpCounts>| counts.map(|counts| self.figures_of(counts));
        Streams {
            read: figures(self.counts.get(Direction::Read)),
            write: figures(self.counts.get(Direction::Write)),
            commit: figures(self.commit.as_ref()),
            all: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::load::{GroupCommit, LogTail};
    use iotrial_model::plan::Arrival;
    use iotrial_model::units::ByteSize;

    use super::*;
    use crate::test_record::{counts, healthy};

    fn counts_of(record: &RunRecord, job: usize) -> StreamCounts {
        StreamCounts::of(&Subject::of_run(record), |one| one == job)
    }

    #[test]
    fn durable_log_writes_are_commits_and_no_other_stream() {
        let record = healthy();
        assert_eq!(Stream::planned(&record.plan, |job| job == 1), [Stream::Commit]);
        let log = counts_of(&record, 1);
        assert_eq!(log.commit, log.counts.write);
    }

    #[test]
    fn submission_latency_is_told_of_a_closed_load_alone() {
        let mut record = healthy();
        let read = record.jobs[0].read.as_mut().unwrap();
        (read.submission_latency_count, read.submission_latency_sum_ns) = (Some(1_000), 5_000_000);
        let slat_us = |record: &RunRecord| {
            let pages = counts_of(record, 0);
            (pages.figures().read.unwrap().slat_mean_us, pages.all_figures().unwrap().slat_mean_us)
        };
        assert!(slat_us(&record).0 == Some(5.0) && slat_us(&record).1.is_some());
        record.plan.jobs[0].arrival =
            Arrival::Open { iops: 16_000.0, spacing: iotrial_model::load::Spacing::Poisson, bursts: None };
        assert_eq!(slat_us(&record), (None, None));
    }

    #[test]
    fn a_log_that_is_flushed_only_now_and_then_has_writes_and_no_commits() {
        let mut record = healthy();
        record.plan.jobs[1].flush_every = 8;
        assert_eq!(Stream::planned(&record.plan, |job| job == 1), [Stream::Write]);
        assert_eq!(counts_of(&record, 1).commit, None);
    }

    #[test]
    fn a_group_commit_has_its_writes_and_beside_them_the_commits_in_them() {
        let mut record = healthy();
        record.plan.jobs[1].group_commit = Some(GroupCommit {
            commit_size: ByteSize::bytes(700),
            largest_write: ByteSize::kib(60),
            tail: LogTail::Pad,
        });
        record.jobs[1].commit = Some(counts(3_000_000, Duration::from_micros(900)));
        assert_eq!(Stream::planned(&record.plan, |job| job == 1), [Stream::Write, Stream::Commit]);
        let log = counts_of(&record, 1).figures();
        assert_eq!(log.write.unwrap().iops, Some(2_000.0));
        let commit = log.commit.unwrap();
        assert_eq!((commit.iops, commit.lat_mean_us), (Some(10_000.0), Some(900.0)));
        let of_writes = Stream::Write.counts(&record, &record.jobs, |job| job == 1);
        assert_eq!(of_writes.io_count(), 600_000, "commits are not counted as writes");
    }
}
