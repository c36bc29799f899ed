//! The calls of Windows by which a host is read.

#![expect(unsafe_code, reason = "these calls are not in std")]

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;
use std::ptr::{null, null_mut};

use windows_sys::Win32::Foundation::ERROR_SUCCESS;
use windows_sys::Win32::Storage::FileSystem::{
    GetDiskFreeSpaceW, GetDriveTypeW, GetVolumeInformationW, GetVolumeNameForVolumeMountPointW,
    GetVolumePathNameW, IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::{
    IOCTL_DISK_GET_DRIVE_GEOMETRY_EX, IOCTL_STORAGE_GET_DEVICE_NUMBER, IOCTL_STORAGE_QUERY_PROPERTY,
    PropertyStandardQuery, STORAGE_PROPERTY_QUERY, StorageAccessAlignmentProperty, StorageDeviceProperty,
    StorageDeviceSeekPenaltyProperty, StorageDeviceWriteCacheProperty,
};
use windows_sys::Win32::System::Registry::{
    HKEY_LOCAL_MACHINE, RRF_RT_REG_DWORD, RRF_RT_REG_SZ, RegGetValueW,
};
use windows_sys::Win32::System::SystemInformation::GetSystemFirmwareTable;
use windows_sys::Win32::System::WindowsProgramming::DRIVE_REMOTE;

/// Paths of volumes and names of file systems are shorter.
const MOST_CHARACTERS: usize = 1024;
/// More than any answer about a disk has; a volume over sixty disks says 1,448 bytes.
const MOST_BYTES: usize = 16 << 10;
/// The tables of a large server have some tens of KiB.
const MOST_FIRMWARE: usize = 1 << 20;

/// A text as Windows takes it: UTF-16, with a zero at its end.
fn wide(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// What a call wrote into a buffer, until the zero.
fn text_of(buffer: &[u16]) -> OsString {
    let end = buffer.iter().position(|unit| *unit == 0).unwrap_or(buffer.len());
    OsString::from_wide(&buffer[..end])
}

/// A text of the registry, below HKEY_LOCAL_MACHINE.
pub(crate) fn registry_text(key: &str, name: &str) -> io::Result<String> {
    let (key, name) = (wide(OsStr::new(key)), wide(OsStr::new(name)));
    let mut buffer = [0_u16; MOST_CHARACTERS];
    let mut bytes = u32::try_from(size_of_val(&buffer)).unwrap_or(0);
    // SAFETY: both names end with a zero, the buffer has as many bytes as are told, and all of them outlive the call.
    let error = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            name.as_ptr(),
            RRF_RT_REG_SZ,
            null_mut(),
            buffer.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    if error != ERROR_SUCCESS {
        return Err(io::Error::from_raw_os_error(error.cast_signed()));
    }
    Ok(text_of(&buffer).to_string_lossy().trim().to_owned())
}

/// A number of the registry, below HKEY_LOCAL_MACHINE; `None` where there is none.
pub(crate) fn registry_number(key: &str, name: &str) -> Option<u32> {
    let (key, name) = (wide(OsStr::new(key)), wide(OsStr::new(name)));
    let (mut number, mut bytes) = (0_u32, 4_u32);
    // SAFETY: both names end with a zero, the number has as many bytes as are told, and all of them outlive the call.
    let error = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            name.as_ptr(),
            RRF_RT_REG_DWORD,
            null_mut(),
            (&raw mut number).cast(),
            &raw mut bytes,
        )
    };
    (error == ERROR_SUCCESS).then_some(number)
}

/// The tables of the firmware (SMBIOS) with the header that Windows puts before them; empty where there are none.
pub(crate) fn firmware_tables() -> Vec<u8> {
    let mut tables = vec![0_u8; MOST_FIRMWARE];
    let length = u32::try_from(tables.len()).unwrap_or(0);
    // SAFETY: the buffer has as many bytes as are told, and outlives the call.
    let written =
        unsafe { GetSystemFirmwareTable(u32::from_be_bytes(*b"RSMB"), 0, tables.as_mut_ptr(), length) };
    // More than there is room for: nothing was written.
    tables.truncate(if written > length { 0 } else { written as usize });
    tables
}

/// Where a volume is mounted.
pub(crate) struct Volume {
    /// `D:\`, or a folder, with a backslash at its end and a zero behind it.
    root: Vec<u16>,
    /// The same for people.
    pub(crate) shown: String,
}

impl Volume {
    /// Its root without the zero.
    pub(crate) fn root_text(&self) -> OsString {
        text_of(&self.root)
    }
}

