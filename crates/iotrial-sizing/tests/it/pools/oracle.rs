//! The slow and obvious way to an answer with several pools, written apart from the program: every combination of volumes of the
//! reduced catalog is tried on every machine, with the limits, rules and prices of that catalog as arithmetic. Nothing here asks the
//! program's chain of limits, fit, layout or cost.

use std::collections::BTreeMap;

/// What the reduced catalog says, as TOML.
pub(crate) const REDUCED: &str = r#"
format = "iotrial.catalog/1"
provider = "reduced"
currency = "USD"
hours_per_month = 730
[source.page]
text = "made up"
as_of = "2026-01-01"
[[capacity_limit]]
name = "the scaled ones"
volumes = ["scaled", "shared"]
gib_max = 14
source = "page"

[[volume]]
name = "scaled"
latency = "single-digit-ms"
over_network = true
iops_unit_kib = 16
size_min_gib = 2
size_max_gib = 5
price = { per_gib_month = 0.9, per_vpu_gib_month = 0.1, source = "page" }
attachment = [{ name = "slow", iops_max = 10, source = "page" }, { name = "fast", source = "page" }]
source = "page"
[[volume.level]]
name = "low"
vpus_per_gib = 1
iops_per_gib = 3
iops_max = 12
mb_per_s_per_gib = 0.07
mb_per_s_max = 0.3
[[volume.level]]
name = "high"
vpus_per_gib = 6
iops_per_gib = 7
iops_base = 2
iops_max = 30
mb_per_s_max = 0.6

[[volume]]
name = "bought"
latency = "sub-ms"
size_min_gib = 1
size_max_gib = 3
provisioned = { iops_included = 4, iops_per_gib_max = 3, iops_max = 7, mb_per_s_included = 1, mb_per_s_per_iops_max = 0.3, mb_per_s_max = 2 }
price = { per_gib_month = 2.0, per_iops_month = 0.7, per_mb_per_s_month = 1.1, source = "page" }
source = "page"

[[volume]]
name = "shared"
latency = "single-digit-ms"
shared_by_machine = true
count_max = 3
size_min_gib = 1
size_max_gib = 6
iops_base = 3
iops_per_gib = 1.5
mb_per_s_per_gib = 0.1
price = { per_gib_month = 0.8, source = "page" }
source = "page"

[[volume]]
name = "pooled"
latency = "sub-ms"
network_only = true
count_max = 3
size_min_gib = 2
size_max_gib = 5
pool = { min_gib = 4, step_gib = 3, source = "page" }
source = "page"
[[volume.level]]
name = "standard"
mb_per_s_per_gib = 0.05
price = { per_gib_month = 0.7, source = "page" }
[[volume.level]]
name = "premium"
mb_per_s_per_gib = 0.12
price = { per_gib_month = 1.1, source = "page" }

[[volume]]
name = "own-disk"
latency = "sub-ms"
local = true
size_min_gib = 1
size_max_gib = 100
price = { per_month = 0, source = "page" }
source = "page"

[[machine]]
name = "flexible"
vcpus_per_ocpu = 2
ocpus = { min = 1, max = 2 }
memory_gib = { min = 1, max = 12 }
network = { gbit_per_s_per_ocpu = 0.004, gbit_per_s_max = 0.01 }
volumes_max = 3
volumes_max_by_attachment = { slow = 3, fast = 2 }
limit = [{ name = "all", iops_per_gbit_per_s = 6000, iops = 45, read_mb_per_s_per_gbit_per_s = 120, write_mb_per_s_per_gbit_per_s = 120 }]
price = { per_ocpu_hour = 0.02, per_memory_gib_hour = 0.001, source = "page" }
source = "page"

[[machine]]
name = "caching"
vcpus = 4
memory_gib = 8
volumes_max = 3
network = { egress_gbit_per_s = 0.02, ingress_gbit_per_s = 0.03 }
host_cache = { iops = 30, mb_per_s = 1, size_gib = 10 }
local_disk = { size_gib = 6, with_host_cache = true }
limit = [
  { name = "some", volumes = ["bought", "shared"], iops = 25, mb_per_s = 1.5 },
  { name = "other", volumes = ["scaled"], read_iops = 20, write_iops = 12, mb_per_s = 1 },
]
price = { per_hour = 0.035, source = "page" }
source = "page"

[[machine]]
name = "with-disk"
vcpus = 4
memory_gib = 8
volumes_max = 4
network = { gbit_per_s = 0.01 }
local_disk = { size_gib = 3, iops_max = 15, write_mb_per_s_max = 0.5 }
limit = [{ name = "all", volumes = ["scaled", "bought"], iops = 40, burst_iops = 60 }]
price = { per_hour = 0.03, source = "page" }
source = "page"

