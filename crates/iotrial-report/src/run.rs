//! The document of one run: which of its figures appear, and in which order.

use iotrial_analysis::figures::Figures;
use iotrial_analysis::latency_map::LatencyMap;
use iotrial_analysis::series::{Series, SeriesPoint, unmeasured_stretches};
use iotrial_analysis::stream::Streams;
use iotrial_analysis::summary::{JobSummary, Summary};
use iotrial_analysis::verdict::Judged;
use iotrial_model::figure::Figure;
use iotrial_model::finding::Finding;
use iotrial_model::load::Role;
use iotrial_model::plan::{Job, PhaseKind, Plan};
use iotrial_model::record::{EndedHow, Interval};
use iotrial_model::stream::Stream;
use iotrial_model::subject::Subject;
use iotrial_model::units::format_duration;
use jiff::Timestamp;

use crate::chart::{
    Axis, Chart, ChartGroup, Dash, HeatMap, LATENCY_AXIS, Limit, Line, Scale, Shape, Span, TIME,
};
use crate::document::{Block, Document, FindingLine, Section, VerdictBlock};
use crate::heat;
use crate::quantity::{Quantity, in_seconds};
use crate::search;
use crate::settings;
use crate::table::{Column, Row, Table, Value};
use crate::text::cut;

/// With fewer I/Os due and not issued there is nothing to see in a chart: Poisson arrivals alone make such queues for moments.
const LEAST_BACKLOG: u64 = 16;

/// A title is not a text, and stands in every row of a CSV.
pub(crate) const LONGEST_TITLE: usize = 200;

impl Document {
    /// The document of a run by its plan. `summary` is the one of `subject`.
    pub(crate) fn of_run(subject: &Subject<'_>, plan: &Plan, summary: &Summary) -> Self {
        let series = Series::of(subject);
        let sections = [
            Some(verdict(subject, summary)),
            search::search(summary),
            findings(&summary.findings),
            throughput_over_time(subject.intervals, &series),
            latency_over_time(subject.intervals, &series, &summary.verdict.judged),
            latency_spread(plan, subject.intervals),
            latency_distribution(&series, &summary.verdict.judged),
            by_role(subject, plan, summary),
            arrivals(subject, plan, summary),
            judged(summary),
            by_job(plan, summary),
            settings::host(subject, summary),
            settings::targets(subject, summary),
            settings::load(subject, plan, summary),
            settings::profile(subject),
        ];
        Self {
            title: cut(subject.label.unwrap_or(&plan.profile), LONGEST_TITLE),
            byline: format!("{}, {}", started_at(subject), settings::tool(subject)),
            in_brief: settings::in_brief(subject, plan),
            sections: sections.into_iter().flatten().collect(),
            chapters: Vec::new(),
        }
    }
}

/// The start for people: to the minute, in UTC. A time that is none stands as it is.
pub(crate) fn started_at(subject: &Subject<'_>) -> String {
    subject.measured_at.map_or_else(|| "at a time that is not stated".to_owned(), start_of)
}

/// The same of a time as it stands in a record.
pub(crate) fn start_of(started_at: &str) -> String {
    match started_at.parse::<Timestamp>() {
        Ok(start) => start.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => started_at.to_owned(),
    }
}

/// The verdict on a result, whoever measured it, and how it ended.
pub(crate) fn verdict(subject: &Subject<'_>, summary: &Summary) -> Section {
    let verdict = &summary.verdict;
    let reason = summary.ended_reason.as_deref();
    let told = |how: &str| reason.map_or_else(|| how.to_owned(), |reason| format!("{how}: {reason}"));
    let until_steady = subject.plan.and_then(|plan| plan.until_steady);
    let ended = match summary.ended.unwrap_or(EndedHow::Complete) {
        EndedHow::Complete => until_steady.zip(reason).map(|(until, reason)| {
            let round = format_duration(until.round);
            format!("The load was {reason}; the figures are those of its last five rounds of {round}")
        }),
        EndedHow::Interrupted => Some(told("The run was interrupted")),
        EndedHow::Failed => Some(told("The run failed")),
    };
    Section {
        id: "verdict",
        heading: "",
        note: None,
        blocks: vec![Block::Verdict(VerdictBlock {
            qualified: verdict.is_yes(),
            headline: verdict.latency_limit.as_ref().map(|answer| answer.headline.clone()),
            category: verdict.category,
            sentence: verdict.sentence.clone(),
            reasons: verdict.reasons.clone(),
            ended,
        })],
    }
}

