//! Devices as Windows has them.

use std::fs::FileType;
use std::path::{Component, Path, Prefix};

/// By the name: a disk, a volume, a tape and a pipe are all below `\\.\`, and none of them is a place for a file.
pub(super) fn is_device_name(path: &Path) -> bool {
    matches!(path.components().next(), Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::DeviceNS(_)))
}

/// What is neither a file nor a folder.
pub(super) const fn kind_of_special(_: FileType) -> &'static str {
    "a device"
}
