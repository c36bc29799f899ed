//! diskspd's text, 2.0.21 to 2.3: what was asked, then for each time span the CPUs, three tables, and percentiles.

use std::collections::BTreeMap;

use iotrial_model::imported::{
    CpuBasis, ImportedJob, ImportedRecord, Stated, StatedCpu, StatedLoad, StatedOps, StatedPercentile,
    StatedStream,
};
use iotrial_model::load::{Durability, Pattern};
use iotrial_model::units::ByteSize;

use crate::diskspd::time_of;
use crate::text::{Notes, count, number, numbered, quote};
use crate::{ImportError, Reading};

/// What was asked of one time span.
#[derive(Default)]
struct Asked {
    runtime_s: Option<f64>,
    ramp_s: Option<f64>,
    loads: Vec<StatedLoad>,
}

/// Which table a row belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Table {
    None,
    Cpu,
    Total,
    Read,
    Write,
    Latency,
}

/// Reads all time spans.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<Vec<ImportedRecord>, ImportError> {
    let mut asked: BTreeMap<u64, Asked> = BTreeMap::new();
    let mut span = 1;
    let mut command: Option<String> = None;
    let (mut host, mut started) = (None, None);
    let mut records = Vec::new();
    let mut lines = numbered(text).peekable();
    while let Some((line, whole)) = lines.next() {
        let text = whole.trim();
        if let Some(rest) = text.strip_prefix("Command Line:") {
            // Another result behind the last one.
            asked.clear();
            span = 1;
            command = Some(quote(rest));
        } else if let Some(rest) = text.strip_prefix("timespan:") {
            span = rest.trim().parse().unwrap_or(span);
        } else if let Some(rest) = text.strip_prefix("computer name:") {
            host = Some(quote(rest));
        } else if let Some(rest) = text.strip_prefix("start time:") {
            started = time_of(rest.trim());
        } else if let Some(rest) = text.strip_prefix("Results for timespan ") {
            reading.limit(&records)?;
            let number = rest.trim_end_matches(':').trim().parse().unwrap_or(span);
            let mut body = Vec::new();
            while let Some(next) = lines.next_if(|(_, text)| !is_next_block(text.trim())) {
                body.push(next);
            }
            let mut record = reading.record("diskspd", None, format!("line {line}"));
            record.host.name.clone_from(&host);
            record.measured_at.clone_from(&started);
            read_span(
                &body,
                asked.get(&number).unwrap_or(&Asked::default()),
                command.as_deref(),
                &mut record,
                reading,
            );
            record.warnings.extend(reading.notes.take());
            if record.jobs.iter().any(|job| job.ops != StatedOps::default()) || record.total.is_some() {
                records.push(record);
            } else {
                reading.notes.warn_line(line, "the time span has no figures: it did not come to its end");
            }
        } else {
            add_input(asked.entry(span).or_default(), text, line, &mut reading.notes);
        }
    }
    Ok(records)
}

