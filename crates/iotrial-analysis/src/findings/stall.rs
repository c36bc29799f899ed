//! I/Os that took so long that the device must have stood still.

use std::time::Duration;

use iotrial_model::finding::{Evidence, Finding, FindingId, Severity, StallSeen, Stalled};
use iotrial_model::imported::StatedInterval;
use iotrial_model::load::Direction;
use iotrial_model::record::OpCounts;
use iotrial_model::subject::{Facts, Subject};

use super::freeze::FrozenDevice;
use super::observed::Observed;
use super::pause::without_pauses;

/// No device that works takes so long for one I/O; whatever waits for it sees an outage.
const STALL: Duration = Duration::from_secs(1);
/// From here on SQL Server reports the I/O as stuck (error 833), and others end the session.
const OUTAGE: Duration = Duration::from_secs(15);
/// A deep queue on a slow device has long latencies without any stall: they are all long then.
const TIMES_THE_MEAN: f64 = 10.0;
/// Short freezes are told from here on: p99 of whoever asks at times of their own is theirs then.
const FROZEN_PERCENT: f64 = 1.0;

/// The longest I/O of the measured phase that is out of all proportion.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stall {
    job: String,
    direction: Direction,
    latency: Duration,
    end: StallEnd,
    /// I/Os that were not back at the end of the load.
    unfinished_count: u64,
}

/// When an I/O that stood still came back.
#[derive(Debug, Clone, Copy, PartialEq)]
enum StallEnd {
    /// So many seconds after the start of the load, to an interval.
    After(f64),
    /// At some time: of a probe only the totals are kept.
    Sometime,
    /// Not before the load ended.
    Never,
}

impl Stall {
    pub(super) fn of(subject: &Subject<'_>) -> Option<Self> {
        let mut longest: Option<Self> = None;
        for (index, job) in subject.jobs.iter().enumerate() {
            for direction in Direction::ALL {
                let Some(total) = job.counts(direction) else { continue };
                let mean_s = total.total_latency.mean_us().unwrap_or_default() / 1e6;
                // Between two times since the start of the load, where those are known.
                let mut look_at = |counts: &OpCounts, end: StallEnd, within: Option<(Duration, Duration)>| {
                    let of_device = |latency: Duration| match within {
                        Some((from, to)) => without_pauses(subject, latency, from, to),
                        None => latency,
                    };
                    let unfinished = of_device(Duration::from_nanos(counts.unfinished_oldest_ns));
                    let finished = of_device(counts.total_latency.max().unwrap_or_default());
                    for (latency, end) in [(finished, end), (unfinished, StallEnd::Never)] {
                        let is_stall = latency >= STALL && latency.as_secs_f64() >= TIMES_THE_MEAN * mean_s;
                        if is_stall && longest.as_ref().is_none_or(|one| latency > one.latency) {
                            let job = job.name.to_string();
                            longest = Some(Self { job, direction, latency, end, unfinished_count: 0 });
                        }
                    }
                };
                if subject.intervals.counted().is_empty() {
                    look_at(total, StallEnd::Sometime, None);
                }
                for interval in subject.measured_intervals() {
                    let Some(counts) = interval.jobs.get(index).and_then(|job| job.get(direction)) else {
                        continue;
                    };
                    let (from, to) = (interval.start, interval.start + interval.duration);
                    look_at(counts, StallEnd::After(to.as_secs_f64()), Some((from, to)));
                }
            }
        }
        Some(Self { unfinished_count: unfinished_count(subject), ..longest? })
    }
}

/// What was under way at the end of the load, which only its last interval still has.
fn unfinished_count(subject: &Subject<'_>) -> u64 {
    if let Some(last) = subject.measured_intervals().last() {
        let counts = last.jobs.iter().flat_map(|job| job.read.iter().chain(&job.write));
        return counts.map(|counts| counts.unfinished_count).sum();
    }
    let jobs = subject.jobs.iter();
    let counts = jobs.flat_map(|job| Direction::ALL.into_iter().filter_map(|one| job.counts(one)));
    counts.map(|counts| counts.unfinished_count).sum()
}

