//! The memory that I/Os move: one aligned buffer for each slot, filled once.
#![expect(
    unsafe_code,
    reason = "the kernel writes into one slot while another is stamped, so no borrow may span two"
)]

use std::alloc::Layout;

use iotrial_measure::random::Random;
use iotrial_model::units::ByteSize;

use crate::content::Content;

mod heap;
#[cfg(target_os = "linux")]
#[path = "buffer/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "buffer/windows.rs"]
mod os;
#[cfg(not(any(target_os = "linux", windows)))]
#[path = "buffer/plain.rs"]
mod os;

/// Direct I/O to any device is happy with this alignment.
const ALIGNMENT: usize = 4096;

/// The usual huge page. Memory of this size or more begins on one, so that all but its tail can lie on huge
/// pages; less stays on plain ones, and none is wasted.
const HUGE_PAGE: usize = 2 << 20;

/// One buffer for each slot of a queue, in one piece of memory.
pub(crate) struct SlotBuffers {
    memory: os::Memory,
    /// All of it, in bytes.
    size: usize,
    /// First byte of each slot, and one more for the end of the last.
    starts: Vec<usize>,
}

// SAFETY: the memory belongs to this value alone, which is reached by one thread at a time.
unsafe impl Send for SlotBuffers {}

impl SlotBuffers {
    /// Buffers of the given lengths, with content that depends on `random` only.
    pub(crate) fn new(lengths: &[u32], random: &mut Random) -> Self {
        let mut starts = vec![0];
        for length in lengths {
            starts.push(starts[starts.len() - 1] + (*length as usize).next_multiple_of(ALIGNMENT));
        }
        let total = starts[starts.len() - 1].max(ALIGNMENT);
        let alignment = if total >= HUGE_PAGE { HUGE_PAGE } else { ALIGNMENT };
        let layout = Layout::from_size_align(total, alignment).expect("a plan's buffers fit the memory");
        let memory = os::Memory::new(layout);
        // SAFETY: the memory was allocated with this size.
        unsafe { memory.start().write_bytes(0, total) };
        let mut buffers = Self { memory, size: total, starts };
        // Each buffer holds other pages: they are what a write consists of, but for its stamps.
        let content = Content::new(random.next_u64(), 0);
        for slot in (0..).take(lengths.len()) {
            let start = buffers.starts[slot as usize] as u64;
            content.fill(buffers.slot_mut(slot), start, 0);
        }
        buffers
    }

    /// All of the memory, and the part of it that lies on huge pages.
    pub(crate) fn size_and_huge_pages(&self) -> (ByteSize, ByteSize) {
        let size = self.size as u64;
        (ByteSize::bytes(size), ByteSize::bytes(self.memory.huge_page_bytes().min(size)))
    }

    /// What a slot holds. No I/O may be under way on it.
    pub(crate) fn slot(&self, slot: u32) -> &[u8] {
        let slot = slot as usize;
        let (start, end) = (self.starts[slot], self.starts[slot + 1]);
        // SAFETY: the range lies within the allocation and belongs to this slot. The kernel does not write to
        // it, because the caller has reaped its last I/O, and the borrow of `self` keeps the next one from
        // being handed over.
        unsafe { std::slice::from_raw_parts(self.memory.start().as_ptr().add(start), end - start) }
    }

    /// The buffer of a slot. It spans no other slot's memory, which the kernel may be writing to.
    pub(crate) fn slot_mut(&mut self, slot: u32) -> &mut [u8] {
        let slot = slot as usize;
        let (start, end) = (self.starts[slot], self.starts[slot + 1]);
        // SAFETY: the range lies within the allocation and belongs to this slot, and the borrow of `self`
        // keeps it from being handed out twice.
        unsafe { std::slice::from_raw_parts_mut(self.memory.start().as_ptr().add(start), end - start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iotrial_measure::random::RandomStream;

    #[test]
    fn buffers_are_aligned_apart_and_as_long_as_asked() {
        let mut buffers = SlotBuffers::new(&[512, 8192, 65536], &mut Random::new(1, RandomStream::Copy(0)));
        let mut end_of_last = 0;
        for (slot, length) in [(0, 512), (1, 8192), (2, 65536)] {
            let range = buffers.slot_mut(slot).as_ptr_range();
            assert_eq!(range.start as usize % ALIGNMENT, 0);
            assert!(range.end as usize - range.start as usize >= length);
            assert!(range.start as usize >= end_of_last);
            end_of_last = range.end as usize;
        }
    }

    #[test]
    fn large_memory_begins_on_a_huge_page_and_is_random_to_its_end() {
        let lengths = [1 << 20; 5];
        let mut buffers = SlotBuffers::new(&lengths, &mut Random::new(1, RandomStream::Copy(0)));
        assert_eq!(buffers.slot_mut(0).as_ptr() as usize % HUGE_PAGE, 0);
        let (size, huge_pages) = buffers.size_and_huge_pages();
        assert_eq!(size, ByteSize::mib(5));
        assert!(huge_pages <= ByteSize::mib(4), "the tail is not a huge page: {huge_pages}");
        let zeros = buffers.slot_mut(4).chunks(8).filter(|chunk| **chunk == [0; 8]).count();
        assert_eq!(zeros, 0);
    }
}
