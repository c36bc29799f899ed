//! Disks, partitions and loop devices, as their queues describe them.

use iotrial_model::host_fact::{FactId, FactValue, Part, PartKind};

use crate::block::{Device, Kernel, Link};
use crate::controller;
use crate::limits::IoLimits;
use crate::mounts;
use crate::reading::{Facts, Parse, choice, flag, number, word};

/// What is looked up once for all disks.
pub(crate) struct Uses {
    /// Kernel names of the disks below the running system.
    pub(crate) system: Vec<String>,
    /// Kernel names of the disks below swap space.
    pub(crate) swap: Vec<String>,
    pub(crate) limits: IoLimits,
}

/// Below `queue`: what every disk has.
const QUEUE: [(FactId, &str, Parse); 13] = [
    (FactId::Rotational, "rotational", flag),
    (FactId::Scheduler, "scheduler", choice),
    (FactId::NrRequests, "nr_requests", number),
    (FactId::ReadAhead, "read_ahead_kb", number),
    (FactId::WriteCache, "write_cache", word),
    (FactId::LogicalBlock, "logical_block_size", number),
    (FactId::PhysicalBlock, "physical_block_size", number),
    (FactId::MinimumIo, "minimum_io_size", number),
    (FactId::OptimalIo, "optimal_io_size", number),
    (FactId::MaxRequest, "max_sectors_kb", number),
    (FactId::NoMerges, "nomerges", number),
    (FactId::CompletionAffinity, "rq_affinity", number),
    (FactId::Fua, "fua", flag),
];

/// A disk, or what looks like one; `has_map` says whether the chain comes to it by a multipath map.
pub(crate) fn disk(kernel: &Kernel, uses: &Uses, link: &Link, has_map: bool) -> Part {
    let device = &link.device;
    let directory = kernel.short_place(device);
    let mut facts = Facts::new(kernel);
    let transport = transport(device);
    let shown = kernel.shown(&directory).display().to_string();
    facts.known(FactId::Transport, FactValue::text(transport), &shown);
    if let Some(size) = device.size() {
        let bytes = i64::try_from(size.get()).unwrap_or(i64::MAX);
        facts.known(FactId::Size, FactValue::Number(bytes), format!("{shown}/size"));
    }
    for (id, name, parse) in QUEUE {
        facts.read(id, &directory.join("queue").join(name), parse);
    }
    // Of SCSI disks only: others have no depth of their own.
    facts.read_if_there(FactId::QueueDepth, &directory.join("device/queue_depth"), number);
    facts.read_if_there(FactId::CommandTimeout, &directory.join("device/timeout"), number);
    facts.read_if_there(FactId::State, &directory.join("device/state"), word);
    facts.read_if_there(FactId::AlignmentOffset, &directory.join("alignment_offset"), number);
    let queues = crate::block::entries(&directory.join("mq")).len();
    if queues > 0 {
        let count = i64::try_from(queues).unwrap_or(i64::MAX);
        facts.known(FactId::HardwareQueues, FactValue::Number(count), format!("{shown}/mq"));
    }
    if let Some(lun) = lun(device) {
        facts.known(FactId::Lun, FactValue::Number(lun), format!("{shown}/device"));
    }
    if let Some((interrupts, from)) = controller::queue_interrupts(kernel, device) {
        facts.known(FactId::QueueInterrupts, FactValue::Number(interrupts), from);
    }
    let name = device.name();
    let model = device.facts().model;
    if let Some(model) = &model {
        facts.known(FactId::Model, FactValue::text(model), format!("{shown}/device"));
    }
    if let Some(is_ephemeral) = model.as_deref().and_then(ephemeral) {
        facts.known(FactId::Ephemeral, FactValue::Flag(is_ephemeral), format!("{shown}/device/model"));
    }
    let is_leg = !has_map
        && device
            .holders()
            .iter()
            .any(|holder| holder.attribute("dm/uuid").is_some_and(|uuid| uuid.starts_with("mpath-")));
    facts.known(FactId::MultipathLeg, FactValue::Flag(is_leg), format!("{shown}/holders"));
    facts.known(FactId::HoldsSystem, FactValue::Flag(uses.system.contains(&name)), mounts::TABLE);
    facts.known(FactId::HoldsSwap, FactValue::Flag(uses.swap.contains(&name)), "/proc/swaps");
    uses.limits.tell(device.number, &mut facts);
    let about = [device.size().map(|size| size.to_string()), model, Some(transport.to_owned())];
    Part { about: joined(about), facts: facts.into_list(), ..Part::new(PartKind::Disk, name) }
}

