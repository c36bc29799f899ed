//! The words of a verdict on storage that was verified.

use iotrial_model::verdict::{Outcome, VerifiedRuling};
use iotrial_model::verification::{FaultKind, Verification};

use super::{VerdictWords, objection};
use crate::finding::{faults_in_words, kept_capacity};
use crate::numbers::{count_with_thousands as count, number_in_words, with_thousands};

pub(super) fn verified(ruling: &VerifiedRuling, outcome: Outcome) -> VerdictWords {
    let VerifiedRuling { verification, objections, is_complete } = ruling;
    let Verification { pages, writes, pages_checked, pages_scanned, pages_unknown, capacities, .. } =
        verification;
    let compared = pages_checked.saturating_add(*pages_scanned);
    let faults = faults_in_words(verification.counts.iter().map(|(kind, count)| (*kind, *count)));
    let (headline, sentence) = match outcome {
        Outcome::Qualified => (
            "gives back what was written",
            format!("{}, after {} writes.", read_back(verification), count(*writes)),
        ),
        Outcome::NotQualified if faults.is_empty() => (
            "fails",
            objections
                .first()
                .map(|against| format!("The storage failed: {}.", objection(against)))
                .unwrap_or_default(),
        ),
        Outcome::NotQualified if !capacities.is_empty() => {
            let kept: Vec<String> = capacities.iter().map(kept_capacity).collect();
            (
                "keeps less than it takes",
                format!("The storage keeps less than it takes: {}.", kept.join("; ")),
            )
        }
        Outcome::NotQualified if verification.counts.keys().all(|kind| *kind == FaultKind::Hang) => {
            ("hangs", format!("The storage did not answer in time: {faults}."))
        }
        Outcome::NotQualified => (
            "does not give back what was written",
            format!(
                "The storage does not give back what was written: {faults} in {} comparisons.",
                count(compared)
            ),
        ),
        Outcome::Inconclusive if *is_complete => (
            "no fault was found, but a cache may have answered",
            format!("{}, but not surely from the storage.", read_back(verification)),
        ),
        Outcome::Inconclusive => (
            "stopped before every page was read back",
            format!(
                "Nothing was found in {} comparisons, but not every page was read back after the load.",
                count(compared)
            ),
        ),
    };
    let mut reasons = Vec::new();
    // None where the test files were never finished.
    if *pages > 0 {
        reasons.push(format!(
            "{} pages were compared before they were overwritten or when the load read them",
            count(*pages_checked)
        ));
        reasons.push(format!(
            "{} of {} pages were compared after the load",
            count(*pages_scanned),
            count(*pages)
        ));
    }
    if !capacities.is_empty() {
        reasons.insert(0, format!("{faults} were found"));
    }
    if *pages_unknown > 0 {
        reasons.push(format!("of {} pages it is not known what they should hold: their last write failed, or their fault was already counted", count(*pages_unknown)));
    }
    if verification.pages_followed.is_some() {
        let missed = |pages| format!("{} %", number_in_words(100.0 * verification.chance_to_miss(pages)));
        reasons.push(format!(
            "a lost or stale page is missed with a chance of {}, all of ten with {}, all of a hundred with {}",
            missed(1),
            missed(10),
            missed(100)
        ));
    }
    reasons.extend(databases(verification).map(str::to_owned));
    reasons.push("what a power cut leaves was not tried".to_owned());
    VerdictWords { headline: Some(headline.to_owned()), sentence, reasons }
}

/// Which settings of databases find such pages when they are read.
// A checksum of a page has its number in it, so that data of another page does not pass: SQL Server («ALTER DATABASE», PAGE_VERIFY), Oracle
// («Database Reference», DB_BLOCK_CHECKSUM, DB_LOST_WRITE_PROTECT), PostgreSQL («Data Checksums») and MySQL (innodb_checksum_algorithm).
fn databases(verification: &Verification) -> impl Iterator<Item = &'static str> {
    use FaultKind::*;
    let has = |kinds: &[FaultKind]| kinds.iter().any(|kind| verification.counts.contains_key(kind));
    let by_checksum = has(&[TornWrite, MisdirectedWrite, TransferError, BitFlip, DamagedPage, ForeignData]);
    let is_older = has(&[LostWrite, StaleRead]);
    [
        by_checksum.then_some(
            "databases find torn, foreign and damaged pages by checksums: PAGE_VERIFY CHECKSUM (SQL Server), DB_BLOCK_CHECKSUM (Oracle), data_checksums (PostgreSQL), innodb_checksum_algorithm (MySQL)",
        ),
        is_older.then_some(
            "a lost or stale page has a valid checksum: of these databases only Oracle finds it (DB_LOST_WRITE_PROTECT)",
        ),
    ]
    .into_iter()
    .flatten()
}

/// What is known of the pages, where none of them is wrong.
fn read_back(verification: &Verification) -> String {
    let Verification { pages, pages_followed, .. } = verification;
    let all = format!("All {} pages read back", count(*pages));
    let Some(followed) = pages_followed else { return format!("{all} as they were written") };
    let one_in = with_thousands(*pages as f64 / (*followed).max(1) as f64);
    format!(
        "{all} whole and in their place, and the {} that were followed (1 in {one_in}) as they were last written",
        count(*followed)
    )
}
