//! Volumes of several pools that have their limits or their price together: disks of Google, whose limits follow from the size of
//! all of them on a machine, and capacity pools of Azure NetApp Files, which are bought in whole steps for all volumes of a level.

use std::rc::Rc;

use super::machine::MachineOption;
use super::pick::Choice;
use super::placing::Placing;
use super::same_cost;
use super::volume::{Needs, VolumeOption};
use crate::catalog::{Level, VolumeKind};
use crate::measure::Load;
use crate::price::{pool_rest_cost, volume_cost};

impl Placing<'_, '_> {
    /// What pools on one kind of volume may have together on a machine, the cheapest first; `lists` is what each may have by itself.
    pub(super) fn together(
        &self,
        machine: &MachineOption<'_>,
        pools: &[usize],
        lanes: &[usize],
        lists: &[Rc<Vec<Choice>>],
    ) -> Vec<Choice> {
        let lane = &self.space.pools[pools[0]].lanes[lanes[0]];
        let mut all = if lane.kind.shared_by_machine {
            let levels = lane.levels.iter().filter(|level| {
                // Limits that are shared are those of one level.
                pools
                    .iter()
                    .zip(lanes)
                    .all(|(pool, lane)| self.space.pools[*pool].lanes[*lane].levels.contains(level))
            });
            levels.flat_map(|level| self.sharing_limits(machine, pools, lanes, *level)).collect()
        } else {
            self.sharing_capacity(lane.kind, lists)
        };
        all.sort_by(|a: &Choice, b| {
            same_cost(a.cost, b.cost).then(a.count.cmp(&b.count)).then(a.warnings.cmp(&b.warnings))
        });
        all
    }

    /// Each combination of what the pools may have by themselves, with the capacity that is bought for all of them.
    fn sharing_capacity(&self, kind: &VolumeKind, lists: &[Rc<Vec<Choice>>]) -> Vec<Choice> {
        let mut all = vec![Choice { cost: 0.0, count: 0, warnings: 0, volumes: Vec::new() }];
        for list in lists {
            let with = |before: &Choice| {
                let before = before.clone();
                list.iter().map(move |one| Choice {
                    // Without the rest of a capacity pool of its own.
                    cost: before.cost + one.volumes[0].cost,
                    count: before.count + one.count,
                    warnings: before.warnings + one.warnings,
                    volumes: before.volumes.iter().chain(&one.volumes).cloned().collect(),
                })
            };
            all = all.iter().flat_map(with).collect();
        }
        for choice in &mut all {
            choice.cost += self.rest_of(kind, &choice.volumes);
        }
        all
    }

    /// A month of what the capacity pools of the levels have beyond these volumes, in the money of the sum.
    fn rest_of(&self, kind: &VolumeKind, volumes: &[VolumeOption]) -> f64 {
        let of_level = |(index, level): (usize, &Level)| {
            let gib = volumes.iter().filter(|volume| volume.level == index).map(VolumeOption::gib).sum();
            let rate =
                level.price.as_ref().and_then(|price| self.space.volume_rate(&price.currency)).unwrap_or(0.0);
            pool_rest_cost(kind, level, gib, self.space.hours) * rate
        };
        kind.levels.iter().enumerate().map(of_level).sum()
    }

