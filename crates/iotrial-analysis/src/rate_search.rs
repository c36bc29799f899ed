//! The search for the highest rate of a mix that stays within limits on latency, and for whether a needed rate does, as a function of
//! what was found so far.
//!
//! A closed load first shows each job's rate at saturation: its share of the mix, and about where to look. Then every
//! job gets its share of a rate as an open load with Poisson arrivals. Each load makes one side of its rate more probable
//! (`rate_search/belief.rs`); the next one is made in the middle of what is left. When both ends are close, a longer run confirms the lower one. A
//! rate that is needed is decided first, by a long run and short ones until they agree.
//!
//! Latencies run from the time at which an I/O was due, and one that was never issued, or not back at the
//! end, counts as one that waited until then. The commits of a group commit have no closed load: at first
//! more arrive than the log can take, so that every write is full; then their rate is sought like any other.

use std::time::Duration;

use iotrial_model::figure::LEAST_BEYOND;
use iotrial_model::finding::Doubts;
use iotrial_model::latency_limit::LimitStatistic;
use iotrial_model::load::{Role, Spacing};
use iotrial_model::need::Need;
use iotrial_model::plan::{Arrival, Job, MOST_OUTSTANDING_PER_THREAD, Phase, PhaseKind, Plan};
use iotrial_model::search::{JobRate, Probe, ProbeKind, Search, SearchResult};
use iotrial_model::subject::{Facts, Subject, SubjectJob};
use iotrial_model::units::ByteSize;

use crate::findings::Observed;

mod assess;
mod belief;
mod limits;

use assess::{assess, rarest_stream, worst_latency};
use belief::{Belief, TRUST_IN_CONFIRMATION, TRUST_IN_PROBE};
pub use limits::Limits;

/// How far the two ends may lie apart, as a quotient: the highest rate that is carried as surely as [`CONFIDENCE`] says, and the
/// lowest that is not.
// A choice. Each halving costs a load of seconds to minutes, and two runs of one device rarely agree to
// better than a few percent. Documented and tested as «within 5 %».
const BRACKET: f64 = 1.05;
/// How sure each of the two ends is.
const CONFIDENCE: f64 = 0.95;
/// How sure a rate is that a longer run is tried at.
// Less than of the answer: the run itself makes it surer, and where the loads are few or disagree the surest rate lies far below the
// device.
const CONFIDENCE_TO_CONFIRM: f64 = 0.8;
/// Where the ends are still further apart than this when the loads are used up, the loads disagree and there is no answer.
// One step of a good threshold set is a factor of 1.5 to 2 in latency; a tenth in rate decides no purchase.
const WIDEST_ANSWER: f64 = 1.10;
/// The most short loads that look for the highest rate.
// A quiet device needs nine or ten. More would take the search of a quick profile beyond two minutes; where loads were misled the
// longer runs decide the rest.
const MOST_PROBES: usize = 10;
/// The same where a needed rate was decided before, and only the headroom is still open: two ends within a tenth will do.
const MOST_PROBES_OF_HEADROOM: usize = 10;
/// How sure a needed rate is decided: a long run and a probe that agree are at 99.7 %.
const CONFIDENCE_OF_NEED: f64 = 0.99;
/// The most loads at a needed rate, before it is said that they disagree.
const MOST_LOADS_AT_NEED: usize = 6;
/// Share of the rate at saturation below which nothing is sought: latency there is the device's own, without
/// waiting.
const LOWEST_SHARE: f64 = 0.05;
/// Share of the rate at saturation above which nothing is sought: an open load does no more than a closed
/// one, except in a burst.
// A little above 1, because the rate at saturation is itself measured over ten seconds at most.
const HIGHEST_SHARE: f64 = 1.05;
/// How many I/Os should be beyond the percentile before a probe ends. Their number is then exact to 10 % (the
/// square root of 100). With fewer than [`LEAST_BEYOND`] none is judged, however long that takes.
const WANTED_BEYOND: f64 = 100.0;
/// How many I/Os a mean should have.
// A mean of exponential latencies is then exact to 3 %.
const WANTED_FOR_MEAN: f64 = 1_000.0;
/// The longest that the closed load is measured.
// It only gives the mix and a first guess of the rate.
const LONGEST_SATURATION: Duration = Duration::from_secs(6);
/// How long it runs before that, at most.
// Queues of a closed load are full at once; caches and credits are not its business.
const SATURATION_RAMP: Duration = Duration::from_secs(2);
/// How long queues may fill before a probe counts.
const PROBE_RAMP: Duration = Duration::from_secs(1);
/// No probe is shorter than this, nor than a hundred times the limit on one latency.
const SHORTEST_PROBE_S: f64 = 3.0;
// A single stall as long as the limit then touches at most 1 % of the probe.
const LEAST_LIMITS_PER_PROBE: f64 = 100.0;
/// The longest probe, in seconds. A percentile that needs longer is refused.
const LONGEST_PROBE_S: f64 = 3_600.0;
/// The slots of an open job: twice as many as its closed load had, and some more. At up to 1.05 times the
/// rate at saturation fewer than 1.05 times as many are in flight on average, unless they queue in the
/// device; their number then varies by its root, so that an I/O finds no slot only behind a queue that
/// decides without it.
const SLOTS_PER_OUTSTANDING: u32 = 2;
const MORE_SLOTS: u32 = 16;
/// Their buffers take no more memory than this.
const MOST_BUFFERS: ByteSize = ByteSize::gib(1);
/// How many commits a second arrive at saturation: more than any log takes.
const MOST_COMMITS_PER_S: f64 = 5e6;
/// How often a load that did not hold is tried in all where something other than the device may have been the
/// limit.
const MOST_DOUBTED_TRIES: usize = 2;
/// So many later ones are part of the time that is announced.
const SPARE_CONFIRMATIONS: u32 = 3;
/// The most longer runs that look for a rate that lasts.
const MOST_CONFIRMATIONS: usize = 4;
/// Every longer run but the first is shorter by this factor.
// Two of them take less time than the first, and still outlast what a probe of 3 s cannot see.
const LATER_CONFIRMATIONS: f64 = 1.0 / 3.0;
/// None is shorter, in seconds.
const SHORTEST_CONFIRMATION_S: f64 = 10.0;
/// A longer run that did not hold its limits is followed by one so much lower, and the next time by the square of that.
const STEP_DOWN: f64 = 1.04;
/// A load that did less than this part of what was asked of it was beyond what the device does.
// Poisson arrivals of a few thousand vary by one or two percent.
const OVERRUN: f64 = 0.97;
/// After a longer run that did not keep its rate, the next one is made below what that run did achieve.
// A device whose burst has ended does what it can go on doing; a little less leaves room for a queue to empty.
const BELOW_ACHIEVED: f64 = 0.97;

