//! What vdbench writes for each run, 5.00 to 5.04: the flat file of raw I/O and that of file systems, columns by the names in their
//! header; and the summary and the totals, which have names in two lines.
//!
//! The average of a run is taken over; its intervals are not.

use iotrial_model::imported::{
    CpuBasis, ImportedJob, Stated, StatedCpu, StatedLatency, StatedLoad, StatedOps, StatedStream,
};
use iotrial_model::load::Pattern;
use iotrial_model::units::ByteSize;

use crate::text::{Notes, as_count, number, numbered, quote};
use crate::{ImportError, Reading};

/// Most columns that are read of a line; the flat file of a file system has some ninety.
const MOST_COLUMNS: usize = 256;

/// Sizes of I/Os that differ by more than this share of a byte on average are mixed.
const ONE_SIZE: f64 = 0.5;

/// Whether a text is one of vdbench's.
pub(crate) fn is_vdbench(text: &str) -> bool {
    // A word that all have is looked for first, as it is fast over a large text.
    (text.contains("eqrate") || text.contains("1024**2"))
        && text.lines().any(|line| is_header(line) || is_second_header(line))
}

/// Whether a line names the columns of a flat file.
fn is_header(line: &str) -> bool {
    // The first names are enough, and bound what a hostile line costs.
    let names: Vec<&str> = line.split_whitespace().take(24).collect();
    ["interval", "reqrate", "rate", "MB/sec"]
        .iter()
        .all(|name| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

/// The second line of the names of a summary: `rate  1024**2     i/o    pct     time …`.
fn is_second_header(line: &str) -> bool {
    let mut names = line.split_whitespace();
    names.next() == Some("rate") && names.next() == Some("1024**2")
}

/// The names of a summary, each of both lines: `i/o` and `rate`. A date and the word `interval` stand before them.
fn joined_names(first: &str, second: &str) -> Vec<String> {
    let first: Vec<&str> = first.split_whitespace().take(MOST_COLUMNS).collect();
    let at = first.iter().position(|name| name.eq_ignore_ascii_case("interval")).map_or(0, |at| at + 1);
    let pairs = first[at..].iter().zip(second.split_whitespace());
    let joined = pairs.map(|(first, second)| match (*first, second) {
        ("i/o", "rate") => "rate".to_owned(),
        (_, "1024**2") => "MB/sec".to_owned(),
        ("bytes", "i/o") => "bytes/io".to_owned(),
        ("read", "pct") => "read%".to_owned(),
        ("resp", "time") => "resp".to_owned(),
        ("resp", "stddev") => "resp_std".to_owned(),
        ("queue", "depth") => "queue_depth".to_owned(),
        (direction, "stddev") => format!("{direction}_std"),
        (direction @ ("read" | "write" | "resp"), what) => format!("{direction}_{what}"),
        (first, second) => format!("{first} {second}"),
    });
    ["tod", "interval"].map(str::to_owned).into_iter().chain(joined).collect()
}

/// A row with its header.
struct Row<'r> {
    line: usize,
    columns: &'r [String],
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

    /// Milliseconds as µs.
    fn ms(&self, name: &str, notes: &mut Notes) -> Option<Stated> {
        self.stated(name, notes).map(|ms| ms.times(1e3))
    }

    /// Whether it counts the operations of a file system.
    fn is_of_files(&self) -> bool {
        self.columns.iter().any(|column| column.eq_ignore_ascii_case("Read_rate"))
    }
}

/// What the summary says of the run that it is about to show.
#[derive(Default)]
struct Announced {
    name: Option<String>,
    load: StatedLoad,
}

/// Reads all runs.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let mut columns: Vec<String> = Vec::new();
    let mut announced = Announced::default();
    let mut before = "";
    let mut is_told = false;
    for (line, whole) in numbered(text) {
        let plain = without_tags(whole);
        let text = plain.trim();
        if text.is_empty() || text.starts_with('*') {
            continue;
        }
        if is_header(text) {
            columns = text.split_whitespace().take(MOST_COLUMNS).map(str::to_owned).collect();
            continue;
        }
        if is_second_header(text) {
            columns = joined_names(&without_tags(before), text);
            continue;
        }
        before = whole;
        if let Some((_, words)) = text.split_once("Starting RD=") {
            announced = announced_of(words);
            continue;
        }
        let row =
            Row { line, columns: &columns, cells: text.split_whitespace().take(MOST_COLUMNS).collect() };
        // A line of fewer words is a message.
        if columns.is_empty() || row.cells.len() < 5 {
            continue;
        }
        let Some(interval) = row.cell("interval") else { continue };
        // The averages are the run; its intervals have a time of day only.
        if !interval.starts_with("avg") {
            // Once for each file: every run has them.
            if !interval.is_empty() && interval.bytes().all(|byte| byte.is_ascii_digit()) && !is_told {
                is_told = true;
                reading
                    .notes
                    .warn_line(line, "the averages of the runs are taken over, and not their intervals");
            }
            continue;
        }
        let ops = if row.is_of_files() {
            file_ops_of(&row, &mut reading.notes)
        } else {
            ops_of(&row, &mut reading.notes)
        };
        if ops == StatedOps::default() {
            reading
                .notes
                .warn_line(line, "the run neither read nor wrote: its operations are not taken over");
            continue;
        }
        let mut record = reading.record("vdbench", None, format!("line {line}"));
        let name = row.cell("Run").map(quote).or_else(|| announced.name.clone());
        let mut load = load_of(&row, &announced.load, &mut reading.notes);
        if let Some(at) = row.cell("timestamp") {
            record.measured_at = time_of(at);
            load.options.insert("timestamp".to_owned(), quote(at));
        }
        let mut share = |name: &str| row.stated(name, &mut reading.notes);
        let cpu = StatedCpu {
            usr_percent: share("cpu_user"),
            sys_percent: share("cpu_kernel"),
            per_io_us: None,
            of: CpuBasis::Host,
        };
        record.cpu = Some(cpu).filter(|cpu| cpu.usr_percent.is_some());
        let name = name.unwrap_or_else(|| "run".to_owned());
        record.jobs.push(ImportedJob { name, load, ops, ..ImportedJob::default() });
        reading.keep(record)?;
    }
    Ok(())
}

