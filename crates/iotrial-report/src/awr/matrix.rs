//! I/O by function and kind of file, as a table: who reads and writes what.

use iotrial_model::awr::{AwrReport, IoCell};

use super::{section, value, words};
use crate::document::{Block, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

/// Cells that are shown; JSON has all.
const MOST_CELLS: usize = 20;

/// The table; cells without any I/O say nothing.
pub(super) fn matrix(report: &AwrReport) -> Option<Section> {
    let mib =
        |one: &IoCell| one.read_mib_per_s.sound().unwrap_or(0.0) + one.write_mib_per_s.sound().unwrap_or(0.0);
    let requests =
        |one: &IoCell| one.reads_per_s.sound().unwrap_or(0.0) + one.writes_per_s.sound().unwrap_or(0.0);
    let mut cells: Vec<&IoCell> =
        report.io_matrix.iter().filter(|one| requests(one) > 0.0 || mib(one) > 0.0).collect();
    cells.sort_by(|a, b| mib(b).total_cmp(&mib(a)).then(requests(b).total_cmp(&requests(a))));
    let row = |one: &&IoCell| Row {
        cells: vec![
            words(one.function.as_str()),
            words(one.file_type.as_str()),
            Value::number(one.reads_per_s.sound()),
            Value::number(one.writes_per_s.sound()),
            Value::number(one.read_mib_per_s.sound()),
            Value::number(one.write_mib_per_s.sound()),
            value(Some(&one.mean_us)),
        ],
        is_total: false,
    };
    (!cells.is_empty()).then(|| {
        section(
            "functions-and-file-types",
            "Who reads and writes what",
            Some("The most bytes first; --json has all of them."),
            Block::Table(Table {
                caption: "I/O by function and kind of file".to_owned(),
                columns: vec![
                    Column::new("function", Quantity::Words),
                    Column::new("kind of file", Quantity::Words),
                    Column::new("reads", Quantity::Iops),
                    Column::new("writes", Quantity::Iops),
                    Column::new("read", Quantity::BandwidthMibPerS),
                    Column::new("written", Quantity::BandwidthMibPerS),
                    Column::new("mean time", Quantity::LatencyUs).optional(),
                ],
                rows: cells.iter().take(MOST_CELLS).map(row).collect(),
                at_a_glance: false,
            }),
        )
    })
}
