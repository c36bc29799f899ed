//! Native charts with their numbers: the charts are at the top, the numbers below.

use rust_xlsxwriter::{
    Chart as NativeChart, ChartAxis, ChartAxisCrossing, ChartAxisLabelPosition, ChartDataLabel,
    ChartDataLabelPosition, ChartErrorBars, ChartErrorBarsType, ChartFont, ChartFormat, ChartLegendPosition,
    ChartLine, ChartLineDashType, ChartMarker, ChartMarkerType, ChartPoint, ChartRange, ChartSolidFill,
    ChartType, Format, XlsxError,
};

use super::Sheet;
use crate::calendar;
use crate::chart::{Axis, Bar, BarChart, CUT_NOTE, Chart, Dash, Line, Scale, Shape, SpanKind};
use crate::quantity::NumberFormat;
use crate::ruler::Ruler;

/// The size of a chart on the sheet, in pixels, and how many rows of the usual height it covers.
const WIDTH: u32 = 620;
const HEIGHT: u32 = 340;
// 18 rows of 20 pixels are 360, the height of a chart and a gap.
const ROWS: u32 = 18;
/// The colours of the page's style sheet in its light form, by hue.
// Fixed here, because a workbook has no dark mode to follow.
pub(super) const HUES: [u32; 5] = [0x0B_62A8, 0xC2_410C, 0x00_785A, 0x9A_3085, 0x7A_6200];
/// As dark as the letters of the page.
pub(super) const LEVEL_COLOR: u32 = 0x33_3A44;
pub(super) const LIMIT_COLOR: u32 = 0xB3_261E;
const GOOD_COLOR: u32 = 0x0B_6B3A;
const SAME_COLOR: u32 = 0x8A_939D;
const MARKERS: [ChartMarkerType; 5] = [
    ChartMarkerType::Circle,
    ChartMarkerType::Square,
    ChartMarkerType::Triangle,
    ChartMarkerType::Diamond,
    // Excel has no inverted triangle; a cross is the fifth marker that differs from the others.
    ChartMarkerType::X,
];

/// Lines whose points are at the same places share one column of places.
struct Columns<'d> {
    places: Vec<f64>,
    lines: Vec<&'d Line>,
}

/// A column of numbers below its header.
#[derive(Clone, Copy)]
pub(super) struct Column {
    header: u32,
    column: u16,
    count: u32,
}

impl Column {
    pub(super) fn values(self, sheet: &str) -> ChartRange {
        let last = self.header + self.count.max(1);
        // A range has at least one cell, even where the column is empty.
        ChartRange::new_from_range(sheet, self.header + 1, self.column, last, self.column)
    }

    pub(super) fn name(self, sheet: &str) -> ChartRange {
        ChartRange::new_from_range(sheet, self.header, self.column, self.header, self.column)
    }
}

