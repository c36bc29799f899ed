//! The search for the highest rate of a mix that stays within limits on latency, and for whether a needed rate does, as a function of
//! what was found so far.
//!
//! A closed load first shows each job's rate at saturation: its share of the mix, and about where to look. Then every
//! job gets its share of a rate as an open load with Poisson arrivals. Each load makes one side of its rate more probable
//! (`rate_search/belief.rs`); the next one is made in the middle of what is left. When both ends are close, a longer run confirms the lower one. A
//! rate that is needed is decided first, by a long run and short ones until they agree.
//!
//! The time is known before, and is one whole: what laying out has left of it is what the loads may take, the repeats of doubtful ones
//! among them. A load that no longer fits is not begun, and the answer is then a bound, or that there was no time for one.
//!
//! Latencies run from the time at which an I/O was due, and one that was never issued, or not back at the
//! end, counts as one that waited until then. The commits of a group commit have no closed load: at first
//! more arrive than the log can take, so that every write is full; then their rate is sought like any other.

use std::time::Duration;

use iotrial_model::finding::{Doubts, FindingId};
use iotrial_model::need::Need;
use iotrial_model::plan::{Phase, Plan};
use iotrial_model::record::Interval;
use iotrial_model::search::{NotHeld, Probe, ProbeKind, Search};
use iotrial_model::subject::{Subject, SubjectJob};
use iotrial_words::search::not_held;

use crate::findings::Observed;

mod answer;
mod assess;
mod belief;
mod early_end;
mod error;
mod limits;
mod mix;
mod times;
mod wanted;

use assess::{Assessed, assess, rarest_stream, worst_latency};
use belief::{Belief, TRUST_IN_CONFIRMATION, TRUST_IN_DOUBTED, TRUST_IN_PROBE};
pub use early_end::EarlyEnd;
pub use error::SearchError;
pub use limits::Limits;
use mix::Mix;
use times::{GAP, Room, Times};

/// How far the two ends may lie apart, as a quotient: the highest rate that is carried as surely as [`CONFIDENCE`] says, and the
/// lowest that is not.
// A choice. Each halving costs a load of seconds to minutes, and two runs of one device rarely agree to
// better than a few percent. Documented and tested as «within 5 %».
const BRACKET: f64 = 1.05;
/// How sure each of the two ends is.
const CONFIDENCE: f64 = 0.95;
/// Where the ends are still further apart than this when the loads are used up, the loads disagree and there is no answer.
// One step of a good threshold set is a factor of 1.5 to 2 in latency; a tenth in rate decides no purchase.
const WIDEST_ANSWER: f64 = 1.10;
/// The most short loads that look for the highest rate.
// A quiet device needs nine or ten; where loads were misled the longer runs decide the rest.
const MOST_PROBES: usize = 10;
/// The same where a needed rate was decided before, and only the headroom is still open: two ends within a tenth will do.
const MOST_PROBES_OF_HEADROOM: usize = 10;
/// How sure a needed rate is decided: a long run and a probe that agree are at 99.7 %.
const CONFIDENCE_OF_NEED: f64 = 0.99;
/// The most loads at a needed rate, before it is said that they disagree.
const MOST_LOADS_AT_NEED: usize = 6;
/// When there are no more, this part of the I/Os of all of them decides.
// A choice. Loads that fail end early, so that a side with two thirds of the I/Os outlasted the other.
const MOST_OF_IOS: f64 = 2.0 / 3.0;
/// Share of the rate at saturation below which nothing is sought: latency there is the device's own, without
/// waiting.
// A closed load with hundreds of outstanding I/Os does a hundred times what a small database needs.
const LOWEST_SHARE: f64 = 0.005;
/// Share of the rate at saturation above which nothing is sought: an open load does no more than a closed
/// one, except in a burst.
// A little above 1, because the rate at saturation is itself measured over ten seconds at most.
const HIGHEST_SHARE: f64 = 1.05;
/// So many later ones are part of the time of a search that is longer than the usual one.
const SPARE_CONFIRMATIONS: u32 = 3;
/// All that a run takes, layout and repeats included, unless a load of its own length does not fit: a longer `--duration`, or a
/// percentile that needs a longer one.
// Whoever types the shortest command waits for it. Shorter would cost the search its spare loads.
const USUAL_TIME: Duration = Duration::from_secs(120);
/// What a search needs at least to have an answer on a quiet device, beside the layout: so many probes, and a longer run.
const LEAST_PROBES: u32 = 6;
/// For what comes before and behind the loads: looking at the targets, the record, the report, removing files.
const AROUND_LOADS: Duration = Duration::from_secs(3);
/// The most loads in all. Those in doubt are made again later, as long as there is time.
const MOST_LOADS: usize = 40;
/// A load of which the generator left too few I/Os alone goes on for so many times its time at most.
// A choice. Beside as many busy processes as CPUs a quarter to a half of the I/Os are left alone.
const LONGER: u32 = 4;
/// The most longer runs that look for a rate that lasts.
const MOST_CONFIRMATIONS: usize = 12;
/// A load that did less than this part of what was asked of it was beyond what the device does.
// Poisson arrivals of a few thousand vary by one or two percent.
const OVERRUN: f64 = 0.97;

