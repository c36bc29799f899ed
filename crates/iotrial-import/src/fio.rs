//! fio's JSON and json+, from 2.1 with microseconds to 3.4x with nanoseconds.
//!
//! A document is one run of fio. Jobs of it that wait for those before them (`stonewall`) are runs of their
//! own. What lies in the way of naive readers, and is met here: text before, between and after documents;
//! `nan` where a number should be; keys that stand twice; `io_bytes` that were KiB before 3.0; padding among
//! the percentiles; entries of a group that carry the options of one job only; the same run printed several
//! times while it goes on; clients with a list of their own.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use iotrial_model::histogram::LatencyHistogram;
use iotrial_model::imported::{
    CpuBasis, ImportedJob, ImportedRecord, Stated, StatedCpu, StatedDevice, StatedLatency, StatedLoad,
    StatedOps, StatedPercentile, StatedSamples, StatedStream,
};

use crate::fio_log;
use crate::fio_options::FioOptions;
use crate::json::{Node, documents};
use crate::text::{numbered, quote, quote_message};
use crate::{ImportError, Reading};

mod group;

use group::{has_other_jobs, ran_as_long_as_asked, warn_of_short};

/// What a job may have and a record has no place for: percentages by depth and coarse latency, faults,
/// switches.
// Listed, because everything else that is not read gets a warning: a key of a newer fio must not vanish
// unnoticed. These are known, and no figure of a record.
const PASSED_OVER: [&str; 22] = [
    "eta",
    "elapsed",
    "job_start",
    "job_runtime",
    "groupid",
    "ctx",
    "majf",
    "minf",
    "iodepth_level",
    "iodepth_submit",
    "iodepth_complete",
    "latency_ns",
    "latency_us",
    "latency_ms",
    "latency_depth",
    "latency_target",
    "latency_percentile",
    "latency_window",
    "desc",
    "port",
    "steadystate",
    "first_error",
];
/// The same of a stream.
// `bw_mean` and its kin are means of samples fio takes every half a second; the totals are exact. `bw` and
// `io_kbytes` repeat others, rounded.
const STREAM_PASSED_OVER: [&str; 11] = [
    "io_kbytes",
    "bw_min",
    "bw_max",
    "bw_agg",
    "bw_mean",
    "bw_dev",
    "bw_samples",
    "iops_stddev",
    "prios",
    "short_ios",
    "drop_ios",
];

/// The most entries that are read of one document.
const MOST_JOBS: usize = 10_000;

/// Reads all documents of a text.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    // Foreign lines are blanked before parsing, so that line numbers in messages stay those of the file.
    let text = without_foreign_lines(text, reading);
    let (documents, broken) = documents(&text, "fio version");
    let mut results: Vec<Found<'_, '_>> = Vec::new();
    for one in &documents {
        let found = |node| Found { line: one.line, decimals: one.decimals, node };
        one.node.look_for(&|node| node.get("fio version").is_some(), &mut |node| results.push(found(node)));
    }
    for one in &broken {
        let place = format!("line {}, column {}", one.line, one.column);
        // The words of the parser are turned into those of the problem: people look for a NaN, not for an
        // «expected value».
        let message = match one.message.as_str() {
            _ if one.is_cut_off => "it ends before its JSON is complete",
            "recursion limit exceeded" => "values are nested more than 128 deep",
            "expected value" => "a value is missing here; JSON has no numbers such as NaN",
            message => message,
        };
        // A word in braces does not count as a broken document where there is a whole one.
        if results.is_empty() {
            return Err(reading.broken(place, message));
        }
        reading.notes.warn(place, message);
    }
    if results.is_empty() {
        // What fio said before it broke off is all that there is.
        // The first warning is the first thing that fio printed, and mostly the reason.
        let said = reading.notes.take().into_iter().next().map(|warning| warning.message);
        let other = || text.lines().find(|line| !line.trim().is_empty()).map(quote_message);
        let said = said.or_else(other).unwrap_or_default();
        return Err(reading.no_result(format!("there is only “{said}”")));
    }
    let mut snapshots = 0;
    for (index, document) in results.iter().enumerate() {
        let prefix = if results.len() > 1 {
            format!("document {} (line {}), ", index + 1, document.line)
        } else {
            String::new()
        };
        // With `--status-interval` fio prints the same run again and again; each document holds everything
        // since the start, so only the last one counts.
        if results.get(index + 1).is_some_and(|next| goes_on_in(document.node, next.node)) {
            snapshots += 1;
            continue;
        }
        if snapshots > 0 {
            let message = format!(
                "the file has {} reports of the same run (`--status-interval`); only the last one is used",
                snapshots + 1
            );
            reading.notes.warn(format!("{prefix}jobs"), message);
            snapshots = 0;
        }
        // fio 3.1 pads its lists of percentiles with the same key.
        for path in document.node.keys_twice().iter().filter(|path| !path.ends_with(".percentile.0.00")) {
            // Options are taken in their order, as fio takes them.
            let is_option = ["job options.", "global options."].iter().any(|list| path.contains(list));
            let which = if is_option { "last" } else { "first" };
            reading.notes.warn(format!("{prefix}{path}"), format!("occurs twice; the {which} one counts"));
        }
        // `client_stats` in client/server mode.
        let list = document.node.get("jobs").or(document.node.get("client_stats"));
        if list.is_some_and(|list| list.items().len() > MOST_JOBS) {
            return Err(reading.broken(format!("{prefix}jobs"), format!("there are more than {MOST_JOBS}")));
        }
        Run { document: *document, prefix }.read(reading)?;
    }
    Ok(())
}

