//! What is said of recommendations, on one page: `snapshots/iotrial_words__recommendation__tests__page.snap`.

use std::fmt::Write as _;

use iotrial_model::bound::{Amount, BoundRelation, Bounded};
use iotrial_model::figure::Figure;
use iotrial_model::finding::CurvePlace;
use iotrial_model::host_fact::{FactId, FactValue, PartKind};
use iotrial_model::load::Role;
use iotrial_model::metric::{MetricGroup, MetricKey, StreamRange};
use iotrial_model::recommendation::{
    Answer, AvoidFact, CeilingChanges, ChangeOverLoads, Effect, FactorFact, GroupRanges, OverLoadsAnswer,
    OverLoadsCost, OverLoadsReason, ReasonFact, Scaling, SureBound, TailCause, TimesFact,
};
use iotrial_model::stream::StreamOf;
use iotrial_model::verdict::Category;

use super::*;

fn words(words: &str) -> String {
    words.to_owned()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| words(name)).collect()
}

fn one_freeze() -> Freeze {
    Freeze { stream: Stream::Read, slowest_us: 402_000.0, calmest: words("B (new)"), calmest_us: 9_300.0 }
}

fn reservations() -> Vec<Reservation> {
    use Reservation as Cause;
    let loss = |role, stream, figure, factor| {
        let (of, other) = (StreamOf { role, stream }, words("B"));
        Cause::LosesInRole(RoleLoss { of, figure, factor, is_in_all_latencies: false, other })
    };
    let many: Vec<String> = (1..=13).map(|number| format!("C{number}")).collect();
    vec![
        Cause::AllSimulated,
        Cause::Simulated(names(&["A", "B (new)"])),
        Cause::Contradictory(names(&["A"])),
        Cause::Inconclusive(many),
        Cause::Froze(one_freeze()),
        loss(Some(Role::Log), Stream::Commit, Figure::LatencyP99, 2.46),
        loss(Some(Role::Data), Stream::Mixed, Figure::Iops, 2.46),
        loss(None, Stream::Read, Figure::Bandwidth, 3.0),
        Cause::UnderLoads(names(&["oltp", "scan"]), Box::new(Cause::AllSimulated)),
    ]
}

fn causes_of_tails() -> Vec<TailCause> {
    let setting = |target: Option<&str>, fact, from: &[FactValue], to: &[FactValue]| TailCause::Setting {
        target: target.map(words),
        part: PartKind::Disk,
        fact,
        from: from.to_vec(),
        to: to.to_vec(),
    };
    let number = FactValue::Number;
    vec![
        TailCause::Attribute { name: words("driver"), from: words("paravirtualized"), to: words("sr-iov") },
        TailCause::Attribute { name: words("cache"), from: String::new(), to: words("read-only") },
        TailCause::Steal { from_percent: 0.12, to_percent: 7.25 },
        setting(None, FactId::QueueInterrupts, &[number(8)], &[number(1), number(2)]),
        setting(Some("/data"), FactId::ReadAhead, &[number(128)], &[number(4_096)]),
        setting(None, FactId::Scheduler, &[FactValue::text("none")], &[FactValue::text("bfq")]),
        setting(None, FactId::NrRequests, &[number(256)], &[number(32)]),
    ]
}

fn exceptions() -> Vec<ExceptionFact> {
    let tail = |load: Option<&str>, from_us: f64, to_us: f64, mean_percent| {
        let metric = Metric { load: load.map(words), ..Metric::of_figure(Stream::Write, Figure::LatencyP99) };
        let tail_percent = 100.0 * (to_us / from_us - 1.0);
        let fact = TailFact { baseline: words("B"), metric, from_us, to_us, tail_percent, mean_percent };
        ExceptionFact::Tail(words("C (fast)"), fact)
    };
    vec![
        ExceptionFact::Freezes(words("A"), one_freeze()),
        tail(None, 2_376.0, 6_259.0, -26.0),
        tail(Some("random write 4 KiB 2 x 1"), 168.7, 7_832.0, 6.3),
        tail(None, 95.0, 180.0, 0.0),
        tail(None, 1_999.6, 12_345.0, 150.4),
    ]
}

