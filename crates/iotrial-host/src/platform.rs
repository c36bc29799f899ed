//! The platform of a host, as its firmware names itself.

use iotrial_model::host_fact::{FactId, FactValue};

use crate::block::Kernel;
use crate::firmware::Firmware;
use crate::reading::Facts;
use crate::text;

/// Reads the platform, the machine type and the shape.
pub(crate) fn read(kernel: &Kernel, facts: &mut Facts<'_>) {
    let firmware = firmware(kernel);
    let from = "/sys/class/dmi/id, /proc/cpuinfo";
    match firmware.platform() {
        Some(platform) => facts.known(FactId::Platform, FactValue::text(platform), from),
        None => facts.unknown(FactId::Platform, "neither the firmware nor the CPU tells", from),
    }
    let machine = [firmware.vendor.as_str(), &firmware.product];
    let machine: Vec<&str> = machine.into_iter().filter(|word| !word.is_empty()).collect();
    if !machine.is_empty() {
        facts.known(FactId::Machine, FactValue::text(machine.join(" ")), "/sys/class/dmi/id/product_name");
    }
    if let Some(shape) = firmware.shape() {
        facts.known(FactId::Shape, FactValue::text(shape), "/sys/class/dmi/id/product_name");
    }
}

/// Hypervisor or cloud in words, as a record names it: the firmware's names say most, then Xen, then only that there is one.
pub(crate) fn virtualization(kernel: &Kernel) -> Option<String> {
    firmware(kernel).virtualization()
}

/// The value of a line such as `model name : AMD EPYC`. Of `flags` only x86 has one: other CPUs do not say whether they are virtual.
pub(crate) fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name && !value.trim().is_empty()).then(|| value.trim())
    })
}

fn firmware(kernel: &Kernel) -> Firmware {
    let dmi = kernel.sys.join("class/dmi/id");
    let line = |name: &str| text::line(&dmi.join(name)).unwrap_or_default();
    let cpuinfo = text::line(&kernel.proc.join("cpuinfo")).unwrap_or_default();
    Firmware {
        vendor: line("sys_vendor"),
        product: line("product_name"),
        asset_tag: line("chassis_asset_tag"),
        bios: line("bios_vendor"),
        hypervisor: text::line(&kernel.sys.join("hypervisor/type")).unwrap_or_default(),
        is_guest: field(&cpuinfo, "flags").map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
    }
}