/// A search, as far as it got.
#[derive(Debug, Clone)]
pub struct RateSearch {
    mix: Mix,
    limits: Limits,
    search: Search,
    /// The rarest stream at saturation, and its IOPS.
    rarest: (String, f64),
    /// The share of reads in all I/Os and commits of the last load.
    read_share: Option<f64>,
    /// By load, the I/Os that the device did for each I/O or commit that counts: fewer than one where commits shared a log write.
    on_device: Vec<f64>,
    /// By load, its rate in the last second that was measured.
    last_iops: Vec<f64>,
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
    /// How long it is measured at most, where its own time does not decide it.
    pub longest: Duration,
}

impl NextLoad {
    /// The plan of what was measured for so long: where it went on, that was its plan.
    pub fn plan_of(&self, measured: Duration) -> Plan {
        let mut plan = self.plan.clone();
        plan.set_measured(plan.measured().max(measured));
        plan
    }
}

impl RateSearch {
    /// A search with the mix of `plan`, or with the one that is needed.
    ///
    /// # Errors
    ///
    /// When every job has a rate already, when the need is for other roles than the plan's, or when nothing of the load has a limit.
    pub fn new(limits: Limits, need: Option<Need>, plan: Plan) -> Result<Self, SearchError> {
        let mix = Mix::new(plan, need.as_ref())?;
        limits.check(&mix.plan)?;
        let search = Search {
            limit: limits.named(),
            limit_differs: false,
            need,
            probes: Vec::new(),
            carries_need: None,
            result: None,
            time_ran_out: false,
        };
        Ok(Self {
            mix,
            limits,
            search,
            rarest: (String::new(), 0.0),
            read_share: None,
            on_device: Vec::new(),
            last_iops: Vec::new(),
        })
    }

    /// What was tried and found so far.
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// The plan of the long load at a given rate, whose record becomes that of the run, before any rate is known: its phases, and the
    /// slots that it has. With steps it is the plan of the steps.
    pub fn long_load(&self) -> Plan {
        let phases = match self.has_staircase() {
            true => self.mix.plan.phases.clone(),
            false => self.times().phases_of_confirmation(),
        };
        self.mix.open_without_rates(phases)
    }

    /// How long the closed load takes that shows the rate at saturation, with its ramp.
    pub fn time_of_closed_load(&self) -> Duration {
        self.times().saturation()
    }

