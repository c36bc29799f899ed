//! fio's normal output, of 2.x and 3.x: what it prints where no format is asked for.
//!
//! A line for each job says what it does, a block for each entry what came of it, and a last one what the disks counted. Rates
//! have three or four digits (`28.6k`), which is the resolution that they are taken over with; counts and times are exact.
//!
//! An entry is a part (of a client, `<host> ` stands before its lines), or the sum of all of them (`All clients`). Within one, a
//! section is a direction, or the sum of both (`mixed:`), or the share of one priority in a direction, which is no figure of a record.

use std::collections::{BTreeMap, HashMap};

use iotrial_model::imported::{
    CpuBasis, ImportedJob, ImportedRecord, Stated, StatedBlockSize, StatedCpu, StatedDevice, StatedLatency,
    StatedLoad, StatedOps, StatedPercentile, StatedSamples, StatedStream,
};
use iotrial_model::load::{Direction, Pattern};
use iotrial_model::stream::Stream as StreamKind;
use iotrial_model::units::ByteSize;

use crate::fio::{ALL_CLIENTS, ended_with};
use crate::fio_job::command_line::options_of_one_job;
use crate::fio_options::{FioOptions, SYNCHRONOUS};
use crate::scan::{after, count_after, number_and_unit};
use crate::text::{as_count, numbered, quote, without_prefixes};
use crate::{ImportError, Reading};

/// A command line is no longer; a text that ends each line with a backslash is none.
const LONGEST_COMMAND: usize = 16_384;

/// Most jobs that are read of one run.
const MOST_JOBS: usize = 10_000;

/// Whether a line begins the figures of a job: `a: (groupid=0, jobs=1): err= 0: pid=…`.
pub(crate) fn is_entry(line: &str) -> bool {
    line.split_once(": (groupid=").is_some_and(|(_, rest)| rest.contains("jobs=") && rest.contains("err="))
}

/// A job as fio announces it: `a: (g=0): rw=read, bs=…, ioengine=psync, iodepth=1`.
struct AnnouncedJob {
    name: String,
    group: u64,
    load: StatedLoad,
}

/// One call of fio.
#[derive(Default)]
struct FioCall {
    version: Option<String>,
    announced: Vec<AnnouncedJob>,
    entries: Vec<FioEntry>,
    devices: Vec<StatedDevice>,
    /// The client whose lines these are.
    client: Option<String>,
    /// The options of the command line above it, where one is there.
    command: Vec<(String, String)>,
}

/// The figures of a job or of a group.
struct FioEntry {
    line: usize,
    group: u64,
    copies: u64,
    /// What the operating system called its first process.
    process: Option<u64>,
    client: Option<String>,
    job: ImportedJob,
}

impl FioEntry {
    /// Whether it tells of the same job as an earlier report of the run, later on: it has done no less since.
    fn goes_on(&self, before: &Self) -> bool {
        let name = |entry: &Self| (entry.group, entry.copies, entry.process, entry.client.clone());
        let has_done_more = StreamKind::STATED.iter().all(|kind| {
            let count = |entry: &Self| entry.job.ops.get(*kind).and_then(|stream| stream.io_count);
            count(before) <= count(self)
        });
        self.process.is_some()
            && name(self) == name(before)
            && self.job.name == before.job.name
            && has_done_more
    }
}

/// Which latency the next percentiles are of.
#[derive(Clone, Copy, PartialEq)]
enum LatencyPart {
    Total,
    Completion,
    Submission,
}

/// Which part of an entry a line belongs to.
#[derive(Clone, Copy, PartialEq)]
enum EntryPart {
    Read,
    Write,
    Trim,
    Sync,
    /// Both directions together, of `unified_rw_reporting`.
    All,
}

/// What stands at the beginning of a line of fio, so that it shows what a log put before each line.
const AT_LINE_START: [&str; 3] = ["fio-", "Run status group ", "Starting "];

