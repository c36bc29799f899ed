//! What is wrong with a page, from its bytes and the write that it should hold.

use std::path::PathBuf;

use iotrial_model::verification::{FaultKind, Noticed, PageFault};

use crate::content::{SECTOR, Stamp, poison};

/// More bits than that in a sector are no flip: something else was put there.
// A choice. Of 4,096 bits, half differ where the data is another one, and one to a few where cells or wires failed.
pub(crate) const FLIPPED_BITS: u32 = 64;

/// What a page should hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Expected {
    /// Of the first sector.
    pub(super) stamp: Stamp,
}

impl Expected {
    fn sector(self, index: u64) -> Stamp {
        Stamp { sector: self.stamp.sector + index, ..self.stamp }
    }

    /// The same of whichever write of its place a page holds: all sectors are to be of the one that is found first. Where there is none, the
    /// page is as wrong as it is whatever the write was.
    pub(super) fn with_write_of(self, page: &[u8]) -> Self {
        let own = page.chunks_exact(SECTOR).zip(0..).find_map(|(sector, index)| {
            let stamp = Stamp::read(sector)?;
            let is_own = stamp == Stamp { generation: stamp.generation, ..self.sector(index) };
            is_own.then_some(stamp.generation)
        });
        Self { stamp: Stamp { generation: own.unwrap_or_default(), ..self.stamp } }
    }
}

/// What is wrong with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) kind: FaultKind,
    /// The first sector that is not as it was written, from the start of the page.
    pub(crate) first_bad_sector: u64,
    pub(crate) bad_sectors: u64,
    pub(crate) bad_bits: Option<u64>,
    /// What lies here and belongs elsewhere.
    pub(crate) stranger: Option<Stamp>,
}

impl Flaw {
    /// The fault of a page that begins at an offset.
    pub(crate) fn fault(
        self,
        kind: FaultKind,
        path: PathBuf,
        offset: u64,
        length: u64,
        noticed: Noticed,
    ) -> PageFault {
        PageFault {
            first_bad_byte: Some(offset + self.first_bad_sector * SECTOR as u64),
            bad_sectors: Some(self.bad_sectors),
            bad_bits: self.bad_bits,
            ..PageFault::new(kind, path, offset, length, noticed)
        }
    }
}

/// What a sector turned out to be.
enum Sector {
    AsWritten,
    Earlier,
    Elsewhere(Stamp),
    Foreign,
    Untouched,
    /// Bits that differ.
    Differs(u32),
}

/// Compares a page with what it should hold; `None` where all of it is there.
pub(super) fn flaw(page: &[u8], expected: Expected) -> Option<Flaw> {
    // Nearly all of them: one look at each sector, and nothing else.
    let mut sectors = page.chunks_exact(SECTOR).zip(0..);
    let bad = |(sector, index): &(&[u8], u64)| Stamp::read(sector) != Some(expected.sector(*index));
    let first_bad_sector = sectors.find(bad)?.1;
    Some(describe(page, expected, first_bad_sector))
}

#[cold]
fn describe(page: &[u8], expected: Expected, first_bad_sector: u64) -> Flaw {
    let count = page.len() / SECTOR;
    let (mut earlier, mut foreign, mut untouched, mut stranger) = (0, 0, 0, None);
    let (mut differing, mut bits, mut most_bits) = (0, 0, 0);
    for (sector, index) in page.chunks_exact(SECTOR).zip(0..) {
        match look(sector, expected.sector(index)) {
            Sector::AsWritten => {}
            Sector::Earlier => earlier += 1,
            Sector::Elsewhere(stamp) => stranger = stranger.or(Some(stamp)),
            Sector::Foreign => foreign += 1,
            Sector::Untouched => untouched += 1,
            Sector::Differs(bad_bits) => {
                differing += 1;
                bits += u64::from(bad_bits);
                most_bits = most_bits.max(bad_bits);
            }
        }
    }
    let bad = page
        .chunks_exact(SECTOR)
        .zip(0..)
        .filter(|(sector, index)| Stamp::read(sector) != Some(expected.sector(*index)));
    let bad_sectors = bad.count() as u64;
    // From what can have only one cause to what may have several.
    let kind = if untouched > 0 {
        FaultKind::ReadWithoutTransfer
    } else if stranger.is_some() {
        FaultKind::MisdirectedWrite
    } else if foreign > 0 {
        FaultKind::ForeignData
    } else if differing > 0 {
        if most_bits <= FLIPPED_BITS { FaultKind::BitFlip } else { FaultKind::DamagedPage }
    } else if earlier == count {
        FaultKind::LostWrite
    } else {
        FaultKind::TornWrite
    };
    let bad_bits = (kind == FaultKind::BitFlip).then_some(bits);
    Flaw { kind, first_bad_sector, bad_sectors, bad_bits, stranger }
}

