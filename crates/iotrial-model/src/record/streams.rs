//! Which I/Os of a record belong to which stream.

use super::{JobCounts, OpCounts};
use crate::plan::{Job, Plan};
use crate::stream::Stream;

impl Stream {
    /// What those of `jobs` that `select` picks did in this stream. `jobs` are in the order of the plan:
    /// the totals of the record, or those of one interval.
    pub fn counts(self, plan: &Plan, jobs: &[JobCounts], select: impl Fn(usize) -> bool) -> OpCounts {
        let mut merged = OpCounts::default();
        for (_, one) in self.parts(plan, jobs).into_iter().filter(|(job, _)| select(*job)) {
            merged.merge(one);
        }
        merged
    }

    /// The same job by job, not merged: the index of the job, and its counts.
    pub fn parts<'c>(self, plan: &Plan, jobs: &'c [JobCounts]) -> Vec<(usize, &'c OpCounts)> {
        let part = |(job, counts): (usize, &'c JobCounts)| {
            let one = match self {
                Self::Read => counts.read.as_ref(),
                Self::Write => counts.write.as_ref(),
                Self::Commit => counts.commits(&plan.jobs[job]),
                // A run always tells reads from writes.
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
        let jobs = || plan.jobs.iter().enumerate().filter(|(index, _)| select(*index)).map(|(_, job)| job);
        let streams = [
            (Self::Read, jobs().any(Job::reads)),
            (Self::Write, jobs().any(|job| job.writes() && !job.is_commit())),
            (Self::Commit, jobs().any(|job| job.is_commit() || job.group_commit.is_some())),
        ];
        streams.into_iter().filter(|(_, exists)| *exists).map(|(stream, _)| stream).collect()
    }
}
