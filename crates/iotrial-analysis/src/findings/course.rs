//! How the run went: to its end, without errors, long enough, steady.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::finding::{
    Changing, Evidence, Finding, FindingId, IoErrors, SHORTEST_TRUSTED, Severity, Unsteady,
};
use iotrial_model::load::Direction;
use iotrial_model::need::Need;
use iotrial_model::plan::PhaseKind;
use iotrial_model::record::{EndedHow, Failure, OpCounts};
use iotrial_model::search::{Probe, Search};
use iotrial_model::subject::Subject;

use super::Judge;
use super::observed::Observed;
use crate::steady_state::{Rounds, SteadyState};

// Other tools end with the last I/O, which may be back some time before the minute is over.
const MISSING_AT_THE_END: Duration = Duration::from_millis(500);
/// The clocks are read within 20 ms of each other at either end, however short of CPU the generator is.
const MOST_CLOCK_JUMP_S: f64 = 0.1;
/// Where the monotonic clock is not slewed with the time of day, as on Windows: the most that NTP slews, 500 ppm.
const MOST_SLEW: f64 = 500e-6;
/// More failures than this in a million make the figures those of another load.
const MOST_ERRORS_PER_MILLION: u64 = 1_000;

/// For the table in `findings.rs`.
pub(super) const JUDGES: &[Judge] = &[interrupted, io_errors, short_io, clock_jump, short_run, unsteady];

/// The run did not end as planned.
pub(super) fn interrupted(seen: &Observed<'_, '_>) -> Option<Finding> {
    let ended = seen.subject.ended?;
    let (id, severity) = match ended.how {
        EndedHow::Complete => return None,
        EndedHow::Interrupted => (FindingId::Interrupted, Severity::Warning),
        EndedHow::Failed => (FindingId::Failed, Severity::Serious),
    };
    let measured_s = seen.subject.measured?.as_secs_f64();
    let planned_s = seen.subject.plan?.measured().as_secs_f64();
    Some(Finding::new(id, severity, Evidence::Ended { measured_s, planned_s, reason: ended.reason.clone() }))
}

/// The same of a load with steps: the time is that of all of them.
pub(super) fn interrupted_in_a_step(subject: &Subject<'_>) -> Option<Finding> {
    let whole = Subject {
        measured: Some(subject.steps.iter().filter_map(|step| step.subject.measured).sum()),
        steps: Vec::new(),
        ..subject.clone()
    };
    interrupted(&Observed::of(&whole))
}

/// The failures, counted over all phases or stated by a source.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ErrorCount<'r> {
    /// Failed and short I/Os.
    errors: u64,
    /// Where they were; `None` where a source states only their number.
    worst: Option<WorstErrors<'r>>,
}

/// Where most I/Os failed.
#[derive(Debug, Clone, PartialEq)]
struct WorstErrors<'r> {
    /// All I/Os of all jobs, failed ones too.
    attempts: u64,
    /// The job and direction that failed most.
    job: String,
    direction: Direction,
    /// Its first failure.
    first_error: Option<&'r Failure>,
}

impl<'r> ErrorCount<'r> {
    /// Counts the failed I/Os of all phases, because a device that fails while it warms up is no better; `None` when
    /// there were none.
    pub(super) fn of(subject: &Subject<'r>) -> Option<Self> {
        Self::counted(subject).or_else(|| Self::stated(subject))
    }

    fn counted(subject: &Subject<'r>) -> Option<Self> {
        let mut errors = 0;
        let mut attempts = 0;
        // By job and direction: how many, and the first.
        let mut by_stream: BTreeMap<(usize, Direction), (u64, Option<&'r Failure>)> = BTreeMap::new();
        let mut add = |job: usize, direction: Direction, counts: &'r OpCounts| {
            errors += counts.error_count;
            attempts += counts.io_count() + counts.error_count;
            let stream = by_stream.entry((job, direction)).or_default();
            stream.0 += counts.error_count;
            stream.1 = stream.1.or(counts.first_error.as_ref());
        };
        // The totals are those of the measured phase; the other phases are in the intervals only.
        for (index, job) in subject.jobs.iter().enumerate() {
            for direction in Direction::ALL {
                job.counts(direction).into_iter().for_each(|counts| add(index, direction, counts));
            }
        }
        for interval in
            subject.intervals.counted().iter().filter(|interval| interval.phase != PhaseKind::Measure)
        {
            for (index, job) in interval.jobs.iter().enumerate() {
                for direction in Direction::ALL {
                    job.get(direction).into_iter().for_each(|counts| add(index, direction, counts));
                }
            }
        }
        let ((job, direction), (_, first_error)) =
            by_stream.into_iter().max_by_key(|(_, (errors, _))| *errors)?;
        let job = job_name(subject, job);
        (errors > 0)
            .then_some(Self { errors, worst: Some(WorstErrors { attempts, job, direction, first_error }) })
    }

