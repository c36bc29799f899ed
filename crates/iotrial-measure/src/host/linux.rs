//! What Linux counts while a load runs: `/proc`.

use std::fs;
use std::time::Duration;

use iotrial_model::record::DeviceCounters;

use super::{CpuSnapshot, DeviceSnapshot, HostTimes, ThreadTimes};
use crate::disk_stats::{DiskStat, parse_disk_stats};

pub(super) fn host_id() -> String {
    let machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"].iter().find_map(|path| read_line(path));
    machine.unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned())
}

pub(super) fn cpu_snapshot() -> CpuSnapshot {
    let ticks_per_second = rustix::param::clock_ticks_per_second();
    let own = read("/proc/self/stat").and_then(|text| process_ticks(&text)).unwrap_or_default();
    let host = read("/proc/stat").and_then(|text| host_ticks(&text));
    let time = |ticks: u64| ticks_to_duration(ticks, ticks_per_second);
    CpuSnapshot {
        clocks: None,
        user: time(own.0),
        system: time(own.1),
        involuntary_switch_count: involuntary_switch_count(),
        host: host.map(|(busy, steal)| HostTimes { busy: time(busy), steal: Some(time(steal)) }),
    }
}

/// Of all threads, those that have ended too, which no file below `/proc` tells.
fn involuntary_switch_count() -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    #[expect(unsafe_code, reason = "getrusage is not in rustix")]
    // SAFETY: the kernel fills the whole structure when the call succeeds, and only then it is read.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    u64::try_from(usage.ru_nivcsw).ok()
}

pub(super) fn thread_id() -> Option<u64> {
    u64::try_from(rustix::thread::gettid().as_raw_nonzero().get()).ok()
}

/// Timer, interrupt and scheduler of an idle virtual CPU: nine of ten sleeps end within 42 µs.
pub(super) const WAKES_LATE_BY_NS: u64 = 50_000;

/// Linux otherwise lets a timer wait up to 50 µs for company.
pub(super) fn wake_on_time() {
    // 1 ns, because 0 would mean the usual slack again (PR_SET_TIMERSLACK). A failure only leaves the sleeps
    // as they are.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

pub(super) fn waited_for_cpu() -> Duration {
    let times = read("/proc/thread-self/schedstat").and_then(|text| schedstat(&text));
    times.and_then(|times| times.run_queue_delay).unwrap_or_default()
}

pub(super) fn thread_times() -> Vec<(u64, ThreadTimes)> {
    let ticks_per_second = rustix::param::clock_ticks_per_second();
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let times = threads.filter_map(|thread| {
        // A thread that ended since the directory was read has no files any more, and is passed over.
        let number = thread.file_name().to_str()?.parse().ok()?;
        let read = |name| fs::read_to_string(thread.path().join(name)).ok();
        // A kernel without CONFIG_SCHED_INFO has no schedstat.
        let times = read("schedstat").and_then(|text| schedstat(&text)).or_else(|| {
            let (user, system) = process_ticks(&read("stat")?)?;
            let cpu = ticks_to_duration(user + system, ticks_per_second);
            Some(ThreadTimes { cpu, run_queue_delay: None })
        });
        Some((number, times?))
    });
    times.collect()
}

/// `/proc/PID/task/TID/schedstat` (Documentation/scheduler/sched-stats.rst): time on a CPU, time waiting for
/// one, both in ns, and the number of timeslices.
fn schedstat(text: &str) -> Option<ThreadTimes> {
    let mut fields = text.split_whitespace().map_while(|field| field.parse().ok().map(Duration::from_nanos));
    Some(ThreadTimes { cpu: fields.next()?, run_queue_delay: Some(fields.next()?) })
}

pub(super) fn device_snapshot(names: impl IntoIterator<Item: AsRef<str>>) -> DeviceSnapshot {
    // One file for all devices, and not `/sys/block/*/stat` of each: its lines are made one right after the
    // other, so that the levels of a chain, which are compared with each other, were counted at nearly the
    // same moment.
    let all = read("/proc/diskstats").map(|text| disk_counters(&text)).unwrap_or_default();
    let find = |name: &str| all.iter().find(|device| device.name == name).cloned();
    let named = names.into_iter().filter_map(|name| find(name.as_ref()));
    DeviceSnapshot { devices: named.collect() }
}

fn read(path: &str) -> Option<String> {
    // As bytes: names that firmware and administrators chose are in these files, and one byte that is not
    // UTF-8 would hide the rest.
    fs::read(path).ok().map(|text| String::from_utf8_lossy(&text).into_owned())
}

fn read_line(path: &str) -> Option<String> {
    let line = read(path)?.trim().to_owned();
    (!line.is_empty()).then_some(line)
}

/// `utime` and `stime` of `/proc/self/stat`, fields 14 and 15; the name before them may hold anything.
fn process_ticks(stat: &str) -> Option<(u64, u64)> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Busy and stolen time of all CPUs: `cpu user nice system idle iowait irq softirq steal guest guest_nice`.
/// Guests are part of user and nice already.
fn host_ticks(stat: &str) -> Option<(u64, u64)> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).collect();
    // Waiting for I/O is idle time: the CPU has nothing to run. Old kernels have fewer columns behind these.
    let [user, nice, system, _idle, _iowait, irq, softirq, more @ ..] = ticks.as_slice() else { return None };
    let busy =
        [user, nice, system, irq, softirq].into_iter().try_fold(0u64, |sum, part| sum.checked_add(*part))?;
    Some((busy, more.first().copied().unwrap_or(0)))
}

