//! What a number in print may stand for, and arithmetic with it.
//!
//! Tolerances follow from the digits in print: figures contradict each other only where none of the values agree that
//! they may stand for.

use std::ops::{Add, Div, Mul};

use crate::imported::{StatedLoad, StatedStream};
use crate::load::Direction;
use crate::stated::{Rounding, Stated};

/// The values that a printed number may stand for. Rules of arithmetic: Moore, Interval Analysis, 1966.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Not below this.
    pub low: f64,
    /// Not above this.
    pub high: f64,
}

const MIB: f64 = 1_048_576.0;

/// What double precision loses in a few operations.
const ROUNDING: f64 = 1e-12;

impl Range {
    /// A range of one value, for what was counted or configured and not rounded.
    pub const fn exact(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// What a tool may have measured where it states this: hardly any says how it rounds.
    pub fn of(stated: Stated) -> Self {
        Self::of_rounded(stated, Rounding::NearestOrCutOff)
    }

    /// What becomes this number by such rounding.
    pub fn of_rounded(Stated { value, resolution }: Stated, rounding: Rounding) -> Self {
        let half = resolution / 2.0;
        match rounding {
            Rounding::Nearest => Self { low: value - half, high: value + half },
            // What is cut off goes towards zero, so that of a negative number the long side is the lower one.
            Rounding::NearestOrCutOff if value < 0.0 => Self { low: value - resolution, high: value + half },
            Rounding::NearestOrCutOff => Self { low: (value - half).max(0.0), high: value + resolution },
        }
    }

    /// What a printed change may be: one that rounds to zero has either sign.
    pub fn of_change(stated: Stated) -> Self {
        match stated {
            Stated { value: 0.0, resolution } => Self { low: -resolution, high: resolution },
            stated => Self::of(stated),
        }
    }

    /// The same where every digit counts, also zeros at the end.
    pub fn of_all_digits(stated: Stated) -> Self {
        Self::of(Stated { resolution: stated.resolution.min(1.0), ..stated })
    }

    /// Whether both may stand for the same value.
    pub fn overlaps(self, other: Self) -> bool {
        // Ends that should be the same number differ in the last digits after a few operations.
        self.agrees_with(other, ROUNDING)
    }

    /// Whether both may stand for the same value, or differ by no more than `slack` as a part of the larger one.
    pub fn agrees_with(self, other: Self, slack: f64) -> bool {
        // An open end is no size to differ by a part of.
        let reach = |range: Self| if range.high.is_finite() { range.high.abs() } else { range.low.abs() };
        let room = slack * reach(self).max(reach(other));
        self.low <= other.high + room && other.low <= self.high + room
    }

    /// Whether every value of this one is larger than every one of the other.
    pub fn is_above(self, other: Self) -> bool {
        self.low > other.high + ROUNDING * other.high.abs()
    }

    /// The middle of both ends, where one number has to stand for the range.
    pub fn middle(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }

    /// A value of both, such as a sum of shares.
    pub fn scaled(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }

    /// With so much room on both sides, as a part of itself.
    pub fn widened(self, share: f64) -> Self {
        Self { low: self.low * (1.0 - share), high: self.high * (1.0 + share) }
    }

    /// From the lower of two to the higher.
    pub fn from_to(a: f64, b: f64) -> Self {
        Self { low: a.min(b), high: a.max(b) }
    }

    /// Sizes in bytes of the I/Os of a direction, or of all; `None` where a load that has any does not say.
    pub fn of_block_sizes<'l>(
        loads: impl IntoIterator<Item = &'l StatedLoad>,
        direction: Option<Direction>,
    ) -> Option<Self> {
        let mut all: Option<Self> = None;
        for load in loads.into_iter().filter(|load| load.does(direction)) {
            let sizes = load
                .block_sizes
                .iter()
                .filter(|one| one.direction.is_none() || direction.is_none() || one.direction == direction)
                .map(|one| one.size.get() as f64);
            let of_load = sizes.fold(None, |range, size| Some(Self::exact(size).reaching(range)))?;
            all = Some(of_load.reaching(all));
        }
        all
    }

    fn reaching(self, other: Option<Self>) -> Self {
        other.map_or(self, |other| Self { low: self.low.min(other.low), high: self.high.max(other.high) })
    }
}

impl Add for Range {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }
}

/// Of ranges without negative numbers.
impl Mul for Range {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { low: self.low * other.low, high: self.high * other.high }
    }
}