    fn stated(subject: &Subject<'r>) -> Option<Self> {
        let errors = subject.stated_streams().filter_map(|(_, stream)| stream.error_count).sum();
        (errors > 0).then_some(Self { errors, worst: None })
    }
}

fn job_name(subject: &Subject<'_>, job: usize) -> String {
    subject.jobs.get(job).map(|job| job.name.to_string()).unwrap_or_default()
}

/// I/Os failed, or came back short.
pub(super) fn io_errors(seen: &Observed<'_, '_>) -> Option<Finding> {
    let ErrorCount { errors, worst } = seen.errors.as_ref()?;
    let Some(WorstErrors { attempts, job, direction, first_error }) = worst else {
        let stated = Evidence::StatedErrors { error_count: *errors };
        return Some(Finding::new(FindingId::IoErrors, Severity::Warning, stated));
    };
    let many = u128::from(*errors) * 1_000_000 > u128::from(*attempts) * u128::from(MOST_ERRORS_PER_MILLION);
    let severity = if many { Severity::Serious } else { Severity::Warning };
    let evidence = IoErrors {
        error_count: *errors,
        attempt_count: *attempts,
        job: job.clone(),
        direction: *direction,
        first_error: first_error.map_or_else(|| "not recorded".to_owned(), Failure::to_string),
    };
    Some(Finding::new(FindingId::IoErrors, severity, Evidence::IoErrors(evidence)))
}

/// I/Os came back short: most often the file or device ends before the working set does.
pub(super) fn short_io(seen: &Observed<'_, '_>) -> Option<Finding> {
    let (job, direction, short, error_count) = seen.subject.jobs.iter().find_map(|job| {
        Direction::ALL.into_iter().find_map(|direction| {
            let counts = job.counts(direction)?;
            let Some(Failure::Short { moved, asked }) = counts.first_error else { return None };
            Some((job.name.to_string(), direction, [moved, asked], counts.error_count))
        })
    })?;
    let evidence =
        Evidence::ShortIo { job, direction, moved_bytes: short[0], asked_bytes: short[1], error_count };
    Some(Finding::new(FindingId::ShortIo, Severity::Serious, evidence))
}

/// The time of day went another way than the monotonic clock.
///
/// Slewing by NTP moves both alike on Linux (clock_gettime(2)), so that they differ only where the time of day was stepped, or
/// where the machine stood still: a suspended or migrated guest.
pub(super) fn clock_jump(seen: &Observed<'_, '_>) -> Option<Finding> {
    let cpu = seen.subject.cpu?.counted()?;
    let monotonic_s = cpu.wall.as_secs_f64();
    let time_of_day_s = cpu.time_of_day_s?;
    let jump_s = time_of_day_s - monotonic_s;
    (jump_s.abs() > MOST_CLOCK_JUMP_S + MOST_SLEW * monotonic_s).then(|| {
        let evidence = Evidence::ClockJump { jump_s, monotonic_s, time_of_day_s };
        Finding::new(FindingId::ClockJump, Severity::Warning, evidence)
    })
}

/// Less than a minute was measured.
///
/// The record of a search is one of its loads. What caches and credits have in store is used up by the I/Os of all of them, which count as
/// the time that they take at the rate that was found.
pub(super) fn short_run(seen: &Observed<'_, '_>) -> Option<Finding> {
    let of_search = seen.subject.search.and_then(time_at_rate_found).unwrap_or_default();
    let measured = seen.subject.measured?.max(of_search);
    if measured + MISSING_AT_THE_END >= SHORTEST_TRUSTED {
        return None;
    }
    let severity = if measured.is_zero() { Severity::Serious } else { Severity::Warning };
    Some(Finding::new(
        FindingId::ShortRun,
        severity,
        Evidence::ShortRun { measured_s: measured.as_secs_f64() },
    ))
}

/// How long the I/Os of all loads of a search take at the rate that is its answer: the one that is needed, else the one that it found.
fn time_at_rate_found(search: &Search) -> Option<Duration> {
    let found = || search.result.as_ref().map(|result| result.held_iops);
    let iops = search.need.as_ref().map(Need::total_iops).or_else(found)?;
    let ios: f64 = search.probes.iter().map(Probe::ios_done).sum();
    Duration::try_from_secs_f64(ios / iops).ok()
}

/// The load was still changing, or its queue grew.
pub(super) fn unsteady(seen: &Observed<'_, '_>) -> Option<Finding> {
    let (steady, plan) = (seen.steady.as_ref()?, seen.subject.plan?);
    let is_complete = seen.subject.ended.is_some_and(|ended| ended.how == EndedHow::Complete);
    // The verdict asks for it: a load that was to wait until it was steady, and was not, has no answer.
    let waited = plan.until_steady.filter(|_| is_complete);
    let evidence = Unsteady {
        waited_s: waited.map(|_| plan.measured().as_secs_f64()),
        round_s: waited.map(|until| until.round.as_secs_f64()),
        ..still_changing(steady)?
    };
    Some(Finding::new(FindingId::Unsteady, Severity::Warning, Evidence::Unsteady(evidence)))
}

