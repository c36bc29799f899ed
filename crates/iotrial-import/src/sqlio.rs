//! SQLIO's text: one block for each run, latencies in whole milliseconds, a histogram of whole percents.

use iotrial_model::imported::{
    ImportedJob, ImportedRecord, LatencyBand, Stated, StatedLoad, StatedOps, StatedStream,
};
use iotrial_model::load::{Durability, Pattern};
use iotrial_model::units::ByteSize;

use crate::text::{Notes, as_count, number, numbered, quote};
use crate::{ImportError, Reading};

/// Classes of the histogram; SQLIO has 25.
const MOST_CLASSES: usize = 256;

/// Figures on lines of their own: the label, what the number is multiplied by, and its place.
type FigureLine = (&'static str, f64, fn(&mut StatedStream) -> &mut Option<Stated>);
const FIGURES: [FigureLine; 5] = [
    ("IOs/sec:", 1.0, |stream| &mut stream.iops),
    // Of 1,048,576 bytes: IOs/sec times the size of an I/O.
    ("MBs/sec:", 1.0, |stream| &mut stream.bandwidth_mib_per_s),
    ("Min_Latency(ms):", 1e3, |stream| &mut stream.total_latency.min_us),
    ("Avg_Latency(ms):", 1e3, |stream| &mut stream.total_latency.mean_us),
    ("Max_Latency(ms):", 1e3, |stream| &mut stream.total_latency.max_us),
];

/// The lines of one run, with their numbers.
type Block<'t> = Vec<(usize, &'t str)>;

/// Reads all runs.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let mut parameters = Parameters::default();
    for block in blocks(text) {
        let Some((first, _)) = block.first() else { continue };
        let place = format!("line {first}");
        match read_block(&block, &place, &mut parameters, reading) {
            Some(record) => reading.keep(record)?,
            None => reading.notes.warn(place, "the run has no figures: it did not finish"),
        }
    }
    Ok(())
}

/// A run begins with the line of the version; what stands before the first one is a run of its own, if it is
/// anything.
fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    let mut lines = numbered(text).skip_while(|(_, line)| line.trim().is_empty()).peekable();
    std::iter::from_fn(move || {
        let mut block = vec![lines.next()?];
        while let Some(line) = lines.next_if(|(_, line)| !line.starts_with("sqlio v")) {
            block.push(line);
        }
        Some(block)
    })
}

