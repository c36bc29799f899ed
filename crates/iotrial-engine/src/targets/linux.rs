//! Files and directories as Linux has them.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use iotrial_model::plan::FreeSpace;
use iotrial_model::record::BlockDevice;
use iotrial_model::units::ByteSize;
use rustix::fs::{AtFlags, CWD, OFlags, StatxFlags};

use super::directory::Directory;
use super::extents;
use iotrial_host::block::{self, Device, Kernel, Link};
use iotrial_host::mounts::{self, Mount};

/// Errors that say that the device is no longer there.
pub(crate) const GONE: [i32; 3] = [libc::ENODEV, libc::ENXIO, libc::ENOMEDIUM];

/// Errors that say that there is no room, or no more for this user.
pub(crate) const NO_SPACE: [i32; 2] = [libc::ENOSPC, libc::EDQUOT];

/// What an open file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    ReadWrite,
}

impl Access {
    pub(crate) const fn of(writes: bool) -> Self {
        if writes { Self::ReadWrite } else { Self::Read }
    }
}

/// Flags of `open(2)` that an engine adds to its handles.
pub(crate) type HandleFlags = i32;

fn flags(more: OFlags) -> i32 {
    // O_NONBLOCK so that a pipe that took the name of a file cannot make us wait; regular files and
    // block devices take no notice of it.
    (OFlags::NOFOLLOW | OFlags::NONBLOCK | more).bits().cast_signed()
}

/// Opens what exists, never through a symbolic link in the last component.
pub(crate) fn open_existing(path: &Path, access: Access, direct: bool) -> io::Result<File> {
    let direct = if direct { OFlags::DIRECT } else { OFlags::empty() };
    let is_write = access == Access::ReadWrite;
    let file = File::options().read(true).write(is_write).custom_flags(flags(direct)).open(path)?;
    note_no_read_times(&file);
    Ok(file)
}

/// Opens once more what `verified` is open on, with flags of the engine's own.
///
/// The way leads through the descriptor and not by the name: whatever took the name meanwhile, this opens the
/// very file or device that was verified. The link that it follows is the kernel's, and nobody can lay it
/// elsewhere.
pub(crate) fn reopen_verified(
    _: &Path,
    verified: &File,
    access: Access,
    direct: bool,
    flags: HandleFlags,
) -> io::Result<File> {
    let direct = if direct { OFlags::DIRECT } else { OFlags::empty() };
    let flags = (OFlags::NONBLOCK | direct).bits().cast_signed() | flags;
    let way = format!("/proc/self/fd/{}", verified.as_raw_fd());
    let is_write = access == Access::ReadWrite;
    let file = File::options().read(true).write(is_write).custom_flags(flags).open(way)?;
    note_no_read_times(&file);
    Ok(file)
}

/// A read need not look whether it is to note its time. Only the owner may ask for that; without it each
/// costs 2 % more.
fn note_no_read_times(file: &File) {
    // After the open and not as one of its flags: there a file of another owner would be refused as a whole.
    let _ =
        rustix::fs::fcntl_getfl(file).and_then(|set| rustix::fs::fcntl_setfl(file, set | OFlags::NOATIME));
}

/// Takes the advisory lock; `false` when another process has it.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(std::fs::TryLockError::WouldBlock) => Ok(false),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Gives the advisory lock back.
pub(crate) fn unlock(file: &File) -> io::Result<()> {
    file.unlock()
}

/// Reserves the space, so that writers do not fight for the end of the file; where the file system
/// cannot do that, only the length is set.
pub(crate) fn reserve(file: &File, length: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, length) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => file.set_len(length),
        Err(error) => Err(error.into()),
    }
}

/// Whether every byte of the range was written: no hole, nothing merely reserved.
pub(crate) fn is_written(file: &File, start: u64, length: u64) -> io::Result<bool> {
    extents::is_written(file, start, length)
}

pub(crate) use super::extents::device_byte;

pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(buffer, offset)
}

pub(crate) fn write_all_at(file: &File, buffer: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(buffer, offset)
}

/// Tells a file or device apart from all others that exist at the same time: number of the file system, and
/// inode. A file that is removed may give its inode to the next one, so that two ids say something only while
/// one of the two files is held open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(u64, u64);

/// The file that a handle is open on.
///
/// # Errors
///
/// When the operating system cannot say.
pub fn file_id(file: &File) -> io::Result<FileId> {
    let metadata = file.metadata()?;
    Ok(FileId(metadata.dev(), metadata.ino()))
}

/// What stands at the path itself: a link, not what it leads to.
///
/// # Errors
///
/// When there is nothing, or the operating system cannot say.
pub fn file_id_at(path: &Path) -> io::Result<FileId> {
    let metadata = path.symlink_metadata()?;
    Ok(FileId(metadata.dev(), metadata.ino()))
}

/// The same of what was looked at without a handle.
pub(crate) fn id_of_stat(stat: &rustix::fs::Stat) -> FileId {
    FileId(stat.st_dev, stat.st_ino)
}

pub(crate) fn link_count(metadata: &Metadata) -> u64 {
    metadata.nlink()
}

/// Bytes that removing the file would give back.
pub(crate) fn allocated(metadata: &Metadata) -> u64 {
    // In units of 512 bytes whatever the blocks of the file system are (stat(2)).
    metadata.blocks().saturating_mul(512)
}