/// A line of a page without its tags.
fn without_tags(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        // What is not closed is no tag, but text.
        let Some((_, after)) = after.split_once('>') else { break };
        text.push_str(before);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// `04/18/2019-11:31:32-UTC`; other zones are words that stand for several.
fn time_of(text: &str) -> Option<String> {
    let time = text.strip_suffix("-UTC").or_else(|| text.strip_suffix("-GMT"))?;
    let time = jiff::civil::DateTime::strptime("%m/%d/%Y-%H:%M:%S", time).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().to_string())
}

/// `rd1; I/O rate: 1000; elapsed=60; For loops: xfersize=4k threads=8`
fn announced_of(text: &str) -> Announced {
    let name = text.split([';', ' ']).next().unwrap_or_default();
    let after = |key: &str| {
        let rest = text.split_once(key)?.1.trim_start();
        rest.split([' ', ';', ',']).next()
    };
    let number = |key: &str| after(key).and_then(Stated::parse).map(|stated| stated.value);
    let size = after("xfersize=").and_then(size_of).map(ByteSize::bytes);
    let load = StatedLoad {
        rwmix_read_percent: number("rdpct=").filter(|share| (0.0..=100.0).contains(share)),
        outstanding: number("threads=").filter(|threads| *threads >= 1.0).map(|n| as_count(Stated::exact(n))),
        rate_iops: number("I/O rate: ").filter(|rate| (1.0..999_980.0).contains(rate)),
        runtime_s: number("elapsed=").filter(|seconds| *seconds > 0.0),
        ..StatedLoad::default()
    };
    Announced { name: Some(quote(name)).filter(|name| !name.is_empty()), load: load.with_block_size(size) }
}

/// `4096`, `4k`, `1m`: of 1,024.
fn size_of(text: &str) -> Option<u64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let shift = match &text[digits..] {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok()?.checked_mul(1 << shift).filter(|size| *size > 0)
}

