//! Which load a search should make next.

use std::time::Duration;

use iotrial_model::search::{Probe, ProbeKind};

use super::belief::Belief;
use super::{
    BRACKET, CONFIDENCE, GAP, HIGHEST_SHARE, LOWEST_SHARE, MOST_CONFIRMATIONS, MOST_LOADS,
    MOST_LOADS_AT_NEED, MOST_PROBES, MOST_PROBES_OF_HEADROOM, RateSearch, WIDEST_ANSWER, is_doubted,
    is_narrow, is_same,
};

/// How sure a rate is that a longer run is tried at.
// As probable as not: the run itself decides. One that is lost ends after some seconds, so that the next lower rate still has its
// time, while one that holds too low a rate costs all of its time and leaves the answer there.
const CONFIDENCE_TO_CONFIRM: f64 = 0.5;
/// The same where there is no time for another one.
const CONFIDENCE_OF_THE_ONLY_ONE: f64 = 0.8;
/// A longer run that did not hold its limits is followed by one so much lower, and the next time by the square of that.
const STEP_DOWN: f64 = 1.04;
/// And one that did hold, where only short loads speak against more, by one so much higher.
// Within what the answer is exact to.
const STEP_UP: f64 = 1.04;
/// After a longer run that did not keep its rate, the next one is made below what that run did achieve.
// A device whose burst has ended does what it can go on doing; a little less leaves room for a queue to empty.
const BELOW_ACHIEVED: f64 = 0.97;

impl RateSearch {
    /// Kind and share of the next load, behind that at saturation: what should be made, and where there is no time for it, what else
    /// would bring the answer on. None at the end of the search.
    pub(super) fn wanted(&self, left: Duration) -> Vec<(ProbeKind, f64)> {
        // The same load again, and any slower one, would have no more I/Os to be judged by: only a longer one has.
        if let Some(last) = self.search.probes.last().filter(|last| last.is_undecided()) {
            let is_short = last.kind == ProbeKind::Probe;
            return last
                .share
                .filter(|_| is_short)
                .map(|share| (ProbeKind::Confirmation, share))
                .into_iter()
                .collect();
        }
        let mut wanted = Vec::new();
        if self.search.probes.len() >= MOST_LOADS {
            return wanted;
        }
        if let Some(need) = self.need_share()
            && self.search.carries_need.is_none()
        {
            let is_first = self.loads_at(need).next().is_none();
            let kind = if is_first { ProbeKind::Confirmation } else { ProbeKind::Probe };
            wanted.extend((self.loads_that_count_at_need() < MOST_LOADS_AT_NEED).then_some((kind, need)));
            return wanted;
        }
        let belief = self.belief();
        let (most, narrow) = match self.search.need {
            Some(_) => (MOST_PROBES_OF_HEADROOM, WIDEST_ANSWER),
            None => (MOST_PROBES, BRACKET),
        };
        let counts = |probe: &&Probe| !self.is_at_need(probe) && !is_doubted(probe);
        let tried = self.of_kind(ProbeKind::Probe).filter(counts).count();
        // Once a longer run was made, short ones would only bring back what it has outlasted.
        let has_confirmation = self.search.need.is_none()
            && self.of_kind(ProbeKind::Confirmation).any(|probe| !is_doubted(probe));
        if tried < most && !has_confirmation && !is_narrow(&belief, narrow) {
            wanted.push((ProbeKind::Probe, belief.median()));
        }
        // The long run at the needed rate is the record; how far above it the device goes on is the word of the probes.
        if self.search.need.is_none() {
            wanted
                .extend(self.next_confirmation(&belief, left).map(|share| (ProbeKind::Confirmation, share)));
        }
        wanted
    }

