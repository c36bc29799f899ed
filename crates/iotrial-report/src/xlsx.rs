//! The document as a workbook: a sheet for each part, real numbers with their units in the headers, native
//! charts.
//!
//! Numbers keep all their digits and are shown as rounded as in the other forms. No cell is a formula, and
//! the same document gives the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, FormatAlign, Workbook, Worksheet, XlsxError};

use crate::document::{Answer, Block, Document, Section, VerdictBlock};
use crate::quantity::{LatencyUnit, NumberFormat, Quantity};
use crate::table::{Table, Value, category_word, reading_mark};
use crate::text::{cut, without_steering, wrap};

mod charts;

mod limits;

mod findings;

mod layers;

mod heat_map;

mod sheet_name;

use findings::WrappedCell;
use sheet_name::{SheetNames, chapters};

/// Why a document could not become a workbook: it does not fit the format's limits.
#[derive(Debug, thiserror::Error)]
#[error("the report does not fit into a workbook")]
pub struct RenderXlsxError(#[from] XlsxError);

/// The bytes of an XLSX file.
///
/// # Errors
///
/// When a part of the document has more rows or columns than a sheet.
pub fn render_xlsx(document: &Document) -> Result<Vec<u8>, RenderXlsxError> {
    let unit = document.latency_unit();
    // Everything is made in memory: a report is written whole or not at all.
    let mut workbook = Workbook::new();
    // The library would ask the clock when the file was made; the sheets say when the runs were.
    let made = ExcelDateTime::from_ymd(2000, 1, 1)?;
    // In properties, too, a stranger's title is cut and cleaned.
    let title = cut(&without_steering(&document.title), LONGEST_PROPERTY);
    workbook.set_properties(&DocProperties::new().set_title(title).set_creation_datetime(&made));
    let mut names = SheetNames::default();
    let parts = document.parts();
    let chapters = chapters(&parts.iter().map(|part| part.title.as_str()).collect::<Vec<_>>());
    for (part, chapter) in parts.into_iter().zip(&chapters) {
        // The part without a heading opens the workbook, and every section has a sheet.
        let (opening, rest): (Vec<&Section>, Vec<&Section>) =
            part.sections.iter().partition(|section| section.heading.is_empty());
        // One table of all there is comes first: whoever asked for a workbook filters it, and copies its columns.
        let (first, rest): (Vec<&Section>, Vec<&Section>) =
            rest.into_iter().partition(|section| section.id == "inventory");
        for section in first {
            let mut sheet = Sheet::new(&mut workbook, names.next(chapter, section.heading), unit)?;
            sheet.section(section)?;
            sheet.close()?;
        }
        let mut sheet = Sheet::new(&mut workbook, names.next(chapter, "Summary"), unit)?;
        sheet.line(&part.title, &sheet.styles.title.clone())?;
        sheet.line(&part.byline, &sheet.styles.soft.clone())?;
        for section in opening {
            sheet.section(section)?;
        }
        sheet.brief(&part.in_brief)?;
        sheet.close()?;
        for section in rest {
            let name = names.next(chapter, section.heading);
            // A long table among others has a sheet of its own, where its headers can stay in sight.
            let apart: Vec<(usize, &Table, String)> = tables_apart(section)
                .map(|(at, table)| (at, table, names.next(chapter, &table.caption)))
                .collect();
            let mut sheet = Sheet::new(&mut workbook, name, unit)?;
            sheet.apart = apart.iter().map(|(at, _, name)| (*at, name.clone())).collect();
            sheet.line(section.heading, &sheet.styles.title.clone())?;
            sheet.section(section)?;
            sheet.close()?;
            for (_, table, name) in apart {
                let mut sheet = Sheet::new(&mut workbook, name, unit)?;
                sheet.line(&table.caption, &sheet.styles.title.clone())?;
                sheet.row += 1;
                sheet.table(table)?;
                sheet.close()?;
            }
        }
    }
    Ok(workbook.save_to_buffer()?)
}

/// Excel shows no more of a property.
const LONGEST_PROPERTY: usize = 200;
/// Excel takes 32,767 units of UTF-16 in a cell; a character has at most two.
const LONGEST_CELL: usize = 16_000;
/// The widths of columns, in characters.
const NARROWEST_COLUMN: usize = 9;
const WIDEST_COLUMN: usize = 44;

/// The height of a line of text, in points.
const LINE_HEIGHT: f64 = 15.0;
/// The most lines that a header shows; its cell holds the rest.
const MOST_HEADER_LINES: usize = 5;
/// Prose runs over several columns, at least this many characters wide.
const LONGEST_LINE: usize = 110;
/// The default width of a column, in characters.
const USUAL_WIDTH: f64 = 8.43;
/// Fewer rows than this are seen at once and need no filter.
const LEAST_FILTERED_ROWS: u32 = 4;
/// A header below this row is not frozen, with all that is above it: little would be left of a window to scroll in.
const DEEPEST_FROZEN_ROW: u32 = 8;

/// A table with more rows than this is scrolled.
const MOST_ROWS_IN_SIGHT: usize = 25;

/// The tables of a section that are scrolled, and not alone in it, each with its place among the blocks.
fn tables_apart(section: &Section) -> impl Iterator<Item = (usize, &Table)> {
    let has_others = section.blocks.len() > 1;
    section.blocks.iter().enumerate().filter_map(move |(at, block)| match block {
        Block::Table(table) if has_others && table.rows.len() > MOST_ROWS_IN_SIGHT => Some((at, table)),
        _ => None,
    })
}

/// How cells look.
struct Styles {
    title: Format,
    caption: Format,
    header: Format,
    number_header: Format,
    text: Format,
    wrapped: Format,
    soft: Format,
    strong: Format,
    verbatim: Format,
}

impl Styles {
    fn new() -> Self {
        let header =
            Format::new().set_bold().set_text_wrap().set_border_bottom(rust_xlsxwriter::FormatBorder::Thin);
        Self {
            title: Format::new().set_bold().set_font_size(15),
            caption: Format::new().set_bold(),
            header: header.clone(),
            number_header: header.set_align(FormatAlign::Right),
            text: Format::new().set_align(FormatAlign::Top),
            wrapped: Format::new().set_align(FormatAlign::Top).set_text_wrap(),
            soft: Format::new().set_font_color(0x59_636E),
            strong: Format::new().set_bold().set_align(FormatAlign::Top),
            verbatim: Format::new().set_font_name("Consolas"),
        }
    }
}

/// A sheet that is being filled from the top.
struct Sheet<'w> {
    sheet: &'w mut Worksheet,
    name: String,
    unit: LatencyUnit,
    styles: Styles,
    /// The next row.
    row: u32,
    /// The longest text so far in the columns of tables, in characters.
    widths: Vec<usize>,
    /// Where the headers are, and how many characters they have.
    headers: Vec<(u32, u16, usize)>,
    /// Rows with headers.
    heading_rows: BTreeSet<u32>,
    /// Paragraphs, which are written when it is known how wide the columns below them are.
    paragraphs: Vec<Paragraph>,
    /// Columns whose width does not follow from their content.
    fixed_widths: BTreeMap<u16, f64>,
    /// Texts that take several lines of a cell.
    wrapped_cells: Vec<WrappedCell>,
    /// The tables from the top.
    tables: Vec<TableArea>,
    /// Blocks of the section that are on other sheets, with the names of these.
    apart: BTreeMap<usize, String>,
}

