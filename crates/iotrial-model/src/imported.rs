//! The record of a result that another tool measured, or that somebody printed.
//!
//! [`ImportedRecord`] owns the file format `iotrial.imported/1` (`docs/record.md`). It has what the source states and
//! nothing else: a percentile without a histogram stays a percentile, a mean of whole milliseconds stays one, and what is
//! not stated is absent. Figures that follow from it (sums over jobs, rates from counts) are those of
//! `iotrial-analysis`, as they are for a run. One record is what ran at once: a file with several runs becomes several.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bound::{BoundRelation, Bounded};
use crate::content::Checksum;
use crate::histogram::LatencyHistogram;
use crate::load::{Direction, Durability, Pattern, Role};
use crate::record::AttributeValue;
use crate::stream::Stream;
use crate::units::ByteSize;

mod check;

mod of_table;

pub use crate::stated::Stated;
pub use check::CheckImportedError;
pub use of_table::TablePlace;

/// The value of `format` in an imported record.
pub const IMPORTED_FORMAT: &str = "iotrial.imported/1";

/// What a source states about one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportedRecord {
    /// [`IMPORTED_FORMAT`]; a file with another format is not an imported record and is not read as one.
    pub format: String,
    /// A ULID: of the time of the measurement, and of the content of the source, so that the same result has the same id.
    pub id: String,
    /// What the user calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What distinguishes the configuration.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Where it comes from.
    pub source: Source,
    /// RFC 3339, UTC: when the run began or ended, whichever the source tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_at: Option<String>,
    /// The machine that made the load, as far as the source names it; not the one that imports.
    #[serde(default, skip_serializing_if = "StatedHost::is_unknown")]
    pub host: StatedHost,
    /// What ran at once, and what each did. Empty where the source does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<ImportedJob>,
    /// All jobs together, where the source states it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<StatedOps>,
    /// The run over time, where it was logged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<StatedInterval>,
    /// CPU time of the run as a whole, where the source states it so; fio states it for each job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<StatedCpu>,
    /// What the operating system counted at devices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<StatedDevice>,
    /// Figures of an application and amounts, by stream and name with unit: `other.batch_requests_per_s`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<String, Stated>,
    /// Figures of which only a bound was printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<StatedBound>,
    /// What was not understood or is odd, each with its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What its checksum says of it. Whoever writes the file adds the key, as the last one.
    #[serde(default, skip_serializing)]
    pub checksum: Checksum,
}

/// Where a record comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The format that was read.
    pub kind: SourceKind,
    /// Who measured, such as `fio`; of a printed table its source.
    pub tool: String,
    /// Version of the tool, as the source spells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The file as it was named.
    pub file: String,
    /// Where in the file: `jobs[3]`, `line 40`, `row A`.
    pub place: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// What read it, with its version.
    pub read_by: String,
}

impl Source {
    /// File and place, for messages: `` `r.json`, jobs[2] ``.
    pub fn whence(&self) -> String {
        format!("`{}`, {}", Path::new(&self.file).display(), self.place)
    }
}

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// fio's JSON, with or without bins.
    FioJson,
    /// fio's terse lines.
    FioTerse,
    /// fio's normal output, for people: rates of three or four digits.
    FioText,
    /// diskspd's XML (`-Rxml`), which has every parameter of the run.
    DiskspdXml,
    /// diskspd's text, its default output, which repeats most parameters of the run.
    DiskspdText,
    /// SQLIO's text: latencies in whole milliseconds, a histogram in whole percent.
    Sqlio,
    /// Iometer's CSV, of 2006 and 1.1.
    Iometer,
    /// CrystalDiskMark's text, versions 3 to 8; its MB have 1,000,000 bytes. KDiskMark's, whose MB have 1,000 KiB.
    Crystaldiskmark,
    /// vdbench's flat file, summary or totals.
    Vdbench,
    /// What kbench, kubestr or YABS print of the runs of fio that they made.
    FioSummary,
    /// sysbench's `fileio`, versions 0.4 to 1.0.
    Sysbench,
    /// elbencho's CSV, a row for each phase.
    Elbencho,
    /// pg_test_fsync of PostgreSQL: a write with its flush, by each method.
    PgTestFsync,
    /// Text of Prometheus with etcd's histogram of flushes.
    Prometheus,
    /// A benchmark of a database: pgbench, HammerDB, sysbench's OLTP. Its figures are those of an application.
    Application,
    /// A printed table, `docs/table-format.md`.
    Table,
    /// The same as CSV, `docs/import.md`.
    Csv,
}

