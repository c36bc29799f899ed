//! The only place where the wording about sizings is reviewed: `snapshots/iotrial_words__sizing__tests__*.snap`.

use std::collections::BTreeMap;

use iotrial_model::demand::{LatencyClass, Mirror, Os};
use iotrial_model::load::Role;
use iotrial_model::record::AttributeValue;
use iotrial_model::units::ByteSize;
use iotrial_sizing::age::{FigureOf, ReliedOn};
use iotrial_sizing::catalog::{Database, Effect, Term};
use iotrial_sizing::chain::ElementKind;
use iotrial_sizing::explanation::Mix;
use iotrial_sizing::floor::{FloorRule, VcpuFloor};
use iotrial_sizing::measure::Measure;
use iotrial_sizing::measured::{
    InFlight, MeasuredAgainst, MeasuredBound, MeasuredTogether, OfPart, PartOfPath, RateContradiction,
};
use iotrial_sizing::price::{CostNote, CostPart, KnownSum, MissingPrice, SecondLicences};
use iotrial_sizing::requirement::{Share, Slow, Unmet};
use iotrial_sizing::rule::{Breach, BrokenRule};
use iotrial_sizing::search::{NotSearched, Requirement, Wall, WallAmount, WithoutFigures, YearChange};
use iotrial_sizing::side_by_side::{Criterion, Expandable, Work};
use iotrial_sizing::sizing::{
    AgainstAnswer, AmongCatalogs, CostBeside, MoreVolumes, NearestLimit, ProviderStop, RatesCost, Shipped,
    SizingAnswer, SizingDoubt, SizingPoint, Smaller, WithoutDisk,
};

use super::against::standing;
use super::measured::bound;
use super::point::point;
use super::{
    breach, broken_rule, contradiction, cost_note, criterion, headline, left_out, limit, limit_in_short,
    measured, measured_together, missing_price, mix, old_figures, sentence, share, sum_in_words, unmet, wall,
    year_change,
};

const NAME: &str = "r6i.4xlarge + 2 × 1,024 GiB gp3";

fn name() -> String {
    NAME.to_owned()
}

fn page<T>(all: &[T], words: impl Fn(&T) -> String) -> String {
    all.iter().map(words).collect::<Vec<_>>().join("\n")
}

fn share_of(kind: ElementKind, element: &str, measure: Measure, percent: f64) -> Share {
    let most = if measure.is_bandwidth() { 1.2e8 } else { 51_200.0 };
    Share { kind, element: element.to_owned(), measure, used: most * percent / 100.0, most, percent }
}

fn volumes(percent: f64) -> Share {
    share_of(ElementKind::Volumes, "2 × vpu-10", Measure::Iops, percent)
}

fn machine(percent: f64) -> Share {
    share_of(ElementKind::Machine, "EBS limit", Measure::Bandwidth, percent)
}

fn sum(missing: &[MissingPrice]) -> KnownSum {
    KnownSum { per_month: 1_234.5, missing: missing.to_vec() }
}

fn prices() -> [MissingPrice; 8] {
    [
        MissingPrice::Of("elastic-san".to_owned()),
        MissingPrice::Part { part: "transactions".to_owned(), of: "standard-hdd S30".to_owned() },
        MissingPrice::Licence(Os::Windows),
        MissingPrice::Licences(Database::OracleEe),
        MissingPrice::Hourly(Database::SqlServerEnterprise),
        MissingPrice::List(Database::OracleSe2),
        MissingPrice::Backups,
        MissingPrice::Traffic,
    ]
}

#[test]
fn limits() {
    let all = [
        volumes(98.0),
        machine(120.0),
        share_of(ElementKind::Machine, "network for volumes", Measure::ReadBandwidth, 0.02),
        share_of(ElementKind::Machine, "uncached, Premium SSD", Measure::Iops, 50.0),
        share_of(ElementKind::Network, "network in (same as out)", Measure::ReadBandwidth, 50.0),
        share_of(ElementKind::Network, "network out", Measure::WriteBandwidth, 50.0),
        share_of(ElementKind::Concurrency, "queues of 2 × HBA", Measure::Outstanding, 50.0),
    ];
    let words = |one: &Share| format!("{}: {} | {}", limit(one), share(one), limit_in_short(one));
    insta::assert_snapshot!("limits", page(&all, words));
}

