//! The load whose rate is sought, in fixed proportions: at saturation, and at any share of what it did there.

use iotrial_model::load::{Role, Spacing};
use iotrial_model::need::Need;
use iotrial_model::plan::{Arrival, Job, MOST_OUTSTANDING_PER_THREAD, Phase, Plan};
use iotrial_model::profile::MOST_COMMITS_PER_S;
use iotrial_model::subject::{Facts, Subject, SubjectJob};
use iotrial_model::units::ByteSize;

use super::SearchError;

/// The slots of an open job: twice as many as its closed load had, and some more. At up to 1.05 times the
/// rate at saturation fewer than 1.05 times as many are in flight on average, unless they queue in the
/// device; their number then varies by its root, so that an I/O finds no slot only behind a queue that
/// decides without it.
const SLOTS_PER_OUTSTANDING: u32 = 2;
const MORE_SLOTS: u32 = 16;
/// Their buffers take no more memory than this.
const MOST_BUFFERS: ByteSize = ByteSize::gib(1);

/// A plan whose jobs keep their proportions at every rate.
#[derive(Debug, Clone)]
pub(super) struct Mix {
    /// As it was asked for, but that jobs which follow one of another role are free where the need names their role.
    pub(super) plan: Plan,
    /// IOPS by job at a share of 1; empty before the closed load was made. They are those at saturation, or the needed mix scaled to
    /// the same sum.
    base: Vec<f64>,
}

impl Mix {
    /// The mix of a plan, or, where a need names roles, one in which each of them has a rate of its own.
    ///
    /// # Errors
    ///
    /// When every job has a rate already, or when the need is for other roles than the plan's.
    pub(super) fn new(mut plan: Plan, need: Option<&Need>) -> Result<Self, SearchError> {
        // A job with a rate of its own keeps it, as a checkpoint or a backup beside the load does; but something has to be sought.
        let has_rate = |job: &&Job| matches!(job.arrival, Arrival::Open { .. });
        if let Some(job) = plan.jobs.iter().find(has_rate).filter(|_| !plan.jobs.iter().any(is_sought)) {
            return Err(SearchError::HasRate { job: job.name.clone() });
        }
        if let Some(Need::ByRole(roles)) = need {
            release(&mut plan, roles);
            check_roles(roles, &plan)?;
        }
        Ok(Self { plan, base: Vec::new() })
    }

    /// The load that shows the rate at saturation, in the plan's own time.
    pub(super) fn saturating(&self) -> Plan {
        let mut plan = self.plan.clone();
        // Steps are shares of a rate that is not known yet.
        (plan.steps, plan.need) = (Vec::new(), None);
        for job in plan.jobs.iter_mut().filter(|job| is_sought(job) && job.group_commit.is_some()) {
            job.arrival = Arrival::Open { iops: MOST_COMMITS_PER_S, spacing: Spacing::Uniform, bursts: None };
        }
        plan
    }

    /// The load at a share of that rate, with Poisson arrivals.
    pub(super) fn open_at(&self, share: f64, phases: Vec<Phase>) -> Plan {
        let mut plan = self.plan.clone();
        for (job, iops) in self.rates(share) {
            plan.jobs[job].arrival = Arrival::Open { iops, spacing: Spacing::Poisson, bursts: None };
        }
        give_slots(&mut plan);
        plan.phases = phases;
        plan
    }

    /// The same before any rate is known: with the slots and the phases of such a load, and with the arrivals of the plan.
    pub(super) fn open_without_rates(&self, phases: Vec<Phase>) -> Plan {
        let mut plan = self.plan.clone();
        give_slots(&mut plan);
        plan.phases = phases;
        plan
    }

    /// What each job did in a second of a load of this mix.
    pub(super) fn rates_done(&self, subject: &Subject<'_>) -> Vec<f64> {
        let measured_s = subject.measured.unwrap_or_default().as_secs_f64();
        subject.jobs.iter().map(|done| count_of(done) as f64 / measured_s).collect()
    }

    /// Takes the rates at saturation for a share of 1, in the proportions that are needed.
    ///
    /// # Errors
    ///
    /// When a job did nothing.
    pub(super) fn saturated_at(&mut self, rates: &[f64], need: Option<&Need>) -> Result<(), SearchError> {
        let mut jobs = self.plan.jobs.iter().zip(rates);
        if let Some((job, _)) = jobs.find(|(job, iops)| is_sought(job) && **iops <= 0.0) {
            return Err(SearchError::Idle { job: job.name.clone() });
        }
        self.base = rates.to_vec();
        if let Some(Need::ByRole(roles)) = need {
            self.scale_to(roles);
        }
        Ok(())
    }