fn ops_of(row: &Row<'_>, notes: &mut Notes) -> StatedOps {
    let mut all = StatedStream {
        iops: row.stated("rate", notes),
        // Of 1,048,576 bytes.
        bandwidth_mib_per_s: row.stated("MB/sec", notes),
        ..StatedStream::default()
    };
    all.total_latency = StatedLatency {
        mean_us: row.ms("resp", notes),
        max_us: row.ms("resp_max", notes),
        stddev_us: row.ms("resp_std", notes),
        ..StatedLatency::default()
    };
    let reads = row.stated("read%", notes).map(|share| share.value);
    let mut ops = StatedOps::default();
    match reads {
        _ if all.is_idle() => {}
        Some(100.0) => ops.read = Some(all),
        Some(0.0) => ops.write = Some(all),
        // A mix states rate and bandwidth of both together, and only the latencies of each.
        _ => {
            let mut one = |kind: &str| {
                let total_latency = StatedLatency {
                    mean_us: row.ms(&format!("{kind}_resp"), notes),
                    max_us: row.ms(&format!("{kind}_max"), notes),
                    stddev_us: row.ms(&format!("{kind}_std"), notes),
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

/// Reads and writes among the operations of a file system.
fn file_ops_of(row: &Row<'_>, notes: &mut Notes) -> StatedOps {
    let mut of = |kind: &str| {
        let mut stream = StatedStream {
            iops: row.stated(&format!("{kind}_rate"), notes),
            bandwidth_mib_per_s: row.stated(&format!("MB_{kind}"), notes),
            ..StatedStream::default()
        };
        stream.total_latency = StatedLatency {
            mean_us: row.ms(&format!("{kind}_resp"), notes),
            max_us: row.ms(&format!("{kind}_resp_max"), notes),
            stddev_us: row.ms(&format!("{kind}_resp_std"), notes),
            ..StatedLatency::default()
        };
        Some(stream).filter(|stream| !stream.is_idle())
    };
    StatedOps { read: of("read"), write: of("write"), ..StatedOps::default() }
}

fn load_of(row: &Row<'_>, announced: &StatedLoad, notes: &mut Notes) -> StatedLoad {
    let number = |name: &str, notes: &mut Notes| row.stated(name, notes).map(|stated| stated.value);
    let asked = row.stated("xfersize", notes).map(as_count).filter(|size| *size > 0).map(ByteSize::bytes);
    let asked = asked.or(announced.block_size());
    // Of several sizes vdbench names the first one; what the I/Os had on average is told beside it.
    let mean = row.stated("bytes/io", notes).filter(|mean| mean.value > 0.0);
    let is_one_size =
        |size: ByteSize| mean.is_none_or(|mean| (mean.value - size.get() as f64).abs() <= ONE_SIZE);
    let size = asked.filter(|size| is_one_size(*size));
    let load = StatedLoad {
        pattern: match number("seekpct", notes) {
            Some(100.0) => Some(Pattern::Random),
            Some(0.0) => Some(Pattern::Sequential),
            _ => None,
        },
        rwmix_read_percent: number("rdpct", notes)
            .filter(|share| *share <= 100.0)
            .or(announced.rwmix_read_percent),
        // vdbench's threads are its outstanding I/Os.
        outstanding: row
            .stated("threads", notes)
            .map(as_count)
            .filter(|threads| *threads > 0)
            .or(announced.outstanding),
        rate_iops: number("reqrate", notes)
            // Rates from 999,980 on are vdbench's codes for «as fast as possible» and its kin.
            .filter(|rate| (1.0..999_980.0).contains(rate))
            .or(announced.rate_iops),
        runtime_s: announced.runtime_s,
        options: row
            .columns
            .iter()
            .zip(&row.cells)
            .filter(|(name, _)| {
                let known = [
                    "reqrate", "xfersize", "bytes/io", "threads", "rdpct", "seekpct", "rhpct", "whpct",
                    "lunsize",
                ];
                known.iter().any(|one| name.eq_ignore_ascii_case(one))
            })
            .map(|(name, cell)| (name.to_ascii_lowercase(), quote(cell)))
            .collect(),
        ..StatedLoad::default()
    };
    load.with_block_size(size)
}
