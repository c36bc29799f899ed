//! The document on one screen: the answer, the figures that it rests on, and the findings in a line each, as far as there is room.
//!
//! What a screen shows is chosen by what it is worth, and shown in reading order. Nothing is left out silently: the last line counts it.

use iotrial_model::record::Severity;

use super::{MOST_CHAPTERS, NARROWEST, Page, TerminalStyle, Tone, clean, mark, render_terminal, width_of};
use crate::document::{Answer, Block, Document, FindingLine, VerdictBlock};
use crate::quantity::LatencyUnit;
use crate::table::{Table, category_word};
use crate::text::{cut, wrap};

/// What a screen has from a document, the most valuable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// What it is about, and the answer in a few words.
    Answer,
    /// The answer in a sentence, and what to do.
    Sentence,
    /// The table with the figures of the answer.
    Figures,
    Serious,
    /// Warnings, and the points of an answer.
    Warning,
    /// Circumstances in a line each.
    Brief,
    /// Further tables.
    Table,
    /// Notes, and the reasons of a verdict, which are among the findings.
    Note,
}

/// What a piece is, for the line that counts what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Point,
    Finding,
    Table,
}

/// Lines that are shown together or not at all.
struct Piece {
    /// Those of one block stand together, with a blank line above the first.
    block: usize,
    worth: Worth,
    kind: Kind,
    text: String,
}

impl Piece {
    fn line_count(&self) -> usize {
        self.text.lines().count()
    }
}

/// A table that does not fit shows so many lines at least, or is left out: header, rule, three rows and that there are more.
const LEAST_OF_TABLE: usize = 6;

/// The section that lists what is audited.
const LIST_OF_RESULTS: &str = "results";

/// The document in at most so many lines, none wider than the terminal: whole where it fits, else what is worth most. `more` is the command
/// that shows the rest.
pub fn render_screen(document: &Document, style: TerminalStyle, most_lines: usize, more: &str) -> String {
    let whole = render_terminal(document, style);
    if whole.lines().count() <= most_lines {
        return whole;
    }
    let mut screen =
        Screen { style, unit: document.latency_unit(), pieces: Vec::new(), block: 0, chapter: None };
    screen.document(document);
    screen.fitting(most_lines, more)
}

struct Screen {
    style: TerminalStyle,
    unit: LatencyUnit,
    pieces: Vec<Piece>,
    block: usize,
    /// Title of the chapter that is shown: of its answer only the first line is.
    chapter: Option<String>,
}

impl Screen {
    /// What a page would have of it.
    fn page(&self, write: impl FnOnce(&mut Page)) -> String {
        let mut page =
            Page { text: String::new(), width: self.style.width.max(NARROWEST), color: self.style.color };
        write(&mut page);
        // Pieces bring their own blank lines.
        page.text.trim_start_matches('\n').to_owned()
    }

    fn push(&mut self, worth: Worth, kind: Kind, write: impl FnOnce(&mut Page)) {
        let text = self.page(write);
        // Of each chapter the findings first: its sentence and its table are one of several.
        let worth = match worth {
            Worth::Sentence if self.chapter.is_some() => Worth::Brief,
            Worth::Figures if self.chapter.is_some() => Worth::Table,
            other => other,
        };
        if !text.is_empty() {
            self.pieces.push(Piece { block: self.block, worth, kind, text });
        }
    }

    fn document(&mut self, document: &Document) {
        self.push(Worth::Answer, Kind::Text, |page| {
            let (title, byline) = (clean(&document.title), clean(&document.byline));
            if width_of(&title) + width_of(&byline) + 2 <= page.width {
                let line =
                    format!("{}  {}", page.paint(Tone::Strong, &title), page.paint(Tone::Soft, &byline));
                page.line(&line);
            } else {
                page.prose("", "", &title, Tone::Strong);
                page.prose("", "", &byline, Tone::Soft);
            }
        });
        self.sections(document);
        let are_few = document.chapters.len() <= MOST_CHAPTERS;
        self.block += 1;
        let first = self.block;
        for chapter in document.chapters.iter().filter(|_| are_few) {
            self.chapter = Some(chapter.title.clone());
            self.block = first;
            self.sections(chapter);
        }
        self.chapter = None;
        self.block += 1;
        let width = document.in_brief.iter().map(|(label, _)| width_of(label)).max().unwrap_or_default() + 2;
        for (label, text) in &document.in_brief {
            self.push(Worth::Brief, Kind::Text, |page| {
                let first = page.paint(Tone::Soft, &format!("{label:width$}"));
                page.one_line(&first, text, Tone::Plain);
            });
        }
    }

