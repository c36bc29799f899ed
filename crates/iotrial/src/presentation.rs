//! The one way out: a document becomes the files that are wanted, and then what the terminal shows, or JSON.

use std::path::Path;

use iotrial_analysis::comparison::GateOutcome;
use iotrial_report::document::Document;
use iotrial_report::terminal::{TerminalStyle, render_closing, render_screen, render_terminal};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{self, harmless, harmless_lines};
use crate::outputs::Outputs;

/// Something to show: for people, and for programs.
pub struct Presentation<'p, T> {
    /// What files and the terminal show; `None` where there are only lines.
    pub document: Option<&'p Document>,
    /// What `--json` prints: one value, or a list of several.
    pub values: Vec<Value<'p, T>>,
    /// What the terminal shows before the document.
    pub before: String,
    /// Further files that were written: what each is, and where.
    pub others: Vec<(&'static str, &'p Path)>,
    /// What the screen has in place of the document and the files, in whole lines; `--details` shows them.
    pub instead: Option<String>,
    /// What the terminal shows after the document and the files, in whole lines.
    pub after: String,
    /// Whether a list was asked for, of which a part is no answer.
    pub is_list: bool,
    /// The command that shows what the screen has no room for; the same with `--details` where there is none.
    pub more: Option<String>,
}

/// What `--json` prints of one result. The keys of `value` stand beside the others.
#[derive(Serialize)]
pub struct Value<'p, T> {
    /// The file that was shown, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'p Path>,
    /// The page, where one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'p Path>,
    /// What became of gates; absent where there were none.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    gates: &'p [GateOutcome],
    #[serde(flatten)]
    value: &'p T,
    /// Whether the terminal names the record, too.
    #[serde(skip)]
    is_told: bool,
}

impl<'p, T> Value<'p, T> {
    /// The figures of the record in a file.
    pub const fn of_record(record: &'p Path, value: &'p T) -> Self {
        Self { record: Some(record), report: None, gates: &[], value, is_told: true }
    }

    /// The same of a file that somebody else wrote, which needs no mention: it is where it was.
    pub fn of_file(file: &'p Path, value: &'p T) -> Self {
        Self { is_told: false, ..Self::of_record(file, value) }
    }

    /// What was worked out from no single file.
    pub const fn alone(value: &'p T) -> Self {
        Self { record: None, report: None, gates: &[], value, is_told: false }
    }

    /// With what became of its gates.
    pub const fn with_gates(mut self, gates: &'p [GateOutcome]) -> Self {
        self.gates = gates;
        self
    }
}

impl<'p, T: Serialize> Presentation<'p, T> {
    /// A document, and what it was made from.
    pub const fn new(document: &'p Document, values: Vec<Value<'p, T>>) -> Self {
        Self {
            document: Some(document),
            values,
            before: String::new(),
            others: Vec::new(),
            instead: None,
            after: String::new(),
            is_list: false,
            more: None,
        }
    }

    /// With the command that makes sense after this answer, in the last line.
    pub fn with_next(self, next: Option<impl AsRef<str>>) -> Self {
        Self { after: next.map(|next| output::next_line(next.as_ref())).unwrap_or_default(), ..self }
    }

