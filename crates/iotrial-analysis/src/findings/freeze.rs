//! Times in which nothing came back though I/Os were outstanding, each too short for one of its I/Os to stand out.
//!
//! In a closed load such a time leaves one slow I/O for each outstanding one, all of them about equally slow: no percentile shows it, and the
//! histogram of its second has a cluster of as many as were outstanding. In an open load it delays what falls due meanwhile, and the longer the
//! sooner it was due: a second with a peak of latency that rises at once, is made of as many I/Os as fell due in half of the time, and falls
//! again. What the generator delayed is not the device's: pauses are taken off, I/Os that it held back do not count, and of a closed load
//! nothing is said where it was short of CPU.

use std::time::Duration;

use iotrial_model::finding::Freezes;
use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::load::{Direction, Durability};
use iotrial_model::plan::{Arrival, Job};
use iotrial_model::record::{Interval, JobCounts, OpCounts};
use iotrial_model::subject::{Facts, Subject, SubjectJob};

use super::pace::comes_in_bursts;
use super::pause::without_pauses;
use crate::device_part::DevicePart;

/// Shorter ones are not told: limiters hand out tokens in slices of up to 0.1 s, and what stops iotrial for so long is recorded as a pause.
const LEAST_S: f64 = 0.2;
/// A device that works takes no so many times as long for one I/O as for half of the others.
const TIMES_THE_MEDIAN: f64 = 20.0;
/// I/Os of one freeze began up to one latency before it and are done up to some latencies after it ...
const CLUSTER_MEDIANS: f64 = 4.0;
/// ... and differ by no more than this share of it, whatever they wait for after it.
const CLUSTER_SHARE: f64 = 0.1;
/// Of those outstanding, so many are in the cluster at least: some may have come back when the others stopped.
const CLUSTER_OUTSTANDING: f64 = 0.9;
/// Of those that fell due in the first half of a freeze, so many took longer than the other half.
const DUE_SHARE: f64 = 0.8;
/// Fewer delayed I/Os of an open load are single slow ones.
const LEAST_DUE: u64 = 8;

/// The freezes of the device of some jobs, of which the one of this job was the longest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FrozenDevice {
    pub(super) job: String,
    pub(super) direction: Direction,
    pub(super) longest_s: f64,
    /// When that was over, to an interval, from the start of the load.
    pub(super) ended_after_s: f64,
    pub(super) all: Freezes,
}

/// What took so long in an interval, as one freeze or several ones of the same length.
struct Seen {
    job: usize,
    direction: Direction,
    length_s: f64,
    count: usize,
    end_s: f64,
}

impl FrozenDevice {
    /// The device that stood still for the longest part of the measured time; `None` where none did, or where there are no intervals.
    /// `is_short_of_cpu` tells whether the generator was.
    pub(super) fn of(subject: &Subject<'_>, is_short_of_cpu: bool) -> Option<Self> {
        let plan = subject.plan.filter(|plan| plan.engine.has_device())?;
        let intervals: Vec<&Interval> = subject.measured_intervals().collect();
        let measured_s: f64 = intervals.iter().map(|one| one.duration.as_secs_f64()).sum();
        let is_even = |job: &usize| {
            let planned = &plan.jobs[*job];
            let some_are_flushed = planned.durability != Durability::None && planned.flush_every > 1;
            !comes_in_bursts(planned) && !some_are_flushed
        };
        let is_closed = |job: &usize| plan.jobs[*job].arrival == Arrival::Closed;
        let mut groups: Vec<Vec<usize>> =
            DevicePart::all(subject).into_iter().map(|part| part.jobs).collect();
        if groups.is_empty() {
            groups.push((0..plan.jobs.len()).collect());
        }
        let closed = groups.into_iter().filter(|_| !is_short_of_cpu).filter_map(|group| {
            let jobs: Vec<usize> = group.into_iter().filter(is_closed).collect();
            (jobs.iter().all(is_even)).then(|| of_closed(subject, &intervals, &jobs))
        });
        let open = (0..plan.jobs.len()).filter(|job| !is_closed(job) && is_even(job));
        let all = closed.chain(open.map(|job| of_open(subject, &intervals, job, measured_s)));
        let frozen_s =
            |seen: &[Seen]| -> f64 { seen.iter().map(|one| one.length_s * one.count as f64).sum() };
        let seen = all.max_by(|a, b| frozen_s(a).total_cmp(&frozen_s(b)))?;
        let longest = seen.iter().max_by(|a, b| a.length_s.total_cmp(&b.length_s))?;
        Some(Self {
            job: subject.jobs.get(longest.job)?.name.to_string(),
            direction: longest.direction,
            longest_s: longest.length_s,
            ended_after_s: longest.end_s,
            all: Freezes {
                freeze_count: seen.iter().map(|one| one.count).sum(),
                frozen_s: frozen_s(&seen),
                frozen_percent: 100.0 * frozen_s(&seen) / measured_s,
            },
        })
    }
}