/// I/Os stood still for a second or more. In a closed load a stall is one slow I/O for each outstanding one, so that
/// no percentile shows it.
pub(super) fn stalled(seen: &Observed<'_, '_>) -> Option<Finding> {
    let Some(stall) = seen.stall.as_ref() else {
        let frozen = seen.frozen.as_ref().filter(|frozen| frozen.all.frozen_percent >= FROZEN_PERCENT);
        return frozen.map(frozen_device).or_else(|| Standstill::of(seen.subject).map(Standstill::finding));
    };
    let is_outage = stall.end == StallEnd::Never || stall.latency >= OUTAGE;
    let evidence = Evidence::Stalled(Stalled {
        job: stall.job.clone(),
        direction: stall.direction,
        longest_s: stall.latency.as_secs_f64(),
        ended_after_s: match stall.end {
            StallEnd::After(end_s) => Some(end_s),
            StallEnd::Sometime | StallEnd::Never => None,
        },
        unfinished_count: stall.unfinished_count,
        seen: if stall.end == StallEnd::Never { StallSeen::NotBack } else { StallSeen::Back },
        freezes: seen.frozen.as_ref().map(|frozen| frozen.all),
    });
    Some(Finding::new(FindingId::Stalled, severity(is_outage), evidence))
}

/// Freezes of which each is short, and all of them a part of the time.
fn frozen_device(frozen: &FrozenDevice) -> Finding {
    let evidence = Evidence::Stalled(Stalled {
        job: frozen.job.clone(),
        direction: frozen.direction,
        longest_s: frozen.longest_s,
        ended_after_s: Some(frozen.ended_after_s),
        unfinished_count: 0,
        seen: StallSeen::Frozen,
        freezes: Some(frozen.all),
    });
    Finding::new(FindingId::Stalled, Severity::Warning, evidence)
}

/// A stretch of time in which nothing of a job completed, as the course shows that a tool logged. What has no histogram by second
/// tells no single I/O, but a load that keeps its I/Os outstanding completes some of them all the time.
#[derive(Debug, Clone, PartialEq)]
struct Standstill {
    job: String,
    direction: Direction,
    from_s: f64,
    /// Where it ended before the load did.
    to_s: Option<f64>,
    length_s: f64,
}

/// Stretches of a log without a line, more than chance and a last stretch that was not written account for.
const EMPTY_STRETCHES: f64 = 4.0;
/// A log that holds fewer of the I/Os that were counted was cut off, and says nothing of what came after it.
const LOGGED_SHARE: f64 = 0.9;

impl Standstill {
    /// The longest of any job.
    fn of(subject: &Subject<'_>) -> Option<Self> {
        let all = subject.jobs.iter().enumerate().filter_map(|(index, job)| {
            // A rate or pauses leave gaps on purpose.
            if job.load.is_held_back() {
                return None;
            }
            let mine = || subject.intervals.stated().iter().filter(|one| one.job == Some(index));
            let rates = |one: &StatedInterval| {
                let streams = [&one.ops.read, &one.ops.write, &one.ops.all];
                streams
                    .into_iter()
                    .flatten()
                    .filter_map(|stream| stream.iops)
                    .map(|iops| iops.value)
                    .sum::<f64>()
            };
            let counted: u64 = job.ops.both().filter_map(Facts::io_count).sum();
            let logged: f64 = mine().map(|one| rates(one) * one.duration_s).sum();
            if counted == 0 || logged < LOGGED_SHARE * counted as f64 {
                return None;
            }
            let mut busy: Vec<(f64, f64)> = mine()
                .filter(|one| rates(one) > 0.0)
                .map(|one| (one.start_s, one.start_s + one.duration_s))
                .collect();
            busy.sort_by(|a, b| a.0.total_cmp(&b.0));
            let runtime_s = job.ops.both().filter_map(Facts::stated).filter_map(|stream| stream.runtime_s);
            let runtime_s = runtime_s.map(|runtime| runtime.value).fold(0.0, f64::max);
            let (_, end_s) = *busy.last()?;
            let gaps = busy.windows(2).map(|pair| (pair[0].1, pair[1].0, Some(pair[1].0)));
            let longest =
                gaps.chain([(end_s, runtime_s, None)]).max_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
            let (from_s, until_s, to_s) = longest?;
            let window_s = mine().map(|one| one.duration_s).fold(0.0, f64::max);
            let mean_s = job.ops.both().filter_map(Facts::latency_mean_us).fold(0.0, f64::max) / 1e6;
            let length_s = until_s - from_s;
            let least_s = STALL.as_secs_f64().max(EMPTY_STRETCHES * window_s).max(TIMES_THE_MEAN * mean_s);
            let direction = if job.ops.read.is_some() { Direction::Read } else { Direction::Write };
            (length_s >= least_s).then(|| Self {
                job: job.name.to_string(),
                direction,
                from_s,
                to_s,
                length_s,
            })
        });
        all.max_by(|a, b| a.length_s.total_cmp(&b.length_s))
    }

