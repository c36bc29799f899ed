//! The slow and obvious way to an answer, written apart from the program: every configuration of the reduced catalog is tried, with
//! the limits, rules and prices of that catalog as arithmetic. Nothing here asks the program's chain of limits, fit or cost.

use iotrial_model::demand::{Demand, LatencyClass, Os};
use iotrial_model::load::{Direction, Role};

/// What the reduced catalog says, as TOML.
pub(crate) const REDUCED: &str = r#"
format = "iotrial.catalog/1"
provider = "reduced"
currency = "USD"
hours_per_month = 730
[source.page]
text = "made up"
as_of = "2026-01-01"
[[licence]]
os = "windows"
per_ocpu_hour = 0.01
source = "page"
[[capacity_limit]]
name = "the scaled ones"
volumes = ["scaled", "shared"]
gib_max = 22
source = "page"

[[volume]]
name = "scaled"
latency = "single-digit-ms"
over_network = true
iops_unit_kib = 16
size_min_gib = 2
size_max_gib = 10
mb_per_s_max = 0.8
price = { per_gib_month = 0.9, per_vpu_gib_month = 0.1, source = "page" }
attachment = [{ name = "slow", iops_max = 22, source = "page" }, { name = "fast", source = "page" }]
source = "page"
[[volume.at_block]]
kib = 8
above_kib = 4
source = "page"
size = [{ gib = 2, mb_per_s = 0.06 }, { gib = 6, mb_per_s = 0.25 }, { gib = 9, mb_per_s = 0.31 }]
[[volume.level]]
name = "low"
vpus_per_gib = 1
iops_per_gib = 3
iops_max = 21
mb_per_s_per_gib = 0.07
mb_per_s_min = 0.2
mb_per_s_max = 0.6
burst_iops = 28
burst_mb_per_s = 0.9
[[volume.level]]
name = "high"
vpus_per_gib = 6
iops_per_gib = 7
iops_base = 2
iops_max = 60
mb_per_s_per_gib = 0.11
mb_per_s_max = 1.0
[[volume.level]]
name = "free"
iops_commitment = false
iops_per_gib = 4
iops_max = 30
mb_per_s_max = 0.7

[[volume]]
name = "bought"
latency = "sub-ms"
size_min_gib = 1
size_max_gib = 5
provisioned = { iops_included = 4, iops_per_gib_max = 3, iops_max = 12, mb_per_s_included = 1, mb_per_s_per_iops_min = 0.2, mb_per_s_per_iops_max = 0.4, mb_per_s_max = 4 }
price = { per_gib_month = 2.0, per_iops_month = 0.7, iops_above = [{ iops = 8, per_iops_month = 0.3 }], per_mb_per_s_month = 1.1, source = "page" }
source = "page"

[[volume]]
name = "shared"
shared_by_machine = true
size_min_gib = 1
size_max_gib = 8
read_iops_base = 3
read_iops_per_gib = 2.5
write_iops_per_gib = 1.5
mb_per_s_per_gib = 0.13
pool = { min_gib = 4, step_gib = 3, source = "page" }
price = { per_gib_month = 0.8, source = "page" }
source = "page"

[[volume]]
name = "credits"
latency = "hdd"
size_min_gib = 1
size_max_gib = 6
iops_unit_kib = 16
mb_per_s_in_units = true
iops_max = 20
mb_per_s_per_gib = 0.2
price = { per_gib_month = 0.5, source = "page" }
source = "page"

[[machine]]
name = "flexible"
vcpus_per_ocpu = 2
ocpus = { min = 1, max = 3 }
memory_gib = { min = 1, max = 12, per_ocpu_max = 6 }
network = { gbit_per_s_per_ocpu = 0.004, gbit_per_s_max = 0.01 }
volumes_max = 3
volumes_max_by_attachment = { slow = 3, fast = 2 }
limit = [{ name = "all", iops_per_gbit_per_s = 8000, iops = 70, read_mb_per_s_per_gbit_per_s = 120, write_mb_per_s_per_gbit_per_s = 120 }]
price = { per_ocpu_hour = 0.02, per_memory_gib_hour = 0.001, source = "page" }
source = "page"

[[machine]]
name = "fixed"
ocpus = 2
vcpus = 4
memory_gib = 8
volumes_max = 3
network = { egress_gbit_per_s = 0.02 }
limit = [
  { name = "some", volumes = ["bought", "shared", "credits"], iops = 40, mb_per_s = 2.5, burst_iops = 50 },
  { name = "other", volumes = ["scaled"], read_iops = 30, write_iops = 15, mb_per_s = 2 },
]
price = { per_hour = 0.05, source = "page" }
source = "page"

