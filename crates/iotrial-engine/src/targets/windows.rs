//! Files and directories as Windows has them.

use std::fs::{File, Metadata};
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::windows::io::AsRawHandle as _;
use std::path::{Component, Path, PathBuf, Prefix};

use iotrial_host::physical_disk::{self, disk_number};
use iotrial_host::windows_path::resolved;
use iotrial_model::plan::FreeSpace;
use iotrial_model::record::BlockDevice;
use iotrial_model::units::ByteSize;
use windows_sys::Win32::Foundation::{
    ERROR_DEV_NOT_EXIST, ERROR_DEVICE_NOT_CONNECTED, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED,
    ERROR_HANDLE_DISK_FULL, ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, ERROR_NOT_READY,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_COMPRESSED, FILE_ATTRIBUTE_ENCRYPTED,
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_ATTRIBUTE_SPARSE_FILE, FILE_FLAG_BACKUP_SEMANTICS,
    FILE_FLAG_NO_BUFFERING, FILE_FLAG_OPEN_REPARSE_POINT, FILE_ID_INFO, FILE_SHARE_READ, FILE_SHARE_WRITE,
    FileIdInfo, GetDiskFreeSpaceExW, GetDiskFreeSpaceW, GetFileInformationByHandle,
    GetFileInformationByHandleEx, GetVolumeInformationW, LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY,
    LockFileEx, UnlockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

use super::directory::Directory;

/// Errors that say that the device is no longer there.
pub(crate) const GONE: [i32; 3] = [
    ERROR_DEVICE_NOT_CONNECTED.cast_signed(),
    ERROR_NOT_READY.cast_signed(),
    ERROR_DEV_NOT_EXIST.cast_signed(),
];

/// Errors that say that there is no room, or no more for this user.
pub(crate) const NO_SPACE: [i32; 3] = [
    ERROR_DISK_FULL.cast_signed(),
    ERROR_HANDLE_DISK_FULL.cast_signed(),
    ERROR_DISK_QUOTA_EXCEEDED.cast_signed(),
];

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

/// A lock on bytes keeps even their owner's other handles from them, so the locked byte lies far beyond any
/// data, where locking is allowed all the same.
const LOCKED_BYTE_HIGH: u32 = 0x4000_0000;

/// Flags of `CreateFileW` that an engine adds to its handles.
pub(crate) type HandleFlags = u32;

/// Opens once more what `verified` is open on, with flags of the engine's own.
///
/// The way leads by the name, which nobody can take: the verified handle does not share the right to delete,
/// and so neither the file nor a directory above it can be renamed or removed while it is open.
pub(crate) fn reopen_verified(
    path: &Path,
    _: &File,
    access: Access,
    direct: bool,
    flags: HandleFlags,
) -> io::Result<File> {
    open_with(path, access, direct, flags)
}

/// Opens what exists, never through a reparse point in the last component.
pub(crate) fn open_existing(path: &Path, access: Access, direct: bool) -> io::Result<File> {
    open_with(path, access, direct, 0)
}

fn open_with(path: &Path, access: Access, direct: bool, flags: HandleFlags) -> io::Result<File> {
    let direct = if direct { FILE_FLAG_NO_BUFFERING } else { 0 };
    File::options()
        .read(true)
        .write(access == Access::ReadWrite)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT | direct | flags)
        .open(path)
}

/// Makes a regular file; fails if the name is taken by anything. Who may read it follows from the directory.
pub(crate) fn make_new(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)
}

fn locked_byte() -> OVERLAPPED {
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.OffsetHigh = LOCKED_BYTE_HIGH;
    place
}

/// Takes the lock; `false` when another handle has it.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    let mut place = locked_byte();
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    #[expect(unsafe_code, reason = "std locks whole files only")]
    // SAFETY: the handle is open as long as `file` is borrowed. It was not opened for overlapped I/O, so the
    // call is over when it returns and nothing refers to `place` after it.
    let taken = unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) };
    if taken != 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Ok(false),
        _ => Err(error),
    }
}

/// Gives the lock back.
pub(crate) fn unlock(file: &File) -> io::Result<()> {
    let mut place = locked_byte();
    #[expect(unsafe_code, reason = "std locks whole files only")]
    // SAFETY: as for `lock`.
    let given = unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut place) };
    if given == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Sets the length, so that writers do not fight for the end of the file.
pub(crate) fn reserve(file: &File, length: u64) -> io::Result<()> {
    file.set_len(length)
}

/// Files that are made in a folder with one of these have it as well, and what they hold is not what a load writes.
const INHERITED: [(u32, &str); 2] = [
    (FILE_ATTRIBUTE_COMPRESSED, "compresses the files (`compact /u` turns that off)"),
    (FILE_ATTRIBUTE_ENCRYPTED, "encrypts the files (`cipher /d` turns that off)"),
];

