//! What an imported result means: its figures, what is doubtful about it, and the verdict.
//!
//! Figures are those that the source states, and what follows from them exactly: a rate from a count and a time, rates of jobs
//! added up, a percentile of merged histograms. What does not follow stays unknown; percentiles are never averaged.

use std::time::Duration;

use iotrial_model::imported::{
    ImportedRecord, Source, SourceKind, Stated, StatedCpu, StatedLatency, StatedOps, StatedStream, Warning,
};
use iotrial_model::load::Role;
use iotrial_model::record::{Finding, Severity};
use iotrial_model::stream::Stream;
use iotrial_model::subject::{Ops, Subject};
use iotrial_model::units::ByteSize;
use serde::Serialize;
use serde_json::json;

use crate::figures::Figures;
use crate::findings::{finding, short_measurement};
use crate::judgement::Judgement;
use crate::stream::Streams;
use crate::threshold::ThresholdSet;
use crate::verdict::{Case, Verdict};
use crate::words::latency_in_words;

/// A mean whose digits leave more room than this share of it is coarse.
const COARSE_SHARE: f64 = 0.1;
/// A step of latency that is worth a word whatever the mean is.
const WHOLE_MS_US: f64 = 1_000.0;

fn value(stated: Stated) -> f64 {
    stated.value
}

/// How long a record was measured; `None` where that is not stated.
fn measured_s(record: &ImportedRecord) -> Option<f64> {
    Subject::of_imported(record).measured_s()
}

/// An imported record in figures. Its keys are an interface: `docs/json.md`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportedSummary {
    /// Where it comes from.
    pub source: Source,
    /// What the figures mean.
    pub verdict: Verdict,
    /// The time that was measured; `None` where it is not stated.
    pub measured_s: Option<f64>,
    /// All jobs together.
    pub total: Streams,
    /// Each job, in the order of the source.
    pub jobs: Vec<ImportedJobSummary>,
    /// CPU as it is stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<StatedCpu>,
    /// What the reader should know, the most serious first.
    pub findings: Vec<Finding>,
    /// What was not understood.
    pub warnings: Vec<Warning>,
}

/// One job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportedJobSummary {
    /// As the source calls it.
    pub name: String,
    /// What it stands for, where somebody said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Its streams.
    #[serde(flatten)]
    pub streams: Streams,
}

impl ImportedSummary {
    /// Computes every figure once.
    pub fn new(record: &ImportedRecord, thresholds: &ThresholdSet) -> Self {
        let mut findings = imported_findings(record);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        Self {
            source: record.source.clone(),
            verdict: judge_imported(record, &findings, thresholds),
            measured_s: measured_s(record),
            total: Streams::of(&Subject::of_imported(record)),
            jobs: record
                .jobs
                .iter()
                .map(|job| ImportedJobSummary {
                    name: job.name.clone(),
                    role: job.role,
                    streams: Streams::of_ops(&Ops::of_stated(&job.ops)),
                })
                .collect(),
            cpu: record.cpu,
            findings,
            warnings: record.warnings.clone(),
        }
    }
}

/// A role with the figures of its streams.
type JudgedRole = (Role, Vec<(Stream, Option<Figures>)>);

/// What the streams of each role are judged by. Where nobody said what the load stands for, it is taken for data.
fn by_role(record: &ImportedRecord) -> Vec<JudgedRole> {
    let role_of = |job: &iotrial_model::imported::ImportedJob| job.role.unwrap_or(Role::Data);
    let roles = Role::ALL.iter().copied().filter(|role| record.jobs.iter().any(|job| role_of(job) == *role));
    let mut of_roles: Vec<(Role, Streams)> = roles
        .map(|role| {
            let mine = record.jobs.iter().filter(|job| role_of(job) == role);
            let counted: Vec<StatedOps> =
                mine.map(|job| with_counts(&job.ops, job.load.block_size())).collect();
            (role, Streams::together(&counted.iter().map(Ops::of_stated).collect::<Vec<_>>()))
        })
        .collect();
    // Where only the total of all jobs is stated, it belongs to a role only if they all do.
    if let (Some(total), true) = (record.stated_total(), of_roles.len() <= 1) {
        let role = of_roles.first().map_or(Role::Data, |(role, _)| *role);
        let block_size = match record.jobs.as_slice() {
            [only] => only.load.block_size(),
            _ => None,
        };
        of_roles = vec![(role, Streams::of_ops(&Ops::of_stated(&with_counts(total, block_size))))];
    }
    of_roles
        .into_iter()
        .map(|(role, mut streams)| {
            if record.jobs.iter().any(|job| role_of(job) == role && flushes(&job.ops).is_some()) {
                // A write is durable when it is flushed, and how long that took is not in these latencies.
                streams.write = streams.write.map(Figures::without_latencies);
            }
            // Both at once say nothing new beside each of them.
            if streams.read.is_some() || streams.write.is_some() {
                streams.all = None;
            }
            let there = Stream::STATED
                .into_iter()
                .filter_map(|stream| Some((stream, Some(streams.get(stream)?.clone()))));
            (role, there.collect())
        })
        .collect()
}

