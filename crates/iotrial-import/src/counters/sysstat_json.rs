//! The JSON of sysstat: `iostat -o JSON`, and `sadf -j` with the totals of `-b` and the disks of `-d`.

use iotrial_model::counters::{ALL_DISKS, Counter, CounterSeries, Times};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::iostat::{self, without_the_first_ones};
use super::reports::{Reports, drop_latencies_of_nothing};
use super::sar::{self, BLOCK_BYTES, times_of_day};
use super::{CountersError, dated, usual_step};
use crate::text::quote;

#[derive(Deserialize)]
struct File {
    sysstat: Sysstat,
}

#[derive(Deserialize)]
struct Sysstat {
    hosts: Vec<Host>,
}

#[derive(Deserialize)]
struct Host {
    nodename: Option<String>,
    #[serde(default)]
    statistics: Vec<Statistics>,
}

#[derive(Deserialize)]
struct Statistics {
    /// A text of iostat, a table of sadf.
    timestamp: Option<Value>,
    disk: Option<Vec<Map<String, Value>>>,
    io: Option<Io>,
}

#[derive(Deserialize)]
struct Io {
    #[serde(rename = "io-reads")]
    reads: IoReads,
    #[serde(rename = "io-writes")]
    writes: IoWrites,
}

#[derive(Deserialize)]
struct IoReads {
    rtps: f64,
    bread: f64,
}

#[derive(Deserialize)]
struct IoWrites {
    wtps: f64,
    bwrtn: f64,
}

/// Names that only JSON has; the others are those of the text. Sectors are there beside kB, in kernel's sectors.
fn column(name: &str) -> Option<(Counter, f64)> {
    match name {
        "util-percent" => Some((Counter::Busy, 0.01)),
        _ => iostat::column(name),
    }
}

/// What is counted of a disk. A counter that went back is negative, and is not noted.
fn values(disk: &Map<String, Value>) -> Vec<(Counter, f64)> {
    let of = |(name, value): (&String, &Value)| {
        let (counter, factor) = column(name)?;
        Some((counter, value.as_f64()? * factor))
    };
    let mut values: Vec<(Counter, f64)> = disk.iter().filter_map(of).collect();
    drop_latencies_of_nothing(&mut values);
    // Old versions of sadf have sectors alone.
    for (name, counter) in [("rd_sec", Counter::ReadBytes), ("wr_sec", Counter::WriteBytes)] {
        if !values.iter().any(|(one, _)| *one == counter)
            && let Some(sectors) = disk.get(name).and_then(Value::as_f64)
        {
            values.push((counter, sectors * BLOCK_BYTES));
        }
    }
    values
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    // A recording that was begun again and appended is another document of the same machine.
    let files: Result<Vec<File>, _> = serde_json::Deserializer::from_str(text).into_iter().collect();
    let files = files.map_err(|error| CountersError::Broken {
        place: format!("line {}", error.line()),
        message: if error.is_eof() {
            "it ends before its JSON is complete".to_owned()
        } else {
            error.to_string()
        },
    })?;
    let hosts: Vec<&Host> = files.iter().flat_map(|file| &file.sysstat.hosts).collect();
    let mut names: Vec<&Option<String>> = hosts.iter().map(|host| &host.nodename).collect();
    names.dedup();
    // `sadf` of several files would need to be told apart by machine; adding them up would be a demand that
    // no machine has.
    let ([name], true) = (names.as_slice(), hosts.len() == files.len()) else {
        let message = format!("it covers {} machines, but counters must come from one", hosts.len());
        return Err(CountersError::Broken { place: "hosts".to_owned(), message });
    };
    let mut reports = Reports::default();
    let (mut dated, mut of_day, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    let statistics = || hosts.iter().flat_map(|host| &host.statistics);
    for host in &hosts {
        reports.begin_recording();
        for one in &host.statistics {
            // Other tables, such as that of the CPUs, are of the same interval, and say nothing of disks.
            if one.disk.is_none() && one.io.is_none() {
                continue;
            }
            reports.begin()?;
            if let Some(io) = &one.io {
                let values = [
                    (Counter::ReadIops, io.reads.rtps),
                    (Counter::WriteIops, io.writes.wtps),
                    (Counter::ReadBytes, io.reads.bread * BLOCK_BYTES),
                    (Counter::WriteBytes, io.writes.bwrtn * BLOCK_BYTES),
                ];
                reports.add(ALL_DISKS, values)?;
            }
            for disk in one.disk.iter().flatten() {
                // `disk_device` from iostat, `disk-device` from sadf.
                let name =
                    disk.get("disk_device").or_else(|| disk.get("disk-device")).and_then(Value::as_str);
                reports.add(name.unwrap_or("?"), values(disk))?;
            }
            let Some(timestamp) = &one.timestamp else { continue };
            dated.extend(date_of(timestamp));
            of_day.extend(timestamp.as_str().and_then(seconds));
            lengths
                .extend(timestamp.get("interval").and_then(Value::as_f64).filter(|seconds| *seconds > 0.0));
        }
    }
    if reports.is_empty() {
        return Err(sar::LACKING);
    }
    let is_sar = statistics().any(|one| one.timestamp.as_ref().is_some_and(Value::is_object));
    let steps = (usual_step(&dated), usual_step(&of_day));
    let note =
        if is_sar { None } else { Some(without_the_first_ones(&mut reports, [&mut dated, &mut of_day])) };
    let count = reports.count();
    let mut series = reports.series(if is_sar { sar::TOOL } else { iostat::TOOL });
    if !series.disks.iter().any(|disk| Counter::ALL.iter().any(|counter| disk.has(*counter))) {
        return Err(if is_sar { sar::LACKING } else { iostat::LACKING });
    }
    series.host = name.as_deref().map(quote);
    // The median: one gap in the recording would move a mean.
    lengths.sort_by(f64::total_cmp);
    series.interval_s = lengths.get(lengths.len() / 2).copied().or(steps.0).or(steps.1);
    if dated.len() == count {
        series.times = Times::OfCalendar(dated);
    } else if of_day.len() == count {
        series.times = times_of_day(of_day);
    }
    series.notes.extend(note);
    Ok(series)
}

/// Seconds since 1970 of sadf's `{"date": "2019-04-18", "time": "13:20:19"}`, or iostat's `2020-06-01T10:20:30+0200`.
fn date_of(timestamp: &Value) -> Option<f64> {
    let text = |key: &str| timestamp.get(key).and_then(Value::as_str);
    let at = match (text("date"), text("time")) {
        (Some(date), Some(time)) => format!("{date}T{time}"),
        _ => timestamp.as_str()?.get(..19)?.to_owned(),
    };
    dated(&at)
}

/// The time of day in `06/01/20 10:20:30` or `2020-06-01T10:20:30+0200`.
fn seconds(text: &str) -> Option<f64> {
    // The last colon is the one before the seconds, whatever the format of the date; a zone is written
    // without one.
    let at = text.rfind(':')?.checked_sub(5)?;
    sar::time_of_day(text.get(at..at + 8)?)
}
