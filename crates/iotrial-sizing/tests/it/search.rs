//! The search: held against brute force and against the configurations of the documents.

use iotrial_model::demand::{Demand, DemandStream, LatencyClass, Mirror, Os, StreamText};
use iotrial_model::load::{Direction, Role};
use iotrial_model::units::ByteSize;
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::measure::Measure;
use iotrial_sizing::price::{GivenRate, Money};
use iotrial_sizing::search::{NotSearched, Requirement, Search, Wall, WallAmount, curve_of, search};
use oracle::{Answer, REDUCED};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

mod oracle;

fn stream(direction: Direction, iops: f64, block_size_bytes: f64) -> DemandStream {
    DemandStream { role: None, direction, iops, block_size_bytes }
}

fn demands() -> impl Strategy<Value = (Demand, f64)> {
    let blocks = || prop_oneof![Just(4_096.0), Just(8_192.0), Just(20_000.0), Just(65_536.0)];
    // Many small I/Os, or a few of a megabyte, for which bandwidth is bought and IOPS for the bandwidth.
    let rates = || {
        prop_oneof![
            3 => (0.0..45.0_f64, blocks()),
            1 => (0.0..5.0_f64, Just(1_000_000.0)),
        ]
    };
    let roles = || {
        prop_oneof![
            4 => Just(None),
            1 => Just(Some(Role::Data)),
            1 => Just(Some(Role::Log)),
            2 => Just(Some(Role::Scan)),
        ]
    };
    let words = (any::<bool>(), any::<bool>(), any::<bool>(), 0u32..4, 0u32..3, 0u32..3);
    let tolerance = prop_oneof![Just(0.0), Just(0.01), Just(0.1)];
    (rates(), rates(), (roles(), roles()), 0u64..24, 0u32..8, 0u64..12, words, tolerance).prop_map(
        |((reads, read_block), (writes, write_block), roles, capacity, vcpus, memory, words, tolerance)| {
            let (windows, burst, licence, latency, replicas, mirror) = words;
            let streams = vec![
                DemandStream { role: roles.0, ..stream(Direction::Read, reads + 0.1, read_block) },
                DemandStream { role: roles.1, ..stream(Direction::Write, writes / 2.0 + 0.1, write_block) },
            ];
            let demand = Demand {
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
            };
            (demand, tolerance)
        },
    )
}

/// Not the first answer only: each machine and level has the one that trying everything finds, with as many volumes.
#[test]
fn every_answer_equals_brute_force_for_two_thousand_random_demands() {
    let catalog = Catalog::parse(REDUCED).unwrap();
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 2_000, failure_persistence: None, ..Config::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let met = std::cell::Cell::new(0);
    let fewer = std::cell::Cell::new(0);
    let outcome = runner.run(&demands(), |(demand, tolerance)| {
        let all = Search { answers: 50, tolerance, ..Search::default() };
        let found = search(&catalog, &demand, &all).unwrap();
        let answers: Vec<Answer> = found
            .answers
            .iter()
            .map(|one| Answer { cost: one.cost.per_month, count: one.configuration.pools[0].count })
            .collect();
        for one in &found.answers {
            prop_assert!(one.fit.as_ref().unwrap().is_met, "{:?}", one.fit);
        }
        prop_assert_eq!(answers.is_empty(), found.nearest.is_some());
        met.set(met.get() + usize::from(!answers.is_empty()));
        let expected = oracle::answers(&demand, tolerance);
        let cheapest = oracle::answers(&demand, 0.0);
        fewer.set(fewer.get() + usize::from(expected != cheapest));
        prop_assert_eq!(answers.len(), expected.len(), "{:?} instead of {:?}", answers, expected);
        // Answers that cost the same may stand in either order.
        let sorted = |mut all: Vec<Answer>| {
            all.sort_by(|a, b| {
                let whole = |one: &Answer| (one.cost * 1e4).round();
                whole(a).total_cmp(&whole(b)).then(a.count.cmp(&b.count))
            });
            all
        };
        for (answer, expected) in sorted(answers).iter().zip(sorted(expected)) {
            prop_assert!((answer.cost - expected.cost).abs() < 1e-6, "{answer:?} instead of {expected:?}");
            prop_assert_eq!(answer.count, expected.count);
        }
        Ok(())
    });
    outcome.unwrap();
    assert!((500..1_800).contains(&met.get()), "{} demands are met: the test sees both sides", met.get());
    assert!(fewer.get() > 50, "{} answers have fewer volumes than the cheapest", fewer.get());
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
    assert_eq!(limit_of(&nearest.wall), ("EBS limit".to_owned(), Measure::Iops, 5_417.0));
    assert!((nearest.carries_times.unwrap() - 0.5417).abs() < 1e-6);
    let bursting = search(&catalog, &Demand { allow_burst: true, ..demand }, &only).unwrap();
    assert_eq!(bursting.answers[0].configuration.machine, "r5b.large");
}

