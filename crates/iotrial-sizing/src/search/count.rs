//! What an answer costs with fewer and with more volumes.

use serde::Serialize;

use super::pick::{Choice, Pick};
use super::placing::{Group, Memo, Placing, Turn, choose, volumes_of, with_share};
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

impl CountPoint {
    /// The most numbers of volumes that are kept for one answer; more rows nobody reads.
    pub const MOST_ROWS: usize = 8;
}

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
        while stairs.len() > CountPoint::MOST_ROWS {
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
    pub(super) fn unpriced_that_carry(&self) -> Vec<String> {
        let placing = Placing::new(self, 1.0);
        let carry = self.unpriced.iter().filter(|machine| placing.carries(machine));
        carry.map(|machine| machine.sized.machine.ordered_name().to_owned()).collect()
    }
}

impl Placing<'_, '_> {
    /// The cheapest with each number of volumes on the lanes of a pick, on whichever machine, where it costs less than with fewer.
    fn by_count(&self, lanes: &[usize]) -> Vec<Pick> {
        let machines = &self.space.machines;
        let mut order: Vec<usize> = (0..machines.len()).collect();
        // The cheapest first: those that come later hardly ever add anything, and end at once.
        order.sort_by(|a, b| same_cost(machines[*a].cost, machines[*b].cost));
        let relaxed = self.relaxed(lanes);
        let is_beaten = |stairs: &[Pick], count: u32, cost: f64| {
            stairs.iter().any(|one| one.chosen.count <= count && !same_cost(cost, one.cost).is_lt())
        };
        let mut stairs: Vec<Pick> = Vec::new();
        for index in order {
            let machine = &machines[index];
            let taken = lanes.iter().enumerate().try_fold(Vec::new(), |taken, (pool, lane)| {
                with_share(machine, &taken, pool, *lane, self.factor)
            });
            if taken.is_none() {
                continue;
            }
            if relaxed.iter().all(|(count, cost)| is_beaten(&stairs, *count, machine.cost + cost)) {
                continue;
            }
            let groups = self.groups(machine, index, lanes, &mut Memo::new());
            if groups.iter().any(|group| group.choices.is_empty()) {
                continue;
            }
            choose(&groups, &mut Vec::new(), &mut |chosen, cost, count| {
                let rest = &groups[chosen.len()..];
                let fewest =
                    |group: &Group| group.choices.iter().map(|choice| choice.count).min().unwrap_or(0);
                let cost = machine.cost + cost + rest.iter().map(|group| group.choices[0].cost).sum::<f64>();
                let count = count + rest.iter().map(fewest).sum::<u32>();
                if is_beaten(&stairs, count, cost) {
                    return Turn::Next;
                }
                if chosen.len() == groups.len() && self.is_allowed(machine, lanes, &groups, chosen) {
                    stairs.retain(|one| one.chosen.count < count || same_cost(one.cost, cost).is_lt());
                    let volumes = volumes_of(lanes.len(), &groups, chosen);
                    let chosen = Choice { cost: cost - machine.cost, count, warnings: 0, volumes };
                    stairs.push(Pick { machine: index, lanes: lanes.to_vec(), cost, chosen });
                }
                Turn::Deeper
            });
        }
        stairs.sort_by_key(|one| one.chosen.count);
        stairs
    }

    /// What volumes on these lanes cost at least, whatever the machine forbids: for each number of volumes that costs less than any
    /// smaller number.
    fn relaxed(&self, lanes: &[usize]) -> Vec<(u32, f64)> {
        let mut all = vec![(0, 0.0)];
        for (pool, lane) in lanes.iter().enumerate() {
            let one = &self.space.pools[pool].lanes[*lane];
            let floor = self.floors[pool][*lane];
            let own: Vec<(u32, f64)> = match (one.is_local(), one.kind.shared_by_machine && lanes.len() > 1) {
                (true, _) => vec![(0, floor)],
                (_, true) => vec![(self.space.demand.mirror.copies(), floor)],
                _ => self.options[pool][*lane].iter().map(|option| (option.count, option.cost)).collect(),
            };
            let own = stairs_of(own);
            let with = |before: &(u32, f64)| {
                let (count, cost) = *before;
                own.iter().map(move |one| (count + one.0, cost + one.1)).collect::<Vec<_>>()
            };
            all = stairs_of(all.iter().flat_map(with).collect());
        }
        all
    }
}

/// Of numbers with costs those that cost less than any smaller number.
fn stairs_of(mut all: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut least = f64::INFINITY;
    all.retain(|(_, cost)| {
        let is_less = *cost < least;
        least = least.min(*cost);
        is_less
    });
    all
}