/// fio's sum over all clients, which is not a job.
pub(crate) const ALL_CLIENTS: &str = "All clients";

/// What an error of a job means.
pub(crate) fn ended_with(code: u64) -> String {
    format!("fio ended the job with error {code}")
}

/// The entries of a document: jobs, or those of clients.
fn entries_of<'d, 't>(top: &'d Node<'t>) -> &'d [Node<'t>] {
    top.get("jobs").or(top.get("client_stats")).map_or(&[], Node::items)
}

/// Whether a later document tells of the same run: it began before this one was printed, with the same jobs,
/// and has done no less.
fn goes_on_in(now: &Node<'_>, later: &Node<'_>) -> bool {
    let (before, after) = (entries_of(now), entries_of(later));
    let streams = |entry: &Node<'_>, key: &str| {
        ["read", "write", "trim"].map(|stream| {
            // All streams of an entry have done no less: of a run that went on that must be so, while a new
            // run begins with little.
            let value = entry.get(stream).and_then(|stream| stream.get(key)?.whole());
            value.unwrap_or(0)
        })
    };
    let has_done_more = |(before, after): (&Node<'_>, &Node<'_>)| {
        let pairs = streams(before, "io_bytes").into_iter().zip(streams(after, "io_bytes"));
        name_of(before) == name_of(after) && pairs.into_iter().all(|(before, after)| before <= after)
    };
    let ran_ms = after.iter().flat_map(|entry| streams(entry, "runtime")).max().unwrap_or(0);
    let Some((printed, printed_later)) = printed_ms(now).zip(printed_ms(later)) else { return false };
    // A run that began before the earlier document was printed is the same run. Printed times may be whole
    // seconds, so one step is allowed for.
    let began_before = printed_later.saturating_sub(ran_ms).saturating_add(printed_step_ms(later)) <= printed;
    !before.is_empty()
        && before.len() == after.len()
        // A document that was printed before cannot tell of the same run later on.
        && printed <= printed_later
        && began_before
        && before.iter().zip(after).all(has_done_more)
}

/// When a document was printed, since 1970.
fn printed_ms(top: &Node<'_>) -> Option<u64> {
    let ms = top.get("timestamp_ms").and_then(Node::whole);
    ms.or_else(|| top.get("timestamp").and_then(Node::whole)?.checked_mul(1_000))
}

/// How well it tells that.
fn printed_step_ms(top: &Node<'_>) -> u64 {
    if top.get("timestamp_ms").is_some() { 1 } else { 1_000 }
}

