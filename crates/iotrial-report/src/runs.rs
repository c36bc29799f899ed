//! The document of several runs: their figures side by side, their curves on top of one another, then each run as a
//! chapter. Which is better, and by how much, is for a comparison to say.

use std::collections::BTreeSet;

use iotrial_analysis::figures::Figures;
use iotrial_analysis::series::{Series, SeriesPoint};
use iotrial_analysis::stream::Stream;
use iotrial_analysis::summary::Summary;
use iotrial_model::load::Role;
use iotrial_model::record::{EndedHow, RunRecord};

use crate::chart::{Axis, Bar, BarChart, BarSeries, Chart, ChartGroup, Dash, Line, Scale, Shape};
use crate::document::{Block, Document, Section};
use crate::quantity::Quantity;
use crate::run;
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;

/// Names in legends are cut to this many characters.
const LONGEST_NAME: usize = 40;

/// A run with what is shown of it throughout.
struct Run<'r> {
    record: &'r RunRecord,
    summary: &'r Summary,
    /// Its number and name, short enough for a legend.
    name: String,
    series: Vec<Series>,
}

impl Document {
    /// The document of some runs, in this order. Each summary is the one of its record. One run has its own document,
    /// without anything beside it.
    pub fn of_runs(runs: &[(&RunRecord, &Summary)]) -> Self {
        if let [(record, summary)] = runs {
            return Self::of_run(record, summary);
        }
        let chapters: Vec<Self> =
            runs.iter().map(|(record, summary)| Self::of_run(record, summary)).collect();
        let runs: Vec<Run<'_>> = runs
            .iter()
            .zip(&chapters)
            .enumerate()
            .map(|(index, ((record, summary), chapter))| Run {
                record,
                summary,
                name: cut(&format!("{} {}", index + 1, chapter.title), LONGEST_NAME),
                series: Series::of_record(record),
            })
            .collect();
        let streams = streams(&runs);
        let sections = [
            overview(&runs),
            side_by_side(&runs, &streams),
            bars(&runs, &streams),
            over_time(&runs, &streams),
            distribution(&runs, &streams),
        ];
        Self {
            title: format!("{} runs", runs.len()),
            byline: "Side by side, then each by itself".to_owned(),
            in_brief: Vec::new(),
            sections: sections.into_iter().flatten().collect(),
            chapters,
        }
    }
}