/// Why a search cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// Every job has a rate of its own, so that there is none to be found.
    #[error(
        "job `{job}` has a rate, as all jobs have, and a search looks for one: give either rate or search"
    )]
    HasRate {
        /// Name of the job that has a rate.
        job: String,
    },
    /// The need names roles whose rate the profile does not leave open.
    #[error("the profile has no I/O of {roles} whose rate could be what is needed")]
    NoSuchRole {
        /// Those roles, for the sentence.
        roles: String,
    },
    /// The threshold set has no limit for anything that the load does.
    #[error("`{set}` has no limits for what the load does, so that no rate can be held against it")]
    NoLimits {
        /// The set's name.
        set: String,
    },
    /// The closed load gave no rate.
    #[error("job `{job}` finished no I/O in the closed load that gives its rate")]
    Idle {
        /// Name of the job without a rate.
        job: String,
    },
    /// The statistic needs more I/Os than there can be.
    #[error("{stream}s are too rare for {statistic}: ten of them beyond it take {hours:.0} hours")]
    TooRare {
        /// Role and stream, such as `log commit`.
        stream: String,
        /// The statistic that the limit is set on.
        statistic: LimitStatistic,
        /// How many hours they take at the lowest rate that would be tried.
        hours: f64,
    },
}

/// A search, as far as it got.
#[derive(Debug, Clone)]
pub struct RateSearch {
    /// The closed load.
    plan: Plan,
    limits: Limits,
    search: Search,
    /// IOPS by job at a share of 1; empty before the closed load was made. They are those at saturation, or the needed mix scaled to
    /// the same sum.
    base: Vec<f64>,
    /// The rarest stream at saturation, and its IOPS.
    rarest: (String, f64),
}

/// The next load of a search.
#[derive(Debug, Clone)]
pub struct NextLoad {
    /// What the load is for.
    pub kind: ProbeKind,
    /// As a share of the rate at saturation; `None` for the closed load that measures that rate.
    pub share: Option<f64>,
    /// The plan to run.
    pub plan: Plan,
}

