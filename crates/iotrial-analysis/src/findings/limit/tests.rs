use std::time::Duration;

use iotrial_model::record::{JobCounts, RunRecord};

use super::*;
use crate::findings::{found, modes};
use serde_json::json;

use crate::test_record::{apart, counts, healthy, measured};

fn flat_limit(record: &RunRecord) -> Option<Finding> {
    let mut all = found(record, super::flat_limits);
    assert!(all.len() <= 1, "{all:?}");
    all.pop()
}

fn cache_served(record: &RunRecord) -> Option<Finding> {
    found(record, modes::cache_by_latency)
}

/// A run whose first I/O found the device idle and took `shortest_us`.
fn with_shortest(mut record: RunRecord, shortest_us: u64) -> RunRecord {
    let first = counts(1, Duration::from_micros(shortest_us));
    record.intervals[0].jobs[0].read.as_mut().unwrap().total_latency.merge(&first.total_latency);
    record
}

fn id(record: &RunRecord) -> Option<FindingId> {
    flat_limit(record).map(|found| found.id)
}

#[test]
fn a_flat_rate_of_an_idle_device_is_a_limit_and_its_value_is_named() {
    // 1,600 data I/Os and 200 commits a second.
    let found = flat_limit(&with_shortest(measured(60, |_| 1_600), 200)).unwrap();
    assert_eq!(found.id, FindingId::FlatIopsLimit);
    let Evidence::FlatLimit(rate) = &found.evidence else { panic!("{found:?}") };
    assert_eq!((rate.limit_iops, rate.measured_s), (Some(1_800.0), 60.0));
    assert!((rate.in_work - 0.36).abs() < 0.01, "{rate:?}");
    assert_eq!((rate.lat_mean_us.round(), rate.in_flight.round()), (5_000.0, 9.0));
    assert!((rate.lat_min_us - 200.0).abs() < 2.0, "{rate:?}");
    assert_eq!((rate.limit_mib_per_s, found.severity), (None, Severity::Note));
    // The tokens of a slice fall into the next second, and back.
    let sliced = measured(60, |second| match second % 10 {
        3 => 1_480,
        4 => 1_720,
        _ => 1_600,
    });
    assert_eq!(id(&with_shortest(sliced, 200)), Some(FindingId::FlatIopsLimit));
}

#[test]
fn a_device_at_capacity_is_flat_as_well_and_has_no_limit() {
    // Nine outstanding, 18,000 IOPS: at 200 µs each there are 3.6 in work; chance moves the rate.
    let chance = |second: u64| 16_500 + (second * 7_919) % 64;
    assert_eq!(id(&with_shortest(measured(60, chance), 100)), None);
    assert_eq!(id(&healthy()), None);
}

#[test]
fn a_rate_that_wanders_or_is_short_or_does_not_wait_is_no_limit() {
    let limited = |seconds, iops: fn(u64) -> u64| id(&with_shortest(measured(seconds, iops), 200));
    assert_eq!(limited(60, |second| 1_500 + 4 * second), None);
    assert_eq!(limited(9, |_| 1_600), None);
    assert_eq!(limited(10, |_| 1_600), Some(FindingId::FlatIopsLimit));
    assert_eq!(id(&measured(60, |_| 1_600)), None);
}

/// 32 outstanding reads: in each second 320 take 98 ms, and so many more 300 µs. Beside them, where that is asked, a log whose
/// slow writes are too few for a mode.
fn two_modes(fast: impl Fn(u64) -> u64, with_log: bool) -> RunRecord {
    let both = |slow: u64, fast: u64| {
        let mut both = counts(slow, Duration::from_millis(98));
        both.merge(&counts(fast, Duration::from_micros(300)));
        Some(both)
    };
    let mut record = measured(24, |_| 2_000);
    record.plan.jobs.truncate(1 + usize::from(with_log));
    record.plan.jobs[0].iodepth = 32;
    for (second, interval) in (0..).zip(&mut record.intervals) {
        let pages = JobCounts { read: both(320, fast(second)), ..JobCounts::default() };
        let log = JobCounts { write: both(8, 192), ..JobCounts::default() };
        interval.jobs = [pages, log].into_iter().take(record.plan.jobs.len()).collect();
    }
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    with_shortest(record, 50)
}

