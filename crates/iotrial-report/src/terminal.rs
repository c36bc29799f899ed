//! The document as text for a terminal: the answer, what to know about it, the figures at a glance.
//!
//! Charts and full lists are left to the other forms. Everything makes sense without colour.

mod grid;
mod screen;

use iotrial_model::record::Severity;

use crate::document::{Answer, Block, Document, FindingLine, VerdictBlock};
use crate::finding_line::CHANGE;
use crate::quantity::LatencyUnit;
use crate::table::{Table, category_word};
use crate::text::{without_steering, wrap};
use grid::{Grid, Layout};
pub use screen::render_screen;

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns; less than 32 count as 32.
    pub width: usize,
    /// Whether colours may stress what the words say.
    pub color: bool,
}

/// Lines of prose are not longer than this: the eye loses the next one.
// Typographers ask for 45 to 75 letters; sentences with many numbers need more.
const LONGEST_PROSE: usize = 100;
/// The width that one figure with its name and value needs.
// Narrower terminals get lines that wrap, instead of none.
const NARROWEST: usize = 32;
/// More chapters than this would push their common part off the screen.
const MOST_CHAPTERS: usize = 6;
/// Below this a table is stacked, one figure a line.
// A choice: below that two columns of numbers and a label do not fit.
const NARROWEST_TABLE: usize = 60;

/// The document as lines that end with a newline, none wider than the terminal.
pub fn render_terminal(document: &Document, style: TerminalStyle) -> String {
    let unit = document.latency_unit();
    // The width is bounded below, so that differences of widths cannot go below zero.
    let mut page = Page { text: String::new(), width: style.width.max(NARROWEST), color: style.color };
    page.prose("", "", &document.title, Tone::Strong);
    page.prose("", "", &document.byline, Tone::Soft);
    page.sections(document, unit);
    page.brief(&document.in_brief);
    match document.chapters.len() {
        0 => {}
        // A section whose tables are all too long for a glance is left to the other forms.
        count if count > MOST_CHAPTERS || document.chapters.iter().all(is_for_a_longer_look) => {
            page.line("");
            page.prose("", "", &format!("--html shows each of the {count} on its own."), Tone::Soft);
        }
        _ => {
            let chapters = document.chapters.iter().zip(1..);
            chapters.for_each(|(chapter, number)| page.chapter(number, chapter, unit));
        }
    }
    page.text
}

/// The answer of a document once more in one line, for the end of a page whose top has scrolled away. `None` where the document
/// answers no question, and of a verdict: the command that measured repeats it beside what to do next.
pub fn render_closing(document: &Document, style: TerminalStyle) -> Option<String> {
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    let answer = blocks.into_iter().find_map(|block| match block {
        Block::Answer(answer) => Some(answer),
        _ => None,
    })?;
    let mut page = Page { text: String::new(), width: style.width.max(NARROWEST), color: style.color };
    page.headline(answer);
    Some(page.text)
}

fn is_for_a_longer_look(chapter: &Document) -> bool {
    chapter.tables().next().is_some() && !chapter.tables().any(|table| table.at_a_glance)
}

/// What a colour stresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Plain,
    Strong,
    Soft,
    Good,
    Fair,
    Bad,
}

impl Tone {
    /// Select graphic rendition, ECMA-48.
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "1",
            Self::Soft => "2",
            Self::Good => "1;32",
            Self::Fair => "1;33",
            Self::Bad => "1;31",
        }
    }
}

/// The text so far.
struct Page {
    text: String,
    width: usize,
    color: bool,
}

