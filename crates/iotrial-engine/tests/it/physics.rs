//! The loop on devices whose truth is known: queueing theory must come out of it.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{job, plan, run_on};
use iotrial_engine::run::{RunOutcome, run};
use iotrial_engine::targets::HeldAreas;
use iotrial_measure::control::{Control, Decision};
use iotrial_model::load::Direction;
use iotrial_model::plan::{EngineKind, PhaseKind, Plan, SimDevice, SimStall};
use iotrial_model::record::{EndedHow, JobCounts, OpCounts, RunRecord};

fn run_plan(plan: &Plan) -> RunOutcome {
    run_on(plan, &HeldAreas::default())
}

fn simulate(jobs: &str, sim: SimDevice) -> (Plan, RunOutcome) {
    let plan = plan(jobs, EngineKind::Sim, sim);
    let outcome = run_plan(&plan);
    (plan, outcome)
}

fn totals(plan: &Plan, outcome: &RunOutcome) -> Vec<JobCounts> {
    RunRecord::totals_of_intervals(plan, &outcome.intervals)
}

/// IOPS and mean latency in µs of everything in the measured ten seconds.
fn iops_and_mean_us(plan: &Plan, outcome: &RunOutcome) -> (f64, f64) {
    let mut all = OpCounts::default();
    for counts in totals(plan, outcome) {
        counts.read.iter().chain(&counts.write).for_each(|op| all.merge(op));
    }
    let iops = all.io_count() as f64 / 10.0;
    (iops, all.total_latency.mean_us().unwrap())
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{found} is not within {tolerance} of {expected}");
}

fn exact_device(parallelism: u32) -> SimDevice {
    SimDevice { service_time_us: 500.0, service_spread: 0.0, parallelism, ..SimDevice::default() }
}

#[test]
fn latency_doubles_when_iodepth_is_twice_what_the_device_serves_at_once() {
    for (iodepth, expected_iops, expected_us) in
        [(4, 8_000.0, 500.0), (8, 16_000.0, 500.0), (16, 16_000.0, 1_000.0)]
    {
        let (plan, outcome) = simulate(&job("a", 100, "8KiB", 1, iodepth), exact_device(8));
        let (iops, mean_us) = iops_and_mean_us(&plan, &outcome);
        assert_near(iops, expected_iops, 0.002);
        assert_near(mean_us, expected_us, 0.002);
    }
}

#[test]
fn iops_times_mean_latency_is_the_number_of_outstanding_ios_for_a_mix_of_jobs() {
    let jobs = job("a", 70, "8KiB", 6, 8) + &job("b", 50, "16KiB", 2, 4) + &job("c", 0, "64KiB", 2, 4);
    let (plan, outcome) = simulate(&jobs, SimDevice::default());
    let (iops, mean_us) = iops_and_mean_us(&plan, &outcome);
    assert_near(iops * mean_us / 1e6, 64.0, 0.002);
}

#[test]
fn a_capped_device_shows_its_cap_and_a_burst_shows_before_it() {
    let device = SimDevice { iops_cap: Some(2_000.0), burst_s: 4.0, ..exact_device(32) };
    let (plan, outcome) = simulate(&job("a", 100, "8KiB", 1, 32), device);
    let by_second: Vec<u64> =
        outcome.intervals.iter().map(|one| one.jobs[0].read.as_ref().unwrap().io_count()).collect();
    // 8,000 tokens are gone within the first second at 64,000 IOPS.
    assert!(by_second[0] > 9_000, "{by_second:?}");
    assert!(by_second[1..].iter().all(|count| (1_990..=2_010).contains(count)), "{by_second:?}");
    assert_near(iops_and_mean_us(&plan, &outcome).0, 2_000.0, 0.002);

    let device = SimDevice { bandwidth_cap_mib_per_s: Some(100.0), ..exact_device(32) };
    let (plan, outcome) = simulate(&job("a", 100, "64KiB", 1, 32), device);
    assert_near(iops_and_mean_us(&plan, &outcome).0, 1_600.0, 0.002);
}

#[test]
fn the_read_share_is_the_one_asked_for() {
    let (plan, outcome) =
        simulate(&(job("a", 70, "8KiB", 4, 8) + &job("b", 0, "8KiB", 1, 1)), SimDevice::default());
    let totals = totals(&plan, &outcome);
    let count = |job: usize, direction| totals[job].get(direction).map_or(0, OpCounts::io_count);
    let share =
        count(0, Direction::Read) as f64 / (count(0, Direction::Read) + count(0, Direction::Write)) as f64;
    assert_near(share, 0.70, 0.01);
    assert_eq!(totals[1].read, None, "a job that only writes has no reads, not zero reads");
}

