//! An own site: adapters, ports, RAID groups and spindles.

#![allow(clippy::unwrap_used, reason = "tests")]

use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::chain::Chain;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::measure::Load;
use iotrial_sizing::rule::broken_rules;

const EXAMPLE: &str = include_str!("../../../catalogs/example-own-site.toml");

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

#[test]
fn rules_look_at_the_roles_that_lie_on_a_pool() {
    let catalog = Catalog::parse(EXAMPLE).unwrap();
    let broken = broken_rules(&luns("raid5-5", 2, "").on(&catalog).unwrap());
    assert_eq!(broken.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>(), ["log-on-raid5"]);
    assert!(broken_rules(&luns("raid10-8", 2, "").on(&catalog).unwrap()).is_empty());
}
