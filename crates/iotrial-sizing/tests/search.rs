//! The search: held against brute force and against the configurations of the documents.

#![allow(clippy::unwrap_used, reason = "tests")]

use iotrial_model::demand::{Demand, DemandStream, LatencyClass, Mirror, Os, StreamText};
use iotrial_model::load::Direction;
use iotrial_model::units::ByteSize;
use iotrial_sizing::catalog::{Catalog, HostCache};
use iotrial_sizing::chain::Chain;
use iotrial_sizing::configuration::{Configuration, Pool};
use iotrial_sizing::price::{GivenRate, Money, cost_of};
use iotrial_sizing::requirement::Fit;
use iotrial_sizing::search::{Search, curve_of, search};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Small enough to try everything, with every way in which a price and a limit can grow.
const REDUCED: &str = r#"
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

[[volume]]
name = "scaled"
over_network = true
iops_unit_kib = 16
size_min_gib = 2
size_max_gib = 10
price = { per_gib_month = 0.9, per_vpu_gib_month = 0.1, source = "page" }
attachment = [{ name = "slow", iops_max = 22, source = "page" }, { name = "fast", source = "page" }]
source = "page"
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

[[volume]]
name = "bought"
latency = "sub-ms"
size_min_gib = 1
size_max_gib = 5
provisioned = { iops_included = 4, iops_per_gib_max = 3, iops_max = 12, mb_per_s_included = 1, mb_per_s_per_iops_max = 0.4, mb_per_s_max = 4 }
price = { per_gib_month = 2.0, per_iops_month = 0.7, iops_above = [{ iops = 8, per_iops_month = 0.3 }], per_mb_per_s_month = 1.1, source = "page" }
source = "page"

[[volume]]
name = "shared"
latency = "hdd"
shared_by_machine = true
size_min_gib = 1
size_max_gib = 8
read_iops_base = 3
read_iops_per_gib = 2.5
write_iops_per_gib = 1.5
mb_per_s_per_gib = 0.13
price = { per_gib_month = 0.8, source = "page" }
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
  { name = "some", volumes = ["bought", "shared"], iops = 40, mb_per_s = 2.5, burst_iops = 50 },
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

/// Every configuration of the reduced catalog.
fn everything(catalog: &Catalog, demand: &Demand) -> Vec<Configuration> {
    let mut pools = Vec::new();
    let mut add = |volume: &str,
                   level: &str,
                   sizes: std::ops::RangeInclusive<u64>,
                   iops: Option<f64>,
                   bandwidth: Option<f64>,
                   attachment: Option<&str>| {
        for size_gib in sizes {
            for count in 1..=3 {
                pools.push(Pool {
                    roles: Vec::new(),
                    volume: volume.to_owned(),
                    level: level.to_owned(),
                    count,
                    size_gib,
                    iops,
                    bandwidth,
                    attachment: attachment.map(str::to_owned),
                    host_cache: HostCache::None,
                    cache_hit_percent: 0.0,
                });
            }
        }
    };
    for level in ["low", "high"] {
        for attachment in ["slow", "fast"] {
            add("scaled", level, 2..=10, None, None, Some(attachment));
        }
    }
    add("shared", "", 1..=8, None, None, None);
    for iops in 4..=12 {
        for bandwidth in 1..=4 {
            add("bought", "", 1..=5, Some(f64::from(iops)), Some(f64::from(bandwidth) * 1e6), None);
        }
    }
    let memory = demand.memory_min.get().div_ceil(ByteSize::GIB.get());
    let machines: Vec<(&str, Option<u32>)> =
        vec![("flexible", Some(1)), ("flexible", Some(2)), ("flexible", Some(3)), ("fixed", None)];
    let mut all = Vec::new();
    for (machine, ocpus) in machines {
        for pool in &pools {
            all.push(Configuration {
                title: String::new(),
                provider: catalog.provider.clone(),
                machine: machine.to_owned(),
                ocpus,
                memory_gib: ocpus.map(|ocpus| f64::from(ocpus).max(memory as f64)),
                os: demand.os,
                licence: demand.licence,
                clustered: demand.clustered,
                mirror: demand.mirror,
                replicas: demand.replicas,
                outstanding: None,
                latency_mean_us: None,
                pools: vec![pool.clone()],
            });
        }
    }
    all
}

