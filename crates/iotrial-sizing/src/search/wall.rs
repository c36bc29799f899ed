//! What is in the way where nothing meets a demand, and what comes closest.

use iotrial_model::demand::{Demand, LaidOutPool, LatencyClass, Mirror, Os};
use iotrial_model::units::ByteSize;

use super::{Nearest, Search, Space};
use crate::catalog::{Catalog, Route};
use crate::chain::ElementKind;
use crate::explanation::{ExplainError, Explanation};
use crate::requirement::Share;

/// What is in the way where nothing meets a demand.
#[derive(Debug, Clone, PartialEq)]
pub enum Wall {
    /// A limit of the closest configuration; `None` where it has none.
    Limit {
        /// How much of it the largest possible load takes.
        share: Option<Share>,
        /// Names of machines that would carry the demand and have no price.
        unpriced: Vec<String>,
    },
    /// An amount that is asked for.
    Amount {
        /// Which one.
        amount: WallAmount,
        /// Names of machines that would carry the demand and have no price.
        unpriced: Vec<String>,
    },
    /// Without any one of these there would be an answer; never empty.
    Requirements(Vec<Requirement>),
    /// Several requirements together: without one of them there is still no answer.
    Several,
}

/// An amount besides rates, with the most of it that can be had.
#[derive(Debug, Clone, PartialEq)]
pub enum WallAmount {
    /// Hardware threads.
    Vcpus {
        /// What is asked for.
        needed: u32,
        /// What there is.
        most: u32,
    },
    /// Memory.
    Memory {
        /// What is asked for.
        needed: ByteSize,
        /// What there is.
        most_gib: f64,
    },
    /// Capacity, each byte once.
    Capacity {
        /// What is asked for at the end of the years.
        needed_gib: f64,
        /// What there is.
        most_gib: f64,
    },
}

/// A requirement that is no amount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// How fast volumes answer, of a pool or of all.
    Latency {
        /// At least so fast.
        latency: LatencyClass,
        /// Name of the pool; `None` where it is asked of all.
        pool: Option<String>,
    },
    /// The kinds of volume of a pool, by its name.
    Kinds(String),
    /// That volumes outlive the machine, where only its own disks are asked for: of a pool by its name, or of all; `None` where there is
    /// one pool.
    Durability(Option<String>),
    /// Volumes that several machines share.
    Cluster,
    /// The operating system.
    Os(Os),
    /// Other machines that get the writes.
    Replicas,
    /// Copies on other volumes.
    Mirror,
}

/// How often the interval in which the largest possible load lies is halved.
// From 1 down, 44 halvings leave 2^-44; next to the smallest load that is tried, 2^-20, that is a relative
// error of 2^-24. A step asks tables that are already made, so it is cheap.
const NEAREST_STEPS: u32 = 44;

/// How often the interval of the largest amount that can be had is halved: 2^-20 is about a millionth.
// Fewer than above because each step makes a new space, with every machine and kind chosen again.
const AMOUNT_STEPS: u32 = 20;

/// Share of the fullest limit from which another limit counts as equally full.
// Sizes are bought in whole GiB and IOPS in whole numbers, so what is meant to be equally full differs by
// rounding. A thousandth covers that for all but the smallest volumes.
const FULL: f64 = 0.999;

