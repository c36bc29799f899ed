//! Printed tables: what their texts claim comes out of their figures.

use std::path::{Path, PathBuf};

use iotrial_analysis::comparison::{
    CompareRequest, Comparison, GateResult, LoadRow, Metric, Reading, Sample,
};
use iotrial_model::figure::Figure;
use iotrial_model::finding::{ComparedFact, Evidence, Finding, FindingId};
use iotrial_model::metric::{MetricGroup, MetricKey};
use iotrial_model::recommendation::{
    Answer, AvoidFact, ChangeOverLoads, GroupRanges, OverLoadsAnswer, ReasonFact, Reservation,
    ReservationKind, SureBound,
};
use iotrial_model::stream::Stream;
use iotrial_model::table::{Claim, PublishedTable};

/// A table of the published documents, which are data to check against and no part of the project.
fn published(name: &str) -> Option<PublishedTable> {
    published_text(name).map(|text| PublishedTable::parse(&text).unwrap())
}

fn published_text(name: &str) -> Option<String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let path = shared.join("data/published").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(_) => {
            println!("skipped: {} is missing; IOTRIAL_SHARED names its folder", path.display());
            None
        }
    }
}

fn compared(table: &PublishedTable, request: &CompareRequest) -> Comparison {
    Comparison::new(Sample::of_table(table, "the table"), request).unwrap()
}

fn table(rows: &str) -> PublishedTable {
    PublishedTable::parse(&format!("format = \"iotrial.table/1\"\ntitle = \"T\"\n{rows}")).unwrap()
}

#[test]
fn what_reads_gain_and_what_writes_lose_are_ranges_of_their_own() {
    let row = |id: &str, cache: &str, outstanding: u32, of: &str, iops: u32, mean_us: u32| {
        let percent = if of == "read" { 100 } else { 0 };
        format!(
            "[[row]]\nid = \"{id}\"\nattributes = {{ cache = \"{cache}\" }}\n\
             load = {{ pattern = \"random\", read_percent = {percent}, block_size_bytes = 4096, outstanding = {outstanding} }}\n\
             {of} = {{ iops = {iops}, lat_mean_us = {mean_us} }}\n"
        )
    };
    let rows = [
        row("A", "on", 1, "read", 10_000, 100),
        row("B", "on", 8, "read", 60_000, 133),
        row("C", "on", 1, "write", 20_000, 50),
        row("D", "on", 8, "write", 80_000, 100),
        row("E", "off", 1, "read", 9_000, 111),
        row("F", "off", 8, "read", 48_000, 166),
        row("G", "off", 1, "write", 1_000, 1_000),
        row("H", "off", 8, "write", 2_000, 4_000),
    ];
    let comparison = compared(&table(&rows.concat()), &CompareRequest::default());
    let recommendation = &comparison.recommendation;
    let ReasonFact::AgainstSecond { ranges, .. } = &recommendation.facts.reasons[0] else {
        panic!("{:?}", recommendation.facts.reasons)
    };
    let (reads, writes) = (Some(Stream::Read), Some(Stream::Write));
    assert_eq!(
        shown(ranges),
        [
            (MetricGroup::Throughput, reads, "11.1 25.0".to_owned()),
            (MetricGroup::Throughput, writes, "1900.0 3900.0".to_owned()),
            (MetricGroup::TypicalLatency, reads, "-19.9 -9.9".to_owned()),
            (MetricGroup::TypicalLatency, writes, "-97.5 -95.0".to_owned()),
        ]
    );
    let matrix = comparison.over_loads.as_ref().unwrap();
    let throughput = [
        (MetricGroup::Throughput, reads, "-20.0 -10.0".to_owned()),
        (MetricGroup::Throughput, writes, "-97.5 -95.0".to_owned()),
    ];
    assert_eq!(shown(&matrix.facts.reasons[0].ranges)[..2], throughput);
    // Its reads would be a second choice.
    let avoid = &recommendation.avoid[0];
    let [AvoidFact::Stream { stream, best, metric_count, ranges }] = avoid.facts.as_slice() else {
        panic!("{avoid:?}")
    };
    assert_eq!((avoid.configuration.as_str(), *stream, best.as_str()), ("E", Stream::Write, "A"));
    let worse = [
        (MetricGroup::Throughput, writes, "-97.5 -95.0".to_owned()),
        (MetricGroup::TypicalLatency, writes, "1900.0 3900.0".to_owned()),
    ];
    assert_eq!((*metric_count, shown(ranges)), (4, worse.to_vec()));
}

