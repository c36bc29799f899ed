//! diskspd's text, 2.0.21 to 2.3: what was asked, then for each time span the CPUs, three tables, and
//! percentiles.

use std::collections::{BTreeMap, HashMap};

use iotrial_model::imported::{
    CpuBasis, ImportedJob, ImportedRecord, Stated, StatedCpu, StatedLoad, StatedOps, StatedPercentile,
    StatedStream,
};
use iotrial_model::load::{Durability, Pattern};

use crate::diskspd::{MOST_OPTIONS, MOST_SPANS, MOST_TARGETS, time_of};
use crate::scan::binary_size;
use crate::text::{Notes, count, kept, number, numbered, quote, quote_message};
use crate::{ImportError, Reading};

/// What was asked of one time span.
#[derive(Default)]
struct AskedSpan {
    runtime_s: Option<f64>,
    ramp_s: Option<f64>,
    loads: Vec<StatedLoad>,
    /// Outstanding I/Os of each thread of a pool, which works on all targets.
    pool_iodepth: Option<u64>,
}

impl AskedSpan {
    /// `1000 IOPS` or `1000 B/ms`, of each thread on the last target.
    fn add_rate(&mut self, text: &str, line: usize, notes: &mut Notes) {
        let Some(load) = self.loads.last_mut() else { return };
        load.options.insert("throughput rate-limited to".to_owned(), quote(text));
        let (rate, unit) = text.split_once(' ').unwrap_or((text, ""));
        let rate = number(rate, || format!("line {line}"), notes).map(|rate| rate.value);
        let size = load.block_size().map(|size| size.get() as f64).filter(|size| *size > 0.0);
        match (rate, unit.trim(), size) {
            (Some(rate), "IOPS", _) => load.rate_iops = Some(rate),
            (Some(rate), "B/ms", Some(size)) => load.rate_iops = Some(rate * 1e3 / size),
            _ => load.paced = true,
        }
    }
}

/// Which table a row belongs to.
#[derive(Clone, Copy, PartialEq)]
enum DiskspdTable {
    None,
    Cpu,
    Total,
    Read,
    Write,
    Latency,
}

/// Most cells that are read of a row; diskspd prints far fewer.
const MOST_CELLS: usize = 64;

/// Reads all time spans.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let mut asked: BTreeMap<u64, AskedSpan> = BTreeMap::new();
    let mut span = 1;
    let mut command: Option<String> = None;
    let (mut host, mut started) = (None, None);
    let mut lines = numbered(text).peekable();
    while let Some((line, whole)) = lines.next() {
        let text = whole.trim();
        if let Some(rest) = text.strip_prefix("Command Line:") {
            // Another result behind the last one.
            asked.clear();
            span = 1;
            command = Some(kept(rest));
        } else if let Some(rest) = text.strip_prefix("timespan:") {
            span = rest.trim().parse().unwrap_or(span);
        } else if let Some(rest) = text.strip_prefix("computer name:") {
            host = Some(quote(rest));
        } else if let Some(rest) = text.strip_prefix("start time:") {
            started = time_of(rest.trim());
            // The input parameters come first and the results of all spans later, so both are joined by the
            // number of the span.
        } else if let Some(rest) = text.strip_prefix("Results for timespan ") {
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
                asked.get(&number).unwrap_or(&AskedSpan::default()),
                command.as_deref(),
                &mut record,
                reading,
            );
            // A span that was stopped has headings without figures.
            if record.jobs.iter().any(|job| job.ops != StatedOps::default()) || record.total.is_some() {
                reading.keep(record)?;
            } else {
                reading.notes.warn_line(line, "the time span has no figures: it did not finish");
            }
            // Everything else is input; bounded, because span numbers come from the file.
        } else if asked.len() < MOST_SPANS || asked.contains_key(&span) {
            add_input(asked.entry(span).or_default(), text, line, &mut reading.notes);
        }
    }
    Ok(())
}