/// The slow and obvious way: each configuration is put together, held against the demand, and priced.
fn brute_force(catalog: &Catalog, demand: &Demand) -> Option<f64> {
    let mut best: Option<f64> = None;
    for configuration in everything(catalog, demand) {
        let Ok(resolved) = configuration.on(catalog) else { continue };
        let load = resolved.load_of(demand).unwrap();
        let chain = Chain::of(&resolved, demand.allow_burst);
        if !chain.carries(&load) || !Fit::new(&resolved, &chain, demand, &load).is_met {
            continue;
        }
        let cost = cost_of(&resolved, &Money::default()).unwrap().per_month;
        if best.is_none_or(|best| cost < best) {
            best = Some(cost);
        }
    }
    best
}

fn stream(direction: Direction, iops: f64, block_size_bytes: f64) -> DemandStream {
    DemandStream { role: None, direction, iops, block_size_bytes }
}

fn demands() -> impl Strategy<Value = Demand> {
    let blocks = || prop_oneof![Just(4_096.0), Just(8_192.0), Just(20_000.0), Just(65_536.0)];
    // Many small I/Os, or a few of a megabyte, for which bandwidth is bought and IOPS for the bandwidth.
    let rates = || {
        prop_oneof![
            3 => (0.0..45.0_f64, blocks()),
            1 => (0.0..5.0_f64, Just(1_000_000.0)),
        ]
    };
    let words = (any::<bool>(), any::<bool>(), any::<bool>(), 0u32..4, 0u32..3, 0u32..3);
    (rates(), rates(), 0u64..24, 0u32..8, 0u64..12, words).prop_map(
        |((reads, read_block), (writes, write_block), capacity, vcpus, memory, words)| {
            let (windows, burst, licence, latency, replicas, mirror) = words;
            let streams = vec![
                stream(Direction::Read, reads + 0.1, read_block),
                stream(Direction::Write, writes / 2.0 + 0.1, write_block),
            ];
            Demand {
                capacity: ByteSize::gib(capacity),
                vcpus_min: vcpus,
                memory_min: ByteSize::gib(memory),
                os: if windows { Os::Windows } else { Os::Linux },
                licence,
                latency: [None, None, Some(LatencyClass::Hdd), Some(LatencyClass::SubMs)][latency as usize],
                replicas: replicas % 2,
                mirror: if mirror == 2 { Mirror::TwoWay } else { Mirror::None },
                allow_burst: burst,
                growth_percent_per_year: 10.0,
                years: replicas,
                ..Demand::new("random", streams)
            }
        },
    )
}

#[test]
fn the_cheapest_equals_brute_force_for_a_thousand_random_demands() {
    let catalog = Catalog::parse(REDUCED).unwrap();
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 1_000, failure_persistence: None, ..Config::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let met = std::cell::Cell::new(0);
    let outcome = runner.run(&demands(), |demand| {
        let found = search(&catalog, &demand, &Search { answers: 1, ..Search::default() }).unwrap();
        let cheapest = found.answers.first().map(|answer| answer.cost.per_month);
        if let Some(answer) = found.answers.first() {
            met.set(met.get() + 1);
            prop_assert!(answer.fit.as_ref().unwrap().is_met, "{:?}", answer.fit);
        } else {
            prop_assert!(found.nearest.is_some());
        }
        let expected = brute_force(&catalog, &demand);
        match (cheapest, expected) {
            (Some(cheapest), Some(expected)) => {
                prop_assert!((cheapest - expected).abs() < 1e-6, "{cheapest} instead of {expected}");
            }
            (cheapest, expected) => prop_assert_eq!(cheapest, expected),
        }
        Ok(())
    });
    outcome.unwrap();
    assert!((300..900).contains(&met.get()), "{} demands are met: the test sees both sides", met.get());
}