/// Reads all runs.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let text = &without_prefixes(text, &AT_LINE_START);
    let mut run = FioCall::default();
    let mut stream = None;
    let mut percentiles = None;
    // A command that goes on in the next line.
    let mut command = String::new();
    let mut asked = None;
    for (line, whole) in numbered(text) {
        let mut text = whole.trim();
        if let Some((client, rest)) = client_of(text) {
            run.client = Some(quote(client));
            text = rest;
        }
        if let Some(version) = text.strip_prefix("fio-").filter(|rest| !rest.contains(' ')) {
            run.version = Some(quote(version));
        } else if let Some(announced) = announced_of(text) {
            // The next call begins with its jobs.
            if !run.entries.is_empty() {
                std::mem::take(&mut run).keep(reading)?;
            }
            if let Some(asked) = asked.take() {
                run.command = asked;
            }
            if run.announced.len() < MOST_JOBS {
                run.announced.push(announced);
            }
        } else if !is_entry(text) && (!command.is_empty() || text.contains("fio ") && text.contains('-')) {
            let goes_on = text.strip_suffix('\\');
            if command.len() < LONGEST_COMMAND {
                command.push_str(goes_on.unwrap_or(text));
                command.push(' ');
            }
            if goes_on.is_none() {
                asked = options_of_one_job(&std::mem::take(&mut command)).or(asked);
            }
        } else if is_entry(text) {
            if run.entries.len() >= MOST_JOBS {
                return Err(
                    reading.broken(format!("line {line}"), format!("there are more than {MOST_JOBS} jobs"))
                );
            }
            let client = run.client.clone();
            run.entries.push(FioEntry { client, ..entry_of(text, line, reading) });
            (stream, percentiles) = (None, None);
        } else if text.starts_with("Disk stats") {
            stream = None;
            // Of a run that is told several times the last counts; of clients each has its own.
            if run.client.is_none() {
                run.devices.clear();
            }
        } else if let Some(device) = device_of(text) {
            run.devices.push(device);
        } else if let Some(entry) = run.entries.last_mut() {
            read_line(text, entry, &mut stream, &mut percentiles);
        }
    }
    run.keep(reading)
}

impl FioCall {
    fn keep(mut self, reading: &mut Reading<'_>) -> Result<(), ImportError> {
        self.keep_last_reports(reading);
        let mut groups: BTreeMap<u64, Vec<FioEntry>> = BTreeMap::new();
        for entry in self.entries {
            groups.entry(entry.group).or_default().push(entry);
        }
        let is_only = groups.len() == 1;
        for (group, entries) in groups {
            let Some(first) = entries.first() else { continue };
            let mut record = reading.record("fio", self.version.as_deref(), format!("line {}", first.line));
            // What the disks did is told for all groups together.
            if is_only {
                record.devices.clone_from(&self.devices);
            }
            let announced: Vec<&AnnouncedJob> =
                self.announced.iter().filter(|one| one.group == group).collect();
            for entry in entries {
                add_entry(entry, &announced, &self.command, &mut record, reading);
            }
            if record.jobs.iter().any(|job| job.ops != StatedOps::default()) {
                reading.keep(record)?;
            }
        }
        Ok(())
    }

    /// Leaves out what was printed while the run went on (`--status-interval`): each report has all since the start.
    fn keep_last_reports(&mut self, reading: &mut Reading<'_>) {
        let mut last: Vec<FioEntry> = Vec::with_capacity(self.entries.len());
        let mut places: HashMap<(Option<u64>, String), usize> = HashMap::new();
        let mut reports: HashMap<usize, usize> = HashMap::new();
        for entry in self.entries.drain(..) {
            let place = *places.entry((entry.process, entry.job.name.clone())).or_insert(last.len());
            match last.get_mut(place) {
                Some(before) if entry.goes_on(before) => {
                    *before = entry;
                    *reports.entry(place).or_insert(1) += 1;
                }
                _ => {
                    places.insert((entry.process, entry.job.name.clone()), last.len());
                    last.push(entry);
                }
            }
        }
        self.entries = last;
        if let Some((place, count)) =
            reports.into_iter().max_by_key(|(place, count)| (*count, usize::MAX - place))
        {
            let message = format!(
                "the file has {count} reports of the same run (`--status-interval`); only the last one is used"
            );
            reading.notes.warn_line(self.entries[place].line, message);
        }
    }
}

