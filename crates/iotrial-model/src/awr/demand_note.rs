//! What to know of a demand that follows from reports: the facts. `iotrial_words::awr` says them.

use super::{FleetNote, Method, NotAdded, Part, PlainReads, SeriesNote, SizeNote};
use crate::load::Direction;

/// Something to know of a demand.
#[derive(Debug, Clone, PartialEq)]
pub enum DemandNote {
    /// Of the figures of the database.
    Series(SeriesNote),
    /// Of its size.
    Size(SizeNote),
    /// How the size follows.
    Method {
        /// The method.
        method: Method,
        /// The options that change its factors, with their values.
        factors: Vec<(&'static str, f64)>,
    },
    /// Reads of one block and of several are streams of their own.
    ReadsApart,
    /// All reads are one stream.
    ReadsTogether,
    /// Writes of redo are a stream of their own.
    RedoApart,
    /// I/Os whose bytes are printed as zero are left out.
    WithoutBytes {
        /// Reads or writes.
        direction: Direction,
        /// How many.
        iops: f64,
    },
    /// Whose demand it is.
    Databases(Vec<String>),
    /// A database is not in it.
    NotIncluded(NotAdded),
    /// The reports of a database are a part of it.
    OfPart {
        /// Which one.
        database: String,
        /// What there is of it.
        part: Part,
    },
    /// What other storage than Exadata must deliver for a database.
    PlainReads {
        /// Which one.
        database: String,
        /// Its reads, on average.
        reads: PlainReads,
    },
    /// How far the peaks of the databases coincide.
    PeakTogether {
        /// The peak together, of the sum of the peaks.
        percent: f64,
    },
    /// A factor was asked for.
    Factor(f64),
    /// All databases share one interval only, and there is no factor for its peak.
    OneInterval,
    /// What a machine needs is of each database by itself.
    OwnMachines,
    /// Of what the databases ask together.
    Fleet(FleetNote),
    /// Small and large reads are one stream.
    MeanSizes,
}