fn is_next_block(line: &str) -> bool {
    ["Results for timespan ", "Command Line:", "Input parameters:"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// A line of the input parameters.
fn add_input(asked: &mut AskedSpan, text: &str, line: usize, notes: &mut Notes) {
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
        if asked.loads.len() >= MOST_TARGETS {
            return notes.warn_line(line, format!("more than {MOST_TARGETS} targets are not read"));
        }
        let path = path.trim().trim_matches('\'');
        asked.loads.push(StatedLoad { targets: vec![kept(path)], ..StatedLoad::default() });
        return;
    }
    let after = |start: &str| text.strip_prefix(start).map(str::trim);
    let outstanding = after("number of outstanding I/O operations per thread:")
        .or_else(|| after("number of outstanding I/O operations:"));
    let Some(load) = asked.loads.last_mut() else {
        // Before the first target it is that of a pool of threads.
        if let Some(rest) = outstanding {
            asked.pool_iodepth = count(rest, at, notes).filter(|count| *count > 0);
        }
        return;
    };
    let whole = |rest: &str, notes: &mut Notes| count(rest, at, notes).filter(|count| *count > 0);
    match text {
        _ if text.starts_with("performing mix test") => {
            let ratio = text.split_once("ratio:").and_then(|(_, rest)| rest.split('/').next());
            load.rwmix_read_percent =
                ratio.and_then(|share| number(share, at, notes)).map(|share| share.value);
        }
        "performing read test" => load.rwmix_read_percent = Some(100.0),
        "performing write test" => load.rwmix_read_percent = Some(0.0),
        "software cache disabled" | "software and hardware write cache disabled" => load.direct = Some(true),
        // The second one up to 2.0.15.
        "using software cache" | "using software and hardware write cache" => load.direct = Some(false),
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
                let size = binary_size(rest);
                if size.is_none() {
                    notes.warn_line(line, format!("`{}` is not a block size", quote(rest)));
                }
                *load = std::mem::take(load).with_block_size(size);
            } else if let Some(rest) = outstanding {
                load.iodepth = whole(rest, notes);
            } else if let Some(rest) = after("threads per file:") {
                load.numjobs = whole(rest, notes);
            } else if let Some(rest) = after("size:").or_else(|| after("file size:")) {
                load.size = binary_size(rest);
            } else if let Some(rest) = after("think time:").or_else(|| after("burst size:")) {
                load.paced |= whole(rest.trim_end_matches("ms"), notes).is_some();
            } else if let Some(rest) = after("throughput rate-limited to") {
                asked.add_rate(rest, line, notes);
                return;
            }
        }
    }
    if !text.is_empty() && load.options.len() < MOST_OPTIONS {
        let (name, value) = text.split_once(':').unwrap_or((text, "yes"));
        load.options.insert(quote(name), quote(value));
    }
}

/// One time span, as far as it is read.
struct SpanReader<'s> {
    asked: &'s AskedSpan,
    /// Index of each target by its path.
    targets: HashMap<&'s str, usize>,
    table: DiskspdTable,
    columns: Vec<String>,
    runtime_s: Option<Stated>,
    threads: Option<u64>,
    ops: StatedOps,
    /// What each target did: rows of the tables tell it, a row for each thread.
    of_targets: Vec<StatedOps>,
    /// Whether there are rows of files that nobody asked for, so that the others are not all of them.
    has_other_rows: bool,
    /// The target whose percentiles are read; of all of them where it is absent.
    chart_of: Option<usize>,
}

fn read_span(
    body: &[(usize, &str)],
    asked: &AskedSpan,
    command: Option<&str>,
    record: &mut ImportedRecord,
    reading: &mut Reading<'_>,
) {
    let paths = asked.loads.iter().map(|load| load.targets.first().map_or("", String::as_str));
    let mut reader = SpanReader {
        asked,
        // A map, because a row is printed for each thread and target: the product of both.
        targets: paths.enumerate().map(|(index, path)| (path, index)).collect(),
        table: DiskspdTable::None,
        columns: Vec::new(),
        runtime_s: None,
        threads: None,
        ops: StatedOps::default(),
        of_targets: vec![StatedOps::default(); asked.loads.len()],
        has_other_rows: false,
        chart_of: None,
    };
    for (line, text) in body {
        reader.line(*line, text.trim(), record, &mut reading.notes);
    }
    reader.finish(command, record);
}

