//! vdbench's flat file: columns by the names in its header, a row for each interval, and an average row for
//! each run.

use iotrial_model::imported::{
    CpuBasis, ImportedJob, Stated, StatedCpu, StatedLatency, StatedLoad, StatedOps, StatedStream,
};
use iotrial_model::load::Pattern;
use iotrial_model::units::ByteSize;

use crate::text::{Notes, as_count, number, numbered, quote};
use crate::{ImportError, Reading};

/// Most columns that are read of a line.
const MOST_COLUMNS: usize = 256;

/// Whether a line names the columns.
pub(crate) fn is_header(line: &str) -> bool {
    // The twelve first names are enough, and bound what a hostile line costs.
    let names: Vec<&str> = line.split_whitespace().take(12).collect();
    ["interval", "reqrate", "rate", "MB/sec"].iter().all(|name| names.iter().any(|known| known == name))
}

/// A row with its header.
struct Row<'r> {
    line: usize,
    columns: &'r [&'r str],
    cells: Vec<&'r str>,
}

impl<'r> Row<'r> {
    fn cell(&self, name: &str) -> Option<&'r str> {
        let index = self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))?;
        self.cells.get(index).copied()
    }

    fn stated(&self, name: &str, notes: &mut Notes) -> Option<Stated> {
        // `max` and `curve` are rates that were asked for, without a number.
        let cell = self.cell(name).filter(|cell| !matches!(*cell, "n/a" | "max" | "curve"))?;
        number(cell, || format!("line {}, `{name}`", self.line), notes)
    }
}

/// Reads all runs.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let mut columns: Vec<&str> = Vec::new();
    let mut has_intervals = false;
    for (line, text) in numbered(text) {
        if text.trim().is_empty() || text.starts_with('*') {
            continue;
        }
        if is_header(text) {
            columns = text.split_whitespace().take(MOST_COLUMNS).collect();
            continue;
        }
        let row =
            Row { line, columns: &columns, cells: text.split_whitespace().take(MOST_COLUMNS).collect() };
        // A line of fewer words is a message.
        if columns.is_empty() || row.cells.len() < 5 {
            continue;
        }
        let Some(interval) = row.cell("interval") else { continue };
        // The averages are the run; its intervals have no times of their own.
        if !interval.starts_with("avg") {
            has_intervals = true;
            continue;
        }
        let ops = ops_of(&row, &mut reading.notes);
        let mut record = reading.record("vdbench", None, format!("line {line}"));
        let run = quote(row.cell("Run").unwrap_or("run"));
        let load = load_of(&row, &mut reading.notes);
        let mut share = |name: &str| row.stated(name, &mut reading.notes);
        let cpu = StatedCpu {
            usr_percent: share("cpu_user"),
            sys_percent: share("cpu_kernel"),
            per_io_us: None,
            of: CpuBasis::Host,
        };
        record.cpu = Some(cpu).filter(|cpu| cpu.usr_percent.is_some());
        record.jobs.push(ImportedJob { name: run, load, ops, ..ImportedJob::default() });
        // Once for each run, and reset for the next.
        if std::mem::take(&mut has_intervals) {
            reading.notes.warn_line(
                line,
                "the file does not say how long an interval is; its intervals are not taken over",
            );
        }
        reading.keep(record)?;
    }
    Ok(())
}

fn ops_of(row: &Row<'_>, notes: &mut Notes) -> StatedOps {
    let ms = |name: &str, notes: &mut Notes| row.stated(name, notes).map(|ms| ms.times(1e3));
    let mut all = StatedStream {
        iops: row.stated("rate", notes),
        // Of 1,048,576 bytes.
        bandwidth_mib_per_s: row.stated("MB/sec", notes),
        ..StatedStream::default()
    };
    all.total_latency = StatedLatency {
        mean_us: ms("resp", notes),
        max_us: ms("resp_max", notes),
        stddev_us: ms("resp_std", notes),
        ..StatedLatency::default()
    };
    let reads = row.stated("read%", notes).map(|share| share.value);
    let mut ops = StatedOps::default();
    match reads {
        Some(100.0) => ops.read = Some(all),
        Some(0.0) => ops.write = Some(all),
        // A mix states rate and bandwidth of both together, and only the latencies of each.
        _ => {
            let mut one = |kind: &str| {
                let total_latency = StatedLatency {
                    mean_us: ms(&format!("{kind}_resp"), notes),
                    max_us: ms(&format!("{kind}_max"), notes),
                    stddev_us: ms(&format!("{kind}_std"), notes),
                    ..StatedLatency::default()
                };
                let stream = StatedStream { total_latency, ..StatedStream::default() };
                Some(stream).filter(|stream| !stream.is_idle())
            };
            (ops.read, ops.write) = (one("read"), one("write"));
            ops.all = Some(all);
        }
    }
    ops
}

fn load_of(row: &Row<'_>, notes: &mut Notes) -> StatedLoad {
    let load = StatedLoad {
        pattern: match row.stated("seekpct", notes).map(|share| share.value) {
            Some(100.0) => Some(Pattern::Random),
            Some(0.0) => Some(Pattern::Sequential),
            _ => None,
        },
        rwmix_read_percent: row
            .stated("rdpct", notes)
            .map(|share| share.value)
            .filter(|share| *share <= 100.0),
        // vdbench's threads are its outstanding I/Os.
        outstanding: row.stated("threads", notes).map(as_count).filter(|threads| *threads > 0),
        rate_iops: row
            .stated("reqrate", notes)
            .map(|rate| rate.value)
            // Rates from 999,980 on are vdbench's codes for «as fast as possible» and its kin.
            .filter(|rate| (1.0..999_980.0).contains(rate)),
        options: row
            .columns
            .iter()
            .zip(&row.cells)
            .filter(|(name, _)| {
                ["reqrate", "xfersize", "threads", "rdpct", "seekpct", "rhpct", "whpct", "lunsize"]
                    .contains(name)
            })
            .map(|(name, cell)| ((*name).to_owned(), quote(cell)))
            .collect(),
        ..StatedLoad::default()
    };
    let size = row.stated("xfersize", notes).map(as_count).filter(|size| *size > 0).map(ByteSize::bytes);
    load.with_block_size(size)
}
