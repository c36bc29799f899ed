use iotrial_model::record::{EndedHow, JobCounts, RunRecord};

use super::*;
use crate::test_record::{counts, measured};

const SATURATION_IOPS: f64 = 18_000.0;

/// A device on which a rate holds, or not, as `holds` says of the share and the number of the load. Reads of
/// the first job are 100 µs where it holds and 9 ms where it does not; its other streams are always fast.
fn tried(limit: &str, holds: impl Fn(ProbeKind, f64, usize) -> bool) -> RateSearch {
    let mut plan = measured(30, |_| 16_000).plan;
    plan.phases.insert(0, Phase { kind: PhaseKind::Ramp, duration: Duration::from_secs(5) });
    let mut search = RateSearch::new(limit.parse().unwrap(), plan).unwrap();
    while let Some(load) = search.next_load().unwrap() {
        assert!(search.search().probes.len() < 40, "it does not end: {:#?}", search.search());
        let is_held = load.share.is_none_or(|share| holds(load.kind, share, search.search().probes.len()));
        let seconds = load.plan.phases.last().unwrap().duration.as_secs();
        let mut record = measured(seconds, |_| 16_000);
        record.plan = load.plan.clone();
        if !is_held {
            record.jobs[0].read = Some(counts(8_000 * seconds, Duration::from_millis(9)));
        }
        assert_eq!(record.ended.how, EndedHow::Complete);
        search.note(&load, &Subject::of_run(&record)).unwrap();
    }
    search
}

fn shares(search: &RateSearch, kind: ProbeKind) -> Vec<f64> {
    search.of_kind(kind).map(|(share, _)| share).collect()
}

fn found(search: &RateSearch) -> Option<(f64, Option<f64>)> {
    let result = search.search().result.as_ref()?;
    Some((result.held_iops / SATURATION_IOPS, result.not_held_iops.map(|iops| iops / SATURATION_IOPS)))
}

#[test]
fn wherever_the_truth_lies_it_is_bracketed_within_five_percent_in_few_loads() {
    for step in 6..=104 {
        let truth = f64::from(step) / 100.0;
        let search = tried("2ms@p99", |_, share, _| share <= truth);
        let (held, not_held) = found(&search).unwrap();
        assert!(held <= truth && not_held.unwrap() > truth, "{truth}: {held} {not_held:?}");
        assert!(not_held.unwrap() / held <= BRACKET + 1e-6, "{truth}: {held} {not_held:?}");
        let loads = search.search().probes.len();
        assert!(loads <= 14 && (truth < 0.7 || loads <= 9), "{loads} loads for {truth}");
        assert_eq!(shares(&search, ProbeKind::Confirmation).len(), 1);
    }
}

#[test]
fn a_single_mishap_does_not_set_the_upper_end() {
    // The truth is 0.97, and the third load fails by mishap.
    let search = tried("2ms@p99", |_, share, load| share <= 0.97 && load != 2);
    let (held, not_held) = found(&search).unwrap();
    assert!(held > 0.97 / BRACKET && not_held.unwrap() > 0.97, "{held} {not_held:?}");
}

/// The same as [`tried`] on a host whose generator is busy where `is_busy` says so of the share and the
/// number of the load.
fn doubted(truth: f64, is_busy: impl Fn(ProbeKind, f64, usize) -> bool) -> RateSearch {
    let mut search = RateSearch::new("2ms@p99".parse().unwrap(), measured(30, |_| 16_000).plan).unwrap();
    while let Some(load) = search.next_load().unwrap() {
        let number = search.search().probes.len();
        assert!(number < 40, "it does not end: {:#?}", search.search());
        let mut record = measured(10, |_| 16_000);
        // A real device counts what was issued.
        record.plan = load.plan.clone();
        let is_busy = load.share.is_some_and(|share| is_busy(load.kind, share, number));
        if is_busy {
            record.cpu.as_mut().unwrap().busiest_thread_s = Some(9.9);
        }
        if is_busy || load.share.is_some_and(|share| share > truth) {
            let [read, write] = [1, 2].map(|_| counts(80_000, Duration::from_millis(9)));
            (record.jobs[0].read, record.jobs[0].write) = (Some(read), Some(write));
        }
        search.note(&load, &Subject::of_run(&record)).unwrap();
    }
    search
}