fn costs() -> Vec<CostFact> {
    let fact = |rate_ratio| CostFact {
        best: words("A (one)"),
        other: words("B"),
        currency: words("USD"),
        best_per_month: 1_200.0,
        other_per_month: 400.0,
        rate_ratio,
    };
    vec![fact(Some(1.5)), fact(None)]
}

fn all_times() -> Vec<TimesFact> {
    let fact = |metric, (least, most), (shown_count, load_count), price_ratio| TimesFact {
        better: words("B"),
        other: words("A"),
        metric,
        least,
        most,
        shown_count,
        load_count,
        price_ratio,
        is_simulated: false,
    };
    let iops = MetricKey::Figure(Stream::Mixed, Figure::Iops);
    let p99 = MetricKey::Figure(Stream::Commit, Figure::LatencyP99);
    let one = fact(iops.clone(), (3.08, 3.08), (1, 1), Some(1.3));
    vec![
        one.clone(),
        TimesFact { is_simulated: true, price_ratio: None, ..one },
        fact(iops, (1.9, 3.1), (5, 6), Some(1.0)),
        fact(MetricKey::Capacity, (1.13, 1.13), (1, 1), Some(0.7)),
        fact(p99.clone(), (2.4, 2.4), (1, 1), Some(1.3)),
        fact(p99, (2.4, 120.0), (6, 6), None),
    ]
}

fn cpu_costs() -> Vec<CpuFact> {
    let fact = |best_percent, rate_ratio| CpuFact {
        best: words("A (one)"),
        other: words("B"),
        best_percent,
        other_percent: (2.0, 8.0),
        rate_ratio,
    };
    vec![fact((4.1, 17.9), Some(1.37)), fact((2.1, 9.0), Some(1.02)), fact((4.0, 16.0), None)]
}

fn answers() -> Vec<Answer> {
    let best = || words("A (one)");
    let metric = Metric::of_figure(Stream::Read, Figure::Iops);
    vec![
        Answer::OnlyMore(words("hosts")),
        Answer::NoCommonMetric,
        Answer::BestInOne { best: best(), metric },
        Answer::FirstButFreezes { best: best(), first_count: 9, metric_count: 10 },
        Answer::FirstButLosesRole { first: best(), first_count: 12, metric_count: 15 },
        Answer::BestInAll { best: best(), metric_count: 2 },
        Answer::BestInAll { best: best(), metric_count: 10 },
        Answer::BestWithTies { best: best(), metric_count: 10 },
        Answer::BestOverall { best: best(), first_count: 7, metric_count: 10 },
        Answer::TooLittle,
        Answer::NoWinner,
        Answer::Shared(names(&["A", "B (new)", "C"])),
    ]
}

fn ranges() -> GroupRanges {
    let range = |stream, shown_percent| StreamRange { stream: Some(stream), shown_percent };
    vec![
        (
            MetricGroup::Throughput,
            vec![range(Stream::Read, Some((11.1, 25.0))), range(Stream::Write, Some((1_900.0, 3_900.0)))],
        ),
        (MetricGroup::TypicalLatency, vec![range(Stream::Read, Some((-19.9, -9.9)))]),
        (MetricGroup::TailLatency, vec![range(Stream::Read, None)]),
    ]
}

fn mean_of_writes(load: Option<&str>) -> Metric {
    Metric { load: load.map(words), ..Metric::of_figure(Stream::Write, Figure::LatencyMean) }
}

fn reasons() -> Vec<ReasonFact> {
    let below = |value| Amount::Bounded(Bounded { relation: BoundRelation::Below, value });
    let bound = |metric, is_beyond, percent, from, to| SureBound { metric, is_beyond, percent, from, to };
    let tps = Metric::from(MetricKey::from_key("other.tps").unwrap());
    let better = |is_by_role, changes| ReasonFact::OtherBetter { other: words("B"), is_by_role, changes };
    let of_log = MetricKey::OfRole(Role::Log, Stream::Commit, Figure::LatencyP99).into();
    vec![
        ReasonFact::AgainstSecond { second: words("B (new)"), ranges: ranges() },
        ReasonFact::SureBounds(vec![
            bound(mean_of_writes(None), true, -75.0, Amount::Exact(4_000.0), below(1_000.0)),
            bound(tps, false, 545.2, Amount::Exact(12_400.0), Amount::Exact(80_000.0)),
        ]),
        better(false, vec![(mean_of_writes(Some("8 KiB")), -7.3), (mean_of_writes(None), -0.04)]),
        better(true, vec![(of_log, -50.0)]),
    ]
}

