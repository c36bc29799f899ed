//! A trace of block I/O: what a kernel says of each I/O, whoever wrote it down, and what a load that was captured so is made of.

use serde::Serialize;

use crate::load::{BlockSizes, Durability, Pattern, Role};
use crate::units::ByteSize;

/// One thing that happened to one I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockEvent {
    /// When, in nanoseconds on the clock of the trace.
    pub at_ns: u64,
    /// What happened.
    pub kind: BlockEventKind,
    /// The device: its place in the list of those that the trace names.
    pub device: u32,
    /// What the I/O does.
    pub op: BlockOp,
    /// Whether the device must have it on stable storage before it answers (FUA).
    pub is_durable: bool,
    /// Where it begins, in sectors of 512 bytes; of no meaning for a flush.
    pub sector: u64,
    /// Its length; 0 for a flush.
    pub bytes: u64,
}

/// What happens to an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockEventKind {
    /// The device has answered.
    Complete,
    /// It goes to the device.
    Issue,
}

/// What an I/O does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockOp {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It makes the device empty its volatile cache.
    Flush,
    /// Anything else, such as a discard.
    Other,
}

/// Who wrote a trace down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceSource {
    /// iotrial, while it happened.
    Live,
    /// `trace_pipe` or `trace` of tracefs.
    TracePipe,
    /// `perf script`.
    PerfScript,
    /// `blkparse`.
    Blkparse,
    /// `biosnoop` of BCC.
    Biosnoop,
}

impl TraceSource {
    /// As people call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::TracePipe => "trace_pipe",
            Self::PerfScript => "perf script",
            Self::Blkparse => "blkparse",
            Self::Biosnoop => "biosnoop",
        }
    }
}

/// The circumstances of a trace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TraceFacts {
    /// Who wrote it down.
    pub source: TraceSource,
    /// The host, of a live one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The devices with I/O in it, as the trace names them.
    pub devices: Vec<String>,
    /// How long it was traced, of a live one; otherwise the time from the first to the last event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traced_s: Option<f64>,
    /// Events that the buffer of the kernel lost.
    pub lost_count: u64,
    /// Lines that are no event that counts.
    pub other_line_count: u64,
    /// What a live trace cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<TraceCost>,
}

/// What tracing cost the host.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TraceCost {
    /// CPU time of iotrial, reading and counting, in seconds.
    pub cpu_s: f64,
    /// What a mark written into the same buffer took just before, in microseconds: about what each event costs whoever makes the I/O.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_us: Option<f64>,
}

/// What the figures of a capture cannot be relied upon for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureRemark {
    /// The buffer of the kernel lost events.
    LostEvents,
    /// Fewer I/Os than describe a load.
    FewIos,
    /// Writes, and nothing that a sync would make.
    NoSyncs,
    /// No completions: no latencies and no outstanding I/Os.
    NoCompletions,
}

/// One job of a captured load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CapturedJob {
    /// What it is in the profile.
    pub class: IoClass,
    /// What it represents.
    pub role: Role,
    /// How offsets follow one another.
    pub pattern: Pattern,
    /// Its sizes.
    pub block_sizes: BlockSizes,
    /// I/Os per second.
    pub iops: f64,
    /// Outstanding at most, which 99 % of its I/Os kept to.
    pub iodepth: u32,
    /// What it touched, at least 1 GiB.
    pub size: ByteSize,
    /// The busiest part: share of the I/Os, and of the space, in percent.
    pub hot_spot: Option<(u8, u8)>,
    /// When a write counts as done.
    pub durability: Durability,
    /// One in this many writes is durable.
    pub flush_every: u32,
}

/// I/Os that are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IoClass {
    /// Reads here and there.
    RandomReads,
    /// Reads that follow one another.
    SequentialReads,
    /// Writes here and there.
    RandomWrites,
    /// Writes of at most 128 KiB that follow one another, such as those of a log.
    SmallSequentialWrites,
    /// Larger ones.
    LargeSequentialWrites,
}

impl IoClass {
    /// All, in the order in which profiles list them.
    pub const ALL: [Self; 5] = [
        Self::RandomReads,
        Self::SequentialReads,
        Self::RandomWrites,
        Self::SmallSequentialWrites,
        Self::LargeSequentialWrites,
    ];

    /// Whether its I/Os follow one another.
    pub const fn is_sequential(self) -> bool {
        !matches!(self, Self::RandomReads | Self::RandomWrites)
    }

    /// Whether it reads.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::RandomReads | Self::SequentialReads)
    }
}
