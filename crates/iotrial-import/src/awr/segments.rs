//! Objects with the most I/O: Segments by Physical Reads, by Physical Writes, and by the requests for them.

use iotrial_model::awr::{AwrReport, SegmentIo, SegmentStatistic};

use super::number;
use super::page::{Page, Section};
use crate::text::kept;

/// Oracle prints five of each, or as many as it was asked for.
const MOST_SEGMENTS: usize = 1_000;

/// What is listed, the heading of its table, and the names of its column.
const TABLES: [(SegmentStatistic, &str, &[&str]); 4] = [
    (SegmentStatistic::PhysicalReads, "Segments by Physical Reads", &["Physical Reads"]),
    (
        SegmentStatistic::ReadRequests,
        "Segments by Physical Read Requests",
        &["Phys Read Requests", "Physical Read Requests"],
    ),
    (SegmentStatistic::PhysicalWrites, "Segments by Physical Writes", &["Physical Writes"]),
    (
        SegmentStatistic::WriteRequests,
        "Segments by Physical Write Requests",
        &["Phys Write Requests", "Physical Write Requests"],
    ),
];

/// Reads them.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    for (statistic, heading, count) in TABLES {
        for section in page.called(&[heading]) {
            of_section(section, statistic, count, report);
        }
    }
}

fn of_section(section: &Section, statistic: SegmentStatistic, count: &[&str], report: &mut AwrReport) {
    let (Some(object), Some(count)) = (section.column(&["Object Name"]), section.column(count)) else {
        return;
    };
    let percent = section.column(&["%Total", "Pct Total"]);
    let owner = section.column(&["Owner"]);
    let tablespace = section.column(&["Tablespace Name", "Tablespace"]);
    let subobject = section.column(&["Subobject Name"]);
    let kind = section.column(&["Obj. Type"]);
    let container = section.column(&["PDB Name", "Container Name"]);
    for row in section.rows.iter().filter(|row| !row.cell(object).is_empty()) {
        if report.segments.len() >= MOST_SEGMENTS {
            return;
        }
        let named = |at: Option<usize>| Some(kept(row.at(at))).filter(|name| !name.is_empty());
        report.segments.push(SegmentIo {
            statistic,
            container: named(container),
            owner: kept(row.at(owner)),
            tablespace: kept(row.at(tablespace)),
            object: kept(row.cell(object)),
            subobject: named(subobject),
            kind: kept(row.at(kind)),
            count: section.quoted(row, Some(count), number::count),
            percent: section.quoted(row, percent, number::plain),
        });
    }
}
