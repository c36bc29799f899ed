//! The document of an audit: whether a result is consistent, what is not, and what was checked.

use iotrial_analysis::audit::{Audit, CheckCount};
use iotrial_model::audit::{AuditFinding, Weight};
use iotrial_model::record::Severity;
use iotrial_words::audit::{FindingWords, compares, derived_rates, not_checked, observes, says};

use crate::document::{Answer, Block, Document, FindingLine, Front, PointList, Section};
use crate::finding_line::About;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};

impl Document {
    /// The document of one or more audits. A single one is the document; of several, each one with findings is a chapter, and those that
    /// contradict themselves come first.
    pub fn of_audits(audits: &[Audit]) -> Self {
        if let [audit] = audits {
            return of_audit(audit);
        }
        let folder = common_folder(audits);
        let chapter = |audit: &Audit| Self { title: audit.subject[folder..].to_owned(), ..of_audit(audit) };
        // What is contradictory first, then what is doubtful.
        let (first, then): (Vec<&Audit>, Vec<&Audit>) =
            audits.iter().partition(|audit| audit.has_contradictions());
        let in_order = || first.iter().chain(&then).copied();
        let chapters: Vec<Self> =
            in_order().filter(|audit| !audit.findings.is_empty()).map(chapter).collect();
        let contradicted = audits.iter().filter(|audit| audit.has_contradictions()).count();
        let doubtful = chapters.len() - contradicted;
        let unheld = audits.iter().filter(|audit| is_unheld(audit)).count();
        let unheld_too = match unheld {
            0 => String::new(),
            count => format!("; with nothing that could be checked: {count}"),
        };
        let sentence = format!(
            "Without contradictions: {}; with doubts: {doubtful}{unheld_too}.",
            audits.len() - chapters.len() - unheld
        );
        let row = |audit: &Audit| Row {
            cells: vec![
                Value::Text(audit.subject[folder..].to_owned()),
                Value::Text(audit.kind.to_owned()),
                Value::Count(audit.held_count() as u64),
                Value::Count(count(audit, Weight::Contradiction) as u64),
                Value::Count(count(audit, Weight::Doubt) as u64),
            ],
            is_total: false,
        };
        Self {
            title: format!("Audit of {} results", audits.len()),
            byline: "Are they consistent?".to_owned(),
            in_brief: Vec::new(),
            sections: vec![
                section(
                    "answer",
                    "",
                    Block::Answer(Answer {
                        is_good: standing(contradicted, doubtful, unheld < audits.len()),
                        headline: match contradicted {
                            0 => "No result contradicts itself".to_owned(),
                            1 => "1 result contradicts itself".to_owned(),
                            several => format!("{several} results contradict themselves"),
                        },
                        sentence,
                        points: Vec::new(),
                        lists: Vec::new(),
                    }),
                ),
                section(
                    "results",
                    "Results",
                    Block::Table(Table {
                        caption: "What was audited".to_owned(),
                        columns: vec![
                            Column::new("result", Quantity::Words),
                            Column::new("kind", Quantity::Words),
                            Column::new("agreed", Quantity::Count),
                            Column::new("contradictions", Quantity::Count),
                            Column::new("doubts", Quantity::Count),
                        ],
                        rows: in_order().map(row).collect(),
                        at_a_glance: audits.len() <= MOST_ROWS_AT_A_GLANCE,
                    }),
                ),
            ],
            chapters,
            front: Front::default(),
        }
    }
}

