//! How often a load hands its facts over.

use std::time::Duration;

/// The most intervals of a load, so that a record stays small enough to be read at once: an hour of seconds,
/// a day of half minutes.
const MOST_INTERVALS: u32 = 3_600;

/// Whole seconds, as few as [`MOST_INTERVALS`] allows.
pub(super) fn interval_of(load: Duration) -> Duration {
    // Whole seconds, so that intervals of two runs can be compared and second by second rates need no
    // conversion.
    Duration::from_secs(load.as_secs().div_ceil(MOST_INTERVALS.into()).max(1))
}
