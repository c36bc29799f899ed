//! What to know of reports over time: the facts. `iotrial_words::awr` says them.

use super::{CutOff, OnCells, Part};
use crate::load::Direction;

/// Something to know of the figures of a database.
#[derive(Debug, Clone, PartialEq)]
pub enum SeriesNote {
    /// Some intervals lack instances.
    MissingInstances(Part),
    /// Storage servers count many times the requests of the reports.
    OnCells(OnCells),
    /// Reports contradict themselves, or were not understood.
    Doubt {
        /// The first of them.
        file: String,
        /// How many others say the same.
        other_files: usize,
        /// In the words of the import.
        doubt: String,
    },
    /// The source prints 0 MiB/s although there were I/Os.
    RoundedToZero(Vec<Direction>),
    /// Averages over hours hide busy minutes.
    LongIntervals {
        /// How many intervals are long.
        long: usize,
        /// How many there are.
        intervals: usize,
    },
    /// The times were moved, as the user asked.
    ClockMoved {
        /// By how much; negative is earlier.
        seconds: i64,
    },
}

/// Something to know of runs of SLOB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlobNote {
    /// A report was cut off.
    CutOff(FileNote),
    /// Reports have no times, so that nothing runs together with them.
    NoTimes {
        /// How many of them.
        reports: usize,
    },
    /// File names do not have the number of sessions, so active sessions stand for it.
    SessionsNotNamed {
        /// How many files.
        files: usize,
        /// How many files there are.
        of_files: usize,
    },
    /// Runs are of databases that have nothing to do with each other, as far as anybody says, and are not compared.
    OtherDatabases {
        /// How many databases there are.
        databases: usize,
    },
}

/// Something to know of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileNote {
    /// The file.
    pub file: String,
    /// What it is.
    pub fact: FileFact,
}

/// Why a file is not counted, or not as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFact {
    /// It does not state its elapsed time.
    NoElapsedTime,
    /// Another file has the same snapshots.
    SameSnapshots {
        /// Which one.
        as_file: String,
    },
    /// Two snapshots in the file are of the same time.
    OverlapsItself,
    /// Another file has part of the same time in more detail.
    OverlapsShorter {
        /// Which one.
        file: String,
    },
    /// Another file is of the same run.
    SameInstance {
        /// Which one.
        as_file: String,
    },
    /// It is cut off.
    CutOff(CutOff),
    /// It cannot be read, in the words of the error.
    Unread(String),
}
