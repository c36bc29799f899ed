//! By how much a group of metrics changes, for each stream by itself: what reads gain is no answer to what writes lose.

use crate::stream::Stream;

/// The changes of those metrics of a group that are of one stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamRange {
    /// Of which I/Os; `None` of metrics that are of no stream, such as the capacity within limits.
    pub stream: Option<Stream>,
    /// The least and the largest change that is shown, in percent; `None` where none is.
    pub shown_percent: Option<(f64, f64)>,
}

/// Changes of streams that lie closer together than by this factor are one answer.
// A choice: a tenth decides between no two configurations, and three ranges are harder to read than one.
const ALIKE_FACTOR: f64 = 1.1;

impl StreamRange {
    /// One range for all of them, where they change alike: all in one direction and by about as much, or none at all.
    pub fn alike(ranges: &[Self]) -> Option<Self> {
        if let [only] = ranges {
            return Some(Self { stream: None, ..*only });
        }
        if ranges.iter().all(|one| one.shown_percent.is_none()) {
            return ranges.first().map(|_| Self { stream: None, shown_percent: None });
        }
        let mut shown: Vec<(f64, f64)> = Vec::new();
        for one in ranges {
            shown.push(one.shown_percent?);
        }
        let low = shown.iter().map(|(low, _)| *low).fold(f64::INFINITY, f64::min);
        let high = shown.iter().map(|(_, high)| *high).fold(f64::NEG_INFINITY, f64::max);
        let is_one_range = shown.iter().all(|range| *range == shown[0]);
        let is_close = low.signum() == high.signum() && 100.0 + high <= ALIKE_FACTOR * (100.0 + low);
        (is_one_range || is_close).then_some(Self { stream: None, shown_percent: Some((low, high)) })
    }
}
