//! The tables of a report in text form. Columns are told by the ruler of dashes below their header, never by blanks: names have
//! blanks in them, and a blank cell is one, too.

use super::number::plain;
use super::page::{CELLS_OF_TABLE, Column, LONGEST_CELL, MOST_CELLS, Page, Row, Section, heading_of};

/// Columns of a table; no report has half of these.
const MOST_COLUMNS: usize = 200;
/// Lines above a ruler that may be its header.
const MOST_HEADER_LINES: usize = 6;
/// A ruler that begins so far to the right, alone and this long, ends a table.
const END_INDENT: usize = 8;
const END_LENGTH: usize = 40;
/// Rulers that begin further to the right than this have a column of labels in front of them.
const LABEL_INDENT: usize = 6;

/// A word of a line with the columns that it takes, from 0; the end is behind it.
#[derive(Clone, Copy)]
struct Word<'l> {
    text: &'l str,
    start: usize,
    end: usize,
}

fn words(line: &str) -> Vec<Word<'_>> {
    let mut found: Vec<Word<'_>> = Vec::new();
    let mut begin = None;
    let mut column = 0;
    for (at, c) in line.char_indices() {
        match (c.is_whitespace(), begin) {
            (false, None) => begin = Some((at, column)),
            (true, Some((from, start))) => {
                found.push(Word { text: &line[from..at], start, end: column });
                begin = None;
            }
            _ => {}
        }
        column += 1;
    }
    if let Some((from, start)) = begin {
        found.push(Word { text: &line[from..], start, end: column });
    }
    found
}

/// What a line is made of, where it is made of lines.
enum Ruler {
    /// Ends a table.
    End,
    /// Underlines a heading.
    Underline,
    /// Has a run for each column; whether the first underlines the heading as well.
    Columns(Vec<(usize, usize)>, bool),
}

fn ruler(line: &str) -> Option<Ruler> {
    let first = line.trim_start().chars().next()?;
    if first != '-' && first != '~' {
        return None;
    }
    let words = words(line);
    if words.len() > MOST_COLUMNS {
        return None;
    }
    let is_run = |word: &Word<'_>| word.text.bytes().all(|byte| byte == b'-') || is_tilde(word.text);
    if !words.iter().all(is_run) {
        return None;
    }
    let runs: Vec<(usize, usize)> = words.iter().map(|word| (word.start, word.end)).collect();
    match words.as_slice() {
        [one] if is_tilde(one.text) => Some(Ruler::Underline),
        [one] if one.start >= END_INDENT && one.end - one.start >= END_LENGTH => Some(Ruler::End),
        // A dash alone is no column, and a list of them is a list.
        [one] if one.end - one.start < 3 => None,
        [first, ..] => Some(Ruler::Columns(runs, is_tilde(first.text))),
        [] => None,
    }
}

fn is_tilde(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'~')
}

/// The columns of a table, with the places for what stands in front of them and behind them.
struct Layout {
    /// First and last column of characters, exclusive.
    runs: Vec<(usize, usize)>,
}

impl Layout {
    fn new(mut runs: Vec<(usize, usize)>, is_underline: bool) -> Self {
        // The first run is as long as the heading, and the labels below it may be longer.
        if let [first, second, ..] = runs.as_mut_slice()
            && is_underline
        {
            first.1 = first.1.max(second.0 - 1);
        }
        let first = runs.first().map_or(0, |run| run.0);
        if first >= LABEL_INDENT {
            runs.insert(0, (0, first - 1));
        }
        Self { runs }
    }

    fn len(&self) -> usize {
        self.runs.len()
    }

    /// The column of a word; one behind all is the last one plus one.
    fn of(&self, word: Word<'_>) -> usize {
        let last = self.runs.len() - 1;
        if word.start > self.runs[last].1 {
            return self.runs.len();
        }
        let overlap = |run: &(usize, usize)| word.end.min(run.1).saturating_sub(word.start.max(run.0));
        let distance = |run: &(usize, usize)| {
            if word.start >= run.1 { word.start - run.1 } else { run.0.saturating_sub(word.end) }
        };
        let best = self.runs.iter().enumerate().max_by_key(|(at, run)| {
            // The widest overlap; without any the nearest. Of two alike the right one: numbers are flush right.
            (overlap(run), usize::MAX - distance(run), *at)
        });
        best.map_or(0, |(at, _)| at)
    }

