//! What an audit finds, as facts. Nothing here is a sentence: those are made by id and facts in `iotrial-words`.
//!
//! Most findings have one shape: a figure, what other figures make of it or allow, and by how much they differ
//! ([`Conflict::Figures`]). What a text claims of a printed table has shapes of its own.

mod cause;
mod compared;
mod observation;
mod place;
mod right;
mod unchecked;

use crate::bound::{Amount, BoundRelation};
use crate::finding::Finding;
use crate::imported::Stated;
use crate::load::words;
use crate::range::Range;

pub use cause::{Cause, UnitMistake, Witness};
pub use compared::{Compared, Link, LinkName, RateBasis, Unit};
pub use observation::{ConfiguredOutstanding, Observation, Parts};
pub use place::{AuditPlace, LatencyKind, ResultPart};
pub use right::{Right, RightFigure, RightQuantity};
pub use unchecked::{Reason, Unchecked};

words! {
    /// Every check, in the order in which they are made. The names are an interface: `docs/audit.md`.
    Check {
        /// The record against its own checksum.
        Checksum = "checksum",
        /// IOPS times block size against MiB/s.
        IopsBandwidth = "iops-bandwidth",
        /// Totals against rate times runtime, and sums against their parts.
        Totals = "totals",
        /// Bytes over I/Os against the block size.
        TransferSize = "transfer-size",
        /// Reads and writes against those that the load has.
        Mix = "mix",
        /// IOPS against the rate that was asked for.
        AskedRate = "asked-rate",
        /// CPU time against the time that there is.
        CpuTime = "cpu-time",
        /// Rate times latency against the outstanding I/Os of the load.
        LittlesLaw = "littles-law",
        /// Latency against submission and completion, which it consists of.
        LatencyParts = "latency-parts",
        /// Percentiles against the end of fio's histogram.
        ClippedHistogram = "clipped-histogram",
        /// Percentiles against each other and the extremes.
        PercentileOrder = "percentile-order",
        /// Mean against the extremes.
        MeanInRange = "mean-in-range",
        /// Shares of a histogram against 100 %.
        HistogramShares = "histogram-shares",
        /// Mean against what percentiles or shares allow.
        MeanByPercentiles = "mean-by-percentiles",
        /// Standard deviation against what mean and extremes allow.
        Deviation = "deviation",
        /// MiB/s against the link.
        LinkBandwidth = "link-bandwidth",
        /// Latency against the time a block takes over the link.
        LinkLatency = "link-latency",
        /// Latency against what any device needs.
        DeviceLatency = "device-latency",
        /// Reads against what the devices counted and memory can hold.
        CacheServed = "cache-served",
        /// The clock of the run against the time of day.
        ClockJump = "clock-jump",
        /// Changes that the text claims against the rows.
        ClaimedChange = "claimed-change",
        /// Rankings that the text claims against the rows.
        ClaimedRanking = "claimed-ranking",
        /// The recommendation of the text against the rows.
        ClaimedRecommendation = "claimed-recommendation",
        /// A gain without its metric against all metrics of its kind.
        ClaimedGain = "claimed-gain",
        /// Words for latencies against the printed categories.
        ClaimedCategory = "claimed-category",
    }
}

words! {
    /// How much a finding weighs.
    Weight {
        /// Figures that cannot all be true, or words that are not those of the figures.
        Contradiction = "contradiction",
        /// Figures that may be true and probably are not what they seem.
        Doubt = "doubt",
    }
}

/// A number of a finding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// As a source states it, with its digits; what was counted or computed has all of them.
    Stated(Stated),
    /// All that it may be.
    Range(Range),
}

impl Value {
    /// The number, or the middle of the range.
    pub fn middle(self) -> f64 {
        match self {
            Self::Stated(stated) => stated.value,
            Self::Range(range) => range.middle(),
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Stated(Stated::exact(number))
    }
}

impl From<Stated> for Value {
    fn from(stated: Stated) -> Self {
        Self::Stated(stated)
    }
}

impl From<Range> for Value {
    fn from(range: Range) -> Self {
        Self::Range(range)
    }
}

/// Something that does not agree.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditFinding {
    /// The check that did not hold.
    pub check: Check,
    /// How much it weighs.
    pub weight: Weight,
    /// Where: the row, the job, the stream.
    pub place: AuditPlace,
    /// What does not agree.
    pub conflict: Conflict,
    /// The most likely cause.
    pub cause: Cause,
    /// What would agree with the other figures; `None` where nothing can be named that would.
    pub right: Option<Right>,
    /// How far the figure is from the nearest one that would agree, in percent of that one; of a figure in percent, in points.
    pub off_by_percent: Option<f64>,
}

impl AuditFinding {
    /// A contradiction with its usual cause, of which nothing says what would be right.
    pub fn new(place: impl Into<AuditPlace>, conflict: Conflict) -> Self {
        Self {
            check: conflict.check(),
            weight: Weight::Contradiction,
            place: place.into(),
            conflict,
            cause: Cause::Usual,
            right: None,
            off_by_percent: None,
        }
    }

