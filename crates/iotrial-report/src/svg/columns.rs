//! Invisible columns over a chart: pointing at one shows the values there.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::frame::{BOTTOM, Edge, LEFT, TOP, escape};
use crate::chart::{Chart, Line, Scale, Shape};
use crate::quantity::NumberFormat;

/// More columns to point at than this are hard to hit, and make a long run's report large.
const MOST_COLUMNS: usize = 90;

/// Invisible columns to point at; each names all values at its place, or their range over its places.
pub(super) fn write(svg: &mut String, chart: &Chart, x: &Edge, y_format: &NumberFormat) -> std::fmt::Result {
    // Fits have hundreds of points that were not measured, and levels have labels.
    let lines = || chart.lines.iter().filter(|line| !matches!(line.shape, Shape::Fit | Shape::Level));
    // What holds until the next place is pointed at from its place to the next one.
    let holds = chart.x.scale == Scale::Calendar;
    // Places are compared by their bits: lines of one chart share the very same numbers, all of them
    // positive.
    let places: BTreeSet<u64> =
        lines().flat_map(|line| line.points.iter().map(|(at, _)| at.to_bits())).collect();
    let places: Vec<f64> = places.into_iter().map(f64::from_bits).collect();
    // Only for time: on other axes each place is a load of its own.
    let most = if chart.x.scale == Scale::Linear || holds { MOST_COLUMNS } else { places.len().max(1) };
    let chunks: Vec<&[f64]> = places.chunks(places.len().div_ceil(most).max(1)).collect();
    let value_of = |line: &Line, at: f64| {
        if matches!(line.shape, Shape::Path(_)) {
            let here = |(x, _): &&(f64, Option<f64>)| x.total_cmp(&at).is_eq();
            return line.points.iter().find(here).map(|(_, value)| *value);
        }
        // Points are in the order of x, so a place is found by halving.
        let found = line.points.binary_search_by(|(x, _)| x.total_cmp(&at)).ok()?;
        Some(line.points[found].1)
    };
    // A column reaches half way to its neighbours, so there is no gap to fall into.
    let between = |left: &[f64], right: &[f64]| match holds {
        true => x.position(right[0]),
        false => x.position(f64::midpoint(left[left.len() - 1], right[0])),
    };
    for (index, chunk) in chunks.iter().enumerate() {
        let from = if index == 0 { LEFT } else { between(chunks[index - 1], chunk) };
        let to = chunks.get(index + 1).map_or(x.ruler.end(), |next| between(chunk, next));
        let place = match chunk {
            [first, ..] if holds => {
                let end = chunks.get(index + 1).and_then(|next| next.first()).or(places.last());
                format!("{} to {}", x.place(*first), x.place(*end.unwrap_or(first)))
            }
            [first, .., last] => format!("{} to {}", x.format.write_round(*first), x.place(*last)),
            [only] => x.place(*only),
            [] => continue,
        };
        let values = lines().filter_map(|line| {
            let values: Vec<Option<f64>> = chunk.iter().filter_map(|at| value_of(line, *at)).collect();
            (!values.is_empty()).then(|| format!("\n{}: {}", line.name, range(&values, y_format)))
        });
        let mut values: String = values.collect();
        values.push_str(&sum_of_layers(chart, chunk, y_format));
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

/// The height of stacked layers, if all of them have a value.
fn sum_of_layers(chart: &Chart, chunk: &[f64], format: &NumberFormat) -> String {
    let layers = || chart.lines.iter().filter(|line| line.shape == Shape::Layer);
    if layers().count() < 2 {
        return String::new();
    }
    let sum = |at: &f64| -> Option<f64> {
        let value = |line: &Line| {
            let found = line.points.binary_search_by(|(x, _)| x.total_cmp(at)).ok()?;
            line.points[found].1
        };
        layers().map(value).sum()
    };
    let sums: Vec<Option<f64>> = chunk.iter().map(sum).collect();
    if sums.iter().all(Option::is_none) {
        String::new()
    } else {
        format!("\ntogether: {}", range(&sums, format))
    }
}

/// The lowest and the highest of the values, or one value if they are equal.
fn range(values: &[Option<f64>], format: &NumberFormat) -> String {
    let values = || values.iter().flatten().copied();
    let (lowest, highest) =
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let (low, high) = (format.write(lowest), format.write_with_unit(highest));
    match lowest > highest {
        true => "–".to_owned(),
        false if low == format.write(highest) => high,
        false => format!("{low} to {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::{LatencyUnit, Quantity};

    #[test]
    fn what_is_pointed_at_is_named_by_the_range_of_its_values() {
        let format = NumberFormat::fit(Quantity::Iops, LatencyUnit::Milliseconds, [900.0].into_iter());
        let written = |values: &[Option<f64>]| range(values, &format);
        assert_eq!(written(&[Some(900.0), None, Some(1_200.0)]), "900 to 1,200 IOPS");
        assert_eq!((written(&[Some(900.2)]), written(&[None])), ("900 IOPS".to_owned(), "–".to_owned()));
    }
}
