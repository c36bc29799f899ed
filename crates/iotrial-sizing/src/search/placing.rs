//! Which volumes for which pool on which machine: every combination that can be the answer, and no others.
//!
//! The price is a sum of machine, licence and volumes, and so is what pools take of a limit of the machine. So each pool has its
//! volumes by itself, the cheapest first; machines come in the order of the least that they could cost with volumes, and a branch
//! ends where its sum cannot get among the answers any more, or a limit is full. What pools share besides, places for volumes and
//! capacity, is asked of the combination; volumes that have their limits or their price together are chosen together
//! ([`super::together`]).

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::machine::{MachineOption, fits};
use super::pick::{Best, Choice, Pick, SAME_COST};
use super::volume::VolumeOption;
use super::{Space, same_cost};
use crate::catalog::{Attached, CapacityLimit, holds_for};
use crate::chain::ROUNDING;

/// Pools that are chosen together, with their choices; the cheapest first.
pub(super) struct Group {
    pools: Vec<usize>,
    pub(super) choices: Rc<Vec<Choice>>,
}

/// The volumes of each pool and lane that suffice for a multiple of the rates, whatever the machine.
pub(super) struct Placing<'p, 's> {
    pub(super) space: &'p Space<'s>,
    pub(super) factor: f64,
    /// For each pool and lane, the cheapest first; empty for what a machine brings itself.
    pub(super) options: Vec<Vec<Vec<VolumeOption>>>,
    /// What each lane costs at least; infinite where it cannot do.
    pub(super) floors: Vec<Vec<f64>>,
}

/// What is looked for first.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    LeastCost,
    FewestVolumes,
}

impl<'p, 's> Placing<'p, 's> {
    pub(super) fn new(space: &'p Space<'s>, factor: f64) -> Self {
        let of_lane = |pool: usize, lane: usize| space.volumes(pool, lane, factor);
        let options: Vec<Vec<Vec<VolumeOption>>> = space
            .pools
            .iter()
            .enumerate()
            .map(|(pool, asked)| (0..asked.lanes.len()).map(|lane| of_lane(pool, lane)).collect())
            .collect();
        let floor = |pool: usize, lane: usize| {
            let one = &space.pools[pool].lanes[lane];
            if one.is_local() {
                return space.local_cost(one);
            }
            // Other pools on it may bring what this one needs, so that only its own capacity is certain.
            if one.kind.shared_by_machine && space.pools.len() > 1 {
                return space.cost_of_capacity(one);
            }
            let costs = options[pool][lane].iter().map(|option| option.cost);
            costs.fold(f64::INFINITY, f64::min)
        };
        let floors = space
            .pools
            .iter()
            .enumerate()
            .map(|(pool, asked)| (0..asked.lanes.len()).map(|lane| floor(pool, lane)).collect())
            .collect();
        Self { space, factor, options, floors }
    }

    /// Of each machine and each choice of kinds the one with the fewest volumes of those within the tolerance of the cheapest; the
    /// cheapest `count` of them.
    pub(super) fn best(&self, count: usize, tolerance: f64) -> Vec<Pick> {
        let machines = &self.space.machines;
        let least: f64 =
            self.floors.iter().map(|lanes| lanes.iter().copied().fold(f64::INFINITY, f64::min)).sum();
        let mut ranges: Vec<(f64, Range<usize>)> = Vec::new();
        for range in self.space.ranges() {
            let own = range.clone().map(|index| machines[index].cost).fold(f64::INFINITY, f64::min);
            ranges.push((own + least, range));
        }
        // Machines of equal cost stay in the order of the catalog.
        ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best = Best::of(count);
        for (floor, range) in ranges {
            if !floor.is_finite() || floor > best.bound() {
                break;
            }
            let mut memo = Memo::new();
            for combination in self.combinations(range, best.bound()) {
                if combination.floor > best.bound() {
                    break;
                }
                if let Some(pick) = self.pick(&combination, tolerance, &mut memo) {
                    best.take(self.space, pick);
                }
            }
        }
        best.picks
    }

    /// The lanes of all pools that sizes of a machine carry together, at no more than `most`; the least floor first.
    fn combinations(&self, range: Range<usize>, most: f64) -> Vec<Combination> {
        let mut found = Vec::new();
        let unloaded: Vec<(usize, Vec<f64>)> = range.map(|index| (index, Vec::new())).collect();
        self.descend(&mut Vec::new(), &unloaded, 0.0, most, &mut found);
        found.sort_by(|a, b| a.floor.total_cmp(&b.floor));
        found
    }

