//! What an answer costs with fewer and with more volumes.

use serde::Serialize;

use super::{Pick, Space, same_cost};
use crate::chain::ROUNDING;
use crate::configuration::Configuration;

/// The cheapest with a number of volumes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountPoint {
    /// How many volumes.
    pub volumes: u32,
    /// What it costs a month.
    pub per_month: f64,
    /// The configuration.
    pub configuration: Configuration,
}

/// More rows than this nobody reads.
const MOST_ROWS: usize = 8;

impl Space<'_> {
    /// For each number of volumes of the kind and level of a pick that costs less than any smaller number: the cheapest, on
    /// whichever machine. The pick's own number is among them.
    pub(super) fn by_count(&self, pick: &Pick) -> Vec<CountPoint> {
        let option = &self.kinds[pick.kind];
        let level = &option.kind.levels[pick.volume.level];
        let Some(volumes) = self.volumes(option, level, 1.0) else { return Vec::new() };
        let mut all: Vec<Pick> = Vec::new();
        for volume in &volumes {
            let allowed = self.machines.iter().enumerate().filter(|(_, machine)| {
                machine.reach[pick.kind] >= 1.0 - ROUNDING
                    && self.broken(option.kind, level, volume, &machine.sized).is_some()
            });
            // The answer's own number is the answer, with its machine.
            if volume.count == pick.volume.count {
                continue;
            }
            let cheapest = allowed.min_by(|(_, a), (_, b)| same_cost(a.cost, b.cost));
            let Some((machine, of)) = cheapest else { continue };
            let cost = of.cost + volume.cost;
            all.push(Pick { machine, kind: pick.kind, volume: volume.clone(), cost });
        }
        all.push(pick.clone());
        all.sort_by(|a, b| a.volume.count.cmp(&b.volume.count).then(same_cost(a.cost, b.cost)));
        let mut stairs: Vec<&Pick> = Vec::new();
        for one in &all {
            let is_answer = one.volume.count == pick.volume.count;
            let is_shown = stairs.iter().any(|other| other.volume.count == one.volume.count);
            let is_cheaper = stairs.iter().all(|other| same_cost(one.cost, other.cost).is_lt());
            if !is_shown && (is_cheaper || is_answer) {
                stairs.push(one);
            }
        }
        // What saves the least goes first, but neither the ends nor the answer.
        while stairs.len() > MOST_ROWS {
            let saves = |at: &usize| stairs[at - 1].cost - stairs[*at].cost;
            let between = (1..stairs.len() - 1).filter(|at| stairs[*at].volume.count != pick.volume.count);
            let Some(least) = between.min_by(|a, b| saves(a).total_cmp(&saves(b))) else { break };
            stairs.remove(least);
        }
        let point = |one: &Pick| CountPoint {
            volumes: one.volume.count,
            per_month: one.cost,
            configuration: self.configuration(one),
        };
        stairs.into_iter().map(point).collect()
    }

    /// Names of the machines without a price that carry the demand with volumes that can be had.
    pub(super) fn unpriced_that_carry(&self) -> Vec<&str> {
        let carries = |machine: &super::MachineOption<'_>| {
            self.kinds.iter().zip(&machine.reach).any(|(option, reach)| {
                let levels = option.levels.iter().map(|level| &option.kind.levels[*level]);
                *reach >= 1.0 - ROUNDING
                    && levels.filter_map(|level| Some((level, self.volumes(option, level, 1.0)?))).any(
                        |(level, volumes)| {
                            let sized = &machine.sized;
                            volumes.iter().any(|one| self.broken(option.kind, level, one, sized).is_some())
                        },
                    )
            })
        };
        let carry = self.unpriced.iter().filter(|machine| carries(machine));
        carry.map(|machine| machine.sized.machine.ordered_name()).collect()
    }
}
