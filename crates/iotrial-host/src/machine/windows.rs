//! The machine as Windows shows it.

use std::env;

use iotrial_model::record::Host;
use iotrial_model::units::ByteSize;
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};

pub(super) fn machine() -> Host {
    Host {
        name: env::var("COMPUTERNAME").unwrap_or_else(|_| "unknown".to_owned()),
        os: "Windows".to_owned(),
        kernel: None,
        cpu_model: env::var("PROCESSOR_IDENTIFIER").ok(),
        host_cpu_count: None,
        cpu_count: std::thread::available_parallelism()
            .map_or(1, |count| count.get().try_into().unwrap_or(1)),
        memory: memory(),
        virtualization: None,
        clock_source: Some("QueryPerformanceCounter".to_owned()),
    }
}

/// Main memory as Windows counts it; `None` where it does not tell.
pub(crate) fn memory() -> Option<ByteSize> {
    let length = u32::try_from(size_of::<MEMORYSTATUSEX>()).ok()?;
    let mut status = MEMORYSTATUSEX { dwLength: length, ..MEMORYSTATUSEX::default() };
    #[expect(unsafe_code, reason = "main memory is not in std")]
    // SAFETY: the structure tells its own length, and outlives the call.
    let told = unsafe { GlobalMemoryStatusEx(&raw mut status) };
    (told != 0).then_some(ByteSize::bytes(status.ullTotalPhys))
}
