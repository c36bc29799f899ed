//! The databases of a fleet over the calendar, stacked.

use iotrial_analysis::awr::{AwrFleet, FleetInterval};
use iotrial_model::awr::AwrFigure;

use super::names_of;
use crate::awr::course::{calendar, levels};
use crate::awr::{quantity, section};
use crate::chart::{Axis, Chart, ChartGroup, Dash, Line, Scale, Shape, Span, SpanKind};
use crate::document::{Block, Section};

/// The databases over time, stacked.
pub(super) fn courses(fleet: &AwrFleet) -> Option<Section> {
    let chart = |id: &str, title: &str, figure: AwrFigure, of: fn(&FleetInterval) -> &[Option<f64>]| Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        x: calendar(),
        y: Axis { name: "", quantity: quantity(figure.unit()), scale: Scale::Linear, to: 0.0 },
        lines: layers(fleet, of)
            .into_iter()
            .chain(fleet.figure(figure).into_iter().flat_map(|one| {
                let (from, to) = ends(fleet);
                levels(("p95 together", one.together.p95), ("peaks added up", one.apart.peak), from, to)
            }))
            .collect(),
        spans: not_whole(fleet),
        limits: Vec::new(),
    };
    let charts = vec![
        chart("fleet-requests", "Requests", AwrFigure::Requests, |one| &one.requests_per_s),
        chart("fleet-throughput", "Throughput", AwrFigure::Throughput, |one| &one.mib_per_s),
    ];
    let charts: Vec<Chart> = charts
        .into_iter()
        .filter(|chart| chart.lines.iter().any(|line| line.points.iter().any(|(_, y)| y.is_some())))
        .collect();
    (!charts.is_empty()).then(|| {
        section(
            "course",
            "Over time",
            Some(
                "The databases stacked, each interval with its average. Shaded: some databases have no report, so the height is not the total.",
            ),
            Block::Charts(ChartGroup { charts }),
        )
    })
}

fn ends(fleet: &AwrFleet) -> (f64, f64) {
    let first = fleet.intervals.first().map_or(0, |one| one.calendar_s.0);
    let last = fleet.intervals.last().map_or(0, |one| one.calendar_s.1);
    (first as f64, last as f64)
}

/// A layer for each database, and one for the rest if there are more databases than hues.
fn layers(fleet: &AwrFleet, of: fn(&FleetInterval) -> &[Option<f64>]) -> Vec<Line> {
    let names = names_of(fleet.members.iter());
    let shown = if names.len() > Line::HUE_COUNT { Line::HUE_COUNT - 1 } else { names.len() };
    let points = |value: &dyn Fn(&[Option<f64>]) -> Option<f64>| {
        let mut points: Vec<(f64, Option<f64>)> = Vec::new();
        let mut until = None;
        for one in &fleet.intervals {
            let (begin, end) = one.calendar_s;
            // Where nothing has a report, nothing is drawn.
            if let Some(until) = until.filter(|until| *until < begin) {
                points.push((until as f64, None));
            }
            points.push((begin as f64, value(of(one))));
            until = Some(end);
        }
        points.extend(until.map(|until| (until as f64, None)));
        points
    };
    let line = |at: usize, name: String, points| Line {
        name,
        hue: at % Line::HUE_COUNT,
        dash: Dash::Solid,
        shape: Shape::Layer,
        points,
    };
    let mut lines: Vec<Line> = (0..shown)
        .map(|at| line(at, names[at].to_owned(), points(&|values| values.get(at).copied().flatten())))
        .collect();
    if shown < names.len() {
        let rest = |values: &[Option<f64>]| values[shown..].iter().flatten().copied().reduce(|a, b| a + b);
        lines.push(line(shown, format!("{} others", names.len() - shown), points(&rest)));
    }
    lines
}

/// Stretches for which some databases have no report.
fn not_whole(fleet: &AwrFleet) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for one in fleet.intervals.iter().filter(|one| !one.is_whole) {
        let (from, to) = (one.calendar_s.0 as f64, one.calendar_s.1 as f64);
        match spans.last_mut() {
            Some(last) if (last.to - from).abs() < 1.0 => last.to = to,
            _ => spans.push(Span { name: "not all".to_owned(), kind: SpanKind::Apart, from, to }),
        }
    }
    spans
}
