//! How the rate of a load that keeps I/Os outstanding follows its steps: from which one on more of them bring no more.

use std::collections::BTreeSet;

use iotrial_model::finding::{Evidence, Finding, FindingId, Place, Scaling, Severity};
use iotrial_model::load::Role;
use iotrial_model::plan::Arrival;
use iotrial_model::subject::{Subject, SubjectStep};

use crate::device_part::devices_of;
use crate::figures::Figures;
use crate::judgement::{CLOCK_SLACK, SHORTEST_JUDGED};

/// The lowest load with this share of the highest rate is the one that saturates, as in a sweep.
const SATURATED: f64 = 0.95;

/// What is at most so many times that load cannot show whether the rate has stopped rising: in proportion it would do half as much again.
const FAR_ABOVE: f64 = 1.5;

/// A part of the load whose rate rises by less from there to the highest load is at its limit.
const MOST_RISE: f64 = 1.1;

/// Where the rate of a load stops rising with its outstanding I/Os, or that it still rises at the highest step. `None` of loads at a rate,
/// where each step says by itself whether it is kept, and of fewer than two steps to compare.
///
/// `is_generator_busy`: whether the generator was the limit of a step.
pub(super) fn scaling(
    steps: &[&SubjectStep<'_>],
    is_generator_busy: impl Fn(&SubjectStep<'_>) -> bool,
) -> Option<Finding> {
    let mut points: Vec<(f64, f64, &SubjectStep<'_>)> = steps.iter().filter_map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (highest_percent, highest_iops, highest) = *points.last()?;
    let most_iops = points.iter().map(|(_, iops, _)| *iops).fold(0.0, f64::max);
    let saturated = points.iter().find(|(_, iops, _)| *iops >= SATURATED * most_iops)?;
    let is_reached = highest_percent >= FAR_ABOVE * saturated.0;
    // Of a rate that still rises, the step that shows by how much: the highest that is far enough below.
    let below = || points.iter().rev().find(|(percent, ..)| highest_percent >= FAR_ABOVE * percent);
    let (load_percent, iops, step) = if is_reached { *saturated } else { *below()? };
    let waiting = if is_reached { waiting(&step.subject, &highest.subject) } else { None };
    // Kernel names of those that the jobs of a role are on; none where they are not known.
    let devices_of_role = |role: Role| {
        let plan = step.subject.plan?;
        let jobs = (0..plan.jobs.len()).filter(|job| plan.jobs[*job].role == role);
        let devices = jobs.filter_map(|job| devices_of(&step.subject, plan, job)).flatten();
        Some(devices.collect::<BTreeSet<String>>().into_iter().collect())
    };
    let evidence = Evidence::Scaling(Scaling {
        load_percent,
        iops,
        highest_load_percent: highest_percent,
        highest_iops,
        role: waiting,
        devices: waiting.and_then(devices_of_role).unwrap_or_default(),
        is_generator_busy: points
            .iter()
            .any(|(percent, _, one)| *percent >= load_percent && is_generator_busy(one)),
    });
    let id = if is_reached { FindingId::StopsScaling } else { FindingId::StillScaling };
    let of = if is_reached { step } else { highest };
    let place = Place::Step {
        number: of.number,
        planned: of.planned.clone(),
        having_count: 1,
        step_count: steps.len(),
    };
    Some(Finding::new(id, Severity::Note, evidence).placed(place))
}

/// Load and rate of a step that can be compared with others.
fn point<'s, 'r>(step: &&'s SubjectStep<'r>) -> Option<(f64, f64, &'s SubjectStep<'r>)> {
    let SubjectStep { planned, subject, .. } = *step;
    let is_closed = |arrival: Arrival| arrival == Arrival::Closed;
    let has_closed = subject.jobs.iter().any(|job| job.planned.is_some_and(|job| is_closed(job.arrival)));
    let is_long = subject.measured.is_some_and(|measured| measured + CLOCK_SLACK >= SHORTEST_JUDGED);
    if !(has_closed && is_long && step.is_whole && planned.is_constant()) {
        return None;
    }
    let iops = Figures::of_all(subject)?.iops.filter(|iops| *iops > 0.0)?;
    Some((planned.load_percent, iops, step))
}

/// The role in which I/Os wait once the load is above the one that saturates: of those whose rate no longer rises, the one of which most are
/// added to those in flight. In a closed load they gather where it is held up; what is behind it waits for its turn and not for a device.
fn waiting(saturated: &Subject<'_>, highest: &Subject<'_>) -> Option<Role> {
    let added = |role: &Role| {
        let [(before_iops, before), (iops, now)] =
            [saturated, highest].map(|subject| in_flight(subject, *role));
        (iops < MOST_RISE * before_iops).then_some(now - before)
    };
    let has = |role: &&Role| saturated.jobs.iter().any(|job| job.role == Some(**role));
    let by_added = Role::ALL.iter().filter(has).filter_map(|role| Some((*role, added(role)?)));
    by_added.filter(|(_, added)| *added > 0.0).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(role, _)| role)
}

/// I/Os a second of a role, and how many of them are in flight or wait after they are due (Little, 1961).
fn in_flight(subject: &Subject<'_>, role: Role) -> (f64, f64) {
    let jobs = subject.jobs.iter().filter(|job| job.role == Some(role)).cloned().collect();
    let figures = Figures::of_all(&Subject { jobs, ..subject.clone() });
    let rate_and_mean = figures.and_then(|figures| figures.iops.zip(figures.lat_mean_us));
    rate_and_mean.map_or((0.0, 0.0), |(iops, mean_us)| (iops, iops * mean_us / 1e6))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::record::RunRecord;
    use iotrial_model::step::Step;

    use super::*;
    use crate::findings::findings;
    use crate::test_record::{apart, measured};

    /// Twenty seconds at each of these shares of the full load, with so many I/Os a second; all closed.
    fn stepped(steps: &[(f64, u64)], change: impl FnOnce(&mut RunRecord)) -> Option<Finding> {
        let of_second = |second: u64| steps[usize::try_from(second / 20).unwrap()].1;
        let mut record = measured(20 * steps.len() as u64, of_second);
        let planned = steps.iter().map(|(percent, _)| Step::constant(Duration::from_secs(20), *percent));
        record.plan.steps = planned.collect();
        record.devices.clear();
        change(&mut record);
        record.steps = RunRecord::steps_of_intervals(&record.plan, &record.intervals);
        let is_scaling =
            |found: &Finding| matches!(found.id, FindingId::StopsScaling | FindingId::StillScaling);
        findings(&Subject::of_run(&record)).into_iter().find(is_scaling)
    }

    fn step_of(found: &Finding) -> (FindingId, usize, &Scaling) {
        let (Some(Place::Step { number, .. }), Evidence::Scaling(facts)) = (&found.place, &found.evidence)
        else {
            panic!("{found:?}")
        };
        (found.id, *number, facts)
    }

    #[test]
    fn a_load_stops_scaling_at_the_lowest_step_that_does_nearly_as_much_as_any() {
        let found = stepped(
            &[(25.0, 4_000), (50.0, 8_000), (100.0, 15_504), (200.0, 16_000), (400.0, 14_000)],
            |_| (),
        );
        let found = found.unwrap();
        let (id, number, facts) = step_of(&found);
        assert_eq!((id, number), (FindingId::StopsScaling, 3));
        assert_eq!((facts.load_percent, facts.highest_load_percent), (100.0, 400.0));
        // A commit for each eight pages.
        assert_eq!((facts.iops / 1.125, facts.highest_iops / 1.125), (15_504.0, 14_000.0));
    }

    #[test]
    fn a_rate_that_still_rises_at_the_highest_step_is_told_with_how_much() {
        let found = stepped(&[(400.0, 24_000), (100.0, 8_000), (200.0, 16_000)], |_| ()).unwrap();
        let (id, number, facts) = step_of(&found);
        assert_eq!((id, number, facts.load_percent), (FindingId::StillScaling, 1, 200.0));
        assert_eq!((facts.role, facts.devices.len()), (None, 0));
        // Too near to each other to tell.
        assert_eq!(stepped(&[(100.0, 16_000), (110.0, 16_000)], |_| ()), None);
    }

    #[test]
    fn a_load_at_a_rate_is_told_by_its_steps_alone() {
        let open = |record: &mut RunRecord| {
            for job in &mut record.plan.jobs {
                let spacing = iotrial_model::load::Spacing::Poisson;
                job.arrival = Arrival::Open { iops: 16_000.0, spacing, bursts: None };
            }
        };
        assert_eq!(stepped(&[(50.0, 8_000), (100.0, 16_000), (200.0, 16_000)], open), None);
    }

    #[test]
    fn the_role_whose_ios_wait_is_named_with_its_devices() {
        let found = stepped(&[(50.0, 8_000), (100.0, 8_000), (200.0, 8_000)], |record| {
            apart(record);
            // Reads wait four times as long in the last step, and commits do not.
            for interval in &mut record.intervals[40..] {
                let read = interval.jobs[0].read.as_mut().unwrap();
                let waited = crate::test_record::counts(read.io_count(), Duration::from_millis(4));
                read.total_latency = waited.total_latency;
            }
        });
        let found = found.unwrap();
        let (_, _, facts) = step_of(&found);
        assert_eq!((facts.role, facts.devices.as_slice()), (Some(Role::Data), &["sdb".to_owned()][..]));
    }
}
