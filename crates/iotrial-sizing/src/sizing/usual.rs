//! What of an answer somebody would not expect who did not ask for it, and what the search takes for granted.

use iotrial_model::demand::{Demand, LatencyClass};
use iotrial_model::load::Role;

use crate::explanation::Explanation;

/// What somebody should know who did not ask for it.
#[derive(Debug, Clone, PartialEq)]
pub enum SizingDoubt {
    /// A machine, by name, has an ARM processor.
    Arm(String),
    /// The cache of the host is assumed to serve reads, which no vendor promises.
    Cache {
        /// Name of the machine.
        machine: String,
        /// Of the reads.
        percent: f64,
        /// Name of the pool.
        pool: String,
    },
    /// Volumes, by their kind, are as slow as rotating disks.
    RotatingDisks(String),
    /// I/O of several roles shares one stripe set.
    OneStripe(Vec<Role>),
    /// Which writes go to replicas.
    Shipped(Shipped),
    /// The cost leaves out machines that get the writes.
    OtherMachines {
        /// How many.
        others: u32,
        /// Whether the cost has a second machine.
        has_pair: bool,
    },
    /// No capacity is asked for, so that the volumes are as small as the rates allow.
    NoCapacity,
}

/// Which writes go to replicas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shipped {
    /// All of them, because the demand has no log of its own: an upper bound.
    All,
    /// Those of these roles.
    Roles(Vec<Role>),
}

/// What of an answer somebody would not expect who did not ask for it.
pub(super) fn doubts(answer: &Explanation, demand: &Demand) -> Vec<SizingDoubt> {
    let configuration = &answer.configuration;
    let machine = || configuration.machine.clone();
    let mut all: Vec<SizingDoubt> = answer.arm.then(|| SizingDoubt::Arm(machine())).into_iter().collect();
    let pools = configuration.pools.iter().enumerate();
    all.extend(pools.filter(|(_, pool)| pool.cache_hit_percent > 0.0).map(|(index, pool)| {
        SizingDoubt::Cache {
            machine: machine(),
            percent: pool.cache_hit_percent,
            pool: configuration.pool_name(index),
        }
    }));
    // Without a latency class any kind may win on price alone; rotating disks would surprise.
    if demand.latency.is_none() && answer.latency == Some(LatencyClass::Hdd) {
        all.push(SizingDoubt::RotatingDisks(configuration.pools[0].volume.clone()));
    }
    all
}

/// What the search takes for granted, where it makes a difference to this demand.
pub(super) fn assumptions(demand: &Demand, has_pair: bool) -> Vec<SizingDoubt> {
    let mut all = Vec::new();
    let mut roles: Vec<Role> = demand.streams.iter().filter_map(|stream| stream.role).collect();
    roles.sort_unstable_by_key(|role| role.as_str());
    roles.dedup();
    if roles.len() > 1 && demand.pools.is_empty() {
        all.push(SizingDoubt::OneStripe(roles));
    }
    if demand.replicas > 0 {
        all.push(SizingDoubt::Shipped(shipped(demand)));
        let others = demand.replicas - u32::from(has_pair);
        if others > 0 {
            all.push(SizingDoubt::OtherMachines { others, has_pair });
        }
    }
    if demand.capacity_gib() <= 0.0 {
        all.push(SizingDoubt::NoCapacity);
    }
    all
}

/// What of the writes goes to replicas.
fn shipped(demand: &Demand) -> Shipped {
    let log_is_apart = demand.streams.iter().any(|stream| stream.role == Some(Role::Log));
    let has_no_role = demand.streams.iter().any(|stream| stream.role.is_none());
    if demand.shipped.is_empty() && !log_is_apart && has_no_role {
        return Shipped::All;
    }
    Shipped::Roles(if demand.shipped.is_empty() { vec![Role::Log] } else { demand.shipped.clone() })
}
