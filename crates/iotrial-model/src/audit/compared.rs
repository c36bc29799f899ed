//! Which figures were compared.

use super::Check;
use crate::bound::BoundRelation;
use crate::imported::{CpuBasis, Stated};
use crate::load::words;
use crate::range::Range;
use crate::record::AttributeValue;

words! {
    /// The unit of a rate, a total or a size.
    Unit {
        /// I/Os per second.
        Iops = "IOPS",
        /// 1,048,576 bytes per second.
        MibPerS = "MiB/s",
        /// 1,073,741,824 bytes.
        Gib = "GiB",
        /// 1,048,576 bytes.
        Mib = "MiB",
        /// A count of I/Os.
        Ios = "I/Os",
        /// A count of bytes.
        Bytes = "bytes",
        /// 1,000 bytes.
        Kb = "kB",
        /// Microseconds.
        Us = "µs",
        /// Hundredths.
        Percent = "%",
    }
}

/// The rate that a total was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateBasis {
    /// The stated IOPS.
    Iops,
    /// The stated MiB/s.
    Bandwidth,
    /// The stated IOPS times the block size, where the MiB/s are refuted.
    IopsTimesSize,
}

/// A figure and what it was compared with. Each says what is stated and what is expected, and in which unit.
#[derive(Debug, Clone, PartialEq)]
pub enum Compared {
    /// IOPS with what MiB/s and block size make of them.
    IopsOfBandwidth {
        /// MiB/s.
        bandwidth: Stated,
        /// Bytes.
        sizes: Range,
    },
    /// MiB/s with what IOPS and block size make of them.
    BandwidthOfIops {
        /// I/Os per second.
        iops: Stated,
        /// Bytes.
        sizes: Range,
    },
    /// A total with rate times runtime.
    TotalOfRate {
        /// Which rate.
        rate: RateBasis,
        /// Seconds.
        runtime: Stated,
        /// Of the total.
        unit: Unit,
    },
    /// A figure of both directions with the sum of its parts.
    SumOfDirections {
        /// The figure of reads.
        read: Stated,
        /// The figure of writes.
        write: Stated,
        /// Of all three.
        unit: Unit,
    },
    /// A latency of both directions with what those of reads and writes make of it, or allow, in µs.
    LatencyOfDirections {
        /// Which percentile, such as 99; `None` of the mean.
        percent: Option<f64>,
        /// The same of reads.
        read: Stated,
        /// The same of writes.
        write: Stated,
    },
    /// The sum of the rows of threads, or of clients, with the row of their total.
    ThreadRows(Unit),
    /// The mean latency of a total with the mean over its parts, each weighted by its I/Os, in µs.
    MeanOfParts,
    /// The runtime with the end of the time series, in seconds.
    SeriesEnd,
    /// The I/Os that threads count with those of the time series.
    SeriesSum,
    /// The I/Os that a record counts with those of its measured seconds.
    MeasuredSeconds,
    /// Bytes per I/O with the block size.
    BytesPerIo {
        /// I/Os that were counted.
        io_count: u64,
        /// Bytes that they moved.
        bytes: u64,
    },
    /// A stated size of an I/O with MiB/s over IOPS, in kB.
    StatedSize,
    /// The share of reads with that of the load, in percent.
    ReadShare,
    /// IOPS with the rate that the load asks for.
    AskedRate,
    /// CPU time with 100 %.
    CpuTime(CpuBasis),
    /// Rate times latency with the most I/Os that the load has outstanding.
    Outstanding,
    /// The same where a thousand times the latency would fit.
    ThousandthOutstanding,
    /// Rate times latency with the I/Os that the load should keep outstanding, of which there are few.
    FewOutstanding {
        /// How many fewer they are, in percent, by the numbers as they stand.
        change_percent: f64,
    },
    /// A mean latency with the sum of its parts, in µs.
    LatencyParts {
        /// Whether submission is one of them; otherwise it is completion alone.
        has_submission: bool,
    },
    /// A percentile with the end of fio's histogram, in µs.
    ClippedPercentile {
        /// Such as 99.
        percent: f64,
        /// Higher percentiles that are the end as well.
        higher_count: usize,
    },
    /// A percentile with a higher one, which is less, in µs.
    Percentiles {
        /// Such as 99.
        percent: f64,
        /// Such as 99.9.
        higher_percent: f64,
    },
    /// A percentile, such as 99, with the longest I/O, which is shorter, in µs.
    PercentileBeyondLongest(f64),
    /// A percentile, such as 99, with the shortest I/O, which is longer, in µs.
    PercentileBelowShortest(f64),
    /// A mean with the longest I/O, which is shorter, in µs.
    MeanBeyondLongest,
    /// A mean with the shortest I/O, which is longer, in µs.
    MeanBelowShortest,
    /// The sum of the shares of a histogram with what their digits allow, in percent.
    HistogramShares,
    /// A mean with what its percentiles allow, in µs.
    MeanByPercentiles(BoundRelation),
    /// A mean with what the shares of a histogram allow, in µs.
    MeanByShares(BoundRelation),
    /// A standard deviation with the most that mean and extremes allow, in µs.
    Deviation,
    /// The mean latency of reads with that of writes, which has the same digits, in µs.
    CopiedLatency,
    /// MiB/s with what the link carries at most.
    LinkBandwidth(Link),
    /// A mean latency with the time that a block takes over the link, in µs.
    BlockOverLink(Link),
    /// A mean latency with the time that light takes for so many kilometres there and back, in µs.
    Distance(f64),
    /// A mean latency of direct I/O with the least of any device, in µs.
    AnyDevice,
    /// The size of a load through the page cache with the memory of its host, in GiB.
    Memory,
    /// Reads with those that the devices counted.
    DeviceReads,
}