#[test]
fn a_load_that_may_have_failed_for_want_of_cpu_is_tried_again_and_the_answer_says_so() {
    // Once, by mishap: the second try tells.
    let search = doubted(2.0, |_, _, number| number == 1);
    assert_eq!(shares(&search, ProbeKind::Probe)[..2], [FIRST_SHARE; 2]);
    let (held, not_held) = found(&search).unwrap();
    assert!((held - HIGHEST_SHARE).abs() < 1e-9 && not_held.is_none(), "{held} {not_held:?}");
    assert_eq!(search.search().probes[1].doubts.to_string(), "generator-busy");
    // A host that carries 0.6 of what the device does, in confirmations 0.5.
    let search =
        doubted(2.0, |kind, share, _| share > if kind == ProbeKind::Confirmation { 0.5 } else { 0.6 });
    let result = search.search().result.as_ref().unwrap();
    assert!(result.held_iops <= 0.5 * SATURATION_IOPS, "{result:?}");
    assert_eq!(result.not_held_doubts.to_string(), "generator-busy");
    for kind in [ProbeKind::Probe, ProbeKind::Confirmation] {
        let tries = |share: f64| search.tries(kind, share);
        assert!(shares(&search, kind).into_iter().all(|share| tries(share) <= 2));
    }
    // A device that sets the end itself is beyond doubt.
    let search = doubted(0.8, |_, share, _| share > 0.95);
    assert!(search.search().result.as_ref().unwrap().not_held_doubts.is_empty());
}

#[test]
fn a_rate_that_is_not_confirmed_is_left_by_ever_larger_steps_and_then_closed_in() {
    for truth in [0.9, 0.72, 0.5, 0.2] {
        let search = tried("2ms@p99", |kind, share, _| {
            share <= if kind == ProbeKind::Confirmation { truth } else { 0.96 }
        });
        let (held, not_held) = found(&search).unwrap();
        assert!(held <= truth && not_held.unwrap() > truth, "{truth}: {held} {not_held:?}");
        let confirmations = shares(&search, ProbeKind::Confirmation).len();
        assert!((2..=MOST_CONFIRMATIONS).contains(&confirmations), "{truth}: {confirmations}");
        assert!(truth < 0.7 || not_held.unwrap() / held < 1.07, "{truth}: {held} {not_held:?}");
    }
}

#[test]
fn what_does_not_even_hold_without_waiting_ends_after_the_lowest_rate_was_tried_twice() {
    let search = tried("2ms@p99", |_, _, _| false);
    assert_eq!(found(&search), None);
    assert_eq!(shares(&search, ProbeKind::Probe), [FIRST_SHARE, LOWEST_SHARE, LOWEST_SHARE]);
    let why_not = search.search().probes[1].why_not.as_deref();
    assert_eq!(why_not, Some("p99 of data reads is 9.00 ms"));
}

#[test]
fn a_limit_that_never_binds_has_no_upper_end() {
    let (held, not_held) = found(&tried("2ms@p99", |_, _, _| true)).unwrap();
    assert!((held - HIGHEST_SHARE).abs() < 1e-9 && not_held.is_none(), "{held} {not_held:?}");
}

/// Seconds that are measured by a probe at saturation and by a confirmation, of streams with 2,000 I/Os a
/// second.
fn seconds(limit: &str) -> [u64; 2] {
    let mut search = RateSearch::new(limit.parse().unwrap(), measured(30, |_| 16_000).plan).unwrap();
    let load = search.next_load().unwrap().unwrap();
    search.note(&load, &Subject::of_run(&measured(10, |_| 16_000))).unwrap();
    [ProbeKind::Probe, ProbeKind::Confirmation]
        .map(|kind| search.phases(kind, 1.0).unwrap().last().unwrap().duration.as_secs())
}

