use iotrial_model::load::{BlockShare, BlockSizes, Spacing};
use iotrial_model::plan::{Arrival, EngineKind};
use iotrial_model::record::{JobCounts, OpCounts, RunRecord};
use iotrial_model::units::ByteSize;

use super::*;
use crate::findings::found;
use crate::test_record::measured;

fn cache_served(record: &RunRecord) -> Option<Finding> {
    found(record, super::cache_by_latency)
}

fn histogram(parts: &[(u64, u64)]) -> LatencyHistogram {
    let mut latency = LatencyHistogram::default();
    for (us, count) in parts {
        latency.record_n(Duration::from_micros(*us), *count);
    }
    latency
}

#[test]
fn two_modes_need_weight_a_gap_and_distance() {
    let modes = Modes::of(&histogram(&[(80, 200), (100, 2_800), (900, 3_500), (1_000, 3_500)])).unwrap();
    assert!((modes.fast_percent - 30.0).abs() < 0.01, "{modes:?}");
    assert!((modes.fast_median_us - 100.0).abs() < 0.1 && modes.slow_median_us > 899.0, "{modes:?}");
    let check = |parts: &[(u64, u64)]| assert_eq!(Modes::of(&histogram(parts)), None, "{parts:?}");
    check(&[(100, 10_000)]);
    // A tail, and a few fast ones.
    check(&[(100, 9_600), (1_000, 400)]);
    check(&[(100, 400), (1_000, 9_600)]);
    // No gap: something lies in every doubling.
    check(&[(100, 3_000), (150, 100), (290, 100), (570, 100), (1_000, 6_700)]);
    // A gap, but too near.
    check(&[(100, 5_000), (300, 5_000)]);
    check(&[(100, 300), (1_000, 600)]);
    assert_eq!(Modes::of(&LatencyHistogram::default()), None);
}

/// A run whose second by second latencies of one stream are these. Its rate is one that chance moves a little: one that
/// stands still would be a limit.
fn spoiled(direction: Direction, of: impl Fn(usize) -> LatencyHistogram) -> RunRecord {
    let mut record = measured(300, |second| 16_500 + (second * 7_919) % 64);
    spoil(&mut record, direction, of);
    record
}

fn spoil(record: &mut RunRecord, direction: Direction, of: impl Fn(usize) -> LatencyHistogram) {
    spoil_job(record, 0, direction, of);
}

fn spoil_job(
    record: &mut RunRecord,
    job: usize,
    direction: Direction,
    of: impl Fn(usize) -> LatencyHistogram,
) {
    fn stream(job: &mut JobCounts, direction: Direction) -> &mut OpCounts {
        match direction {
            Direction::Read => job.read.as_mut().unwrap(),
            Direction::Write => job.write.as_mut().unwrap(),
        }
    }
    let mut total = LatencyHistogram::default();
    for (second, interval) in record.intervals.iter_mut().enumerate() {
        let latency = of(second);
        total.merge(&latency);
        stream(&mut interval.jobs[job], direction).total_latency = latency;
    }
    stream(&mut record.jobs[job], direction).total_latency = total;
}

#[test]
fn two_latencies_that_are_planned_or_the_generators_are_no_cache() {
    let together = |second: usize| histogram(&[(100, 3_000 + 17 * (second as u64 % 5)), (2_000, 5_000)]);
    let check = |direction, is_cache: bool, change: fn(&mut RunRecord)| {
        let mut record = spoiled(direction, together);
        change(&mut record);
        assert_eq!(cache_served(&record).is_some(), is_cache, "{:?} {direction}", record.plan.jobs[0]);
        // To the other findings they are two modes all the same.
        assert!(TwoModes::of(&Subject::of_run(&record)).is_some());
    };
    for direction in Direction::ALL {
        check(direction, true, |_| {});
        check(direction, false, |record| {
            let share = |size| BlockShare { size: ByteSize::kib(size), weight: 1 };
            record.plan.jobs[0].block_size = BlockSizes::mix(vec![share(8), share(256)]).unwrap();
        });
        check(direction, false, |record| record.plan.engine = EngineKind::Null);
        check(direction, false, |record| record.cpu.as_mut().unwrap().busiest_thread_s = Some(299.0));
        check(direction, false, |record| {
            record.plan.jobs[0].arrival =
                Arrival::Open { iops: 16_000.0, spacing: Spacing::Poisson, bursts: None };
            record.jobs[0].write.as_mut().unwrap().late_count = 540_000;
        });
        // Every write is flushed.
        check(direction, true, |record| record.plan.jobs[0].durability = Durability::Fdatasync);
    }
    let flush_some = |record: &mut RunRecord| {
        (record.plan.jobs[0].durability, record.plan.jobs[0].flush_every) = (Durability::Fdatasync, 8);
    };
    check(Direction::Write, false, flush_some);
    check(Direction::Read, true, flush_some);
}

