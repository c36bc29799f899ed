//! Finds out whether a block device is in use, by a walk through `/sys` and `/proc`.
//!
//! No single source knows it all. `O_EXCL` misses a plain open by a database and a loop device on top; the
//! mount table misses other namespaces; `/proc/PID/fd` misses the kernel. So all are asked, for everything
//! that shares bytes with the target: its disk, all partitions of it, and what a loop device stands on.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, StatxFlags};

use super::block::{Device, Kernel, Number};
use super::loop_device::{self, Backing};
use super::mounts::{self, Mount};
use super::obstacle::{Obstacle, Reason};

/// Whatever lies under one of them is the running system.
const SYSTEM_PLACES: [&str; 5] = ["/", "/boot", "/boot/efi", "/usr", "/var"];

/// Everything that shares bytes with a device.
#[derive(Debug)]
pub(crate) struct Footprint {
    /// The target first, then its disk, the partitions of that, and so on down through loop devices.
    pub(crate) devices: Vec<Device>,
    /// The files behind loop devices among them, by device and inode.
    files: Vec<(u64, u64)>,
}

impl Footprint {
    pub(crate) fn of(kernel: &Kernel, target: &Device) -> Self {
        let mut footprint = Self { devices: vec![target.clone()], files: Vec::new() };
        footprint.add_family(kernel, &target.whole_disk());
        footprint
    }

    fn add_family(&mut self, kernel: &Kernel, disk: &Device) {
        for device in std::iter::once(disk.clone()).chain(disk.partitions()) {
            if !self.devices.contains(&device) {
                self.devices.push(device);
            }
        }
        // A disk that is in the footprint already is not entered again, so that the walk ends whatever the
        // kernel shows.
        match loop_device::backing(disk) {
            Some(Backing::Device(number)) if self.get(number).is_none() => {
                if let Some(below) = kernel.device(number) {
                    self.add_family(kernel, &below.whole_disk());
                }
            }
            Some(Backing::File(device, inode)) => self.files.push((device, inode)),
            Some(Backing::Device(_)) | None => {}
        }
    }

    fn get(&self, number: Number) -> Option<&Device> {
        self.devices.iter().find(|device| device.number == number)
    }

    /// The disks in it, each of which can be held exclusively.
    pub(crate) fn disks(&self) -> impl Iterator<Item = &Device> {
        self.devices.iter().filter(|device| !device.is_partition())
    }
}

/// What stands against writing, and what could not be looked at.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) notes: Vec<String>,
}

/// Everything but [`Reason::Held`], which only opening can tell.
pub(crate) fn survey(kernel: &Kernel, footprint: &Footprint, protected: &[PathBuf]) -> Survey {
    // All of them, and not up to the first: whoever has to free the device wants to see everything that holds
    // it. What cannot be seen comes first, because it says how far the rest can be trusted.
    let mut survey = Survey::default();
    visible(kernel, footprint, &mut survey);
    state(footprint, &mut survey);
    system(kernel, footprint, protected, &mut survey);
    mounted(kernel, footprint, &mut survey);
    swap(kernel, footprint, &mut survey);
    stacked(kernel, footprint, &mut survey);
    processes(kernel, footprint, &mut survey);
    survey
}

impl Survey {
    fn add(&mut self, device: &Device, reason: Reason) {
        let obstacle = Obstacle { device: device.name(), reason };
        if !self.obstacles.contains(&obstacle) {
            self.obstacles.push(obstacle);
        }
    }
}

/// What cannot be seen must not pass for absent.
fn visible(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    for source in [kernel.proc.join("self/mountinfo"), kernel.proc.join("self/fd"), kernel.sys.join("block")]
    {
        if fs::symlink_metadata(&source).is_err() {
            survey.add(&footprint.devices[0], Reason::Unseen { source });
        }
    }
    // The number of the first PID namespace is fixed (PROC_PID_INIT_INO of linux/proc_ns.h).
    let namespace = fs::read_link(kernel.proc.join("self/ns/pid")).unwrap_or_default();
    if namespace != Path::new("pid:[4026531836]") {
        survey
            .notes
            .push("this is a container: what processes outside of it have open cannot be seen".to_owned());
    }
    let hides = |mount: &Mount| {
        mount.filesystem == "proc"
            && mount.super_option("hidepid").is_some_and(|value| value != "0" && value != "off")
    };
    if kernel.mounts().iter().any(hides) && !rustix::process::geteuid().is_root() {
        survey.notes.push(
            "`/proc` hides the processes of other users (hidepid), so one of them may have the device open"
                .to_owned(),
        );
    }
}

