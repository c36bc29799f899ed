//! What the charts have in common: the size of the drawing, the plot's edges with ticks and names, what is
//! behind it.

use std::fmt::Write as _;

use crate::calendar;
use crate::chart::{Axis, Line, Scale, Span, SpanKind};
use crate::quantity::{LatencyUnit, NumberFormat, without_trailing_zeros};
use crate::ruler::Ruler;

/// The drawing's size and the edges of the plot in it, in units of the drawing.
pub(super) const WIDTH: f64 = 560.0;
pub(super) const HEIGHT: f64 = 326.0;
pub(super) const LEFT: f64 = 66.0;
pub(super) const RIGHT: f64 = WIDTH - 42.0;
pub(super) const TOP: f64 = 42.0;
pub(super) const BOTTOM: f64 = HEIGHT - 46.0;

/// Room for one letter of a label on a phone, where letters are largest.
// A choice: the page shrinks to a phone, while letters keep their size.
const LETTER_WIDTH: f64 = 10.0;

/// How far letters of different kinds run, in units of the drawing on a phone.
fn label_width(label: &str) -> f64 {
    label.chars().map(|c| if matches!(c, '.' | ',' | ' ') { 0.5 * LETTER_WIDTH } else { LETTER_WIDTH }).sum()
}

pub(super) const HUE_COUNT: usize = Line::HUE_COUNT;
/// Half the size of a marker.
pub(super) const MARKER: f64 = 3.6;

/// An axis with its ruler.
pub(super) struct Edge {
    pub(super) axis: Axis,
    pub(super) ruler: Ruler,
    pub(super) format: NumberFormat,
}

impl Edge {
    /// The lower edge of the plot, which ends where the values end, and is drawn as far as `right`.
    pub(super) fn below(
        axis: Axis,
        unit: LatencyUnit,
        values: impl Iterator<Item = f64> + Clone,
        right: f64,
    ) -> Self {
        let format = NumberFormat::fit(axis.quantity, unit, values.clone());
        // A calendar has no zero to begin with.
        let to = (axis.scale != Scale::Calendar).then_some(axis.to);
        // The lower axis ends with the data, so a run of 61 s is not half empty.
        Self { axis, ruler: Ruler::new(axis.scale, values.chain(to), (LEFT, right), true), format }
    }

    /// The left edge of the plot, which ends at ticks and has room for `more`, such as limits.
    pub(super) fn left(
        axis: Axis,
        unit: LatencyUnit,
        values: impl Iterator<Item = f64> + Clone,
        more: impl Iterator<Item = f64>,
    ) -> Self {
        let format = NumberFormat::fit(axis.quantity, unit, values.clone());
        // A limit on the edge of the plot would not be visible: there is always a little of the plot on both sides.
        let around = more.flat_map(|value| [0.9 * value, 1.1 * value]);
        let values = values.chain(around).chain([axis.to]);
        Self { axis, ruler: Ruler::new(axis.scale, values, (BOTTOM, TOP), false), format }
    }

    /// The axis along the bars. Their values are written behind them and need room there, with `more` letters.
    pub(super) fn along(axis: Axis, unit: LatencyUnit, values: &[f64], more: usize) -> Self {
        let format = NumberFormat::fit(axis.quantity, unit, values.iter().copied());
        let letters =
            values.iter().map(|value| format.write(*value).chars().count()).max().unwrap_or_default();
        let room = ((letters + more) as f64 + 1.5) * LETTER_WIDTH;
        let all = values.iter().copied().chain([axis.to]);
        // The values behind the bars need room that no bar may use.
        Self { axis, ruler: Ruler::new(axis.scale, all, (LEFT, RIGHT + 30.0 - room), false), format }
    }

    pub(super) fn position(&self, value: f64) -> f64 {
        self.ruler.position(value)
    }

