use iotrial_model::bound::BoundRelation;
use iotrial_model::finding::{CacheByLatency, Changing, Contradiction, LatencyLimitMissed, SeenIn, Unsteady};
use iotrial_model::latency_limit::SearchLimit;
use iotrial_model::load::{Direction, Role, Spacing};
use iotrial_model::plan::UntilSteady;
use iotrial_model::record::RunRecord;
use iotrial_model::search::Search;
use iotrial_model::stream::Stream;

use super::*;
use crate::test_record::{healthy, imported, measured};

/// What came of a finding.
#[derive(Debug, PartialEq)]
enum Came {
    Failed,
    Against,
    Open(DoubtKind, Change),
    Kept(Caveat),
    Beside,
    Nothing,
}

fn one(id: FindingId, severity: Severity, evidence: Evidence) -> Finding {
    Finding { evidence, ..Finding::without_evidence(id, severity, String::new()) }
}

fn warning(id: FindingId) -> Finding {
    one(id, Severity::Warning, Evidence::Nothing {})
}

fn of_step(subject: &Subject<'_>, findings: &[Finding]) -> Bearing {
    Bearing::of_step(subject, findings, &[], Vec::new())
}

/// What came of the first of these.
fn came(subject: &Subject<'_>, findings: &[Finding]) -> Came {
    let bearing = of_step(subject, findings);
    let is_it = |finding: &Finding| finding.id == findings[0].id;
    if bearing.failed.iter().any(is_it) {
        return Came::Failed;
    }
    if bearing.objections.iter().any(|objection| is_it(objection.finding())) {
        return Came::Against;
    }
    if let Some(doubt) = bearing.doubts.iter().find(|doubt| doubt.finding.as_ref().is_some_and(is_it)) {
        return Came::Open(doubt.kind.clone(), doubt.advice.change);
    }
    match bearing.caveats.as_slice() {
        [caveat] => Came::Kept(*caveat),
        _ if bearing.other_findings.iter().any(is_it) => Came::Beside,
        _ => Came::Nothing,
    }
}

fn doubts(bearing: &Bearing) -> Vec<&DoubtKind> {
    bearing.doubts.iter().map(|doubt| &doubt.kind).collect()
}

fn with_search(record: &RunRecord) -> RunRecord {
    let search = Search {
        limit: SearchLimit::Thresholds("flash".to_owned()),
        limit_differs: false,
        need: None,
        probes: Vec::new(),
        carries_need: None,
        result: None,
        time_ran_out: false,
    };
    RunRecord { search: Some(search), ..record.clone() }
}

fn cache_by_latency() -> Evidence {
    Evidence::CacheByLatency(CacheByLatency {
        seen_in: SeenIn::Latency,
        direction: Direction::Read,
        job: "pages".to_owned(),
        cache_percent: 40.0,
        fast_median_us: 10.0,
        slow_median_us: 500.0,
        gap_from_us: 50.0,
        area_count: 1,
    })
}

fn contradiction(is_of_latency: bool) -> Evidence {
    let first = Contradiction::Outstanding { in_flight: (1.0, 2.0), outstanding: 8.0 };
    Evidence::ContradictoryFigures { contradiction_count: 1, is_of_latency, first }
}