/// A part of a disk, of a multipath map too.
pub(crate) fn partition(kernel: &Kernel, link: &Link) -> Part {
    let device = &link.device;
    let mut facts = Facts::new(kernel);
    // Always in units of 512 bytes. Those that kpartx makes have none: their table says it.
    let directory = kernel.short_place(device);
    facts.read_if_there(FactId::Start, &directory.join("start"), |text| {
        text.parse::<i64>().ok()?.checked_mul(512).map(FactValue::Number)
    });
    facts.read_if_there(FactId::AlignmentOffset, &directory.join("alignment_offset"), number);
    let size = device.size().map(|size| size.to_string());
    let name = crate::layer::name(device);
    Part { about: joined([size]), facts: facts.into_list(), ..Part::new(PartKind::Partition, name) }
}

/// A loop device. Its queue is not judged: what is below it is.
pub(crate) fn loop_device(kernel: &Kernel, link: &Link) -> Part {
    let device = &link.device;
    let file = device.backing_file().map(|file| file.display().to_string());
    let facts = Facts::new(kernel);
    let size = device.size().map(|size| size.to_string());
    Part { about: joined([size, file]), facts: facts.into_list(), ..Part::new(PartKind::Loop, device.name()) }
}

fn joined(parts: impl IntoIterator<Item = Option<String>>) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How the disk is attached, by where it is in sysfs.
pub(crate) fn transport(device: &Device) -> &'static str {
    let name = device.name();
    if name.starts_with("nvme") {
        // Over a fabric the controllers have their own place; the path of native multipath does not say which.
        let kind = nvme_transport(device);
        return match kind.as_deref() {
            Some("tcp") => "nvme-tcp",
            Some("fc") => "nvme-fc",
            Some("rdma") => "nvme-rdma",
            _ => "nvme",
        };
    }
    if device.is_in_memory() {
        return "memory";
    }
    let path = device.directory().to_string_lossy().into_owned();
    let has = |part: &str| path.contains(part);
    // From the most telling on: a virtual adapter for SCSI has `virtio` in its path, too.
    let known = [
        (has("/rport-"), "fc"),
        (has("/session"), "iscsi"),
        (has("/end_device-"), "sas"),
        (has("/usb"), "usb"),
        (has("/ata"), "ata"),
        (has("VMBUS") || has("vmbus"), "hyperv"),
        (has("/virtio") && has("/target"), "virtio-scsi"),
        (has("/virtio"), "virtio"),
        (has("/vbd-"), "xen"),
        (has("/target"), "scsi"),
        (name.starts_with("nbd"), "nbd"),
        (name.starts_with("drbd"), "drbd"),
        (name.starts_with("rbd"), "rbd"),
    ];
    known.into_iter().find(|(is_so, _)| *is_so).map_or("unknown", |(_, word)| word)
}

/// The last number of the address of a SCSI disk: `0:0:0:2`, host, channel, target and LUN.
fn lun(device: &Device) -> Option<i64> {
    device.directory().ancestors().skip(1).find_map(|path| {
        let name = crate::block::file_name(path);
        let numbers: Vec<i64> = name.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
        match numbers.as_slice() {
            [_, _, _, lun] => Some(*lun),
            _ => None,
        }
    })
}

fn nvme_transport(device: &Device) -> Option<String> {
    let controllers = crate::controller::nvme_controllers(device);
    controllers.iter().find_map(|path| crate::text::line(&path.join("transport")).ok())
}

/// Whether the content survives the end of the machine, by the names that clouds give their local disks; `None` of others.
fn ephemeral(model: &str) -> Option<bool> {
    // docs.aws.amazon.com (identify instance store volumes), learn.microsoft.com (NVMe local disks of Azure),
    // docs.cloud.google.com (local SSD): each names the model of its local disks apart from that of its volumes.
    const LOCAL: [&str; 2] = ["Amazon EC2 NVMe Instance Storage", "Microsoft NVMe Direct Disk"];
    const LASTING: [&str; 3] = ["Amazon Elastic Block Store", "MSFT NVMe Accelerator", "nvme_card-pd"];
    if LASTING.iter().any(|name| model.contains(name)) {
        return Some(false);
    }
    // Of Google: `nvme_card`, and `nvme_card3` where each has a controller of its own.
    (LOCAL.iter().any(|name| model.contains(name)) || model.starts_with("nvme_card")).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_disks_of_clouds_are_told_from_their_volumes_by_the_model() {
        assert_eq!(ephemeral("Amazon EC2 NVMe Instance Storage"), Some(true));
        assert_eq!(ephemeral("Amazon Elastic Block Store"), Some(false));
        assert_eq!((ephemeral("nvme_card12"), ephemeral("nvme_card-pd")), (Some(true), Some(false)));
        assert_eq!(ephemeral("Dell Ent NVMe"), None);
    }
}
