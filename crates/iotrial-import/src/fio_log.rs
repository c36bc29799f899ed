//! fio's logs of rate, bandwidth and latency over time, which lie beside its JSON.
//!
//! A line is `time in ms, value, direction, block size` and more. Only averaged logs (`log_avg_msec`) are
//! taken: the others have a line for each I/O, and say little about a stretch of time.

use std::collections::BTreeMap;

use iotrial_model::imported::{ImportedJob, ImportedRecord, Stated, StatedInterval, StatedStream};

use crate::Reading;
use crate::fio_options::FioOptions;
use crate::text::{numbered, quote};

/// Copies of one job whose logs are looked for.
// A choice: each copy is up to six names that are asked for.
const MOST_COPIES: u64 = 4_096;
/// Longer logs are cut off, and longer courses of all jobs of a run.
// A million lines are a day at ten a second.
const MOST_LINES: usize = 1_000_000;
const MOST_STRETCHES: usize = 50_000;

/// Whether a text consists of lines of a log.
pub(crate) fn looks_like_log(text: &str) -> bool {
    // Five lines are enough to tell a log from other columns of numbers.
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(5).peekable();
    lines.peek().is_some() && lines.all(|line| parse_line(line).is_some())
}

struct LogLine {
    time_ms: f64,
    value: Stated,
    is_write: bool,
}

/// `None` for anything but a line of a log of reads or writes.
fn parse_line(line: &str) -> Option<LogLine> {
    let mut fields = line.split(',').map(str::trim);
    // Times are whole milliseconds; anything else is another table of numbers.
    let time_ms = Stated::parse(fields.next()?).filter(|time| time.resolution >= 1.0)?.value;
    let value = Stated::parse(fields.next()?).filter(|value| value.value >= 0.0)?;
    let is_write = match fields.next()? {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    Stated::parse(fields.next()?)?;
    // Block size, offset, priority and issue time by version; offsets may be hexadecimal.
    let rest =
        fields.take(5).filter(|field| field.parse::<u64>().is_err() && !field.starts_with("0x")).count();
    (rest == 0).then_some(LogLine { time_ms, value, is_write })
}

/// The kinds of log: the option that asks for it, and how its file is called.
const KINDS: [(&str, &str); 3] =
    [("write_iops_log", "iops"), ("write_bw_log", "bw"), ("write_lat_log", "lat")];

/// One value of one stretch of one direction: the sum over the copies, and how many had one.
#[derive(Default)]
struct Cell {
    sum: f64,
    resolution: f64,
    copies: u64,
}

/// The cells of one kind, by the number of the stretch and the direction.
type Cells = BTreeMap<(u64, bool), Cell>;

/// Adds what the logs of the jobs tell, where they lie beside the file.
pub(crate) fn add_intervals(record: &mut ImportedRecord, reading: &mut Reading<'_>) {
    // Log files are numbered over all jobs of a run, in their order.
    let mut first_copy = 1;
    let mut intervals = Vec::new();
    for (index, job) in record.jobs.iter().enumerate() {
        let copies = job.load.numjobs.unwrap_or(1).min(MOST_COPIES);
        let version = record.source.version.as_deref();
        let mut of_job = intervals_of(index, job, first_copy, copies, version, reading);
        // Cannot be negative: what is kept below is cut to the rest.
        let left = MOST_STRETCHES - intervals.len();
        if of_job.len() > left {
            of_job.truncate(left);
            reading.notes.warn(
                format!("the logs of {}", quote(&job.name)),
                format!("only {MOST_STRETCHES} stretches of time are imported, for all jobs together"),
            );
        }
        intervals.extend(of_job);
        first_copy += copies;
    }
    record.intervals = intervals;
}

fn intervals_of(
    index: usize,
    job: &ImportedJob,
    first_copy: u64,
    copies: u64,
    version: Option<&str>,
    reading: &mut Reading<'_>,
) -> Vec<StatedInterval> {
    let options =
        FioOptions::new(job.load.options.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    if options.is_empty() {
        return Vec::new();
    }
    let window_ms: u64 =
        // Zero is fio's default: a line for each I/O.
        options.get(&["log_avg_msec"]).and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let mut tables: [Cells; 3] = Default::default();
    let mut found = 0;
    for ((option, kind), cells) in KINDS.into_iter().zip(&mut tables) {
        let Some(prefix) = options.get(&[option]) else { continue };
        // `write_iops_log` without a name takes that of the job.
        let prefix = if prefix.is_empty() || prefix == "1" { job.name.as_str() } else { prefix };
        // Only names beside the file, never a way elsewhere.
        let prefix = prefix.rsplit(['/', '\\']).next().unwrap_or(prefix);
        let names = (first_copy..first_copy + copies).map(|copy| format!("{prefix}_{kind}.{copy}.log"));
        // The name without a number is that of a run with `per_job_logs=0`.
        for name in names.chain([format!("{prefix}_{kind}.log")]) {
            if !reading.may_look_beside() {
                break;
            }
            let Some(bytes) = reading.beside(&name) else { continue };
            found += 1;
            // Still looked for, so that the files are not reported as unknown ones of the folder.
            if window_ms == 0 {
                continue;
            }
            add_log(&name, &String::from_utf8_lossy(&bytes), window_ms, cells, reading);
        }
    }
    if found > 0 && window_ms == 0 {
        reading.notes.warn(
            format!("the {found} logs of {}", quote(&job.name)),
            "have a line for each I/O (no log_avg_msec), and are not imported",
        );
    }
    // Latencies were microseconds before 3.0.
    let is_old =
        version.and_then(|text| text.split('.').next()?.parse::<u32>().ok()).is_some_and(|major| major < 3);
    let per_us = if is_old { 1.0 } else { 1e3 };
    assemble(index, &tables, window_ms, per_us)
}

fn add_log(name: &str, text: &str, window_ms: u64, cells: &mut Cells, reading: &mut Reading<'_>) {
    let mut unknown = 0;
    let mut start_ms = None;
    for (number, line) in numbered(text).take(MOST_LINES) {
        if line.trim().is_empty() {
            continue;
        }
        let Some(LogLine { time_ms, value, is_write }) = parse_line(line) else {
            unknown += 1;
            // The first line says what is wrong; the count of the others comes at the end.
            if unknown == 1 {
                reading.notes.warn(
                    format!("`{}`, line {number}", quote(name)),
                    format!("`{}` is not understood", quote(line)),
                );
            }
            continue;
        };
        // With `log_unix_epoch` the clock begins in 1970.
        // 10^11 ms since 1970 are in 1973, so no run of fio has such a time since its start.
        let start_ms = *start_ms.get_or_insert(if time_ms > 1e11 { time_ms } else { 0.0 });
        // Rounded, because the time of a line is off by some milliseconds.
        let stretch = ((time_ms - start_ms).max(0.0) / window_ms as f64).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and floats saturate"
        )]
        let stretch = stretch as u64;
        // One more than is kept, so that it is known that there were more.
        if stretch > MOST_STRETCHES as u64 {
            continue;
        }
        let cell = cells.entry((stretch, is_write)).or_default();
        // Rates of copies add up; the uncertainty of the sum is the sum of theirs.
        cell.sum += value.value;
        cell.resolution += value.resolution;
        cell.copies += 1;
    }
    if unknown > 1 {
        reading.notes.warn(format!("`{}`", quote(name)), format!("{unknown} lines are not understood"));
    }
}

