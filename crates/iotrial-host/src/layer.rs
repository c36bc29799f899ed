//! Layers between a file system and its disks: MD arrays, and the mappings of LVM, dm-crypt and multipath.

use std::path::Path;

use iotrial_model::host_fact::{FactId, FactValue, Part, PartKind};

use crate::block::{Device, Kernel, Link};
use crate::device_mapper;
use crate::reading::{Facts, number, word};
use crate::text;

/// Which layer a device is; `None` for partitions, disks and loop devices.
pub(crate) fn kind(device: &Device) -> Option<PartKind> {
    if device.is_partition() {
        return None;
    }
    if device.directory().join("md").is_dir() {
        return Some(PartKind::Array);
    }
    if !device.directory().join("dm").is_dir() {
        return None;
    }
    // Whoever made a mapping puts its name before the rest (dm/uuid).
    let uuid = device.attribute("dm/uuid").unwrap_or_default();
    Some(match uuid.split('-').next().unwrap_or_default() {
        "LVM" => PartKind::Volume,
        "CRYPT" => PartKind::Crypt,
        "mpath" => PartKind::Multipath,
        // `part1-mpath-…`: kpartx maps the partitions of a multipath map.
        part if part.starts_with("part") => PartKind::Partition,
        _ => PartKind::Mapping,
    })
}

/// The name by which its administrator knows it.
pub(crate) fn name(device: &Device) -> String {
    device.attribute("dm/name").unwrap_or_else(|| device.name())
}

/// A layer with its facts.
pub(crate) fn part(kernel: &Kernel, kind: PartKind, link: &Link) -> Part {
    let device = &link.device;
    let mut facts = Facts::new(kernel);
    let members = i64::try_from(link.carriers.len()).unwrap_or(i64::MAX);
    let place = kernel.short_place(device);
    let slaves = kernel.shown(&place.join("slaves")).display().to_string();
    match kind {
        PartKind::Array => array(&place.join("md"), &mut facts),
        PartKind::Multipath => paths(link, &slaves, &mut facts),
        _ => facts.known(FactId::Members, FactValue::Number(members), &slaves),
    }
    if matches!(kind, PartKind::Volume) {
        facts.known(FactId::Disks, FactValue::Number(disks_below(device)), &slaves);
    }
    if kind != PartKind::Array {
        mapping(kernel, kind, device, &mut facts);
    }
    let mut part = Part::new(kind, name(device));
    let is_renamed = part.name != device.name();
    part.about = match device.size() {
        Some(size) if is_renamed => format!("{}, {size}", device.name()),
        Some(size) => size.to_string(),
        None => String::new(),
    };
    part.facts = facts.into_list();
    part
}

fn array(md: &Path, facts: &mut Facts<'_>) {
    facts.read(FactId::RaidLevel, &md.join("level"), word);
    facts.read(FactId::Members, &md.join("raid_disks"), number);
    // An array without stripes, such as RAID 1, says 0.
    facts.read(FactId::StripeUnit, &md.join("chunk_size"), number);
    stripes(md, facts);
    // RAID 0 and linear arrays have neither.
    facts.read_if_there(FactId::Degraded, &md.join("degraded"), number);
    facts.read_if_there(FactId::SyncAction, &md.join("sync_action"), word);
}

/// Over how many members the data of a stripe lies: the width, in units.
fn stripes(md: &Path, facts: &mut Facts<'_>) {
    let count = |name: &str| text::line(&md.join(name)).ok()?.parse::<i64>().ok();
    let (Ok(level), Some(members)) = (text::line(&md.join("level")), count("raid_disks")) else { return };
    let width = match level.as_str() {
        "raid0" => Some(members),
        "raid4" | "raid5" => Some(members - 1),
        "raid6" => Some(members - 2),
        // Near copies in the lowest byte, far ones in the next (md(4)).
        "raid10" => count("layout")
            .map(|layout| (layout & 0xff) * (layout >> 8 & 0xff))
            .filter(|copies| *copies > 0)
            .map(|copies| members / copies),
        "raid1" | "linear" => Some(1),
        _ => None,
    };
    let file = if level == "raid10" { "layout" } else { "raid_disks" };
    let from = facts.kernel().shown(&md.join(file)).display().to_string();
    match width {
        Some(width) => facts.known(FactId::Stripes, FactValue::Number(width.max(1)), &from),
        None => facts.unknown(FactId::Stripes, format!("not known of `{level}` without its layout"), &from),
    }
}