    fn finding(self) -> Finding {
        let Self { job, direction, from_s, to_s, length_s } = self;
        let is_outage = length_s >= OUTAGE.as_secs_f64();
        let evidence = Evidence::Stalled(Stalled {
            job,
            direction,
            longest_s: length_s,
            ended_after_s: to_s,
            unfinished_count: 0,
            seen: StallSeen::NoneCompleted { from_s },
            freezes: None,
        });
        Finding::new(FindingId::Stalled, severity(is_outage), evidence)
    }
}

const fn severity(is_outage: bool) -> Severity {
    if is_outage { Severity::Serious } else { Severity::Warning }
}

#[cfg(test)]
mod tests {
    use iotrial_model::imported::{
        ImportedJob, ImportedRecord, Stated, StatedLatency, StatedOps, StatedStream,
    };
    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::findings::found;
    use crate::test_record::{healthy, imported, measured};

    fn stalled(record: &RunRecord) -> Option<Finding> {
        found(record, super::stalled)
    }

    #[test]
    fn a_run_whose_longest_io_is_short_has_not_stalled() {
        assert_eq!(stalled(&healthy()), None);
        let longest = |us: u64, reads_us: u64| {
            let mut record = healthy();
            record.jobs[0].read =
                Some(crate::test_record::counts(1_000_000, Duration::from_micros(reads_us)));
            let read = record.intervals[41].jobs[0].read.as_mut().unwrap();
            read.total_latency.record_n(Duration::from_micros(us), 1);
            stalled(&record).is_some()
        };
        // A second, and ten times the mean; a bucket is a hundredth wide.
        assert!(longest(1_000_000, 500) && !longest(985_000, 500));
        assert!(longest(2_040_000, 200_000) && !longest(1_960_000, 200_000));
        // Two a second at a depth of eight: every I/O takes four seconds, and nothing stands still.
        assert_eq!(stalled(&measured(60, |_| 2)), None);
    }

