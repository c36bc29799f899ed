//! The chain of limits: what is between the volumes and the program, and how much of a load each part
//! carries.
//!
//! Every limit is linear: a sum over the streams of the load, each with a weight that says how often its I/Os
//! or bytes count there, must not exceed an amount. A load at a fixed mix is a ray from the origin; the part
//! that binds is where the ray leaves the polytope. Explanations and the search both ask this one
//! composition, so they cannot disagree.

use serde::Serialize;

use crate::catalog::{BlockLimit, Catalog, HostCache, Level, Route, SharedPath, VolumeKind, holds_for};
use crate::configuration::{Resolved, ResolvedPool, SizedMachine, telling_name};
use crate::measure::{Load, Measure};

mod limit;

pub use limit::{Limit, Weight};

/// Relative difference below which two rates count as equal: the last bits of sums and products.
// A double carries 15 to 16 digits and a sum over a few streams loses two or three of them. 1e-9 is well
// above that and well below anything a vendor states or a person could measure.
pub(crate) const ROUNDING: f64 = 1e-9;

/// The parts through which I/O passes, from the volumes to the program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chain {
    /// In the order in which I/O passes them; ties between equally full parts are resolved by this order.
    pub elements: Vec<Element>,
}

/// One part of the chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// What it is called, with its number.
    pub name: String,
    /// Who says so, with the day.
    pub source: String,
    /// In the order of the catalog, never empty.
    pub limits: Vec<Limit>,
}

/// The kinds of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ElementKind {
    /// The volumes themselves.
    Volumes,
    /// How they are attached.
    Attachment,
    /// Ports, adapters: what volumes share on their way.
    Path,
    /// What the machine carries for volumes.
    Machine,
    /// What the host serves from its cache.
    HostCache,
    /// The network of the machine.
    Network,
    /// I/Os in flight.
    Concurrency,
}

impl ElementKind {
    /// Whether more or larger volumes make it wider, rather than another machine.
    pub fn is_of_volumes(self) -> bool {
        matches!(self, Self::Volumes | Self::Attachment)
    }
}

/// How far a load is from one limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Headroom<'c> {
    /// The part whose limit it is.
    pub element: &'c Element,
    /// The limit that the load was compared with.
    pub limit: &'c Limit,
    /// How many times the load fits under the limit: below 1 the load is too much.
    pub factor: f64,
}

impl Chain {
    /// The chain of a configuration; with `burst` also what holds only for a while.
    pub fn of(resolved: &Resolved<'_>, burst: bool) -> Self {
        let count = resolved.pools.len();
        let copies = f64::from(resolved.configuration.mirror.copies());
        let mut elements = Vec::new();
        for (index, pool) in resolved.pools.iter().enumerate() {
            // The copies that replicas need leave over the network; they never reach these volumes.
            let passage = Passage::of(pool, copies, 0.0);
            let alike: Vec<usize> =
                // By identity, not by name: kinds are unique objects of one catalog, and this cannot confuse
                // catalogs.
                (0..count).filter(|other| std::ptr::eq(resolved.pools[*other].kind, pool.kind)).collect();
            // Google's persistent disks have their limits by the size of all of them on a machine. Such pools
            // become one part, at the place of the first; two parts would allow the limit twice.
            if !pool.kind.shared_by_machine {
                elements.extend(volume_elements(resolved, pool, &passage, &[index], burst));
            } else if alike[0] == index {
                elements.extend(volume_elements(resolved, pool, &passage, &alike, burst));
            }
            if let Some(attachment) = pool.attachment.filter(|attachment| !attachment.limits.is_empty()) {
                let limit = |(measure, amount): &(Measure, f64)| Limit {
                    measure: *measure,
                    // Load is striped evenly over the volumes of a pool, so the pool carries as many times
                    // what one attachment does.
                    most: amount * f64::from(pool.count),
                    weights: weights(count, &[index], passage.weight()),
                };
                elements.push(Element {
                    kind: ElementKind::Attachment,
                    name: format!("{} × {}", pool.count, attachment.name),
                    source: resolved.catalog.cited(&attachment.source),
                    limits: attachment.limits.iter().map(limit).collect(),
                });
            }
        }
        let replicas = f64::from(resolved.configuration.replicas);
        // What is shipped is a matter of the streams; what leaves the machine is one more copy of them for each replica.
        let passages: Vec<Passage<'_>> =
            resolved.pools.iter().map(|pool| Passage::of(pool, copies, replicas)).collect();
        elements.extend(machine_elements(resolved.catalog, &resolved.machine, &passages, burst));
        let latency_us = resolved.configuration.latency_mean_us;
        elements.extend(queue_elements(resolved, latency_us));
        if let (Some(outstanding), Some(latency)) = (resolved.configuration.outstanding, latency_us) {
            elements.push(concurrency(f64::from(outstanding), latency, count, "I/Os in flight".to_owned()));
        }
        Self { elements }
    }