fn oci_demand(megabytes_per_s: f64, licence: bool) -> Demand {
    let text: StreamText = format!("{megabytes_per_s}MB/s@64KiB").parse().unwrap();
    Demand {
        os: Os::Windows,
        licence,
        memory_min: ByteSize::gib(64),
        ..Demand::new("throughput", vec![stream(Direction::Read, text.iops, text.block_size_bytes)])
    }
}

fn cheapest_on_oci(demand: &Demand) -> f64 {
    let catalog = Catalog::built_in_of("oci").unwrap();
    let found = search(&catalog, demand, &Search { answers: 3, ..Search::default() }).unwrap();
    for answer in &found.answers {
        assert!(answer.fit.as_ref().unwrap().is_met, "{}", answer.configuration.in_short());
    }
    found.answers[0].cost.per_month
}

/// The configurations of document 001, for the bandwidth that they deliver and the capacity that they hold, at their price.
#[test]
fn every_configuration_of_document_001_is_found_at_its_price_or_a_lower_one() {
    // MB/s that it delivers, GiB that it holds, USD a month with the licence where the document has it.
    let check = |megabytes_per_s: f64, gib: u64, usd: f64, licence: bool| {
        let demand = Demand { capacity: ByteSize::gib(gib), ..oci_demand(megabytes_per_s, licence) };
        let cheapest = cheapest_on_oci(&demand);
        assert!(cheapest <= usd + 0.005, "{megabytes_per_s} MB/s and {gib} GiB: {cheapest:.2}, not {usd}");
    };
    check(1_920.0, 1_430, 1_719.45, true);
    check(2_680.0, 1_490, 2_502.53, true);
    check(1_920.0, 5_670, 569.49, false);
    check(4_800.0, 9_072, 1_697.45, true);
}

/// What the same bandwidth costs when nothing but it is asked for: the table of the survey of cloud limits, with the licence.
#[test]
fn the_cheaper_configurations_of_the_survey_are_found_or_beaten() {
    let check = |megabytes_per_s: f64, usd: f64| {
        let cheapest = cheapest_on_oci(&oci_demand(megabytes_per_s, true));
        assert!(cheapest <= usd + 0.5, "{megabytes_per_s} MB/s: {cheapest:.2}, not {usd}");
    };
    check(1_920.0, 676.0);
    check(2_000.0, 792.0);
    check(4_500.0, 1_556.0);
}

/// Baseline and burst: an instance that holds its maximum for half an hour is not enough for good.
#[test]
fn bursts_count_only_where_they_are_allowed() {
    let catalog = Catalog::built_in_of("aws").unwrap();
    let only = Search { answers: 1, machines: vec!["r5b.large".to_owned()], ..Search::default() };
    let demand = Demand::new("burst", vec![stream(Direction::Read, 10_000.0, 8192.0)]);
    let steady = search(&catalog, &demand, &only).unwrap();
    assert!(steady.answers.is_empty());
    let nearest = steady.nearest.unwrap();
    assert!(nearest.wall.contains("EBS limit, IOPS: 10,000 of 5,417 IOPS"), "{}", nearest.wall);
    assert!((nearest.carries_times.unwrap() - 0.5417).abs() < 1e-6);
    let bursting = search(&catalog, &Demand { allow_burst: true, ..demand }, &only).unwrap();
    assert_eq!(bursting.answers[0].configuration.machine, "r5b.large");
}

