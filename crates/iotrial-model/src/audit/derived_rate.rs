//! Figures that nobody printed, and that follow from those that are.

use super::ResultPart;
use crate::load::Role;
use crate::range::Range;
use crate::stream::Stream;
use crate::units::ByteSize;

/// The rate of the larger I/Os of a stream that has two sizes.
///
/// The IOPS are those of both sizes, and so are the bytes, which leaves one solution: of sizes a < b, those of b are
/// (bytes − a × IOPS) ÷ (b − a).
#[derive(Debug, Clone, PartialEq)]
pub struct DerivedRate {
    /// The row or the part.
    pub place: ResultPart,
    /// Reads or writes.
    pub stream: Stream,
    /// The smaller size.
    pub small: ByteSize,
    /// The larger size, whose rate this is.
    pub large: ByteSize,
    /// What the jobs of the larger size stand for, where it is one thing and no job of the smaller size does.
    pub role: Option<Role>,
    /// I/Os per second by the numbers as they stand.
    pub iops: f64,
    /// The same by the digits in print.
    pub range: Range,
}
