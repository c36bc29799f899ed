//! What a disk is attached to: an adapter, a virtual controller, an iSCSI session, an NVMe controller.

use std::path::{Path, PathBuf};

use iotrial_model::host_fact::{FactId, FactValue, Part, PartKind};

use crate::block::{Device, Kernel, entries, file_name};
use crate::reading::{Facts, number, word};
use crate::text;

/// The controllers of a disk; none where sysfs shows none, as of software disks.
pub(crate) fn parts(kernel: &Kernel, disk: &Device) -> Vec<Part> {
    if disk.name().starts_with("nvme") {
        return nvme_controllers(disk).iter().map(|path| nvme(kernel, path)).collect();
    }
    let directory = disk.directory();
    let host = ancestor(directory, |name| numbered(name, "host"));
    if let Some(host) = host {
        return vec![scsi(kernel, &host)];
    }
    let virtio = ancestor(directory, |name| numbered(name, "virtio") || name.starts_with("vbd-"));
    virtio.map(|path| plain(kernel, &path)).into_iter().collect()
}

/// Whether a name is that word and a number.
fn numbered(name: &str, word: &str) -> bool {
    name.strip_prefix(word)
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The nearest directory above with such a name.
fn ancestor(directory: &Path, is_it: impl Fn(&str) -> bool) -> Option<PathBuf> {
    directory.ancestors().skip(1).find(|path| is_it(&file_name(path))).map(Path::to_owned)
}

/// The driver of a directory of sysfs, or of the nearest above that has one.
fn driver(kernel: &Kernel, directory: &Path) -> Option<(String, PathBuf)> {
    let devices = directory.ancestors().take_while(|path| path.starts_with(&kernel.sys));
    devices.into_iter().find_map(|path| {
        let link = path.join("driver");
        let name = std::fs::read_link(&link).ok().map(|to| file_name(&to))?;
        // `sd` drives disks and not what they are attached to.
        (name != "sd").then_some((name, link))
    })
}

/// The version of a driver that has one of its own: those in the kernel mostly have that of the kernel, and say none.
pub(crate) fn driver_version(kernel: &Kernel, name: &str, facts: &mut Facts<'_>) {
    facts.read_if_there(FactId::DriverVersion, &kernel.sys.join("module").join(name).join("version"), word);
}

/// How many interrupts there are for the queues of a disk, and where that is said; `None` where it does not show, as behind a
/// hypervisor's own bus.
///
/// A PCI function has a folder with a file for each of its interrupts (Documentation/ABI/testing/sysfs-bus-pci, `msi_irqs`).
/// One of them is not for I/O: that of the configuration of virtio, or of the admin queue of NVMe. Where the host gave fewer
/// than the driver wanted, one is left, and it is for everything.
pub(crate) fn queue_interrupts(kernel: &Kernel, disk: &Device) -> Option<(i64, String)> {
    let directory = disk.directory();
    // The path of native multipath stands beside the controllers, of which the first says how it is.
    let of_nvme =
        nvme_controllers(disk).first().and_then(|path| std::fs::canonicalize(path.join("device")).ok());
    let place = of_nvme.as_deref().unwrap_or(directory);
    // The nearest function, and none above it: bridges have interrupts of their own.
    let function = place.ancestors().find(|path| is_pci_address(&file_name(path)))?;
    let folder = function.join("msi_irqs");
    let count = i64::try_from(entries(&folder).len()).ok()?;
    if count > 0 {
        return Some(((count - 1).max(1), kernel.shown(&folder).display().to_string()));
    }
    // The line of old, which a function has once or, with 0, not at all.
    let line = function.join("irq");
    let has_line = text::line(&line).is_ok_and(|number| number != "0");
    has_line.then(|| (1, kernel.shown(&line).display().to_string()))
}

/// `0000:00:1f.2`: domain, bus, device and function.
fn is_pci_address(name: &str) -> bool {
    let parts: Vec<&str> = name.split([':', '.']).collect();
    let is_hex = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.len() == 4 && name.contains('.') && parts.iter().all(is_hex)
}

fn tell_driver(kernel: &Kernel, directory: &Path, facts: &mut Facts<'_>) -> String {
    match driver(kernel, directory) {
        Some((name, link)) => {
            facts.known(FactId::Driver, FactValue::text(&name), kernel.shown(&link).display().to_string());
            driver_version(kernel, &name, facts);
            name
        }
        None => {
            facts.unknown(
                FactId::Driver,
                "no driver is shown",
                kernel.shown(directory).display().to_string(),
            );
            String::new()
        }
    }
}

fn plain(kernel: &Kernel, directory: &Path) -> Part {
    let mut facts = Facts::new(kernel);
    let about = tell_driver(kernel, directory, &mut facts);
    Part { about, facts: facts.into_list(), ..Part::new(PartKind::Controller, file_name(directory)) }
}

/// The NVMe controllers of a namespace: one, or those of all paths where the kernel joins them itself.
pub(crate) fn nvme_controllers(disk: &Device) -> Vec<PathBuf> {
    let Some(above) = disk.whole_disk().directory().parent().map(Path::to_owned) else { return Vec::new() };
    if numbered(&file_name(&above), "nvme") {
        return vec![above];
    }
    let inside = entries(&above).into_iter().filter(|path| numbered(&file_name(path), "nvme"));
    inside.filter_map(|path| std::fs::canonicalize(path).ok()).collect()
}

fn nvme(kernel: &Kernel, directory: &Path) -> Part {
    let mut facts = Facts::new(kernel);
    let name = file_name(directory);
    facts.read_if_there(FactId::State, &directory.join("state"), word);
    let card = directory.join("device");
    let about = tell_driver(
        kernel,
        &std::fs::canonicalize(&card).unwrap_or_else(|_| directory.to_owned()),
        &mut facts,
    );
    for (id, attribute) in [
        (FactId::PcieSpeed, "current_link_speed"),
        (FactId::PcieMaxSpeed, "max_link_speed"),
        (FactId::PcieWidth, "current_link_width"),
        (FactId::PcieMaxWidth, "max_link_width"),
    ] {
        let parse = if attribute.ends_with("width") { number } else { word };
        // Virtual cards have no link, or one of unknown speed, which is not one to be judged.
        if text::line(&card.join(attribute))
            .is_ok_and(|text| !text.starts_with("Unknown") && text != "0" && text != "255")
        {
            facts.read(id, &card.join(attribute), parse);
        }
    }
    facts.read_if_there(FactId::NumaNode, &card.join("numa_node"), number);
    Part { about, facts: facts.into_list(), ..Part::new(PartKind::Controller, name) }
}

/// An adapter of SCSI disks.
fn scsi(kernel: &Kernel, directory: &Path) -> Part {
    let mut facts = Facts::new(kernel);
    let name = file_name(directory);
    let class = kernel.sys.join("class/scsi_host").join(&name);
    let session = kernel.sys.join("class/iscsi_host").join(&name);
    let about = if driver(kernel, directory).is_none() && text::line(&class.join("proc_name")).is_ok() {
        // Software has no device with a driver; the adapter still has a name.
        facts.read(FactId::Driver, &class.join("proc_name"), word);
        let name = text::line(&class.join("proc_name")).unwrap_or_default();
        driver_version(kernel, &name, &mut facts);
        name
    } else {
        tell_driver(kernel, directory, &mut facts)
    };
    facts.read_if_there(FactId::CanQueue, &class.join("can_queue"), number);
    facts.read_if_there(FactId::CommandsPerLun, &class.join("cmd_per_lun"), number);
    let port = kernel.sys.join("class/fc_host").join(&name);
    facts.read_if_there(FactId::PortState, &port.join("port_state"), word);
    facts.read_if_there(FactId::PortSpeed, &port.join("speed"), word);
    if about == "vmw_pvscsi" {
        let module = kernel.sys.join("module/vmw_pvscsi/parameters");
        facts.read(FactId::RingPages, &module.join("ring_pages"), number);
    }
    let to = text::line(&session.join("ipaddress")).ok().filter(|address| !address.starts_with('<'));
    let about = to.map_or_else(|| about.clone(), |address| format!("{about} from {address}"));
    Part { about, facts: facts.into_list(), ..Part::new(PartKind::Controller, name) }
}
