use std::time::Duration;

use iotrial_model::finding::{Evidence, Place};
use iotrial_model::load::Spacing;
use iotrial_model::record::{Ended, EndedHow, RunRecord};
use iotrial_model::step::Step;
use iotrial_model::verdict::DoubtKind;

use super::*;
use crate::summary::Summary;
use crate::test_record::{counts, measured};

/// Steps of a minute, each with its share of 20,000 data I/Os a second and what came of it.
fn stepped(steps: &[(f64, u64)]) -> RunRecord {
    let iops = |second: u64| steps[usize::try_from(second / 60).unwrap()].1;
    let mut record = measured(60 * steps.len() as u64, iops);
    for (job, iops) in record.plan.jobs.iter_mut().zip([20_000.0, 2_500.0]) {
        job.arrival = Arrival::Open { iops, spacing: Spacing::Poisson, bursts: None };
    }
    let step = |(percent, _): &(f64, u64)| Step::constant(Duration::from_secs(60), *percent);
    record.plan.steps = steps.iter().map(step).collect();
    again(record)
}

/// With the totals of its steps.
fn again(mut record: RunRecord) -> RunRecord {
    record.steps = RunRecord::steps_of_intervals(&record.plan, &record.intervals);
    record.devices.clear();
    record
}

fn ruling(summary: &Summary) -> &StepsRuling {
    let Basis::Steps(ruling) = &summary.verdict.basis else { panic!("{:?}", summary.verdict.basis) };
    ruling
}

fn summary(record: &RunRecord) -> Summary {
    Summary::new(&Subject::of_run(record), &ThresholdSet::builtin("flash").unwrap())
}

#[test]
fn a_load_that_holds_in_every_step_is_qualified_up_to_its_highest_one() {
    let summary = summary(&stepped(&[(80.0, 16_000), (90.0, 18_000), (100.0, 20_000)]));
    let verdict = &summary.verdict;
    let ruling = ruling(&summary);
    assert_eq!((ruling.failing, ruling.best, ruling.open), (None, Some(2), None));
    assert_eq!(ruling.steps[2].done_iops, Some(22_500.0));
    assert_eq!((verdict.outcome, verdict.step), (Outcome::Qualified, Some(3)));
    // All other figures are those of the peak.
    assert_eq!(summary.measured_s, Some(60.0));
    let reads = summary.total.read.as_ref().unwrap();
    assert_eq!(reads.iops, Some(10_000.0));
}

#[test]
fn a_load_that_changes_on_purpose_is_neither_unsteady_nor_a_burst() {
    for steps in
        [[(80.0, 16_000), (100.0, 20_000), (50.0, 12_000)], [(100.0, 20_000), (50.0, 12_000), (60.0, 13_000)]]
    {
        let record = stepped(&steps);
        assert_eq!(summary(&record).findings, []);
        let mut plain = record.clone();
        (plain.plan.steps, plain.steps) = (Vec::new(), Vec::new());
        assert!(!summary(&plain).findings.is_empty());
    }
    // Nor is one that rises all the time, which is not judged by its course.
    let mut record = measured(120, |second| 16_000 + 100 * second.min(60));
    let rise =
        Step { from_percent: Some(70.0), judged: false, ..Step::constant(Duration::from_secs(60), 100.0) };
    let level = Step { from_percent: Some(100.0), ..Step::constant(Duration::from_secs(60), 100.0) };
    record.plan.steps = vec![rise, level];
    let rising = summary(&again(record));
    assert_eq!(rising.findings, []);
    let from: Vec<Option<f64>> = rising.steps.iter().map(|step| step.from_percent).collect();
    assert_eq!(from, [Some(70.0), None]);
}