#[test]
fn each_finding_has_its_weight() {
    use FindingId as Id;
    let record = healthy();
    let subject = Subject::of_run(&record);
    let check = |found: Finding, expected: Came| {
        let id = found.id;
        assert_eq!(came(&subject, &[found]), expected, "{id}");
    };
    for id in [Id::Failed, Id::IoErrors, Id::ShortIo] {
        check(warning(id), Came::Failed);
    }
    check(one(Id::Stalled, Severity::Serious, Evidence::Nothing {}), Came::Failed);
    check(warning(Id::Stalled), Came::Kept(Caveat::Stall));
    check(warning(Id::Paused), Came::Kept(Caveat::Paused));
    check(warning(Id::CoarseLatency), Came::Kept(Caveat::CoarseLatency));
    let open = |kind, change| Came::Open(kind, change);
    check(warning(Id::Interrupted), open(DoubtKind::Interrupted, Change::RunAgain));
    check(warning(Id::AlteredRecord), open(DoubtKind::AlteredRecord, Change::AskForRecord));
    check(warning(Id::InMemoryTarget), open(DoubtKind::InMemory, Change::ChooseDisk));
    check(warning(Id::BufferedIo), open(DoubtKind::PageCache, Change::LeaveOutBuffered));
    check(warning(Id::ThrottledAfterBurst), open(DoubtKind::BurstEnded, Change::UntilSteady));
    check(warning(Id::CacheServed), open(DoubtKind::CacheAboveDevices, Change::LargerFiles));
    let by_latency = one(Id::CacheServed, Severity::Warning, cache_by_latency());
    check(by_latency, open(DoubtKind::TwoLatencies, Change::LargerFiles));
    check(warning(Id::ForeignLoad), open(DoubtKind::ForeignLoad, Change::StopOthersOnDevices));
    check(warning(Id::GeneratorBusy), open(DoubtKind::ShortOfCpu, Change::StopOthersOnHost));
    check(warning(Id::LateIssues), open(DoubtKind::IssuedLate, Change::StopOthersOnHost));
    check(warning(Id::ClockJump), open(DoubtKind::ClockJump, Change::WaitForClock));
    check(warning(Id::LittlesLaw), open(DoubtKind::Contradiction, Change::LookAtAudit));
    let of_latency = one(Id::ContradictoryFigures, Severity::Warning, contradiction(true));
    check(of_latency, open(DoubtKind::Contradiction, Change::LookAtAudit));
    let of_rates = one(Id::ContradictoryFigures, Severity::Warning, contradiction(false));
    check(of_rates, Came::Kept(Caveat::Contradiction));
    for id in [Id::FlushesApart, Id::UnevenDevices, Id::MetricMissing, Id::Forced, Id::NoCatalog] {
        check(warning(id), Came::Beside);
    }
    // A note decides nothing, except of what is so whatever its weight.
    for id in [Id::ShortRun, Id::GeneratorBusy, Id::CacheServed, Id::UnevenDevices, Id::ClockJump] {
        check(one(id, Severity::Note, Evidence::Nothing {}), Came::Nothing);
    }
}

#[test]
fn a_rate_that_was_not_kept_counts_of_a_job_with_a_rate_and_outside_of_a_search() {
    let mut record = healthy();
    let found = |job: &str| {
        let job = job.to_owned();
        let evidence =
            Evidence::NotIssued { job, not_issued_count: 9, not_issued_percent: 5.0, are_commits: false };
        vec![one(FindingId::NotIssued, Severity::Warning, evidence)]
    };
    assert_eq!(came(&Subject::of_run(&record), &found("pages")), Came::Beside);
    record.plan.jobs[0].arrival = Arrival::Open { iops: 1_000.0, spacing: Spacing::Poisson, bursts: None };
    let subject = Subject::of_run(&record);
    assert_eq!(came(&subject, &found("pages")), Came::Against);
    assert_eq!(came(&subject, &found("journal")), Came::Beside);
    assert_eq!(came(&subject, &[warning(FindingId::NotIssued)]), Came::Beside);
    let doubtful = [found("pages"), vec![warning(FindingId::ForeignLoad)]].concat();
    assert_eq!(came(&subject, &doubtful), Came::Beside);
    let searched = with_search(&record);
    assert_eq!(came(&Subject::of_run(&searched), &found("pages")), Came::Beside);
}

#[test]
fn a_limit_that_no_rate_met_is_the_storages_fault_unless_something_else_may_be_it() {
    let missed = |doubts: &[FindingId]| {
        let evidence = Evidence::LatencyLimitMissed(LatencyLimitMissed {
            short_loads_iops: None,
            limit: SearchLimit::Thresholds("flash".to_owned()),
            lowest_iops: 100.0,
            doubts: doubts.iter().copied().collect(),
            latency_us: None,
            share_of_saturation: 0.1,
            why_not: None,
            is_only_rate: false,
        });
        came(&Subject::of_run(&healthy()), &[one(FindingId::LatencyLimitMissed, Severity::Serious, evidence)])
    };
    assert_eq!(missed(&[]), Came::Failed);
    let other = Came::Open(DoubtKind::OtherLimit, Change::StopOthersOnHostAndDevices);
    assert_eq!(missed(&[FindingId::LateIssues]), other);
}

#[test]
fn being_late_is_a_reason_of_its_own_only_where_the_generator_was_not_seen_short_of_cpu() {
    let late = |busy: Severity| {
        let findings =
            [warning(FindingId::LateIssues), one(FindingId::GeneratorBusy, busy, Evidence::Nothing {})];
        of_step(&Subject::of_run(&healthy()), &findings)
    };
    // One reason, and the other finding beside it.
    let short = late(Severity::Warning);
    assert_eq!(doubts(&short), [&DoubtKind::ShortOfCpu]);
    let beside: Vec<FindingId> = short.other_findings.iter().map(|one| one.id).collect();
    assert_eq!(beside, [FindingId::GeneratorBusy]);
    assert_eq!(doubts(&late(Severity::Note)), [&DoubtKind::IssuedLate]);
    let another = [warning(FindingId::LateIssues), warning(FindingId::ForeignLoad)];
    let both = of_step(&Subject::of_run(&healthy()), &another);
    assert_eq!(doubts(&both), [&DoubtKind::IssuedLate, &DoubtKind::ForeignLoad]);
}

