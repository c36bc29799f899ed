//! The JSON of sysstat: `iostat -x -o JSON`, and `sadf -j` with the totals of `-b`.

use iotrial_model::counters::{ALL_DISKS, CounterSeries, DiskRates};
use serde::Deserialize;
use serde_json::Value;

use super::iostat::{LACKING, Reports};
use super::sar::{self, Totals};
use super::{CountersError, usual_step};

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
    disk: Option<Vec<Disk>>,
    io: Option<Io>,
}

#[derive(Deserialize)]
struct Disk {
    // `disk_device` from iostat, `disk-device` from sadf.
    #[serde(alias = "disk-device")]
    disk_device: Option<String>,
    #[serde(rename = "r/s")]
    reads: Option<f64>,
    #[serde(rename = "w/s")]
    writes: Option<f64>,
    #[serde(rename = "rkB/s")]
    read_kb: Option<f64>,
    #[serde(rename = "wkB/s")]
    written_kb: Option<f64>,
    #[serde(rename = "rMB/s")]
    read_mb: Option<f64>,
    #[serde(rename = "wMB/s")]
    written_mb: Option<f64>,
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

impl Disk {
    fn rates(&self) -> Option<DiskRates> {
        let bytes = |kb: Option<f64>, mb: Option<f64>| {
            // The unit depends on -k and -m, as in the text.
            kb.map(|kb| kb * 1024.0).or_else(|| mb.map(|mb| mb * 1_048_576.0)).filter(|bytes| *bytes >= 0.0)
        };
        Some(DiskRates {
            read_iops: self.reads.filter(|rate| *rate >= 0.0)?,
            write_iops: self.writes.filter(|rate| *rate >= 0.0)?,
            read_bytes_per_s: bytes(self.read_kb, self.read_mb)?,
            write_bytes_per_s: bytes(self.written_kb, self.written_mb)?,
        })
    }
}

pub(super) fn read(text: &str) -> Result<CounterSeries, CountersError> {
    let file: File = serde_json::from_str(text).map_err(|error| CountersError::Broken {
        place: format!("line {}", error.line()),
        message: if error.is_eof() { "it ends before its JSON does".to_owned() } else { error.to_string() },
    })?;
    // `sadf` of several files would need to be told apart by machine; adding them up would be a demand that
    // no machine has.
    let [host] = file.sysstat.hosts.as_slice() else {
        let message = format!("{} machines are in it, and a demand is of one", file.sysstat.hosts.len());
        return Err(CountersError::Broken { place: "hosts".to_owned(), message });
    };
    // sadf puts both kinds of table into one document, and the totals are the ones with reads and writes
    // apart.
    let is_sar = host.statistics.iter().any(|one| one.io.is_some());
    if is_sar { totals(host) } else { disks(host) }
}

/// Of `sadf -j`: reads and writes apart are there of all disks together only.
fn totals(host: &Host) -> Result<CounterSeries, CountersError> {
    let mut totals = Totals::default();
    for one in &host.statistics {
        let Some(io) = &one.io else { continue };
        let interval = one.timestamp.as_ref().and_then(|at| at.get("interval")).and_then(Value::as_f64);
        totals.add(
            interval,
            DiskRates {
                // A counter that goes back gives a negative rate for one interval.
                read_iops: io.reads.rtps.max(0.0),
                write_iops: io.writes.wtps.max(0.0),
                read_bytes_per_s: io.reads.bread.max(0.0) * sar::BLOCK_BYTES,
                write_bytes_per_s: io.writes.bwrtn.max(0.0) * sar::BLOCK_BYTES,
            },
        )?;
    }
    Ok(totals.series(host.nodename.clone(), ALL_DISKS))
}

fn disks(host: &Host) -> Result<CounterSeries, CountersError> {
    let mut reports = Reports::default();
    let mut times = Vec::new();
    for one in &host.statistics {
        let Some(disks) = &one.disk else { continue };
        reports.begin();
        for disk in disks {
            // The message has to name the option that is missing, and it is another one for each of the two
            // programs.
            let rates = disk.rates().ok_or(if disk.disk_device.is_some() && disk.reads.is_some() {
                LACKING
            } else {
                lacking(one)
            })?;
            reports.add(disk.disk_device.as_deref().unwrap_or("?"), rates)?;
        }
        times.extend(one.timestamp.as_ref().and_then(Value::as_str).and_then(seconds));
    }
    if reports.is_empty() {
        return Err(sar::LACKING);
    }
    reports.series(host.nodename.clone(), usual_step(&times))
}

/// What is lacking where there are disks without reads and writes apart: iostat without -x, or sadf without
/// -b.
fn lacking(one: &Statistics) -> CountersError {
    if one.timestamp.as_ref().is_some_and(Value::is_object) { sar::LACKING } else { LACKING }
}

/// The time of day in `06/01/20 10:20:30` or `2020-06-01T10:20:30+0200`.
fn seconds(text: &str) -> Option<f64> {
    // The last colon is the one before the seconds, whatever the format of the date; a zone is written
    // without one.
    let at = text.rfind(':')?.checked_sub(5)?;
    sar::time_of_day(text.get(at..at + 8)?)
}
