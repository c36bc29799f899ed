//! What plain storage would be asked for the reads, in proportion to what is read today: of one report or of many.

use iotrial_model::awr::{LowHigh, PlainReads};

use super::ExadataMove;

/// The two ends of a rate, and today's.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct RateEnds {
    today: f64,
    low: f64,
    high: f64,
}

/// What plain storage would be asked for the reads of a database on Exadata.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::awr) struct PlainRange {
    /// MiB per second; all zero where the report has no rates.
    read_mib: RateEnds,
    /// Reads per second.
    reads: RateEnds,
}

impl PlainRange {
    pub(in crate::awr) fn of(answer: &ExadataMove) -> Self {
        let ends = |id: &str| {
            let one = answer.ask.iter().find(|one| one.id == id);
            one.map_or_else(RateEnds::default, |one| RateEnds {
                today: one.today,
                low: one.low,
                high: one.high,
            })
        };
        Self { read_mib: ends("read_mib_per_s"), reads: ends("reads_per_s") }
    }

    /// Over the seconds of each; `None` of none.
    pub(in crate::awr) fn over(all: impl Iterator<Item = (Self, f64)>) -> Option<Self> {
        let sum = |a: RateEnds, b: RateEnds, seconds: f64| RateEnds {
            today: a.today + b.today * seconds,
            low: a.low + b.low * seconds,
            high: a.high + b.high * seconds,
        };
        all.map(|(one, seconds)| Self {
            read_mib: sum(RateEnds::default(), one.read_mib, seconds),
            reads: sum(RateEnds::default(), one.reads, seconds),
        })
        .reduce(|a, b| Self { read_mib: sum(a.read_mib, b.read_mib, 1.0), reads: sum(a.reads, b.reads, 1.0) })
    }

    /// The same for these rates, in proportion: they are those of a level, with a factor.
    pub(in crate::awr) fn at(&self, read_mib_per_s: Option<f64>, reads_per_s: Option<f64>) -> PlainReads {
        let scaled = |ends: &RateEnds, rate: Option<f64>| {
            let rate = rate.filter(|_| ends.today > 0.0)?;
            Some(LowHigh { low: rate * ends.low / ends.today, high: rate * ends.high / ends.today })
        };
        PlainReads {
            read_mib_per_s: scaled(&self.read_mib, read_mib_per_s),
            reads_per_s: scaled(&self.reads, reads_per_s),
            is_counted: self.read_mib.low < self.read_mib.high,
        }
    }
}
