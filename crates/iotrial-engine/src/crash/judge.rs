//! What a page holds after a cut, from its bytes, the write that must be there and the one that may.

use iotrial_model::verification::FaultKind;

use crate::content::{SECTOR, Stamp, poison};
use crate::verify::judge::{FLIPPED_BITS, Flaw, differing_bits};

/// What a page may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed {
    /// Of the first sector, by the last write that was flushed.
    pub(super) flushed: Stamp,
    /// The write of the page that may have been under way.
    pub(super) in_flight: Option<u64>,
    /// No write from it on was begun.
    pub(super) issued: u64,
}

/// What a page turned out to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// The last write that was flushed, all of it.
    Flushed,
    /// The write that was under way, all of it.
    InFlight,
    /// A part of each.
    Torn {
        /// Sectors with the new write.
        new_sectors: u64,
        /// The first sector that holds another write than the first one does.
        torn_at_sector: u64,
        /// Sectors that hold a part of each.
        torn_sectors: u64,
    },
    /// Something that may not be there.
    Fault(Flaw),
}

/// What a sector turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sector {
    Flushed,
    InFlight,
    /// The first bytes of one, the last of the other, or any other mixture of both.
    Mixed,
    Earlier,
    Future,
    Elsewhere(Stamp),
    Foreign,
    Untouched,
    /// Bits that differ from the nearer of what may be there.
    Differs(u32),
}

impl Allowed {
    fn flushed(self, index: u64) -> Stamp {
        Stamp { sector: self.flushed.sector + index, ..self.flushed }
    }

    fn in_flight(self, index: u64) -> Option<Stamp> {
        self.in_flight.map(|generation| Stamp { generation, ..self.flushed(index) })
    }
}

/// Judges a page.
pub(super) fn held(page: &[u8], allowed: Allowed) -> Held {
    // Nearly all of them hold what was flushed: one look at each sector, and nothing else.
    let mut sectors = page.chunks_exact(SECTOR).zip(0..);
    if sectors.all(|(sector, index)| Stamp::read(sector) == Some(allowed.flushed(index))) {
        return Held::Flushed;
    }
    describe(page, allowed)
}

#[cold]
fn describe(page: &[u8], allowed: Allowed) -> Held {
    let sectors: Vec<Sector> =
        page.chunks_exact(SECTOR).zip(0..).map(|(sector, index)| look(sector, index, allowed)).collect();
    let count = |is: fn(Sector) -> bool| sectors.iter().filter(|sector| is(**sector)).count() as u64;
    let is_bad = |sector: Sector| !matches!(sector, Sector::Flushed | Sector::InFlight | Sector::Mixed);
    let new_sectors = count(|sector| sector == Sector::InFlight);
    let torn_sectors = count(|sector| sector == Sector::Mixed);
    let Some(first_bad) = sectors.iter().position(|sector| is_bad(*sector)) else {
        if new_sectors == sectors.len() as u64 {
            return Held::InFlight;
        }
        let other = sectors.iter().position(|sector| *sector != sectors[0]);
        return Held::Torn { new_sectors, torn_at_sector: other.unwrap_or_default() as u64, torn_sectors };
    };
    let stranger = sectors.iter().find_map(|sector| match sector {
        Sector::Elsewhere(stamp) => Some(*stamp),
        _ => None,
    });
    let bits = sectors.iter().filter_map(|sector| match sector {
        Sector::Differs(bits) => Some(*bits),
        _ => None,
    });
    // From what can have only one cause to what may have several.
    let kind = if sectors.contains(&Sector::Untouched) {
        FaultKind::ReadWithoutTransfer
    } else if stranger.is_some() {
        FaultKind::MisdirectedWrite
    } else if sectors.contains(&Sector::Foreign) {
        FaultKind::ForeignData
    } else if sectors.contains(&Sector::Future) {
        FaultKind::FutureWrite
    } else if let Some(most) = bits.clone().max() {
        if most <= FLIPPED_BITS { FaultKind::BitFlip } else { FaultKind::DamagedPage }
    } else if sectors.iter().any(|sector| matches!(sector, Sector::Flushed | Sector::Mixed)) {
        FaultKind::TornWrite
    } else {
        // Also where a part of the write under way is there: nothing of the flushed one is.
        FaultKind::LostWrite
    };
    Held::Fault(Flaw {
        kind,
        first_bad_sector: first_bad as u64,
        bad_sectors: count(is_bad),
        bad_bits: (kind == FaultKind::BitFlip).then(|| bits.map(u64::from).sum()),
        stranger,
    })
}

