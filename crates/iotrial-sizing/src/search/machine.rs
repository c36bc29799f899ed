//! Machines that may be taken, and how much of their limits each pool would use on each kind of volume.

use super::asked::{AskedPool, Lane};
use crate::catalog::{Catalog, HostCache, Machine, Processors};
use crate::chain::{Passage, ROUNDING, machine_elements};
use crate::configuration::SizedMachine;
use crate::measure::{Load, LoadStream};
use iotrial_model::demand::Demand;

/// A machine of one size that may be taken.
pub(super) struct MachineOption<'s> {
    pub(super) sized: SizedMachine<'s>,
    /// A month, with the licence as far as it has a price, in the money of the sum.
    pub(super) cost: f64,
    /// For each pool and each of its lanes: the share of each limit of the machine that the pool takes there; `None` where the
    /// machine has no such volumes. What all pools take of a limit is the sum of their shares, because every limit is linear.
    shares: Vec<Vec<Option<Vec<f64>>>>,
}

impl<'s> MachineOption<'s> {
    pub(super) fn new(
        catalog: &Catalog,
        demand: &Demand,
        pools: &[AskedPool<'_>],
        sized: SizedMachine<'s>,
        cost: f64,
    ) -> Self {
        // Each lane of each pool counts as a pool of its own here, so that the machine is asked once and every combination is a
        // sum.
        let lanes: Vec<(&AskedPool<'_>, &Lane<'_>)> =
            pools.iter().flat_map(|pool| pool.lanes.iter().map(move |lane| (pool, lane))).collect();
        let passages: Vec<Passage<'_>> = lanes.iter().map(|(_, lane)| lane.passage(demand)).collect();
        // Only what the machine adds to the chain. The volumes are bought to fit afterwards.
        let elements = machine_elements(catalog, &sized, &passages, demand.allow_burst);
        let limits: Vec<_> = elements.iter().flat_map(|element| &element.limits).collect();
        let mut place = 0;
        let shares = pools
            .iter()
            .map(|pool| {
                let of_lane = |lane: &Lane<'_>| {
                    let here = place;
                    place += 1;
                    if !can_take(sized.machine, lane) {
                        return None;
                    }
                    let at = |stream: &LoadStream| LoadStream { pool: here, ..*stream };
                    let load = Load { streams: pool.load.streams.iter().map(at).collect() };
                    let share = |limit: &&crate::chain::Limit| match limit.usage(&load) {
                        usage if usage > 0.0 => usage / limit.most,
                        _ => 0.0,
                    };
                    Some(limits.iter().map(share).collect())
                };
                pool.lanes.iter().map(of_lane).collect()
            })
            .collect();
        Self { sized, cost, shares }
    }

    /// The shares of the limits that a pool takes on a lane.
    pub(super) fn shares(&self, pool: usize, lane: usize) -> Option<&[f64]> {
        self.shares[pool][lane].as_deref()
    }

    /// Whether it takes any of the volumes on which each pool may lie.
    pub(super) fn takes_all(&self) -> bool {
        self.shares.iter().all(|lanes| lanes.iter().any(Option::is_some))
    }
}

/// Whether shares of limits are within them for `factor` times the load.
// The same tolerance as in the chain of limits, so that an answer is never refused when it is explained.
pub(super) fn fits(shares: &[f64], factor: f64) -> bool {
    shares.iter().all(|share| share * factor * (1.0 - ROUNDING) <= 1.0)
}

fn can_take(machine: &Machine, lane: &Lane<'_>) -> bool {
    // A cache or a disk whose limits nobody states would carry everything.
    let is_known = if lane.is_local() {
        let disk = machine.local_disk.as_ref();
        disk.is_some_and(|disk| {
            let holds = lane.needs.capacity_gib <= disk.size_gib as f64 * (1.0 + ROUNDING);
            holds && (!disk.limits.is_empty() || disk.with_host_cache)
        })
    } else {
        lane.host_cache == HostCache::None || machine.host_cache.is_some()
    };
    is_known && machine.takes(lane.kind)
}

/// A machine in every size that can be ordered with at least `memory_gib` of memory.
pub(super) fn sizes(machine: &Machine, memory_gib: f64) -> Vec<SizedMachine<'_>> {
    match machine.processors {
        Processors::Fixed { .. } => SizedMachine::new(machine, None, None).into_iter().collect(),
        Processors::Flexible { ocpus_min, ocpus_max, memory_min_gib, .. } => (ocpus_min..=ocpus_max)
            .filter_map(|ocpus| {
                // Memory is ordered in whole GiB, and every core brings its least.
                let memory = memory_gib.ceil().max(memory_min_gib * f64::from(ocpus));
                // An error means that the size cannot be ordered (too much memory for so few cores), which is
                // no failure of the search.
                SizedMachine::new(machine, Some(ocpus), Some(memory)).ok()
            })
            .collect(),
    }
}
