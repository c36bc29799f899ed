//! When iotrial itself did not run: stopped by a signal, frozen or throttled by its control group, or with its whole
//! machine.
//!
//! An I/O that is under way meanwhile takes as long, and from its latency nobody could tell that the device did not.
//! So a thread of its own does nothing but sleep and look at the clock: it has no I/O, no lock and no work that could
//! hold it up, and when it sleeps much longer than it asked to, the whole program did.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use iotrial_model::record::Pause;
use iotrial_model::sim_device::SimDevice;

use crate::clock::{Clock as _, MonotonicClock};
use crate::host;

/// The thread looks so often: a pause is known to this much.
const TICK: Duration = Duration::from_millis(20);
/// A shorter one is not told; one that is longer by a tick always is.
// Schedulers of virtual machines take a CPU away for tens of milliseconds, and what comes of that is told as stolen
// time; a person or a program that stops another one takes longer.
const LEAST: Duration = Duration::from_millis(150);

/// Watches from its beginning until [`PauseWatch::end`].
pub struct PauseWatch {
    /// Ends the watch when it goes.
    end: Sender<()>,
    thread: JoinHandle<Vec<Pause>>,
}

impl PauseWatch {
    /// Begins to watch, by the clock of a run. `None` where there is no thread to be had; the run goes on without.
    pub fn begin(clock: MonotonicClock) -> Option<Self> {
        let (end, ended) = mpsc::channel::<()>();
        let watch = move || {
            let mut pauses = Vec::new();
            loop {
                let before_ns = clock.now_ns();
                let waited_before = host::waited_for_cpu();
                if ended.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                    return pauses;
                }
                let slept = Duration::from_nanos(clock.now_ns() - before_ns);
                // Without what it was ready to run and waited for a CPU: the generator is short of CPU then, which
                // has a finding of its own.
                let waited = host::waited_for_cpu().saturating_sub(waited_before);
                pauses.extend(pause(Duration::from_nanos(before_ns), slept, waited));
            }
        };
        let thread = thread::Builder::new().name("iotrial-pauses".to_owned()).spawn(watch).ok()?;
        Some(Self { end, thread })
    }

    /// All pauses since the beginning, in order.
    pub fn end(self) -> Vec<Pause> {
        let Self { end, thread } = self;
        drop(end);
        thread.join().unwrap_or_default()
    }
}

/// What a watch on the simulated host of a device would see, until the load has lasted so long.
pub fn simulated(device: &SimDevice, until: Duration) -> Vec<Pause> {
    // Since the start of the load, from and to; what was over before it is at zero.
    let seconds =
        |seconds: f64| Duration::from_secs_f64((seconds - device.age_s).clamp(0.0, until.as_secs_f64()));
    let all = device.host_pauses.iter().map(|pause| {
        let (start, end) = (seconds(pause.start_s), seconds(pause.start_s + pause.duration_s));
        Pause { start, duration: end.saturating_sub(start) }
    });
    all.filter(|pause| pause.duration >= LEAST + TICK).collect()
}

/// Of a sleep that began at a time of the run and should have lasted a tick.
fn pause(begun: Duration, slept: Duration, waited_for_cpu: Duration) -> Option<Pause> {
    let duration = slept.saturating_sub(TICK + waited_for_cpu);
    (duration >= LEAST).then_some(Pause { start: begun, duration })
}

#[cfg(test)]
mod tests {
    use iotrial_model::sim_device::SimStall;

    use super::*;

    #[test]
    fn a_sleep_that_lasts_much_too_long_is_a_pause_unless_the_thread_waited_for_a_cpu() {
        let ms = Duration::from_millis;
        assert_eq!(pause(ms(5_000), ms(20), ms(0)), None);
        assert_eq!(pause(ms(5_000), ms(100), ms(0)), None);
        assert_eq!(pause(ms(5_000), ms(220), ms(0)), Some(Pause { start: ms(5_000), duration: ms(200) }));
        assert_eq!(pause(ms(5_000), ms(2_020), ms(1_950)), None);
        assert_eq!(
            pause(ms(5_000), ms(2_020), ms(500)),
            Some(Pause { start: ms(5_000), duration: ms(1_500) })
        );
    }

    #[test]
    fn a_simulated_host_has_the_pauses_that_a_watch_is_sure_to_see() {
        let pause = |start_s, duration_s| SimStall { start_s, duration_s };
        let host_pauses =
            vec![pause(5.0, 0.16), pause(9.0, 1.0), pause(15.0, 0.5), pause(39.5, 2.0), pause(45.0, 2.0)];
        let device = SimDevice { host_pauses, age_s: 10.0, ..SimDevice::default() };
        let ms = Duration::from_millis;
        let seen = simulated(&device, ms(30_000));
        let all =
            [Pause { start: ms(5_000), duration: ms(500) }, Pause { start: ms(29_500), duration: ms(500) }];
        assert_eq!(seen, all);
    }

    #[test]
    fn a_watch_ends_when_it_is_asked_to() {
        let watch = PauseWatch::begin(MonotonicClock::before_start()).unwrap();
        // Whatever the host did meanwhile.
        drop(watch.end());
    }
}
