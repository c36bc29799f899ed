//! What is said of pages that are not as they were written.

use iotrial_model::finding::NotAsWritten;
use iotrial_model::units::ByteSize;
use iotrial_model::verification::{FaultKind, KeptCapacity};
use iotrial_model::words::enumerate;

use crate::numbers::count_with_thousands;

pub(super) fn not_as_written(found: &NotAsWritten) -> String {
    let NotAsWritten { faults, page_count, path, offset_bytes, capacity } = found;
    let place = if path.is_empty() {
        String::new()
    } else {
        format!("; the first one: `{path}`, byte {offset_bytes}")
    };
    let kept = capacity.as_ref().map(|capacity| format!("; {}", kept_capacity(capacity))).unwrap_or_default();
    format!(
        "of {} comparisons of pages with what was written, {} failed{place}{kept}",
        count_with_thousands(*page_count),
        faults_in_words(faults.iter().map(|(kind, count)| (*kind, *count)))
    )
}

/// What a device keeps of what it takes.
pub(crate) fn kept_capacity(capacity: &KeptCapacity) -> String {
    let KeptCapacity { path, written_bytes, kept_bytes } = capacity;
    format!(
        "`{}` keeps {} of {} that were written to it",
        path.display(),
        ByteSize::bytes(*kept_bytes),
        ByteSize::bytes(*written_bytes)
    )
}

/// Each kind with its number: `2 lost writes and 1 bit flip`.
pub(crate) fn faults_in_words(faults: impl Iterator<Item = (FaultKind, u64)>) -> String {
    let each: Vec<String> = faults
        .map(|(kind, count)| {
            let (one, more) = name(kind);
            format!("{} {}", count_with_thousands(count), if count == 1 { one } else { more })
        })
        .collect();
    enumerate(&each)
}

/// For one, and for several.
const fn name(kind: FaultKind) -> (&'static str, &'static str) {
    match kind {
        FaultKind::MissingCapacity => ("page beyond the true capacity", "pages beyond the true capacity"),
        FaultKind::LostWrite => ("lost write", "lost writes"),
        FaultKind::TornWrite => ("torn write", "torn writes"),
        FaultKind::MisdirectedWrite => ("page of a misdirected write", "pages of misdirected writes"),
        FaultKind::StaleRead => ("stale read", "stale reads"),
        FaultKind::TransferError => ("transfer error", "transfer errors"),
        FaultKind::BitFlip => ("bit flip", "bit flips"),
        FaultKind::DamagedPage => ("damaged page", "damaged pages"),
        FaultKind::ForeignData => ("page with foreign data", "pages with foreign data"),
        FaultKind::FutureWrite => ("write beyond the journal", "writes beyond the journal"),
        FaultKind::ReadWithoutTransfer => ("read without transfer", "reads without transfer"),
        FaultKind::ShortIo => ("short transfer", "short transfers"),
        FaultKind::ReadError => ("read error", "read errors"),
        FaultKind::WriteError => ("write error", "write errors"),
        FaultKind::Hang => ("I/O that hung", "I/Os that hung"),
        FaultKind::NoSpace => ("write without room", "writes without room"),
        FaultKind::DeviceGone => ("I/O to a device that is gone", "I/Os to a device that is gone"),
    }
}