/// What the reader should know about a result, whoever measured it.
pub(crate) fn findings(findings: &[Finding]) -> Option<Section> {
    (!findings.is_empty()).then(|| Section {
        id: "findings",
        heading: "Findings",
        note: None,
        blocks: vec![Block::Findings(findings.iter().map(FindingLine::of).collect())],
    })
}

fn by_role(subject: &Subject<'_>, plan: &Plan, summary: &Summary) -> Option<Section> {
    let Some(measured_s) = summary.measured_s.filter(|measured_s| *measured_s > 0.0) else {
        // The load never reached its measured phase: there is nothing to tabulate.
        return None;
    };
    let mut rows = Vec::new();
    for (role, streams) in &summary.roles {
        let planned = Stream::planned(plan, |job| plan.jobs[job].role == *role);
        rows.extend(stream_rows(&[role.as_str()], streams, &planned, false));
    }
    let mut planned = Stream::planned(plan, |_| true);
    // Commits among other writes stand with their role already, and are counted in these.
    if planned.contains(&Stream::Write) {
        planned.retain(|stream| *stream != Stream::Commit);
    }
    rows.extend(stream_rows(&["total"], &summary.total, &planned, true));
    if planned.len() > 1 {
        let all = Figures::of_all(subject);
        rows.push(figures_row(&["total"], Stream::Mixed.key(), all.as_ref(), true));
    }
    Some(Section {
        id: "roles",
        heading: "By role",
        note: Some(format!(
            "{} measured. Latency is total latency, from the creation of an I/O to its completion.",
            in_seconds(measured_s)
        )),
        blocks: vec![Block::Table(figures_table("Figures by role", &["role"], rows, true))],
    })
}

/// What was asked of the open jobs against what came of it; absent without one.
fn arrivals(subject: &Subject<'_>, plan: &Plan, summary: &Summary) -> Option<Section> {
    let row = |job: &JobSummary| {
        let arrivals = job.arrivals?;
        let cells = vec![
            Value::Text(job.name.clone()),
            Value::number(arrivals.asked_iops),
            Value::Number(arrivals.done_iops),
            Value::Count(arrivals.not_issued_count),
        ];
        Some(Row { cells, is_total: false })
    };
    let rows: Vec<Row> = summary.jobs.iter().filter_map(row).collect();
    let is_open = !rows.is_empty();
    let rates = Block::Table(Table {
        caption: "Rates of open jobs".to_owned(),
        columns: vec![
            Column::new("job", Quantity::Words),
            Column::new("asked", Quantity::Iops),
            Column::new("done", Quantity::Iops),
            Column::new("never issued", Quantity::Count),
        ],
        at_a_glance: true,
        rows,
    });
    is_open.then(|| Section {
        id: "arrivals",
        heading: "Open jobs",
        note: Some(
            "What was asked and what was done; of a group commit, commits. What follows another job has no rate of its own."
                .to_owned(),
        ),
        blocks: [Some(rates), backlog_over_time(plan, subject.intervals).map(Block::Charts)]
            .into_iter()
            .flatten()
            .collect(),
    })
}

