//! Loads that keep so many I/Os outstanding that their latency is the length of the queue: it is not judged.

use iotrial_model::search::{ProbeKind, Search};
use iotrial_model::subject::Subject;
use iotrial_model::verdict::QueueLatency;

use crate::figures::Figures;

/// The most I/Os that a closed load of a database keeps outstanding; of one with more, latencies are not judged.
///
/// A load that keeps N I/Os outstanding at R I/Os per second has a mean latency of N ÷ R (Little, 1961): once the device is saturated, twice as
/// many double it. The number is that of the load of a database with the most of them that we know: the published test of a SQL Server by fio with
/// 6 × 8 + 6 × 8 + 4 × 8 + 4 × 8 + 2 × 4 + 2 × 4 = 176 (profile `sqlserver-oci-published`). The closed jobs of the other built-in profiles of
/// databases have 128 at most. Vendors measure throughput with 256 and more.
const MOST_OUTSTANDING: u64 = 176;

/// By how much a mean latency may differ from outstanding ÷ rate where both are of the same I/Os.
const LITTLE_AGREES: f64 = 0.1;

/// Whether a load keeps more outstanding than a database does, or saturates a device on purpose: as its profile says, or as the first load
/// of a search. Not where it is not known how many are outstanding.
pub(crate) fn shows_queue(subject: &Subject<'_>) -> bool {
    let outstanding = outstanding(subject);
    let is_first = |search: &Search| search.probes.iter().all(|probe| probe.kind == ProbeKind::Saturation);
    let saturates = subject.plan.is_some_and(|plan| plan.saturates) || subject.search.is_some_and(is_first);
    outstanding > MOST_OUTSTANDING || outstanding > 0 && saturates
}

/// I/Os that are kept outstanding. What is issued at a rate, follows another job or pauses has no queue of its own making, and does not count.
fn outstanding(subject: &Subject<'_>) -> u64 {
    let closed = subject.jobs.iter().filter(|job| !job.load.is_held_back());
    closed.filter_map(|job| job.load.total_outstanding()).fold(0, u64::saturating_add)
}

