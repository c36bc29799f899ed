//! Streams: the reads, writes and commits of a job, of a role, or of everything.

use iotrial_model::load::Direction;
use iotrial_model::record::{JobCounts, OpCounts, RunRecord};
use serde::Serialize;

use crate::figures::Figures;

/// The streams of a job, of a role, or of everything.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
}

/// The counts of a job, a role or everything, before they become figures.
#[derive(Debug, Clone, Default)]
pub struct StreamCounts {
    /// Reads and writes.
    pub counts: JobCounts,
    /// Those of the writes that are commits.
    pub commit: Option<OpCounts>,
}

impl StreamCounts {
    /// The counts of the jobs that `select` picks, merged.
    pub fn of(record: &RunRecord, mut select: impl FnMut(usize) -> bool) -> Self {
        let mut merged = Self::default();
        for (job, counts) in record.jobs.iter().enumerate().filter(|(job, _)| select(*job)) {
            merged.counts.merge(counts);
            if let (true, Some(write)) = (record.is_commit(job), &counts.write) {
                merged.commit.get_or_insert_default().merge(write);
            }
        }
        merged
    }

    /// The same as figures.
    pub fn figures(&self, record: &RunRecord) -> Streams {
        let figures = |counts: Option<&OpCounts>| counts.map(|c| Figures::new(c, record.measured_duration()));
        Streams {
            read: figures(self.counts.get(Direction::Read)),
            write: figures(self.counts.get(Direction::Write)),
            commit: figures(self.commit.as_ref()),
        }
    }
}
