//! What the checks come to: findings, and how often each check held.

use iotrial_model::audit::{
    AuditFinding, AuditPlace, Check, DerivedRate, Observation, Reason, Unchecked, Weight,
};
use serde::Serialize;

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
    pub(super) observations: Vec<Observation>,
    /// What follows from the figures, and is not among them.
    pub(super) derived: Vec<DerivedRate>,
    /// What could not be looked at, and why.
    pub(super) unchecked: Vec<Unchecked>,
}

impl Tally {
    fn count(&mut self, check: Check) -> &mut CheckCount {
        let index = self.checks.iter().position(|count| count.check == check).unwrap_or_else(|| {
            self.checks.push(CheckCount { check, held: 0, contradicted: 0, doubtful: 0 });
            self.checks.len() - 1
        });
        &mut self.checks[index]
    }

    /// Counts a comparison, and keeps what is known of it where the figures do not agree.
    pub(super) fn compare(&mut self, agree: bool, finding: AuditFinding) {
        if agree { self.held(finding.check) } else { self.found(finding) }
    }

    /// Counts a comparison that agreed. A check of which nothing agreed or disagreed was not made.
    pub(super) fn held(&mut self, check: Check) {
        self.count(check).held += 1;
    }

    /// Counts a comparison that did not agree, and keeps what is known of it.
    pub(super) fn found(&mut self, finding: AuditFinding) {
        let count = self.count(finding.check);
        match finding.weight {
            Weight::Contradiction => count.contradicted += 1,
            Weight::Doubt => count.doubtful += 1,
        }
        self.findings.push(finding);
    }

    /// Something could not be looked at; each reason is told once.
    pub(super) fn unchecked(&mut self, unchecked: impl Into<Unchecked>) {
        let unchecked = unchecked.into();
        if !self.unchecked.contains(&unchecked) {
            self.unchecked.push(unchecked);
        }
    }

    /// The same at a place.
    pub(super) fn unchecked_at(&mut self, place: impl Into<AuditPlace>, reason: Reason) {
        self.unchecked(Unchecked { place: Some(place.into()), reason });
    }
}
