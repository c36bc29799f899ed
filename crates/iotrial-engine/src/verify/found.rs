//! Faults as they are found, and the two ends of a write that went astray.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use iotrial_model::verification::{FAULTS_KEPT, FaultKind, OtherPlace, PageFault};

use crate::content::{SECTOR, Stamp};

/// Faults with what is needed to join them.
#[derive(Debug, Default)]
pub(crate) struct Found {
    faults: Vec<FoundFault>,
    /// How many more there were, by file or device and kind.
    others: BTreeMap<(PathBuf, FaultKind), u64>,
}

#[derive(Debug)]
pub(crate) struct FoundFault {
    pub(crate) fault: PageFault,
    /// What the first sector of the page should be; `None` of an error.
    pub(crate) expected: Option<Stamp>,
    pub(crate) stranger: Option<Stamp>,
}

/// Faults that are held until they are joined: so many that a device that lies all the time costs no memory that matters.
const FAULTS_HELD: usize = 10_000;

impl Found {
    pub(crate) fn note(&mut self, found: FoundFault) {
        if self.faults.len() < FAULTS_HELD {
            self.faults.push(found);
            return;
        }
        let PageFault { path, kind, .. } = found.fault;
        *self.others.entry((path, kind)).or_default() += 1;
    }

    /// The faults that are held, of a file or device.
    pub(super) fn of_path<'f>(&'f self, path: &'f Path) -> impl Iterator<Item = &'f FoundFault> + Clone {
        self.faults.iter().filter(move |found| found.fault.path == path)
    }

    /// Calls the faults of a file or device another name, all that have one of these.
    pub(super) fn rename(&mut self, path: &Path, names: &[FaultKind], name: FaultKind) {
        for found in self.faults.iter_mut().filter(|found| found.fault.path == path) {
            if names.contains(&found.fault.kind) {
                found.fault.kind = name;
            }
        }
        for kind in names {
            if let Some(count) = self.others.remove(&(path.to_owned(), *kind)) {
                *self.others.entry((path.to_owned(), name)).or_default() += count;
            }
        }
    }