/// What was due and not issued at the end of each interval, for the jobs whose queue was ever worth a look: exact at the end of
/// the load and of its rounds, from the rate elsewhere.
#[expect(clippy::cast_precision_loss, reason = "a chart shows three digits of a count")]
fn backlog_over_time(plan: &Plan, intervals: &[Interval]) -> Option<ChartGroup> {
    let course = |(index, job): (usize, &Job)| {
        let at = |interval: &Interval| interval.backlog.get(index).copied().unwrap_or_default();
        let is_worth_it = intervals.iter().any(|interval| at(interval) >= LEAST_BACKLOG);
        let point = |interval: &Interval| {
            ((interval.start + interval.duration).as_secs_f64(), Some(at(interval) as f64))
        };
        is_worth_it.then(|| Line {
            name: job.name.clone(),
            hue: hue_of(job.role),
            dash: Dash::of_series(
                Line::HUE_COUNT * plan.jobs[..index].iter().filter(|other| other.role == job.role).count(),
            ),
            shape: Shape::Course,
            points: intervals.iter().map(point).collect(),
        })
    };
    let lines: Vec<Line> = plan.jobs.iter().enumerate().filter_map(course).collect();
    let y = Axis { name: "", quantity: Quantity::Count, scale: Scale::Linear, to: 0.0 };
    (!lines.is_empty()).then(|| ChartGroup {
        charts: vec![over_time(intervals, "chart-backlog", "Backlog: due and not issued", y, lines)],
    })
}

fn by_job(plan: &Plan, summary: &Summary) -> Option<Section> {
    summary.measured_s.filter(|measured_s| *measured_s > 0.0)?;
    let rows = summary.jobs.iter().enumerate().flat_map(|(index, job)| {
        let planned = Stream::planned(plan, |other| other == index);
        stream_rows(&[&job.name, job.role.map_or("", Role::as_str)], &job.streams, &planned, false)
    });
    Some(Section {
        id: "jobs",
        heading: "By job",
        note: None,
        blocks: vec![Block::Table(figures_table("Figures by job", &["job", "role"], rows.collect(), false))],
    })
}

fn stream_rows(labels: &[&str], streams: &Streams, planned: &[Stream], is_total: bool) -> Vec<Row> {
    planned
        .iter()
        .map(|stream| figures_row(labels, stream.as_str(), streams.get(*stream), is_total))
        .collect()
}

/// A stream that was planned and never came to be has no figures at all.
pub(crate) fn figures_row(labels: &[&str], stream: &str, figures: Option<&Figures>, is_total: bool) -> Row {
    let value = |figure| Value::number(figures.and_then(|figures| figures.get(figure)));
    let mut cells: Vec<Value> = labels.iter().map(|label| Value::Text((*label).to_owned())).collect();
    cells.push(Value::Text(stream.to_owned()));
    cells.extend(Figure::ALL.map(value));
    cells.extend([
        figures.and_then(|f| f.error_count).map_or(Value::Absent, Value::Count),
        figures.and_then(|f| f.io_count).map_or(Value::Absent, Value::Count),
    ]);
    Row { cells, is_total }
}