impl Sheet<'_> {
    /// Line charts and points, side by side, then their numbers from left to right.
    pub(super) fn charts(&mut self, charts: &[Chart]) -> Result<(), XlsxError> {
        let top = self.row;
        // Charts are placed before their numbers, which are only known later.
        self.row += room(charts.len());
        let (first_row, mut column, mut last_row) = (self.row, 0u16, self.row);
        for (index, chart) in charts.iter().enumerate() {
            let is_layered = chart.lines.iter().any(|line| line.shape == Shape::Layer);
            let (native, width, end) = match is_layered {
                true => self.layers(chart, first_row, column)?,
                false => self.chart(chart, first_row, column)?,
            };
            self.place(&native, top, index)?;
            column = column.saturating_add(width + 1);
            last_row = last_row.max(end);
        }
        self.row = last_row;
        Ok(())
    }

    /// The chart, with its numbers written from this place on; how many columns they take, and the row after
    /// them.
    fn chart(&mut self, chart: &Chart, row: u32, left: u16) -> Result<(NativeChart, u16, u32), XlsxError> {
        let numbers = chart.lines.iter().flat_map(|line| line.points.iter());
        let x_format = NumberFormat::fit(chart.x.quantity, self.unit, numbers.clone().map(|(x, _)| *x));
        let y_format = NumberFormat::fit(chart.y.quantity, self.unit, numbers.filter_map(|(_, y)| *y));
        self.text(row, left, &chart.title, &self.styles.caption.clone())?;
        let spans = chart.spans.iter().map(|span| {
            let unit = x_format.unit;
            format!(
                "{}{} from {} to {} {unit}",
                if span.kind == SpanKind::Step { "step " } else { "" },
                span.name,
                place_in_words(&chart.x, &x_format, span.from),
                place_in_words(&chart.x, &x_format, span.to)
            )
        });
        self.text(row + 1, left, &spans.collect::<Vec<_>>().join(", "), &self.styles.soft.clone())?;
        let header = row + 2;
        // A scatter chart, because the lower axis of a line chart has categories and no numbers.
        let mut native = NativeChart::new(ChartType::ScatterStraight);
        native.title().set_name((self.name.as_str(), row, left)).set_font(ChartFont::new().set_size(12));
        let (mut column, mut end) = (left, header + 1);
        for columns in columns_of(chart) {
            if chart.x.scale == Scale::Nines {
                let percentiles = columns.places.iter().copied();
                self.column((header, column), &name_of(&chart.x, &x_format), percentiles, &shown_percentile)?;
                column += 1;
            }
            let places = self.places((header, column), &chart.x, &columns.places, &x_format)?;
            // Empty cells are gaps in Excel.
            column += 1;
            for line in columns.lines {
                let values: Vec<f64> = line.points.iter().map(|(_, y)| y.unwrap_or(f64::NAN)).collect();
                let name = format!("{}, {}", line.name, y_format.unit);
                let values = self.numbers((header, column), &name, &values, &y_format)?;
                // A line that ends earlier takes the first part of the places.
                let places = Column { count: values.count, ..places };
                self.series(&mut native, line, places, values);
                column += 1;
            }
            end = end.max(header + 1 + places.count);
        }
        native.legend().set_position(ChartLegendPosition::Bottom);
        column = self.limits(&mut native, chart, (header, column), (&x_format, &y_format))?;
        axis(native.x_axis(), &chart.x, &x_format);
        axis(native.y_axis(), &chart.y, &y_format);
        if chart.x.scale == Scale::Calendar {
            // Nothing begins in 1900.
            let xs = chart.lines.iter().flat_map(|line| line.points.iter().map(|(x, _)| *x));
            let (from, to) =
                xs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            native.x_axis().set_min(calendar::spreadsheet_day(from)).set_max(calendar::spreadsheet_day(to));
        }
        let limits = chart.limits.iter().map(|limit| limit.value);
        let values = chart.lines.iter().flat_map(|line| line.points.iter().filter_map(|(_, y)| *y));
        ends(native.y_axis(), &chart.y, values.chain(limits), &y_format);
        if chart.x.scale == Scale::Nines {
            // Excel has no axis of nines: the share of slower I/Os on a reversed logarithmic axis looks the
            // same.
            native.x_axis().set_name(SLOWER).set_log_base(10).set_reverse().set_num_format("General");
            native.x_axis().set_crossing(ChartAxisCrossing::Max);
        }
        Ok((native, column - left, end))
    }

    fn series(&self, native: &mut NativeChart, line: &Line, places: Column, values: Column) {
        let color = if line.shape == Shape::Level { LEVEL_COLOR } else { HUES[line.hue % HUES.len()] };
        let mut stroke = ChartLine::new();
        stroke.set_color(color).set_width(if values.count > 200 { 1.0 } else { 1.75 });
        stroke.set_dash_type(dash_of(line.dash));
        let mut marker = ChartMarker::new();
        let mut format = ChartFormat::new();
        if line.shape == Shape::Ring {
            let mut around = ChartLine::new();
            // Larger than any marker of a point, which must be seen inside the ring.
            around.set_color(color).set_width(1.75);
            marker.set_type(ChartMarkerType::Circle).set_size(13);
            marker.set_format(ChartFormat::new().set_line(&around).set_no_fill());
            format.set_no_line();
        } else if line.shape == Shape::Points {
            marker.set_type(MARKERS[line.hue % MARKERS.len()]).set_size(7);
            marker.set_format(ChartFormat::new().set_solid_fill(ChartSolidFill::new().set_color(color)));
            format.set_no_line();
        } else if matches!(line.shape, Shape::Path(_)) {
            marker.set_type(MARKERS[line.hue % MARKERS.len()]).set_size(7);
            marker.set_format(ChartFormat::new().set_solid_fill(ChartSolidFill::new().set_color(color)));
            format.set_line(&stroke);
        } else {
            marker.set_none();
            format.set_line(&stroke);
        }
        let added = native.add_series();
        if let Shape::Path(words) = &line.shape {
            let label = |words: &String| {
                let mut label = ChartDataLabel::new();
                label.set_value(words.as_str()).set_position(ChartDataLabelPosition::Above);
                label.set_font(ChartFont::new().set_color(color).set_size(8));
                label
            };
            added.set_custom_data_labels(&words.iter().map(label).collect::<Vec<_>>());
        }
        added
            .set_categories(&places.values(&self.name))
            .set_values(&values.values(&self.name))
            .set_name(&values.name(&self.name))
            .set_format(&mut format)
            .set_marker(&marker);
    }

    /// A column of values.
    pub(super) fn numbers(
        &mut self,
        (header, column): (u32, u16),
        name: &str,
        numbers: &[f64],
        format: &NumberFormat,
    ) -> Result<Column, XlsxError> {
        let numbers = numbers.iter().map(|number| format.in_unit(*number));
        let shown = format.spreadsheet_format();
        self.column((header, column), name, numbers, &|_| shown.clone())
    }

    /// A column of places on the lower axis. On one that is not even, each has the digits that it needs.
    pub(super) fn places(
        &mut self,
        (header, column): (u32, u16),
        axis: &Axis,
        places: &[f64],
        format: &NumberFormat,
    ) -> Result<Column, XlsxError> {
        let in_unit = places.iter().map(|place| format.in_unit(*place));
        let name = name_of(axis, format);
        match axis.scale {
            Scale::Linear => {
                let shown = format.spreadsheet_format();
                self.column((header, column), &name, in_unit, &|_| shown.clone())
            }
            Scale::Calendar => {
                self.widen(column, MOMENT);
                let days = places.iter().map(|place| calendar::spreadsheet_day(*place));
                self.column((header, column), "from", days, &|_| MOMENT.to_owned())
            }
            Scale::Log | Scale::Doublings => self.column((header, column), &name, in_unit, &shown_place),
            // A logarithmic axis of those that are slower is the axis of percentiles.
            Scale::Nines => {
                let slower = in_unit.map(|percent| 100.0 - percent);
                self.column((header, column), SLOWER, slower, &shown_place)
            }
        }
    }

    /// A column of numbers; one that is not finite leaves its cell empty.
    fn column(
        &mut self,
        (header, column): (u32, u16),
        name: &str,
        numbers: impl Iterator<Item = f64>,
        shown: &dyn Fn(f64) -> String,
    ) -> Result<Column, XlsxError> {
        self.header(header, column, name, &self.styles.number_header.clone())?;
        // Room for the usual numbers, as the format of a cell decides what is shown.
        self.widen(column, "123,456,789");
        let mut row = header;
        for number in numbers {
            row += 1;
            self.number(row, column, number, &Format::new().set_num_format(shown(number)))?;
        }
        Ok(Column { header, column, count: row - header })
    }

    /// Bars side by side: a row for each group, a column for each series.
    pub(super) fn bars(&mut self, charts: &[BarChart]) -> Result<(), XlsxError> {
        let top = self.row;
        self.row += room(charts.len());
        for (index, chart) in charts.iter().enumerate() {
            let format = NumberFormat::fit(chart.value.quantity, self.unit, chart.values());
            let ruler = Ruler::new(chart.value.scale, chart.values(), (0.0, 1.0), false);
            let (least, most) = (ruler.ticks[0], ruler.ticks[ruler.ticks.len() - 1]);
            let mut native = NativeChart::new(ChartType::Column);
            native
                .title()
                .set_name((self.name.as_str(), self.row, 0))
                .set_font(ChartFont::new().set_size(12));
            self.line(&chart.title, &self.styles.caption.clone())?;
            if chart.cuts_any() {
                self.line(CUT_NOTE, &self.styles.soft.clone())?;
            }
            let header = self.row;
            self.header(header, 0, "group", &self.styles.header.clone())?;
            for (row, group) in (header + 1..).zip(&chart.groups) {
                self.text(row, 0, group, &self.styles.text.clone())?;
                self.widen(0, group);
            }
            let mut column = 1;
            for series in &chart.series {
                let numbers: Vec<f64> =
                    series.bars.iter().map(|bar| bar.map_or(f64::NAN, |bar| bar.value)).collect();
                let name = format!("{}, {}", series.name, format.unit);
                let values = self.numbers((header, column), &name, &numbers, &format)?;
                column += 1;
                let color = HUES[series.hue % HUES.len()];
                let added = native.add_series();
                added
                    .set_categories(&Column { column: 0, ..values }.values(&self.name))
                    .set_values(&values.values(&self.name))
                    .set_name(&values.name(&self.name))
                    .set_format(ChartFormat::new().set_solid_fill(ChartSolidFill::new().set_color(color)));
                if series.bars.iter().flatten().any(|bar| bar.reading.is_some()) {
                    added.set_points(
                        &series.bars.iter().map(|bar| point(bar.as_ref(), color)).collect::<Vec<_>>(),
                    );
                }
                let interval = |of: &dyn Fn(f64, (f64, f64)) -> f64| -> Vec<f64> {
                    let off = |bar: &Option<Bar>| {
                        bar.and_then(|bar| Some(of(bar.value, bar.interval?))).unwrap_or(f64::NAN)
                    };
                    series.bars.iter().map(off).collect()
                };
                if series.bars.iter().flatten().any(|bar| bar.interval.is_some()) {
                    let low = interval(&|_, (low, _)| low);
                    let high = interval(&|_, (_, high)| high);
                    self.numbers((header, column), "low end", &low, &format)?;
                    self.numbers((header, column + 1), "high end", &high, &format)?;
                    // Drawn up to the edge of the plot: spreadsheets draw longer bars across whatever is next to it.
                    let below = interval(&|value, (low, _)| value - low.max(least));
                    let above = interval(&|value, (_, high)| high.min(most) - value);
                    let below = self.numbers((header, column + 2), "drawn down by", &below, &format)?;
                    let above = self.numbers((header, column + 3), "drawn up by", &above, &format)?;
                    column += 4;
                    let mut bars = ChartErrorBars::new();
                    // Excel wants distances and not ends for error bars.
                    let (above, below) = (above.values(&self.name), below.values(&self.name));
                    bars.set_type(ChartErrorBarsType::Custom(above, below));
                    added.set_y_error_bars(&bars);
                }
            }
            axis(native.y_axis(), &chart.value, &format);
            ends(native.y_axis(), &chart.value, chart.values(), &format);
            // Bars begin at zero, and their names are below them, even if the bars go down.
            native.y_axis().set_crossing(ChartAxisCrossing::Automatic);
            native.x_axis().set_label_position(ChartAxisLabelPosition::Low);
            native.legend().set_position(ChartLegendPosition::Bottom);
            self.place(&native, top, index)?;
            self.row = header + 2 + u32::try_from(chart.groups.len()).unwrap_or(u32::MAX);
        }
        Ok(())
    }

    /// Two charts side by side, in the room above the numbers.
    fn place(&mut self, native: &NativeChart, top: u32, index: usize) -> Result<(), XlsxError> {
        let mut native = native.clone();
        native.set_width(WIDTH).set_height(HEIGHT);
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let row = top + index / 2 * ROWS;
        self.sheet.insert_chart_with_offset(row, 0, &native, index % 2 * (WIDTH + 20), 0)?;
        Ok(())
    }
}

