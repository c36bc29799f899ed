//! Iometer's CSV, 2006 and 1.1: blocks that lines beginning with `'` open, a row for all, and rows for what
//! it consists of.

use std::collections::BTreeMap;

use iotrial_model::imported::{
    CpuBasis, ImportedJob, ImportedRecord, LatencyBand, Stated, StatedBlockSize, StatedCpu, StatedLoad,
    StatedOps, StatedStream,
};
use iotrial_model::load::Pattern;
use iotrial_model::units::ByteSize;

use crate::text::{Notes, as_count, count, number, quote};
use crate::{ImportError, Reading};

/// Most cells that a row may have, and most columns that are read.
const MOST_CELLS: usize = 100_000;
const MOST_COLUMNS: usize = 256;
/// Kinds of I/O of a specification; the editor of Iometer has room for 100.
const MOST_SIZES: usize = 100;
/// Disks of a test that are named; the depth is that of all.
const MOST_TARGETS: usize = 256;

/// An access specification: one line for each kind of I/O in it.
struct Specification {
    sizes: Vec<StatedBlockSize>,
    /// These are `None` where a line does not say.
    read_percent: Option<f64>,
    random_percent: Option<f64>,
    share: Option<f64>,
}

impl Default for Specification {
    fn default() -> Self {
        let none = Some(0.0);
        Self { sizes: Vec::new(), read_percent: none, random_percent: none, share: none }
    }
}

/// A row with its header.
struct IometerRow<'r> {
    line: u64,
    columns: &'r [String],
    cells: &'r csv::StringRecord,
}