impl RateSearch {
    /// A search with the mix of `plan`, or with the one that is needed.
    ///
    /// # Errors
    ///
    /// When every job has a rate already, when the need is for other roles than the plan's, or when nothing of the load has a limit.
    pub fn new(limits: Limits, need: Option<Need>, mut plan: Plan) -> Result<Self, SearchError> {
        // A job with a rate of its own keeps it, as a checkpoint or a backup beside the load does; but something has to be sought.
        let has_rate = |job: &&Job| matches!(job.arrival, Arrival::Open { .. });
        if let Some(job) = plan.jobs.iter().find(has_rate).filter(|_| !plan.jobs.iter().any(is_sought)) {
            return Err(SearchError::HasRate { job: job.name.clone() });
        }
        if let Some(Need::ByRole(roles)) = &need {
            release(&mut plan, roles);
            check_roles(roles, &plan)?;
        }
        limits.check(&plan)?;
        let search =
            Search { limit: limits.named(), need, probes: Vec::new(), carries_need: None, result: None };
        Ok(Self { plan, limits, search, base: Vec::new(), rarest: (String::new(), 0.0) })
    }

    /// What was tried and found so far.
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// The most that all loads take together, as far as that is known before the closed load; layout and pauses come on top.
    pub fn most_time(&self) -> Duration {
        let probe = PROBE_RAMP + Duration::from_secs_f64(self.shortest_probe_s().ceil());
        let probes = match self.search.need {
            Some(_) => MOST_PROBES_OF_HEADROOM + MOST_LOADS_AT_NEED - 1,
            None => MOST_PROBES,
        };
        let probes = u32::try_from(probes).unwrap_or(u32::MAX);
        let later = if self.search.need.is_none() {
            SPARE_CONFIRMATIONS * self.confirmation_time(1)
        } else {
            Duration::ZERO
        };
        self.saturation_time() + probe * probes + self.confirmation_time(0) + later
    }

    /// The loads so far, ramps included.
    fn spent(&self) -> Duration {
        let ramp = self.planned(PhaseKind::Ramp);
        let of_probe = |probe: &Probe| match probe.kind {
            ProbeKind::Probe => PROBE_RAMP + probe.duration,
            ProbeKind::Confirmation => ramp + probe.duration,
            ProbeKind::Saturation => ramp.min(SATURATION_RAMP) + probe.duration,
        };
        self.search.probes.iter().map(of_probe).sum()
    }

    fn planned(&self, kind: PhaseKind) -> Duration {
        self.plan.phases.iter().filter(|one| one.kind == kind).map(|one| one.duration).sum()
    }

    fn saturation_time(&self) -> Duration {
        let ramp = self.planned(PhaseKind::Ramp).min(SATURATION_RAMP);
        ramp + self.planned(PhaseKind::Measure).min(LONGEST_SATURATION)
    }

    /// How long a confirmation takes after so many others, with its ramp.
    fn confirmation_time(&self, earlier: usize) -> Duration {
        self.confirmation_ramp(earlier) + Duration::from_secs_f64(self.confirmation_s(earlier).ceil())
    }

    /// The first one has the whole ramp; behind it caches are as warm as they get.
    fn confirmation_ramp(&self, earlier: usize) -> Duration {
        let ramp = self.planned(PhaseKind::Ramp);
        if earlier == 0 { ramp } else { ramp.min(SATURATION_RAMP) }
    }

    /// How long it is measured.
    fn confirmation_s(&self, earlier: usize) -> f64 {
        let whole_s = self.planned(PhaseKind::Measure).as_secs_f64();
        let later_s = (LATER_CONFIRMATIONS * whole_s).max(SHORTEST_CONFIRMATION_S).min(whole_s);
        if earlier == 0 { whole_s } else { later_s }
    }

    fn shortest_probe_s(&self) -> f64 {
        let of_limit = self.limits.one_latency().map_or(0.0, |limit| limit.latency.as_secs_f64());
        SHORTEST_PROBE_S.max(LEAST_LIMITS_PER_PROBE * of_limit)
    }

