//! Whether one load of several stays within the limits: a step of a load that changes, or a probe of a sweep.

use iotrial_model::finding::FindingId;
use iotrial_model::subject::Subject;
use iotrial_model::sweep::ProbePurpose;
use iotrial_model::verdict::{Gap, Judged, Outcome, WhyNot};

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
    pub(super) fn new(bearing: &Bearing, gaps: &[Gap], worst: Option<&Judged>) -> Self {
        let Bearing { objections, doubts, .. } = bearing;
        let is_good_enough = worst.map(Judged::is_acceptable);
        let outcome = decide(!objections.is_empty(), !doubts.is_empty(), is_good_enough);
        let why_not = match (objections.first(), doubts.as_slice(), worst) {
            (Some(objection), ..) => Some(WhyNot::Failed(Box::new(objection.clone()))),
            (None, [_, ..], _) => Some(WhyNot::InDoubt(doubts.clone())),
            (None, [], None) => Some(Gap::queue(gaps).map_or(WhyNot::NoLimits, WhyNot::Queue)),
            (None, [], Some(worst)) => (!worst.is_acceptable()).then(|| WhyNot::TooSlow(worst.clone())),
        };
        Self { outcome, why_not }
    }

    /// Of a probe of a sweep. How short it is decides nothing, as for the probes of a search: each statistic is judged where enough I/Os
    /// carry it. That no device was behind a simulated sweep is said of all of it. The load beyond the knee that shows which rate lasts saturates
    /// the device on purpose, and shows a queue.
    pub(crate) fn of_probe(subject: &Subject<'_>, purpose: ProbePurpose, thresholds: &ThresholdSet) -> Self {
        let Judgement { judged, gaps, starved } = match purpose {
            ProbePurpose::Sustained => Judgement::of_queue(subject),
            ProbePurpose::Search | ProbePurpose::Grid | ProbePurpose::Together => {
                Judgement::new(subject, thresholds)
            }
        };
        let mut found = findings(subject);
        found.retain(|finding| finding.id != FindingId::ShortRun);
        let mut bearing = Bearing::of_step(subject, &found, &gaps, starved);
        bearing.settle(&judged);
        Self::new(&bearing, &gaps, Judged::by_weight(&judged).first().copied())
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::finding::{Finding, Severity};
    use iotrial_model::record::RunRecord;
    use iotrial_model::verdict::{Advice, Change, Doubt, DoubtKind, Objection};

    use super::*;
    use crate::test_record::measured;

    fn of_probe(iops: u64) -> LoadAnswer {
        let record = measured(5, |_| iops);
        let flash = ThresholdSet::builtin("flash").unwrap();
        LoadAnswer::of_probe(&Subject::of_run(&record), ProbePurpose::Grid, &flash)
    }

    #[test]
    fn a_probe_is_judged_however_short_it_is() {
        let fast = of_probe(16_000);
        assert_eq!((fast.outcome, fast.why_not), (Outcome::Qualified, None));
        let slow = of_probe(2_000);
        assert_eq!(slow.outcome, Outcome::NotQualified);
        assert!(matches!(slow.why_not, Some(WhyNot::TooSlow(_))), "{:?}", slow.why_not);
        // Whatever else is odd about it counts as of a run.
        let mut record = measured(5, |_| 16_000);
        record.targets[0].in_memory = true;
        let flash = ThresholdSet::builtin("flash").unwrap();
        let in_memory = LoadAnswer::of_probe(&Subject::of_run(&record), ProbePurpose::Grid, &flash);
        let Some(WhyNot::InDoubt(doubts)) = in_memory.why_not else { panic!("{in_memory:?}") };
        assert_eq!((in_memory.outcome, &doubts[0].kind), (Outcome::Inconclusive, &DoubtKind::InMemory));
    }

    #[test]
    fn the_load_beyond_the_knee_shows_a_queue_and_what_failed_in_it_failed() {
        let flash = ThresholdSet::builtin("flash").unwrap();
        let mut record = measured(5, |_| 2_000);
        let answer = |record: &RunRecord| {
            LoadAnswer::of_probe(&Subject::of_run(record), ProbePurpose::Sustained, &flash)
        };
        let queued = answer(&record);
        assert_eq!(queued.outcome, Outcome::Inconclusive);
        // Eight pages and a commit are outstanding.
        assert!(matches!(queued.why_not, Some(WhyNot::Queue(queue)) if queue.outstanding == 9));
        record.jobs[0].write.as_mut().unwrap().error_count = 1;
        assert_eq!(answer(&record).outcome, Outcome::NotQualified);
    }

    #[test]
    fn what_failed_comes_before_a_doubt_and_a_doubt_before_a_figure() {
        let failed = |id| Objection::Found(Finding::without_evidence(id, Severity::Warning, String::new()));
        let doubt =
            Doubt { kind: DoubtKind::ForeignLoad, finding: None, advice: Advice::to(Change::RunAgain) };
        let mut bearing = Bearing::default();
        let none = LoadAnswer::new(&bearing, &[], None);
        assert_eq!((none.outcome, none.why_not), (Outcome::Inconclusive, Some(WhyNot::NoLimits)));
        bearing.doubts.push(doubt.clone());
        let open = LoadAnswer::new(&bearing, &[], None);
        assert_eq!((open.outcome, open.why_not), (Outcome::Inconclusive, Some(WhyNot::InDoubt(vec![doubt]))));
        bearing.objections = vec![failed(FindingId::IoErrors), failed(FindingId::NotIssued)];
        let against = LoadAnswer::new(&bearing, &[], None);
        assert_eq!(against.outcome, Outcome::NotQualified);
        assert_eq!(against.why_not, Some(WhyNot::Failed(Box::new(failed(FindingId::IoErrors)))));
    }
}