#[test]
fn rules() {
    let machine = || "VM.Standard.E5.Flex".to_owned();
    let too_many = |in_all| Breach::TooManyVolumes { machine: machine(), most: 32, count: 40, in_all };
    let unknown = |why| Breach::LimitsUnknown { machine: machine(), volume: "ultra-disk".to_owned(), why };
    let all = [
        Breach::OfCatalog {
            id: "log-on-raid5".to_owned(),
            effect: Effect::Warns,
            message: "a log does not belong on RAID 5".to_owned(),
        },
        Breach::MirrorNeedsVolumes { mirror: Mirror::TwoWay, volumes: 1 },
        unknown(None),
        unknown(Some("no source states its limits".to_owned())),
        too_many(true),
        too_many(false),
        Breach::TooMuchCapacity { name: "persistent disks".to_owned(), most_gib: 263_168.0, gib: 409_600.0 },
        Breach::NetworkUnknown { machine: machine(), replicas: 1 },
        Breach::NetworkUnknown { machine: machine(), replicas: 2 },
        Breach::NoHostCache { machine: machine() },
        Breach::DatabaseOnArm(Database::SqlServerStandard),
        Breach::DatabaseTooLarge {
            database: Database::OracleSe2,
            most_vcpus: 8,
            machine: machine(),
            vcpus: 16,
        },
    ];
    let words = |one: &Breach| format!("{} ({:?}): {}", one.id(), one.effect(), breach(one));
    let of = BrokenRule { breach: all[0].clone(), source: "a page (2026-11-01)".to_owned() };
    insta::assert_snapshot!("rules", format!("{}\n\n{}", page(&all, words), broken_rule(&of)));
}

#[test]
fn requirements() {
    let slow = |latency, pool: Option<&str>| {
        let (volume, pool) = ("Block Volume".to_owned(), pool.map(str::to_owned));
        Unmet::Latency(Slow { volume, latency, needed: LatencyClass::SubMs, pool })
    };
    let capacity = |pool: Option<&str>| Unmet::Capacity {
        needed_gib: 4_096.0,
        has_gib: 1_024.0,
        pool: pool.map(str::to_owned),
    };
    let all = [
        Unmet::Vcpus { needed: 16, has: 8 },
        Unmet::Memory { needed_gib: 128.0, has_gib: 64.0 },
        capacity(None),
        capacity(Some("log")),
        Unmet::Pool("tempdb".to_owned()),
        Unmet::Durability { pool: "log".to_owned(), volume: "local disk".to_owned() },
        slow(Some(LatencyClass::Hdd), None),
        slow(None, Some("log")),
        Unmet::Os { needed: Os::Windows, has: Os::Linux },
        Unmet::Rule(Breach::DatabaseOnArm(Database::SqlServerStandard)),
    ];
    insta::assert_snapshot!("requirements", page(&all, |one| format!("{}: {}", one.word(), unmet(one))));
}

#[test]
fn costs() {
    let licences = |are_own, second| CostNote::Licences {
        units: 16.0,
        database: Database::SqlServerEnterprise,
        are_own,
        second,
        source: "Microsoft, licensing guide (2026-01-01)".to_owned(),
    };
    let notes = [
        CostNote::OnDemand { machine: "r6i.4xlarge".to_owned(), term: Term::ThreeYears },
        licences(false, SecondLicences::NoSecond),
        licences(false, SecondLicences::Both),
        licences(true, SecondLicences::None),
    ];
    let sums = [sum(&[]), sum(&prices()[..1]), sum(&prices()[1..3])];
    insta::assert_snapshot!(
        "costs",
        [
            page(&prices(), missing_price),
            page(&sums, |one| sum_in_words(one, "USD")),
            page(&notes, cost_note)
        ]
        .join("\n\n")
    );
}

