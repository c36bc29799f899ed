//! The same configurations under several loads: one answer, a row for each load, and a chapter for each.

use iotrial_analysis::comparison::{ComparisonMatrix, Contender, LoadMatrix, LoadMetric, LoadRow, UnderLoad};
use iotrial_model::figure::Figure;
use iotrial_model::metric::MetricKey;
use iotrial_model::stream::StreamOf;

use super::side::marked_key;
use super::{
    LEGEND, MOST_ROWS_AT_A_GLANCE, change, curves, findings, front, headline, hosts, lists_of, measured, side,
};
use crate::chart::{Axis, Bar, BarChart, BarSeries, Scale};
use crate::document::{Answer, Block, Document, LONGEST_TITLE, PointList, Section};
use crate::gates;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;

/// More configurations than this have no column of their own.
const MOST_COLUMNS: usize = 6;
/// More loads than this are left to the table.
const MOST_GROUPS: usize = 8;
/// Names in legends are cut to this many characters.
const LONGEST_NAME: usize = 40;

impl Document {
    /// The document of configurations under every load, with a chapter for each load where there are several.
    pub fn of_matrix(all: &ComparisonMatrix) -> Self {
        let Some(matrix) = &all.over_loads else { return Self::of_comparison(&all.rows[0].comparison) };
        let sections = [
            Some(answer(matrix, lists_of([("Cost", matrix.cost.iter().cloned().collect())]))),
            gates::section(&all.gates),
            findings(&all.findings),
            Some(configurations(matrix)),
            Some(section(matrix)),
            price(matrix),
            measured::section(&matrix.configurations, measured::loads_table(matrix)),
            hosts::section(&all.host_differences),
            curves::section(&curves::Grid::of_loads(all)),
            bars(matrix),
        ];
        let runs: usize = matrix.configurations.iter().map(|one| one.run_count).sum();
        let (loads, configurations) = (matrix.loads.len(), matrix.configurations.len());
        Self {
            title: cut(
                &format!("{configurations} configurations compared under {loads} loads"),
                LONGEST_TITLE,
            ),
            byline: format!("From {runs} runs; a chapter for each load follows"),
            in_brief: vec![("baseline", title_of(matrix, &matrix.baseline))],
            sections: sections.into_iter().flatten().collect(),
            chapters: all.rows.iter().map(chapter).collect(),
            front: front::of_matrix(all, matrix),
        }
    }
}

/// The comparison under one load. The short forms show only its answer: the figures are in the matrix.
fn chapter(one: &UnderLoad) -> Document {
    let mut chapter = Document::of_comparison(&one.comparison);
    chapter.title = cut(&one.load, LONGEST_TITLE);
    // The gates for all loads are in one place.
    chapter.sections.retain(|section| section.id != "gates");
    for block in chapter.sections.iter_mut().flat_map(|section| &mut section.blocks) {
        if let Block::Table(table) = block {
            table.at_a_glance = false;
        }
    }
    chapter
}

/// Key and label of a contender.
fn title_of(matrix: &LoadMatrix, key: &str) -> String {
    matrix.configuration(key).map_or_else(|| key.to_owned(), Contender::title)
}

/// The answer over all loads.
pub(super) fn answer(matrix: &LoadMatrix, lists: Vec<PointList>) -> Section {
    let count = matrix.compared_count();
    let of = match matrix.best_count {
        best_count if best_count == count => String::new(),
        best_count => format!(" for {best_count} of {count} loads"),
    };
    // In the same line, because people pass the headline on.
    let but = match matrix.exceptions().as_slice() {
        [] => String::new(),
        [one] => format!(", not for {one}"),
        [one, other] => format!(", not for {one} and {other}"),
        _ => String::new(),
    };
    let best = matrix.best.as_ref().map(|best| format!("{}{but}", title_of(matrix, best)));
    let (headline, is_good) = headline(best, &of, &matrix.reservations);
    Section {
        id: "recommendation",
        heading: "",
        note: None,
        blocks: vec![Block::Answer(Answer {
            // If it holds for only a part of the loads, the headline says so.
            is_good,
            headline,
            sentence: with_legend(matrix),
            points: matrix.reasons.clone(),
            lists,
        })],
    }
}

