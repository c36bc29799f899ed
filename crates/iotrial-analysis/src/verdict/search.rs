//! The verdict of a search: whether a needed rate is carried, or which rate is the highest.

use std::time::Duration;

use iotrial_model::finding::{Evidence, Finding, FindingId};
use iotrial_model::latency_limit::SearchLimit;
use iotrial_model::record::EndedHow;
use iotrial_model::search::{Probe, Search, SearchResult};
use iotrial_model::subject::Subject;
use iotrial_model::verdict::{Advice, Change, Doubt, DoubtKind, Judged, Outcome, Ruling, SearchAnswer};
use serde::Serialize;

use super::bearing::advice_of;
use super::{Basis, Verdict, decide};
use crate::threshold::ThresholdSet;

/// The highest rate of the load's mix that stays within its limits, and what is needed of it, as far as the verdict lets it stand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Capacity {
    /// What it stays within: a latency, or the name of a threshold set.
    pub limit: SearchLimit,
    /// I/Os per second that stay within it; `None` where none do, and where the verdict is inconclusive.
    pub iops: Option<f64>,
    /// Reads in it.
    pub read_iops: Option<f64>,
    /// Writes in it, commits among them.
    pub write_iops: Option<f64>,
    /// I/Os per second that no longer do; `None` where even more than the closed load reached do.
    pub not_held_iops: Option<f64>,
    /// Whether it may be more: something other than the device kept higher rates from holding.
    pub is_lower_bound: bool,
    /// How sure it is that the rate stays within the limits.
    pub confidence_percent: Option<f64>,
    /// I/Os per second that stayed within the limits in loads on which no answer rests, as the verdict is inconclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_iops: Option<f64>,
    /// I/Os per second that were needed; `None` where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub need_iops: Option<f64>,
    /// Whether the needed rate is carried: what the verdict says. `None` without a need, and where it is inconclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carries_need: Option<bool>,
    /// How much more than the need it is; negative where it is less. `None` without a need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headroom_percent: Option<f64>,
    /// I/Os per second of the closed load, whatever their latency; `None` where each role needs a rate of its own.
    pub saturation_iops: Option<f64>,
    /// Their mean latency, which follows from the outstanding I/Os and is not judged.
    pub saturation_lat_mean_us: Option<f64>,
}

/// A search with what its verdict lets stand of what it found: an inconclusive one neither carries a need nor has a rate. `None` of what was no
/// search.
///
/// Whatever is shown of a search is of this one. Loads judge themselves by their latencies; what else went on, the verdict knows.
pub(crate) fn as_answered(subject: &Subject<'_>, verdict: &Verdict) -> Option<Search> {
    let search = subject.search?;
    let of_device = verdict.of_device().unwrap_or(Outcome::Inconclusive);
    Some(Search {
        limit: search.shown_limit(),
        carries_need: search.need.as_ref().and_then(|_| of_device.is_yes()),
        result: search.result.clone().filter(|_| of_device != Outcome::Inconclusive),
        ..search.clone()
    })
}

impl Capacity {
    /// Of a result that a search brought; `None` of any other.
    pub fn of(subject: &Subject<'_>, verdict: &Verdict) -> Option<Self> {
        let search = as_answered(subject, verdict)?;
        let result = search.result.as_ref();
        let seen = subject.search.and_then(|search| search.result.as_ref()).filter(|_| result.is_none());
        let need_iops = search.need.as_ref().map(|need| need.total_iops());
        let iops = result.map(|result| result.held_iops);
        let saturation = search.saturation();
        let is_lower_bound = result.is_some_and(SearchResult::is_lower_bound);
        // A rate that is known to hold says nothing about how much is missing where higher ones may hold as well; and what fails in another
        // way than by its rate has none to spare.
        let agrees = |has_any: bool| search.carries_need.is_none_or(|carries| carries == has_any);
        let says_headroom = |percent: &f64| (*percent >= 0.0 || !is_lower_bound) && agrees(*percent >= 0.0);
        Some(Self {
            iops,
            read_iops: result.and_then(|result| result.read_iops),
            write_iops: result.and_then(|result| result.write_iops),
            not_held_iops: result.and_then(|result| result.not_held_iops),
            is_lower_bound,
            confidence_percent: result.and_then(|result| result.confidence_percent),
            seen_iops: seen.map(|result| result.held_iops),
            need_iops,
            carries_need: search.carries_need,
            headroom_percent: iops
                .zip(need_iops)
                .map(|(iops, need)| 100.0 * (iops / need - 1.0))
                .filter(says_headroom),
            saturation_iops: saturation.map(|probe| probe.iops),
            saturation_lat_mean_us: saturation.and_then(|probe| probe.lat_mean_us),
            limit: search.limit,
        })
    }
}

