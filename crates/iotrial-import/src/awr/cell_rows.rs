//! Rows of single storage cells of Exadata and of their disks: how evenly the load is spread.

use iotrial_model::awr::{AwrReport, CellTotals, Named};

use super::number;
use super::page::{Page, Row, Section};
use crate::text::kept;

/// More rows than a rack has cells and disks in all tables.
const MOST_ROWS: usize = 5_000;

/// Reads the rows of every table that has a column of cells. Without any nothing becomes of it.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    let Some(exadata) = &mut report.exadata else { return };
    for section in &page.sections {
        let Some(cell) = section.column(&["Cell Name"]) else { continue };
        // A cell is named once, above the rows of its disks; or a type of disk, above the rows of its cells.
        let mut last = String::new();
        let mut above: Vec<String> = vec![String::new(); section.columns.len()];
        for row in &section.rows {
            let name = row.cell(cell);
            // `Total (4)`, `All (4)`, or `All`.
            let is_sum = ["Total", "All"].contains(&name.split(' ').next().unwrap_or(""));
            if !name.is_empty() {
                last = if is_sum { String::new() } else { kept(name) };
            }
            if last.is_empty() || exadata.cell_rows.len() >= MOST_ROWS {
                continue;
            }
            if let Some(one) = of_row(section, row, cell, &last, &mut above) {
                exadata.cell_rows.push(one);
            }
        }
    }
}

fn of_row(section: &Section, row: &Row, cell: usize, name: &str, above: &mut [String]) -> Option<CellTotals> {
    let (mut words, mut values): (Vec<String>, Vec<Named>) = (vec![name.to_owned()], Vec::new());
    for (at, column) in section.columns.iter().enumerate().filter(|(at, _)| *at != cell) {
        let title = column.full_name();
        let text = row.cell(at);
        // The second half of a wide column is the place of a mark.
        if text.is_empty() && values.is_empty() && at < cell && !above[at].is_empty() {
            words.push(above[at].clone());
        }
        if title.is_empty() || text.is_empty() || values.last().is_some_and(|last| last.name == title) {
            continue;
        }
        let value = section.quoted(row, Some(at), |text| number::time_us(text, Some(1.0)));
        if value.is_there() {
            values.push(Named { name: kept(title), value });
        } else if values.is_empty() {
            // The type or the name of a disk, which stand before the numbers.
            words.push(kept(text));
            above[at] = kept(text);
        }
    }
    let title = match section.name() {
        name if name == section.heading => name.to_owned(),
        name => format!("{}: {name}", section.heading),
    };
    (!values.is_empty()).then(|| CellTotals { section: kept(&title), row: kept(&words.join(" ")), values })
}