/// The same with the number of I/Os where it is not stated and follows: from the bytes and their block size, else from the rate
/// and the time. It says which statistics enough I/Os carry, and is shown nowhere as stated.
fn with_counts(ops: &StatedOps, block_size: Option<ByteSize>) -> StatedOps {
    let mut counted = ops.clone();
    for stream in [&mut counted.read, &mut counted.write, &mut counted.all].into_iter().flatten() {
        stream.io_count = stream.io_count.or_else(|| derived_count(stream, block_size));
    }
    counted
}

/// `None` where neither is stated, and where nothing was done.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count of I/Os, not below zero"
)]
fn derived_count(stream: &StatedStream, block_size: Option<ByteSize>) -> Option<u64> {
    let of_bytes = || stream.bytes?.checked_div(block_size?.get());
    let of_rate = || Some((stream.iops?.value * stream.runtime_s?.value).round() as u64);
    of_bytes().or_else(of_rate).filter(|count| *count > 0)
}

fn judge_imported(record: &ImportedRecord, findings: &[Finding], thresholds: &ThresholdSet) -> Verdict {
    let names: Vec<&str> = record.jobs.iter().map(|job| job.name.as_str()).collect();
    let profile = match names.as_slice() {
        [only] => format!("«{only}» of {}", record.source.tool),
        _ => format!("the load of {}", record.source.tool),
    };
    let conditions = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Warning)
        .filter_map(|finding| match finding.id.as_str() {
            "short-run" => Some(format!("only over {:.0} s", measured_s(record).unwrap_or(0.0))),
            "coarse-latency" => Some("with latencies in coarse steps".to_owned()),
            _ => None,
        })
        .collect();
    let judgement = Judgement::of(by_role(record), thresholds);
    Case { profile: &profile, no_device: None, judgement, conditions, findings }.decide(thresholds)
}

/// What the reader should know about the figures of a record.
pub fn imported_findings(record: &ImportedRecord) -> Vec<Finding> {
    let found = [
        failed_jobs(record),
        failed_ios(record),
        buffered(record),
        measured_s(record).and_then(|seconds| short_measurement(Duration::try_from_secs_f64(seconds).ok()?)),
        coarse_latency(record),
        other_latency(record),
        flushes_apart(record),
        no_role(record),
        not_understood(record),
    ];
    found.into_iter().flatten().collect()
}

fn failed_jobs(record: &ImportedRecord) -> Option<Finding> {
    let mut failed = record.jobs.iter().filter_map(|job| Some((&job.name, job.error.as_ref()?)));
    let (name, error) = failed.next()?;
    let more = failed.count();
    let others = if more > 0 { format!(", and {more} more failed") } else { String::new() };
    let message = format!("the job `{name}` did not come to its end: {error}{others}");
    Some(finding("failed", Severity::Serious, message, [("failed_count", json!(more + 1))]))
}

fn all_streams(record: &ImportedRecord) -> impl Iterator<Item = (&'static str, &StatedStream)> {
    record.total.iter().chain(record.jobs.iter().map(|job| &job.ops)).flat_map(StatedOps::streams)
}

fn failed_ios(record: &ImportedRecord) -> Option<Finding> {
    let count: u64 = all_streams(record).filter_map(|(_, stream)| stream.error_count).sum();
    let message = format!("{count} I/Os failed; the figures are of those that did not");
    (count > 0).then(|| finding("io-errors", Severity::Warning, message, [("error_count", json!(count))]))
}

