//! What programs print of the runs of fio that they made: kbench, kubestr, and YABS as text and as JSON. Each test is a run of its own.

use iotrial_model::imported::{ImportedJob, Stated, StatedLoad, StatedOps, StatedStream};
use iotrial_model::load::Pattern;
use serde::Deserialize;

use crate::scan::{after, binary_size, number_and_unit};
use crate::text::{numbered, quote, without_prefixes};
use crate::{ImportError, Reading};

/// A program, what stands in its output, and its reader.
type Program = (&'static [&'static str], fn(&str, &mut Reading<'_>) -> Result<(), ImportError>);

const PROGRAMS: [Program; 4] = [
    (&["FIO Benchmark Summary"], read_kbench),
    (&["JobName: ", "BW(KiB/s)="], read_kubestr),
    (&["fio Disk Speed Tests", "(IOPS)"], read_yabs),
    (&["\"speed_rw\"", "\"iops_rw\""], read_yabs_json),
];

fn program(text: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|(words, _)| words.iter().all(|word| text.contains(word)))
}

/// Whether a text is of one of them.
pub(crate) fn is_it(text: &str) -> bool {
    program(text).is_some()
}

/// Reads all tests.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    // kbench and kubestr are mostly seen through the logs of their containers.
    let text = without_prefixes(text, &["FIO Benchmark Summary", "JobName: ", "fio Disk Speed Tests"]);
    program(&text).map_or(Ok(()), |(_, read)| read(&text, reading))
}

/// A load of which only the kind is told.
fn load_of(pattern: Pattern, read_percent: f64) -> StatedLoad {
    StatedLoad { pattern: Some(pattern), rwmix_read_percent: Some(read_percent), ..StatedLoad::default() }
}

