//! Whether what was written came back.

use iotrial_model::finding::{Evidence, Finding, FindingId, NotAsWritten, Severity};

use super::Judge;
use super::observed::Observed;

/// For the table in `findings.rs`.
pub(super) const JUDGES: &[Judge] = &[not_as_written, compared];

/// Whether a finding concerns whether storage gives back what is written, and not how fast.
pub(super) const fn counts(id: FindingId) -> bool {
    use FindingId as Id;
    matches!(
        id,
        Id::AlteredRecord
            | Id::Failed
            | Id::Interrupted
            | Id::IoErrors
            | Id::ShortIo
            | Id::NotAsWritten
            | Id::Stalled
            | Id::InMemoryTarget
            | Id::BufferedIo
            | Id::SmbShare
            | Id::SharedDisk
            | Id::SizeReduced
            | Id::EngineFallback
            | Id::Compared
            | Id::MetricMissing
    )
}

/// Pages or I/Os were not as they should be.
fn not_as_written(seen: &Observed<'_, '_>) -> Option<Finding> {
    let verification = seen.subject.verification.filter(|verification| verification.fault_count() > 0)?;
    let first = verification.faults.first();
    let evidence = Evidence::NotAsWritten(NotAsWritten {
        faults: verification.counts.clone(),
        page_count: verification.pages_checked.saturating_add(verification.pages_scanned),
        path: first.map(|fault| fault.path.display().to_string()).unwrap_or_default(),
        offset_bytes: first.map(|fault| fault.offset_bytes).unwrap_or_default(),
        capacity: verification.capacities.first().cloned(),
    });
    Some(Finding::new(FindingId::NotAsWritten, Severity::Serious, evidence))
}

/// Each write of the load was also a read.
fn compared(seen: &Observed<'_, '_>) -> Option<Finding> {
    seen.subject.verification.map(|_| Finding::new(FindingId::Compared, Severity::Note, Evidence::Nothing {}))
}