impl SourceKind {
    /// The words for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FioJson => "fio JSON",
            Self::FioTerse => "fio terse",
            Self::FioText => "fio normal output",
            Self::DiskspdXml => "diskspd XML",
            Self::DiskspdText => "diskspd text",
            Self::Sqlio => "SQLIO text",
            Self::Iometer => "Iometer CSV",
            Self::Crystaldiskmark => "CrystalDiskMark text",
            Self::Vdbench => "vdbench output",
            Self::FioSummary => "summary of fio runs",
            Self::Sysbench => "sysbench fileio",
            Self::Elbencho => "elbencho CSV",
            Self::PgTestFsync => "pg_test_fsync output",
            Self::Prometheus => "metrics of etcd",
            Self::Application => "database benchmark",
            Self::Table => "printed table",
            Self::Csv => "CSV of figures",
        }
    }
}

/// The machine, as far as the source tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedHost {
    /// Network name of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Logical CPUs of the whole machine: what [`CpuBasis::Host`] is a share of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_count: Option<u32>,
}

impl StatedHost {
    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// One job: its load as it was configured, and what it did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportedJob {
    /// As the source calls it.
    pub name: String,
    /// What it stands for, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The load as it was configured. What the source does not state is absent and not the default of the tool.
    pub load: StatedLoad,
    /// What it did, by direction as far as the source tells them apart.
    #[serde(flatten)]
    pub ops: StatedOps,
    /// The error with which the tool ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// CPU time of this job alone. diskspd, Iometer and vdbench state it of the whole run only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<StatedCpu>,
}

/// A load as it was configured, as far as it is stated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedLoad {
    /// How offsets follow one another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// Share of reads: 0 is all writes, 100 is all reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rwmix_read_percent: Option<f64>,
    /// Sizes of I/Os; several where reads and writes differ, or where sizes are mixed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub block_sizes: Vec<StatedBlockSize>,
    /// Outstanding I/Os of each copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iodepth: Option<u64>,
    /// Copies of the job that ran at once, each with an `iodepth` of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numjobs: Option<u64>,
    /// Outstanding I/Os of all copies, where only that is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<u64>,
    /// Whether the I/O went past the page cache; `None` where the source does not say, which is often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<bool>,
    /// When a write counts as done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// A flush after so many writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_every: Option<u64>,
    /// The rate that was asked for, of all copies; absent where as many I/Os as possible were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_iops: Option<f64>,
    /// Whether something held it back that has no number here: a rate in bytes over several sizes, or pauses between I/Os.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paced: bool,
    /// What made the I/Os: `libaio`, `windowsaio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Files or devices that it worked on, as the source names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// What each copy touched.
    #[serde(default, rename = "size_bytes", skip_serializing_if = "Option::is_none")]
    pub size: Option<ByteSize>,
    /// How long it was to be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_s: Option<f64>,
    /// How long it was to run before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp_s: Option<f64>,
    /// Whether somebody worked it out instead of reading it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
    /// Whether a source that may put several jobs into one entry, and then has the options of one of them, is known to have put only
    /// copies of this one into it: fio tells how long all copies together ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_alone: bool,
    /// Every option as it was written, also those above.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// One size among the I/Os of a load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StatedBlockSize {
    /// Of reads or of writes; of both where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Size of one I/O.
    #[serde(rename = "size_bytes")]
    pub size: ByteSize,
    /// Its share of them, where sizes are mixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
}