    /// Writes the files that are wanted, and shows the figures: whatever is wrong with a file must not hide them.
    pub fn show(mut self, outputs: &'p Outputs) -> Result<(), Failure> {
        // Before the figures: it is a slip in the command line, which is repeated.
        outputs.all_is_read()?;
        let json = outputs.json();
        let (written, result) =
            self.document.map_or_else(|| (Vec::new(), Ok(())), |document| outputs.write_report(document));
        // After the files are written, because the document names those that are there.
        if json.is_json() {
            let report = outputs.page_of(&written);
            self.values.iter_mut().for_each(|value| value.report = report);
            match self.values.as_slice() {
                // One result is an object and several are a list, whoever asks: a script that asks for one needs no index.
                [one] => json.write(one)?,
                several => json.write(&several)?,
            }
        // A report that goes to standard output is the only thing there, so that it can be piped.
        } else if !outputs.take_standard_output() {
            let told = self.values.iter().filter(|value| value.is_told);
            let mut lines: Vec<(&str, &Path)> =
                told.filter_map(|value| Some(("record", value.record?))).collect();
            lines.extend(written.iter().map(|path| ("report", path.as_path())));
            lines.extend(outputs.charts().filter(|_| result.is_ok()).map(|folder| ("charts", folder)));
            lines.extend(&self.others);
            let mut text = harmless_lines(&self.before);
            if !text.is_empty() && self.document.is_some() {
                text.push('\n');
            }
            let around = text.clone() + &self.after;
            text += &match (self.document, &self.instead) {
                (Some(document), _) if outputs.has_details() || self.is_list => text_of(document, &lines),
                (Some(_), Some(instead)) => harmless_lines(instead),
                (Some(document), None) => screen_of(document, &lines, &around, self.more.as_deref()),
                (None, _) => lines_of(&lines),
            };
            text += &harmless_lines(&self.after);
            output::painted(&text)?;
        }
        // Last: what could not be written is an error, but the figures are on the screen.
        result
    }
}

/// More lines than a small terminal shows at once.
const MOST_LINES_AT_ONCE: usize = 24;
/// Of these, what the shell takes: the line for the next command.
const LINES_OF_SHELL: usize = 1;

/// A document as far as it fits one screen, and below it where the files are, with the text `around` it. `more` is the command that shows the
/// rest.
pub fn screen_of(document: &Document, files: &[(&str, &Path)], around: &str, more: Option<&str>) -> String {
    let files = if files.is_empty() { String::new() } else { format!("\n{}", lines_of(files)) };
    let room = MOST_LINES_AT_ONCE - LINES_OF_SHELL;
    let room = room.saturating_sub(rows_of(around) + rows_of(&files));
    let more = harmless(more.unwrap_or("the same with --details"));
    render_screen(document, terminal_style(), room, &more) + &files
}

/// The rows that a terminal takes for a text: one that is too long, such as a command to copy, goes on in the next.
fn rows_of(text: &str) -> usize {
    let columns = output::columns().max(1);
    text.lines().map(|line| line.chars().count().div_ceil(columns).max(1)).sum()
}

/// A document as a terminal shows it, and below it where the files are. A long one ends with its answer, because what stands last is read
/// first.
pub fn text_of(document: &Document, files: &[(&str, &Path)]) -> String {
    let mut text = render_terminal(document, terminal_style());
    if !files.is_empty() {
        text += &format!("\n{}", lines_of(files));
    }
    if text.lines().count() > MOST_LINES_AT_ONCE
        && let Some(closing) = render_closing(document, terminal_style())
    {
        text += &format!("\n{closing}");
    }
    text
}

fn lines_of(files: &[(&str, &Path)]) -> String {
    files.iter().map(|(what, path)| format!("{what:<7} {}\n", harmless(&path.to_string_lossy()))).collect()
}

/// As wide as the terminal, with colour where it is one and `NO_COLOR` is not set.
fn terminal_style() -> TerminalStyle {
    TerminalStyle { width: output::columns(), color: output::has_colours() }
}

/// A table of plain text, for what is no document. Columns are as wide as their widest cell and at least as wide as `least` says;
/// those in `right` end where their header ends. A row may end early.
pub fn aligned(rows: &[Vec<String>], right: &[usize], least: &[usize]) -> String {
    // A cell is no more than a part of its line.
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| harmless(cell)).collect()).collect();
    let mut widths = least.to_vec();
    for (column, cell) in rows.iter().flat_map(|row| row.iter().enumerate()) {
        if column == widths.len() {
            widths.push(0);
        }
        // Characters and not bytes: a dash or a µ is several of them.
        widths[column] = widths[column].max(cell.chars().count());
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if right.contains(&column) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_need_and_rows_may_end_early() {
        let rows = [vec!["kind", "files", "new"], vec!["sqlio", "3", "2"], vec!["passed over", "1"]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect::<Vec<_>>());
        let text = "kind         files  new\nsqlio            3    2\npassed over      1\n";
        assert_eq!(aligned(&rows, &[1, 2], &[]), text);
        assert_eq!(aligned(&rows[..1], &[1], &[8, 6]), "kind       files  new\n");
    }
}
