//! How the run went: to its end, without errors, long enough, steady.

use std::collections::BTreeMap;
use std::time::Duration;

use iotrial_model::finding::{Changing, Evidence, Finding, FindingId, IoErrors, Severity, Unsteady};
use iotrial_model::load::Direction;
use iotrial_model::plan::{PhaseKind, Plan, STEADY_ROUNDS};
use iotrial_model::record::{EndedHow, Failure, OpCounts};
use iotrial_model::subject::Subject;
use iotrial_model::units::format_duration;

use super::observed::Observed;
use crate::steady_state::{
    MOST_BACKLOG_GROWTH_PERCENT, MOST_RANGE_PERCENT, MOST_SLOPE_PERCENT, Rounds, SteadyState,
};
use crate::words::{count_with_thousands, percent_or_times, seconds_in_words};

/// A measured phase shorter than this says nothing about caches and burst credits.
const SHORTEST_TRUSTED: Duration = Duration::from_secs(60);
// Other tools end with the last I/O, which may be back some time before the minute is over.
const MISSING_AT_THE_END: Duration = Duration::from_millis(500);
/// The clocks are read within 20 ms of each other at either end, however short of CPU the generator is.
const MOST_CLOCK_JUMP_S: f64 = 0.1;
/// Where the monotonic clock is not slewed with the time of day, as on Windows: the most that NTP slews, 500 ppm.
const MOST_SLEW: f64 = 500e-6;
/// More failures than this in a million make the figures those of another load.
const MOST_ERRORS_PER_MILLION: u64 = 1_000;

/// The run did not end as planned.
pub(super) fn interrupted(seen: &Observed<'_, '_>) -> Option<Finding> {
    let ended = seen.subject.ended?;
    let (id, severity) = match ended.how {
        EndedHow::Complete => return None,
        EndedHow::Interrupted => (FindingId::Interrupted, Severity::Warning),
        EndedHow::Failed => (FindingId::Failed, Severity::Serious),
    };
    let measured_s = seen.subject.measured?.as_secs_f64();
    let planned_s = planned_measure(seen.subject.plan?).as_secs_f64();
    Some(Finding {
        id,
        severity,
        message: interrupted_words(ended.how, measured_s, planned_s, ended.reason.as_deref()),
        evidence: Evidence::Ended { measured_s, planned_s },
    })
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

fn interrupted_words(how: EndedHow, measured_s: f64, planned_s: f64, reason: Option<&str>) -> String {
    let verb = if how == EndedHow::Failed { "failed" } else { "was interrupted" };
    format!(
        "the run {verb} when {} of {} were measured: {}",
        seconds_in_words(measured_s),
        seconds_in_words(planned_s),
        reason.unwrap_or("no reason was recorded")
    )
}

fn planned_measure(plan: &Plan) -> Duration {
    plan.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure).map(|phase| phase.duration).sum()
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
    let message = io_errors_words(*errors, worst.as_ref());
    let Some(WorstErrors { attempts, job, direction, first_error }) = worst else {
        return Some(Finding {
            id: FindingId::IoErrors,
            severity: Severity::Warning,
            message,
            evidence: Evidence::StatedErrors { error_count: *errors },
        });
    };
    let many = u128::from(*errors) * 1_000_000 > u128::from(*attempts) * u128::from(MOST_ERRORS_PER_MILLION);
    Some(Finding {
        id: FindingId::IoErrors,
        severity: if many { Severity::Serious } else { Severity::Warning },
        message,
        evidence: Evidence::IoErrors(IoErrors {
            error_count: *errors,
            attempt_count: *attempts,
            job: job.clone(),
            direction: *direction,
            first_error: first_error.map_or_else(|| NOT_RECORDED.to_owned(), Failure::to_string),
        }),
    })
}

const NOT_RECORDED: &str = "not recorded";

fn io_errors_words(errors: u64, worst: Option<&WorstErrors<'_>>) -> String {
    let Some(WorstErrors { attempts, job, direction, first_error }) = worst else {
        return format!("{errors} I/Os failed; the figures contain only those that succeeded");
    };
    format!(
        "{} of {} I/Os failed, most of them {direction}s of `{job}`; the first error: {}",
        count_with_thousands(errors),
        count_with_thousands(*attempts),
        first_error.map_or_else(|| NOT_RECORDED.to_owned(), Failure::to_string)
    )
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
    Some(Finding {
        id: FindingId::ShortIo,
        severity: Severity::Serious,
        message: short_io_words(&job, direction, short),
        evidence: Evidence::ShortIo {
            job,
            direction,
            moved_bytes: short[0],
            asked_bytes: short[1],
            error_count,
        },
    })
}