[[rule]]
id = "no-cache"
effect = "forbids"
when = { volumes = ["bought"], host_cache = ["read-only", "read-write"] }
message = "not cached"
source = "page"
[[rule]]
id = "no-log"
effect = "forbids"
when = { levels = ["low"], roles = ["log"] }
message = "not for a log"
source = "page"
[[rule]]
id = "no-wide-stripe"
effect = "forbids"
when = { volumes = ["bought"], volumes_above = 2 }
message = "no more than two"
source = "page"
"#;

const MB: f64 = 1e6;
const KIB: f64 = 1024.0;
/// Bytes per second of one Gbit/s.
const GBIT: f64 = 1.25e8;
/// The most limits that a machine has.
const LIMITS: usize = 9;

/// I/O of a pool.
#[derive(Debug, Clone)]
pub(crate) struct Io {
    pub(crate) is_write: bool,
    pub(crate) iops: f64,
    pub(crate) bytes: f64,
    /// Whether replicas get it.
    pub(crate) is_shipped: bool,
}

/// What is asked of a pool.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) ios: Vec<Io>,
    /// At the end of the years, each byte once.
    pub(crate) gib: f64,
    pub(crate) sub_ms: bool,
    pub(crate) may_be_lost: bool,
    pub(crate) has_log: bool,
    /// Share of the reads that a cache serves; zero takes none.
    pub(crate) cache_hit: f64,
}

/// What is asked of all.
#[derive(Debug, Clone)]
pub(crate) struct AskedOfAll {
    pub(crate) pools: Vec<Asked>,
    pub(crate) copies: f64,
    pub(crate) replicas: f64,
    pub(crate) burst: bool,
    /// Whether larger volumes are tried, too, where smaller ones of the kind do.
    pub(crate) tries_all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Scaled,
    Bought,
    Shared,
    Pooled,
    OwnDisk,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Scaled => "scaled",
            Self::Bought => "bought",
            Self::Shared => "shared",
            Self::Pooled => "pooled",
            Self::OwnDisk => "own-disk",
        }
    }
}

/// Volumes of one pool.
#[derive(Debug, Clone, Copy)]
struct Volumes {
    kind: Kind,
    /// The second of two levels.
    is_high: bool,
    is_fast: bool,
    is_cached: bool,
    count: f64,
    size: f64,
    iops: f64,
    mb: f64,
}

impl Volumes {
    const PLAIN: Self = Self {
        kind: Kind::OwnDisk,
        is_high: false,
        is_fast: false,
        is_cached: false,
        count: 1.0,
        size: 0.0,
        iops: 0.0,
        mb: 0.0,
    };

