//! A device that was fast for a while, and then throttled.

use iotrial_model::finding::{Evidence, Finding, FindingId, Severity};
use iotrial_model::plan::PhaseKind;
use iotrial_model::subject::Subject;

use super::observed::Observed;
use super::pace::{Pace, RATE_TOLERANCE_PERCENT, is_flat, is_pressed, median};

/// The burst is so many times what follows: less may be a cache that filled, or chance.
const LEAST_BURST_RATIO: f64 = 1.25;
/// What follows has to last so many intervals: as many as a steady state has rounds, and more than a garbage collection or a
/// flush of a cache takes.
const LEAST_PLATEAU: usize = 5;

/// Where a load changed from a burst to a lower plateau.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Throttle {
    /// Whether it shows in the IOPS; otherwise in the bandwidth.
    by_iops: bool,
    /// I/Os, or MiB, per second until then.
    burst: f64,
    /// The same from then on.
    plateau: f64,
    /// Seconds from the start of the load.
    pub(super) after_s: f64,
}

impl Throttle {
    /// The change, where there is one, by IOPS or else by bandwidth.
    pub(super) fn of(subject: &Subject<'_>, paces: &[Pace]) -> Option<Self> {
        let by_iops = Self::by(subject, paces, |pace| pace.iops);
        let by_bandwidth = || Self::by(subject, paces, |pace| pace.mib_per_s);
        by_iops.or_else(|| Some(Self { by_iops: false, ..by_bandwidth()? }))
    }

    /// The level is the median of the last third; the plateau begins with the first of three intervals on end that lie
    /// on it, and has to be flat. Every interval before it has to lie above it, except the one in which the change fell.
    fn by(subject: &Subject<'_>, paces: &[Pace], rate: fn(&Pace) -> f64) -> Option<Self> {
        // The last third, so that a burst may take up to two thirds of what was measured, and a dip at the end does not pass
        // for a plateau.
        let tail = (paces.len() / 3).max(LEAST_PLATEAU);
        let level = median(paces.get(paces.len().checked_sub(tail)?..)?.iter().map(rate));
        let is_on_level = |pace: &Pace| (rate(pace) / level - 1.0).abs() <= RATE_TOLERANCE_PERCENT / 100.0;
        let begin = paces.windows(3).position(|three| three.iter().all(is_on_level))?;
        let (before, plateau) = paces.split_at(begin);
        if plateau.len() < LEAST_PLATEAU
            || !is_flat(plateau.iter().map(rate), level, RATE_TOLERANCE_PERCENT)
            || !is_pressed(subject, plateau)
        {
            return None;
        }
        let (change, burst) = match before {
            [] => return None,
            [only] => (None, std::slice::from_ref(only)),
            [burst @ .., change] => (Some(change), burst),
        };
        let is_above = |pace: &Pace| rate(pace) > (1.0 + RATE_TOLERANCE_PERCENT / 100.0) * level;
        let burst_level = median(burst.iter().map(rate));
        if burst_level < LEAST_BURST_RATIO * level || !burst.iter().all(is_above) {
            return None;
        }
        // What becomes slower little by little had nothing to use up.
        if is_on_a_line(paces, plateau, rate) {
            return None;
        }
        // Within the interval of the change the burst lasted as long as its count says: r = f b + (1 - f) p.
        let after_s = match change {
            Some(change) => {
                let share = ((rate(change) - level) / (burst_level - level)).clamp(0.0, 1.0);
                change.start_s + share * change.duration_s
            }
            None => plateau[0].start_s,
        };
        Some(Self { by_iops: true, burst: burst_level, plateau: level, after_s })
    }
}

/// Whether the plateau is a part of a straight line through all intervals, which leaves less of its rates unexplained (least squares) than its mean.
fn is_on_a_line(paces: &[Pace], plateau: &[Pace], rate: fn(&Pace) -> f64) -> bool {
    let mean = |paces: &[Pace], of: fn(&Pace) -> f64| paces.iter().map(of).sum::<f64>() / paces.len() as f64;
    let (mean_s, mean_rate, level) =
        (mean(paces, |pace| pace.start_s), mean(paces, rate), mean(plateau, rate));
    let along = |of: &dyn Fn(&Pace) -> f64| -> f64 {
        paces.iter().map(|pace| (pace.start_s - mean_s) * of(pace)).sum()
    };
    let slope = along(&|pace| rate(pace)) / along(&|pace| pace.start_s - mean_s);
    let squares = |about: &dyn Fn(&Pace) -> f64| -> f64 {
        plateau.iter().map(|pace| (rate(pace) - about(pace)).powi(2)).sum()
    };
    squares(&|pace| mean_rate + slope * (pace.start_s - mean_s)) < squares(&|_| level)
}

