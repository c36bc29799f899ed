//! The rules that a configuration breaks: those of its catalog, and those that follow from its machine.

use serde::Serialize;

use crate::catalog::{Attached, Circumstances, Effect, HostCache, Route, holds_for};
use crate::configuration::{Resolved, ResolvedPool};
use crate::measure::grouped;

/// A rule that a configuration breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenRule {
    /// Stable name of the rule.
    pub id: String,
    /// Whether it forbids or warns.
    pub effect: Effect,
    /// What the rule says, in one sentence without a full stop.
    pub message: String,
    /// Who says so, with the day.
    pub source: String,
}

impl BrokenRule {
    /// What it says, and who says so.
    pub fn in_words(&self) -> String {
        format!("{}; source: {}", self.message, self.source)
    }
}

/// Every rule that a configuration breaks, those that forbid first; and volumes beyond what the machine takes.
pub fn broken_rules(resolved: &Resolved<'_>) -> Vec<BrokenRule> {
    let mut broken: Vec<BrokenRule> = Vec::new();
    let configuration = &resolved.configuration;
    let machine = resolved.machine.machine;
    let machine_source = || resolved.catalog.cited(&machine.source);
    for (index, pool) in resolved.pools.iter().enumerate() {
        let roles = resolved.roles_of(index);
        let attachment = pool.attachment.map(|attachment| attachment.name.as_str());
        let by = Circumstances {
            volume: &pool.kind.name,
            level: &pool.level.name,
            attachment,
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
        // Rules of the catalog first, then what follows from counts and gaps of its tables.
        for rule in resolved.catalog.rules.iter().filter(|rule| rule.is_broken(&by)) {
            broken.push(BrokenRule {
                id: rule.id.clone(),
                effect: rule.effect,
                message: rule.message.clone(),
                source: resolved.catalog.cited(&rule.source),
            });
        }
        let copies = configuration.mirror.copies();
        // Two copies on one volume would be lost together.
        if pool.count < copies && pool.kind.route != Route::Local {
            broken.push(BrokenRule {
                id: "mirror-needs-volumes".to_owned(),
                effect: Effect::Forbids,
                message: format!(
                    "a {} mirror needs {copies} volumes, but there is {}",
                    configuration.mirror, pool.count
                ),
                source: "iotrial, because each copy needs its own volume".to_owned(),
            });
        }
        if !machine.takes(pool.kind) {
            // The catalog's own reason is the best one, but it speaks about attached volumes and says nothing
            // about the local disk.
            let why = machine.gap.clone().filter(|_| pool.kind.route != Route::Local).unwrap_or_else(|| {
                format!("the catalog has no limits of {} for {}", machine.name, pool.kind.name)
            });
            broken.push(BrokenRule {
                id: "limits-unknown".to_owned(),
                effect: Effect::Forbids,
                message: why,
                source: machine_source(),
            });
        }
    }
    let attached: Vec<Attached<'_>> = resolved.pools.iter().map(ResolvedPool::attached).collect();
    if let Some(found) = machine.too_many(&attached) {
        broken.push(BrokenRule {
            id: "too-many-volumes".to_owned(),
            effect: Effect::Forbids,
            message: format!(
                "{} takes at most {} volumes {}, not {}",
                machine.name,
                found.most,
                if found.in_all { "in total" } else { "of this kind" },
                found.count
            ),
            source: machine_source(),
        });
    }
    for limit in &resolved.catalog.capacity_limits {
        let of_it = resolved.pools.iter().filter(|pool| holds_for(&limit.volumes, &pool.kind.name));
        let gib: f64 = of_it.map(|pool| pool.total_gib()).sum();
        if gib > limit.gib_max as f64 {
            broken.push(BrokenRule {
                id: "too-much-capacity".to_owned(),
                effect: Effect::Forbids,
                message: format!(
                    "a machine takes at most {} GiB of {} in total, not {}",
                    grouped(limit.gib_max as f64),
                    limit.name,
                    grouped(gib)
                ),
                source: resolved.catalog.cited(&limit.source),
            });
        }
    }
    if configuration.replicas > 0 && machine.network.is_none() {
        broken.push(BrokenRule {
            id: "network-unknown".to_owned(),
            effect: Effect::Warns,
            message: format!(
                "the network rate of {} is not in the catalog, so the writes to {} other machine{} are not checked against a limit",
                machine.name,
                configuration.replicas,
                if configuration.replicas == 1 { "" } else { "s" }
            ),
            source: machine_source(),
        });
    }
    let caches = resolved.pools.iter().any(|pool| pool.host_cache != HostCache::None);
    // A missing limit is a warning and not an error: the rates may still hold, but nobody can say so.
    if caches && machine.host_cache.is_none() {
        broken.push(BrokenRule {
            id: "no-host-cache".to_owned(),
            effect: Effect::Warns,
            message: format!(
                "the host cache limits of {} are not in the catalog, so none are applied",
                machine.name
            ),
            source: machine_source(),
        });
    }
    // `false` sorts before `true`. The sort is stable, so pools keep their order; what every pool repeats, such
    // as a rule about the machine, is said once.
    broken.sort_by_key(|rule| rule.effect == Effect::Warns);
    let mut once: Vec<BrokenRule> = Vec::new();
    for rule in broken {
        if !once.contains(&rule) {
            once.push(rule);
        }
    }
    once
}