    fn gib(&self) -> f64 {
        self.count * self.size
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Machine {
    Flexible(f64),
    Caching,
    WithDisk,
}

impl Machine {
    const fn name(self) -> &'static str {
        match self {
            Self::Flexible(_) => "flexible",
            Self::Caching => "caching",
            Self::WithDisk => "with-disk",
        }
    }

    fn cost(self) -> f64 {
        730.0
            * match self {
                // Each core has one GiB.
                Self::Flexible(ocpus) => 0.021 * ocpus,
                Self::Caching => 0.035,
                Self::WithDisk => 0.03,
            }
    }
}

fn everything() -> Vec<Volumes> {
    let mut all = vec![Volumes::PLAIN];
    for count in [1.0, 2.0, 3.0, 4.0] {
        for size in 1..=6 {
            let size = f64::from(size);
            let sized = Volumes { count, size, ..Volumes::PLAIN };
            if (2.0..=5.0).contains(&size) {
                for (is_high, is_fast) in [(false, false), (false, true), (true, false), (true, true)] {
                    for is_cached in [false, true] {
                        all.push(Volumes { kind: Kind::Scaled, is_high, is_fast, is_cached, ..sized });
                    }
                }
                all.push(Volumes { kind: Kind::Pooled, ..sized });
                all.push(Volumes { kind: Kind::Pooled, is_high: true, ..sized });
            }
            if size <= 3.0 && count <= 2.0 {
                for iops in 4..=7 {
                    let iops = f64::from(iops);
                    for mb in [1.0, 2.0] {
                        // 3 IOPS for each GiB and 0.3 MB/s for each IOPS, but what is included always.
                        if iops <= (3.0 * size).max(4.0) && mb <= (0.3 * iops).max(1.0) + 1e-9 {
                            all.push(Volumes { kind: Kind::Bought, iops, mb, ..sized });
                        }
                    }
                }
            }
            if count <= 3.0 {
                all.push(Volumes { kind: Kind::Shared, ..sized });
            }
        }
    }
    all
}

fn is_enough(most: f64, need: f64) -> bool {
    most >= need * (1.0 - 1e-9)
}

/// What the I/O of a pool amounts to, in one direction or both: each read once less what a cache serves, each write once for each
/// copy.
fn total(
    asked: &Asked,
    cache_hit: f64,
    copies: f64,
    reads: bool,
    writes: bool,
    of: &dyn Fn(&Io) -> f64,
) -> f64 {
    let mut sum = 0.0;
    for io in &asked.ios {
        if io.is_write && writes {
            sum += io.iops * copies * of(io);
        }
        if !io.is_write && reads {
            sum += io.iops * (1.0 - cache_hit) * of(io);
        }
    }
    sum
}

fn once(_: &Io) -> f64 {
    1.0
}

fn bytes(io: &Io) -> f64 {
    io.bytes
}

fn units(io: &Io) -> f64 {
    (io.bytes / (16.0 * KIB) - 1e-9).ceil().max(1.0)
}

/// Whether volumes do for a pool by themselves, whatever the machine; of shared ones only what is theirs alone.
fn suit(volumes: &Volumes, asked: &Asked, all: &AskedOfAll) -> bool {
    let Volumes { kind, is_high, is_fast, is_cached, count, size, iops, mb } = *volumes;
    if kind == Kind::OwnDisk {
        return asked.may_be_lost;
    }
    let copies = all.copies;
    let hit = if is_cached { asked.cache_hit } else { 0.0 };
    let sum = |of: &dyn Fn(&Io) -> f64| total(asked, hit, copies, true, true, of);
    let carries = match kind {
        Kind::Scaled => {
            let (most, rate) = if is_high {
                ((2.0 + 7.0 * size).min(30.0), 0.6)
            } else {
                ((3.0 * size).min(12.0), (0.07 * size).min(0.3))
            };
            is_enough(most * count, sum(&units))
                && is_enough(rate * MB * count, sum(&bytes))
                && (is_fast || is_enough(10.0 * count, sum(&once)))
        }
        Kind::Bought => is_enough(iops * count, sum(&once)) && is_enough(mb * MB * count, sum(&bytes)),
        Kind::Pooled => {
            let rate = if is_high { 0.12 } else { 0.05 };
            is_enough(rate * size * MB * count, sum(&bytes))
        }
        Kind::Shared | Kind::OwnDisk => true,
    };
    let is_fast_enough = !asked.sub_ms || matches!(kind, Kind::Bought | Kind::Pooled);
    carries
        && is_fast_enough
        && is_enough(count * size, asked.gib * copies)
        && count >= copies
        && (!is_cached || asked.cache_hit > 0.0)
        && !(kind == Kind::Scaled && !is_high && asked.has_log)
}

/// What volumes of a pool take of each limit of a machine, as a share of it; `None` where the machine does not take them.
fn shares(machine: Machine, volumes: &Volumes, asked: &Asked, all: &AskedOfAll) -> Option<Vec<f64>> {
    let kind = volumes.kind;
    let is_own = kind == Kind::OwnDisk;
    let copies = if is_own { 1.0 } else { all.copies };
    let hit = if volumes.is_cached { asked.cache_hit } else { 0.0 };
    let sum =
        |reads: bool, writes: bool, of: &dyn Fn(&Io) -> f64| total(asked, hit, copies, reads, writes, of);
    let if_any = |holds: bool, amount: f64| if holds { amount } else { 0.0 };
    let is_attached = matches!(kind, Kind::Scaled | Kind::Bought | Kind::Shared);
    let over = matches!(kind, Kind::Scaled | Kind::Pooled);
    let shipped: f64 =
        asked.ios.iter().filter(|io| io.is_write && io.is_shipped).map(|io| io.iops * io.bytes).sum();
    let out = if_any(over, sum(false, true, &bytes)) + if_any(!is_own, all.replicas * shipped);
    let inwards = if_any(over, sum(true, false, &bytes));
    match machine {
        Machine::Flexible(ocpus) => {
            let gbit = (0.004 * ocpus).min(0.01);
            if is_own || volumes.is_cached {
                return None;
            }
            Some(vec![
                if_any(is_attached, sum(true, true, &once)) / (6_000.0 * gbit).min(45.0),
                if_any(is_attached, sum(true, false, &bytes)) / (120.0 * gbit * MB),
                if_any(is_attached, sum(false, true, &bytes)) / (120.0 * gbit * MB),
                out / (gbit * GBIT),
                inwards / (gbit * GBIT),
            ])
        }
        Machine::Caching => {
            if is_own && asked.gib > 6.0 * (1.0 + 1e-9) {
                return None;
            }
            let some = matches!(kind, Kind::Bought | Kind::Shared);
            let other = kind == Kind::Scaled;
            // At the cache every I/O of a cached disk counts, hit or not; and all of the disk of the machine.
            let whole = |of: &dyn Fn(&Io) -> f64| total(asked, 0.0, copies, true, true, of);
            let passes = volumes.is_cached || is_own;
            Some(vec![
                if_any(some, sum(true, true, &once)) / 25.0,
                if_any(some, sum(true, true, &bytes)) / (1.5 * MB),
                if_any(other, sum(true, false, &once)) / 20.0,
                if_any(other, sum(false, true, &once)) / 12.0,
                if_any(other, sum(true, true, &bytes)) / MB,
                if_any(passes, whole(&once)) / 30.0,
                if_any(passes, whole(&bytes)) / MB,
                out / (0.02 * GBIT),
                inwards / (0.03 * GBIT),
            ])
        }
        Machine::WithDisk => {
            if volumes.is_cached || kind == Kind::Shared || (is_own && asked.gib > 3.0 * (1.0 + 1e-9)) {
                return None;
            }
            let most = if all.burst { 60.0 } else { 40.0 };
            Some(vec![
                if_any(is_attached, sum(true, true, &once)) / most,
                if_any(is_own, sum(true, true, &once)) / 15.0,
                if_any(is_own, sum(false, true, &bytes)) / (0.5 * MB),
                out / (0.01 * GBIT),
                inwards / (0.01 * GBIT),
            ])
        }
    }
}

/// Whether a machine has places for volumes of all pools, and they have their shared limits.
fn go_together(machine: Machine, chosen: &[Volumes], all: &AskedOfAll) -> bool {
    let count = |holds: &dyn Fn(&Volumes) -> bool| -> f64 {
        chosen.iter().filter(|one| holds(one)).map(|one| one.count).sum()
    };
    let attached = count(&|one| matches!(one.kind, Kind::Scaled | Kind::Bought | Kind::Shared));
    let slow = count(&|one| one.kind == Kind::Scaled && !one.is_fast);
    let fast = count(&|one| one.kind == Kind::Scaled && one.is_fast);
    let has_places = match machine {
        Machine::Flexible(_) => attached <= 3.0 && slow <= 3.0 && fast <= 2.0,
        Machine::Caching => attached <= 3.0,
        Machine::WithDisk => attached <= 4.0,
    };
    let capped: f64 =
        chosen.iter().filter(|one| matches!(one.kind, Kind::Scaled | Kind::Shared)).map(Volumes::gib).sum();
    if !has_places
        || capped > 14.0
        || count(&|one| one.kind == Kind::OwnDisk) > 1.0
        || count(&|one| one.kind == Kind::Shared) > 3.0
        || count(&|one| one.kind == Kind::Pooled) > 3.0
    {
        return false;
    }
    let shared = || chosen.iter().zip(&all.pools).filter(|(one, _)| one.kind == Kind::Shared);
    let gib: f64 = shared().map(|(one, _)| one.gib()).sum();
    let sum = |of: &dyn Fn(&Io) -> f64| -> f64 {
        shared().map(|(_, asked)| total(asked, 0.0, all.copies, true, true, of)).sum()
    };
    gib == 0.0 || (is_enough(3.0 + 1.5 * gib, sum(&once)) && is_enough(0.1 * gib * MB, sum(&bytes)))
}

fn cost(machine: Machine, chosen: &[Volumes]) -> f64 {
    let mut sum = machine.cost();
    for one in chosen {
        sum += match one.kind {
            Kind::Scaled => one.gib() * (0.9 + 0.1 * if one.is_high { 6.0 } else { 1.0 }),
            Kind::Bought => {
                one.count * (2.0 * one.size + 0.7 * (one.iops - 4.0).max(0.0) + 1.1 * (one.mb - 1.0).max(0.0))
            }
            Kind::Shared => 0.8 * one.gib(),
            Kind::Pooled | Kind::OwnDisk => 0.0,
        };
    }
    // Pools of 4 GiB at least, and in steps of 3: 6, 9, 12 …, for all volumes of a level together.
    for (is_high, price) in [(false, 0.7), (true, 1.1)] {
        let of_level = chosen.iter().filter(|one| one.kind == Kind::Pooled && one.is_high == is_high);
        let gib: f64 = of_level.map(Volumes::gib).sum();
        if gib > 0.0 {
            sum += (gib.max(4.0) / 3.0).ceil() * 3.0 * price;
        }
    }
    sum
}

/// A machine with a kind of volume for each pool, and whether it is cached.
pub(crate) type Choice = (&'static str, Vec<(&'static str, bool)>);

