//! A load that is ended by whoever looks at it: what counts then, on devices whose truth is known.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{job, plan};
use iotrial_engine::run::{RunOutcome, run};
use iotrial_engine::targets::HeldAreas;
use iotrial_measure::control::{Control, Decision};
use iotrial_model::plan::{EngineKind, PhaseKind, Plan, SimDevice, SimStall};
use iotrial_model::record::{EndedHow, RunRecord};

/// Two seconds of ramp, then at most 50 in rounds of two.
fn waiting(sim: SimDevice) -> Plan {
    plan(&job("a", 100, "8KiB", 1, 8), EngineKind::Sim, sim).until_steady(None).unwrap()
}

/// Ends the load with its interval number `last`, and counts the last `window_s`.
fn ended_after(plan: &Plan, last: usize, window_s: u64) -> RunOutcome {
    let mut seen = 0;
    let mut decide = |interval: &iotrial_model::record::Interval| {
        seen += 1;
        let end = interval.start + interval.duration;
        let measured_from = end.saturating_sub(Duration::from_secs(window_s));
        if seen == last { Decision::Complete { measured_from } } else { Decision::GoOn }
    };
    run(&Arc::new(plan.clone()), &HeldAreas::default(), None, &[], &Arc::default(), &mut decide).unwrap()
}

fn exact_device() -> SimDevice {
    SimDevice { service_time_us: 500.0, service_spread: 0.0, parallelism: 8, ..SimDevice::default() }
}

#[test]
fn what_was_measured_before_the_window_is_precondition_and_nothing_comes_after_it() {
    // The stall lies in what becomes precondition.
    let stalls = vec![SimStall { start_s: 3.5, duration_s: 1.0 }];
    let plan = waiting(SimDevice { stalls, ..exact_device() });
    let outcome = ended_after(&plan, 16, 10);
    assert_eq!(outcome.ended.how, EndedHow::Complete);
    let phases: Vec<PhaseKind> = outcome.intervals.iter().map(|one| one.phase).collect();
    let of = |kind, count| std::iter::repeat_n(kind, count);
    let expected =
        of(PhaseKind::Ramp, 2).chain(of(PhaseKind::Precondition, 4)).chain(of(PhaseKind::Measure, 10));
    assert_eq!(phases, expected.collect::<Vec<_>>());
    let read = RunRecord::totals_of_intervals(&plan, &outcome.intervals)[0].read.clone().unwrap();
    assert_eq!(read.io_count(), 10 * 16_000);
    assert_eq!(read.total_latency.max().unwrap(), Duration::from_micros(500));
}

#[test]
fn the_same_decision_gives_the_same_intervals_however_far_the_device_ran_ahead() {
    let plan = waiting(SimDevice::default());
    let intervals = || ended_after(&plan, 14, 10).intervals;
    assert_eq!(intervals(), intervals());
}

#[test]
fn what_is_with_the_device_counts_at_the_end_of_the_window_only() {
    let outcome = ended_after(&waiting(exact_device()), 14, 10);
    let unfinished: Vec<u64> =
        outcome.intervals.iter().map(|one| one.jobs[0].read.as_ref().unwrap().unfinished_count).collect();
    assert_eq!(unfinished.iter().sum::<u64>(), unfinished[13]);
    assert_eq!(unfinished[13], 8);
}

#[test]
fn a_brake_that_is_shared_stays_free_for_the_next_load() {
    let control: Arc<Control> = Arc::default();
    let plan = Arc::new(waiting(exact_device()));
    for _ in 0..2 {
        let mut decide = |_: &_| Decision::Complete { measured_from: Duration::ZERO };
        let outcome = run(&plan, &HeldAreas::default(), None, &[], &control, &mut decide).unwrap();
        assert_eq!((outcome.ended.how, outcome.intervals.len()), (EndedHow::Complete, 1));
    }
    assert!(!control.is_stopping());
}