/// The least and the largest change of each group and stream, with one digit.
fn shown(ranges: &GroupRanges) -> Vec<(MetricGroup, Option<Stream>, String)> {
    let all = ranges.iter().flat_map(|(group, ranges)| ranges.iter().map(|range| (*group, range)));
    let shown = all.filter_map(|(group, range)| Some((group, range.stream, range.shown_percent?)));
    shown.map(|(group, stream, (low, high))| (group, stream, format!("{low:.1} {high:.1}"))).collect()
}

const FOUR_SET_UPS: &str = "oci-sqlserver-fio.toml";
const SIX_PATTERNS: &str = "oci-windows-throughput.toml";

/// The matrix of a comparison: pattern, both figures in MiB/s, the change, and the best one.
fn matrix_of(comparison: &Comparison) -> Vec<(String, String, String, String)> {
    let row = |row: &LoadRow| {
        let rate = &row.metrics[0];
        assert_eq!(rate.metric.key.figure().unwrap().1, Figure::Bandwidth, "{}", row.load);
        let value = |at: usize| rate.cells[at].value.unwrap().exact().unwrap();
        let change = rate.cells[1].delta.as_ref().unwrap().percent;
        let both = format!("{:.2} {:.0}", value(0), value(1));
        (row.load.clone(), both, format!("{change:+.1}"), row.best.join(" "))
    };
    comparison.over_loads.as_ref().unwrap().loads.iter().map(row).collect()
}

#[test]
fn six_patterns_of_two_configurations_are_one_matrix_digit_for_digit() {
    let Some(table) = published(SIX_PATTERNS) else { return };
    let comparison = compared(&table, &CompareRequest::default());
    let rows = matrix_of(&comparison);
    let rows: Vec<[&str; 4]> =
        rows.iter().map(|(a, b, c, d)| [a.as_str(), b.as_str(), c.as_str(), d.as_str()]).collect();
    assert_eq!(
        rows,
        [
            ["random read 64 KiB", "1891.02 4070", "+115.2", "B"],
            ["sequential read 64 KiB", "1889.94 4592", "+143.0", "B"],
            ["random write 64 KiB", "1879.58 3416", "+81.7", "B"],
            ["sequential write 64 KiB", "1879.01 3850", "+104.9", "B"],
            ["random 40 % read 64 KiB", "2612.98 3621", "+38.6", "B"],
            ["sequential 40 % read 64 KiB", "2617.78 4044", "+54.5", "B"],
        ]
    );
    let matrix = comparison.over_loads.as_ref().unwrap();
    assert_eq!((matrix.best.as_deref(), matrix.best_count), (Some("B"), 6));
    let answer = &matrix.facts.answer;
    assert!(matches!(answer, OverLoadsAnswer::BestUnderAll { loads, .. } if loads.len() == 6), "{answer:?}");
    let reservations: Vec<ReservationKind> = matrix.reservations.iter().map(Reservation::kind).collect();
    assert_eq!(reservations, [ReservationKind::Contradictory]);
    assert_eq!(matrix.facts.cost, None);
}