/// What a job was asked to do, by direction: its commits, where they share writes.
fn asked<'c>(planned: &Job, counts: &'c JobCounts) -> impl Iterator<Item = (Direction, &'c OpCounts)> {
    let commits = counts.commit.as_ref().filter(|_| planned.group_commit.is_some());
    let has_commits = commits.is_some();
    let others = Direction::ALL.into_iter().filter(move |_| !has_commits);
    commits
        .map(|commits| (Direction::Write, commits))
        .into_iter()
        .chain(others.filter_map(|direction| Some((direction, counts.get(direction)?))))
}

/// Longer than this nothing takes on a device that works, with the median of the slowest of these jobs; `None` where no I/O took so long.
fn threshold_s(subject: &Subject<'_>, jobs: &[usize]) -> Option<(f64, f64)> {
    let counts = |job: &usize| {
        subject.jobs.get(*job).into_iter().flat_map(SubjectJob::arrivals).filter_map(Facts::counts)
    };
    // What has to merge histograms is asked last: most results have no such I/O.
    let longest = jobs.iter().flat_map(counts).filter_map(|counts| counts.total_latency.max()).max()?;
    if longest.as_secs_f64() < LEAST_S {
        return None;
    }
    let medians = jobs.iter().filter_map(|job| {
        let mut all = LatencyHistogram::default();
        counts(job).for_each(|counts| all.merge(&counts.total_latency));
        all.percentile(50.0)
    });
    let median_s = medians.max()?.as_secs_f64();
    Some((LEAST_S.max(TIMES_THE_MEDIAN * median_s), median_s))
}

/// I/Os of a histogram that took so long at least.
fn slow_count(latency: &LatencyHistogram, least_s: f64) -> u64 {
    let slow = latency.buckets_ns().rev().take_while(|(edge_ns, _)| *edge_ns as f64 / 1e9 >= least_s);
    slow.map(|(_, count)| count).sum()
}

/// Without what iotrial itself stood still.
fn of_device_s(subject: &Subject<'_>, latency_s: f64, interval: &Interval) -> f64 {
    let (from, to) = (interval.start, interval.start + interval.duration);
    without_pauses(subject, Duration::from_secs_f64(latency_s), from, to).as_secs_f64()
}

/// Clusters of as many slow I/Os as these closed jobs of one device had outstanding together.
fn of_closed(subject: &Subject<'_>, intervals: &[&Interval], jobs: &[usize]) -> Vec<Seen> {
    let outstanding = jobs.iter().map(|job| subject.jobs.get(*job)?.load.total_outstanding());
    let (Some(outstanding), Some((least_s, median_s)), Some(plan)) = (
        outstanding.sum::<Option<u64>>().filter(|count| *count > 0),
        threshold_s(subject, jobs),
        subject.plan,
    ) else {
        return Vec::new();
    };
    let mut seen = Vec::new();
    for interval in intervals {
        let mut slow: Vec<(f64, u64, usize, Direction)> = Vec::new();
        for job in jobs {
            for (direction, counts) in
                interval.jobs.get(*job).into_iter().flat_map(|one| asked(&plan.jobs[*job], one))
            {
                let buckets = counts.total_latency.buckets_ns().rev();
                let buckets = buckets.map(|(edge_ns, count)| (edge_ns as f64 / 1e9, count));
                let buckets = buckets.take_while(|(latency_s, _)| *latency_s >= least_s);
                slow.extend(buckets.map(|(latency_s, count)| (latency_s, count, *job, direction)));
            }
        }
        slow.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut rest = slow.as_slice();
        while let [(top_s, _, job, direction), ..] = *rest {
            let from_s = top_s - (CLUSTER_SHARE * top_s).max(CLUSTER_MEDIANS * median_s);
            let (cluster, others) = rest.split_at(rest.partition_point(|one| one.0 >= from_s));
            rest = others;
            let count: u64 = cluster.iter().map(|one| one.1).sum();
            let times = count as f64 / outstanding as f64;
            let mean_s = cluster.iter().map(|one| one.0 * one.1 as f64).sum::<f64>() / count as f64;
            let length_s = of_device_s(subject, mean_s, interval);
            if times >= CLUSTER_OUTSTANDING && length_s >= least_s {
                let end_s = (interval.start + interval.duration).as_secs_f64();
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1")]
                let count = times.round() as usize;
                seen.push(Seen { job, direction, length_s, count, end_s });
            }
        }
    }
    seen
}

