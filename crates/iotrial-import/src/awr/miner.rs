//! The output of AWR-Miner: a text of blocks, of which one has a row for each snapshot and instance, with the mean of the interval
//! and its highest minute.

use std::collections::HashMap;

use iotrial_model::awr::{AwrFigure, AwrKind, AwrReport, Instance, Interval, Named, Quoted};
use jiff::{Span, civil::DateTime};

use super::number;
use super::page::{Row, Section};
use super::time::moment;
use super::{AwrError, blank, text};
use crate::text::{Notes, kept};

/// What a file begins with.
pub(super) const FIRST_BLOCK: &str = "~~BEGIN-OS-INFORMATION~~";

/// Snapshots of a file beyond this are refused.
// A choice: a year of hours of two instances.
const MOST_SNAPSHOTS: usize = 20_000;

/// A figure, its column, that of its highest minute, and the factor to its unit.
const FIGURES: [(AwrFigure, &str, &str, f64); 9] = [
    (AwrFigure::Reads, "read_iops", "read_iops_max", 1.0),
    (AwrFigure::Writes, "write_iops", "write_iops_max", 1.0),
    (AwrFigure::ReadMib, "read_mb_s", "read_mb_s_max", 1.0),
    (AwrFigure::WriteMib, "write_mb_s", "write_mb_s_max", 1.0),
    (AwrFigure::RedoMib, "redo_mb_s", "redo_mb_s_max", 1.0),
    (AwrFigure::ActiveSessions, "aas", "aas_max", 1.0),
    // CPUs that are busy: of the sessions of users, and of the whole host.
    (AwrFigure::CpuSessions, "cpu_per_s", "cpu_per_s_max", 1.0),
    (AwrFigure::HostBusyCpus, "h_cpu_per_s", "h_cpu_per_s_max", 1.0),
    (AwrFigure::SingleBlockReadUs, "s_blk_r_lat", "s_blk_r_lat_max", 1e3),
];

/// The text between the marks of a block, with the number of lines before it.
fn block<'t>(whole: &'t str, name: &str) -> Option<(&'t str, usize)> {
    let begin = format!("~~BEGIN-{name}~~");
    let at = whole.find(&begin)? + begin.len();
    let rest = &whole[at..];
    let end = rest.find("~~END-").unwrap_or(rest.len());
    Some((&rest[..end], whole[..at].matches('\n').count()))
}

/// Reads a report for each snapshot and instance.
pub(super) fn read(whole: &str) -> Result<Vec<AwrReport>, AwrError> {
    let mut notes = Notes::default();
    let mut about = blank(AwrKind::Miner);
    if let Some((os, _)) = block(whole, "OS-INFORMATION") {
        information(os, &mut about);
    }
    let memory =
        block(whole, "MEMORY").map(|(memory, skipped)| memory_of(memory, skipped)).unwrap_or_default();
    let (metrics, skipped) = block(whole, "MAIN-METRICS")
        .ok_or_else(|| AwrError::Incomplete { line: whole.lines().count(), what: "the main metrics" })?;
    let mut page = text::read(metrics);
    let mut reports = Vec::new();
    for section in &mut page.sections {
        for row in &mut section.rows {
            row.line += skipped;
        }
        let section = &*section;
        let Some(snapshot) = section.column(&["snap"]) else { continue };
        for row in &section.rows {
            if let Some(mut report) = of_row(section, row, snapshot, &about, &mut notes) {
                let whose = (report.interval.end_snapshot, report.instances[0].number);
                report.memory = memory.get(&whose).cloned().unwrap_or_default();
                reports.push(report);
            }
            if reports.len() > MOST_SNAPSHOTS {
                return Err(AwrError::TooLarge);
            }
        }
    }
    if !whole.contains("~~END-MAIN-METRICS~~") {
        notes.warn("the end", "the file ends within the main metrics: later snapshots are missing");
    }
    match reports.first_mut() {
        // What is wrong with the file is said once.
        Some(first) => first.warnings = notes.take(),
        None => return Err(AwrError::Incomplete { line: page.last_line + skipped, what: "a snapshot" }),
    }
    Ok(reports)
}

