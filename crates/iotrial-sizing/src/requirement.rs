//! What a demand asks for besides rates: capacity, processors, memory, latency, operating system. And whether
//! rates and all of this are met.

use iotrial_model::demand::{Demand, LaidOutPool, LatencyClass, Os};
use iotrial_model::units::ByteSize;
use serde::Serialize;

use crate::catalog::{Effect, Route, VolumeKind};
use crate::chain::{Chain, ElementKind, ROUNDING};
use crate::configuration::{Resolved, SizedMachine};
use crate::measure::{Load, Measure};
use crate::rule::{Breach, broken_rules};

/// Something that a demand asks for and a configuration does not have.
#[derive(Debug, Clone, PartialEq)]
pub enum Unmet {
    /// Hardware threads.
    Vcpus {
        /// At least so many.
        needed: u32,
        /// As many as there are.
        has: u32,
    },
    /// Memory.
    Memory {
        /// At least so much.
        needed_gib: f64,
        /// As much as there is.
        has_gib: f64,
    },
    /// Capacity with growth and copies.
    Capacity {
        /// At least so much.
        needed_gib: f64,
        /// As much as there is.
        has_gib: f64,
        /// Name of the pool; `None` where everything may lie anywhere.
        pool: Option<String>,
    },
    /// No pool takes what a pool of the demand, by its name, asks for.
    Pool(String),
    /// What has to survive the machine is on a disk that does not.
    Durability {
        /// Name of the pool of the demand.
        pool: String,
        /// Title of the kind of volume.
        volume: String,
    },
    /// How fast a kind of volume answers.
    Latency(Slow),
    /// Another operating system.
    Os {
        /// What is asked for.
        needed: Os,
        /// What it runs.
        has: Os,
    },
    /// A rule forbids it.
    Rule(Breach),
}

impl Unmet {
    /// Short name of the requirement, such as `capacity`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Vcpus { .. } => "vcpus",
            Self::Memory { .. } => "memory",
            Self::Capacity { .. } => "capacity",
            Self::Pool(_) => "pool",
            Self::Durability { .. } => "durability",
            Self::Latency(_) => "latency",
            Self::Os { .. } => "operating system",
            Self::Rule(_) => "rule",
        }
    }
}

/// A kind of volume that is slower than asked, or of which no source says how fast it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slow {
    /// Its title.
    pub volume: String,
    /// What the source says; `None` where none does.
    pub latency: Option<LatencyClass>,
    /// What is asked for.
    pub needed: LatencyClass,
    /// Name of the only pool that asks for it; `None` where everything does.
    pub pool: Option<String>,
}

/// How much of one limit a load takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// What the part is.
    pub kind: ElementKind,
    /// Name of the part.
    pub element: String,
    /// What is bounded.
    pub measure: Measure,
    /// How much the load takes, with what counts several times; bandwidth in bytes per second.
    pub used: f64,
    /// How much there is.
    pub most: f64,
    /// The first in percent of the second.
    pub percent: f64,
}

impl Share {
    /// Whether the load takes more than there is.
    pub fn is_overfull(&self) -> bool {
        // The same tolerance as where the fit is decided, or a limit that is exactly full would be named as a reason.
        self.percent > 100.0 * (1.0 + ROUNDING)
    }

    /// How much more would fit, in percent of the load: whole ones, for what is promised is rounded down. 0 where it is full.
    pub fn headroom_percent(&self) -> f64 {
        (100.0 * (100.0 / self.percent - 1.0)).floor().max(0.0)
    }
}

/// The shares of a load of every limit that it touches, the fullest first.
pub fn shares(chain: &Chain, load: &Load) -> Vec<Share> {
    let share = |headroom: crate::chain::Headroom<'_>| Share {
        kind: headroom.element.kind,
        element: headroom.element.name.clone(),
        measure: headroom.limit.measure,
        used: headroom.limit.usage(load),
        most: headroom.limit.most,
        // The factor says how many times the load fits, so its reciprocal is how full the limit is.
        percent: 100.0 / headroom.factor,
    };
    chain.headrooms(load).into_iter().map(share).collect()
}

/// Whether a configuration does what a demand asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Whether everything is met, and no rule forbids it.
    pub is_met: bool,
    /// How many times the load is carried; `None` where nothing limits it.
    pub carries_times: Option<f64>,
    /// The fullest first.
    pub shares: Vec<Share>,
    /// What is asked for and not there; rates are in `shares`.
    pub unmet: Vec<Unmet>,
}

