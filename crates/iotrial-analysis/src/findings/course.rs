//! How the run went: to its end, without errors, long enough, steady.

use std::collections::BTreeMap;

use std::time::Duration;

use iotrial_model::load::Direction;
use iotrial_model::plan::{PhaseKind, UntilSteady};
use iotrial_model::record::{EndedHow, Failure, Finding, RunRecord, Severity};
use iotrial_model::units::format_duration;
use serde_json::json;

use super::finding;
use crate::steady_state::{
    MOST_BACKLOG_GROWTH_PERCENT, MOST_RANGE_PERCENT, MOST_SLOPE_PERCENT, Rounds, SteadyState,
};
use crate::words::{count_with_thousands, percent_or_times, seconds_in_words};

/// A measured phase shorter than this says nothing about caches and burst credits.
const SHORTEST_TRUSTED: Duration = Duration::from_secs(60);
/// The clocks are read within 20 ms of each other at either end, however short of CPU the generator is.
const MOST_CLOCK_JUMP_S: f64 = 0.1;
/// Where the monotonic clock is not slewed with the time of day, as on Windows: the most that NTP slews, 500 ppm.
const MOST_SLEW: f64 = 500e-6;
/// More failures than this in a million make the figures those of another load.
const MOST_ERRORS_PER_MILLION: u64 = 1_000;

/// The run did not end as planned.
pub(super) fn interrupted(record: &RunRecord) -> Option<Finding> {
    let (id, severity, verb) = match record.ended.how {
        EndedHow::Complete => return None,
        EndedHow::Interrupted => ("interrupted", Severity::Warning, "was interrupted"),
        EndedHow::Failed => ("failed", Severity::Serious, "failed"),
    };
    let (measured, planned) = (record.measured_duration(), planned_measure(record));
    let reason = record.ended.reason.as_deref().unwrap_or("no reason was recorded");
    Some(finding(
        id,
        severity,
        format!(
            "the run {verb} when {} of {} were measured: {reason}",
            seconds_in_words(measured.as_secs_f64()),
            seconds_in_words(planned.as_secs_f64())
        ),
        [("measured_s", json!(measured.as_secs_f64())), ("planned_s", json!(planned.as_secs_f64()))],
    ))
}

fn planned_measure(record: &RunRecord) -> Duration {
    record
        .plan
        .phases
        .iter()
        .filter(|phase| phase.kind == PhaseKind::Measure)
        .map(|phase| phase.duration)
        .sum()
}

/// The failures of the measured phase.
pub(super) struct ErrorCount<'r> {
    /// Failed and short I/Os.
    pub(super) errors: u64,
    /// All I/Os, failed ones too.
    pub(super) attempts: u64,
    /// The job and direction that failed most.
    pub(super) worst_job: &'r str,
    pub(super) worst_direction: Direction,
    /// Its first failure.
    pub(super) first_error: Option<&'r Failure>,
}

/// Counts the failed I/Os of all phases, because a device that fails while it warms up is no better; `None` when
/// there were none.
pub(super) fn error_count(record: &RunRecord) -> Option<ErrorCount<'_>> {
    let mut errors = 0;
    let mut attempts = 0;
    // By job and direction: how many, and the first.
    let mut by_stream: BTreeMap<(usize, Direction), (u64, Option<&Failure>)> = BTreeMap::new();
    // The totals are those of the measured phase; the other phases are in the intervals only.
    let other_phases = record.intervals.iter().filter(|interval| interval.phase != PhaseKind::Measure);
    let parts = std::iter::once(&record.jobs).chain(other_phases.map(|interval| &interval.jobs));
    for (job, counts) in parts.flat_map(|jobs| jobs.iter().enumerate()) {
        for direction in Direction::ALL {
            let Some(counts) = counts.get(direction) else { continue };
            errors += counts.error_count;
            attempts += counts.io_count() + counts.error_count;
            let stream = by_stream.entry((job, direction)).or_default();
            stream.0 += counts.error_count;
            stream.1 = stream.1.or(counts.first_error.as_ref());
        }
    }
    let ((job, worst_direction), (_, first_error)) =
        by_stream.into_iter().max_by_key(|(_, (errors, _))| *errors)?;
    let worst_job = record.plan.jobs[job].name.as_str();
    (errors > 0).then_some(ErrorCount { errors, attempts, worst_job, worst_direction, first_error })
}

