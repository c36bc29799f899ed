//! What an open load could not keep: arrivals that were never issued, or issued late.

use iotrial_model::finding::{
    Evidence, Finding, FindingId, HeldPercentile, LateIssues, LatencyLimitMissed, Severity,
};
use iotrial_model::latency_limit::LimitStatistic;
use iotrial_model::plan::Arrival;
use iotrial_model::record::{EndedHow, OpCounts};
use iotrial_model::search::Probe;
use iotrial_model::subject::{Facts, Subject};

use super::Judge;
use super::observed::Observed;
use crate::generator_part::without_generator_us;

/// Up to this share of late I/Os, the due time and the issue are the same for every figure that is shown.
const MOST_LATE_PERCENT: f64 = 1.0;
/// A backlog below this share of what was issued is the last moment's, and not a device that cannot keep up.
const MOST_BACKLOG_PERCENT: f64 = 0.1;

/// A job of which something is counted, and its share of all that arrived at it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Share {
    job: String,
    /// Whether commits arrive at it, and not I/Os.
    are_commits: bool,
    count: u64,
    percent: f64,
    /// More of it than this shows in the figures.
    most_percent: f64,
}

impl Share {
    /// Of what was due, the part that was never issued, of the open job with the largest.
    pub(super) fn never_issued(subject: &Subject<'_>) -> Option<Self> {
        let last = subject.intervals.counted().last()?;
        // Commits that share a write wait for the one under way: as many as one write can carry are no backlog.
        let carried = |job: usize| {
            let job = subject.plan.and_then(|plan| plan.jobs.get(job));
            let group = job.and_then(|job| Some((job, job.group_commit.as_ref()?)));
            group.map_or(0, |(job, group)| group.most_commits() * u64::from(job.total_iodepth()))
        };
        let backlog = |job: usize| last.backlog.get(job).copied().unwrap_or_default();
        let waiting = |job: usize| if backlog(job) > carried(job) { backlog(job) } else { 0 };
        Self::largest(subject, MOST_BACKLOG_PERCENT, |job, arrivals| {
            (waiting(job), waiting(job) + arrivals.iter().map(|counts| counts.io_count()).sum::<u64>())
        })
    }

    /// Of what was done, the part that the generator issued late though it had room for it, of the open job with the largest.
    pub(super) fn issued_late(subject: &Subject<'_>) -> Option<Self> {
        Self::largest(subject, MOST_LATE_PERCENT, |_, arrivals| {
            let done = arrivals.iter().map(|counts| counts.io_count() + counts.error_count).sum();
            (arrivals.iter().map(|counts| counts.late_count).sum(), done)
        })
    }

    /// `count` tells for the number of a job and the counts of what arrives at it how many there are, and out of how many.
    /// `None` for a closed load.
    fn largest(
        subject: &Subject<'_>,
        most_percent: f64,
        count: impl Fn(usize, &[&OpCounts]) -> (u64, u64),
    ) -> Option<Self> {
        let jobs = subject.plan?.jobs.iter().zip(&subject.jobs).enumerate();
        let shares = jobs.filter(|(_, (job, _))| job.arrival != Arrival::Closed);
        let shares = shares.map(|(index, (job, done))| {
            let arrivals: Vec<&OpCounts> = done.arrivals().filter_map(Facts::counts).collect();
            let (count, of) = count(index, &arrivals);
            Self {
                job: job.name.clone(),
                are_commits: job.group_commit.is_some(),
                count,
                percent: 100.0 * count as f64 / of.max(1) as f64,
                most_percent,
            }
        });
        shares.max_by(|a, b| a.percent.total_cmp(&b.percent))
    }

    /// Whether so many are concerned that it shows in the figures.
    pub(super) fn shows(&self) -> bool {
        self.percent > self.most_percent
    }
}

/// A part of a percentile that the generator made: below it, the figure is the device's.
// As for the load of others and for merges: a tenth of a figure is what two runs on a quiet host differ by.
const LEAST_HELD_PERCENT: f64 = 10.0;
/// The percentiles that are looked at: those that are judged and compared. One I/O of a thousand is held back on every host that does something
/// else too, so that p99.9 alone is no reason.
const LOOKED_AT: [f64; 2] = [99.0, 99.9];

