//! What the checks come to: findings, and how often each check held.

use serde::Serialize;

/// Every check, in the order in which they are made. The names are an interface: `docs/audit.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// The record against its own checksum.
    Checksum,
    /// IOPS times block size against MiB/s.
    IopsBandwidth,
    /// Totals against rate times runtime, and sums against their parts.
    Totals,
    /// Bytes over I/Os against the block size.
    TransferSize,
    /// Reads and writes against those that the load has.
    Mix,
    /// IOPS against the rate that was asked for.
    AskedRate,
    /// CPU time against the time that there is.
    CpuTime,
    /// Rate times latency against the outstanding I/Os of the load.
    LittlesLaw,
    /// Latency against submission and completion, which it consists of.
    LatencyParts,
    /// Percentiles against the end of fio's histogram.
    ClippedHistogram,
    /// Percentiles against each other and the extremes.
    PercentileOrder,
    /// Mean against the extremes.
    MeanInRange,
    /// Shares of a histogram against 100 %.
    HistogramShares,
    /// Mean against what percentiles or shares allow.
    MeanByPercentiles,
    /// Standard deviation against what mean and extremes allow.
    Deviation,
    /// MiB/s against the link.
    LinkBandwidth,
    /// Latency against the time a block takes over the link.
    LinkLatency,
    /// Latency against what any device needs.
    DeviceLatency,
    /// Reads against what the devices counted and memory can hold.
    CacheServed,
    /// The clock of the run against the time of day.
    ClockJump,
    /// Changes that the text claims against the rows.
    ClaimedChange,
    /// Rankings that the text claims against the rows.
    ClaimedRanking,
    /// The recommendation of the text against the rows.
    ClaimedRecommendation,
    /// A gain without its metric against all metrics of its kind.
    ClaimedGain,
    /// Words for latencies against the printed categories.
    ClaimedCategory,
}

impl Check {
    /// All of them.
    pub const ALL: [Self; 25] = [
        Self::Checksum,
        Self::IopsBandwidth,
        Self::Totals,
        Self::TransferSize,
        Self::Mix,
        Self::AskedRate,
        Self::CpuTime,
        Self::LittlesLaw,
        Self::LatencyParts,
        Self::ClippedHistogram,
        Self::PercentileOrder,
        Self::MeanInRange,
        Self::HistogramShares,
        Self::MeanByPercentiles,
        Self::Deviation,
        Self::LinkBandwidth,
        Self::LinkLatency,
        Self::DeviceLatency,
        Self::CacheServed,
        Self::ClockJump,
        Self::ClaimedChange,
        Self::ClaimedRanking,
        Self::ClaimedRecommendation,
        Self::ClaimedGain,
        Self::ClaimedCategory,
    ];