/// I/Os failed, or came back short.
pub(super) fn io_errors(record: &RunRecord) -> Option<Finding> {
    let ErrorCount { errors, attempts, worst_job, worst_direction, first_error } = error_count(record)?;
    let many = u128::from(errors) * 1_000_000 > u128::from(attempts) * u128::from(MOST_ERRORS_PER_MILLION);
    let severity = if many { Severity::Serious } else { Severity::Warning };
    let first_error = first_error.map_or_else(|| "not recorded".to_owned(), Failure::to_string);
    Some(finding(
        "io-errors",
        severity,
        format!(
            "{} of {} I/Os failed, most of them {worst_direction}s of `{worst_job}`, the first one with: {first_error}",
            count_with_thousands(errors),
            count_with_thousands(attempts)
        ),
        [
            ("error_count", json!(errors)),
            ("attempt_count", json!(attempts)),
            ("job", json!(worst_job)),
            ("direction", json!(worst_direction)),
            ("first_error", json!(first_error)),
        ],
    ))
}

/// I/Os came back short: most often the file or device ends before the working set does.
pub(super) fn short_io(record: &RunRecord) -> Option<Finding> {
    let (job, direction, short, error_count) =
        record.plan.jobs.iter().zip(&record.jobs).find_map(|(job, counts)| {
            Direction::ALL.into_iter().find_map(|direction| {
                let counts = counts.get(direction)?;
                let Some(Failure::Short { moved, asked }) = counts.first_error else { return None };
                Some((job, direction, (moved, asked), counts.error_count))
            })
        })?;
    let (moved, asked) = short;
    Some(finding(
        "short-io",
        Severity::Serious,
        format!(
            "{direction}s of `{}` came back short, the first one with {moved} of {asked} bytes: the file or device ends before the load does, or something cut it while it ran",
            job.name
        ),
        [
            ("job", json!(job.name)),
            ("direction", json!(direction)),
            ("moved_bytes", json!(moved)),
            ("asked_bytes", json!(asked)),
            ("error_count", json!(error_count)),
        ],
    ))
}

/// The time of day went another way than the monotonic clock.
///
/// Slewing by NTP moves both alike on Linux (clock_gettime(2)), so that they differ only where the time of day was stepped, or
/// where the machine stood still: a suspended or migrated guest.
pub(super) fn clock_jump(record: &RunRecord) -> Option<Finding> {
    let cpu = record.cpu.as_ref()?;
    let wall_s = cpu.wall.as_secs_f64();
    let jump_s = cpu.time_of_day_s? - wall_s;
    (jump_s.abs() > MOST_CLOCK_JUMP_S + MOST_SLEW * wall_s).then(|| {
        let way = if jump_s > 0.0 { "ahead" } else { "back" };
        let why = if jump_s > 0.0 {
            "either it was set, or the machine was suspended or migrated, and then the latencies lack that time"
        } else {
            "most likely it was set; latencies come from the other clock, but times of day in logs do not match"
        };
        finding(
            "clock-jump",
            Severity::Warning,
            format!(
                "the time of day jumped {:.1} s {way} within {wall_s:.0} s of measuring, against the monotonic clock: {why}",
                jump_s.abs()
            ),
            [
                ("jump_s", json!(jump_s)),
                ("monotonic_s", json!(wall_s)),
                ("time_of_day_s", json!(cpu.time_of_day_s)),
            ],
        )
    })
}

/// Less than a minute was measured.
pub(super) fn short_run(record: &RunRecord) -> Option<Finding> {
    short_measurement(record.measured_duration())
}

/// The same of any time that was measured.
pub(crate) fn short_measurement(measured: Duration) -> Option<Finding> {
    // Intervals end when the clock is read, so a phase of 60 s may come out a few milliseconds short.
    if measured + Duration::from_millis(500) >= SHORTEST_TRUSTED {
        return None;
    }
    let measured_s = measured.as_secs_f64();
    let (severity, message) = if measured_s == 0.0 {
        (Severity::Serious, "nothing was measured: the run ended before the measured phase".to_owned())
    } else {
        let wanted_s = SHORTEST_TRUSTED.as_secs();
        (
            Severity::Warning,
            format!(
                "only {} were measured: caches and burst credits can carry a load that long, {wanted_s} s or more show what lies behind them",
                seconds_in_words(measured_s)
            ),
        )
    };
    Some(finding("short-run", severity, message, [("measured_s", json!(measured_s))]))
}

