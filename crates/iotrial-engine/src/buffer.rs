//! The memory that I/Os move: one aligned buffer for each slot, filled once with random data.
#![expect(
    unsafe_code,
    reason = "the kernel writes into one slot while another is stamped, so no borrow may span two"
)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use crate::random::Random;

/// Direct I/O to any device is happy with this alignment.
const ALIGNMENT: usize = 4096;

/// Every sector of a write is stamped, so that a device that deduplicates finds no two equal ones, however
/// small its unit.
const STAMP_EVERY: usize = 512;

/// One buffer for each slot of a queue, in one piece of memory.
pub(crate) struct SlotBuffers {
    memory: NonNull<u8>,
    layout: Layout,
    /// First byte of each slot, and one more for the end of the last.
    starts: Vec<usize>,
    stamp: u64,
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
        let layout = Layout::from_size_align(total, ALIGNMENT).expect("a plan's buffers fit the memory");
        // SAFETY: the layout is not empty.
        let memory =
            NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        let mut buffers = Self { memory, layout, starts, stamp: random.next_u64() };
        for slot in (0..).take(lengths.len()) {
            random.fill(buffers.slot_mut(slot));
        }
        buffers
    }

    /// The buffer of a slot. It spans no other slot's memory, which the kernel may be writing to.
    pub(crate) fn slot_mut(&mut self, slot: u32) -> &mut [u8] {
        let slot = slot as usize;
        let (start, end) = (self.starts[slot], self.starts[slot + 1]);
        // SAFETY: the range lies within the allocation and belongs to this slot, and the borrow of `self` keeps
        // it from being handed out twice.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr().add(start), end - start) }
    }

    /// The buffer of a slot, made unlike every earlier write.
    pub(crate) fn stamped(&mut self, slot: u32, length: u32) -> &mut [u8] {
        let mut stamp = self.stamp;
        let buffer = &mut self.slot_mut(slot)[..length as usize];
        for sector in buffer.chunks_mut(STAMP_EVERY) {
            stamp = stamp.wrapping_add(0x9E37_79B9_7F4A_7C15);
            sector[..8].copy_from_slice(&stamp.to_le_bytes());
        }
        self.stamp = stamp;
        self.slot_mut(slot)
    }
}

impl Drop for SlotBuffers {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and nothing borrows from a value that is dropped.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn buffers_are_aligned_apart_and_as_long_as_asked() {
        let mut buffers = SlotBuffers::new(&[512, 8192, 65536], &mut Random::new(1, 0));
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
    fn no_two_sectors_that_are_written_are_equal() {
        let mut buffers = SlotBuffers::new(&[8192, 8192], &mut Random::new(1, 0));
        let mut sectors = HashSet::new();
        for write in 0..1_000 {
            for sector in buffers.stamped(write % 2, 8192).chunks(STAMP_EVERY) {
                assert!(sectors.insert(sector.to_vec()), "write {write}");
            }
        }
    }
}
