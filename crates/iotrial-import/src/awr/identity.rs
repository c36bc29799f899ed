//! Which database, which instances, on what, and between which snapshots.

use iotrial_model::awr::{AwrKind, AwrReport, Instance, Quoted};
use iotrial_model::imported::Stated;
use jiff::civil::DateTime;

use super::number;
use super::page::{Page, Row, Section, plain_name};
use super::time::moment;
use crate::text::{Notes, kept, quote};

/// Reads the header, and the kind that its words have not told yet.
pub(super) fn read(page: &Page, report: &mut AwrReport, notes: &mut Notes) {
    for section in &page.sections {
        if let Some(row) = section.rows.first() {
            database(section, row, report);
            container(section, row, report);
            host(section, row, report);
        }
    }
    match report.kind {
        AwrKind::Cluster => cluster(page, report, notes),
        _ => snapshots(page, report, notes),
    }
    let begin = report.interval.begin.as_deref().and_then(|begin| begin.parse::<DateTime>().ok());
    let starts = report.instances.iter().filter_map(|one| one.startup.as_deref()?.parse::<DateTime>().ok());
    // A startup has no seconds.
    report.interval.has_restart = begin.is_some_and(|begin| starts.clone().any(|start| start > begin));
}

fn text(row: &Row, column: Option<usize>) -> Option<String> {
    let text = kept(row.at(column));
    (!text.is_empty()).then_some(text)
}

fn database(section: &Section, row: &Row, report: &mut AwrReport) {
    let name = section.column(&["DB Name", "Database Name", "Database"]);
    let id = section.column(&["DB Id", "Database Id"]);
    let database = &mut report.database;
    if name.is_some() && id.is_some() && database.id.is_none() && database.name.is_empty() {
        database.name = text(row, name).unwrap_or_default();
        database.id = row.at(id).parse().ok();
        database.unique_name = text(row, section.column(&["Unique Name", "Database Unique Name"]));
        database.role = text(row, section.column(&["Role", "Database Role"]));
        database.edition = text(row, section.column(&["Edition", "Database Edition"]));
        database.release = text(row, section.column(&["Release"]));
        let is_rac = row.at(section.column(&["RAC", "Database RAC"])).to_ascii_uppercase();
        database.is_rac = match is_rac.as_str() {
            "YES" => Some(true),
            "NO" => Some(false),
            _ => None,
        };
    }
    // From 12.2 on the instance has a table of its own.
    let instance = section.column(&["Instance"]);
    let number = section.column(&["Inst num"]);
    if report.kind != AwrKind::Cluster
        && report.instances.is_empty()
        && instance.is_some()
        && number.is_some()
    {
        report.instances.push(Instance {
            number: row.at(number).parse().ok(),
            name: text(row, instance).unwrap_or_default(),
            host: text(row, section.column(&["Host"])),
            platform: None,
            startup: startup(row.at(section.column(&["Startup Time"]))),
        });
    }
}

fn startup(text: &str) -> Option<String> {
    moment(text).map(|moment| moment.to_string())
}

fn container(section: &Section, row: &Row, report: &mut AwrReport) {
    let name = section.column(&["Container Name"]);
    // The report of a whole database has the same table, and all that are plugged into it are its rows.
    let is_of_one = report.kind == AwrKind::Pluggable;
    if is_of_one && name.is_some() && report.database.container.is_none() {
        report.database.container = text(row, name);
    }
}

fn host(section: &Section, row: &Row, report: &mut AwrReport) {
    let cpus = section.column(&["CPUs"]);
    let memory = section.column(&["Memory (GB)", "Memory(GB)", "Memory (G)"]);
    if cpus.is_none() || memory.is_none() || report.host.cpus.is_there() {
        return;
    }
    report.host.cpus = section.quoted(row, cpus, number::plain);
    report.host.cores = section.quoted(row, section.column(&["Cores"]), number::plain);
    report.host.sockets = section.quoted(row, section.column(&["Sockets"]), number::plain);
    report.host.memory_gib = section.quoted(row, memory, number::plain);
    if let Some(instance) = report.instances.first_mut() {
        instance.host = instance.host.take().or_else(|| text(row, section.column(&["Host Name"])));
        instance.platform = text(row, section.column(&["Platform"]));
    }
}