    #[test]
    fn a_freeze_that_no_percentile_shows_is_told_with_its_length_and_time() {
        let mut record = healthy();
        let write = record.intervals[41].jobs[1].write.as_mut().unwrap();
        write.total_latency.record_n(Duration::from_millis(6_020), 1);
        let found = stalled(&record).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        let facts = found.evidence.facts();
        assert_eq!((facts["job"].as_str(), facts["ended_after_s"].as_f64()), (Some("journal"), Some(42.0)));
        assert!((facts["longest_s"].as_f64().unwrap() - 6.02).abs() < 0.01, "{facts:?}");
        let write = record.intervals[41].jobs[1].write.as_mut().unwrap();
        write.total_latency.record_n(Duration::from_millis(15_300), 1);
        assert_eq!(stalled(&record).unwrap().severity, Severity::Serious);
        // The longest one is told, whichever comes first.
        for (interval, ms) in [(20, 2_000), (60, 3_000)] {
            let read = record.intervals[interval].jobs[0].read.as_mut().unwrap();
            read.total_latency.record_n(Duration::from_millis(ms), 1);
        }
        let facts = stalled(&record).unwrap().evidence.facts();
        assert_eq!((facts["job"].as_str(), facts["ended_after_s"].as_f64()), (Some("journal"), Some(42.0)));
        assert_eq!(facts["unfinished_count"].as_u64(), Some(0));
        record.intervals[41].jobs[1].write = record.intervals[40].jobs[1].write.clone();
        let facts = stalled(&record).unwrap().evidence.facts();
        assert_eq!((facts["job"].as_str(), facts["ended_after_s"].as_f64()), (Some("pages"), Some(61.0)));
    }

    /// What a tool logged of a job with 100 I/Os a second: whether anything completed in each stretch of half a second.
    fn logged(busy: impl Fn(u32) -> bool) -> ImportedRecord {
        let mut record = imported();
        let of = |iops: f64| StatedStream { iops: Some(Stated::exact(iops)), ..StatedStream::default() };
        let lines = (0..240).filter(|line| busy(*line));
        let interval = |line: u32| StatedInterval {
            start_s: 0.5 * f64::from(line),
            duration_s: 0.5,
            job: Some(0),
            ops: StatedOps { write: Some(of(100.0)), ..StatedOps::default() },
        };
        record.intervals = lines.map(interval).collect();
        let write = StatedStream {
            runtime_s: Some(Stated::exact(120.0)),
            io_count: Some(50 * record.intervals.len() as u64),
            total_latency: StatedLatency {
                mean_us: Some(Stated::exact(1_000.0)),
                ..StatedLatency::default()
            },
            ..of(100.0)
        };
        let ops = StatedOps { write: Some(write), ..StatedOps::default() };
        record.jobs.push(ImportedJob { name: "w".to_owned(), ops, ..ImportedJob::default() });
        record
    }

    /// From when it stood still, for how long, to when, and how much that weighs.
    fn standstill(record: &ImportedRecord) -> Option<(f64, f64, Option<f64>, Severity)> {
        let subject = Subject::of_imported(record);
        let found = super::stalled(&Observed::of(&subject))?;
        let Evidence::Stalled(Stalled {
            job,
            direction,
            longest_s,
            ended_after_s,
            unfinished_count,
            seen,
            ..
        }) = found.evidence
        else {
            panic!("{found:?}")
        };
        assert_eq!((job.as_str(), direction, unfinished_count), ("w", Direction::Write, 0));
        let StallSeen::NoneCompleted { from_s } = seen else { panic!("{seen:?}") };
        Some((from_s, longest_s, ended_after_s, found.severity))
    }

    #[test]
    fn a_stretch_of_a_log_without_ios_is_a_standstill_from_four_lines_on() {
        assert_eq!(standstill(&logged(|_| true)), None);
        let gap = |lines: u32| standstill(&logged(|line| !(100..100 + lines).contains(&line)));
        assert_eq!(gap(3), None);
        assert_eq!(gap(4), Some((50.0, 2.0, Some(52.0), Severity::Warning)));
        assert_eq!(gap(29).unwrap().3, Severity::Warning);
        assert_eq!(gap(30), Some((50.0, 15.0, Some(65.0), Severity::Serious)));
        // The longest of several, whatever the order of the lines, and one that lasts to the end.
        let mut several = logged(|line| !(20..25).contains(&line) && !(60..68).contains(&line));
        several.intervals.reverse();
        assert_eq!(standstill(&several), Some((30.0, 4.0, Some(34.0), Severity::Warning)));
        let at_end = standstill(&logged(|line| line < 230));
        assert_eq!(at_end, Some((115.0, 5.0, None, Severity::Warning)));
        // A line that says that nothing completed is no I/O.
        let mut zero = logged(|_| true);
        for line in &mut zero.intervals[100..110] {
            line.ops.write.as_mut().unwrap().iops = Some(Stated::exact(0.0));
        }
        zero.jobs[0].ops.write.as_mut().unwrap().io_count = Some(11_500);
        assert_eq!(standstill(&zero), Some((50.0, 5.0, Some(55.0), Severity::Warning)));
    }

