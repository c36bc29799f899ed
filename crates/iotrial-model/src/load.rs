//! The words for a load: role, pattern, sizes, durability. A profile asks with them, a plan decides with
//! them, a record repeats them.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::units::{ByteSize, duration_in_words, seconds};

/// A small closed set of words, each with one spelling in profiles, records and tables.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $about:literal])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[doc = $about])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All of them, in the order in which tables show them.
            // The same list for parsing, tables and error messages.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The one spelling that is used everywhere.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// What the word means: what is documented here is what `iotrial help WORD` shows of words that users meet.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($about),*).trim_ascii_start()),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

pub(crate) use words;

words! {
    /// What a job stands for in the database. Latency is judged by role.
    Role {
        /// Data files: random page reads and writes.
        Data = "data",
        /// Temporary space: sorts, hashes, version store.
        Tempdb = "tempdb",
        /// The transaction log (redo, WAL): sequential writes that commits wait for.
        Log = "log",
        /// Large sequential I/O of which bandwidth decides: table scans, read-ahead, bulk loads.
        Scan = "scan",
        /// Backup and restore streams.
        Backup = "backup",
    }
}

words! {
    /// How offsets follow one another.
    Pattern {
        /// All over the working set, block aligned, with repetition; how evenly says the [`Distribution`].
        Random = "random",
        /// One block after the other, starting anew at the end. Every copy of a job has its own part.
        Sequential = "sequential",
    }
}

words! {
    /// How the I/Os of an open load follow one another.
    Spacing {
        /// Evenly spaced in time.
        Uniform = "uniform",
        /// At random and independently of each other, as requests of many users do.
        Poisson = "poisson",
    }
}

words! {
    /// When a write counts as done.
    Durability {
        /// When the operating system reports it complete.
        None = "none",
        /// When it is on stable storage: each write carries FUA or is followed by a flush in the kernel
        /// (`RWF_DSYNC` on Linux, write-through on Windows). Its latency is the commit latency.
        Dsync = "dsync",
        /// When a flush of its file's data came back (`fdatasync`) that was asked for as soon as the write
        /// was done: both are one operation with one latency. For raw devices it is the flush of their cache.
        Fdatasync = "fdatasync",
    }
}

words! {
    /// Which I/Os of a job another one follows.
    FollowedOp {
        /// Each of its reads.
        Read = "read",
        /// Each of its writes.
        Write = "write",
        /// Each of its I/Os.
        Any = "any",
    }
}

impl FollowedOp {
    /// Whether an I/O in this direction is one of them.
    #[inline]
    pub const fn includes(self, direction: Direction) -> bool {
        match self {
            Self::Any => true,
            Self::Read => matches!(direction, Direction::Read),
            Self::Write => matches!(direction, Direction::Write),
        }
    }
}

/// How evenly random offsets are spread over the working set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Distribution {
    /// Every block is as likely as any other.
    #[default]
    Uniform,
    /// The block of rank `k` (from 1) is drawn with a probability in proportion to `k`<sup>-`theta`</sup>;
    /// ranks are scattered over the working set.
    Zipf {
        /// More than 0; 0.99 is what YCSB takes for a skewed load, larger is more skewed.
        theta: f64,
    },
    /// A share of the I/Os goes to a share of the working set, at its start, evenly within both parts.
    Hotspot {
        /// Share of the I/Os, 1 to 99.
        hot_io_percent: u8,
        /// Share of the working set, 1 to 99.
        hot_space_percent: u8,
    },
}

impl Distribution {
    /// Whether nothing is hotter than the rest.
    pub(crate) fn is_uniform(&self) -> bool {
        *self == Self::Uniform
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Zipf { theta } => write!(f, "zipf {theta}"),
            Self::Hotspot { hot_io_percent, hot_space_percent } => {
                write!(f, "{hot_io_percent} % of the I/Os on {hot_space_percent} % of the space")
            }
        }
    }
}

/// The sizes of a job's I/Os: one, or several by weight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockSizes {
    /// The smallest; offsets are multiples of it.
    #[serde(rename = "block_size_bytes")]
    unit: ByteSize,
    /// All sizes with their weights, where there are several; otherwise empty.
    #[serde(default, rename = "block_sizes", skip_serializing_if = "Vec::is_empty")]
    mix: Vec<BlockShare>,
}