/// The verdict of a search: its own question first, and then what the figures of its record say: the ruling on it, its advice and what was
/// judged.
pub(super) fn answered(
    search: &Search,
    subject: &Subject<'_>,
    findings: &[Finding],
    (mut ruling, longer, judged): (Ruling, Option<Duration>, Vec<Judged>),
    thresholds: &ThresholdSet,
) -> Verdict {
    let how = subject.ended_how();
    let decided = |ruling: &mut Ruling| match (how, &search.need) {
        (EndedHow::Interrupted | EndedHow::Failed, _) => {
            (Outcome::Inconclusive, SearchAnswer::Unfinished(how))
        }
        (EndedHow::Complete, Some(_)) => decide_need(search, ruling),
        (EndedHow::Complete, None) => decide_highest(search, findings, ruling),
    };
    let mut of_device = ruling.clone();
    of_device.doubts.retain(|doubt| !matches!(doubt.kind, DoubtKind::NullEngine | DoubtKind::Simulated));
    let (of_device, _) = decided(&mut of_device);
    let (outcome, answer) = decided(&mut ruling);
    // By what is left of the doubts, now that it is decided which of them leave the answer as it is.
    let advice = advice_of(&ruling.doubts, longer);
    let advice = match (outcome, how) {
        // What the counters of a device say that went away in the middle is no advice.
        (Outcome::Inconclusive, EndedHow::Failed) => Some(Advice::to(Change::FindFailure)),
        (Outcome::Inconclusive, _) => advice.or_else(|| Some(longer_or_quieter(search))),
        (Outcome::Qualified | Outcome::NotQualified, _) => None,
    };
    Verdict {
        outcome,
        category: ruling.worst().map(|worst| worst.category),
        meaning: ruling.meaning.clone(),
        advice,
        thresholds: thresholds.name.clone(),
        thresholds_sha256: thresholds.sha256.clone(),
        step: None,
        judged,
        basis: Basis::Search { answer, of_device, search: Box::new(search.clone()), ruling },
    }
}

/// Where no finding says what to change.
const fn longer_or_quieter(search: &Search) -> Advice {
    let (change, seconds) =
        if search.time_ran_out { (Change::MoreTimeForSearch, 60) } else { (Change::QuieterOrLonger, 120) };
    Advice { change, duration: Some(Duration::from_secs(seconds)) }
}

/// Whether the needed rate is carried.
fn decide_need(search: &Search, ruling: &mut Ruling) -> (Outcome, SearchAnswer) {
    let carries = search.carries_need;
    let is_judged_by_set = matches!(search.limit, SearchLimit::Thresholds(_));
    let is_too_slow = is_judged_by_set && ruling.worst().is_some_and(|worst| !worst.is_acceptable());
    // A load that was too slow settles nothing: what made it late may be why.
    let is_carried_yet_slow = carries == Some(true) && is_too_slow;
    if !is_carried_yet_slow {
        settle(ruling, carries);
    }
    let is_in_doubt = !ruling.doubts.is_empty();
    let holds = carries.filter(|_| !is_carried_yet_slow);
    let outcome = decide(!ruling.objections.is_empty(), is_in_doubt, holds);
    let answer = match carries {
        _ if !ruling.objections.is_empty() => SearchAnswer::NeedFailed,
        _ if is_in_doubt => SearchAnswer::NeedInDoubt { is_too_slow: is_carried_yet_slow },
        Some(true) if is_too_slow => SearchAnswer::NeedTooSlow,
        Some(true) => SearchAnswer::NeedCarried,
        Some(false) => SearchAnswer::NeedNotCarried,
        None if search.time_ran_out => SearchAnswer::NeedOutOfTime,
        None => SearchAnswer::NeedDisagrees,
    };
    (outcome, answer)
}

