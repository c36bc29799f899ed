//! Where an answer once cost money: one test for each mistake that a review found, with the right value from its source.

use iotrial_model::demand::{Demand, DemandStream, LatencyClass, Os, StreamText};
use iotrial_model::load::{Direction, Role};
use iotrial_model::units::ByteSize;
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::chain::Chain;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::explanation::{Explanation, Mix, Question};
use iotrial_sizing::floor::{FloorRule, VcpuFloor};
use iotrial_sizing::measure::Measure;
use iotrial_sizing::measured::{BoundBy, MeasuredBound, Measurement};
use iotrial_sizing::price::{CostPart, GivenRate, MissingPrice, Money, cost_of};
use iotrial_sizing::rule::{Breach, BrokenRule};
use iotrial_sizing::search::{Found, NotSearched, Search, Wall, WallAmount, search};
use iotrial_sizing::sizing::{
    AgainstAnswer, NearestLimit, RatesCost, Shipped, Sizing, SizingAnswer, SizingDoubt, SizingPoint, Smaller,
    size,
};

const MIB: f64 = 1_048_576.0;

fn built_in(provider: &str) -> Catalog {
    Catalog::built_in_of(provider).unwrap()
}

fn configuration(provider: &str, machine: &str, rest: &str) -> Configuration {
    let text = format!(
        "format = \"iotrial.configuration/1\"\nprovider = \"{provider}\"\nmachine = \"{machine}\"\n{rest}"
    );
    Configuration::parse(&text).unwrap()
}

fn explained(configuration: &Configuration, question: &Question<'_>) -> Explanation {
    let catalog = built_in(&configuration.provider);
    Explanation::new(&configuration.on(&catalog).unwrap(), question).unwrap()
}

/// What one direction reaches by itself.
fn alone(configuration: &Configuration, measure: Measure) -> (f64, String) {
    let explained = explained(configuration, &Question::default());
    let one = explained.alone.iter().find(|one| one.measure == measure).unwrap();
    (one.most.unwrap(), one.binds.clone().unwrap())
}

/// Bytes per second of reads at a block size.
fn reads(configuration: &Configuration, block_size_bytes: f64) -> (f64, String) {
    let mixes = [Mix { read_percent: 100.0, block_size_bytes }];
    let explained = explained(configuration, &Question { mixes: &mixes, ..Question::default() });
    (explained.mixes[0].bandwidth_bytes_per_s.unwrap(), explained.mixes[0].binds.clone().unwrap())
}

fn streams(texts: &[(Direction, &str)]) -> Vec<DemandStream> {
    let one = |(direction, text): &(Direction, &str)| {
        let text: StreamText = text.parse().unwrap();
        DemandStream {
            role: None,
            direction: *direction,
            iops: text.iops,
            block_size_bytes: text.block_size_bytes,
        }
    };
    texts.iter().map(one).collect()
}

fn demand(reads: &str, writes: &str, capacity_gib: u64) -> Demand {
    let texts = [(Direction::Read, reads), (Direction::Write, writes)];
    let given: Vec<_> = texts.into_iter().filter(|(_, text)| !text.is_empty()).collect();
    Demand { capacity: ByteSize::gib(capacity_gib), ..Demand::new("a demand", streams(&given)) }
}

/// As the program searches where nothing else is said.
fn usual() -> Search {
    Search { answers: 3, tolerance: 0.01, ..Search::default() }
}

fn only(volume: &str) -> Search {
    Search { volumes: vec![volume.to_owned()], ..usual() }
}

fn find(provider: &str, demand: &Demand, search_as: &Search) -> Found {
    search(&built_in(provider), demand, search_as).unwrap()
}

fn sized(provider: &str, demand: &Demand, against: &[Configuration]) -> Sizing {
    size(&[built_in(provider)], demand, &usual(), against).unwrap()
}

/// D1. azure-netapp-files-resource-limits.md (2025-06-10): 4,500 MiB/s for one volume, whatever its level and size.
#[test]
fn a_limit_beside_levels_holds_for_all_of_them() {
    let one = configuration(
        "azure",
        "Standard_E104ids_v5",
        "[[pool]]\nvolume = \"netapp-files\"\nlevel = \"premium\"\nsize = \"102400GiB\"\n",
    );
    assert_eq!(alone(&one, Measure::ReadBandwidth), (4_500.0 * MIB, "1 × netapp-files premium".to_owned()));
    let fast = demand("6000MB/s@256KiB", "", 0);
    let single = Search { volumes_max: Some(1), ..only("netapp-files") };
    assert!(find("azure", &fast, &single).answers.is_empty(), "6,000 of 4,719 MB/s");
    let two = find("azure", &fast, &only("netapp-files"));
    assert!(two.answers[0].configuration.pools[0].count >= 2);
    // 15,984 MB/s together, which three volumes had at 5,328 each: four are the fewest.
    let mixed = Demand {
        streams: streams(&[
            (Direction::Read, "140000iops@64KiB"),
            (Direction::Write, "36394iops@64KiB"),
            (Direction::Read, "50000iops@32KiB"),
        ]),
        ..demand("1iops@4KiB", "", 3_642)
    };
    let together: f64 = mixed.streams.iter().map(DemandStream::bandwidth).sum();
    let least = (together / (4_500.0 * MIB)).ceil();
    for answer in find("azure", &mixed, &only("netapp-files")).answers {
        assert!(
            f64::from(answer.configuration.pools[0].count) >= least,
            "{}",
            answer.configuration.in_short()
        );
    }
}

