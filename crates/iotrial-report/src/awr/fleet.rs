//! Databases that share their storage: who makes the load, when, whether the peaks coincide, and what the storage has to carry.

mod inventory;
mod layers;
mod opening;

use iotrial_analysis::awr::{
    AwrFleet, AwrSeries, Consolidated, DatabaseSeries, FleetInterval, FleetMember, OwnPeak,
};
use iotrial_model::awr::{AwrFigure, AwrUnit};
use iotrial_model::words::in_brief;

pub use inventory::by_need;

use super::series::{moment, reports_of};
use super::{cut_off, quantity, right_size, section, words};
use crate::document::{Block, Document, Front, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// The busiest times that are shown.
const MOST_TIMES: usize = 5;
/// Names in one sentence.
const MOST_NAMES: usize = 5;
/// A time with no more than this missing counts as covered.
const WHOLE_SHARE: f64 = 0.99;

/// What several databases ask together, with a chapter for each.
pub(super) fn document(series: &AwrSeries, fleet: &AwrFleet) -> Document {
    let mut sections: Vec<Section> =
        cut_off::of_many(&series.cut_off, reports_of(series)).into_iter().collect();
    sections.push(opening::opening(series, fleet));
    sections.push(inventory::inventory(series));
    sections.extend(databases(fleet));
    sections.extend(each(series, fleet));
    sections.extend(causes(series));
    // Of databases that never have a report at the same time a stack is not their load; the chapter of each has its course.
    sections.extend(layers::courses(fleet).filter(|_| !fleet.figures.is_empty()));
    sections.extend(busiest(fleet));
    sections.extend(together(fleet));
    let sized =
        series.databases.iter().filter_map(|one| Some((one.database.as_str(), one.right_size.as_ref()?)));
    sections.extend(right_size::right_sizes(&sized.collect::<Vec<_>>()));
    sections.push(coverage(fleet));
    let reports: usize = series.databases.iter().map(|one| one.intervals.len()).sum();
    let byline = match fleet.begin.as_str() {
        "" => format!("{reports} intervals"),
        begin => format!("{} to {}, {reports} intervals", moment(begin), moment(&fleet.end)),
    };
    Document {
        title: format!("AWR: {} databases", series.databases.len()),
        byline,
        in_brief: Vec::new(),
        sections,
        chapters: series.databases.iter().map(super::series::chapter).collect(),
        front: Front::default(),
    }
}

fn names_of<'f>(members: impl Iterator<Item = &'f FleetMember>) -> Vec<&'f str> {
    members.map(|one| one.database.as_str()).collect()
}

/// What each database needs, on its own and at the common peak.
fn databases(fleet: &AwrFleet) -> Option<Section> {
    fleet.figure(AwrFigure::Requests)?;
    let table =
        |caption: &str, quantity: Quantity, of: fn(&FleetMember) -> Option<&OwnPeak>, all: AwrFigure| {
            // The unit is shown once, above the columns: this way they all fit in 80.
            let group = caption.to_lowercase();
            let rows = fleet.members.iter().filter_map(|one| {
                let own = of(one)?;
                Some(Row {
                    cells: vec![
                        words(one.database.as_str()),
                        Value::number(own.share_percent),
                        Value::Number(own.average),
                        Value::number(own.p95),
                        Value::Number(own.peak),
                        Value::Number(own.at_common_peak),
                        words(moment(&own.peak_begin)),
                    ],
                    is_total: false,
                })
            });
            let mut rows: Vec<Row> = rows.collect();
            if let Some(all) = fleet.figure(all) {
                rows.push(Row {
                    cells: vec![
                        words("together"),
                        Value::Absent,
                        Value::Number(all.together.average),
                        Value::number(all.together.p95),
                        Value::Number(all.together.peak),
                        Value::Number(all.together.peak),
                        words(moment(&all.peak_begin)),
                    ],
                    is_total: true,
                });
            }
            Table {
                caption: caption.to_owned(),
                columns: vec![
                    Column::new("database", Quantity::Words),
                    Column::new("share", Quantity::Percent),
                    Column::new("average", quantity).under(group.clone()),
                    Column::new("p95", quantity).under(group.clone()).optional(),
                    Column::new("peak", quantity).under(group.clone()),
                    Column::new("at common peak", quantity).under(group.clone()),
                    Column::new("peak from", Quantity::Words),
                ],
                rows,
                at_a_glance: true,
            }
        };
    Some(Section {
        id: "databases",
        heading: "Who makes the load, and when",
        note: Some(format!(
            "Over the time that all databases cover: requests, then bytes. A database whose own peak is not at the common peak needs less from shared storage than it would need on its own.{}",
            no_percentiles(fleet)
        )),
        blocks: [
            table("Requests", Quantity::Iops, |one| one.requests.as_ref(), AwrFigure::Requests),
            table(
                "Throughput",
                Quantity::BandwidthMibPerS,
                |one| one.throughput.as_ref(),
                AwrFigure::Throughput,
            ),
        ]
        .into_iter()
        .filter(|table| table.rows.len() > 1)
        .map(Block::Table)
        .collect(),
    })
}

