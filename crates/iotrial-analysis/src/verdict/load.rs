//! Whether one load of several stays within the limits: a step of a load that changes, or a probe of a sweep.

use iotrial_model::finding::FindingId;
use iotrial_model::subject::Subject;
use iotrial_model::verdict::{Judged, Outcome, WhyNot};

use super::bearing::Bearing;
use super::decide;
use crate::findings::findings;
use crate::judgement::Judgement;
use crate::threshold::ThresholdSet;

/// Whether a load stays within the limits, and why not.
#[derive(Debug, Clone)]
pub(crate) struct LoadAnswer {
    /// Whether it does.
    pub(crate) outcome: Outcome,
    /// Why it does not, or why it cannot be said.
    pub(crate) why_not: Option<WhyNot>,
}

impl LoadAnswer {
    pub(super) fn new(bearing: &Bearing, worst: Option<&Judged>) -> Self {
        let Bearing { objections, doubts, .. } = bearing;
        let is_good_enough = worst.map(Judged::is_acceptable);
        let outcome = decide(!objections.is_empty(), !doubts.is_empty(), is_good_enough);
        let why_not = match (objections.first(), doubts.as_slice(), worst) {
            (Some(objection), ..) => Some(WhyNot::Failed(Box::new(objection.clone()))),
            (None, [_, ..], _) => Some(WhyNot::InDoubt(doubts.clone())),
            (None, [], None) => Some(WhyNot::NoLimits),
            (None, [], Some(worst)) => (!worst.is_acceptable()).then(|| WhyNot::TooSlow(worst.clone())),
        };
        Self { outcome, why_not }
    }

    /// Of a probe of a sweep. How short it is decides nothing, as for the probes of a search: each statistic is judged where enough I/Os
    /// carry it. That no device was behind a simulated sweep is said of all of it.
    pub(crate) fn of_probe(subject: &Subject<'_>, thresholds: &ThresholdSet) -> Self {
        let Judgement { judged, gaps, starved } = Judgement::new(subject, thresholds);
        let mut found = findings(subject);
        found.retain(|finding| finding.id != FindingId::ShortRun);
        let bearing = Bearing::of_step(subject, &found, &gaps, starved);
        Self::new(&bearing, Judged::by_weight(&judged).first().copied())
    }
}
