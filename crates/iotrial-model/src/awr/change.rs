//! What came of other storage for one job, by its reports before and after: the facts. `iotrial_words::awr` says them.

use super::AwrFigure;
use crate::load::words;

words! {
    /// What the reports before and after say of the storage.
    ChangeOutcome {
        /// Waits for storage are shorter, and so is the work.
        Faster = "faster",
        /// Waits for storage are shorter, and a transaction takes as long as before: something else limits the job.
        FasterWithoutGain = "faster-without-gain",
        /// Waits for storage are shorter, and transactions are not known, or do other work.
        FasterGainOpen = "faster-gain-open",
        /// Waits for storage are longer.
        Slower = "slower",
        /// Some are shorter and others are longer.
        Mixed = "mixed",
        /// None differs.
        Same = "same",
        /// The load differs so much, in the direction that explains the change, that it may be the reason.
        LoadExplains = "load-explains",
        /// Both are of one database at the same time: nothing was changed between them.
        SameTime = "same-time",
        /// No wait for storage has enough waits in both reports.
        Unknown = "unknown",
    }
}

words! {
    /// One of two reports.
    ReportSide {
        /// The first.
        Before = "before",
        /// The second.
        After = "after",
    }
}

/// What keeps two reports from being a fair comparison. Pairs are before and after.
#[derive(Debug, Clone, PartialEq)]
pub enum ChangeCaution {
    /// They are of databases with other names or ids.
    Databases(String, String),
    /// They are of other instances of one database.
    OtherInstances(String, String),
    /// They are of other releases of Oracle.
    Releases(String, String),
    /// The second is earlier than the first.
    Earlier,
    /// One of them is not whole.
    CutOff(ReportSide),
    /// An instance was started within one of them, so its rates are too low.
    Restarted(ReportSide),
    /// They have other numbers of instances.
    Instances(usize, usize),
    /// They cover other times, in seconds.
    Elapsed(f64, f64),
    /// A figure that says how much work there was differs.
    Load(AwrFigure, f64, f64),
    /// Read requests per transaction differ: caches, plans or the job itself are others.
    ReadsPerTransaction(f64, f64),
    /// Memory of the database differs, in MiB.
    Memory(f64, f64),
    /// CPUs of the host differ.
    Cpus(f64, f64),
    /// Sessions waited for a CPU in one of them.
    CpuShort(ReportSide),
}

impl ChangeCaution {
    /// Its id in JSON.
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Databases(..) => "databases",
            Self::OtherInstances(..) => "other-instances",
            Self::Releases(..) => "releases",
            Self::Earlier => "earlier",
            Self::CutOff(_) => "cut-off",
            Self::Restarted(_) => "restarted",
            Self::Instances(..) => "instances",
            Self::Elapsed(..) => "elapsed",
            Self::Load(..) => "load",
            Self::ReadsPerTransaction(..) => "reads-per-transaction",
            Self::Memory(..) => "memory",
            Self::Cpus(..) => "cpus",
            Self::CpuShort(_) => "cpu-short",
        }
    }
}
