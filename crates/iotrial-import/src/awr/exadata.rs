//! What the storage servers of Exadata say. Only the rows of totals are taken: rows of cells and disks say how even the load is,
//! and those beyond their range are among the outliers.

use iotrial_model::awr::{AwrReport, CellTotals, DiskGroup, Exadata, Named, Outlier, Quoted, TopDatabase};

use super::number;
use super::page::{Page, Row, Section};
use crate::text::kept;

/// More marks than anybody reads.
const MOST_OUTLIERS: usize = 200;

/// Oracle prints ten.
const MOST_DATABASES: usize = 1_000;

/// Reads them; leaves the report as it is where there are none.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    let mut exadata = Exadata::default();
    for section in page.called(&["Exadata Storage Server Model"]) {
        let cells = section.column(&["# Cells"]);
        for row in section.rows.iter().filter(|_| cells.is_some()) {
            exadata.model = Some(kept(row.at(section.column(&["Model"])))).filter(|model| !model.is_empty());
            exadata.cells = section.quoted(row, cells, number::plain);
        }
    }
    for section in &page.sections {
        if section.column(&["Cell Name"]).is_some() || section.column(&["Disk Type"]).is_some() {
            totals(section, &mut exadata);
        }
        if section.heading.contains("Outliers") || section.name().contains("Outlier") {
            outliers(section, &mut exadata);
        }
    }
    for section in page.called(&["ASM Diskgroups"]) {
        let name = section.column(&["Disk Group"]);
        for row in section.rows.iter().filter(|row| !row.at(name).is_empty()) {
            exadata.disk_groups.push(DiskGroup {
                name: kept(row.at(name)),
                size_gib: section.quoted(row, section.column(&["Size (GB)"]), number::plain),
                used_gib: section.quoted(row, section.column(&["Used (GB)"]), number::plain),
                redundancy: kept(row.at(section.column(&["Redundancy"]))),
            });
        }
    }
    // The link above says «by Requests», the heading «by IO Requests»; the order of the columns differs between the two tables.
    for section in page.called(&["Top Databases by"]) {
        let name = section.name().to_lowercase();
        if !name.contains("per cell") && !name.contains("details") {
            top_databases(section, &mut exadata);
        }
    }
    if exadata != Exadata::default() {
        report.exadata = Some(exadata);
    }
}

fn totals(section: &Section, exadata: &mut Exadata) {
    let is_total = |row: &&Row| {
        let first = row.cells.iter().map(|cell| cell.trim()).find(|cell| !cell.is_empty()).unwrap_or("");
        // Of outliers the row `All` is that of the normal range.
        first.starts_with("Total") || row.cells.iter().take(3).any(|cell| cell.trim() == "All")
    };
    for row in section.rows.iter().filter(is_total) {
        let label = row.cells.iter().map(|cell| cell.trim()).find(|cell| !cell.is_empty()).unwrap_or("");
        let mut values: Vec<Named> = Vec::new();
        for (at, column) in section.columns.iter().enumerate() {
            let name = column.full_name();
            // The second half of a wide column is the place of a mark.
            if name.is_empty() || values.last().is_some_and(|last| last.name == name) {
                continue;
            }
            let value = section.quoted(row, Some(at), |text| number::time_us(text, Some(1.0)));
            if value.is_there() {
                values.push(Named { name: kept(&name), value });
            }
        }
        if !values.is_empty() {
            let title = match section.name() {
                name if name == section.heading => name.to_owned(),
                name => format!("{}: {name}", section.heading),
            };
            exadata.totals.push(CellTotals { section: kept(&title), row: kept(label), values });
        }
    }
}

/// A cell with nothing but a mark belongs to the value to its left.
fn outliers(section: &Section, exadata: &mut Exadata) {
    let is_mark = |text: &str| !text.is_empty() && text.chars().all(|c| matches!(c, '*' | 'v' | '^'));
    for row in &section.rows {
        for (at, cell) in row.cells.iter().enumerate().skip(1) {
            let (cell, before) = (cell.trim(), row.cell(at - 1));
            let marked = if is_mark(cell) && number::time_us(before, Some(1.0)).is_some() {
                format!("{before} {cell}")
            } else if cell.ends_with(['*', '^']) && cell.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            {
                cell.to_owned()
            } else {
                continue;
            };
            if exadata.outliers.len() >= MOST_OUTLIERS {
                return;
            }
            let column = section.columns.get(at - 1).map(super::page::Column::full_name).unwrap_or_default();
            let names = row.cells.iter().take(3).map(|cell| cell.trim());
            let names = names.filter(|name| name.chars().any(char::is_alphabetic));
            exadata.outliers.push(Outlier {
                what: kept(format!("{}: {column}", section.name()).trim_end_matches(": ")),
                name: kept(&names.collect::<Vec<_>>().join(" ")),
                value: kept(&marked),
            });
        }
    }
}

fn top_databases(section: &Section, exadata: &mut Exadata) {
    let Some(name) = section.column(&["DB Name"]) else { return };
    let of = |group: &str, column: &str| section.column(&[&format!("{group} {column}")]);
    let requests = of("IO Requests", "per Sec");
    let mib = of("IO Throughput (MB)", "per Sec");
    for row in &section.rows {
        let label = row.cell(name);
        let is_current = label.contains("(*)");
        let label = kept(label.trim_end_matches("(*)"));
        // A blank name goes on with the cell above; both tables have most databases.
        if label.is_empty()
            || exadata.top_databases.len() >= MOST_DATABASES
            || exadata.top_databases.iter().any(|one| one.name == label)
        {
            continue;
        }
        let share = |group: &str| {
            let flash = section.quoted(row, of(group, "Flash"), number::plain);
            let disk = section.quoted(row, of(group, "Disk"), number::plain);
            match (flash.value, disk.value.or(Some(0.0))) {
                (Some(flash_value), Some(disk)) if flash_value + disk > 0.0 => Quoted::derived(
                    100.0 * flash_value / (flash_value + disk),
                    0.05,
                    flash.place,
                    "flash by flash and disk",
                ),
                _ => Quoted::absent(flash.place, "no requests"),
            }
        };
        exadata.top_databases.push(TopDatabase {
            is_current,
            requests_per_s: section.quoted(row, requests, number::plain),
            mib_per_s: section.quoted(row, mib, number::plain),
            flash_requests_percent: share("IO Requests"),
            flash_mib_percent: share("IO Throughput (MB)"),
            name: label,
        });
    }
}