fn read_block(
    block: &Block<'_>,
    place: &str,
    parameters: &mut Parameters,
    reading: &mut Reading<'_>,
) -> Option<ImportedRecord> {
    let version = block[0].1.strip_prefix("sqlio v").map(str::trim);
    let mut record = reading.record("SQLIO", version, place);
    // SQLIO prints the depth only where it is more than one.
    let mut load = StatedLoad { iodepth: Some(1), ..StatedLoad::default() };
    let mut stream = StatedStream::default();
    let (mut reads, mut runtime_s) = (None, None);
    let mut edges: Vec<f64> = Vec::new();
    // Lines are recognised by their beginnings; their order differs between versions and options.
    for (line, text) in block {
        let text = text.trim();
        let at = || format!("line {line}");
        let notes = &mut reading.notes;
        let value_of = |name: &str| text.strip_prefix(name).map(str::trim);
        if let Some((threads, is_read, seconds)) = threads_and_time(text) {
            load.numjobs = Some(threads);
            reads = Some(is_read);
            runtime_s = Some(seconds);
            load.targets = text
                .split_once(" file")
                .and_then(|(_, names)| names.split_once(' '))
                .map(|(_, names)| names.split(", ").map(|name| name.trim().to_owned()).collect())
                .unwrap_or_default();
        } else if let Some(depth) = text.strip_prefix("enabling multiple I/Os per thread with ") {
            load.iodepth = number(depth.trim_end_matches("outstanding"), at, notes).map(as_count);
        } else if let Some(words) =
            text.strip_prefix("using ").filter(|words| words.contains("KB") && words.contains("IOs"))
        {
            set_pattern(&mut load, words, at, notes);
        } else if let Some(size) =
            text.strip_prefix("using specified size: ").or_else(|| text.strip_prefix("using current size: "))
        {
            let mib = size.split_whitespace().next().unwrap_or_default();
            load.size = number(mib, at, notes)
                .and_then(|mib| as_count(mib).checked_mul(1 << 20))
                .map(ByteSize::bytes);
        } else if text.starts_with("buffering set to ") {
            set_buffering(&mut load, text);
        } else if let Some((value, factor, figure)) =
            FIGURES.iter().find_map(|(label, factor, figure)| Some((value_of(label)?, factor, figure)))
        {
            *figure(&mut stream) = number(value, at, notes).map(|number| number.times(*factor));
        } else if let Some(row) = value_of("ms:") {
            edges = row
                .split_whitespace()
                .take(MOST_CLASSES)
                .filter_map(|edge| edge.trim_end_matches('+').parse().ok())
                .collect();
        } else if let Some(row) = value_of("%:") {
            let shares: Vec<Option<Stated>> =
                row.split_whitespace().take(MOST_CLASSES).map(|share| number(share, at, notes)).collect();
            stream.total_latency.bands = bands(&edges, &shares);
            // Shares are rounded to whole percents, so the sum may be off by half a percent for each class.
            let all: f64 = shares.iter().flatten().map(|share| share.value).sum();
            if (all - 100.0).abs() > shares.len() as f64 / 2.0 {
                notes.warn(at(), format!("the shares add up to {all} %"));
            }
            // Classes and shares are two rows of one table, and a copy from a page may have lost some.
            if shares.len() != edges.len() {
                notes.warn(at(), format!("there are {} shares for {} classes", shares.len(), edges.len()));
            }
        } else if let Some(name) = value_of("parameter file used:") {
            load.options.insert("parameter file".to_owned(), quote(name));
        } else if !is_known(text) {
            notes.warn(at(), format!("`{}` is not understood", quote(text)));
        }
    }
    // Without any rate the run did not come to its end.
    stream.iops.or(stream.bandwidth_mib_per_s)?;
    stream.runtime_s = runtime_s;
    load.runtime_s = runtime_s.map(|seconds| seconds.value);
    parameters.add_to(&mut load, reading);
    let mut ops = StatedOps::default();
    match reads {
        // SQLIO reads or writes, never both.
        Some(true) => ops.read = Some(stream),
        Some(false) => ops.write = Some(stream),
        None => ops.all = Some(stream),
    }
    load.rwmix_read_percent = reads.map(|reads| if reads { 100.0 } else { 0.0 });
    record.jobs.push(ImportedJob { name: "sqlio".to_owned(), load, ops, ..ImportedJob::default() });
    Some(record)
}

/// `64 threads reading for 15 secs from file G:\testfile.dat`.
fn threads_and_time(text: &str) -> Option<(u64, bool, Stated)> {
    let mut words = text.split_whitespace();
    let threads = words.next()?.parse().ok()?;
    words.next().filter(|word| word.starts_with("thread"))?;
    let is_read = match words.next()? {
        "reading" => true,
        "writing" => false,
        _ => return None,
    };
    words.next().filter(|word| *word == "for")?;
    Some((threads, is_read, Stated::parse(words.next()?)?))
}

/// `8KB random IOs`, `64KB sequential IOs`, `8KB IOs over 128KB stripes with 64 IOs per run`.
fn set_pattern(load: &mut StatedLoad, words: &str, at: impl Fn() -> String, notes: &mut Notes) {
    let size = words.split("KB").next().unwrap_or_default();
    let bytes = number(size, &at, notes).and_then(|kib| as_count(kib).checked_mul(1_024));
    *load = std::mem::take(load).with_block_size(bytes.map(ByteSize::bytes));
    load.pattern = match () {
        () if words.contains(" random ") => Some(Pattern::Random),
        () if words.contains(" sequential ") => Some(Pattern::Sequential),
        () => {
            notes.warn(at(), format!("`{}` is neither random nor sequential", quote(words)));
            None
        }
    };
}