#[test]
fn a_burst_that_ended_is_no_second_reason_of_a_load_that_was_waited_for() {
    let unsteady = |waited_s: Option<f64>| {
        let evidence = Evidence::Unsteady(Unsteady { waited_s, ..Unsteady::of(Changing::Iops) });
        let findings =
            [warning(FindingId::ThrottledAfterBurst), one(FindingId::Unsteady, Severity::Warning, evidence)];
        of_step(&Subject::of_run(&healthy()), &findings)
    };
    assert_eq!(doubts(&unsteady(Some(60.0))), [&DoubtKind::NotSteadyInTime]);
    let not_asked = unsteady(None);
    assert_eq!(doubts(&not_asked), [&DoubtKind::BurstEnded]);
    assert_eq!(not_asked.caveats, [Caveat::Unsteady { within: None }]);
}

#[test]
fn a_search_that_met_the_end_of_a_burst_takes_longer_runs_for_it_cannot_wait_for_a_steady_load() {
    let found = [warning(FindingId::ThrottledAfterBurst)];
    let searched = with_search(&healthy());
    let bearing = of_step(&Subject::of_run(&searched), &found);
    assert_eq!(doubts(&bearing), [&DoubtKind::BurstEnded]);
    assert_eq!(bearing.doubts[0].advice, Advice::longer(Duration::from_secs(600)));
}

#[test]
fn a_load_that_was_to_become_steady_and_was_stopped_says_how_long_it_was_given() {
    let mut record = healthy();
    record.plan.until_steady = Some(UntilSteady { round: Duration::from_secs(60) });
    let ramp = iotrial_model::plan::Phase { kind: PhaseKind::Ramp, duration: Duration::from_secs(40) };
    record.plan.phases.insert(0, ramp);
    let unsteady = Evidence::Unsteady(Unsteady::of(Changing::Iops));
    let found = [one(FindingId::Unsteady, Severity::Warning, unsteady)];
    let kept = Came::Kept(Caveat::Unsteady { within: Some(Duration::from_secs(260)) });
    assert_eq!(came(&Subject::of_run(&record), &found), kept);
}

#[test]
fn a_run_that_was_stopped_before_it_measured_has_that_as_its_only_reason() {
    let record = measured(0, |_| 0);
    let subject = Subject::of_run(&record);
    let short = one(FindingId::ShortRun, Severity::Serious, Evidence::ShortRun { measured_s: 0.0 });
    let starved = vec![Starved::Time { measured_s: 0.0 }];
    let both = [warning(FindingId::Interrupted), short.clone()];
    let stopped = Bearing::of_step(&subject, &both, &[], starved.clone());
    assert_eq!(doubts(&stopped), [&DoubtKind::NothingMeasured]);
    let beside: Vec<FindingId> = stopped.other_findings.iter().map(|one| one.id).collect();
    assert_eq!(beside, [FindingId::ShortRun]);
    let empty = Bearing::of_step(&subject, std::slice::from_ref(&short), &[], starved.clone());
    let short_and_starved =
        [&DoubtKind::TooShort { measured_s: 0.0 }, &DoubtKind::Starved(starved[0].clone())];
    assert_eq!(doubts(&empty), short_and_starved);
    // One that was stopped while it measured is too short as well.
    let nine = measured(9, |_| 16_000);
    let cut = Bearing::of_step(&Subject::of_run(&nine), &both, &[], starved.clone());
    let all = [
        &DoubtKind::Interrupted,
        &DoubtKind::TooShort { measured_s: 9.0 },
        &DoubtKind::Starved(starved[0].clone()),
    ];
    assert_eq!(doubts(&cut), all);
}

