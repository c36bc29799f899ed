//! Pools of their own for data, log, tempdb and backup: held against brute force, and against what a vendor's document advises.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::cell::Cell;
use std::collections::BTreeMap;

use iotrial_model::demand::{Demand, DemandPool, DemandStream, LatencyClass, Mirror};
use iotrial_model::load::{Direction, Role};
use iotrial_model::units::ByteSize;
use iotrial_sizing::catalog::{Catalog, HostCache};
use iotrial_sizing::search::{Found, Search, search};
use oracle::{Answer, Asked, AskedOfAll, Choice, Io, REDUCED};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

#[path = "pools/oracle.rs"]
mod oracle;

/// One pool as a random demand asks for it: reads and writes with their block sizes, capacity, and what else it has to be.
#[derive(Debug, Clone)]
struct RandomPool {
    reads: (f64, f64),
    writes: (f64, f64),
    gib: u64,
    sub_ms: bool,
    may_be_lost: bool,
    cache_hit_percent: f64,
}

fn random_pool() -> impl Strategy<Value = RandomPool> {
    let blocks = || prop_oneof![Just(4_096.0), Just(8_192.0), Just(20_000.0), Just(65_536.0)];
    let rates = |most: f64| prop_oneof![1 => Just(0.0), 4 => 0.1..most];
    let cache = prop_oneof![3 => Just(0.0), 1 => Just(50.0), 1 => Just(80.0)];
    ((rates(18.0), blocks()), (rates(8.0), blocks()), 0u64..8, 0u32..4, 0u32..2, cache).prop_map(
        |(reads, writes, gib, latency, lost, cache_hit_percent)| RandomPool {
            reads,
            writes,
            gib,
            sub_ms: latency == 0,
            may_be_lost: lost == 0,
            cache_hit_percent,
        },
    )
}

#[derive(Debug, Clone)]
struct RandomDemand {
    demand: Demand,
    asked: AskedOfAll,
}

/// Roles in the order in which pools take them; the first is left to «the rest» now and then.
fn random_demand() -> impl Strategy<Value = RandomDemand> {
    let pools = prop_oneof![
        4 => proptest::collection::vec(random_pool(), 2),
        1 => proptest::collection::vec(random_pool(), 3),
    ];
    let words = (any::<bool>(), 0u32..2, 0u32..6, any::<bool>(), 0u32..3);
    let tolerance = prop_oneof![Just(0.0), Just(0.01), Just(0.1)];
    (pools, words, tolerance).prop_map(|(pools, (is_rest, replicas, mirror, burst, order), tolerance)| {
        let roles = match order {
            0 => [Role::Data, Role::Log, Role::Tempdb],
            1 => [Role::Data, Role::Tempdb, Role::Backup],
            _ => [Role::Data, Role::Log, Role::Backup],
        };
        let growth = 1.1;
        // What no pool names is the rest's, a log that nobody asks for included, and rules about logs hold for it.
        let log_is_named = roles[..pools.len()].contains(&Role::Log);
        let (mut streams, mut named, mut asked) = (Vec::new(), Vec::new(), Vec::new());
        let mut capacity = ByteSize::bytes(0);
        for (one, role) in pools.iter().zip(roles) {
            let of_rest = is_rest && role == Role::Data;
            // The rest neither may be lost nor has a cache or a latency of its own.
            let plain = |value: bool| value && !of_rest;
            let cache_hit_percent = if of_rest { 0.0 } else { one.cache_hit_percent };
            let mut ios = Vec::new();
            for (direction, (iops, block_size_bytes)) in [(Direction::Read, one.reads), (Direction::Write, one.writes)] {
                if iops > 0.0 {
                    streams.push(DemandStream { role: Some(role), direction, iops, block_size_bytes });
                    let is_shipped = role == Role::Log;
                    ios.push(Io { is_write: direction == Direction::Write, iops, bytes: block_size_bytes, is_shipped });
                }
            }
            if of_rest {
                capacity = ByteSize::gib(one.gib);
            } else {
                named.push(DemandPool {
                    capacity: ByteSize::gib(one.gib),
                    latency: one.sub_ms.then_some(LatencyClass::SubMs),
                    durable: !one.may_be_lost,
                    cache_hit_percent,
                    ..DemandPool::new(vec![role])
                });
            }
            // Nothing asked of the rest is no pool.
            if !of_rest || !ios.is_empty() || one.gib > 0 {
                asked.push(Asked {
                    ios,
                    gib: one.gib as f64 * growth,
                    sub_ms: plain(one.sub_ms),
                    may_be_lost: plain(one.may_be_lost),
                    has_log: role == Role::Log || (of_rest && !log_is_named),
                    cache_hit: cache_hit_percent / 100.0,
                });
            }
        }
        let mirror = if mirror == 0 { Mirror::TwoWay } else { Mirror::None };
        let demand = Demand {
            pools: named,
            capacity,
            growth_percent_per_year: 10.0,
            years: 1,
            mirror,
            replicas,
            allow_burst: burst,
            ..Demand::new("random", streams)
        };
        let asked = AskedOfAll {
            pools: asked,
            copies: f64::from(mirror.copies()),
            replicas: f64::from(replicas),
            burst,
            tolerance,
        };
        RandomDemand { demand, asked }
    })
}