/// A whole paragraph: one cell that spans columns from `column` on.
struct Paragraph {
    row: u32,
    column: u16,
    text: String,
    format: Format,
}

/// Where a table is on its sheet.
#[derive(Clone, Copy)]
struct TableArea {
    header: u32,
    last_row: u32,
    last_column: u16,
    /// How many of its columns label a row.
    label_count: u16,
}

impl<'w> Sheet<'w> {
    fn new(workbook: &'w mut Workbook, name: String, unit: LatencyUnit) -> Result<Self, XlsxError> {
        let sheet = workbook.add_worksheet();
        // As wide as one page and as long as it needs.
        sheet.set_name(name.as_str())?.set_landscape().set_print_fit_to_pages(1, 0);
        Ok(Self {
            sheet,
            name,
            unit,
            styles: Styles::new(),
            row: 0,
            widths: Vec::new(),
            headers: Vec::new(),
            heading_rows: BTreeSet::new(),
            paragraphs: Vec::new(),
            fixed_widths: BTreeMap::new(),
            wrapped_cells: Vec::new(),
            tables: Vec::new(),
            apart: BTreeMap::new(),
        })
    }

    /// Writes everything that depends on the widths of the columns: the widths, the height of headers and of paragraphs; then
    /// lets the first table be scrolled and filtered.
    fn close(mut self) -> Result<(), XlsxError> {
        let mut lines: BTreeMap<u32, usize> = BTreeMap::new();
        for (row, column, length) in std::mem::take(&mut self.headers) {
            let width = self.widths.get(usize::from(column)).copied().unwrap_or(NARROWEST_COLUMN);
            // A third of the width for words that do not fill their line.
            let needed = (length + width / 3).div_ceil(width.clamp(NARROWEST_COLUMN, WIDEST_COLUMN));
            let most = lines.entry(row).or_default();
            *most = needed.clamp(*most, MOST_HEADER_LINES);
        }
        for (row, lines) in lines.into_iter().filter(|(_, lines)| *lines > 1) {
            self.sheet.set_row_height(row, lines as f64 * LINE_HEIGHT)?;
        }
        let fixed = self.fixed_widths.keys().map(|column| usize::from(*column) + 1).max().unwrap_or_default();
        for column in (0u16..).take(self.widths.len().max(fixed)) {
            self.sheet.set_column_width(column, self.width_of(column))?;
        }
        self.heighten()?;
        for paragraph in std::mem::take(&mut self.paragraphs) {
            self.paragraph(&paragraph)?;
        }
        self.panes()
    }

