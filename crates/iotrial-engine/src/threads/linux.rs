//! Positioned reads and writes of Linux.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use rustix::io::{ReadWriteFlags, pwritev2};

pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

pub(super) fn write_at(file: &File, buffer: &[u8], offset: u64) -> io::Result<usize> {
    file.write_at(buffer, offset)
}

pub(super) fn write_durably_at(file: &File, buffer: &[u8], offset: u64) -> io::Result<usize> {
    Ok(pwritev2(file, &[io::IoSlice::new(buffer)], offset, ReadWriteFlags::DSYNC)?)
}
