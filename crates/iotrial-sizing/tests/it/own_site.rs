//! An own site: adapters, ports, RAID groups and spindles.

use iotrial_model::load::{Direction, Role};
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::chain::Chain;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::explanation::{Explanation, Question};
use iotrial_sizing::measure::Load;
use iotrial_sizing::measured::{
    BoundBy, MeasuredAgainst, MeasuredBound, MeasuredStream, Measurement, PartOfPath,
};
use iotrial_sizing::price::CostPart;
use iotrial_sizing::rule::broken_rules;

const ALL_FLASH: &str = include_str!("../../../../catalogs/example-all-flash.toml");
const REPLICATED: &str = include_str!("../../../../catalogs/example-replicated.toml");
const EXAMPLE: &str = include_str!("../../../../catalogs/example-own-site.toml");

fn luns(level: &str, count: u32, more: &str) -> Configuration {
    let text = format!(
        "format = \"iotrial.configuration/1\"\nprovider = \"own-site\"\nmachine = \"db01\"\n{more}\n[[pool]]\nroles = [\"data\", \"log\"]\nvolume = \"lun\"\nlevel = \"{level}\"\nsize = \"500GiB\"\ncount = {count}\n"
    );
    Configuration::parse(&text).unwrap()
}

#[track_caller]
fn check(configuration: &Configuration, load: &Load, binds: &str, iops: f64) {
    let catalog = Catalog::parse(EXAMPLE).unwrap();
    let chain = Chain::of(&configuration.on(&catalog).unwrap(), false);
    let nearest = chain.headrooms(load)[0];
    assert_eq!(nearest.element.name, binds);
    assert!((nearest.factor - iops).abs() < 1.0, "{}", nearest.factor);
}

/// 16 spindles do 2,880 disk I/Os: a write to RAID 10 costs two of them, one to RAID 5 four.
#[test]
fn spindles_bind_random_io_and_writes_cost_what_their_raid_level_says() {
    check(&luns("raid10-8", 2, ""), &Load::mix(0, 100.0, 8192.0), "2 × raid10-8", 2_880.0);
    check(&luns("raid10-8", 2, ""), &Load::mix(0, 70.0, 8192.0), "2 × raid10-8", 2_880.0 / 1.3);
    check(&luns("raid5-5", 2, ""), &Load::mix(0, 70.0, 8192.0), "2 × raid5-5", 1_800.0 / 1.9);
}

/// Two adapters carry 380 MB/s, and the spindles behind them 800.
#[test]
fn adapters_bind_large_reads_and_their_queues_bind_what_takes_long() {
    check(&luns("raid10-8", 2, ""), &Load::mix(0, 100.0, 262_144.0), "2 × HBA", 380e6 / 262_144.0);
    // 64 I/Os in flight at 50 ms each are 1,280 a second.
    let slow = luns("raid10-8", 2, "latency_mean = \"50ms\"");
    check(&slow, &Load::mix(0, 100.0, 8192.0), "queues of 2 × HBA", 1_280.0);
    let few = luns("raid10-8", 2, "latency_mean = \"5ms\"\noutstanding = 8");
    check(&few, &Load::mix(0, 100.0, 8192.0), "I/Os in flight", 1_600.0);
}

/// Closed sequential reads of 64 KiB, as many outstanding as told.
fn closed(outstanding: u32, iops: f64) -> Measurement {
    let stream = MeasuredStream {
        role: Some(Role::Scan),
        direction: Direction::Read,
        iops,
        block_size_bytes: 65_536.0,
        latency_mean_us: Some(1e6 * f64::from(outstanding) / iops),
    };
    Measurement {
        label: outstanding.to_string(),
        streams: vec![stream],
        outstanding: Some(f64::from(outstanding)),
        ..Measurement::default()
    }
}

#[track_caller]
fn bounds(loads: &[(u32, f64)], expected: &[BoundBy]) -> Vec<MeasuredBound> {
    let catalog = Catalog::parse(EXAMPLE).unwrap();
    let text = "format = \"iotrial.configuration/1\"\nprovider = \"own-site\"\nmachine = \"db01\"\n[[pool]]\nroles = [\"data\", \"log\", \"tempdb\", \"scan\", \"backup\"]\nvolume = \"lun\"\nlevel = \"raid10-8\"\nsize = \"500GiB\"\ncount = 8\n";
    let configuration = Configuration::parse(text).unwrap();
    let resolved = configuration.on(&catalog).unwrap();
    let chain = Chain::of(&resolved, false);
    let mut all: Vec<Measurement> =
        loads.iter().map(|(outstanding, iops)| closed(*outstanding, *iops)).collect();
    Measurement::compare_depths(&mut all);
    let against = all.iter().map(|one| MeasuredAgainst::new(one, &resolved, &chain).unwrap().bound);
    let found: Vec<MeasuredBound> = against.collect();
    assert_eq!(found.iter().map(|one| one.by()[0]).collect::<Vec<_>>(), expected);
    found
}

