//! The document as CSV in long form: one row for each figure, as a spreadsheet or a script loads it.
//!
//! Numbers are written with all their digits, in the unit beside them, whatever the other forms round them
//! to.

use iotrial_model::foreign_text::is_hidden;

use crate::calendar;
use crate::chart::{BarChart, Chart, Scale};
use crate::document::{Answer, Block, Document, Section};
use crate::quantity::Quantity;
use crate::table::{Row, Table, Value, category_word};
use crate::text::without_steering;

/// The columns, in their order.
const HEADERS: [&str; 9] = ["run", "section", "table", "row", "at", "at_unit", "figure", "unit", "value"];

/// Why a document could not be written as CSV.
#[derive(Debug, thiserror::Error)]
#[error("the rows of the CSV could not be put together")]
pub struct RenderCsvError(#[source] std::io::Error);

/// The document with one row for each figure, as RFC 4180 has it. Texts that are shown word for word, and
/// heat maps, are left out.
///
/// # Errors
///
/// When the rows cannot be put together, which nothing in a document leads to.
pub fn render_csv(document: &Document) -> Result<String, RenderCsvError> {
    let mut rows = Rows { writer: writer() };
    let write = |rows: &mut Rows| -> csv::Result<()> {
        rows.writer.write_record(HEADERS)?;
        for part in document.parts() {
            let of_part = CsvRow { run: &part.title, ..CsvRow::default() };
            for (name, text) in &part.in_brief {
                let section = "Summary";
                let value = text_value(text);
                rows.write(CsvRow { section, figure: name, value, ..of_part.clone() })?;
            }
            for section in &part.sections {
                rows.section(section, of_part.clone())?;
            }
        }
        Ok(())
    };
    write(&mut rows).map_err(|error| RenderCsvError(error.into()))?;
    text_of(rows.writer)
}

/// Rows below one line of heads, as RFC 4180 has it. What is absent is an empty cell.
///
/// # Errors
///
/// When the rows cannot be put together, such as those that have not as many cells as there are heads.
pub fn render_rows(heads: &[&str], rows: &[Vec<Value>]) -> Result<String, RenderCsvError> {
    let mut writer = writer();
    let mut write =
        |cells: Vec<String>| writer.write_record(cells).map_err(|error| RenderCsvError(error.into()));
    write(heads.iter().map(|&head| head.to_owned()).collect())?;
    for row in rows {
        write(row.iter().map(|value| written(value, Quantity::Words).1).collect())?;
    }
    text_of(writer)
}

fn writer() -> csv::Writer<Vec<u8>> {
    // RFC 4180 has CRLF.
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new())
}

fn text_of(writer: csv::Writer<Vec<u8>>) -> Result<String, RenderCsvError> {
    // The writer buffers; only `into_inner` says whether all of it was written.
    let bytes = writer.into_inner().map_err(|error| RenderCsvError(error.into_error()))?;
    String::from_utf8(bytes).map_err(|error| RenderCsvError(std::io::Error::other(error)))
}

/// One row of the file.
#[derive(Debug, Clone, Default)]
struct CsvRow<'d> {
    /// The title of the document or chapter.
    run: &'d str,
    section: &'d str,
    /// The caption of the table, or the title of the chart.
    table: &'d str,
    /// What labels the row, or the name of the line.
    row: String,
    /// The place of a point of a chart.
    at: String,
    at_unit: &'static str,
    figure: &'d str,
    unit: &'static str,
    value: String,
}

struct Rows {
    writer: csv::Writer<Vec<u8>>,
}

impl Rows {
    fn write(&mut self, figure: CsvRow<'_>) -> csv::Result<()> {
        // Every text passes both guards, even names from our own code: whoever looks for a hole should find one
        // place.
        self.writer.write_record([
            &text_value(figure.run),
            &text_value(figure.section),
            &text_value(figure.table),
            &text_value(&figure.row),
            // Numbers and units are ours and are not guarded: an apostrophe before −1 would make it text.
            &figure.at,
            figure.at_unit,
            &text_value(figure.figure),
            figure.unit,
            &figure.value,
        ])
    }

