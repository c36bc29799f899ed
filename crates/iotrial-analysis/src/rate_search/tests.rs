use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::load::{Role, Spacing};
use iotrial_model::plan::{Arrival, PhaseKind};
use iotrial_model::record::{EndedHow, JobCounts, RunRecord};
use iotrial_model::search::{SearchResult, WorstLatency};
use iotrial_model::stream::Stream;

use super::answer::APART;
use super::assess::streams;
use super::mix::is_sought;
use super::*;

/// The job whose queue grew, with what was kept and what was asked, in whole I/Os per second.
fn not_issued(why: NotHeld) -> (String, f64, f64) {
    let NotHeld::NotIssued { job, kept_iops, asked_iops } = why else { panic!("{why:?}") };
    (job, kept_iops.round(), asked_iops)
}

/// What was too slow, and by how many ms, to a tenth.
fn too_slow(why: NotHeld) -> (Role, Stream, String, f64) {
    let NotHeld::TooSlow { worst, .. } = why else { panic!("{why:?}") };
    let WorstLatency { role, stream, statistic, latency_us, .. } = worst;
    (role, stream, statistic.unwrap(), (latency_us / 100.0).round() / 10.0)
}

fn assess(record: &RunRecord, limits: &Limits) -> (Option<WorstLatency>, Option<NotHeld>) {
    let Assessed { worst, why_not, .. } = super::assess(&record.plan, &Subject::of_run(record), limits);
    (worst, why_not)
}

use crate::test_record::{counts, measured};

const SATURATION_IOPS: f64 = 18_000.0;
/// No load is left out for want of time.
const AMPLE: Duration = Duration::from_secs(3_600);