/// Disks of Google share their limits on a machine, reads and writes share the IOPS, and more disks of the same price gain nothing.
#[test]
fn google_disks_share_their_iops_and_the_fewest_are_taken() {
    let catalog = Catalog::built_in_of("gcp").unwrap();
    let search_one = Search { answers: 1, ..Search::default() };
    let oltp = |reads: f64, writes: f64| Demand {
        capacity: ByteSize::gib(4096),
        ..Demand::new(
            "oltp",
            vec![stream(Direction::Read, reads, 8192.0), stream(Direction::Write, writes, 8192.0)],
        )
    };
    let found = |demand: &Demand| search(&catalog, demand, &search_one).unwrap().answers.remove(0);
    let answer = found(&oltp(44_000.0, 11_000.0));
    assert_eq!(answer.configuration.pools[0].count, 1, "{}", answer.configuration.in_short());
    for share in &answer.fit.unwrap().shares {
        assert!(share.percent <= 100.0 + 1e-6, "{share:?}");
    }
    // 80,000 IOPS are 80,000, whatever their direction.
    let reads = found(&oltp(79_999.0, 1.0)).cost.per_month;
    let halves = found(&oltp(40_000.0, 40_000.0)).cost.per_month;
    assert!((reads - halves).abs() < 0.01, "{reads} and {halves}");
}

/// What is known in part is explained, and is no answer; and the volume that an instance starts from takes an attachment.
#[test]
fn answers_can_be_built_and_their_cost_is_whole() {
    let search_all = Search { answers: 50, ..Search::default() };
    let demand = Demand {
        capacity: ByteSize::gib(4096),
        ..Demand::new("oltp", vec![stream(Direction::Read, 40_000.0, 8192.0)])
    };
    let azure = search(&Catalog::built_in_of("azure").unwrap(), &demand, &search_all).unwrap();
    let kinds: Vec<&str> =
        azure.answers.iter().map(|one| one.configuration.pools[0].volume.as_str()).collect();
    assert!(!kinds.is_empty() && !kinds.iter().any(|kind| kind.starts_with("standard-")), "{kinds:?}");
    assert!(
        azure.left_out.iter().any(|note| note.contains("price of its transactions")),
        "{:?}",
        azure.left_out
    );
    let aws = search(&Catalog::built_in_of("aws").unwrap(), &demand, &search_all).unwrap();
    for answer in aws.answers.iter().filter(|answer| answer.configuration.machine.starts_with("r6i.")) {
        assert!(
            answer.configuration.pools[0].count <= 26,
            "28 less interface and start: {}",
            answer.configuration.in_short()
        );
    }
    let x86 = search(&Catalog::built_in_of("aws").unwrap(), &demand, &Search { no_arm: true, ..search_all })
        .unwrap();
    assert!(aws.answers.iter().any(|answer| answer.arm) && x86.answers.iter().all(|answer| !answer.arm));
}

#[test]
fn a_demand_that_nothing_meets_is_answered_with_the_wall_and_what_comes_closest() {
    let catalog = Catalog::built_in_of("oci").unwrap();
    let search_one = Search { answers: 1, ..Search::default() };
    let huge = Demand::new("huge", vec![stream(Direction::Read, 2_000_000.0, 4096.0)]);
    let nearest = search(&catalog, &huge, &search_one).unwrap().nearest.unwrap();
    assert!(nearest.wall.starts_with("instance limit, IOPS: 2,000,000 of 625,000"), "{}", nearest.wall);
    assert!((nearest.carries_times.unwrap() - 0.3125).abs() < 1e-6);
    assert!(nearest.closest.unwrap().configuration.machine.starts_with("BM."));
    let small = vec![stream(Direction::Read, 100.0, 8192.0)];
    let too_much_memory = Demand { memory_min: ByteSize::gib(1 << 20), ..Demand::new("memory", small) };
    let nearest = search(&catalog, &too_much_memory, &search_one).unwrap().nearest.unwrap();
    assert_eq!(nearest.carries_times, None);
    assert_eq!(nearest.wall, "the wall is the memory: 1024 TiB is asked, and at most 1,049 GiB can be had");
    assert_eq!(nearest.closest.unwrap().configuration.machine, "VM.Standard.E5.Flex");
    let many = vec![stream(Direction::Read, 100.0, 8192.0)];
    let many = Demand { vcpus_min: 100_000, ..Demand::new("processors", many) };
    let nearest = search(&catalog, &many, &search_one).unwrap().nearest.unwrap();
    assert!(nearest.wall.contains("100000 are asked, and at most 252 can be had"), "{}", nearest.wall);
}

