//! What is asked of every report: the figures that describe what a database asks of its storage.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::Quoted;

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

macro_rules! figures {
    ($($(#[$doc:meta])* $variant:ident = $key:literal, $title:literal, $unit:ident;)*) => {
        /// A figure of a report. The order is that of tables.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum AwrFigure {
            $($(#[$doc])* $variant,)*
        }

        impl AwrFigure {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The key in JSON.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)* }
            }

            /// As tables call it.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// What it measures.
            pub const fn unit(self) -> AwrUnit {
                match self { $(Self::$variant => AwrUnit::$unit,)* }
            }
        }
    };
}

figures! {
    /// All requests to read: of the database, of its redo, archiver, backup and control files.
    Reads = "reads_per_s", "reads", PerSecond;
    /// All requests to write.
    Writes = "writes_per_s", "writes", PerSecond;
    /// Reads and writes: their peak is rarely the sum of the peaks of both.
    Requests = "requests_per_s", "all requests", PerSecond;
    /// Bytes of all reads.
    ReadMib = "read_mib_per_s", "read throughput", MibPerS;
    /// Bytes of all writes.
    WriteMib = "write_mib_per_s", "write throughput", MibPerS;
    /// Bytes of reads and writes.
    Throughput = "mib_per_s", "all throughput", MibPerS;
    /// Reads that are not counted as multi-block: mostly one block by an index.
    SingleBlockReads = "single_block_reads_per_s", "single-block reads", PerSecond;
    /// Reads of several blocks: scans, direct path, backup.
    MultiBlockReads = "multi_block_reads_per_s", "multi-block reads", PerSecond;
    /// Writes that are not counted as multi-block.
    SingleBlockWrites = "single_block_writes_per_s", "single-block writes", PerSecond;
    /// Writes of several blocks.
    MultiBlockWrites = "multi_block_writes_per_s", "multi-block writes", PerSecond;
    /// Bytes by requests of all reads.
    MeanReadKib = "mean_read_kib", "mean read size", Kib;
    /// Bytes by requests of all writes.
    MeanWriteKib = "mean_write_kib", "mean write size", Kib;
    /// Share of reads in all requests.
    ReadPercent = "read_percent", "share of reads", Percent;
    /// Reads of the database alone, as the Load Profile has them.
    DatabaseReads = "database_reads_per_s", "database reads", PerSecond;
    /// Writes of the database alone.
    DatabaseWrites = "database_writes_per_s", "database writes", PerSecond;
    /// Redo that is written for changes; copies of it in other members, archives and standbys are not counted.
    RedoMib = "redo_mib_per_s", "redo", MibPerS;
    /// Writes of redo.
    RedoWrites = "redo_writes_per_s", "redo writes", PerSecond;
    /// Redo by its writes.
    MeanRedoWriteKib = "mean_redo_write_kib", "mean redo write size", Kib;
    /// Reads of temporary files.
    TempReads = "temp_reads_per_s", "temp reads", PerSecond;
    /// Bytes of these.
    TempReadMib = "temp_read_mib_per_s", "temp read throughput", MibPerS;
    /// Writes of temporary files.
    TempWrites = "temp_writes_per_s", "temp writes", PerSecond;
    /// Bytes of these.
    TempWriteMib = "temp_write_mib_per_s", "temp write throughput", MibPerS;
    /// Writes of archived logs, backups and dumps.
    BackupWrites = "backup_writes_per_s", "archive and backup writes", PerSecond;
    /// Bytes of these.
    BackupWriteMib = "backup_write_mib_per_s", "archive and backup throughput", MibPerS;
    /// Commits and rollbacks.
    Transactions = "transactions_per_s", "transactions", PerSecond;
    /// Sessions of users that are working or waiting: DB time by wall clock.
    ActiveSessions = "average_active_sessions", "active sessions", Sessions;
    /// CPUs that the sessions of users keep busy.
    CpuSessions = "cpu_sessions", "sessions on CPU", Sessions;
    /// Logical reads that need no physical one.
    BufferHitPercent = "buffer_hit_percent", "buffer cache hits", Percent;
    /// Reads that flash cache served, on Exadata.
    FlashCacheHitPercent = "flash_cache_hit_percent", "flash cache hits", Percent;
    /// Wait for a read of one block: `db file sequential read`, or `cell single block physical read`.
    SingleBlockReadUs = "single_block_read_us", "single-block read wait", Us;
    /// Wait for a read of several blocks into the cache: `db file scattered read`, or `cell multiblock physical read`.
    MultiBlockReadUs = "multi_block_read_us", "multi-block read wait", Us;
    /// How often sessions waited for one: far below the reads where most go by direct path, several at once.
    SingleBlockReadWaits = "single_block_read_waits_per_s", "waits for single-block reads", PerSecond;
    /// How often sessions waited for a read of several blocks into the cache.
    MultiBlockReadWaits = "multi_block_read_waits_per_s", "waits for multi-block reads", PerSecond;
    /// Wait for a write of redo: `log file parallel write`.
    RedoWriteUs = "redo_write_us", "redo write wait", Us;
    /// Wait for a commit: `log file sync`.
    CommitUs = "commit_us", "commit wait", Us;
    /// Requests to write to redo logs, each member of a group by itself.
    LogWrites = "log_writes_per_s", "writes of redo logs", PerSecond;
    /// Bytes of them.
    LogWriteMib = "log_write_mib_per_s", "redo log throughput", MibPerS;
    /// Size of a block of the database.
    BlockKib = "block_kib", "block of the database", Kib;
    /// CPUs that the processes of the database itself keep busy.
    BackgroundCpuSessions = "background_cpu_sessions", "background processes on CPU", Sessions;
    /// CPUs of the host that anybody keeps busy.
    HostBusyCpus = "host_busy_cpus", "busy CPUs of the host", Sessions;
    /// Hardware threads of the host.
    HostCpus = "host_cpus", "CPUs of the host", Sessions;
    /// Its cores; equal to the threads where it has no hyper-threading.
    HostCores = "host_cores", "cores of the host", Sessions;
    /// SGA and PGA together.
    MemoryMib = "memory_mib", "SGA and PGA", Mib;
    /// Memory of the host.
    HostMemoryMib = "host_memory_mib", "memory of the host", Mib;
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
