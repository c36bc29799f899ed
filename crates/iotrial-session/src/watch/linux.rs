//! The block devices below what is watched, by the walk that `check` and every run use.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use iotrial_host::block::{Device, Kernel, Link};
use iotrial_host::mounts::Mount;

use super::{WatchError, Watched, WatchedDisk};

pub(super) fn find(targets: &[PathBuf]) -> Result<Watched, WatchError> {
    find_in(&Kernel::this(), targets)
}

fn find_in(kernel: &Kernel, targets: &[PathBuf]) -> Result<Watched, WatchError> {
    let mounts = kernel.mounts();
    let mut watched = Watched::default();
    if targets.is_empty() {
        let disks = kernel.disks();
        // Layers and disks both, because a volume of a database may be either; not memory, drives for discs, and loops without a file.
        for disk in disks.iter().filter(|disk| is_of_interest(disk)) {
            add_stripe(&mut watched, &Link { device: disk.clone(), level: 1, carriers: disk.slaves() });
            watched.disks.push(WatchedDisk {
                name: disk.name(),
                role: None,
                target: String::new(),
                depth: 0,
            });
        }
        return Ok(watched);
    }
    for target in targets {
        let nearest = nearest(kernel, &mounts, target)?;
        if nearest.is_empty() {
            return Err(WatchError::NoDevice { target: target.clone() });
        }
        for link in kernel.chain(&nearest, &mounts) {
            add_stripe(&mut watched, &link);
            let name = link.device.name();
            if !watched.disks.iter().any(|disk| disk.name == name) {
                let depth = usize::try_from(link.level.saturating_sub(1)).unwrap_or(0);
                watched.disks.push(WatchedDisk {
                    name,
                    role: None,
                    target: target.display().to_string(),
                    depth,
                });
            }
        }
    }
    Ok(watched)
}

fn is_of_interest(disk: &Device) -> bool {
    let name = disk.name();
    let is_empty = disk.size().is_none_or(|size| size.get() == 0);
    !(is_empty || disk.is_in_memory() || name.starts_with("sr") || name.starts_with("fd"))
}

/// The devices that the target lies on: the device itself, or those of its file system.
fn nearest(kernel: &Kernel, mounts: &[Mount], target: &Path) -> Result<Vec<Device>, WatchError> {
    let failed = |source| WatchError::Target { target: target.to_owned(), source };
    match fs::metadata(target) {
        Ok(metadata) if metadata.file_type().is_block_device() => {
            Ok(kernel.device_of_source(target).into_iter().collect())
        }
        Ok(_) => Ok(kernel.devices_of_path(&fs::canonicalize(target).map_err(failed)?, mounts)),
        // A name of the kernel, such as `sda`.
        Err(error) if error.kind() == io::ErrorKind::NotFound && target.components().count() == 1 => kernel
            .device_of_source(&Path::new("/dev").join(target))
            .map(|device| vec![device])
            .ok_or_else(|| failed(error)),
        Err(error) => Err(failed(error)),
    }
}