#[test]
fn a_currency_without_a_rate_is_refused_and_a_rate_brings_it_in() {
    let catalog = Catalog::built_in_of("azure").unwrap();
    let demand = Demand::new("small", vec![stream(Direction::Read, 1_000.0, 8192.0)]);
    let in_euros = Money { currency: Some("EUR".to_owned()), ..Money::default() };
    let error =
        search(&catalog, &demand, &Search { money: in_euros, answers: 1, ..Search::default() }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the catalog `azure` is priced in USD, and there is no rate from USD to EUR"
    );
    assert!(error.hint().unwrap().contains("--rate USD/EUR="));
    // Premium SSD v2 is priced in pounds.
    let dollars = search(&catalog, &demand, &Search { answers: 1, ..Search::default() }).unwrap();
    assert!(
        dollars.left_out.iter().any(|note| note.contains("its price is in GBP; --rate GBP/USD=…")),
        "{:?}",
        dollars.left_out
    );
    let money = Money { rates: vec!["GBP/USD=1.3".parse::<GivenRate>().unwrap()], ..Money::default() };
    let only = Search { money, answers: 1, volumes: vec!["premium-ssd-v2".to_owned()], ..Search::default() };
    let pounds = search(&catalog, &demand, &only).unwrap();
    assert_eq!(pounds.answers[0].cost.rates[0].per_unit, 1.3);
}

#[test]
fn the_cost_curve_never_falls_and_meets_the_answer_at_one() {
    let catalog = Catalog::built_in_of("gcp").unwrap();
    let demand = Demand {
        os: Os::Windows,
        ..Demand::new(
            "oltp",
            vec![stream(Direction::Read, 20_000.0, 8192.0), stream(Direction::Write, 8_000.0, 8192.0)],
        )
    };
    let search_one = Search { answers: 1, ..Search::default() };
    let curve = curve_of(&catalog, &demand, &search_one).unwrap();
    let costs: Vec<f64> = curve.points.iter().filter_map(|point| point.per_month).collect();
    assert!(costs.is_sorted(), "{costs:?}");
    let answer = search(&catalog, &demand, &search_one).unwrap();
    assert_eq!(curve.at(1.0).unwrap().per_month, Some(answer.answers[0].cost.per_month));
}

#[test]
fn every_provider_has_answers_in_order_of_their_cost() {
    let demand = Demand {
        capacity: ByteSize::gib(4096),
        memory_min: ByteSize::gib(128),
        ..Demand::new(
            "oltp",
            vec![stream(Direction::Read, 60_000.0, 8192.0), stream(Direction::Write, 20_000.0, 8192.0)],
        )
    };
    let search_five = Search { answers: 5, ..Search::default() };
    for catalog in Catalog::built_in() {
        let found = search(&catalog, &demand, &search_five).unwrap();
        let costs: Vec<f64> = found.answers.iter().map(|answer| answer.cost.per_month).collect();
        assert!(costs.len() == 5 && costs.is_sorted(), "{}: {costs:?}", catalog.provider);
        let choices: Vec<_> = found
            .answers
            .iter()
            .map(|answer| {
                let pool = &answer.configuration.pools[0];
                (&answer.configuration.machine, &pool.volume, &pool.level)
            })
            .collect();
        assert!((0..5).all(|one| !choices[..one].contains(&choices[one])), "{choices:?}");
    }
}