    /// The cells of a line; one more for what stands behind the last column.
    fn cells(&self, line: &str) -> Vec<String> {
        let mut cells = vec![String::new(); self.len() + 1];
        let mut put = |at: usize, text: &str| {
            let cell = &mut cells[at];
            if cell.len() > LONGEST_CELL {
                return;
            }
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(text);
        };
        for word in words(line) {
            // A number so wide that it touches the cut-off name in front of it.
            if let [first, second, ..] = self.runs.as_slice()
                && word.start < first.1
                && word.end > second.0
                && let Some((at, _)) = word.text.char_indices().nth(first.1 - word.start)
            {
                let (name, number) = word.text.split_at(at);
                if plain(number).is_some() && plain(word.text).is_none() {
                    put(0, name);
                    put(1, number);
                    continue;
                }
            }
            put(self.of(word), word.text);
        }
        if cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        cells
    }

    /// Whether a line is of this table, by its numbers: Oracle writes them flush right. What stands in front of them may be anything.
    fn is_of(&self, line: &str) -> bool {
        words(line).into_iter().filter(|word| plain(word.text).is_some()).all(|word| {
            let at = self.of(word);
            at == 0 || self.runs.get(at).is_some_and(|run| word.end == run.1)
        })
    }

    fn columns(&self, header: &[String]) -> Vec<Column> {
        let mut names = vec![String::new(); self.len()];
        for line in header {
            for word in words(line) {
                // Dashes join several columns under one name.
                if word.text.bytes().all(|byte| byte == b'-') {
                    continue;
                }
                if let Some(name) = names.get_mut(self.of(word)) {
                    if !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(word.text);
                }
            }
        }
        names.into_iter().map(|name| Column::new(String::new(), name)).collect()
    }
}

/// A table that is being read.
struct Open {
    section: Section,
    layouts: Vec<Layout>,
    /// The lines of a row so far, where a row has two.
    part: Vec<String>,
    part_line: usize,
}

/// Reads the tables.
pub(super) fn read(text: &str) -> Page {
    let lines: Vec<&str> = text.lines().map(|line| line.trim_matches(['\u{c}', '\r'])).collect();
    let mut page = Page { last_line: lines.len(), ..Page::default() };
    page.is_whole =
        lines.iter().rev().take(40).any(|line| line.to_ascii_lowercase().contains("end of report"));
    let mut heading = String::new();
    let mut header: Vec<String> = Vec::new();
    let mut open: Option<Open> = None;
    let mut cells = 0;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let next = lines.get(at + 1).copied().unwrap_or("");
        match ruler(line) {
            Some(Ruler::End) => {
                close(&mut open, &mut page);
                header.clear();
            }
            Some(Ruler::Underline) => {
                close(&mut open, &mut page);
                heading = split_heading(&mut header);
            }
            Some(Ruler::Columns(runs, is_underline)) => {
                close(&mut open, &mut page);
                if !header.is_empty() {
                    let layout = Layout::new(runs, is_underline);
                    let mut columns = layout.columns(&header);
                    if is_underline {
                        heading = columns.first().map_or(String::new(), |column| heading_of(&column.name));
                    }
                    let mut layouts = vec![layout];
                    // Names on a line of their own, numbers on the next: two rulers on end.
                    if let Some((second_header, second, skip)) = second_ruler(&lines[at + 1..]) {
                        let second = Layout::new(second, false);
                        columns.extend(second.columns(&second_header));
                        layouts.push(second);
                        at += skip;
                    }
                    cells += CELLS_OF_TABLE + columns.len();
                    let section = Section { columns, ..Section::new(heading.clone(), Vec::new()) };
                    open = Some(Open { section, layouts, part: Vec::new(), part_line: 0 });
                }
                header.clear();
            }
            None if line.trim().is_empty() => {
                // Blanks stand within tables, too; a table ends where the header of another follows.
                if leads_to_ruler(&lines[at + 1..]) {
                    close(&mut open, &mut page);
                }
                header.clear();
            }
            None if line.contains("DB/Inst:") => {
                close(&mut open, &mut page);
                heading = heading_of(line.split("DB/Inst:").next().unwrap_or(""));
                header.clear();
            }
            None if line.trim_start().starts_with("->") => {
                header.clear();
            }
            // A heading is underlined, and the header of a table may begin behind the line below it.
            None if line.starts_with('~') => {
                heading = split_heading(&mut header);
                header.push(line.replace('~', " "));
            }
            None if next.starts_with('~') => {
                close(&mut open, &mut page);
                header.clear();
                header.push(line.to_owned());
            }
            None => match open.as_mut() {
                Some(table) => {
                    cells += table.take(line, at + 1);
                    if cells > MOST_CELLS {
                        page.is_too_large = true;
                        break;
                    }
                }
                None => {
                    if header.len() == MOST_HEADER_LINES {
                        header.remove(0);
                    }
                    header.push(line.to_owned());
                    if let Some(cells) = pairs(line) {
                        keep_pairs(&mut page, &heading, Row::new(at + 1, &cells));
                    }
                }
            },
        }
        at += 1;
    }
    close(&mut open, &mut page);
    page
}

