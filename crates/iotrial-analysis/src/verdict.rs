//! The verdict: is this storage good enough, is it not, or can that not be said; and what decided.
//!
//! What decided is data (`iotrial_model::verdict`); its words are in `iotrial-words`, so that nothing is decided from a sentence. A figure is
//! judged only where enough I/Os stand behind it. A finding that says that the figures may not be the device's leaves the question open,
//! whichever way the figures fell: a green answer on a cache is as wrong as a red one beside a noisy neighbour.

use iotrial_model::figure::Figure;
use iotrial_model::finding::Finding;
use iotrial_model::subject::Subject;
use iotrial_model::verdict::{LoadName, Ruling};

pub use iotrial_model::verdict::{Advice, Basis, Category, Change, Judged, Meaning, Outcome, Verdict};

use crate::judgement::Judgement;
use crate::threshold::ThresholdSet;

mod bearing;
mod ending;
mod load;
mod search;
mod steps;
mod verified;

use bearing::Bearing;
use ending::too_slow_at_the_end;
pub(crate) use load::LoadAnswer;
pub use search::Capacity;
pub(crate) use search::as_answered;
pub use steps::StepResult;

/// The one rule by which everything is qualified: a run, a step, a probe, a needed rate, a highest rate, the disks of a system in use.
///
/// `fails` is what is so whatever else went on beside it: an I/O error is the device's doing. Doubts leave the answer open, whichever way
/// the figures fell. Without them the figures decide; `None` where nothing could be judged, or loads disagree.
pub(crate) const fn decide(fails: bool, is_in_doubt: bool, is_good_enough: Option<bool>) -> Outcome {
    match (fails, is_in_doubt, is_good_enough) {
        (true, ..) | (false, false, Some(false)) => Outcome::NotQualified,
        (false, false, Some(true)) => Outcome::Qualified,
        (false, true, _) | (false, false, None) => Outcome::Inconclusive,
    }
}

/// Judges a result by a set of thresholds, with everything that is odd about it.
pub fn judge(subject: &Subject<'_>, findings: &[Finding], thresholds: &ThresholdSet) -> Verdict {
    if let Some(verification) = subject.verification {
        return verified::judge(subject, verification, findings, thresholds);
    }
    if !subject.steps.is_empty() {
        return steps::judge(subject, findings, thresholds);
    }
    let Judgement { judged, gaps, starved } = Judgement::new(subject, thresholds);
    let mut bearing = Bearing::new(subject, findings, &gaps, starved);
    // A search asks of all its loads together what this means for its answer.
    if subject.search.is_none() {
        bearing.settle(&judged);
    }
    // What is too slow for sure is so whatever the bounds leave open.
    if judged.iter().all(Judged::is_acceptable) {
        bearing.add_undecided(&gaps);
    }
    bearing.doubts.extend(too_slow_at_the_end(subject, findings, &judged, thresholds));
    let advice = bearing.advice();
    let longer = bearing.longer;
    let Bearing { objections, doubts, settled, caveats, other_findings, .. } = bearing;
    let by_weight: Vec<Judged> = Judged::by_weight(&judged).into_iter().cloned().collect();
    let worst = by_weight.first();
    let is_good_enough = worst.map(Judged::is_acceptable);
    let unjudged = Figure::JUDGED.into_iter().filter(|figure| !thresholds.judges_figure(*figure));
    let ruling = Ruling {
        outcome: decide(!objections.is_empty(), !doubts.is_empty(), is_good_enough),
        load: name_of_load(subject),
        set: thresholds.name.clone(),
        meaning: worst.and_then(|worst| thresholds.meaning(worst.category)).cloned(),
        objections,
        doubts,
        settled,
        caveats,
        other_findings,
        judged: by_weight,
        gaps,
        unjudged: unjudged.collect(),
    };
    match subject.search {
        Some(search) => search::answered(search, subject, findings, (ruling, longer, judged), thresholds),
        None => of_run(ruling, advice, judged, thresholds),
    }
}

/// The verdict that follows from the ruling on a run.
fn of_run(ruling: Ruling, advice: Option<Advice>, judged: Vec<Judged>, thresholds: &ThresholdSet) -> Verdict {
    Verdict {
        outcome: ruling.outcome,
        category: ruling.worst().map(|worst| worst.category),
        meaning: ruling.meaning.clone(),
        advice: advice.filter(|_| ruling.outcome == Outcome::Inconclusive),
        thresholds: thresholds.name.clone(),
        thresholds_sha256: thresholds.sha256.clone(),
        step: None,
        judged,
        basis: Basis::Run(ruling),
    }
}