    fn sections(&mut self, document: &Document) {
        let with_figures = document.section_with_figures().map(|section| section.id);
        // A list of results says no more than the answers of their chapters, where those are shown.
        let has_answers = !document.chapters.is_empty() && document.chapters.len() <= MOST_CHAPTERS;
        let with_figures = with_figures.filter(|id| !(has_answers && *id == LIST_OF_RESULTS));
        let mut has_figures = false;
        for section in &document.sections {
            for block in &section.blocks {
                // The answers of the chapters stand together, each with its findings.
                let is_of_answer = matches!(
                    block,
                    Block::Verdict(_) | Block::Answer(_) | Block::Statement(_) | Block::Findings(_)
                );
                self.block += usize::from(self.chapter.is_none() || !is_of_answer);
                match block {
                    Block::Verdict(verdict) => self.verdict(verdict),
                    Block::Answer(answer) => {
                        let (tone, symbol) = mark(answer.is_good);
                        self.answer(answer, &format!("{symbol} "), tone);
                    }
                    Block::Statement(statement) => self.answer(statement, "", Tone::Strong),
                    Block::Findings(findings) => findings.iter().for_each(|finding| self.finding(finding)),
                    Block::Table(_)
                    | Block::Charts(_)
                    | Block::HeatMaps(_)
                    | Block::Bars(_)
                    | Block::Facts(_)
                    | Block::Verbatim { .. } => {}
                }
                let Some(table) = block.at_a_glance() else { continue };
                let is_it = !has_figures && with_figures == Some(section.id);
                has_figures |= is_it;
                self.table(section.heading, table, if is_it { Worth::Figures } else { Worth::Table });
            }
        }
    }

    fn verdict(&mut self, verdict: &VerdictBlock) {
        let (tone, symbol) = mark(verdict.is_yes());
        let category = verdict.decisive_category().map(|category| format!(" ({})", category_word(category)));
        let word = verdict.headline.clone().unwrap_or_else(|| verdict.word().to_uppercase());
        let answer = format!("{symbol} {word}{}", category.unwrap_or_default());
        if self.chapter_line(&answer, tone) {
            return;
        }
        self.push(Worth::Answer, Kind::Text, |page| page.prose("", "  ", &answer, tone));
        self.push(Worth::Sentence, Kind::Text, |page| {
            page.prose("  ", "  ", &verdict.sentence, Tone::Plain);
            let further = [(&verdict.advice, Tone::Strong), (&verdict.ended, Tone::Fair)];
            for (text, tone) in further {
                text.iter().for_each(|text| page.prose("  ", "  ", text, tone));
            }
        });
        for reason in &verdict.reasons {
            self.push(Worth::Note, Kind::Point, |page| page.one_line("  • ", reason, Tone::Plain));
        }
    }

    /// The answer of a chapter, in one line with its title; false outside of chapters.
    fn chapter_line(&mut self, answer: &str, tone: Tone) -> bool {
        let Some(title) = self.chapter.clone() else { return false };
        // A finding without the name of what it is about says nothing.
        self.push(Worth::Answer, Kind::Text, |page| {
            // The answer is shown whole, before a long title is.
            let room = page.width.saturating_sub(width_of(answer) + 2).max(NARROWEST / 2);
            let title = page.paint(Tone::Strong, &cut(&clean(&title), room));
            page.one_line(&format!("{title}  "), answer, tone);
        });
        true
    }

    fn answer(&mut self, answer: &Answer, first: &str, tone: Tone) {
        if self.chapter_line(&format!("{first}{}", answer.headline), tone) {
            return;
        }
        self.push(Worth::Answer, Kind::Text, |page| {
            let painted = page.paint(tone, first);
            page.prose(&painted, &" ".repeat(width_of(first)), &answer.headline, tone);
        });
        let indent = " ".repeat(width_of(first));
        if !answer.sentence.is_empty() {
            self.push(Worth::Sentence, Kind::Text, |page| {
                page.prose(&indent, &indent, &answer.sentence, Tone::Plain)
            });
        }
        for point in &answer.points {
            self.push(Worth::Warning, Kind::Point, |page| page.one_line("  • ", point, Tone::Plain));
        }
        for list in &answer.lists {
            for point in &list.points {
                let text = format!("{}: {point}", list.heading);
                self.push(Worth::Note, Kind::Point, |page| page.one_line("  • ", &text, Tone::Plain));
            }
        }
    }

    /// A finding in one line: its name, which `iotrial help` explains, and how it begins.
    fn finding(&mut self, finding: &FindingLine) {
        let (worth, tone, symbol) = match finding.severity {
            Severity::Note => (Worth::Note, Tone::Soft, "i"),
            Severity::Warning => (Worth::Warning, Tone::Fair, "!"),
            Severity::Serious => (Worth::Serious, Tone::Bad, "✗"),
        };
        self.push(worth, Kind::Finding, |page| {
            let label = finding.tag().unwrap_or_else(|| finding.label());
            let first = format!("  {}  ", page.paint(tone, &format!("{symbol} {label}")));
            page.one_line(&first, &finding.message, Tone::Plain);
        });
    }

