//! The rules that a configuration breaks: those of its catalog, and those that follow from its machine.

use iotrial_model::demand::Mirror;

use crate::catalog::{Attached, Circumstances, Database, Effect, HostCache, Route, TooMany, holds_for};
use crate::configuration::{Resolved, ResolvedPool};

/// A rule that a configuration breaks.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenRule {
    /// Which rule, and by what.
    pub breach: Breach,
    /// Who says so, with the day.
    pub source: String,
}

impl BrokenRule {
    /// Stable name of the rule.
    pub fn id(&self) -> &str {
        self.breach.id()
    }

    /// Whether it forbids or warns.
    pub fn effect(&self) -> Effect {
        self.breach.effect()
    }
}

/// What breaks a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Breach {
    /// A rule of the catalog, in its own words.
    OfCatalog {
        /// Stable name of the rule.
        id: String,
        /// Whether it forbids or warns.
        effect: Effect,
        /// What it says, in one sentence without a full stop.
        message: String,
    },
    /// Two copies on one volume would be lost together.
    MirrorNeedsVolumes {
        /// How data are mirrored.
        mirror: Mirror,
        /// Volumes of the pool.
        volumes: u32,
    },
    /// The catalog does not say how a machine limits a kind of volume.
    LimitsUnknown {
        /// Name of the machine.
        machine: String,
        /// Name of the kind of volume.
        volume: String,
        /// The catalog's own reason.
        why: Option<String>,
    },
    /// More volumes than the machine takes.
    TooManyVolumes {
        /// Name of the machine.
        machine: String,
        /// How many it takes.
        most: u32,
        /// How many there are.
        count: u32,
        /// Whether all volumes count rather than those of a kind.
        in_all: bool,
    },
    /// More capacity than a machine takes of some kinds of volume.
    TooMuchCapacity {
        /// What is limited.
        name: String,
        /// How much it takes.
        most_gib: f64,
        /// How much there is.
        gib: f64,
    },
    /// What goes to replicas is compared with nothing.
    NetworkUnknown {
        /// Name of the machine.
        machine: String,
        /// Machines that get the writes.
        replicas: u32,
    },
    /// The catalog does not say how the cache of the host is limited.
    NoHostCache {
        /// Name of the machine.
        machine: String,
    },
    /// The database does not run on the processor.
    DatabaseOnArm(Database),
    /// The database may not use so many processors.
    DatabaseTooLarge {
        /// Which one.
        database: Database,
        /// The most hardware threads on which it may run.
        most_vcpus: u32,
        /// Name of the machine.
        machine: String,
        /// Its hardware threads.
        vcpus: u32,
    },
}

impl Breach {
    /// Stable name of the rule.
    pub fn id(&self) -> &str {
        match self {
            Self::OfCatalog { id, .. } => id,
            Self::MirrorNeedsVolumes { .. } => "mirror-needs-volumes",
            Self::LimitsUnknown { .. } => "limits-unknown",
            Self::TooManyVolumes { .. } => "too-many-volumes",
            Self::TooMuchCapacity { .. } => "too-much-capacity",
            Self::NetworkUnknown { .. } => "network-unknown",
            Self::NoHostCache { .. } => "no-host-cache",
            Self::DatabaseOnArm(_) => "database-on-arm",
            Self::DatabaseTooLarge { .. } => "database-too-large",
        }
    }

    /// Whether it forbids or warns.
    pub fn effect(&self) -> Effect {
        match self {
            Self::OfCatalog { effect, .. } => *effect,
            Self::NetworkUnknown { .. } | Self::NoHostCache { .. } => Effect::Warns,
            _ => Effect::Forbids,
        }
    }
}

/// Every rule that a configuration breaks, those that forbid first; and volumes beyond what the machine takes.
pub fn broken_rules(resolved: &Resolved<'_>) -> Vec<BrokenRule> {
    let mut broken: Vec<BrokenRule> = Vec::new();
    for index in 0..resolved.pools.len() {
        rules_of_pool(resolved, index, &mut broken);
    }
    rules_of_all_pools(resolved, &mut broken);
    // `false` sorts before `true`. The sort is stable, so pools keep their order; what every pool repeats, such
    // as a rule about the machine, is said once.
    broken.sort_by_key(|rule| rule.effect() == Effect::Warns);
    let mut once: Vec<BrokenRule> = Vec::new();
    for rule in broken {
        if !once.contains(&rule) {
            once.push(rule);
        }
    }
    once
}

