//! Does a result agree with itself? Checks of a run, of an import, or of a printed table with what its text says.
//!
//! Tolerances follow from the digits in print: a number stands for all that is rounded or cut off to it, and figures
//! contradict each other only where no such values agree. What each check does, its sources and limits, stands in
//! `docs/audit.md`.

use iotrial_model::content::Checksum;
use iotrial_model::finding::FindingId;
use iotrial_model::imported::TablePlace;
use iotrial_model::range::{Range, write_change, write_number};
use iotrial_model::subject::Subject;
use iotrial_model::table::PublishedTable;
use serde::Serialize;

mod tally;

mod part;

mod agreement;

mod rates;

mod directions;

mod asked;

mod outstanding;

mod latency;

mod link;

mod cache;

mod claims;

#[cfg(test)]
mod tests;

pub use tally::{AuditFinding, Check, CheckCount, Weight};

use outstanding::{Implied, check_outstanding};
use part::Part;
use tally::Tally;

use crate::findings::findings;
use crate::findings::stated::altered;

/// What came of an audit. Its keys are an interface: `docs/json.md`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// What was audited: the title of a table, or label, place or id of a result.
    pub subject: String,
    /// Its kind: `run`, `import` or `table`.
    pub kind: &'static str,
    /// What does not agree, the contradictions first.
    pub findings: Vec<AuditFinding>,
    /// What was checked, in the order in which it was.
    pub checks: Vec<CheckCount>,
    /// What the figures tell besides.
    pub observations: Vec<String>,
    /// What could not be checked, and why.
    pub unchecked: Vec<String>,
}

/// Findings of a run that are contradictions between what was measured in two ways.
const OF_RUN: [(FindingId, Check); 3] = [
    (FindingId::LittlesLaw, Check::LittlesLaw),
    (FindingId::CacheServed, Check::CacheServed),
    (FindingId::ClockJump, Check::ClockJump),
];

impl Audit {
    /// Audits a result.
    pub fn of(subject: &Subject<'_>) -> Self {
        let mut tally = Tally::default();
        check_checksum(subject.checksum, &mut tally);
        let implied = check_subject(subject, &mut tally);
        observe_outstanding(&implied, "parts of the result", &mut tally);
        directions::check_jobs(subject, &mut tally);
        directions::check_course(subject, &mut tally);
        directions::check_intervals(subject, &mut tally);
        if subject.is_counted() {
            check_findings(subject, &mut tally);
        }
        let place = subject.source.map(|source| format!("{}, {}", source.file, source.place));
        let name = match (subject.label, &place) {
            (Some(label), Some(place)) => format!("{label} ({place})"),
            (Some(label), None) => label.to_owned(),
            (None, Some(place)) => place.clone(),
            (None, None) => subject.id.to_owned(),
        };
        Self::of_tally(name, if place.is_some() { "import" } else { "run" }, tally)
    }

    /// Audits a printed table: its rows, and what the text says of them.
    pub fn of_table(table: &PublishedTable) -> Self {
        let mut tally = Tally::default();
        let mut implied = Vec::new();
        for record in table.records(&TablePlace::default()) {
            implied.extend(check_subject(&Subject::of_imported(&record), &mut tally));
        }
        claims::check_claims(table, &mut tally);
        observe_outstanding(&implied, "rows", &mut tally);
        Self::of_tally(table.title.clone(), "table", tally)
    }

    fn of_tally(subject: String, kind: &'static str, tally: Tally) -> Self {
        let Tally { mut findings, checks, observations, unchecked } = tally;
        // Stable: within a weight the order of the checks stays.
        findings.sort_by_key(|finding| finding.weight);
        Self { subject, kind, findings, checks, observations, unchecked }
    }

    /// Whether figures or words contradict each other.
    pub fn has_contradictions(&self) -> bool {
        self.findings.iter().any(|finding| finding.weight == Weight::Contradiction)
    }

    /// How many things agreed.
    pub fn held_count(&self) -> usize {
        self.checks.iter().map(|check| check.held).sum()
    }
}

fn check_subject(subject: &Subject<'_>, tally: &mut Tally) -> Vec<Implied> {
    let mut all = Vec::new();
    let parts = Part::all(subject);
    for part in &parts {
        rates::check_rates(part, tally);
        // What a plan asks for is carried out as it stands, and its findings say where a rate was not kept.
        if subject.source.is_some() {
            asked::check_mix(part, tally);
            asked::check_rate(part, tally);
        }
        all.extend(check_outstanding(part, tally));
        latency::check_latencies(part, tally);
        link::check_link(part, &subject.attributes, tally);
    }
    asked::check_cpu(subject, tally);
    // What devices counted over a run is weighed by its findings, which know how devices lie on one another.
    let devices = if subject.source.is_some() { &subject.devices[..] } else { &[] };
    cache::check_cache(&parts, devices, &subject.attributes, tally);
    all
}