/// The rates of the copies add up; their latencies do not, and are stated only for a single copy.
fn assemble(job: usize, tables: &[Cells; 3], window_ms: u64, per_us: f64) -> Vec<StatedInterval> {
    let [iops, bandwidth, latency] = tables;
    let mut stretches: Vec<u64> =
        tables.iter().flat_map(|cells| cells.keys().map(|(stretch, _)| *stretch)).collect();
    stretches.sort_unstable();
    stretches.dedup();
    let window_s = window_ms as f64 / 1e3;
    let interval = |stretch: u64| {
        let stream = |is_write: bool| {
            let key = (stretch, is_write);
            let sum = |cells: &Cells| {
                cells.get(&key).map(|cell| Stated { value: cell.sum, resolution: cell.resolution })
            };
            let mut one = StatedStream {
                iops: sum(iops),
                bandwidth_mib_per_s: sum(bandwidth).map(|kib| kib.per(1_024.0)),
                ..StatedStream::default()
            };
            one.total_latency.mean_us = latency
                .get(&key)
                // Means cannot be added, and to average them the counts are missing.
                .filter(|cell| cell.copies == 1)
                .map(|cell| Stated { value: cell.sum, resolution: cell.resolution }.per(per_us));
            Some(one).filter(|one| *one != StatedStream::default())
        };
        let mut interval =
            StatedInterval { job: Some(job), duration_s: window_s, ..StatedInterval::default() };
        // A line is about the window before its time.
        let end_s = stretch as f64 * window_s;
        interval.start_s = (end_s - window_s).max(0.0);
        interval.ops.read = stream(false);
        interval.ops.write = stream(true);
        interval
    };
    stretches.into_iter().map(interval).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_log_are_told_from_other_numbers() {
        assert!(looks_like_log("500, 12345, 0, 4096, 0\n1000, 12000, 1, 4096, 0x0\n"));
        for other in
            ["", "1;2;3", "500, 12345\n", "500, 12345, 7, 4096\n", "time, value, 0, 4096\n", "1.5, 2, 0, 8\n"]
        {
            assert!(!looks_like_log(other), "{other}");
        }
    }
}
