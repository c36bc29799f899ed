//! The meter of a run: CPU time and device counters over exactly the time that is measured.

use std::time::Duration;

use iotrial_model::plan::PhaseKind;
use iotrial_model::record::{CpuUse, DeviceCounters};

use crate::clock::{Clock as _, MonotonicClock};
use crate::host::{CpuSnapshot, DeviceSnapshot, ThreadWatch};
use crate::kernel_threads::KernelThreads;
use crate::window::Window;

/// Reads CPU times and device counters at both ends of the measured phase, at the ends of its rounds
/// where it may end with one, or of all its windows where it may end anywhere, and at those of its steps; looks at the threads in
/// between.
pub struct Meter {
    clock: MonotonicClock,
    /// The moments of the readings, in order; those that are behind have one.
    borders_ns: Vec<u64>,
    device_names: Vec<String>,
    readings: Vec<Reading>,
    threads: ThreadWatch,
    kernel_threads: Option<KernelThreads>,
    next_thread_look_ns: u64,
    is_over: bool,
}

/// What the [`Meter`] read at one moment.
struct Reading {
    at_ns: u64,
    cpu: CpuSnapshot,
    devices: DeviceSnapshot,
    threads: ThreadWatch,
    /// Of the kernel's threads that complete I/Os, so far.
    kernel_io_delay: Option<Duration>,
}

/// The threads are looked at so often, and once shortly before they end with the phase. A look takes about 10
/// µs for each thread.
// What a thread used after it was looked at last is lost when it ends: 5 ms of a load that runs to its end,
// and up to a second of one that is stopped. More often would cost too much: with a thread for each of 1,000
// I/Os this is 1 % of a CPU already.
const THREAD_LOOK_NS: u64 = 1_000_000_000;
const LAST_THREAD_LOOK_NS: u64 = 5_000_000;

impl Meter {
    /// A meter for a load that is cut into these windows, and that `may_end_anywhere` behind any of them. Nothing is read yet.
    pub fn new(
        clock: MonotonicClock,
        windows: &[Window],
        device_names: &[String],
        may_end_anywhere: bool,
    ) -> Self {
        let measured = || windows.iter().filter(|window| window.phase == PhaseKind::Measure);
        let mut borders_ns: Vec<u64> = measured().map(|window| window.start_ns).take(1).collect();
        borders_ns.extend(
            measured()
                .filter(|window| may_end_anywhere || window.ends_round || window.ends_step)
                .map(|window| window.end_ns),
        );
        borders_ns.extend(measured().map(|window| window.end_ns).next_back());
        // The last window may end a round too.
        borders_ns.dedup();
        Self {
            clock,
            borders_ns,
            device_names: device_names.to_vec(),
            readings: Vec::new(),
            threads: ThreadWatch::default(),
            kernel_threads: None,
            next_thread_look_ns: u64::MAX,
            is_over: false,
        }
    }

    /// The same meter, which also tells how long these threads waited, if any are watched.
    pub fn with_kernel_threads(self, kernel_threads: Option<KernelThreads>) -> Self {
        Self { kernel_threads, ..self }
    }

    /// The next moment of a reading; `None` when all are taken.
    fn next_border_ns(&self) -> Option<u64> {
        self.borders_ns.get(self.readings.len()).copied().filter(|_| !self.is_over)
    }

    /// The time until there is something to read.
    pub fn next_look(&self) -> Duration {
        match self.next_border_ns() {
            Some(border_ns) => {
                let due_ns = border_ns.min(self.next_thread_look_ns);
                Duration::from_nanos(due_ns.saturating_sub(self.clock.now_ns()))
            }
            None => Duration::MAX,
        }
    }

    /// Reads what is due by now; the last time, where the load is stopping.
    pub fn look(&mut self, is_stopping: bool) {
        self.look_at(self.clock.now_ns(), is_stopping);
    }

    /// Reads up to a border that the threads have passed, by whose clocks that may be microseconds before
    /// this one's.
    pub fn reach(&mut self, border_ns: u64) {
        self.look_at(self.clock.now_ns().max(border_ns), false);
    }

    fn look_at(&mut self, now_ns: u64, is_stopping: bool) {
        while let Some(border_ns) = self.next_border_ns() {
            // A load that is stopped has its last reading at once, so that its figures end where its I/Os do.
            // One that is stopped before it was measured has none: half a pair of readings is no figure.
            let has_begun = !self.readings.is_empty();
            if now_ns >= border_ns || (is_stopping && has_begun) {
                self.is_over = is_stopping;
                self.read(now_ns);
            } else {
                if has_begun && now_ns >= self.next_thread_look_ns {
                    self.threads.look();
                    self.next_thread_look_ns = self.look_after(now_ns);
                }
                return;
            }
        }
    }

    fn read(&mut self, at_ns: u64) {
        // Threads first: they end with the load, and the kernel forgets what they used. The counters of
        // devices and of the process stay where they are.
        self.threads.look();
        let devices = DeviceSnapshot::of(self.device_names.iter().map(String::as_str));
        // A copy, because the watch goes on, and what a thread used is the difference of two readings.
        let threads = self.threads.clone();
        let kernel_io_delay = self.kernel_threads.as_ref().and_then(KernelThreads::delay);
        self.readings.push(Reading { at_ns, cpu: CpuSnapshot::now(), devices, threads, kernel_io_delay });
        self.next_thread_look_ns = self.look_after(at_ns);
    }