fn close(open: &mut Option<Open>, page: &mut Page) {
    if let Some(open) = open.take() {
        page.sections.push(open.section);
    }
}

/// The heading is what stands first in the line above; what is far to the right of it belongs to the header.
fn split_heading(header: &mut Vec<String>) -> String {
    let Some(line) = header.pop() else { return String::new() };
    header.clear();
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    match trimmed.find("   ") {
        Some(end) => {
            let rest = &trimmed[end..];
            if !rest.trim().is_empty() {
                let before = line[..indent + end].chars().count();
                header.push(" ".repeat(before) + rest);
            }
            heading_of(&trimmed[..end])
        }
        None => heading_of(trimmed),
    }
}

/// Names with their values on a line without a table: `Buffer Hit %:   99.68    In-memory Sort %:  100.00`.
fn pairs(line: &str) -> Option<Vec<String>> {
    let mut cells = Vec::new();
    let mut name = String::new();
    for word in words(line) {
        if name.ends_with(':') {
            plain(word.text)?;
            cells.push(std::mem::take(&mut name));
            cells.push(word.text.to_owned());
        } else if name.is_empty() && !cells.is_empty() && plain(word.text).is_some() {
            // A second value: that of the end behind that of the beginning.
            cells.push(word.text.to_owned());
        } else {
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(word.text);
        }
    }
    (!cells.is_empty()).then_some(cells)
}

/// As rows of a table without columns, in which HTML reports have them.
fn keep_pairs(page: &mut Page, heading: &str, row: Row) {
    match page.sections.last_mut() {
        Some(last) if last.columns.is_empty() && last.heading == heading => last.rows.push(row),
        _ => page.sections.push(Section { rows: vec![row], ..Section::new(heading.to_owned(), Vec::new()) }),
    }
}

/// The header and the runs of a ruler that follows at once, and how many lines further it is.
type SecondRuler = (Vec<String>, Vec<(usize, usize)>, usize);

fn second_ruler(lines: &[&str]) -> Option<SecondRuler> {
    let mut header = Vec::new();
    for (at, line) in lines.iter().enumerate().take(MOST_HEADER_LINES) {
        match ruler(line) {
            Some(Ruler::Columns(runs, false)) if !header.is_empty() => return Some((header, runs, at + 1)),
            Some(_) => return None,
            None if line.trim().is_empty() || line.contains("DB/Inst:") => return None,
            None => header.push((*line).to_owned()),
        }
    }
    None
}

fn leads_to_ruler(lines: &[&str]) -> bool {
    for line in lines.iter().take(MOST_HEADER_LINES) {
        match ruler(line) {
            Some(Ruler::Columns(..) | Ruler::Underline) => return true,
            Some(Ruler::End) => return false,
            None if line.trim().is_empty() => return false,
            None => {}
        }
    }
    false
}

