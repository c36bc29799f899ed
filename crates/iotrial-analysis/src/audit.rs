//! Does a result agree with itself? Checks of a run, of an import, or of a printed table with what its text says.
//!
//! Tolerances follow from the digits in print: a number stands for all that is rounded or cut off to it, and figures
//! contradict each other only where no such values agree. What each check does, its sources and limits, stands in
//! `docs/audit.md`.

use iotrial_model::finding::FindingId;
use iotrial_model::imported::{ImportedRecord, TablePlace};
use iotrial_model::record::RunRecord;
use iotrial_model::table::PublishedTable;
use serde::Serialize;

mod range;
mod tally;

mod subject;

mod agreement;

mod rates;

mod directions;

mod outstanding;

mod latency;

mod link;

mod cache;

mod claims;

#[cfg(test)]
mod tests;

pub use tally::{AuditFinding, CHECKS, CheckCount, Weight};

use outstanding::{Implied, check_outstanding};
use range::{Range, write_change, write_number};
use subject::Subject;
use tally::Tally;

use crate::findings::findings;

/// What came of an audit. Its keys are an interface: `docs/json.md`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// What was audited.
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
const OF_RUN: [FindingId; 3] = [FindingId::LittlesLaw, FindingId::CacheServed, FindingId::ClockJump];

impl Audit {
    /// Audits a printed table: its rows, and what the text says of them.
    pub fn of_table(table: &PublishedTable) -> Self {
        let mut tally = Tally::default();
        let place = TablePlace { file: String::new(), sha256: String::new(), read_by: String::new() };
        let mut implied = Vec::new();
        for record in ImportedRecord::of_table(table, &place) {
            implied.extend(check_subject(&Subject::of_imported(&record), &mut tally));
        }
        claims::check_claims(table, &mut tally);
        observe_outstanding(&implied, "rows", &mut tally);
        Self::of_tally(table.title.clone(), "table", tally)
    }

    /// Audits what another tool measured.
    pub fn of_imported(record: &ImportedRecord) -> Self {
        let mut tally = Tally::default();
        let implied = check_subject(&Subject::of_imported(record), &mut tally);
        directions::check_jobs(record, &mut tally);
        directions::check_course(record, &mut tally);
        observe_outstanding(&implied, "parts", &mut tally);
        let source = &record.source;
        let place = format!("{}, {}", source.file, source.place);
        let name = record.label.as_ref().map_or_else(|| place.clone(), |label| format!("{label} ({place})"));
        Self::of_tally(name, "import", tally)
    }

    /// Audits a run.
    pub fn of_run(record: &RunRecord) -> Self {
        let mut tally = Tally::default();
        let implied = check_subject(&Subject::of_run(record), &mut tally);
        observe_outstanding(&implied, "parts", &mut tally);
        check_intervals(record, &mut tally);
        let found = findings(&iotrial_model::subject::Subject::of_run(record));
        for id in OF_RUN {
            let check = id.as_str();
            match found.iter().find(|finding| finding.id == id) {
                None => tally.held(check),
                // What a check has said already is not said again in other words.
                Some(_) if tally.findings.iter().any(|known| known.check == check) => {}
                Some(finding) => tally.found(AuditFinding {
                    check,
                    weight: Weight::Contradiction,
                    place: "the run".to_owned(),
                    message: finding.message.clone(),
                    cause: "docs/measurement.md says what it means and how it is found".to_owned(),
                    right: None,
                    off_by_percent: None,
                }),
            }
        }
        let name = record.label.clone().unwrap_or_else(|| record.id.clone());
        Self::of_tally(name, "run", tally)
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

fn check_subject(subject: &Subject, tally: &mut Tally) -> Vec<Implied> {
    let mut all = Vec::new();
    for part in &subject.parts {
        rates::check_rates(part, tally);
        all.extend(check_outstanding(part, tally));
        latency::check_latencies(part, tally);
        link::check_link(part, &subject.attributes, tally);
    }
    cache::check_cache(&subject.parts, &subject.devices, &subject.attributes, tally);
    all
}

/// What Little's law gives over all parts that have the same load.
fn observe_outstanding(implied: &[Implied], parts: &str, tally: &mut Tally) {
    let Some(first) = implied.first() else { return };
    let values = implied.iter().map(|one| one.value);
    let range = values.fold(Range::exact(first.value), |range, value| Range {
        low: range.low.min(value),
        high: range.high.max(value),
    });
    let where_ = if implied.len() > 1 { format!(" in {} {parts}", implied.len()) } else { String::new() };
    let is_same = implied.iter().all(|one| one.configured == first.configured);
    let configured = match first.configured.filter(|_| is_same) {
        Some((configured, inferred)) => {
            let worked_out = if inferred > 0 {
                format!(", {inferred} of them worked out and not printed")
            } else {
                String::new()
            };
            let of = subject::bytes(configured);
            let off = |value: f64| write_change(100.0 * (value / of - 1.0));
            let offs = if off(range.low) == off(range.high) {
                off(range.low)
            } else {
                format!("{} to {}", off(range.low), off(range.high))
            };
            format!("; the load has {}{worked_out} ({offs})", write_number(of))
        }
        None if implied.iter().all(|one| one.configured.is_none()) => {
            "; the load does not say how many".to_owned()
        }
        None => String::new(),
    };
    tally.observations.push(format!("Little's law gives {range} I/Os outstanding{where_}{configured}."));
}

/// The totals of a run are the sums of its measured seconds.
fn check_intervals(record: &RunRecord, tally: &mut Tally) {
    for (index, job) in record.jobs.iter().enumerate() {
        let mut sum = iotrial_model::record::JobCounts::default();
        record
            .measured_intervals()
            .filter_map(|interval| interval.jobs.get(index))
            .for_each(|one| sum.merge(one));
        for (name, total, sum) in [("read", &job.read, &sum.read), ("write", &job.write, &sum.write)] {
            let counts = |ops: &Option<iotrial_model::record::OpCounts>| {
                ops.as_ref().map_or((0, 0), |ops| (ops.io_count(), ops.bytes))
            };
            if counts(total) == counts(sum) {
                tally.held(rates::TOTALS);
                continue;
            }
            let (total, sum) = (counts(total).0, counts(sum).0);
            let job = record.plan.jobs.get(index).map_or_else(|| index.to_string(), |job| job.name.clone());
            tally.found(AuditFinding {
                check: rates::TOTALS,
                weight: Weight::Contradiction,
                place: format!("job {job}, {name}"),
                message: format!(
                    "the record counts {} I/Os, and its measured seconds {}",
                    write_number(subject::bytes(total)),
                    write_number(subject::bytes(sum))
                ),
                cause: "the record was changed after the run".to_owned(),
                right: Some(format!("{} I/Os", write_number(subject::bytes(sum)))),
                off_by_percent: None,
            });
        }
    }
}
