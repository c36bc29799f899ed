//! Values that hold for a stretch: steps, stacked layers, and levels across the chart.

use std::fmt::Write as _;

use iotrial_model::units::group_thousands;

use super::frame::{Edge, HUE_COUNT, LEFT, escape, marker};
use super::{LIMIT_LETTER_WIDTH, LONGEST_LIMIT_LABEL, Labels, MARKERS_PER_LINE, MOST_POINTS, path};
use crate::chart::{Chart, Line, Shape};
use crate::text::cut;

/// Each value from its place to the next one.
pub(super) fn corners(points: &[(f64, Option<f64>)]) -> Vec<(f64, Option<f64>)> {
    let mut corners = Vec::with_capacity(2 * points.len());
    for (index, (at, value)) in points.iter().enumerate() {
        corners.push((*at, *value));
        if let (Some(_), Some((until, _))) = (value, points.get(index + 1)) {
            corners.push((*until, *value));
        }
    }
    corners
}

fn layers_of(chart: &Chart) -> impl Iterator<Item = &Line> {
    chart.lines.iter().filter(|line| line.shape == Shape::Layer)
}

/// The sum of all layers at each place, for which the axis needs room.
pub(super) fn heights(chart: &Chart) -> std::vec::IntoIter<f64> {
    let count = layers_of(chart).map(|line| line.points.len()).max().unwrap_or(0);
    let height = |at: usize| layers_of(chart).filter_map(|line| line.points.get(at)?.1).sum();
    (0..count).map(height).collect::<Vec<f64>>().into_iter()
}

/// The places that are drawn: all of them, or the highest of each stretch. Layers can be stacked only if all have the same
/// places.
fn drawn_places(chart: &Chart) -> Vec<usize> {
    let heights: Vec<f64> = heights(chart).collect();
    if heights.len() <= MOST_POINTS {
        return (0..heights.len()).collect();
    }
    let stretch = heights.len().div_ceil(MOST_POINTS);
    let of_chunk = |from: usize| {
        let to = (from + stretch).min(heights.len());
        (from..to).max_by(|a, b| heights[*a].total_cmp(&heights[*b])).unwrap_or(from)
    };
    (0..heights.len()).step_by(stretch).map(of_chunk).collect()
}

/// Stacked areas, the first one at the bottom, each with its edge and markers.
pub(super) fn layers(svg: &mut String, chart: &Chart, x: &Edge, y: &Edge) -> std::fmt::Result {
    let places = drawn_places(chart);
    let mut below = vec![0.0; places.len()];
    for (index, line) in layers_of(chart).enumerate() {
        let hue = line.hue % HUE_COUNT;
        let above: Vec<f64> = places
            .iter()
            .zip(&below)
            .map(|(at, below)| below + line.points.get(*at).and_then(|(_, value)| *value).unwrap_or(0.0))
            .collect();
        let edge = |tops: &[f64]| -> Vec<(f64, Option<f64>)> {
            let at = |(place, top): (&usize, &f64)| {
                let (at, _) = line.points.get(*place).copied().unwrap_or_default();
                (x.position(at), Some(y.position(*top)))
            };
            corners(&places.iter().zip(tops).map(at).collect::<Vec<_>>())
        };
        let (top, mut bottom) = (edge(&above), edge(&below));
        bottom.reverse();
        let outline = path(&top) + &path(&bottom).replacen('M', "L", 1) + "Z";
        let name = escape(&line.name);
        write!(svg, r#"<path class="layer hue-{hue}" d="{outline}"><title>{name}</title></path>"#)?;
        let step = (places.len() / MARKERS_PER_LINE).max(1);
        // In the middle of the layer, where no other one has its own, and only where there is room.
        let marks = (0..places.len()).skip((index * step / 3) % step).step_by(step).filter_map(|at| {
            let next = places.get(at + 1)?;
            let ((from, _), (to, _)) = (line.points.get(places[at])?, line.points.get(*next)?);
            let (low, high) = (y.position(below[at]), y.position(above[at]));
            (low - high > 9.0).then(|| {
                marker(hue, f64::midpoint(x.position(*from), x.position(*to)), f64::midpoint(low, high))
            })
        });
        write!(svg, r#"<path class="mark hue-{hue}" d="{}"/>"#, marks.collect::<String>())?;
        below = above;
    }
    Ok(())
}

/// A value across the chart, with its name.
pub(super) fn level(
    svg: &mut String,
    line: &Line,
    x: &Edge,
    y: &Edge,
    labels: &mut Labels,
) -> std::fmt::Result {
    let (Some((from, Some(value))), Some((to, _))) = (line.points.first(), line.points.last()) else {
        return Ok(());
    };
    let at = y.position(*value);
    let edge = x.ruler.end();
    let (from, to) = (x.position(*from).max(LEFT), x.position(*to).min(edge));
    // Three digits say where it is.
    let shown = match y.format.in_unit(*value) {
        100.0.. => group_thousands(&format!("{:.0}", y.format.in_unit(*value))),
        _ => y.format.write(*value),
    };
    let words = cut(&format!("{shown} {}", line.name), LONGEST_LIMIT_LABEL);
    let width = words.chars().count() as f64 * LIMIT_LETTER_WIDTH;
    let right = (to - 4.0).max(LEFT + 4.0 + width).min(edge);
    let (right, base) = labels.place(width, right, at, 3, 12).unwrap_or((right, at - 5.0));
    write!(
        svg,
        r#"<path class="level" d="M{from:.1} {at:.1}H{to:.1}"/><text class="level-name" x="{right:.1}" y="{base:.1}" text-anchor="end">{}</text>"#,
        escape(&words)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_until_the_next_place_and_a_gap_holds_nothing() {
        let points = [(0.0, Some(1.0)), (1.0, None), (2.0, Some(3.0)), (3.0, None)];
        let expected = [
            (0.0, Some(1.0)),
            (1.0, Some(1.0)),
            (1.0, None),
            (2.0, Some(3.0)),
            (3.0, Some(3.0)),
            (3.0, None),
        ];
        assert_eq!(corners(&points), expected);
    }
}
