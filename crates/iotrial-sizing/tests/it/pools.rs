//! Pools of their own for data, log, tempdb and backup: held against brute force, and against what a vendor's document advises.

use std::cell::Cell;
use std::collections::BTreeMap;

use iotrial_model::demand::{Demand, DemandPool, DemandStream, LatencyClass, Mirror};
use iotrial_model::load::{Direction, Role};
use iotrial_model::units::ByteSize;
use iotrial_sizing::catalog::{Catalog, HostCache};
use iotrial_sizing::search::{Found, Search, search};
use oracle::{Answer, Asked, AskedOfAll, Io, REDUCED};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

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
    tolerance: f64,
}

/// Roles in the order in which pools take them; the first is left to «the rest» now and then.
fn random_demand() -> impl Strategy<Value = RandomDemand> {
    let pools = prop_oneof![
        6 => proptest::collection::vec(random_pool(), 2),
        1 => proptest::collection::vec(random_pool(), 3),
    ];
    let words = (any::<bool>(), 0u32..2, 0u32..6, any::<bool>(), 0u32..3, 0u32..10);
    let tolerance = prop_oneof![Just(0.0), Just(0.01), Just(0.1)];
    (pools, words, tolerance).prop_map(
        |(pools, (is_rest, replicas, mirror, burst, order, tries), tolerance)| {
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
                for (direction, (iops, block_size_bytes)) in
                    [(Direction::Read, one.reads), (Direction::Write, one.writes)]
                {
                    if iops > 0.0 {
                        streams.push(DemandStream { role: Some(role), direction, iops, block_size_bytes });
                        let is_shipped = role == Role::Log;
                        ios.push(Io {
                            is_write: direction == Direction::Write,
                            iops,
                            bytes: block_size_bytes,
                            is_shipped,
                        });
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
                // Every size of everything now and then; of three pools it would be too much.
                tries_all: tries == 0 && pools.len() == 2,
            };
            RandomDemand { demand, asked, tolerance }
        },
    )
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
    let outcome = runner.run(&random_demand(), |RandomDemand { demand, asked, tolerance }| {
        // A single pool is another test's.
        if asked.pools.len() < 2 || demand.streams.is_empty() {
            return Ok(());
        }
        let request = |answers: usize| Search { answers, tolerance, ..Search::default() };
        let found = search(&catalog, &demand, &request(10_000)).unwrap();
        for one in &found.answers {
            prop_assert!(one.fit.as_ref().unwrap().is_met, "{:?}", one.fit);
        }
        let everything = oracle::everything_that_does(&asked);
        let of: BTreeMap<(String, Vec<(String, bool)>), Answer> = everything
            .iter()
            .map(|((machine, kinds), list)| {
                let kinds = kinds.iter().map(|(kind, cached)| ((*kind).to_owned(), *cached)).collect();
                (((*machine).to_owned(), kinds), oracle::answer(list, tolerance))
            })
            .collect();
        let cheapest: Vec<Answer> = everything.values().map(|list| oracle::answer(list, 0.0)).collect();
        let least = cheapest.iter().map(|answer| answer.cost).fold(f64::INFINITY, f64::min);
        let answers = by_choice(&found);
        let (ours, theirs): (Vec<_>, Vec<_>) = (answers.keys().collect(), of.keys().collect());
        prop_assert_eq!(ours, theirs);
        for (choice, answer) in &answers {
            let expected = &of[choice];
            prop_assert!(
                (answer.cost - expected.cost).abs() < 1e-6,
                "{choice:?}: {answer:?}, not {expected:?}"
            );
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
            let without = found.without_tolerance.as_ref().map(|one| one.per_month);
            let shown = without.or(first.first().copied()).unwrap_or(f64::INFINITY);
            prop_assert!(shown == least || (shown - least).abs() < 1e-6, "{shown}, not {least}");
        }
        count(&fewer, !cheapest.iter().eq(of.values()));
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

fn stream(role: Role, direction: Direction, iops: f64, block_size_bytes: f64) -> DemandStream {
    DemandStream { role: Some(role), direction, iops, block_size_bytes }
}

/// Document 003: «Placing Temp DB on the Local SSD would bring the maximum performance with no additional cost for storage», data on
/// premium disks that the host caches, the log on a faster kind of disk.
#[test]
fn data_is_cached_and_tempdb_is_on_the_disk_of_the_machine_as_document_003_advises() {
    let catalog = Catalog::built_in_of("azure").unwrap();
    let request = Search {
        answers: 1,
        tolerance: 0.01,
        machines: vec!["Standard_DS14_v2".to_owned()],
        volumes: vec!["premium-ssd".to_owned(), "ultra-disk".to_owned(), "local-disk".to_owned()],
        ..Search::default()
    };
    let demand = |pools: [&str; 3]| Demand {
        pools: pools.map(|pool| pool.parse().unwrap()).to_vec(),
        ..Demand::new(
            "003",
            vec![
                stream(Role::Data, Direction::Read, 24_000.0, 8_192.0),
                stream(Role::Data, Direction::Write, 6_000.0, 8_192.0),
                stream(Role::Log, Direction::Write, 4_000.0, 16_384.0),
                stream(Role::Tempdb, Direction::Read, 5_000.0, 16_384.0),
                stream(Role::Tempdb, Direction::Write, 5_000.0, 16_384.0),
            ],
        )
    };
    let answer = |pools| search(&catalog, &demand(pools), &request).unwrap().answers.remove(0);
    let kinds = |one: &iotrial_sizing::explanation::Explanation| -> Vec<String> {
        one.configuration.pools.iter().map(|pool| pool.volume.clone()).collect()
    };
    let advised = answer(["data=1TiB,cache=75", "log=100GiB,sub-ms", "tempdb=150GiB"]);
    assert_eq!(
        kinds(&advised),
        ["premium-ssd", "ultra-disk", "local-disk"],
        "{}",
        advised.configuration.in_short()
    );
    let data = &advised.configuration.pools[0];
    assert_eq!(data.host_cache, HostCache::ReadOnly);
    // A quarter of 24,000 reads and 6,000 writes reach the disks: 12,000 are three P30 of 5,000 each, and 30,000 would be six.
    assert_eq!((data.level.as_str(), data.count), ("P30", 3));
    assert_eq!(advised.volumes, 4, "the disk of the machine is none that is bought");
    // All that is cached and all of the local disk pass one limit: 30,000 I/Os of 8 KiB and 10,000 of 16 KiB, hits or not.
    let pools = &advised.pools;
    let shared = pools[2].fullest_shared.as_ref().unwrap();
    assert!(
        shared.element.contains("cache and local disk") && (shared.used - 409.6e6).abs() < 1.0,
        "{shared:?}"
    );
    assert_eq!(pools[2].per_month, Some(0.0));
    let bought = answer(["data=1TiB,cache=75", "log=100GiB,sub-ms", "tempdb=150GiB,durable"]);
    assert!(bought.cost.per_month > advised.cost.per_month + 50.0, "{}", bought.configuration.in_short());
    assert!(!kinds(&bought).contains(&"local-disk".to_owned()));
    let uncached = answer(["data=1TiB", "log=100GiB,sub-ms", "tempdb=150GiB"]);
    assert_eq!(uncached.configuration.pools[0].count, 6, "{}", uncached.configuration.in_short());
}

/// A disk that the machine loses is not for what has to last, and none of its capacity is for other pools.
#[test]
fn a_configuration_is_held_against_each_pool_of_a_demand() {
    use iotrial_sizing::configuration::Configuration;
    use iotrial_sizing::explanation::{Explanation, Question};
    use iotrial_sizing::requirement::Unmet;
    let catalog = Catalog::built_in_of("azure").unwrap();
    let demand = Demand {
        pools: vec!["log=300GiB,sub-ms".parse().unwrap(), "tempdb=100GiB".parse().unwrap()],
        capacity: ByteSize::gib(1_000),
        ..Demand::new("three", vec![stream(Role::Log, Direction::Write, 500.0, 8_192.0)])
    };
    let unmet = |text: &str| -> Vec<Unmet> {
        let text = format!(
            "format = \"iotrial.configuration/1\"\nprovider = \"azure\"\nmachine = \"Standard_DS14_v2\"\n{text}"
        );
        let configuration = Configuration::parse(&text).unwrap();
        let question = Question { demand: Some(&demand), ..Question::default() };
        let explanation = Explanation::new(&configuration.on(&catalog).unwrap(), &question).unwrap();
        explanation.fit.unwrap().unmet
    };
    let pool = |roles: &str, rest: &str| {
        let roles = if roles.is_empty() { String::new() } else { format!("roles = [{roles}]\n") };
        format!("[[pool]]\n{roles}{rest}\n")
    };
    let disks =
        |level: &str, count: u32| format!("volume = \"premium-ssd\"\nlevel = \"{level}\"\ncount = {count}");
    let ultra = "volume = \"ultra-disk\"\nsize = \"300GiB\"\niops = 1000\nbandwidth = \"100MB/s\"";
    let data = "\"data\", \"scan\", \"backup\"";
    let good = pool(data, &disks("P30", 1))
        + &pool("\"log\"", ultra)
        + &pool("\"tempdb\"", "volume = \"local-disk\"");
    assert_eq!(unmet(&good), Vec::new());
    // Together there is enough, and the log has too little of it, too slowly.
    let small = pool(data, &disks("P30", 4))
        + &pool("\"log\"", &disks("P10", 1))
        + &pool("\"tempdb\"", "volume = \"local-disk\"");
    let found = unmet(&small);
    let is_of_log = |one: &Unmet| match one {
        Unmet::Capacity { needed_gib, pool, .. } => *needed_gib == 300.0 && pool.as_deref() == Some("log"),
        Unmet::Latency(slow) => slow.needed == LatencyClass::SubMs && slow.pool.as_deref() == Some("log"),
        _ => false,
    };
    assert_eq!(found.iter().filter(|one| is_of_log(one)).count(), 2, "{found:?}");
    let lost = pool("\"log\"", "volume = \"local-disk\"") + &pool("", &disks("P30", 2));
    let found = unmet(&lost);
    let is_lost = |one: &Unmet| matches!(one, Unmet::Durability { pool, .. } if pool == "log");
    assert!(found.iter().any(is_lost), "{found:?}");
}

/// Places belong to the machine and to the kind, whatever lies on the volumes.
#[test]
fn volumes_of_all_pools_are_counted_together_and_those_of_a_kind_by_its_own_limit() {
    use iotrial_sizing::configuration::Configuration;
    use iotrial_sizing::rule::{Breach, broken_rules};
    let catalog = Catalog::parse(REDUCED).unwrap();
    let broken = |pools: [(&str, u32); 2]| -> Vec<Breach> {
        let pool = |(role, (volume, count)): (&str, (&str, u32))| {
            let rest = match volume {
                "scaled" => "level = \"high\"\nattachment = \"fast\"\n",
                "pooled" => "level = \"premium\"\n",
                _ => "",
            };
            format!(
                "[[pool]]\nroles = [\"{role}\"]\nvolume = \"{volume}\"\n{rest}count = {count}\nsize = \"2GiB\"\n"
            )
        };
        let pools: String = ["data", "log"].into_iter().zip(pools).map(pool).collect();
        let text = format!(
            "format = \"iotrial.configuration/1\"\nprovider = \"reduced\"\nmachine = \"caching\"\n{pools}"
        );
        let configuration = Configuration::parse(&text).unwrap();
        let rules = broken_rules(&configuration.on(&catalog).unwrap());
        rules.into_iter().map(|rule| rule.breach).collect()
    };
    let too_many =
        |in_all| Breach::TooManyVolumes { machine: "caching".to_owned(), most: 3, count: 4, in_all };
    assert_eq!(broken([("scaled", 2), ("shared", 1)]), Vec::new());
    assert_eq!(broken([("scaled", 2), ("shared", 2)]), [too_many(true)]);
    assert_eq!(broken([("shared", 2), ("shared", 2)]), [too_many(false)]);
    // What is mounted takes no place, and only its own kind counts.
    assert_eq!(broken([("pooled", 3), ("shared", 3)]), Vec::new());
}

/// «10 % more cost the same, with 20 volumes instead of 14» reads as if more were better: what other rates cost prefers fewer as the answer
/// does.
#[test]
fn more_and_less_have_the_tolerance_of_the_answer() {
    use iotrial_sizing::sizing::{RatesCost, Sizing, SizingPoint, size};
    let catalogs = [Catalog::built_in_of("oci").unwrap()];
    let no_role = |direction, iops| DemandStream { role: None, direction, iops, block_size_bytes: 8_192.0 };
    let demand = Demand {
        capacity: ByteSize::gib(4_096),
        memory_min: ByteSize::gib(128),
        ..Demand::new("oltp", vec![no_role(Direction::Read, 40_000.0), no_role(Direction::Write, 10_000.0)])
    };
    let sized = |tolerance| {
        let request = Search { answers: 1, tolerance, ..Search::default() };
        size(&catalogs, &demand, &request, &[]).unwrap()
    };
    let sizing = sized(0.01);
    assert_eq!(sizing.found[0].answers[0].volumes, 2);
    let costs = |sizing: &Sizing, times: f64| {
        let of = |point: &SizingPoint| match point {
            SizingPoint::Rates { times: one, cost } if *one == times => Some(cost.clone()),
            _ => None,
        };
        sizing.points.iter().find_map(of).unwrap()
    };
    // 25,000 IOPS for each volume: 55,000 take three, whose whole GiB are a little more than the capacity.
    let more = costs(&sizing, 1.1);
    assert!(
        matches!(&more, RatesCost::SameWith { instead } if instead.contains("3 × 1,366 GiB")),
        "{more:?}"
    );
    assert_eq!(costs(&sizing, 0.9), RatesCost::Same);
    let (RatesCost::SameWith { instead } | RatesCost::Other { instead, .. }) = costs(&sized(0.0), 1.1) else {
        panic!("more volumes are needed")
    };
    assert!(instead.contains("4 × 1,024 GiB"), "without a tolerance the cheapest to the GiB: {instead}");
}