#[test]
fn all_phases_are_cut_at_their_borders_and_only_the_measured_one_counts() {
    let device = SimDevice { stalls: vec![SimStall { start_s: 0.5, duration_s: 1.0 }], ..exact_device(8) };
    let (plan, outcome) = simulate(&job("a", 100, "8KiB", 1, 8), device);
    let borders: Vec<(PhaseKind, u64)> =
        outcome.intervals.iter().map(|one| (one.phase, one.start.as_secs())).collect();
    assert_eq!(borders[..3], [(PhaseKind::Ramp, 0), (PhaseKind::Ramp, 1), (PhaseKind::Measure, 2)]);
    assert_eq!((borders.len(), outcome.ended.how), (12, EndedHow::Complete));
    // The stall lay in the ramp: it must not be in the measured latencies, and must be in the ramp's.
    let longest = totals(&plan, &outcome)[0].read.as_ref().unwrap().total_latency.max().unwrap();
    assert!(longest < Duration::from_millis(1), "{longest:?}");
    let in_ramp = outcome.intervals[1].jobs[0].read.as_ref().unwrap().total_latency.max().unwrap();
    assert!(in_ramp > Duration::from_secs(1), "{in_ramp:?}");
}

#[test]
fn errors_are_counted_beside_the_latencies_and_the_run_goes_on() {
    let (plan, outcome) =
        simulate(&job("a", 100, "8KiB", 1, 8), SimDevice { error_share: 0.1, ..exact_device(8) });
    assert_eq!(outcome.ended.how, EndedHow::Complete);
    let read = totals(&plan, &outcome)[0].read.clone().unwrap();
    let share = read.error_count as f64 / (read.error_count + read.io_count()) as f64;
    assert_near(share, 0.1, 0.05);
    assert_eq!(read.bytes, read.io_count() * 8192);
    assert!(read.first_error.is_some());
}

#[test]
fn a_job_whose_every_io_fails_ends_the_run_with_its_name() {
    let (_, outcome) =
        simulate(&job("a", 100, "8KiB", 1, 8), SimDevice { error_share: 1.0, ..exact_device(8) });
    assert_eq!(outcome.ended.how, EndedHow::Failed);
    let reason = outcome.ended.reason.unwrap();
    assert!(reason.starts_with("every I/O of job `a` fails: "), "{reason}");
}

#[test]
fn the_same_plan_and_seed_give_the_same_intervals_and_another_seed_does_not() {
    let jobs = job("a", 70, "8KiB", 6, 8) + &job("b", 50, "16KiB", 2, 4);
    let plan = plan(&jobs, EngineKind::Sim, SimDevice { error_share: 0.01, ..SimDevice::default() });
    let intervals = |plan: &Plan| run_plan(plan).intervals;
    assert_eq!(intervals(&plan), intervals(&plan));
    assert_ne!(intervals(&plan), intervals(&Plan { seed: 43, ..plan.clone() }));
}

#[test]
fn a_stop_drains_keeps_what_was_measured_and_is_called_interrupted() {
    let plan = Arc::new(plan(&job("a", 100, "8KiB", 1, 8), EngineKind::Sim, exact_device(8)));
    let control: Arc<Control> = Arc::default();
    let stop_in_fifth = |interval: &iotrial_model::record::Interval| {
        if interval.start == Duration::from_secs(4) {
            control.stop();
        }
        Decision::GoOn
    };
    let outcome = run(&plan, &HeldAreas::default(), None, &[], &control, &mut { stop_in_fifth }).unwrap();
    assert_eq!(outcome.ended.how, EndedHow::Interrupted);
    assert!(outcome.intervals.len() >= 5);
}

#[test]
fn a_thousand_queues_run_on_two_threads() {
    let many: String = (0..4).map(|n| job(&format!("j{n}"), 70, "8KiB", 250, 1)).collect();
    let mut plan = plan(&many, EngineKind::Null, SimDevice::default());
    // Long beside the slices of a busy host, which may keep either thread waiting for tens of milliseconds.
    plan.phases.iter_mut().for_each(|phase| phase.duration = Duration::from_millis(500));
    assert_eq!((plan.threads, plan.total_iodepth()), (2, 1_000));
    let outcome = run_plan(&plan);
    assert_eq!(outcome.ended.how, EndedHow::Complete);
    assert!(totals(&plan, &outcome).iter().all(|counts| counts.read.as_ref().unwrap().io_count() > 0));
}