    /// For each number of volumes the least that they cost, where that is less than with fewer. What they carry depends on the size
    /// of all together, so the pools are as large as their capacity needs, and one of them larger where the rates need it.
    fn sharing_limits(
        &self,
        machine: &MachineOption<'_>,
        pools: &[usize],
        lanes: &[usize],
        level_index: usize,
    ) -> Vec<Choice> {
        let space = self.space;
        let lane = |at: usize| &space.pools[pools[at]].lanes[lanes[at]];
        let kind = lane(0).kind;
        let level = &kind.levels[level_index];
        let Some(rate) = level.price.as_ref().and_then(|price| space.volume_rate(&price.currency)) else {
            return Vec::new();
        };
        // What is bought apart from the size belongs to one volume, and no vendor shares it.
        if level.provisioned.is_some() {
            return Vec::new();
        }
        let streams = pools.iter().flat_map(|pool| space.pools[*pool].load.streams.iter().copied()).collect();
        let joint = Needs::new(&Load { streams }, &lane(0).passage(space.demand), 0.0);
        let most = space.most_volumes(kind);
        let largest = u64::from(most) * pools.len() as u64 * level.size_max_gib;
        let Some(total) = joint.least_together(level, self.factor, space.demand.allow_burst, largest) else {
            return Vec::new();
        };
        let copies = space.demand.mirror.copies();
        // Of each pool by itself: numbers of volumes with the size that its capacity needs.
        let own = |at: usize| -> Vec<(u32, u64)> {
            let size = |count| Some((count, lane(at).needs.least_for_capacity(level, count)?));
            (copies..=most).filter_map(size).collect()
        };
        let own: Vec<Vec<(u32, u64)>> = (0..pools.len()).map(own).collect();
        let least = |list: &Vec<(u32, u64)>| list.iter().map(|(count, size)| u64::from(*count) * size).min();
        let Some(least) = own.iter().map(least).sum::<Option<u64>>() else { return Vec::new() };
        // Nothing can be smaller than this, so it ends there.
        let goal = least.max(total);
        let mut found: Vec<Choice> = Vec::new();
        let mut smallest = u64::MAX;
        for counts in candidates(&own, copies, most) {
            let sum: u32 = counts.iter().sum();
            // As many volumes are no smaller than what is known already, however small each is.
            if smallest == goal || u64::from(sum) * level.size_min_gib >= smallest {
                break;
            }
            let sizes: Option<Vec<u64>> = counts
                .iter()
                .enumerate()
                .map(|(at, count)| lane(at).needs.least_for_capacity(level, *count))
                .collect();
            let Some(sizes) = sizes else { continue };
            let Some(sizes) = fill(&counts, &sizes, level.size_max_gib, total) else { continue };
            let gib: u64 = sizes.iter().zip(&counts).map(|(size, count)| size * u64::from(*count)).sum();
            let best = found.iter().map(|choice| choice.cost).fold(f64::INFINITY, f64::min);
            let rest = pool_rest_cost(kind, level, gib, space.hours) * rate;
            for attachments in self.attachments(pools, lanes, kind, &counts) {
                let volumes = counts.iter().zip(&sizes).zip(&attachments);
                let volumes: Option<Vec<VolumeOption>> = volumes
                    .map(|((count, size), attachment)| {
                        let one = volume_cost(level, *size, 0.0, 0.0, space.hours)?;
                        Some(VolumeOption {
                            level: level_index,
                            attachment: *attachment,
                            count: *count,
                            size_gib: *size,
                            iops: 0.0,
                            bandwidth: 0.0,
                            cost: one * f64::from(*count) * rate,
                            rest: 0.0,
                        })
                    })
                    .collect();
                let Some(volumes) = volumes else { continue };
                let cost = volumes.iter().map(|volume| volume.cost).sum::<f64>() + rest;
                let warnings: Option<usize> = volumes
                    .iter()
                    .enumerate()
                    .map(|(at, volume)| space.broken(pools[at], lanes[at], volume, machine))
                    .sum();
                let Some(warnings) = warnings else { continue };
                if same_cost(cost, best).is_lt() || attachments.iter().any(Option::is_some) {
                    smallest = smallest.min(gib);
                    found.push(Choice { cost, count: sum, warnings, volumes });
                }
            }
        }
        found
    }

    /// The ways in which so many volumes of each pool can be attached and carry its load.
    fn attachments(
        &self,
        pools: &[usize],
        lanes: &[usize],
        kind: &VolumeKind,
        counts: &[u32],
    ) -> Vec<Vec<Option<usize>>> {
        let mut all: Vec<Vec<Option<usize>>> = vec![Vec::new()];
        if kind.attachments.is_empty() {
            return vec![vec![None; pools.len()]];
        }
        for (at, count) in counts.iter().enumerate() {
            let needs = &self.space.pools[pools[at]].lanes[lanes[at]].needs;
            let fitting: Vec<usize> = (0..kind.attachments.len())
                .filter(|index| needs.fit_attachment(&kind.attachments[*index].limits, *count, self.factor))
                .collect();
            all = all
                .iter()
                .flat_map(|before| {
                    fitting.iter().map(|one| before.iter().copied().chain([Some(*one)]).collect())
                })
                .collect();
        }
        all
    }
}

/// How many volumes more than the fewest are tried where the rates need more than the capacity.
// With one volume more of one pool the numbers have no common divisor any more, and every sum can be met; a few are for sizes that end
// before. What others could save is less than a GiB for each volume.
const MORE_VOLUMES: u32 = 6;