fn still_changing(steady: &SteadyState) -> Option<Unsteady> {
    if let Some((value, Rounds { range_percent, slope_percent, rounds, .. })) = steady.moving() {
        return Some(Unsteady {
            range_percent: Some(*range_percent),
            slope_percent: Some(*slope_percent),
            round_iops: (value == Changing::Iops).then_some(*rounds),
            rounds: (value != Changing::Iops).then_some(*rounds),
            ..Unsteady::of(value)
        });
    }
    let growth_percent = steady.backlog_growth_percent.filter(|_| steady.backlog_grew())?;
    Some(Unsteady { backlog_growth_percent: Some(growth_percent), ..Unsteady::of(Changing::Backlog) })
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::{Ended, RunRecord};
    use serde_json::json;

    use super::*;
    use crate::findings::found;
    use crate::test_record::{healthy, measured};

    fn interrupted(record: &RunRecord) -> Option<Finding> {
        found(record, super::interrupted)
    }

    fn io_errors(record: &RunRecord) -> Option<Finding> {
        found(record, super::io_errors)
    }

    fn short_io(record: &RunRecord) -> Option<Finding> {
        found(record, super::short_io)
    }

    fn clock_jump(record: &RunRecord) -> Option<Finding> {
        found(record, super::clock_jump)
    }

    fn short_run(record: &RunRecord) -> Option<Finding> {
        found(record, super::short_run)
    }

    fn unsteady(record: &RunRecord) -> Option<Finding> {
        found(record, super::unsteady)
    }

    #[test]
    fn a_run_that_was_stopped_says_how_far_it_came() {
        let mut record = measured(40, |_| 1_000);
        record.plan.phases[0].duration = Duration::from_secs(300);
        let ramp = iotrial_model::plan::Phase { kind: PhaseKind::Ramp, duration: Duration::from_secs(30) };
        record.plan.phases.push(ramp);
        record.ended = Ended { how: EndedHow::Interrupted, reason: Some("SIGINT".to_owned()) };
        let found = interrupted(&record).unwrap();
        let evidence =
            Evidence::Ended { measured_s: 40.0, planned_s: 300.0, reason: Some("SIGINT".to_owned()) };
        assert_eq!(found.evidence, evidence);
        assert_eq!((found.id, found.severity), (FindingId::Interrupted, Severity::Warning));
        record.ended.how = EndedHow::Failed;
        let found = interrupted(&record).unwrap();
        assert_eq!((found.id, found.severity), (FindingId::Failed, Severity::Serious));
        assert_eq!(interrupted(&healthy()), None);
    }

    #[test]
    fn failed_ios_are_counted_and_the_worst_job_is_named() {
        let mut record = healthy();
        assert_eq!(io_errors(&record), None);
        let write = record.jobs[1].write.as_mut().unwrap();
        write.error_count = 3;
        write.first_error = Some(Failure::Os { code: 5, words: "input/output error (os error 5)".into() });
        let found = io_errors(&record).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        let Evidence::IoErrors(errors) = &found.evidence else { panic!("{found:?}") };
        assert_eq!((errors.error_count, errors.attempt_count), (3, 5_400_003));
        assert_eq!((errors.job.as_str(), errors.direction), ("journal", Direction::Write));
        assert_eq!(errors.first_error, "input/output error (os error 5)");
        record.jobs[0].read.as_mut().unwrap().error_count = 100_000;
        let found = io_errors(&record).unwrap();
        assert_eq!((found.severity, &found.evidence.facts()["job"]), (Severity::Serious, &json!("pages")));
    }

    #[test]
    fn more_than_a_thousandth_that_failed_is_serious() {
        let severity = |errors: u64| {
            let worst = WorstErrors {
                attempts: 2_000_000,
                job: "pages".to_owned(),
                direction: Direction::Read,
                first_error: None,
            };
            let record = healthy();
            let subject = Subject::of_run(&record);
            let mut seen = Observed::of(&subject);
            seen.errors = Some(ErrorCount { errors, worst: Some(worst) });
            super::io_errors(&seen).unwrap().severity
        };
        assert_eq!((severity(2_000), severity(2_001)), (Severity::Warning, Severity::Serious));
    }

    #[test]
    fn errors_that_a_source_states_are_told_by_their_number() {
        use iotrial_model::imported::{ImportedJob, ImportedRecord, StatedOps, StatedStream};
        let mut record = crate::test_record::imported();
        let with = |error_count| StatedStream { error_count, ..StatedStream::default() };
        let ops = StatedOps { read: Some(with(Some(3))), write: Some(with(Some(4))), ..StatedOps::default() };
        record.jobs.push(ImportedJob { ops, ..ImportedJob::default() });
        let errors = |record: &ImportedRecord| {
            let subject = Subject::of_imported(record);
            super::io_errors(&Observed::of(&subject)).map(|found| (found.severity, found.evidence))
        };
        let stated = Evidence::StatedErrors { error_count: 7 };
        assert_eq!(errors(&record), Some((Severity::Warning, stated)));
        record.jobs[0].ops = StatedOps { read: Some(with(Some(1))), ..StatedOps::default() };
        assert!(errors(&record).is_some());
        record.jobs.clear();
        assert_eq!(errors(&record), None);
    }

    #[test]
    fn short_transfers_are_told_from_failures_of_the_device() {
        let mut record = healthy();
        record.jobs[0].read.as_mut().unwrap().error_count = 2;
        record.jobs[0].read.as_mut().unwrap().first_error =
            Some(Failure::Os { code: 5, words: "Input/output error (os error 5)".into() });
        assert_eq!(short_io(&record), None);
        record.jobs[0].read.as_mut().unwrap().first_error = Some(Failure::Short { moved: 512, asked: 8192 });
        let found = short_io(&record).unwrap();
        assert_eq!(found.severity, Severity::Serious);
        assert!(
            matches!(&found.evidence, Evidence::ShortIo { moved_bytes: 512, asked_bytes: 8_192, .. }),
            "{found:?}"
        );
    }

    #[test]
    fn a_clock_that_was_set_is_told_with_its_direction() {
        let with = |time_of_day_s| {
            let mut record = healthy();
            record.cpu.as_mut().unwrap().time_of_day_s = time_of_day_s;
            clock_jump(&record)
        };
        assert_eq!((with(None), with(Some(300.0)), with(Some(299.95))), (None, None, None));
        assert_eq!(with(Some(303.0)).unwrap().evidence.facts()["jump_s"], json!(3.0));
        // A tenth of a second, and what a clock that is slewed gains in 300 s.
        assert_eq!((with(Some(300.2495)), with(Some(299.7505))), (None, None));
        assert_eq!(with(Some(300.2505)).unwrap().severity, Severity::Warning);
        assert_eq!(with(Some(-60.0)).unwrap().evidence.facts()["jump_s"], json!(-360.0));
    }

    #[test]
    fn a_minute_is_long_enough_and_less_is_not() {
        let mut record = measured(60, |_| 1_000);
        assert_eq!(short_run(&record), None);
        record.intervals[59].duration -= Duration::from_millis(20);
        assert_eq!(short_run(&record), None);
        let found = short_run(&measured(59, |_| 1_000)).unwrap();
        assert_eq!(found.evidence, Evidence::ShortRun { measured_s: 59.0 });
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(short_run(&measured(0, |_| 0)).unwrap().severity, Severity::Serious);
        let lacks = |missing: Duration| {
            let subject = Subject { measured: Some(SHORTEST_TRUSTED - missing), ..Subject::of_run(&record) };
            super::short_run(&Observed::of(&subject)).is_some()
        };
        assert!(!lacks(MISSING_AT_THE_END) && lacks(MISSING_AT_THE_END + Duration::from_millis(1)));
    }

    #[test]
    fn a_rate_that_falls_is_called_unsteady_with_its_numbers() {
        let found = unsteady(&measured(300, |second| if second < 150 { 2_000 } else { 1_000 })).unwrap();
        let facts = found.evidence.facts();
        let percent = |name: &str| facts[name].as_f64().unwrap().round();
        assert_eq!((percent("range_percent"), percent("slope_percent")), (67.0, -80.0));
        let Evidence::Unsteady(by_iops) = &found.evidence else { panic!("{found:?}") };
        assert_eq!((by_iops.round_iops.is_some(), by_iops.rounds), (true, None));
        assert_eq!(by_iops.waited_s, None);
        assert_eq!(unsteady(&healthy()), None);
    }

    #[test]
    fn a_load_that_waited_in_vain_says_for_how_long() {
        let mut record = measured(50, |second| 1_000 + 100 * second);
        record.plan = record.plan.until_steady(Some(Duration::from_secs(120))).unwrap();
        let found = unsteady(&record).unwrap();
        let Evidence::Unsteady(unsteady) = found.evidence else { panic!("{found:?}") };
        assert_eq!((unsteady.waited_s, unsteady.round_s), (Some(120.0), Some(10.0)));
        // Who stopped it did not wait.
        record.ended.how = EndedHow::Interrupted;
        let found = self::unsteady(&record).unwrap();
        assert!(matches!(found.evidence, Evidence::Unsteady(Unsteady { waited_s: None, .. })), "{found:?}");
    }
}