    /// The same of a figure and what it should be.
    pub fn of_figures(
        place: impl Into<AuditPlace>,
        compared: Compared,
        stated: impl Into<Value>,
        expected: impl Into<Value>,
    ) -> Self {
        let (stated, expected) = (stated.into(), expected.into());
        Self::new(place, Conflict::Figures { compared, stated, expected })
    }

    /// With how far the figure is from what was expected, in percent of that.
    #[must_use]
    pub fn with_difference(self) -> Self {
        let Conflict::Figures { stated, expected, .. } = &self.conflict else { return self };
        let percent = 100.0 * (stated.middle() / expected.middle() - 1.0);
        self.off_by(percent)
    }

    /// With what was expected as what would be right, or as a bound of it.
    #[must_use]
    pub fn expecting(self, bound: Option<BoundRelation>, quantity: impl Into<RightQuantity>) -> Self {
        let Conflict::Figures { expected: value, .. } = self.conflict else { return self };
        self.with_right(RightFigure { quantity: quantity.into(), bound, value })
    }

    /// With its weight.
    #[must_use]
    pub fn weighing(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }

    /// With another cause than the usual one.
    #[must_use]
    pub fn because(self, cause: Cause) -> Self {
        Self { cause, ..self }
    }

    /// With what would be right.
    #[must_use]
    pub fn with_right(self, right: impl Into<Right>) -> Self {
        Self { right: Some(right.into()), ..self }
    }

    /// With how far the figure is off, in percent. From zero there is no percentage, and none is kept.
    #[must_use]
    pub fn off_by(self, percent: f64) -> Self {
        Self { off_by_percent: Some(percent).filter(|percent| percent.is_finite()), ..self }
    }
}

/// What does not agree.
#[derive(Debug, Clone, PartialEq)]
pub enum Conflict {
    /// A figure, and what others make of it or allow.
    Figures {
        /// Which figure, and what it was compared with.
        compared: Compared,
        /// The figure, in the unit of what was compared.
        stated: Value,
        /// What it should be, or the nearest that it may be, in the same unit.
        expected: Value,
    },
    /// A record was changed after it was written.
    AlteredRecord,
    /// Two ways of measuring the same in a run.
    Run {
        /// The check that the finding belongs to.
        check: Check,
        /// What the run says of itself.
        finding: Box<Finding>,
    },
    /// A claimed change between two rows; what would be right is in the finding.
    Change {
        /// The figure of the row that is compared with.
        from: PrintedAmount,
        /// The figure of the row that is compared.
        to: PrintedAmount,
        /// In percent, as the text says.
        claimed_percent: f64,
    },
    /// A row that is ranked before another although it is worse.
    Ranking {
        /// Id of the row that is ranked before.
        row: String,
        /// Its figure.
        figure: PrintedAmount,
        /// Id of the row that is ranked after it.
        later: String,
        /// The figure of that one.
        later_figure: PrintedAmount,
    },
    /// A recommendation that the figures do not bear out.
    Recommendation {
        /// Id of the row that is recommended.
        row: String,
        /// Id of the row that the figures favour; `None` where they show no best one.
        favoured: Option<String>,
        /// The recommendation of the comparison.
        sentence: String,
    },
    /// A gain without its metric that not every metric of its kind shows.
    Gain {
        /// In percent, as the text says.
        claimed_percent: f64,
        /// The words of the text.
        quote: Option<String>,
        /// The metrics that show it; none where no figure does.
        fitting: Vec<Gain>,
        /// Those of the same kind that do not; where none shows it, all of them.
        others: Vec<Gain>,
    },
    /// A word for a latency that the printed categories do not give it.
    Category {
        /// The latency, in µs.
        figure: Amount,
        /// The word of the text.
        claimed: String,
        /// The category that the latency is in.
        own: String,
        /// From where to where the claimed category reaches, in ms; `None` where no category has that word.
        claimed_ms: Option<(Option<f64>, Option<f64>)>,
    },
}

impl Conflict {
    const fn check(&self) -> Check {
        match self {
            Self::Figures { compared, .. } => compared.check(),
            Self::AlteredRecord => Check::Checksum,
            Self::Run { check, .. } => *check,
            Self::Change { .. } => Check::ClaimedChange,
            Self::Ranking { .. } => Check::ClaimedRanking,
            Self::Recommendation { .. } => Check::ClaimedRecommendation,
            Self::Gain { .. } => Check::ClaimedGain,
            Self::Category { .. } => Check::ClaimedCategory,
        }
    }
}

/// A figure of a printed table, or the bound that was printed of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrintedAmount {
    /// On which side of the number the figure is; `None` of the figure itself.
    pub relation: Option<BoundRelation>,
    /// The number as printed.
    pub number: Stated,
}

/// By how much a metric is better.
#[derive(Debug, Clone, PartialEq)]
pub struct Gain {
    /// The key of the metric, such as `read.lat_mean_us`.
    pub metric: String,
    /// More is better, whatever the metric.
    pub percent: f64,
}
