//! What an expert would remark on an AWR report: the facts. `iotrial_words::awr` says them.

use super::{Part, WaitSide};
use crate::finding::Severity;
use crate::load::words;
use crate::verdict::Category;

words! {
    /// The stable name of a remark.
    RemarkId {
        /// Printed figures contradict each other. Warning.
        Contradiction = "contradiction",
        /// The import took another figure than the printed one. Note.
        Correction = "correction",
        /// The report covers more than two hours, which hides the busy minutes. Warning.
        LongInterval = "long-interval",
        /// The report covers less than ten minutes. Note.
        ShortInterval = "short-interval",
        /// A cluster's report lacks instances: sums are too low. Warning.
        MissingInstances = "missing-instances",
        /// The report is of one of several instances of a cluster: sums are too low. Warning.
        OneOfSeveralInstances = "one-of-several-instances",
        /// Redo, log writes and archiving belong to the container. Note.
        PluggableDatabase = "pluggable-database",
        /// The instance did more than 1.5 times the reads of the Load Profile, which lacks control files, archiver, backup and recovery.
        /// Note.
        ReadsBeyondTheDatabase = "reads-beyond-the-database",
        /// The archiver moved 10 % of all bytes or more. Note.
        Archiver = "archiver",
        /// Backup and recovery moved 10 % of all bytes or more. Note.
        Backup = "backup",
        /// Data Pump moved 10 % of all bytes or more. Note.
        DataPump = "data-pump",
        /// Recovery moved 10 % of all bytes or more. Note.
        Recovery = "recovery",
        /// Flashback logs are 10 % of the bytes written or more. Note.
        Flashback = "flashback",
        /// Redo is also sent to a standby. Note.
        Standby = "standby",
        /// A wait for I/O is rated poor or worse, and occurs at least every ten seconds. Warning.
        SlowWait = "slow-wait",
        /// A commit takes more than three times its redo write: CPU, scheduling or a synchronous standby. Note.
        CommitBeyondWrite = "commit-beyond-write",
        /// A second or more of waits in all for log switches. Warning.
        LogSwitch = "log-switch",
        /// A second or more of waits in all for free buffers. Warning.
        FreeBuffers = "free-buffers",
        /// A second or more of waits in all for space in the log buffer. Warning.
        LogBuffer = "log-buffer",
        /// Waits for direct path I/O exceed 1 % of DB time; each covers several I/Os, so their mean is no latency. Note.
        DirectPath = "direct-path",
        /// DB CPU exceeds 105 % of DB time: one is wrong. Warning.
        CpuBeyondDbTime = "cpu-beyond-db-time",
        /// 20 % of DB time or more is neither CPU nor a wait. Note.
        UnknownDbTime = "unknown-db-time",
        /// Temporary files are 10 % of all bytes or more. Note.
        Temp = "temp",
        /// More than half of the reads are multi-block reads. Note.
        Scans = "scans",
        /// More than six switches an hour: each starts a checkpoint. Warning.
        ManyLogSwitches = "many-log-switches",
        /// The buffer cache answers less than 90 % of the logical reads, and more than 100 reads per second remain. Note.
        BufferCache = "buffer-cache",
        /// Exadata marks values of cells or disks as out of range. Warning.
        CellOutliers = "cell-outliers",
        /// A disk group is more than 85 % full. Note.
        FullDiskGroup = "full-disk-group",
        /// Smart scans, multi-block or single-block reads from cells have 10 % of DB time or more. Note.
        CellReads = "cell-reads",
        /// Hidden parameters are set. Note.
        HiddenParameters = "hidden-parameters",
        /// A deprecated parameter is set. Note.
        DeprecatedParameter = "deprecated-parameter",
        /// Files on a file system lack direct and asynchronous I/O. Warning; note at the default.
        FilesystemIoOptions = "filesystemio-options",
        /// `disk_asynch_io` is off: each process has one I/O in flight. Warning.
        SynchronousIo = "synchronous-io",
        /// `db_file_multiblock_read_count` is set: by default, scans read 1 MiB at a time. Note.
        MultiblockReadCount = "multiblock-read-count",
        /// Blocks are read one by one. Note.
        PrefetchOff = "prefetch-off",
        /// No jobs run, so the report lacks their I/O. Note.
        JobsOff = "jobs-off",
        /// A flash cache of the host serves reads that the storage does not see. Note.
        DatabaseFlashCache = "database-flash-cache",
        /// Commits do not wait for their redo: a crash loses confirmed transactions. Warning.
        CommitNowait = "commit-nowait",
        /// `memory_target` is set, so the SGA has no huge pages. Note.
        MemoryTarget = "memory-target",
        /// The SGA has no huge pages. Note.
        NoLargePages = "no-large-pages",
        /// Slaves replace asynchronous I/O. Warning.
        IoSlaves = "io-slaves",
        /// Blocks are written more often than the changes need. Note.
        MttrTarget = "mttr-target",
        /// Logs are switched more often than the changes need. Note.
        ArchiveLagTarget = "archive-lag-target",
        /// Block reads are logged too. Note.
        LostWriteProtection = "lost-write-protection",
        /// The report cannot say how many reads a larger cache would save. Note.
        NoCacheAdvice = "no-cache-advice",
        /// Waits have counts but no times, so there are no latencies. Warning.
        NoTimes = "no-times",
        /// Files seem to be on NFS: look at Direct NFS and mount options, and run `iotrial check` there. Note.
        Nfs = "nfs",
    }
}

/// Something to know, with what was seen. Percentages are 0 to 100.
#[derive(Debug, Clone, PartialEq)]
pub enum Remark {
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

impl Remark {
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
