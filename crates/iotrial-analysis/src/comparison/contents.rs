//! By what results were judged, and of which profile they are: documents are the same by their content, whatever they are called.

use iotrial_model::finding::{ComparedFact, Finding, FindingId, Severity, UnlikeContent};

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
    let sets = unlike(samples, set).map(|both| (Severity::Warning, ComparedFact::ThresholdSets(both)));
    let profiles = unlike(samples, |sample| sample.profile.clone());
    let profiles = profiles.map(|both| (Severity::Note, ComparedFact::Profiles(both)));
    let all = sets.into_iter().chain(profiles);
    all.map(|(severity, fact)| finding(FindingId::OtherContent, severity, fact)).collect()
}

/// The first two samples that have other content, each with what it is called there.
fn unlike(samples: &[Sample], content: impl Fn(&Sample) -> Option<Content>) -> Option<UnlikeContent> {
    let mut all = samples.iter().filter_map(|sample| Some((sample, content(sample)?)));
    let (first, one) = all.next()?;
    let (other, another) = all.find(|(_, another)| another.sha256 != one.sha256)?;
    Some(UnlikeContent {
        first: one.name,
        first_source: first.source.clone(),
        other: another.name,
        other_source: other.source.clone(),
    })
}
