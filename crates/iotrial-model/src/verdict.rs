//! The verdict as data: outcome, category, what was judged, and everything that bears on it. Nothing here is a sentence; the words are in
//! `iotrial-words`, by these types.

mod bearing;
mod ruling;

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::bound::{Amount, BoundRelation, Bounded};
use crate::figure::Figure;
use crate::load::Role;
use crate::search::{Search, Untouched};
use crate::stream::Stream;
use crate::verification::Verification;

pub use bearing::{
    Advice, Caveat, Change, Doubt, DoubtKind, Gap, Objection, QueueLatency, Starved, WhyNotJudged,
};
pub use ruling::{LoadName, Ruling, SearchAnswer, StepAnswer, StepsRuling, WhyNot};

/// The answer to whether storage is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Everything that is judged is acceptable or better, and the figures are the device's.
    Qualified,
    /// The figures may not be the device's, or too little was measured: neither answer would be founded.
    Inconclusive,
    /// Something is too slow or fails, and nothing casts doubt on that.
    NotQualified,
}

impl Outcome {
    /// The words for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Qualified => "qualified",
            Self::Inconclusive => "inconclusive",
            Self::NotQualified => "not qualified",
        }
    }

    /// The word in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Qualified => "qualified",
            Self::Inconclusive => "inconclusive",
            Self::NotQualified => "not-qualified",
        }
    }

    /// Yes, no or neither.
    pub const fn is_yes(self) -> Option<bool> {
        match self {
            Self::Qualified => Some(true),
            Self::Inconclusive => None,
            Self::NotQualified => Some(false),
        }
    }
}

/// What the figures of a result mean for a database. `iotrial_words::verdict` says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Yes, no, or that it cannot be said.
    pub outcome: Outcome,
    /// The worst category of all that is judged; `None` when nothing could be judged.
    pub category: Option<Category>,
    /// What that category means for a database, where the threshold set says so.
    pub meaning: Option<Meaning>,
    /// What to change so that the next measurement has an answer; only where this one is inconclusive.
    pub advice: Option<Advice>,
    /// The threshold set.
    pub thresholds: String,
    /// The digest of what it says.
    pub thresholds_sha256: String,
    /// The step that decided, counted from 1; `None` where the load does not change. What was judged is then that of this step.
    pub step: Option<usize>,
    /// Every figure that was judged, in the order role, stream, statistic.
    pub judged: Vec<Judged>,
    /// What decided.
    pub basis: Basis,
}

impl Verdict {
    /// Why latencies are not judged, where they show the queue of the load and not the storage.
    pub fn queue(&self) -> Option<QueueLatency> {
        match &self.basis {
            Basis::Run(ruling) | Basis::Search { ruling, .. } => ruling.queue(),
            Basis::Steps(_) | Basis::Verified(_) => None,
        }
    }

    /// The outcome of a search for the device that was measured, also where that was simulated; `None` of what was no search.
    pub const fn of_device(&self) -> Option<Outcome> {
        match self.basis {
            Basis::Search { of_device, .. } => Some(of_device),
            Basis::Run(_) | Basis::Steps(_) | Basis::Verified(_) => None,
        }
    }

    /// The outcome in one or two words: `not judged` where nothing has a limit, and nothing casts doubt on that.
    pub const fn word(&self) -> &'static str {
        match (self.category, self.outcome) {
            (None, Outcome::Inconclusive)
                if self.advice.is_none() && !matches!(self.basis, Basis::Verified(_)) =>
            {
                "not judged"
            }
            (_, outcome) => outcome.as_str(),
        }
    }
}

/// What decided a verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// The figures of a run.
    Run(Ruling),
    /// The steps of a load that changes.
    Steps(StepsRuling),
    /// What the storage gave back of what was written.
    Verified(VerifiedRuling),
    /// The loads of a search.
    Search {
        /// What they say together.
        answer: SearchAnswer,
        /// The outcome for the device that was measured, also where that was simulated. The verdict is about storage, and of no
        /// simulation is there one.
        of_device: Outcome,
        /// The search.
        search: Box<Search>,
        /// What decided the load that it kept.
        ruling: Ruling,
    },
}