/// Its members are a stripe set where they share its load evenly by design: not the paths of a multipath map, of which some may wait, nor the
/// disks of a linear volume, which are filled one after the other.
fn add_stripe(watched: &mut Watched, link: &Link) {
    if link.carriers.len() < 2 {
        return;
    }
    let number = |name: &str| link.device.attribute(name)?.parse::<u64>().ok();
    let is_striped = match link.device.attribute("md/level") {
        Some(level) => ["raid0", "raid4", "raid5", "raid6", "raid10"].contains(&level.as_str()),
        // The kernel gives a mapping one chunk as its smallest and one whole stripe as its best I/O (dm-stripe.c, stripe_io_hints).
        None => {
            let sizes = number("queue/minimum_io_size").zip(number("queue/optimal_io_size"));
            sizes.is_some_and(|(chunk, stripe)| chunk > 0 && stripe == chunk * link.carriers.len() as u64)
        }
    };
    let members: Vec<String> = link.carriers.iter().map(Device::name).collect();
    if is_striped && !watched.stripes.contains(&members) {
        watched.stripes.push(members);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_not_there_or_on_no_device_is_told() {
        let find = |target: &str| find(&[PathBuf::from(target)]).unwrap_err().to_string();
        assert_eq!(find("/no/such/place"), "cannot watch `/no/such/place`");
        assert_eq!(find("nosuchdisk"), "cannot watch `nosuchdisk`");
        assert_eq!(find("/proc"), "`/proc` is not on a block device that this host shows");
    }

    /// A device of a copy of sysfs: name, attributes, members.
    type Described<'d> = (&'d str, &'d [(&'d str, &'d str)], &'d [&'d str]);

    /// A copy of sysfs with these devices.
    fn host(devices: &[Described<'_>]) -> (tempfile::TempDir, Kernel) {
        let root = tempfile::tempdir().unwrap();
        let at = |path: String| root.path().join("sys").join(path);
        for folder in ["block", "class/block"] {
            fs::create_dir_all(at(folder.to_owned())).unwrap();
        }
        for (number, (name, attributes, members)) in devices.iter().enumerate() {
            fs::create_dir_all(at(format!("devices/{name}/slaves"))).unwrap();
            fs::write(at(format!("devices/{name}/dev")), format!("8:{number}\n")).unwrap();
            for (attribute, value) in *attributes {
                let file = at(format!("devices/{name}/{attribute}"));
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, format!("{value}\n")).unwrap();
            }
            for member in *members {
                symlink(format!("../../{member}"), at(format!("devices/{name}/slaves/{member}"))).unwrap();
            }
            symlink(format!("../devices/{name}"), at(format!("block/{name}"))).unwrap();
            symlink(format!("../../devices/{name}"), at(format!("class/block/{name}"))).unwrap();
        }
        let kernel = Kernel::captured(root.path());
        (root, kernel)
    }

    #[test]
    fn members_of_a_stripe_set_are_found_and_mirrors_and_linear_volumes_are_none() {
        const HINTS: [(&str, &str); 2] =
            [("queue/minimum_io_size", "65536"), ("queue/optimal_io_size", "131072")];
        const LINEAR: [(&str, &str); 2] = [("queue/minimum_io_size", "512"), ("queue/optimal_io_size", "0")];
        let (_root, kernel) = host(&[
            ("sda", &[], &[]),
            ("sdb", &[], &[]),
            ("sdc", &[], &[]),
            ("md0", &[("md/level", "raid0")], &["sda", "sdb"]),
            ("md1", &[("md/level", "raid1")], &["sda", "sdb"]),
            ("dm-0", &HINTS, &["sdb", "sdc"]),
            ("dm-1", &LINEAR, &["sdb", "sdc"]),
            ("dm-2", &LINEAR, &["md0"]),
        ]);
        let check = |target: &str, disks: &[(&str, usize)], stripes: &[&[&str]]| {
            let watched = find_in(&kernel, &[PathBuf::from(target)]).unwrap();
            let found: Vec<_> = watched.disks.iter().map(|disk| (disk.name.as_str(), disk.depth)).collect();
            assert_eq!(found, disks, "{target}");
            assert_eq!(watched.stripes, stripes, "{target}");
        };
        check("md0", &[("md0", 0), ("sda", 1), ("sdb", 1)], &[&["sda", "sdb"]]);
        check("md1", &[("md1", 0), ("sda", 1), ("sdb", 1)], &[]);
        check("dm-0", &[("dm-0", 0), ("sdb", 1), ("sdc", 1)], &[&["sdb", "sdc"]]);
        check("dm-1", &[("dm-1", 0), ("sdb", 1), ("sdc", 1)], &[]);
        // A volume on an array: the array two levels above its disks.
        check("dm-2", &[("dm-2", 0), ("md0", 1), ("sda", 2), ("sdb", 2)], &[&["sda", "sdb"]]);
        // What two targets have in common is there once.
        let both = find_in(&kernel, &[PathBuf::from("md0"), PathBuf::from("dm-0")]).unwrap();
        let names: Vec<&str> = both.disks.iter().map(|disk| disk.name.as_str()).collect();
        assert_eq!(names, ["md0", "sda", "sdb", "dm-0", "sdc"]);
    }

    #[test]
    fn all_disks_of_this_host_are_found_without_memory_and_drives() {
        let watched = find(&[]).unwrap();
        assert!(
            watched.disks.iter().all(|disk| !disk.name.starts_with("ram") && !disk.name.starts_with("sr"))
        );
    }
}
