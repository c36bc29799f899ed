//! The machine that measures: what it counted while the load ran. What it is, `iotrial-host` reads.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use iotrial_model::record::{CpuUse, DeviceCounters};

#[cfg(target_os = "linux")]
#[path = "host/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "host/windows.rs"]
mod os;

/// Tells this installation of an operating system apart from others.
pub fn host_id() -> String {
    os::host_id()
}

/// How late a sleep may end, once the thread asked to be woken on time.
pub(crate) const WAKES_LATE_BY_NS: u64 = os::WAKES_LATE_BY_NS;

/// Makes this thread's sleeps end when they should, as far as the operating system can.
pub(crate) fn wake_on_time() {
    os::wake_on_time();
}

/// How long the calling thread was ready to run and waited for a CPU, since it began; zero where that is not told.
pub(crate) fn waited_for_cpu() -> Duration {
    os::waited_for_cpu()
}

/// CPU time used so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CpuSnapshot {
    clocks: Option<ClockPair>,
    user: Duration,
    system: Duration,
    /// Of all threads that this process ever had.
    involuntary_switch_count: Option<u64>,
    /// All CPUs together, since the host started.
    host: Option<HostTimes>,
}

/// CPU time of the whole host.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct HostTimes {
    busy: Duration,
    /// Taken by the hypervisor; `None` where the system does not count it.
    steal: Option<Duration>,
}

impl CpuSnapshot {
    /// The counts of this moment; zero where they cannot be read.
    pub(crate) fn now() -> Self {
        Self { clocks: ClockPair::read(), ..os::cpu_snapshot() }
    }

    /// What was used between `earlier` and this moment, which are `wall` apart; what single threads did is
    /// not in it.
    pub(crate) fn since(&self, earlier: &Self, wall: Duration) -> CpuUse {
        let host = self.host.zip(earlier.host);
        // The kernel's counts of steal and of waiting have been seen to step back; that is no use of CPU.
        let host = |part: fn(HostTimes) -> Option<Duration>| {
            let (now, then) = host?;
            Some(part(now)?.saturating_sub(part(then)?).as_secs_f64())
        };
        CpuUse {
            wall,
            time_of_day_s: self
                .clocks
                .zip(earlier.clocks)
                .map(|(now, then)| wall.as_secs_f64() + now.jump_s(then)),
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            watched_s: 0.0,
            busiest_thread_s: None,
            busiest_work_s: None,
            run_queue_delay_s: None,
            kernel_io_delay_s: None,
            involuntary_switch_count: self
                .involuntary_switch_count
                .zip(earlier.involuntary_switch_count)
                .map(|(now, then)| now.saturating_sub(then)),
            host_busy_s: host(|times| Some(times.busy)),
            host_steal_s: host(|times| times.steal),
        }
    }
}

/// The time of day, and the monotonic time of the same moment.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ClockPair {
    monotonic: Instant,
    time_of_day: SystemTime,
}

/// The two clocks are read so close to each other on a machine with CPUs to spare, and no closer reading is
/// sought.
const NARROW_BRACKET: Duration = Duration::from_micros(20);
/// So many readings at most, of which the closest counts.
const MOST_BRACKETS: u32 = 20;
/// Clocks that were never read closer than this say nothing of each other.
const WIDEST_BRACKET: Duration = Duration::from_millis(20);

impl ClockPair {
    /// Reads the monotonic clock before and after the time of day, until nothing came between: a thread that
    /// loses its CPU there would take the time without it for a jump. `None` where the thread was never left
    /// alone for that long.
    fn read() -> Option<Self> {
        Self::narrowest(|| (Instant::now(), SystemTime::now(), Instant::now()))
    }

    fn narrowest(mut bracket: impl FnMut() -> (Instant, SystemTime, Instant)) -> Option<Self> {
        let mut best: Option<(Duration, Self)> = None;
        for _ in 0..MOST_BRACKETS {
            let (before, time_of_day, after) = bracket();
            let width = after.saturating_duration_since(before);
            if best.as_ref().is_none_or(|(narrowest, _)| width < *narrowest) {
                best = Some((width, Self { monotonic: before + width / 2, time_of_day }));
            }
            // Further readings would only cost time, at a moment at which the load has just ended or begun.
            if width <= NARROW_BRACKET {
                break;
            }
        }
        best.filter(|(width, _)| *width <= WIDEST_BRACKET).map(|(_, pair)| pair)
    }

    /// By how much more the time of day went on than the monotonic clock since `earlier`.
    fn jump_s(self, earlier: Self) -> f64 {
        let monotonic_s = self.monotonic.saturating_duration_since(earlier.monotonic).as_secs_f64();
        between_s(earlier.time_of_day, self.time_of_day) - monotonic_s
    }
}

/// From one time of day to another; negative when the clock was set back meanwhile.
fn between_s(from: SystemTime, to: SystemTime) -> f64 {
    to.duration_since(from).map_or_else(|error| -error.duration().as_secs_f64(), |time| time.as_secs_f64())
}