    /// The next load; `None` when the search is at its end.
    ///
    /// # Errors
    ///
    /// When the statistic needs more time than there is.
    pub fn next_load(&self) -> Result<Option<NextLoad>, SearchError> {
        let (kind, share) = match self.next_share() {
            _ if self.search.probes.is_empty() => (ProbeKind::Saturation, None),
            Some((kind, share)) => (kind, Some(share)),
            None => return Ok(None),
        };
        let mut plan = self.plan.clone();
        // Another seed each time, or every probe would read the same offsets in the same order and find what
        // the last one left in a cache.
        plan.seed = plan.seed.wrapping_add(self.search.probes.len() as u64);
        // The backlog is read interval by interval, so intervals have to be short whatever the profile says.
        plan.interval = Duration::from_secs(1);
        match share {
            None => {
                // More commits arrive than the log takes.
                for job in plan.jobs.iter_mut().filter(|job| is_sought(job) && job.group_commit.is_some()) {
                    job.arrival =
                        Arrival::Open { iops: MOST_COMMITS_PER_S, spacing: Spacing::Uniform, bursts: None };
                }
                for phase in &mut plan.phases {
                    phase.duration = match phase.kind {
                        PhaseKind::Measure => phase.duration.min(LONGEST_SATURATION),
                        PhaseKind::Ramp => phase.duration.min(SATURATION_RAMP),
                        PhaseKind::Precondition => phase.duration,
                    };
                }
            }
            Some(share) => {
                for (job, rate) in self.rates(share) {
                    plan.jobs[job].arrival =
                        Arrival::Open { iops: rate, spacing: Spacing::Poisson, bursts: None };
                }
                give_slots(&mut plan);
                plan.phases = self.phases(kind, share)?;
            }
        }
        Ok(Some(NextLoad { kind, share, plan }))
    }

    /// By job, the rate of those that get one.
    fn rates(&self, share: f64) -> impl Iterator<Item = (usize, f64)> {
        // Of the jobs whose rate is sought only: jobs that follow take theirs from the one they follow.
        let jobs = self.plan.jobs.iter().zip(&self.base).enumerate();
        jobs.filter(|(_, (job, _))| is_sought(job)).map(move |(index, (_, iops))| (index, iops * share))
    }

    /// The I/Os a second of all jobs at that share: what follows others keeps its proportion to them.
    fn total_rate(&self, share: f64) -> f64 {
        share * self.base.iter().sum::<f64>()
    }

    /// The share that is the needed rate; `None` without a need, and before the closed load.
    fn need_share(&self) -> Option<f64> {
        let total = self.total_rate(1.0);
        self.search.need.as_ref().filter(|_| total > 0.0).map(|need| need.total_iops() / total)
    }

    /// A probe is as long as its statistic needs; a confirmation as long as the plan says, and not shorter
    /// than the least that the statistic needs.
    fn phases(&self, kind: ProbeKind, share: f64) -> Result<Vec<Phase>, SearchError> {
        let (stream, rarest_iops) = &self.rarest;
        // A set judges each figure only where enough I/Os carry it, so that no probe has to be long for its sake: the confirmation
        // is what judges the rare ones.
        let (wanted_s, least_s) = match self.limits.one_latency() {
            None => (0.0, 0.0),
            Some(limit) => {
                let (wanted, least) = match limit.statistic {
                    // For a mean the least is a tenth of what is wanted, as for percentiles.
                    LimitStatistic::Mean => (WANTED_FOR_MEAN, WANTED_FOR_MEAN * LEAST_BEYOND / WANTED_BEYOND),
                    LimitStatistic::Percentile(percent) => {
                        let beyond = 1.0 - percent / 100.0;
                        (WANTED_BEYOND / beyond, LEAST_BEYOND / beyond)
                    }
                };
                // The rarest stream decides: the limit is on every one of them.
                let (wanted_s, least_s) = (wanted / (rarest_iops * share), least / (rarest_iops * share));
                if least_s > LONGEST_PROBE_S {
                    let (stream, hours) = (stream.clone(), least_s / 3_600.0);
                    return Err(SearchError::TooRare { stream, statistic: limit.statistic, hours });
                }
                (wanted_s, least_s)
            }
        };
        // The user's `--duration` bounds a probe, but never below what the statistic needs at least.
        let whole_s = self.planned(PhaseKind::Measure).as_secs_f64();
        let (ramp, measure_s) = match kind {
            ProbeKind::Confirmation => {
                let earlier = self.of_kind(ProbeKind::Confirmation).count();
                (self.confirmation_ramp(earlier), self.confirmation_s(earlier))
            }
            _ => (PROBE_RAMP, wanted_s.max(self.shortest_probe_s()).min(whole_s)),
        };
        // Whole seconds, because intervals are seconds and a cut one would have its own rate.
        let measure = Duration::from_secs_f64(measure_s.max(least_s).max(1.0).ceil());
        let phases = [(PhaseKind::Ramp, ramp), (PhaseKind::Measure, measure)];
        Ok(phases
            .into_iter()
            .filter(|(_, duration)| !duration.is_zero())
            .map(|(kind, duration)| Phase { kind, duration })
            .collect())
    }