    fn descend(
        &self,
        lanes: &mut Vec<usize>,
        sizes: &[(usize, Vec<f64>)],
        volumes: f64,
        most: f64,
        found: &mut Vec<Combination>,
    ) {
        let machines = &self.space.machines;
        let pool = lanes.len();
        if pool == self.floors.len() {
            let machine = sizes.iter().map(|(index, _)| machines[*index].cost).fold(f64::INFINITY, f64::min);
            let sizes = sizes.iter().map(|(index, _)| *index).collect();
            found.push(Combination { lanes: lanes.clone(), sizes, volumes, floor: machine + volumes });
            return;
        }
        let least = |lanes: &Vec<f64>| lanes.iter().copied().fold(f64::INFINITY, f64::min);
        let to_come: f64 = self.floors[pool + 1..].iter().map(least).sum();
        for (lane, floor) in self.floors[pool].iter().enumerate().filter(|(_, floor)| floor.is_finite()) {
            let with = |(index, taken): &(usize, Vec<f64>)| {
                Some((*index, with_share(&machines[*index], taken, pool, lane, self.factor)?))
            };
            let sizes: Vec<(usize, Vec<f64>)> = sizes.iter().filter_map(with).collect();
            let machine = sizes.iter().map(|(index, _)| machines[*index].cost).fold(f64::INFINITY, f64::min);
            // Infinite where no size carries it.
            if machine + volumes + floor + to_come > most || sizes.is_empty() {
                continue;
            }
            lanes.push(lane);
            self.descend(lanes, &sizes, volumes + floor, most, found);
            lanes.pop();
        }
    }

    /// Whether a machine, priced or not, carries all pools with volumes that can be had.
    pub(super) fn carries(&self, machine: &MachineOption<'_>) -> bool {
        self.carries_from(machine, &mut Vec::new(), &[])
    }

    fn carries_from(&self, machine: &MachineOption<'_>, lanes: &mut Vec<usize>, taken: &[f64]) -> bool {
        let pool = lanes.len();
        if pool == self.floors.len() {
            let mut memo = Memo::new();
            let groups = self.groups(machine, 0, lanes, &mut memo);
            return self.least(machine, &groups, lanes, Wanted::LeastCost, f64::INFINITY).is_some();
        }
        (0..self.floors[pool].len()).filter(|lane| self.floors[pool][*lane].is_finite()).any(|lane| {
            let Some(taken) = with_share(machine, taken, pool, lane, self.factor) else { return false };
            lanes.push(lane);
            let carries = self.carries_from(machine, lanes, &taken);
            lanes.pop();
            carries
        })
    }

    /// Of the sizes of one machine with volumes of these lanes: the fewest volumes within the tolerance of the cheapest.
    fn pick(&self, combination: &Combination, tolerance: f64, memo: &mut Memo) -> Option<Pick> {
        let Combination { lanes, sizes, volumes, .. } = combination;
        let machines = &self.space.machines;
        let mut best_of = |wanted: Wanted, mut most: f64| {
            let mut best: Option<Pick> = None;
            for index in sizes {
                let machine = &machines[*index];
                // Larger sizes cost more, so that most of them end here.
                if machine.cost + volumes > most {
                    continue;
                }
                let groups = self.groups(machine, *index, lanes, memo);
                let Some(chosen) = self.least(machine, &groups, lanes, wanted, most - machine.cost) else {
                    continue;
                };
                let one =
                    Pick { machine: *index, lanes: lanes.clone(), cost: machine.cost + chosen.cost, chosen };
                // The first of equal ones counts, so that the answer never depends on chance.
                let is_better = best.as_ref().is_none_or(|best| {
                    let by_cost = same_cost(one.cost, best.cost);
                    let by_count = one.chosen.count.cmp(&best.chosen.count);
                    let order = match wanted {
                        Wanted::LeastCost => by_cost.then(by_count),
                        Wanted::FewestVolumes => by_count.then(by_cost),
                    };
                    order.then(one.chosen.warnings.cmp(&best.chosen.warnings)).is_lt()
                });
                if is_better {
                    if wanted == Wanted::LeastCost {
                        most = one.cost + SAME_COST;
                    }
                    best = Some(one);
                }
            }
            best
        };
        let cheapest = best_of(Wanted::LeastCost, f64::INFINITY)?;
        // What costs the same up to rounding counts as the same, also without a tolerance.
        best_of(Wanted::FewestVolumes, cheapest.cost * (1.0 + tolerance.max(ROUNDING)))
    }

