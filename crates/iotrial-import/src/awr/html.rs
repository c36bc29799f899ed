//! The tables of an HTML report. The pages are simple and often damaged: tags in capitals and without quotes after an editor
//! saved them, end tags left out, text in front of the page. Only what tables are made of is looked at.

use std::borrow::Cow;

use super::page::{CELLS_OF_TABLE, Column, MOST_CELLS, Page, Row, Section, heading_of, joined};

/// What a cell with `colspan` may span; more was not written by Oracle.
const WIDEST_SPAN: usize = 64;
/// Titles between two tables that are kept.
const MOST_TITLES: usize = 4;

/// Of the text of a cell; it is cut later, and nobody needs a megabyte of one.
const LONGEST_TEXT: usize = 64 << 10;

/// Reads the tables.
pub(super) fn read(text: &str) -> Page {
    let mut scan = Scan { whole: text, line: 1, ..Scan::default() };
    let mut rest = text;
    while let Some(at) = position(rest, b'<') {
        let (before, tag_on) = rest.split_at(at);
        scan.text(before);
        scan.at = text.len() - tag_on.len();
        if tag_on.starts_with("<!--") {
            let end = tag_on.find("-->").map_or(tag_on.len(), |end| end + 3);
            rest = &tag_on[end..];
            continue;
        }
        // What is no tag is text: `<1ms` within a header that was not escaped.
        if !tag_on[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            scan.text("<");
            rest = &tag_on[1..];
            continue;
        }
        let end = position(tag_on, b'>').map_or(tag_on.len(), |end| end + 1);
        let tag = &tag_on[1..end];
        rest = &tag_on[end..];
        let name = tag_name(tag);
        if name == "style" || name == "script" {
            let end = end_of(rest, &name);
            rest = &rest[end..];
            continue;
        }
        scan.tag(&name, tag);
        if scan.cells > MOST_CELLS {
            scan.page.is_too_large = true;
            break;
        }
    }
    scan.text(rest);
    scan.end_table();
    scan.at = text.len();
    let last_line = scan.line_here();
    let mut page = scan.page;
    page.last_line = last_line;
    let tail = text.trim_end();
    let tail = &tail[tail.len() - floor(tail, 4_000)..];
    page.is_whole = tail.to_ascii_lowercase().contains("end of report");
    page
}

/// So many bytes of the end, on a boundary of characters.
fn floor(text: &str, most: usize) -> usize {
    let mut length = most.min(text.len());
    while !text.is_char_boundary(text.len() - length) {
        length -= 1;
    }
    length
}

/// Where a sign is. Tags are short, so that a search for long texts takes longer to begin than to find it.
fn position(text: &str, sign: u8) -> Option<usize> {
    text.bytes().position(|byte| byte == sign)
}

fn newlines(text: &str) -> usize {
    // In parts that a byte can count, which many bytes at a time can do: one by one it took a fifth of the reading.
    let of_part =
        |part: &[u8]| part.iter().fold(0_u8, |sum, byte| sum.wrapping_add(u8::from(*byte == b'\n')));
    text.as_bytes().chunks(255).map(|part| usize::from(of_part(part))).sum()
}

/// In small letters.
fn tag_name(tag: &str) -> Cow<'_, str> {
    let end = tag
        .char_indices()
        .find(|(at, c)| !(c.is_ascii_alphanumeric() || (*at == 0 && *c == '/')))
        .map_or(tag.len(), |(at, _)| at);
    let name = &tag[..end];
    // A report has a hundred thousand tags, and only editors write them in capitals.
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// Where the content of an element ends that has no elements in it.
fn end_of(rest: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(at) = rest[from..].find("</") {
        let at = from + at;
        let after = rest.get(at + 2..at + 2 + name.len());
        if after.is_some_and(|after| after.eq_ignore_ascii_case(name)) {
            return at;
        }
        from = at + 2;
    }
    rest.len()
}

