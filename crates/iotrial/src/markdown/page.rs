//! The blocks of a page.

use pulldown_cmark::{Alignment, Event, Options, Parser, Tag};

use super::inline::{Inline, Tone};
use super::table::Table;

/// A part of a page that begins on a line of its own.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// With its level, from 1.
    Heading(u8, Inline),
    Text(Inline),
    /// Line by line as it was written.
    Code(String),
    Quote(Vec<Block>),
    List {
        /// The first number, of a list that has them.
        begin: Option<u64>,
        items: Vec<Vec<Block>>,
        /// Whether its items are apart.
        is_loose: bool,
    },
    Table(Table),
    Rule,
}

/// Reads a page. `target` says what the address of a link stands for; `mark` stands around code within a line.
pub(super) fn blocks_of(markdown: &str, mark: &str, target: &dyn Fn(&str) -> Option<String>) -> Vec<Block> {
    Reader { events: Parser::new_ext(markdown, Options::ENABLE_TABLES), mark, target }.blocks().0
}

struct Reader<'p> {
    events: Parser<'p>,
    mark: &'p str,
    target: &'p dyn Fn(&str) -> Option<String>,
}

impl<'p> Reader<'p> {
    /// Everything up to the end of what encloses it, and whether it has paragraphs.
    fn blocks(&mut self) -> (Vec<Block>, bool) {
        let mut blocks = Vec::new();
        // The text of a tight item is in no paragraph.
        let mut bare = Inline::default();
        let mut has_paragraphs = false;
        while let Some(event) = self.events.next() {
            let block = match event {
                Event::End(_) => break,
                Event::Start(Tag::Paragraph) => {
                    has_paragraphs = true;
                    Block::Text(self.inline())
                }
                Event::Start(Tag::Heading { level, .. }) => Block::Heading(level as u8, self.inline()),
                Event::Start(Tag::BlockQuote(_)) => Block::Quote(self.blocks().0),
                Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => Block::Code(self.verbatim()),
                Event::Start(Tag::List(begin)) => self.list(begin),
                Event::Start(Tag::Table(columns)) => Block::Table(self.table(&columns)),
                Event::Rule => Block::Rule,
                within => {
                    self.event(within, &mut bare, Tone::Plain);
                    continue;
                }
            };
            if !bare.is_empty() {
                blocks.push(Block::Text(std::mem::take(&mut bare)));
            }
            blocks.push(block);
        }
        if !bare.is_empty() {
            blocks.push(Block::Text(bare));
        }
        (blocks, has_paragraphs)
    }

    fn list(&mut self, begin: Option<u64>) -> Block {
        let (mut items, mut is_loose) = (Vec::new(), false);
        while let Some(Event::Start(Tag::Item)) = self.events.next() {
            let (item, has_paragraphs) = self.blocks();
            items.push(item);
            is_loose |= has_paragraphs;
        }
        Block::List { begin, items, is_loose }
    }

    fn table(&mut self, columns: &[Alignment]) -> Table {
        let right = columns.iter().map(|column| *column == Alignment::Right).collect();
        let mut rows = Vec::new();
        // The head and each row.
        while let Some(Event::Start(_)) = self.events.next() {
            let mut cells = Vec::new();
            while let Some(Event::Start(Tag::TableCell)) = self.events.next() {
                cells.push(self.inline());
            }
            rows.push(cells);
        }
        let head = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
        Table { right, head, rows }
    }

    fn verbatim(&mut self) -> String {
        let mut text = String::new();
        for event in self.events.by_ref() {
            match event {
                Event::Text(part) | Event::Html(part) => text.push_str(&part),
                Event::End(_) => break,
                _ => {}
            }
        }
        text
    }

    fn inline(&mut self) -> Inline {
        let mut text = Inline::default();
        self.within(&mut text, Tone::Plain);
        text
    }

    /// Text up to the end of what encloses it.
    fn within(&mut self, text: &mut Inline, tone: Tone) {
        while let Some(event) = self.events.next() {
            if matches!(event, Event::End(_)) {
                return;
            }
            self.event(event, text, tone);
        }
    }

    fn event(&mut self, event: Event<'p>, text: &mut Inline, tone: Tone) {
        match event {
            Event::Text(part) | Event::Html(part) | Event::InlineHtml(part) => text.push(&part, tone),
            Event::Code(code) => text.push(&format!("{0}{code}{0}", self.mark), Tone::Code),
            Event::SoftBreak => text.space(),
            Event::HardBreak => text.break_line(),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let mut name = Inline::default();
                self.within(&mut name, tone);
                match (self.target)(&dest_url) {
                    // A text that is only the address says nothing beside what it stands for.
                    Some(target) if name.painted(false) == *dest_url => text.push(&target, Tone::Code),
                    Some(target) => {
                        text.append(name);
                        text.space();
                        text.push(&format!("({target})"), Tone::Code);
                    }
                    None => text.append(name),
                }
            }
            Event::Start(_) => self.within(text, Tone::Strong),
            // Nothing else is switched on.
            _ => {}
        }
    }
}
