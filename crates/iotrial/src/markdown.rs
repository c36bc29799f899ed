//! A page of Markdown as a terminal shows it.
//!
//! Nothing of a page is left out. Prose and cells are wrapped to the width; code blocks stay as they are, because somebody copies them.

use std::fmt::Write as _;

mod inline;
mod page;
mod table;

use inline::{Inline, Tone};
use page::{Block, blocks_of};

/// Where the text goes.
#[derive(Debug, Clone, Copy)]
pub struct PageStyle {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether colours may stress what the words say.
    pub color: bool,
}

/// Prose is no wider: the eye finds the next line no more. Tables and code may be.
const LONGEST_PROSE: usize = 100;

/// Narrower than this nothing is laid out.
const NARROWEST: usize = 20;

/// What stands before each line of a code block.
const CODE_INDENT: &str = "    ";

/// Shows a page. `target` says what a link with this address stands for on a terminal, or that its text says it all.
pub fn render(markdown: &str, style: PageStyle, target: impl Fn(&str) -> Option<String>) -> String {
    let style = PageStyle { width: style.width.max(NARROWEST), ..style };
    let mut layout = Layout { style, text: String::new() };
    // Colours say what is code; without them it keeps its marks.
    let mark = if style.color { "" } else { "`" };
    layout.blocks(&blocks_of(markdown, mark, &target), "", "", true);
    layout.text
}

/// Collects the lines of a page.
struct Layout {
    style: PageStyle,
    text: String,
}

impl Layout {
    /// Blocks below each other. The first line begins with `first`, all others with `rest`.
    fn blocks(&mut self, blocks: &[Block], first: &str, rest: &str, apart: bool) {
        for (index, block) in blocks.iter().enumerate() {
            // A list that belongs to the line before it stays with it.
            if index > 0 && (apart || !matches!(block, Block::List { .. })) {
                self.line(rest.trim_end());
            }
            self.block(block, if index == 0 { first } else { rest }, rest);
        }
    }

    fn block(&mut self, block: &Block, first: &str, rest: &str) {
        match block {
            Block::Heading(level, text) => self.heading(*level, text, first, rest),
            Block::Text(text) => self.prose(text, first, rest),
            Block::Code(code) => {
                for (index, line) in code.lines().enumerate() {
                    let before = if index == 0 { first } else { rest };
                    let painted = self.paint(Tone::Code, line);
                    self.line(format!("{before}{CODE_INDENT}{painted}").trim_end());
                }
            }
            Block::Quote(blocks) => {
                let bar = self.paint(Tone::Soft, "│ ");
                self.blocks(blocks, &format!("{first}{bar}"), &format!("{rest}{bar}"), true);
            }
            Block::List { begin, items, is_loose } => {
                for (index, item) in items.iter().enumerate() {
                    if index > 0 && *is_loose {
                        self.line(rest.trim_end());
                    }
                    let mark = begin.map_or("• ".to_owned(), |begin| format!("{}. ", begin + index as u64));
                    let below = format!("{rest}{}", " ".repeat(width_of(&mark)));
                    let before = if index == 0 { first } else { rest };
                    self.blocks(item, &format!("{before}{mark}"), &below, *is_loose);
                }
            }
            Block::Table(table) => {
                let room = self.style.width.saturating_sub(width_of(rest)).max(NARROWEST);
                for (index, line) in table.lines(room, self.style.color).iter().enumerate() {
                    let before = if index == 0 { first } else { rest };
                    self.line(format!("{before}{line}").trim_end());
                }
            }
            Block::Rule => {
                let width = self.style.width.min(LONGEST_PROSE).saturating_sub(width_of(first));
                let rule = self.paint(Tone::Soft, &"─".repeat(width));
                self.line(&format!("{first}{rule}"));
            }
        }
    }

    /// The two upper levels are underlined, so that they are seen without colours as well.
    fn heading(&mut self, level: u8, text: &Inline, first: &str, rest: &str) {
        let room = self.prose_room(first);
        let lines = text.strong().wrapped(room);
        let width = lines.iter().map(Inline::width).max().unwrap_or(0);
        for (index, line) in lines.iter().enumerate() {
            let painted = line.painted(self.style.color);
            self.line(&format!("{}{painted}", if index == 0 { first } else { rest }));
        }
        if let Some(sign) = ["═", "─"].get(usize::from(level.saturating_sub(1))) {
            let rule = self.paint(Tone::Soft, &sign.repeat(width));
            self.line(&format!("{rest}{rule}"));
        }
    }

    fn prose(&mut self, text: &Inline, first: &str, rest: &str) {
        for (index, line) in text.wrapped(self.prose_room(first)).iter().enumerate() {
            let painted = line.painted(self.style.color);
            self.line(format!("{}{painted}", if index == 0 { first } else { rest }).trim_end());
        }
    }

    fn prose_room(&self, before: &str) -> usize {
        self.style.width.min(LONGEST_PROSE).saturating_sub(width_of(before)).max(8)
    }

    fn paint(&self, tone: Tone, text: &str) -> String {
        tone.paint(text, self.style.color)
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a text takes every line");
    }
}

/// Columns that a text takes; colours take none.
fn width_of(text: &str) -> usize {
    console::measure_text_width(text)
}

#[cfg(test)]
#[path = "markdown/tests.rs"]
mod tests;
