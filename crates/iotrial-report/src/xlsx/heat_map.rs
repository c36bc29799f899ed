//! A heat map as a grid of real numbers, which Excel colours.

use rust_xlsxwriter::{ConditionalFormat3ColorScale, ConditionalFormatType, Format, FormatAlign, XlsxError};

use super::Sheet;
use crate::chart::HeatMap;
use crate::quantity::NumberFormat;

/// The width of a column of the grid, in characters.
// Two digits at the small size of the font.
const CELL_WIDTH: f64 = 3.4;

impl Sheet<'_> {
    /// The maps, one below the other: times from left to right, bands of latency from the longest down.
    pub(super) fn heat_maps(&mut self, maps: &[HeatMap]) -> Result<(), XlsxError> {
        for map in maps {
            self.heat_map(map)?;
            self.row += 2;
        }
        Ok(())
    }

    fn heat_map(&mut self, map: &HeatMap) -> Result<(), XlsxError> {
        let rows = map.row_count();
        // From the longest latency down, as on the page.
        let edges: Vec<f64> = (0..rows).rev().map(|row| map.upper_edge(row)).collect();
        let middles: Vec<f64> = (0..map.shares_percent.len()).map(|column| map.middle(column)).collect();
        let x_format = NumberFormat::fit(map.x.quantity, self.unit, middles.iter().copied());
        let y_format = NumberFormat::fit(map.y.quantity, self.unit, edges.iter().copied());
        let small = Format::new().set_font_size(7).set_align(FormatAlign::Center);
        let head = small.clone().set_bold();

        self.line(&map.title, &self.styles.caption.clone())?;
        let note = format!("share of the I/Os in %; {}, {}", map.x.name, x_format.unit);
        self.line(&note, &self.styles.soft.clone())?;
        let header = self.row;
        let name = format!("up to, {}", y_format.unit);
        self.header(header, 0, &name, &self.styles.number_header.clone())?;
        let time = head.set_num_format("0");
        for (column, middle) in (1u16..).zip(&middles) {
            self.number(header, column, x_format.in_unit(*middle), &time)?;
            self.sheet.set_column_width(column, CELL_WIDTH)?;
            self.fixed_widths.insert(column, CELL_WIDTH);
        }
        let edge_style = Format::new().set_num_format(y_format.spreadsheet_format());
        // A share that would be rounded to zero is a dot: there was something.
        let share_style = small.set_num_format("[<0.5]\"·\";0");
        for (row, edge) in (0..rows).rev().zip(&edges) {
            self.row += 1;
            self.number(self.row, 0, y_format.in_unit(*edge), &edge_style)?;
            for (column, shares) in (1u16..).zip(&map.shares_percent) {
                if let Some(share) = shares.get(row).filter(|share| **share > 0.0) {
                    self.number(self.row, column, *share, &share_style)?;
                }
            }
        }
        let scale = ConditionalFormat3ColorScale::new()
            // Fixed numbers instead of the usual lowest and highest: two maps side by side have the
            // same colours.
            .set_minimum(ConditionalFormatType::Number, 0)
            .set_midpoint(ConditionalFormatType::Number, 1)
            .set_maximum(ConditionalFormatType::Number, 30)
            .set_minimum_color(0xE8_EDF3)
            .set_midpoint_color(0x8F_ABC8)
            .set_maximum_color(0x14_406B);
        let last = u16::try_from(middles.len()).unwrap_or(u16::MAX);
        if rows > 0 && last > 0 {
            self.sheet.add_conditional_format(header + 1, 1, self.row, last, &scale)?;
        }
        Ok(())
    }
}
