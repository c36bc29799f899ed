//! A table: columns that say what they hold, rows of values.

use std::borrow::Cow;

use iotrial_analysis::comparison::Reading;
use iotrial_analysis::verdict::Category;
use iotrial_model::bound::Amount;
use iotrial_model::figure::Figure;
use iotrial_model::units::{ByteSize, group_thousands};

pub use crate::quantity::Quantity;
use crate::quantity::{LatencyUnit, NumberFormat};

/// Columns and rows. Every row has as many cells as there are columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What the table shows, for a caption.
    pub caption: String,
    /// From left to right; the first ones label the row.
    pub columns: Vec<Column>,
    /// From top to bottom. Neighbours with the same first cell belong together.
    pub rows: Vec<Row>,
    /// Whether the short forms of the document show it too.
    pub at_a_glance: bool,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What neighbouring columns have in common, such as `lat`; empty where there is nothing.
    pub group: Cow<'static, str>,
    /// The header, without unit.
    pub name: Cow<'static, str>,
    /// What its numbers measure.
    pub quantity: Quantity,
    /// Whether it may be left out where there is little room.
    pub optional: bool,
    /// Whether it is the first to be left out, wherever it is.
    pub is_first_to_go: bool,
    /// Whether its cells are coloured by their numbers, among those of all such columns of the table, where there is colour.
    pub is_shaded: bool,
}

impl Column {
    /// A column that is always shown.
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, quantity: Quantity) -> Self {
        let name = name.into();
        Self {
            group: Cow::Borrowed(""),
            name,
            quantity,
            optional: false,
            is_first_to_go: false,
            is_shaded: false,
        }
    }

    /// The column of a figure.
    pub(crate) fn of_figure(figure: Figure) -> Self {
        Self::about_figure(figure, figure.unit().into())
    }

    /// A column with something else about a figure, such as its change.
    pub(crate) fn about_figure(figure: Figure, quantity: Quantity) -> Self {
        let column = Self::new(figure.title(), quantity);
        if figure.is_latency() { column.under("lat") } else { column }
    }

    /// The whole header in one line: `lat p99, ms`, `IOPS`, `reads merged`.
    pub(crate) fn full_name(&self, unit: &str) -> String {
        let name = match self.group.as_ref() {
            "" => self.name.to_string(),
            group => format!("{group} {}", self.name),
        };
        // A header that is a unit already needs no other.
        // «IOPS, IOPS» would be read as two columns.
        if unit.is_empty() || unit == self.name { name } else { format!("{name}, {unit}") }
    }

    /// The same under a common header.
    pub(crate) fn under(self, group: impl Into<Cow<'static, str>>) -> Self {
        Self { group: group.into(), ..self }
    }

    /// The same, left out where there is little room.
    pub(crate) fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    /// The same with cells that are coloured by their numbers, as those of a heat map.
    pub(crate) fn shaded(self) -> Self {
        Self { is_shaded: true, ..self }
    }

    /// The same, left out before any other: its neighbours say nearly as much.
    pub(crate) fn first_to_go(self) -> Self {
        Self { optional: true, is_first_to_go: true, ..self }
    }
}

/// What a column shows of a thing.
type Cell<'c, T> = dyn Fn(&T) -> Value + 'c;

/// A table whose rows are things of one kind: each column comes with what it shows of a thing, so that headers and cells cannot get
/// out of step.
pub(crate) struct TableOf<'c, T> {
    caption: String,
    columns: Vec<Column>,
    cells: Vec<Box<Cell<'c, T>>>,
}

impl<'c, T> TableOf<'c, T> {
    pub(crate) fn new(caption: impl Into<String>) -> Self {
        Self { caption: caption.into(), columns: Vec::new(), cells: Vec::new() }
    }

    pub(crate) fn column(mut self, column: Column, cell: impl Fn(&T) -> Value + 'c) -> Self {
        self.columns.push(column);
        self.cells.push(Box::new(cell));
        self
    }

    /// A column of words that is always shown.
    pub(crate) fn words(self, name: &'static str, cell: impl Fn(&T) -> String + 'c) -> Self {
        self.column(Column::new(name, Quantity::Words), move |thing| Value::Text(cell(thing)))
    }

    /// A row for each thing; the short forms of the document show it too.
    pub(crate) fn rows(self, things: impl IntoIterator<Item = T>) -> Table {
        let row =
            |thing: T| Row { cells: self.cells.iter().map(|cell| cell(&thing)).collect(), is_total: false };
        Table {
            rows: things.into_iter().map(row).collect(),
            caption: self.caption,
            columns: self.columns,
            at_a_glance: true,
        }
    }
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// As many as columns.
    pub cells: Vec<Value>,
    /// Whether it sums up those above.
    pub is_total: bool,
}

