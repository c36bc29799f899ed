use iotrial_model::load::{Role, Spacing};
use iotrial_model::record::JobCounts;

use super::*;
use crate::test_record::{counts, healthy};
use crate::threshold::ThresholdSet;

/// A minute of 2,000 data I/Os a second, half of them reads, beside a log that commits 1,000 times a second.
fn plan() -> Plan {
    let mut plan = healthy().plan;
    for (job, iops) in plan.jobs.iter_mut().zip([2_000.0, 1_000.0]) {
        job.arrival = Arrival::Open { iops, spacing: Spacing::Poisson, bursts: None };
    }
    plan.phases[0].duration = Duration::from_secs(60);
    let ramp = iotrial_model::plan::Phase { kind: PhaseKind::Ramp, duration: Duration::from_secs(600) };
    plan.phases.insert(0, ramp);
    plan
}

fn interval(second: u64, phase: PhaseKind, jobs: Vec<JobCounts>) -> Interval {
    let (start, duration) = (Duration::from_secs(second), Duration::from_secs(1));
    Interval { phase, start, duration, jobs, backlog: Vec::new() }
}

fn reads(parts: &[(u64, u64)]) -> Vec<JobCounts> {
    let mut read = counts(0, Duration::ZERO);
    parts.iter().for_each(|(count, us)| read.merge(&counts(*count, Duration::from_micros(*us))));
    vec![JobCounts { read: Some(read), ..JobCounts::default() }, JobCounts::default()]
}

fn limit(text: &str) -> Limits {
    Limits::Latency(text.parse().unwrap())
}

/// In which of ten seconds after a ramp of five it is known that the load is lost, all of them the same.
fn lost_in(plan: &Plan, limits: &Limits, lingers: bool, jobs: &[JobCounts]) -> Option<u64> {
    let mut end = EarlyEnd::of(plan, plan.measured(), limits, lingers);
    for second in 0..5 {
        assert_eq!(end.see(&interval(second, PhaseKind::Ramp, jobs.to_vec())), None);
    }
    (5..15).find(|second| {
        let seen = end.see(&interval(*second, PhaseKind::Measure, jobs.to_vec()));
        assert!(seen.is_none_or(|from| from == Duration::from_secs(5)), "{seen:?}");
        seen.is_some()
    })
}

#[test]
fn a_percentile_is_lost_when_more_were_slow_than_all_of_the_load_allow() {
    // 60,000 reads, a tenth more by chance: 660 of them may be slow.
    let lost =
        |slow: u64, us: u64| lost_in(&plan(), &limit("2ms@p99"), false, &reads(&[(1_000, 500), (slow, us)]));
    assert_eq!((lost(330, 3_000), lost(331, 3_000)), (Some(7), Some(6)));
    assert_eq!((lost(66, 3_000), lost(67, 3_000)), (None, Some(14)));
    // Never before two seconds, and only what is slower than a bucket may hide.
    assert_eq!((lost(1_000, 3_000), lost(1_000, 2_010), lost(1_000, 2_000)), (Some(6), Some(6), None));
}

#[test]
fn a_mean_is_lost_when_the_sum_is_more_than_all_of_the_load_may_take() {
    // 66,000 reads of 2 ms: 132 s.
    let lost = |us: u64| lost_in(&plan(), &limit("2ms@mean"), false, &reads(&[(1_000, us)]));
    assert_eq!((lost(67_000), lost(65_000), lost(13_300), lost(13_100)), (Some(6), Some(7), Some(14), None));
}

#[test]
fn a_longer_load_is_lost_for_one_interval_more() {
    let slow = reads(&[(1_000, 3_000)]);
    assert_eq!(lost_in(&plan(), &limit("2ms@p99"), true, &slow), Some(7));
    // It was not lost yet in the second before.
    let mut end = EarlyEnd::of(&plan(), plan().measured(), &limit("2ms@p99"), true);
    let seen =
        [0, 1, 2, 3].map(|second| end.see(&interval(second, PhaseKind::Measure, reads(&[(300, 3_000)]))));
    assert_eq!(seen.map(|one| one.is_some()), [false, false, false, true]);
}

