//! The objects with the most I/O, as a table: what the database reads and writes.

use iotrial_model::awr::{AwrReport, SegmentIo, SegmentStatistic};

use super::{section, words};
use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// Objects that are shown; JSON has all.
const MOST_OBJECTS: usize = 10;

/// The table; absent where the report lists none.
pub(super) fn segments(report: &AwrReport) -> Option<Section> {
    let is_same = |a: &SegmentIo, b: &SegmentIo| {
        (&a.container, &a.owner, &a.object, &a.subobject, &a.tablespace)
            == (&b.container, &b.owner, &b.object, &b.subobject, &b.tablespace)
    };
    let mut objects: Vec<Vec<&SegmentIo>> = Vec::new();
    for one in &report.segments {
        match objects.iter_mut().find(|object| is_same(object[0], one)) {
            Some(object) => object.push(one),
            None => objects.push(vec![one]),
        }
    }
    let percent = |object: &[&SegmentIo], statistic| {
        object.iter().find(|one| one.statistic == statistic).and_then(|one| one.percent.sound())
    };
    // Each object by the largest part of anything that it has.
    let largest = |object: &[&SegmentIo]| {
        let shares = SegmentStatistic::ALL.iter().filter_map(|statistic| percent(object, *statistic));
        shares.fold(0.0, f64::max)
    };
    objects.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    let row = |object: &Vec<&SegmentIo>| {
        let first = object[0];
        let mut cells = vec![words(name(first)), words(first.kind.to_lowercase()), words(&*first.tablespace)];
        let shares = SegmentStatistic::ALL.iter().map(|statistic| percent(object, *statistic));
        cells.extend(shares.map(Value::number));
        Row { cells, is_total: false }
    };
    let share = |group: &'static str, name| Column::new(name, Quantity::Percent).under(group);
    (!objects.is_empty()).then(|| {
        section(
            "objects",
            "Objects with the most I/O",
            Some(
                "Shares of what the whole database read and wrote. A dash: not among the objects that the report lists for it. --json has all of them.",
            ),
            Block::Table(Table {
                caption: "Objects with the most I/O".to_owned(),
                columns: vec![
                    Column::new("object", Quantity::Words),
                    Column::new("kind", Quantity::Words).optional(),
                    Column::new("tablespace", Quantity::Words).optional(),
                    share("reads", "blocks"),
                    share("reads", "requests"),
                    share("writes", "blocks"),
                    share("writes", "requests"),
                ],
                rows: objects.iter().take(MOST_OBJECTS).map(row).collect(),
                at_a_glance: false,
            }),
        )
    })
}

/// `OWNER.OBJECT, partition`
fn name(one: &SegmentIo) -> String {
    let container = one.container.as_ref().map_or_else(String::new, |container| format!("{container}: "));
    let part = one.subobject.as_ref().map_or_else(String::new, |part| format!(", {part}"));
    format!("{container}{}.{}{part}", one.owner, one.object)
}
