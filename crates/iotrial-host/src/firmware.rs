//! What the firmware says of a machine: physical, a hypervisor's or a cloud's, and of which shape.

/// Azure gives every machine this asset tag, which tells it from any other Hyper-V.
// learn.microsoft.com/azure/virtual-machines, and cloud-init's datasource of Azure (DataSourceAzure.py).
const AZURE_ASSET_TAG: &str = "7783-7084-3265-9085-8269-3286-77";

/// What the firmware and the CPU say of the machine.
#[derive(Debug, Default)]
pub(crate) struct Firmware {
    pub(crate) vendor: String,
    pub(crate) product: String,
    pub(crate) asset_tag: String,
    pub(crate) bios: String,
    pub(crate) hypervisor: String,
    /// Whether the CPU says that it is virtual; `None` where the kernel lists no flags of it.
    pub(crate) is_guest: Option<bool>,
}

impl Firmware {
    /// The size of a cloud machine, where the firmware says it: that of AWS does, on everything since Nitro and on bare metal
    /// (docs.aws.amazon.com, Amazon EC2, detect whether a host is an EC2 instance). Azure, Google and Oracle put a common name there.
    pub(crate) fn shape(&self) -> Option<&str> {
        let is_type = |name: &&str| {
            name.split_once('.').is_some_and(|(family, size)| !family.is_empty() && !size.is_empty())
        };
        (self.vendor.contains("Amazon EC2")).then_some(self.product.as_str()).filter(is_type)
    }

    /// The hypervisor or cloud, for people; `None` where nothing tells of one.
    pub(crate) fn virtualization(&self) -> Option<String> {
        let firmware = [self.vendor.as_str(), &self.product];
        let firmware = firmware.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ");
        const GUESTS: [&str; 13] = [
            "Amazon EC2",
            "Google Compute",
            "Microsoft Corporation Virtual Machine",
            "OracleCloud",
            "QEMU",
            "KVM",
            "VMware",
            "VirtualBox",
            "Xen",
            "OpenStack",
            "Alibaba Cloud",
            "Nutanix",
            "oVirt",
        ];
        // Bare metal of a cloud carries the cloud's name too, and no hypervisor flag: it is worth the same words.
        if GUESTS.iter().any(|guest| firmware.contains(guest)) {
            return Some(firmware);
        }
        let hypervisor = (!self.hypervisor.is_empty()).then(|| self.hypervisor.clone());
        hypervisor.or_else(|| (self.is_guest == Some(true)).then(|| "virtual machine".to_owned()))
    }

    /// One word for it; `None` where nothing tells.
    pub(crate) fn platform(&self) -> Option<&'static str> {
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
    fn virtualization_is_named_by_firmware_then_by_the_hypervisor_then_by_the_flag() {
        let check = |guest, hypervisor: &str, vendor: &str, product: &str, expected: Option<&str>| {
            let firmware = Firmware {
                vendor: vendor.into(),
                product: product.into(),
                hypervisor: hypervisor.into(),
                is_guest: Some(guest),
                ..Firmware::default()
            };
            assert_eq!(firmware.virtualization().as_deref(), expected);
        };
        check(true, "", "Amazon EC2", "m6i.large", Some("Amazon EC2 m6i.large"));
        check(true, "xen", "unknown", "", Some("xen"));
        check(true, "", "", "", Some("virtual machine"));
        check(false, "", "Dell Inc.", "PowerEdge", None);
    }

    #[test]
    fn only_a_firmware_that_names_the_size_of_the_machine_tells_a_shape() {
        let check = |vendor: &str, product: &str, expected: Option<&str>| {
            let firmware = Firmware { vendor: vendor.into(), product: product.into(), ..Firmware::default() };
            assert_eq!(firmware.shape(), expected);
        };
        check("Amazon EC2", "r6id.8xlarge", Some("r6id.8xlarge"));
        check("Amazon EC2", "c5.metal", Some("c5.metal"));
        check("Amazon EC2", "HVM domU", None);
        check("Google", "Google Compute Engine", None);
        check("QEMU", "pc-q35-7.2", None);
    }

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
