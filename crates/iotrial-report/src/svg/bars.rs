//! Bars side by side as SVG. They are horizontal, so that names of any length have room; marker and order
//! tell them apart.

use std::fmt::Write as _;

use iotrial_analysis::comparison::Reading;
use iotrial_words::numbers::percent_or_times;

use super::frame::{self, BOTTOM, Edge, HEIGHT, HUE_COUNT, LEFT, MARKER, escape, marker};
use super::written;
use crate::chart::{Bar, BarChart, BarSeries};
use crate::quantity::{LatencyUnit, Quantity};
use crate::table::reading_mark;
use crate::text::cut;

/// Room for the name of a group, from the group before.
const GROUP_HEIGHT: f64 = 30.0;
/// From one bar to the next.
const BAR_PITCH: f64 = 21.0;
/// The height of a bar.
const BAR_HEIGHT: f64 = 16.0;
/// Between the end of a bar, or of its error bar, and its value.
const VALUE_GAP: f64 = 7.0;
/// A blank and the longest mark behind a change.
const MARK_LETTERS: usize = 3;
/// Keys are cut to this many letters.
const LONGEST_KEY: usize = 8;
/// Names of groups are cut to this many letters.
const LONGEST_NAME: usize = 48;

/// One chart as an `<svg>` element, whose id begins with `prefix`.
pub(crate) fn write_bar_chart(prefix: &str, chart: &BarChart, unit: LatencyUnit) -> String {
    written(|svg| draw(svg, prefix, chart, unit))
}

/// The sample of a series in a legend, as an `<svg>` element.
pub(super) fn write_bar_sample(series: &BarSeries) -> String {
    let hue = series.hue % HUE_COUNT;
    // The colour of a change says whether it is for the better, so that the marker alone tells series apart.
    if series.bars.iter().flatten().any(|bar| bar.reading.is_some()) {
        return format!(
            r#"<svg class="sample" viewBox="0 0 44 14" aria-hidden="true"><path class="key-mark" d="{}"/></svg>"#,
            marker(hue, 22.0, 7.0)
        );
    }
    format!(
        r#"<svg class="sample" viewBox="0 0 44 14" aria-hidden="true"><path class="bar hue-{hue}" d="M2 0h40v14h-40Z"/><path class="bar-mark" d="{}"/></svg>"#,
        marker(hue, 12.0, 7.0)
    )
}

/// The samples of what the colours of changes mean, each with its words.
pub(super) fn write_meaning_sample() -> Vec<(&'static str, String)> {
    [
        (Reading::Better, "✓ better"),
        (Reading::Worse, "✗ worse"),
        (Reading::NoDifference, "≈ ? no difference shown, or too little measured to tell"),
    ]
    .map(|(reading, words)| {
        let class = meaning(reading);
        let sample = format!(
            r#"<svg class="sample" viewBox="0 0 44 14" aria-hidden="true"><path class="bar {class}" d="M2 0h40v14h-40Z"/></svg>"#
        );
        (words, sample)
    })
    .to_vec()
}

/// The sample of an error bar that is cut.
pub(super) fn write_cut_sample() -> String {
    r#"<svg class="sample" viewBox="0 0 44 14" aria-hidden="true"><path class="error-bar" d="M2 7H40M34 3l6 4l-6 4"/></svg>"#
        .to_owned()
}

/// The class of a change.
const fn meaning(reading: Reading) -> &'static str {
    match reading {
        Reading::MuchBetter | Reading::Better => "is-better",
        Reading::Worse | Reading::MuchWorse => "is-worse",
        Reading::NoDifference
        | Reading::TooFew
        | Reading::TooFewRepeats
        | Reading::NoInterval
        | Reading::OtherRate
        | Reading::Undecided
        | Reading::Amount => "is-same",
    }
}