#[test]
fn a_configuration_that_loses_one_of_six_loads_is_recommended_with_that_exception_and_each_load_has_its_price()
 {
    let Some(path) = published_text(SIX_PATTERNS) else { return };
    // The prices of the source's third and fourth example, and a slower sequential write.
    let text = path
        .replace("vpu = 120,", "vpu = 120, eur_per_month = 2328,")
        .replace("vpu = 20,", "vpu = 20, eur_per_month = 1579,")
        .replace(
            "{ iops = 61606, bandwidth_mib_per_s = 3850 }",
            "{ iops = 24000, bandwidth_mib_per_s = 1500 }",
        );
    let comparison = compared(&PublishedTable::parse(&text).unwrap(), &CompareRequest::default());
    let matrix = comparison.over_loads.as_ref().unwrap();
    assert_eq!((matrix.best.as_deref(), matrix.best_count), (Some("B"), 5));
    assert_eq!(matrix.exceptions(), ["sequential write 64 KiB"]);
    let losing = || vec!["sequential write 64 KiB".to_owned()];
    let OverLoadsAnswer::BestUnderMost { others, undecided, .. } = &matrix.facts.answer else {
        panic!("{:?}", matrix.facts.answer)
    };
    let baseline = matrix.configuration("A").unwrap().title();
    assert_eq!((others.as_slice(), undecided.len()), (&[(baseline.clone(), losing())][..], 0));
    let where_lost = &matrix.facts.reasons[1];
    assert_eq!(where_lost.of, ChangeOverLoads::WhereNotBest { baseline, loads: losing() });
    let (group, _, throughput) = &shown(&where_lost.ranges)[0];
    assert_eq!((*group, throughput.as_str()), (MetricGroup::Throughput, "-20.2 -20.2"));
    let write = matrix.loads.iter().find(|row| row.load == "sequential write 64 KiB").unwrap();
    // 100 MiB/s of 1,879.01 for 2,328 EUR, and of 1,500 for 1,579 EUR.
    assert_eq!(
        (format!("{:.2}", write.price_per["A"]), format!("{:.2}", write.price_per["B"])),
        ("123.90".to_owned(), "105.27".to_owned())
    );
    let cost = matrix.facts.cost.as_ref().unwrap();
    assert_eq!((&cost.cheapest[..], cost.load_count), (&[("B".to_owned(), 6)][..], 6));
}

#[test]
fn every_delta_of_the_published_tables_comes_out_digit_for_digit() {
    let Some(table) = published(FOUR_SET_UPS) else { return };
    let comparison = compared(&table, &CompareRequest::default());
    let pairs = || comparison.factors.iter().flat_map(|factor| &factor.pairs).map(|pair| &pair.pair);
    let mut count = 0;
    for claim in &table.claims {
        let Claim::Delta { metric, baseline, row, percent } = claim else { continue };
        let pair = pairs().find(|pair| pair.baseline == *baseline && pair.configuration == *row);
        let pair = pair.unwrap_or_else(|| panic!("{baseline} and {row} are no pair of a factor"));
        let delta = pair.deltas.iter().find(|delta| delta.metric.key.to_string() == *metric).unwrap();
        assert_eq!(
            format!("{:.1}", delta.percent),
            format!("{:.1}", percent.value),
            "{metric} {baseline} {row}"
        );
        count += 1;
    }
    assert_eq!(count, 40, "two tables of ten metrics and two pairs");
    // The text writes «much worse» from a doubling on.
    let much: Vec<(&str, String)> = pairs()
        .flat_map(|pair| pair.deltas.iter().map(move |delta| (pair.configuration.as_str(), delta)))
        .filter(|(_, delta)| delta.reading == Reading::MuchWorse && delta.metric.is_ranked())
        .map(|(key, delta)| (key, delta.metric.key.to_string()))
        .collect();
    assert_eq!(much, [("D", "read.lat_p999_us".to_owned()), ("D", "read.lat_p999_us".to_owned())]);
    // And «about the same» for +1.2 %.
    let same = pairs().find(|pair| pair.configuration == "B").unwrap();
    assert_eq!(
        same.delta(&Metric::of_figure(Stream::Read, Figure::LatencyP999)).unwrap().reading,
        Reading::NoDifference
    );
}

