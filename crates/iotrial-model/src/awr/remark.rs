//! What an expert would remark on an AWR report: the facts. `iotrial_words::awr` says them.

use serde::Serialize;

use super::{Part, WaitSide};
use crate::finding::Severity;
use crate::load::words;
use crate::verdict::Category;

words! {
    /// The stable name of a remark.
    RemarkId {
        /// Figures of the report contradict each other.
        Contradiction = "contradiction",
        /// The import took another figure than the one that is printed.
        Correction = "correction",
        /// The interval hides busy minutes.
        LongInterval = "long-interval",
        /// The interval is too short to size by.
        ShortInterval = "short-interval",
        /// The report of a cluster lacks instances.
        MissingInstances = "missing-instances",
        /// The report has a part of the database.
        OneOfSeveralInstances = "one-of-several-instances",
        /// The report is one of a pluggable database.
        PluggableDatabase = "pluggable-database",
        /// The instance reads more than the Load Profile has.
        ReadsBeyondTheDatabase = "reads-beyond-the-database",
        /// The archiver moves much.
        Archiver = "archiver",
        /// Backup and recovery move much.
        Backup = "backup",
        /// Data Pump moves much.
        DataPump = "data-pump",
        /// Recovery moves much.
        Recovery = "recovery",
        /// Flashback logs are much of what is written.
        Flashback = "flashback",
        /// Redo also goes to a standby.
        Standby = "standby",
        /// A wait for I/O is slow.
        SlowWait = "slow-wait",
        /// A commit takes much longer than its write of redo.
        CommitBeyondWrite = "commit-beyond-write",
        /// Sessions waited for switches of the log.
        LogSwitch = "log-switch",
        /// Sessions waited for free buffers.
        FreeBuffers = "free-buffers",
        /// Sessions waited for space in the log buffer.
        LogBuffer = "log-buffer",
        /// Waits for direct path I/O are no latencies.
        DirectPath = "direct-path",
        /// There is more CPU time than DB time.
        CpuBeyondDbTime = "cpu-beyond-db-time",
        /// DB time is neither CPU nor a wait.
        UnknownDbTime = "unknown-db-time",
        /// Temporary files are much of all bytes.
        Temp = "temp",
        /// Most reads are multi-block reads.
        Scans = "scans",
        /// The log is switched often.
        ManyLogSwitches = "many-log-switches",
        /// The buffer cache answers few reads.
        BufferCache = "buffer-cache",
        /// Values of cells or disks are out of range.
        CellOutliers = "cell-outliers",
        /// A disk group is nearly full.
        FullDiskGroup = "full-disk-group",
        /// A kind of read from cells has much of DB time.
        CellReads = "cell-reads",
        /// Hidden parameters are set.
        HiddenParameters = "hidden-parameters",
        /// A deprecated parameter is set.
        DeprecatedParameter = "deprecated-parameter",
        /// Files on a file system may lack direct and asynchronous I/O.
        FilesystemIoOptions = "filesystemio-options",
        /// Asynchronous I/O is off.
        SynchronousIo = "synchronous-io",
        /// The size of reads of scans is set.
        MultiblockReadCount = "multiblock-read-count",
        /// Blocks are not prefetched.
        PrefetchOff = "prefetch-off",
        /// No jobs run.
        JobsOff = "jobs-off",
        /// The host has a flash cache.
        DatabaseFlashCache = "database-flash-cache",
        /// Commits do not wait.
        CommitNowait = "commit-nowait",
        /// Memory is managed as a whole.
        MemoryTarget = "memory-target",
        /// There are no huge pages.
        NoLargePages = "no-large-pages",
        /// Slaves do the I/O.
        IoSlaves = "io-slaves",
        /// The time of a recovery is limited.
        MttrTarget = "mttr-target",
        /// The log is switched at an interval.
        ArchiveLagTarget = "archive-lag-target",
        /// Reads of blocks are logged.
        LostWriteProtection = "lost-write-protection",
        /// The advisory of the cache is off.
        NoCacheAdvice = "no-cache-advice",
        /// Waits are not timed.
        NoTimes = "no-times",
        /// Files seem to be on NFS.
        Nfs = "nfs",
    }
}