    /// The width that a column will have, in characters.
    fn width_of(&self, column: u16) -> f64 {
        let fixed = self.fixed_widths.get(&column).copied();
        fixed.unwrap_or_else(|| match self.widths.get(usize::from(column)) {
            Some(width) => (*width).clamp(NARROWEST_COLUMN, WIDEST_COLUMN) as f64 + 1.5,
            None => USUAL_WIDTH,
        })
    }

    /// One cell over as many columns as make a line of prose, and as high as the paragraph needs.
    // One cell, so that a paragraph can be copied, searched and read as one.
    fn paragraph(&mut self, paragraph: &Paragraph) -> Result<(), XlsxError> {
        let mut last = paragraph.column;
        let mut width = self.width_of(last);
        while width < LONGEST_LINE as f64 {
            last += 1;
            width += self.width_of(last);
        }
        // A merged cell has at least two.
        last = last.max(paragraph.column + 1);
        let (text, format) = as_text(&paragraph.text, &paragraph.format.clone().set_text_wrap());
        self.sheet.merge_range(paragraph.row, paragraph.column, paragraph.row, last, &text, &format)?;
        // A tenth less, because letters are not all as wide as the digits that widths are counted in.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a width in characters")]
        let lines = wrap(&text, (0.9 * width) as usize).len();
        self.sheet.set_row_height(paragraph.row, lines as f64 * LINE_HEIGHT)?;
        Ok(())
    }

    /// Headers and labels of the only table stay where they are, and its rows can be filtered. Where there are several, the headers of one
    /// would stand over the numbers of another.
    fn panes(&mut self) -> Result<(), XlsxError> {
        let [only] = self.tables.as_slice() else { return Ok(()) };
        if self.heading_rows.len() > 1 {
            return Ok(());
        }
        if only.last_row >= only.header + LEAST_FILTERED_ROWS {
            self.sheet.autofilter(only.header, 0, only.last_row, only.last_column)?;
        }
        // Below charts a header would take the whole window with it.
        if only.header <= DEEPEST_FROZEN_ROW {
            self.sheet.set_freeze_panes(only.header + 1, only.label_count)?;
            self.sheet.set_repeat_rows(only.header, only.header)?;
        }
        Ok(())
    }

    /// Text that stays text, whatever it begins with.
    fn text(&mut self, row: u32, column: u16, text: &str, format: &Format) -> Result<(), XlsxError> {
        // Written as a string it is not a formula, whatever it begins with.
        let (text, format) = as_text(text, format);
        self.sheet.write_string_with_format(row, column, text, &format)?;
        Ok(())
    }

    fn number(&mut self, row: u32, column: u16, number: f64, format: &Format) -> Result<(), XlsxError> {
        // Excel has no NaN; the cell stays empty.
        if number.is_finite() {
            self.sheet.write_number_with_format(row, column, number, format)?;
        }
        Ok(())
    }

