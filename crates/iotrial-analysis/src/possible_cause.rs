//! What of a host may be why a result is slow: settings that slow I/O down, next to a result that is too slow.
//!
//! A cause is never a verdict: that a queue is short does not show that it was the limit. Nothing is offered of a good result, and of
//! one that failed without being slow.

use iotrial_model::host_fact::{Fact, FactId, FactValue, HostReport, PartKind, Reading};
use iotrial_model::subject::Subject;
use serde::Serialize;

use crate::figures::Figures;
use crate::host_check::{CheckFinding, Database, builtin_rules, judge_host};
use crate::verdict::{Judged, Outcome, Verdict};

/// A setting of the host that can make I/O slow. Its keys are an interface: `docs/json.md`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PossibleCause {
    /// Id of the rule of the check that is not met.
    pub rule: String,
    /// What it is, in a few words.
    pub title: String,
    /// Of which kind the parts are.
    pub kind: PartKind,
    /// The parts, each once.
    pub parts: Vec<String>,
    /// The setting.
    pub fact: FactId,
    /// What was read before the load.
    pub value: FactValue,
    /// The same with its unit.
    pub found: String,
    /// What it should be, in words.
    pub wanted: String,
    /// How it slows I/O down.
    pub why: String,
    /// Who says so.
    pub source: String,
}

impl PossibleCause {
    fn of(finding: CheckFinding) -> Self {
        let CheckFinding { rule, title, kind, parts, fact, value, found, wanted, why, source, .. } = finding;
        Self { rule, title, kind, parts, fact, value, found, wanted, why, source }
    }
}

/// The settings that may be why a result is too slow, in the order of their weight; none of any other result.
///
/// Too slow are figures beyond what is acceptable, also of a result that is inconclusive, and a search that missed the rate that is
/// needed.
pub fn possible_causes(subject: &Subject<'_>, verdict: &Verdict) -> Vec<PossibleCause> {
    let is_slow = verdict.judged.iter().any(|judged: &Judged| !judged.is_acceptable());
    let misses_its_rate = subject.search.is_some() && verdict.outcome == Outcome::NotQualified;
    if verdict.outcome == Outcome::Qualified || !(is_slow || misses_its_rate) {
        return Vec::new();
    }
    let Some(report) = subject.host_facts else { return Vec::new() };
    let database = subject.plan.and_then(|plan| Database::of_profile(&plan.profile));
    let rules = builtin_rules();
    let slows = |finding: &CheckFinding| rules.rules.iter().any(|rule| rule.slows && rule.id == finding.rule);
    let answer = judge_host(with_load(report, subject), &rules, database);
    answer.findings.into_iter().filter(slows).map(PossibleCause::of).collect()
}

/// The host with what is known of the load, which some rules ask for: a queue of 32 is no limit of four I/Os.
fn with_load(report: &HostReport, subject: &Subject<'_>) -> HostReport {
    let mut report = report.clone();
    // Little's law, and not what was asked: of an open load it is what the device made of it.
    let figures = Figures::of_all(subject);
    let in_flight = figures.and_then(|all| Some(all.iops? * all.lat_mean_us? / 1e6));
    let mut disks: Vec<&str> = Vec::new();
    for part in report.chains.iter().flat_map(|chain| &chain.parts) {
        if part.kind == PartKind::Disk && !disks.contains(&part.name.as_str()) {
            disks.push(&part.name);
        }
    }
    // By disk, as if they had the same: how a stripe deals its I/Os out is not counted. Rounded down, in favour of the setting.
    let each = in_flight.map(|all| (all / disks.len().max(1) as f64) as i64).filter(|each| *each > 0);
    report.host.facts.extend(each.map(|each| Fact {
        id: FactId::LoadInFlight,
        reading: Reading::Known(FactValue::Number(each)),
        from: "the load".to_owned(),
    }));
    report
}