#[test]
fn slices_of_a_limiter_are_no_cache_however_few_are_in_flight() {
    // Eight outstanding at 1,500 a second: 80 wait for the next of ten slices, and the others pass at once.
    let sliced = |slow_us: u64, counts: fn(usize) -> u64| {
        // Too short for a limit to be named.
        let mut record = measured(9, |_| 1_500);
        spoil(&mut record, Direction::Read, |second| histogram(&[(75, counts(second) - 80), (slow_us, 80)]));
        record.plan.jobs[0].iodepth = 8;
        cache_served(&record)
    };
    assert_eq!(sliced(98_000, |_| 1_500), None);
    assert_eq!(sliced(98_000, |second| 1_500 + (second as u64 * 7 % 3) * 60), None);
    // What a cache answers by chance differs by √(n h / (1 − h)) or 162 from second to second; and no medium takes as long as a slice.
    assert!(sliced(98_000, |second| 1_300 + (second as u64 * 7 % 10) * 50).is_some());
    assert!(sliced(4_000, |_| 1_500).is_some());
    assert!(sliced(9_900, |_| 1_500).is_some());
    assert_eq!(sliced(10_100, |_| 1_500), None);
}

#[test]
fn volumes_that_share_a_limit_are_looked_at_together() {
    // 3,000 a second for two volumes, eight outstanding on each: chance decides which one gets how many of them.
    let cache_served = |rates: fn(usize) -> [u64; 2], change: fn(&mut Job)| {
        let mut record = measured(4, |_| 1_500);
        let mut copy = Job { name: "copy".to_owned(), areas: vec![1], ..record.plan.jobs[0].clone() };
        change(&mut copy);
        record.plan.jobs[1] = copy;
        record.jobs[1] = record.jobs[0].clone();
        for interval in &mut record.intervals {
            interval.jobs[1] = interval.jobs[0].clone();
        }
        for job in 0..2 {
            spoil_job(&mut record, job, Direction::Read, |second| {
                histogram(&[(168, rates(second)[job] - 80), (96_000, 80)])
            });
        }
        cache_served(&record).is_some()
    };
    let shared = |second: usize| {
        let first = [1_900, 1_150, 1_700, 1_300][second];
        [first, 3_000 - first]
    };
    assert!(!cache_served(shared, |_| {}));
    // Another load does not take part in it, and caches answer each volume by chances of its own.
    assert!(cache_served(shared, |job| job.iodepth = 1));
    assert!(cache_served(
        |second| [[1_900, 1_150, 1_700, 1_300][second], [1_800, 1_250, 1_900, 1_200][second]],
        |_| {}
    ));
}

#[test]
fn modes_one_after_the_other_are_no_cache() {
    assert_eq!(cache_served(&measured(300, |second| 16_500 + (second * 7_919) % 64)), None);
    let together = |second: usize| histogram(&[(100, 3_000 + 17 * (second as u64 % 5)), (2_000, 5_000)]);
    let mut record = spoiled(Direction::Read, together);
    let found = cache_served(&record).unwrap();
    let Evidence::CacheByLatency(cache) = found.evidence else { panic!("{found:?}") };
    assert_eq!((cache.job.as_str(), cache.cache_percent.round()), ("pages", 38.0));
    spoil(&mut record, Direction::Read, |second| {
        if second < 100 { histogram(&[(100, 8_000)]) } else { histogram(&[(2_000, 8_000)]) }
    });
    assert_eq!(cache_served(&record), None);
}