#[test]
fn each_stream_is_watched_with_the_ios_of_its_own_jobs() {
    let mut plan = plan();
    let of_log = |count: u64| {
        let write = Some(counts(count, Duration::from_millis(3)));
        vec![JobCounts::default(), JobCounts { write, ..JobCounts::default() }]
    };
    // 60,000 commits: 660 may be slow.
    let lost = |plan: &Plan, count: u64| lost_in(plan, &limit("2ms@p99"), false, &of_log(count));
    assert_eq!((lost(&plan, 66), lost(&plan, 67)), (None, Some(14)));
    // A second job of the role shares its limit, and another role has its own.
    let mut second = plan.jobs[1].clone();
    second.name = "second".to_owned();
    plan.jobs.push(second);
    let three = |count: u64| [of_log(count), of_log(0)[..1].to_vec()].concat();
    let lost_of_three = |plan: &Plan, count: u64| lost_in(plan, &limit("2ms@p99"), false, &three(count));
    assert_eq!((lost_of_three(&plan, 132), lost_of_three(&plan, 133)), (None, Some(14)));
    plan.jobs[2].role = Role::Tempdb;
    assert_eq!(lost_of_three(&plan, 67), Some(14));
    // How much a job will do that has no rate is not known.
    plan.jobs[1].arrival = Arrival::Closed;
    assert_eq!(lost_of_three(&plan, 5_000), None);
}

#[test]
fn what_is_not_judged_for_want_of_ios_is_not_lost() {
    let flash = Limits::Thresholds(ThresholdSet::builtin("flash").unwrap());
    let mut plan = plan();
    plan.phases[1].duration = Duration::from_secs(1);
    plan.jobs[0].arrival = Arrival::Open { iops: 2.0, spacing: Spacing::Poisson, bursts: None };
    let lost = |count: u64| lost_in(&plan, &flash, false, &reads(&[(count, 900_000)]));
    // A mean needs a hundred.
    assert_eq!((lost(9), lost(10)), (None, Some(14)));
}

/// In which second a load ends that is decided after three where that can be, and is measured for twelve at most: each second is alike.
fn ends_in(limits: &Limits, second: &[JobCounts]) -> Option<u64> {
    let mut plan = plan();
    plan.set_measured(Duration::from_secs(3));
    let mut end = EarlyEnd::of(&plan, Duration::from_secs(12), limits, false);
    (0..12).find(|at| end.see(&interval(*at, PhaseKind::Measure, second.to_vec())).is_some())
}

/// Reads of which the generator left `alone`, of so many µs, and held back as many as `held`, which show 20 ms.
fn disturbed((alone, us): (u64, u64), held: u64) -> Vec<JobCounts> {
    let mut seconds = reads(&[(alone, us), (held, 20_000)]);
    let read = seconds[0].read.as_mut().unwrap();
    read.held_latency = counts(held, Duration::from_millis(20)).total_latency;
    read.unheld_latency = counts(held, Duration::from_micros(100)).total_latency;
    read.late_count = held;
    seconds
}

#[test]
fn a_load_of_which_the_generator_left_too_few_ios_alone_goes_on_until_they_decide() {
    let ends = |alone: (u64, u64), held: u64| ends_in(&limit("2ms@p99"), &disturbed(alone, held));
    // A thousand carry a p99.
    assert_eq!([ends((200, 500), 600), ends((334, 500), 600)], [Some(4), Some(2)]);
    // Not even twelve seconds bring them, or the generator left next to none alone.
    assert_eq!([ends((80, 500), 600), ends((90, 500), 3_000)], [Some(2), Some(2)]);
    // What the generator left alone speaks against the load at once.
    assert_eq!(ends((200, 3_000), 600), Some(1));
    // What is shown, and what is beyond the limit without the generator, needs nothing else.
    assert_eq!([ends((800, 500), 0), ends((200, 500), 1)], [Some(2), Some(2)]);
}

#[test]
fn one_stream_that_failed_is_the_end_of_a_load_whatever_is_open_of_another() {
    let mut open = disturbed((200, 500), 600);
    open[1].write = Some(counts(100, Duration::from_micros(500)));
    assert_eq!(ends_in(&limit("2ms@p99"), &open), Some(4));
    open[1].write = Some(counts(100, Duration::from_micros(2_500)));
    assert_eq!(ends_in(&limit("2ms@p99"), &open), Some(1));
}
