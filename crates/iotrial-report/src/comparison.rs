//! The document of a comparison: what to take, what it rests on, and every figure, change and rank.

mod capacity;

pub(crate) mod charts;

pub(crate) mod curves;

pub(crate) mod front;

pub(crate) mod hosts;

mod loads;

pub(crate) mod measured;

mod roles;

pub(crate) mod side;

use std::collections::BTreeSet;

use iotrial_analysis::comparison::{
    BoundedDelta, Comparison, Configuration, Delta, FactorPair, Metric, MetricGroup, Pair, Ranking, Reading,
    Recommendation, Reservation, ReservationKind, Standing,
};
use iotrial_model::bound::Bounded;
use iotrial_model::figure::{CpuFigure, Figure};
use iotrial_model::finding::{Finding, FindingId};
use iotrial_model::metric::MetricKey;
use iotrial_model::stream::{Stream, StreamOf};
use iotrial_model::units::group_thousands;
use iotrial_model::words;
use iotrial_words::recommendation::open_change;

use crate::document::{Answer, Block, Document, FindingLine, LONGEST_TITLE, PointList, Section};
use crate::gates;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value, reading_mark};
use crate::text::cut;

/// More rows than this are left to the forms that can be scrolled.
const MOST_ROWS_AT_A_GLANCE: usize = 48;
/// How many configurations to avoid, and tails, are named; the others are counted.
const MOST_AVOIDED: usize = 8;
/// Names of attributes in titles of charts are cut to this many characters.
const LONGEST_ATTRIBUTE: usize = 40;
/// How many places of a ranking have a column of their own.
const PLACES: [&str; 6] = ["1st", "2nd", "3rd", "4th", "5th", "6th"];

impl Document {
    /// The document of a comparison.
    pub fn of_comparison(comparison: &Comparison) -> Self {
        let sections = [
            Some(recommendation(comparison)),
            gates::section(&comparison.gates),
            findings(&comparison.findings),
            Some(configurations(comparison)),
            comparison.over_loads.as_deref().map(loads::section),
            measured::section(&comparison.configurations, None),
            hosts::section(&comparison.host_differences),
            curves::section(&curves::Grid::of_stated(comparison)),
            charts::scaling(comparison),
            Some(side_by_side(comparison)),
            charts::bars(comparison),
            factors(comparison),
            against_baseline(comparison),
            roles::section(comparison),
            ranking(comparison),
            charts::distribution(comparison),
            charts::spread(comparison),
            changes(comparison),
        ];
        let runs: usize = comparison.configurations.iter().map(Configuration::run_count).sum();
        let is_printed = comparison.configurations.iter().all(|one| one.is_printed);
        Self {
            title: title(comparison),
            byline: format!(
                "From {runs} {}",
                if is_printed { "results, as given by their sources" } else { "runs" }
            ),
            in_brief: in_brief(comparison),
            sections: sections.into_iter().flatten().collect(),
            chapters: Vec::new(),
            front: front::of(comparison),
        }
    }
}

pub(crate) fn title(comparison: &Comparison) -> String {
    let subject = comparison.subjects.join(", ");
    let count = comparison.configurations.len();
    cut(&format!("{subject}: {count} configurations compared"), LONGEST_TITLE)
}

pub(crate) fn in_brief(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let mut lines = vec![("baseline", title_of(comparison, &comparison.baseline))];
    if comparison.configurations.len() > MOST_ROWS_AT_A_GLANCE {
        lines.push(("all figures", "in --html and --json".to_owned()));
    }
    lines
}

fn title_of(comparison: &Comparison, key: &str) -> String {
    comparison.configuration(key).map_or_else(|| key.to_owned(), Configuration::title)
}