#[test]
fn the_first_step_that_does_not_hold_decides_and_the_one_below_it_is_named() {
    let summary = summary(&stepped(&[(70.0, 16_000), (80.0, 18_000), (90.0, 2_000), (100.0, 1_000)]));
    let verdict = &summary.verdict;
    assert_eq!((verdict.outcome, verdict.step), (Outcome::NotQualified, Some(3)));
    let ruling = ruling(&summary);
    assert_eq!((ruling.failing, ruling.best, ruling.open), (Some(2), Some(1), None));
    let failing = &ruling.steps[2];
    assert_eq!((failing.done_iops, failing.asked_iops), (Some(2_250.0), Some(20_250.0)));
    let Some(WhyNot::TooSlow(why)) = &failing.why_not else { panic!("{:?}", failing.why_not) };
    assert_eq!((why.role, why.shown_ms, why.limit_us), (Role::Data, 4.0, 2_000.0));
    let holds: Vec<Option<bool>> = summary.steps.iter().map(|step| step.holds).collect();
    assert_eq!(holds, [Some(true), Some(true), Some(false), Some(false)]);
}

#[test]
fn of_steps_in_any_order_the_lowest_that_fails_decides() {
    let record = stepped(&[(100.0, 1_000), (90.0, 1_000), (50.0, 12_000)]);
    let summary = summary(&record);
    assert_eq!((summary.verdict.outcome, summary.verdict.step), (Outcome::NotQualified, Some(2)));
    assert_eq!((ruling(&summary).failing, ruling(&summary).best), (Some(1), Some(2)));
}

#[test]
fn what_fails_in_a_step_that_is_not_judged_fails_and_steps_that_a_record_lacks_leave_it_open() {
    let mut record = stepped(&[(50.0, 12_000), (100.0, 20_000)]);
    record.plan.steps[0].judged = false;
    let holding = again(record.clone());
    assert_eq!(summary(&holding).verdict.outcome, Outcome::Qualified);
    let mut failing = holding.clone();
    for counts in [&mut failing.steps[0].jobs[0], &mut failing.jobs[0]] {
        counts.read.as_mut().unwrap().error_count = 6;
    }
    let failed = summary(&failing);
    assert_eq!(failed.verdict.outcome, Outcome::NotQualified);
    let [Objection::InStep { label, finding }] = &ruling(&failed).objections[..] else {
        panic!("{:?}", failed.verdict.basis)
    };
    assert_eq!((label.as_str(), finding.id), ("step 1 (50 %)", FindingId::IoErrors));
    let mut both = failing.clone();
    for counts in [&mut both.steps[0].jobs[0], &mut both.jobs[0]] {
        let short = iotrial_model::record::Failure::Short { moved: 512, asked: 8_192 };
        counts.read.as_mut().unwrap().first_error = Some(short);
    }
    let both = summary(&both);
    assert_eq!(ruling(&both).objections[0].finding().id, FindingId::ShortIo, "the most serious one");
    let lacking = |record: &RunRecord, judged: bool| {
        let mut cut = record.clone();
        cut.plan.steps.push(Step { judged, ..Step::constant(Duration::from_secs(60), 110.0) });
        summary(&cut).verdict.outcome
    };
    assert_eq!(lacking(&holding, true), Outcome::Inconclusive);
    assert_eq!(lacking(&holding, false), Outcome::Qualified);
    // What fails, fails without them as well.
    let slow = stepped(&[(50.0, 12_000), (100.0, 1_000)]);
    assert_eq!(lacking(&slow, true), Outcome::NotQualified);
}

#[test]
fn a_step_that_is_not_judged_decides_nothing() {
    let mut record = stepped(&[(50.0, 2_000), (100.0, 20_000)]);
    record.plan.steps[0].judged = false;
    let summary = summary(&record);
    assert_eq!(summary.verdict.outcome, Outcome::Qualified, "{:?}", summary.verdict.basis);
    let unjudged = &ruling(&summary).steps[0];
    assert_eq!((unjudged.holds, &unjudged.why_not), (None, &None));
    assert_eq!(ruling(&summary).best, Some(1));
}