/// D2. awsdocs, ebs-volume-types.md: st1 earns 40 MiB/s for each TiB, and a random I/O of 1 MiB or less takes a credit of 1 MiB.
#[test]
fn rotating_disks_with_credits_do_as_many_random_io_as_they_earn_mebibytes() {
    let ten =
        configuration("aws", "r5b.24xlarge", "[[pool]]\nvolume = \"st1\"\ncount = 10\nsize = \"125GiB\"\n");
    // 125 GiB earn 4.88 MiB/s, which the guide's table rounds to 5.
    let credits = 10.0 * 125.0 / 1024.0 * 40.0;
    assert!((alone(&ten, Measure::ReadIops).0 - credits).abs() < 1e-6, "about 50, not 5,000");
    let (bandwidth, binds) = reads(&ten, 8192.0);
    assert!((bandwidth - credits * 8192.0).abs() < 1.0 && binds == "10 × st1", "{bandwidth} by {binds}");
    // Sequential I/Os are merged: 4.88 MiB/s of each disk, as the guide's baseline says.
    let mut scans = ten;
    scans.pools[0].roles = vec![Role::Scan];
    assert!((reads(&scans, 65_536.0).0 - credits * MIB).abs() < 1.0);
    // 5,000 random I/Os a second take 125 TiB of it, and 500 a volume is the most.
    let asked = demand("5000iops@8KiB", "", 1024);
    let answer = &find("aws", &asked, &only("st1")).answers[0];
    let pool = &answer.configuration.pools[0];
    assert!((pool.size_gib * u64::from(pool.count)).abs_diff(128_000) < u64::from(pool.count), "{pool:?}");
    for answer in find("aws", &asked, &usual()).answers {
        assert_ne!(answer.configuration.pools[0].volume, "st1");
    }
    let scan = Demand {
        streams: vec![DemandStream { role: Some(Role::Scan), ..asked.streams[0].clone() }],
        ..asked
    };
    let volumes: Vec<String> = find("aws", &scan, &Search { answers: 50, ..usual() })
        .answers
        .iter()
        .map(|one| one.configuration.pools[0].volume.clone())
        .collect();
    assert!(volumes.iter().any(|volume| volume == "st1"), "{volumes:?}");
}

/// D4. Google, «Persistent Disk» (2026-04-09): SSD disks are for single-digit milliseconds. Oracle's pages state no latency, and
/// neither do those on Azure NetApp Files; Microsoft's (disks-types.md, 2026-08-11) state Premium SSD v2 below a millisecond.
#[test]
fn latency_classes_are_what_vendors_say_and_unknown_is_said_to_be_so() {
    let class = |provider: &str, volume: &str| built_in(provider).volume(volume).unwrap().latency;
    assert_eq!(class("gcp", "pd-ssd"), Some(LatencyClass::SingleDigitMs));
    assert_eq!(class("azure", "premium-ssd"), Some(LatencyClass::SingleDigitMs));
    assert_eq!(class("azure", "standard-ssd"), Some(LatencyClass::SingleDigitMs));
    assert_eq!(class("azure", "premium-ssd-v2"), Some(LatencyClass::SubMs));
    assert_eq!(class("aws", "io2"), Some(LatencyClass::SubMs));
    assert_eq!((class("oci", "block-volume"), class("azure", "netapp-files")), (None, None));
    let fast = Demand {
        latency: Some(LatencyClass::SubMs),
        memory_min: ByteSize::gib(128),
        ..demand("40000iops@8KiB", "10000iops@8KiB", 4096)
    };
    // No persistent disk is so fast. Hyperdisk Balanced is, by Google's page («designed for sub-millisecond latencies»).
    let google = find("gcp", &fast, &usual()).answers.remove(0);
    assert_eq!(google.configuration.pools[0].volume, "hyperdisk-balanced");
    let oci = find("oci", &fast, &usual());
    assert!(oci.answers.is_empty());
    let unknown = oci.of_unknown_latency.unwrap();
    assert_eq!((unknown.configuration.pools[0].volume.as_str(), unknown.latency), ("block-volume", None));
    let sizing = size(&Catalog::built_in(), &fast, &Search { money: months(), ..usual() }, &[]).unwrap();
    assert_eq!(
        sizing.found[sizing.cheapest.unwrap()].answers[0].configuration.pools[0].volume,
        "premium-ssd-v2"
    );
    let is_unknown = |point: &SizingPoint| {
        matches!(point, SizingPoint::LatencyUnknown { title, volumes, .. }
            if title == "Oracle Cloud Infrastructure" && volumes == &["block-volume"])
    };
    assert!(sizing.points.iter().any(is_unknown), "{:?}", sizing.points);
}