/// The volume that holds a file or directory.
pub(crate) fn volume_of(path: &Path) -> io::Result<Volume> {
    // Paths of 260 characters and more are taken only in the form that nobody resolves any further.
    let is_long = path.as_os_str().len() >= 240;
    let path = if is_long { std::fs::canonicalize(path)? } else { path.to_owned() };
    let path = wide(path.as_os_str());
    let mut root = [0_u16; MOST_CHARACTERS];
    let length = u32::try_from(root.len()).unwrap_or(0);
    // SAFETY: the path ends with a zero, the buffer has as many characters as are told, and both outlive the call.
    let done = unsafe { GetVolumePathNameW(path.as_ptr(), root.as_mut_ptr(), length) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let root = text_of(&root);
    let shown = root.to_string_lossy();
    let shown = match shown.strip_prefix(r"\\?\UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => shown.strip_prefix(r"\\?\").unwrap_or(&shown).to_owned(),
    };
    Ok(Volume { root: wide(&root), shown })
}

/// Whether it is a share of a file server, by its letter or its name.
pub(crate) fn is_remote(volume: &Volume) -> bool {
    // SAFETY: the root ends with a zero, and outlives the call.
    unsafe { GetDriveTypeW(volume.root.as_ptr()) == DRIVE_REMOTE }
}

/// `NTFS`, `ReFS`.
pub(crate) fn filesystem_name(volume: &Volume) -> io::Result<String> {
    let mut name = [0_u16; MOST_CHARACTERS];
    let length = u32::try_from(name.len()).unwrap_or(0);
    // SAFETY: the root ends with a zero, the buffer has as many characters as are told; whatever else could be told is not wanted.
    let done = unsafe {
        GetVolumeInformationW(
            volume.root.as_ptr(),
            null_mut(),
            0,
            null_mut(),
            null_mut(),
            null_mut(),
            name.as_mut_ptr(),
            length,
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(text_of(&name).to_string_lossy().into_owned())
}

/// The room of a volume, in clusters, which are its allocation units.
#[derive(Debug, Default)]
pub(crate) struct Space {
    pub(crate) sectors_per_cluster: u32,
    pub(crate) bytes_per_sector: u32,
    pub(crate) free_clusters: u32,
    pub(crate) all_clusters: u32,
}

pub(crate) fn space(volume: &Volume) -> io::Result<Space> {
    let mut space = Space::default();
    // SAFETY: the root ends with a zero, and the four numbers outlive the call.
    let done = unsafe {
        GetDiskFreeSpaceW(
            volume.root.as_ptr(),
            &raw mut space.sectors_per_cluster,
            &raw mut space.bytes_per_sector,
            &raw mut space.free_clusters,
            &raw mut space.all_clusters,
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(space) }
}

/// Opens a device to ask it, without the right to read or to write.
pub(crate) fn open_device(name: &str) -> io::Result<File> {
    // FILE_SHARE_READ and FILE_SHARE_WRITE: others have it open, and go on using it.
    OpenOptions::new().access_mode(0).share_mode(0x1 | 0x2).open(name)
}

/// What is asked of a disk.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Property {
    Device,
    Alignment,
    SeekPenalty,
    WriteCache,
}

/// The answer of a disk, as it lies in memory.
pub(crate) fn query(device: &File, property: Property) -> io::Result<Vec<u8>> {
    let id = match property {
        Property::Device => StorageDeviceProperty,
        Property::Alignment => StorageAccessAlignmentProperty,
        Property::SeekPenalty => StorageDeviceSeekPenaltyProperty,
        Property::WriteCache => StorageDeviceWriteCacheProperty,
    };
    let query = STORAGE_PROPERTY_QUERY {
        PropertyId: id,
        QueryType: PropertyStandardQuery,
        ..STORAGE_PROPERTY_QUERY::default()
    };
    control(device, IOCTL_STORAGE_QUERY_PROPERTY, Some(&query))
}

/// How large a disk and its sectors are, as it lies in memory.
// Not IOCTL_DISK_GET_LENGTH_INFO, which only those may ask who may read the disk.
pub(crate) fn geometry(device: &File) -> io::Result<Vec<u8>> {
    control(device, IOCTL_DISK_GET_DRIVE_GEOMETRY_EX, None)
}

/// Which device it is, as it lies in memory.
pub(crate) fn device_number(device: &File) -> io::Result<Vec<u8>> {
    control(device, IOCTL_STORAGE_GET_DEVICE_NUMBER, None)
}

/// On which disks a volume is, as it lies in memory.
pub(crate) fn volume_extents(volume: &Volume) -> io::Result<Vec<u8>> {
    let mut name = [0_u16; MOST_CHARACTERS];
    let length = u32::try_from(name.len()).unwrap_or(0);
    // SAFETY: the root ends with a zero, the buffer has as many characters as are told, and both outlive the call.
    let done = unsafe { GetVolumeNameForVolumeMountPointW(volume.root.as_ptr(), name.as_mut_ptr(), length) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    // `\\?\Volume{…}\` is its root directory, and without the last backslash the volume itself.
    let name = text_of(&name).to_string_lossy().trim_end_matches('\\').to_owned();
    control(&open_device(&name)?, IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS, None)
}

fn control(device: &File, code: u32, question: Option<&STORAGE_PROPERTY_QUERY>) -> io::Result<Vec<u8>> {
    let mut answer = vec![0_u8; MOST_BYTES];
    let length = u32::try_from(answer.len()).unwrap_or(0);
    let mut returned = 0;
    let (input, input_length) = question.map_or((null(), 0), |question| {
        (std::ptr::from_ref(question).cast(), u32::try_from(size_of_val(question)).unwrap_or(0))
    });
    // SAFETY: question and answer have as many bytes as are told, and outlive the call, which waits for its end: the handle was not
    // opened for overlapped I/O.
    let done = unsafe {
        DeviceIoControl(
            device.as_raw_handle(),
            code,
            input,
            input_length,
            answer.as_mut_ptr().cast(),
            length,
            &raw mut returned,
            null_mut(),
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    answer.truncate(returned as usize);
    Ok(answer)
}