/// The sentence, with what stands behind the names of its loads where that is two numbers.
fn with_legend(matrix: &LoadMatrix) -> String {
    let has_numbers = matrix.loads.iter().any(|row| names_copies(&row.load));
    let legend = if has_numbers {
        " In names of loads, “2 x 16” is 2 jobs with 16 outstanding I/Os each."
    } else {
        ""
    };
    format!("{}{legend}", matrix.sentence)
}

fn configurations(matrix: &LoadMatrix) -> Section {
    let wins = |one: &Contender| {
        let won = matrix.loads.iter().filter(|row| row.is_compared() && row.is_won_by(&one.key));
        Value::Count(won.count() as u64)
    };
    let wins = matrix.configurations.iter().map(wins).collect();
    side::section(
        ("configurations", "Configurations", "configuration"),
        &matrix.configurations,
        ("runs", |one: &Contender| one.run_count),
        vec![(Column::new("loads won", Quantity::Count), wins)],
    )
}

/// The configurations with columns: the baseline, and the ones that win most.
fn shown(matrix: &LoadMatrix) -> Vec<&Contender> {
    let wins = |one: &Contender| matrix.loads.iter().filter(|row| row.is_won_by(&one.key)).count();
    let mut order: Vec<&Contender> = matrix.configurations.iter().collect();
    order.sort_by_key(|one| (one.key != matrix.baseline, std::cmp::Reverse(wins(one))));
    order.truncate(MOST_COLUMNS);
    let is_shown = |one: &&Contender| order.iter().any(|other| other.key == one.key);
    matrix.configurations.iter().filter(is_shown).collect()
}

/// What the tables have a column for: a figure, whatever the stream.
fn kind(metric: &LoadMetric) -> (String, Quantity) {
    match &metric.metric.key {
        MetricKey::Figure(_, figure) | MetricKey::OfRole(_, _, figure) => {
            (figure.title().to_owned(), figure.unit().into())
        }
        MetricKey::Capacity => ("capacity".to_owned(), Quantity::Iops),
        MetricKey::Cpu(_) | MetricKey::Sweep(_) | MetricKey::Named { .. } => {
            (metric.metric.title(), Quantity::Unitless)
        }
    }
}

/// The name of a kind of metric, what it measures, and the loads that have it.
type Kind<'m> = (String, Quantity, Vec<(&'m LoadRow, &'m LoadMetric)>);

/// Every kind of metric with the rows that have it, in the order in which they occur.
fn kinds(matrix: &LoadMatrix) -> Vec<Kind<'_>> {
    let mut kinds: Vec<Kind<'_>> = Vec::new();
    // The first metrics of all loads come first: they are what most readers look for.
    let most = matrix.loads.iter().map(|row| row.metrics.len()).max().unwrap_or_default();
    for place in 0..most {
        for row in &matrix.loads {
            let Some(metric) = row.metrics.get(place) else { continue };
            let (name, quantity) = kind(metric);
            match kinds.iter_mut().find(|(known, ..)| *known == name) {
                Some((.., rows)) => rows.push((row, metric)),
                None => kinds.push((name, quantity, vec![(row, metric)])),
            }
        }
    }
    for (.., rows) in &mut kinds {
        // All metrics of one load together.
        rows.sort_by_key(|(row, _)| matrix.loads.iter().position(|one| one.load == row.load));
    }
    kinds
}

/// A table for each figure, with a row for each load and columns for each configuration.
pub(super) fn section(matrix: &LoadMatrix) -> Section {
    let shown = shown(matrix);
    let blocks = kinds(matrix)
        .into_iter()
        .map(|(name, quantity, rows)| Block::Table(table(matrix, &shown, &name, quantity, &rows)));
    let left_out = match matrix.configurations.len() - shown.len() {
        0 => String::new(),
        count => format!(
            " Of {} configurations the baseline and the ones that win most are shown; --json has the other {count}.",
            matrix.configurations.len()
        ),
    };
    let mark = if matrix.configurations.iter().any(|one| one.is_contradictory) {
        " ! its own figures contradict each other."
    } else {
        ""
    };
    Section {
        id: "loads",
        heading: "Under each load",
        note: Some(format!(
            "Changes are from {}. {LEGEND} “Best” is the configuration that is ahead over all metrics of that load, not only those shown here.{mark}{left_out}",
            title_of(matrix, &matrix.baseline)
        )),
        blocks: blocks.collect(),
    }
}

