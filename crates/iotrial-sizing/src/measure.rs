//! The measures in which limits are stated, and the load that is compared with them.

use std::fmt;

use iotrial_model::load::Direction;
use iotrial_model::units::group_thousands;
use serde::Serialize;

/// What a limit bounds. Every one of them is linear in the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Reads per second.
    ReadIops,
    /// Writes per second.
    WriteIops,
    /// Reads and writes per second together.
    Iops,
    /// Bytes read per second.
    ReadBandwidth,
    /// Bytes written per second.
    WriteBandwidth,
    /// Bytes per second together.
    Bandwidth,
    /// I/Os in flight at once.
    Outstanding,
}

impl Measure {
    /// Those that catalogs state, in the order in which tables show them.
    // Both directions together first, as vendors print them.
    pub const STATED: [Self; 6] = [
        Self::Iops,
        Self::ReadIops,
        Self::WriteIops,
        Self::Bandwidth,
        Self::ReadBandwidth,
        Self::WriteBandwidth,
    ];

    /// Whether I/Os in this direction count.
    pub const fn counts(self, direction: Direction) -> bool {
        match self {
            Self::ReadIops | Self::ReadBandwidth => matches!(direction, Direction::Read),
            Self::WriteIops | Self::WriteBandwidth => matches!(direction, Direction::Write),
            Self::Iops | Self::Bandwidth | Self::Outstanding => true,
        }
    }

    /// Whether it is in bytes per second.
    pub const fn is_bandwidth(self) -> bool {
        matches!(self, Self::Bandwidth | Self::ReadBandwidth | Self::WriteBandwidth)
    }

    /// The words for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadIops => "read IOPS",
            Self::WriteIops => "write IOPS",
            Self::Iops => "IOPS",
            Self::ReadBandwidth => "read bandwidth",
            Self::WriteBandwidth => "write bandwidth",
            Self::Bandwidth => "bandwidth",
            Self::Outstanding => "outstanding I/Os",
        }
    }

    /// An amount with its unit. Bandwidth is in MB/s of 10^6 bytes, as most vendors state it.
    pub fn written(self, amount: f64) -> String {
        if self.is_bandwidth() {
            format!("{} MB/s", grouped(amount / 1e6))
        } else if self == Self::Outstanding {
            format!("{} outstanding I/Os", grouped(amount))
        } else {
            format!("{} IOPS", grouped(amount))
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A whole number with commas; below 100 one decimal where there is one.
// Below 100 a decimal matters (0.5 MB/s). The 0.05 keeps whole numbers that rounding has blurred from showing
// «.0».
pub fn grouped(number: f64) -> String {
    let text = if number.abs() < 100.0 && (number - number.round()).abs() > 0.05 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    };
    group_thousands(&text)
}

/// I/O of one direction and size at one pool of volumes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadStream {
    /// Which of the configuration's pools.
    pub pool: usize,
    /// Reads or writes.
    pub direction: Direction,
    /// I/Os per second.
    pub iops: f64,
    /// Bytes of one I/O.
    pub block_size: f64,
}

/// What is asked of a configuration at once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Load {
    /// Any number, in any order.
    pub streams: Vec<LoadStream>,
}

impl Load {
    /// One I/O per second of a mix at one block size, at one pool: the direction of a ray.
    // IOPS of 1 in all, so that the factor at which a limit is met is the rate itself.
    pub fn mix(pool: usize, read_percent: f64, block_size: f64) -> Self {
        let stream = |direction, share: f64| LoadStream { pool, direction, iops: share / 100.0, block_size };
        let streams = [stream(Direction::Read, read_percent), stream(Direction::Write, 100.0 - read_percent)];
        Self { streams: streams.into_iter().filter(|stream| stream.iops > 0.0).collect() }
    }

    /// The same mix at `factor` times the rates.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let scaled = |stream: &LoadStream| LoadStream { iops: stream.iops * factor, ..*stream };
        Self { streams: self.streams.iter().map(scaled).collect() }
    }

    /// I/Os per second in all.
    pub fn iops(&self) -> f64 {
        self.streams.iter().map(|stream| stream.iops).sum()
    }

    /// Bytes per second in all.
    pub fn bandwidth(&self) -> f64 {
        self.streams.iter().map(|stream| stream.iops * stream.block_size).sum()
    }

    /// How much of one measure the load has, before any part counts I/Os several times.
    pub fn amount(&self, measure: Measure) -> f64 {
        let counted = self.streams.iter().filter(|stream| measure.counts(stream.direction));
        if measure.is_bandwidth() {
            counted.map(|stream| stream.iops * stream.block_size).sum()
        } else {
            counted.map(|stream| stream.iops).sum()
        }
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        // Not `is_empty` of the list: a demand may name a stream and give it a rate of zero.
        self.streams.iter().all(|stream| stream.iops <= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_a_decimal_only_where_it_says_something() {
        assert_eq!(
            [1_920.0, 0.0, 17.25, 480_000.4, 64.0].map(grouped),
            ["1,920", "0", "17.2", "480,000", "64"]
        );
        assert_eq!(Measure::Bandwidth.written(1.92e9), "1,920 MB/s");
    }

    #[test]
    fn a_mix_counts_each_direction_by_its_share() {
        let mix = Load::mix(0, 40.0, 65_536.0).scaled(1_000.0);
        assert_eq!((mix.amount(Measure::ReadIops), mix.amount(Measure::WriteIops)), (400.0, 600.0));
        assert_eq!(mix.amount(Measure::Bandwidth), 65_536_000.0);
        assert_eq!(Load::mix(0, 100.0, 8192.0).streams.len(), 1);
    }
}
