//! I/O by function and kind of file: who reads and writes what.

use iotrial_model::awr::{AwrReport, IoCell};

use super::number;
use super::page::{Page, Row, Section};
use crate::text::kept;

/// More than all functions on all kinds of files.
const MOST_CELLS: usize = 1_000;

/// Reads the table.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    for section in page.called(&["IOStat by Function/Filetype"]) {
        let before = report.io_matrix.len();
        match section.column(&["Function/File Name", "Function/Filetype Name"]) {
            Some(name) => with_names(section, name, report),
            // In text a name has a line of its own, and the values are in the next one.
            None if section.column(&["Reads: Data"]).is_some() => names_above(section, report),
            None => {}
        }
        if report.io_matrix.len() > before {
            return;
        }
    }
}

fn with_names(section: &Section, name: usize, report: &mut AwrReport) {
    for row in &section.rows {
        push(section, row.cell(name), row, report);
    }
}

fn names_above(section: &Section, report: &mut AwrReport) {
    let mut name = String::new();
    for row in &section.rows {
        let has_values = row.cells().any(|cell| number::mib(cell).is_some());
        if has_values {
            push(section, &name, row, report);
            name.clear();
        } else {
            name = row.cells().filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" ");
        }
    }
}

/// `LGWR (Log File)` is a cell; `LGWR` alone and `TOTAL:` are sums, which other tables have.
fn push(section: &Section, name: &str, row: &Row, report: &mut AwrReport) {
    let Some((function, file_type)) = name.trim().strip_suffix(')').and_then(|name| name.split_once(" ("))
    else {
        return;
    };
    if report.io_matrix.len() >= MOST_CELLS {
        return;
    }
    let nth = |names: &[&str], skip| section.nth_column(names, skip);
    let (requests, data) = (["Reqs per sec"], ["Data per sec"]);
    let mean = section.column(&["Avg Time", "Avg Tm(ms)", "Waits: Avg Tm(ms)"]);
    let unit = mean.map(|at| number::unit_of_header(section.columns[at].full_name()).unwrap_or(1e3));
    report.io_matrix.push(IoCell {
        function: kept(function.trim()),
        file_type: kept(file_type.trim()),
        reads_per_s: section.quoted(row, nth(&requests, 0), number::count),
        writes_per_s: section.quoted(row, nth(&requests, 1), number::count),
        read_mib_per_s: section.quoted(row, nth(&data, 0), number::mib),
        write_mib_per_s: section.quoted(row, nth(&data, 1), number::mib),
        mean_us: section.quoted(row, mean, |text| number::time_us(text, unit)),
    });
}
