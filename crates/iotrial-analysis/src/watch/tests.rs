use iotrial_model::counters::{Absence, DiskChanges, Times};
use iotrial_model::observation::{FlatIn, HeldBack, ObservationFacts, ObservationKind, ObservedDisks};

use super::demand::held_back;
use super::*;
use crate::threshold::Category;

/// One interval of a disk: reads per second of 8 KiB, and what each took in ms.
type Moment = (f64, f64);

pub(super) fn disk(name: &str, moments: &[Moment]) -> DiskCounters {
    let mut disk = DiskCounters::new(name);
    for (at, (iops, ms)) in moments.iter().enumerate() {
        disk.set(Counter::ReadIops, at, *iops);
        disk.set(Counter::WriteIops, at, 0.0);
        disk.set(Counter::ReadBytes, at, iops * 8192.0);
        disk.set(Counter::WriteBytes, at, 0.0);
        if *iops > 0.0 {
            disk.set(Counter::ReadLatency, at, ms / 1e3);
        }
    }
    disk
}

pub(super) fn series(disks: Vec<DiskCounters>, interval_count: usize) -> CounterSeries {
    let times = (1..=interval_count).map(|at| 1_795_000_000.0 + 15.0 * at as f64).collect();
    CounterSeries {
        interval_s: Some(15.0),
        interval_count,
        times: Times::OfCalendar(times),
        disks,
        ..CounterSeries::new("PerfMon")
    }
}

pub(super) fn request() -> WatchRequest {
    let sets = threshold_sets(None).iter().map(|name| ThresholdSet::builtin(name).unwrap()).collect();
    WatchRequest { thresholds: sets, ..WatchRequest::default() }
}

fn answer_of(moments: &[Moment]) -> WatchAnswer {
    WatchAnswer::of(&series(vec![disk("sda", moments)], moments.len()), &request()).unwrap()
}

pub(super) fn kinds(answer: &WatchAnswer) -> Vec<ObservationKind> {
    answer.observations.iter().map(|one| one.kind()).collect()
}

#[test]
fn a_mean_latency_is_over_ios_and_a_percentile_over_intervals_with_some() {
    // 100 I/Os of 2 ms, 900 of 12 ms, and one every hundred seconds of a disk that wakes up.
    let answer = answer_of(&[(100.0, 2.0), (900.0, 12.0), (0.01, 300.0), (0.0, 0.0)]);
    let latency = answer.disks[0].read.latency_us.unwrap();
    assert!((latency.mean - 11_002.88).abs() < 0.1, "{latency:?}");
    assert_eq!((latency.p50, latency.max, latency.interval_count), (2_000.0, 12_000.0, 2));
    let iops = answer.disks[0].read.iops.unwrap();
    assert_eq!((iops.mean, iops.p50, iops.max), (250.0025, 0.01, 900.0));
    assert_eq!(answer.disks[0].read.size_bytes, Some(8192.0));
    assert_eq!(answer.disks[0].write.latency_us, None, "what was not written has no latency");
}

#[test]
fn each_role_is_judged_by_its_own_limit_and_both_articles_are_heard() {
    let moments = [(100.0, 7.0); 30];
    let of = |roles: &[(Role, &str)]| {
        let request = WatchRequest {
            roles: roles.iter().map(|(role, name)| (*role, (*name).to_owned())).collect(),
            ..request()
        };
        WatchAnswer::of(&series(vec![disk("1 D:", &moments), disk("2 L:", &moments)], 30), &request)
    };
    let answer = of(&[]).unwrap();
    assert_eq!((answer.is_good, answer.roles.len(), answer.roles[0].is_assumed), (Some(true), 1, true));
    let judged = &answer.roles[0].judged[0];
    assert_eq!((judged.limit_us, judged.is_within, judged.beyond_percent), (20_000.0, true, 0.0));
    let by: Vec<_> = judged.categories.iter().map(|by| (by.thresholds.as_str(), by.category)).collect();
    assert_eq!(by, [("sqlserver-whitepaper", Category::Good), ("oci-sqlserver", Category::Poor)]);
    let answer = of(&[(Role::Data, "d:"), (Role::Log, "L:")]).unwrap();
    let roles: Vec<_> = answer.roles.iter().map(|role| (role.role, role.is_within)).collect();
    assert_eq!(
        (answer.is_good, roles),
        (Some(false), vec![(Role::Data, Some(true)), (Role::Log, Some(false))])
    );
    let error = of(&[(Role::Log, "X:")]).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.known.len()), ("the counters have no disk `X:`", 2));
}

