//! What Windows counts while a load runs.

use std::env;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use iotrial_model::record::DeviceCounters;
use windows_sys::Win32::Foundation::{FILETIME, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Media::timeBeginPeriod;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThreadId, GetProcessTimes, GetSystemTimes, GetThreadTimes, OpenThread,
    THREAD_QUERY_LIMITED_INFORMATION,
};

use crate::disk_stats::os::CountedDisk;

use super::{CpuSnapshot, DeviceSnapshot, HostTimes, ThreadTimes};

pub(super) fn host_id() -> String {
    env::var("COMPUTERNAME").unwrap_or_else(|_| "unknown".to_owned())
}

pub(super) fn waited_for_cpu() -> Duration {
    Duration::ZERO
}

pub(super) fn cpu_snapshot() -> CpuSnapshot {
    let zero = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let (mut made, mut ended, mut kernel, mut user) = (zero, zero, zero, zero);
    #[expect(unsafe_code, reason = "CPU time is not in std")]
    // SAFETY: the handle of the own process is always valid, and the times outlive the call.
    let told = unsafe {
        GetProcessTimes(GetCurrentProcess(), &raw mut made, &raw mut ended, &raw mut kernel, &raw mut user)
    };
    let own = if told == 0 { (zero, zero) } else { (user, kernel) };

    let (mut idle, mut kernel, mut user) = (zero, zero, zero);
    #[expect(unsafe_code, reason = "CPU time is not in std")]
    // SAFETY: the times outlive the call.
    let told = unsafe { GetSystemTimes(&raw mut idle, &raw mut kernel, &raw mut user) };
    // The kernel's time has the idle one in it.
    let busy = (duration(kernel) + duration(user)).saturating_sub(duration(idle));
    let host = (told != 0).then_some(HostTimes { busy, steal: None });
    CpuSnapshot { user: duration(own.0), system: duration(own.1), host, ..CpuSnapshot::default() }
}

/// Windows looks at its timers once a millisecond at best.
pub(super) const WAKES_LATE_BY_NS: u64 = 1_000_000;

/// Has it do so, for as long as this process lives; otherwise it looks 64 times a second.
pub(super) fn wake_on_time() {
    #[expect(unsafe_code, reason = "the period of timers is not in std")]
    // SAFETY: it takes a number, and a number that is refused changes nothing.
    let _ = unsafe { timeBeginPeriod(1) };
}

/// The number of this thread.
pub(super) fn thread_id() -> Option<u64> {
    #[expect(unsafe_code, reason = "the number of a thread is not in std")]
    // SAFETY: it takes nothing and always has an answer.
    Some(unsafe { GetCurrentThreadId() }.into())
}

/// CPU time of each thread of this process. Windows counts it by whole ticks of its clock, 15.6 ms, and does not count how long a thread
/// waited for a CPU.
pub(super) fn thread_times() -> Vec<(u64, ThreadTimes)> {
    let times = |id: u32| Some((id.into(), ThreadTimes { cpu: cpu_of_thread(id)?, run_queue_delay: None }));
    threads_of_this_process().into_iter().filter_map(times).collect()
}

/// Their numbers. Windows shows the threads of all processes at once or none; none where that fails.
fn threads_of_this_process() -> Vec<u32> {
    #[expect(unsafe_code, reason = "threads are not in std")]
    // SAFETY: it takes numbers; the handle is this function's alone, and is closed when it is dropped.
    let snapshot = unsafe {
        let handle = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
        if handle == INVALID_HANDLE_VALUE {
            return Vec::new();
        }
        OwnedHandle::from_raw_handle(handle)
    };
    let mut threads = Vec::new();
    let length = u32::try_from(size_of::<THREADENTRY32>()).expect("28");
    let mut entry = THREADENTRY32 { dwSize: length, ..THREADENTRY32::default() };
    #[expect(unsafe_code, reason = "threads are not in std")]
    // SAFETY: the snapshot is open; the entry tells its own length, and outlives the call.
    let mut is_there = unsafe { Thread32First(snapshot.as_raw_handle(), &raw mut entry) };
    while is_there != 0 {
        if entry.th32OwnerProcessID == std::process::id() {
            threads.push(entry.th32ThreadID);
        }
        // Each call says anew how much it filled.
        entry.dwSize = length;
        #[expect(unsafe_code, reason = "threads are not in std")]
        // SAFETY: as above.
        let next = unsafe { Thread32Next(snapshot.as_raw_handle(), &raw mut entry) };
        is_there = next;
    }
    threads
}

