//! Bars side by side as SVG. They lie, so that names of any length have room; marker and order tell them apart.

use std::fmt::Write as _;

use super::frame::{self, BOTTOM, Edge, HEIGHT, HUE_COUNT, LEFT, MARKER, escape, marker};
use super::written;
use crate::chart::{Bar, BarChart, BarSeries};
use crate::quantity::LatencyUnit;
use crate::text::cut;

/// Room for the name of a group, from the group before.
const GROUP_HEIGHT: f64 = 30.0;
/// From one bar to the next.
const BAR_PITCH: f64 = 21.0;
/// The height of a bar.
const BAR_HEIGHT: f64 = 16.0;
/// Between the end of a bar, or of its error bar, and its value.
const VALUE_GAP: f64 = 7.0;
/// Names of groups are cut to this many letters.
const LONGEST_NAME: usize = 48;

/// One chart as an `<svg>` element, whose id begins with `prefix`.
pub(crate) fn write_bar_chart(prefix: &str, chart: &BarChart, unit: LatencyUnit) -> String {
    written(|svg| draw(svg, prefix, chart, unit))
}

/// The sample of a series in a legend, as an `<svg>` element.
pub(crate) fn write_bar_sample(series: &BarSeries) -> String {
    let hue = series.hue % HUE_COUNT;
    format!(
        r#"<svg class="sample" viewBox="0 0 44 14" aria-hidden="true"><path class="bar hue-{hue}" d="M2 0h40v14h-40Z"/><path class="bar-mark" d="{}"/></svg>"#,
        marker(hue, 12.0, 7.0)
    )
}

fn draw(svg: &mut String, prefix: &str, chart: &BarChart, unit: LatencyUnit) -> std::fmt::Result {
    #[expect(clippy::cast_precision_loss, reason = "a few dozen bars")]
    let (groups, bars) = (chart.groups.len() as f64, chart.series.len() as f64);
    let top = 6.0;
    let height = top + groups * (GROUP_HEIGHT + bars * BAR_PITCH) + (HEIGHT - BOTTOM) + 6.0;
    let bottom = height - (HEIGHT - BOTTOM);
    let x = Edge::along(chart.value, unit, &chart.values().collect::<Vec<_>>());
    frame::open(svg, &format!("{prefix}{}", chart.id), &chart.title, &description(chart, &x), height)?;
    for tick in &x.ruler.ticks {
        write!(svg, r#"<path class="grid" d="M{:.1} {top}V{bottom}"/>"#, x.position(*tick))?;
    }
    let mut y = top;
    for (group, name) in chart.groups.iter().enumerate() {
        let is_decisive = chart.decisive == Some(group);
        let class = if is_decisive { " decisive" } else { "" };
        write!(
            svg,
            r#"<text class="group-name{class}" x="{LEFT}" y="{:.1}">{}</text>"#,
            y + GROUP_HEIGHT - 8.0,
            escape(&cut(name, LONGEST_NAME))
        )?;
        y += GROUP_HEIGHT;
        for series in &chart.series {
            let bar = series.bars.get(group).copied().flatten();
            draw_bar(svg, name, series, bar, is_decisive, &x, y)?;
            y += BAR_PITCH;
        }
    }
    if let Some(mark) = &chart.mark {
        let at = x.position(mark.value);
        write!(
            svg,
            r#"<path class="mark" d="M{at:.1} {top}V{bottom:.1}"><title>{}</title></path>"#,
            mark.name
        )?;
    }
    frame::x_axis(svg, &x, height)?;
    svg.push_str("</svg>");
    Ok(())
}

fn draw_bar(
    svg: &mut String,
    group: &str,
    series: &BarSeries,
    bar: Option<Bar>,
    is_decisive: bool,
    x: &Edge,
    y: f64,
) -> std::fmt::Result {
    let hue = series.hue % HUE_COUNT;
    let middle = y + BAR_HEIGHT / 2.0;
    let Some(bar) = bar else {
        return write!(
            svg,
            r#"<text class="value" x="{}" y="{:.1}">–</text>"#,
            LEFT + VALUE_GAP,
            middle + 4.5
        );
    };
    let value = x.format.write_with_unit(bar.value);
    let interval = bar
        .interval
        .map(|(low, high)| format!(", {} to {}", x.format.write(low), x.format.write_with_unit(high)));
    let words = format!("{group}\n{}: {value}{}", series.name, interval.unwrap_or_default());
    let width = x.position(bar.value) - LEFT;
    write!(svg, "<g><title>{}</title>", escape(&words))?;
    let class = if is_decisive { " decisive" } else { "" };
    write!(
        svg,
        r#"<path class="bar hue-{hue}{class}" d="M{LEFT} {y:.1}h{width:.1}v{BAR_HEIGHT}h-{width:.1}Z"/>"#
    )?;
    if width > 8.0 * MARKER {
        write!(svg, r#"<path class="bar-mark" d="{}"/>"#, marker(hue, LEFT + 2.5 * MARKER, middle))?;
    }
    let mut end = LEFT + width;
    if let Some((low, high)) = bar.interval {
        let (from, to) = (x.position(low), x.position(high));
        let (above, below) = (middle - 4.0, middle + 4.0);
        write!(
            svg,
            r#"<path class="error-bar" d="M{from:.1} {above:.1}V{below:.1}M{from:.1} {middle:.1}H{to:.1}M{to:.1} {above:.1}V{below:.1}"/>"#
        )?;
        end = end.max(to);
    }
    write!(
        svg,
        r#"<text class="value" x="{:.1}" y="{:.1}">{}</text></g>"#,
        end + VALUE_GAP,
        middle + 4.5,
        x.format.write(bar.value)
    )
}

/// What somebody who cannot see the chart should know of it: every value.
fn description(chart: &BarChart, x: &Edge) -> String {
    let value =
        |bar: &Option<Bar>| bar.map_or_else(|| "–".to_owned(), |bar| x.format.write_with_unit(bar.value));
    let group = |(index, group): (usize, &String)| {
        let values = chart
            .series
            .iter()
            .filter_map(|series| series.bars.get(index).map(|bar| format!("{} {}", series.name, value(bar))));
        format!("{group}: {}", values.collect::<Vec<_>>().join(", "))
    };
    chart.groups.iter().enumerate().map(group).collect::<Vec<_>>().join("; ")
}
