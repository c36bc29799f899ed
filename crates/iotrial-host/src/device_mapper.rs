//! Asks the device mapper for the table of a mapping, which sysfs does not show.

use std::fs::File;
use std::path::Path;

use rustix::ioctl::{Opcode, Updater, opcode};

use crate::block::{Device, Kernel};
use crate::dm_table::DmTable;
use crate::text;

/// Where the output of `dmsetup table` is in a copy of another host.
pub(crate) const CAPTURED_TABLES: &str = "/dmsetup-table";

/// The table of a mapping.
///
/// # Errors
///
/// Why it is not known, in words.
pub(crate) fn table(kernel: &Kernel, device: &Device) -> Result<DmTable, String> {
    let name = device.attribute("dm/name").ok_or_else(|| "the mapping has no name".to_owned())?;
    if kernel.is_captured() {
        let text = text::line(&kernel.file(CAPTURED_TABLES));
        let text = text.map_err(|_| "the copy has no output of `dmsetup table`".to_owned())?;
        return DmTable::of_all(&text, &name)
            .ok_or_else(|| format!("`dmsetup table` of the copy lacks {name}"));
    }
    of_kernel(&name)
}

/// More than the table of any mapping but one of thousands of ranges.
const ROOM: usize = 16 << 10;

/// `struct dm_ioctl` of `linux/dm-ioctl.h`, with room for what the kernel answers.
#[repr(C)]
struct DmIoctl {
    version: [u32; 3],
    data_size: u32,
    data_start: u32,
    target_count: u32,
    open_count: i32,
    flags: u32,
    event_nr: u32,
    padding: u32,
    dev: u64,
    name: [u8; 128],
    uuid: [u8; 129],
    data: [u8; 7],
    room: [u8; ROOM],
}

/// As the kernel counts it: without the room.
const HEAD: usize = 312;
const _: () = assert!(size_of::<DmIoctl>() == HEAD + ROOM);

/// `_IOWR(0xfd, 12, struct dm_ioctl)`. The size in it is that of the head.
const DM_TABLE_STATUS: Opcode = opcode::read_write::<[u8; HEAD]>(0xfd, 12);
/// The table itself, and not the state of its targets.
const DM_STATUS_TABLE_FLAG: u32 = 1 << 4;
const DM_BUFFER_FULL_FLAG: u32 = 1 << 8;

fn of_kernel(name: &str) -> Result<DmTable, String> {
    let control = Path::new("/dev/mapper/control");
    let file = File::options().read(true).write(true).open(control).map_err(|error| text::reason(&error))?;
    let mut request = Box::new(DmIoctl {
        // Any kernel of this major version answers (it must be 4).
        version: [4, 0, 0],
        data_size: u32::try_from(HEAD + ROOM).expect("the size of a small struct"),
        data_start: u32::try_from(HEAD).expect("the size of a small struct"),
        target_count: 0,
        open_count: 0,
        flags: DM_STATUS_TABLE_FLAG,
        event_nr: 0,
        padding: 0,
        dev: 0,
        name: [0; 128],
        uuid: [0; 129],
        data: [0; 7],
        room: [0; ROOM],
    });
    // One byte stays zero, by which the name ends.
    let length = name.len().min(127);
    request.name[..length].copy_from_slice(&name.as_bytes()[..length]);
    #[expect(unsafe_code, reason = "the ioctl is not in rustix")]
    // SAFETY: DM_TABLE_STATUS reads and writes at most `data_size` bytes from the start of the struct, which is its whole size.
    let done = unsafe { rustix::ioctl::ioctl(&file, Updater::<DM_TABLE_STATUS, DmIoctl>::new(&mut request)) };
    done.map_err(|error| text::reason(&error.into()))?;
    if request.flags & DM_BUFFER_FULL_FLAG != 0 {
        return Err("the table is too long".to_owned());
    }
    Ok(DmTable::parse(&table_text(&request.room, request.target_count)))
}

/// `struct dm_target_spec` and text for each range, as lines of `dmsetup table`.
fn table_text(room: &[u8], count: u32) -> String {
    const SPEC: usize = 40;
    let mut lines = String::new();
    let mut at = 0usize;
    for _ in 0..count {
        let Some(spec) = room.get(at..at.saturating_add(SPEC)) else { break };
        let number = |from: usize| u64::from_ne_bytes(spec[from..from + 8].try_into().expect("eight bytes"));
        let next = u32::from_ne_bytes(spec[20..24].try_into().expect("four bytes"));
        let kind = until_zero(&spec[24..]);
        let arguments = room.get(at + SPEC..).map(until_zero).unwrap_or_default();
        lines.push_str(&format!("{} {} {kind} {arguments}\n", number(0), number(8)));
        // Counted from the start of the data, not from this target.
        let next = next as usize;
        if next <= at {
            break;
        }
        at = next;
    }
    lines
}

fn until_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_the_kernel_becomes_lines_and_garbage_ends_them() {
        let mut room = vec![0u8; 256];
        let mut spec = |at: usize, start: u64, next: u32, kind: &str, arguments: &str| {
            room[at..at + 8].copy_from_slice(&start.to_ne_bytes());
            room[at + 8..at + 16].copy_from_slice(&8u64.to_ne_bytes());
            room[at + 20..at + 24].copy_from_slice(&next.to_ne_bytes());
            room[at + 24..at + 24 + kind.len()].copy_from_slice(kind.as_bytes());
            room[at + 40..at + 40 + arguments.len()].copy_from_slice(arguments.as_bytes());
        };
        spec(0, 0, 64, "linear", "8:16 2048");
        spec(64, 8, 128, "striped", "2 128 8:16 0 8:32 0");
        assert_eq!(table_text(&room, 2), "0 8 linear 8:16 2048\n8 8 striped 2 128 8:16 0 8:32 0\n");
        assert_eq!(table_text(&[0xff; 64], u32::MAX).lines().count(), 1);
        assert_eq!(table_text(&[], 3), "");
    }
}