#[test]
fn what_was_left_out() {
    let volume = || "Standard HDD".to_owned();
    let levels = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let machines = |without| NotSearched::Machines { machines: levels(&["a", "b", "c", "d", "e"]), without };
    let all = [
        NotSearched::Slow(Slow {
            volume: volume(),
            latency: Some(LatencyClass::Hdd),
            needed: LatencyClass::SingleDigitMs,
            pool: None,
        }),
        NotSearched::PartUnpriced { volume: volume(), part: "transactions".to_owned() },
        NotSearched::Unpriced { volume: volume(), levels: Vec::new() },
        NotSearched::Unpriced { volume: volume(), levels: levels(&["S30", "S40"]) },
        NotSearched::NoRate { volume: volume(), from: "GBP".to_owned(), to: "USD".to_owned() },
        NotSearched::RotatingDisks { volume: volume(), option: "standard-hdd".to_owned() },
        NotSearched::NoCommitment {
            volume: "Block Volume".to_owned(),
            levels: levels(&["vpu-0"]),
            option: "vpu-0".to_owned(),
        },
        NotSearched::NoLevel { volume: volume() },
        machines(WithoutFigures::Price),
        machines(WithoutFigures::Limits),
        machines(WithoutFigures::Committed(Term::OneYear)),
        NotSearched::NetworkLimits,
        NotSearched::FromTheCost(MissingPrice::Licence(Os::Windows)),
        NotSearched::FromTheCost(MissingPrice::Backups),
    ];
    insta::assert_snapshot!("left_out", page(&all, left_out));
}

fn walls() -> Vec<Wall> {
    let amount = |amount, unpriced: &[&str]| Wall::Amount {
        amount,
        unpriced: unpriced.iter().map(|name| (*name).to_owned()).collect(),
    };
    vec![
        Wall::Limit { share: Some(machine(100.0)), unpriced: Vec::new() },
        Wall::Limit { share: Some(machine(100.0)), unpriced: vec!["BM.Standard.E5.192".to_owned()] },
        Wall::Limit { share: None, unpriced: Vec::new() },
        amount(WallAmount::Vcpus { needed: 100_000, most: 384 }, &[]),
        amount(WallAmount::Memory { needed: ByteSize::gib(1 << 20), most_gib: 2_304.0 }, &[]),
        amount(WallAmount::Capacity { needed_gib: 409_600.0, most_gib: 263_168.0 }, &["a", "b"]),
        Wall::Requirements(vec![
            Requirement::Latency { latency: LatencyClass::SubMs, pool: None },
            Requirement::Latency { latency: LatencyClass::SubMs, pool: Some("log".to_owned()) },
            Requirement::Kinds("log".to_owned()),
            Requirement::Durability(None),
            Requirement::Durability(Some("log".to_owned())),
            Requirement::Cluster,
            Requirement::Os(Os::Windows),
            Requirement::Replicas,
            Requirement::Mirror,
        ]),
        Wall::Several,
    ]
}

#[test]
fn what_is_in_the_way() {
    insta::assert_snapshot!("walls", page(&walls(), wall));
}

#[test]
fn what_changes_from_year_to_year() {
    let all = [
        YearChange::Bought,
        YearChange::Machine("VM.Standard.E5.Flex 8 OCPU".to_owned()),
        YearChange::Memory(128.0),
        YearChange::Volumes(1),
        YearChange::Volumes(3),
        YearChange::Size { from_gib: 1_024, to_gib: 2_048 },
        YearChange::Iops { from: 10_000.0, to: 20_000.0 },
        YearChange::Bandwidth,
    ];
    insta::assert_snapshot!("years", page(&all, year_change));
}