fn ticks_to_duration(ticks: u64, ticks_per_second: u64) -> Duration {
    let per_second = ticks_per_second.max(1);
    let rest_ns = u128::from(ticks % per_second) * 1_000_000_000 / u128::from(per_second);
    Duration::from_secs(ticks / per_second) + Duration::from_nanos(u64::try_from(rest_ns).unwrap_or(0))
}

/// What a record keeps of each device.
fn disk_counters(diskstats: &str) -> Vec<DeviceCounters> {
    let bytes = |sectors: u64| sectors.saturating_mul(512);
    let of = |stat: DiskStat| DeviceCounters {
        name: stat.name,
        read_count: stat.read_count,
        read_merge_count: stat.read_merge_count,
        read_bytes: bytes(stat.read_sectors),
        write_count: stat.write_count,
        write_merge_count: stat.write_merge_count,
        write_bytes: bytes(stat.write_sectors),
        flush_count: stat.flush_count,
    };
    parse_disk_stats(diskstats).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_times_are_found_behind_any_name() {
        let stat = "12 (a) b) c) S 1 1 1 0 -1 4194304 100 0 0 0 250 130 0 0 20 0 1 0 99 0";
        assert_eq!(process_ticks(stat), Some((250, 130)));
        assert_eq!(process_ticks("12 (a) S 1"), None);
        assert_eq!(ticks_to_duration(250, 100), Duration::from_millis(2500));
    }

    #[test]
    fn schedstat_tells_time_on_a_cpu_and_time_waiting_for_one() {
        let times =
            ThreadTimes { cpu: Duration::from_nanos(2_500), run_queue_delay: Some(Duration::from_nanos(70)) };
        assert_eq!(schedstat("2500 70 12\n"), Some(times));
        assert_eq!(schedstat("2500"), None);
    }

    #[test]
    fn this_process_has_threads_that_used_cpu_and_lost_it() {
        assert!(!thread_times().is_empty());
        let before = involuntary_switch_count();
        assert!(before.is_some() && involuntary_switch_count() >= before);
    }

    #[test]
    fn host_times_leave_out_idle_and_waiting_and_count_guests_once() {
        let stat = "cpu  100 10 50 9999 888 5 6 7 40 4\ncpu0 1 2 3\n";
        assert_eq!(host_ticks(stat), Some((171, 7)));
        assert_eq!(host_ticks("cpu  1 2 3"), None);
        assert_eq!(host_ticks(""), None);
    }

    #[test]
    fn disk_counters_are_read_in_the_old_and_the_new_form() {
        let text = "\
 254 0 vda 10 1 80 5 20 2 160 9 0 7 14 3 0 24 1 11 2
   8 1 sda1 10 1 80 5 20 2 160 9 0 7 14
   8 2 sda2 10 80 20 160
";
        let devices = disk_counters(text);
        assert_eq!(devices.len(), 2);
        let vda = DeviceCounters {
            name: "vda".into(),
            read_count: 10,
            read_merge_count: 1,
            read_bytes: 40960,
            write_count: 20,
            write_merge_count: 2,
            write_bytes: 81920,
            flush_count: 11,
        };
        assert_eq!(devices[0], vda);
        assert_eq!(devices[1], DeviceCounters { name: "sda1".into(), flush_count: 0, ..vda });
    }

    #[test]
    fn garbage_gives_nothing_and_never_a_panic() {
        let max = "cpu  18446744073709551615 18446744073709551615 1 1 1 1 1 1";
        for text in ["", "\n\n", ")", "cpu ", ": : :", "\u{fffd} \u{0} ) (", max] {
            assert!(disk_counters(text).is_empty());
            assert_eq!((process_ticks(text), host_ticks(text)), (None, None), "{text}");
        }
    }

    #[test]
    fn the_counters_of_this_kernel_are_read() {
        let now = cpu_snapshot();
        assert!(now.host.is_some());
        let name =
            disk_counters(&read("/proc/diskstats").unwrap_or_default()).first().map(|d| d.name.clone());
        if let Some(name) = name {
            assert_eq!(device_snapshot([name.as_str(), "none-such"]).devices.len(), 1);
        }
    }
}
