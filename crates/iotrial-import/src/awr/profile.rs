//! Load Profile, I/O Profile, Instance Efficiency, time model and host statistics: short tables of names and values.

use iotrial_model::awr::{AwrKind, AwrReport, IoProfileRow, Named};

use super::number;
use super::page::{Page, Row, Section};
use crate::text::kept;

/// Reads them.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    if report.kind == AwrKind::Cluster {
        cluster_load(page, report);
    } else {
        for section in page.called(&["Load Profile"]) {
            let per_second = section.column(&["Per Second"]);
            if per_second.is_some() && report.load_profile.is_empty() {
                report.load_profile = named(section, 0, per_second);
            }
        }
    }
    for section in page.called(&["IO Profile"]) {
        let total = section.column(&["Read+Write Per Second", "Read+Write/Second", "Read+Write/s"]);
        if total.is_some() && report.io_profile.is_empty() {
            io_profile(section, total, report);
        }
    }
    for section in page.called(&["Instance Efficiency"]) {
        efficiency(section, report);
    }
    for section in page.called(&["Time Model"]) {
        let time = section.column(&["Time (s)"]);
        let name = section.column(&["Statistic Name", "Statistic"]);
        if let (Some(name), Some(_)) = (name, time) {
            report.time_model.extend(named(section, name, time));
        } else if report.kind == AwrKind::Cluster {
            cluster_time(section, report);
        }
    }
    for section in page.called(&["Operating System Statistics", "OS Statistics"]) {
        // The end value is printed only where it differs, and a counter has none.
        if let (Some(name), value @ Some(_)) =
            (section.column(&["Statistic"]), section.column(&["Value", "Total"]))
        {
            report.host_statistics.extend(named(section, name, value));
        } else if let Some(sum) = sum_of(section).filter(|_| report.kind == AwrKind::Cluster) {
            // Instances of a cluster have rows; only times add up.
            for name in ["Time (s) Busy", "Time (s) Idle", "Time (s) Total"] {
                if let Some(column) = section.column(&[name]) {
                    let value = section.quoted(sum, Some(column), number::plain);
                    report.host_statistics.push(Named { name: name.to_owned(), value });
                }
            }
        }
    }
}

fn label(text: &str) -> String {
    kept(text.trim().trim_end_matches(':').trim_end())
}

fn named(section: &Section, name: usize, value: Option<usize>) -> Vec<Named> {
    let row =
        |row: &Row| Named { name: label(row.cell(name)), value: section.quoted(row, value, number::plain) };
    section.rows.iter().filter(|row| !row.cell(name).is_empty()).map(row).collect()
}

/// The row of sums; a cluster of one instance has none.
fn sum_of(section: &Section) -> Option<&Row> {
    let sum = section.rows.iter().find(|row| row.cell(0).eq_ignore_ascii_case("sum"));
    let mut instances = section.rows.iter().filter(|row| row.cell(0).parse::<u32>().is_ok());
    sum.or_else(|| instances.next().filter(|_| instances.next().is_none()))
}

/// Of a cluster there are rows for instances, and one of sums.
fn cluster_load(page: &Page, report: &mut AwrReport) {
    for section in page.called(&["System Statistics - Per Second"]) {
        let Some(sum) = sum_of(section).filter(|_| report.load_profile.is_empty()) else { continue };
        let columns = section.columns.iter().enumerate().skip(1);
        report.load_profile = columns
            .map(|(at, column)| Named {
                name: label(column.name.trim_end_matches("/s")),
                value: section.quoted(sum, Some(at), number::plain),
            })
            .collect();
    }
}

fn cluster_time(section: &Section, report: &mut AwrReport) {
    let sum = sum_of(section);
    for (at, column) in section.columns.iter().enumerate().skip(1) {
        if let (Some(sum), Some(name)) = (sum, column.name.strip_suffix("(s)")) {
            report
                .time_model
                .push(Named { name: label(name), value: section.quoted(sum, Some(at), number::plain) });
        }
    }
}

fn io_profile(section: &Section, total: Option<usize>, report: &mut AwrReport) {
    let read = section.column(&["Read per Second", "Read/Second", "Reads/s"]);
    let write = section.column(&["Write Per Second", "Write/Second", "Writes/s"]);
    let row = |row: &Row| IoProfileRow {
        name: label(row.cell(0)),
        total: section.quoted(row, total, number::plain),
        read: section.quoted(row, read, number::plain),
        write: section.quoted(row, write, number::plain),
    };
    report.io_profile = section.rows.iter().map(row).collect();
}

/// Two names with their values on each line.
fn efficiency(section: &Section, report: &mut AwrReport) {
    for row in &section.rows {
        // Each is a percentage, and what else stands below this heading is none.
        for at in (0..row.len()).step_by(2).filter(|at| row.cell(*at).contains('%')) {
            let value = section.quoted(row, Some(at + 1), number::plain);
            // `Buffer  Hit   %` in text.
            let name = label(&super::page::joined(row.cell(at)));
            report.efficiency.push(Named { name, value });
        }
    }
}
