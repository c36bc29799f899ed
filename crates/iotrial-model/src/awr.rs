//! What Oracle says of a database in an AWR report: facts as they are printed, each with its place and how far it may be
//! relied on. Statspack and AWR-Miner say less of the same and have the same form.
//!
//! Rates are per second of wall clock. A report of a whole cluster has the sums over its instances.

mod away;
mod change;
mod cut;
mod demand_note;
mod exadata;
mod figure;
mod fleet_note;
mod part;
mod quoted;
mod remark;
mod replay_note;
mod segment;
mod series_note;
mod size_note;
mod sizing;
mod source;

use serde::Serialize;

pub use away::{
    CellState, CompressedReads, FeatureFacts, HccCpu, LatestAlert, LowHigh, MemoryFacts, PlainReads,
    RangeAssumption, ShareOfBytes, Use,
};
pub use change::{ChangeCaution, ChangeOutcome, ReportSide};
pub use cut::{AwrSection, Cut, CutOff, MissingSection};
pub use demand_note::DemandNote;
pub use exadata::{
    CellAlert, CellTotals, DiskGroup, Exadata, FlashCacheMode, OfflineDisk, Outlier, TopDatabase,
};
pub use figure::{AwrFigure, AwrFigureRow, AwrFigures, AwrUnit};
pub use fleet_note::{BusierElsewhere, FleetNote, NotAdded, WhyNotAdded};
pub use part::{OnCells, Part};
pub use quoted::{Quoted, Standing};
pub use remark::{BusyFunction, CellReads, Remark, RemarkId, SignOfNfs, Switch, WaitedFor};
pub use replay_note::{Derivation, FigureOrigin, FigurePlace, ReplayNote};
pub use segment::{SegmentIo, SegmentStatistic};
pub use series_note::{FileFact, FileNote, SeriesNote, SlobNote};
pub use size_note::SizeNote;
pub use sizing::{
    EnterpriseFeature, FactorReason, Level, Method, NoStandardEdition2, Provided, RatesOf, ReportedRates,
};
pub use source::AwrSource;

use crate::imported::Warning;
use crate::load::words;

words! {
    /// Whose figures a report has.
    AwrKind {
        /// One instance: `awrrpt`. On RAC the other nodes are missing.
        Instance = "instance",
        /// All instances of a cluster: `awrgrpt`.
        Cluster = "cluster",
        /// One pluggable database.
        Pluggable = "pluggable database",
        /// The free predecessor, which knows one instance.
        Statspack = "statspack",
        /// A snapshot of one instance in the output of AWR-Miner.
        Miner = "awr-miner",
    }
}

words! {
    /// Who waited.
    WaitSide {
        /// Sessions of users: what they wait for is response time.
        Foreground = "foreground",
        /// Processes of the database itself.
        Background = "background",
        /// Reports of 10.2 do not tell them apart.
        Both = "both",
    }
}

/// One interval of one database, instance or pluggable database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwrReport {
    /// Whose figures these are.
    pub kind: AwrKind,
    /// The database.
    pub database: Database,
    /// The instances whose figures are in it.
    pub instances: Vec<Instance>,
    /// How many instances of the cluster were running, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_instances: Option<u32>,
    /// The machine; of a cluster the sum over its instances.
    pub host: Host,
    /// Between which snapshots.
    pub interval: Interval,
    /// Load Profile, per second, under the printed names.
    pub load_profile: Vec<Named>,
    /// I/O Profile.
    pub io_profile: Vec<IoProfileRow>,
    /// Instance Activity: the counters from which rates are taken.
    pub activity: Vec<Statistic>,
    /// What was waited for.
    pub waits: Vec<Wait>,
    /// Seconds that users waited, by class of waits; `DB CPU` is among them. Empty where the report has no such table.
    pub wait_classes: Vec<Named>,
    /// How waits spread, one entry for each printed table and event.
    pub histograms: Vec<WaitHistogram>,
    /// I/O by the part of the database that asked for it.
    pub io_by_function: Vec<IoStat>,
    /// I/O by the kind of file.
    pub io_by_file_type: Vec<IoStat>,
    /// I/O by the part of the database and the kind of file.
    pub io_matrix: Vec<IoCell>,
    /// I/O of each tablespace.
    pub tablespaces: Vec<FileIo>,
    /// I/O of each file.
    pub files: Vec<FileIo>,
    /// I/O of the busiest objects.
    pub segments: Vec<SegmentIo>,
    /// Memory in MiB, at the end of the interval.
    pub memory: Vec<Named>,
    /// Estimates for more and less memory.
    pub advisories: Vec<Advice>,
    /// Percentages of Instance Efficiency.
    pub efficiency: Vec<Named>,
    /// Seconds of the time model.
    pub time_model: Vec<Named>,
    /// Operating System Statistics, in their own units.
    pub host_statistics: Vec<Named>,
    /// Parameters that are not at their default.
    pub parameters: Vec<Parameter>,
    /// What the storage servers of Exadata say; `None` without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exadata: Option<Exadata>,
    /// Highest minute within the interval, of those figures for which the source has one.
    pub peaks: Vec<(AwrFigure, Quoted)>,
    /// Figures that the source prints as they are, and not as counters: AWR-Miner.
    pub printed_figures: Vec<(AwrFigure, Quoted)>,
    /// What contradicts itself in the report, each in one sentence without a full stop.
    pub contradictions: Vec<String>,
    /// Which columns were read under another name than the printed one, and why.
    pub corrections: Vec<String>,
    /// Where it was cut off; `None` of a whole one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// What was not understood, with its place.
    pub warnings: Vec<Warning>,
}