#[test]
fn the_slices_of_a_limiter_are_told_from_a_cache_before_it() {
    // Ten slices of 200 a second. The ends of the seconds cut one of them: the fast ones fall on either side, and the slow ones,
    // which pass first, always on the same.
    let cut = |second: u64| [0, 0, 200, 0, 160, 0, 0][(second % 7) as usize];
    for with_log in [false, true] {
        let sliced = two_modes(|second| 1_680 + cut(second + 1) - cut(second), with_log);
        assert_eq!(id(&sliced), Some(FindingId::FlatIopsLimit), "{with_log}");
        assert_eq!(cache_served(&sliced), None);
    }
    // As many, and 2,000 in the middle, but their sum wanders.
    let wandering = |second| match second {
        0..5 => 1_740,
        5..19 => 1_680,
        _ => 1_620,
    };
    let cached = two_modes(wandering, false);
    assert_eq!(id(&cached), None);
    assert!(cache_served(&cached).is_some());
}

/// Data at a rate that wanders, and a log with 16 outstanding writes that is held at 400 a second.
fn limited_log() -> RunRecord {
    let mut record = measured(60, |second| 12_000 + 97 * (second * 37 % 41));
    record.plan.jobs[1].iodepth = 16;
    for interval in &mut record.intervals {
        interval.jobs[1].write = Some(counts(400, Duration::from_millis(40)));
    }
    let first = counts(1, Duration::from_micros(100));
    record.intervals[0].jobs[1].write.as_mut().unwrap().merge(&first);
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    record
}

#[test]
fn a_limit_of_the_device_of_one_role_is_found_beside_the_others_and_named_with_it() {
    let mut record = limited_log();
    assert_eq!(id(&record), None, "on one device the rates of both are added");
    apart(&mut record);
    let found = flat_limit(&record).unwrap();
    assert_eq!(found.id, FindingId::FlatIopsLimit);
    let facts = found.evidence.facts();
    assert_eq!((&facts["roles"], &facts["devices"]), (&json!(["log"]), &json!(["sdc"])));
    assert_eq!(facts["limit_iops"], json!(400.0));
    // A device that counted something else is not accused.
    record.devices[1].write_bytes /= 2;
    let found = flat_limit(&record).unwrap();
    assert_eq!(found.evidence.facts()["limit_iops"], json!(400.0));
    assert!(!found.evidence.facts().contains_key("devices"));
}

/// A mix with 16 outstanding, of which nearly all are those of the limited direction: it does 400 in each second, and the other what falls between.
fn limited_direction(limited: Direction, rate: impl Fn(u64) -> u64) -> RunRecord {
    let mut record = measured(60, |_| 16_000);
    record.plan.jobs.truncate(1);
    record.plan.jobs[0].iodepth = 16;
    for (second, interval) in (0..).zip(&mut record.intervals) {
        let slow = counts(rate(second), Duration::from_micros(39_000));
        let fast = counts(900 + 29 * (second * 37 % 11), Duration::from_micros(300));
        let (read, write) = if limited == Direction::Read { (slow, fast) } else { (fast, slow) };
        interval.jobs = vec![JobCounts { read: Some(read), write: Some(write), ..JobCounts::default() }];
    }
    let first = counts(1, Duration::from_micros(200));
    let JobCounts { read, write, .. } = &mut record.intervals[0].jobs[0];
    read.iter_mut().chain(write).for_each(|counts| counts.merge(&first));
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    record.devices.clear();
    record
}

