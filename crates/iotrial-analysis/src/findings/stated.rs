//! What only a source says of its result: jobs that its tool ended, and latencies that are coarse, or lack a part.

use iotrial_model::content::Checksum;
use iotrial_model::finding::{Contradiction, DerivedRate, Evidence, Finding, FindingId, Severity};
use iotrial_model::imported::{Stated, StatedLatency};
use iotrial_model::subject::{Subject, SubjectRate};

use super::observed::Observed;
use crate::contradiction::contradictions;

/// A mean whose digits leave more room than this share of it is coarse.
const COARSE_SHARE: f64 = 0.1;
/// A step of latency that is worth a word whatever the mean is: SQLIO's.
const WHOLE_MS_US: f64 = 1_000.0;
/// What is below a tenth of a microsecond is no part of any percentile.
const LEAST_SUBMISSION_US: f64 = 0.1;

/// Another tool ended jobs with an error.
pub(super) fn failed_jobs(seen: &Observed<'_, '_>) -> Option<Finding> {
    let failed = seen.subject.jobs.iter().filter_map(|job| Some((job.name.as_ref(), job.error?)));
    let failed: Vec<(&str, &str)> = failed.collect();
    let (job, error) = failed.first()?;
    let evidence = Evidence::FailedJobs {
        failed_count: failed.len(),
        job: (*job).to_owned(),
        error: (*error).to_owned(),
    };
    Some(Finding::new(FindingId::Failed, Severity::Serious, evidence))
}

/// SQLIO tells whole milliseconds, which says little of a fast device, and is worth knowing of any.
pub(super) fn coarse_latency(seen: &Observed<'_, '_>) -> Option<Finding> {
    let source = seen.subject.source?;
    let means = seen.subject.stated_streams();
    let means = means.filter_map(|(name, stream)| Some((name, stream.latency().mean_us?)));
    let is_coarse = |(_, mean): &(&str, Stated)| is_much(mean) || mean.resolution >= WHOLE_MS_US;
    let (name, mean) = means.filter(is_coarse).max_by(|(_, a), (_, b)| {
        (a.resolution / a.value.max(1.0)).total_cmp(&(b.resolution / b.value.max(1.0)))
    })?;
    let evidence = Evidence::CoarseLatency {
        resolution_us: mean.resolution,
        lat_mean_us: mean.value,
        tool: source.tool.clone(),
        stream: name.to_owned(),
    };
    let severity = if is_much(&mean) { Severity::Warning } else { Severity::Note };
    Some(Finding::new(FindingId::CoarseLatency, severity, evidence))
}

fn is_much(mean: &Stated) -> bool {
    mean.resolution > COARSE_SHARE * mean.value
}

/// Percentiles are of another latency than the mean.
pub(super) fn completion_latency(seen: &Observed<'_, '_>) -> Option<Finding> {
    let of_other = seen.subject.stated_streams().map(|(_, stream)| stream).filter(|stream| {
        let (mean, spread) = (stream.latency(), stream.distribution());
        mean.mean_us.is_some() && !std::ptr::eq(mean, spread) && *spread != StatedLatency::default()
    });
    let slat_us = of_other.filter_map(|stream| stream.submission_latency.mean_us);
    let slat_us = slat_us.map(|stated| stated.value).fold(0.0, f64::max);
    (slat_us >= LEAST_SUBMISSION_US).then(|| {
        let evidence = Evidence::CompletionLatency { slat_mean_us: slat_us };
        Finding::new(FindingId::CompletionLatency, Severity::Note, evidence)
    })
}

/// The first job whose flushes are timed apart from the writes before them, with their mean where it is stated.
fn first_flushes<'s>(subject: &'s Subject<'_>) -> Option<(&'s str, Option<f64>)> {
    let flushes = subject.jobs.iter().filter_map(|job| Some((job.name.as_ref(), job.ops.flushes_apart()?)));
    flushes.map(|(name, sync)| (name, sync.latency_mean_us())).next()
}

/// Flushes are timed apart from the writes before them, whose latencies lack them.
pub(super) fn flushes_apart(seen: &Observed<'_, '_>) -> Option<Finding> {
    let source = seen.subject.source?;
    let (job, flush_mean_us) = first_flushes(seen.subject)?;
    let evidence = Evidence::FlushesApart { flush_mean_us, tool: source.tool.clone(), job: job.to_owned() };
    Some(Finding::new(FindingId::FlushesApart, Severity::Warning, evidence))
}

/// Figures that cannot all be true.
pub(super) fn contradictory_figures(seen: &Observed<'_, '_>) -> Option<Finding> {
    let all = contradictions(seen.subject);
    let evidence = Evidence::ContradictoryFigures {
        contradiction_count: all.len(),
        is_of_latency: all.iter().any(Contradiction::is_of_latency),
        first: all.first()?.clone(),
    };
    Some(Finding::new(FindingId::ContradictoryFigures, Severity::Warning, evidence))
}

/// The source states no I/Os per second, and they follow.
pub(super) fn derived_rate(seen: &Observed<'_, '_>) -> Option<Finding> {
    let rates = seen.subject.rates();
    let derived = rates.iter().filter(|rate| rate.is_derived && rate.facts.stated().is_some());
    let of = |rate: &SubjectRate<'_>| DerivedRate {
        iops: rate.iops,
        direction: rate.direction,
        block_size_bytes: rate.block_size_bytes,
    };
    let rates: Vec<DerivedRate> = derived.map(of).collect();
    (!rates.is_empty())
        .then(|| Finding::new(FindingId::DerivedRate, Severity::Note, Evidence::DerivedRates { rates }))
}

/// Somebody changed the record. Nobody can say what of it, so that no figure of it can be relied upon.
pub(super) fn altered_record(seen: &Observed<'_, '_>) -> Option<Finding> {
    (seen.subject.checksum == Checksum::Differs).then(altered)
}

/// What is said of a record that was changed, whatever it is of.
pub(crate) fn altered() -> Finding {
    Finding::new(FindingId::AlteredRecord, Severity::Serious, Evidence::Nothing {})
}

/// A command that was to print a metric of an application did not.
pub(super) fn metric_missing(seen: &Observed<'_, '_>) -> Option<Finding> {
    let (first, others) = seen.subject.metric_failures.split_first()?;
    let evidence = Evidence::MetricMissing { first: first.to_string(), other_count: others.len() };
    Some(Finding::new(FindingId::MetricMissing, Severity::Warning, evidence))
}

/// Nobody said what the load of another tool stands for. A load of ours has the role of its plan.
pub(super) fn no_role(seen: &Observed<'_, '_>) -> Option<Finding> {
    let is_unknown = seen.subject.source.is_some() && seen.subject.jobs.iter().all(|job| job.role.is_none());
    is_unknown.then(|| Finding::new(FindingId::NoRole, Severity::Note, Evidence::Nothing {}))
}

/// The import did not understand everything.
pub(super) fn import_warnings(seen: &Observed<'_, '_>) -> Option<Finding> {
    let warnings = seen.subject.warnings;
    let evidence =
        Evidence::ImportWarnings { warning_count: warnings.len(), first: warnings.first()?.to_string() };
    Some(Finding::new(FindingId::ImportWarnings, Severity::Note, evidence))
}
