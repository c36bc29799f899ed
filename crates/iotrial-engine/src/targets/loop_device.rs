//! What a loop device shows.
//!
//! The path in sysfs is only what the file was called when the device was set up, as the program saw it that
//! did so: it may be gone, or mean another file here. The kernel's own numbers cannot be mistaken.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::ioctl::{Getter, Opcode};

use iotrial_host::block::Device;
use iotrial_host::number::Number;

/// The device or file behind a loop device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backing {
    Device(Number),
    /// By the number of its file system, and inode.
    File(u64, u64),
}

/// `struct loop_info64` of `linux/loop.h`.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    numbers: [u32; 4],
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

const _: () = assert!(size_of::<LoopInfo>() == 232);

const LOOP_GET_STATUS64: Opcode = 0x4C05;

/// `None` when `device` is no loop device in use.
pub(crate) fn backing(device: &Device) -> Option<Backing> {
    let path = device.backing_file()?;
    if let Some(info) = status(device) {
        // The kernel packs device numbers as `st_dev` does.
        return Some(match info.rdevice {
            0 => Backing::File(info.device, info.inode),
            rdevice => Backing::Device(Number::from_dev(rdevice)),
        });
    }
    // Without the right to open the node, the path is all there is.
    let metadata = fs::metadata(path).ok()?;
    let number = Number::of_metadata(&metadata);
    Some(number.map_or_else(|| Backing::File(metadata.dev(), metadata.ino()), Backing::Device))
}

fn status(device: &Device) -> Option<LoopInfo> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let node = Path::new("/dev").join(device.name());
    let file = File::options().read(true).custom_flags(flags).open(node).ok()?;
    if Number::of_metadata(&file.metadata().ok()?) != Some(device.number) {
        return None;
    }
    #[expect(unsafe_code, reason = "the ioctl is not in rustix")]
    // SAFETY: on a loop device LOOP_GET_STATUS64 fills a `struct loop_info64` and nothing else. That the
    // file is one follows from its number, whose directory in sysfs has `loop/backing_file`.
    unsafe {
        rustix::ioctl::ioctl(file, Getter::<LOOP_GET_STATUS64, LoopInfo>::new()).ok()
    }
}