#[test]
fn a_limit_of_one_direction_of_a_mix_is_named_with_it() {
    for limited in Direction::ALL {
        let record = limited_direction(limited, |_| 400);
        let found = flat_limit(&record).unwrap();
        let Evidence::FlatLimit(rate) = &found.evidence else { panic!("{found:?}") };
        assert_eq!(
            (found.id, rate.direction, rate.limit_iops),
            (FindingId::FlatIopsLimit, Some(limited), Some(400.0))
        );
        assert_eq!((rate.in_flight.round(), rate.lat_mean_us.round()), (16.0, 39_000.0));
        // It is what the mix makes of the other one, and wanders with it.
        assert_eq!(id(&limited_direction(limited, |second| 280 + 9 * (second * 37 % 11))), None);
    }
    // Both together stand still: the limit is on all of them.
    let mut both = one_job(9.0, 200, |_| 1_800);
    for (second, interval) in (0..).zip(&mut both.intervals) {
        let reads = 1_000 + 10 * (second * 37 % 11);
        let of = |count: u64| Some(counts(count, Duration::from_millis(5)));
        interval.jobs[0] = JobCounts { read: of(reads), write: of(1_800 - reads), ..JobCounts::default() };
    }
    both.jobs = RunRecord::totals_of_intervals(&both.plan, &both.intervals);
    let found = flat_limit(&with_shortest(both.clone(), 200)).unwrap();
    let Evidence::FlatLimit(rate) = &found.evidence else { panic!("{found:?}") };
    assert_eq!((rate.direction, rate.limit_iops), (None, Some(1_800.0)));
    // A write for each read, one more or less at the ends of the seconds.
    for (second, interval) in (0..).zip(&mut both.intervals) {
        let of = |count: u64| Some(counts(count, Duration::from_millis(5)));
        interval.jobs[0] = JobCounts { read: of(899 + second % 3), write: of(900), ..JobCounts::default() };
    }
    both.jobs = RunRecord::totals_of_intervals(&both.plan, &both.intervals);
    let found = flat_limit(&with_shortest(both, 200)).unwrap();
    let Evidence::FlatLimit(rate) = &found.evidence else { panic!("{found:?}") };
    assert_eq!((rate.direction, rate.limit_iops), (None, Some(1_800.0)));
}

#[test]
fn a_round_rate_in_front_of_which_a_cache_answers_is_no_limit() {
    // 30 % answered in 60 µs, the others by a device at capacity; 12,800 of 8 KiB a second are 100 MiB/s.
    let cached = |chance: fn(u64) -> u64| {
        let mut record = one_job(16.0, 60, |_| 12_800);
        record.plan.jobs[0].iodepth = 16;
        for (second, interval) in (0..).zip(&mut record.intervals) {
            let mut reads = counts(3_840 + chance(second), Duration::from_micros(60));
            reads.merge(&counts(8_960, Duration::from_micros(1_750)));
            interval.jobs[0].read = Some(reads);
        }
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        record
    };
    // As far as 0.02 s off the line, a tenth of what a limiter may be.
    let record = cached(|second| [0, 0, 150, 150, 0, 0, 0, 0][(second % 8) as usize]);
    assert_eq!(id(&record), None);
    assert!(cache_served(&record).is_some());
}

#[test]
fn a_limit_of_all_devices_together_is_found_where_no_role_stands_still_alone() {
    // Each takes what the other leaves: a limit on the instance.
    let share = |second: u64| 200 * (second * 37 % 11);
    let mut record = with_shortest(measured(60, |second| 3_000 + share(second)), 200);
    record.plan.jobs[1].iodepth = 8;
    for (second, interval) in (0..).zip(&mut record.intervals) {
        let rate = 9_000 - (3_000 + share(second));
        interval.jobs[1].write = Some(counts(rate, Duration::from_nanos(8_000_000_000 / rate)));
    }
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    apart(&mut record);
    let found = flat_limit(&record).unwrap();
    assert_eq!(found.evidence.facts()["limit_iops"], json!(9_000.0));
    assert!(!found.evidence.facts().contains_key("roles"));
}