/// The length of the folder that all names begin with: in a narrow table, nothing else of the names would be visible.
fn common_folder(audits: &[Audit]) -> usize {
    let Some((first, others)) = audits.split_first() else { return 0 };
    let same = |other: &Audit| {
        let pairs = first.subject.bytes().zip(other.subject.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let length = others.iter().map(same).min().unwrap_or(0);
    let same = &first.subject.as_bytes()[..length];
    same.iter().rposition(|byte| matches!(byte, b'/' | b'\\')).map_or(0, |at| at + 1)
}

/// More rows than this are left to the forms that can be scrolled.
const MOST_ROWS_AT_A_GLANCE: usize = 48;

fn section(id: &'static str, heading: &'static str, block: Block) -> Section {
    Section { id, heading, note: None, blocks: vec![block] }
}

fn count(audit: &Audit, weight: Weight) -> usize {
    audit.findings.iter().filter(|finding| finding.weight == weight).count()
}

/// Whether no two figures could be checked against each other.
fn is_unheld(audit: &Audit) -> bool {
    audit.held_count() == 0 && audit.findings.is_empty()
}

/// A contradiction makes it bad; doubts, or nothing that could be checked, leave it open.
fn standing(contradictions: usize, doubts: usize, is_checked: bool) -> Option<bool> {
    match (contradictions, doubts) {
        (0, 0) => is_checked.then_some(true),
        (0, _) => None,
        _ => Some(false),
    }
}

fn plural(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

fn of_audit(audit: &Audit) -> Document {
    let (contradictions, doubts) = (count(audit, Weight::Contradiction), count(audit, Weight::Doubt));
    let headline = match (contradictions, doubts) {
        (0, 0) if is_unheld(audit) => "Nothing could be checked".to_owned(),
        (0, 0) => "It is consistent".to_owned(),
        (0, doubts) => format!("It does not contradict itself, but leaves {}", plural(doubts, "doubt")),
        (contradictions, 0) => format!("It contradicts itself: {}", plural(contradictions, "contradiction")),
        (contradictions, doubts) => format!(
            "It contradicts itself: {} and {}",
            plural(contradictions, "contradiction"),
            plural(doubts, "doubt")
        ),
    };
    let held = audit.held_count();
    let sentence = if is_unheld(audit) {
        "It has no figures that could be checked against each other.".to_owned()
    } else {
        format!("Checks that hold: {held} of {}.", held + audit.findings.len())
    };
    let lists = (!audit.unchecked.is_empty()).then(|| PointList {
        heading: "Not checked",
        points: audit.unchecked.iter().map(not_checked).collect(),
    });
    let answer = Answer {
        is_good: standing(contradictions, doubts, !is_unheld(audit)),
        headline,
        sentence,
        points: audit.observations.iter().map(observes).chain(derived_rates(&audit.derived)).collect(),
        lists: lists.into_iter().collect(),
    };
    let mut sections = vec![section("answer", "", Block::Answer(answer))];
    if !audit.findings.is_empty() {
        let lines = audit.findings.iter().map(line).collect();
        sections.push(section("findings", "What does not agree", Block::Findings(lines)));
    }
    if !audit.checks.is_empty() {
        sections.push(section("checks", "What was checked", Block::Table(checks(&audit.checks))));
    }
    Document {
        title: format!("Audit of “{}”", audit.subject),
        byline: match audit.kind {
            "table" => "A published table and the claims about it in the text".to_owned(),
            "import" => "A result of another tool".to_owned(),
            _ => "A run".to_owned(),
        },
        in_brief: Vec::new(),
        sections,
        chapters: Vec::new(),
        front: Front::default(),
    }
}

fn line(finding: &AuditFinding) -> FindingLine {
    let FindingWords { place, message, cause, right } = says(finding);
    let right = right.map_or_else(String::new, |right| format!(" It should say: {right}."));
    let severity = match finding.weight {
        Weight::Contradiction => Severity::Serious,
        Weight::Doubt => Severity::Warning,
    };
    let message = format!("{place}: {message}. Likely cause: {cause}.{right}");
    FindingLine::about(About::Check(finding.check), severity, message)
}

fn checks(checks: &[CheckCount]) -> Table {
    let row = |count: &CheckCount| Row {
        cells: vec![
            Value::Text(count.check.as_str().to_owned()),
            Value::Text(compares(count.check).to_owned()),
            Value::Count(count.held as u64),
            Value::Count(count.contradicted as u64),
            Value::Count(count.doubtful as u64),
        ],
        is_total: false,
    };
    Table {
        caption: "How often each check held".to_owned(),
        columns: vec![
            Column::new("check", Quantity::Words),
            Column::new("what is compared", Quantity::Words).optional(),
            Column::new("agreed", Quantity::Count),
            Column::new("contradictions", Quantity::Count),
            Column::new("doubts", Quantity::Count),
        ],
        rows: checks.iter().map(row).collect(),
        at_a_glance: true,
    }
}

#[cfg(test)]
mod tests {
    use iotrial_model::table::PublishedTable;

    use super::*;
    use crate::terminal::{TerminalStyle, render_terminal};

    fn audit(bandwidth: &str) -> Audit {
        let text = format!(
            "format = \"iotrial.table/1\"\ntitle = \"T\"\n[[row]]\nid = \"A\"\n\
             load = {{ block_size_bytes = 8192, outstanding = 32 }}\n\
             read = {{ iops = 54321, bandwidth_mib_per_s = {bandwidth}, lat_mean_us = 588.1 }}"
        );
        Audit::of_table(&PublishedTable::parse(&text).unwrap())
    }

    #[test]
    fn a_contradiction_is_shown_with_cause_and_right_figure() {
        let audit = audit("445");
        let document = Document::of_audits(std::slice::from_ref(&audit));
        let shown = render_terminal(&document, TerminalStyle { width: 400, color: false });
        assert!(shown.contains("✗ It contradicts itself: 1 contradiction\n"), "{shown}");
        assert!(shown.contains("Checks that hold: 1 of 2."), "{shown}");
        assert!(shown.contains(&observes(&audit.observations[0])), "{shown}");
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let FindingWords { place, message, cause, right } = says(&audit.findings[0]);
        let line = format!(
            "✗ serious {place}: {message}. Likely cause: {cause}. It should say: {}. [iops-bandwidth]",
            right.unwrap()
        );
        assert!(words.contains(&line), "{shown}");
    }

    #[test]
    fn the_folder_of_all_results_is_left_out_of_their_names() {
        let named = |subject: &str| Audit { subject: subject.to_owned(), ..audit("424") };
        let shown = |names: [&str; 2]| {
            let document = Document::of_audits(&names.map(named));
            render_terminal(&document, TerminalStyle { width: 80, color: false })
        };
        let there = shown([
            "/work/data/sqlio/random.read.8.txt, line 1",
            "/work/data/sqlio/random.write.8.txt, line 1",
        ]);
        assert!(
            there.contains("\nrandom.read.8.txt, line") && there.contains("\nrandom.write.8.txt, lin"),
            "{there}"
        );
        assert!(shown(["a.json, jobs", "b.json, jobs"]).contains("a.json, jobs"));
    }

    #[test]
    fn of_several_audits_those_that_found_something_are_chapters() {
        let document = Document::of_audits(&[audit("424"), audit("445"), audit("424.4")]);
        assert_eq!(document.chapters.len(), 1);
        let shown = render_terminal(&document, TerminalStyle { width: 100, color: false });
        assert!(shown.contains("1 result contradicts itself"), "{shown}");
        assert!(shown.contains("Without contradictions: 2; with doubts: 0."), "{shown}");
    }
}
