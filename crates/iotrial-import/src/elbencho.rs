//! elbencho's CSV: a row for each phase. Figures are those of the moment at which the slowest thread ended (`[last]`).

use std::collections::HashMap;

use iotrial_model::imported::{ImportedJob, Stated, StatedLoad, StatedOps, StatedStream};
use iotrial_model::load::Pattern;
use iotrial_model::units::ByteSize;

use crate::text::{Notes, count, kept, number, quote};
use crate::{ImportError, Reading};

/// How its header begins.
const HEADER: &str = "ISO date,label,path type";
/// It has 60 columns.
const MOST_COLUMNS: usize = 1_000;

/// Whether a text begins with its header.
pub(crate) fn is_it(text: &str) -> bool {
    text.trim_start().starts_with(HEADER)
}

/// A row by the names of its columns.
struct Row<'r> {
    columns: &'r HashMap<String, usize>,
    cells: &'r csv::StringRecord,
    line: u64,
}

impl<'r> Row<'r> {
    fn text(&self, name: &str) -> Option<&'r str> {
        self.cells.get(*self.columns.get(name)?).map(str::trim).filter(|cell| !cell.is_empty())
    }

    fn number(&self, name: &str, notes: &mut Notes) -> Option<Stated> {
        number(self.text(name)?, || format!("line {}, `{name}`", self.line), notes)
    }

    fn count(&self, name: &str, notes: &mut Notes) -> Option<u64> {
        count(self.text(name)?, || format!("line {}, `{name}`", self.line), notes)
    }

    /// The figures of a direction. In a mix the reads have columns of their own, which begin with `rwmix read `.
    fn stream(&self, before: &str, notes: &mut Notes) -> Option<StatedStream> {
        let mut of = |name: &str| self.number(&format!("{before}{name}"), notes);
        let mut stream = StatedStream {
            iops: of("IOPS [last]"),
            bandwidth_mib_per_s: of("MiB/s [last]"),
            ..StatedStream::default()
        };
        let latency = &mut stream.total_latency;
        latency.min_us = of("IO lat us [min]");
        latency.mean_us = of("IO lat us [avg]");
        latency.max_us = of("IO lat us [max]");
        stream.runtime_s = self.number("time ms [last]", notes).map(|ms| ms.per(1e3));
        // Phases that make or remove directories have neither.
        stream.iops.or(stream.bandwidth_mib_per_s).map(|_| stream)
    }
}

/// Reads all phases that read or write.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let mut table = csv::ReaderBuilder::new();
    let mut table = table.flexible(true).from_reader(text.trim_start().as_bytes());
    let broken = |error: &csv::Error, reading: &Reading<'_>| {
        let line = error.position().map_or(1, csv::Position::line);
        reading.broken(format!("line {line}"), quote(&error.to_string()))
    };
    let columns: HashMap<String, usize> = match table.headers() {
        Ok(header) => {
            header.iter().take(MOST_COLUMNS).enumerate().map(|(at, name)| (name.to_owned(), at)).collect()
        }
        Err(error) => return Err(broken(&error, reading)),
    };
    for cells in table.records() {
        let cells = cells.map_err(|error| broken(&error, reading))?;
        let line = cells.position().map_or(0, csv::Position::line);
        // A file that was appended to has the header again.
        if cells.get(0) == Some("ISO date") {
            continue;
        }
        read_row(&Row { columns: &columns, cells: &cells, line }, reading)?;
    }
    Ok(())
}

fn read_row(row: &Row<'_>, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let operation = row.text("operation").unwrap_or_default();
    let notes = &mut reading.notes;
    let own = row.stream("", notes);
    let mix = row.stream("rwmix read ", notes);
    let mut ops = StatedOps::default();
    match (operation, mix) {
        ("READ", _) => ops.read = own,
        ("WRITE", None) => ops.write = own,
        (_, Some(reads)) => (ops.read, ops.write) = (Some(reads), own),
        // STAT, RMFILES and their like are no I/O to files.
        (_, None) => return Ok(()),
    }
    if ops.streams().next().is_none() {
        return Ok(());
    }
    let is = |name: &str| row.text(name).map(|cell| cell != "0");
    let hosts = row.count("hosts", notes).unwrap_or(1).max(1);
    // The end of the first thread and of the last one: between them less was outstanding than was configured.
    let ends = ["time ms [first]", "time ms [last]"].map(|name| row.number(name, notes));
    let most_ended_early = matches!(ends, [Some(first), Some(last)] if first.value < 0.5 * last.value);
    let threads = row.count("threads", notes).and_then(|threads| threads.checked_mul(hosts));
    let load = StatedLoad {
        pattern: is("random").map(|random| if random { Pattern::Random } else { Pattern::Sequential }),
        rwmix_read_percent: match (&ops.read, &ops.write) {
            (Some(_), None) => Some(100.0),
            (None, _) => Some(0.0),
            // `RWMIX30`
            (Some(_), Some(_)) => operation.strip_prefix("RWMIX").and_then(|percent| percent.parse().ok()),
        },
        iodepth: row.count("IO depth", notes).map(|depth| depth.max(1)),
        numjobs: threads,
        direct: is("direct IO"),
        size: row.count("file size", notes).map(ByteSize::bytes),
        // Without those that ended early less was outstanding than was configured.
        paced: most_ended_early,
        ..StatedLoad::default()
    };
    let size = row.count("block size", notes).filter(|size| *size > 0).map(ByteSize::bytes);
    let mut load = load.with_block_size(size);
    load.options.extend(row.text("command").map(|command| ("command".to_owned(), kept(command))));
    let mut record = reading.record("elbencho", row.text("version"), format!("line {}", row.line));
    record.label = row.text("label").map(kept);
    // Only a time with its zone is a moment.
    let at = row.text("ISO date").and_then(|at| at.parse::<jiff::Timestamp>().ok());
    record.measured_at = at.map(|at| at.to_string());
    record.jobs.push(ImportedJob { name: quote(operation), load, ops, ..ImportedJob::default() });
    reading.keep(record)
}