/// Why a table has dashes instead of percentiles.
fn no_percentiles(fleet: &AwrFleet) -> &'static str {
    if fleet.figures.iter().any(|one| one.together.p95.is_some()) {
        ""
    } else {
        " Fewer than 20 common intervals have no percentiles."
    }
}

/// What limits each database.
fn causes(series: &AwrSeries) -> Option<Section> {
    const MOST: usize = 3;
    let row = |one: &DatabaseSeries| {
        let limits = &one.about.limits;
        let share = |at: usize| {
            let limit = limits.get(at);
            Value::text(limit.map(|limit| format!("{} {:.1} %", limit.what, limit.percent)))
        };
        let cells = std::iter::once(words(one.database.as_str())).chain((0..MOST).map(share)).collect();
        (!limits.is_empty()).then_some(Row { cells, is_total: false })
    };
    let rows: Vec<Row> = series.databases.iter().filter_map(row).collect();
    let note = if rows.len() < series.databases.len() {
        "Over all intervals of each database. The sources of the databases that are not listed, such as AWR-Miner's output, do not say where DB time goes."
    } else {
        "Over all intervals of each database."
    };
    (!rows.is_empty()).then(|| {
        section(
            "causes",
            "Where DB time goes",
            Some(note),
            Block::Table(Table {
                caption: "Where DB time goes".to_owned(),
                columns: vec![
                    Column::new("database", Quantity::Words),
                    Column::new("largest", Quantity::Words),
                    Column::new("second", Quantity::Words),
                    Column::new("third", Quantity::Words).optional(),
                ],
                rows,
                at_a_glance: true,
            }),
        )
    })
}

/// If there is no common time: what each database needs in the time that its own reports cover.
fn each(series: &AwrSeries, fleet: &AwrFleet) -> Option<Section> {
    if !fleet.figures.is_empty() {
        return None;
    }
    let row = |one: &DatabaseSeries| {
        let requests = one.statistics(AwrFigure::Requests)?;
        let throughput = one.statistics(AwrFigure::Throughput);
        Some(Row {
            cells: vec![
                words(one.database.as_str()),
                Value::Number(requests.average),
                Value::number(requests.p95),
                Value::Number(requests.peak),
                Value::number(throughput.map(|one| one.average)),
                Value::number(throughput.and_then(|one| one.p95)),
                Value::number(throughput.map(|one| one.peak)),
            ],
            is_total: false,
        })
    };
    let rows: Vec<Row> = series.databases.iter().filter_map(row).collect();
    let columns = [("requests", Quantity::Iops), ("throughput", Quantity::BandwidthMibPerS)]
        .into_iter()
        .flat_map(|(group, quantity)| {
            ["average", "p95", "peak"].map(|name| Column::new(name, quantity).under(group))
        });
    (!rows.is_empty()).then(|| {
        section(
            "each",
            "Each database on its own",
            Some("Over the time that its own reports cover, which differs between databases. Fewer than 20 intervals have no p95."),
            Block::Table(Table {
                caption: "Each database on its own".to_owned(),
                columns: std::iter::once(Column::new("database", Quantity::Words)).chain(columns).collect(),
                rows,
                at_a_glance: true,
            }),
        )
    })
}