/// A section of kbench: how its headline begins, and the figure that its numbers are.
type Section = (&'static str, fn(&mut StatedStream, Stated));
/// Rates and latencies are means of fio that are cut off at the point (`parse.sh` of kbench).
const SECTIONS: [Section; 3] = [
    ("IOPS (", |stream, iops| stream.iops = Some(iops)),
    ("Bandwidth in KiB/sec", |stream, kib| stream.bandwidth_mib_per_s = Some(kib.per(1_024.0))),
    ("Latency in ns", |stream, ns| stream.total_latency.mean_us = Some(ns.per(1e3))),
];

/// kbench: below each headline a line of random and one of sequential I/O, each with reads and writes, which ran one after the other.
fn read_kbench(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let mut section: Option<&Section> = None;
    for (line, whole) in numbered(text) {
        let whole = whole.trim();
        section = SECTIONS.iter().find(|(headline, _)| whole.starts_with(headline)).or(section);
        let (Some((_, set)), Some((name, figures))) = (section, whole.split_once(':')) else { continue };
        let pattern = match name {
            "Random" => Pattern::Random,
            "Sequential" => Pattern::Sequential,
            _ => continue,
        };
        let numbers: Vec<Option<Stated>> =
            figures.split('/').map(|number| Stated::parse(&number.replace(',', ""))).collect();
        let [Some(reads), Some(writes)] = numbers[..] else {
            reading.notes.warn_line(line, format!("`{}` is not understood", quote(whole)));
            continue;
        };
        for (word, percent, number) in [("read", 100.0, reads), ("write", 0.0, writes)] {
            // fio was not told to do anything, or failed, and kbench prints what is left.
            if number.value <= 0.0 {
                continue;
            }
            let mut stream = StatedStream::default();
            set(&mut stream, number);
            let mut job = ImportedJob {
                name: format!("{} {word}", name.to_ascii_lowercase()),
                ..ImportedJob::default()
            };
            job.load = load_of(pattern, percent);
            *(if word == "read" { &mut job.ops.read } else { &mut job.ops.write }) = Some(stream);
            let mut record = reading.record("kbench", None, format!("line {line}, {word}s"));
            record.jobs.push(job);
            reading.keep(record)?;
        }
    }
    Ok(())
}

/// How long kubestr's own job is measured (`fio_jobs.go`). It has a ramp before that, and I/Os that are under way when the ramp ends bring
/// fio bytes without being counted: all that are outstanding, in this time.
const MEASURED_S: f64 = 15.0;

/// kubestr: jobs with some of their options, and two lines for each direction.
fn read_kubestr(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let global = text.lines().find_map(|line| line.trim().strip_prefix("Global options - ")).unwrap_or("");
    let version = text.lines().find_map(|line| line.trim().strip_prefix("FIO version - "));
    let value = |text: &str, name: &str| {
        after(text, &format!("{name}="), &[' ']).filter(|value| !value.is_empty()).map(str::to_owned)
    };
    let mut current: Option<(usize, ImportedJob)> = None;
    let (mut is_read, mut kept) = (true, 0);
    let mut keep = |job: Option<(usize, ImportedJob)>, reading: &mut Reading<'_>| {
        let Some((line, job)) = job.filter(|(_, job)| job.ops != StatedOps::default()) else { return Ok(()) };
        let mut record = reading.record("kubestr", version, format!("line {line}"));
        record.jobs.push(job);
        kept += 1;
        reading.keep(record)
    };
    for (line, whole) in numbered(text) {
        let whole = whole.trim();
        if let Some(name) = whole.strip_prefix("JobName:") {
            keep(current.take(), reading)?;
            let mut job = ImportedJob { name: quote(name), ..ImportedJob::default() };
            job.load.engine = value(global, "ioengine");
            job.load.direct = value(global, "direct").map(|word| word != "0");
            job.load.options.extend(value(global, "verify").map(|kind| ("verify".to_owned(), kind)));
            current = Some((line, job));
            continue;
        }
        let Some((_, job)) = &mut current else { continue };
        if whole.starts_with("blocksize=") {
            let kind = match value(whole, "rw").as_deref() {
                Some("read") => Some((Pattern::Sequential, 100.0)),
                Some("write") => Some((Pattern::Sequential, 0.0)),
                Some("randread") => Some((Pattern::Random, 100.0)),
                Some("randwrite") => Some((Pattern::Random, 0.0)),
                // The share of a mix is not among what is printed.
                _ => None,
            };
            job.load.pattern = kind.map(|(pattern, _)| pattern);
            job.load.rwmix_read_percent = kind.map(|(_, percent)| percent);
            job.load.iodepth = value(whole, "iodepth").and_then(|depth| depth.parse().ok());
            job.load.size = value(whole, "filesize").and_then(|size| binary_size(&size));
            let size = value(whole, "blocksize").and_then(|size| binary_size(&size));
            job.load = std::mem::take(&mut job.load).with_block_size(size);
        } else if let "read:" | "write:" = whole {
            is_read = whole == "read:";
        } else if whole.starts_with("IOPS=") {
            let outstanding = job.load.block_size().map_or(0.0, |size| {
                #[expect(clippy::cast_precision_loss, reason = "a bound")]
                let bytes = size.get() as f64 * job.load.iodepth.unwrap_or(1) as f64;
                bytes / 1_048_576.0
            });
            let stream = StatedStream {
                iops: value(whole, "IOPS").and_then(|iops| Stated::parse(&iops)),
                bandwidth_mib_per_s: value(whole, "BW(KiB/s)")
                    .and_then(|kib| Stated::parse(&kib))
                    .map(|kib| kib.per(1_024.0))
                    // Towards zero a number may be off by half a step.
                    .map(|mib| Stated {
                        resolution: mib.resolution.max(2.0 * outstanding / MEASURED_S),
                        ..mib
                    }),
                ..StatedStream::default()
            };
            *(if is_read { &mut job.ops.read } else { &mut job.ops.write }) = Some(stream);
        }
    }
    keep(current, reading)?;
    if kept > 1 {
        reading
            .notes
            .warn("the jobs", "do not say whether they ran at once: each is taken as a run of its own");
    }
    Ok(())
}

/// A table of YABS has two.
const MOST_COLUMNS: usize = 16;

