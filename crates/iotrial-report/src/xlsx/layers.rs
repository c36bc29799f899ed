//! Stacked layers as a native chart, with their numbers.

use rust_xlsxwriter::{
    Chart as NativeChart, ChartFont, ChartFormat, ChartLegendPosition, ChartLine, ChartMarker,
    ChartSolidFill, ChartType, XlsxError,
};

use super::Sheet;
use super::charts::{HUES, LEVEL_COLOR, axis, dash_of, ends};
use crate::chart::{Chart, Line, Shape};
use crate::quantity::NumberFormat;

/// How many labels fit below the axis: more would overlap.
const MOST_WORDS: usize = 6;

impl Sheet<'_> {
    /// The chart, with its numbers written from this place on; how many columns they take, and the row after them.
    pub(super) fn layers(
        &mut self,
        chart: &Chart,
        row: u32,
        left: u16,
    ) -> Result<(NativeChart, u16, u32), XlsxError> {
        let of = |shape: Shape| chart.lines.iter().filter(move |line| line.shape == shape);
        let numbers = || chart.lines.iter().flat_map(|line| line.points.iter().filter_map(|(_, y)| *y));
        let y_format = NumberFormat::fit(chart.y.quantity, self.unit, numbers());
        self.text(row, left, &chart.title, &self.styles.caption.clone())?;
        let header = row + 2;
        let mut native = NativeChart::new(ChartType::AreaStacked);
        native.title().set_name((self.name.as_str(), row, left)).set_font(ChartFont::new().set_size(12));
        let places: Vec<f64> = of(Shape::Layer)
            .next()
            .map(|line| line.points.iter().map(|(x, _)| *x).collect())
            .unwrap_or_default();
        let x_format = NumberFormat::fit(chart.x.quantity, self.unit, places.iter().copied());
        let categories = self.places((header, left), &chart.x, &places, &x_format)?;
        let mut column = left + 1;
        for line in of(Shape::Layer) {
            let values: Vec<f64> = line.points.iter().map(|(_, y)| y.unwrap_or(f64::NAN)).collect();
            let values = self.numbers((header, column), &name(line, &y_format), &values, &y_format)?;
            column += 1;
            let fill = ChartSolidFill::new().set_color(HUES[line.hue % HUES.len()]).clone();
            native
                .add_series()
                .set_categories(&categories.values(&self.name))
                .set_values(&values.values(&self.name))
                .set_name(&values.name(&self.name))
                .set_format(ChartFormat::new().set_solid_fill(&fill));
        }
        // A level as a series of layers would be stacked on top of them.
        let mut levels = NativeChart::new(ChartType::Line);
        for line in of(Shape::Level) {
            let value = line.points.first().and_then(|(_, y)| *y).unwrap_or(f64::NAN);
            let values = vec![value; places.len()];
            let values = self.numbers((header, column), &name(line, &y_format), &values, &y_format)?;
            column += 1;
            let mut stroke = ChartLine::new();
            stroke.set_color(LEVEL_COLOR).set_width(1.25).set_dash_type(dash_of(line.dash));
            levels
                .add_series()
                .set_categories(&categories.values(&self.name))
                .set_values(&values.values(&self.name))
                .set_name(&values.name(&self.name))
                .set_format(ChartFormat::new().set_line(&stroke))
                .set_marker(ChartMarker::new().set_none());
        }
        if of(Shape::Level).next().is_some() {
            native.combine(&levels);
        }
        axis(native.x_axis(), &chart.x, &x_format);
        // As words: an axis of dates has whole days.
        let between = u16::try_from(places.len().div_ceil(MOST_WORDS)).unwrap_or(u16::MAX).max(1);
        native.x_axis().set_text_axis(true).set_label_interval(between).set_tick_interval(between);
        axis(native.y_axis(), &chart.y, &y_format);
        let height = |at: usize| -> f64 { of(Shape::Layer).filter_map(|line| line.points.get(at)?.1).sum() };
        let heights: Vec<f64> = (0..places.len()).map(height).chain(numbers()).collect();
        ends(native.y_axis(), &chart.y, heights.into_iter(), &y_format);
        native.legend().set_position(ChartLegendPosition::Bottom);
        Ok((native, column - left, header + 1 + u32::try_from(places.len()).unwrap_or(u32::MAX)))
    }
}

fn name(line: &Line, format: &NumberFormat) -> String {
    [line.name.as_str(), format.unit]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}
