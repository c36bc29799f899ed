//! Each database in one row, the one that asks most of its storage first: what there is, at a glance and as a sheet.

use iotrial_analysis::awr::{AwrSeries, DatabaseSeries};
use iotrial_model::awr::AwrFigure;

use crate::awr::section;
use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Table, Value};

/// What users wait for, by how the names of events begin, in a word.
const WAITS: [(&str, &str); 13] = [
    ("DB CPU", "CPU"),
    ("db file sequential read", "reads"),
    ("db file parallel read", "reads"),
    ("cell single block", "reads"),
    ("cell list of blocks", "reads"),
    ("db file scattered read", "scans"),
    ("cell multiblock", "scans"),
    ("cell smart", "scans"),
    ("direct path read temp", "temp"),
    ("direct path write temp", "temp"),
    ("direct path read", "scans"),
    ("log file sync", "commits"),
    ("log file switch", "log"),
];

/// The databases by their requests on average, the most first; those without such a figure last.
pub fn by_need(series: &AwrSeries) -> Vec<&DatabaseSeries> {
    let need =
        |one: &DatabaseSeries| one.statistics(AwrFigure::Requests).map_or(-1.0, |requests| requests.average);
    let mut databases: Vec<&DatabaseSeries> = series.databases.iter().collect();
    databases.sort_by(|a, b| need(b).total_cmp(&need(a)));
    databases
}

/// Requests per second of all databases, were each at its average; `None` where none has a figure.
pub(super) fn averages(series: &AwrSeries) -> Option<f64> {
    let averages = series.databases.iter().filter_map(|one| one.statistics(AwrFigure::Requests));
    averages.map(|requests| requests.average).reduce(|sum, one| sum + one)
}

pub(super) fn inventory(series: &AwrSeries) -> Section {
    let average = |one: &DatabaseSeries, figure| Value::number(one.statistics(figure).map(|one| one.average));
    let size = |one: &DatabaseSeries| one.right_size.as_ref().map(|size| size.chosen.clone());
    let factor = |one: &DatabaseSeries| {
        let mut factors = one.right_size.iter().flat_map(|size| &size.factors);
        factors.find(|factor| factor.name == "factor-io").map(|factor| factor.value)
    };
    let more = |name: &'static str, quantity| Column::new(name, quantity).first_to_go();
    let table = Table::of_columns(
        "Inventory",
        by_need(series),
        [
            (Column::new("database", Quantity::Words), &|one| Value::Text(one.database.clone())),
            (Column::new("vCPUs", Quantity::Count), &|one| {
                size(one)
                    .and_then(|size| size.vcpus)
                    .map_or(Value::Absent, |count| Value::Count(count.into()))
            }),
            (Column::new("GiB", Quantity::Unitless).under("memory").optional(), &|one| {
                Value::number(size(one).and_then(|size| size.memory_gib))
            }),
            (Column::new("reads", Quantity::Iops).under("on average"), &|one| average(one, AwrFigure::Reads)),
            (Column::new("writes", Quantity::Iops).under("on average"), &|one| {
                average(one, AwrFigure::Writes)
            }),
            (Column::new("MiB/s", Quantity::BandwidthMibPerS), &|one| average(one, AwrFigure::Throughput)),
            (Column::new("waits for", Quantity::Words), &waits_for),
            (Column::new("commit", Quantity::LatencyUs).optional(), &|one| average(one, AwrFigure::CommitUs)),
            (Column::new("version", Quantity::Words).optional(), &|one| {
                Value::text(one.about.release.as_deref())
            }),
            (more("instances", Quantity::Count), &|one| Value::Count(one.instances.len() as u64)),
            (more("hours", Quantity::Unitless), &|one| Value::Number(one.covered_s / 3_600.0)),
            (more("reads", Quantity::Iops).under("planned"), &|one| {
                Value::number(size(one).and_then(|size| size.reads_per_s))
            }),
            (more("writes", Quantity::Iops).under("planned"), &|one| {
                Value::number(size(one).and_then(|size| size.writes_per_s))
            }),
            (more("factor", Quantity::Unitless), &|one| Value::number(factor(one))),
        ],
    );
    section(
        "inventory",
        "Inventory",
        Some(
            "vCPUs and memory as sized, rates and latencies on average over all intervals. Planned rates are those of the chosen method, and have the factor in them.",
        ),
        Block::Table(table),
    )
}

/// Where most of the DB time goes, and how much of it.
fn waits_for(one: &DatabaseSeries) -> Value {
    let largest = one.about.limits.first();
    Value::text(largest.map(|limit| {
        let known = WAITS.iter().find(|(begins, _)| limit.what.starts_with(begins));
        format!("{} {:.0} %", known.map_or("other", |(_, word)| *word), limit.percent)
    }))
}