fn state(footprint: &Footprint, survey: &mut Survey) {
    let target = &footprint.devices[0];
    if target.size().is_none_or(|size| size.get() == 0) {
        survey.add(target, Reason::NoMedium);
    } else if target.is_read_only() || target.whole_disk().is_read_only() {
        survey.add(target, Reason::ReadOnly);
    }
}

/// The disks under the system, the current directory, the program itself and what the caller protects.
fn system(kernel: &Kernel, footprint: &Footprint, protected: &[PathBuf], survey: &mut Survey) {
    let mounts = kernel.mounts();
    let touched: BTreeSet<Number> = footprint
        .devices
        .iter()
        .flat_map(|device| kernel.below(device))
        .map(|device| device.number)
        .collect();
    let carried_by = |place: &Path| {
        let bottoms = kernel.devices_of_path(place, &mounts);
        let mut all = bottoms.iter().flat_map(|device| kernel.below_with_files(device, &mounts));
        all.find(|device| touched.contains(&device.number))
    };
    for place in SYSTEM_PLACES.map(PathBuf::from) {
        // One place is enough: the others mostly lie on the same disk, and nobody frees the system's.
        if let Some(device) = carried_by(&place) {
            return survey.add(&device, Reason::SystemDisk { place });
        }
    }
    let own = [std::env::current_dir(), std::env::current_exe()];
    for place in own.into_iter().flatten().chain(protected.iter().cloned()) {
        // The store may not be there yet; then the nearest directory above it tells the device.
        let existing = place.ancestors().find(|path| path.exists());
        if let Some(device) = existing.and_then(carried_by) {
            survey.add(&device, Reason::Protected { place });
        }
    }
}

fn mounted(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    for mount in kernel.mounts() {
        for device in kernel.devices_of_mount(&mount) {
            if let Some(device) = footprint.get(device.number) {
                let mount_point = mount.mount_point.clone();
                survey.add(device, Reason::Mounted { mount_point });
            }
        }
    }
    for (uuid, members) in kernel.btrfs_members() {
        for device in members.iter().filter_map(|member| footprint.get(member.number)) {
            survey.add(device, Reason::BtrfsMember { uuid: uuid.clone() });
        }
    }
}

fn swap(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    let text = fs::read(kernel.proc.join("swaps")).unwrap_or_default();
    for path in swap_paths(&text) {
        let Ok(metadata) = fs::metadata(&path) else { continue };
        // The device that is swapped to, or the one whose file system holds the file.
        let number = Number::of_metadata(&metadata).unwrap_or(Number::from_dev(metadata.dev()));
        if let Some(device) = footprint.get(number) {
            survey.add(device, Reason::Swap);
        } else if footprint.files.contains(&(metadata.dev(), metadata.ino())) {
            survey.add(&footprint.devices[0], Reason::Swap);
        }
    }
}

/// The paths in `/proc/swaps`: after a line of headers, the first field of each line.
fn swap_paths(swaps: &[u8]) -> Vec<PathBuf> {
    let lines = swaps.split(|byte| *byte == b'\n').skip(1);
    let fields = lines.filter_map(|line| line.split(|byte| byte.is_ascii_whitespace()).next());
    fields.filter(|field| field.starts_with(b"/")).map(|field| mounts::unescape(field).into()).collect()
}

/// Holders, and loop devices that show the same device or file.
fn stacked(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    for device in &footprint.devices {
        for holder in device.holders() {
            survey.add(device, Reason::Stacked { by: holder.name() });
        }
    }
    for other in kernel.disks() {
        if footprint.get(other.number).is_some() {
            continue;
        }
        // A loop device takes no exclusive hold of what it shows, so that no holder and no refused open tells
        // of it.
        let shown = match loop_device::backing(&other) {
            Some(Backing::Device(number)) => footprint.get(number),
            Some(Backing::File(device, inode)) => {
                footprint.files.contains(&(device, inode)).then(|| &footprint.devices[0])
            }
            None => None,
        };
        if let Some(device) = shown {
            survey.add(device, Reason::LoopBacking { by: other.name() });
        }
    }
}