#[test]
fn one_slow_interval_in_twenty_is_borne_and_two_are_not() {
    let with = |slow: usize| {
        let mut moments = vec![(1_000.0, 5.0); 100];
        moments[..slow].iter_mut().for_each(|moment| *moment = (10.0, 100.0));
        answer_of(&moments).is_good
    };
    assert_eq!((with(5), with(6)), (Some(true), Some(false)));
}

#[test]
fn nothing_is_judged_where_nothing_was_done_or_timed() {
    let idle = answer_of(&[(0.0, 0.0); 10]);
    assert_eq!((idle.is_good, idle.why_undecided), (None, Some(WhyUndecided::Idle)));
    assert!(kinds(&idle).is_empty());
    let mut untimed = DiskCounters::new("sda");
    untimed.set(Counter::Iops, 0, 500.0);
    let answer = WatchAnswer::of(&series(vec![untimed], 1), &request()).unwrap();
    assert_eq!((answer.is_good, answer.why_undecided), (None, Some(WhyUndecided::NoLatency)));
    assert_eq!(answer.roles[0].not_judged, ["sda"]);
}

#[test]
fn more_in_flight_without_more_done_is_saturation() {
    // 36 in flight at 5 ms, then 250 at 35 ms, with a tenth of the time at the ceiling.
    let mut moments = vec![(1_000.0, 4.0); 60];
    moments.extend([(7_150.0, 11.0); 20]);
    moments.extend([(7_200.0, 35.0); 20]);
    let answer = answer_of(&moments);
    assert_eq!(kinds(&answer), [ObservationKind::Saturated]);
    let ObservationFacts::Saturated { pressed, usual } = &answer.observations[0].facts else { panic!() };
    assert_eq!(answer.observations[0].of, ObservedDisks::Disk("sda".to_owned()));
    assert_eq!((pressed.iops, pressed.bytes_per_s), (7_200.0, 7_200.0 * 8_192.0));
    assert!((pressed.outstanding - 252.0).abs() < 1e-6 && (usual.outstanding - 78.65).abs() < 1e-6);
    assert!((pressed.latency_us - 35_000.0).abs() < 1e-6 && (usual.latency_us - 11_000.0).abs() < 1e-6);
    // Twice as many in flight do twice as much.
    let mut growing = vec![(2_000.0, 5.0); 50];
    growing.extend([(4_000.0, 5.5); 50]);
    assert_eq!(kinds(&answer_of(&growing)), []);
    // A single thread, whose latency is what it is.
    let mut alone = vec![(500.0, 2.0); 50];
    alone.extend([(500.0, 6.0); 50]);
    assert_eq!(kinds(&answer_of(&alone)), []);
}

#[test]
fn larger_ios_at_the_same_rate_are_no_saturation() {
    let mut disk = disk("sda", &[(1_000.0, 5.0); 100]);
    for at in 50..100 {
        disk.set(Counter::ReadBytes, at, 1_000.0 * 65_536.0);
        disk.set(Counter::ReadLatency, at, 0.015);
    }
    let answer = WatchAnswer::of(&series(vec![disk], 100), &request()).unwrap();
    assert_eq!(kinds(&answer), []);
}

#[test]
fn a_flat_rate_below_a_burst_with_longer_latency_is_throttling() {
    let throttled = |change: Option<Moment>| {
        let mut moments = vec![(200.0, 1.0); 10];
        moments.extend([(3_000.0, 4.0); 8]);
        moments.extend(change);
        moments.extend([(500.0, 30.0); 12]);
        answer_of(&moments)
    };
    for change in [None, Some((1_500.0, 15.0))] {
        let answer = throttled(change);
        let mut facts = answer.observations.iter().map(|one| &one.facts);
        let of_throttling = facts.find_map(|facts| match facts {
            ObservationFacts::Throttled { burst, plateau, flat, lasted_s, interval_count, count } => {
                Some((burst.iops, plateau.iops, *flat, *lasted_s, *interval_count, *count))
            }
            _ => None,
        });
        assert_eq!(of_throttling, Some((3_000.0, 500.0, FlatIn::Iops, Some(180.0), 12, 1)));
    }
    // The load became less, and latency with it.
    let mut less = vec![(3_000.0, 4.0); 10];
    less.extend([(500.0, 2.0); 12]);
    assert_eq!(kinds(&answer_of(&less)), []);
    // Up and down all the time.
    let wild: Vec<Moment> =
        (0..60).map(|at| if at % 2 == 0 { (3_000.0, 4.0) } else { (500.0, 30.0) }).collect();
    assert!(!kinds(&answer_of(&wild)).contains(&ObservationKind::Throttled));
}