/// Whether the storage gave back what was written.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedRuling {
    /// What was compared, and what was found.
    pub verification: Verification,
    /// What else speaks against the storage.
    pub objections: Vec<Objection>,
    /// Whether the load came to its end.
    pub is_complete: bool,
}

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
    /// Slow enough that users notice.
    Poor,
    /// Not for production.
    Critical,
    /// Must be avoided.
    Unsustainable,
}

impl Category {
    /// All of them, the best first.
    pub const ALL: [Self; 6] =
        [Self::Excellent, Self::Good, Self::Acceptable, Self::Poor, Self::Critical, Self::Unsustainable];

    /// The word for people and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Excellent => "excellent",
            Self::Good => "good",
            Self::Acceptable => "acceptable",
            Self::Poor => "poor",
            Self::Critical => "critical",
            Self::Unsustainable => "unsustainable",
        }
    }

    /// The next worse one; there is none worse than the last.
    pub fn next_worse(self) -> Self {
        Self::ALL.into_iter().find(|other| *other > self).unwrap_or(self)
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a category means for a database, in the words of whoever set the bands.
///
/// A word such as «acceptable» says nothing by itself: one source means production by it, another test environments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Meaning {
    /// What the database notices, such as `possible minor delays on intensive queries`.
    pub impact: String,
    /// What storage of this category is good for, to follow «suitable for»: `light OLTP or test environments`.
    pub suitable_for: String,
}

/// One figure compared with its bands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// What the I/Os stand for.
    pub role: Role,
    /// Further roles whose I/Os are among them, where a source states figures of all together only, and all roles have the
    /// same bands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_roles: Vec<Role>,
    /// Of which stream.
    pub stream: Stream,
    /// Kernel names of the devices of the role, where it has some that no other one has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// Which of its figures.
    #[serde(serialize_with = "as_title")]
    pub statistic: Figure,
    /// The latency that was compared with its bands; of a bound its number.
    pub value_us: f64,
    /// On which side of that number it is, where only a bound is known. The category is then the worst one that it may have
    /// below the number, and the best one above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundRelation>,
    /// Where the I/Os decide that the generator left alone; `None` where the latency is that of all I/Os.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untouched: Option<Untouched>,
    /// Whether the generator may be why it is beyond the limit: what it made of the I/Os is not known, or leaves too few of them.
    #[serde(skip)]
    pub is_open: bool,
    /// Where it falls.
    pub category: Category,
    /// From here on it is no longer acceptable.
    pub limit_us: f64,
    /// The latency for people, rounded so that it does not read as another category.
    #[serde(skip)]
    pub shown_ms: f64,
}

/// JSON has the word for people: the key of a statistic with its unit would say `us` twice beside `value_us`.
fn as_title<S: Serializer>(figure: &Figure, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(figure.title())
}

impl Judged {
    /// The latency, or the bound.
    pub fn amount(&self) -> Amount {
        let value = self.value_us;
        self.bound.map_or(Amount::Exact(value), |relation| Amount::Bounded(Bounded { relation, value }))
    }

    /// What the I/Os stand for: mostly one role.
    pub fn roles(&self) -> Vec<Role> {
        std::iter::once(self.role).chain(self.further_roles.iter().copied()).collect()
    }

    /// How much of what is acceptable is used up; 1 is the limit.
    fn share_of_limit(&self) -> f64 {
        self.value_us / self.limit_us
    }

    /// Whether nobody has to do anything about it.
    pub fn is_acceptable(&self) -> bool {
        self.category <= Category::Acceptable
    }

    /// Whether it is too slow, however late the generator was.
    pub fn is_surely_too_slow(&self) -> bool {
        !self.is_acceptable() && !self.is_open
    }

    /// The worst first: what is too slow for sure, then by category, within one by how much of what is acceptable is used up.
    pub fn by_weight(judged: &[Self]) -> Vec<&Self> {
        let mut all: Vec<&Self> = judged.iter().collect();
        all.sort_by(|a, b| {
            let is_sure = b.is_surely_too_slow().cmp(&a.is_surely_too_slow());
            is_sure.then(b.category.cmp(&a.category)).then(b.share_of_limit().total_cmp(&a.share_of_limit()))
        });
        all
    }
}
