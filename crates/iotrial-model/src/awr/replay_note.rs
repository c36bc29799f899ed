//! What to know of a load that is made again from reports, and where its rates and limits are from: the facts. `iotrial_words::awr` says them.

use super::{AwrFigure, Level};
use crate::load::{Direction, Role};
use crate::stream::Stream;

/// Something to know of the load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReplayNote {
    /// The size of a block is not stated.
    BlockAssumed {
        /// What stands for it.
        kib: f64,
    },
    /// Bytes are rounded to zero, so that each I/O is one block.
    BytesRounded(Direction),
    /// Reads of one block and of several are told apart by their bytes.
    ReadsNotSeparate,
    /// Writes of redo are among the others.
    RedoNotSeparate,
    /// There is almost no redo.
    NoRedo,
    /// No wait shows this latency.
    NoWait {
        /// Whose.
        role: Role,
        /// Reads, or commits of the log.
        stream: Stream,
    },
    /// Most of the reads were not waited for one by one.
    FewWaits {
        /// The wait.
        figure: AwrFigure,
        /// How often it was waited for, per second.
        waits_per_s: f64,
        /// How many such reads there were.
        reads_per_s: f64,
    },
    /// Too rare to be judged.
    Rare {
        /// The wait.
        figure: AwrFigure,
        /// How many I/Os the load has.
        iops: f64,
    },
    /// No volume is as fast: memory was.
    FromMemory {
        /// The wait.
        figure: AwrFigure,
        /// Its mean.
        mean_us: f64,
    },
}

/// Where a rate or a limit is from.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureOrigin {
    /// The figure that it follows from.
    pub figure: AwrFigure,
    /// How.
    pub derivation: Derivation,
    /// Where that figure is.
    pub place: FigurePlace,
}

/// How a rate follows from a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derivation {
    /// It is the figure.
    Same,
    /// What the other streams leave of it.
    Rest,
    /// All of it, because the source does not separate streams.
    All,
    /// By the bytes, because the source does not count such requests.
    ByBytes,
}

/// Where a figure of reports is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FigurePlace {
    /// It is printed there.
    Printed(String),
    /// It is that level of several intervals.
    AtLevel(Level),
    /// It is the mean over so many intervals.
    MeanOver(usize),
    /// The report does not say.
    NotStated,
}