#[test]
fn how_short_the_last_load_of_a_search_is_decides_nothing() {
    let short = one(FindingId::ShortRun, Severity::Warning, Evidence::ShortRun { measured_s: 5.0 });
    let starved = || vec![Starved::Time { measured_s: 0.5 }];
    let planned = |seconds: u64| {
        let mut record = with_search(&measured(5, |_| 16_000));
        record.plan.phases[0].duration = Duration::from_secs(seconds);
        let ramp = iotrial_model::plan::Phase { kind: PhaseKind::Ramp, duration: Duration::from_secs(90) };
        record.plan.phases.insert(0, ramp);
        record
    };
    let of = |record: &RunRecord| {
        Bearing::of_step(&Subject::of_run(record), std::slice::from_ref(&short), &[], starved())
    };
    for (seconds, longer) in [(30, Some(60)), (59, Some(60)), (60, None), (90, None)] {
        let bearing = of(&planned(seconds));
        assert_eq!((doubts(&bearing), bearing.caveats.len()), (Vec::new(), 0));
        assert_eq!(bearing.longer, longer.map(Duration::from_secs), "{seconds}");
    }
    // The record of a search for a need is the long load at it.
    let mut needing = planned(30);
    needing.search.as_mut().unwrap().need = Some("1000iops".parse().unwrap());
    assert_eq!(of(&needing).doubts.len(), 2);
    // So is that of a search that found a rate.
    let mut found = planned(30);
    found.search.as_mut().unwrap().result = Some(iotrial_model::search::SearchResult {
        held_iops: 1_000.0,
        device_iops: None,
        read_iops: None,
        write_iops: None,
        confidence_percent: None,
        not_held_iops: None,
        worst: iotrial_model::search::WorstLatency {
            role: Role::Data,
            stream: Stream::Read,
            statistic: None,
            latency_us: 1.0,
            limit_us: None,
            untouched: None,
        },
        not_held_doubts: iotrial_model::finding::Doubts::default(),
        job_rates: Vec::new(),
    });
    assert_eq!(of(&found).doubts.len(), 2);
}

#[test]
fn what_another_tool_measured_is_taken_as_it_is() {
    let record = imported();
    let subject = Subject { measured: Some(Duration::from_secs(5)), ..Subject::of_imported(&record) };
    let short = one(FindingId::ShortRun, Severity::Warning, Evidence::ShortRun { measured_s: 5.0 });
    assert_eq!(
        came(&subject, std::slice::from_ref(&short)),
        Came::Kept(Caveat::ShortRun { measured_s: 5.0 })
    );
    let buffered = Came::Open(DoubtKind::PageCache, Change::DirectIoOfTool);
    assert_eq!(came(&subject, &[warning(FindingId::BufferedIo)]), buffered);
    let bearing = Bearing::of_step(&subject, &[short], &[p99_gap(999)], Vec::new());
    assert_eq!((doubts(&bearing), bearing.longer), (Vec::new(), None));
}

fn p99_gap(io_count: u64) -> Gap {
    gap(Some(Figure::LatencyP99), WhyNotJudged::TooFewIos { io_count, least_io_count: 1_000 })
}

fn gap(statistic: Option<Figure>, why: WhyNotJudged) -> Gap {
    Gap { roles: vec![Role::Log], stream: Some(Stream::Commit), statistic, why }
}

#[test]
fn only_a_p99_with_too_few_ios_is_missed_and_the_next_run_is_long_enough_for_it() {
    let record = measured(100, |_| 16_000);
    let subject = Subject::of_run(&record);
    let advised = |gaps: &[Gap]| {
        let bearing = Bearing::of_step(&subject, &[], gaps, Vec::new());
        bearing.doubts.first().map(|doubt| doubt.advice)
    };
    let minutes = |minutes: u64| Some(Advice::longer(Duration::from_secs(60 * minutes)));
    let p999 = WhyNotJudged::TooFewIos { io_count: 99, least_io_count: 10_000 };
    assert_eq!(advised(&[gap(Some(Figure::LatencyP999), p999)]), None);
    assert_eq!(advised(&[gap(Some(Figure::LatencyP99), WhyNotJudged::NotStated)]), None);
    // Ten times as many I/Os and a fifth more, in 1,200 s; five times in 600 s; of the rarest of several.
    assert_eq!(advised(&[p99_gap(100)]), minutes(20));
    assert_eq!(advised(&[p99_gap(200), p99_gap(500)]), minutes(10));
    // 1,010 s are 17 minutes, rounded up.
    assert_eq!(advised(&[p99_gap(119)]), minutes(17));
    // A stream that hardly moved is one of them.
    let starved = |least_io_count| Starved::Stream {
        roles: vec![Role::Log],
        stream: Stream::Commit,
        io_count: 50,
        least_io_count,
    };
    let of_starved = |least_io_count| {
        let bearing = Bearing::of_step(&subject, &[], &[p99_gap(500)], vec![starved(least_io_count)]);
        bearing.doubts.first().map(|doubt| doubt.advice)
    };
    assert_eq!((of_starved(1_000), of_starved(100)), (minutes(40), minutes(4)));
    // No more than an hour, and as long as now for what never came.
    assert_eq!(advised(&[p99_gap(1)]), minutes(60));
    assert_eq!(advised(&[p99_gap(0)]), minutes(2));
}

