//! Loads as databases make them, on a device whose truth is known: commits in groups, jobs that follow
//! others, checkpoints, mixed sizes.

use std::time::Duration;

use crate::support::{job, plan, run_on};
use iotrial_engine::targets::HeldAreas;
use iotrial_model::plan::{EngineKind, Plan, SimDevice};
use iotrial_model::record::{Interval, JobCounts, OpCounts, RunRecord};

/// The measured ten seconds: the totals by job, and all intervals.
fn simulate(jobs: &str, sim: SimDevice) -> (Vec<JobCounts>, Vec<Interval>) {
    let plan: Plan = plan(jobs, EngineKind::Sim, sim);
    let outcome = run_on(&plan, &HeldAreas::default());
    (RunRecord::totals_of_intervals(&plan, &outcome.intervals), outcome.intervals)
}

fn device(service_us: f64, flush_us: f64, parallelism: u32) -> SimDevice {
    SimDevice {
        service_time_us: service_us,
        service_spread: 0.0,
        flush_us,
        parallelism,
        ..SimDevice::default()
    }
}

fn log(block: &str, iodepth: u32, more: &str) -> String {
    format!(
        "[[job]]\nname = \"log\"\nrole = \"log\"\npattern = \"sequential\"\nrwmix_read_percent = 0\nblock_size = \"{block}\"\n\
         iodepth = {iodepth}\nsize = \"1GiB\"\n{more}\n"
    )
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{found} is not within {tolerance} of {expected}");
}

fn percentile_us(counts: &OpCounts, percent: f64) -> f64 {
    counts.total_latency.percentile(percent).unwrap().as_secs_f64() * 1e6
}

#[test]
fn a_durable_write_and_its_flush_are_one_operation() {
    for durability in ["dsync", "fdatasync"] {
        let (totals, _) =
            simulate(&log("8KiB", 1, &format!("durability = \"{durability}\"")), device(100.0, 900.0, 4));
        let write = totals[0].write.as_ref().unwrap();
        assert_near(write.total_latency.mean_us().unwrap(), 1_000.0, 0.002);
        assert_near(write.io_count() as f64, 10_000.0, 0.002);
    }
}

#[test]
fn every_so_many_th_write_is_durable() {
    let (totals, _) =
        simulate(&log("8KiB", 1, "durability = \"fdatasync\"\nflush_every = 10"), device(100.0, 900.0, 4));
    let write = totals[0].write.as_ref().unwrap();
    // Nine writes of 100 µs and one of 1,000.
    assert_near(write.total_latency.mean_us().unwrap(), 190.0, 0.002);
    assert_eq!((percentile_us(write, 89.0) / 10.0).round(), 10.0);
    assert!(percentile_us(write, 91.0) > 990.0);
}

#[test]
fn commits_that_arrive_while_the_log_writes_go_into_its_next_write() {
    // A commit every 100 µs, and a write of 1,000 µs: ten commits wait each time, and each waits for the rest
    // of the write that is under way and for its own.
    let more = "durability = \"dsync\"\nrate = \"10000 iops\"\nspacing = \"uniform\"\n\
                group_commit = { commit_size = \"700B\", largest_write = \"60KiB\" }";
    let (totals, _) = simulate(&log("512B", 1, more), device(100.0, 900.0, 4));
    let (write, commit) = (totals[0].write.as_ref().unwrap(), totals[0].commit.as_ref().unwrap());
    assert_near(write.io_count() as f64, 10_000.0, 0.002);
    assert_near(commit.io_count() as f64, 100_000.0, 0.002);
    assert_near(write.total_latency.mean_us().unwrap(), 1_000.0, 0.002);
    // From nothing to a whole write of waiting, evenly.
    assert_near(commit.total_latency.mean_us().unwrap(), 1_450.0, 0.02);
    assert!(percentile_us(commit, 99.9) <= 2_010.0, "{}", percentile_us(commit, 99.9));
    // Ten commits of 700 B are 7,000 B, in sectors 7,168 B.
    assert_eq!(write.bytes / write.io_count(), 7_168);
    assert_eq!(commit.bytes / commit.io_count(), 700);
}