/// What the threads of this process used and waited for until now, whether they are still there or not.
///
/// The kernel forgets a thread when it ends, and the threads of a load end with the load. So they are looked
/// at now and again, and what was seen last of a thread counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThreadWatch {
    /// By thread, as it was seen last.
    threads: BTreeMap<u64, ThreadTimes>,
}

/// What one thread used and waited for since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ThreadTimes {
    /// User and kernel.
    cpu: Duration,
    /// Ready to run, but without a CPU; `None` where the kernel does not count it.
    run_queue_delay: Option<Duration>,
}

impl ThreadWatch {
    /// Looks at the threads that there are.
    pub(crate) fn look(&mut self) {
        self.see(os::thread_times());
    }

    fn see(&mut self, seen: Vec<(u64, ThreadTimes)>) {
        // A thread that is gone stays as it was seen last: its time was used all the same.
        self.threads.extend(seen);
    }

    /// Writes down what was used and waited for since the watch was as `earlier`, and what of it was nothing
    /// but watching the clock: `watched` has the threads that did, as far as they are known, and for how
    /// long.
    pub(crate) fn tell_since(&self, earlier: &Self, watched: &[(Option<u64>, Duration)], cpu: &mut CpuUse) {
        // A thread that came later had used nothing.
        let since = |thread: &u64| earlier.threads.get(thread).copied().unwrap_or_default();
        let used =
            || self.threads.iter().map(|(thread, now)| (thread, now.cpu.saturating_sub(since(thread).cpu)));
        let watched_by = |thread: &u64| -> Duration {
            watched.iter().filter(|(id, _)| *id == Some(*thread)).map(|(_, time)| *time).sum()
        };
        // The largest of each, of whichever thread: the one that used the most CPU may have done nothing but
        // watch the clock.
        let worked = used().map(|(thread, time)| time.saturating_sub(watched_by(thread)));
        cpu.busiest_work_s = worked.max().map(|time| time.as_secs_f64());
        cpu.busiest_thread_s = used().map(|(_, time)| time).max().map(|time| time.as_secs_f64());
        cpu.watched_s = watched.iter().map(|(_, time)| time.as_secs_f64()).sum();
        let delays = self.threads.iter().map(|(thread, now)| {
            let then = since(thread).run_queue_delay.unwrap_or_default();
            now.run_queue_delay.map(|delay| delay.saturating_sub(then))
        });
        // Nothing at all where one thread is not told: a sum without it would look like a host with CPUs to
        // spare.
        let delay: Option<Duration> = delays.sum();
        cpu.run_queue_delay_s = delay.filter(|_| !self.threads.is_empty()).map(|time| time.as_secs_f64());
    }
}

/// The number of this thread, by which its times are told; `None` where they are not.
pub fn thread_id() -> Option<u64> {
    os::thread_id()
}

/// What the operating system counted at block devices so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DeviceSnapshot {
    devices: Vec<DeviceCounters>,
}

impl DeviceSnapshot {
    /// The counts of the devices with these kernel names, in that order. A device that is not there is
    /// absent.
    pub(crate) fn of(names: impl IntoIterator<Item: AsRef<str>>) -> Self {
        os::device_snapshot(names)
    }

