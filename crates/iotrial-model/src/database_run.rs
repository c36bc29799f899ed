//! A load on a database that was watched while somebody's driver made it: database, devices, host and driver on one clock. These are the facts;
//! `iotrial_analysis::database_run` says what they mean.

use std::collections::BTreeMap;

use crate::application::ApplicationMetrics;
use crate::counters::CounterSeries;
use crate::database::{DatabaseKind, DatabaseSample, DatabaseSettings};
use crate::finding::Severity;
use crate::load::words;
use crate::stated::Stated;

/// What was seen. Times are seconds since watching began.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseRun {
    /// The machine that watched.
    pub host: String,
    /// When watching began, RFC 3339 in UTC.
    pub started_at: String,
    /// What is left out at the beginning.
    pub ramp_s: f64,
    /// When the load ended, or watching did.
    pub ended_s: f64,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
    /// The database; `None` where none was asked.
    pub database: Option<DatabaseFacts>,
    /// The devices, from the beginning.
    pub disks: CounterSeries,
    /// What the CPUs did behind the ramp; `None` where nothing could be read.
    pub cpu: Option<CpuShares>,
    /// The program that made the load; `None` where it ran already.
    pub driver: Option<DriverEnd>,
    /// What that program printed.
    pub report: DriverReport,
}

/// What a database answered.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseFacts {
    /// Which one.
    pub kind: DatabaseKind,
    /// Its settings when watching began.
    pub settings: DatabaseSettings,
    /// Before the load, about once a second, and after it.
    pub samples: Vec<DatabaseSample>,
    /// Why it was not asked until the end.
    pub failure: Option<String>,
}

/// What CPUs did over a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuShares {
    /// All CPUs of the host, in percent; `None` where it could not be read.
    pub busy_percent: Option<f64>,
    /// CPUs that the driver used with all that it started; `None` without a driver.
    pub driver_cpus: Option<f64>,
}

/// How the program that made the load ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverEnd {
    /// The name of its file. Its arguments are nowhere: they may hold a password.
    pub program: String,
    /// Its exit code; `None` where a signal ended it.
    pub code: Option<i32>,
}

/// A line that the driver printed.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputLine {
    /// When it came.
    pub at_s: f64,
    /// The line without its end.
    pub text: String,
}

/// What the lines of a driver say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DriverReport {
    /// Whose lines they are, such as `pgbench`; `None` of a program that is not known.
    pub name: Option<String>,
    /// Progress, in the order of time; empty where the driver was not asked for it.
    pub intervals: Vec<DriverInterval>,
    /// Figures of the summary by name, with their unit. They are of the whole run, also of the ramp.
    pub summary: BTreeMap<String, Stated>,
    /// Transactions that it counted over the whole run.
    pub transaction_count: Option<u64>,
    /// Its clients.
    pub client_count: Option<u32>,
    /// Threads that serve them.
    pub thread_count: Option<u32>,
    /// How late its transactions began on average, in ms, where it was given a rate (`pgbench --rate`).
    pub schedule_lag_ms: Option<f64>,
    /// Transactions that waited for a thread when it last said so, where it was given a rate (`sysbench --rate`).
    pub queue_length: Option<u32>,
    /// Lines of the form `NAME=VALUE`.
    pub metrics: ApplicationMetrics,
}

/// A line of progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriverInterval {
    /// When it began.
    pub start_s: f64,
    /// How long it was.
    pub duration_s: f64,
    /// Transactions per second.
    pub transactions_per_s: f64,
    /// Their mean response time in ms; `None` where the driver does not print it.
    pub mean_ms: Option<f64>,
}

words! {
    /// What held a load on a database back, as far as its sessions, the devices and the CPUs tell.
    HeldBackBy {
        /// Nothing: the driver was given a rate and kept it. Its transactions began late by less than half of their response time (10 ms where
        /// that is not known; pgbench), or no more of them waited than it has threads (sysbench).
        Rate = "rate",
        /// The driver used 90 % or more of the CPU time that its threads can use.
        Driver = "driver",
        /// The CPUs of the host were busy for 90 % of the time or more.
        Cpu = "cpu",
        /// The clients waited for storage for half of their time or more: for reads, writes and syncs, or for another session that writes
        /// the log.
        Storage = "storage",
        /// The clients waited for locks of each other for half of their time or more. Who held the lock may have waited for storage.
        Locks = "locks",
        /// The clients waited for storage for less than a fifth of their time, and no device looks saturated.
        NotStorage = "not-storage",
        /// Nothing of that is known, or it lies in between.
        Unknown = "unknown",
    }
}