/// One minute of Poisson arrivals at 5,000/s on a device that serves 32 at once in 200 µs and freezes for a
/// second.
fn stalled(seed: u64, job: &str) -> OpCounts {
    let stalls = vec![SimStall { start_s: 30.0, duration_s: 1.0 }];
    let device = SimDevice { service_time_us: 200.0, service_spread: 0.0, stalls, ..SimDevice::default() };
    let mut plan = plan(job, EngineKind::Sim, device);
    plan.seed = seed;
    plan.phases.retain(|phase| phase.kind == PhaseKind::Measure);
    plan.phases[0].duration = Duration::from_secs(60);
    let outcome = run_plan(&plan);
    totals(&plan, &outcome)[0].read.clone().unwrap()
}

#[test]
fn in_an_open_load_a_stall_counts_for_all_that_it_delays_and_in_a_closed_one_it_hides() {
    let percentiles_ms = |read: &OpCounts| {
        [50.0, 99.0, 99.9].map(|percent| read.total_latency.percentile(percent).unwrap().as_secs_f64() * 1e3)
    };
    let open = job("a", 100, "8KiB", 1, 32) + "rate = \"5000 iops\"\nspacing = \"poisson\"\n";
    // Some 5,000 arrivals fall into the stall, give or take 70, and p99 moves by 14 ms with them.
    let mut by_seed: Vec<[f64; 3]> = (1..=9).map(|seed| percentiles_ms(&stalled(seed, &open))).collect();
    let mut median = |percentile: usize| {
        by_seed.sort_by(|a, b| a[percentile].total_cmp(&b[percentile]));
        by_seed[4][percentile]
    };
    let [p50, p99, p999] = [median(0), median(1), median(2)];
    assert_near(p50, 0.2, 0.01);
    assert!((p99 - 410.0).abs() <= 20.0 && (p999 - 938.0).abs() <= 10.0, "p99 {p99} ms, p99.9 {p999} ms");
    let closed = percentiles_ms(&stalled(1, &job("a", 100, "8KiB", 1, 1)));
    assert!(closed.iter().all(|ms| (ms - 0.2).abs() < 0.001), "{closed:?}");
}

#[test]
fn what_an_open_load_could_not_issue_is_counted_and_the_backlog_grows_second_by_second() {
    // 4,000 a second are due, and the device does 2,000.
    let device = SimDevice { iops_cap: Some(2_000.0), ..exact_device(32) };
    let (_, outcome) =
        simulate(&(job("a", 100, "8KiB", 2, 4) + "rate = \"4000 iops\"\nspacing = \"uniform\"\n"), device);
    let backlog: Vec<u64> = outcome.intervals.iter().map(|interval| interval.backlog[0]).collect();
    let expected: Vec<u64> = (1..=12).map(|second| second * 2_000).collect();
    for (found, expected) in backlog.iter().zip(expected) {
        assert!(found.abs_diff(expected) <= 20, "{backlog:?}");
    }
}

#[test]
fn every_rate_is_kept_and_latency_is_the_service_time_where_the_device_keeps_up() {
    for (rate, iops) in [("1000 iops", 1_000.0), ("80MiB/s", 10_240.0), ("60000 iops", 60_000.0)] {
        let (plan, outcome) =
            simulate(&(job("a", 70, "8KiB", 3, 64) + &format!("rate = \"{rate}\"\n")), exact_device(192));
        let (found, mean_us) = iops_and_mean_us(&plan, &outcome);
        assert_near(found, iops, 0.03);
        assert_near(mean_us, 500.0, 0.001);
        let late: u64 = totals(&plan, &outcome)[0].read.iter().map(|read| read.late_count).sum();
        assert_eq!(late, 0);
    }
}

#[test]
fn what_hangs_at_the_end_is_told_with_its_age() {
    let stalls = vec![SimStall { start_s: 6.0, duration_s: 600.0 }];
    let (plan, outcome) = simulate(&job("a", 100, "8KiB", 1, 8), SimDevice { stalls, ..exact_device(8) });
    let read = totals(&plan, &outcome)[0].read.clone().unwrap();
    assert_eq!(read.unfinished_count, 8);
    assert_near(read.unfinished_oldest_ns as f64, 6e9, 0.001);
}