#[test]
fn idling_is_no_evidence_on_a_disk_that_turns() {
    let mut record = with_shortest(measured(60, |second| 1_660 + second % 7), 200);
    assert_eq!(id(&record), Some(FindingId::FlatIopsLimit));
    let mut on = |level, rotational| {
        let device = iotrial_model::record::BlockDevice {
            level,
            rotational,
            ..iotrial_model::record::BlockDevice::default()
        };
        record.targets[0].devices = vec![device];
        id(&record)
    };
    assert_eq!((on(None, Some(true)), on(Some(1), Some(true))), (None, None));
    // What lies below an array or a mapping is another device's cache and queue.
    assert_eq!(on(Some(2), Some(true)), Some(FindingId::FlatIopsLimit));
    assert_eq!(
        (on(Some(1), Some(false)), on(Some(1), None)),
        (Some(FindingId::FlatIopsLimit), Some(FindingId::FlatIopsLimit))
    );
}

#[test]
fn with_one_block_size_the_round_value_tells_which_limit_it_is() {
    // 8 KiB each: 12,800 IOPS are 100 MiB/s.
    let flat = |level| Some(Flat { level, drift_s: 0.0, range_percent: 0.1 });
    let record = healthy();
    let kind =
        |iops: f64| kind_of_limit(&record.plan.jobs, flat(iops), flat(iops / 128.0)).map(|(kind, _)| kind);
    assert_eq!(kind(12_800.0), Some(Kind::Bandwidth));
    assert_eq!(kind(2_000.0), Some(Kind::Iops));
    assert_eq!(kind(12_345.0), Some(Kind::Iops));
    // With several sizes the one tells that stands still.
    let moving = Some(Flat { level: 90.0, drift_s: 0.1, range_percent: 3.0 });
    assert_eq!(kind_of_limit(&record.plan.jobs, flat(12_345.0), moving).unwrap().0, Kind::Iops);
    assert_eq!(kind_of_limit(&record.plan.jobs, moving, flat(90.0)).unwrap().0, Kind::Bandwidth);
}

#[test]
fn exact_servers_that_are_never_idle_are_no_limit_however_round_their_rate() {
    // 1,800 I/Os a second of which one takes 1/1,800 s: one server.
    let exact = |shortest_us: u64| id(&with_shortest(measured(60, |_| 1_600), shortest_us));
    assert_eq!(exact(555), None);
    assert_eq!(exact(700), Some(FindingId::FlatIopsLimit));
    for (in_work, is_whole) in
        [(1.0, true), (0.999, true), (0.97, false), (0.4, false), (4.43, false), (7.99, true)]
    {
        assert_eq!(is_whole_number(in_work), is_whole, "{in_work}");
    }
    for (rate, is_round) in
        [(3_000.0, true), (2_996.0, true), (9_990.0, true), (2_500.0, false), (0.0, false)]
    {
        assert_eq!(is_very_round(rate), is_round, "{rate}");
    }
}

#[test]
fn one_disk_that_seeks_is_no_limit() {
    // 165 a second of very different length, of which the shortest took 0.6 ms: 21 of the second are chance.
    let seeks = |second: u64| 145 + (second * 7_919) % 21;
    let mut record = with_shortest(measured(60, seeks), 600);
    record.plan.jobs.truncate(1);
    record.plan.jobs[0].iodepth = 8;
    for interval in &mut record.intervals {
        interval.jobs.truncate(1);
    }
    record.jobs.truncate(1);
    assert_eq!(id(&record), None);
}

#[test]
fn round_is_what_people_set() {
    for value in [2_000.0, 3_000.0, 16_000.0, 7_500.0, 125.0, 475.0, 1_000.0, 64_000.0] {
        assert!(is_round(value), "{value}");
        assert!(is_round(value * 0.9995), "{value}");
    }
    for value in [12_345.0, 17_660.0, 131.07, 0.0] {
        assert!(!is_round(value), "{value}");
    }
}

/// One job with so many reads in flight, at this rate in each second, on a device whose shortest I/O took so long.
fn one_job(in_flight: f64, shortest_us: u64, iops: impl Fn(u64) -> u64) -> RunRecord {
    let mut record = measured(60, |_| 16_000);
    record.plan.jobs.truncate(1);
    record.plan.jobs[0].iodepth = 8;
    for (second, interval) in (0..).zip(&mut record.intervals) {
        let rate = iops(second);
        let latency = Duration::from_secs_f64(in_flight / rate as f64);
        interval.jobs = vec![JobCounts { read: Some(counts(rate, latency)), ..JobCounts::default() }];
    }
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    record.devices.clear();
    with_shortest(record, shortest_us)
}