fn is_next_block(line: &str) -> bool {
    ["Results for timespan ", "Command Line:", "Input parameters:"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// A line of the input parameters.
fn add_input(asked: &mut Asked, text: &str, line: usize, notes: &mut Notes) {
    let at = || format!("line {line}");
    let mut seconds =
        |rest: &str| number(rest.trim().trim_end_matches('s'), at, notes).map(|stated| stated.value);
    if let Some(rest) = text.strip_prefix("duration:") {
        asked.runtime_s = seconds(rest);
        return;
    }
    if let Some(rest) = text.strip_prefix("warm up time:") {
        asked.ramp_s = seconds(rest);
        return;
    }
    if let Some(path) = text.strip_prefix("path:") {
        let path = path.trim().trim_matches('\'');
        asked.loads.push(StatedLoad { targets: vec![quote(path)], ..StatedLoad::default() });
        return;
    }
    let Some(load) = asked.loads.last_mut() else { return };
    let whole = |rest: &str, notes: &mut Notes| count(rest, at, notes).filter(|count| *count > 0);
    let after = |start: &str| text.strip_prefix(start).map(str::trim);
    match text {
        _ if text.starts_with("performing mix test") => {
            let ratio = text.split_once("ratio:").and_then(|(_, rest)| rest.split('/').next());
            load.rwmix_read_percent =
                ratio.and_then(|share| number(share, at, notes)).map(|share| share.value);
        }
        "performing read test" => load.rwmix_read_percent = Some(100.0),
        "performing write test" => load.rwmix_read_percent = Some(0.0),
        "software cache disabled" => load.direct = Some(true),
        "using software cache" => load.direct = Some(false),
        _ if text.contains("writethrough on") => load.durability = Some(Durability::Dsync),
        _ if text.contains("writethrough off") => load.durability = Some(Durability::None),
        _ if text.starts_with("using random I/O") => load.pattern = Some(Pattern::Random),
        _ if text.starts_with("using sequential I/O")
            || text.starts_with("using interlocked sequential I/O") =>
        {
            load.pattern = Some(Pattern::Sequential);
        }
        _ => {
            if let Some(rest) = after("block size:") {
                let size = size_of(rest);
                if size.is_none() {
                    notes.warn_line(line, format!("`{}` is no block size", quote(rest)));
                }
                *load = std::mem::take(load).with_block_size(size);
            } else if let Some(rest) = after("number of outstanding I/O operations per thread:")
                .or_else(|| after("number of outstanding I/O operations:"))
            {
                load.iodepth = whole(rest, notes);
            } else if let Some(rest) = after("threads per file:") {
                load.numjobs = whole(rest, notes);
            } else if let Some(rest) = after("size:").or_else(|| after("file size:")) {
                load.size = size_of(rest);
            }
        }
    }
    if !text.is_empty() {
        let (name, value) = text.split_once(':').unwrap_or((text, "yes"));
        load.options.insert(quote(name), quote(value));
    }
}

/// `4096`, `4KiB`, `1GiB`, `1024MiB`.
fn size_of(text: &str) -> Option<ByteSize> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number: u64 = text[..digits].parse().ok()?;
    let shift = match text[digits..].trim() {
        "" | "B" => 0,
        "KiB" | "KB" | "K" => 10,
        "MiB" | "MB" | "M" => 20,
        "GiB" | "GB" | "G" => 30,
        "TiB" | "TB" | "T" => 40,
        _ => return None,
    };
    number.checked_mul(1 << shift).map(ByteSize::bytes)
}

fn read_span(
    body: &[(usize, &str)],
    asked: &Asked,
    command: Option<&str>,
    record: &mut ImportedRecord,
    reading: &mut Reading<'_>,
) {
    let mut ops = StatedOps::default();
    let mut table = Table::None;
    let mut columns: Vec<String> = Vec::new();
    let (mut runtime_s, mut threads) = (None, None);
    for (line, whole) in body {
        let text = whole.trim();
        let at = || format!("line {line}");
        let notes = &mut reading.notes;
        match text {
            "Total IO" => table = Table::Total,
            "Read IO" => table = Table::Read,
            "Write IO" => table = Table::Write,
            _ => {}
        }
        if let Some(rest) = text.strip_prefix("actual test time:") {
            runtime_s = number(rest.trim().trim_end_matches('s'), at, notes);
        } else if let Some(rest) = text.strip_prefix("thread count:") {
            threads = count(rest, at, notes);
        } else if let Some(rest) =
            text.strip_prefix("proc count:").or_else(|| text.strip_prefix("cpu count:"))
        {
            record.host.cpu_count = count(rest, at, notes).and_then(|cpus| u32::try_from(cpus).ok());
        } else if text.starts_with("ERROR") || text.starts_with("WARNING") {
            notes.warn(at(), format!("diskspd said: {}", quote(text)));
        }
        let cells: Vec<&str> = text.split('|').map(str::trim).collect();
        match cells.as_slice() {
            ["CPU" | "Core" | "Group" | "Socket", ..] if cells.len() > 3 => {
                table = Table::Cpu;
                columns = cells.iter().map(|cell| (*cell).to_owned()).collect();
            }
            ["thread", ..] | ["%-ile", ..] => {
                if cells[0] == "%-ile" {
                    table = Table::Latency;
                }
                columns = cells.iter().map(|cell| (*cell).to_owned()).collect();
            }
            ["avg.", ..] if table == Table::Cpu => record.cpu = cpu_of(&columns, &cells, at, notes),
            [first, ..] if first.starts_with("total:") && cells.len() > 1 => {
                let stream = match table {
                    Table::Total => &mut ops.all,
                    Table::Read => &mut ops.read,
                    Table::Write => &mut ops.write,
                    Table::None | Table::Cpu | Table::Latency => continue,
                };
                *stream =
                    Some(totals_of(&columns, &cells, runtime_s, at, notes)).filter(|one| !one.is_idle());
            }
            [name, ..] if table == Table::Latency && cells.len() > 1 => {
                add_percentiles(name, &columns, &cells, &mut ops, at, notes);
            }
            _ => {}
        }
    }
    // Where there were only reads or only writes, the table of both says the same once more.
    if ops.read.is_some() != ops.write.is_some() {
        ops.all = None;
    }
    for stream in [&mut ops.read, &mut ops.write, &mut ops.all].into_iter().flatten() {
        stream.total_latency.percentiles_us.sort_by(|a, b| a.percent.total_cmp(&b.percent));
    }
    let jobs = asked.loads.iter().map(|load| {
        let mut load = load.clone();
        (load.runtime_s, load.ramp_s) = (asked.runtime_s, asked.ramp_s);
        // Without `threads per file` all threads share the targets.
        load.numjobs = load.numjobs.or(threads);
        load.options.extend(command.map(|command| ("command line".to_owned(), command.to_owned())));
        let name = load.targets.first().cloned().unwrap_or_default();
        ImportedJob { name, load, ..ImportedJob::default() }
    });
    record.jobs = jobs.collect();
    match record.jobs.as_mut_slice() {
        _ if ops == StatedOps::default() => {}
        [one] => one.ops = ops,
        _ => record.total = Some(ops),
    }
}

fn cell<'c>(columns: &[String], cells: &[&'c str], name: &str) -> Option<&'c str> {
    let index = columns.iter().position(|column| column == name)?;
    // The row of averages has one cell for all columns that name a processor.
    let skipped = columns.len().saturating_sub(cells.len());
    cells.get(index.checked_sub(skipped)?).copied()
}

