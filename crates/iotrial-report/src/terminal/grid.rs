//! A table as text: which columns there is room for, and how wide each is.

use std::fmt::Write as _;

use super::{clean, width_of};
use crate::quantity::{LatencyUnit, NumberFormat, Quantity};
use crate::table::{Column, Table};
use crate::text::cut;

/// A table as text, before the columns that fit are chosen.
pub(super) struct Grid<'t> {
    pub(super) table: &'t Table,
    formats: Vec<NumberFormat>,
    pub(super) names: Vec<String>,
    pub(super) cells: Vec<Vec<String>>,
    /// Of the longest cell of each column, or its name.
    pub(super) widths: Vec<usize>,
}

/// The columns that fit.
pub(super) struct Layout {
    /// By their place in the table.
    pub(super) columns: Vec<usize>,
    /// Blanks between two columns.
    pub(super) gap: usize,
    /// Of all columns of the table; words that are longer are wrapped.
    pub(super) widths: Vec<usize>,
}

/// Columns of words are wrapped from this width on, where the table would not fit otherwise.
const NARROW_WORDS: usize = 24;
/// Words from other people's files are cut to this many characters.
const LONGEST_WORDS: usize = 240;

impl<'t> Grid<'t> {
    pub(super) fn new(table: &'t Table, unit: LatencyUnit) -> Self {
        let formats = table.formats(unit);
        let said = table.group_units(&formats);
        let name = |(at, (column, format)): (usize, (&Column, &NumberFormat))| {
            if format.unit.is_empty() || format.unit == column.name || format.unit == said[at] {
                column.name.to_string()
            } else {
                format!("{}, {}", column.name, format.unit)
            }
        };
        let names: Vec<String> = table.columns.iter().zip(&formats).enumerate().map(name).collect();
        let cells: Vec<Vec<String>> = table
            .rows
            .iter()
            .map(|row| {
                let values = row.cells.iter().zip(table.columns.iter().zip(&formats));
                values
                    .map(|(value, (column, format))| {
                        cut(&clean(&value.written(column.quantity, format)), LONGEST_WORDS)
                    })
                    .collect()
            })
            .collect();
        let width = |at: usize| {
            let cells = cells.iter().map(|row| width_of(&row[at]));
            cells.chain([width_of(&names[at])]).max().unwrap_or_default()
        };
        let widths = (0..names.len()).map(width).collect();
        Self { table, formats, names, cells, widths }
    }

    pub(super) fn is_words(&self, at: usize) -> bool {
        self.table.columns[at].quantity == Quantity::Words
    }

    /// All columns as they are; or with long words wrapped, without optional columns from the right, and
    /// close together. `None` where even that is too wide.
    pub(super) fn fit(&self, width: usize) -> Option<Layout> {
        let taken = |columns: &[usize], widths: &[usize], gap: usize| {
            let widths = self.under_groups(columns, widths, gap);
            columns.iter().map(|at| widths[*at]).sum::<usize>() + gap * columns.len().saturating_sub(1)
        };
        // In this order, the least harmful first: closer together, wrap words, leave optional columns out
        // from the right, closer still.
        let mut columns: Vec<usize> = (0..self.names.len()).collect();
        let whole = [3, 2].into_iter().find(|gap| taken(&columns, &self.widths, *gap) <= width);
        if let Some(gap) = whole {
            let widths = self.under_groups(&columns, &self.widths, gap);
            return Some(Layout { columns, gap, widths });
        }
        let narrow = |(at, whole): (usize, &usize)| {
            if self.is_words(at) { (*whole).min(NARROW_WORDS.max(width_of(&self.names[at]))) } else { *whole }
        };
        let widths: Vec<usize> = self.widths.iter().enumerate().map(narrow).collect();
        let gap = loop {
            if taken(&columns, &widths, 2) <= width {
                break 2;
            }
            // From the right, because the most important columns are on the left.
            let first = columns.iter().position(|at| self.table.columns[*at].is_first_to_go);
            match first.or_else(|| columns.iter().rposition(|at| self.table.columns[*at].optional)) {
                Some(last) => drop(columns.remove(last)),
                None if taken(&columns, &widths, 1) <= width => break 1,
                None => return None,
            }
        };
        let mut widths = self.under_groups(&columns, &widths, gap);
        // The rest of the room is for the words.
        let mut left = width - taken(&columns, &widths, gap);
        for at in &columns {
            let more = self.widths[*at].saturating_sub(widths[*at]).min(left);
            widths[*at] += more;
            left -= more;
        }
        Some(Layout { columns, gap, widths })
    }

