//! A load while it is made: how far it is, and what the last interval did. Progress, streams and metrics all read it here.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::load::{FollowedOp, Role};
use iotrial_model::plan::{Arrival, Job, PhaseKind, Plan};
use iotrial_model::record::{Interval, JobCounts, OpCounts, RunRecord};
use iotrial_model::subject::{Facts, Ops, Subject};
use serde::Serialize;

use crate::figures::Figures;
use crate::stream::Streams;
use crate::summary::{JobSummary, Together, by_role};

/// How far the loads of a session are: one of a run, many of a search, a sweep or a study.
#[derive(Debug, Clone, Default)]
pub struct LiveLoad {
    layout: (u64, u64),
    /// How long everything takes from the beginning of the load under way on; `None` where that load is all.
    left: Option<Duration>,
    count: u64,
    /// The load under way, or the last one.
    current: Option<Current>,
}

#[derive(Debug, Clone)]
struct Current {
    /// `None` before the first interval and after the last one.
    phase: Option<PhaseKind>,
    step: usize,
    elapsed: Duration,
    duration: Duration,
}

/// What the session does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LivePhase {
    /// Nothing that takes time.
    None,
    /// It creates test files.
    Layout,
    /// It makes a load.
    Load(PhaseKind),
}

impl LivePhase {
    /// The word for people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Layout => "layout",
            Self::Load(kind) => kind.as_str(),
        }
    }
}

impl LiveLoad {
    /// So many bytes of all test files are written.
    pub const fn layout(&mut self, done_bytes: u64, total_bytes: u64) {
        self.layout = (done_bytes, total_bytes);
    }

    /// All loads take so long from the beginning of the next one on, at most.
    pub const fn say_left(&mut self, left: Duration) {
        self.left = Some(left);
    }

    /// A load begins.
    pub fn start(&mut self, plan: &Plan) {
        self.count += 1;
        self.current =
            Some(Current { phase: None, step: 0, elapsed: Duration::ZERO, duration: plan.duration() });
    }

    /// An interval of the load that began last is over.
    pub fn interval<'i>(&mut self, plan: &'i Plan, interval: &'i Interval) -> LiveInterval<'i> {
        let elapsed = interval.start.saturating_add(interval.duration);
        let step = plan.step_borders().iter().filter(|border| **border <= interval.start).count();
        let duration = plan.duration();
        self.current = Some(Current { phase: Some(interval.phase), step, elapsed, duration });
        LiveInterval {
            plan,
            interval,
            load: self.count,
            step,
            elapsed,
            left: self.left(),
            figures: OnceCell::new(),
            rows: OnceCell::new(),
        }
    }

    /// The load is over. May be called without one, and more than once.
    pub const fn finish(&mut self) {
        if let Some(current) = &mut self.current {
            (current.phase, current.step) = (None, 0);
        }
        self.left = None;
    }

    /// What is done now.
    pub fn phase(&self) -> LivePhase {
        let (done, all) = self.layout;
        match self.current.as_ref().and_then(|current| current.phase) {
            Some(phase) => LivePhase::Load(phase),
            None if done < all => LivePhase::Layout,
            None => LivePhase::None,
        }
    }

    /// The step of a load that changes, from 1; 0 outside of steps.
    pub fn step(&self) -> usize {
        self.current.as_ref().map_or(0, |current| current.step)
    }

    /// Since the load under way began.
    pub fn elapsed(&self) -> Duration {
        self.current.as_ref().map_or(Duration::ZERO, |current| current.elapsed)
    }

    /// Until all loads are over, at most; without the layout of files.
    pub fn left(&self) -> Duration {
        let of_load = self.current.as_ref().filter(|current| current.phase.is_some());
        let whole = of_load.map_or(Duration::ZERO, |current| current.duration);
        self.left.unwrap_or_default().max(whole).saturating_sub(self.elapsed())
    }

    /// Loads that began.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of test files that are written, and of all.
    pub const fn laid_out(&self) -> (u64, u64) {
        self.layout
    }
}

/// An interval of a load, about a second, when it is over. Its figures are computed when somebody asks, and once.
pub struct LiveInterval<'i> {
    plan: &'i Plan,
    interval: &'i Interval,
    load: u64,
    step: usize,
    elapsed: Duration,
    left: Duration,
    figures: OnceCell<LiveFigures>,
    rows: OnceCell<Vec<LiveRow>>,
}

/// The figures of an interval, by the names of a run's summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LiveFigures {
    /// All jobs together.
    pub total: Streams,
    /// Reads and writes as one; absent where nothing was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// All jobs of a role together.
    pub roles: BTreeMap<Role, Streams>,
    /// Each job, in the order of the plan.
    pub jobs: Vec<LiveJob>,
}

