//! A table, fitted to the room that there is.

use super::inline::{Inline, Tone};
use super::width_of;

/// Columns and cells as the page has them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Which columns are flush right.
    pub(super) right: Vec<bool>,
    pub(super) head: Vec<Inline>,
    pub(super) rows: Vec<Vec<Inline>>,
}

/// Between two columns.
const GAP: &str = "  ";

/// A column is no narrower, unless all its cells are: a sentence in it would be a column of words.
const NARROWEST: usize = 12;

impl Table {
    /// Lines of at most `room` columns: side by side where that is readable, and a list otherwise.
    pub(super) fn lines(&self, room: usize, color: bool) -> Vec<String> {
        match self.widths(room) {
            Some(widths) => self.side_by_side(&widths, color),
            None => self.below_each_other(room, color),
        }
    }

    fn all_rows(&self) -> impl Iterator<Item = &Vec<Inline>> {
        std::iter::once(&self.head).chain(&self.rows)
    }

    /// How wide each column is; `None` where there is too little room for them.
    fn widths(&self, room: usize) -> Option<Vec<usize>> {
        let count = self.right.len();
        let room = room.checked_sub(GAP.len() * count.saturating_sub(1))?;
        let widest = |column: usize, width: fn(&Inline) -> usize| {
            self.all_rows().filter_map(|row| row.get(column)).map(width).max().unwrap_or(0)
        };
        let natural: Vec<usize> = (0..count).map(|column| widest(column, Inline::width)).collect();
        // Longer words are cut, but a share that is large enough for most of them keeps cells readable.
        let most = NARROWEST.max(room / count.max(1));
        let least: Vec<usize> =
            (0..count).map(|column| widest(column, Inline::longest_word).min(most)).collect();
        if least.iter().sum::<usize>() > room {
            return None;
        }
        // Narrow columns get what they need, and the others share the rest evenly.
        let mut widths: Vec<Option<usize>> = vec![None; count];
        loop {
            let taken: usize = widths.iter().flatten().sum();
            let open = widths.iter().filter(|width| width.is_none()).count();
            let Some(share) = room.saturating_sub(taken).checked_div(open) else { break };
            let waits = |column: &usize| widths[*column].is_none();
            // What needs more than its share comes first: what it takes makes the shares of the others smaller.
            let needs_more = (0..count).filter(waits).find(|column| least[*column] > share);
            let needs_less = || (0..count).filter(waits).find(|column| natural[*column] <= share);
            let settled = needs_more.map(|column| (column, least[column]));
            match settled.or_else(|| needs_less().map(|column| (column, natural[column]))) {
                Some((column, width)) => widths[column] = Some(width),
                None => widths.iter_mut().for_each(|width| *width = width.or(Some(share))),
            }
        }
        Some(widths.into_iter().map(|width| width.unwrap_or(1).max(1)).collect())
    }

    fn side_by_side(&self, widths: &[usize], color: bool) -> Vec<String> {
        let wrap = |row: &[Inline]| -> Vec<Vec<Inline>> {
            let cells = row.iter().zip(widths);
            cells.map(|(cell, width)| cell.cut(*width).wrapped(*width)).collect()
        };
        let rows: Vec<Vec<Vec<Inline>>> = self.rows.iter().map(|row| wrap(row)).collect();
        // Where one can see by its first column where a row begins, nothing stands between rows.
        let is_apart = rows.iter().any(|row| row.first().is_some_and(|cell| cell.len() > 1));
        let mut lines = Vec::new();
        if self.head.iter().any(|cell| !cell.is_empty()) {
            let head: Vec<Inline> = self.head.iter().map(Inline::strong).collect();
            lines.extend(self.row(&wrap(&head), widths, color));
            let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.push(Tone::Soft.paint(&rules.join(GAP), color));
        }
        for (index, row) in rows.iter().enumerate() {
            if index > 0 && is_apart {
                lines.push(String::new());
            }
            lines.extend(self.row(row, widths, color));
        }
        lines
    }

    fn row(&self, cells: &[Vec<Inline>], widths: &[usize], color: bool) -> Vec<String> {
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |index: usize| {
            let padded = cells.iter().zip(widths).zip(&self.right).map(|((cell, width), right)| {
                let text = cell.get(index).map(|line| line.painted(color)).unwrap_or_default();
                let pad = " ".repeat(width.saturating_sub(width_of(&text)));
                if *right { pad + &text } else { text + &pad }
            });
            padded.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
        };
        (0..height).map(line).collect()
    }

    /// Each row as a paragraph, a cell on each line, behind what its column is called.
    fn below_each_other(&self, room: usize, color: bool) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                lines.push(String::new());
            }
            for (column, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let mut text = self.head.get(column).cloned().unwrap_or_default();
                if !text.is_empty() {
                    text.push(": ", Tone::Plain);
                }
                text.extend(&if column == 0 { cell.strong() } else { cell.clone() });
                let indent = if column == 0 { "" } else { GAP };
                for (index, line) in
                    text.cut(room - GAP.len() * 2).wrapped(room - GAP.len() * 2).iter().enumerate()
                {
                    let before = if index == 0 { indent.to_owned() } else { indent.to_owned() + GAP };
                    lines.push(before + &line.painted(color));
                }
            }
        }
        lines
    }
}