#[test]
fn slow_while_it_does_less_is_not_its_own_load() {
    let mut moments = vec![(1_000.0, 4.0); 60];
    // Now more, now less: a flat rate would be one that somebody holds it to.
    moments.extend((0..20).map(|at| (300.0 + 100.0 * f64::from(at % 3), 60.0)));
    let answer = answer_of(&moments);
    assert_eq!(kinds(&answer), [ObservationKind::SlowWithoutLoad]);
    let ObservationFacts::SlowWithoutLoad { slow_us, interval_count, usual_us } =
        answer.observations[0].facts
    else {
        panic!("{:?}", answer.observations)
    };
    assert_eq!((slow_us.round(), interval_count, usual_us.round()), (60_000.0, 20, 4_000.0));
}

/// 240 intervals at 3,300 IOPS whose latency rises evenly from 2 to 16 ms, each a little off; then with one thing different.
#[test]
fn a_latency_that_rises_at_the_same_load_is_slower_storage_and_never_saturation() {
    let of = |change: &dyn Fn(f64, &mut Moment)| {
        let moment = |at: usize| {
            let time = at as f64 / 239.0;
            let off = if at.is_multiple_of(3) { 40.0 } else { -20.0 };
            let mut moment = (3_300.0 + off, 2.0 + 14.0 * time + off / 400.0);
            change(time, &mut moment);
            moment
        };
        answer_of(&(0..240).map(moment).collect::<Vec<_>>())
    };
    let answer = of(&|_, _| ());
    assert_eq!(kinds(&answer), [ObservationKind::SlowerAtSameLoad]);
    let ObservationFacts::SlowerAtSameLoad { slow, usual, trend: Some(trend) } =
        &answer.observations[0].facts
    else {
        panic!("{:?}", answer.observations)
    };
    assert!((usual.latency_us / 3_400.0 - 1.0).abs() < 0.05, "{usual:?}");
    assert!((slow.latency_us / 14_600.0 - 1.0).abs() < 0.05, "{slow:?}");
    // 14 ms in 240 intervals of 15 s.
    assert!((trend.slope_us_per_s.unwrap() / (14_000.0 / 3_585.0) - 1.0).abs() < 0.02, "{trend:?}");
    assert!(held_back(&answer).is_empty());
    // A load that falls meanwhile is no reason either; one that rises is.
    assert_eq!(kinds(&of(&|time, moment| moment.0 *= 1.0 - 0.3 * time)), [ObservationKind::SlowerAtSameLoad]);
    assert_eq!(kinds(&of(&|time, moment| moment.0 *= 1.0 + 0.5 * time)), []);
    // Up and down is no trend: it is open what the reason is. And a rise that is too small to matter.
    let up_and_down = |time: f64, moment: &mut Moment| moment.1 = 2.0 + 2.5 * (3.0 * time).sin().abs();
    let open = of(&up_and_down);
    assert_eq!(kinds(&open), [ObservationKind::SlowerAtSameLoad]);
    let ObservationFacts::SlowerAtSameLoad { trend, .. } = open.observations[0].facts else { panic!() };
    assert_eq!(trend, None);
    assert_eq!(kinds(&of(&|time, moment| moment.1 = 2.0 + 0.9 * time)), []);
}

#[test]
fn larger_ios_or_another_mix_over_time_are_another_load() {
    let of = |change: fn(&mut DiskCounters, usize, f64)| {
        let rising: Vec<Moment> = (0..100).map(|at| (100.0, 2.0 + 0.08 * f64::from(at))).collect();
        let mut disk = disk("sda", &rising);
        for at in 0..100 {
            change(&mut disk, at, at as f64 / 99.0);
        }
        kinds(&WatchAnswer::of(&series(vec![disk], 100), &request()).unwrap())
    };
    assert_eq!(of(|_, _, _| ()), [ObservationKind::SlowerAtSameLoad]);
    let larger = |disk: &mut DiskCounters, at: usize, time: f64| {
        disk.set(Counter::ReadIops, at, 100.0 - 60.0 * time);
        disk.set(Counter::ReadBytes, at, 819_200.0);
    };
    assert_eq!(of(larger), []);
    let mix = |disk: &mut DiskCounters, at: usize, time: f64| {
        disk.set(Counter::ReadIops, at, 100.0 - 50.0 * time);
        disk.set(Counter::WriteIops, at, 50.0 * time);
        disk.set(Counter::WriteBytes, at, 50.0 * time * 8_192.0);
        disk.set(Counter::ReadBytes, at, (100.0 - 50.0 * time) * 8_192.0);
        disk.set(Counter::WriteLatency, at, 0.01);
    };
    assert_eq!(of(mix), []);
}