words! {
    /// What a reader should know about a load on a database. With a doubt the figures may not be those of a database that keeps what it commits.
    DatabaseRemarkId {
        /// A doubt: `fsync = off`. Nothing waits for storage, and a power cut loses the database.
        FsyncOff = "fsync-off",
        /// A doubt: `full_page_writes = off` or `innodb_doublewrite = OFF`. Fewer bytes are written than by a database that survives a torn page.
        NoPageProtection = "no-page-protection",
        /// A doubt: a commit does not wait until the log is on storage (`synchronous_commit = off`, `innodb_flush_log_at_trx_commit` other than
        /// 1, `sync_binlog` other than 1 with a binary log).
        CommitNotDurable = "commit-not-durable",
        /// A doubt: two or more checkpoints were asked for because the log was full, at less than five minutes from one to the next. Each makes
        /// whole pages be written to the log again.
        LogTooSmall = "log-too-small",
        /// A doubt: the driver ended with an error.
        DriverFailed = "driver-failed",
        /// A doubt: the database stopped answering before the end.
        DatabaseSilent = "database-silent",
        /// At least 99 % of the pages were in the buffer cache, and less than 1 MB/s was read: how fast storage reads was not tried.
        FitsCache = "fits-cache",
        /// No checkpoint was begun in the measured time: its writes are not in the figures (PostgreSQL).
        NoCheckpoint = "no-checkpoint",
        /// The database does not time syncs of its log: `track_wal_io_timing` is off (PostgreSQL).
        LogNotTimed = "log-not-timed",
        /// The driver printed no progress, so that its figures are of the whole run, and transactions per second are commits of the database.
        NoProgress = "no-progress",
    }
}

/// Something that a reader should know.
#[derive(Debug, Clone, PartialEq)]
pub enum DatabaseRemark {
    /// Nothing is synced.
    FsyncOff,
    /// Pages are not protected against being torn.
    NoPageProtection {
        /// The setting.
        setting: &'static str,
    },
    /// A commit is not on storage when it returns.
    CommitNotDurable {
        /// The setting.
        setting: &'static str,
        /// What it is set to.
        value: String,
    },
    /// Checkpoints that the size of the log forced.
    LogTooSmall {
        /// How many in the measured time.
        count: u64,
        /// The measured time.
        measured_s: f64,
        /// `max_wal_size` in bytes.
        limit_bytes: Option<f64>,
    },
    /// The driver ended with an error.
    DriverFailed {
        /// Its exit code; `None` where a signal ended it.
        code: Option<i32>,
    },
    /// The database stopped answering.
    DatabaseSilent {
        /// What its client said.
        why: String,
    },
    /// Reads were hardly tried.
    FitsCache {
        /// Pages that were in the cache.
        hit_percent: f64,
        /// How large the cache is.
        cache_bytes: Option<f64>,
    },
    /// No checkpoint.
    NoCheckpoint,
    /// Syncs of the log are not timed.
    LogNotTimed,
    /// No progress of the driver.
    NoProgress,
}

impl DatabaseRemark {
    /// Its name.
    pub const fn id(&self) -> DatabaseRemarkId {
        match self {
            Self::FsyncOff => DatabaseRemarkId::FsyncOff,
            Self::NoPageProtection { .. } => DatabaseRemarkId::NoPageProtection,
            Self::CommitNotDurable { .. } => DatabaseRemarkId::CommitNotDurable,
            Self::LogTooSmall { .. } => DatabaseRemarkId::LogTooSmall,
            Self::DriverFailed { .. } => DatabaseRemarkId::DriverFailed,
            Self::DatabaseSilent { .. } => DatabaseRemarkId::DatabaseSilent,
            Self::FitsCache { .. } => DatabaseRemarkId::FitsCache,
            Self::NoCheckpoint => DatabaseRemarkId::NoCheckpoint,
            Self::LogNotTimed => DatabaseRemarkId::LogNotTimed,
            Self::NoProgress => DatabaseRemarkId::NoProgress,
        }
    }

    /// How much it weighs: doubts are warnings, or serious where nothing is kept.
    pub const fn severity(&self) -> Severity {
        match self {
            Self::FsyncOff => Severity::Serious,
            Self::NoPageProtection { .. }
            | Self::CommitNotDurable { .. }
            | Self::LogTooSmall { .. }
            | Self::DriverFailed { .. }
            | Self::DatabaseSilent { .. } => Severity::Warning,
            Self::FitsCache { .. } | Self::NoCheckpoint | Self::LogNotTimed | Self::NoProgress => {
                Severity::Note
            }
        }
    }

    /// Whether it puts the figures in doubt.
    pub fn is_doubt(&self) -> bool {
        self.severity() > Severity::Note
    }
}