impl StatedLoad {
    /// Outstanding I/Os of all copies together; `None` where it is not stated.
    pub fn total_outstanding(&self) -> Option<u64> {
        self.outstanding.or_else(|| self.iodepth?.checked_mul(self.numjobs?))
    }

    /// Whether it made fewer I/Os than the storage would have taken: a rate or pauses held it back.
    pub fn is_held_back(&self) -> bool {
        self.paced || self.rate_iops.is_some()
    }

    /// Whether other jobs may be among its figures: fio puts a group into one entry, which carries the options of one of them only.
    pub fn may_have_others(&self) -> bool {
        self.options.contains_key("group_reporting") && !self.is_alone
    }

    /// Whether its source tells how I/Os are made and nothing else of the options: fio's normal output has no rate, pause or flush.
    pub fn has_options_left_out(&self) -> bool {
        self.engine.is_some() && self.options.len() == 1 && self.options.contains_key("rw")
    }

    /// An option of a load whose figures are means over several runs, each for itself: how many those were.
    pub const MEAN_OF_RUNS: &'static str = "mean of runs";

    /// Whether its figures are such means: a mean rate times a mean latency is more than any run had.
    pub fn is_mean_of_runs(&self) -> bool {
        self.options.contains_key(Self::MEAN_OF_RUNS)
    }

    /// Whether it reads back what it wrote: such reads are none of its mix, and come after the writes.
    pub fn verifies(&self) -> bool {
        self.options.get("verify").is_some_and(|kind| !matches!(kind.trim(), "" | "0" | "none"))
    }

    /// Whether it has I/Os of a direction, as far as it says; of `None` it has some.
    pub fn does(&self, direction: Option<Direction>) -> bool {
        match (direction, self.rwmix_read_percent) {
            (Some(Direction::Read), Some(percent)) => percent > 0.0,
            (Some(Direction::Write), Some(percent)) => percent < 100.0,
            _ => true,
        }
    }

    /// The one size that all I/Os have; `None` where there are several or none is stated.
    pub fn block_size(&self) -> Option<ByteSize> {
        let (first, others) = self.block_sizes.split_first()?;
        others.iter().all(|other| other.size == first.size).then_some(first.size)
    }

    /// Sets the one size that all I/Os have.
    #[must_use]
    pub fn with_block_size(mut self, size: Option<ByteSize>) -> Self {
        self.block_sizes =
            size.map(|size| StatedBlockSize { direction: None, size, percent: None }).into_iter().collect();
        self
    }
}

/// What was done, by direction, only where there was something.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedOps {
    /// Reads; `None` also where the source states them only together with writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<StatedStream>,
    /// Writes; `None` also where the source states them only together with reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<StatedStream>,
    /// Reads and writes as one, as the source states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<StatedStream>,
    /// Flushes that were timed apart from the writes before them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<StatedStream>,
    /// Discards of blocks, which are neither reads nor writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<StatedStream>,
}

impl StatedOps {
    /// One stream; commits have none, because no other tool times them apart from writes.
    pub const fn get(&self, stream: Stream) -> Option<&StatedStream> {
        match stream {
            Stream::Read => self.read.as_ref(),
            Stream::Write => self.write.as_ref(),
            Stream::Mixed => self.all.as_ref(),
            Stream::Commit => None,
        }
    }

    /// Every stream that is there, with its name.
    pub fn streams(&self) -> impl Iterator<Item = (&'static str, &StatedStream)> {
        let all = [
            ("read", &self.read),
            ("write", &self.write),
            ("all", &self.all),
            ("sync", &self.sync),
            ("trim", &self.trim),
        ];
        all.into_iter().filter_map(|(name, stream)| Some((name, stream.as_ref()?)))
    }
}