/// A job in an interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LiveJob {
    /// Its name in the plan.
    pub name: String,
    /// What it stands for.
    pub role: Role,
    /// What came to be due, where it does not issue its I/Os when others complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<LiveArrivals>,
    /// Figures of each stream.
    #[serde(flatten)]
    pub streams: Streams,
}

/// What came to be due at a job, I/Os or the commits of a group commit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LiveArrivals {
    /// The rate that is asked for at this time; `None` of a job that follows another.
    pub asked_iops: Option<f64>,
    /// What was done.
    pub done_iops: f64,
    /// What was due and not issued at the end of the interval.
    pub backlog_count: u64,
}

/// What a person wants to see of a role: one rate, and the latency of what is counted in it.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveRow {
    /// The role; `None` of all of them.
    pub role: Option<Role>,
    /// Whether it is commits that are counted, each from its arrival: those of a group commit, which are not I/Os.
    pub counts_commits: bool,
    /// Reads and writes as one, or commits.
    pub figures: Figures,
    /// The rate that is asked for, with what follows it; `None` where a job of it has none.
    pub asked_iops: Option<f64>,
}

impl LiveInterval<'_> {
    /// What it was part of.
    pub const fn phase(&self) -> PhaseKind {
        self.interval.phase
    }

    /// Of a load that changes: the step, from 1, and how many there are.
    pub fn step(&self) -> Option<(usize, usize)> {
        (self.step > 0).then_some((self.step, self.plan.steps.len()))
    }

    /// Which load of the session it is of, from 1.
    pub const fn load(&self) -> u64 {
        self.load
    }

    /// From the beginning of the load to the end of the interval.
    pub const fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Until all loads are over, at most.
    pub const fn left(&self) -> Duration {
        self.left
    }

    /// Its length.
    pub const fn duration(&self) -> Duration {
        self.interval.duration
    }

    /// Whether the load is over with it.
    pub fn is_last(&self) -> bool {
        self.elapsed >= self.plan.duration()
    }

    /// The plan of the load.
    pub const fn plan(&self) -> &Plan {
        self.plan
    }

    /// What was counted of each job.
    pub fn counts(&self) -> &[JobCounts] {
        &self.interval.jobs
    }

    /// Every figure.
    pub fn figures(&self) -> &LiveFigures {
        self.figures.get_or_init(|| LiveFigures::of(self))
    }

    /// A row for each role in their order, and one of all of them where there are several that count the same.
    pub fn rows(&self) -> &[LiveRow] {
        self.rows.get_or_init(|| {
            let roles = self.plan.roles();
            let mut rows: Vec<LiveRow> = roles.iter().map(|role| LiveRow::of(self, Some(*role))).collect();
            if rows.len() > 1 {
                rows.push(LiveRow::of(self, None));
            }
            rows
        })
    }

    /// The rate that is asked of a job at this time; `None` where it has none of its own.
    fn asked_iops(&self, job: &Job) -> Option<f64> {
        match job.arrival {
            Arrival::Open { iops, .. } => Some(iops * share_of(self.plan, self.step)),
            Arrival::Closed | Arrival::Following { .. } => None,
        }
    }

    /// The same, and of a job that follows another one what follows from the rate of that.
    fn expected_iops(&self, job: &Job) -> Option<f64> {
        let Arrival::Following { job: leader, per, ratio } = job.arrival else { return self.asked_iops(job) };
        // How many writes carry the commits of a leader is not known before.
        let leader = self.plan.jobs.get(leader).filter(|leader| leader.group_commit.is_none())?;
        let reads = f64::from(leader.rwmix_read_percent) / 100.0;
        let share = match per {
            FollowedOp::Read => reads,
            FollowedOp::Write => 1.0 - reads,
            FollowedOp::Any => 1.0,
        };
        self.asked_iops(leader).map(|iops| iops * share * ratio)
    }

    fn jobs(&self) -> impl Iterator<Item = (usize, &Job, &JobCounts)> {
        let jobs = self.plan.jobs.iter().zip(&self.interval.jobs).enumerate();
        jobs.map(|(index, (job, counts))| (index, job, counts))
    }
}

