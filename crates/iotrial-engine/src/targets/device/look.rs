//! What is on a device: the marks of others, and a sample of its content.

use std::fs::File;
use std::io;

use super::super::fill::AlignedBuffer;
use super::super::os;
use super::super::sample::{self, ContentSample};
use super::super::signature::{self, Signature};
use super::Identity;

/// Reads the marks and the sample. `file` is open past the caches of the system, so that they are as they are on the device.
pub(super) fn look(
    file: &File,
    identity: &Identity,
    stop: &(dyn Fn() -> bool + Sync),
) -> io::Result<(Vec<Signature>, ContentSample)> {
    let size = identity.size.get();
    let read = |offset: u64, buffer: &mut [u8]| {
        if stop() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        os::read_exact_at(file, buffer, offset)
    };
    // The pages that are sampled follow from the identity, so that the same device is always asked for the
    // same ones.
    let sample = sample::sample(size, identity.seed(), &read)?;
    let signatures = signature::find(size, &|offset, bytes| read_unaligned(size, &read, offset, bytes))?;
    Ok((signatures, sample))
}

/// Reads any bytes by way of the whole pages around them.
fn read_unaligned(
    size: u64,
    read: &dyn Fn(u64, &mut [u8]) -> io::Result<()>,
    offset: u64,
    bytes: &mut [u8],
) -> io::Result<()> {
    const PAGE_SIZE: u64 = 4096;
    let start = offset / PAGE_SIZE * PAGE_SIZE;
    let end = (offset + bytes.len() as u64).next_multiple_of(PAGE_SIZE).min(size);
    let mut pages = AlignedBuffer::new(end - start);
    read(start, pages.as_mut_slice())?;
    let skip = usize::try_from(offset - start).expect("less than a page");
    bytes.copy_from_slice(&pages.as_mut_slice()[skip..skip + bytes.len()]);
    Ok(())
}