/// The table of snapshots of a report about one instance.
fn snapshots(page: &Page, report: &mut AwrReport, notes: &mut Notes) {
    let has_both = |section: &&Section| {
        section.column(&["Snap Id"]).is_some() && section.column(&["Snap Time"]).is_some()
    };
    let Some(section) = page.sections.iter().find(has_both) else { return };
    let (id, time) = (section.column(&["Snap Id"]), section.column(&["Snap Time"]));
    let interval = &mut report.interval;
    for row in &section.rows {
        let label = plain_name(row.cell(0));
        let mut read_time = || {
            let text = row.at(time);
            let read = moment(text);
            if read.is_none() {
                notes.warn_line(row.line, format!("`{}` is not a time that can be read", quote(text)));
            }
            read.map(|moment| moment.to_string())
        };
        if label.starts_with("beginsnap") {
            (interval.begin_snapshot, interval.begin) = (row.at(id).parse().ok(), read_time());
            let running = row.at(section.column(&["Instances"])).parse().ok();
            report.running_instances = running;
        } else if label.starts_with("endsnap") {
            (interval.end_snapshot, interval.end) = (row.at(id).parse().ok(), read_time());
        } else if label.starts_with("elapsed") {
            interval.elapsed_s = minutes(section, row);
        } else if label.starts_with("dbtime") {
            interval.db_time_s = minutes(section, row);
        }
    }
}

/// `60.22 (mins)`, in whichever column it stands.
fn minutes(section: &Section, row: &Row) -> Quoted {
    let place = section.place(row, None);
    let words = row.cells.iter().skip(1).flat_map(|cell| cell.split_whitespace());
    match words.filter_map(number::plain).next() {
        Some(minutes) => Quoted::printed(minutes.scaled(60.0), place),
        None => Quoted::absent(place, "blank in the report"),
    }
}

/// A report about a cluster sums it up, and then has a row for each instance.
fn cluster(page: &Page, report: &mut AwrReport, notes: &mut Notes) {
    let in_minutes = |text: &str| number::plain(text).map(|number| number.scaled(60.0));
    let elapsed = ["Report Total (minutes) Elapsed time"];
    if let Some((section, row)) = first_with(page, &elapsed) {
        report.interval.elapsed_s = section.quoted(row, section.column(&elapsed), in_minutes);
        let db_time = section.column(&["Report Total (minutes) DB time"]);
        report.interval.db_time_s = section.quoted(row, db_time, in_minutes);
        report.interval.begin_snapshot = row.at(section.column(&["Snapshot Ids Begin"])).parse().ok();
        report.interval.end_snapshot = row.at(section.column(&["Snapshot Ids End"])).parse().ok();
        report.running_instances = row.at(section.column(&["Number of Instances Total"])).parse().ok();
    }
    if let Some((section, _)) = first_with(page, &["Begin Snap Time"])
        && let (Some(number), Some(name)) = (section.column(&["I#"]), section.column(&["Instance"]))
    {
        for row in section.rows.iter().filter(|row| row.cell(number).parse::<u32>().is_ok()) {
            report.instances.push(Instance {
                number: row.cell(number).parse().ok(),
                name: kept(row.cell(name)),
                host: text(row, section.column(&["Host"])),
                platform: text(row, section.column(&["Platform"])),
                startup: startup(row.at(section.column(&["Startup"]))),
            });
            let mut time = |column: &str| {
                let text = row.at(section.column(&[column]));
                let read = moment(text);
                if read.is_none() {
                    notes.warn_line(row.line, format!("`{}` is not a time that can be read", quote(text)));
                }
                read.map(|moment| moment.to_string())
            };
            let (begin, end) = (time("Begin Snap Time"), time("End Snap Time"));
            let interval = &mut report.interval;
            // The cluster is measured from the first to the last.
            interval.begin = [interval.begin.take(), begin].into_iter().flatten().min();
            interval.end = [interval.end.take(), end].into_iter().flatten().max();
            if report.database.release.is_none() {
                report.database.release = text(row, section.column(&["Release"]));
            }
        }
    }
    if let Some((section, _)) = first_with(page, &["#CPUs"]) {
        let mib = |text: &str| number::plain(text).map(|number| number.scaled(1.0 / 1024.0));
        let sum = |columns: &[&str], read: fn(&str) -> Option<Stated>| sum_of(section, columns, read);
        report.host.cpus = sum(&["CPU #CPUs", "#CPUs"], number::plain);
        report.host.cores = sum(&["#Cores"], number::plain);
        report.host.sockets = sum(&["#Sckts"], number::plain);
        report.host.memory_gib = sum(&["Memory MB", "MB"], mib);
    }
}

fn first_with<'p>(page: &'p Page, columns: &[&str]) -> Option<(&'p Section, &'p Row)> {
    let found = page.sections.iter().find(|section| section.column(columns).is_some())?;
    Some((found, found.rows.first()?))
}

/// The sum over the rows of instances.
fn sum_of(section: &Section, columns: &[&str], read: fn(&str) -> Option<Stated>) -> Quoted {
    let column = section.column(columns);
    let instances = section.rows.iter().filter(|row| row.cell(0).parse::<u32>().is_ok());
    let mut values = instances.map(|row| section.quoted(row, column, read));
    let Some(first) = values.next() else { return Quoted::default() };
    values.fold(first, |sum, one| match (sum.number, one.number) {
        (Some(a), Some(b)) => Quoted::derived(a + b, sum.place, "the sum over the instances"),
        (None, _) => sum,
        (_, None) => one,
    })
}
