//! The clock of a run: nanoseconds since the load started.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

mod line;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[path = "clock/tsc.rs"]
mod counter;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
#[path = "clock/no_counter.rs"]
mod counter;

use line::Line;

use crate::host;

/// Tells the time of a run.
///
/// Zero is the start of the load, the same moment for all threads of a run. A real clock may be asked
/// before that moment and answers zero then.
pub trait Clock {
    /// How late a thread may wake up that sleeps until a time of this clock: a loop that must be on time
    /// sleeps so much less, and watches the clock for the rest.
    const WAKES_LATE_BY_NS: u64;

    /// Nanoseconds since the load started. Never goes back.
    fn now_ns(&self) -> u64;

    /// For how long this thread has been ready to run and waited for a CPU, since it began; zero where nothing tells. Costs some microseconds.
    fn waited_for_cpu_ns(&self) -> u64 {
        0
    }
}

/// The operating system's monotonic time, told by the processor's counter where it can be trusted. Its clones
/// share one zero.
#[derive(Debug, Clone)]
pub struct MonotonicClock {
    epoch: Instant,
    /// `None` where the operating system is asked each time. Each clone lays its own.
    line: Cell<Option<Line>>,
    /// From the epoch to the start of the load; `u64::MAX` until then, so that the clock shows zero.
    start_ns: Arc<AtomicU64>,
}

/// The counter is watched for so long before it is used; its speed is then known to some millionths.
const CALIBRATION_NS: u64 = 2_000_000;

impl MonotonicClock {
    /// A clock that shows zero until the load starts.
    pub fn before_start() -> Self {
        let epoch = Instant::now();
        // Here, before there are threads, and not at the start, for which all of them wait: it takes 2 ms.
        let line = if counter::is_trusted() { calibrate(epoch) } else { None };
        Self { epoch, line: Cell::new(line), start_ns: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    /// The load starts now.
    pub fn start(&self) {
        // No order is needed: whoever reads it was told to begin by a message that was sent after this, and
        // the message brings it along. Who reads it earlier sees `u64::MAX`, which shows as zero.
        self.start_ns.store(self.since_epoch_ns(), Ordering::Relaxed);
    }

    /// What tells the time: `tsc` or `monotonic`.
    pub fn source(&self) -> &'static str {
        if self.line.get().is_some() { counter::NAME } else { "monotonic" }
    }

    #[inline]
    fn since_epoch_ns(&self) -> u64 {
        match self.line.get() {
            Some(line) => line.at(counter::ticks()).unwrap_or_else(|| self.lay_anew(&line)),
            None => elapsed_ns(self.epoch),
        }
    }

    /// Goes on with a line through the operating system's clock.
    #[cold]
    fn lay_anew(&self, line: &Line) -> u64 {
        // About ten times a second and thread: the cost of asking the operating system is spread over all
        // I/Os in between.
        let (ticks, true_ns) = read_both(self.epoch);
        let line = line.laid_anew(ticks, true_ns);
        self.line.set(Some(line));
        line.at(ticks).expect("a line begins with its period")
    }
}

fn calibrate(epoch: Instant) -> Option<Line> {
    let first = read_both(epoch);
    loop {
        let second = read_both(epoch);
        if second.1 - first.1 >= CALIBRATION_NS {
            return Line::through(first, second);
        }
        std::hint::spin_loop();
    }
}

/// Ticks and time of the same moment: of three readings the one that took least, in case the thread is
/// interrupted.
fn read_both(epoch: Instant) -> (u64, u64) {
    let read = || {
        // The moment of the clock's reading lies between two readings of the counter; the middle is wrong by
        // half their distance at most, and the distance is known.
        let before = counter::ticks();
        let ns = elapsed_ns(epoch);
        let width = counter::ticks().saturating_sub(before);
        (width, before + width / 2, ns)
    };
    let (_, ticks, ns) = [read(), read(), read()].into_iter().min().expect("there are three");
    (ticks, ns)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "64 bits of nanoseconds are 584 years")]
fn elapsed_ns(epoch: Instant) -> u64 {
    epoch.elapsed().as_nanos() as u64
}

impl Clock for MonotonicClock {
    const WAKES_LATE_BY_NS: u64 = host::WAKES_LATE_BY_NS;

    #[inline]
    fn now_ns(&self) -> u64 {
        self.since_epoch_ns().saturating_sub(self.start_ns.load(Ordering::Relaxed))
    }

    #[cold]
    fn waited_for_cpu_ns(&self) -> u64 {
        u64::try_from(host::waited_for_cpu().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Makes this thread's sleeps end when they should, as far as the operating system can.
pub fn wake_on_time() {
    host::wake_on_time();
}

/// The clock of a simulated device: it stands still until the device moves it.
#[derive(Debug, Clone, Default)]
pub struct SimClock {
    now_ns: Rc<Cell<u64>>,
}

impl SimClock {
    /// Moves on to `ns`; a time that has passed changes nothing.
    pub fn advance_to(&self, ns: u64) {
        self.now_ns.set(self.now_ns.get().max(ns));
    }
}

impl Clock for SimClock {
    const WAKES_LATE_BY_NS: u64 = 0;

    #[inline]
    fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_shows_what_the_operating_systems_clock_shows() {
        // However long the thread is kept from running between the readings, the bounds hold.
        const TOLERANCE_NS: u64 = 50_000;
        let clock = MonotonicClock::before_start();
        let (mut last_ns, mut rounds) = (0, 0);
        while elapsed_ns(clock.epoch) < 3 * line::PERIOD_NS || rounds < 1_000 {
            let before_ns = elapsed_ns(clock.epoch);
            let shown_ns = clock.since_epoch_ns();
            let after_ns = elapsed_ns(clock.epoch);
            assert!(shown_ns + TOLERANCE_NS >= before_ns, "{shown_ns} after {before_ns}");
            assert!(shown_ns <= after_ns + TOLERANCE_NS, "{shown_ns} before {after_ns}");
            assert!(shown_ns >= last_ns, "{shown_ns} after {last_ns}");
            (last_ns, rounds) = (shown_ns, rounds + 1);
        }
    }

    #[test]
    fn all_clones_show_zero_until_the_load_starts() {
        let clock = MonotonicClock::before_start();
        let clone = clock.clone();
        assert_eq!((clock.now_ns(), clone.now_ns()), (0, 0));
        clock.start();
        while clone.now_ns() == 0 || clock.now_ns() == 0 {
            std::hint::spin_loop();
        }
    }
}
