//! What proposals for settings of databases follow from: the facts. `iotrial_words::setting` says them.

use serde::Serialize;

/// What a proposal comes from. Keys and units are those of the fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SettingEvidence {
    /// Of the cost of a page that is read at random.
    PageCosts {
        /// Mean latency of a random read of one page, with one outstanding.
        random_page_us: f64,
        /// Mean latency of a sequential read with one outstanding, for each page in it.
        sequential_page_us: f64,
        /// Size of that sequential read.
        sequential_block_bytes: u64,
        /// The quotient of the two.
        ratio: f64,
    },
    /// Of outstanding I/Os.
    Knee {
        /// Outstanding I/Os at the knee of the curve.
        knee_outstanding: f64,
        /// I/Os per second there.
        knee_iops: f64,
    },
    /// Of pages that are written in the background.
    PageWrites {
        /// Random writes per second of that page.
        write_iops: f64,
        /// Size of the page.
        block_size_bytes: u64,
        /// Whether that is all that the storage does, and not what was written beside other I/O.
        is_ceiling: bool,
    },
    /// Of logical processors.
    Processors {
        /// Those of the host that was measured.
        cpu_count: u32,
    },
    /// Of the size of sequential reads.
    ReadSizes {
        /// The smallest size that reaches 95 % of the highest bandwidth.
        block_size_bytes: u64,
        /// Its bandwidth at saturation.
        bandwidth_mib_per_s: f64,
        /// The highest of all sizes.
        most_mib_per_s: f64,
        /// How many sizes were measured.
        size_count: usize,
    },
}

/// Why the measurements behind a proposal may not be those of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingReserve {
    /// The device was simulated.
    Simulated,
    /// There was none.
    NoDevice,
    /// The sweep was interrupted, or failed.
    SweepNotFinished,
    /// The run is inconclusive.
    Inconclusive,
}