#[derive(Default)]
struct Scan<'t> {
    page: Page,
    whole: &'t str,
    /// Where the tag is.
    at: usize,
    /// The line of what is at `counted`: lines are counted where one is asked for, and not at each of a hundred thousand tags.
    line: usize,
    counted: usize,
    heading: String,
    titles: Vec<String>,
    /// Text since the last block began.
    block: String,
    in_heading: bool,
    /// Notes and links are no titles.
    in_note: bool,
    table: Option<Section>,
    row: Option<RawRow>,
    cells: usize,
    /// Rows of headers that are not followed by data yet.
    headers: Vec<Vec<RawHeader>>,
    /// A row that was read, whose room is used again.
    spare: RawRow,
}

/// A row as it is read: the text of its cells one behind the other.
#[derive(Default)]
struct RawRow {
    text: String,
    cells: Vec<RawCell>,
    line: usize,
}

impl RawRow {
    /// The cells with their texts.
    fn all(&self) -> impl Iterator<Item = (&RawCell, &str)> {
        let ends = self.cells.iter().skip(1).map(|cell| cell.start).chain([self.text.len()]);
        self.cells.iter().zip(ends).map(|(cell, end)| (cell, &self.text[cell.start..end]))
    }
}

#[derive(Default, Clone)]
struct RawCell {
    /// Where its text begins.
    start: usize,
    is_header: bool,
    span: usize,
    /// Rows that it takes, from its own on.
    depth: usize,
    is_open: bool,
}

/// A cell of a header.
struct RawHeader {
    name: String,
    span: usize,
    depth: usize,
}

impl Scan<'_> {
    /// The line of the tag.
    fn line_here(&mut self) -> usize {
        self.line += newlines(&self.whole[self.counted..self.at]);
        self.counted = self.at;
        self.line
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.table.is_some() {
            let Some(row) = &mut self.row else { return };
            let open = row.cells.last().filter(|cell| cell.is_open).map(|cell| cell.start);
            if open.is_some_and(|start| row.text.len() - start <= LONGEST_TEXT) {
                decode_into(text, &mut row.text);
            }
            return;
        }
        if !self.in_note && self.block.len() < 1_000 {
            decode_into(text, &mut self.block);
        }
    }

    fn tag(&mut self, name: &str, tag: &str) {
        match name {
            "table" => {
                self.end_block();
                self.end_table();
                self.in_note = false;
                self.cells += CELLS_OF_TABLE;
                let titles = std::mem::take(&mut self.titles);
                self.table = Some(Section::new(self.heading.clone(), titles));
            }
            "/table" => self.end_table(),
            "tr" if self.table.is_some() => {
                self.end_row();
                self.begin_row();
            }
            "/tr" => self.end_row(),
            "td" | "th" if self.table.is_some() => {
                // A header is spread over all that it spans.
                let (span, depth) = spans(tag);
                self.cells += span;
                if self.row.is_none() {
                    self.begin_row();
                }
                let Some(row) = &mut self.row else { return };
                if let Some(last) = row.cells.last_mut() {
                    last.is_open = false;
                }
                let is_header = name == "th";
                row.cells.push(RawCell { start: row.text.len(), is_header, span, depth, is_open: true });
            }
            "/td" | "/th" => {
                if let Some(cell) = self.row.as_mut().and_then(|row| row.cells.last_mut()) {
                    cell.is_open = false;
                }
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if self.table.is_none() => {
                self.end_block();
                self.in_heading = true;
                self.in_note = false;
                self.titles.clear();
            }
            "/h1" | "/h2" | "/h3" | "/h4" | "/h5" | "/h6" if self.table.is_none() => {
                self.heading = heading_of(&std::mem::take(&mut self.block));
                self.in_heading = false;
            }
            "li" | "title" => {
                self.end_block();
                self.in_note = name == "li";
            }
            "a" if !self.in_heading && tag.to_ascii_lowercase().contains("href") => {
                self.end_block();
                self.in_note = true;
            }
            "/a" | "/li" | "/ul" => self.in_note = false,
            "p" | "/p" | "br" | "div" | "ul" | "/title" => {
                self.end_block();
                self.in_note = false;
            }
            _ => {}
        }
    }

    fn end_block(&mut self) {
        if self.table.is_some() || self.in_heading {
            return;
        }
        let title = joined(&std::mem::take(&mut self.block));
        if title.is_empty() {
            return;
        }
        // Longer ones are sentences.
        if title.chars().count() <= 100 && !title.starts_with("Back to") {
            if self.titles.len() == MOST_TITLES {
                self.titles.remove(0);
            }
            self.titles.push(title);
        }
    }

    fn begin_row(&mut self) {
        let spare = std::mem::take(&mut self.spare);
        self.row = Some(RawRow { line: self.line_here(), ..spare });
    }

    fn end_row(&mut self) {
        let Some(mut row) = self.row.take() else { return };
        self.take_row(&row);
        row.text.clear();
        row.cells.clear();
        self.spare = row;
    }

    fn take_row(&mut self, row: &RawRow) {
        let Some(table) = self.table.as_mut().filter(|_| !row.cells.is_empty()) else { return };
        // A blank corner of a header is often an ordinary cell.
        let is_header = row.cells.iter().any(|cell| cell.is_header)
            && row.all().all(|(cell, text)| cell.is_header || text.trim().is_empty());
        if is_header {
            // A header within a table begins another one under the same heading.
            if !table.rows.is_empty() {
                let next = Section::new(table.heading.clone(), table.titles.clone());
                self.cells += CELLS_OF_TABLE;
                self.page.sections.push(std::mem::replace(table, next));
                self.headers.clear();
            }
            let header = |(cell, text): (&RawCell, &str)| RawHeader {
                name: joined(text),
                span: cell.span,
                depth: cell.depth,
            };
            self.headers.push(row.all().map(header).collect());
            return;
        }
        if table.rows.is_empty() {
            table.columns = columns_of(&std::mem::take(&mut self.headers));
        }
        let mut cells = Row::with_room(row.line, row.cells.len(), row.text.len());
        for (cell, text) in row.all() {
            cells.push(text);
            // Under the rest of a wide header there is nothing, or a mark.
            (1..cell.span).for_each(|_| cells.push(""));
        }
        if cells.len() != table.columns.len() {
            table.first_odd.get_or_insert(row.line);
        }
        table.rows.push(cells);
    }

    fn end_table(&mut self) {
        self.end_row();
        if let Some(mut table) = self.table.take() {
            if table.rows.is_empty() {
                table.columns = columns_of(&std::mem::take(&mut self.headers));
            }
            self.headers.clear();
            self.page.sections.push(table);
        }
        self.row = None;
    }
}