impl Compared {
    /// The check that compares them.
    pub(super) const fn check(&self) -> Check {
        match self {
            Self::IopsOfBandwidth { .. } | Self::BandwidthOfIops { .. } => Check::IopsBandwidth,
            Self::TotalOfRate { .. }
            | Self::SumOfDirections { .. }
            | Self::LatencyOfDirections { .. }
            | Self::ThreadRows(_)
            | Self::MeanOfParts
            | Self::SeriesEnd
            | Self::SeriesSum
            | Self::MeasuredSeconds => Check::Totals,
            Self::BytesPerIo { .. } | Self::StatedSize => Check::TransferSize,
            Self::ReadShare => Check::Mix,
            Self::AskedRate => Check::AskedRate,
            Self::CpuTime(_) => Check::CpuTime,
            Self::Outstanding | Self::ThousandthOutstanding | Self::FewOutstanding { .. } => {
                Check::LittlesLaw
            }
            Self::LatencyParts { .. } => Check::LatencyParts,
            Self::ClippedPercentile { .. } => Check::ClippedHistogram,
            Self::Percentiles { .. }
            | Self::PercentileBeyondLongest(_)
            | Self::PercentileBelowShortest(_) => Check::PercentileOrder,
            Self::MeanBeyondLongest | Self::MeanBelowShortest => Check::MeanInRange,
            Self::HistogramShares => Check::HistogramShares,
            Self::MeanByPercentiles(_) | Self::MeanByShares(_) => Check::MeanByPercentiles,
            Self::Deviation => Check::Deviation,
            Self::CopiedLatency => Check::CopiedLatency,
            Self::LinkBandwidth(_) => Check::LinkBandwidth,
            Self::BlockOverLink(_) | Self::Distance(_) => Check::LinkLatency,
            Self::AnyDevice => Check::DeviceLatency,
            Self::Memory | Self::DeviceReads => Check::CacheServed,
        }
    }
}

/// The way to the storage, as attributes of a result give it.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// What gives its rate.
    pub name: LinkName,
    /// How many of them there are.
    pub count: f64,
}

/// What gives the rate of a link.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkName {
    /// An attribute with a number.
    Attribute {
        /// Its name, which ends in the unit.
        name: &'static str,
        /// The number.
        value: AttributeValue,
    },
    /// A word for a kind of link.
    Kind {
        /// Such as `sata`.
        word: &'static str,
        /// The payload that its line code leaves, in MB/s.
        mb_per_s: f64,
    },
}
