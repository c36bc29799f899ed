//! The figures of each stream of a job, of a role, or of everything.

use iotrial_model::load::Role;
use iotrial_model::plan::Plan;
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Facts, Ops, Subject};
use serde::Serialize;

use crate::figures::Figures;

/// The streams of a role whose latencies are held against limits: all that the plan has, but for the writes of logs that commit in groups.
/// Each commit waits for its write, and is what a session waits for.
pub(crate) fn judged_streams(plan: &Plan, role: Role) -> Vec<Stream> {
    let mut writing = plan.jobs.iter().filter(|job| job.role == role && job.writes());
    let is_in_commits = writing.all(|job| job.group_commit.is_some());
    let mut streams = Stream::planned(plan, |job| plan.jobs[job].role == role);
    streams.retain(|stream| *stream != Stream::Write || !is_in_commits);
    streams
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
    /// The figures of a stream; `None` where nothing was done in it, or its source does not tell it apart.
    pub const fn get(&self, stream: Stream) -> Option<&Figures> {
        match stream {
            Stream::Read => self.read.as_ref(),
            Stream::Write => self.write.as_ref(),
            Stream::Commit => self.commit.as_ref(),
            Stream::Mixed => self.all.as_ref(),
        }
    }

    /// The figures of a result: all its jobs, as its source states them together, or else added up.
    pub fn of(subject: &Subject<'_>) -> Self {
        match subject.parts().as_slice() {
            [only] => Self::of_ops(only),
            several => Self::together(several),
        }
    }

    /// The figures of one job, or of a total.
    pub fn of_ops(ops: &Ops<'_>) -> Self {
        let figures = |facts: Option<Facts<'_>>| Some(figures_of(&[facts?], !ops.issued_when_due));
        Self {
            read: figures(ops.read),
            write: figures(ops.write),
            commit: figures(ops.commit),
            all: figures(ops.all),
        }
    }

    /// The figures of jobs that ran at once. Where one of them does not tell reads from writes, it cannot be added to those
    /// that do, and all of them are one stream.
    pub fn together(jobs: &[Ops<'_>]) -> Self {
        let is_sampled_fairly = !jobs.iter().any(|ops| ops.issued_when_due);
        let figures = |stream: Stream| {
            let facts: Vec<Facts<'_>> = jobs.iter().filter_map(|ops| stream.of(ops)).collect();
            (!facts.is_empty()).then(|| figures_of(&facts, is_sampled_fairly))
        };
        let is_told_apart = |ops: &Ops<'_>| ops.all.is_none() || (ops.read.is_some() && ops.write.is_some());
        if !jobs.iter().all(is_told_apart) {
            let both: Vec<Facts<'_>> = jobs.iter().flat_map(|ops| ops.both()).collect();
            return Self { all: Some(figures_of(&both, is_sampled_fairly)), ..Self::default() };
        }
        Self {
            read: figures(Stream::Read),
            write: figures(Stream::Write),
            commit: figures(Stream::Commit),
            all: None,
        }
    }

    /// The figures of the jobs of one role together.
    pub fn of_role(subject: &Subject<'_>, role: Role) -> Self {
        let jobs = subject.jobs.iter().filter(|job| job.role == Some(role));
        Self::together(&jobs.map(|job| job.ops).collect::<Vec<_>>())
    }
}

fn figures_of(facts: &[Facts<'_>], is_sampled_fairly: bool) -> Figures {
    Figures::together(facts).with_submission(is_sampled_fairly)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::load::{GroupCommit, LogTail};
    use iotrial_model::plan::Arrival;
    use iotrial_model::record::RunRecord;
    use iotrial_model::units::ByteSize;

    use super::*;
    use crate::test_record::{counts, healthy};

    fn streams_of(record: &RunRecord, job: usize) -> Streams {
        Streams::of_ops(&Subject::of_run(record).jobs[job].ops)
    }

    #[test]
    fn durable_log_writes_are_commits_and_no_other_stream() {
        let record = healthy();
        assert_eq!(Stream::planned(&record.plan, |job| job == 1), [Stream::Commit]);
        let log = streams_of(&record, 1);
        assert!(log.commit.is_some() && log.commit == log.write);
    }

    #[test]
    fn submission_latency_is_told_of_a_closed_load_alone() {
        let mut record = healthy();
        let read = record.jobs[0].read.as_mut().unwrap();
        (read.submission_latency_count, read.submission_latency_sum_ns) = (Some(1_000), 5_000_000);
        let slat_us = |record: &RunRecord| {
            let all = Figures::of_all(&Subject::of_run(record)).unwrap();
            (streams_of(record, 0).read.unwrap().slat_mean_us, all.slat_mean_us)
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
        assert_eq!(streams_of(&record, 1).commit, None);
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
        let log = streams_of(&record, 1);
        assert_eq!(log.write.unwrap().iops, Some(2_000.0));
        let commit = log.commit.unwrap();
        assert_eq!((commit.iops, commit.lat_mean_us), (Some(10_000.0), Some(900.0)));
        let of_writes = Stream::Write.counts(&record.plan, &record.jobs, |job| job == 1);
        assert_eq!(of_writes.io_count(), 600_000, "commits are not counted as writes");
    }
}