/// A device on which a rate holds, or not, as `holds` says of the share and the number of the load. Reads of
/// the first job are 100 µs where it holds and 9 ms where it does not; its other streams are always fast.
fn tried(need: Option<&str>, holds: impl Fn(ProbeKind, f64, usize) -> bool) -> RateSearch {
    let mut plan = measured(30, |_| 16_000).plan;
    plan.phases.insert(0, Phase { kind: PhaseKind::Ramp, duration: Duration::from_secs(5) });
    let need = need.map(|need| need.parse().unwrap());
    let mut search = RateSearch::new(limits("2ms@p99"), need, plan).unwrap();
    while let Some(load) = search.next_load(AMPLE).unwrap() {
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

fn limits(text: &str) -> Limits {
    Limits::Latency(text.parse().unwrap())
}

fn shares(search: &RateSearch, kind: ProbeKind) -> Vec<f64> {
    search.of_kind(kind).filter_map(|probe| probe.share).collect()
}

fn found(search: &RateSearch) -> Option<(f64, Option<f64>)> {
    let result = search.search().result.as_ref()?;
    Some((result.held_iops / SATURATION_IOPS, result.not_held_iops.map(|iops| iops / SATURATION_IOPS)))
}

#[test]
fn wherever_the_truth_lies_it_is_bracketed_within_five_percent_in_few_loads() {
    // Above 1.02 the records of this test do not follow the rate that is asked.
    for step in 6..=102 {
        let truth = f64::from(step) / 100.0;
        let search = tried(None, |_, share, _| share <= truth);
        let (held, not_held) = found(&search).unwrap();
        assert!(held <= truth && not_held.is_none_or(|not| not > truth), "{truth}: {held} {not_held:?}");
        assert!(truth / held <= BRACKET + 1e-6, "{truth}: {held} {not_held:?}");
        let loads = search.search().probes.len();
        assert!(loads <= 17, "{loads} loads for {truth}");
        assert!(shares(&search, ProbeKind::Confirmation).len() <= MOST_CONFIRMATIONS, "{truth}");
    }
}

#[test]
fn mishaps_do_not_set_either_end() {
    // The truth is 0.8; whichever single probe is misled, the answer stays.
    for misled in 1..10 {
        let search = tried(None, |_, share, load| (share <= 0.8) != (load == misled));
        let (held, _) = found(&search).unwrap();
        assert!((held / 0.8 - 1.0).abs() < 0.06, "load {misled}: {held}");
    }
}

#[test]
fn loads_that_contradict_each_other_are_no_answer() {
    // Chance alone decides.
    let search = tried(None, |kind, _, load| kind == ProbeKind::Probe && load % 2 == 0);
    assert_eq!(found(&search), None);
    let confirmations = shares(&search, ProbeKind::Confirmation).len();
    assert!(confirmations <= MOST_CONFIRMATIONS, "{confirmations}");
}

/// The same as [`tried`] on a host whose generator is busy where `is_busy` says so of the share and the
/// number of the load.
fn doubted(truth: f64, is_busy: impl Fn(ProbeKind, f64, usize) -> bool) -> RateSearch {
    let mut search = RateSearch::new(limits("2ms@p99"), None, measured(30, |_| 16_000).plan).unwrap();
    while let Some(load) = search.next_load(AMPLE).unwrap() {
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
            let mut slow = counts(80_000, Duration::from_millis(9));
            if is_busy {
                // All of it the generator's doing.
                slow.held_latency = slow.total_latency.clone();
                slow.unheld_latency = counts(80_000, Duration::from_micros(200)).total_latency;
            }
            (record.jobs[0].read, record.jobs[0].write) = (Some(slow.clone()), Some(slow));
        }
        search.note(&load, &Subject::of_run(&record)).unwrap();
    }
    search
}

#[test]
fn a_load_that_failed_for_want_of_cpu_is_repeated_and_does_not_count() {
    // Once, by mishap: loads below hold, and bring the search back.
    let search = doubted(2.0, |_, _, number| number == 1);
    let probes = shares(&search, ProbeKind::Probe);
    assert!(probes[1] < probes[0] && probes[2..].iter().any(|share| *share > probes[0]), "{probes:?}");
    let (held, not_held) = found(&search).unwrap();
    assert!(held > 1.0 && not_held.is_none(), "{held} {not_held:?}");
    assert_eq!(search.search().probes[1].doubts.to_string(), "generator-busy, late-issues");
    // A host that carries 0.6 of what the device does: the device may carry more.
    let search = doubted(2.0, |_, share, _| share > 0.6);
    let result = search.search().result.as_ref().unwrap();
    assert!(result.held_iops <= 0.6 * SATURATION_IOPS, "{result:?}");
    assert_eq!(result.not_held_doubts.to_string(), "generator-busy, late-issues");
    // A device that sets the end itself is beyond doubt.
    let search = doubted(0.8, |_, share, _| share > 0.95);
    assert!(search.search().result.as_ref().unwrap().not_held_doubts.is_empty());
}

#[test]
fn a_host_without_more_cpu_has_the_rate_that_it_carries_as_a_bound() {
    let search = doubted(2.0, |_, share, _| share > 0.4);
    assert!(search.search().result.as_ref().is_some_and(SearchResult::is_lower_bound));
    assert!(found(&search).is_some_and(|(held, _)| held <= 0.4 && held > 0.3), "{:?}", found(&search));
}

#[test]
fn a_load_that_is_lost_ends_and_one_that_may_still_hold_goes_on() {
    let mut search = RateSearch::new(limits("2ms@p99"), None, quick_plan()).unwrap();
    let load = search.next_load(AMPLE).unwrap().unwrap();
    assert!(search.early_end(&load).is_none(), "the closed load is not judged");
    search.note(&load, &Subject::of_run(&measured(6, |_| 16_000))).unwrap();
    let load = search.next_load(AMPLE).unwrap().unwrap();
    assert_eq!(load.longest, load.plan.measured() * LONGER);
    let load = NextLoad { longest: load.plan.measured(), ..load };
    let measured_s = load.plan.phases.last().unwrap().duration.as_secs();
    let Arrival::Open { iops, .. } = load.plan.jobs[0].arrival else { panic!("{load:?}") };
    // In each second, so many reads of a hundred that took 9 ms.
    let ended = |slow_of_hundred: &dyn Fn(u64) -> u64| {
        let mut early_end = search.early_end(&load).unwrap();
        let interval = measured(1, |_| 16_000).intervals.pop().unwrap();
        (0..measured_s).find(|second| {
            let mut one = interval.clone();
            one.start = Duration::from_secs(1 + second);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let reads = (0.5 * iops) as u64;
            let slow = reads * slow_of_hundred(*second) / 100;
            let mut read = counts(reads - slow, Duration::from_micros(100));
            read.merge(&counts(slow, Duration::from_millis(9)));
            one.jobs[0].read = Some(read);
            early_end.see(&one) == Some(Duration::from_secs(1))
        })
    };
    assert_eq!(ended(&|_| 0), None);
    assert_eq!(ended(&|_| 50), Some(1), "not before two seconds");
    // 1 % of the whole load and a tenth for chance may be slow, whenever that was.
    assert_eq!(ended(&|second| if second == 0 { measured_s } else { 0 }), None);
    assert_eq!(ended(&|second| if second == 0 { 2 * measured_s } else { 0 }), Some(1));
    assert_eq!(ended(&|second| if second + 1 == measured_s { 100 } else { 0 }), Some(measured_s - 1));
}

#[test]
fn a_rate_that_does_not_last_is_left_for_what_was_achieved() {
    for truth in [0.9, 0.72, 0.5] {
        let search =
            tried(None, |kind, share, _| share <= if kind == ProbeKind::Confirmation { truth } else { 0.96 });
        let confirmations = shares(&search, ProbeKind::Confirmation);
        assert!(confirmations.len() >= 2, "{truth}: {confirmations:?}");
        assert!(found(&search).is_none_or(|(held, _)| held <= truth), "{confirmations:?}");
    }
}

#[test]
fn longer_runs_that_fail_far_below_what_short_ones_say_go_down_until_one_holds() {
    for truth in [0.8, 0.5, 0.3, 0.1] {
        let search =
            tried(None, |kind, share, _| share <= if kind == ProbeKind::Confirmation { truth } else { 0.96 });
        let (held, _) = found(&search).unwrap_or_else(|| panic!("{truth}"));
        assert!(held <= truth && held > truth / 1.25, "{truth}: {held}");
    }
}

#[test]
fn a_short_run_that_held_does_not_undo_a_long_one_at_its_rate_that_did_not() {
    // The first longer run fails after all of its time, the shorter one behind it holds.
    let search = tried(None, |kind, share, load| match kind {
        ProbeKind::Confirmation => load > 11 || share < 0.85,
        _ => share <= 0.9,
    });
    let confirmations: Vec<&Probe> = search.of_kind(ProbeKind::Confirmation).collect();
    let [first, second, ..] = confirmations[..] else { panic!("{confirmations:#?}") };
    assert_eq!((first.held, second.held, first.share), (Some(false), Some(true), second.share));
    assert!(first.duration > second.duration);
    let (held, _) = found(&search).unwrap();
    assert!(held < first.share.unwrap(), "{held}");
}

#[test]
fn what_does_not_even_hold_without_waiting_has_no_rate() {
    let search = tried(None, |_, _, _| false);
    assert_eq!(found(&search), None);
    assert_eq!(shares(&search, ProbeKind::Confirmation), [0.0; 0]);
    let worst = search.search().probes[1].worst.as_ref().unwrap();
    assert_eq!((worst.role, worst.stream, worst.latency_us.round()), (Role::Data, Stream::Read, 9_000.0));
}

#[test]
fn a_limit_that_never_binds_has_no_upper_end() {
    let (held, not_held) = found(&tried(None, |_, _, _| true)).unwrap();
    assert!(held >= 1.0 && not_held.is_none(), "{held} {not_held:?}");
}

#[test]
fn a_need_is_decided_by_a_long_run_and_a_probe_that_agree() {
    let search = tried(Some("9000iops"), |_, share, _| share <= 0.8);
    let kinds: Vec<ProbeKind> = search.search().probes.iter().take(3).map(|probe| probe.kind).collect();
    assert_eq!(kinds, [ProbeKind::Saturation, ProbeKind::Confirmation, ProbeKind::Probe]);
    assert!(search.search().probes[1..3].iter().all(|probe| is_same(probe.share.unwrap(), 0.5)));
    assert_eq!(search.search().carries_need, Some(true));
    let (held, _) = found(&search).unwrap();
    assert!((0.72..=0.8).contains(&held), "{held}");
    let search = tried(Some("16000iops"), |_, share, _| share <= 0.8);
    assert_eq!(search.search().carries_need, Some(false));
    let (held, _) = found(&search).unwrap();
    assert!((0.72..=0.8).contains(&held), "{held}");
    // What saturation does not even reach is asked all the same.
    assert_eq!(tried(Some("40000iops"), |_, share, _| share <= 0.8).search().carries_need, Some(false));
}

#[test]
fn one_mishap_does_not_decide_a_need_and_a_coin_does_not_either() {
    for misled in 1..4 {
        let search = tried(Some("9000iops"), |_, share, load| (share <= 0.8) != (load == misled));
        assert_eq!(search.search().carries_need, Some(true), "load {misled}");
    }
    let search = tried(Some("9000iops"), |_, _, load| load % 2 == 0);
    assert_eq!((search.search().carries_need, found(&search)), (None, None));
    assert_eq!(search.search().probes.len(), 1 + MOST_LOADS_AT_NEED);
}

#[test]
fn when_the_time_ends_most_of_the_ios_at_a_need_decide() {
    let after = |loads: usize, holds: fn(usize) -> bool| {
        let mut search = tried(Some("9000iops"), |_, _, load| holds(load));
        search.search.probes.truncate(1 + loads);
        search.search.carries_need = None;
        search.end_of_time();
        search.search.carries_need
    };
    let ends = [after(1, |_| true), after(1, |_| false), after(0, |_| true), after(2, |load| load % 2 == 0)];
    assert_eq!(ends, [Some(true), Some(false), None, Some(false)]);
    // 30 s failed, and twice 10 s held.
    assert_eq!(after(3, |load| load != 1), None);
}

#[test]
fn a_rate_that_no_load_was_made_at_is_not_the_answer_of_a_need_that_failed() {
    let mut search = tried(Some("9000iops"), |_, _, _| false);
    search.search.probes.truncate(3);
    search.end_of_time();
    assert_eq!((search.search().carries_need, found(&search)), (Some(false), None));
}

#[test]
fn a_need_by_role_gives_each_role_its_own_rate() {
    let search = tried(Some("data=8000iops,log=500iops"), |_, share, _| share <= 0.8);
    let rates: Vec<f64> = search.mix.rates(search.need_share().unwrap()).map(|(_, rate)| rate).collect();
    assert!((rates[0] - 8_000.0).abs() < 1e-6 && (rates[1] - 500.0).abs() < 1e-6, "{rates:?}");
    let plan = measured(30, |_| 16_000).plan;
    let error = RateSearch::new(limits("2ms@p99"), Some("tempdb=5iops".parse().unwrap()), plan).unwrap_err();
    assert_eq!(error.to_string(), "the profile has no I/O of `tempdb` whose rate `--need` could set");
}

/// A search on a device that carries up to `truth` of saturation, in the time that it is told that it has left, with what each load
/// takes beside its phases.
fn in_time(mut search: RateSearch, layout: Duration, truth: f64) -> (RateSearch, Duration) {
    let mut spent = layout;
    while let Some(load) = search.next_load(search.left(layout, spent)).unwrap() {
        let is_held = load.share.is_none_or(|share| share <= truth);
        let seconds = load.plan.phases.last().unwrap().duration.as_secs();
        let mut record = measured(seconds, |_| 16_000);
        record.plan = load.plan.clone();
        if !is_held {
            record.jobs[0].read = Some(counts(8_000 * seconds, Duration::from_millis(9)));
        }
        search.note(&load, &Subject::of_run(&record)).unwrap();
        spent += load.plan.duration() + GAP;
    }
    (search, spent)
}

#[test]
fn the_time_is_known_before_the_first_load_and_kept_whatever_the_layout_took_of_it() {
    for (layout_s, truth) in [(0, 0.06), (0, 1.0), (12, 0.5), (21, 0.8), (30, 0.3)] {
        let layout = Duration::from_secs(layout_s);
        let search = RateSearch::new(limits("2ms@p99"), None, quick_plan()).unwrap();
        let whole = search.whole_time(layout);
        assert_eq!(whole, USUAL_TIME);
        let (search, spent) = in_time(search, layout, truth);
        assert!(spent + AROUND_LOADS <= whole, "{spent:?} of {whole:?}");
        let (held, _) = found(&search).unwrap();
        assert!(held <= truth && held >= 0.85 * truth, "{layout_s} s, {truth}: {held}");
    }
}

#[test]
fn a_layout_that_took_most_of_the_time_leaves_no_answer_and_the_search_says_that_time_ran_out() {
    let search = |layout_s: u64| {
        let search = RateSearch::new(limits("2ms@p99"), None, quick_plan()).unwrap();
        // Nobody expected that.
        let whole = search.whole_time(Duration::from_secs(20));
        let mut spent = Duration::from_secs(layout_s);
        let mut search = search;
        while let Some(load) = search.next_load(search.left(Duration::from_secs(20), spent)).unwrap() {
            let seconds = load.plan.phases.last().unwrap().duration.as_secs();
            let mut record = measured(seconds, |_| 16_000);
            record.plan = load.plan.clone();
            search.note(&load, &Subject::of_run(&record)).unwrap();
            spent += load.plan.duration() + GAP;
        }
        assert!(spent <= whole || search.search().probes.is_empty(), "{spent:?}");
        search.search().clone()
    };
    let none = search(115);
    assert!(none.probes.is_empty() && none.time_ran_out && none.result.is_none(), "{none:#?}");
    let few = search(105);
    assert!(few.probes.len() < 3 && few.time_ran_out && few.result.is_none(), "{few:#?}");
    // A short confirmation still is an answer: a bound.
    let bound = search(90);
    assert!(bound.time_ran_out && bound.result.is_some(), "{bound:#?}");
    assert!(!search(0).time_ran_out);
}

#[test]
fn a_longer_duration_makes_the_time_longer_and_so_do_its_files() {
    let whole = |measure_s: u64, layout_s: u64| {
        let mut plan = quick_plan();
        plan.phases[1].duration = Duration::from_secs(measure_s);
        let search = RateSearch::new(limits("2ms@p99"), None, plan).unwrap();
        search.whole_time(Duration::from_secs(layout_s)).as_secs()
    };
    assert_eq!([whole(30, 0), whole(30, 40), whole(10, 40)], [120; 3]);
    assert!(whole(30, 300) > 300 + 60, "{}", whole(30, 300));
    // The confirmation and three of a third.
    assert!(whole(300, 20) > 600 && whole(300, 20) < 700, "{}", whole(300, 20));
}

/// Two seconds of ramp or more, and half a minute.
fn quick_plan() -> Plan {
    let mut plan = measured(30, |_| 16_000).plan;
    plan.phases.insert(0, Phase { kind: PhaseKind::Ramp, duration: Duration::from_secs(5) });
    plan
}

/// Seconds that are measured by a probe at saturation and by a confirmation, of streams with 2,000 I/Os a
/// second.
fn seconds(limit: &str) -> [u64; 2] {
    let mut search = RateSearch::new(limits(limit), None, measured(30, |_| 16_000).plan).unwrap();
    let load = search.next_load(AMPLE).unwrap().unwrap();
    search.note(&load, &Subject::of_run(&measured(10, |_| 16_000))).unwrap();
    [ProbeKind::Probe, ProbeKind::Confirmation]
        .map(|kind| search.phases(kind, 1.0, 0, AMPLE).unwrap().unwrap().last().unwrap().duration.as_secs())
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
    let mut search = RateSearch::new(limits("2ms@p99.99999"), None, measured(30, |_| 16_000).plan).unwrap();
    let load = search.next_load(AMPLE).unwrap().unwrap();
    search.note(&load, &Subject::of_run(&measured(10, |_| 16_000))).unwrap();
    let error = search.next_load(AMPLE).unwrap_err();
    let SearchError::TooRare { stream, statistic, hours } = error else { panic!("{error:?}") };
    let rarest = ("log commit", iotrial_model::latency_limit::LimitStatistic::Percentile(99.999_99));
    assert_eq!((stream.as_str(), statistic, hours.round()), (rarest.0, rarest.1, 31.0));
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

#[test]
fn a_queue_that_grows_does_not_hold_however_fast_the_others_were() {
    assert_eq!(assess(&with_backlog(|_| 16), &limits("1ms@p99")).1, None);
    let why_not = assess(&with_backlog(|second| 320 * second), &limits("1ms@p99")).1.unwrap();
    assert_eq!(not_issued(why_not), ("pages".to_owned(), 15_680.0, 16_000.0));
    // 1,600 waited 100 ms at most: 1,584 of them longer than the limit, which is 1 % of all, and too many for
    // p99.9, which leaves 160 of them above it.
    let short = with_backlog(|second| 160 * second);
    assert_eq!(assess(&short, &limits("1ms@p99")).1, None);
    let why_not = assess(&short, &limits("1ms@p99.9")).1.unwrap();
    assert_eq!(too_slow(why_not), (Role::Data, Stream::Read, "p99.9".to_owned(), 90.0));
}

#[test]
fn every_io_that_is_not_back_at_the_end_counts_with_what_it_waited() {
    let limit = limits("1ms@p99.9");
    let with = |count: u64, age: Duration| {
        let mut record = with_backlog(|_| 0);
        let read = record.jobs[0].read.as_mut().unwrap();
        (read.unfinished_count, read.unfinished_oldest_ns) = (count, 50_000_000);
        read.unfinished_age.record_n(age, count);
        assess(&record, &limit).1
    };
    // 80 of 80,000 are a thousandth.
    assert_eq!(with(79, Duration::from_millis(50)), None);
    let slow = too_slow(with(100, Duration::from_millis(50)).unwrap());
    assert_eq!(slow, (Role::Data, Stream::Read, "p99.9".to_owned(), 50.0));
    assert_eq!(with(100, Duration::from_micros(900)), None);
}

#[test]
fn a_queue_that_drifts_by_less_than_a_hundredth_does_not_hold_and_one_that_a_moment_filled_does() {
    let limit = limits("10s@p99");
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
        assess(&record, &limit).1
    };
    let why_not = for_long(|second| 96 * second).unwrap();
    assert_eq!(not_issued(why_not), ("pages".to_owned(), 15_904.0, 16_000.0));
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
    let mut search = RateSearch::new(limits("5ms@p99"), None, record.plan.clone()).unwrap();
    let load = search.next_load(AMPLE).unwrap().unwrap();
    let Arrival::Open { iops, .. } = load.plan.jobs[0].arrival else { panic!("{load:?}") };
    assert!((iops - 5e6).abs() < 1e-6, "more than the log takes: {iops}");
    record.plan = load.plan.clone();
    record.intervals.iter_mut().for_each(|one| drop(one.jobs.remove(0)));
    record.jobs.remove(0);
    record.jobs[0].commit = Some(counts(300_000, Duration::from_millis(4)));
    search.note(&load, &Subject::of_run(&record)).unwrap();
    assert!((search.search().probes[0].iops - 30_000.0).abs() < 1e-9);
    assert!((search.mix.total_rate(0.7) - 21_000.0).abs() < 1e-9);
    assert_eq!(streams(&record.plan).collect::<Vec<_>>(), [(Role::Log, Stream::Commit)]);
}

#[test]
fn errors_and_a_stream_that_never_finished_anything_do_not_hold() {
    let limit = limits("1ms@p99");
    let mut record = with_backlog(|_| 0);
    record.jobs[0].read.as_mut().unwrap().total_latency = LatencyHistogram::default();
    let nothing = NotHeld::NothingCompleted(Role::Data, Stream::Read);
    assert_eq!(assess(&record, &limit).1, Some(nothing));
    let mut record = with_backlog(|_| 0);
    record.jobs[0].read.as_mut().unwrap().error_count = 1_000;
    let errors = NotHeld::Errors { failed_count: 1_000, io_count: 181_000 };
    assert_eq!(assess(&record, &limit).1, Some(errors));
}

#[test]
fn a_load_whose_rates_are_all_given_is_refused_and_one_beside_it_keeps_its_own() {
    let mut record = with_backlog(|_| 0);
    let search = RateSearch::new(limits("1ms@p99"), None, record.plan.clone()).unwrap();
    assert_eq!(search.mix.plan.jobs.iter().map(is_sought).collect::<Vec<_>>(), [false, true]);
    record.plan.jobs[1].arrival = record.plan.jobs[0].arrival;
    let error = RateSearch::new(limits("1ms@p99"), None, record.plan).unwrap_err();
    assert_eq!(error, SearchError::HasRate { job: "pages".to_owned() });
}

#[test]
fn a_set_limits_each_role_by_its_own_bands_and_what_has_none_is_refused() {
    let set = |name| Limits::Thresholds(crate::threshold::ThresholdSet::builtin(name).unwrap());
    let mut record = measured(10, |_| 16_000);
    let (worst, why_not) = assess(&record, &set("flash"));
    assert_eq!(why_not, None);
    assert_eq!(worst.unwrap().role, Role::Data);
    // A log commit of 4 ms is above its 2 ms; a data write of 4 ms would not be above its 5 ms.
    record.jobs[1].write = Some(counts(20_000, Duration::from_millis(4)));
    let (worst, why_not) = assess(&record, &set("flash"));
    let worst = worst.unwrap();
    assert_eq!((worst.role, worst.stream, worst.limit_us), (Role::Log, Stream::Commit, Some(2_000.0)));
    assert_eq!(why_not, Some(NotHeld::TooSlow { worst, has_one_limit: false }));
    // Too few commits for a p99, of which ten miss its 5 ms all the same, and then too few for that as well.
    for (count, slow, is_missed) in [(400, 10, true), (400, 9, false), (300, 10, false), (2_000, 10, false)] {
        let mut commits = counts(count - slow, Duration::from_micros(500));
        commits.total_latency.record_n(Duration::from_millis(6), slow);
        record.jobs[1].write = Some(commits);
        let (_, why_not) = assess(&record, &set("flash"));
        assert_eq!(why_not.is_some(), is_missed, "{slow} of {count}");
    }
    record.plan.jobs.iter_mut().for_each(|job| job.role = Role::Scan);
    let error = RateSearch::new(set("oci-sqlserver"), None, record.plan).unwrap_err();
    assert_eq!(error, SearchError::NoLimits { set: "oci-sqlserver".to_owned() });
}

#[test]
fn what_short_loads_carry_far_below_all_that_failed_is_a_bound() {
    // Short loads hold up to 0.75, longer ones never do, and the time ends after two of them.
    let until_two_failed = |truth: f64| {
        let mut search = tried(None, move |kind, share, _| kind == ProbeKind::Probe && share <= truth);
        let second =
            search.search.probes.iter().enumerate().filter(|(_, one)| one.kind == ProbeKind::Confirmation);
        let count = second.map(|(number, _)| number + 1).nth(1).unwrap();
        search.search.probes.truncate(count);
        search.end_of_time();
        search
    };
    let search = until_two_failed(0.75);
    let held = |search: &RateSearch, held: bool| {
        search
            .search
            .probes
            .iter()
            .filter(|one| one.held == Some(held))
            .filter_map(|one| one.share)
            .collect::<Vec<_>>()
    };
    let lowest = held(&search, false).into_iter().reduce(f64::min).unwrap();
    let result = search.search().result.as_ref().unwrap();
    let share = result.held_iops / SATURATION_IOPS;
    assert!(result.is_lower_bound() && share * APART <= lowest, "{share} {lowest}");
    assert!(held(&search, true).iter().filter(|one| **one >= share - 1e-9).count() >= 2);
    // Nothing of the rates above, although they held as well.
    assert!(held(&search, true).iter().any(|one| one * APART > lowest));
}

/// 2,400 data I/Os a second are asked, so many are done in each second, and all of them are held back by the host.
fn beside_a_busy_host(done: impl Fn(u64) -> u64) -> RunRecord {
    let mut record = measured(60, done);
    record.plan.jobs[0].arrival = Arrival::Open { iops: 2_400.0, spacing: Spacing::Poisson, bursts: None };
    for (second, interval) in (1..).zip(&mut record.intervals) {
        interval.backlog = vec![800 * second, 0];
    }
    // The first I/O found the device idle.
    let first = counts(1, Duration::from_micros(200)).total_latency;
    record.intervals[0].jobs[0].read.as_mut().unwrap().total_latency.merge(&first);
    let data = &mut record.jobs[0];
    for counts in data.read.iter_mut().chain(&mut data.write) {
        counts.unheld_latency.record_n(Duration::from_micros(100), counts.io_count());
        counts.held_latency = counts.total_latency.clone();
    }
    record
}

#[test]
fn a_rate_that_stands_still_is_the_device_s_own_whoever_waited_for_a_cpu() {
    let is_sure = |record: &RunRecord| {
        let assessed = super::assess(&record.plan, &Subject::of_run(record), &limits("2ms@p99"));
        assert!(matches!(assessed.why_not, Some(NotHeld::NotIssued { .. })), "{:?}", assessed.why_not);
        assessed.is_sure
    };
    assert!(is_sure(&beside_a_busy_host(|_| 1_600)));
    assert!(!is_sure(&beside_a_busy_host(|second| 1_500 + 4 * second)));
}

#[test]
fn where_the_host_disturbed_loads_a_rate_clearly_below_all_that_failed_is_a_bound_and_rests_on_the_slowest_that_held()
 {
    let mut search = tried(None, |_, share, _| share <= 0.75);
    let probe = |kind, share: f64, held, doubt: Option<FindingId>| Probe {
        kind,
        share: Some(share),
        asked_iops: Some(share * SATURATION_IOPS),
        held: Some(held),
        doubts: doubt.into_iter().collect(),
        ..search.search.probes[1].clone()
    };
    let with = |doubt: Option<FindingId>| {
        let mut probes = vec![search.search.probes[0].clone(), probe(ProbeKind::Probe, 0.8, false, doubt)];
        probes.extend([0.7, 0.72, 0.75].map(|share| probe(ProbeKind::Probe, share, true, None)));
        probes.extend([0.73, 0.7].map(|share| probe(ProbeKind::Confirmation, share, false, None)));
        probes
    };
    let (known, unknown) = (with(Some(FindingId::GeneratorBusy)), with(None));
    search.search.probes = unknown;
    assert_eq!(search.result(), None);
    search.search.probes = known;
    search.search.result = search.result();
    let result = search.search.result.as_ref().unwrap();
    assert!((result.held_iops / SATURATION_IOPS - 0.7 / APART).abs() < 1e-9 && result.is_lower_bound());
    assert_eq!(search.load_of_answer(), Some(2));
}