/// The latency of a queue, with the rate that it follows from.
pub(crate) fn queue_of(subject: &Subject<'_>) -> QueueLatency {
    let outstanding = outstanding(subject);
    let figures = Figures::of_all(subject);
    let rate = figures.and_then(|figures| {
        let (iops, lat_mean_us) = figures.iops.zip(figures.lat_mean_us)?;
        let of_queue_us = 1e6 * outstanding as f64 / iops;
        // Of a part of the I/Os, as somebody pasted it, the rate is that of the part and the queue that of all.
        let agrees = (of_queue_us / lat_mean_us - 1.0).abs() <= LITTLE_AGREES;
        agrees.then_some((iops, of_queue_us))
    });
    let (iops, lat_mean_us) = rate.unzip();
    QueueLatency { outstanding, iops, lat_mean_us }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::builtin::builtin_profiles;
    use iotrial_model::imported::{ImportedJob, Stated, StatedLatency, StatedLoad, StatedOps, StatedStream};
    use iotrial_model::latency_limit::SearchLimit;
    use iotrial_model::load::Spacing;
    use iotrial_model::plan::{Arrival, EngineKind};
    use iotrial_model::profile::Profile;
    use iotrial_model::record::RunRecord;
    use iotrial_model::sweep::ProbePurpose;
    use iotrial_model::verdict::{Outcome, Verdict, WhyNot};

    use super::*;
    use crate::findings::findings;
    use crate::test_record::{counts, healthy, imported, measured};
    use crate::threshold::ThresholdSet;
    use crate::verdict::{LoadAnswer, judge};

    fn verdict(subject: &Subject<'_>) -> Verdict {
        judge(subject, &findings(subject), &ThresholdSet::builtin("flash").unwrap())
    }

    /// The healthy run with so many data I/Os outstanding, whose latency follows; the rate stays.
    fn keeping(outstanding: u32) -> RunRecord {
        let mut record = measured(60, |_| 16_000);
        record.plan.jobs[0].iodepth = outstanding;
        let each = counts(480_000, Duration::from_secs_f64(f64::from(outstanding) / 16_000.0));
        record.jobs[0].read = Some(each.clone());
        record.jobs[0].write = Some(each);
        record
    }

    #[test]
    fn the_queue_of_a_load_with_more_than_databases_keep_is_given_and_not_judged() {
        let record = keeping(1_024);
        let subject = Subject::of_run(&record);
        let verdict = verdict(&subject);
        assert_eq!((verdict.outcome, verdict.category), (Outcome::Inconclusive, None), "{:?}", verdict.basis);
        assert_eq!((verdict.judged.len(), verdict.advice), (0, None));
        let queue = verdict.queue().unwrap();
        // One commit is outstanding beside them; 16,000 pages and 2,000 commits a second.
        assert_eq!((queue.outstanding, queue.iops), (1_025, Some(18_000.0)));
        assert!((queue.lat_mean_us.unwrap() - 1e6 * 1_025.0 / 18_000.0).abs() < 1e-6);
        let flash = ThresholdSet::builtin("flash").unwrap();
        let answer = LoadAnswer::of_probe(&subject, ProbePurpose::Grid, &flash);
        assert_eq!((answer.outcome, answer.why_not), (Outcome::Inconclusive, Some(WhyNot::Queue(queue))));
    }

    #[test]
    fn a_closed_load_with_few_outstanding_is_judged() {
        assert!(!shows_queue(&Subject::of_run(&healthy())));
        assert_eq!(verdict(&Subject::of_run(&healthy())).outcome, Outcome::Qualified);
        // One commit is outstanding as well.
        let most = u32::try_from(MOST_OUTSTANDING).unwrap() - 1;
        let judged = verdict(&Subject::of_run(&keeping(most)));
        assert_eq!((judged.outcome, judged.queue()), (Outcome::NotQualified, None));
        assert!(verdict(&Subject::of_run(&keeping(most + 1))).queue().is_some());
    }

    #[test]
    fn what_is_issued_when_it_is_due_makes_no_queue() {
        let mut record = keeping(1_024);
        record.plan.jobs[0].arrival =
            Arrival::Open { iops: 16_000.0, spacing: Spacing::Poisson, bursts: None };
        let subject = Subject::of_run(&record);
        assert!(!shows_queue(&subject));
        assert!(!verdict(&subject).judged.is_empty());
    }

    #[test]
    fn what_failed_is_so_however_long_the_queue_was() {
        let mut record = keeping(1_024);
        record.jobs[0].write.as_mut().unwrap().error_count = 1;
        assert_eq!(verdict(&Subject::of_run(&record)).outcome, Outcome::NotQualified);
    }

    #[test]
    fn the_load_that_saturates_for_a_search_is_not_judged_however_few_it_keeps() {
        let mut record = healthy();
        record.search = Some(Search {
            limit: SearchLimit::Thresholds("flash".to_owned()),
            limit_differs: false,
            need: None,
            probes: Vec::new(),
            carries_need: None,
            result: None,
            time_ran_out: true,
        });
        record.plan.engine = EngineKind::Uring;
        let saturating = verdict(&Subject::of_run(&record));
        assert_eq!((saturating.judged.len(), saturating.queue().unwrap().outstanding), (0, 9));
        // The loads behind it have rates.
        for job in &mut record.plan.jobs {
            job.arrival = Arrival::Open { iops: 100.0, spacing: Spacing::Poisson, bursts: None };
        }
        assert!(!verdict(&Subject::of_run(&record)).judged.is_empty());
    }

    #[test]
    fn a_load_whose_profile_saturates_on_purpose_is_not_judged_however_few_it_keeps() {
        let mut record = healthy();
        record.plan.saturates = true;
        let judged = verdict(&Subject::of_run(&record));
        assert_eq!((judged.outcome, judged.judged.len()), (Outcome::Inconclusive, 0));
        assert_eq!(judged.queue().unwrap().outstanding, 9);
        // At rates it saturates nothing.
        for job in &mut record.plan.jobs {
            job.arrival = Arrival::Open { iops: 100.0, spacing: Spacing::Poisson, bursts: None };
        }
        assert!(!verdict(&Subject::of_run(&record)).judged.is_empty());
    }

    #[test]
    fn profiles_that_look_for_the_highest_throughput_say_that_they_saturate() {
        let profiles = builtin_profiles().iter().map(|one| Profile::parse(one.text).unwrap());
        let saturating: Vec<String> =
            profiles.filter(|profile| profile.saturates).map(|profile| profile.name).collect();
        assert_eq!(saturating.len(), 6, "{saturating:?}");
        assert!(saturating.iter().all(|name| name.starts_with("oci-64k-")), "{saturating:?}");
    }

    #[test]
    fn what_is_stated_of_a_part_has_no_rate_that_the_latency_follows_from() {
        let of = |iops: f64, rate_iops: Option<f64>| {
            let stream = StatedStream {
                io_count: Some(100_000),
                iops: Some(Stated::exact(iops)),
                total_latency: StatedLatency {
                    mean_us: Some(Stated::exact(182_857.0)),
                    ..StatedLatency::default()
                },
                ..StatedStream::default()
            };
            let load =
                StatedLoad { iodepth: Some(256), numjobs: Some(4), rate_iops, ..StatedLoad::default() };
            let mut record = imported();
            let ops = StatedOps { read: Some(stream), ..StatedOps::default() };
            record.jobs.push(ImportedJob { load, ops, ..ImportedJob::default() });
            {
                let subject = Subject::of_imported(&record);
                let queue = queue_of(&subject);
                shows_queue(&subject).then_some((queue.outstanding, queue.iops))
            }
        };
        assert_eq!(of(5_600.0, None), Some((1_024, Some(5_600.0))));
        // The half of a mix that somebody pasted.
        assert_eq!(of(2_800.0, None), Some((1_024, None)));
        assert_eq!(of(5_600.0, Some(5_600.0)), None);
    }

    #[test]
    fn no_built_in_profile_keeps_more_outstanding_than_is_judged_and_one_keeps_as_many() {
        let closed = |profile: &Profile| -> u64 {
            let jobs = profile.jobs.iter().filter(|job| job.rate.is_none() && job.follow.is_none());
            jobs.map(|job| u64::from(job.iodepth) * u64::from(job.numjobs)).sum()
        };
        let profiles = builtin_profiles().iter().map(|one| Profile::parse(one.text).unwrap());
        let most = profiles.map(|profile| closed(&profile)).max();
        assert_eq!(most, Some(MOST_OUTSTANDING));
    }
}