fn months() -> Money {
    Money { hours_per_month: Some(730.0), ..Money::default() }
}

/// D5. Retail prices of East US: 0.081 for a GiB and month, 0.000007 for an IOPS and hour, 0.000055 for an MB/s and hour.
#[test]
fn premium_ssd_v2_is_searched_in_dollars_and_what_is_not_searched_stands_in_the_headline() {
    let one = configuration(
        "azure",
        "Standard_E16bds_v5",
        "[[pool]]\nvolume = \"premium-ssd-v2\"\nsize = \"4096GiB\"\niops = 50000\nbandwidth = \"410MB/s\"\n",
    );
    let volumes = explained(&one, &Question::default()).cost.of_part(CostPart::Volumes);
    let expected = 4096.0 * 0.081 + 47_000.0 * 0.000_007 * 730.0 + 285.0 * 0.000_055 * 730.0;
    assert!((volumes - expected).abs() < 1e-6, "{volumes} instead of {expected}");
    let asked = Demand { memory_min: ByteSize::gib(128), ..demand("40000iops@8KiB", "10000iops@8KiB", 4096) };
    let azure = sized("azure", &asked, &[]);
    let answer = &azure.found[0].answers[0];
    assert_eq!(answer.configuration.pools[0].volume, "premium-ssd-v2");
    assert!(answer.cost.per_month <= 1_560.0, "{}: it was 2,327", answer.cost.per_month);
    assert_eq!(without(&azure), Vec::<&str>::new());
    // Hyperdisk is looked at since 2026-11, and is cheaper than the 1,831 USD of persistent disks.
    let google = sized("gcp", &asked, &[]);
    assert!(google.found[0].answers[0].cost.per_month < 1_831.0 && without(&google).is_empty());
    // Where the disk on which databases usually lie is not in a catalog, that decides, and the headline says so.
    let gap = "[[gap]]\nmain_disk = \"Hyperdisk\"\ntext = \"Hyperdisk\"\nsource = \"hyperdisk\"\n";
    let text = format!("{}\n{gap}", Catalog::built_in_text("gcp").unwrap());
    let found = size(&[Catalog::parse(&text).unwrap()], &asked, &usual(), &[]).unwrap();
    assert_eq!(without(&found), ["Hyperdisk"]);
}

/// The disks on which databases usually lie and that were not looked at.
fn without(sizing: &Sizing) -> Vec<&str> {
    let SizingAnswer::Cheapest { without, .. } = &sizing.answer else { panic!("{:?}", sizing.answer) };
    without.iter().map(|one| one.disk.as_str()).collect()
}

/// D7. Azure NetApp Files: the smallest pool is 1 TiB, and pools grow by 1 TiB: 1,024 GiB at 0.000403 an hour are 301 USD a month.
#[test]
fn capacity_pools_are_paid_in_whole_steps() {
    let volumes_of = |count: u32, gib: u64| {
        let pool = format!(
            "[[pool]]\nvolume = \"netapp-files\"\nlevel = \"premium\"\ncount = {count}\nsize = \"{gib}GiB\"\n"
        );
        let one = configuration("azure", "Standard_E2s_v3", &pool);
        explained(&one, &Question::default()).cost
    };
    let of = |tebibytes: f64| tebibytes * 1024.0 * 0.000_403 * 730.0;
    let check = |count, gib, tebibytes| {
        let cost = volumes_of(count, gib);
        let paid = cost.of_part(CostPart::Volumes);
        assert!((paid - of(tebibytes)).abs() < 1e-6, "{count} × {gib} GiB: {paid}");
    };
    check(1, 100, 1.0);
    check(1, 1024, 1.0);
    check(1, 6_250, 7.0);
    check(4, 700, 3.0);
    assert!((volumes_of(1, 100).per_month - 393.0).abs() < 0.5, "301 and the VM");
    // Two pools of a configuration on one level share the capacity pool.
    let two = "[[pool]]\nroles = [\"data\"]\nvolume = \"netapp-files\"\nlevel = \"premium\"\nsize = \"600GiB\"\n\
               [[pool]]\nroles = [\"log\"]\nvolume = \"netapp-files\"\nlevel = \"premium\"\nsize = \"300GiB\"\n";
    let paid = explained(&configuration("azure", "Standard_E2s_v3", two), &Question::default()).cost;
    assert!((paid.of_part(CostPart::Volumes) - of(1.0)).abs() < 1e-6, "{:?}", paid.terms);
    // 500 IOPS of 8 KiB are 3.9 MiB/s, which 250 GiB of Standard have: 1 TiB at 0.000202 an hour, 151 USD, and the VM.
    let answer = &find("azure", &demand("500iops@8KiB", "", 100), &only("netapp-files")).answers[0];
    assert!(
        (answer.cost.per_month - (1024.0 * 0.000_202 + 0.126) * 730.0).abs() < 0.5,
        "{}",
        answer.cost.per_month
    );
}