/// What comes closest where nothing meets the demand: the most of its rates that can be had, or the requirement without which
/// there would be something.
pub(super) fn nearest(
    space: &Space<'_>,
    catalog: &Catalog,
    demand: &Demand,
    search: &Search,
) -> Result<Nearest, ExplainError> {
    // If even a millionth of the rates cannot be had, rates are not what is in the way.
    let smallest = 1.0 / f64::from(1 << 20);
    if space.cheapest(smallest).is_some() {
        let (mut possible, mut impossible) = (smallest, 1.0);
        // Bisection works because more load never becomes possible where less was not: all limits are linear
        // and prices do not matter here.
        for _ in 0..NEAREST_STEPS {
            let middle = f64::midpoint(possible, impossible);
            if space.cheapest(middle).is_some() { possible = middle } else { impossible = middle }
        }
        let pick = space.cheapest(possible).expect("it was there a moment ago");
        let closest = space.explain(&pick)?;
        let wall = Wall::Limit { share: wall_of(&closest).cloned(), unpriced: space.unpriced_that_carry() };
        return Ok(Nearest { carries_times: Some(possible), wall, closest: Some(Box::new(closest)) });
    }
    // Of an amount, the largest part that can be had is the limiting factor; of anything else, that it is
    // asked at all.
    for (what, change) in amounts(demand) {
        let with = |share: f64| {
            let mut less = demand.clone();
            change(&mut less, share);
            less
        };
        let is_there = |share: f64| -> Result<bool, ExplainError> {
            // The rates are set to next to nothing, so that only the amount decides.
            Ok(Space::new(catalog, &with(share), search)?.cheapest(smallest).is_some())
        };
        // Without this amount there would still be nothing, so it is not the one in the way.
        if !is_there(0.0)? {
            continue;
        }
        let (mut possible, mut impossible) = (0.0, 1.0);
        for _ in 0..AMOUNT_STEPS {
            let middle = f64::midpoint(possible, impossible);
            if is_there(middle)? { possible = middle } else { impossible = middle }
        }
        let unpriced = space.unpriced_that_carry();
        let less = with(possible);
        let space = Space::new(catalog, &less, search)?;
        // With the whole rates where that is possible.
        let pick =
            space.cheapest(1.0).or_else(|| space.cheapest(smallest)).expect("it was there a moment ago");
        let closest = space.explain(&pick)?;
        let wall = Wall::Amount { amount: what(&closest), unpriced };
        return Ok(Nearest { carries_times: None, wall, closest: Some(Box::new(closest)) });
    }
    let mut walls = Vec::new();
    // What is not an amount cannot be halved, only dropped.
    for (what, relaxed) in relaxations(demand).into_iter().chain(without_durability(catalog, demand, search))
    {
        let space = Space::new(catalog, &relaxed, search)?;
        if let Some(pick) = space.cheapest(1.0).or_else(|| space.cheapest(smallest)) {
            walls.push((what, space.explain(&pick)?));
        }
    }
    let wall = if walls.is_empty() {
        Wall::Several
    } else {
        Wall::Requirements(walls.iter().map(|(what, _)| what.clone()).collect())
    };
    let closest = walls.into_iter().next().map(|(_, closest)| Box::new(closest));
    Ok(Nearest { carries_times: None, wall, closest })
}

/// What of an amount there is, and how much was asked.
type AmountOf = Box<dyn Fn(&Explanation) -> WallAmount>;
/// Asks for this share of an amount.
type AmountChange = fn(&mut Demand, f64);

/// The amounts that a demand asks for besides rates.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes and counts, of which a share is taken"
)]
fn amounts(demand: &Demand) -> Vec<(AmountOf, AmountChange)> {
    let mut all: Vec<(AmountOf, AmountChange)> = Vec::new();
    if demand.vcpus_min > 0 {
        let needed = demand.vcpus_min;
        all.push((
            Box::new(move |closest| WallAmount::Vcpus { needed, most: closest.vcpus }),
            // The processors are rounded down, memory and capacity to whole bytes: at share 0 nothing is
            // asked.
            |demand, share| demand.vcpus_min = (f64::from(demand.vcpus_min) * share) as u32,
        ));
    }
    if demand.memory_min.get() > 0 {
        let needed = demand.memory_min;
        all.push((
            Box::new(move |closest| WallAmount::Memory { needed, most_gib: closest.memory_gib }),
            |demand, share| {
                demand.memory_min = ByteSize::bytes((demand.memory_min.get() as f64 * share) as u64);
            },
        ));
    }
    if demand.capacity_gib() > 0.0 {
        let needed_gib = demand.capacity_gib() / f64::from(demand.mirror.copies());
        all.push((
            Box::new(move |closest| WallAmount::Capacity { needed_gib, most_gib: closest.usable_gib }),
            |demand, share| {
                let part = |size: ByteSize| ByteSize::bytes((size.get() as f64 * share) as u64);
                // A size of zero asks for none, and would leave the capacity of the demand to another pool: a byte does not.
                for pool in demand.pools.iter_mut().filter(|pool| pool.capacity.get() > 0) {
                    pool.capacity = part(pool.capacity).max(ByteSize::bytes(1));
                }
                demand.capacity = part(demand.capacity);
            },
        ));
    }
    all
}

