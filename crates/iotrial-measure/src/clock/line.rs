//! A free-running counter that is made to show the time of another clock.

/// A line is used for so long before it is laid anew, in ns.
pub(super) const PERIOD_NS: u64 = 100_000_000;

/// The time as a line over the ticks of a counter, up to the end of its period.
///
/// Between two readings of the operating system's clock the counter alone tells the time. At the end of a
/// period the line is laid anew through that clock, with the slope that brings it there again after the next
/// one, so that it follows whatever the operating system does to the speed of its clock. It never goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    from_ticks: u64,
    from_ns: u64,
    /// Nanoseconds for 2^32 ticks.
    slope: u64,
    period_ticks: u64,
    /// What the operating system's clock showed where the line begins.
    true_ns: u64,
}

impl Line {
    /// The line through two readings of counter and clock, (ticks, ns), that begins at the second. `None`
    /// where one of them stood still or went back.
    pub(super) fn through(first: (u64, u64), second: (u64, u64)) -> Option<Self> {
        let (from_ticks, from_ns) = second;
        let ticks = from_ticks.checked_sub(first.0).filter(|ticks| *ticks > 0)?;
        let slope = slope(ticks, from_ns.checked_sub(first.1)?).filter(|slope| *slope > 0)?;
        Some(Self { from_ticks, from_ns, slope, period_ticks: period_ticks(slope), true_ns: from_ns })
    }

    /// The time in ns; `None` where the line has to be laid anew first.
    #[inline]
    pub(super) fn at(&self, ticks: u64) -> Option<u64> {
        // A counter that went back counts as one that went on by far.
        let elapsed = ticks.wrapping_sub(self.from_ticks);
        // A period has fewer than 2^59 / slope ticks, so the product fits.
        (elapsed < self.period_ticks).then(|| self.from_ns + ((elapsed * self.slope) >> 32))
    }

    /// The line from a new reading of counter and clock on.
    pub(super) fn laid_anew(&self, ticks: u64, true_ns: u64) -> Self {
        let elapsed = ticks.wrapping_sub(self.from_ticks);
        // More than this has never been shown.
        let shown_ns = self.from_ns + ((elapsed.min(self.period_ticks) * self.slope) >> 32);
        let from_ns = true_ns.max(shown_ns);
        // Too little time tells no speed; a counter or a clock that jumped tells a wrong one.
        let measured = true_ns.checked_sub(self.true_ns).and_then(|true_ns| slope(elapsed, true_ns));
        let is_likely = |slope: &u64| slope.abs_diff(self.slope) < self.slope / 8;
        let measured = measured.filter(|_| elapsed >= self.period_ticks / 2).filter(is_likely);
        let speed = measured.unwrap_or(self.slope);
        // What it is ahead is made up for over the next period, at half the speed at most.
        let ahead_ns = (from_ns - true_ns).min(PERIOD_NS / 2);
        let slope = speed - speed / PERIOD_NS * ahead_ns - speed % PERIOD_NS * ahead_ns / PERIOD_NS;
        Self { from_ticks: ticks, from_ns, slope, period_ticks: period_ticks(speed), true_ns }
    }
}

fn slope(ticks: u64, ns: u64) -> Option<u64> {
    u64::try_from((u128::from(ns) << 32).checked_div(ticks.into())?).ok()
}