fn cpu_of(
    columns: &[String],
    cells: &[&str],
    at: impl Fn() -> String,
    notes: &mut Notes,
) -> Option<StatedCpu> {
    let mut share = |name: &str| number(cell(columns, cells, name)?.trim_end_matches('%'), &at, notes);
    let usr_percent = share("User");
    Some(StatedCpu { usr_percent, sys_percent: share("Kernel"), per_io_us: None, of: CpuBasis::Host })
}

fn totals_of(
    columns: &[String],
    cells: &[&str],
    runtime_s: Option<Stated>,
    at: impl Fn() -> String,
    notes: &mut Notes,
) -> StatedStream {
    // `total:` and the bytes share one cell; the column of the file has none.
    let bytes = cells[0].trim_start_matches("total:");
    let at_column = |name: &str| {
        let index = columns.iter().position(|column| column == name)?;
        cells.get(index.checked_sub(1)?).copied()
    };
    let mut stream = StatedStream {
        runtime_s,
        bytes: count(bytes, &at, notes),
        io_count: at_column("I/Os").and_then(|text| count(text, &at, notes)),
        iops: at_column("I/O per s").and_then(|text| number(text, &at, notes)),
        // Older versions wrote MB/s and meant the same: bytes by 1,048,576 and time.
        bandwidth_mib_per_s: at_column("MiB/s")
            .or_else(|| at_column("MB/s"))
            .and_then(|text| number(text, &at, notes)),
        ..StatedStream::default()
    };
    let mut ms =
        |name: &str| at_column(name).and_then(|text| number(text, &at, notes)).map(|ms| ms.times(1e3));
    stream.total_latency.mean_us = ms("AvgLat");
    stream.total_latency.stddev_us = ms("LatStdDev");
    stream
}

/// `99th`, `3-nines`, `min`, `max`.
fn percent_of(name: &str) -> Option<f64> {
    match name {
        "min" => Some(0.0),
        "max" => Some(100.0),
        _ => {
            if let Some(nines) = name.strip_suffix("-nines") {
                let nines: i32 = nines.parse().ok().filter(|nines| (1..=12).contains(nines))?;
                // Of text, so that 99.9 is the same number everywhere.
                return format!("99.{}", "9".repeat(usize::try_from(nines - 2).ok()?)).parse().ok();
            }
            let digits = name.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            digits.parse().ok().filter(|percent| (0.0..=100.0).contains(percent))
        }
    }
}

fn add_percentiles(
    name: &str,
    columns: &[String],
    cells: &[&str],
    ops: &mut StatedOps,
    at: impl Fn() -> String,
    notes: &mut Notes,
) {
    let Some(percent) = percent_of(name) else {
        notes.warn(at(), format!("`{}` is no percentile", quote(name)));
        return;
    };
    for (column, stream) in
        [("Read (ms)", &mut ops.read), ("Write (ms)", &mut ops.write), ("Total (ms)", &mut ops.all)]
    {
        let Some(stream) = stream else { continue };
        let Some(at) =
            cell(columns, cells, column).and_then(|text| number(text, &at, notes)).map(|ms| ms.times(1e3))
        else {
            continue;
        };
        match percent {
            0.0 => stream.total_latency.min_us = Some(at),
            100.0 => stream.total_latency.max_us = Some(at),
            percent => stream.total_latency.percentiles_us.push(StatedPercentile { percent, at }),
        }
    }
}