#[test]
fn a_run_that_was_stopped_shows_the_steps_so_far_and_the_one_that_was_cut() {
    let mut record = stepped(&[(80.0, 16_000), (90.0, 18_000), (100.0, 20_000), (100.0, 20_000)]);
    record.intervals.truncate(140);
    record.ended = Ended { how: EndedHow::Interrupted, reason: Some("SIGINT".to_owned()) };
    let summary = summary(&again(record));
    assert_eq!(summary.verdict.outcome, Outcome::Inconclusive);
    assert_eq!(summary.steps.len(), 3);
    assert!(summary.steps[1].is_whole() && !summary.steps[2].is_whole());
    let ruling = ruling(&summary);
    let cut = WhyNot::CutShort { measured_s: 20.0, planned_s: 60.0 };
    assert_eq!((&ruling.steps[2].why_not, ruling.steps[2].holds), (&Some(cut), None));
    assert_eq!((ruling.steps.len(), ruling.planned_count), (3, 4));
    assert_eq!(ruling.doubts[0].kind, DoubtKind::Interrupted);
    // The figures are those of the highest load that was measured as long as planned.
    assert_eq!(summary.total.read.as_ref().unwrap().iops, Some(9_000.0));
}

/// Steps of a minute of the closed load, each with its share of the outstanding I/Os, and the rate that came of it.
fn closed(steps: &[(f64, u64)]) -> RunRecord {
    let mut record = stepped(steps);
    let factor = record.plan.depth_factor();
    for job in &mut record.plan.jobs {
        job.arrival = Arrival::Closed;
        job.iodepth *= factor;
    }
    for (second, interval) in record.intervals.iter_mut().enumerate() {
        let (percent, iops) = steps[second / 60];
        // As many as are outstanding at that share, and a commit for each eight pages.
        let latency = Duration::from_secs_f64(8.0 * percent / 100.0 / iops as f64);
        interval.jobs[0].read = Some(counts(iops / 2, latency));
        interval.jobs[0].write = Some(counts(iops / 2, latency));
        interval.jobs[1].write = Some(counts(iops / 8, latency));
    }
    again(record)
}

#[test]
fn a_load_that_is_raised_beyond_its_own_is_judged_at_its_own_and_shows_what_comes_first_above_it() {
    let steps = summary(&closed(&[(100.0, 10_000), (200.0, 16_000), (400.0, 12_800), (800.0, 12_800)]));
    let answer = ruling(&steps);
    assert_eq!((answer.outcome, answer.failing, answer.best), (Outcome::Qualified, Some(2), Some(1)));
    let scaling = answer.scaling.as_ref().unwrap();
    assert_eq!(scaling.id, FindingId::StopsScaling);
    assert!(matches!(scaling.place, Some(Place::Step { number: 2, .. })), "{scaling:?}");
    let crossed: Vec<Vec<Role>> =
        answer.steps.iter().map(|step| step.crossed.iter().map(|one| one.role).collect()).collect();
    assert_eq!(crossed.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 2, 0], "{crossed:?}");
    assert!(crossed[2].contains(&Role::Data) && crossed[2].contains(&Role::Log));
    // Its own load is too much.
    let slow = summary(&closed(&[(100.0, 3_000), (200.0, 3_000)]));
    assert_eq!(slow.verdict.outcome, Outcome::NotQualified);
}

#[test]
fn what_was_due_and_never_issued_in_a_step_is_told_of_that_step() {
    let mut record = stepped(&[(80.0, 16_000), (100.0, 20_000), (60.0, 12_000)]);
    record.intervals[119].backlog = vec![120_000, 0];
    let summary = summary(&record);
    assert_eq!(summary.verdict.outcome, Outcome::NotQualified);
    let finding = &summary.findings[0];
    assert_eq!(finding.id, FindingId::NotIssued);
    let planned = record.plan.steps[1].clone();
    let place = Place::Step { number: 2, planned, having_count: 1, step_count: 3 };
    assert_eq!(finding.place, Some(place));
    let Evidence::NotIssued { job, not_issued_count, .. } = &finding.evidence else { panic!("{finding:?}") };
    assert_eq!((job.as_str(), *not_issued_count), ("pages", 120_000));
    assert_eq!(summary.steps[2].holds, Some(true));
}

/// A step at this share of the full load, and whether it holds.
fn answered(load_percent: f64, holds: Option<bool>) -> StepAnswer {
    StepAnswer {
        number: 1,
        label: String::new(),
        load: String::new(),
        load_percent,
        asked_iops: None,
        done_iops: None,
        iops: 0.0,
        is_judged: true,
        holds,
        why_not: None,
        worst: None,
        crossed: Vec::new(),
    }
}