/// Whether the name of a load says how many copies of a job there are, and what each keeps outstanding: `4 KiB 2 x 4`.
fn names_copies(load: &str) -> bool {
    let words: Vec<&str> = load.split(' ').map(|word| word.trim_end_matches([';', ','])).collect();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    words.windows(3).any(|words| is_number(words[0]) && words[1] == "x" && is_number(words[2]))
}

fn table(
    matrix: &LoadMatrix,
    shown: &[&Contender],
    name: &str,
    quantity: Quantity,
    rows: &[(&LoadRow, &LoadMetric)],
) -> Table {
    let mut columns = vec![Column::new("load", Quantity::Words), Column::new("stream", Quantity::Words)];
    for one in shown {
        let key = marked_key(&one.key, one.is_contradictory);
        columns.push(Column::new(name.to_owned(), quantity).under(key.clone()));
        if one.key != matrix.baseline {
            columns.push(Column::new("change", Quantity::ChangePercent).under(key));
        }
    }
    columns.push(Column::new("best", Quantity::Words));
    let row = |(row, metric): &(&LoadRow, &LoadMetric)| {
        let stream = metric.metric.key.figure().map(|(of, _): (StreamOf, _)| of.to_string());
        let mut cells = vec![Value::Text(row.load.clone()), Value::text(stream)];
        for one in shown {
            let cell = metric.cells.iter().find(|cell| cell.configuration == one.key);
            cells.push(Value::amount(cell.and_then(|cell| cell.value)));
            if one.key != matrix.baseline {
                cells.push(change(
                    cell.and_then(|cell| cell.delta.as_ref()),
                    cell.and_then(|cell| cell.bounded.as_ref()),
                ));
            }
        }
        cells.push(Value::Text(match row.best.as_slice() {
            _ if !row.is_compared() => "only one measured".to_owned(),
            [] => "–".to_owned(),
            several if several.len() == matrix.configurations.len() => "none".to_owned(),
            best => best.join(" = "),
        }));
        Row { cells, is_total: false }
    };
    let mut table = Table {
        caption: caption(name),
        columns,
        rows: rows.iter().map(row).collect(),
        at_a_glance: rows.len() <= MOST_ROWS_AT_A_GLANCE,
    };
    if table.rows.iter().all(|row| row.cells[1] == Value::Absent) {
        table.without_column(1);
    }
    table
}

/// What a table or a chart of a kind of metric is about.
fn caption(name: &str) -> String {
    let what = match Figure::from_word(&name.to_lowercase()) {
        Some(figure) if figure.is_latency() => format!("Latency {name}"),
        Some(Figure::Bandwidth) => "Bandwidth".to_owned(),
        _ if name == Figure::Bandwidth.title() => "Bandwidth".to_owned(),
        _ if name == "capacity" => "Capacity within the limits".to_owned(),
        _ => name.to_owned(),
    };
    format!("{what} under each load")
}