/// What the generator made of the latencies of an open job, because it issued I/Os late or saw them done late.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Held {
    job: String,
    are_commits: bool,
    /// I/Os to whose latency it added more than 100 µs.
    count: u64,
    of: u64,
    /// p99, and p99.9 where enough I/Os lie beyond it.
    percentiles: Vec<HeldPercentile>,
}

impl Held {
    /// Of the open job of which it made most of p99; `None` where it made nothing of any.
    pub(super) fn of(subject: &Subject<'_>) -> Option<Self> {
        let jobs =
            subject.plan?.jobs.iter().zip(&subject.jobs).filter(|(job, _)| job.arrival != Arrival::Closed);
        let held = jobs.filter_map(|(job, done)| {
            let mut all = OpCounts::default();
            done.arrivals().filter_map(Facts::counts).for_each(|counts| all.merge(counts));
            let percentiles: Vec<HeldPercentile> =
                LOOKED_AT.into_iter().filter_map(|percent| held_percentile(&all, percent)).collect();
            (!percentiles.is_empty()).then(|| Self {
                job: job.name.clone(),
                are_commits: job.group_commit.is_some(),
                count: all.held_latency.io_count(),
                of: all.io_count(),
                percentiles,
            })
        });
        held.min_by(|a, b| a.rest_of_p99().total_cmp(&b.rest_of_p99()))
    }

    /// The share of p99 that the generator did not make.
    fn rest_of_p99(&self) -> f64 {
        self.percentiles[0].without_us / self.percentiles[0].latency_us
    }

    /// Whether it made so much that the figure is not the device's.
    pub(super) fn shows(&self) -> bool {
        is_large(self.rest_of_p99())
    }
}

/// Whether the part of a figure that is left without the generator shows that the generator made much of it.
fn is_large(rest: f64) -> bool {
    rest <= 1.0 - LEAST_HELD_PERCENT / 100.0
}

/// Whether the generator was late without a trace in the figures: of every open job in which I/Os were late, it made less than a tenth of
/// the mean and of p99. A burst of completions, as a throttled volume has it, lets I/Os that follow them be due at one moment, and they are
/// issued one after the other. `false` where it is not known, as in older records.
fn leaves_figures_alone(subject: &Subject<'_>) -> bool {
    let Some(plan) = subject.plan else { return false };
    let jobs = plan.jobs.iter().zip(&subject.jobs).filter(|(job, _)| job.arrival != Arrival::Closed);
    let mut late = jobs.filter_map(|(_, done)| {
        let mut all = OpCounts::default();
        done.arrivals().filter_map(Facts::counts).for_each(|counts| all.merge(counts));
        (all.late_count > 0).then_some(all)
    });
    late.all(|counts| {
        let p99 = held_percentile(&counts, 99.0).map(|held| held.without_us / held.latency_us);
        let figures = [p99, rest_of_mean(&counts)];
        figures.into_iter().all(|rest| rest.is_some_and(|rest| !is_large(rest)))
    })
}

/// The share of the mean that the generator did not make, at least.
fn rest_of_mean(counts: &OpCounts) -> Option<f64> {
    Some(without_generator_us(counts, LimitStatistic::Mean)? / counts.total_latency.mean_us()?)
}

/// A percentile and what the generator made of it; `None` where fewer than ten I/Os lie beyond it, as for figures.
fn held_percentile(counts: &OpCounts, percent: f64) -> Option<HeldPercentile> {
    let all = counts.io_count();
    if counts.held_latency.io_count() == 0 || all as f64 * (1.0 - percent / 100.0) < 10.0 {
        return None;
    }
    let latency_us = counts.total_latency.percentile(percent)?.as_secs_f64() * 1e6;
    let without_us = without_generator_us(counts, LimitStatistic::Percentile(percent))?;
    Some(HeldPercentile { percent, latency_us, without_us: without_us.min(latency_us) })
}

/// For the table in `findings.rs`.
pub(super) const JUDGES: &[Judge] = &[not_issued, late_issues, latency_limit_missed];

/// The device did not keep up with the rate: I/Os were due and never issued.
pub(super) fn not_issued(seen: &Observed<'_, '_>) -> Option<Finding> {
    let share = seen.never_issued.as_ref().filter(|share| share.shows())?;
    let evidence = Evidence::NotIssued {
        job: share.job.clone(),
        not_issued_count: share.count,
        not_issued_percent: share.percent,
        are_commits: share.are_commits,
    };
    Some(Finding::new(FindingId::NotIssued, Severity::Warning, evidence))
}