/// Which database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Database {
    /// `DB Name`; empty where it was made anonymous.
    pub name: String,
    /// `DB Id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// `DB_UNIQUE_NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_name: Option<String>,
    /// Such as PRIMARY.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Such as EE; XP is Extreme Performance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// The base release: 19.0.0.0.0 whatever the release update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// Whether it is a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_rac: Option<bool>,
    /// The pluggable database that the report is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
}

impl Database {
    /// As it is called in tables.
    pub fn title(&self) -> String {
        let name = match (self.name.as_str(), self.id) {
            ("", Some(id)) => format!("database {id}"),
            ("", None) => "a database without a name".to_owned(),
            (name, _) => name.to_owned(),
        };
        match &self.container {
            Some(container) => format!("{name} / {container}"),
            None => name,
        }
    }
}

/// An instance whose figures are in a report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Instance {
    /// Its number in the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Its name.
    pub name: String,
    /// Where it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Operating system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// When it was started: local time, `2025-01-02T10:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<String>,
}

/// The machine, as the database sees it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Host {
    /// Hardware threads.
    pub cpus: Quoted,
    /// Cores; many virtual machines do not say.
    pub cores: Quoted,
    /// Sockets.
    pub sockets: Quoted,
    /// Memory in GiB.
    pub memory_gib: Quoted,
    /// The CPUs that the database may use, where the report has a limit: that of a pluggable database, or `cpu_count`. It binds only
    /// where the Resource Manager is on.
    pub cpu_limit: Quoted,
}

/// Between which snapshots.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Interval {
    /// The first snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begin_snapshot: Option<u64>,
    /// The last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_snapshot: Option<u64>,
    /// Local time of the first snapshot: `2025-01-02T10:00:59`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begin: Option<String>,
    /// Local time of the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// Seconds of wall clock.
    pub elapsed_s: Quoted,
    /// Seconds that sessions of users were working or waiting; of a cluster the sum over its instances.
    pub db_time_s: Quoted,
    /// Whether an instance was started within the interval: its counters then began again at zero.
    pub has_restart: bool,
}

/// A value under its printed name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Named {
    /// As it is printed, without the colon.
    pub name: String,
    /// What is printed there.
    pub value: Quoted,
}

/// A row of the I/O Profile, per second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IoProfileRow {
    /// As it is printed, without the colon: `Total Requests`, `Total (MB)`. MB are MiB.
    pub name: String,
    /// Reads and writes.
    pub total: Quoted,
    /// Reads.
    pub read: Quoted,
    /// Writes.
    pub write: Quoted,
}

/// A counter of Instance Activity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistic {
    /// As it is printed; text reports cut it off.
    pub name: String,
    /// Over the interval.
    pub total: Quoted,
    /// Per second.
    pub per_second: Quoted,
}

/// What was waited for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wait {
    /// As it is printed; text reports cut it off.
    pub event: String,
    /// Who waited.
    pub side: WaitSide,
    /// How often.
    pub waits: Quoted,
    /// How long in all, in seconds.
    pub total_s: Quoted,
    /// How long on average, in microseconds: as printed where that has digits, else total by count.
    pub mean_us: Quoted,
    /// Share of the time of its side: DB time, or background time.
    pub percent: Quoted,
}

/// How the waits for one event spread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitHistogram {
    /// As it is printed.
    pub event: String,
    /// The heading of the table: events are in several, of other ranges.
    pub table: String,
    /// How many waits.
    pub waits: Quoted,
    /// In the order of the table; buckets that are blank there are left out.
    pub buckets: Vec<Bucket>,
}

/// A bucket of a histogram.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bucket {
    /// Its upper edge in microseconds; `None` of the last one, which is open.
    pub below_us: Option<f64>,
    /// Share of the waits, 0 to 100.
    pub percent: f64,
}

/// I/O of a function or of a kind of file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IoStat {
    /// Such as `LGWR` or `Data File`; `Total` and `TOTAL:` are the sum.
    pub name: String,
    /// Requests read per second.
    pub reads_per_s: Quoted,
    /// Requests written per second.
    pub writes_per_s: Quoted,
    /// MiB read per second.
    pub read_mib_per_s: Quoted,
    /// MiB written per second.
    pub write_mib_per_s: Quoted,
    /// Average time of a wait for a function, of a small read for a kind of file, in microseconds.
    pub mean_us: Quoted,
}