    /// The best choice of each group, at no more than `most` in all.
    fn least(
        &self,
        machine: &MachineOption<'_>,
        groups: &[Group],
        lanes: &[usize],
        wanted: Wanted,
        most: f64,
    ) -> Option<Choice> {
        if groups.iter().any(|group| group.choices.is_empty()) {
            return None;
        }
        let mut best: Option<(Choice, Vec<usize>)> = None;
        let to_come = |group: usize| -> (f64, u32) {
            let rest = groups[group..].iter();
            // The choices are sorted by cost, not by their number.
            let of = |group: &Group| {
                (group.choices[0].cost, group.choices.iter().map(|choice| choice.count).min().unwrap_or(0))
            };
            rest.map(of).fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        };
        let bounds: Vec<(f64, u32)> = (0..=groups.len()).map(to_come).collect();
        choose(groups, &mut Vec::new(), &mut |chosen, cost, count| {
            let (cost, count) = (cost + bounds[chosen.len()].0, count + bounds[chosen.len()].1);
            if cost > most {
                return Turn::NoMore;
            }
            let is_whole = chosen.len() == groups.len();
            let warnings: usize = if is_whole {
                chosen.iter().zip(groups).map(|(choice, group)| group.choices[*choice].warnings).sum()
            } else {
                0
            };
            if let Some((best, _)) = &best {
                let (by_cost, by_count) = (same_cost(cost, best.cost), count.cmp(&best.count));
                let order = match wanted {
                    Wanted::LeastCost if by_cost.is_gt() => return Turn::NoMore,
                    Wanted::LeastCost => by_cost.then(by_count),
                    Wanted::FewestVolumes => by_count.then(by_cost),
                };
                // Of equal ones the first counts, unless it breaks more rules.
                if !order.then(warnings.cmp(&best.warnings)).is_lt() {
                    return Turn::Next;
                }
            }
            if is_whole && self.is_allowed(machine, lanes, groups, chosen) {
                let volumes = Vec::new();
                best = Some((Choice { cost, count, warnings, volumes }, chosen.to_vec()));
            }
            Turn::Deeper
        });
        let (best, chosen) = best?;
        Some(Choice { volumes: volumes_of(lanes.len(), groups, &chosen), ..best })
    }

    /// The pools that are chosen together, with what each group may have on a machine.
    pub(super) fn groups(
        &self,
        machine: &MachineOption<'_>,
        index: usize,
        lanes: &[usize],
        memo: &mut Memo,
    ) -> Vec<Group> {
        let space = self.space;
        let kind = |pool: usize| space.pools[pool].lanes[lanes[pool]].kind;
        let mut groups = Vec::new();
        for pool in 0..lanes.len() {
            let is_coupled = kind(pool).shared_by_machine || kind(pool).pool.is_some();
            let alike: Vec<usize> = if is_coupled {
                (0..lanes.len()).filter(|other| std::ptr::eq(kind(*other), kind(pool))).collect()
            } else {
                vec![pool]
            };
            if alike[0] != pool {
                continue;
            }
            let choices = if alike.len() == 1 {
                self.alone(machine, index, pool, lanes[pool], memo)
            } else {
                let lanes: Vec<usize> = alike.iter().map(|pool| lanes[*pool]).collect();
                let lists = alike
                    .iter()
                    .zip(&lanes)
                    .map(|(pool, lane)| self.alone(machine, index, *pool, *lane, memo));
                let lists: Vec<Rc<Vec<Choice>>> = lists.collect();
                Rc::new(self.together(machine, &alike, &lanes, &lists))
            };
            groups.push(Group { pools: alike, choices });
        }
        groups
    }

    /// What one pool may have on a machine if nothing else is there, the cheapest first.
    fn alone(
        &self,
        machine: &MachineOption<'_>,
        index: usize,
        pool: usize,
        lane: usize,
        memo: &mut Memo,
    ) -> Rc<Vec<Choice>> {
        let key = (index, pool, lane);
        if let Some(known) = memo.get(&key) {
            return Rc::clone(known);
        }
        let one = &self.space.pools[pool].lanes[lane];
        let local = one.is_local().then(|| self.space.local_option(one, machine)).flatten();
        let options = self.options[pool][lane].iter().chain(&local);
        let mut kept: Vec<Choice> = Vec::new();
        for option in options {
            let cost = option.cost + option.rest;
            let count = if one.is_local() { 0 } else { option.count };
            // What is no better in anything than something cheaper is never part of an answer, whatever the other pools have.
            let beats = |better: &Choice| {
                let kept = &better.volumes[0];
                kept.attachment == option.attachment
                    && better.count <= count
                    // Where capacity has a limit, or is bought for several pools together, less of it may be worth more.
                    && (kept.gib() <= option.gib() || !self.space.counts_capacity(one.kind))
                    && (kept.level == option.level || one.kind.pool.is_none())
            };
            let is_beaten = kept.iter().any(|better| {
                beats(better)
                    && (same_cost(better.cost, cost).is_lt() || better.count < count || better.warnings == 0)
            });
            if is_beaten {
                continue;
            }
            // Whether a rule forbids it is asked last, as that takes the longest.
            let Some(warnings) = self.space.broken(pool, lane, option, machine) else { continue };
            if kept.iter().any(|better| beats(better) && better.warnings <= warnings) {
                continue;
            }
            kept.push(Choice { cost, count, warnings, volumes: vec![option.clone()] });
        }
        // With what a capacity pool has besides, the order may be another.
        kept.sort_by(|a, b| same_cost(a.cost, b.cost).then(a.count.cmp(&b.count)));
        let kept = Rc::new(kept);
        memo.insert(key, Rc::clone(&kept));
        kept
    }

