//! Findings and facts on a sheet: names with values and prose, in rows as high as their text needs.

use std::collections::BTreeMap;

use rust_xlsxwriter::{Format, FormatAlign, XlsxError};

use super::{LINE_HEIGHT, Sheet, unit_of};
use crate::document::{Fact, FindingLine};
use crate::table::Value;
use crate::text::wrap;

/// The column of messages, and its width in characters: prose of a narrower one would take many lines.
const MESSAGE_COLUMN: u16 = 4;
const MESSAGE_WIDTH: f64 = 80.0;

/// A text that takes as many lines of its cell as it needs.
pub(super) struct WrappedCell {
    row: u32,
    column: u16,
    text: String,
}

impl Sheet<'_> {
    pub(super) fn findings(&mut self, findings: &[FindingLine]) -> Result<(), XlsxError> {
        let row_count = findings.iter().map(|finding| finding.evidence.len().max(1)).sum();
        let headers =
            [("severity", false), ("finding", false), ("fact", false), ("value", true), ("message", false)];
        self.area(row_count, headers.len(), 2);
        self.headers(&headers.map(|(name, is_number)| (name.to_owned(), is_number)))?;
        self.fixed_widths.insert(MESSAGE_COLUMN, MESSAGE_WIDTH);
        for finding in findings {
            // A row for each fact, and one at least. All of them carry the finding's name, so that rows can
            // be filtered and sorted.
            let facts = finding.evidence.iter().map(Some);
            let rows: Vec<Option<&Fact>> =
                if finding.evidence.is_empty() { vec![None] } else { facts.collect() };
            for (index, fact) in rows.into_iter().enumerate() {
                let style = self.styles.text.clone();
                self.text(self.row, 0, finding.label(), &style)?;
                self.text(self.row, 1, finding.name(), &style)?;
                self.widen(1, finding.name());
                if let Some(fact) = fact {
                    self.fact(fact, 2)?;
                }
                if index == 0 {
                    // Apart from the number in front of it, which ends where the message begins.
                    let style = self.styles.wrapped.clone().set_align(FormatAlign::Left).set_indent(1);
                    self.wrapped(MESSAGE_COLUMN, &finding.message, &style)?;
                }
                self.row += 1;
            }
        }
        Ok(())
    }

    pub(super) fn facts(&mut self, facts: &[Fact]) -> Result<(), XlsxError> {
        self.headers(&[("name".to_owned(), false), ("value".to_owned(), true)])?;
        for fact in facts {
            self.fact(fact, 0)?;
            self.row += 1;
        }
        Ok(())
    }

    /// A name with its unit, and the value next to it.
    fn fact(&mut self, fact: &Fact, column: u16) -> Result<(), XlsxError> {
        let format = fact.value.format(fact.quantity, self.unit);
        let name = match (&fact.value, unit_of(fact.quantity, &format)) {
            (Value::Count(_) | Value::Number(_) | Value::Change { .. } | Value::Bounded { .. }, unit)
                if !unit.is_empty() =>
            {
                format!("{}, {unit}", fact.name)
            }
            _ => fact.name.clone(),
        };
        self.text(self.row, column, &name, &self.styles.text.clone())?;
        self.widen(column, &name);
        self.widen(column + 1, &fact.value.written(fact.quantity, &format));
        match &fact.value {
            Value::Text(text) => self.wrapped(column + 1, text, &self.styles.wrapped.clone()),
            value => self.value((self.row, column + 1), value, &format, &self.styles.text.clone()),
        }
    }

    /// Text in a cell of the current row.
    fn wrapped(&mut self, column: u16, text: &str, style: &Format) -> Result<(), XlsxError> {
        self.wrapped_cells.push(WrappedCell { row: self.row, column, text: text.to_owned() });
        self.text(self.row, column, text, style)
    }

    /// Makes each row as high as the longest of its texts, when it is known how wide the columns are.
    // Spreadsheets do so by themselves only where a row never had a height, and not all of them.
    pub(super) fn heighten(&mut self) -> Result<(), XlsxError> {
        let cells = std::mem::take(&mut self.wrapped_cells);
        let mut rows: BTreeMap<u32, usize> = BTreeMap::new();
        for cell in &cells {
            // A tenth less, because letters are not all as wide as the digits that widths are counted in.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a width in characters"
            )]
            let width = (0.9 * self.width_of(cell.column)) as usize;
            let lines: usize = cell.text.lines().map(|line| wrap(line, width).len()).sum();
            let most = rows.entry(cell.row).or_default();
            *most = lines.max(*most);
        }
        for (row, lines) in rows.into_iter().filter(|(_, lines)| *lines > 1) {
            // No row of a sheet can be higher.
            self.sheet.set_row_height(row, (lines as f64 * LINE_HEIGHT).min(MOST_HEIGHT))?;
        }
        Ok(())
    }
}

/// The greatest height of a row, in points.
const MOST_HEIGHT: f64 = 409.0;
