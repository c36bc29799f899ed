//! What is said of recommendations, on one page: `snapshots/iotrial_words__recommendation__tests__page.snap`.

use std::fmt::Write as _;

use iotrial_model::figure::Figure;
use iotrial_model::load::Role;
use iotrial_model::stream::StreamOf;

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

fn reservations() -> Vec<ReservationCause> {
    use ReservationCause as Cause;
    let loss = |role, stream, figure, factor| {
        Cause::LosesInRole(RoleLoss { of: StreamOf { role, stream }, figure, factor, other: words("B") })
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

#[test]
fn every_part_of_a_recommendation_has_its_words_on_one_page() {
    let mut page = String::new();
    let mut add = |section: &str, lines: Vec<String>| {
        writeln!(page, "{section}").unwrap();
        lines.iter().for_each(|line| writeln!(page, "  {line}").unwrap());
    };
    let causes = reservations();
    add("reservation", causes.iter().map(reservation).collect());
    let with =
        |has_best, causes: &[ReservationCause]| with_reservations("A is the best.", has_best, causes.iter());
    add("with reservations", vec![with(true, &[]), with(true, &causes[1..3]), with(false, &causes[..1])]);
    add("exception", exceptions().iter().map(exception).collect());
    add("cost", costs().iter().map(cost).collect());
    add("cpu", cpu_costs().iter().map(cpu_cost).collect());
    insta::assert_snapshot!("page", page);
}