    /// Takes what the load of [`RateSearch::next_load`] brought, which must have come to its end: `subject` has the jobs of its
    /// plan, in that order.
    ///
    /// # Errors
    ///
    /// When the closed load gave a job no rate.
    pub fn note(&mut self, load: &NextLoad, subject: &Subject<'_>) -> Result<&Probe, SearchError> {
        let duration = subject.measured.unwrap_or_default();
        let measured_s = duration.as_secs_f64();
        let rates: Vec<f64> = self
            .plan
            .jobs
            .iter()
            .zip(&subject.jobs)
            .map(|(job, done)| count_of(job, done) as f64 / measured_s)
            .collect();
        let (worst, why_not) = match load.share {
            None => {
                let mut jobs = self.plan.jobs.iter().zip(&rates);
                let idle = jobs.find(|(job, iops)| is_sought(job) && **iops <= 0.0);
                if let Some((job, _)) = idle {
                    return Err(SearchError::Idle { job: job.name.clone() });
                }
                self.base.clone_from(&rates);
                self.scale_to_need();
                self.rarest = rarest_stream(&load.plan, subject);
                let worst = worst_latency(&load.plan, subject, &self.limits, false).0;
                (worst.map(|(worst, _)| worst), None)
            }
            Some(_) => assess(&load.plan, subject, &self.limits),
        };
        self.search.probes.push(Probe {
            kind: load.kind,
            share: load.share,
            asked_iops: load.share.map(|share| self.total_rate(share)),
            iops: rates.iter().sum(),
            lat_mean_us: mean_latency_us(subject),
            duration,
            worst,
            held: load.share.map(|_| why_not.is_none()),
            why_not,
            doubts: if load.share.is_some() { Observed::of(subject).doubts() } else { Doubts::default() },
        });
        self.search.carries_need = self.need_decided();
        self.search.result = self.result();
        let count = |facts: &dyn Fn(&SubjectJob<'_>) -> u64| subject.jobs.iter().map(facts).sum::<u64>();
        let reads = count(&|job| job.ops.read.and_then(|read| read.io_count()).unwrap_or_default());
        let writes = count(&|job| job.ops.write.and_then(|write| write.io_count()).unwrap_or_default());
        if let Some(result) = self.search.result.as_mut().filter(|_| reads + writes > 0) {
            // The mix of any load is that of all: rates keep their proportions.
            let read_iops = result.held_iops * reads as f64 / (reads + writes) as f64;
            (result.read_iops, result.write_iops) = (Some(read_iops), Some(result.held_iops - read_iops));
        }
        Ok(self.search.probes.last().expect("it was pushed above"))
    }

    /// Gives every role its needed part of the same sum. What a role needs is divided among its jobs as at saturation.
    fn scale_to_need(&mut self) {
        let Some(Need::ByRole(roles)) = &self.search.need else { return };
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

    /// Kind and share of the next load, behind that at saturation.
    fn next_share(&self) -> Option<(ProbeKind, f64)> {
        if let Some(again) = self.doubted() {
            return Some(again);
        }
        if let Some(need) = self.need_share()
            && self.search.carries_need.is_none()
        {
            let loads = self.loads_at(need).count();
            let kind = if loads == 0 { ProbeKind::Confirmation } else { ProbeKind::Probe };
            return (loads < MOST_LOADS_AT_NEED).then_some((kind, need));
        }
        let belief = self.belief();
        let (most, wanted) = match self.search.need {
            Some(_) => (MOST_PROBES_OF_HEADROOM, WIDEST_ANSWER),
            None => (MOST_PROBES, BRACKET),
        };
        let tried = self.of_kind(ProbeKind::Probe).filter(|probe| !self.is_at_need(probe)).count();
        // Once a longer run was made, short ones would only bring back what it has outlasted.
        let has_confirmation =
            self.search.need.is_none() && self.of_kind(ProbeKind::Confirmation).next().is_some();
        if tried < most && !has_confirmation && !is_narrow(&belief, wanted) {
            return Some((ProbeKind::Probe, belief.median()));
        }
        // The long run at the needed rate is the record; how far above it the device goes on is the word of the probes.
        if self.search.need.is_some() {
            return None;
        }
        self.next_confirmation(&belief).map(|share| (ProbeKind::Confirmation, share))
    }

    /// The last load, where it did not hold, but that may not be the device's fault, and another try is left.
    fn doubted(&self) -> Option<(ProbeKind, f64)> {
        let last = self.search.probes.last()?;
        let share = last.share.filter(|_| last.held == Some(false) && !last.doubts.is_empty())?;
        let tries = self.loads_at(share).filter(|probe| probe.kind == last.kind).count();
        (tries < MOST_DOUBTED_TRIES).then_some((last.kind, share))
    }

    /// The share of the next confirmation; `None` where the ends are close, and where no other is left.
    fn next_confirmation(&self, belief: &Belief) -> Option<f64> {
        let carried = belief.carried(CONFIDENCE_TO_CONFIRM)?;
        let confirmations: Vec<&Probe> = self.of_kind(ProbeKind::Confirmation).collect();
        // Three more are part of the time that was announced, whatever the probes took.
        let is_in_time = || self.spent() + self.confirmation_time(confirmations.len()) <= self.most_time();
        let is_left = confirmations.len() < MOST_CONFIRMATIONS
            && (confirmations.len() <= SPARE_CONFIRMATIONS as usize || is_in_time());
        if confirmations.is_empty() {
            return Some(carried);
        }
        if !is_left {
            return None;
        }
        let shares = |held: bool| {
            let of = confirmations.iter().filter(move |probe| probe.held == Some(held));
            of.filter_map(|probe| probe.share)
        };
        if let Some(held) = shares(true).reduce(f64::max) {
            let above = self.lowest_not_held(belief, held)?;
            return (above / held > BRACKET + 1e-9).then(|| f64::midpoint(held, above));
        }
        // A run that kept its rate and missed a limit, where most loads say that the rate is carried, may have met a freeze: once more.
        let last = confirmations.last()?;
        let share = last.share?;
        let is_first =
            confirmations.iter().filter(|probe| probe.share.is_some_and(|one| is_same(one, share))).count()
                == 1;
        if is_first && self.overrun(last).is_none() {
            return Some(share);
        }
        // What a long run did achieve is the best that is known of what lasts. One that kept its rate and not its limits is only a
        // little too fast.
        let total = self.total_rate(1.0);
        let achieved = confirmations.iter().filter(|probe| self.overrun(probe).is_some());
        let achieved = achieved.map(|probe| BELOW_ACHIEVED * probe.iops / total).reduce(f64::min);
        let mut tried: Vec<f64> = shares(false).collect();
        tried.dedup_by(|a, b| is_same(*a, *b));
        let below = tried
            .iter()
            .copied()
            .reduce(f64::min)
            .map(|share| share / STEP_DOWN.powi(1 << (tried.len() - 1)));
        let share = [achieved, below].into_iter().flatten().fold(f64::INFINITY, f64::min);
        (share >= LOWEST_SHARE).then_some(share)
    }

    /// The lowest share above `held` that is known not to hold. What a long run did not hold is an end whatever shorter ones said:
    /// credits outlast a probe.
    fn lowest_not_held(&self, belief: &Belief, held: f64) -> Option<f64> {
        let long = self
            .of_kind(ProbeKind::Confirmation)
            .filter(|one| one.held == Some(false) && one.doubts.is_empty());
        let ends = long
            .filter_map(|one| {
                Some(self.overrun(one).map_or(one.share?, |did| did.min(one.share.unwrap_or(did))))
            })
            .chain(belief.not_carried(CONFIDENCE));
        ends.filter(|above| *above > held * (1.0 + 1e-9)).reduce(f64::min)
    }

    /// What all loads so far say together.
    fn belief(&self) -> Belief {
        // A needed rate may lie at or above what the closed load reached: so much further is looked then.
        let highest = self.need_share().map_or(HIGHEST_SHARE, |need| HIGHEST_SHARE.max(WIDEST_ANSWER * need));
        let lowest = self.need_share().map_or(LOWEST_SHARE, |need| LOWEST_SHARE.min(need / 2.0));
        let mut belief = Belief::new(lowest, highest);
        for probe in &self.search.probes {
            let (Some(share), Some(held)) = (probe.share, probe.held) else { continue };
            if self.counts(probe, share, held) {
                let end = if held { share } else { self.overrun(probe).map_or(share, |did| did.min(share)) };
                belief.learn(end, held, trust(probe.kind));
            }
        }
        belief
    }

    /// The share just above what the load did, where that is clearly less than it asked: what a device does not do when more is asked of it
    /// it does not carry, so that the load says more than that its own rate was too high.
    fn overrun(&self, probe: &Probe) -> Option<f64> {
        let did = probe.asked_iops.filter(|asked| probe.iops < OVERRUN * asked).map(|_| probe.iops)?;
        Some(did / (OVERRUN * self.total_rate(1.0)))
    }

    /// Whether a load says something about the device. One that held does, whatever else went on: others can only have made it
    /// slower. One that did not hold beside a doubt does not; but where every try at a rate was in doubt the search has to go on
    /// below, and says that the device may carry more.
    fn counts(&self, probe: &Probe, share: f64, held: bool) -> bool {
        let is_doubted = |probe: &&Probe| probe.held == Some(false) && !probe.doubts.is_empty();
        if held || !is_doubted(&probe) {
            return true;
        }
        // The last of them counts for all.
        let doubted: Vec<&Probe> = self.loads_at(share).filter(is_doubted).collect();
        doubted.len() >= MOST_DOUBTED_TRIES
            && doubted.last().is_some_and(|last| std::ptr::eq(*last, probe))
            && self.need_share().is_none_or(|need| !is_same(need, share))
    }

    /// Whether the needed rate is carried, once the loads at it agree; those in doubt do not count.
    fn need_decided(&self) -> Option<bool> {
        let need = self.need_share()?;
        // The product of odds, as a sum of logarithms.
        let odds: f64 = self
            .loads_at(need)
            .filter(|probe| probe.held == Some(true) || probe.doubts.is_empty())
            .map(|probe| {
                let trust = trust(probe.kind);
                let odds = (trust / (1.0 - trust)).ln();
                if probe.held == Some(true) { odds } else { -odds }
            })
            .sum();
        (odds.abs() >= (CONFIDENCE_OF_NEED / (1.0 - CONFIDENCE_OF_NEED)).ln()).then_some(odds > 0.0)
    }

    fn result(&self) -> Option<SearchResult> {
        let belief = self.belief();
        let held = match self.search.need {
            // Of a needed rate that is not decided nothing is known either way.
            Some(_) => {
                self.search.carries_need?;
                let carried = belief.carried(CONFIDENCE)?;
                // What is carried by many loads is not less than what was decided to be.
                let need = self.need_share().filter(|_| self.search.carries_need == Some(true));
                need.map_or(carried, |need| need.max(carried))
            }
            None => {
                let held = self.of_kind(ProbeKind::Confirmation).filter(|probe| probe.held == Some(true));
                held.filter_map(|probe| probe.share).reduce(f64::max)?
            }
        };
        let above = self.lowest_not_held(&belief, held);
        // Two ends that stay far apart are loads that disagree. Where a need is decided the lower end is still right.
        if self.search.need.is_none()
            && above.is_some_and(|above| above / held > WIDEST_ANSWER * WIDEST_ANSWER)
        {
            return None;
        }
        let nearest = |probe: &&Probe| probe.share.is_some_and(|share| share <= held * (1.0 + 1e-9));
        let worst = self
            .search
            .probes
            .iter()
            .filter(|probe| probe.held == Some(true) && nearest(probe))
            .max_by(|a, b| {
                (a.share, a.duration).partial_cmp(&(b.share, b.duration)).unwrap_or(std::cmp::Ordering::Equal)
            });
        Some(SearchResult {
            held_iops: self.total_rate(held),
            read_iops: None,
            write_iops: None,
            confidence_percent: Some(100.0 * belief.probability_of(held).clamp(CONFIDENCE, 0.999)),
            not_held_iops: above.map(|share| self.total_rate(share)),
            not_held_doubts: above.map(|_| self.doubts_above(held)).unwrap_or_default(),
            worst: worst?.worst.clone()?,
            job_rates: self
                .rates(held)
                .map(|(job, iops)| JobRate { name: self.plan.jobs[job].name.clone(), iops })
                .collect(),
        })
    }

    /// The doubts of the loads that did not hold next above a share; none where one of them is beyond doubt.
    fn doubts_above(&self, held: f64) -> Doubts {
        let failed =
            |probe: &&Probe| probe.held == Some(false) && probe.share.is_some_and(|share| share > held);
        let failed: Vec<&Probe> = self.search.probes.iter().filter(failed).collect();
        // Any failure beyond doubt within the bracket makes the end the device's own.
        let near = |probe: &&&Probe| probe.share.is_some_and(|share| share <= held * WIDEST_ANSWER);
        if failed.iter().filter(near).any(|probe| probe.doubts.is_empty()) {
            return Doubts::default();
        }
        Doubts::of_all(failed.iter().filter(near).map(|probe| &probe.doubts))
    }

    fn of_kind(&self, kind: ProbeKind) -> impl Iterator<Item = &Probe> {
        self.search.probes.iter().filter(move |probe| probe.kind == kind && probe.share.is_some())
    }

    fn loads_at(&self, share: f64) -> impl Iterator<Item = &Probe> {
        let is_it = move |probe: &&Probe| probe.share.is_some_and(|other| is_same(other, share));
        self.search.probes.iter().filter(is_it)
    }

    fn is_at_need(&self, probe: &Probe) -> bool {
        self.need_share().zip(probe.share).is_some_and(|(need, share)| is_same(need, share))
    }
}

/// Whether both ends are known, and lie within that quotient; or whether one end is the end of what is looked at.
fn is_narrow(belief: &Belief, wanted: f64) -> bool {
    match (belief.carried(CONFIDENCE), belief.not_carried(CONFIDENCE)) {
        (Some(carried), Some(not)) => not / carried <= wanted + 1e-9,
        // Nothing above the highest share is looked at, nor below the lowest.
        (Some(carried), None) => carried >= HIGHEST_SHARE / wanted,
        (None, Some(not)) => not <= LOWEST_SHARE * wanted,
        (None, None) => false,
    }
}

/// How often a load of that kind tells the truth.
const fn trust(kind: ProbeKind) -> f64 {
    match kind {
        ProbeKind::Confirmation => TRUST_IN_CONFIRMATION,
        ProbeKind::Probe | ProbeKind::Saturation => TRUST_IN_PROBE,
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

fn is_same(a: f64, b: f64) -> bool {
    // Shares are computed again by the same formulas; only rounding can differ.
    (a - b).abs() < 1e-9
}

/// Gives the open jobs enough slots that no I/O waits for one of them, as far as memory and queues allow:
/// what an I/O waits is then due to the device, whatever the closed load had outstanding. The log of a group
/// commit keeps its depth: there waiting is what makes the groups.
fn give_slots(plan: &mut Plan) {
    let mut roomy = plan.jobs.clone();
    let is_open = |job: &&mut Job| matches!(job.arrival, Arrival::Open { .. });
    for job in roomy.iter_mut().filter(is_open).filter(|job| job.group_commit.is_none()) {
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
fn is_sought(job: &Job) -> bool {
    match job.arrival {
        Arrival::Closed => true,
        Arrival::Open { bursts, .. } => job.group_commit.is_some() && bursts.is_none(),
        Arrival::Following { .. } => false,
    }
}

/// How many I/Os of a job count: what arrived at one that is sought, so of a log that commits in groups its commits; of one that follows
/// the I/Os that the device saw.
fn count_of(job: &Job, done: &SubjectJob<'_>) -> u64 {
    if is_sought(job) {
        return done.arrivals().filter_map(Facts::io_count).sum();
    }
    [done.ops.read, done.ops.write].into_iter().flatten().filter_map(|facts| facts.io_count()).sum()
}

/// Of all I/Os together.
fn mean_latency_us(subject: &Subject<'_>) -> Option<f64> {
    let facts = subject.all_facts();
    let counted = || facts.iter().filter_map(|one| one.counts());
    let io_count: u64 = counted().map(|one| one.io_count()).sum();
    let total_us: f64 =
        counted().filter_map(|one| Some(one.total_latency.mean_us()? * one.io_count() as f64)).sum();
    (io_count > 0).then(|| total_us / io_count as f64)
}

#[cfg(test)]
mod tests;
