//! What a size follows from and what it takes: the level of the rates, the method, its factors, licences, and what is bought today. `iotrial_words::awr`
//! says them.

use crate::load::words;

words! {
    /// What a demand asks for.
    Level {
        /// The mean over time.
        Average = "average",
        /// The level that is not exceeded for 95 % of the time.
        P95 = "p95",
        /// The same of 99 %.
        P99 = "p99",
        /// The highest interval.
        Peak = "peak",
    }
}

words! {
    /// How a size follows from what was used, in the order of tables.
    Method {
        /// By CPU that was used, at a utilisation that leaves room; rates as they were measured.
        Iotrial = "iotrial",
        /// As Microsoft's OMAT does: by active sessions, and everything twice.
        Omat = "omat",
        /// The highest of everything that was seen, and CPUs that may be fully busy.
        Peak = "peak",
    }
}

/// Whose rates they are: what the user calls the reports, and which rates of theirs.
#[derive(Debug, Clone, PartialEq)]
pub struct RatesOf {
    /// The reports, as the user named them.
    pub reports: String,
    /// Which rates.
    pub rates: ReportedRates,
}

/// Which rates of reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReportedRates {
    /// What a database is sized by.
    Sized {
        /// At which level.
        level: Level,
        /// Over how many intervals.
        interval_count: usize,
        /// By which method.
        method: Method,
    },
    /// What several databases ask at the same time.
    Together {
        /// At which level.
        level: Level,
        /// How many databases.
        database_count: usize,
        /// The time that all of them cover.
        covered_s: f64,
    },
    /// What a load replays.
    Replayed {
        /// At which level.
        level: Level,
        /// Over how many intervals.
        interval_count: usize,
        /// The time that they cover.
        covered_s: f64,
    },
}

/// Why a factor is what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorReason {
    /// The user asked for it.
    AsAsked,
    /// The level was measured.
    Measured,
    /// One interval has only an average.
    OneInterval,
    /// Few intervals have no percentiles.
    FewIntervals {
        /// From how many on there are.
        enough: usize,
    },
    /// It is what OMAT takes.
    OfOmat,
    /// Oracle's advice for the memory of a host.
    MemoryGuide,
    /// A busier host is short of CPU.
    ShortOfCpu,
    /// OMAT leaves no reserve.
    NoReserve,
    /// In the busiest minute nothing has to be left.
    BusiestMinute,
}

words! {
    /// What Enterprise Edition has and Standard Edition 2 has not.
    EnterpriseFeature {
        /// A standby.
        DataGuard = "Data Guard",
        /// Its storage servers.
        Exadata = "Exadata",
        /// Standard Edition 2 has had none since 19c.
        Rac = "RAC from 19c on",
        /// Flashback logs.
        Flashback = "flashback database",
        /// Parallel queries.
        Parallel = "parallel execution",
        /// Columns in memory.
        InMemory = "the In-Memory column store",
    }
}

/// Why it cannot be Standard Edition 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoStandardEdition2 {
    /// It has a cap.
    TooManyVcpus {
        /// vCPUs of the machine.
        vcpus: u32,
        /// The most that an instance may have.
        most: u32,
    },
    /// It lacks what is in use today; at least one.
    InUse(Vec<EnterpriseFeature>),
}

/// What is bought today.
#[derive(Debug, Clone, PartialEq)]
pub enum Provided {
    /// CPUs of the present kind.
    Cpus {
        /// How many vCPUs that are bought each of them counts.
        vcpus_each: f64,
    },
    /// Memory of the host, in GiB.
    Memory,
    /// Licences of Enterprise Edition that the cores take.
    Licences,
    /// A disk group of all databases, with its name; in GiB.
    DiskGroup(String),
}