/// As pale as those of the page.
const GRID_COLOR: u32 = 0xD9_DEE5;
const SLOWER: &str = "slower I/Os, %";

/// The number format with `count` decimals.
fn with_decimals(count: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 12")]
    match count.clamp(0.0, 12.0) as usize {
        0 => "0".to_owned(),
        count => format!("0.{}", "0".repeat(count)),
    }
}

/// A place among others that are a few percent apart: three digits, and none behind a whole number.
fn shown_place(place: f64) -> String {
    // Three digits of places such as 2.34, but 16 as «16».
    if place.fract() == 0.0 { "0".to_owned() } else { with_decimals(2.0 - place.abs().log10().floor()) }
}

/// A percentile: at least two digits, and enough to distinguish it from 100.
fn shown_percentile(percent: f64) -> String {
    if percent.fract() == 0.0 {
        "0".to_owned()
    } else {
        // 99.9 needs one decimal, 99.99 two; never fewer than two, so that columns look alike.
        with_decimals((1.0 - (100.0 - percent).log10().floor()).max(2.0))
    }
}

/// The rows that `charts` charts cover, two side by side, and one more.
fn room(charts: usize) -> u32 {
    u32::try_from(charts.div_ceil(2)).unwrap_or(u32::MAX) * ROWS + 1
}

