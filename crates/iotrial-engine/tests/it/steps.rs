//! A load that changes in steps, on devices whose truth is known: each step has its own rate, and nothing of the one before.

use std::time::Duration;

use crate::support::{job, plan, run_on};
use iotrial_engine::targets::HeldAreas;
use iotrial_model::plan::{EngineKind, Plan, SimDevice};
use iotrial_model::record::{Interval, JobCounts, RunRecord};
use iotrial_model::step::Step;

/// What a step did, by job, and its intervals.
type Counted = (Vec<JobCounts>, Vec<Interval>);

/// What each step did.
fn steps_of(jobs: &str, sim: SimDevice, steps: &[(f64, Option<f64>)]) -> (Plan, Vec<Counted>) {
    let mut plan = plan(jobs, EngineKind::Sim, sim);
    let each = Duration::from_secs(20);
    plan.steps = steps
        .iter()
        .map(|(load_percent, from_percent)| Step {
            from_percent: *from_percent,
            ..Step::constant(each, *load_percent)
        })
        .collect();
    plan.phases.last_mut().unwrap().duration = each * u32::try_from(steps.len()).unwrap();
    let outcome = run_on(&plan, &HeldAreas::default());
    let parts = RunRecord::intervals_by_step(&plan, &outcome.intervals);
    let steps = parts.into_iter().map(|part| (RunRecord::totals_of_intervals(&plan, part), part.to_vec()));
    let steps = steps.collect();
    (plan, steps)
}

fn count(counts: &JobCounts) -> f64 {
    counts.read.iter().chain(&counts.write).map(|op| op.io_count()).sum::<u64>() as f64
}

fn open(rate: u32) -> String {
    job("a", 100, "8KiB", 2, 64) + &format!("rate = \"{rate} iops\"\n")
}

#[test]
fn each_step_has_its_rate_within_one_percent_up_and_down_and_while_it_rises() {
    let device = SimDevice { service_time_us: 100.0, ..SimDevice::default() };
    let loads = [(25.0, None), (100.0, None), (50.0, None), (100.0, Some(0.0)), (10.0, None)];
    let (_, steps) = steps_of(&open(20_000), device, &loads);
    let shares = [0.25, 1.0, 0.5, 0.5, 0.1];
    for ((counts, intervals), share) in steps.iter().zip(shares) {
        let expected = 20.0 * 20_000.0 * share;
        let done = count(&counts[0]);
        assert!((done / expected - 1.0).abs() < 0.01, "{done} instead of {expected}");
        assert_eq!(counts[0].not_issued_age.io_count(), 0);
        // Not at the expense of its first second either.
        let first = intervals.iter().find(|one| one.start.as_secs() >= 2).unwrap();
        if share < 0.5 {
            assert!((count(&first.jobs[0]) / (20_000.0 * share) - 1.0).abs() < 0.1);
        }
    }
}

#[test]
fn what_an_overloaded_step_leaves_is_counted_there_and_not_issued_in_the_next_one() {
    let device =
        SimDevice { service_time_us: 100.0, iops_cap: Some(8_000.0), burst_s: 0.01, ..SimDevice::default() };
    let (plan, steps) = steps_of(&open(12_000), device, &[(50.0, None), (100.0, None), (50.0, None)]);
    let [(_, before), (overloaded, during), (after, intervals)] = &steps[..] else { panic!("three steps") };
    let backlog = |intervals: &[Interval]| intervals.last().unwrap().backlog[0];
    assert_eq!(backlog(before), 0);
    // 20 s at 12,000, of which 8,000 were done.
    let (done, given_up) = (count(&overloaded[0]), backlog(during));
    assert!(
        (done / 160_000.0 - 1.0).abs() < 0.01 && (70_000..90_000).contains(&given_up),
        "{done} {given_up}"
    );
    assert_eq!(overloaded[0].not_issued_age.io_count(), given_up);
    let in_flight = u64::from(plan.total_iodepth());
    let due = done + given_up as f64;
    assert!((due / 240_000.0 - 1.0).abs() < 0.01, "{due}");
    let (done, given_up) = (count(&after[0]), backlog(intervals));
    assert!((done / 120_000.0 - 1.0).abs() < 0.01 && given_up == 0, "{done} {given_up}");
    // Only what was with the device at the border is late.
    let late = after[0].read.as_ref().unwrap().total_latency.buckets();
    let late: u64 = late.filter(|(edge, _)| edge.as_millis() > 50).map(|(_, count)| count).sum();
    assert!(late <= in_flight, "{late}");
}

#[test]
fn a_closed_load_has_its_share_of_the_outstanding_ios_in_each_step() {
    let device =
        SimDevice { service_time_us: 5_000.0, service_spread: 0.0, parallelism: 128, ..SimDevice::default() };
    let jobs = job("a", 100, "8KiB", 16, 2) + &job("b", 100, "8KiB", 1, 8);
    let loads = [(25.0, None), (100.0, None), (50.0, None), (100.0, Some(0.0))];
    let (_, steps) = steps_of(&jobs, device, &loads);
    for ((counts, _), share) in steps.iter().zip([0.25, 1.0, 0.5, 0.5]) {
        for (counts, all) in counts.iter().zip([32.0, 8.0]) {
            let latency_s = counts.read.as_ref().unwrap().total_latency.mean_us().unwrap() / 1e6;
            let in_flight = count(counts) * latency_s / 20.0;
            // A load that rises goes up by whole I/Os: on average by half of one more.
            let tolerance = if share == 0.5 { 0.51 } else { 0.05 };
            assert!((in_flight - all * share).abs() <= tolerance, "{in_flight} of {all} at {share}");
        }
    }
}

#[test]
fn what_follows_another_job_follows_it_in_every_step() {
    let follower = job("b", 0, "8KiB", 1, 32) + "follow = { job = \"a\", per = \"read\", ratio = 0.25 }\n";
    let device = SimDevice { service_time_us: 100.0, ..SimDevice::default() };
    let (_, steps) = steps_of(&(open(8_000) + &follower), device, &[(50.0, None), (100.0, None)]);
    for (counts, _) in &steps {
        let ratio = count(&counts[1]) / count(&counts[0]);
        assert!((ratio - 0.25).abs() < 0.001, "{ratio}");
    }
}