#[test]
fn steps_together_say_whether_all_of_a_load_holds_or_all_of_what_is_needed() {
    const YES: Option<bool> = Some(true);
    const NO: Option<bool> = Some(false);
    let check = |steps: &[(f64, Option<bool>)], of_load, of_need| {
        let steps: Vec<StepAnswer> = steps.iter().map(|(load, holds)| answered(*load, *holds)).collect();
        let of = |all_is_asked| {
            let answer = StepsAnswer::new(&steps, all_is_asked);
            (answer.holds, answer.decides)
        };
        assert_eq!((of(false), of(true)), (of_load, of_need));
    };
    check(&[(80.0, YES), (100.0, YES)], (YES, Some(1)), (YES, Some(1)));
    check(&[(80.0, YES), (99.0, YES)], (YES, Some(1)), (None, Some(1)));
    check(&[(100.0, YES), (120.0, YES)], (YES, Some(1)), (YES, Some(1)));
    // What fails above all that is needed is beside the question; at it, it is the answer.
    check(&[(100.0, YES), (101.0, NO)], (NO, Some(1)), (YES, Some(0)));
    check(&[(90.0, YES), (101.0, NO)], (NO, Some(1)), (None, Some(1)));
    check(&[(90.0, YES), (100.0, NO)], (NO, Some(1)), (NO, Some(1)));
    check(&[(150.0, NO)], (NO, Some(0)), (None, Some(0)));
    // What is open at no more than that leaves it open, and what is open above it does not.
    check(&[(100.0, None), (110.0, YES)], (None, Some(0)), (None, Some(0)));
    check(&[(101.0, None), (100.0, YES)], (None, Some(0)), (YES, Some(1)));
    check(&[(90.0, None), (100.0, YES), (101.0, NO)], (NO, Some(2)), (None, Some(2)));
    check(&[(105.0, None), (100.0, YES), (110.0, NO)], (NO, Some(2)), (YES, Some(1)));
    check(&[(90.0, None), (105.0, None), (100.0, YES)], (None, Some(0)), (None, Some(0)));
    check(&[(80.0, None), (90.0, None)], (None, Some(0)), (None, Some(0)));
    check(&[], (None, None), (None, None));
    // A load that held once and failed once does not hold.
    check(&[(90.0, YES), (90.0, NO)], (NO, Some(1)), (NO, Some(1)));
    let twice = [answered(90.0, YES), answered(90.0, NO), answered(95.0, YES), answered(80.0, YES)];
    assert_eq!(StepsAnswer::new(&twice, false).best, Some(3));
    let unjudged = StepAnswer { is_judged: false, ..answered(10.0, NO) };
    assert_eq!(StepsAnswer::new(&[unjudged, answered(90.0, YES)], false).holds, YES);
}

#[test]
fn a_need_is_carried_by_the_step_at_all_of_it() {
    let mut record = stepped(&[(90.0, 18_000), (100.0, 20_000), (120.0, 1_000)]);
    let need: iotrial_model::need::Need = "20000iops".parse().unwrap();
    let without = summary(&record).verdict;
    assert_eq!((without.outcome, without.step), (Outcome::NotQualified, Some(3)));
    record.plan.need = Some(need);
    let summary = summary(&record);
    assert_eq!((summary.verdict.outcome, summary.verdict.step), (Outcome::Qualified, Some(2)));
    assert_eq!((summary.verdict.advice, ruling(&summary).need_iops), (None, Some(20_000.0)));
    assert_eq!(summary.verdict.category, ruling(&summary).steps[1].worst.as_ref().map(|one| one.category));
}