/// D8. Data Guard ships redo, Always On ships the log. Seed 004: a database whose log is not told apart doubles all its writes.
#[test]
fn replicas_get_the_log_and_nothing_else() {
    let text = |shipped: &str| {
        let demand = format!(
            "format = \"iotrial.demand/1\"\nreplicas = 1\n{shipped}\
             [[role]]\nname = \"tempdb\"\nwrite = {{ bandwidth = \"200MB/s\", block_size = \"64KiB\" }}\n\
             [[role]]\nname = \"log\"\nwrite = {{ bandwidth = \"50MB/s\", block_size = \"32KiB\" }}\n"
        );
        Demand::parse(&demand).unwrap()
    };
    let pool = "[[pool]]\nvolume = \"premium-ssd\"\nlevel = \"P30\"\ncount = 8\n";
    let leaves = |demand: &Demand| {
        let one = configuration("azure", "Standard_DS14_v2", pool).under(demand);
        let question = Question { demand: Some(demand), ..Question::default() };
        let fit = explained(&one, &question).fit.unwrap();
        fit.shares.iter().find(|share| share.element == "network out").map_or(0.0, |share| share.used)
    };
    assert_eq!(leaves(&text("")).round(), 50e6);
    assert_eq!(leaves(&text("shipped = [\"log\", \"tempdb\"]\n")).round(), 250e6);
    // Nothing tells the log apart: all of it may be log.
    let plain = Demand { replicas: 1, ..demand("", "250MB/s@64KiB", 0) };
    assert_eq!(leaves(&plain).round(), 250e6);
    let is_shipped = |demand: &Demand, shipped: Shipped| {
        let points = sized("azure", demand, &[]).points;
        points.contains(&SizingPoint::Doubt(SizingDoubt::Shipped(shipped)))
    };
    assert!(is_shipped(&plain, Shipped::All));
    assert!(is_shipped(&text(""), Shipped::Roles(vec![Role::Log])));
}

/// D9. docs.oracle.com, Ultra High Performance, «Max Throughput (8 KB block size)» at 120 VPU.
#[test]
fn an_ultra_high_performance_volume_of_oci_has_half_its_throughput_at_8_kib() {
    let volume = |gib: u64| {
        let pool = format!(
            "ocpus = 40\nmemory = \"64GiB\"\n[[pool]]\nvolume = \"block-volume\"\nlevel = \"vpu-120\"\nsize = \"{gib}GiB\"\nattachment = \"iscsi\"\n"
        );
        configuration("oci", "VM.Standard.E5.Flex", &pool)
    };
    let printed =
        [(50, 45.0), (400, 360.0), (1_024, 940.0), (1_200, 1_024.0), (1_500, 1_350.0), (8_192, 1_350.0)];
    for (gib, megabytes) in printed {
        let (bandwidth, binds) = reads(&volume(gib), 8192.0);
        assert!((bandwidth - megabytes * 1e6).abs() < 1.0, "{gib} GiB: {bandwidth}");
        assert_eq!(binds, "1 × vpu-120 for I/Os of 8 KiB");
    }
    // At 4 KiB there are the IOPS that the page states, and large blocks have the throughput at 1 MB.
    assert_eq!(reads(&volume(400), 4096.0).0, 225.0 * 400.0 * 4096.0);
    assert_eq!(reads(&volume(400), MIB).0, 720e6);
    // Lower levels are not faster than the highest one.
    let lower = configuration(
        "oci",
        "VM.Standard.E5.Flex",
        "ocpus = 40\nmemory = \"64GiB\"\n[[pool]]\nvolume = \"block-volume\"\nlevel = \"vpu-110\"\nsize = \"1500GiB\"\nattachment = \"iscsi\"\n",
    );
    assert_eq!(reads(&lower, 8192.0).0, 1_350e6);
    // Balanced: 25,000 IOPS, which is what the page states in blocks of 8 KB as well.
    let balanced = configuration(
        "oci",
        "VM.Standard.E5.Flex",
        "ocpus = 40\nmemory = \"64GiB\"\n[[pool]]\nvolume = \"block-volume\"\nlevel = \"vpu-10\"\nsize = \"1500GiB\"\nattachment = \"iscsi\"\n",
    );
    assert_eq!(reads(&balanced, 8192.0), (25_000.0 * 8192.0, "1 × vpu-10".to_owned()));
}

/// D10. Google, «Persistent Disk»: at most 257 TiB of persistent disks on one VM.
#[test]
fn a_machine_takes_so_much_of_a_kind_of_volume_in_all() {
    let asked = demand("1000iops@8KiB", "", 400 * 1024);
    let found = find("gcp", &asked, &Search { volumes: vec!["pd-standard".to_owned()], ..usual() });
    assert!(found.answers.is_empty(), "{}", found.answers[0].configuration.in_short());
    let nearest = found.nearest.unwrap();
    let is_capacity = matches!(nearest.wall, Wall::Amount { amount: WallAmount::Capacity { .. }, .. });
    assert!(is_capacity, "{:?}", nearest.wall);
    assert!(nearest.closest.unwrap().usable_gib <= 257.0 * 1024.0);
    let eight = configuration(
        "gcp",
        "n2-standard-32",
        "[[pool]]\nvolume = \"pd-ssd\"\ncount = 8\nsize = \"51200GiB\"\n",
    );
    let catalog = built_in("gcp");
    let broken = iotrial_sizing::rule::broken_rules(&eight.on(&catalog).unwrap());
    assert_eq!(broken[0].id(), "too-much-capacity");
}

