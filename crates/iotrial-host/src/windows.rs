//! The host as Windows shows it: the registry, the volume of a target, and the disks below that. Compiled, and not run yet.

use std::path::{Path, PathBuf};

use iotrial_model::host_fact::{Fact, FactId, FactValue, HostReport, Part, PartKind, Reading, TargetChain};

use super::ReadHostError;
use crate::firmware::Firmware;
use crate::machine::memory;
use crate::storage_layout::{extents, has_seek_penalty, identity, sectors, transport};
use crate::windows_api::{self as api, Property};

/// Where the firmware's names are.
const BIOS: &str = r"HARDWARE\DESCRIPTION\System\BIOS";
const VERSION: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";

/// Reads the host, and the chain below each target.
pub(super) fn read_host(targets: &[PathBuf], captured: Option<&Path>) -> Result<HostReport, ReadHostError> {
    if let Some(folder) = captured {
        return Err(ReadHostError::CopiesUnsupported { folder: folder.to_owned() });
    }
    let chain = |target: &PathBuf| {
        let source = |source| ReadHostError::Target { path: target.clone(), source };
        let place = std::fs::canonicalize(target).map_err(source)?;
        Ok(chain_of(&place, target.display().to_string()))
    };
    let chains = targets.iter().map(chain).collect::<Result<Vec<_>, ReadHostError>>()?;
    let host = host();
    Ok(HostReport { name: host.name.clone(), host, chains })
}

/// A fact that was read, or is unknown with the reason.
fn fact(id: FactId, value: Result<FactValue, String>, from: &str) -> Fact {
    let reading = value.map_or_else(Reading::Unknown, Reading::Known);
    Fact { id, reading, from: from.to_owned() }
}

fn number(value: u64) -> FactValue {
    FactValue::Number(i64::try_from(value).unwrap_or(i64::MAX))
}

fn host() -> Part {
    let bios = |name: &str| api::registry_text(BIOS, name).unwrap_or_default();
    let firmware = Firmware {
        vendor: bios("SystemManufacturer"),
        product: bios("SystemProductName"),
        bios: bios("BIOSVendor"),
        ..Firmware::default()
    };
    let from = format!(r"HKLM\{BIOS}");
    let machine = format!("{} {}", firmware.vendor, firmware.product);
    let platform = firmware.platform().map(FactValue::text).ok_or("the firmware does not tell".to_owned());
    let mut facts = vec![fact(FactId::Platform, platform, &from)];
    if !machine.trim().is_empty() {
        facts.push(fact(FactId::Machine, Ok(FactValue::text(machine.trim())), &from));
    }
    facts.extend(firmware.shape().map(|shape| fact(FactId::Shape, Ok(FactValue::text(shape)), &from)));
    let kernel = api::registry_text(VERSION, "CurrentBuildNumber")
        .map(|build| FactValue::text(format!("build {build}")));
    let cpus = std::thread::available_parallelism().map(|count| number(count.get() as u64));
    let memory = memory().map(|size| number(size.get())).ok_or("Windows does not tell".to_owned());
    facts.extend([
        fact(FactId::Kernel, kernel.map_err(|error| error.to_string()), &format!(r"HKLM\{VERSION}")),
        fact(FactId::CpuCount, cpus.map_err(|error| error.to_string()), "GetSystemInfo"),
        fact(FactId::Memory, memory, "GlobalMemoryStatusEx"),
        fact(FactId::ClockSource, Ok(FactValue::text("QueryPerformanceCounter")), "QueryPerformanceCounter"),
    ]);
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    Part { facts, ..Part::new(PartKind::Host, name) }
}

