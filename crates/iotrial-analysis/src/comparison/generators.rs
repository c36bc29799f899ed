//! Generators that time different parts of an I/O, or worked in different ways.

use iotrial_model::finding::{ComparedFact, ConditionKind, Finding, FindingId, Severity};
use iotrial_model::stream::Stream;

use super::conditions::APART;
use super::finding;
use super::sample::Sample;

/// Takes the latencies of writes from the samples that lack the flushes in them, where others have them, and tells of which.
pub(super) fn without_unlike_writes(samples: &mut [Sample], findings: &mut Vec<Finding>) {
    let is_apart = |sample: &Sample| sample.generator.word(ConditionKind::Flushes) == Some(APART);
    let is_unlike = samples
        .iter()
        .any(|sample| sample.generator.word(ConditionKind::Flushes).is_some() && !is_apart(sample));
    if !is_unlike {
        return;
    }
    let mut names = Vec::new();
    for sample in samples.iter_mut().filter(|sample| is_apart(sample)) {
        sample.leave_out(|metric| {
            metric.key.figure().is_some_and(|(of, figure)| of.stream != Stream::Read && figure.is_latency())
        });
        names.push(sample.source.clone());
    }
    if let Some((first, others)) = names.split_first() {
        let fact = ComparedFact::WritesLeftOut { first: first.clone(), other_count: others.len() };
        findings.push(finding(FindingId::FlushesApart, Severity::Warning, fact));
    }
}

/// Where tools differ, and where the generator of one worked in different ways: of each the first two samples of which that is so.
pub(super) fn findings_on_generators(samples: &[Sample]) -> Vec<Finding> {
    let tool = |sample: &Sample| sample.generator.word(ConditionKind::Tool).map(str::to_owned);
    let mut findings = Vec::new();
    let mut known = samples.iter().filter(|sample| tool(sample).is_some());
    let first = known.next();
    let another = first.and_then(|first| known.find(|other| tool(other) != tool(first)));
    if let (Some(first), Some(other)) = (first, another) {
        let fact = ComparedFact::OtherTool {
            first: first.source.clone(),
            first_tool: tool(first).unwrap_or_default(),
            other: other.source.clone(),
            other_tool: tool(other).unwrap_or_default(),
        };
        findings.push(finding(FindingId::OtherTool, Severity::Warning, fact));
    }
    let differing = samples.iter().find_map(|other| {
        let first = samples.iter().find(|first| tool(first) == tool(other))?;
        let differences = first.generator.differences(&other.generator);
        (!differences.is_empty()).then_some((first, other, differences))
    });
    if let Some((first, other, differences)) = differing {
        let (first, other) = (first.source.clone(), other.source.clone());
        let fact = ComparedFact::GeneratorDiffers { first, other, differences };
        findings.push(finding(FindingId::GeneratorDiffers, Severity::Note, fact));
    }
    findings
}