#[test]
fn modes_have_a_least_share_a_widest_gap_and_a_least_distance() {
    let has = |parts: &[(u64, u64)]| Modes::of(&histogram(parts)).is_some();
    assert!(has(&[(100, 400), (1_000, 600)]) && !has(&[(100, 400), (1_000, 599)]));
    assert!(has(&[(100, 500), (1_000, 9_500)]) && !has(&[(100, 499), (1_000, 9_501)]));
    assert!(has(&[(100, 9_500), (1_000, 500)]) && !has(&[(100, 9_501), (1_000, 499)]));
    // What lies in the only gap.
    let gap = |count: u64| has(&[(100, 5_000), (180, count), (330, count), (600, 5_000 - 2 * count)]);
    assert!(gap(50) && !gap(51));
    assert!(has(&[(100, 5_000), (410, 5_000)]) && !has(&[(100, 5_000), (390, 5_000)]));
}

#[test]
fn of_two_gaps_the_emptier_one_divides_and_medians_are_those_of_its_sides() {
    let fast_percent = |first_gap: u64, second_gap: u64| {
        // In each doubling of a gap something lies, or nothing.
        let parts = [
            (100, 3_000),
            (180, first_gap),
            (330, first_gap),
            (600, 3_000 - 2 * first_gap),
            (1_150, second_gap),
            (2_200, second_gap),
            (4_200, 4_000 - 2 * second_gap),
        ];
        Modes::of(&histogram(&parts)).unwrap().fast_percent.round()
    };
    assert_eq!((fast_percent(0, 20), fast_percent(20, 0), fast_percent(0, 0)), (30.0, 60.0, 30.0));
    let modes = Modes::of(&histogram(&[(80, 1_000), (100, 2_000), (900, 3_000), (1_000, 4_000)])).unwrap();
    assert!((modes.fast_median_us - 100.0).abs() < 1.0, "{modes:?}");
    assert!((modes.slow_median_us - 1_000.0).abs() < 10.0, "{modes:?}");
    let divides = |fast: u64| modes.divides(&histogram(&[(80, fast), (1_000, 1_000 - fast)]));
    assert!(divides(50) && divides(950) && !divides(49) && !divides(951));
}

#[test]
fn both_modes_are_there_in_half_of_the_intervals_or_it_is_a_change() {
    let found = |both: usize| {
        let record = spoiled(Direction::Read, |second| {
            if second < both {
                histogram(&[(100, 4_000), (2_000, 4_000)])
            } else {
                histogram(&[(2_000, 8_000)])
            }
        });
        TwoModes::of(&Subject::of_run(&record)).is_some()
    };
    assert!(found(150) && !found(149));
    assert!(TwoModes::of(&Subject::of_run(&measured(0, |_| 0))).is_none());
}

#[test]
fn the_stream_with_most_fast_ios_is_named() {
    // A rate that stands still would be a limit.
    let of = |fast: u64| {
        move |second: usize| histogram(&[(100, fast + 97 * (second as u64 % 11)), (2_000, 4_000)])
    };
    let mut record = spoiled(Direction::Read, of(3_000));
    spoil(&mut record, Direction::Write, of(4_000));
    let job = |record: &RunRecord| {
        let found = cache_served(record).unwrap();
        assert_eq!((found.id, found.severity), (FindingId::CacheServed, Severity::Warning));
        let Evidence::CacheByLatency(cache) = found.evidence else { panic!() };
        cache.direction
    };
    assert_eq!(job(&record), Direction::Write);
    spoil(&mut record, Direction::Write, of(2_000));
    assert_eq!(job(&record), Direction::Read);
}

#[test]
fn a_full_host_explains_what_waits_as_long_as_a_slice_of_its_scheduler() {
    let found = |slow_us: u64, host_busy_cpus: Option<f64>| {
        let mut record = spoiled(Direction::Read, |second| {
            histogram(&[(100, 3_000 + 17 * (second as u64 % 5)), (slow_us, 5_000)])
        });
        record.cpu.as_mut().unwrap().host_busy_s = host_busy_cpus.map(|cpus| 300.0 * cpus);
        cache_served(&record).is_some()
    };
    // Four CPUs.
    assert!(!found(1_005, Some(3.65)) && found(985, Some(3.65)));
    assert!(found(1_005, Some(3.55)) && found(1_005, None));
    let mut unknown = spoiled(Direction::Read, |second| {
        histogram(&[(100, 3_000 + 17 * (second as u64 % 5)), (2_000, 5_000)])
    });
    unknown.cpu = None;
    assert!(cache_served(&unknown).is_some());
}