fn chain_of(place: &Path, shown: String) -> TargetChain {
    let mut chain = TargetChain { target: shown, parts: Vec::new(), ends: None };
    let volume = match api::volume_of(place) {
        Ok(volume) => volume,
        Err(error) => {
            chain.ends = Some(format!("the volume is not known: {error}"));
            return chain;
        }
    };
    chain.parts.push(filesystem(&volume));
    // A share has no disks of this host.
    let answer = match api::volume_extents(&volume) {
        Ok(answer) => answer,
        Err(error) => {
            chain.ends = Some(format!("the disks below {} are not known: {error}", volume.shown));
            return chain;
        }
    };
    for extent in extents(&answer) {
        let partition = chain.parts.len();
        let start = fact(
            FactId::Start,
            Ok(FactValue::Number(extent.start_bytes)),
            "IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS",
        );
        let name = format!("PhysicalDrive{} at {}", extent.disk, extent.start_bytes);
        chain.parts.push(Part { facts: vec![start], ..Part::new(PartKind::Partition, name) });
        let disk = disk(extent.disk);
        let known = chain.parts.iter().position(|part| part.kind == disk.kind && part.name == disk.name);
        let place = known.unwrap_or_else(|| {
            chain.parts.push(disk);
            chain.parts.len() - 1
        });
        chain.parts[partition].carried_by.push(place);
        chain.parts[0].carried_by.push(partition);
    }
    chain
}

fn filesystem(volume: &api::Volume) -> Part {
    let mut facts = Vec::new();
    let kind = api::filesystem_name(volume).map_err(|error| error.to_string());
    facts.push(fact(FactId::Filesystem, kind.clone().map(FactValue::Text), "GetVolumeInformation"));
    match api::space(volume) {
        Ok(space) => {
            let cluster = u64::from(space.sectors_per_cluster) * u64::from(space.bytes_per_sector);
            facts.push(fact(FactId::AllocationUnit, Ok(number(cluster)), "GetDiskFreeSpace"));
            let free = cluster.saturating_mul(space.free_clusters.into());
            facts.push(fact(FactId::FreeSpace, Ok(number(free)), "GetDiskFreeSpace"));
            if space.all_clusters > 0 {
                let percent = u64::from(space.free_clusters) * 100 / u64::from(space.all_clusters);
                facts.push(fact(FactId::FreePercent, Ok(number(percent)), "GetDiskFreeSpace"));
            }
        }
        Err(error) => {
            facts.push(fact(FactId::AllocationUnit, Err(error.to_string()), "GetDiskFreeSpace"));
        }
    }
    let about = kind.unwrap_or_default();
    Part { about, facts, ..Part::new(PartKind::Filesystem, volume.shown.clone()) }
}

/// A disk by its number, as `\\.\PhysicalDrive0` names it. It is opened without any access, which every user may.
fn disk(disk: u32) -> Part {
    let name = format!("PhysicalDrive{disk}");
    let mut part = Part::new(PartKind::Disk, name.clone());
    let device = match api::open_device(&format!(r"\\.\{name}")) {
        Ok(device) => device,
        Err(error) => {
            part.facts.push(fact(FactId::Transport, Err(error.to_string()), &name));
            return part;
        }
    };
    let from = "IOCTL_STORAGE_QUERY_PROPERTY";
    let asked = |property| api::query(&device, property).map_err(|error| error.to_string());
    let short = || "the answer is too short".to_owned();
    match asked(Property::Device).and_then(|answer| identity(&answer).ok_or_else(short)) {
        Ok(identity) => {
            part.facts.push(fact(FactId::Transport, Ok(FactValue::text(transport(identity.bus))), from));
            if !identity.model.is_empty() {
                part.facts.push(fact(FactId::Model, Ok(FactValue::text(&identity.model)), from));
            }
            part.about = identity.model;
        }
        Err(why) => part.facts.push(fact(FactId::Transport, Err(why), from)),
    }
    let rotates = asked(Property::SeekPenalty).and_then(|answer| has_seek_penalty(&answer).ok_or_else(short));
    part.facts.push(fact(FactId::Rotational, rotates.map(FactValue::Flag), from));
    let sizes = asked(Property::Alignment).and_then(|answer| sectors(&answer).ok_or_else(short));
    let size = |of: fn((u32, u32)) -> u32| sizes.clone().map(|sizes| number(of(sizes).into()));
    part.facts.push(fact(FactId::LogicalBlock, size(|(logical, _)| logical), from));
    part.facts.push(fact(FactId::PhysicalBlock, size(|(_, physical)| physical), from));
    part
}
