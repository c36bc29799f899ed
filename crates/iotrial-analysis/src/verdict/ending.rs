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

#[cfg(test)]
mod tests {
    use iotrial_model::load::Role;
    use iotrial_model::plan::UntilSteady;
    use iotrial_model::record::RunRecord;
    use iotrial_model::stream::Stream;

    use super::*;
    use crate::test_record::{counts, measured};

    /// A load of which the last fifth reads at `end_us`, and all else at 500 µs.
    fn slower_at_the_end(seconds: u64, end_us: u64) -> RunRecord {
        let mut record = measured(seconds, |_| 16_000);
        let fifth = record.intervals.len() - record.intervals.len() / ROUND_COUNT;
        for interval in &mut record.intervals[fifth..] {
            interval.jobs[0].read = Some(counts(20_000, Duration::from_micros(end_us)));
        }
        record
    }

    fn unsteady(severity: Severity) -> Vec<Finding> {
        // Not alone, and not the first.
        let one = |id, severity| Finding::without_evidence(id, severity, String::new());
        vec![one(FindingId::ShortRun, Severity::Warning), one(FindingId::Unsteady, severity)]
    }

    /// Limits for reads of data, one millisecond each.
    fn limits(statistics: &[&str]) -> ThresholdSet {
        let bands: String =
            statistics.iter().map(|one| format!("{one} = {{ acceptable_below = \"1ms\" }}\n")).collect();
        ThresholdSet::parse(&format!(
            "format = \"iotrial.thresholds/1\"\nname = \"own\"\ntitle = \"Own\"\n[[bands]]\nroles = [\"data\"]\nstreams = [\"read\"]\nsource = \"me\"\n{bands}"
        ))
        .unwrap()
    }

    fn found(record: &RunRecord, set: &ThresholdSet) -> Option<Doubt> {
        too_slow_at_the_end(&Subject::of_run(record), &unsteady(Severity::Warning), &[], set)
    }

    #[test]
    fn an_end_is_too_slow_from_a_fifth_above_its_limit_on() {
        let mean = limits(&["mean"]);
        let doubt = found(&slower_at_the_end(300, 1_200), &mean).unwrap();
        assert_eq!(doubt.advice, Advice::to(Change::UntilSteady));
        assert_eq!(doubt.finding.unwrap().id, FindingId::Unsteady);
        let DoubtKind::SlowAtTheEnd { measured_s: 60.0, slow } = doubt.kind else {
            panic!("{:?}", doubt.kind)
        };
        let of = |one: &Judged| (one.role, one.stream, one.statistic, one.value_us);
        let of: Vec<_> = slow.iter().map(of).collect();
        assert_eq!(of, [(Role::Data, Stream::Read, Figure::LatencyMean, 1_200.0)]);
        assert_eq!(found(&slower_at_the_end(300, 1_199), &mean), None);
    }

    #[test]
    fn the_slowest_io_of_a_thousand_is_not_asked_of_an_end_and_two_figures_are_enough() {
        let slow = slower_at_the_end(300, 50_000);
        let figures = |set: &ThresholdSet| {
            let DoubtKind::SlowAtTheEnd { slow, .. } = found(&slow, set)?.kind else { return None };
            Some(slow.iter().map(|one| one.statistic).collect::<Vec<_>>())
        };
        assert_eq!(figures(&limits(&["p999"])), None);
        assert_eq!(figures(&limits(&["p99", "p999"])), Some(vec![Figure::LatencyP99]));
        let mut all = slow.clone();
        for job in all.intervals.iter_mut().map(|interval| &mut interval.jobs[0]) {
            job.write.clone_from(&job.read);
        }
        let flash = ThresholdSet::builtin("flash").unwrap();
        let DoubtKind::SlowAtTheEnd { slow, .. } = found(&all, &flash).unwrap().kind else { panic!() };
        assert_eq!(slow.len(), 2);
    }

    #[test]
    fn an_end_is_a_fifth_of_two_seconds_or_more() {
        let mean = limits(&["mean"]);
        let measured_s = |seconds: u64| match found(&slower_at_the_end(seconds, 5_000), &mean)?.kind {
            DoubtKind::SlowAtTheEnd { measured_s, .. } => Some(measured_s),
            _ => None,
        };
        assert_eq!(
            (measured_s(9), measured_s(10), measured_s(14), measured_s(15)),
            (None, Some(2.0), Some(2.0), Some(3.0))
        );
    }

    #[test]
    fn an_end_decides_only_of_an_unsteady_load_that_is_good_enough_as_a_whole() {
        let record = slower_at_the_end(300, 5_000);
        let (subject, mean) = (Subject::of_run(&record), limits(&["mean"]));
        let of = |subject: &Subject<'_>, findings: &[Finding], judged: &[Judged]| {
            too_slow_at_the_end(subject, findings, judged, &mean).is_some()
        };
        let found = unsteady(Severity::Warning);
        assert!(of(&subject, &found, &[]));
        assert!(!of(&subject, &unsteady(Severity::Note), &[]));
        assert!(!of(&subject, &found[..1], &[]));
        let judged = |iops: u64| Judgement::new(&Subject::of_run(&measured(60, |_| iops)), &mean).judged;
        let (fast, slow) = (judged(16_000), judged(1_000));
        assert!(of(&subject, &found, &fast));
        assert!(!of(&subject, &found, &[fast, slow].concat()));
        assert!(!of(&Subject { load_changes: true, ..subject.clone() }, &found, &[]));
        let search = iotrial_model::search::Search {
            limit: iotrial_model::latency_limit::SearchLimit::Thresholds("own".to_owned()),
            limit_differs: false,
            need: None,
            probes: Vec::new(),
            carries_need: None,
            result: None,
            time_ran_out: false,
        };
        assert!(!of(&Subject { search: Some(&search), ..subject.clone() }, &found, &[]));
    }

    #[test]
    fn a_load_that_waits_for_a_steady_state_needs_more_time_for_it() {
        let mut record = slower_at_the_end(300, 5_000);
        record.plan.until_steady = Some(UntilSteady { round: Duration::from_secs(60) });
        let doubt = found(&record, &limits(&["mean"])).unwrap();
        assert_eq!(doubt.advice, Advice::to(Change::MoreTimeUntilSteady));
    }
}
