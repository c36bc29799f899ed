//! The figures of a chart as a small table below it, for those who have no mouse to point at it.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::calendar;
use crate::chart::{Axis, Bar, BarChart, Chart, HeatMap, Line, Scale, Shape};
use crate::quantity::{LatencyUnit, NumberFormat, Quantity, without_trailing_zeros};

/// A table has at most this many rows; of more places every second, fifth or tenth is shown.
// A choice: enough to see a course, in a page that is little larger for it.
const MOST_ROWS: usize = 20;

/// The figures of a chart as the template sees them.
#[derive(Serialize)]
pub(super) struct FiguresView {
    /// What of the figures is shown, unless all of them are.
    note: Option<String>,
    headers: Vec<String>,
    /// As many cells as there are headers; the first one labels the row.
    rows: Vec<Vec<String>>,
}

/// Those of lines and points: a row for each place. `None` where nothing was measured.
pub(super) fn of_chart(chart: &Chart, unit: LatencyUnit) -> Option<FiguresView> {
    // What was fitted has hundreds of points that nobody measured, and a level has its value in its name.
    let lines: Vec<&Line> =
        chart.lines.iter().filter(|line| !matches!(line.shape, Shape::Fit | Shape::Level)).collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    points().next()?;
    let x = NumberFormat::fit(chart.x.quantity, unit, points().map(|(x, _)| *x));
    let y = NumberFormat::fit(chart.y.quantity, unit, points().filter_map(|(_, y)| *y));
    if lines.iter().any(|line| matches!(line.shape, Shape::Path(_))) {
        return Some(of_paths(chart, &lines, (&x, &y)));
    }
    let (step, places) = thinned(&lines);
    let all = BTreeSet::from_iter(points().map(|(x, _)| x.to_bits())).len();
    let row = |at: &f64| {
        let value = |line: &&Line| {
            let found = line.points.iter().find(|(x, _)| x.total_cmp(at).is_eq());
            found.and_then(|(_, y)| *y).map_or_else(|| "–".to_owned(), |value| y.write(value))
        };
        std::iter::once(place(&chart.x, &x, *at)).chain(lines.iter().map(value)).collect()
    };
    let names = lines.iter().map(|line| with_unit(&line.name, y.unit));
    Some(FiguresView {
        note: (step > 1).then(|| every(step, all)),
        headers: std::iter::once(name_of(&chart.x, &x)).chain(names).collect(),
        rows: places.iter().map(row).collect(),
    })
}

/// A row for each point of a path, in its order: its places need not be from left to right.
fn of_paths(chart: &Chart, lines: &[&Line], (x, y): (&NumberFormat, &NumberFormat)) -> FiguresView {
    let mut rows = Vec::new();
    for line in lines {
        let names: &[String] = if let Shape::Path(names) = &line.shape { names } else { &[] };
        for (index, (at, value)) in line.points.iter().enumerate() {
            let point = names.get(index).map_or("", String::as_str);
            rows.push(vec![
                format!("{} {point}", line.name).trim().to_owned(),
                place(&chart.x, x, *at),
                value.map_or_else(|| "–".to_owned(), |value| y.write(value)),
            ]);
        }
    }
    let height = if chart.y.name.is_empty() { chart.title.as_str() } else { chart.y.name };
    let headers = vec!["point".to_owned(), name_of(&chart.x, x), with_unit(height, y.unit)];
    FiguresView { note: None, headers, rows }
}

/// Those of bars: a row for each group, with the ends of error bars.
pub(super) fn of_bars(chart: &BarChart, unit: LatencyUnit) -> Option<FiguresView> {
    let format = NumberFormat::fit(chart.value.quantity, unit, chart.values());
    let cell = |bar: Option<&Bar>| match bar {
        None => "–".to_owned(),
        Some(Bar { value, interval: None, .. }) => format.write(*value),
        Some(Bar { value, interval: Some((low, high)), .. }) => {
            format!("{} ({} to {})", format.write(*value), format.write(*low), format.write(*high))
        }
    };
    let row = |(index, group): (usize, &String)| {
        let bars = chart.series.iter().map(|series| series.bars.get(index).and_then(Option::as_ref));
        std::iter::once(group.clone()).chain(bars.map(cell)).collect()
    };
    let names = chart.series.iter().map(|series| with_unit(&series.name, format.unit));
    (!chart.series.is_empty()).then(|| FiguresView {
        note: None,
        headers: std::iter::once(String::new()).chain(names).collect(),
        rows: chart.groups.iter().enumerate().map(row).collect(),
    })
}

/// Those of a heat map: of each stretch of time, the band that holds most I/Os and the highest one that holds any.
pub(super) fn of_map(map: &HeatMap, unit: LatencyUnit) -> Option<FiguresView> {
    let (low, high) = map.x_range;
    let x = NumberFormat::fit(map.x.quantity, unit, [low, high].into_iter());
    let y = NumberFormat::fit(map.y.quantity, unit, [map.y_range.0, map.y_range.1].into_iter());
    let step = step_for(map.shares_percent.len(), MOST_ROWS);
    let up_to = |row: Option<usize>| {
        row.map_or_else(|| "–".to_owned(), |row| y.write_round(round(map.upper_edge(row))))
    };
    let row = |(column, shares): (usize, &Vec<f64>)| {
        let held = || shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        let most = held().max_by(|left, right| left.1.total_cmp(right.1)).map(|(row, _)| row);
        let last = held().map(|(row, _)| row).next_back();
        vec![place(&map.x, &x, map.middle(column)), up_to(most), up_to(last)]
    };
    (!map.shares_percent.is_empty()).then(|| FiguresView {
        note: (step > 1).then(|| every(step, map.shares_percent.len())),
        headers: vec![
            name_of(&map.x, &x),
            with_unit("most I/Os up to", y.unit),
            with_unit("slowest up to", y.unit),
        ],
        rows: map.shares_percent.iter().enumerate().step_by(step).map(row).collect(),
    })
}

