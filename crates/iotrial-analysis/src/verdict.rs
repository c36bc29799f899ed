//! The verdict: is this storage good enough, and what decided that.

use iotrial_model::load::Role;
use serde::Serialize;

/// How good a latency is. Ordered: a later one is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Better than needed.
    Excellent,
    /// As it should be.
    Good,
    /// Usable, with reserve gone.
    Acceptable,
    /// Noticeably slow.
    Poor,
    /// Not for production.
    Critical,
    /// Must be avoided.
    Unsustainable,
}

/// What the figures mean for a database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether everything that is judged is acceptable or better, and the run can carry the statement.
    pub qualified: bool,
    /// The worst category of all that is judged; `None` when nothing could be judged.
    pub category: Option<Category>,
    /// One sentence, generated from what decided.
    pub sentence: String,
    /// What speaks for it, the most weighty first.
    pub reasons: Vec<String>,
    /// The threshold set.
    pub thresholds: String,
    /// Every figure that was judged, in the order role, stream, statistic.
    pub judged: Vec<Judged>,
}

/// One figure held against its bands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// Whose latency.
    pub role: Role,
    /// `read`, `write` or `commit`.
    pub stream: &'static str,
    /// `mean`, `p99` or `p99.9`.
    pub statistic: &'static str,
    /// The figure.
    pub value_us: f64,
    /// Where it falls.
    pub category: Category,
    /// The highest value that is still acceptable.
    pub limit_us: f64,
}