#[test]
fn a_log_that_can_write_at_once_has_groups_of_one() {
    let more = "durability = \"dsync\"\nrate = \"100 iops\"\nspacing = \"uniform\"\n\
                group_commit = { commit_size = \"3000B\", largest_write = \"64KiB\", tail = \"rewrite\" }";
    let (totals, _) = simulate(&log("8KiB", 1, more), device(100.0, 900.0, 4));
    let (write, commit) = (totals[0].write.as_ref().unwrap(), totals[0].commit.as_ref().unwrap());
    assert_eq!((write.io_count(), commit.io_count()), (1_000, 1_000));
    assert_near(commit.total_latency.mean_us().unwrap(), 1_000.0, 0.002);
    // 3,000 B a commit, 2.73 commits a page: every page is written until it is full, and so is each that a
    // commit enters.
    assert_near(write.bytes as f64 / 1_000.0, 8_192.0 * (1.0 + 3_000.0 / 8_192.0), 0.01);
}

#[test]
fn commits_beyond_what_the_log_can_write_pile_up_and_are_counted() {
    let more = "durability = \"dsync\"\nrate = \"10000 iops\"\nspacing = \"uniform\"\n\
                group_commit = { commit_size = \"2KiB\", largest_write = \"8KiB\" }";
    let (totals, intervals) = simulate(&log("512B", 1, more), device(100.0, 900.0, 4));
    // Four commits a write, a thousand writes a second: 6,000 of 10,000 commits stay behind each second.
    assert_near(totals[0].commit.as_ref().unwrap().io_count() as f64, 40_000.0, 0.002);
    assert_near(intervals.last().unwrap().backlog[0] as f64, 12.0 * 6_000.0, 0.01);
}

#[test]
fn failed_log_writes_fail_all_their_commits() {
    let more = "durability = \"dsync\"\nrate = \"10000 iops\"\nspacing = \"uniform\"\n\
                group_commit = { commit_size = \"512B\", largest_write = \"60KiB\" }";
    let sim = SimDevice { error_share: 0.1, ..device(100.0, 900.0, 4) };
    let (totals, _) = simulate(&log("512B", 1, more), sim);
    let (write, commit) = (totals[0].write.as_ref().unwrap(), totals[0].commit.as_ref().unwrap());
    assert!((900..1_100).contains(&write.error_count), "{}", write.error_count);
    assert_near(commit.error_count as f64, 10.0 * write.error_count as f64, 0.02);
}

#[test]
fn a_job_follows_another_at_its_ratio_to_the_io() {
    for (per, ratio) in [("write", 0.25), ("read", 1.5), ("any", 0.1)] {
        // Room for all that a batch of the other job makes due at once.
        let follower =
            log("4KiB", 64, &format!("follow = {{ job = \"data\", per = \"{per}\", ratio = {ratio} }}"));
        let (totals, _) = simulate(&(job("data", 70, "8KiB", 4, 4) + &follower), device(200.0, 0.0, 64));
        let count = |op: &Option<OpCounts>| op.as_ref().map_or(0, OpCounts::io_count) as f64;
        let led = match per {
            "write" => count(&totals[0].write),
            "read" => count(&totals[0].read),
            _ => count(&totals[0].read) + count(&totals[0].write),
        };
        assert_near(count(&totals[1].write), led * ratio, 0.001);
        assert_near(totals[1].write.as_ref().unwrap().total_latency.mean_us().unwrap(), 200.0, 0.01);
    }
}

