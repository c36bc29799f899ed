//! Gates with their outcome: as a section of a document, as a document of their own, and as the last lines of a terminal.

use iotrial_analysis::comparison::{GateOutcome, GateResult};
use iotrial_analysis::verdict::Outcome;

use crate::document::{Block, Document, Front, Section};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};
use crate::text::without_steering;

/// How many gates have each outcome.
fn counts(outcomes: &[GateOutcome]) -> [(GateResult, usize); 3] {
    [GateResult::Missed, GateResult::Undecided, GateResult::Kept]
        .map(|result| (result, outcomes.iter().filter(|outcome| outcome.outcome == result).count()))
}

/// `1 failed, 2 undecided, 5 passed`.
fn summary(outcomes: &[GateOutcome]) -> String {
    let words = counts(outcomes).into_iter().filter(|(_, count)| *count > 0);
    words.map(|(result, count)| format!("{count} {}", result.as_str())).collect::<Vec<_>>().join(", ")
}

const fn mark(result: GateResult) -> &'static str {
    match result {
        GateResult::Kept => "✓",
        GateResult::Undecided => "?",
        GateResult::Missed => "✗",
    }
}

/// What was measured, in words.
pub(crate) fn measured(outcome: &GateOutcome) -> String {
    iotrial_words::gate::measured(outcome.figure(), outcome.unit(), outcome.simulated)
}

/// What a gate is held against; without its key where nothing else has one.
fn configuration(outcome: &GateOutcome, is_only: bool) -> String {
    let GateOutcome { configuration, label, .. } = outcome;
    let has_key = !is_only && configuration != label;
    let title = if has_key { format!("{configuration} ({label})") } else { label.clone() };
    // Nothing else distinguishes several loads of one configuration.
    outcome.metric.load.as_ref().map_or_else(|| title.clone(), |load| format!("{title}, {load}"))
}

/// Whether all of them are of a single result, which is the first configuration and has nothing that it could be a change of.
fn is_only_one(outcomes: &[GateOutcome]) -> bool {
    outcomes.iter().all(|outcome| outcome.configuration == "A" && outcome.percent.is_none())
}

/// The gates with the outcome of each; `None` without any.
pub(crate) fn section(outcomes: &[GateOutcome]) -> Option<Section> {
    let is_only = is_only_one(outcomes);
    let row = |outcome: &GateOutcome| Row {
        cells: vec![
            // First, since neighbours with the same first cell show it once: that may be a gate, and never an outcome.
            Value::Text(outcome.gate.clone()),
            Value::Text(configuration(outcome, is_only)),
            Value::Text(format!("{} {}", mark(outcome.outcome), outcome.outcome.as_str())),
            Value::Text(measured(outcome)),
            Value::text(outcome.reason.clone()),
        ],
        is_total: false,
    };
    let mut table = Table {
        caption: "Gates".to_owned(),
        columns: ["gate", "configuration", "outcome", "measured", "why"]
            .map(|name| Column::new(name, Quantity::Words))
            .to_vec(),
        rows: outcomes.iter().map(row).collect(),
        at_a_glance: true,
    };
    if outcomes.iter().all(|outcome| outcome.reason.is_none()) {
        table.without_column(table.columns.len() - 1);
    }
    (!outcomes.is_empty()).then(|| Section {
        id: "gates",
        heading: "Gates",
        note: Some(format!(
            "{}. A gate passes or fails only if the whole confidence interval is on one side of its limit; otherwise, or if the figures are in doubt, it is undecided.{}",
            summary(outcomes),
            if outcomes.iter().any(|outcome| outcome.simulated) {
                " Gates on simulated figures are decided by the simulated device, and say nothing about real storage."
            } else {
                ""
            }
        )),
        blocks: vec![Block::Table(table)],
    })
}

impl Document {
    /// The same document with gates, after what it begins with.
    #[must_use]
    pub fn with_gates(mut self, outcomes: &[GateOutcome]) -> Self {
        let place = self.sections.len().min(1);
        section(outcomes).into_iter().for_each(|section| self.sections.insert(place, section));
        self
    }

    /// The gates alone, as the summary of a job shows them.
    pub fn of_gates(outcomes: &[GateOutcome]) -> Self {
        Self {
            title: format!("iotrial gates: {}", summary(outcomes)),
            byline: String::new(),
            in_brief: Vec::new(),
            sections: section(outcomes).into_iter().collect(),
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

/// One line for each gate and one for all, for the end of a terminal's output: what is read last, and what the log of a CI job shows.
/// `verdict` is the one that would end with another exit code, were there no gates.
pub fn last_lines(outcomes: &[GateOutcome], verdict: Option<Outcome>) -> String {
    let widest = |of: &dyn Fn(&GateOutcome) -> String| {
        outcomes.iter().map(|outcome| of(outcome).chars().count()).max().unwrap_or_default()
    };
    let is_only = is_only_one(outcomes);
    let configuration = |outcome: &GateOutcome| configuration(outcome, is_only);
    let (gates, names) = (widest(&|outcome| outcome.gate.clone()), widest(&configuration));
    let line = |outcome: &GateOutcome| {
        let why = outcome.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let (mark, word, gate) = (mark(outcome.outcome), outcome.outcome.as_str(), &outcome.gate);
        let name = configuration(outcome);
        let text = format!("{mark} {word:<9}  {gate:<gates$}  {name:<names$}  {}{why}", measured(outcome));
        // Labels come from strangers' files, and a line that begins with `::` is a command to a CI server.
        format!("{}\n", without_steering(&text.replace(['\n', '\r'], " ")))
    };
    let worst = outcomes.iter().map(|outcome| outcome.outcome).max().unwrap_or(GateResult::Kept);
    let lines: String = outcomes.iter().map(line).collect();
    let whose = verdict.map_or_else(String::new, |verdict| {
        format!("; the exit code is that of the gates, not of the verdict ({})", verdict.as_str())
    });
    format!("{lines}{} gates: {}{whose}\n", mark(worst), summary(outcomes))
}
