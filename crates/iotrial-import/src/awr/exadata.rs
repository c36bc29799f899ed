//! What the storage servers of Exadata say. Only the rows of totals are taken: rows of cells and disks say how even the load is,
//! and those beyond their range are among the outliers.

use iotrial_model::awr::{
    AwrReport, CellAlert, CellTotals, DiskGroup, Exadata, FlashCacheMode, Named, OfflineDisk, Outlier,
    Quoted, TopDatabase,
};
use iotrial_model::imported::Stated;

use super::number;
use super::page::{Column, Page, Row, Section};
use crate::text::kept;

/// More marks than anybody reads.
const MOST_OUTLIERS: usize = 200;

/// Oracle prints ten of each cell.
const MOST_ALERTS: usize = 1_000;

/// More disks than a rack has.
const MOST_DISKS: usize = 1_000;

/// What of an alert is kept: dumps of statements follow what it is about.
const LONGEST_ALERT: usize = 300;

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
        if let Some(right) = smart_io(section) {
            let correction = format!(
                "{} has values of Hard Disk without names: the values that follow are read two columns further to the right",
                section.name()
            );
            report.corrections.push(correction);
            totals(&right, &mut exadata);
        } else if section.column(&["Cell Name"]).is_some() || section.column(&["Disk Type"]).is_some() {
            totals(section, &mut exadata);
        }
        // Marks stand in the tables of outliers, of their details, and of the busiest cells and disks.
        let is_marked =
            ["Outlier", "Top Cells", "Top Disks"].iter().any(|word| section.name().contains(word));
        if is_marked || section.heading.contains("Outliers") {
            outliers(section, &mut exadata);
        }
    }
    for section in page.called(&["Exadata Alerts Detail"]) {
        alerts(section, &mut exadata);
    }
    for section in page.called(&["Exadata Non-Online Disks"]) {
        offline_disks(section, &mut exadata);
    }
    for section in page.called(&["Flash Cache Configuration"]) {
        let (mode, size) = (section.column(&["Mode"]), section.column(&["Size (GB)"]));
        for row in section.rows.iter().filter(|row| !row.at(mode).is_empty()) {
            exadata.flash_cache_modes.push(FlashCacheMode {
                mode: kept(row.at(mode)),
                status: kept(row.at(section.column(&["Status"]))),
                size_gib: section.quoted(row, size, number::plain),
                cells: kept(row.at(section.column(&["Cells"]))),
            });
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

/// A blank name goes on with the cell above.
fn alerts(section: &Section, exadata: &mut Exadata) {
    let cell = section.column(&["Cell Name"]);
    let (time, severity) = (section.column(&["Alert Time", "Begin Time"]), section.column(&["Severity"]));
    let Some(message) = section.column(&["Message"]) else { return };
    let mut last = String::new();
    for row in section.rows.iter().filter(|row| !row.cell(message).is_empty()) {
        if !row.at(cell).is_empty() {
            last = kept(row.at(cell));
        }
        if exadata.alerts.len() >= MOST_ALERTS {
            return;
        }
        let text: String = row.cell(message).trim_matches(['"', ' ']).chars().take(LONGEST_ALERT).collect();
        exadata.alerts.push(CellAlert {
            cell: last.clone(),
            time: kept(row.at(time)),
            severity: kept(row.at(severity)),
            message: kept(&text),
        });
    }
}

/// Where all disks are online, there is a sentence and no table.
fn offline_disks(section: &Section, exadata: &mut Exadata) {
    let Some(cell) = section.column(&["Cell Name"]) else { return };
    let mut last = String::new();
    for row in &section.rows {
        if !row.cell(cell).is_empty() {
            last = kept(row.cell(cell));
        }
        let rest: Vec<&str> = (row.cells().enumerate())
            .filter(|(at, text)| *at != cell && !text.trim().is_empty())
            .map(|(_, text)| text.trim())
            .collect();
        if !rest.is_empty() && exadata.offline_disks.len() < MOST_DISKS {
            exadata.offline_disks.push(OfflineDisk { cell: last.clone(), disk: kept(&rest.join(" ")) });
        }
    }
}

fn totals(section: &Section, exadata: &mut Exadata) {
    let is_total = |row: &&Row| {
        let first = row.label();
        // Of outliers the row `All` is that of the normal range.
        first.starts_with("Total") || row.cells().take(3).any(|cell| cell == "All")
    };
    for row in section.rows.iter().filter(is_total) {
        let label = row.label();
        let mut values: Vec<Named> = Vec::new();
        for (at, column) in section.columns.iter().enumerate() {
            let name = column.full_name();
            // The second half of a wide column is the place of a mark.
            if name.is_empty() || values.last().is_some_and(|last| last.name == name) {
                continue;
            }
            let value = section.quoted(row, Some(at), |text| number::time_us(text, Some(1.0)));
            if value.is_there() {
                values.push(Named { name: kept(name), value });
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

/// A cell with nothing but a mark belongs to the value beside it under the same header: to its right, where a header spans both.
fn outliers(section: &Section, exadata: &mut Exadata) {
    let is_mark = |text: &str| !text.is_empty() && text.chars().all(|c| matches!(c, '*' | 'v' | '^'));
    let header = |at: usize| section.columns.get(at).map(Column::full_name);
    for row in &section.rows {
        let is_value = |at: usize| number::time_us(row.cell(at), Some(1.0)).is_some();
        for at in 1..row.len() {
            let cell = row.cell(at);
            let (value, marked) = if is_mark(cell) {
                let is_pair = |other: usize| header(other).is_some_and(|name| header(at) == Some(name));
                let beside = [at + 1, at - 1].into_iter().find(|other| is_value(*other) && is_pair(*other));
                let Some(value) = beside else { continue };
                (value, format!("{} {cell}", row.cell(value)))
            } else if cell.ends_with(['*', '^', 'v'])
                && cell.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            {
                (at, cell.to_owned())
            } else {
                continue;
            };
            if exadata.outliers.len() >= MOST_OUTLIERS {
                return;
            }
            let column = header(value).unwrap_or_default();
            let names = row.cells().take(3);
            // A mark may be a letter, too.
            let names = names.filter(|name| name.chars().any(char::is_alphabetic) && !is_mark(name));
            exadata.outliers.push(Outlier {
                what: kept(format!("{}: {column}", section.name()).trim_end_matches(": ")),
                name: kept(&names.collect::<Vec<_>>().join(" ")),
                value: kept(&marked),
            });
        }
    }
}

/// 19c has values of Hard Disk in the table of Smart IO and no names for them, so that all names behind stand two columns too far to
/// the left. `None` where the table is as it should be.
fn smart_io(section: &Section) -> Option<Section> {
    let first = section.columns.iter().position(|column| column.group == "Hard Disk")?;
    let widest = section.rows.iter().map(|row| row.len()).max()?;
    let is_short = section.columns.len() + 2 == widest;
    if !is_short || section.columns.get(first + 2).is_none_or(|column| column.name != "% Efficiency") {
        return None;
    }
    let named = |group: &str, name: &str| Column::new(group.to_owned(), name.to_owned());
    let mut columns = section.columns[..first].to_vec();
    columns.extend(["MB", "per Sec"].map(|name| named("Hard Disk", name)));
    let groups = ["Offload", "Passthru", "Reverse Offload"];
    let behind = section.columns[first..].iter().enumerate();
    columns.extend(behind.filter_map(|(at, column)| Some(named(groups.get(at / 3)?, &column.name))));
    (columns.len() == widest).then(|| Section { columns, ..section.clone() })
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
            // A blank cell is none of the requests; a table without the column does not say.
            let disk = disk.value().or(of(group, "Disk").map(|_| 0.0));
            match (flash.value(), disk) {
                (Some(flash_value), Some(disk)) if flash_value + disk > 0.0 => Quoted::derived(
                    Stated { value: 100.0 * flash_value / (flash_value + disk), resolution: 0.1 },
                    flash.place,
                    "flash by flash and disk",
                ),
                _ => Quoted::absent(flash.place, "no requests"),
            }
        };
        // Flash and disk are printed as totals: their part of the rate is their part of the total.
        let part = |column: &str| {
            let group = "IO Throughput (MB)";
            let part = section.quoted(row, of(group, column), number::plain);
            let total = section.quoted(row, of(group, "Total MB"), number::plain);
            let rate = section.quoted(row, mib, number::plain);
            let amount = part.value().or(of(group, column).and(total.value()).map(|_| 0.0));
            match (amount, total.value(), rate.number) {
                (Some(amount), Some(total), Some(rate)) if total > 0.0 => Quoted::derived(
                    Stated { value: rate.value * amount / total, ..rate },
                    part.place,
                    "its share of the total, of the rate",
                ),
                _ => part,
            }
        };
        exadata.top_databases.push(TopDatabase {
            flash_mib_per_s: part("Flash"),
            disk_mib_per_s: part("Disk"),
            is_current,
            requests_per_s: section.quoted(row, requests, number::plain),
            mib_per_s: section.quoted(row, mib, number::plain),
            flash_requests_percent: share("IO Requests"),
            flash_mib_percent: share("IO Throughput (MB)"),
            name: label,
        });
    }
}