/// D10. Oracle's price list by part number: 192 OCPU at 0.03 and 2,304 GiB at 0.002 are 10.368 USD an hour.
#[test]
fn bare_metal_of_oci_is_priced_by_its_parts() {
    let catalog = built_in("oci");
    let hourly = |machine: &str| {
        let pool = "[[pool]]\nvolume = \"block-volume\"\nlevel = \"vpu-20\"\nsize = \"1024GiB\"\nattachment = \"iscsi\"\n";
        let one = configuration("oci", machine, pool);
        let money = Money { hours_per_month: Some(730.0), ..Money::default() };
        cost_of(&one.on(&catalog).unwrap(), &money).unwrap().of_part(CostPart::Machine) / 730.0
    };
    assert!((hourly("BM.Standard.E5.192") - 10.368).abs() < 1e-9);
    assert!((hourly("BM.Standard.E4.128") - (128.0 * 0.025 + 2_048.0 * 0.0015)).abs() < 1e-9);
    let fast = find("oci", &demand("6000MB/s@64KiB", "", 0), &usual());
    assert!(fast.answers[0].configuration.machine.starts_with("BM."), "{:?}", fast.nearest);
}

/// D10. A wall that only a missing price makes is said to be one.
#[test]
fn the_wall_names_machines_that_have_no_price() {
    let text = Catalog::built_in_text("oci").unwrap();
    let at = text.find("name = \"BM.Standard.E5.192\"").unwrap();
    let price = text[at..].find("price = ").unwrap() + at;
    let end = text[price..].find('\n').unwrap() + price;
    let catalog = Catalog::parse(&format!("{}{}", &text[..price], &text[end..])).unwrap();
    let asked = demand("11000MB/s@64KiB", "", 0);
    let nearest = search(&catalog, &asked, &usual()).unwrap().nearest.unwrap();
    let Wall::Limit { unpriced, .. } = &nearest.wall else { panic!("{:?}", nearest.wall) };
    assert_eq!(unpriced, &["BM.Standard.E5.192"]);
}

/// D11. Within one per cent of the cheapest the fewest volumes, and what others would cost beside it.
#[test]
fn an_answer_has_few_volumes_where_more_save_next_to_nothing() {
    let asked = Demand { memory_min: ByteSize::gib(128), ..demand("40000iops@8KiB", "10000iops@8KiB", 4096) };
    let mut has_fewer = false;
    for provider in ["azure", "aws", "gcp", "oci"] {
        let exact = find(provider, &asked, &Search { tolerance: 0.0, ..usual() });
        let found = find(provider, &asked, &usual());
        let (least, answer) = (&exact.answers[0], &found.answers[0]);
        let count = |one: &Explanation| one.configuration.pools[0].count;
        assert!(count(answer) <= count(least), "{provider}");
        assert!(answer.cost.per_month <= least.cost.per_month * 1.01 + 1e-6, "{provider}");
        let volumes: Vec<u32> = found.by_count.iter().map(|one| one.volumes).collect();
        assert!(volumes.is_sorted(), "{provider}: {volumes:?}");
        let own = found.by_count.iter().find(|one| one.volumes == count(answer)).unwrap();
        assert_eq!(own.configuration.in_short(), answer.configuration.in_short(), "{provider}");
        assert!((own.per_month - answer.cost.per_month).abs() < 1e-6, "{provider}: {own:?}");
        has_fewer |= count(answer) < count(least);
    }
    assert!(has_fewer, "the tolerance changed no answer");
    // With a third more to spend on it there is one volume.
    let generous = find("aws", &asked, &Search { tolerance: 0.4, ..only("gp3") });
    assert_eq!(generous.answers[0].configuration.pools[0].count, 1);
}

/// D11. Lower Cost has no service level for IOPS (Oracle's page), and rotating disks are for sequential I/O (AWS's guide).
#[test]
fn what_has_no_commitment_and_what_rotates_is_asked_for_or_sequential() {
    let asked = demand("1000iops@8KiB", "2000iops@8KiB", 500);
    let found = find("oci", &asked, &Search { answers: 50, ..usual() });
    assert!(found.answers.iter().all(|one| one.configuration.pools[0].level != "vpu-0"));
    let is_lower_cost =
        |one: &NotSearched| matches!(one, NotSearched::NoCommitment { option, .. } if option == "vpu-0");
    assert!(found.left_out.iter().any(is_lower_cost), "{:?}", found.left_out);
    let named = find("oci", &asked, &only("vpu-0"));
    assert!(
        named.answers.iter().all(|one| one.configuration.pools[0].level == "vpu-0")
            && !named.answers.is_empty()
    );
    let backups: Vec<DemandStream> =
        asked.streams.iter().map(|one| DemandStream { role: Some(Role::Backup), ..one.clone() }).collect();
    let sequential =
        find("oci", &Demand { streams: backups, ..asked.clone() }, &Search { answers: 50, ..usual() });
    assert!(sequential.answers.iter().any(|one| one.configuration.pools[0].level == "vpu-0"));
    let slow = Demand { latency: Some(LatencyClass::Hdd), ..asked };
    let any = find("gcp", &slow, &Search { answers: 50, ..usual() });
    assert!(any.answers.iter().any(|one| one.configuration.pools[0].volume == "pd-standard"));
}