    /// All that the run may take, with `layout` for its files: two minutes, or where its loads are longer than usual the most that
    /// they take together.
    ///
    /// It is known before the first load. Only a percentile that needs more time than anybody could know before the rate at
    /// saturation makes it longer.
    pub fn whole_time(&self, layout: Duration) -> Duration {
        let times = self.times();
        if self.has_staircase() {
            return layout + times.saturation() + self.mix.plan.duration() + GAP * 2 + AROUND_LOADS;
        }
        let (probes, later) = match self.search.need {
            Some(_) => (MOST_PROBES_OF_HEADROOM + MOST_LOADS_AT_NEED - 1, 0),
            None => (MOST_PROBES, SPARE_CONFIRMATIONS),
        };
        let probes = u32::try_from(probes).unwrap_or(u32::MAX);
        let loads = |probes: u32, later: u32| {
            let least_s = self.least_s().max(times.shortest_probe_s());
            let probe = times.probe_of(least_s) * probes;
            times.saturation() + probe + times.confirmation(0) + times.confirmation(1) * later
        };
        let all = loads(probes, later);
        if all <= USUAL_TIME {
            let least = loads(LEAST_PROBES, 0) + GAP * (LEAST_PROBES + 2);
            return USUAL_TIME.max(layout + least + AROUND_LOADS);
        }
        layout + all + GAP * (probes + later + 2) + AROUND_LOADS
    }

    /// What is left for loads when `spent` of the whole time is over, the layout included.
    pub fn left(&self, layout: Duration, spent: Duration) -> Duration {
        self.whole_time(layout).saturating_sub(spent + AROUND_LOADS)
    }

    /// How long a load has to be for the rarest stream, as far as that is known, in seconds.
    fn least_s(&self) -> f64 {
        let (stream, iops) = &self.rarest;
        if *iops <= 0.0 {
            return 0.0;
        }
        self.times().for_statistic((stream, iops * LOWEST_SHARE.max(0.5))).map_or(0.0, |(_, least_s)| least_s)
    }

    /// The phases of a load at a share, as long as there is room for; `None` where there is not.
    fn phases(
        &self,
        kind: ProbeKind,
        share: f64,
        earlier: usize,
        left: Duration,
    ) -> Result<Option<Vec<Phase>>, SearchError> {
        let times = self.times();
        let reserved = self.reserved(kind, earlier);
        let tried = self.of_kind(ProbeKind::Probe).count();
        let probes = MOST_PROBES.max(MOST_PROBES_OF_HEADROOM).saturating_sub(tried).max(1);
        let room = Room { left: left.saturating_sub(reserved + GAP), probes };
        let (stream, iops) = &self.rarest;
        times.phases(kind, earlier, (stream, iops * share), room)
    }

    /// What a load leaves of the time: the longer run is the answer and its record, and no probe may take its time.
    fn reserved(&self, kind: ProbeKind, earlier: usize) -> Duration {
        let is_before = kind == ProbeKind::Probe && self.search.need.is_none() && earlier == 0;
        if is_before { self.times().least_of_confirmation() + GAP } else { Duration::ZERO }
    }

    /// How long a load may go on that is `measure` long and leaves so much: in whole seconds, as intervals are.
    fn longest(&self, kind: ProbeKind, measure: Duration, left: Duration) -> Duration {
        let reserved = self.reserved(kind, self.whole_confirmations()) + GAP;
        let spare = Duration::from_secs(left.saturating_sub(reserved).as_secs());
        measure + spare.min(measure * (LONGER - 1))
    }

    /// Whether a load is of those that go on, and end early: not the long one at a needed rate, whose length is what was asked for.
    fn may_end_anywhere(&self, kind: ProbeKind) -> bool {
        kind == ProbeKind::Probe || kind == ProbeKind::Confirmation && self.search.need.is_none()
    }

    fn times(&self) -> Times {
        Times::of(&self.mix.plan, &self.limits, self.search.need.is_some())
    }