impl Open {
    /// Takes a line; says how many cells it had.
    fn take(&mut self, line: &str, number: usize) -> usize {
        let layout = &self.layouts[self.part_at()];
        let mut cells = layout.cells(line);
        if self.layouts.len() == 1 && !layout.is_of(line) {
            self.section.first_odd.get_or_insert(number);
        }
        if self.layouts.len() == 1 {
            let count = cells.len();
            self.section.rows.push(Row::new(number, &cells));
            return count;
        }
        let is_last = self.part_at() == self.layouts.len() - 1;
        if !is_last {
            cells.truncate(layout.len());
            self.part_line = number;
        }
        let count = cells.len();
        self.part.extend(cells);
        if is_last {
            let cells = std::mem::take(&mut self.part);
            self.section.rows.push(Row::new(self.part_line, &cells));
        }
        count
    }

    /// Which line of a row comes next.
    fn part_at(&self) -> usize {
        usize::from(!self.part.is_empty() && self.layouts.len() > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(section: &Section) -> Vec<&str> {
        section.columns.iter().map(|column| column.name.as_str()).collect()
    }

    #[test]
    fn a_blank_cell_and_a_name_with_blanks_stay_in_their_columns() {
        let page = read(
            "\
Foreground Wait Events          DB/Inst: X/x1  Snaps: 1-2
-> a note

                                  Avg
                          Total  wait
Event             Waits    Time  (ms)
------------- --------- ------- -----
db file seque       120             4
log file sync                12
enq: FB - con1234567890      12     1
          ---------------------------------------------
",
        );
        let [section] = page.sections.as_slice() else { panic!("{page:?}") };
        assert_eq!(section.heading, "Foreground Wait Events");
        assert_eq!(names(section), ["Event", "Waits", "Total Time", "Avg wait (ms)"]);
        assert_eq!(section.rows[0].cells().collect::<Vec<_>>(), ["db file seque", "120", "", "4"]);
        assert_eq!(section.rows[1].cells().collect::<Vec<_>>(), ["log file sync", "", "12", ""]);
        assert_eq!(section.rows[2].cells().collect::<Vec<_>>(), ["enq: FB - con", "1234567890", "12", "1"]);
    }

    #[test]
    fn labels_in_front_of_the_ruler_and_words_behind_it_are_cells() {
        let page = read(
            "\
Cache Sizes                 Begin       End
~~~~~~~~~~~            ---------- ---------
    Buffer Cache:           1,024     1,024  Std Block Size:   8K

Memory Statistics
~~~~~~~~~~~~~~~~~        Begin       End
                    ---------- ---------
     SGA use (MB):     1,019.4   1,019.4
",
        );
        let [cache, memory] = page.sections.as_slice() else { panic!("{page:?}") };
        assert_eq!((cache.heading.as_str(), memory.heading.as_str()), ("Cache Sizes", "Memory Statistics"));
        assert_eq!(
            cache.rows[0].cells().collect::<Vec<_>>(),
            ["Buffer Cache:", "1,024", "1,024", "Std Block Size: 8K"]
        );
        assert_eq!(names(memory), ["", "Begin", "End"]);
        assert_eq!(memory.rows[0].cells().collect::<Vec<_>>(), ["SGA use (MB):", "1,019.4", "1,019.4"]);
    }

    #[test]
    fn a_row_may_have_its_name_on_a_line_of_its_own() {
        let page = read(
            "\
Tablespace IO Stats            DB/Inst: X/x1  Snaps: 1-2

Tablespace
------------------------------
          Av
  Reads  Rds
------- ----
SYSTEM
     31    2
A NAME WITH BLANKS
      1    0
          ---------------------------------------------
",
        );
        let [section] = page.sections.as_slice() else { panic!("{page:?}") };
        assert_eq!(names(section), ["Tablespace", "Reads", "Av Rds"]);
        let rows: Vec<Vec<&str>> = section.rows.iter().map(|row| row.cells().collect()).collect();
        assert_eq!(rows, [["SYSTEM", "31", "2"], ["A NAME WITH BLANKS", "1", "0"]]);
    }
}