/// Lines that fio prints among its JSON, as where errors and results go into one file, are blanked out, and
/// so are values such as NaN.
fn without_foreign_lines<'t>(text: &'t str, reading: &mut Reading<'_>) -> Cow<'t, str> {
    let is_message = |line: &str| {
        line.starts_with("fio: ") || line.starts_with("fs: ") || line.contains(": verify failed at file ")
    };
    // A look without a copy first: nearly all files have no such line.
    if !text.lines().any(|line| is_message(line) || no_number(line).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len() + 64);
    for (number, line) in numbered(text) {
        if is_message(line) {
            let said = line.strip_prefix("fio: ").unwrap_or(line);
            reading.notes.warn_line(number, format!("message from fio: {}", quote_message(said)));
        } else if let Some(key) = no_number(line) {
            reading.notes.warn_line(number, format!("`{}` is not a number", quote(key)));
            // JSON has no NaN, and one such value would make the whole document unreadable. `null` keeps the
            // place.
            let (key, value) = line.split_once("\" : ").unwrap_or((line, ""));
            kept.push_str(key);
            kept.push_str(if value.trim_end().ends_with(',') { "\" : null," } else { "\" : null" });
        } else {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    Cow::Owned(kept)
}

/// The key of a line whose value is not a number: `"iops" : -nan,`.
fn no_number(line: &str) -> Option<&str> {
    let (key, value) = line.split_once("\" : ")?;
    let value = value.trim().trim_end_matches(',').trim_start_matches('-');
    matches!(value, "nan" | "inf").then_some(key.trim().trim_start_matches('"'))
}

/// A result of fio: a document of its own, or one inside another, as scripts collect them.
#[derive(Clone, Copy)]
struct Found<'d, 't> {
    line: usize,
    decimals: u32,
    node: &'d Node<'t>,
}

/// One document: the result of one call of fio.
struct Run<'d, 't> {
    document: Found<'d, 't>,
    prefix: String,
}

/// One entry of the list of jobs.
struct Entry<'d, 't> {
    node: &'d Node<'t>,
    path: String,
    options: FioOptions,
    /// Whether it is the only one of its name: without `group_reporting` each copy of a job has an entry.
    is_alone: bool,
}

impl<'d, 't> Run<'d, 't> {
    fn read(&self, reading: &mut Reading<'_>) -> Result<(), ImportError> {
        let top = self.document.node;
        let list = ["jobs", "client_stats"].into_iter().find(|key| top.get(key).is_some());
        let Some(list) = list else {
            reading.notes.warn(format!("{}jobs", self.prefix), "is missing");
            return Ok(());
        };
        for (key, _) in top.entries() {
            let known = [
                "fio version",
                "timestamp",
                "timestamp_ms",
                "time",
                "global options",
                "jobs",
                "client_stats",
                "disk_util",
            ];
            if !known.contains(&key.as_ref()) {
                reading.notes.warn(format!("{}{}", self.prefix, quote(key)), "is not known and is ignored");
            }
        }
        let nodes = top.get(list).map_or(&[][..], Node::items);
        // Every job keeps all of its options.
        // Checked before they are copied: an empty job is two bytes, and global options are repeated in every
        // job.
        reading.make_room(nodes.len().saturating_mul(self.globals().map(length_of).sum()))?;
        // By host and name: clients of several hosts run jobs of the same name.
        let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
        nodes.iter().for_each(|node| *counts.entry(name_of(node)).or_default() += 1);
        let entry = |(index, node): (usize, &'d Node<'t>)| Entry {
            node,
            path: format!("{list}[{index}]"),
            options: self.options_of(node),
            is_alone: counts[&name_of(node)] == 1,
        };
        let entries: Vec<Entry<'_, '_>> = nodes.iter().enumerate().map(entry).collect();
        let version = top.get("fio version").and_then(Node::text);
        // `fio-3.33` in the document, 3.33 in the record.
        let version = version.map(|text| text.trim_start_matches("fio-"));
        let runs = split_at_barriers(&entries);
        let several = runs.len() > 1;
        for run in runs {
            let Some(first) = run.first() else { continue };
            let mut record = reading.record(
                "fio",
                version,
                format!("{}{}", self.prefix, if several { &first.path } else { list }),
            );
            record.measured_at = measured_at(top);
            // What the devices did is stated for all runs together, so nobody can say which part belongs to
            // which run.
            if !several {
                record.devices = top
                    .get("disk_util")
                    .map_or(&[][..], Node::items)
                    .iter()
                    .filter_map(|device| device_of(device, self.document.decimals))
                    .collect();
            }
            for entry in run {
                self.add_entry(entry, &mut record, reading);
            }
            if record.jobs.is_empty() && record.total.is_none() {
                continue;
            }
            fio_log::add_intervals(&mut record, reading);
            reading.keep(record)?;
        }
        Ok(())
    }

    /// The global options; clients have a list of them.
    fn globals(&self) -> impl Iterator<Item = &'d (Cow<'t, str>, Node<'t>)> {
        let global = self.document.node.get("global options");
        global.into_iter().flat_map(|node| node.items().first().unwrap_or(node).entries())
    }

    /// Those of the job, and below them the global ones.
    fn options_of(&self, job: &'d Node<'t>) -> FioOptions {
        let text = |(key, value): &'d (Cow<'t, str>, Node<'t>)| Some((key.as_ref(), value.text()?));
        let own = job.get("job options").into_iter().flat_map(|node| node.entries().iter());
        // The job's own options come later and replace the global ones.
        FioOptions::new(self.globals().chain(own).filter_map(text))
    }

    fn add_entry(&self, entry: &Entry<'_, '_>, record: &mut ImportedRecord, reading: &mut Reading<'_>) {
        let path = format!("{}{}", self.prefix, entry.path);
        let node = entry.node;
        let (hostname, name) = name_of(node);
        let mut ops = StatedOps::default();
        for (key, value) in node.entries() {
            let place = format!("{path}.{key}");
            match key.as_ref() {
                "read" => ops.read = self.stream(value, &place, reading),
                "write" => ops.write = self.stream(value, &place, reading),
                "mixed" => ops.all = self.stream(value, &place, reading),
                "sync" => ops.sync = self.stream(value, &place, reading),
                "trim" => ops.trim = self.stream(value, &place, reading),
                "jobname" | "job options" | "error" | "usr_cpu" | "sys_cpu" | "total_err" | "hostname" => {}
                known if PASSED_OVER.contains(&known) => {}
                _ => reading.notes.warn(place, "is not known and is ignored"),
            }
        }
        // Two ways to tell that the figures are those of all copies: fio lists `group_reporting` only with a
        // value, and an entry that is the only one of its name must hold them all.
        let is_together = entry.is_alone || entry.options.is_on("group_reporting");
        let numjobs = if is_together { entry.options.numjobs() } else { 1 };
        // fio's sum over all clients, which is not a job.
        if name == ALL_CLIENTS {
            record.total = Some(ops);
            return;
        }
        let decimals = self.document.decimals;
        let percent = |key: &str| {
            // Stated with as many decimals as the finest number of the document has: fio prints all of them
            // alike, and reading JSON loses zeros at the end.
            Some(Stated::with_decimals(node.get(key)?.number().filter(|share| *share >= 0.0)?, decimals))
        };
        let cpu = StatedCpu {
            usr_percent: percent("usr_cpu"),
            sys_percent: percent("sys_cpu"),
            per_io_us: None,
            // fio's CPU is a share of one processor for each copy, not of the host.
            of: CpuBasis::EachCopy,
        };
        let error = node.get("error").and_then(Node::whole).filter(|code| *code != 0);
        let mut load = entry.options.load(numjobs, &path, &mut reading.notes);
        let is_of_others = is_together && has_other_jobs(node, &ops, &load);
        warn_of_short(node, &ops, &load, is_of_others, &path, reading);
        if is_of_others {
            let message = "the figures are those of a group of several jobs, but fio lists the options of only one of them: the figures are imported without a description of their load";
            reading.notes.warn(&path, message);
            // The options are kept, because they are what was found; only their meaning is withdrawn.
            load = StatedLoad { options: load.options, ..StatedLoad::default() };
        } else {
            load.is_alone = is_together
                && entry.options.is_on("group_reporting")
                && ran_as_long_as_asked(node, &ops, &load);
        }
        load = with_seen_iodepth(load, node, &path, reading);
        let job = ImportedJob {
            name: if hostname.is_empty() { quote(name) } else { quote(&format!("{hostname}: {name}")) },
            role: None,
            load,
            ops,
            error: error.map(ended_with),
            cpu: (cpu.usr_percent.is_some() || cpu.sys_percent.is_some()).then_some(cpu),
        };
        if let Some(error) = &job.error {
            reading.notes.warn(format!("{path}.error"), error.clone());
        }
        record.jobs.push(job);
    }

    /// A stream; `None` where nothing was done.
    fn stream(&self, node: &Node<'_>, path: &str, reading: &mut Reading<'_>) -> Option<StatedStream> {
        let decimals = self.document.decimals;
        let mut stream = StatedStream::default();
        let fraction = |value: &Node<'_>| match value {
            // A whole number has been printed without a fraction and is exact to one.
            Node::Whole(_) => value.number().map(|number| Stated::with_decimals(number, 0)),
            _ => value
                .number()
                .filter(|number| *number >= 0.0)
                .map(|number| Stated::with_decimals(number, decimals)),
        };
        for (key, value) in node.entries() {
            let place = || format!("{path}.{key}");
            let is_read = match key.as_ref() {
                "io_bytes" => set(&mut stream.bytes, value.whole()),
                "total_ios" => set(&mut stream.io_count, value.whole()),
                "runtime" => set(&mut stream.runtime_s, fraction(value).map(|ms| ms.per(1e3))),
                "iops" => set(&mut stream.iops, fraction(value)),
                // The finer one of two.
                "bw_bytes" => {
                    set(&mut stream.bandwidth_mib_per_s, fraction(value).map(|bytes| bytes.per(1_048_576.0)))
                }
                // Up to 3.1 there is only `bw`, in KiB.
                "bw" if node.get("bw_bytes").is_none() => {
                    set(&mut stream.bandwidth_mib_per_s, fraction(value).map(|kib| kib.per(1_024.0)))
                }
                "bw" => true,
                "slat_ns" => self.latency(value, 1e3, &place(), &mut stream.submission_latency, reading),
                "clat_ns" => self.latency(value, 1e3, &place(), &mut stream.completion_latency, reading),
                "lat_ns" => self.latency(value, 1e3, &place(), &mut stream.total_latency, reading),
                "slat" => self.latency(value, 1.0, &place(), &mut stream.submission_latency, reading),
                "clat" => self.latency(value, 1.0, &place(), &mut stream.completion_latency, reading),
                "lat" => self.latency(value, 1.0, &place(), &mut stream.total_latency, reading),
                "iops_min" | "iops_max" | "iops_mean" | "iops_samples" => true,
                known if STREAM_PASSED_OVER.contains(&known) => true,
                _ => {
                    reading.notes.warn(place(), "is not known and is ignored");
                    true
                }
            };
            if !is_read && *value != Node::Null {
                reading.notes.warn(place(), format!("{} is not a number of zero or more", value.words()));
            }
        }
        if stream.is_idle() {
            return None;
        }
        // How often it flushed is told only by how many of its flushes were timed.
        if stream.io_count == Some(0) {
            let timed = node.get("lat_ns").and_then(|latency| latency.get("N")?.whole());
            stream.io_count = timed.filter(|count| *count > 0);
        }
        let sampled = |key: &str| node.get(key).and_then(fraction);
        stream.sampled_iops = sampled("iops_min")
            .zip(sampled("iops_max"))
            .zip(sampled("iops_mean"))
            .zip(node.get("iops_samples").and_then(Node::whole).filter(|count| *count > 0))
            .map(|(((min, max), mean), count)| StatedSamples { min, max, mean, count });
        // Where `io_kbytes` is stated beside it, `io_bytes` are bytes.
        if node.get("io_kbytes").is_none() && stream_counts_kib(&stream) {
            stream.bytes = stream.bytes.and_then(|kib| kib.checked_mul(1_024));
        }
        Some(stream)
    }

    fn latency(
        &self,
        node: &Node<'_>,
        per_us: f64,
        path: &str,
        latency: &mut StatedLatency,
        reading: &mut Reading<'_>,
    ) -> bool {
        let decimals = self.document.decimals;
        let stated = |value: &Node<'_>| {
            let decimals = if matches!(value, Node::Whole(_)) { 0 } else { decimals };
            let number = value.number().filter(|number| *number >= 0.0)?;
            Some(Stated::with_decimals(number, decimals).per(per_us))
        };
        // Without any I/O fio prints zeros, and as minimum what it began with.
        let is_empty = node.get("max").and_then(Node::number) == Some(0.0);
        for (key, value) in node.entries() {
            let is_read = match key.as_ref() {
                _ if is_empty => true,
                "mean" => set(&mut latency.mean_us, stated(value)),
                "stddev" => set(&mut latency.stddev_us, stated(value)),
                "min" => set(&mut latency.min_us, stated(value)),
                "max" => set(&mut latency.max_us, stated(value)),
                "percentile" => {
                    for (percent, at) in value.entries() {
                        // Lists shorter than the longest are padded with percentiles of 0.00.
                        if percent == "0.00" {
                            continue;
                        }
                        match percent.parse::<f64>().ok().zip(stated(at)) {
                            Some((percent, at)) => {
                                latency.percentiles_us.push(StatedPercentile { percent, at })
                            }
                            None => reading.notes.warn(
                                format!("{path}.percentile.{}", quote(percent)),
                                format!("{} is not understood", at.words()),
                            ),
                        }
                    }
                    // Sorted here, so that nothing depends on the order of keys in the document.
                    latency.percentiles_us.sort_by(|a, b| a.percent.total_cmp(&b.percent));
                    true
                }
                "bins" => {
                    latency.histogram = histogram(value, per_us);
                    latency.histogram.is_some()
                }
                "N" => true,
                _ => {
                    reading.notes.warn(format!("{path}.{}", quote(key)), "is not known and is ignored");
                    true
                }
            };
            if !is_read && *value != Node::Null {
                reading
                    .notes
                    .warn(format!("{path}.{}", quote(key)), format!("{} is not understood", value.words()));
            }
        }
        true
    }
}