pub(crate) fn recommendation(comparison: &Comparison) -> Section {
    let Recommendation {
        best,
        sentence,
        reservations,
        reasons,
        factors,
        scaling,
        exceptions,
        tail_causes,
        avoid,
        cost,
        cpu,
        ..
    } = &comparison.recommendation;
    let mut avoided: Vec<String> = avoid
        .iter()
        .take(MOST_AVOIDED)
        .map(|one| format!("{}: {}", title_of(comparison, &one.configuration), one.reason))
        .collect();
    if avoid.len() > MOST_AVOIDED {
        avoided.push(format!("and {} more, which are worse in everything", avoid.len() - MOST_AVOIDED));
    }
    let mut tails: Vec<String> = exceptions.iter().take(MOST_AVOIDED).cloned().collect();
    if exceptions.len() > MOST_AVOIDED {
        tails.push(format!("and {} more; --json has all of them", exceptions.len() - MOST_AVOIDED));
    }
    let causes = tail_causes.iter().take(MOST_AVOIDED).map(|one| one.text.clone()).collect();
    let lists = [
        ("Tail latency", tails),
        ("Possible causes of tails", causes),
        ("What each factor changes", factors.clone()),
        (
            "What a larger number brings",
            if best.is_some() { scaling.clone() } else { scaling.iter().skip(1).cloned().collect() },
        ),
        ("Avoid", avoided),
        ("Cost", cost.iter().cloned().collect()),
        ("CPU", cpu.iter().cloned().collect()),
    ];
    if let Some(matrix) = &comparison.over_loads {
        return loads::answer(matrix, lists_of(lists));
    }
    let best = best.as_ref().map(|best| title_of(comparison, best));
    let (headline, is_good) = headline(best, "", reservations);
    Section {
        id: "recommendation",
        heading: "",
        note: None,
        blocks: vec![Block::Answer(Answer {
            is_good,
            headline,
            sentence: sentence.clone(),
            points: reasons.clone(),
            lists: lists_of(lists),
        })],
    }
}