fn add_entry(
    entry: FioEntry,
    announced: &[&AnnouncedJob],
    command: &[(String, String)],
    record: &mut ImportedRecord,
    reading: &mut Reading<'_>,
) {
    let mut job = entry.job;
    if job.name == ALL_CLIENTS {
        record.total = Some(job.ops);
        return;
    }
    // Jobs of one name are copies; of several the figures of a group are all together, and nobody says which did what.
    let of_name: Vec<&&AnnouncedJob> = announced.iter().filter(|one| one.name == job.name).collect();
    let has_others =
        announced.iter().any(|one| one.name != job.name) && entry.copies > of_name.len().max(1) as u64;
    let is_group = has_others || entry.copies > 1 && of_name.iter().any(|one| one.load != of_name[0].load);
    match of_name.first() {
        Some(_) if is_group => {
            let message = "the figures are those of a group of several jobs: the load is not imported";
            reading.notes.warn_line(entry.line, message);
        }
        Some(one) => {
            job.load = StatedLoad { numjobs: Some(entry.copies), ..one.load.clone() };
            if command.iter().any(|(name, value)| name == "name" && *value == job.name) {
                job.load = with_command(job.load, command, entry.line, reading);
            }
            let is_mix = job.load.options.get("rw").is_some_and(|rw| matches!(rw.as_str(), "rw" | "randrw"));
            if is_mix && job.ops.all.is_none() && (job.ops.read.is_none() != job.ops.write.is_none()) {
                let missing = if job.ops.read.is_none() { "reads" } else { "writes" };
                let message = format!("the load is a mix, and the output ends before its {missing}");
                reading.notes.warn_line(entry.line, message);
            }
            // The line of a job does not tell `verify`; nothing else makes a job read that only writes.
            if job.load.rwmix_read_percent == Some(0.0) && job.ops.read.is_some() && job.ops.write.is_some() {
                job.load.options.insert("verify".to_owned(), "reads of what was written".to_owned());
            }
        }
        None => {}
    }
    // The line of a job does not tell `fsync` either; how often it flushed is told by how often it did both.
    let counts = |stream: &Option<StatedStream>| stream.as_ref().and_then(|stream| stream.io_count);
    if let Some((writes, flushes)) = counts(&job.ops.write).zip(counts(&job.ops.sync)) {
        let flushes = flushes.max(1);
        // The nearest whole number.
        let every = writes.saturating_add(flushes / 2) / flushes;
        job.load.flush_every = Some(every).filter(|every| *every > 0);
    }
    if let Some(client) = entry.client {
        job.name = format!("{client}: {}", job.name);
    }
    record.jobs.push(job);
}