#[test]
fn every_rank_of_the_published_table_comes_out() {
    let Some(table) = published(FOUR_SET_UPS) else { return };
    let comparison = compared(&table, &CompareRequest::default());
    let mut count = 0;
    for claim in &table.claims {
        let Claim::Rank { metric, order } = claim else { continue };
        let ranking = comparison.rankings.iter().find(|one| one.metric.key.to_string() == *metric).unwrap();
        let places: Vec<&str> = ranking.places.iter().map(|place| place.configuration.as_str()).collect();
        assert_eq!(places, order.iter().map(String::as_str).collect::<Vec<_>>(), "{metric}");
        assert_eq!(
            ranking.places.iter().map(|place| place.place).collect::<Vec<_>>(),
            [1, 2, 3, 4],
            "{metric}"
        );
        count += 1;
    }
    assert_eq!((count, comparison.rankings.len()), (10, 10));
}

#[test]
fn the_recommendation_is_that_of_the_published_text() {
    let Some(table) = published(FOUR_SET_UPS) else { return };
    let comparison = compared(&table, &CompareRequest::default());
    let Some(Claim::Recommend { best, avoid }) =
        table.claims.iter().find(|claim| matches!(claim, Claim::Recommend { .. }))
    else {
        panic!("the table has a recommendation")
    };
    let recommendation = &comparison.recommendation;
    assert_eq!(recommendation.best.as_ref(), Some(best));
    let avoided: Vec<&String> = recommendation.avoid.iter().map(|one| &one.configuration).collect();
    assert_eq!(avoided, avoid.iter().collect::<Vec<_>>());
    let best = "C (3BV striped paravirtualized)".to_owned();
    assert_eq!(recommendation.facts.answer, Some(Answer::BestInAll { best, metric_count: 10 }));
    assert_eq!(recommendation.reservations, []);
    // The «bomb»: both tails of D, against C and against B, whose means are worse than D's.
    assert!(recommendation.tail_problems.iter().all(|problem| problem.configuration == "D"));
    let called_out = |baseline: &str, metric: &str| {
        recommendation
            .tail_problems
            .iter()
            .any(|one| one.baseline == baseline && one.tail.metric.key.to_string() == metric)
    };
    assert!(called_out("C", "read.lat_p999_us") && called_out("B", "read.lat_p999_us"));
    assert!(called_out("B", "write.lat_p999_us"));
    let is_tail = |fact: &&AvoidFact| matches!(fact, AvoidFact::Tail(_));
    let tail = recommendation.avoid[0].facts.iter().find(is_tail);
    let Some(AvoidFact::Tail(tail)) = tail else { panic!("{:?}", recommendation.avoid[0]) };
    assert_eq!((tail.baseline.as_str(), tail.metric.key.to_string().as_str()), ("C", "read.lat_p999_us"));
    assert_eq!((tail.to_us.round(), tail.from_us.round()), (6_259.0, 2_376.0));
    // From about 8 to about 18 % in the kernel.
    let cpu = recommendation.facts.cpu.as_ref().unwrap();
    let ratios = format!("{:.1} {:.1}", cpu.cpu_ratio(), cpu.rate_ratio.unwrap());
    assert_eq!((format!("{:.1}", cpu.best_percent.1), ratios), ("17.9".to_owned(), "2.2 1.4".to_owned()));
}

#[test]
fn rows_under_several_loads_are_one_configuration_with_metrics_of_each_load() {
    let Some(table) = published("oci-windows-throughput.toml") else { return };
    let comparison = compared(&table, &CompareRequest::default());
    assert_eq!(comparison.configurations.len(), 2);
    assert_eq!(comparison.configurations[0].label, "one UHP volume, paravirtualized, 64K");
    assert!(comparison.rankings.iter().all(|ranking| ranking.metric.load.is_some()));
    assert_eq!(comparison.rankings.len(), 12, "rate and bandwidth of six loads");
    assert_eq!(comparison.recommendation.best.as_deref(), Some("B"));
}

