//! Settings of the kernel, its memory and CPUs.

use iotrial_model::host_fact::{FactId, FactValue, Part, PartKind};

use crate::block::{Kernel, entries, file_name};
use crate::platform;
use crate::reading::{Facts, Parse, choice, number, word};
use crate::text;

/// Below `/proc/sys`: what every kernel has.
const SYSCTLS: [(FactId, &str); 11] = [
    (FactId::Swappiness, "vm/swappiness"),
    (FactId::DirtyRatio, "vm/dirty_ratio"),
    (FactId::DirtyBackgroundRatio, "vm/dirty_background_ratio"),
    (FactId::DirtyBytes, "vm/dirty_bytes"),
    (FactId::DirtyBackgroundBytes, "vm/dirty_background_bytes"),
    (FactId::DirtyExpire, "vm/dirty_expire_centisecs"),
    (FactId::DirtyWriteback, "vm/dirty_writeback_centisecs"),
    (FactId::MaxMapCount, "vm/max_map_count"),
    (FactId::AioMaxNr, "fs/aio-max-nr"),
    (FactId::SocketReadMax, "net/core/rmem_max"),
    (FactId::SocketWriteMax, "net/core/wmem_max"),
];

/// The host as a part.
pub(crate) fn host(kernel: &Kernel) -> Part {
    let mut facts = Facts::new(kernel);
    platform::read(kernel, &mut facts);
    facts.read(FactId::Kernel, &kernel.proc.join("sys/kernel/osrelease"), word);
    cpus(kernel, &mut facts);
    memory(kernel, &mut facts);
    for (id, place) in SYSCTLS {
        facts.read(id, &kernel.proc.join("sys").join(place), number);
    }
    // Kernels since 6.6 have it; before, nobody could switch io_uring off.
    facts.read_if_there(FactId::IoUringDisabled, &kernel.proc.join("sys/kernel/io_uring_disabled"), number);
    // Present where the module is loaded, and only then of consequence.
    let modules: [(FactId, &str, Parse); 2] = [
        (FactId::NfsSessionSlots, "nfs/parameters/max_session_slots", number),
        (FactId::NvmeTimeout, "nvme_core/parameters/io_timeout", number),
    ];
    for (id, place, parse) in modules {
        facts.read_if_there(id, &kernel.sys.join("module").join(place), parse);
    }
    for (id, name) in
        [(FactId::RpcSlots, "tcp_slot_table_entries"), (FactId::RpcMaxSlots, "tcp_max_slot_table_entries")]
    {
        facts.read_if_there(id, &kernel.proc.join("sys/sunrpc").join(name), number);
    }
    facts.read_if_there(FactId::TunedProfile, &kernel.file("/etc/tuned/active_profile"), word);
    let name = text::line(&kernel.proc.join("sys/kernel/hostname")).unwrap_or_default();
    Part { facts: facts.into_list(), ..Part::new(PartKind::Host, name) }
}

fn cpus(kernel: &Kernel, facts: &mut Facts<'_>) {
    let devices = kernel.sys.join("devices/system");
    facts.read(FactId::CpuCount, &devices.join("cpu/online"), |text| {
        count_of_ranges(text).map(FactValue::Number)
    });
    let cpus = entries(&devices.join("cpu"));
    let is_cpu = |name: &str| name.strip_prefix("cpu").is_some_and(|number| number.parse::<u32>().is_ok());
    let governors = cpus.iter().filter(|path| is_cpu(&file_name(path)));
    let mut governors: Vec<String> =
        governors.filter_map(|path| text::line(&path.join("cpufreq/scaling_governor")).ok()).collect();
    governors.sort();
    governors.dedup();
    // A guest mostly has none: the host decides on the frequency.
    if !governors.is_empty() {
        let from = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
        facts.known(FactId::CpuGovernor, FactValue::text(governors.join(", ")), from);
    }
    facts.read_if_there(FactId::NumaNodes, &devices.join("node/online"), |text| {
        count_of_ranges(text).map(FactValue::Number)
    });
    facts.read_if_there(FactId::NumaBalancing, &kernel.proc.join("sys/kernel/numa_balancing"), number);
    facts.read(FactId::ClockSource, &devices.join("clocksource/clocksource0/current_clocksource"), word);
}

fn memory(kernel: &Kernel, facts: &mut Facts<'_>) {
    let meminfo = kernel.proc.join("meminfo");
    facts.read(FactId::Memory, &meminfo, |text| {
        meminfo_kib(text, "MemTotal").and_then(|kib| kib.checked_mul(1024)).map(FactValue::Number)
    });
    facts.read(FactId::HugePages, &meminfo, |text| {
        let (count, size) = (meminfo_kib(text, "HugePages_Total")?, meminfo_kib(text, "Hugepagesize")?);
        count.checked_mul(size)?.checked_mul(1024).map(FactValue::Number)
    });
    let enabled = kernel.sys.join("kernel/mm/transparent_hugepage/enabled");
    facts.read(FactId::TransparentHugePages, &enabled, choice);
}

/// The number of a line such as `MemTotal: 16384 kB`; of counts the number as it is.
fn meminfo_kib(text: &str, name: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

/// How many numbers `0-3,8` stands for.
fn count_of_ranges(text: &str) -> Option<i64> {
    let mut count = 0i64;
    for range in text.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (i64, i64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_memory_are_read_and_garbage_is_not() {
        assert_eq!(count_of_ranges("0-3,8"), Some(5));
        assert_eq!(count_of_ranges("0"), Some(1));
        for garbage in ["", "a", "1-", "-9223372036854775808-9223372036854775807"] {
            assert_eq!(count_of_ranges(garbage), None, "{garbage}");
        }
        let text = "MemTotal:       16384 kB\nHugePages_Total:     512\nHugepagesize:       2048 kB\n";
        assert_eq!(meminfo_kib(text, "MemTotal"), Some(16384));
        assert_eq!(meminfo_kib(text, "HugePages_Total"), Some(512));
        assert_eq!(meminfo_kib(text, "Mem"), None);
    }
}