/// What the throughput of each load costs per month; `None` if fewer than two configurations have a price.
fn price(matrix: &LoadMatrix) -> Option<Section> {
    let priced: Vec<&Contender> = shown(matrix).into_iter().filter(|one| one.price.is_some()).collect();
    let currency = &priced.first()?.price.as_ref()?.currency;
    let is_same = |one: &&Contender| one.price.as_ref().is_some_and(|price| price.currency == *currency);
    let told = |row: &&LoadRow| row.price_per.len() > 1;
    if priced.len() < 2 || !priced.iter().all(is_same) || !matrix.loads.iter().any(|row| told(&row)) {
        return None;
    }
    let row = |row: &LoadRow| {
        let unit = row.metrics.first().map(|metric| metric.price_unit().1);
        let mut cells = vec![Value::Text(row.load.clone()), Value::text(unit)];
        let price = |one: &&Contender| row.price_per.get(&one.key).copied();
        cells.extend(priced.iter().map(|one| Value::number(price(one))));
        let least =
            priced.iter().filter_map(|one| Some((one, price(one)?))).min_by(|a, b| a.1.total_cmp(&b.1));
        cells.push(Value::text(least.map(|(one, _)| one.key.clone())));
        Row { cells, is_total: false }
    };
    let mut columns = vec![Column::new("load", Quantity::Words), Column::new("for", Quantity::Words)];
    columns.extend(priced.iter().map(|one| {
        Column::new(marked_key(&one.key, one.is_contradictory), Quantity::Money).under(currency.clone())
    }));
    columns.push(Column::new("least", Quantity::Words));
    let rows: Vec<Row> = matrix.loads.iter().filter(told).map(row).collect();
    Some(Section {
        id: "price",
        heading: "What each load costs",
        note: Some(format!(
            "The monthly price of the whole configuration in {currency}, divided by its throughput under that load alone."
        )),
        blocks: vec![Block::Table(Table {
            caption: "Price per throughput".to_owned(),
            columns,
            at_a_glance: rows.len() <= MOST_ROWS_AT_A_GLANCE,
            rows,
        })],
    })
}

/// The bars of what is looked at first, as a chart of its own.
pub(super) fn first_bars(matrix: &LoadMatrix) -> Option<Block> {
    let first = bars(matrix)?.blocks.into_iter().find_map(|block| match block {
        Block::Bars(charts) => charts.into_iter().next(),
        _ => None,
    })?;
    Some(Block::Bars(vec![BarChart { id: "front-loads".to_owned(), ..first }]))
}

/// A chart for each figure, with a bar for each configuration under each load.
fn bars(matrix: &LoadMatrix) -> Option<Section> {
    let shown = shown(matrix);
    let chart = |(number, (name, quantity, rows)): (usize, Kind<'_>)| {
        let rows = &rows[..rows.len().min(MOST_GROUPS)];
        let bar = |one: &Contender, metric: &LoadMetric| {
            let cell = metric.cells.iter().find(|cell| cell.configuration == one.key)?;
            Some(Bar { value: cell.value?.exact()?, interval: cell.interval, reading: None })
        };
        let series = |(hue, one): (usize, &&Contender)| BarSeries {
            key: marked_key(&one.key, one.is_contradictory),
            name: cut(&one.title(), LONGEST_NAME),
            hue,
            bars: rows.iter().map(|(_, metric)| bar(one, metric)).collect(),
        };
        let series: Vec<BarSeries> = shown.iter().enumerate().map(series).collect();
        let largest =
            series.iter().flat_map(|one| &one.bars).flatten().map(|bar| bar.value).fold(0.0, f64::max);
        let group = |(row, metric): &(&LoadRow, &LoadMetric)| {
            let of = metric.metric.key.figure().map(|(of, _)| format!(": {of}")).unwrap_or_default();
            format!("{}{of}", cut(&row.load, LONGEST_NAME))
        };
        BarChart {
            // An interval of two repeats may be longer than any bar.
            reach: 2.0 * largest,
            id: format!("loads-{number}"),
            title: caption(&name),
            value: Axis { name: "", quantity, scale: Scale::Linear, to: 0.0 },
            groups: rows.iter().map(group).collect(),
            series,
            decisive: None,
            mark: None,
        }
    };
    let charts: Vec<BarChart> = kinds(matrix).into_iter().enumerate().map(chart).collect();
    (!charts.is_empty()).then(|| Section {
        id: "bars",
        heading: "Loads side by side",
        note: (matrix.loads.len() > MOST_GROUPS).then(|| format!("The first {MOST_GROUPS} rows are drawn.")),
        // All charts of a block have the same series and groups of their own.
        blocks: vec![Block::Bars(charts)],
    })
}