#[test]
fn what_was_measured() {
    let full = InFlight { in_flight: 170.2, offered: 176.0 };
    let all = [
        MeasuredBound::OtherMachine {
            measured: "VM.Optimized3.Flex".to_owned(),
            own: "VM.Standard".to_owned(),
        },
        MeasuredBound::Beyond(volumes(140.0)),
        MeasuredBound::Burst { share: volumes(140.0), lasting_iops: 51_200.0 },
        MeasuredBound::Configuration { share: volumes(98.0), full: None },
        MeasuredBound::Configuration { share: volumes(98.0), full: Some(full) },
        MeasuredBound::Concurrency { share: volumes(60.0), full },
        MeasuredBound::Ceiling { share: volumes(60.0), part: None },
        MeasuredBound::Ceiling {
            share: volumes(52.6),
            part: Some(PartOfPath { name: "HBA".to_owned(), used: 1, count: 2 }),
        },
        MeasuredBound::OneLoad { share: volumes(60.0), full },
        MeasuredBound::Neither { share: volumes(60.0), in_flight: InFlight { in_flight: 40.0, ..full } },
        MeasuredBound::NotInFlight(volumes(60.0)),
        MeasuredBound::NoLimit,
    ];
    let contradictory = |is_in_mb_per_s| RateContradiction {
        stream: "total".to_owned(),
        iops: 61_715.0,
        bandwidth_mib_per_s: 3_857.2,
        stated_mib_per_s: 4_044.0,
        is_in_mb_per_s,
    };
    let contradictions = [contradictory(false), contradictory(true)];
    let whole = MeasuredAgainst {
        label: "A".to_owned(),
        iops: 61_715.0,
        bandwidth_bytes_per_s: 4e9,
        shares: vec![volumes(140.0)],
        in_flight: None,
        outstanding: None,
        bound: all[1].clone(),
        attributes: BTreeMap::from([("volumes".to_owned(), AttributeValue::Integer(10))]),
        contradictions: contradictions.to_vec(),
        caveats: Vec::new(),
        derived: Vec::new(),
    };
    let part = |part: &str, least_percent, most_percent| OfPart {
        part: part.to_owned(),
        count: 2,
        least_percent,
        most_percent,
    };
    let together = [
        MeasuredTogether {
            count: 7,
            reached: vec![part("instance limit", 96.0, 100.2)],
            concurrency: 1,
            below: vec![part("2 × vpu-10", 75.0, 75.2)],
            bursts: vec![part("EBS limit", 200.0, 300.0)],
            others: vec![part("EBS limit", 120.0, 140.0)],
        },
        MeasuredTogether {
            count: 2,
            reached: Vec::new(),
            concurrency: 0,
            below: vec![part("2 × vpu-10", 60.0, 75.0)],
            bursts: Vec::new(),
            others: Vec::new(),
        },
    ];
    insta::assert_snapshot!(
        "measured",
        [
            page(&all, bound),
            measured(&whole),
            page(&contradictions, contradiction),
            page(&together, measured_together)
        ]
        .join("\n\n")
    );
}

#[test]
fn what_others_do_beside_the_answer() {
    let all = [
        AgainstAnswer::Fails {
            overfull: vec![volumes(120.0)],
            unmet: vec![Unmet::Vcpus { needed: 16, has: 8 }],
        },
        AgainstAnswer::Alone { cost: sum(&[]) },
        AgainstAnswer::AtLeastDearer { more: 200.0, cost: sum(&prices()[..1]) },
        AgainstAnswer::NotComparable { cost: sum(&prices()[..1]) },
        AgainstAnswer::Same,
        AgainstAnswer::WithinTolerance { less: 12.0, volumes: 14, fewer: 2 },
        AgainstAnswer::OutsideSearch { less: 120.0 },
        AgainstAnswer::Dearer {
            more: 120.0,
            parts: vec![(CostPart::Volumes, 150.0), (CostPart::Machine, -30.0)],
            volumes_used_percent: 42.0,
        },
    ];
    insta::assert_snapshot!("against", page(&all, |one| standing(NAME, one, "USD")));
}

