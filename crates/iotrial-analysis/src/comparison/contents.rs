//! By what results were judged, and of which profile they are: documents are the same by their content, whatever they are called.

use iotrial_model::finding::{Finding, FindingId, Severity};

use super::finding;
use super::sample::Sample;

/// A document that a result names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    /// As it is shown.
    pub(super) name: String,
    /// The digest of what it says.
    pub(super) sha256: String,
}

/// Threshold sets, and then profiles, that are not the same: of each the first two samples of which that is so.
pub(super) fn findings_on_contents(samples: &[Sample]) -> Vec<Finding> {
    let set = |sample: &Sample| {
        let outcome = sample.outcome.as_ref()?;
        Some(Content { name: outcome.thresholds.clone(), sha256: outcome.thresholds_sha256.clone() })
    };
    let of_sets = unlike(samples, set).map(|words| {
        let message = format!(
            "Their outcomes are by different threshold sets: {words}. What one calls good the other may not, with the same latencies."
        );
        finding(FindingId::OtherContent, Severity::Warning, message)
    });
    let of_profiles = unlike(samples, |sample| sample.profile.clone()).map(|words| {
        let message = format!("Their profiles differ: {words}.");
        finding(FindingId::OtherContent, Severity::Note, message)
    });
    of_sets.into_iter().chain(of_profiles).collect()
}

/// The first two samples that have other content, each with what it is called there.
fn unlike(samples: &[Sample], content: impl Fn(&Sample) -> Option<Content>) -> Option<String> {
    let mut all = samples.iter().filter_map(|sample| Some((sample, content(sample)?)));
    let (first, one) = all.next()?;
    let (other, another) = all.find(|(_, another)| another.sha256 != one.sha256)?;
    let same_name = if one.name == another.name { ", which has the same name and other content" } else { "" };
    Some(format!("`{}` in {} and `{}` in {}{same_name}", one.name, first.source, another.name, other.source))
}