/// What it is, for people.
pub(crate) fn kind_of(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_dir() {
        "a directory"
    } else if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() {
        "a character device"
    } else if kind.is_block_device() {
        "a block device"
    } else {
        "a regular file"
    }
}

pub(crate) fn is_block_device(metadata: &Metadata) -> bool {
    metadata.file_type().is_block_device()
}

/// Who may read what others may not.
pub(crate) const ADMINISTRATOR: &str = "root";

/// For whoever misspelt one.
pub(crate) const HOW_TO_LIST_DEVICES: &str = "`lsblk -o NAME,SIZE,MODEL,SERIAL` lists the devices";

/// What keeps the content of a file from being what was written to it; never here.
pub(crate) fn altered(_: &Metadata) -> Option<&'static str> {
    None
}

/// The directories in which nothing is ever made, because they show devices and the kernel.
pub(crate) fn is_kernels(path: &Path) -> bool {
    ["/dev", "/proc", "/sys"].iter().any(|place| path.starts_with(place))
}

/// Whether this process may make files in the directory.
pub(crate) fn may_make_files(directory: &Path) -> io::Result<()> {
    // With the rights that files will be made with, the effective ones: a program may run with more than its
    // user has.
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    Ok(rustix::fs::accessat(CWD, directory, access, AtFlags::EACCESS)?)
}

/// The room on the file system of a directory.
pub(crate) fn free_space(directory: &Directory) -> io::Result<FreeSpace> {
    let way = directory.way();
    let space = rustix::fs::statvfs(&way)?;
    let blocks = |count: u64| ByteSize::bytes(count.saturating_mul(space.f_frsize));
    let kernel = Kernel::this();
    let device = std::fs::metadata(&way)?.dev();
    let mounts = kernel.mounts();
    let mount = mounts::find(&mounts, directory.path(), directory.mount_id());
    Ok(FreeSpace {
        filesystem_id: mount.map_or(device, |mount| kernel.room_of(mount, &mounts, device)),
        kept: Vec::new(),
        // As `df` counts its percentages: what is kept for root is nobody's room, and a tenth of it cannot stay free.
        capacity: blocks(
            space.f_blocks.saturating_sub(space.f_bfree).saturating_add(space.f_bavail).min(space.f_blocks),
        ),
        // Without what is kept for root, also where root asks: a file system that is full to its end is
        // nobody's wish.
        available: blocks(space.f_bavail),
    })
}

/// The smallest unit of direct I/O as the kernel tells it for this file or block device; `None` where it
/// does not tell, and for directories.
pub(crate) fn direct_alignment(path: &Path) -> Option<u64> {
    let statx = rustix::fs::statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::DIOALIGN).ok()?;
    let tells = statx.stx_mask & StatxFlags::DIOALIGN.bits() != 0;
    (tells && statx.stx_dio_offset_align > 0).then(|| u64::from(statx.stx_dio_offset_align))
}

/// With links resolved.
pub(crate) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

/// Whether the name alone means a raw device, as `\\.\PhysicalDrive0` does elsewhere. Here a device has to
/// be looked at.
pub(crate) fn names_a_device(_: &Path) -> bool {
    false
}

/// What lies below a directory or file.
#[derive(Debug)]
pub(crate) struct Below {
    pub(crate) filesystem: Option<String>,
    /// Mount point and options, for people.
    pub(crate) mount: Option<String>,
    pub(crate) is_in_memory: bool,
    /// Whether it shows devices or the kernel rather than files.
    pub(crate) is_kernels: bool,
    /// The smallest unit of direct I/O, as far as the devices tell.
    pub(crate) sector_size: u64,
    /// Level by level, the nearest first.
    pub(crate) devices: Vec<BlockDevice>,
}

impl Below {
    /// `path` must exist, and have no symbolic links in it.
    pub(crate) fn find(path: &Path) -> Self {
        let kernel = Kernel::this();
        let mounts = kernel.mounts();
        let mount = mounts::find(&mounts, path, block::mount_id(path));
        let direct = mount.map(|mount| kernel.devices_of_mount(mount)).unwrap_or_default();
        let mut devices = Vec::new();
        for device in direct.iter().flat_map(|device| kernel.below(device)) {
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        let sectors = devices.iter().filter_map(Device::logical_block_size).max();
        let follows = mount.is_some_and(Mount::follows_the_sectors);
        Self {
            filesystem: mount.map(|mount| mount.filesystem.clone()),
            mount: mount.map(|mount| format!("{} ({})", mount.mount_point.display(), mount.options)),
            is_in_memory: mount.is_some_and(Mount::is_in_memory) || devices.iter().any(Device::is_in_memory),
            is_kernels: mount.is_some_and(Mount::is_kernels),
            // 4 KiB suits every file system, and databases do not write less than that to data files.
            sector_size: sectors.filter(|_| follows).unwrap_or(4096),
            devices: kernel.chain(&direct, &mounts).iter().map(Link::facts).collect(),
        }
    }
}

/// What tests of the files above expect of this system.
#[cfg(test)]
pub(crate) mod expected {
    /// The error of a path that leads through a file.
    pub(crate) const BELOW_A_FILE: &str = "Examine";
    /// The numbers of «invalid argument» and of «access denied».
    pub(crate) const INVALID_AND_DENIED: (i32, i32) = (22, 13);
}
