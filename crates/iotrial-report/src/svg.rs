//! Charts as SVG. Colours and fonts come from the style sheet by class, so that a chart follows the page
//! into dark mode and onto paper; hue, marker and dash together tell the lines apart.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::chart::{Chart, Dash, Limit, Line, Scale};
use crate::quantity::{LatencyUnit, NumberFormat, without_trailing_zeros};
use crate::ruler::Ruler;

/// The drawing's size and the edges of the plot in it, in units of the drawing.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 326.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = WIDTH - 42.0;
const TOP: f64 = 42.0;
const BOTTOM: f64 = HEIGHT - 46.0;

/// As many hues as the style sheet has.
const HUE_COUNT: usize = 5;
/// Half the size of a marker.
const MARKER: f64 = 3.6;
/// So many markers on a line.
const MARKERS_PER_LINE: usize = 6;
/// More points than this cannot be told apart at the width of the drawing.
const MOST_POINTS: usize = 600;
/// A line of more points than this is drawn thinner.
const DENSE_POINTS: usize = 200;
/// More columns to point at than this cannot be hit.
const MOST_COLUMNS: usize = 400;
/// Labels of limits are at least so far apart.
const LIMIT_LABEL_HEIGHT: f64 = 17.0;
/// Room for one letter of a label on a phone, where letters are largest.
const LETTER_WIDTH: f64 = 10.0;

/// One chart as an `<svg>` element.
pub(crate) fn write_chart(chart: &Chart, latency_unit: LatencyUnit) -> String {
    let mut svg = String::new();
    draw(&mut svg, chart, latency_unit).unwrap_or_else(|_| unreachable!("writing to a string cannot fail"));
    svg
}

/// The sample of a line in a legend, as an `<svg>` element.
pub(crate) fn write_sample(line: &Line) -> String {
    let hue = line.hue % HUE_COUNT;
    format!(
        r#"<svg class="sample" viewBox="0 0 44 14" aria-hidden="true"><path class="line hue-{hue} {}" d="M2 7H42"/><path class="mark hue-{hue}" d="{}"/></svg>"#,
        dash_class(line.dash),
        marker(hue, 22.0, 7.0)
    )
}

/// The sample of the limits in a legend, as an `<svg>` element.
pub(crate) fn write_limit_sample() -> String {
    r#"<svg class="sample" viewBox="0 0 44 14" aria-hidden="true"><path class="limit" d="M2 7H42"/></svg>"#
        .to_owned()
}

fn draw(svg: &mut String, chart: &Chart, latency_unit: LatencyUnit) -> std::fmt::Result {
    let xs = || chart.lines.iter().flat_map(|line| line.points.iter().map(|(x, _)| *x));
    let ys = || chart.lines.iter().flat_map(|line| line.points.iter().filter_map(|(_, y)| *y));
    let limits = || chart.limits.iter().map(|limit| limit.value);
    let x = Ruler::new(chart.x.scale, xs().chain([chart.x.to]), (LEFT, RIGHT), true);
    let y = Ruler::new(chart.y.scale, ys().chain(limits()).chain([chart.y.to]), (BOTTOM, TOP), false);
    let x_format = NumberFormat::fit(chart.x.quantity, latency_unit, xs());
    let y_format = NumberFormat::fit(chart.y.quantity, latency_unit, ys());

    let id = escape(&chart.id);
    write!(
        svg,
        r#"<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{id}-t {id}-d"><title id="{id}-t">{}</title><desc id="{id}-d">{}</desc>"#,
        escape(&chart.title),
        escape(&description(chart, &y_format))
    )?;
    spans(svg, chart, &x)?;
    axes(svg, chart, (&x, &x_format), (&y, &y_format))?;
    draw_limits(svg, chart, &y, &y_format)?;
    for (index, line) in chart.lines.iter().enumerate() {
        draw_line(svg, line, index, &x, &y)?;
    }
    columns(svg, chart, (&x, &x_format), &y_format)?;
    svg.push_str("</svg>");
    Ok(())
}

/// What somebody who cannot see the chart should know of it: the range of each line.
fn description(chart: &Chart, format: &NumberFormat) -> String {
    let range = |line: &Line| {
        let values = || line.points.iter().filter_map(|(_, y)| *y);
        match values().next() {
            None => format!("{}: nothing", line.name),
            Some(_) => format!(
                "{}: {} to {}",
                line.name,
                format.write(values().fold(f64::INFINITY, f64::min)),
                format.write_with_unit(values().fold(0.0, f64::max))
            ),
        }
    };
    chart.lines.iter().map(range).collect::<Vec<_>>().join("; ")
}