/// Those that have any points.
fn lists_of<const N: usize>(lists: [(&'static str, Vec<String>); N]) -> Vec<PointList> {
    let lists = lists.into_iter().filter(|(_, points)| !points.is_empty());
    lists.map(|(heading, points)| PointList { heading, points }).collect()
}

/// The answer in a few words, and whether it is a good one. `of` says which part of the loads it is about, if not all:
/// ` for 5 of 6 loads`.
fn headline(best: Option<String>, of: &str, reservations: &[Reservation]) -> (String, Option<bool>) {
    let has = |kind: ReservationKind| reservations.iter().any(|one| one.kind() == kind);
    let is_best = best.is_some();
    let headline = match best {
        // In the same line, because people pass the headline on.
        Some(best) if has(ReservationKind::Simulated) => {
            if of.is_empty() {
                format!("Simulated, not measured: {best} is ahead")
            } else {
                format!("Simulated, not measured; ahead{of}: {best}")
            }
        }
        Some(best) if has(ReservationKind::Contradictory) => {
            let whose: BTreeSet<&String> = reservations.iter().flat_map(Reservation::contradictory).collect();
            let whose = words::in_brief(&whose.into_iter().collect::<Vec<_>>(), 4, 3);
            format!("Recommended{of} only if the contradictory figures of {whose} can be trusted: {best}")
        }
        Some(best) if has(ReservationKind::Froze) => format!("Ahead{of}, but it freezes: {best}"),
        Some(best) => format!("Recommended{of}: {best}"),
        None if has(ReservationKind::Simulated) => "Simulated, not measured: no recommendation".to_owned(),
        None => "No recommendation".to_owned(),
    };
    // No simulation is green: its page must not pass for a measurement.
    let is_good = (is_best && reservations.is_empty()).then_some(true);
    (headline, is_good)
}

/// All findings except the one that says why nothing is compared, which has a section of its own.
pub(crate) fn findings(findings: &[Finding]) -> Option<Section> {
    let others = findings.iter().filter(|finding| finding.id != FindingId::NotCompared);
    let findings: Vec<FindingLine> = others.map(FindingLine::brief).collect();
    (!findings.is_empty()).then(|| Section {
        id: "findings",
        heading: "Findings",
        note: None,
        blocks: vec![Block::Findings(findings)],
    })
}

fn configurations(comparison: &Comparison) -> Section {
    let all = &comparison.configurations;
    let standing = |one: &Configuration| {
        comparison.recommendation.standings.iter().find(|of| of.configuration == one.key)
    };
    let count = |one: &Standing| Value::Count(one.first_count as u64);
    let firsts = all.iter().map(|one| standing(one).map_or(Value::Absent, count)).collect();
    let means = all.iter().map(|one| Value::number(standing(one).map(|one| one.mean_place))).collect();
    let mut more = vec![
        (Column::new("first or tied", Quantity::Count), firsts),
        (Column::new("mean place", Quantity::Place), means),
    ];
    // Printed tables rarely say what the slowest I/O took.
    if all.iter().any(|one| one.worst_io().is_some()) {
        let slowest = all.iter().map(|one| Value::number(one.worst_io().map(|(_, us)| us))).collect();
        more.push((Column::new("max", Quantity::LatencyUs).under("lat"), slowest));
    }
    let names = ("configurations", "Configurations", "configuration");
    let section = side::section(names, all, ("runs", Configuration::run_count), more);
    Section { note: places_note(comparison), ..section }
}

/// What the places in the table of configurations mean; `None` where nothing is ranked.
fn places_note(comparison: &Comparison) -> Option<String> {
    let is_whole = |one: &&Ranking| one.places.len() == comparison.configurations.len();
    let count = comparison.rankings.iter().filter(is_whole).count();
    (count > 0 && !comparison.recommendation.standings.is_empty()).then(|| {
        format!(
            "“First or tied” is the number of rankings (of {count}) in which no other configuration is ahead. For “mean place”, tied configurations share the average of their places, and each group of metrics (such as throughput or tail latency) counts the same."
        )
    })
}

/// A stream under a load: the subject of a row.
type UnderLoad<'c> = (Option<&'c str>, StreamOf);

/// The streams of all jobs together that have any figures, or those of each role, in the order of the comparison.
fn streams(comparison: &Comparison, is_of_role: bool) -> Vec<UnderLoad<'_>> {
    let mut streams: Vec<UnderLoad<'_>> = Vec::new();
    for metric in &comparison.metrics {
        let of = metric.key.figure().map(|(of, _)| of).filter(|of| of.role.is_some() == is_of_role);
        let Some(of) = of else { continue };
        let stream = (metric.load.as_deref(), of);
        if !streams.contains(&stream) {
            streams.push(stream);
        }
    }
    // All streams of one load together.
    let first_of_load = |load: Option<&str>| streams.iter().position(|(other, _)| *other == load);
    let order: Vec<Option<usize>> = streams.iter().map(|(load, _)| first_of_load(*load)).collect();
    let mut ordered: Vec<(Option<usize>, UnderLoad<'_>)> =
        order.into_iter().zip(streams.iter().copied()).collect();
    ordered.sort_by_key(|(position, _)| *position);
    ordered.into_iter().map(|(_, stream)| stream).collect()
}

fn stream_name((load, of): UnderLoad<'_>) -> String {
    load.map_or_else(|| of.to_string(), |load| format!("{load}: {of}"))
}

fn metric_of((load, of): UnderLoad<'_>, figure: Figure) -> Metric {
    Metric { load: load.map(str::to_owned), key: MetricKey::of_stream(of, figure) }
}

/// The figures that any configuration has: each has a column.
fn used_figures(comparison: &Comparison) -> Vec<Figure> {
    let is_used = |figure: &Figure| {
        let is_it = |metric: &Metric| metric.key.figure().is_some_and(|(_, one)| one == *figure);
        comparison.metrics.iter().any(is_it)
    };
    Figure::ALL.into_iter().filter(is_used).collect()
}

/// Those by which configurations are ranked.
fn ranking_figures(comparison: &Comparison) -> Vec<Figure> {
    used_figures(comparison).into_iter().filter(|figure| figure.ranks()).collect()
}

/// The figures of these streams: a row for each stream of each configuration.
fn figures_table(comparison: &Comparison, caption: &str, streams: &[UnderLoad<'_>]) -> Option<Table> {
    let figures = used_figures(comparison);
    let mut rows = Vec::new();
    for stream in streams.iter().copied() {
        for one in &comparison.configurations {
            let mut cells = vec![Value::Text(stream_name(stream)), Value::Text(marked(comparison, &one.key))];
            cells.extend(figures.iter().map(|figure| Value::amount(one.amount(&metric_of(stream, *figure)))));
            rows.push(Row { cells, is_total: false });
        }
    }
    let mut columns = vec![Column::new("stream", Quantity::Words), Column::new("key", Quantity::Words)];
    columns.extend(figures.into_iter().map(|figure| match Column::of_figure(figure) {
        column if figure == Figure::LatencyP95 => column.first_to_go(),
        column => column,
    }));
    (!rows.is_empty()).then(|| Table {
        caption: caption.to_owned(),
        columns,
        at_a_glance: rows.len() <= MOST_ROWS_AT_A_GLANCE,
        rows,
    })
}

pub(crate) fn side_by_side(comparison: &Comparison) -> Section {
    let mut blocks = Vec::new();
    blocks.extend(capacity::table(comparison).map(Block::Table));
    let all = streams(comparison, false);
    blocks.extend(figures_table(comparison, "Figures of all configurations", &all).map(Block::Table));
    blocks.extend(moved_table(comparison).map(Block::Table));
    blocks.extend(cpu_table(comparison).map(Block::Table));
    blocks.extend(other_table(comparison).map(Block::Table));
    let note = mark_note(comparison);
    let note = (!note.is_empty()).then(|| note.trim().to_owned());
    Section { id: "figures", heading: "Side by side", note, blocks }
}

fn cpu_table(comparison: &Comparison) -> Option<Table> {
    let is_used = |figure: &CpuFigure| comparison.metrics.contains(&Metric::of_cpu(*figure));
    let figures: Vec<CpuFigure> = CpuFigure::ALL.iter().copied().filter(is_used).collect();
    let column = |figure: &CpuFigure| {
        let quantity = match figure {
            CpuFigure::User | CpuFigure::System => Quantity::Percent,
            CpuFigure::PerIo => Quantity::CpuTimeUs,
        };
        Column::new(figure.title(), quantity)
    };
    let row = |one: &Configuration| {
        let cells = figures.iter().map(|figure| Value::amount(one.amount(&Metric::of_cpu(*figure))));
        let cells = [Value::Text("CPU".to_owned()), Value::Text(marked(comparison, &one.key))]
            .into_iter()
            .chain(cells)
            .collect();
        Row { cells, is_total: false }
    };
    (!figures.is_empty()).then(|| Table {
        caption: "CPU of the load".to_owned(),
        columns: [Column::new("what", Quantity::Words), Column::new("key", Quantity::Words)]
            .into_iter()
            .chain(figures.iter().map(column))
            .collect(),
        rows: comparison.configurations.iter().map(row).collect(),
        at_a_glance: comparison.configurations.len() <= MOST_ROWS_AT_A_GLANCE / 2,
    })
}

/// What was read and written; nothing for printed figures that have a load each.
fn moved_table(comparison: &Comparison) -> Option<Table> {
    let row = |one: &Configuration| {
        let moved = [Stream::Read, Stream::Write].map(|stream| one.moved_gib(stream));
        let both = moved.iter().flatten().count() > 0;
        let mut cells = vec![Value::Text("moved".to_owned()), Value::Text(marked(comparison, &one.key))];
        cells.extend(moved.map(Value::number));
        cells.push(Value::number(both.then(|| moved.iter().flatten().sum())));
        Row { cells, is_total: false }
    };
    let rows: Vec<Row> = comparison.configurations.iter().map(row).collect();
    let is_known = comparison.metrics.iter().any(is_moved);
    is_known.then(|| Table {
        caption: "Data read and written, of all runs and roles together".to_owned(),
        columns: vec![
            Column::new("what", Quantity::Words),
            Column::new("key", Quantity::Words),
            Column::new("read, GiB", Quantity::Unitless),
            Column::new("written, GiB", Quantity::Unitless),
            Column::new("total, GiB", Quantity::Unitless),
        ],
        at_a_glance: rows.len() <= MOST_ROWS_AT_A_GLANCE / 2,
        rows,
    })
}

/// Whether it says how much was read or written, which has a table of its own.
fn is_moved(metric: &Metric) -> bool {
    let is_of = |stream: Stream| MetricKey::moved_gib(stream) == metric.key;
    metric.load.is_none() && [Stream::Read, Stream::Write].into_iter().any(is_of)
}

/// What has no column of its own: metrics of applications, and amounts.
fn other_table(comparison: &Comparison) -> Option<Table> {
    let is_other = |metric: &&Metric| matches!(metric.key, MetricKey::Named { .. }) && !is_moved(metric);
    let others = comparison.metrics.iter().filter(is_other);
    let rows: Vec<Row> = others
        .flat_map(|metric| {
            comparison.configurations.iter().filter_map(move |one| {
                let (sign, value) = one.amount(metric)?.shown();
                let sign = sign.map_or_else(String::new, |sign| format!("{sign} "));
                let cells = vec![
                    Value::Text(metric.title()),
                    Value::Text(marked(comparison, &one.key)),
                    Value::Text(format!("{sign}{}", group_thousands(&value.to_string()))),
                ];
                Some(Row { cells, is_total: false })
            })
        })
        .collect();
    let has_application = comparison.metrics.iter().any(|metric| metric.group() == MetricGroup::Application);
    (!rows.is_empty()).then(|| Table {
        caption: "Other figures".to_owned(),
        columns: vec![
            Column::new("metric", Quantity::Words),
            Column::new("key", Quantity::Words),
            // Each row has a unit of its own, which is in its name.
            Column::new("value", Quantity::Count),
        ],
        at_a_glance: has_application && rows.len() <= MOST_ROWS_AT_A_GLANCE / 2,
        rows,
    })
}

const LEGEND: &str = "✓ better, ✗ worse, ✓✓ and ✗✗ by a factor of two or more, ≈ no difference shown, ? too little measured to tell.";
/// The header of the two configurations of a change: `A → B`.
const COMPARED: &str = "compared";

pub(crate) fn factors(comparison: &Comparison) -> Option<Section> {
    let streams = streams(comparison, false);
    let rows: Vec<Row> = comparison
        .factors
        .iter()
        .flat_map(|factor| factor.pairs.iter().map(move |pair| (factor, pair)))
        .flat_map(|(factor, pair)| {
            let labels = [factor.attribute.clone(), step(comparison, pair)];
            matrix_rows(comparison, &pair.pair, &labels, &streams)
        })
        .collect();
    let drawn = comparison.factors.iter().enumerate().filter_map(|(number, factor)| {
        let pairs: Vec<&Pair> = factor.pairs.iter().map(|pair| &pair.pair).collect();
        let id = format!("factor-{number}");
        charts::changes(comparison, &id, &cut(&factor.attribute, LONGEST_ATTRIBUTE), &pairs)
    });
    let most_pairs = comparison.factors.iter().map(|factor| factor.pairs.len()).max().unwrap_or_default();
    let table = matrix(comparison, "Changes by factor", &["factor", COMPARED], rows);
    (!table.rows.is_empty()).then(|| Section {
        id: "factors",
        heading: "What each factor changes",
        note: Some(format!(
            "Configurations that differ in one attribute only. {LEGEND}{}{}",
            mark_note(comparison),
            charts::pairs_left_out(most_pairs)
        )),
        blocks: drawn.chain([Block::Table(table)]).collect(),
    })
}

/// `A → B`.
fn step(comparison: &Comparison, pair: &FactorPair) -> String {
    keys(comparison, &pair.pair)
}

fn keys(comparison: &Comparison, pair: &Pair) -> String {
    format!("{} → {}", marked(comparison, &pair.baseline), marked(comparison, &pair.configuration))
}

/// Behind the key of a configuration whose own figures contradict each other.
const CONTRADICTORY: &str = " !";

/// A key, with a mark where the figures of the configuration contradict each other.
fn marked(comparison: &Comparison, key: &str) -> String {
    side::marked_key(key, comparison.configuration(key).is_some_and(Configuration::is_contradictory))
}

/// What that mark means, if any configuration has it, and what a sign before a figure or a change means.
fn mark_note(comparison: &Comparison) -> String {
    let has = |of: fn(&Configuration) -> bool| comparison.configurations.iter().any(of);
    let mark =
        if has(Configuration::is_contradictory) { " ! its own figures contradict each other." } else { "" };
    let signs = if has(|one| !one.bounds.is_empty()) {
        " The marks <, ≤, > and ≥ show that the source gives only a bound; a change with one of them is at least that large, and ? means that it cannot be told which is better."
    } else {
        ""
    };
    format!("{mark}{signs}")
}

pub(crate) fn against_baseline(comparison: &Comparison) -> Option<Section> {
    let is_said = |pair: &Pair| {
        let said = comparison.factors.iter().flat_map(|factor| &factor.pairs);
        said.map(|said| &said.pair)
            .any(|said| said.baseline == pair.baseline && said.configuration == pair.configuration)
    };
    let is_said_by_factors = comparison.against_baseline.iter().all(is_said);
    let is_shown = !is_said_by_factors
        && (comparison.is_baseline_chosen
            || !comparison.gates.is_empty()
            || !comparison.against_baseline.iter().any(is_said));
    let pairs: Vec<&Pair> = comparison.against_baseline.iter().collect();
    let streams = streams(comparison, false);
    let rows: Vec<Row> = pairs
        .iter()
        .flat_map(|pair| matrix_rows(comparison, pair, &[keys(comparison, pair)], &streams))
        .collect();
    let drawn = charts::changes(comparison, "against-baseline", "change", &pairs);
    let table = matrix(comparison, "Changes against the baseline", &[COMPARED], rows);
    (is_shown && !table.rows.is_empty()).then(|| Section {
        id: "against-baseline",
        heading: "Against the baseline",
        note: Some(format!(
            "The baseline is {}. {LEGEND}{}{}",
            title_of(comparison, &comparison.baseline),
            mark_note(comparison),
            charts::pairs_left_out(pairs.len())
        )),
        blocks: drawn.into_iter().chain([Block::Table(table)]).collect(),
    })
}

fn matrix(comparison: &Comparison, caption: &str, labels: &[&'static str], rows: Vec<Row>) -> Table {
    let words = labels.iter().chain(&["stream"]).map(|label| Column::new(*label, Quantity::Words));
    let figures = ranking_figures(comparison)
        .into_iter()
        .map(|figure| Column::about_figure(figure, Quantity::ChangePercent));
    Table {
        caption: caption.to_owned(),
        columns: words.chain(figures).collect(),
        at_a_glance: rows.len() <= MOST_ROWS_AT_A_GLANCE,
        rows,
    }
}

/// One row for each stream: the change of each figure with what it means.
fn matrix_rows(
    comparison: &Comparison,
    pair: &Pair,
    labels: &[String],
    streams: &[UnderLoad<'_>],
) -> Vec<Row> {
    let figures = ranking_figures(comparison);
    let row = |stream: UnderLoad<'_>| {
        let metrics = figures.iter().map(|figure| metric_of(stream, *figure));
        let changes: Vec<Value> =
            metrics.map(|metric| change(pair.delta(&metric), pair.bounded_delta(&metric))).collect();
        let mut cells: Vec<Value> = labels.iter().cloned().map(Value::Text).collect();
        cells.push(Value::Text(stream_name(stream)));
        let has_any = changes.iter().any(|change| *change != Value::Absent);
        cells.extend(changes);
        has_any.then_some(Row { cells, is_total: false })
    };
    streams.iter().copied().filter_map(row).collect()
}

/// A change; of a bound, what is certain about it.
pub(crate) fn change(delta: Option<&Delta>, bounded: Option<&BoundedDelta>) -> Value {
    match (delta, bounded) {
        (Some(delta), _) => Value::Change { percent: delta.percent, reading: delta.reading },
        (None, Some(bounded)) => match bounded.sure_change() {
            Some(Bounded { relation, value: number }) => {
                Value::Bounded { sign: relation.sign(), number, reading: Some(bounded.reading) }
            }
            None => Value::Text(reading_mark(bounded.reading).to_owned()),
        },
        (None, None) => Value::Absent,
    }
}

/// The pairs of all factors, and those against the baseline that are none of them.
fn all_pairs(comparison: &Comparison) -> Vec<&Pair> {
    let mut pairs: Vec<&Pair> = Vec::new();
    let of_factors = comparison.factors.iter().flat_map(|factor| &factor.pairs).map(|pair| &pair.pair);
    for pair in of_factors.chain(&comparison.against_baseline) {
        let is_known =
            |known: &&Pair| known.baseline == pair.baseline && known.configuration == pair.configuration;
        if !pairs.iter().any(is_known) {
            pairs.push(pair);
        }
    }
    pairs
}

/// Every change with its interval, in figures.
pub(crate) fn changes(comparison: &Comparison) -> Option<Section> {
    let note = "The 95 % confidence covers all intervals of one pair jointly. If an interval includes zero, no difference is shown; it is too wide to tell if it also reaches below −20 % or above +25 %, and left out if it reaches beyond a factor of ten. More repeats, or longer runs, narrow it.";
    let table = changes_table(comparison, "Every change", |metric| !metric.is_of_role())?;
    let has_intervals = table.columns.iter().any(|column| column.group == "interval");
    Some(Section {
        id: "changes",
        heading: "Every change",
        note: has_intervals.then(|| note.to_owned()),
        blocks: vec![Block::Table(table)],
    })
}

/// A row for each change of the metrics that `is_meant` picks.
fn changes_table(
    comparison: &Comparison,
    caption: &str,
    is_meant: impl Fn(&Metric) -> bool,
) -> Option<Table> {
    let pairs = all_pairs(comparison);
    let has_intervals = pairs.iter().any(|pair| pair.deltas.iter().any(|delta| delta.interval.is_some()));
    // What is neither better nor worse follows from the rest.
    let is_told = |delta: &&Delta| delta.reading != Reading::Amount && is_meant(&delta.metric);
    let rows: Vec<Row> = pairs
        .iter()
        .flat_map(|pair| {
            let deltas = pair.deltas.iter().filter(is_told);
            let rows = deltas.map(|delta| change_row(comparison, pair, delta, has_intervals));
            let is_bound_told =
                |delta: &&BoundedDelta| delta.reading != Reading::Amount && is_meant(&delta.metric);
            let bounded = pair.bounded.iter().filter(is_bound_told);
            rows.chain(bounded.map(|delta| bounded_row(comparison, pair, delta, has_intervals)))
        })
        .collect();
    let mut columns = vec![
        Column::new(COMPARED, Quantity::Words),
        Column::new("metric", Quantity::Words),
        Column::new("change", Quantity::ChangePercent),
    ];
    if has_intervals {
        let interval = |name| Column::new(name, Quantity::ChangePercent).under("interval");
        columns.extend([interval("low"), interval("high")]);
    }
    columns.push(Column::new("meaning", Quantity::Words));
    (!rows.is_empty()).then(|| Table {
        caption: caption.to_owned(),
        columns,
        at_a_glance: has_intervals && rows.len() <= MOST_ROWS_AT_A_GLANCE,
        rows,
    })
}

fn change_row(comparison: &Comparison, pair: &Pair, delta: &Delta, has_intervals: bool) -> Row {
    let mut cells = vec![
        Value::Text(keys(comparison, pair)),
        Value::Text(delta.metric.title()),
        Value::Number(delta.percent),
    ];
    if has_intervals {
        cells.push(Value::number(delta.interval.map(|one| one.low_percent)));
        cells.push(Value::number(delta.interval.map(|one| one.high_percent)));
    }
    let open = comparison.open_change(pair, delta);
    cells.push(Value::Text(open.map_or_else(|| delta.reading.as_str().to_owned(), open_change)));
    Row { cells, is_total: false }
}

fn bounded_row(comparison: &Comparison, pair: &Pair, delta: &BoundedDelta, has_intervals: bool) -> Row {
    let change = match delta.sure_change() {
        Some(Bounded { relation, value: number }) => {
            Value::Bounded { sign: relation.sign(), number, reading: None }
        }
        None => Value::Absent,
    };
    let mut cells = vec![Value::Text(keys(comparison, pair)), Value::Text(delta.metric.title()), change];
    cells.extend(std::iter::repeat_n(Value::Absent, if has_intervals { 2 } else { 0 }));
    cells.push(Value::Text(delta.reading.as_str().to_owned()));
    Row { cells, is_total: false }
}

pub(crate) fn ranking(comparison: &Comparison) -> Option<Section> {
    Some(Section {
        id: "ranking",
        heading: "Ranking",
        note: Some(format!("The best first.{}{}", shared_note(comparison), mark_note(comparison))),
        blocks: vec![Block::Table(ranking_table(
            comparison,
            "Ranking by each metric",
            &comparison.rankings,
        )?)],
    })
}

/// When configurations share a place, as far as any of them may.
fn shared_note(comparison: &Comparison) -> String {
    let has = |is_printed: bool| comparison.configurations.iter().any(|one| one.is_printed == is_printed);
    let measured = if has(false) {
        " “A = B” is a shared place: they differ by less than 1 %, no difference is shown, or too little was measured to tell. It does not mean that they are equal."
    } else {
        ""
    };
    let printed = if has(true) {
        " Figures given by a source share a place only if they are equal, or if the ranges of several results overlap."
    } else {
        ""
    };
    format!("{measured}{printed}")
}

fn ranking_table(comparison: &Comparison, caption: &str, rankings: &[Ranking]) -> Option<Table> {
    let count = comparison.configurations.len();
    let places = &PLACES[..count.min(PLACES.len())];
    let row = |ranking: &Ranking| {
        let at = |place: usize| {
            let keys: Vec<String> = ranking
                .places
                .iter()
                .filter(|one| one.place == place)
                .map(|one| marked(comparison, &one.configuration))
                .collect();
            match keys.as_slice() {
                [] => Value::Absent,
                keys if keys.len() > PLACES.len() => Value::Text(format!("{} of them", keys.len())),
                keys => Value::Text(keys.join(" = ")),
            }
        };
        let mut cells = vec![Value::Text(ranking.metric.title())];
        cells.extend((1..=places.len()).map(at));
        Row { cells, is_total: false }
    };
    let columns = std::iter::once("metric").chain(places.iter().copied());
    (!rankings.is_empty()).then(|| Table {
        caption: caption.to_owned(),
        columns: columns.map(|name| Column::new(name, Quantity::Words)).collect(),
        rows: rankings.iter().map(row).collect(),
        at_a_glance: rankings.len() <= MOST_ROWS_AT_A_GLANCE,
    })
}