fn draw(svg: &mut String, prefix: &str, chart: &BarChart, unit: LatencyUnit) -> std::fmt::Result {
    let (groups, bars) = (chart.groups.len() as f64, chart.series.len() as f64);
    // The name of what all bars are compared with is above them.
    let top = if chart.mark.is_some() { 24.0 } else { 6.0 };
    let height = top + groups * (GROUP_HEIGHT + bars * BAR_PITCH) + (HEIGHT - BOTTOM) + 6.0;
    let bottom = height - (HEIGHT - BOTTOM);
    // Values include the ends of error bars and the mark.
    let has_marks =
        chart.series.iter().flat_map(|series| &series.bars).flatten().any(|bar| bar.reading.is_some());
    let mark_letters = if has_marks { MARK_LETTERS } else { 0 };
    let x = Edge::along(chart.value, unit, &chart.values().collect::<Vec<_>>(), mark_letters);
    // Without keys there is nothing to the left of the bars.
    let left = if chart.series.iter().all(|series| series.key.is_empty()) { LEFT - VALUE_GAP } else { 0.0 };
    frame::open(
        svg,
        &format!("{prefix}{}", chart.id),
        &chart.title,
        &description(chart, &x),
        (left, height),
    )?;
    for tick in &x.ruler.ticks {
        write!(svg, r#"<path class="grid" d="M{:.1} {top}V{bottom}"/>"#, x.position(*tick))?;
    }
    // A line at zero only where bars go both ways.
    if x.position(0.0) > LEFT {
        write!(svg, r#"<path class="axis" d="M{:.1} {top}V{bottom}"/>"#, x.position(0.0))?;
    }
    let mut y = top;
    // Last, so that the line of the mark does not strike them out.
    let mut names = String::new();
    for (group, name) in chart.groups.iter().enumerate() {
        let is_decisive = chart.decisive == Some(group);
        let class = if is_decisive { " decisive" } else { "" };
        write!(
            names,
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
            let is_beyond = chart.mark.as_ref().filter(|mark| mark.is_limit).zip(bar);
            let is_bad = is_decisive || is_beyond.is_some_and(|(mark, bar)| bar.value > mark.value);
            draw_bar(svg, name, series, (bar, chart.reach), is_bad, &x, y)?;
            y += BAR_PITCH;
        }
    }
    if let Some(mark) = &chart.mark {
        let at = x.position(mark.value);
        write!(
            svg,
            r#"<path class="across" d="M{at:.1} {:.1}V{bottom:.1}"><title>{name}</title></path><text class="across-name" x="{at:.1}" y="{:.1}" text-anchor="middle">{name}</text>"#,
            top - 4.0,
            top - 8.0,
            name = mark.name
        )?;
    }
    svg.push_str(&names);
    frame::x_axis(svg, &x, height)?;
    svg.push_str("</svg>");
    Ok(())
}

fn draw_bar(
    svg: &mut String,
    group: &str,
    series: &BarSeries,
    (bar, reach): (Option<Bar>, f64),
    is_bad: bool,
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
    // A series alone needs no name.
    let name = if series.name.is_empty() { String::new() } else { format!("{}: ", series.name) };
    let words = format!("{group}\n{name}{value}{}", interval.unwrap_or_default());
    let (zero, value_at) = (x.position(0.0), x.position(bar.value.min(reach)));
    let (left, right) = (zero.min(value_at), zero.max(value_at));
    let width = right - left;
    write!(svg, "<g><title>{}</title>", escape(&words))?;
    let class = if is_bad { " decisive" } else { "" };
    let color = bar.reading.map_or_else(|| format!("hue-{hue}"), |reading| meaning(reading).to_owned());
    write!(
        svg,
        r#"<path class="bar {color}{class}" d="M{left:.1} {y:.1}h{width:.1}v{BAR_HEIGHT}h-{width:.1}Z"/>"#
    )?;
    // A marker only where the bar is wide enough to frame it.
    if width > 8.0 * MARKER && !series.name.is_empty() {
        let mark = if value_at < zero { right - 2.5 * MARKER } else { left + 2.5 * MARKER };
        write!(svg, r#"<path class="bar-mark" d="{}"/>"#, marker(hue, mark, middle))?;
    }
    let mut end = right;
    if bar.value > reach {
        let arrow = format!("M{:.1} {:.1}l6 4l-6 4", right - 6.0, middle - 4.0);
        write!(svg, r#"<path class="cut" d="{arrow}"/>"#)?;
    }
    if let Some((low, high)) = bar.interval {
        let (from, to) = (x.position(low), x.position(high));
        // An error bar that is cut ends in an arrow, which shows that it goes on.
        let end_at = |at: f64, value: f64, forward: f64| match x.ruler.holds(value) {
            true => format!("M{at:.1} {:.1}v8", middle - 4.0),
            false => format!(
                "M{:.1} {:.1}l{:.1} 4l{:.1} 4",
                at - forward * 6.0,
                middle - 4.0,
                forward * 6.0,
                -forward * 6.0
            ),
        };
        let ends = end_at(from, low, -1.0) + &end_at(to, high, 1.0);
        write!(svg, r#"<path class="error-bar" d="M{from:.1} {middle:.1}H{to:.1}{ends}"/>"#)?;
        // The value is written behind whichever reaches further.
        end = end.max(to);
    }
    write!(
        svg,
        r#"<text class="value" x="{:.1}" y="{:.1}">{}</text></g>"#,
        end + VALUE_GAP,
        middle + 4.5,
        written_value(&bar, x)
    )
}

/// The value, and the mark of what it means where it is a change.
fn written_value(bar: &Bar, x: &Edge) -> String {
    let mark = bar.reading.map_or("", reading_mark);
    // A share is read with its sign; other units are at the axis.
    let value = match x.axis.quantity {
        Quantity::Percent if bar.value >= 1_000.0 => percent_or_times(bar.value),
        Quantity::Percent => format!("{} %", x.format.write(bar.value)),
        _ => x.format.write(bar.value),
    };
    format!("{value} {mark}").trim_end().to_owned()
}

fn in_words(bar: &Bar, x: &Edge) -> String {
    let value = x.format.write_with_unit(bar.value);
    let reading = bar.reading.map(Reading::as_str).filter(|words| !words.is_empty());
    reading.map_or_else(|| value.clone(), |words| format!("{value}, {words}"))
}

/// The description for people who cannot see the chart: every value.
fn description(chart: &BarChart, x: &Edge) -> String {
    let value = |bar: &Option<Bar>| bar.map_or_else(|| "–".to_owned(), |bar| in_words(&bar, x));
    let group = |(index, group): (usize, &String)| {
        let of_series = |series: &BarSeries| {
            series
                .bars
                .get(index)
                .map(|bar| format!("{} {}", series.name, value(bar)).trim_start().to_owned())
        };
        let values = chart.series.iter().filter_map(of_series);
        format!("{group}: {}", values.collect::<Vec<_>>().join(", "))
    };
    chart.groups.iter().enumerate().map(group).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Scale};

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
        let svg = drawn(Bar { value: -25.0, interval: Some((-30.0, -20.0)), reading: None }, f64::INFINITY);
        assert!(svg.contains(">−30</text>") && svg.contains(">0</text>"), "{svg}");
        assert!(svg.contains(">−25.0</text>") && svg.contains("−30.0 to −20.0 %"), "{svg}");
    }

    /// The outline of the error bar of a bar whose axis reaches this far.
    fn error_bar(reach: f64) -> String {
        let svg = drawn(Bar { value: 10.0, interval: Some((5.0, 2_000.0)), reading: None }, reach);
        svg.split("class=\"error-bar\" d=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    #[test]
    fn an_error_bar_that_goes_on_and_on_ends_in_an_arrow_and_leaves_the_bar_its_room() {
        let ends =
            |reach: f64| (error_bar(reach).matches('v').count(), error_bar(reach).matches('l').count());
        assert_eq!((ends(f64::INFINITY), ends(100.0)), ((2, 0), (1, 2)));
    }

    #[test]
    fn a_change_has_the_colour_and_the_mark_of_what_it_means() {
        let class = |reading: Reading| {
            let svg = drawn(Bar { value: 36.9, interval: None, reading: Some(reading) }, f64::INFINITY);
            let class = svg.split("class=\"bar ").nth(1).unwrap().split('"').next().unwrap().to_owned();
            (class, svg.contains(&format!(">+36.9 {}</text>", reading_mark(reading))))
        };
        assert_eq!(class(Reading::Better), ("is-better".to_owned(), true));
        assert_eq!(class(Reading::MuchWorse), ("is-worse".to_owned(), true));
        assert_eq!(class(Reading::NoDifference), ("is-same".to_owned(), true));
    }
}
