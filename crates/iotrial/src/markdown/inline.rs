//! Words with their looks, and how they are wrapped.

use super::width_of;

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    /// Names, options, commands.
    Code,
    /// What is stressed.
    Strong,
    /// Frames and marks.
    Soft,
}

impl Tone {
    /// Select graphic rendition (ECMA-48): the looks of `--help`.
    pub(super) fn paint(self, text: &str, color: bool) -> String {
        let code = match self {
            _ if !color || text.is_empty() => return text.to_owned(),
            Self::Plain => return text.to_owned(),
            Self::Code => "36",
            Self::Strong => "1",
            Self::Soft => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// A line of text before it is wrapped: pieces without a gap between them, and gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Inline {
    words: Vec<Word>,
    /// Whether the next piece goes on with the last word.
    is_open: bool,
}

/// What is not broken between two lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Word {
    pieces: Vec<(String, Tone)>,
    /// Whether a new line begins behind it.
    ends_line: bool,
}

impl Word {
    fn width(&self) -> usize {
        self.pieces.iter().map(|(text, _)| width_of(text)).sum()
    }
}

impl Inline {
    /// Adds text; its spaces are where lines may be broken.
    pub(super) fn push(&mut self, text: &str, tone: Tone) {
        if text.starts_with(char::is_whitespace) {
            self.space();
        }
        for (index, word) in text.split_whitespace().enumerate() {
            if index > 0 {
                self.space();
            }
            match self.words.last_mut().filter(|last| self.is_open && !last.ends_line) {
                Some(last) => last.pieces.push((word.to_owned(), tone)),
                None => {
                    self.words.push(Word { pieces: vec![(word.to_owned(), tone)], ends_line: false });
                }
            }
            self.is_open = true;
        }
        if text.ends_with(char::is_whitespace) {
            self.space();
        }
    }

    /// Adds what another text has, from a new word on.
    pub(super) fn extend(&mut self, other: &Self) {
        self.words.extend(other.words.iter().cloned());
        self.is_open = false;
    }

    /// Adds what another text has; its first word goes on with the last one here, as in `(` before a link.
    pub(super) fn append(&mut self, other: Self) {
        let mut words = other.words.into_iter();
        if let Some(last) = self.words.last_mut().filter(|last| self.is_open && !last.ends_line)
            && let Some(first) = words.next()
        {
            last.pieces.extend(first.pieces);
            last.ends_line = first.ends_line;
        }
        self.words.extend(words);
        self.is_open = true;
    }

    /// Begins a new word.
    pub(super) const fn space(&mut self) {
        self.is_open = false;
    }

    /// Begins a new line.
    pub(super) fn break_line(&mut self) {
        if let Some(last) = self.words.last_mut() {
            last.ends_line = true;
        }
        self.is_open = false;
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The same, stressed.
    pub(super) fn strong(&self) -> Self {
        let mut strong = self.clone();
        let pieces = strong.words.iter_mut().flat_map(|word| &mut word.pieces);
        pieces.filter(|(_, tone)| *tone == Tone::Plain).for_each(|(_, tone)| *tone = Tone::Strong);
        strong
    }

    /// Columns on one line.
    pub(super) fn width(&self) -> usize {
        self.words.iter().map(Word::width).sum::<usize>() + self.words.len().saturating_sub(1)
    }

    /// Columns of its longest word.
    pub(super) fn longest_word(&self) -> usize {
        self.words.iter().map(Word::width).max().unwrap_or(0)
    }

    /// Lines of at most `room` columns, but for words that are longer.
    pub(super) fn wrapped(&self, room: usize) -> Vec<Self> {
        let mut lines = vec![Self::default()];
        let (mut column, mut is_full) = (0, false);
        for word in &self.words {
            let width = word.width();
            let line = lines.last_mut().expect("there is a first line");
            if is_full || (!line.is_empty() && column + 1 + width > room) {
                lines.push(Self { words: vec![word.clone()], is_open: false });
                column = width;
            } else {
                column += width + usize::from(!line.is_empty());
                line.words.push(word.clone());
            }
            is_full = word.ends_line;
        }
        lines
    }

    /// The same with words cut where they are longer than `room`.
    pub(super) fn cut(&self, room: usize) -> Self {
        let mut cut = Self::default();
        for word in &self.words {
            let mut column = 0;
            cut.space();
            for (text, tone) in &word.pieces {
                for c in text.chars() {
                    let width = width_of(c.encode_utf8(&mut [0; 4]));
                    if column > 0 && column + width > room {
                        cut.space();
                        column = 0;
                    }
                    cut.push_char(c, *tone);
                    column += width;
                }
            }
            cut.words.last_mut().into_iter().for_each(|last| last.ends_line = word.ends_line);
        }
        cut
    }

    fn push_char(&mut self, c: char, tone: Tone) {
        if let Some((text, _)) = self
            .words
            .last_mut()
            .filter(|_| self.is_open)
            .and_then(|word| word.pieces.last_mut())
            .filter(|(_, of)| *of == tone)
        {
            text.push(c);
        } else {
            self.push(c.encode_utf8(&mut [0; 4]), tone);
        }
    }

    /// As one line, with colours where they may be.
    pub(super) fn painted(&self, color: bool) -> String {
        // Words of one look are painted in one piece: `iotrial run` is one thing to copy.
        let mut runs: Vec<(String, Tone)> = Vec::new();
        for (index, word) in self.words.iter().enumerate() {
            for (position, (piece, tone)) in word.pieces.iter().enumerate() {
                let gap = if index > 0 && position == 0 { " " } else { "" };
                match runs.last_mut() {
                    Some((run, of)) if of == tone => *run += &format!("{gap}{piece}"),
                    _ => {
                        runs.extend((!gap.is_empty()).then(|| (gap.to_owned(), Tone::Plain)));
                        runs.push((piece.clone(), *tone));
                    }
                }
            }
        }
        runs.iter().map(|(run, tone)| tone.paint(run, color)).collect()
    }
}