#[test]
fn a_limit_needs_ios_that_wait_and_enough_of_them_in_flight() {
    let is_limit =
        |in_flight: f64, shortest_us: u64| id(&one_job(in_flight, shortest_us, |_| 1_800)).is_some();
    // Of an idle device, 0.36 in work.
    assert!(is_limit(7.55, 200) && !is_limit(7.4, 200));
    // 9 in flight: 5 ms each. They take four times as long as the shortest one, and more than two are in work.
    assert!(is_limit(9.0, 1_240) && !is_limit(9.0, 1_260));
}

#[test]
fn how_few_are_in_work_decides_by_what_else_shows_a_limit() {
    // A rate that chance moves, and one that stands still; not a round one unless it is said.
    let moved = |level: u64| move |second: u64| level - [0, 0, 9, 0, 18][(second % 5) as usize];
    let check = |in_flight: f64, rates: &dyn Fn(u64) -> u64, in_work: f64, is_limit: bool| {
        let shortest_us = 1e6 * in_work / rates(0) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a test")]
        let record = one_job(in_flight, shortest_us.round() as u64, rates);
        assert_eq!(id(&record).is_some(), is_limit, "{in_work}");
    };
    // It idles.
    check(9.0, &moved(1_777), 0.494, true);
    check(9.0, &moved(1_777), 0.508, false);
    // A round rate.
    check(9.0, &moved(1_800), 1.96, true);
    check(9.0, &moved(1_800), 2.05, false);
    // One that no queue of servers has.
    check(40.0, &|_| 1_777, 7.9, true);
    check(40.0, &|_| 1_777, 8.06, false);
    // A tenth of the root of the rate.
    let within = |range: u64| move |second: u64| 17_770 + (second % 2) * range;
    check(20.0, &within(13), 4.44, true);
    check(20.0, &within(14), 4.44, false);
}

#[test]
fn only_the_measured_phase_has_to_stand_still() {
    let mut record = one_job(9.0, 200, |second| if second < 20 { 1_000 + 40 * second } else { 1_800 });
    for interval in &mut record.intervals[..20] {
        interval.phase = PhaseKind::Ramp;
    }
    let found = flat_limit(&record).unwrap();
    let Evidence::FlatLimit(rate) = &found.evidence else { panic!("{found:?}") };
    assert_eq!((rate.limit_iops, rate.measured_s, rate.range_percent), (Some(1_800.0), 40.0, 0.0));
}

#[test]
fn a_limit_on_bytes_is_told_in_mib() {
    // 12,800 of 8 KiB are 100 MiB/s.
    let record = one_job(9.0, 50, |_| 12_800);
    let found = flat_limit(&record).unwrap();
    let Evidence::FlatLimit(rate) = &found.evidence else { panic!("{found:?}") };
    assert_eq!((found.id, rate.limit_iops), (FindingId::FlatBandwidthLimit, None));
    assert_eq!((rate.limit_mib_per_s, rate.is_round), (Some(100.0), true));
    let limits = |record: &RunRecord| found_limits(record);
    assert_eq!(limits(&record), [true]);
    assert_eq!(limits(&one_job(9.0, 200, |_| 1_800)), [false]);
}

/// Whether each limit is on bytes.
fn found_limits(record: &RunRecord) -> Vec<bool> {
    found(record, |seen| seen.flat.iter().map(FlatLimit::is_on_bytes).collect())
}

