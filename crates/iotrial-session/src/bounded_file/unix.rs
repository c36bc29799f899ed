//! Devices as Unix has them.

use std::fs::Metadata;
use std::os::unix::fs::FileTypeExt as _;

/// Whether it is a device, which is not opened to read a result from it.
pub(super) fn is_device(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device() || metadata.file_type().is_block_device()
}