/// One size of a mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockShare {
    /// Size of the I/O.
    #[serde(rename = "size_bytes")]
    pub size: ByteSize,
    /// How often it is drawn, in proportion to the other weights.
    pub weight: u32,
}

impl BlockSizes {
    /// All I/Os have this size.
    pub const fn one(size: ByteSize) -> Self {
        Self { unit: size, mix: Vec::new() }
    }

    /// Several sizes; `None` where there is none at all, or no weight.
    pub fn mix(mut shares: Vec<BlockShare>) -> Option<Self> {
        // A weight of zero is how an editor switches a size off.
        shares.retain(|share| share.weight > 0);
        // Sorted, so that equal mixes compare as equal however they were written.
        shares.sort_by_key(|share| share.size);
        let unit = shares.first()?.size;
        // A mix of one is no mix: it is written, shown and compared like a plain block size.
        Some(if shares.len() == 1 { Self::one(unit) } else { Self { unit, mix: shares } })
    }

    /// The smallest size, to multiples of which offsets are aligned.
    pub const fn unit(&self) -> ByteSize {
        self.unit
    }

    /// The largest size.
    pub fn largest(&self) -> ByteSize {
        self.mix.iter().map(|share| share.size).max().unwrap_or(self.unit)
    }

    /// The mean size in bytes.
    pub fn mean_bytes(&self) -> f64 {
        if self.mix.is_empty() {
            return self.unit.get() as f64;
        }
        let weighted = |share: &BlockShare| share.size.get() as f64 * f64::from(share.weight);
        self.mix.iter().map(weighted).sum::<f64>() / self.total_weight() as f64
    }

    /// The sizes with their weights, the smallest first; empty where there is one size only.
    pub fn shares(&self) -> &[BlockShare] {
        &self.mix
    }

    /// The sum of all weights.
    pub fn total_weight(&self) -> u64 {
        self.mix.iter().map(|share| u64::from(share.weight)).sum()
    }
}

impl fmt::Display for BlockSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mix.is_empty() {
            return self.unit.fmt(f);
        }
        let total = self.total_weight().max(1) as f64;
        let parts = self.mix.iter().map(|share| {
            let percent = 100.0 * f64::from(share.weight) / total;
            // One decimal: weights such as 1 : 2 would otherwise print sixteen digits.
            format!("{} {} %", share.size, (10.0 * percent).round() / 10.0)
        });
        f.write_str(&parts.collect::<Vec<_>>().join(", "))
    }
}

/// An open load that comes in bursts, as the page writes of checkpoints do: all I/Os of a period are due in
/// its first part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bursts {
    /// From the start of one burst to the start of the next.
    #[serde(rename = "period_s", with = "seconds")]
    pub period: Duration,
    /// How long a burst lasts; more than zero, and not longer than the period.
    #[serde(rename = "spread_s", with = "seconds")]
    pub spread: Duration,
}

impl fmt::Display for Bursts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in bursts of {} every {}", duration_in_words(self.spread), duration_in_words(self.period))
    }
}

/// How a log puts the commits that wait into one write.
///
/// Each arrival is one commit. When the log can write, all commits that have arrived by then go into one
/// write, as many as fit the largest one, and all of them are done when it is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupCommit {
    /// Log that one commit adds.
    #[serde(rename = "commit_size_bytes")]
    pub commit_size: ByteSize,
    /// No write is larger; the rest waits for the next one.
    #[serde(rename = "largest_write_bytes")]
    pub largest_write: ByteSize,
    /// What becomes of a last block that is not full.
    pub tail: LogTail,
}

impl GroupCommit {
    /// How many commits one write takes at most; at least one.
    pub fn most_commits(&self) -> u64 {
        // At least one, as a commit that is larger than a write is refused when a profile is read, but
        // records come from elsewhere.
        (self.largest_write.get() / self.commit_size.get().max(1)).max(1)
    }
}

words! {
    /// What becomes of the last block of a log write that is not full.
    LogTail {
        /// It is filled up, and the next write begins with a new block: SQL Server, Oracle.
        Pad = "pad",
        /// The next write begins with the same block and writes it again: PostgreSQL, InnoDB.
        Rewrite = "rewrite",
    }
}

/// One of the two directions of an I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the target.
    #[default]
    Read,
    /// To the target.
    Write,
}

impl Direction {
    /// Both, in the order in which tables show them.
    pub const ALL: [Self; 2] = [Self::Read, Self::Write];
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}
