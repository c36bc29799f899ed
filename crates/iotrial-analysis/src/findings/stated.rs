//! What only a source says of its result: jobs that its tool ended, and latencies that are coarse, or lack a part.

use iotrial_model::content::Checksum;
use iotrial_model::finding::{Contradiction, DerivedRate, Evidence, Finding, FindingId, Severity};
use iotrial_model::imported::{Stated, StatedLatency};
use iotrial_model::subject::{Subject, SubjectRate};

use super::Judge;
use super::observed::Observed;
use crate::contradiction::contradictions;

/// A mean whose digits leave more room than this share of it is coarse.
const COARSE_SHARE: f64 = 0.1;
/// A step of latency that is worth a word whatever the mean is: SQLIO's.
const WHOLE_MS_US: f64 = 1_000.0;
/// What is below a tenth of a microsecond is no part of any percentile.
const LEAST_SUBMISSION_US: f64 = 0.1;

/// A rate differs from the mean of its samples by more than this factor; fewer samples, or of a shorter time, say little.
const MOST_SAMPLED: f64 = 1.1;
const LEAST_SAMPLES: u64 = 20;
const LEAST_SAMPLED_S: f64 = 10.0;

/// For the table in `findings.rs`.
pub(super) const JUDGES: &[Judge] = &[
    altered_record,
    failed_jobs,
    coarse_latency,
    completion_latency,
    flushes_apart,
    sampled_rate,
    contradictory_figures,
    derived_rate,
    metric_missing,
    no_role,
    import_warnings,
];

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