    /// When the threads are looked at next: after a while, or just before the next border, or at it.
    fn look_after(&self, now_ns: u64) -> u64 {
        let border_ns = self.next_border_ns().unwrap_or(u64::MAX);
        let last_ns = border_ns.saturating_sub(LAST_THREAD_LOOK_NS);
        let next_ns = now_ns + THREAD_LOOK_NS;
        if now_ns >= last_ns { border_ns } else { next_ns.min(last_ns) }
    }

    /// What was used and counted between two borders, or without borders between the first and the last
    /// reading; `watched` are the threads that watched the clock, and for how long. `None` where one of the
    /// two readings was not taken.
    pub fn between(
        &self,
        borders: Option<(u64, u64)>,
        watched: &[(Option<u64>, Duration)],
    ) -> Option<(CpuUse, Vec<DeviceCounters>)> {
        let (first, last) = match borders {
            Some((start_ns, end_ns)) => {
                let at = |ns| self.borders_ns.iter().position(|border_ns| *border_ns == ns);
                (at(start_ns)?, at(end_ns)?)
            }
            None => (0, self.readings.len().checked_sub(1)?),
        };
        self.since(first, last, watched)
    }

    /// The same of one step, and of a step that was cut short until the last reading; `None` where it has not two.
    pub fn within_step(
        &self,
        (start_ns, end_ns): (u64, u64),
        watched: &[(Option<u64>, Duration)],
    ) -> Option<(CpuUse, Vec<DeviceCounters>)> {
        let at = |ns| self.borders_ns.iter().position(|border_ns| *border_ns == ns);
        self.since(at(start_ns)?, at(end_ns)?.min(self.readings.len().checked_sub(1)?), watched)
    }

    fn since(
        &self,
        first: usize,
        last: usize,
        watched: &[(Option<u64>, Duration)],
    ) -> Option<(CpuUse, Vec<DeviceCounters>)> {
        let (start, end) = (self.readings.get(first)?, self.readings.get(last).filter(|_| last > first)?);
        // The time between the two readings, and not between the borders: a coordinator that was late at one
        // of them read counters that had gone on.
        let wall = Duration::from_nanos(end.at_ns - start.at_ns);
        let mut cpu = end.cpu.since(&start.cpu, wall);
        end.threads.tell_since(&start.threads, watched, &mut cpu);
        let kernel_io_delay = end.kernel_io_delay.zip(start.kernel_io_delay);
        cpu.kernel_io_delay_s = kernel_io_delay.map(|(now, then)| now.saturating_sub(then).as_secs_f64());
        Some((cpu, end.devices.since(&start.devices)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two seconds of ramp and six of measuring, in rounds of two or in one piece.
    fn meter(has_rounds: bool) -> Meter {
        meter_of(has_rounds, false)
    }

    fn meter_of(has_rounds: bool, may_end_anywhere: bool) -> Meter {
        const SECOND_NS: u64 = 1_000_000_000;
        let window = |second: u64| Window {
            phase: if second < 2 { PhaseKind::Ramp } else { PhaseKind::Measure },
            start_ns: second * SECOND_NS,
            end_ns: (second + 1) * SECOND_NS,
            ends_round: has_rounds && second >= 2 && second % 2 == 1,
            ends_step: false,
        };
        let windows: Vec<Window> = (0..8).map(window).collect();
        Meter::new(MonotonicClock::before_start(), &windows, &[], may_end_anywhere)
    }

    fn seconds_between(meter: &Meter, borders: Option<(u64, u64)>) -> Option<f64> {
        let borders = borders.map(|(from, to)| (from * 1_000_000_000, to * 1_000_000_000));
        meter.between(borders, &[]).map(|(cpu, _)| cpu.wall.as_secs_f64())
    }

    #[test]
    fn both_ends_of_the_measured_phase_are_read_and_every_end_of_a_round() {
        let borders = |has_rounds| meter(has_rounds).borders_ns.iter().map(|ns| ns / 1_000_000_000).collect();
        let plain: Vec<u64> = borders(false);
        let rounds: Vec<u64> = borders(true);
        assert_eq!((plain, rounds), (vec![2, 8], vec![2, 4, 6, 8]));
        let anywhere = meter_of(false, true);
        let anywhere: Vec<u64> = anywhere.borders_ns.iter().map(|ns| ns / 1_000_000_000).collect();
        assert_eq!(anywhere, [2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn what_is_told_is_between_the_borders_that_are_named() {
        let mut meter = meter(true);
        for at_ms in [2_001, 4_002, 6_000] {
            meter.read(at_ms * 1_000_000);
        }
        assert_eq!(seconds_between(&meter, Some((4, 6))), Some(1.998));
        assert_eq!(seconds_between(&meter, Some((2, 6))), Some(3.999));
        // Until the last reading, where nothing was decided: the load was stopped.
        assert_eq!(seconds_between(&meter, None), Some(3.999));
        assert_eq!(seconds_between(&meter, Some((4, 8))), None);
        assert_eq!(seconds_between(&meter, Some((3, 6))), None);
    }

    #[test]
    fn a_border_that_the_threads_have_passed_is_read_however_late_the_clock_of_the_meter_is() {
        // This clock has not even started.
        let mut meter = meter(true);
        meter.look(false);
        assert!(meter.readings.is_empty());
        meter.reach(2_000_000_000);
        meter.reach(4_000_000_000);
        assert_eq!(seconds_between(&meter, Some((2, 4))), Some(2.0));
    }

    #[test]
    fn a_load_that_never_came_to_be_measured_has_no_figures() {
        let mut meter = meter(false);
        assert_eq!(seconds_between(&meter, None), None);
        meter.read(2_000_000_000);
        assert_eq!(seconds_between(&meter, None), None);
    }
}