    /// A value of a table or a fact; an absent one leaves its cell empty.
    fn value(
        &mut self,
        (row, column): (u32, u16),
        value: &Value,
        format: &NumberFormat,
        style: &Format,
    ) -> Result<(), XlsxError> {
        match value {
            Value::Absent => Ok(()),
            Value::Text(text) => self.text(row, column, text, style),
            Value::Category(category) => self.text(row, column, category_word(*category), style),
            // Words, so that no formula takes the bound for the figure.
            Value::Bounded { sign, number, reading } => {
                let mark = reading.map_or_else(String::new, |one| format!(" {}", reading_mark(one)));
                let written = format.write(*number);
                self.text(row, column, &format!("{sign} {written}{mark}"), style)
            }
            Value::Count(count) => {
                // f64 is what a cell holds; counts beyond 2^53 do not occur.
                self.number(row, column, *count as f64, &style.clone().set_num_format("#,##0"))
            }
            // The mark of the meaning follows the number, which stays a number.
            Value::Change { percent, reading } => {
                let mark = reading_mark(*reading);
                let behind = if mark.is_empty() { String::new() } else { format!("\" {mark}\"") };
                let numbers = format.spreadsheet_format();
                // Three parts of a number format: positive, negative, zero. So a change keeps its sign and
                // the mark behind it.
                let signed = format!("+{numbers}{behind};-{numbers}{behind};±{numbers}{behind}");
                self.number(row, column, format.in_unit(*percent), &style.clone().set_num_format(signed))
            }
            Value::Number(number) => {
                let style = style.clone().set_num_format(format.spreadsheet_format_of(*number));
                self.number(row, column, format.in_unit(*number), &style)
            }
        }
    }

    /// A line of its own.
    fn line(&mut self, text: &str, format: &Format) -> Result<(), XlsxError> {
        self.text(self.row, 0, text, format)?;
        self.row += 1;
        Ok(())
    }

    /// A paragraph in a row of its own.
    fn prose(&mut self, text: &str, format: &Format) {
        self.prose_from(0, text, format);
    }

    fn prose_from(&mut self, column: u16, text: &str, format: &Format) {
        let (row, format) = (self.row, format.clone());
        self.paragraphs.push(Paragraph { row, column, text: text.to_owned(), format });
        self.row += 1;
    }

    /// Makes room in a column for a text.
    fn widen(&mut self, column: u16, text: &str) {
        let column = usize::from(column);
        if self.widths.len() <= column {
            self.widths.resize(column + 1, NARROWEST_COLUMN);
        }
        // In characters, which is the unit of Excel's widths.
        self.widths[column] = self.widths[column].max(text.chars().count());
    }

