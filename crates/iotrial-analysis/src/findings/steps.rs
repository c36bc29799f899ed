//! What is odd about a load that changes in steps: each step is looked at by itself, because at its borders everything changes on
//! purpose.

use iotrial_model::finding::{Finding, FindingId, Place};
use iotrial_model::subject::{Subject, SubjectStep};

use super::course;
use super::observed::Observed;
use super::scaling::scaling;

/// All that is odd about the steps, the most serious first; each finding once, with the step that it is of.
pub(super) fn findings(subject: &Subject<'_>) -> Vec<Finding> {
    let of_steps: Vec<(&SubjectStep<'_>, Vec<Finding>)> =
        subject.steps.iter().map(|step| (step, Observed::of(&step.subject).findings())).collect();
    let mut all: Vec<Finding> = course::interrupted_in_a_step(subject).into_iter().collect();
    // What every step has in the same words is not of a step: the target, the size of the files.
    let is_everywhere = |found: &Finding| of_steps.iter().all(|(_, findings)| findings.contains(found));
    if let Some((_, first)) = of_steps.first() {
        all.extend(first.iter().filter(|found| is_everywhere(found)).cloned());
    }
    let mut told: Vec<FindingId> = Vec::new();
    for (_, findings) in &of_steps {
        for id in findings.iter().filter(|found| !is_everywhere(found)).map(|found| found.id) {
            if !told.contains(&id) {
                told.push(id);
                all.extend(worst_of(id, &of_steps));
            }
        }
    }
    let steps: Vec<&SubjectStep<'_>> = of_steps.iter().map(|(step, _)| *step).collect();
    let is_generator_busy = |step: &SubjectStep<'_>| {
        let mine = of_steps.iter().find(|(one, _)| one.number == step.number);
        mine.is_some_and(|(_, found)| found.iter().any(|found| found.id == FindingId::GeneratorBusy))
    };
    all.extend(scaling(&steps, is_generator_busy));
    all.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    all
}

/// The most serious finding of a kind, of the last step that has it, with the step as its place.
fn worst_of(id: FindingId, of_steps: &[(&SubjectStep<'_>, Vec<Finding>)]) -> Option<Finding> {
    let counts = |step: &SubjectStep<'_>| step.planned.judged || fails(id);
    let having: Vec<(&SubjectStep<'_>, &Finding)> = of_steps
        .iter()
        .filter(|(step, _)| counts(step))
        .filter_map(|(step, findings)| Some((*step, findings.iter().find(|found| found.id == id)?)))
        .collect();
    let (step, found) = having.iter().max_by_key(|(_, found)| found.severity)?;
    let place = Place::Step {
        number: step.number,
        planned: step.planned.clone(),
        having_count: having.len(),
        step_count: of_steps.len(),
    };
    Some(Finding::clone(found).placed(place))
}

/// What failed is told of steps that are not judged, too.
fn fails(id: FindingId) -> bool {
    matches!(id, FindingId::IoErrors | FindingId::ShortIo | FindingId::Stalled)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::finding::Severity;
    use iotrial_model::load::Spacing;
    use iotrial_model::plan::Arrival;
    use iotrial_model::record::{EndedHow, RunRecord};
    use iotrial_model::step::Step;

    use super::*;
    use crate::test_record::measured;

    /// Three steps of a minute of an open load, of which the first is not judged.
    fn stepped(change: impl FnOnce(&mut RunRecord)) -> Vec<Finding> {
        let mut record = measured(180, |_| 16_000);
        for (job, iops) in record.plan.jobs.iter_mut().zip([16_000.0, 2_000.0]) {
            job.arrival = Arrival::Open { iops, spacing: Spacing::Poisson, bursts: None };
        }
        record.plan.steps = vec![Step::constant(Duration::from_secs(60), 100.0); 3];
        record.plan.steps[0].judged = false;
        record.devices.clear();
        change(&mut record);
        record.steps = RunRecord::steps_of_intervals(&record.plan, &record.intervals);
        super::findings(&Subject::of_run(&record))
    }

    fn stall(record: &mut RunRecord, second: usize, took: Duration) {
        record.intervals[second].jobs[1].write.as_mut().unwrap().total_latency.record_n(took, 1);
    }

    /// Of each finding its id, and the step that it is of, with how many have it.
    fn told(findings: &[Finding]) -> Vec<(FindingId, Option<(usize, usize)>)> {
        let place = |found: &Finding| match &found.place {
            Some(Place::Step { number, having_count, step_count: 3, .. }) => Some((*number, *having_count)),
            None => None,
            other => panic!("{other:?}"),
        };
        findings.iter().map(|found| (found.id, place(found))).collect()
    }

    #[test]
    fn what_every_step_has_is_told_once_and_of_no_step() {
        assert_eq!(told(&stepped(|_| ())), []);
        assert_eq!(told(&stepped(|record| record.plan.polled = true)), [(FindingId::PolledIo, None)]);
        // The most serious first.
        let both = stepped(|record| {
            record.plan.polled = true;
            record.targets[0].in_memory = true;
            record.ended.how = EndedHow::Interrupted;
        });
        let ids: Vec<FindingId> = both.iter().map(|found| found.id).collect();
        assert_eq!(ids, [FindingId::InMemoryTarget, FindingId::Interrupted, FindingId::PolledIo]);
    }

    #[test]
    fn what_some_steps_have_is_told_once_by_the_worst_of_them() {
        let one = stepped(|record| stall(record, 100, Duration::from_secs(3)));
        assert_eq!(told(&one), [(FindingId::Stalled, Some((2, 1)))]);
        let worst = stepped(|record| {
            stall(record, 100, Duration::from_secs(17));
            stall(record, 150, Duration::from_secs(3));
        });
        assert_eq!(
            (told(&worst), worst[0].severity),
            (vec![(FindingId::Stalled, Some((2, 2)))], Severity::Serious)
        );
        let last = stepped(|record| {
            stall(record, 100, Duration::from_secs(3));
            stall(record, 150, Duration::from_secs(3));
        });
        assert_eq!(told(&last), [(FindingId::Stalled, Some((3, 2)))]);
    }

    #[test]
    fn of_a_step_that_is_not_judged_only_what_failed_is_told() {
        let stalled = stepped(|record| stall(record, 30, Duration::from_secs(3)));
        assert_eq!(told(&stalled), [(FindingId::Stalled, Some((1, 1)))]);
        let not_issued = |second: usize| {
            let found = stepped(|record| record.intervals[second].backlog = vec![120_000, 0]);
            told(&found)
        };
        assert_eq!(not_issued(59), []);
        let of_second = Some((2, 1));
        assert_eq!(not_issued(119), [(FindingId::NotIssued, of_second), (FindingId::Unsteady, of_second)]);
    }
}
