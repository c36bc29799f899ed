//! I/Os that took so long that the device must have stood still.

use std::time::Duration;

use iotrial_model::load::Direction;
use iotrial_model::record::{Finding, RunRecord, Severity};
use serde_json::json;

use super::finding;

/// No device that works takes so long for one I/O; whatever waits for it sees an outage.
const STALL: Duration = Duration::from_secs(1);
/// From here on SQL Server reports the I/O as stuck (error 833), and others end the session.
const OUTAGE: Duration = Duration::from_secs(15);
/// A deep queue on a slow device has long latencies without any stall: they are all long then.
const TIMES_THE_MEAN: f64 = 10.0;

/// The longest I/O of one stream.
struct Longest<'r> {
    job: &'r str,
    direction: Direction,
    latency: Duration,
    /// The interval in which it ended; `None` when it was not back at the end of the load.
    ended_in_s: Option<f64>,
}

/// I/Os stood still for a second or more. In a closed load a stall is one slow I/O for each outstanding one, so that
/// no percentile shows it.
pub(super) fn stalled(record: &RunRecord) -> Option<Finding> {
    let longest = longest_stall(record)?;
    let Longest { job, direction, latency, ended_in_s } = longest;
    let seconds = latency.as_secs_f64();
    let severity =
        if ended_in_s.is_none() || latency >= OUTAGE { Severity::Serious } else { Severity::Warning };
    let message = match ended_in_s {
        Some(end_s) => format!(
            "a {direction} of `{job}` took {seconds:.1} s and came back {end_s:.0} s after the start of the load: the device, or the way to it, stood still"
        ),
        None => format!(
            "a {direction} of `{job}` was not back when the load ended, {seconds:.1} s after it was issued: the device, or the way to it, stands still"
        ),
    };
    let evidence = [
        ("job", json!(job)),
        ("direction", json!(direction)),
        ("longest_s", json!(seconds)),
        ("ended_after_s", json!(ended_in_s)),
        ("unfinished_count", json!(unfinished_count(record))),
    ];
    Some(finding("stalled", severity, message, evidence))
}

/// The longest I/O of the measured phase, if it is out of all proportion.
fn longest_stall(record: &RunRecord) -> Option<Longest<'_>> {
    let mut longest: Option<Longest<'_>> = None;
    for (index, job) in record.plan.jobs.iter().enumerate() {
        for direction in Direction::ALL {
            let mean_s = record.jobs[index].get(direction).and_then(|counts| counts.total_latency.mean_us());
            let mean_s = mean_s.unwrap_or_default() / 1e6;
            for interval in record.measured_intervals() {
                let Some(counts) = interval.jobs[index].get(direction) else { continue };
                let end_s = (interval.start + interval.duration).as_secs_f64();
                let unfinished = Duration::from_nanos(counts.unfinished_oldest_ns);
                let finished = counts.total_latency.max().unwrap_or_default();
                for (latency, ended_in_s) in [(finished, Some(end_s)), (unfinished, None)] {
                    let is_stall = latency >= STALL && latency.as_secs_f64() >= TIMES_THE_MEAN * mean_s;
                    if is_stall && longest.as_ref().is_none_or(|one| latency > one.latency) {
                        longest = Some(Longest { job: &job.name, direction, latency, ended_in_s });
                    }
                }
            }
        }
    }
    longest
}

fn unfinished_count(record: &RunRecord) -> u64 {
    let last = record.measured_intervals().last();
    let jobs = last.into_iter().flat_map(|interval| &interval.jobs);
    jobs.flat_map(|job| job.read.iter().chain(&job.write)).map(|counts| counts.unfinished_count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_record::{healthy, measured};

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
            (found.severity, found.evidence["unfinished_count"].as_u64()),
            (Severity::Serious, Some(8))
        );
        assert!(found.message.contains("was not back when the load ended, 6.0 s after"), "{}", found.message);
    }
}