impl Page {
    fn paint(&self, tone: Tone, text: &str) -> String {
        // Without colour nothing is lost: symbols and words say the same.
        if !self.color || tone == Tone::Plain || text.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{}m{text}\x1b[0m", tone.code())
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Wrapped text; the first line begins with `first`, the others with `rest`, which is as wide.
    fn prose(&mut self, first: &str, rest: &str, text: &str, tone: Tone) {
        // At least eight characters, however far the text is indented.
        let room = self.width.min(LONGEST_PROSE).saturating_sub(width_of(first)).max(8);
        for (index, line) in wrap(&clean(text), room).iter().enumerate() {
            let line = format!("{}{}", if index == 0 { first } else { rest }, self.paint(tone, line));
            self.line(&line);
        }
    }

    /// What a short form shows of each section.
    fn sections(&mut self, document: &Document, unit: LatencyUnit) {
        for section in &document.sections {
            let shown = |block: &&Block| match block {
                Block::Verdict(_) | Block::Answer(_) | Block::Statement(_) | Block::Findings(_) => true,
                Block::Table(table) => table.at_a_glance,
                // The numbers of the charts are in the tables.
                Block::Charts(_)
                | Block::HeatMaps(_)
                | Block::Bars(_)
                | Block::Facts(_)
                | Block::Verbatim { .. } => false,
            };
            let blocks: Vec<&Block> = section.blocks.iter().filter(shown).collect();
            if !blocks.is_empty() && !section.heading.is_empty() {
                self.heading(section.heading);
                if let Some(note) = &section.note {
                    self.prose("", "", note, Tone::Soft);
                }
            }
            for block in blocks {
                match block {
                    Block::Verdict(verdict) => self.verdict(verdict),
                    Block::Answer(answer) => self.answer(answer),
                    Block::Statement(statement) => self.statement(statement),
                    Block::Findings(findings) => {
                        for (index, finding) in findings.iter().enumerate() {
                            // Those of several lines are kept apart.
                            if index > 0 && finding.is_in_full() {
                                self.line("");
                            }
                            self.finding(finding);
                        }
                    }
                    Block::Table(table) => self.table(table, unit),
                    _ => {}
                }
            }
        }
    }

    /// A document within the document: under a line of its own.
    fn chapter(&mut self, number: usize, chapter: &Document, unit: LatencyUnit) {
        self.line("");
        let rule = self.paint(Tone::Soft, &"─".repeat(self.width.min(LONGEST_PROSE)));
        self.line(&rule);
        let first = format!("{number}  ");
        self.prose(&first, &" ".repeat(width_of(&first)), &chapter.title, Tone::Strong);
        self.prose("", "", &chapter.byline, Tone::Soft);
        self.sections(chapter, unit);
        self.brief(&chapter.in_brief);
    }

    fn heading(&mut self, heading: &str) {
        let heading = self.paint(Tone::Strong, heading);
        self.line("");
        self.line(&heading);
    }

    fn verdict(&mut self, verdict: &VerdictBlock) {
        let (tone, symbol) = mark(verdict.is_yes());
        let category = verdict.decisive_category().map(|category| format!(" ({})", category_word(category)));
        let word = verdict.headline.clone().unwrap_or_else(|| verdict.word().to_uppercase());
        let answer = format!("{symbol} {word}{}", category.unwrap_or_default());
        self.line("");
        self.prose("", "  ", &answer, tone);
        self.prose("  ", "  ", &verdict.sentence, Tone::Plain);
        if let Some(advice) = &verdict.advice {
            self.prose("  ", "  ", advice, Tone::Strong);
        }
        if let Some(ended) = &verdict.ended {
            self.prose("  ", "  ", ended, Tone::Fair);
        }
        for reason in &verdict.reasons {
            self.prose("  • ", "    ", reason, Tone::Plain);
        }
    }

    fn answer(&mut self, answer: &Answer) {
        self.line("");
        self.headline(answer);
        self.prose("  ", "  ", &answer.sentence, Tone::Plain);
        self.points_of(answer);
    }

    fn headline(&mut self, answer: &Answer) {
        let (tone, symbol) = mark(answer.is_good);
        self.prose(&format!("{} ", self.paint(tone, symbol)), "  ", &answer.headline, tone);
    }

    fn statement(&mut self, statement: &Answer) {
        self.line("");
        self.prose("", "", &statement.headline, Tone::Strong);
        if !statement.sentence.is_empty() {
            self.prose("", "", &statement.sentence, Tone::Plain);
        }
        self.points_of(statement);
    }

    fn points_of(&mut self, answer: &Answer) {
        for point in &answer.points {
            self.prose("  • ", "    ", point, Tone::Plain);
        }
        for list in &answer.lists {
            self.heading(list.heading);
            for point in &list.points {
                self.prose("  • ", "    ", point, Tone::Plain);
            }
        }
    }

    fn finding(&mut self, finding: &FindingLine) {
        let (tone, symbol) = match finding.severity {
            Severity::Note => (Tone::Soft, "i"),
            Severity::Warning => (Tone::Fair, "!"),
            Severity::Serious => (Tone::Bad, "✗"),
        };
        // As wide as the longest word of its kind: the lines below it begin in one column.
        let width = if finding.is_in_full() { 8 } else { 7 };
        let label = format!("{symbol} {:width$}", finding.label());
        let tag = finding.tag().map(|tag| format!(" [{tag}]")).unwrap_or_default();
        let text = format!("{}{tag}", finding.message);
        // On a narrow terminal the label goes above the text.
        if self.width < NARROWEST_TABLE {
            let label = self.paint(tone, label.trim_end());
            self.line(&format!("  {label}"));
            self.prose("    ", "    ", &text, Tone::Plain);
            return self.facts_of(finding, "    ");
        }
        let first = format!("  {}  ", self.paint(tone, &label));
        let rest = " ".repeat(width_of(&first));
        self.prose(&first, &rest, &text, if finding.is_in_full() { Tone::Strong } else { Tone::Plain });
        self.facts_of(finding, &rest);
    }

    /// The facts behind a finding, where they say what to do, each under its name.
    fn facts_of(&mut self, finding: &FindingLine, indent: &str) {
        if !finding.is_in_full() {
            return;
        }
        let width = finding.evidence.iter().map(|fact| width_of(&fact.name)).max().unwrap_or_default() + 2;
        for fact in &finding.evidence {
            let value = fact.value.written_with_unit(fact.quantity, LatencyUnit::Milliseconds);
            let first = format!("{indent}{}", self.paint(Tone::Soft, &format!("{:width$}", fact.name)));
            if fact.name == CHANGE {
                // A line break in a command would be pasted with it, so the terminal is left to break it.
                self.line(&format!("{first}{}", clean(&value)));
            } else {
                self.prose(&first, &format!("{indent}{}", " ".repeat(width)), &value, Tone::Plain);
            }
        }
    }

    fn table(&mut self, table: &Table, unit: LatencyUnit) {
        self.line("");
        let left_out = self.rows(table, unit);
        if !left_out.is_empty() {
            let names: Vec<String> = left_out.iter().map(|name| format!("“{name}”")).collect();
            let text = format!(
                "Columns left out, because the terminal is too narrow: {}. --html shows all.",
                names.join(", ")
            );
            self.prose("", "", &text, Tone::Soft);
        }
    }

    /// The rows with their header; returns the names of the columns that do not fit.
    fn rows(&mut self, table: &Table, unit: LatencyUnit) -> Vec<String> {
        let grid = Grid::new(table, unit);
        match grid.fit(self.width) {
            Some(layout) if self.width >= NARROWEST_TABLE => {
                self.aligned(&grid, &layout);
                let is_out = |at: &usize| !layout.columns.contains(at);
                (0..grid.names.len()).filter(is_out).map(|at| grid.full_name(at)).collect()
            }
            _ => {
                self.stacked(&grid);
                Vec::new()
            }
        }
    }

    fn aligned(&mut self, grid: &Grid<'_>, layout: &Layout) {
        let Layout { columns, gap, widths } = layout;
        let gap = " ".repeat(*gap);
        if let Some(groups) = grid.group_line(layout) {
            let groups = self.paint(Tone::Soft, &groups);
            self.line(&groups);
        }
        let names: Vec<String> =
            columns.iter().map(|at| grid.align(*at, &grid.names[*at], widths[*at])).collect();
        let names = self.paint(Tone::Soft, names.join(&gap).trim_end());
        self.line(&names);
        let rule =
            // The rule is drawn to the end of the last column.
            "─".repeat(columns.iter().map(|at| widths[*at]).sum::<usize>() + gap.len() * (columns.len() - 1));
        let mut above: Option<usize> = None;
        for (index, row) in grid.table.rows.iter().enumerate() {
            // A second line before the totals.
            let is_total_new = row.is_total && above.is_none_or(|above| !grid.table.rows[above].is_total);
            if above.is_none() || is_total_new {
                let rule = self.paint(Tone::Soft, &rule);
                self.line(&rule);
            }
            // Neighbours with the same first cell belong together, and it is shown once.
            let repeats = above.is_some_and(|above| grid.table.rows[above].cells[0] == row.cells[0]);
            let text = |at: usize| if at == 0 && repeats { "" } else { grid.cells[index][at].as_str() };
            let wrapped = |at: &usize| {
                // Wrapping also cuts words that are too long for a column, so it is not asked where
                // everything fits.
                let fits = width_of(text(*at)) <= widths[*at];
                if fits { vec![text(*at).to_owned()] } else { wrap(text(*at), widths[*at]) }
            };
            let cells: Vec<Vec<String>> = columns.iter().map(wrapped).collect();
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or_default() {
                let cells = columns.iter().zip(&cells).map(|(at, lines)| {
                    grid.align(*at, lines.get(line).map_or("", String::as_str), widths[*at])
                });
                let cells: Vec<String> = cells.collect();
                let tone = if row.is_total { Tone::Strong } else { Tone::Plain };
                let text = self.paint(tone, cells.join(&gap).trim_end());
                self.line(&text);
            }
            above = Some(index);
        }
    }

    /// One figure a line, under the words that label the row.
    fn stacked(&mut self, grid: &Grid<'_>) {
        let columns = grid.needed();
        let is_label = |at: &usize| grid.is_words(*at);
        let names = columns.iter().filter(|at| !is_label(at)).map(|at| width_of(&grid.full_name(*at)));
        let name_width = names.max().unwrap_or_default();
        let value_width =
            columns.iter().filter(|at| !is_label(at)).map(|at| grid.widths[*at]).max().unwrap_or_default();
        for cells in &grid.cells {
            let labels: Vec<&str> =
                columns.iter().filter(|at| is_label(at)).map(|at| cells[*at].as_str()).collect();
            self.prose("", "", &labels.join(" "), Tone::Strong);
            for at in columns.iter().filter(|at| !is_label(at)) {
                let line = format!("  {:name_width$}  {:>value_width$}", grid.full_name(*at), cells[*at]);
                self.line(&line);
            }
        }
    }

    fn brief(&mut self, lines: &[(&'static str, String)]) {
        // Two blanks between the longest label and the texts.
        let label_width = lines.iter().map(|(label, _)| width_of(label)).max().unwrap_or_default() + 2;
        if lines.is_empty() {
            return;
        }
        self.line("");
        for (label, text) in lines {
            let label = format!("{label:label_width$}");
            let first = self.paint(Tone::Soft, &label);
            self.prose(&first, &" ".repeat(label_width), text, Tone::Plain);
        }
    }
}

/// How a good, a bad and an open answer look.
const fn mark(is_good: Option<bool>) -> (Tone, &'static str) {
    match is_good {
        None => (Tone::Fair, "?"),
        Some(true) => (Tone::Good, "✓"),
        Some(false) => (Tone::Bad, "✗"),
    }
}

/// The text on one line, without anything that would steer the terminal.
fn clean(text: &str) -> String {
    without_steering(text).replace(['\n', '\r', '\t'], " ")
}

/// Columns that the text takes, one a character, without colours.
fn width_of(text: &str) -> usize {
    // Sequences of colour take no room on the screen.
    let mut width = 0;
    let mut is_steering = false;
    for c in text.chars() {
        match c {
            '\x1b' => is_steering = true,
            'm' if is_steering => is_steering = false,
            _ if is_steering => {}
            _ => width += 1,
        }
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_room() {
        assert_eq!(width_of("\x1b[1;32mabc\x1b[0m"), 3);
    }
}