#[test]
fn a_probe_is_as_long_as_its_statistic_needs_and_no_longer_than_the_run_unless_it_must() {
    // 10,000 I/Os are 5 s, a hundred times 100 ms are 10 s, 100,000 would be 50 s.
    assert_eq!(seconds("2ms@p99"), [5, 30]);
    assert_eq!(seconds("2ms@mean"), [3, 30]);
    assert_eq!(seconds("100ms@p99"), [10, 30]);
    assert_eq!(seconds("2ms@p99.9"), [30, 30]);
    // Ten beyond p99.99 are 100,000 I/Os, which take 50 s.
    assert_eq!(seconds("2ms@p99.99"), [50, 50]);
}

#[test]
fn a_percentile_that_would_take_hours_is_refused() {
    let mut search =
        RateSearch::new("2ms@p99.99999".parse().unwrap(), measured(30, |_| 16_000).plan).unwrap();
    let load = search.next_load().unwrap().unwrap();
    search.note(&load, &Subject::of_run(&measured(10, |_| 16_000))).unwrap();
    let error = search.next_load().unwrap_err();
    assert_eq!(
        error.to_string(),
        "log commits are too rare for p99.99999: ten of them beyond it take 20 hours"
    );
}

/// An open load of 16,000 data I/Os a second that all took 100 µs, with this backlog at the end of each
/// second.
fn with_backlog(backlog: impl Fn(u64) -> u64) -> RunRecord {
    let mut record = measured(10, |_| 16_000);
    record.plan.jobs[0].arrival = Arrival::Open { iops: 16_000.0, spacing: Spacing::Poisson, bursts: None };
    for (second, interval) in (1..).zip(&mut record.intervals) {
        interval.backlog = vec![backlog(second), 0];
    }
    record.jobs[0] = JobCounts {
        read: Some(counts(80_000, Duration::from_micros(100))),
        write: Some(counts(80_000, Duration::from_micros(100))),
        ..JobCounts::default()
    };
    // They were due one after the other, up to the end.
    let waiting = backlog(10);
    for one in 0..waiting {
        let age = Duration::from_secs_f64((one as f64 + 0.5) / 16_000.0);
        record.jobs[0].not_issued_age.record_n(age, 1);
    }
    record
}

fn assess(record: &RunRecord, limit: LatencyLimit) -> (Option<WorstLatency>, Option<String>) {
    super::assess(&record.plan, &Subject::of_run(record), limit)
}

#[test]
fn a_queue_that_grows_does_not_hold_however_fast_the_others_were() {
    let limit = |text: &str| text.parse::<LatencyLimit>().unwrap();
    assert_eq!(assess(&with_backlog(|_| 16), limit("1ms@p99")).1, None);
    let why_not = assess(&with_backlog(|second| 320 * second), limit("1ms@p99")).1.unwrap();
    assert_eq!(why_not, "job `pages` issued only 15,680 of 16,000 IOPS");
    // 1,600 waited 100 ms at most: 1,584 of them longer than the limit, which is 1 % of all, and too many for
    // p99.9, which leaves 160 of them above it.
    let short = with_backlog(|second| 160 * second);
    assert_eq!(assess(&short, limit("1ms@p99")).1, None);
    let why_not = assess(&short, limit("1ms@p99.9")).1.unwrap();
    assert_eq!(why_not, "p99.9 of data reads is 90.0 ms");
}

#[test]
fn every_io_that_is_not_back_at_the_end_counts_with_what_it_waited() {
    let limit = "1ms@p99.9".parse().unwrap();
    let with = |count: u64, age: Duration| {
        let mut record = with_backlog(|_| 0);
        let read = record.jobs[0].read.as_mut().unwrap();
        (read.unfinished_count, read.unfinished_oldest_ns) = (count, 50_000_000);
        read.unfinished_age.record_n(age, count);
        assess(&record, limit).1
    };
    // 80 of 80,000 are a thousandth.
    assert_eq!(with(79, Duration::from_millis(50)), None);
    assert_eq!(with(100, Duration::from_millis(50)).unwrap(), "p99.9 of data reads is 50.0 ms");
    assert_eq!(with(100, Duration::from_micros(900)), None);
}