    /// The label of a tick. From 100,000 on it is in thousands or millions, since there is no room for more digits.
    pub(super) fn tick(&self, value: f64) -> String {
        if self.axis.scale == Scale::Calendar {
            return calendar::tick(value);
        }
        // All labels of an axis have the same unit; on a logarithmic one the smallest would be nothing in that of the largest.
        let in_unit = |tick: &f64| self.format.in_unit(*tick).abs();
        let largest = match self.axis.scale {
            Scale::Log => in_unit(&value),
            _ => self.ruler.ticks.iter().map(in_unit).fold(0.0, f64::max),
        };
        let (factor, word) = match largest {
            ..1e5 => return self.format.write_round(value),
            ..1e6 => (1e-3, " k"),
            _ => (1e-6, " M"),
        };
        let written = self.format.write_round(value * factor);
        if value == 0.0 { written } else { format!("{written}{word}") }
    }

    /// A value of this axis as people read it.
    pub(super) fn place(&self, value: f64) -> String {
        match (self.axis.scale, self.format.unit) {
            (Scale::Calendar, _) => calendar::moment(value),
            (Scale::Nines, _) => percentile(value),
            (_, "") => self.format.write_round(value),
            (_, unit) => format!("{} {unit}", self.format.write_round(value)),
        }
    }
}

/// The element that holds a chart, with its title and a description for people who cannot see it.
pub(super) fn open(
    svg: &mut String,
    id: &str,
    title: &str,
    description: &str,
    (left, height): (f64, f64),
) -> std::fmt::Result {
    let (id, title, description) = (escape(id), escape(title), escape(description));
    // Title and description are what a screen reader says.
    write!(
        svg,
        r#"<svg class="chart" viewBox="{left} 0 {} {height}" role="img" aria-labelledby="{id}-t {id}-d"><title id="{id}-t">{title}</title><desc id="{id}-d">{description}</desc>"#,
        WIDTH - left
    )
}

/// Stretches of x: shaded where they count differently, with a line before each step but one at the edge.
pub(super) fn spans(svg: &mut String, spans: &[Span], x: &Edge) -> std::fmt::Result {
    for span in spans {
        let (from, to) = (x.position(span.from), x.position(span.to));
        if span.kind == SpanKind::Step {
            step(svg, span, from, to, x)?;
            continue;
        }
        write!(
            svg,
            r#"<rect class="span" x="{from:.1}" y="{TOP}" width="{:.1}" height="{}"><title>{}</title></rect>"#,
            to - from,
            BOTTOM - TOP,
            escape(&span.name)
        )?;
        // A short ramp before a step has no room for its name: the name of the step would overlap it.
        let ends_before = |other: &&Span| other.kind == SpanKind::Step && other.from >= span.to - 1e-9;
        let room =
            spans.iter().filter(ends_before).map(|other| x.position(other.from) - from).reduce(f64::min);
        if room.is_some_and(|room| label_width(&span.name) > room - 4.0) {
            continue;
        }
        write!(
            svg,
            r#"<text class="span-name" x="{:.1}" y="{}">{}</text>"#,
            from,
            TOP - 6.0,
            escape(&span.name)
        )?;
    }
    Ok(())
}

