//! Faults as they are found, and the two ends of a write that went astray.

use std::collections::BTreeMap;

use iotrial_model::verification::{FAULTS_KEPT, FaultKind, OtherPlace, PageFault};

use super::stamp::{SECTOR, Stamp};

/// Faults with what is needed to join them.
#[derive(Debug, Default)]
pub(crate) struct Found {
    faults: Vec<FoundFault>,
    /// How many more there were, by kind.
    others: Vec<(FaultKind, u64)>,
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
        let kind = found.fault.kind;
        match self.others.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, count)) => *count += 1,
            None => self.others.push((kind, 1)),
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
            } else if let Some(expected) = expected.filter(|_| fault.kind == FaultKind::LostWrite) {
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
        let kinds = faults.iter().map(|found| (found.fault.kind, 1)).chain(others.iter().copied());
        for (kind, count) in kinds {
            *counts.entry(kind).or_default() += count;
        }
        (counts, faults.iter().take(FAULTS_KEPT).map(|found| found.fault.clone()).collect())
    }
}
