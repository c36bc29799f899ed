//! A report as tables: headings, columns and rows, whether it was written as HTML or as text.

use std::fmt::Write as _;

use iotrial_model::awr::Quoted;
use iotrial_model::imported::Stated;

use crate::text::quote;

/// Cells of a page beyond this are no report.
// A choice: the largest reports that are known have 60,000. It bounds the memory for a page that was made to be large.
pub(super) const MOST_CELLS: usize = 1_500_000;
/// What a table costs beside its cells, in cells: it has the headings above it.
pub(super) const CELLS_OF_TABLE: usize = 20;
/// What of a heading is kept.
pub(super) const LONGEST_HEADING: usize = 200;
/// What of a cell is kept: parameters may list paths, statements are not needed whole.
pub(super) const LONGEST_CELL: usize = 2_000;

/// What most places need: three names and a line.
const ROOM_OF_PLACE: usize = 96;

/// A report as tables.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// In the order of the report.
    pub(super) sections: Vec<Section>,
    /// Whether the end of the report is there.
    pub(super) is_whole: bool,
    /// Whether the page was beyond [`MOST_CELLS`].
    pub(super) is_too_large: bool,
    /// The line of its end.
    pub(super) last_line: usize,
}

/// A table with the headings above it.
#[derive(Debug, Default, Clone)]
pub(super) struct Section {
    /// The heading that it is under.
    pub(super) heading: String,
    /// Shorter titles between the heading and the table.
    pub(super) titles: Vec<String>,
    /// Both as [`plain_name`] has them.
    pub(super) plain: Vec<String>,
    /// From left to right.
    pub(super) columns: Vec<Column>,
    /// From top to bottom.
    pub(super) rows: Vec<Row>,
    /// The line of the first row that is not made as its columns are: with another count of cells, or with numbers beside them.
    pub(super) first_odd: Option<usize>,
}

/// The header of a column.
#[derive(Debug, Default, Clone)]
pub(super) struct Column {
    /// What it has in common with its neighbours.
    pub(super) group: String,
    /// Its own name.
    pub(super) name: String,
    /// Both, as they are shown.
    full_name: String,
    /// Both as [`plain_name`] has them, worked out once: columns are looked up a million times in a report.
    plain: String,
    /// Where the name begins in `plain`, behind the group.
    plain_name_at: usize,
}

impl Column {
    pub(super) fn new(group: String, name: String) -> Self {
        let mut plain = plain_name(&group);
        let plain_name_at = plain.len();
        plain.extend(plain_letters(&name));
        let full_name = format!("{group} {name}").trim().to_owned();
        Self { group, name, full_name, plain, plain_name_at }
    }

    pub(super) fn full_name(&self) -> &str {
        &self.full_name
    }

    /// Whether it is called so, with what it has in common with its neighbours or without.
    fn is_called(&self, name: &str) -> bool {
        rest_behind(&self.plain[self.plain_name_at..], name) == Some("")
            || (self.plain_name_at > 0 && rest_behind(&self.plain, name) == Some(""))
    }
}

/// A row with its line. There may be fewer cells, or more, than columns.
#[derive(Debug, Default, Clone)]
pub(super) struct Row {
    /// From 1.
    pub(super) line: usize,
    /// The cells one behind the other: a page has a hundred thousand, and an allocation for each was a quarter of its reading.
    text: String,
    /// Where each of them ends in `text`.
    ends: Vec<usize>,
}

impl Row {
    pub(super) fn new(line: usize, cells: &[String]) -> Self {
        let mut row = Self::with_room(line, cells.len(), cells.iter().map(String::len).sum());
        cells.iter().for_each(|cell| row.push(cell));
        row
    }

    /// One without cells, and with room for some.
    pub(super) fn with_room(line: usize, cells: usize, bytes: usize) -> Self {
        Self { line, text: String::with_capacity(bytes), ends: Vec::with_capacity(cells) }
    }

    /// Another cell to the right, as it is kept.
    pub(super) fn push(&mut self, cell: &str) {
        // Most are a word or a number.
        if cell.len() <= LONGEST_CELL && cell.bytes().all(|byte| byte.is_ascii_graphic()) {
            self.text.push_str(cell);
        } else {
            self.text.push_str(&joined(cell));
        }
        self.ends.push(self.text.len());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// From left to right.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.cell(index))
    }