/// What the command line tells of a load and the line of the job does not, such as `direct` and `fsync`.
fn with_command(
    announced: StatedLoad,
    command: &[(String, String)],
    line: usize,
    reading: &mut Reading<'_>,
) -> StatedLoad {
    let options = FioOptions::new(command.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let asked = options.load(announced.numjobs.unwrap_or(1), &format!("line {line}"), &mut reading.notes);
    StatedLoad {
        // What fio announced is what it did.
        pattern: announced.pattern.or(asked.pattern),
        rwmix_read_percent: announced.rwmix_read_percent.or(asked.rwmix_read_percent),
        engine: announced.engine,
        iodepth: announced.iodepth,
        numjobs: announced.numjobs,
        block_sizes: announced.block_sizes,
        ..asked
    }
}

/// What pages put around an output.
const TAGS: [&str; 4] = ["pre", "code", "p", "br"];

/// The client of a line, and the rest of it: `<db1> Starting 1 process`. Above its figures stands its name alone, which may follow the
/// line of progress: `Jobs: 2 (f=1)<db1>`.
fn client_of(text: &str) -> Option<(&str, &str)> {
    if let Some((client, rest)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        let is_name = !client.is_empty() && !client.contains([' ', '/', '=']) && !TAGS.contains(&client);
        return is_name.then(|| (client, rest.trim_start()));
    }
    let (progress, client) = text.strip_suffix('>')?.rsplit_once('<')?;
    (progress.starts_with("Jobs: ") && !client.is_empty()).then_some((client, ""))
}

/// `a: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=4`, and in 2.x
/// `bs=4K-4K/4K-4K/4K-4K`.
fn announced_of(text: &str) -> Option<AnnouncedJob> {
    let (name, rest) = text.split_once(": (g=")?;
    let (group, rest) = rest.split_once("): ")?;
    let group = group.parse().ok()?;
    let value = |key: &str| after(rest, key, &[',', ' ']);
    let mut load = StatedLoad::default();
    let rw = value("rw=")?;
    (load.pattern, load.rwmix_read_percent) = match rw {
        "read" => (Some(Pattern::Sequential), Some(100.0)),
        "write" | "trimwrite" => (Some(Pattern::Sequential), Some(0.0)),
        "rw" | "trim" => (Some(Pattern::Sequential), None),
        "randread" => (Some(Pattern::Random), Some(100.0)),
        "randwrite" | "randtrimwrite" => (Some(Pattern::Random), Some(0.0)),
        "randrw" | "randtrim" => (Some(Pattern::Random), None),
        _ => (None, None),
    };
    load.block_sizes = sizes_of(rest).unwrap_or_default();
    load.engine = value("ioengine=").map(quote);
    let depth = value("iodepth=").and_then(|text| text.parse().ok());
    let is_one = load.engine.as_deref().is_some_and(|engine| SYNCHRONOUS.contains(&engine));
    load.iodepth = if is_one { Some(1) } else { depth };
    load.options.insert("rw".to_owned(), quote(rw));
    Some(AnnouncedJob { name: quote(name), group, load })
}

/// The sizes of reads and of writes, each from a least to a largest.
fn sizes_of(text: &str) -> Option<Vec<StatedBlockSize>> {
    let rest = text.split_once("bs=")?.1;
    let rest = rest.split_once(", ioengine=").map_or(rest, |(sizes, _)| sizes);
    // 2.x: `4K-4K/4K-4K/4K-4K`, of 1,024; 3.x has `KiB` for that.
    let (ranges, base): (Vec<&str>, f64) = if rest.starts_with('(') {
        (rest.split(',').collect(), 1_000.0)
    } else {
        (rest.split('/').collect(), 1_024.0)
    };
    let range = |text: &str| {
        let text = text.trim();
        let text = text.split_once(") ").map_or(text, |(_, sizes)| sizes);
        let (low, high) = text.split_once('-')?;
        Some([as_count(amount_of(low, base)?), as_count(amount_of(high, base)?)])
    };
    let read = range(ranges.first()?)?;
    let write = ranges.get(1).and_then(|text| range(text)).unwrap_or(read);
    let one = |direction, size| StatedBlockSize { direction, size: ByteSize::bytes(size), percent: None };
    let mut sizes: Vec<StatedBlockSize> = if read == write {
        read.map(|size| one(None, size)).to_vec()
    } else {
        let reads = read.map(|size| one(Some(Direction::Read), size));
        reads.into_iter().chain(write.map(|size| one(Some(Direction::Write), size))).collect()
    };
    sizes.dedup();
    Some(sizes)
}

/// A number with its unit: `1790MiB`, `889Mibit/s`, `28.6k`, `0KiB`, `41135k`; `base` is what `k` stands for where it is not `Ki`.
/// Bits are eighths of a byte.
fn amount_of(text: &str, base: f64) -> Option<Stated> {
    let (number, unit) = number_and_unit(text);
    let unit = unit.trim_end_matches("/s");
    let (unit, bits) = unit.strip_suffix("bit").map_or((unit.trim_end_matches('B'), 1.0), |unit| (unit, 8.0));
    let (unit, base) = unit.strip_suffix('i').map_or((unit, base), |unit| (unit, 1_024.0));
    let power = match unit.to_ascii_lowercase().as_str() {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    Some(Stated::parse(number)?.times(base.powi(power)).per(bits))
}

/// `a: (groupid=0, jobs=1): err= 0: pid=31886: Sun Nov 22 01:08:11 2026`
fn entry_of(text: &str, line: usize, reading: &mut Reading<'_>) -> FioEntry {
    let (name, rest) = text.split_once(": (groupid=").unwrap_or((text, ""));
    let error = count_after(rest, "err=").filter(|code| *code != 0);
    let mut job = ImportedJob { name: quote(name), ..ImportedJob::default() };
    job.error = error.map(ended_with);
    if let Some(error) = &job.error {
        reading.notes.warn_line(line, error.clone());
    }
    let group = number_and_unit(rest).0.parse().unwrap_or(0);
    let process = count_after(rest, "pid=");
    FioEntry { line, group, copies: count_after(rest, "jobs=").unwrap_or(1), process, client: None, job }
}

/// One line among the figures of an entry.
fn read_line(
    text: &str,
    entry: &mut FioEntry,
    stream: &mut Option<EntryPart>,
    percentiles: &mut Option<(LatencyPart, f64)>,
) {
    let ops = &mut entry.job.ops;
    let head = text.split([':', '(']).next().unwrap_or_default().trim();
    let begun = match head {
        "read" if text.contains('=') => Some(EntryPart::Read),
        "write" if text.contains('=') => Some(EntryPart::Write),
        "trim" if text.contains('=') => Some(EntryPart::Trim),
        "mixed" if text.contains('=') => Some(EntryPart::All),
        "fsync/fdatasync/sync_file_range" => Some(EntryPart::Sync),
        _ => None,
    };
    if !text.starts_with('|') {
        *percentiles = None;
    }
    if let Some(begun) = begun {
        // Beside both directions their sum is printed with a rate of 0.
        if begun == EntryPart::All && (ops.read.is_some() || ops.write.is_some()) {
            *stream = None;
            return;
        }
        *stream = Some(begun);
        *slot(ops, begun) = Some(rates_of(text));
        return;
    }
    if let Some(rest) = text.strip_prefix("cpu") {
        entry.job.cpu = cpu_of(rest);
        *stream = None;
        return;
    }
    if text.starts_with("issued") {
        add_counts(text, ops);
        return;
    }
    let Some(of) = *stream else { return };
    let Some(one) = slot(ops, of) else { return };
    if let Some(row) = text.strip_prefix('|') {
        // Those of one priority have a heading that is passed over.
        let Some((kind, per_us)) = *percentiles else { return };
        let latency = latency_of(one, kind);
        for cell in row.split("],") {
            let Some((percent, at)) = cell.split_once("th=[") else { continue };
            let at = amount_of(at.trim_end_matches(']'), 1_000.0);
            if let Some((percent, at)) = percent.trim().parse().ok().zip(at) {
                latency.percentiles_us.push(StatedPercentile { percent, at: at.per(per_us) });
            }
        }
        return;
    }
    if head == "iops" {
        one.sampled_iops = samples_of(text);
        return;
    }
    // `clat prio 2/0 (usec)`, `high prio (50.0%) clat percentiles (usec)`: a part of the direction.
    if head.split(' ').any(|word| word.starts_with("prio")) {
        return;
    }
    let kind = match head.split(' ').next().unwrap_or_default() {
        "lat" | "sync" => LatencyPart::Total,
        "clat" => LatencyPart::Completion,
        "slat" => LatencyPart::Submission,
        // Distributions in coarse classes, bandwidth and IOPS of samples: the totals are exact.
        _ => return,
    };
    let Some(per_us) = unit_of(text) else { return };
    if head.ends_with("percentiles") {
        *percentiles = Some((kind, per_us));
    } else if text.contains("min=") {
        add_latency(text, per_us, latency_of(one, kind));
    }
}

fn slot(ops: &mut StatedOps, stream: EntryPart) -> &mut Option<StatedStream> {
    match stream {
        EntryPart::Read => &mut ops.read,
        EntryPart::Write => &mut ops.write,
        EntryPart::Trim => &mut ops.trim,
        EntryPart::Sync => &mut ops.sync,
        EntryPart::All => &mut ops.all,
    }
}

fn latency_of(stream: &mut StatedStream, kind: LatencyPart) -> &mut StatedLatency {
    match kind {
        LatencyPart::Total => &mut stream.total_latency,
        LatencyPart::Completion => &mut stream.completion_latency,
        LatencyPart::Submission => &mut stream.submission_latency,
    }
}

/// How many of the unit in brackets are a microsecond.
fn unit_of(text: &str) -> Option<f64> {
    match text.split_once('(')?.1.split_once(')')?.0 {
        "nsec" => Some(1e3),
        "usec" => Some(1.0),
        "msec" => Some(1e-3),
        _ => None,
    }
}

/// `read: IOPS=28.6k, BW=1790MiB/s (1877MB/s)(1792MiB/1001msec)`, and in 2.x
/// `read : io=1000.0MB, bw=100000KB/s, iops=25000, runt= 10000msec`.
fn rates_of(text: &str) -> StatedStream {
    let value = |key: &str| after(text, key, &[',', ' ', ';']);
    // k of IOPS are 1,000; KB of 2.x are of 1,024. In 3.x those are KiB, and kB are of 1,000 (`kb_base=1000`).
    let iops = value("IOPS=").or_else(|| value("iops=")).and_then(|text| amount_of(text, 1_000.0));
    let old_bytes = || value("bw=").and_then(|text| amount_of(text, 1_024.0));
    let bytes = value("BW=").map_or_else(old_bytes, |text| amount_of(text, 1_000.0));
    let runtime = text.rsplit_once('/').filter(|_| text.contains("BW=")).map(|(_, rest)| rest);
    let runtime = runtime
        .and_then(|rest| rest.split_once("msec"))
        .map(|(ms, _)| ms)
        .or_else(|| value("runt=").map(|text| text.trim_end_matches("msec")));
    StatedStream {
        iops,
        bandwidth_mib_per_s: bytes.map(|bytes| bytes.per(1_048_576.0)),
        runtime_s: runtime.and_then(Stated::parse).map(|ms| ms.per(1e3)),
        ..StatedStream::default()
    }
}

/// `clat (usec): min=23, max=12037, avg=977.75, stdev=2312.52`
fn add_latency(text: &str, per_us: f64, latency: &mut StatedLatency) {
    let us = |key: &str| Some(amount_of(after(text, key, &[','])?, 1_000.0)?.per(per_us));
    latency.min_us = us("min=");
    latency.max_us = us("max=");
    latency.mean_us = us("avg=");
    latency.stddev_us = us("stdev=");
}

/// `iops        : min=33226, max=502899, avg=132163.42, stdev=6490.34, samples=12253`
fn samples_of(text: &str) -> Option<StatedSamples> {
    let rate = |key: &str| amount_of(after(text, key, &[','])?, 1_000.0);
    let count = count_after(text, "samples=").filter(|count| *count > 0)?;
    Some(StatedSamples { min: rate("min=")?, max: rate("max=")?, mean: rate("avg=")?, count })
}

/// `cpu          : usr=1.69%, sys=3.49%, ctx=1086, majf=0, minf=17`
fn cpu_of(text: &str) -> Option<StatedCpu> {
    let share = |key: &str| Stated::parse(after(text, key, &['%'])?);
    let cpu = StatedCpu {
        usr_percent: share("usr="),
        sys_percent: share("sys="),
        per_io_us: None,
        of: CpuBasis::EachCopy,
    };
    (cpu.usr_percent.is_some() || cpu.sys_percent.is_some()).then_some(cpu)
}

/// `issued rwts: total=1839,808,0,0 short=299,0,0,0 dropped=0,0,0,0`, and in 2.x `issued    : total=r=1839/w=808/d=0, …`.
fn add_counts(text: &str, ops: &mut StatedOps) {
    let counts_of = |label: &str| -> Vec<Option<u64>> {
        let counts = after(text, label, &[' ']).unwrap_or_default().split([',', '/']);
        let count = |part: &str| part.trim_start_matches(['r', 'w', 'd', 't', '=']).parse::<u64>().ok();
        counts.take(4).map(count).collect()
    };
    let total = counts_of("total=");
    if let Some(all) = &mut ops.all {
        // Both directions together are counted as reads.
        all.io_count = total.first().copied().flatten();
    }
    let mut counts = total.into_iter();
    for stream in [EntryPart::Read, EntryPart::Write, EntryPart::Trim, EntryPart::Sync] {
        let count = counts.next().flatten();
        // A group without I/Os of a direction has no line for it.
        if let (Some(one), Some(count)) = (slot(ops, stream), count) {
            one.io_count = Some(count).filter(|count| *count > 0 || stream != EntryPart::Sync);
        }
    }
    // Versions that count no flushes here count each as a short read, and others that are short are none where nothing was read.
    if let (Some(sync), None) = (&mut ops.sync, &ops.read) {
        let short = counts_of("short=").first().copied().flatten();
        sync.io_count = sync.io_count.or(short.filter(|count| *count > 0));
    }
}

/// `vda: ios=1540/1027, merge=0/0, ticks=114/120, in_queue=285, util=4.23%`
fn device_of(text: &str) -> Option<StatedDevice> {
    let (name, rest) = text.split_once(": ios=")?;
    let pair = |rest: &str| {
        let (read, write) = rest.split([',', ' ']).next()?.split_once('/')?;
        Some((read.parse::<u64>().ok()?, write.parse::<u64>().ok()?))
    };
    let (read, write) = pair(rest)?;
    let merges = rest.split_once("merge=").and_then(|(_, rest)| pair(rest));
    Some(StatedDevice {
        name: quote(name),
        read_count: Some(read),
        write_count: Some(write),
        read_merge_count: merges.map(|(read, _)| read),
        write_merge_count: merges.map(|(_, write)| write),
        busy_percent: after(rest, ", util=", &['%']).and_then(Stated::parse),
        ..StatedDevice::default()
    })
}