/// The line at which a step begins, and its name above it, as far as there is room.
fn step(svg: &mut String, span: &Span, from: f64, to: f64, x: &Edge) -> std::fmt::Result {
    let title =
        format!("step {}, from {} to {}", span.name, x.format.write_round(span.from), x.place(span.to));
    write!(svg, "<g><title>{}</title>", escape(&title))?;
    if from > LEFT + 0.5 {
        write!(svg, r#"<path class="step" d="M{from:.1} {}V{BOTTOM}"/>"#, TOP - 16.0)?;
    }
    let room = to - from - 4.0;
    // Its number where its name does not fit, and nothing where many steps leave no room at all.
    let number = span.name.split([' ', ':']).next().unwrap_or_default();
    let name = [span.name.as_str(), number].into_iter().find(|name| label_width(name) <= room);
    if let Some(name) = name {
        write!(
            svg,
            r#"<text class="step-name" x="{:.1}" y="{}">{}</text>"#,
            from + 4.0,
            TOP - 6.0,
            escape(name)
        )?;
    }
    svg.push_str("</g>");
    Ok(())
}

/// The steps in words, for people who cannot see them.
pub(super) fn steps_in_words(spans: &[Span], x: &Edge) -> String {
    let steps = spans.iter().filter(|span| span.kind == SpanKind::Step);
    let words: Vec<String> = steps.map(|span| format!("{} from {}", span.name, x.place(span.from))).collect();
    if words.is_empty() { String::new() } else { format!("; steps: {}", words.join(", ")) }
}

/// Grid, ticks, labels and the names of both axes.
pub(super) fn axes(svg: &mut String, x: &Edge, y: &Edge) -> std::fmt::Result {
    let right = x.ruler.end();
    for tick in &y.ruler.ticks {
        let at = y.position(*tick);
        write!(svg, r#"<path class="grid" d="M{LEFT} {at:.1}H{right}"/>"#)?;
        write!(
            svg,
            r#"<text class="tick" x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
            LEFT - 7.0,
            at + 4.0,
            y.tick(*tick)
        )?;
    }
    x_axis(svg, x, HEIGHT)?;
    // In words, because a logarithmic axis is easily taken for a linear one.
    let scale = if y.axis.scale == Scale::Log { ", logarithmic" } else { "" };
    write!(svg, r#"<text class="unit" x="2" y="15">{}{scale}</text>"#, y.format.unit)
}

/// The lower axis of a drawing of this height.
pub(super) fn x_axis(svg: &mut String, x: &Edge, height: f64) -> std::fmt::Result {
    let bottom = height - (HEIGHT - BOTTOM);
    // From the right, so that the far percentiles keep their labels where they come too close.
    let mut label_left = f64::INFINITY;
    for tick in x.ruler.ticks.iter().rev() {
        let at = x.position(*tick);
        write!(svg, r#"<path class="axis" d="M{at:.1} {bottom}v5"/>"#)?;
        let label = match (x.axis.scale, *tick) {
            (Scale::Nines, 0.0) => "min".to_owned(),
            // Without the p, which is in the name of the axis: this leaves room for seven labels.
            (Scale::Nines, percent) => percentile(percent).trim_start_matches('p').to_owned(),
            _ => x.tick(*tick),
        };
        let half_width = label_width(&label) / 2.0;
        // The last label ends with the drawing.
        let at = at.min(WIDTH - half_width);
        // A label that would touch the one to its right is left out; its tick stays.
        if at + half_width > label_left {
            continue;
        }
        label_left = at - half_width;
        write!(
            svg,
            r#"<text class="tick" x="{at:.1}" y="{}" text-anchor="middle">{label}</text>"#,
            bottom + 20.0
        )?;
    }
    write!(svg, r#"<path class="axis" d="M{LEFT} {bottom}H{:.1}"/>"#, x.ruler.end())?;
    let unit = if x.axis.scale == Scale::Nines { "" } else { x.format.unit };
    let name = [x.axis.name, unit].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    write!(
        svg,
        r#"<text class="unit" x="{}" y="{}" text-anchor="end">{}</text>"#,
        x.ruler.end().min(RIGHT),
        height - 8.0,
        escape(&name)
    )
}

/// `p99.9`, with as many nines as there are.
pub(super) fn percentile(percent: f64) -> String {
    // Five decimals reach to one in ten million.
    format!("p{}", without_trailing_zeros(&format!("{percent:.5}")))
}

/// The outline of a hue's marker: circle, square, triangle, diamond, triangle on its head.
pub(super) fn marker(hue: usize, x: f64, y: f64) -> String {
    // Shapes differ as well as hues: about one man in twelve does not tell some of the colours apart, and
    // print has none.
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

/// A ring, with room for a marker in it.
pub(super) fn ring(x: f64, y: f64) -> String {
    let r = 1.6 * MARKER;
    let d = 2.0 * r;
    format!("M{:.1} {y:.1}a{r:.2} {r:.2} 0 1 0 {d:.2} 0a{r:.2} {r:.2} 0 1 0 -{d:.2} 0Z", x - r)
}

/// Text for an element or an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Both kinds of quotes: attributes are written with the double one, titles may be put into
            // others.
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