/// The content of a cell, or the value of a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// There is nothing to show: no I/O has no latency. Never the same as zero.
    // A dash on paper, an empty cell in a workbook.
    Absent,
    /// Words, shown as they are.
    Text(String),
    /// A whole number of the column's quantity.
    Count(u64),
    /// A number of the column's quantity.
    Number(f64),
    /// A judgement by the thresholds.
    Category(Category),
    /// A change with what it means.
    Change {
        /// The number of the column's quantity.
        percent: f64,
        /// Whether it is better or worse, and how much.
        reading: Reading,
    },
    /// Only a bound: on which side of a number of the column's quantity it is.
    Bounded {
        /// `<`, `≤`, `>`, `≥` or `≈`.
        sign: &'static str,
        /// That number.
        number: f64,
        /// What it means, where it is a change.
        reading: Option<Reading>,
    },
}

impl Value {
    /// The number, or [`Value::Absent`].
    pub fn number(number: Option<f64>) -> Self {
        number.map_or(Self::Absent, Self::Number)
    }

    /// The text, or [`Value::Absent`].
    pub fn text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Absent, |text| Self::Text(text.into()))
    }

    /// The number or the bound, or [`Value::Absent`].
    pub(crate) fn amount(amount: Option<Amount>) -> Self {
        match amount.map(Amount::shown) {
            None => Self::Absent,
            Some((None, number)) => Self::Number(number),
            Some((Some(sign), number)) => Self::Bounded { sign, number, reading: None },
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) | Self::Change { percent: number, .. } | Self::Bounded { number, .. } => {
                Some(*number)
            }
            _ => None,
        }
    }

    /// The value as people read it, without unit; an absent one is a dash.
    pub(crate) fn written(&self, quantity: Quantity, format: &NumberFormat) -> String {
        match self {
            Self::Absent => "–".to_owned(),
            Self::Text(text) => text.clone(),
            Self::Count(bytes) if quantity == Quantity::Bytes => ByteSize::bytes(*bytes).to_string(),
            Self::Count(count) => group_thousands(&count.to_string()),
            Self::Number(number) => format.write(*number),
            Self::Category(category) => category_word(*category).to_owned(),
            Self::Change { percent, reading } => {
                // Two places for the mark, so that numbers stay aligned.
                format!("{} {:2}", format.write(*percent), reading_mark(*reading))
            }
            Self::Bounded { sign, number, reading: None } => format!("{sign} {}", format.write(*number)),
            Self::Bounded { sign, number, reading: Some(reading) } => {
                format!("{sign} {} {:2}", format.write(*number), reading_mark(*reading))
            }
        }
    }

    /// How a value on its own is written.
    pub(crate) fn format(&self, quantity: Quantity, latency_unit: LatencyUnit) -> NumberFormat {
        NumberFormat::fit(quantity, latency_unit, self.as_number().into_iter())
    }

    /// The value on its own, with its unit.
    pub(crate) fn written_with_unit(&self, quantity: Quantity, latency_unit: LatencyUnit) -> String {
        let format = self.format(quantity, latency_unit);
        match self {
            Self::Number(number) => format.write_with_unit(*number),
            Self::Bounded { sign, number, .. } => format!("{sign} {}", format.write_with_unit(*number)),
            other => other.written(quantity, &format),
        }
    }
}

