//! Every page of files and devices, read in large blocks by several threads.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::targets::fill::AlignedBuffer;

/// One read: as large as those of the layout, or a page where that is larger.
const BLOCK: u64 = 1 << 20;

/// Readers of all extents together.
const READERS: usize = 4;

/// Pages that follow one another; the last may be cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent<R> {
    /// Reads at an offset, into a buffer that cannot pass for what is there.
    pub(crate) read: R,
    /// From the start of the file or device.
    pub(crate) first_byte: u64,
    /// In bytes.
    pub(crate) length: u64,
    /// Bytes of a page.
    pub(crate) page: u64,
}

impl<R: Fn(&mut [u8], u64) -> io::Result<()>> Extent<R> {
    /// A block ends where a page does, whatever the size of a page is.
    const fn block(&self) -> u64 {
        BLOCK.next_multiple_of(self.page)
    }

    /// Hands on each page of a block with its offset.
    fn read_block(&self, bytes: &mut [u8], offset: u64, page: impl Fn(u64, io::Result<&[u8]>)) {
        let step = usize::try_from(self.page).expect("a page fits in memory");
        let is_read = (self.read)(bytes, offset).is_ok();
        for (bytes, at) in bytes.chunks_mut(step).zip((offset..).step_by(step)) {
            // Where the whole block cannot be read, the pages of it that can are.
            let read = if is_read { Ok(()) } else { (self.read)(bytes, at) };
            page(at, read.map(|()| &*bytes));
        }
    }
}

/// Reads every page and hands it on with the number of its extent and its offset; false where `stop` ended it. `progress` gets the bytes
/// that were read, and those of all extents.
pub(crate) fn read_pages<R: Fn(&mut [u8], u64) -> io::Result<()> + Sync>(
    extents: &[Extent<R>],
    progress: &(dyn Fn(u64, u64) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
    page: impl Fn(usize, u64, io::Result<&[u8]>) + Sync,
) -> bool {
    let total = extents.iter().map(|extent| extent.length).sum();
    let largest = extents.iter().map(Extent::block).max().unwrap_or(BLOCK);
    // Not a list of them: of a device of many TiB it would be large.
    let place_of = |mut number: u64| {
        extents.iter().enumerate().find_map(|(index, extent)| {
            let count = extent.length.div_ceil(extent.block());
            let here = (number < count).then_some((index, number * extent.block()));
            number = number.saturating_sub(count);
            here
        })
    };
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let reader = || {
        let mut buffer = AlignedBuffer::new(largest);
        while !stop()
            && let Some((index, start)) = place_of(next.fetch_add(1, Ordering::Relaxed))
        {
            let extent = &extents[index];
            let length = extent.block().min(extent.length - start);
            let bytes =
                &mut buffer.as_mut_slice()[..usize::try_from(length).expect("a block fits in memory")];
            extent.read_block(bytes, extent.first_byte + start, |at, bytes| page(index, at, bytes));
            progress(done.fetch_add(length, Ordering::Relaxed) + length, total);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..READERS {
            if std::thread::Builder::new().spawn_scoped(scope, reader).is_err() {
                break;
            }
        }
        reader();
    });
    done.into_inner() == total
}
