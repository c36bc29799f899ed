//! Rights, folders and links as Windows has them.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;

/// Does nothing: a new file has the rights of its folder, as the one before it had.
pub(super) fn keep_rights(_: &Path, _: &File) {}

/// Does nothing: Windows brings names to the disk with their files. Never fails.
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Has what stands at the name itself opened, which is a link and not what it leads to.
pub(super) fn not_through_links(options: &mut OpenOptions) -> &mut OpenOptions {
    /// As in winbase.h.
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
}
