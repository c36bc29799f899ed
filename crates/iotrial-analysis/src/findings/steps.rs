//! What is odd about a load that changes in steps: each step is looked at by itself, because at its borders everything changes on
//! purpose.

use iotrial_model::finding::{Finding, FindingId, Place};
use iotrial_model::subject::{Subject, SubjectStep};

use super::course;
use super::observed::Observed;

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