    /// The next load, which with its own gap takes no longer than is `left`; `None` when the search is at its end, or its time is.
    ///
    /// # Errors
    ///
    /// When the statistic needs more time than there is.
    pub fn next_load(&mut self, left: Duration) -> Result<Option<NextLoad>, SearchError> {
        let (kind, share, mut plan) = if self.search.probes.is_empty() {
            if self.times().saturation() + GAP > left {
                self.end_of_time();
                return Ok(None);
            }
            let mut plan = self.mix.saturating();
            self.times().shorten_saturation(&mut plan);
            (ProbeKind::Saturation, None, plan)
        } else {
            let mut fitting = None;
            let mut left_out = None;
            let earlier = self.whole_confirmations();
            // In the order of what they are worth: what does not fit any more leaves its time to the next.
            for (kind, share) in self.wanted(left) {
                if let Some(phases) = self.phases(kind, share, earlier, left)? {
                    fitting = Some((kind, Some(share), self.mix.open_at(share, phases)));
                    break;
                }
                left_out = Some(kind);
            }
            if left_out.is_some() {
                self.end_of_time();
            } else if let Some(share) = self.step_up()
                && fitting.is_none()
                // As long as the first one, where there is time: it becomes the record when it holds.
                && let Some(phases) = self.phases(ProbeKind::Confirmation, share, 0, left)?
            {
                fitting = Some((ProbeKind::Confirmation, Some(share), self.mix.open_at(share, phases)));
            }
            let Some(load) = fitting else { return Ok(None) };
            load
        };
        let longest = match self.may_end_anywhere(kind) {
            true => self.longest(kind, plan.measured(), left.saturating_sub(plan.duration())),
            false => plan.measured(),
        };
        // Another seed each time, or every probe would read the same offsets in the same order and find what
        // the last one left in a cache.
        plan.seed = plan.seed.wrapping_add(self.search.probes.len() as u64);
        // The backlog is read interval by interval, so intervals have to be short whatever the profile says.
        plan.interval = Duration::from_secs(1);
        Ok(Some(NextLoad { kind, share, plan, longest }))
    }

    /// Once the closed load has shown the mix: the plan's steps as shares of the needed rate. `None` before, and without steps or need.
    pub fn staircase(&self) -> Option<Plan> {
        let share = self.need_share().filter(|_| !self.mix.plan.steps.is_empty())?;
        let mut plan = self.mix.open_at(share, self.mix.plan.phases.clone());
        plan.seed = plan.seed.wrapping_add(1);
        Some(plan)
    }

    /// Whether steps of the needed rate are asked for, and not the highest rate.
    pub fn has_staircase(&self) -> bool {
        !self.mix.plan.steps.is_empty()
    }

    /// Takes down that loads were wanted for which there was no time, and what the answer is without them.
    fn end_of_time(&mut self) {
        self.search.time_ran_out = true;
        self.search.carries_need = self.search.carries_need.or_else(|| self.need_by_ios());
        self.search.result = self.result();
    }

    /// Whoever looks at a load while it lasts, and ends it when it cannot stay within its limits any more, or has its time and is
    /// decided; `None` of one whose record may be that of the search also when it does not.
    pub fn early_end(&self, load: &NextLoad) -> Option<EarlyEnd> {
        let is_long = load.kind == ProbeKind::Confirmation;
        self.may_end_anywhere(load.kind)
            .then(|| EarlyEnd::of(&load.plan, load.longest, &self.limits, is_long))
    }

    /// The share that is the needed rate; `None` without a need, and before the closed load.
    fn need_share(&self) -> Option<f64> {
        let total = self.mix.total_rate(1.0);
        self.search.need.as_ref().filter(|_| total > 0.0).map(|need| need.total_iops() / total)
    }

