//! Times in which the generator itself did not run.

use std::time::Duration;

use iotrial_model::finding::{Evidence, Finding, FindingId, Severity};
use iotrial_model::record::Pause;
use iotrial_model::subject::Subject;

use super::observed::Observed;

/// From here on a pause, or all of them together as a share of what was measured, is in mean and percentiles.
const FELT: Duration = Duration::from_secs(1);
const FELT_SHARE: f64 = 0.01;

/// iotrial itself was stopped, frozen or throttled, or its whole machine stood still.
pub(super) fn paused(seen: &Observed<'_, '_>) -> Option<Finding> {
    let (from, to) = measured_phase(seen.subject)?;
    let within = |pause: &Pause| pause.within(from, to);
    let pauses: Vec<&Pause> = seen.subject.pauses.iter().filter(|pause| !within(pause).is_zero()).collect();
    let longest = pauses.iter().max_by_key(|pause| pause.duration)?;
    let total: Duration = pauses.iter().map(|pause| within(pause)).sum();
    let measured = to.saturating_sub(from);
    let is_felt = longest.duration >= FELT || total.as_secs_f64() >= FELT_SHARE * measured.as_secs_f64();
    let evidence = Evidence::Paused {
        count: pauses.len(),
        total_s: total.as_secs_f64(),
        longest_s: longest.duration.as_secs_f64(),
        longest_after_s: longest.start.as_secs_f64(),
    };
    Some(Finding::new(FindingId::Paused, if is_felt { Severity::Warning } else { Severity::Note }, evidence))
}

/// From the start of the load; `None` where it was not measured second by second.
fn measured_phase(subject: &Subject<'_>) -> Option<(Duration, Duration)> {
    let first = subject.measured_intervals().next()?;
    let last = subject.measured_intervals().last()?;
    Some((first.start, last.start + last.duration))
}

/// How long an I/O was under way without what iotrial itself stood still meanwhile. It came back between two times since
/// the start of the load.
pub(super) fn without_pauses(
    subject: &Subject<'_>,
    latency: Duration,
    from: Duration,
    to: Duration,
) -> Duration {
    let begun = from.saturating_sub(latency);
    let paused: Duration = subject.pauses.iter().map(|pause| pause.within(begun, to)).sum();
    latency.saturating_sub(paused)
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::RunRecord;

    use super::super::stall::stalled;
    use super::*;
    use crate::findings::found;
    use crate::test_record::healthy;

    fn paused_at(pauses: &[(u64, u64)]) -> RunRecord {
        let pause = |&(start_ms, ms)| Pause {
            start: Duration::from_millis(start_ms),
            duration: Duration::from_millis(ms),
        };
        RunRecord { pauses: pauses.iter().map(pause).collect(), ..healthy() }
    }

    fn slow_write(mut record: RunRecord, interval: usize, latency: Duration) -> RunRecord {
        record.intervals[interval].jobs[1].write.as_mut().unwrap().total_latency.record_n(latency, 1);
        record
    }

    #[test]
    fn a_run_that_was_never_stopped_has_no_pause() {
        assert_eq!(found(&healthy(), paused), None);
    }

    #[test]
    fn an_io_that_was_under_way_while_iotrial_was_stopped_is_no_stall_of_the_device() {
        // Stopped at 39 s for 2 s; the write comes back in the interval from 41 s to 42 s.
        let latency = Duration::from_millis(2_020);
        let record = slow_write(paused_at(&[(39_000, 2_000)]), 41, latency);
        assert_eq!(found(&record, stalled), None);
        let finding = found(&record, paused).unwrap();
        assert_eq!(finding.severity, Severity::Warning);
        let evidence = Evidence::Paused { count: 1, total_s: 2.0, longest_s: 2.0, longest_after_s: 39.0 };
        assert_eq!(finding.evidence, evidence);
        // The same latency without the pause, and at another time, is the device's.
        assert!(found(&slow_write(healthy(), 41, latency), stalled).is_some());
        assert!(found(&slow_write(paused_at(&[(39_000, 2_000)]), 80, latency), stalled).is_some());
    }

    #[test]
    fn a_device_that_stands_still_longer_than_iotrial_did_has_stalled() {
        let record = slow_write(paused_at(&[(39_000, 2_000)]), 43, Duration::from_secs(4));
        assert!(found(&record, stalled).is_some());
    }

    #[test]
    fn a_short_pause_of_a_long_run_is_a_note() {
        let finding = found(&paused_at(&[(50_000, 200), (60_000, 300)]), paused).unwrap();
        assert_eq!(finding.severity, Severity::Note);
        let facts = finding.evidence.facts();
        assert_eq!((facts["count"].as_u64(), facts["longest_after_s"].as_f64()), (Some(2), Some(60.0)));
    }

    #[test]
    fn a_pause_is_felt_from_a_second_on_or_with_others_from_a_hundredth_of_the_time_on() {
        let severity = |pauses: &[(u64, u64)]| found(&paused_at(pauses), paused).unwrap().severity;
        assert_eq!(
            (severity(&[(50_000, 1_000)]), severity(&[(50_000, 999)])),
            (Severity::Warning, Severity::Note)
        );
        // Of 300 s; one of them began after the load.
        let several = |last_ms: u64| {
            severity(&[(50_000, 900), (60_000, 900), (70_000, 900), (80_000, last_ms), (400_000, 900)])
        };
        assert_eq!((several(300), several(297)), (Severity::Warning, Severity::Note));
        let facts = found(&paused_at(&[(50_000, 900), (400_000, 950)]), paused).unwrap().evidence.facts();
        assert_eq!((facts["count"].as_u64(), facts["longest_s"].as_f64()), (Some(1), Some(0.9)));
    }
}