#[test]
fn a_run_that_was_stopped_is_to_be_run_again_and_a_step_in_doubt_says_what_to_change() {
    use iotrial_model::verdict::Change;
    let mut stopped = stepped(&[(80.0, 16_000), (100.0, 20_000)]);
    stopped.intervals.truncate(70);
    stopped.ended = Ended { how: EndedHow::Interrupted, reason: None };
    let advice = summary(&again(stopped)).verdict.advice.unwrap();
    assert_eq!(advice.change, Change::RunAgain);
    let mut busy = stepped(&[(80.0, 16_000), (100.0, 1_000)]);
    for interval in &mut busy.intervals[60..] {
        for ops in interval.jobs.iter_mut().flat_map(|job| job.read.iter_mut().chain(&mut job.write)) {
            // None of it is known to be the device's.
            (ops.held_latency, ops.late_count) = (ops.total_latency.clone(), ops.io_count());
            ops.unheld_latency.record_n(Duration::from_micros(1), ops.io_count());
        }
    }
    let mut busy = again(busy);
    busy.steps[1].cpu.clone_from(&busy.cpu);
    let cpu = busy.steps[1].cpu.as_mut().unwrap();
    (cpu.wall, cpu.busiest_thread_s) = (Duration::from_secs(60), Some(60.0));
    let summary = summary(&busy);
    assert_eq!((summary.verdict.outcome, summary.verdict.step), (Outcome::Inconclusive, Some(2)));
    assert_eq!(summary.verdict.advice.unwrap().change, Change::StopOthersOnHost);
    let why_not = ruling(&summary).steps[1].why_not.as_ref().unwrap();
    let WhyNot::InDoubt(doubts) = why_not else { panic!("{why_not:?}") };
    assert_eq!(doubts[0].kind, DoubtKind::ShortOfCpu);
    // It is told with its step, and not once more beside the answer.
    assert!(summary.findings.iter().any(|one| one.id == FindingId::GeneratorBusy));
    let with_step = why_not.findings();
    assert!(ruling(&summary).findings.iter().all(|one| !with_step.contains(&one.id)));
}

#[test]
fn what_no_step_tells_is_told_beside_the_answer_unless_it_is_a_note() {
    let mut record = stepped(&[(80.0, 16_000), (100.0, 20_000)]);
    record.plan.polled = true;
    let write = record.intervals[100].jobs[1].write.as_mut().unwrap();
    write.total_latency.record_n(Duration::from_millis(6_000), 1);
    let record = again(record);
    let summary = summary(&record);
    let told: Vec<FindingId> = summary.findings.iter().map(|one| one.id).collect();
    assert_eq!(told, [FindingId::Stalled, FindingId::PolledIo]);
    let beside: Vec<FindingId> = ruling(&summary).findings.iter().map(|one| one.id).collect();
    assert_eq!(beside, [FindingId::Stalled]);
}

#[test]
fn what_failed_in_a_judged_step_is_the_reason_of_that_step_alone() {
    let mut record = stepped(&[(50.0, 12_000), (100.0, 20_000)]);
    for counts in [&mut record.steps[1].jobs[0], &mut record.jobs[0]] {
        counts.read.as_mut().unwrap().error_count = 6;
    }
    let summary = summary(&record);
    assert_eq!((summary.verdict.outcome, summary.verdict.step), (Outcome::NotQualified, Some(2)));
    let ruling = ruling(&summary);
    assert!(ruling.objections.is_empty(), "{:?}", ruling.objections);
    let Some(WhyNot::Failed(objection)) = &ruling.steps[1].why_not else { panic!("{:?}", ruling.steps) };
    assert_eq!(objection.finding().id, FindingId::IoErrors);
    // Nor does being cut short change that.
    record.intervals.truncate(80);
    record.ended.how = EndedHow::Interrupted;
    let mut cut = again(record);
    cut.steps[1].jobs[0].read.as_mut().unwrap().error_count = 6;
    assert_eq!(self::summary(&cut).steps[1].holds, Some(false));
}

#[test]
fn only_jobs_with_a_rate_of_their_own_are_asked_for_one() {
    let mut record = stepped(&[(80.0, 16_000), (100.0, 20_000)]);
    record.plan.jobs[1].arrival = Arrival::Closed;
    let summary = summary(&again(record));
    let rates = ruling(&summary).steps.iter().map(|step| (step.asked_iops, step.done_iops, step.iops));
    let expected = [(Some(16_000.0), Some(16_000.0), 18_000.0), (Some(20_000.0), Some(20_000.0), 22_500.0)];
    assert_eq!(rates.collect::<Vec<_>>(), expected);
}
