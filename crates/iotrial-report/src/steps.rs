//! The steps of a load that changes: up to which one it holds, and the figures of each.

use iotrial_analysis::summary::Summary;
use iotrial_analysis::verdict::StepResult;
use iotrial_model::subject::Subject;

use crate::document::{Block, Section};
use crate::figure_rows::{figures_table, stream_rows};
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};
use iotrial_words::numbers::seconds_in_words;

/// Absent where the load does not change.
pub(crate) fn steps(subject: &Subject<'_>, summary: &Summary) -> Option<Section> {
    let steps = summary.steps.as_slice();
    if steps.is_empty() {
        return None;
    }
    let planned = subject.plan.map_or(steps.len(), |plan| plan.steps.len());
    let not_begun = match planned.saturating_sub(steps.len()) {
        0 => String::new(),
        1 => format!(" The last of {planned} steps was not begun."),
        missing => format!(" {missing} of {planned} steps were not begun."),
    };
    let given_up = if steps.iter().any(|step| step.asked_iops.is_some()) {
        " I/Os that are due but not issued at the end of a step are given up."
    } else {
        ""
    };
    Some(Section {
        id: "steps",
        heading: "Steps",
        note: Some(format!(
            "Each step is judged separately; its load is a percentage of the profile's full load.{given_up}{not_begun}"
        )),
        blocks: vec![Block::Table(outcomes(steps)), Block::Table(figures(subject, summary))],
    })
}

/// Load, rate and outcome of each step.
fn outcomes(steps: &[StepResult]) -> Table {
    let has_rates = steps.iter().any(|step| step.asked_iops.is_some());
    let row = |step: &StepResult| {
        let mut cells = vec![Value::Text(step.short_label.clone()), Value::Text(step.load_words.clone())];
        // The reasons of the verdict say why a step does not hold.
        cells.push(Value::Text(seconds_in_words(step.measured_s)));
        if has_rates {
            cells.extend([Value::number(step.asked_iops), Value::number(step.done_iops)]);
        } else {
            cells.push(Value::Number(step.iops));
        }
        let worst = step.worst.as_ref();
        cells.extend([
            Value::number(worst.map(|worst| worst.value_us)),
            Value::text(worst.map(|worst| format!("{} {} {}", worst.role, worst.stream, worst.statistic))),
            Value::Text(outcome(step).to_owned()),
        ]);
        Row { cells, is_total: false }
    };
    let mut columns = vec![
        Column::new("step", Quantity::Words),
        Column::new("load", Quantity::Words),
        Column::new("time", Quantity::Words).optional(),
    ];
    if has_rates {
        columns.extend([Column::new("requested", Quantity::Iops), Column::new("achieved", Quantity::Iops)]);
    } else {
        columns.push(Column::new("IOPS", Quantity::Iops));
    }
    columns.extend([
        Column::new("worst", Quantity::LatencyUs).under("lat"),
        Column::new("of", Quantity::Words).under("lat"),
        Column::new("holds", Quantity::Words),
    ]);
    Table {
        caption: "Steps of the load, with the latency that used up most of its limit".to_owned(),
        columns,
        rows: steps.iter().map(row).collect(),
        at_a_glance: true,
    }
}

/// Whether a step holds, in a word.
fn outcome(step: &StepResult) -> &'static str {
    match (step.judged, step.is_whole(), step.holds) {
        (_, false, _) => "cut short",
        (false, ..) => "not judged",
        (true, _, Some(true)) => "yes",
        (true, _, Some(false)) => "no",
        (true, _, None) => "in doubt",
    }
}

/// The figures of each role in each step.
fn figures(subject: &Subject<'_>, summary: &Summary) -> Table {
    let mut rows = Vec::new();
    for step in &summary.steps {
        for (role, streams) in &step.roles {
            let mine = subject.streams_of(|job| subject.jobs[job].role == Some(*role));
            rows.extend(stream_rows(&[&step.short_label, role.as_str()], streams, &mine, false));
        }
    }
    figures_table("Figures by step and role", &["step", "role"], rows, true)
}