    #[test]
    fn a_log_tells_of_a_standstill_only_where_it_is_whole_and_the_load_has_no_gaps_of_its_own() {
        let gap = || logged(|line| !(100..110).contains(&line));
        let with = |change: &dyn Fn(&mut ImportedRecord)| {
            let mut record = gap();
            change(&mut record);
            standstill(&record).is_some()
        };
        assert!(with(&|_| ()));
        let counted = |count: u64| {
            move |record: &mut ImportedRecord| {
                record.jobs[0].ops.write.as_mut().unwrap().io_count = Some(count);
            }
        };
        // 11,500 I/Os are in its lines.
        assert!(with(&counted(12_777)) && !with(&counted(12_779)) && !with(&counted(0)));
        assert!(!with(&|record| record.jobs[0].load.paced = true));
        assert!(!with(&|record| record.intervals.iter_mut().for_each(|line| line.job = None)));
        let mean = |mean_us: f64| {
            move |record: &mut ImportedRecord| {
                let write = record.jobs[0].ops.write.as_mut().unwrap();
                write.total_latency.mean_us = Some(Stated::exact(mean_us));
            }
        };
        // Five seconds, against ten times the mean.
        assert!(with(&mean(500_000.0)) && !with(&mean(501_000.0)));
        // Short stretches: a second at least.
        let short = |lines: usize| {
            let mut record = logged(|_| true);
            for line in &mut record.intervals {
                (line.start_s, line.duration_s) = (line.start_s / 5.0, 0.1);
            }
            record.intervals.drain(100..100 + lines);
            let write = record.jobs[0].ops.write.as_mut().unwrap();
            (write.runtime_s, write.io_count) = (Some(Stated::exact(24.0)), Some(2_300));
            standstill(&record).is_some()
        };
        assert!(short(11) && !short(9));
    }

    #[test]
    fn of_a_probe_only_the_totals_tell_of_a_stall() {
        let mut record = healthy();
        record.jobs[1].write.as_mut().unwrap().total_latency.record_n(Duration::from_secs(6), 1);
        // Its intervals do not have it.
        assert_eq!(stalled(&record), None);
        let subject =
            Subject { intervals: iotrial_model::subject::Course::default(), ..Subject::of_run(&record) };
        let found = super::stalled(&Observed::of(&subject)).unwrap();
        let Evidence::Stalled(Stalled {
            ended_after_s: None,
            unfinished_count: 0,
            seen: StallSeen::Back,
            ..
        }) = found.evidence
        else {
            panic!("{found:?}")
        };
    }

    #[test]
    fn fourteen_seconds_are_no_outage() {
        let mut record = healthy();
        let write = record.intervals[41].jobs[1].write.as_mut().unwrap();
        write.total_latency.record_n(Duration::from_millis(14_800), 1);
        assert_eq!(stalled(&record).unwrap().severity, Severity::Warning);
    }

    #[test]
    fn a_device_that_hangs_when_the_load_ends_is_serious() {
        let mut record = healthy();
        let read = record.intervals[299].jobs[0].read.as_mut().unwrap();
        (read.unfinished_count, read.unfinished_oldest_ns) = (8, 6_000_000_000);
        let found = stalled(&record).unwrap();
        assert_eq!(
            (found.severity, found.evidence.facts()["unfinished_count"].as_u64()),
            (Severity::Serious, Some(8))
        );
        assert!(
            matches!(found.evidence, Evidence::Stalled(Stalled { seen: StallSeen::NotBack, .. })),
            "{found:?}"
        );
    }
}