    /// How far a load is from each limit that it touches, the nearest first.
    // Sorted by how full they are, since callers need the first and the next one of another part.
    pub fn headrooms(&self, load: &Load) -> Vec<Headroom<'_>> {
        let mut all = Vec::new();
        for element in &self.elements {
            for limit in &element.limits {
                let usage = limit.usage(load);
                // A limit that the load does not touch would give an infinite factor and crowd the list.
                if usage > 0.0 {
                    all.push(Headroom { element, limit, factor: limit.most / usage });
                }
            }
        }
        // A stable sort: of equally full limits the one nearer to the volumes comes first, as in the chain.
        all.sort_by(|a, b| a.factor.total_cmp(&b.factor));
        all
    }

    /// How many times the load is carried; infinite where nothing limits it.
    pub fn reach(&self, load: &Load) -> f64 {
        // The same as the first of `headrooms`, without building and sorting a list: the search asks this for
        // every machine, size and kind.
        let limits = self.elements.iter().flat_map(|element| &element.limits);
        let factors = limits.map(|limit| (limit.most, limit.usage(load)));
        factors
            .filter(|(_, usage)| *usage > 0.0)
            .map(|(most, usage)| most / usage)
            .fold(f64::INFINITY, f64::min)
    }

    /// Whether the load is carried.
    pub fn carries(&self, load: &Load) -> bool {
        // The search buys the least that suffices, so that answers sit exactly on a limit. Without the
        // tolerance the last bit of a product would refuse them.
        self.reach(load) >= 1.0 - ROUNDING
    }
}

/// How the I/O of one pool passes the machine.
pub(crate) struct Passage<'c> {
    pub(crate) kind: &'c VolumeKind,
    /// Volumes that each write goes to.
    pub(crate) copies: f64,
    /// Other machines that each write goes to.
    pub(crate) replicas: f64,
    /// Share of reads that never leave the host.
    pub(crate) cache_hit: f64,
    /// How the host caches it.
    pub(crate) host_cache: HostCache,
}

impl<'c> Passage<'c> {
    /// That of a pool; what is a part of the machine is neither mirrored nor sent anywhere.
    fn of(pool: &ResolvedPool<'c>, copies: f64, replicas: f64) -> Self {
        let (copies, replicas) =
            // The machine's own disk is lost with it, so nobody mirrors it or ships it to replicas.
            if pool.kind.route == Route::Local { (1.0, 0.0) } else { (copies, replicas) };
        let (cache_hit, host_cache) = (pool.cache_hit, pool.host_cache);
        Self { kind: pool.kind, copies, replicas, cache_hit, host_cache }
    }

    /// At the volumes and at what the machine carries for them.
    pub(crate) fn weight(&self) -> Weight {
        // A mirror in the host (ASM, RAID 10) sends every copy over the way to the volumes, so writes weigh
        // as many times. A read is answered by one copy, unless the cache answers it.
        Weight { read: 1.0 - self.cache_hit, write: self.copies, ..Weight::default() }
    }

    /// At the volumes themselves, which may count large I/Os as several.
    pub(crate) fn volume_weight(&self) -> Weight {
        Weight { io_unit: self.kind.iops_unit, has_credits: self.kind.has_credits, ..self.weight() }
    }

    /// At a limit of the volumes that a vendor states at a small block size.
    pub(crate) fn block_weight(&self, limit: &BlockLimit) -> Weight {
        Weight { block: Some(limit.sizes), ..self.weight() }
    }