/// The load was still changing, or its queue grew.
pub(super) fn unsteady(record: &RunRecord) -> Option<Finding> {
    let waited = record.plan.until_steady.filter(|_| record.ended.how == EndedHow::Complete);
    let mut found = not_steady(record, waited)?;
    if waited.is_some() {
        // The verdict asks for it: a load that was to wait until it was steady, and was not, has no answer.
        found.evidence.insert("waited_s".to_owned(), json!(planned_measure(record).as_secs_f64()));
    }
    Some(found)
}

fn not_steady(record: &RunRecord, waited: Option<UntilSteady>) -> Option<Finding> {
    let steady = SteadyState::of(record)?;
    let was_not = match waited {
        Some(until) => {
            let (limit, round) = (format_duration(planned_measure(record)), format_duration(until.round));
            format!("the load did not become steady within {limit}: over its last five rounds of {round}")
        }
        None => "the load was not steady: over five rounds".to_owned(),
    };
    if let Some((value, Rounds { range_percent, slope_percent, rounds })) = steady.moving() {
        let verb = if *slope_percent < 0.0 { "fell" } else { "rose" };
        return Some(finding(
            "unsteady",
            Severity::Warning,
            format!(
                "{was_not} {value} ranged over {} of the average (at most {MOST_RANGE_PERCENT:.0} % is steady) and {verb} by {} (at most {MOST_SLOPE_PERCENT:.0} %)",
                percent_or_times(*range_percent),
                percent_or_times(slope_percent.abs())
            ),
            [
                ("value", json!(value)),
                ("range_percent", json!(range_percent)),
                ("slope_percent", json!(slope_percent)),
                (if value == "IOPS" { "round_iops" } else { "rounds" }, json!(rounds)),
            ],
        ));
    }
    let growth_percent = steady.backlog_growth_percent.filter(|_| steady.backlog_grew())?;
    Some(finding(
        "unsteady",
        Severity::Warning,
        format!(
            "{was_not} {growth_percent:.1} % of what came to be due only made a queue longer (at most {MOST_BACKLOG_GROWTH_PERCENT:.0} % is steady)"
        ),
        [("value", json!("backlog")), ("backlog_growth_percent", json!(growth_percent))],
    ))
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::Ended;

    use super::*;
    use crate::test_record::{healthy, measured};

    #[test]
    fn a_run_that_was_stopped_says_how_far_it_came() {
        let mut record = measured(40, |_| 1_000);
        record.plan.phases[0].duration = Duration::from_secs(300);
        record.ended = Ended { how: EndedHow::Interrupted, reason: Some("SIGINT".to_owned()) };
        let found = interrupted(&record).unwrap();
        assert_eq!(found.message, "the run was interrupted when 40 s of 300 s were measured: SIGINT");
        assert_eq!((found.id.as_str(), found.severity), ("interrupted", Severity::Warning));
        record.ended.how = EndedHow::Failed;
        let found = interrupted(&record).unwrap();
        assert_eq!((found.id.as_str(), found.severity), ("failed", Severity::Serious));
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
            "3 of 5,400,003 I/Os failed, most of them writes of `journal`, the first one with: input/output error (os error 5)"
        );
        record.jobs[0].read.as_mut().unwrap().error_count = 100_000;
        let found = io_errors(&record).unwrap();
        assert_eq!((found.severity, &found.evidence["job"]), (Severity::Serious, &json!("pages")));
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
        assert!(found.message.starts_with("reads of `pages` came back short"), "{}", found.message);
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
        assert!(found.message.contains("ranged over 67 %"), "{}", found.message);
        assert!(found.message.contains("fell by 80 %"), "{}", found.message);
        assert_eq!(unsteady(&healthy()), None);
    }

    #[test]
    fn a_load_that_waited_in_vain_says_for_how_long() {
        let mut record = measured(50, |second| 1_000 + 100 * second);
        record.plan = record.plan.until_steady(Some(Duration::from_secs(120))).unwrap();
        let found = unsteady(&record).unwrap();
        let begin = "the load did not become steady within 2m: over its last five rounds of 10s IOPS ranged";
        assert!(found.message.starts_with(begin), "{}", found.message);
    }
}
