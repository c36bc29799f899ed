//! Every sentence about counters with an example, on a page that is reviewed: `snapshots`. No other test compares their wording.

use std::fmt::Write as _;

use super::*;

const BURST: TypicalLoad =
    TypicalLoad { iops: 3_000.0, bytes_per_s: 24_576_000.0, latency_us: 4_000.0, outstanding: 12.0 };
const PLATEAU: TypicalLoad =
    TypicalLoad { iops: 500.0, bytes_per_s: 4_096_000.0, latency_us: 30_000.0, outstanding: 15.0 };

fn of_a_disk() -> Vec<ObservationFacts> {
    use ObservationFacts as Facts;
    let from_s = 1_795_000_015.0;
    let throttled = |flat, lasted_s, count| Facts::Throttled {
        burst: BURST,
        plateau: PLATEAU,
        flat,
        lasted_s,
        interval_count: 12,
        count,
    };
    let became_slower = |slope_us_per_s, span_s| Facts::SlowerAtSameLoad {
        slow: PLATEAU,
        usual: BURST,
        trend: Some(Trend { slope_us_per_s, span_s }),
    };
    vec![
        Facts::DiskGone { from_s, until_s: None, count: 1 },
        Facts::DiskGone { from_s, until_s: Some(from_s + 30.0), count: 1_200 },
        Facts::DiskReplaced { at_s: from_s, count: 1 },
        Facts::DiskReplaced { at_s: from_s, count: 2 },
        Facts::Saturated {
            pressed: TypicalLoad {
                iops: 7_200.0,
                bytes_per_s: 58_982_400.0,
                latency_us: 35_000.0,
                outstanding: 252.0,
            },
            usual: TypicalLoad {
                iops: 7_150.0,
                bytes_per_s: 58_572_800.0,
                latency_us: 11_000.0,
                outstanding: 78.65,
            },
        },
        throttled(FlatIn::Iops, Some(180.0), 1),
        throttled(FlatIn::Bytes, None, 1_100),
        Facts::SlowWithoutLoad { slow_us: 60_000.0, interval_count: 2_000, usual_us: 4_000.0 },
        Facts::SlowerAtSameLoad { slow: PLATEAU, usual: BURST, trend: None },
        became_slower(Some(0.001), Some(7_200.0)),
        became_slower(Some(0.001), Some(600_000.0)),
        became_slower(None, None),
        Facts::SlowerThanBaseline {
            direction: Some(Direction::Write),
            baseline_us: 2_000.0,
            now_us: 4_000.0,
            interval_count: 1_200,
        },
    ]
}

#[test]
fn every_sentence_about_counters_is_on_one_page() {
    let mut page = String::new();
    let mut say = |what: &str, words: &str| writeln!(page, "{what}: {words}").unwrap();
    let disk = || ObservedDisks::Disk("sda".to_owned());
    let stripe = || ObservedDisks::Stripe(["sda", "sdb", "sdc"].map(str::to_owned).to_vec());
    let uneven = [
        ObservationFacts::BusyMember {
            member: "sda".to_owned(),
            iops: 2_000.0,
            all_iops: 4_000.0,
            member_count: 3,
        },
        ObservationFacts::SlowMember { member: "sdb".to_owned(), latency_us: 9_000.0, others_us: 2_050.0 },
    ];
    let of_disks = of_a_disk().into_iter().map(|facts| Observation { of: disk(), facts });
    let all: Vec<Observation> =
        of_disks.chain(uneven.into_iter().map(|facts| Observation { of: stripe(), facts })).collect();
    for one in &all {
        say(one.kind().as_str(), &message(one));
    }
    for note in [
        CounterNote::OfSource("[what the reader of the file says]".to_owned()),
        CounterNote::Gaps { count: 1, total_s: 3_600.0 },
        CounterNote::Gaps { count: 2, total_s: 42.5 },
        CounterNote::ClockSetBack,
        CounterNote::LongIntervals { interval_s: 300.0 },
        CounterNote::FewIos {
            disk: "sda".to_owned(),
            direction: Some(Direction::Read),
            busy_count: 2,
            interval_count: 390,
        },
    ] {
        say("note", &counter_note(&note));
    }
    let slow = |count, set: Option<&str>| HeldBack::Slow {
        disks: ["sda", "sdb", "sdc", "sdd", "sde"][..count].iter().map(|name| (*name).to_owned()).collect(),
        set: set.map(str::to_owned),
    };
    for why in [
        HeldBack::AtLimit(all[4].clone()),
        slow(1, Some("flash")),
        slow(5, None),
        HeldBack::DiskMissing(all[0].clone()),
    ] {
        say("demand", &held_back(&why));
    }
    let kinds: Vec<_> = all.iter().map(|one| one.kind()).collect();
    let is_shown = |kind: &_| kinds.contains(kind);
    assert!(iotrial_model::observation::ObservationKind::ALL.iter().all(is_shown), "{kinds:?}");
    insta::assert_snapshot!("page", page);
}
