//! Does a result agree with itself? Checks of a run, of an import, or of a printed table with what its text says.
//!
//! Tolerances follow from the digits in print: a number stands for all that is rounded or cut off to it, and figures
//! contradict each other only where no such values agree. What each check does, its sources and limits, stands in
//! `docs/audit.md`.

use iotrial_model::audit::{
    AuditFinding, AuditPlace, Check, ConfiguredOutstanding, Conflict, DerivedRate, Observation, Parts,
    ResultPart, Unchecked, Weight,
};
use iotrial_model::content::Checksum;
use iotrial_model::finding::FindingId;
use iotrial_model::imported::TablePlace;
use iotrial_model::load::Role;
use iotrial_model::subject::Subject;
use iotrial_model::table::PublishedTable;
use iotrial_words::audit::{FindingWords, formula, not_checked, observes, says};
use serde::{Serialize, Serializer};

mod tally;

mod part;

mod agreement;

mod rates;

mod directions;

mod asked;

mod outstanding;

mod latency;

mod link;

mod mixed_sizes;

mod cache;

mod claims;

#[cfg(test)]
mod tests;

pub use tally::CheckCount;

use outstanding::{Implied, check_outstanding};
use part::Part;
use tally::Tally;

use crate::findings::findings;

/// What came of an audit. Its keys are an interface: `docs/json.md`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// What was audited: the title of a table, or label, place or id of a result.
    pub subject: String,
    /// Its kind: `run`, `import` or `table`.
    pub kind: &'static str,
    /// What does not agree, the contradictions first.
    #[serde(serialize_with = "findings_in_words")]
    pub findings: Vec<AuditFinding>,
    /// What was checked, in the order in which it was.
    pub checks: Vec<CheckCount>,
    /// What the figures tell besides.
    #[serde(serialize_with = "observations_in_words")]
    pub observations: Vec<Observation>,
    /// Figures that nobody printed, and that follow from those that are.
    #[serde(serialize_with = "derived_in_words", skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<DerivedRate>,
    /// What could not be checked, and why.
    #[serde(serialize_with = "unchecked_in_words")]
    pub unchecked: Vec<Unchecked>,
}

// A document of an audit has sentences where this program has facts.

fn findings_in_words<S: Serializer>(findings: &[AuditFinding], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Said {
        check: Check,
        weight: Weight,
        place: String,
        message: String,
        cause: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        right: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        off_by_percent: Option<f64>,
    }
    serializer.collect_seq(findings.iter().map(|finding| {
        let AuditFinding { check, weight, off_by_percent, .. } = *finding;
        let FindingWords { place, message, cause, right } = says(finding);
        Said { check, weight, place, message, cause, right, off_by_percent }
    }))
}

fn observations_in_words<S: Serializer>(all: &[Observation], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(observes))
}

fn derived_in_words<S: Serializer>(all: &[DerivedRate], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Said<'d> {
        place: Option<&'d str>,
        stream: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        role: Option<Role>,
        block_size_bytes: u64,
        other_block_size_bytes: u64,
        iops: f64,
        low_iops: f64,
        high_iops: f64,
        formula: String,
    }
    serializer.collect_seq(all.iter().map(|one| Said {
        place: one.place.source.as_deref(),
        stream: one.stream.metric_word(),
        role: one.role,
        block_size_bytes: one.large.get(),
        other_block_size_bytes: one.small.get(),
        iops: one.iops,
        low_iops: one.range.low,
        high_iops: one.range.high,
        formula: formula(one),
    }))
}

fn unchecked_in_words<S: Serializer>(all: &[Unchecked], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(not_checked))
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
        observe_outstanding(&implied, Parts::PartsOfResult, &mut tally);
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
        observe_outstanding(&implied, Parts::Rows, &mut tally);
        Self::of_tally(table.title.clone(), "table", tally)
    }

    fn of_tally(subject: String, kind: &'static str, tally: Tally) -> Self {
        let Tally { mut findings, checks, observations, derived, unchecked } = tally;
        // Stable: within a weight the order of the checks stays.
        findings.sort_by_key(|finding| finding.weight);
        Self { subject, kind, findings, checks, observations, derived, unchecked }
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
    mixed_sizes::derive_rates(subject, &parts, tally);
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
        Checksum::Differs => tally.found(AuditFinding::new(AuditPlace::Record, Conflict::AlteredRecord)),
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
            Some(finding) => {
                let conflict = Conflict::Run { check, finding: Box::new(finding.clone()) };
                tally.found(AuditFinding::new(ResultPart::default(), conflict));
            }
        }
    }
}

/// What Little's law gives over all parts, and how many I/Os their loads have.
fn observe_outstanding(implied: &[Implied], parts: Parts, tally: &mut Tally) {
    let (bounded, implied): (Vec<Implied>, Vec<Implied>) = implied.iter().partition(|one| one.is_bounded);
    tally.observations.extend(bounded.iter().map(|one| Observation::BoundedOutstanding(one.range)));
    let Some(first) = implied.first() else { return };
    let is_same = implied.iter().all(|one| one.configured == first.configured);
    let all: Option<Vec<u64>> = implied.iter().map(|one| Some(one.configured?.0)).collect();
    let configured = match (first.configured.filter(|_| is_same), all) {
        (Some((count, inferred_count)), _) => {
            let fits = tally.findings.iter().all(|one| one.check != Check::LittlesLaw);
            ConfiguredOutstanding::Same { count, inferred_count, fits }
        }
        (None, Some(all)) => ConfiguredOutstanding::Each(all),
        (None, None) if is_same => ConfiguredOutstanding::Unknown,
        (None, None) => ConfiguredOutstanding::UnknownOfSome,
    };
    let implied = implied.iter().map(|one| one.value).collect();
    tally.observations.push(Observation::Outstanding { implied, parts, configured });
}