/// The device was faster at first, and then held at a lower, flat rate.
pub(super) fn throttled_after_burst(seen: &Observed<'_, '_>) -> Option<Finding> {
    let throttle = seen.throttle?;
    let first = seen.paces.iter().find(|pace| pace.phase == PhaseKind::Measure);
    let measured_from_s = first.map_or(f64::MAX, |pace| pace.start_s);
    let was_measured = throttle.after_s > measured_from_s;
    let Throttle { by_iops, burst, plateau, after_s } = throttle;
    let unit = if by_iops { "IOPS" } else { "MiB/s" };
    let evidence = Evidence::ThrottledAfterBurst { after_s, burst, plateau, unit, measured_from_s };
    let severity = if was_measured { Severity::Warning } else { Severity::Note };
    Some(Finding::new(FindingId::ThrottledAfterBurst, severity, evidence))
}

#[cfg(test)]
mod tests {
    use iotrial_model::record::RunRecord;

    use super::*;
    use crate::test_record::{healthy, measured};

    fn throttled_after_burst(record: &RunRecord) -> Option<Finding> {
        crate::findings::found(record, super::throttled_after_burst)
    }

    fn found(iops: impl Fn(u64) -> u64) -> Option<Finding> {
        throttled_after_burst(&measured(60, iops))
    }

    #[test]
    fn the_moment_of_the_change_is_found_between_the_intervals() {
        // 20 s at 16,000, then 3,000; in the 21st second a quarter of the time was still fast.
        let found = found(|second| match second {
            0..20 => 16_000,
            20 => 6_250,
            _ => 3_000,
        })
        .unwrap();
        let Evidence::ThrottledAfterBurst { after_s, burst, plateau, unit: "IOPS", .. } = found.evidence
        else {
            panic!("{found:?}")
        };
        assert!((after_s - 20.25).abs() < 0.01, "{after_s}");
        // 1/8 of them in commits besides.
        assert_eq!((burst, plateau), (18_000.0, 3_375.0));
        assert_eq!(found.severity, Severity::Warning);
    }

    #[test]
    fn a_burst_in_the_ramp_is_told_and_does_not_touch_the_figures() {
        let mut record = measured(60, |second| if second < 5 { 16_000 } else { 3_000 });
        for interval in &mut record.intervals[..10] {
            interval.phase = PhaseKind::Ramp;
        }
        assert_eq!(throttled_after_burst(&record).unwrap().severity, Severity::Note);
    }

    #[test]
    fn neither_a_steady_load_nor_one_that_wanders_nor_a_slow_start_was_throttled() {
        assert_eq!(throttled_after_burst(&healthy()), None);
        assert_eq!(found(|second| 10_000 + 4_000 * (second % 2)), None);
        assert_eq!(found(|second| 20_000 - 200 * second), None);
        assert_eq!(found(|second| if second < 5 { 1_000 } else { 3_000 }), None);
        // One slow second, and a fast one in the middle.
        assert_eq!(found(|second| if second == 30 { 500 } else { 3_000 }), None);
        assert_eq!(found(|second| if second == 30 { 9_000 } else { 3_000 }), None);
        assert_eq!(throttled_after_burst(&measured(3, |_| 1_000)), None);
        assert_eq!(found(|_| 0), None);
    }

    #[test]
    fn a_drift_is_no_burst_and_an_uneven_step_is_one() {
        // Services that grow by so many tenths of a percent of the first in each second.
        let drift = |tenths: u64| move |second: u64| 20_000_000 / (1_000 + tenths * second);
        for tenths in [8, 10, 12, 15, 20] {
            assert_eq!(found(drift(tenths)), None, "{tenths}");
        }
        for change in [3, 11, 30, 39] {
            let uneven = move |second: u64| {
                let level = if second < change { 4_600 } else { 3_200 };
                level + (second * 7_919) % 331
            };
            assert!(found(uneven).is_some(), "{change}");
        }
    }

