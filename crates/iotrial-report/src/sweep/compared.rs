//! The document of sweeps compared with each other: how the ceilings changed, and the curves in one chart.

use iotrial_analysis::comparison::{
    ComparedCurve, ComparedFigure, ComparedLoad, ComparedSweep, LoadPointCell, SweepComparison,
};
use iotrial_analysis::figures::Figures;
use iotrial_analysis::words::lower;
use iotrial_model::figure::{Figure, SweepFigure};
use iotrial_model::record::EndedHow;

use super::{LATENCY, OUTSTANDING, POINTS_PER_DOUBLING};
use crate::chart::{Axis, Chart, ChartGroup, Dash, Line, Scale, Shape};
use crate::comparison::{change, findings, hosts, measured, side};
use crate::document::{Answer, Block, Document, Front, LONGEST_TITLE, Section};
use crate::gates;
use crate::quantity::Quantity;
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;

/// More rows than this are left to the forms that can be scrolled.
const MOST_ROWS_AT_A_GLANCE: usize = 48;
/// More sweeps than this have no column and no line of their own.
const MOST_SWEEPS: usize = 6;
/// Names in legends are cut to this many characters.
const LONGEST_NAME: usize = 40;

impl Document {
    /// The document of sweeps compared with each other.
    pub fn of_compared_sweeps(comparison: &SweepComparison) -> Self {
        let sections = [
            Some(answer(comparison)),
            gates::section(&comparison.gates),
            findings(&comparison.findings),
            Some(sweeps(comparison)),
            figures(comparison),
            measured::section(&comparison.sweeps, None),
            hosts::section(&comparison.host_differences),
            loads(comparison),
            charts(comparison),
        ];
        let labels: Vec<&str> = comparison.sweeps.iter().map(|one| one.label.as_str()).collect();
        let probes: usize = comparison.sweeps.iter().map(|one| one.probe_count).sum();
        Self {
            title: cut(&format!("Sweeps compared: {}", labels.join(", ")), LONGEST_TITLE),
            byline: format!("From {} sweeps with {probes} probes", comparison.sweeps.len()),
            in_brief: vec![("baseline", title_of(comparison, &comparison.baseline))],
            sections: sections.into_iter().flatten().collect(),
            chapters: Vec::new(),
            front: Front::default(),
        }
    }
}

fn title_of(comparison: &SweepComparison, key: &str) -> String {
    comparison.sweep(key).map_or_else(|| key.to_owned(), ComparedSweep::title)
}

fn shown(comparison: &SweepComparison) -> &[ComparedSweep] {
    &comparison.sweeps[..comparison.sweeps.len().min(MOST_SWEEPS)]
}

fn answer(comparison: &SweepComparison) -> Section {
    let others = comparison.sweeps.iter().filter(|one| one.key != comparison.baseline);
    let others: Vec<String> = others.map(ComparedSweep::title).collect();
    let who = match others.as_slice() {
        [one] => one.clone(),
        several => format!("{} sweeps", several.len()),
    };
    let what = if comparison.ceilings.iter().all(|one| one.is_of_loads) { "rate" } else { "ceiling" };
    let headline = match comparison.is_better {
        Some(true) => format!("Higher {what}s: {who}"),
        Some(false) => format!("Lower {what}s: {who}"),
        None => {
            if comparison.ceilings.iter().any(|one| !one.changed.is_empty()) {
                format!("Some {what}s are higher and some lower: {who}")
            } else {
                format!("No {what} is shown to have changed")
            }
        }
    };
    let is_simulated = comparison.is_simulated();
    Section {
        id: "answer",
        heading: "",
        note: None,
        blocks: vec![Block::Answer(Answer {
            is_good: comparison.is_better.filter(|_| !is_simulated),
            headline: if is_simulated {
                format!("Simulated, not measured: {}", lower(&headline))
            } else {
                headline
            },
            sentence: comparison.sentence.clone(),
            points: Vec::new(),
            lists: Vec::new(),
        })],
    }
}

fn sweeps(comparison: &SweepComparison) -> Section {
    let ended = |one: &ComparedSweep| {
        let ended = match one.ended {
            EndedHow::Complete => "complete",
            EndedHow::Interrupted => "interrupted",
            EndedHow::Failed => "failed",
        };
        Value::Text(ended.to_owned())
    };
    let ended = comparison.sweeps.iter().map(ended).collect();
    side::section(
        ("sweeps", "Sweeps", "sweep"),
        &comparison.sweeps,
        ("probes", |one: &ComparedSweep| one.probe_count),
        vec![(Column::new("ended", Quantity::Words), ended)],
    )
}

