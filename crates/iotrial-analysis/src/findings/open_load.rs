//! What an open load could not keep: arrivals that were never issued, or issued late.

use iotrial_model::record::{EndedHow, Finding, JobCounts, OpCounts, RunRecord, Severity};
use iotrial_model::search::Probe;
use serde_json::json;

use super::finding;

/// Up to this share of late I/Os, the due time and the issue are the same for every figure that is shown.
const MOST_LATE_PERCENT: f64 = 1.0;
/// A backlog below this share of what was issued is the last moment's, and not a device that cannot keep up.
const MOST_BACKLOG_PERCENT: f64 = 0.1;

/// The device did not keep up with the rate: I/Os were due and never issued.
#[expect(clippy::cast_precision_loss, reason = "shares to 15 digits")]
pub(super) fn not_issued(record: &RunRecord) -> Option<Finding> {
    let last = record.intervals.last()?;
    let count: u64 = last.backlog.iter().sum();
    // In a group commit it is the commits that arrive, and not their writes.
    let arrivals = |job: &JobCounts| match &job.commit {
        Some(commits) => commits.io_count(),
        None => job.read.iter().chain(&job.write).map(OpCounts::io_count).sum(),
    };
    let issued: u64 = record.jobs.iter().map(arrivals).sum();
    let percent = 100.0 * count as f64 / (count + issued).max(1) as f64;
    (percent > MOST_BACKLOG_PERCENT).then(|| {
        finding(
            "not-issued",
            Severity::Warning,
            format!(
                "{count} I/Os ({percent:.1} % of those that were due) were never issued: the load did not keep its rate, and latencies count from the time at which each I/O was due"
            ),
            [("not_issued_count", json!(count)), ("not_issued_percent", json!(percent))],
        )
    })
}

/// The generator itself was late, though it had room for the I/O.
#[expect(clippy::cast_precision_loss, reason = "shares to 15 digits")]
pub(super) fn late_issues(record: &RunRecord) -> Option<Finding> {
    let late: u64 = streams(record).map(|counts| counts.late_count).sum();
    let all: u64 = streams(record).map(|counts| counts.io_count() + counts.error_count).sum();
    let percent = 100.0 * late as f64 / all.max(1) as f64;
    (percent > MOST_LATE_PERCENT).then(|| {
        finding(
            "late-issues",
            Severity::Warning,
            format!("the generator issued {late} I/Os ({percent:.1} %) more than 100 µs after they were due, though nothing kept it from it but a want of CPU: their latencies are longer by that"),
            [("late_count", json!(late)), ("late_percent", json!(percent))],
        )
    })
}

/// Not even the lowest rate that was tried held the latency limit.
pub(super) fn latency_limit_missed(record: &RunRecord) -> Option<Finding> {
    let search = record.search.as_ref().filter(|search| search.result.is_none())?;
    if record.ended.how != EndedHow::Complete {
        return None;
    }
    let asked = |probe: &&Probe| probe.asked_iops.filter(|_| probe.held == Some(false));
    let tried = search.probes.iter().filter(|probe| asked(probe).is_some());
    let lowest =
        tried.min_by(|a, b| a.asked_iops.unwrap_or_default().total_cmp(&b.asked_iops.unwrap_or_default()))?;
    let (iops, share) = (lowest.asked_iops?, lowest.share? * 100.0);
    let why_not = lowest.why_not.as_deref().unwrap_or("no reason was recorded");
    let limit = search.limit;
    Some(finding(
        "latency-limit-missed",
        Severity::Warning,
        format!(
            "no rate holds {limit}: even at {iops:.0} IOPS, {share:.0} % of the rate at saturation, {why_not}"
        ),
        [
            ("limit", json!(limit)),
            ("lowest_iops", json!(iops)),
            ("latency_us", json!(lowest.worst.as_ref().map(|worst| worst.latency_us))),
        ],
    ))
}

fn streams(record: &RunRecord) -> impl Iterator<Item = &OpCounts> {
    record.jobs.iter().flat_map(|job| job.read.iter().chain(&job.write))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_record::healthy;

    #[test]
    fn a_closed_load_and_one_that_keeps_its_rate_have_no_finding() {
        let mut record = healthy();
        assert_eq!((not_issued(&record), late_issues(&record)), (None, None));
        record.intervals.last_mut().unwrap().backlog = vec![3, 0];
        record.jobs[0].read.as_mut().unwrap().late_count = 100;
        assert_eq!((not_issued(&record), late_issues(&record)), (None, None));
    }

    #[test]
    fn arrivals_that_were_never_issued_are_told_with_their_share() {
        let mut record = healthy();
        record.intervals.last_mut().unwrap().backlog = vec![600_000, 0];
        let found = not_issued(&record).unwrap();
        assert!(
            found.message.starts_with("600000 I/Os (10.0 % of those that were due)"),
            "{}",
            found.message
        );
    }

    #[test]
    fn a_late_generator_is_told_with_its_share() {
        let mut record = healthy();
        record.jobs[0].read.as_mut().unwrap().late_count = 540_000;
        assert!(late_issues(&record).unwrap().message.contains("540000 I/Os (10.0 %)"));
    }
}