[[rule]]
id = "high-needs-two"
effect = "forbids"
when = { levels = ["high"], ocpus_below = 2, machines = ["flex"] }
message = "high needs two"
source = "page"
[[rule]]
id = "narrow-on-windows"
effect = "forbids"
when = { volumes = ["bought"], volumes_above = 2, os = "windows" }
message = "no more than two"
source = "page"
"#;

const MB: f64 = 1e6;
const KIB: f64 = 1024.0;
/// Bytes per second of one Gbit/s.
const GBIT: f64 = 1.25e8;
const MONTH: f64 = 730.0;

/// The kinds and levels of the catalog.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Volume {
    Low { fast: bool },
    High { fast: bool },
    Free { fast: bool },
    Bought { iops: f64, mb_per_s: f64 },
    Shared,
    Credits,
}

impl Volume {
    /// Answers are one for each of these on a machine.
    fn group(self) -> &'static str {
        match self {
            Self::Low { .. } => "low",
            Self::High { .. } => "high",
            Self::Free { .. } => "free",
            Self::Bought { .. } => "bought",
            Self::Shared => "shared",
            Self::Credits => "credits",
        }
    }

    fn is_scaled(self) -> bool {
        matches!(self, Self::Low { .. } | Self::High { .. } | Self::Free { .. })
    }
}

#[derive(Debug, Clone, Copy)]
struct Tried {
    /// Cores of the flexible machine; `None` is the fixed one.
    ocpus: Option<u32>,
    volume: Volume,
    count: f64,
    size: f64,
}

/// One answer of a machine and a level: its cost and its number of volumes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Answer {
    pub(crate) cost: f64,
    pub(crate) count: u32,
}

/// A stream as each limit counts it.
struct Stream {
    is_write: bool,
    iops: f64,
    bytes: f64,
    is_sequential: bool,
    is_shipped: bool,
}

fn streams(demand: &Demand) -> Vec<Stream> {
    let has_log = demand.streams.iter().any(|one| one.role == Some(Role::Log));
    demand
        .streams
        .iter()
        .map(|one| Stream {
            is_write: one.direction == Direction::Write,
            iops: one.iops,
            bytes: one.block_size_bytes,
            is_sequential: matches!(one.role, Some(Role::Scan | Role::Backup)),
            // The log is shipped; where none is told apart, whatever has no role may be log.
            is_shipped: match one.role {
                Some(role) => role == Role::Log,
                None => !has_log,
            },
        })
        .collect()
}

/// What a stream of I/O is counted as.
type Count = dyn Fn(&Stream) -> f64;

fn is_enough(most: f64, need: f64) -> bool {
    most >= need * (1.0 - 1e-9)
}