/// Of ranges without negative numbers; the divisor may touch zero, and the quotient then has no upper end.
impl Div for Range {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        // Zero by zero is no number, and anything may be meant.
        let low = if self.low > 0.0 { self.low / other.high } else { 0.0 };
        let high = if other.low > 0.0 { self.high / other.low } else { f64::INFINITY };
        Self { low, high }
    }
}

/// I/Os that may be counted at one end of the measurement and not at the other: all that may be outstanding.
pub fn edge_count<'l>(loads: impl IntoIterator<Item = &'l StatedLoad>) -> f64 {
    let outstanding = loads
        .into_iter()
        .try_fold(0_u64, |sum, load| sum.checked_add(load.total_outstanding()?))
        .filter(|outstanding| *outstanding > 0);
    outstanding.map_or(1.0, |outstanding| outstanding as f64)
}

/// The share of the runtime that one I/O took at most: those that were under way when the measurement began or ended count with
/// all of their latency.
pub fn edge_share<'s>(streams: impl IntoIterator<Item = &'s StatedStream>) -> f64 {
    let share = streams.into_iter().filter_map(|stream| {
        let runtime = stream.runtime_s?.value;
        let latency = stream.latency();
        let longest = latency.max_us.map(|max| max.value).or_else(|| {
            // Without the longest I/O, as many means as the mean is of the whole: generous, and rarely needed.
            latency.mean_us.map(|mean| mean.value * 100.0)
        })?;
        (runtime > 0.0).then(|| longest * 1e-6 / runtime)
    });
    // Never zero: a product may differ from what was configured in the last binary digit.
    share.fold(1e-9, f64::max)
}

/// IOPS and MiB/s of one stream that cannot both be true, each in bytes per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContradictingRates {
    /// IOPS times the size of an I/O.
    pub product: Range,
    /// The stated MiB/s.
    pub printed: Range,
}

impl ContradictingRates {
    /// Whether IOPS × block size cannot be the MiB/s that are stated as well. Tools count I/Os and bytes at different moments:
    /// those under way at an end, `edge_count`, may be in one and not in the other.
    pub fn of(stream: &StatedStream, block_sizes: Range, edge_count: f64) -> Option<Self> {
        let (iops, bandwidth) = (Range::of(stream.iops?), Range::of(stream.bandwidth_mib_per_s?));
        let runtime_s = stream.runtime_s.map(|runtime| runtime.value).filter(|seconds| *seconds > 0.0);
        // Without a runtime the edges are unknown, and the digits alone have to explain a difference.
        let edges = runtime_s.map_or(0.0, |seconds| edge_count / seconds);
        let counted = Range { low: (iops.low - edges).max(0.0), high: iops.high + edges };
        let rates = Self { product: counted * block_sizes, printed: bandwidth.scaled(MIB) };
        (!rates.product.overlaps(rates.printed)).then_some(rates)
    }

    /// Whether MB/s, of 1,000,000 bytes, are printed as MiB/s.
    pub fn is_in_mb_per_s(&self) -> bool {
        self.product.overlaps(self.printed.scaled(1e6 / MIB))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_for_what_is_rounded_or_cut_off_to_it() {
        let range = Range::of(Stated { value: 4_044.0, resolution: 1.0 });
        assert_eq!((range.low, range.high), (4_043.5, 4_045.0));
        let range = Range::of(Stated { value: 850_000.0, resolution: 10_000.0 });
        assert_eq!((range.low, range.high), (845_000.0, 860_000.0));
        assert_eq!(Range::of(Stated::exact(7.0)), Range::exact(7.0));
        assert_eq!(Range::of(Stated { value: -7.3, resolution: 0.1 }).low, -7.3 - 0.1);
        let range = Range::of_rounded(Stated { value: 4_044.0, resolution: 1.0 }, Rounding::Nearest);
        assert_eq!((range.low, range.high), (4_043.5, 4_044.5));
    }

    #[test]
    fn what_is_printed_as_zero_is_divided_by_as_a_range() {
        let nothing = Range::of(Stated { value: 0.0, resolution: 0.1 });
        let quotient = Range::exact(5.0) / nothing;
        assert_eq!((quotient.low, quotient.high), (50.0, f64::INFINITY));
        assert!(quotient.overlaps(Range::exact(60.0)) && !quotient.overlaps(Range::exact(40.0)));
        let any = nothing / nothing;
        assert_eq!((any.low, any.high), (0.0, f64::INFINITY));
    }
}
