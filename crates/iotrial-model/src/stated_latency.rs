//! What a stated latency says against itself: parts against the whole, percentiles and mean against the extremes.
//!
//! The audit words these as findings; whoever judges or compares must not let such a figure decide unmarked.

use crate::imported::{Stated, StatedLatency, StatedPercentile, StatedStream};
use crate::range::Range;

/// Percentiles come from buckets. The widest of a tool that is imported are those of fio: 64 for each power of two, so that a
/// value is at most this share of itself away (fio, stat.h, `FIO_IO_U_PLAT_BITS`).
pub const BUCKET_SHARE: f64 = 1.0 / 64.0;

/// The middle of the last bucket of fio, in µs: of its histogram in ns (29 groups), and of the one in µs before 3.0 (19 groups).
/// Every I/O that takes longer is counted there, and shows as this.
const LAST_BUCKETS_US: [f64; 2] = [17_112_760.32, 16_711_680.0];

/// Where the last bucket of fio ends, in µs.
pub const LAST_BUCKET_END_US: f64 = 17_179_869.184;

/// Clocks are read between the parts, and older tools cut each part off to whole microseconds.
const PARTS_SHARE: f64 = 0.01;
const PARTS_US: f64 = 3.0;

/// A mean latency, and what its parts come to, that cannot both be true; in µs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContradictingParts {
    /// Creation to completion, as it is stated.
    pub total: Stated,
    /// Submission and completion together, or completion alone where submission is not told.
    pub parts: Range,
    /// Whether submission is one of the parts.
    pub has_submission: bool,
}

impl StatedStream {
    /// Whether total and parts are both told, so that they can be compared.
    pub fn has_parts(&self) -> bool {
        self.total_latency.mean_us.is_some() && self.completion_latency.mean_us.is_some()
    }

    /// An I/O is created, submitted and completed: the mean of all of it is the sum of the means of its parts, and where the
    /// first part is not told it is no less than the other. `None` where they agree, or are not told.
    pub fn contradicting_parts(&self) -> Option<ContradictingParts> {
        let (total, completion) = (self.total_latency.mean_us?, self.completion_latency.mean_us?);
        let whole = Range::of(total).widened(PARTS_SHARE);
        let whole = Range { low: whole.low - PARTS_US, high: whole.high + PARTS_US };
        let completion = Range::of(completion);
        let submission = self.submission_latency.mean_us.map(Range::of);
        let parts = submission.map_or(completion, |submission| completion + submission);
        let agree = if submission.is_some() { parts.overlaps(whole) } else { !parts.is_above(whole) };
        (!agree).then_some(ContradictingParts { total, parts, has_submission: submission.is_some() })
    }
}

impl StatedPercentile {
    /// Whether it is only the end of fio's histogram: the I/O took longer, and nobody knows how long.
    pub fn is_clipped(&self) -> bool {
        let range = Range::of(self.at);
        // A round number may be anything; the end of a histogram is none.
        self.at.resolution <= 1_000.0 && LAST_BUCKETS_US.iter().any(|end| range.overlaps(Range::exact(*end)))
    }
}

impl StatedLatency {
    /// The highest percentile and the longest I/O, where that one is shorter.
    pub fn percentile_beyond_longest(&self) -> Option<(StatedPercentile, Stated)> {
        let (last, max) = (self.percentiles_us.last()?, self.max_us?);
        Range::of(last.at).is_above(Range::of(max).widened(BUCKET_SHARE)).then_some((*last, max))
    }

    /// The mean with the longest I/O where that one is shorter, or with the shortest where that one is longer.
    pub fn mean_beyond_extremes(&self) -> Option<(Stated, Stated)> {
        let mean = self.mean_us?;
        let shorter = self.max_us.filter(|max| Range::of(mean).is_above(Range::of(*max)));
        let longer = || self.min_us.filter(|min| Range::of(*min).is_above(Range::of(mean)));
        Some((mean, shorter.or_else(longer)?))
    }
}