/// The limit that keeps the closest configuration from carrying more. The volumes are bought to be just
/// enough, so that they are as full as what cannot be bought; they are the limiting factor only where nothing
/// else is.
fn wall_of(closest: &Explanation) -> Option<&Share> {
    let shares = &closest.fit.as_ref()?.shares;
    let fullest = shares.first()?;
    // Among equally full limits a part that cannot be bought larger is the true reason.
    let is_full = |share: &&Share| share.percent >= fullest.percent * FULL;
    shares.iter().filter(is_full).find(|share| share.kind != ElementKind::Volumes).or(Some(fullest))
}

/// The demand without that a pool has to outlive the machine, of each pool for which somebody named disks of the machine itself.
fn without_durability(catalog: &Catalog, demand: &Demand, search: &Search) -> Vec<(Requirement, Demand)> {
    let is_local = |name: &String| {
        let local = catalog.volumes.iter().filter(|kind| kind.route == Route::Local);
        local.into_iter().any(|kind| kind.name == *name)
    };
    let layout = demand.layout();
    let pools = layout.iter().enumerate().filter(|(_, LaidOutPool { pool, .. })| {
        let wanted = if pool.volumes.is_empty() { &search.volumes } else { &pool.volumes };
        pool.durable && wanted.iter().any(is_local)
    });
    let without = |(index, LaidOutPool { pool, .. }): (usize, &LaidOutPool)| {
        let mut relaxed = demand.clone();
        // As they are laid out, so that the one that takes the rest has a name too.
        relaxed.pools = layout.iter().map(|one| one.pool.clone()).collect();
        relaxed.capacity = ByteSize::bytes(0);
        relaxed.pools[index].durable = false;
        (Requirement::Durability((layout.len() > 1).then(|| pool.name())), relaxed)
    };
    pools.map(without).collect()
}

/// The demand without one of its requirements at a time (those that are not amounts), and what was left out.
fn relaxations(demand: &Demand) -> Vec<(Requirement, Demand)> {
    let mut all = Vec::new();
    let mut without = |what: Requirement, change: &dyn Fn(&mut Demand)| {
        let mut relaxed = demand.clone();
        change(&mut relaxed);
        all.push((what, relaxed));
    };
    if let Some(latency) = demand.latency {
        without(Requirement::Latency { latency, pool: None }, &|one| one.latency = None);
    }
    for (index, pool) in demand.pools.iter().enumerate() {
        if let Some(latency) = pool.latency {
            let what = Requirement::Latency { latency, pool: Some(pool.name()) };
            without(what, &|one| one.pools[index].latency = None);
        }
        if !pool.volumes.is_empty() {
            without(Requirement::Kinds(pool.name()), &|one| one.pools[index].volumes.clear());
        }
    }
    if demand.clustered {
        without(Requirement::Cluster, &|one| one.clustered = false);
    }
    if demand.os != Os::Linux {
        without(Requirement::Os(demand.os), &|one| one.os = Os::Linux);
    }
    if demand.replicas > 0 {
        without(Requirement::Replicas, &|one| one.replicas = 0);
    }
    if demand.mirror != Mirror::None {
        without(Requirement::Mirror, &|one| one.mirror = Mirror::None);
    }
    all
}