/// What an option takes in a record, roughly.
fn length_of((key, value): &(Cow<'_, str>, Node<'_>)) -> usize {
    key.len() + value.text().map_or(0, str::len) + 128
}

/// Host and name of a job; the host only of a client.
fn name_of<'n>(node: &'n Node<'_>) -> (&'n str, &'n str) {
    let text = |key| node.get(key).and_then(Node::text).unwrap_or_default();
    (text("hostname"), text("jobname"))
}

/// Whether there was something to set.
fn set<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    let is_there = value.is_some();
    *slot = value;
    is_there
}

/// `io_bytes` were KiB before 3.0, which rate and time tell.
fn stream_counts_kib(stream: &StatedStream) -> bool {
    let Some(((bytes, rate), runtime)) = stream.bytes.zip(stream.bandwidth_mib_per_s).zip(stream.runtime_s)
    else {
        return false;
    };
    let expected = rate.value * 1_048_576.0 * runtime.value;
    // The two differ by a factor of 1,024 if it was KiB, and by little if it was not. 32 is the geometric
    // middle, so rounding of either figure cannot matter.
    expected > 32.0 * bytes as f64
}

/// Bins as json+ has them: the middle of each, in the unit of the latency, with its count.
fn histogram(bins: &Node<'_>, per_us: f64) -> Option<LatencyHistogram> {
    // Microseconds before 3.0, nanoseconds since.
    let ns_per_unit = 1e3 / per_us;
    let bin = |(latency, count): &(Cow<'_, str>, Node<'_>)| {
        let latency: u64 = latency.parse().ok()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 or 1,000")]
        let ns = latency.checked_mul(ns_per_unit as u64)?;
        Some((Duration::from_nanos(ns), count.whole()?))
    };
    // All bins or none: a histogram with a hole has wrong percentiles.
    let bins: Option<Vec<(Duration, u64)>> = bins.entries().iter().map(bin).collect();
    LatencyHistogram::of_counts(bins?).filter(|histogram| histogram.io_count() > 0)
}