    /// At the cache of the host (MicrosoftDocs/azure-compute-docs, `disks-performance.md` of 2026-09-09). Of a cached disk every I/O passes it: a read that misses and a write count there and at the disk,
    /// and only a read that hits counts there alone.
    fn cache_weight(&self) -> Weight {
        if self.host_cache == HostCache::None {
            return Weight::default();
        }
        Weight { read: 1.0, write: self.copies, ..Weight::default() }
    }
}

fn weights(count: usize, pools: &[usize], weight: Weight) -> Vec<Weight> {
    (0..count).map(|pool| if pools.contains(&pool) { weight } else { Weight::default() }).collect()
}

/// What volumes of a level carry: each limit of one of them, and the weights with which writes count more.
pub(crate) fn volume_limits(
    level: &Level,
    size_gib: f64,
    iops: f64,
    bandwidth: f64,
    burst: bool,
) -> Vec<(Measure, f64, f64)> {
    let mut limits: Vec<(Measure, f64, f64)> = level
        .limits
        .iter()
        .map(|limit| {
            let for_good = limit.at(size_gib);
            // Never below what holds for good: gp2 states a burst of 3,000 IOPS, which a large volume has all
            // the time.
            let most = if burst { limit.burst.unwrap_or(0.0).max(for_good) } else { for_good };
            (limit.measure, most, 1.0)
        })
        .collect();
    if level.provisioned.is_some() {
        // What is bought bounds the volume in addition to what its size allows.
        limits.push((Measure::Iops, iops, 1.0));
        limits.push((Measure::Bandwidth, bandwidth, 1.0));
    }
    if let Some(raid) = &level.raid {
        let spindles = f64::from(raid.spindles);
        // The order is relied on by the search: limits of the level first, those of the disks at the end.
        limits.push((Measure::Iops, spindles * raid.iops_per_spindle, raid.write_cost));
        limits.push((Measure::Bandwidth, spindles * raid.bandwidth_per_spindle, raid.write_transfers));
    }
    // Bandwidth without a limit of its own is infinite, and infinity is no limit to list.
    limits.retain(|(_, most, _)| most.is_finite());
    limits
}

/// The limits at a small block size that a load can reach on a volume with these limits of its own. The others are above what the
/// volume does anyway: of an I/O, which is one of the IOPS, they count no more than its bytes and no more than `at`.
pub(crate) fn block_limits<'l>(
    level: &'l Level,
    size_gib: f64,
    limits: &[(Measure, f64, f64)],
) -> Vec<&'l BlockLimit> {
    let least_of = |measure: Measure| {
        let own = limits.iter().filter(|(one, ..)| *one == measure).map(|(_, most, _)| *most);
        own.fold(f64::INFINITY, f64::min)
    };
    let (iops, bandwidth) = (least_of(Measure::Iops), least_of(Measure::Bandwidth));
    let is_reached = |limit: &&BlockLimit| {
        let most = limit.at(size_gib);
        most < bandwidth && most < iops * limit.sizes.at
    };
    level.by_block.iter().filter(is_reached).collect()
}

/// The volumes of one pool, or of several where they share their limits; those that hold at a small block size are parts of their own.
fn volume_elements(
    resolved: &Resolved<'_>,
    pool: &ResolvedPool<'_>,
    passage: &Passage<'_>,
    pools: &[usize],
    burst: bool,
) -> Vec<Element> {
    let total_gib: f64 = pools.iter().map(|index| resolved.pools[*index].total_gib()).sum();
    let count: u32 = pools.iter().map(|index| resolved.pools[*index].count).sum();
    // Limits by size are computed for one volume and multiplied, because floors and ceilings apply to each
    // volume. Where the machine shares them, they apply to the sum.
    let (size, times) = if pool.kind.shared_by_machine {
        (total_gib, 1.0)
    } else {
        (total_gib / f64::from(count), f64::from(count))
    };
    let own = passage.volume_weight();
    let limits = volume_limits(pool.level, size, pool.iops, pool.bandwidth, burst);
    let limit = |(measure, most, write_cost): (Measure, f64, f64)| Limit {
        measure,
        most: most * times,
        // Both factors multiply: a mirror over RAID groups writes each copy, and each of those costs disk
        // I/Os.
        weights: weights(resolved.pools.len(), pools, Weight { write: own.write * write_cost, ..own }),
    };
    let name = volume_name(resolved, pools, count);
    let at_block = block_limits(pool.level, size, &limits).into_iter().map(|limit| Element {
        kind: ElementKind::Volumes,
        name: format!("{name} for I/Os of {} KiB", limit.sizes.at / 1024.0),
        source: resolved.catalog.cited(&limit.source),
        limits: vec![Limit {
            measure: Measure::Bandwidth,
            most: limit.at(size) * times,
            weights: weights(resolved.pools.len(), pools, passage.block_weight(limit)),
        }],
    });
    let at_block: Vec<Element> = at_block.collect();
    let limits: Vec<Limit> = limits.into_iter().map(limit).collect();
    let own = (!limits.is_empty()).then(|| Element {
        kind: ElementKind::Volumes,
        name,
        source: resolved.catalog.cited(&pool.kind.source),
        limits,
    });
    own.into_iter().chain(at_block).collect()
}