#[test]
fn ios_differ_by_plan_in_size_or_where_some_are_flushed() {
    let plan = measured(10, |_| 16_000).plan;
    let differ = |change: fn(&mut Job)| {
        let mut job = plan.jobs[0].clone();
        change(&mut job);
        Direction::ALL.map(|direction| differ_by_plan(&job, direction))
    };
    assert_eq!(differ(|_| ()), [false, false]);
    assert_eq!(differ(|job| job.flush_every = 8), [false, false]);
    assert_eq!(differ(|job| job.durability = Durability::Fdatasync), [false, false]);
    assert_eq!(differ(|job| (job.durability, job.flush_every) = (Durability::Fdatasync, 2)), [false, true]);
    let grouped = |job: &mut Job| {
        job.group_commit = Some(iotrial_model::load::GroupCommit {
            commit_size: ByteSize::bytes(700),
            largest_write: ByteSize::kib(60),
            tail: iotrial_model::load::LogTail::Pad,
        });
    };
    assert_eq!(differ(grouped), [true, true]);
}

/// A stream of which chance decides how many are fast, while the rest stands still, in seconds of this length.
fn behind_a_cache(slow: impl Fn(usize) -> u64, seconds: u32) -> RunRecord {
    let mut record = spoiled(Direction::Read, |second| {
        histogram(&[(100, 4_000 + 200 * (second as u64 % 6)), (20_000, slow(second))])
    });
    record.plan.jobs.truncate(1);
    for interval in &mut record.intervals {
        interval.jobs.truncate(1);
        interval.jobs[0].write = None;
        interval.duration *= seconds;
    }
    record.jobs.truncate(1);
    record.jobs[0].write = None;
    record
}

#[test]
fn the_slow_part_behind_a_cache_is_stiller_where_it_has_less_than_half_of_the_range() {
    let of = |record: &RunRecord| {
        let subject = Subject::of_run(record);
        let intervals: Vec<&Interval> = subject.measured_intervals().collect();
        SlowPart::of(&subject, &intervals, |_| 1.0)
    };
    let still = of(&behind_a_cache(|_| 2_000, 1)).unwrap();
    // 4,500 fast ones of 100 µs and 2,000 slow ones of 20 ms, for each that waits.
    assert!(still.is_stiller && (still.slice_s / 0.020_225 - 1.0).abs() < 0.01, "{still:?}");
    // All of them range over 1,000 of 6,500, or 15 %; so 7.7 % are half of it.
    let moving =
        |by: u64| of(&behind_a_cache(move |second| 2_000 - by + 2 * by * (second as u64 % 2), 1)).unwrap();
    assert!(moving(60).is_stiller && !moving(120).is_stiller);
    // Whatever the length of the intervals; and none where no stream has two modes.
    assert_eq!(of(&behind_a_cache(|_| 2_000, 3)), Some(still));
    assert_eq!(of(&measured(30, |_| 16_000)), None);
}

#[test]
fn what_a_limit_holds_behind_a_cache_is_stiller_and_the_whole_wanders_by_more_than_a_slice() {
    let is_limited =
        |is_stiller, slice_s, drift_s| SlowPart { is_stiller, slice_s }.is_limited_alone(drift_s, true);
    assert!(is_limited(true, 0.05, 0.0626) && !is_limited(true, 0.05, 0.0624));
    assert!(!is_limited(false, 0.05, 0.2));
    // Not where nothing but a round rate or an idle device speaks for a limit.
    assert!(SlowPart { is_stiller: false, slice_s: 0.05 }.is_limited_alone(0.0626, false));
    // No slice is longer than a tenth of a second.
    assert!(is_limited(true, 3.0, 0.1255) && !is_limited(true, 3.0, 0.1245));
}
