//! Away from Exadata: the facts about a move to plain storage. `iotrial_words::awr` says them.

use serde::Serialize;

/// Whether a feature is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// So much that it would be missed.
    Used,
    /// A little: nobody would notice.
    Little,
    /// Not at all.
    NotUsed,
    /// The report says nothing of it.
    NotStated,
}

impl Use {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Little => "little used",
            Self::NotUsed => "not used",
            Self::NotStated => "not stated",
        }
    }
}

/// What a report says of a feature; what is absent is not in the report. Percentages are 0 to 100.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureFacts {
    /// Cells filter.
    SmartScan {
        /// Share of DB time.
        time_percent: Option<f64>,
        /// Bytes that cells filter, and their share of the bytes read.
        bytes: Option<ShareOfBytes>,
    },
    /// Hybrid columnar compression.
    Hcc {
        /// What was read of it.
        read: Option<CompressedReads>,
        /// Its share of the bytes read, 0 to 100.
        read_percent: Option<f64>,
        /// What decompression takes.
        cpu: Option<HccCpu>,
    },
    /// Saves what cells need not read.
    StorageIndex {
        /// Of what smart scans cover.
        saved: Option<ShareOfBytes>,
    },
    /// The same.
    ColumnarCache {
        /// Of what smart scans cover.
        saved: Option<ShareOfBytes>,
    },
    /// Serves reads.
    FlashCache {
        /// Share of the reads.
        hit_percent: Option<f64>,
        /// Small reads as a share of DB time.
        time_percent: Option<f64>,
    },
    /// Writes redo as well as the disks do.
    FlashLog {
        /// How often it was first, of all databases on the cells.
        first_percent: Option<f64>,
        /// Slow writes that it saved the log from.
        outliers_prevented: Option<f64>,
        /// Commits as a share of DB time.
        commits_percent: Option<f64>,
    },
    /// Backup, restore and new files on cells.
    Backup {
        /// How long sessions waited for them.
        waited_s: Option<f64>,
    },
    /// RAC.
    Cluster {
        /// How many instances there are.
        instance_count: u32,
    },
}

/// Bytes with their share of a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareOfBytes {
    /// MiB per second.
    pub mib_per_s: f64,
    /// Of the whole, 0 to 100.
    pub percent: f64,
}

/// Compressed data that were read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompressedReads {
    /// MiB per second as they are stored.
    pub mib_per_s: f64,
    /// How many times as large they are without.
    pub ratio: f64,
    /// Whether that was counted: where only some columns are decompressed, there is less after than before, and nothing says the ratio.
    pub is_counted: bool,
    /// Whether only cells count them, which also count their columnar cache.
    pub is_of_cells_only: bool,
}

/// CPU of compression and decompression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HccCpu {
    /// Of the database: share of DB time.
    OfDbTime {
        /// 0 to 100.
        percent: f64,
    },
    /// Of the cells, in a unit that Oracle does not document.
    OfCells {
        /// How many of it.
        units: f64,
    },
}

/// What more memory would save.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MemoryFacts {
    /// A larger buffer cache saves almost no reads.
    BufferCacheIsEnough {
        /// Its size.
        now_mib: f64,
    },
    /// A larger buffer cache saves reads.
    LargerBufferCache {
        /// Its size.
        now_mib: f64,
        /// The size that saves them.
        larger_mib: f64,
        /// Their share of the reads into it, 0 to 100.
        percent: f64,
        /// The same in blocks; `None` where the report has no rate.
        blocks_per_s: Option<f64>,
        /// The same in MiB; `None` where the size of a block is not known either.
        mib_per_s: Option<f64>,
    },
    /// A larger PGA saves almost no temporary I/O.
    PgaIsEnough,
    /// A larger PGA saves temporary I/O.
    LargerPga {
        /// Its size.
        now_mib: f64,
        /// The size that saves it.
        larger_mib: f64,
        /// The share of the temporary I/O, 0 to 100.
        percent: f64,
    },
    /// There is no advisory: what is read into the buffer cache is all that a larger one could save.
    AtMost {
        /// Blocks.
        blocks_per_s: f64,
        /// The same; `None` where the size of a block is not known.
        mib_per_s: Option<f64>,
        /// Share of the logical reads that are in the cache, 0 to 100.
        hit_percent: Option<f64>,
        /// Blocks that bypass it.
        direct_blocks_per_s: Option<f64>,
    },
}

