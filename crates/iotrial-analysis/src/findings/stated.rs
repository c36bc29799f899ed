//! What only a source says of its result: jobs that its tool ended, and latencies that are coarse, or lack a part.

use iotrial_model::content::Checksum;
use iotrial_model::finding::{Evidence, Finding, FindingId, Severity};
use iotrial_model::imported::{Stated, StatedLatency};
use iotrial_model::subject::Subject;
use iotrial_model::words::enumerate;

use super::observed::Observed;
use crate::contradiction::contradictions;
use crate::words::{latency_in_words, with_thousands};

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
    Some(Finding {
        id: FindingId::Failed,
        severity: Severity::Serious,
        message: failed_words(failed.split_first()?),
        evidence: Evidence::FailedJobs { failed_count: failed.len() },
    })
}

fn failed_words(((name, error), others): (&(&str, &str), &[(&str, &str)])) -> String {
    let others =
        if others.is_empty() { String::new() } else { format!(", and {} more failed", others.len()) };
    format!("the job `{name}` did not finish: {error}{others}")
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
    Some(Finding {
        id: FindingId::CoarseLatency,
        severity: if is_much(&mean) { Severity::Warning } else { Severity::Note },
        message: coarse_words(&source.tool, name, mean),
        evidence: Evidence::CoarseLatency { resolution_us: mean.resolution, lat_mean_us: mean.value },
    })
}

fn is_much(mean: &Stated) -> bool {
    mean.resolution > COARSE_SHARE * mean.value
}

fn coarse_words(tool: &str, name: &str, mean: Stated) -> String {
    let step = if (mean.resolution - WHOLE_MS_US).abs() < 1e-9 {
        "whole milliseconds".to_owned()
    } else {
        format!("steps of {} µs", mean.resolution)
    };
    format!(
        "{tool} reports latencies in {step}: the mean of {} ms of {name} may be off by as much",
        mean.value / WHOLE_MS_US
    )
}

/// Percentiles are of another latency than the mean.
pub(super) fn completion_latency(seen: &Observed<'_, '_>) -> Option<Finding> {
    let of_other = seen.subject.stated_streams().map(|(_, stream)| stream).filter(|stream| {
        let (mean, spread) = (stream.latency(), stream.distribution());
        mean.mean_us.is_some() && !std::ptr::eq(mean, spread) && *spread != StatedLatency::default()
    });
    let slat_us = of_other.filter_map(|stream| stream.submission_latency.mean_us);
    let slat_us = slat_us.map(|stated| stated.value).fold(0.0, f64::max);
    (slat_us >= LEAST_SUBMISSION_US).then(|| Finding {
        id: FindingId::CompletionLatency,
        severity: Severity::Note,
        message: completion_words(slat_us),
        evidence: Evidence::CompletionLatency { slat_mean_us: slat_us },
    })
}

fn completion_words(slat_us: f64) -> String {
    format!("percentiles exclude the submission time ({slat_us:.1} µs on average), and the mean includes it")
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
    Some(Finding {
        id: FindingId::FlushesApart,
        severity: Severity::Warning,
        message: flushes_words(&source.tool, job, flush_mean_us),
        evidence: Evidence::FlushesApart { flush_mean_us },
    })
}

fn flushes_words(tool: &str, job: &str, mean_us: Option<f64>) -> String {
    let mean = mean_us.map(|mean_us| format!(", {} on average", latency_in_words(mean_us)));
    format!(
        "{tool} times the flush separately from the write before it: the write latencies of `{job}` do not include it{}, and are not judged",
        mean.unwrap_or_default()
    )
}

/// Figures that cannot all be true.
pub(super) fn contradictory_figures(seen: &Observed<'_, '_>) -> Option<Finding> {
    let all = contradictions(seen.subject);
    let (first, others) = all.split_first()?;
    let more = if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
    Some(Finding {
        id: FindingId::ContradictoryFigures,
        severity: Severity::Warning,
        message: format!("the figures contradict each other: {}{more}", first.message),
        evidence: Evidence::ContradictoryFigures {
            contradiction_count: all.len(),
            is_of_latency: all.iter().any(|one| one.is_of_latency),
        },
    })
}

/// The source states no I/Os per second, and they follow.
pub(super) fn derived_rate(seen: &Observed<'_, '_>) -> Option<Finding> {
    let rates = seen.subject.rates();
    let derived = rates.iter().filter(|rate| rate.is_derived && rate.facts.stated().is_some());
    let words: Vec<String> = derived
        .map(|rate| {
            let size = rate.block_size_bytes / 1_024.0;
            format!("{} for {}s (of {size} KiB)", with_thousands(rate.iops), rate.direction)
        })
        .collect();
    (!words.is_empty()).then(|| {
        let message =
            format!("IOPS are not stated, and are computed from MiB/s and block size: {}", enumerate(&words));
        Finding::without_evidence(FindingId::DerivedRate, Severity::Note, message)
    })
}

/// Somebody changed the record. Nobody can say what of it, so that no figure of it can be relied upon.
pub(super) fn altered_record(seen: &Observed<'_, '_>) -> Option<Finding> {
    (seen.subject.checksum == Checksum::Differs).then(altered)
}

/// What is said of a record that was changed, whatever it is of.
pub(crate) fn altered() -> Finding {
    let message =
        "the record was changed after it was written: its checksum does not match its content".to_owned();
    Finding::without_evidence(FindingId::AlteredRecord, Severity::Serious, message)
}

/// A command that was to print a metric of an application did not.
pub(super) fn metric_missing(seen: &Observed<'_, '_>) -> Option<Finding> {
    let (first, others) = seen.subject.metric_failures.split_first()?;
    let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
    let message = format!("a metric of the application is missing: {first}{more}");
    Some(Finding::without_evidence(FindingId::MetricMissing, Severity::Warning, message))
}

/// Nobody said what the load of another tool stands for. A load of ours has the role of its plan.
pub(super) fn no_role(seen: &Observed<'_, '_>) -> Option<Finding> {
    let is_unknown = seen.subject.source.is_some() && seen.subject.jobs.iter().all(|job| job.role.is_none());
    is_unknown.then(|| {
        let message =
            "the source names no role, so the result is judged as data files; to judge it as a log, import it with `iotrial import --role log FILE`";
        Finding::without_evidence(FindingId::NoRole, Severity::Note, message.to_owned())
    })
}

/// The import did not understand everything.
pub(super) fn import_warnings(seen: &Observed<'_, '_>) -> Option<Finding> {
    let (first, others) = seen.subject.warnings.split_first()?;
    Some(Finding {
        id: FindingId::ImportWarnings,
        severity: Severity::Note,
        message: warnings_words(first, others.len()),
        evidence: Evidence::ImportWarnings { warning_count: seen.subject.warnings.len() },
    })
}

fn warnings_words(first: &impl std::fmt::Display, other_count: usize) -> String {
    let others = if other_count > 0 { format!(", and {other_count} more") } else { String::new() };
    format!("the import has warnings: {first}{others}")
}