/// Numbers of volumes of each pool that can be the best, the fewest first: those of which fewer would hold more than is asked, since
/// sizes are whole GiB, and a few more than the fewest.
fn candidates(own: &[Vec<(u32, u64)>], copies: u32, most: u32) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for list in own {
        let mut least = u64::MAX;
        let mut stairs = Vec::new();
        for (count, size) in list {
            if u64::from(*count) * size < least {
                least = u64::from(*count) * size;
                stairs.push(*count);
            }
        }
        let with = |before: &Vec<u32>| {
            stairs.iter().map(|count| before.iter().copied().chain([*count]).collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let fewest: u32 = own.iter().filter_map(|list| list.first()).map(|(count, _)| *count).sum();
    for sum in fewest..=(fewest + MORE_VOLUMES).min(most) {
        splits(sum, own.len(), copies, most, &mut Vec::new(), &mut all);
    }
    // Of all pools together there are no more than of one.
    all.retain(|counts| counts.iter().sum::<u32>() <= most);
    all.sort_by(|a, b| a.iter().sum::<u32>().cmp(&b.iter().sum()).then(a.cmp(b)));
    all.dedup();
    all
}

/// Every way to make `sum` of `parts` numbers from `least` to `most`.
fn splits(sum: u32, parts: usize, least: u32, most: u32, before: &mut Vec<u32>, all: &mut Vec<Vec<u32>>) {
    if parts == 0 {
        if sum == 0 {
            all.push(before.clone());
        }
        return;
    }
    for one in least..=most.min(sum) {
        before.push(one);
        splits(sum - one, parts - 1, least, most, before, all);
        before.pop();
    }
}

/// The sizes of volumes, in `counts`, of at least `least` each, that are `total` or more together and no larger than they have to
/// be; `None` where `largest` is too small for that.
// Of any two pools one can give up GiB to the other without a change of the sum, until it is within as many GiB of one of its ends
// as there are volumes. So all but one of them are there.
fn fill(counts: &[u32], least: &[u64], largest: u64, total: u64) -> Option<Vec<u64>> {
    let sum = |sizes: &[u64]| -> u64 {
        sizes.iter().zip(counts).map(|(size, count)| size * u64::from(*count)).sum()
    };
    if sum(least) >= total {
        return Some(least.to_vec());
    }
    let widest = u64::from(counts.iter().copied().max()?);
    let ends = |at: usize| -> Vec<u64> {
        let low = least[at]..=largest.min(least[at] + widest);
        let high = largest.saturating_sub(widest).max(least[at] + widest + 1)..=largest;
        low.chain(high).collect()
    };
    let mut best: Option<Vec<u64>> = None;
    for filler in 0..counts.len() {
        let mut tried: Vec<Vec<u64>> = vec![Vec::new()];
        for (at, own) in least.iter().enumerate() {
            let sizes = if at == filler { vec![*own] } else { ends(at) };
            tried = tried
                .iter()
                .flat_map(|before| sizes.iter().map(|size| before.iter().copied().chain([*size]).collect()))
                .collect();
        }
        for mut sizes in tried {
            let lacking = total.saturating_sub(sum(&sizes));
            sizes[filler] += lacking.div_ceil(u64::from(counts[filler]));
            let is_better = best.as_ref().is_none_or(|best| sum(&sizes) < sum(best));
            if sizes[filler] <= largest && is_better {
                best = Some(sizes);
            }
        }
        // One volume takes any number of GiB.
        if best.as_ref().is_some_and(|best| sum(best) == total) {
            return best;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against trying every size, for small numbers of all kinds.
    #[test]
    fn filled_sizes_are_the_smallest_sum_that_is_enough() {
        let mut state = 7_u64;
        let mut random = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let mut filled = 0;
        for _ in 0..3_000 {
            let counts = [random(5) + 1, random(5) + 1].map(|count| u32::try_from(count).unwrap_or(1));
            let least = [random(6) + 1, random(6) + 1];
            let largest = random(30) + 7;
            let total = random(150);
            let sum = |a: u64, b: u64| a * u64::from(counts[0]) + b * u64::from(counts[1]);
            let all = (least[0]..=largest).flat_map(|a| (least[1]..=largest).map(move |b| (a, b)));
            let best = all.map(|(a, b)| sum(a, b)).filter(|sum| *sum >= total).min();
            let found = fill(&counts, &least, largest, total).map(|sizes| sum(sizes[0], sizes[1]));
            assert_eq!(found, best, "{counts:?} {least:?} {largest} {total}");
            filled += usize::from(best.is_some_and(|best| best > sum(least[0], least[1])));
        }
        assert!(filled > 500, "{filled}");
    }
}
