//! Databases over many intervals: average, percentiles and peak, and the course of each rate.

use iotrial_analysis::awr::{AwrSeries, AwrStatistics, DatabaseSeries};
use iotrial_model::awr::{AwrFigure, AwrUnit};

use super::{quantity, right_size, said, section, words};
use crate::chart::{Axis, Chart, ChartGroup, Dash, Line, Scale, Shape};
use crate::document::{Answer, Block, Document, PointList, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

impl Document {
    /// Databases over many intervals.
    pub fn of_awr_series(series: &AwrSeries) -> Self {
        let intervals: usize = series.databases.iter().map(|one| one.intervals.len()).sum();
        let databases = match series.databases.len() {
            1 => format!("AWR: {}", series.databases[0].database),
            count => format!("AWR: {count} databases"),
        };
        let mut sections = vec![series_opening(series), series_table(series)];
        let sized: Vec<_> = series
            .databases
            .iter()
            .filter_map(|one| Some((one.database.as_str(), one.right_size.as_ref()?)))
            .collect();
        sections.extend(match sized.as_slice() {
            [(_, sizing)] => Some(right_size::right_size(sizing)),
            several => right_size::right_sizes(several),
        });
        sections.extend(courses(series));
        Self {
            title: databases,
            byline: format!("over {intervals} intervals"),
            in_brief: Vec::new(),
            sections,
            chapters: Vec::new(),
        }
    }
}

fn series_opening(series: &AwrSeries) -> Section {
    let points = series.databases.iter().filter_map(|one| {
        let of = |figure| one.statistics(figure);
        let (reads, writes) = (of(AwrFigure::Reads)?, of(AwrFigure::Writes)?);
        Some(format!(
            "{}: {} reads and {} writes per second on average, {} and {} in the busiest interval",
            one.database,
            said(reads.average),
            said(writes.average),
            said(reads.peak),
            said(writes.peak)
        ))
    });
    let notes: Vec<String> = series
        .databases
        .iter()
        .flat_map(|one| one.notes.iter().map(|note| format!("{}: {note}", one.database)))
        .collect();
    let left_out: Vec<String> =
        series.left_out.iter().map(|one| format!("{}: {}", one.file, one.why)).collect();
    let mut lists = Vec::new();
    for (heading, points) in [("What to know", notes), ("Not counted", left_out)] {
        if !points.is_empty() {
            lists.push(PointList { heading, points });
        }
    }
    let hours: f64 = series.databases.iter().map(|one| one.covered_s / 3600.0).sum();
    let intervals: usize = series.databases.iter().map(|one| one.intervals.len()).sum();
    section(
        "answer",
        "",
        None,
        Block::Answer(Answer {
            is_good: None,
            headline: format!("{intervals} intervals, {} hours", said(hours)),
            sentence: "Instances of the same interval are added up; percentiles are over time.".to_owned(),
            points: points.collect(),
            lists,
        }),
    )
}

/// The figures of a table of many databases: what decides on storage.
const SERIES_FIGURES: [AwrFigure; 11] = [
    AwrFigure::Reads,
    AwrFigure::SingleBlockReads,
    AwrFigure::MultiBlockReads,
    AwrFigure::Writes,
    AwrFigure::ReadMib,
    AwrFigure::WriteMib,
    AwrFigure::RedoMib,
    AwrFigure::ActiveSessions,
    AwrFigure::SingleBlockReadUs,
    AwrFigure::RedoWriteUs,
    AwrFigure::CommitUs,
];

fn series_table(series: &AwrSeries) -> Section {
    let tables = [
        ("Requests per second", AwrUnit::PerSecond),
        ("Throughput", AwrUnit::MibPerS),
        ("Active sessions", AwrUnit::Sessions),
        ("Waits", AwrUnit::Us),
    ];
    let table = |(caption, unit): (&str, AwrUnit)| {
        let row = |one: &DatabaseSeries, of: &AwrStatistics| Row {
            cells: vec![
                words(one.database.as_str()),
                words(of.figure.title()),
                Value::Number(of.average),
                Value::Number(of.p95),
                Value::Number(of.p99),
                Value::Number(of.peak),
                Value::number(of.peak_minute),
                Value::Count(one.intervals.len() as u64),
            ],
            is_total: false,
        };
        let rows: Vec<Row> = series
            .databases
            .iter()
            .flat_map(|one| {
                let figures = SERIES_FIGURES.iter().filter(|figure| figure.unit() == unit);
                figures.filter_map(|figure| Some(row(one, one.statistics(*figure)?))).collect::<Vec<_>>()
            })
            .collect();
        let quantity = quantity(unit);
        let mut table = Table {
            caption: caption.to_owned(),
            columns: vec![
                Column::new("database", Quantity::Words),
                Column::new("figure", Quantity::Words),
                Column::new("average", quantity),
                Column::new("p95", quantity),
                Column::new("p99", quantity),
                Column::new("peak", quantity),
                Column::new("peak minute", quantity),
                Column::new("intervals", Quantity::Count).optional(),
            ],
            rows,
            at_a_glance: true,
        };
        // Only AWR-Miner has it.
        if table.rows.iter().all(|row| row.cells[6] == Value::Absent) {
            table.without_column(6);
        }
        table
    };
    let tables = tables.into_iter().map(table).filter(|table| !table.rows.is_empty());
    Section {
        id: "statistics",
        heading: "Over time",
        note: Some(
            "p95 and p99 are not exceeded in 95 and 99 % of the time; the peak is the highest interval."
                .to_owned(),
        ),
        blocks: tables.map(Block::Table).collect(),
    }
}

/// Reads, writes and throughput over the intervals.
fn courses(series: &AwrSeries) -> Option<Section> {
    let chart = |id: &str, title: &str, figure: AwrFigure, quantity: Quantity| {
        let lines: Vec<Line> = series
            .databases
            .iter()
            .take(Line::HUE_COUNT * 3)
            .enumerate()
            .filter(|(_, one)| one.intervals.len() > 1)
            .map(|(at, one)| {
                let mut since = 0.0;
                let points = one.intervals.iter().map(|interval| {
                    since += interval.seconds / 3600.0;
                    (since, interval.figures.get(figure.key()).copied())
                });
                Line {
                    name: one.database.clone(),
                    hue: at % Line::HUE_COUNT,
                    dash: if at < Line::HUE_COUNT { Dash::Solid } else { Dash::Dashed },
                    shape: Shape::Course,
                    points: points.collect(),
                }
            })
            .collect();
        (!lines.is_empty()).then(|| Chart {
            id: id.to_owned(),
            title: title.to_owned(),
            x: Axis { name: "covered hours", quantity: Quantity::Unitless, scale: Scale::Linear, to: 0.0 },
            y: Axis { name: "", quantity, scale: Scale::Linear, to: 0.0 },
            lines,
            spans: Vec::new(),
            limits: Vec::new(),
        })
    };
    let charts: Vec<Chart> = [
        chart("awr-reads", "reads", AwrFigure::Reads, Quantity::Iops),
        chart("awr-writes", "writes", AwrFigure::Writes, Quantity::Iops),
        chart("awr-read-mib", "read throughput", AwrFigure::ReadMib, Quantity::BandwidthMibPerS),
        chart("awr-write-mib", "write throughput", AwrFigure::WriteMib, Quantity::BandwidthMibPerS),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!charts.is_empty()).then(|| {
        section(
            "course",
            "Course",
            Some("Each interval at its end; times that no report covers are left out."),
            Block::Charts(ChartGroup { charts }),
        )
    })
}
