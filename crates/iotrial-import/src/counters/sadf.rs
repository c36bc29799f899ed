//! What `sadf` writes for databases: `-d` has a row for each disk and moment, its cells parted by semicolons, `-p` a row for each value,
//! parted by tabs. Columns have the names of `sar`.

use std::collections::HashMap;

use iotrial_model::counters::{ALL_DISKS, Counter, CounterSeries, Times};

use super::reports::{Reports, drop_latencies_of_nothing};
use super::sar::{self, column};
use super::{CountersError, dated, rate, usual_step};
use crate::text::{numbered, quote};

/// Begins the header of `-d`.
const HEADER: &str = "# hostname;interval;timestamp";

/// Whether the first line is one of `-d` or of `-p`.
pub(super) fn is_sadf(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with(HEADER) || value_of(first).is_some()
}

/// A value of one moment: when, how long its interval was, of which disk, and what it is.
struct CountedValue<'l> {
    host: &'l str,
    interval_s: f64,
    at_s: f64,
    disk: &'l str,
    name: &'l str,
    text: &'l str,
}

/// Host, interval and moment, which begin each row.
fn moment_of<'l>(cells: &[&'l str]) -> Option<(&'l str, f64, f64)> {
    let [host, interval, at, ..] = cells else { return None };
    // `2026-11-25 22:54:31 UTC`, or with -U seconds since 1970.
    let seconds = || at.trim().parse::<f64>().ok().filter(|seconds| *seconds > 1e8);
    let at = at
        .split_once(' ')
        .and_then(|(date, time)| dated(&format!("{date}T{}", time.get(..8)?)))
        .or_else(seconds)?;
    // -1 stands for the restart of the machine.
    Some((*host, interval.trim().parse().ok().filter(|seconds| *seconds > 0.0)?, at))
}

/// A row of `-p`; `-` stands for all disks.
fn value_of(line: &str) -> Option<CountedValue<'_>> {
    let cells: Vec<&str> = line.split('\t').collect();
    let (host, interval_s, at_s) = moment_of(&cells)?;
    let [disk, name, text] = cells[3..] else { return None };
    Some(CountedValue {
        host,
        interval_s,
        at_s,
        disk: if disk == "-" { ALL_DISKS } else { disk },
        name,
        text,
    })
}

/// The rows of one disk and moment in the end.
#[derive(Default)]
struct Rows {
    reports: Reports,
    places: HashMap<u64, usize>,
    times: Vec<f64>,
}

impl Rows {
    fn add(&mut self, at_s: f64, disk: &str, values: &mut Vec<(Counter, f64)>) -> Result<(), CountersError> {
        drop_latencies_of_nothing(values);
        if values.is_empty() {
            return Ok(());
        }
        // Tables come one after the other, each with all moments.
        let interval = match self.places.get(&at_s.to_bits()) {
            Some(place) => *place,
            None => {
                self.reports.begin()?;
                self.times.push(at_s);
                self.places.insert(at_s.to_bits(), self.times.len() - 1);
                self.times.len() - 1
            }
        };
        self.reports.add_at(interval, disk, values.drain(..))
    }
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    let mut rows = Rows::default();
    let mut columns: Vec<&str> = Vec::new();
    let (mut host, mut interval_s) = (None, None);
    // Of `-p`: the disk and the moment whose values these are.
    let mut of: Option<(f64, &str)> = None;
    let mut values: Vec<(Counter, f64)> = Vec::new();
    let unread = |number: usize, line: &str| CountersError::Broken {
        place: format!("line {number}"),
        message: format!("`{}` is not a row of sadf", quote(line)),
    };
    for (number, line) in numbered(text) {
        if line.starts_with('#') {
            columns = line.trim_start_matches(['#', ' ']).split(';').collect();
        } else if !columns.is_empty() {
            let cells: Vec<&str> = line.split(';').collect();
            let is_restart = line.contains("LINUX-RESTART") || line.contains(";COMMENT;");
            if line.trim().is_empty() || is_restart {
                continue;
            }
            let moment = moment_of(&cells).filter(|_| cells.len() == columns.len());
            let (of_host, of_interval_s, at_s) = moment.ok_or_else(|| unread(number, line))?;
            (host, interval_s) = (host.or(Some(of_host)), interval_s.or(Some(of_interval_s)));
            let mut disk = ALL_DISKS;
            for (name, text) in columns.iter().zip(&cells).skip(3) {
                match *name {
                    "DEV" => disk = text,
                    name => values.extend(counted(name, text, disk)),
                }
            }
            rows.add(at_s, disk, &mut values)?;
        } else if let Some(value) = value_of(line) {
            (host, interval_s) = (host.or(Some(value.host)), interval_s.or(Some(value.interval_s)));
            if let Some((at_s, disk)) = of.filter(|of| *of != (value.at_s, value.disk)) {
                rows.add(at_s, disk, &mut values)?;
            }
            of = Some((value.at_s, value.disk));
            values.extend(counted(value.name, value.text, value.disk));
        }
    }
    if let Some((at_s, disk)) = of {
        rows.add(at_s, disk, &mut values)?;
    }
    if rows.reports.is_empty() {
        return Err(sar::LACKING);
    }
    let mut series = rows.reports.series(sar::TOOL);
    series.host = host.map(quote);
    series.interval_s = usual_step(&rows.times).or(interval_s);
    series.times = Times::OfCalendar(rows.times);
    Ok(series)
}

/// What a column counts; of all disks `tps` has discards in it, and is not the sum of reads and writes.
fn counted(name: &str, text: &str, disk: &str) -> Option<(Counter, f64)> {
    let (counter, factor) = column(name).filter(|_| !(name == "tps" && disk == ALL_DISKS))?;
    Some((counter, rate(text)? * factor))
}