    /// Its name in JSON, in reports and in `docs/audit.md`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Checksum => "checksum",
            Self::IopsBandwidth => "iops-bandwidth",
            Self::Totals => "totals",
            Self::TransferSize => "transfer-size",
            Self::Mix => "mix",
            Self::AskedRate => "asked-rate",
            Self::CpuTime => "cpu-time",
            Self::LittlesLaw => "littles-law",
            Self::LatencyParts => "latency-parts",
            Self::ClippedHistogram => "clipped-histogram",
            Self::PercentileOrder => "percentile-order",
            Self::MeanInRange => "mean-in-range",
            Self::HistogramShares => "histogram-shares",
            Self::MeanByPercentiles => "mean-by-percentiles",
            Self::Deviation => "deviation",
            Self::LinkBandwidth => "link-bandwidth",
            Self::LinkLatency => "link-latency",
            Self::DeviceLatency => "device-latency",
            Self::CacheServed => "cache-served",
            Self::ClockJump => "clock-jump",
            Self::ClaimedChange => "claimed-change",
            Self::ClaimedRanking => "claimed-ranking",
            Self::ClaimedRecommendation => "claimed-recommendation",
            Self::ClaimedGain => "claimed-gain",
            Self::ClaimedCategory => "claimed-category",
        }
    }

    /// What it holds against what.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Checksum => "the record, compared with the checksum that it was written with",
            Self::IopsBandwidth => "IOPS times block size, compared with MiB/s",
            Self::Totals => "totals, compared with rate times runtime, and sums with their parts",
            Self::TransferSize => "bytes over I/Os, compared with the block size",
            Self::Mix => "reads and writes, compared with the mix of the load",
            Self::AskedRate => "IOPS, compared with the requested rate",
            Self::CpuTime => "CPU time, compared with the available time",
            Self::LittlesLaw => "rate times latency, compared with the outstanding I/Os of the load",
            Self::LatencyParts => "latency, compared with its parts, submission and completion",
            Self::ClippedHistogram => "percentiles, compared with the end of fio's histogram",
            Self::PercentileOrder => "percentiles, compared with each other and the extremes",
            Self::MeanInRange => "mean, compared with the extremes",
            Self::HistogramShares => "shares of a histogram, compared with 100 %",
            Self::MeanByPercentiles => "mean, compared with what percentiles or shares allow",
            Self::Deviation => "standard deviation, compared with what mean and extremes allow",
            Self::LinkBandwidth => "MiB/s, compared with the link",
            Self::LinkLatency => "latency, compared with the time a block takes over the link",
            Self::DeviceLatency => "latency, compared with the least that any device needs",
            Self::CacheServed => "reads, compared with the devices' counters and the size of memory",
            Self::ClockJump => "the clock of the run, compared with the time of day",
            Self::ClaimedChange => "changes that the text claims, compared with the rows",
            Self::ClaimedRanking => "rankings that the text claims, compared with the rows",
            Self::ClaimedRecommendation => "the recommendation of the text, compared with the rows",
            Self::ClaimedGain => "a gain without its metric, compared with all metrics of its kind",
            Self::ClaimedCategory => "words for latencies, compared with the printed categories",
        }
    }
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Figures that cannot all be true, or words that are not those of the figures.
    Contradiction,
    /// Figures that may be true and probably are not what they seem.
    Doubt,
}

/// Something that does not agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditFinding {
    /// The check that did not hold.
    pub check: Check,
    /// How much it weighs.
    pub weight: Weight,
    /// Where: the row, the job, the stream.
    pub place: String,
    /// What does not agree, and by how much.
    pub message: String,
    /// The most likely cause.
    pub cause: String,
    /// What would agree with the other figures, in words; `None` where nothing can be named that would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
    /// How far the figure is from the nearest one that would agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_by_percent: Option<f64>,
}

/// How often a check was made, and how often it held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckCount {
    /// The check that was made.
    pub check: Check,
    /// Comparisons of figures that agreed within their digits.
    pub held: usize,
    /// Comparisons that cannot all be true; each has a finding.
    pub contradicted: usize,
    /// Comparisons that may be true and probably are not what they seem; each has a finding.
    pub doubtful: usize,
}

/// Collects what checks say.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) findings: Vec<AuditFinding>,
    pub(super) checks: Vec<CheckCount>,
    /// What the figures tell besides.
    pub(super) observations: Vec<String>,
    /// What could not be looked at, and why.
    pub(super) unchecked: Vec<String>,
}

impl Tally {
    fn count(&mut self, check: Check) -> &mut CheckCount {
        let index = self.checks.iter().position(|count| count.check == check).unwrap_or_else(|| {
            self.checks.push(CheckCount { check, held: 0, contradicted: 0, doubtful: 0 });
            self.checks.len() - 1
        });
        &mut self.checks[index]
    }

    /// Counts a comparison that agreed. A check of which nothing agreed or disagreed was not made.
    pub(super) fn held(&mut self, check: Check) {
        self.count(check).held += 1;
    }

    /// Counts a comparison that did not agree, and keeps what is said of it.
    pub(super) fn found(&mut self, finding: AuditFinding) {
        let count = self.count(finding.check);
        match finding.weight {
            Weight::Contradiction => count.contradicted += 1,
            Weight::Doubt => count.doubtful += 1,
        }
        self.findings.push(finding);
    }

    /// Something could not be looked at; each reason is told once.
    pub(super) fn unchecked(&mut self, reason: String) {
        if !self.unchecked.contains(&reason) {
            self.unchecked.push(reason);
        }
    }
}