/// Disks of Google share their limits on a machine, reads and writes share the IOPS, and more disks of the same price gain nothing.
#[test]
fn google_disks_share_their_iops_and_the_fewest_are_taken() {
    let catalog = Catalog::built_in_of("gcp").unwrap();
    let volumes = ["pd-balanced", "pd-ssd", "pd-extreme"].map(str::to_owned).to_vec();
    let search_one = Search { answers: 1, volumes, ..Search::default() };
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
    let is_part =
        |one: &NotSearched| matches!(one, NotSearched::PartUnpriced { part, .. } if part == "transactions");
    assert!(azure.left_out.iter().any(is_part), "{:?}", azure.left_out);
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
    assert_eq!(limit_of(&nearest.wall), ("instance limit".to_owned(), Measure::Iops, 1_300_000.0));
    assert!((nearest.carries_times.unwrap() - 0.65).abs() < 1e-6);
    assert!(nearest.closest.unwrap().configuration.machine.starts_with("BM."));
    let small = vec![stream(Direction::Read, 100.0, 8192.0)];
    let too_much_memory = Demand { memory_min: ByteSize::gib(1 << 20), ..Demand::new("memory", small) };
    let nearest = search(&catalog, &too_much_memory, &search_one).unwrap().nearest.unwrap();
    assert_eq!(nearest.carries_times, None);
    let memory = WallAmount::Memory { needed: ByteSize::gib(1 << 20), most_gib: 2_304.0 };
    assert_eq!(nearest.wall, Wall::Amount { amount: memory, unpriced: Vec::new() });
    assert_eq!(nearest.closest.unwrap().configuration.machine, "BM.Standard.E5.192");
    let many = vec![stream(Direction::Read, 100.0, 8192.0)];
    let many = Demand { vcpus_min: 100_000, ..Demand::new("processors", many) };
    let nearest = search(&catalog, &many, &search_one).unwrap().nearest.unwrap();
    let vcpus = WallAmount::Vcpus { needed: 100_000, most: 384 };
    assert_eq!(nearest.wall, Wall::Amount { amount: vcpus, unpriced: Vec::new() });
}

#[test]
fn where_only_disks_of_the_machine_are_asked_for_that_the_data_outlive_it_is_in_the_way() {
    let catalog = Catalog::built_in_of("oci").unwrap();
    let volumes = vec!["local-disk".to_owned()];
    let local = Search { answers: 1, volumes, ..Search::default() };
    let demand = Demand {
        capacity: ByteSize::gib(2_048),
        ..Demand::new("local", vec![stream(Direction::Read, 400_000.0, 8192.0)])
    };
    let nearest = search(&catalog, &demand, &local).unwrap().nearest.unwrap();
    assert_eq!(nearest.wall, Wall::Requirements(vec![Requirement::Durability(None)]));
    assert!(nearest.closest.unwrap().configuration.pools.iter().all(|pool| pool.volume == "local-disk"));
    // Of volumes that last it never was.
    let huge = Demand::new("huge", vec![stream(Direction::Read, 2_000_000.0, 4096.0)]);
    let nearest = search(&catalog, &huge, &Search { answers: 1, ..Search::default() }).unwrap().nearest;
    assert!(matches!(nearest.unwrap().wall, Wall::Limit { .. }));
}

/// The part, the measure and the most of a limit that is in the way.
fn limit_of(wall: &Wall) -> (String, Measure, f64) {
    let Wall::Limit { share: Some(share), .. } = wall else { panic!("{wall:?}") };
    (share.element.clone(), share.measure, share.most.round())
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
        "the catalog `azure` has prices in USD, and there is no exchange rate from USD to EUR"
    );
    assert!(error.hint().unwrap().contains("--rate USD/EUR="));
    // A kind that is priced in another currency than its catalog.
    let text = Catalog::built_in_text("azure").unwrap();
    let price = "price = { per_gib_month = 0.081,";
    assert!(text.contains(price));
    let text = text.replace(price, "price = { currency = \"GBP\", per_gib_month = 0.081,");
    let catalog = Catalog::parse(&text).unwrap();
    let dollars = search(&catalog, &demand, &Search { answers: 1, ..Search::default() }).unwrap();
    let (volume, from, to) = ("Premium SSD v2".to_owned(), "GBP".to_owned(), "USD".to_owned());
    assert!(dollars.left_out.contains(&NotSearched::NoRate { volume, from, to }), "{:?}", dollars.left_out);
    assert_eq!(dollars.without, ["Premium SSD v2"], "the headline has to say it");
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
    // The same volumes priced one by one and together: the last bits of the sum differ.
    let (of_curve, of_search) = (curve.at(1.0).unwrap().per_month.unwrap(), answer.answers[0].cost.per_month);
    assert!((of_curve - of_search).abs() < 1e-6, "{of_curve} and {of_search}");
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
