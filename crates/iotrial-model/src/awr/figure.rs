//! What is asked of every report: the figures that describe what a database asks of its storage.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use self::AwrUnit::{Kib, Mib, MibPerS, PerSecond, Percent, Sessions, Us};
use super::Quoted;
use super::WaitSide::{Background, Foreground};
use super::source::AwrSource::{
    self, AllFiles, Blocks, Computed, Counter, Counters, DbTime, Efficiency, Files, Host, IoProfile, KibPer,
    LoadProfile, MeanWait, Memory, Rest, Share, Sum, TimeModel, WaitCount,
};

/// What a figure measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AwrUnit {
    /// Requests per second.
    PerSecond,
    /// MiB per second.
    MibPerS,
    /// KiB.
    Kib,
    /// MiB that are kept, not moved.
    Mib,
    /// Percent, 0 to 100.
    Percent,
    /// Microseconds.
    Us,
    /// Sessions, or CPUs that are busy.
    Sessions,
}

/// What is known of a figure, whatever the report.
#[derive(Debug, Clone, Copy)]
pub struct AwrFigureRow {
    /// The key in JSON.
    pub key: &'static str,
    /// As tables call it.
    pub title: &'static str,
    /// What it measures.
    pub unit: AwrUnit,
    /// Where it is found: the first of these that is there and not contradicted, otherwise the first that is there.
    pub sources: &'static [AwrSource],
    /// Whether every report has it, so that tables say where one does not. Others are left out then.
    pub is_expected: bool,
    /// What a mean of it is weighted by, over instances and over time: the first of these that is there. Time alone where none is.
    pub weights: &'static [AwrFigure],
}

impl AwrFigureRow {
    const fn expected(self) -> Self {
        Self { is_expected: true, ..self }
    }

    const fn weighted_by(self, weights: &'static [AwrFigure]) -> Self {
        Self { weights, ..self }
    }
}

const fn row(
    key: &'static str,
    title: &'static str,
    unit: AwrUnit,
    sources: &'static [AwrSource],
) -> AwrFigureRow {
    AwrFigureRow { key, title, unit, sources, is_expected: false, weights: &[] }
}

macro_rules! figures {
    ($(#[doc = $meaning:literal] $variant:ident: $row:expr;)*) => {
        /// A figure of a report. The order is that of tables.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum AwrFigure {
            $(#[doc = $meaning] $variant,)*
        }

        const ROWS: &[AwrFigureRow] = &[$($row,)*];
        const MEANINGS: &[&str] = &[$($meaning,)*];

        impl AwrFigure {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }
    };
}

impl AwrFigure {
    /// What is known of it, whatever the report.
    pub const fn row(self) -> &'static AwrFigureRow {
        &ROWS[self as usize]
    }

    /// The key in JSON.
    pub const fn key(self) -> &'static str {
        self.row().key
    }

    /// What it is, as a sentence of the documentation.
    pub fn meaning(self) -> &'static str {
        MEANINGS[self as usize].trim()
    }

    /// As tables call it.
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// What it measures.
    pub const fn unit(self) -> AwrUnit {
        self.row().unit
    }
}

/// Reads of one block by an index, under the names that they have on plain storage and on Exadata.
const SINGLE_BLOCK_READS: &[&str] = &[
    "db file sequential read",
    "cell single block physical read",
    "cell single block physical read: flash cache",
    "cell single block physical read: pmem cache",
    "cell single block physical read: RDMA",
];

/// Reads of several blocks into the cache. Those by direct path are not waited for one by one.
const MULTI_BLOCK_READS: &[&str] = &["db file scattered read", "cell multiblock physical read"];

const TEMP_FILES: &[&str] = &["Temp File"];

/// Kinds of files that are written by the archiver, by backups and by exports.
const BACKUP_FILES: &[&str] = &[
    "Archive Log",
    "Archive Log Backup",
    "Data File Backup",
    "Data File Copy",
    "Data File Incremental Backup",
    "Data Pump Dump File",
];

const BACKGROUND_CPU: &str = "CPU time of background processes";

const REDO_WRITES: &[&str] = &["log file parallel write"];