/// User and kernel; `None` of a thread that has ended meanwhile.
fn cpu_of_thread(id: u32) -> Option<Duration> {
    #[expect(unsafe_code, reason = "threads are not in std")]
    // SAFETY: it takes numbers; the handle is this function's alone, and is closed when it is dropped.
    let thread = unsafe {
        let handle = OpenThread(THREAD_QUERY_LIMITED_INFORMATION, 0, id);
        if handle.is_null() {
            return None;
        }
        OwnedHandle::from_raw_handle(handle)
    };
    let zero = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let (mut made, mut ended, mut kernel, mut user) = (zero, zero, zero, zero);
    #[expect(unsafe_code, reason = "CPU time is not in std")]
    // SAFETY: the handle is open, and the times outlive the call.
    let told = unsafe {
        GetThreadTimes(thread.as_raw_handle(), &raw mut made, &raw mut ended, &raw mut kernel, &raw mut user)
    };
    (told != 0).then(|| duration(user) + duration(kernel))
}

/// Disks that were asked before, kept open: what they counted goes on from what was read last.
static DISKS: Mutex<Vec<CountedDisk>> = Mutex::new(Vec::new());

/// A disk that cannot be asked is absent.
pub(super) fn device_snapshot(names: impl IntoIterator<Item: AsRef<str>>) -> DeviceSnapshot {
    let mut disks = DISKS.lock().unwrap_or_else(PoisonError::into_inner);
    let devices = names.into_iter().filter_map(|name| counters(&mut disks, name.as_ref())).collect();
    DeviceSnapshot { devices }
}

fn counters(disks: &mut Vec<CountedDisk>, name: &str) -> Option<DeviceCounters> {
    let place = disks.iter().position(|disk| disk.name() == name);
    let place = match place {
        Some(place) => place,
        None => {
            disks.push(CountedDisk::open(name).ok()?);
            disks.len() - 1
        }
    };
    let stat = disks[place].read().ok()?;
    Some(DeviceCounters {
        name: stat.name.clone(),
        read_count: stat.read_count,
        read_merge_count: stat.read_merge_count,
        read_bytes: stat.read_sectors.saturating_mul(512),
        write_count: stat.write_count,
        write_merge_count: stat.write_merge_count,
        write_bytes: stat.write_sectors.saturating_mul(512),
        flush_count: stat.flush_count,
    })
}

/// A [`FILETIME`] as a time that passed, in units of 100 ns.
fn duration(time: FILETIME) -> Duration {
    let units = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    Duration::from_nanos(units.saturating_mul(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_works_has_its_time_counted_and_none_waited_for_a_cpu() {
        let before = thread_times();
        let id = thread_id().unwrap();
        let of = |times: &[(u64, ThreadTimes)]| times.iter().find(|(other, _)| *other == id).unwrap().1;
        let mut sum = 0_u64;
        // As long as it takes, whatever the machine is: time counts by ticks.
        while of(&thread_times()).cpu <= of(&before).cpu {
            sum = (0..1_000_000).fold(sum, |sum: u64, more| std::hint::black_box(sum.wrapping_add(more)));
        }
        assert_eq!(of(&before).run_queue_delay, None);
        assert_eq!(cpu_snapshot().host.and_then(|times| times.steal), None);
        // Numbers of threads of Windows are multiples of four.
        assert_eq!(cpu_of_thread(1), None);
    }

    #[test]
    fn a_disk_that_is_not_there_is_absent() {
        assert_eq!(device_snapshot(["PhysicalDrive255", "no such disk"]), DeviceSnapshot::default());
    }
}
