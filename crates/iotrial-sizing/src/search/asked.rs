//! The pools that are asked for, and what each of them may lie on.

use iotrial_model::demand::{Demand, DemandPool, LaidOutPool};
use iotrial_model::load::Role;

use super::admission::Admission;
use super::volume::Needs;
use super::{NotSearched, Search};
use crate::catalog::{Catalog, HostCache, Route, VolumeKind};
use crate::chain::Passage;
use crate::measure::{Load, LoadStream, is_sequential, is_shipped};
use crate::requirement::too_slow;

/// A pool that is asked for.
pub(super) struct AskedPool<'s> {
    pub(super) pool: DemandPool,
    /// Whether it takes what no other pool names.
    pub(super) is_rest: bool,
    /// Its I/O at the end of the years, as if it were the only pool.
    pub(super) load: Load,
    pub(super) lanes: Vec<Lane<'s>>,
}

/// A kind of volume on which a pool may lie.
pub(super) struct Lane<'s> {
    pub(super) kind: &'s VolumeKind,
    /// Places of the levels that may be taken.
    pub(super) levels: Vec<usize>,
    /// What the host caches.
    pub(super) host_cache: HostCache,
    /// Share of reads that the cache serves, 0 to 1.
    pub(super) cache_hit: f64,
    pub(super) needs: Needs,
}

impl Lane<'_> {
    /// How the I/O of the pool passes the machine.
    pub(super) fn passage(&self, demand: &Demand) -> Passage<'_> {
        let (copies, replicas) = match self.kind.route {
            // The machine's own disk is lost with it, so nobody mirrors it or ships it to replicas.
            Route::Local => (1.0, 0.0),
            _ => (f64::from(demand.mirror.copies()), f64::from(demand.replicas)),
        };
        Passage { kind: self.kind, copies, replicas, cache_hit: self.cache_hit, host_cache: self.host_cache }
    }

    /// Whether it is a part of the machine.
    pub(super) fn is_local(&self) -> bool {
        self.kind.route == Route::Local
    }
}

/// What becomes of kinds of which no source says how fast they answer, where a latency is asked.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unpromised {
    LeftOut,
    Taken,
}

/// What was not taken, and why.
#[derive(Default)]
pub(super) struct NotTaken {
    /// Each once.
    pub(super) all: Vec<NotSearched>,
    /// Names of kinds of which no source says how fast they answer, where a latency is asked.
    pub(super) unknown_latency: Vec<String>,
}

impl NotTaken {
    fn note(&mut self, one: NotSearched) {
        if !self.all.contains(&one) {
            self.all.push(one);
        }
    }
}

/// The pools of a demand with the kinds of volume of a catalog on which each may lie.
pub(super) fn asked_pools<'s>(
    catalog: &'s Catalog,
    demand: &Demand,
    search: &Search,
    unpromised: Unpromised,
    left_out: &mut NotTaken,
) -> Vec<AskedPool<'s>> {
    let layout = demand.layout();
    let is_alone = layout.len() == 1;
    layout
        .into_iter()
        .map(|LaidOutPool { pool, is_rest }| {
            let load = load_of(demand, &pool.roles);
            let ask = Ask { demand, search, pool: &pool, load: &load, is_alone, unpromised };
            let lanes = lanes_of(catalog, &ask, left_out);
            AskedPool { pool, is_rest, load, lanes }
        })
        .collect()
}

/// The I/O of some roles.
fn load_of(demand: &Demand, roles: &[Role]) -> Load {
    let growth = demand.load_growth();
    let log_is_apart = demand.streams.iter().any(|stream| stream.role == Some(Role::Log));
    let of_pool = demand.streams.iter().filter(|stream| roles.contains(&stream.role.unwrap_or(Role::Data)));
    let stream = |stream: &iotrial_model::demand::DemandStream| LoadStream {
        pool: 0,
        direction: stream.direction,
        iops: stream.iops * growth,
        block_size_bytes: stream.block_size_bytes,
        is_sequential: is_sequential(stream.role),
        is_shipped: is_shipped(&demand.shipped, stream.role, log_is_apart),
    };
    Load { streams: of_pool.map(stream).collect() }
}

