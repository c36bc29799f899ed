//! The time stamp counter of x86.
#![expect(unsafe_code, reason = "the counter is read by an instruction")]

use std::arch::x86_64::{__cpuid, _mm_lfence, _rdtsc};

/// How the record names it.
pub(super) const NAME: &str = "tsc";

/// Whether it counts at one speed in all states of the processor (the bit for an invariant TSC), and the
/// kernel, which watches it, takes its own time from it: then it is the same on all CPUs too.
pub(super) fn is_trusted() -> bool {
    const POWER_MANAGEMENT: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    let has_leaf = __cpuid(0x8000_0000).eax >= POWER_MANAGEMENT;
    let is_invariant = has_leaf && __cpuid(POWER_MANAGEMENT).edx & INVARIANT != 0;
    // The bit alone is not enough: firmware that writes to the counters, or a guest that moves between hosts,
    // sets CPUs apart. The kernel compares them and goes over to another source. The clocks of hypervisors
    // (`kvm-clock`) read the counter too, but scale it by factors that may change, so that only the plain one
    // is taken.
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    is_invariant && std::fs::read_to_string(path).is_ok_and(|source| source.trim() == "tsc")
}

/// Ticks since the processor started, read after all earlier instructions.
#[inline]
pub(super) fn ticks() -> u64 {
    // The processor may read the counter before earlier loads are done: without the fence a completion could
    // have a time from before it was seen. What comes later may overtake the reading, by some ns; the
    // kernel's own `rdtsc_ordered` is the same pair.
    // SAFETY: every x86-64 processor has both instructions, and neither touches memory.
    unsafe {
        _mm_lfence();
        _rdtsc()
    }
}