/// Something to know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remark {
    /// The same for the same kind of remark.
    pub id: RemarkId,
    /// How much it weighs.
    pub severity: Severity,
    /// One sentence with its numbers.
    pub text: String,
    /// What the sentence is made from.
    #[serde(skip)]
    pub facts: RemarkFacts,
}

/// What was seen, by kind. Percentages are 0 to 100.
#[derive(Debug, Clone, PartialEq)]
pub enum RemarkFacts {
    /// In the words of the import.
    Contradiction(String),
    /// In the words of the import.
    Correction(String),
    /// The report covers hours, and its averages hide the busy minutes.
    LongInterval {
        /// How long it is.
        elapsed_s: f64,
    },
    /// The report covers too little to size by.
    ShortInterval {
        /// How long it is.
        elapsed_s: f64,
    },
    /// The report of a cluster lacks instances.
    MissingInstances(Part),
    /// The report has a part of the database.
    OneOfSeveralInstances(Part),
    /// Redo belongs to the container.
    PluggableDatabase,
    /// Control files, archiver, backup and recovery read as well.
    ReadsBeyondTheDatabase {
        /// Reads per second of the Load Profile.
        load_profile_per_s: f64,
        /// Reads per second of the instance.
        all_per_s: f64,
    },
    /// A function other than the ordinary work of the database moves much.
    BusyFunction {
        /// Which one.
        function: BusyFunction,
        /// Its share of all bytes.
        percent: f64,
    },
    /// Flashback logs are much of what is written.
    Flashback {
        /// Their share of the bytes written.
        percent: f64,
    },
    /// Redo also goes over the network.
    Standby {
        /// How much.
        redo_mib_per_s: f64,
    },
    /// A wait for I/O is slow.
    SlowWait {
        /// What is waited for.
        event: String,
        /// Who waits.
        side: WaitSide,
        /// Its mean, µs.
        mean_us: f64,
        /// What that is called.
        category: Category,
    },
    /// The rest of a commit is not its write.
    CommitBeyondWrite {
        /// Mean of a commit, µs.
        commit_us: f64,
        /// Mean of a write of redo, µs.
        write_us: f64,
    },
    /// Sessions waited for the database to keep up.
    SessionsWaited {
        /// For what.
        what: WaitedFor,
        /// For how long, all of them together.
        seconds: f64,
    },
    /// Each wait for direct path I/O covers several I/Os.
    DirectPath,
    /// One of both is counted wrongly.
    CpuBeyondDbTime {
        /// CPU as a share of DB time.
        percent: f64,
    },
    /// Neither CPU nor a wait in the report.
    UnknownDbTime {
        /// Share of DB time.
        percent: f64,
    },
    /// Temporary files.
    Temp {
        /// Share of all bytes.
        percent: f64,
    },
    /// Multi-block reads.
    Scans {
        /// Share of the reads.
        percent: f64,
    },
    /// Each switch starts a checkpoint.
    ManyLogSwitches {
        /// Switches per hour.
        per_hour: f64,
    },
    /// The buffer cache answers few reads.
    BufferCache {
        /// The share that it answers of the logical reads.
        hit_percent: f64,
    },
    /// Values of cells or disks are out of range.
    CellOutliers {
        /// How many.
        count: usize,
    },
    /// A disk group is nearly full.
    FullDiskGroup {
        /// Its name.
        group: String,
        /// How full it is.
        percent: f64,
        /// As it is printed.
        redundancy: String,
    },
    /// A kind of read from cells has much of DB time.
    CellReads {
        /// Which kind.
        reads: CellReads,
        /// Share of DB time.
        percent: f64,
    },
    /// Hidden parameters are set.
    HiddenParameters {
        /// Which, at least one.
        names: Vec<String>,
    },
    /// A deprecated parameter is set.
    DeprecatedParameter {
        /// Which one.
        name: String,
    },
    /// Files on a file system may lack direct and asynchronous I/O.
    FilesystemIoOptions {
        /// What the parameter is set to; `None` at its default.
        value: Option<String>,
    },
    /// `disk_asynch_io` is off.
    SynchronousIo,
    /// `db_file_multiblock_read_count` is set.
    MultiblockReadCount,
    /// A parameter changes what I/O there is, or what its figures mean.
    Switch {
        /// How.
        switch: Switch,
        /// The parameter.
        name: String,
        /// As it is printed.
        value: String,
    },
    /// Files seem to be on NFS.
    Nfs(SignOfNfs),
}