/// What was found, by choice.
fn by_choice(found: &Found) -> BTreeMap<(String, Vec<(String, bool)>), Answer> {
    let choice = |one: &iotrial_sizing::explanation::Explanation| {
        let pools = one.configuration.pools.iter();
        let kinds = pools.map(|pool| (pool.volume.clone(), pool.host_cache != HostCache::None)).collect();
        let answer = Answer { cost: one.cost.per_month, count: one.volumes };
        ((one.configuration.machine.clone(), kinds), answer)
    };
    found.answers.iter().map(choice).collect()
}

/// Not the first answer only: each machine with each choice of kinds has the one that trying everything finds, with as many volumes;
/// and where few are asked for, they are the cheapest of these.
#[test]
fn every_answer_with_several_pools_equals_brute_force_for_a_thousand_random_demands() {
    let catalog = Catalog::parse(REDUCED).unwrap();
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 1_000, failure_persistence: None, max_shrink_iters: 300, ..Config::default() },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let [met, several, fewer, local, cached, together] = [const { Cell::new(0) }; 6];
    let count = |cell: &Cell<usize>, holds: bool| cell.set(cell.get() + usize::from(holds));
    let outcome = runner.run(&random_demand(), |RandomDemand { demand, asked }| {
        // A single pool is another test's.
        if asked.pools.len() < 2 || demand.streams.is_empty() {
            return Ok(());
        }
        let request = |answers: usize| Search { answers, tolerance: asked.tolerance, ..Search::default() };
        let found = search(&catalog, &demand, &request(10_000)).unwrap();
        for one in &found.answers {
            prop_assert!(one.fit.as_ref().unwrap().is_met, "{:?}", one.fit);
        }
        let expected = oracle::answers(&asked);
        let of: BTreeMap<(String, Vec<(String, bool)>), Answer> = expected
            .iter()
            .map(|((machine, kinds), answer): (&Choice, &Answer)| {
                let kinds = kinds.iter().map(|(kind, cached)| ((*kind).to_owned(), *cached)).collect();
                (((*machine).to_owned(), kinds), *answer)
            })
            .collect();
        let answers = by_choice(&found);
        let (ours, theirs): (Vec<_>, Vec<_>) = (answers.keys().collect(), of.keys().collect());
        prop_assert_eq!(ours, theirs);
        for (choice, answer) in &answers {
            let expected = &of[choice];
            prop_assert!((answer.cost - expected.cost).abs() < 1e-6, "{choice:?}: {answer:?}, not {expected:?}");
            prop_assert_eq!(answer.count, expected.count, "{:?}", choice);
        }
        // The first few, found with everything that cannot be among them left aside.
        let mut costs: Vec<f64> = of.values().map(|answer| answer.cost).collect();
        costs.sort_by(f64::total_cmp);
        for few in [1, 3] {
            let found = search(&catalog, &demand, &request(few)).unwrap();
            let first: Vec<f64> = found.answers.iter().map(|one| one.cost.per_month).collect();
            prop_assert_eq!(first.len(), costs.len().min(few));
            for (ours, theirs) in first.iter().zip(&costs) {
                prop_assert!((ours - theirs).abs() < 1e-6, "{first:?}, not {costs:?}");
            }
            let cheapest = oracle::answers(&AskedOfAll { tolerance: 0.0, ..asked.clone() });
            let least = cheapest.values().map(|answer| answer.cost).fold(f64::INFINITY, f64::min);
            let without = found.without_tolerance.as_ref().map(|one| one.per_month);
            let shown = without.or(first.first().copied()).unwrap_or(f64::INFINITY);
            prop_assert!(shown == least || (shown - least).abs() < 1e-6, "{shown}, not {least}");
            count(&fewer, cheapest != expected);
        }
        count(&met, !answers.is_empty());
        count(&several, answers.len() > 10);
        let has = |kind: &str| answers.keys().any(|(_, kinds)| kinds.iter().any(|(one, _)| one == kind));
        count(&local, has("own-disk"));
        count(&cached, answers.keys().any(|(_, kinds)| kinds.iter().any(|(_, cached)| *cached)));
        let twice = |kind: &str| {
            answers.keys().any(|(_, kinds)| kinds.iter().filter(|(one, _)| one == kind).count() > 1)
        };
        count(&together, twice("shared") && twice("pooled"));
        Ok(())
    });
    outcome.unwrap();
    let seen = [&met, &several, &fewer, &local, &cached, &together].map(Cell::get);
    assert!(seen[0] > 400 && seen[0] < 1_000, "{seen:?}: the test sees both sides");
    assert!(seen[1..].iter().all(|number| *number > 40), "{seen:?}: every kind of case is there");
}