/// What runs at once: from each job on that waits for all before it. Copies of it carry the option too and
/// belong to its group. fio does not list an option without a value: then a new group alone tells it, unless
/// less time went by than jobs one after the other take (`new_group` begins one, too).
fn split_at_barriers<'e, 'd, 't>(entries: &'e [Entry<'d, 't>]) -> Vec<&'e [Entry<'d, 't>]> {
    let group = |entry: &Entry<'_, '_>| entry.node.get("groupid").and_then(Node::whole);
    let waits = |entry: &Entry<'_, '_>| entry.options.get(&["stonewall", "wait_for_previous"]).is_some();
    let is_told = entries.iter().any(waits);
    let ran_together = ran_at_once(entries);
    let mut runs = Vec::new();
    let mut from = 0;
    // In the order of the document: fio prints entries in the order in which jobs were defined.
    for index in 1..entries.len() {
        let (entry, before) = (&entries[index], &entries[index - 1]);
        let is_local = !entry.path.starts_with("client_stats");
        // Where any job lists the option, a new group without it is not a barrier; where none does, fio may
        // simply not have listed it.
        if group(entry) != group(before) && (waits(entry) || (!is_told && !ran_together && is_local)) {
            runs.push(&entries[from..index]);
            from = index;
        }
    }
    runs.push(&entries[from..]);
    runs
}