/// The generator itself was late, though it had room for the I/O.
pub(super) fn late_issues(seen: &Observed<'_, '_>) -> Option<Finding> {
    if let Some(held) = seen.held.as_ref().filter(|held| held.shows()) {
        let evidence = Evidence::LateIssues(LateIssues {
            job: held.job.clone(),
            late_count: held.count,
            late_percent: 100.0 * held.count as f64 / held.of as f64,
            held: held.percentiles.clone(),
            are_commits: held.are_commits,
            is_in_figures: true,
        });
        return Some(Finding::new(FindingId::LateIssues, Severity::Warning, evidence));
    }
    let share = seen.issued_late.as_ref().filter(|share| share.shows())?;
    let held = seen.held.as_ref().filter(|held| held.job == share.job);
    let is_harmless = leaves_figures_alone(seen.subject);
    let evidence = Evidence::LateIssues(LateIssues {
        job: share.job.clone(),
        late_count: share.count,
        late_percent: share.percent,
        held: held.map(|held| held.percentiles.clone()).unwrap_or_default(),
        are_commits: share.are_commits,
        is_in_figures: false,
    });
    let severity = if is_harmless { Severity::Note } else { Severity::Warning };
    Some(Finding::new(FindingId::LateIssues, severity, evidence))
}

/// Not even the lowest rate that was tried held the latency limit.
pub(super) fn latency_limit_missed(seen: &Observed<'_, '_>) -> Option<Finding> {
    let search = seen.subject.search.filter(|search| search.result.is_none())?;
    if seen.subject.ended?.how != EndedHow::Complete {
        return None;
    }
    // A rate that stayed within the limits contradicts it, also where no longer run confirmed it.
    if search.time_ran_out || search.probes.iter().any(|probe| probe.held == Some(true)) {
        return None;
    }
    let asked = |probe: &&Probe| probe.asked_iops.filter(|_| probe.held == Some(false));
    let tried = search.probes.iter().filter(|probe| asked(probe).is_some());
    let lowest =
        tried.min_by(|a, b| a.asked_iops.unwrap_or_default().total_cmp(&b.asked_iops.unwrap_or_default()))?;
    let (lowest_iops, share_of_saturation) = (lowest.asked_iops?, lowest.share?);
    let evidence = Evidence::LatencyLimitMissed(LatencyLimitMissed {
        limit: search.shown_limit(),
        lowest_iops,
        doubts: lowest.doubts.clone(),
        latency_us: lowest.worst.as_ref().map(|worst| worst.latency_us),
        share_of_saturation,
        why_not: lowest.why_not.clone(),
        is_only_rate: search.need.is_some(),
    });
    Some(Finding::new(FindingId::LatencyLimitMissed, Severity::Warning, evidence))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::load::{GroupCommit, LogTail, Spacing};
    use iotrial_model::record::RunRecord;
    use iotrial_model::units::ByteSize;
    use serde_json::json;

    use super::*;
    use crate::findings::found;
    use crate::test_record::{counts, healthy};

    fn not_issued(record: &RunRecord) -> Option<Finding> {
        found(record, super::not_issued)
    }

    fn late_issues(record: &RunRecord) -> Option<Finding> {
        found(record, super::late_issues)
    }

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
        // What a closed job has is not asked.
        record.intervals.last_mut().unwrap().backlog = vec![0, 100_000];
        record.jobs[1].write.as_mut().unwrap().late_count = 100_000;
        assert_eq!((not_issued(&record), late_issues(&record)), (None, None));
    }

    #[test]
    fn a_thousandth_is_the_last_moments_and_one_late_io_of_a_hundred_shows_nowhere() {
        // Of 4,800,000.
        let waiting = |count: u64| {
            let mut record = open();
            record.intervals.last_mut().unwrap().backlog = vec![count, 0];
            not_issued(&record).is_some()
        };
        assert!(!waiting(4_800) && waiting(4_829));
        let late = |count: u64, error_count: u64| {
            let mut record = open();
            let reads = record.jobs[0].read.as_mut().unwrap();
            (reads.late_count, reads.error_count) = (count, error_count);
            late_issues(&record).is_some()
        };
        assert!(!late(48_000, 0) && late(48_300, 0) && !late(48_300, 100_000));
    }

    #[test]
    fn a_percentile_is_looked_at_where_ten_ios_lie_beyond_it() {
        let held = |io_count: u64, percent: f64| {
            let mut all = counts(io_count, Duration::from_millis(1));
            all.held_latency = counts(1, Duration::from_millis(1)).total_latency;
            all.unheld_latency = counts(1, Duration::from_micros(500)).total_latency;
            held_percentile(&all, percent).is_some()
        };
        assert!(held(1_001, 99.0) && !held(995, 99.0));
        assert!(held(10_001, 99.9) && !held(9_950, 99.9));
        assert_eq!(held_percentile(&counts(100_000, Duration::from_millis(1)), 99.0), None);
    }

    /// Of so many I/Os of a millisecond, two percent that took `held_us` and would have taken `without_us`.
    fn partly_held(held_us: u64, without_us: u64) -> OpCounts {
        let us = Duration::from_micros;
        let mut all = counts(98_000, us(1_000));
        all.merge(&counts(2_000, us(held_us)));
        all.held_latency = counts(2_000, us(held_us)).total_latency;
        all.unheld_latency = counts(2_000, us(without_us)).total_latency;
        all.late_count = 2_000;
        all
    }

    #[test]
    fn what_was_held_back_is_exchanged_for_what_it_would_have_been() {
        let without_us =
            |all: &OpCounts, percent: f64| held_percentile(all, percent).unwrap().without_us.round();
        let near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 0.002;
        let all = partly_held(9_000, 4_000);
        // Two percent of them are 4 ms without the generator, and the others are as they were.
        assert!(near(without_us(&all, 99.0), 4_000.0) && near(without_us(&all, 97.0), 1_000.0));
        assert!(near(without_us(&all, 98.0), 1_000.0) && near(without_us(&all, 98.1), 4_000.0));
        // Never more than it is.
        assert!(near(without_us(&partly_held(9_000, 20_000), 99.0), 9_000.0));
        // Half of those held back would have been fast: one percent is left.
        let mut half = partly_held(9_000, 500);
        half.held_latency = counts(1_000, Duration::from_millis(9)).total_latency;
        half.unheld_latency = counts(1_000, Duration::from_micros(500)).total_latency;
        assert!(near(without_us(&half, 98.9), 1_000.0) && near(without_us(&half, 99.1), 9_000.0));
    }

    #[test]
    fn the_generator_made_much_of_a_figure_from_a_tenth_of_it_on() {
        assert!(is_large(0.895) && !is_large(0.905));
        let made = |held_us: u64| {
            let mut record = open();
            record.jobs[0].read = Some(partly_held(held_us, 9_000));
            record.jobs[0].write = None;
            let found = late_issues(&record).unwrap();
            let Evidence::LateIssues(LateIssues { is_in_figures, late_percent, .. }) = found.evidence else {
                panic!("{found:?}")
            };
            (found.severity, is_in_figures, late_percent)
        };
        assert_eq!(made(10_200), (Severity::Warning, true, 2.0));
        assert_eq!(made(9_800), (Severity::Note, false, 2.0));
    }

    #[test]
    fn of_open_jobs_the_one_that_was_held_most_is_told_and_one_alone_that_is_late_is_enough() {
        let mut record = open();
        record.plan.jobs[1].arrival = record.plan.jobs[0].arrival;
        record.jobs[0].write = None;
        let mut told = |of_data_us: u64, of_log_us: u64| {
            record.jobs[0].read = Some(partly_held(of_data_us, 9_000));
            record.jobs[1].write = Some(partly_held(of_log_us, 9_000));
            let found = late_issues(&record).unwrap();
            let Evidence::LateIssues(LateIssues { job, are_commits: false, .. }) = found.evidence else {
                panic!("{found:?}")
            };
            (job, found.severity)
        };
        assert_eq!(told(20_000, 12_000), ("pages".to_owned(), Severity::Warning));
        assert_eq!(told(12_000, 20_000), ("journal".to_owned(), Severity::Warning));
        assert_eq!(told(9_200, 9_100).1, Severity::Note);
        // A job that was not late has no say, and a closed one is not asked.
        let mut closed = record.clone();
        closed.plan.jobs[1].arrival = Arrival::Closed;
        closed.jobs[0].read = Some(partly_held(9_200, 9_000));
        closed.jobs[1].write = Some(partly_held(90_000, 9_000));
        let found = late_issues(&closed).unwrap();
        assert_eq!(found.severity, Severity::Note, "{found:?}");
        closed.plan.jobs[1].arrival = closed.plan.jobs[0].arrival;
        closed.jobs[1].write = Some(counts(100_000, Duration::from_millis(1)));
        assert_eq!(late_issues(&closed).unwrap().severity, Severity::Note);
    }

    #[test]
    fn commits_that_share_a_write_wait_for_the_one_under_way() {
        let mut record = open();
        record.plan.jobs[1].arrival = Arrival::Open { iops: 2.0, spacing: Spacing::Poisson, bursts: None };
        let group = GroupCommit {
            commit_size: ByteSize::bytes(1_000),
            largest_write: ByteSize::bytes(8_000),
            tail: LogTail::Pad,
        };
        let carried = group.most_commits() * 4;
        record.plan.jobs[1].group_commit = Some(group);
        record.plan.jobs[1].iodepth = 4;
        record.jobs[1].commit = Some(counts(600, Duration::from_micros(900)));
        let mut waiting = |count: u64| {
            record.intervals.last_mut().unwrap().backlog = vec![0, count];
            not_issued(&record).is_some()
        };
        assert!(!waiting(carried) && waiting(carried + 1));
    }

    #[test]
    fn the_lowest_rate_that_failed_is_told_unless_one_held_or_the_time_ran_out() {
        use iotrial_model::latency_limit::SearchLimit;
        use iotrial_model::search::{ProbeKind, Search};
        let probe = |asked_iops: f64, held: Option<bool>| Probe {
            kind: ProbeKind::Probe,
            share: Some(asked_iops / 10_000.0),
            asked_iops: Some(asked_iops),
            iops: asked_iops,
            lat_mean_us: None,
            duration: Duration::from_secs(5),
            worst: None,
            held,
            why_not: None,
            doubts: iotrial_model::finding::Doubts::default(),
        };
        let mut record = healthy();
        record.search = Some(Search {
            limit: SearchLimit::Thresholds("flash".to_owned()),
            limit_differs: false,
            need: None,
            probes: [(4_000.0, Some(false)), (1_000.0, Some(false)), (500.0, None), (9_000.0, Some(false))]
                .map(|(iops, held)| probe(iops, held))
                .to_vec(),
            carries_need: None,
            result: None,
            time_ran_out: false,
        });
        let missed = |change: fn(&mut RunRecord)| {
            let mut record = record.clone();
            change(&mut record);
            let finding = found(&record, super::latency_limit_missed)?;
            assert_eq!(finding.severity, Severity::Warning);
            let Evidence::LatencyLimitMissed(LatencyLimitMissed {
                lowest_iops,
                share_of_saturation,
                is_only_rate,
                ..
            }) = finding.evidence
            else {
                panic!("{finding:?}")
            };
            Some((lowest_iops, share_of_saturation, is_only_rate))
        };
        assert_eq!(missed(|_| ()), Some((1_000.0, 0.1, false)));
        let needing = |record: &mut RunRecord| {
            record.search.as_mut().unwrap().need = Some("9000iops".parse().unwrap());
        };
        assert_eq!(missed(needing), Some((1_000.0, 0.1, true)));
        assert_eq!(missed(|record| record.search.as_mut().unwrap().time_ran_out = true), None);
        assert_eq!(missed(|record| record.search.as_mut().unwrap().probes[0].held = Some(true)), None);
        assert_eq!(missed(|record| record.ended.how = EndedHow::Interrupted), None);
        assert_eq!(missed(|record| record.search = None), None);
    }

    #[test]
    fn arrivals_that_were_never_issued_are_told_with_their_share() {
        let mut record = open();
        record.intervals.last_mut().unwrap().backlog = vec![1_200_000, 0];
        let found = not_issued(&record).unwrap();
        let facts = found.evidence.facts();
        assert_eq!((&facts["job"], &facts["not_issued_count"]), (&json!("pages"), &json!(1_200_000)));
        assert_eq!(facts["not_issued_percent"], json!(20.0));
    }

    #[test]
    fn a_late_generator_is_told_with_its_share() {
        let mut record = open();
        record.jobs[0].read.as_mut().unwrap().late_count = 480_000;
        let facts = late_issues(&record).unwrap().evidence.facts();
        assert_eq!((&facts["late_count"], &facts["late_percent"]), (&json!(480_000), &json!(10.0)));
    }

    #[test]
    fn what_the_generator_made_of_a_percentile_is_told_with_its_size() {
        // Of 100,000 reads of 1 ms, `count` took 131 ms because nobody looked for 130 ms.
        let held = |count: u64| {
            let mut record = open();
            let mut reads = counts(100_000 - count, Duration::from_millis(1));
            reads.merge(&counts(count, Duration::from_millis(131)));
            reads.held_latency = counts(count, Duration::from_millis(131)).total_latency;
            reads.unheld_latency = counts(count, Duration::from_millis(1)).total_latency;
            record.jobs[0].read = Some(reads);
            record.jobs[0].write = None;
            late_issues(&record)
        };
        // p99.9 alone: one in five hundred.
        assert_eq!(held(200), None);
        let found = held(1_500).unwrap();
        let Evidence::LateIssues(LateIssues { held, late_count, late_percent, is_in_figures, .. }) =
            found.evidence
        else {
            panic!("{found:?}")
        };
        assert_eq!((late_count, late_percent, is_in_figures), (1_500, 1.5, true));
        assert_eq!([held[0].percent, held[1].percent], [99.0, 99.9]);
        assert!(held.iter().all(|one| (one.latency_us / 131_000.0 - 1.0).abs() < 0.01), "{held:?}");
        assert!(held.iter().all(|one| (one.without_us / 1_000.0 - 1.0).abs() < 0.01), "{held:?}");
    }

    #[test]
    fn ios_that_are_late_by_little_are_noted_and_put_nothing_in_doubt() {
        // A tenth of 100,000 reads of 9 ms was issued `late` after it was due.
        let late = |late: Duration| {
            let mut record = open();
            let mut reads = counts(90_000, Duration::from_millis(9));
            reads.merge(&counts(10_000, Duration::from_millis(9) + late));
            reads.held_latency = counts(10_000, Duration::from_millis(9) + late).total_latency;
            reads.unheld_latency = counts(10_000, Duration::from_millis(9)).total_latency;
            reads.late_count = 10_000;
            record.jobs[0].read = Some(reads);
            record.jobs[0].write = None;
            // Its devices counted the I/Os of `open`.
            record.devices.clear();
            record
        };
        let record = late(Duration::from_micros(300));
        let note = late_issues(&record).unwrap();
        assert_eq!(note.severity, Severity::Note);
        let Evidence::LateIssues(LateIssues { held, is_in_figures: false, .. }) = &note.evidence else {
            panic!("{note:?}")
        };
        assert!((held[0].latency_us - held[0].without_us - 297.0).abs() < 1.0, "{held:?}");
        assert_eq!(found(&record, |seen| seen.doubts(0.0)).to_string(), "");
        let record = late(Duration::from_millis(2));
        assert_eq!(late_issues(&record).unwrap().severity, Severity::Warning);
        assert_eq!(found(&record, |seen| seen.doubts(0.0)).to_string(), "late-issues");
        // p99 of a tenth is the device's, and the mean of all is not.
        let mut record = late(Duration::from_micros(300));
        let reads = record.jobs[0].read.as_mut().unwrap();
        *reads = counts(98_000, Duration::from_micros(300));
        reads.merge(&counts(2_000, Duration::from_millis(9)));
        reads.held_latency = counts(98_000, Duration::from_micros(300)).total_latency;
        reads.unheld_latency = counts(98_000, Duration::from_micros(100)).total_latency;
        reads.late_count = 98_000;
        assert_eq!(late_issues(&record).unwrap().severity, Severity::Warning);
    }

    #[test]
    fn a_late_generator_is_no_reason_for_a_rate_that_was_missed_by_far_more_than_it_was_late() {
        let mut record = open();
        // A tenth was late.
        record.jobs[0].read.as_mut().unwrap().late_count = 480_000;
        let doubts = |missing_share: f64| found(&record, |seen| seen.doubts(missing_share)).to_string();
        assert_eq!([0.0, 0.19].map(doubts), ["late-issues", "late-issues"]);
        assert_eq!(found(&record, |seen| seen.doubts(0.25)).to_string(), "");
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
        assert!(
            matches!(found.evidence, Evidence::NotIssued { not_issued_count: 600, are_commits: true, .. }),
            "{found:?}"
        );
        let found = late_issues(&record).unwrap();
        assert!(
            matches!(
                found.evidence,
                Evidence::LateIssues(LateIssues { late_count: 300, are_commits: true, .. })
            ),
            "{found:?}"
        );
    }
}
