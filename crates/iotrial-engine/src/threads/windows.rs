//! Positioned reads and writes of Windows.

use std::fs::File;
use std::io;
use std::os::windows::fs::FileExt as _;

pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

pub(super) fn write_at(file: &File, buffer: &[u8], offset: u64) -> io::Result<usize> {
    file.seek_write(buffer, offset)
}

/// A single write cannot be made durable here, only all writes of a handle.
pub(super) use super::write_and_flush_at as write_durably_at;