/// Whether less time went by than the groups take one after the other.
fn ran_at_once(entries: &[Entry<'_, '_>]) -> bool {
    let mut longest_ms: BTreeMap<u64, u64> = BTreeMap::new();
    for entry in entries {
        let group = entry.node.get("groupid").and_then(Node::whole).unwrap_or(0);
        let streams = ["read", "write", "trim", "mixed"].into_iter().filter_map(|name| entry.node.get(name));
        let ran_ms = streams.filter_map(|stream| stream.get("runtime")?.whole()).max().unwrap_or(0);
        let longest = longest_ms.entry(group).or_default();
        *longest = ran_ms.max(*longest);
    }
    // `elapsed` is in whole seconds; groups one after the other take at least the sum of their longest jobs.
    let elapsed_s = entries.iter().filter_map(|entry| entry.node.get("elapsed")?.whole()).max();
    let all_ms = longest_ms.values().fold(0u64, |sum, ms| sum.saturating_add(*ms));
    elapsed_s.is_some_and(|elapsed| elapsed.saturating_mul(1_000) < all_ms)
}

/// Where the options do not name the engine it is that of the platform, which on most of them does one I/O
/// after the other, whatever the depth says; fio tells how many were outstanding.
fn with_seen_iodepth(
    mut load: StatedLoad,
    node: &Node<'_>,
    path: &str,
    reading: &mut Reading<'_>,
) -> StatedLoad {
    // A share of all samples of depth; exactly 100 at depth 1 means that never two were outstanding.
    let at_one = node.get("iodepth_level").and_then(|levels| levels.get("1")?.number());
    if load.engine.is_some() || at_one.is_none_or(|percent| percent < 100.0) {
        return load;
    }
    if let Some(depth) = load.iodepth.filter(|depth| *depth > 1) {
        let message =
            format!("`iodepth={depth}`, and never more than one I/O was outstanding: it is taken as 1");
        reading.notes.warn(format!("{path}.iodepth_level"), message);
        load.iodepth = Some(1);
    }
    load
}

fn measured_at(top: &Node<'_>) -> Option<String> {
    // The time of printing, at the end of the run; when it began fio tells in newer versions only.
    let ms = printed_ms(top)?;
    let at = jiff::Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()?;
    Some(at.to_string())
}

fn device_of(node: &Node<'_>, decimals: u32) -> Option<StatedDevice> {
    let count = |key: &str| node.get(key).and_then(Node::whole);
    // The kernel counts in sectors of 512 bytes, whatever the device has.
    let bytes = |key: &str| count(key).and_then(|sectors| sectors.checked_mul(512));
    Some(StatedDevice {
        name: quote(node.get("name")?.text()?),
        read_count: count("read_ios"),
        write_count: count("write_ios"),
        read_merge_count: count("read_merges"),
        write_merge_count: count("write_merges"),
        read_bytes: bytes("read_sectors"),
        write_bytes: bytes("write_sectors"),
        busy_percent: node
            .get("util")
            .and_then(Node::number)
            .filter(|share| *share >= 0.0)
            .map(|share| Stated::with_decimals(share, decimals)),
    })
}
