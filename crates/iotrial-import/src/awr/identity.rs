//! Which database, which instances, on what, and between which snapshots.

use iotrial_model::awr::{AwrKind, AwrReport, Instance, Quoted};
use iotrial_model::imported::Stated;
use jiff::civil::DateTime;

use super::number;
use super::page::{Page, Row, Section, plain_name};
use super::time::moment;
use crate::text::{Notes, kept, quote};

/// Of the parameters that are not at their default: what the CPUs of an instance are capped at.
const CPU_COUNT: &str = "cpu_count";

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
    // Whoever blanked a name with an editor may have left a piece of a tag.
    (!text.is_empty() && !text.starts_with("/td>")).then_some(text)
}

/// The names in the title of a page, where the header does not have them: `AWR Report for DB: SHOP, Inst: shop1, Snaps: 41-42`.
pub(super) fn names_of_title(page: &str, report: &mut AwrReport) {
    let Some((_, title)) = page.split_once("<title>") else { return };
    let title = title.split_once('<').map_or("", |(title, _)| title);
    let name = |label: &str| {
        let (_, rest) = title.split_once(label)?;
        let name = kept(rest.split(',').next().unwrap_or_default().trim());
        (!name.is_empty()).then_some(name)
    };
    if report.database.name.is_empty() {
        report.database.name = name(" DB:").unwrap_or_default();
    }
    if let Some(instance) = report.instances.first_mut().filter(|one| one.name.is_empty()) {
        instance.name = name(" Inst:").unwrap_or_default();
    }
}

/// The machine from the other places that have it, each figure from the first one that does: `Host CPU` as a table or, in text, as a
/// heading with numbers; Operating System Statistics. The rest of the report is read by then.
pub(super) fn host_elsewhere(page: &Page, report: &mut AwrReport) {
    cpu_limit(page, report);
    if report.kind == AwrKind::Cluster {
        return;
    }
    let mut places = Vec::new();
    for section in page.called(&["Host CPU"]) {
        if let Some(row) = section.rows.first() {
            let of = |name| section.quoted(row, section.column(&[name]), number::plain);
            places.push([of("CPUs"), of("Cores"), of("Sockets"), Quoted::default()]);
        }
        for title in section.titles.iter().chain([&section.heading]) {
            let of = |name| in_heading(title, name);
            places.push([of("CPUs:"), of("Cores:"), of("Sockets:"), Quoted::default()]);
        }
    }
    let of = |name| AwrReport::named(&report.host_statistics, name).cloned().unwrap_or_default();
    places.push([
        of("NUM_CPUS"),
        of("NUM_CPU_CORES"),
        of("NUM_CPU_SOCKETS"),
        of("PHYSICAL_MEMORY_BYTES").scaled(1.0 / f64::from(1 << 30)),
    ]);
    let host = &mut report.host;
    let all = [&mut host.cpus, &mut host.cores, &mut host.sockets, &mut host.memory_gib];
    for (at, value) in all.into_iter().enumerate() {
        // No machine has none of them: that is what a blanked header or a hypervisor prints.
        let is_known = |one: &Quoted| one.value().is_some_and(|number| number > 0.0);
        if !is_known(value)
            && let Some(found) = places.iter().map(|place| &place[at]).find(|one| is_known(one))
        {
            *value = found.clone();
        }
    }
}

/// A number of a heading such as `Host CPU (CPUs:    8 Cores:    8 Sockets:    2)`.
fn in_heading(heading: &str, label: &str) -> Quoted {
    let rest = heading.split_once(label).map_or("", |(_, rest)| rest).trim_start();
    let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default();
    number::plain(digits).map_or_else(Quoted::default, |number| Quoted::printed(number, quote(heading)))
}

/// What the CPUs of a database are limited to: a pluggable database prints it, others have a parameter.
fn cpu_limit(page: &Page, report: &mut AwrReport) {
    for section in page.called(&["Database Resource Limits"]) {
        let end = section.column(&["End"]);
        let mut rows = section.rows.iter();
        if let Some(row) = rows.find(|row| plain_name(row.cell(0)) == "cpus") {
            report.host.cpu_limit = section.quoted(row, end, number::plain);
        }
    }
    let set = report.parameter(CPU_COUNT).and_then(number::plain);
    if let Some(set) = set.filter(|set| set.value > 0.0 && !report.host.cpu_limit.is_there()) {
        report.host.cpu_limit = Quoted::printed(set, format!("init.ora Parameters › {CPU_COUNT}"));
    }
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
    let words = row.cells().skip(1).flat_map(|cell| cell.split_whitespace());
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