#[test]
fn answers() {
    let among = |catalogs, has_incomplete, unless| AmongCatalogs { catalogs, has_incomplete, unless };
    let cheapest = |among, without, limit| SizingAnswer::Cheapest {
        title: "AWS".to_owned(),
        configuration: name(),
        per_month: 1_234.5,
        without,
        among,
        limit,
    };
    let first = |next| Some(NearestLimit::First { first: volumes(98.0), next });
    let hyperdisk = WithoutDisk { disk: "Hyperdisk".to_owned(), title: "Google Cloud".to_owned() };
    let fewer = MoreVolumes { volumes: 14, fewer: 2, per_month: 1_230.0 };
    let stop = |carries_times, closest| ProviderStop {
        title: "AWS".to_owned(),
        wall: walls().remove(0),
        carries_times,
        closest,
    };
    let nothing = |stop, is_closest| SizingAnswer::Nothing { stop: Some(stop), is_closest };
    let all = [
        cheapest(among(1, false, None), Vec::new(), Some(NearestLimit::FarFromAll)),
        cheapest(among(4, true, None), vec![hyperdisk], first(Some(machine(0.4)))),
        cheapest(among(4, false, Some(fewer)), Vec::new(), first(Some(machine(40.0)))),
        cheapest(among(4, false, None), Vec::new(), first(None)),
        cheapest(
            among(4, false, None),
            Vec::new(),
            Some(NearestLimit::First { first: volumes(100.0), next: None }),
        ),
        SizingAnswer::Incomplete { configuration: name(), cost: sum(&prices()[..1]) },
        nothing(stop(Some(0.997), Some(name())), true),
        nothing(stop(None, Some(name())), false),
        nothing(stop(None, None), false),
    ];
    let words = |one: &SizingAnswer| format!("{}\n  {}", headline(one, "USD"), sentence(one, "USD"));
    insta::assert_snapshot!("answers", page(&all, words));
}

fn bought(years: usize, total: f64, missing: Vec<MissingPrice>) -> SizingPoint {
    let title = "AWS".to_owned();
    SizingPoint::BoughtWhenNeeded { title, years, total, total_from_day_one: 60_000.0, missing }
}

fn other(beside: CostBeside, missing: &[MissingPrice]) -> SizingPoint {
    let (title, configuration) = ("AWS".to_owned(), name());
    SizingPoint::OtherProvider { title, configuration, cost: sum(missing), beside }
}

#[test]
fn points_of_an_answer() {
    let by_memory = FloorRule::Memory { gib: 128.0, is_most: false };
    let floor = |vcpus, why, smaller| SizingPoint::Floor { floor: VcpuFloor { vcpus, why }, smaller };
    let all = [
        bought(3, 50_000.0, Vec::new()),
        bought(1, 60_000.0, prices()[..2].to_vec()),
        SizingPoint::Database { per_month: 1_000.0, percent: 45.2 },
        SizingPoint::OfCost(CostNote::OnDemand { machine: "r6i.4xlarge".to_owned(), term: Term::OneYear }),
        floor(16, by_memory, Smaller::Nowhere),
        floor(64, FloorRule::Memory { gib: 2_048.0, is_most: true }, Smaller::Everywhere),
        floor(5, FloorRule::Iops { iops: 40_000.0 }, Smaller::At(vec!["AWS".to_owned(), "OCI".to_owned()])),
        SizingPoint::BeyondVolumes { machine: "r6i.4xlarge".to_owned(), share: machine(85.0) },
        SizingPoint::Headroom { times: 1.123 },
        SizingPoint::Headroom { times: 12.0 },
        SizingPoint::Headroom { times: 1_200.0 },
        other(CostBeside::Percent(12.3), &[]),
        other(CostBeside::AtLeastPercent(12.3), &prices()[..1]),
        other(CostBeside::NotComparable, &prices()[..1]),
        SizingPoint::Stops(ProviderStop {
            title: "AWS".to_owned(),
            wall: Wall::Several,
            carries_times: None,
            closest: None,
        }),
        SizingPoint::MemoryDiffers {
            machines: vec![(128.0, "AWS".to_owned()), (64.0, "OCI".to_owned())],
            most_gib: 128.0,
        },
        SizingPoint::LatencyUnknown {
            title: "OCI".to_owned(),
            volumes: vec!["block-volume".to_owned()],
            configuration: name(),
            cost: sum(&[]),
        },
    ];
    insta::assert_snapshot!("points", page(&all, |one| point(one, "USD")));
}