    /// Whether a machine has places for all of it, and takes as much capacity.
    pub(super) fn is_allowed(
        &self,
        machine: &MachineOption<'_>,
        lanes: &[usize],
        groups: &[Group],
        chosen: &[usize],
    ) -> bool {
        let space = self.space;
        let volumes = || {
            groups.iter().zip(chosen).flat_map(|(group, choice)| {
                let volumes = &group.choices[*choice].volumes;
                group
                    .pools
                    .iter()
                    .zip(volumes)
                    .map(|(pool, volume)| (space.pools[*pool].lanes[lanes[*pool]].kind, volume))
            })
        };
        let attached: Vec<Attached<'_>> = volumes()
            .map(|(kind, volume)| {
                let attachment = volume.attachment.map(|index| kind.attachments[index].name.as_str());
                Attached { kind, attachment, count: volume.count }
            })
            .collect();
        let bought: u32 = groups.iter().zip(chosen).map(|(group, choice)| group.choices[*choice].count).sum();
        let holds = |limit: &CapacityLimit| {
            let of_it = volumes().filter(|(kind, _)| holds_for(&limit.volumes, &kind.name));
            of_it.map(|(_, volume)| volume.gib()).fold(0, u64::saturating_add) <= limit.gib_max
        };
        machine.sized.machine.too_many(&attached).is_none()
            && space.search.volumes_max.is_none_or(|most| bought <= most)
            && space.catalog.capacity_limits.iter().all(holds)
    }
}

/// What a combination comes to next.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Turn {
    Deeper,
    Next,
    /// Neither this one nor any that costs more.
    NoMore,
}

/// Lanes of all pools with the sizes of a machine that carry them.
struct Combination {
    lanes: Vec<usize>,
    sizes: Vec<usize>,
    /// What the volumes cost at least.
    volumes: f64,
    /// What it costs at least with the cheapest of the sizes.
    floor: f64,
}

/// What pools may have by themselves, by machine, pool and lane.
pub(super) type Memo = HashMap<(usize, usize, usize), Rc<Vec<Choice>>>;

/// The shares of the limits of a machine with one more pool; `None` where it does not take that, or it is too much.
pub(super) fn with_share(
    machine: &MachineOption<'_>,
    taken: &[f64],
    pool: usize,
    lane: usize,
    factor: f64,
) -> Option<Vec<f64>> {
    let own = machine.shares(pool, lane)?;
    let sum: Vec<f64> = if taken.is_empty() {
        own.to_vec()
    } else {
        taken.iter().zip(own).map(|(taken, own)| taken + own).collect()
    };
    fits(&sum, factor).then_some(sum)
}

/// Visits the combinations of the choices of the groups, the cheapest of each group first, with cost and number so far.
pub(super) fn choose(
    groups: &[Group],
    chosen: &mut Vec<usize>,
    visit: &mut dyn FnMut(&[usize], f64, u32) -> Turn,
) {
    let (cost, count) = chosen.iter().zip(groups).fold((0.0, 0), |(cost, count), (choice, group)| {
        let choice = &group.choices[*choice];
        (cost + choice.cost, count + choice.count)
    });
    let choices = &groups[chosen.len()].choices;
    for (place, one) in choices.iter().enumerate() {
        chosen.push(place);
        let turn = visit(chosen, cost + one.cost, count + one.count);
        if turn == Turn::Deeper && chosen.len() < groups.len() {
            choose(groups, chosen, visit);
        }
        chosen.pop();
        if turn == Turn::NoMore {
            break;
        }
    }
}

/// The volumes of each pool.
pub(super) fn volumes_of(pools: usize, groups: &[Group], chosen: &[usize]) -> Vec<VolumeOption> {
    let mut all: Vec<Option<VolumeOption>> = vec![None; pools];
    for (group, choice) in groups.iter().zip(chosen) {
        for (pool, volume) in group.pools.iter().zip(&group.choices[*choice].volumes) {
            all[*pool] = Some(volume.clone());
        }
    }
    all.into_iter().flatten().collect()
}
