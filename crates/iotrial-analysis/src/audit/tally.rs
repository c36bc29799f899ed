//! What the checks come to: findings, and how often each check held.

use serde::Serialize;

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
    /// Which check; the names are an interface, `docs/audit.md`.
    pub check: &'static str,
    /// How much it weighs.
    pub weight: Weight,
    /// Where: the row, the job, the stream.
    pub place: String,
    /// What does not agree, and by how much.
    pub message: String,
    /// The most likely cause.
    pub cause: String,
    /// What would agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
    /// How far the figure is from the nearest one that would agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_by_percent: Option<f64>,
}

/// How often a check was made, and how often it held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckCount {
    /// Its name.
    pub check: &'static str,
    /// What agreed.
    pub held: usize,
    /// What did not.
    pub contradicted: usize,
    /// What is doubtful.
    pub doubtful: usize,
}

impl CheckCount {
    /// What the check holds against what.
    pub fn words(&self) -> &'static str {
        CHECKS.iter().find(|(check, _)| *check == self.check).map_or("", |(_, words)| words)
    }
}

/// Every check, in the order in which they are made, with what it holds against what.
pub const CHECKS: [(&str, &str); 21] = [
    ("iops-bandwidth", "IOPS times block size against MiB/s"),
    ("totals", "totals against rate times runtime, and sums against their parts"),
    ("transfer-size", "bytes over I/Os against the block size"),
    ("littles-law", "rate times latency against the outstanding I/Os of the load"),
    ("latency-parts", "latency against submission and completion, which it consists of"),
    ("clipped-histogram", "percentiles against the end of fio's histogram"),
    ("percentile-order", "percentiles against each other and the extremes"),
    ("mean-in-range", "mean against the extremes"),
    ("histogram-shares", "shares of a histogram against 100 %"),
    ("mean-by-percentiles", "mean against what percentiles or shares allow"),
    ("deviation", "standard deviation against what mean and extremes allow"),
    ("link-bandwidth", "MiB/s against the link"),
    ("link-latency", "latency against the time a block takes over the link"),
    ("device-latency", "latency against what any device needs"),
    ("cache-served", "reads against what the devices counted and memory can hold"),
    ("clock-jump", "the clock of the run against the time of day"),
    ("claimed-change", "changes that the text claims against the rows"),
    ("claimed-ranking", "rankings that the text claims against the rows"),
    ("claimed-recommendation", "the recommendation of the text against the rows"),
    ("claimed-gain", "a gain without its metric against all metrics of its kind"),
    ("claimed-category", "words for latencies against the printed categories"),
];

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
    fn count(&mut self, check: &'static str) -> &mut CheckCount {
        let index = self.checks.iter().position(|count| count.check == check).unwrap_or_else(|| {
            self.checks.push(CheckCount { check, held: 0, contradicted: 0, doubtful: 0 });
            self.checks.len() - 1
        });
        &mut self.checks[index]
    }

    /// Something agreed.
    pub(super) fn held(&mut self, check: &'static str) {
        self.count(check).held += 1;
    }

    /// Something did not.
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