impl Tried {
    fn carries(&self, demand: &Demand) -> bool {
        let streams = streams(demand);
        let copies = f64::from(demand.mirror.copies());
        // What a limit is asked for: reads once and writes for each copy, each counted by `count`.
        let total = |reads: bool, writes: bool, count: &Count| -> f64 {
            let of = |one: &&Stream| if one.is_write { writes } else { reads };
            let times = |one: &Stream| if one.is_write { copies } else { 1.0 };
            streams.iter().filter(of).map(|one| one.iops * times(one) * count(one)).sum()
        };
        let once: &Count = &|_| 1.0;
        let bytes: &Count = &|one| one.bytes;
        let unit = 16.0 * KIB;
        let units = move |one: &Stream| (one.bytes / unit - 1e-9).ceil().max(1.0);
        let merged = move |one: &Stream| if one.is_sequential { one.bytes / unit } else { units(one) };
        let at_block: &Count = &|one| if one.bytes <= 4.0 * KIB { 0.0 } else { one.bytes.min(8.0 * KIB) };
        let burst =
            |for_good: f64, burst: f64| if demand.allow_burst { for_good.max(burst) } else { for_good };
        let (count, size) = (self.count, self.size);
        let mut limits: Vec<(f64, f64)> = Vec::new();
        if self.volume.is_scaled() {
            let (iops, bandwidth) = match self.volume {
                Volume::Low { .. } => {
                    (burst((3.0 * size).min(21.0), 28.0), burst((0.07 * size).clamp(0.2, 0.6), 0.9))
                }
                Volume::High { .. } => ((2.0 + 7.0 * size).min(60.0), (0.11 * size).min(1.0)),
                _ => ((4.0 * size).min(30.0), 0.7),
            };
            limits.push((iops * count, total(true, true, &units)));
            // The most beside the levels holds for each of them, bursts or not.
            limits.push((bandwidth.min(0.8) * MB * count, total(true, true, bytes)));
            let small = match size {
                size if size <= 2.0 => 0.03 * size,
                size if size <= 6.0 => 0.06 + (size - 2.0) * 0.19 / 4.0,
                size if size <= 9.0 => 0.25 + (size - 6.0) * 0.06 / 3.0,
                _ => 0.31,
            };
            limits.push((small * MB * count, total(true, true, at_block)));
        }
        match self.volume {
            Volume::Low { fast } | Volume::High { fast } | Volume::Free { fast } => {
                if !fast {
                    limits.push((22.0 * count, total(true, true, once)));
                }
            }
            Volume::Bought { iops, mb_per_s } => {
                limits.push((iops * count, total(true, true, once)));
                limits.push((mb_per_s * MB * count, total(true, true, bytes)));
            }
            Volume::Shared => {
                let all = size * count;
                limits.push((3.0 + 2.5 * all, total(true, false, once)));
                limits.push((1.5 * all, total(false, true, once)));
                limits.push((0.13 * all * MB, total(true, true, bytes)));
            }
            Volume::Credits => {
                limits.push((20.0 * count, total(true, true, &merged)));
                limits.push((0.2 * size * MB * count, total(true, true, &move |one| merged(one) * unit)));
            }
        }
        let (egress, ingress) = match self.ocpus {
            Some(ocpus) => {
                let gbit = (0.004 * f64::from(ocpus)).min(0.01);
                limits.push(((8_000.0 * gbit).min(70.0), total(true, true, once)));
                limits.push((120.0 * gbit * MB, total(true, false, bytes)));
                limits.push((120.0 * gbit * MB, total(false, true, bytes)));
                (gbit * GBIT, gbit * GBIT)
            }
            None => {
                if self.volume.is_scaled() {
                    limits.push((30.0, total(true, false, once)));
                    limits.push((15.0, total(false, true, once)));
                    limits.push((2.0 * MB, total(true, true, bytes)));
                } else {
                    limits.push((burst(40.0, 50.0), total(true, true, once)));
                    limits.push((2.5 * MB, total(true, true, bytes)));
                }
                (0.02 * GBIT, 0.02 * GBIT)
            }
        };
        let over = if self.volume.is_scaled() { 1.0 } else { 0.0 };
        let shipped: f64 =
            streams.iter().filter(|one| one.is_write && one.is_shipped).map(|one| one.iops * one.bytes).sum();
        limits.push((egress, over * total(false, true, bytes) + f64::from(demand.replicas) * shipped));
        limits.push((ingress, over * total(true, false, bytes)));
        limits.iter().all(|(most, need)| is_enough(*most, *need))
    }

    /// Whether it can be had, and is what was asked for besides rates.
    fn is_allowed(&self, demand: &Demand) -> bool {
        let ocpus = self.ocpus.unwrap_or(2);
        let vcpus = 2 * ocpus;
        let (memory, most_memory) = (self.memory(demand), f64::from(6 * ocpus).min(12.0));
        let has_memory = match self.ocpus {
            Some(_) => memory <= most_memory,
            None => demand.memory_min.get() as f64 <= 8.0 * KIB * KIB * KIB,
        };
        let latency = match self.volume.group() {
            "bought" => Some(LatencyClass::SubMs),
            "shared" => None,
            "credits" => Some(LatencyClass::Hdd),
            _ => Some(LatencyClass::SingleDigitMs),
        };
        let is_fast = demand.latency.is_none_or(|asked| latency.is_some_and(|one| one <= asked));
        // Rotating disks and what has no commitment: only where all is sequential or large, or such a latency does.
        let is_bulk = streams(demand).iter().all(|one| one.is_sequential || one.bytes >= KIB * KIB);
        let is_suited = !matches!(self.volume.group(), "free" | "credits")
            || is_bulk
            || demand.latency == Some(LatencyClass::Hdd);
        let most = match (self.ocpus, self.volume) {
            (
                Some(_),
                Volume::Low { fast: true } | Volume::High { fast: true } | Volume::Free { fast: true },
            ) => 2.0,
            _ => 3.0,
        };
        let is_capped = self.volume.is_scaled() || self.volume == Volume::Shared;
        let holds = demand.capacity.get() as f64 / (KIB * KIB * KIB)
            * (1.0 + demand.growth_percent_per_year / 100.0).powi(demand.years.cast_signed())
            * f64::from(demand.mirror.copies());
        has_memory
            && vcpus >= demand.vcpus_min
            && is_fast
            && is_suited
            && self.count <= most
            && self.count >= f64::from(demand.mirror.copies())
            && (!is_capped || self.count * self.size <= 22.0)
            && is_enough(self.count * self.size, holds)
            && !(self.volume.group() == "high" && self.ocpus == Some(1))
            && !(self.volume.group() == "bought" && self.count > 2.0 && demand.os == Os::Windows)
    }