/// How many whole disks carry it, or multipath maps, each of which is one however many paths it has.
fn disks_below(device: &Device) -> i64 {
    let (mut found, mut seen): (Vec<Device>, Vec<Device>) = (Vec::new(), Vec::new());
    let mut open = vec![device.clone()];
    while let Some(next) = open.pop() {
        // By a list, so that a copy in which something is made of itself ends as well.
        if seen.contains(&next) {
            continue;
        }
        seen.push(next.clone());
        let below = match (kind(&next), next.parent()) {
            (Some(PartKind::Multipath), _) => Vec::new(),
            (_, Some(disk)) => vec![disk],
            _ => next.slaves(),
        };
        if below.is_empty() {
            found.push(next);
        }
        open.extend(below);
    }
    i64::try_from(found.len()).unwrap_or(i64::MAX)
}

fn paths(link: &Link, from: &str, facts: &mut Facts<'_>) {
    let count = |count: usize| FactValue::Number(i64::try_from(count).unwrap_or(i64::MAX));
    facts.known(FactId::Paths, count(link.carriers.len()), from);
    let states: Vec<Option<String>> =
        link.carriers.iter().map(|path| path.attribute("device/state")).collect();
    let from = "/sys/block/*/device/state";
    if states.iter().any(Option::is_none) {
        return facts.unknown(FactId::UsablePaths, "a path does not tell its state", from);
    }
    let usable = link.carriers.iter().zip(&states).filter(|(path, state)| {
        // ALUA: what an array says of its ports (sysfs-bus-scsi).
        let access = path.attribute("device/access_state").unwrap_or_default();
        let is_closed = matches!(access.as_str(), "unavailable" | "offline" | "transitioning" | "standby");
        state.as_deref() == Some("running") && !is_closed
    });
    facts.known(FactId::UsablePaths, count(usable.count()), from);
}

/// What only the table of the device mapper tells.
fn mapping(kernel: &Kernel, kind: PartKind, device: &Device, facts: &mut Facts<'_>) {
    let from = format!("device-mapper table of {}", name(device));
    let asked: &[FactId] = match kind {
        PartKind::Volume => &[FactId::Stripes, FactId::Snapshot],
        PartKind::Multipath => &[FactId::PathSelector, FactId::PathGroups, FactId::QueuesWithoutPath],
        PartKind::Mapping => &[FactId::Targets],
        _ => return,
    };
    let table = match device_mapper::table(kernel, device) {
        Ok(table) => table,
        Err(why) => {
            return asked.iter().for_each(|id| facts.unknown(*id, &why, &from));
        }
    };
    match kind {
        PartKind::Volume => {
            match table.stripes() {
                Some((count, unit)) => {
                    facts.known(FactId::Stripes, FactValue::Number(count), &from);
                    if let Some(unit) = unit {
                        facts.known(FactId::StripeUnit, FactValue::Number(unit), &from);
                    }
                }
                // RAID, cache and thin volumes have their stripes in volumes of their own below.
                None => facts.known(FactId::Targets, FactValue::text(table.kinds().join(", ")), &from),
            }
            let is_snapshot = |kind: &&str| kind.starts_with("snapshot") || kind.starts_with("thin");
            let any = table.kinds().iter().any(is_snapshot);
            facts.known(FactId::Snapshot, FactValue::Flag(any), &from);
        }
        PartKind::Multipath => match table.multipath() {
            Some(map) => {
                facts.known(FactId::PathSelector, FactValue::text(map.selector), &from);
                facts.known(FactId::PathGroups, FactValue::Number(map.groups), &from);
                facts.known(FactId::QueuesWithoutPath, FactValue::Flag(map.queues_without_path), &from);
            }
            None => asked.iter().for_each(|id| facts.unknown(*id, "the table makes no sense", &from)),
        },
        _ => facts.known(FactId::Targets, FactValue::text(table.kinds().join(", ")), &from),
    }
}