    /// The share of the next confirmation; `None` where the ends are close, and where no other is left.
    fn next_confirmation(&self, belief: &Belief, left: Duration) -> Option<f64> {
        let times = self.times();
        let is_the_only_one = left < times.least_of_confirmation() + times.later_confirmations();
        let confidence = if is_the_only_one { CONFIDENCE_OF_THE_ONLY_ONE } else { CONFIDENCE_TO_CONFIRM };
        let carried = belief.carried(confidence)?;
        // One in doubt is made again, at what is still believed by then.
        let confirmations: Vec<&Probe> =
            self.of_kind(ProbeKind::Confirmation).filter(|probe| !is_doubted(probe)).collect();
        if confirmations.is_empty() {
            return Some(carried);
        }
        if confirmations.len() >= MOST_CONFIRMATIONS {
            return None;
        }
        if let Some(held) = self.confirmed() {
            let above = self.lowest_not_held(belief, held)?;
            return (above / held > BRACKET + 1e-9).then(|| f64::midpoint(held, above));
        }
        let mut tried: Vec<f64> = confirmations.iter().filter_map(|probe| probe.share).collect();
        tried.dedup_by(|a, b| is_same(*a, *b));
        // A run that kept its rate and missed a limit, where most loads say that the rate is carried, may have met a freeze: once more, and the
        // second rate a third time where that held. After it, it is quicker to go further down.
        let last = confirmations.last()?;
        let is_here =
            |probe: &&&Probe| probe.share.zip(last.share).is_some_and(|(one, other)| is_same(one, other));
        let made = confirmations.iter().filter(is_here).count();
        let is_open = match last.held {
            Some(true) => made == 2 && tried.len() == 2,
            _ => made == 1 && tried.len() <= 2 && self.overrun(last).is_none(),
        };
        if is_open {
            return last.share;
        }
        // What a long run did achieve is the best that is known of what lasts. One that kept its rate and not its limits is only a
        // little too fast.
        let total = self.mix.total_rate(1.0);
        let achieved = confirmations.iter().filter(|probe| self.overrun(probe).is_some());
        let achieved = achieved.map(|probe| BELOW_ACHIEVED * self.done(probe) / total).reduce(f64::min);
        let below = tried
            .iter()
            .copied()
            .reduce(f64::min)
            .map(|share| share / STEP_DOWN.powi(1 << (tried.len() - 1)));
        // The last one that fits has to hold.
        let is_last = left < 2 * (times.confirmation(1) + GAP);
        let sure = belief.carried(CONFIDENCE_OF_THE_ONLY_ONE).filter(|_| is_last);
        let share = [achieved, below, sure].into_iter().flatten().fold(f64::INFINITY, f64::min);
        (share >= LOWEST_SHARE).then_some(share)
    }

    /// The highest share at which a longer run held that those at or below it which did not hold, beyond doubt, do not outweigh, I/O by
    /// I/O: a short one that held does not undo a long one that did not.
    pub(super) fn confirmed(&self) -> Option<f64> {
        let counts = |probe: &&Probe| !is_doubted(probe);
        let all: Vec<(f64, bool, f64)> = self
            .of_kind(ProbeKind::Confirmation)
            .filter(counts)
            .filter_map(|probe| Some((probe.share?, probe.held?, probe.ios_done())))
            .collect();
        let is_carried = |share: &f64| {
            let ios = |is_for: bool| {
                let speaks = |one: &&(f64, bool, f64)| match one.1 {
                    true => is_for && one.0 >= *share - 1e-9,
                    false => !is_for && one.0 <= *share + 1e-9,
                };
                all.iter().filter(speaks).map(|one| one.2).sum::<f64>()
            };
            ios(true) > ios(false)
        };
        all.iter().filter(|one| one.1).map(|one| one.0).filter(is_carried).reduce(f64::max)
    }

    /// A share a little above the one that is the answer, once there is one, and only short loads say that no more is carried. What is
    /// left of the time is well spent on it: near to what a device does, a load of 3 s fails by chance more often than a longer one.
    pub(super) fn step_up(&self) -> Option<f64> {
        if self.search.need.is_some() {
            return None;
        }
        let held: Vec<f64> = self
            .of_kind(ProbeKind::Confirmation)
            .filter(|probe| probe.held == Some(true))
            .filter_map(|probe| probe.share)
            .collect();
        // Once: the next one would only look for luck.
        let [held] = held[..] else { return None };
        let is_near = |probe: &&Probe| probe.share.is_some_and(|share| share <= held * BRACKET);
        let failed = self.of_kind(ProbeKind::Confirmation).filter(|probe| probe.held == Some(false));
        (failed.filter(is_near).count() == 0)
            .then_some(held * STEP_UP)
            .filter(|share| *share <= HIGHEST_SHARE)
    }

    /// The lowest share above `held` that is known not to hold. What a long run did not hold is an end whatever shorter ones said:
    /// credits outlast a probe.
    pub(super) fn lowest_not_held(&self, belief: &Belief, held: f64) -> Option<f64> {
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
}
