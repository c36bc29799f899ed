//! What to know of the size of a machine for a database: the facts. `iotrial_words::awr` says them.

use super::{Part, PlainReads};

/// Something to know of a size.
#[derive(Debug, Clone, PartialEq)]
pub enum SizeNote {
    /// It is the size for a part of the database.
    OfPart(Part),
    /// The level is a guess.
    FewIntervals {
        /// How many there are.
        interval_count: usize,
        /// How long all of them are.
        covered_s: f64,
        /// From how many on nothing is guessed.
        enough: usize,
    },
    /// Sessions mostly wait.
    SessionsWait {
        /// vCPUs by active sessions.
        by_sessions: f64,
        /// vCPUs by CPU time.
        by_cpu: f64,
    },
    /// CPUs were short: what was used is what was granted, and the need is at least that and what waited for it.
    CpuShort {
        /// Busy CPUs of the host in percent, where those are so many.
        busy_percent: Option<f64>,
        /// Sessions that waited for a CPU, where those are so many.
        waiting: Option<f64>,
        /// CPUs that the database used and may use, where sessions waited and nearly all of the latter were used.
        of_limit: Option<(f64, f64)>,
        /// vCPUs by active sessions: what OMAT takes.
        by_sessions: Option<f64>,
    },
    /// There is no CPU time, so vCPUs follow from active sessions.
    NoCpuTime,
    /// The host seems to be virtual.
    VirtualHost,
    /// The host has as many cores as CPUs.
    CoresAsCpus {
        /// As how many vCPUs a CPU counts.
        vcpus_per_cpu: f64,
    },
    /// The host has another number of hardware threads per core than a new one.
    OtherThreads {
        /// How many.
        per_core: f64,
        /// As how many vCPUs a CPU counts.
        vcpus_per_cpu: f64,
    },
    /// What other storage than Exadata must deliver.
    PlainReads(PlainReads),
    /// OMAT has factors for databases on Exadata.
    FactorsOfOmat,
    /// Others use the host too.
    SharedHost {
        /// CPUs of the host that are busy.
        busy: f64,
        /// Those that the database uses.
        own: f64,
    },
    /// Memory is what is configured, and not what is used.
    ConfiguredMemory,
}