/// Reads all tests.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    // Checked in the text, before the CSV reader keeps a row in memory.
    if text.lines().any(|line| line.split(',').nth(MOST_CELLS).is_some()) {
        return Err(reading.broken("the whole file", format!("a row has more than {MOST_CELLS} cells")));
    }
    let mut table = csv::ReaderBuilder::new();
    // No header: the columns change with every block.
    let mut table = table.has_headers(false).flexible(true).quoting(true).from_reader(text.as_bytes());
    let mut specifications: BTreeMap<String, Specification> = BTreeMap::new();
    let mut block = String::new();
    let (mut columns, mut in_specification) = (Vec::new(), None::<String>);
    let (mut version, mut time) = (None, None);
    // The last row for all, which rows for its disks follow.
    let mut open: Option<ImportedRecord> = None;
    for cells in table.records() {
        let cells = cells.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            reading.broken(format!("line {line}"), error.to_string())
        })?;
        let line = cells.position().map_or(0, csv::Position::line);
        let first = cells.get(0).unwrap_or_default().trim();
        if let Some(heading) = first.strip_prefix('\'') {
            heading.clone_into(&mut block);
            // The heading of the next specification ends the one before.
            if heading == "Access specification name" {
                in_specification = None;
            }
            let names = cells.iter().take(MOST_COLUMNS);
            columns = names.map(|cell| cell.trim().trim_start_matches('\'').to_owned()).collect();
            continue;
        }
        match block.as_str() {
            "Version" => version = Some(quote(first)),
            "Time Stamp" => time = Some(quote(first)),
            "Access specification name" => {
                in_specification = Some(first.to_owned());
                specifications.insert(first.to_owned(), Specification::default());
            }
            "size" => {
                if let Some(specification) =
                    in_specification.as_ref().and_then(|name| specifications.get_mut(name))
                {
                    let row = IometerRow { line, columns: &columns, cells: &cells };
                    specification.add(&row, &mut reading.notes);
                }
            }
            "Target Type" => {
                let row = IometerRow { line, columns: &columns, cells: &cells };
                match first {
                    "ALL" => {
                        // The row for all is complete once the next one begins: its disks come after it.
                        open.take().map_or(Ok(()), |done| reading.keep(done))?;
                        let mut record =
                            reading.record("Iometer", version.as_deref(), format!("line {line}"));
                        fill(&mut record, &row, &specifications, &mut reading.notes);
                        if let Some(time) = &time {
                            // The file does not state its time zone.
                            record.jobs[0].load.options.insert("time stamp".to_owned(), time.clone());
                        }
                        open = Some(record);
                    }
                    "DISK" => {
                        if let Some(job) = open.as_mut().and_then(|record| record.jobs.first_mut()) {
                            // Depths of the disks add up to the outstanding I/Os of the test.
                            let depth = row.stated("Queue Depth", &mut reading.notes).map(as_count);
                            job.load.outstanding =
                                depth.map(|depth| depth.saturating_add(job.load.outstanding.unwrap_or(0)));
                            let name = quote(cells.get(1).unwrap_or_default());
                            let is_known = job.load.targets.contains(&name);
                            if !is_known && job.load.targets.len() < MOST_TARGETS {
                                job.load.targets.push(name);
                            }
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    open.map_or(Ok(()), |done| reading.keep(done))
}

impl IometerRow<'_> {
    fn cell(&self, name: &str) -> Option<&str> {
        let index = self.columns.iter().position(|column| column == name)?;
        self.cells.get(index)
    }

    fn stated(&self, name: &str, notes: &mut Notes) -> Option<Stated> {
        number(self.cell(name)?, || format!("line {}, `{}`", self.line, quote(name)), notes)
    }

    fn count(&self, name: &str, notes: &mut Notes) -> Option<u64> {
        count(self.cell(name)?, || format!("line {}, `{}`", self.line, quote(name)), notes)
    }
}

impl Specification {
    fn add(&mut self, row: &IometerRow<'_>, notes: &mut Notes) {
        let mut value = |name: &str| row.stated(name, notes).map(|stated| stated.value);
        let share = value("% of size");
        // A specification has a line for each kind of I/O with its share; reads and randomness are weighted
        // by it.
        let add = |sum: Option<f64>, part: Option<f64>| Some(sum? + part? * share? / 100.0);
        self.read_percent = add(self.read_percent, value("% reads"));
        self.random_percent = add(self.random_percent, value("% random"));
        self.share = add(self.share, Some(100.0));
        if let Some(size) = row.count("size", notes).filter(|_| self.sizes.len() < MOST_SIZES) {
            self.sizes.push(StatedBlockSize { direction: None, size: ByteSize::bytes(size), percent: share });
        }
    }

    fn load(&self) -> StatedLoad {
        let mut sizes = self.sizes.clone();
        // A single size needs no share.
        if let [only] = sizes.as_mut_slice() {
            only.percent = None;
        }
        // Shares that do not add up leave the mix unknown.
        let is_whole = self.share.is_some_and(|share| (share - 100.0).abs() < 1e-6);
        StatedLoad {
            pattern: match self.random_percent.filter(|_| is_whole) {
                Some(0.0) => Some(Pattern::Sequential),
                Some(100.0) => Some(Pattern::Random),
                // Something between random and sequential is neither.
                _ => None,
            },
            rwmix_read_percent: self.read_percent.filter(|_| is_whole).map(|percent| percent.min(100.0)),
            block_sizes: sizes,
            ..StatedLoad::default()
        }
    }
}

fn fill(
    record: &mut ImportedRecord,
    row: &IometerRow<'_>,
    specifications: &BTreeMap<String, Specification>,
    notes: &mut Notes,
) {
    let name = row.cell("Access Specification Name").unwrap_or_default().trim();
    let specification = specifications.get(name);
    if specification.is_none() && !name.is_empty() {
        notes.warn(
            format!("line {}", row.line),
            format!("the access specification `{}` is not in the file", quote(name)),
        );
    }
    let mut load = specification.map(Specification::load).unwrap_or_default();
    load.options.insert("workers".to_owned(), row.cell("# Workers").unwrap_or_default().trim().to_owned());
    // Counts first: where all I/Os fail, the rates are zeros.
    let mut direction = |kind: &str, [bytes, ios, errors]: [&str; 3]| {
        let counted = StatedStream {
            bytes: row.count(bytes, notes),
            io_count: row.count(ios, notes),
            error_count: row.count(errors, notes),
            ..stream(row, kind, notes)?
        };
        Some(counted).filter(|one| !one.is_idle())
    };
    let mut ops = StatedOps {
        read: direction("Read ", ["Bytes Read", "Read I/Os", "Read Errors"]),
        write: direction("Write ", ["Bytes Written", "Write I/Os", "Write Errors"]),
        ..StatedOps::default()
    };
    let mut all = stream(row, "", notes).unwrap_or_default();
    all.total_latency.bands = bands(row, notes);
    // Bins are of both directions together, so they belong to the only one there is, or to both.
    match (&mut ops.read, &mut ops.write) {
        (Some(only), None) | (None, Some(only)) => only.total_latency.bands = all.total_latency.bands,
        _ => ops.all = Some(all).filter(|all| !all.is_idle()),
    }
    let mut share = |name: &str| row.stated(name, notes);
    // Shares of the host's processors, as diskspd's and vdbench's.
    let cpu = StatedCpu {
        usr_percent: share("% User Time"),
        sys_percent: share("% Privileged Time"),
        per_io_us: None,
        of: CpuBasis::Host,
    };
    record.cpu = Some(cpu).filter(|cpu| cpu.usr_percent.is_some());
    record.jobs.push(ImportedJob { name: quote(name), load, ops, ..ImportedJob::default() });
}

/// `kind` is what columns begin with: nothing, `Read ` or `Write `.
fn stream(row: &IometerRow<'_>, kind: &str, notes: &mut Notes) -> Option<StatedStream> {
    // Before 1.1 there was one column, of 1,048,576 bytes; since then there is one of each unit.
    let binary = row.stated(&format!("{kind}MiBps (Binary)"), notes);
    let bandwidth = binary.or_else(|| row.stated(&format!("{kind}MBps"), notes));
    let mut one = StatedStream {
        iops: row.stated(&format!("{kind}IOps"), notes),
        bandwidth_mib_per_s: bandwidth,
        ..StatedStream::default()
    };
    // Without a rate there is no such column, and the rest would be zeros.
    one.iops?;
    let mut ms = |name: String| row.stated(&name, notes).map(|ms| ms.times(1e3));
    one.total_latency.mean_us = ms(format!("Average {kind}Response Time"));
    one.total_latency.max_us = ms(format!("Maximum {kind}Response Time"));
    Some(one)
}

/// The bins of 1.1: `0 to 50 uS`, `1 to 2 mS`, `>= 10 S`, each with its count of I/Os.
fn bands(row: &IometerRow<'_>, notes: &mut Notes) -> Vec<LatencyBand> {
    let is_bin = |name: &str| name.ends_with(" uS") || name.ends_with(" mS") || name.ends_with(" S");
    let counts: Vec<(f64, Option<f64>, f64)> = row
        .columns
        .iter()
        .filter(|name| is_bin(name))
        .filter_map(|name| {
            let (from_us, below_us) = edges_of(name)?;
            Some((from_us, below_us, row.stated(name, notes)?.value))
        })
        .collect();
    let all: f64 = counts.iter().map(|(_, _, count)| count).sum();
    // Versions before 1.1 have no bins, and a test without I/O has zeros.
    if all <= 0.0 {
        return Vec::new();
    }
    counts
        .into_iter()
        .map(|(from_us, below_us, count)| LatencyBand {
            from_us,
            below_us,
            percent: Stated::exact(100.0 * count / all),
        })
        .collect()
}

fn edges_of(name: &str) -> Option<(f64, Option<f64>)> {
    let (range, unit) = name.rsplit_once(' ')?;
    let us = match unit {
        "uS" => 1.0,
        "mS" => 1e3,
        "S" => 1e6,
        _ => return None,
    };
    let edge = |text: &str| Stated::parse(text).map(|edge| edge.value * us);
    match range.split_once(" to ") {
        Some((from, below)) => Some((edge(from)?, Some(edge(below)?))),
        None => Some((edge(range.trim_start_matches(['>', '=', ' ']))?, None)),
    }
}