impl LiveFigures {
    fn of(interval: &LiveInterval<'_>) -> Self {
        let duration = interval.interval.duration;
        let ops: Vec<(Role, Ops<'_>)> = interval
            .jobs()
            .map(|(_, job, counts)| {
                let facts = |counts| Facts::Counted(counts, duration);
                let ops = Ops {
                    read: counts.read.as_ref().map(facts),
                    write: counts.write.as_ref().map(facts),
                    commit: counts.commits(job).map(facts),
                    issued_when_due: job.arrival != Arrival::Closed,
                    ..Ops::default()
                };
                (job.role, ops)
            })
            .collect();
        let of_role = |role: Role| {
            let ops: Vec<Ops<'_>> = ops.iter().filter(|(of, _)| *of == role).map(|(_, ops)| *ops).collect();
            (role, Streams::together(&ops))
        };
        let all: Vec<Ops<'_>> = ops.iter().map(|(_, ops)| *ops).collect();
        let jobs = interval.jobs().zip(&ops).map(|((index, job, counts), (_, ops))| {
            let done = if job.group_commit.is_some() {
                counts.commit.as_ref().map_or(0, OpCounts::io_count)
            } else {
                counts.read.iter().chain(&counts.write).map(OpCounts::io_count).sum()
            };
            let arrivals = LiveArrivals {
                asked_iops: interval.asked_iops(job),
                done_iops: done as f64 / duration.as_secs_f64().max(1e-9),
                backlog_count: interval.interval.backlog.get(index).copied().unwrap_or_default(),
            };
            LiveJob {
                name: job.name.clone(),
                role: job.role,
                arrivals: (job.arrival != Arrival::Closed).then_some(arrivals),
                streams: Streams::of_ops(ops),
            }
        });
        Self {
            total: Streams::together(&all),
            together: Together::of_parts(&all, duration.as_secs_f64()),
            roles: interval.plan.roles().into_iter().map(of_role).collect(),
            jobs: jobs.collect(),
        }
    }
}

impl LiveRow {
    fn of(interval: &LiveInterval<'_>, role: Option<Role>) -> Self {
        let is_of_it = |job: &Job| role.is_none_or(|role| job.role == role);
        let jobs = || interval.jobs().filter(|(_, job, _)| is_of_it(job));
        // Of a role alone: a sum of I/Os and commits would be neither.
        let counts_commits = role.is_some() && jobs().any(|(_, job, _)| job.group_commit.is_some());
        let mut all = OpCounts::default();
        for (_, _, counts) in jobs() {
            // Histograms are merged and asked once: percentiles of several jobs cannot be averaged.
            let JobCounts { read, write, commit, .. } = counts;
            let ops = if counts_commits { [commit.as_ref(), None] } else { [read.as_ref(), write.as_ref()] };
            ops.into_iter().flatten().for_each(|op| all.merge(op));
        }
        // A sum stands for all of it only where every job has a rate, of what is counted here.
        let asked: Option<Vec<f64>> = jobs()
            .filter(|(_, job, _)| !counts_commits || job.group_commit.is_some())
            .map(|(_, job, _)| {
                interval.expected_iops(job).filter(|_| job.group_commit.is_some() == counts_commits)
            })
            .collect();
        Self {
            role,
            counts_commits,
            figures: Figures::new(&all, interval.interval.duration),
            asked_iops: asked.filter(|rates| !rates.is_empty()).map(|rates| rates.iter().sum()),
        }
    }
}

/// A load that is over, in the figures of its measured phase: what a stream says of each of many.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadFigures {
    /// Length of the measured phase.
    pub measured_s: Option<f64>,
    /// All jobs together.
    pub total: Streams,
    /// Reads and writes as one; absent where nothing was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// All jobs of a role together.
    pub roles: BTreeMap<Role, Streams>,
    /// Each job, in the order of the plan.
    pub jobs: Vec<JobSummary>,
}

impl LoadFigures {
    /// The figures that the summary of the same record has.
    pub fn of(record: &RunRecord) -> Self {
        let subject = Subject::of_run(record);
        Self {
            measured_s: subject.measured_s(),
            total: Streams::of(&subject),
            together: Together::of(&subject),
            roles: by_role(&subject),
            jobs: JobSummary::all(&subject),
        }
    }
}

