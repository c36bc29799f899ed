//! What would agree with the other figures.

use super::Value;
use super::compared::Unit;
use crate::bound::BoundRelation;
use crate::imported::Stated;
use crate::range::Range;

/// What would be right in place of a figure or a word that is not.
#[derive(Debug, Clone, PartialEq)]
pub enum Right {
    /// A figure; of several, nothing shows which of them was wrong.
    Figures(Vec<RightFigure>),
    /// This mean in µs, without the percentiles.
    MeanWithoutPercentiles(Stated),
    /// A percentile from here to the longest I/O, in µs, where that one is stated.
    Percentile {
        /// The end of the histogram.
        least_us: f64,
        /// The longest I/O.
        longest_us: Option<Stated>,
    },
    /// These mean latencies in µs, one for each direction.
    MeanLatencies(Vec<f64>),
    /// The figures of reads for writes, and the other way round.
    DirectionsSwapped,
    /// Shares that are 100 % together.
    SharesOf100,
    /// Another block size, which nothing tells.
    OtherBlockSize,
    /// Figures for each size apart; bytes.
    SizesApart(Range),
    /// A change between rows.
    Change {
        /// Whether it is known only as a bound.
        bound: Option<BoundRelation>,
        /// In percent.
        percent: f64,
    },
    /// Ids of rows in the order of their figures, the best first.
    Order(Vec<String>),
    /// Id of a row.
    Row(String),
    /// Each gain with its metric, as the conflict has them.
    GainsWithMetrics,
    /// A category of the table.
    Category(String),
    /// The sum of the parts of a price, from the lowest to the highest that their digits leave.
    Sum(Range),
}

impl Right {
    /// Either of several figures.
    pub fn either(figures: impl IntoIterator<Item = RightFigure>) -> Self {
        Self::Figures(figures.into_iter().collect())
    }
}

/// A figure that would be right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RightFigure {
    /// What it is of.
    pub quantity: RightQuantity,
    /// Whether it is a bound.
    pub bound: Option<BoundRelation>,
    /// In the unit of the quantity.
    pub value: Value,
}

impl RightFigure {
    /// A figure that is known.
    pub fn exactly(quantity: impl Into<RightQuantity>, value: impl Into<Value>) -> Self {
        Self { quantity: quantity.into(), bound: None, value: value.into() }
    }
}

impl From<RightFigure> for Right {
    fn from(figure: RightFigure) -> Self {
        Self::Figures(vec![figure])
    }
}

impl From<Unit> for RightQuantity {
    fn from(unit: Unit) -> Self {
        Self::Figure(unit)
    }
}

/// What a right figure is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RightQuantity {
    /// The figure that the finding is about.
    Figure(Unit),
    /// The same of reads.
    Read(Unit),
    /// The same of writes.
    Written(Unit),
    /// The same of reads and writes together.
    Both(Unit),
    /// The row of a total.
    TotalRow(Unit),
    /// The rows that it is the total of, together.
    Rows,
    /// Seconds.
    Runtime,
    /// In µs.
    MeanLatency,
    /// In µs, if the rates stay.
    MeanLatencyAtTheseRates,
    /// In µs.
    CompletionLatency,
    /// In µs.
    SubmissionLatency,
    /// Submission and completion together, in µs.
    LatencyParts,
    /// Bytes in one I/O on average.
    IoSize,
    /// Bytes of a block, which is a whole number of KiB or MiB.
    BlockSize,
}
