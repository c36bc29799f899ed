//! fio's terse lines, versions 2 to 5: fields between semicolons, one line a job.
//!
//! Latencies are µs, amounts KiB. The lines say nothing of the load, and not what ran at once: each is a
//! record of its own.

use iotrial_model::imported::{
    CpuBasis, ImportedJob, ImportedRecord, Stated, StatedCpu, StatedLatency, StatedPercentile, StatedStream,
};

use crate::fio::ended_with;
use crate::text::{count, number, numbered, quote};
use crate::{ImportError, Reading};

/// Percentiles of each stream.
// fio pads the list to twenty, whatever was asked for.
const PERCENTILES: usize = 20;
/// Fields of each stream: amount, rate, time, three latencies, percentiles, and how the bandwidth varied.
// Four figures, three latencies of four, the percentiles, and five on how the bandwidth varied (minimum,
// maximum, share, mean, deviation).
const STREAM_FIELDS: usize = 4 + 3 * 4 + PERCENTILES + 5;
/// Most fields that are read of a line: three streams and what several devices did.
// Three streams of at most 47 fields, and a few for each device.
const MOST_FIELDS: usize = 1_000;
/// Version 5 also tells how the rate varied.
const MORE_FIELDS_OF_5: usize = 6;

/// Whether a line is one of fio's terse output.
pub(crate) fn is_terse(line: &str) -> bool {
    let mut fields = line.trim_start().split(';');
    match fields.next() {
        Some("3" | "4" | "5") => {
            // By the number of fields as well: other tools print lines with semicolons that begin with a
            // digit.
            fields.next().is_some_and(|version| version.starts_with("fio-")) && fields.count() > STREAM_FIELDS
        }
        // Version 2 has no version of fio in its lines.
        Some("2") => fields.count() > 2 * STREAM_FIELDS,
        _ => false,
    }
}

/// Reads all lines.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let mut count = 0;
    for (line, fields) in numbered(text).filter(|(_, line)| is_terse(line)) {
        let fields: Vec<&str> = fields.trim().split(';').take(MOST_FIELDS).collect();
        let record = read_line(line, &fields, reading)?;
        reading.keep(record)?;
        count += 1;
    }
    if count > 1 {
        reading
            .notes
            .warn("the lines", "do not say whether jobs ran at once: each is taken as a run of its own");
    }
    Ok(())
}

fn read_line(line: usize, fields: &[&str], reading: &mut Reading<'_>) -> Result<ImportedRecord, ImportError> {
    let terse = fields[0];
    let (version, name_at) =
        // The first field is the version of the format, the second that of fio.
        if terse == "2" { (None, 1) } else { (Some(fields[1].trim_start_matches("fio-")), 2) };
    let width = STREAM_FIELDS + if terse == "5" { MORE_FIELDS_OF_5 } else { 0 };
    let stream_count = if terse == "3" { 2 } else { 3 };
    // Name, group and error come before the streams.
    let first = name_at + 3;
    let end = first + stream_count * width;
    if fields.len() < end {
        let message =
            format!("a line of version {terse} has at least {end} fields, and this one has {}", fields.len());
        return Err(reading.broken(format!("line {line}"), message));
    }
    let mut record = reading.record("fio", version, format!("line {line}"));
    let mut job = ImportedJob { name: quote(fields[name_at]), ..ImportedJob::default() };
    for (index, name) in ["read", "write", "trim"].into_iter().enumerate().take(stream_count) {
        let from = first + index * width;
        let (stream, total_gib) = read_stream(&fields[from..from + width], line, from, reading);
        // What moved an amount without any figure is kept: a stream that was stopped at once.
        if stream.is_idle() && total_gib.is_none_or(|total| total.value == 0.0) {
            continue;
        }
        match name {
            "read" => job.ops.read = Some(stream),
            "write" => job.ops.write = Some(stream),
            _ => {
                reading.notes.warn_line(line, "trims are not imported");
                continue;
            }
        }
        record.other.extend(total_gib.map(|total| (format!("{name}.total_gib"), total)));
    }
    let mut share = |at: usize| {
        let field = fields.get(at)?.trim_end_matches('%');
        number(field, || place(line, at), &mut reading.notes)
    };
    let cpu = StatedCpu {
        usr_percent: share(end),
        sys_percent: share(end + 1),
        per_io_us: None,
        of: CpuBasis::EachCopy,
    };
    job.cpu = Some(cpu).filter(|cpu| cpu.usr_percent.is_some());
    let error = count(fields[name_at + 2], || place(line, name_at + 2), &mut reading.notes);
    job.error = error.filter(|code| *code != 0).map(ended_with);
    if let Some(error) = &job.error {
        reading.notes.warn(place(line, name_at + 2), error.clone());
    }
    record.jobs.push(job);
    Ok(record)
}

/// Fields are counted from 1.
fn place(line: usize, field: usize) -> String {
    // People count fields from 1.
    format!("line {line}, field {}", field + 1)
}

/// The stream, and its amount, which is stated in KiB only.
fn read_stream(
    fields: &[&str],
    line: usize,
    first: usize,
    reading: &mut Reading<'_>,
) -> (StatedStream, Option<Stated>) {
    let mut at = |index: usize| number(fields[index], || place(line, first + index), &mut reading.notes);
    // The record's amounts are GiB; the resolution goes with the number.
    let total_gib = at(0).map(|kib| kib.per(1_048_576.0));
    let mut latency = |from: usize| {
        let stated = StatedLatency {
            min_us: at(from),
            max_us: at(from + 1),
            mean_us: at(from + 2),
            stddev_us: at(from + 3),
            ..StatedLatency::default()
        };
        // Zeros for a direction without I/O, as in JSON. The longest alone does not tell: it is in whole µs.
        if stated.is_zero() { StatedLatency::default() } else { stated }
    };
    // The order of the fields: submission, completion, percentiles of the completion, total.
    let submission_latency = latency(4);
    let mut completion_latency = latency(8);
    let total_latency = latency(12 + PERCENTILES);
    let stream = StatedStream {
        bandwidth_mib_per_s: at(1).map(|kib| kib.per(1_024.0)),
        iops: at(2),
        runtime_s: at(3).map(|ms| ms.per(1e3)),
        submission_latency,
        total_latency,
        ..StatedStream::default()
    };
    for (index, field) in fields[12..12 + PERCENTILES].iter().enumerate() {
        let parsed = field
            .split_once("%=")
            .and_then(|(percent, at)| Some((Stated::parse(percent)?.value, Stated::parse(at)?)));
        match parsed {
            // Lists shorter than the longest are padded.
            Some((0.0, _)) => {}
            Some((percent, at)) => completion_latency.percentiles_us.push(StatedPercentile { percent, at }),
            None => reading
                .notes
                .warn(place(line, first + 12 + index), format!("`{}` is not a percentile", quote(field))),
        }
    }
    // Percentiles of a stream without I/O are all zero.
    if completion_latency.mean_us.is_none() {
        completion_latency.percentiles_us.clear();
    }
    completion_latency.percentiles_us.sort_by(|a, b| a.percent.total_cmp(&b.percent));
    (StatedStream { completion_latency, ..stream }, total_gib)
}