/// How the volumes of a pool are called, with their roles where another pool has as many of the same.
fn volume_name(resolved: &Resolved<'_>, pools: &[usize], count: u32) -> String {
    let called = |pool: &ResolvedPool<'_>| (telling_name(&pool.kind.name, &pool.level.name), pool.count);
    let own = called(&resolved.pools[pools[0]]);
    // Two parts of the same name could not be distinguished in a report, so roles are added, but only then.
    let is_like = |index: usize| !pools.contains(&index) && called(&resolved.pools[index]) == own;
    let name = format!("{count} × {}", own.0);
    if !(0..resolved.pools.len()).any(is_like) {
        return name;
    }
    let is_rest = resolved.configuration.pools[pools[0]].roles.is_empty();
    if is_rest { format!("{name} (the rest)") } else { format!("{name} ({})", resolved.pool_name(pools[0])) }
}

/// What every pool passes on its way into the machine.
pub(crate) fn machine_elements(
    catalog: &Catalog,
    sized: &SizedMachine<'_>,
    passages: &[Passage<'_>],
    burst: bool,
) -> Vec<Element> {
    let machine = sized.machine;
    let count = passages.len();
    let cited = catalog.cited(&machine.source);
    let by_volume = |volumes: &[String]| -> Vec<Weight> {
        let weight = |passage: &Passage<'_>| {
            // NFS and the machine's own disk do not pass the limits that a machine has for attached volumes.
            let passes = matches!(passage.kind.route, Route::Volumes | Route::VolumesOverNetwork);
            if passes && holds_for(volumes, &passage.kind.name) {
                passage.weight()
            } else {
                Weight::default()
            }
        };
        passages.iter().map(weight).collect()
    };
    let mut elements = Vec::new();
    let mut push = |kind, name: String, source: &str, limits: Vec<Limit>| {
        let touched =
            // A part that no pool touches (an adapter for another kind of volume) would only be noise in
            // reports.
            |limit: &Limit| {
                limit.weights.iter().any(|weight| weight.read > 0.0 || weight.write > 0.0 || weight.shipped > 0.0)
            };
        let limits: Vec<Limit> = limits.into_iter().filter(touched).collect();
        if !limits.is_empty() {
            elements.push(Element { kind, name, source: source.to_owned(), limits });
        }
    };
    let path_limits = |path: &SharedPath| -> Vec<Limit> {
        let limit = |(measure, amount): &(Measure, f64)| Limit {
            measure: *measure,
            most: amount * f64::from(path.count),
            weights: by_volume(&path.volumes),
        };
        path.limits.iter().map(limit).collect()
    };
    // From the volumes inwards: ports of the array, adapters of the machine, the machine's own limit.
    for path in &catalog.paths {
        let source = path.source.as_deref().map_or_else(String::new, |source| catalog.cited(source));
        push(ElementKind::Path, format!("{} × {}", path.count, path.name), &source, path_limits(path));
    }
    for path in &machine.paths {
        push(ElementKind::Path, format!("{} × {}", path.count, path.name), &cited, path_limits(path));
    }
    for limit in &machine.limits {
        // Where the network is unknown a relative limit comes to zero. The reader of catalogs refuses such a
        // machine.
        let network = sized.egress.unwrap_or(0.0);
        let limits = limit.limits.iter().map(|one| {
            // A relative limit has a ceiling as well: 120 MB/s for each Gbit/s of an OCI shape, up to the
            // shape's most.
            let for_good = one.per_network.map_or(one.max, |per| (per * network).min(one.max));
            let most = if burst { one.burst.unwrap_or(0.0).max(for_good) } else { for_good };
            Limit { measure: one.measure, most, weights: by_volume(&limit.volumes) }
        });
        push(ElementKind::Machine, limit.name.clone(), &cited, limits.collect());
    }
    let locally = |passage: &Passage<'_>| {
        if passage.kind.route == Route::Local { passage.weight() } else { Weight::default() }
    };
    if let Some(local) = &machine.local_disk {
        let all: Vec<Weight> = passages.iter().map(locally).collect();
        let limit =
            |(measure, most): &(Measure, f64)| Limit { measure: *measure, most: *most, weights: all.clone() };
        push(ElementKind::Volumes, "local disk".to_owned(), &cited, local.limits.iter().map(limit).collect());
    }
    if let Some(cache) = machine.host_cache {
        let with_local = machine.local_disk.as_ref().is_some_and(|disk| disk.with_host_cache);
        let hits: Vec<Weight> = passages
            .iter()
            .map(|passage| match passage.kind.route {
                // Where the vendor states one limit for cache and local disk, everything on the local disk
                // counts there, writes included.
                Route::Local if with_local => passage.weight(),
                _ => passage.cache_weight(),
            })
            .collect();
        let is_shared = with_local && passages.iter().any(|passage| passage.kind.route == Route::Local);
        let name = if is_shared { "cache and local disk" } else { "cached VM limit" };
        let limit = |measure, most| Limit { measure, most, weights: hits.clone() };
        let limits = vec![limit(Measure::Iops, cache.iops), limit(Measure::Bandwidth, cache.bandwidth)];
        push(ElementKind::HostCache, name.to_owned(), &cited, limits);
    }
    if let Some(egress) = sized.egress {
        let weight = |passage: &Passage<'_>| {
            // Storage traffic over the network shares it with replication; attached volumes (SAN, NVMe) leave
            // it alone.
            let over = if passage.kind.route.takes_network() { 1.0 } else { 0.0 };
            Weight {
                read: over * (1.0 - passage.cache_hit),
                // Writes leave the machine, and each replica is one more copy on the wire of what is shipped,
                // whatever the volumes are.
                write: over * passage.copies,
                shipped: passage.replicas,
                ..Weight::default()
            }
        };
        let all: Vec<Weight> = passages.iter().map(weight).collect();
        debug_assert_eq!(all.len(), count, "each pool has a weight");
        let limit = |measure, most| Limit { measure, most, weights: all.clone() };
        push(
            ElementKind::Network,
            "network out".to_owned(),
            &cited,
            vec![limit(Measure::WriteBandwidth, egress)],
        );
        // No figure for ingress: the same as egress is the usual symmetric case, and the name in the report
        // says that it was assumed.
        let (name, ingress) = match sized.ingress {
            Some(ingress) => ("network in", ingress),
            None => ("network in (same as out)", egress),
        };
        push(ElementKind::Network, name.to_owned(), &cited, vec![limit(Measure::ReadBandwidth, ingress)]);
    }
    elements
}

/// What the queues of paths and adapters let be in flight, where it is known how long an I/O takes.
fn queue_elements(resolved: &Resolved<'_>, latency_us: Option<f64>) -> Vec<Element> {
    let Some(latency_us) = latency_us else { return Vec::new() };
    let paths = resolved.catalog.paths.iter().chain(&resolved.machine.machine.paths);
    paths
        .filter_map(|path| {
            // Adapters work in parallel, so their queues add up.
            let depth = path.queue_depth? * f64::from(path.count);
            let name = format!("queues of {} × {}", path.count, path.name);
            Some(concurrency(depth, latency_us, resolved.pools.len(), name))
        })
        .collect()
}

/// Little's law: what is in flight is the rate times the time that each I/O takes.
fn concurrency(outstanding: f64, latency_us: f64, pools: usize, name: String) -> Element {
    let seconds = latency_us / 1e6;
    let weight = Weight { read: seconds, write: seconds, ..Weight::default() };
    Element {
        kind: ElementKind::Concurrency,
        name,
        source: format!("Little's law at {} ms per I/O", latency_us / 1e3),
        limits: vec![Limit {
            measure: Measure::Outstanding,
            most: outstanding,
            weights: vec![weight; pools],
        }],
    }
}