/// What is stated of one stream of I/Os.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedStream {
    /// How long it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_s: Option<Stated>,
    /// I/Os that were done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_count: Option<u64>,
    /// Bytes that those I/Os moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// I/Os that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_count: Option<u64>,
    /// I/Os per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<Stated>,
    /// What the tool saw of that rate while it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled_iops: Option<StatedSamples>,
    /// MiB (of 1,048,576 bytes) per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_mib_per_s: Option<Stated>,
    /// Creation or submission to completion, whichever the tool takes for all of it.
    #[serde(default, skip_serializing_if = "StatedLatency::is_empty")]
    pub total_latency: StatedLatency,
    /// Submission to completion, where the tool tells it from the total.
    #[serde(default, skip_serializing_if = "StatedLatency::is_empty")]
    pub completion_latency: StatedLatency,
    /// Creation to submission.
    #[serde(default, skip_serializing_if = "StatedLatency::is_empty")]
    pub submission_latency: StatedLatency,
}

impl StatedStream {
    /// The latency that stands for the whole time that an I/O is outstanding: the total one; where a tool was told not to time
    /// it, the one to completion.
    pub fn latency(&self) -> &StatedLatency {
        let is_total = self.total_latency.mean_us.is_some() || self.completion_latency.mean_us.is_none();
        if is_total { &self.total_latency } else { &self.completion_latency }
    }

    /// The latency whose percentiles are stated: most versions of fio have them of the completion latency only. Those of a
    /// completion latency that the total one contradicts are of other I/Os, and stand for nothing.
    pub fn distribution(&self) -> &StatedLatency {
        let has_any =
            |latency: &StatedLatency| !latency.percentiles_us.is_empty() || latency.histogram.is_some();
        let is_total = has_any(&self.total_latency) || self.contradicting_parts().is_some();
        if is_total { &self.total_latency } else { &self.completion_latency }
    }

    /// Whether nothing is stated, or only that nothing was done. Rates of a few I/Os are printed as 0.00: their latency tells.
    pub fn is_idle(&self) -> bool {
        let nothing = |stated: Option<Stated>| stated.is_none_or(|stated| stated.value == 0.0);
        self.io_count.unwrap_or(0) == 0
            && self.bytes.unwrap_or(0) == 0
            && self.error_count.unwrap_or(0) == 0
            && nothing(self.iops)
            && nothing(self.bandwidth_mib_per_s)
            && self.total_latency.is_zero()
            && self.completion_latency.is_zero()
    }
}

/// Rates that a tool took at short intervals while a stream ran: fio every half a second, of each copy for itself, so that the figures of
/// several copies are sums, or means of them before 3.0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StatedSamples {
    /// I/Os per second of the slowest.
    pub min: Stated,
    /// I/Os per second of the fastest.
    pub max: Stated,
    /// I/Os per second on average over all; of a copy that ended only before it did.
    pub mean: Stated,
    /// How many there are, of all copies.
    pub count: u64,
}

/// What is stated of a latency.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedLatency {
    /// Arithmetic mean over all I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_us: Option<Stated>,
    /// Standard deviation of single I/Os around the mean; not the error of the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stddev_us: Option<Stated>,
    /// The shortest latency of any I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_us: Option<Stated>,
    /// The longest latency of any I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_us: Option<Stated>,
    /// The percentiles that the source states, the lowest first. Nothing is interpolated between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percentiles_us: Vec<StatedPercentile>,
    /// The distribution, only where the source has bins as fine as those of a histogram.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<LatencyHistogram>,
    /// The distribution in the coarse bins of the tool, the shortest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<LatencyBand>,
}

/// A percentile as the source states it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StatedPercentile {
    /// Share of the I/Os that took no longer, from 0 to 100: 99.9 of the 99.9th percentile.
    pub percent: f64,
    /// The latency in µs that this share of the I/Os did not exceed.
    #[serde(flatten)]
    pub at: Stated,
}