    fn section(&mut self, section: &Section) -> Result<(), XlsxError> {
        if let Some(note) = &section.note {
            self.prose(note, &self.styles.soft.clone());
        }
        let has_captions = section.blocks.len() > 1;
        for (at, block) in section.blocks.iter().enumerate() {
            self.row += 1;
            match block {
                Block::Verdict(verdict) => self.verdict(verdict)?,
                Block::Answer(answer) | Block::Statement(answer) => self.answer(answer)?,
                Block::Findings(findings) => self.findings(findings)?,
                Block::Table(table) => {
                    if let Some(name) = self.apart.get(&at) {
                        let text = format!("{}: sheet “{name}”", table.caption);
                        self.line(&text, &self.styles.caption.clone())?;
                        continue;
                    }
                    if has_captions {
                        self.line(&table.caption, &self.styles.caption.clone())?;
                    }
                    self.table(table)?;
                }
                Block::Facts(facts) => self.facts(facts)?,
                Block::Charts(group) => self.charts(&group.charts)?,
                Block::Bars(charts) => self.bars(charts)?,
                Block::HeatMaps(maps) => self.heat_maps(maps)?,
                Block::Verbatim { caption, text } => {
                    self.line(caption, &self.styles.caption.clone())?;
                    for line in text.lines() {
                        self.line(line, &self.styles.verbatim.clone())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn verdict(&mut self, verdict: &VerdictBlock) -> Result<(), XlsxError> {
        let category = verdict.decisive_category().map(|category| format!(" ({})", category_word(category)));
        let answer = format!("{}{}", verdict.word(), category.unwrap_or_default());
        self.line(&answer, &self.styles.title.clone())?;
        let reasons = verdict.reasons.iter().map(|reason| format!("• {reason}"));
        let lines = [Some(verdict.sentence.clone()), verdict.advice.clone(), verdict.ended.clone()];
        for line in lines.into_iter().flatten().chain(reasons) {
            self.prose(&line, &self.styles.text.clone());
        }
        Ok(())
    }

    fn answer(&mut self, answer: &Answer) -> Result<(), XlsxError> {
        self.line(&answer.headline, &self.styles.title.clone())?;
        self.prose(&answer.sentence, &self.styles.text.clone());
        self.points(&answer.points);
        for list in &answer.lists {
            self.row += 1;
            self.line(list.heading, &self.styles.caption.clone())?;
            self.points(&list.points);
        }
        Ok(())
    }

    fn points(&mut self, points: &[String]) {
        points.iter().for_each(|point| self.prose(&format!("• {point}"), &self.styles.text.clone()));
    }

    /// The circumstances: names in the first column, and texts as wide as prose.
    fn brief(&mut self, lines: &[(&'static str, String)]) -> Result<(), XlsxError> {
        self.row += 1;
        for (name, text) in lines {
            self.text(self.row, 0, name, &self.styles.soft.clone())?;
            self.widen(0, name);
            self.prose_from(1, text, &self.styles.text.clone());
        }
        Ok(())
    }

    /// A header, which may take several lines.
    fn header(&mut self, row: u32, column: u16, text: &str, format: &Format) -> Result<(), XlsxError> {
        self.headers.push((row, column, text.chars().count()));
        self.heading_rows.insert(row);
        self.text(row, column, text, format)
    }

    fn headers(&mut self, headers: &[(String, bool)]) -> Result<(), XlsxError> {
        let mut is_behind_number = false;
        for (column, (header, is_number)) in (0u16..).zip(headers) {
            let style = match (*is_number, is_behind_number) {
                (true, _) => self.styles.number_header.clone(),
                (false, true) => self.styles.header.clone().set_align(FormatAlign::Left).set_indent(1),
                (false, false) => self.styles.header.clone(),
            };
            is_behind_number = *is_number;
            self.header(self.row, column, header, &style)?;
            // A header of several words may take two lines.
            // Words of a header wrap, so its longest word decides and not its whole length.
            let longest_word = header.split(' ').max_by_key(|word| word.len()).unwrap_or_default().to_owned();
            self.widen(column, &longest_word);
        }
        self.row += 1;
        Ok(())
    }

    /// Notes where the table begins and ends whose header is in the next row.
    fn area(&mut self, row_count: usize, column_count: usize, label_count: usize) {
        let as_column = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        self.tables.push(TableArea {
            header: self.row,
            last_row: self.row + u32::try_from(row_count).unwrap_or_default(),
            last_column: as_column(column_count.saturating_sub(1)),
            // Most of a small window must be left to scroll in.
            label_count: as_column(label_count.min(2)),
        });
    }

    fn table(&mut self, table: &Table) -> Result<(), XlsxError> {
        let formats = table.formats(self.unit);
        let headers: Vec<(String, bool)> = table
            .columns
            .iter()
            .zip(&formats)
            .map(|(column, format)| {
                (column.full_name(unit_of(column.quantity, format)), column.quantity != Quantity::Words)
            })
            .collect();
        self.area(table.rows.len(), table.columns.len(), table.label_count());
        self.headers(&headers)?;
        // Numbers end where the next column begins: words there would touch them. LibreOffice indents only what is aligned.
        let is_behind_number = |column: usize| column > 0 && headers[column - 1].1 && !headers[column].1;
        for row in &table.rows {
            let style = if row.is_total { &self.styles.strong } else { &self.styles.text }.clone();
            let cells = row.cells.iter().zip(table.columns.iter().zip(&formats));
            for (column, (value, (header, format))) in (0u16..).zip(cells) {
                let written = value.written(header.quantity, format);
                if is_behind_number(usize::from(column)) {
                    self.value(
                        (self.row, column),
                        value,
                        format,
                        &style.clone().set_align(FormatAlign::Left).set_indent(1),
                    )?;
                    self.widen(column, &format!("{written}  "));
                } else {
                    self.value((self.row, column), value, format, &style)?;
                    self.widen(column, &written);
                }
            }
            self.row += 1;
        }
        Ok(())
    }
}

/// Text for a cell, with the format that keeps it text.
fn as_text(text: &str, format: &Format) -> (String, Format) {
    let text = cut(&without_steering(text), LONGEST_CELL);
    // Without the mark a cell that is edited, and left as it was, would become a formula.
    let format = if text.starts_with(['=', '+', '-', '@']) {
        format.clone().set_quote_prefix()
    } else {
        format.clone()
    };
    (text, format)
}

/// The unit in a header. Sizes are bytes, because a column has one unit.
const fn unit_of(quantity: Quantity, format: &NumberFormat) -> &'static str {
    match quantity {
        Quantity::Bytes => "bytes",
        _ => format.unit,
    }
}
