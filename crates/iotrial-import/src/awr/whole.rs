//! Is all of the report there? One may end too early, go on behind a gap, or go on within another table.

use iotrial_model::awr::{AwrKind, AwrReport, AwrSection, Cut};

use super::number;
use super::page::{Page, Row, Section, plain_name};
use crate::text::quote;

/// Tables with the name of a counter or an event in front of numbers; all of these are sorted.
const TABLES: [&str; 11] = [
    "Instance Activity Stats",
    "Key Instance Activity Stats",
    "Other Instance Activity Stats",
    "System Statistics (Global)",
    "Global Activity Statistics",
    "Foreground Wait Events",
    "Background Wait Events",
    "Wait Events",
    "Time Model",
    "Operating System Statistics",
    "OS Statistics",
];

/// What only processes of the database wait for, and these in every report.
const OF_BACKGROUND: [&str; 3] = ["rdbms ipc message", "pmon timer", "smon timer"];

/// Counters that each database has as soon as it takes a snapshot, in the order of reports: in all 38 that were looked at, of 11.1 to 19c.
const COUNTERS: [&str; 16] = [
    "CPU used when call started",
    "buffer is not pinned count",
    "calls to get snapshot scn",
    "cluster key scans",
    "consistent gets from cache",
    "db block gets from cache",
    "enqueue releases",
    "free buffer requested",
    "index fetch by key",
    "messages sent",
    "no work - consistent read",
    "physical read total bytes",
    "recursive cpu usage",
    "sorts (rows)",
    "table fetch by rowid",
    "table scan rows gotten",
];
/// With fewer of them a list is a short one, as of an excerpt.
const FEW_COUNTERS: usize = 4;

/// Where it was cut off, or what is before its gap; `None` of a whole report.
pub(super) fn cut_of(page: &Page, report: &AwrReport) -> Option<Cut> {
    if !page.is_whole {
        let after = page.sections.last().map(|section| quote(section.name())).unwrap_or_default();
        return Some(Cut { line: page.last_line, after, is_gap: false });
    }
    let counters =
        COUNTERS.iter().filter(|name| report.activity.iter().any(|one| one.name.starts_with(**name)));
    let counters = counters.count();
    let lacks = |sections: &[AwrSection]| sections.iter().any(|section| report.lacks(*section));
    let is_full = counters >= FEW_COUNTERS;
    let is_missing = report.kind != AwrKind::Miner
        && (lacks(&OF_ALL) || is_full && (counters < COUNTERS.len() || lacks(of_full(report.kind))));
    // Nobody knows where: what was read ends there.
    is_missing.then(|| Cut {
        line: page.sections.iter().flat_map(|section| &section.rows).map(|row| row.line).max().unwrap_or(0),
        after: String::new(),
        is_gap: true,
    })
}

/// What every report has, and what figures need.
const OF_ALL: [AwrSection; 3] =
    [AwrSection::LoadProfile, AwrSection::ForegroundWaits, AwrSection::InstanceActivity];

/// What Oracle writes besides into every report of a kind, whatever the database does: an idle one has no data by tablespace in 12.2, and
/// a pluggable one neither background waits nor advisories.
fn of_full(kind: AwrKind) -> &'static [AwrSection] {
    const ALL: [AwrSection; 3] =
        [AwrSection::Parameters, AwrSection::BackgroundWaits, AwrSection::BufferPoolAdvisory];
    match kind {
        AwrKind::Instance | AwrKind::Statspack => &ALL,
        AwrKind::Cluster => &ALL[..2],
        AwrKind::Pluggable => &ALL[..1],
        AwrKind::Miner => &[],
    }
}

/// A table in which rows of another one go on, with the first line that shows it. The last row of a report that was cut off may be half
/// a row.
pub(super) fn joined_table(page: &Page) -> Option<(String, usize)> {
    let last = page.sections.iter().filter_map(|section| section.rows.last()).map(|row| row.line).max();
    page.called(&TABLES).find_map(|section| {
        let name = section.column(&["Statistic", "Statistic Name", "Event", "Wait Event"])?;
        let odd = section.first_odd.or_else(|| foreign(section, name)).or_else(|| unsorted(section, name))?;
        (page.is_whole || Some(odd) != last).then(|| (quote(section.name()), odd))
    })
}

/// A row whose name is none of those that such a table has.
fn foreign(section: &Section, name: usize) -> Option<usize> {
    let is_foreign: fn(&str) -> bool = if section.is_called(&["Foreground Wait Events"]) {
        |name| OF_BACKGROUND.contains(&name)
    } else if section.is_called(&["Operating System Statistics", "OS Statistics"]) {
        // `NUM_CPUS`
        |name| name.contains(|letter: char| letter.is_ascii_lowercase())
    } else {
        return None;
    };
    section.rows.iter().find(|row| is_foreign(row.cell(name))).map(|row| row.line)
}

/// Oracle sorts counters by name, and waits by their time: idle events, which come last, are the only ones with more time than those
/// before them.
fn unsorted(section: &Section, name: usize) -> Option<usize> {
    let time = section.column(&["Total Wait Time (s)", "Total Wait Time (sec)"]);
    if section.column(&["Total"]).is_some() && section.column(&["per Second"]).is_some() {
        // Numbers within names are sorted as numbers: `redo write size count ( 8KB)`.
        let is_plain = |row: &Row| !row.cell(name).is_empty() && !row.cell(name).contains('(');
        let mut plain = section.rows.iter().filter(|row| is_plain(row));
        let mut before = plain.next()?;
        return plain.find_map(|row| {
            // The sorting of a session may be that of a language, without regard to case and signs.
            let names = [before.cell(name), row.cell(name)];
            let is_behind = names[0] <= names[1] || plain_name(names[0]) <= plain_name(names[1]);
            before = row;
            (!is_behind).then_some(row.line)
        });
    }
    let times = section.rows.iter().filter_map(|row| Some((number::count(row.at(time))?.value, row.line)));
    let times: Vec<(f64, usize)> = times.collect();
    times.windows(2).filter(|pair| pair[0].0 < pair[1].0).nth(1).map(|pair| pair[1].1)
}