/// What an answer costs, and how many volumes are bought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Answer {
    pub(crate) cost: f64,
    pub(crate) count: u32,
}

/// For each choice: cost and number of volumes of all that there is.
pub(crate) type Everything = BTreeMap<Choice, Vec<(f64, f64)>>;

/// The answer of a choice: the fewest volumes within the tolerance of the cheapest.
pub(crate) fn answer(list: &[(f64, f64)], tolerance: f64) -> Answer {
    let least = |of: &mut dyn Iterator<Item = f64>| of.fold(f64::INFINITY, f64::min);
    let cheapest = least(&mut list.iter().map(|(cost, _)| *cost));
    let within = || list.iter().filter(|(cost, _)| *cost <= cheapest * (1.0 + tolerance.max(1e-9)));
    let fewest = least(&mut within().map(|(_, count)| *count));
    let cost = least(&mut within().filter(|(_, count)| *count == fewest).map(|(cost, _)| *cost));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few volumes")]
    Answer { cost, count: fewest as u32 }
}

/// Everything that does.
pub(crate) fn everything_that_does(all: &AskedOfAll) -> Everything {
    let volumes = everything();
    let fitting = |asked: &Asked| {
        let mut fitting: Vec<Volumes> = volumes.iter().copied().filter(|one| suit(one, asked, all)).collect();
        if !all.tries_all {
            // Of the same kind, level, attachment and number, larger ones cost more and take more room, and are no better to others.
            // Shared ones are: what they carry depends on all of them.
            let alike = |a: &Volumes, b: &Volumes| {
                (a.kind, a.is_high, a.is_fast, a.is_cached, a.count)
                    == (b.kind, b.is_high, b.is_fast, b.is_cached, b.count)
            };
            let alone = |one: &Volumes| Volumes { count: 1.0, ..*one };
            let price = |one: &Volumes| (cost(Machine::WithDisk, &[alone(one)]), one.size);
            let is_best = |one: &Volumes| {
                one.kind == Kind::Shared
                    || fitting.iter().all(|other| !alike(one, other) || price(one) <= price(other))
            };
            fitting = fitting.iter().copied().filter(|one| is_best(one)).collect();
        }
        fitting
    };
    let fitting: Vec<Vec<Volumes>> = all.pools.iter().map(fitting).collect();
    let mut found = Everything::new();
    for machine in [Machine::Flexible(1.0), Machine::Flexible(2.0), Machine::Caching, Machine::WithDisk] {
        let with_shares: Vec<Vec<(Volumes, [f64; LIMITS])>> = fitting
            .iter()
            .zip(&all.pools)
            .map(|(list, asked)| {
                let with = |one: &Volumes| {
                    let mut own = [0.0; LIMITS];
                    let shares = shares(machine, one, asked, all)?;
                    own[..shares.len()].copy_from_slice(&shares);
                    Some((*one, own))
                };
                list.iter().filter_map(with).collect()
            })
            .collect();
        try_all(machine, all, &with_shares, &mut Vec::new(), &[0.0; LIMITS], &mut found);
    }
    found
}

fn try_all(
    machine: Machine,
    all: &AskedOfAll,
    lists: &[Vec<(Volumes, [f64; LIMITS])>],
    chosen: &mut Vec<Volumes>,
    taken: &[f64; LIMITS],
    found: &mut Everything,
) {
    let Some(list) = lists.get(chosen.len()) else {
        if go_together(machine, chosen, all) {
            let kinds = chosen.iter().map(|one| (one.kind.name(), one.is_cached)).collect();
            let bought = chosen.iter().filter(|one| one.kind != Kind::OwnDisk).map(|one| one.count).sum();
            found.entry((machine.name(), kinds)).or_default().push((cost(machine, chosen), bought));
        }
        return;
    };
    for (volumes, own) in list {
        let mut sum = *taken;
        sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        if sum.iter().all(|share| is_enough(1.0, *share)) {
            chosen.push(*volumes);
            try_all(machine, all, lists, chosen, &sum, found);
            chosen.pop();
        }
    }
}