/// Three digits: the edges of bands are powers.
fn round(value: f64) -> f64 {
    let scale = 10f64.powf(2.0 - value.abs().max(f64::MIN_POSITIVE).log10().floor());
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}

/// The places of all lines, in their order: every one or every so many of each line, so that none loses all of its points.
fn thinned(lines: &[&Line]) -> (usize, Vec<f64>) {
    let places = |step: usize| -> BTreeSet<u64> {
        // By their bits, which are in the order of numbers that are not negative.
        let of_line =
            |line: &&Line| line.points.iter().step_by(step).map(|(x, _)| x.to_bits()).collect::<Vec<_>>();
        lines.iter().flat_map(of_line).collect()
    };
    let longest = lines.iter().map(|line| line.points.len()).max().unwrap_or_default();
    let fits = |step: &usize| *step >= longest.max(1) || places(*step).len() <= MOST_ROWS;
    let step = steps().find(fits).unwrap_or(1);
    (step, places(step).into_iter().map(f64::from_bits).collect())
}

/// 1, 2, 5, 10 and so on: people count in these, and they keep the percentiles 90, 99 and 99.9 of a curve.
fn steps() -> impl Iterator<Item = usize> {
    (0u32..12).flat_map(|power| [1, 2, 5].map(|factor| factor * 10usize.pow(power)))
}

/// The first of these that leaves at most `most` of `count`.
fn step_for(count: usize, most: usize) -> usize {
    steps().find(|step| count.div_ceil(*step) <= most).unwrap_or(1)
}

fn every(step: usize, all: usize) -> String {
    let ending = if step == 2 { "nd" } else { "th" };
    format!("Every {step}{ending} of {all} places; CSV and XLSX have all of them.")
}

/// A place on the lower axis.
fn place(axis: &Axis, format: &NumberFormat, at: f64) -> String {
    match axis.scale {
        Scale::Calendar => calendar::moment(at),
        Scale::Nines => without_trailing_zeros(&format!("{at:.5}")).to_owned(),
        // Rates have the digits of their column, and times no more than they need.
        Scale::Linear if axis.quantity != Quantity::Seconds => format.write(at),
        _ => format.write_round(at),
    }
}

fn name_of(axis: &Axis, format: &NumberFormat) -> String {
    if axis.scale == Scale::Calendar { "from".to_owned() } else { with_unit(axis.name, format.unit) }
}

fn with_unit(name: &str, unit: &str) -> String {
    [name, unit].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Dash, LATENCY_AXIS, TIME};

    fn chart(lines: Vec<Vec<(f64, Option<f64>)>>) -> Chart {
        let line = |(index, points)| Line {
            name: format!("line {index}"),
            hue: index,
            dash: Dash::Solid,
            shape: Shape::Course,
            points,
        };
        Chart {
            id: "id".into(),
            title: "p99 latency".into(),
            x: Axis { name: TIME, quantity: Quantity::Seconds, scale: Scale::Linear, to: 0.0 },
            y: LATENCY_AXIS,
            lines: lines.into_iter().enumerate().map(line).collect(),
            spans: Vec::new(),
            limits: Vec::new(),
        }
    }

    #[test]
    fn every_place_has_a_row_and_a_line_without_a_value_there_a_dash() {
        let lines = vec![vec![(0.5, Some(2_500.0)), (1.5, None)], vec![(0.5, Some(800.0)), (2.5, Some(9.0))]];
        let figures = of_chart(&chart(lines), LatencyUnit::Microseconds).unwrap();
        assert_eq!(figures.headers[1..], ["line 0, µs", "line 1, µs"]);
        assert_eq!(figures.rows, [["0.5", "2,500", "800"], ["1.5", "–", "–"], ["2.5", "–", "9.0"]]);
        assert_eq!(figures.note, None);
    }

    #[test]
    fn a_long_course_is_thinned_evenly_and_says_so() {
        let points = (0..300).map(|second| (f64::from(second), Some(1.0))).collect();
        let figures = of_chart(&chart(vec![points]), LatencyUnit::Microseconds).unwrap();
        assert_eq!(figures.rows.len(), 15);
        assert_eq!((figures.rows[1][0].as_str(), figures.rows[14][0].as_str()), ("20", "280"));
        assert!(figures.note.unwrap().starts_with("Every 20th of 300 places"));
    }

    #[test]
    fn lines_at_places_of_their_own_all_keep_some() {
        let at = |off: f64| (0..100).map(|second| (f64::from(second) + off, Some(1.0))).collect();
        let figures = of_chart(&chart(vec![at(0.0), at(0.5)]), LatencyUnit::Microseconds).unwrap();
        assert!(figures.rows.len() <= MOST_ROWS);
        for column in [1, 2] {
            assert!(figures.rows.iter().filter(|row| row[column] != "–").count() >= MOST_ROWS / 2);
        }
    }

    #[test]
    fn nothing_measured_has_no_figures() {
        assert!(of_chart(&chart(vec![Vec::new()]), LatencyUnit::Microseconds).is_none());
    }
}