/// A coarse bin of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatencyBand {
    /// The shortest latency that falls into it.
    pub from_us: f64,
    /// It ends before this; the last one may have no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below_us: Option<f64>,
    /// Share of all I/Os that fell into it, in percent.
    pub percent: Stated,
}

impl StatedLatency {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether every figure is missing or printed as 0, as those of a stream without I/O are.
    pub fn is_zero(&self) -> bool {
        let mut figures = [self.mean_us, self.stddev_us, self.min_us, self.max_us].into_iter().flatten();
        figures.all(|figure| figure.value == 0.0) && self.percentiles_us.iter().all(|one| one.at.value == 0.0)
    }

    /// One percentile, such as 99.9.
    pub fn percentile(&self, percent: f64) -> Option<Stated> {
        // 99.9 has no exact binary fraction, and sources arrive at it in different ways, such as by a share of 0.999.
        let same = |one: &&StatedPercentile| (one.percent - percent).abs() < 1e-9;
        self.percentiles_us.iter().find(same).map(|one| one.at)
    }
}

/// A stretch of time. Latencies are those of the I/Os that completed in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedInterval {
    /// From the start that the tool counts from.
    pub start_s: f64,
    /// Its length: the window of a log of fio, or the bucket of diskspd.
    pub duration_s: f64,
    /// Index of the job; all of them together where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<usize>,
    /// What was done.
    #[serde(flatten)]
    pub ops: StatedOps,
}

/// CPU time, as shares or for each I/O, whichever the source states.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StatedCpu {
    /// In user space, in percent of what `of` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usr_percent: Option<Stated>,
    /// In the kernel, in percent of what `of` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sys_percent: Option<Stated>,
    /// User and kernel time for one I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_io_us: Option<Stated>,
    /// What the shares are shares of.
    pub of: CpuBasis,
}

/// What a share of CPU time is a share of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CpuBasis {
    /// All CPUs of the host.
    Host,
    /// One CPU for each copy of the job, on average over them.
    EachCopy,
}

/// What the operating system counted at a device, in the words of the tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedDevice {
    /// Name of the device on the machine that made the load, such as `nvme0n1`.
    pub name: String,
    /// Reads that it completed, after merging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_count: Option<u64>,
    /// Writes that it completed, after merging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_count: Option<u64>,
    /// Reads that were merged into others before, and are not among those completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_merge_count: Option<u64>,
    /// Writes that were merged into others before, and are not among those completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_merge_count: Option<u64>,
    /// Bytes read from it by anybody, not only by the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<u64>,
    /// Bytes written to it by anybody, not only by the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes: Option<u64>,
    /// Share of the time in which it had something to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_percent: Option<Stated>,
}

/// A figure of which only a bound was printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatedBound {
    /// The figure by its name in tables, such as `read.lat_mean_us`.
    pub metric: String,
    /// On which side the figure lies.
    pub relation: BoundRelation,
    /// The bound, with the resolution of its digits.
    pub number: Stated,
}

impl StatedBound {
    /// What is known of the figure.
    pub const fn bounded(&self) -> Bounded {
        Bounded { relation: self.relation, value: self.number.value }
    }
}

/// Something in a source that was not understood, or is odd.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Where: `line 12`, `jobs[0].read.iops`.
    pub place: String,
    /// What, in one clause.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl ImportedRecord {
    /// A record of which only the source is known.
    pub fn of_source(source: Source) -> Self {
        Self {
            format: IMPORTED_FORMAT.to_owned(),
            id: String::new(),
            label: None,
            attributes: BTreeMap::new(),
            source,
            measured_at: None,
            host: StatedHost::default(),
            jobs: Vec::new(),
            total: None,
            intervals: Vec::new(),
            cpu: None,
            devices: Vec::new(),
            other: BTreeMap::new(),
            bounds: Vec::new(),
            warnings: Vec::new(),
            checksum: Checksum::Absent,
        }
    }

    /// File and place, for messages: `` `r.json`, jobs[2] ``.
    pub fn whence(&self) -> String {
        self.source.whence()
    }
}