/// Lines at the same places together. One that ends earlier belongs to those that go on.
fn columns_of(chart: &Chart) -> Vec<Columns<'_>> {
    let mut all: Vec<Columns<'_>> = Vec::new();
    for line in &chart.lines {
        let places: Vec<f64> = line.points.iter().map(|(x, _)| *x).collect();
        let agree = |columns: &&mut Columns<'_>| {
            columns.places.iter().zip(&places).all(|(left, right)| left.total_cmp(right).is_eq())
        };
        match all.iter_mut().find(agree) {
            Some(columns) => {
                // The longest list of places serves all.
                if places.len() > columns.places.len() {
                    columns.places = places;
                }
                columns.lines.push(line);
            }
            None => all.push(Columns { places, lines: vec![line] }),
        }
    }
    all
}

fn name_of(axis: &Axis, format: &NumberFormat) -> String {
    [axis.name, format.unit].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

pub(super) fn axis(native: &mut ChartAxis, axis: &Axis, format: &NumberFormat) {
    let name = name_of(axis, format);
    if !name.is_empty() {
        native.set_name(name.as_str());
    }
    let shown = format.spreadsheet_format();
    // Ticks of small numbers have fewer digits than the numbers.
    let ticks = if shown == "#,##0" && axis.scale == Scale::Linear { shown.as_str() } else { "General" };
    native.set_num_format(ticks).set_crossing(ChartAxisCrossing::Min);
    native.set_major_gridlines_line(ChartLine::new().set_color(GRID_COLOR).set_width(0.5));
    match axis.scale {
        Scale::Log => drop(native.set_log_base(10)),
        Scale::Doublings => drop(native.set_log_base(2)),
        Scale::Calendar => drop(native.set_num_format(MOMENT)),
        Scale::Linear | Scale::Nines => {}
    }
}

/// A place on the lower axis, within a sentence.
fn place_in_words(axis: &Axis, format: &NumberFormat, place: f64) -> String {
    if axis.scale == Scale::Calendar { calendar::moment(place) } else { format.write_round(place) }
}

/// How the line of a series is broken.
pub(super) const fn dash_of(dash: Dash) -> ChartLineDashType {
    match dash {
        Dash::Solid => ChartLineDashType::Solid,
        Dash::Dashed => ChartLineDashType::Dash,
        Dash::DashDot => ChartLineDashType::DashDot,
    }
}

/// How a moment is shown.
pub(super) const MOMENT: &str = "yyyy-mm-dd hh:mm";

/// Both ends of an even axis as on the page: from zero, or the lengths of bars would lie.
// Left alone, spreadsheets begin at the lowest value where values are close together. A logarithmic axis they end at
// powers of ten, which is right.
pub(super) fn ends(
    native: &mut ChartAxis,
    axis: &Axis,
    values: impl Iterator<Item = f64>,
    format: &NumberFormat,
) {
    if axis.scale == Scale::Linear {
        let ruler = Ruler::new(axis.scale, values.chain([axis.to]), (0.0, 1.0), false);
        let (least, most) = (ruler.ticks[0], ruler.ticks[ruler.ticks.len() - 1]);
        native.set_min(format.in_unit(least)).set_max(format.in_unit(most));
        if let [first, second, ..] = ruler.ticks.as_slice() {
            native.set_major_unit(format.in_unit(second - first));
        }
    }
}

/// A bar in the colour of what its change means, or of its series.
fn point(bar: Option<&Bar>, color: u32) -> ChartPoint {
    let color = match bar.and_then(|bar| bar.reading) {
        Some(reading) if reading.is_better() => GOOD_COLOR,
        Some(reading) if reading.is_worse() => LIMIT_COLOR,
        Some(_) => SAME_COLOR,
        None => color,
    };
    ChartPoint::new().set_format(ChartFormat::new().set_solid_fill(ChartSolidFill::new().set_color(color)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_with_the_digits_that_tell_it_from_its_neighbours() {
        for (place, shown) in
            [(16.0, "0"), (20.4926, "0.0"), (1.0905, "0.00"), (0.0316, "0.0000"), (0.0, "0")]
        {
            assert_eq!(shown_place(place), shown, "{place}");
        }
        for (percent, shown) in
            [(90.0, "0"), (10.8749, "0.00"), (99.9, "0.000"), (99.9992, "0.00000"), (100.0, "0")]
        {
            assert_eq!(shown_percentile(percent), shown, "{percent}");
        }
    }
}
