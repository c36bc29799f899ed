//! Marks by which file systems, volume managers and databases know their devices.
//!
//! They are looked for in all places where such a mark is kept, the backup copies too: a device whose first
//! sectors were wiped still holds somebody's data. Finding none proves nothing, so the content is sampled as
//! well; the marks are there to tell the user what would be lost.
//!
//! Places and values are those of libblkid (util-linux), of the file systems' own headers, and for Oracle of
//! the ASM disk header as `kfed` shows it.

use std::io;

/// A mark that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    /// What uses that mark.
    pub name: String,
    /// Where its first byte lies.
    pub offset: u64,
}

/// A mark and the places in which it is kept.
struct Mark {
    name: &'static str,
    /// All of them must match. Each is a distance from the place, and the bytes there.
    parts: &'static [(u64, &'static [u8])],
    places: &'static [Place],
}

/// Where a mark may lie on a device.
enum Place {
    /// So many bytes from the start.
    At(u64),
    /// So many bytes before the end, after the size was rounded down to a multiple of `of`.
    BeforeEnd { of: u64, back: u64 },
    /// At the start of each of so many equal parts, apart from the first, in whole blocks of 4 KiB.
    Parts(u64),
    /// Anywhere in a row of slots.
    Row { start: u64, stride: u64, count: u64 },
    /// Like `Row`, but from the end.
    RowBeforeEnd { of: u64, back: u64, stride: u64, count: u64 },
}

use Place::{At, BeforeEnd, Parts, Row, RowBeforeEnd};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

const fn end(back: u64) -> Place {
    BeforeEnd { of: 512, back }
}

const fn zfs_ring(label: u64) -> Place {
    Row { start: label + 128 * KIB, stride: KIB, count: 128 }
}

const fn zfs_ring_before_end(label: u64) -> Place {
    RowBeforeEnd { of: 256 * KIB, back: label - 128 * KIB, stride: KIB, count: 128 }
}

