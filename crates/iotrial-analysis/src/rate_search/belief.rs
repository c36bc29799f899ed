//! What the loads of a search say together: how probable it is, rate by rate, that the device's highest rate lies there.
//!
//! A single probe on a noisy host may say anything. Bisection believes each answer for ever, so that one mishap moves the result
//! by half of what is left. Here each load only makes one side more probable (probabilistic bisection: M. Horstein, "Sequential
//! transmission using noiseless feedback", 1963; R. Waeber, P. Frazier, S. Henderson, "Bisection search with noisy responses",
//! 2013): the next one is made where both sides are equally probable, and enough later answers outweigh a wrong one.

/// How often a probe of a few seconds tells the truth.
// A choice. At 0.9 a quiet device takes ten loads, and one misled load in ten still leaves the answer within 5 % in 19 of 20
// searches; with more trust a mishap costs the answer, with less a quiet device costs time.
pub(super) const TRUST_IN_PROBE: f64 = 0.9;
/// How often a load does that did not hold beside something else that may be why.
// Hardly better than chance: it moves the search down for a while, until loads that hold below bring it back, by when what was in the way
// may have passed.
pub(super) const TRUST_IN_DOUBTED: f64 = 0.65;
/// How often a longer run does.
pub(super) const TRUST_IN_CONFIRMATION: f64 = 0.97;
/// One cell is so much wider than what it ends below.
// A fifth of the bracket that is promised, so that rounding to cells stays far below it.
const STEP: f64 = 1.01;

/// The exponent of the share in which the first distribution is uniform.
// A choice: at 1 a capacity of a tenth of saturation takes 14 loads and one of nine tenths 9; at 0.7 none takes more than 12.
const PRIOR: f64 = 0.7;
/// The weight of what lies above the highest share, as a part of all below it.
const ABOVE_HIGHEST: f64 = 0.1;

/// A distribution over the share of the rate at saturation up to which the limit holds.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    /// The shares that may be tried, each [`STEP`] above the one before.
    edges: Vec<f64>,
    /// `weights[i]` is the probability that the highest share lies in `edges[i - 1]..edges[i]`. The first cell lies below all edges: there
    /// not even the lowest holds; the last above all of them. The sum is 1.
    weights: Vec<f64>,
}

impl Belief {
    /// Before any load: every share between the ends is as probable as any other of the same width. `0 < lowest < highest`.
    pub(super) fn new(lowest: f64, highest: f64) -> Self {
        let mut edges: Vec<f64> = std::iter::successors(Some(lowest), |edge| Some(edge * STEP))
            .take_while(|edge| *edge < highest)
            .collect();
        edges.push(highest);
        // Nearly uniform in the share and not in its logarithm: most devices keep their latency until close to saturation, and the first
        // loads then fall where the answer usually is.
        let prior = |share: f64| share.powf(PRIOR);
        let mut weights: Vec<f64> = edges
            .iter()
            .scan(0.0, |below, edge| Some(prior(*edge) - std::mem::replace(below, prior(*edge))))
            .collect();
        // Above the highest share lies what the closed load underrated.
        weights.push(ABOVE_HIGHEST * prior(highest));
        let mut belief = Self { edges, weights };
        belief.normalise();
        belief
    }

    /// Takes an answer: the limit held at `share`, or it did not, with that probability of being true.
    pub(super) fn learn(&mut self, share: f64, held: bool, trust: f64) {
        for (cell, weight) in self.weights.iter_mut().enumerate() {
            // Cell `i` ends at edge `i`. A load at an edge holds if the highest share lies in a cell above it.
            let is_above = cell > 0 && self.edges[cell - 1] >= share * (1.0 - 1e-9);
            *weight *= if is_above == held { trust } else { 1.0 - trust };
        }
        self.normalise();
    }