/// Which rate is the highest.
fn decide_highest(search: &Search, findings: &[Finding], ruling: &mut Ruling) -> (Outcome, SearchAnswer) {
    // The rate was found by loads that stayed within the limits beside whatever else went on, and that there is none by loads beyond doubt.
    let missed = findings.iter().find_map(|finding| match &finding.evidence {
        Evidence::LatencyLimitMissed(missed) => Some(missed),
        _ => None,
    });
    let is_missed = missed.is_some_and(|missed| missed.doubts.is_empty());
    settle(ruling, search.result.as_ref().map(|_| true).or(is_missed.then_some(false)));
    // A bound that short loads found stands as one, with what they had too few I/Os for told beside it.
    if search.result.as_ref().is_some_and(SearchResult::is_lower_bound) {
        ruling.doubts.retain(|doubt| !matches!(doubt.kind, DoubtKind::TooFewIos(_)));
    }
    let (fails, is_in_doubt) = (!ruling.objections.is_empty(), !ruling.doubts.is_empty());
    if search.result.is_some() {
        let answer = match (fails, is_in_doubt) {
            (true, _) => SearchAnswer::RateFailed,
            (false, true) => SearchAnswer::RateInDoubt,
            (false, false) => SearchAnswer::Rate,
        };
        return (decide(fails, is_in_doubt, Some(true)), answer);
    }
    let answer = match missed {
        // What failed was faster than what could not be judged, so that it says nothing of slower loads.
        _ if search.probes.iter().any(Probe::is_undecided) => SearchAnswer::TooFewIos,
        // Where the search came down to the lowest rate, nothing of the time that was left would have helped.
        Some(_) if !is_in_doubt => SearchAnswer::NoRate,
        _ if search.time_ran_out => SearchAnswer::OutOfTime,
        Some(_) => SearchAnswer::NoRateInDoubt,
        None => SearchAnswer::Disagrees,
    };
    let holds = (answer == SearchAnswer::NoRate).then_some(false);
    // An I/O error of one load does not show that lower rates would fail: only where a rate was found, or the search came down to the
    // lowest one, is it against the storage.
    (decide(false, is_in_doubt, holds), answer)
}

/// Sets aside the doubts that leave an answer of a search as it is; `holds` tells whether a rate stays within the limits.
fn settle(ruling: &mut Ruling, holds: Option<bool>) {
    let (settled, doubts): (Vec<Doubt>, Vec<Doubt>) =
        std::mem::take(&mut ruling.doubts).into_iter().partition(|doubt| is_settled(doubt, holds));
    ruling.doubts = doubts;
    ruling.settled.extend(settled);
}