/// What shared storage has to carry, next to what separate storage would have to carry.
fn together(fleet: &AwrFleet) -> Option<Section> {
    let table = |caption: &str, unit: AwrUnit| {
        let row = |one: &Consolidated| Row {
            cells: vec![
                words(one.figure.title()),
                Value::Number(one.together.average),
                Value::number(one.together.p95),
                Value::number(one.apart.p95),
                Value::number(one.together.p99),
                Value::number(one.apart.p99),
                Value::Number(one.together.peak),
                Value::Number(one.apart.peak),
                Value::number(one.peak_percent),
            ],
            is_total: false,
        };
        let quantity = quantity(unit);
        let rows: Vec<Row> = fleet.figures.iter().filter(|one| one.figure.unit() == unit).map(row).collect();
        Table {
            caption: caption.to_owned(),
            columns: vec![
                Column::new("figure", Quantity::Words),
                Column::new("average", quantity),
                Column::new("together", quantity).under("p95"),
                Column::new("added", quantity).under("p95"),
                Column::new("together", quantity).under("p99").optional(),
                Column::new("added", quantity).under("p99").optional(),
                Column::new("together", quantity).under("peak"),
                Column::new("added", quantity).under("peak"),
                Column::new("of the added", Quantity::Percent),
            ],
            rows,
            at_a_glance: unit != AwrUnit::Sessions,
        }
    };
    let tables = [
        table("Requests per second", AwrUnit::PerSecond),
        table("Throughput", AwrUnit::MibPerS),
        table("Sessions", AwrUnit::Sessions),
    ];
    let blocks: Vec<Block> =
        tables.into_iter().filter(|table| !table.rows.is_empty()).map(Block::Table).collect();
    (!blocks.is_empty()).then(|| Section {
        id: "together",
        heading: "Together, and added up",
        note: Some(format!(
            "“Together” is what all databases need at the same time, so what shared storage has to carry. “Added” is the sum of what each one needs on its own.{}",
            no_percentiles(fleet)
        )),
        blocks,
    })
}

fn busiest(fleet: &AwrFleet) -> Option<Section> {
    let names = names_of(fleet.members.iter());
    let row = |one: &FleetInterval| {
        let all = FleetInterval::sum(&one.requests_per_s)?;
        let mut parts: Vec<(f64, &str)> = one
            .requests_per_s
            .iter()
            .zip(&names)
            .filter_map(|(value, name)| Some((value.filter(|value| *value > 0.0)?, *name)))
            .collect();
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let parts: Vec<String> =
            parts.iter().map(|(value, name)| format!("{name} {:.0} %", 100.0 * value / all)).collect();
        Some(Row {
            cells: vec![
                words(moment(&one.begin)),
                Value::Number(one.seconds / 60.0),
                Value::Number(all),
                Value::number(FleetInterval::sum(&one.mib_per_s)),
                words(in_brief(&parts, MOST_NAMES, MOST_NAMES - 1)),
            ],
            is_total: false,
        })
    };
    let rows: Vec<Row> =
        fleet.busiest(MOST_TIMES, |one| &one.requests_per_s).into_iter().filter_map(row).collect();
    (!rows.is_empty()).then(|| {
        section(
            "busiest",
            "The busiest times of all databases together",
            None,
            Block::Table(Table {
                caption: "The busiest times".to_owned(),
                columns: vec![
                    Column::new("from", Quantity::Words),
                    Column::new("minutes", Quantity::Count),
                    Column::new("IOPS", Quantity::Iops),
                    Column::new("throughput", Quantity::BandwidthMibPerS),
                    Column::new("whose requests", Quantity::Words),
                ],
                rows,
                at_a_glance: true,
            }),
        )
    })
}

fn coverage(fleet: &AwrFleet) -> Section {
    let rows = fleet.members.iter().map(|one| Row {
        cells: vec![
            words(one.database.as_str()),
            Value::Count(one.interval_count as u64),
            words(moment(&one.begin)),
            words(moment(&one.end)),
            Value::Number(one.covered_s / 3_600.0),
            Value::number(
                (fleet.covered_by_any_s > 0.0).then(|| 100.0 * one.covered_s / fleet.covered_by_any_s),
            ),
        ],
        is_total: false,
    });
    let all = Row {
        cells: vec![
            words("all at once"),
            Value::Absent,
            Value::Absent,
            Value::Absent,
            Value::Number(fleet.covered_s / 3_600.0),
            Value::number(
                (fleet.covered_by_any_s > 0.0).then(|| 100.0 * fleet.covered_s / fleet.covered_by_any_s),
            ),
        ],
        is_total: true,
    };
    section(
        "coverage",
        "What the reports cover",
        Some("Percentages are of the time that the reports of any database cover."),
        Block::Table(Table {
            caption: "What the reports cover".to_owned(),
            columns: vec![
                Column::new("database", Quantity::Words),
                Column::new("intervals", Quantity::Count),
                Column::new("from", Quantity::Words),
                Column::new("to", Quantity::Words),
                Column::new("hours", Quantity::Unitless),
                Column::new("of covered time", Quantity::Percent),
            ],
            rows: rows.chain([all]).collect(),
            at_a_glance: fleet.covered_s < WHOLE_SHARE * fleet.covered_by_any_s,
        }),
    )
}