#[test]
fn members_of_a_stripe_do_the_same_or_are_told() {
    let of = |loads: [Moment; 3]| {
        let disks =
            ["sda", "sdb", "sdc"].iter().zip(loads).map(|(name, load)| disk(name, &[load; 10])).collect();
        let stripe = ["sda", "sdb", "sdc"].map(str::to_owned).to_vec();
        WatchAnswer::of(&series(disks, 10), &WatchRequest { stripes: vec![stripe], ..request() }).unwrap()
    };
    assert_eq!(kinds(&of([(1_000.0, 2.0), (1_050.0, 2.1), (990.0, 2.0)])), []);
    let uneven = of([(2_000.0, 2.0), (1_000.0, 2.0), (1_000.0, 2.0)]);
    assert_eq!(
        uneven.observations[0].facts,
        ObservationFacts::BusyMember {
            member: "sda".to_owned(),
            iops: 2_000.0,
            all_iops: 4_000.0,
            member_count: 3
        }
    );
    // A quarter more than the mean of all, and half as long again as the others; of ten I/Os a second together.
    assert_eq!(kinds(&of([(1_500.0, 2.0), (1_050.0, 2.0), (1_050.0, 2.0)])), [ObservationKind::Imbalance]);
    assert_eq!(kinds(&of([(1_490.0, 2.0), (1_055.0, 2.0), (1_055.0, 2.0)])), []);
    assert_eq!(kinds(&of([(1_000.0, 2.0), (1_000.0, 3.0), (1_000.0, 2.0)])), [ObservationKind::Imbalance]);
    assert_eq!(kinds(&of([(1_000.0, 2.0), (1_000.0, 2.9), (1_000.0, 2.0)])), []);
    assert_eq!(kinds(&of([(6.0, 2.0), (2.0, 2.0), (2.0, 2.0)])), [ObservationKind::Imbalance]);
    assert_eq!(kinds(&of([(5.9, 2.0), (2.0, 2.0), (2.0, 2.0)])), []);
    let slow = of([(1_000.0, 2.0), (1_000.0, 9.0), (1_000.0, 2.1)]);
    let ObservationFacts::SlowMember { member, latency_us, others_us } = &slow.observations[0].facts else {
        panic!("{:?}", slow.observations)
    };
    // The median of two is the lower of them.
    assert_eq!((member.as_str(), latency_us.round(), others_us.round()), ("sdb", 9_000.0, 2_000.0));
    let stripe = ["sda", "sdb", "sdc"].map(str::to_owned).to_vec();
    assert_eq!(slow.observations[0].of, ObservedDisks::Stripe(stripe));
}

#[test]
fn gaps_are_told_with_their_length_and_count_as_nothing() {
    let mut one = series(vec![disk("sda", &[(100.0, 2.0); 4])], 4);
    let at = |seconds: f64| 1_795_000_000.0 + seconds;
    one.times = Times::OfCalendar(vec![at(15.0), at(30.0), at(3_645.0), at(3_660.0)]);
    let answer = WatchAnswer::of(&one, &request()).unwrap();
    let span = answer.span.unwrap();
    assert_eq!((span.gap_count, span.gap_s, span.from_s), (1, 3_600.0, at(0.0)));
    assert_eq!(notes(&one, answer.span), [CounterNote::Gaps { count: 1, total_s: 3_600.0 }]);
    assert_eq!(answer.notes.len(), 1);
    assert_eq!(answer.disks[0].read.iops.unwrap().mean, 100.0);
}

#[test]
fn intervals_of_different_length_count_by_their_length() {
    let mut one = series(vec![disk("a", &[(100.0, 2.0), (400.0, 2.0)])], 2);
    one.durations_s = vec![30.0, 10.0];
    assert_eq!(WatchAnswer::of(&one, &request()).unwrap().disks[0].read.iops.unwrap().mean, 175.0);
}

