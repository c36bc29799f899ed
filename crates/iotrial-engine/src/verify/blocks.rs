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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use super::*;

    /// Of a block of which this byte cannot be read, its other pages can.
    const BAD: u64 = FIRST_BYTE + (2 << 20) + 100_000;
    const FIRST_BYTE: u64 = 4096;

    fn read(bytes: &mut [u8], offset: u64) -> io::Result<()> {
        if (offset..offset + bytes.len() as u64).contains(&BAD) {
            return Err(io::Error::from_raw_os_error(5));
        }
        for (sector, number) in bytes.chunks_mut(512).zip(offset / 512..) {
            sector.fill(u8::try_from(number % 251).unwrap());
        }
        Ok(())
    }

    #[test]
    fn each_page_of_each_extent_is_handed_on_once_whatever_its_size_and_others_fail() {
        for page in [512, 8_192, 12_288, 3 << 20] {
            let extent = |length| Extent { read, first_byte: FIRST_BYTE, length, page };
            // The last page is cut.
            let extents = [extent((5 << 20) + 4_096), extent(page), extent((1 << 20) + 512)];
            let seen = Mutex::new(BTreeMap::new());
            let furthest = AtomicU64::new(0);
            let total: u64 = extents.iter().map(|extent| extent.length).sum();
            let progress = |done, of| {
                assert_eq!(of, total);
                furthest.fetch_max(done, Ordering::Relaxed);
            };
            let is_complete = read_pages(&extents, &progress, &|| false, |extent, offset, bytes| {
                let earlier = seen.lock().unwrap().insert((extent, offset), bytes.ok().map(<[u8]>::to_vec));
                assert_eq!(earlier, None, "{extent} {offset}");
            });
            assert!(is_complete && furthest.into_inner() == total);
            let mut seen = seen.into_inner().unwrap();
            for (extent, index) in extents.iter().zip(0..) {
                let end = FIRST_BYTE + extent.length;
                for offset in (FIRST_BYTE..end).step_by(usize::try_from(page).unwrap()) {
                    let length = page.min(end - offset);
                    let mut expected = vec![0; usize::try_from(length).unwrap()];
                    let expected = read(&mut expected, offset).ok().map(|()| expected);
                    assert_eq!(seen.remove(&(index, offset)), Some(expected), "{page} {index} {offset}");
                }
            }
            assert!(seen.is_empty());
        }
    }

    #[test]
    fn a_reader_that_is_stopped_says_so() {
        let extents = [Extent { read, first_byte: 0, length: 8 << 20, page: 8_192 }];
        let is_complete = read_pages(&extents, &|_, _| (), &|| true, |_, _, _| panic!("it was stopped"));
        assert!(!is_complete);
    }
}