/// `buffering set to use hardware disk cache (but not file cache)` and its kin.
fn set_buffering(load: &mut StatedLoad, text: &str) {
    load.options.insert("buffering".to_owned(), quote(text.trim_start_matches("buffering set to ")));
    // In this order: «hardware disk cache (but not file cache)» names both words.
    let (file_cache, disk_cache) = match () {
        () if text.contains("not use file nor disk") => (false, false),
        () if text.contains("both file and disk") => (true, true),
        () if text.contains("hardware disk cache") => (false, true),
        () if text.contains("software file cache") => (true, false),
        () => return,
    };
    load.direct = Some(!file_cache);
    // Past the cache of the disk means that a write is durable when it completes.
    load.durability = Some(if disk_cache { Durability::None } else { Durability::Dsync });
}

fn bands(edges_ms: &[f64], shares: &[Option<Stated>]) -> Vec<LatencyBand> {
    edges_ms
        .iter()
        .zip(shares)
        .enumerate()
        .filter_map(|(index, (from, share))| {
            Some(LatencyBand {
                from_us: from * 1e3,
                // The last class is open.
                below_us: edges_ms.get(index + 1).map(|next| next * 1e3),
                percent: (*share)?,
            })
        })
        .collect()
}

/// Most files that are read of a parameter file.
const MOST_PARAMETERS: usize = 256;

/// The parameter file names each file with its threads; it lies beside the result where both were kept. The
/// last one that was read: the runs of a file mostly share one.
#[derive(Default)]
struct Parameters {
    name: String,
    is_there: bool,
    threads: u64,
    options: Vec<(String, String)>,
}

impl Parameters {
    fn add_to(&mut self, load: &mut StatedLoad, reading: &mut Reading<'_>) {
        let Some(name) = load.options.get("parameter file") else { return };
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
        // Most runs of a file name the same parameter file, so the last one that was read is kept.
        if self.name != name {
            *self = Self::read(name, reading);
        }
        load.options.extend(self.options.iter().cloned());
        let told = load.numjobs.filter(|told| self.is_there && *told != self.threads);
        if let Some(told) = told.filter(|_| self.threads > 0) {
            reading.notes.warn(
                // Compared and reported only; what ran is what the result tells.
                format!("`{}`", quote(&self.name)),
                format!("asks for {} threads, but the result reports {told}", self.threads),
            );
        }
    }

    fn read(name: String, reading: &mut Reading<'_>) -> Self {
        let mut read = Self { name, ..Self::default() };
        let Some(bytes) = reading.beside(&read.name) else { return read };
        read.is_there = true;
        let text = String::from_utf8_lossy(&bytes);
        for (line, text) in numbered(&text) {
            let text = text.split('#').next().unwrap_or_default();
            let mut fields = text.split_whitespace();
            let (Some(path), Some(count)) = (fields.next(), fields.next()) else { continue };
            let place = || format!("`{}`, line {line}", quote(&read.name));
            if read.options.len() >= MOST_PARAMETERS {
                reading.notes.warn(place(), format!("more than {MOST_PARAMETERS} files are not read"));
                break;
            }
            match count.parse::<u64>() {
                Ok(count) => read.threads = read.threads.saturating_add(count),
                Err(_) => {
                    reading.notes.warn(place(), format!("`{}` is not a number of threads", quote(count)))
                }
            }
            let rest: Vec<&str> = std::iter::once(count).chain(fields.take(8)).collect();
            read.options.push((format!("parameter file, {}", quote(path)), rest.join(" ")));
        }
        read
    }
}

/// Lines that say nothing about load or figures.
fn is_known(text: &str) -> bool {
    let beginnings = [
        "sqlio v",
        "using system counter",
        "initialization done",
        "CUMULATIVE DATA",
        "throughput metrics",
        "latency metrics",
        "histogram",
        "file ",
        "size of file",
    ];
    text.is_empty() || beginnings.iter().any(|beginning| text.starts_with(beginning))
}