/// Functions that do I/O of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusyFunction {
    /// Copies redo away.
    Archiver,
    /// RMAN.
    Backup,
    /// Export and import.
    DataPump,
    /// Applies redo.
    Recovery,
}

/// What sessions waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitedFor {
    /// The next redo log.
    LogSwitch,
    /// The writers.
    FreeBuffers,
    /// The log writer.
    LogBuffer,
}

/// Kinds of reads from the cells of Exadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellReads {
    /// Filtered in the cells.
    SmartScans,
    /// Of several blocks.
    MultiBlock,
    /// Of one block.
    SingleBlock,
}

/// What a parameter switches on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Prefetching is off.
    PrefetchOff,
    /// No jobs run.
    JobsOff,
    /// The host has a flash cache.
    DatabaseFlashCache,
    /// Commits do not wait.
    CommitNowait,
    /// SGA and PGA are managed together.
    MemoryTarget,
    /// Huge pages are off.
    NoLargePages,
    /// Slaves do the I/O.
    IoSlaves,
    /// A recovery may take so many seconds.
    MttrTarget,
    /// The log is switched after so many seconds.
    ArchiveLagTarget,
    /// Reads of blocks are logged.
    LostWriteProtection,
    /// No advisory of the cache.
    NoCacheAdvice,
    /// No times of waits.
    NoTimes,
}

/// What shows that files are on NFS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignOfNfs {
    /// Sessions waited for this event.
    Wait(String),
    /// A parameter is set.
    Parameter {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
    /// A counter of the instance is not zero.
    Counter(String),
}

impl RemarkFacts {
    /// The name of that remark.
    pub const fn id(&self) -> RemarkId {
        match self {
            Self::BusyFunction { function, .. } => function.id(),
            Self::SessionsWaited { what, .. } => what.id(),
            Self::Switch { switch, .. } => switch.id(),
            Self::Contradiction(_) => RemarkId::Contradiction,
            Self::Correction(_) => RemarkId::Correction,
            Self::LongInterval { .. } => RemarkId::LongInterval,
            Self::ShortInterval { .. } => RemarkId::ShortInterval,
            Self::MissingInstances(_) => RemarkId::MissingInstances,
            Self::OneOfSeveralInstances(_) => RemarkId::OneOfSeveralInstances,
            Self::PluggableDatabase => RemarkId::PluggableDatabase,
            Self::ReadsBeyondTheDatabase { .. } => RemarkId::ReadsBeyondTheDatabase,
            Self::Flashback { .. } => RemarkId::Flashback,
            Self::Standby { .. } => RemarkId::Standby,
            Self::SlowWait { .. } => RemarkId::SlowWait,
            Self::CommitBeyondWrite { .. } => RemarkId::CommitBeyondWrite,
            Self::DirectPath => RemarkId::DirectPath,
            Self::CpuBeyondDbTime { .. } => RemarkId::CpuBeyondDbTime,
            Self::UnknownDbTime { .. } => RemarkId::UnknownDbTime,
            Self::Temp { .. } => RemarkId::Temp,
            Self::Scans { .. } => RemarkId::Scans,
            Self::ManyLogSwitches { .. } => RemarkId::ManyLogSwitches,
            Self::BufferCache { .. } => RemarkId::BufferCache,
            Self::CellOutliers { .. } => RemarkId::CellOutliers,
            Self::FullDiskGroup { .. } => RemarkId::FullDiskGroup,
            Self::CellReads { .. } => RemarkId::CellReads,
            Self::HiddenParameters { .. } => RemarkId::HiddenParameters,
            Self::DeprecatedParameter { .. } => RemarkId::DeprecatedParameter,
            Self::FilesystemIoOptions { .. } => RemarkId::FilesystemIoOptions,
            Self::SynchronousIo => RemarkId::SynchronousIo,
            Self::MultiblockReadCount => RemarkId::MultiblockReadCount,
            Self::Nfs(_) => RemarkId::Nfs,
        }
    }

