//! Generators that time different parts of an I/O, or worked in different ways.

use iotrial_model::finding::{Finding, FindingId, Severity};
use iotrial_model::stream::Stream;

use super::conditions::{APART, Difference, FLUSH, TOOL};
use super::finding;
use super::sample::Sample;

/// Takes the latencies of writes from the samples that lack the flushes in them, where others have them, and tells of which.
pub(super) fn without_unlike_writes(samples: &mut [Sample], findings: &mut Vec<Finding>) {
    let is_apart = |sample: &Sample| sample.generator.word(FLUSH) == Some(APART);
    let is_unlike = samples.iter().any(|sample| sample.generator.word(FLUSH).is_some() && !is_apart(sample));
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
    if let Some(first) = names.first() {
        let others = if names.len() > 1 { format!(" and {} others", names.len() - 1) } else { String::new() };
        let message = format!(
            "The write latencies of {first}{others} do not include the flushes, which it reports separately while others count them as part of the write. These latencies are left out."
        );
        findings.push(finding(FindingId::FlushesApart, Severity::Warning, message));
    }
}

/// Where tools differ, and where the generator of one worked in different ways: of each the first two samples of which that is so.
pub(super) fn findings_on_generators(samples: &[Sample]) -> Vec<Finding> {
    let tool = |sample: &Sample| sample.generator.word(TOOL).map(str::to_owned);
    let mut findings = Vec::new();
    let mut known = samples.iter().filter(|sample| tool(sample).is_some());
    let first = known.next();
    let another = first.and_then(|first| known.find(|other| tool(other) != tool(first)));
    if let (Some(first), Some(other)) = (first, another) {
        let message = format!(
            "{} was measured by {} and {} by {}: tools time different parts of an I/O, and may count a flush as an I/O, so they cause a part of the difference.",
            first.source,
            tool(first).unwrap_or_default(),
            other.source,
            tool(other).unwrap_or_default()
        );
        findings.push(finding(FindingId::OtherTool, Severity::Warning, message));
    }
    let differing = samples.iter().find_map(|other| {
        let first = samples.iter().find(|first| tool(first) == tool(other))?;
        let differences = first.generator.differences(&other.generator);
        (!differences.is_empty()).then_some((first, other, differences))
    });
    if let Some((first, other, differences)) = differing {
        let words: Vec<String> = differences.iter().map(Difference::to_string).collect();
        let message = format!(
            "The generator worked differently in {} and {} ({}): this explains a part of the difference in CPU time and in short latencies.",
            first.source,
            other.source,
            words.join("; ")
        );
        findings.push(finding(FindingId::GeneratorDiffers, Severity::Note, message));
    }
    findings
}
