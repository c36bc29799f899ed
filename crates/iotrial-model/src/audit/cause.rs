//! Why figures do not agree.

use super::compared::RateBasis;
use crate::load::words;
use crate::range::Range;
use crate::stream::Stream;
use crate::units::ByteSize;

/// The most likely cause of a conflict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cause {
    /// The one that follows from what was compared, where nothing tells more.
    Usual,
    /// A unit of the MiB/s was mistaken.
    Unit(UnitMistake),
    /// The bytes agree with the IOPS, so it is the MiB/s that are wrong.
    WrongBandwidth,
    /// Others agree with the MiB/s, so it is the IOPS that are wrong.
    WrongIops(Witness),
    /// The count agrees with the IOPS and the bytes with the MiB/s, so it is the block size that is wrong.
    WrongBlockSize,
    /// The MiB/s are those of one direction, and the IOPS of both.
    BandwidthOfOne(Stream),
    /// The IOPS are those of one direction, and the MiB/s of both.
    IopsOfOne(Stream),
    /// The I/Os had this size.
    OtherBlockSize(ByteSize),
    /// I/Os of several sizes in one figure, so many bytes on average.
    SeveralSizes(Range),
    /// Figures of different runs, which I/Os of so many bytes would make agree.
    DifferentRuns(Range),
    /// The other figures agree with the rate.
    WrongTotal(RateBasis),
    /// The other figures agree with the total.
    WrongRate(RateBasis),
    /// Rates agree with rates and totals with totals.
    WrongRuntime,
    /// Total and rate cover different times; the total would fit so many seconds.
    DifferentTimes(Range),
    /// Of reads, writes and both ([`Stream::Mixed`]) the figures of this one contradict others of it.
    OnlyWrong(Stream),
    /// The means of reads and writes were averaged as if there were as many of either.
    NotWeighted,
    /// I/Os moved less than they should.
    ShortIos,
    /// Reads and writes were swapped.
    DirectionsSwapped,
    /// The mean of each direction fits the percentiles of the other.
    PercentilesSwapped,
    /// `sqthread_poll`: nobody noted when an I/O was submitted.
    NoSubmissionTimes,
    /// Little's law agrees with the total latency.
    LittlesLawWithTotal,
    /// Little's law agrees with the parts of the latency.
    LittlesLawWithParts,
    /// No cache was on the way, so the file was sparse.
    SparseFile,
    /// A change was computed the other way round.
    ChangeReversed,
}

words! {
    /// The usual mistakes with units, the most usual first.
    UnitMistake {
        /// MB/s are printed as MiB/s.
        MbAsMib = "mb-as-mib",
        /// MiB/s are printed as MB/s, and those were converted once more.
        MibAsMb = "mib-as-mb",
        /// Thousands of I/Os were multiplied by KiB.
        ThousandsTimesKib = "thousands-times-kib",
        /// GiB/s were multiplied by 1,000.
        GibTimesThousand = "gib-times-thousand",
        /// Megabits, of 1,000,000, are printed as MiB.
        MegabitsAsMib = "megabits-as-mib",
        /// KiB/s are printed as MiB/s.
        KibAsMib = "kib-as-mib",
        /// GiB/s are printed as MiB/s.
        GibAsMib = "gib-as-mib",
        /// KB/s, of 1,000 bytes, are printed as MiB/s.
        KbAsMib = "kb-as-mib",
        /// GB/s, of 1,000,000,000 bytes, are printed as MiB/s.
        GbAsMib = "gb-as-mib",
        /// The number is a thousand times too large, as of a decimal comma that was read as one of thousands.
        TimesThousand = "times-thousand",
        /// The number is a thousand times too small.
        OverThousand = "over-thousand",
        /// Megabits, of 1,048,576, are printed as MiB.
        BinaryMegabitsAsMib = "binary-megabits-as-mib",
    }
}

/// What agrees with the MiB/s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Witness {
    /// Count and bytes over the runtime.
    CountAndBytes,
    /// The count over the runtime.
    Count,
    /// The bytes over the runtime.
    Bytes,
    /// Mean latency and outstanding I/Os.
    LittlesLaw,
}