    /// A table without its totals, which the answer has.
    fn table(&mut self, heading: &str, table: &Table, worth: Worth) {
        let mut short = table.clone();
        let has_parts = short.rows.iter().any(|row| !row.is_total);
        short.rows.retain(|row| !(has_parts && row.is_total));
        let unit = self.unit;
        self.push(worth, Kind::Table, |page| {
            // The figures of the answer need none.
            if !heading.is_empty() && worth != Worth::Figures {
                let heading = page.paint(Tone::Strong, heading);
                page.line(&heading);
            }
            page.rows(&short, unit);
        });
    }

    /// How many findings of the same weight come before one in its block; zero of what is none.
    fn place_of_finding(&self, at: usize) -> usize {
        let piece = &self.pieces[at];
        let is_like_it = |other: &&Piece| {
            piece.kind == Kind::Finding
                && (other.block, other.kind, other.worth) == (piece.block, piece.kind, piece.worth)
        };
        self.pieces[..at]
            .iter()
            .rev()
            .take_while(|other| other.block == piece.block)
            .filter(is_like_it)
            .count()
    }

    /// What is worth most, in reading order, with a last line that counts the rest.
    fn fitting(self, most_lines: usize, more: &str) -> String {
        // Of findings the first of each chapter, then the second.
        let places: Vec<usize> = (0..self.pieces.len()).map(|at| self.place_of_finding(at)).collect();
        let mut order: Vec<usize> = (0..self.pieces.len()).collect();
        order.sort_by_key(|at| (self.pieces[*at].worth, places[*at], *at));
        let mut is_shown = vec![false; self.pieces.len()];
        let mut blocks: Vec<usize> = Vec::new();
        let mut cut: Option<(usize, usize)> = None;
        let width = self.style.width.max(NARROWEST);
        // The command is whole, however long it is: it is to be copied. A blank line is above it.
        let command = format!("More: {more}");
        let mut room = most_lines.saturating_sub(1 + width_of(&command).div_ceil(width));
        for at in order {
            let piece = &self.pieces[at];
            let blank = usize::from(!blocks.contains(&piece.block) && !blocks.is_empty());
            let needed = piece.line_count() + blank;
            if piece.worth == Worth::Figures && needed > room {
                // The first rows of it, where a few fit.
                cut = (room >= LEAST_OF_TABLE + blank).then(|| (at, room - blank));
                room = cut.map_or(room, |_| 0);
                blocks.extend(cut.map(|_| piece.block));
                continue;
            }
            // The answer is shown whatever it takes.
            if needed <= room || piece.worth == Worth::Answer && blocks.is_empty() {
                room = room.saturating_sub(needed);
                is_shown[at] = true;
                if !blocks.contains(&piece.block) {
                    blocks.push(piece.block);
                }
            }
        }
        let mut text = String::new();
        let mut above = None;
        for (at, piece) in self.pieces.iter().enumerate() {
            let line_count = match cut {
                Some((cut, line_count)) if cut == at => line_count,
                _ if is_shown[at] => usize::MAX,
                _ => continue,
            };
            if above.is_some_and(|block| block != piece.block) {
                text.push('\n');
            }
            if line_count < piece.line_count() {
                let shown = line_count - 1;
                piece.text.lines().take(shown).for_each(|line| text += &format!("{line}\n"));
                text += &format!("… {} more\n", piece.line_count() - shown);
            } else {
                text += &piece.text;
            }
            above = Some(piece.block);
        }
        let count = |kind: Kind| {
            self.pieces.iter().zip(&is_shown).filter(|(piece, shown)| piece.kind == kind && !**shown).count()
        };
        let left_out = left_out(count(Kind::Finding), count(Kind::Table), count(Kind::Point));
        let fits = width_of(&command) + width_of(&left_out) <= width;
        let line = if fits { command + &left_out } else { command };
        text + "\n" + &self.page(|page| page.line(&page.paint(Tone::Soft, &line)))
    }
}

/// `   (3 findings, 1 table)`; empty where nothing of these kinds is left out.
fn left_out(findings: usize, tables: usize, points: usize) -> String {
    let kinds = [(findings, "finding"), (tables, "table"), (points, "point")];
    let counted = kinds.into_iter().filter(|(count, _)| *count > 0);
    let counted: Vec<String> =
        counted.map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" })).collect();
    if counted.is_empty() { String::new() } else { format!("   ({})", counted.join(", ")) }
}

impl Page {
    /// Text that ends where its line does.
    fn one_line(&mut self, first: &str, text: &str, tone: Tone) {
        let room = self.width.saturating_sub(width_of(first)).max(8);
        let text = clean(text);
        let mut lines = wrap(&text, room);
        if lines.len() > 1 {
            // Room for the sign that says that it goes on.
            lines = wrap(&text, room - 1);
            let end = lines[0].trim_end_matches([',', ';', ':', ' ']).len();
            lines[0].truncate(end);
            lines[0].push('…');
        }
        let line = lines.first().map(|line| self.paint(tone, line)).unwrap_or_default();
        self.line(&format!("{first}{line}"));
    }
}
