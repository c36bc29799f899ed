//! Charts as SVG. Colours and fonts come from the style sheet by class, so that a chart follows the page
//! into dark mode and onto paper; hue, marker and dash together tell the lines apart.

use std::fmt::Write as _;

use crate::chart::{Chart, Dash, Line, Shape};
use crate::quantity::{LatencyUnit, NumberFormat};

mod frame;

mod columns;

mod held;

mod limits;

mod bars;

mod heat_map;

mod legend;

pub(crate) use bars::write_bar_chart;
use bars::{write_bar_sample, write_cut_sample, write_meaning_sample};
pub(crate) use frame::escape;
use frame::{BOTTOM, Edge, HUE_COUNT, LEFT, TOP, marker};
pub(crate) use heat_map::write_heat_map;
use heat_map::write_level_sample;
pub(crate) use legend::{Legend, bar_legend, legend, level_legend};

/// Number of markers on a line.
// A choice: enough to recognise a line anywhere, few enough not to hide its course.
const MARKERS_PER_LINE: usize = 6;
/// More points than this cannot be distinguished at the width of the drawing.
const MOST_POINTS: usize = 600;
/// A line of more points than this is drawn thinner.
const DENSE_POINTS: usize = 200;
/// Labels in the plot are at least this far apart.
const LIMIT_LABEL_HEIGHT: f64 = 17.0;
/// Labels of levels are cut to this many letters.
const LONGEST_LIMIT_LABEL: usize = 34;
/// A letter of a label, on a phone.
const LIMIT_LETTER_WIDTH: f64 = 8.5;

/// One chart as an `<svg>` element, whose id begins with `prefix`.
pub(crate) fn write_chart(prefix: &str, chart: &Chart, latency_unit: LatencyUnit) -> String {
    written(|svg| draw(svg, prefix, chart, latency_unit))
}

/// What `draw` writes.
fn written(draw: impl FnOnce(&mut String) -> std::fmt::Result) -> String {
    let mut svg = String::new();
    // `String` as `fmt::Write` never fails; the signature only comes from `write!`.
    draw(&mut svg).unwrap_or_else(|_| unreachable!("writing to a string cannot fail"));
    svg
}

