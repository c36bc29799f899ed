//! Physical machine, hypervisor or cloud, as the firmware names itself.

use iotrial_model::host_fact::{FactId, FactValue};

use crate::block::Kernel;
use crate::reading::Facts;
use crate::text;

/// Azure gives every machine this asset tag, which tells it from any other Hyper-V.
// learn.microsoft.com/azure/virtual-machines, and cloud-init's datasource of Azure (DataSourceAzure.py).
const AZURE_ASSET_TAG: &str = "7783-7084-3265-9085-8269-3286-77";

/// What the firmware and the CPU say of the machine.
#[derive(Debug, Default)]
struct Firmware {
    vendor: String,
    product: String,
    asset_tag: String,
    bios: String,
    hypervisor: String,
    /// Whether the CPU says that it is virtual; `None` where the kernel lists no flags of it.
    is_guest: Option<bool>,
}

/// Reads the platform and the machine type.
pub(crate) fn read(kernel: &Kernel, facts: &mut Facts<'_>) {
    let dmi = kernel.sys.join("class/dmi/id");
    let line = |name: &str| text::line(&dmi.join(name)).unwrap_or_default();
    let cpuinfo = text::line(&kernel.proc.join("cpuinfo")).unwrap_or_default();
    let firmware = Firmware {
        vendor: line("sys_vendor"),
        product: line("product_name"),
        asset_tag: line("chassis_asset_tag"),
        bios: line("bios_vendor"),
        hypervisor: text::line(&kernel.sys.join("hypervisor/type")).unwrap_or_default(),
        is_guest: cpu_flags(&cpuinfo).map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
    };
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
}

/// The line `flags` of x86. Other CPUs do not say whether they are virtual.
fn cpu_flags(cpuinfo: &str) -> Option<&str> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "flags").then(|| value.trim())
    })
}

impl Firmware {
    /// One word for it; `None` where nothing tells.
    fn platform(&self) -> Option<&'static str> {
        // The clouds first: their machines name the hypervisor's vendor as well.
        let known = [
            (self.asset_tag.contains("OracleCloud"), "oci"),
            (self.asset_tag == AZURE_ASSET_TAG, "azure"),
            (self.vendor.contains("Amazon EC2") || self.bios.contains("Amazon EC2"), "aws"),
            // Of the generations on Xen, whose firmware says `4.11.amazon`.
            (self.bios.ends_with("amazon") || self.product.ends_with("amazon"), "aws"),
            (self.product.contains("Google Compute Engine"), "gcp"),
            (self.vendor.contains("Alibaba Cloud"), "alibaba"),
            (self.vendor.contains("VMware"), "vmware"),
            (self.vendor.contains("Microsoft") && self.product.contains("Virtual Machine"), "hyperv"),
            (self.vendor.contains("innotek"), "virtualbox"),
            (self.hypervisor == "xen" || self.vendor == "Xen", "xen"),
            (self.vendor.contains("QEMU") || self.product.contains("KVM"), "kvm"),
            (self.product.contains("OpenStack"), "kvm"),
        ];
        let named = known.into_iter().find(|(is_so, _)| *is_so).map(|(_, word)| word);
        named.or(match self.is_guest {
            Some(true) => Some("virtual"),
            // Without firmware that speaks, as in a container, a missing flag alone proves nothing.
            Some(false) if !self.vendor.is_empty() => Some("physical"),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clouds_are_told_from_the_hypervisors_that_they_use() {
        let check = |vendor: &str, product: &str, asset_tag: &str, is_guest, expected: Option<&str>| {
            let firmware = Firmware {
                vendor: vendor.into(),
                product: product.into(),
                asset_tag: asset_tag.into(),
                is_guest,
                ..Firmware::default()
            };
            assert_eq!(firmware.platform(), expected, "{vendor} {product}");
        };
        let microsoft = "Microsoft Corporation";
        check(microsoft, "Virtual Machine", AZURE_ASSET_TAG, Some(true), Some("azure"));
        check(microsoft, "Virtual Machine", "1234", Some(true), Some("hyperv"));
        check("QEMU", "Standard PC", "OracleCloud.com", Some(true), Some("oci"));
        check("QEMU", "Standard PC", "", Some(true), Some("kvm"));
        check("Amazon EC2", "m6i.large", "", Some(true), Some("aws"));
        check("Dell Inc.", "PowerEdge R750", "", Some(false), Some("physical"));
        check("", "", "", Some(true), Some("virtual"));
        check("", "", "", Some(false), None);
        check("", "", "", None, None);
    }
}