    /// Takes what the load of [`RateSearch::next_load`] brought, which must have come to its end: `subject` has the jobs of its
    /// plan, in that order.
    ///
    /// # Errors
    ///
    /// When the closed load gave a job no rate.
    pub fn note(&mut self, load: &NextLoad, subject: &Subject<'_>) -> Result<&Probe, SearchError> {
        let duration = subject.measured.unwrap_or_default();
        let rates = self.mix.rates_done(subject);
        let assessed = match load.share {
            None => {
                self.mix.saturated_at(&rates, self.search.need.as_ref())?;
                self.rarest = rarest_stream(&load.plan, subject);
                let (worst, _) = worst_latency(&load.plan, subject, &self.limits, false);
                Assessed {
                    worst: worst.map(|one| one.latency),
                    why_not: None,
                    is_sure: true,
                    is_by_generator: false,
                }
            }
            Some(_) => assess(&load.plan, subject, &self.limits),
        };
        let Assessed { worst, why_not, is_sure, is_by_generator } = assessed;
        // A load of which nothing could be judged is neither within its limits nor beyond them.
        let is_open = load.share.is_some() && worst.is_none() && why_not.is_none();
        let why_not = why_not.or(is_open.then_some(NotHeld::TooFewIos));
        let asked_iops = load.share.map(|share| self.mix.total_rate(share));
        let iops: f64 = rates.iter().sum();
        self.last_iops.push(iops * last_second_to_all(subject));
        self.search.probes.push(Probe {
            kind: load.kind,
            share: load.share,
            asked_iops,
            iops,
            lat_mean_us: mean_latency_us(subject),
            duration,
            worst,
            held: load.share.filter(|_| !is_open).map(|_| why_not.is_none()),
            why_not: why_not.as_ref().map(not_held),
            doubts: asked_iops.map_or_else(Doubts::default, |asked| {
                let doubts = Observed::of(subject).doubts((1.0 - iops / asked).max(0.0));
                match (is_sure, is_by_generator && doubts.is_empty()) {
                    (true, _) => doubts.without_generator(),
                    (false, true) => std::iter::once(FindingId::LateIssues).collect(),
                    (false, false) => doubts,
                }
            }),
        });
        let count = |facts: &dyn Fn(&SubjectJob<'_>) -> u64| subject.jobs.iter().map(facts).sum::<u64>();
        let reads = count(&|job| job.ops.read.and_then(|read| read.io_count()).unwrap_or_default());
        let writes = count(&|job| job.ops.write.and_then(|write| write.io_count()).unwrap_or_default());
        let on_device = (reads + writes) as f64 / duration.as_secs_f64();
        self.on_device.push(if iops > 0.0 { on_device / iops } else { 1.0 });
        if iops > 0.0 {
            // The mix of any load is that of all: rates keep their proportions.
            self.read_share = Some((reads as f64 / duration.as_secs_f64() / iops).min(1.0));
        }
        self.search.carries_need = self.need_decided();
        if self.loads_that_count_at_need() >= MOST_LOADS_AT_NEED {
            self.search.carries_need = self.search.carries_need.or_else(|| self.need_by_ios());
        }
        self.search.result = self.result();
        Ok(self.search.probes.last().expect("it was pushed above"))
    }

    /// What all loads so far say together.
    fn belief(&self) -> Belief {
        // A needed rate may lie at or above what the closed load reached: so much further is looked then.
        let highest = self.need_share().map_or(HIGHEST_SHARE, |need| HIGHEST_SHARE.max(WIDEST_ANSWER * need));
        let lowest = self.need_share().map_or(LOWEST_SHARE, |need| LOWEST_SHARE.min(need / 2.0));
        let mut belief = Belief::new(lowest, highest);
        for probe in &self.search.probes {
            let (Some(share), Some(held)) = (probe.share, probe.held) else { continue };
            let end = match held || is_doubted(probe) {
                true => share,
                false => self.overrun(probe).map_or(share, |did| did.min(share)),
            };
            belief.learn(end, held, trust(probe));
        }
        belief
    }

    /// The share just above what the load did, where that is clearly less than it asked: what a device does not do when more is asked of it
    /// it does not carry, so that the load says more than that its own rate was too high.
    fn overrun(&self, probe: &Probe) -> Option<f64> {
        let did = self.done(probe);
        let is_less = probe.asked_iops.is_some_and(|asked| did < OVERRUN * asked);
        is_less.then(|| did / (OVERRUN * self.mix.total_rate(1.0)))
    }

    /// The rate that a load did. Of a longer run that ended early it is that of its last second: all of it together would be a burst and
    /// what followed it, or a moment of nothing and what made up for it.
    fn done(&self, probe: &Probe) -> f64 {
        let number = self.search.probes.iter().position(|one| std::ptr::eq(one, probe));
        let last = number.and_then(|number| self.last_iops.get(number)).copied();
        last.filter(|_| probe.kind == ProbeKind::Confirmation && !Times::is_whole(probe))
            .unwrap_or(probe.iops)
    }

    /// Longer runs that were not ended early: each of them had the time that one has.
    fn whole_confirmations(&self) -> usize {
        self.of_kind(ProbeKind::Confirmation).filter(|probe| Times::is_whole(probe)).count()
    }

    /// Whether the needed rate is carried, once the loads at it agree; those in doubt do not count.
    fn need_decided(&self) -> Option<bool> {
        let need = self.need_share()?;
        // The product of odds, as a sum of logarithms.
        let odds: f64 = self
            .loads_at(need)
            .filter(|probe| !is_doubted(probe))
            .map(|probe| {
                let trust = trust(probe);
                let odds = (trust / (1.0 - trust)).ln();
                if probe.held == Some(true) { odds } else { -odds }
            })
            .sum();
        (odds.abs() >= (CONFIDENCE_OF_NEED / (1.0 - CONFIDENCE_OF_NEED)).ln()).then_some(odds > 0.0)
    }

    /// The same when no other load comes: the side that did most of the I/Os of all loads at the needed rate, where there is one.
    fn need_by_ios(&self) -> Option<bool> {
        let need = self.need_share()?;
        let ios = |held: bool| -> f64 {
            let loads = self.loads_at(need).filter(|probe| probe.held == Some(held) && !is_doubted(probe));
            loads.map(Probe::ios_done).sum()
        };
        let (held, failed) = (ios(true), ios(false));
        (held.max(failed) > 0.0 && held.max(failed) >= MOST_OF_IOS * (held + failed)).then_some(held > failed)
    }

    /// Loads at the needed rate that are beyond doubt.
    fn loads_that_count_at_need(&self) -> usize {
        self.need_share().map_or(0, |need| self.loads_at(need).filter(|probe| !is_doubted(probe)).count())
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

/// Whether a load did not hold beside something else that may be why. One that held has no doubts: others can only have made it slower.
const fn is_doubted(probe: &Probe) -> bool {
    matches!(probe.held, Some(false)) && !probe.doubts.is_empty()
}

/// How often a load like that tells the truth.
const fn trust(probe: &Probe) -> f64 {
    match probe.kind {
        _ if is_doubted(probe) => TRUST_IN_DOUBTED,
        ProbeKind::Confirmation => TRUST_IN_CONFIRMATION,
        ProbeKind::Probe | ProbeKind::Saturation => TRUST_IN_PROBE,
    }
}

fn is_same(a: f64, b: f64) -> bool {
    // Shares are computed again by the same formulas; only rounding can differ.
    (a - b).abs() < 1e-9
}

/// The rate of the last second that was measured, as a share of that of all of them; 1 where there is none.
fn last_second_to_all(subject: &Subject<'_>) -> f64 {
    let rate = |intervals: &mut dyn Iterator<Item = &Interval>| {
        let (mut count, mut seconds) = (0.0, 0.0);
        for one in intervals {
            let ops = one.jobs.iter().flat_map(|job| job.read.iter().chain(&job.write));
            count += ops.map(|op| op.io_count() as f64).sum::<f64>();
            seconds += one.duration.as_secs_f64();
        }
        (count > 0.0 && seconds > 0.0).then(|| count / seconds)
    };
    let all = rate(&mut subject.measured_intervals());
    let last = rate(&mut subject.measured_intervals().last().into_iter());
    all.zip(last).map_or(1.0, |(all, last)| last / all)
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
