//! Rights, folders and devices as Windows has them.

use std::fs::File;
use std::io;
use std::path::{Component, Path, Prefix};

/// Does nothing: a new file has the rights of its folder, as the one before it had.
pub(super) fn keep_rights(_: &Path, _: &File) {}

/// Does nothing: Windows brings names to the disk with their files. Never fails.
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// By the name: a disk, a volume, a tape and a pipe are all below `\\.\`, and none of them is a place for a file. Never fails.
pub(super) fn device_with_data(path: &Path) -> io::Result<Option<&'static str>> {
    let is_device = matches!(path.components().next(), Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::DeviceNS(_)));
    Ok(is_device.then_some("a device"))
}
