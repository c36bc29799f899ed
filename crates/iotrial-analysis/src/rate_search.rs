//! The search for the highest rate that holds a latency limit, as a function of what was found so far.
//!
//! A closed load first shows each job's rate at saturation: its share of the mix, and the ceiling. Then every
//! job gets its share of a rate as an open load with Poisson arrivals, and the rate is bisected: probes are
//! only as long as the limit's statistic needs, and the highest rate that held is confirmed by a longer run.
//! Latencies run from the time at which an I/O was due, and one that was never issued, or not back at the
//! end, counts as one that waited until then. The commits of a group commit have no closed load: at first
//! more arrive than the log can take, so that every write is full; then their rate is sought like any other.

use std::time::Duration;

use iotrial_model::figure::LEAST_BEYOND;
use iotrial_model::finding::Doubts;
use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::latency_limit::{LatencyLimit, LimitStatistic};
use iotrial_model::load::{Role, Spacing};
use iotrial_model::plan::{Arrival, Job, MOST_OUTSTANDING_PER_THREAD, Phase, PhaseKind, Plan};
use iotrial_model::record::{Interval, OpCounts};
use iotrial_model::search::{
    JobRate, Probe, ProbeKind, Search, SearchResult, WorstLatency,
};
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Facts, Subject, SubjectJob};
use iotrial_model::units::ByteSize;

use crate::figures::percentile_us;
use crate::findings::Observed;
use crate::words::{latency_in_words, with_thousands};

/// The bracket between the highest rate that held and the lowest that did not, as a quotient.
// A choice. Each halving costs a probe of seconds to minutes, and two runs of one device rarely agree to
// better than a few percent. Documented and tested as «within 5 %».
const BRACKET: f64 = 1.05;
/// The first probe, as a share of the rate at saturation.
// A choice: at 70 % of saturation queues are noticeable and not yet long.
const FIRST_SHARE: f64 = 0.7;
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
const LONGEST_SATURATION: Duration = Duration::from_secs(10);
/// How long queues may fill before a probe counts.
const PROBE_RAMP: Duration = Duration::from_secs(1);
/// No probe is shorter than this, nor than a hundred times the limit.
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
/// Share of what was due by which a queue may grow before the rate counts as not kept.
// One percent, as for the steady state: below that the queue's ups and downs decide.
const MOST_GROWTH: f64 = 0.01;
/// A queue without drift wanders by no more than this multiple of the root of twice what was due: four
/// standard deviations of arrivals and completions that are both left to chance.
// Arrivals vary by √n and so do completions, together by √(2n). Chance exceeds four deviations once in 30,000
// probes.
const MOST_WANDERING: f64 = 4.0;
/// How many commits a second arrive at saturation: more than any log takes.
const MOST_COMMITS_PER_S: f64 = 5e6;
/// Share of failed I/Os above which it counts as another load.
// As in the finding `io-errors`.
const MOST_ERRORS: f64 = 0.001;
/// How often a load that did not hold is tried in all where something other than the device may have been the
/// limit.
const MOST_DOUBTED_TRIES: usize = 2;
/// The most longer runs.
// Each lasts for the whole `--duration`. Steps down double, so seven of them lead from any share to the
// lowest.
const MOST_CONFIRMATIONS: usize = 8;

/// Why a search cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// A job has a rate of its own.
    #[error("job `{job}` has a rate, and a latency limit looks for one: give either rate or limit")]
    HasRate {
        /// Name of the job that has a rate.
        job: String,
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
        /// The time needed.
        hours: f64,
    },
}

/// A search, as far as it got.
#[derive(Debug, Clone)]
pub struct RateSearch {
    /// The closed load.
    plan: Plan,
    search: Search,
    /// IOPS at saturation by job; empty before that was measured.
    saturation: Vec<f64>,
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
    /// A search with the mix of `plan`.
    ///
    /// # Errors
    ///
    /// When a job has a rate already.
    pub fn new(limit: LatencyLimit, plan: Plan) -> Result<Self, SearchError> {
        let has_rate = |job: &&Job| matches!(job.arrival, Arrival::Open { .. }) && !is_sought(job);
        if let Some(job) = plan.jobs.iter().find(has_rate) {
            return Err(SearchError::HasRate { job: job.name.clone() });
        }
        let search = Search { limit, probes: Vec::new(), result: None };
        Ok(Self { plan, search, saturation: Vec::new(), rarest: (String::new(), 0.0) })
    }