/// What the rows of a table of YABS are, and the direction of each.
type Row = (&'static str, fn(&mut StatedOps) -> &mut Option<StatedStream>);
const ROWS: [Row; 3] =
    [("Read", |ops| &mut ops.read), ("Write", |ops| &mut ops.write), ("Total", |ops| &mut ops.all)];

/// YABS: tables of two block sizes, half reads and half writes. It prints KiB of fio as KB, and divides them by 1,000 for MB
/// (`format_speed` in its source).
fn read_yabs(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    // The columns of the table that is being read: where, which block size, and what it did.
    let mut columns: Vec<(usize, String, StatedOps)> = Vec::new();
    for (line, whole) in numbered(text) {
        let mut cells = whole.split('|').map(str::trim);
        let name = cells.next().unwrap_or_default();
        if name == "Block Size" {
            keep_yabs(std::mem::take(&mut columns), reading)?;
            let sizes = cells.take(MOST_COLUMNS).filter_map(|cell| cell.split_whitespace().next());
            columns = sizes.map(|size| (line, size.to_owned(), StatedOps::default())).collect();
        } else if let Some((_, stream_of)) = ROWS.iter().find(|(row, _)| *row == name) {
            for ((.., ops), cell) in columns.iter_mut().zip(cells) {
                *stream_of(ops) = yabs_cell(cell);
            }
            columns.iter_mut().filter_map(|(.., ops)| ops.all.as_mut()).for_each(is_sum);
        }
    }
    keep_yabs(columns, reading)
}

/// `222.19 MB/s  (55.5k)`
fn yabs_cell(cell: &str) -> Option<StatedStream> {
    let (speed, iops) = cell.split_once('(')?;
    let (number, unit) = number_and_unit(speed);
    let kib = match unit {
        "KB/s" => 1.0,
        "MB/s" => 1e3,
        "GB/s" => 1e6,
        _ => return None,
    };
    let iops = iops.trim_end_matches(')').trim();
    let (digits, thousands) = iops.strip_suffix('k').map_or((iops, 1.0), |digits| (digits, 1e3));
    Some(StatedStream {
        bandwidth_mib_per_s: Stated::parse(number).map(|number| number.times(kib).per(1_024.0)),
        iops: Stated::parse(digits).map(|number| number.times(thousands)),
        ..StatedStream::default()
    })
}

/// The sum of two numbers of which each is cut off at the point: it lacks up to two I/Os, and two KiB.
fn is_sum(all: &mut StatedStream) {
    let at_least = |number: &mut Option<Stated>, step: f64| {
        number.iter_mut().for_each(|number| number.resolution = number.resolution.max(step));
    };
    at_least(&mut all.iops, 2.0);
    at_least(&mut all.bandwidth_mib_per_s, 2.0 / 1_024.0);
}

fn keep_yabs(columns: Vec<(usize, String, StatedOps)>, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    for (line, size, ops) in columns {
        if ops.streams().next().is_some() {
            let record = yabs_record(&size, ops, format!("line {line}, {}", quote(&size)), None, reading);
            reading.keep(record)?;
        }
    }
    Ok(())
}

fn yabs_record(
    size: &str,
    mut ops: StatedOps,
    place: String,
    version: Option<&str>,
    reading: &Reading<'_>,
) -> iotrial_model::imported::ImportedRecord {
    let mut record = reading.record("YABS", version, place);
    let load = load_of(Pattern::Random, 50.0).with_block_size(binary_size(size));
    let all = ops.all.take();
    // Its sum is of both directions, and hangs above them.
    record.total = all.map(|all| StatedOps { all: Some(all), ..ops.clone() });
    record.jobs.push(ImportedJob { name: quote(size), load, ops, ..ImportedJob::default() });
    record
}

#[derive(Deserialize)]
struct Yabs {
    version: Option<String>,
    fio: Vec<YabsBlock>,
}

/// Speeds in KiB/s and rates, cut off at the point.
#[derive(Deserialize)]
struct YabsBlock {
    bs: String,
    speed_r: f64,
    iops_r: f64,
    speed_w: f64,
    iops_w: f64,
    speed_rw: f64,
    iops_rw: f64,
}

fn read_yabs_json(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let start = text.find('{').unwrap_or_default();
    let parsed: Yabs = serde_json::from_str(&text[start..]).map_err(|error| {
        reading.broken(format!("line {}, column {}", error.line(), error.column()), quote(&error.to_string()))
    })?;
    for (at, block) in parsed.fio.iter().enumerate() {
        let stream = |speed, iops| {
            Some(StatedStream {
                bandwidth_mib_per_s: Some(Stated::with_decimals(speed, 0).per(1_024.0)),
                iops: Some(Stated::with_decimals(iops, 0)),
                ..StatedStream::default()
            })
        };
        let mut ops = StatedOps {
            read: stream(block.speed_r, block.iops_r),
            write: stream(block.speed_w, block.iops_w),
            all: stream(block.speed_rw, block.iops_rw),
            ..StatedOps::default()
        };
        ops.all.iter_mut().for_each(is_sum);
        let record = yabs_record(&block.bs, ops, format!("fio[{at}]"), parsed.version.as_deref(), reading);
        reading.keep(record)?;
    }
    Ok(())
}
