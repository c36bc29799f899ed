//! The parts below a target, from the file system down to controllers or network interfaces.
//!
//! The walk from device to device is that of [`Kernel::chain`], which records use as well.

use std::path::Path;

use iotrial_model::host_fact::{Part, PartKind, TargetChain};

use crate::block::{Device, Kernel, Link};
use crate::disk::Uses;
use crate::mounts::Mount;
use crate::{controller, disk, filesystem, layer, network};

/// The chain below `target`, which is absolute and has no symbolic links in it. `shown` is the target as it was given.
pub(crate) fn find(
    kernel: &Kernel,
    mounts: &[Mount],
    uses: &Uses,
    target: &Path,
    shown: &str,
) -> TargetChain {
    let mut chain = TargetChain { target: shown.to_owned(), parts: Vec::new(), ends: None };
    if target.starts_with("/dev")
        && let Some(device) = kernel.device_of_source(target)
    {
        add_devices(kernel, mounts, uses, &[device], &mut chain);
        return chain;
    }
    let Some(mount) = kernel.mount_of(target, mounts) else {
        chain.ends = Some("the mount table does not show what it lies on".to_owned());
        return chain;
    };
    let devices = kernel.devices_of_mount(mount);
    chain.parts.push(filesystem::part(kernel, mount, target, &devices));
    if mount.is_share() {
        add_interfaces(kernel, mount, &mut chain);
    } else if !devices.is_empty() {
        add_devices(kernel, mounts, uses, &devices, &mut chain);
    } else if !mount.is_in_memory() {
        chain.ends = Some(if kernel.sys.join("dev/block").is_dir() {
            format!("the file system `{}` shows no device of this host", mount.filesystem)
        } else {
            "/sys shows no block devices here".to_owned()
        });
    }
    chain
}

fn add_interfaces(kernel: &Kernel, share: &Mount, chain: &mut TargetChain) {
    match network::below_share(kernel, share) {
        Ok(parts) => {
            let first = chain.parts.len();
            chain.parts[0].carried_by.push(first);
            chain.parts.extend(parts.into_iter().map(|mut part| {
                part.carried_by.iter_mut().for_each(|at| *at += first);
                part
            }));
        }
        Err(why) => chain.ends = Some(why),
    }
}

fn add_devices(kernel: &Kernel, mounts: &[Mount], uses: &Uses, nearest: &[Device], chain: &mut TargetChain) {
    let links = kernel.chain(nearest, mounts);
    let first = chain.parts.len();
    let place = |device: &Device| links.iter().position(|link| link.device == *device).map(|at| at + first);
    if let Some(top) = chain.parts.first_mut() {
        top.carried_by = nearest.iter().filter_map(place).collect();
    }
    for link in &links {
        let mut part = part_of(kernel, uses, link, &links);
        part.carried_by = link.carriers.iter().filter_map(place).collect();
        chain.parts.push(part);
    }
    // Below all devices, so that several disks share one controller.
    for (at, link) in links.iter().enumerate() {
        if chain.parts[first + at].kind != PartKind::Disk {
            continue;
        }
        for found in controller::parts(kernel, &link.device) {
            let known =
                chain.parts.iter().position(|part| part.kind == found.kind && part.name == found.name);
            let place = known.unwrap_or_else(|| {
                chain.parts.push(found);
                chain.parts.len() - 1
            });
            chain.parts[first + at].carried_by.push(place);
        }
    }
}

fn part_of(kernel: &Kernel, uses: &Uses, link: &Link, links: &[Link]) -> Part {
    let device = &link.device;
    if let Some(kind) = layer::kind(device) {
        return if kind == PartKind::Partition {
            disk::partition(kernel, link)
        } else {
            layer::part(kernel, kind, link)
        };
    }
    if device.is_partition() {
        return disk::partition(kernel, link);
    }
    if device.backing_file().is_some() {
        return disk::loop_device(kernel, link);
    }
    let has_map = links.iter().any(|above| {
        layer::kind(&above.device) == Some(PartKind::Multipath) && above.carriers.contains(device)
    });
    disk::disk(kernel, uses, link, has_map)
}

/// The disks below the running system and below swap space, and what limits this process.
pub(crate) fn uses(kernel: &Kernel, mounts: &[Mount]) -> Uses {
    let names = |devices: Vec<Device>| {
        let below = devices.iter().flat_map(|device| kernel.below(device));
        below.map(|device| device.name()).collect::<Vec<_>>()
    };
    let system = ["/", "/boot", "/usr", "/var"].into_iter().filter_map(|place| {
        // By the mount point and not by the path: inside of a container the host's disk is not its system.
        mounts.iter().rev().find(|mount| mount.mount_point == Path::new(place))
    });
    let system: Vec<Device> = system.flat_map(|mount| kernel.devices_of_mount(mount)).collect();
    let swaps = crate::text::line(&kernel.proc.join("swaps")).unwrap_or_default();
    // A file is in the first column with its path, as a device is.
    let swaps = swaps.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let swap: Vec<Device> = swaps
        .flat_map(|path| {
            let path = Path::new(path);
            kernel
                .device_of_source(path)
                .map_or_else(|| kernel.devices_of_path(path, mounts), |device| vec![device])
        })
        .collect();
    Uses { system: names(system), swap: names(swap), limits: crate::limits::IoLimits::read(kernel) }
}
