//! A load that became too slow while it was measured.
//!
//! The figures of a whole run hide that: a log that does 10,000 writes a second in its first half and 500 in its second has ten times as many
//! fast ones as slow ones, so that mean and p99 of all are those of the fast half. A database meets the storage as it was at the end.

use std::time::Duration;

use iotrial_model::figure::Figure;
use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_model::record::{Interval, JobCounts};
use iotrial_model::subject::{Course, Facts, Ops, Subject};
use iotrial_model::verdict::{Advice, Change, Doubt, DoubtKind, Judged};

use crate::judgement::Judgement;
use crate::steady_state::ROUND_COUNT;
use crate::threshold::ThresholdSet;

/// An end counts as too slow only from this multiple of its limit on: a fifth has a fifth of the I/Os, and its figures vary more.
const CLEARLY_BEYOND: f64 = 1.2;

/// What leaves a result open that is good enough as a whole: its load was not steady, and its last round alone is too slow.
pub(super) fn too_slow_at_the_end(
    subject: &Subject<'_>,
    findings: &[Finding],
    judged: &[Judged],
    thresholds: &ThresholdSet,
) -> Option<Doubt> {
    let is_unsteady = |one: &&Finding| one.id == FindingId::Unsteady && one.severity != Severity::Note;
    let unsteady = findings.iter().find(is_unsteady)?;
    // Whatever is too slow as a whole needs no further reason, and a search answers by many loads, of which this is one.
    if !judged.iter().all(Judged::is_acceptable) || subject.load_changes || subject.search.is_some() {
        return None;
    }
    let intervals: Vec<&Interval> = subject.measured_intervals().collect();
    // As many as in each of the rounds that were found to differ. Two or more: one may be an accident of the moment.
    let round = Some(intervals.len() / ROUND_COUNT).filter(|length| *length >= 2)?;
    let last = &intervals[intervals.len() - round..];
    let counts = counts_of(last, subject.jobs.len())?;
    let measured: Duration = last.iter().map(|interval| interval.duration).sum();
    let ending = with_counts(subject, &counts, measured);
    let judgement = Judgement::new(&ending, thresholds);
    let slow = Judged::by_weight(&judgement.judged).into_iter().filter(|one| {
        // The slowest I/O in a thousand of a fifth is one that the whole had as well, with its whole number of I/Os to weigh it.
        one.value_us >= CLEARLY_BEYOND * one.limit_us && one.statistic != Figure::LatencyP999
    });
    let slow: Vec<Judged> = slow.take(2).cloned().collect();
    let is_waited_for = subject.plan.is_some_and(|plan| plan.until_steady.is_some());
    let change = if is_waited_for { Change::MoreTimeUntilSteady } else { Change::UntilSteady };
    (!slow.is_empty()).then(|| Doubt {
        kind: DoubtKind::SlowAtTheEnd { measured_s: measured.as_secs_f64(), slow },
        finding: Some(unsteady.clone()),
        advice: Advice::to(change),
    })
}

/// What each job did in these intervals; `None` where they do not have every job.
fn counts_of(intervals: &[&Interval], job_count: usize) -> Option<Vec<JobCounts>> {
    let mut sums = vec![JobCounts::default(); job_count];
    for interval in intervals {
        if interval.jobs.len() != job_count {
            return None;
        }
        sums.iter_mut().zip(&interval.jobs).for_each(|(sum, job)| sum.merge(job));
    }
    Some(sums)
}

/// The same load with only what was counted in a part of the measured phase.
fn with_counts<'s>(subject: &Subject<'s>, counts: &'s [JobCounts], measured: Duration) -> Subject<'s> {
    let mut part = subject.clone();
    for (job, counts) in part.jobs.iter_mut().zip(counts) {
        let facts = |counts| Facts::Counted(counts, measured);
        job.ops = Ops {
            read: counts.read.as_ref().map(facts),
            write: counts.write.as_ref().map(facts),
            commit: job.planned.and_then(|planned| counts.commits(planned)).map(facts),
            ..job.ops
        };
    }
    Subject { measured: Some(measured), intervals: Course::default(), ..part }
}
