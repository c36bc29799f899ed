//! The volumes that are mounted, each by the directory in which test files would be.

use std::collections::BTreeSet;
use std::path::Path;

use iotrial_host::block::Kernel;

/// One for each file system on a device or a server that can be written to. The current directory stands for the one that it is on.
pub(super) fn directories() -> Vec<String> {
    let kernel = Kernel::this();
    let mounts = kernel.mounts();
    let here = std::env::current_dir().ok();
    let here = here.and_then(|here| kernel.mount_of(&here, &mounts)).map(|mount| mount.number);
    let mut seen = BTreeSet::new();
    let mut directories = Vec::new();
    for mount in &mounts {
        let is_writable = mount.options.split(',').any(|option| option == "rw");
        let is_server = ["nfs", "nfs4", "cifs"].contains(&mount.filesystem.as_str());
        let has_storage = is_server || !kernel.devices_of_mount(mount).is_empty();
        let is_meant = is_writable && has_storage && !mount.is_kernels() && !mount.is_in_memory();
        // A container has single files of its host as mounts.
        if !is_meant || !mount.mount_point.is_dir() || !seen.insert(mount.number.to_string()) {
            continue;
        }
        if here == Some(mount.number) {
            directories.push("./iotrial-data".to_owned());
        } else if let Some(path) = mount.mount_point.join("iotrial-data").to_str() {
            directories.push(path.to_owned());
        }
    }
    directories
}

/// Kernel name of the disk of the root file system.
pub(super) fn system_disk() -> Option<String> {
    let kernel = Kernel::this();
    let mounts = kernel.mounts();
    let root = kernel.mount_of(Path::new("/"), &mounts)?;
    let device = kernel.devices_of_mount(root).into_iter().next()?;
    let below = kernel.below(&device);
    Some(below.last().unwrap_or(&device).whole_disk().name())
}
