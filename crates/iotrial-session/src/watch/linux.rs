//! The block devices below what is watched, by the walk that `check` and every run use.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use iotrial_host::block::{Device, Kernel, Link};
use iotrial_host::mounts::Mount;

use super::{WatchError, Watched, WatchedDisk};

pub(super) fn find(targets: &[PathBuf]) -> Result<Watched, WatchError> {
    let kernel = Kernel::this();
    let mounts = kernel.mounts();
    let mut watched = Watched::default();
    if targets.is_empty() {
        let disks = kernel.disks();
        // Layers and disks both, because a volume of a database may be either; not memory, drives for discs, and loops without a file.
        for disk in disks.iter().filter(|disk| is_of_interest(disk)) {
            add_stripe(&mut watched, &Link { device: disk.clone(), level: 1, carriers: disk.slaves() });
            watched.disks.push(WatchedDisk { name: disk.name(), role: None, target: String::new(), depth: 0 });
        }
        return Ok(watched);
    }
    for target in targets {
        let nearest = nearest(&kernel, &mounts, target)?;
        if nearest.is_empty() {
            return Err(WatchError::NoDevice { target: target.clone() });
        }
        for link in kernel.chain(&nearest, &mounts) {
            add_stripe(&mut watched, &link);
            let name = link.device.name();
            if !watched.disks.iter().any(|disk| disk.name == name) {
                let depth = usize::try_from(link.level.saturating_sub(1)).unwrap_or(0);
                watched.disks.push(WatchedDisk { name, role: None, target: target.display().to_string(), depth });
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
        Err(error) if error.kind() == io::ErrorKind::NotFound && target.components().count() == 1 => {
            kernel.device_of_source(&Path::new("/dev").join(target)).map(|device| vec![device]).ok_or_else(|| failed(error))
        }
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
    use super::*;

    #[test]
    fn what_is_not_there_or_on_no_device_is_told() {
        let find = |target: &str| find(&[PathBuf::from(target)]).unwrap_err().to_string();
        assert_eq!(find("/no/such/place"), "cannot watch `/no/such/place`");
        assert_eq!(find("nosuchdisk"), "cannot watch `nosuchdisk`");
        assert_eq!(find("/proc"), "`/proc` is on no block device of this host");
    }

    #[test]
    fn all_disks_of_this_host_are_found_without_memory_and_drives() {
        let watched = find(&[]).unwrap();
        assert!(watched.disks.iter().all(|disk| !disk.name.starts_with("ram") && !disk.name.starts_with("sr")));
    }
}