#[test]
fn what_only_an_application_tells_is_ranked_too_and_a_bound_is_compared_where_it_is_sure() {
    let Some(table) = published("azure-ultra-tpce.toml") else { return };
    let comparison = compared(&table, &CompareRequest::default());
    let metric = MetricKey::from_key("other.batch_requests_per_s").unwrap();
    let delta = comparison.against_baseline[0].delta(&metric.into()).unwrap();
    assert_eq!((format!("{:.1}", delta.percent).as_str(), delta.reading), ("33.6", Reading::Better));
    let bounded = |key: &str| {
        let metric = MetricKey::from_key(key).unwrap().into();
        comparison.against_baseline[0].bounded_delta(&metric).unwrap()
    };
    // The finding of the document: from 4 ms to below 1 ms.
    let write = bounded("write.lat_mean_us");
    assert_eq!((write.reading, write.most_percent), (Reading::MuchBetter, Some(-75.0)));
    // One digit of 1 ms may be rounded.
    assert_eq!(bounded("read.lat_mean_us").reading, Reading::Undecided);
    let reasons = &comparison.recommendation.facts.reasons;
    let bounds = reasons.iter().find_map(|reason| match reason {
        ReasonFact::SureBounds(bounds) => Some(bounds),
        _ => None,
    });
    let is_write = |one: &&SureBound| one.metric.key.to_string() == "write.lat_mean_us";
    let write = bounds.and_then(|bounds| bounds.iter().find(is_write)).unwrap();
    assert_eq!((write.is_beyond, write.percent), (true, -75.0));
    assert_eq!((write.from.shown(), write.to.shown()), ((None, 4_000.0), (Some("<"), 1_000.0)));
    assert!(comparison.factors.is_empty(), "they differ in several attributes at once");
    assert_eq!(never_alone(&comparison), ["disk", "disks", "read_only_cache"]);
}

/// The attributes that never differ alone, as the finding on them says.
fn never_alone(comparison: &Comparison) -> Vec<String> {
    let fact = comparison.findings.iter().find_map(|finding| match &finding.evidence {
        Evidence::Compared(ComparedFact::NoPair { attributes }) => Some(attributes.clone()),
        _ => None,
    });
    fact.unwrap_or_default()
}

fn two_rows(first: &str, other: &str) -> PublishedTable {
    table(&format!("[[row]]\nid = \"A\"\n{first}\n[[row]]\nid = \"B\"\n{other}\n"))
}

#[test]
fn better_and_worse_follow_the_metric() {
    let table = two_rows(
        "read = { iops = 100, lat_mean_us = 100, total_gib = 1 }\ncpu = { sys_percent = 10 }",
        "read = { iops = 150, lat_mean_us = 250, total_gib = 2 }\ncpu = { sys_percent = 11 }",
    );
    let comparison = compared(&table, &CompareRequest::default());
    let readings: Vec<(String, Reading)> = comparison.against_baseline[0]
        .deltas
        .iter()
        .map(|delta| (delta.metric.key.to_string(), delta.reading))
        .collect();
    let expected = [
        ("read.iops", Reading::Better),
        ("read.lat_mean_us", Reading::MuchWorse),
        ("read.total_gib", Reading::Amount),
        ("cpu.sys_percent", Reading::Worse),
    ];
    assert_eq!(readings, expected.map(|(key, reading)| (key.to_owned(), reading)));
}