    /// What was tried and found so far.
    pub fn search(&self) -> &Search {
        &self.search
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
                for phase in plan.phases.iter_mut().filter(|phase| phase.kind == PhaseKind::Measure) {
                    phase.duration = phase.duration.min(LONGEST_SATURATION);
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
        let jobs = self.plan.jobs.iter().zip(&self.saturation).enumerate();
        jobs.filter(|(_, (job, _))| is_sought(job)).map(move |(index, (_, iops))| (index, iops * share))
    }

    fn total_rate(&self, share: f64) -> f64 {
        self.rates(share).map(|(_, rate)| rate).sum()
    }

    /// A probe is as long as its statistic needs; a confirmation as long as the plan says, and not shorter
    /// than the least that the statistic needs.
    fn phases(&self, kind: ProbeKind, share: f64) -> Result<Vec<Phase>, SearchError> {
        let planned = |kind| -> Duration {
            self.plan.phases.iter().filter(|one| one.kind == kind).map(|one| one.duration).sum()
        };
        let limit = self.search.limit;
        let (stream, rarest_iops) = &self.rarest;
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
        // The user's `--duration` bounds a probe, but never below what the statistic needs at least.
        let whole_s = planned(PhaseKind::Measure).as_secs_f64();
        let shortest_s = SHORTEST_PROBE_S.max(LEAST_LIMITS_PER_PROBE * limit.latency.as_secs_f64());
        let (ramp, measure_s) = match kind {
            ProbeKind::Confirmation => (planned(PhaseKind::Ramp), whole_s),
            _ => (PROBE_RAMP, wanted_s.max(shortest_s).min(whole_s)),
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
        let rate = |io_count: u64| io_count as f64 / measured_s;
        let (worst, why_not) = match load.share {
            None => {
                // Arrivals, not I/Os: a log that commits in groups is asked for commits.
                self.saturation = subject.jobs.iter().map(|job| rate(arrived_count(job))).collect();
                let mut jobs = self.plan.jobs.iter().zip(&self.saturation);
                let idle = jobs.find(|(job, iops)| is_sought(job) && **iops <= 0.0);
                if let Some((job, _)) = idle {
                    return Err(SearchError::Idle { job: job.name.clone() });
                }
                let rarest = streams(&load.plan).map(|(role, stream)| {
                    let counts = stream.counts_of(subject, Some(role));
                    (format!("{role} {stream}"), rate(counts.io_count()))
                });
                // The rarest at saturation stays the rarest at any share of it, since the mix is kept.
                self.rarest = rarest.min_by(|a, b| a.1.total_cmp(&b.1)).expect("a plan has jobs");
                (worst_latency(&load.plan, subject, self.search.limit.statistic, None).0, None)
            }
            Some(_) => assess(&load.plan, subject, self.search.limit),
        };
        // Of the same jobs that a rate is asked of: what follows them comes on top of both.
        let sought = self.plan.jobs.iter().zip(&subject.jobs).filter(|(job, _)| is_sought(job));
        let iops = rate(sought.map(|(_, done)| arrived_count(done)).sum());
        self.search.probes.push(Probe {
            kind: load.kind,
            share: load.share,
            asked_iops: load.share.map(|share| self.total_rate(share)),
            iops,
            duration,
            worst,
            held: load.share.map(|_| why_not.is_none()),
            why_not,
            doubts: if load.share.is_some() { doubts(subject) } else { Doubts::default() },
        });
        self.search.result = self.result();
        Ok(self.search.probes.last().expect("it was pushed above"))
    }

    /// Kind and share of the next load, behind that at saturation.
    fn next_share(&self) -> Option<(ProbeKind, f64)> {
        if let Some(doubted) = self.doubted() {
            return Some(doubted);
        }
        let Some(held) = self.highest_held(ProbeKind::Probe) else {
            let tries = |share| self.tries(ProbeKind::Probe, share);
            // Where nothing holds, the lowest rate decides, and a single mishap shall not.
            // Twice at the lowest, as the last line of defence; the first share needs one failure only,
            // because the bracket below it is searched anyway.
            return match (tries(FIRST_SHARE), tries(LOWEST_SHARE)) {
                (0, _) => Some((ProbeKind::Probe, FIRST_SHARE)),
                (_, 0 | 1) => Some((ProbeKind::Probe, LOWEST_SHARE)),
                _ => None,
            };
        };
        let failed = self.lowest_failed_above(held, &[ProbeKind::Probe]);
        let top = failed.unwrap_or(HIGHEST_SHARE);
        if is_wide(held, top) {
            return Some((ProbeKind::Probe, f64::midpoint(held, top)));
        }
        match failed {
            None if held < HIGHEST_SHARE => return Some((ProbeKind::Probe, HIGHEST_SHARE)),
            // One mishap must not set the upper end: it is tried again, unless no more was to be expected.
            Some(failed) if failed < 1.0 && self.tries(ProbeKind::Probe, failed) < 2 => {
                return Some((ProbeKind::Probe, failed));
            }
            _ => {}
        }
        self.next_confirmation(held).map(|share| (ProbeKind::Confirmation, share))
    }

    /// The last load, where it did not hold, but that may not be the device's fault, and another try is left.
    fn doubted(&self) -> Option<(ProbeKind, f64)> {
        let last = self.search.probes.last()?;
        let share = last.share.filter(|_| last.held == Some(false) && !last.doubts.is_empty())?;
        let is_spent =
            last.kind == ProbeKind::Confirmation && self.of_kind(last.kind).count() >= MOST_CONFIRMATIONS;
        let is_left = self.tries(last.kind, share) < MOST_DOUBTED_TRIES && !is_spent;
        is_left.then_some((last.kind, share))
    }

    /// The share of the next confirmation, first that of the highest probe that held.
    fn next_confirmation(&self, probed: f64) -> Option<f64> {
        let shares: Vec<f64> = self.of_kind(ProbeKind::Confirmation).map(|(share, _)| share).collect();
        let Some(lowest) = shares.iter().copied().reduce(f64::min) else { return Some(probed) };
        // The last answer stands: that none held is reported as such.
        if shares.len() >= MOST_CONFIRMATIONS {
            return None;
        }
        match self.highest_held(ProbeKind::Confirmation) {
            Some(held) => {
                let top = self.lowest_failed_above(held, &[ProbeKind::Probe, ProbeKind::Confirmation]);
                top.filter(|top| is_wide(held, *top)).map(|top| f64::midpoint(held, top))
            }
            // Each step down is twice as large as the one before.
            None if lowest <= LOWEST_SHARE => None,
            None => {
                // A doubted confirmation is repeated at the same share; it is one step, not two.
                let mut tried = shares;
                tried.dedup_by(|a, b| is_same(*a, *b));
                // 1, 2, 4, … steps of 5 %: small where the probe was nearly right, and few where it was not.
                let steps = 1 << (tried.len() - 1);
                Some((lowest / BRACKET.powi(steps)).max(LOWEST_SHARE))
            }
        }
    }

    fn result(&self) -> Option<SearchResult> {
        let held = self.highest_held(ProbeKind::Confirmation)?;
        let above = self.lowest_failed_above(held, &[ProbeKind::Probe, ProbeKind::Confirmation]);
        let is_it = |probe: &&Probe| {
            // A share that failed first and held when repeated counts by the run that held.
            probe.kind == ProbeKind::Confirmation && probe.share == Some(held) && probe.held == Some(true)
        };
        let job_rates = self.rates(held);
        Some(SearchResult {
            held_iops: self.total_rate(held),
            not_held_iops: above.map(|share| self.total_rate(share)),
            not_held_doubts: above.map(|share| self.doubts_at(share)).unwrap_or_default(),
            worst: self.search.probes.iter().find(is_it)?.worst.clone()?,
            job_rates: job_rates
                .map(|(job, iops)| JobRate { name: self.plan.jobs[job].name.clone(), iops })
                .collect(),
        })
    }

    /// The doubts of the loads that did not hold at a share; none where one of them is beyond doubt.
    fn doubts_at(&self, share: f64) -> Doubts {
        let is_it = |probe: &&Probe| {
            probe.held == Some(false) && probe.share.is_some_and(|other| is_same(other, share))
        };
        let failed: Vec<&Probe> = self.search.probes.iter().filter(is_it).collect();
        // Any failure beyond doubt makes the share the device's fault.
        if failed.iter().any(|probe| probe.doubts.is_empty()) {
            return Doubts::default();
        }
        Doubts::of_all(failed.iter().map(|probe| &probe.doubts))
    }

    /// Share and outcome of every probe of a kind.
    fn of_kind(&self, kind: ProbeKind) -> impl Iterator<Item = (f64, bool)> {
        let probes = self.search.probes.iter().filter(move |probe| probe.kind == kind);
        probes.filter_map(|probe| Some((probe.share?, probe.held?)))
    }

    fn tries(&self, kind: ProbeKind, share: f64) -> usize {
        self.of_kind(kind).filter(|(other, _)| is_same(*other, share)).count()
    }

    fn highest_held(&self, kind: ProbeKind) -> Option<f64> {
        self.of_kind(kind).filter(|(_, held)| *held).map(|(share, _)| share).reduce(f64::max)
    }

    fn lowest_failed_above(&self, held: f64, kinds: &[ProbeKind]) -> Option<f64> {
        let all = kinds.iter().flat_map(|kind| self.of_kind(*kind));
        all.filter(|(share, ok)| !ok && *share > held).map(|(share, _)| share).reduce(f64::min)
    }
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

fn is_same(a: f64, b: f64) -> bool {
    // Shares are computed again by the same formulas; only rounding can differ.
    (a - b).abs() < 1e-9
}

fn is_wide(held: f64, failed: f64) -> bool {
    failed / held > BRACKET + 1e-9
}

/// Whether a rate is sought for a job: it has none, or it is a log whose commits arrive at one.
fn is_sought(job: &Job) -> bool {
    match job.arrival {
        Arrival::Closed => true,
        Arrival::Open { bursts, .. } => job.group_commit.is_some() && bursts.is_none(),
        Arrival::Following { .. } => false,
    }
}

/// What arrived at a job and was done.
fn arrived_count(job: &SubjectJob<'_>) -> u64 {
    job.arrivals().filter_map(Facts::io_count).sum()
}

/// Every role and stream that the plan has, but for the writes of logs that commit in groups: each commit
/// waits for its write, and is what a session waits for.
fn streams(plan: &Plan) -> impl Iterator<Item = (Role, Stream)> {
    plan.roles().into_iter().flat_map(move |role| {
        let jobs = || plan.jobs.iter().filter(move |job| job.role == role);
        let is_in_commits = jobs().filter(|job| job.writes()).all(|job| job.group_commit.is_some());
        let planned = Stream::planned(plan, |job| plan.jobs[job].role == role);
        let judged = planned.into_iter().filter(move |stream| *stream != Stream::Write || !is_in_commits);
        judged.map(move |stream| (role, stream))
    })
}

/// The worst stream of an open load, and why the limit does not hold; `None` where it does.
fn assess(plan: &Plan, subject: &Subject<'_>, limit: LatencyLimit) -> (Option<WorstLatency>, Option<String>) {
    let (worst, missing) = worst_latency(plan, subject, limit.statistic, Some(limit.latency));
    // In this order: with errors it is another load, and with a growing queue the latency is whatever the end
    // of the run makes it.
    let why_not = errors(subject).or_else(|| rate_not_kept(plan, subject)).or(missing).or_else(|| {
        let WorstLatency { role, stream, latency_us } = worst.as_ref()?;
        (*latency_us > limit.latency.as_nanos() as f64 / 1e3)
            .then(|| format!("{} of {role} {stream}s is {}", limit.statistic, latency_in_words(*latency_us)))
    });
    (worst, why_not)
}

/// The findings that tell of another limit than the device.
fn doubts(subject: &Subject<'_>) -> Doubts {
    Observed::of(subject).doubts()
}

fn errors(subject: &Subject<'_>) -> Option<String> {
    let facts = subject.all_facts();
    let failed: u64 = facts.iter().filter_map(|one| one.error_count()).sum();
    let all: u64 = failed + facts.iter().filter_map(|one| one.io_count()).sum::<u64>();
    // Compared as a product, so that no I/O at all does not divide by zero.
    (failed as f64 > MOST_ERRORS * all as f64)
        .then(|| format!("{} of {} I/Os failed", with_thousands(failed as f64), with_thousands(all as f64)))
}

/// What arrives at a job that does not set its own pace, by the second, and how much of that only made its
/// queue longer.
struct Arriving {
    rate: f64,
    growth: f64,
    /// Whether the queue grew all the while, and by more than chance lets it.
    drifts: bool,
}

impl Arriving {
    /// `None` for a closed load. Of a group commit it is commits that arrive.
    fn at(plan: &Plan, subject: &Subject<'_>, index: usize) -> Option<Self> {
        let intervals = subject.intervals.counted();
        // The backlog at the end of the ramp is where the measured phase begins.
        let before = intervals.iter().take_while(|one| one.phase != PhaseKind::Measure).last();
        let backlog = |interval: Option<&Interval>| {
            interval.and_then(|one| one.backlog.get(index)).copied().unwrap_or_default() as f64
        };
        let measured_s = subject.measured?.as_secs_f64();
        let growth = (backlog(intervals.last()) - backlog(before)) / measured_s;
        let rate = match plan.jobs[index].arrival {
            Arrival::Closed => return None,
            Arrival::Open { iops, .. } => iops,
            // What follows has no rate of its own: what arrived is what was done and what is left.
            Arrival::Following { .. } => {
                growth + subject.jobs.get(index).map_or(0, arrived_count) as f64 / measured_s
            }
        };
        let middle = subject.measured_intervals().nth(subject.measured_intervals().count() / 2);
        let grown = [growth * measured_s, backlog(middle) - backlog(before)];
        let wandering = MOST_WANDERING * (2.0 * rate * measured_s).sqrt();
        // A queue that drifts has half of its growth in each half of the time; one that a moment filled has
        // all of it in one.
        let is_even = (0.25..0.75).contains(&(grown[1] / grown[0]));
        Some(Self { rate, growth, drifts: grown[0] > wandering && is_even })
    }
}

/// The queue of a job grew over the measured phase.
fn rate_not_kept(plan: &Plan, subject: &Subject<'_>) -> Option<String> {
    plan.jobs.iter().enumerate().find_map(|(index, job)| {
        let Arriving { rate, growth, drifts } = Arriving::at(plan, subject, index)?;
        // Kept is what arrived less what only made the queue longer.
        let [kept, asked] = [rate - growth, rate].map(with_thousands);
        (drifts || growth > MOST_GROWTH * rate)
            .then(|| format!("job `{}` issued only {kept} of {asked} IOPS", job.name))
    })
}

/// The stream with the highest value of the statistic, and one that has no value. I/Os that waited for longer
/// than `limit` when the load ended count with the least that they can have waited.
fn worst_latency(
    plan: &Plan,
    subject: &Subject<'_>,
    statistic: LimitStatistic,
    limit: Option<Duration>,
) -> (Option<WorstLatency>, Option<String>) {
    let mut worst: Option<WorstLatency> = None;
    let mut missing = None;
    for (role, stream) in streams(plan) {
        let mut counts = stream.counts_of(subject, Some(role));
        if let Some(limit) = limit {
            add_waiting(&mut counts, plan, subject, (role, stream), limit);
        }
        let value = match statistic {
            LimitStatistic::Mean => counts.total_latency.mean_us(),
            LimitStatistic::Percentile(percent) => percentile_us(&counts.total_latency, percent),
        };
        match value {
            None => missing = Some(format!("no {role} {stream} finished")),
            Some(latency_us) if worst.as_ref().is_none_or(|worst| latency_us > worst.latency_us) => {
                worst = Some(WorstLatency { role, stream, latency_us });
            }
            Some(_) => {}
        }
    }
    (worst, missing)
}

/// Adds what was with the device or not even issued at the end, and had waited for longer than `limit` by
/// then. Its latency is longer still. What had waited for less says nothing yet, and could only make the rate
/// look better.
fn add_waiting(
    counts: &mut OpCounts,
    plan: &Plan,
    subject: &Subject<'_>,
    (role, stream): (Role, Stream),
    limit: Duration,
) {
    add_longer(&mut counts.total_latency, &counts.unfinished_age, limit, 1.0);
    for (job, done) in plan.jobs.iter().zip(&subject.jobs).filter(|(job, _)| job.role == role) {
        // What was never issued has no direction yet; the mix divides it.
        let share = stream_share(job, stream);
        done.not_issued_age.into_iter().for_each(|ages| {
            add_longer(&mut counts.total_latency, ages, limit, share);
        });
    }
}

/// Adds a share of those ages that are above the limit.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
fn add_longer(latency: &mut LatencyHistogram, ages: &LatencyHistogram, limit: Duration, share: f64) {
    // What a bucket's share leaves goes to the next one: many buckets hold a single I/O.
    let mut left = 0.0;
    for (age, count) in ages.buckets().filter(|(age, _)| *age > limit) {
        left += count as f64 * share;
        // Rounded down, with the rest carried over, so that no more are added than there are.
        latency.record_n(age, left as u64);
        left -= left.floor();
    }
}

/// The share of what arrives at a job that belongs to the stream.
fn stream_share(job: &Job, stream: Stream) -> f64 {
    let read_share = f64::from(job.rwmix_read_percent) / 100.0;
    match stream {
        Stream::Commit if job.group_commit.is_some() => 1.0,
        _ if job.group_commit.is_some() => 0.0,
        Stream::Read => read_share,
        Stream::Write => 1.0 - read_share,
        Stream::Commit if job.is_commit() => 1.0 - read_share,
        Stream::Commit | Stream::Mixed => 0.0,
    }
}

#[cfg(test)]
mod tests;