/// What the load is called.
fn name_of_load(subject: &Subject<'_>) -> LoadName {
    match (&subject.profile_name, subject.source, subject.jobs.as_slice()) {
        (Some(profile), ..) => LoadName::Profile(profile.to_string()),
        (None, Some(source), [only]) => {
            LoadName::Job { job: only.name.to_string(), tool: source.tool.to_string() }
        }
        (None, Some(source), _) => LoadName::Tool(source.tool.to_string()),
        (None, None, _) => LoadName::Unnamed,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use iotrial_model::bound::BoundRelation;
    use iotrial_model::finding::{FindingId, Severity};
    use iotrial_model::load::{Durability, GroupCommit, LogTail, Role, Spacing};
    use iotrial_model::plan::{Arrival, EngineKind, Plan, UntilSteady};
    use iotrial_model::record::{Ended, EndedHow, JobCounts, RunRecord};
    use iotrial_model::stream::Stream;
    use iotrial_model::units::ByteSize;
    use iotrial_model::verdict::{Caveat, DoubtKind, Gap, Starved, WhyNotJudged};
    use proptest::prelude::*;

    use super::*;
    use crate::findings::findings;
    use crate::test_record::{apart, counts, healthy, measured};

    fn judge(record: &RunRecord, thresholds: &ThresholdSet) -> Verdict {
        let subject = Subject::of_run(record);
        super::judge(&subject, &findings(&subject), thresholds)
    }

    fn set(name: &str) -> ThresholdSet {
        ThresholdSet::builtin(name).unwrap()
    }

    fn ruling(record: &RunRecord, name: &str) -> Ruling {
        ruling_of(&judge(record, &set(name))).clone()
    }

    fn ruling_of(verdict: &Verdict) -> &Ruling {
        let Basis::Run(ruling) = &verdict.basis else { panic!("{:?}", verdict.basis) };
        ruling
    }

    fn doubts(verdict: &Verdict) -> Vec<&DoubtKind> {
        ruling_of(verdict).doubts.iter().map(|doubt| &doubt.kind).collect()
    }

    fn change(verdict: &Verdict) -> Option<Change> {
        verdict.advice.map(|advice| advice.change)
    }

    /// The figure that decides: what it is of, as it is shown in ms, and its limit.
    fn worst(verdict: &Verdict) -> (Role, Stream, Figure, f64, f64) {
        let worst = ruling_of(verdict).worst().unwrap();
        (worst.role, worst.stream, worst.statistic, worst.shown_ms, worst.limit_us)
    }

    /// The healthy run with all commits at `latency`; its rate follows, so that Little's law holds.
    fn with_commits_at(latency: Duration) -> RunRecord {
        let mut record = healthy();
        let io_count = u64::try_from(Duration::from_secs(300).as_nanos() / latency.as_nanos()).unwrap();
        let commits = counts(io_count, latency);
        record.devices[0].write_bytes -= record.jobs[1].write.as_ref().unwrap().bytes;
        record.devices[0].write_bytes += commits.bytes;
        record.jobs[1] = JobCounts { write: Some(commits), ..JobCounts::default() };
        record
    }

    #[test]
    fn a_fast_device_is_qualified_and_the_worst_figure_is_named() {
        let verdict = judge(&healthy(), &set("flash"));
        assert_eq!(worst(&verdict), (Role::Data, Stream::Read, Figure::LatencyMean, 0.5, 2_000.0));
        assert_eq!((verdict.outcome, verdict.category), (Outcome::Qualified, Some(Category::Good)));
        let judged: Vec<String> = verdict
            .judged
            .iter()
            .map(|one| format!("{} {} {}", one.role, one.stream, one.statistic))
            .collect();
        assert_eq!(
            judged,
            [
                "data read mean",
                "data read p99",
                "data read p99.9",
                "data write mean",
                "data write p99",
                "data write p99.9",
                "log commit mean",
                "log commit p99",
                "log commit p99.9"
            ]
        );
    }

    #[test]
    fn a_slow_tail_is_not_qualified_and_the_figure_that_failed_is_named() {
        let mut record = healthy();
        // The rest is faster in return, so that as many I/Os are in flight as before.
        let mut reads = counts(2_397_000, Duration::from_nanos(422_900));
        reads.total_latency.record_n(Duration::from_micros(62_100), 3_000);
        record.jobs[0].read = Some(reads);
        let verdict = judge(&record, &set("flash"));
        assert_eq!(worst(&verdict), (Role::Data, Stream::Read, Figure::LatencyP999, 62.1, 20_000.0));
        assert_eq!((verdict.outcome, verdict.category), (Outcome::NotQualified, Some(Category::Critical)));
        // Where the role has devices of its own, they are told.
        apart(&mut record);
        let verdict = judge(&record, &set("flash"));
        assert_eq!(ruling_of(&verdict).worst().unwrap().devices, ["sdb"]);
    }

    #[test]
    fn the_bands_decide_at_their_edges() {
        let check = |set: &str, us: u64, category, shown_ms: f64| {
            let record = with_commits_at(Duration::from_micros(us));
            let verdict = judge(&record, &super::tests::set(set));
            assert_eq!(verdict.category, Some(category));
            assert_eq!(verdict.outcome.is_yes(), Some(category <= Category::Acceptable));
            let worst = worst(&verdict);
            assert_eq!((worst.0, worst.2, worst.3), (Role::Log, Figure::LatencyMean, shown_ms));
        };
        check("oci-sqlserver", 999, Category::Excellent, 0.999);
        check("oci-sqlserver", 4_999, Category::Acceptable, 4.999);
        check("oci-sqlserver", 5_000, Category::Poor, 5.0);
        check("oci-sqlserver", 5_001, Category::Poor, 5.001);
        check("sqlserver-whitepaper", 20_000, Category::Poor, 20.0);
    }

    #[test]
    fn a_category_is_told_with_what_its_source_means_by_it() {
        let verdict = judge(&with_commits_at(Duration::from_micros(2_500)), &set("oci-sqlserver"));
        let meaning = verdict.meaning.unwrap();
        assert_eq!(meaning.suitable_for, "light OLTP or test environments");
        assert_eq!(meaning.impact, "possible minor delays on intensive queries");
        let verdict = judge(&with_commits_at(Duration::from_millis(7)), &set("oci-sqlserver"));
        assert_eq!(verdict.outcome, Outcome::NotQualified);
        assert_eq!(verdict.meaning.unwrap().suitable_for, "batch jobs or reports that are not critical");
        assert_eq!(judge(&healthy(), &set("flash")).meaning, None);
    }

    #[test]
    fn a_set_of_averages_says_that_it_judges_no_tail() {
        let verdict = judge(&healthy(), &set("oci-sqlserver"));
        assert_eq!(ruling_of(&verdict).unjudged, [Figure::LatencyP99, Figure::LatencyP999]);
        assert!(verdict.judged.iter().all(|one| one.statistic == Figure::LatencyMean));
    }

    #[test]
    fn a_short_or_unsteady_run_is_qualified_only_with_that_as_a_caveat() {
        let short = ruling(&measured(30, |_| 16_000), "flash");
        assert_eq!(short.outcome, Outcome::Qualified);
        assert_eq!(short.caveats, [Caveat::ShortRun { measured_s: 30.0 }]);
        let growing = ruling(&measured(300, |second| 16_000 + 80 * second), "flash");
        assert_eq!(growing.outcome, Outcome::Qualified);
        assert_eq!(growing.caveats, [Caveat::Unsteady { within: None }]);
    }

    #[test]
    fn what_was_waited_for_and_did_not_come_leaves_the_question_open() {
        let slowing = measured(300, |second| if second < 150 { 32_000 } else { 16_000 });
        let waited = RunRecord {
            plan: Plan {
                until_steady: Some(UntilSteady { round: Duration::from_secs(60) }),
                ..slowing.plan.clone()
            },
            ..slowing.clone()
        };
        let verdict = judge(&waited, &set("flash"));
        assert_eq!(verdict.outcome, Outcome::Inconclusive);
        assert_eq!(doubts(&verdict), [&DoubtKind::NotSteadyInTime]);
        assert_eq!(change(&verdict), Some(Change::MoreTimeUntilSteady));
    }

    #[test]
    fn less_than_ten_seconds_are_no_answer_whichever_way_they_fell() {
        for iops in [16_000, 1_000] {
            let verdict = judge(&measured(9, |_| iops), &set("flash"));
            assert_eq!(verdict.outcome, Outcome::Inconclusive);
            assert_eq!(doubts(&verdict)[0], &DoubtKind::TooShort { measured_s: 9.0 });
            assert_eq!(verdict.advice, Some(Advice::longer(Duration::from_secs(60))));
            assert_ne!(judge(&measured(10, |_| iops), &set("flash")).outcome, Outcome::Inconclusive);
        }
    }

    #[test]
    fn the_next_run_is_long_enough_whatever_else_is_to_be_changed_first() {
        // Too short to answer, and short enough to be a caveat.
        for seconds in [9, 30] {
            let mut record = measured(seconds, |_| 16_000);
            record.plan.engine = EngineKind::Sim;
            let advice = judge(&record, &set("flash")).advice.unwrap();
            let duration = Some(Duration::from_secs(60));
            assert_eq!(advice, Advice { change: Change::LeaveOutEngine, duration }, "{seconds}");
        }
    }

    #[test]
    fn foreign_load_leaves_a_bad_figure_open_and_a_good_one_as_it_is() {
        let beside_others = |iops: u64| {
            let mut record = measured(60, |_| iops);
            record.devices[0].write_bytes += 10 * record.devices[0].write_bytes;
            judge(&record, &set("flash"))
        };
        let slow = beside_others(1_000);
        assert_eq!((slow.outcome, doubts(&slow)), (Outcome::Inconclusive, vec![&DoubtKind::ForeignLoad]));
        assert_eq!(change(&slow), Some(Change::StopOthersOnDevices));
        let fast = beside_others(16_000);
        assert_eq!((fast.outcome, fast.advice), (Outcome::Qualified, None));
        assert_eq!(ruling_of(&fast).settled[0].kind, DoubtKind::ForeignLoad);
    }

    /// An open load of 8,000 reads a second for a minute, all of which show 20 ms: so many of a hundred because the generator was late, and
    /// the others with that latency.
    fn late_reads(late_percent: u64, others_us: u64) -> RunRecord {
        let mut record = measured(60, |_| 16_000);
        record.plan.jobs[0].arrival =
            Arrival::Open { iops: 16_000.0, spacing: Spacing::Poisson, bursts: None };
        let late = 4_800 * late_percent;
        let mut reads = counts(480_000 - late, Duration::from_micros(others_us));
        let shown = counts(late, Duration::from_millis(20));
        reads.merge(&shown);
        (reads.held_latency, reads.late_count) = (shown.total_latency, late);
        reads.unheld_latency = counts(late, Duration::from_micros(100)).total_latency;
        record.jobs[0].read = Some(reads);
        record
    }

    #[test]
    fn the_ios_that_the_generator_left_alone_decide_and_their_share_is_kept_with_what_all_show() {
        let p99 = |record: &RunRecord| {
            let verdict = judge(record, &set("flash"));
            let is_it = |one: &&Judged| one.role == Role::Data && one.statistic == Figure::LatencyP99;
            (verdict.outcome, verdict.judged.into_iter().find(|one| is_it(&one)).unwrap())
        };
        // The intervals of the fixture know of no late I/O, so that all of them count.
        let (outcome, fast) = p99(&late_reads(60, 500));
        assert_eq!((outcome, fast.category), (Outcome::Qualified, Category::Good));
        let untouched = fast.untouched.unwrap();
        assert_eq!((untouched.percent, untouched.shown_us.round()), (40.0, 20_000.0));
        let (outcome, slow) = p99(&late_reads(60, 18_000));
        assert_eq!((outcome, slow.is_surely_too_slow()), (Outcome::NotQualified, true));
        // Nothing is left of which the device could be seen.
        let (outcome, open) = p99(&late_reads(100, 500));
        assert_eq!((outcome, open.is_open, open.untouched), (Outcome::Inconclusive, true, None));
    }

    #[test]
    fn bytes_that_never_reached_the_device_are_no_figures_of_it() {
        let mut record = healthy();
        (record.devices[0].read_bytes, record.devices[0].read_count) = (0, 0);
        let verdict = judge(&record, &set("flash"));
        assert_eq!(verdict.outcome, Outcome::Inconclusive, "{:?}", verdict.basis);
        assert_eq!(doubts(&verdict), [&DoubtKind::CacheAboveDevices]);
    }

    #[test]
    fn a_cache_that_may_hold_everything_refuses_a_yes_and_changes_nothing_about_a_no() {
        let behind_cache = |mut record: RunRecord| {
            record.plan.array_cache = Some(ByteSize::gib(1024));
            judge(&record, &set("flash"))
        };
        let fast = behind_cache(healthy());
        assert_eq!((fast.outcome, doubts(&fast)), (Outcome::Inconclusive, vec![&DoubtKind::ArrayCache]));
        assert_eq!(change(&fast), Some(Change::LargerFiles));
        let slow = behind_cache(with_commits_at(Duration::from_millis(7)));
        assert_eq!(slow.outcome, Outcome::NotQualified);
        assert_eq!(ruling_of(&slow).settled[0].kind, DoubtKind::ArrayCache);
    }

    #[test]
    fn a_load_that_is_good_as_a_whole_but_too_slow_in_the_end_is_not_called_good() {
        let fifth = |second: u64| usize::try_from(second / 60).unwrap();
        let fifths = |rates: [u64; 5]| measured(300, |second| rates[fifth(second)]);
        // From 0.4 ms to 4 ms, and 0.82 ms in the mean of all.
        let collapsed = judge(&fifths([20_000, 18_000, 6_000, 3_000, 2_000]), &set("flash"));
        assert_eq!(
            (collapsed.outcome, collapsed.category),
            (Outcome::Inconclusive, Some(Category::Acceptable))
        );
        let [DoubtKind::BurstEnded, DoubtKind::SlowAtTheEnd { measured_s: 60.0, slow }] =
            doubts(&collapsed)[..]
        else {
            panic!("{:?}", collapsed.basis)
        };
        assert!(slow.iter().all(|one| one.value_us > one.limit_us), "{slow:?}");
        assert_eq!(change(&collapsed), Some(Change::UntilSteady));
        // Slow at first is as unsteady, and what a database would meet is fast.
        let recovered = judge(&fifths([2_000, 3_000, 6_000, 18_000, 20_000]), &set("flash"));
        assert_eq!(recovered.outcome, Outcome::Qualified, "{:?}", recovered.basis);
        // One that varies as much as that, but is fast enough in the end as well.
        let varied = judge(&fifths([20_000, 14_000, 20_000, 14_000, 15_000]), &set("flash"));
        assert_eq!(varied.outcome, Outcome::Qualified, "{:?}", varied.basis);
    }

    #[test]
    fn a_short_run_that_is_too_slow_says_how_long_it_was() {
        let verdict = judge(&measured(30, |_| 1_000), &set("flash"));
        assert_eq!(verdict.outcome, Outcome::NotQualified);
        assert_eq!(worst(&verdict), (Role::Log, Stream::Commit, Figure::LatencyMean, 8.0, 2_000.0));
        assert_eq!(ruling_of(&verdict).caveats, [Caveat::ShortRun { measured_s: 30.0 }]);
    }

    #[test]
    fn what_is_no_device_or_no_whole_run_leaves_the_question_open() {
        let check = |spoil: fn(&mut RunRecord), kind: DoubtKind, finding: Option<FindingId>| {
            let mut record = healthy();
            spoil(&mut record);
            let verdict = judge(&record, &set("flash"));
            assert_eq!(verdict.outcome, Outcome::Inconclusive);
            assert_eq!(doubts(&verdict), [&kind]);
            assert_eq!(ruling_of(&verdict).doubts[0].finding.as_ref().map(|one| one.id), finding);
            assert_eq!(worst(&verdict), (Role::Data, Stream::Read, Figure::LatencyMean, 0.5, 2_000.0));
            assert!(verdict.advice.is_some());
        };
        check(
            |record| record.ended = Ended { how: EndedHow::Interrupted, reason: Some("SIGINT".into()) },
            DoubtKind::Interrupted,
            Some(FindingId::Interrupted),
        );
        let in_memory = Some(FindingId::InMemoryTarget);
        check(|record| record.targets[0].in_memory = true, DoubtKind::InMemory, in_memory);
        check(|record| record.plan.direct = false, DoubtKind::PageCache, Some(FindingId::BufferedIo));
        check(|record| record.plan.engine = EngineKind::Null, DoubtKind::NullEngine, None);
        check(|record| record.plan.engine = EngineKind::Sim, DoubtKind::Simulated, None);
    }

    /// An open load of which a tenth was never issued.
    fn not_kept() -> RunRecord {
        let mut record = healthy();
        let arrival = Arrival::Open { iops: 16_000.0, spacing: Spacing::Poisson, bursts: None };
        record.plan.jobs[0].arrival = arrival;
        record.intervals.last_mut().unwrap().backlog = vec![480_000, 0];
        record
    }

    #[test]
    fn a_rate_that_was_not_kept_is_the_storages_fault_only_where_nothing_else_may_be_it() {
        let verdict = judge(&not_kept(), &set("flash"));
        assert_eq!(verdict.outcome, Outcome::NotQualified);
        assert_eq!(ruling_of(&verdict).objections[0].finding().id, FindingId::NotIssued);
        let mut busy = not_kept();
        busy.cpu.as_mut().unwrap().busiest_thread_s = Some(299.0);
        let verdict = judge(&busy, &set("flash"));
        assert_eq!(verdict.outcome, Outcome::Inconclusive, "{:?}", verdict.basis);
        assert!(ruling_of(&verdict).other_findings.iter().any(|one| one.id == FindingId::NotIssued));
        let mut simulated = not_kept();
        simulated.plan.engine = EngineKind::Sim;
        assert_eq!(judge(&simulated, &set("flash")).outcome, Outcome::Inconclusive);
    }

    #[test]
    fn what_failed_is_not_qualified_even_beside_foreign_load() {
        let check = |spoil: fn(&mut RunRecord), id: FindingId| {
            let mut record = healthy();
            spoil(&mut record);
            record.devices[0].write_bytes *= 11;
            let verdict = judge(&record, &set("flash"));
            assert_eq!(verdict.outcome, Outcome::NotQualified);
            assert_eq!(ruling_of(&verdict).objections[0].finding().id, id);
        };
        check(
            |record| {
                record.ended = Ended { how: EndedHow::Failed, reason: Some("the device is gone".into()) }
            },
            FindingId::Failed,
        );
        check(|record| record.jobs[0].write.as_mut().unwrap().error_count = 1, FindingId::IoErrors);
    }

    #[test]
    fn what_the_version_that_wrote_the_record_found_decides_nothing() {
        let mut record = healthy();
        record.findings = vec![iotrial_model::record::RecordedFinding {
            id: "clock-jumped".to_owned(),
            severity: Severity::Serious,
            message: "the clock jumped by 3 s".to_owned(),
            evidence: [].into(),
        }];
        assert_eq!(judge(&record, &set("flash")), judge(&healthy(), &set("flash")));
    }

    #[test]
    fn an_empty_measured_phase_is_no_answer() {
        let verdict = judge(&measured(0, |_| 0), &set("flash"));
        assert_eq!(verdict.outcome, Outcome::Inconclusive);
        assert_eq!(doubts(&verdict)[0], &DoubtKind::TooShort { measured_s: 0.0 });
    }

    #[test]
    fn a_percentile_without_enough_ios_is_left_out_and_that_is_said() {
        let record = with_commits_at(Duration::from_millis(300));
        assert_eq!(record.jobs[1].write.as_ref().unwrap().io_count(), 1_000);
        let verdict = judge(&record, &set("flash"));
        let judged = |statistic| {
            verdict.judged.iter().any(|one| one.stream == Stream::Commit && one.statistic == statistic)
        };
        assert!(judged(Figure::LatencyMean) && judged(Figure::LatencyP99) && !judged(Figure::LatencyP999));
        let gap = |statistic, io_count, least_io_count| Gap {
            roles: vec![Role::Log],
            stream: Some(Stream::Commit),
            statistic: Some(statistic),
            why: WhyNotJudged::TooFewIos { io_count, least_io_count },
        };
        assert_eq!(ruling_of(&verdict).gaps, [gap(Figure::LatencyP999, 1_000, 10_000)]);

        let few = |io_count: u64, latency: Duration| {
            let mut few = open_commits(io_count, latency);
            // What the device counted is that of more commits.
            few.devices.clear();
            judge(&few, &set("flash"))
        };
        let fast = Duration::from_micros(300);
        let verdict = few(298, fast);
        assert_eq!(verdict.outcome, Outcome::Inconclusive);
        let p99 = gap(Figure::LatencyP99, 298, 1_000);
        assert_eq!(doubts(&verdict), [&DoubtKind::TooFewIos(p99)]);
        assert_eq!(verdict.advice, Some(Advice::longer(Duration::from_secs(300))));
        // What is missing proves nothing either: the mean does.
        assert_eq!(few(298, Duration::from_millis(60)).outcome, Outcome::NotQualified);
    }

    /// An open load of which so many I/Os are commits with that latency.
    fn open_commits(io_count: u64, latency: Duration) -> RunRecord {
        let mut record = measured(60, |_| 16_000);
        record.plan.jobs[1].arrival =
            Arrival::Open { iops: io_count as f64 / 60.0, spacing: Spacing::Poisson, bursts: None };
        record.jobs[1].write = Some(counts(io_count, latency));
        record
    }

    #[test]
    fn three_hundred_ios_show_that_a_percentile_is_within_its_limit_where_none_of_them_is_slower() {
        let p99 = |slow_count: u64, io_count: u64| {
            let mut record = open_commits(io_count - slow_count, Duration::from_micros(300));
            let commits = record.jobs[1].write.as_mut().unwrap();
            commits.merge(&counts(slow_count, Duration::from_millis(30)));
            record.devices.clear();
            let verdict = judge(&record, &set("flash"));
            let mut commits = verdict.judged.iter().filter(|one| one.stream == Stream::Commit);
            let bound = commits.find(|one| one.statistic == Figure::LatencyP99).map(|one| one.bound);
            (verdict.outcome, bound)
        };
        let at_most = Some(Some(BoundRelation::AtMost));
        assert_eq!(p99(0, 299), (Outcome::Qualified, at_most));
        assert_eq!(p99(1, 472), (Outcome::Inconclusive, None));
        assert_eq!(p99(1, 473), (Outcome::Qualified, at_most));
        assert_eq!(p99(5, 999), (Outcome::Inconclusive, None));
        assert_eq!(p99(4, 999), (Outcome::Qualified, at_most));
        assert_eq!(p99(4, 1_000), (Outcome::Qualified, Some(None)));
    }

    #[test]
    fn a_stream_that_hardly_moved_leaves_the_question_open() {
        let mut record = healthy();
        record.jobs[1].write = Some(counts(99, Duration::from_micros(500)));
        let check = |record: &RunRecord, io_count: u64| {
            let verdict = judge(record, &set("flash"));
            assert_eq!(verdict.outcome, Outcome::Inconclusive);
            let (roles, least_io_count) = (vec![Role::Log], 1_000);
            let starved = Starved::Stream { roles, stream: Stream::Commit, io_count, least_io_count };
            assert!(doubts(&verdict).contains(&&DoubtKind::Starved(starved)), "{:?}", verdict.basis);
        };
        check(&record, 99);
        record.jobs[1].write = None;
        check(&record, 0);
    }

    #[test]
    fn a_role_without_bands_is_left_out_and_that_is_said() {
        let mut record = healthy();
        record.plan.jobs[0].role = Role::Scan;
        let verdict = judge(&record, &set("oci-sqlserver"));
        let gap =
            |role, stream| Gap { roles: vec![role], stream, statistic: None, why: WhyNotJudged::NoLimits };
        assert_eq!(verdict.outcome, Outcome::Qualified);
        assert_eq!(ruling_of(&verdict).gaps, [gap(Role::Scan, None)]);

        record.plan.jobs[1].role = Role::Backup;
        let verdict = judge(&record, &set("oci-sqlserver"));
        assert!(ruling_of(&verdict).doubts.is_empty());
        assert_eq!((verdict.outcome, verdict.category), (Outcome::Inconclusive, None));
    }

    #[test]
    fn a_stream_without_bands_is_left_out_and_that_is_said() {
        let own = ThresholdSet::parse(
            "format = \"iotrial.thresholds/1\"\nname = \"own\"\ntitle = \"Own\"\n[[bands]]\nroles = [\"data\", \"log\"]\nstreams = [\"read\"]\nsource = \"me\"\nmean = { acceptable_below = \"1ms\" }\n",
        )
        .unwrap();
        let verdict = judge(&healthy(), &own);
        assert_eq!(verdict.outcome, Outcome::Qualified);
        let gaps: Vec<(Role, Option<Stream>)> =
            ruling_of(&verdict).gaps.iter().map(|gap| (gap.roles[0], gap.stream)).collect();
        assert_eq!(gaps, [(Role::Data, Some(Stream::Write)), (Role::Log, Some(Stream::Commit))]);
    }

    #[test]
    fn writes_that_are_no_commits_are_judged_as_writes() {
        let mut record = healthy();
        record.plan.jobs[1].durability = Durability::None;
        let verdict = judge(&record, &set("flash"));
        let of_log: Vec<Stream> =
            verdict.judged.iter().filter(|one| one.role == Role::Log).map(|one| one.stream).collect();
        assert_eq!(of_log, [Stream::Write; 3]);
    }

    #[test]
    fn the_writes_that_carry_commits_in_groups_are_not_judged() {
        let mut record = healthy();
        record.plan.jobs[1].group_commit = Some(GroupCommit {
            commit_size: ByteSize::bytes(700),
            largest_write: ByteSize::kib(60),
            tail: LogTail::Pad,
        });
        record.jobs[1].commit = Some(counts(600_000, Duration::from_micros(900)));
        let verdict = judge(&record, &set("flash"));
        let of_log: Vec<Stream> =
            verdict.judged.iter().filter(|one| one.role == Role::Log).map(|one| one.stream).collect();
        assert_eq!(of_log, [Stream::Commit; 3]);
    }

    /// What can be wrong with a run, independently of each other.
    #[derive(Debug)]
    struct Circumstances {
        seconds: u64,
        iops: u64,
        slowdown: u64,
        interrupted: bool,
        error_count: u64,
        direct: bool,
        in_memory: bool,
        engine: EngineKind,
        set: &'static str,
    }

    fn circumstances() -> impl Strategy<Value = Circumstances> {
        let engine = prop_oneof![
            8 => Just(EngineKind::Uring), 2 => Just(EngineKind::Sim), 1 => Just(EngineKind::Null)
        ];
        let sets = prop_oneof![Just("flash"), Just("oci-sqlserver"), Just("sqlserver-whitepaper")];
        let flags = (
            prop::bool::weighted(0.1),
            prop_oneof![9 => Just(0u64), 1 => 1u64..50],
            prop::bool::weighted(0.9),
            prop::bool::weighted(0.1),
        );
        (0u64..120, 50u64..60_000, 1u64..4, flags, engine, sets).prop_map(
            |(seconds, iops, slowdown, (interrupted, error_count, direct, in_memory), engine, set)| {
                Circumstances {
                    seconds,
                    iops,
                    slowdown,
                    interrupted,
                    error_count,
                    direct,
                    in_memory,
                    engine,
                    set,
                }
            },
        )
    }

    proptest! {
        #[test]
        fn the_ruling_claims_what_the_facts_allow_and_no_more(asked in circumstances()) {
            let mut record = measured(asked.seconds, |second| {
                if second * 2 < asked.seconds { asked.iops } else { asked.iops / asked.slowdown }
            });
            if asked.interrupted {
                record.ended.how = EndedHow::Interrupted;
            }
            if let Some(write) = record.jobs[0].write.as_mut() {
                write.error_count = asked.error_count;
            }
            record.plan.direct = asked.direct;
            record.plan.engine = asked.engine;
            record.targets[0].in_memory = asked.in_memory;
            let verdict = judge(&record, &set(asked.set));
            let ruling = ruling_of(&verdict);

            let errors = record.jobs.iter().filter_map(|job| job.write.as_ref()).any(|one| one.error_count > 0);
            let buffered = !asked.direct && asked.engine == EngineKind::Uring;
            let no_device = asked.in_memory || buffered || asked.engine != EngineKind::Uring;
            let worst = verdict.judged.iter().map(|one| one.category).max();
            prop_assert_eq!(worst, verdict.category);

            prop_assert_eq!(verdict.outcome, ruling.outcome);
            prop_assert_eq!(verdict.advice.is_some(), verdict.outcome == Outcome::Inconclusive, "{:?}", ruling);
            let is_open = asked.interrupted || no_device || asked.seconds < 10;
            match verdict.outcome {
                Outcome::Qualified => {
                    prop_assert!(!is_open && !errors, "{:?}", ruling);
                    prop_assert!(worst.unwrap() <= Category::Acceptable, "{:?}", ruling);
                    prop_assert!(ruling.objections.is_empty() && ruling.doubts.is_empty(), "{:?}", ruling);
                }
                Outcome::NotQualified => {
                    let too_slow = worst.is_some_and(|worst| worst > Category::Acceptable);
                    prop_assert!(errors || too_slow && !is_open, "{:?}", ruling);
                }
                Outcome::Inconclusive => prop_assert!(!errors && !ruling.doubts.is_empty(), "{:?}", ruling),
            }
            if ruling.doubts.is_empty() && !errors {
                let is_short = ruling.caveats.iter().any(|one| matches!(one, Caveat::ShortRun { .. }));
                prop_assert_eq!(is_short, asked.seconds < 60, "{:?}", ruling);
                let unsteady = crate::steady_state::SteadyState::of(&Subject::of_run(&record)).is_some_and(|one| !one.held);
                prop_assert_eq!(ruling.caveats.contains(&Caveat::Unsteady { within: None }), unsteady, "{:?}", ruling);
            }
            // Every warning bears on it somewhere.
            let told: Vec<FindingId> = ruling.objections.iter().map(|one| one.finding().id)
                .chain(ruling.doubts.iter().filter_map(|doubt| Some(doubt.finding.as_ref()?.id)))
                .chain(ruling.other_findings.iter().map(|finding| finding.id))
                .collect();
            for finding in findings(&Subject::of_run(&record)).iter().filter(|one| one.severity >= Severity::Warning) {
                prop_assert!(told.contains(&finding.id), "{}: {:?}", finding.id, ruling);
            }
        }
    }
}
