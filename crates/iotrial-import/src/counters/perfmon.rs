//! PerfMon's counters as CSV, as `typeperf`, `logman` and `relog` write them.

use iotrial_model::counters::{CounterSeries, DiskCounters, DiskRates};
use jiff::civil::DateTime;

use super::{CountersError, MOST_RATES, rate, usual_step};
use crate::text::quote;

const TOOL: &str = "PerfMon";
const LACKING: CountersError = CountersError::Lacking {
    tool: "a log of PerfMon",
    missing: "Disk Reads/sec, Disk Writes/sec, Disk Read Bytes/sec and Disk Write Bytes/sec of PhysicalDisk or LogicalDisk, in English",
    hint: "record `\\PhysicalDisk(*)\\*`, such as with `logman create counter io -c \"\\PhysicalDisk(*)\\*\" -si 15 -f csv -o io`; `relog io.blg -f CSV -o io.csv` makes CSV of a log",
};
/// The four that a demand needs, in the order of [`DiskRates`].
const COUNTERS: [&str; 4] =
    // Compared without regard to case, as Windows does.
    ["disk reads/sec", "disk writes/sec", "disk read bytes/sec", "disk write bytes/sec"];

/// One column: whose disk, and which of the counters.
struct Column {
    host: String,
    is_physical: bool,
    instance: String,
    counter: usize,
}

impl Column {
    /// Of `\\HOST\PhysicalDisk(0 C:)\Disk Reads/sec`.
    fn of(path: &str) -> Option<Self> {
        let (rest, counter) = path.trim().rsplit_once('\\')?;
        let counter = COUNTERS.iter().position(|name| counter.eq_ignore_ascii_case(name))?;
        // With or without the machine: `\\HOST\PhysicalDisk(0 C:)` or `\PhysicalDisk(0 C:)`.
        let (host, object) = rest.rsplit_once('\\').unwrap_or(("", rest));
        let (object, instance) = object.split_once('(')?;
        let is_physical = object.eq_ignore_ascii_case("PhysicalDisk");
        (is_physical || object.eq_ignore_ascii_case("LogicalDisk")).then(|| Self {
            host: host.trim_matches('\\').to_owned(),
            is_physical,
            instance: instance.strip_suffix(')').unwrap_or(instance).to_owned(),
            counter,
        })
    }
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    // `-f tsv` of relog.
    let is_by_tab = text.lines().next().is_some_and(|line| line.contains('\t'));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(if is_by_tab { b'\t' } else { b',' })
        .flexible(true)
        .has_headers(true)
        .from_reader(text.as_bytes());
    let broken = |error: &csv::Error| CountersError::Broken {
        place: error.position().map_or_else(|| "the header".to_owned(), |at| format!("line {}", at.line())),
        message: quote(&error.to_string()),
    };
    let header = reader.headers().map_err(|error| broken(&error))?;
    let columns: Vec<(usize, Column)> =
        header.iter().enumerate().filter_map(|(index, path)| Some((index, Column::of(path)?))).collect();
    // Disks as the system sees them go before the drives on them, which would count everything twice.
    let is_physical = columns.iter().any(|(_, column)| column.is_physical);
    let columns: Vec<(usize, Column)> =
        columns.into_iter().filter(|(_, column)| column.is_physical == is_physical).collect();
    let mut disks: Vec<(&Column, [Option<usize>; 4])> = Vec::new();
    for (index, column) in &columns {
        let same = |(one, _): &&mut (&Column, _)| one.host == column.host && one.instance == column.instance;
        match disks.iter_mut().find(same) {
            Some((_, at)) => at[column.counter] = Some(*index),
            None => {
                let mut at = [None; 4];
                at[column.counter] = Some(*index);
                disks.push((column, at));
            }
        }
    }
    // A disk without all four cannot make a demand, and half of one would look like an idle disk.
    disks.retain(|(_, at)| at.iter().all(Option::is_some));
    if disks.is_empty() {
        return Err(LACKING);
    }
    let hosts: Vec<&str> = {
        let mut hosts: Vec<&str> = disks.iter().map(|(column, _)| column.host.as_str()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts
    };
    let named = |column: &Column| match hosts.len() {
        1 => column.instance.clone(),
        // Two machines may both have a disk `0 C:`.
        _ => format!("{}\\{}", column.host, column.instance),
    };
    let mut series: Vec<DiskCounters> = disks
        .iter()
        .map(|(column, _)| DiskCounters { name: quote(&named(column)), rates: Vec::new() })
        .collect();
    let mut times = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| broken(&error))?;
        // Before the row is added, so that the limit also bounds memory.
        if series.len() * (times.len() + 1) > MOST_RATES {
            return Err(CountersError::TooMany);
        }
        // Below the counters `typeperf` says how it ended.
        let Some(time) = record.get(0).and_then(seconds) else { continue };
        times.push(time);
        let at = |index: Option<usize>| rate(record.get(index?)?);
        for ((_, indices), disk) in disks.iter().zip(&mut series) {
            // Empty cells are intervals in which the counter was not there; the disk then has no rates in
            // that interval.
            disk.rates.push((|| {
                Some(DiskRates {
                    read_iops: at(indices[0])?,
                    write_iops: at(indices[1])?,
                    read_bytes_per_s: at(indices[2])?,
                    write_bytes_per_s: at(indices[3])?,
                })
            })());
        }
    }
    let mut notes = Vec::new();
    if hosts.len() > 1 {
        notes.push(format!(
            "{} machines are in it, and count together: {}",
            hosts.len(),
            quote(&hosts.join(", "))
        ));
    }
    let host = (hosts.len() == 1 && !hosts[0].is_empty()).then(|| quote(hosts[0]));
    Ok(CounterSeries { tool: TOOL, host, interval_s: usual_step(&times), disks: series, notes })
}

/// Of `09/19/2017 09:51:39.073`, which PerfMon writes in every language; seconds since some day.
fn seconds(text: &str) -> Option<f64> {
    let at = DateTime::strptime("%m/%d/%Y %H:%M:%S%.f", text.trim()).ok()?;
    Some(at.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_secs_f64())
}