figures! {
    /// All requests to read: of the database, of its redo, archiver, backup and control files.
    Reads: row("reads_per_s", "reads", PerSecond, &[
        Counter("physical read total IO requests"),
        IoProfile("Total Requests", |row| &row.read),
        AllFiles(|all| &all.reads_per_s),
    ]).expected();
    /// All requests to write.
    Writes: row("writes_per_s", "writes", PerSecond, &[
        Counter("physical write total IO requests"),
        IoProfile("Total Requests", |row| &row.write),
        AllFiles(|all| &all.writes_per_s),
    ]).expected();
    /// Reads and writes: their peak is rarely the sum of the peaks of both.
    Requests: row("requests_per_s", "all requests", PerSecond, &[Sum(AwrFigure::Reads, AwrFigure::Writes)]);
    /// Bytes of all reads.
    ReadMib: row("read_mib_per_s", "read throughput", MibPerS, &[
        Counter("physical read total bytes"),
        IoProfile("Total (MB)", |row| &row.read),
        AllFiles(|all| &all.read_mib_per_s),
    ]).expected();
    /// Bytes of all writes.
    WriteMib: row("write_mib_per_s", "write throughput", MibPerS, &[
        Counter("physical write total bytes"),
        IoProfile("Total (MB)", |row| &row.write),
        AllFiles(|all| &all.write_mib_per_s),
    ]).expected();
    /// Bytes of reads and writes.
    Throughput: row("mib_per_s", "all throughput", MibPerS, &[Sum(AwrFigure::ReadMib, AwrFigure::WriteMib)]);
    /// Reads that are not counted as multi-block: mostly one block by an index.
    SingleBlockReads: row("single_block_reads_per_s", "single-block reads", PerSecond, &[
        Rest { of: AwrFigure::Reads, without: AwrFigure::MultiBlockReads },
    ]);
    /// Reads of several blocks: scans, direct path, backup.
    MultiBlockReads: row("multi_block_reads_per_s", "multi-block reads", PerSecond, &[
        Counter("physical read total multi block requests"),
    ]).expected();
    /// Writes that are not counted as multi-block.
    SingleBlockWrites: row("single_block_writes_per_s", "single-block writes", PerSecond, &[
        Rest { of: AwrFigure::Writes, without: AwrFigure::MultiBlockWrites },
    ]);
    /// Writes of several blocks.
    MultiBlockWrites: row("multi_block_writes_per_s", "multi-block writes", PerSecond, &[
        Counter("physical write total multi block requests"),
    ]).expected();
    /// Mean size of all reads.
    MeanReadKib: row("mean_read_kib", "mean read size", Kib, &[
        KibPer(AwrFigure::ReadMib, AwrFigure::Reads, "read bytes divided by read requests"),
    ]).weighted_by(&[AwrFigure::Reads]);
    /// Mean size of all writes.
    MeanWriteKib: row("mean_write_kib", "mean write size", Kib, &[
        KibPer(AwrFigure::WriteMib, AwrFigure::Writes, "written bytes divided by write requests"),
    ]).weighted_by(&[AwrFigure::Writes]);
    /// Share of reads in all requests.
    ReadPercent: row("read_percent", "share of reads", Percent, &[Share(AwrFigure::Reads, AwrFigure::Writes)]);
    /// Reads of the database alone, as the Load Profile has them.
    DatabaseReads: row("database_reads_per_s", "database reads", PerSecond, &[
        Counter("physical read IO requests"),
        LoadProfile("Read IO requests"),
        IoProfile("Database Requests", |row| &row.read),
    ]).expected();
    /// Writes of the database alone.
    DatabaseWrites: row("database_writes_per_s", "database writes", PerSecond, &[
        Counter("physical write IO requests"),
        LoadProfile("Write IO requests"),
        IoProfile("Database Requests", |row| &row.write),
    ]).expected();
    /// Bytes of the reads of the database alone.
    DatabaseReadMib: row("database_read_mib_per_s", "database read throughput", MibPerS, &[
        Counter("physical read bytes"),
        IoProfile("Database (MB)", |row| &row.read),
        Blocks(&["Physical read (blocks)", "Physical reads"]),
    ]);
    /// Bytes of the writes of the database alone.
    DatabaseWriteMib: row("database_write_mib_per_s", "database write throughput", MibPerS, &[
        Counter("physical write bytes"),
        IoProfile("Database (MB)", |row| &row.write),
        Blocks(&["Physical write (blocks)", "Physical writes"]),
    ]);
    /// Redo that is written for changes; copies of it in other members, archives and standbys are not counted.
    RedoMib: row("redo_mib_per_s", "redo", MibPerS, &[
        Counter("redo size"),
        LoadProfile("Redo size (bytes)"),
        LoadProfile("Redo size"),
    ]).expected();
    /// Writes of redo.
    RedoWrites: row("redo_writes_per_s", "redo writes", PerSecond, &[Counter("redo writes")]).expected();
    /// Mean size of a write of redo.
    MeanRedoWriteKib: row("mean_redo_write_kib", "mean redo write size", Kib, &[
        KibPer(AwrFigure::RedoMib, AwrFigure::RedoWrites, "redo size divided by redo writes"),
    ]).weighted_by(&[AwrFigure::RedoWrites]);
    /// Reads of temporary files.
    TempReads: row("temp_reads_per_s", "temp reads", PerSecond, &[
        Files(TEMP_FILES, |files| &files.reads_per_s),
    ]);
    /// Bytes of reads of temporary files.
    TempReadMib: row("temp_read_mib_per_s", "temp read throughput", MibPerS, &[
        Files(TEMP_FILES, |files| &files.read_mib_per_s),
    ]);
    /// Writes of temporary files.
    TempWrites: row("temp_writes_per_s", "temp writes", PerSecond, &[
        Files(TEMP_FILES, |files| &files.writes_per_s),
    ]);
    /// Bytes of writes of temporary files.
    TempWriteMib: row("temp_write_mib_per_s", "temp write throughput", MibPerS, &[
        Files(TEMP_FILES, |files| &files.write_mib_per_s),
    ]);
    /// Writes of archived logs, backups and dumps.
    BackupWrites: row("backup_writes_per_s", "archive and backup writes", PerSecond, &[
        Files(BACKUP_FILES, |files| &files.writes_per_s),
    ]);
    /// Bytes of archived logs, backups and dumps that are written.
    BackupWriteMib: row("backup_write_mib_per_s", "archive and backup throughput", MibPerS, &[
        Files(BACKUP_FILES, |files| &files.write_mib_per_s),
    ]);
    /// Commits and rollbacks.
    Transactions: row("transactions_per_s", "transactions", PerSecond, &[
        Counters(&["user commits", "user rollbacks"], "user commits and user rollbacks"),
        LoadProfile("Transactions"),
    ]).expected();
    /// Sessions of users that are working or waiting: DB time by wall clock.
    ActiveSessions: row("average_active_sessions", "active sessions", Sessions, &[DbTime]).expected();
    /// CPUs that the sessions of users keep busy.
    CpuSessions: row("cpu_sessions", "sessions on CPU", Sessions, &[
        TimeModel("DB CPU", "DB CPU"),
        LoadProfile("DB CPU(s)"),
    ]).expected();
    /// Share of logical reads that need no physical one.
    BufferHitPercent: row("buffer_hit_percent", "buffer cache hits", Percent, &[
        Efficiency("Buffer Hit %"),
        Computed,
    ]).expected().weighted_by(&[AwrFigure::Transactions]);
    /// Share of reads that flash cache served, on Exadata.
    FlashCacheHitPercent: row("flash_cache_hit_percent", "flash cache hits", Percent, &[
        Computed,
    ]).weighted_by(&[AwrFigure::Reads]);
    /// Wait for a read of one block: `db file sequential read`, or `cell single block physical read`.
    SingleBlockReadUs: row("single_block_read_us", "single-block read wait", Us, &[
        MeanWait(SINGLE_BLOCK_READS, Foreground),
    ]).expected().weighted_by(&[AwrFigure::SingleBlockReadWaits, AwrFigure::Reads]);
    /// Wait for a read of several blocks into the cache: `db file scattered read`, or `cell multiblock physical read`.
    MultiBlockReadUs: row("multi_block_read_us", "multi-block read wait", Us, &[
        MeanWait(MULTI_BLOCK_READS, Foreground),
    ]).weighted_by(&[AwrFigure::MultiBlockReadWaits, AwrFigure::MultiBlockReads]);
    /// How often sessions waited for a read of one block: far below the reads where most go by direct path, several at once.
    SingleBlockReadWaits: row("single_block_read_waits_per_s", "waits for single-block reads", PerSecond, &[
        WaitCount(SINGLE_BLOCK_READS, Foreground),
    ]);
    /// How often sessions waited for a read of several blocks into the cache.
    MultiBlockReadWaits: row("multi_block_read_waits_per_s", "waits for multi-block reads", PerSecond, &[
        WaitCount(MULTI_BLOCK_READS, Foreground),
    ]);
    /// Wait for a write of redo: `log file parallel write`.
    RedoWriteUs: row("redo_write_us", "redo write wait", Us, &[
        MeanWait(REDO_WRITES, Background),
        MeanWait(REDO_WRITES, Foreground),
    ]).expected().weighted_by(&[AwrFigure::RedoWrites]);
    /// Wait for a commit: `log file sync`.
    CommitUs: row("commit_us", "commit wait", Us, &[
        MeanWait(&["log file sync"], Foreground),
    ]).expected().weighted_by(&[AwrFigure::Transactions]);
    /// Requests to write to redo logs, each member of a group by itself.
    LogWrites: row("log_writes_per_s", "writes of redo logs", PerSecond, &[Computed]).expected();
    /// Bytes that are written to redo logs, each member of a group by itself.
    LogWriteMib: row("log_write_mib_per_s", "redo log throughput", MibPerS, &[Computed]).expected();
    /// Size of a block of the database.
    BlockKib: row("block_kib", "block of the database", Kib, &[Memory(&["Std Block Size"], "")]);
    /// CPUs that the processes of the database itself keep busy.
    BackgroundCpuSessions: row("background_cpu_sessions", "background processes on CPU", Sessions, &[
        TimeModel("background cpu time", BACKGROUND_CPU),
        TimeModel("bg CPU", BACKGROUND_CPU),
        LoadProfile("Background CPU(s)"),
    ]);
    /// Sessions of users that wait for a CPU: for the Resource Manager or, on a busy host, in time that is neither CPU nor a wait.
    CpuWaitSessions: row("cpu_wait_sessions", "sessions waiting for CPU", Sessions, &[Computed]);
    /// CPUs of the host that anybody keeps busy.
    HostBusyCpus: row("host_busy_cpus", "busy CPUs of the host", Sessions, &[Computed]);
    /// Hardware threads of the host.
    HostCpus: row("host_cpus", "CPUs of the host", Sessions, &[Host(|host| &host.cpus)]);
    /// Cores of the host; equal to the threads where it has no hyper-threading.
    HostCores: row("host_cores", "cores of the host", Sessions, &[Host(|host| &host.cores)]);
    /// CPUs that the database may use, where the report has a limit.
    CpuLimit: row("cpu_limit", "CPUs the database may use", Sessions, &[Host(|host| &host.cpu_limit)]);
    /// SGA and PGA together.
    MemoryMib: row("memory_mib", "SGA and PGA", Mib, &[
        Memory(&["SGA use", "PGA use"], "SGA use and PGA use"),
        Memory(&["SGA target", "PGA target"], "the targets of SGA and PGA; the report does not have their use"),
        // An SGA without a target is the sum of its pools, which are set one by one.
        Memory(
            &["Buffer Cache", "Shared Pool Size", "PGA target"],
            "the buffer cache, the shared pool and the target of the PGA; the report has neither their use nor smaller pools",
        ),
    ]);
    /// Memory of the host.
    HostMemoryMib: row("host_memory_mib", "memory of the host", Mib, &[
        Memory(&["Host Mem"], ""),
        Host(|host| &host.memory_gib),
    ]);
}

/// The figures of one interval.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AwrFigures(BTreeMap<AwrFigure, Quoted>);

impl AwrFigures {
    /// With one more figure.
    pub fn put(&mut self, figure: AwrFigure, value: Quoted) {
        self.0.insert(figure, value);
    }

    /// A figure, absent or not.
    pub fn get(&self, figure: AwrFigure) -> Option<&Quoted> {
        self.0.get(&figure)
    }

    /// Its number.
    pub fn value(&self, figure: AwrFigure) -> Option<f64> {
        self.0.get(&figure)?.value()
    }

    /// All of them in the order of tables.
    pub fn iter(&self) -> impl Iterator<Item = (AwrFigure, &Quoted)> {
        self.0.iter().map(|(figure, value)| (*figure, value))
    }
}

impl Serialize for AwrFigures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(figure, value)| (figure.key(), value)))
    }
}

impl Serialize for AwrFigure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}