fn quantity(figure: SweepFigure) -> Quantity {
    match figure {
        SweepFigure::Ceiling | SweepFigure::Sustained => Quantity::Iops,
        SweepFigure::CeilingBandwidth => Quantity::BandwidthMibPerS,
        SweepFigure::Knee => Quantity::Load,
    }
}

/// What a table is about, and the name of its columns.
const fn words(figure: SweepFigure) -> (&'static str, &'static str) {
    match figure {
        SweepFigure::Ceiling => ("Ceiling, I/Os per second", "ceiling"),
        SweepFigure::CeilingBandwidth => ("Ceiling, bandwidth", "ceiling"),
        SweepFigure::Knee => ("Knee, outstanding I/Os", "knee"),
        SweepFigure::Sustained => ("Rate that lasts", "lasts"),
    }
}

fn figures(comparison: &SweepComparison) -> Option<Section> {
    let blocks: Vec<Block> = SweepFigure::ALL
        .iter()
        .filter_map(|figure| Some(Block::Table(figure_table(comparison, *figure)?)))
        .collect();
    (!blocks.is_empty()).then(|| Section {
        id: "saturation",
        heading: "Where each one saturates",
        note: Some(format!(
            "Changes are from {}, with the ends of their 95 % intervals. ✓ higher, ✗ lower, ✓✓ and ✗✗ by a factor of two or more, ≈ no difference shown, ? not judged. ≥ and ≤ are bounds: that ceiling was not reached, or the loads do not show the knee.",
            title_of(comparison, &comparison.baseline)
        )),
        blocks,
    })
}

fn figure_table(comparison: &SweepComparison, figure: SweepFigure) -> Option<Table> {
    let (caption, name) = words(figure);
    let shown = shown(comparison);
    let mut columns = vec![Column::new("curve", Quantity::Words)];
    for one in shown {
        columns.push(Column::new(name, quantity(figure)).under(one.key.clone()));
        if one.key != comparison.baseline {
            columns.push(Column::new("change", Quantity::ChangePercent).under(one.key.clone()));
            columns.push(Column::new("from", Quantity::ChangePercent).under(one.key.clone()).optional());
            columns.push(Column::new("to", Quantity::ChangePercent).under(one.key.clone()).optional());
        }
    }
    let row = |(curve, one): (&ComparedCurve, &ComparedFigure)| {
        let mut cells = vec![Value::Text(curve.name())];
        for sweep in shown {
            let cell = one.cells.iter().find(|cell| cell.sweep == sweep.key);
            cells.push(Value::amount(cell.map(|cell| cell.value)));
            if sweep.key != comparison.baseline {
                cells.push(change(
                    cell.and_then(|cell| cell.delta.as_ref()),
                    cell.and_then(|cell| cell.bounded.as_ref()),
                ));
                let interval = cell.and_then(|cell| cell.delta.as_ref()?.interval);
                cells.push(Value::number(interval.map(|one| one.low_percent)));
                cells.push(Value::number(interval.map(|one| one.high_percent)));
            }
        }
        Row { cells, is_total: false }
    };
    let of_figure = comparison
        .curves
        .iter()
        .filter_map(|curve| Some((curve, curve.figures.iter().find(|one| one.figure == figure)?)));
    let rows: Vec<Row> = of_figure.map(row).collect();
    (!rows.is_empty()).then(|| Table {
        caption: caption.to_owned(),
        columns,
        at_a_glance: rows.len() <= MOST_ROWS_AT_A_GLANCE,
        rows,
    })
}

/// Every load that any of them measured.
fn loads(comparison: &SweepComparison) -> Option<Section> {
    let shown = shown(comparison);
    let mut columns = vec![Column::new("curve", Quantity::Words), Column::new("outst.", Quantity::Count)];
    for one in shown {
        let is_other = one.key != comparison.baseline;
        columns.push(Column::of_figure(Figure::Iops).under(one.key.clone()));
        if is_other {
            columns.push(Column::new("change", Quantity::ChangePercent).under(one.key.clone()));
        }
        columns.push(Column::new("lat mean", Quantity::LatencyUs).under(one.key.clone()));
        if is_other {
            columns.push(Column::new("change", Quantity::ChangePercent).under(one.key.clone()));
        }
        columns.push(Column::new("lat p99", Quantity::LatencyUs).under(one.key.clone()).optional());
        columns.push(Column::new("probes", Quantity::Count).under(one.key.clone()).optional());
    }
    let row = |curve: &ComparedCurve, load: &ComparedLoad| {
        let mut cells = vec![Value::Text(curve.name()), Value::Count(load.outstanding.into())];
        for sweep in shown {
            let cell = load.cells.iter().find(|cell| cell.sweep == sweep.key);
            let figure =
                |of: fn(&Figures) -> Option<f64>| Value::number(cell.and_then(|cell| of(&cell.figures)));
            let is_other = sweep.key != comparison.baseline;
            cells.push(figure(|figures| figures.iops));
            if is_other {
                cells.push(change(cell.and_then(|cell| cell.iops_change.as_ref()), None));
            }
            cells.push(figure(|figures| figures.lat_mean_us));
            if is_other {
                cells.push(change(cell.and_then(|cell| cell.latency_change.as_ref()), None));
            }
            cells.push(figure(|figures| figures.lat_p99_us));
            cells.push(cell.map_or(Value::Absent, |cell| Value::Count(cell.probe_count as u64)));
        }
        Row { cells, is_total: false }
    };
    let rows: Vec<Row> = comparison
        .curves
        .iter()
        .flat_map(|curve| curve.loads.iter().map(move |load| row(curve, load)))
        .collect();
    (!rows.is_empty()).then(|| Section {
        id: "loads",
        heading: "At each load",
        note: Some("Measured figures only: a dash means that the sweep did not measure that load; nothing is interpolated. A change is judged if each side measured the load at least twice; otherwise it has a ?.".to_owned()),
        blocks: vec![Block::Table(Table {
            caption: "Rate and latency at each load".to_owned(),
            columns,
            at_a_glance: rows.len() <= MOST_ROWS_AT_A_GLANCE,
            rows,
        })],
    })
}

