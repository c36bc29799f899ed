//! The measures in which limits are stated, and the load that is compared with them.

use std::fmt;

use iotrial_model::load::{Direction, Role};
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

    /// The unit in which an amount is shown, and how much of the measure one of it is. Bandwidth is in MB/s of 10^6 bytes, as most
    /// vendors state it; less than 1 MB/s is in kB/s, because as «0 MB/s» it would look like no I/O.
    pub fn unit_for(self, amount: f64) -> (&'static str, f64) {
        if self == Self::Outstanding {
            ("outstanding I/Os", 1.0)
        } else if !self.is_bandwidth() {
            ("IOPS", 1.0)
        } else if amount > 0.0 && amount < 1e6 {
            ("kB/s", 1e3)
        } else {
            ("MB/s", 1e6)
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The unit in which a vendor sells bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BandwidthUnit {
    /// 10^6 bytes per second.
    Mb,
    /// 2^20 bytes per second.
    Mib,
}

impl BandwidthUnit {
    /// The unit of which an amount that was bought is a whole number; `None` where it is of neither. MB/s where it is of both,
    /// which is so from 16,384 MB/s on only.
    pub fn of(bandwidth: f64) -> Option<Self> {
        let is_whole = |unit: Self| {
            let number = bandwidth / unit.bytes();
            number >= 0.5 && (number - number.round()).abs() < 1e-9 * number.max(1.0)
        };
        [Self::Mb, Self::Mib].into_iter().find(|unit| is_whole(*unit))
    }

    /// Bytes per second of one.
    pub const fn bytes(self) -> f64 {
        match self {
            Self::Mb => 1e6,
            Self::Mib => 1_048_576.0,
        }
    }

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mb => "MB/s",
            Self::Mib => "MiB/s",
        }
    }

    /// An amount that was bought, in the unit in which it is sold: `125 MiB/s`.
    pub fn written(bandwidth: f64) -> String {
        let unit = Self::of(bandwidth).unwrap_or(Self::Mb);
        format!("{} {}", grouped(bandwidth / unit.bytes()), unit.as_str())
    }
}

/// A whole number with commas; below 100 one decimal where there is one.
// Below 100 a decimal matters (0.5 MB/s). The 0.05 keeps whole numbers that rounding has blurred from showing
// «.0».
pub fn grouped(number: f64) -> String {
    let decimals = usize::from(number.abs() < 100.0 && (number - number.round()).abs() > 0.05);
    let scale = if decimals == 1 { 10.0 } else { 1.0 };
    // Halves are rounded up, as in tables and spreadsheets. `format!` alone rounds 1,562.5 to the even neighbour.
    let rounded = (number * scale).round() / scale;
    group_thousands(&format!("{rounded:.decimals$}"))
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
    pub block_size_bytes: f64,
    /// Whether each I/O begins where the one before it ended, and many are under way, so that a disk that merges them can.
    pub is_sequential: bool,
    /// Whether replicas get it; of writes only.
    pub is_shipped: bool,
}

/// Whether the I/O of a role is large and sequential. A log is written in order, too, but each commit waits for its write, so
/// that there is nothing to merge.
pub(crate) const fn is_sequential(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Scan | Role::Backup))
}

/// Whether replicas get the writes of a role, where `shipped` names the roles that they get; empty is the log, which is what
/// Data Guard (redo) and Always On (log) send. I/O without a role is data; where no log is told apart, it is in there as well,
/// so that all of it counts: an upper bound.
pub(crate) fn is_shipped(shipped: &[Role], role: Option<Role>, log_is_apart: bool) -> bool {
    let ships = |role: Role| if shipped.is_empty() { role == Role::Log } else { shipped.contains(&role) };
    match role {
        Some(role) => ships(role),
        None => ships(Role::Data) || (!log_is_apart && ships(Role::Log)),
    }
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
    pub fn mix(pool: usize, read_percent: f64, block_size_bytes: f64) -> Self {
        let stream = |direction, share: f64| LoadStream {
            pool,
            direction,
            iops: share / 100.0,
            block_size_bytes,
            is_sequential: false,
            is_shipped: false,
        };
        let streams = [stream(Direction::Read, read_percent), stream(Direction::Write, 100.0 - read_percent)];
        Self { streams: streams.into_iter().filter(|stream| stream.iops > 0.0).collect() }
    }

    /// The same I/O, sequential or shipped to replicas where that is said.
    #[must_use]
    pub(crate) fn known_as(&self, is_sequential: bool, is_shipped: bool) -> Self {
        let known = |stream: &LoadStream| LoadStream { is_sequential, is_shipped, ..*stream };
        Self { streams: self.streams.iter().map(known).collect() }
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
        self.streams.iter().map(|stream| stream.iops * stream.block_size_bytes).sum()
    }

    /// How much of one measure the load has, before any part counts I/Os several times.
    pub fn amount(&self, measure: Measure) -> f64 {
        let counted = self.streams.iter().filter(|stream| measure.counts(stream.direction));
        if measure.is_bandwidth() {
            counted.map(|stream| stream.iops * stream.block_size_bytes).sum()
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
            ["1,920", "0", "17.3", "480,000", "64"]
        );
        assert_eq!(grouped(1_562.5), "1,563", "as in tables");
    }

    #[test]
    fn a_mix_counts_each_direction_by_its_share() {
        let mix = Load::mix(0, 40.0, 65_536.0).scaled(1_000.0);
        assert_eq!((mix.amount(Measure::ReadIops), mix.amount(Measure::WriteIops)), (400.0, 600.0));
        assert_eq!(mix.amount(Measure::Bandwidth), 65_536_000.0);
        assert_eq!(Load::mix(0, 100.0, 8192.0).streams.len(), 1);
    }
}