    /// Memory of the flexible machine, in whole GiB.
    fn memory(&self, demand: &Demand) -> f64 {
        let asked = (demand.memory_min.get() as f64 / (KIB * KIB * KIB)).ceil();
        asked.max(f64::from(self.ocpus.unwrap_or(0)))
    }

    fn cost(&self, demand: &Demand) -> f64 {
        let machine = match self.ocpus {
            Some(ocpus) => (0.02 * f64::from(ocpus) + 0.001 * self.memory(demand)) * MONTH,
            None => 0.05 * MONTH,
        };
        let licence = if demand.os == Os::Windows && demand.licence {
            0.01 * f64::from(self.ocpus.unwrap_or(2)) * MONTH
        } else {
            0.0
        };
        let all = self.count * self.size;
        let volumes = match self.volume {
            Volume::Low { .. } => all * (0.9 + 0.1),
            Volume::High { .. } => all * (0.9 + 0.6),
            Volume::Free { .. } => all * 0.9,
            Volume::Bought { iops, mb_per_s } => {
                let dear = (iops.min(8.0) - 4.0).max(0.0);
                let cheap = (iops - 8.0).max(0.0);
                self.count * (2.0 * self.size + 0.7 * dear + 0.3 * cheap + 1.1 * (mb_per_s - 1.0).max(0.0))
            }
            // Pools of 4 GiB at least, and in steps of 3: 6, 9, 12 …
            Volume::Shared => (all.max(4.0) / 3.0).ceil() * 3.0 * 0.8,
            Volume::Credits => all * 0.5,
        };
        machine + licence + volumes
    }
}

/// Everything that there is in the catalog.
fn everything() -> Vec<Tried> {
    let mut volumes: Vec<(Volume, std::ops::RangeInclusive<u32>)> = Vec::new();
    for fast in [false, true] {
        volumes.push((Volume::Low { fast }, 2..=10));
        volumes.push((Volume::High { fast }, 2..=10));
        volumes.push((Volume::Free { fast }, 2..=10));
    }
    for iops in 4..=12_u32 {
        for mb_per_s in 1..=4_u32 {
            let (iops, mb_per_s) = (f64::from(iops), f64::from(mb_per_s));
            // From 0.2 to 0.4 MB/s for each IOPS, but what is included always.
            if mb_per_s <= (0.4 * iops).max(1.0) + 1e-9 && mb_per_s >= 0.2 * iops - 1e-9 {
                volumes.push((Volume::Bought { iops, mb_per_s }, 1..=5));
            }
        }
    }
    volumes.push((Volume::Shared, 1..=8));
    volumes.push((Volume::Credits, 1..=6));
    let mut all = Vec::new();
    for ocpus in [Some(1), Some(2), Some(3), None] {
        for (volume, sizes) in &volumes {
            for size in sizes.clone() {
                // 3 IOPS for each GiB, but what is included always.
                if let Volume::Bought { iops, .. } = volume
                    && *iops > (3.0 * f64::from(size)).max(4.0)
                {
                    continue;
                }
                for count in 1..=3 {
                    let (count, size) = (f64::from(count), f64::from(size));
                    all.push(Tried { ocpus, volume: *volume, count, size });
                }
            }
        }
    }
    all
}

/// What there is of one machine and level: whether the machine is flexible, and the level.
struct Group {
    name: (bool, &'static str),
    /// Cost and number of volumes.
    all: Vec<(f64, f64)>,
}

/// The answers of the reduced catalog: of each machine and level the fewest volumes within the tolerance of the cheapest.
pub(crate) fn answers(demand: &Demand, tolerance: f64) -> Vec<Answer> {
    let mut groups: Vec<Group> = Vec::new();
    for one in everything() {
        if !one.is_allowed(demand) || !one.carries(demand) {
            continue;
        }
        let name = (one.ocpus.is_some(), one.volume.group());
        let entry = (one.cost(demand), one.count);
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.all.push(entry),
            None => groups.push(Group { name, all: vec![entry] }),
        }
    }
    let mut answers: Vec<Answer> = groups
        .iter()
        .map(|Group { all, .. }| {
            let cheapest = all.iter().map(|(cost, _)| *cost).fold(f64::INFINITY, f64::min);
            let within: Vec<&(f64, f64)> =
                all.iter().filter(|(cost, _)| *cost <= cheapest * (1.0 + tolerance.max(1e-9))).collect();
            let fewest = within.iter().map(|(_, count)| *count).fold(f64::INFINITY, f64::min);
            let cost = within
                .iter()
                .filter(|(_, count)| *count == fewest)
                .map(|(cost, _)| *cost)
                .fold(f64::INFINITY, f64::min);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1, 2 or 3")]
            Answer { cost, count: fewest as u32 }
        })
        .collect();
    answers.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    answers
}