/// I/O of a function on a kind of file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IoCell {
    /// Such as `LGWR`.
    pub function: String,
    /// Such as `Log File`.
    pub file_type: String,
    /// Requests read per second.
    pub reads_per_s: Quoted,
    /// Requests written per second.
    pub writes_per_s: Quoted,
    /// MiB read per second.
    pub read_mib_per_s: Quoted,
    /// MiB written per second.
    pub write_mib_per_s: Quoted,
    /// Average time of a wait, in microseconds.
    pub mean_us: Quoted,
}

impl IoStat {
    /// Whether it is the sum of the others.
    pub fn is_total(&self) -> bool {
        self.name.trim_end_matches(':').eq_ignore_ascii_case("total")
    }
}

/// I/O of a tablespace or of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileIo {
    /// The tablespace.
    pub tablespace: String,
    /// The file; `None` of a tablespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Reads over the interval.
    pub reads: Quoted,
    /// Average time of a read, in microseconds.
    pub read_us: Quoted,
    /// Blocks per read, on average.
    pub blocks_per_read: Quoted,
    /// Reads of one block, per second.
    pub single_block_reads_per_s: Quoted,
    /// Average time of a read of one block, in microseconds.
    pub single_block_read_us: Quoted,
    /// Writes over the interval.
    pub writes: Quoted,
}

/// A parameter of the instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// As it is printed.
    pub name: String,
    /// At the first snapshot.
    pub value: String,
    /// At the last one, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_value: Option<String>,
    /// The instance, where instances differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
}

/// What Oracle estimates for another size of a part of its memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Which part.
    pub memory: AdvisedMemory,
    /// The size in MiB.
    pub size_mib: Quoted,
    /// The size by that of today.
    pub factor: Quoted,
    /// What would have been read with that size: thousands of physical reads of the buffer cache, MiB of temporary I/O of the PGA. It
    /// counts from the start of the instance, so that only ratios say something of the interval.
    pub estimate: Quoted,
}

words! {
    /// Memory for which there is an advisory.
    AdvisedMemory {
        /// The default pool of blocks.
        BufferCache = "buffer cache",
        /// Sorts and joins.
        Pga = "PGA",
    }
}

impl AwrReport {
    /// A counter of Instance Activity by its whole name; text reports cut names off.
    pub fn statistic(&self, name: &str) -> Option<&Statistic> {
        if let Some(exact) = self.activity.iter().find(|one| one.name == name) {
            return Some(exact);
        }
        // All are cut at the same width: what is shorter than others is a whole name, and may be the beginning of another one. A blank at
        // the end is gone.
        let width = self.activity.iter().map(|one| one.name.len()).max().unwrap_or(0);
        let is_cut = |one: &&Statistic| {
            one.name.len() >= 28 && one.name.len() + 2 >= width && name.starts_with(one.name.as_str())
        };
        let mut cut = self.activity.iter().filter(is_cut);
        match (cut.next(), cut.next()) {
            (Some(one), None) => Some(one),
            // Two that were cut off alike cannot be told apart.
            _ => None,
        }
    }

    /// What sessions of users waited for under this name; text reports cut it off.
    pub fn wait(&self, event: &str, side: WaitSide) -> Option<&Wait> {
        let of_side = |one: &&Wait| one.side == side || one.side == WaitSide::Both;
        let all = || self.waits.iter().filter(of_side);
        all()
            .find(|one| one.event == event)
            .or_else(|| all().find(|one| one.event.len() >= 26 && event.starts_with(one.event.as_str())))
    }

    /// Whether nothing of a section was read, or not what it is read for.
    pub fn lacks(&self, section: AwrSection) -> bool {
        match section {
            AwrSection::LoadProfile => self.load_profile.is_empty(),
            AwrSection::ForegroundWaits => self.waits.iter().all(|one| one.side == WaitSide::Background),
            AwrSection::BackgroundWaits => self.waits.iter().all(|one| one.side == WaitSide::Foreground),
            // Statistics are sorted by name, so that a part of them is no use without these.
            AwrSection::InstanceActivity => {
                !self.activity.iter().any(|one| one.name.starts_with("physical write total"))
            }
            AwrSection::IoByFiletype => self.io_by_file_type.is_empty(),
            AwrSection::Tablespaces => self.tablespaces.is_empty(),
            AwrSection::BufferPoolAdvisory => self.advisories.is_empty(),
            AwrSection::Parameters => self.parameters.is_empty(),
            AwrSection::Exadata => {
                self.exadata.is_none() && self.waits.iter().any(|one| one.event.starts_with("cell "))
            }
        }
    }

    /// A parameter by its name, at the last snapshot.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let one = self.parameters.iter().find(|one| one.name == name)?;
        Some(one.end_value.as_deref().unwrap_or(&one.value))
    }

    /// A value of a list by its printed name.
    pub fn named<'a>(list: &'a [Named], name: &str) -> Option<&'a Quoted> {
        list.iter().find(|one| one.name.eq_ignore_ascii_case(name)).map(|one| &one.value)
    }

    /// A row of the I/O Profile by its printed name.
    pub fn io_profile_row(&self, name: &str) -> Option<&IoProfileRow> {
        self.io_profile.iter().find(|one| one.name.eq_ignore_ascii_case(name))
    }
}