impl SpanReader<'_> {
    fn line(&mut self, line: usize, text: &str, record: &mut ImportedRecord, notes: &mut Notes) {
        let at = || format!("line {line}");
        self.table = match text {
            "Total IO" => DiskspdTable::Total,
            "Read IO" => DiskspdTable::Read,
            "Write IO" => DiskspdTable::Write,
            // Of all time spans together.
            "Totals:" => DiskspdTable::None,
            _ => self.table,
        };
        if let Some(rest) = text.strip_prefix("actual test time:") {
            self.runtime_s = number(rest.trim().trim_end_matches('s'), at, notes);
        } else if let Some(rest) = text.strip_prefix("thread count:") {
            self.threads = count(rest, at, notes);
        } else if let Some(rest) =
            text.strip_prefix("proc count:").or_else(|| text.strip_prefix("cpu count:"))
        {
            record.host.cpu_count = count(rest, at, notes).and_then(|cpus| u32::try_from(cpus).ok());
        } else if text.starts_with("ERROR") || text.starts_with("WARNING") {
            notes.warn(at(), format!("message from diskspd: {}", quote_message(text)));
        }
        let cells: Vec<&str> = text.split('|').map(str::trim).take(MOST_CELLS).collect();
        match cells.as_slice() {
            // The first column depends on version and host: group or socket come before the processor.
            ["CPU" | "Core" | "Group" | "Socket", ..] if cells.len() > 3 => {
                self.table = DiskspdTable::Cpu;
                self.columns = cells.iter().map(|cell| (*cell).to_owned()).collect();
            }
            ["thread", ..] | ["%-ile", ..] => {
                if cells[0] == "%-ile" {
                    self.table = DiskspdTable::Latency;
                }
                self.columns = cells.iter().map(|cell| (*cell).to_owned()).collect();
            }
            ["avg.", ..] if self.table == DiskspdTable::Cpu => {
                record.cpu = cpu_of(&self.columns, &cells, at, notes);
            }
            // Above the percentiles of each of several targets stands its path, and above those of all the
            // word.
            ["total:"] => self.chart_of = None,
            // A line of one cell that is no path known to us leaves the target as it was: other lines of one
            // word stand among the tables.
            [path] => self.chart_of = self.targets.get(kept(path).as_str()).copied().or(self.chart_of),
            [first, ..] if first.starts_with("total:") => {
                let stream = match self.table {
                    DiskspdTable::Total => &mut self.ops.all,
                    DiskspdTable::Read => &mut self.ops.read,
                    DiskspdTable::Write => &mut self.ops.write,
                    DiskspdTable::None | DiskspdTable::Cpu | DiskspdTable::Latency => return,
                };
                let totals = totals_of(&self.columns, &cells, self.runtime_s, at, notes);
                // A run of reads has a table of writes with zeros.
                *stream = Some(totals).filter(|one| !one.is_idle());
            }
            [name, ..] if self.table == DiskspdTable::Latency => {
                let ops = match self.chart_of {
                    Some(target) => &mut self.of_targets[target],
                    None => &mut self.ops,
                };
                add_percentiles(name, &self.columns, &cells, ops, at, notes);
            }
            [thread, bytes, io_count, .., file] if thread.parse::<u64>().is_ok() => {
                // Behind the path stands its size: `F:\test.dat (40GiB)`.
                let path = file.rsplit_once(" (").map_or(*file, |(path, _)| path);
                let Some(target) = self.targets.get(kept(path).as_str()) else {
                    if matches!(self.table, DiskspdTable::Total | DiskspdTable::Read | DiskspdTable::Write) {
                        // Rows of a file that nobody asked for mean that the paths were written differently;
                        // then the rows cannot be compared with the totals.
                        self.has_other_rows = true;
                    }
                    return;
                };
                let of_target = &mut self.of_targets[*target];
                let stream = match self.table {
                    DiskspdTable::Total => &mut of_target.all,
                    DiskspdTable::Read => &mut of_target.read,
                    DiskspdTable::Write => &mut of_target.write,
                    DiskspdTable::None | DiskspdTable::Cpu | DiskspdTable::Latency => return,
                };
                let (Some(bytes), Some(io_count)) = (count(bytes, at, notes), count(io_count, at, notes))
                else {
                    return;
                };
                // Threads of a target without I/O would make a stream with counts of zero.
                if io_count > 0 {
                    let stream = stream.get_or_insert_default();
                    stream.runtime_s = self.runtime_s;
                    stream.bytes = Some(stream.bytes.unwrap_or(0).saturating_add(bytes));
                    stream.io_count = Some(stream.io_count.unwrap_or(0).saturating_add(io_count));
                }
            }
            _ => {}
        }
    }

    fn finish(mut self, command: Option<&str>, record: &mut ImportedRecord) {
        // Before the tables of both are dropped below, since the comparison needs them.
        let differs = self.ops != StatedOps::default() && !self.has_other_rows && self.rows_differ();
        for ops in self.of_targets.iter_mut().chain([&mut self.ops]) {
            // Where there were only reads or only writes, the table of both says the same once more.
            if ops.read.is_some() != ops.write.is_some() && repeats(ops) {
                ops.all = None;
            }
        }
        for ops in self.of_targets.iter_mut().chain([&mut self.ops]) {
            // In the order of the percentile, whatever the order of the table.
            for stream in [&mut ops.read, &mut ops.write, &mut ops.all].into_iter().flatten() {
                stream.total_latency.percentiles_us.sort_by(|a, b| a.percent.total_cmp(&b.percent));
            }
        }
        let is_only = self.asked.loads.len() == 1;
        for (load, ops) in self.asked.loads.iter().zip(self.of_targets) {
            let mut load = load.clone();
            (load.runtime_s, load.ramp_s) = (self.asked.runtime_s, self.asked.ramp_s);
            // Without `threads per file` all threads share the targets, and may share the outstanding I/Os
            // too.
            load.numjobs = load.numjobs.or(self.threads);
            if self.asked.pool_iodepth.is_some() {
                load.iodepth = self.asked.pool_iodepth.filter(|_| is_only);
            }
            let threads = load.numjobs.unwrap_or(1) as f64;
            // Of each thread in diskspd, of the whole job here.
            load.rate_iops = load.rate_iops.map(|rate| rate * threads);
            load.options.extend(command.map(|command| ("command line".to_owned(), command.to_owned())));
            let name = load.targets.first().cloned().unwrap_or_default();
            record.jobs.push(ImportedJob { name, load, ops, ..ImportedJob::default() });
        }
        match record.jobs.as_mut_slice() {
            _ if self.ops == StatedOps::default() => {}
            // Rows that are not the total are another account of the same, and both are kept.
            // With one target the totals are the job's, with their latencies, which the rows do not have.
            [one] if !differs => one.ops = self.ops,
            _ => record.total = Some(self.ops),
        }
    }

    /// Whether the rows of the threads are not together what the rows of the totals have.
    fn rows_differ(&self) -> bool {
        let figures = |stream: &Option<StatedStream>| {
            stream.as_ref().map_or((0, 0), |one| (one.io_count.unwrap_or(0), one.bytes.unwrap_or(0)))
        };
        let streams: [fn(&StatedOps) -> &Option<StatedStream>; 3] =
            [|ops| &ops.read, |ops| &ops.write, |ops| &ops.all];
        let has_rows = self.of_targets.iter().any(|ops| *ops != StatedOps::default());
        has_rows
            && streams.into_iter().any(|stream| {
                let rows = self.of_targets.iter().map(|ops| figures(stream(ops)));
                let sum = rows.fold((0, 0), |sum: (u64, u64), one| {
                    (sum.0.saturating_add(one.0), sum.1.saturating_add(one.1))
                });
                sum != figures(stream(&self.ops))
            })
    }
}

/// Whether the figures of both directions are those of the only one.
fn repeats(ops: &StatedOps) -> bool {
    let figures = |stream: &StatedStream| (stream.io_count, stream.bytes);
    match (&ops.all, ops.read.as_ref().or(ops.write.as_ref())) {
        (Some(all), Some(only)) => figures(all) == figures(only),
        _ => true,
    }
}

fn cell<'c>(columns: &[String], cells: &[&'c str], name: &str) -> Option<&'c str> {
    let index = columns.iter().position(|column| column == name)?;
    // The row of averages has one cell for all columns that name a processor.
    // Hence counted from the right.
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
                // `3-nines` is 99.9 %: two digits before the point, so two nines fewer behind it.
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
        notes.warn(at(), format!("`{}` is not a percentile", quote(name)));
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
        // The two ends of the list are not percentiles in the record.
        match percent {
            0.0 => stream.total_latency.min_us = Some(at),
            100.0 => stream.total_latency.max_us = Some(at),
            percent => stream.total_latency.percentiles_us.push(StatedPercentile { percent, at }),
        }
    }
}