/// D11. Machines are compared with as many processors as the memory or the I/O lets expect, and one machine is shown once.
#[test]
fn machines_are_compared_like_with_like() {
    let asked = Demand { memory_min: ByteSize::gib(128), ..demand("40000iops@8KiB", "10000iops@8KiB", 4096) };
    let sizing = size(&Catalog::built_in(), &asked, &Search { money: months(), ..usual() }, &[]).unwrap();
    assert_eq!(sizing.vcpu_floor.as_ref().unwrap().vcpus, 16, "128 GiB at 8 for each");
    for answer in sizing.found.iter().flat_map(|one| &one.answers) {
        assert!(answer.vcpus >= 16, "{}", answer.configuration.in_short());
    }
    let why = FloorRule::Memory { gib: 128.0, is_most: false };
    let floor = SizingPoint::Floor { floor: VcpuFloor { vcpus: 16, why }, smaller: Smaller::Nowhere };
    assert!(sizing.points.contains(&floor), "{:?}", sizing.points);
    // 40,000 reads a second were once for 2 vCPU.
    let reads = sized("azure", &demand("40000iops@8KiB", "", 1024), &[]);
    assert_eq!(reads.vcpu_floor.unwrap().vcpus, 5);
    assert!(reads.found[0].answers[0].vcpus >= 5);
    let own = Demand { vcpus_min: 2, ..asked };
    assert!(sized("azure", &own, &[]).vcpu_floor.is_none());
    let found = find("azure", &own, &Search { answers: 50, ..usual() });
    let shown: Vec<(String, String, String)> = found
        .answers
        .iter()
        .map(|one| {
            let (machine, pool) = (&one.configuration.machine, &one.configuration.pools[0]);
            let ordered = machine.split('/').next().unwrap().to_owned();
            (ordered, pool.volume.clone(), pool.level.clone())
        })
        .collect();
    for (at, one) in shown.iter().enumerate() {
        assert!(!shown[..at].contains(one), "{one:?} twice");
    }
}

/// D12. EBS is ordered in MiB/s: 125 MiB/s were printed as 131 MB/s, and 6 of them paid too much.
#[test]
fn what_is_bought_is_printed_in_the_unit_of_the_vendors_form() {
    let pool = "[[pool]]\nvolume = \"gp3\"\nsize = \"500GiB\"\niops = 12500\nbandwidth = \"125MiB/s\"\n";
    let one = configuration("aws", "r6i.4xlarge", pool);
    assert_eq!(one.pools[0].in_short(), "500 GiB gp3 12,500 IOPS 125 MiB/s");
    let text = one.to_toml();
    assert!(text.contains("bandwidth = \"125MiB/s\"") && text.contains("iops = 12500\n"), "{text}");
    assert_eq!(Configuration::parse(&text).unwrap(), one);
    let azure =
        "[[pool]]\nvolume = \"premium-ssd-v2\"\nsize = \"500GiB\"\niops = 4000\nbandwidth = \"410MB/s\"\n";
    assert_eq!(
        configuration("azure", "Standard_E16bds_v5", azure).pools[0].in_short(),
        "500 GiB premium-ssd-v2 4,000 IOPS 410 MB/s"
    );
    // Nobody sells half an IOPS or a part of a MiB/s.
    let catalog = built_in("aws");
    let refused = |from: &str, to: &str| {
        let one = configuration("aws", "r6i.4xlarge", &pool.replace(from, to));
        one.on(&catalog).unwrap_err().to_string()
    };
    assert_eq!(
        refused("125MiB/s", "200.5MiB/s"),
        "the bandwidth of `gp3` must be in whole MiB/s, not 200.500 MiB/s"
    );
    assert_eq!(
        refused("125MiB/s", "210MB/s"),
        "the bandwidth of `gp3` must be in whole MiB/s, not 200.272 MiB/s"
    );
    assert_eq!(refused("12500", "12500.5"), "the IOPS of `gp3` must be a whole number, not 12500.5");
    assert!(
        refused("125MiB/s", "9000MiB/s")
            .contains("must be from 125 to 2000 MiB/s at 12500 IOPS, not 9,000 MiB/s")
    );
}

/// D12. Two rates that were given make a third.
#[test]
fn rates_chain() {
    let rate = |text: &str| text.parse::<GivenRate>().unwrap();
    let money = Money {
        currency: Some("CHF".to_owned()),
        rates: vec![rate("GBP/USD=1.25"), rate("GBP/CHF=1.1")],
        ..Money::default()
    };
    let pool = "[[pool]]\nvolume = \"gp3\"\nsize = \"500GiB\"\n";
    let catalog = built_in("aws");
    let one = configuration("aws", "r6i.4xlarge", pool);
    let cost = cost_of(&one.on(&catalog).unwrap(), &money).unwrap();
    assert!((cost.rates[0].per_unit - 1.1 / 1.25).abs() < 1e-12);
    assert_eq!(cost.rates[0].source, "1 GBP is 1.25 USD, given; 1 GBP is 1.1 CHF, given");
}