    #[test]
    fn a_burst_is_a_quarter_more_than_a_plateau_that_lasts_and_is_flat() {
        let is_found = |iops: &dyn Fn(u64) -> u64| found(iops).is_some();
        let burst = |rate: u64| move |second: u64| if second < 20 { rate } else { 3_200 };
        assert!(is_found(&burst(4_000)) && !is_found(&burst(3_984)));
        // Every interval of it lies above the plateau and its tolerance of 12 %.
        let dipped = |rate: u64| {
            move |second: u64| match second {
                7 => rate,
                0..20 => 6_400,
                _ => 3_200,
            }
        };
        assert!(is_found(&dipped(3_608)) && !is_found(&dipped(3_560)));
        // One interval of twenty may lie off the plateau.
        let uneven = |off: u64| {
            move |second: u64| match second {
                0..20 => 16_000,
                30..40 => 3_200 + (second % 2) * off,
                _ => 3_200,
            }
        };
        assert!(is_found(&uneven(376)) && !is_found(&uneven(400)));
        // Five seconds at least, and no burst that is over before the first of them.
        let lasting = |seconds: u64, plateau: u64| {
            throttled_after_burst(&measured(
                seconds,
                |second| if second + plateau < seconds { 16_000 } else { 3_200 },
            ))
        };
        assert!(lasting(10, 5).is_some() && lasting(10, 4).is_none());
        assert!(lasting(60, 59).is_some() && lasting(60, 60).is_none());
    }

    #[test]
    fn a_burst_in_bytes_alone_is_told_in_bytes() {
        let mut record = measured(60, |_| 3_200);
        for interval in &mut record.intervals[..20] {
            interval.jobs[0].read.as_mut().unwrap().bytes *= 16;
        }
        let found = throttled_after_burst(&record).unwrap();
        let Evidence::ThrottledAfterBurst { after_s, burst, plateau, unit: "MiB/s", measured_from_s } =
            found.evidence
        else {
            panic!("{found:?}")
        };
        assert!(burst > 5.0 * plateau, "{burst} {plateau}");
        // The last second of the burst is taken for the one in which it ended.
        assert_eq!((after_s, measured_from_s, found.severity), (20.0, 0.0, Severity::Warning));
    }

    #[test]
    fn a_change_in_a_long_interval_falls_where_its_count_says() {
        let mut record = measured(20, |second| match second {
            0..5 => 16_000,
            5 => 6_400,
            _ => 3_200,
        });
        for interval in &mut record.intervals {
            (interval.start, interval.duration) = (interval.start * 2, interval.duration * 2);
            for counts in interval.jobs.iter_mut().flat_map(|job| job.read.iter_mut().chain(&mut job.write)) {
                let twice = counts.clone();
                counts.merge(&twice);
            }
        }
        record.plan.interval *= 2;
        let found = throttled_after_burst(&record).unwrap();
        let Evidence::ThrottledAfterBurst { after_s, .. } = found.evidence else { panic!("{found:?}") };
        // A quarter of the two seconds from the tenth on.
        assert!((after_s - 10.5).abs() < 0.01, "{after_s}");
    }

    #[test]
    fn checkpoints_that_pause_by_plan_are_no_throttling() {
        use iotrial_model::load::{Bursts, Spacing};
        use iotrial_model::plan::Arrival;
        let mut record = measured(60, |_| 16_000);
        // The page writes come in a burst of 20 s and then pause; the log goes on at its rate.
        for interval in &mut record.intervals[20..] {
            interval.jobs[0].read = None;
            interval.jobs[0].write = None;
        }
        record.plan.jobs[0].iodepth = 1;
        assert!(throttled_after_burst(&record).is_some());
        let second = std::time::Duration::from_secs;
        let bursts = Some(Bursts { period: second(60), spread: second(20) });
        record.plan.jobs[0].arrival = Arrival::Open { iops: 5_000.0, spacing: Spacing::Poisson, bursts };
        assert_eq!(throttled_after_burst(&record), None);
    }
}