/// The table of [`figures_row`]s. Errors have a column only where there are any.
pub(crate) fn figures_table(
    caption: &str,
    labels: &[&'static str],
    rows: Vec<Row>,
    at_a_glance: bool,
) -> Table {
    let column = |figure: Figure| match Column::of_figure(figure) {
        column if figure.is_detail() => column.optional(),
        column => column,
    };
    let mut columns: Vec<Column> = labels.iter().map(|label| Column::new(label, Quantity::Words)).collect();
    columns.push(Column::new("stream", Quantity::Words));
    columns.extend(Figure::ALL.map(column));
    columns.extend([Column::new("errors", Quantity::Count), Column::new("I/Os", Quantity::Count).optional()]);
    let mut table = Table { caption: caption.to_owned(), columns, rows, at_a_glance };
    let errors = table.columns.len() - 2;
    let failed = |row: &Row| matches!(row.cells[errors], Value::Count(count) if count > 0);
    if !table.rows.iter().any(failed) {
        table.columns.remove(errors);
        table.rows.iter_mut().for_each(|row| drop(row.cells.remove(errors)));
    }
    table
}

fn judged(summary: &Summary) -> Option<Section> {
    let verdict = &summary.verdict;
    let row = |judged: &Judged| Row {
        cells: vec![
            Value::Text(judged.role.to_string()),
            Value::Text(judged.stream.to_string()),
            Value::Text(judged.statistic.to_string()),
            Value::Number(judged.value_us),
            Value::Number(judged.limit_us),
            Value::Category(judged.category),
        ],
        is_total: false,
    };
    (!verdict.judged.is_empty()).then(|| Section {
        id: "judged",
        heading: "Judged figures",
        note: Some(format!(
            "By the threshold set «{}». Below its limit a latency is acceptable.",
            verdict.thresholds
        )),
        blocks: vec![Block::Table(Table {
            caption: "Judged figures against their limits".to_owned(),
            columns: vec![
                Column::new("role", Quantity::Words),
                Column::new("stream", Quantity::Words),
                Column::new("statistic", Quantity::Words),
                Column::new("measured", Quantity::LatencyUs).under("lat"),
                Column::new("limit", Quantity::LatencyUs).under("lat"),
                Column::new("category", Quantity::Words),
            ],
            rows: verdict.judged.iter().map(row).collect(),
            at_a_glance: false,
        })],
    })
}

fn throughput_over_time(intervals: &[Interval], series: &[Series]) -> Option<Section> {
    let chart = |id: &str, title: &str, figure: Figure| {
        let y = Axis { name: "", quantity: figure.unit().into(), scale: Scale::Linear, to: 0.0 };
        over_time(intervals, id, title, y, courses(series, figure))
    };
    (!intervals.is_empty()).then(|| Section {
        id: "throughput",
        heading: "Throughput over time",
        note: None,
        blocks: vec![Block::Charts(ChartGroup {
            charts: vec![
                chart("chart-iops", "I/Os per second", Figure::Iops),
                chart("chart-bandwidth", "Bandwidth", Figure::Bandwidth),
            ],
        })],
    })
}

/// The phases that are not measured.
fn spans(intervals: &[Interval]) -> Vec<Span> {
    let span = |(phase, from, to): (PhaseKind, f64, f64)| Span { name: phase.as_str(), from, to };
    unmeasured_stretches(intervals).into_iter().map(span).collect()
}

fn latency_over_time(intervals: &[Interval], series: &[Series], judged: &[Judged]) -> Option<Section> {
    let chart = |id: &str, title: &str, figure: Figure| Chart {
        limits: limits(judged, |one| (one.statistic == figure).then_some(None)),
        ..over_time(intervals, id, title, LATENCY_AXIS, courses(series, figure))
    };
    (!intervals.is_empty()).then(|| Section {
        id: "latency",
        heading: "Latency over time",
        note: Some(
            "Of the I/Os that completed in each interval. Equal distances are equal factors.".to_owned(),
        ),
        blocks: vec![Block::Charts(ChartGroup {
            charts: vec![
                chart("chart-lat-mean", "Mean latency", Figure::LatencyMean),
                chart("chart-lat-p99", "p99 latency", Figure::LatencyP99),
            ],
        })],
    })
}

pub(crate) const PERCENTILE_AXIS: Axis =
    Axis { name: "percentile", quantity: Quantity::Percent, scale: Scale::Nines, to: 0.0 };

/// A figure of each series, interval by interval.
fn courses(series: &[Series], figure: Figure) -> Vec<Line> {
    let point = |point: &SeriesPoint| (point.middle_s, point.figures.get(figure));
    series.iter().map(|one| line(one, one.points.iter().map(point).collect())).collect()
}

fn over_time(intervals: &[Interval], id: &str, title: &str, y: Axis, lines: Vec<Line>) -> Chart {
    Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        x: Axis {
            name: TIME,
            quantity: Quantity::Seconds,
            scale: Scale::Linear,
            to: intervals.last().map_or(0.0, |last| (last.start + last.duration).as_secs_f64()),
        },
        y,
        lines,
        spans: spans(intervals),
        limits: Vec::new(),
    }
}

