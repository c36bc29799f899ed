//! What Windows counts while a load runs.

use std::env;
use std::time::Duration;

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::Media::timeBeginPeriod;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes, GetSystemTimes};

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
    // The kernel's time has the idle one in it. Stolen time is not told.
    let busy = (duration(kernel) + duration(user)).saturating_sub(duration(idle));
    let host = (told != 0).then_some(HostTimes { busy, steal: Duration::ZERO });
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

/// Threads are not looked at here yet.
pub(super) fn thread_id() -> Option<u64> {
    None
}

pub(super) fn thread_times() -> Vec<(u64, ThreadTimes)> {
    Vec::new()
}

/// Device counters are not read here yet.
pub(super) fn device_snapshot(_: impl IntoIterator<Item: AsRef<str>>) -> DeviceSnapshot {
    DeviceSnapshot::default()
}

/// A [`FILETIME`] as a time that passed, in units of 100 ns.
fn duration(time: FILETIME) -> Duration {
    let units = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    Duration::from_nanos(units.saturating_mul(100))
}