fn factors() -> Vec<FactorFact> {
    let fact = |from: &str, effect, has_several_pairs, ranges| FactorFact {
        attribute: words("volumes"),
        from: words(from),
        to: words("three"),
        effect,
        has_several_pairs,
        ranges,
    };
    let some = |better_count, worse_count| Effect::Some { better_count, worse_count, count: 20 };
    let exceptions = vec![(mean_of_writes(None), String::new()), (mean_of_writes(None), words("vpu=20"))];
    vec![
        fact("one", Effect::AllBetter, false, ranges()),
        fact("", Effect::AllWorse, false, Vec::new()),
        fact("one", Effect::Unknown, false, Vec::new()),
        fact("one", Effect::NoneKnown { known_count: 3, count: 10 }, false, Vec::new()),
        fact("one", Effect::None, false, Vec::new()),
        fact("one", some(7, 0), false, Vec::new()),
        fact("one", some(0, 7), true, Vec::new()),
        fact("one", some(8, 7), true, Vec::new()),
        fact("one", Effect::BetterExcept(exceptions.clone()), false, Vec::new()),
        fact("one", Effect::WorseExcept(exceptions), false, Vec::new()),
    ]
}

fn avoided() -> Vec<Vec<AvoidFact>> {
    let Some(ExceptionFact::Tail(_, tail)) = exceptions().pop() else { panic!("a tail") };
    let all = |only, metric_count, has_others| AvoidFact::All {
        best: words("A"),
        only,
        metric_count,
        has_others,
        ranges: ranges(),
    };
    let stream =
        AvoidFact::Stream { stream: Stream::Write, best: words("A"), metric_count: 4, ranges: ranges() };
    vec![
        vec![stream, AvoidFact::Tail(tail), AvoidFact::Judged(Category::Critical, words("A"))],
        vec![all(None, 2, false)],
        vec![all(None, 10, true)],
        vec![all(Some(mean_of_writes(None)), 1, true)],
    ]
}

fn more_hosts(load: Option<&str>) -> Scaling {
    Scaling {
        attribute: words("hosts"),
        from: words("A"),
        to: words("B"),
        from_count: 1.0,
        to_count: 3.0,
        metric: Metric { load: load.map(words), ..Metric::of_figure(Stream::Read, Figure::Iops) },
        from_value: 850_000.0,
        to_value: 2_500_000.0,
        efficiency_percent: 98.04,
    }
}

fn answers_over_loads() -> Vec<OverLoadsAnswer> {
    use OverLoadsAnswer as A;
    let (best, loads) = (|| words("A (one)"), ["oltp", "scan", "log"]);
    let all = |count: usize| A::BestUnderAll { best: best(), loads: names(&loads[..count]) };
    let none = |count: usize| A::NoneShown(names(&loads[..count]));
    let others = || vec![(words("B (new)"), names(&["log", "scan"])), (words("C"), names(&["backup"]))];
    let most = |best_count, others, undecided: &[&str]| A::BestUnderMost {
        best: best(),
        best_count,
        load_count: 9,
        others,
        undecided: names(undecided),
    };
    let under_most = |undecided: &[&str]| A::NoneUnderMost {
        load_count: 6,
        winners: others(),
        undecided: names(undecided),
    };
    vec![
        A::Same(Answer::OnlyMore(words("hosts"))),
        A::NoCommonLoad,
        all(1),
        all(2),
        all(3),
        most(8, others().split_off(1), &[]),
        most(8, Vec::new(), &["oltp"]),
        most(5, others(), &["oltp"]),
        none(1),
        none(2),
        none(3),
        under_most(&[]),
        under_most(&["oltp", "report"]),
    ]
}