/// The paper's Figure 2: 200 MB/s with one I/O outstanding as with 64, of 380 that two adapters carry.
#[test]
fn a_closed_load_alone_leaves_the_limit_open_and_a_deeper_one_that_does_no_more_shows_the_dead_path() {
    use BoundBy::{Ceiling, Concurrency, Unknown};
    bounds(&[(64, 3_051.0)], &[Unknown]);
    bounds(&[(1, 3_051.0)], &[Unknown]);
    for bound in bounds(&[(1, 3_051.0), (64, 3_051.0)], &[Ceiling, Ceiling]) {
        let MeasuredBound::Ceiling { part, .. } = bound else { panic!("{bound:?}") };
        assert_eq!(part, Some(PartOfPath { name: "HBA".to_owned(), used: 1, count: 2 }));
    }
    bounds(&[(1, 1_000.0), (8, 2_500.0)], &[Concurrency, Unknown]);
    bounds(&[(8, 2_500.0), (10, 2_600.0)], &[Unknown, Unknown]);
    let bound = bounds(&[(8, 2_000.0), (32, 2_050.0)], &[Ceiling, Ceiling]).remove(0);
    assert!(matches!(bound, MeasuredBound::Ceiling { part: None, .. }), "{bound:?}");
}

#[test]
fn rules_look_at_the_roles_that_lie_on_a_pool() {
    let catalog = Catalog::parse(EXAMPLE).unwrap();
    let broken = broken_rules(&luns("raid5-5", 2, "").on(&catalog).unwrap());
    assert_eq!(broken.iter().map(|rule| rule.id()).collect::<Vec<_>>(), ["log-on-raid5"]);
    assert!(broken_rules(&luns("raid10-8", 2, "").on(&catalog).unwrap()).is_empty());
}

/// What a pool of another example reaches, what binds, and what its volumes cost a month.
fn reached(text: &str, machine: &str, pool: &str, load: &Load) -> (f64, String, f64) {
    let catalog = Catalog::parse(text).unwrap();
    let provider = &catalog.provider;
    let text = format!(
        "format = \"iotrial.configuration/1\"\nprovider = \"{provider}\"\nmachine = \"{machine}\"\n[[pool]]\n{pool}"
    );
    let configuration = Configuration::parse(&text).unwrap();
    let resolved = configuration.on(&catalog).unwrap();
    let explanation = Explanation::new(&resolved, &Question::default()).unwrap();
    let nearest = explanation.chain.headrooms(load)[0];
    (nearest.factor, nearest.element.name.clone(), explanation.cost.of_part(CostPart::Volumes))
}

/// Four LUNs may do 100,000 each; one controller writes 180,000. 3,000 GiB that reduce by 3 lie on 1,000 GiB of flash at 0.30.
#[test]
fn controllers_bind_an_all_flash_array_and_reduced_data_cost_what_lies_on_flash() {
    let luns = |level: &str| format!("volume = \"lun\"\nlevel = \"{level}\"\ncount = 4\nsize = \"750GiB\"\n");
    let of = |level: &str, read_percent| {
        reached(ALL_FLASH, "db01", &luns(level), &Load::mix(0, read_percent, 8192.0))
    };
    let (iops, binds, cost) = of("reduced-3", 0.0);
    assert_eq!((iops.round(), binds.as_str()), (180_000.0, "1 × controller (of two, one in reserve)"));
    assert!((cost - 300.0).abs() < 1e-9, "{cost}");
    let (iops, _, cost) = of("not-reduced", 100.0);
    assert_eq!(iops.round(), 400_000.0);
    assert!((cost - 900.0).abs() < 1e-9, "{cost}");
}

/// 20 devices do 500,000 I/Os: all of them reads, or 250,000 writes with two copies and 166,667 with three. Capacity costs as often.
#[test]
fn a_write_costs_as_many_as_there_are_copies_in_io_and_in_capacity() {
    let of = |volume: &str, count: u32, read_percent| {
        let pool = format!("volume = \"{volume}\"\ncount = {count}\nsize = \"{}GiB\"\n", 1_000 / count);
        reached(REPLICATED, "vm-large", &pool, &Load::mix(0, read_percent, 4096.0))
    };
    assert_eq!(of("two-copies", 1, 100.0).0.round(), 500_000.0);
    assert_eq!(of("two-copies", 1, 0.0).0.round(), 250_000.0);
    assert_eq!(of("three-copies", 1, 0.0).0.round(), 166_667.0);
    assert_eq!(of("three-copies", 4, 0.0).0.round(), 166_667.0, "more volumes lie on the same devices");
    assert!(
        (of("two-copies", 1, 0.0).2 - 100.0).abs() < 1e-9
            && (of("three-copies", 1, 0.0).2 - 150.0).abs() < 1e-9
    );
    // 20 devices transfer 12,000 MB/s: large writes take each byte twice, and a node has 5,800.
    let pool = "volume = \"three-copies\"\nsize = \"1000GiB\"\n";
    let (factor, binds, _) = reached(REPLICATED, "vm-large", pool, &Load::mix(0, 0.0, 1_048_576.0));
    assert!((factor * 1_048_576.0 - 4e9).abs() < 1.0 && binds.contains("three-copies"), "{factor} {binds}");
    let refused =
        |from: &str, to: &str| Catalog::parse(&REPLICATED.replacen(from, to, 1)).unwrap_err().to_string();
    assert!(refused("copies = 2, spindles", "spindles").contains("give `copies` with the level \"copies\""));
    assert!(
        refused("level = \"copies\", copies = 2", "level = \"raid5\", copies = 2")
            .contains("give `copies` with")
    );
    assert!(refused("copies = 2, source", "copies = 0.5, source").contains("must be 1 or more"));
}
