//! The words of a verdict on storage that was verified.

use iotrial_model::verdict::{Outcome, VerifiedRuling};
use iotrial_model::verification::Verification;

use super::{VerdictWords, objection};
use crate::finding::{faults_in_words, kept_capacity};
use crate::numbers::count_with_thousands as count;

pub(super) fn verified(ruling: &VerifiedRuling, outcome: Outcome) -> VerdictWords {
    let VerifiedRuling { verification, objections, is_complete } = ruling;
    let Verification { pages, writes, pages_checked, pages_scanned, pages_unknown, capacities, .. } =
        verification;
    let compared = pages_checked.saturating_add(*pages_scanned);
    let faults = faults_in_words(verification.counts.iter().map(|(kind, count)| (*kind, *count)));
    let (headline, sentence) = match outcome {
        Outcome::Qualified => (
            "gives back what was written",
            format!(
                "All {} pages read back as they were written, after {} writes.",
                count(*pages),
                count(*writes)
            ),
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
        Outcome::NotQualified => (
            "does not give back what was written",
            format!(
                "The storage does not give back what was written: {faults} in {} comparisons.",
                count(compared)
            ),
        ),
        Outcome::Inconclusive if *is_complete => (
            "no fault was found, but a cache may have answered",
            format!(
                "All {} pages read back as they were written, but not surely from the storage.",
                count(*pages)
            ),
        ),
        Outcome::Inconclusive => (
            "stopped before every page was read back",
            format!(
                "Nothing was found in {} comparisons, but not every page was read back after the load.",
                count(compared)
            ),
        ),
    };
    let mut reasons = vec![
        format!(
            "{} pages were compared before they were overwritten or when the load read them",
            count(*pages_checked)
        ),
        format!("{} of {} pages were compared after the load", count(*pages_scanned), count(*pages)),
    ];
    if !capacities.is_empty() {
        reasons.insert(0, format!("{faults} were found"));
    }
    if *pages_unknown > 0 {
        reasons.push(format!("of {} pages it is not known what they should hold: their last write failed, or their fault was already counted", count(*pages_unknown)));
    }
    reasons.push("what a power cut leaves was not tried".to_owned());
    VerdictWords { headline: Some(headline.to_owned()), sentence, reasons }
}
