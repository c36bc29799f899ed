//! Memory and parameters.

use std::ops::Add;

use iotrial_model::awr::{AwrKind, AwrReport, Named, Parameter, Quoted};
use iotrial_model::imported::Stated;

use super::number;
use super::page::{Page, Row, Section};
use crate::text::kept;

/// More parameters than Oracle has.
const MOST_PARAMETERS: usize = 10_000;

/// More caches than Oracle has.
const MOST_CACHES: usize = 200;

/// Reads both.
pub(super) fn read(page: &Page, report: &mut AwrReport) {
    for section in page.called(&["Memory Statistics"]) {
        let begin = section.column(&["Begin"]);
        // As text 11.2 has them without a ruler, so that the columns have no names.
        let end = section.column(&["End"]).or(section.columns.is_empty().then_some(2));
        for row in section.rows.iter().filter(|_| end.is_some()) {
            let name = row.cell(0).trim_end_matches(':').trim_end();
            // Shares of the host are not memory.
            if let Some(name) = name.strip_suffix("(MB)") {
                let at_end = section.quoted(row, end, number::plain);
                let value =
                    if at_end.is_there() { at_end } else { section.quoted(row, begin, number::plain) };
                push(report, kept(name.trim_end()), value);
            }
        }
    }
    for section in page.called(&["Cache Sizes"]) {
        if report.kind == AwrKind::Cluster {
            cluster_caches(section, report)
        } else {
            caches(section, report)
        }
    }
    for section in page.sections.iter().filter(|section| section.column(&["Parameter Name"]).is_some()) {
        parameters(section, report);
    }
    // The summary of a cluster has it.
    let block = ["Database Block Size", "Block Size"];
    for section in page.sections.iter().filter(|section| section.column(&["Database Block Size"]).is_some()) {
        if let Some(row) = section.rows.first() {
            let bytes =
                |text: &str| number::plain(text).map(|number| number.scaled(1.0 / f64::from(1 << 20)));
            push(report, "Std Block Size".to_owned(), section.quoted(row, section.column(&block), bytes));
        }
    }
}

fn push(report: &mut AwrReport, name: String, value: Quoted) {
    if report.memory.len() < MOST_CACHES && AwrReport::named(&report.memory, &name).is_none() {
        report.memory.push(Named { name, value });
    }
}

/// `Buffer Cache: 15,872M 15,872M Std Block Size: 8K`.
fn caches(section: &Section, report: &mut AwrReport) {
    for row in &section.rows {
        let cells: Vec<&str> = row.cells().collect();
        let name = row.cell(0).trim_end_matches(':').trim_end();
        let end = if row.cell(2).is_empty() || row.cell(2).contains(':') { 1 } else { 2 };
        if row.cell(0).ends_with(':') {
            push(report, kept(name), section.quoted(row, Some(end), number::mib));
        }
        // The second name of the line, with its value behind it in the same cell or the next.
        let rest = cells.iter().skip(1).copied().collect::<Vec<_>>().join(" ");
        for name in ["Std Block Size", "Log Buffer"] {
            if let Some((_, after)) = rest.split_once(&format!("{name}:"))
                && let Some(word) = after.split_whitespace().next()
                && let Some(number) = number::mib(word)
            {
                let place = section.place(row, None);
                push(report, name.to_owned(), Quoted::printed(number, place));
            }
        }
    }
}

/// Pairs of columns, a row for each instance, and one of sums.
fn cluster_caches(section: &Section, report: &mut AwrReport) {
    let instances: Vec<&Row> = section.rows.iter().filter(|row| row.cell(0).parse::<u32>().is_ok()).collect();
    for (group, name) in [
        ("Sga Target", "SGA target"),
        ("DB Cache", "Buffer Cache"),
        ("Shared Pool", "Shared Pool Size"),
        ("PGA Target", "PGA target"),
    ] {
        let begin = section.column(&[&format!("{group} Begin")]);
        let end = section.column(&[&format!("{group} End")]);
        let values = instances.iter().map(|row| {
            // The end is printed only where it differs.
            let at_end = section.quoted(row, end, number::plain);
            if at_end.is_there() { at_end } else { section.quoted(row, begin, number::plain) }
        });
        let values: Vec<Quoted> = values.filter(Quoted::is_there).collect();
        if let Some(first) = values.first().filter(|_| values.len() == instances.len()) {
            let sum = values.iter().filter_map(|value| value.number).reduce(Stated::add);
            let Some(sum) = sum else { continue };
            push(
                report,
                name.to_owned(),
                Quoted::derived(sum, first.place.clone(), "the sum over the instances"),
            );
        }
    }
}

fn parameters(section: &Section, report: &mut AwrReport) {
    let name = section.column(&["Parameter Name"]);
    let value = section.column(&["Begin value"]);
    let end = section.column(&["End value (if different)"]);
    let instance = section.column(&["I#"]);
    for row in &section.rows {
        if report.parameters.len() >= MOST_PARAMETERS {
            return;
        }
        let text = |column: Option<usize>| row.at(column);
        if text(name).is_empty() {
            // Text goes on in the next line.
            if let Some(last) = report.parameters.last_mut() {
                last.value.push_str(text(value));
            }
            continue;
        }
        let some = |text: &str| (!text.is_empty()).then(|| kept(text));
        report.parameters.push(Parameter {
            name: kept(text(name)),
            value: kept(text(value)),
            end_value: some(text(end)),
            instance: some(text(instance)).filter(|instance| instance != "*"),
        });
    }
}
