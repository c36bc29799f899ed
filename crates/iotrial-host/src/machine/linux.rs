//! The machine as Linux shows it: what the parts of a check are read from, `/etc/os-release` and `uname`.

use iotrial_model::host_fact::{FactId, FactValue};
use iotrial_model::record::Host;
use iotrial_model::units::ByteSize;

use crate::block::Kernel;
use crate::{platform, system, text};

pub(super) fn machine() -> Host {
    let kernel = Kernel::this();
    let uname = rustix::system::uname();
    let read = |path: &str| text::line(&kernel.file(path)).ok();
    let os = ["/etc/os-release", "/usr/lib/os-release"].iter().find_map(|path| pretty_name(&read(path)?));
    // The same reading as that of a check, so that a record cannot say one thing here and another there.
    let part = system::host(&kernel);
    let memory = match part.value(FactId::Memory) {
        Some(FactValue::Number(bytes)) => u64::try_from(*bytes).ok(),
        _ => None,
    };
    Host {
        name: uname.nodename().to_string_lossy().into_owned(),
        os: os.unwrap_or_else(|| uname.sysname().to_string_lossy().into_owned()),
        kernel: Some(uname.release().to_string_lossy().into_owned()),
        cpu_model: read("/proc/cpuinfo").and_then(|text| cpu_model(&text)),
        // What this process may use, which affinity and the quota of a container make less than the host has.
        cpu_count: std::thread::available_parallelism()
            .map_or(1, |count| count.get().try_into().unwrap_or(1)),
        host_cpu_count: read("/proc/stat").and_then(|text| cpu_count(&text)),
        memory: memory.map(ByteSize::bytes),
        virtualization: platform::virtualization(&kernel),
        clock_source: part.value(FactId::ClockSource).map(ToString::to_string),
    }
}

/// The CPUs with a line of their own in `/proc/stat`, which the sums of its first line are over.
fn cpu_count(stat: &str) -> Option<u32> {
    let is_cpu = |line: &&str| {
        line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    u32::try_from(stat.lines().filter(is_cpu).count()).ok().filter(|count| *count > 0)
}

/// The value of `PRETTY_NAME` in os-release(5).
fn pretty_name(os_release: &str) -> Option<String> {
    let value = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?.trim();
    let unquoted = value.trim_matches(['"', '\'']);
    (!unquoted.is_empty()).then(|| unquoted.to_owned())
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    // x86, then POWER and s390x, then some ARM boards; 64-bit ARM servers name no model.
    ["model name", "cpu", "Processor"]
        .iter()
        .find_map(|name| platform::field(cpuinfo, name))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn os_release_is_read_with_and_without_quotes() {
        assert_eq!(pretty_name("NAME=x\nPRETTY_NAME=\"Debian 12\"\n").as_deref(), Some("Debian 12"));
        assert_eq!(pretty_name("PRETTY_NAME=Alpine\n").as_deref(), Some("Alpine"));
        assert_eq!(pretty_name("PRETTY_NAME=\"\"\nNAME=y"), None);
    }

    #[test]
    fn the_model_of_the_cpu_is_read_from_its_file() {
        assert_eq!(
            cpu_model("processor\t: 0\nmodel name\t: AMD EPYC 9J14\n").as_deref(),
            Some("AMD EPYC 9J14")
        );
        assert_eq!(cpu_model("processor : 0\ncpu\t: POWER9 (raw)\n").as_deref(), Some("POWER9 (raw)"));
        assert_eq!(cpu_model("processor : 0\n"), None);
    }

    #[test]
    fn garbage_gives_nothing_and_never_a_panic() {
        for text in ["", "\n\n", ")", "cpu ", ": : :", "\u{fffd} \u{0} ) ("] {
            assert_eq!((pretty_name(text), cpu_model(text), cpu_count(text)), (None, None, None));
        }
    }
}