/// Seconds in which as many I/Os of an open job were late as fall due while a device stands still.
fn of_open(subject: &Subject<'_>, intervals: &[&Interval], job: usize, measured_s: f64) -> Vec<Seen> {
    let (Some((least_s, _)), Some(plan)) = (threshold_s(subject, &[job]), subject.plan) else {
        return Vec::new();
    };
    let in_interval = |index: usize| -> Vec<(Direction, &OpCounts)> {
        let counts = intervals.get(index).and_then(|one| one.jobs.get(job));
        counts.into_iter().flat_map(|counts| asked(&plan.jobs[job], counts)).collect()
    };
    let longest = |index: usize| {
        let all = in_interval(index).into_iter();
        let all =
            all.filter_map(|(direction, one)| Some((one.total_latency.max()?.as_secs_f64(), direction)));
        all.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let io_count: u64 = (0..intervals.len()).flat_map(in_interval).map(|(_, counts)| counts.io_count()).sum();
    let rate = io_count as f64 / measured_s;
    let at = |index: usize| {
        let (latency_s, direction) = longest(index)?;
        // A queue that a device cannot work off grows little by little, and stays; so the last interval tells nothing.
        let before_s = index.checked_sub(1).and_then(longest).map_or(0.0, |one| one.0);
        let after_s = longest(index + 1)?.0;
        if latency_s < least_s || before_s >= latency_s / 2.0 || after_s >= latency_s {
            return None;
        }
        let late: u64 = [index, index + 1]
            .into_iter()
            .flat_map(in_interval)
            .map(|(_, counts)| {
                let all = slow_count(&counts.total_latency, latency_s / 2.0);
                all.saturating_sub(slow_count(&counts.held_latency, latency_s / 2.0))
            })
            .sum();
        let length_s = of_device_s(subject, latency_s, intervals[index]);
        let is_freeze =
            late >= LEAST_DUE && late as f64 >= DUE_SHARE * rate * latency_s / 2.0 && length_s >= least_s;
        let end_s = (intervals[index].start + intervals[index].duration).as_secs_f64();
        is_freeze.then_some(Seen { job, direction, length_s, count: 1, end_s })
    };
    (0..intervals.len()).filter_map(at).collect()
}

#[cfg(test)]
mod tests {
    use iotrial_model::load::Spacing;
    use iotrial_model::record::{Pause, RunRecord};

    use super::*;
    use crate::test_record::{counts, measured};

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn frozen(record: &RunRecord) -> Option<(usize, f64)> {
        let found = FrozenDevice::of(&Subject::of_run(record), false)?;
        Some((found.all.freeze_count, (found.all.frozen_s * 100.0).round() / 100.0))
    }

    /// One closed job with 16 reads outstanding that take 1.6 ms, and in some seconds others, each so many of a length in ms.
    fn closed(seconds: &[(usize, &[(u64, u64)])]) -> RunRecord {
        let mut record = measured(60, |_| 16_000);
        record.plan.jobs.truncate(1);
        record.plan.jobs[0].iodepth = 16;
        for interval in &mut record.intervals {
            let read = Some(counts(10_000, Duration::from_micros(1_600)));
            interval.jobs = vec![JobCounts { read, ..JobCounts::default() }];
        }
        for (second, slow) in seconds {
            let reads = record.intervals[*second].jobs[0].read.as_mut().unwrap();
            for (count, length_ms) in *slow {
                reads.total_latency.record_n(ms(*length_ms), *count);
            }
        }
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        record.devices.clear();
        record
    }

    #[test]
    fn as_many_slow_ios_as_were_outstanding_are_a_freeze_and_fewer_are_not() {
        assert_eq!(frozen(&closed(&[])), None);
        assert_eq!(frozen(&closed(&[(30, &[(16, 600)])])), Some((1, 0.6)));
        assert_eq!(frozen(&closed(&[(30, &[(15, 600)])])), Some((1, 0.6)));
        assert_eq!(frozen(&closed(&[(30, &[(14, 600)])])), None);
        // Each at another time.
        let apart: Vec<(u64, u64)> = (0..16).map(|one| (1, 250 + 40 * one)).collect();
        assert_eq!(frozen(&closed(&[(30, &apart)])), None);
        // One that took longest beside a freeze is no part of it.
        assert_eq!(frozen(&closed(&[(30, &[(1, 900), (16, 300)])])), Some((1, 0.3)));
    }

    #[test]
    fn freezes_are_counted_and_their_lengths_are_added_up() {
        let found = closed(&[(7, &[(32, 300)]), (20, &[(16, 400), (16, 250)]), (40, &[(16, 900)])]);
        let found = FrozenDevice::of(&Subject::of_run(&found), false).unwrap();
        assert_eq!((found.all.freeze_count, found.ended_after_s), (5, 41.0));
        assert!(
            (found.longest_s - 0.9).abs() < 0.001 && (found.all.frozen_s - 2.15).abs() < 0.003,
            "{found:?}"
        );
        assert!((found.all.frozen_percent - 100.0 * found.all.frozen_s / 60.0).abs() < 1e-9);
        assert_eq!((found.job.as_str(), found.direction), ("pages", Direction::Read));
    }

    #[test]
    fn slices_of_a_limiter_and_slow_devices_do_not_freeze() {
        // From 0.2 s, and 20 times the median.
        assert!(frozen(&closed(&[(30, &[(16, 201)])])).is_some());
        assert_eq!(frozen(&closed(&[(30, &[(16, 199)])])), None);
        let slow = |length_ms: u64| {
            let mut record = closed(&[(30, &[(16, length_ms)])]);
            for interval in &mut record.intervals {
                let reads = interval.jobs[0].read.as_mut().unwrap();
                reads.merge(&counts(20_000, ms(20)));
            }
            record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
            frozen(&record).is_some()
        };
        assert!(slow(402) && !slow(398));
    }

    #[test]
    fn what_the_generator_made_is_not_the_devices() {
        let mut record = closed(&[(30, &[(16, 600)])]);
        assert_eq!(FrozenDevice::of(&Subject::of_run(&record), true), None);
        record.pauses = vec![Pause { start: ms(30_100), duration: ms(590) }];
        assert_eq!(frozen(&record), None);
        // The device stood still for longer.
        record.pauses[0].duration = ms(300);
        assert_eq!(frozen(&record), Some((1, 0.3)));
    }

    #[test]
    fn a_device_stands_still_when_all_of_its_jobs_do() {
        let with_log = |log_ms: u64, data: &[(u64, u64)]| {
            let mut record = closed(&[(30, data)]);
            let plain = measured(60, |_| 16_000);
            record.plan = plain.plan.clone();
            record.plan.jobs[0].iodepth = 16;
            for (interval, log) in record.intervals.iter_mut().zip(&plain.intervals) {
                interval.jobs.push(log.jobs[1].clone());
            }
            let log = record.intervals[30].jobs[1].write.as_mut().unwrap();
            log.total_latency.record_n(ms(log_ms), 1);
            record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
            record
        };
        assert_eq!(frozen(&with_log(600, &[])), None);
        assert_eq!(frozen(&with_log(600, &[(16, 600)])), Some((1, 0.6)));
        // On a device of its own the log stands still alone, one write at a time.
        let mut apart = with_log(600, &[]);
        crate::test_record::apart(&mut apart);
        let found = FrozenDevice::of(&Subject::of_run(&apart), false).unwrap();
        assert_eq!(
            (found.job.as_str(), found.direction, found.all.freeze_count),
            ("journal", Direction::Write, 1)
        );
    }

    /// 1,000 arrivals a second that take 1 ms, and in the second from 30 on those that fell due while the device stood still.
    fn open(length_ms: u64, share: f64) -> RunRecord {
        let mut record = closed(&[]);
        record.plan.jobs[0].arrival =
            Arrival::Open { iops: 1_000.0, spacing: Spacing::Poisson, bursts: None };
        for interval in &mut record.intervals {
            *interval.jobs[0].read.as_mut().unwrap() = counts(1_000, ms(1));
        }
        let late = record.intervals[30].jobs[0].read.as_mut().unwrap();
        *late = counts(1_000 - length_ms, ms(1));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a test")]
        for due_ms in 0..(share * length_ms as f64) as u64 {
            late.total_latency
                .record_n(ms(length_ms) - Duration::from_secs_f64(1e-3 * due_ms as f64 / share), 1);
        }
        record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
        record
    }

    #[test]
    fn an_open_load_tells_a_freeze_by_as_many_as_fell_due_in_it() {
        assert_eq!(frozen(&open(600, 1.0)), Some((1, 0.6)));
        assert_eq!(frozen(&open(150, 1.0)), None);
        // One of several servers stands still.
        assert_eq!(frozen(&open(600, 0.25)), None);
        // The generator was away.
        let mut away = open(600, 1.0);
        let reads = away.intervals[30].jobs[0].read.as_mut().unwrap();
        reads.held_latency = reads.total_latency.clone();
        assert_eq!(frozen(&away), None);
    }

    #[test]
    fn a_queue_that_grows_or_is_there_at_the_end_is_no_freeze() {
        let mut grows = open(600, 0.0);
        for (second, interval) in (0..).zip(&mut grows.intervals).skip(40) {
            *interval.jobs[0].read.as_mut().unwrap() = counts(1_000, ms(100 * (second - 38)));
        }
        grows.jobs = RunRecord::totals_of_intervals(&grows.plan, &grows.intervals);
        assert_eq!(frozen(&grows), None);
        // It is worked off again, once.
        for (second, interval) in (0..).zip(&mut grows.intervals).skip(50) {
            *interval.jobs[0].read.as_mut().unwrap() = counts(1_000, ms(1 + 100 * (60 - second)));
        }
        assert_eq!(frozen(&grows), None);
    }
}
