//! Which parts of a file are really on the disk.
//!
//! A file made by `fallocate` has its full length and its blocks, and yet nothing of it is ever read
//! from the disk: the file system answers zeros from memory. Only FIEMAP tells such extents apart.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;

use rustix::fs::SeekFrom;
use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, opcode};

/// So many are asked for in one call: 7 KiB on the stack, and enough for 16 GiB of ext4, whose extents are at
/// most 128 MiB long.
const EXTENTS_AT_ONCE: usize = 128;

/// `FIEMAP_FLAG_SYNC`: what waits in the page cache is placed first.
const FLAG_SYNC: u32 = 1;
/// `FIEMAP_EXTENT_LAST`: the file has no extent behind this one.
const EXTENT_LAST: u32 = 0x0001;
/// `FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNWRITTEN`: not on the disk.
const EXTENT_NOT_WRITTEN: u32 = 0x0002 | 0x0004 | 0x0800;

/// `struct fiemap_extent` of `linux/fiemap.h`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved_64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// `struct fiemap`, without the extents that follow it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Request {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
}

#[repr(C)]
#[derive(Debug)]
struct Fiemap {
    request: Request,
    extents: [Extent; EXTENTS_AT_ONCE],
}

const _: () = assert!(size_of::<Extent>() == 56 && size_of::<Request>() == 32);

/// `FS_IOC_FIEMAP`: `_IOWR('f', 11, struct fiemap)`.
const FS_IOC_FIEMAP: Opcode = opcode::read_write::<Request>(b'f', 11);

#[expect(unsafe_code, reason = "the ioctl is not in rustix")]
// SAFETY: the kernel reads and writes the request and at most `extent_count` extents after it, and
// `extent_count` is the length of the array that follows in the same `repr(C)` structure.
unsafe impl Ioctl for &mut Fiemap {
    type Output = ();
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        FS_IOC_FIEMAP
    }

    fn as_ptr(&mut self) -> *mut rustix::ffi::c_void {
        std::ptr::from_mut(*self).cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, _: *mut rustix::ffi::c_void) -> rustix::io::Result<()> {
        Ok(())
    }
}

/// Whether every byte of the range was written: no hole, nothing merely reserved.
pub(crate) fn is_written(file: &File, start: u64, length: u64) -> io::Result<bool> {
    // These say that the question is unknown here, not that the answer is no: file systems without FIEMAP,
    // such as those of FUSE and NFS.
    match is_mapped(file, start, length) {
        Err(Errno::OPNOTSUPP | Errno::NOTTY | Errno::NOSYS | Errno::INVAL) => {
            has_no_hole(file, start, length)
        }
        mapped => Ok(mapped?),
    }
}

fn is_mapped(file: &File, start: u64, length: u64) -> rustix::io::Result<bool> {
    let end = start + length;
    let mut reached = start;
    while reached < end {
        let mut fiemap = Fiemap {
            request: Request {
                start: reached,
                length: end - reached,
                flags: FLAG_SYNC,
                mapped_extents: 0,
                extent_count: u32::try_from(EXTENTS_AT_ONCE).expect("128 fits"),
                reserved: 0,
            },
            extents: [Extent::default(); EXTENTS_AT_ONCE],
        };
        #[expect(unsafe_code, reason = "the ioctl is not in rustix")]
        // SAFETY: the opcode and the structure belong together, see the implementation above.
        unsafe {
            rustix::ioctl::ioctl(file, &mut fiemap)?;
        }
        let mapped = (fiemap.request.mapped_extents as usize).min(EXTENTS_AT_ONCE);
        match walk(&fiemap.extents[..mapped], reached, end) {
            Some(further) => reached = further,
            None => return Ok(false),
        }
    }
    Ok(true)
}

/// File systems whose FIEMAP counts bytes of the block device that they lie on; that of btrfs counts in a space of its own.
const ON_DEVICE: [rustix::fs::FsWord; 2] = [0xef53, 0x5846_5342];

/// Where a byte of a file is on the block device that holds its file system; `None` where that is not known.
pub(crate) fn device_byte(file: &File, offset: u64) -> Option<u64> {
    if !ON_DEVICE.contains(&rustix::fs::fstatfs(file).ok()?.f_type) {
        return None;
    }
    let mut fiemap = Fiemap {
        request: Request {
            start: offset,
            length: 1,
            flags: 0,
            mapped_extents: 0,
            extent_count: 1,
            reserved: 0,
        },
        extents: [Extent::default(); EXTENTS_AT_ONCE],
    };
    #[expect(unsafe_code, reason = "the ioctl is not in rustix")]
    // SAFETY: the opcode and the structure belong together, see the implementation above.
    unsafe {
        rustix::ioctl::ioctl(file, &mut fiemap).ok()?;
    }
    let extent = fiemap.extents[..1].iter().find(|_| fiemap.request.mapped_extents > 0)?;
    let is_plain = extent.flags & !EXTENT_LAST == 0 && (extent.logical..=offset).contains(&offset);
    is_plain.then(|| extent.physical.checked_add(offset - extent.logical))?
}

