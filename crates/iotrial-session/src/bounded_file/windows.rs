//! Devices as Windows has them.

use std::fs::Metadata;

/// Never: what has metadata is a file or a folder. Devices have names of their own, and give none.
pub(super) fn is_device(_: &Metadata) -> bool {
    false
}