/// What is asked of one pool.
struct Ask<'a> {
    demand: &'a Demand,
    search: &'a Search,
    pool: &'a DemandPool,
    load: &'a Load,
    /// Whether there is no other pool.
    is_alone: bool,
    unpromised: Unpromised,
}

fn lanes_of<'s>(catalog: &'s Catalog, ask: &Ask<'_>, left_out: &mut NotTaken) -> Vec<Lane<'s>> {
    let Ask { demand, search, pool, load, is_alone, unpromised } = *ask;
    let latency = pool.latency.or(demand.latency);
    // What only this pool asks for takes the place of what is asked for all.
    let wanted = if pool.volumes.is_empty() { &search.volumes } else { &pool.volumes };
    let admission = Admission::new(latency, load, &pool.roles, wanted);
    let mut lanes = Vec::new();
    for kind in &catalog.volumes {
        let is_local = kind.route == Route::Local;
        // A database must not be on storage that is lost with the machine; what is made anew at each start may.
        if (is_local && pool.durable) || !admission.is_wanted(kind) {
            continue;
        }
        let is_taken = unpromised == Unpromised::Taken && kind.latency.is_none();
        // What is asked of all pools alike is no matter of one.
        let name = pool.latency.map(|_| pool.name());
        if let Some(slow) = too_slow(kind, latency, name).filter(|_| !is_taken) {
            left_out.note(NotSearched::Slow(slow));
            if kind.latency.is_none() && !left_out.unknown_latency.contains(&kind.name) && !is_local {
                left_out.unknown_latency.push(kind.name.clone());
            }
            continue;
        }
        // Before what an option would include: without its price no option does.
        if let Some(note) = unpriced(catalog, search, kind) {
            left_out.note(note);
            continue;
        }
        let levels = match admission.levels(kind) {
            Ok((levels, note)) => {
                note.into_iter().for_each(|note| left_out.note(note));
                levels
            }
            Err(note) => {
                left_out.note(note);
                continue;
            }
        };
        let without_price = kind.levels.iter().filter(|level| level.price.is_none());
        let levels_without: Vec<String> = without_price.map(|level| level.name.clone()).collect();
        if !levels_without.is_empty() {
            left_out.note(NotSearched::Unpriced { volume: kind.title.clone(), levels: levels_without });
        }
        let caches = [(HostCache::None, 0.0), (HostCache::ReadOnly, pool.cache_hit_percent / 100.0)];
        // Without a share that somebody answers for no cache is taken: what it serves is a guess that no vendor supports. Of
        // volumes that have their limits together it would have to be the same for all of them.
        let takes_cache = pool.cache_hit_percent > 0.0
            && matches!(kind.route, Route::Volumes | Route::VolumesOverNetwork)
            && !kind.shared_by_machine;
        for (host_cache, cache_hit) in caches.into_iter().take(if takes_cache { 2 } else { 1 }) {
            let lane = |levels: Vec<usize>| {
                let mut lane = Lane { kind, levels, host_cache, cache_hit, needs: Needs::default() };
                let passage = lane.passage(demand);
                let capacity = demand.grown_gib(pool.capacity) * passage.copies;
                lane.needs = Needs::new(load, &passage, capacity);
                lane
            };
            if is_alone {
                // Of a single pool each level is an answer of its own; of several it is enough to have the best.
                lanes.extend(levels.iter().map(|level| lane(vec![*level])));
            } else {
                lanes.push(lane(levels.clone()));
            }
        }
    }
    lanes
}

/// Why a kind cannot be priced, where it cannot.
fn unpriced(catalog: &Catalog, search: &Search, kind: &VolumeKind) -> Option<NotSearched> {
    let volume = || kind.title.clone();
    let prices = || kind.levels.iter().filter_map(|level| level.price.as_ref());
    if let Some(part) = prices().find_map(|price| price.without.clone()) {
        return Some(NotSearched::PartUnpriced { volume: volume(), part });
    }
    // A level without a price is left out later; a kind is left out only where no level has one.
    if prices().next().is_none() {
        return Some(NotSearched::Unpriced { volume: volume(), levels: Vec::new() });
    }
    // One rate that is missing leaves the kind out, not the provider.
    let foreign = prices().find(|price| search.money.factor(catalog, &price.currency).is_none())?;
    let to = search.money.currency_for(catalog);
    Some(NotSearched::NoRate { volume: volume(), from: foreign.currency.clone(), to })
}
