//! A table as a heat map: which colour is behind a figure.

use crate::table::Table;

/// The figures of a heat map, from the lowest to the highest.
pub(super) struct Shades {
    lowest: f64,
    highest: f64,
}

/// Above this ratio of the highest to the lowest figure, colours go by doublings.
// A choice: latencies of a grid span three powers of ten, and all but the worst would have the palest colour.
const WIDE: f64 = 20.0;

impl Shades {
    /// Those of all shaded columns: the whole table is one map.
    pub(super) fn of(table: &Table) -> Self {
        let cells = table.rows.iter().flat_map(|row| row.cells.iter().zip(&table.columns));
        let shaded = cells.filter(|(_, column)| column.is_shaded);
        let numbers = shaded.filter_map(|(cell, _)| cell.as_number()).filter(|number| number.is_finite());
        let (lowest, highest) = numbers
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lowest, highest), number| {
                (lowest.min(number), highest.max(number))
            });
        Self { lowest, highest }
    }

    /// One of seven, which the style sheet makes light enough that figures stay readable in front of them.
    pub(super) fn class(&self, number: f64) -> &'static str {
        const CLASSES: [&str; 7] = [
            "number shade-0",
            "number shade-1",
            "number shade-2",
            "number shade-3",
            "number shade-4",
            "number shade-5",
            "number shade-6",
        ];
        let is_wide = self.lowest > 0.0 && self.highest / self.lowest > WIDE;
        let share = if is_wide {
            (number / self.lowest).ln() / (self.highest / self.lowest).ln()
        } else {
            // From zero and not from the lowest, like the axis of a chart: otherwise chance differences would look large.
            number / self.highest
        };
        // Without any figures, nothing is shaded.
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 6")]
        let index = (share * CLASSES.len() as f64) as usize;
        CLASSES[index.min(CLASSES.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Quantity;
    use crate::table::{Column, Row, Value};

    fn shades(numbers: &[f64]) -> Shades {
        let row = |number: &f64| Row {
            cells: vec![Value::Count(1_000_000), Value::Number(*number), Value::Absent],
            is_total: false,
        };
        let rates = || Column::new("1 job", Quantity::Iops).shaded();
        Shades::of(&Table {
            caption: String::new(),
            columns: vec![Column::new("iodepth", Quantity::Count), rates(), rates()],
            rows: numbers.iter().map(row).collect(),
            at_a_glance: false,
        })
    }

    #[test]
    fn the_lowest_figure_is_the_palest_and_the_highest_the_strongest() {
        let shades = shades(&[100.0, 200.0, 800.0]);
        assert_eq!(shades.class(100.0), "number shade-0");
        assert_eq!(shades.class(400.0), "number shade-3");
        assert_eq!(shades.class(800.0), "number shade-6");
    }

    #[test]
    fn figures_of_several_powers_of_ten_go_by_doublings() {
        let shades = shades(&[100.0, 100_000.0]);
        assert_eq!(shades.class(3_162.0), "number shade-3");
    }

    #[test]
    fn figures_that_differ_by_chance_have_nearly_the_same_colour() {
        let shades = shades(&[6_600.0, 7_400.0]);
        assert_eq!((shades.class(6_600.0), shades.class(7_400.0)), ("number shade-6", "number shade-6"));
    }

    #[test]
    fn zero_and_tables_without_figures_have_the_palest() {
        assert_eq!(shades(&[0.0, 0.0]).class(0.0), "number shade-0");
        assert_eq!(shades(&[]).class(7.0), "number shade-0");
    }
}