fn short_io_words(job: &str, direction: Direction, [moved, asked]: [u32; 2]) -> String {
    format!(
        "{direction}s of `{job}` were short, the first one moved {moved} of {asked} bytes: the file or device is smaller than the load expects, or something truncated it during the run"
    )
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
    (jump_s.abs() > MOST_CLOCK_JUMP_S + MOST_SLEW * monotonic_s).then(|| Finding {
        id: FindingId::ClockJump,
        severity: Severity::Warning,
        message: clock_jump_words(jump_s, monotonic_s),
        evidence: Evidence::ClockJump { jump_s, monotonic_s, time_of_day_s },
    })
}

fn clock_jump_words(jump_s: f64, monotonic_s: f64) -> String {
    let (way, why) = if jump_s > 0.0 {
        (
            "ahead",
            "either somebody set it, or the machine was suspended or migrated; in that case the latencies do not include that time",
        )
    } else {
        (
            "back",
            "most likely somebody set it; latencies are not affected, because they come from the monotonic clock, but times of day in logs do not match",
        )
    };
    format!(
        "compared with the monotonic clock, the time of day jumped {:.1} s {way} within {monotonic_s:.0} s of measuring: {why}",
        jump_s.abs()
    )
}

/// Less than a minute was measured.
pub(super) fn short_run(seen: &Observed<'_, '_>) -> Option<Finding> {
    let measured =
        seen.subject.measured.filter(|measured| *measured + MISSING_AT_THE_END < SHORTEST_TRUSTED)?;
    let measured_s = measured.as_secs_f64();
    Some(Finding {
        id: FindingId::ShortRun,
        severity: if measured.is_zero() { Severity::Serious } else { Severity::Warning },
        message: short_run_words(measured_s),
        evidence: Evidence::ShortRun { measured_s },
    })
}

fn short_run_words(measured_s: f64) -> String {
    if measured_s == 0.0 {
        return "nothing was measured: the run ended before the measured phase".to_owned();
    }
    format!(
        "only {} were measured: caches and burst credits can hide the real speed for that long, so measure {} s or more",
        seconds_in_words(measured_s),
        SHORTEST_TRUSTED.as_secs()
    )
}

/// The load was still changing, or its queue grew.
pub(super) fn unsteady(seen: &Observed<'_, '_>) -> Option<Finding> {
    let (steady, plan) = (seen.steady.as_ref()?, seen.subject.plan?);
    let is_complete = seen.subject.ended.is_some_and(|ended| ended.how == EndedHow::Complete);
    // The verdict asks for it: a load that was to wait until it was steady, and was not, has no answer.
    let waited = plan.until_steady.filter(|_| is_complete).map(|until| (planned_measure(plan), until.round));
    let mut evidence = still_changing(steady)?;
    evidence.waited_s = waited.map(|(limit, _)| limit.as_secs_f64());
    Some(Finding {
        id: FindingId::Unsteady,
        severity: Severity::Warning,
        message: unsteady_words(&evidence, waited),
        evidence: Evidence::Unsteady(evidence),
    })
}

fn still_changing(steady: &SteadyState) -> Option<Unsteady> {
    let nothing = Unsteady {
        value: Changing::Backlog,
        range_percent: None,
        slope_percent: None,
        round_iops: None,
        rounds: None,
        backlog_growth_percent: None,
        waited_s: None,
    };
    if let Some((value, Rounds { range_percent, slope_percent, rounds })) = steady.moving() {
        return Some(Unsteady {
            value,
            range_percent: Some(*range_percent),
            slope_percent: Some(*slope_percent),
            round_iops: (value == Changing::Iops).then_some(*rounds),
            rounds: (value != Changing::Iops).then_some(*rounds),
            ..nothing
        });
    }
    let growth_percent = steady.backlog_growth_percent.filter(|_| steady.backlog_grew())?;
    Some(Unsteady { backlog_growth_percent: Some(growth_percent), ..nothing })
}

