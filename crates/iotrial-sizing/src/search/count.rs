//! What an answer costs with fewer and with more volumes.

use serde::Serialize;

use super::pick::Pick;
use super::placing::Placing;
use super::{Space, same_cost};
use crate::configuration::Configuration;

/// The cheapest with a number of volumes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountPoint {
    /// How many volumes are bought; the disk of the machine itself is none of them.
    pub volumes: u32,
    /// What it costs a month.
    pub per_month: f64,
    /// The configuration.
    pub configuration: Configuration,
}

/// More rows than this nobody reads.
const MOST_ROWS: usize = 8;

impl Space<'_> {
    /// For each number of volumes on the kinds of a pick that costs less than any smaller number: the cheapest, on
    /// whichever machine. The pick's own number is among them.
    pub(super) fn by_count(&self, pick: &Pick) -> Vec<CountPoint> {
        let own = pick.chosen.count;
        let mut all = Placing::new(self, 1.0).by_count(&pick.lanes);
        // The answer's own number is the answer, with its machine.
        all.retain(|one| one.chosen.count != own);
        all.push(pick.clone());
        all.sort_by_key(|one| one.chosen.count);
        let mut stairs: Vec<&Pick> = Vec::new();
        for one in &all {
            let is_cheaper = stairs.iter().all(|other| same_cost(one.cost, other.cost).is_lt());
            if is_cheaper || one.chosen.count == own {
                stairs.push(one);
            }
        }
        // What saves the least goes first, but neither the ends nor the answer.
        while stairs.len() > MOST_ROWS {
            let saves = |at: &usize| stairs[at - 1].cost - stairs[*at].cost;
            let between = (1..stairs.len() - 1).filter(|at| stairs[*at].chosen.count != own);
            let Some(least) = between.min_by(|a, b| saves(a).total_cmp(&saves(b))) else { break };
            stairs.remove(least);
        }
        stairs.into_iter().map(|one| self.count_point(one)).collect()
    }

    fn count_point(&self, pick: &Pick) -> CountPoint {
        CountPoint {
            volumes: pick.chosen.count,
            per_month: pick.cost,
            configuration: self.configuration(pick),
        }
    }

    /// The cheapest of all, where it costs less than the answer.
    pub(super) fn without_tolerance(&self, answer: Option<&Pick>) -> Option<CountPoint> {
        let answer = answer.filter(|_| self.search.tolerance > 0.0)?;
        let cheapest = self.cheapest(1.0)?;
        same_cost(cheapest.cost, answer.cost).is_lt().then(|| self.count_point(&cheapest))
    }

    /// Names of the machines without a price that carry the demand with volumes that can be had.
    pub(super) fn unpriced_that_carry(&self) -> Vec<&str> {
        let placing = Placing::new(self, 1.0);
        let carry = self.unpriced.iter().filter(|machine| placing.carries(machine));
        carry.map(|machine| machine.sized.machine.ordered_name()).collect()
    }
}