/// Several rows of headers become one: the last names the columns, those above it group them. A header that takes several rows names
/// its columns in the last of them.
fn columns_of(headers: &[Vec<RawHeader>]) -> Vec<Column> {
    let mut rows: Vec<Vec<HeaderCell>> = Vec::new();
    for row in headers {
        let above = rows.last().map_or(&[][..], Vec::as_slice);
        let mut cells: Vec<HeaderCell> = Vec::new();
        let fill = |cells: &mut Vec<HeaderCell>| {
            while let Some(cell) = above.get(cells.len()).filter(|cell| cell.rows_below > 0) {
                cells.push(HeaderCell { name: cell.name.clone(), rows_below: cell.rows_below - 1 });
            }
        };
        for cell in row {
            fill(&mut cells);
            let rows_below = cell.depth.max(1) - 1;
            let one = || HeaderCell { name: cell.name.clone(), rows_below };
            cells.extend(std::iter::repeat_with(one).take(cell.span.max(1)));
        }
        fill(&mut cells);
        rows.push(cells);
    }
    let Some((names, groups)) = rows.split_last() else { return Vec::new() };
    let column = |(at, cell): (usize, &HeaderCell)| {
        // What goes on below is no group, but the name itself.
        let groups = groups.iter().filter_map(|row| row.get(at)).filter(|group| group.rows_below == 0);
        let groups: Vec<&str> =
            groups.map(|group| group.name.as_str()).filter(|name| !name.is_empty()).collect();
        Column::new(groups.join(" "), cell.name.clone())
    };
    names.iter().enumerate().map(column).collect()
}

/// A header at its place, once for each column that it spans.
struct HeaderCell {
    name: String,
    /// Rows of the header that it takes below this one.
    rows_below: usize,
}

/// The columns and the rows that a cell takes.
fn spans(tag: &str) -> (usize, usize) {
    // Hardly any of a hundred thousand cells takes more than one.
    if tag.as_bytes().windows(4).any(|part| part.eq_ignore_ascii_case(b"span")) {
        (span_of(tag, "colspan"), span_of(tag, "rowspan"))
    } else {
        (1, 1)
    }
}