/// How far the extents reach from `reached` without a gap; `None` when there is one, or when they do
/// not lead any further.
fn walk(extents: &[Extent], mut reached: u64, end: u64) -> Option<u64> {
    let start = reached;
    for extent in extents {
        if extent.flags & EXTENT_NOT_WRITTEN != 0 || extent.logical > reached {
            return None;
        }
        reached = reached.max(extent.logical.checked_add(extent.length)?);
        // Nothing follows, so that no further call is needed to see whether this is enough.
        if extent.flags & EXTENT_LAST != 0 {
            return (reached >= end).then_some(reached);
        }
    }
    (reached > start).then_some(reached)
}

/// The next best where FIEMAP is unknown: no hole, and as many blocks as the data needs.
fn has_no_hole(file: &File, start: u64, length: u64) -> io::Result<bool> {
    let hole = match rustix::fs::seek(file, SeekFrom::Hole(start)) {
        Ok(hole) => hole,
        Err(Errno::NXIO) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    Ok(hole >= start + length && file.metadata()?.blocks().saturating_mul(512) >= length)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::*;

    fn extent(logical: u64, length: u64, flags: u32) -> Extent {
        Extent { logical, length, flags, ..Extent::default() }
    }

    #[test]
    fn extents_that_follow_one_another_reach_to_their_end() {
        let extents = [extent(0, 8, 0), extent(8, 4, 0), extent(12, 8, EXTENT_LAST)];
        assert_eq!(walk(&extents, 4, 20), Some(20));
        assert_eq!(walk(&extents[..2], 4, 20), Some(12));
    }

    #[test]
    fn a_gap_an_unwritten_extent_an_early_end_and_nothing_at_all_are_seen() {
        assert_eq!(walk(&[extent(0, 8, 0), extent(9, 8, 0)], 0, 17), None);
        assert_eq!(walk(&[extent(0, 8, 0), extent(8, 8, 0x0800)], 0, 16), None);
        assert_eq!(walk(&[extent(0, 8, EXTENT_LAST)], 0, 16), None);
        assert_eq!(walk(&[], 0, 16), None);
        assert_eq!(walk(&[extent(0, u64::MAX, 0), extent(8, u64::MAX, 0)], 0, 16), None);
    }

    #[test]
    fn a_written_file_is_written_and_a_reserved_or_a_punched_one_is_not() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&vec![0xa5; 1 << 20], 0).unwrap();
        assert!(is_written(&file, 4096, (1 << 20) - 4096).unwrap());
        assert!(!is_written(&file, 0, 2 << 20).unwrap(), "it ends before");

        let reserved = tempfile::tempfile().unwrap();
        super::super::os::reserve(&reserved, 1 << 20).unwrap();
        assert!(!is_written(&reserved, 0, 1 << 20).unwrap());

        use rustix::fs::FallocateFlags;
        let punch = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        rustix::fs::fallocate(&file, punch, 1 << 18, 4096).unwrap();
        assert!(!is_written(&file, 0, 1 << 20).unwrap());
        assert!(is_written(&file, 0, 1 << 18).unwrap());
    }

    #[test]
    fn bytes_that_follow_one_another_in_an_extent_do_so_on_the_device() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&vec![0xa5; 1 << 20], 0).unwrap();
        file.sync_all().unwrap();
        let Some(first) = device_byte(&file, 0) else {
            return println!("skipped: this file system does not tell where a file is");
        };
        assert_eq!((device_byte(&file, 4095), device_byte(&file, 1 << 21)), (Some(first + 4095), None));
    }

    #[test]
    fn holes_are_seen_without_fiemap() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        assert!(!has_no_hole(&file, 0, 1 << 20).unwrap());
        file.write_all_at(&vec![0xa5; 1 << 20], 0).unwrap();
        file.sync_all().unwrap();
        assert!(has_no_hole(&file, 0, 1 << 20).unwrap());
        assert!(!has_no_hole(&file, 2 << 20, 4096).unwrap());
    }
}
