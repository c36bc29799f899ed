//! I/Os that are under way, so that somebody else than the thread that waits for them sees which do not come back.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use iotrial_model::plan::IO_DEADLINE;
use iotrial_model::verification::Noticed;

/// A time between two looks that is longer is none of the storage: the program stood still.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// Who hangs for so many deadlines is no longer waited for: two minutes, unless another deadline is given.
// A choice: multipath drivers wait a minute or two for another path.
pub(crate) const DEADLINES_WAITED: u32 = 8;

/// How often whoever waits for a call looks for the time.
const TICK: Duration = Duration::from_millis(50);

/// Who opens something and looks at it waits so long. A raw device is looked at in thousands of places, which takes a minute on a disk that
/// turns, whatever the deadline of one I/O is.
pub(crate) const OPENING: Duration = Duration::from_secs(IO_DEADLINE.as_secs() * DEADLINES_WAITED as u64);

/// What a call answers, or [`io::ErrorKind::TimedOut`] where it is not back within `patience`.
// In a thread of its own: one that is in a call to a device that hangs cannot be ended, and whoever waits for it could not say so.
pub(crate) fn within<T: Send + 'static>(
    patience: Duration,
    call: impl Fn() -> T + Clone + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = mpsc::channel();
    let of_thread = call.clone();
    let work = move || {
        // Nobody waits for one that hung.
        let _ = sender.send(of_thread());
    };
    let Ok(thread) = thread::Builder::new().name("iotrial-open".to_owned()).spawn(work) else {
        // Where no thread can be had, nobody sees what hangs.
        return Ok(call());
    };
    let (mut waited, mut last_look) = (Duration::ZERO, Instant::now());
    while waited < patience {
        match receiver.recv_timeout(TICK) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                std::panic::resume_unwind(thread.join().expect_err("it went without a word"))
            }
        }
        waited += std::mem::replace(&mut last_look, Instant::now()).elapsed().min(LONGEST_LOOK);
    }
    Err(io::ErrorKind::TimedOut.into())
}

/// An I/O that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Begun {
    pub(crate) area: u32,
    /// From the start of the file or device.
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) noticed: Noticed,
    /// On the clock of [`UnderWay`].
    at: Duration,
}

/// The I/Os of all threads, and a clock that stands still while nobody looks.
#[derive(Debug, Default)]
pub(crate) struct UnderWay {
    /// Time that was watched, in ns.
    watched_ns: AtomicU64,
    threads: Mutex<Vec<Arc<OfThread>>>,
}

/// The I/Os of one thread, by slot.
#[derive(Debug, Default)]
pub(crate) struct OfThread {
    slots: Mutex<Vec<Option<Begun>>>,
}

impl UnderWay {
    /// Where a thread notes its I/Os.
    pub(crate) fn thread(&self) -> Arc<OfThread> {
        let thread = Arc::<OfThread>::default();
        self.threads.lock().expect("no holder panics").push(Arc::clone(&thread));
        thread
    }

    /// An I/O that begins now.
    pub(crate) fn begun(&self, area: u32, offset: u64, length: u64, noticed: Noticed) -> Begun {
        Begun { area, offset, length, noticed, at: self.watched() }
    }

    /// So much time went by since the last look.
    pub(crate) fn tick(&self, elapsed: Duration) {
        let elapsed = elapsed.min(LONGEST_LOOK);
        let elapsed_ns = u64::try_from(elapsed.as_nanos()).expect("a second fits");
        self.watched_ns.fetch_add(elapsed_ns, Ordering::Relaxed);
    }

    /// How long an I/O has been under way.
    pub(crate) fn age(&self, begun: &Begun) -> Duration {
        self.watched().saturating_sub(begun.at)
    }

    /// Those that have been under way for so long.
    pub(crate) fn older_than(&self, age: Duration) -> Vec<Begun> {
        let threads = self.threads.lock().expect("no holder panics");
        let mut old = Vec::new();
        for thread in threads.iter() {
            old.extend(thread.slots().iter().flatten().filter(|begun| self.age(begun) >= age));
        }
        old
    }

    fn watched(&self) -> Duration {
        Duration::from_nanos(self.watched_ns.load(Ordering::Relaxed))
    }
}

impl OfThread {
    pub(crate) fn begin(&self, slot: usize, begun: Begun) {
        let mut slots = self.slots();
        if slots.len() <= slot {
            slots.resize(slot + 1, None);
        }
        slots[slot] = Some(begun);
    }

    /// In any slot that is free, which it answers with.
    pub(crate) fn begin_anywhere(&self, begun: Begun) -> usize {
        let mut slots = self.slots();
        match slots.iter().position(Option::is_none) {
            Some(slot) => {
                slots[slot] = Some(begun);
                slot
            }
            None => {
                slots.push(Some(begun));
                slots.len() - 1
            }
        }
    }

    /// The I/O of a slot is back.
    pub(crate) fn end(&self, slot: usize) -> Option<Begun> {
        self.slots().get_mut(slot).and_then(Option::take)
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Option<Begun>>> {
        // Nearly always free: others look some twenty times a second.
        self.slots.lock().expect("no holder panics")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_does_not_come_back_is_not_waited_for_and_one_that_does_answers() {
        let (answers, asked) = mpsc::channel::<u8>();
        let asked = Arc::new(Mutex::new(asked));
        let call = move || asked.lock().unwrap().recv();
        let hung = within(Duration::from_millis(1), call.clone()).unwrap_err();
        assert_eq!(hung.kind(), io::ErrorKind::TimedOut);
        // The first thread gets one of them, the second the other.
        answers.send(7).unwrap();
        answers.send(7).unwrap();
        assert_eq!(within(OPENING, call).unwrap(), Ok(7));
    }

    #[test]
    fn an_io_ages_while_somebody_looks_and_not_while_the_program_stands_still() {
        let under_way = UnderWay::default();
        let thread = under_way.thread();
        let one = |offset| under_way.begun(0, offset, 8192, Noticed::Read);
        thread.begin(3, one(0));
        under_way.tick(Duration::from_millis(600));
        thread.begin(0, one(8192));
        // Stopped for an hour.
        under_way.tick(Duration::from_secs(3_600));
        let offsets = |age| -> Vec<u64> {
            let old = under_way.older_than(Duration::from_millis(age));
            old.iter().map(|begun| begun.offset).collect()
        };
        assert_eq!((offsets(1_601), offsets(1_600), offsets(1_000)), (vec![], vec![0], vec![8192, 0]));
        assert_eq!(thread.end(3).map(|begun| under_way.age(&begun)), Some(Duration::from_millis(1_600)));
        assert_eq!((thread.end(3), thread.end(9), offsets(0)), (None, None, vec![8192]));
    }
}
