//! The host as Windows shows it: the registry, the volume of a target, and the disks below that.

use std::path::{Path, PathBuf};

use iotrial_model::host_fact::{Fact, FactId, FactValue, HostReport, Part, PartKind, Reading, TargetChain};

use super::ReadHostError;
use crate::machine::{VERSION, build, cpu_count, firmware, memory};
use crate::physical_disk::{PhysicalDisk, is_share};
use crate::storage_layout::{extents, transport};
use crate::windows_api as api;

/// Where the plan by which Windows saves power is chosen, by its number, which is the same in every language.
const POWER_PLANS: &str = r"SYSTEM\CurrentControlSet\Control\Power\User\PowerSchemes";

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
    let firmware = firmware();
    let from = "GetSystemFirmwareTable";
    let machine = format!("{} {}", firmware.vendor, firmware.product);
    let platform = firmware.platform().map(FactValue::text).ok_or("the firmware does not tell".to_owned());
    let mut facts = vec![fact(FactId::Platform, platform, from)];
    if !machine.trim().is_empty() {
        facts.push(fact(FactId::Machine, Ok(FactValue::text(machine.trim())), from));
    }
    facts.extend(firmware.shape().map(|shape| fact(FactId::Shape, Ok(FactValue::text(shape)), from)));
    let untold = || "Windows does not tell".to_owned();
    let kernel = build().map(|build| FactValue::text(format!("Windows {build}"))).ok_or_else(untold);
    let cpus = cpu_count().map(|count| number(count.into())).ok_or_else(untold);
    let memory = memory().map(|size| number(size.get())).ok_or_else(untold);
    let plan = api::registry_text(POWER_PLANS, "ActivePowerScheme");
    let plan = plan.map(|id| FactValue::text(power_plan(&id))).map_err(|error| error.to_string());
    facts.extend([
        fact(FactId::Kernel, kernel, &format!(r"HKLM\{VERSION}")),
        fact(FactId::CpuCount, cpus, "GetActiveProcessorCount"),
        fact(FactId::PowerPlan, plan, &format!(r"HKLM\{POWER_PLANS}")),
        fact(FactId::Memory, memory, "GlobalMemoryStatusEx"),
        fact(FactId::ClockSource, Ok(FactValue::text("QueryPerformanceCounter")), "QueryPerformanceCounter"),
    ]);
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    Part { facts, ..Part::new(PartKind::Host, name) }
}

/// The name of a plan that Windows brings along (learn.microsoft.com, Power Policy Settings); of another one its number.
fn power_plan(id: &str) -> &str {
    match id.to_ascii_lowercase().as_str() {
        "381b4222-f694-41f0-9685-ff5bb260df2e" => "balanced",
        "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c" => "high performance",
        "a1841308-3541-4fab-bc81-f71556f20b4a" => "power saver",
        "e9a42b02-d5df-448d-aa00-03f14749eb61" => "ultimate performance",
        _ => id,
    }
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
    if is_share(&volume) {
        chain.parts.push(share(&volume));
        chain.ends = Some(format!("{} is a share: its disks are those of the server", volume.shown));
        return chain;
    }
    chain.parts.push(filesystem(&volume));
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
    let kind = api::filesystem_name(volume).map_err(|error| error.to_string());
    let mut facts = vec![fact(FactId::Filesystem, kind.clone().map(FactValue::Text), "GetVolumeInformation")];
    facts.extend(room(volume));
    let about = kind.unwrap_or_default();
    Part { about, facts, ..Part::new(PartKind::Filesystem, volume.shown.clone()) }
}

/// A share of a file server; what the server says of its own file system is not that of a disk of this host.
fn share(volume: &api::Volume) -> Part {
    let mut facts = vec![fact(FactId::Filesystem, Ok(FactValue::text("smb")), "GetDriveType")];
    facts.extend(room(volume));
    Part { about: "SMB".to_owned(), facts, ..Part::new(PartKind::Share, volume.shown.clone()) }
}

fn room(volume: &api::Volume) -> Vec<Fact> {
    let mut facts = Vec::new();
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
    facts
}

/// A disk by its number.
fn disk(number_of_disk: u32) -> Part {
    let disk = PhysicalDisk::open(number_of_disk);
    let mut part = Part::new(PartKind::Disk, disk.name());
    if let Some(error) = disk.refusal() {
        part.facts.push(fact(FactId::Transport, Err(error.to_string()), &disk.name()));
        return part;
    }
    let from = "IOCTL_STORAGE_QUERY_PROPERTY";
    match disk.identity() {
        Ok(identity) => {
            part.facts.push(fact(FactId::Transport, Ok(FactValue::text(transport(identity.bus))), from));
            if !identity.model.is_empty() {
                part.facts.push(fact(FactId::Model, Ok(FactValue::text(&identity.model)), from));
            }
            part.about = identity.model;
        }
        Err(why) => part.facts.push(fact(FactId::Transport, Err(why), from)),
    }
    if let Some((_, size)) = disk.geometry() {
        part.facts.push(fact(FactId::Size, Ok(number(size.get())), "IOCTL_DISK_GET_DRIVE_GEOMETRY_EX"));
    }
    part.facts.push(fact(FactId::Rotational, disk.has_seek_penalty().map(FactValue::Flag), from));
    part.facts.push(fact(FactId::WriteCache, disk.write_cache().map(FactValue::text), from));
    let sizes = disk.sectors();
    let size = |of: fn((u32, u32)) -> u32| sizes.clone().map(|sizes| number(of(sizes).into()));
    part.facts.push(fact(FactId::LogicalBlock, size(|(logical, _)| logical), from));
    part.facts.push(fact(FactId::PhysicalBlock, size(|(_, physical)| physical), from));
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_host_says_what_windows_it_is_and_what_its_volume_is() {
        let place = tempfile::tempdir().unwrap();
        let report = read_host(&[place.path().to_owned()], None).unwrap();
        for id in [FactId::Kernel, FactId::CpuCount, FactId::Memory] {
            assert!(report.host.value(id).is_some(), "{id}: {:?}", report.host.fact(id));
        }
        assert_eq!(report.chains[0].parts[0].kind, PartKind::Filesystem);
        assert!(report.chains[0].parts[0].value(FactId::FreeSpace).is_some());
    }

    #[test]
    fn plans_that_windows_brings_along_are_named_in_every_language() {
        assert_eq!(power_plan("8C5E7FDA-E8BF-4A96-9A85-A6E23A8C635C"), "high performance");
        assert_eq!(power_plan("381b4222-f694-41f0-9685-ff5bb260df2e"), "balanced");
        assert_eq!(power_plan("0f3a"), "0f3a");
    }
}