fn look(sector: &[u8], index: u64, allowed: Allowed) -> Sector {
    let (flushed, in_flight) = (allowed.flushed(index), allowed.in_flight(index));
    if sector[..8] == poison(flushed.sector).to_le_bytes() {
        return Sector::Untouched;
    }
    match Stamp::read(sector) {
        Some(stamp) if stamp == flushed => Sector::Flushed,
        Some(stamp) if Some(stamp) == in_flight => Sector::InFlight,
        Some(stamp) if stamp.run != flushed.run => Sector::Foreign,
        Some(stamp) if (stamp.area, stamp.sector) != (flushed.area, flushed.sector) => {
            Sector::Elsewhere(stamp)
        }
        Some(stamp) if stamp.generation >= allowed.issued => Sector::Future,
        Some(stamp) if stamp.generation < flushed.generation => Sector::Earlier,
        // A write of another page under the number of this one: nobody made it.
        Some(_) => Sector::Differs(u32::MAX),
        None => match in_flight {
            Some(new) if is_mixed(sector, flushed, new) => Sector::Mixed,
            Some(new) => Sector::Differs(differing_bits(sector, flushed).min(differing_bits(sector, new))),
            None => Sector::Differs(differing_bits(sector, flushed)),
        },
    }
}

/// Whether each byte of a sector is that of one of two writes.
fn is_mixed(sector: &[u8], one: Stamp, other: Stamp) -> bool {
    let (mut first, mut second) = ([0; SECTOR], [0; SECTOR]);
    one.write(&mut first);
    other.write(&mut second);
    sector.iter().zip(first.iter().zip(&second)).all(|(byte, (one, other))| byte == one || byte == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTORS: usize = 16;

    fn stamp(generation: u64) -> Stamp {
        Stamp { run: 1, generation, sector: 2048, area: 0 }
    }

    fn page(of: impl Fn(u64) -> Stamp) -> Vec<u8> {
        let mut page = vec![0; SECTORS * SECTOR];
        for (sector, index) in page.chunks_exact_mut(SECTOR).zip(0..) {
            let stamp = of(index);
            Stamp { sector: stamp.sector + index, ..stamp }.write(sector);
        }
        page
    }

    fn judged(page: &[u8], in_flight: Option<u64>) -> Held {
        held(page, Allowed { flushed: stamp(50), in_flight, issued: 110 })
    }

    fn kind(page: &[u8], in_flight: Option<u64>) -> (FaultKind, u64, u64) {
        match judged(page, in_flight) {
            Held::Fault(flaw) => (flaw.kind, flaw.first_bad_sector, flaw.bad_sectors),
            held => panic!("{held:?}"),
        }
    }

    #[test]
    fn a_page_under_way_may_hold_the_old_the_new_or_a_part_of_each_and_another_page_only_the_old() {
        assert_eq!(judged(&page(|_| stamp(50)), None), Held::Flushed);
        assert_eq!(judged(&page(|_| stamp(50)), Some(105)), Held::Flushed);
        assert_eq!(judged(&page(|_| stamp(105)), Some(105)), Held::InFlight);
        for at in 1..SECTORS as u64 {
            for is_new_first in [true, false] {
                let torn = page(|index| stamp(if (index < at) == is_new_first { 105 } else { 50 }));
                let new_sectors = if is_new_first { at } else { SECTORS as u64 - at };
                let expected = Held::Torn { new_sectors, torn_at_sector: at, torn_sectors: 0 };
                assert_eq!(judged(&torn, Some(105)), expected);
                // Without a write under way it was not issued yet as far as the journal knows, or is one of nobody.
                assert!(matches!(judged(&torn, None), Held::Fault(_)));
            }
        }
        assert_eq!(kind(&page(|_| stamp(105)), None), (FaultKind::DamagedPage, 0, 16));
    }

    #[test]
    fn a_sector_with_bytes_of_both_writes_is_torn_and_one_with_others_is_damaged() {
        let (old, mut torn) = (page(|_| stamp(50)), page(|_| stamp(105)));
        torn[3 * SECTOR + 100..].copy_from_slice(&old[3 * SECTOR + 100..]);
        let expected = Held::Torn { new_sectors: 3, torn_at_sector: 3, torn_sectors: 1 };
        assert_eq!(judged(&torn, Some(105)), expected);
        assert_eq!(kind(&torn, None).0, FaultKind::DamagedPage);
        // Something of the flushed write is there, and in another sector something older.
        let mut older = page(|_| stamp(7));
        older[3 * SECTOR..4 * SECTOR].copy_from_slice(&torn[3 * SECTOR..4 * SECTOR]);
        assert_eq!(kind(&older, Some(105)), (FaultKind::TornWrite, 0, 15));
        torn[3 * SECTOR + 100..4 * SECTOR].fill(0);
        assert_eq!(kind(&torn, Some(105)), (FaultKind::DamagedPage, 3, 1));
    }

    #[test]
    fn every_fault_is_called_by_its_name_and_place() {
        let with = |change: fn(&mut [u8])| {
            let mut page = page(|_| stamp(50));
            change(&mut page);
            page
        };
        let flipped = with(|page| page[1000] ^= 0x11);
        let flipped_new = {
            let mut page = page(|_| stamp(105));
            page[1000] ^= 0x11;
            page
        };
        let elsewhere = Stamp { sector: 4096, ..stamp(9) };
        let untouched = with(|page| page[..8].copy_from_slice(&poison(2048).to_le_bytes()));
        let half = |first: u64, second: u64| page(|index| stamp(if index < 8 { first } else { second }));
        use FaultKind::*;
        for in_flight in [None, Some(105)] {
            let cases = [
                (page(|_| stamp(7)), LostWrite, 0, 16),
                (page(|_| stamp(0)), LostWrite, 0, 16),
                (half(50, 7), TornWrite, 8, 8),
                (half(7, 50), TornWrite, 0, 8),
                (flipped.clone(), BitFlip, 1, 1),
                (vec![0; SECTORS * SECTOR], DamagedPage, 0, 16),
                (page(|_| elsewhere), MisdirectedWrite, 0, 16),
                (page(|_| Stamp { run: 2, ..stamp(50) }), ForeignData, 0, 16),
                (page(|_| stamp(110)), FutureWrite, 0, 16),
                (half(50, 1 << 40), FutureWrite, 8, 8),
                (untouched.clone(), ReadWithoutTransfer, 0, 1),
                // Of this epoch, and the write of another page.
                (page(|_| stamp(109)), DamagedPage, 0, 16),
            ];
            for (page, expected, first, bad) in cases {
                assert_eq!(kind(&page, in_flight), (expected, first, bad));
            }
        }
        // Nothing of the flushed write is there, and a part of the one under way.
        assert_eq!(kind(&half(105, 7), Some(105)), (LostWrite, 8, 8));
        assert_eq!(kind(&flipped_new, Some(105)), (BitFlip, 1, 1));
        let Held::Fault(flaw) = judged(&flipped, None) else { panic!("it is flipped") };
        assert_eq!((flaw.bad_bits, flaw.stranger), (Some(2), None));
        let Held::Fault(flaw) = judged(&page(|_| elsewhere), None) else { panic!("it is another one") };
        assert_eq!((flaw.bad_bits, flaw.stranger), (None, Some(elsewhere)));
    }
}