    fn section<'d>(&mut self, section: &'d Section, of_part: CsvRow<'d>) -> csv::Result<()> {
        let heading = if section.heading.is_empty() { "Summary" } else { section.heading };
        let of_section = CsvRow { section: heading, ..of_part };
        for block in &section.blocks {
            match block {
                Block::Verdict(verdict) => {
                    let mut say = |figure: &'static str, value: String| {
                        self.write(CsvRow { figure, value: text_value(&value), ..of_section.clone() })
                    };
                    say("verdict", verdict.word().to_owned())?;
                    if let Some(category) = verdict.category {
                        say("category", category_word(category).to_owned())?;
                    }
                    say("sentence", without_steering(&verdict.sentence))?;
                    if let Some(advice) = &verdict.advice {
                        say("advice", without_steering(advice))?;
                    }
                    for reason in &verdict.reasons {
                        say("reason", without_steering(reason))?;
                    }
                    if let Some(ended) = &verdict.ended {
                        say("ended", without_steering(ended))?;
                    }
                }
                Block::Answer(Answer { headline, sentence, points, lists, .. })
                | Block::Statement(Answer { headline, sentence, points, lists, .. }) => {
                    let mut say = |figure: &'static str, value: &str| {
                        self.write(CsvRow { figure, value: text_value(value), ..of_section.clone() })
                    };
                    say("answer", headline)?;
                    say("sentence", sentence)?;
                    points.iter().try_for_each(|point| say("reason", point))?;
                    for list in lists {
                        list.points.iter().try_for_each(|point| say(list.heading, point))?;
                    }
                }
                Block::Findings(findings) => {
                    for finding in findings {
                        let of_finding = CsvRow {
                            table: finding.label(),
                            row: finding.name().to_owned(),
                            ..of_section.clone()
                        };
                        let value = text_value(&finding.message);
                        self.write(CsvRow { figure: "message", value, ..of_finding.clone() })?;
                        for fact in &finding.evidence {
                            let (unit, value) = written(&fact.value, fact.quantity);
                            self.write(CsvRow { figure: &fact.name, unit, value, ..of_finding.clone() })?;
                        }
                    }
                }
                Block::Table(table) => self.table(table, &of_section)?,
                Block::Charts(group) => {
                    for chart in &group.charts {
                        self.chart(chart, &of_section)?;
                    }
                }
                Block::Bars(charts) => {
                    for chart in charts {
                        self.bars(chart, &of_section)?;
                    }
                }
                Block::Facts(facts) => {
                    for fact in facts {
                        let (unit, value) = written(&fact.value, fact.quantity);
                        self.write(CsvRow { figure: &fact.name, unit, value, ..of_section.clone() })?;
                    }
                }
                // A text word for word is not a figure, and a heat map has tens of thousands of them.
                Block::HeatMaps(_) | Block::Verbatim { .. } => {}
            }
        }
        Ok(())
    }

    fn table<'d>(&mut self, table: &'d Table, of_section: &CsvRow<'d>) -> csv::Result<()> {
        let label_count = table.label_count();
        let word = |value: &Value| match value {
            Value::Text(text) => text.clone(),
            other => written(other, Quantity::Words).1,
        };
        let label = |row: &Row| {
            // Labels of a row are joined, because a long form has one column for them.
            let labels = row.cells[..label_count].iter().map(word);
            labels.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
        };
        for row in &table.rows {
            for (value, column) in row.cells.iter().zip(&table.columns).skip(label_count) {
                let figure = column.full_name("");
                let (unit, value) = written(value, column.quantity);
                self.write(CsvRow {
                    table: &table.caption,
                    row: label(row),
                    figure: &figure,
                    unit,
                    value,
                    ..of_section.clone()
                })?;
            }
        }
        Ok(())
    }

    fn chart<'d>(&mut self, chart: &'d Chart, of_section: &CsvRow<'d>) -> csv::Result<()> {
        for line in &chart.lines {
            for (x, y) in &line.points {
                self.write(CsvRow {
                    table: &chart.title,
                    row: line.name.clone(),
                    at: if chart.x.scale == Scale::Calendar { calendar::exact(*x) } else { plain(*x) },
                    at_unit: chart.x.quantity.plain_unit(),
                    figure: &chart.title,
                    unit: chart.y.quantity.plain_unit(),
                    value: y.map(plain).unwrap_or_default(),
                    ..of_section.clone()
                })?;
            }
        }
        Ok(())
    }

    fn bars<'d>(&mut self, chart: &'d BarChart, of_section: &CsvRow<'d>) -> csv::Result<()> {
        for series in &chart.series {
            for (group, bar) in chart.groups.iter().zip(&series.bars) {
                let values = [
                    ("value", bar.map(|bar| bar.value)),
                    ("low end", bar.and_then(|bar| bar.interval).map(|(low, _)| low)),
                    ("high end", bar.and_then(|bar| bar.interval).map(|(_, high)| high)),
                ];
                for (figure, value) in values.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                    self.write(CsvRow {
                        table: &chart.title,
                        row: format!("{group}, {}", series.name),
                        figure,
                        unit: chart.value.quantity.plain_unit(),
                        value: plain(value),
                        ..of_section.clone()
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// A value with its unit; an absent one is empty.
fn written(value: &Value, quantity: Quantity) -> (&'static str, String) {
    match value {
        Value::Absent => ("", String::new()),
        Value::Text(text) => ("", text_value(text)),
        Value::Count(count) => (quantity.plain_unit(), count.to_string()),
        Value::Number(number) | Value::Change { percent: number, .. } => {
            (quantity.plain_unit(), plain(*number))
        }
        // No number: a program that reads one must not take the bound for the figure.
        Value::Bounded { sign, number, .. } => (quantity.plain_unit(), format!("{sign} {}", plain(*number))),
        Value::Category(category) => ("", category_word(*category).to_owned()),
    }
}

/// The shortest decimal form of the number; empty where it is not finite.
fn plain(number: f64) -> String {
    // `to_string` prints the shortest decimal that reads back as the same f64.
    if number.is_finite() { number.to_string() } else { String::new() }
}

/// A text in a cell, on one line: a row that is printed must not begin a line with what a stranger wrote.
fn text_value(text: &str) -> String {
    guarded(&without_steering(text)).replace("\r\n", "\\n").replace(['\n', '\r'], "\\n")
}

/// Text that no spreadsheet takes for a formula: what looks like one has an apostrophe before it.
///
/// The signs are those of the Open Web Application Security Project ("CSV Injection"), and their full-width
/// forms.
fn guarded(text: &str) -> String {
    let begins_formula =
        |c: char| matches!(c, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠');
    let first = text.chars().next().is_some_and(begins_formula);
    // Some programs skip spaces, quotes and invisible characters before they look for a formula.
    let is_passed = |c: char| {
        c.is_whitespace()
            || is_hidden(c)
            || matches!(c, '"' | '\'' | '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{fffd}')
    };
    let after_spaces = text.trim_start_matches(is_passed).chars().next().is_some_and(begins_formula);
    // An apostrophe, which spreadsheets hide; dropping the sign would change the name.
    if first || after_spaces { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_looks_like_a_formula_has_an_apostrophe_before_it() {
        for formula in [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            " =1",
            "\"=1",
            "＝1",
            "\u{a0}=1",
            "\u{200b}+1",
            "\u{feff}@A",
            "\u{2028}-1",
            "\u{200d} =1",
        ] {
            assert_eq!(guarded(formula), format!("'{formula}"));
        }
        for text in ["a=b", "3-4", "", "ms", "data read"] {
            assert_eq!(guarded(text), text);
        }
    }

    #[test]
    fn a_number_has_all_its_digits_and_none_that_is_not_is_written() {
        assert_eq!([0.1, 1e-7, 12_345_678.5, -3.0].map(plain), ["0.1", "0.0000001", "12345678.5", "-3"]);
        assert_eq!(plain(f64::NAN), "");
    }
}