/// Latency over throughput, and throughput over outstanding I/Os, a pair of charts for each curve.
fn charts(comparison: &SweepComparison) -> Option<Section> {
    let drawn = shown(comparison);
    let name = |sweep: &ComparedSweep| cut(&sweep.title(), LONGEST_NAME);
    let points_of = |curve: &ComparedCurve, sweep: &ComparedSweep| -> Vec<(u32, LoadPointCell)> {
        let cell = |load: &ComparedLoad| {
            let cell = load.cells.iter().find(|cell| cell.sweep == sweep.key)?;
            Some((load.outstanding, cell.clone()))
        };
        curve.loads.iter().filter_map(cell).collect()
    };
    let group = |(number, curve): (usize, &ComparedCurve)| {
        let (mut paths, mut rates) = (Vec::new(), Vec::new());
        for (hue, sweep) in drawn.iter().enumerate() {
            let points = points_of(curve, sweep);
            if points.is_empty() {
                continue;
            }
            let line = |name: String, dash, shape, points| Line { name, hue, dash, shape, points };
            let path: Vec<(f64, Option<f64>)> = points
                .iter()
                .filter_map(|(_, cell)| Some((cell.figures.iops?, cell.figures.lat_mean_us)))
                .collect();
            let labels = points.iter().map(|(outstanding, _)| outstanding.to_string()).collect();
            paths.push(line(name(sweep), Dash::of_series(hue), Shape::Path(labels), path));
            let rate = points.iter().map(|(outstanding, cell)| (f64::from(*outstanding), cell.figures.iops));
            rates.push(line(name(sweep), Dash::Solid, Shape::Points, rate.collect()));
            let fitted = curve.saturations.iter().find(|(key, _)| *key == sweep.key);
            if let Some(fit) = fitted.and_then(|(_, found)| found.fit.as_ref()) {
                let (low, high) = (f64::from(points[0].0), f64::from(points[points.len() - 1].0));
                let at = (0..)
                    .map(|step| low * 2f64.powf(f64::from(step) / f64::from(POINTS_PER_DOUBLING)))
                    .take_while(|load| *load < high)
                    .chain([high]);
                let points = at.map(|load| (load, Some(fit.model.iops(load)))).collect();
                rates.push(line(
                    format!("{}, fitted", name(sweep)),
                    Dash::of_series(hue),
                    Shape::Fit,
                    points,
                ));
            }
        }
        let rate = Axis { name: "", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 };
        let chart = |id: String, title: String, x, y, lines| Chart {
            id,
            title,
            x,
            y,
            lines,
            spans: Vec::new(),
            limits: Vec::new(),
        };
        Block::Charts(ChartGroup {
            charts: vec![
                chart(
                    format!("compared-latency-{number}"),
                    format!("{}: mean latency over throughput", curve.name()),
                    Axis { name: "throughput", ..rate },
                    LATENCY,
                    paths,
                ),
                chart(
                    format!("compared-rate-{number}"),
                    format!("{}: I/Os per second", curve.name()),
                    OUTSTANDING,
                    rate,
                    rates,
                ),
            ],
        })
    };
    let blocks: Vec<Block> = comparison.curves.iter().enumerate().map(group).collect();
    (!blocks.is_empty()).then(|| Section {
        id: "curves",
        heading: "Curves compared",
        note: Some("Points are measured; the number beside one is how many I/Os were outstanding. Lines between them and fitted curves only guide the eye. Latency and outstanding I/Os have logarithmic scales.".to_owned()),
        blocks,
    })
}