fn look(sector: &[u8], expected: Stamp) -> Sector {
    if sector[..8] == poison(expected.sector).to_le_bytes() {
        return Sector::Untouched;
    }
    match Stamp::read(sector) {
        Some(stamp) if stamp == expected => Sector::AsWritten,
        Some(stamp) if stamp.run != expected.run => Sector::Foreign,
        Some(stamp) if (stamp.area, stamp.sector) != (expected.area, expected.sector) => {
            Sector::Elsewhere(stamp)
        }
        Some(_) => Sector::Earlier,
        None => Sector::Differs(differing_bits(sector, expected)),
    }
}

/// Bits of a sector that are not those of a stamp.
pub(crate) fn differing_bits(sector: &[u8], expected: Stamp) -> u32 {
    let mut written = [0; SECTOR];
    expected.write(&mut written);
    sector.iter().zip(&written).map(|(read, written)| (read ^ written).count_ones()).sum()
}

/// What a fault is when its page was read again: by what it was first, what it was last, and whether it was right in between.
pub(crate) const fn kind_when_repeated(first: FaultKind, last: FaultKind, was_right: bool) -> FaultKind {
    match first {
        FaultKind::ReadWithoutTransfer => first,
        FaultKind::LostWrite | FaultKind::TornWrite if was_right => FaultKind::StaleRead,
        _ if was_right => FaultKind::TransferError,
        _ => last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 8192;

    fn stamp(generation: u64) -> Stamp {
        Stamp { run: 1, generation, sector: 2048, area: 0 }
    }

    fn expected() -> Expected {
        Expected { stamp: stamp(7) }
    }

    fn page(stamp: Stamp) -> Vec<u8> {
        let mut page = vec![0; PAGE];
        for (sector, index) in page.chunks_exact_mut(SECTOR).zip(0..) {
            Stamp { sector: stamp.sector + index, ..stamp }.write(sector);
        }
        page
    }

    #[test]
    fn a_page_that_is_right_when_it_is_read_again_was_read_wrongly() {
        use FaultKind::*;
        let cases = [
            (LostWrite, BitFlip, true, StaleRead),
            (TornWrite, TornWrite, true, StaleRead),
            (DamagedPage, DamagedPage, true, TransferError),
            (ForeignData, ForeignData, true, TransferError),
            (LostWrite, TornWrite, false, TornWrite),
            (ReadWithoutTransfer, LostWrite, false, ReadWithoutTransfer),
            (ReadWithoutTransfer, LostWrite, true, ReadWithoutTransfer),
        ];
        for (first, last, was_right, kind) in cases {
            assert_eq!(kind_when_repeated(first, last, was_right), kind, "{first} {last} {was_right}");
        }
    }

    #[test]
    fn every_fault_is_called_by_its_name_and_place() {
        assert_eq!(flaw(&page(stamp(7)), expected()), None);
        let mut torn = page(stamp(7));
        torn[4096..].copy_from_slice(&page(stamp(3))[4096..]);
        let mut flipped = page(stamp(7));
        flipped[1000] ^= 0x11;
        let mut zeroed = page(stamp(7));
        zeroed[512..1024].fill(0);
        let elsewhere = Stamp { sector: 4096, ..stamp(9) };
        let mut untouched = page(stamp(7));
        untouched[..8].copy_from_slice(&poison(2048).to_le_bytes());
        let cases = [
            (page(stamp(3)), FaultKind::LostWrite, 0, 16),
            (torn, FaultKind::TornWrite, 8, 8),
            (flipped, FaultKind::BitFlip, 1, 1),
            (zeroed, FaultKind::DamagedPage, 1, 1),
            (vec![0; PAGE], FaultKind::DamagedPage, 0, 16),
            (page(elsewhere), FaultKind::MisdirectedWrite, 0, 16),
            (page(Stamp { run: 2, ..stamp(7) }), FaultKind::ForeignData, 0, 16),
            (untouched, FaultKind::ReadWithoutTransfer, 0, 1),
        ];
        for (page, kind, first, bad) in cases {
            let flaw = flaw(&page, expected()).unwrap();
            assert_eq!((flaw.kind, flaw.first_bad_sector, flaw.bad_sectors), (kind, first, bad), "{kind:?}");
            assert_eq!(flaw.bad_bits, (kind == FaultKind::BitFlip).then_some(2), "{kind:?}");
            let stranger = (kind == FaultKind::MisdirectedWrite).then_some(elsewhere);
            assert_eq!(flaw.stranger, stranger, "{kind:?}");
        }
    }

    #[test]
    fn some_bits_are_flipped_and_more_are_other_data() {
        for (bytes, kind, bits) in [(8, FaultKind::BitFlip, Some(64)), (9, FaultKind::DamagedPage, None)] {
            let mut page = page(stamp(7));
            // All eight bits of each, in the second sector.
            page[1_000..1_000 + bytes].iter_mut().for_each(|byte| *byte ^= 0xff);
            let flaw = flaw(&page, expected()).unwrap();
            assert_eq!((flaw.kind, flaw.bad_bits, flaw.first_bad_sector), (kind, bits, 1));
        }
        // In two sectors, each of which is looked at for itself: all bits are counted, and the worst one decides.
        for (first, second, kind, bits) in [
            (8, 1, FaultKind::BitFlip, Some(72)),
            (1, 8, FaultKind::BitFlip, Some(72)),
            (9, 1, FaultKind::DamagedPage, None),
            (1, 9, FaultKind::DamagedPage, None),
        ] {
            let mut page = page(stamp(7));
            page[1_000..1_000 + first].iter_mut().for_each(|byte| *byte ^= 0xff);
            page[2_000..2_000 + second].iter_mut().for_each(|byte| *byte ^= 0xff);
            let flaw = flaw(&page, expected()).unwrap();
            assert_eq!((flaw.kind, flaw.bad_bits, flaw.bad_sectors), (kind, bits, 2));
        }
    }

    #[test]
    fn a_page_of_any_write_is_right_if_all_of_it_is_of_one() {
        let judged = |page: &[u8]| {
            let flaw = flaw(page, expected().with_write_of(page))?;
            Some((flaw.kind, flaw.first_bad_sector, flaw.bad_sectors))
        };
        for generation in [0, 3, 7, 1 << 50] {
            assert_eq!(judged(&page(stamp(generation))), None);
        }
        // Whichever part is the newer one.
        for (first, second) in [(3, 7), (7, 3)] {
            let mut torn = page(stamp(first));
            torn[4096..].copy_from_slice(&page(stamp(second))[4096..]);
            assert_eq!(judged(&torn), Some((FaultKind::TornWrite, 8, 8)));
        }
        let mut flipped = page(stamp(3));
        flipped[7] ^= 1;
        assert_eq!(judged(&flipped), Some((FaultKind::BitFlip, 0, 1)));
        let mut foreign = page(stamp(3));
        foreign[..512].copy_from_slice(&page(Stamp { run: 2, ..stamp(3) })[..512]);
        assert_eq!(judged(&foreign), Some((FaultKind::ForeignData, 0, 1)));
        let mut untouched = page(stamp(3));
        untouched[..8].copy_from_slice(&poison(2048).to_le_bytes());
        assert_eq!(judged(&untouched), Some((FaultKind::ReadWithoutTransfer, 0, 1)));
        let none = [
            (page(Stamp { sector: 4096, ..stamp(3) }), FaultKind::MisdirectedWrite),
            (page(Stamp { area: 1, ..stamp(3) }), FaultKind::MisdirectedWrite),
            (page(Stamp { run: 2, ..stamp(3) }), FaultKind::ForeignData),
            (vec![0; PAGE], FaultKind::DamagedPage),
        ];
        for (page, kind) in none {
            assert_eq!(judged(&page), Some((kind, 0, 16)));
        }
    }
}