#[test]
fn no_run_is_asked_for_less_than_a_minute_and_a_step_needs_all_of_its_steps_to_be_longer() {
    let record = measured(20, |_| 16_000);
    let mut subject = Subject::of_run(&record);
    let seconds = |subject: &Subject<'_>, io_count: u64| {
        longer_advice(subject, &[p99_gap(io_count)], &[]).duration.unwrap().as_secs()
    };
    assert_eq!(seconds(&subject, 900), 60);
    // A third of what was measured.
    subject.part_of = Some(Duration::from_secs(60));
    assert_eq!(seconds(&subject, 900), 180);
    // Never less than the step itself, and of one that was not begun as of a whole.
    subject.part_of = Some(Duration::from_secs(10));
    assert_eq!((seconds(&subject, 900), seconds(&subject, 1)), (60, 3_600));
    subject.part_of = Some(Duration::from_secs(1_000_000));
    assert_eq!(seconds(&subject, 900), 60_000);
    subject.measured = Some(Duration::ZERO);
    assert_eq!(seconds(&subject, 900), 60);
    // Half a second counts as one.
    let half = Subject { part_of: None, measured: Some(Duration::from_millis(500)), ..subject };
    assert_eq!(seconds(&half, 10), 120);
}

#[test]
fn less_than_ten_seconds_are_too_short_but_for_what_clocks_differ_by() {
    let with = |measured: Duration| {
        let record = healthy();
        let subject = Subject { measured: Some(measured), ..Subject::of_run(&record) };
        let found = one(FindingId::ShortRun, Severity::Warning, Evidence::Nothing {});
        of_step(&subject, &[found])
    };
    let ten = Duration::from_secs(10);
    assert!(doubts(&with(ten)).is_empty());
    assert!(doubts(&with(ten - CLOCK_SLACK)).is_empty());
    let short = with(ten - CLOCK_SLACK - Duration::from_nanos(1));
    assert_eq!(short.doubts.len(), 1);
    // A minute at once, so that the next run has no caveat.
    assert_eq!(short.advice(), Some(Advice::longer(Duration::from_secs(60))));
    assert_eq!(with(ten).longer, Some(Duration::from_secs(60)));
    // Only for its length is a run to be longer.
    assert_eq!(of_step(&Subject::of_run(&healthy()), &[warning(FindingId::Stalled)]).longer, None);
    // A step of a third of the whole.
    let of_third = |seconds: u64| {
        let (measured, whole) = (Duration::from_secs(seconds), Duration::from_secs(3 * seconds));
        let record = healthy();
        let subject = Subject { measured: Some(measured), part_of: Some(whole), ..Subject::of_run(&record) };
        let bearing = of_step(&subject, &[warning(FindingId::ShortRun)]);
        bearing.longer.or_else(|| bearing.advice()?.duration)
    };
    let three_minutes = Some(Duration::from_secs(180));
    assert_eq!((of_third(9), of_third(20)), (three_minutes, three_minutes));
}

#[test]
fn the_first_advice_stands_with_the_longest_time_of_all() {
    let undecided =
        gap(None, WhyNotJudged::Undecided { relation: BoundRelation::Below, shown_ms: 1.0, limit_us: 500.0 });
    let record = measured(100, |_| 16_000);
    let subject = Subject::of_run(&record);
    let mut bearing =
        Bearing::of_step(&subject, &[warning(FindingId::ForeignLoad)], &[p99_gap(100)], Vec::new());
    bearing.add_undecided(&[undecided.clone(), p99_gap(1)]);
    let advice = Advice { change: Change::StopOthersOnDevices, duration: Some(Duration::from_secs(1_200)) };
    assert_eq!(bearing.advice(), Some(advice));
    bearing.longer = Some(Duration::from_secs(60));
    assert_eq!(bearing.advice(), Some(advice));
    let last = bearing.doubts.last().unwrap();
    assert_eq!((&last.kind, last.advice), (&DoubtKind::Undecided(undecided), Advice::to(Change::AskSource)));
    let mut both = Bearing::of_step(&subject, &[], &[p99_gap(500)], Vec::new());
    both.longer = Some(Duration::from_secs(60));
    assert_eq!(both.advice(), Some(Advice::longer(Duration::from_secs(240))));
    both.longer = Some(Duration::from_secs(600));
    assert_eq!(both.advice(), Some(Advice::longer(Duration::from_secs(600))));
}
