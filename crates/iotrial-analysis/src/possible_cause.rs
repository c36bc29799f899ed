//! What of a host may be why a result is slow: settings that slow I/O down, next to a result that is too slow.
//!
//! A cause is never a verdict: that a queue is short does not show that it was the limit. Nothing is offered of a good result, and of
//! one that failed without being slow.

use iotrial_model::host_fact::{Fact, FactId, FactValue, HostReport, PartKind, Reading};
use iotrial_model::subject::Subject;
use iotrial_model::wanted::Wanted;
use serde::Serialize;

use crate::figures::Figures;
use crate::host_check::{CheckFinding, Database, builtin_rules, judge_host, said_wanted};
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
    /// What it should be.
    #[serde(serialize_with = "said_wanted")]
    pub wanted: Wanted,
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
    // Little's law, and not what was asked: of an open load it is what the device made of it.
    let figures = Figures::of_all(subject);
    let in_flight = figures.and_then(|all| Some(all.iops? * all.lat_mean_us? / 1e6));
    slow_settings(with_load(report, in_flight), database)
}

/// Where the rate of a volume no longer rises with its outstanding I/Os.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flat {
    /// Which of the targets it is.
    pub(crate) volume: usize,
    /// Outstanding I/Os from which on they bring no more.
    pub(crate) knee: f64,
    /// The most outstanding I/Os that were tried.
    pub(crate) most: u32,
}

/// The knee lies where the queue is full if it is within this factor of it: knees have that much uncertainty, and a driver keeps some
/// places for itself.
// A choice, with the intervals of knees in `docs/sweep.md` in mind.
const SAME_DEPTH: f64 = 1.35;

/// The settings that may hold the rates of a sweep at their ceilings: queues that are full where the curve flattens, and whatever else
/// slows I/O down. The first curve that shows a cause tells it.
pub(crate) fn possible_causes_of_flats(report: &HostReport, flats: &[Flat]) -> Vec<PossibleCause> {
    let mut causes: Vec<PossibleCause> = Vec::new();
    for flat in flats {
        // Of its own chain: another volume has another queue.
        let Some(chain) = report.chains.get(flat.volume) else { continue };
        let own = HostReport { chains: vec![chain.clone()], ..report.clone() };
        let depth: i64 = chain
            .parts
            .iter()
            .filter_map(|part| match part.value(FactId::QueueDepth) {
                Some(FactValue::Number(depth)) => Some(*depth),
                _ => None,
            })
            .fold(0, i64::saturating_add);
        let ratio = flat.knee / (depth as f64).max(1.0);
        let is_full_at_the_knee = (1.0 / SAME_DEPTH..=SAME_DEPTH).contains(&ratio);
        let found = slow_settings(with_load(&own, Some(flat.most.into())), None);
        for cause in found {
            let fits = cause.fact != FactId::QueueDepth || is_full_at_the_knee;
            let is_known = causes.iter().any(|known| known.rule == cause.rule && known.parts == cause.parts);
            if fits && !is_known {
                causes.push(cause);
            }
        }
    }
    causes
}

/// What of a host, with its load, rules say to slow I/O down.
fn slow_settings(report: HostReport, database: Option<Database>) -> Vec<PossibleCause> {
    let rules = builtin_rules();
    let slows = |finding: &CheckFinding| rules.rules.iter().any(|rule| rule.slows && rule.id == finding.rule);
    let answer = judge_host(report, &rules, database);
    answer.findings.into_iter().filter(slows).map(PossibleCause::of).collect()
}

/// The host with what is known of the load, which some rules ask for: a queue of 32 is no limit of four I/Os.
fn with_load(report: &HostReport, in_flight: Option<f64>) -> HostReport {
    let mut report = report.clone();
    let mut disks: Vec<&str> = Vec::new();
    for part in report.chains.iter().flat_map(|chain| &chain.parts) {
        if part.kind == PartKind::Disk && !disks.contains(&part.name.as_str()) {
            disks.push(&part.name);
        }
    }
    // By disk, as if they had the same: how a stripe deals its I/Os out is not counted. Rounded down, in favour of the setting.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole I/Os are meant; a number beyond any is the largest"
    )]
    let each = in_flight.map(|all| (all / disks.len().max(1) as f64) as i64).filter(|each| *each > 0);
    report.host.facts.extend(each.map(|each| Fact {
        id: FactId::LoadInFlight,
        reading: Reading::Known(FactValue::Number(each)),
        from: "the load".to_owned(),
    }));
    report
}