#[test]
fn the_baseline_is_chosen_by_label_or_id_and_gives_its_value_to_every_factor() {
    let Some(table) = published(FOUR_SET_UPS) else { return };
    for name in ["D", "3BV striped SR-IOV"] {
        let request = CompareRequest { baseline: Some(name.to_owned()), ..CompareRequest::default() };
        let comparison = compared(&table, &request);
        assert_eq!(comparison.baseline, "D");
        let pairs: Vec<(&str, &str)> = comparison
            .factors
            .iter()
            .flat_map(|factor| &factor.pairs)
            .map(|pair| (pair.pair.baseline.as_str(), pair.pair.configuration.as_str()))
            .collect();
        assert_eq!(pairs, [("B", "A"), ("D", "C"), ("C", "A"), ("D", "B")]);
        assert_eq!(
            comparison.recommendation.best.as_deref(),
            Some("C"),
            "the baseline does not change who wins"
        );
    }
    let error = Comparison::new(
        Sample::of_table(&table, "t"),
        &CompareRequest { baseline: Some("3BV striped SRIOV".to_owned()), ..CompareRequest::default() },
    )
    .unwrap_err();
    assert!(
        error.to_string().starts_with("no configuration is called `3BV striped SRIOV`; there are `1BV"),
        "{error}"
    );
    assert_eq!(error.hint().as_deref(), Some("did you mean `3BV striped SR-IOV`?"));
}

#[test]
fn a_factor_without_a_pair_and_an_attribute_that_does_not_differ_are_errors_when_asked_for() {
    let table = two_rows(
        "attributes = { disks = 1, kind = \"a\", vm = \"m\" }\nread = { iops = 1 }",
        "attributes = { disks = 2, kind = \"b\", vm = \"m\" }\nread = { iops = 2 }",
    );
    let error = |by: &str| {
        let request = CompareRequest { by: Some(by.to_owned()), ..CompareRequest::default() };
        Comparison::new(Sample::of_table(&table, "t"), &request).unwrap_err()
    };
    let alone = error("disks");
    assert_eq!(alone.to_string(), "no two configurations differ in `disks` alone");
    assert!(alone.hint().unwrap().contains("disks, kind"));
    assert_eq!(
        error("vm").to_string(),
        "the configurations do not differ in `vm`; they differ in disks, kind"
    );
    assert_eq!(error("disk").hint().as_deref(), Some("did you mean `disks`?"));
    assert_eq!(never_alone(&compared(&table, &CompareRequest::default())), ["disks", "kind"]);
}