#[test]
fn what_other_rates_cost() {
    let instead = || "3 × 1,366 GiB gp3".to_owned();
    let cost = |per_month, now| RatesCost::Other { per_month, now, instead: instead() };
    let all = [
        (1.5, RatesCost::Nothing),
        (0.9, RatesCost::Same),
        (1.1, RatesCost::SameWith { instead: instead() }),
        (1.1, RatesCost::NoMore { per_month: 995.0, instead: instead() }),
        (1.1, cost(1_005.0, 1_000.0)),
        (0.9, cost(990.0, 1_000.0)),
        (1.5, cost(100_010.0, 100_000.0)),
    ];
    let all = all.map(|(times, cost)| SizingPoint::Rates { times, cost });
    insta::assert_snapshot!("rates", page(&all, |one| point(one, "USD")));
}

#[test]
fn doubts() {
    let machine = || "r6g.4xlarge".to_owned();
    let others = |others, has_pair| SizingDoubt::OtherMachines { others, has_pair };
    let all = [
        SizingDoubt::Arm(machine()),
        SizingDoubt::Cache { machine: machine(), percent: 80.0, pool: "data".to_owned() },
        SizingDoubt::RotatingDisks("pd-standard".to_owned()),
        SizingDoubt::OneStripe(vec![Role::Data, Role::Log]),
        SizingDoubt::Shipped(Shipped::All),
        SizingDoubt::Shipped(Shipped::Roles(vec![Role::Log, Role::Tempdb])),
        others(1, false),
        others(2, true),
        SizingDoubt::NoCapacity,
    ];
    insta::assert_snapshot!("doubts", page(&all, super::usual::doubt));
}

#[test]
fn criteria() {
    let effort = |work, volumes, pools| Criterion::Effort { work, volumes, pools };
    let all = [
        Criterion::Expandable(Expandable::No),
        Criterion::Expandable(Expandable::MoreVolumes),
        Criterion::Expandable(Expandable::Stripe),
        Criterion::Expandable(Expandable::Volume),
        Criterion::Lost(Vec::new()),
        Criterion::Lost(vec![Role::Tempdb, Role::Scan]),
        effort(Work::Little, 1, 1),
        effort(Work::Some, 4, 2),
        effort(Work::Much, 14, 1),
        Criterion::Stated("as the file says".to_owned()),
    ];
    let of = mix(Mix { read_percent: 70.0, block_size_bytes: 8_192.0 });
    insta::assert_snapshot!("criteria", format!("{of}\n{}", page(&all, criterion)));
}

#[test]
fn old_catalogs() {
    let of = |dates: &[Option<&str>]| {
        let one = |as_of: &Option<&str>| ReliedOn {
            what: vec![
                FigureOf::Limits("r6i.4xlarge".to_owned()),
                FigureOf::SmallIoLimits("block-volume vpu-120".to_owned()),
                FigureOf::Price("gp3".to_owned()),
                FigureOf::Pools("netapp-files".to_owned()),
            ],
            source: "a page".to_owned(),
            as_of: as_of.map(str::to_owned),
        };
        old_figures(&dates.iter().map(one).collect::<Vec<_>>())
    };
    let day = Some("2024-07-01");
    let all: Vec<String> = [&[][..], &[day], &[None], &[day, None]].into_iter().filter_map(of).collect();
    insta::assert_snapshot!("age", all.join("\n"));
}