/// What the ends of the ranges take for granted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RangeAssumption {
    /// At the low end the database reads only what smart scans return.
    LowIsWhatScansReturn,
    /// At the high end it reads all that they cover.
    HighIsWhatScansCover,
    /// There are no smart scans, so both ends are those of today.
    NoSmartScans,
    /// The report does not count what smart scans cover, or what they return, so both ends are those of today.
    ScansNotCounted,
    /// Compressed data are stored uncompressed.
    Uncompressed {
        /// How many times as large.
        ratio: f64,
        /// Whether that was counted; else it is a rule of thumb.
        is_counted: bool,
        /// Whether only cells count them.
        is_of_cells_only: bool,
    },
    /// There are none.
    NothingCompressed,
    /// More memory is not in it.
    MemoryAsToday,
    /// Mirrored copies are not in it.
    WritesCountOnce,
    /// Nobody waits for single-block reads.
    NoWaitForSingleBlocks,
    /// Nobody waits for commits.
    NoWaitForCommits,
    /// From today's latency to the one that makes DB time a tenth longer.
    LatencyEnds,
}

/// How storage servers are.
#[derive(Debug, Clone, PartialEq)]
pub enum CellState {
    /// Open alerts.
    Alerts {
        /// Critical ones.
        critical: f64,
        /// Warnings.
        warning: f64,
        /// The first critical one that is listed.
        latest: Option<LatestAlert>,
    },
    /// Quarantines that switch smart scan off.
    Quarantines {
        /// How many.
        count: usize,
    },
    /// Disks that are not online.
    OfflineDisks {
        /// The first one.
        disk: String,
        /// Where it is.
        cell: String,
        /// How many more there are.
        other_count: usize,
    },
    /// Marked values of cells and disks.
    Marks {
        /// Beyond the capacity of a disk or cell.
        beyond_capacity: usize,
        /// Above the normal range.
        above: usize,
        /// Below it.
        below: usize,
    },
    /// CPU of the storage servers, in percent.
    Cpu {
        /// Of all of them.
        mean_percent: f64,
        /// For programs; `None` where the report does not say.
        user_percent: Option<f64>,
        /// For the kernel; `None` where the report does not say.
        system_percent: Option<f64>,
        /// The busiest that is listed, with its own.
        busiest: Option<(String, f64)>,
    },
    /// When writes are complete.
    FlashCache {
        /// As it is printed.
        mode: String,
        /// Whether in flash, and not on disks.
        is_write_back: bool,
        /// Its size, 0 where that is not printed.
        size_gib: f64,
    },
    /// How much of what is moved on the cells is this database's.
    ThisDatabase {
        /// What the cells call it.
        name: String,
        /// What it moves.
        mib_per_s: f64,
        /// What all of the busiest databases move.
        all_mib_per_s: f64,
    },
}

/// An alert of a storage server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestAlert {
    /// Where.
    pub cell: String,
    /// Since when, as it is printed.
    pub time: String,
    /// What the cell says.
    pub message: String,
}

/// What other storage must deliver for the reads of a database on Exadata.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlainReads {
    /// MiB per second; `None` where the reports have no rate.
    pub read_mib_per_s: Option<LowHigh>,
    /// Reads per second; `None` where the reports have no rate.
    pub reads_per_s: Option<LowHigh>,
    /// Whether the reports count what cells filter; else both ends are those of today.
    pub is_counted: bool,
}

/// The two ends of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LowHigh {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}
