//! One job before and after its storage was changed, by a report of each.

use iotrial_analysis::awr::{AwrChange, Both, ChangedFigure, ChangedPlace, ChangedWait, SideOfChange};
use iotrial_analysis::words::capital;
use iotrial_model::awr::AwrUnit;
use iotrial_model::units::seconds_in_words;
use iotrial_words::awr as said;

use super::{quantity, section, words};
use crate::document::{Answer, Block, Document, Front, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// Tablespaces that are shown; JSON has all.
const MOST_PLACES: usize = 20;

impl Document {
    /// Two reports side by side.
    pub fn of_awr_change(change: &AwrChange) -> Self {
        let mut sections = vec![opening(change)];
        sections.extend(figures(change));
        sections.extend(waits("classes", "Waits by class", &change.classes));
        sections.extend(waits("events", "Waits by event", &change.events));
        sections.extend(places("file-types", "I/O by kind of file", &change.file_types));
        sections.extend(places("tablespaces", "I/O by tablespace", &change.tablespaces));
        Self {
            title: format!("AWR before and after: {}", change.after.database),
            byline: format!("{} and {}", change.before.source, change.after.source),
            in_brief: vec![("Before", side(&change.before)), ("After", side(&change.after))],
            sections,
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

fn side(one: &SideOfChange) -> String {
    let mut parts = vec![one.database.clone()];
    parts.extend(one.begin.as_ref().map(|begin| format!("from {}", begin.replace('T', " "))));
    parts.push(one.elapsed_s.map_or_else(|| "elapsed time not stated".to_owned(), seconds_in_words));
    parts.extend(one.db_time_s.map(|time| format!("DB time {}", seconds_in_words(time))));
    parts.join(", ")
}

fn opening(change: &AwrChange) -> Section {
    let latencies =
        change.judged.iter().map(|one| said::judged_latency(one.figure, one.before_us, one.after_us));
    let mut points: Vec<String> = latencies.collect();
    let db_time = change.db_time_ms_per_transaction;
    if let (Some(before), Some(after)) = (db_time.before, db_time.after) {
        points.push(said::db_time_of_transaction(before, after));
    }
    let sentence = match points.is_empty() {
        true => String::new(),
        false => format!("{}.", capital(&points.join("; "))),
    };
    let headline = said::change_headline(change.outcome).to_owned();
    // Points, which a screen shows before its tables: without them the answer may be a wrong one.
    let points = change.cautions.iter().map(|one| capital(&said::change_caution(one))).collect();
    section(
        "answer",
        "",
        None,
        Block::Statement(Answer { is_good: None, headline, sentence, points, lists: Vec::new() }),
    )
}

/// A column with what it shows of a row.
type Cells<T> = Vec<(Column, Box<dyn Fn(&T) -> Value>)>;

/// Whether any row has the number in both reports.
fn is_in_both<T>(all: &[&T], of: fn(&T) -> Both) -> bool {
    all.iter().any(|one| of(one).before.is_some() && of(one).after.is_some())
}

/// Three columns of a pair.
fn pair<T: 'static>(of: fn(&T) -> Both, quantity: Quantity, under: &'static str) -> Cells<T> {
    let column = |name, quantity| Column::new(name, quantity).under(under);
    vec![
        (column("before", quantity), Box::new(move |one: &T| Value::number(of(one).before))),
        (column("after", quantity), Box::new(move |one: &T| Value::number(of(one).after))),
        (
            column("change", Quantity::ChangePercent),
            Box::new(move |one: &T| Value::number(of(one).change_percent())),
        ),
    ]
}

fn name_of<T: 'static>(header: &'static str, name: fn(&T) -> &str) -> Cells<T> {
    vec![(Column::new(header, Quantity::Words), Box::new(move |one: &T| words(name(one))))]
}

fn table<T>(caption: &str, all: &[&T], columns: Cells<T>) -> Option<Table> {
    let cells = |one: &&T| columns.iter().map(|(_, value)| value(one)).collect();
    let rows = all.iter().map(|one| Row { cells: cells(one), is_total: false }).collect();
    let columns = columns.into_iter().map(|(column, _)| column).collect();
    let mut table = Table { caption: caption.to_owned(), columns, rows, at_a_glance: true };
    table.drop_empty_columns();
    (!table.rows.is_empty()).then_some(table)
}

fn figures(change: &AwrChange) -> Option<Section> {
    let tables = [
        ("Requests per second", AwrUnit::PerSecond, Some("per transaction")),
        ("Throughput", AwrUnit::MibPerS, Some("MiB per transaction")),
        ("Sessions", AwrUnit::Sessions, Some("ms per transaction")),
        ("Mean waits", AwrUnit::Us, None),
    ];
    let of = |(caption, unit, per_transaction): (&'static str, AwrUnit, Option<&'static str>)| {
        let all: Vec<&ChangedFigure> =
            change.figures.iter().filter(|one| one.figure.unit() == unit).collect();
        let is_rate = matches!(unit, AwrUnit::PerSecond | AwrUnit::MibPerS);
        let mut columns = name_of("figure", |one: &ChangedFigure| one.figure.title());
        let under = if is_rate { "per second" } else { "on average" };
        // Transactions are no I/O.
        let value = if unit == AwrUnit::PerSecond { Quantity::Unitless } else { quantity(unit) };
        columns.extend(pair(|one: &ChangedFigure| one.value, value, under));
        let of_transaction: fn(&ChangedFigure) -> Both = |one| one.per_transaction;
        if let Some(under) = per_transaction.filter(|_| is_in_both(&all, of_transaction)) {
            columns.extend(pair(of_transaction, Quantity::Unitless, under));
        }
        table(caption, &all, columns)
    };
    let blocks: Vec<Block> = tables.into_iter().filter_map(of).map(Block::Table).collect();
    (!blocks.is_empty()).then(|| Section {
        id: "figures",
        heading: "Before and after",
        note: Some("Rates per second differ with the load; those per transaction do not, as long as the job is the same.".to_owned()),
        blocks,
    })
}

fn waits(id: &'static str, heading: &'static str, all: &[ChangedWait]) -> Option<Section> {
    let mut columns = name_of("wait", |one: &ChangedWait| &one.name);
    columns.extend(pair(|one: &ChangedWait| one.sessions, Quantity::Unitless, "sessions waiting"));
    let all: Vec<&ChangedWait> = all.iter().collect();
    let of_transaction: fn(&ChangedWait) -> Both = |one| one.ms_per_transaction;
    if is_in_both(&all, of_transaction) {
        columns.extend(pair(of_transaction, Quantity::Unitless, "ms per transaction"));
    }
    columns.extend(pair(|one: &ChangedWait| one.mean_us, Quantity::LatencyUs, "mean"));
    let table = table(heading, &all, columns)?;
    Some(section(id, heading, None, Block::Table(Table { at_a_glance: false, ..table })))
}

fn places(id: &'static str, heading: &'static str, all: &[ChangedPlace]) -> Option<Section> {
    let mut columns = name_of("where", |one: &ChangedPlace| &one.name);
    columns.extend(pair(|one: &ChangedPlace| one.read_us, Quantity::LatencyUs, "mean read"));
    columns.extend(pair(|one: &ChangedPlace| one.reads_per_s, Quantity::Iops, "reads"));
    columns.extend(pair(|one: &ChangedPlace| one.writes_per_s, Quantity::Iops, "writes"));
    let table = table(heading, &all.iter().take(MOST_PLACES).collect::<Vec<_>>(), columns)?;
    Some(section(id, heading, None, Block::Table(Table { at_a_glance: false, ..table })))
}
