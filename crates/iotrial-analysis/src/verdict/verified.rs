//! The verdict on storage that was verified: whether it gives back what was written. How fast it did so decides nothing.

use iotrial_model::finding::{Finding, FindingId};
use iotrial_model::record::EndedHow;
use iotrial_model::subject::Subject;
use iotrial_model::verdict::{Advice, Basis, Change, Objection, Outcome, Verdict, VerifiedRuling};
use iotrial_model::verification::Verification;

use super::decide;
use crate::threshold::ThresholdSet;

/// A fault is one whatever else went on. Without one the storage is good once every page was read back.
pub(super) fn judge(
    subject: &Subject<'_>,
    verification: &Verification,
    findings: &[Finding],
    thresholds: &ThresholdSet,
) -> Verdict {
    let is_complete = subject.ended_how() == EndedHow::Complete && verification.scan_complete;
    let fails = |finding: &&Finding| {
        matches!(
            finding.id,
            FindingId::Failed | FindingId::IoErrors | FindingId::ShortIo | FindingId::NotAsWritten
        )
    };
    let objections: Vec<Objection> = findings.iter().filter(fails).cloned().map(Objection::Found).collect();
    let fails = !objections.is_empty() || verification.fault_count() > 0;
    // A page cache above the device, or a record that somebody changed, can only hide a fault.
    let in_doubt = |finding: &Finding| {
        let change = match finding.id {
            FindingId::AlteredRecord => Change::AskForRecord,
            FindingId::BufferedIo => Change::LeaveOutBuffered,
            FindingId::InMemoryTarget => Change::ChooseDisk,
            _ => return None,
        };
        Some(Advice::to(change))
    };
    let advice =
        findings.iter().find_map(in_doubt).or_else(|| (!is_complete).then(|| Advice::to(Change::RunAgain)));
    let outcome = decide(fails, advice.is_some(), Some(true));
    Verdict {
        outcome,
        category: None,
        meaning: None,
        advice: advice.filter(|_| outcome == Outcome::Inconclusive),
        thresholds: thresholds.name.clone(),
        thresholds_sha256: thresholds.sha256.clone(),
        step: None,
        judged: Vec::new(),
        basis: Basis::Verified(VerifiedRuling {
            verification: verification.clone(),
            objections,
            is_complete,
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use iotrial_model::finding::Evidence;
    use iotrial_model::record::{Ended, RunRecord};
    use iotrial_model::verification::FaultKind;

    use super::*;
    use crate::findings::findings;
    use crate::test_record::healthy;

    fn verified(faults: &[(FaultKind, u64)]) -> RunRecord {
        let verification = Verification {
            pages: 1_000,
            writes: 5_000,
            pages_checked: 9_000,
            pages_scanned: 1_000,
            scan_complete: true,
            counts: faults.iter().copied().collect::<BTreeMap<_, _>>(),
            ..Verification::default()
        };
        RunRecord { verification: Some(verification), ..healthy() }
    }

    fn judged(record: &RunRecord) -> (Outcome, Option<Change>) {
        let subject = Subject::of_run(record);
        let verdict =
            super::super::judge(&subject, &findings(&subject), &ThresholdSet::builtin("flash").unwrap());
        (verdict.outcome, verdict.advice.map(|advice| advice.change))
    }

    #[test]
    fn pages_that_all_came_back_qualify_whatever_the_latencies_and_one_that_did_not_is_a_no() {
        assert_eq!(judged(&verified(&[])), (Outcome::Qualified, None));
        for kind in FaultKind::ALL {
            assert_eq!(judged(&verified(&[(*kind, 1)])), (Outcome::NotQualified, None), "{kind}");
        }
    }

    #[test]
    fn what_was_not_read_to_its_end_or_came_from_memory_is_no_answer_and_a_fault_there_is_one() {
        let mut stopped = verified(&[]);
        stopped.verification.as_mut().unwrap().scan_complete = false;
        assert_eq!(judged(&stopped), (Outcome::Inconclusive, Some(Change::RunAgain)));
        let mut buffered = verified(&[]);
        buffered.plan.direct = false;
        assert_eq!(judged(&buffered), (Outcome::Inconclusive, Some(Change::LeaveOutBuffered)));
        let mut both = verified(&[(FaultKind::LostWrite, 1)]);
        both.plan.direct = false;
        both.ended = Ended { how: EndedHow::Interrupted, reason: None };
        assert_eq!(judged(&both).0, Outcome::NotQualified);
    }

    #[test]
    fn faults_are_one_finding_by_kind_and_place() {
        let record = verified(&[(FaultKind::LostWrite, 2), (FaultKind::BitFlip, 1)]);
        let subject = Subject::of_run(&record);
        let found = findings(&subject);
        let faults = found.iter().find(|finding| finding.id == FindingId::NotAsWritten).unwrap();
        let Evidence::NotAsWritten(facts) = &faults.evidence else { panic!("{faults:?}") };
        assert_eq!(
            (facts.faults.len(), facts.faults[&FaultKind::LostWrite], facts.page_count),
            (2, 2, 10_000)
        );
        assert!(
            findings(&Subject::of_run(&verified(&[]))).iter().all(|one| one.id != FindingId::NotAsWritten)
        );
    }
}
