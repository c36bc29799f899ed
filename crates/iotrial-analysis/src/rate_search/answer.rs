//! What all loads of a search say together.

use iotrial_model::finding::Doubts;
use iotrial_model::search::{JobRate, Probe, SearchResult};

use super::belief::Belief;
use super::{CONFIDENCE, RateSearch, WIDEST_ANSWER, is_doubted, is_same};

/// Below so many I/Os of the device for each that counts, an answer tells both.
// Two rates that differ by less would be one with a quarrel about its digits.
const SHARED_WRITES: f64 = 0.99;

/// Ends that lie further apart, as a quotient, leave room for another answer between them, and are not the same end seen twice.
pub(super) const APART: f64 = WIDEST_ANSWER * WIDEST_ANSWER;

impl RateSearch {
    /// The highest rate that is carried; `None` where the loads do not show one, or do not agree.
    pub(super) fn result(&self) -> Option<SearchResult> {
        let belief = self.belief();
        let confirmed = self.confirmed();
        let held = match self.search.need {
            // Of a needed rate that is not decided nothing is known either way.
            Some(_) => {
                let carried = belief.carried(CONFIDENCE)?;
                let need = self.need_share()?;
                // What is carried by many loads is not less than what was decided to be; and of lower rates than a need that is not,
                // nothing is known unless one of them held.
                match self.search.carries_need? {
                    true => need.max(carried),
                    false => carried.min(self.highest_held_below(need)?),
                }
            }
            None => match confirmed {
                Some(held) => held,
                // Without a longer run what the short ones agree on is a bound.
                None => self.carried_by_probes(&belief)?,
            },
        };
        let above = self.lowest_not_held(&belief, held);
        let is_wide = above.is_some_and(|above| above / held > APART);
        let is_unconfirmed = self.search.need.is_none() && confirmed.is_none();
        // Where the loads between are missing, were in doubt, or do not agree, the lower end is a bound.
        let above = above.filter(|_| !(is_unconfirmed || is_wide && self.search.need.is_none()));
        let number = self.load_at_or_below(held)?;
        let worst = &self.search.probes[number];
        let held_iops = self.mix.total_rate(held);
        let on_device = self.on_device[number];
        Some(SearchResult {
            held_iops,
            device_iops: (on_device < SHARED_WRITES).then_some(on_device * held_iops),
            read_iops: self.read_share.map(|share| share * held_iops),
            write_iops: self.read_share.map(|share| (1.0 - share) * held_iops),
            confidence_percent: Some(100.0 * belief.probability_of(held).clamp(CONFIDENCE, 0.999)),
            not_held_iops: above.map(|share| self.mix.total_rate(share)),
            not_held_doubts: above.map(|_| self.doubts_above(held)).unwrap_or_default(),
            worst: worst.worst.clone()?,
            job_rates: self
                .mix
                .rates(held)
                .map(|(job, iops)| JobRate { name: self.mix.plan.jobs[job].name.clone(), iops })
                .collect(),
        })
    }

    /// The place of the load that held the rate which is the answer, or the next lower one: its record is that of the run. `None` without an
    /// answer.
    pub fn load_of_answer(&self) -> Option<usize> {
        let total = self.mix.total_rate(1.0);
        self.load_at_or_below(self.search.result.as_ref()?.held_iops / total)
    }

    /// The place of the load that held the highest rate up to a share, and of several the longest.
    fn load_at_or_below(&self, share: f64) -> Option<usize> {
        let is_below = |probe: &Probe| probe.share.is_some_and(|one| one <= share * (1.0 + 1e-9));
        let held =
            self.search.probes.iter().enumerate().filter(|one| one.1.held == Some(true) && is_below(one.1));
        let by_rate = |(_, probe): &(usize, &Probe)| (probe.share, probe.duration);
        let is_faster = |a: &(usize, &Probe), b: &(usize, &Probe)| {
            by_rate(a).partial_cmp(&by_rate(b)).unwrap_or(std::cmp::Ordering::Equal)
        };
        // What a faster one shows is no better than the rate is.
        let all = || self.search.probes.iter().enumerate().filter(|one| one.1.held == Some(true));
        let slowest = || all().filter(|one| one.1.share.is_some()).min_by(is_faster);
        held.max_by(is_faster).or_else(slowest).map(|one| one.0)
    }

    /// The highest rate that short loads carry, where no longer one held: what all loads together are sure of, or what lies so clearly below
    /// the slowest load that failed, in doubt or not, that chance does not explain it; that rate itself where faster loads held, and what was
    /// in the way of others is known.
    fn carried_by_probes(&self, belief: &Belief) -> Option<f64> {
        let shares = |held: bool| {
            let probes = self.search.probes.iter().filter(move |probe| probe.held == Some(held));
            probes.filter_map(|probe| probe.share)
        };
        let sure = belief.carried(CONFIDENCE).map(|carried| carried * (1.0 + 1e-9));
        let below_all = shares(false).reduce(f64::min).map(|failed| failed / APART);
        let is_repeated = |share: f64| shares(true).filter(|one| *one >= share).count() >= 2;
        let carried = |share: &f64| {
            sure.is_some_and(|sure| *share <= sure)
                || below_all.is_some_and(|below| *share <= below) && is_repeated(*share)
        };
        let was_disturbed = self.search.probes.iter().any(is_doubted);
        shares(true).chain(below_all.filter(|_| was_disturbed)).filter(carried).reduce(f64::max)
    }

    /// The highest share below another one at which a load held.
    fn highest_held_below(&self, share: f64) -> Option<f64> {
        let held = self.search.probes.iter().filter(|probe| probe.held == Some(true));
        held.filter_map(|probe| probe.share)
            .filter(|one| *one < share && !is_same(*one, share))
            .reduce(f64::max)
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
}
