//! When the I/Os of a job are due: as a profile asks, with the jobs that follow others told by their place in the plan.

use serde::{Deserialize, Serialize};

use crate::load::{Bursts, FollowedOp, Spacing};
use crate::profile::{Follow, Profile};

/// When a job issues its I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Arrival {
    /// Each completion makes room for the next: the outstanding I/Os are given, the rate comes out.
    Closed,
    /// When they are due: the rate is given, and `iodepth` bounds what is outstanding.
    Open {
        /// Of all copies together, per second; more than zero.
        iops: f64,
        /// How they follow one another.
        spacing: Spacing,
        /// Whether all I/Os of a period are due in its first part; `iops` is then the mean over whole periods.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bursts: Option<Bursts>,
    },
    /// When those of another job are done: so many for each of them. Where the follower cannot keep up, a closed job
    /// that it follows waits for it.
    Following {
        /// Index into [`Plan::jobs`](super::Plan::jobs).
        job: usize,
        /// Which of its I/Os count.
        per: FollowedOp,
        /// I/Os, or commits of a group commit, for each of these; more than zero.
        ratio: f64,
    },
}

impl Arrival {
    /// When the job at `position` of a profile issues its I/Os.
    pub fn of_job(profile: &Profile, position: usize) -> Self {
        let job = &profile.jobs[position];
        if let Some(Follow { job, per, ratio }) = &job.follow {
            let leader = profile.jobs.iter().position(|other| other.name == *job);
            let leader = leader.expect("a profile is valid: every followed job is there");
            return Self::Following { job: leader, per: *per, ratio: *ratio };
        }
        match job.arrivals_per_s() {
            Some(iops) => Self::Open { iops, spacing: job.spacing, bursts: job.bursts },
            None => Self::Closed,
        }
    }
}
