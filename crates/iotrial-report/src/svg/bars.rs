//! Bars side by side as SVG. They are horizontal, so that names of any length have room; marker and order
//! tell them apart.

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
/// Keys are cut to this many letters.
const LONGEST_KEY: usize = 8;
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
    let (groups, bars) = (chart.groups.len() as f64, chart.series.len() as f64);
    let top = 6.0;
    let height = top + groups * (GROUP_HEIGHT + bars * BAR_PITCH) + (HEIGHT - BOTTOM) + 6.0;
    let bottom = height - (HEIGHT - BOTTOM);
    // Values include the ends of error bars and the mark.
    let x = Edge::along(chart.value, unit, &chart.values().collect::<Vec<_>>());
    frame::open(svg, &format!("{prefix}{}", chart.id), &chart.title, &description(chart, &x), height)?;
    for tick in &x.ruler.ticks {
        write!(svg, r#"<path class="grid" d="M{:.1} {top}V{bottom}"/>"#, x.position(*tick))?;
    }
    // A line at zero only where bars go both ways.
    if x.position(0.0) > LEFT {
        write!(svg, r#"<path class="axis" d="M{:.1} {top}V{bottom}"/>"#, x.position(0.0))?;
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
            write!(
                svg,
                // Half the height of a letter below the middle, as SVG has no reliable vertical centring of
                // text.
                r#"<text class="tick" x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
                LEFT - VALUE_GAP,
                y + BAR_HEIGHT / 2.0 + 4.5,
                escape(&cut(&series.key, LONGEST_KEY))
            )?;
            let bar = series.bars.get(group).copied().flatten();
            draw_bar(svg, name, series, bar, is_decisive, &x, y)?;
            y += BAR_PITCH;
        }
    }
    if let Some(mark) = &chart.mark {
        let at = x.position(mark.value);
        write!(
            svg,
            r#"<path class="across" d="M{at:.1} {top}V{bottom:.1}"><title>{}</title></path>"#,
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
            x.position(0.0) + VALUE_GAP,
            middle + 4.5
        );
    };
    let value = x.format.write_with_unit(bar.value);
    let interval = bar
        .interval
        .map(|(low, high)| format!(", {} to {}", x.format.write(low), x.format.write_with_unit(high)));
    let words = format!("{group}\n{}: {value}{}", series.name, interval.unwrap_or_default());
    let (zero, value_at) = (x.position(0.0), x.position(bar.value));
    let (left, right) = (zero.min(value_at), zero.max(value_at));
    let width = right - left;
    write!(svg, "<g><title>{}</title>", escape(&words))?;
    let class = if is_decisive { " decisive" } else { "" };
    write!(
        svg,
        r#"<path class="bar hue-{hue}{class}" d="M{left:.1} {y:.1}h{width:.1}v{BAR_HEIGHT}h-{width:.1}Z"/>"#
    )?;
    // A marker only where the bar is wide enough to frame it.
    if width > 8.0 * MARKER {
        let mark = if value_at < zero { right - 2.5 * MARKER } else { left + 2.5 * MARKER };
        write!(svg, r#"<path class="bar-mark" d="{}"/>"#, marker(hue, mark, middle))?;
    }
    let mut end = right;
    if let Some((low, high)) = bar.interval {
        let (from, to) = (x.position(low), x.position(high));
        // An error bar that is cut has no end, which shows that it goes on.
        let end_at = |at: f64, value: f64| match x.ruler.holds(value) {
            true => format!("M{at:.1} {:.1}v8", middle - 4.0),
            false => String::new(),
        };
        let ends = end_at(from, low) + &end_at(to, high);
        write!(svg, r#"<path class="error-bar" d="M{from:.1} {middle:.1}H{to:.1}{ends}"/>"#)?;
        // The value is written behind whichever reaches further.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Scale};
    use crate::quantity::Quantity;

    /// The drawing of one bar.
    fn drawn(bar: Bar, reach: f64) -> String {
        let value = Axis { name: "", quantity: Quantity::ChangePercent, scale: Scale::Linear, to: 0.0 };
        let series = BarSeries { key: "A".into(), name: "A".into(), hue: 0, bars: vec![Some(bar)] };
        let chart = BarChart {
            id: "id".into(),
            title: "T".into(),
            value,
            reach,
            groups: vec!["g".into()],
            series: vec![series],
            decisive: None,
            mark: None,
        };
        write_bar_chart("", &chart, LatencyUnit::Milliseconds)
    }

    #[test]
    fn a_bar_below_zero_goes_the_other_way_and_its_axis_has_both_sides() {
        let svg = drawn(Bar { value: -25.0, interval: Some((-30.0, -20.0)) }, f64::INFINITY);
        assert!(svg.contains(">−30</text>") && svg.contains(">0</text>"), "{svg}");
        assert!(svg.contains(">−25.0</text>") && svg.contains("−30.0 to −20.0 %"), "{svg}");
    }

    #[test]
    fn an_error_bar_that_goes_on_and_on_has_no_end_and_leaves_the_bar_its_room() {
        let ends = |reach: f64| {
            let svg = drawn(Bar { value: 10.0, interval: Some((5.0, 2_000.0)) }, reach);
            svg.split("class=\"error-bar\" d=\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .matches('v')
                .count()
        };
        assert_eq!((ends(f64::INFINITY), ends(100.0)), (2, 1));
    }
}
