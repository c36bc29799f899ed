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

use crate::clock::{Clock as _, MonotonicClock};
use crate::host;

/// The thread looks so often: a pause is known to this much.
const TICK: Duration = Duration::from_millis(20);
/// A shorter one is not told.
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

/// Of a sleep that began at a time of the run and should have lasted a tick.
fn pause(begun: Duration, slept: Duration, waited_for_cpu: Duration) -> Option<Pause> {
    let duration = slept.saturating_sub(TICK + waited_for_cpu);
    (duration >= LEAST).then_some(Pause { start: begun, duration })
}

#[cfg(test)]
mod tests {
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
    fn a_watch_ends_when_it_is_asked_to() {
        let watch = PauseWatch::begin(MonotonicClock::before_start()).unwrap();
        // Whatever the host did meanwhile.
        drop(watch.end());
    }
}