    /// A cell, empty where there is none.
    pub(super) fn cell(&self, index: usize) -> &str {
        let Some(end) = self.ends.get(index) else { return "" };
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..*end]
    }

    /// The first that is not empty; empty where all are.
    pub(super) fn label(&self) -> &str {
        self.cells().find(|cell| !cell.is_empty()).unwrap_or_default()
    }

    /// The same of a column that may not be there.
    pub(super) fn at(&self, index: Option<usize>) -> &str {
        index.map_or("", |index| self.cell(index))
    }
}

/// What is left of a name when case, blanks and punctuation are: `Avg wait (ms)` and `Avg Wait(ms)` are one.
pub(super) fn plain_name(text: &str) -> String {
    plain_letters(text).collect()
}

fn plain_letters(text: &str) -> impl Iterator<Item = char> {
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '%' | '#' | '<' | '>' | '*'));
    kept.flat_map(char::to_lowercase)
}

/// What of a plain name is behind the letters of another one; `None` where it does not begin with them, as mostly the first one says.
fn rest_behind<'p>(plain: &'p str, name: &str) -> Option<&'p str> {
    let mut rest = plain;
    for letter in plain_letters(name) {
        rest = rest.strip_prefix(letter)?;
    }
    Some(rest)
}

impl Page {
    /// The tables under one of these headings, by how they begin.
    pub(super) fn called<'p>(&'p self, names: &'p [&'p str]) -> impl Iterator<Item = &'p Section> {
        self.sections.iter().filter(move |section| section.is_called(names))
    }
}

impl Section {
    pub(super) fn new(heading: String, titles: Vec<String>) -> Self {
        let plain = titles.iter().chain([&heading]).map(|title| plain_name(title)).collect();
        Self { heading, titles, plain, ..Self::default() }
    }

    /// Whether its heading or a title begins so; case and blanks do not matter.
    pub(super) fn is_called(&self, names: &[&str]) -> bool {
        self.plain.iter().any(|title| names.iter().any(|name| rest_behind(title, name).is_some()))
    }

    /// What it is called in places.
    pub(super) fn name(&self) -> &str {
        self.titles.last().unwrap_or(&self.heading)
    }

    /// The first column of one of these names, in the order of the names.
    pub(super) fn column(&self, names: &[&str]) -> Option<usize> {
        self.nth_column(names, 0)
    }

    /// The same of the column after `skip` others of that name: reads and writes often have the same.
    pub(super) fn nth_column(&self, names: &[&str], skip: usize) -> Option<usize> {
        names.iter().find_map(|name| {
            let called = self.columns.iter().enumerate().filter(|(_, column)| column.is_called(name));
            called.map(|(at, _)| at).nth(skip)
        })
    }

    /// Where a value is.
    pub(super) fn place(&self, row: &Row, column: Option<usize>) -> String {
        let label = row.label();
        let column = column.and_then(|at| self.columns.get(at)).map_or("", Column::full_name);
        let mut place = String::with_capacity(ROOM_OF_PLACE);
        for part in [self.name(), label, column].into_iter().filter(|part| !part.is_empty()) {
            if !place.is_empty() {
                place += " › ";
            }
            place += &quote(part);
        }
        let _ = write!(place, " (line {})", row.line);
        place
    }

    /// A value of a row, as `read` understands it.
    pub(super) fn quoted(
        &self,
        row: &Row,
        column: Option<usize>,
        read: impl FnOnce(&str) -> Option<Stated>,
    ) -> Quoted {
        let Some(at) = column else {
            return Quoted::absent(quote(self.name()), "the table has no such column");
        };
        let (cell, place) = (row.cell(at), self.place(row, column));
        if cell.is_empty() {
            return Quoted::absent(place, "blank in the report");
        }
        if cell.bytes().all(|byte| byte == b'#') {
            return Quoted::absent(place, "too wide for its column in the report");
        }
        match read(cell) {
            Some(number) => Quoted::printed(number, place),
            None => Quoted::absent(place, format!("`{}` is not a number", quote(cell))),
        }
    }
}

/// A heading as it is kept.
pub(super) fn heading_of(text: &str) -> String {
    let joined = joined(text);
    match joined.char_indices().nth(LONGEST_HEADING) {
        Some((end, _)) => joined[..end].to_owned(),
        None => joined,
    }
}

/// Text as it is kept: blanks joined, and cut.
pub(super) fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len().min(LONGEST_CELL));
    for word in text.split_whitespace() {
        if joined.len() > LONGEST_CELL {
            break;
        }
        if !joined.is_empty() {
            joined.push(' ');
        }
        // Letter by letter, as only a word without end needs, it took a tenth of the reading.
        if word.len() <= LONGEST_CELL {
            joined.push_str(word);
        } else {
            joined.extend(word.chars().take(LONGEST_CELL));
        }
    }
    joined
}