fn spans(svg: &mut String, chart: &Chart, x: &Ruler) -> std::fmt::Result {
    for span in &chart.spans {
        let (from, to) = (x.position(span.from), x.position(span.to));
        write!(
            svg,
            r#"<rect class="span" x="{from:.1}" y="{TOP}" width="{:.1}" height="{}"/>"#,
            to - from,
            BOTTOM - TOP
        )?;
        write!(svg, r#"<text class="span-name" x="{:.1}" y="{}">{}</text>"#, from, TOP - 6.0, span.name)?;
    }
    Ok(())
}

fn axes(
    svg: &mut String,
    chart: &Chart,
    (x, x_format): (&Ruler, &NumberFormat),
    (y, y_format): (&Ruler, &NumberFormat),
) -> std::fmt::Result {
    for tick in &y.ticks {
        let at = y.position(*tick);
        write!(svg, r#"<path class="grid" d="M{LEFT} {at:.1}H{RIGHT}"/>"#)?;
        write!(
            svg,
            r#"<text class="tick" x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
            LEFT - 7.0,
            at + 4.0,
            y_format.write_round(*tick)
        )?;
    }
    // From the right, so that the far percentiles keep their labels where they come too close.
    let mut label_left = f64::INFINITY;
    for tick in x.ticks.iter().rev() {
        let at = x.position(*tick);
        write!(svg, r#"<path class="axis" d="M{at:.1} {BOTTOM}v5"/>"#)?;
        let label = match (chart.x.scale, *tick) {
            (Scale::Nines, 0.0) => "min".to_owned(),
            (Scale::Nines, percent) => percentile(percent),
            _ => x_format.write_round(*tick),
        };
        #[expect(clippy::cast_precision_loss, reason = "a label has few letters")]
        let half_width = label.len() as f64 * LETTER_WIDTH / 2.0;
        if at + half_width > label_left {
            continue;
        }
        label_left = at - half_width;
        write!(
            svg,
            r#"<text class="tick" x="{at:.1}" y="{}" text-anchor="middle">{label}</text>"#,
            BOTTOM + 20.0
        )?;
    }
    let scale = if chart.y.scale == Scale::Log { ", logarithmic" } else { "" };
    write!(svg, r#"<path class="axis" d="M{LEFT} {BOTTOM}H{RIGHT}"/>"#)?;
    write!(svg, r#"<text class="unit" x="2" y="15">{}{scale}</text>"#, y_format.unit)?;
    let x_unit = if chart.x.scale == Scale::Nines { String::new() } else { format!(", {}", x_format.unit) };
    write!(
        svg,
        r#"<text class="unit" x="{RIGHT}" y="{}" text-anchor="end">{}{x_unit}</text>"#,
        HEIGHT - 8.0,
        escape(chart.x.name)
    )
}

/// `p99.9`, with as many nines as there are.
fn percentile(percent: f64) -> String {
    format!("p{}", without_trailing_zeros(&format!("{percent:.5}")))
}

/// Each limit as a line with its value beside the plot; whose it is shows where it is pointed at.
fn draw_limits(svg: &mut String, chart: &Chart, y: &Ruler, format: &NumberFormat) -> std::fmt::Result {
    let mut limits: Vec<&Limit> = chart.limits.iter().collect();
    limits.sort_by(|left, right| left.value.total_cmp(&right.value));
    let mut label_above = f64::INFINITY;
    for limit in limits {
        let at = y.position(limit.value);
        let label = at.min(label_above - LIMIT_LABEL_HEIGHT);
        label_above = label;
        write!(
            svg,
            r#"<g><title>limit for {}</title><path class="limit" d="M{LEFT} {at:.1}H{RIGHT}"/><text class="limit-name" x="{}" y="{:.1}">{}</text></g>"#,
            escape(&limit.name),
            RIGHT + 6.0,
            label + 4.0,
            format.write_round(limit.value)
        )?;
    }
    Ok(())
}

fn draw_line(svg: &mut String, line: &Line, index: usize, x: &Ruler, y: &Ruler) -> std::fmt::Result {
    let hue = line.hue % HUE_COUNT;
    let points: Vec<(f64, Option<f64>)> = thin(&line.points, MOST_POINTS)
        .iter()
        .map(|(at, value)| (x.position(*at), value.map(|value| y.position(value))))
        .collect();
    let mut path = String::new();
    let mut is_drawing = false;
    for (position, (at, value)) in points.iter().enumerate() {
        if let Some(value) = value {
            write!(path, "{}{at:.1} {value:.1}", if is_drawing { "L" } else { "M" })?;
            // A point between two gaps has no length; its round ends make it a dot.
            if !is_drawing && points.get(position + 1).is_none_or(|(_, next)| next.is_none()) {
                path.push_str("h0");
            }
        }
        is_drawing = value.is_some();
    }
    let step = (points.len() / MARKERS_PER_LINE).max(1);
    // Lines on top of one another have their markers side by side.
    let first = (index * step / 3) % step;
    let markers: String = points
        .iter()
        .skip(first)
        .step_by(step)
        .filter_map(|(at, value)| value.map(|value| marker(hue, *at, value)))
        .collect();
    let density = if points.len() > DENSE_POINTS { " dense" } else { "" };
    write!(svg, r#"<path class="line hue-{hue} {}{density}" d="{path}"/>"#, dash_class(line.dash))?;
    write!(svg, r#"<path class="mark hue-{hue}" d="{markers}"/>"#)
}

const fn dash_class(dash: Dash) -> &'static str {
    match dash {
        Dash::Solid => "solid",
        Dash::Dashed => "dashed",
        Dash::DashDot => "dash-dot",
    }
}

/// The outline of a hue's marker: circle, square, triangle, diamond, triangle on its head.
fn marker(hue: usize, x: f64, y: f64) -> String {
    let r = MARKER;
    let d = 2.0 * r;
    match hue {
        0 => format!("M{:.1} {y:.1}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z", x - r),
        1 => format!("M{:.1} {:.1}h{d}v{d}h-{d}Z", x - r, y - r),
        2 => format!("M{x:.1} {:.1}l{r} {d}h-{d}Z", y - r),
        3 => format!("M{x:.1} {:.1}l{r} {r}l-{r} {r}l-{r} -{r}Z", y - r),
        _ => format!("M{x:.1} {:.1}l-{r} -{d}h{d}Z", y + r),
    }
}

/// At most about `most` points: of each stretch the lowest and the highest, so that no spike is lost.
fn thin(points: &[(f64, Option<f64>)], most: usize) -> Vec<(f64, Option<f64>)> {
    if points.len() <= most {
        return points.to_vec();
    }
    let stretch = (2 * points.len()).div_ceil(most);
    let mut thinned = Vec::with_capacity(most + 2);
    for chunk in points.chunks(stretch) {
        let mut kept: Vec<usize> = Vec::new();
        let by_value = |left: &usize, right: &usize| {
            let value = |index: &usize| chunk[*index].1.unwrap_or(f64::NAN);
            value(left).total_cmp(&value(right))
        };
        let with_value = || (0..chunk.len()).filter(|index| chunk[*index].1.is_some());
        kept.extend(with_value().min_by(by_value));
        kept.extend(with_value().max_by(by_value));
        // A stretch without any value stays a gap.
        if kept.is_empty() {
            kept.push(0);
        }
        kept.sort_unstable();
        kept.dedup();
        thinned.extend(kept.into_iter().map(|index| chunk[index]));
    }
    thinned
}

/// Invisible columns to point at; each names all values at its place.
fn columns(
    svg: &mut String,
    chart: &Chart,
    (x, x_format): (&Ruler, &NumberFormat),
    y_format: &NumberFormat,
) -> std::fmt::Result {
    // Places are compared by their bits: lines of one chart share the very same numbers, all of them positive.
    let places: BTreeSet<u64> =
        chart.lines.iter().flat_map(|line| line.points.iter().map(|(at, _)| at.to_bits())).collect();
    let places: Vec<f64> = places.into_iter().map(f64::from_bits).collect();
    if places.len() > MOST_COLUMNS {
        return Ok(());
    }
    let drawn: Vec<f64> = places.iter().map(|at| x.position(*at)).collect();
    for (index, (at, middle)) in places.iter().zip(&drawn).enumerate() {
        let from = if index == 0 { LEFT } else { f64::midpoint(drawn[index - 1], *middle) };
        let to = drawn.get(index + 1).map_or(RIGHT, |next| f64::midpoint(*middle, *next));
        let place = match chart.x.scale {
            Scale::Nines => percentile(*at),
            _ => format!("{} {}", x_format.write_round(*at), x_format.unit),
        };
        let values = chart.lines.iter().filter_map(|line| {
            let (_, value) = line.points.iter().find(|(x, _)| x.to_bits() == at.to_bits())?;
            let value = value.map_or_else(|| "–".to_owned(), |value| y_format.write_with_unit(value));
            Some(format!("\n{}: {value}", line.name))
        });
        let values: String = values.collect();
        write!(
            svg,
            r#"<rect class="column" x="{from:.1}" y="{TOP}" width="{:.1}" height="{}"><title>{}</title></rect>"#,
            to - from,
            BOTTOM - TOP,
            escape(&format!("{place}{values}"))
        )?;
    }
    Ok(())
}

/// Text for an element or an attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_series_is_thinned_and_keeps_its_spike_and_its_dip() {
        let mut points: Vec<(f64, Option<f64>)> = (0..7200).map(|s| (f64::from(s), Some(10.0))).collect();
        points[4321].1 = Some(900.0);
        points[1234].1 = Some(0.5);
        let thinned = thin(&points, 600);
        assert!(thinned.len() <= 600, "{}", thinned.len());
        assert!(thinned.contains(&(4321.0, Some(900.0))) && thinned.contains(&(1234.0, Some(0.5))));
        assert!(thinned.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_long_standstill_stays_a_gap() {
        let points: Vec<(f64, Option<f64>)> =
            (0..3000).map(|s| (f64::from(s), (!(1000..=2000).contains(&s)).then_some(1.0))).collect();
        assert!(thin(&points, 600).iter().any(|(_, value)| value.is_none()));
    }
}
