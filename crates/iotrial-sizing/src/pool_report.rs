//! One line for each pool of a configuration: what it is made of, what it holds and carries, which limit it meets first, and what it
//! costs.

use iotrial_model::demand::{Demand, LatencyClass};
use iotrial_model::load::Role;
use serde::Serialize;

use crate::catalog::Route;
use crate::chain::Chain;
use crate::configuration::{ConfigurationError, Resolved};
use crate::measure::Load;
use crate::price::{Money, volume_cost};
use crate::requirement::{Share, shares};

/// A pool of a configuration with what is asked of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoolReport {
    /// What it is called: its roles, or that it takes the rest.
    pub name: String,
    /// What lies on it.
    pub roles: Vec<Role>,
    /// The volumes in a few words.
    pub volumes: String,
    /// Whether it is a part of the machine, and lost with it.
    pub is_local: bool,
    /// How fast it answers; absent where no source says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<LatencyClass>,
    /// What of it holds data, each byte once.
    pub usable_gib: f64,
    /// What is asked of it at the end of the years, each byte once; absent where nothing is asked of this pool by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_gib: Option<f64>,
    /// What is asked of it; absent without a demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// The same in bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_bytes_per_s: Option<f64>,
    /// The fullest limit of its own volumes and their attachment; absent without a demand, or where nothing is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fullest: Option<Share>,
    /// The fullest limit that it shares with other pools: of the machine, its network, the cache of its host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fullest_shared: Option<Share>,
    /// A month of its volumes, in the currency of the sum; absent where no source has a price. What a capacity pool has beyond all
    /// volumes in it belongs to none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_month: Option<f64>,
}

impl PoolReport {
    /// Each pool of a configuration; none where it has only one.
    pub(crate) fn all(
        resolved: &Resolved<'_>,
        chain: &Chain,
        demand: Option<&Demand>,
        money: &Money,
    ) -> Result<Vec<Self>, ConfigurationError> {
        if resolved.pools.len() == 1 {
            return Ok(Vec::new());
        }
        let load = demand.map(|demand| resolved.load_of(demand)).transpose()?;
        Ok((0..resolved.pools.len())
            .map(|pool| Self::new(resolved, chain, demand.zip(load.as_ref()), money, pool))
            .collect())
    }

    fn new(
        resolved: &Resolved<'_>,
        chain: &Chain,
        asked: Option<(&Demand, &Load)>,
        money: &Money,
        pool: usize,
    ) -> Self {
        let (demand, load) = asked.unzip();
        let own = &resolved.pools[pool];
        let is_local = own.kind.route == Route::Local;
        let copies = if is_local { 1.0 } else { f64::from(resolved.configuration.mirror.copies()) };
        let of_pool = load.map(|load| Load {
            streams: load.streams.iter().filter(|one| one.pool == pool).copied().collect(),
        });
        // How full a limit is says everything on it; whether the pool meets it, only its own I/O.
        let touched = of_pool.as_ref().map_or_else(Vec::new, |own| shares(chain, own));
        let is_touched = |share: &Share| {
            touched.iter().any(|own| {
                own.element == share.element && own.measure == share.measure && own.kind == share.kind
            })
        };
        let all = load.map_or_else(Vec::new, |load| shares(chain, load));
        let mut fullest = all.into_iter().filter(is_touched);
        let (own_shares, shared): (Vec<Share>, Vec<Share>) =
            fullest.by_ref().partition(|share| share.kind.is_of_volumes());
        let asked_gib = demand.filter(|demand| !demand.pools.is_empty()).map(|demand| {
            let here = demand.layout().into_iter().map(|one| one.pool);
            let here = here.filter(|asked| resolved.pool_of(asked.roles.first().copied()) == Ok(pool));
            here.map(|asked| demand.grown_gib(asked.capacity)).sum()
        });
        let hours = money.hours_for(resolved.catalog);
        let per_month = own.level.price.as_ref().and_then(|price| {
            let one = volume_cost(own.level, own.size_gib, own.iops, own.bandwidth, hours)?;
            Some(one * f64::from(own.count) * money.factor(resolved.catalog, &price.currency)?)
        });
        Self {
            name: resolved.pool_name(pool),
            roles: resolved.roles_of(pool),
            volumes: resolved.configuration.pools[pool].in_short(),
            is_local,
            latency: own.kind.latency,
            usable_gib: own.total_gib() / copies,
            asked_gib,
            iops: of_pool.as_ref().map(Load::iops),
            bandwidth_bytes_per_s: of_pool.as_ref().map(Load::bandwidth),
            fullest: own_shares.into_iter().next(),
            fullest_shared: shared.into_iter().next(),
            per_month,
        }
    }
}
