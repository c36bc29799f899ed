//! Rights, folders and devices as Unix has them.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, fchown};
use std::path::Path;

/// Gives a new file the owner, the group and the rights of the one that it replaces: who could read a page before it was made anew
/// can read it afterwards. As far as that is allowed; nothing of it keeps the file from being written.
pub(super) fn keep_rights(replaced: &Path, file: &File) {
    // Not through a link, which is replaced and not followed.
    let Ok(metadata) = fs::symlink_metadata(replaced) else { return };
    if !metadata.is_file() {
        return;
    }
    // The owner first, because a change of it takes rights away. Not the bits that make a program run as another user.
    let is_owned = fchown(file, Some(metadata.uid()), Some(metadata.gid())).is_ok();
    // With another owner or group, rights for them would be those of somebody else.
    if is_owned {
        let _ = file.set_permissions(fs::Permissions::from_mode(metadata.mode() & 0o777));
    }
}

/// Brings the names in a folder to the disk: a new file is there after a crash only when its folder is.
///
/// # Errors
///
/// When the folder cannot be opened, or its file system cannot do that.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

pub(super) fn device_with_data(path: &Path) -> io::Result<Option<&'static str>> {
    let metadata = fs::metadata(path)?;
    let kind = metadata.file_type();
    if kind.is_block_device() {
        return Ok(Some("a block device"));
    }
    // As the kernel packs it into 64 bits (`new_decode_dev`).
    let major = (metadata.rdev() >> 8 & 0xfff) | (metadata.rdev() >> 32 & !0xfff);
    // Memory (null, zero, full), terminals, consoles, and the other ends of pseudo terminals (admin-guide/devices.txt). Whatever
    // else there is may be a tape.
    let passes_on = matches!(major, 1 | 4 | 5 | 136..=143);
    Ok((kind.is_char_device() && !passes_on).then_some("a device that may hold data"))
}