impl Fit {
    /// Compares a configuration with a demand, given as a load on its pools.
    pub fn new(resolved: &Resolved<'_>, chain: &Chain, demand: &Demand, load: &Load) -> Self {
        let mut unmet = machine_unmet(&resolved.machine, demand);
        if demand.pools.is_empty() {
            unmet.extend(unmet_together(resolved, demand));
        } else {
            unmet.extend(unmet_by_pool(resolved, demand));
        }
        let configuration = &resolved.configuration;
        if configuration.os != demand.os {
            unmet.push(Unmet::Os { needed: demand.os, has: configuration.os });
        }
        let broken = broken_rules(resolved).into_iter().filter(|rule| rule.effect() == Effect::Forbids);
        unmet.extend(broken.map(|rule| Unmet::Rule(rule.breach)));
        // Pools of the same kind would repeat the same message; they are neighbours, so `dedup` is enough.
        unmet.dedup();
        let reach = chain.reach(load);
        Self {
            // All three count: a configuration that carries the rates but cannot be ordered is not an answer.
            is_met: unmet.is_empty() && reach >= 1.0 - ROUNDING,
            carries_times: reach.is_finite().then_some(reach),
            shares: shares(chain, load),
            unmet,
        }
    }
}

/// What of capacity and latency is missing where everything may be anywhere.
fn unmet_together(resolved: &Resolved<'_>, demand: &Demand) -> Vec<Unmet> {
    let mut unmet = Vec::new();
    let need = demand.capacity_gib();
    // Capacity of a demand already includes growth and copies, so it is compared with everything that
    // lasts and not with what is usable.
    let have = resolved.lasting_gib();
    if have < need * (1.0 - ROUNDING) {
        unmet.push(Unmet::Capacity { needed_gib: need, has_gib: have, pool: None });
    }
    for pool in &resolved.pools {
        unmet.extend(too_slow(pool.kind, demand.latency, None).map(Unmet::Latency));
    }
    unmet
}

/// What each pool that is asked for lacks where its roles lie. Pools of the demand may share one of the configuration.
fn unmet_by_pool(resolved: &Resolved<'_>, demand: &Demand) -> Vec<Unmet> {
    let mut unmet = Vec::new();
    let copies = f64::from(resolved.configuration.mirror.copies());
    let mut needs = vec![0.0; resolved.pools.len()];
    for LaidOutPool { pool: asked, .. } in demand.layout() {
        let Ok(place) = resolved.pool_of(asked.roles.first().copied()) else {
            unmet.push(Unmet::Pool(asked.name()));
            continue;
        };
        let pool = &resolved.pools[place];
        let is_local = pool.kind.route == Route::Local;
        // Nobody mirrors the disk of the machine itself.
        needs[place] += demand.grown_gib(asked.capacity) * if is_local { 1.0 } else { copies };
        if is_local && asked.durable {
            unmet.push(Unmet::Durability { pool: asked.name(), volume: pool.kind.title.clone() });
        }
        let slow = too_slow(pool.kind, asked.latency.or(demand.latency), Some(asked.name()));
        unmet.extend(slow.map(Unmet::Latency));
    }
    for (place, (pool, need)) in resolved.pools.iter().zip(needs).enumerate() {
        let have = pool.total_gib();
        if have < need * (1.0 - ROUNDING) {
            let pool = Some(resolved.pool_name(place));
            unmet.push(Unmet::Capacity { needed_gib: need, has_gib: have, pool });
        }
    }
    unmet
}

/// What of processors and memory is missing.
pub(crate) fn machine_unmet(sized: &SizedMachine<'_>, demand: &Demand) -> Vec<Unmet> {
    let mut unmet = Vec::new();
    if sized.vcpus < demand.vcpus_min {
        unmet.push(Unmet::Vcpus { needed: demand.vcpus_min, has: sized.vcpus });
    }
    let memory = memory_gib(demand);
    // Memory is compared as GiB in floating point, so the last bits must not decide; processors are whole
    // numbers.
    if sized.memory_gib < memory * (1.0 - ROUNDING) {
        unmet.push(Unmet::Memory { needed_gib: memory, has_gib: sized.memory_gib });
    }
    unmet
}

/// The memory that is asked for.
pub(crate) fn memory_gib(demand: &Demand) -> f64 {
    demand.memory_min.get() as f64 / ByteSize::GIB.get() as f64
}

/// That a kind of volume is not as fast as asked of a pool, or of everything, as far as a source says; `None` where it is.
pub(crate) fn too_slow(kind: &VolumeKind, asked: Option<LatencyClass>, pool: Option<String>) -> Option<Slow> {
    let needed = asked?;
    // The class is ordered from fast to slow. A kind of unknown latency does not meet a requirement: nobody has promised anything.
    let is_met = kind.latency.is_some_and(|latency| latency <= needed);
    (!is_met).then(|| Slow { volume: kind.title.clone(), latency: kind.latency, needed, pool })
}