/// `waited` has how long the load was to wait until it was steady, and its rounds.
fn unsteady_words(evidence: &Unsteady, waited: Option<(Duration, Duration)>) -> String {
    let was_not = match waited {
        Some((limit, round)) => {
            let (limit, round) = (format_duration(limit), format_duration(round));
            format!(
                "the load did not become steady within {limit}: over its last {STEADY_ROUNDS_IN_WORDS} rounds of {round}"
            )
        }
        None => format!("the load was not steady: over {STEADY_ROUNDS_IN_WORDS} rounds"),
    };
    match (evidence.range_percent, evidence.slope_percent) {
        (Some(range_percent), Some(slope_percent)) => format!(
            "{was_not}, the {} ranged over {} of the average (steady: at most {MOST_RANGE_PERCENT:.0} %), and a line fitted through the rounds {} by {} (steady: at most {MOST_SLOPE_PERCENT:.0} %)",
            evidence.value,
            percent_or_times(range_percent),
            if slope_percent < 0.0 { "fell" } else { "rose" },
            percent_or_times(slope_percent.abs())
        ),
        _ => format!(
            "{was_not} {:.1} % of the I/Os that became due only made a queue longer (at most {MOST_BACKLOG_GROWTH_PERCENT:.0} % is steady)",
            evidence.backlog_growth_percent.unwrap_or_default()
        ),
    }
}

const STEADY_ROUNDS_IN_WORDS: &str = "five";
const _: () = assert!(STEADY_ROUNDS == 5, "the messages say five");

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
        record.ended = Ended { how: EndedHow::Interrupted, reason: Some("SIGINT".to_owned()) };
        let found = interrupted(&record).unwrap();
        assert_eq!(found.message, "the run was interrupted when 40 s of 300 s were measured: SIGINT");
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
        assert_eq!(
            found.message,
            "3 of 5,400,003 I/Os failed, most of them writes of `journal`; the first error: input/output error (os error 5)"
        );
        record.jobs[0].read.as_mut().unwrap().error_count = 100_000;
        let found = io_errors(&record).unwrap();
        assert_eq!((found.severity, &found.evidence.facts()["job"]), (Severity::Serious, &json!("pages")));
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
        assert!(found.message.starts_with("reads of `pages` were short"), "{}", found.message);
    }

    #[test]
    fn a_clock_that_was_set_is_told_with_its_direction() {
        let with = |time_of_day_s| {
            let mut record = healthy();
            record.cpu.as_mut().unwrap().time_of_day_s = time_of_day_s;
            clock_jump(&record)
        };
        assert_eq!((with(None), with(Some(300.0)), with(Some(299.95))), (None, None, None));
        assert!(with(Some(303.0)).unwrap().message.contains("jumped 3.0 s ahead"));
        assert!(with(Some(-60.0)).unwrap().message.contains("jumped 360.0 s back"));
    }

    #[test]
    fn a_minute_is_long_enough_and_less_is_not() {
        let mut record = measured(60, |_| 1_000);
        assert_eq!(short_run(&record), None);
        record.intervals[59].duration -= Duration::from_millis(20);
        assert_eq!(short_run(&record), None);
        let found = short_run(&measured(59, |_| 1_000)).unwrap();
        assert!(found.message.starts_with("only 59 s were measured"), "{}", found.message);
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(short_run(&measured(0, |_| 0)).unwrap().severity, Severity::Serious);
    }

    #[test]
    fn a_rate_that_falls_is_called_unsteady_with_its_numbers() {
        let found = unsteady(&measured(300, |second| if second < 150 { 2_000 } else { 1_000 })).unwrap();
        assert!(found.message.contains("ranged over 67 % of the average"), "{}", found.message);
        assert!(found.message.contains("fell by 80 %"), "{}", found.message);
        assert_eq!(unsteady(&healthy()), None);
    }

    #[test]
    fn a_load_that_waited_in_vain_says_for_how_long() {
        let mut record = measured(50, |second| 1_000 + 100 * second);
        record.plan = record.plan.until_steady(Some(Duration::from_secs(120))).unwrap();
        let found = unsteady(&record).unwrap();
        let begin = "the load did not become steady within 2m: over its last five rounds of 10s, the IOPS ranged over";
        assert!(found.message.starts_with(begin), "{}", found.message);
    }
}
