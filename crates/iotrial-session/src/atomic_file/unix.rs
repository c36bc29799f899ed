//! Rights, folders and links as Unix has them.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::Path;

use rustix::fs::OFlags;

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

/// Has a file opened by its own name only, and without waiting: opening a pipe waits for its reader, maybe for ever.
pub(super) fn not_through_links(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed())
}