/// What keeps the content of a file from being what was written to it, and where; as the end of «it is …».
pub(crate) fn altered(metadata: &Metadata) -> Option<&'static str> {
    altered_by(metadata.file_attributes())
}

const fn altered_by(attributes: u32) -> Option<&'static str> {
    if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        Some("a reparse point: a link, or a file that is deduplicated, archived or in the cloud")
    } else if attributes & FILE_ATTRIBUTE_COMPRESSED != 0 {
        Some("a compressed file")
    } else if attributes & FILE_ATTRIBUTE_ENCRYPTED != 0 {
        Some("an encrypted file")
    } else if attributes & FILE_ATTRIBUTE_SPARSE_FILE != 0 {
        Some("a sparse file")
    } else {
        None
    }
}

/// Whether every byte of the range was written. NTFS answers what lies behind the valid data length with
/// zeros from memory and tells nobody where that is; a file whose header says that it is whole was filled to
/// its end, and only one that was altered can have lost parts since.
pub(crate) fn is_written(file: &File, _: u64, _: u64) -> io::Result<bool> {
    Ok(altered(&file.metadata()?).is_none())
}

/// Where a byte of a file is on its disk: not asked here.
pub(crate) const fn device_byte(_file: &File, _offset: u64) -> Option<u64> {
    None
}

pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match file.seek_read(buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                buffer = &mut buffer[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(crate) fn write_all_at(file: &File, mut buffer: &[u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match file.seek_write(buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                buffer = &buffer[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Tells a file apart from all others that exist at the same time. It says something only while one of the
/// two files that are compared is held open, because the index of a file that is removed goes to another one.
// Not by the time at which it was made as well: some servers of shares tell that of the last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId {
    volume_serial: u64,
    index: u128,
}

/// The file that a handle is open on.
///
/// # Errors
///
/// When the operating system cannot say.
pub fn file_id(file: &File) -> io::Result<FileId> {
    let handle = file.as_raw_handle();
    let mut whole = FILE_ID_INFO::default();
    let length = u32::try_from(size_of::<FILE_ID_INFO>()).expect("24 bytes");
    #[expect(unsafe_code, reason = "the index of a file is not in std")]
    // SAFETY: the handle is open as long as `file` is borrowed, the structure outlives the call, and its length is said.
    let told = unsafe { GetFileInformationByHandleEx(handle, FileIdInfo, (&raw mut whole).cast(), length) };
    if told != 0 {
        let index = u128::from_le_bytes(whole.FileId.Identifier);
        return Ok(FileId { volume_serial: whole.VolumeSerialNumber, index });
    }
    // Shares of old servers know only the shorter index, which is enough for NTFS.
    let mut facts = BY_HANDLE_FILE_INFORMATION::default();
    #[expect(unsafe_code, reason = "the index of a file is not in std")]
    // SAFETY: as above.
    let told = unsafe { GetFileInformationByHandle(handle, &raw mut facts) };
    if told == 0 {
        let error = io::Error::last_os_error();
        // A disk is not a file of a file system, and has a number of its own. Asked last: of a file some systems tell that of its disk.
        let disk = disk_number(file).map(|number| FileId { volume_serial: u64::MAX, index: number.into() });
        return disk.ok_or(error);
    }
    let index = u64::from(facts.nFileIndexHigh) << 32 | u64::from(facts.nFileIndexLow);
    Ok(FileId { volume_serial: facts.dwVolumeSerialNumber.into(), index: index.into() })
}

/// What stands at the path itself: a reparse point, not what it leads to.
///
/// # Errors
///
/// When there is nothing, or the operating system cannot say.
pub fn file_id_at(path: &Path) -> io::Result<FileId> {
    // Without any right to the content: a file that somebody holds for himself alone can still be told apart.
    // Directories open only with the semantics of a backup.
    let flags = FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS;
    file_id(&File::options().access_mode(0).custom_flags(flags).open(path)?)
}

/// Hard links are not counted here: making one needs the right to write to the file.
pub(crate) fn link_count(_: &Metadata) -> u64 {
    1
}

/// Bytes that removing the file would give back.
pub(crate) fn allocated(metadata: &Metadata) -> u64 {
    metadata.file_size()
}

/// What it is, for people.
pub(crate) fn kind_of(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() {
        "a directory"
    } else if metadata.is_symlink() {
        "a symbolic link"
    } else if metadata.is_file() {
        "a regular file"
    } else {
        "something else than a file"
    }
}

pub(crate) fn is_block_device(_: &Metadata) -> bool {
    false
}

/// No directory shows devices or the kernel here.
pub(crate) fn is_kernels(_: &Path) -> bool {
    false
}

/// The rights of a directory are known only when a file is made in it; what it does to its files is known before.
pub(crate) fn may_make_files(directory: &Path) -> io::Result<()> {
    let attributes = std::fs::metadata(directory)?.file_attributes();
    match INHERITED.iter().find(|(attribute, _)| attributes & attribute != 0) {
        Some((_, what)) => Err(io::Error::new(io::ErrorKind::Unsupported, format!("Windows {what} there"))),
        None => Ok(()),
    }
}

/// With links resolved, as other programs take it.
pub(crate) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    resolved(path)
}

/// Who may read what others may not.
pub(crate) const ADMINISTRATOR: &str = "an administrator";

/// For whoever misspelt one.
pub(crate) const HOW_TO_LIST_DEVICES: &str =
    r"`Get-Disk` in PowerShell lists the disks: number 1 is `\\.\PhysicalDrive1`";

/// `\\.\PhysicalDrive0`, `\\.\C:` and the like.
pub(crate) fn names_a_device(path: &Path) -> bool {
    matches!(path.components().next(), Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::DeviceNS(_)))
}

/// The root of the volume on which `path` lies, with a final zero.
fn volume_root(path: &Path) -> io::Result<Vec<u16>> {
    let root = physical_disk::volume_root(path)?;
    Ok(root.encode_wide().chain([0]).collect())
}

/// The room on the file system of a directory.
pub(crate) fn free_space(directory: &Directory) -> io::Result<FreeSpace> {
    let root = volume_root(directory.path())?;
    let (mut available, mut capacity, mut serial) = (0, 0, 0);
    let no_text = std::ptr::null_mut();
    #[expect(unsafe_code, reason = "free space is not in std")]
    // SAFETY: the root ends with a zero, the numbers outlive the calls, and a null pointer with length zero
    // means that a text is not wanted.
    let told = unsafe {
        GetDiskFreeSpaceExW(root.as_ptr(), &raw mut available, &raw mut capacity, std::ptr::null_mut()) != 0
            && GetVolumeInformationW(
                root.as_ptr(),
                no_text,
                0,
                &raw mut serial,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                no_text,
                0,
            ) != 0
    };
    if !told {
        return Err(io::Error::last_os_error());
    }
    Ok(FreeSpace {
        filesystem_id: serial.into(),
        kept: Vec::new(),
        capacity: ByteSize::bytes(capacity),
        available: ByteSize::bytes(available),
    })
}

/// Files do not tell; the volume does, see [`Below`].
pub(crate) fn direct_alignment(_: &Path) -> Option<u64> {
    None
}

/// What lies below a directory or file.
#[derive(Debug)]
pub(crate) struct Below {
    pub(crate) filesystem: Option<String>,
    /// The root of the volume.
    pub(crate) mount: Option<String>,
    pub(crate) is_in_memory: bool,
    pub(crate) is_kernels: bool,
    /// The smallest unit of direct I/O.
    pub(crate) sector_size: u64,
    pub(crate) devices: Vec<BlockDevice>,
}

impl Below {
    /// `path` must exist.
    pub(crate) fn find(path: &Path) -> Self {
        let physical_disk::Below { filesystem, volume, disks } = physical_disk::below(path);
        Self {
            filesystem,
            mount: volume,
            is_in_memory: false,
            is_kernels: false,
            sector_size: volume_root(path).ok().and_then(|root| sector_size(&root)).unwrap_or(4096),
            devices: disks,
        }
    }
}

fn sector_size(root: &[u16]) -> Option<u64> {
    if root.is_empty() {
        return None;
    }
    let (mut per_cluster, mut sector, mut free, mut all) = (0, 0, 0, 0);
    #[expect(unsafe_code, reason = "the sector size is not in std")]
    // SAFETY: the root ends with a zero, and the numbers outlive the call.
    let told = unsafe {
        GetDiskFreeSpaceW(root.as_ptr(), &raw mut per_cluster, &raw mut sector, &raw mut free, &raw mut all)
    };
    (told != 0 && sector > 0).then(|| u64::from(sector))
}

/// What tests of the files above expect of this system.
#[cfg(test)]
pub(crate) mod expected {
    /// The error of a path that leads through a file.
    pub(crate) const BELOW_A_FILE: &str = "NoParent";
    /// The numbers of «invalid argument» and of «access denied».
    pub(crate) const INVALID_AND_DENIED: (i32, i32) = (87, 5);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_windows_alters_is_refused_with_its_name() {
        assert_eq!(altered_by(0x20), None);
        for (attributes, word) in
            [(0x400, "reparse"), (0x820, "compressed"), (0x4020, "encrypted"), (0x220, "sparse")]
        {
            assert!(altered_by(attributes).unwrap().contains(word), "{attributes:x}");
        }
    }
}
