//! The figures of each stream of a job, of a role, or of everything.

use iotrial_model::load::Direction;
use iotrial_model::plan::Arrival;
use iotrial_model::record::{JobCounts, OpCounts, RunRecord};
use iotrial_model::stream::Stream;
use serde::Serialize;

use crate::figures::Figures;

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

/// The counts of a job, a role or everything, before they become figures.
#[derive(Debug, Clone, Default)]
pub struct StreamCounts {
    /// Reads and writes.
    pub counts: JobCounts,
    /// Those of the writes that are commits, and the commits of group commits.
    pub commit: Option<OpCounts>,
    /// Whether any of them comes from a job that does not issue its I/Os when others complete. The sample of
    /// submission latencies, the first batch of each millisecond, then holds too many that had to wait.
    has_open: bool,
}

impl StreamCounts {
    /// The counts of the jobs that `select` picks, merged.
    pub fn of(record: &RunRecord, mut select: impl FnMut(usize) -> bool) -> Self {
        let mut merged = Self::default();
        for (job, counts) in record.jobs.iter().enumerate().filter(|(job, _)| select(*job)) {
            merged.counts.merge(counts);
            merged.has_open |= record.plan.jobs[job].arrival != Arrival::Closed;
            if let Some(commits) = record.commits(job, counts) {
                merged.commit.get_or_insert_default().merge(commits);
            }
        }
        merged
    }

    /// Reads and writes as one stream; `None` where neither came to be.
    pub fn all_figures(&self, record: &RunRecord) -> Option<Figures> {
        let mut streams = Direction::ALL.iter().filter_map(|direction| self.counts.get(*direction));
        let mut all = streams.next()?.clone();
        streams.for_each(|one| all.merge(one));
        Some(self.figures_of(&all, record))
    }

    fn figures_of(&self, counts: &OpCounts, record: &RunRecord) -> Figures {
        let figures = Figures::new(counts, record.measured_duration());
        Figures { slat_mean_us: figures.slat_mean_us.filter(|_| !self.has_open), ..figures }
    }

    /// The same as figures.
    pub fn figures(&self, record: &RunRecord) -> Streams {
        let figures = |counts: Option<&OpCounts>| counts.map(|counts| self.figures_of(counts, record));
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
    use std::time::Duration;

    use iotrial_model::load::{GroupCommit, LogTail};
    use iotrial_model::units::ByteSize;

    use super::*;
    use crate::test_record::{counts, healthy};

    #[test]
    fn durable_log_writes_are_commits_and_no_other_stream() {
        let record = healthy();
        assert_eq!(Stream::planned(&record, |job| job == 1), [Stream::Commit]);
        let log = StreamCounts::of(&record, |job| job == 1);
        assert_eq!(log.commit, log.counts.write);
    }

    #[test]
    fn submission_latency_is_told_of_a_closed_load_alone() {
        let mut record = healthy();
        let read = record.jobs[0].read.as_mut().unwrap();
        (read.submission_latency_count, read.submission_latency_sum_ns) = (Some(1_000), 5_000_000);
        let slat_us = |record: &RunRecord| {
            let pages = StreamCounts::of(record, |job| job == 0);
            (
                pages.figures(record).read.unwrap().slat_mean_us,
                pages.all_figures(record).unwrap().slat_mean_us,
            )
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
        assert_eq!(Stream::planned(&record, |job| job == 1), [Stream::Write]);
        assert_eq!(StreamCounts::of(&record, |job| job == 1).commit, None);
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
        assert_eq!(Stream::planned(&record, |job| job == 1), [Stream::Write, Stream::Commit]);
        let log = StreamCounts::of(&record, |job| job == 1).figures(&record);
        assert_eq!(log.write.unwrap().iops, Some(2_000.0));
        let commit = log.commit.unwrap();
        assert_eq!((commit.iops, commit.lat_mean_us), (Some(10_000.0), Some(900.0)));
        let of_writes = Stream::Write.counts(&record, &record.jobs, |job| job == 1);
        assert_eq!(of_writes.io_count(), 600_000, "commits are not counted as writes");
    }
}