/// D12. AWS and Azure add 0.046 USD an hour for each vCPU of Windows (price lists, read 2026-09-28).
#[test]
fn windows_has_its_price_at_every_provider() {
    let asked = Demand { os: Os::Windows, ..demand("20000iops@8KiB", "5000iops@8KiB", 1024) };
    for (provider, machine) in [("aws", "r6i.4xlarge"), ("azure", "Standard_E16ds_v5")] {
        let volume = if provider == "aws" { "gp3" } else { "premium-ssd-v2" };
        let pool = format!("os = \"windows\"\n[[pool]]\nvolume = \"{volume}\"\nsize = \"500GiB\"\n");
        let cost = explained(&configuration(provider, machine, &pool), &Question::default()).cost;
        assert!((cost.of_part(CostPart::Licence) - 16.0 * 0.046 * 730.0).abs() < 1e-6, "{provider}");
        assert!(find(provider, &asked, &usual()).answers[0].cost.is_complete(), "{provider}");
    }
}

/// What has no price is not cheaper: 133,120 GiB of Azure NetApp Files Ultra, then without a price, were once «12,735 USD less than
/// the answer». Elastic SAN has none today.
#[test]
fn a_configuration_without_a_price_is_never_called_cheaper() {
    let asked = demand("1395.2MiB/s@16KiB", "3592.9MiB/s@16KiB", 0);
    let unpriced = configuration(
        "azure",
        "Standard_E64ads_v6",
        "[[pool]]\nvolume = \"elastic-san\"\ncount = 8\nsize = \"16384GiB\"\n",
    );
    let sizing = sized("azure", &asked, &[unpriced]);
    let against = &sizing.against[0];
    assert_eq!(against.more_per_month, None);
    let AgainstAnswer::NotComparable { cost } = &against.standing else { panic!("{:?}", against.standing) };
    assert_eq!(cost.missing, [MissingPrice::Of("elastic-san".to_owned())]);
}

/// Rows of another machine say nothing of this one, also where they happen to lie below its limits.
#[test]
fn rows_of_another_machine_are_told_apart_by_what_they_say_of_themselves() {
    let table = |shape: &str| {
        let text = format!(
            "format = \"iotrial.table/1\"\ntitle = \"printed\"\n[[row]]\nid = \"A\"\nattributes = {{ shape = \"{shape}\" }}\n\
             load = {{ read_percent = 100, block_size_bytes = 65536 }}\nread = {{ iops = 20000 }}\n"
        );
        Measurement::of_table(&iotrial_model::table::PublishedTable::parse(&text).unwrap())
    };
    let one = configuration(
        "oci",
        "VM.Standard.E4.Flex",
        "ocpus = 16\n[[pool]]\nvolume = \"block-volume\"\nlevel = \"vpu-90\"\nsize = \"1430GiB\"\nattachment = \"paravirtualized\"\n",
    );
    let measured = |shape: &str| {
        let rows = table(shape);
        let question = Question { measurements: &rows, ..Question::default() };
        explained(&one, &question).measured.remove(0)
    };
    let other = measured("VM.Optimized3.Flex");
    let (measured_on, own) = ("VM.Optimized3.Flex".to_owned(), "VM.Standard.E4.Flex".to_owned());
    assert_eq!(other.bound, MeasuredBound::OtherMachine { measured: measured_on, own });
    assert_eq!(measured("Standard.E4.Flex").bound.by(), [BoundBy::Unknown]);
}

/// The chain is what everything else asks: the limits that hold at a block size are parts of it.
#[test]
fn limits_at_a_block_size_are_parts_of_the_chain() {
    let names = |level: &str| -> Vec<String> {
        let pool = format!(
            "ocpus = 16\n[[pool]]\nvolume = \"block-volume\"\nlevel = \"{level}\"\nsize = \"1500GiB\"\nattachment = \"paravirtualized\"\n"
        );
        let one = configuration("oci", "VM.Standard.E4.Flex", &pool);
        let chain = Chain::of(&one.on(&built_in("oci")).unwrap(), false);
        chain.elements.into_iter().map(|element| element.name).collect()
    };
    assert_eq!(
        names("vpu-120")[..3],
        ["1 × vpu-120", "1 × vpu-120 for I/Os of 8 KiB", "1 × paravirtualized"]
    );
    // 480 MB/s, and 25,000 I/Os of 8 KiB, end below the 1,350 MB/s of that limit, whatever the load.
    assert_eq!(names("vpu-10")[..2], ["1 × vpu-10", "1 × paravirtualized"]);
}