/// Open descriptors of other processes, and mounts that only they see.
fn processes(kernel: &Kernel, footprint: &Footprint, survey: &mut Survey) {
    let own_pid = std::process::id();
    let mut namespaces = BTreeSet::from([fs::read_link(kernel.proc.join("self/ns/mnt")).unwrap_or_default()]);
    let mut unreadable = 0;
    // Without this process, which has the device open itself while it looks.
    for pid in pids(&kernel.proc).filter(|pid| *pid != own_pid) {
        let process = kernel.proc.join(pid.to_string());
        match fs::read_dir(process.join("fd")) {
            Ok(descriptors) => {
                for descriptor in descriptors.flatten() {
                    if let Some(device) = leads_to(&descriptor.path(), footprint) {
                        let name = fs::read(process.join("comm")).unwrap_or_default();
                        let name = String::from_utf8_lossy(&name).trim_end().to_owned();
                        survey.add(device, Reason::Open { process: name, pid });
                    }
                }
            }
            // It ended meanwhile.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(_) => unreadable += 1,
        }
        // One process of each mount namespace is enough: all in it see the same mounts.
        if fs::read_link(process.join("ns/mnt")).is_ok_and(|namespace| namespaces.insert(namespace)) {
            let mountinfo = fs::read(process.join("mountinfo")).unwrap_or_default();
            for mount in mounts::parse(&mountinfo) {
                if let Some(device) = footprint.get(mount.number) {
                    let mount_point = mount.mount_point;
                    survey.add(device, Reason::MountedElsewhere { mount_point, pid });
                }
            }
        }
    }
    if unreadable > 0 {
        survey.notes.push(format!(
            "the open files of {unreadable} processes cannot be read, so one of them may have the device open; run as root to see them"
        ));
    }
}

fn pids(proc: &Path) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    entries.filter_map(|entry| std::str::from_utf8(entry.file_name().as_bytes()).ok()?.parse().ok())
}

/// The device to which a descriptor leads, directly or to the file behind it.
fn leads_to<'f>(descriptor: &Path, footprint: &'f Footprint) -> Option<&'f Device> {
    // What the kernel has in memory is enough; a server that does not answer must not hold us up.
    let flags = AtFlags::STATX_DONT_SYNC;
    let statx = rustix::fs::statx(CWD, descriptor, flags, StatxFlags::TYPE | StatxFlags::INO).ok()?;
    if FileType::from_raw_mode(statx.stx_mode.into()) == FileType::BlockDevice {
        return footprint.get(Number { major: statx.stx_rdev_major, minor: statx.stx_rdev_minor });
    }
    let file = (rustix::fs::makedev(statx.stx_dev_major, statx.stx_dev_minor), statx.stx_ino);
    footprint.files.contains(&file).then(|| &footprint.devices[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_paths_are_read_with_their_escapes_and_garbage_is_passed_over() {
        let text = b"Filename\tType\tSize\n/dev/vdb1   partition\t1\n/a\\040b file 2\n\nx y\n";
        assert_eq!(swap_paths(text), [Path::new("/dev/vdb1"), Path::new("/a b")]);
        assert!(swap_paths(b"").is_empty() && swap_paths(b"/only/a/header").is_empty());
    }

    #[test]
    fn a_kernel_that_shows_nothing_is_an_obstacle_and_not_a_free_device() {
        let Some(device) = Kernel::this().disks().pop() else {
            eprintln!("skipped: no disks");
            return;
        };
        let blind = Kernel { sys: "/nowhere".into(), proc: "/nowhere".into() };
        let survey = survey(&blind, &Footprint::of(&blind, &device), &[]);
        let unseen = |obstacle: &&Obstacle| matches!(obstacle.reason, Reason::Unseen { .. });
        assert_eq!(survey.obstacles.iter().filter(unseen).count(), 3, "{:?}", survey.obstacles);
        assert!(!survey.notes.is_empty());
    }

    #[test]
    fn the_disk_of_the_running_system_is_always_in_use() {
        let kernel = Kernel::this();
        let Some(device) = kernel.devices_of_path(Path::new("/"), &kernel.mounts()).pop() else {
            eprintln!("skipped: the file system of / shows no device");
            return;
        };
        let survey = survey(&kernel, &Footprint::of(&kernel, &device), &[]);
        let is_system = |obstacle: &Obstacle| matches!(obstacle.reason, Reason::SystemDisk { .. });
        assert!(survey.obstacles.iter().any(is_system), "{:?}", survey.obstacles);
    }
}