#[test]
fn a_rate_is_flat_by_its_sum_over_time_and_by_single_seconds() {
    let of = |rates: &[(f64, f64)]| {
        let steady = std::iter::repeat_n((100.0, 1.0), 40);
        Flat::of_rates(&rates.iter().copied().chain(steady).collect::<Vec<_>>())
    };
    // Ahead by the I/Os of so many seconds, and then back on the line.
    let flat = of(&[(105.0, 2.0), (97.5, 4.0)]).unwrap();
    assert!((flat.drift_s - 0.1).abs() < 1e-9 && (flat.range_percent - 7.5).abs() < 1e-9, "{flat:?}");
    assert_eq!(flat.level, 100.0);
    assert!(of(&[(109.9, 2.0), (90.1, 2.0)]).is_some());
    assert_eq!(of(&[(110.05, 2.0), (89.95, 2.0)]), None);
    // One second of twenty may be further off than the others, and in return another.
    let off = |percent: f64| {
        of(&[(100.0 + percent, 1.0), (100.0 - percent, 1.0), (100.0 + percent, 1.0), (100.0 - percent, 1.0)])
    };
    assert!(off(11.9).is_some());
    assert_eq!(off(12.1), None);
}

#[test]
fn one_server_is_told_by_a_low_rate_that_varies_as_much_as_its_own() {
    let record = measured(10, |_| 1_600);
    let is_one = |mean: f64, by: f64| {
        let mut paces = Pace::of(&Subject::of_run(&record));
        for (second, pace) in paces.iter_mut().enumerate() {
            pace.iops = if second % 2 == 0 { mean + by } else { mean - by };
        }
        may_be_one_server(&paces)
    };
    // A deviation of a quarter of the root: 3.54 of 200.
    assert!(is_one(200.0, 3.36) && !is_one(200.0, 3.34));
    assert!(is_one(299.0, 20.0) && !is_one(300.0, 20.0));
}

#[test]
fn tolerances_of_numbers_that_people_set_are_a_thousandth_or_little_more() {
    let check = |is_it: fn(f64) -> bool, value: f64, tolerance: f64| {
        assert!(is_it(value * (1.0 + 0.995 * tolerance)), "{value}");
        assert!(!is_it(value * (1.0 + 1.005 * tolerance)), "{value}");
    };
    check(is_round, 3_000.0, 0.001);
    check(is_very_round, 3_000.0, 0.0015);
    check(is_whole_number, 2.0, 0.002);
    assert!(is_round(0.75) && is_very_round(0.5));
    // 125 MB/s, and as much as the smallest volume is sold with.
    assert!(is_round_bandwidth(125.0 / 1.048_576) && is_round_bandwidth(10.0) && is_round_bandwidth(12.5));
    assert!(!is_round_bandwidth(9.5) && !is_round_bandwidth(131.07));
}

#[test]
fn of_two_flat_rates_the_one_that_moves_half_as_much_is_limited_and_then_the_size_tells() {
    let mut jobs = healthy().plan.jobs;
    let flat = |level, range_percent| Some(Flat { level, drift_s: 0.0, range_percent });
    let kind = |jobs: &[Job], iops: f64, [of_iops, of_bytes]: [f64; 2]| {
        kind_of_limit(jobs, flat(iops, of_iops), flat(iops / 128.0, of_bytes)).unwrap().0
    };
    // By the round value it is the bandwidth.
    assert_eq!(kind(&jobs, 12_800.0, [0.249, 0.5]), Kind::Iops);
    assert_eq!(kind(&jobs, 12_800.0, [0.25, 0.5]), Kind::Bandwidth);
    assert_eq!(kind(&jobs, 12_800.0, [0.02, 0.1005]), Kind::Iops);
    assert_eq!(kind(&jobs, 12_800.0, [0.02, 0.1]), Kind::Bandwidth);
    for job in &mut jobs {
        job.block_size = iotrial_model::load::BlockSizes::one(iotrial_model::units::ByteSize::kib(64));
    }
    assert_eq!(kind(&jobs, 12_345.0, [0.1, 0.1]), Kind::Bandwidth);
    jobs[1].block_size = iotrial_model::load::BlockSizes::one(iotrial_model::units::ByteSize::kib(8));
    assert_eq!(kind(&jobs, 12_345.0, [0.1, 0.1]), Kind::Iops);
    assert_eq!(kind_of_limit(&jobs, None, None), None);
}
