//! A result over time.

use crate::imported::StatedInterval;
use crate::record::Interval;

/// A result stretch by stretch: counted by iotrial, or as another tool logged it.
#[derive(Debug, Clone, Copy)]
pub enum Course<'r> {
    /// All phases. Each interval has every job in the order of the plan, with a histogram for each of its streams, and what
    /// was due and not issued.
    Counted(&'r [Interval]),
    /// Of the measured phase. Each interval is of one job or of all together, with rates and means, and may overlap those of
    /// other jobs.
    Stated(&'r [StatedInterval]),
}

impl Default for Course<'_> {
    /// Only totals are known.
    fn default() -> Self {
        Self::Counted(&[])
    }
}

impl<'r> Course<'r> {
    /// What was counted; empty where a source states the course, and where only totals are known.
    pub const fn counted(self) -> &'r [Interval] {
        match self {
            Self::Counted(intervals) => intervals,
            Self::Stated(_) => &[],
        }
    }

    /// What a source states; empty where it was counted, and where only totals are known.
    pub const fn stated(self) -> &'r [StatedInterval] {
        match self {
            Self::Counted(_) => &[],
            Self::Stated(intervals) => intervals,
        }
    }

    /// Whether only totals are known.
    pub const fn is_empty(self) -> bool {
        match self {
            Self::Counted(intervals) => intervals.is_empty(),
            Self::Stated(intervals) => intervals.is_empty(),
        }
    }

    /// When the last interval ended, in seconds from the time that the course counts from; zero without any.
    pub fn end_s(self) -> f64 {
        match self {
            Self::Counted(intervals) => {
                intervals.last().map_or(0.0, |last| (last.start + last.duration).as_secs_f64())
            }
            Self::Stated(intervals) => {
                intervals.iter().map(|one| one.start_s + one.duration_s).fold(0.0, f64::max)
            }
        }
    }
}
