//! The stamp of a sector: who wrote it, where it belongs, and which write it was.
//!
//! Each sector has its own, so that a page that was written in part shows where, and a sector that lies
//! elsewhere names the place that it belongs to. The rest of the sector follows from the stamp, so that what a
//! write put there can be made again to compare bit by bit, and nothing has to be kept.

use iotrial_model::split_mix::{GOLDEN, mix};

/// The smallest unit that a device writes whole.
pub(crate) const SECTOR: usize = 512;

/// «iotv», and the version of the layout.
const MAGIC: [u8; 4] = *b"iov1";

/// Where the check sum is; it is of all other bytes of the sector.
const SUM: std::ops::Range<usize> = 36..40;

/// What a sector holds first, in little endian: magic 4, run 8, generation 8, sector 8, area 2, nothing 6, check sum 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Drawn for each run: what another run wrote is known by it.
    pub(crate) run: u64,
    /// Which write: 0 for the layout; no two writes of a run have the same.
    pub(crate) generation: u64,
    /// Number of the sector from the start of the file or device.
    pub(crate) sector: u64,
    /// Index into the areas of the plan.
    pub(crate) area: u16,
}

impl Stamp {
    /// Makes a whole sector of it.
    #[inline]
    pub(crate) fn write(self, sector: &mut [u8]) {
        let sector = &mut sector[..SECTOR];
        sector[..4].copy_from_slice(&MAGIC);
        sector[4..12].copy_from_slice(&self.run.to_le_bytes());
        sector[12..20].copy_from_slice(&self.generation.to_le_bytes());
        sector[20..28].copy_from_slice(&self.sector.to_le_bytes());
        sector[28..30].copy_from_slice(&self.area.to_le_bytes());
        sector[30..SUM.start].fill(0);
        let mut state = mix(self.run ^ mix(self.generation ^ mix(self.sector ^ u64::from(self.area) << 48)));
        for word in sector[SUM.end..].chunks_exact_mut(8) {
            let bits = (state ^ (state >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            state = state.wrapping_add(GOLDEN);
            word.copy_from_slice(&(bits ^ (bits >> 29)).to_le_bytes());
        }
        let sum = check_sum(sector);
        sector[SUM].copy_from_slice(&sum.to_le_bytes());
    }

    /// The stamp of a sector that is whole; `None` where it has none, or any bit of it changed.
    #[inline]
    pub(crate) fn read(sector: &[u8]) -> Option<Self> {
        let sector = &sector[..SECTOR];
        if sector[..4] != MAGIC || sector[SUM] != check_sum(sector).to_le_bytes() {
            return None;
        }
        let word = |at: usize| u64::from_le_bytes(sector[at..at + 8].try_into().expect("eight bytes"));
        let area = u16::from_le_bytes([sector[28], sector[29]]);
        Some(Self { run: word(4), generation: word(12), sector: word(20), area })
    }
}

/// What the first word of a sector of a buffer is before it is read into.
pub(crate) const fn poison(sector: u64) -> u64 {
    // Not the magic of a stamp in its first four bytes, and no word that a disk is full of.
    0x6465_646e_6f6e_6f00 ^ sector.wrapping_mul(0x0100_0000_01b3)
}

/// CRC-32C, which finds every burst of up to 32 bits and, in a sector, any three wrong bits.
fn check_sum(sector: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&sector[..SUM.start]), &sector[SUM.end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp = Stamp { run: 7, generation: 1 << 41 | 3, sector: 5, area: 2 };

    fn written(stamp: Stamp) -> [u8; SECTOR] {
        let mut sector = [0xaa; SECTOR];
        stamp.write(&mut sector);
        sector
    }

    #[test]
    fn a_stamp_reads_as_it_was_written_and_any_bit_that_changed_is_noticed() {
        let whole = written(STAMP);
        assert_eq!(Stamp::read(&whole), Some(STAMP));
        for bit in 0..SECTOR * 8 {
            let mut spoilt = whole;
            spoilt[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Stamp::read(&spoilt), None, "bit {bit}");
        }
        assert_eq!(Stamp::read(&[0; SECTOR]), None);
        // Of a later layout, with a sum that is right.
        let mut later = whole;
        later[..4].copy_from_slice(b"iov2");
        let sum = check_sum(&later);
        later[SUM].copy_from_slice(&sum.to_le_bytes());
        assert_eq!(Stamp::read(&later), None);
    }

    #[test]
    fn two_writes_differ_everywhere_and_the_same_one_is_made_again() {
        let other = written(Stamp { generation: 4, ..STAMP });
        assert_eq!(written(STAMP), written(STAMP));
        let same = written(STAMP).iter().zip(&other).skip(SUM.end).filter(|(a, b)| a == b).count();
        // Of 472 random bytes one or two are equal by chance.
        assert!(same < 12, "{same}");
    }

    #[test]
    fn the_check_sum_is_crc_32c() {
        // RFC 3720, B.4: 32 bytes of zeros and of ones.
        assert_eq!((crc32c::crc32c(&[0; 32]), crc32c::crc32c(&[0xff; 32])), (0x8a91_36aa, 0x62a8_ab43));
    }
}