    fn normalise(&mut self) {
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|weight| *weight /= sum);
    }

    /// The share with both sides equally probable, as well as edges allow: what to try next.
    pub(super) fn median(&self) -> f64 {
        let mut below = 0.0;
        let cell = self.weights.iter().position(|weight| {
            below += weight;
            below >= 0.5
        });
        let cell = cell.unwrap_or_default();
        let is_nearer_below = below - 0.5 > 0.5 - (below - self.weights[cell]);
        let edge = if is_nearer_below { cell.saturating_sub(1) } else { cell };
        self.edges[edge.min(self.edges.len() - 1)]
    }

    /// The highest share that is carried with this probability; `None` where not even the lowest is.
    pub(super) fn carried(&self, probability: f64) -> Option<f64> {
        let mut below = 0.0;
        let cell = self.weights.iter().position(|weight| {
            below += weight;
            below > 1.0 - probability
        })?;
        // All of the cell's own probability may lie at its lower end.
        cell.checked_sub(1).map(|edge| self.edges[edge])
    }

    /// The lowest share that is not carried with this probability; `None` where even the highest may be.
    pub(super) fn not_carried(&self, probability: f64) -> Option<f64> {
        let mut below = 0.0;
        let cell = self.weights.iter().position(|weight| {
            below += weight;
            below >= probability
        })?;
        self.edges.get(cell).copied()
    }

    /// How probable it is that `share` is carried.
    pub(super) fn probability_of(&self, share: f64) -> f64 {
        let is_above = |cell: usize| cell > 0 && self.edges[cell - 1] >= share * (1.0 - 1e-9);
        self.weights.iter().enumerate().filter(|(cell, _)| is_above(*cell)).map(|(_, weight)| weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chances that are the same each time (the golden ratio's multiples are spread evenly, and in no order that a search follows).
    struct Chance(f64);

    impl Chance {
        fn is(&mut self, probability: f64) -> bool {
            self.0 = (self.0 + 0.618_033_988_749_895).fract();
            self.0 < probability
        }
    }

    /// Loads until both ends are within 5 %, sixteen at most, of which each is misled with this probability.
    fn search(truth: f64, misled: f64, chance: &mut Chance) -> (Option<f64>, usize) {
        let mut belief = Belief::new(0.02, 1.05);
        for load in 0..16 {
            let ends = (belief.carried(0.95), belief.not_carried(0.95));
            if let (Some(low), Some(high)) = ends
                && high / low <= 1.05
            {
                return (Some(low), load);
            }
            let share = belief.median();
            belief.learn(share, (share <= truth) != chance.is(misled), TRUST_IN_PROBE);
        }
        (belief.carried(0.95), 16)
    }

    #[test]
    fn a_quiet_device_takes_about_ten_loads_and_the_answer_is_never_above_the_truth() {
        let mut chance = Chance(0.5);
        for step in 3..104 {
            let truth = f64::from(step) / 100.0;
            let (found, loads) = search(truth, 0.0, &mut chance);
            let found = found.unwrap();
            assert!(found <= truth && truth / found < 1.05, "{truth}: {found}");
            assert!(loads <= 14, "{truth}: {loads}");
        }
    }

    #[test]
    fn one_load_in_twenty_that_is_misled_hardly_ever_moves_the_answer_by_more_than_five_percent() {
        let mut chance = Chance(0.3);
        let near = (0..200).filter(|one| {
            let truth = 0.05 + f64::from(*one) / 200.0;
            search(truth, 0.05, &mut chance).0.is_some_and(|found| (found / truth - 1.0).abs() < 0.055)
        });
        let near = near.count();
        assert!(near >= 184, "{near} of 200");
    }

    #[test]
    fn what_nothing_holds_has_no_carried_share_and_what_always_holds_no_other_end() {
        let mut belief = Belief::new(0.02, 1.05);
        for _ in 0..16 {
            belief.learn(belief.median(), false, TRUST_IN_PROBE);
        }
        assert_eq!(belief.carried(0.95), None);
        let mut belief = Belief::new(0.02, 1.05);
        for _ in 0..16 {
            belief.learn(belief.median(), true, TRUST_IN_PROBE);
        }
        assert_eq!(belief.not_carried(0.95), None);
        assert!(belief.carried(0.95).unwrap() >= 1.04);
        assert!(belief.probability_of(1.05) > 0.95);
    }
}
