//! The machine as Windows shows it: the registry, the tables of the firmware, and the processors of all groups.

use std::env;

use iotrial_model::record::Host;
use iotrial_model::units::ByteSize;
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{ALL_PROCESSOR_GROUPS, GetActiveProcessorCount};

use crate::firmware::Firmware;
use crate::smbios::Smbios;
use crate::windows_api as api;

/// Where the version is.
pub(crate) const VERSION: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";
const PROCESSOR: &str = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0";

pub(super) fn machine() -> Host {
    Host {
        name: env::var("COMPUTERNAME").unwrap_or_else(|_| "unknown".to_owned()),
        os: os(),
        kernel: build(),
        cpu_model: api::registry_text(PROCESSOR, "ProcessorNameString")
            .ok()
            .filter(|name| !name.is_empty())
            .or_else(|| env::var("PROCESSOR_IDENTIFIER").ok()),
        host_cpu_count: cpu_count(),
        cpu_count: std::thread::available_parallelism()
            .map_or(1, |count| count.get().try_into().unwrap_or(1)),
        memory: memory(),
        virtualization: firmware().virtualization(),
        clock_source: Some("QueryPerformanceCounter".to_owned()),
    }
}

/// `Windows Server 2022 Datacenter 21H2`, as the registry has it; clients since Windows 11 call themselves 10 there.
fn os() -> String {
    let text = |name| api::registry_text(VERSION, name).ok().filter(|text| !text.is_empty());
    let product = text("ProductName").unwrap_or_else(|| "Windows".to_owned());
    let product = match text("CurrentBuildNumber").and_then(|build| build.parse::<u32>().ok()) {
        // learn.microsoft.com/windows/release-health: the first build of Windows 11.
        Some(22_000..) => product.replacen("Windows 10", "Windows 11", 1),
        _ => product,
    };
    match text("DisplayVersion") {
        Some(release) => format!("{product} {release}"),
        None => product,
    }
}

/// Version, build and update: `10.0.20348.2700`.
pub(crate) fn build() -> Option<String> {
    let build = api::registry_text(VERSION, "CurrentBuildNumber").ok().filter(|build| !build.is_empty())?;
    let part = |name| api::registry_number(VERSION, name);
    let version = match (part("CurrentMajorVersionNumber"), part("CurrentMinorVersionNumber")) {
        (Some(major), Some(minor)) => format!("{major}.{minor}"),
        // Before Windows 10, which leaves 6.3 here for programs that look no further.
        _ => api::registry_text(VERSION, "CurrentVersion").ok()?,
    };
    let update = part("UBR").map(|update| format!(".{update}")).unwrap_or_default();
    Some(format!("{version}.{build}{update}"))
}

/// What the firmware says of the machine.
// Not what the CPU says: it names a hypervisor on a physical machine as well, where Windows guards itself with one.
pub(crate) fn firmware() -> Firmware {
    let Smbios { bios_vendor, manufacturer, product, chassis_asset_tag } =
        Smbios::read(&api::firmware_tables());
    Firmware {
        vendor: manufacturer,
        product,
        asset_tag: chassis_asset_tag,
        bios: bios_vendor,
        ..Firmware::default()
    }
}

/// Logical processors of all groups, of which a program begins in one: a group has 64 at most.
pub(crate) fn cpu_count() -> Option<u32> {
    #[expect(unsafe_code, reason = "processor groups are not in std")]
    // SAFETY: it takes a number.
    let count = unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) };
    (count > 0).then_some(count)
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
