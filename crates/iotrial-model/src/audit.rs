//! What an audit finds, as facts. Nothing here is a sentence: those are made by id and facts in `iotrial-words`.
//!
//! Most findings have one shape: a figure, what other figures make of it or allow, and by how much they differ
//! ([`Conflict::Figures`]). What a text claims of a printed table has shapes of its own.

mod cause;
mod compared;
mod derived_rate;
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
pub use derived_rate::DerivedRate;
pub use observation::{ConfiguredOutstanding, Observation, Parts};
pub use place::{AuditPlace, LatencyKind, ResultPart};
pub use right::{Right, RightFigure, RightQuantity};
pub use unchecked::{Reason, Unchecked};

words! {
    /// Every check, in the order in which they are made. What each compares, and its limits. The names are an interface.
    Check {
        /// A record with the checksum in it. Needs one; it is not a signature.
        Checksum = "checksum",
        /// IOPS × block size with MiB/s. Causes that it tries: MB printed as MiB; k as 1,000 or 1,024; other units; one figure of a
        /// single direction, the other of both; another block size; several sizes in one figure. Needs the block size; with several
        /// sizes the product is a range.
        IopsBandwidth = "iops-bandwidth",
        /// GiB, bytes and counts with rate × runtime; rates, counts and bytes of reads and writes with their sum, and a mean
        /// latency or percentile of both with theirs (the mean by their counts, their rates or the mix of the load, otherwise between them); for a run of iotrial,
        /// its totals with its seconds; for diskspd's XML, its time series with runtime and counts; for its text and for
        /// clients of fio, the rows of the parts with their totals, and the mean over all I/Os with those of the parts. Rates need the runtime. A shortened time series may have fewer I/Os. Rows of several targets that
        /// add up to less are a doubt.
        Totals = "totals",
        /// Bytes ÷ I/Os with the block size. fio counts an I/O when it is issued and its bytes when it completes, so after a ramp up to
        /// the outstanding I/Os may be missing from its count. Fewer bytes are a doubt: short I/Os, or an altered count. Failed I/Os,
        /// and up to the outstanding ones, may be counted without data.
        TransferSize = "transfer-size",
        /// For imported results: the share of reads with that of the load; also a direction that the load does not have. Allows 5 points
        /// and 5 standard deviations of chance. Not with `verify`, whose reads are not part of the mix, or with rates, which decide it.
        /// A doubt if an entry of fio may hold several jobs. If the other direction has the requested share, reads and writes were
        /// swapped.
        Mix = "mix",
        /// For imported results: IOPS with the rate that the load asks for. Allows 25 % more, to catch up.
        AskedRate = "asked-rate",
        /// CPU time of one copy of a job with that of its one thread; of the host with that of all its CPUs. For fio only with engines
        /// without threads of their own (`libaio`, `psync` and similar); allows 5 %, because time is charged in ticks.
        CpuTime = "cpu-time",
        /// IOPS × mean latency, the average number of outstanding I/Os, with the number configured (Little 1961): it cannot be more.
        /// Fewer than half are a doubt, unless a rate was given, flushes are timed separately, or the source states no such options (fio's
        /// normal output). More is a doubt if an entry of fio may hold several jobs, because it has the options of the first one. Not
        /// for means over several runs (KDiskMark). If direct I/Os take less than 1 µs and a thousand times that
        /// would fit, the unit is wrong.
        LittlesLaw = "littles-law",
        /// The mean latency with its parts, submission and completion. Without a submission latency: completion alone cannot be longer.
        /// If the load keeps its I/Os outstanding, Little's law shows which is wrong. With `sqthread_poll` fio does not note the
        /// submission, so its completion latencies are meaningless. A refuted completion latency is not reported by other checks, and
        /// its percentiles are not used anywhere. Allows 1 % and 3 µs: clocks are read between the parts, and fio before 3.0 truncated
        /// each to whole µs.
        LatencyParts = "latency-parts",
        /// Percentiles with the last bucket of fio's histogram: 17.11 s, and 16.71 s before fio 3.0. fio counts all longer I/Os in it;
        /// the percentile is at least 17.18 s.
        ClippedHistogram = "clipped-histogram",
        /// Percentiles: they rise, between the shortest and the longest I/O. The end of fio's histogram is not a lowest percentile.
        PercentileOrder = "percentile-order",
        /// The mean: between the shortest and the longest I/O.
        MeanInRange = "mean-in-range",
        /// Sum of the shares of a coarse histogram (SQLIO, Iometer) with 100 %. Each share may be rounded or cut off.
        HistogramShares = "histogram-shares",
        /// The mean with the classes of a coarse histogram (SQLIO, Iometer), or with the percentiles: a share 1 − p of the I/Os takes
        /// the p-th percentile or longer, the share p takes it or less, so the mean is between two sums. The upper sum needs the longest
        /// I/O. Not if the shares do not add up to 100 %.
        MeanByPercentiles = "mean-by-percentiles",
        /// The variance with its maximum, (max − mean)(mean − min) (Bhatia and Davis 2000).
        Deviation = "deviation",
        /// Mean and standard deviation of reads with those of writes, where each has five digits or more. Two measurements do not agree in
        /// all of them; a doubt, because a tool may print one latency for both directions.
        CopiedLatency = "copied-latency",
        /// MiB/s of each direction with the link (for `sata`, which both share, of both together). Needs an attribute of the path.
        LinkBandwidth = "link-bandwidth",
        /// The mean latency with the time of one block over the link, and with the speed of light: 10 µs for each kilometre of
        /// `distance_km`, there and back. Needs an attribute of the path.
        LinkLatency = "link-latency",
        /// The mean latency of direct I/O with 1 µs, two round trips over PCIe (Neugebauer and others 2018). A doubt.
        DeviceLatency = "device-latency",
        /// Random reads with the reads that the devices completed or merged; loads through the page cache with `memory_gib`. Devices
        /// that count more are not reported: counters may include other runs. A device may lack the reads of the run's last half second,
        /// because tools read counters now and then. I/Os of `rbd`, `nfs`, `http`, `io_uring_cmd` and other engines do not pass these
        /// counters.
        CacheServed = "cache-served",
        /// For a run of iotrial: its clock with the time of day.
        ClockJump = "clock-jump",
        /// A change in percent with the two figures.
        ClaimedChange = "claimed-change",
        /// An order of rows with their figures. Rows whose digits do not tell them apart may be in either order.
        ClaimedRanking = "claimed-ranking",
        /// The recommended row with the recommendation of `iotrial compare`. A doubt if `compare` recommends none.
        ClaimedRecommendation = "claimed-recommendation",
        /// A gain without its metric with all metrics of its kind: if one shows it and another does not, the text has to name it. Kinds:
        /// throughput, mean latency, tail latency, figures of an application.
        ClaimedGain = "claimed-gain",
        /// The word that the text uses for a latency with the printed table of categories.
        ClaimedCategory = "claimed-category",
        /// The row that is called the worst with all others, by the named metric, otherwise by every metric that all rows have. A doubt if it is
        /// the worst by most of them.
        ClaimedWorst = "claimed-worst",
        /// A limit or a range that figures are said to keep ("always below 2 ms") with the figures.
        ClaimedLimit = "claimed-limit",
        /// A price with the sum of its parts, each a quantity times a unit price.
        ClaimedPrice = "claimed-price",
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
    /// A row that is called the worst, and is not.
    Worst {
        /// The metrics by which no other row is worse.
        fitting: Vec<String>,
        /// The others, each with the id of the row that is the worst.
        others: Vec<(String, String)>,
    },
    /// A figure beyond a claimed limit.
    Limit {
        /// The side on which the limit is said to keep the figure.
        relation: BoundRelation,
        /// In the unit of the figure.
        limit: Stated,
        /// What the row has.
        figure: PrintedAmount,
    },
    /// A price that is not the sum of its parts.
    Price {
        /// As the text says.
        total: Stated,
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
            Self::Worst { .. } => Check::ClaimedWorst,
            Self::Limit { .. } => Check::ClaimedLimit,
            Self::Price { .. } => Check::ClaimedPrice,
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