impl Table {
    /// A row for each of `all`, by columns that each say what they hold of one.
    pub(crate) fn of_columns<'all, T: 'all, const COUNT: usize>(
        caption: &str,
        all: impl IntoIterator<Item = &'all T>,
        columns: [(Column, &Cell<'_, T>); COUNT],
    ) -> Self {
        let cells = |one| columns.iter().map(|(_, value)| value(one)).collect();
        let rows = all.into_iter().map(|one| Row { cells: cells(one), is_total: false }).collect();
        let columns = columns.into_iter().map(|(column, _)| column).collect();
        Self { caption: caption.to_owned(), columns, rows, at_a_glance: true }
    }

    /// Removes a column that says nothing here.
    pub(crate) fn without_column(&mut self, at: usize) {
        self.columns.remove(at);
        // All rows have as many cells as there are columns, so the index is safe.
        self.rows.iter_mut().for_each(|row| drop(row.cells.remove(at)));
    }

    /// Removes the columns that are empty in every row.
    pub(crate) fn drop_empty_columns(&mut self) {
        let says_nothing = |value: &Value| *value == Value::Absent || *value == Value::Text(String::new());
        for at in (0..self.columns.len()).rev() {
            if self.rows.iter().all(|row| says_nothing(&row.cells[at])) {
                self.without_column(at);
            }
        }
    }

    /// How the numbers of each column are written.
    pub(crate) fn formats(&self, latency_unit: LatencyUnit) -> Vec<NumberFormat> {
        let numbers = |index: usize| self.rows.iter().filter_map(move |row| row.cells[index].as_number());
        self.columns
            .iter()
            .enumerate()
            .map(|(index, column)| NumberFormat::fit(column.quantity, latency_unit, numbers(index)))
            .collect()
    }

    /// The unit in the common header of each column: that of all its columns. Empty if there is none, or they have several,
    /// and each says its own.
    pub(crate) fn group_units(&self, formats: &[NumberFormat]) -> Vec<&'static str> {
        let has_one_unit = |at: usize| {
            let group = &self.columns[at].group;
            let is_same = |other: &usize| self.columns[*other].group == *group;
            // Only neighbours have a header in common.
            let before = (0..at).rev().take_while(is_same);
            let mut all = before.chain((at..self.columns.len()).take_while(is_same));
            all.all(|other| formats[other].unit == formats[at].unit)
        };
        let unit = |at: usize| {
            // Columns of one name say their unit in one place: «A, IOPS» over «IOPS» beside «B» over «IOPS» looks like two things.
            let is_grouped = |at: usize| !self.columns[at].group.is_empty();
            let is_alike =
                |other: &usize| is_grouped(*other) && self.columns[*other].name == self.columns[at].name;
            let is_common = is_grouped(at) && (0..self.columns.len()).filter(is_alike).all(has_one_unit);
            if is_common { formats[at].unit } else { "" }
        };
        (0..self.columns.len()).map(unit).collect()
    }

    /// How many of the first columns label a row: those with words, and at least one.
    pub(crate) fn label_count(&self) -> usize {
        // In a table of words alone, the first column is the label and the others are the content.
        let words = self.columns.iter().take_while(|column| column.quantity == Quantity::Words).count();
        if words == self.columns.len() { 1 } else { words.max(1) }
    }

    /// The longest latency in any cell.
    pub(crate) fn longest_latency_us(&self) -> f64 {
        // Only cells count, not charts: tables have every latency that charts have.
        let latencies = self.columns.iter().enumerate().filter(|(_, c)| c.quantity == Quantity::LatencyUs);
        latencies
            .flat_map(|(index, _)| self.rows.iter().filter_map(move |row| row.cells[index].as_number()))
            .fold(0.0, f64::max)
    }
}

/// The mark of what a change means.
pub(crate) const fn reading_mark(reading: Reading) -> &'static str {
    match reading {
        Reading::MuchBetter => "✓✓",
        Reading::Better => "✓",
        Reading::NoDifference => "≈",
        Reading::Worse => "✗",
        Reading::MuchWorse => "✗✗",
        Reading::TooFew
        | Reading::TooFewRepeats
        | Reading::NoInterval
        | Reading::OtherRate
        | Reading::Undecided => "?",
        Reading::Amount => "",
    }
}

/// The word for a category.
pub(crate) const fn category_word(category: Category) -> &'static str {
    match category {
        Category::Excellent => "excellent",
        Category::Good => "good",
        Category::Acceptable => "acceptable",
        Category::Poor => "poor",
        Category::Critical => "critical",
        Category::Unsustainable => "unsustainable",
    }
}

/// A name with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// What it is called. The unit is chosen with the number, so the name has none.
    pub name: String,
    /// What a number measures.
    pub quantity: Quantity,
    /// What there is.
    pub value: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_name_have_their_unit_all_in_the_common_header_or_all_in_their_own() {
        let units = |columns: &[(&'static str, Quantity, &'static str)]| {
            let column = |(name, quantity, group): &(&'static str, Quantity, &'static str)| {
                Column::new(*name, *quantity).under(*group)
            };
            let columns = columns.iter().map(column).collect();
            let table = Table { caption: String::new(), columns, rows: Vec::new(), at_a_glance: true };
            table.group_units(&table.formats(LatencyUnit::Microseconds))
        };
        let lat = |name, group| (name, Quantity::LatencyUs, group);
        assert_eq!(units(&[lat("mean", "lat"), lat("max", "lat")]), ["µs", "µs"]);
        // The baseline has no change, and the other one has.
        let change = ("change", Quantity::ChangePercent, "B");
        assert_eq!(units(&[lat("mean", "A"), lat("mean", "B"), change]), ["", "", ""]);
        assert_eq!(units(&[lat("mean", "A"), lat("mean", "")]), ["µs", ""]);
    }
}
