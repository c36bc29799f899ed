//! A machine with volumes for each pool, and the best of them so far.

use super::volume::VolumeOption;
use super::{Space, same_cost};

/// What is added to a bound before a branch ends: costs that differ by less count as the same.
pub(super) const SAME_COST: f64 = 2e-6;

/// Volumes that one pool, or several which share limits or a price, may have on a machine.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// A month, in the money of the sum.
    pub(super) cost: f64,
    /// Volumes that are bought.
    pub(super) count: u32,
    /// Rules that warn of it.
    pub(super) warnings: usize,
    /// Of each of the pools.
    pub(super) volumes: Vec<VolumeOption>,
}

/// A machine with volumes for each pool.
#[derive(Debug, Clone)]
pub(super) struct Pick {
    pub(super) machine: usize,
    /// On which lane each pool lies.
    pub(super) lanes: Vec<usize>,
    pub(super) chosen: Choice,
    /// Cost of machine, licence and volumes a month, in the money of the sum.
    pub(super) cost: f64,
}

/// The best so far, in order; at most `count`, and one of each machine and choice of lanes.
pub(super) struct Best {
    count: usize,
    pub(super) picks: Vec<Pick>,
}

impl Best {
    pub(super) fn of(count: usize) -> Self {
        Self { count, picks: Vec::new() }
    }

    /// The cost from which on nothing gets in.
    pub(super) fn bound(&self) -> f64 {
        match self.picks.last().filter(|_| self.picks.len() >= self.count) {
            Some(last) => last.cost + SAME_COST,
            None => f64::INFINITY,
        }
    }

    pub(super) fn take(&mut self, space: &Space<'_>, pick: Pick) {
        // A machine over two interfaces is one machine: the rows are for other choices.
        let name = |pick: &Pick| space.machines[pick.machine].sized.machine.ordered_name();
        let order = |a: &Pick, b: &Pick| {
            same_cost(a.cost, b.cost)
                .then(a.chosen.count.cmp(&b.chosen.count))
                .then(a.machine.cmp(&b.machine))
                .then(a.lanes.cmp(&b.lanes))
        };
        let same = self.picks.iter().position(|one| one.lanes == pick.lanes && name(one) == name(&pick));
        if let Some(place) = same {
            if order(&pick, &self.picks[place]).is_gt() {
                return;
            }
            self.picks.remove(place);
        }
        let place = self.picks.partition_point(|one| order(one, &pick).is_lt());
        self.picks.insert(place, pick);
        self.picks.truncate(self.count);
    }
}
