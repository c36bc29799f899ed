//! The charts of a sweep that answer at a glance: latency over throughput, volumes together, and the tests of a series.

use iotrial_analysis::figures::Figures;
use iotrial_analysis::sweep::{Curve, Scaling, SweepSummary};
use iotrial_model::figure::Figure;

use super::{LATENCY, curve_name, name_of};
use crate::chart::{Axis, Bar, BarChart, BarSeries, Chart, ChartGroup, Dash, Line, Scale, Shape};
use crate::document::{Block, Section};
use crate::quantity::Quantity;

/// More tests than this are left to the table.
const MOST_TESTS: usize = 40;

/// Latency over throughput, a chart for each pattern: what the storage does, and at what latency.
pub(super) fn throughput_latency(summary: &SweepSummary) -> Option<Section> {
    let mut patterns = Vec::new();
    for curve in summary.curves.iter().filter(|curve| is_curve(curve)) {
        if !patterns.contains(&curve.pattern) {
            patterns.push(curve.pattern);
        }
    }
    let chart = |pattern| {
        let mine: Vec<&Curve> =
            summary.curves.iter().filter(|curve| curve.pattern == pattern && is_curve(curve)).collect();
        let line = |(hue, curve): (usize, &&Curve)| {
            let (points, labels) = points(curve);
            Line {
                name: name_of(summary, curve.volume),
                hue,
                dash: Dash::of_series(hue),
                shape: Shape::Path(labels),
                points,
            }
        };
        Chart {
            id: format!("throughput-latency-{pattern}"),
            title: format!("{pattern}: mean latency over throughput"),
            x: Axis { name: "throughput", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 },
            y: LATENCY,
            lines: mine.iter().enumerate().map(line).collect(),
            spans: Vec::new(),
            limits: Vec::new(),
        }
    };
    let charts: Vec<Chart> = patterns.into_iter().map(chart).collect();
    (!charts.is_empty()).then(|| Section {
        id: "throughput-latency",
        heading: "Latency over throughput",
        note: Some("Each point is a load; the number beside it is how many I/Os were outstanding. Where the curve turns up, more load adds latency but no throughput. Latency has a logarithmic scale.".to_owned()),
        blocks: vec![Block::Charts(ChartGroup { charts })],
    })
}

/// Two loads at least, or there is no curve.
fn is_curve(curve: &Curve) -> bool {
    curve.saturation.is_some() && points(curve).0.len() > 1
}

/// Rate and latency of each load in the order of outstanding I/Os, with these. A load that was measured several times is one
/// point, in the middle of them.
fn points(curve: &Curve) -> (Vec<(f64, Option<f64>)>, Vec<String>) {
    let mut loads: Vec<u32> = curve.probes.iter().map(|probe| probe.outstanding).collect();
    loads.sort_unstable();
    loads.dedup();
    let median = |load: u32, of: fn(&Figures) -> Option<f64>| {
        let of_load = curve.probes.iter().filter(|probe| probe.outstanding == load);
        let mut values: Vec<f64> = of_load.filter_map(|probe| of(&probe.figures)).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len().checked_sub(1)? / 2).copied()
    };
    let point = |load: &u32| {
        let rate = median(*load, |figures| figures.iops)?;
        Some(((rate, Some(median(*load, |figures| figures.lat_mean_us)?)), load.to_string()))
    };
    loads.iter().filter_map(point).unzip()
}

/// What volumes do together against the sum of what each does alone, for each pattern.
pub(super) fn scaling(all: &[Scaling]) -> Option<Block> {
    let chart = |one: &Scaling| {
        let line = |name: &str, hue, dash, shape, of: fn(&iotrial_analysis::sweep::ScalingRow) -> f64| Line {
            name: name.to_owned(),
            hue,
            dash,
            shape,
            points: one.rows.iter().map(|row| (row.volume_count as f64, Some(of(row)))).collect(),
        };
        Chart {
            id: format!("scaling-{}", one.pattern),
            title: format!("{}: I/Os per second by volumes", one.pattern),
            x: Axis { name: "volumes", quantity: Quantity::Count, scale: Scale::Linear, to: 0.0 },
            y: Axis { name: "", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 },
            lines: vec![
                line("sum of what each does alone", 1, Dash::Dashed, Shape::Fit, |row| row.sum_of_alone_iops),
                line("together", 0, Dash::Solid, Shape::Course, |row| row.iops),
            ],
            spans: Vec::new(),
            limits: Vec::new(),
        }
    };
    let charts: Vec<Chart> = all.iter().filter(|one| one.rows.len() > 1).map(chart).collect();
    (!charts.is_empty()).then_some(Block::Charts(ChartGroup { charts }))
}

/// The tests of a series as bars: its loads do not rise, so there is no curve.
pub(super) fn series(summary: &SweepSummary) -> Option<Section> {
    let tests: Vec<(String, &Figures)> = summary
        .curves
        .iter()
        .flat_map(|curve| curve.probes.iter().map(move |probe| (curve, probe)))
        .take(MOST_TESTS)
        .map(|(curve, probe)| {
            (format!("{}, {} outstanding", curve_name(summary, curve), probe.outstanding), &probe.figures)
        })
        .collect();
    let chart = |figure: Figure, title: &str| {
        let bar =
            |figures: &Figures| Some(Bar { value: figures.get(figure)?, interval: None, reading: None });
        BarChart {
            id: format!("series-{}", figure.key().replace('_', "-")),
            title: title.to_owned(),
            value: Axis { name: "", quantity: figure.unit().into(), scale: Scale::Linear, to: 0.0 },
            reach: f64::INFINITY,
            groups: tests.iter().map(|(name, _)| name.clone()).collect(),
            series: vec![BarSeries {
                key: String::new(),
                name: "measured".to_owned(),
                hue: 0,
                bars: tests.iter().map(|(_, figures)| bar(figures)).collect(),
            }],
            decisive: None,
            mark: None,
        }
    };
    (!tests.is_empty()).then(|| Section {
        id: "series",
        heading: "The tests side by side",
        note: None,
        blocks: vec![Block::Bars(vec![
            chart(Figure::Iops, "I/Os per second"),
            chart(Figure::Bandwidth, "Bandwidth"),
            chart(Figure::LatencyMean, "Mean latency"),
        ])],
    })
}