fn period_ticks(slope: u64) -> u64 {
    u64::try_from((u128::from(PERIOD_NS) << 32) / u128::from(slope.max(1))).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter of `hz`, on a host whose clock runs fast by `ppm`.
    fn ticks_at(true_ns: u64, hz: u64, ppm: i64) -> u64 {
        let ticks = u128::from(true_ns) * u128::from(hz) / 1_000_000_000;
        u64::try_from(ticks * u128::from((1_000_000 - ppm).unsigned_abs()) / 1_000_000).unwrap()
    }

    /// Reads the clock every `step_ns` for `for_ns`, and gives the largest error against the true time.
    fn follow(line: &mut Line, from_ns: u64, for_ns: u64, step_ns: u64, ticks: impl Fn(u64) -> u64) -> u64 {
        let mut worst_ns = 0;
        let mut before_ns = 0;
        for true_ns in (from_ns..from_ns + for_ns).step_by(usize::try_from(step_ns).unwrap()) {
            let shown_ns = line.at(ticks(true_ns)).unwrap_or_else(|| {
                *line = line.laid_anew(ticks(true_ns), true_ns);
                line.at(ticks(true_ns)).unwrap()
            });
            assert!(shown_ns >= before_ns, "{shown_ns} after {before_ns}");
            before_ns = shown_ns;
            worst_ns = worst_ns.max(shown_ns.abs_diff(true_ns));
        }
        worst_ns
    }

    #[test]
    fn the_counter_follows_a_clock_that_is_slewed_and_never_goes_back() {
        for hz in [1_000_000_000, 2_600_000_000, 5_700_000_000] {
            let ticks = |ppm| move |ns| ticks_at(ns, hz, ppm);
            // A calibration that is wrong by 100 ppm.
            let mut line = Line::through((0, 0), (ticks(100)(2_000_000), 2_000_000)).unwrap();
            let early = follow(&mut line, 2_000_000, 200_000_000, 7_001, ticks(0));
            assert!(early <= 12_000, "{early} ns at {hz}");
            let later = follow(&mut line, 202_000_000, 3_000_000_000, 70_001, ticks(0));
            assert!(later <= 12_000, "{later} ns at {hz}");
            let settled = follow(&mut line, 3_202_000_000, 3_000_000_000, 70_001, ticks(0));
            assert!(settled <= 10, "{settled} ns at {hz}");
        }
    }

    #[test]
    fn a_thread_that_slept_for_an_hour_reads_the_true_time() {
        let mut line = Line::through((0, 0), (5_000_000, 2_000_000)).unwrap();
        let hour_ns = 3_600_000_000_000;
        assert_eq!(line.at(ticks_at(hour_ns, 2_500_000_000, 0)), None);
        assert_eq!(follow(&mut line, hour_ns, 1, 1, |ns| ticks_at(ns, 2_500_000_000, 0)), 0);
    }

    #[test]
    fn a_counter_or_a_clock_that_jumps_is_caught_up_with_and_time_still_never_goes_back() {
        let hz = 2_500_000_000;
        let start = || Line::through((0, 0), (ticks_at(2_000_000, hz, 0), 2_000_000)).unwrap();
        let second_ns = 1_000_000_000;
        // The machine slept: the counter went on for a minute, and the clock did not.
        let mut line = start();
        follow(&mut line, 2_000_000, second_ns, 90_001, |ns| ticks_at(ns, hz, 0));
        let slept = |ns| ticks_at(ns + 60 * second_ns, hz, 0);
        follow(&mut line, 1_002_000_000, 3 * second_ns, 90_001, slept);
        assert!(follow(&mut line, 4_002_000_000, second_ns, 90_001, slept) <= 10);
        // The machine moved: the counter began anew, and the clock went on.
        let mut line = start();
        follow(&mut line, 2_000_000, second_ns, 90_001, |ns| ticks_at(ns, hz, 0));
        let moved = |ns| ticks_at(ns - second_ns, hz, 0);
        follow(&mut line, 1_002_000_000, 3 * second_ns, 90_001, moved);
        assert!(follow(&mut line, 4_002_000_000, second_ns, 90_001, moved) <= 10);
    }

    #[test]
    fn a_counter_that_stands_still_makes_no_line() {
        assert_eq!(Line::through((5, 0), (5, 1_000_000)), None);
        assert_eq!(Line::through((5, 0), (4, 1_000_000)), None);
        assert_eq!(Line::through((0, 7), (1_000, 7)), None);
    }
}
