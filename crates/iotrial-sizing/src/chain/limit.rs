//! One linear limit, and how often the I/O of each pool counts in it.

use iotrial_model::load::Direction;
use serde::Serialize;

use super::ROUNDING;
use crate::catalog::BlockSizes;
use crate::measure::{Load, LoadStream, Measure};

/// One linear limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// What it bounds.
    pub measure: Measure,
    /// The most that it allows, in units of the measure; bandwidth in bytes per second.
    pub most: f64,
    /// How often the I/O of each pool counts; in the order of the pools.
    #[serde(skip)]
    pub weights: Vec<Weight>,
}

impl Limit {
    /// How much of the limit a load takes.
    pub fn usage(&self, load: &Load) -> f64 {
        let mut usage = 0.0;
        for stream in &load.streams {
            if !self.measure.counts(stream.direction) {
                continue;
            }
            // A pool without a weight does not pass this part.
            let weight = self.weights.get(stream.pool).copied().unwrap_or_default();
            // f64 and not integers: rates are measured averages and shares, and limits are products of
            // ratios.
            usage += stream.iops * weight.amount(self.measure, stream) * weight.of(stream);
        }
        usage
    }

    /// Whether I/Os that are small and random take of this bandwidth as much as large ones.
    pub(crate) fn bounds_small_io(&self) -> bool {
        self.measure.is_bandwidth() && self.weights.iter().any(|weight| weight.has_credits)
    }
}

/// How often the I/Os of one pool count.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Weight {
    /// How often a read, or a byte read, counts.
    pub read: f64,
    /// How often a write, or a byte written, counts.
    pub write: f64,
    /// How often more a write counts that replicas get.
    pub shipped: f64,
    /// Bytes up to which an I/O counts as one, a larger one as several; `None` counts each once.
    pub io_unit: Option<f64>,
    /// Whether bytes count in whole `io_unit`s as well, unless the I/O is sequential and can be merged.
    pub has_credits: bool,
    /// The sizes of I/O that count, where not all do.
    pub block: Option<BlockSizes>,
}

impl Weight {
    /// How often the I/O of a stream counts.
    fn of(&self, stream: &LoadStream) -> f64 {
        match stream.direction {
            Direction::Read => self.read,
            Direction::Write if stream.is_shipped => self.write + self.shipped,
            Direction::Write => self.write,
        }
    }

    /// What one I/O counts in a measure: I/Os, or bytes.
    fn amount(&self, measure: Measure, stream: &LoadStream) -> f64 {
        let size = stream.block_size_bytes;
        let units = |unit: f64| {
            if self.has_credits && stream.is_sequential {
                // Merged into whole units, of which small I/Os take a part each.
                return size / unit;
            }
            // ROUNDING is taken off first: 256 KiB divided by a unit of 256 KiB must be one unit even
            // where the block size came out of a division (bandwidth by IOPS). An I/O below the unit
            // still costs a whole one.
            (size / unit - ROUNDING).ceil().max(1.0)
        };
        match (measure.is_bandwidth(), self.io_unit, self.block) {
            (true, _, Some(block)) if size <= block.above => 0.0,
            (true, _, Some(block)) => size.min(block.at),
            (true, Some(unit), None) if self.has_credits => units(unit) * unit,
            (true, ..) => size,
            (false, Some(unit), _) => units(unit),
            (false, None, _) => 1.0,
        }
    }
}
