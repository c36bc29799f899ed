//! How long the kernel's own threads that complete I/Os waited for a CPU.
//!
//! A direct write ends in a worker of the kernel, and so does every I/O of a loop device, an encrypted or a software RAID one. Where other
//! programs keep the CPUs busy, these threads wait for them, for hundreds of milliseconds at a time, after the device has long answered. The
//! generator's own threads cannot notice: so a thread of its own looks at theirs, and an I/O that was under way while they waited is one that
//! the host held back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::clock::{Clock as _, MonotonicClock};

#[cfg(target_os = "linux")]
#[path = "kernel_threads/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "kernel_threads/windows.rs"]
mod os;

/// What one thread waited since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Waits {
    /// Ready to run, but without a CPU.
    delay: Duration,
    /// How often it was given one.
    slice_count: u64,
}

/// So long a thread waits each time on a host with CPUs to spare, at most.
// Measured: 5 to 20 µs on an idle virtual machine of two CPUs, up to 50 µs beside the load itself.
const USUAL_WAIT: Duration = Duration::from_micros(100);
/// Threads that may complete I/Os are looked at so often: what was held back is known to this much. A look takes about 6 µs a thread.
const TICK: Duration = Duration::from_millis(50);
/// And all processes, for new ones. It costs milliseconds on a host with thousands of them.
const ALL_NS: u64 = 1_000_000_000;
/// Waits that are kept, the latest.
const MOST_WAITS: usize = 16_384;

/// What is known of the kernel's threads. Clones are of the same.
#[derive(Debug, Clone)]
pub struct KernelThreads(Arc<Mutex<Shared>>);

#[derive(Debug)]
struct Shared {
    clock: MonotonicClock,
    course: Course,
}

/// What the threads waited beyond the usual.
#[derive(Debug, Default)]
struct Course {
    scan: os::Scan,
    /// By thread, as it was seen last.
    threads: BTreeMap<u64, Waits>,
    /// Those that may complete I/Os until all are looked at again.
    watched: Vec<u64>,
    /// When there was a look, and when all were looked at; `None` before the first.
    last_ns: Option<u64>,
    last_all_ns: Option<u64>,
    /// In the order in which they ended.
    waits: VecDeque<Wait>,
    /// The longest of them, so that no more are looked through than overlap.
    longest_ns: u64,
    all: Duration,
}

/// A wait that ended within a time, and may have begun with it.
#[derive(Debug, Clone, Copy)]
struct Wait {
    from_ns: u64,
    to_ns: u64,
    delay_ns: u64,
}

impl KernelThreads {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at once, whenever the last look was.
    pub(crate) fn look(&self) {
        let mut shared = self.lock();
        let Shared { clock, course } = &mut *shared;
        let now_ns = clock.now_ns();
        if course.last_all_ns.is_none_or(|last_ns| now_ns >= last_ns + ALL_NS) {
            let (all, of_io) = course.scan.all();
            course.see_all(now_ns, &all, of_io);
        } else {
            let watched = os::waits(&course.watched);
            course.see(now_ns, &watched);
        }
    }

    /// What they waited so far beyond the usual, summed over the threads; `None` where the system does not show them.
    pub(crate) fn delay(&self) -> Option<Duration> {
        self.look();
        let Shared { course, .. } = &*self.lock();
        (!course.threads.is_empty()).then_some(course.all)
    }

    /// The waits that overlap with each of `spans`, summed, in ns.
    pub(crate) fn delays_ns(&self, spans: impl Iterator<Item = (u64, u64)>) -> Vec<u64> {
        let Shared { course, .. } = &*self.lock();
        spans.map(|(from_ns, to_ns)| course.within_ns(from_ns, to_ns)).collect()
    }
}

impl Course {
    /// `of_io` are those that complete I/Os, and the workers that may take their turn: what the others wait is not counted.
    fn see_all(&mut self, now_ns: u64, all: &[(u64, Waits)], of_io: Vec<u64>) {
        self.watched = of_io;
        let before_ns = self.last_all_ns.replace(now_ns);
        for (thread, now) in all {
            let is_watched = self.watched.contains(thread);
            match (self.threads.insert(*thread, *now), before_ns) {
                (Some(then), _) if is_watched => self.note(then, *now, self.last_ns, now_ns),
                // A worker that was made since then.
                (None, Some(before_ns)) if is_watched => {
                    self.note(Waits { delay: Duration::ZERO, slice_count: 0 }, *now, Some(before_ns), now_ns);
                }
                _ => {}
            }
        }
        self.last_ns = Some(now_ns);
    }

    fn see(&mut self, now_ns: u64, watched: &[(u64, Waits)]) {
        for (thread, now) in watched {
            if let Some(then) = self.threads.insert(*thread, *now) {
                self.note(then, *now, self.last_ns, now_ns);
            }
        }
        self.last_ns = Some(now_ns);
    }

