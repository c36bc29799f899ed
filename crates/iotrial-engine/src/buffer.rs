//! The memory that I/Os move: one aligned buffer for each slot, filled once.
#![expect(
    unsafe_code,
    reason = "the kernel writes into one slot while another is stamped, so no borrow may span two"
)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use iotrial_measure::random::Random;
use iotrial_model::units::ByteSize;

use crate::content::Content;

#[cfg(target_os = "linux")]
#[path = "buffer/linux.rs"]
mod os;
#[cfg(not(target_os = "linux"))]
#[path = "buffer/plain.rs"]
mod os;

/// Direct I/O to any device is happy with this alignment.
const ALIGNMENT: usize = 4096;

/// The usual huge page. Memory of this size or more begins on one, so that all but its tail can lie on huge
/// pages; less stays on plain ones, and none is wasted.
const HUGE_PAGE: usize = 2 << 20;

/// The most that a ring of Linux takes as one registered buffer.
const MOST_PIECE: usize = 1 << 30;

/// One buffer for each slot of a queue, in one piece of memory.
pub(crate) struct SlotBuffers {
    memory: NonNull<u8>,
    layout: Layout,
    /// First byte of each slot, and one more for the end of the last.
    starts: Vec<usize>,
    /// First slot of each piece.
    pieces: Vec<usize>,
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
        // SAFETY: the layout is not empty.
        let memory = NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        if total >= HUGE_PAGE {
            // Before the first byte is touched: memory that has its plain pages keeps them.
            os::ask_for_huge_pages(memory, total);
        }
        // SAFETY: the memory was allocated with this size.
        unsafe { memory.write_bytes(0, total) };
        let pieces = pieces_of(&starts, MOST_PIECE);
        let mut buffers = Self { memory, layout, starts, pieces };
        // Each buffer holds other pages: they are what a write consists of, but for its stamps.
        let content = Content::new(random.next_u64(), 0);
        for slot in (0..).take(lengths.len()) {
            let start = buffers.starts[slot as usize] as u64;
            content.fill(buffers.slot_mut(slot), start, 0);
        }
        buffers
    }

    /// The memory in pieces that a ring takes as registered buffers: address and length of each. No slot lies
    /// in two.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only rings register"))]
    pub(crate) fn pieces(&self) -> Vec<(*mut u8, usize)> {
        let ends = self.pieces.iter().skip(1).copied().chain([self.starts.len() - 1]);
        let piece = |(first, end): (&usize, usize)| {
            let (start, end) = (self.starts[*first], self.starts[end]);
            // SAFETY: a slot starts within the allocation.
            (unsafe { self.memory.as_ptr().add(start) }, end - start)
        };
        self.pieces.iter().zip(ends).map(piece).collect()
    }

    /// The piece that a slot lies in.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only rings register"))]
    #[inline]
    pub(crate) fn piece_of(&self, slot: u32) -> u16 {
        if let [_] = self.pieces[..] {
            return 0;
        }
        let piece = self.pieces.partition_point(|first| *first <= slot as usize) - 1;
        u16::try_from(piece).expect("65,536 pieces would be 64 TiB")
    }

    /// All of the memory, and the part of it that lies on huge pages.
    #[cfg_attr(
        not(any(target_os = "linux", windows)),
        expect(dead_code, reason = "only rings and ports tell what they were granted")
    )]
    pub(crate) fn size_and_huge_pages(&self) -> (ByteSize, ByteSize) {
        let huge = if self.layout.size() >= HUGE_PAGE { os::huge_page_bytes(self.memory) } else { 0 };
        let size = self.layout.size() as u64;
        (ByteSize::bytes(size), ByteSize::bytes(huge.min(size)))
    }

    /// What a slot holds. No I/O may be under way on it.
    pub(crate) fn slot(&self, slot: u32) -> &[u8] {
        let slot = slot as usize;
        let (start, end) = (self.starts[slot], self.starts[slot + 1]);
        // SAFETY: the range lies within the allocation and belongs to this slot. The kernel does not write to
        // it, because the caller has reaped its last I/O, and the borrow of `self` keeps the next one from
        // being handed over.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(start), end - start) }
    }

    /// The buffer of a slot. It spans no other slot's memory, which the kernel may be writing to.
    pub(crate) fn slot_mut(&mut self, slot: u32) -> &mut [u8] {
        let slot = slot as usize;
        let (start, end) = (self.starts[slot], self.starts[slot + 1]);
        // SAFETY: the range lies within the allocation and belongs to this slot, and the borrow of `self`
        // keeps it from being handed out twice.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr().add(start), end - start) }
    }
}

impl Drop for SlotBuffers {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and nothing borrows from a value that is dropped.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

/// The first slot of each piece: as many slots as fit into `most` bytes, but at least one.
fn pieces_of(starts: &[usize], most: usize) -> Vec<usize> {
    let mut pieces = Vec::new();
    let mut piece_start = 0;
    for (slot, range) in starts.windows(2).enumerate() {
        if slot == 0 || range[1] - piece_start > most {
            pieces.push(slot);
            piece_start = range[0];
        }
    }
    pieces
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
    fn a_piece_is_as_large_as_it_may_be_and_no_slot_lies_in_two() {
        assert_eq!(pieces_of(&[0], 100), [0usize; 0]);
        assert_eq!(pieces_of(&[0, 40, 80, 120, 220, 260], 100), [0, 2, 3, 4]);
        assert_eq!(pieces_of(&[0, 50, 100], 100), [0]);
        let mut buffers = SlotBuffers::new(&[8192, 8192, 4096], &mut Random::new(1, RandomStream::Copy(0)));
        buffers.pieces = pieces_of(&buffers.starts, 16384);
        let of_slots = [0, 1, 2].map(|slot| buffers.piece_of(slot));
        assert_eq!(of_slots, [0, 0, 1]);
        let pieces = buffers.pieces();
        assert_eq!(pieces.iter().map(|(_, length)| *length).collect::<Vec<_>>(), [16384, 4096]);
        assert_eq!(pieces[1].0, buffers.slot_mut(2).as_mut_ptr());
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