/// What a pool breaks by itself: rules of the catalog first, then what follows from counts and gaps of its tables.
fn rules_of_pool(resolved: &Resolved<'_>, index: usize, broken: &mut Vec<BrokenRule>) {
    let (configuration, pool) = (&resolved.configuration, &resolved.pools[index]);
    let machine = resolved.machine.machine;
    let roles = resolved.roles_of(index);
    let by = Circumstances {
        volume: &pool.kind.name,
        level: &pool.level.name,
        attachment: pool.attachment.map(|attachment| attachment.name.as_str()),
        machine: &machine.name,
        ocpus: resolved.machine.ocpus,
        arm: machine.arm,
        os: configuration.os,
        clustered: configuration.clustered,
        count: pool.count,
        size_gib: pool.size_gib,
        host_cache: pool.host_cache,
        roles: &roles,
    };
    for rule in resolved.catalog.rules.iter().filter(|rule| rule.is_broken(&by)) {
        let (id, message) = (rule.id.clone(), rule.message.clone());
        broken.push(BrokenRule {
            breach: Breach::OfCatalog { id, effect: rule.effect, message },
            source: resolved.catalog.cited(&rule.source),
        });
    }
    if pool.count < configuration.mirror.copies() && pool.kind.route != Route::Local {
        broken.push(BrokenRule {
            breach: Breach::MirrorNeedsVolumes { mirror: configuration.mirror, volumes: pool.count },
            source: "iotrial, because each copy needs its own volume".to_owned(),
        });
    }
    if !machine.takes(pool.kind) {
        broken.push(BrokenRule {
            breach: Breach::LimitsUnknown {
                machine: machine.name.clone(),
                volume: pool.kind.name.clone(),
                // The catalog's own reason is the best one, but it speaks about attached volumes and says nothing
                // about the local disk.
                why: machine.gap.clone().filter(|_| pool.kind.route != Route::Local),
            },
            source: resolved.catalog.cited(&machine.source),
        });
    }
}

/// What the pools break together.
fn rules_of_all_pools(resolved: &Resolved<'_>, broken: &mut Vec<BrokenRule>) {
    let (machine, catalog) = (resolved.machine.machine, resolved.catalog);
    let name = || machine.name.clone();
    let by_machine = |breach| BrokenRule { breach, source: catalog.cited(&machine.source) };
    let attached: Vec<Attached<'_>> = resolved.pools.iter().map(ResolvedPool::attached).collect();
    if let Some(TooMany { most, count, in_all }) = machine.too_many(&attached) {
        broken.push(by_machine(Breach::TooManyVolumes { machine: name(), most, count, in_all }));
    }
    for limit in &catalog.capacity_limits {
        let of_it = resolved.pools.iter().filter(|pool| holds_for(&limit.volumes, &pool.kind.name));
        let gib: f64 = of_it.map(|pool| pool.total_gib()).sum();
        let most_gib = limit.gib_max as f64;
        if gib > most_gib {
            broken.push(BrokenRule {
                breach: Breach::TooMuchCapacity { name: limit.name.clone(), most_gib, gib },
                source: catalog.cited(&limit.source),
            });
        }
    }
    let replicas = resolved.configuration.replicas;
    if replicas > 0 && machine.network.is_none() {
        broken.push(by_machine(Breach::NetworkUnknown { machine: name(), replicas }));
    }
    let caches = resolved.pools.iter().any(|pool| pool.host_cache != HostCache::None);
    // A missing limit is a warning and not an error: the rates may still hold, but nobody can say so.
    if caches && machine.host_cache.is_none() {
        broken.push(by_machine(Breach::NoHostCache { machine: name() }));
    }
}
