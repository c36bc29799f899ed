//! A report as tables: headings, columns and rows, whether it was written as HTML or as text.

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
}

impl Column {
    pub(super) fn full_name(&self) -> String {
        format!("{} {}", self.group, self.name).trim().to_owned()
    }
}

/// A row with its line.
#[derive(Debug, Default, Clone)]
pub(super) struct Row {
    /// There may be fewer, or more, than columns.
    pub(super) cells: Vec<String>,
    /// From 1.
    pub(super) line: usize,
}

impl Row {
    /// A cell, empty where there is none.
    pub(super) fn cell(&self, index: usize) -> &str {
        self.cells.get(index).map_or("", |cell| cell.trim())
    }

    /// The same of a column that may not be there.
    pub(super) fn at(&self, index: Option<usize>) -> &str {
        index.map_or("", |index| self.cell(index))
    }
}

/// What is left of a name when case, blanks and punctuation are: `Avg wait (ms)` and `Avg Wait(ms)` are one.
pub(super) fn plain_name(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '%' | '#' | '<' | '>' | '*'));
    kept.flat_map(char::to_lowercase).collect()
}

impl Page {
    /// The tables under one of these headings, by how they begin.
    pub(super) fn called<'p>(&'p self, names: &'p [&'p str]) -> impl Iterator<Item = &'p Section> {
        self.sections.iter().filter(move |section| section.is_called(names))
    }
}

impl Section {
    /// Whether its heading or a title begins so; case and blanks do not matter.
    pub(super) fn is_called(&self, names: &[&str]) -> bool {
        let mut all = self.titles.iter().chain([&self.heading]).map(|title| plain_name(title));
        all.any(|title| names.iter().any(|name| title.starts_with(&plain_name(name))))
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
            let name = plain_name(name);
            let is_it =
                |column: &Column| plain_name(&column.name) == name || plain_name(&column.full_name()) == name;
            self.columns.iter().enumerate().filter(|(_, column)| is_it(column)).nth(skip).map(|(at, _)| at)
        })
    }

    /// Where a value is.
    pub(super) fn place(&self, row: &Row, column: Option<usize>) -> String {
        let label = row.cells.iter().map(|cell| cell.trim()).find(|cell| !cell.is_empty()).unwrap_or("");
        let column = column.and_then(|at| self.columns.get(at)).map(Column::full_name).unwrap_or_default();
        let parts = [self.name(), label, &column];
        let parts: Vec<String> =
            parts.iter().filter(|part| !part.is_empty()).map(|part| quote(part)).collect();
        format!("{} (line {})", parts.join(" › "), row.line)
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
        joined.extend(word.chars().take(LONGEST_CELL));
    }
    joined
}