    /// By job, the rate of those that get one.
    pub(super) fn rates(&self, share: f64) -> impl Iterator<Item = (usize, f64)> {
        // Of the jobs whose rate is sought only: jobs that follow take theirs from the one they follow.
        let jobs = self.plan.jobs.iter().zip(&self.base).enumerate();
        jobs.filter(|(_, (job, _))| is_sought(job)).map(move |(index, (_, iops))| (index, iops * share))
    }

    /// The I/Os a second of all jobs at that share: what follows others keeps its proportion to them.
    pub(super) fn total_rate(&self, share: f64) -> f64 {
        share * self.base.iter().sum::<f64>()
    }

    /// Gives every role its needed part of the same sum. What a role needs is divided among its jobs as at saturation.
    fn scale_to(&mut self, roles: &[(Role, f64)]) {
        let saturation: f64 = self.base.iter().sum();
        let needed: f64 = roles.iter().map(|(_, iops)| iops).sum();
        let sums: Vec<(Role, f64)> = roles
            .iter()
            .map(|(role, iops)| {
                let jobs = self.plan.jobs.iter().zip(&self.base).filter(|(job, _)| job.role == *role);
                let sum: f64 = jobs.map(|(_, base)| base).sum();
                (*role, saturation / needed * iops / sum)
            })
            .collect();
        for (job, base) in self.plan.jobs.iter().zip(&mut self.base) {
            if let Some((_, factor)) = sums.iter().find(|(role, _)| *role == job.role) {
                *base *= factor;
            }
        }
    }
}

/// Frees the jobs that follow one of another role: each role has a rate of its own then.
fn release(plan: &mut Plan, roles: &[(Role, f64)]) {
    let role_of: Vec<Role> = plan.jobs.iter().map(|job| job.role).collect();
    for job in &mut plan.jobs {
        let Arrival::Following { job: leader, .. } = job.arrival else { continue };
        let is_named = roles.iter().any(|(role, iops)| *role == job.role && *iops > 0.0);
        if is_named && role_of.get(leader).is_some_and(|role| *role != job.role) {
            job.arrival = match job.group_commit {
                Some(_) => {
                    Arrival::Open { iops: MOST_COMMITS_PER_S, spacing: Spacing::Uniform, bursts: None }
                }
                None => Arrival::Closed,
            };
        }
    }
}

/// What is needed of a role that the plan does not have would be needed of nobody.
fn check_roles(roles: &[(Role, f64)], plan: &Plan) -> Result<(), SearchError> {
    let is_planned = |role: Role| plan.jobs.iter().any(|job| job.role == role && is_sought(job));
    let unknown: Vec<String> = roles
        .iter()
        .filter(|(role, iops)| *iops > 0.0 && !is_planned(*role))
        .map(|(role, _)| format!("`{role}`"))
        .collect();
    if unknown.is_empty() { Ok(()) } else { Err(SearchError::NoSuchRole { roles: unknown.join(", ") }) }
}

/// Gives the open jobs enough slots that no I/O waits for one of them, as far as memory and queues allow:
/// what an I/O waits is then due to the device, whatever the closed load had outstanding. The log of a group
/// commit keeps its depth: there waiting is what makes the groups.
fn give_slots(plan: &mut Plan) {
    let mut roomy = plan.jobs.clone();
    // A closed one has no rate yet.
    let has_rate = |job: &&mut Job| !matches!(job.arrival, Arrival::Following { .. });
    for job in roomy.iter_mut().filter(has_rate).filter(|job| job.group_commit.is_none()) {
        let slots = SLOTS_PER_OUTSTANDING * job.total_iodepth() + MORE_SLOTS;
        job.iodepth = slots.div_ceil(job.numjobs);
    }
    let slots: u32 = roomy.iter().map(Job::total_iodepth).sum();
    // Buffers are allocated for every slot before the load.
    let buffers: ByteSize = roomy.iter().map(|job| job.largest_io() * u64::from(job.total_iodepth())).sum();
    if slots <= MOST_OUTSTANDING_PER_THREAD && buffers <= MOST_BUFFERS {
        plan.jobs = roomy;
    }
}

/// Whether a rate is sought for a job: it has none, or it is a log whose commits arrive at one.
pub(super) fn is_sought(job: &Job) -> bool {
    match job.arrival {
        Arrival::Closed => true,
        Arrival::Open { bursts, .. } => job.group_commit.is_some() && bursts.is_none(),
        Arrival::Following { .. } => false,
    }
}

/// How many I/Os of a job count: what arrived, so of a log that commits in groups its commits. How many of them share a write changes with
/// the rate, and a load in which they share more has not left anything undone.
fn count_of(done: &SubjectJob<'_>) -> u64 {
    done.arrivals().filter_map(Facts::io_count).sum()
}
