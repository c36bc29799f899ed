//! Jobs whose I/Os are due when those of another job are done.

use iotrial_measure::arrivals::Arrivals;
use iotrial_model::load::{Direction, FollowedOp};
use iotrial_model::plan::{Arrival, Plan};

use crate::lane::Lane;

/// The jobs of one thread that follow others; leader and followers are always on the same thread.
pub(crate) struct Followers {
    /// By leading job.
    by_leader: Vec<Vec<Follower>>,
}

/// A job that does so many I/Os for each one of another job.
struct Follower {
    per: FollowedOp,
    ratio: f64,
    /// Its lanes, which take turns.
    lanes: Vec<usize>,
    /// Which of them is next.
    turn: usize,
    /// I/Os of the leader.
    led: u64,
    /// I/Os of its own that came to be due.
    fed: u64,
    /// With more than so many that are due and wait, it cannot keep up.
    most_waiting: usize,
}

impl Followers {
    /// Those among the lanes of a thread.
    pub(crate) fn among(plan: &Plan, lanes: &[Lane]) -> Self {
        let mut by_leader: Vec<Vec<Follower>> = plan.jobs.iter().map(|_| Vec::new()).collect();
        for (index, job) in plan.jobs.iter().enumerate() {
            let Arrival::Following { job: leader, per, ratio } = job.arrival else { continue };
            let lanes: Vec<usize> = (0..lanes.len()).filter(|lane| lanes[*lane].job == index).collect();
            // The jobs of another thread.
            if lanes.is_empty() {
                continue;
            }
            // As many may wait as can be outstanding: with fewer a follower could not use all of its slots
            // after a pause, and with more the leader would run ahead, so that the figures of the two were of
            // different moments.
            let each = job.group_commit.map_or(1, |group| group.most_commits());
            let most_waiting = usize::try_from(u64::from(job.total_iodepth()) * each).unwrap_or(usize::MAX);
            by_leader[leader].push(Follower { per, ratio, lanes, turn: 0, led: 0, fed: 0, most_waiting });
        }
        Self { by_leader }
    }

    /// Whether any job follows this one.
    #[inline]
    pub(crate) fn has(&self, leader: usize) -> bool {
        !self.by_leader[leader].is_empty()
    }

    /// An I/O of the leader is done: tells `feed` each lane that has an I/O due by that.
    pub(crate) fn lead(&mut self, leader: usize, direction: Direction, mut feed: impl FnMut(usize)) {
        for follower in &mut self.by_leader[leader] {
            if !follower.per.includes(direction) {
                continue;
            }
            follower.led += 1;
            // None, one or several: with a ratio of 0.5 every other I/O of the leader brings one. They go to
            // the lanes in turn, so that each log of a group of followers gets as many commits as the others.
            for _ in follower.fed..follower.due() {
                feed(follower.lanes[follower.turn]);
                follower.turn = (follower.turn + 1) % follower.lanes.len();
            }
            follower.fed = follower.due();
        }
    }

    /// Whether a job that follows this one cannot keep up.
    pub(crate) fn are_behind(&self, leader: usize, lanes: &[Lane]) -> bool {
        let waiting = |follower: &Follower| -> usize {
            let fed = follower.lanes.iter().map(|lane| match &lanes[*lane].arrivals {
                Some(Arrivals::Fed(due)) => due.len(),
                _ => 0,
            });
            fed.sum()
        };
        // One that is behind holds the leader for all: the others then wait for I/Os that do not come, but
        // their ratio holds.
        self.by_leader[leader].iter().any(|follower| waiting(follower) > follower.most_waiting)
    }
}

impl Follower {
    /// So many I/Os are due after what the leader did; from the total, so that no fraction is ever lost.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a product of a count and a positive ratio"
    )]
    fn due(&self) -> u64 {
        (self.led as f64 * self.ratio) as u64
    }
}