    /// What was counted between `earlier` and this moment, for the devices that are in both.
    pub(crate) fn since(&self, earlier: &Self) -> Vec<DeviceCounters> {
        // By name: a device that was added or taken away meanwhile moves all places behind it.
        let pairs = self.devices.iter().filter_map(|now| {
            let then = earlier.devices.iter().find(|then| then.name == now.name)?;
            Some((now, then))
        });
        pairs
            .map(|(now, then)| DeviceCounters {
                name: now.name.clone(),
                read_count: now.read_count.saturating_sub(then.read_count),
                read_merge_count: now.read_merge_count.saturating_sub(then.read_merge_count),
                read_bytes: now.read_bytes.saturating_sub(then.read_bytes),
                write_count: now.write_count.saturating_sub(then.write_count),
                write_merge_count: now.write_merge_count.saturating_sub(then.write_merge_count),
                write_bytes: now.write_bytes.saturating_sub(then.write_bytes),
                flush_count: now.flush_count.saturating_sub(then.flush_count),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_use_is_the_difference_and_never_negative() {
        let epoch = Instant::now();
        let at = |seconds: u64, steal: u64| CpuSnapshot {
            clocks: Some(ClockPair {
                // Five seconds more than the wall clock of the meter, which was read at another moment.
                monotonic: epoch + Duration::from_secs(seconds * 3 / 2),
                time_of_day: SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - seconds),
            }),
            involuntary_switch_count: Some(7 * seconds),
            user: Duration::from_secs(seconds),
            system: Duration::from_secs(2 * seconds),
            host: Some(HostTimes {
                busy: Duration::from_secs(5 * seconds),
                steal: Some(Duration::from_secs(steal)),
            }),
        };
        let used = at(30, 6).since(&at(10, 7), Duration::from_secs(25));
        let expected = CpuUse {
            wall: Duration::from_secs(25),
            // The clock was set back by 50 s: it went 20 s back while the other went 30 s on.
            time_of_day_s: Some(-25.0),
            user: Duration::from_secs(20),
            system: Duration::from_secs(40),
            watched_s: 0.0,
            busiest_thread_s: None,
            busiest_work_s: None,
            run_queue_delay_s: None,
            kernel_io_delay_s: None,
            involuntary_switch_count: Some(140),
            host_busy_s: Some(100.0),
            host_steal_s: Some(0.0),
        };
        assert_eq!(used, expected);
    }

    #[test]
    fn clocks_with_a_pause_between_them_are_read_again_and_the_closest_reading_counts() {
        let (epoch, day) = (Instant::now(), SystemTime::UNIX_EPOCH);
        // Widths of the brackets in µs, one second after the other; the time of day is read in the middle.
        let read = |widths_us: &[u64]| {
            let mut at = 0;
            let pair = ClockPair::narrowest(|| {
                let width = Duration::from_micros(widths_us[at.min(widths_us.len() - 1)]);
                let start = Duration::from_secs(at as u64);
                at += 1;
                (epoch + start, day + start + width / 2, epoch + start + width)
            });
            (pair, at)
        };
        let origin = ClockPair { monotonic: epoch, time_of_day: day };
        let (pair, readings) = read(&[150_000, 40_000, 3]);
        assert_eq!((pair.unwrap().jump_s(origin), readings), (0.0, 3));
        let (pair, readings) = read(&[150_000, 90, 300]);
        assert_eq!(pair.unwrap().monotonic, epoch + Duration::from_secs(1) + Duration::from_micros(45));
        assert_eq!(readings, 20);
        assert_eq!(read(&[150_000]).0, None);
    }

    #[test]
    fn a_thread_that_ended_counts_as_it_was_seen_last() {
        let times = |cpu_ms, delay_ms: Option<u64>| ThreadTimes {
            cpu: Duration::from_millis(cpu_ms),
            run_queue_delay: delay_ms.map(Duration::from_millis),
        };
        let begin = ThreadWatch { threads: [(1, times(100, Some(10)))].into() };
        let told = |watch: &ThreadWatch| {
            let mut cpu = CpuUse::default();
            watch.tell_since(&begin, &[], &mut cpu);
            assert_eq!(cpu.busiest_work_s, cpu.busiest_thread_s);
            (cpu.busiest_thread_s, cpu.run_queue_delay_s)
        };
        let mut watch = begin.clone();
        watch.see(vec![(1, times(200, Some(20))), (2, times(50, Some(5)))]);
        watch.see(vec![(2, times(350, Some(7)))]);
        assert_eq!(told(&watch), (Some(0.35), Some(0.017)));
        watch.see(vec![(3, times(1, None))]);
        assert_eq!(told(&watch).1, None);
        assert_eq!(told(&ThreadWatch::default()), (None, None));
    }

    #[test]
    fn the_thread_that_only_watched_the_clock_is_not_the_one_that_worked_most() {
        let used = |cpu_ms| ThreadTimes { cpu: Duration::from_millis(cpu_ms), run_queue_delay: None };
        let watch = ThreadWatch { threads: [(1, used(1_000)), (2, used(400))].into() };
        let mut cpu = CpuUse::default();
        let watched = [(Some(1), Duration::from_millis(900)), (Some(2), Duration::from_millis(50))];
        watch.tell_since(&ThreadWatch::default(), &watched, &mut cpu);
        assert_eq!((cpu.busiest_thread_s, cpu.busiest_work_s), (Some(1.0), Some(0.35)));
        assert!((cpu.watched_s - 0.95).abs() < 1e-9);
        // Unknown threads count in the sum.
        watch.tell_since(&ThreadWatch::default(), &[(None, Duration::from_millis(900))], &mut cpu);
        assert_eq!((cpu.busiest_work_s, cpu.watched_s), (Some(1.0), 0.9));
    }

    #[test]
    fn a_device_that_came_or_went_between_two_snapshots_is_left_out() {
        let device = |name: &str, read_count| DeviceCounters {
            name: name.into(),
            read_count,
            ..DeviceCounters::default()
        };
        let earlier = DeviceSnapshot { devices: vec![device("a", 5), device("gone", 1)] };
        let later = DeviceSnapshot { devices: vec![device("new", 9), device("a", 8)] };
        assert_eq!(later.since(&earlier), [device("a", 3)]);
    }

    #[test]
    fn this_host_has_an_id_that_is_the_same_twice() {
        assert_eq!(host_id(), host_id());
        assert!(!host_id().is_empty());
    }
}
