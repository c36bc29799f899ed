//! Whether one load of several stays within the limits: a step of a load that changes, or a probe of a sweep.

use iotrial_model::finding::FindingId;
use iotrial_model::subject::Subject;
use iotrial_model::words::enumerate;

use super::bearing::Bearing;
use super::{Outcome, too_slow_clause};
use crate::findings::findings;
use crate::judgement::{self, Judged, Judgement};
use crate::threshold::ThresholdSet;

/// A sentence about a load names no more doubts than these.
const MOST_DOUBTS: usize = 2;

/// Whether a load stays within the limits, and why not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held {
    /// `None` where that cannot be said.
    pub(crate) holds: Option<bool>,
    /// Why it does not, or why it cannot be said.
    pub(crate) why_not: Option<String>,
    /// The findings that are told with that.
    pub(crate) told: Vec<FindingId>,
}

impl Held {
    pub(super) fn of(bearing: &Bearing, worst: Option<&Judged>, thresholds: &ThresholdSet) -> Self {
        match (bearing.against.first(), bearing.doubts.as_slice(), worst) {
            (Some(against), ..) => Self {
                holds: Some(false),
                why_not: Some(against.words.clone()),
                told: against.finding.into_iter().collect(),
            },
            (None, [], None) => Self {
                why_not: Some(format!("{} has no limits for this I/O", thresholds.name)),
                ..Self::default()
            },
            (None, [], Some(worst)) if worst.is_acceptable() => Self { holds: Some(true), ..Self::default() },
            (None, [], Some(worst)) => {
                Self { holds: Some(false), why_not: Some(too_slow_clause(worst)), told: Vec::new() }
            }
            (None, doubts, _) => {
                // The first ones weigh most, and all of them are among the findings.
                let first = || doubts.iter().take(MOST_DOUBTS);
                let words: Vec<String> = first().map(|doubt| doubt.words.clone()).collect();
                let told = first().filter_map(|doubt| doubt.finding).collect();
                Self { holds: None, why_not: Some(enumerate(&words)), told }
            }
        }
    }

    /// Of a probe of a sweep. How short it is decides nothing, as for the probes of a search: each statistic is judged where enough I/Os
    /// carry it. That no device was behind a simulated sweep is said of all of it.
    pub(crate) fn of_probe(subject: &Subject<'_>, thresholds: &ThresholdSet) -> Self {
        let Judgement { judged, gaps, starved } = Judgement::new(subject, thresholds);
        let mut found = findings(subject);
        found.retain(|finding| finding.id != FindingId::ShortRun);
        let bearing = Bearing::of_step(subject, &found, &gaps, starved);
        Self::of(&bearing, judgement::by_weight(&judged).first().copied(), thresholds)
    }

    /// As the outcome of a run is told.
    pub(crate) const fn outcome(&self) -> Outcome {
        match self.holds {
            Some(true) => Outcome::Qualified,
            Some(false) => Outcome::NotQualified,
            None => Outcome::Inconclusive,
        }
    }
}