/// Every stream of a role that any of the runs has, in the order of tables.
fn streams(runs: &[Run<'_>]) -> Vec<(Role, Stream)> {
    let all = runs.iter().flat_map(|run| run.series.iter().map(|one| (one.role, one.stream)));
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

impl Run<'_> {
    fn figures(&self, role: Role, stream: Stream) -> Option<&Figures> {
        self.summary.roles.get(&role).and_then(|streams| streams.get(stream))
    }

    fn series(&self, role: Role, stream: Stream) -> Option<&Series> {
        self.series.iter().find(|one| one.role == role && one.stream == stream)
    }

    fn was_measured(&self) -> bool {
        self.summary.measured_s > 0.0
    }
}

fn overview(runs: &[Run<'_>]) -> Option<Section> {
    let row = |run: &Run<'_>| {
        let verdict = &run.summary.verdict;
        let attributes = run.record.attributes.iter().map(|(name, value)| format!("{name} = {value}"));
        let attributes = attributes.collect::<Vec<_>>().join(", ");
        Row {
            cells: vec![
                Value::Text(run.name.clone()),
                Value::text((!attributes.is_empty()).then_some(attributes)),
                Value::Text(run.record.plan.profile.clone()),
                Value::Text(run::started_at(run.record)),
                Value::Number(run.summary.measured_s),
                Value::Text(
                    match run.record.ended.how {
                        EndedHow::Complete => "complete",
                        EndedHow::Interrupted => "interrupted",
                        EndedHow::Failed => "failed",
                    }
                    .to_owned(),
                ),
                Value::Text(if verdict.qualified { "yes" } else { "no" }.to_owned()),
                verdict.category.map_or(Value::Absent, Value::Category),
            ],
            is_total: false,
        }
    };
    Some(Section {
        id: "runs",
        heading: "Runs",
        note: None,
        blocks: vec![Block::Table(Table {
            caption: "Runs".to_owned(),
            columns: vec![
                Column::new("run", Quantity::Words),
                Column::new("attributes", Quantity::Words).optional(),
                Column::new("profile", Quantity::Words).optional(),
                Column::new("started", Quantity::Words).optional(),
                Column::new("measured", Quantity::Seconds),
                Column::new("ended", Quantity::Words),
                Column::new("qualified", Quantity::Words),
                Column::new("category", Quantity::Words),
            ],
            rows: runs.iter().map(row).collect(),
            at_a_glance: true,
        })],
    })
}

/// Rows of one stream stand below one another, a row for each run.
fn side_by_side(runs: &[Run<'_>], streams: &[(Role, Stream)]) -> Option<Section> {
    let row = |role: Role, stream: Stream, run: &Run<'_>| {
        run::figures_row(
            &[&format!("{role} {stream}")],
            &run.name,
            run.figures(role, stream).filter(|_| run.was_measured()),
            false,
        )
    };
    let rows: Vec<Row> =
        streams.iter().flat_map(|(role, stream)| runs.iter().map(|run| row(*role, *stream, run))).collect();
    let mut table = run::figures_table("Figures by stream and run", &["stream"], rows, true);
    table.columns[1].name = "run";
    runs.iter().any(Run::was_measured).then(|| Section {
        id: "figures",
        heading: "Figures side by side",
        note: Some("Latency is total latency, from the creation of an I/O to its completion.".to_owned()),
        blocks: vec![Block::Table(table)],
    })
}

fn bars(runs: &[Run<'_>], streams: &[(Role, Stream)]) -> Option<Section> {
    let chart = |id: &str, title: &str, quantity, of: fn(&Figures) -> Option<f64>| BarChart {
        id: id.to_owned(),
        title: title.to_owned(),
        value: Axis { name: "", quantity, scale: Scale::Linear, to: 0.0 },
        reach: f64::INFINITY,
        groups: streams.iter().map(|(role, stream)| format!("{role} {stream}")).collect(),
        series: runs
            .iter()
            .enumerate()
            .map(|(index, run)| BarSeries {
                key: (index + 1).to_string(),
                name: run.name.clone(),
                hue: index,
                bars: streams
                    .iter()
                    .map(|(role, stream)| {
                        let figures = run.figures(*role, *stream).filter(|_| run.was_measured());
                        figures.and_then(of).map(|value| Bar { value, interval: None })
                    })
                    .collect(),
            })
            .collect(),
        decisive: None,
        mark: None,
    };
    runs.iter().any(Run::was_measured).then(|| Section {
        id: "bars",
        heading: "Throughput and latency side by side",
        note: None,
        blocks: vec![Block::Bars(vec![
            chart("bars-iops", "I/Os per second", Quantity::Iops, |f| f.iops),
            chart("bars-lat-p99", "p99 latency", Quantity::LatencyUs, |f| f.lat_p99_us),
        ])],
    })
}

/// A curve for each run, in a chart for each stream and figure.
fn over_time(runs: &[Run<'_>], streams: &[(Role, Stream)]) -> Option<Section> {
    let rate = Axis { name: "", quantity: Quantity::Iops, scale: Scale::Linear, to: 0.0 };
    let charts: Vec<Chart> = streams
        .iter()
        .flat_map(|(role, stream)| {
            let chart = |kind: &str, what: &str, y, of: fn(&Figures) -> Option<f64>| Chart {
                id: format!("{kind}-{role}-{stream}"),
                title: format!("{what} of {role} {stream}s"),
                x: Axis { name: run::TIME, quantity: Quantity::Seconds, scale: Scale::Linear, to: 0.0 },
                y,
                lines: lines(runs, *role, *stream, |one| {
                    one.points
                        .iter()
                        .map(|point: &SeriesPoint| (point.middle_s, of(&point.figures)))
                        .collect()
                }),
                spans: Vec::new(),
                limits: Vec::new(),
            };
            [
                chart("iops", "I/Os per second", rate, |f| f.iops),
                chart("p99", "p99 latency", run::LATENCY_AXIS, |f| f.lat_p99_us),
            ]
        })
        .filter(|chart| !chart.lines.is_empty())
        .collect();
    (!charts.is_empty()).then(|| Section {
        id: "over-time",
        heading: "Runs over time",
        note: Some(
            "Each from the start of its load, ramp included. Of latency, equal distances are equal factors."
                .to_owned(),
        ),
        blocks: vec![Block::Charts(ChartGroup { charts })],
    })
}

fn distribution(runs: &[Run<'_>], streams: &[(Role, Stream)]) -> Option<Section> {
    // Limits are drawn where all runs are judged by the same.
    let judged = |role: Role, stream: Stream| {
        let of_run = |run: &Run<'_>| {
            let all = run.summary.verdict.judged.iter();
            all.filter(|one| one.role == role && one.stream == stream.as_str()).cloned().collect::<Vec<_>>()
        };
        let limits_of =
            |run: &Run<'_>| run::limits(&of_run(run), |one| run::percent_of(one.statistic).map(Some));
        let first = runs.first().map(limits_of).unwrap_or_default();
        if runs.iter().all(|run| limits_of(run) == first) { first } else { Vec::new() }
    };
    let charts: Vec<Chart> = streams
        .iter()
        .map(|(role, stream)| Chart {
            id: format!("curve-{role}-{stream}"),
            title: format!("Latency of {role} {stream}s by percentile"),
            x: run::PERCENTILE_AXIS,
            y: run::LATENCY_AXIS,
            lines: lines(runs, *role, *stream, run::curve),
            spans: Vec::new(),
            limits: judged(*role, *stream),
        })
        .filter(|chart| !chart.lines.is_empty())
        .collect();
    (!charts.is_empty()).then(|| Section {
        id: "distribution",
        heading: "Latency distribution",
        note: Some(
            "Over the measured phase. Each curve ends at the percentile that stands for one I/O.".to_owned(),
        ),
        blocks: vec![Block::Charts(ChartGroup { charts })],
    })
}

/// A line for each run that has points.
fn lines(
    runs: &[Run<'_>],
    role: Role,
    stream: Stream,
    points: impl Fn(&Series) -> Vec<(f64, Option<f64>)>,
) -> Vec<Line> {
    let line = |(index, run): (usize, &Run<'_>)| {
        let points = points(run.series(role, stream)?);
        (!points.is_empty()).then(|| Line {
            name: run.name.clone(),
            hue: index,
            dash: Dash::of_series(index),
            shape: Shape::Course,
            points,
        })
    };
    runs.iter().enumerate().filter_map(line).collect()
}