/// SGA and PGA of each snapshot and instance, which have GB in the file.
fn memory_of(text: &str, skipped: usize) -> HashMap<(Option<u64>, Option<u32>), Vec<Named>> {
    let mut found = HashMap::new();
    let mut page = text::read(text);
    for section in &mut page.sections {
        section.rows.iter_mut().for_each(|row| row.line += skipped);
        let (Some(snapshot), Some(instance)) =
            (section.column(&["SNAP_ID"]), section.column(&["INSTANCE_NUMBER"]))
        else {
            continue;
        };
        for row in section.rows.iter().take(MOST_SNAPSHOTS) {
            let mib = |text: &str| number::plain(text).map(|number| number.scaled(1024.0));
            let named = ["SGA", "PGA"].map(|name| Named {
                name: format!("{name} use"),
                value: section.quoted(row, section.column(&[name]), mib),
            });
            found.insert((row.cell(snapshot).parse().ok(), row.cell(instance).parse().ok()), named.to_vec());
        }
    }
    found
}

/// Two columns of words.
fn information(os: &str, about: &mut AwrReport) {
    for (at, line) in os.lines().enumerate() {
        let Some((name, value)) = line.trim().split_once(char::is_whitespace) else { continue };
        let value = value.trim();
        let quoted = |factor: f64| match number::plain(value) {
            Some(number) => {
                Quoted::printed(number.scaled(factor), format!("OS-INFORMATION › {name} (line {})", at + 1))
            }
            None => Quoted::default(),
        };
        match name {
            "NUM_CPUS" => about.host.cpus = quoted(1.0),
            "NUM_CPU_CORES" => about.host.cores = quoted(1.0),
            "NUM_CPU_SOCKETS" => about.host.sockets = quoted(1.0),
            "PHYSICAL_MEMORY_GB" => about.host.memory_gib = quoted(1.0),
            "VERSION" => about.database.release = Some(kept(value)),
            "DB_NAME" => about.database.name = kept(value),
            "DBID" => about.database.id = value.parse().ok(),
            "INSTANCES" => {
                about.running_instances = value.parse().ok();
                about.database.is_rac = about.running_instances.map(|count| count > 1);
            }
            _ => {}
        }
    }
}

fn of_row(
    section: &Section,
    row: &Row,
    snapshot: usize,
    about: &AwrReport,
    notes: &mut Notes,
) -> Option<AwrReport> {
    let snapshot: u64 = row.cell(snapshot).parse().ok()?;
    let minutes = section.quoted(row, section.column(&["dur_m"]), |text| {
        number::plain(text).map(|number| number.scaled(60.0))
    });
    let end_text = row.at(section.column(&["end"]));
    let end = moment(end_text);
    if end.is_none() {
        notes.warn_line(
            row.line,
            format!("`{}` is not a time that can be read", crate::text::quote(end_text)),
        );
    }
    let number: Option<u32> = row.at(section.column(&["inst"])).parse().ok();
    let before = |end: DateTime| {
        #[expect(clippy::cast_possible_truncation, reason = "whole minutes of an interval")]
        let seconds = minutes.value().filter(|seconds| (0.0..1e9).contains(seconds))? as i64;
        end.checked_sub(Span::new().seconds(seconds)).ok()
    };
    let interval = Interval {
        begin_snapshot: snapshot.checked_sub(1),
        end_snapshot: Some(snapshot),
        begin: end.and_then(before).map(|begin| begin.to_string()),
        end: end.map(|end| end.to_string()),
        db_time_s: Quoted::default(),
        has_restart: false,
        elapsed_s: minutes,
    };
    let mut report = AwrReport {
        interval,
        instances: vec![Instance {
            number,
            name: number.map_or_else(String::new, |number| format!("instance {number}")),
            ..Instance::default()
        }],
        ..about.clone()
    };
    for (figure, mean, peak, factor) in FIGURES {
        let read = |text: &str| number::plain(text).map(|number| number.scaled(factor));
        if let Some(column) = section.column(&[mean]) {
            let value = section.quoted(row, Some(column), read);
            // No read has no wait, and is printed as a wait of nothing.
            let is_wait = figure == AwrFigure::SingleBlockReadUs && value.value() == Some(0.0);
            if !is_wait {
                report.printed_figures.push((figure, value));
            }
        }
        if let Some(column) = section.column(&[peak]) {
            report.peaks.push((figure, section.quoted(row, Some(column), read)));
        }
    }
    if let Some(column) = section.column(&["os_cpu"]) {
        let value = section.quoted(row, Some(column), number::plain);
        report.host_statistics.push(Named { name: "os_cpu".to_owned(), value });
    }
    Some(report)
}
