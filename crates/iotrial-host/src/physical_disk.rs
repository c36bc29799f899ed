//! Disks of Windows by their number, as `\\.\PhysicalDrive0` names them, and those below a volume.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;

use iotrial_model::record::BlockDevice;
use iotrial_model::units::ByteSize;

use crate::storage_layout::{self as layout, Identity};
use crate::windows_api::{self as api, Property};

/// What carries a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Below {
    /// `NTFS`, `ReFS`; `smb` of a share, whatever the server has below it.
    pub filesystem: Option<String>,
    /// The root of the volume: a drive letter, the folder where it is mounted, or the share.
    pub volume: Option<String>,
    /// Of a share none, and none where Windows does not tell.
    pub disks: Vec<BlockDevice>,
}

/// What carries a path that exists; parts that Windows does not tell are absent.
pub fn below(path: &Path) -> Below {
    let Ok(volume) = api::volume_of(path) else { return Below::default() };
    let shown = Some(volume.shown.clone());
    if is_share(&volume) {
        return Below { filesystem: Some("smb".to_owned()), volume: shown, disks: Vec::new() };
    }
    let answer = api::volume_extents(&volume).unwrap_or_default();
    let mut numbers: Vec<u32> = layout::extents(&answer).iter().map(|extent| extent.disk).collect();
    // A volume may have several pieces of one disk.
    numbers.sort_unstable();
    numbers.dedup();
    let disks = numbers.into_iter().map(|number| PhysicalDisk::open(number).block_device()).collect();
    Below { filesystem: api::filesystem_name(&volume).ok(), volume: shown, disks }
}

/// The root of the volume that holds a path, as Windows takes it: with a backslash at its end.
///
/// # Errors
///
/// When the path is on none, or cannot be looked at.
pub fn volume_root(path: &Path) -> io::Result<OsString> {
    api::volume_of(path).map(|volume| volume.root_text())
}

/// By what Windows says of a drive letter; of a name that begins with a server, by that.
pub(crate) fn is_share(volume: &api::Volume) -> bool {
    api::is_remote(volume) || volume.shown.starts_with(r"\\")
}

/// A disk that is asked about itself, without the right to read or to write, which every user may.
#[derive(Debug)]
pub struct PhysicalDisk {
    number: u32,
    device: io::Result<File>,
}

impl PhysicalDisk {
    /// The disk of that number, whether it is there or not.
    pub fn open(number: u32) -> Self {
        Self { number, device: api::open_device(&format!(r"\\.\{}", Self::name_of(number))) }
    }

    fn name_of(number: u32) -> String {
        format!("PhysicalDrive{number}")
    }

    /// `PhysicalDrive0` and the like.
    pub fn name(&self) -> String {
        Self::name_of(self.number)
    }

    /// Why it cannot be asked; `None` where it can.
    pub fn refusal(&self) -> Option<&io::Error> {
        self.device.as_ref().err()
    }

    /// Bytes of a sector, and of the disk; `None` where it does not tell, such as a drive without a medium.
    pub fn geometry(&self) -> Option<(u32, ByteSize)> {
        let answer = api::geometry(self.device.as_ref().ok()?).ok()?;
        layout::geometry(&answer).map(|(sector, size)| (sector, ByteSize::bytes(size)))
    }

    fn query<T>(&self, property: Property, read: fn(&[u8]) -> Option<T>) -> Result<T, String> {
        let device = self.device.as_ref().map_err(ToString::to_string)?;
        let answer = api::query(device, property).map_err(|error| error.to_string())?;
        read(&answer).ok_or_else(|| "the disk does not tell".to_owned())
    }

    pub(crate) fn identity(&self) -> Result<Identity, String> {
        self.query(Property::Device, layout::identity)
    }

    pub(crate) fn has_seek_penalty(&self) -> Result<bool, String> {
        self.query(Property::SeekPenalty, layout::has_seek_penalty)
    }

    pub(crate) fn sectors(&self) -> Result<(u32, u32), String> {
        self.query(Property::Alignment, layout::sectors)
    }

    pub(crate) fn write_cache(&self) -> Result<&'static str, String> {
        // In the words of other systems.
        let words = |has_cache| if has_cache { "write back" } else { "write through" };
        self.query(Property::WriteCache, layout::has_write_cache).map(words)
    }

    /// What a record says of it.
    pub fn block_device(&self) -> BlockDevice {
        let identity = self.identity().ok();
        let told = |text: fn(&Identity) -> &String| {
            identity.as_ref().map(text).filter(|text| !text.is_empty()).cloned()
        };
        BlockDevice {
            name: self.name(),
            level: Some(1),
            model: told(|identity| &identity.model),
            serial: told(|identity| &identity.serial),
            size: self.geometry().map(|(_, size)| size),
            rotational: self.has_seek_penalty().ok(),
            write_cache: self.write_cache().ok().map(ToOwned::to_owned),
            ..BlockDevice::default()
        }
    }
}

/// The number of the disk that a handle is open on; `None` of anything that is no disk.
pub fn disk_number(file: &File) -> Option<u32> {
    layout::disk_number(&api::device_number(file).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_on_a_volume_and_a_disk_that_is_not_there_says_why() {
        let place = tempfile::tempdir().unwrap();
        let below = below(place.path());
        assert!(below.volume.is_some_and(|root| root.ends_with('\\')));
        let absent = PhysicalDisk::open(4_000);
        assert!(absent.refusal().is_some() && absent.geometry().is_none());
        let device = absent.block_device();
        assert_eq!((device.name.as_str(), device.model, device.size), ("PhysicalDrive4000", None, None));
    }
}
