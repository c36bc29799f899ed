//! I/Os that took so long that the device must have stood still.

use std::time::Duration;

use iotrial_model::finding::{Evidence, Finding, FindingId, Severity};
use iotrial_model::load::Direction;
use iotrial_model::record::OpCounts;
use iotrial_model::subject::Subject;

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
    let stall = seen.stall.as_ref()?;
    let is_outage = stall.end == StallEnd::Never || stall.latency >= OUTAGE;
    Some(Finding {
        id: FindingId::Stalled,
        severity: if is_outage { Severity::Serious } else { Severity::Warning },
        message: stalled_words(stall),
        evidence: Evidence::Stalled {
            job: stall.job.clone(),
            direction: stall.direction,
            longest_s: stall.latency.as_secs_f64(),
            ended_after_s: match stall.end {
                StallEnd::After(end_s) => Some(end_s),
                StallEnd::Sometime | StallEnd::Never => None,
            },
            unfinished_count: stall.unfinished_count,
        },
    })
}

fn stalled_words(stall: &Stall) -> String {
    let Stall { job, direction, latency, end, .. } = stall;
    let seconds = latency.as_secs_f64();
    match end {
        StallEnd::After(end_s) => format!(
            "a {direction} of `{job}` took {seconds:.1} s and came back {end_s:.0} s after the start of the load: the device, or the way to it, stood still"
        ),
        StallEnd::Sometime => {
            format!("a {direction} of `{job}` took {seconds:.1} s: the device, or the way to it, stood still")
        }
        StallEnd::Never => format!(
            "a {direction} of `{job}` was not back when the load ended, {seconds:.1} s after it was issued: the device, or the way to it, stands still"
        ),
    }
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
        assert_eq!(
            found.message,
            "a write of `journal` took 6.0 s and came back 42 s after the start of the load: the device, or the way to it, stood still"
        );
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
        assert!(found.message.contains("was not back when the load ended, 6.0 s after"), "{}", found.message);
    }
}