#[test]
fn everything_that_waits_at_the_end_is_counted_with_its_age() {
    // Nothing comes back in the last second: four are with the device, and the others of that second are
    // never issued.
    let hang = SimStall { start_s: 11.0, duration_s: 100.0 };
    let device = SimDevice { stalls: vec![hang], ..exact_device(8) };
    let (plan, outcome) =
        simulate(&(job("a", 100, "8KiB", 2, 2) + "rate = \"2000 iops\"\nspacing = \"uniform\"\n"), device);
    let totals = totals(&plan, &outcome);
    let (read, waiting) = (totals[0].read.as_ref().unwrap(), &totals[0].not_issued_age);
    assert_eq!((read.unfinished_count, read.unfinished_age.io_count()), (4, 4));
    assert_near(read.unfinished_age.min().unwrap().as_secs_f64(), 1.0, 0.003);
    assert_near(waiting.io_count() as f64, 2_000.0, 0.003);
    assert_eq!(waiting.io_count(), outcome.intervals.last().unwrap().backlog[0]);
    assert_near(waiting.mean_us().unwrap(), 500_000.0, 0.003);
    assert_near(waiting.percentile(100.0).unwrap().as_secs_f64(), 1.0, 0.003);
    // An interval that the load went on after has none of that.
    assert_eq!(outcome.intervals[5].jobs[0].not_issued_age.io_count(), 0);
}

#[test]
fn copies_of_an_open_job_share_their_slots_and_wait_for_no_one_while_another_is_free() {
    let device = SimDevice { service_time_us: 200.0, parallelism: 64, ..SimDevice::default() };
    let open = |numjobs, iodepth| {
        let (plan, outcome) =
            simulate(&(job("a", 100, "8KiB", numjobs, iodepth) + "rate = \"80000 iops\"\n"), device.clone());
        let read = totals(&plan, &outcome)[0].read.clone().unwrap();
        assert_near(read.io_count() as f64, 800_000.0, 0.01);
        [99.0, 99.9].map(|percent| read.total_latency.percentile(percent).unwrap().as_secs_f64() * 1e6)
    };
    // Sixteen are in flight on average, and at most 32.
    let [p99_us, p999_us] = open(1, 32);
    assert!(p99_us < 250.0, "{p99_us}");
    for (numjobs, iodepth) in [(32, 1), (8, 4), (3, 11)] {
        let [copies_p99_us, copies_p999_us] = open(numjobs, iodepth);
        assert_near(copies_p99_us, p99_us, 0.02);
        assert_near(copies_p999_us, p999_us, 0.05);
    }
}

#[test]
fn copies_of_an_open_job_keep_their_areas_and_their_parts() {
    use iotrial_engine::one_queue::drive_one_queue;
    use iotrial_engine::queue::{Completion, Handing, IoQueue, Request};
    use iotrial_engine::sim::SimQueue;
    use iotrial_measure::clock::SimClock;
    use iotrial_measure::random::{Random, RandomStream};
    use std::cell::RefCell;
    use std::rc::Rc;

    /// Writes down where the I/Os go.
    struct Seen(SimQueue, Rc<RefCell<Vec<u64>>>);
    impl IoQueue for Seen {
        fn submit(&mut self, requests: &[Request], handing: Handing) -> std::io::Result<()> {
            self.1.borrow_mut().extend(requests.iter().map(|request| request.offset));
            self.0.submit(requests, handing)
        }
        fn reap(&mut self, completions: &mut Vec<Completion>, wait_until_ns: u64) -> std::io::Result<()> {
            self.0.reap(completions, wait_until_ns)
        }
    }
    for spacing in ["uniform", "poisson"] {
        let text = job("a", 100, "8KiB", 4, 1).replace("\"random\"", "\"sequential\"");
        let text = format!("{text}rate = \"1000 iops\"\nspacing = \"{spacing}\"\n");
        let plan = plan(&text, EngineKind::Sim, exact_device(8));
        let (clock, offsets) = (SimClock::default(), Rc::default());
        let queue = SimQueue::new(clock.clone(), exact_device(8), Random::new(1, RandomStream::Copy(0)));
        drive_one_queue(&plan, Seen(queue, Rc::clone(&offsets)), clock).unwrap();
        let part = plan.jobs[0].working_set.get() / 8192 / 4 * 8192;
        let first = plan.areas[0].offset.get();
        let mut by_copy = vec![Vec::new(); 4];
        for offset in offsets.borrow().iter().map(|offset| offset - first) {
            by_copy[usize::try_from(offset / part).unwrap()].push(offset % part / 8192);
        }
        for blocks in by_copy {
            assert!((2_800..3_200).contains(&blocks.len()), "{spacing}: {}", blocks.len());
            assert!(
                blocks.iter().zip(0..).all(|(block, turn)| *block == turn),
                "{spacing}: one after the other"
            );
        }
    }
}