#[test]
fn a_demand_says_that_the_storage_held_the_load_back() {
    let check = |moments: &[Moment], is_expected: fn(&[HeldBack]) -> bool| {
        let series = series(vec![disk("sda", moments)], moments.len());
        let found = held_back(&WatchAnswer::of(&series, &request()).unwrap());
        assert!(is_expected(&found), "{found:?}");
        let notes = demand_of("pm.csv", &series, &request(), 95.0).unwrap().notes;
        let words: Vec<_> = found.iter().map(iotrial_words::observation::held_back).collect();
        assert!(notes.ends_with(&words), "{notes:?}");
    };
    let mut saturated = vec![(1_000.0, 4.0); 20];
    saturated.extend([(7_150.0, 11.0); 40]);
    saturated.extend([(7_200.0, 35.0); 40]);
    check(
        &saturated,
        |found| matches!(found, [HeldBack::AtLimit(one)] if one.kind() == ObservationKind::Saturated),
    );
    // All of the time at the ceiling: there is nothing to compare it with, and the latency alone tells.
    check(&[(7_250.0, 35.0); 100], |found| {
        let [HeldBack::Slow { disks, set }] = found else { return false };
        disks == &["sda"] && set.as_deref() == Some("sqlserver-whitepaper")
    });
    check(&[(500.0, 2.0); 100], <[_]>::is_empty);
}

#[test]
fn a_course_has_as_many_places_as_a_chart_and_the_same_mean() {
    let moments: Vec<Moment> = (0..4_000).map(|at| (f64::from(at % 7), 2.0)).collect();
    let answer = answer_of(&moments);
    let course = answer.course.unwrap();
    let points = &course.iops[0].points;
    assert_eq!(points.len(), 400);
    let mean = points.iter().filter_map(|(_, value)| *value).sum::<f64>() / 400.0;
    assert!((mean - answer.disks[0].read.iops.unwrap().mean).abs() < 0.01, "{mean}");
}

#[test]
fn a_disk_that_was_not_there_is_observed_and_never_good_and_one_that_nobody_asks_about_is_left_out() {
    let nothing = DiskChanges::default();
    let last_gone = Some(Absence { from_s: 1_795_000_015.0, until_s: None });
    let gone = DiskChanges { gone_count: 1, last_gone, ..nothing };
    let gone_twice = DiskChanges { gone_count: 2, gone_s: 30.0, ..gone };
    let gone_and_anew = DiskChanges { replaced_count: 1, last_replaced_s: Some(1_795_000_030.0), ..gone };
    let check = |names: &[&str],
                 at: usize,
                 changes: DiskChanges,
                 ms: f64,
                 expected: &[ObservationKind],
                 is_good| {
        let mut disks: Vec<DiskCounters> = names.iter().map(|name| disk(name, &[(100.0, ms); 30])).collect();
        disks[at].changes = changes;
        let answer = WatchAnswer::of(&series(disks, 30), &request()).unwrap();
        assert_eq!((kinds(&answer).as_slice(), answer.is_good), (expected, is_good), "{names:?} {changes:?}");
        let why = is_good.is_none().then_some(WhyUndecided::MissingDisk);
        assert_eq!(answer.why_undecided, why, "{names:?} {changes:?}");
        answer
    };
    let (is_gone, is_replaced) = (ObservationKind::DiskGone, ObservationKind::DiskReplaced);
    check(&["sda", "sdb"], 1, nothing, 1.0, &[], Some(true));
    let answer = check(&["sda", "sdb"], 1, gone_twice, 1.0, &[is_gone], None);
    assert_eq!(answer.observations[0].of, ObservedDisks::Disk("sdb".to_owned()));
    let span = answer.span.unwrap();
    assert_eq!((span.gap_count, span.gap_s), (2, 30.0 + span.to_s - 1_795_000_015.0));
    check(&["sda"], 0, gone_and_anew, 1.0, &[is_gone, is_replaced], None);
    // What is beyond its limit stays so.
    check(&["sda"], 0, gone, 90.0, &[is_gone], Some(false));
    // Layers and files of the host come and go: only where there is nothing else were they asked about.
    check(&["sda", "loop1"], 1, gone, 1.0, &[], Some(true));
    check(&["sda", "dm-1"], 1, gone, 1.0, &[], Some(true));
    check(&["loop1"], 0, gone, 1.0, &[is_gone], None);
    let mut volume = disk("dm-1", &[(100.0, 1.0); 30]);
    volume.changes = gone;
    let below = series(vec![volume, disk("sda", &[(100.0, 1.0); 30])], 30);
    let answer = WatchAnswer::of(&CounterSeries { is_asked_for: true, ..below }, &request()).unwrap();
    assert_eq!((kinds(&answer), answer.is_good), (vec![is_gone], None));
}
