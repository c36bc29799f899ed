//! I/Os that took so long that the device must have stood still.

use std::time::Duration;

use iotrial_model::finding::{Evidence, Finding, FindingId, Severity, StallSeen};
use iotrial_model::imported::StatedInterval;
use iotrial_model::load::Direction;
use iotrial_model::record::OpCounts;
use iotrial_model::subject::{Facts, Subject};

use super::observed::Observed;
use super::pause::without_pauses;

/// No device that works takes so long for one I/O; whatever waits for it sees an outage.
const STALL: Duration = Duration::from_secs(1);
/// From here on SQL Server reports the I/O as stuck (error 833), and others end the session.
const OUTAGE: Duration = Duration::from_secs(15);
/// A deep queue on a slow device has long latencies without any stall: they are all long then.
const TIMES_THE_MEAN: f64 = 10.0;

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
        return Standstill::of(seen.subject).map(Standstill::finding);
    };
    let is_outage = stall.end == StallEnd::Never || stall.latency >= OUTAGE;
    let evidence = Evidence::Stalled {
        job: stall.job.clone(),
        direction: stall.direction,
        longest_s: stall.latency.as_secs_f64(),
        ended_after_s: match stall.end {
            StallEnd::After(end_s) => Some(end_s),
            StallEnd::Sometime | StallEnd::Never => None,
        },
        unfinished_count: stall.unfinished_count,
        seen: if stall.end == StallEnd::Never { StallSeen::NotBack } else { StallSeen::Back },
    };
    Some(Finding::new(FindingId::Stalled, severity(is_outage), evidence))
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
        let evidence = Evidence::Stalled {
            job,
            direction,
            longest_s: length_s,
            ended_after_s: to_s,
            unfinished_count: 0,
            seen: StallSeen::NoneCompleted { from_s },
        };
        Finding::new(FindingId::Stalled, severity(is_outage), evidence)
    }
}

const fn severity(is_outage: bool) -> Severity {
    if is_outage { Severity::Serious } else { Severity::Warning }
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::findings::found;
    use crate::test_record::{healthy, measured};

    fn stalled(record: &RunRecord) -> Option<Finding> {
        found(record, super::stalled)
    }

    #[test]
    fn a_run_whose_longest_io_is_short_has_not_stalled() {
        assert_eq!(stalled(&healthy()), None);
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
        write.total_latency.record_n(Duration::from_secs(16), 1);
        assert_eq!(stalled(&record).unwrap().severity, Severity::Serious);
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
        assert!(matches!(found.evidence, Evidence::Stalled { seen: StallSeen::NotBack, .. }), "{found:?}");
    }
}