/// Whether a doubt leaves the answer of a search as it is.
///
/// A generator that is late, and others on the devices, make latencies longer and rates lower than the device's, so that a rate that it carries even then is carried.
/// That it is not carried was decided by loads without such doubts; the one that is kept as the record need not be among them.
fn is_settled(doubt: &Doubt, holds: Option<bool>) -> bool {
    let Some(finding) = &doubt.finding else { return false };
    match holds {
        Some(true) => {
            matches!(finding.id, FindingId::GeneratorBusy | FindingId::LateIssues | FindingId::ForeignLoad)
        }
        Some(false) => matches!(
            finding.id,
            FindingId::GeneratorBusy
                | FindingId::LateIssues
                | FindingId::ForeignLoad
                | FindingId::LatencyLimitMissed
        ),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::finding::Doubts;
    use iotrial_model::load::Role;
    use iotrial_model::plan::EngineKind;
    use iotrial_model::record::{Ended, RunRecord};
    use iotrial_model::search::{ProbeKind, WorstLatency};
    use iotrial_model::stream::Stream;

    use super::super::bearing::LONGEST_ADVICE;
    use super::*;
    use crate::findings::findings;
    use crate::test_record::{counts, healthy, measured};
    use crate::threshold::ThresholdSet;
    use crate::verdict::judge;

    /// A search that found 112,000 IOPS, or came no further than one load.
    fn with_search(mut record: RunRecord, has_result: bool) -> RunRecord {
        let worst = WorstLatency {
            role: Role::Data,
            stream: Stream::Read,
            statistic: Some("p99".to_owned()),
            latency_us: 1_900.0,
            limit_us: Some(2_000.0),
            untouched: None,
        };
        let probe = Probe {
            kind: ProbeKind::Confirmation,
            share: Some(0.7),
            asked_iops: Some(112_000.0),
            iops: 112_010.0,
            lat_mean_us: Some(500.0),
            duration: std::time::Duration::from_secs(30),
            worst: Some(worst.clone()),
            held: Some(has_result),
            why_not: (!has_result).then(|| "p99 of data reads is 2.31 ms".to_owned()),
            doubts: Doubts::default(),
        };
        let result = has_result.then(|| SearchResult {
            held_iops: 112_000.0,
            device_iops: None,
            read_iops: Some(80_000.0),
            write_iops: Some(32_000.0),
            confidence_percent: Some(97.0),
            not_held_iops: Some(117_600.0),
            worst,
            not_held_doubts: Doubts::default(),
            job_rates: Vec::new(),
        });
        record.search = Some(Search {
            limit: SearchLimit::Thresholds("flash".to_owned()),
            limit_differs: false,
            need: None,
            probes: vec![probe],
            carries_need: None,
            result,
            time_ran_out: false,
        });
        record
    }

    fn needing(iops: &str, carries: Option<bool>) -> RunRecord {
        let mut record = with_search(healthy(), true);
        let search = record.search.as_mut().unwrap();
        search.need = Some(iops.parse().unwrap());
        search.carries_need = carries;
        let need = search.need.as_ref().unwrap().total_iops();
        search.probes[0].asked_iops = Some(need);
        if carries == Some(false) {
            search.probes[0].held = Some(false);
            search.probes[0].why_not = Some("p99 of data reads is 31.0 ms (limit 10.0 ms)".to_owned());
        }
        record
    }

    fn verdict(record: &RunRecord) -> Verdict {
        let subject = Subject::of_run(record);
        judge(&subject, &crate::findings::findings(&subject), &ThresholdSet::builtin("flash").unwrap())
    }

    fn doubts(verdict: &Verdict) -> Vec<DoubtKind> {
        let Basis::Search { ruling, .. } = &verdict.basis else { panic!("{:?}", verdict.basis) };
        ruling.doubts.iter().map(|doubt| doubt.kind.clone()).collect()
    }

    fn settled(verdict: &Verdict) -> Vec<DoubtKind> {
        let Basis::Search { ruling, .. } = &verdict.basis else { panic!("{:?}", verdict.basis) };
        ruling.settled.iter().map(|doubt| doubt.kind.clone()).collect()
    }

    fn answer(verdict: &Verdict) -> &SearchAnswer {
        let Basis::Search { answer, .. } = &verdict.basis else { panic!("{:?}", verdict.basis) };
        answer
    }

    #[test]
    fn the_highest_rate_is_qualified() {
        let found = verdict(&with_search(healthy(), true));
        assert_eq!(answer(&found), &SearchAnswer::Rate);
        assert_eq!((found.outcome, found.advice), (Outcome::Qualified, None));
    }

    #[test]
    fn a_need_is_carried_or_it_is_not() {
        let found = verdict(&needing("100000iops", Some(true)));
        assert_eq!(found.outcome, Outcome::Qualified);
        assert_eq!(answer(&found), &SearchAnswer::NeedCarried);
        let found = verdict(&needing("200000iops", Some(false)));
        assert_eq!((found.outcome, found.advice), (Outcome::NotQualified, None));
        assert_eq!(answer(&found), &SearchAnswer::NeedNotCarried);
        let open = verdict(&needing("112000iops", None));
        assert_eq!(open.outcome, Outcome::Inconclusive);
        let again = Advice { change: Change::QuieterOrLonger, duration: Some(Duration::from_secs(120)) };
        assert_eq!(open.advice, Some(again));
    }

    #[test]
    fn a_search_that_the_device_ended_advises_nothing_about_other_work_on_it() {
        let mut record = with_search(healthy(), false);
        // Counters that were read when it was gone show more than was issued.
        record.devices[0].write_bytes *= 11;
        let foreign = [FindingId::ForeignLoad].into_iter().collect();
        record.search.as_mut().unwrap().probes[0].doubts = foreign;
        let advice = |record: &RunRecord| verdict(record).advice.unwrap();
        let beside_others = advice(&record);
        record.ended = Ended { how: EndedHow::Failed, reason: Some("the device is gone".to_owned()) };
        let found = verdict(&record);
        assert_eq!(found.outcome, Outcome::Inconclusive);
        assert_ne!(advice(&record), beside_others);
        assert!(advice(&record).is_to_change_something() && advice(&record).duration.is_none());
    }

    #[test]
    fn a_generator_short_of_cpu_leaves_answers_as_they_are_and_undecided_ones_open() {
        let busy = |mut record: RunRecord| {
            record.cpu.as_mut().unwrap().busiest_thread_s = record.cpu.as_ref().map(|_| 899.0);
            assert!(
                crate::findings::findings(&Subject::of_run(&record))
                    .iter()
                    .any(|one| one.id == FindingId::GeneratorBusy)
            );
            verdict(&record)
        };
        let carried = busy(needing("100000iops", Some(true)));
        assert_eq!(carried.outcome, Outcome::Qualified);
        assert_eq!(answer(&carried), &SearchAnswer::NeedCarried);
        assert_eq!(settled(&carried), [DoubtKind::ShortOfCpu]);
        // What leaves the answer open is changed, and not what was set aside; the log had a tenth of what its p99 needs.
        let mut few = needing("100000iops", Some(true));
        few.jobs[1].write = Some(counts(99, std::time::Duration::from_micros(500)));
        let few = busy(few);
        assert_eq!(few.outcome, Outcome::Inconclusive);
        assert!(settled(&few).contains(&DoubtKind::ShortOfCpu));
        let advice = few.advice.unwrap();
        assert_ne!(advice.change, Change::StopOthersOnHost);
        assert!(advice.duration.unwrap() >= std::time::Duration::from_secs(12_000).min(LONGEST_ADVICE));
        // The loads that decided this had no doubt.
        assert_eq!(busy(needing("200000iops", Some(false))).outcome, Outcome::NotQualified);
        assert_eq!(busy(needing("112000iops", None)).outcome, Outcome::Inconclusive);
        let highest = busy(with_search(healthy(), true));
        assert_eq!((highest.outcome, settled(&highest)), (Outcome::Qualified, vec![DoubtKind::ShortOfCpu]));
    }

    #[test]
    fn loads_at_a_need_that_were_too_slow_are_told_with_what_slowed_the_generator() {
        let search = needing("100000iops", Some(true)).search;
        let mut slow = RunRecord { search, ..measured(300, |_| 2_000) };
        slow.cpu.as_mut().unwrap().busiest_thread_s = Some(899.0);
        let found = verdict(&slow);
        assert_eq!(found.outcome, Outcome::Inconclusive);
        assert_eq!(answer(&found), &SearchAnswer::NeedInDoubt { is_too_slow: true });
        assert_eq!(doubts(&found)[0], DoubtKind::ShortOfCpu);
        let mut apart = needing("100000iops", None);
        let probes = &mut apart.search.as_mut().unwrap().probes;
        let mut failed = probes[0].clone();
        failed.held = Some(false);
        failed.doubts = [FindingId::LateIssues].into_iter().collect();
        probes.push(failed);
        assert_eq!(answer(&verdict(&apart)), &SearchAnswer::NeedDisagrees);
    }

    #[test]
    fn capacity_has_the_headroom_of_a_need_and_a_missing_end_makes_it_a_bound() {
        let capacity = |record: &RunRecord| Capacity::of(&Subject::of_run(record), &verdict(record)).unwrap();
        let carried = capacity(&needing("100000iops", Some(true)));
        assert!((carried.headroom_percent.unwrap() - 12.0).abs() < 1e-9);
        assert!(!carried.is_lower_bound);
        let mut record = with_search(healthy(), true);
        record.search.as_mut().unwrap().result.as_mut().unwrap().not_held_iops = None;
        assert!(capacity(&record).is_lower_bound);
        record.search.as_mut().unwrap().result = None;
        let none = capacity(&record);
        assert_eq!((none.iops, none.is_lower_bound), (None, false));
    }

    #[test]
    fn what_loads_showed_stands_only_as_far_as_the_verdict_lets_it() {
        let of = |record: &RunRecord| {
            let capacity = Capacity::of(&Subject::of_run(record), &verdict(record)).unwrap();
            (capacity.carries_need, capacity.iops, capacity.seen_iops)
        };
        let mut record = needing("100000iops", Some(true));
        assert_eq!(of(&record), (Some(true), Some(112_000.0), None));
        // Of a simulated device it is said what that one carries.
        record.plan.engine = EngineKind::Sim;
        assert_eq!(verdict(&record).outcome, Outcome::Inconclusive);
        assert_eq!(of(&record), (Some(true), Some(112_000.0), None));
        for engine in [EngineKind::Uring, EngineKind::Sim] {
            record.plan.engine = engine;
            record.targets[0].in_memory = true;
            assert_eq!(of(&record), (None, None, Some(112_000.0)), "{engine:?}");
        }
        record.targets[0].in_memory = false;
        record.jobs[0].write.as_mut().unwrap().error_count = 1;
        assert_eq!(of(&record), (Some(false), Some(112_000.0), None));
    }

    #[test]
    fn a_simulated_device_has_a_rate_and_is_of_no_storage() {
        let mut record = with_search(healthy(), true);
        record.plan.engine = EngineKind::Sim;
        let found = verdict(&record);
        assert_eq!(found.outcome, Outcome::Inconclusive);
        assert_eq!(answer(&found), &SearchAnswer::RateInDoubt);
    }

    #[test]
    fn no_rate_is_a_no_and_failed_ios_are_one_too() {
        let missed = verdict(&with_search(measured(60, |_| 1_000), false));
        assert_eq!(missed.outcome, Outcome::NotQualified);
        assert_eq!(answer(&missed), &SearchAnswer::NoRate);
        let mut record = with_search(healthy(), true);
        record.jobs[0].read.as_mut().unwrap().error_count = 3;
        let failed = verdict(&record);
        assert_eq!(failed.outcome, Outcome::NotQualified);
        assert_eq!(answer(&failed), &SearchAnswer::RateFailed);
    }

    #[test]
    fn a_search_whose_time_was_over_says_so_and_what_was_found_by_then_is_a_bound() {
        let mut record = with_search(healthy(), true);
        let search = record.search.as_mut().unwrap();
        search.time_ran_out = true;
        search.result.as_mut().unwrap().not_held_iops = None;
        let found = verdict(&record);
        assert_eq!(found.outcome, Outcome::Qualified);
        assert_eq!(answer(&found), &SearchAnswer::Rate);
        record.search.as_mut().unwrap().result = None;
        let none = verdict(&record);
        assert_eq!(none.outcome, Outcome::Inconclusive);
        assert_eq!(answer(&none), &SearchAnswer::OutOfTime);
        assert_eq!(none.advice.unwrap().duration, Some(Duration::from_secs(60)));
        let mut needing = needing("100000iops", None);
        needing.search.as_mut().unwrap().time_ran_out = true;
        let open = verdict(&needing);
        assert_eq!(open.outcome, Outcome::Inconclusive);
        assert_eq!(answer(&open), &SearchAnswer::NeedOutOfTime);
    }

    #[test]
    fn an_interrupted_search_says_so_and_does_not_claim_that_there_is_no_rate() {
        let mut record = with_search(healthy(), false);
        record.ended = Ended { how: EndedHow::Interrupted, reason: Some("stopped by the user".to_owned()) };
        let stopped = verdict(&record);
        assert_eq!(answer(&stopped), &SearchAnswer::Unfinished(EndedHow::Interrupted));
        assert_eq!(stopped.outcome, Outcome::Inconclusive);
        let Basis::Search { ruling, .. } = &stopped.basis else { panic!("{stopped:?}") };
        let told = ruling.objections.iter().map(|one| one.finding().id);
        let told: Vec<FindingId> = told.chain(ruling.other_findings.iter().map(|one| one.id)).collect();
        assert!(!told.contains(&FindingId::LatencyLimitMissed), "{told:?}");
    }

    fn busy(mut record: RunRecord) -> RunRecord {
        record.cpu.as_mut().unwrap().busiest_thread_s = Some(899.0);
        record
    }

    /// The same search, whose long load was as slow as this.
    fn slow(record: RunRecord) -> RunRecord {
        RunRecord { search: record.search, ..measured(300, |_| 2_000) }
    }

    #[test]
    fn a_need_that_its_probes_carry_and_its_long_load_does_not_is_open() {
        let too_slow = verdict(&slow(needing("100000iops", Some(true))));
        assert_eq!(
            (answer(&too_slow), too_slow.outcome),
            (&SearchAnswer::NeedTooSlow, Outcome::Inconclusive)
        );
        // By a limit of its own, the figures of the set decide nothing.
        let mut own = slow(needing("100000iops", Some(true)));
        own.search.as_mut().unwrap().limit = SearchLimit::Latency("50ms@p99".parse().unwrap());
        let own = verdict(&own);
        assert_eq!(own.outcome, Outcome::Qualified);
        assert_eq!(answer(&own), &SearchAnswer::NeedCarried);
        // Nor where the set judges nothing of it.
        let mut unjudged = needing("100000iops", Some(true));
        unjudged.plan.jobs[0].role = Role::Scan;
        unjudged.plan.jobs[1].role = Role::Backup;
        let subject = Subject::of_run(&unjudged);
        let unjudged = judge(&subject, &[], &ThresholdSet::builtin("oci-sqlserver").unwrap());
        assert_eq!((unjudged.outcome, unjudged.judged.len()), (Outcome::Qualified, 0));
        // What is not carried is expected to be slow.
        assert_eq!(verdict(&busy(slow(needing("200000iops", Some(false))))).outcome, Outcome::NotQualified);
    }

    #[test]
    fn a_search_is_as_long_as_the_ios_of_all_its_loads_take_at_its_rate() {
        let is_short = |loads: usize| {
            let mut record = with_search(measured(30, |_| 112_000), true);
            let probes = &mut record.search.as_mut().unwrap().probes;
            *probes = vec![probes[0].clone(); loads];
            findings(&Subject::of_run(&record)).iter().any(|one| one.id == FindingId::ShortRun)
        };
        assert_eq!([1, 2].map(is_short), [true, false]);
        // Of a need it is the rate that is needed, whatever the search found beyond it.
        let is_short_of_need = |need: &str| {
            let mut record = with_search(measured(30, |_| 112_000), true);
            let search = record.search.as_mut().unwrap();
            search.need = Some(need.parse().unwrap());
            search.result.as_mut().unwrap().held_iops = 1e9;
            findings(&Subject::of_run(&record)).iter().any(|one| one.id == FindingId::ShortRun)
        };
        assert_eq!(["112000iops", "50000iops"].map(is_short_of_need), [true, false]);
    }

    #[test]
    fn failed_ios_of_a_need_are_against_it_whatever_its_loads_say() {
        for carries in [Some(true), Some(false), None] {
            let mut record = needing("100000iops", carries);
            record.jobs[0].read.as_mut().unwrap().error_count = 3;
            let found = verdict(&record);
            assert_eq!((answer(&found), found.outcome), (&SearchAnswer::NeedFailed, Outcome::NotQualified));
        }
    }

    #[test]
    fn only_what_makes_a_device_look_slower_leaves_a_yes_as_it_is_and_others_on_it_a_no() {
        let foreign = |carries| {
            let mut record = needing("100000iops", carries);
            record.devices[0].write_bytes *= 11;
            verdict(&record).outcome
        };
        assert_eq!(foreign(Some(true)), Outcome::Qualified);
        assert_eq!(foreign(Some(false)), Outcome::NotQualified);
        assert_eq!(foreign(None), Outcome::Inconclusive);
        // Of no storage at all, whatever the loads say.
        for carries in [Some(true), Some(false)] {
            let mut record = needing("100000iops", carries);
            record.plan.engine = EngineKind::Sim;
            let found = verdict(&record);
            assert_eq!(answer(&found), &SearchAnswer::NeedInDoubt { is_too_slow: false });
            assert_eq!(doubts(&found), [DoubtKind::Simulated]);
        }
        let open = verdict(&busy(needing("112000iops", None)));
        assert!(matches!(answer(&open), SearchAnswer::NeedInDoubt { .. }), "{open:?}");
    }

    #[test]
    fn a_search_without_a_rate_says_which_of_its_reasons_it_is() {
        let of = |change: fn(&mut Search)| {
            // Short as well, which is beside the question.
            let mut record = with_search(measured(30, |_| 1_000), false);
            change(record.search.as_mut().unwrap());
            let found = verdict(&record);
            (answer(&found).clone(), found.outcome)
        };
        assert_eq!(of(|_| ()), (SearchAnswer::NoRate, Outcome::NotQualified));
        let doubtful = of(|search| search.probes[0].doubts = [FindingId::LateIssues].into_iter().collect());
        assert_eq!(doubtful, (SearchAnswer::NoRateInDoubt, Outcome::Inconclusive));
        // A slower load of which nothing can be said.
        let few = of(|search| {
            let slower = Probe { share: Some(0.1), held: None, ..search.probes[0].clone() };
            search.probes.push(slower);
        });
        assert_eq!(few, (SearchAnswer::TooFewIos, Outcome::Inconclusive));
        // Longer runs that all failed say more than a short load that held, whatever was odd beside the last of them.
        let never = of(|search| {
            let failed = search.probes[0].clone();
            let short = Probe { kind: ProbeKind::Probe, held: Some(true), ..failed.clone() };
            let slower = Probe { share: Some(0.05), asked_iops: Some(8_000.0), ..failed };
            search.probes.extend([short, slower]);
            search.time_ran_out = true;
        });
        assert_eq!(never, (SearchAnswer::NoRate, Outcome::NotQualified));
        // One load that held, and none that was confirmed.
        let apart = of(|search| search.probes[0].held = Some(true));
        assert_eq!(apart, (SearchAnswer::Disagrees, Outcome::Inconclusive));
    }
}