    /// A thread that waits is counted when it has its CPU: what it waited ended since the last look, and may have begun before.
    fn note(&mut self, then: Waits, now: Waits, last_ns: Option<u64>, now_ns: u64) {
        let slices = u32::try_from(now.slice_count.saturating_sub(then.slice_count)).unwrap_or(u32::MAX);
        let delay = now.delay.saturating_sub(then.delay).saturating_sub(USUAL_WAIT * slices);
        if delay.is_zero() {
            return;
        }
        self.all += delay;
        let delay_ns = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
        let from_ns = last_ns.unwrap_or(now_ns).saturating_sub(delay_ns);
        self.longest_ns = self.longest_ns.max(now_ns - from_ns);
        if self.waits.len() == MOST_WAITS {
            self.waits.pop_front();
        }
        self.waits.push_back(Wait { from_ns, to_ns: now_ns, delay_ns });
    }

    fn within_ns(&self, from_ns: u64, to_ns: u64) -> u64 {
        let ended_before = self.waits.partition_point(|wait| wait.to_ns <= from_ns);
        let later = self.waits.range(ended_before..);
        let near = later.take_while(|wait| wait.to_ns < to_ns.saturating_add(self.longest_ns));
        near.filter(|wait| wait.from_ns < to_ns).map(|wait| wait.delay_ns).sum()
    }
}

/// Watches the kernel's threads from its beginning until it is dropped.
#[derive(Debug)]
pub struct KernelWatch {
    threads: KernelThreads,
    /// Ends the watch when it goes.
    end: Option<Sender<()>>,
    watch: Option<JoinHandle<()>>,
}

impl KernelWatch {
    /// Begins to watch, by the clock of a run. Without a thread to be had, looks are as far apart as windows.
    pub fn begin(clock: MonotonicClock) -> Self {
        let threads = KernelThreads(Arc::new(Mutex::new(Shared { clock, course: Course::default() })));
        threads.look();
        let (end, ended) = mpsc::channel::<()>();
        let seen = threads.clone();
        let watch = move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                seen.look();
            }
        };
        let watch = thread::Builder::new().name("iotrial-kernel".to_owned()).spawn(watch).ok();
        Self { threads, end: Some(end), watch }
    }

    /// What is known.
    pub fn threads(&self) -> &KernelThreads {
        &self.threads
    }
}

impl Drop for KernelWatch {
    fn drop(&mut self) {
        drop(self.end.take());
        // A panic of the thread leaves what it has seen.
        let _ = self.watch.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
impl KernelThreads {
    /// Of which each waited from one time to another, in ms.
    pub(crate) fn waiting(waits_ms: &[(u64, u64)]) -> Self {
        let wait = |(from, to): &(u64, u64)| {
            let (from_ns, to_ns) = (from * 1_000_000, to * 1_000_000);
            Wait { from_ns, to_ns, delay_ns: to_ns - from_ns }
        };
        let waits: VecDeque<Wait> = waits_ms.iter().map(wait).collect();
        let longest_ns = waits.iter().map(|wait| wait.to_ns - wait.from_ns).max().unwrap_or_default();
        let course = Course { waits, longest_ns, last_all_ns: Some(u64::MAX - ALL_NS), ..Course::default() };
        Self(Arc::new(Mutex::new(Shared { clock: MonotonicClock::before_start(), course })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn waits(delay_ms: u64, slice_count: u64) -> Waits {
        Waits { delay: Duration::from_millis(delay_ms), slice_count }
    }

    #[test]
    fn waits_beyond_the_usual_of_each_slice_count_from_the_second_look_on() {
        let mut course = Course::default();
        course.see_all(0, &[(1, waits(500, 10_000)), (2, waits(0, 0)), (4, waits(0, 0))], vec![1, 2]);
        assert_eq!(course.all, Duration::ZERO);
        // A thousand short waits are none; six slices that waited for half a second are all but.
        course.see(50 * MS, &[(1, waits(580, 11_000)), (2, waits(500, 6))]);
        assert_eq!(course.all, Duration::from_micros(499_400));
        // What is new waited since the last time that all were looked at; what has nothing to do with I/Os counts as little as ever.
        let all = [(2, waits(500, 6)), (3, waits(60, 2)), (4, waits(9_000, 5))];
        course.see_all(1_000 * MS, &all, vec![1, 2, 3]);
        assert_eq!(course.all, Duration::from_micros(499_400 + 59_800));
        assert_eq!(course.within_ns(40 * MS, 60 * MS) / 1_000, 499_400 + 59_800);
        assert_eq!(course.within_ns(500 * MS, 501 * MS) / 1_000, 59_800);
    }

    #[test]
    fn an_io_has_the_waits_that_overlap_with_it() {
        let threads = KernelThreads::waiting(&[(50, 100), (60, 100), (90, 200)]);
        let within =
            |from_ms: u64, to_ms: u64| threads.delays_ns(std::iter::once((from_ms * MS, to_ms * MS)))[0] / MS;
        assert_eq!((within(0, 50), within(0, 51), within(70, 80)), (0, 50, 90));
        assert_eq!((within(95, 96), within(100, 101), within(200, 900)), (200, 110, 0));
    }

    #[test]
    fn a_watch_looks_and_ends() {
        let watch = KernelWatch::begin(MonotonicClock::before_start());
        let threads = watch.threads().clone();
        drop(watch);
        assert!(threads.lock().course.last_ns.is_some());
        let _ = threads.delay();
    }
}