#[test]
fn commits_follow_data_writes_in_groups() {
    let follower = log(
        "512B",
        1,
        "durability = \"dsync\"\nfollow = { job = \"data\", per = \"write\", ratio = 1 }\n\
         group_commit = { commit_size = \"512B\", largest_write = \"60KiB\" }",
    );
    let (totals, _) = simulate(&(job("data", 0, "8KiB", 1, 8) + &follower), device(500.0, 500.0, 64));
    let data = totals[0].write.as_ref().unwrap().io_count() as f64;
    assert_near(totals[1].commit.as_ref().unwrap().io_count() as f64, data, 0.002);
    let writes = totals[1].write.as_ref().unwrap().io_count() as f64;
    assert!(
        (990.0 * 10.0..1_010.0 * 10.0).contains(&writes),
        "one log write of 1 ms after the other: {writes}"
    );
}

#[test]
fn a_closed_job_waits_for_a_follower_that_cannot_keep_up() {
    // One log write a millisecond; the data could do 32 times as much.
    let follower =
        log("4KiB", 1, "durability = \"dsync\"\nfollow = { job = \"data\", per = \"write\", ratio = 0.5 }");
    let (totals, intervals) =
        simulate(&(job("data", 0, "8KiB", 1, 32) + &follower), device(500.0, 500.0, 64));
    let (data, log) = (totals[0].write.as_ref().unwrap(), totals[1].write.as_ref().unwrap());
    assert_near(log.io_count() as f64, 10_000.0, 0.01);
    assert_near(data.io_count() as f64, 20_000.0, 0.01);
    assert!(intervals.iter().all(|interval| interval.backlog[1] <= 20), "the waiting stays bounded");
}

#[test]
fn checkpoints_write_in_bursts_beside_steady_reads() {
    let checkpoint = "[[job]]\nname = \"checkpoint\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = 0\n\
                      block_size = \"8KiB\"\niodepth = 32\nsize = \"1GiB\"\nrate = \"1000 iops\"\n\
                      bursts = { period = \"5s\", spread = \"1s\" }\n";
    let (totals, intervals) =
        simulate(&(job("reads", 100, "8KiB", 1, 4) + checkpoint), device(200.0, 0.0, 64));
    let by_second: Vec<u64> = intervals
        .iter()
        .map(|interval| interval.jobs[1].write.as_ref().map_or(0, OpCounts::io_count))
        .collect();
    for (second, count) in by_second.iter().enumerate() {
        // Half a millisecond of writes may end in the next second.
        let range = if second % 5 == 0 { 4_700..5_300 } else { 0..5 };
        assert!(range.contains(count), "{by_second:?}");
    }
    assert_near(totals[0].read.as_ref().unwrap().io_count() as f64, 200_000.0, 0.002);
}

#[test]
fn sizes_are_drawn_by_weight() {
    let mixed = "[[job]]\nname = \"scan\"\nrole = \"scan\"\npattern = \"sequential\"\nrwmix_read_percent = 100\niodepth = 8\n\
                 size = \"1GiB\"\nblock_sizes = [{ size = \"64KiB\", weight = 3 }, { size = \"512KiB\", weight = 1 }]\n";
    let (totals, _) = simulate(mixed, device(200.0, 0.0, 64));
    let read = totals[0].read.as_ref().unwrap();
    assert_near(read.bytes as f64 / read.io_count() as f64, 65_536.0 * (0.75 + 2.0), 0.01);
}

#[test]
fn linked_jobs_run_on_one_thread_and_keep_their_ratio_without_a_device() {
    let follower = log("4KiB", 4, "follow = { job = \"data\", ratio = 0.5 }");
    let mut plan = plan(&(job("data", 70, "8KiB", 8, 4) + &follower), EngineKind::Null, SimDevice::default());
    plan.phases.retain(|phase| phase.duration > Duration::from_secs(5));
    plan.phases[0].duration = Duration::from_millis(200);
    let outcome = run_on(&plan, &HeldAreas::default());
    let totals = RunRecord::totals_of_intervals(&plan, &outcome.intervals);
    let count = |op: &Option<OpCounts>| op.as_ref().map_or(0, OpCounts::io_count) as f64;
    let led = count(&totals[0].read) + count(&totals[0].write);
    assert_near(count(&totals[1].write), led * 0.5, 0.01);
}