/// Whether the record is as it was written. One without a checksum is of an older version or another program, and nothing is said of it.
fn check_checksum(checksum: Checksum, tally: &mut Tally) {
    match checksum {
        Checksum::Absent | Checksum::Unchecked => {}
        Checksum::Matches => tally.held(Check::Checksum),
        Checksum::Differs => tally.found(AuditFinding {
            check: Check::Checksum,
            weight: Weight::Contradiction,
            place: "the record".to_owned(),
            message: altered().message,
            cause: "somebody edited it, or it was damaged; `iotrial label` changes a label or adds metrics and keeps the checksum right"
                .to_owned(),
            right: None,
            off_by_percent: None,
        }),
    }
}

/// What is odd about a run, where that is a contradiction.
fn check_findings(subject: &Subject<'_>, tally: &mut Tally) {
    let found = findings(subject);
    for (id, check) in OF_RUN {
        match found.iter().find(|finding| finding.id == id) {
            // The parts agreed or disagreed already, and the finding compares the same again.
            None if tally.checks.iter().any(|known| known.check == check) => {}
            None => tally.held(check),
            // What a check has said already is not said again in other words.
            Some(_) if tally.findings.iter().any(|known| known.check == check) => {}
            Some(finding) => tally.found(AuditFinding {
                check,
                weight: Weight::Contradiction,
                place: "the run".to_owned(),
                message: finding.message.clone(),
                cause: "see `iotrial docs measurement`".to_owned(),
                right: None,
                off_by_percent: None,
            }),
        }
    }
}

/// What Little's law gives over all parts, and how many I/Os their loads have.
fn observe_outstanding(implied: &[Implied], parts: &str, tally: &mut Tally) {
    let (bounded, implied): (Vec<Implied>, Vec<Implied>) = implied.iter().partition(|one| one.is_bounded);
    for one in bounded {
        let range = one.range;
        tally.observations.push(format!(
            "With a latency that was printed as a bound, Little's law gives {range} outstanding I/Os."
        ));
    }
    let Some(first) = implied.first() else { return };
    let values: Vec<f64> = implied.iter().map(|one| one.value).collect();
    let where_ = if implied.len() > 1 { format!(" in {} {parts}", implied.len()) } else { String::new() };
    let is_same = implied.iter().all(|one| one.configured == first.configured);
    let all: Option<Vec<f64>> =
        implied.iter().map(|one| one.configured.map(|(configured, _)| part::bytes(configured))).collect();
    let configured = match (first.configured.filter(|_| is_same), all) {
        (Some((configured, inferred)), _) => {
            let worked_out = match inferred {
                0 => String::new(),
                inferred => {
                    format!(", of which {} are stated and {inferred} worked out", configured - inferred)
                }
            };
            let of = part::bytes(configured);
            let off = |value: f64| write_change(100.0 * (value / of - 1.0));
            let range = range_of(values.iter().copied());
            let offs = if off(range.low) == off(range.high) {
                off(range.low)
            } else {
                format!("{} to {}", off(range.low), off(range.high))
            };
            let is_found = tally.findings.iter().any(|one| one.check == Check::LittlesLaw);
            let fits = if is_found { "" } else { ", which fits" };
            format!("; the load has {}{worked_out} ({offs}{fits})", write_number(of))
        }
        (None, Some(all)) => format!("; their loads have {}", in_words(&all)),
        (None, None) if implied.iter().all(|one| one.configured.is_none()) => {
            "; the result does not say how many the load has".to_owned()
        }
        (None, None) => String::new(),
    };
    let given = in_words(&values);
    tally.observations.push(format!("Little's law gives {given} outstanding I/Os{where_}{configured}."));
}

/// Two numbers as they are, more as a range: «16 to 64» would say that two lie somewhere in between.
fn in_words(values: &[f64]) -> String {
    let range = range_of(values.iter().copied());
    let (low, high) = (write_number(range.low), write_number(range.high));
    match values {
        [first, second] if low != high => format!("{} and {}", write_number(*first), write_number(*second)),
        _ => range.to_string(),
    }
}

/// From the least of them to the most.
fn range_of(values: impl Iterator<Item = f64>) -> Range {
    let all = values.map(Range::exact);
    let widest =
        |one: Range, other: Range| Range { low: one.low.min(other.low), high: one.high.max(other.high) };
    all.reduce(widest).unwrap_or_else(|| Range::exact(0.0))
}