fn reasons_over_loads() -> Vec<OverLoadsReason> {
    use ChangeOverLoads as Of;
    let reason = |of, is_partly| OverLoadsReason { of, ranges: ranges(), is_partly };
    let baseline = || words("B (old)");
    vec![
        reason(Of::OfOther { other: words("C (new)"), best: words("A") }, false),
        reason(Of::OfBest(baseline()), false),
        reason(Of::WhereBest { baseline: baseline(), best: words("A") }, true),
        reason(Of::WhereNotBest { baseline: baseline(), loads: names(&["log", "scan"]) }, true),
    ]
}

fn costs_over_loads() -> Vec<OverLoadsCost> {
    let cost = |cheapest| OverLoadsCost {
        currency: words("EUR"),
        per_month: vec![(words("A (one)"), 2_328.0), (words("B"), 1_579.4)],
        cheapest,
        load_count: 6,
    };
    vec![cost(Vec::new()), cost(vec![(words("A"), 2), (words("B"), 4)])]
}

fn of_sweeps() -> Vec<Vec<CeilingChanges>> {
    let curve = |pattern: &str, volume: Option<&str>| CurvePlace {
        pattern: pattern.parse().unwrap(),
        volume: volume.map(words),
    };
    let (reads, writes) = (|| curve("randread-8k", None), || curve("write-64k", Some("/mnt/log")));
    let at_least = Amount::Bounded(Bounded { relation: BoundRelation::AtLeast, value: 40.04 });
    let of = |changed, same, unknown| CeilingChanges {
        sweep: words("B (new)"),
        baseline: words("A (old)"),
        is_of_loads: false,
        changed,
        same,
        unknown,
    };
    let whole = of(
        vec![(reads(), Amount::Exact(-7.3)), (writes(), at_least)],
        vec![curve("randread-64k", None)],
        vec![curve("randwrite-8k", None)],
    );
    let same = of(Vec::new(), vec![reads(), writes()], Vec::new());
    let none = of(Vec::new(), Vec::new(), Vec::new());
    let series = CeilingChanges { is_of_loads: true, ..whole.clone() };
    vec![vec![whole], vec![series], vec![same, CeilingChanges { sweep: words("C (newer)"), ..none }]]
}

#[test]
fn every_part_of_a_recommendation_has_its_words_on_one_page() {
    let mut page = String::new();
    let mut add = |section: &str, lines: Vec<String>| {
        writeln!(page, "{section}").unwrap();
        lines.iter().for_each(|line| writeln!(page, "  {line}").unwrap());
    };
    add("answer", answers().iter().map(answer).collect());
    let causes = reservations();
    add("reservation", causes.iter().map(reservation).collect());
    let with = |has_best, causes: &[Reservation]| with_reservations("A is the best.", has_best, causes);
    add("with reservations", vec![with(true, &[]), with(true, &causes[1..3]), with(false, &causes[..1])]);
    add("reason", reasons().iter().map(reason).collect());
    add("factor", factors().iter().map(factor).collect());
    let fewer =
        Scaling { from_value: 84_887.0, to_value: 7_704.0, efficiency_percent: 3.0, ..more_hosts(None) };
    let more =
        [more_hosts(None), more_hosts(Some("8 KiB")), fewer].map(|one| scaling(&one, "A (one)", "B (three)"));
    add("scaling", more.into());
    add("avoid", avoided().iter().map(|facts| avoid(facts)).collect());
    add("exception", exceptions().iter().map(exception).collect());
    let causes = causes_of_tails();
    let tails = [&causes[..1], &causes[1..4], &causes].map(|all| tail_causes("D (new)", "C", all));
    add("causes of a tail", tails.into());
    add("cost", costs().iter().map(cost).collect());
    add("times", all_times().iter().map(times).collect());
    add("cpu", cpu_costs().iter().map(cpu_cost).collect());
    add("answer over loads", answers_over_loads().iter().map(answer_over_loads).collect());
    add("reason over loads", reasons_over_loads().iter().map(reason_over_loads).collect());
    add("cost over loads", costs_over_loads().iter().map(cost_over_loads).collect());
    add("ceilings", of_sweeps().iter().map(|all| ceilings(all)).collect());
    let open = [
        OpenChange::FewForLongest { run_count: 2 },
        OpenChange::TooWide { run_count: Some(8) },
        OpenChange::TooWide { run_count: None },
    ];
    add("open change", open.map(open_change).into());
    insta::assert_snapshot!("page", page);
}