const MARKS: &[Mark] = &[
    // Partition tables
    Mark { name: "MBR partition table or boot sector", parts: &[(510, b"\x55\xaa")], places: &[At(0)] },
    Mark { name: "GPT", parts: &[(0, b"EFI PART")], places: &[At(512), At(4096), end(512), end(4096)] },
    Mark { name: "Windows LDM", parts: &[(0, b"PRIVHEAD")], places: &[At(3072), end(512), end(MIB)] },
    // File systems of Linux
    Mark { name: "ext2/3/4", parts: &[(0x38, b"\x53\xef")], places: &[At(1024)] },
    Mark {
        name: "ext2/3/4 (backup)",
        parts: &[(0x38, b"\x53\xef"), (0x18, b"\0\0\0\0")],
        places: &[At(8193 * KIB), At(3 * 8192 * KIB + KIB)],
    },
    Mark {
        name: "ext2/3/4 (backup)",
        parts: &[(0x38, b"\x53\xef"), (0x18, b"\x01\0\0\0")],
        places: &[At(16384 * 2 * KIB), At(3 * 16384 * 2 * KIB)],
    },
    Mark {
        name: "ext2/3/4 (backup)",
        parts: &[(0x38, b"\x53\xef"), (0x18, b"\x02\0\0\0")],
        places: &[At(32768 * 4 * KIB), At(3 * 32768 * 4 * KIB), At(5 * 32768 * 4 * KIB)],
    },
    Mark { name: "xfs", parts: &[(0, b"XFSB")], places: &[At(0), Parts(4), Parts(8), Parts(16), Parts(32)] },
    Mark { name: "btrfs", parts: &[(64, b"_BHRfS_M")], places: &[At(64 * KIB), At(64 * MIB), At(256 << 30)] },
    Mark { name: "f2fs", parts: &[(0, b"\x10\x20\xf5\xf2")], places: &[At(1024), At(4096 + 1024)] },
    Mark { name: "erofs", parts: &[(0, b"\xe2\xe1\xf5\xe0")], places: &[At(1024)] },
    Mark { name: "squashfs", parts: &[(0, b"hsqs")], places: &[At(0)] },
    Mark { name: "squashfs", parts: &[(0, b"sqsh")], places: &[At(0)] },
    Mark { name: "cramfs", parts: &[(0, b"\x45\x3d\xcd\x28")], places: &[At(0)] },
    Mark { name: "jfs", parts: &[(0, b"JFS1")], places: &[At(32 * KIB), At(60 * KIB)] },
    Mark { name: "reiserfs", parts: &[(0x34, b"ReIsEr")], places: &[At(8 * KIB), At(64 * KIB)] },
    Mark {
        name: "nilfs2",
        parts: &[(6, b"\x34\x34"), (0, b"\x02\0\0\0")],
        places: &[At(1024), BeforeEnd { of: 4096, back: 4096 }],
    },
    Mark { name: "gfs2", parts: &[(0, b"\x01\x16\x19\x70")], places: &[At(64 * KIB)] },
    Mark {
        name: "ocfs2",
        parts: &[(0, b"OCFSV2")],
        places: &[At(KIB), At(2 * KIB), At(4 * KIB), At(8 * KIB)],
    },
    Mark {
        name: "bcachefs",
        parts: &[(24, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef")],
        places: &[At(4096)],
    },
    Mark { name: "zonefs", parts: &[(0, b"SFOZ")], places: &[At(0)] },
    Mark { name: "UBI", parts: &[(0, b"UBI#")], places: &[At(0)] },
    // File systems of others
    Mark { name: "VxFS", parts: &[(0, b"\xf5\xfc\x01\xa5")], places: &[At(1024)] },
    Mark { name: "VxFS", parts: &[(0, b"\xa5\x01\xfc\xf5")], places: &[At(8 * KIB)] },
    Mark {
        name: "ufs",
        parts: &[(1372, b"\x54\x19\x01\0")],
        places: &[At(0), At(8 * KIB), At(64 * KIB), At(256 * KIB)],
    },
    Mark {
        name: "ufs2",
        parts: &[(1372, b"\x19\x01\x54\x19")],
        places: &[At(0), At(8 * KIB), At(64 * KIB), At(256 * KIB)],
    },
    Mark { name: "ntfs", parts: &[(3, b"NTFS    ")], places: &[At(0), end(512)] },
    Mark { name: "ReFS", parts: &[(3, b"ReFS\0")], places: &[At(0), end(512)] },
    Mark { name: "exfat", parts: &[(3, b"EXFAT   ")], places: &[At(0), At(12 * 512)] },
    Mark { name: "fat", parts: &[(54, b"FAT1")], places: &[At(0)] },
    Mark { name: "fat", parts: &[(82, b"FAT32   ")], places: &[At(0), At(6 * 512)] },
    Mark { name: "hfs+", parts: &[(0, b"H+\0\x04")], places: &[At(1024), end(1024)] },
    Mark { name: "hfs+", parts: &[(0, b"HX\0\x05")], places: &[At(1024), end(1024)] },
    Mark { name: "apfs", parts: &[(32, b"NXSB")], places: &[At(0)] },
    Mark { name: "iso9660", parts: &[(1, b"CD001")], places: &[At(32 * KIB)] },
    Mark { name: "udf", parts: &[(1, b"NSR0")], places: &[At(34 * KIB), At(36 * KIB)] },
    Mark { name: "vmfs volume", parts: &[(0, b"\x0d\xd0\x01\xc0")], places: &[At(MIB)] },
    Mark { name: "vmfs", parts: &[(0, b"\x5e\xf1\xab\x2f")], places: &[At(2 * MIB)] },
    // Volume managers, arrays, caches, encryption
    Mark {
        name: "LVM2",
        parts: &[(0, b"LABELONE"), (24, b"LVM2 001")],
        places: &[At(0), At(512), At(1024), At(1536)],
    },
    Mark { name: "md 1.1", parts: &[(0, b"\xfc\x4e\x2b\xa9")], places: &[At(0)] },
    Mark { name: "md 1.2", parts: &[(0, b"\xfc\x4e\x2b\xa9")], places: &[At(4096)] },
    Mark {
        name: "md 1.0",
        parts: &[(0, b"\xfc\x4e\x2b\xa9")],
        places: &[BeforeEnd { of: 4096, back: 8192 }],
    },
    Mark {
        name: "md 0.90",
        parts: &[(0, b"\xfc\x4e\x2b\xa9")],
        places: &[BeforeEnd { of: 64 * KIB, back: 64 * KIB }],
    },
    Mark { name: "LVM1", parts: &[(0, b"HM\x01\0")], places: &[At(0)] },
    Mark { name: "LVM1", parts: &[(0, b"HM\x02\0")], places: &[At(0)] },
    // RAID of controllers and boards. What drives without such a controller show is part of an array all the
    // same.
    Mark {
        name: "Intel RAID",
        parts: &[(0, b"Intel Raid ISM Cfg Sig.")],
        places: &[end(1024), BeforeEnd { of: 4096, back: 8192 }],
    },
    Mark { name: "DDF RAID", parts: &[(0, b"\xde\x11\xde\x11")], places: &[end(512), end(257 * 512)] },
    Mark { name: "Nvidia RAID", parts: &[(0, b"NVIDIA")], places: &[end(1024)] },
    Mark { name: "LSI MegaRAID", parts: &[(0, b"$XIDE$")], places: &[end(512)] },
    Mark {
        name: "Promise FastTrak RAID",
        parts: &[(0, b"Promise Technology, Inc.")],
        // By the size that the controller takes a disk for.
        places: &[
            end(63 * 512),
            end(255 * 512),
            end(256 * 512),
            end(16 * 512),
            end(399 * 512),
            end(591 * 512),
            end(675 * 512),
            end(735 * 512),
            end(911 * 512),
            end(951 * 512),
            end(974 * 512),
            end(991 * 512),
            end(3087 * 512),
        ],
    },
    Mark { name: "Silicon Image RAID", parts: &[(0x60, b"\0\0\0\x2f")], places: &[end(512)] },
    Mark { name: "VIA RAID", parts: &[(0, b"\x55\xaa\x00")], places: &[end(512)] },
    Mark { name: "VIA RAID", parts: &[(0, b"\x55\xaa\x01")], places: &[end(512)] },
    Mark { name: "VIA RAID", parts: &[(0, b"\x55\xaa\x02")], places: &[end(512)] },
    Mark { name: "Adaptec RAID", parts: &[(0, b"\x37\xfc\x4d\x1e")], places: &[end(512)] },
    Mark { name: "HighPoint RAID", parts: &[(0, b"\xf0\x16\x78\x5a")], places: &[At(0x1220)] },
    Mark { name: "HighPoint RAID", parts: &[(0, b"\xfd\x16\x78\x5a")], places: &[At(0x1220), end(11 * 512)] },
    Mark { name: "HighPoint RAID", parts: &[(0, b"\xf3\x16\x78\x5a")], places: &[end(11 * 512)] },
    Mark {
        name: "bcache",
        parts: &[(24, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81")],
        places: &[At(4096)],
    },
    Mark { name: "drbd", parts: &[(60, b"\x83\x74\x02")], places: &[BeforeEnd { of: 4096, back: 4096 }] },
    Mark { name: "stratis", parts: &[(4, b"!Stra0tis\x86\xff\x02^\x41rh")], places: &[At(512), At(4608)] },
    Mark { name: "vdo", parts: &[(0, b"dmvdo001")], places: &[At(0)] },
    Mark { name: "dm-snapshot", parts: &[(0, b"SnAp")], places: &[At(0)] },
    Mark { name: "dm-integrity", parts: &[(0, b"integrt\0")], places: &[At(0)] },
    Mark { name: "dm-verity", parts: &[(0, b"verity\0\0")], places: &[At(0)] },
    Mark { name: "LUKS1", parts: &[(0, b"LUKS\xba\xbe\0\x01")], places: &[At(0)] },
    Mark { name: "LUKS2", parts: &[(0, b"LUKS\xba\xbe\0\x02")], places: &[At(0)] },
    Mark {
        name: "LUKS2 (second header)",
        parts: &[(0, b"SKUL\xba\xbe\0\x02")],
        places: &[
            At(16 * KIB),
            At(32 * KIB),
            At(64 * KIB),
            At(128 * KIB),
            At(256 * KIB),
            At(512 * KIB),
            At(MIB),
            At(2 * MIB),
            At(4 * MIB),
        ],
    },
    Mark { name: "BitLocker", parts: &[(3, b"-FVE-FS-")], places: &[At(0)] },
    Mark {
        name: "zfs",
        parts: &[(0, b"\x0c\xb1\xba\0\0\0\0\0")],
        places: &[
            zfs_ring(0),
            zfs_ring(256 * KIB),
            zfs_ring_before_end(512 * KIB),
            zfs_ring_before_end(256 * KIB),
        ],
    },
    Mark { name: "ceph bluestore", parts: &[(0, b"bluestore block device")], places: &[At(0)] },
    Mark {
        name: "swap",
        parts: &[(0, b"SWAPSPACE2")],
        places: &[At(4086), At(8182), At(16374), At(32758), At(65526)],
    },
    Mark { name: "swap", parts: &[(0, b"SWAP-SPACE")], places: &[At(4086)] },
    Mark { name: "hibernated system", parts: &[(0, b"S1SUSPEND")], places: &[At(4086)] },
    // Databases
    Mark {
        name: "Oracle ASM disk",
        parts: &[(32, b"ORCLDISK")],
        // The second copy lies in the last but one block of the second allocation unit, of 1, 4 or 8 MiB.
        places: &[At(0), At(2 * MIB - 8 * KIB), At(8 * MIB - 8 * KIB), At(16 * MIB - 8 * KIB)],
    },
    Mark {
        name: "Oracle ASM header",
        parts: &[(0, b"\x01\x82\x01\x01")],
        places: &[At(0), At(2 * MIB - 8 * KIB), At(8 * MIB - 8 * KIB), At(16 * MIB - 8 * KIB)],
    },
    Mark { name: "Oracle data file", parts: &[(28, b"}|{z")], places: &[At(0)] },
    Mark { name: "InnoDB tablespace", parts: &[(4, b"\0\0\0\0"), (24, b"\0\x08\0\0")], places: &[At(0)] },
    Mark { name: "iotrial file", parts: &[(0, b"iotrial\0managed\n")], places: &[At(0)] },
];

/// Looks for all marks on a device of `size` bytes, of which `read` reads the bytes at an offset.
///
/// # Errors
///
/// Those of `read`.
pub(crate) fn find(size: u64, read: &dyn Fn(u64, &mut [u8]) -> io::Result<()>) -> io::Result<Vec<Signature>> {
    let mut found = Vec::new();
    for mark in MARKS {
        let length = mark.parts.iter().map(|(at, bytes)| at + bytes.len() as u64).max().unwrap_or(0);
        for (start, stride, count) in mark.places.iter().flat_map(|place| place.rows(size)) {
            // One read for a whole row of slots.
            let span = stride.saturating_mul(count - 1) + length;
            // A place beyond the end of a small device is none, and no error.
            if start.checked_add(span).is_none_or(|end| end > size) {
                continue;
            }
            let mut bytes = vec![0; usize::try_from(span).expect("a row is at most 128 KiB")];
            read(start, &mut bytes)?;
            for slot in 0..count {
                let at = usize::try_from(slot * stride).expect("a row is at most 128 KiB");
                if mark.matches(&bytes[at..]) {
                    found.push(Signature { name: mark.name.to_owned(), offset: start + slot * stride });
                }
            }
        }
    }
    // Marks go into the token, so their order must not depend on that of the table; and a mark may be kept in
    // two places that fall together on a small device.
    found.sort();
    found.dedup();
    Ok(found)
}

impl Mark {
    fn matches(&self, bytes: &[u8]) -> bool {
        self.parts.iter().all(|(at, part)| {
            let at = usize::try_from(*at).expect("parts lie close together");
            bytes.get(at..).is_some_and(|rest| rest.starts_with(part))
        })
    }
}

impl Place {
    /// Start, stride and number of slots; none where the device is too small.
    fn rows(&self, size: u64) -> Vec<(u64, u64, u64)> {
        let before_end = |of: u64, back: u64| (size - size % of).checked_sub(back);
        match *self {
            At(offset) => vec![(offset, 1, 1)],
            BeforeEnd { of, back } => before_end(of, back).map(|start| (start, 1, 1)).into_iter().collect(),
            Parts(count) => {
                let blocks = (size / 4096).div_ceil(count);
                (1..count).map(|part| (part * blocks * 4096, 1, 1)).collect()
            }
            Row { start, stride, count } => vec![(start, stride, count)],
            RowBeforeEnd { of, back, stride, count } => {
                before_end(of, back).map(|start| (start, stride, count)).into_iter().collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 700 * MIB + 3 * 512;

    /// A device that is zero but for some bytes.
    fn device(written: &[(u64, &[u8])]) -> impl Fn(u64, &mut [u8]) -> io::Result<()> {
        move |offset, buffer| {
            assert!(offset + buffer.len() as u64 <= SIZE, "reads beyond the end");
            buffer.fill(0);
            for (start, bytes) in written {
                for (position, byte) in (*start..).zip(*bytes) {
                    let index = position.checked_sub(offset).and_then(|index| usize::try_from(index).ok());
                    if let Some(place) = index.and_then(|index| buffer.get_mut(index)) {
                        *place = *byte;
                    }
                }
            }
            Ok(())
        }
    }

    #[test]
    fn every_mark_is_found_in_every_place_where_it_is_kept() {
        let mut count = 0;
        for mark in MARKS {
            for (start, stride, slots) in mark.places.iter().flat_map(|place| place.rows(SIZE)) {
                for slot in [0, slots / 2, slots - 1] {
                    let offset = start + slot * stride;
                    let written: Vec<_> = mark.parts.iter().map(|(at, part)| (offset + at, *part)).collect();
                    if offset > SIZE {
                        continue;
                    }
                    let found = find(SIZE, &device(&written)).unwrap();
                    let expected = Signature { name: mark.name.to_owned(), offset };
                    assert!(found.contains(&expected), "{} at {offset}: {found:?}", mark.name);
                    count += 1;
                }
            }
        }
        assert!(count > 300, "{count}");
    }

    #[test]
    fn an_empty_device_of_any_size_has_no_mark() {
        let zeros = |_: u64, buffer: &mut [u8]| {
            buffer.fill(0);
            Ok(())
        };
        for size in [0, 1, 511, 512, 4096, 65536, 1 << 20, SIZE, 1 << 44] {
            assert_eq!(find(size, &zeros).unwrap(), []);
        }
    }

    #[test]
    fn a_read_that_fails_is_an_error_and_not_an_empty_device() {
        let broken = |_: u64, _: &mut [u8]| Err(io::Error::other("broken"));
        assert!(find(SIZE, &broken).is_err());
    }

    #[test]
    fn the_marks_of_old_volume_managers_and_of_raid_controllers_are_named() {
        let last = SIZE / 512 * 512;
        let check = |offset: u64, bytes: &[u8], name: &str| {
            let found = find(SIZE, &device(&[(offset, bytes)])).unwrap();
            assert!(found.iter().any(|mark| mark.name == name), "{name}: {found:?}");
        };
        check(0, b"HM\x01\0", "LVM1");
        check(0, b"SnAp\x01", "dm-snapshot");
        check(last - 1024, b"NVIDIA  \x1e", "Nvidia RAID");
        check(last - 512, b"$XIDE$", "LSI MegaRAID");
        check(last - 63 * 512, b"Promise Technology, Inc.", "Promise FastTrak RAID");
        check(last - 512, b"\x37\xfc\x4d\x1e", "Adaptec RAID");
        check(0x1220, b"\xf0\x16\x78\x5a", "HighPoint RAID");
        check(last - 257 * 512, b"\xde\x11\xde\x11", "DDF RAID");
    }
}