#[test]
fn a_queue_that_drifts_by_less_than_a_hundredth_does_not_hold_and_one_that_a_moment_filled_does() {
    let limit = "10s@p99".parse().unwrap();
    // 0.6 % more than is done, for 300 s: 28,800 of 4,800,000, where chance makes 12,394.
    let for_long = |backlog: fn(u64) -> u64| {
        let mut record = with_backlog(|_| 0);
        let interval = record.intervals[0].clone();
        record.intervals = (0..300)
            .map(|second| {
                let mut one = interval.clone();
                (one.start, one.backlog) = (Duration::from_secs(second), vec![backlog(second + 1), 0]);
                one
            })
            .collect();
        assess(&record, limit).1
    };
    let why_not = for_long(|second| 96 * second).unwrap();
    assert_eq!(why_not, "job `pages` issued only 15,904 of 16,000 IOPS");
    assert_eq!(for_long(|second| if second == 300 { 28_800 } else { 0 }), None);
    assert_eq!(for_long(|second| 30 * second), None);
}

#[test]
fn commits_of_a_group_are_sought_as_other_rates_are_and_their_writes_are_not_judged() {
    let mut record = with_backlog(|_| 0);
    record.plan.jobs.remove(0);
    let log = &mut record.plan.jobs[0];
    log.group_commit = Some(iotrial_model::load::GroupCommit {
        commit_size: iotrial_model::units::ByteSize::bytes(1_024),
        largest_write: iotrial_model::units::ByteSize::kib(64),
        tail: iotrial_model::load::LogTail::Pad,
    });
    log.arrival = Arrival::Open { iops: 2_000.0, spacing: Spacing::Poisson, bursts: None };
    let mut search = RateSearch::new("5ms@p99".parse().unwrap(), record.plan.clone()).unwrap();
    let load = search.next_load().unwrap().unwrap();
    let Arrival::Open { iops, .. } = load.plan.jobs[0].arrival else { panic!("{load:?}") };
    assert!((iops - 5e6).abs() < 1e-6, "more than the log takes: {iops}");
    record.plan = load.plan.clone();
    record.intervals.iter_mut().for_each(|one| drop(one.jobs.remove(0)));
    record.jobs.remove(0);
    record.jobs[0].commit = Some(counts(300_000, Duration::from_millis(4)));
    search.note(&load, &Subject::of_run(&record)).unwrap();
    assert!((search.search().probes[0].iops - 30_000.0).abs() < 1e-9);
    assert!((search.total_rate(0.7) - 21_000.0).abs() < 1e-9);
    assert_eq!(streams(&record.plan).collect::<Vec<_>>(), [(Role::Log, Stream::Commit)]);
}

#[test]
fn errors_and_a_stream_that_never_finished_anything_do_not_hold() {
    let limit = "1ms@p99".parse().unwrap();
    let mut record = with_backlog(|_| 0);
    record.jobs[0].read.as_mut().unwrap().total_latency = LatencyHistogram::default();
    assert_eq!(assess(&record, limit).1.unwrap(), "no data read finished");
    let mut record = with_backlog(|_| 0);
    record.jobs[0].read.as_mut().unwrap().error_count = 1_000;
    assert!(assess(&record, limit).1.unwrap().starts_with("1,000 of 181,000 I/Os failed"));
}

#[test]
fn a_profile_with_a_rate_is_refused() {
    let record = with_backlog(|_| 0);
    let error = RateSearch::new("1ms@p99".parse().unwrap(), record.plan).unwrap_err();
    assert_eq!(error, SearchError::HasRate { job: "pages".to_owned() });
}