    /// How much it weighs: whether figures may not mean what they seem to, or something limits the database.
    pub const fn severity(&self) -> Severity {
        match self {
            Self::Contradiction(_)
            | Self::LongInterval { .. }
            | Self::MissingInstances(_)
            | Self::OneOfSeveralInstances(_)
            | Self::SlowWait { .. }
            | Self::SessionsWaited { .. }
            | Self::CpuBeyondDbTime { .. }
            | Self::ManyLogSwitches { .. }
            | Self::CellOutliers { .. }
            | Self::FilesystemIoOptions { value: Some(_) }
            | Self::SynchronousIo
            | Self::Switch { switch: Switch::CommitNowait | Switch::IoSlaves | Switch::NoTimes, .. } => {
                Severity::Warning
            }
            Self::Correction(_)
            | Self::ShortInterval { .. }
            | Self::PluggableDatabase
            | Self::ReadsBeyondTheDatabase { .. }
            | Self::BusyFunction { .. }
            | Self::Flashback { .. }
            | Self::Standby { .. }
            | Self::CommitBeyondWrite { .. }
            | Self::DirectPath
            | Self::UnknownDbTime { .. }
            | Self::Temp { .. }
            | Self::Scans { .. }
            | Self::BufferCache { .. }
            | Self::FullDiskGroup { .. }
            | Self::CellReads { .. }
            | Self::HiddenParameters { .. }
            | Self::DeprecatedParameter { .. }
            | Self::FilesystemIoOptions { .. }
            | Self::MultiblockReadCount
            | Self::Switch { .. }
            | Self::Nfs(_) => Severity::Note,
        }
    }
}

impl BusyFunction {
    const fn id(self) -> RemarkId {
        match self {
            Self::Archiver => RemarkId::Archiver,
            Self::Backup => RemarkId::Backup,
            Self::DataPump => RemarkId::DataPump,
            Self::Recovery => RemarkId::Recovery,
        }
    }
}

impl WaitedFor {
    const fn id(self) -> RemarkId {
        match self {
            Self::LogSwitch => RemarkId::LogSwitch,
            Self::FreeBuffers => RemarkId::FreeBuffers,
            Self::LogBuffer => RemarkId::LogBuffer,
        }
    }
}

impl Switch {
    const fn id(self) -> RemarkId {
        match self {
            Self::PrefetchOff => RemarkId::PrefetchOff,
            Self::JobsOff => RemarkId::JobsOff,
            Self::DatabaseFlashCache => RemarkId::DatabaseFlashCache,
            Self::CommitNowait => RemarkId::CommitNowait,
            Self::MemoryTarget => RemarkId::MemoryTarget,
            Self::NoLargePages => RemarkId::NoLargePages,
            Self::IoSlaves => RemarkId::IoSlaves,
            Self::MttrTarget => RemarkId::MttrTarget,
            Self::ArchiveLagTarget => RemarkId::ArchiveLagTarget,
            Self::LostWriteProtection => RemarkId::LostWriteProtection,
            Self::NoCacheAdvice => RemarkId::NoCacheAdvice,
            Self::NoTimes => RemarkId::NoTimes,
        }
    }
}