fn buffered(record: &ImportedRecord) -> Option<Finding> {
    let is_table = matches!(record.source.kind, SourceKind::Table | SourceKind::Csv);
    let directs: Vec<Option<bool>> = record.jobs.iter().map(|job| job.load.direct).collect();
    if directs.contains(&Some(false)) {
        let message = "the I/O went through the page cache: what is measured is memory as much as storage";
        return Some(finding("buffered-io", Severity::Warning, message.to_owned(), []));
    }
    (!is_table && directs.contains(&None)).then(|| {
        let message = "the source does not say whether the I/O went past the page cache; if not, memory was measured as much as storage";
        finding("unknown-cache", Severity::Note, message.to_owned(), [])
    })
}

/// SQLIO tells whole milliseconds, which says little of a fast device, and is worth knowing of any.
fn coarse_latency(record: &ImportedRecord) -> Option<Finding> {
    let means = all_streams(record).filter_map(|(name, stream)| Some((name, stream.latency().mean_us?)));
    let is_coarse = |(_, mean): &(&str, Stated)| {
        mean.resolution > COARSE_SHARE * mean.value || mean.resolution >= WHOLE_MS_US
    };
    let (name, mean) = means.filter(is_coarse).max_by(|(_, a), (_, b)| {
        (a.resolution / a.value.max(1.0)).total_cmp(&(b.resolution / b.value.max(1.0)))
    })?;
    let step = if (mean.resolution - WHOLE_MS_US).abs() < 1e-9 {
        "whole milliseconds".to_owned()
    } else {
        format!("steps of {} µs", mean.resolution)
    };
    let message = format!(
        "{} tells latencies in {step}: a mean of {} ms of {name} may be off by that much",
        record.source.tool,
        mean.value / WHOLE_MS_US
    );
    let severity =
        if mean.resolution > COARSE_SHARE * mean.value { Severity::Warning } else { Severity::Note };
    let evidence = [("resolution_us", json!(mean.resolution)), ("lat_mean_us", json!(mean.value))];
    Some(finding("coarse-latency", severity, message, evidence))
}

fn other_latency(record: &ImportedRecord) -> Option<Finding> {
    let is_other = |stream: &&StatedStream| {
        let (mean, spread) = (stream.latency(), stream.distribution());
        mean.mean_us.is_some() && !std::ptr::eq(mean, spread) && *spread != StatedLatency::default()
    };
    let of_other: Vec<&StatedStream> =
        all_streams(record).map(|(_, stream)| stream).filter(is_other).collect();
    let slat_us =
        of_other.iter().filter_map(|stream| stream.submission_latency.mean_us).map(value).fold(0.0, f64::max);
    // What is below a tenth of a microsecond is no part of any percentile.
    (!of_other.is_empty() && slat_us >= 0.1).then(|| {
        let message = format!(
            "percentiles are of the completion latency, the mean is of the total one: percentiles lack what the submission took, {slat_us:.1} µs on average"
        );
        finding("completion-latency", Severity::Note, message, [("slat_mean_us", json!(slat_us))])
    })
}

fn flushes(ops: &StatedOps) -> Option<&StatedStream> {
    Ops::of_stated(ops).flushes_apart()?.stated()
}

fn flushes_apart(record: &ImportedRecord) -> Option<Finding> {
    let all = record.jobs.iter().map(|job| (job.name.as_str(), &job.ops));
    let (name, sync) = all.into_iter().find_map(|(name, ops)| Some((name, flushes(ops)?)))?;
    let mean_us = sync.latency().mean_us.map(value);
    let mean =
        mean_us.map(|mean_us| format!(", {} on average", latency_in_words(mean_us))).unwrap_or_default();
    let message = format!(
        "{} times the flush apart from the write before it: the latencies of writes of `{name}` lack it{mean}, and are not judged",
        record.source.tool
    );
    Some(finding("flushes-apart", Severity::Warning, message, [("flush_mean_us", json!(mean_us))]))
}

fn no_role(record: &ImportedRecord) -> Option<Finding> {
    let is_unknown = record.jobs.iter().all(|job| job.role.is_none());
    is_unknown.then(|| {
        let message = "nobody says what the load stands for: it is judged as data; `iotrial import --role log` says otherwise";
        finding("no-role", Severity::Note, message.to_owned(), [])
    })
}

fn not_understood(record: &ImportedRecord) -> Option<Finding> {
    let first = record.warnings.first()?;
    let count = record.warnings.len();
    let others = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
    let message = format!("the import has warnings: {first}{others}");
    Some(finding("import-warnings", Severity::Note, message, [("warning_count", json!(count))]))
}