/// The sample of a line in a legend, as an `<svg>` element.
fn write_sample(line: &Line) -> String {
    let hue = line.hue % HUE_COUNT;
    let path = format!(r#"<path class="line hue-{hue} {}" d="M2 7H42"/>"#, dash_class(line.dash));
    let mark = format!(r#"<path class="mark hue-{hue}" d="{}"/>"#, marker(hue, 22.0, 7.0));
    let (path, mark) = match &line.shape {
        Shape::Course | Shape::Step | Shape::Path(_) => (path, mark),
        Shape::Layer => (format!(r#"<path class="layer hue-{hue}" d="M2 1H42V13H2Z"/>"#), mark),
        // Its name is at the line itself.
        Shape::Level => (String::new(), String::new()),
        Shape::Points => (String::new(), mark),
        Shape::Fit => (path, String::new()),
        Shape::Ring => {
            (String::new(), format!(r#"<path class="ring hue-{hue}" d="{}"/>"#, frame::ring(22.0, 7.0)))
        }
    };
    format!(r#"<svg class="sample" viewBox="0 0 44 14" aria-hidden="true">{path}{mark}</svg>"#)
}

/// The sample of the limits in a legend, as an `<svg>` element.
fn write_limit_sample() -> String {
    r#"<svg class="sample" viewBox="0 0 44 14" aria-hidden="true"><path class="limit" d="M2 7H42"/></svg>"#
        .to_owned()
}

fn draw(svg: &mut String, prefix: &str, chart: &Chart, unit: LatencyUnit) -> std::fmt::Result {
    let xs = chart.lines.iter().flat_map(|line| line.points.iter().map(|(x, _)| *x));
    let ys = chart.lines.iter().flat_map(|line| line.points.iter().filter_map(|(_, y)| *y));
    let x = Edge::below(chart.x, unit, xs, limits::right_edge(chart));
    let ys = ys.chain(held::heights(chart));
    let y = Edge::left(chart.y, unit, ys, chart.limits.iter().map(|limit| limit.value));
    let id = format!("{prefix}{}", chart.id);
    let description = description(chart, &y.format) + &frame::steps_in_words(&chart.spans, &x);
    frame::open(svg, &id, &chart.title, &description, (0.0, frame::HEIGHT))?;
    frame::spans(svg, &chart.spans, &x)?;
    frame::axes(svg, &x, &y)?;
    let mut labels = Labels::default();
    limits::write(svg, chart, &x, &y)?;
    held::layers(svg, chart, &x, &y)?;
    let drawn = chart.lines.iter().filter(|line| !matches!(line.shape, Shape::Layer | Shape::Level));
    for (index, line) in drawn.enumerate() {
        draw_line(svg, line, index, &x, &y)?;
        draw_labels(svg, line, &x, &y, &mut labels)?;
    }
    // Over the lines, so that their names can be read.
    for line in chart.lines.iter().filter(|line| line.shape == Shape::Level) {
        held::level(svg, line, &x, &y, &mut labels)?;
    }
    columns::write(svg, chart, &x, &y.format)?;
    svg.push_str("</svg>");
    Ok(())
}

/// The description for people who cannot see the chart: the range of each line.
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

/// The labels of the points of a path.
fn draw_labels(svg: &mut String, line: &Line, x: &Edge, y: &Edge, labels: &mut Labels) -> std::fmt::Result {
    let Shape::Path(words) = &line.shape else { return Ok(()) };
    let hue = line.hue % HUE_COUNT;
    for ((at, value), words) in line.points.iter().zip(words) {
        let Some(value) = value else { continue };
        let half = words.chars().count() as f64 * LIMIT_LETTER_WIDTH / 2.0;
        let middle = x.position(*at).clamp(LEFT + half, frame::WIDTH - half);
        // Only above or below its point: to the left there would be another point.
        let at = y.position(*value);
        // With more labels than there is room for, the last ones stay at their points.
        let (_, base) =
            labels.place(2.0 * half, middle + half, at, 1, 12).unwrap_or((middle + half, at - 5.0));
        write!(
            svg,
            r#"<text class="point-name hue-{hue}" x="{middle:.1}" y="{base:.1}" text-anchor="middle">{}</text>"#,
            escape(words)
        )?;
    }
    Ok(())
}

/// Where labels are.
#[derive(Default)]
struct Labels {
    /// Left and right edge and base line of each.
    taken: Vec<(f64, f64, f64)>,
}

impl Labels {
    /// The right edge and the base line of a label for a line at this height, which ends at `right` at most: right above or below the
    /// line, further left on it if other labels are there (`lefts` places are tried), or up to `rows` labels away. `None` where there is
    /// no room.
    fn place(&mut self, width: f64, right: f64, line: f64, lefts: u32, rows: u32) -> Option<(f64, f64)> {
        let above = line - 5.0;
        let below = line + LIMIT_LABEL_HEIGHT - 3.0;
        let steps = (0..rows).map(|step| f64::from(step) * LIMIT_LABEL_HEIGHT);
        // To the left first: a label far above its line seems to belong to another one.
        let lefts = || (0..lefts).map(move |step| right - f64::from(step) * (width + LIMIT_LETTER_WIDTH));
        let places =
            steps.flat_map(|off| lefts().flat_map(move |right| [(right, above - off), (right, below + off)]));
        let mut places = places.collect::<Vec<_>>().into_iter();
        places.find_map(|(right, base)| self.take(width, right, base))
    }

    /// This place, where it is in the plot and no other label is there.
    fn take(&mut self, width: f64, right: f64, base: f64) -> Option<(f64, f64)> {
        let left = right - width;
        let is_inside = (TOP + LIMIT_LABEL_HEIGHT - 6.0..=BOTTOM - 3.0).contains(&base)
            && left >= LEFT
            && right <= frame::WIDTH;
        let touches = |(l, r, other): &(f64, f64, f64)| {
            *l < right && left < *r && (base - other).abs() < LIMIT_LABEL_HEIGHT
        };
        let is_free = is_inside && !self.taken.iter().any(touches);
        is_free.then(|| {
            self.taken.push((left, right, base));
            (right, base)
        })
    }
}

fn draw_line(svg: &mut String, line: &Line, index: usize, x: &Edge, y: &Edge) -> std::fmt::Result {
    let hue = line.hue % HUE_COUNT;
    let is_line = matches!(line.shape, Shape::Course | Shape::Step | Shape::Fit | Shape::Path(_));
    let most = if is_line { MOST_POINTS } else { usize::MAX };
    let points: Vec<(f64, Option<f64>)> = thin(&line.points, most)
        .iter()
        .map(|(at, value)| (x.position(*at), value.map(|value| y.position(value))))
        .collect();
    if is_line {
        let density = if points.len() > DENSE_POINTS { " dense" } else { "" };
        let outline = if line.shape == Shape::Step { path(&held::corners(&points)) } else { path(&points) };
        let (dash, path) = (dash_class(line.dash), outline);
        write!(svg, r#"<path class="line hue-{hue} {dash}{density}" d="{path}"/>"#)?;
    }
    if line.shape == Shape::Fit {
        return Ok(());
    }
    if line.shape == Shape::Ring {
        let rings = points.iter().filter_map(|(at, value)| value.map(|value| frame::ring(*at, value)));
        return write!(svg, r#"<path class="ring hue-{hue}" d="{}"/>"#, rings.collect::<String>());
    }
    let step = if matches!(line.shape, Shape::Points | Shape::Path(_)) {
        1
    } else {
        (points.len() / MARKERS_PER_LINE).max(1)
    };
    // Lines that overlap have their markers side by side.
    // By thirds of the distance between markers.
    let first = (index * step / 3) % step;
    let markers: String = points
        .iter()
        .skip(first)
        .step_by(step)
        .filter_map(|(at, value)| value.map(|value| marker(hue, *at, value)))
        .collect();
    write!(svg, r#"<path class="mark hue-{hue}" d="{markers}"/>"#)
}

/// The outline of a line with its gaps: in tenths, each point from the one before, which takes the fewest
/// letters.
#[expect(clippy::cast_possible_truncation, reason = "places within the drawing")]
fn path(points: &[(f64, Option<f64>)]) -> String {
    // Rounded once and then subtracted: rounding each difference would let a long line drift.
    let tenths = |place: f64| (place * 10.0).round() as i64;
    let mut path = String::new();
    let mut from: Option<(i64, i64)> = None;
    for (position, (at, value)) in points.iter().enumerate() {
        let to = value.map(|value| (tenths(*at), tenths(value)));
        match (from, to) {
            (Some((x, y)), Some((to_x, to_y))) => {
                path.push_str(&format!("l{} {}", in_tenths(to_x - x), in_tenths(to_y - y)));
            }
            (None, Some((to_x, to_y))) => {
                path.push_str(&format!("M{} {}", in_tenths(to_x), in_tenths(to_y)));
                // A point between two gaps has no length; its round ends make it a dot.
                if points.get(position + 1).is_none_or(|(_, next)| next.is_none()) {
                    path.push_str("h0");
                }
            }
            (_, None) => {}
        }
        from = to;
    }
    path
}

/// `12.3`, `12`, `-.3`.
fn in_tenths(tenths: i64) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    match (tenths.abs() / 10, tenths.abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (0, tenth) => format!("{sign}.{tenth}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}

const fn dash_class(dash: Dash) -> &'static str {
    match dash {
        Dash::Solid => "solid",
        Dash::Dashed => "dashed",
        Dash::DashDot => "dash-dot",
    }
}

/// At most about `most` points: of each stretch the lowest and the highest, so that no spike is lost.
fn thin(points: &[(f64, Option<f64>)], most: usize) -> Vec<(f64, Option<f64>)> {
    if points.len() <= most {
        return points.to_vec();
    }
    // Two points for each stretch, the lowest and the highest.
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
        // In the order of time, or the line would run backwards.
        kept.sort_unstable();
        kept.dedup();
        thinned.extend(kept.into_iter().map(|index| chunk[index]));
    }
    thinned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{LATENCY_AXIS, Limit, Scale};
    use crate::quantity::Quantity;

    fn drawn(limits: &[(f64, &str)]) -> String {
        write_chart("", &with_limits(limits), LatencyUnit::Milliseconds)
    }

    /// Limits of mean latency over time: each a value in µs and whose it is.
    fn with_limits(limits: &[(f64, &str)]) -> Chart {
        let points = (0..30).map(|second| (f64::from(second), Some(2_500.0 + f64::from(second)))).collect();
        let limit = |(value, name): &(f64, &str)| Limit { name: (*name).into(), value: *value, until: None };
        Chart {
            id: "id".into(),
            title: "Mean latency".into(),
            x: crate::chart::Axis {
                name: "time",
                quantity: Quantity::Seconds,
                scale: Scale::Linear,
                to: 30.0,
            },
            y: LATENCY_AXIS,
            lines: vec![Line {
                name: "log write".into(),
                hue: 0,
                dash: Dash::Solid,
                shape: Shape::Course,
                points,
            }],
            spans: Vec::new(),
            limits: limits.iter().map(limit).collect(),
        }
    }

    /// The number behind `name` in each element of `class`.
    fn numbers(svg: &str, class: &str, name: &str) -> Vec<f64> {
        let start = format!("class=\"{class}\"");
        let elements = svg.split(start.as_str()).skip(1);
        let number = |element: &str| {
            let text = element.split(&format!("{name}=\"")).nth(1)?.split('"').next()?.to_owned();
            text.split(['M', ' ', 'H', 'v'])
                .filter_map(|part| part.parse().ok())
                .nth(usize::from(name == "d"))
        };
        elements.filter_map(number).collect()
    }

    #[test]
    fn the_limit_that_decides_is_inside_the_plot_and_says_whose_it_is() {
        // The curve lies above the limit, and 2 ms is a tick: the axis began there.
        let svg = drawn(&[(2_000.0, "log write")]);
        let at = numbers(&svg, "limit", "d");
        assert!(at.len() == 1 && at[0] < BOTTOM - 10.0 && at[0] > TOP, "{at:?}");
        assert!(svg.contains(">2 ms log</text>") && svg.contains(">write</text>"), "{svg}");
    }

    #[test]
    fn names_of_limits_are_in_the_margin_and_do_not_touch() {
        let limits = [(10_000.0, "data"), (8_000.0, "tempdb"), (9_000.0, "log"), (2_000.0, "x")];
        let svg = drawn(&limits);
        let (lefts, mut bases) = (numbers(&svg, "limit-name", "x"), numbers(&svg, "limit-name", "y"));
        assert_eq!(bases.len(), 4);
        let plot = limits::right_edge(&with_limits(&limits));
        assert!(lefts.len() == 4 && lefts.iter().all(|left| *left > plot), "{lefts:?} {plot}");
        bases.sort_by(f64::total_cmp);
        assert!(bases.windows(2).all(|pair| pair[1] - pair[0] >= LIMIT_LABEL_HEIGHT - 0.11), "{bases:?}");
    }

    #[test]
    fn labels_of_an_axis_have_room_beside_it() {
        let points = vec![(1.0, Some(180_000.0)), (64.0, Some(1_000_000.0))];
        let line = Line { name: "measured".into(), hue: 0, dash: Dash::Solid, shape: Shape::Points, points };
        let axis = |name, quantity, scale| crate::chart::Axis { name, quantity, scale, to: 0.0 };
        let chart = Chart {
            id: "id".into(),
            title: "I/Os per second".into(),
            x: axis("outstanding I/Os", Quantity::Count, Scale::Doublings),
            y: axis("", Quantity::Iops, Scale::Linear),
            lines: vec![line],
            spans: Vec::new(),
            limits: Vec::new(),
        };
        let svg = write_chart("", &chart, LatencyUnit::Milliseconds);
        assert!(svg.contains(">1 M</text>") && svg.contains(">0.2 M</text>"), "{svg}");
        assert!(!svg.contains(">1,000,000</text>"));
    }

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
    fn a_line_is_drawn_from_point_to_point_and_a_gap_lifts_the_pen() {
        let points =
            [(66.0, Some(42.0)), (67.14, Some(41.7)), (70.0, None), (72.0, Some(50.0)), (73.0, None)];
        assert_eq!(path(&points), "M66 42l1.1 -.3M72 50h0");
    }

    #[test]
    fn a_long_standstill_stays_a_gap() {
        let points: Vec<(f64, Option<f64>)> =
            (0..3000).map(|s| (f64::from(s), (!(1000..=2000).contains(&s)).then_some(1.0))).collect();
        assert!(thin(&points, 600).iter().any(|(_, value)| value.is_none()));
    }
}
