//! A heat map as SVG: the cells of one level are one path in a grid of columns and rows, so that ten thousand
//! cells stay a few kilobytes.

use std::fmt::Write as _;

use super::frame::{self, Edge, HEIGHT, RIGHT};
use super::written;
use crate::chart::HeatMap;
use crate::quantity::{LatencyUnit, NumberFormat, Quantity};

/// One heat map as an `<svg>` element, whose id begins with `prefix`.
pub(crate) fn write_heat_map(prefix: &str, map: &HeatMap, unit: LatencyUnit) -> String {
    written(|svg| draw(svg, prefix, map, unit))
}

/// The words for a level, and its sample as an `<svg>` element.
pub(super) fn write_level_sample(level: usize) -> (String, String) {
    let percent = |value: f64| {
        // Without any value the format takes its usual digits.
        NumberFormat::fit(Quantity::Percent, LatencyUnit::Milliseconds, std::iter::empty()).write_round(value)
    };
    let levels = HeatMap::LEVELS_PERCENT;
    let words = match level {
        0 => format!("below {} %", percent(levels[0])),
        last if last == levels.len() => format!("from {} %", percent(levels[last - 1])),
        between => format!("{} to {} %", percent(levels[between - 1]), percent(levels[between])),
    };
    let sample = format!(
        // A stroke as wide as the cell is high fills it.
        r#"<svg class="swatch" viewBox="0 0 16 14" aria-hidden="true"><path class="heat heat-{level}" d="M0 7H16" stroke-width="14"/></svg>"#
    );
    (words, sample)
}

fn draw(svg: &mut String, prefix: &str, map: &HeatMap, unit: LatencyUnit) -> std::fmt::Result {
    let (x, y) = edges(map, unit);
    frame::open(
        svg,
        &format!("{prefix}{}", map.id),
        &map.title,
        &(description(map, &y) + &frame::steps_in_words(&map.spans, &x)),
        (0.0, HEIGHT),
    )?;
    frame::spans(svg, &map.spans, &x)?;
    frame::axes(svg, &x, &y)?;
    let (left, right) = (x.position(map.x_range.0), x.position(map.x_range.1));
    let (low, high) = (y.position(map.y_range.0), y.position(map.y_range.1));
    let (columns, rows) = (map.shares_percent.len().max(1) as f64, map.row_count().max(1) as f64);
    write!(
        svg,
        // The grid is scaled instead of every coordinate, so that cells need whole numbers only.
        r#"<g transform="translate({left:.2} {low:.2}) scale({:.5} {:.5})">"#,
        (right - left) / columns,
        (high - low) / rows
    )?;
    // A path for each level: colours come from seven classes and not from ten thousand attributes.
    for level in 0..=HeatMap::LEVELS_PERCENT.len() {
        let cells = cells(map, level);
        if !cells.is_empty() {
            write!(svg, r#"<path class="heat heat-{level}" d="{cells}"/>"#)?;
        }
    }
    svg.push_str("</g></svg>");
    Ok(())
}

/// The rulers of a map, whose outer edges are the only values that have to find room.
fn edges(map: &HeatMap, unit: LatencyUnit) -> (Edge, Edge) {
    let outer = |(low, high): (f64, f64)| [low, high].into_iter();
    let x = Edge::below(map.x, unit, outer(map.x_range), RIGHT);
    (x, Edge::left(map.y, unit, outer(map.y_range), std::iter::empty()))
}

/// All cells of one level, row by row; neighbours are one stroke. A row is as high as the stroke is wide.
fn cells(map: &HeatMap, level: usize) -> String {
    let mut path = String::new();
    // A column without I/Os has no cells at all.
    let count = map.shares_percent.len();
    let is_this = |column: usize, row: usize| {
        map.shares_percent[column].get(row).is_some_and(|share| HeatMap::level(*share) == Some(level))
    };
    for row in 0..map.row_count() {
        let mut column = 0;
        while column < count {
            let width = (column..count).take_while(|at| is_this(*at, row)).count();
            if width > 0 {
                path.push_str(&format!("M{column} {row}.5h{width}"));
            }
            // The cell after a run is known not to be of this level.
            column += width + 1;
        }
    }
    path
}

/// The description for people who cannot see the map: where most I/Os are, and how far it reaches.
fn description(map: &HeatMap, y: &Edge) -> String {
    let rows = map.row_count();
    // Shares of columns are added up, although columns hold different numbers of I/Os: this is a description,
    // not a figure.
    let sum = |row: usize| -> f64 { map.shares_percent.iter().filter_map(|column| column.get(row)).sum() };
    let most = (0..rows).max_by(|left, right| sum(*left).total_cmp(&sum(*right)));
    let last = (0..rows).rev().find(|row| sum(*row) > 0.0);
    match (most, last) {
        (Some(most), Some(last)) => format!(
            "most up to {}, the longest up to {}",
            y.format.write_with_unit(map.upper_edge(most)),
            y.format.write_with_unit(map.upper_edge(last))
        ),
        _ => "nothing".to_owned(),
    }
}