#[test]
fn a_write_cache_takes_writes_at_full_speed_until_it_is_full_and_reads_are_not_held() {
    // Room for 16 MiB, and 2,000 writes of 8 KiB are 15.6 MiB a second: full in 1.25 s beside what is drained.
    let device = SimDevice { write_cache_mib: 16.0, write_drain_mib_per_s: 3.125, ..exact_device(1) };
    let rates = |read_percent: u8| {
        let (_, outcome) = simulate(&job("a", read_percent, "8KiB", 1, 4), device.clone());
        let count = |op: &OpCounts| op.io_count();
        let of = |interval: &iotrial_model::record::Interval| {
            interval.jobs[0].read.iter().chain(&interval.jobs[0].write).map(count).sum::<u64>() as f64
        };
        (of(&outcome.intervals[0]), of(outcome.intervals.last().unwrap()))
    };
    let (first, last) = rates(0);
    assert_near(first, 2_000.0, 0.01);
    assert_near(last, 400.0, 0.01);
    assert_near(rates(100).1, 2_000.0, 0.01);
}

#[test]
fn a_limit_of_one_direction_holds_that_direction_alone() {
    let device = SimDevice { read_iops_cap: Some(3_000.0), write_iops_cap: Some(900.0), ..exact_device(16) };
    for (read_percent, expected) in [(100, 3_000.0), (0, 900.0)] {
        let (plan, outcome) = simulate(&job("a", read_percent, "8KiB", 1, 16), device.clone());
        assert_near(iops_and_mean_us(&plan, &outcome).0, expected, 0.005);
    }
}

#[test]
fn crowding_drift_and_other_times_for_writes_make_a_service_longer() {
    let mean_us = |device: SimDevice, read_percent: u8, iodepth: u32| {
        let (plan, outcome) = simulate(&job("a", read_percent, "8KiB", 1, iodepth), device);
        iops_and_mean_us(&plan, &outcome).1
    };
    // Seven others at the device.
    let crowded = SimDevice { crowding_share: 0.02, ..exact_device(8) };
    assert_near(mean_us(crowded.clone(), 100, 1), 500.0, 0.001);
    assert_near(mean_us(crowded, 100, 8), 500.0 * 1.14, 0.02);
    let writes = SimDevice { write_service_time_us: Some(3_000.0), ..exact_device(8) };
    assert_near(mean_us(writes.clone(), 0, 4), 3_000.0, 0.001);
    assert_near(mean_us(writes, 100, 4), 500.0, 0.001);
    // In use for 100 s before, at 1 % a second.
    let aged = SimDevice { drift_percent_per_s: 1.0, age_s: 100.0, ..exact_device(8) };
    assert!((1_000.0..1_070.0).contains(&mean_us(aged, 100, 1)));
}

#[test]
fn a_device_that_lasts_is_what_the_last_load_left_of_it() {
    let device = SimDevice {
        iops_cap: Some(1_000.0),
        burst_s: 20.0,
        write_cache_mib: 1_000.0,
        write_drain_mib_per_s: 1.0,
        lasting: true,
        ..exact_device(1)
    };
    let (_, outcome) = simulate(&job("a", 0, "8KiB", 1, 1), device.clone());
    let left = device.after(&outcome.intervals);
    let seconds: f64 = outcome.intervals.iter().map(|one| one.duration.as_secs_f64()).sum();
    assert_near(left.age_s, seconds, 1e-9);
    // 2,000 a second, of which 1,000 come back: a second of credit for each of them, until there is none.
    assert_near(left.credit_s.unwrap(), 20.0 - seconds, 0.01);
    assert_near(left.write_cache_used_mib, seconds * (2_000.0 / 128.0 - 1.0), 0.01);
    let fresh = SimDevice { lasting: false, ..device };
    assert_eq!(fresh.after(&outcome.intervals), fresh);
}
