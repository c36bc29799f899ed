//! The memory of all slots, cut into pieces that a ring takes as registered buffers.

use crate::buffer::SlotBuffers;

/// The most that a ring takes as one registered buffer.
const MOST_PIECE: usize = 1 << 30;

/// Pieces of the buffers' memory. No slot lies in two.
#[derive(Debug)]
pub(super) struct Pieces {
    /// First slot of each piece.
    first_slots: Vec<u32>,
    /// Address and length in bytes of each piece.
    ranges: Vec<(*mut u8, usize)>,
}

// SAFETY: the addresses are only handed to the kernel, and never read or written through here.
unsafe impl Send for Pieces {}

impl Pieces {
    /// The pieces of the first `slot_count` buffers, which lie next to each other.
    pub(super) fn of(buffers: &mut SlotBuffers, slot_count: u32) -> Self {
        Self::with_at_most(buffers, slot_count, MOST_PIECE)
    }

    fn with_at_most(buffers: &mut SlotBuffers, slot_count: u32, most: usize) -> Self {
        let mut pieces = Self { first_slots: Vec::new(), ranges: Vec::new() };
        for slot in 0..slot_count {
            let memory = buffers.slot_mut(slot);
            let (start, length) = (memory.as_mut_ptr(), memory.len());
            match pieces.ranges.last_mut() {
                Some(piece) if piece.1 + length <= most => piece.1 += length,
                // A slot that is larger than a piece may be is one by itself, and the kernel refuses it.
                _ => {
                    pieces.first_slots.push(slot);
                    pieces.ranges.push((start, length));
                }
            }
        }
        pieces
    }

    /// Address and length in bytes of each.
    pub(super) fn ranges(&self) -> &[(*mut u8, usize)] {
        &self.ranges
    }

    /// The piece that a slot lies in.
    #[inline]
    pub(super) fn of_slot(&self, slot: u32) -> u16 {
        if let [_] = self.first_slots[..] {
            return 0;
        }
        let piece = self.first_slots.partition_point(|first| *first <= slot) - 1;
        u16::try_from(piece).expect("65,536 pieces would be 64 TiB")
    }
}

#[cfg(test)]
mod tests {
    use iotrial_measure::random::{Random, RandomStream};

    use super::*;

    fn pieces(lengths: &[u32], most: usize) -> (SlotBuffers, Pieces) {
        let mut buffers = SlotBuffers::new(lengths, &mut Random::new(1, RandomStream::Copy(0)));
        let count = u32::try_from(lengths.len()).unwrap();
        let pieces = Pieces::with_at_most(&mut buffers, count, most);
        (buffers, pieces)
    }

    #[test]
    fn a_piece_is_as_large_as_it_may_be_and_no_slot_lies_in_two() {
        let (_, none) = pieces(&[], 16384);
        assert!(none.ranges().is_empty());
        let (_, one) = pieces(&[8192, 8192], 16384);
        assert_eq!(one.ranges().len(), 1);
        let (_, mixed) = pieces(&[4096, 4096, 4096, 12288, 4096], 12288);
        assert_eq!(mixed.first_slots, [0, 3, 4]);
        let (mut buffers, two) = pieces(&[8192, 8192, 4096], 16384);
        assert_eq!([0, 1, 2].map(|slot| two.of_slot(slot)), [0, 0, 1]);
        assert_eq!(two.ranges().iter().map(|(_, length)| *length).collect::<Vec<_>>(), [16384, 4096]);
        assert_eq!(two.ranges()[1].0, buffers.slot_mut(2).as_mut_ptr());
    }
}
