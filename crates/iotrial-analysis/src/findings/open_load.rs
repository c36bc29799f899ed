//! What an open load could not keep: arrivals that were never issued, or issued late.

use iotrial_model::plan::{Arrival, Job};
use iotrial_model::record::{EndedHow, Finding, OpCounts, RunRecord, Severity};
use iotrial_model::search::Probe;
use serde_json::json;

use super::finding;
use crate::words::{count_with_thousands, with_thousands};

/// Up to this share of late I/Os, the due time and the issue are the same for every figure that is shown.
const MOST_LATE_PERCENT: f64 = 1.0;
/// A backlog below this share of what was issued is the last moment's, and not a device that cannot keep up.
const MOST_BACKLOG_PERCENT: f64 = 0.1;

/// The device did not keep up with the rate: I/Os were due and never issued. The open job with the largest share is named.
pub(super) fn not_issued(record: &RunRecord) -> Option<Finding> {
    let last = record.intervals.last()?;
    let waiting = |job: usize| last.backlog.get(job).copied().unwrap_or_default();
    let Share { job, count, percent } = worst(record, |job, arrivals| {
        (waiting(job), waiting(job) + arrivals.iter().map(|counts| counts.io_count()).sum::<u64>())
    })?;
    (percent > MOST_BACKLOG_PERCENT).then(|| {
        finding(
            "not-issued",
            Severity::Warning,
            format!(
                "{} {} of `{}` ({percent:.1} % of those that were due) were never issued: the load did not keep its rate, and latencies count from the time at which each was due",
                count_with_thousands(count), what_arrives(job), job.name
            ),
            [
                ("job", json!(job.name)),
                ("not_issued_count", json!(count)),
                ("not_issued_percent", json!(percent)),
            ],
        )
    })
}

/// The generator itself was late, though it had room for the I/O. The open job with the largest share is named.
pub(crate) fn late_issues(record: &RunRecord) -> Option<Finding> {
    let Share { job, count, percent } = worst(record, |_, arrivals| {
        let done = arrivals.iter().map(|counts| counts.io_count() + counts.error_count).sum();
        (arrivals.iter().map(|counts| counts.late_count).sum(), done)
    })?;
    (percent > MOST_LATE_PERCENT).then(|| {
        finding(
            "late-issues",
            Severity::Warning,
            format!(
                "{} {} of `{}` ({percent:.1} %) were issued more than 100 µs after they were due, though there was room for them among the outstanding I/Os: it was the generator that was late, and their latencies are longer by that",
                count_with_thousands(count), what_arrives(job), job.name
            ),
            [("job", json!(job.name)), ("late_count", json!(count)), ("late_percent", json!(percent))],
        )
    })
}

/// A job of which something is counted, and its share of all that arrived at it.
struct Share<'r> {
    job: &'r Job,
    count: u64,
    percent: f64,
}

/// The open job with the largest share; `count` tells for the number of a job and the counts of what arrives at it how
/// many there are, and out of how many. `None` for a closed load.
#[expect(clippy::cast_precision_loss, reason = "shares to 15 digits")]
fn worst(record: &RunRecord, count: impl Fn(usize, &[&OpCounts]) -> (u64, u64)) -> Option<Share<'_>> {
    let jobs = record.plan.jobs.iter().zip(&record.jobs).enumerate();
    let shares = jobs.filter(|(_, (job, _))| job.arrival != Arrival::Closed).map(|(index, (job, counts))| {
        // In a group commit it is the commits that arrive, and not their writes.
        let arrivals: Vec<&OpCounts> = match &counts.commit {
            Some(commits) => vec![commits],
            None => counts.read.iter().chain(&counts.write).collect(),
        };
        let (count, of) = count(index, &arrivals);
        Share { job, count, percent: 100.0 * count as f64 / of.max(1) as f64 }
    });
    shares.max_by(|a, b| a.percent.total_cmp(&b.percent))
}

fn what_arrives(job: &Job) -> &'static str {
    if job.group_commit.is_some() { "commits" } else { "I/Os" }
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
    let doubt = match lowest.doubts.as_slice() {
        [] => String::new(),
        doubts => {
            format!("; but {} was found there, so that it may not be the device's limit", doubts.join(", "))
        }
    };
    let limit = search.limit;
    Some(finding(
        "latency-limit-missed",
        Severity::Warning,
        format!(
            "no rate holds {limit}: even at {} IOPS, {share:.0} % of the rate at saturation, {why_not}{doubt}",
            with_thousands(iops)
        ),
        [
            ("limit", json!(limit)),
            ("lowest_iops", json!(iops)),
            ("doubts", json!(lowest.doubts)),
            ("latency_us", json!(lowest.worst.as_ref().map(|worst| worst.latency_us))),
        ],
    ))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::load::{GroupCommit, LogTail, Spacing};
    use iotrial_model::units::ByteSize;

    use super::*;
    use crate::test_record::{counts, healthy};

    /// 4,800,000 data I/Os of an open load beside 600,000 log writes of a closed one.
    fn open() -> RunRecord {
        let mut record = healthy();
        record.plan.jobs[0].arrival =
            Arrival::Open { iops: 16_000.0, spacing: Spacing::Poisson, bursts: None };
        record
    }

    #[test]
    fn a_closed_load_and_one_that_keeps_its_rate_have_no_finding() {
        assert_eq!((not_issued(&healthy()), late_issues(&healthy())), (None, None));
        let mut record = open();
        assert_eq!((not_issued(&record), late_issues(&record)), (None, None));
        record.intervals.last_mut().unwrap().backlog = vec![3, 0];
        record.jobs[0].read.as_mut().unwrap().late_count = 100;
        assert_eq!((not_issued(&record), late_issues(&record)), (None, None));
    }

    #[test]
    fn arrivals_that_were_never_issued_are_told_with_their_share() {
        let mut record = open();
        record.intervals.last_mut().unwrap().backlog = vec![1_200_000, 0];
        let found = not_issued(&record).unwrap();
        assert!(
            found.message.starts_with("1,200,000 I/Os of `pages` (20.0 % of those that were due)"),
            "{}",
            found.message
        );
    }

    #[test]
    fn a_late_generator_is_told_with_its_share() {
        let mut record = open();
        record.jobs[0].read.as_mut().unwrap().late_count = 480_000;
        assert!(late_issues(&record).unwrap().message.starts_with("480,000 I/Os of `pages` (10.0 %)"));
    }

    #[test]
    fn what_an_open_job_suffers_does_not_hide_behind_the_ios_of_the_others() {
        // 600 commits in groups, half of them late and as many never issued, beside millions of other I/Os.
        let mut record = open();
        record.plan.jobs[1].arrival = Arrival::Open { iops: 2.0, spacing: Spacing::Poisson, bursts: None };
        record.plan.jobs[1].group_commit = Some(GroupCommit {
            commit_size: ByteSize::bytes(700),
            largest_write: ByteSize::kib(60),
            tail: LogTail::Pad,
        });
        record.jobs[1].commit = Some(counts(600, Duration::from_micros(900)));
        record.jobs[1].commit.as_mut().unwrap().late_count = 300;
        record.intervals.last_mut().unwrap().backlog = vec![0, 600];
        let found = not_issued(&record).unwrap();
        assert!(found.message.starts_with("600 commits of `journal` (50.0 %"), "{}", found.message);
        let found = late_issues(&record).unwrap();
        assert!(found.message.starts_with("300 commits of `journal` (50.0 %)"), "{}", found.message);
    }
}