/// «The same» was once said of 865 USD instead of 860, because both were within the tolerance.
#[test]
fn other_rates_cost_the_same_only_where_the_same_amount_is_printed() {
    let asked = demand("40000iops@8KiB", "10000iops@8KiB", 4096);
    for provider in ["oci", "azure", "aws", "gcp"] {
        let sizing = sized(provider, &asked, &[]);
        let now = sizing.found[0].answers[0].cost.per_month;
        for times in [1.1, 0.9, 1.5] {
            let cost = rates_cost(&sizing, times);
            let Some(other) = sizing.curves[0].at(times).unwrap().per_month else { continue };
            match cost {
                RatesCost::Nothing => panic!("{provider}: {times} times the rates have a cost"),
                RatesCost::Same => {}
                RatesCost::SameWith { .. } => assert_eq!(other.round(), now.round(), "{provider}: {cost:?}"),
                RatesCost::NoMore { per_month, .. } => {
                    // Fewer volumes were preferred within the tolerance; that more I/O is cheaper would be a riddle.
                    assert!(times > 1.0 && other < now && *per_month == other, "{provider}: {cost:?}");
                }
                RatesCost::Other { per_month, .. } => {
                    assert!(times < 1.0 || other >= now, "{provider}: {cost:?}");
                    assert!(other.round() != now.round() && *per_month == other, "{provider}: {cost:?}");
                }
            }
        }
        // 50,000 IOPS of 51,000: a tenth more takes another volume, with IOPS beyond those that are included.
        if provider == "aws" {
            let cost = rates_cost(&sizing, 1.1);
            assert!(matches!(cost, RatesCost::NoMore { .. } | RatesCost::Other { .. }), "{cost:?}");
        }
    }
}

/// What is said of a multiple of the rates.
fn rates_cost(sizing: &Sizing, times: f64) -> &RatesCost {
    let of = |point| match point {
        &SizingPoint::Rates { times: one, ref cost } if one == times => Some(cost),
        _ => None,
    };
    sizing.points.iter().find_map(of).unwrap()
}

/// What one option would include and a missing price forbids is left out for the price.
#[test]
fn a_kind_without_a_price_is_not_said_to_be_included_by_an_option() {
    let found = find("azure", &demand("1000iops@8KiB", "", 1024), &usual());
    let (volume, part) = ("Standard HDD".to_owned(), "transactions".to_owned());
    assert!(found.left_out.contains(&NotSearched::PartUnpriced { volume, part }), "{:?}", found.left_out);
    let is_rotating = |one: &NotSearched| matches!(one, NotSearched::RotatingDisks { volume, .. } if volume == "Standard HDD");
    assert!(!found.left_out.iter().any(is_rotating), "{:?}", found.left_out);
}

#[test]
fn a_demand_that_uses_next_to_nothing_has_no_first_limit() {
    let limit = |demand: &Demand| match sized("oci", demand, &[]).answer {
        SizingAnswer::Cheapest { limit, .. } => limit.unwrap(),
        answer => panic!("{answer:?}"),
    };
    assert_eq!(limit(&demand("18iops@2KiB", "", 1024)), NearestLimit::FarFromAll);
    let much = limit(&demand("40000iops@8KiB", "10000iops@8KiB", 4096));
    let NearestLimit::First { first, .. } = much else { panic!("{much:?}") };
    assert_eq!(
        (first.element.as_str(), first.measure, first.used.round(), first.most),
        ("2 × vpu-10", Measure::Iops, 50_000.0, 50_000.0)
    );
}

/// D10. r8ib.48xlarge has 720,000 IOPS and 18,750 MB/s (DescribeInstanceTypes) at 20.0832 USD an hour, and is x86.
#[test]
fn six_hundred_thousand_iops_are_no_wall_of_aws_without_arm() {
    let x86 = Search { no_arm: true, ..usual() };
    let found = find("aws", &demand("600000iops@8KiB", "", 4096), &x86);
    assert_eq!(found.answers[0].configuration.machine, "r8ib.48xlarge", "{:?}", found.nearest);
    assert!((found.answers[0].cost.of_part(CostPart::Machine) - 20.0832 * 730.0).abs() < 1e-6);
}

/// D12. Sizes that retire are named (retired-sizes-list.md: Dsv2 on 2028-05-01), and Edsv6 bursts on v2 disks (edsv6-series.md).
#[test]
fn what_retires_is_named_and_what_bursts_counts_where_bursts_do() {
    let old =
        configuration("azure", "Standard_DS14_v2", "[[pool]]\nvolume = \"premium-ssd\"\nlevel = \"P30\"\n");
    let rules = explained(&old, &Question::default()).broken_rules;
    let retires = |rule: &BrokenRule| {
        matches!(&rule.breach, Breach::OfCatalog { id, message, .. }
            if id == "machine-retires" && message.contains("2028-05-01"))
    };
    assert!(rules.iter().any(retires), "{rules:?}");
    let pool =
        "[[pool]]\nvolume = \"ultra-disk\"\nsize = \"1024GiB\"\niops = 100000\nbandwidth = \"3000MB/s\"\n";
    let small = configuration("azure", "Standard_E2ds_v6", pool);
    let most = |burst| {
        let question = Question { burst, ..Question::default() };
        let explained = explained(&small, &question);
        explained.alone.iter().find(|one| one.measure == Measure::ReadIops).unwrap().most.unwrap()
    };
    assert_eq!((most(false), most(true)), (4_167.0, 44_444.0));
}