fn span_of(tag: &str, attribute: &str) -> usize {
    let is_it = |part: &[u8]| part.eq_ignore_ascii_case(attribute.as_bytes());
    let Some(at) = tag.as_bytes().windows(attribute.len()).position(is_it) else { return 1 };
    let after = &tag[at + attribute.len()..];
    let digits: String = after
        .chars()
        .skip_while(|c| matches!(c, ' ' | '=' | '"' | '\''))
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(1).clamp(1, WIDEST_SPAN)
}

/// Text with its entities as characters.
fn decode_into(text: &str, into: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        into.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let entity = end.map(|end| &rest[1..end]);
        let decoded = entity.and_then(|entity| match entity {
            "nbsp" => Some(' '),
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => {
                let number = entity.strip_prefix('#')?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code).map(|c| if c == '\u{a0}' { ' ' } else { c })
            }
        });
        match (decoded, end) {
            (Some(c), Some(end)) => {
                into.push(c);
                rest = &rest[end + 1..];
            }
            _ => {
                into.push('&');
                rest = &rest[1..];
            }
        }
    }
    into.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_in_capitals_without_quotes_and_without_ends_are_read() {
        let page = read(
            "C:\\> some prompt\n<HTML><H3 class=awr>IO Profile</H3>\n<UL><LI>a note</UL>\n<TABLE border=0>\n\
             <TR><TH>&nbsp;<TH colSpan=2>Requests\n<TR><TH>Name<TH>Reads<TH>Writes\n<TR><TD>&nbsp;All&nbsp;<TD>1,2<TD>3\n\
             <TR><TD>Rest<TD colspan=2>4</TABLE><P>End of Report</HTML>",
        );
        let [section] = page.sections.as_slice() else { panic!("{page:?}") };
        assert_eq!((section.heading.as_str(), section.rows[0].line), ("IO Profile", 7));
        let names: Vec<&str> = section.columns.iter().map(Column::full_name).collect();
        assert_eq!(names, ["Name", "Requests Reads", "Requests Writes"]);
        assert_eq!(section.rows[0].cells().collect::<Vec<_>>(), ["All", "1,2", "3"]);
        assert_eq!(section.rows[1].cells().collect::<Vec<_>>(), ["Rest", "4", ""]);
        assert!(page.is_whole);
    }

    #[test]
    fn a_header_of_several_rows_names_its_columns_in_the_last_of_them() {
        let page = read(
            "<table><tr><th></th><th colspan=5>IOPs</th></tr>\
             <tr><th></th><th rowspan=2>Total</th><th rowspan=2>% Total</th><th colspan=2>Per Cell</th><th>Per Disk</th></tr>\
             <tr><th>Disk Type</th><th colspan=2>Average</th><th>Mean</th></tr>\
             <tr><td>F/5.8T</td><td>80</td><td></td><td colspan=2>20</td><td>5</td></tr></table>",
        );
        let section = &page.sections[0];
        let names: Vec<&str> = section.columns.iter().map(Column::full_name).collect();
        assert_eq!(
            names,
            [
                "Disk Type",
                "IOPs Total",
                "IOPs % Total",
                "IOPs Per Cell Average",
                "IOPs Per Cell Average",
                "IOPs Per Disk Mean"
            ]
        );
        assert_eq!(section.rows[0].cells().collect::<Vec<_>>(), ["F/5.8T", "80", "", "20", "", "5"]);
    }

    #[test]
    fn a_header_within_a_table_begins_another_one() {
        let page = read(
            "<h4>Small Reads</h4><table><tr><th>a</th></tr><tr><td>1</td></tr><tr><th>b</th></tr><tr><td>2</td></tr></table>",
        );
        let of = |at: usize| (page.sections[at].columns[0].name.as_str(), page.sections[at].rows[0].cell(0));
        assert_eq!((of(0), of(1)), (("a", "1"), ("b", "2")));
        assert!(!page.is_whole);
    }

    #[test]
    fn a_bare_less_than_sign_is_text() {
        let page = read("<table><tr><th>< 1ms<th><1ms</tr><tr><td>2</table>");
        let names: Vec<&str> = page.sections[0].columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["< 1ms", "<1ms"]);
    }
}