/// How dark a map is where, for every stream.
fn latency_spread(plan: &Plan, intervals: &[Interval]) -> Option<Section> {
    let map = |map: LatencyMap| HeatMap {
        id: format!("heat-{}-{}", map.role, map.stream),
        title: format!("Latency of {} {}s", map.role, map.stream),
        x: heat::TIME_AXIS,
        y: LATENCY_AXIS,
        x_range: (0.0, map.end_s),
        y_range: map.bands_us,
        shares_percent: map.shares_percent,
        spans: spans(intervals),
    };
    let maps: Vec<HeatMap> = LatencyMap::all(plan, intervals).into_iter().map(map).collect();
    (!maps.is_empty()).then(|| Section {
        id: "spread",
        heading: "How latency spreads over time",
        note: Some(heat::HOW_TO_READ.to_owned()),
        blocks: vec![Block::HeatMaps(maps)],
    })
}

fn latency_distribution(series: &[Series], judged: &[Judged]) -> Option<Section> {
    let chart = |id: &str, title: &str, wanted: fn(Stream) -> bool| {
        let shown = || series.iter().filter(|one| wanted(one.stream) && !one.latency_curve.is_empty());
        let lines: Vec<Line> = shown().map(|one| line(one, curve(one))).collect();
        let is_shown =
            |judged: &Judged| shown().any(|one| one.role == judged.role && one.stream == judged.stream);
        (!lines.is_empty()).then(|| Chart {
            id: id.to_owned(),
            title: title.to_owned(),
            x: PERCENTILE_AXIS,
            y: LATENCY_AXIS,
            lines,
            spans: Vec::new(),
            limits: limits(judged, |one| one.statistic.percent().filter(|_| is_shown(one)).map(Some)),
        })
    };
    let charts: Vec<Chart> = [
        chart("chart-curve-read", "Latency of reads by percentile", |stream| stream == Stream::Read),
        chart("chart-curve-write", "Latency of writes by percentile", |stream| stream != Stream::Read),
    ]
    .into_iter()
    .flatten()
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

/// The points of a latency curve.
pub(crate) fn curve(series: &Series) -> Vec<(f64, Option<f64>)> {
    series.latency_curve.iter().map(|at| (at.percent, Some(at.latency_us))).collect()
}

/// Lines of a role look alike in all charts of a run.
fn hue_of(role: Role) -> usize {
    Role::ALL.iter().position(|one| *one == role).unwrap_or_default()
}

/// Streams are told apart without colour.
pub(crate) const fn dash_of(stream: Stream) -> Dash {
    match stream {
        Stream::Read => Dash::Solid,
        Stream::Write => Dash::Dashed,
        Stream::Commit | Stream::Mixed => Dash::DashDot,
    }
}

fn line(series: &Series, points: Vec<(f64, Option<f64>)>) -> Line {
    Line {
        name: format!("{} {}", series.role, series.stream),
        hue: hue_of(series.role),
        dash: dash_of(series.stream),
        shape: Shape::Course,
        points,
    }
}

/// One limit for each value and reach, named after all streams that it holds for. `until` picks the figures and says
/// how far their limit reaches.
pub(crate) fn limits(judged: &[Judged], until: impl Fn(&Judged) -> Option<Option<f64>>) -> Vec<Limit> {
    let mut limits: Vec<Limit> = Vec::new();
    for (one, until) in judged.iter().filter_map(|one| Some((one, until(one)?))) {
        let name = format!("{} {}", one.role, one.stream);
        let is_same =
            |limit: &&mut Limit| limit.until == until && limit.value.total_cmp(&one.limit_us).is_eq();
        match limits.iter_mut().find(is_same) {
            Some(limit) => limit.name = format!("{}, {name}", limit.name),
            None => limits.push(Limit { name, value: one.limit_us, until }),
        }
    }
    limits
}
