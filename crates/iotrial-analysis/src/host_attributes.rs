//! What of a host tells configurations apart by itself: the shape of a cloud machine, how its disks are attached, their drivers.
//!
//! These are attributes that nobody had to write down. They are not put among those that the user gave: two runs with one label are
//! repeats of one configuration whether or not a driver was updated between them, and a record of an older version has none.

use iotrial_model::host_fact::{FactId, FactValue, HostReport, PartKind};
use iotrial_model::record::AttributeValue;

/// Their names, the most telling first: what a machine is decides on its drivers, and these on their queues.
pub const HOST_ATTRIBUTES: &[&str] = &[
    "shape",
    "ocpus",
    "volume_type",
    "attachment",
    "driver",
    "driver_version",
    "network_driver",
    "network_driver_version",
    "hardware_queues",
    "queue_interrupts",
];

/// The kind of parts that have it, and the fact.
fn source_of(name: &str) -> Option<(PartKind, FactId)> {
    Some(match name {
        "shape" => (PartKind::Host, FactId::Shape),
        "ocpus" => (PartKind::Host, FactId::Ocpus),
        "volume_type" => (PartKind::Disk, FactId::VolumeType),
        "attachment" => (PartKind::Disk, FactId::Transport),
        "driver" => (PartKind::Controller, FactId::Driver),
        "driver_version" => (PartKind::Controller, FactId::DriverVersion),
        "network_driver" => (PartKind::Interface, FactId::Driver),
        "network_driver_version" => (PartKind::Interface, FactId::DriverVersion),
        "hardware_queues" => (PartKind::Disk, FactId::HardwareQueues),
        "queue_interrupts" => (PartKind::Disk, FactId::QueueInterrupts),
        _ => return None,
    })
}

/// The attribute of that name; `None` where the host does not show it. What several parts have is told once, what differs among them
/// all of it, such as `nvme, virtio-scsi`.
pub fn host_attribute(report: &HostReport, name: &str) -> Option<AttributeValue> {
    let (kind, fact) = source_of(name)?;
    let parts = report.chains.iter().flat_map(|chain| &chain.parts).chain([&report.host]);
    let mut values: Vec<&FactValue> = Vec::new();
    for value in parts.filter(|part| part.kind == kind).filter_map(|part| part.value(fact)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    match values.as_slice() {
        [] => None,
        [FactValue::Number(number)] => Some(AttributeValue::Integer(*number)),
        several => {
            let words: Vec<String> = several.iter().map(ToString::to_string).collect();
            Some(AttributeValue::Text(words.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::host_fact::{Fact, Part, Reading, TargetChain};

    use super::*;

    fn part(kind: PartKind, name: &str, facts: &[(FactId, FactValue)]) -> Part {
        let fact = |(id, value): &(FactId, FactValue)| Fact {
            id: *id,
            reading: Reading::Known(value.clone()),
            from: String::new(),
        };
        Part { facts: facts.iter().map(fact).collect(), ..Part::new(kind, name) }
    }

    #[test]
    fn a_host_tells_shape_attachment_driver_and_interrupts_and_what_differs_among_its_disks() {
        let disk = |name, transport: &str, interrupts| {
            let facts = [
                (FactId::Transport, FactValue::text(transport)),
                (FactId::QueueInterrupts, FactValue::Number(interrupts)),
            ];
            part(PartKind::Disk, name, &facts)
        };
        let driver = part(
            PartKind::Controller,
            "nvme0",
            &[(FactId::Driver, FactValue::text("nvme")), (FactId::DriverVersion, FactValue::text("1.0"))],
        );
        let parts = vec![disk("nvme0n1", "nvme", 8), disk("sda", "virtio-scsi", 8), driver];
        let report = HostReport {
            name: String::new(),
            host: part(PartKind::Host, "", &[(FactId::Shape, FactValue::text("r6id.8xlarge"))]),
            chains: vec![TargetChain { target: "/data".into(), parts, ends: None }],
        };
        let told = HOST_ATTRIBUTES
            .iter()
            .filter_map(|name| host_attribute(&report, name).map(|value| format!("{name}={value}")));
        let told: Vec<String> = told.collect();
        assert_eq!(
            told,
            [
                "shape=r6id.8xlarge",
                "attachment=nvme, virtio-scsi",
                "driver=nvme",
                "driver_version=1.0",
                "queue_interrupts=8"
            ]
        );
    }
}
