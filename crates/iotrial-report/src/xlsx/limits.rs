//! The limits of a native chart: a line for each, which the legend names.

use rust_xlsxwriter::{
    Chart as NativeChart, ChartFormat, ChartLegendPosition, ChartLine, ChartLineDashType, ChartMarker,
    XlsxError,
};

use super::Sheet;
use super::charts::LIMIT_COLOR;
use crate::chart::{Chart, Limit};
use crate::quantity::NumberFormat;

/// Limits of one chart are told apart by how their lines are broken, as all have the colour of a limit.
const DASHES: [ChartLineDashType; 6] = [
    ChartLineDashType::RoundDot,
    ChartLineDashType::Dash,
    ChartLineDashType::DashDot,
    ChartLineDashType::LongDash,
    ChartLineDashType::LongDashDot,
    ChartLineDashType::LongDashDotDot,
];

impl Sheet<'_> {
    /// The limits of a chart, with their numbers written from this place on; the column after them.
    // In the legend and not at the lines: labels of lines that are close together lie over each other, as no spreadsheet moves them.
    pub(super) fn limits(
        &mut self,
        native: &mut NativeChart,
        chart: &Chart,
        (header, mut column): (u32, u16),
        formats: (&NumberFormat, &NumberFormat),
    ) -> Result<u16, XlsxError> {
        let mut limits: Vec<&Limit> = chart.limits.iter().collect();
        // The legend has them in the order of their heights.
        limits.sort_by(|left, right| right.value.total_cmp(&left.value));
        for (limit, dash) in limits.into_iter().zip(DASHES.iter().cycle()) {
            self.limit(native, chart, limit, *dash, (header, column), formats)?;
            column += 2;
        }
        // Beside the plot, where a name for each limit does not take its height.
        if !chart.limits.is_empty() {
            native.legend().set_position(ChartLegendPosition::Right);
        }
        Ok(column)
    }

    /// A limit is a line of two points, from the left edge to where it ends.
    fn limit(
        &mut self,
        native: &mut NativeChart,
        chart: &Chart,
        limit: &Limit,
        dash: ChartLineDashType,
        (header, column): (u32, u16),
        (x_format, y_format): (&NumberFormat, &NumberFormat),
    ) -> Result<(), XlsxError> {
        let xs = chart.lines.iter().flat_map(|line| line.points.iter().map(|(x, _)| *x));
        let (from, to) = xs.fold((f64::INFINITY, chart.x.to), |(low, high), x| (low.min(x), high.max(x)));
        let ends = [from, limit.until.unwrap_or(to)];
        let places = self.places((header, column), &chart.x, &ends, x_format)?;
        // The value first: with it the line is found on the axis.
        let name = format!("limit {} {}: {}", y_format.write_round(limit.value), y_format.unit, limit.name);
        let values = self.numbers((header, column + 1), &name, &[limit.value; 2], y_format)?;
        let mut stroke = ChartLine::new();
        stroke.set_color(LIMIT_COLOR).set_width(1.25).set_dash_type(dash);
        native
            .add_series()
            .set_categories(&places.values(&self.name))
            .set_values(&values.values(&self.name))
            .set_name(&values.name(&self.name))
            .set_format(ChartFormat::new().set_line(&stroke))
            .set_marker(ChartMarker::new().set_none());
        Ok(())
    }
}