/// The share of the full load at a step, on average; before the first one it is that which the first begins with.
fn share_of(plan: &Plan, step: usize) -> f64 {
    match step.checked_sub(1) {
        None => plan.steps.first().map_or(1.0, |first| first.first_share()),
        Some(index) => plan.steps.get(index).or(plan.steps.last()).map_or(1.0, |step| step.mean_share()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use iotrial_model::load::{GroupCommit, LogTail, Spacing};
    use iotrial_model::units::ByteSize;

    use super::*;
    use crate::test_record::{counts, healthy};

    fn second(jobs: Vec<JobCounts>) -> Interval {
        Interval {
            phase: PhaseKind::Measure,
            start: Duration::from_secs(4),
            duration: Duration::from_secs(1),
            jobs,
            backlog: vec![7],
        }
    }

    /// Reads of the first job and writes of the second one in a second.
    fn jobs(reads: u64, writes: u64) -> Vec<JobCounts> {
        let of = |count| Some(counts(count, Duration::from_micros(500)));
        vec![
            JobCounts { read: of(reads), ..JobCounts::default() },
            JobCounts { write: of(writes), ..JobCounts::default() },
        ]
    }

    #[test]
    fn an_interval_has_the_figures_of_the_summary_under_their_names() {
        let mut plan = healthy().plan;
        plan.jobs[0].arrival = Arrival::Open { iops: 20_000.0, spacing: Spacing::Poisson, bursts: None };
        let interval = second(jobs(16_000, 2_000));
        let mut load = LiveLoad::default();
        load.start(&plan);
        let live = load.interval(&plan, &interval);
        let json = serde_json::to_value(live.figures()).unwrap();
        assert_eq!(json["total"]["read"]["iops"], 16_000.0);
        assert_eq!(json["together"]["iops"], 18_000.0);
        assert_eq!(json["jobs"][0]["arrivals"]["asked_iops"], 20_000.0);
        assert_eq!(json["jobs"][0]["arrivals"]["done_iops"], 16_000.0);
        assert_eq!(json["jobs"][0]["arrivals"]["backlog_count"], 7);
        assert!(json["jobs"][1].get("arrivals").is_none());
        // What the summary of a run calls so is called so here.
        let record = healthy();
        let summary =
            serde_json::to_value(LoadFigures::of(&RunRecord { jobs: jobs(1, 1), ..record })).unwrap();
        for key in ["total", "together", "roles", "jobs"] {
            assert!(json.get(key).is_some() && summary.get(key).is_some(), "{key}");
        }
    }

    #[test]
    fn a_row_tells_the_rate_that_is_asked_for_only_where_all_of_it_has_one() {
        let mut plan = healthy().plan;
        plan.jobs[0].arrival = Arrival::Open { iops: 20_000.0, spacing: Spacing::Poisson, bursts: None };
        let interval = second(jobs(16_000, 2_000));
        let asked = |plan: &Plan| -> Vec<Option<f64>> {
            LiveLoad::default().interval(plan, &interval).rows().iter().map(|row| row.asked_iops).collect()
        };
        // Of each role, and of both.
        assert_eq!(asked(&plan), [Some(20_000.0), None, None]);
        // What follows has the rate that follows.
        plan.jobs[1].arrival = Arrival::Following { job: 0, per: FollowedOp::Any, ratio: 0.125 };
        assert_eq!(asked(&plan), [Some(20_000.0), Some(2_500.0), Some(22_500.0)]);
        plan.jobs[1].arrival = Arrival::Open { iops: 2_000.0, spacing: Spacing::Poisson, bursts: None };
        assert_eq!(asked(&plan), [Some(20_000.0), Some(2_000.0), Some(22_000.0)]);
    }

    #[test]
    fn a_group_commit_shows_its_commits_and_not_the_writes_that_carry_them() {
        let mut plan = healthy().plan;
        plan.jobs[1].group_commit = Some(GroupCommit {
            commit_size: ByteSize::bytes(700),
            largest_write: ByteSize::kib(60),
            tail: LogTail::Pad,
        });
        plan.jobs[1].arrival = Arrival::Open { iops: 9_000.0, spacing: Spacing::Poisson, bursts: None };
        let mut both = jobs(16_000, 2_000);
        both[1].commit = Some(counts(8_500, Duration::from_millis(1)));
        let interval = second(both);
        let mut load = LiveLoad::default();
        let live = load.interval(&plan, &interval);
        let [_, log, all] = live.rows() else { panic!("{:?}", live.rows()) };
        assert!(log.counts_commits);
        assert_eq!((log.figures.iops, log.asked_iops), (Some(8_500.0), Some(9_000.0)));
        assert_eq!(log.figures.lat_mean_us, Some(1_000.0));
        assert_eq!((all.figures.iops, all.asked_iops), (Some(18_000.0), None));
    }

    #[test]
    fn time_left_is_that_of_all_loads_where_there_are_several() {
        let plan = healthy().plan;
        let interval = second(jobs(1, 1));
        let mut load = LiveLoad::default();
        load.layout(3, 10);
        assert_eq!(load.phase(), LivePhase::Layout);
        load.layout(10, 10);
        load.start(&plan);
        assert_eq!(load.interval(&plan, &interval).left(), plan.duration() - Duration::from_secs(5));
        load.say_left(Duration::from_secs(10_000));
        assert_eq!(load.interval(&plan, &interval).left(), Duration::from_secs(9_995));
        load.finish();
        assert_eq!((load.left(), load.phase(), load.count()), (Duration::ZERO, LivePhase::None, 1));
    }
}
