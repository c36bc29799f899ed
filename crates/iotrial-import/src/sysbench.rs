//! sysbench's `fileio`, versions 0.4 to 1.0: rates of each direction, and the latency of all that it does.

use iotrial_model::imported::{
    ImportedJob, ImportedRecord, Stated, StatedLoad, StatedPercentile, StatedStream,
};
use iotrial_model::load::Pattern;

use crate::scan::{after, binary_size, count_after, number_and_unit};
use crate::text::{numbered, quote, without_prefixes};
use crate::{ImportError, Reading};

/// Whether a text has a run of it.
pub(crate) fn is_it(text: &str) -> bool {
    (text.contains("reads/s:") && text.contains("writes/s:") && text.contains("written, MiB/s:"))
        || (text.contains("Operations performed:") && text.contains("Requests/sec executed"))
}

/// What is told of a run so far.
#[derive(Default)]
struct Run {
    line: usize,
    load: StatedLoad,
    reads: StatedStream,
    writes: StatedStream,
    /// Flushes per second, or in all.
    flushes: f64,
    runtime_s: Option<Stated>,
    event_count: Option<u64>,
    min_us: Option<Stated>,
    mean_us: Option<Stated>,
    max_us: Option<Stated>,
    percentile: Option<StatedPercentile>,
    has_ended: bool,
}

/// Reads all runs of a log.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let text = without_prefixes(text, &["File operations:", "Operations performed:"]);
    let mut version = None;
    let mut run = Run { line: 1, ..Run::default() };
    for (line, whole) in numbered(&text) {
        let whole = whole.trim();
        if let Some(rest) = whole.strip_prefix("sysbench ") {
            let found = rest.trim_start_matches('v').split([' ', ':']).next().unwrap_or_default();
            if found.starts_with(|first: char| first.is_ascii_digit()) {
                version = Some(quote(found));
            }
        }
        if whole.starts_with("Running the test with following options") {
            keep(std::mem::replace(&mut run, Run { line, ..Run::default() }), version.as_deref(), reading)?;
        }
        read_line(whole, &mut run);
    }
    keep(run, version.as_deref(), reading)
}

fn read_line(line: &str, run: &mut Run) {
    let stated = |text: &str| Stated::parse(number_and_unit(text).0);
    let ms = |text: &str| stated(text).map(|ms| ms.times(1e3));
    let load = &mut run.load;
    if let Some((label, value)) = line.split_once(':') {
        match label.trim() {
            "Number of threads" => load.numjobs = value.trim().parse().ok(),
            "Read/Write ratio for combined random IO test" => {
                let ratio = stated(value).map(|ratio| 100.0 * ratio.value / (ratio.value + 1.0));
                load.rwmix_read_percent = load.rwmix_read_percent.or(ratio);
            }
            "Extra file open flags" => {
                load.options.insert("file-extra-flags".to_owned(), quote(value));
                load.direct = match value.trim() {
                    "(none)" | "0" => Some(false),
                    flags if flags.contains("direct") => Some(true),
                    // The number of the flag differs between processors.
                    _ => None,
                };
            }
            "reads/s" => (run.reads.iops, run.has_ended) = (stated(value), true),
            "writes/s" => run.writes.iops = stated(value),
            "fsyncs/s" => run.flushes = stated(value).map_or(0.0, |rate| rate.value),
            "read, MiB/s" => run.reads.bandwidth_mib_per_s = stated(value),
            "written, MiB/s" => run.writes.bandwidth_mib_per_s = stated(value),
            "total time" => run.runtime_s = stated(value),
            "total number of events" => run.event_count = value.trim().parse().ok(),
            "min" => run.min_us = ms(value),
            "avg" => run.mean_us = ms(value),
            "max" => run.max_us = ms(value),
            // `95th percentile`, before 1.0 `approx.  95 percentile`
            label if label.ends_with(" percentile") => {
                let percent = label.trim_start_matches("approx.").trim_start();
                let percent = number_and_unit(percent).0.parse().ok();
                run.percentile = percent.zip(ms(value)).map(|(percent, at)| StatedPercentile { percent, at });
            }
            "Operations performed" => {
                let count = |word: &str| {
                    let value = value.to_ascii_lowercase();
                    let at = value.find(word)?;
                    value[..at].split_whitespace().last()?.parse::<u64>().ok()
                };
                run.reads.io_count = count("read");
                run.writes.io_count = count("write");
                #[expect(clippy::cast_precision_loss, reason = "a rate")]
                let flushes = count("other").unwrap_or(0) as f64;
                (run.flushes, run.has_ended) = (flushes, true);
            }
            _ => {}
        }
        return;
    }
    if let Some(size) = line.strip_prefix("Block size ") {
        *load = std::mem::take(load).with_block_size(binary_size(size));
    } else if let Some(size) = line.strip_suffix(" total file size") {
        load.size = binary_size(size);
    } else if let Some(mode) = line.strip_prefix("Using ").and_then(|rest| rest.strip_suffix(" I/O mode")) {
        load.engine = Some(quote(mode));
        // One after the other in each thread.
        load.iodepth = (mode == "synchronous").then_some(1);
    } else if line.starts_with("Periodic FSYNC enabled") {
        let every = count_after(line, "each ").map(|count| count.to_string());
        load.options.extend(every.map(|every| ("file-fsync-freq".to_owned(), every)));
    } else if let Some(test) = after(line, "Doing ", &[]).filter(|test| test.ends_with(" test")) {
        load.pattern = Some(if test.starts_with("random") { Pattern::Random } else { Pattern::Sequential });
        if !test.contains("r/w") {
            load.rwmix_read_percent = Some(if test.contains("read") { 100.0 } else { 0.0 });
        }
    }
}

fn keep(mut run: Run, version: Option<&str>, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    if !run.has_ended {
        return Ok(());
    }
    let place = format!("line {}", run.line);
    let mut record: ImportedRecord = reading.record("sysbench", version, &place);
    for stream in [&mut run.reads, &mut run.writes] {
        stream.runtime_s = run.runtime_s;
        if let (Some(count), Some(runtime_s), None) = (stream.io_count, run.runtime_s, stream.iops) {
            #[expect(clippy::cast_precision_loss, reason = "counts of a benchmark are below 2^53")]
            let count = Stated::exact(count as f64);
            stream.iops = count.over(runtime_s);
        }
    }
    let did = |stream: &StatedStream| stream.iops.is_some_and(|iops| iops.value > 0.0);
    let [does_read, does_write] = [&run.reads, &run.writes].map(did);
    let mut job = ImportedJob { name: "fileio".to_owned(), load: run.load, ..ImportedJob::default() };
    // Its latencies are of all events, and flushes are events, too.
    let is_of_one = run.flushes == 0.0 && does_read != does_write;
    if is_of_one {
        let stream = if does_read { &mut run.reads } else { &mut run.writes };
        stream.io_count = stream.io_count.or(run.event_count);
        let latency = &mut stream.total_latency;
        (latency.min_us, latency.mean_us, latency.max_us) = (run.min_us, run.mean_us, run.max_us);
        latency.percentiles_us.extend(run.percentile);
    } else if run.mean_us.is_some() {
        reading
            .notes
            .warn(place, "its latencies are of reads, writes and flushes together, and are left out");
    }
    job.ops.read = does_read.then_some(run.reads);
    job.ops.write = does_write.then_some(run.writes);
    record.jobs.push(job);
    reading.keep(record)
}