/// The rate while the load ran was another one than over the whole time: copies ended at different times, or everything stood still.
///
/// Only where the mean of the samples is the larger one: versions before 3.0 state that of one copy. 625 real results of ten seconds or
/// more differ by 1 % at most, but for those with a stall.
pub(super) fn sampled_rate(seen: &Observed<'_, '_>) -> Option<Finding> {
    let uneven = seen.subject.stated_streams().find_map(|(name, stream)| {
        let (iops, samples, runtime) = (stream.iops?, stream.sampled_iops?, stream.runtime_s?);
        let is_long = samples.count >= LEAST_SAMPLES && runtime.value >= LEAST_SAMPLED_S;
        (is_long && samples.mean.value > iops.value * MOST_SAMPLED).then_some((name, iops, samples))
    });
    let (stream, iops, samples) = uneven?;
    let evidence = Evidence::SampledRate {
        iops: iops.value,
        sampled_iops_mean: samples.mean.value,
        sampled_iops_min: samples.min.value,
        sampled_iops_max: samples.max.value,
        stream: stream.to_owned(),
    };
    Some(Finding::new(FindingId::Unsteady, Severity::Warning, evidence))
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

#[cfg(test)]
mod tests {
    use iotrial_model::imported::{
        ImportedJob, ImportedRecord, StatedBlockSize, StatedLoad, StatedOps, StatedPercentile, StatedStream,
        Warning,
    };
    use iotrial_model::load::{Direction, Role};

    use super::*;
    use crate::test_record::{healthy, imported};

    /// One job that reads.
    fn reading(change: impl FnOnce(&mut StatedStream)) -> ImportedRecord {
        let mut record = imported();
        let mut read = StatedStream::default();
        change(&mut read);
        let ops = StatedOps { read: Some(read), ..StatedOps::default() };
        record.jobs.push(ImportedJob { name: "r".to_owned(), ops, ..ImportedJob::default() });
        record
    }

    /// The finding of an id, among all of them.
    fn found(record: &ImportedRecord, id: FindingId) -> Option<Finding> {
        crate::findings::findings(&Subject::of_imported(record)).into_iter().find(|one| one.id == id)
    }

    fn of_subject(subject: &Subject<'_>, id: FindingId) -> Option<Finding> {
        crate::findings::findings(subject).into_iter().find(|one| one.id == id)
    }

    fn mean(value: f64, resolution: f64) -> StatedLatency {
        StatedLatency { mean_us: Some(Stated { value, resolution }), ..StatedLatency::default() }
    }

    #[test]
    fn jobs_that_their_tool_ended_are_counted_and_the_first_is_named() {
        let mut record = imported();
        for (name, error) in [("a", None), ("b", Some("EIO")), ("c", Some("ENOSPC"))] {
            let error = error.map(str::to_owned);
            record.jobs.push(ImportedJob { name: name.to_owned(), error, ..ImportedJob::default() });
        }
        let failed = found(&record, FindingId::Failed).unwrap();
        let evidence = Evidence::FailedJobs { failed_count: 2, job: "b".to_owned(), error: "EIO".to_owned() };
        assert_eq!((failed.severity, failed.evidence), (Severity::Serious, evidence));
        record.jobs.truncate(1);
        assert_eq!(found(&record, FindingId::Failed), None);
    }

    #[test]
    fn a_mean_is_coarse_where_its_last_digit_is_a_tenth_of_it_or_a_millisecond() {
        let coarse = |value: f64, resolution: f64| {
            let record = reading(|read| read.total_latency = mean(value, resolution));
            found(&record, FindingId::CoarseLatency).map(|one| one.severity)
        };
        assert_eq!((coarse(500.0, 50.0), coarse(500.0, 50.3)), (None, Some(Severity::Warning)));
        assert_eq!((coarse(50_000.0, 999.0), coarse(50_000.0, 1_000.0)), (None, Some(Severity::Note)));
        // The stream of which it is the largest part; one below a microsecond counts as one.
        let mut record = reading(|read| read.total_latency = mean(0.5, 1.2));
        let write = StatedStream { total_latency: mean(4_000.0, 6_000.0), ..StatedStream::default() };
        record.jobs[0].ops.write = Some(write);
        let stream = |record: &ImportedRecord| match found(record, FindingId::CoarseLatency).unwrap().evidence
        {
            Evidence::CoarseLatency { resolution_us, lat_mean_us, .. } => (resolution_us, lat_mean_us),
            other => panic!("{other:?}"),
        };
        assert_eq!(stream(&record), (6_000.0, 4_000.0));
        record.jobs[0].ops.read.as_mut().unwrap().total_latency = mean(1_000.0, 1_600.0);
        assert_eq!(stream(&record), (1_600.0, 1_000.0));
    }

    #[test]
    fn percentiles_without_the_submission_are_told_where_it_is_worth_a_digit() {
        let of = |slat_us: f64, change: fn(&mut StatedStream)| {
            let record = reading(|read| {
                read.total_latency = mean(500.0, 0.1);
                read.completion_latency = mean(500.0 - slat_us, 0.1);
                let stated = Stated::exact(900.0);
                read.completion_latency.percentiles_us.push(StatedPercentile { percent: 99.0, at: stated });
                read.submission_latency = mean(slat_us, 0.01);
                change(read);
            });
            found(&record, FindingId::CompletionLatency).map(|one| (one.severity, one.evidence))
        };
        let note = |slat_mean_us| Some((Severity::Note, Evidence::CompletionLatency { slat_mean_us }));
        assert_eq!((of(0.1, |_| ()), of(0.099, |_| ())), (note(0.1), None));
        // The total has percentiles of its own, or there are none at all, or no mean that has the submission.
        let percentiles = |read: &mut StatedStream| {
            read.total_latency.percentiles_us.clone_from(&read.completion_latency.percentiles_us);
        };
        assert_eq!(of(5.0, percentiles), None);
        assert_eq!(of(5.0, |read| read.completion_latency = StatedLatency::default()), None);
        assert_eq!(of(5.0, |read| read.total_latency = StatedLatency::default()), None);
    }

    #[test]
    fn flushes_that_are_timed_apart_are_told_with_their_mean() {
        let mut record = reading(|_| ());
        let sync = StatedStream { total_latency: mean(700.0, 1.0), ..StatedStream::default() };
        record.jobs[0].ops.sync = Some(sync);
        assert_eq!(found(&record, FindingId::FlushesApart), None, "nothing was written");
        record.jobs[0].ops.write = Some(StatedStream::default());
        let apart = found(&record, FindingId::FlushesApart).unwrap();
        let (tool, job) = ("fio".to_owned(), "r".to_owned());
        let evidence = Evidence::FlushesApart { flush_mean_us: Some(700.0), tool, job };
        assert_eq!((apart.severity, apart.evidence), (Severity::Warning, evidence));
    }

    #[test]
    fn rates_that_follow_from_bytes_are_told_and_those_that_are_stated_are_not() {
        let with = |iops: Option<f64>| {
            let mut record = reading(|read| {
                read.bandwidth_mib_per_s = Some(Stated::exact(100.0));
                read.iops = iops.map(Stated::exact);
            });
            let size = iotrial_model::units::ByteSize::kib(8);
            let size = StatedBlockSize { direction: None, size, percent: None };
            record.jobs[0].load = StatedLoad { block_sizes: vec![size], ..StatedLoad::default() };
            found(&record, FindingId::DerivedRate)
        };
        assert_eq!(with(Some(12_800.0)), None);
        let derived = with(None).unwrap();
        let rate = DerivedRate { iops: 12_800.0, direction: Direction::Read, block_size_bytes: 8_192.0 };
        let evidence = Evidence::DerivedRates { rates: vec![rate] };
        assert_eq!((derived.severity, derived.evidence), (Severity::Note, evidence));
    }

    #[test]
    fn a_load_of_another_tool_has_a_role_only_where_somebody_said_so() {
        let mut record = reading(|_| ());
        let no_role = |record: &ImportedRecord| found(record, FindingId::NoRole).map(|one| one.severity);
        assert_eq!(no_role(&record), Some(Severity::Note));
        record.jobs.push(ImportedJob { role: Some(Role::Log), ..ImportedJob::default() });
        assert_eq!(no_role(&record), None);
        assert_eq!(of_subject(&Subject::of_run(&healthy()), FindingId::NoRole), None);
    }

    #[test]
    fn warnings_missing_metrics_and_an_altered_record_are_told() {
        let mut record = reading(|_| ());
        let warning = |place: &str| Warning { place: place.to_owned(), message: "odd".to_owned() };
        assert_eq!(found(&record, FindingId::ImportWarnings), None);
        record.warnings = vec![warning("line 1"), warning("line 2")];
        let told = found(&record, FindingId::ImportWarnings).unwrap();
        let evidence = Evidence::ImportWarnings { warning_count: 2, first: "line 1: odd".to_owned() };
        assert_eq!((told.severity, told.evidence), (Severity::Note, evidence));

        let run = healthy();
        let subject = Subject::of_run(&run);
        let failures = ["a".to_owned(), "b".to_owned()];
        let missing = Subject { metric_failures: &failures, ..subject.clone() };
        let missing = of_subject(&missing, FindingId::MetricMissing).unwrap();
        let evidence = Evidence::MetricMissing { first: "a".to_owned(), other_count: 1 };
        assert_eq!((missing.severity, missing.evidence), (Severity::Warning, evidence));

        let with = |checksum| {
            let altered = of_subject(&Subject { checksum, ..subject.clone() }, FindingId::AlteredRecord);
            altered.map(|one| one.severity)
        };
        assert_eq!(with(Checksum::Differs), Some(Severity::Serious));
        assert_eq!((with(Checksum::Absent), with(Checksum::Matches)), (None, None));
    }
}