#[test]
fn what_cannot_be_compared_is_an_error_that_says_why() {
    let check = |table: &PublishedTable, expected: &str| {
        let error =
            Comparison::new(Sample::of_table(table, "t.toml"), &CompareRequest::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(&table("[[row]]\nid = \"A\"\nread = { iops = 1 }\n"), "there is only one configuration");
    check(
        &two_rows("read = { iops = 1 }", "write = { iops = 1 }"),
        "no two configurations have a metric in common",
    );
    check(
        &two_rows(
            "label = \"x\"\nattributes = { disks = 1 }\nread = { iops = 1 }",
            "label = \"x\"\nattributes = { disks = 2 }\nread = { iops = 1 }",
        ),
        "`x` stands for two configurations: the attributes of row `A` of t.toml and of row `B` of t.toml differ",
    );
    check(
        &two_rows("label = \"x\"\nread = { iops = 1 }", "label = \"x\"\nread = { iops = 2 }"),
        "`x` is printed twice: there are two values for read IOPS",
    );
}

#[test]
fn a_gate_is_held_against_every_configuration_but_the_baseline() {
    let Some(table) = published(FOUR_SET_UPS) else { return };
    let gates = |text: &[&str]| text.iter().map(|one| one.parse().unwrap()).collect();
    let request = CompareRequest {
        gates: gates(&["write.p99.9 <= +10%", "read.iops >= -5%"]),
        ..CompareRequest::default()
    };
    let comparison = compared(&table, &request);
    let outcomes: Vec<(&str, bool)> = comparison
        .gates
        .iter()
        .map(|one| (one.configuration.as_str(), one.outcome == GateResult::Kept))
        .collect();
    // Against A the p99.9 of writes is +8.7, -21.4 and +22.4 %; the read IOPS of B are -7.3 %.
    assert_eq!(outcomes, [("B", true), ("C", true), ("D", false), ("B", false), ("C", true), ("D", true)]);
    assert!(comparison.gates.iter().all(|one| one.outcome != GateResult::Undecided));
    let request = CompareRequest { gates: gates(&["write.p98 <= +10%"]), ..CompareRequest::default() };
    let error = Comparison::new(Sample::of_table(&table, "t"), &request).unwrap_err();
    assert!(
        error.to_string().starts_with(
            "no configuration has the metric `write.p98`; there are write.iops, write.bandwidth"
        ),
        "{error}"
    );
    assert!(error.hint().unwrap().starts_with("did you mean `write.p99"), "{:?}", error.hint());
}

#[test]
fn more_hosts_are_told_as_efficiency_and_none_is_recommended_or_avoided() {
    let table = table(
        "[[row]]\nid = \"one\"\nlabel = \"one host\"\nattributes = { hosts = 1, vm = \"E104\" }\n\
         read = { iops = 850000, bandwidth_mib_per_s = 6641 }\n\
         [[row]]\nid = \"three\"\nlabel = \"three hosts\"\nattributes = { hosts = 3, vm = \"E104\" }\n\
         read = { iops = 2500000, bandwidth_mib_per_s = 19531 }\n",
    );
    let comparison = compared(&table, &CompareRequest::default());
    assert!((comparison.scaling[0].efficiency_percent - 98.04).abs() < 0.01, "{:?}", comparison.scaling);
    let recommendation = &comparison.recommendation;
    assert_eq!((recommendation.best.as_ref(), recommendation.avoid.len()), (None, 0));
    assert_eq!(recommendation.facts.answer, Some(Answer::OnlyMore("hosts".to_owned())));
}

#[test]
fn more_hosts_are_not_recommended_either_where_the_table_has_another_load() {
    let Some(table) = published("azure-anf-oracle-slob.toml") else { return };
    let comparison = compared(&table, &CompareRequest::default());
    let over_loads = comparison.over_loads.as_ref().unwrap();
    assert_eq!((over_loads.best.as_ref(), over_loads.loads.len()), (None, 2));
    assert_eq!(over_loads.facts.answer, OverLoadsAnswer::Same(Answer::OnlyMore("hosts".to_owned())));
    assert_eq!(over_loads.loads.iter().map(|row| row.best.len()).sum::<usize>(), 0);
}

#[test]
fn a_row_that_contradicts_itself_is_known_to_and_never_recommended_without_a_word() {
    // 12,345 I/Os of 64 KiB are 772 MiB/s; 809 are MB/s.
    let row = |id: &str, mib: u32, iops: u32| {
        format!(
            "[[row]]\nid = \"{id}\"\nlabel = \"{id}\"\nattributes = {{ driver = \"{id}\" }}\n\
             load = {{ pattern = \"random\", read_percent = 100, block_size_bytes = 65536 }}\n\
             read = {{ iops = {iops}, bandwidth_mib_per_s = {mib} }}\n"
        )
    };
    let comparison =
        compared(&table(&(row("A", 500, 8_001) + &row("B", 809, 12_345))), &CompareRequest::default());
    let contradictory: Vec<bool> =
        comparison.configurations.iter().map(|one| one.is_contradictory()).collect();
    assert_eq!(contradictory, [false, true]);
    assert_eq!(comparison.recommendation.best.as_deref(), Some("B"));
    let contradictory = Reservation::Contradictory(vec!["B".to_owned()]);
    assert_eq!(comparison.recommendation.reservations, [contradictory]);
    let is_told = |finding: &Finding| {
        let Evidence::Compared(ComparedFact::Contradictions { configuration, .. }) = &finding.evidence else {
            return false;
        };
        (finding.id, configuration.as_str()) == (FindingId::Caveat, "B")
    };
    assert_eq!(comparison.findings.iter().filter(|finding| is_told(finding)).count(), 1);
}