    /// The widths with room for the titles of groups: the title of a group with only one column left may be longer than that column.
    fn under_groups(&self, columns: &[usize], widths: &[usize], gap: usize) -> Vec<usize> {
        let mut widths = widths.to_vec();
        for (title, of_group) in self.groups(columns) {
            let here = of_group.iter().map(|at| widths[*at]).sum::<usize>() + gap * (of_group.len() - 1);
            if let Some(last) = of_group.last() {
                widths[*last] += width_of(&title).saturating_sub(here);
            }
        }
        widths
    }

    /// Neighbouring columns with the title that they have in common, with its blanks; empty if there is none.
    fn groups<'c>(&self, columns: &'c [usize]) -> Vec<(String, &'c [usize])> {
        let units = self.table.group_units(&self.formats);
        let of_group = columns.chunk_by(|a, b| self.table.columns[*a].group == self.table.columns[*b].group);
        let title = |at: usize| match (self.table.columns[at].group.as_ref(), units[at]) {
            ("", _) => String::new(),
            (group, "") => format!(" {group} "),
            (group, unit) => format!(" {group}, {unit} "),
        };
        of_group.map(|columns| (title(columns[0]), columns)).collect()
    }

    /// The columns that are shown where there is no room for more.
    pub(super) fn needed(&self) -> Vec<usize> {
        (0..self.names.len()).filter(|at| !self.table.columns[*at].optional).collect()
    }

    pub(super) fn align(&self, at: usize, text: &str, width: usize) -> String {
        if self.is_words(at) { format!("{text:width$}") } else { format!("{text:>width$}") }
    }

    /// The name of a column with its group and its unit.
    pub(super) fn full_name(&self, at: usize) -> String {
        self.table.columns[at].full_name(self.formats[at].unit)
    }

    /// The line above the names: the common titles of neighbouring columns, drawn over their width.
    pub(super) fn group_line(&self, Layout { columns, gap, widths }: &Layout) -> Option<String> {
        let mut line = String::new();
        for (at, (title, of_group)) in self.groups(columns).into_iter().enumerate() {
            // The line of a group covers its columns and the gaps between them.
            let width = of_group.iter().map(|at| widths[*at]).sum::<usize>() + gap * (of_group.len() - 1);
            if at > 0 {
                line.push_str(&" ".repeat(*gap));
            }
            if title.is_empty() {
                line.push_str(&" ".repeat(width));
            } else if width < title.chars().count() + 2 {
                // A line on one side alone looks like a stray minus.
                let _ = write!(line, "{title:^width$}");
            } else {
                let _ = write!(line, "{title:─^width$}");
            }
        }
        line.truncate(line.trim_end().len());
        (!line.is_empty()).then_some(line)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::table::{Row, Value};

    #[test]
    fn what_stands_above_one_column_is_no_wider_than_the_column() {
        let number = |number| Value::Number(number);
        let table = Table {
            caption: String::new(),
            columns: vec![
                Column::new("all", Quantity::BandwidthMibPerS).under("throughput"),
                Column::new("sessions", Quantity::Unitless),
            ],
            rows: vec![Row { cells: vec![number(5.0), number(7.0)], is_total: false }],
            at_a_glance: true,
        };
        let grid = Grid::new(&table, LatencyUnit::Milliseconds);
        let layout = grid.fit(80).unwrap();
        assert_eq!(grid.group_line(&layout).unwrap(), " throughput, MiB/s");
        // As wide as its title with a blank on each side.
        assert_eq!(layout.widths, [19, 8]);
    }
}