    /// How often each kind was found, and the first faults. What lies at one place names the place where it is missing, and the other
    /// way round; `home` is where a stamp belongs.
    pub(crate) fn joined(
        &mut self,
        home: impl Fn(Stamp) -> Option<OtherPlace>,
    ) -> (BTreeMap<FaultKind, u64>, Vec<PageFault>) {
        let Self { faults, others } = self;
        let strangers: Vec<(Stamp, OtherPlace)> = faults
            .iter()
            .filter_map(|fault| {
                let PageFault { path, first_bad_byte, .. } = &fault.fault;
                let here = OtherPlace { path: path.clone(), offset_bytes: (*first_bad_byte)? };
                fault.stranger.map(|stranger| (stranger, here))
            })
            .collect();
        for FoundFault { fault, expected, stranger } in faults.iter_mut() {
            if let Some(stranger) = stranger {
                fault.other_place = home(*stranger);
            } else if let FaultKind::LostWrite | FaultKind::TornWrite = fault.kind
                && let Some(expected) = expected
            {
                let sectors = expected.sector..expected.sector + fault.length_bytes / SECTOR as u64;
                let went = strangers.iter().find(|(stranger, _)| {
                    (stranger.area, stranger.generation) == (expected.area, expected.generation)
                        && sectors.contains(&stranger.sector)
                });
                if let Some((_, there)) = went {
                    (fault.kind, fault.other_place) = (FaultKind::MisdirectedWrite, Some(there.clone()));
                }
            }
        }
        let mut counts = BTreeMap::new();
        let kinds = faults
            .iter()
            .map(|found| (found.fault.kind, 1))
            .chain(others.iter().map(|((_, kind), count)| (*kind, *count)));
        for (kind, count) in kinds {
            *counts.entry(kind).or_default() += count;
        }
        (counts, faults.iter().take(FAULTS_KEPT).map(|found| found.fault.clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::verification::Noticed;

    use super::*;

    #[test]
    fn the_other_end_of_a_write_is_where_its_own_data_went() {
        let stamp = |generation, sector| Stamp { run: 1, generation, sector, area: 0 };
        let fault = |kind, at| PageFault::new(kind, "/a".into(), at, 8192, Noticed::EndScan);
        let strayed = |at, stranger| {
            let there = fault(FaultKind::MisdirectedWrite, at);
            let fault = PageFault { first_bad_byte: Some(at), ..there };
            FoundFault { fault, expected: None, stranger: Some(stranger) }
        };
        // Another write of the page, the sectors before and behind it of the same write, and another file.
        let others = [stamp(4, 16), stamp(5, 15), stamp(5, 32), Stamp { area: 1, ..stamp(5, 16) }];
        for (own, other_place) in [(None, None), (Some(31), Some(1 << 20))] {
            for kind in [FaultKind::LostWrite, FaultKind::TornWrite] {
                let mut found = Found::default();
                let missing = fault(kind, 8192);
                found.note(FoundFault { fault: missing, expected: Some(stamp(5, 16)), stranger: None });
                (2..).zip(others).for_each(|(page, other)| found.note(strayed(page * 8192, other)));
                if let Some(sector) = own {
                    found.note(strayed(1 << 20, stamp(5, sector)));
                }
                let home = |stamp: Stamp| {
                    Some(OtherPlace { path: "/a".into(), offset_bytes: stamp.sector * SECTOR as u64 })
                };
                let (_, faults) = found.joined(home);
                let place = |nth: usize| faults[nth].other_place.as_ref().map(|place| place.offset_bytes);
                let is_told = if own.is_some() { FaultKind::MisdirectedWrite } else { kind };
                assert_eq!((faults[0].kind, place(0)), (is_told, other_place));
                assert_eq!((faults[1].kind, place(1)), (FaultKind::MisdirectedWrite, Some(8192)));
            }
        }
    }

    #[test]
    fn faults_of_one_place_and_kind_get_another_name_and_no_others() {
        use FaultKind::*;
        let mut found = Found::default();
        for (path, kind) in [("/a", DamagedPage), ("/a", LostWrite), ("/b", DamagedPage)] {
            let fault = PageFault::new(kind, path.into(), 0, 512, Noticed::EndScan);
            found.note(FoundFault { fault, expected: None, stranger: None });
        }
        found.rename(Path::new("/a"), &[DamagedPage, ForeignData], MissingCapacity);
        let kinds: Vec<_> = found.joined(|_| None).1.into_iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, [MissingCapacity, LostWrite, DamagedPage]);
    }

    #[test]
    fn faults_that_are_too_many_to_be_held_are_counted_and_renamed_with_the_others() {
        let mut found = Found::default();
        let held = u64::try_from(FAULTS_HELD).unwrap();
        for offset in 0..held + 7 {
            let path = PathBuf::from(if offset % 2 == 0 { "/a" } else { "/b" });
            let fault = PageFault::new(FaultKind::DamagedPage, path, offset, 512, Noticed::EndScan);
            found.note(FoundFault { fault, expected: None, stranger: None });
        }
        let (counts, faults) = found.joined(|_| None);
        assert_eq!(
            (counts, faults.len()),
            (BTreeMap::from([(FaultKind::DamagedPage, held + 7)]), FAULTS_KEPT)
        );
        assert_eq!(faults.iter().map(|fault| fault.offset_bytes).max(), Some(FAULTS_KEPT as u64 - 1));
        found.rename(Path::new("/a"), &[FaultKind::DamagedPage], FaultKind::MissingCapacity);
        let (counts, _) = found.joined(|_| None);
        let of_a = held / 2 + 4;
        let expected = [(FaultKind::MissingCapacity, of_a), (FaultKind::DamagedPage, held + 7 - of_a)];
        assert_eq!(counts, BTreeMap::from(expected));
    }
}
