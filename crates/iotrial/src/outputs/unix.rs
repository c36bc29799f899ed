//! Special files as Unix has them.

use std::fs::FileType;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

/// Never: a device is a file here, which says what it is.
pub(super) const fn is_device_name(_: &Path) -> bool {
    false
}

/// What is neither a file nor a folder.
pub(super) fn kind_of_special(kind: FileType) -> &'static str {
    if kind.is_block_device() {
        "a block device"
    } else if kind.is_char_device() {
        "a character device"
    } else if kind.is_fifo() {
        "a pipe"
    } else {
        "a socket"
    }
}
